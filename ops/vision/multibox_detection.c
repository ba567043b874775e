/* MultiBoxDetection: the output head of an SSD. Classes and boxes of all anchors as rows, sorted and suppressed
 * (src/operator/contrib/multibox_detection.cc). */
#include <math.h>

#include "op/op.h"
#include "shared/boxes.h"

struct detection {
    bool clip, force_suppress;
    double threshold, nms_threshold;
    struct mx_floats variances;
    int64_t nms_topk;
};

static const struct mx_attr attrs[] = {
    MX_BOOL(struct detection, clip, "True"),
    MX_FLOAT(struct detection, threshold, "0.01"),
    MX_IGNORED("background_id"),                                    /* the kernel assumes 0 */
    MX_FLOAT(struct detection, nms_threshold, "0.5"),
    MX_BOOL(struct detection, force_suppress, "False"),
    MX_FLOATS(struct detection, variances, "(0.1, 0.1, 0.2, 0.2)"),
    MX_INT(struct detection, nms_topk, "-1"),
};

static int infer(struct mx_infer *c)
{
    const struct detection *a = c->attrs;
    struct mx_shape x;
    if (a->variances.n != 4) {
        return mx_infer_fail(c, "variances", MX_SUBJECT "has length %d, but must have length 4", a->variances.n);
    }
    MX_TRY(mx_input_dtype_is(c, 0, MX_FLOAT32)); /* the only type of MXNet's kernel */
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(x.dims[0], mx_dim_muln(c->dims, x.dims[2], 4))));
    MX_TRY(mx_input_is(c, 2, MX_DIMS(mx_dim_of(1), x.dims[2], mx_dim_of(4))));
    return mx_output_is(c, 0, MX_DIMS(x.dims[0], x.dims[2], mx_dim_of(6)));
}

/* TransformLocations, for x and y at once. */
static ox_val decode(struct ox_build *b, const struct detection *a, const ox_val *in)
{
    const struct mx_shape boxes = MX_DIMS(ox_dim_at(b, in[1], 0), ox_dim_at(b, in[2], 1), mx_dim_of(4));
    const enum mx_dtype t = ox_dtype(b, in[1]);
    const ox_val half = ox_scalar(b, t, 0.5);
    ox_val anchor[2], pred[2];
    ox_halves(b, in[2], anchor);
    ox_halves(b, ox_reshape_shape(b, in[1], boxes), pred);
    const ox_val size = ox_sub(b, anchor[1], anchor[0]);
    const ox_val middle = ox_mul(b, ox_add(b, anchor[0], anchor[1]), half);
    /* Anchors are usually constants: constant factors are merged into them. */
    const ox_val step = ox_mul(b, size, ox_floats(b, t, a->variances.v, 2));
    const ox_val grow = ox_unary(b, OX_Exp, ox_mul(b, pred[1], ox_floats(b, t, a->variances.v + 2, 2)));
    const ox_val center = ox_add(b, ox_mul(b, pred[0], step), middle);
    const ox_val extent = ox_mul(b, grow, ox_mul(b, size, half));
    const ox_val corners[] = {ox_sub(b, center, extent), ox_add(b, center, extent)};
    const ox_val found = ox_concat(b, corners, 2, 2);
    return a->clip ? ox_clip(b, found, ox_scalar(b, t, 0), ox_scalar(b, t, 1)) : found;
}

/* (N, A, 6): class, score and box of each anchor; *valid is true for those that are not background. */
static ox_val detect(struct ox_build *b, const struct detection *a, const ox_val *in, ox_val *valid)
{
    const int64_t axis = 1;
    const ox_val probs = ox_slice1(b, in[0], 1, 1, INT64_MAX), minus = ox_scalar_like(b, in[0], -1);
    const ox_val best = ox_swap_axes(b, ox_arg(b, OX_ArgMax, probs, axis, true), 1, 2);
    const ox_val score = ox_swap_axes(b, ox_reduce(b, OX_ReduceMax, probs, &axis, 1, true), 1, 2);
    *valid = a->threshold > -1 ? ox_binary(b, OX_GreaterOrEqual, score, ox_scalar_like(b, score, a->threshold))
                               : ox_binary(b, OX_Greater, score, minus);
    const ox_val parts[] = {ox_cast(b, best, ox_dtype(b, score)), score, decode(b, a, in)};
    return ox_where(b, *valid, ox_concat(b, parts, 3, 2), minus);
}

/* The rows in the order of their columns x (N, A, 1), largest first; `count` of them. */
static ox_val sorted(struct ox_build *b, ox_val rows, ox_val x, ox_val count)
{
    ox_val top[2];
    ox_top(b, x, count, top);
    return ox_rows_at(b, rows, top[1]);
}

/* The class of suppressed rows becomes -1. MXNet suppresses by >=, ONNX by >: hence the next smaller float. Scores of rows that are not
 * candidates are -1. */
static ox_val suppress(struct ox_build *b, const struct detection *a, ox_val rows, mx_dim classes)
{
    const ox_val id = ox_column(b, rows, 0), score = ox_column(b, rows, 1);
    ox_val scores = score;
    const bool one = mx_dim_equal(ox_dims_table(b), classes, mx_dim_of(1));
    if (!a->force_suppress && !one) {
        const ox_val of_class = ox_binary(b, OX_Equal, id, ox_cast(b, ox_range(b, classes), ox_dtype(b, id)));
        scores = ox_where(b, of_class, scores, ox_scalar_like(b, score, -1));
    }
    const struct ox_nms n = {
        .boxes = rows,
        .first = 2,
        .scores = ox_swap_axes(b, scores, 1, 2),
        .above = ox_float32(b, -1),
        .iou = (double)nextafterf((float)a->nms_threshold, 0),
    };
    const ox_val left = ox_only_kept(b, ox_nms(b, &n), id, -1);
    return ox_concat(b, (const ox_val[]){left, score, ox_slice1(b, rows, 2, 2, 4), ox_slice1(b, rows, 2, 4, 6)}, 4, 2);
}

/* After the topk rows the others remain as before sorting, valid ones first, without a class: even rows that the sort moved to the
 * front. */
static ox_val unsorted_rest(struct ox_build *b, ox_val packed, ox_val count)
{
    const ox_val end = ox_int(b, INT64_MAX), axis = ox_int(b, 1);
    const ox_val rest = ox_node(b, OX_Slice, OX_IN(packed, count, end, axis), OX_NO_ATTRS);
    const ox_val first = ox_column(b, rest, 0), minus = ox_scalar_like(b, packed, -1);
    const ox_val id = ox_binary(b, OX_Min, first, minus);
    return ox_concat(b, (const ox_val[]){id, ox_slice1(b, rest, 2, 1, 6)}, 2, 2);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct detection *a = n->attrs;
    const mx_dim classes = mx_dim_addn(ox_dims_table(b), ox_dim_at(b, in[0], 1), -1);
    ox_val valid;
    if (mx_dim_equal(ox_dims_table(b), classes, mx_dim_of(0))) { /* background only */
        out[0] = ox_fill(b, ox_dtype(b, in[0]), n->out[0].shape, -1);
        return;
    }
    const ox_val rows = detect(b, a, in, &valid), all = ox_dim(b, ox_dim_at(b, in[0], 2));
    const ox_val is_valid = ox_cast(b, valid, MX_FLOAT32);
    if (!(a->nms_threshold > 0 && a->nms_threshold <= 1)) {
        out[0] = sorted(b, rows, is_valid, all);
        return;
    }
    const ox_val count = a->nms_topk > 0 ? ox_at_most(b, ox_dim_at(b, in[0], 2), a->nms_topk) : all;
    const bool cut = count != all;
    const ox_val packed = cut ? sorted(b, rows, is_valid, all) : OX_NONE;
    out[0] = suppress(b, a, sorted(b, rows, ox_column(b, rows, 1), count), classes);
    if (cut) {
        out[0] = ox_concat(b, (const ox_val[]){out[0], unsorted_rest(b, packed, count)}, 2, 1);
    }
}

const struct mx_op mx_ops_multibox_detection[] = {
    {
        .name = "_contrib_MultiBoxDetection",
        .positions = true,
        .alias = "MultiBoxDetection _npx_multibox_detection",
        MX_ATTRS(attrs, struct detection),
        .inputs = "cls_prob loc_pred:exact anchor:exact",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
