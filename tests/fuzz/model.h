/* What the targets that convert whole models share. Their input is a symbol's text and, after a NUL, a parameter file. */
#ifndef TESTS_FUZZ_MODEL_H
#define TESTS_FUZZ_MODEL_H

#include <stdbool.h>

#include "fuzz.h"
#include "mx2onnx.h"

/* Bytes of choices: 0 for ever once there are no more. */
struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

static inline unsigned fuzz_byte(struct fuzz_bytes *b)
{
    if (b->left == 0) {
        return 0;
    }
    b->left--;
    return *b->at++;
}

static inline unsigned fuzz_below(struct fuzz_bytes *b, unsigned n)
{
    return fuzz_byte(b) % n;
}

/* A size that is ordinary, at an edge or hostile. */
static inline int64_t fuzz_size(struct fuzz_bytes *b)
{
    static const int64_t odd[] = {0, -1, -2, INT64_MAX, INT64_MIN, INT64_C(1) << 31, INT64_C(1) << 32, INT32_MAX, 1 << 16, 1000};
    const unsigned byte = fuzz_byte(b);
    return byte < 240 ? (int64_t)(byte % 9) : odd[byte % (sizeof odd / sizeof *odd)];
}

/* The symbol and the parameters; NULL if the symbol cannot be read. */
mx2onnx_model *fuzz_load(const uint8_t *data, size_t size);

/* Inputs and weights that the files do not describe get a shape of this rank, with a batch, so that there is something to convert. */
void fuzz_shapes(mx2onnx_model *m, int32_t rank);

/* The graph's text, the reports and an export through a callback, and all of it once more; whatever happens, an error has
 * a diagnostic, and an export that has succeeded can be had again. The status and, unless NULL, the bytes written. */
int32_t fuzz_convert(mx2onnx_model *m, uint64_t *bytes);

#endif
