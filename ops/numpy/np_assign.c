/* Numbers put into a tensor: fill_diagonal, index_add, index_update. */
#include "onnx/build.h"
#include "op/op.h"

/* ---- fill_diagonal (src/operator/numpy/np_fill_diagonal_op-inl.h) */

struct fill {
    struct mx_floats val;
    bool wrap;
};

static const struct mx_attr fill_attrs[] = {
    MX_FLOATS(struct fill, val, NULL),
    MX_BOOL(struct fill, wrap, "False"),
    MX_ATTRS_END,
};

static int infer_fill(struct mx_infer *c)
{
    const struct fill *a = c->attrs;
    struct mx_shape s;
    MX_TRY(mx_infer_same(c));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim < 2 || a->val.n < 1) {
        return mx_infer_fail(c, "val", "%d numbers do not fill a diagonal of an input of rank %d", a->val.n, s.ndim);
    }
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        MX_TRY(mx_number(c, s.dims[i], "each axis", &size));
        MX_TRY(s.ndim > 2 ? mx_same_dim(c, s.dims[0], s.dims[i], "sizes of the axes") : MX_OK);
    }
    return MX_OK;
}

/* A matrix ends its diagonal with its columns, or begins it anew one row further down. */
static void lower_fill(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct fill *a = n->attrs;
    const enum mx_dtype t = n->out[0].dtype;
    const int rank = ox_rank(b, in[0]);
    int64_t count = 1, step = 0, size = 0;
    for (int i = rank - 1; i >= 0; i--) {
        step += count;
        size = ox_number(b, ox_dim_at(b, in[0], i), "each axis");
        count *= size;
    }
    const int64_t columns = ox_number(b, ox_dim_at(b, in[0], -1), "each axis");
    const int64_t end = rank == 2 && !a->wrap && columns * columns < count ? columns * columns : count;
    const int64_t cells = end == 0 ? 0 : (end - 1) / step + 1;
    int64_t *at = ox_scratch(b, (size_t)cells + 1, sizeof(*at));
    double *v = ox_scratch(b, (size_t)cells + 1, sizeof(*v));
    for (int64_t i = 0; at && v && i < cells; i++) {
        at[i] = i * step;
        v[i] = mx_dtype_is_integer(t) ? (double)(int64_t)a->val.v[i % a->val.n] : a->val.v[i % a->val.n];
    }
    if (cells == 0) {
        out[0] = in[0];
        return;
    }
    const ox_val flat = ox_reshape_ints(b, in[0], (const int64_t[]){-1}, 1);
    const ox_val where = ox_unsqueeze1(b, ox_ints(b, at, (int)cells), 1);
    const ox_val filled = ox_node(b, OX_ScatterND, OX_IN(flat, where, ox_floats(b, t, v, (int)cells)), OX_NO_ATTRS);
    out[0] = ox_reshape_shape(b, filled, n->out[0].shape);
}

/* ---- index_add, index_update: ind has a column of coordinates for each row of val, which broadcasts
 * (src/operator/contrib/index_add-inl.h) */

static int infer_index(struct mx_infer *c)
{
    struct mx_shape s, ind, val;
    int64_t m = 1;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_dtype_is(c, 2, mx_output_dtype(c, 0)));
    MX_TRY(mx_same_shape(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input(c, 1, &ind));
    MX_TRY(mx_input(c, 2, &val));
    if (ind.ndim < 1 || ind.ndim > 2) {
        return mx_infer_fail(c, "ind", "has rank %d; 1 or 2 are possible", ind.ndim);
    }
    MX_TRY(ind.ndim == 2 ? mx_number(c, ind.dims[0], "the first axis of the indices", &m) : MX_OK);
    if (m < 1 || m > s.ndim || val.ndim > s.ndim - (int)m + 1) {
        return mx_infer_fail(c, "ind", "gives %lld coordinates for data of rank %d and values of rank %d", (long long)m, s.ndim,
                             val.ndim);
    }
    return MX_OK;
}

static void lower_index(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const bool adds = n->op->which;
    const ox_val index = ox_cast(b, in[1], MX_INT64);
    const ox_val rows = ox_rank(b, index) == 1 ? ox_unsqueeze1(b, index, 1) : ox_swap_axes(b, index, 0, 1);
    const struct mx_shape s = ox_shape(b, in[0]);
    int64_t m = 1;
    (void)ox_size_at(b, rows, 1, &m);
    mx_dim dims[MX_MAX_RANK + 1] = {ox_dim_at(b, rows, 0)};
    for (int i = (int)m; i < s.ndim; i++) {
        dims[1 + i - m] = s.dims[i];
    }
    const ox_val values = ox_expand(b, in[2], dims, s.ndim - (int)m + 1);
    out[0] = ox_node(b, OX_ScatterND, OX_IN(in[0], rows, values),
                     adds ? OX_ATTRS(OX_S("reduction", "add")) : OX_NO_ATTRS);
}

#define INDEX(mx, adds, first)                                                                     \
    {                                                                                              \
        .name = (mx), .inputs = "a ind:exact val", .infer = infer_index,                           \
        .lower = lower_index, .which = (adds), .min_opset = (first),                               \
    }

const struct mx_op mx_ops_np_assign[] = {
    {
        .name = "_npi_fill_diagonal",
        MX_ATTRS(fill_attrs, struct fill),
        .inputs = "a",
        .infer = infer_fill,
        .lower = lower_fill,
        .limits = "Dynamic dims.",
    },
    INDEX("_npx_index_add", true, 16),
    INDEX("_npx_index_update", false, 0),
    MX_OPS_END,
};
