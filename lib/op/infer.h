/* Functions for an operator's `infer`. Rules state facts ("input 1 has this shape", "output 0 has input 0's type"); a fact works in
 * both directions, since an unknown dim is bound by whichever rule knows it (graph/dim.h).
 *
 * Every function returning int returns MX_OK, MX_LATER or an error that is already recorded: wrap it in MX_TRY. */
#ifndef MX_OP_INFER_H
#define MX_OP_INFER_H

#include "graph/graph.h"
#include "op/attr.h"

enum { MX_NOTED_NAMES = 8 };

struct mx_infer {
    const struct mx_node *node;
    const void *attrs; /* the operator's struct */
    struct mx_graph *graph;
    struct mx_dims *dims; /* for mx_dim_* */
    struct mx_arena *arena;
    struct mx_arena *scratch;        /* cleared after each node */
    enum mx_list_error list_error;   /* of the lists of mx_no_dims and mx_no_ints; looked at when the rule returns */
    bool changed;                    /* some fact was new */
    bool advised;                    /* a note had the help that the next ones would repeat */
    mx_dim noted[MX_NOTED_NAMES][2]; /* pairs of names that have a note: they must be equal */
    int n_noted;
    const bool *yields; /* by input, NULL for none: its type becomes the one that the rule states, as that of a parameter does */
    /* The last round: what is unknown now will stay unknown. MX_LATER then becomes an error that names the open input. */
    bool last;
    bool open_input; /* in the last round: an input's rank is unknown, which is the error to report */
    bool needs_rank; /* set by the rule of an operator that any_rank describes, for a node that is written by its rank */
};

/* Runs the rule of c->node. Also MX_LATER while the type of an input or output is unknown: a rule need not check for that. */
int mx_infer_node(struct mx_infer *c) MX_MUST_USE;

/* ---- shapes */

/* Empty lists; a list with too many elements is an error of the node. */
static inline struct mx_dim_list mx_no_dims(struct mx_infer *c)
{
    return mx_dim_list(&c->list_error);
}

static inline struct mx_int_list mx_no_ints(struct mx_infer *c)
{
    return mx_int_list(&c->list_error);
}

/* A list of s's dims, none if its rank is unknown. */
static inline struct mx_dim_list mx_dims_like(struct mx_infer *c, struct mx_shape s)
{
    struct mx_dim_list l = mx_no_dims(c);
    mx_push_dims(&l, s.dims, s.ndim);
    return l;
}

/* Dim i of s; an error of the node and 1 if there is none. For an index that depends on a number of the file. */
static inline mx_dim mx_shape_at(struct mx_infer *c, struct mx_shape s, int64_t i)
{
    if (i >= 0 && i < s.ndim) {
        return s.dims[i];
    }
    mx_list_fail(&c->list_error, MX_LIST_OUTSIDE);
    return mx_dim_of(1);
}

/* The input's shape, or MX_LATER while its rank is unknown. Dims may still be unknown ones. */
int mx_input(struct mx_infer *c, int i, struct mx_shape *out) MX_MUST_USE;
/* The same, stating that the rank is `ndim`: an unknown rank becomes known. Error if the rank differs. */
int mx_input_rank(struct mx_infer *c, int i, int ndim, struct mx_shape *out) MX_MUST_USE;
/* The input's shape; an error if it has fewer than `ndim` dimensions. */
int mx_input_at_least(struct mx_infer *c, int i, int ndim, struct mx_shape *out) MX_MUST_USE;
/* The shape of matrices in the last two dimensions, stating that these are equal. */
int mx_input_square(struct mx_infer *c, int i, struct mx_shape *out) MX_MUST_USE;
/* The shape of matrices; an error if they are known to have more rows than columns. */
int mx_input_wide(struct mx_infer *c, int i, struct mx_shape *out) MX_MUST_USE;
/* States the input's shape. Error naming both shapes if they differ. */
int mx_input_is(struct mx_infer *c, int i, struct mx_shape s) MX_MUST_USE;
int mx_input_is_dims(struct mx_infer *c, int i, const mx_dim *dims, int ndim) MX_MUST_USE;
/* States the output's shape. Error also for more than MX_MAX_RANK dims, so a rule need not count them. */
int mx_output_is(struct mx_infer *c, int i, struct mx_shape s) MX_MUST_USE;
int mx_output_is_dims(struct mx_infer *c, int i, const mx_dim *dims, int ndim) MX_MUST_USE;
/* States that input `in` and output `out` have the same shape. */
int mx_same_shape(struct mx_infer *c, int in, int out) MX_MUST_USE;
/* The output's shape as far as it is known from its consumers; the rank may be -1. */
struct mx_shape mx_output(struct mx_infer *c, int i);
/* A size that is known only at run time, on an axis of an output of this rank: the same dim in each round. */
mx_dim mx_open_dim(struct mx_infer *c, int i, int ndim, int axis);

/* States that two dims are equal. `what` names them in the error: "channels". */
int mx_same_dim(struct mx_infer *c, mx_dim a, mx_dim b, const char *what) MX_MUST_USE;
/* The same of the channels of a convolution, whose error says how to write the sizes of the input. */
int mx_same_channels(struct mx_infer *c, mx_dim data, mx_dim weight) MX_MUST_USE;
/* The number, MX_LATER while it may still become known, or an error "fix the size of axis 2 of input 'data'". */
int mx_number(struct mx_infer *c, mx_dim d, const char *what, int64_t *out) MX_MUST_USE;
/* Converts an axis to 0..ndim-1; negative counts from the end. Error naming the attribute. */
int mx_axis(struct mx_infer *c, int64_t axis, int ndim, const char *attribute, int *out) MX_MUST_USE;
/* Error naming the attribute unless each axis of the tuple exists and is listed once. */
int mx_check_axes(struct mx_infer *c, struct mx_tuple axes, int ndim, const char *attribute) MX_MUST_USE;
/* The same for NumPy's reductions, which accept axis 0 or -1 of a scalar. */
int mx_check_axes_of_any(struct mx_infer *c, struct mx_tuple axes, int ndim, const char *attribute) MX_MUST_USE;
/* The set of the tuple's axes as far as they exist; all for None. */
struct mx_axes mx_tuple_axes(struct mx_tuple axes, int ndim);
/* Appends the dims of a reduction's output: the axes of the set are left out, or have size 1. */
void mx_push_reduced(struct mx_dim_list *dims, struct mx_shape s, struct mx_axes reduced, bool keepdims);
/* A list of these dims; (1) where they are none, since MXNet had no scalars before NumPy's operators. */
struct mx_dim_list mx_reduced(struct mx_infer *c, struct mx_shape s, struct mx_axes reduced, bool keepdims);
/* Fails if one of the axes is empty, which has no greatest element. */
int mx_refuse_empty(struct mx_infer *c, struct mx_shape s, struct mx_axes axes);
/* Errors that name the attribute unless its value is positive, is `low` to `high`, is 0 to 1. */
int mx_positive(struct mx_infer *c, const char *attribute, int64_t value) MX_MUST_USE;
int mx_within(struct mx_infer *c, const char *attribute, int64_t value, int64_t low, int64_t high) MX_MUST_USE;
int mx_fraction(struct mx_infer *c, const char *attribute, double value) MX_MUST_USE;
/* An error unless the size, which the attribute holds, is `least` to 2^31 - 1. */
int mx_check_size(struct mx_infer *c, const char *attribute, int64_t size, int least) MX_MUST_USE;

/* An error that states the rule unless the attribute has two numbers, `least` or more each. */
int mx_check_pair(struct mx_infer *c, const char *attribute, struct mx_tuple pair, int64_t least, const char *rule) MX_MUST_USE;

/* ---- element types */

enum mx_dtype mx_input_dtype(struct mx_infer *c, int i); /* MX_DTYPE_NONE while unknown */
enum mx_dtype mx_output_dtype(struct mx_infer *c, int i);
int mx_inputs_typed(struct mx_infer *c) MX_MUST_USE; /* MX_LATER while the type of an input is unknown */
/* Rejects the node if input i, called so, has a type other than a float's, with which MXNet ends. */
int mx_input_is_float(struct mx_infer *c, int i, const char *name) MX_MUST_USE;
int mx_input_dtype_is(struct mx_infer *c, int i, enum mx_dtype t) MX_MUST_USE; /* NONE states nothing */
int mx_output_dtype_is(struct mx_infer *c, int i, enum mx_dtype t) MX_MUST_USE;
/* Error unless the attribute `dtype` is an element type, and not None. */
int mx_check_dtype(struct mx_infer *c, enum mx_dtype dtype) MX_MUST_USE;
/* All inputs first..last (-1: the last input) and output 0 have the same type. The usual rule. A parameter whose stored type differs is
 * converted, as Module.set_params does. */
int mx_same_dtype(struct mx_infer *c, int first, int last) MX_MUST_USE;

/* ---- complete rules shared by many operators (op/rules.c); each states all shapes and types */

/* One input, or several equal ones; the output has its shape and type. */
int mx_infer_same(struct mx_infer *c);
/* Inputs of one type that broadcast as in NumPy. */
int mx_infer_broadcast(struct mx_infer *c);
/* A tensor and a number, the attribute `scalar` (MX_SCALAR_ATTRS). */
int mx_infer_scalar(struct mx_infer *c);

/* ---- bodies: the subgraphs of control flow, whose inputs are numbered in file order */

/* The value of input i, or of head i, of subgraph k. The rule has checked that there is one. */
struct mx_value *mx_body_input(struct mx_infer *c, int k, int64_t i);
struct mx_value *mx_body_head(struct mx_infer *c, int k, int64_t i);
/* States that two values have the same shape and type. */
int mx_same_value(struct mx_infer *c, struct mx_value *a, struct mx_value *b) MX_MUST_USE;
/* Output i consists of head i of subgraph k, `rows` times, stacked on a new axis 0. */
int mx_infer_stacked(struct mx_infer *c, int k, int i, mx_dim rows) MX_MUST_USE;
/* Runs the rules of subgraph k until nothing changes (pass/infer.c). */
int mx_infer_body(struct mx_infer *c, int k) MX_MUST_USE;
/* The same for a subgraph whose head 0 is a condition: one element (src/operator/subgraph_op_common.cc, as_bool_scalar). */
int mx_infer_condition(struct mx_infer *c, int k) MX_MUST_USE;

/* n_in inputs from `in` on and n_out outputs from `out` on are ends of quantised tensors' ranges: float32 (1). */
int mx_infer_ranges(struct mx_infer *c, int in, int n_in, int out, int n_out);

/* ---- errors */

/* Records an error at the node and returns its status. The attribute may be NULL; what follows MX_HELP in the format is
 * the advice (base/diag.h). */
int mx_infer_fail(struct mx_infer *c, const char *attribute, const char *format, ...) MX_PRINTF(3, 4);
/* mx_infer_fail with the attribute's text from the file, for rules about several of its numbers: 'NAME is TEXT, but must be RULE'. */
int mx_infer_fail_attr(struct mx_infer *c, const char *attribute, const char *rule);
/* mx_infer_fail for valid input that exceeds a limit (LIMITS.md): TOO_LARGE. */
#define mx_infer_too_large(c, attribute, ...) mx_fail((c)->graph->diags, MX_TOO_LARGE, mx_at((c)->node, attribute), __VA_ARGS__)

/* True if the graph was saved by MXNet 2. Some operators have a different meaning there under their old name. */
static inline bool mx_is_mxnet2(const struct mx_infer *c)
{
    return c->graph->version >= 20000;
}

/* An error if an operator would create too many elements, rows x columns. The cost is limited where they are written; this keeps
 * numbers in range. The attribute may be NULL. */
int mx_made_size(struct mx_infer *c, const char *attribute, int64_t rows, int64_t columns) MX_MUST_USE;
/* States that a dim is broadcast to another one: they are equal, or `from` is 1. */
int mx_stretch(struct mx_infer *c, mx_dim from, mx_dim to) MX_MUST_USE;
int mx_broadcast_shapes(struct mx_infer *c, struct mx_shape a, struct mx_shape b, struct mx_shape *out) MX_MUST_USE;
/* States that output 0 has the shape to which all inputs broadcast. */
int mx_broadcast_inputs(struct mx_infer *c) MX_MUST_USE;

#endif
