/* The steps between reading and writing. Each takes the whole graph and leaves it checked.
 *
 *     canon   the file's graph to operators with parsed attributes; labels and training-only parts are removed
 *     infer   shapes and element types of every value
 *     preprocess  preprocessing after an input
 *     halve   float32 to float16, if chosen
 *     lower   every node to ONNX through the builder
 */
#ifndef MX_PASS_PASS_H
#define MX_PASS_PASS_H

#include "base/map.h"
#include "graph/graph.h"
#include "onnx/builder/internal.h"
#include "read/params.h"

/* ---- canon.c
 * In order: the nodes that the heads reach are sorted; edges to labels are cut (MX_UNREAD); heads that need a training-only node, and
 * losses that need a label, are removed if others remain; all operators that the library does not know are reported, then UNSUPPORTED;
 * attributes are parsed, input counts and output indices checked; variables get their parameters; empty names are invented and repeated
 * ones made unique. */
int mx_graph_canon(struct mx_graph *g, const struct mx_params *params) MX_MUST_USE;

/* ---- infer.c */

/* The caller's choices for an input, or for an output of a node whose operator is unknown: "NODE", "NODE_output1". The passes get a map
 * from names to these. */
struct mx_input_choice {
    const char *name;
    bool of_node;                 /* of an output, which has a shape and a type alone */
    bool used;                    /* set by inference, of those of outputs: the graph has the output */
    struct mx_input_choice *next; /* of those of outputs */
    bool counts;                  /* something is chosen here: not all of it was taken back */
    int ndim;                     /* -1: not given */
    int64_t *dims;                /* -1: left to inference */
    const char **dim_names;       /* NULL: not named; a name wins over a number */
    struct mx_arena_text *dim_texts;
    int room;            /* axes for which these three have room */
    enum mx_dtype dtype; /* MX_DTYPE_NONE: not given */
    /* Preprocessing after the input, in this order (preprocess.c); shape and names above are the net's. */
    bool channels_last, channels_reversed;
    double *mean, *scale;
    size_t n_mean, n_scale;       /* 0: none; 1: for all channels */
    size_t mean_room, scale_room; /* in bytes */
};

/* True if something is chosen for this variable. */
bool mx_input_is_chosen(const struct mx_map *choices, const struct mx_node *v);

/* missing.c: marks variables that are read as weights or auxiliary states only and that are not declared as inputs. */
void mx_graph_mark_weights(struct mx_graph *g, const struct mx_map *choices);
/* Reports all of them that have no value in one error. */
int mx_graph_check_missing(struct mx_graph *g, const struct mx_params *params, const struct mx_map *choices) MX_MUST_USE;

/* Applies the operators' rules in sweeps, forward and backward, until nothing changes. Dims of inputs that are then still open get a
 * name ("batch" for axis 0, otherwise "data_dim2"), open types become float32, and the sweeps continue. After a fault the graph has the
 * shapes that can be known in spite of it. */
int mx_graph_infer(struct mx_graph *g, const struct mx_map *choices) MX_MUST_USE;
/* What the rules find without names for open dims, with float32 for open types, where nodes whose rules fail are passed over without a
 * message, since it was given or will be: for a graph that is only looked at. choices NULL: the inputs are declared already. */
int mx_graph_infer_known(struct mx_graph *g, const struct mx_map *choices) MX_MUST_USE;

/* ---- open_input.c */

/* Reports that the shape of an input is not known. If `look`, the help has what the first layer says of it. */
int mx_graph_fail_open(struct mx_graph *g, const struct mx_node *v, bool look) MX_MUST_USE;

/* ---- copies.c */

/* The arrays whose bytes, type, dims and kind ("weight" of "decoder.weight") are those of another one, because layers share it: up to
 * `most`, by name. */
int mx_params_find_copies(const struct mx_params *params, size_t most, struct mx_arena *arena, struct mx_map *copies) MX_MUST_USE;

/* ---- gates.c */

/* Gives the variables of recurrent layers that have no value the arrays that the files have gate by gate, in params->joined. With
 * `choices` it only warns of gates that are not all there, or do not fit, unless the variable is a chosen input. */
int mx_graph_join_gates(const struct mx_graph *g, struct mx_params *params, const struct mx_map *choices) MX_MUST_USE;
/* True for the names of such variables and arrays, and few others. */
bool mx_may_be_joined(const char *name);

/* ---- match_names.c */

/* Matches the arrays of a file with structural names to the variables of a canonical graph, which is of no use afterwards, and stores the
 * result in params->matched. MISSING_PARAMETER if something fits nothing, or is ambiguous. */
int mx_graph_match_names(struct mx_graph *g, struct mx_params *params, const struct mx_map *choices) MX_MUST_USE;

/* ---- preprocess.c */

/* After inference. The choices must live as long as the graph. */
int mx_graph_preprocess(struct mx_graph *g, const struct mx_map *choices) MX_MUST_USE;
/* True if such a node is wanted. */
bool mx_input_preprocesses(const struct mx_input_choice *c);
/* The type chosen for the net's side of an input: integer pixels are normalised to floats. */
enum mx_dtype mx_input_net_dtype(const struct mx_input_choice *choice);

/* ---- float16.c */

/* Choices to keep nodes float32, or to convert them although the library would keep them: a single node by its name, or all nodes of an
 * operator. */
struct mx_half_choice {
    const char *name;
    const char *op_name; /* the operator's name in the table, if `name` is one of its names; otherwise `name` */
    int precision;       /* MX2ONNX_PRECISION_...; AUTO: taken back */
    uint64_t order;      /* of several that apply to a node the last one counts */
    struct mx_half_choice *next;
};

struct mx_half_options {
    const struct mx_op *cast;       /* put between the types: amp_cast, as in MXNet's own conversion */
    bool keep_io;                   /* inputs and outputs of the model keep their type */
    struct mx_half_choice *choices; /* a list, each name once */
};

/* After inference: sets types to float16 and adds casts to the graph. */
int mx_graph_halve(struct mx_graph *g, const struct mx_half_options *options) MX_MUST_USE;

/* ---- lower.c */

/* Writes every node. Continues after a node that cannot be written, so that one run reports them all; nodes that depend on a failed one
 * are skipped silently. `variables`, by the ids of nodes, and `outputs` are the names of variables and heads in the ONNX graph. */
int mx_graph_lower(struct mx_graph *g, struct ox_build *b, const char *const *variables, const char *const *outputs) MX_MUST_USE;

#endif
