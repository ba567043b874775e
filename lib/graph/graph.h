/* The MXNet graph in memory, in nnvm's own words: nodes, entries (an output of a node), heads. */
#ifndef MX_GRAPH_GRAPH_H
#define MX_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "graph/dim.h"
#include "graph/dtype.h"
#include "graph/shape.h"

struct mx_op;     /* op/op.h */
struct mx_param;  /* read/params.h */
struct mx_custom; /* op/custom.h */
struct mx_node;

/* Output `index` of `node`. */
struct mx_entry {
    struct mx_node *node;
    int index;
};

/* What is known about one output. */
struct mx_value {
    struct mx_shape shape;
    enum mx_dtype dtype;
};

/* An attribute, as text. */
struct mx_attr_text {
    const char *key, *text;
};

enum { MX_MAX_OUTPUTS = 1 << 16 }; /* limit: outputs of a node */

struct mx_node {
    /* Fields that most passes read are kept together: a million nodes do not fit the cache. */
    const struct mx_op *op; /* NULL: a variable, or an unknown operator */
    const char *op_name;    /* as in the file; "null" for a variable */
    const char *name;       /* may be empty or repeated in the file; unique after canon */
    struct mx_entry *in;
    struct mx_value *out;
    int n_in, n_out;
    int id;            /* position in graph->nodes */
    int mark;          /* scratch of the current pass */
    const void *attrs; /* the operator's struct, filled by canon */
    struct mx_attr_text *attr_text;
    struct mx_graph **subgraphs;
    int n_attr_text;
    uint16_t n_subgraphs;
    bool handled : 1;          /* the library does not know the operator, but the caller has a handler for it */
    bool is_preprocessing : 1; /* not in the file: the caller's preprocessing */
    /* variables only */
    int8_t stored;                /* the element type of its value in the file, an enum mx_dtype */
    const struct mx_param *param; /* its value, or NULL for an input */
};

struct mx_graph {
    struct mx_arena *arena; /* the model's */
    struct mx_dims *dims;
    struct mx_diags *diags;
    struct mx_node **nodes; /* topological order; before canon: the file's order */
    int n_nodes;
    struct mx_entry *heads;
    int n_heads;
    struct mx_node **inputs; /* of a subgraph: its variables in file order, as numbered by its node's attributes */
    int n_inputs;
    const struct mx_customs *customs; /* the caller's handlers */
    const char *keep_domain;          /* the domain in which unknown operators are kept; NULL: they are errors */
    bool settled;                     /* canon has decided which heads stay: handlers never change that, values only where it is false */
    bool attached;                    /* canon has resolved each node's operator and attributes, and begun to attach the parameters */
    bool lost_heads;                  /* heads were left out because of labels or training */
    bool needs_labels;                /* canon found no head that does without a label: a label's value would change that */
    bool np_shape;                    /* 0 is a real zero, -1 unknown (attrs.is_np_shape); subgraphs share their parent's */
    int version;                      /* attrs.mxnet_version, 800 if absent */
};

/* Value of an input of a node. */
static inline struct mx_value *mx_in_value(const struct mx_node *n, int i)
{
    return &n->in[i].node->out[n->in[i].index];
}

static inline bool mx_is_variable(const struct mx_node *n)
{
    return !n->op && n->op_name[0] == 'n' && n->op_name[1] == 'u' && n->op_name[2] == 'l' && n->op_name[3] == 'l' && n->op_name[4] == 0;
}

/* The text of an attribute, or NULL. If there are several, the last one counts. */
const char *mx_node_attr_text(const struct mx_node *n, const char *key);
/* True for a key such as "__shape__", which no operator of MXNet reads (dmlc::Parameter, kAllowHidden). */
bool mx_attr_is_hidden(const char *key);
/* Appends an attribute. OUT_OF_MEMORY. */
int mx_node_add_attr(struct mx_arena *a, struct mx_node *n, const char *key, const char *text) MX_MUST_USE;

/* Where a diagnostic about the node is: its name, or for a variable that of an input or parameter. */
struct mx_where mx_at(const struct mx_node *n, const char *attribute);

/* graph/sort.c: topological order of everything that the heads reach, post-order as nnvm's DFSVisit visits
 * (nnvm/include/nnvm/graph.h), control dependencies aside; the rest is dropped. FORMAT on a cycle. Iterative. */
int mx_graph_sort(struct mx_graph *g) MX_MUST_USE;

/* graph/check.c: what holds of a graph after a pass: a node's id is its place, after those of its inputs; output indices are in range;
 * every value has an element type, if the graph is `typed`. INTERNAL with a message if one of these does not hold. */
int mx_graph_check(const struct mx_graph *g, bool typed) MX_MUST_USE;

/* graph/dump.c: the stable text of the graph, one node per line:
 *
 *   conv0 = Convolution(data, conv0_weight) {kernel=(3, 3)} : float32 (1, 8, 30, 30) */
void mx_graph_dump(const struct mx_graph *g, struct mx_str *out);

#endif
