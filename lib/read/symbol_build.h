/* Builds a graph from JSON values: the part of reading a symbol that does not depend on the text. */
#ifndef MX_READ_SYMBOL_BUILD_H
#define MX_READ_SYMBOL_BUILD_H

#include <jansson.h>

#include "read/symbol.h"

enum { MX_BUILD_TEXTS = 1 << 12 };

/* A graph under construction. A zeroed one with graph, label and depth set is empty. */
struct mx_symbol_build {
    struct mx_graph *graph;
    const char *label; /* the file, in messages */
    int depth;         /* of subgraphs */
    /* For the top graph: the text and the current position in it, for the line in messages; otherwise NULL. */
    const char *text, *at;

    const char **texts; /* MX_BUILD_TEXTS of them, by hash */
    struct mx_node **nodes;
    size_t count, capacity;
    int32_t *ids; /* nodes of all inputs in order: they may come later in the file */
    size_t n_ids, ids_capacity;
    const struct mx_node *control_of; /* the node with the highest control dependency */
    int64_t control_max;
    json_t *heads, *arg_nodes; /* kept until all nodes are known; owned */
};

int mx_build_node(struct mx_symbol_build *b, json_t *node) MX_MUST_USE;
/* For a repeated "nodes": the later one counts. */
void mx_build_clear_nodes(struct mx_symbol_build *b);
/* The graph's attributes: version and shape semantics. */
int mx_build_attrs(struct mx_symbol_build *b, const json_t *attrs) MX_MUST_USE;
/* Resolves inputs, heads and the list of variables. */
int mx_build_finish(struct mx_symbol_build *b) MX_MUST_USE;
void mx_build_free(struct mx_symbol_build *b);

/* FORMAT: "'file', node 2 in line 30: ...". name may be NULL. */
int mx_build_fail(struct mx_symbol_build *b, const char *name, const char *text, const char *advice) MX_MUST_USE;

#endif
