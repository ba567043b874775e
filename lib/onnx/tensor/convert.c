/* Converts elements of initialisers to other types, one block at a time. */
#include <string.h>

#include "base/num.h"
#include "onnx/tensor/bytes.h"

enum { BLOCK = 512 };

/* The intermediate form of elements: every integer fits into 64 bits, signed ones in two's complement, every float into a double. */
union lanes {
    double real[BLOCK];
    uint64_t bits[BLOCK];
};

#define LOAD(type, lane, expression)                                                                                                       \
    do {                                                                                                                                   \
        const type *x = in;                                                                                                                \
        for (size_t i = 0; i < n; i++) {                                                                                                   \
            out->lane[i] = (expression);                                                                                                   \
        }                                                                                                                                  \
    } while (0)

static void load(enum mx_dtype t, const void *in, union lanes *out, size_t n)
{
    switch (t) {
    case MX_FLOAT32: LOAD(float, real, (double)x[i]); break;
    case MX_FLOAT64: LOAD(double, real, x[i]); break;
    case MX_FLOAT16: LOAD(uint16_t, real, (double)mx_half_to_float(x[i])); break;
    case MX_BFLOAT16: LOAD(uint16_t, real, (double)mx_bfloat16_to_float(x[i])); break;
    case MX_UINT8: LOAD(uint8_t, bits, x[i]); break;
    case MX_INT32: LOAD(int32_t, bits, (uint64_t)x[i]); break;
    case MX_INT8: LOAD(int8_t, bits, (uint64_t)x[i]); break;
    case MX_INT64: LOAD(int64_t, bits, (uint64_t)x[i]); break;
    case MX_BOOL: LOAD(uint8_t, bits, x[i] != 0); break;
    case MX_INT16: LOAD(int16_t, bits, (uint64_t)x[i]); break;
    case MX_UINT16: LOAD(uint16_t, bits, x[i]); break;
    case MX_UINT32: LOAD(uint32_t, bits, x[i]); break;
    case MX_UINT64: LOAD(uint64_t, bits, x[i]); break;
    case MX_DTYPE_NONE:
    case MX_DTYPE_COUNT: break;
    }
}

#define STORE(type, expression)                                                                                                            \
    do {                                                                                                                                   \
        type *y = out;                                                                                                                     \
        for (size_t i = 0; i < n; i++) {                                                                                                   \
            y[i] = (type)(expression);                                                                                                     \
        }                                                                                                                                  \
    } while (0)

/* The expressions: `bits` for integers, `real` for float64, `single` for float32 and types converted through it. */
#define STORE_ALL(bits, real, single, truth)                                                                                               \
    switch (t) {                                                                                                                           \
    case MX_FLOAT32: STORE(float, single); break;                                                                                          \
    case MX_FLOAT64: STORE(double, real); break;                                                                                           \
    case MX_FLOAT16: STORE(uint16_t, mx_float_to_half((float)(single))); break;                                                            \
    case MX_BFLOAT16: STORE(uint16_t, mx_float_to_bfloat16((float)(single))); break;                                                       \
    case MX_UINT8: STORE(uint8_t, bits); break;                                                                                            \
    case MX_INT32: STORE(int32_t, bits); break;                                                                                            \
    case MX_INT8: STORE(int8_t, bits); break;                                                                                              \
    case MX_INT64: STORE(int64_t, bits); break;                                                                                            \
    case MX_BOOL: STORE(uint8_t, truth); break;                                                                                            \
    case MX_INT16: STORE(int16_t, bits); break;                                                                                            \
    case MX_UINT16: STORE(uint16_t, bits); break;                                                                                          \
    case MX_UINT32: STORE(uint32_t, bits); break;                                                                                          \
    case MX_UINT64: STORE(uint64_t, bits); break;                                                                                          \
    case MX_DTYPE_NONE:                                                                                                                    \
    case MX_DTYPE_COUNT: break;                                                                                                            \
    }

/* Truncates; where C leaves the result undefined (NaN, too large) it is that of x86-64, on which MXNet's models were made. */
static uint64_t double_to_bits(enum mx_dtype t, double d)
{
    if (t == MX_UINT64 && d > 0) {
        return d < 18446744073709551616.0 ? (uint64_t)d : 0;
    }
    if (t == MX_INT64 || t == MX_UINT64 || t == MX_UINT32) {
        return (uint64_t)(d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (int64_t)d : INT64_MIN);
    }
    return (uint64_t)(d > -2147483649.0 && d < 2147483648.0 ? (int64_t)d : INT32_MIN); /* shorter types are the low bits of an int32 */
}

static void store_floats(enum mx_dtype t, const double *x, void *out, size_t n)
{
    STORE_ALL(double_to_bits(t, x[i]), x[i], (float)x[i], !(x[i] >= 0 && x[i] <= 0))
}

static void store_signed(enum mx_dtype t, const uint64_t *bits, void *out, size_t n)
{
    const int64_t *x = (const int64_t *)bits;
    STORE_ALL(x[i], (double)x[i], (float)x[i], x[i] != 0)
}

static void store_unsigned(enum mx_dtype t, const uint64_t *x, void *out, size_t n)
{
    STORE_ALL(x[i], (double)x[i], (float)x[i], x[i] != 0)
}

static void convert_block(enum mx_dtype from, enum mx_dtype to, const void *in, void *out, size_t n)
{
    union lanes lanes;
    load(from, in, &lanes, n);
    if (mx_dtype_is_float(from)) {
        store_floats(to, lanes.real, out, n);
    } else if (mx_dtype_is_signed(from)) {
        store_signed(to, lanes.bits, out, n);
    } else {
        store_unsigned(to, lanes.bits, out, n);
    }
}

void ox_convert(enum mx_dtype from, enum mx_dtype to, const void *in, void *out, size_t n)
{
    if (from == to && from != MX_BOOL) {
        memcpy(out, in, n * mx_dtype_size(from));
        return;
    }
    if (from == MX_FLOAT32 && to == MX_FLOAT16) {
        mx_floats_to_halves(in, out, n, false);
        return;
    }
    const uint8_t *source = in;
    uint8_t *target = out;
    for (size_t done = 0; done < n; done += BLOCK) {
        const size_t some = n - done < BLOCK ? n - done : BLOCK;
        convert_block(from, to, source + done * mx_dtype_size(from), target + done * mx_dtype_size(to), some);
    }
}

void ox_convert_as(struct ox_conversion c, const void *in, void *out, size_t n)
{
    if (!c.clamp || c.to != MX_FLOAT16 || (c.from != MX_FLOAT32 && c.from != MX_FLOAT64)) {
        ox_convert(c.from, c.to, in, out, n);
    } else if (c.from == MX_FLOAT32) {
        mx_floats_to_halves(in, out, n, true);
    } else {
        const double *x = in;
        for (size_t i = 0; i < n; i++) {
            const float single = (float)x[i];
            mx_floats_to_halves(&single, (uint16_t *)out + i, 1, true);
        }
    }
}
