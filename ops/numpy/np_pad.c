/* NumPy's pad: one axis after the other, so that corners are padding of padding (src/operator/numpy/np_pad_op-inl.h). */
#include "op/op.h"

struct pad {
    const char *pad_width; /* ((before, after), ...), or (before, after) for a vector */
    int mode;
    double constant_value;
    struct mx_opt_float constant_values; /* MXNet 2's name */
};

enum mode { CONSTANT, EDGE, REFLECT, SYMMETRIC, MAXIMUM, MINIMUM };
static const char *const modes[] = {"constant", "edge", "reflect", "symmetric", "maximum", "minimum", NULL};

static const struct mx_attr attrs[] = {
    MX_STRING(struct pad, pad_width, NULL),
    MX_ENUM(struct pad, mode, "constant", modes),
    MX_DOUBLE(struct pad, constant_value, "0"),
    MX_FLOAT_NONE(struct pad, constant_values, "None"),
    MX_IGNORED("reflect_type"),                         /* "even" only */
};

/* One number for each axis. */
struct widths {
    struct mx_int_list before, after;
};

/* Reads the numbers in the text, ignoring brackets. False if one is too large, or if there are not two for each axis. */
static bool read_widths(const char *text, int rank, struct widths *w)
{
    for (const char *p = text; *p;) {
        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        const int64_t sign = p > text && p[-1] == '-' ? -1 : 1;
        int64_t v = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            v = v > INT32_MAX ? v : v * 10 + (*p - '0');
        }
        if (v > INT32_MAX || w->after.n == rank) {
            return false;
        }
        mx_push_int(w->before.n > w->after.n ? &w->after : &w->before, sign * v);
    }
    return w->after.n == rank;
}

/* Negative widths crop. In the other modes MXNet's results hold uninitialised memory then. */
static int check_crop(struct mx_infer *c, mx_dim dim, int64_t before, int64_t after)
{
    const enum mode mode = (enum mode)((const struct pad *)c->attrs)->mode;
    int64_t size;
    if ((before < 0 || after < 0) && mode != CONSTANT && mode != EDGE) {
        return mx_infer_fail(c, "pad_width", "a width is %lld" MX_HELP "set mode to constant or edge, or slice the axis",
                             (long long)(before < 0 ? before : after));
    }
    const int64_t cropped = (before < 0 ? -before : 0) + (after < 0 ? -after : 0);
    if (cropped > 0 && mx_dim_known(c->dims, dim, &size) && cropped > (mode == EDGE ? size - 1 : size)) {
        return mx_infer_fail(c, "pad_width", "%lld elements are cropped of an axis of %lld", (long long)cropped, (long long)size);
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct pad *a = c->attrs;
    struct widths w = {mx_no_ints(c), mx_no_ints(c)};
    struct mx_shape s;
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim == 0 || !read_widths(a->pad_width, s.ndim, &w)) {
        return mx_infer_fail(c, "pad_width", "\"%s\" does not match an input of rank %d" MX_HELP "give (before, after) for each axis",
                             a->pad_width, s.ndim);
    }
    for (int i = 0; i < s.ndim; i++) {
        const int64_t more = mx_get_int(&w.before, i) + mx_get_int(&w.after, i);
        MX_TRY(check_crop(c, s.dims[i], mx_get_int(&w.before, i), mx_get_int(&w.after, i)));
        if (a->mode != CONSTANT && mx_dim_equal(c->dims, s.dims[i], mx_dim_of(0)) && more > 0) {
            return mx_infer_fail(c, "mode", "axis %d is empty, and only mode constant can pad it", i);
        }
        mx_push_dim(&dims, mx_dim_addn(c->dims, s.dims[i], more));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* ---- one axis */

/* The index of the element that appears `distance` (1, 2, ...) before the first of n. The reflection runs back and forth: with a period
 * of 2n, or of 2n - 2 if the ends are not repeated. */
static int64_t reflected(int64_t distance, int64_t n, bool symmetric)
{
    if (n == 1) {
        return 0;
    }
    const int64_t period = symmetric ? 2 * n : 2 * n - 2;
    const int64_t i = (symmetric ? distance - 1 : distance) % period;
    return i < n ? i : period - (symmetric ? 1 : 0) - i;
}

struct mirror {
    int64_t n, before, after;
    bool symmetric;
};

static double mirror_at(const void *spec, int64_t i)
{
    const struct mirror *m = spec;
    const int64_t from = i - m->before;
    return (double)(from < 0       ? reflected(-from, m->n, m->symmetric)
                    : from >= m->n ? m->n - 1 - reflected(from - m->n + 1, m->n, m->symmetric)
                                   : from);
}

/* For a known size: gathers the elements. */
static ox_val mirror_known(struct ox_build *b, ox_val x, int axis, const struct mirror *m)
{
    const int64_t count = m->before + m->n + m->after;
    return ox_gather(b, x, ox_computed(b, MX_INT64, &count, 1, mirror_at, m, sizeof *m), axis);
}

/* Concatenates the part before, x, and the part after; each part as long as its width. */
static ox_val join(struct ox_build *b, ox_val before, ox_val x, ox_val after, int axis)
{
    ox_val parts[3];
    int n = 0;
    if (before != OX_NONE) {
        parts[n++] = before;
    }
    parts[n++] = x;
    if (after != OX_NONE) {
        parts[n++] = after;
    }
    return ox_concat(b, parts, n, axis);
}

/* For a dynamic size: the same indices, computed at run time. */
static ox_val mirror_dynamic(struct ox_build *b, ox_val x, int axis, const struct mirror *m, mx_dim length)
{
    const mx_dim n = ox_shape(b, x).dims[axis];
    const ox_val size = ox_dim_as(b, n, MX_INT64), one = ox_scalar(b, MX_INT64, 1);
    const ox_val first = ox_scalar(b, MX_INT64, (double)-m->before), end = ox_add(b, size, ox_scalar(b, MX_INT64, (double)m->after));
    const ox_val places = ox_node(b, OX_Range, OX_IN(first, end, one), OX_NO_ATTRS);
    ox_typed(b, places, MX_INT64, (struct mx_shape){1, &length});
    const ox_val twice = ox_mul(b, size, ox_scalar(b, MX_INT64, 2));
    const ox_val period = m->symmetric ? twice : ox_binary(b, OX_Max, ox_sub(b, twice, ox_scalar(b, MX_INT64, 2)), one);
    const ox_val there = ox_mod(b, places, period), back = ox_sub(b, m->symmetric ? ox_sub(b, period, one) : period, there);
    return ox_gather(b, x, ox_binary(b, OX_Min, there, back), axis);
}

static ox_val repeated(struct ox_build *b, ox_val x, int axis, int64_t times)
{
    struct mx_int_list repeats = ox_repeated(b, 1, ox_rank(b, x));
    mx_put_int(&repeats, axis, times);
    return times == 0 ? OX_NONE : ox_tile(b, x, repeats.v, repeats.n);
}

static ox_val extreme(struct ox_build *b, ox_val x, int axis, enum ox_op op, const struct mirror *m)
{
    const ox_val most = ox_reduce(b, op, x, (const int64_t[]){axis}, 1, true);
    return join(b, repeated(b, most, axis, m->before), x, repeated(b, most, axis, m->after), axis);
}

/* ---- all axes */

/* True if ONNX's Pad can do the reflections: they must be shorter than the axis. */
static bool is_short(struct ox_build *b, ox_val x, const struct widths *w)
{
    for (int i = 0; i < ox_rank(b, x); i++) {
        int64_t size;
        const int64_t before = mx_get_int(&w->before, i), after = mx_get_int(&w->after, i);
        if (before + after > 0 && (!ox_size_at(b, x, i, &size) || before >= size || after >= size)) {
            return false;
        }
    }
    return true;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct pad *a = n->attrs;
    struct widths w = {ox_no_ints(b), ox_no_ints(b)};
    const int rank = ox_rank(b, in[0]);
    ox_val x = in[0];
    (void)read_widths(a->pad_width, rank, &w);
    if (a->mode == CONSTANT || a->mode == EDGE || (a->mode == REFLECT && is_short(b, x, &w))) {
        const double value = a->constant_values.given ? a->constant_values.v : a->constant_value;
        out[0] = ox_pad(b, x, w.before.v, w.after.v, rank, modes[a->mode], value);
        return;
    }
    for (int i = 0; i < rank; i++) {
        struct mirror m = {.before = mx_get_int(&w.before, i), .after = mx_get_int(&w.after, i), .symmetric = a->mode == SYMMETRIC};
        if (m.before + m.after == 0) {
            continue;
        }
        if (a->mode == MAXIMUM || a->mode == MINIMUM) {
            x = extreme(b, x, i, a->mode == MAXIMUM ? OX_ReduceMax : OX_ReduceMin, &m);
        } else {
            x = ox_size_at(b, x, i, &m.n) ? mirror_known(b, x, i, &m) : mirror_dynamic(b, x, i, &m, n->out[0].shape.dims[i]);
        }
    }
    out[0] = x;
}

const struct mx_op mx_ops_np_pad[] = {
    {
        .name = "_npi_pad",
        MX_ATTRS(attrs, struct pad),
        .infer = infer,
        .lower = lower,
        .refuses = "A negative width with a mode other than \"constant\" and \"edge\": MXNet's result holds uninitialised memory.",
        .differs = "mode=\"maximum\" or \"minimum\" of a dynamic axis that is empty at run time: the padding is infinite; MXNet's is "
                   "uninitialised memory.",
    },
    MX_OPS_END,
};
