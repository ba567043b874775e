/* Operators that the caller converts: those of MXNet's Custom, whose code is in no file, and any that the library does
 * not know. The handler sees a mx2onnx_node, in inference and in lowering. */
#ifndef MX_OP_CUSTOM_H
#define MX_OP_CUSTOM_H

#include "op/op.h"

struct mx_custom {
    const char *name; /* the operator's, or Custom's op_type */
    int n_outputs;
    mx2onnx_custom_fn infer, lower; /* lower NULL: the node is kept in the graph's domain for unknown operators */
    void *user;
    mx2onnx_release_fn release; /* of user, or NULL */
    int opset;                  /* that is written */
    const char *domain;         /* for operators that nobody knows, or NULL */
};

/* The attributes of a node whose operator the library does not know. */
struct mx_unknown {
    const struct mx_custom *custom; /* the caller's handler, or NULL */
    const char *domain;             /* where the node is kept; NULL: the handler writes it */
};
/* Of a node of a known operator: neither. Never NULL. */
const struct mx_unknown *mx_unknown_of(const struct mx_node *n);

/* What a handler is given; lives as long as its call. */
struct mx2onnx_node {
    const struct mx_node *n;
    struct mx_infer *c; /* in inference */
    struct ox_build *b; /* in lowering, with in and out */
    const ox_val *in;
    ox_val *out;
};

/* The attributes of the file that are the operator's stand first from now on, in their order; MXNet's notes ("__shape__") after. */
int mx_custom_sort_attrs(struct mx_node *n, struct mx_arena *arena) MX_MUST_USE;
/* How many are the operator's. */
int mx_custom_attr_count(const struct mx_node *n);

/* The descriptor of every such node; mx_unknown_of says whose. */
extern const struct mx_op mx_op_custom;

/* The descriptor of unknown operators that are kept, in the graph's domain for them: attributes as texts,
 * outputs of the first input's type, of any shape unless what reads them says more. */
extern const struct mx_op mx_op_kept;

/* The name under which a handler is looked up: op_type where the node has it (MXNet's Custom), else the operator's. */
const char *mx_custom_name(const struct mx_node *n);

#endif
