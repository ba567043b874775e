/* Arrays of any element type, read and written as numbers. */
#ifndef CLI_ARRAY_H
#define CLI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mx2onnx.h"

enum { CLI_MOST_DIMS = 32 };

struct cli_array {
    mx2onnx_dtype dtype;
    int32_t rank;
    int64_t dims[CLI_MOST_DIMS];
    size_t count; /* number of elements */
    void *data;   /* row-major; freed by cli_array_free */
};

/* Bytes per element; 0 for an unknown type. */
size_t cli_dtype_size(mx2onnx_dtype dtype);
/* Makes a->data for a->count elements of a->dtype; false when memory runs out. */
bool cli_array_allocate(struct cli_array *a);
void cli_array_free(struct cli_array *a);
double cli_array_get(const struct cli_array *a, size_t i);
/* Converts the numbers to another type. Fractions are cut off, what the type does not have becomes its nearest number, and NaN 0; floats
 * are rounded to the nearest, or to even. False when memory runs out. */
bool cli_array_convert(struct cli_array *a, mx2onnx_dtype dtype);
/* The array with its axes in another order: axis k of `to` is axis axes[k] of `a`. False when memory runs out. */
bool cli_array_transpose(const struct cli_array *a, const int32_t *axes, struct cli_array *to);

#endif
