/* What must hold of a graph before it is written. A failure is a bug of the library, so it is said exactly. */
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "graph/graph.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/encode.h"

struct check {
    const struct ox_model *m;
    struct mx_diags *diags;
    bool *visible; /* by value number: defined at this point */
    bool *defined; /* ever */
};

static int broken(const struct check *c, const struct ox_node *n, const char *what, const char *name)
{
    const struct mx_where where = n && n->from ? mx_at(n->from, NULL) : (struct mx_where){0};
    return mx_fail(c->diags, MX_INTERNAL, where, "the ONNX graph is not well formed: %s%s%s%s%s", what,
                   name ? " '" : "", name ? name : "", name ? "'" : "", n ? ox_node_type(n) : "");
}

static int define(struct check *c, const struct ox_node *n, ox_val x)
{
    if (x == OX_NONE) {
        return MX_OK;
    }
    if (x < 0 || x >= c->m->n_values) {
        return broken(c, n, "no such value at ", NULL);
    }
    const struct ox_value *v = &c->m->values[x];
    if (!v->name || !v->name[0]) {
        return broken(c, n, "a value without a name at ", NULL);
    }
    if (c->defined[x]) {
        return broken(c, n, "defined twice:", v->name);
    }
    if (v->dtype == MX_DTYPE_NONE) {
        return broken(c, n, "no element type:", v->name);
    }
    c->defined[x] = true;
    c->visible[x] = true;
    return MX_OK;
}

static int read_value(struct check *c, const struct ox_node *n, ox_val x)
{
    if (x == OX_NONE) {
        return MX_OK;
    }
    if (x < 0 || x >= c->m->n_values) {
        return broken(c, n, "no such value at ", NULL);
    }
    return c->visible[x] ? MX_OK : broken(c, n, "read before it is made:", c->m->values[x].name);
}

/* ---- tensors */

static int check_view(const struct check *c, const struct ox_value *v)
{
    const struct ox_tensor *t = v->tensor;
    int64_t low = t->start, high = t->start;
    for (int i = 0; i < t->ndim; i++) {
        const int64_t reach = (t->dims[i] - 1) * t->strides[i];
        *(reach < 0 ? &low : &high) += reach;
    }
    if (low < 0 || (uint64_t)high >= ox_tensor_elements(t->base)) {
        return broken(c, NULL, "a view beyond its tensor:", v->name);
    }
    return MX_OK;
}

static int check_tensor(const struct check *c, const struct ox_value *v)
{
    const struct ox_tensor *t = v->tensor;
    const uint64_t elements = ox_tensor_elements(t);
    uint64_t sum = 0;
    if (t->dtype != v->dtype || t->ndim != v->shape.ndim || t->ndim > MX_MAX_RANK) {
        return broken(c, NULL, "an initialiser of another type or rank than its value:", v->name);
    }
    if (t->base) {
        return elements > 0 ? check_view(c, v) : MX_OK;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        const struct ox_piece *p = &t->pieces[i];
        sum += ox_piece_elements(t, p);
        if (p->kind == OX_PIECE_ROWS ? !p->rows
            : p->kind == OX_PIECE_PRODUCT ? !p->product
            : p->kind == OX_PIECE_RANGE ? !p->source : !p->bytes && p->length > 0) {
            return broken(c, NULL, "an initialiser without data:", v->name);
        }
    }
    return sum == elements ? MX_OK : broken(c, NULL, "an initialiser of another size than its shape:", v->name);
}

static int check_initialisers(struct check *c)
{
    for (int i = 1; i < c->m->n_values; i++) {
        const struct ox_value *v = &c->m->values[i];
        if (v->tensor && !v->dead) {
            MX_TRY(define(c, NULL, i));
            MX_TRY(check_tensor(c, v));
        }
    }
    return MX_OK;
}

/* ---- nodes */

static int check_graph(struct check *c, const struct ox_graph *g, int depth);

static int check_node(struct check *c, const struct ox_node *n, int depth)
{
    for (int i = 0; i < n->n_in; i++) {
        MX_TRY(read_value(c, n, n->in[i]));
    }
    for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
        if (a->kind == OX_A_GRAPH) {
            if (!a->v || depth >= OX_MAX_DEPTH) {
                return broken(c, n, "a body that is missing or nested too deep at ", NULL);
            }
            MX_TRY(check_graph(c, a->v, depth + 1));
        }
    }
    for (int i = 0; i < n->n_out; i++) {
        MX_TRY(define(c, n, n->out[i]));
        if (n->out[i] != OX_NONE && c->m->values[n->out[i]].producer != n) {
            return broken(c, n, "made by another node:", c->m->values[n->out[i]].name);
        }
    }
    return n->n_out > 0 ? MX_OK : broken(c, n, "a node without outputs: ", NULL);
}

/* What a body defines is not visible behind it. */
static void leave(struct check *c, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_inputs; i++) {
        c->visible[g->inputs[i]] = false;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_out; k++) {
            c->visible[g->nodes[i]->out[k]] = false;
        }
    }
}

static int check_graph(struct check *c, const struct ox_graph *g, int depth)
{
    for (int i = 0; i < g->n_inputs; i++) {
        MX_TRY(define(c, NULL, g->inputs[i]));
    }
    for (int i = 0; i < g->n_nodes; i++) {
        if (!g->nodes[i]->dead) {
            MX_TRY(check_node(c, g->nodes[i], depth));
        }
    }
    for (int i = 0; i < g->n_outputs; i++) {
        MX_TRY(read_value(c, NULL, g->outputs[i]));
    }
    if (depth > 0) {
        leave(c, g);
    }
    return MX_OK;
}

int ox_check(const struct ox_model *m, struct mx_diags *diags)
{
    struct check c = {.m = m, .diags = diags};
    const size_t n = (size_t)(m->n_values > 0 ? m->n_values : 1);
    c.visible = mx_calloc(n, sizeof *c.visible);
    c.defined = mx_calloc(n, sizeof *c.defined);
    int status = MX_OUT_OF_MEMORY;
    if (c.visible && c.defined) {
        status = check_initialisers(&c);
        if (status == MX_OK) {
            status = check_graph(&c, &m->main, 0);
        }
    }
    mx_free(c.visible);
    mx_free(c.defined);
    return status;
}
