#include "read/symbol_build.h"

#include <limits.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "read/json.h"

/* The node of this name, or the file. */
static struct mx_where place_of(const struct mx_symbol_build *b, const char *node)
{
    struct mx_where where = mx_named(b->label);
    if (node) {
        where = (struct mx_where){.node = node};
    }
    return where;
}

int mx_build_fail(struct mx_symbol_build *b, const char *name, const char *text, const char *advice)
{
    if (!b->at) {
        return mx_fail(b->graph->diags, MX_FORMAT, place_of(b, name), "'%s': %s" MX_HELP "%s", b->label, text, advice);
    }
    size_t line = 1;
    for (const char *p = b->text; p < b->at; p++) {
        line += *p == '\n';
    }
    return mx_fail(b->graph->diags, MX_FORMAT, place_of(b, name), "'%s', node %zu in line %zu: %s" MX_HELP "%s", b->label, b->count, line,
                   text, advice);
}

#define DAMAGED "copy or save the file again: it is damaged or was changed by hand"

/* ---- texts */

/* Keeps one copy of operator names and attributes, which are repeated often. Each slot holds the last text that fell into it, so a
 * million different texts need no larger table. */
static int intern(struct mx_symbol_build *b, const char *text, const char **out)
{
    uint32_t hash = 0;
    MX_TRY(mx_tick(b->graph->arena->budget, MX_TICK_VALUE));
    for (const char *p = text; *p; p++) {
        hash = (hash ^ (unsigned char)*p) * UINT32_C(16777619);
    }
    const char **place = &b->texts[(hash ^ hash >> 16) % MX_BUILD_TEXTS];
    if (!*place || strcmp(*place, text) != 0) {
        *place = mx_arena_strdup(b->graph->arena, text);
        MX_TRY_ALLOC(*place);
    }
    *out = *place;
    return MX_OK;
}

/* ---- attributes */

/* MXNet writes strings only; numbers and booleans in files made by hand become what Python would print. */
static int value_text(struct mx_symbol_build *b, const char *name, const json_t *value, const char **out)
{
    struct mx_arena *a = b->graph->arena;
    switch (json_typeof(value)) {
    case JSON_STRING: return intern(b, json_string_value(value), out);
    case JSON_INTEGER: *out = mx_arena_printf(a, "%lld", (long long)json_integer_value(value)); break;
    case JSON_REAL: {
        char number[32];
        mx_format_double(number, json_real_value(value));
        *out = mx_arena_strdup(a, number);
        break;
    }
    case JSON_TRUE: *out = "True"; break;
    case JSON_FALSE: *out = "False"; break;
    case JSON_NULL: *out = "None"; break;
    case JSON_OBJECT:
    case JSON_ARRAY: return mx_build_fail(b, name, "an attribute is neither text nor a number", DAMAGED);
    }
    MX_TRY_ALLOC(*out);
    return MX_OK;
}

/* A getter for const objects; jansson's does not modify the object either. */
static const json_t *get(const json_t *object, const char *key)
{
    return object ? json_object_get(object, key) : NULL;
}

static int add_attrs(struct mx_symbol_build *b, struct mx_node *n, json_t *from, const json_t *except)
{
    const char *key;
    json_t *value;
    json_object_foreach(from, key, value)
    {
        MX_TRY(mx_tick(b->graph->arena->budget, MX_TICK_VALUE));
        if (!get(except, key)) {
            struct mx_attr_text *attr = &n->attr_text[n->n_attr_text];
            MX_TRY(intern(b, key, &attr->key));
            MX_TRY(value_text(b, n->name, value, &attr->text));
            n->n_attr_text++;
        }
    }
    return MX_OK;
}

/* "attrs" (0.12 and later) and "attr" (before) fill the same map, and the later of the two replaces the other; "param" (0.7, 0.8) adds
 * the keys that are missing. nnvm's JSONNode::Load. */
static int read_attrs(struct mx_symbol_build *b, struct mx_node *n, json_t *node)
{
    json_t *attrs = NULL, *params = NULL, *value;
    const char *key;
    json_object_foreach(node, key, value)
    {
        const bool is_param = strcmp(key, "param") == 0;
        if (is_param || strcmp(key, "attrs") == 0 || strcmp(key, "attr") == 0) {
            if (!json_is_object(value)) {
                return mx_build_fail(b, n->name, "the attributes are not an object", DAMAGED);
            }
            *(is_param ? &params : &attrs) = value;
        }
    }
    const size_t count = (attrs ? json_object_size(attrs) : 0) + (params ? json_object_size(params) : 0);
    if (count == 0) {
        return MX_OK;
    }
    n->attr_text = MX_ARENA_ARRAY(b->graph->arena, struct mx_attr_text, count);
    MX_TRY_ALLOC(n->attr_text && count <= INT_MAX);
    if (attrs) {
        MX_TRY(add_attrs(b, n, attrs, NULL));
    }
    return params ? add_attrs(b, n, params, attrs) : MX_OK;
}

/* ---- entries */

/* [node, output] before 0.9, [node, output, version] since; the version counts mutations and is irrelevant here. */
static bool read_entry(const json_t *entry, int32_t *id, int *index)
{
    const size_t size = json_is_array(entry) ? json_array_size(entry) : 0;
    if (size != 2 && size != 3) {
        return false;
    }
    const json_t *node = json_array_get(entry, 0), *output = json_array_get(entry, 1);
    if (!json_is_integer(node) || !json_is_integer(output)) {
        return false;
    }
    const json_int_t i = json_integer_value(node), k = json_integer_value(output);
    if (i < 0 || i >= MX_MAX_NODES || k < 0 || k >= MX_MAX_OUTPUTS) {
        return false;
    }
    *id = (int32_t)i;
    *index = (int)k;
    return true;
}

static int push_id(struct mx_symbol_build *b, int32_t id)
{
    MX_TRY(mx_grow(b->graph->arena->budget, &b->ids, b->n_ids, &b->ids_capacity, sizeof *b->ids));
    b->ids[b->n_ids++] = id;
    return MX_OK;
}

static int read_inputs(struct mx_symbol_build *b, struct mx_node *n, const json_t *inputs)
{
    if (!json_is_array(inputs)) {
        return mx_build_fail(b, n->name, "the node has no list of inputs", DAMAGED);
    }
    const size_t count = json_array_size(inputs);
    if (count == 0) {
        return MX_OK;
    }
    n->in = MX_ARENA_ARRAY(b->graph->arena, struct mx_entry, count);
    MX_TRY_ALLOC(n->in && count <= INT_MAX);
    for (size_t i = 0; i < count; i++) {
        int32_t id;
        MX_TRY(mx_tick(b->graph->arena->budget, MX_TICK_ITEM));
        if (!read_entry(json_array_get(inputs, i), &id, &n->in[i].index)) {
            return mx_build_fail(b, n->name, "an input is not a pair of a node and an output", DAMAGED);
        }
        MX_TRY(push_id(b, id));
    }
    n->n_in = (int)count;
    return MX_OK;
}

/* Checks only that they name nodes: control dependencies carry no data. */
static int read_control(struct mx_symbol_build *b, const struct mx_node *n, const json_t *deps)
{
    for (size_t i = 0; i < json_array_size(deps); i++) {
        const json_t *id = json_array_get(deps, i);
        MX_TRY(mx_tick(b->graph->arena->budget, MX_TICK_ITEM));
        if (!json_is_integer(id) || json_integer_value(id) < 0) {
            return mx_build_fail(b, n->name, "a control dependency is not the number of a node", DAMAGED);
        }
        if (!b->control_of || json_integer_value(id) > b->control_max) {
            b->control_of = n;
            b->control_max = json_integer_value(id);
        }
    }
    return MX_OK;
}

/* ---- subgraphs */

static int fill_subgraph(struct mx_symbol_build *sub, const json_t *value)
{
    const json_t *nodes = get(value, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        MX_TRY(mx_build_node(sub, json_array_get(nodes, i)));
    }
    sub->heads = json_incref(json_object_get(value, "heads"));
    sub->arg_nodes = json_incref(json_object_get(value, "arg_nodes"));
    return mx_build_finish(sub);
}

static int read_subgraph(struct mx_symbol_build *b, const struct mx_node *n, const json_t *value, struct mx_graph **out)
{
    if (b->depth >= MX_MAX_SUBGRAPH_DEPTH) {
        return mx_fail(b->graph->diags, MX_TOO_LARGE, (struct mx_where){.node = n->name}, "'%s': subgraphs are nested more than %d deep",
                       b->label, (int)MX_MAX_SUBGRAPH_DEPTH);
    }
    if (!json_is_object(value)) {
        return mx_build_fail(b, n->name, "a subgraph is not an object", DAMAGED);
    }
    struct mx_graph *g = MX_ARENA_NEW(b->graph->arena, struct mx_graph);
    MX_TRY_ALLOC(g);
    g->arena = b->graph->arena;
    g->dims = b->graph->dims;
    g->diags = b->graph->diags;
    struct mx_symbol_build sub = {.graph = g, .texts = b->texts, .label = b->label, .depth = b->depth + 1, .text = b->text, .at = b->at};
    const int status = fill_subgraph(&sub, value);
    mx_build_free(&sub);
    *out = g;
    return status;
}

static int read_subgraphs(struct mx_symbol_build *b, struct mx_node *n, const json_t *subgraphs)
{
    const size_t count = json_array_size(subgraphs);
    if (count == 0) {
        return MX_OK;
    }
    if (count > UINT16_MAX) {
        return mx_build_fail(b, n->name, "the node has too many subgraphs", DAMAGED);
    }
    n->subgraphs = MX_ARENA_ARRAY(b->graph->arena, struct mx_graph *, count);
    MX_TRY_ALLOC(n->subgraphs);
    for (size_t i = 0; i < count; i++) {
        MX_TRY(read_subgraph(b, n, json_array_get(subgraphs, i), &n->subgraphs[i]));
    }
    n->n_subgraphs = (uint16_t)count;
    return MX_OK;
}

/* ---- nodes */

static int push_node(struct mx_symbol_build *b, struct mx_node *n)
{
    MX_TRY(mx_grow(b->graph->arena->budget, &b->nodes, b->count, &b->capacity, sizeof(struct mx_node *)));
    if (b->count >= MX_MAX_NODES) {
        return mx_fail(b->graph->diags, MX_TOO_LARGE, mx_named(b->label), MX_SUBJECT "has more than %d nodes", (int)MX_MAX_NODES);
    }
    n->id = (int)b->count;
    b->nodes[b->count++] = n;
    return MX_OK;
}

static int read_names(struct mx_symbol_build *b, struct mx_node *n, const json_t *node)
{
    const json_t *name = get(node, "name"), *op = get(node, "op");
    if (!json_is_string(name)) {
        return mx_build_fail(b, NULL, "a node has no name", DAMAGED);
    }
    n->name = mx_arena_strdup(b->graph->arena, json_string_value(name));
    MX_TRY_ALLOC(n->name);
    if (!json_is_string(op)) {
        return mx_build_fail(b, n->name, "the node has no operator (\"op\"), and null without quotes is not one", DAMAGED);
    }
    return intern(b, json_string_value(op), &n->op_name);
}

int mx_build_node(struct mx_symbol_build *b, json_t *node)
{
    if (!json_is_object(node)) {
        return mx_build_fail(b, NULL, "a node is not an object", DAMAGED);
    }
    struct mx_node *n = MX_ARENA_NEW(b->graph->arena, struct mx_node);
    MX_TRY_ALLOC(n);
    MX_TRY(read_names(b, n, node));
    MX_TRY(read_attrs(b, n, node));
    MX_TRY(read_inputs(b, n, get(node, "inputs")));
    MX_TRY(read_control(b, n, get(node, "control_deps")));
    MX_TRY(read_subgraphs(b, n, get(node, "subgraphs")));
    const json_t *backward = get(node, "backward_source_id");
    if (backward && json_integer_value(backward) != -1) {
        return mx_build_fail(b, n->name, "the node belongs to a backward pass", "save the forward symbol");
    }
    return push_node(b, n);
}

void mx_build_clear_nodes(struct mx_symbol_build *b)
{
    b->count = 0;
    b->n_ids = 0;
    b->control_of = NULL;
}

/* ---- the graph */

/* Every attribute is written as [type, value], such as ["int", 10901]. */
static bool graph_int(const json_t *attr, int64_t *out)
{
    const json_t *value = json_is_array(attr) ? json_array_get(attr, 1) : attr;
    if (json_is_string(value)) {
        return mx_parse_int(json_string_value(value), out);
    }
    *out = json_integer_value(value);
    return json_is_integer(value);
}

int mx_build_attrs(struct mx_symbol_build *b, const json_t *attrs)
{
    const json_t *version = get(attrs, "mxnet_version"), *np_shape = get(attrs, "is_np_shape");
    int64_t number = 0;
    if (version) {
        if (!graph_int(version, &number) || number < 0 || number > INT_MAX) {
            return mx_build_fail(b, NULL, "\"mxnet_version\" is not a number", DAMAGED);
        }
        b->graph->version = (int)number;
    }
    if (np_shape) {
        if (!graph_int(np_shape, &number)) {
            return mx_build_fail(b, NULL, "\"is_np_shape\" is not a number", DAMAGED);
        }
        b->graph->np_shape = number != 0;
    }
    return MX_OK;
}

static int missing_node(struct mx_symbol_build *b, const struct mx_node *n, const char *what, long long id)
{
    return mx_fail(b->graph->diags, MX_FORMAT, place_of(b, n ? n->name : NULL),
                   "'%s': %s refers to node %lld, but there are %zu nodes" MX_HELP DAMAGED, b->label, what, id, b->count);
}

static int resolve_inputs(struct mx_symbol_build *b)
{
    size_t k = 0;
    for (size_t i = 0; i < b->count; i++) {
        struct mx_node *n = b->nodes[i];
        MX_TRY(mx_tick_parts(b->graph->arena->budget, (size_t)n->n_in));
        for (int j = 0; j < n->n_in; j++, k++) {
            if ((size_t)b->ids[k] >= b->count) {
                return missing_node(b, n, "an input", b->ids[k]);
            }
            n->in[j].node = b->nodes[b->ids[k]];
        }
        if (mx_is_variable(n)) { /* MXNet ignores inputs of a variable */
            n->n_in = 0;
        }
    }
    if (b->control_of && b->control_max >= (int64_t)b->count) {
        return missing_node(b, b->control_of, "a control dependency", (long long)b->control_max);
    }
    return MX_OK;
}

static int resolve_heads(struct mx_symbol_build *b)
{
    struct mx_graph *g = b->graph;
    if (!json_is_array(b->heads)) {
        return mx_build_fail(b, NULL, "the graph has no \"heads\", the list of its outputs", DAMAGED);
    }
    const size_t count = json_array_size(b->heads);
    g->heads = MX_ARENA_ARRAY(g->arena, struct mx_entry, count);
    MX_TRY_ALLOC(g->heads && count <= INT_MAX);
    for (size_t i = 0; i < count; i++) {
        int32_t id;
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        if (!read_entry(json_array_get(b->heads, i), &id, &g->heads[i].index)) {
            return mx_build_fail(b, NULL, "an entry of \"heads\" is not a pair of a node and an output", DAMAGED);
        }
        if ((size_t)id >= b->count) {
            return missing_node(b, NULL, "\"heads\"", id);
        }
        g->heads[i].node = b->nodes[id];
    }
    g->n_heads = (int)count;
    return MX_OK;
}

/* The list of variables is redundant, but a wrong one is a sign of a damaged file (MXNet refuses it). */
static int check_arg_nodes(struct mx_symbol_build *b)
{
    for (size_t i = 0; i < json_array_size(b->arg_nodes); i++) {
        const json_t *id = json_array_get(b->arg_nodes, i);
        MX_TRY(mx_tick(b->graph->arena->budget, MX_TICK_ITEM));
        const json_int_t n = json_integer_value(id);
        if (!json_is_integer(id) || n < 0 || (size_t)n >= b->count) {
            return missing_node(b, NULL, "\"arg_nodes\"", (long long)n);
        }
        if (!mx_is_variable(b->nodes[n])) {
            return mx_build_fail(b, b->nodes[n]->name, "\"arg_nodes\" lists a node that is not a variable", DAMAGED);
        }
    }
    return MX_OK;
}

int mx_build_finish(struct mx_symbol_build *b)
{
    struct mx_graph *g = b->graph;
    b->at = NULL;
    if (b->count == 0) {
        return mx_build_fail(b, NULL, "the graph has no nodes", DAMAGED);
    }
    MX_TRY(resolve_inputs(b));
    MX_TRY(resolve_heads(b));
    MX_TRY(check_arg_nodes(b));
    g->nodes = mx_arena_copy(g->arena, b->nodes, b->count, sizeof(struct mx_node *));
    MX_TRY_ALLOC(g->nodes);
    g->n_nodes = (int)b->count;
    return MX_OK;
}

void mx_build_free(struct mx_symbol_build *b)
{
    mx_budget_array_free(b->graph->arena->budget, b->nodes, b->capacity, sizeof(struct mx_node *));
    mx_budget_array_free(b->graph->arena->budget, b->ids, b->ids_capacity, sizeof *b->ids);
    mx_json_free(b->heads, b->graph->diags->budget);
    mx_json_free(b->arg_nodes, b->graph->diags->budget);
}
