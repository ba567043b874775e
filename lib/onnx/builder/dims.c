/* Sizes at run time: dims as Shape, Gather and integer arithmetic, written once per dim and model. */
#include <string.h>

#include "base/hash.h"
#include "onnx/builder/internal.h"

/* ---- where a dim can be computed */

static int depth_of(const struct ox_graph *g)
{
    int depth = 0;
    for (; g->outer; g = g->outer) {
        depth++;
    }
    return depth;
}

/* The innermost graph in which all of d's leaves can be read; NULL if one of them cannot be read anywhere. */
static struct ox_graph *home_of(struct ox_build *b, mx_dim d)
{
    const struct mx_dim_term *terms = NULL;
    struct ox_graph *home = &b->model->main;
    d = mx_dim_resolve(b->model->dims, d);
    const int n = mx_dim_known(b->model->dims, d, NULL) ? 0 : mx_dim_terms(b->model->dims, d, &terms);
    for (int i = 0; i < n && home; i++) {
        for (int k = 0; k < terms[i].n_factors && home; k++) {
            const struct mx_dim_factor *f = &terms[i].factors[k];
            struct ox_graph *g = NULL;
            if (!f->is_leaf) {
                g = home_of(b, f->numerator);
            } else {
                const uint64_t key = ox_dim_key(mx_dim_resolve(b->model->dims, f->leaf));
                const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, key);
                /* An open graph is the current one or one around it: it is found by walking outward. */
                const struct ox_node *maker = m ? ox_value_of(b->model, m->value)->producer : NULL;
                const struct ox_graph *at = maker ? maker->graph : m ? m->graph : NULL;
                for (g = at ? b->graph : NULL; g && g != at;) {
                    g = g->outer;
                }
            }
            home = g && depth_of(g) > depth_of(home) ? g : g ? home : NULL;
        }
    }
    return home;
}

bool ox_dim_readable(struct ox_build *b, mx_dim d)
{
    return home_of(b, d) != NULL;
}

static void unreadable(struct ox_build *b, mx_dim d)
{
    struct mx_str text = {0};
    mx_dim_format(b->model->dims, d, &text);
    if (text.failed) {
        ox_oom(b);
    } else {
        ox_fail(b, NULL, "the size %s is needed, but the model cannot compute it at run time" MX_HELP "fix the sizes of the inputs",
                text.text ? text.text : "?");
    }
    mx_str_free(&text);
}

/* Shape arithmetic belongs to no MXNet node, and goes to where every later node can read it. */
struct place {
    struct ox_graph *graph;
    const struct mx_node *node;
};

static struct place enter(struct ox_build *b, struct ox_graph *home)
{
    const struct place old = {b->graph, b->node};
    b->graph = home;
    b->node = NULL;
    return old;
}

static void leave(struct ox_build *b, struct place old)
{
    b->graph = old.graph;
    b->node = old.node;
}

static void remember_vector(struct ox_build *b, ox_val x, const mx_dim *dims, int n)
{
    if (ox_failed(b) || n > UINT16_MAX) {
        return;
    }
    const mx_dim *copy = mx_arena_copy(&b->model->arena, dims, (size_t)n, sizeof *dims);
    struct ox_memo *m = copy ? ox_remember(b, OX_MEMO_VECTOR, (uint64_t)x) : NULL;
    if (m) {
        m->dims = copy;
        m->axis = (uint16_t)n;
    }
}

/* ---- reading */

/* int64 (end - start): the sizes of axes [start, end) of x. */
static ox_val read_axes(struct ox_build *b, ox_val x, int start, int end)
{
    const uint64_t key = (uint64_t)x << 16 | (uint64_t)start << 8 | (uint64_t)end;
    const struct ox_memo *known = ox_recall(b, OX_MEMO_SHAPE, key);
    if (known) {
        return known->value;
    }
    const bool whole = start == 0 && end == ox_rank(b, x);
    const ox_val out = ox_emit(b, OX_Shape, OX_IN(x), whole ? OX_NO_ATTRS : OX_ATTRS(OX_I("start", start), OX_I("end", end)));
    struct ox_memo *m = ox_failed(b) ? NULL : ox_remember(b, OX_MEMO_SHAPE, key);
    if (m) {
        m->value = out;
        remember_vector(b, out, ox_shape(b, x).dims + start, end - start);
    }
    return out;
}

static ox_val compute(struct ox_build *b, mx_dim d);

/* floor(numerator / n), written once. ONNX's Div truncates, with the same result: the normal form leaves no negative number in a
 * numerator (graph/dim_table.c, floor_sum). */
static ox_val floor_div(struct ox_build *b, mx_dim numerator, int64_t n)
{
    const uint64_t key = ox_dim_key(mx_dim_floor_div(b->model->dims, numerator, n));
    const struct ox_memo *known = ox_recall(b, OX_MEMO_SIZE, key);
    if (known) {
        return known->value;
    }
    const ox_val x = ox_emit(b, OX_Div, OX_IN(compute(b, numerator), ox_int(b, n)), OX_NO_ATTRS);
    struct ox_memo *m = ox_failed(b) ? NULL : ox_remember(b, OX_MEMO_SIZE, key);
    if (m) {
        m->value = x;
    }
    return x;
}

static ox_val factor(struct ox_build *b, const struct mx_dim_factor *f)
{
    if (!f->is_leaf) {
        return floor_div(b, f->numerator, f->denominator);
    }
    const mx_dim leaf = mx_dim_resolve(b->model->dims, f->leaf);
    const struct ox_memo *size = ox_recall(b, OX_MEMO_SIZE, ox_dim_key(leaf));
    if (size) {
        return size->value;
    }
    const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, ox_dim_key(leaf));
    const ox_val x = m ? read_axes(b, m->value, m->axis, m->axis + 1) : OX_NONE;
    struct ox_memo *memo = ox_failed(b) ? NULL : ox_remember(b, OX_MEMO_SIZE, ox_dim_key(leaf));
    if (memo) {
        memo->value = x;
    }
    return x;
}

/* |coefficient| * factors, for a term other than the constant. */
static ox_val term(struct ox_build *b, const struct mx_dim_term *t)
{
    const int64_t coefficient = t->coefficient < 0 ? -t->coefficient : t->coefficient;
    ox_val x = factor(b, &t->factors[0]);
    for (int k = 1; k < t->n_factors; k++) {
        x = ox_emit(b, OX_Mul, OX_IN(x, factor(b, &t->factors[k])), OX_NO_ATTRS);
    }
    return coefficient == 1 ? x : ox_emit(b, OX_Mul, OX_IN(x, ox_int(b, coefficient)), OX_NO_ATTRS);
}

/* The sum, with the positive terms first and the constant last. */
static ox_val sum(struct ox_build *b, const struct mx_dim_term *terms, int n)
{
    ox_val x = OX_NONE;
    int64_t constant = 0;
    for (int i = 0; i < n; i++) {
        if (terms[i].n_factors == 0) {
            constant = terms[i].coefficient;
        } else if (terms[i].coefficient > 0) {
            const ox_val y = term(b, &terms[i]);
            x = x == OX_NONE ? y : ox_emit(b, OX_Add, OX_IN(x, y), OX_NO_ATTRS);
        }
    }
    if (x == OX_NONE) {
        x = ox_int(b, constant);
        constant = 0;
    }
    for (int i = 0; i < n; i++) {
        if (terms[i].n_factors > 0 && terms[i].coefficient < 0) {
            x = ox_emit(b, OX_Sub, OX_IN(x, term(b, &terms[i])), OX_NO_ATTRS);
        }
    }
    if (constant != 0) {
        x = constant > 0 ? ox_emit(b, OX_Add, OX_IN(x, ox_int(b, constant)), OX_NO_ATTRS)
                         : ox_emit(b, OX_Sub, OX_IN(x, ox_int(b, -constant)), OX_NO_ATTRS);
    }
    return x;
}

static ox_val compute(struct ox_build *b, mx_dim d)
{
    const struct mx_dim_term *terms = NULL;
    int64_t size = 0;
    d = mx_dim_resolve(b->model->dims, d);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (mx_dim_known(b->model->dims, d, &size)) {
        return ox_int(b, size);
    }
    const struct ox_memo *known = ox_recall(b, OX_MEMO_SIZE, ox_dim_key(d));
    if (known) {
        return known->value;
    }
    const int n = mx_dim_terms(b->model->dims, d, &terms);
    const ox_val x = sum(b, terms, n);
    struct ox_memo *m = ox_failed(b) ? NULL : ox_remember(b, OX_MEMO_SIZE, ox_dim_key(d));
    if (m) {
        m->value = x;
        remember_vector(b, x, &d, 1);
    }
    return x;
}

ox_val ox_dim(struct ox_build *b, mx_dim d)
{
    struct ox_graph *home = ox_failed(b) ? NULL : home_of(b, d);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (!home) {
        unreadable(b, d);
        return OX_NONE;
    }
    const struct place old = enter(b, home);
    const ox_val x = compute(b, d);
    leave(b, old);
    return x;
}

/* ---- vectors of sizes */

static bool same_size(struct ox_build *b, const struct ox_size *s, mx_dim d)
{
    return mx_dim_equal(b->model->dims, s->is_number ? mx_dim_of(s->number) : s->dim, d);
}

/* The number of entries from list[0] on that are consecutive axes of one value; also that value and its first axis. An entry that is a
 * number is included if the value has that size there. */
static int run_of_axes(struct ox_build *b, const struct ox_size *list, int n, ox_val *x, int *start)
{
    int lead = 0;
    while (lead < n && list[lead].is_number && list[lead].number >= 0) {
        lead++;
    }
    if (lead == n || list[lead].is_number) {
        return 0;
    }
    const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, ox_dim_key(mx_dim_resolve(b->model->dims, list[lead].dim)));
    if (!m || m->axis < lead) {
        return 0;
    }
    *x = m->value;
    *start = m->axis - lead;
    const struct mx_shape s = ox_shape(b, *x);
    int count = 0;
    while (count < n && *start + count < s.ndim && !(list[count].is_number && list[count].number < 0)
           && same_size(b, &list[count], s.dims[*start + count])) {
        count++;
    }
    return count > lead ? count : 0;
}

/* The entries from list[0] on as one value; *taken is the number of entries it contains. */
static ox_val next_part(struct ox_build *b, const struct ox_size *list, int n, int *taken)
{
    struct mx_int_list numbers = ox_no_ints(b);
    ox_val x = OX_NONE;
    int start = 0;
    *taken = run_of_axes(b, list, n, &x, &start);
    if (*taken > 1 || (*taken == 1 && !ox_recall(b, OX_MEMO_SIZE, ox_dim_key(mx_dim_resolve(b->model->dims, list[0].dim))))) {
        return *taken > 1 ? read_axes(b, x, start, start + *taken) : compute(b, list[0].dim);
    }
    *taken = 0;
    while (*taken < n && list[*taken].is_number) {
        mx_push_int(&numbers, list[*taken].number);
        (*taken)++;
        if (*taken < n && run_of_axes(b, list + *taken, n - *taken, &x, &start) > 1) {
            break;
        }
    }
    if (*taken > 0) {
        return ox_ints(b, numbers.v, numbers.n);
    }
    *taken = 1;
    return compute(b, list[0].dim);
}

/* -1 has its own key: it is not a dim. */
static uint64_t list_key(struct ox_build *b, const struct ox_size *list, int n)
{
    uint64_t h = (uint64_t)n;
    for (int i = 0; i < n; i++) {
        const uint64_t part =
            list[i].is_number ? (uint64_t)list[i].number * 2 + 1 : ox_dim_key(mx_dim_resolve(b->model->dims, list[i].dim)) * 2;
        h = mx_mix(h, part);
    }
    return h;
}

/* The value of a list that was written before. Lists with a -1 are not kept. */
static ox_val known_list(struct ox_build *b, uint64_t key, const struct ox_size *list, int n)
{
    const struct ox_memo *m = ox_recall(b, OX_MEMO_LIST, key);
    const ox_val x = m ? m->value : OX_NONE;
    const struct ox_memo *v = m ? ox_recall(b, OX_MEMO_VECTOR, (uint64_t)x) : NULL;
    for (int i = 0; i < n && v; i++) {
        if (v->axis != n || !same_size(b, &list[i], v->dims[i])) {
            return OX_NONE;
        }
    }
    return v ? x : OX_NONE;
}

static ox_val write_list(struct ox_build *b, const struct ox_size *list, int n)
{
    ox_val *parts = ox_scratch(b, (size_t)n + 1, sizeof *parts);
    struct mx_dim_list dims = ox_no_dims(b);
    int count = 0;
    bool plain = true;
    for (int i = 0; i < n; i++) {
        plain = plain && (!list[i].is_number || list[i].number >= 0);
        mx_push_dim(&dims, !list[i].is_number ? list[i].dim : mx_dim_of(plain ? list[i].number : 0));
    }
    const uint64_t key = list_key(b, list, n);
    const ox_val known = plain ? known_list(b, key, list, n) : OX_NONE;
    if (known != OX_NONE) {
        return known;
    }
    for (int i = 0; parts && i < n && !ox_failed(b);) {
        int taken = 0;
        parts[count++] = next_part(b, list + i, n - i, &taken);
        i += taken;
    }
    if (ox_failed(b)) {
        return OX_NONE;
    }
    parts[count] = OX_END;
    const ox_val x = count == 1 ? parts[0] : ox_emit(b, OX_Concat, parts, OX_ATTRS(OX_I("axis", 0)));
    if (plain && count > 1) {
        remember_vector(b, x, dims.v, dims.n);
        struct ox_memo *m = ox_failed(b) ? NULL : ox_remember(b, OX_MEMO_LIST, key);
        if (m) {
            m->value = x;
        }
    }
    return x;
}

void ox_push_size(struct ox_build *b, struct ox_size_list *l, struct ox_size size)
{
    if (l->n < MX_MAX_RANK) {
        l->v[l->n++] = size;
    } else {
        mx_list_fail(&b->list_error, MX_LIST_FULL);
    }
}

ox_val ox_sizes(struct ox_build *b, const struct ox_size_list *l)
{
    const struct ox_size *list = l->v;
    const int n = l->n;
    struct mx_int_list numbers = ox_no_ints(b);
    struct ox_graph *home = &b->model->main;
    bool all = true;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    for (int i = 0; i < n; i++) {
        mx_push_int(&numbers, list[i].number);
        all = all && list[i].is_number;
        struct ox_graph *g = list[i].is_number ? &b->model->main : home_of(b, list[i].dim);
        if (!g) {
            unreadable(b, list[i].dim);
            return OX_NONE;
        }
        home = depth_of(g) > depth_of(home) ? g : home;
    }
    if (all) {
        return ox_ints(b, numbers.v, numbers.n);
    }
    const struct place old = enter(b, home);
    const ox_val x = write_list(b, list, n);
    leave(b, old);
    return x;
}

ox_val ox_dims(struct ox_build *b, const mx_dim *d, int n)
{
    struct ox_size_list list;
    list.n = 0;
    if (n < 0 || n > MX_MAX_RANK) {
        /* Not by a file: n is the rank of a shape. */
        ox_broken(b, "internal error: %d sizes in one vector", n);
        return OX_NONE;
    }
    for (int i = 0; i < n; i++) {
        int64_t size = 0;
        const bool known = !ox_failed(b) && mx_dim_known(b->model->dims, d[i], &size);
        ox_push_size(b, &list, (struct ox_size){.is_number = known, .number = size, .dim = d[i]});
    }
    return ox_sizes(b, &list);
}
