#include "graph/dtype.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    int onnx;
    double lowest, largest;
} types[] = {
#define ROW(flag, constant, name, size, onnx, lowest, largest) [flag] = {name, size, onnx, lowest, largest},
    MX_DTYPE_MAP(ROW)
#undef ROW
};

static bool valid(enum mx_dtype t)
{
    return (int)t >= 0 && t < MX_DTYPE_COUNT;
}

const char *mx_dtype_name(enum mx_dtype t)
{
    return valid(t) ? types[t].name : "unknown";
}

enum mx_dtype mx_dtype_from_name(const char *name)
{
    for (int i = 0; i < MX_DTYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return (enum mx_dtype)i;
        }
    }
    return MX_DTYPE_NONE;
}

enum mx_dtype mx_dtype_from_flag(long long flag)
{
    return flag >= 0 && flag < MX_DTYPE_COUNT ? (enum mx_dtype)flag : MX_DTYPE_NONE;
}

size_t mx_dtype_size(enum mx_dtype t)
{
    return valid(t) ? types[t].size : 0;
}

int mx_dtype_onnx(enum mx_dtype t)
{
    return valid(t) ? types[t].onnx : 0;
}

enum mx_dtype mx_dtype_from_onnx(int onnx)
{
    for (int i = 0; i < MX_DTYPE_COUNT; i++) {
        if (types[i].onnx == onnx) {
            return (enum mx_dtype)i;
        }
    }
    return MX_DTYPE_NONE;
}

bool mx_dtype_is_float(enum mx_dtype t)
{
    return t == MX_FLOAT32 || t == MX_FLOAT64 || t == MX_FLOAT16 || t == MX_BFLOAT16;
}

static bool is_unsigned(enum mx_dtype t)
{
    return t == MX_UINT8 || t == MX_UINT16 || t == MX_UINT32 || t == MX_UINT64;
}

bool mx_dtype_is_integer(enum mx_dtype t)
{
    return valid(t) && !mx_dtype_is_float(t) && t != MX_BOOL;
}

bool mx_dtype_is_signed(enum mx_dtype t)
{
    return valid(t) && !is_unsigned(t) && t != MX_BOOL;
}

double mx_dtype_lowest(enum mx_dtype t)
{
    return valid(t) ? types[t].lowest : 0;
}

double mx_dtype_largest(enum mx_dtype t)
{
    return valid(t) ? types[t].largest : 0;
}
