/* Element types. The numbers are MXNet's type flags (3rdparty/mshadow/mshadow/base.h). */
#ifndef MX_GRAPH_DTYPE_H
#define MX_GRAPH_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* number, C constant, name, bytes, ONNX TensorProto.DataType, the lowest and the largest finite number that a double holds as well */
#define MX_DTYPE_MAP(X)                                                                                                                    \
    X(0, FLOAT32, "float32", 4, 1, -(double)FLT_MAX, (double)FLT_MAX)                                                                      \
    X(1, FLOAT64, "float64", 8, 11, -DBL_MAX, DBL_MAX)                                                                                     \
    X(2, FLOAT16, "float16", 2, 10, -65504, 65504)                                                                                         \
    X(3, UINT8, "uint8", 1, 2, 0, UINT8_MAX)                                                                                               \
    X(4, INT32, "int32", 4, 6, INT32_MIN, INT32_MAX)                                                                                       \
    X(5, INT8, "int8", 1, 3, INT8_MIN, INT8_MAX)                                                                                           \
    X(6, INT64, "int64", 8, 7, -9223372036854775808.0, 9223372036854774784.0)                                                              \
    X(7, BOOL, "bool", 1, 9, 0, 1)                                                                                                         \
    X(8, INT16, "int16", 2, 5, INT16_MIN, INT16_MAX)                                                                                       \
    X(9, UINT16, "uint16", 2, 4, 0, UINT16_MAX)                                                                                            \
    X(10, UINT32, "uint32", 4, 12, 0, UINT32_MAX)                                                                                          \
    X(11, UINT64, "uint64", 8, 13, 0, 18446744073709549568.0)                                                                              \
    X(12, BFLOAT16, "bfloat16", 2, 16, -3.3895313892515355e38, 3.3895313892515355e38)

enum mx_dtype {
    MX_DTYPE_NONE = -1, /* unknown, or not given */
#define MX_DTYPE_ENUM(flag, constant, name, size, onnx, lowest, largest) MX_##constant = flag,
    MX_DTYPE_MAP(MX_DTYPE_ENUM)
#undef MX_DTYPE_ENUM
        MX_DTYPE_COUNT
};

const char *mx_dtype_name(enum mx_dtype t);         /* "unknown" for NONE */
enum mx_dtype mx_dtype_from_name(const char *name); /* NONE if there is no such type */
enum mx_dtype mx_dtype_from_flag(long long flag);   /* NONE if out of range */
size_t mx_dtype_size(enum mx_dtype t);              /* bytes of an element; 0 for NONE */
int mx_dtype_onnx(enum mx_dtype t);                 /* TensorProto.DataType; 0 for NONE */
enum mx_dtype mx_dtype_from_onnx(int onnx);         /* NONE if there is no such type */
bool mx_dtype_is_float(enum mx_dtype t);            /* float16, float32, float64, bfloat16 */
bool mx_dtype_is_integer(enum mx_dtype t);          /* signed or not; not bool */
bool mx_dtype_is_signed(enum mx_dtype t);           /* floats and signed integers */
double mx_dtype_lowest(enum mx_dtype t);            /* 0 for NONE */
double mx_dtype_largest(enum mx_dtype t);

#endif
