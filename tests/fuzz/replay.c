/* Runs a fuzz target over files and folders, and over cheap changes of each file, so that ordinary test runs use the
 * corpus and the target stays in working order. Prints how many inputs it ran. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MAX_FILE = 1 << 20, CHANGES = 16 };

static size_t inputs;

/* In a block of its own size, so that a sanitizer sees a read behind it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        abort();
    }
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

/* The same changes in each run. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state >> 8;
}

static void run_changed(uint8_t *data, size_t size)
{
    uint32_t random = (uint32_t)size;
    for (int i = 0; size > 0 && i < CHANGES; i++) {
        const size_t at = next_random(&random) % size;
        const uint8_t byte = data[at];
        data[at] = (uint8_t)next_random(&random);
        run(data, size);
        data[at] = byte;
        run(data, next_random(&random) % size);
    }
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(MAX_FILE);
    if (!f || !data) {
        fprintf(stderr, "cannot read %s\n", path);
        free(data);
        return 1;
    }
    const size_t size = fread(data, 1, MAX_FILE, f);
    fclose(f);
    run(data, size);
    run_changed(data, size);
    free(data);
    return 0;
}

static int run_path(const char *path);

static int run_folder(const char *path)
{
    int failed = 0;
    char inside[4096];
    DIR *folder = opendir(path);
    if (!folder) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        if (e->d_name[0] != '.') {
            const int n = snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
            failed |= n < 0 || (size_t)n >= sizeof inside || run_path(inside);
        }
    }
    closedir(folder);
    return failed;
}

static int run_path(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? run_folder(path) : run_file(path);
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++) {
        failed |= run_path(argv[i]);
    }
    printf("%zu inputs\n", inputs);
    return failed || inputs == 0;
}
