/* _npi_delete, _npi_insert_scalar, _npi_insert_slice, _npi_insert_tensor: remove or insert rows along an axis
 * (src/operator/numpy/np_delete_op-inl.h, np_insert_op-inl.h). */
#include <math.h>

#include "op/op.h"
#include "shared/slice.h"

struct edit {
    struct mx_opt_float val;
    struct mx_opt_int start, stop, step, int_ind, axis;
};

#define PLACE                                                                                                                              \
    MX_INT_NONE(struct edit, start, "None"), MX_INT_NONE(struct edit, stop, "None"), MX_INT_NONE(struct edit, step, "None"),               \
        MX_INT_NONE(struct edit, int_ind, "None"), MX_AXIS_NONE(struct edit, axis, "None")

static const struct mx_attr delete_attrs[] = {PLACE};
static const struct mx_attr insert_attrs[] = {MX_FLOAT_NONE(struct edit, val, "None"), PLACE};

/* The shape of arr: without an axis, its elements as a vector. */
static int edited(struct mx_infer *c, struct mx_dim_list *dims, int *axis)
{
    const struct edit *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    *axis = 0;
    if (!a->axis.given) {
        mx_push_dim(dims, mx_dim_product(c->dims, s.dims, s.ndim));
        return MX_OK;
    }
    if (s.ndim == 0) {
        return mx_infer_fail(c, "arr", MX_SUBJECT "has rank 0, so it has no axes" MX_HELP "remove the attribute axis");
    }
    mx_push_dims(dims, s.dims, s.ndim);
    return mx_axis(c, a->axis.v, s.ndim, "axis", axis);
}

static ox_val flat(struct ox_build *b, const struct edit *a, ox_val x)
{
    return a->axis.given ? x : ox_flat(b, x);
}

static int axis_of(struct ox_build *b, const struct edit *a, ox_val x)
{
    return a->axis.given ? (int)mx_wrap(a->axis.v, ox_rank(b, x)) : 0;
}

/* Checks an index, and makes it count from the front if possible. */
static int check_index(struct mx_infer *c, mx_dim size, bool may_be_end)
{
    const struct edit *a = c->attrs;
    int64_t n;
    if (mx_dim_known(c->dims, size, &n) && (a->int_ind.v < -n || a->int_ind.v - may_be_end >= n)) {
        return mx_infer_fail(c, "int_ind", MX_SUBJECT "is %lld, which is outside an axis of size %lld", (long long)a->int_ind.v,
                             (long long)n);
    }
    return MX_OK;
}

/* The part of an axis that a slice selects, for a known size. False if it is unknown. */
static bool sliced(struct mx_dims *t, const struct edit *a, mx_dim size, struct mx_range *r)
{
    int64_t n;
    if (!mx_dim_known(t, size, &n)) {
        return false;
    }
    *r = mx_range_of(a->start, a->stop, a->step.v, n);
    return true;
}

/* ---- delete */

static int infer_delete(struct mx_infer *c)
{
    const struct edit *a = c->attrs;
    struct mx_dim_list dims = mx_no_dims(c);
    struct mx_range r;
    int axis;
    MX_TRY(edited(c, &dims, &axis));
    if (a->step.given && a->step.v == 0) {
        return mx_infer_fail(c, "step", MX_SUBJECT "is 0" MX_HELP "use another step");
    }
    if (a->step.given && sliced(c->dims, a, mx_get_dim(&dims, axis), &r)) {
        mx_put_dim(&dims, axis, mx_dim_addn(c->dims, mx_get_dim(&dims, axis), -r.count));
    } else if (!a->step.given && a->int_ind.given) {
        MX_TRY(check_index(c, mx_get_dim(&dims, axis), false));
        mx_put_dim(&dims, axis, mx_dim_addn(c->dims, mx_get_dim(&dims, axis), -1));
    } else {
        mx_put_dim(&dims, axis, mx_open_dim(c, 0, dims.n, axis));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static ox_val without_one(struct ox_build *b, ox_val x, int axis, int64_t at)
{
    const ox_val before = ox_slice1(b, x, axis, 0, at);
    return at == -1 ? before : ox_concat(b, (const ox_val[]){before, ox_slice1(b, x, axis, at + 1, INT64_MAX)}, 2, axis);
}

/* The positions of a range in ascending order, on an axis of `size`. */
struct ascent {
    int64_t size, first, step, count;
    bool backwards; /* the range is descending */
};

static struct ascent ascent_of(struct mx_range r, int64_t size)
{
    const bool back = r.step < 0;
    const int64_t first = back && r.count > 0 ? r.begin + (r.count - 1) * r.step : r.begin;
    return (struct ascent){size, first, back ? -r.step : r.step, r.count, back};
}

/* Position i of those that are not in the range: before it, between two of its positions, or after it. */
static double kept_at(const void *spec, int64_t i)
{
    const struct ascent *s = spec;
    const int64_t past = i - s->first, gap = s->step - 1;
    const int64_t gone = past < 0 ? 0 : gap > 0 && past / gap < s->count ? past / gap + 1 : s->count;
    return (double)(i + gone);
}

static ox_val without_slice(struct ox_build *b, ox_val x, int axis, int64_t size, struct mx_range r)
{
    const struct ascent s = ascent_of(r, size);
    const int64_t count = size - r.count;
    if (r.count == 0) {
        return x;
    }
    return ox_gather(b, x, ox_computed(b, MX_INT64, &count, 1, kept_at, &s, sizeof s), axis);
}

/* Positions that do not exist delete nothing. */
static ox_val without_listed(struct ox_build *b, ox_val x, int axis, ox_val list)
{
    const ox_val places = ox_reshape_ints(b, ox_cast(b, list, MX_INT64), (const int64_t[]){1, -1}, 2);
    const ox_val row = ox_unsqueeze1(b, ox_range(b, ox_dim_at(b, x, axis)), 1);
    const ox_val hits = ox_cast(b, ox_binary(b, OX_Equal, row, places), MX_INT64);
    const ox_val count = ox_reduce(b, OX_ReduceSum, hits, (const int64_t[]){1}, 1, false);
    const ox_val kept = ox_binary(b, OX_Equal, count, ox_scalar(b, MX_INT64, 0));
    return ox_node(b, OX_Compress, OX_IN(x, kept), OX_ATTRS(OX_I("axis", axis)));
}

static void lower_delete(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct edit *a = n->attrs;
    const ox_val x = flat(b, a, in[0]);
    const int axis = axis_of(b, a, in[0]);
    const mx_dim size = ox_dim_at(b, x, axis);
    struct mx_range r;
    int64_t known = 0;
    (void)mx_dim_known(ox_dims_table(b), size, &known);
    if (a->step.given && sliced(ox_dims_table(b), a, size, &r)) {
        out[0] = without_slice(b, x, axis, known, r);
    } else if (!a->step.given && a->int_ind.given) {
        out[0] = without_one(b, x, axis, a->int_ind.v);
    } else {
        out[0] = without_listed(b, x, axis, a->step.given ? mx_range_places(b, a->start, a->stop, a->step.v, size) : in[1]);
    }
}

/* ---- insert */

enum kind { AT_NUMBER, AT_SLICE, AT_TENSOR };

/* The dims of values with as many axes as arr. */
static void push_values(struct mx_dim_list *dims, struct mx_shape v, int ndim)
{
    for (int i = v.ndim - ndim; i < v.ndim; i++) {
        mx_push_dim(dims, i >= 0 ? v.dims[i] : mx_dim_of(1));
    }
}

/* The values with as many axes as arr. Values inserted at a single number are transposed: their first axis becomes `axis`. */
static int values_dims(struct mx_infer *c, bool turned, int ndim, int axis, struct mx_dim_list *dims)
{
    const struct edit *a = c->attrs;
    struct mx_shape v = {0, NULL};
    if (!a->val.given) {
        MX_TRY(mx_input(c, 1, &v));
    }
    for (int i = 0; i < v.ndim - ndim; i++) {
        if (!mx_dim_equal(c->dims, v.dims[i], mx_dim_of(1))) {
            return mx_infer_fail(c, "values", MX_SUBJECT "has rank %d and arr rank %d" MX_HELP "reduce the rank of the values", v.ndim,
                                 ndim);
        }
    }
    push_values(dims, v, ndim);
    const mx_dim first = mx_get_dim(dims, 0);
    if (turned && c->node->op->which == AT_TENSOR) {
        /* NumpyInsertTensorShape does not transpose them, NumpyInsertTensorCompute does. */
        MX_TRY(mx_same_dim(c, first, mx_get_dim(dims, axis), "sizes of the values"));
    }
    for (int i = 0; turned && i < axis; i++) {
        mx_put_dim(dims, i, mx_get_dim(dims, i + 1));
    }
    if (turned) {
        mx_put_dim(dims, axis, first);
    }
    return MX_OK;
}

/* The number of inserted rows, and whether they are inserted at one position. For a slice of an unknown size the number is unknown. */
static int inserted(struct mx_infer *c, mx_dim size, bool *single, bool *turned, mx_dim *count)
{
    const int kind = c->node->op->which;
    struct mx_range r = {0, 1, 0};
    struct mx_shape s;
    *turned = kind == AT_NUMBER;
    *single = kind == AT_NUMBER;
    *count = mx_dim_of(1);
    if (kind == AT_NUMBER) {
        return check_index(c, size, true);
    }
    if (kind == AT_SLICE) {
        *count = sliced(c->dims, c->attrs, size, &r) ? mx_dim_of(r.count) : mx_dim_unknown(c->dims);
        *single = r.count == 1;
        return MX_OK;
    }
    MX_TRY(mx_input(c, c->node->n_in - 1, &s));
    MX_TRY(mx_input_dtype_is(c, c->node->n_in - 1, MX_INT64));
    if (s.ndim > 1) {
        return mx_infer_fail(c, "obj", MX_SUBJECT "has rank %d, but must be a number or a vector", s.ndim);
    }
    *turned = s.ndim == 0;
    *count = s.ndim == 0 ? mx_dim_of(1) : s.dims[0];
    *single = mx_dim_equal(c->dims, *count, mx_dim_of(1));
    return MX_OK;
}

static int infer_insert(struct mx_infer *c)
{
    const int kind = c->node->op->which;
    const struct edit *a = c->attrs;
    mx_dim count;
    struct mx_dim_list dims = mx_no_dims(c);
    struct mx_dim_list values = mx_no_dims(c);
    int axis;
    bool single, turned;
    if ((kind == AT_NUMBER && !a->int_ind.given) || (kind == AT_SLICE && !a->step.given)) {
        return mx_infer_fail(c, kind == AT_NUMBER ? "int_ind" : "step", MX_SUBJECT "is missing" MX_HELP "set it");
    }
    if (a->step.given && a->step.v == 0) {
        return mx_infer_fail(c, "step", MX_SUBJECT "is 0" MX_HELP "use another step");
    }
    MX_TRY(edited(c, &dims, &axis));
    MX_TRY(inserted(c, mx_get_dim(&dims, axis), &single, &turned, &count));
    MX_TRY(values_dims(c, turned, dims.n, axis, &values));
    for (int i = 0; i < dims.n; i++) { /* for values at a number, MXNet does not check this, and reads past their end */
        MX_TRY(i == axis ? MX_OK : mx_stretch(c, mx_get_dim(&values, i), mx_get_dim(&dims, i)));
    }
    if (mx_dim_is_unknown(c->dims, count) && kind == AT_SLICE) { /* one row for all positions, or one for each */
        int64_t rows;
        MX_TRY(mx_number(c, mx_get_dim(&values, axis), "the axis of the rows to insert", &rows));
        single = rows != 1;
        mx_put_dim(&dims, axis, single ? mx_get_dim(&dims, axis) : mx_open_dim(c, 0, dims.n, axis));
        count = mx_dim_of(0);
    } else if (!single) {
        MX_TRY(mx_stretch(c, mx_get_dim(&values, axis), count));
    }
    mx_put_dim(&dims, axis, mx_dim_add(c->dims, mx_get_dim(&dims, axis), single ? mx_get_dim(&values, axis) : count));
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* `count` new rows of x on an axis. */
struct insertion {
    ox_val x, rows;
    int axis;
    mx_dim count;
};

/* The values as new rows. */
static ox_val rows_of(struct ox_build *b, const struct edit *a, ox_val values, const struct insertion *new, bool turned)
{
    const struct mx_shape s = ox_shape(b, new->x);
    const enum mx_dtype t = ox_dtype(b, new->x);
    struct mx_dim_list dims = ox_dims_like(b, s), given = ox_no_dims(b);
    mx_put_dim(&dims, new->axis, new->count);
    if (a->val.given) {
        const double v = mx_dtype_is_float(t) ? a->val.v : trunc(a->val.v);
        return ox_fill(b, t, mx_list_shape(&dims), v);
    }
    push_values(&given, ox_shape(b, values), s.ndim);
    values = ox_reshape(b, ox_cast(b, values, t), given.v, given.n);
    return ox_expand(b, turned ? ox_move_axis(b, values, 0, new->axis) : values, dims.v, dims.n);
}

/* Sorts rows of x and new rows by keys: row i of x has the key i (count + 1) + count, new row j at position p the key p (count + 1) + j. */
static ox_val merged(struct ox_build *b, const struct insertion *new, ox_val places)
{
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim size = ox_dim_at(b, new->x, new->axis), all = mx_dim_add(t, size, new->count);
    const ox_val step = ox_dim_as(b, mx_dim_addn(t, new->count, 1), MX_INT64);
    const ox_val old = ox_add(b, ox_mul(b, ox_range(b, size), step), ox_dim_as(b, new->count, MX_INT64));
    const ox_val below = ox_binary(b, OX_Less, places, ox_scalar(b, MX_INT64, 0));
    const ox_val place = ox_where(b, below, ox_add(b, places, ox_dim_as(b, size, MX_INT64)), places);
    const ox_val own = ox_add(b, ox_mul(b, place, step), ox_range(b, new->count));
    const ox_val keys[] = {old, own}, both[] = {new->x, new->rows};
    ox_val top[2];
    ox_node_n(b, OX_TopK, OX_IN(ox_concat(b, keys, 2, 0), ox_dim(b, all)), OX_ATTRS(OX_I("axis", 0), OX_I("largest", 0)), top, 2);
    return ox_gather(b, ox_concat(b, both, 2, new->axis), top[1], new->axis);
}

static ox_val spliced(struct ox_build *b, const struct insertion *new, int64_t at)
{
    const ox_val parts[] = {ox_slice1(b, new->x, new->axis, 0, at), new->rows, ox_slice1(b, new->x, new->axis, at, INT64_MAX)};
    return ox_concat(b, parts, 3, new->axis);
}

/* Row i of x with a new row before each position of the range: rows of x, with the new ones after them. */
static double woven_at(const void *spec, int64_t i)
{
    const struct ascent *s = spec;
    const int64_t past = i - s->first, turn = past / (s->step + 1);
    if (past < 0) {
        return (double)i;
    } else if (turn >= s->count) {
        return (double)(i - s->count);
    } else if (past % (s->step + 1) > 0) {
        return (double)(i - turn - 1);
    }
    return (double)(s->size + (s->backwards ? s->count - 1 - turn : turn));
}

static ox_val woven(struct ox_build *b, const struct insertion *new, int64_t size, struct mx_range r)
{
    const ox_val both[] = {new->x, new->rows};
    const struct ascent s = ascent_of(r, size);
    const int64_t count = size + r.count; /* no overflow, as both are sizes of tensors */
    return ox_gather(b, ox_concat(b, both, 2, new->axis), ox_computed(b, MX_INT64, &count, 1, woven_at, &s, sizeof s), new->axis);
}

static void lower_insert(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const int kind = n->op->which;
    const struct edit *a = n->attrs;
    const ox_val x = flat(b, a, in[0]), values = a->val.given ? OX_NONE : in[1];
    const int axis = axis_of(b, a, in[0]);
    const mx_dim size = ox_dim_at(b, x, axis);
    struct mx_dims *t = ox_dims_table(b);
    mx_dim count = mx_dim_sub(t, n->out[0].shape.dims[axis], size);
    struct mx_range r = {0, 1, 0};
    ox_val places = kind == AT_TENSOR ? in[n->n_in - 1] : OX_NONE;
    const bool turned = kind == AT_NUMBER || (kind == AT_TENSOR && ox_rank(b, in[n->n_in - 1]) == 0);
    int64_t new, known = 0;
    const bool counted = mx_dim_known(t, count, &new);
    (void)mx_dim_known(t, size, &known);
    if (counted && new == 0) {
        out[0] = x;
        return;
    }
    if (kind == AT_SLICE && !sliced(t, a, size, &r)) {
        places = mx_range_places(b, a->start, a->stop, a->step.v, size);
        places = counted ? ox_expand(b, places, &count, 1) : places;
        count = ox_dim_at(b, places, 0);
    }
    struct insertion all = {.x = x, .axis = axis, .count = count};
    all.rows = rows_of(b, a, values, &all, turned);
    if (kind == AT_NUMBER) {
        out[0] = spliced(b, &all, a->int_ind.v);
    } else if (places != OX_NONE) {
        out[0] = merged(b, &all, places);
    } else {
        out[0] = r.count == 1 ? spliced(b, &all, r.begin) : woven(b, &all, known, r);
    }
}

#define INSERT(mx, inputs_, place, text)                                                                                                   \
    {                                                                                                                                      \
        .name = (mx), MX_ATTRS(insert_attrs, struct edit), .inputs = "arr values:unless(val)" inputs_, .infer = infer_insert,              \
        .lower = lower_insert, .which = (place), .refuses = (text),                                                                        \
    }
#define NOT_DYNAMIC "Values with a dynamic number of rows, at a slice of a dynamic axis: the size of the result would be unknown."

const struct mx_op mx_ops_np_insert[] = {
    {
        .name = "_npi_delete",
        MX_ATTRS(delete_attrs, struct edit),
        .inputs = "arr obj:exact:unless(step):unless(int_ind)",
        .infer = infer_delete,
        .lower = lower_delete,
    },
    INSERT("_npi_insert_scalar", "", AT_NUMBER, NULL),
    INSERT("_npi_insert_slice", "", AT_SLICE, NOT_DYNAMIC),
    INSERT("_npi_insert_tensor", " obj", AT_TENSOR, NULL),
    MX_OPS_END,
};
