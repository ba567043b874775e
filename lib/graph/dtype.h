/* Element types. The numbers are MXNet's type flags (3rdparty/mshadow/mshadow/base.h). */
#ifndef MX_GRAPH_DTYPE_H
#define MX_GRAPH_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* number, C constant, name, bytes, ONNX TensorProto.DataType */
#define MX_DTYPE_MAP(X)                                                                                                                    \
    X(0, FLOAT32, "float32", 4, 1)                                                                                                         \
    X(1, FLOAT64, "float64", 8, 11)                                                                                                        \
    X(2, FLOAT16, "float16", 2, 10)                                                                                                        \
    X(3, UINT8, "uint8", 1, 2)                                                                                                             \
    X(4, INT32, "int32", 4, 6)                                                                                                             \
    X(5, INT8, "int8", 1, 3)                                                                                                               \
    X(6, INT64, "int64", 8, 7)                                                                                                             \
    X(7, BOOL, "bool", 1, 9)                                                                                                               \
    X(8, INT16, "int16", 2, 5)                                                                                                             \
    X(9, UINT16, "uint16", 2, 4)                                                                                                           \
    X(10, UINT32, "uint32", 4, 12)                                                                                                         \
    X(11, UINT64, "uint64", 8, 13)                                                                                                         \
    X(12, BFLOAT16, "bfloat16", 2, 16)

enum mx_dtype {
    MX_DTYPE_NONE = -1, /* unknown, or not given */
#define MX_DTYPE_ENUM(flag, constant, name, size, onnx) MX_##constant = flag,
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
double mx_dtype_largest(enum mx_dtype t);           /* the largest finite number of a float type */

#endif
