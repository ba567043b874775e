/* _histogram: the number of elements between neighbouring edges, including the last edge (src/operator/tensor/histogram.cc). Every
 * element is compared with every edge. */
#include <math.h>

#include "op/op.h"

enum { MAX_BINS = 1 << 20 }; /* limit: bins of a histogram */

struct histogram {
    struct mx_opt_int bin_cnt;
    struct mx_floats range;
};

static const struct mx_attr attrs[] = {
    MX_COUNT_NONE(struct histogram, bin_cnt, "None"),
    MX_FLOATS_NONE(struct histogram, range, "None"),
};

static int check(struct mx_infer *c, const struct histogram *a)
{
    if (!a->bin_cnt.given) {
        return a->range.n > 0 ? mx_infer_fail(c, "range", MX_SUBJECT "is given without bin_cnt" MX_HELP "give both or neither") : MX_OK;
    }
    MX_TRY(mx_within(c, "bin_cnt", a->bin_cnt.v, 1, MAX_BINS));
    if (a->range.n != 2 || !(a->range.v[0] <= a->range.v[1])) {
        return mx_infer_fail_attr(c, "range", "two numbers where bin_cnt is given: the lower end and the upper end");
    }
    return MX_OK;
}

static double edge_at(const void *spec, int64_t i)
{
    const struct histogram *a = spec;
    const bool empty = !(a->range.v[0] < a->range.v[1]);
    const double low = a->range.v[0] - (empty ? 0.5 : 0), high = a->range.v[1] + (empty ? 0.5 : 0);
    const double n = (double)a->bin_cnt.v, k = (double)i;
    return (high * k + (n - k) * low) / n;
}

/* True if edge_at does not round anything but its quotient: then all edges are integers if the first two are. */
static bool is_exact(const struct histogram *a)
{
    const double low = a->range.v[0], high = a->range.v[1], most = ldexp(1, 52) / (double)a->bin_cnt.v;
    return low < high && floor(low) >= low && floor(high) >= high && low >= -most && high <= most;
}

/* For integers MXNet truncates the edges, but not the bounds used in comparisons. */
static int check_edges(struct mx_infer *c, const struct histogram *a, enum mx_dtype t)
{
    enum { WORK = 1 << 4 }; /* of an edge */
    const int64_t last = is_exact(a) ? 1 : a->bin_cnt.v;
    for (int64_t i = 0; i <= last && mx_dtype_is_integer(t); i++) {
        const double v = edge_at(a, i);
        MX_TRY(mx_tick(c->arena->budget, WORK));
        if (v < trunc(v) || v > trunc(v)) {
            return mx_infer_fail(c, "range", "the data is %s, but the edge %g is not an integer" MX_HELP "cast the data to a float type",
                                 mx_dtype_name(t), v);
        }
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct histogram *a = c->attrs;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    struct mx_shape s;
    MX_TRY(check(c, a));
    MX_TRY(mx_output_dtype_is(c, 0, MX_INT64));
    MX_TRY(mx_output_dtype_is(c, 1, t));
    if (a->bin_cnt.given) {
        MX_TRY(check_edges(c, a, t));
        const mx_dim counts = mx_dim_of(a->bin_cnt.v), edges = mx_dim_of(a->bin_cnt.v + 1);
        MX_TRY(mx_output_is_dims(c, 0, &counts, 1));
        return mx_output_is_dims(c, 1, &edges, 1);
    }
    MX_TRY(mx_input_dtype_is(c, 1, t));
    MX_TRY(mx_input_rank(c, 1, 1, &s));
    const mx_dim counts = mx_dim_addn(c->dims, s.dims[0], -1);
    MX_TRY(mx_output_is_dims(c, 0, &counts, 1));
    return mx_output_is(c, 1, s);
}

/* int64 (m): how often comparing x (n, 1) with limits (m) gives true. */
static ox_val count(struct ox_build *b, enum ox_op compare, ox_val x, ox_val limits)
{
    const ox_val is = ox_cast(b, ox_binary(b, compare, x, limits), MX_INT64);
    return ox_reduce(b, OX_ReduceSum, is, (const int64_t[]){0}, 1, false);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct histogram *a = n->attrs;
    const ox_val x = ox_reshape_ints(b, in[0], (const int64_t[]){-1, 1}, 2);
    const int64_t n_edges = a->bin_cnt.v + 1;
    const ox_val edges = a->bin_cnt.given ? ox_computed(b, n->out[1].dtype, &n_edges, 1, edge_at, a, sizeof *a) : in[1];
    const ox_val lower_edges = ox_slice1(b, edges, 0, 0, -1);
    const ox_val last = ox_slice1(b, edges, 0, -1, INT64_MAX);
    const ox_val reached = count(b, OX_GreaterOrEqual, x, lower_edges);
    const ox_val above[] = {ox_slice1(b, reached, 0, 1, INT64_MAX), count(b, OX_Greater, x, last)};
    out[0] = ox_sub(b, reached, ox_concat(b, above, 2, 0));
    out[1] = edges;
}

const struct mx_op mx_ops_histogram[] = {
    {
        .name = "_histogram",
        .positions = true,
        .alias = "_npi_histogram",
        MX_ATTRS(attrs, struct histogram),
        .inputs = "data bins:unless(bin_cnt)",
        .outputs = "output0 output1",
        .infer = infer,
        .lower = lower,
        .refuses =
            "Integer data, where range and bin_cnt result in edges that are not integers: MXNet's counts do not match the edges that it "
            "returns.",
    },
    MX_OPS_END,
};
