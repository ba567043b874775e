/* The symbol file: JSON text to a graph of unresolved nodes (src/nnvm/legacy_json_util.cc, nnvm saveload_json.cc). */
#ifndef MX_READ_SYMBOL_H
#define MX_READ_SYMBOL_H

#include "base/io.h"
#include "base/map.h"
#include "graph/graph.h"

/* Reads the text, node by node, so that memory stays at the size of the graph. Nodes have op_name, name, attribute
 * texts and inputs; `op` and `attrs` are canon's work. Of attrs, attr and param the meaning of each version. */
int mx_symbol_read(struct mx_graph *g, struct mx_source *source, const char *label) MX_MUST_USE;

/* read/upgrade.c: MXNet's own upgrade steps, a table of {version, step} (UpgradeJSON_*): hidden keys, the auxiliary
 * inputs that files before 0.9 leave out, argmax's axis before 0.9.5. Needs the registry for input names, so
 * operators are resolved (aliases too) on the way: node->op is set here. */
int mx_graph_upgrade(struct mx_graph *g, const struct mx_map *ops) MX_MUST_USE;

/* The last value given to an input on a variable: __shape__ and __dtype__. False if absent or not readable. */
bool mx_variable_shape_hint(const struct mx_node *n, struct mx_arena *arena, int *ndim, const int64_t **dims);
enum mx_dtype mx_variable_dtype_hint(const struct mx_node *n);

#endif
