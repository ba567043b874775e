/* SliceChannel and _split_v2: parts of an axis. */
#include "op/op.h"

/* The common form of both. */
struct parts {
    int n;
    int axis;
    bool squeeze;
};

/* States part i's shape: the input's with `size` on the axis, or without the axis. */
static int output_part(struct mx_infer *c, int i, struct mx_shape s, struct parts p, mx_dim size)
{
    struct mx_dim_list dims = mx_no_dims(c);
    for (int d = 0; d < s.ndim; d++) {
        if (d != p.axis) {
            mx_push_dim(&dims, s.dims[d]);
        } else if (!p.squeeze) {
            mx_push_dim(&dims, size);
        }
    }
    MX_TRY(mx_output_dtype_is(c, i, mx_input_dtype(c, 0)));
    if (p.squeeze) {
        MX_TRY(mx_same_dim(c, size, mx_dim_of(1), "size of a part to squeeze"));
    }
    return mx_output_is_dims(c, i, dims.v, dims.n);
}

/* ---- SliceChannel: equal parts */

struct split {
    struct mx_tuple indices;
    int64_t axis;
    bool squeeze_axis;
    int64_t sections; /* SliceChannel calls them num_outputs */
};

static const struct mx_attr channel_attrs[] = {
    MX_ATTR_NAMED("num_outputs", struct split, sections, int64_t, MX_ATTR_INT, NULL, MX_IS_COUNT),
    MX_AXIS(struct split, axis, "1"),
    MX_BOOL(struct split, squeeze_axis, "False"),
};

/* How the axis is given: NumPy's hsplit and dsplit determine it themselves (np_matrix_op.cc, HSplitOpShape). */
enum form { SPLIT, HSPLIT, DSPLIT, SLICE_CHANNEL };

/* The size of a part, as known from its consumers. */
static bool part_known(struct mx_infer *c, struct parts p, struct mx_shape s, mx_dim *size)
{
    for (int i = 0; !p.squeeze && i < p.n; i++) {
        const struct mx_shape o = mx_output(c, i);
        if (o.ndim == s.ndim && !mx_dim_has_unknown(c->dims, o.dims[p.axis])) {
            *size = o.dims[p.axis];
            return true;
        }
    }
    *size = mx_dim_of(1);
    return p.squeeze;
}

static int infer_channel(struct mx_infer *c)
{
    const struct split *a = c->attrs;
    struct parts p = {.n = c->node->n_out, .squeeze = a->squeeze_axis};
    struct mx_shape s;
    mx_dim size;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, a->axis, s.ndim, "axis", &p.axis));
    if (a->sections != p.n) {
        return a->sections > 0
                   ? mx_infer_too_large(c, "num_outputs", MX_SUBJECT "is %lld" MX_HELP "use fewer outputs", (long long)a->sections)
                   : mx_infer_fail(c, "num_outputs", MX_SUBJECT "is %lld" MX_HELP "use a positive number", (long long)a->sections);
    }
    if (part_known(c, p, s, &size)) {
        MX_TRY(mx_same_dim(c, s.dims[p.axis], mx_dim_muln(c->dims, size, p.n), "size of the axis that is split"));
    }
    if (mx_dim_has_unknown(c->dims, s.dims[p.axis])) {
        return MX_LATER;
    }
    int64_t whole;
    if (mx_dim_known(c->dims, s.dims[p.axis], &whole) && whole % p.n != 0) {
        return mx_infer_fail(c, "num_outputs",
                             "axis %d has size %lld, which is not a multiple of %d" MX_HELP
                             "set the input shapes that the model was trained with",
                             p.axis, (long long)whole, p.n);
    }
    size = mx_dim_floor_div(c->dims, s.dims[p.axis], p.n);
    for (int i = 0; i < p.n; i++) {
        MX_TRY(output_part(c, i, s, p, size));
    }
    return MX_OK;
}

/* ---- _split_v2: at indices that start with 0, or into sections; the first are larger if the size is not divisible */

static const struct mx_attr split_attrs[] = {
    MX_SIZES(struct split, indices, "()"),
    MX_AXIS(struct split, axis, "1"),
    MX_BOOL(struct split, squeeze_axis, "False"),
    MX_INT(struct split, sections, "0"),
};

static int64_t split_axis(const struct mx_node *n, int rank)
{
    switch (n->op->which) {
    case HSPLIT: return rank > 1 ? 1 : 0;
    case DSPLIT: return 2;
    default: return ((const struct split *)n->attrs)->axis;
    }
}

static int split_outputs(const void *attrs)
{
    const struct split *a = attrs;
    return mx_count(a->sections > 0 ? a->sections : a->indices.n);
}

static int infer_split(struct mx_infer *c)
{
    const struct split *a = c->attrs;
    struct parts p = {.n = split_outputs(a), .squeeze = a->squeeze_axis};
    struct mx_shape s;
    int64_t whole = 0;
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_axis(c, split_axis(c->node, s.ndim), s.ndim, "axis", &p.axis));
    if (a->sections > 0 && a->sections != p.n) {
        return mx_infer_too_large(c, "sections", MX_SUBJECT "is %lld" MX_HELP "use fewer sections", (long long)a->sections);
    }
    if (mx_dim_has_unknown(c->dims, s.dims[p.axis])) {
        return MX_LATER;
    }
    const bool known = mx_dim_known(c->dims, s.dims[p.axis], &whole);
    if (a->sections <= 0 && a->indices.n > 0 && a->indices.v[0] != 0) {
        return mx_infer_fail(c, "indices", MX_SUBJECT "starts with %lld, but must start with 0", (long long)a->indices.v[0]);
    }
    for (int i = 0; i < p.n; i++) {
        mx_dim size;
        if (a->sections > 0) {
            size = mx_dim_floor_div(c->dims, mx_dim_addn(c->dims, s.dims[p.axis], p.n - 1 - i), p.n);
        } else {
            const int64_t start = a->indices.n > 0 ? a->indices.v[i] : 0;
            const int64_t end = i + 1 < p.n ? a->indices.v[i + 1] : whole;
            const bool open = i + 1 == p.n && !known;
            if (!open && (start > end || (known && end > whole))) {
                return mx_infer_fail(c, "indices", "part %d is from %lld to %lld, but the indices must ascend within the axis", i,
                                     (long long)start, (long long)end);
            }
            size = open ? mx_dim_addn(c->dims, s.dims[p.axis], -start) : mx_dim_of(end - start);
        }
        MX_TRY(output_part(c, i, s, p, size));
    }
    return MX_OK;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct split *a = n->attrs;
    const int rank = ox_rank(b, in[0]);
    const struct parts p = {.n = n->n_out, .axis = (int)mx_wrap(split_axis(n, rank), rank), .squeeze = a->squeeze_axis};
    const bool equal = p.squeeze || n->op->which == SLICE_CHANNEL;
    int64_t whole = 0;
    const bool known = ox_size_at(b, in[0], p.axis, &whole);
    int64_t *sizes = ox_scratch(b, (size_t)p.n, sizeof *sizes);
    for (int i = 0; sizes && p.n > 1 && i < p.n; i++) {
        if (a->sections > 0) {
            sizes[i] = whole / p.n + (i < whole % p.n);
        } else if (known) {
            sizes[i] = (i + 1 < p.n ? a->indices.v[i + 1] : whole) - a->indices.v[i];
        } else {
            out[i] = ox_slice1(b, in[0], p.axis, a->indices.v[i], i + 1 < p.n ? a->indices.v[i + 1] : INT64_MAX);
        }
    }
    if (p.n == 1) {
        out[0] = in[0];
    } else if (sizes && known) {
        ox_split(b, in[0], p.axis, sizes, p.n, out);
    } else if (a->sections > 0) {
        ox_split_sections(b, in[0], (struct ox_sections){p.axis, p.n, equal}, out);
    }
    for (int i = 0; p.squeeze && i < p.n; i++) {
        out[i] = ox_squeeze1(b, out[i], p.axis);
    }
}

#define ROW(mx, other_names, form)                                                                                                         \
    {                                                                                                                                      \
        .name = (mx), .alias = (other_names), MX_ATTRS(split_attrs, struct split), .outputs = "output...", .n_outputs = split_outputs,     \
        .infer = infer_split, .lower = lower, .which = (form),                                                                             \
    }

const struct mx_op mx_ops_split[] = {
    {
        .name = "SliceChannel",
        .alias = "split _npx_slice_channel",
        MX_ATTRS(channel_attrs, struct split),
        .outputs = "output...:count(num_outputs)",
        .infer = infer_channel,
        .lower = lower,
        .which = SLICE_CHANNEL,
    },
    ROW("_split_v2", "_npi_split _npi_array_split", SPLIT),
    ROW("_npi_hsplit", NULL, HSPLIT),
    ROW("_npi_dsplit", NULL, DSPLIT),
    MX_OPS_END,
};
