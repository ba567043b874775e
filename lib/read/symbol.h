/* The symbol file: JSON text to a graph of unresolved nodes (nnvm/src/pass/saveload_json.cc and
 * src/nnvm/legacy_json_util.cc of MXNet). */
#ifndef MX_READ_SYMBOL_H
#define MX_READ_SYMBOL_H

#include "base/io.h"
#include "base/map.h"
#include "graph/graph.h"

enum {
    MX_MAX_SUBGRAPH_DEPTH = 16, /* limit: depth of nested subgraphs */
    MX_MAX_NODES = 1 << 24,     /* limit: nodes of a symbol */
};

/* Reads the text into g, which has its arena, dims and diags and is otherwise empty. Nodes are read one by one, so that memory stays
 * proportional to text and graph. Nodes get op_name, name, attribute texts and inputs; attrs, attr and param are interpreted as in each
 * version. Not checked here: output indices, numbers of inputs, cycles. */
int mx_symbol_read(struct mx_graph *g, struct mx_source *source, const char *label) MX_MUST_USE;

/* read/upgrade.c: sets node->op from the map (name or alias to const struct mx_op *), in subgraphs too; NULL for unknown operators.
 * Then applies MXNet's own upgrade steps, a table of {version, step} (UpgradeJSON_*): hidden keys, the auxiliary inputs that files before
 * 0.9 omit, argmax's axis before 0.9.5. */
int mx_graph_upgrade(struct mx_graph *g, const struct mx_map *ops) MX_MUST_USE;

/* An attribute of a variable: the file that its __shape__ was taken from, if that is not the symbol file (read/shapes.c). */
#define MX_SHAPE_FILE "__shape_file__"

/* read/hint.c: a variable's __shape__ and __dtype__. *ndim is -1 (the type NONE) if absent or unreadable. In the dims 0 means unknown, or
 * -1 if the graph is np_shape; without np_shape rank 0 means unknown, too. OUT_OF_MEMORY. */
int mx_variable_shape_hint(const struct mx_node *n, struct mx_arena *arena, int *ndim, const int64_t **dims) MX_MUST_USE;
enum mx_dtype mx_variable_dtype_hint(const struct mx_node *n);
/* True for a Parameter or Constant of Gluon (python/mxnet/gluon/parameter.py, var(), which writes both multipliers): its value is in the
 * parameter file, and it is not an input. */
bool mx_variable_is_parameter(const struct mx_node *n);

#endif
