/* The ONNX graph in memory between lowering and writing: values, nodes, tensors. Everything lives in the export's
 * arena. Value numbers index values[]; 0 is "no value". */
#ifndef OX_IR_H
#define OX_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/io.h"
#include "graph/dtype.h"
#include "graph/shape.h"
#include "onnx/schema/op.h"
#include "onnx/schema/value.h"

struct mx_diags;
struct ox_node;
struct ox_tensor;

/* Rows of a float tensor, each element multiplied by its row's factor, in binary32; or as int8: also multiplied by its row's scale,
 * rounded half to even and saturated. */
struct ox_rows {
    const struct ox_tensor *of;  /* without a scale it must be float32 */
    uint64_t row;                /* elements per row */
    const float *factor, *scale; /* one for each row; no scale: NULL */
    uint64_t cycle, group;       /* or: `cycle` factors in turn for `group` rows, the next ones for the next rows */
};

/* left (m, k) times right (k, n), plus the bias for each row, all float32; summed in binary64, rounded once. */
struct ox_product {
    const struct ox_tensor *left, *right, *bias; /* no bias: NULL */
    uint64_t k, n;
    bool turned;              /* right is stored as (n, k) */
    struct mx_budget *budget; /* charged for the work */
};

/* Elements given by a formula: an identity matrix, a range, anchors. */
struct ox_formula {
    ox_element_fn at;
    const void *spec;
    struct mx_budget *budget;
};

/* A piece of a tensor's data, in byte order. Graphs may have a million of them. */
struct ox_piece {
    enum { OX_PIECE_RANGE, OX_PIECE_BYTES, OX_PIECE_FILL, OX_PIECE_FORMULA, OX_PIECE_ROWS, OX_PIECE_PRODUCT } kind;
    enum mx_dtype stored; /* RANGE, FORMULA: the stored element type, always set; converted if it differs from the tensor's */
    uint64_t length;      /* bytes of this piece: for a RANGE or FORMULA as stored, otherwise as written */
    uint64_t offset;      /* RANGE: in the file; FORMULA: index of the first element */
    uint64_t first;       /* elements of the tensor before this piece */
    union {
        struct mx_source *source; /* RANGE: [offset, offset + length) of a parameter file */
        const uint8_t *bytes;     /* BYTES; FILL: one element, repeated */
        const struct ox_formula *formula;
        const struct ox_rows *rows;       /* ROWS: the whole tensor's, never a part */
        const struct ox_product *product; /* PRODUCT: likewise */
    };
};

/* An error of MX_IO while a tensor is read. */
#define OX_UNREAD                                                                                                                          \
    "the values of a parameter cannot be read: its file was changed, shortened or removed, or its read callback returned an error"

/* An initialiser: its data consist of pieces (a split, a concatenation or ones cost no memory), or are a strided view of another tensor
 * (a transposed or sliced weight), read element by element when written. */
struct ox_tensor {
    enum mx_dtype dtype;
    int ndim;
    const int64_t *dims;
    int n_pieces;
    bool clamp; /* conversion from float32 to float16 creates no infinities and no zeros */
    /* view: element (i0, i1, ...) is base's flat element start + sum(i_k * stride_k), converted to dtype. A view of a view works but is
     * read one element at a time: compose them if possible. */
    const struct ox_tensor *base; /* NULL: it has pieces, which a view does not have */
    int64_t start;
    union {
        const struct ox_piece *pieces;
        const int64_t *strides;
    };
};

struct ox_value {
    struct mx_shape shape;
    const char *name;               /* set by names.c; before, the wanted name: for inputs, parameters and outputs of MXNet nodes */
    struct ox_node *producer;       /* NULL: graph input, initialiser or body input */
    const struct ox_tensor *tensor; /* initialiser */
    int uses;                       /* counted by finish */
    enum mx_dtype dtype : 8;
    bool is_input : 1, is_output : 1, dead : 1;
    /* Set by names.c. */
    bool named : 1;    /* `name` is final */
    bool is_param : 1; /* an initialiser that came with its own name */
    bool folded : 1;   /* an initialiser computed from MXNet nodes; it gets their name only if that is free */
};

struct ox_foreign {
    const char *domain, *type;
};

struct ox_node {
    const struct ox_foreign *foreign; /* for an operator that is not ONNX's own; otherwise NULL */
    const char *name;
    const struct mx_node *from; /* the MXNet node that it belongs to; NULL for shape arithmetic */
    ox_val *in, *out;           /* its own; attributes may be shared */
    int n_in, n_out;
    const struct ox_attr *attrs; /* ended by OX_A_END; NULL: none */
    struct ox_graph *graph;      /* to which it belongs */
    enum ox_op op;               /* OX_FOREIGN: see `foreign` */
    bool dead;
};

/* True if a node of g produces v. */
static inline bool ox_made_in(const struct ox_value *v, const struct ox_graph *g)
{
    return v->producer && v->producer->graph == g;
}

/* "Conv", or the type in another domain. */
static inline const char *ox_node_type(const struct ox_node *n)
{
    return n->foreign ? n->foreign->type : ox_op_name(n->op);
}

/* True if n is an ONNX operator of this type in the default domain; n may be NULL. */
static inline bool ox_node_is(const struct ox_node *n, enum ox_op op)
{
    return n && !n->dead && n->op == op;
}
static inline bool ox_node_in(const struct ox_node *n, const enum ox_op *list)
{
    return n && !n->dead && ox_op_in(n->op, list);
}

struct ox_graph {
    const char *name;
    struct ox_graph *outer; /* of a body */
    struct ox_node **nodes;
    int n_nodes, cap_nodes;
    ox_val *inputs, *outputs;
    int n_inputs, n_outputs, cap_inputs, cap_outputs;
    bool closed;               /* a finished body: its values cannot be read any more */
    const char **output_names; /* of the main graph, parallel to outputs: the names requested with ox_output */
};

/* What the model does to an input before anything else: (x - 127.5) * 0.0078125. */
struct ox_input_note {
    ox_val input;
    const char *text;
    struct ox_input_note *next;
};

struct ox_model {
    struct mx_arena arena; /* the export's */
    struct mx_diags *diags;
    struct mx_dims *dims;
    int opset;
    int newest;                      /* the newest opset that may be chosen instead; 0: `opset` is exact */
    int needs;                       /* the newest opset that a refused node needs, up to `newest`; 0: none was refused for its opset */
    const struct mx_node *needs_for; /* the first such node; NULL: none */
    int ir_version;
    bool seeded; /* random nodes get seed, seed + 1, ... */
    int32_t seed;
    const struct ox_target *target;    /* NULL: ONNX Runtime */
    bool trust_indices;                /* they are known to be in range */
    bool zero_sizes;                   /* MXNet has results for sizes of 0: the symbol uses NumPy shapes */
    bool clamp;                        /* constants and parameters that become float16 are clamped */
    struct ox_input_note *input_notes; /* inputs.c */
    bool node_metadata;                /* each node says from which MXNet node it comes */
    bool fold_input_scale;             /* a factor of an input may go into the weights of the convolution that reads it */
    struct ox_value *values;           /* on the heap, grows */
    int n_values;
    size_t cap_values;
    struct ox_graph main;
};

/* The builder makes value OX_NONE first: it has no type, shape, producer and tensor. */
static inline struct ox_value *ox_value_of(struct ox_model *m, ox_val v)
{
    return &m->values[v];
}

/* Attributes, which may be NULL: none. They have the kinds that ONNX says: ops/ writes them so, and ox_check_given_attrs checks those of
 * handlers. */
int ox_count_attrs(const struct ox_attr *attrs);
/* A list of the same attributes, with room for `spare` more; what they point to is not copied. NULL when memory runs out. */
struct ox_attr *ox_copy_attrs(struct mx_arena *a, const struct ox_attr *attrs, int spare);
const struct ox_attr *ox_find_attr(const struct ox_attr *attrs, const char *name);
int64_t ox_attr_int(const struct ox_attr *attrs, const char *name, int64_t missing);
const char *ox_attr_string(const struct ox_attr *attrs, const char *name, const char *missing);
const int64_t *ox_attr_ints(const struct ox_attr *attrs, const char *name, int *n); /* NULL if missing */

/* The size of a tensor in bytes. */
uint64_t ox_tensor_bytes(const struct ox_tensor *t);

/* ir/graph.c. Adds a value with known type and shape; OX_NONE when memory runs out. */
ox_val ox_add_value(struct ox_model *m, enum mx_dtype t, struct mx_shape s);
/* Adds a node at the end of g: a copy of `like` with its own inputs and like->n_out new outputs. NULL when memory runs out. */
struct ox_node *ox_add_node(struct ox_model *m, struct ox_graph *g, const struct ox_node *like, const enum mx_dtype *types,
                            const struct mx_shape *shapes);
/* Makes room for another element in a list of the model's arena; `list` points to it. */
int ox_grow_list(struct ox_model *m, void *list, int count, int *capacity, size_t size) MX_MUST_USE;
/* Adds a node at the end of g. */
int ox_push_node(struct ox_model *m, struct ox_graph *g, struct ox_node *n) MX_MUST_USE;

/* Changes of a graph whose reads are counted, which they keep right. */
/* Gives n copies of these inputs, in place of those that it has. What it read dies if nothing else reads it. */
int ox_set_inputs(struct ox_model *m, struct ox_node *n, const ox_val *in, int n_in) MX_MUST_USE;
/* n produces x, which another node produced, and nothing else. */
int ox_set_result(struct ox_model *m, struct ox_node *n, ox_val x) MX_MUST_USE;
/* Marks n as dead: it reads nothing any more. */
void ox_remove_node(struct ox_model *m, struct ox_node *n);

/* Iterates over the bodies of a node: for (int at = 0; (body = ox_next_body(n, &at)) != NULL;) */
struct ox_graph *ox_next_body(const struct ox_node *n, int *at);
enum { OX_MAX_DEPTH = 16 }; /* of nested bodies */
/* Calls fn for the main graph, then for the bodies of its nodes and of theirs; stops at an error. */
typedef int ox_graph_fn(struct ox_model *m, struct ox_graph *g, void *user);
int ox_each_graph(struct ox_model *m, ox_graph_fn *fn, void *user);
/* ir/graph.c. Marks v as output `index` of the MXNet node n: it requests that node's name (followed by the index if n has several
 * outputs), and so does the ONNX node that produces output 0. A value that was passed through keeps its name. */
int ox_result(struct ox_model *m, ox_val v, const struct mx_node *n, int index) MX_MUST_USE;
/* Removes nodes marked as dead from their graphs. */
void ox_drop_dead(struct ox_model *m);

/* write/dump.c: the stable text, one node per line:
 *   conv0 = Conv(data, conv0_weight) {strides=[1, 1]} : float32 (1, 8, 30, 30) */
void ox_dump(struct ox_model *m, struct mx_str *out);

#endif
