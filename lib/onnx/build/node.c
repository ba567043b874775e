/* A node on its way into the graph, in its newest form: types checked, shapes inferred, folded or found again. */
#include <string.h>

#include "base/budget.h"
#include "onnx/build/internal.h"
#include "onnx/table/rows.h"

enum { FEW_OUTPUTS = 8, FEW_INPUTS = 16, FEW_ATTRS = 24, SPARE = 4 };

/* ---- attributes */

/* The caller's attributes, in room for a few more; what they point at is copied when the node is
 * kept. */
static bool take_attrs(struct ox_call *c, const struct ox_attr *attrs, struct ox_attr *few)
{
    int n = 0;
    while (attrs && attrs[n].kind != OX_A_END) {
        n++;
    }
    c->attrs = n + SPARE < FEW_ATTRS
                   ? few
                   : MX_ARENA_ARRAY(&c->b->model->arena, struct ox_attr, (size_t)n + SPARE + 1);
    if (!c->attrs) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        c->attrs[i] = attrs[i];
    }
    c->attrs[n].kind = OX_A_END;
    c->n_attrs = n;
    return true;
}

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
    if (a->kind == OX_A_INTS || a->kind == OX_A_FLOATS) {
        const size_t n = a->n > 0 ? (size_t)a->n : 0;
        a->v = n > 0 ? mx_arena_copy(arena, a->v, n, 8) : mx_arena_alloc(arena, 0, 8);
        return a->v != NULL;
    }
    if (a->kind == OX_A_STRINGS) {
        a->v = copy_strings(arena, a->v, a->n > 0 ? (size_t)a->n : 0);
        return a->v != NULL;
    }
    if (a->kind == OX_A_STRING) {
        a->s = mx_arena_strdup(arena, a->s);
        return a->s != NULL;
    }
    return true;
}

/* The call's attributes for a node that stays; NULL when memory runs out or there are none. */
static const struct ox_attr *keep_attrs(struct ox_call *c)
{
    if (c->n_attrs == 0) {
        return NULL;
    }
    struct ox_attr *kept =
        mx_arena_copy(&c->b->model->arena, c->attrs, (size_t)c->n_attrs + 1, sizeof *kept);
    for (int i = 0; kept && i < c->n_attrs; i++) {
        if (!copy_attr(c->b, &kept[i])) {
            kept = NULL;
        }
    }
    if (!kept) {
        ox_oom(c->b);
    }
    return kept;
}

/* ---- inputs */

static bool take_inputs(struct ox_call *c, const ox_val *in, int n, ox_val *few)
{
    while (n > 0 && in[n - 1] == OX_NONE) {
        n--; /* trailing ones that were left out */
    }
    c->in = n + SPARE <= FEW_INPUTS
                ? few
                : MX_ARENA_ARRAY(&c->b->model->arena, ox_val, (size_t)n + SPARE);
    if (!c->in) {
        return false;
    }
    if (n > 0) {
        memcpy(c->in, in, (size_t)n * sizeof *in);
    }
    c->n_in = n;
    return true;
}

/* ---- into the graph */

static void append(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const struct ox_node like = {.op = c->op,
                                 .foreign = c->foreign,
                                 .from = b->node,
                                 .in = c->in,
                                 .n_in = c->n_in,
                                 .n_out = c->n_out,
                                 .attrs = keep_attrs(c)};
    const struct ox_node *n = b->fatal || !mx_budget_node(b->model->arena.budget) ? NULL : ox_add_node(b->model, b->graph, &like, c->dtypes, c->shapes);
    if (!n) {
        ox_oom(b);
        return;
    }
    for (int i = 0; i < n->n_out; i++) {
        ox_register_dims(b, n->out[i]);
    }
    memcpy(out, n->out, (size_t)n->n_out * sizeof *out);
}

static bool prepare(struct ox_call *c)
{
    struct ox_build *b = c->b;
    if (c->op == OX_FOREIGN) {
        ox_broken(b, "internal error: an operator of another domain is none of ONNX's");
        return false;
    }
    if (c->schema->since > b->model->opset) {
        ox_fail(b, NULL,
                "needs %s, which ONNX has from opset %d on, but opset %d is written; choose opset "
                "%d or higher",
                c->schema->name, c->schema->since, b->model->opset, c->schema->since);
        return false;
    }
    if (c->schema->in[0] && c->schema->in[0] != '.' && ox_call_in(c, 0) == OX_NONE) {
        ox_broken(b, "internal error: %s without its first input", c->schema->name);
        return false;
    }
    return true;
}

/* Each random node has a seed of its own: two of one seed would draw the same values. */
static void add_seed(struct ox_call *c)
{
    struct ox_model *m = c->b->model;
    if (m->seeded && c->schema->rule == ox_rule_random && !ox_find_attr(c->attrs, "seed")) {
        ox_add_attr(c, (struct ox_attr)OX_F("seed", (double)m->seed));
        m->seed = m->seed == INT32_MAX ? INT32_MIN : m->seed + 1;
    }
}

static void emit(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    ox_check_types(c);
    if (!ox_failed(b)) {
        ox_shrink_operands(c);
    }
    if (c->n_out == 1 && !ox_failed(b) && (ox_fold_spread(c, out) || ox_fold_product(c, out) || ox_fold(c, out))) {
        return;
    }
    if (!ox_failed(b)) {
        ox_set_types(c);
        add_seed(c);
    }
    if (!ox_failed(b)) {
        c->schema->rule(c);
        ox_check_form(c);
    }
    if (!ox_failed(b) && !ox_reuse(c, out)) {
        append(c, out);
        ox_may_reuse(c, out[0]);
    }
}

void ox_emit_n(struct ox_build *b, enum ox_op op, const ox_val *in,
               const struct ox_attr *attrs, ox_val *out, int n)
{
    enum mx_dtype few_dtypes[FEW_OUTPUTS];
    struct mx_shape few_shapes[FEW_OUTPUTS];
    ox_val few_inputs[FEW_INPUTS];
    struct ox_attr few_attrs[FEW_ATTRS];
    struct ox_call c = {
        .b = b, .op = op, .schema = &ox_schemas[op], .n_out = n, .dtypes = few_dtypes, .shapes = few_shapes};
    int n_in = 0;
    for (int i = 0; i < n; i++) {
        out[i] = OX_NONE;
    }
    if (ox_failed(b)) {
        return;
    }
    if (n > FEW_OUTPUTS) {
        c.dtypes = MX_ARENA_ARRAY(&b->model->arena, enum mx_dtype, (size_t)n);
        c.shapes = MX_ARENA_ARRAY(&b->model->arena, struct mx_shape, (size_t)n);
    }
    while (in && in[n_in] != OX_END) {
        n_in++;
    }
    if (!c.dtypes || !c.shapes || !take_inputs(&c, in, n_in, few_inputs)
        || !take_attrs(&c, attrs, few_attrs)) {
        ox_oom(b);
        return;
    }
    if (prepare(&c)) {
        emit(&c, out);
    }
    for (int i = 0; i < n && ox_failed(b); i++) {
        out[i] = OX_NONE;
    }
}

static const struct ox_foreign *foreign(struct ox_build *b, const char *domain, const char *type)
{
    struct ox_foreign *f = ox_scratch(b, 1, sizeof *f);
    if (ox_failed(b)) {
        return NULL;
    }
    f->domain = mx_arena_strdup(&b->model->arena, domain);
    f->type = mx_arena_strdup(&b->model->arena, type);
    return f->domain && f->type ? f : NULL;
}

void ox_foreign_n(struct ox_build *b, const char *domain, const char *type, const ox_val *in,
                  const struct ox_attr *attrs, ox_val *out, int n)
{
    struct ox_call c = {.b = b,
                        .schema = &ox_schemas[OX_FOREIGN],
                        .foreign = foreign(b, domain, type),
                        .n_out = n,
                        .dtypes = ox_scratch(b, (size_t)n, sizeof *c.dtypes),
                        .shapes = ox_scratch(b, (size_t)n, sizeof *c.shapes)};
    ox_val few_inputs[FEW_INPUTS];
    struct ox_attr few_attrs[FEW_ATTRS];
    int n_in = 0;
    while (in[n_in] != OX_END) {
        n_in++;
    }
    if (!c.dtypes || !c.shapes) {
        return;
    }
    if (!c.foreign || !take_inputs(&c, in, n_in, few_inputs) || !take_attrs(&c, attrs, few_attrs)) {
        ox_oom(b);
        return;
    }
    for (int i = 0; i < n; i++) {
        c.dtypes[i] = MX_DTYPE_NONE;
        c.shapes[i] = MX_SHAPE_UNKNOWN;
    }
    append(&c, out);
}

ox_val ox_emit(struct ox_build *b, enum ox_op op, const ox_val *in,
               const struct ox_attr *attrs)
{
    ox_val out = OX_NONE;
    ox_emit_n(b, op, in, attrs, &out, 1);
    return out;
}

void ox_node_n(struct ox_build *b, enum ox_op op, const ox_val *in,
               const struct ox_attr *attrs, ox_val *out, int n)
{
    int n_in = 0;
    for (int i = 0; i < n; i++) {
        out[i] = OX_NONE;
    }
    while (in && in[n_in] != OX_END) {
        n_in++;
    }
    if (!ox_failed(b) && !ox_simplify(b, op, in, n_in, attrs, out, n)) {
        ox_emit_n(b, op, in, attrs, out, n);
    }
}

ox_val ox_node(struct ox_build *b, enum ox_op op, const ox_val *in,
               const struct ox_attr *attrs)
{
    ox_val out = OX_NONE;
    ox_node_n(b, op, in, attrs, &out, 1);
    return out;
}

ox_val ox_unary(struct ox_build *b, enum ox_op op, ox_val x)
{
    return ox_node(b, op, OX_IN(x), OX_NO_ATTRS);
}

ox_val ox_binary(struct ox_build *b, enum ox_op op, ox_val x, ox_val y)
{
    return ox_node(b, op, OX_IN(x, y), OX_NO_ATTRS);
}
