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

/* The inner one of two graphs, where one contains the other; NULL if g is NULL. */
static struct ox_graph *inner(struct ox_graph *g, struct ox_graph *other)
{
    return !g ? NULL : depth_of(g) > depth_of(other) ? g : other;
}

/* The innermost graph in which all of d's leaves can be read; NULL if one of them cannot be read anywhere. */
static struct ox_graph *home_of(struct ox_build *b, mx_dim d)
{
    const struct mx_dim_term *terms = NULL;
    struct ox_graph *home = &b->model->main;
    const int n = mx_dim_terms(b->model->dims, d, &terms);
    for (int i = 0; i < n && home; i++) {
        for (int k = 0; k < terms[i].n_factors && home; k++) {
            const struct mx_dim_factor f = mx_dim_factor(b->model->dims, terms[i].factors[k]);
            struct ox_graph *g = NULL;
            if (!f.is_leaf) {
                g = home_of(b, f.numerator);
            } else {
                const uint64_t key = ox_dim_key(mx_dim_resolve(b->model->dims, f.leaf));
                const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, key);
                /* An open graph is the current one or one around it: it is found by walking outward. */
                const struct ox_node *maker = m ? ox_value_of(b->model, m->value)->producer : NULL;
                const struct ox_graph *at = maker ? maker->graph : m ? m->graph : NULL;
                for (g = at ? b->graph : NULL; g && g != at;) {
                    g = g->outer;
                }
            }
            home = inner(g, home);
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
                text.text);
    }
    mx_str_free(&text);
}

static void remember_vector(struct ox_build *b, ox_val x, const mx_dim *dims, int n)
{
    if (ox_failed(b) || n > MX_MAX_RANK) {
        return;
    }
    const mx_dim *copy = mx_arena_copy(&b->model->arena, dims, (size_t)n, sizeof *dims);
    if (!copy) {
        ox_oom(b);
        return;
    }
    ox_remember(
        b, (struct ox_memo){.kind = OX_MEMO_VECTOR, .key = (uint64_t)x, .value = x, .dims = copy, .axis = (uint16_t)n, .graph = b->graph});
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
    ox_remember(b, (struct ox_memo){.kind = OX_MEMO_SHAPE, .key = key, .value = out, .graph = b->graph});
    remember_vector(b, out, ox_shape(b, x).dims + start, end - start);
    return out;
}

static ox_val read_leaf(struct ox_build *b, mx_dim leaf)
{
    const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, ox_dim_key(leaf));
    return m ? read_axes(b, m->value, m->axis, m->axis + 1) : OX_NONE;
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
    ox_remember(b, (struct ox_memo){.kind = OX_MEMO_SIZE, .key = key, .value = x, .graph = b->graph});
    return x;
}

static ox_val factor(struct ox_build *b, int32_t number)
{
    const struct mx_dim_factor f = mx_dim_factor(b->model->dims, number);
    return f.is_leaf ? compute(b, f.leaf) : floor_div(b, f.numerator, f.denominator);
}

/* |coefficient| * factors, for a term other than the constant. */
static ox_val term(struct ox_build *b, const struct mx_dim_term *t)
{
    const int64_t coefficient = t->coefficient < 0 ? -t->coefficient : t->coefficient;
    ox_val x = factor(b, t->factors[0]);
    for (int k = 1; k < t->n_factors; k++) {
        x = ox_emit(b, OX_Mul, OX_IN(x, factor(b, t->factors[k])), OX_NO_ATTRS);
    }
    return coefficient == 1 ? x : ox_emit(b, OX_Mul, OX_IN(x, ox_int(b, coefficient)), OX_NO_ATTRS);
}

/* The sum, with the positive terms first and the constant last. */
static ox_val sum(struct ox_build *b, mx_dim d)
{
    const struct mx_dim_term *terms = NULL;
    const int n = mx_dim_terms(b->model->dims, d, &terms);
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
    d = mx_dim_resolve(b->model->dims, d);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    const struct ox_memo *known = ox_recall(b, OX_MEMO_SIZE, ox_dim_key(d));
    if (known) {
        return known->value;
    }
    const ox_val x = mx_dim_is_leaf(b->model->dims, d) ? read_leaf(b, d) : sum(b, d);
    ox_remember(b, (struct ox_memo){.kind = OX_MEMO_SIZE, .key = ox_dim_key(d), .value = x, .graph = b->graph});
    remember_vector(b, x, &d, 1);
    return x;
}

/* ---- vectors of sizes: numbers (one may be -1) and dims that are read at run time */

static bool is_number(struct ox_build *b, mx_dim d)
{
    return mx_dim_known(b->model->dims, d, NULL);
}

static bool is_negative(struct ox_build *b, mx_dim d)
{
    int64_t number;
    return mx_dim_known(b->model->dims, d, &number) && number < 0;
}

/* The number of entries from list[0] on that are consecutive axes of one value; also that value and its first axis. An entry that is a
 * number is included if the value has that size there. */
static int run_of_axes(struct ox_build *b, const mx_dim *list, int n, ox_val *x, int *start)
{
    int lead = 0;
    while (lead < n && is_number(b, list[lead]) && !is_negative(b, list[lead])) {
        lead++;
    }
    if (lead == n || is_number(b, list[lead])) {
        return 0;
    }
    const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, ox_dim_key(mx_dim_resolve(b->model->dims, list[lead])));
    if (!m || m->axis < lead) {
        return 0;
    }
    *x = m->value;
    *start = m->axis - lead;
    const struct mx_shape s = ox_shape(b, *x);
    int count = 0;
    while (count < n && *start + count < s.ndim && mx_dim_equal(b->model->dims, list[count], s.dims[*start + count])) {
        count++;
    }
    return count > lead ? count : 0;
}

/* The entries from list[0] on as one value; *taken is the number of entries it contains. */
static ox_val next_part(struct ox_build *b, const mx_dim *list, int n, int *taken)
{
    struct mx_int_list numbers = ox_no_ints(b);
    ox_val x = OX_NONE;
    int start = 0;
    int64_t number;
    *taken = run_of_axes(b, list, n, &x, &start);
    if (*taken > 1) {
        return read_axes(b, x, start, start + *taken);
    }
    *taken = 0;
    while (*taken < n && mx_dim_known(b->model->dims, list[*taken], &number)) {
        mx_push_int(&numbers, number);
        (*taken)++;
        if (*taken < n && run_of_axes(b, list + *taken, n - *taken, &x, &start) > 1) {
            break;
        }
    }
    if (*taken > 0) {
        return ox_ints(b, numbers.v, numbers.n);
    }
    *taken = 1;
    return compute(b, list[0]);
}

/* The value of a list that was written before. */
static ox_val known_list(struct ox_build *b, uint64_t key, struct mx_shape list)
{
    const struct ox_memo *m = ox_recall(b, OX_MEMO_LIST, key);
    const struct ox_memo *v = m ? ox_recall(b, OX_MEMO_VECTOR, (uint64_t)m->value) : NULL;
    return v && mx_shape_equal(b->model->dims, (struct mx_shape){v->axis, v->dims}, list) ? m->value : OX_NONE;
}

static ox_val write_list(struct ox_build *b, const mx_dim *list, int n)
{
    ox_val *parts = ox_scratch(b, (size_t)n + 1, sizeof *parts);
    uint64_t key = (uint64_t)n;
    bool kept = true; /* lists with a -1 are not */
    int count = 0;
    for (int i = 0; i < n; i++) {
        kept = kept && !is_negative(b, list[i]);
        key = mx_mix(key, ox_dim_key(mx_dim_resolve(b->model->dims, list[i])));
    }
    const ox_val known = kept ? known_list(b, key, (struct mx_shape){n, list}) : OX_NONE;
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
    if (kept && count > 1) {
        remember_vector(b, x, list, n);
        ox_remember(b, (struct ox_memo){.kind = OX_MEMO_LIST, .key = key, .value = x, .graph = b->graph});
    }
    return x;
}

ox_val ox_dims(struct ox_build *b, const mx_dim *d, int n)
{
    struct mx_int_list numbers = ox_no_ints(b);
    struct ox_graph *home = &b->model->main;
    if (ox_failed(b)) {
        return OX_NONE;
    }
    if (ox_shape_numbers(b, (struct mx_shape){n, d}, &numbers)) {
        return ox_ints(b, numbers.v, numbers.n);
    }
    for (int i = 0; i < n; i++) {
        home = inner(home_of(b, d[i]), home);
        if (!home) {
            unreadable(b, d[i]);
            return OX_NONE;
        }
    }
    /* Shape arithmetic belongs to no MXNet node, and goes to where every later node can read it. */
    struct ox_graph *graph = b->graph;
    const struct mx_node *node = b->node;
    b->graph = home;
    b->node = NULL;
    const ox_val x = write_list(b, d, n);
    b->graph = graph;
    b->node = node;
    return x;
}

ox_val ox_dim(struct ox_build *b, mx_dim d)
{
    return ox_dims(b, &d, 1);
}
