/* Other knowledge about opsets; the tables are operators.inc and kernels.c. */
#include "onnx/rules/rules.h"

#include "base/str.h"

int ox_opset_ir_version(int opset)
{
    return opset < 12 ? 6 : opset < 15 ? 7 : opset < 19 ? 8 : opset < 21 ? 9 : 10;
}

/* Types to try instead of a type: those that hold all of its numbers first, then those that hold most. */
static const enum mx_dtype *substitutes(enum mx_dtype t)
{
    enum { END = MX_DTYPE_NONE };
    static const enum mx_dtype floats[] = {MX_FLOAT32, MX_FLOAT64, END};
    static const enum mx_dtype bools[] = {MX_UINT8, MX_INT32, MX_INT64, MX_FLOAT32, END};
    static const enum mx_dtype small[] = {MX_INT32, MX_INT64, MX_FLOAT32, END};
    static const enum mx_dtype medium[] = {MX_INT64, MX_INT32, MX_FLOAT64, MX_FLOAT32, END};
    static const enum mx_dtype wide[] = {MX_INT64, MX_FLOAT64, MX_INT32, MX_FLOAT32, END};
    switch (t) {
    case MX_BOOL: return bools;
    case MX_INT8:
    case MX_UINT8:
    case MX_INT16:
    case MX_UINT16: return small;
    case MX_INT32:
    case MX_UINT32: return medium;
    case MX_INT64:
    case MX_UINT64: return wide;
    case MX_FLOAT16:
    case MX_FLOAT32:
    case MX_FLOAT64:
    case MX_BFLOAT16:
    case MX_DTYPE_NONE:
    case MX_DTYPE_COUNT: break;
    }
    return floats;
}

/* True if the row applies to calls with these attributes. */
static bool is_for(const struct ox_kernel *k, const struct ox_attr *attrs)
{
    const char *value = k->attr ? ox_attr_string(attrs, k->attr, NULL) : NULL;
    return !k->attr || (value && mx_word_index(k->words, value) >= 0);
}

enum mx_dtype ox_kernel_dtype(enum ox_op op, const struct ox_attr *attrs, enum mx_dtype t, int opset)
{
    if (t == MX_DTYPE_NONE) {
        return t;
    }
    for (const struct ox_kernel *k = ox_kernels[op]; k && k->last; k++) {
        if (opset < k->first || opset > k->last || !is_for(k, attrs)) {
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

bool ox_has(struct ox_build *b, enum ox_op op)
{
    return op != OX_FOREIGN && ox_schemas[op].since <= b->model->opset
           && ox_kernel_dtype(op, NULL, MX_FLOAT32, b->model->opset) != MX_DTYPE_NONE;
}

bool ox_has_half_pixels(struct ox_build *b)
{
    return b->model->opset >= 16;
}
