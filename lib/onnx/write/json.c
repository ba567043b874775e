/* The ONNX graph as JSON: lib/schema/graph.json describes its form. */
#include "base/budget.h"
#include "base/json_out.h"
#include "base/map.h"
#include "base/num.h"
#include "graph/graph.h"
#include "onnx/write/write.h"

struct put {
    struct mx_json json;
    struct ox_model *m;
    bool initializers_as_inputs;
};

/* ---- values */

static void put_value(struct put *p, ox_val x)
{
    const struct ox_value *v = &p->m->values[x];
    mx_count_work(p->m->arena.budget, MX_TICK_VALUE);
    mx_json_open(&p->json, '{');
    mx_value_json(p->m->dims, v->name, v->dtype, v->shape, &p->json);
    mx_json_close(&p->json, '}');
}

static void put_values(struct put *p, const char *key, const ox_val *v, int n)
{
    mx_json_put_open(&p->json, key, '[');
    for (int i = 0; i < n; i++) {
        put_value(p, v[i]);
    }
    mx_json_close(&p->json, ']');
}

/* The initialisers, all of which belong to the main graph; or those that came with the model. */
static void put_initialisers(struct put *p, bool all)
{
    for (int i = 1; i < p->m->n_values; i++) {
        const struct ox_value *v = &p->m->values[i];
        if (v->tensor && !v->dead && (all || v->is_param)) {
            put_value(p, i);
        }
        mx_count_work(p->m->arena.budget, MX_TICK_ITEM);
    }
}

/* ---- nodes */

static void put_graph(struct put *p, const struct ox_graph *g);

static void put_list(struct put *p, const struct ox_attr *a)
{
    mx_json_open(&p->json, '[');
    for (int i = 0; i < a->n; i++) {
        if (a->kind == OX_A_INTS) {
            mx_json_int(&p->json, ((const int64_t *)a->v)[i]);
        } else if (a->kind == OX_A_STRINGS) {
            mx_json_text(&p->json, ((const char *const *)a->v)[i]);
        } else {
            mx_json_double(&p->json, mx_shortest_single(((const double *)a->v)[i]));
        }
    }
    mx_json_close(&p->json, ']');
}

static const char *type_of(const struct ox_attr *a)
{
    switch (a->kind) {
    case OX_A_INT:
    case OX_A_DTYPE: return "INT";
    case OX_A_FLOAT: return "FLOAT";
    case OX_A_STRING: return "STRING";
    case OX_A_INTS: return "INTS";
    case OX_A_FLOATS: return "FLOATS";
    case OX_A_STRINGS: return "STRINGS";
    case OX_A_GRAPH: return "GRAPH";
    case OX_A_END: break;
    }
    return "UNDEFINED";
}

static void put_attribute(struct put *p, const struct ox_attr *a)
{
    mx_json_put_open(&p->json, a->name, '{');
    mx_json_put_text(&p->json, "type", type_of(a));
    mx_json_key(&p->json, "value");
    switch (a->kind) {
    case OX_A_INT: mx_json_int(&p->json, a->i); break;
    case OX_A_DTYPE: mx_json_int(&p->json, mx_dtype_onnx((enum mx_dtype)a->i)); break;
    case OX_A_FLOAT: mx_json_double(&p->json, mx_shortest_single(a->f)); break;
    case OX_A_STRING: mx_json_text(&p->json, a->s); break;
    case OX_A_INTS:
    case OX_A_FLOATS:
    case OX_A_STRINGS: put_list(p, a); break;
    case OX_A_GRAPH:
        mx_json_open(&p->json, '{');
        put_graph(p, a->graph);
        mx_json_close(&p->json, '}');
        break;
    case OX_A_END: break;
    }
    mx_json_close(&p->json, '}');
}

static void put_node(struct put *p, const struct ox_node *n)
{
    struct mx_json *j = &p->json;
    mx_json_open(j, '{');
    mx_json_put_text(j, "name", n->name ? n->name : "");
    mx_json_put_text(j, "op", ox_node_type(n));
    if (n->foreign) {
        mx_json_put_text(j, "domain", n->foreign->domain);
    }
    mx_json_put_open(j, "inputs", '[');
    for (int i = 0; i < n->n_in; i++) {
        mx_json_text(j, n->in[i] == OX_NONE ? "" : p->m->values[n->in[i]].name);
    }
    mx_json_close(j, ']');
    put_values(p, "outputs", n->out, n->n_out);
    mx_json_put_open(j, "attributes", '{');
    for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
        put_attribute(p, a);
    }
    mx_json_close(j, '}');
    if (n->from) {
        mx_json_put_open(j, "mxnet", '{');
        mx_json_put_text(j, "node", n->from->name);
        mx_json_put_text(j, "op", n->from->op_name);
        mx_json_close(j, '}');
    }
    mx_json_close(j, '}');
}

/* ox_check refuses bodies that are nested more than OX_MAX_DEPTH deep. */
static void put_graph(struct put *p, const struct ox_graph *g)
{
    const bool outer = !g->outer;
    mx_json_put_open(&p->json, "inputs", '[');
    for (int i = 0; i < g->n_inputs; i++) {
        put_value(p, g->inputs[i]);
    }
    if (outer && p->initializers_as_inputs) {
        put_initialisers(p, false);
    }
    mx_json_close(&p->json, ']');
    put_values(p, "outputs", g->outputs, g->n_outputs);
    mx_json_put_open(&p->json, "parameters", '[');
    if (outer) {
        put_initialisers(p, true);
    }
    mx_json_close(&p->json, ']');
    mx_json_put_open(&p->json, "nodes", '[');
    for (int i = 0; i < g->n_nodes && mx_tick(p->m->arena.budget, MX_TICK_NODE) == MX_OK; i++) {
        put_node(p, g->nodes[i]);
    }
    mx_json_close(&p->json, ']');
}

/* ---- the model */

static int put_domain(const char *domain, int32_t version, void *user)
{
    mx_json_put_int(user, domain, version);
    return MX_OK;
}

int ox_json(struct ox_model *m, const struct mx_map *domains, bool initializers_as_inputs, struct mx_str *out)
{
    struct put p = {.json.out = out, .m = m, .initializers_as_inputs = initializers_as_inputs};
    mx_json_open(&p.json, '{');
    mx_json_put_int(&p.json, "schema", MX_JSON_SCHEMA);
    mx_json_put_text(&p.json, "graph", "onnx");
    mx_json_put_int(&p.json, "ir_version", m->ir_version);
    mx_json_put_int(&p.json, "opset", m->opset);
    mx_json_put_open(&p.json, "domains", '{');
    MX_TRY(ox_each_domain(m, domains, put_domain, &p.json));
    mx_json_close(&p.json, '}');
    put_graph(&p, &m->main);
    mx_json_close(&p.json, '}');
    MX_TRY(mx_budget_status(m->arena.budget));
    return out->failed ? MX_OUT_OF_MEMORY : MX_OK;
}
