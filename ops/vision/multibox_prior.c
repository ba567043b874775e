/* MultiBoxPrior: anchors around the centre of each cell of a map (src/operator/contrib/multibox_prior.cc). They depend on the map's
 * size alone: a constant, or run-time arithmetic if it is dynamic. */
#include <math.h>

#include "op/op.h"

struct prior {
    struct mx_floats sizes, ratios, steps, offsets;
    bool clip;
};

enum { LONGEST_SIDE = 1 << 10 }; /* of a map whose anchors are stored as constants */

static const struct mx_attr attrs[] = {
    MX_FLOATS(struct prior, sizes, "(1,)"),         MX_FLOATS(struct prior, ratios, "(1,)"),
    MX_BOOL(struct prior, clip, "False"),           MX_FLOATS(struct prior, steps, "(-1, -1)"),
    MX_FLOATS(struct prior, offsets, "(0.5, 0.5)"),
};

/* The number of anchors of each cell. */
static int each_of(const struct prior *a)
{
    return a->sizes.n + a->ratios.n - 1;
}

static int check(struct mx_infer *c, const struct prior *a)
{
    if (a->sizes.n < 1 || a->ratios.n < 1) {
        return mx_infer_fail(c, a->sizes.n < 1 ? "sizes" : "ratios", MX_SUBJECT "is empty, but must have at least one number");
    }
    if (a->steps.n != 2 || !(a->steps.v[0] * a->steps.v[1] >= 0)) {
        return mx_infer_fail_attr(c, "steps", "two numbers of the same sign: y and x");
    }
    for (int i = 0; i < 2; i++) {
        if (a->offsets.n != 2 || !(a->offsets.v[i] >= 0 && a->offsets.v[i] <= 1)) {
            return mx_infer_fail_attr(c, "offsets", "two numbers from 0 to 1: y and x");
        }
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct prior *a = c->attrs;
    struct mx_shape x;
    MX_TRY(check(c, a));
    MX_TRY(mx_input_dtype_is(c, 0, MX_FLOAT32)); /* the only type of MXNet's kernel */
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_at_least(c, 0, 4, &x));
    const mx_dim cells = mx_dim_mul(c->dims, x.dims[2], x.dims[3]);
    return mx_output_is(c, 0, MX_DIMS(mx_dim_of(1), mx_dim_muln(c->dims, cells, each_of(a)), mx_dim_of(4)));
}

/* Anchor k of a cell: each size with the first ratio, then each other ratio with the first size. */
static void shape_of(const struct prior *a, int k, float *size, float *ratio)
{
    *size = (float)a->sizes.v[k < a->sizes.n ? k : 0];
    *ratio = sqrtf((float)a->ratios.v[k < a->sizes.n ? 0 : k - a->sizes.n + 1]);
}

static bool steps_given(const struct prior *a)
{
    return a->steps.v[0] > 0 && a->steps.v[1] > 0;
}

struct anchors {
    const struct prior *a;
    int64_t size[2];
};

/* In float, in MXNet's order of operations. */
static double corner_at(const void *spec, int64_t i)
{
    const struct anchors *s = spec;
    const struct prior *a = s->a;
    const int64_t each = each_of(a), cell = i / 4 / each;
    const bool is_y = i % 2 == 1;
    const float height = (float)s->size[0], width = (float)s->size[1];
    const int64_t place = is_y ? cell / s->size[1] : cell % s->size[1];
    const float step = steps_given(a) ? (float)a->steps.v[is_y ? 0 : 1] : 1 / (is_y ? height : width);
    const float centre = ((float)place + (float)a->offsets.v[is_y ? 0 : 1]) * step;
    float side, ratio;
    shape_of(a, (int)(i / 4 % each), &side, &ratio);
    const float half = is_y ? side / ratio / 2 : side * height / width * ratio / 2;
    const float v = i % 4 < 2 ? centre - half : centre + half;
    return (double)(!a->clip ? v : v < 0 ? 0 : v > 1 ? 1 : v);
}

static ox_val constant(struct ox_build *b, const struct prior *a, const int64_t size[2])
{
    const int64_t dims[] = {1, size[0] * size[1] * each_of(a), 4};
    const struct anchors s = {a, {size[0], size[1]}};
    return ox_computed(b, MX_FLOAT32, dims, 3, corner_at, &s, sizeof s);
}

/* A size as a float (1). */
static ox_val side(struct ox_build *b, ox_val x, int axis)
{
    return ox_cast(b, ox_dim(b, ox_dim_at(b, x, axis)), MX_FLOAT32);
}

/* Centres along axis i (0: y, 1: x), in the corresponding columns of a box. */
static ox_val centers(struct ox_build *b, const struct prior *a, ox_val x, int i)
{
    const double columns[] = {i, 1 - i, i, 1 - i};
    const ox_val one = ox_float32(b, 1);
    const ox_val step = steps_given(a) ? ox_float32(b, a->steps.v[i]) : ox_div(b, one, side(b, x, 2 + i));
    ox_val at = ox_cast(b, ox_range(b, ox_dim_at(b, x, 2 + i)), MX_FLOAT32);
    at = ox_mul(b, ox_add(b, at, ox_float32(b, a->offsets.v[i])), step);
    return ox_mul(b, ox_unsqueeze(b, at, (const int64_t[]){1 - i, 2, 3}, 3), ox_floats(b, MX_FLOAT32, columns, 4));
}

/* The offsets from a centre, (anchors of a cell, 4). */
static ox_val extents(struct ox_build *b, const struct prior *a, ox_val x)
{
    const int n = each_of(a);
    double *sizes = ox_scratch(b, (size_t)n, sizeof *sizes);
    double *ratios = ox_scratch(b, (size_t)n, sizeof *ratios);
    double *halves = ox_scratch(b, (size_t)n, sizeof *halves);
    if (!sizes || !ratios || !halves) {
        return OX_NONE;
    }
    for (int k = 0; k < n; k++) {
        float size, ratio;
        shape_of(a, k, &size, &ratio);
        sizes[k] = (double)size;
        ratios[k] = (double)ratio / 2;
        halves[k] = (double)(size / ratio / 2);
    }
    const ox_val aspect = ox_div(b, ox_mul(b, ox_floats(b, MX_FLOAT32, sizes, n), side(b, x, 2)), side(b, x, 3));
    const ox_val w = ox_unsqueeze1(b, ox_mul(b, aspect, ox_floats(b, MX_FLOAT32, ratios, n)), 1);
    const ox_val h = ox_unsqueeze1(b, ox_floats(b, MX_FLOAT32, halves, n), 1);
    const ox_val wh = ox_concat(b, (const ox_val[]){w, h}, 2, 1);
    return ox_concat(b, (const ox_val[]){ox_unary(b, OX_Neg, wh), wh}, 2, 1);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct prior *a = n->attrs;
    int64_t size[2];
    if (ox_size_at(b, in[0], 2, &size[0]) && ox_size_at(b, in[0], 3, &size[1]) && size[0] <= LONGEST_SIDE && size[1] <= LONGEST_SIDE) {
        out[0] = constant(b, a, size);
        return;
    }
    const ox_val center = ox_add(b, centers(b, a, in[0], 0), centers(b, a, in[0], 1));
    const ox_val boxes = ox_reshape_shape(b, ox_add(b, center, extents(b, a, in[0])), n->out[0].shape);
    out[0] = a->clip ? ox_clip(b, boxes, ox_float32(b, 0), ox_float32(b, 1)) : boxes;
}

const struct mx_op mx_ops_multibox_prior[] = {
    {
        .name = "_contrib_MultiBoxPrior",
        .positions = true,
        .alias = "MultiBoxPrior _npx_multibox_prior",
        MX_ATTRS(attrs, struct prior),
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
