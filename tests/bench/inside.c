/* inside LIBRARY WHERE RUNS SYMBOL PARAMS DIMS [FILE]: exports a model RUNS times in one process, with the input `data` of
 * DIMS (1x3x224x224), WHERE = memory, callback, file. LIBRARY may follow what it is linked with (libzip.so.4:libmx2onnx.so). Prints
 * the milliseconds of loading the others, of loading the library, of the first export and of the median one (each from a new
 * model to its end), the peak resident KiB and the bytes of the output. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mx2onnx.h"

#define FUNCTIONS(X)                                                                                                                       \
    X(model_new)                                                                                                                           \
    X(model_free)                                                                                                                          \
    X(load_symbol_file) X(load_params_file) X(set_input_shape) X(error) X(export_memory) X(memory_free) X(export_callback) X(export_file)
#define DECLARE(name) static __typeof__(mx2onnx_##name) *name;
FUNCTIONS(DECLARE)

struct job {
    const char *where, *symbol, *params, *file;
    int64_t dims[8];
    size_t rank;
    size_t bytes; /* of the output */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* As a program is linked that does not bind everything at once. */
static void *opened(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return library;
}

/* All but the last of the list. */
static const char *open_others(char *list)
{
    for (char *end; (end = strchr(list, ':')) != NULL; list = end + 1) {
        *end = 0;
        (void)opened(list);
    }
    return list;
}

static void open_library(const char *path)
{
    void *library = opened(path);
#define FIND(name) *(void **)&name = dlsym(library, "mx2onnx_" #name);
    FUNCTIONS(FIND)
}

static int32_t count(const void *data, size_t size, void *user)
{
    *(size_t *)user += size;
    return 0;
}

static int32_t export(struct job *j, mx2onnx_model *m)
{
    if (strcmp(j->where, "file") == 0) {
        return export_file(m, j->file);
    }
    if (strcmp(j->where, "callback") == 0) {
        j->bytes = 0;
        return export_callback(m, count, &j->bytes, NULL);
    }
    void *data;
    const int32_t status = export_memory(m, &data, &j->bytes);
    if (status == MX2ONNX_OK) {
        memory_free(data);
    }
    return status;
}

static int convert(struct job *j)
{
    mx2onnx_model *m = NULL;
    const int ok = model_new(&m) == MX2ONNX_OK && load_symbol_file(m, j->symbol) == MX2ONNX_OK
                   && load_params_file(m, j->params) == MX2ONNX_OK
                   && set_input_shape(m, "data", (int32_t)j->rank, j->dims, NULL) == MX2ONNX_OK && export(j, m) == MX2ONNX_OK;
    if (!ok) {
        fprintf(stderr, "%s\n", error(m));
    }
    model_free(m);
    return ok ? 0 : 1;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* KiB. getrusage would count what the program before exec had, too. */
static long peak(void)
{
    char line[128];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && kib < 0 && fgets(line, sizeof line, f)) {
        (void)sscanf(line, "VmHWM: %ld", &kib);
    }
    if (f) {
        fclose(f);
    }
    return kib;
}

int main(int argc, char **argv)
{
    enum { MOST = 10000 };
    static double took[MOST];
    const int runs = argc > 3 ? atoi(argv[3]) : 0;
    if (argc < 7 || runs < 1 || runs > MOST) {
        return 2;
    }
    struct job j = {.where = argv[2], .symbol = argv[4], .params = argv[5], .file = argc > 7 ? argv[7] : "inside.onnx"};
    for (char *p = argv[6]; *p && j.rank < 8; p += *p == 'x') {
        j.dims[j.rank++] = strtoll(p, &p, 10);
    }
    const double start = now();
    const char *library = open_others(argv[1]);
    const double linked = now();
    open_library(library);
    const double loaded = now();
    for (int i = 0; i < runs; i++) {
        const double begin = now();
        if (convert(&j)) {
            return 1;
        }
        took[i] = now() - begin;
    }
    const double first = took[0];
    qsort(took, (size_t)runs, sizeof *took, compare);
    printf("%.4f %.4f %.4f %.4f %ld %zu\n", linked - start, loaded - linked, first, took[runs / 2], peak(), j.bytes);
    return 0;
}
