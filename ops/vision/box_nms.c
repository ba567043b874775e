/* box_nms: rows that survive non-maximum suppression move to the front in the order of their
 * scores, the others become -1 (src/operator/contrib/bounding_box-inl.h, BoxNMSForward). */
#include <math.h>

#include "op/op.h"
#include "shared/boxes.h"

struct box_nms {
    double overlap_thresh, valid_thresh;
    int64_t topk, coord_start, score_index, id_index, background_id;
    bool force_suppress;
    int in_format, out_format;
};

static const struct mx_attr attrs[] = {
    MX_FLOAT(struct box_nms, overlap_thresh, "0.5"),
    MX_FLOAT(struct box_nms, valid_thresh, "0"),
    MX_INT(struct box_nms, topk, "-1"),
    MX_COUNT(struct box_nms, coord_start, "2"),
    MX_COUNT(struct box_nms, score_index, "1"),
    MX_INT(struct box_nms, id_index, "-1"),
    MX_INT(struct box_nms, background_id, "-1"),
    MX_BOOL(struct box_nms, force_suppress, "False"),
    MX_ENUM(struct box_nms, in_format, "corner", mx_box_formats),
    MX_ENUM(struct box_nms, out_format, "corner", mx_box_formats),
};

/* The columns of a row: four coordinates, the score, possibly a class; they must be different. */
static int check_columns(struct mx_infer *c, const struct box_nms *a, int64_t width)
{
    if (a->coord_start > width - 4) {
        return mx_infer_fail(c, "coord_start", MX_SUBJECT "is %lld, but must leave four columns of the %lld of a row",
                             (long long)a->coord_start, (long long)width);
    }
    const int64_t last = a->coord_start + 3;
    if (a->score_index >= width || (a->score_index >= a->coord_start && a->score_index <= last)) {
        return mx_infer_fail(c, "score_index", MX_SUBJECT "is %lld, but must be a column outside the coordinates (%lld to %lld)",
                             (long long)a->score_index, (long long)a->coord_start, (long long)last);
    }
    if (a->id_index >= width || (a->id_index >= a->coord_start && a->id_index <= last) || a->id_index == a->score_index) {
        return mx_infer_fail(c, "id_index",
                             MX_SUBJECT "is %lld, but must be a column outside the coordinates (%lld to %lld) and the score (%lld)",
                             (long long)a->id_index, (long long)a->coord_start, (long long)last, (long long)a->score_index);
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct box_nms *a = c->attrs;
    struct mx_shape x;
    int64_t width;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input_at_least(c, 0, 2, &x));
    MX_TRY(mx_number(c, x.dims[x.ndim - 1], "the length of a row", &width));
    MX_TRY(check_columns(c, a, width));
    if (!(a->overlap_thresh >= 0)) {
        return mx_infer_fail(c, "overlap_thresh", MX_SUBJECT "is %g, which ONNX cannot express" MX_HELP "choose 0 or more",
                             a->overlap_thresh);
    }
    return MX_OK;
}

/* Scores must be above it; in the data's type. */
static ox_val above(struct ox_build *b, const struct box_nms *a, ox_val x)
{
    return ox_scalar_like(b, x, a->valid_thresh);
}

/* (B, N, 1): the scores; `other` for background, unless no row can be background. */
static ox_val scores(struct ox_build *b, const struct box_nms *a, ox_val x, ox_val other)
{
    double lo, hi;
    const double background = (double)a->background_id;
    const ox_val score = ox_column(b, x, a->score_index), id = a->id_index >= 0 ? ox_column(b, x, a->id_index) : OX_NONE;
    if (id == OX_NONE || (ox_interval(b, id, &lo, &hi) && (background < lo || background > hi))) {
        return score;
    }
    return ox_where(b, ox_binary(b, OX_Equal, id, ox_scalar_like(b, x, background)), other, score);
}

/* The `count` best valid rows, best first, with invalid ones after them. */
static ox_val best_rows(struct ox_build *b, const struct box_nms *a, ox_val x, ox_val count)
{
    const ox_val none = ox_scalar_like(b, x, -(double)INFINITY), score = scores(b, a, x, none);
    ox_val sorted[2];
    ox_top(b, ox_where(b, ox_binary(b, OX_Greater, score, above(b, a, x)), score, none), count, sorted);
    return ox_rows_at(b, x, sorted[1]);
}

/* int64 (classes): the class numbers that can occur, if they are known and few compared to the number of rows; otherwise OX_NONE. */
static ox_val known_classes(struct ox_build *b, const struct box_nms *a, ox_val id)
{
    enum { MOST_CLASSES = 1024, MOST_SCORES = 1 << 22, FARTHEST = 1 << 30 };
    double lo, hi;
    int64_t rows, classes[MOST_CLASSES];
    int n = 0;
    if (!ox_interval(b, id, &lo, &hi) || !ox_size_at(b, id, 1, &rows) || !(lo > -FARTHEST && hi < FARTHEST)) {
        return OX_NONE;
    }
    const int64_t first = (int64_t)lo, count = (int64_t)hi - first + 1; /* bounds may have fractions */
    if (count < 1 || count > MOST_CLASSES || rows > MOST_SCORES / count) {
        return OX_NONE;
    }
    for (int64_t i = 0; i < count; i++) {
        classes[n] = first + i;
        n += first + i != a->background_id;
    }
    return n > 0 ? ox_ints(b, classes, n) : OX_NONE;
}

/* (B, classes, N), where rows that are not candidates have a score that is not above the threshold. Ids are truncated to integers. If it
 * is unknown which ones occur, classes are numbered in order of appearance, since an id may be any number. */
static ox_val class_scores(struct ox_build *b, const struct box_nms *a, ox_val x)
{
    const ox_val low = above(b, a, x), by_class = a->id_index >= 0 && !a->force_suppress ? ox_column(b, x, a->id_index) : OX_NONE;
    if (by_class == OX_NONE) {
        return ox_swap_axes(b, scores(b, a, x, low), 1, 2);
    }
    const ox_val id = ox_cast(b, by_class, MX_INT64), known = known_classes(b, a, by_class);
    ox_val same, score;
    if (known != OX_NONE) {
        same = ox_binary(b, OX_Equal, id, known);
        score = ox_column(b, x, a->score_index);
    } else {
        ox_val unique[3];
        ox_node_n(b, OX_Unique, OX_IN(id), OX_NO_ATTRS, unique, 3);
        const ox_val number = ox_reshape_shape(b, unique[2], ox_shape(b, id));
        same = ox_binary(b, OX_Equal, number, ox_range(b, ox_dim_at(b, unique[0], 0)));
        score = scores(b, a, x, low);
    }
    return ox_swap_axes(b, ox_where(b, same, score, low), 1, 2);
}

/* Appends rows of -1 until there are as many as in `like`. */
static ox_val fill_up(struct ox_build *b, ox_val x, ox_val like)
{
    int64_t now, wanted;
    const ox_val value = ox_scalar_like(b, x, -1);
    if (ox_size_at(b, x, 1, &now) && ox_size_at(b, like, 1, &wanted)) {
        return ox_pad(b, x, (const int64_t[]){0, 0, 0}, (const int64_t[]){0, wanted - now, 0}, 3, "constant", -1);
    }
    const ox_val missing = ox_sub(b, ox_dim(b, ox_dim_at(b, like, 1)), ox_dim(b, ox_dim_at(b, x, 1)));
    const ox_val parts[] = {OX_INTS(b, 0, 0, 0, 0), missing, ox_int(b, 0)};
    return ox_shaped(b, OX_Pad, OX_IN(x, ox_concat(b, parts, 3, 0), value), OX_NO_ATTRS, ox_shape(b, like));
}

/* Converts to the other format, but only if the first coordinate is not negative, as MXNet does (corner_to_center, center_to_corner). */
static ox_val convert(struct ox_build *b, const struct box_nms *a, ox_val x)
{
    int64_t width;
    (void)ox_size_at(b, x, 2, &width);
    const int64_t sizes[] = {a->coord_start, 2, 2, width - a->coord_start - 4};
    const int pair = sizes[0] > 0, n = pair + 2 + (sizes[3] > 0);
    ox_val parts[4];
    ox_split(b, x, 2, sizes + 1 - pair, n, parts);
    const ox_val p = parts[pair], q = parts[pair + 1], half = ox_scalar_like(b, x, 0.5);
    const ox_val corner = ox_gather(b, x, ox_ints(b, &a->coord_start, 1), 2);
    const ox_val stays = ox_binary(b, OX_Less, corner, ox_scalar_like(b, x, 0));
    const ox_val half_q = a->in_format == MX_CENTER ? ox_mul(b, q, half) : OX_NONE;
    parts[pair] = a->in_format == MX_CENTER ? ox_sub(b, p, half_q) : ox_mul(b, ox_add(b, p, q), half);
    parts[pair + 1] = a->in_format == MX_CENTER ? ox_add(b, p, half_q) : ox_sub(b, q, p);
    return ox_where(b, stays, x, ox_concat(b, parts, n, 2));
}

/* x (B, N, columns). The candidate rows are sorted first only if topk limits their number, and for doubles, whose order the
 * suppression, in float, might not preserve. */
static ox_val suppress(struct ox_build *b, const struct box_nms *a, ox_val x)
{
    const ox_val all = ox_dim(b, ox_dim_at(b, x, 1)), count = ox_at_most(b, ox_dim_at(b, x, 1), a->topk);
    const bool fewer = count != all;
    ox_val sorted[2], rows = x;
    if (fewer || ox_dtype(b, x) == MX_FLOAT64) {
        rows = best_rows(b, a, x, count);
    }
    const struct ox_nms n = {
        .boxes = rows,
        .first = a->coord_start,
        .scores = class_scores(b, a, rows),
        .above = above(b, a, x),
        .iou = a->overlap_thresh < 1 ? a->overlap_thresh : 1,
        .center = a->in_format == MX_CENTER,
    };
    const ox_val none = ox_scalar_like(b, x, -(double)INFINITY), score = ox_column(b, rows, a->score_index);
    ox_top(b, ox_only_kept(b, ox_nms(b, &n), score, -(double)INFINITY), count, sorted);
    rows = ox_where(b, ox_binary(b, OX_Greater, sorted[0], none), ox_rows_at(b, rows, sorted[1]), ox_scalar_like(b, x, -1));
    return fewer ? fill_up(b, rows, x) : rows;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct box_nms *a = n->attrs;
    const struct mx_shape s = ox_shape(b, in[0]);
    if (a->topk == 0) { /* nothing is done at all */
        out[0] = in[0];
        return;
    }
    const struct mx_shape lists = MX_DIMS(mx_dim_product(ox_dims_table(b), s.dims, s.ndim - 2), s.dims[s.ndim - 2], s.dims[s.ndim - 1]);
    ox_val x = suppress(b, a, ox_reshape_shape(b, in[0], lists));
    if (a->in_format != a->out_format) {
        x = convert(b, a, x);
    }
    out[0] = ox_reshape_shape(b, x, s);
}

const struct mx_op mx_ops_box_nms[] = {
    {
        .name = "_contrib_box_nms",
        .positions = true,
        .alias = "_contrib_box_non_maximum_suppression _npx_box_nms",
        MX_ATTRS(attrs, struct box_nms),
        .inputs = "data:exact",
        .outputs = "output0",
        .infer = infer,
        .lower = lower,
        .refuses = "overlap_thresh below 0: ONNX's NonMaxSuppression needs 0 or more.",
    },
    MX_OPS_END,
};
