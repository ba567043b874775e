#include "graph/shape.h"

#include "base/json_out.h"

bool mx_elements(const int64_t *dims, int ndim, int64_t *out)
{
    int64_t product = 1;
    bool empty = false;
    for (int i = 0; i < ndim; i++) {
        if (dims[i] < 0 || (dims[i] > 0 && product > MX_MAX_ELEMENTS / dims[i])) {
            return false;
        }
        empty = empty || dims[i] == 0;
        product *= dims[i] > 0 ? dims[i] : 1;
    }
    *out = empty ? 0 : product;
    return true;
}

struct mx_shape mx_shape_of(struct mx_arena *a, const mx_dim *dims, int ndim)
{
    if (ndim < 0) {
        return MX_SHAPE_UNKNOWN;
    }
    const mx_dim *copy = mx_arena_copy(a, dims, (size_t)ndim, sizeof *dims);
    return copy ? (struct mx_shape){ndim, copy} : MX_SHAPE_UNKNOWN;
}

bool mx_shape_known(struct mx_dims *t, struct mx_shape s)
{
    for (int i = 0; i < s.ndim; i++) {
        if (!mx_dim_known(t, s.dims[i], NULL)) {
            return false;
        }
    }
    return s.ndim >= 0;
}

bool mx_shape_has_unknown(struct mx_dims *t, struct mx_shape s)
{
    for (int i = 0; i < s.ndim; i++) {
        if (mx_dim_has_unknown(t, s.dims[i])) {
            return true;
        }
    }
    return s.ndim < 0;
}

bool mx_shape_equal(struct mx_dims *t, struct mx_shape a, struct mx_shape b)
{
    if (a.ndim != b.ndim || a.ndim < 0) {
        return false;
    }
    for (int i = 0; i < a.ndim; i++) {
        if (!mx_dim_equal(t, a.dims[i], b.dims[i])) {
            return false;
        }
    }
    return true;
}

mx_dim mx_shape_elements(struct mx_dims *t, struct mx_shape s)
{
    return s.ndim < 0 ? mx_dim_unknown(t) : mx_dim_product(t, s.dims, s.ndim);
}

mx_dim mx_shape_along(struct mx_dims *t, struct mx_shape s, struct mx_axes axes)
{
    mx_dim count = mx_dim_of(1);
    for (int i = 0; i < s.ndim; i++) {
        count = mx_has_axis(axes, i) ? mx_dim_mul(t, count, s.dims[i]) : count;
    }
    return count;
}

bool mx_shape_is_empty(struct mx_dims *t, struct mx_shape s)
{
    int64_t size;
    for (int i = 0; i < s.ndim; i++) {
        if (mx_dim_known(t, s.dims[i], &size) && size == 0) {
            return true;
        }
    }
    return false;
}

void mx_shape_format(struct mx_dims *t, struct mx_shape s, struct mx_str *out)
{
    if (s.ndim < 0) {
        mx_str_append(out, "?");
        return;
    }
    mx_str_append(out, "(");
    for (int i = 0; i < s.ndim; i++) {
        mx_str_append(out, i ? ", " : "");
        mx_dim_format(t, s.dims[i], out);
    }
    mx_str_append(out, s.ndim == 1 ? ",)" : ")");
}

static void dim_json(struct mx_dims *t, mx_dim d, struct mx_json *out)
{
    int64_t size;
    if (mx_dim_known(t, d, &size)) {
        mx_json_int(out, size);
    } else if (mx_dim_has_unknown(t, d)) {
        mx_json_null(out);
    } else {
        struct mx_str text = {.budget = out->out->budget};
        mx_dim_format(t, d, &text);
        mx_json_text(out, text.text ? text.text : "");
        out->out->failed = out->out->failed || text.failed;
        mx_str_free(&text);
    }
}

void mx_value_json(struct mx_dims *t, const char *name, enum mx_dtype dtype, struct mx_shape s, struct mx_json *out)
{
    mx_json_put_text(out, "name", name);
    mx_json_put_text(out, "dtype", mx_dtype_name(dtype));
    mx_json_key(out, "shape");
    if (s.ndim < 0) {
        mx_json_null(out);
        return;
    }
    mx_json_open(out, '[');
    for (int i = 0; i < s.ndim; i++) {
        dim_json(t, s.dims[i], out);
    }
    mx_json_close(out, ']');
}
