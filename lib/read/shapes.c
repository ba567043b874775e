#include "read/shapes.h"

#include <inttypes.h>

#include "base/budget.h"
#include "base/map.h"
#include "base/num.h"
#include "read/json.h"
#include "read/symbol.h"

/* "(0,3,224,224)"; "" if this is not a shape. In np_shape graphs -1 is an open dim. NULL when memory runs out. */
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

static int set_hint(struct mx_graph *g, struct mx_node *n, const char *text, const char *label)
{
    const char *file = mx_arena_strdup(g->arena, label);
    MX_TRY_ALLOC(file);
    MX_TRY(mx_node_add_attr(g->arena, n, "__shape__", text));
    return mx_node_add_attr(g->arena, n, MX_SHAPE_FILE, file);
}

/* Variables by name. */
static int list_variables(const struct mx_graph *g, struct mx_map *variables)
{
    for (int i = g->n_nodes - 1; i >= 0; i--) { /* of several with the same name, the first counts */
        struct mx_node *n = g->nodes[i];
        if (mx_is_variable(n)) {
            MX_TRY(mx_map_set(variables, n->name, n));
        }
    }
    return MX_OK;
}

static int add_hint(struct mx_graph *g, const struct mx_map *variables, const char *name, const json_t *shape, const char *label)
{
    const char *text = shape_text(g, shape);
    MX_TRY_ALLOC(text);
    struct mx_node *n = *text && name ? mx_map_get(variables, name) : NULL;
    return n && !mx_node_attr_text(n, "__shape__") ? set_hint(g, n, text, label) : MX_OK;
}

static int add_hints(struct mx_graph *g, const struct mx_map *variables, const json_t *root, const char *label)
{
    const bool signature = json_is_object(root);
    const json_t *inputs = signature ? json_object_get(root, "inputs") : root;
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        MX_TRY(add_hint(g, variables, json_string_value(json_object_get(input, signature ? "data_name" : "name")),
                        json_object_get(input, signature ? "data_shape" : "shape"), label));
    }
    return MX_OK;
}

/* "300", the side of a square image, or "3,224,224". */
static bool read_image(const char *at, int64_t sizes[3], size_t *n)
{
    for (*n = 0; *n < 3; at++) {
        if (!mx_scan_int(at, &at, &sizes[*n]) || sizes[*n] <= 0 || sizes[*n] > INT32_MAX) {
            return false;
        }
        ++*n;
        if (*at != ',') {
            return !*at && *n != 2;
        }
    }
    return false;
}

/* {"image_shape": "300"}: SageMaker's hyperparameters. */
static int add_image(struct mx_graph *g, const struct mx_map *variables, const json_t *root, const char *label)
{
    const char *given = json_string_value(json_object_get(root, "image_shape"));
    int64_t sizes[3];
    size_t n;
    struct mx_node *data = mx_map_get(variables, "data");
    if (!given || !data || mx_node_attr_text(data, "__shape__")) {
        return MX_OK;
    }
    if (!read_image(given, sizes, &n)) {
        mx_warn(g->diags, MX_NOWHERE,
                "image_shape in '%s' is '%s', but must be the side of the image or CHANNELS,HEIGHT,WIDTH, so it is not used", label, given);
        return MX_OK;
    }
    const char *text = mx_arena_printf(g->arena, "(%d,%" PRId64 ",%" PRId64 ",%" PRId64 ")", g->np_shape ? -1 : 0, n == 3 ? sizes[0] : 3,
                                       sizes[n / 2], sizes[n - 1]);
    MX_TRY_ALLOC(text);
    return set_hint(g, data, text, label);
}

static int read_root(struct mx_graph *g, const json_t *root, const char *label)
{
    struct mx_map variables = {.arena = {.budget = g->arena->budget}};
    int status = list_variables(g, &variables);
    if (status == MX_OK) {
        status = add_hints(g, &variables, root, label);
    }
    if (status == MX_OK) {
        status = add_image(g, &variables, root, label);
    }
    mx_map_free(&variables);
    return status;
}

int mx_shapes_read(struct mx_graph *g, struct mx_source *source, const char *label)
{
    uint64_t charged;
    json_t *root = mx_json_read(source, g->diags->budget, &charged);
    int status = mx_budget_status(g->diags->budget);
    if (root && status == MX_OK) {
        status = read_root(g, root, label);
    } else if (status == MX_OK) {
        mx_note(g->diags, mx_named(label), MX_SUBJECT "is not JSON, so the shapes in it are not used");
    }
    json_decref(root);
    mx_budget_release(g->diags->budget, charged);
    return status;
}
