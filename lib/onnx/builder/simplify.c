/* Replacements for nodes that need not be written: nodes for which there is a helper (which omits nodes without effect and rearranges
 * the data of initialisers), and arithmetic that changes nothing. */
#include "onnx/builder/internal.h"
#include "onnx/rules/shapes.h"

static bool ranked(const struct ox_call *c)
{
    return ox_rank(c->b, c->in[0]) >= 0;
}

bool ox_simplify_identity(struct ox_call *c, ox_val *out)
{
    out[0] = c->in[0];
    return true;
}

/* With an input `training_mode` dropout may be active. */
bool ox_simplify_dropout(struct ox_call *c, ox_val *out)
{
    return c->n_out == 1 && c->n_in < 3 && ox_simplify_identity(c, out);
}

bool ox_simplify_cast(struct ox_call *c, ox_val *out)
{
    const enum mx_dtype t = (enum mx_dtype)ox_attr_int(c->attrs, "to", MX_DTYPE_NONE);
    if (ox_find_attr(c->attrs, "saturate")) {
        return false;
    }
    out[0] = ox_cast(c->b, c->in[0], t);
    return true;
}

bool ox_simplify_transpose(struct ox_call *c, ox_val *out)
{
    struct mx_int_list reversed = ox_no_ints(c->b);
    int n;
    const int64_t *perm = ox_attr_ints(c->attrs, "perm", &n);
    if (!ranked(c)) {
        return false;
    }
    const int rank = ox_rank(c->b, c->in[0]);
    for (int i = 0; i < rank; i++) {
        mx_push_int(&reversed, rank - 1 - i);
    }
    out[0] = ox_transpose(c->b, c->in[0], perm ? perm : reversed.v, perm ? n : reversed.n);
    return true;
}

static bool has_zero(const struct mx_int_list *l)
{
    int i = 0;
    while (i < l->n && l->v[i] != 0) {
        i++;
    }
    return i < l->n;
}

bool ox_simplify_reshape(struct ox_call *c, ox_val *out)
{
    struct mx_int_list dims = ox_no_ints(c->b);
    struct mx_dim_list sizes = ox_no_dims(c->b);
    const bool zero = ox_attr_int(c->attrs, "allowzero", 0) != 0, numbers = ox_in_ints(c, 1, &dims);
    if (!ranked(c) || (zero && (!numbers || has_zero(&dims)))) {
        return false;
    }
    if (numbers) {
        out[0] = ox_reshape_ints(c->b, c->in[0], dims.v, dims.n);
        return true;
    }
    const bool known = ox_vector_dims(c->b, ox_call_in(c, 1), &sizes);
    out[0] = known ? ox_reshape(c->b, c->in[0], sizes.v, sizes.n) : OX_NONE;
    return known;
}

/* The axes of size 1, which a Squeeze without axes removes; false if a size is not known. */
static bool find_ones(const struct ox_call *c, struct mx_int_list *axes)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    for (int i = 0; i < s.ndim; i++) {
        if (mx_dim_equal(ox_t(c), s.dims[i], mx_dim_of(1))) {
            mx_push_int(axes, i);
        }
    }
    return mx_shape_known(ox_t(c), s);
}

bool ox_simplify_squeeze(struct ox_call *c, ox_val *out)
{
    struct mx_int_list axes = ox_no_ints(c->b);
    if (!ranked(c) || !(ox_call_in(c, 1) == OX_NONE ? find_ones(c, &axes) : ox_in_ints(c, 1, &axes))) {
        return false;
    }
    out[0] = c->op == OX_Squeeze ? ox_squeeze(c->b, c->in[0], axes.v, axes.n) : ox_unsqueeze(c->b, c->in[0], axes.v, axes.n);
    return true;
}

bool ox_simplify_flatten(struct ox_call *c, ox_val *out)
{
    mx_dim dims[2];
    const struct mx_shape flat = {2, dims};
    /* Flatten itself needs no sizes: it is written unless no node or a known shape is enough. */
    if (!ox_flat_dims(c, dims) || (!ox_shapes_equal(c->b, ox_in_shape(c, 0), flat) && !mx_shape_known(ox_t(c), flat))) {
        return false;
    }
    out[0] = ox_reshape_shape(c->b, c->in[0], flat);
    return true;
}

bool ox_simplify_concat(struct ox_call *c, ox_val *out)
{
    out[0] = ox_concat(c->b, c->in, c->n_in, (int)ox_attr_int(c->attrs, "axis", 0));
    return true;
}

bool ox_simplify_slice(struct ox_call *c, ox_val *out)
{
    struct mx_int_list starts = ox_no_ints(c->b), ends = ox_no_ints(c->b);
    if (!ranked(c) || !ox_in_ints(c, 1, &starts) || !ox_in_ints(c, 2, &ends)) {
        return false;
    }
    const int n = starts.n;
    struct mx_int_list axes = ox_counted(c->b, n), steps = ox_repeated(c->b, 1, n);
    if ((ox_call_in(c, 3) != OX_NONE && !ox_in_ints(c, 3, &axes)) || (ox_call_in(c, 4) != OX_NONE && !ox_in_ints(c, 4, &steps))) {
        return false;
    }
    out[0] = ox_slice(c->b, c->in[0], starts.v, ends.v, axes.v, steps.v, n);
    return true;
}

bool ox_simplify_split(struct ox_call *c, ox_val *out)
{
    struct mx_int_list sizes = ox_no_ints(c->b);
    if (!ox_tensor_of(c->b, c->in[0]) || !ox_in_ints(c, 1, &sizes)) {
        return false;
    }
    ox_split(c->b, c->in[0], (int)ox_attr_int(c->attrs, "axis", 0), sizes.v, sizes.n, out);
    return true;
}

bool ox_simplify_gather(struct ox_call *c, ox_val *out)
{
    out[0] = ox_gather(c->b, c->in[0], c->in[1], (int)ox_attr_int(c->attrs, "axis", 0));
    return true;
}

bool ox_simplify_expand(struct ox_call *c, ox_val *out)
{
    struct mx_dim_list dims = ox_dims_like(c->b, ox_in_shape(c, 0)), wanted = ox_no_dims(c->b);
    if (!ranked(c) || !ox_vector_dims(c->b, ox_call_in(c, 1), &wanted) || wanted.n < dims.n) {
        return false;
    }
    ox_join(ox_t(c), &dims, mx_list_shape(&wanted)); /* ONNX broadcasts in both directions; ox_expand takes the resulting shape */
    out[0] = ox_expand(c->b, c->in[0], dims.v, dims.n);
    return true;
}

bool ox_simplify_tile(struct ox_call *c, ox_val *out)
{
    struct mx_int_list repeats = ox_no_ints(c->b);
    if (!ranked(c) || !ox_in_ints(c, 1, &repeats)) {
        return false;
    }
    out[0] = ox_tile(c->b, c->in[0], repeats.v, repeats.n);
    return true;
}

static ox_val softmax(struct ox_call *c, ox_val x, int axis)
{
    return ox_emit(c->b, c->op, OX_IN(x), OX_ATTRS(OX_I("axis", axis)));
}

/* A scalar, which MXNet's NumPy softmax accepts and ONNX's does not, is treated as a vector. In old opsets all axes from the given one
 * on are treated as one: the axis is moved to the end and back. */
bool ox_simplify_softmax(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const ox_val x = c->in[0];
    const int rank = ox_rank(b, x);
    if (rank == 0) {
        out[0] = ox_reshape(b, softmax(c, ox_reshape_ints(b, x, (const int64_t[]){1}, 1), 0), NULL, 0);
    }
    if (rank <= 0) {
        return rank == 0;
    }
    const int axis = ox_axis(b, ox_attr_int(c->attrs, "axis", -1), rank, c->op);
    if (b->model->opset >= c->schema->any_axis_since || axis == rank - 1) {
        out[0] = softmax(c, x, axis);
    } else {
        out[0] = ox_swap_axes(b, softmax(c, ox_swap_axes(b, x, axis, rank - 1), rank - 1), axis, rank - 1);
    }
    return true;
}

/* Zeros times a weight are zeros: the first step of a cell whose initial state is zero. */
bool ox_simplify_gemm(struct ox_call *c, ox_val *out)
{
    if (!ox_is_all(c->b, c->in[0], 0) || !ox_tensor_of(c->b, c->in[1]) || ox_rank(c->b, c->in[0]) != 2 || ox_find_attr(c->attrs, "beta")) {
        return false;
    }
    const mx_dim dims[] = {
        ox_shape(c->b, c->in[0]).dims[ox_attr_int(c->attrs, "transA", 0) ? 1 : 0],
        ox_shape(c->b, c->in[1]).dims[ox_attr_int(c->attrs, "transB", 0) ? 0 : 1],
    };
    const ox_val bias = ox_call_in(c, 2);
    out[0] = bias != OX_NONE ? ox_expand(c->b, bias, dims, 2) : ox_fill(c->b, ox_dtype(c->b, c->in[0]), (struct mx_shape){2, dims}, 0);
    return true;
}

bool ox_simplify_reduce(struct ox_call *c, ox_val *out)
{
    struct mx_int_list axes = ox_no_ints(c->b);
    const bool known = ox_in_ints(c, 1, &axes), none = (known || ox_call_in(c, 1) == OX_NONE) && axes.n == 0;
    if (none && ox_attr_int(c->attrs, "noop_with_empty_axes", 0) != 0 && ox_gives_the_one(c->op)) {
        out[0] = c->in[0];
        return true;
    }
    if (!ranked(c) || !known || none) {
        return false;
    }
    out[0] = ox_reduce(c->b, c->op, c->in[0], axes.v, axes.n, ox_attr_int(c->attrs, "keepdims", 1) != 0);
    return true;
}

/* The Shape of a known shape is a constant; otherwise it is a vector of sizes that is written once. */
bool ox_simplify_shape(struct ox_call *c, ox_val *out)
{
    if (!ranked(c)) {
        return false;
    }
    const struct mx_shape part = ox_shape_part(c);
    for (int i = 0; i < part.ndim; i++) {
        if (!ox_dim_readable(c->b, part.dims[i])) {
            return false;
        }
    }
    out[0] = ox_dims(c->b, part.dims, part.ndim);
    return true;
}

bool ox_simplify_size(struct ox_call *c, ox_val *out)
{
    int64_t n;
    if (!mx_dim_known(ox_t(c), mx_shape_elements(ox_t(c), ox_in_shape(c, 0)), &n)) {
        return false;
    }
    out[0] = ox_tensor(c->b, MX_INT64, NULL, 0, &n);
    return true;
}

bool ox_simplify_of_shape(struct ox_call *c, ox_val *out)
{
    struct mx_dim_list dims = ox_no_dims(c->b);
    if (!ox_vector_dims(c->b, c->in[0], &dims) || !mx_shape_known(ox_t(c), mx_list_shape(&dims))) {
        return false;
    }
    out[0] = ox_fill(c->b, MX_FLOAT32, mx_list_shape(&dims), 0);
    return true;
}

/* ---- neutral elements */

/* True if broadcasting y with x leaves x's shape unchanged. */
static bool fits_in(struct ox_build *b, ox_val y, ox_val x)
{
    const struct mx_shape sx = ox_shape(b, x);
    const struct mx_shape sy = ox_shape(b, y);
    if (sy.ndim < 0 || sy.ndim > sx.ndim) {
        return false;
    }
    for (int i = 0; i < sy.ndim; i++) {
        const mx_dim d = sy.dims[i];
        if (!mx_dim_equal(b->model->dims, d, sx.dims[sx.ndim - sy.ndim + i]) && !mx_dim_equal(b->model->dims, d, mx_dim_of(1))) {
            return false;
        }
    }
    return true;
}

static bool neutral(struct ox_call *c, ox_val x, ox_val y, double element, ox_val *out)
{
    const struct ox_tensor *t = ox_tensor_of(c->b, y);
    if (!t || !ox_tensor_is(c->b, t, element) || ox_dtype(c->b, x) != ox_dtype(c->b, y) || !fits_in(c->b, y, x)) {
        return false;
    }
    out[0] = x;
    return true;
}

/* One branch alone: if the condition is the same everywhere, or both branches are equal. */
bool ox_simplify_where(struct ox_call *c, ox_val *out)
{
    const struct ox_tensor *t = ox_tensor_of(c->b, c->in[0]);
    const int taken = c->in[1] == c->in[2] || (t && ox_tensor_is(c->b, t, 1)) ? 1 : t && ox_tensor_is(c->b, t, 0) ? 2 : 0;
    const struct ox_node *condition = ox_value_of(c->b->model, c->in[0])->producer;
    if (ox_node_is(condition, OX_Not)) {
        const ox_val other = c->in[1];
        c->in[0] = condition->in[0];
        c->in[1] = c->in[2];
        c->in[2] = other;
        return false;
    }
    if (taken == 0 || !fits_in(c->b, c->in[0], c->in[taken]) || !fits_in(c->b, c->in[3 - taken], c->in[taken])) {
        return false;
    }
    out[0] = c->in[taken];
    return true;
}

/* A float of -0 stays -0, where x + 0 would be 0: ONNX Runtime also drops the sum. */
bool ox_simplify_neutral(struct ox_call *c, ox_val *out)
{
    const double element = ox_op_in(c->op, OX_OPS(OX_Mul, OX_Div)) ? 1 : 0;
    const bool either = ox_op_in(c->op, OX_OPS(OX_Add, OX_Mul));
    return neutral(c, c->in[0], c->in[1], element, out) || (either && neutral(c, c->in[1], c->in[0], element, out));
}

/* ONNX's Max, Min, Sum, Mean and Clip of a single input are that input. */
bool ox_simplify_only_one(struct ox_call *c, ox_val *out)
{
    return c->n_in == 1 && ox_simplify_identity(c, out);
}

bool ox_simplify(struct ox_call *c, ox_val *out)
{
    return c->n_out > 0 && ox_call_in(c, 0) != OX_NONE && c->schema->simplify && (c->schema->simplify(c, out) || ox_failed(c->b));
}
