/* The state of the builder: what the rules, the builder and the passes share, for lib/onnx and the walk that lowers a graph. */
#ifndef OX_STATE_H
#define OX_STATE_H

#include "base/diag.h"
#include "onnx/ir/ir.h"
#include "onnx/values/values.h"

/* What the builder remembers, keyed by kind and a 64-bit key. */
enum ox_memo_kind {
    OX_MEMO_FREE,
    OX_MEMO_CONST,  /* hash of a small constant -> its value */
    OX_MEMO_SOURCE, /* leaf of a dim -> value and axis where its size can be read */
    OX_MEMO_SIZE,   /* dim -> int64 (1) value */
    OX_MEMO_SHAPE,  /* value and range of axes -> output of its Shape node */
    OX_MEMO_VECTOR, /* int64 (n) value -> the dims that it holds */
    OX_MEMO_LIST,   /* hash of dims -> their VECTOR */
    OX_MEMO_CAST,   /* value and type -> the value cast to it */
    OX_MEMO_WEIGHT, /* hash of where the elements of a large constant come from -> its value */
};

struct ox_memo {
    uint64_t key;
    const struct ox_graph *graph; /* where the value was made; invalid once that graph is closed; NULL: readable in every graph */
    const mx_dim *dims;           /* VECTOR */
    ox_val value;
    uint8_t kind;  /* enum ox_memo_kind */
    uint16_t axis; /* SOURCE; VECTOR: n */
};

/* A node by its hash: its first output, OX_NONE in a free slot. Small, because every node has one. */
struct ox_written {
    uint32_t hash;
    ox_val value;
};

enum { OX_PAD_RANK = 8 };

struct ox_build {
    struct ox_model *model;
    struct ox_graph *graph; /* where nodes are added: the main graph or a body */
    struct mx_diags *diags;
    const struct mx_node *node;    /* being lowered; NULL outside */
    int status;                    /* sticky, for this node */
    int fatal;                     /* OUT_OF_MEMORY or IO: ends the export */
    enum mx_list_error list_error; /* of the lists of ox_no_dims and so on, for this node; ox_status makes it a status */
    int skipped;                   /* ox_graph_begin calls after a fatal error, to be ended */
    struct mx_arena scratch;       /* of this node */
    struct mx_shape shapes[256];   /* by their hash: the last ones that were made, which others share */
    struct ox_memo *memo;          /* open addressing */
    size_t n_memo, cap_memo;
    struct ox_written *written; /* reuse.c: nodes that may be reused; open addressing */
    size_t n_written, cap_written;
    const struct ox_attr *attrs[OX_OPERATORS]; /* attributes of the last node of each operator; the next one often has the same */
    uint64_t terms;                            /* of products that are computed when written */
    uint64_t held;                             /* bytes of the constants made so far */
    int64_t fold_read;                         /* elements of large constants read for folding */
    int64_t folded;                            /* elements of large constants that were computed (fold.c) */
    int n_parts;                               /* of the first Split without sizes (sections.c); 0: there is none */
    mx_dim pad[MX_MAX_RANK];                   /* the shape of "no value" after an error, which straight-line code may index */
};

int ox_build_init(struct ox_build *b, struct ox_model *m, struct mx_diags *diags) MX_MUST_USE;
void ox_build_free(struct ox_build *b);

/* For the walk: starts a node without errors, in the main graph. */
void ox_begin_node(struct ox_build *b, const struct mx_node *node);
/* The status of the node, or the first fatal one. */
int ox_end_node(struct ox_build *b) MX_MUST_USE;
int ox_status(struct ox_build *b) MX_MUST_USE; /* the same, for a builder that goes on */

/* A graph input, and an initialiser, a parameter's bytes, whose pieces are kept; both named `name`. */
ox_val ox_input(struct ox_build *b, const char *name, enum mx_dtype t, struct mx_shape s);
ox_val ox_param(struct ox_build *b, const char *name, const struct ox_tensor *like);
/* Makes x an output of the main graph under this name. */
void ox_output(struct ox_build *b, ox_val x, const char *name);
/* The walk, after lowering: v is output `index` of n. Dims that the builder left open become those
 * of n. */
void ox_mark_output(struct ox_build *b, ox_val v, const struct mx_node *n, int index);
/* x's dims become sources from which names can be read at run time; done for every value that the builder makes. */
void ox_register_dims(struct ox_build *b, ox_val x);

/* ---- for lib/onnx only */

/* Like ox_fail, for a node that can be written from opset `since` on: the format says what needs it. Unless the opset is exact, the
 * model's `needs` says so. */
void ox_fail_opset(struct ox_build *b, int since, const char *format, ...) MX_PRINTF(3, 4);
/* An invariant of the builder is violated: INTERNAL. */
void ox_broken(struct ox_build *b, const char *format, ...) MX_PRINTF(2, 3);

/* NULL: not remembered. Valid until the next ox_remember. */
const struct ox_memo *ox_recall(struct ox_build *b, enum ox_memo_kind kind, uint64_t key);
/* Keeps it in place of another of its kind and key; nothing if its value is OX_NONE. */
void ox_remember(struct ox_build *b, struct ox_memo memo);
uint64_t ox_dim_key(mx_dim d);

/* NULL if x is OX_NONE. */
static inline const struct ox_value *ox_look(struct ox_build *b, ox_val x)
{
    return x == OX_NONE ? NULL : ox_value_of(b->model, x);
}
ox_val ox_new_value(struct ox_build *b, enum mx_dtype t, struct mx_shape s);
struct mx_shape ox_copy_shape(struct ox_build *b, const mx_dim *dims, int ndim);

/* A requested node before it is put into the graph. in and attrs are copies with room for OX_SPARE more; when the node is kept they are
 * copied again, without spare room. */
struct ox_call {
    struct ox_build *b;
    enum ox_op op;
    const struct ox_schema *schema;   /* of op */
    const struct ox_foreign *foreign; /* for an operator of another domain */
    ox_val *in;
    int n_in;
    struct ox_attr *attrs;
    int n_attrs;
    int n_out;
    enum mx_dtype *dtypes; /* of the outputs */
    struct mx_shape *shapes;
    const struct mx_shape *shape; /* of the output, where the caller knows it; NULL: the rule says it */
};

/* call.c. Room for the lists of most calls. */
enum { OX_FEW_OUTPUTS = 8, OX_FEW_INPUTS = 16, OX_FEW_ATTRS = 24, OX_SPARE = 4 };
struct ox_call_room {
    enum mx_dtype dtypes[OX_FEW_OUTPUTS];
    struct mx_shape shapes[OX_FEW_OUTPUTS];
    ox_val in[OX_FEW_INPUTS];
    struct ox_attr attrs[OX_FEW_ATTRS];
};
/* Derives the other fields from b, op and n_out, and sets the lists; if memory runs out, the builder has failed. */
void ox_open_call(struct ox_call *c, struct ox_call_room *room, const ox_val *in, const struct ox_attr *attrs);
void ox_drop_attr(struct ox_call *c, const char *name);
void ox_add_attr(struct ox_call *c, struct ox_attr attr);
ox_val ox_call_in(const struct ox_call *c, int i);  /* OX_NONE beyond the end */
void ox_set_in(struct ox_call *c, int i, ox_val x); /* i < n_in + OX_SPARE with the n_in of ox_open_call */

/* A constant with equal elements, at most OX_LARGEST_FILL of them. */
ox_val ox_filled(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, double v);
/* For a builder that continues an existing graph: its small constants and casts are reused. */
void ox_remember_constants(struct ox_build *b);
void ox_remember_cast(struct ox_build *b, const struct ox_node *cast);
/* The value that a cast of x to t may read instead: x, or a value from which x was cast losslessly. */
ox_val ox_cast_source(struct ox_build *b, ox_val x, enum mx_dtype t);
/* The numbers or dims in an int64 vector, if they are known: a constant, or made by ox_dims. */
bool ox_vector_dims(struct ox_build *b, ox_val x, struct mx_dim_list *out); /* at most MX_MAX_RANK; they replace those in the list */
mx_dim ox_broadcast_dim(struct mx_dims *t, mx_dim a, mx_dim b);

/* The elements of a small constant, as integers or as doubles. */
struct ox_data {
    enum mx_dtype dtype;
    int ndim;
    const int64_t *dims;
    int64_t count;
    int64_t *i; /* integers and bool */
    double *f;  /* floats */
};
enum {
    OX_SMALL = 4096,          /* limit: elements of a constant that is folded */
    OX_LARGE = 1 << 17,       /* limit: the same where each element depends on one of each operand */
    OX_LARGEST_FILL = 1 << 20 /* limit: elements of one value that are stored; more are written by Expand */
};
/* False if x is not a constant, too large, of an unsuitable type, or unreadable (then the builder failed). */
bool ox_data_read(struct ox_build *b, ox_val x, int64_t max, struct ox_data *out);
bool ox_data_new(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, struct ox_data *out);
void ox_data_free(struct ox_data *d);
ox_val ox_data_value(struct ox_build *b, const struct ox_data *d);

/* view.c: rearranges the data of an initialiser. NULL: not possible as a view. */
const struct ox_tensor *ox_view_reshape(struct ox_build *b, const struct ox_tensor *t, const int64_t *dims, int ndim);
const struct ox_tensor *ox_view_transpose(struct ox_build *b, const struct ox_tensor *t, const int64_t *perm);
/* `count` elements along an axis. */
struct ox_part {
    int64_t start, step, count;
};
/* Of a Slice along an axis. */
struct ox_range {
    int64_t start, end, step;
};
/* Those of an axis of this size, as ONNX takes them. */
struct ox_part ox_part_of(struct ox_range r, int64_t size);
const struct ox_tensor *ox_view_slice(struct ox_build *b, const struct ox_tensor *t, int axis, struct ox_part part);
const struct ox_tensor *ox_view_concat(struct ox_build *b, const struct ox_tensor *const *t, int n, int axis);
const struct ox_tensor *ox_view_expand(struct ox_build *b, const struct ox_tensor *t, const int64_t *dims, int ndim);
bool ox_is_repeatable(const struct ox_tensor *t); /* a single number: repeated, it costs no memory */
/* The strides, in elements, of dims without gaps. */
void ox_row_major(const int64_t *dims, int ndim, int64_t *strides);
const struct ox_tensor *ox_view_cast(struct ox_build *b, const struct ox_tensor *t, enum mx_dtype to);
/* A copy of the tensor with its own dims and strides, and its own piece if it has one; NULL: the builder has failed. */
struct ox_tensor *ox_new_tensor(struct ox_build *b, struct ox_tensor like);
/* Such a tensor of one piece. */
const struct ox_tensor *ox_piece_tensor(struct ox_build *b, enum mx_dtype t, const int64_t *dims, int ndim, struct ox_piece piece);
ox_val ox_tensor_value(struct ox_build *b, const struct ox_tensor *t);
ox_val ox_weight(struct ox_build *b, const struct ox_tensor *t); /* the same; an equal one that is remembered is reused */
void ox_remember_weight(struct ox_build *b, ox_val x);
static inline const struct ox_tensor *ox_tensor_of(struct ox_build *b, ox_val x) /* NULL: not an initialiser */
{
    return ox_value_of(b->model, x)->tensor;
}
int64_t ox_count(const int64_t *dims, int ndim); /* mx_elements; -1 if they are too many */
/* ox_count of a constant, which fails the builder if they are too many: next to a size of 0, other sizes count as well. */
int64_t ox_constant_count(struct ox_build *b, const int64_t *dims, int ndim);
bool ox_lossless(enum mx_dtype a, enum mx_dtype b);                         /* b represents every value of type a exactly */
bool ox_tensor_is(struct ox_build *b, const struct ox_tensor *t, double v); /* every element is v; t is small or a fill */

/* A value for the constant t, made once: of small ones in memory the elements are compared, of others where the elements come from. */
ox_val ox_moved(struct ox_build *b, const struct ox_tensor *t);

bool ox_shapes_equal(struct ox_build *b, struct mx_shape x, struct mx_shape y);
/* True for 0..MX_MAX_RANK; otherwise the builder has failed. Every value and every constant is checked by it, so that no function of the
 * builder sees a higher rank. */
bool ox_rank_possible(struct ox_build *b, int ndim);
struct mx_shape ox_shape_of_ints(struct ox_build *b, const int64_t *dims, int ndim);

#endif
