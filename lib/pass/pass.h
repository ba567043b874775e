/* From the file's graph to one that can be inferred: operators resolved, attributes parsed, labels and training-only
 * parts gone, parameters attached, names unique. And the inference itself. */
#ifndef MX_GRAPH_CANON_H
#define MX_GRAPH_CANON_H

#include "graph/graph.h"

struct mx_params;

/* Steps, in order:
 *   1. attributes parsed into the operators' structs; unsupported operators are all reported, then UNSUPPORTED
 *   2. edges to labels cut (op->unread), heads that need training-only nodes or labels dropped while others remain
 *   3. sort: what no head reaches is gone
 *   4. input counts and output indices checked against the descriptors
 *   5. parameters attached to variables, auxiliary states marked; a required one that is missing is reported when
 *      shapes are inferred, since only then it is known to be no input
 *   6. node names made unique, an empty one invented from the operator */
int mx_graph_canon(struct mx_graph *g, struct mx_params *params) MX_MUST_USE;

/* An input's wishes, from the API. */
struct mx_input_choice {
    const char *name;
    int ndim; /* -1: none */
    mx_dim *dims; /* an unknown where the caller said -1 */
    enum mx_dtype dtype;
};

/* graph/infer.c: forward and backward sweeps over rules until nothing changes; what stays open in an input then gets
 * a name ("data_dim2"; axis 0 "batch" when it is the only open one) and the type float32, and the sweeps go on. */
int mx_graph_infer(struct mx_graph *g, const struct mx_input_choice *choices, size_t n_choices) MX_MUST_USE;

#endif
