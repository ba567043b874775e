/* What ox_node need not write: nodes that a helper knows better (it drops what does nothing and
 * moves the data of initialisers), and arithmetic that changes nothing. */
#include <string.h>

#include "onnx/build/internal.h"
#include "onnx/table/rows.h"
#include "onnx/table/runtime.h"

struct ox_request {
    struct ox_build *b;
    enum ox_op op;
    const ox_val *in;
    int n_in;
    const struct ox_attr *attrs;
    ox_val *out;
    int n;
};

static ox_val in_at(const struct ox_request *r, int i)
{
    return i < r->n_in ? r->in[i] : OX_NONE;
}

/* Input i as known numbers. */
static bool numbers_at(const struct ox_request *r, int i, int64_t *out, int *n)
{
    return in_at(r, i) != OX_NONE && ox_const_ints(r->b, r->in[i], out, MX_MAX_RANK, n);
}

static bool ranked(const struct ox_request *r)
{
    return in_at(r, 0) != OX_NONE && ox_rank(r->b, r->in[0]) >= 0;
}

bool ox_simplify_identity(struct ox_request *r)
{
    r->out[0] = r->in[0];
    return true;
}

/* With an input `training_mode` it drops. */
bool ox_simplify_dropout(struct ox_request *r)
{
    return r->n == 1 && r->n_in < 3 && ox_simplify_identity(r);
}

bool ox_simplify_cast(struct ox_request *r)
{
    const enum mx_dtype t = (enum mx_dtype)ox_attr_int(r->attrs, "to", MX_DTYPE_NONE);
    if (!ox_find_attr(r->attrs, "to") || ox_find_attr(r->attrs, "saturate")) {
        return false;
    }
    r->out[0] = ox_cast(r->b, r->in[0], t);
    return true;
}

bool ox_simplify_transpose(struct ox_request *r)
{
    int64_t reversed[MX_MAX_RANK];
    int n = 0;
    const int64_t *perm = ox_attr_ints(r->attrs, "perm", &n);
    if (!ranked(r)) {
        return false;
    }
    const int rank = ox_rank(r->b, r->in[0]);
    for (int i = 0; i < rank; i++) {
        reversed[i] = rank - 1 - i;
    }
    r->out[0] = ox_transpose(r->b, r->in[0], perm ? perm : reversed, perm ? n : rank);
    return true;
}

bool ox_simplify_reshape(struct ox_request *r)
{
    int64_t dims[MX_MAX_RANK];
    mx_dim sizes[MX_MAX_RANK];
    int n = 0;
    if (!ranked(r) || in_at(r, 1) == OX_NONE || ox_attr_int(r->attrs, "allowzero", 0) != 0) {
        return false;
    }
    if (numbers_at(r, 1, dims, &n)) {
        r->out[0] = ox_reshape_ints(r->b, r->in[0], dims, n);
        return true;
    }
    if (ox_vector_dims(r->b, r->in[1], sizes, MX_MAX_RANK, &n)) {
        r->out[0] = ox_reshape(r->b, r->in[0], sizes, n);
        return true;
    }
    return false;
}

bool ox_simplify_squeeze(struct ox_request *r)
{
    int64_t axes[MX_MAX_RANK];
    int n = 0;
    if (!ranked(r) || !numbers_at(r, 1, axes, &n)) {
        return false;
    }
    r->out[0] = r->op == OX_Squeeze ? ox_squeeze(r->b, r->in[0], axes, n)
                                  : ox_unsqueeze(r->b, r->in[0], axes, n);
    return true;
}

bool ox_simplify_flatten(struct ox_request *r)
{
    if (!ranked(r)) {
        return false;
    }
    struct mx_dims *t = r->b->model->dims;
    const struct mx_shape s = ox_shape(r->b, r->in[0]);
    const int64_t axis = ox_attr_int(r->attrs, "axis", 1);
    const int k = (int)(axis < 0 ? axis + s.ndim : axis);
    if (k < 0 || k > s.ndim) {
        return false;
    }
    const mx_dim dims[] = {mx_dim_product(t, s.dims, k), mx_dim_product(t, s.dims + k, s.ndim - k)};
    /* Flatten itself needs no sizes: it is written unless nothing or a known shape does as well. */
    if (!ox_shapes_equal(r->b, s, (struct mx_shape){2, dims})
        && !mx_shape_known(t, (struct mx_shape){2, dims})) {
        return false;
    }
    r->out[0] = ox_reshape(r->b, r->in[0], dims, 2);
    return true;
}

bool ox_simplify_concat(struct ox_request *r)
{
    r->out[0] = ox_concat(r->b, r->in, r->n_in, (int)ox_attr_int(r->attrs, "axis", 0));
    return true;
}

bool ox_simplify_slice(struct ox_request *r)
{
    int64_t lists[4][MX_MAX_RANK];
    int n = 0;
    int other = 0;
    if (!ranked(r) || !numbers_at(r, 1, lists[0], &n) || !numbers_at(r, 2, lists[1], &other)
        || other != n) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        lists[2][i] = i;
        lists[3][i] = 1;
    }
    if ((in_at(r, 3) != OX_NONE && (!numbers_at(r, 3, lists[2], &other) || other != n))
        || (in_at(r, 4) != OX_NONE && (!numbers_at(r, 4, lists[3], &other) || other != n))) {
        return false;
    }
    r->out[0] = ox_slice(r->b, r->in[0], lists[0], lists[1], lists[2], lists[3], n);
    return true;
}

bool ox_simplify_split(struct ox_request *r)
{
    int64_t sizes[MX_MAX_RANK];
    int n = 0;
    if (!ranked(r) || r->n > MX_MAX_RANK || !ox_tensor_of(r->b, r->in[0])
        || !numbers_at(r, 1, sizes, &n) || n != r->n) {
        return false;
    }
    ox_split(r->b, r->in[0], (int)ox_attr_int(r->attrs, "axis", 0), sizes, n, r->out);
    return true;
}

bool ox_simplify_gather(struct ox_request *r)
{
    if (in_at(r, 0) == OX_NONE || in_at(r, 1) == OX_NONE) {
        return false;
    }
    r->out[0] = ox_gather(r->b, r->in[0], r->in[1], (int)ox_attr_int(r->attrs, "axis", 0));
    return true;
}

bool ox_simplify_expand(struct ox_request *r)
{
    mx_dim dims[MX_MAX_RANK];
    int n = 0;
    if (!ranked(r) || in_at(r, 1) == OX_NONE
        || !ox_vector_dims(r->b, r->in[1], dims, MX_MAX_RANK, &n)) {
        return false;
    }
    /* ONNX broadcasts both ways; ox_expand wants the result. */
    const struct mx_shape s = ox_shape(r->b, r->in[0]);
    if (s.ndim > n) {
        return false;
    }
    for (int i = 0; i < s.ndim; i++) {
        dims[n - s.ndim + i] = ox_broadcast_dim(r->b->model->dims, s.dims[i], dims[n - s.ndim + i]);
    }
    r->out[0] = ox_expand(r->b, r->in[0], dims, n);
    return true;
}

bool ox_simplify_tile(struct ox_request *r)
{
    int64_t repeats[MX_MAX_RANK];
    int n = 0;
    if (!ranked(r) || !numbers_at(r, 1, repeats, &n)) {
        return false;
    }
    r->out[0] = ox_tile(r->b, r->in[0], repeats, n);
    return true;
}

bool ox_simplify_softmax(struct ox_request *r)
{
    if (!ranked(r)) {
        return false;
    }
    r->out[0] = ox_softmax(r->b, r->op, r->in[0], (int)ox_attr_int(r->attrs, "axis", -1));
    return true;
}

/* Nothing times a weight is nothing: the first step of a cell whose state begins with zeros. */
bool ox_simplify_gemm(struct ox_request *r)
{
    if (r->n_in < 2 || !ox_is_all(r->b, r->in[0], 0) || !ox_tensor_of(r->b, r->in[1])
        || ox_rank(r->b, r->in[0]) != 2 || ox_find_attr(r->attrs, "beta")) {
        return false;
    }
    const mx_dim dims[] = {
        ox_shape(r->b, r->in[0]).dims[ox_attr_int(r->attrs, "transA", 0) ? 1 : 0],
        ox_shape(r->b, r->in[1]).dims[ox_attr_int(r->attrs, "transB", 0) ? 0 : 1],
    };
    const ox_val c = in_at(r, 2);
    r->out[0] = c != OX_NONE ? ox_expand(r->b, c, dims, 2)
                             : ox_fill(r->b, ox_dtype(r->b, r->in[0]), (struct mx_shape){2, dims}, 0);
    return true;
}

bool ox_simplify_reduce(struct ox_request *r)
{
    int64_t axes[MX_MAX_RANK];
    int n = 0;
    if (!ranked(r) || !numbers_at(r, 1, axes, &n) || n == 0) {
        return false;
    }
    r->out[0] = ox_reduce(r->b, r->op, r->in[0], axes, n,
                          ox_attr_int(r->attrs, "keepdims", 1) != 0);
    return true;
}

/* Shape of what is known is a constant, of the rest a vector of sizes that is written once. */
bool ox_simplify_shape(struct ox_request *r)
{
    if (!ranked(r)) {
        return false;
    }
    const struct mx_shape s = ox_shape(r->b, r->in[0]);
    int64_t start = ox_attr_int(r->attrs, "start", 0);
    int64_t end = ox_attr_int(r->attrs, "end", s.ndim);
    start += start < 0 ? s.ndim : 0;
    end += end < 0 ? s.ndim : 0;
    start = start < 0 ? 0 : start > s.ndim ? s.ndim : start;
    end = end < start ? start : end > s.ndim ? s.ndim : end;
    for (int64_t i = start; i < end; i++) {
        if (!ox_dim_readable(r->b, s.dims[i])) {
            return false;
        }
    }
    r->out[0] = ox_dims(r->b, s.dims + start, (int)(end - start));
    return true;
}

bool ox_simplify_size(struct ox_request *r)
{
    int64_t n = 0;
    if (!ranked(r)
        || !mx_dim_known(r->b->model->dims,
                         mx_shape_elements(r->b->model->dims, ox_shape(r->b, r->in[0])), &n)) {
        return false;
    }
    r->out[0] = ox_tensor(r->b, MX_INT64, NULL, 0, &n);
    return true;
}

bool ox_simplify_of_shape(struct ox_request *r)
{
    mx_dim dims[MX_MAX_RANK];
    int n = 0;
    if (in_at(r, 0) == OX_NONE || !ox_vector_dims(r->b, r->in[0], dims, MX_MAX_RANK, &n)) {
        return false;
    }
    const struct mx_shape s = {n, dims};
    if (!mx_shape_known(r->b->model->dims, s)) {
        return false;
    }
    r->out[0] = ox_fill(r->b, MX_FLOAT32, s, 0);
    return true;
}

/* ---- what a target reads otherwise */

bool ox_simplify_average_pool(struct ox_request *r)
{
    const struct ox_runtime *target = r->b->model->target;
    int n = 0;
    const int64_t *pads = ox_attr_ints(r->attrs, "pads", &n);
    if (!target || !target->explicit_padding || !ranked(r) || n == 0 || ox_attr_int(r->attrs, "count_include_pad", 0) == 0) {
        return false;
    }
    int64_t begin[MX_MAX_RANK] = {0}, end[MX_MAX_RANK] = {0};
    bool padded = false;
    for (int i = 0; i < n / 2; i++) {
        begin[2 + i] = pads[i];
        end[2 + i] = pads[n / 2 + i];
        padded = padded || pads[i] != 0 || pads[n / 2 + i] != 0;
    }
    struct ox_attr attrs[16];
    int count = 0;
    for (const struct ox_attr *a = r->attrs; padded && a->kind != OX_A_END && count < 15; a++) {
        if (strcmp(a->name, "pads") != 0 && strcmp(a->name, "count_include_pad") != 0) {
            attrs[count++] = *a;
        }
    }
    attrs[count] = (struct ox_attr){.kind = OX_A_END};
    if (padded) {
        const ox_val x = ox_pad(r->b, r->in[0], begin, end, 2 + n / 2, "constant", 0);
        r->out[0] = ox_node(r->b, OX_AveragePool, OX_IN(x), attrs);
    }
    return padded;
}

/* ---- neutral elements */

/* Does y leave x's shape alone when they are broadcast? */
static bool fits_in(struct ox_build *b, ox_val y, ox_val x)
{
    const struct mx_shape sx = ox_shape(b, x);
    const struct mx_shape sy = ox_shape(b, y);
    if (sx.ndim < 0 || sy.ndim < 0 || sy.ndim > sx.ndim) {
        return false;
    }
    for (int i = 0; i < sy.ndim; i++) {
        int64_t n = 0;
        const mx_dim d = sy.dims[i];
        if (!mx_dim_equal(b->model->dims, d, sx.dims[sx.ndim - sy.ndim + i])
            && !(mx_dim_known(b->model->dims, d, &n) && n == 1)) {
            return false;
        }
    }
    return true;
}

static bool neutral(struct ox_request *r, ox_val x, ox_val y, double element)
{
    const struct ox_tensor *t = ox_tensor_of(r->b, y);
    if (!t || !ox_tensor_is(r->b, t, element) || ox_dtype(r->b, x) != ox_dtype(r->b, y) || !fits_in(r->b, y, x)) {
        return false;
    }
    r->out[0] = x;
    return true;
}

/* One branch alone: the condition is the same everywhere, or both branches are. */
bool ox_simplify_where(struct ox_request *r)
{
    if (r->n_in != 3 || r->in[1] == OX_NONE || r->in[2] == OX_NONE) {
        return false;
    }
    const struct ox_tensor *t = ox_tensor_of(r->b, r->in[0]);
    const int taken = r->in[1] == r->in[2] || (t && ox_tensor_is(r->b, t, 1)) ? 1 : t && ox_tensor_is(r->b, t, 0) ? 2 : 0;
    if (taken == 0 || !fits_in(r->b, r->in[0], r->in[taken]) || !fits_in(r->b, r->in[3 - taken], r->in[taken])) {
        return false;
    }
    r->out[0] = r->in[taken];
    return true;
}

bool ox_simplify_mul(struct ox_request *r)
{
    return r->n_in == 2 && (neutral(r, r->in[0], r->in[1], 1) || neutral(r, r->in[1], r->in[0], 1));
}

bool ox_simplify_div(struct ox_request *r)
{
    return r->n_in == 2 && neutral(r, r->in[0], r->in[1], 1);
}

/* A float of -0 stays -0, which x + 0 would make 0: ONNX Runtime drops the sum likewise. */
bool ox_simplify_add(struct ox_request *r)
{
    return r->n_in == 2 && (neutral(r, r->in[0], r->in[1], 0) || neutral(r, r->in[1], r->in[0], 0));
}

bool ox_simplify_sub(struct ox_request *r)
{
    return r->n_in == 2 && neutral(r, r->in[0], r->in[1], 0);
}

/* ONNX's Max, Min, Sum and Mean of one input are that input. */
bool ox_simplify_only_one(struct ox_request *r)
{
    return r->n_in == 1 && ox_simplify_identity(r);
}

bool ox_simplify(struct ox_build *b, enum ox_op op, const ox_val *in, int n_in, const struct ox_attr *attrs, ox_val *out,
                 int n)
{
    struct ox_request r = {b, op, in, n_in, attrs, out, n};
    const struct ox_schema *s = &ox_schemas[op];
    return n > 0 && n_in > 0 && in[0] != OX_NONE && s->simplify && (s->simplify(&r) || ox_failed(b));
}
