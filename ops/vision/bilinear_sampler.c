/* GridGenerator, BilinearSampler and SpatialTransformer, which combines the two (src/operator/grid_generator-inl.h,
 * bilinear_sampler.cc, spatial_transformer-inl.h). Grids hold x, then y, from -1 at the centre of the first cell to 1 at the centre of the
 * last. */
#include "op/op.h"
#include "shared/cells.h"

/* ---- grids */

/* x, y and 1 for each position in a map (h, w), from -1 to 1; NaN for a single row or column, as in MXNet. */
static double point_at(const void *spec, int64_t i)
{
    const int64_t *size = spec, h = size[0], w = size[1];
    const int64_t cell = i % (h * w);
    return i < h * w ? -1 + (double)(cell % w) * 2 / (double)(w - 1) : i < 2 * h * w ? -1 + (double)(cell / w) * 2 / (double)(h - 1) : 1;
}

/* theta (N, 6) times (x, y, 1) for each point: (N, 2, h, w). */
static ox_val affine_grid(struct ox_build *b, ox_val theta, struct mx_tuple target)
{
    const int64_t h = target.v[0], w = target.v[1], h_w[] = {h, w}, dims[] = {3, h * w};
    const mx_dim images = ox_dim_at(b, theta, 0), two = mx_dim_of(2);
    const ox_val at = ox_computed(b, ox_dtype(b, theta), dims, 2, point_at, h_w, sizeof h_w);
    const ox_val matrix = ox_reshape_shape(b, theta, MX_DIMS(images, two, mx_dim_of(3)));
    return ox_reshape_shape(b, ox_matmul(b, matrix, at), MX_DIMS(images, two, mx_dim_of(h), mx_dim_of(w)));
}

/* flow (N, 2, H, W) in cells, relative to each cell. */
static ox_val warp_grid(struct ox_build *b, ox_val flow)
{
    const enum mx_dtype t = ox_dtype(b, flow);
    const ox_val one = ox_scalar(b, t, 1), half = ox_scalar(b, t, 0.5);
    ox_val part[2];
    ox_split(b, flow, 1, (const int64_t[]){1, 1}, 2, part);
    for (int i = 0; i < 2; i++) {
        const mx_dim size = ox_dim_at(b, flow, 3 - i);
        ox_val at = ox_cast(b, ox_range(b, size), t);
        at = i == 0 ? at : ox_unsqueeze1(b, at, 1);
        const ox_val scale = ox_mul(b, ox_sub(b, ox_dim_as(b, size, t), one), half);
        part[i] = ox_sub(b, ox_div(b, ox_add(b, part[i], at), scale), one);
    }
    return ox_concat(b, part, 2, 1);
}

/* ---- samples */

/* Without GridSample: cells outside count as 0, so the map gets a border of zeros. */
static ox_val sample_by_gather(struct ox_build *b, ox_val x, ox_val grid)
{
    const enum mx_dtype t = ox_dtype(b, x);
    const ox_val one = ox_scalar(b, t, 1), half = ox_scalar(b, t, 0.5);
    ox_val at[2];
    for (int i = 0; i < 2; i++) {
        const ox_val axis = ox_gather(b, grid, ox_scalar(b, MX_INT64, i), 1);
        const ox_val last = ox_sub(b, ox_dim_as(b, ox_dim_at(b, x, 3 - i), t), one);
        at[i] = ox_add(b, ox_mul(b, ox_mul(b, ox_add(b, axis, one), last), half), one);
    }
    x = ox_zeros_around(b, x, 1);
    const struct mx_shape s = ox_shape(b, x);
    if (ox_failed(b)) {
        return OX_NONE;
    }
    struct mx_dims *table = ox_dims_table(b);
    const mx_dim cells = mx_dim_mul(table, s.dims[2], s.dims[3]);
    const ox_val image = ox_mul(b, ox_range(b, s.dims[0]), ox_dim(b, cells));
    const struct ox_sample sample = {
        .rows = ox_reshape_shape(b, ox_move_axis(b, x, 1, 3), MX_DIMS(mx_dim_mul(table, s.dims[0], cells), s.dims[1])),
        .base = ox_unsqueeze(b, image, (const int64_t[]){1, 2}, 2),
        .y = at[1],
        .x = at[0],
        .height = s.dims[2],
        .width = s.dims[3],
        .step = 1,
    };
    return ox_move_axis(b, ox_bilinear(b, &sample), 3, 1);
}

static ox_val sample(struct ox_build *b, ox_val x, ox_val grid)
{
    if (!ox_has(b, OX_GridSample)) {
        return sample_by_gather(b, x, grid);
    }
    return ox_node(b, OX_GridSample, OX_IN(x, ox_move_axis(b, grid, 1, 3)),
                   OX_ATTRS(OX_S("mode", "linear"), OX_S("padding_mode", "zeros"), OX_I("align_corners", 1)));
}

/* ---- GridGenerator */

enum transform { AFFINE, WARP };

struct transformer {
    int transform_type, sampler_type;
    struct mx_tuple target_shape;
};

static const char *const transforms[] = {"affine", "warp", NULL};
static const char *const samplers[] = {"bilinear", NULL};
static const struct mx_attr grid_attrs[] = {
    MX_ENUM(struct transformer, transform_type, NULL, transforms),
    MX_SIZES_NONE(struct transformer, target_shape, "(0, 0)"),
};

static int check_target(struct mx_infer *c, struct mx_tuple target, int64_t least, const char *rule)
{
    MX_TRY(mx_check_pair(c, "target_shape", target, least, rule));
    return mx_made_size(c, "target_shape", target.v[0], target.v[1]);
}

static int infer_grid(struct mx_infer *c)
{
    const struct transformer *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (a->transform_type == WARP) {
        MX_TRY(mx_input_rank(c, 0, 4, &s));
        MX_TRY(mx_input_is(c, 0, MX_DIMS(s.dims[0], mx_dim_of(2), s.dims[2], s.dims[3])));
        return mx_output_is(c, 0, s);
    }
    MX_TRY(check_target(c, a->target_shape, 1, "two positive numbers: height and width"));
    MX_TRY(mx_input_rank(c, 0, 2, &s));
    MX_TRY(mx_input_is(c, 0, MX_DIMS(s.dims[0], mx_dim_of(6))));
    return mx_output_is(c, 0, MX_DIMS(s.dims[0], mx_dim_of(2), mx_dim_of(a->target_shape.v[0]), mx_dim_of(a->target_shape.v[1])));
}

static void lower_grid(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct transformer *a = n->attrs;
    out[0] = a->transform_type == AFFINE ? affine_grid(b, in[0], a->target_shape) : warp_grid(b, in[0]);
}

/* ---- BilinearSampler */

static int infer_sampler(struct mx_infer *c)
{
    struct mx_shape x, grid;
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    MX_TRY(mx_input_rank(c, 1, 4, &grid));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(x.dims[0], mx_dim_of(2), grid.dims[2], grid.dims[3])));
    return mx_output_is(c, 0, MX_DIMS(x.dims[0], x.dims[1], grid.dims[2], grid.dims[3]));
}

static void lower_sampler(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = sample(b, in[0], in[1]);
}

/* ---- SpatialTransformer */

static const struct mx_attr transformer_attrs[] = {
    MX_SIZES_NONE(struct transformer, target_shape, "(0, 0)"),
    MX_ENUM(struct transformer, transform_type, NULL, transforms),
    MX_ENUM(struct transformer, sampler_type, NULL, samplers),
    MX_IGNORED("cudnn_off"),
};

static int infer_transformer(struct mx_infer *c)
{
    const struct transformer *a = c->attrs;
    struct mx_shape x;
    if (a->transform_type != AFFINE) {
        return mx_infer_fail_attr(c, "transform_type", "affine");
    }
    MX_TRY(check_target(c, a->target_shape, 2, "two numbers of 2 or more: height and width"));
    MX_TRY(mx_same_dtype(c, 0, -1));
    MX_TRY(mx_input_rank(c, 0, 4, &x));
    MX_TRY(mx_input_is(c, 1, MX_DIMS(x.dims[0], mx_dim_of(6))));
    return mx_output_is(c, 0, MX_DIMS(x.dims[0], x.dims[1], mx_dim_of(a->target_shape.v[0]), mx_dim_of(a->target_shape.v[1])));
}

static void lower_transformer(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct transformer *a = n->attrs;
    out[0] = sample(b, in[0], affine_grid(b, in[1], a->target_shape));
}

const struct mx_op mx_ops_bilinear_sampler[] = {
    {.name = "BilinearSampler", MX_IGNORED_ATTRS("cudnn_off"), .inputs = "data grid:exact", .infer = infer_sampler, .lower = lower_sampler},
    {
        .name = "GridGenerator",
        .positions = true,
        MX_ATTRS(grid_attrs, struct transformer),
        .inputs = "data:exact",
        .infer = infer_grid,
        .lower = lower_grid,
    },
    {
        .name = "SpatialTransformer",
        MX_ATTRS(transformer_attrs, struct transformer),
        .inputs = "data loc:exact",
        .infer = infer_transformer,
        .lower = lower_transformer,
        .refuses = "A target_shape with a size of 1: MXNet divides by 0 there.",
    },
    MX_OPS_END,
};
