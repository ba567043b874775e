/* Chooses the order of axes in which groups of nodes compute. Convolutions and pooling of channels-last data are written in ONNX's order
 * between two Transposes; nodes between them that can compute in any order (sums, activations, reductions, concatenations, pads) do so in
 * that order, if this leaves fewer Transposes.
 *
 * Values are in one group if such a node reads or makes both. A group as a whole is turned or left as it is: each of its values v then
 * becomes a value u with v = Transpose(u, perm), and v itself is made only for readers outside of the group. */
#include <string.h>

#include "base/budget.h"
#include "onnx/pass/rewrite.h"
#include "onnx/rules/rows.h"

enum { TRANSPOSE = 4, RESHAPE = 1 }; /* what they cost; a Transpose that only moves axes of size 1 is a Reshape */

struct place {
    ox_val group;  /* union-find: towards the group's root */
    ox_val turned; /* u; OX_NONE: not made yet */
    ox_val same;   /* the value that replaces this one; OX_NONE: none */
    bool member;   /* of a group of more than one value */
    bool outside;  /* something outside of the group reads it */
    /* Of a group, at its root: */
    int votes, gain;
    const int64_t *perm;
};

struct layout {
    struct ox_build *b; /* whose errors stick: each_node sees them */
    struct ox_model *m;
    struct place *of; /* by value */
    int n;
};

/* ---- nodes */

static int rank_of(const struct layout *l, ox_val x)
{
    return l->m->values[x].shape.ndim;
}

static bool is_constant(const struct layout *l, ox_val x)
{
    return l->m->values[x].tensor != NULL;
}

/* True if n can compute over transposed data, and which axes its outputs lack. Its data are the inputs of the rank of the first one, or
 * for broadcasting nodes of the output's. */
static bool find_turn(struct layout *l, const struct ox_node *n, struct ox_turn *t)
{
    const struct ox_schema *schema = &ox_schemas[n->op];
    const int rank = rank_of(l, schema->turn == ox_turn_each ? n->out[0] : n->in[0]);
    if (!schema->turn || rank < 2) {
        return false;
    }
    *t = (struct ox_turn){.b = l->b, .n = n, .rank = rank, .in = ox_scratch(l->b, (size_t)n->n_in + 1, sizeof *t->in)};
    t->attrs = ox_copy_attrs(&l->b->scratch, n->attrs, 0);
    if (!t->in || !t->attrs) {
        ox_oom(l->b);
        return false;
    }
    memcpy(t->in, n->in, (size_t)n->n_in * sizeof *t->in);
    t->in[n->n_in] = OX_END;
    bool can = schema->turn(t);
    for (int k = 0; k < n->n_in; k++) { /* of an unknown rank: its axes may be any of the output's */
        can = can && (n->in[k] == OX_NONE || rank_of(l, n->in[k]) >= 0);
    }
    for (int k = 0; k < n->n_out; k++) {
        can = can && rank_of(l, n->out[k]) >= 0 && rank_of(l, n->out[k]) <= rank;
    }
    return can && !ox_failed(l->b);
}

/* True if the axes that are left have the same order in the transposed data. */
static bool keeps_order(const struct ox_turn *t, const int64_t *perm)
{
    int64_t last = -1;
    for (int i = 0; i < t->rank; i++) {
        if (mx_has_axis(t->gone, i)) {
            continue;
        }
        if (perm[i] < last) {
            return false;
        }
        last = perm[i];
    }
    return true;
}

static bool lacks_axes(const struct layout *l, const struct ox_turn *t)
{
    return rank_of(l, t->n->out[0]) < t->rank;
}

/* ---- groups */

static ox_val root_of(struct layout *l, ox_val x)
{
    while (l->of[x].group != x) {
        l->of[x].group = l->of[l->of[x].group].group;
        x = l->of[x].group;
    }
    return x;
}

/* The place of x's group; NULL if it belongs to none, or that one is not turned. */
static struct place *group_of(struct layout *l, ox_val x)
{
    return l->of[x].member ? &l->of[root_of(l, x)] : NULL;
}

static const int64_t *turned_by(struct layout *l, ox_val x)
{
    const struct place *group = group_of(l, x);
    return group && group->gain > 0 ? group->perm : NULL;
}

static void join(struct layout *l, ox_val x, ox_val y)
{
    l->of[x].member = l->of[y].member = true;
    l->of[root_of(l, x)].group = root_of(l, y);
}

typedef void layout_fn(struct layout *l, struct ox_node *n);

static int each_node(struct layout *l, layout_fn *fn)
{
    struct ox_graph *g = &l->m->main;
    const int n = g->n_nodes;
    for (int i = 0; i < n; i++) {
        MX_TRY(mx_tick(l->m->arena.budget, MX_TICK_NODE));
        ox_begin_node(l->b, g->nodes[i]->from);
        fn(l, g->nodes[i]);
        MX_TRY(ox_end_node(l->b));
    }
    return MX_OK;
}

static void group_node(struct layout *l, struct ox_node *n)
{
    struct ox_turn t;
    const bool can = find_turn(l, n, &t);
    ox_val first = OX_NONE;
    for (int k = 0; can && k < n->n_in + n->n_out; k++) {
        const ox_val x = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
        if (rank_of(l, x) == t.rank && !is_constant(l, x)) {
            join(l, x, first == OX_NONE ? x : first);
            first = x;
        }
    }
}

/* ---- what a group gains */

static void compose(const int64_t *outer, const int64_t *inner, int n, int64_t *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = inner[outer[i]];
    }
}

static bool is_inverse(const int64_t *p, const int64_t *q, int n)
{
    for (int i = 0; i < n; i++) {
        if (p[q[i]] != i) {
            return false;
        }
    }
    return true;
}

/* A majority wins. A group that a Transpose reads or makes has a permutation then. */
static void vote(struct layout *l, ox_val x, const int64_t *perm, int n)
{
    struct place *group = group_of(l, x);
    if (!group) {
        return;
    }
    if (group->votes == 0) {
        group->perm = perm;
    }
    group->votes += memcmp(group->perm, perm, (size_t)n * sizeof *perm) == 0 ? 1 : -1;
}

static void vote_for(struct layout *l, struct ox_node *n)
{
    const int64_t *perm = ox_perm_of(l->m, n);
    const int rank = rank_of(l, n->in[0]);
    if (!perm) {
        return;
    }
    int64_t *inverse = MX_ARENA_ARRAY(&l->m->arena, int64_t, (size_t)rank);
    if (!inverse) {
        ox_oom(l->b);
        return;
    }
    for (int i = 0; i < rank; i++) {
        inverse[perm[i]] = i;
    }
    vote(l, n->out[0], perm, rank);
    vote(l, n->in[0], inverse, rank);
}

/* What it costs to have x in another order. */
static int cost(const struct layout *l, ox_val x, const int64_t *perm)
{
    const struct mx_shape s = l->m->values[x].shape;
    int64_t last = -1, size = 0;
    for (int i = 0; i < s.ndim; i++) {
        if (mx_dim_known(l->m->dims, s.dims[perm[i]], &size) && size == 1) {
            continue;
        }
        if (perm[i] < last) {
            return TRANSPOSE;
        }
        last = perm[i];
    }
    return RESHAPE;
}

static void weigh_transpose(struct layout *l, const struct ox_node *n, const int64_t *perm)
{
    const ox_val v = n->in[0], w = n->out[0];
    struct place *made = group_of(l, w), *read = group_of(l, v);
    const int rank = rank_of(l, v), saved = cost(l, v, perm);
    if (made && memcmp(made->perm, perm, (size_t)rank * sizeof *perm) == 0) {
        made->gain += l->of[w].outside ? 0 : saved;
    } else if (made) {
        made->gain -= l->of[w].outside ? saved : 0;
    }
    if (read && is_inverse(read->perm, perm, rank)) {
        read->gain += saved;
    }
}

static void weigh(struct layout *l, struct ox_node *n)
{
    const int64_t *perm = ox_perm_of(l->m, n);
    struct ox_turn t;
    if (perm) {
        weigh_transpose(l, n, perm);
        return;
    }
    const bool can = find_turn(l, n, &t);
    for (int k = 0; k < n->n_out; k++) {
        struct place *group = group_of(l, n->out[k]);
        const bool inside = can && rank_of(l, n->out[k]) == t.rank;
        if (group && group->perm && (!inside || l->of[n->out[k]].outside)) {
            group->gain -= cost(l, n->out[k], group->perm);
        }
    }
    struct place *group = can && ox_schemas[n->op].turn == ox_turn_each ? group_of(l, n->out[0]) : NULL;
    for (int k = 0; k < n->n_in && group; k++) {
        const int rank = rank_of(l, n->in[k]);
        if (rank > 0 && rank < t.rank && !is_constant(l, n->in[k])) {
            group->gain -= rank > 1 ? TRANSPOSE : RESHAPE;
        }
    }
}

/* Which members of groups are read by nodes that need them as they are. */
static void find_outside(struct layout *l, struct ox_node *n)
{
    struct ox_turn t;
    const bool can = find_turn(l, n, &t);
    for (int k = 0; k < n->n_in && !ox_perm_of(l->m, n); k++) {
        struct place *group = group_of(l, n->in[k]);
        const bool inside =
            can && group && group->perm && rank_of(l, n->in[k]) == t.rank && (!lacks_axes(l, &t) || keeps_order(&t, group->perm));
        if (group && !inside) {
            l->of[n->in[k]].outside = true;
        }
    }
}

static int find_outputs(struct ox_model *m, struct ox_graph *g, void *user)
{
    struct layout *l = user;
    for (int i = 0; i < g->n_outputs; i++) {
        l->of[g->outputs[i]].outside = true;
    }
    for (int i = 0; i < g->n_inputs; i++) {
        struct place *group = group_of(l, g->inputs[i]);
        if (group && group->perm) {
            group->gain -= cost(l, g->inputs[i], group->perm);
        }
    }
    for (int i = 0; g != &m->main && i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_in; k++) {
            l->of[g->nodes[i]->in[k]].outside = true;
        }
    }
    return MX_OK;
}

/* A Transpose between two groups goes by turning either, but not by turning both. */
static void settle(struct layout *l, struct ox_node *n)
{
    struct place *from = ox_perm_of(l->m, n) ? group_of(l, n->in[0]) : NULL, *to = group_of(l, n->out[0]);
    if (from && to && from != to && from->gain > 0 && to->gain > 0) {
        *(from->gain < to->gain ? &from->gain : &to->gain) = 0;
    }
}

/* ---- turning them */

static ox_val now(const struct layout *l, ox_val x)
{
    return x < l->n && l->of[x].same != OX_NONE ? l->of[x].same : x;
}

/* What x is the Transpose of. */
static ox_val turned(struct layout *l, ox_val x, const int64_t *perm, int rank)
{
    if (is_constant(l, x)) {
        return ox_turned_back(l->b, x, perm, rank);
    }
    if (l->of[x].turned == OX_NONE) {
        l->of[x].turned = ox_turned_back(l->b, now(l, x), perm, rank);
    }
    return l->of[x].turned;
}

/* Readers of x read y. */
static void replace(struct layout *l, ox_val x, ox_val y)
{
    y = ox_apart(l->b, y);
    if (l->m->values[x].is_output && (!l->m->values[y].producer || l->m->values[y].is_output)) {
        y = ox_emit(l->b, OX_Identity, OX_IN(y), OX_NO_ATTRS);
    }
    struct ox_value *values = l->m->values;
    l->of[x].same = y;
    if (values[x].is_output) {
        values[x].is_output = false;
        values[y].is_output = true;
        values[y].name = values[x].name;
        values[x].name = NULL;
    }
}

/* The shape of a value whose Transpose has the shape s. */
static struct mx_shape shape_before(struct layout *l, struct mx_shape s, const int64_t *perm)
{
    struct mx_dim_list dims = ox_no_dims(l->b);
    for (int i = 0; i < s.ndim; i++) {
        mx_put_dim(&dims, perm[i], s.dims[i]);
    }
    return ox_copy_shape(l->b, dims.v, dims.n);
}

/* Writes n over turned data. */
static void write(struct layout *l, struct ox_turn *t, const int64_t *perm, ox_val *out)
{
    const struct ox_node *n = t->n;
    t->perm = perm;
    for (int k = 0; k < n->n_in; k++) {
        t->in[k] = now(l, n->in[k]);
        if (rank_of(l, n->in[k]) == t->rank) {
            t->in[k] = turned(l, n->in[k], perm, t->rank);
        }
    }
    (void)ox_schemas[n->op].turn(t);
    if (n->n_out != 1 || lacks_axes(l, t)) {
        ox_node_n(l->b, n->op, t->in, t->attrs, out, n->n_out);
    } else {
        out[0] = ox_shaped(l->b, n->op, t->in, t->attrs, shape_before(l, l->m->values[n->out[0]].shape, perm));
    }
}

/* The data of n by which its group is known. */
static const int64_t *perm_for(struct layout *l, const struct ox_turn *t)
{
    for (int k = 0; k < t->n->n_in; k++) {
        if (rank_of(l, t->n->in[k]) == t->rank && turned_by(l, t->n->in[k])) {
            return turned_by(l, t->n->in[k]);
        }
    }
    return NULL;
}

static void turn_node(struct layout *l, struct ox_node *n, struct ox_turn *t, const int64_t *perm)
{
    ox_val *out = ox_scratch(l->b, (size_t)n->n_out, sizeof *out);
    if (!out) {
        return;
    }
    write(l, t, perm, out);
    for (int k = 0; k < n->n_out; k++) {
        if (lacks_axes(l, t)) {
            replace(l, n->out[k], out[k]);
        } else {
            l->of[n->out[k]].turned = out[k];
            if (l->of[n->out[k]].outside) {
                replace(l, n->out[k], ox_turned(l->b, out[k], perm, t->rank));
            }
        }
    }
    n->dead = true;
}

static void turn_transpose(struct layout *l, struct ox_node *n, const int64_t *r)
{
    const ox_val v = n->in[0], w = n->out[0];
    const int rank = rank_of(l, v);
    const int64_t *p = turned_by(l, v), *q = turned_by(l, w);
    const struct mx_int_list all = ox_counted(l->b, rank);
    struct mx_int_list composed = all;
    compose(r, p ? p : all.v, rank, composed.v);
    const ox_val x = p ? turned(l, v, p, rank) : now(l, v);
    const ox_val y = ox_turned(l->b, x, composed.v, rank);
    if (q && memcmp(q, composed.v, (size_t)rank * sizeof *q) == 0) {
        l->of[w].turned = x;
    }
    if (p || x != v) {
        replace(l, w, y);
    }
}

/* What a node that reshapes x may reshape instead: the data of a Transpose that only moves axes of size 1, which nothing else reads, or
 * those of a new Reshape. x itself if there are none. */
static ox_val before_reshape(struct layout *l, ox_val x)
{
    const struct ox_value *v = &l->m->values[x];
    const struct ox_node *n = v->producer;
    if (x >= l->n) {
        return ox_node_is(n, OX_Reshape) ? n->in[0] : x;
    }
    const int64_t *perm = v->uses == 1 && !v->is_output ? ox_perm_of(l->m, n) : NULL;
    return perm && cost(l, n->in[0], perm) == RESHAPE ? now(l, n->in[0]) : x;
}

static void turn_reshape(struct layout *l, const struct ox_node *n)
{
    const ox_val x = now(l, n->in[0]), out = n->out[0], y = before_reshape(l, x);
    if (x == y || rank_of(l, out) < 0) {
        return;
    }
    ox_register_dims(l->b, y);
    if (ox_can_reshape(l->b, ox_shape(l->b, y), l->m->values[out].shape)) {
        replace(l, out, ox_reshape_shape(l->b, y, l->m->values[out].shape));
    }
}

static void turn(struct layout *l, struct ox_node *n)
{
    struct ox_turn t;
    const int64_t *perm = ox_perm_of(l->m, n);
    if (perm) {
        turn_transpose(l, n, perm);
        return;
    }
    perm = find_turn(l, n, &t) ? perm_for(l, &t) : NULL;
    if (perm && (!lacks_axes(l, &t) || keeps_order(&t, perm))) {
        turn_node(l, n, &t, perm);
    } else if (ox_node_in(n, OX_OPS(OX_Flatten, OX_Reshape, OX_Squeeze, OX_Unsqueeze))) {
        turn_reshape(l, n);
    }
}

static int read_now(struct ox_model *m, struct ox_graph *g, void *user)
{
    const struct layout *l = user;
    for (int i = 0; i < g->n_nodes; i++) {
        struct ox_node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            n->in[k] = now(l, n->in[k]);
        }
    }
    for (int i = 0; i < g->n_outputs; i++) {
        g->outputs[i] = now(l, g->outputs[i]);
    }
    return MX_OK;
}

/* The name of x, which is not made any more, goes to y, and that of x's node to y's. */
static void pass_on(struct layout *l, ox_val x, ox_val y)
{
    struct ox_value *from = &l->m->values[x], *to = &l->m->values[y];
    struct ox_node *of = from->producer, *n = to->producer;
    if (!from->dead || to->dead || !n || n->from != of->from) { /* what is not made any more was made by a node */
        return;
    }
    if (!to->name) {
        to->name = from->name;
        from->name = NULL;
    }
    if (!n->name) {
        n->name = of->name;
        of->name = NULL;
    }
}

static void pass_on_names(struct layout *l)
{
    for (ox_val x = 1; x < l->n; x++) {
        pass_on(l, x, l->of[x].same);
        pass_on(l, x, l->of[x].turned);
    }
}

/* ---- all */

static int choose(struct ox_build *b, void *user)
{
    struct layout *l = user;
    l->b = b;
    for (ox_val x = 0; x < l->n; x++) {
        l->of[x].group = x;
    }
    MX_TRY(each_node(l, group_node));
    MX_TRY(each_node(l, vote_for));
    MX_TRY(ox_each_graph(l->m, find_outputs, l));
    MX_TRY(each_node(l, find_outside));
    MX_TRY(each_node(l, weigh));
    MX_TRY(each_node(l, settle));
    ox_remember_constants(b);
    MX_TRY(each_node(l, turn));
    MX_TRY(ox_each_graph(l->m, read_now, l));
    MX_TRY(ox_count_reads(l->m));
    pass_on_names(l);
    return MX_OK;
}

static bool has_transposes(const struct ox_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        if (ox_node_is(g->nodes[i], OX_Transpose)) {
            return true;
        }
    }
    return false;
}

int ox_choose_layouts(struct ox_model *m)
{
    if (!has_transposes(&m->main)) {
        return MX_OK;
    }
    struct layout l = {.m = m, .n = m->n_values, .of = mx_budget_array(m->arena.budget, NULL, 0, (size_t)m->n_values, sizeof *l.of)};
    const int status = l.of ? ox_with_builder(m, choose, &l) : MX_OUT_OF_MEMORY;
    mx_budget_array_free(m->arena.budget, l.of, (size_t)l.n, sizeof *l.of);
    return status;
}
