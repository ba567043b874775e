/* Shapes and types of results: indices, and shapes as data. */
#include <string.h>

#include "onnx/rules/shapes.h"

/* ---- indices */

void ox_rule_gather(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    const struct mx_shape index = ox_in_shape(c, 1);
    struct mx_dim_list dims = ox_no_dims(c->b);
    const int axis = ox_axis_of(c, 0, s.ndim);
    if (index.ndim < 0 || axis < 0) {
        return;
    }
    mx_push_dims(&dims, s.dims, axis);
    mx_push_dims(&dims, index.dims, index.ndim);
    mx_push_dims(&dims, s.dims + axis + 1, s.ndim - axis - 1);
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_like_1(struct ox_call *c)
{
    c->shapes[0] = ox_in_shape(c, 1);
}

void ox_rule_gather_nd(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    const struct mx_shape index = ox_in_shape(c, 1);
    const int64_t batch = ox_attr_int(c->attrs, "batch_dims", 0);
    struct mx_dim_list dims = ox_no_dims(c->b);
    int64_t depth;
    if (index.ndim < 1 || !mx_dim_known(ox_t(c), index.dims[index.ndim - 1], &depth) || depth < 0 || batch < 0 || depth > s.ndim - batch) {
        return;
    }
    mx_push_dims(&dims, index.dims, index.ndim - 1);
    mx_push_dims(&dims, s.dims + batch + depth, s.ndim - batch - depth);
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_compress(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    if (!ox_find_attr(c->attrs, "axis")) {
        ox_set_open(c, 0, 1);
    } else if (s.ndim >= 0) {
        ox_set_axis(c, 0, s, ox_axis_of(c, 0, s.ndim), ox_any(c));
    }
}

void ox_rule_one_hot(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_dim_list dims = ox_no_dims(c->b);
    int64_t depth;
    if (s.ndim < 0) {
        return;
    }
    const int axis = ox_axis_of(c, -1, s.ndim + 1);
    const bool known = ox_in_int(c, 1, &depth) && depth >= 0;
    for (int i = 0, k = 0; i <= s.ndim; i++) {
        mx_push_dim(&dims, i != axis ? s.dims[k++] : known ? mx_dim_of(depth) : ox_any(c));
    }
    ox_set(c, 0, dims.v, dims.n);
}

void ox_rule_top_k(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    struct mx_dim_list k = ox_no_dims(c->b);
    const int axis = ox_axis_of(c, -1, s.ndim);
    if (axis < 0) {
        return;
    }
    const mx_dim open = ox_any(c);
    const bool known = ox_vector_dims(c->b, ox_call_in(c, 1), &k) && k.n == 1;
    ox_set_axis(c, 0, s, axis, known ? k.v[0] : open);
    ox_set_axis(c, 1, s, axis, known ? k.v[0] : open);
}

void ox_rule_arg(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    const struct mx_axes axes = mx_one_axis(ox_axis_of(c, 0, s.ndim));
    if (axes.bits != 0) {
        ox_set_reduced(c, s, axes, ox_attr_int(c->attrs, "keepdims", 1) != 0);
    }
}

void ox_rule_unique(struct ox_call *c)
{
    const mx_dim count = ox_any(c);
    const struct mx_shape s = ox_in_shape(c, 0);
    mx_dim elements = mx_shape_elements(ox_t(c), s);
    if (!ox_find_attr(c->attrs, "axis")) {
        ox_set(c, 0, &count, 1);
    } else if (s.ndim > 0) {
        const int axis = ox_axis_of(c, 0, s.ndim);
        elements = s.dims[axis];
        ox_set_axis(c, 0, s, axis, count);
    }
    ox_set(c, 1, &count, 1);
    ox_set(c, 2, &elements, 1);
    ox_set(c, 3, &count, 1);
}

/* ---- shapes as data */

struct mx_shape ox_shape_part(const struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    int64_t start = mx_wrap(ox_attr_int(c->attrs, "start", 0), s.ndim), end = mx_wrap(ox_attr_int(c->attrs, "end", s.ndim), s.ndim);
    start = start < 0 ? 0 : start > s.ndim ? s.ndim : start;
    end = end < start ? start : end > s.ndim ? s.ndim : end;
    return (struct mx_shape){(int)(end - start), s.dims + start};
}

void ox_rule_shape(struct ox_call *c)
{
    const mx_dim n = ox_in_shape(c, 0).ndim >= 0 ? mx_dim_of(ox_shape_part(c).ndim) : ox_any(c);
    ox_set(c, 0, &n, 1);
}

void ox_rule_size(struct ox_call *c)
{
    ox_set(c, 0, NULL, 0);
}

void ox_rule_of_shape(struct ox_call *c)
{
    c->dtypes[0] = MX_FLOAT32;
    ox_set_sizes(c, 0);
}

/* The range from 0 to n by 1 has n elements, even if n is a dynamic size. */
void ox_rule_range(struct ox_call *c)
{
    int64_t start, step, end;
    struct mx_dim_list sizes = ox_no_dims(c->b);
    mx_dim size = {0};
    bool known = false;
    const bool plain = ox_in_int(c, 0, &start) && ox_in_int(c, 2, &step) && step != 0;
    if (plain && ox_in_int(c, 1, &end)) {
        /* Unsigned arithmetic: the distance may span all of int64. */
        const bool some = step > 0 ? end > start : start > end;
        const uint64_t length = step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
        const uint64_t by = step > 0 ? (uint64_t)step : UINT64_C(0) - (uint64_t)step;
        const uint64_t count = some ? (length - 1) / by + 1 : 0;
        known = count <= INT64_MAX;
        size = mx_dim_of(known ? (int64_t)count : 0);
    } else if (plain && start == 0 && step == 1) {
        ox_val limit = ox_call_in(c, 1);
        const struct ox_node *p = ox_value_of(c->b->model, limit)->producer;
        while (ox_node_is(p, OX_Squeeze)) {
            limit = p->in[0];
            p = ox_value_of(c->b->model, limit)->producer;
        }
        known = ox_vector_dims(c->b, limit, &sizes) && sizes.n == 1;
        size = known ? sizes.v[0] : size;
    }
    size = known ? size : ox_any(c);
    ox_set(c, 0, &size, 1);
}

void ox_rule_non_zero(struct ox_call *c)
{
    const struct mx_shape s = ox_in_shape(c, 0);
    const mx_dim dims[] = {s.ndim >= 0 ? mx_dim_of(s.ndim) : ox_any(c), ox_any(c)};
    ox_set(c, 0, dims, 2);
}
