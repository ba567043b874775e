/* Everything that the library knows about opsets: since when an ONNX operator exists, what moved from attribute to input, which element
 * types have a kernel in ONNX Runtime's CPU provider. Used only inside lib/onnx. */
#ifndef OX_OPSET_H
#define OX_OPSET_H

#include "onnx/builder/build.h"
#include "onnx/schema/kernels.h"

/* The smallest IR version for a model of this opset (onnx-opsets.md 1). */
int ox_opset_ir_version(int opset);

/* The type in which a node must run when its data have type t, at this opset: t itself if there is a kernel for it, otherwise the type
 * to cast to (and back). NONE: there is no kernel at all. */
enum mx_dtype ox_kernel_dtype(enum ox_op op, const struct ox_attr *attrs, enum mx_dtype t, int opset);

struct ox_call;
struct ox_fold;
struct ox_data;
struct ox_node;
struct ox_walk;
struct ox_range;
struct ox_interval;

/* What an operator lacked before an opset. */
struct ox_change {
    enum { OX_CHANGES_END, OX_MOVED, OX_LATER, OX_RENAMED, OX_NO_WORD, OX_DROPPED } kind;
    const char *name; /* the attribute */
    int since;
    int input;          /* MOVED: index of the input that it became */
    int64_t number;     /* LATER: the value that older opsets imply, for an INT and for every element of an INTS */
    const char *word;   /* LATER: the same for a STRING. RENAMED, NO_WORD: the new word */
    const char *before; /* RENAMED */
};

/* An operator in its newest form: a row of operators.inc. */
struct ox_schema {
    const char *name;
    int since;
    const char *in, *out;
    void (*rule)(struct ox_call *c); /* shapes and types of the outputs */
    bool (*simplify)(struct ox_call *c, ox_val *out);
    bool (*fold)(struct ox_fold *f, struct ox_data *out);
    int folds; /* number of inputs that fold requires; 0: any */
    size_t needs, gives;
    bool (*interval)(struct ox_walk *w, const struct ox_node *n, struct ox_range part, struct ox_interval *out);
    const char *roles;
    bool distinct;
    int any_axis_since;
    const struct ox_change *older_than;
    void (*refuse)(struct ox_call *c);
    void (*older)(struct ox_call *c);
    int older_below;
    void (*target)(struct ox_call *c);
};
extern const struct ox_schema ox_schemas[OX_OPERATORS];
enum { OX_MIXED_SINCE = 15 };

#endif
