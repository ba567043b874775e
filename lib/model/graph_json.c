/* The MXNet graph as JSON: lib/schema/graph.json describes its form. */
#include <stdint.h>
#include <string.h>

#include "base/json_out.h"
#include "model/model.h"
#include "op/op.h"
#include "op/registry.h"

struct put {
    struct mx_json json;
    const mx2onnx_model *m;
    struct mx_budget *budget;
    bool inferred; /* otherwise the graph is as far as it could be prepared */
};

/* The names of a graph's values; no two are equal. */
struct value_names {
    struct mx_arena arena;
    size_t *first; /* by a node's place: that of the name of its output 0; one more at the end */
    const char **names;
};

/* ---- names */

/* The number of outputs of each node, at its place + 1. A graph with unknown operators has none. */
static int count_values(const struct mx_graph *g, size_t *count)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        count[i + 1] = n->n_out > 0 ? (size_t)n->n_out : 1;
        for (int k = 0; k < n->n_in; k++) {
            size_t *of = &count[n->in[k].node->id + 1];
            MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
            *of = *of > (size_t)n->in[k].index ? *of : (size_t)n->in[k].index + 1;
        }
    }
    for (int i = 0; i < g->n_heads; i++) {
        size_t *of = &count[g->heads[i].node->id + 1];
        *of = *of > (size_t)g->heads[i].index ? *of : (size_t)g->heads[i].index + 1;
    }
    return MX_OK;
}

/* As MXNet calls it: "fc1_output", "split0_output1", "bn0_mean". */
static const char *output_name(struct mx_arena *a, const struct mx_node *n, size_t index, size_t count)
{
    char word[64] = "output", other[64] = "output"; /* of an operator without names for all, both are the same */
    if (n->op && n->n_out > 0) {
        mx_op_output_name(n->op, (int)index, word);
        mx_op_output_name(n->op, index == 0, other);
    }
    if (count == 1) {
        return mx_arena_printf(a, "%s_%s", n->name, strcmp(word, "output0") == 0 ? "output" : word);
    }
    return strcmp(word, other) == 0 ? mx_arena_printf(a, "%s_%s%zu", n->name, word, index) : mx_arena_printf(a, "%s_%s", n->name, word);
}

/* Variables have their names before anything else. */
static int claim_names(const struct put *p, const struct mx_graph *g, bool variables, struct mx_map *taken, struct value_names *names)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        const size_t count = names->first[i + 1] - names->first[i];
        MX_TRY(mx_tick(p->budget, MX_TICK_NODE));
        for (size_t k = 0; mx_is_variable(n) == variables && k < count; k++) {
            const char *wanted = variables ? n->name : output_name(&names->arena, n, k, count);
            MX_TRY_ALLOC(wanted);
            MX_TRY(mx_tick(p->budget, MX_TICK_VALUE));
            MX_TRY(mx_map_unique(taken, &names->arena, wanted, &names->names[names->first[i] + k]));
        }
    }
    return MX_OK;
}

/* The caller frees the arena, even after an error. */
static int name_values(const struct put *p, const struct mx_graph *g, struct value_names *names)
{
    names->arena.budget = p->budget;
    names->first = MX_ARENA_ARRAY(&names->arena, size_t, (size_t)g->n_nodes + 1);
    MX_TRY_ALLOC(names->first);
    MX_TRY(count_values(g, names->first));
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY_ALLOC(names->first[i + 1] <= SIZE_MAX - names->first[i]);
        names->first[i + 1] += names->first[i];
    }
    names->names = MX_ARENA_ARRAY(&names->arena, const char *, names->first[g->n_nodes]);
    MX_TRY_ALLOC(names->names);
    struct mx_map taken = {.arena = {.budget = p->budget}};
    int status = claim_names(p, g, true, &taken, names);
    if (status == MX_OK) {
        status = claim_names(p, g, false, &taken, names);
    }
    mx_map_free(&taken);
    return status;
}

static const char *name_of(const struct value_names *names, struct mx_entry e)
{
    return names->names[names->first[e.node->id] + (size_t)e.index];
}

/* ---- values */

static void put_value(struct put *p, const struct value_names *names, struct mx_entry e)
{
    const struct mx_value v = mx_model_value(e);
    mx_json_open(&p->json, '{');
    mx_value_json(p->m->prepared.dims, name_of(names, e), v.dtype, v.shape, &p->json);
    mx_json_close(&p->json, '}');
}

/* A parameter is described by its file where the graph could not be inferred. */
static void put_param(struct put *p, const struct value_names *names, struct mx_node *v, const struct mx_param *param)
{
    const struct mx_value *known = v->out && v->out->shape.ndim >= 0 && v->out->dtype != MX_DTYPE_NONE ? v->out : NULL;
    mx_json_open(&p->json, '{');
    if (known || !param) {
        mx_value_json(p->m->prepared.dims, name_of(names, (struct mx_entry){v, 0}), known ? known->dtype : MX_DTYPE_NONE,
                      known ? known->shape : MX_SHAPE_UNKNOWN, &p->json);
    } else {
        mx_json_put_text(&p->json, "name", name_of(names, (struct mx_entry){v, 0}));
        mx_json_put_text(&p->json, "dtype", mx_dtype_name(param->dtype));
        mx_json_put_open(&p->json, "shape", '[');
        for (int i = 0; i < param->ndim; i++) {
            mx_json_int(&p->json, param->dims[i]);
        }
        mx_json_close(&p->json, ']');
    }
    if (!param) {
        mx_json_put_bool(&p->json, "missing", true);
    }
    mx_json_close(&p->json, '}');
}

/* The variables that are parameters, or those that are inputs. In a body all are inputs. */
static int put_variables(struct put *p, const struct mx_graph *g, const struct value_names *names, bool params)
{
    mx_json_put_open(&p->json, params ? "parameters" : "inputs", '[');
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *v = g->nodes[i];
        MX_TRY(mx_tick(p->budget, MX_TICK_NODE));
        if (!mx_is_variable(v)) {
            continue;
        }
        const bool outer = g == p->m->prepared.graph;
        const struct mx_param *param = !outer || p->inferred ? v->param : mx_params_of(&p->m->loaded.params, v->name);
        const bool is_param = param || (outer && mx_model_is_missing(p->m, v));
        if (is_param && params) {
            put_param(p, names, v, param);
        } else if (is_param == params) {
            put_value(p, names, (struct mx_entry){v, 0});
        }
    }
    mx_json_close(&p->json, ']');
    return MX_OK;
}

/* ---- nodes */

/* Of attributes with one key the last counts. */
static int put_attributes(struct put *p, const struct mx_node *n)
{
    struct mx_map last = {.arena = {.budget = p->budget}};
    int status = MX_OK;
    for (int i = 0; status == MX_OK && i < n->n_attr_text; i++) {
        status = mx_map_set(&last, n->attr_text[i].key, &n->attr_text[i]);
    }
    mx_json_put_open(&p->json, "attributes", '{');
    for (int i = 0; status == MX_OK && i < n->n_attr_text; i++) {
        const struct mx_attr_text *a = &n->attr_text[i];
        if (mx_map_get(&last, a->key) == a) {
            mx_json_put_text(&p->json, a->key, a->text);
        }
        status = mx_tick(p->budget, MX_TICK_VALUE);
    }
    mx_json_close(&p->json, '}');
    mx_map_free(&last);
    return status;
}

static int put_graph(struct put *p, const struct mx_graph *g);

static int put_bodies(struct put *p, const struct mx_node *n)
{
    if (n->n_subgraphs == 0) {
        return MX_OK;
    }
    mx_json_put_open(&p->json, "bodies", '[');
    for (int i = 0; i < n->n_subgraphs; i++) {
        mx_json_open(&p->json, '{');
        MX_TRY(put_graph(p, n->subgraphs[i]));
        mx_json_close(&p->json, '}');
    }
    mx_json_close(&p->json, ']');
    return MX_OK;
}

static int put_node(struct put *p, struct mx_node *n, const struct value_names *names)
{
    const size_t n_out = names->first[n->id + 1] - names->first[n->id];
    mx_json_open(&p->json, '{');
    mx_json_put_text(&p->json, "name", n->name);
    mx_json_put_text(&p->json, "op", n->op_name);
    mx_json_put_open(&p->json, "inputs", '[');
    for (int i = 0; i < n->n_in; i++) {
        mx_json_text(&p->json, name_of(names, n->in[i]));
    }
    mx_json_close(&p->json, ']');
    mx_json_put_open(&p->json, "outputs", '[');
    for (size_t i = 0; i < n_out; i++) {
        put_value(p, names, (struct mx_entry){n, (int)i});
    }
    mx_json_close(&p->json, ']');
    MX_TRY(put_attributes(p, n));
    MX_TRY(put_bodies(p, n));
    mx_json_close(&p->json, '}');
    return mx_tick(p->budget, MX_TICK_NODE);
}

static int put_nodes(struct put *p, const struct mx_graph *g, const struct value_names *names)
{
    mx_json_put_open(&p->json, "nodes", '[');
    for (int i = 0; i < g->n_nodes; i++) {
        if (!mx_is_variable(g->nodes[i])) {
            MX_TRY(put_node(p, g->nodes[i], names));
        }
    }
    mx_json_close(&p->json, ']');
    return MX_OK;
}

static int put_members(struct put *p, const struct mx_graph *g, const struct value_names *names)
{
    MX_TRY(put_variables(p, g, names, false));
    mx_json_put_open(&p->json, "outputs", '[');
    for (int i = 0; i < g->n_heads; i++) {
        put_value(p, names, g->heads[i]);
        MX_TRY(mx_tick(p->budget, MX_TICK_VALUE));
    }
    mx_json_close(&p->json, ']');
    MX_TRY(put_variables(p, g, names, true));
    return put_nodes(p, g, names);
}

static int put_graph(struct put *p, const struct mx_graph *g)
{
    struct value_names names = {0};
    int status = name_values(p, g, &names);
    if (status == MX_OK) {
        status = put_members(p, g, &names);
    }
    mx_arena_free(&names.arena);
    return status;
}

/* ---- the graph */

/* True if every node precedes what reads it: false where the preparation ended before that, on a cycle. */
static bool is_ordered(const struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        if (n->id != i || mx_tick(g->arena->budget, MX_TICK_VALUE) != MX_OK) {
            return false;
        }
        for (int k = 0; k < n->n_in; k++) {
            const struct mx_entry e = n->in[k];
            if (e.node->id < 0 || e.node->id >= i || g->nodes[e.node->id] != e.node) {
                return false;
            }
        }
    }
    for (int i = 0; i < g->n_heads; i++) {
        const struct mx_entry e = g->heads[i];
        if (e.node->id < 0 || e.node->id >= g->n_nodes || g->nodes[e.node->id] != e.node) {
            return false;
        }
    }
    return true;
}

int mx_model_prepare_as_far_as_possible(mx2onnx_model *m, bool *inferred)
{
    const mx_log_fn log = m->diags.log;
    const size_t first = m->loaded.n_diags;
    const bool was = mx_model_prepared(m) && m->prepared.stage == MX_STAGE_INFERRED && m->prepared.status == MX_OK;
    m->diags.log = NULL;
    const int status = mx_model_prepare(m, MX_STAGE_INFERRED);
    m->diags.log = log;
    *inferred = status == MX_OK;
    if (m->budget.status != MX_OK || status == MX_OUT_OF_MEMORY) {
        return m->budget.status != MX_OK ? m->budget.status : status;
    }
    if (status == MX_OK || !m->prepared.graph || !is_ordered(m->prepared.graph)) {
        if (!was) {
            mx_diags_log(&m->diags, first);
        }
        return status;
    }
    mx_diags_truncate(&m->diags, m->loaded.n_diags);
    m->prepared.n_diags = m->loaded.n_diags;
    m->prepared.peeked = true; /* the next call prepares the graph again, and says what is wrong */
    return MX_OK;
}

int mx_model_mxnet_json(mx2onnx_model *m, struct mx_str *out)
{
    struct put p = {.json.out = out, .m = m, .budget = &m->budget};
    MX_TRY(mx_model_prepare_as_far_as_possible(m, &p.inferred));
    mx_str_clear(out);
    mx_json_open(&p.json, '{');
    mx_json_put_int(&p.json, "schema", MX_JSON_SCHEMA);
    mx_json_put_text(&p.json, "graph", "mxnet");
    mx_json_put_bool(&p.json, "inferred", p.inferred);
    MX_TRY(put_graph(&p, m->prepared.graph));
    mx_json_close(&p.json, '}');
    return out->failed ? MX_OUT_OF_MEMORY : MX_OK;
}
