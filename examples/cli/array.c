#include "cli/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t cli_dtype_size(mx2onnx_dtype dtype)
{
    static const uint8_t sizes[] = {4, 8, 2, 1, 4, 1, 8, 1, 2, 2, 4, 8, 2}; /* indexed by mx2onnx_dtype */
    return dtype >= 0 && (size_t)dtype < sizeof sizes ? sizes[dtype] : 0;
}

bool cli_array_allocate(struct cli_array *a)
{
    a->data = calloc(a->count ? a->count : 1, cli_dtype_size(a->dtype));
    return a->data != NULL;
}

void cli_array_free(struct cli_array *a)
{
    free(a->data);
    a->data = NULL;
}

static double from_float16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

static uint16_t to_float16(double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs(x);
    if (isnan(x)) {
        return sign | 0x7e00;
    }
    if (size >= 65520) { /* half way between the largest finite value and the next one */
        return sign | 0x7c00;
    }
    int exponent;
    frexp(size, &exponent); /* size = 0.5 to 1 times 2^exponent */
    exponent = exponent < -13 ? -13 : exponent;
    const int steps = (int)nearbyint(ldexp(size, 11 - exponent)); /* up to 2048, which carries into the exponent */
    return (uint16_t)(sign | (size == 0 ? 0 : ((exponent + 13) << 10) + steps));
}

static double from_bfloat16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

static uint16_t to_bfloat16(double x)
{
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return (uint16_t)(isnan(x) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double cli_array_get(const struct cli_array *a, size_t i)
{
    switch (a->dtype) {
    case MX2ONNX_DTYPE_FLOAT32: return (double)((const float *)a->data)[i];
    case MX2ONNX_DTYPE_FLOAT64: return ((const double *)a->data)[i];
    case MX2ONNX_DTYPE_FLOAT16: return from_float16(((const uint16_t *)a->data)[i]);
    case MX2ONNX_DTYPE_BFLOAT16: return from_bfloat16(((const uint16_t *)a->data)[i]);
    case MX2ONNX_DTYPE_BOOL:
    case MX2ONNX_DTYPE_UINT8: return ((const uint8_t *)a->data)[i];
    case MX2ONNX_DTYPE_INT8: return ((const int8_t *)a->data)[i];
    case MX2ONNX_DTYPE_UINT16: return ((const uint16_t *)a->data)[i];
    case MX2ONNX_DTYPE_INT16: return ((const int16_t *)a->data)[i];
    case MX2ONNX_DTYPE_UINT32: return ((const uint32_t *)a->data)[i];
    case MX2ONNX_DTYPE_INT32: return ((const int32_t *)a->data)[i];
    case MX2ONNX_DTYPE_UINT64: return (double)((const uint64_t *)a->data)[i];
    case MX2ONNX_DTYPE_INT64: return (double)((const int64_t *)a->data)[i];
    default: return 0;
    }
}

/* The nearest number that the type has, where a C cast would be undefined; 0 for NaN. */
static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x == x ? x : 0;
}

static void set(struct cli_array *a, size_t i, double x)
{
    switch (a->dtype) {
    case MX2ONNX_DTYPE_FLOAT32: ((float *)a->data)[i] = (float)x; break;
    case MX2ONNX_DTYPE_FLOAT64: ((double *)a->data)[i] = x; break;
    case MX2ONNX_DTYPE_FLOAT16: ((uint16_t *)a->data)[i] = to_float16(x); break;
    case MX2ONNX_DTYPE_BFLOAT16: ((uint16_t *)a->data)[i] = to_bfloat16(x); break;
    case MX2ONNX_DTYPE_BOOL: ((uint8_t *)a->data)[i] = x != 0; break;
    case MX2ONNX_DTYPE_UINT8: ((uint8_t *)a->data)[i] = (uint8_t)within(x, 0, UINT8_MAX); break;
    case MX2ONNX_DTYPE_INT8: ((int8_t *)a->data)[i] = (int8_t)within(x, INT8_MIN, INT8_MAX); break;
    case MX2ONNX_DTYPE_UINT16: ((uint16_t *)a->data)[i] = (uint16_t)within(x, 0, UINT16_MAX); break;
    case MX2ONNX_DTYPE_INT16: ((int16_t *)a->data)[i] = (int16_t)within(x, INT16_MIN, INT16_MAX); break;
    case MX2ONNX_DTYPE_UINT32: ((uint32_t *)a->data)[i] = (uint32_t)within(x, 0, UINT32_MAX); break;
    case MX2ONNX_DTYPE_INT32: ((int32_t *)a->data)[i] = (int32_t)within(x, INT32_MIN, INT32_MAX); break;
    case MX2ONNX_DTYPE_UINT64: ((uint64_t *)a->data)[i] = (uint64_t)within(x, 0, 18446744073709549568.0); break;
    case MX2ONNX_DTYPE_INT64: ((int64_t *)a->data)[i] = (int64_t)within(x, -9223372036854775808.0, 9223372036854774784.0); break;
    default: break;
    }
}

bool cli_array_convert(struct cli_array *a, mx2onnx_dtype dtype)
{
    if (a->dtype == dtype) {
        return true;
    }
    struct cli_array to = *a;
    to.dtype = dtype;
    if (!cli_array_allocate(&to)) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        set(&to, i, cli_array_get(a, i));
    }
    cli_array_free(a);
    *a = to;
    return true;
}

bool cli_array_transpose(const struct cli_array *a, const int32_t *axes, struct cli_array *to)
{
    size_t strides[CLI_MOST_DIMS], step = cli_dtype_size(a->dtype);
    const size_t size = step;
    for (int32_t k = a->rank; k-- > 0; step *= (size_t)a->dims[k]) {
        strides[k] = step;
    }
    *to = *a;
    for (int32_t k = 0; k < a->rank; k++) {
        to->dims[k] = a->dims[axes[k]];
    }
    if (!cli_array_allocate(to)) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        size_t from = 0, rest = i;
        for (int32_t k = a->rank; k-- > 0; rest /= (size_t)to->dims[k]) {
            from += rest % (size_t)to->dims[k] * strides[axes[k]];
        }
        memcpy((char *)to->data + i * size, (const char *)a->data + from, size);
    }
    return true;
}
