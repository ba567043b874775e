/* Runs a fuzz target over files and folders, so that ordinary test runs use the corpus and the target stays in working order:
 * replay [--every N | --changes N] PATH...: one input of N; or each of them, and N times with a byte changed and N times cut. A file
 * that begins with PACK_MAGIC holds many inputs (corpus.py). replay --random N [SEED]: N inputs of random bytes, the
 * same in each run. Prints how many inputs it ran. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MAX_FILE = 4 << 20 };
#define PACK_MAGIC "fuzz inputs\n"

static size_t inputs, seen;
static int every = 1, changes;

/* In a block of exactly this size, so that a sanitizer sees a read past its end. */
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

static void run_input(uint8_t *data, size_t size)
{
    if (seen++ % (size_t)every != 0) {
        return;
    }
    run(data, size);
    uint32_t random = (uint32_t)size;
    for (int i = 0; size > 0 && i < changes; i++) {
        const size_t at = next_random(&random) % size;
        const uint8_t byte = data[at];
        data[at] = (uint8_t)next_random(&random);
        run(data, size);
        data[at] = byte;
        run(data, next_random(&random) % size);
    }
}

static int run_random(int n, uint32_t random)
{
    enum { LENGTH = 512 };
    uint8_t data[LENGTH];
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < LENGTH; k++) {
            data[k] = (uint8_t)(next_random(&random) >> 8);
        }
        run(data, LENGTH);
    }
    return n <= 0;
}

/* Each input follows its length, four bytes, little-endian. */
static int run_pack(uint8_t *data, size_t size)
{
    for (size_t at = strlen(PACK_MAGIC); at < size;) {
        const uint8_t *n = data + at;
        const size_t length = size - at < 4 ? SIZE_MAX : n[0] | (size_t)n[1] << 8 | (size_t)n[2] << 16 | (size_t)n[3] << 24;
        if (length > size - at - 4) {
            fprintf(stderr, "a pack ends too early\n");
            return 1;
        }
        run_input(data + at + 4, length);
        at += 4 + length;
    }
    return 0;
}

static int run_file(const char *path)
{
    int failed = 0;
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(MAX_FILE);
    if (!f || !data) {
        fprintf(stderr, "cannot read %s\n", path);
        free(data);
        return 1;
    }
    const size_t size = fread(data, 1, MAX_FILE, f);
    fclose(f);
    if (size >= strlen(PACK_MAGIC) && memcmp(data, PACK_MAGIC, strlen(PACK_MAGIC)) == 0) {
        failed = run_pack(data, size);
    } else {
        run_input(data, size);
    }
    free(data);
    return failed;
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
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--every") == 0 && atoi(argv[2]) > 0) {
        every = atoi(argv[2]);
        first = 3;
    } else if (argc > 2 && strcmp(argv[1], "--changes") == 0) {
        changes = atoi(argv[2]);
        first = 3;
    }
    const bool random = argc > 2 && strcmp(argv[1], "--random") == 0;
    int failed = random ? run_random(atoi(argv[2]), argc > 3 ? (uint32_t)atoi(argv[3]) : 1) : argc <= first;
    first = random ? argc : first;
    for (int i = first; i < argc; i++) {
        failed |= run_path(argv[i]);
    }
    printf("%zu inputs\n", inputs);
    return failed || inputs == 0;
}
