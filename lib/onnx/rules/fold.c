/* Arithmetic on small constants is done here, with ONNX's rules for broadcasting, instead of by a node. Elementwise operators are
 * folded for up to OX_LARGE elements (anchors), as long as no more than LARGE_IN_ALL elements are stored in memory. */
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "onnx/rules/rows.h"

enum {
    MAX_INPUTS = 3,
    FEW = 64,
    HELD = 16 << 20,        /* bytes of constants, beyond which only short ones are folded */
    LARGE_IN_ALL = 1 << 20, /* limit: elements of all constants that are folded and have more than 4096 */
    LARGE_READ = 1 << 24,   /* limit: elements of such constants that are read, altogether */
    TICK = 32,              /* work per element */
};

struct ox_fold {
    struct ox_call *c;
    struct ox_data in[MAX_INPUTS];
    int64_t dims[MX_MAX_RANK]; /* of the result */
    int ndim;
};

/* ---- elementwise */

/* Results that C leaves undefined are left to the runtime: *ok is cleared. */
static int64_t divide(enum ox_op op, bool fmod, int64_t x, int64_t y, bool *ok)
{
    if (y == 0 || (x == INT64_MIN && y == -1)) {
        *ok = false;
        return 0;
    }
    if (op == OX_Div) {
        return x / y;
    }
    const int64_t r = x % y;
    return r == 0 || fmod || (r < 0) == (y < 0) ? r : r + y; /* Mod has the sign of the divisor, with fmod that of the dividend */
}

static int64_t int_op(enum ox_op op, bool fmod, int64_t x, int64_t y, bool *ok)
{
    int64_t r = 0;
    switch ((int)op) {
    case OX_Add: *ok = mx_add_i64(x, y, &r) && *ok; return r;
    case OX_Sub: *ok = y != INT64_MIN && mx_add_i64(x, -y, &r) && *ok; return r;
    case OX_Mul: *ok = mx_mul_i64(x, y, &r) && *ok; return r;
    case OX_Max: return x > y ? x : y;
    case OX_Min: return x < y ? x : y;
    case OX_And: return x && y;
    case OX_Or: return x || y;
    case OX_Xor: return !x != !y;
    case OX_Equal: return x == y;
    case OX_Less: return x < y;
    case OX_LessOrEqual: return x <= y;
    case OX_Greater: return x > y;
    case OX_GreaterOrEqual: return x >= y;
    default: return divide(op, fmod, x, y, ok);
    }
}

static double float_op(enum ox_op op, double x, double y)
{
    const bool nan = x != x || y != y;
    switch ((int)op) {
    case OX_Add: return x + y;
    case OX_Sub: return x - y;
    case OX_Mul: return x * y;
    case OX_Div: return x / y;
    case OX_Pow: return pow(x, y);
    case OX_Max: return nan ? x + y : x > y ? x : y;
    default: /* Min */ return nan ? x + y : x < y ? x : y;
    }
}

static bool float_compare(enum ox_op op, double x, double y)
{
    switch ((int)op) {
    case OX_Equal: return x >= y && x <= y;
    case OX_Less: return x < y;
    case OX_LessOrEqual: return x <= y;
    case OX_Greater: return x > y;
    default: return x >= y;
    }
}

/* The element index in an input for each element of the result. */
struct cursor {
    int64_t strides[MX_MAX_RANK];
    int64_t at;
};

static void start_cursor(struct cursor *k, const struct ox_data *d, int ndim)
{
    int64_t step = 1;
    memset(k, 0, sizeof *k);
    for (int i = d->ndim - 1; i >= 0; i--) {
        k->strides[ndim - d->ndim + i] = d->dims[i] == 1 ? 0 : step;
        step *= d->dims[i];
    }
}

/* True if this number of elements may be computed one by one; -1: constants without elements whose other axes are together too long. */
static bool affordable(const struct ox_call *c, int64_t count)
{
    return count >= 0 && (count <= OX_SMALL || (count <= OX_LARGE && c->b->folded + count <= LARGE_IN_ALL));
}

static bool broadcast(struct ox_fold *f)
{
    f->ndim = 0;
    for (int i = 0; i < f->c->n_in; i++) {
        f->ndim = f->in[i].ndim > f->ndim ? f->in[i].ndim : f->ndim;
    }
    for (int axis = 0; axis < f->ndim; axis++) {
        f->dims[axis] = 1;
        for (int i = 0; i < f->c->n_in; i++) {
            const int k = axis - (f->ndim - f->in[i].ndim);
            const int64_t size = k >= 0 ? f->in[i].dims[k] : 1;
            if (size != 1 && f->dims[axis] != 1 && size != f->dims[axis]) {
                return false;
            }
            f->dims[axis] = size == 1 ? f->dims[axis] : size;
        }
    }
    return affordable(f->c, ox_count(f->dims, f->ndim));
}

static void step_cursors(const struct ox_fold *f, struct cursor *k, int n, int64_t *index)
{
    for (int axis = f->ndim - 1; axis >= 0; axis--) {
        index[axis]++;
        for (int i = 0; i < n; i++) {
            k[i].at += k[i].strides[axis];
        }
        if (index[axis] < f->dims[axis]) {
            return;
        }
        for (int i = 0; i < n; i++) {
            k[i].at -= k[i].strides[axis] * f->dims[axis];
        }
        index[axis] = 0;
    }
}

static void copy_element(struct ox_data *out, int64_t to, const struct ox_data *in, int64_t from)
{
    if (out->i) {
        out->i[to] = in->i[from];
    } else {
        out->f[to] = in->f[from];
    }
}

bool ox_fold_binary(struct ox_fold *f, struct ox_data *out)
{
    const enum ox_op op = f->c->op;
    const bool is_bool = f->c->schema->out[0] == 'b', fmod = ox_attr_int(f->c->attrs, "fmod", 0) != 0;
    struct cursor k[2];
    int64_t index[MX_MAX_RANK] = {0};
    bool ok = true;
    const bool floats = f->in[0].f != NULL;
    if (!broadcast(f) || op == (floats ? OX_Mod : OX_Pow)
        || !ox_data_new(f->c->b, is_bool ? MX_BOOL : f->in[0].dtype, f->dims, f->ndim, out)) {
        return false;
    }
    start_cursor(&k[0], &f->in[0], f->ndim);
    start_cursor(&k[1], &f->in[1], f->ndim);
    for (int64_t i = 0; i < out->count; i++) {
        if (!floats) {
            out->i[i] = int_op(op, fmod, f->in[0].i[k[0].at], f->in[1].i[k[1].at], &ok);
        } else if (is_bool) {
            out->i[i] = float_compare(op, f->in[0].f[k[0].at], f->in[1].f[k[1].at]);
        } else {
            out->f[i] = float_op(op, f->in[0].f[k[0].at], f->in[1].f[k[1].at]);
        }
        step_cursors(f, k, 2, index);
    }
    return ok;
}

bool ox_fold_where(struct ox_fold *f, struct ox_data *out)
{
    struct cursor k[3];
    int64_t index[MX_MAX_RANK] = {0};
    if (!broadcast(f) || !ox_data_new(f->c->b, f->in[1].dtype, f->dims, f->ndim, out)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        start_cursor(&k[i], &f->in[i], f->ndim);
    }
    for (int64_t i = 0; i < out->count; i++) {
        const int from = f->in[0].i[k[0].at] ? 1 : 2;
        copy_element(out, i, &f->in[from], k[from].at);
        step_cursors(f, k, 3, index);
    }
    return true;
}

/* The lower bound is applied first: if the bounds cross, the upper one wins. */
bool ox_fold_clip(struct ox_fold *f, struct ox_data *out)
{
    const struct ox_data *x = f->in;
    if (!ox_data_new(f->c->b, x->dtype, x->dims, x->ndim, out)) {
        return false;
    }
    for (int64_t i = 0; i < x->count; i++) {
        if (x->f) {
            const double low = float_op(OX_Max, x->f[i], x[1].f[0]);
            out->f[i] = float_op(OX_Min, low, x[2].f[0]);
        } else {
            const int64_t low = x->i[i] < x[1].i[0] ? x[1].i[0] : x->i[i];
            out->i[i] = low > x[2].i[0] ? x[2].i[0] : low;
        }
    }
    return true;
}

static double unary_float(enum ox_op op, double x)
{
    switch ((int)op) {
    case OX_Abs: return fabs(x);
    case OX_Ceil: return ceil(x);
    case OX_Exp: return exp(x);
    case OX_Floor: return floor(x);
    case OX_Log: return log(x);
    case OX_Neg: return -x;
    case OX_Reciprocal: return 1 / x;
    case OX_Round: return rint(x);
    case OX_Sign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case OX_Sqrt: return sqrt(x);
    default: return tanh(x);
    }
}

/* For Not, Neg, Abs and Sign. */
static int64_t unary_int(enum ox_op op, int64_t x)
{
    return op == OX_Not ? !x : op == OX_Sign ? (x > 0) - (x < 0) : op == OX_Neg || x < 0 ? -x : x;
}

bool ox_fold_unary(struct ox_fold *f, struct ox_data *out)
{
    const enum ox_op op = f->c->op;
    const struct ox_data *x = &f->in[0];
    const bool of_ints = op == OX_Not || op == OX_Neg || op == OX_Abs || op == OX_Sign;
    if ((x->i && !of_ints) || !ox_data_new(f->c->b, x->dtype, x->dims, x->ndim, out)) {
        return false;
    }
    for (int64_t i = 0; i < x->count; i++) {
        if (x->f) {
            out->f[i] = unary_float(op, x->f[i]);
        } else if (x->i[i] == INT64_MIN) {
            return false;
        } else {
            out->i[i] = unary_int(op, x->i[i]);
        }
    }
    return true;
}

/* ---- with indices and axes */

bool ox_fold_gather(struct ox_fold *f, struct ox_data *out)
{
    const struct ox_data *x = &f->in[0];
    const struct ox_data *index = &f->in[1];
    const int64_t axis = ox_attr_int(f->c->attrs, "axis", 0); /* ox_gather counts from 0 */
    if (x->ndim - 1 + index->ndim > MX_MAX_RANK) {
        return false;
    }
    f->ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (i != axis) {
            f->dims[f->ndim++] = x->dims[i];
            continue;
        }
        for (int k = 0; k < index->ndim; k++) {
            f->dims[f->ndim++] = index->dims[k];
        }
    }
    const int64_t outer = ox_count(x->dims, (int)axis);
    const int64_t size = x->dims[axis];
    const int64_t inner = ox_count(x->dims + axis + 1, x->ndim - (int)axis - 1);
    const int64_t count = ox_count(f->dims, f->ndim);
    if (count < 0 || count > OX_SMALL || !ox_data_new(f->c->b, x->dtype, f->dims, f->ndim, out)) {
        return false;
    }
    int64_t to = 0;
    for (int64_t o = 0; o < outer && count > 0; o++) {
        for (int64_t k = 0; k < index->count; k++) {
            const int64_t at = index->i[k] < 0 ? index->i[k] + size : index->i[k];
            if (at < 0 || at >= size) {
                return false;
            }
            for (int64_t i = 0; i < inner; i++) {
                copy_element(out, to++, x, (o * size + at) * inner + i);
            }
        }
    }
    return true;
}

bool ox_fold_range(struct ox_fold *f, struct ox_data *out)
{
    const struct ox_data *x = f->in;
    if (x[0].count != 1 || x[1].count != 1 || x[2].count != 1) {
        return false;
    }
    const double from = x[0].i ? (double)x[0].i[0] : x[0].f[0];
    const double to = x[0].i ? (double)x[1].i[0] : x[1].f[0];
    const double step = x[0].i ? (double)x[2].i[0] : x[2].f[0];
    const double count = ceil((to - from) / step);
    const double exact = 9007199254740992.0; /* 2^53 */
    if (!(count <= (double)OX_SMALL) || (x[0].i && !(fabs(from) < exact && fabs(to) < exact && fabs(step) < exact))) {
        return false;
    }
    f->dims[0] = count > 0 ? (int64_t)count : 0;
    if (!ox_data_new(f->c->b, x[0].dtype, f->dims, 1, out)) {
        return false;
    }
    for (int64_t i = 0; i < out->count; i++) {
        if (out->i) {
            out->i[i] = x[0].i[0] + i * x[2].i[0];
        } else {
            out->f[i] = from + (double)i * step;
        }
    }
    return true;
}

/* Tile, by the strides of a cursor that wraps. */
bool ox_fold_tile(struct ox_fold *f, struct ox_data *out)
{
    const struct ox_data *x = &f->in[0];
    const struct ox_data *times = &f->in[1];
    int64_t index[MX_MAX_RANK] = {0};
    for (int i = 0; i < x->ndim; i++) {
        if (times->i[i] < 0 || times->i[i] > OX_SMALL || !mx_mul_i64(x->dims[i], times->i[i], &f->dims[i])) {
            return false; /* an axis may be long next to one of size 0 */
        }
    }
    const int64_t count = ox_count(f->dims, x->ndim);
    if (count < 0 || count > OX_SMALL || !ox_data_new(f->c->b, x->dtype, f->dims, x->ndim, out)) {
        return false;
    }
    for (int64_t to = 0; to < count; to++) {
        int64_t from = 0;
        for (int i = 0; i < x->ndim; i++) {
            from = from * x->dims[i] + index[i] % x->dims[i];
        }
        copy_element(out, to, x, from);
        for (int i = x->ndim - 1; i >= 0 && ++index[i] == f->dims[i]; i--) {
            index[i] = 0;
        }
    }
    return true;
}

/* The axes that a reduction removes; all of them if it names none. */
static bool reduced_axes(const struct ox_fold *f, bool *gone)
{
    const struct ox_data *x = &f->in[0];
    const bool all = f->c->n_in < 2;
    for (int i = 0; i < x->ndim; i++) {
        gone[i] = all;
    }
    for (int64_t i = 0; !all && i < f->in[1].count; i++) {
        const int64_t axis = f->in[1].i[i]; /* ox_reduce counts from 0 */
        if (axis < 0 || axis >= x->ndim) {
            return false;
        }
        gone[axis] = true;
    }
    return all || f->in[1].count > 0;
}

/* Prepares the result, and the position in it of each element of x: removed axes do not advance it. */
static bool reduced(struct ox_fold *f, const bool *gone, struct ox_data *out, struct cursor *to)
{
    const struct ox_data *x = &f->in[0];
    const bool kept = ox_attr_int(f->c->attrs, "keepdims", 1) != 0;
    int64_t step = 1;
    f->ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (kept || !gone[i]) {
            f->dims[f->ndim++] = gone[i] ? 1 : x->dims[i];
        }
    }
    for (int i = x->ndim - 1; i >= 0; i--) {
        to->strides[i] = gone[i] ? 0 : step;
        step *= gone[i] ? 1 : x->dims[i];
    }
    return ox_data_new(f->c->b, x->dtype, f->dims, f->ndim, out);
}

/* Sums, products and extremes. */
bool ox_fold_reduce(struct ox_fold *f, struct ox_data *out)
{
    const enum ox_op how = f->c->op;
    const enum ox_op step = how == OX_ReduceProd ? OX_Mul : how == OX_ReduceSum ? OX_Add : how == OX_ReduceMax ? OX_Max : OX_Min;
    const struct ox_data *x = &f->in[0];
    bool gone[MX_MAX_RANK], ok = true;
    int64_t index[MX_MAX_RANK] = {0};
    struct cursor to = {{0}, 0};
    if (x->count == 0 || !reduced_axes(f, gone) || !reduced(f, gone, out, &to)) {
        return false;
    }
    struct ox_fold walk = {.ndim = x->ndim};
    memcpy(walk.dims, x->dims, (size_t)x->ndim * sizeof *walk.dims);
    for (int64_t i = 0; i < x->count; i++) {
        bool first = true;
        for (int axis = 0; axis < x->ndim; axis++) {
            first = first && (!gone[axis] || index[axis] == 0);
        }
        if (first) {
            copy_element(out, to.at, x, i);
        } else if (out->i) {
            out->i[to.at] = int_op(step, false, out->i[to.at], x->i[i], &ok);
        } else {
            out->f[to.at] = float_op(step, out->f[to.at], x->f[i]);
            ok = ok && fabs(out->f[to.at]) <= mx_dtype_largest(x->dtype); /* or it would be infinite at run time */
        }
        step_cursors(&walk, &to, 1, index);
    }
    return ok;
}

/* One row of a softmax, `step` elements apart. */
static bool softmax_row(const double *x, int64_t n, int64_t step, double *out)
{
    double most = x[0], sum = 0;
    for (int64_t i = 1; i < n; i++) {
        most = x[i * step] > most ? x[i * step] : most;
    }
    for (int64_t i = 0; i < n; i++) {
        out[i * step] = exp(x[i * step] - most);
        sum += out[i * step];
    }
    for (int64_t i = 0; i < n; i++) {
        out[i * step] /= sum;
    }
    return sum > 0; /* otherwise an input was infinite or NaN */
}

bool ox_fold_softmax(struct ox_fold *f, struct ox_data *out)
{
    const struct ox_data *x = &f->in[0];
    const int64_t axis = ox_attr_int(f->c->attrs, "axis", -1); /* ox_simplify_softmax counts from 0 */
    if (!x->f || !ox_data_new(f->c->b, x->dtype, x->dims, x->ndim, out)) {
        return false;
    }
    const int64_t n = x->dims[axis], step = ox_count(x->dims + axis + 1, x->ndim - (int)axis - 1);
    for (int64_t i = 0; i < x->count; i += n * step) {
        for (int64_t k = 0; k < step; k++) {
            if (!softmax_row(x->f + i + k, n, step, out->f + i + k)) {
                return false;
            }
        }
    }
    return true;
}

bool ox_folds_elements(enum ox_op op, int n_in)
{
    const struct ox_schema *s = &ox_schemas[op];
    return s->folds == n_in && (s->fold == ox_fold_binary || s->fold == ox_fold_unary || s->fold == ox_fold_where);
}

/* True if every input is a constant that may be read. Called before any of them is read. */
static bool all_constant(const struct ox_call *c, bool each)
{
    for (int i = 0; i < c->n_in; i++) {
        const struct ox_tensor *t = ox_tensor_of(c->b, c->in[i]);
        const int64_t count = t ? ox_count(t->dims, t->ndim) : -1;
        if (count < 0 || (count > FEW && c->b->held > HELD) || !(each ? affordable(c, count) : count <= OX_SMALL)) {
            return false;
        }
    }
    return c->b->fold_read <= LARGE_READ;
}

bool ox_fold(struct ox_call *c, ox_val *out)
{
    struct ox_fold f = {.c = c};
    struct ox_data result = {0};
    int read = 0;
    const struct ox_schema *s = c->schema;
    if (!s->fold || (s->folds != 0 && s->folds != c->n_in)
        || !all_constant(c, s->fold == ox_fold_binary || s->fold == ox_fold_unary || s->fold == ox_fold_reduce)) {
        return false;
    }
    while (read < c->n_in && ox_data_read(c->b, c->in[read], OX_LARGE, &f.in[read])) {
        read++;
    }
    for (int i = 0; i < read; i++) {
        c->b->fold_read += f.in[i].count > OX_SMALL ? f.in[i].count : 0;
        mx_count_work(c->b->model->arena.budget, TICK * (uint64_t)f.in[i].count);
    }
    const bool done = read == c->n_in && s->fold(&f, &result) && !ox_failed(c->b);
    if (done) {
        *out = ox_data_value(c->b, &result);
        c->b->folded += result.count > OX_SMALL ? result.count : 0;
    }
    ox_data_free(&result);
    for (int i = 0; i < read; i++) {
        ox_data_free(&f.in[i]);
    }
    return done;
}
