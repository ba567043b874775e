/* What fuzz targets share. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* libFuzzer's entry point, which AFL uses as well. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise is as bad as a crash. */
static inline void fuzz_expect(int condition)
{
    if (!condition) {
        abort();
    }
}

#endif
