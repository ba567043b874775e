#include "read/shapes.h"

#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "read/cursor.h"
#include "read/symbol.h"

/* "(0,3,224,224)"; "" if this is no shape. In np_shape graphs -1 is an open dim. NULL when memory runs out. */
static const char *shape_text(const struct mx_graph *g, const json_t *shape)
{
    const size_t rank = json_array_size(shape);
    const char *text = "(";
    if (rank == 0 || rank > MX_MAX_RANK) {
        return "";
    }
    for (size_t i = 0; text && i < rank; i++) {
        const json_t *dim = json_array_get(shape, i);
        const json_int_t size = json_integer_value(dim);
        if (!json_is_integer(dim) || size < -1) {
            return "";
        }
        const int64_t known = i == 0 || size <= 0 ? (g->np_shape ? -1 : 0) : size;
        text = mx_arena_printf(g->arena, "%s%" PRId64 "%s", text, known, i + 1 < rank || rank == 1 ? "," : "");
    }
    return text ? mx_arena_printf(g->arena, "%s)", text) : NULL;
}

static int set_hint(struct mx_graph *g, struct mx_node *n, const char *text)
{
    struct mx_attr_text *all = MX_ARENA_ARRAY(g->arena, struct mx_attr_text, (size_t)n->n_attr_text + 1);
    MX_TRY_ALLOC(all);
    if (n->n_attr_text > 0) {
        memcpy(all, n->attr_text, (size_t)n->n_attr_text * sizeof *all);
    }
    all[n->n_attr_text] = (struct mx_attr_text){"__shape__", text};
    n->attr_text = all;
    n->n_attr_text++;
    return MX_OK;
}

static int add_hint(struct mx_graph *g, const char *name, const json_t *shape)
{
    const char *text = shape_text(g, shape);
    MX_TRY_ALLOC(text);
    for (int i = 0; *text && name && i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        if (mx_is_variable(n) && strcmp(n->name, name) == 0 && !mx_node_attr_text(n, "__shape__")) {
            return set_hint(g, n, text);
        }
    }
    return MX_OK;
}

static int add_hints(struct mx_graph *g, const json_t *root)
{
    const bool signature = json_is_object(root);
    const json_t *inputs = signature ? json_object_get(root, "inputs") : root;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        MX_TRY(add_hint(g, json_string_value(json_object_get(input, signature ? "data_name" : "name")),
                        json_object_get(input, signature ? "data_shape" : "shape")));
    }
    return MX_OK;
}

int mx_shapes_read(struct mx_graph *g, struct mx_source *source, const char *label)
{
    const void *text = NULL;
    const uint64_t size = mx_source_size(source);
    const bool read = size <= MX_WINDOW && mx_source_window(source, 0, (size_t)size, &text) == MX_OK;
    json_t *root = read ? json_loadb(text, (size_t)size, 0, NULL) : NULL;
    if (!root) {
        mx_note(g->diags, MX_NOWHERE, "'%s' is no JSON; the shapes in it are not used", label);
        return MX_OK;
    }
    const int status = add_hints(g, root);
    json_decref(root);
    return status;
}
