/* The invariants of a graph, checked after passes and before writing. A failure is a bug in the library, so the message is exact. */
#include <stdio.h>

#include "base/budget.h"
#include "base/diag.h"
#include "graph/graph.h"
#include "onnx/pass/pass.h"
#include "onnx/tensor/bytes.h"

struct check {
    const struct ox_model *m;
    unsigned what;
    struct {
        bool visible; /* defined at this point */
        bool defined; /* at any point */
        int uses;
    } * of; /* indexed by value number */
};

/* Not by a file: the builder and the passes make well-formed graphs of any input. */
static int broken(const struct check *c, const struct ox_node *n, const char *what, ox_val x)
{
    const struct mx_where where = n && n->from ? mx_at(n->from, NULL) : MX_NOWHERE;
    const char *name = x > OX_NONE && x < c->m->n_values ? c->m->values[x].name : NULL;
    char number[16];
    snprintf(number, sizeof number, "%%%d", (int)x);
    return mx_fail(c->m->diags, MX_INTERNAL, where, "the ONNX graph is not well formed: %s '%s'", what,
                   name                ? name
                   : x == OX_NONE && n ? ox_node_type(n)
                                       : number);
}

/* Only the handler of a node from another domain knows its results, and so everything computed from them. */
static bool is_untyped(const struct ox_node *n)
{
    return n && n->from && n->from->handled;
}

static int exists(const struct check *c, const struct ox_node *n, ox_val x)
{
    MX_TRY(mx_tick(c->m->arena.budget, MX_TICK_ITEM));
    return x >= OX_NONE && x < c->m->n_values ? MX_OK : broken(c, n, "no such value:", x);
}

static int define(struct check *c, const struct ox_node *n, ox_val x)
{
    MX_TRY(exists(c, n, x));
    const struct ox_value *v = &c->m->values[x];
    if (c->what & OX_NAMED && (!v->name || !v->name[0])) {
        return broken(c, n, "a value without a name:", x);
    }
    if (c->what & OX_COUNTED && v->dead) {
        return broken(c, n, "made, but dead:", x);
    }
    if (c->of[x].defined) {
        return broken(c, n, "defined twice:", x);
    }
    if ((v->dtype == MX_DTYPE_NONE && !is_untyped(n)) || (v->shape.ndim > 0 && !v->shape.dims)) {
        return broken(c, n, "no element type or shape:", x);
    }
    c->of[x].defined = true;
    c->of[x].visible = true;
    return MX_OK;
}

static int read_value(struct check *c, const struct ox_node *n, ox_val x)
{
    MX_TRY(exists(c, n, x));
    c->of[x].uses++;
    return x == OX_NONE || c->of[x].visible ? MX_OK : broken(c, n, "read before it is made:", x);
}

/* ---- tensors */

static int check_view(const struct check *c, ox_val x)
{
    const struct ox_tensor *t = c->m->values[x].tensor;
    int64_t low = t->start, high = low;
    for (int i = 0; i < t->ndim; i++) {
        const int64_t reach = (t->dims[i] - 1) * t->strides[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    if (low < 0 || (uint64_t)high >= ox_tensor_elements(t->base)) {
        return broken(c, NULL, "a view beyond its tensor:", x);
    }
    return MX_OK;
}

static int check_tensor(const struct check *c, ox_val x)
{
    const struct ox_value *v = &c->m->values[x];
    const struct ox_tensor *t = v->tensor;
    const uint64_t elements = ox_tensor_elements(t);
    uint64_t sum = 0;
    if (t->dtype != v->dtype || t->ndim != v->shape.ndim || t->ndim > MX_MAX_RANK) {
        return broken(c, NULL, "an initialiser of another type or rank than its value:", x);
    }
    if (t->base) {
        return elements > 0 ? check_view(c, x) : MX_OK;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        const struct ox_piece *p = &t->pieces[i];
        if (p->first != sum) {
            return broken(c, NULL, "an initialiser with a piece in another place than where it begins:", x);
        }
        sum += ox_piece_elements(t, p);
        if (p->kind == OX_PIECE_ROWS      ? !p->rows
            : p->kind == OX_PIECE_PRODUCT ? !p->product
            : p->kind == OX_PIECE_FORMULA ? !p->formula
            : p->kind == OX_PIECE_RANGE   ? !p->source
                                          : !p->bytes && p->length > 0) {
            return broken(c, NULL, "an initialiser without data:", x);
        }
    }
    return sum == elements ? MX_OK : broken(c, NULL, "an initialiser of another size than its shape:", x);
}

static int check_initialisers(struct check *c)
{
    for (int i = 1; i < c->m->n_values; i++) {
        const struct ox_value *v = &c->m->values[i];
        if (v->tensor && !v->dead) {
            MX_TRY(define(c, NULL, i));
            MX_TRY(check_tensor(c, i));
        }
    }
    return MX_OK;
}

/* ---- nodes */

static int check_graph(struct check *c, const struct ox_graph *g, int depth);

static int define_outputs(struct check *c, const struct ox_graph *g, const struct ox_node *n)
{
    for (int i = 0; i < n->n_out; i++) {
        const struct ox_value *v = &c->m->values[n->out[i]];
        MX_TRY(define(c, n, n->out[i]));
        if (v->producer != n || n->graph != g) {
            return broken(c, n, "made by another node:", n->out[i]);
        }
    }
    return n->n_out > 0 ? MX_OK : broken(c, n, "a node without outputs:", OX_NONE);
}

static int check_node(struct check *c, const struct ox_node *n, int depth)
{
    const struct ox_graph *body;
    if (n->dead || (c->what & OX_NAMED && (!n->name || !n->name[0]))) {
        return broken(c, n, "a node that is dead or without a name:", OX_NONE);
    }
    for (int i = 0; i < n->n_in; i++) {
        MX_TRY(read_value(c, n, n->in[i]));
    }
    for (int at = 0; (body = ox_next_body(n, &at)) != NULL;) {
        if (depth >= OX_MAX_DEPTH) {
            return broken(c, n, "a body that is nested too deep at", OX_NONE);
        }
        MX_TRY(check_graph(c, body, depth + 1));
    }
    return MX_OK;
}

/* Values defined in a body are not visible after it. */
static void leave(struct check *c, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_inputs; i++) {
        c->of[g->inputs[i]].visible = false;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_out; k++) {
            c->of[g->nodes[i]->out[k]].visible = false;
        }
    }
}

static int check_graph(struct check *c, const struct ox_graph *g, int depth)
{
    const bool ordered = c->what & OX_ORDERED;
    for (int i = 0; i < g->n_inputs; i++) {
        MX_TRY(define(c, NULL, g->inputs[i]));
    }
    for (int i = 0; i < g->n_nodes && !ordered; i++) {
        MX_TRY(define_outputs(c, g, g->nodes[i]));
    }
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(c->m->arena.budget, MX_TICK_NODE));
        MX_TRY(check_node(c, g->nodes[i], depth));
        MX_TRY(ordered ? define_outputs(c, g, g->nodes[i]) : MX_OK);
    }
    for (int i = 0; i < g->n_outputs; i++) {
        MX_TRY(read_value(c, NULL, g->outputs[i]));
    }
    if (depth > 0) {
        leave(c, g);
    }
    return MX_OK;
}

/* ---- all */

static int check_uses(const struct check *c)
{
    for (int i = 1; i < c->m->n_values; i++) {
        const struct ox_value *v = &c->m->values[i];
        MX_TRY(mx_tick(c->m->arena.budget, MX_TICK_ITEM));
        if (c->of[i].defined && v->uses != c->of[i].uses) {
            return broken(c, v->producer, "counted wrongly:", i);
        }
    }
    return MX_OK;
}

int ox_check(const struct ox_model *m, unsigned what)
{
    struct check c = {.m = m, .what = what};
    const size_t count = (size_t)m->n_values + 1;
    c.of = mx_budget_array(m->arena.budget, NULL, 0, count, sizeof *c.of);
    MX_TRY_ALLOC(c.of);
    int status = check_initialisers(&c);
    if (status == MX_OK) {
        status = check_graph(&c, &m->main, 0);
    }
    if (status == MX_OK && what & OX_COUNTED) {
        status = check_uses(&c);
    }
    mx_budget_array_free(m->arena.budget, c.of, count, sizeof *c.of);
    return status;
}
