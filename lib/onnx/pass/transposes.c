/* Nodes that keep all elements (Reshape, Squeeze, Unsqueeze, Flatten, Transpose), one after the other, are written with the fewest nodes
 * that do the same: a Reshape, or a Transpose with a Reshape before it, after it, or both. */
#include "onnx/pass/rewrite.h"

enum { LONGEST = 5 }; /* nodes of a chain that are considered together */

/* What a chain does: the sizes of its input, cut wherever one of its nodes cuts them, in the order of its result. Sizes of 1 are left out.
 */
struct order {
    struct mx_dim_list sizes;
    struct mx_int_list places; /* the input has them in the order 0, 1, ... */
};

struct chain {
    struct ox_node *nodes[LONGEST]; /* the last one first */
    int n, alone;                   /* the first `alone` of them are read by the chain only */
};

/* One Transpose and the shape of what it reads. */
struct turn {
    struct mx_dim_list dims;
    struct mx_int_list perm;
};

struct way {
    enum { NO_TURN, EARLY, LATE, BETWEEN } form; /* where the Transpose is: nowhere, before or after a Reshape, between two */
    int length;                                  /* nodes of a chain that are written in this way */
    int n_nodes, most;                           /* that are written, and that may be */
    struct turn turn;                            /* EARLY: the one that turns its result back */
};

static struct order no_order(struct ox_build *b)
{
    return (struct order){ox_no_dims(b), ox_no_ints(b)};
}

static void push(struct order *o, mx_dim size, int64_t place)
{
    mx_push_dim(&o->sizes, size);
    mx_push_int(&o->places, place);
}

static bool is_one(struct mx_dims *t, mx_dim d)
{
    return mx_dim_equal(t, d, mx_dim_of(1));
}

/* True if b divides a whatever their names are at run time. */
static bool divides(struct mx_dims *t, mx_dim b, mx_dim a, mx_dim *quotient)
{
    int64_t size;
    return !(mx_dim_known(t, a, &size) && size < 1) && mx_dim_div_exact(t, a, b, quotient)
           && mx_dim_equal(t, mx_dim_mul(t, *quotient, b), a);
}

/* Size k becomes two sizes. */
static void split(struct order *o, int k, mx_dim first, mx_dim second)
{
    const struct order old = *o;
    const int64_t place = mx_get_int(&old.places, k);
    o->sizes.n = o->places.n = 0;
    for (int i = 0; i < old.sizes.n; i++) {
        const int64_t at = mx_get_int(&old.places, i);
        push(o, i == k ? first : mx_get_dim(&old.sizes, i), at > place ? at + 1 : at);
        if (i == k) {
            push(o, second, place + 1);
        }
    }
}

/* Cuts the sizes so that each axis of s consists of some of them: ends has the end of each. False if that is not possible. */
static bool cut(struct mx_dims *t, struct mx_shape s, struct order *o, struct mx_int_list *ends)
{
    int k = 0;
    ends->n = 0;
    for (int i = 0; i < s.ndim; i++) {
        mx_dim rest = s.dims[i], more;
        for (; !is_one(t, rest); k++) {
            const mx_dim size = k < o->sizes.n ? mx_get_dim(&o->sizes, k) : mx_dim_of(0);
            if (divides(t, size, rest, &more)) {
                rest = more;
            } else if (o->sizes.n < MX_MAX_RANK && divides(t, rest, size, &more)) {
                split(o, k, rest, more);
                rest = mx_dim_of(1);
            } else {
                return false;
            }
        }
        mx_push_int(ends, k);
    }
    return k == o->sizes.n;
}

static int64_t begin_of(const struct mx_int_list *ends, int64_t axis)
{
    return axis > 0 ? mx_get_int(ends, axis - 1) : 0;
}

/* What one more node does. */
static bool follow(struct ox_build *b, const struct ox_node *n, struct order *o)
{
    struct mx_int_list ends = ox_no_ints(b);
    struct order turned = no_order(b);
    const bool transposes = ox_node_is(n, OX_Transpose);
    const struct mx_shape s = ox_shape(b, transposes ? n->in[0] : n->out[0]);
    const int64_t *perm = ox_perm_of(b->model, n);
    if (!cut(b->model->dims, s, o, &ends) || (transposes && !perm)) {
        return false;
    }
    for (int i = 0; transposes && i < s.ndim; i++) {
        for (int64_t k = begin_of(&ends, perm[i]); k < mx_get_int(&ends, perm[i]); k++) {
            push(&turned, mx_get_dim(&o->sizes, k), mx_get_int(&o->places, k));
        }
    }
    *o = transposes ? turned : *o;
    return true;
}

/* The order in which the input has the sizes of the result. */
static struct order inverse(struct ox_build *b, const struct order *o)
{
    struct order out = no_order(b);
    for (int k = 0; k < o->sizes.n; k++) {
        mx_put_dim(&out.sizes, mx_get_int(&o->places, k), mx_get_dim(&o->sizes, k));
        mx_put_int(&out.places, mx_get_int(&o->places, k), k);
    }
    return out;
}

/* True if size k follows size k - 1 in the input, too. */
static bool together(const struct order *o, int64_t k)
{
    return k > 0 && mx_get_int(&o->places, k) == mx_get_int(&o->places, k - 1) + 1;
}

/* The Transpose whose result has the shape s, if its axes are whole in the input as well. Axes of size 1 stay where they are. */
static bool turn_to(struct ox_build *b, struct mx_shape s, const struct order *order, struct turn *out)
{
    struct order o = *order;
    struct mx_int_list ends = ox_no_ints(b), axis_at = ox_repeated(b, -1, o.sizes.n);
    if (!cut(b->model->dims, s, &o, &ends)) {
        return false;
    }
    for (int i = 0; i < s.ndim; i++) {
        const int64_t begin = begin_of(&ends, i), end = mx_get_int(&ends, i);
        for (int64_t k = begin + 1; k < end; k++) {
            if (!together(&o, k)) {
                return false;
            }
        }
        if (begin < end) {
            mx_put_int(&axis_at, mx_get_int(&o.places, begin), i);
        }
    }
    int64_t place = 0;
    for (int i = 0; i < s.ndim; i++) {
        int64_t axis = i;
        if (begin_of(&ends, i) < mx_get_int(&ends, i)) {
            while (mx_get_int(&axis_at, place) < 0) {
                place++;
            }
            axis = mx_get_int(&axis_at, place++);
        }
        mx_push_dim(&out->dims, s.dims[axis]);
        mx_put_int(&out->perm, axis, i);
    }
    return true;
}

/* The Transpose of the sizes themselves; those that stay together are one axis. */
static struct turn turn_all(struct ox_build *b, const struct order *o)
{
    struct mx_dim_list axes = ox_no_dims(b);
    struct turn out = {ox_no_dims(b), ox_no_ints(b)};
    for (int k = 0; k < o->sizes.n; k++) {
        const mx_dim size = mx_get_dim(&o->sizes, k);
        if (together(o, k)) {
            mx_put_dim(&axes, axes.n - 1, mx_dim_mul(b->model->dims, mx_get_dim(&axes, axes.n - 1), size));
        } else {
            mx_push_dim(&axes, size);
        }
    }
    (void)turn_to(b, mx_list_shape(&axes), o, &out);
    return out;
}

static bool in_order(const struct order *o)
{
    for (int k = 0; k < o->sizes.n; k++) {
        if (mx_get_int(&o->places, k) != k) {
            return false;
        }
    }
    return true;
}

/* How a value of shape `from` becomes one of shape `to`, in this order. A Transpose is the last node if possible: a product that reads it
 * may take it in. */
static struct way find_way(struct ox_build *b, struct mx_shape from, struct mx_shape to, const struct order *o)
{
    const struct order back = inverse(b, o);
    struct turn early = {ox_no_dims(b), ox_no_ints(b)}, late = early;
    if (in_order(o)) {
        return (struct way){.form = NO_TURN, .n_nodes = 1};
    }
    const bool is_early = turn_to(b, from, &back, &early), is_late = turn_to(b, to, o, &late);
    const bool only_early = is_early && ox_shapes_equal(b, mx_list_shape(&early.dims), to);
    const bool only_late = is_late && ox_shapes_equal(b, mx_list_shape(&late.dims), from);
    if (is_late && (only_late || !only_early)) {
        return (struct way){.form = LATE, .n_nodes = only_late ? 1 : 2, .turn = late};
    }
    return is_early ? (struct way){.form = EARLY, .n_nodes = only_early ? 1 : 2, .turn = early}
                    : (struct way){.form = BETWEEN, .n_nodes = 3, .turn = turn_all(b, o)};
}

static ox_val write(struct ox_build *b, ox_val x, struct mx_shape to, const struct way *w)
{
    const int64_t *perm = w->turn.perm.v;
    const int n = w->turn.perm.n;
    switch (w->form) {
    case NO_TURN: break;
    case EARLY: x = ox_turned_back(b, x, perm, n); break;
    case LATE:
    case BETWEEN: x = ox_transpose(b, ox_reshape_shape(b, x, mx_list_shape(&w->turn.dims)), perm, n); break;
    }
    return ox_reshape_shape(b, x, to);
}

/* ---- chains */

static bool keeps_elements(const struct ox_model *m, const struct ox_node *n)
{
    return ox_node_in(n, OX_OPS(OX_Reshape, OX_Squeeze, OX_Unsqueeze, OX_Flatten, OX_Transpose)) && m->values[n->in[0]].shape.ndim >= 0
           && m->values[n->out[0]].shape.ndim >= 0;
}

static struct chain find_chain(const struct ox_model *m, struct ox_node *last)
{
    struct chain c = {.nodes = {last}, .n = 1, .alone = 1};
    while (c.n < LONGEST) {
        const ox_val x = c.nodes[c.n - 1]->in[0];
        if (!ox_made_in(&m->values[x], &m->main) || !keeps_elements(m, m->values[x].producer)) {
            break;
        }
        c.alone += c.alone == c.n && ox_only_maker(m, &m->main, x);
        c.nodes[c.n++] = m->values[x].producer;
    }
    return c;
}

/* How the last `length` nodes of the chain are written. False if their shapes do not say what they do. */
static bool read_chain(struct ox_build *b, const struct chain *c, int length, struct way *w)
{
    struct order o = no_order(b);
    const struct mx_shape from = ox_shape(b, c->nodes[length - 1]->in[0]);
    for (int i = 0; i < from.ndim; i++) {
        if (!is_one(b->model->dims, from.dims[i])) {
            push(&o, from.dims[i], o.sizes.n);
        }
    }
    for (int i = length; i-- > 0;) {
        if (!follow(b, c->nodes[i], &o)) {
            return false;
        }
    }
    *w = find_way(b, from, ox_shape(b, c->nodes[0]->out[0]), &o);
    w->length = length;
    return true;
}

/* Puts x, a new value, in place of `wanted`. A Transpose that may not come before a product stays where it is. */
static int replace(struct ox_build *b, ox_val x, int last, ox_val wanted, bool *changed)
{
    struct ox_model *m = b->model;
    const bool as_it_is = !ox_failed(b) && x >= last && m->values[x].producer && ox_apart(b, x) == x;
    MX_TRY(ox_status(b));
    *changed = true;
    if (!as_it_is) {
        return MX_OK;
    }
    m->values[wanted].producer->dead = true;
    return ox_set_result(m, m->values[x].producer, wanted);
}

static bool can_write(struct ox_build *b, struct mx_shape from, struct mx_shape to, const struct way *w)
{
    const struct mx_shape turns = mx_list_shape(&w->turn.dims);
    struct mx_dim_list turned = ox_no_dims(b);
    for (int i = 0; i < w->turn.perm.n; i++) {
        mx_push_dim(&turned, turns.dims[w->turn.perm.v[i]]);
    }
    switch (w->form) {
    case NO_TURN: break;
    case EARLY: return ox_can_reshape(b, turns, to);
    case LATE: return ox_can_reshape(b, from, turns);
    case BETWEEN: return ox_can_reshape(b, from, turns) && ox_can_reshape(b, mx_list_shape(&turned), to);
    }
    return ox_can_reshape(b, from, to);
}

/* Writes the last nodes of the chain in this way, unless that takes more nodes than it may: sizes that are computed are some, too. */
static int rewrite(struct ox_build *b, const struct chain *c, const struct way *w, bool *changed)
{
    struct ox_model *m = b->model;
    const int last = m->n_values, n_nodes = m->main.n_nodes;
    const ox_val x = c->nodes[w->length - 1]->in[0], wanted = c->nodes[0]->out[0];
    b->node = c->nodes[0]->from;
    ox_register_dims(b, x);
    if (!can_write(b, ox_shape(b, x), ox_shape(b, wanted), w)) {
        return ox_status(b);
    }
    const ox_val y = write(b, x, ox_shape(b, wanted), w);
    *changed = true;
    return m->main.n_nodes - n_nodes <= w->most ? replace(b, y, last, wanted, changed) : ox_status(b);
}

static int shorten(struct ox_build *b, const struct chain *c, bool *changed)
{
    struct way w = {.n_nodes = 0}, best = w;
    int saved = 0;
    for (int i = 2; i <= c->n && c->alone > 1; i++) {
        const int gone = i < c->alone ? i : c->alone;
        if (gone - 1 > saved && read_chain(b, c, i, &w) && gone - w.n_nodes > saved) {
            best = w;
            best.most = gone - 1;
            saved = gone - w.n_nodes;
        }
    }
    return saved > 0 ? rewrite(b, c, &best, changed) : ox_status(b);
}

/* What others read as well, a Reshape of a Transpose, becomes a Transpose of a Reshape. */
static int turn(struct ox_build *b, struct ox_node *reshape, bool *changed)
{
    const struct chain c = find_chain(b->model, reshape);
    struct way w;
    if (c.alone < 2 || !ox_node_is(c.nodes[1], OX_Transpose) || !read_chain(b, &c, 2, &w) || w.form != LATE) {
        return ox_status(b);
    }
    w.most = 2;
    return rewrite(b, &c, &w, changed);
}

static int join(struct ox_build *b, struct ox_node *n, void *user, bool *changed)
{
    const struct ox_model *m = b->model;
    if (!keeps_elements(m, n)) {
        return MX_OK;
    }
    const struct chain c = find_chain(m, n);
    MX_TRY(shorten(b, &c, changed));
    if (!ox_node_is(n, OX_Transpose) || c.n < 2) {
        return MX_OK;
    }
    if (ox_node_is(c.nodes[1], OX_Reshape)) {
        MX_TRY(turn(b, c.nodes[1], changed));
    }
    const int last = m->n_values;
    const int64_t *perm = ox_perm_of(m, n);
    if (!perm || !ox_node_is(m->values[n->in[0]].producer, OX_Transpose)) {
        return MX_OK;
    }
    b->node = n->from;
    return replace(b, ox_transpose(b, n->in[0], perm, m->values[n->in[0]].shape.ndim), last, n->out[0], changed);
}

int ox_join_transposes(struct ox_model *m)
{
    return ox_rewrite_nodes(m, join, NULL);
}
