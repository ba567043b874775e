/* Puts a node into the graph, in its newest form: checks types, infers shapes, folds, or reuses an equal node. */
#include <string.h>

#include "base/budget.h"
#include "onnx/builder/internal.h"
#include "onnx/rules/rows.h"

/* ---- attributes */

static const char **copy_strings(struct mx_arena *arena, const char *const *v, size_t n)
{
    const char **copy = MX_ARENA_ARRAY(arena, const char *, n);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = mx_arena_strdup(arena, v[i]);
        if (!copy[i]) {
            return NULL;
        }
    }
    return copy;
}

static bool copy_attr(struct ox_build *b, struct ox_attr *a)
{
    struct mx_arena *arena = &b->model->arena;
    size_t size;
    const void *bytes = ox_attr_bytes(a, &size);
    switch (a->kind) {
    case OX_A_STRING:
    case OX_A_INTS:
    case OX_A_FLOATS: a->v = size > 0 ? mx_arena_copy(arena, bytes, size, 1) : mx_arena_alloc(arena, 0, 1); return a->v;
    case OX_A_STRINGS: a->v = copy_strings(arena, a->v, a->n > 0 ? (size_t)a->n : 0); return a->v;
    case OX_A_INT:
    case OX_A_FLOAT:
    case OX_A_DTYPE:
    case OX_A_GRAPH:
    case OX_A_END: break;
    }
    return true;
}

/* The call's attributes for a node that is kept; NULL when memory runs out or there are none. */
static const struct ox_attr *keep_attrs(struct ox_call *c)
{
    const struct ox_attr **last = &c->b->attrs[c->op];
    if (c->n_attrs == 0) {
        return NULL;
    }
    if (*last && ox_same_attrs(c, *last)) {
        return *last;
    }
    struct ox_attr *kept = ox_copy_attrs(&c->b->model->arena, c->attrs, 0);
    for (int i = 0; kept && i < c->n_attrs; i++) {
        if (!copy_attr(c->b, &kept[i])) {
            kept = NULL;
        }
    }
    if (!kept) {
        ox_oom(c->b);
    }
    *last = kept;
    return kept;
}

/* ---- into the graph */

static void append(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const struct ox_node like = {
        .op = c->op, .foreign = c->foreign, .from = b->node, .in = c->in, .n_in = c->n_in, .n_out = c->n_out, .attrs = keep_attrs(c)};
    const bool allowed = !b->fatal && mx_budget_node(b->model->arena.budget);
    const struct ox_node *n = allowed ? ox_add_node(b->model, b->graph, &like, c->dtypes, c->shapes) : NULL;
    if (!n) {
        ox_oom(b);
        return;
    }
    for (int i = 0; i < n->n_out; i++) {
        ox_register_dims(b, n->out[i]);
    }
    memcpy(out, n->out, (size_t)n->n_out * sizeof *out);
}

/* Each random node has its own seed: with equal seeds two would draw the same values. */
static void add_seed(struct ox_call *c)
{
    struct ox_model *m = c->b->model;
    if (m->seeded && c->schema->seed && !ox_find_attr(c->attrs, "seed")) {
        ox_add_attr(c, c->schema->seed == 'f' ? (struct ox_attr)OX_F("seed", (double)m->seed) : (struct ox_attr)OX_I("seed", m->seed));
        m->seed = m->seed == INT32_MAX ? INT32_MIN : m->seed + 1;
    }
}

/* MXNet's process ends at such a division, and so does ONNX Runtime's where it is not a number but read from a tensor. */
static void check_divisor(struct ox_call *c)
{
    const bool integers = (c->op == OX_Div || c->op == OX_Mod) && mx_dtype_is_integer(ox_dtype(c->b, ox_call_in(c, 0)));
    if (integers && ox_is_all(c->b, ox_call_in(c, 1), 0)) {
        ox_fail(c->b, NULL, "an integer is divided by 0" MX_HELP "use another divisor, or a float type");
    }
}

static void emit(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    if (c->schema->in[0] && c->schema->in[0] != '.' && ox_call_in(c, 0) == OX_NONE) {
        /* Not by a file: infer counts the inputs of a node; the values of a body are checked by its operator (_foreach: once each). */
        ox_broken(b, "internal error: %s without its first input", c->schema->name);
        return;
    }
    ox_check_types(c);
    check_divisor(c);
    if (c->n_out == 1 && !ox_failed(b) && (ox_fold_product(c, out) || ox_fold(c, out))) {
        return;
    }
    if (!ox_failed(b)) {
        ox_set_types(c);
        add_seed(c);
        if (!c->shape || c->dtypes[0] == MX_DTYPE_NONE) { /* the rule says also what type Cast and QuantizeLinear give */
            c->schema->rule(c);
        }
        if (c->shape) {
            c->shapes[0] = ox_copy_shape(b, c->shape->dims, c->shape->ndim);
        }
    }
    if (!ox_failed(b)) {
        ox_check_form(c);
    }
    if (!ox_failed(b) && !ox_reuse(c, out)) {
        append(c, out);
        ox_may_reuse(c, out[0]);
    }
}

void ox_emit_call(struct ox_call *c, ox_val *out)
{
    if (!ox_failed(c->b)) {
        emit(c, out);
    }
    for (int i = 0; i < c->n_out && ox_failed(c->b); i++) {
        out[i] = OX_NONE;
    }
}

ox_val ox_emit(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs)
{
    struct ox_call_room room;
    struct ox_call c = {.b = b, .op = op, .n_out = 1};
    ox_val out = OX_NONE;
    ox_open_call(&c, &room, in, attrs);
    ox_emit_call(&c, &out);
    return out;
}

static const struct ox_foreign *foreign(struct ox_build *b, const char *domain, const char *type)
{
    struct ox_foreign *f = ox_lasting(b, 1, sizeof *f);
    if (ox_failed(b)) {
        return NULL;
    }
    f->domain = mx_arena_strdup(&b->model->arena, domain);
    f->type = mx_arena_strdup(&b->model->arena, type);
    if (!f->domain || !f->type) {
        ox_oom(b);
    }
    return f;
}

void ox_foreign_n(struct ox_build *b, const char *domain, const char *type, const ox_val *in, const struct ox_attr *attrs, ox_val *out,
                  int n)
{
    struct ox_call_room room;
    struct ox_call c = {.b = b, .op = OX_FOREIGN, .foreign = foreign(b, domain, type), .n_out = n};
    ox_open_call(&c, &room, in, attrs);
    for (int i = 0; i < n && !ox_failed(b); i++) {
        c.dtypes[i] = MX_DTYPE_NONE;
        c.shapes[i] = MX_SHAPE_UNKNOWN;
    }
    if (!ox_failed(b)) {
        append(&c, out);
    }
}
