/* Proposal and MultiProposal: regions from a region proposal network (src/operator/contrib/multi_proposal.cc, proposal.cc, which differ
 * in the number of images). Everything is float32 there. */
#include <math.h>

#include "op/op.h"
#include "shared/boxes.h"

struct proposal {
    int64_t rpn_pre_nms_top_n, rpn_post_nms_top_n, rpn_min_size, feature_stride;
    double threshold;
    struct mx_floats scales, ratios;
    bool output_score, iou_loss;
};

static const struct mx_attr attrs[] = {
    MX_INT(struct proposal, rpn_pre_nms_top_n, "6000"),   MX_INT(struct proposal, rpn_post_nms_top_n, "300"),
    MX_FLOAT(struct proposal, threshold, "0.7"),          MX_INT(struct proposal, rpn_min_size, "16"),
    MX_FLOATS(struct proposal, scales, "(4, 8, 16, 32)"), MX_FLOATS(struct proposal, ratios, "(0.5, 1, 2)"),
    MX_INT(struct proposal, feature_stride, "16"),        MX_BOOL(struct proposal, output_score, "False"),
    MX_BOOL(struct proposal, iou_loss, "False"),
};

/* The number of anchors per cell. */
static int count_of(const struct proposal *a)
{
    return a->scales.n * a->ratios.n;
}

enum { MOST = 1024 }; /* scales, ratios */

static int check(struct mx_infer *c, const struct proposal *a)
{
    if (a->scales.n < 1 || a->ratios.n < 1 || a->scales.n > MOST || a->ratios.n > MOST) {
        return mx_infer_fail(c, "scales", "there are %d scales and %d ratios, but there must be 1 to %d of each", a->scales.n, a->ratios.n,
                             MOST);
    }
    MX_TRY(mx_positive(c, "rpn_post_nms_top_n", a->rpn_post_nms_top_n));
    MX_TRY(mx_positive(c, "feature_stride", a->feature_stride));
    if (!(a->threshold >= 0)) {
        return mx_infer_fail(c, "threshold", MX_SUBJECT "is %g, which ONNX cannot express" MX_HELP "choose 0 or more", a->threshold);
    }
    return MX_OK;
}

enum { ONE_IMAGE = 1 }; /* the operator accepts only one */

static int infer(struct mx_infer *c)
{
    const struct proposal *a = c->attrs;
    struct mx_shape x;
    const int64_t anchors = count_of(a);
    MX_TRY(check(c, a));
    for (int i = 0; i < 3; i++) {
        MX_TRY(mx_input_dtype_is(c, i, MX_FLOAT32));
    }
    for (int i = 0; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, MX_FLOAT32));
    }
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    const mx_dim images = c->node->op->which ? mx_dim_of(1) : x.dims[0];
    MX_TRY(mx_input_is(c, 0, MX_DIMS(images, mx_dim_of(2 * anchors), x.dims[2], x.dims[3])));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(images, mx_dim_of(4 * anchors), x.dims[2], x.dims[3])));
    MX_TRY(mx_input_is(c, 2, MX_DIMS(images, mx_dim_of(3))));
    const mx_dim rows = mx_dim_muln(c->dims, images, a->rpn_post_nms_top_n);
    MX_TRY(mx_output_is(c, 0, MX_DIMS(rows, mx_dim_of(5))));
    return a->output_score ? mx_output_is(c, 1, MX_DIMS(rows, mx_dim_of(1))) : MX_OK;
}

/* Centres and sizes of a cell's anchors, x and y of each (_Transform in multi_proposal-inl.h); all in float. */
static void make_anchors(const struct proposal *a, double *center, double *size)
{
    const float side = (float)a->feature_stride, middle = 0.5F * (side - 1);
    for (int i = 0; i < count_of(a); i++) {
        const float ratio = (float)a->ratios.v[i / a->scales.n];
        const float scale = (float)a->scales.v[i % a->scales.n];
        const float w = floorf(sqrtf(floorf(side * side / ratio)) + 0.5F) * scale;
        const float h = floorf(w / scale * ratio + 0.5F) * scale;
        const float sides[] = {w, h};
        for (int k = 0; k < 2; k++) {
            const float low = middle - 0.5F * (sides[k] - 1), high = middle + 0.5F * (sides[k] - 1);
            size[2 * i + k] = (double)(high - low + 1);
            center[2 * i + k] = (double)(low + 0.5F * (high - low));
        }
    }
}

struct net {
    struct ox_build *b;
    const struct proposal *a;
    ox_val cell;      /* (H, W, 1, 2): x and y of each cell's start */
    ox_val info;      /* (N, 3) */
    ox_val low, high; /* (N, H, W, anchors, 2): corners */
    ox_val score;     /* (N, H, W, anchors) */
};

/* The start of each cell along axis i (0: y, 1: x), in the corresponding column. */
static ox_val begins(struct net *k, ox_val x, int i)
{
    const double stride = (double)k->a->feature_stride;
    const double columns[] = {i == 1 ? stride : 0, i == 0 ? stride : 0};
    const int64_t axes[] = {i == 0 ? 1 : 0, 2, 3};
    const ox_val at = ox_cast(k->b, ox_range(k->b, ox_dim_at(k->b, x, 2 + i)), MX_FLOAT32);
    return ox_mul(k->b, ox_unsqueeze(k->b, at, axes, 3), ox_floats(k->b, MX_FLOAT32, columns, 2));
}

/* (N, parts * anchors, H, W) as (N, H, W, anchors, parts). */
static ox_val by_cell(struct net *k, ox_val x, int64_t parts)
{
    const struct mx_shape s = ox_shape(k->b, x);
    x = ox_reshape_shape(k->b, x, MX_DIMS(s.dims[0], mx_dim_of(count_of(k->a)), mx_dim_of(parts), s.dims[2], s.dims[3]));
    return ox_transpose(k->b, x, (const int64_t[]){0, 3, 4, 1, 2}, 5);
}

static ox_val columns(struct net *k, ox_val x, int64_t first, int64_t second)
{
    return ox_gather(k->b, x, OX_INTS(k->b, first, second), -1);
}

/* Columns of im_info as (N, 1, 1, 1, n). */
static ox_val per_image(struct net *k, ox_val x)
{
    return ox_unsqueeze(k->b, x, (const int64_t[]){1, 2, 3}, 3);
}

/* BBoxTransformInv, or with iou_loss IoUTransformInv: the corners predicted by the deltas. */
static void predict(struct net *k, ox_val deltas)
{
    struct ox_build *b = k->b;
    const int n = count_of(k->a);
    const int64_t dims[] = {n, 2};
    double *center = ox_scratch(b, 2 * (size_t)n, sizeof *center);
    double *size = ox_scratch(b, 2 * (size_t)n, sizeof *size);
    ox_val d[2];
    if (!center || !size) {
        return;
    }
    make_anchors(k->a, center, size);
    ox_halves(b, by_cell(k, deltas, 4), d);
    const ox_val base = ox_reshape_ints(b, ox_floats(b, MX_FLOAT32, center, 2 * n), dims, 2);
    const ox_val sides = ox_reshape_ints(b, ox_floats(b, MX_FLOAT32, size, 2 * n), dims, 2);
    const ox_val at = ox_add(b, k->cell, base);
    const ox_val one = ox_float32(b, 1), half = ox_float32(b, 0.5);
    ox_val from[2] = {at, at}, reach = sides;
    if (!k->a->iou_loss) {
        from[0] = from[1] = ox_add(b, ox_mul(b, d[0], sides), at);
        reach = ox_mul(b, ox_unary(b, OX_Exp, d[1]), sides);
    }
    reach = ox_mul(b, ox_sub(b, reach, one), half);
    k->low = ox_sub(b, from[0], reach);
    k->high = ox_add(b, from[1], reach);
    if (k->a->iou_loss) {
        k->low = ox_add(b, k->low, d[0]);
        k->high = ox_add(b, k->high, d[1]);
    }
    const ox_val last = per_image(k, ox_sub(b, columns(k, k->info, 1, 0), one)), zero = ox_float32(b, 0);
    k->low = ox_binary(b, OX_Max, ox_binary(b, OX_Min, k->low, last), zero);
    k->high = ox_binary(b, OX_Max, ox_binary(b, OX_Min, k->high, last), zero);
}

/* True if either x or y is: (..., 2) to (...). */
static ox_val either(struct ox_build *b, ox_val x)
{
    return ox_binary(b, OX_Or, ox_gather(b, x, ox_scalar(b, MX_INT64, 0), -1), ox_gather(b, x, ox_scalar(b, MX_INT64, 1), -1));
}

/* Cells beyond the image and boxes that are too small get a score of -1; small ones are enlarged (FilterBox). */
static void filter(struct net *k)
{
    struct ox_build *b = k->b;
    const ox_val stride = ox_float32(b, (double)k->a->feature_stride), half = ox_float32(b, 0.5);
    const ox_val cells = ox_unary(b, OX_Floor, ox_div(b, columns(k, k->info, 1, 0), stride));
    const ox_val end = per_image(k, ox_mul(b, cells, stride));
    const ox_val outside = ox_binary(b, OX_GreaterOrEqual, k->cell, end);
    const ox_val scale = per_image(k, ox_slice1(b, k->info, 1, 2, 3));
    const ox_val least = ox_mul(b, scale, ox_float32(b, (double)k->a->rpn_min_size));
    const ox_val size = ox_add(b, ox_sub(b, k->high, k->low), ox_float32(b, 1));
    const ox_val small = either(b, ox_binary(b, OX_Less, size, least));
    const ox_val grow = ox_where(b, ox_unsqueeze1(b, small, 4), ox_mul(b, least, half), ox_float32(b, 0));
    k->low = ox_sub(b, k->low, grow);
    k->high = ox_add(b, k->high, grow);
    k->score = ox_where(b, ox_binary(b, OX_Or, small, either(b, outside)), ox_float32(b, -1), k->score);
}

/* The kept boxes of each image, repeated, (N, rpn_post_nms_top_n): kept boxes are ordered by image, best first. */
static ox_val repeat(struct net *k, ox_val kept, mx_dim images)
{
    struct ox_build *b = k->b;
    const int64_t axis = 1;
    const ox_val wanted = ox_unsqueeze1(b, ox_range(b, mx_dim_of(k->a->rpn_post_nms_top_n)), 0);
    const ox_val box = ox_gather(b, kept, ox_scalar(b, MX_INT64, 2), 1);
    if (mx_dim_equal(ox_dims_table(b), images, mx_dim_of(1))) {
        const ox_val count = ox_dim(b, ox_dim_at(b, kept, 0));
        const ox_val at = ox_node(b, OX_Mod, OX_IN(wanted, count), OX_NO_ATTRS);
        return ox_gather(b, box, at, 0);
    }
    const ox_val image = ox_unsqueeze1(b, ox_gather(b, kept, ox_scalar(b, MX_INT64, 0), 1), 0);
    const ox_val each = ox_unsqueeze1(b, ox_range(b, images), 1);
    const ox_val own = ox_cast(b, ox_binary(b, OX_Equal, image, each), MX_INT64);
    const ox_val count = ox_reduce(b, OX_ReduceSum, own, &axis, 1, true);
    const ox_val start = ox_node(b, OX_CumSum, OX_IN(count, ox_scalar(b, MX_INT64, 0)), OX_ATTRS(OX_I("exclusive", 1)));
    const ox_val at = ox_node(b, OX_Mod, OX_IN(wanted, count), OX_NO_ATTRS);
    return ox_gather(b, box, ox_add(b, start, at), 0);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct proposal *a = n->attrs;
    const struct mx_shape s = ox_shape(b, in[1]);
    const int64_t anchors = count_of(a);
    struct net k = {.b = b, .a = a, .info = in[2]};
    k.cell = ox_add(b, begins(&k, in[0], 0), begins(&k, in[0], 1));
    k.score = ox_transpose(b, ox_slice1(b, in[0], 1, anchors, 2 * anchors), (const int64_t[]){0, 2, 3, 1}, 4);
    predict(&k, in[1]);
    filter(&k);

    const mx_dim cells = mx_dim_mul(ox_dims_table(b), s.dims[2], s.dims[3]);
    const mx_dim boxes = mx_dim_muln(ox_dims_table(b), cells, anchors);
    const ox_val count = ox_at_most(b, boxes, a->rpn_pre_nms_top_n > 0 ? a->rpn_pre_nms_top_n : -1);
    ox_val best[2];
    ox_top(b, ox_reshape_shape(b, k.score, MX_DIMS(s.dims[0], boxes)), count, best);
    ox_val rows = ox_concat(b, (const ox_val[]){k.low, k.high}, 2, 4);
    rows = ox_rows_at(b, ox_reshape_shape(b, rows, MX_DIMS(s.dims[0], boxes, mx_dim_of(4))), best[1]);

    /* MXNet's sides are x2 - x1 + 1 */
    const ox_val wide = ox_add(b, rows, ox_floats(b, MX_FLOAT32, (const double[]){0, 0, 1, 1}, 4));
    const struct ox_nms nms = {
        .boxes = wide,
        .scores = ox_unsqueeze1(b, best[0], 1),
        .iou = a->threshold < 1 ? a->threshold : 1,
        .limit = a->rpn_post_nms_top_n,
    };
    const ox_val at = repeat(&k, ox_nms(b, &nms), s.dims[0]);
    const mx_dim one[] = {s.dims[0], mx_dim_of(a->rpn_post_nms_top_n), mx_dim_of(1)};
    const ox_val image = ox_cast(b, ox_range(b, s.dims[0]), MX_FLOAT32);
    const ox_val first = ox_expand(b, ox_unsqueeze(b, image, (const int64_t[]){1, 2}, 2), one, 3);
    rows = ox_concat(b, (const ox_val[]){first, ox_rows_at(b, rows, at)}, 2, 2);
    out[0] = ox_reshape_shape(b, rows, n->out[0].shape);
    if (a->output_score) {
        const ox_val score = ox_node(b, OX_GatherElements, OX_IN(best[0], at), OX_ATTRS(OX_I("axis", 1)));
        out[1] = ox_reshape_shape(b, score, n->out[1].shape);
    }
}

#define ROW(name_, alias_, which_)                                                                                                         \
    {                                                                                                                                      \
        .name = (name_), .alias = (alias_), MX_ATTRS(attrs, struct proposal), .inputs = "cls_prob bbox_pred:exact im_info:exact",          \
        .outputs = "output score:if(output_score)", .infer = infer, .lower = lower, .positions = true, .which = (which_),                  \
        .refuses = "threshold below 0: ONNX's NonMaxSuppression needs 0 or more.",                                                         \
    }

const struct mx_op mx_ops_proposal[] = {
    ROW("_contrib_MultiProposal", "MultiProposal", 0),
    ROW("_contrib_Proposal", "Proposal", ONE_IMAGE),
    MX_OPS_END,
};
