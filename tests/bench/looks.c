/* looks LIBRARY SYMBOL: sets a value for each variable of a symbol file but the first, looks at the model after each, and prints their
 * number and the milliseconds of it all. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include "mx2onnx.h"

#define FUNCTIONS(X) X(model_new) X(model_free) X(load_symbol_file) X(set_param) X(variable_count) X(variable_name) X(input_count) X(error)
#define DECLARE(name) static __typeof__(mx2onnx_##name) *name;
FUNCTIONS(DECLARE)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The second variable without a value, until there is one alone. */
static size_t set_all(mx2onnx_model *m)
{
    static const float zero;
    const mx2onnx_array value = {.struct_size = sizeof value,
                                 .dtype = MX2ONNX_DTYPE_FLOAT32,
                                 .rank = 1,
                                 .dims = (const int64_t[]){1},
                                 .data = &zero,
                                 .size = sizeof zero};
    size_t count = 0;
    while (variable_count(m) > 1 && input_count(m) > 0 && set_param(m, variable_name(m, 1), &value, NULL, NULL) == MX2ONNX_OK) {
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    mx2onnx_model *m = NULL;
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        return 2;
    }
#define FIND(name) *(void **)&name = dlsym(library, "mx2onnx_" #name);
    FUNCTIONS(FIND)
    if (model_new(&m) != MX2ONNX_OK || load_symbol_file(m, argv[2]) != MX2ONNX_OK) {
        fprintf(stderr, "%s\n", error(m));
        return 1;
    }
    const double begin = now();
    const size_t count = set_all(m);
    printf("%zu %.3f\n", count, now() - begin);
    const int left = variable_count(m) != 1;
    model_free(m);
    return left;
}
