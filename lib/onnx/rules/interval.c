/* The smallest and largest element that a value can have, as far as the nodes before it show: an index from ArgMax, a sigmoid, class
 * numbers known at export. */
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "onnx/rules/rows.h"
#include "onnx/tensor/bytes.h"

enum { MOST_VALUES = 2048, MOST_DEEP = 64, MOST_ELEMENTS = 1 << 16, MOST_READ = 2 * MOST_ELEMENTS, READING = 16 /* work per element */ };

/* A walk from a value towards its sources. It ends after MOST_VALUES, since a graph may combine the same values again and again. */
struct ox_walk {
    struct ox_build *b;
    int visited, depth;
    uint64_t read; /* elements of constants */
};

/* Elements [begin, end) along an axis, which is counted from the last one as -1; axis 0 stands for all elements. */
struct ox_extent {
    int axis;
    int64_t begin, end;
};

struct ox_interval {
    double lo, hi; /* of the elements that are numbers */
    bool nan;      /* there may be others */
};

static const struct ox_extent whole = {0};

static bool find(struct ox_walk *w, ox_val x, struct ox_extent part, struct ox_interval *out);

static void unite(struct ox_interval *to, struct ox_interval other, bool first)
{
    to->lo = first || other.lo < to->lo ? other.lo : to->lo;
    to->hi = first || other.hi > to->hi ? other.hi : to->hi;
    to->nan = other.nan || (!first && to->nan);
}

/* ---- constants */

/* Numbers are compared as float64. */
static bool of_tensor(struct ox_walk *w, const struct ox_tensor *t, struct ox_interval *out)
{
    double values[256];
    bool nan = false;
    const uint64_t count = ox_tensor_elements(t);
    if (count == 0 || count > MOST_ELEMENTS || count > MOST_READ - w->read || !ox_tensor_in_memory(t)) {
        return false;
    }
    w->read += count;
    mx_count_work(w->b->model->arena.budget, READING * count);
    *out = (struct ox_interval){0, 0, false};
    for (uint64_t i = 0; i < count;) {
        uint64_t raw[256];
        const size_t n = count - i < 256 ? (size_t)(count - i) : 256;
        if (ox_tensor_read_some(t, i, n, raw) != MX_OK) {
            return false;
        }
        ox_convert(t->dtype, MX_FLOAT64, raw, values, n);
        for (size_t k = 0; k < n; k++) {
            nan = nan || isnan(values[k]);
            unite(out, (struct ox_interval){values[k], values[k], nan}, i + k == 0);
        }
        i += n;
    }
    return out->lo <= out->hi;
}

/* ---- nodes that pass elements on */

static bool same_size(struct ox_walk *w, ox_val x, ox_val y, int axis)
{
    return -axis <= ox_rank(w->b, x) && -axis <= ox_rank(w->b, y)
           && mx_dim_equal(ox_dims_table(w->b), ox_dim_at(w->b, x, axis), ox_dim_at(w->b, y, axis));
}

/* The part of input i that corresponds to `part` of the output, if the axis is not broadcast. */
static struct ox_extent of_operand(struct ox_walk *w, const struct ox_node *n, int i, struct ox_extent part)
{
    return part.axis != 0 && same_size(w, n->in[i], n->out[0], part.axis) ? part : whole;
}

static bool operand(struct ox_walk *w, const struct ox_node *n, int i, struct ox_extent part, struct ox_interval *out)
{
    return find(w, n->in[i], of_operand(w, n, i, part), out);
}

bool ox_interval_handed_on(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    return operand(w, n, 0, part, out);
}

bool ox_interval_any_part(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    return find(w, n->in[0], whole, out);
}

/* The last axis is often unchanged. */
bool ox_interval_reshaped(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    return find(w, n->in[0], part.axis == -1 ? of_operand(w, n, 0, part) : whole, out);
}

/* Whole rows are taken if not all axes are indexed. */
bool ox_interval_rows(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    int64_t depth;
    const int64_t batch = ox_attr_int(n->attrs, "batch_dims", 0);
    const bool kept = ox_size_at(w->b, n->in[1], -1, &depth) && batch + depth < ox_rank(w->b, n->in[0]);
    return kept ? ox_interval_reshaped(w, n, part, out) : find(w, n->in[0], whole, out);
}

bool ox_interval_transposed(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    int rank;
    const int64_t *perm = ox_attr_ints(n->attrs, "perm", &rank);
    part.axis = part.axis != 0 && perm && -part.axis <= rank ? (int)perm[rank + part.axis] - rank : 0;
    return find(w, n->in[0], part, out);
}

bool ox_interval_joined(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    const int rank = ox_rank(w->b, n->out[0]);
    int64_t axis = ox_attr_int(n->attrs, "axis", 0), at = 0;
    bool first = true;
    axis -= axis >= 0 ? rank : 0;
    for (int i = 0; i < n->n_in; i++) {
        struct ox_extent inside = part;
        struct ox_interval one;
        int64_t size;
        if (axis == part.axis) {
            if (!ox_size_at(w->b, n->in[i], (int)axis, &size)) {
                return false;
            }
            inside.begin = part.begin > at ? part.begin - at : 0;
            inside.end = part.end - at < size ? part.end - at : size;
            at += size;
        }
        if (axis == part.axis && inside.begin >= inside.end) {
            continue;
        }
        if (!find(w, n->in[i], inside, &one)) {
            return false;
        }
        unite(out, one, first);
        first = false;
    }
    return !first;
}

/* With one element on an axis: that part of the data. */
bool ox_interval_gathered(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    int64_t at, size;
    struct ox_extent taken = whole;
    const int rank = ox_rank(w->b, n->in[0]);
    int64_t axis = ox_attr_int(n->attrs, "axis", 0);
    axis -= axis >= 0 ? rank : 0;
    if (rank > 0 && ox_const_int(w->b, n->in[1], &at) && ox_size_at(w->b, n->in[0], (int)axis, &size)) {
        at = mx_wrap(at, size);
        taken = at >= 0 && at < size ? (struct ox_extent){(int)axis, at, at + 1} : whole;
    }
    return find(w, n->in[0], taken, out);
}

/* The newest form: starts, ends, axes, steps. */
bool ox_interval_sliced(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    int64_t start, end, axis, size;
    const int rank = ox_rank(w->b, n->in[0]);
    if (n->n_in < 4 || !ox_const_int(w->b, n->in[1], &start) || !ox_const_int(w->b, n->in[2], &end)
        || !ox_const_int(w->b, n->in[3], &axis)) {
        return find(w, n->in[0], whole, out);
    }
    axis -= axis >= 0 ? rank : 0;
    if (part.axis == axis) {
        part = whole;
    } else if (part.axis == 0 && n->n_in == 4 && start >= 0 && end >= 0 && ox_size_at(w->b, n->in[0], (int)axis, &size)) {
        part = (struct ox_extent){(int)axis, start, end < size ? end : size};
    }
    return find(w, n->in[0], part, out);
}

bool ox_interval_chosen(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    struct ox_interval other;
    if (!operand(w, n, 1, part, out) || !operand(w, n, 2, part, &other)) {
        return false;
    }
    unite(out, other, false);
    return true;
}

/* ---- nodes that compute */

bool ox_interval_between_0_and_1(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    (void)w, (void)n, (void)part;
    *out = (struct ox_interval){0, 1, true};
    return true;
}

bool ox_interval_between_signs(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    (void)w, (void)n, (void)part;
    *out = (struct ox_interval){-1, 1, true};
    return true;
}

bool ox_interval_position(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    int64_t size;
    if (!ox_size_at(w->b, n->in[0], (int)ox_attr_int(n->attrs, "axis", 0), &size)) {
        return false;
    }
    *out = (struct ox_interval){0, (double)(size - 1), false};
    return true;
}

/* True if the type holds these numbers without wrap-around and, if they are integers, without rounding. */
static bool holds(enum mx_dtype t, struct ox_interval x)
{
    static const int32_t most[MX_DTYPE_COUNT] = {
        [MX_INT8] = INT8_MAX,   [MX_UINT8] = UINT8_MAX, [MX_INT16] = INT16_MAX,  [MX_UINT16] = UINT16_MAX,
        [MX_FLOAT16] = 1 << 11, [MX_BFLOAT16] = 1 << 8, [MX_FLOAT32] = 1 << 24,  [MX_FLOAT64] = INT32_MAX,
        [MX_INT32] = INT32_MAX, [MX_INT64] = INT32_MAX, [MX_UINT32] = INT32_MAX, [MX_UINT64] = INT32_MAX};
    return x.lo >= (mx_dtype_is_signed(t) ? -most[t] : 0) && x.hi <= most[t];
}

/* The bounds of what n computes, unless an integer may wrap around. */
static bool computed(struct ox_walk *w, const struct ox_node *n, struct ox_interval x, struct ox_interval *out)
{
    const enum mx_dtype t = ox_dtype(w->b, n->out[0]);
    *out = x;
    return !mx_dtype_is_integer(t) || holds(t, x);
}

bool ox_interval_sum(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    struct ox_interval x, y;
    return operand(w, n, 0, part, &x) && operand(w, n, 1, part, &y)
           && computed(w, n, (struct ox_interval){x.lo + y.lo, x.hi + y.hi, x.nan || y.nan}, out);
}

bool ox_interval_difference(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    struct ox_interval x, y;
    return operand(w, n, 0, part, &x) && operand(w, n, 1, part, &y)
           && computed(w, n, (struct ox_interval){x.lo - y.hi, x.hi - y.lo, x.nan || y.nan}, out);
}

bool ox_interval_product(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    struct ox_interval x, y, product = {0};
    if (!operand(w, n, 0, part, &x) || !operand(w, n, 1, part, &y)) {
        return false;
    }
    const double corners[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
    bool nan = x.nan || y.nan;
    for (int i = 0; i < 4; i++) {
        nan = nan || isnan(corners[i]);
        unite(&product, (struct ox_interval){corners[i], corners[i], nan}, i == 0);
    }
    return computed(w, n, product, out);
}

bool ox_interval_cast(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out)
{
    const enum mx_dtype t = ox_dtype(w->b, n->out[0]);
    if (!operand(w, n, 0, part, out)) {
        return false;
    }
    if (mx_dtype_is_integer(t)) {
        *out = (struct ox_interval){trunc(out->lo), trunc(out->hi), out->nan};
    }
    return holds(t, *out) && !(mx_dtype_is_integer(t) && out->nan);
}

static bool find(struct ox_walk *w, ox_val x, struct ox_extent part, struct ox_interval *out)
{
    const struct ox_value *v = ox_value_of(w->b->model, x);
    bool found = false;
    if (w->visited == MOST_VALUES || w->depth == MOST_DEEP) {
        return false;
    }
    w->visited++;
    w->depth++;
    if (v->tensor) {
        found = of_tensor(w, v->tensor, out);
    }
    if (v->producer && ox_schemas[v->producer->op].interval) {
        found = ox_schemas[v->producer->op].interval(w, v->producer, part, out);
    }
    w->depth--;
    return found;
}

static bool bounds(struct ox_build *b, ox_val x, struct ox_interval *out)
{
    struct ox_walk w = {.b = b};
    return !ox_failed(b) && x != OX_NONE && find(&w, x, whole, out) && out->lo <= out->hi;
}

bool ox_interval(struct ox_build *b, ox_val x, double *lo, double *hi)
{
    struct ox_interval found;
    if (!bounds(b, x, &found)) {
        return false;
    }
    *lo = found.lo;
    *hi = found.hi;
    return true;
}

bool ox_is_between(struct ox_build *b, ox_val x, double lo, double hi)
{
    struct ox_interval found;
    return bounds(b, x, &found) && !found.nan && found.lo > lo && found.hi < hi;
}
