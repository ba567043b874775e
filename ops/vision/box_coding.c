/* box_decode and box_encode: boxes as offsets from anchors, and back
 * (src/operator/contrib/bounding_box-inl.h). */
#include "op/op.h"
#include "shared/boxes.h"

static ox_val join(struct ox_build *b, ox_val x, ox_val y)
{
    return ox_concat(b, (const ox_val[]){x, y}, 2, 2);
}

/* Corners to centre and size. */
static void to_center(struct ox_build *b, ox_val *box)
{
    box[1] = ox_sub(b, box[1], box[0]);
    box[0] = ox_add(b, box[0], ox_mul(b, box[1], ox_scalar_like(b, box[1], 0.5)));
}

/* ---- decode */

struct decode {
    double std0, std1, std2, std3, clip;
    int format;
};

static const struct mx_attr decode_attrs[] = {
    MX_FLOAT(struct decode, std0, "1"),
    MX_FLOAT(struct decode, std1, "1"),
    MX_FLOAT(struct decode, std2, "1"),
    MX_FLOAT(struct decode, std3, "1"),
    MX_FLOAT(struct decode, clip, "-1"),
    MX_ENUM(struct decode, format, "center", mx_box_formats),
};

static int infer_decode(struct mx_infer *c)
{
    struct mx_shape x;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    const struct mx_shape box = MX_DIMS(x.dims[0], x.dims[1], mx_dim_of(4));
    MX_TRY(mx_input_is(c, 0, box));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(mx_dim_of(1), x.dims[1], mx_dim_of(4))));
    return mx_output_is(c, 0, box);
}

static void lower_decode(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct decode *a = n->attrs;
    const enum mx_dtype t = ox_dtype(b, in[0]);
    const double of_center[] = {a->std0, a->std1}, of_size[] = {a->std2, a->std3};
    ox_val x[2], anchor[2];
    ox_halves(b, in[0], x);
    ox_halves(b, in[1], anchor);
    if (a->format == MX_CORNER) {
        to_center(b, anchor);
    }
    /* Anchors are usually constants: operations on them alone come first, and are computed at export. */
    const ox_val shift = ox_mul(b, anchor[1], ox_floats(b, t, of_center, 2));
    const ox_val center = ox_add(b, ox_mul(b, x[0], shift), anchor[0]);
    ox_val grow = ox_mul(b, x[1], ox_floats(b, t, of_size, 2));
    if (a->clip > 0) {
        grow = ox_binary(b, OX_Min, grow, ox_scalar(b, t, a->clip));
    }
    const ox_val half = ox_mul(b, anchor[1], ox_scalar(b, t, 0.5));
    const ox_val reach = ox_mul(b, ox_unary(b, OX_Exp, grow), half);
    out[0] = join(b, ox_sub(b, center, reach), ox_add(b, center, reach));
}

/* ---- encode: training targets, and which of them count */

static int infer_encode(struct mx_infer *c)
{
    struct mx_shape x, refs;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_output_dtype_is(c, 1, mx_output_dtype(c, 0)));
    MX_TRY(mx_input_rank(c, 2, 3, &x));
    MX_TRY(mx_input_rank(c, 3, 3, &refs));
    const mx_dim four = mx_dim_of(4);
    const struct mx_shape boxes = MX_DIMS(x.dims[0], x.dims[1], four);
    for (int i = 0; i < 2; i++) {
        MX_TRY(mx_input_is(c, i, MX_DIMS(x.dims[0], x.dims[1])));
        MX_TRY(mx_input_is(c, 4 + i, MX_DIMS(four)));
        MX_TRY(mx_output_is(c, i, boxes));
    }
    MX_TRY(mx_input_is(c, 2, boxes));
    return mx_input_is(c, 3, MX_DIMS(x.dims[0], refs.dims[1], four));
}

static void lower_encode(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    enum { SAMPLES, MATCHES, ANCHORS, REFS, MEANS, STDS };
    const ox_val half = ox_scalar_like(b, in[SAMPLES], 0.5), zero = ox_scalar_like(b, half, 0);
    ox_val ref[2], anchor[2];
    ox_halves(b, ox_rows_at(b, in[REFS], ox_cast(b, in[MATCHES], MX_INT64)), ref);
    ox_halves(b, in[ANCHORS], anchor);
    to_center(b, ref);
    to_center(b, anchor);
    const ox_val shift = ox_div(b, ox_sub(b, ref[0], anchor[0]), anchor[1]);
    const ox_val grow = ox_unary(b, OX_Log, ox_div(b, ref[1], anchor[1]));
    const ox_val target = ox_div(b, ox_sub(b, join(b, shift, grow), in[MEANS]), in[STDS]);
    const ox_val counts = ox_unsqueeze1(b, ox_binary(b, OX_Greater, in[SAMPLES], half), 2);
    out[0] = ox_where(b, counts, target, zero);
    const ox_val mask = ox_cast(b, counts, ox_dtype(b, in[0]));
    out[1] = ox_expand(b, mask, n->out[1].shape.dims, 3);
}

const struct mx_op mx_ops_box_coding[] = {
    {
        .name = "_contrib_box_decode",
        .alias = "_npx_box_decode",
        .positions = true,
        MX_ATTRS(decode_attrs, struct decode),
        .inputs = "data:exact anchors:exact",
        .infer = infer_decode,
        .lower = lower_decode,
    },
    {
        .name = "_contrib_box_encode",
        .alias = "_npx_box_encode",
        .positions = true,
        .inputs = "samples matches anchors:exact refs:exact means stds",
        .outputs = "output0 output1",
        .infer = infer_encode,
        .lower = lower_encode,
    },
    MX_OPS_END,
};
