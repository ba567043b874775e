/* _random_randint, _sample_multinomial, _shuffle: random integers (src/operator/random/sample_op.h, sample_multinomial_op.h,
 * shuffle_op.cc). */
#include "shared/random_numbers.h"

struct choice {
    int64_t low, high;
    struct mx_tuple shape;
    bool get_prob;
    enum mx_dtype dtype;
};

/* ---- randint: low to high - 1 */

static const struct mx_attr randint_attrs[] = {
    MX_INT64(struct choice, low, NULL),          MX_INT64(struct choice, high, NULL),
    MX_SIZES_NONE(struct choice, shape, "None"), MX_IGNORED("ctx"),
    MX_DTYPE(struct choice, dtype, "None"),
};

/* A double represents every integer up to this one. */
#define MOST ((int64_t)1 << 53)

static struct mx_size_list sizes_of(const struct mx_infer *c)
{
    const struct choice *a = c->attrs;
    return (struct mx_size_list){"shape", a->shape, !c->graph->np_shape};
}

static int infer_randint(struct mx_infer *c)
{
    const struct choice *a = c->attrs;
    if (a->low >= a->high || a->low < -MOST || a->high > MOST) {
        return mx_infer_fail(c, "high", "the range %lld to %lld is empty or too wide" MX_HELP "choose a low that is smaller than high",
                             (long long)a->low, (long long)a->high);
    }
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype == MX_DTYPE_NONE ? MX_INT32 : a->dtype));
    return mx_output_drawn(c, sizes_of(c));
}

static void lower_randint(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct choice *a = n->attrs;
    const ox_val width = ox_scalar(b, MX_FLOAT64, (double)(a->high - a->low));
    const ox_val x = ox_mul(b, ox_uniform(b, n->out[0].shape, MX_FLOAT64), width);
    const ox_val whole = ox_add(b, ox_unary(b, OX_Floor, x), ox_scalar(b, MX_FLOAT64, (double)a->low));
    const ox_val last = ox_scalar(b, MX_FLOAT64, (double)(a->high - 1));
    out[0] = ox_cast(b, ox_binary(b, OX_Min, whole, last), n->out[0].dtype);
}

/* ---- multinomial: indices of shape data[:-1] + shape, drawn with the probabilities in the last axis */

static const struct mx_attr multinomial_attrs[] = {
    MX_SIZES_NONE(struct choice, shape, "()"),
    MX_BOOL(struct choice, get_prob, "False"),
    MX_DTYPE(struct choice, dtype, "int32"),
};

static int infer_multinomial(struct mx_infer *c)
{
    const struct choice *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_input_at_least(c, 0, 1, &s));
    MX_TRY(mx_input_is_float(c, 0, "data"));
    mx_push_dims(&dims, s.dims, s.ndim - 1);
    MX_TRY(mx_push_sizes(c, &dims, sizes_of(c)));
    if (dims.n == 0 && !c->graph->np_shape) {
        mx_push_dim(&dims, mx_dim_of(1));
    }
    MX_TRY(mx_output_dtype_is(c, 0, a->dtype));
    for (int i = 0; i < c->node->n_out; i++) {
        MX_TRY(mx_output_is_dims(c, i, dims.v, dims.n));
    }
    return c->node->n_out == 1 ? MX_OK : mx_output_dtype_is(c, 1, mx_input_dtype(c, 0));
}

static void lower_multinomial(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct choice *a = n->attrs;
    const struct mx_shape s = ox_shape(b, in[0]);
    int64_t draws = 1;
    if (mx_shape_is_empty(ox_dims_table(b), n->out[0].shape)) {
        for (int i = 0; i < n->n_out; i++) {
            out[i] = ox_fill(b, n->out[i].dtype, n->out[i].shape, 0);
        }
        return;
    }
    for (int i = 0; i < a->shape.n; i++) {
        draws *= a->shape.v[i] <= INT32_MAX / draws ? a->shape.v[i] : 0;
        if (draws == 0) {
            ox_fail(b, "shape", MX_SUBJECT "asks for more than 2^31 - 1 draws" MX_HELP "choose smaller sizes");
            return;
        }
    }
    const mx_dim rows = mx_dim_product(ox_dims_table(b), s.dims, s.ndim - 1);
    const mx_dim dims[] = {rows, s.dims[s.ndim - 1]};
    const ox_val log = ox_unary(b, OX_Log, ox_reshape(b, in[0], dims, 2));
    const ox_val x = ox_node(b, OX_Multinomial, OX_IN(log), OX_ATTRS(OX_I("sample_size", draws), OX_T("dtype", MX_INT32)));
    out[0] = ox_cast(b, ox_reshape_shape(b, x, n->out[0].shape), n->out[0].dtype);
    if (a->get_prob) {
        const ox_val p = ox_node(b, OX_GatherElements, OX_IN(log, x), OX_ATTRS(OX_I("axis", 1)));
        out[1] = ox_reshape_shape(b, p, n->out[1].shape);
    }
}

/* ---- shuffle: rows sorted by random numbers */

static int infer_shuffle(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    return mx_input_at_least(c, 0, 1, &s);
}

static void lower_shuffle(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const mx_dim rows = ox_dim_at(b, in[0], 0);
    const ox_val keys = ox_uniform(b, (struct mx_shape){1, &rows}, MX_FLOAT32);
    ox_val top[2];
    ox_node_n(b, OX_TopK, OX_IN(keys, ox_dim(b, rows)), OX_ATTRS(OX_I("axis", 0)), top, 2);
    out[0] = ox_gather(b, in[0], top[1], 0);
}

const struct mx_op mx_ops_random_choice[] = {
    {
        .name = "_random_randint",
        .alias = "_npi_random_randint random_randint",
        MX_ATTRS(randint_attrs, struct choice),
        .inputs = "",
        .infer = infer_randint,
        .lower = lower_randint,
        MX_RANDOM(""),
    },
    {
        .name = "_sample_multinomial",
        .single = true,
        .alias = "sample_multinomial _sample_categorical sample_categorical _npx__random_categorical",
        MX_ATTRS(multinomial_attrs, struct choice),
        .outputs = "output0 output1:if(get_prob)",
        .infer = infer_multinomial,
        .lower = lower_multinomial,
        MX_RANDOM(""),
    },
    {.name = "_shuffle", .alias = "_npi_shuffle shuffle", .infer = infer_shuffle, .lower = lower_shuffle, MX_RANDOM("")},
    MX_OPS_END,
};
