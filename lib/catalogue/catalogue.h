/* The catalogue of published nets: graphs without weights, from which a symbol is made for parameter files that lack one. README.md
 * describes the format. */
#ifndef MX_CATALOGUE_H
#define MX_CATALOGUE_H

#include "base/diag.h"
#include "base/str.h"
#include "catalogue/bytes.h"
#include "read/params.h"

/* The sizes that a graph leaves open. A turn is the index of a repetition, and exists only in a repeated block. */
enum mx_size { MX_SIZE_CLASSES, MX_SIZE_CROP, MX_SIZE_SEGMENTS, MX_SIZE_VOCABULARY, MX_SIZES, MX_SIZE_TURN = MX_SIZES };
extern const char *const mx_size_names[MX_SIZES];

struct mx_sizes {
    int64_t of[MX_SIZES + 1]; /* 0: unknown */
};

/* (a * size + b) / k, which must have no remainder; a plain number has a = 0 and k = 1. */
struct mx_number {
    uint8_t size; /* enum mx_size */
    int64_t a, b, k;
};
/* False if there is a remainder, the result exceeds int32, or the size is unknown. */
struct mx_number mx_read_number(struct mx_bytes *in);
bool mx_number_value(const struct mx_number *n, const struct mx_sizes *sizes, int64_t *out);

struct mx_piece { /* of text: not ended by NUL */
    const char *text;
    size_t length;
};

struct mx_kind { /* of node: an operator with its attributes */
    uint32_t op, n_attrs, n_subgraphs;
    const uint32_t *attrs; /* keys and values alternately: strings */
};

struct mx_net_shape {
    uint32_t rank;
    const struct mx_number *dims;
};

struct mx_net_graph {
    const uint8_t *begin, *end;
    uint32_t n_params, n_names; /* parameters that are read; names that a file may use for them */
    uint32_t meaning;           /* equal for graphs that compute the same, apart from what only training reads */
};

struct mx_net_input { /* its shape, 0 for any size */
    const struct mx_net_shape *needed, *published;
};

enum { MX_NET_SUBGRAPHS = 2 };
/* A name under which a net was published. */
struct mx_net {
    const char *name, *source; /* "resnet18_v1", "GluonCV 0.10.5" */
    uint32_t graph;
    struct mx_sizes sizes; /* as published */
    size_t n_inputs;
    struct mx_net_input *inputs;
    const char *mean, *std; /* "0.485,0.456,0.406", for images between 0 and 1; "" if there are none */
};

struct mx_catalogue {
    struct mx_arena arena;
    struct mx_diags *diags;
    struct mx_source *source; /* the unpacked bytes */
    struct mx_source *file;   /* as it was opened */
    struct mx_piece *strings;
    struct mx_kind *kinds;
    struct mx_net_shape *shapes;
    struct mx_net_graph *graphs;
    struct mx_net *nets; /* in order of names */
    size_t n_strings, n_kinds, n_shapes, n_graphs, n_nets;
};

/* True if the library has one. */
bool mx_catalogue_is_there(void);
/* The catalogue in the library; UNSUPPORTED if it was built without one. The arena's budget is the caller's. */
int mx_catalogue_open(struct mx_catalogue *c) MX_MUST_USE;
/* The catalogue in a file, which is taken over, even on an error. */
int mx_catalogue_open_source(struct mx_catalogue *c, struct mx_source *source, const char *label) MX_MUST_USE;
/* The same unpacked, in memory. */
int mx_catalogue_open_bytes(struct mx_catalogue *c, struct mx_source *bytes, const char *label) MX_MUST_USE;
void mx_catalogue_close(struct mx_catalogue *c); /* a zeroed one is allowed */
bool mx_catalogue_is_open(const struct mx_catalogue *c);
int mx_catalogue_damaged(const struct mx_catalogue *c) MX_MUST_USE;

/* ---- walk.c: a graph, node by node */

enum { MX_NAME_PARTS = 48, MX_NAME_MAX = 512 };
/* A name as the parts that form it. */
struct mx_net_name {
    uint32_t parts[MX_NAME_PARTS], n;
};

enum mx_walk_kind { MX_WALK_END, MX_WALK_PARAM, MX_WALK_INPUT, MX_WALK_NODE, MX_WALK_EXTRA };

enum { MX_NET_ALIASES = 4 };
/* A position in a graph. After mx_walk_next, the fields that belong to the node's kind are set. A copy is an independent position. */
struct mx_walk {
    const struct mx_catalogue *c;
    struct mx_bytes in;
    size_t n_nodes, place; /* number of nodes in the template, and the next one */
    size_t start, length;  /* of the repeated block; length 0: none */
    struct mx_number count;
    uint32_t prefix;                               /* parts with which all names of parameters begin: the net's own prefix */
    struct mx_net_name name;                       /* of the node */
    struct mx_net_name structures[MX_NET_ALIASES]; /* for a parameter: its names in save_parameters, usually one */
    uint32_t n_structures;
    const struct mx_net_shape *shape; /* of a parameter */
    const struct mx_kind *kind;
    struct mx_bytes references; /* of a node, beginning with their number, followed by its subgraphs */
    struct mx_bytes heads;      /* of the graph, once its nodes are read */
    size_t extras;
};

/* False if the graph is damaged. */
bool mx_walk_begin(struct mx_walk *w, const struct mx_catalogue *c, size_t graph);
/* All nodes, then the parameters that the graph does not read. Damaged bytes, and a name of MX_NAME_MAX bytes or more, end it and set
 * w->in.failed. */
enum mx_walk_kind mx_walk_next(struct mx_walk *w);

/* An input of a node, or a head. */
struct mx_reference {
    size_t to; /* position in the template */
    uint32_t output;
    bool every; /* each turn of the block, one after the other */
};
/* From the bytes of a graph with `place` nodes so far. */
struct mx_reference mx_read_reference(struct mx_bytes *in, size_t place);

/* Appends a text with its numbers filled in; false if one cannot be computed. */
bool mx_net_text(struct mx_str *out, struct mx_piece text, const struct mx_sizes *sizes);
/* The name from part `from` on, without its numbers; false, and *out is "", if it is empty or too long, which no name of a walk is. */
bool mx_net_name_text(const struct mx_catalogue *c, const struct mx_net_name *name, size_t from, char out[MX_NAME_MAX]);

/* ---- match.c: whether a graph fits the arrays of a file */

/* The naming scheme of a file's parameters. */
enum mx_naming {
    MX_NAMING_STRUCTURE, /* features.0.weight: save_parameters */
    MX_NAMING_FULL,      /* resnetv10_conv0_weight: export and older programs */
    MX_NAMING_OTHER,     /* conv0_weight, or with another prefix */
    MX_NAMINGS
};

struct mx_matcher {
    const struct mx_catalogue *c;
    const struct mx_params *params;
    struct mx_arena *arena;
    const char *prefix;     /* shared by the names of all arrays up to the first underscore, "" if there is none */
    struct mx_sizes wanted; /* chosen by the caller */
    bool with_symbol;       /* the caller has a graph already */
    bool quick;             /* stop at the first thing that does not fit */
    uint32_t mark;          /* of arrays that belong to the current graph */
};

struct mx_fit {
    enum mx_naming naming;
    struct mx_sizes sizes; /* given by the caller or the shapes */
    size_t found, missing, misshapen, extra;
    /* the first of each, NULL: none; in the matcher's arena */
    const char *first_missing, *first_misshapen, *first_extra;
    const char *expected; /* the shape expected of first_misshapen */
};

int mx_matcher_init(struct mx_matcher *m, const struct mx_catalogue *c, const struct mx_params *params, struct mx_arena *arena) MX_MUST_USE;
int mx_match(struct mx_matcher *m, size_t graph, struct mx_fit *out) MX_MUST_USE;
static inline bool mx_fits(const struct mx_fit *f)
{
    return f->found > 0 && f->missing + f->misshapen + f->extra == 0;
}
/* The file's name for the parameter at w; false if it has none of its names, then *out is the first of them. */
bool mx_matcher_name(const struct mx_matcher *m, const struct mx_walk *w, enum mx_naming naming, char out[MX_NAME_MAX]);

/* ---- symbol.c */

/* Makes the graph of a net, whose parameters have the names in the file, into g, which has its arena and diags and is otherwise empty.
 * FORMAT if the catalogue is damaged; INVALID_ARGUMENT or TOO_LARGE if there is no such net with these sizes. */
int mx_net_symbol(const struct mx_matcher *m, const struct mx_net *net, enum mx_naming naming, const struct mx_sizes *sizes,
                  struct mx_graph *g) MX_MUST_USE;

/* ---- arrays.c */

/* The text of a symbol for the arrays of k-means or PCA of SageMaker's, in `out`, and what they are; NULL for others. `label` is the name
 * of the file. */
const char *mx_arrays_symbol(const struct mx_params *p, const char *label, struct mx_str *out);

/* ---- find.c */

/* A net with the sizes that it has for a file. */
struct mx_candidate {
    const struct mx_net *net;
    enum mx_naming naming;
    struct mx_sizes sizes;
};
/* Finds the net that the file fits: the net called `name`, or the only one if that is NULL. `label`, the file's name, decides between
 * nets that all fit, which is reported in a note; nothing else does. Errors: NOT_FOUND (no net fits, or none has that name), SHAPE (the
 * net with that name does not fit), INVALID_ARGUMENT (several fit). */
int mx_net_find(struct mx_matcher *m, const char *name, const char *label, struct mx_candidate *out) MX_MUST_USE;
/* All nets that the file fits, in the matcher's arena; NOT_FOUND with the nearest if none does. */
int mx_net_identify(struct mx_matcher *m, const struct mx_candidate **out, size_t *count) MX_MUST_USE;
/* "ssd_512_mobilenet1.0_voc with 7 classes" */
void mx_net_describe(const struct mx_candidate *c, struct mx_str *out);
/* "differ first at 'topk0', where k is 40 or 100": differ.c. */
void mx_net_difference(const struct mx_catalogue *c, const struct mx_candidate *a, const struct mx_candidate *b, struct mx_str *out);

#endif
