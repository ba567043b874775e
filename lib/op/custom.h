/* Operators that the caller converts: MXNet's Custom, whose code is not in any file, and operators that the library does not know. The
 * handler sees a mx2onnx_node, in inference and in lowering. */
#ifndef MX_OP_CUSTOM_H
#define MX_OP_CUSTOM_H

#include "base/map.h"
#include "op/op.h"

struct mx_custom {
    const char *name;                 /* the operator's, or Custom's op_type */
    struct mx_custom *next;           /* of a model's handlers, in the order of their names' first use */
    int n_outputs;                    /* of every node, unless count_outputs says it */
    mx2onnx_outputs_fn count_outputs; /* or NULL */
    bool overrides;                   /* for an operator that the library knows, too */
    bool used;                        /* a node of the graph has it */
    mx2onnx_custom_fn infer;          /* NULL: the handler was removed, and only its place is kept, for the next one of this name */
    mx2onnx_custom_fn lower;          /* NULL: the node is kept in the graph's domain for unknown operators */
    void *user;
    mx2onnx_release_fn release; /* of user, or NULL */
    struct mx_customs *all;     /* to which it belongs */
};

/* A model's handlers. */
struct mx_customs {
    struct mx_map by_name; /* name -> struct mx_custom */
    struct mx_custom *first, *last;
    size_t count;       /* without those that were removed */
    int opset;          /* being written */
    const char *domain; /* for unknown operators, or NULL */
    int32_t values;     /* numbers of values that calls of handlers were given: the next call gets others */
};
/* NULL: there is none of that name. */
struct mx_custom *mx_custom_called(const struct mx_customs *customs, const char *name);

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
    /* The handler knows its inputs and the values that it adds by numbers from `first` on, so that a number of another call is noticed. */
    mx2onnx_value first;
    ox_val *added;
    size_t n_added, capacity;
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
