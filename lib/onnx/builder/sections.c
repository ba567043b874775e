/* Parts of an axis whose size is known at run time only. */
#include "onnx/builder/internal.h"

/* int64 (n): the sizes of the parts. ONNX's own rule makes the last part shorter, and ONNX Runtime's Split fails at a size of 0. */
static ox_val part_sizes(struct ox_build *b, mx_dim whole, struct ox_sections s)
{
    int64_t *numbers = ox_scratch(b, (size_t)s.n, sizeof *numbers);
    if (!numbers) {
        return OX_NONE;
    }
    for (int i = 0; i < s.n; i++) {
        numbers[i] = s.equal ? s.n : s.n - 1 - i;
    }
    const ox_val list = ox_ints(b, numbers, s.n), size = ox_dim(b, whole);
    return s.equal ? ox_div(b, size, list) : ox_div(b, ox_add(b, size, list), ox_int(b, s.n));
}

static mx_dim part_dim(struct ox_build *b, mx_dim whole, struct ox_sections s, int i)
{
    struct mx_dims *t = b->model->dims;
    return mx_dim_floor_div(t, s.equal ? whole : mx_dim_addn(t, whole, s.n - 1 - i), s.n);
}

/* Where the sizes of a Split are constants. */
static void slice_parts(struct ox_build *b, ox_val x, ox_val sizes, struct ox_sections s, ox_val *out)
{
    const ox_val ends = ox_node(b, OX_CumSum, OX_IN(sizes, ox_int(b, 0)), OX_NO_ATTRS), starts = ox_sub(b, ends, sizes);
    for (int i = 0; i < s.n; i++) {
        const ox_val from = ox_slice1(b, starts, 0, i, i + 1), to = ox_slice1(b, ends, 0, i, i + 1);
        out[i] = ox_node(b, OX_Slice, OX_IN(x, from, to, ox_int(b, s.axis)), OX_NO_ATTRS);
    }
}

/* True if the Split needs no sizes. ONNX Runtime takes two Splits of one value for the same one, even if their numbers of parts differ,
 * unless they have sizes. */
static bool is_plain(struct ox_build *b, struct ox_sections s)
{
    if (!s.equal || b->model->opset >= 18) { /* before, a size that is not a multiple is an error at run time too */
        return false;
    }
    b->n_parts = b->n_parts > 0 ? b->n_parts : s.n;
    return b->n_parts == s.n;
}

void ox_split_sections(struct ox_build *b, ox_val x, struct ox_sections s, ox_val *out)
{
    const struct mx_shape shape = ox_shape(b, x);
    for (int i = 0; i < s.n; i++) {
        out[i] = OX_NONE;
    }
    s.axis = ox_failed(b) ? 0 : ox_axis(b, s.axis, shape.ndim, OX_Split);
    if (ox_failed(b)) {
        return;
    }
    if (is_plain(b, s)) {
        ox_node_n(b, OX_Split, OX_IN(x), OX_ATTRS(OX_I("axis", s.axis)), out, s.n);
    } else if (b->model->opset < 13) {
        slice_parts(b, x, part_sizes(b, shape.dims[s.axis], s), s, out);
    } else {
        ox_node_n(b, OX_Split, OX_IN(x, part_sizes(b, shape.dims[s.axis], s)), OX_ATTRS(OX_I("axis", s.axis)), out, s.n);
    }
    for (int i = 0; i < s.n && !ox_failed(b); i++) {
        struct mx_dim_list dims = ox_dims_like(b, shape);
        mx_put_dim(&dims, s.axis, part_dim(b, shape.dims[s.axis], s, i));
        ox_typed(b, out[i], ox_dtype(b, x), mx_list_shape(&dims));
    }
}
