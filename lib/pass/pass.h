/* The steps between reading and writing. Each takes the whole graph and leaves it checked.
 *
 *     canon   the file's graph -> operators with parsed attributes, labels and training-only parts gone
 *     infer   shapes and element types of every value
 *     preprocess  what is put after an input
 *     halve   float32 to float16, if that was chosen
 *     lower   every node to ONNX through the builder
 */
#ifndef MX_PASS_PASS_H
#define MX_PASS_PASS_H

#include "base/map.h"
#include "graph/graph.h"
#include "onnx/build/internal.h"
#include "read/params.h"

/* ---- canon.c
 * In order: what the heads reach is sorted; edges to labels are cut (MX_UNREAD); heads that need a training-only
 * node, and losses that need a label, go while others remain; operators that the library does not know are all
 * reported, then UNSUPPORTED; attributes are parsed, input counts and output indices checked; variables get their
 * parameters; empty names are invented and repeated ones told apart. */
int mx_graph_canon(struct mx_graph *g, const struct mx_params *params) MX_MUST_USE;

/* ---- infer.c */

/* What the caller wants of an input. The passes get a map from names to these. */
struct mx_input_choice {
    const char *name;
    int ndim;                /* -1: nothing said */
    int64_t *dims;           /* -1: left to inference */
    const char **dim_names;  /* NULL: not named; a name wins over a number */
    enum mx_dtype dtype;     /* MX_DTYPE_NONE: nothing said */
    /* What is put after it, in this order (preprocess.c); shape and names above are the net's. */
    bool channels_last, channels_reversed;
    const double *mean, *scale;
    size_t n_mean, n_scale; /* 0: none; 1: for all channels */
};

/* missing.c: marks the variables that are only ever read as weights or auxiliary states and that nobody declared an input. */
void mx_graph_mark_weights(struct mx_graph *g, const struct mx_map *choices);
/* One error for all of them that have no value. */
int mx_graph_check_missing(struct mx_graph *g, const struct mx_params *params, const struct mx_map *choices) MX_MUST_USE;

/* Sweeps over the operators' rules, forward and backward, until nothing changes. What then stays open in an input gets
 * a name ("batch" for axis 0, else "data_dim2") and the type float32, and the sweeps go on. */
int mx_graph_infer(struct mx_graph *g, const struct mx_map *choices) MX_MUST_USE;

/* ---- preprocess.c */

/* After inference. The choices must live as long as the graph. */
int mx_graph_preprocess(struct mx_graph *g, const struct mx_map *choices) MX_MUST_USE;
/* The type that was chosen for the net's side of an input: pixels of integers are normalised to floats. */
enum mx_dtype mx_input_net_dtype(const struct mx_input_choice *choice);

/* ---- float16.c */

/* Nodes, one by its name or all of an operator, that stay float32, or that do not although the library would keep them so. */
struct mx_half_choice {
    const char *name;
    const char *op_name; /* the operator's name in the table, where `name` is one of its names; else `name` */
    bool keep;
};

struct mx_half_options {
    const struct mx_op *cast; /* what is put between the types: amp_cast, as MXNet's own conversion does */
    bool keep_io;             /* inputs and outputs of the model stay as they are */
    struct mx_half_choice *choices; /* the later one counts */
    size_t n_choices;
};

/* After inference: sets types to float16 and puts casts into the graph. */
int mx_graph_halve(struct mx_graph *g, const struct mx_half_options *options) MX_MUST_USE;

/* ---- lower.c */

/* Writes every node. Goes on after a node that cannot be written, so that one run reports them all; what is fed by a
 * failed node is skipped in silence. `outputs` are the names of the heads in the ONNX graph. */
int mx_graph_lower(struct mx_graph *g, struct ox_build *b, const char *const *outputs) MX_MUST_USE;

#endif
