/* tile and repeat: copies of the whole tensor, or of each element. */
#include "op/op.h"

struct tile {
    struct mx_tuple reps;
};

static const struct mx_attr tile_attrs[] = {MX_SIZES_NONE(struct tile, reps, NULL)};

/* TileOpShape: the shorter of shape and reps is extended with ones on the left. */
static int infer_tile(struct mx_infer *c)
{
    const struct tile *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    const int n = a->reps.n > s.ndim ? a->reps.n : s.ndim;
    if (n > MX_MAX_RANK) {
        return mx_infer_fail(c, "reps", "the result would have rank %d, and at most %d is possible", n, MX_MAX_RANK);
    }
    for (int i = 0; i < n; i++) {
        const int from = i - (n - s.ndim), r = i - (n - a->reps.n);
        mx_put_dim(&dims, i, from >= 0 ? s.dims[from] : mx_dim_of(1));
        if (r >= 0) {
            if (a->reps.v[r] < (c->graph->np_shape ? 0 : 1) || a->reps.v[r] > INT32_MAX) {
                return mx_infer_fail(c, "reps", MX_SUBJECT "holds %lld" MX_HELP "use positive numbers", (long long)a->reps.v[r]);
            }
            mx_put_dim(&dims, i, mx_dim_muln(c->dims, mx_get_dim(&dims, i), a->reps.v[r]));
        }
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static void lower_tile(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct tile *a = n->attrs;
    const int rank = ox_rank(b, in[0]), lead = a->reps.n - rank;
    struct mx_int_list reps = ox_no_ints(b);
    const struct mx_int_list axes = ox_counted(b, lead);
    bool copies = false, spreads = true; /* spreads: only axes of size 1 are copied */
    for (int i = 0; i < n->out[0].shape.ndim; i++) {
        const int r = lead < 0 ? i + lead : i;
        const int from = lead > 0 ? i - lead : i;
        mx_push_int(&reps, r >= 0 ? a->reps.v[r] : 1);
        copies = copies || mx_get_int(&reps, i) != 1;
        spreads =
            spreads && (mx_get_int(&reps, i) == 1 || from < 0 || mx_dim_equal(ox_dims_table(b), ox_dim_at(b, in[0], from), mx_dim_of(1)));
    }
    if (copies && spreads) {
        out[0] = ox_expand(b, in[0], n->out[0].shape.dims, n->out[0].shape.ndim);
        return;
    }
    out[0] = lead > 0 ? ox_unsqueeze(b, in[0], axes.v, axes.n) : in[0];
    if (copies) {
        out[0] = ox_tile(b, out[0], reps.v, reps.n);
    }
}

/* ---- repeat */

struct repeat {
    int64_t repeats;
    struct mx_tuple each; /* MXNet 2's repeats: one number, or one for each element of the axis */
    struct mx_opt_int axis;
};

static const struct mx_attr repeat_attrs[] = {
    MX_INT(struct repeat, repeats, NULL),
    MX_AXIS_NONE(struct repeat, axis, "None"),
};

static const struct mx_attr repeats_attrs[] = {
    MX_ATTR_NAMED("repeats", struct repeat, each, struct mx_tuple, MX_ATTR_TUPLE, NULL, MX_IS_LONG),
    MX_AXIS_NONE(struct repeat, axis, "None"),
};

/* States the output: with this size on the axis, or without an axis a vector. */
static int output_sized(struct mx_infer *c, struct mx_shape s, struct mx_opt_int axis, mx_dim size)
{
    struct mx_dim_list dims = mx_no_dims(c);
    if (axis.given) {
        mx_push_dims(&dims, s.dims, s.ndim);
    }
    mx_put_dim(&dims, axis.given ? mx_wrap(axis.v, s.ndim) : 0, size);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static int infer_repeated(struct mx_infer *c, const struct repeat *a)
{
    struct mx_shape s;
    int axis;
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->repeats < 0) {
        return mx_infer_fail(c, "repeats", MX_SUBJECT "is %lld" MX_HELP "use a number of 0 or more", (long long)a->repeats);
    }
    MX_TRY(mx_input(c, 0, &s));
    if (a->repeats == 0) { /* RepeatOpShape drops all axes */
        const mx_dim none = mx_dim_of(0);
        return mx_output_is_dims(c, 0, &none, 1);
    }
    if (!a->axis.given) {
        return output_sized(c, s, a->axis, mx_dim_muln(c->dims, mx_shape_elements(c->dims, s), a->repeats));
    }
    MX_TRY(mx_axis(c, a->axis.v, s.ndim, "axis", &axis));
    return output_sized(c, s, a->axis, mx_dim_muln(c->dims, s.dims[axis], a->repeats));
}

static int infer_repeat(struct mx_infer *c)
{
    return infer_repeated(c, c->attrs);
}

/* The sum of the numbers. */
static int sum_repeats(struct mx_infer *c, int64_t *sum)
{
    const struct repeat *a = c->attrs;
    *sum = 0;
    for (int i = 0; i < a->each.n; i++) {
        *sum += a->each.v[i]; /* no overflow, as the elements of a tuple are */
        if (a->each.v[i] < 0 || *sum > INT32_MAX) {
            return mx_infer_fail(c, "repeats",
                                 MX_SUBJECT "holds %lld, and the sum so far is %lld" MX_HELP
                                            "use numbers of 0 or more with a sum of at most 2^31 - 1",
                                 (long long)a->each.v[i], (long long)*sum);
        }
    }
    return MX_OK;
}

/* For several numbers: the indices, each as often as its element is repeated. */
static int infer_repeats(struct mx_infer *c)
{
    const struct repeat *a = c->attrs;
    struct mx_shape s;
    int axis = 0;
    int64_t sum, elements;
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(a->axis.given ? mx_axis(c, a->axis.v, s.ndim, "axis", &axis) : MX_OK);
    MX_TRY(sum_repeats(c, &sum));
    if (sum == 0) { /* RepeatsOpShape drops all axes */
        return infer_repeated(c, &(struct repeat){.axis = a->axis});
    }
    if (axis > 0) {
        return mx_infer_fail(c, "axis",
                             MX_SUBJECT "is %d, for which MXNet 2.0.0b1 repeats the wrong elements" MX_HELP
                                        "transpose that axis to the front, repeat, and transpose back",
                             axis);
    }
    if (a->each.n == 1) {
        return infer_repeated(c, &(struct repeat){.repeats = sum, .axis = a->axis});
    }
    MX_TRY(mx_same_dtype(c, 0, 0));
    const mx_dim size = a->axis.given ? s.dims[axis] : mx_shape_elements(c->dims, s);
    if (!mx_dim_known(c->dims, size, &elements) || elements < a->each.n) { /* MXNet leaves out elements without a number */
        MX_TRY(mx_same_dim(c, size, mx_dim_of(a->each.n), "numbers of repeats and of elements"));
    }
    return output_sized(c, s, a->axis, mx_dim_of(sum));
}

/* The indices 0 0 0 1 1 1 ... for a short axis; for a long or dynamic one, a new axis of copies. What has one element is expanded. */
static double repeated_at(const void *repeats, int64_t i)
{
    return (double)(i / *(const int64_t *)repeats);
}

static void write_repeat(struct ox_build *b, const struct repeat *a, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    enum { SHORT = 65536 };
    const bool flat = !a->axis.given;
    const ox_val x = flat ? ox_flat(b, in[0]) : in[0];
    const int rank = ox_rank(b, x);
    const int axis = flat ? 0 : (int)mx_wrap(a->axis.v, rank);
    int64_t size;
    if (a->repeats == 1) {
        out[0] = x;
        return;
    }
    const bool is_known = ox_size_at(b, x, axis, &size);
    out[0] = is_known && size == 1 ? ox_expand(b, x, n->out[0].shape.dims, rank) : ox_repeat_pixels(b, x, axis, a->repeats);
    if (out[0] != OX_NONE || ox_failed(b)) {
        return;
    }
    if (is_known && size > 0 && a->repeats < SHORT / size) {
        const int64_t count = size * a->repeats;
        const ox_val index = ox_computed(b, MX_INT64, &count, 1, repeated_at, &a->repeats, sizeof a->repeats);
        out[0] = ox_gather(b, x, index, axis);
        return;
    }
    struct mx_int_list reps = ox_no_ints(b);
    for (int i = 0; i <= rank; i++) {
        mx_put_int(&reps, i, i == axis + 1 ? a->repeats : 1);
    }
    out[0] = ox_reshape_shape(b, ox_tile(b, ox_unsqueeze1(b, x, axis + 1), reps.v, reps.n), n->out[0].shape);
}

static void lower_repeat(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    write_repeat(b, n->attrs, n, in, out);
}

static void lower_repeats(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct repeat *a = n->attrs;
    if (a->each.n == 1) {
        write_repeat(b, &(struct repeat){.repeats = a->each.v[0], .axis = a->axis}, n, in, out);
        return;
    }
    const bool flat = !a->axis.given;
    const ox_val x = flat ? ox_flat(b, in[0]) : in[0];
    const int axis = flat ? 0 : (int)mx_wrap(a->axis.v, ox_rank(b, x));
    int64_t count = 0, *index = NULL;
    for (int i = 0; i < a->each.n; i++) {
        count += a->each.v[i];
    }
    index = ox_scratch(b, (size_t)count + 1, sizeof *index);
    for (int64_t i = 0, at = 0; index && i < a->each.n; i++) {
        for (int64_t k = 0; k < a->each.v[i]; k++) {
            index[at++] = i;
        }
    }
    out[0] = count == 0 ? ox_fill(b, n->out[0].dtype, n->out[0].shape, 0) : ox_gather(b, x, ox_ints(b, index, (int)count), axis);
}

const struct mx_op mx_ops_tile[] = {
    {
        .name = "repeat",
        .alias = "_np_repeat _npi_repeat",
        MX_ATTRS(repeat_attrs, struct repeat),
        .infer = infer_repeat,
        .lower = lower_repeat,
    },
    {
        .name = "_npi_repeats",
        MX_ATTRS(repeats_attrs, struct repeat),
        .infer = infer_repeats,
        .lower = lower_repeats,
        .refuses = "An axis other than the first: MXNet 2.0.0b1 repeats the wrong elements.",
    },
    {
        .name = "tile",
        .alias = "_npi_tile",
        MX_ATTRS(tile_attrs, struct tile),
        .infer = infer_tile,
        .lower = lower_tile,
        .refuses = "A 0 in reps, without NumPy's shape semantics: MXNet refuses it, too.",
    },
    MX_OPS_END,
};
