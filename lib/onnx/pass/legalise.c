/* Rewrites nodes from the newest form, which the builder writes and the passes read, to the form of the model's opset, and puts casts
 * around nodes whose type has no kernel. The forms are in rules/form.c and forms.c. New nodes are at the end of their graph until
 * ox_order. */
#include <string.h>

#include "base/budget.h"
#include "onnx/pass/rewrite.h"
#include "onnx/rules/rows.h"
#include "onnx/schema/targets.h"

struct legalise {
    struct ox_build *b;
    bool changed;
    bool knows_constants;
    bool noted[OX_OPERATORS]; /* "no kernel" was reported */
};

/* ---- the form of a node */

/* The node as a call with its own memory, which has room for what a form adds. */
static bool reopen(struct legalise *l, const struct ox_node *n, struct ox_call *c)
{
    *c = (struct ox_call){.b = l->b, .op = n->op, .schema = &ox_schemas[n->op], .n_in = n->n_in, .n_out = n->n_out};
    c->n_attrs = ox_count_attrs(n->attrs);
    c->in = MX_ARENA_ARRAY(&l->b->model->arena, ox_val, (size_t)n->n_in + OX_SPARE);
    c->attrs = ox_copy_attrs(&l->b->model->arena, n->attrs, OX_SPARE);
    if (!c->in || !c->attrs) {
        ox_oom(l->b);
        return false;
    }
    memcpy(c->in, n->in, (size_t)n->n_in * sizeof *c->in);
    return true;
}

/* Called before the first constant is made: one that the graph has already is reused. */
static void know_constants(struct legalise *l)
{
    if (!l->knows_constants) {
        l->knows_constants = true;
        ox_remember_constants(l->b);
    }
}

static void set_form(struct legalise *l, struct ox_node *n)
{
    const struct ox_schema *s = &ox_schemas[n->op];
    const int opset = l->b->model->opset;
    struct ox_call c;
    const bool own = s->older && opset < s->older_below;
    const bool targeted = s->target && l->b->model->target;
    if (!(own || targeted || ox_has_older_form(n, opset)) || !reopen(l, n, &c)) {
        return;
    }
    ox_undo_changes(&c);
    if (own || targeted) {
        know_constants(l);
    }
    if (targeted) {
        s->target(&c);
    }
    if (own) {
        s->older(&c);
    }
    l->changed = true;
    n->op = c.op;
    n->in = c.in;
    n->n_in = c.n_in;
    n->attrs = c.n_attrs > 0 ? c.attrs : NULL;
}

/* ---- types */

static void note_missing_kernel(struct legalise *l, enum ox_op op)
{
    if (!l->noted[op]) {
        l->noted[op] = true;
        mx_note(l->b->diags, MX_NOWHERE,
                "ONNX Runtime (1.31) has no CPU kernel for %s at opset %d" MX_HELP "choose opset 21 or lower to run it there",
                ox_op_name(op), l->b->model->opset);
    }
}

/* The type in which the node runs: its data type if there is a kernel for it. */
static enum mx_dtype run_type(struct legalise *l, const struct ox_call *c, enum mx_dtype own)
{
    const enum mx_dtype joined = ox_joined_type(c);
    const bool has_type = own != MX_DTYPE_NONE;
    const enum mx_dtype run = ox_kernel_dtype(c->op, c->attrs, has_type ? joined : MX_FLOAT32, l->b->model->opset);
    if (run == MX_DTYPE_NONE) {
        note_missing_kernel(l, c->op);
    }
    return run == MX_DTYPE_NONE ? joined : has_type ? run : own;
}

static void cast_inputs(struct legalise *l, struct ox_node *n, const struct ox_call *c, enum mx_dtype run)
{
    ox_val *in = NULL;
    for (int i = 0; i < n->n_in && !ox_failed(l->b); i++) {
        if (!ox_runs_in_data_type(c, i) || ox_dtype(l->b, n->in[i]) == run) {
            continue;
        }
        in = in ? in : mx_arena_copy(&l->b->model->arena, n->in, (size_t)n->n_in, sizeof *in);
        if (!in) {
            ox_oom(l->b);
            return;
        }
        know_constants(l);
        in[i] = ox_cast(l->b, in[i], run);
        n->in = in;
        l->changed = true;
    }
}

/* Output k is computed in type `run` and cast back, by a node that takes over its name. */
static void cast_back(struct legalise *l, struct ox_node *n, int k, enum mx_dtype run)
{
    struct ox_model *m = l->b->model;
    const ox_val x = n->out[k];
    const enum mx_dtype own = m->values[x].dtype;
    struct ox_node *cast = MX_ARENA_NEW(&m->arena, struct ox_node);
    ox_val *ends = MX_ARENA_ARRAY(&m->arena, ox_val, 2);
    ox_val *out = mx_arena_copy(&m->arena, n->out, (size_t)n->n_out, sizeof *out);
    const struct ox_attr *to = ox_copy_attrs(&m->arena, OX_ATTRS(OX_T("to", own)), 0);
    const ox_val made = ox_add_value(m, run, m->values[x].shape);
    if (!cast || !ends || !out || !to || made == OX_NONE || ox_push_node(m, l->b->graph, cast) != MX_OK) {
        ox_oom(l->b);
        return;
    }
    ends[0] = out[k] = made;
    ends[1] = x;
    *cast = (struct ox_node){
        .op = OX_Cast, .from = n->from, .graph = l->b->graph, .in = ends, .n_in = 1, .out = ends + 1, .n_out = 1, .attrs = to};
    if (k == 0) {
        cast->name = n->name;
        n->name = NULL;
    }
    n->out = out;
    m->values[made].producer = n;
    m->values[x].producer = cast;
    l->changed = true;
}

/* A cast of a value that was cast back reads the value before that cast if it is equivalent. */
static void pass_casts(struct legalise *l, struct ox_node *n)
{
    const ox_val x = ox_cast_source(l->b, n->in[0], l->b->model->values[n->out[0]].dtype);
    ox_val *in = x == n->in[0] ? NULL : mx_arena_copy(&l->b->model->arena, &x, 1, sizeof x);
    if (in) {
        n->in = in;
        l->changed = true;
    }
}

/* The node as a call, for reading only. */
static struct ox_call as_call(struct legalise *l, const struct ox_node *n)
{
    return (struct ox_call){.b = l->b,
                            .op = n->op,
                            .schema = &ox_schemas[n->op],
                            .in = n->in,
                            .n_in = n->n_in,
                            .n_out = n->n_out,
                            .attrs = (struct ox_attr *)(uintptr_t)n->attrs};
}

static void set_types(struct legalise *l, struct ox_node *n)
{
    const struct ox_call c = as_call(l, n);
    const enum mx_dtype own = ox_data_type(&c);
    const enum mx_dtype run = run_type(l, &c, own);
    if (run == MX_DTYPE_NONE) {
        return;
    }
    cast_inputs(l, n, &c, run);
    for (int k = 0; k < n->n_out && run != own && !ox_failed(l->b); k++) {
        if (ox_letter_at(c.schema->out, k) == 'T') {
            cast_back(l, n, k, run);
        }
    }
}

/* ---- all nodes */

/* Whole shapes can be reused by the parts of them that an older opset extracts. */
static void remember_shapes(struct legalise *l, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_nodes && l->b->model->opset < ox_schemas[OX_Shape].older_below; i++) {
        if (g->nodes[i]->op == OX_Shape && !g->nodes[i]->attrs) {
            struct ox_call c = as_call(l, g->nodes[i]);
            ox_may_reuse(&c, g->nodes[i]->out[0]);
        }
    }
}

static int legalise_graph(struct ox_model *m, struct ox_graph *g, void *user)
{
    struct legalise *l = user;
    const int n = g->n_nodes; /* nodes added later are in the right form */
    l->b->graph = g;
    g->closed = false;
    for (int i = 0; i < n; i++) {
        if (g->nodes[i]->op == OX_Cast) {
            ox_remember_cast(l->b, g->nodes[i]);
        }
    }
    remember_shapes(l, g);
    for (int i = 0; i < n && !ox_failed(l->b); i++) {
        struct ox_node *node = g->nodes[i];
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        l->b->node = node->from;
        if (node->op == OX_Cast) {
            pass_casts(l, node);
        } else if (node->op != OX_FOREIGN) {
            set_types(l, node);
            set_form(l, node);
        }
    }
    g->closed = g != &m->main;
    return ox_status(l->b);
}

static int legalise(struct ox_build *b, void *user)
{
    struct legalise l = {.b = b};
    MX_TRY(ox_each_graph(b->model, legalise_graph, &l));
    return l.changed ? ox_count_reads(b->model) : MX_OK;
}

int ox_legalise(struct ox_model *m)
{
    return ox_with_builder(m, legalise, NULL);
}
