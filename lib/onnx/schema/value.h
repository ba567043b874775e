/* Values and attributes of ONNX nodes, as the builder's callers write them and the graph keeps them. */
#ifndef OX_VALUE_H
#define OX_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* A value of the ONNX graph, or "input left out". */
typedef int32_t ox_val;
enum { OX_NONE = 0, OX_END = -1 };

/* Element i, row-major, of a tensor that is computed while it is written. */
typedef double (*ox_element_fn)(const void *spec, int64_t i);

/* Attributes of a node, in a list ended by OX_ATTRS's own mark. */
struct ox_attr {
    const char *name;
    enum { OX_A_END, OX_A_INT, OX_A_FLOAT, OX_A_STRING, OX_A_INTS, OX_A_FLOATS, OX_A_DTYPE, OX_A_GRAPH, OX_A_STRINGS } kind;
    int n; /* of a list */
    union {
        int64_t i; /* INT, DTYPE */
        double f;
        const char *s;
        const void *v; /* int64_t[], double[] or const char *[], copied */
        struct ox_graph *graph;
    };
};
#define OX_I(name_, v_) {.name = (name_), .kind = OX_A_INT, .i = (v_)}
#define OX_F(name_, v_) {.name = (name_), .kind = OX_A_FLOAT, .f = (v_)}
#define OX_S(name_, v_) {.name = (name_), .kind = OX_A_STRING, .s = (v_)}
#define OX_IS(name_, v_, n_) {.name = (name_), .kind = OX_A_INTS, .v = (v_), .n = (n_)}
#define OX_FS(name_, v_, n_) {.name = (name_), .kind = OX_A_FLOATS, .v = (v_), .n = (n_)}
#define OX_SS(name_, v_, n_) {.name = (name_), .kind = OX_A_STRINGS, .v = (v_), .n = (n_)}
/* v_: an enum mx_dtype, written as ONNX's */
#define OX_T(name_, v_) {.name = (name_), .kind = OX_A_DTYPE, .i = (v_)}
#define OX_G(name_, v_) {.name = (name_), .kind = OX_A_GRAPH, .graph = (v_)}
#define OX_ATTRS(...) ((const struct ox_attr[]){__VA_ARGS__, {.kind = OX_A_END}})
#define OX_NO_ATTRS NULL
#define OX_IN(...) ((const ox_val[]){__VA_ARGS__, OX_END})

#endif
