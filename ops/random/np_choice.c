/* _npi_choice, _npi_multinomial: random items, and how often each one is drawn (src/operator/numpy/random/np_choice_op.h,
 * np_multinomial_op.h). */
#include <math.h>

#include "shared/random_numbers.h"

struct choice {
    struct mx_opt_int a;
    int64_t n;
    struct mx_tuple size;
    bool replace, weighted;
    struct mx_floats pvals;
};

static struct mx_size_list sizes_of(const struct choice *a)
{
    return (struct mx_size_list){"size", a->size, 0};
}

/* The cumulative sums of probabilities (k), each including its item. */
static ox_val sums(struct ox_build *b, ox_val p)
{
    return ox_node(b, OX_CumSum, OX_IN(p, ox_scalar(b, MX_INT64, 0)), OX_NO_ATTRS);
}

/* ---- choice */

static const struct mx_attr choice_attrs[] = {
    MX_LONG_NONE(struct choice, a, NULL),    MX_SIZES_NONE(struct choice, size, NULL),  MX_IGNORED("ctx"),
    MX_BOOL(struct choice, replace, "True"), MX_BOOL(struct choice, weighted, "False"),
};

/* The number of items: the attribute, or the elements of the first input. */
static int infer_items(struct mx_infer *c, mx_dim *items)
{
    const struct choice *a = c->attrs;
    struct mx_shape s;
    if (!a->a.given) {
        MX_TRY(mx_input(c, 0, &s));
        *items = mx_dim_product(c->dims, s.dims, s.ndim);
        return MX_OK;
    }
    if (a->a.v < 1) {
        return mx_infer_fail(c, "a", MX_SUBJECT "is %lld, but must be a positive number", (long long)a->a.v);
    }
    *items = mx_dim_of(a->a.v);
    return MX_OK;
}

static int infer_choice(struct mx_infer *c)
{
    const struct choice *a = c->attrs;
    struct mx_shape s;
    mx_dim items;
    struct mx_dim_list dims = mx_no_dims(c);
    int64_t most, wanted = 1;
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_push_sizes(c, &dims, sizes_of(a)));
    MX_TRY(mx_output_is_dims(c, 0, dims.v, dims.n));
    MX_TRY(infer_items(c, &items));
    (void)mx_dim_known(c->dims, mx_dim_product(c->dims, dims.v, dims.n), &wanted);
    if (!a->replace && mx_dim_known(c->dims, items, &most) && wanted > most) {
        return mx_infer_fail(c, "size",
                             MX_SUBJECT "asks for %lld different items, but there are only %lld" MX_HELP
                                        "set replace=True or choose a smaller size",
                             (long long)wanted, (long long)most);
    }
    return a->weighted ? mx_input_rank(c, c->node->n_in - 1, 1, &s) : MX_OK;
}

/* The items with the largest keys: with Gumbel samples plus logarithms of weights as keys, each order has the same probability as when
 * items are drawn one by one. */
static ox_val without_replacing(struct ox_build *b, ox_val weights, mx_dim items, ox_val count, struct mx_shape drawn)
{
    ox_val keys = ox_uniform(b, (struct mx_shape){1, &items}, MX_FLOAT32), top[2];
    if (weights != OX_NONE) {
        const ox_val least = ox_float32(b, ldexp(1, -25));
        const ox_val inner = ox_unary(b, OX_Log, ox_binary(b, OX_Max, keys, least));
        const ox_val outer = ox_unary(b, OX_Log, ox_unary(b, OX_Neg, inner));
        keys = ox_sub(b, ox_unary(b, OX_Log, weights), outer);
    }
    ox_node_n(b, OX_TopK, OX_IN(keys, count), OX_ATTRS(OX_I("axis", 0)), top, 2);
    return top[1];
}

static ox_val replacing(struct ox_build *b, ox_val weights, mx_dim items, mx_dim count)
{
    const ox_val u = ox_uniform(b, (struct mx_shape){1, &count}, MX_FLOAT32);
    if (weights == OX_NONE) {
        const ox_val n = ox_dim_as(b, items, MX_INT64);
        const ox_val x = ox_mul(b, u, ox_cast(b, n, MX_FLOAT32));
        const ox_val last = ox_sub(b, n, ox_scalar(b, MX_INT64, 1));
        return ox_binary(b, OX_Min, ox_cast(b, ox_unary(b, OX_Floor, x), MX_INT64), last);
    }
    const ox_val below = ox_binary(b, OX_Less, sums(b, weights), ox_unsqueeze1(b, u, 1));
    return ox_reduce(b, OX_ReduceSum, ox_cast(b, below, MX_INT64), (const int64_t[]){1}, 1, false);
}

static void lower_choice(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct choice *a = n->attrs;
    const struct mx_shape s = n->out[0].shape;
    const mx_dim count = mx_dim_product(ox_dims_table(b), s.dims, s.ndim);
    const ox_val weights = a->weighted ? ox_cast(b, in[n->n_in - 1], MX_FLOAT32) : OX_NONE;
    mx_dim items = mx_dim_of(a->a.v);
    if (!a->a.given) {
        const struct mx_shape from = ox_shape(b, in[0]);
        items = mx_dim_product(ox_dims_table(b), from.dims, from.ndim);
    }
    const ox_val x = a->replace ? replacing(b, weights, items, count) : without_replacing(b, weights, items, ox_dim(b, count), s);
    out[0] = ox_reshape_shape(b, x, s);
}

/* ---- multinomial: counts of n draws */

static const struct mx_attr multinomial_attrs[] = {
    MX_COUNT(struct choice, n, NULL),
    MX_FLOATS_NONE(struct choice, pvals, "None"),
    MX_SIZES_NONE(struct choice, size, "None"),
};

static int infer_multinomial(struct mx_infer *c)
{
    const struct choice *a = c->attrs;
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_push_sizes(c, &dims, sizes_of(a)));
    mx_dim items = mx_dim_of(a->pvals.n);
    if (c->node->n_in > 0) {
        MX_TRY(mx_input_rank(c, 0, 1, &s));
        items = s.dims[0];
    }
    mx_push_dim(&dims, items);
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* For each experiment, the number of draws below each sum of probabilities: except for the last sum, which all draws are below. */
static void lower_multinomial(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct choice *a = n->attrs;
    const struct mx_shape s = n->out[0].shape;
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim rows = mx_dim_product(t, s.dims, s.ndim - 1);
    const mx_dim drawn[] = {rows, mx_dim_of(a->n), mx_dim_of(1)}, ends[] = {rows, mx_dim_of(1)};
    const ox_val p = n->n_in > 0 ? ox_cast(b, in[0], MX_FLOAT32) : ox_floats(b, MX_FLOAT32, a->pvals.v, a->pvals.n);
    const ox_val u = ox_uniform(b, (struct mx_shape){3, drawn}, MX_FLOAT32);
    const ox_val up_to = ox_slice1(b, sums(b, p), 0, 0, -1);
    const ox_val below = ox_cast(b, ox_binary(b, OX_Greater, up_to, u), MX_INT64);
    const ox_val found = ox_reduce(b, OX_ReduceSum, below, (const int64_t[]){1}, 1, false);
    const struct mx_shape end = {2, ends};
    const ox_val high[] = {found, ox_fill(b, MX_INT64, end, (double)a->n)};
    const ox_val low[] = {ox_fill(b, MX_INT64, end, 0), found};
    const ox_val counts = ox_sub(b, ox_concat(b, high, 2, 1), ox_concat(b, low, 2, 1));
    out[0] = ox_reshape_shape(b, counts, s);
}

const struct mx_op mx_ops_np_choice[] = {
    {
        .name = "_npi_choice",
        .single = true,
        MX_ATTRS(choice_attrs, struct choice),
        .inputs = "input1:unless(a) input2:if(weighted)",
        .infer = infer_choice,
        .lower = lower_choice,
        MX_RANDOM(""),
    },
    {
        .name = "_npi_multinomial",
        .single = true,
        MX_ATTRS(multinomial_attrs, struct choice),
        .inputs = "a:unless(pvals)",
        .infer = infer_multinomial,
        .lower = lower_multinomial,
        MX_RANDOM(""),
    },
    MX_OPS_END,
};
