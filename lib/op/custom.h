/* Operators that the caller converts: MXNet's Custom, whose code is not in any file, and operators that the library does not know. The
 * handler sees a mx2onnx_node, in inference and in lowering. */
#ifndef MX_OP_CUSTOM_H
#define MX_OP_CUSTOM_H

#include "op/op.h"

struct mx_custom {
    const char *name;                 /* the operator's, or Custom's op_type */
    char *own_name;                   /* the same, freed with the model's handler */
    int n_outputs;                    /* of every node, unless count_outputs says it */
    mx2onnx_outputs_fn count_outputs; /* or NULL */
    bool overrides;                   /* for an operator that the library knows, too */
    bool used;                        /* a node of the graph has it */
    mx2onnx_custom_fn infer, lower;   /* lower NULL: the node is kept in the graph's domain for unknown operators */
    void *user;
    mx2onnx_release_fn release; /* of user, or NULL */
    int opset;                  /* the opset being written */
    const char *domain;         /* for unknown operators, or NULL */
};

/* The attributes of a node whose operator the library does not know. */
struct mx_unknown {
    const struct mx_custom *custom; /* the caller's handler, or NULL */
    const char *domain;             /* the domain in which the node is kept; NULL: the handler writes it */
};
/* For a node of a known operator both members are NULL. Never returns NULL. */
const struct mx_unknown *mx_unknown_of(const struct mx_node *n);

/* The argument of a handler; lives as long as the handler's call. */
struct mx2onnx_node {
    const struct mx_node *n;
    struct mx_diags *diags; /* while its outputs are counted */
    struct mx_infer *c;     /* in inference */
    struct ox_build *b;     /* in lowering, with in and out */
    const ox_val *in;
    ox_val *out;
};

/* Moves the operator's own attributes to the front, in file order; MXNet's notes ("__shape__") come after them. */
int mx_custom_sort_attrs(struct mx_node *n, struct mx_arena *arena) MX_MUST_USE;
/* The number of the operator's own attributes. */
int mx_custom_attr_count(const struct mx_node *n);

/* The descriptor of every node with a handler; mx_unknown_of gives the handler. */
extern const struct mx_op mx_op_custom;

/* The descriptor of unknown operators that are kept, in the graph's domain for them: attributes as texts, outputs with the first
 * input's type, and of any shape unless their readers imply one. */
extern const struct mx_op mx_op_kept;

/* The name under which a handler is looked up: op_type if the node has it (MXNet's Custom), otherwise the operator's name. */
const char *mx_custom_name(const struct mx_node *n);

#endif
