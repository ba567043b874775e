/* Rewrites nodes from the newest form, which the builder writes and the passes read, to the form of the model's opset, and puts casts
 * around nodes whose type has no kernel. What cannot be written was refused by rules/form.c. New nodes are at the end of their graph until
 * ox_order. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"
#include "onnx/rules/rows.h"
#include "onnx/schema/targets.h"

enum { SPARE = 4 }; /* inputs and attributes that a form may add */

struct legalise {
    struct ox_build b;
    bool changed;
    bool knows_constants;
    bool noted[OX_OPERATORS]; /* "no kernel" was reported */
};

/* ---- by the list of changes */

static void input_to_attribute(struct ox_call *c, const struct ox_change *k)
{
    const ox_val x = ox_call_in(c, k->input);
    int n = 0;
    if (x == OX_NONE) {
        return;
    }
    const struct ox_tensor *t = ox_tensor_of(c->b, x);
    const int64_t count = t ? ox_count(t->dims, t->ndim) : 0;
    int64_t *values = ox_lasting(c->b, (size_t)count + 1, sizeof *values);
    if (ox_failed(c->b) || !ox_const_ints(c->b, x, values, (int)count, &n)) {
        /* Not by a file: a form of the opset (rules/form.c) is refused where the node is made, while it is computed. */
        ox_broken(c->b, "internal error: %s of %s that are computed", c->schema->name, k->name);
        return;
    }
    ox_set_in(c, k->input, OX_NONE);
    ox_add_attr(c, (struct ox_attr)OX_IS(k->name, values, n));
}

static void use_older_word(struct ox_call *c, const struct ox_change *k)
{
    for (int i = 0; i < c->n_attrs; i++) {
        struct ox_attr *a = &c->attrs[i];
        if (a->kind == OX_A_STRING && strcmp(a->name, k->name) == 0 && strcmp(a->s, k->word) == 0) {
            a->s = k->before;
            return;
        }
    }
}

static void undo(struct ox_call *c, const struct ox_change *k)
{
    switch (k->kind) {
    case OX_MOVED: input_to_attribute(c, k); break;
    case OX_LATER:
    case OX_DROPPED: ox_drop_attr(c, k->name); break;
    case OX_RENAMED: use_older_word(c, k); break;
    case OX_NO_WORD:
    case OX_CHANGES_END: break;
    }
}

/* ---- operators with a form of their own */

/* Before 12 Max, Min and Clip compute in floats, Clip in those of at most 32 bits. */
static bool is_small_float(struct ox_build *b, ox_val x)
{
    return ox_dtype(b, x) == MX_FLOAT32 || ox_dtype(b, x) == MX_FLOAT16;
}

static void become_where(struct ox_call *c, ox_val condition, ox_val x, ox_val y)
{
    c->op = OX_Where;
    for (int i = c->n_in - 1; i > 2; i--) {
        ox_set_in(c, i, OX_NONE);
    }
    ox_set_in(c, 2, y);
    ox_set_in(c, 1, x);
    ox_set_in(c, 0, condition);
}

void ox_older_extreme(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const enum ox_op better = c->op == OX_Max ? OX_Greater : OX_Less;
    ox_val best = c->in[0];
    if (is_small_float(b, best) || ox_dtype(b, best) == MX_FLOAT64) {
        return;
    }
    for (int i = 1; i < c->n_in - 1; i++) {
        best = ox_emit(b, OX_Where, OX_IN(ox_emit(b, better, OX_IN(best, c->in[i]), OX_NO_ATTRS), best, c->in[i]), OX_NO_ATTRS);
    }
    const ox_val last = c->in[c->n_in - 1];
    become_where(c, ox_emit(b, better, OX_IN(best, last), OX_NO_ATTRS), best, last);
}

/* Where the least exceeds the greatest, the result is the greatest, as in Clip. */
void ox_older_clip(struct ox_call *c)
{
    struct ox_build *b = c->b;
    ox_val x = c->in[0];
    const ox_val least = ox_call_in(c, 1), greatest = ox_call_in(c, 2);
    if (is_small_float(b, x) || (least == OX_NONE && greatest == OX_NONE)) {
        return;
    }
    if (greatest == OX_NONE) {
        become_where(c, ox_emit(b, OX_Less, OX_IN(x, least), OX_NO_ATTRS), least, x);
        return;
    }
    if (least != OX_NONE) {
        x = ox_emit(b, OX_Where, OX_IN(ox_emit(b, OX_Less, OX_IN(x, least), OX_NO_ATTRS), least, x), OX_NO_ATTRS);
    }
    become_where(c, ox_emit(b, OX_Greater, OX_IN(x, greatest), OX_NO_ATTRS), greatest, x);
}

/* Neither holds for NaN, so that it is not the opposite of Less. */
void ox_older_or_equal(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const ox_val more = ox_emit(b, c->op == OX_GreaterOrEqual ? OX_Greater : OX_Less, OX_IN(c->in[0], c->in[1]), OX_NO_ATTRS);
    const ox_val equal = ox_emit(b, OX_Equal, OX_IN(c->in[0], c->in[1]), OX_NO_ATTRS);
    c->op = OX_Or;
    ox_set_in(c, 0, more);
    ox_set_in(c, 1, equal);
}

/* Before 12 GatherND has no batches: the positions along them precede each index. */
void ox_older_gather_nd(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const int batches = (int)ox_attr_int(c->attrs, "batch_dims", 0), rank = ox_rank(b, c->in[1]);
    ox_drop_attr(c, "batch_dims");
    for (int axis = batches - 1; axis >= 0 && !ox_failed(b); axis--) {
        const ox_val x = c->in[1];
        struct mx_int_list dims = ox_repeated(b, 1, rank);
        mx_put_int(&dims, axis, -1);
        const ox_val sizes = ox_emit(b, OX_Shape, OX_IN(x), OX_NO_ATTRS);
        const ox_val size = ox_emit(b, OX_Gather, OX_IN(sizes, ox_scalar(b, MX_INT64, axis)), OX_NO_ATTRS);
        const ox_val range = ox_emit(b, OX_Range, OX_IN(ox_scalar(b, MX_INT64, 0), size, ox_scalar(b, MX_INT64, 1)), OX_NO_ATTRS);
        const ox_val along = ox_emit(b, OX_Reshape, OX_IN(range, ox_ints(b, dims.v, dims.n)), OX_NO_ATTRS);
        const ox_val first = ox_emit(b, OX_Gather, OX_IN(x, ox_int(b, 0)), OX_ATTRS(OX_I("axis", rank - 1)));
        const ox_val none = ox_emit(b, OX_Mul, OX_IN(first, ox_scalar(b, MX_INT64, 0)), OX_NO_ATTRS);
        const ox_val at = ox_emit(b, OX_Add, OX_IN(none, along), OX_NO_ATTRS);
        ox_set_in(c, 1, ox_emit(b, OX_Concat, OX_IN(at, x), OX_ATTRS(OX_I("axis", rank - 1))));
    }
}

/* Before 13 both roi and scales are required; unused ones are empty tensors. */
void ox_older_resize(struct ox_call *c)
{
    const int64_t none[] = {0};
    for (int i = 1; i <= 2; i++) {
        if (ox_call_in(c, i) == OX_NONE) {
            ox_set_in(c, i, ox_tensor(c->b, MX_FLOAT32, none, 1, none));
        }
    }
}

/* Since 18 the axes of a Pad are an input; before, there are pads for every axis. */
void ox_older_pad(struct ox_call *c)
{
    struct ox_build *b = c->b;
    struct mx_int_list axes = ox_no_ints(b);
    struct mx_int_list few = ox_no_ints(b);
    if (ox_call_in(c, 3) == OX_NONE) {
        return;
    }
    const int rank = ox_rank(b, c->in[0]);
    if (!ox_const_list(b, c->in[3], MX_MAX_RANK, &axes) || !ox_const_list(b, c->in[1], 2 * MX_MAX_RANK, &few) || few.n != 2 * axes.n) {
        /* Not by a file: as above; ox_pad and ox_slice make both lists together. */
        ox_broken(b, "internal error: %d pads for %d axes", few.n, axes.n);
        return;
    }
    const int n = axes.n;
    struct mx_int_list all = ox_repeated(b, 0, 2 * rank);
    for (int i = 0; i < n && !ox_failed(b); i++) {
        const int k = ox_axis(b, mx_get_int(&axes, i), rank, OX_Pad);
        mx_put_int(&all, k, mx_get_int(&few, i));
        mx_put_int(&all, rank + k, mx_get_int(&few, n + i));
    }
    ox_set_in(c, 1, ox_ints(b, all.v, all.n));
    ox_set_in(c, 3, OX_NONE);
}

/* Since 20 the axis is an input with default -2; before, an attribute with default 1. */
void ox_older_dft(struct ox_call *c)
{
    struct ox_build *b = c->b;
    int64_t axis = -2;
    (void)ox_const_int(b, ox_call_in(c, 2), &axis);
    ox_set_in(c, 2, OX_NONE);
    const int rank = ox_rank(b, c->in[0]);
    ox_add_attr(c, (struct ox_attr)OX_I("axis", rank > 0 ? ox_axis(b, axis, rank, OX_DFT) : axis));
}

static struct ox_graph *branch(struct ox_build *b, const char *name, enum ox_op op, const ox_val *in)
{
    struct ox_graph *g = ox_graph_begin(b, name);
    const ox_val x = ox_emit(b, op, in, OX_NO_ATTRS);
    ox_graph_end(b, &x, 1);
    return g;
}

/* Before 14 a size of 0 copies the input's size: a shape with a 0 becomes a constant instead of a Reshape. */
void ox_older_reshape(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const ox_val x = c->in[0], sizes = c->in[1];
    const bool zero = ox_attr_int(c->attrs, "allowzero", 0) != 0;
    ox_drop_attr(c, "allowzero");
    if (!zero) {
        return;
    }
    const ox_val least = ox_emit(b, OX_ReduceMin, OX_IN(sizes), OX_ATTRS(OX_I("keepdims", 0)));
    struct ox_graph *some = branch(b, "some", OX_Reshape, OX_IN(x, sizes));
    struct ox_graph *none = branch(b, "none", OX_Expand, OX_IN(ox_scalar_like(b, x, 0), sizes));
    c->op = OX_If;
    ox_set_in(c, 1, OX_NONE);
    ox_set_in(c, 0, ox_is_true(b, least));
    ox_add_attr(c, (struct ox_attr)OX_G("then_branch", some));
    ox_add_attr(c, (struct ox_attr)OX_G("else_branch", none));
}

/* Part of a shape: Shape has start and end since 15; before, those sizes are taken from the whole shape. */
void ox_older_shape(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const int rank = ox_rank(b, c->in[0]);
    const int64_t start = ox_attr_int(c->attrs, "start", 0);
    const int64_t end = ox_attr_int(c->attrs, "end", rank >= 0 ? rank : INT64_MAX);
    if (start == 0 && !ox_find_attr(c->attrs, "end")) {
        return;
    }
    ox_drop_attr(c, "start");
    ox_drop_attr(c, "end");
    const ox_val whole = ox_emit(b, OX_Shape, OX_IN(c->in[0]), OX_NO_ATTRS);
    ox_set_in(c, 0, whole);
    if (rank >= 0 && start >= 0 && end > start && end <= rank) {
        struct mx_int_list axes = ox_no_ints(b);
        for (int64_t i = start; i < end; i++) {
            mx_push_int(&axes, i);
        }
        c->op = OX_Gather;
        ox_set_in(c, 1, ox_ints(b, axes.v, axes.n));
        ox_add_attr(c, (struct ox_attr)OX_I("axis", 0));
        return;
    }
    c->op = OX_Slice;
    ox_set_in(c, 1, ox_int(b, start));
    ox_set_in(c, 2, ox_int(b, end));
    ox_set_in(c, 3, ox_int(b, 0));
}

/* ---- what a target computes differently */

void ox_target_average_pool(struct ox_call *c)
{
    int n = 0;
    bool padded = false;
    const int64_t *pads = ox_attr_ints(c->attrs, "pads", &n);
    const int rank = 2 + n / 2;
    if (!c->b->model->target->explicit_padding || ox_attr_int(c->attrs, "count_include_pad", 0) == 0 || rank > MX_MAX_RANK) {
        return;
    }
    struct mx_int_list begin = ox_repeated(c->b, 0, 2), end = ox_repeated(c->b, 0, 2);
    for (int i = 0; i < n / 2; i++) {
        mx_push_int(&begin, pads[i]);
        mx_push_int(&end, pads[n / 2 + i]);
        padded = padded || pads[i] != 0 || pads[n / 2 + i] != 0;
    }
    if (padded) {
        ox_set_in(c, 0, ox_pad(c->b, c->in[0], begin.v, end.v, rank, "constant", 0));
        ox_drop_attr(c, "pads");
        ox_drop_attr(c, "count_include_pad");
    }
}

/* x where a constant condition is true and finite constants elsewhere, for runtimes without constants of bool. */
void ox_target_where(struct ox_call *c)
{
    struct ox_build *b = c->b;
    const ox_val condition = c->in[0], x = c->in[1], y = c->in[2];
    double lo, hi;
    if (!b->model->target->masks_in_floats || !ox_tensor_of(b, condition) || !mx_dtype_is_float(ox_dtype(b, x)) || ox_tensor_of(b, x)
        || !ox_tensor_of(b, y) || !ox_interval(b, y, &lo, &hi) || !isfinite(lo) || !isfinite(hi)) {
        return;
    }
    const ox_val kept = ox_cast(b, condition, ox_dtype(b, x));
    const ox_val other = ox_mul(b, ox_sub(b, ox_scalar_like(b, x, 1), kept), y);
    const ox_val masked = ox_mul(b, x, kept);
    c->op = OX_Add;
    ox_set_in(c, 2, OX_NONE);
    ox_set_in(c, 1, other);
    ox_set_in(c, 0, masked);
}

/* ---- the form of a node */

/* The node as a call with its own memory, which has room for what a form adds. */
static bool reopen(struct legalise *l, const struct ox_node *n, struct ox_call *c)
{
    int n_attrs = 0;
    while (n->attrs && n->attrs[n_attrs].kind != OX_A_END) {
        n_attrs++;
    }
    *c = (struct ox_call){.b = &l->b, .op = n->op, .schema = &ox_schemas[n->op], .n_in = n->n_in, .n_out = n->n_out};
    c->n_attrs = n_attrs;
    c->in = MX_ARENA_ARRAY(&l->b.model->arena, ox_val, (size_t)n->n_in + SPARE);
    c->attrs = MX_ARENA_ARRAY(&l->b.model->arena, struct ox_attr, (size_t)n_attrs + SPARE + 1);
    if (!c->in || !c->attrs) {
        ox_oom(&l->b);
        return false;
    }
    memcpy(c->in, n->in, (size_t)n->n_in * sizeof *c->in);
    for (int i = 0; i < n_attrs; i++) {
        c->attrs[i] = n->attrs[i];
    }
    c->attrs[n_attrs].kind = OX_A_END;
    return true;
}

/* Called before the first constant is made: one that the graph has already is reused. */
static void know_constants(struct legalise *l)
{
    if (!l->knows_constants) {
        l->knows_constants = true;
        ox_remember_constants(&l->b);
    }
}

/* True if the opset requires another form of this node. */
static bool is_older(const struct ox_node *n, const struct ox_change *k, int opset)
{
    return opset < k->since
           && (k->kind == OX_MOVED ? k->input < n->n_in && n->in[k->input] != OX_NONE : ox_find_attr(n->attrs, k->name) != NULL);
}

static void set_form(struct legalise *l, struct ox_node *n)
{
    const struct ox_schema *s = &ox_schemas[n->op];
    const int opset = l->b.model->opset;
    struct ox_call c;
    const bool own = s->older && opset < s->older_below;
    const bool targeted = s->target && l->b.model->target;
    bool older = own || targeted;
    for (const struct ox_change *k = s->older_than; k && k->kind != OX_CHANGES_END; k++) {
        older = older || is_older(n, k, opset);
    }
    if (!older || !reopen(l, n, &c)) {
        return;
    }
    for (const struct ox_change *k = s->older_than; k && k->kind != OX_CHANGES_END; k++) {
        if (opset < k->since) {
            undo(&c, k);
        }
    }
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
        mx_note(l->b.diags, MX_NOWHERE,
                "ONNX Runtime (1.31) has no CPU kernel for %s at opset %d; choose opset 21 or lower to run it there", ox_op_name(op),
                l->b.model->opset);
    }
}

/* The type in which the node runs: its data type if there is a kernel for it. */
static enum mx_dtype run_type(struct legalise *l, const struct ox_call *c, enum mx_dtype own)
{
    const enum mx_dtype joined = ox_joined_type(c);
    const bool has_type = own != MX_DTYPE_NONE;
    const enum mx_dtype run = ox_kernel_dtype(c->op, c->attrs, has_type ? joined : MX_FLOAT32, l->b.model->opset);
    if (run == MX_DTYPE_NONE) {
        note_missing_kernel(l, c->op);
    }
    return run == MX_DTYPE_NONE ? joined : has_type ? run : own;
}

static void cast_inputs(struct legalise *l, struct ox_node *n, const struct ox_call *c, enum mx_dtype run)
{
    ox_val *in = NULL;
    for (int i = 0; i < n->n_in && !ox_failed(&l->b); i++) {
        if (!ox_runs_in_data_type(c, i) || ox_dtype(&l->b, n->in[i]) == run) {
            continue;
        }
        in = in ? in : mx_arena_copy(&l->b.model->arena, n->in, (size_t)n->n_in, sizeof *in);
        if (!in) {
            ox_oom(&l->b);
            return;
        }
        know_constants(l);
        in[i] = ox_cast(&l->b, in[i], run);
        n->in = in;
        l->changed = true;
    }
}

/* Output k is computed in type `run` and cast back, by a node that takes over its name. */
static void cast_back(struct legalise *l, struct ox_node *n, int k, enum mx_dtype run)
{
    struct ox_model *m = l->b.model;
    const ox_val x = n->out[k];
    const enum mx_dtype own = m->values[x].dtype;
    struct ox_node *cast = MX_ARENA_NEW(&m->arena, struct ox_node);
    ox_val *ends = MX_ARENA_ARRAY(&m->arena, ox_val, 2);
    ox_val *out = mx_arena_copy(&m->arena, n->out, (size_t)n->n_out, sizeof *out);
    const struct ox_attr *to = mx_arena_copy(&m->arena, OX_ATTRS(OX_T("to", own)), 2, sizeof *to);
    const ox_val made = ox_add_value(m, run, m->values[x].shape);
    if (!cast || !ends || !out || !to || made == OX_NONE || ox_push_node(m, l->b.graph, cast) != MX_OK) {
        ox_oom(&l->b);
        return;
    }
    ends[0] = out[k] = made;
    ends[1] = x;
    *cast = (struct ox_node){
        .op = OX_Cast, .from = n->from, .graph = l->b.graph, .in = ends, .n_in = 1, .out = ends + 1, .n_out = 1, .attrs = to};
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
    const ox_val x = ox_cast_source(&l->b, n->in[0], l->b.model->values[n->out[0]].dtype);
    ox_val *in = x == n->in[0] ? NULL : mx_arena_copy(&l->b.model->arena, &x, 1, sizeof x);
    if (in) {
        n->in = in;
        l->changed = true;
    }
}

/* The node as a call, for reading only. */
static struct ox_call as_call(struct legalise *l, const struct ox_node *n)
{
    return (struct ox_call){.b = &l->b,
                            .op = n->op,
                            .schema = &ox_schemas[n->op],
                            .in = (ox_val *)(uintptr_t)n->in,
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
    for (int k = 0; k < n->n_out && run != own && !ox_failed(&l->b); k++) {
        if (ox_out_letter(c.schema, k) == 'T') {
            cast_back(l, n, k, run);
        }
    }
}

/* ---- all nodes */

/* Whole shapes can be reused by the parts of them that an older opset extracts. */
static void remember_shapes(struct legalise *l, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_nodes && l->b.model->opset < ox_schemas[OX_Shape].older_below; i++) {
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
    l->b.graph = g;
    g->closed = false;
    for (int i = 0; i < n; i++) {
        if (g->nodes[i]->op == OX_Cast) {
            ox_remember_cast(&l->b, g->nodes[i]);
        }
    }
    remember_shapes(l, g);
    for (int i = 0; i < n && !ox_failed(&l->b); i++) {
        struct ox_node *node = g->nodes[i];
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        l->b.node = node->from;
        if (node->op == OX_Cast) {
            pass_casts(l, node);
        } else if (node->op != OX_FOREIGN) {
            set_types(l, node);
            set_form(l, node);
        }
    }
    g->closed = g != &m->main;
    return ox_status(&l->b);
}

int ox_legalise(struct ox_model *m)
{
    struct legalise *l = mx_calloc(1, sizeof *l);
    MX_TRY_ALLOC(l);
    int status = ox_build_init(&l->b, m, m->diags);
    if (status == MX_OK) {
        status = ox_each_graph(m, legalise_graph, l);
        ox_build_free(&l->b);
    }
    const bool changed = l->changed;
    mx_free(l);
    MX_TRY(status);
    return changed ? ox_count_reads(m) : MX_OK;
}
