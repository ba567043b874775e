/* What is to be known of an opset apart from the tables: see schema.c, kernels.c, older.c. */
#include "onnx/table/opset.h"

#include <string.h>

int ox_opset_since(const char *op_type)
{
    const struct ox_schema *s = ox_schema_of(op_type);
    return s ? s->since : 0;
}

int ox_opset_ir_version(int opset)
{
    return opset < 12 ? 6 : opset < 15 ? 7 : opset < 19 ? 8 : opset < 21 ? 9 : 10;
}

/* Rows of kernels.c are sorted by operator: the first one of op_type, or -1. */
static int first_row(const char *op_type)
{
    int low = 0;
    int high = ox_kernel_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(ox_kernels[middle].op_type, op_type) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ox_kernel_count && strcmp(ox_kernels[low].op_type, op_type) == 0 ? low : -1;
}

/* What to try in place of a type, best first: exact ones before those that round. */
static const enum mx_dtype *substitutes(enum mx_dtype t)
{
    enum { END = MX_DTYPE_NONE };
    static const enum mx_dtype floats[] = {MX_FLOAT32, MX_FLOAT64, END};
    static const enum mx_dtype bools[] = {MX_UINT8, MX_INT32, MX_INT64, MX_FLOAT32, END};
    static const enum mx_dtype small[] = {MX_INT32, MX_INT64, MX_FLOAT32, END};
    static const enum mx_dtype wide[] = {MX_INT64, MX_INT32, MX_FLOAT64, MX_FLOAT32, END};
    switch (t) {
    case MX_BOOL:
        return bools;
    case MX_INT8:
    case MX_UINT8:
    case MX_INT16:
    case MX_UINT16:
        return small;
    case MX_INT32:
    case MX_UINT32:
    case MX_INT64:
    case MX_UINT64:
        return wide;
    case MX_FLOAT16:
    case MX_FLOAT32:
    case MX_FLOAT64:
    case MX_BFLOAT16:
    case MX_DTYPE_NONE:
    case MX_DTYPE_COUNT:
        break;
    }
    return floats;
}

enum mx_dtype ox_kernel_dtype(const char *op_type, enum mx_dtype t, int opset)
{
    const int row = first_row(op_type);
    if (t < 0 || t >= MX_DTYPE_COUNT) {
        return t;
    }
    for (int i = row; i >= 0 && i < ox_kernel_count && strcmp(ox_kernels[i].op_type, op_type) == 0;
         i++) {
        const struct ox_kernel *k = &ox_kernels[i];
        if (opset < k->first || opset > k->last) {
            continue;
        }
        if (k->types >> t & 1U) {
            return t;
        }
        for (const enum mx_dtype *s = substitutes(t); *s != MX_DTYPE_NONE; s++) {
            if (k->types >> *s & 1U) {
                return *s;
            }
        }
        return k->types == 0 ? MX_DTYPE_NONE : t;
    }
    return t;
}
