/* Arithmetic on small constants: done here, with ONNX's rules for broadcasting, instead of by a
 * node. What goes element by element is done up to OX_LARGE (anchors), as long as no more than
 * LARGE_IN_ALL elements come to lie in memory. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "onnx/build/internal.h"

enum { MAX_INPUTS = 3, LARGE_IN_ALL = 1 << 20 };

struct fold {
    struct ox_call *c;
    struct ox_data in[MAX_INPUTS];
    int64_t dims[MX_MAX_RANK]; /* of the result */
    int ndim;
};

/* ---- elementwise */

/* Results that C leaves undefined are left to the runtime: *ok is cleared. */
static int64_t int_op(const char *type, int64_t x, int64_t y, bool *ok)
{
    int64_t r = 0;
    switch (type[0]) {
    case 'A': /* Add, And */
        if (type[1] == 'n') {
            return x && y;
        }
        *ok = mx_add_i64(x, y, &r) && *ok;
        return r;
    case 'S':
        *ok = y != INT64_MIN && mx_add_i64(x, -y, &r) && *ok;
        return r;
    case 'O':
        return x || y;
    case 'X':
        return !x != !y;
    case 'E':
        return x == y;
    case 'L':
        return type[4] ? x <= y : x < y;
    case 'G':
        return type[7] ? x >= y : x > y;
    default:
        break;
    }
    if (strcmp(type, "Mul") == 0) {
        *ok = mx_mul_i64(x, y, &r) && *ok;
        return r;
    }
    if (strcmp(type, "Max") == 0 || strcmp(type, "Min") == 0) {
        return (x > y) == (type[1] == 'a') ? x : y;
    }
    if (y == 0 || (x == INT64_MIN && y == -1)) {
        *ok = false;
        return 0;
    }
    if (type[0] == 'D') {
        return x / y;
    }
    r = x % y; /* Mod has the sign of the divisor */
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static double float_op(const char *type, double x, double y)
{
    switch (type[0]) {
    case 'A':
        return x + y;
    case 'S':
        return x - y;
    case 'D':
        return x / y;
    case 'P':
        return pow(x, y);
    case 'M':
        if (x != x || y != y) {
            return x + y;
        }
        return type[1] == 'u' ? x * y : type[1] == 'a' ? (x > y ? x : y) : (x < y ? x : y);
    default:
        return 0;
    }
}

static bool float_compare(const char *type, double x, double y)
{
    switch (type[0]) {
    case 'E':
        return x >= y && x <= y;
    case 'L':
        return type[4] ? x <= y : x < y;
    default:
        return type[7] ? x >= y : x > y;
    }
}

/* Element numbers of an input for each element of the result. */
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

/* May that many elements be computed one by one? */
static bool affordable(const struct ox_call *c, int64_t count)
{
    return count >= 0
           && (count <= OX_SMALL || (count <= OX_LARGE && c->b->folded + count <= LARGE_IN_ALL));
}

static bool broadcast(struct fold *f, int first, int last)
{
    f->ndim = 0;
    for (int i = first; i <= last; i++) {
        f->ndim = f->in[i].ndim > f->ndim ? f->in[i].ndim : f->ndim;
    }
    for (int axis = 0; axis < f->ndim; axis++) {
        f->dims[axis] = 1;
        for (int i = first; i <= last; i++) {
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

static void step_cursors(const struct fold *f, struct cursor *k, int n, int64_t *index)
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

static bool binary(struct fold *f, struct ox_data *out)
{
    const char *type = f->c->schema->op_type;
    const bool is_bool = f->c->schema->out[0] == 'b';
    struct cursor k[2];
    int64_t index[MX_MAX_RANK] = {0};
    bool ok = true;
    const bool floats = f->in[0].f != NULL;
    if (!broadcast(f, 0, 1) || (floats && (strcmp(type, "Mod") == 0)) || (!floats && type[0] == 'P')
        || (floats != (f->in[1].f != NULL))
        || !ox_data_new(f->c->b, is_bool ? MX_BOOL : f->in[0].dtype, f->dims, f->ndim, out)) {
        return false;
    }
    start_cursor(&k[0], &f->in[0], f->ndim);
    start_cursor(&k[1], &f->in[1], f->ndim);
    for (int64_t i = 0; i < out->count; i++) {
        if (!floats) {
            out->i[i] = int_op(type, f->in[0].i[k[0].at], f->in[1].i[k[1].at], &ok);
        } else if (is_bool) {
            out->i[i] = float_compare(type, f->in[0].f[k[0].at], f->in[1].f[k[1].at]);
        } else {
            out->f[i] = float_op(type, f->in[0].f[k[0].at], f->in[1].f[k[1].at]);
        }
        step_cursors(f, k, 2, index);
    }
    return ok;
}

static bool where(struct fold *f, struct ox_data *out)
{
    struct cursor k[3];
    int64_t index[MX_MAX_RANK] = {0};
    if (!f->in[0].i || !broadcast(f, 0, 2)
        || !ox_data_new(f->c->b, f->in[1].dtype, f->dims, f->ndim, out)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        start_cursor(&k[i], &f->in[i], f->ndim);
    }
    for (int64_t i = 0; i < out->count; i++) {
        const int from = f->in[0].i[k[0].at] ? 1 : 2;
        if (out->i) {
            out->i[i] = f->in[from].i[k[from].at];
        } else {
            out->f[i] = f->in[from].f[k[from].at];
        }
        step_cursors(f, k, 3, index);
    }
    return true;
}

/* The lower bound first: where they cross, the upper one wins. */
static bool clip(struct fold *f, struct ox_data *out)
{
    const struct ox_data *x = f->in;
    if (x[1].count != 1 || x[2].count != 1
        || !ox_data_new(f->c->b, x->dtype, x->dims, x->ndim, out)) {
        return false;
    }
    for (int64_t i = 0; i < x->count; i++) {
        if (x->f) {
            const double low = float_op("Max", x->f[i], x[1].f[0]);
            out->f[i] = float_op("Min", low, x[2].f[0]);
        } else {
            const int64_t low = x->i[i] < x[1].i[0] ? x[1].i[0] : x->i[i];
            out->i[i] = low > x[2].i[0] ? x[2].i[0] : low;
        }
    }
    return true;
}

static double unary_float(const char *type, double x)
{
    static const struct {
        const char *type;
        double (*f)(double);
    } table[] = {
        {"Ceil", ceil}, {"Exp", exp},  {"Floor", floor}, {"Log", log},
        {"Sqrt", sqrt}, {"Abs", fabs}, {"Tanh", tanh},   {"Round", rint},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].type, type) == 0) {
            return table[i].f(x);
        }
    }
    return type[0] == 'N'   ? -x
           : type[0] == 'R' ? 1 / x
           : x > 0          ? 1
           : x < 0          ? -1
                            : x; /* Neg, Reciprocal, Sign */
}

static bool unary(struct fold *f, struct ox_data *out)
{
    const char *type = f->c->schema->op_type;
    const struct ox_data *x = &f->in[0];
    const bool logical = strcmp(type, "Not") == 0;
    const bool simple =
        strcmp(type, "Neg") == 0 || strcmp(type, "Abs") == 0 || strcmp(type, "Sign") == 0;
    if ((x->i && !simple && !logical) || !ox_data_new(f->c->b, x->dtype, x->dims, x->ndim, out)) {
        return false;
    }
    for (int64_t i = 0; i < x->count; i++) {
        if (x->f) {
            out->f[i] = unary_float(type, x->f[i]);
        } else if (logical) {
            out->i[i] = !x->i[i];
        } else if (x->i[i] == INT64_MIN) {
            return false;
        } else {
            const int64_t v = x->i[i];
            out->i[i] = type[0] == 'S' ? (v > 0) - (v < 0) : type[0] == 'N' || v < 0 ? -v : v;
        }
    }
    return true;
}

/* ---- with indices and axes */

static void copy_element(struct ox_data *out, int64_t to, const struct ox_data *in, int64_t from)
{
    if (out->i) {
        out->i[to] = in->i[from];
    } else {
        out->f[to] = in->f[from];
    }
}

static bool gather(struct fold *f, struct ox_data *out)
{
    const struct ox_data *x = &f->in[0];
    const struct ox_data *index = &f->in[1];
    int64_t axis = ox_attr_int(f->c->attrs, "axis", 0);
    axis += axis < 0 ? x->ndim : 0;
    if (!index->i || axis < 0 || axis >= x->ndim || x->ndim - 1 + index->ndim > MX_MAX_RANK) {
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
    for (int64_t o = 0; o < outer; o++) {
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

static bool range(struct fold *f, struct ox_data *out)
{
    const struct ox_data *x = f->in;
    if (x[0].count != 1 || x[1].count != 1 || x[2].count != 1) {
        return false;
    }
    const double from = x[0].i ? (double)x[0].i[0] : x[0].f[0];
    const double to = x[0].i ? (double)x[1].i[0] : x[1].f[0];
    const double step = x[0].i ? (double)x[2].i[0] : x[2].f[0];
    const double count = ceil((to - from) / step);
    if (!(count <= OX_SMALL)) {
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
static bool tile(struct fold *f, struct ox_data *out)
{
    const struct ox_data *x = &f->in[0];
    const struct ox_data *times = &f->in[1];
    int64_t index[MX_MAX_RANK] = {0};
    if (!times->i || times->count != x->ndim) {
        return false;
    }
    for (int i = 0; i < x->ndim; i++) {
        if (times->i[i] < 0 || times->i[i] > OX_SMALL) {
            return false;
        }
        f->dims[i] = x->dims[i] * times->i[i];
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

/* The axes that a reduction takes away, all if it names none. */
static bool reduced_axes(const struct fold *f, bool *gone)
{
    const struct ox_data *x = &f->in[0];
    const bool all = f->c->n_in < 2;
    for (int i = 0; i < x->ndim; i++) {
        gone[i] = all;
    }
    for (int64_t i = 0; !all && i < f->in[1].count; i++) {
        const int64_t axis = f->in[1].i[i] < 0 ? f->in[1].i[i] + x->ndim : f->in[1].i[i];
        if (axis < 0 || axis >= x->ndim) {
            return false;
        }
        gone[axis] = true;
    }
    return all || f->in[1].count > 0;
}

/* The result, and where in it an element of x goes: nowhere further along the axes that are gone. */
static bool reduced(struct fold *f, const bool *gone, struct ox_data *out, struct cursor *to)
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

/* The largest number of a type: a sum that went beyond it on its way would be infinite at run time. */
static double largest(enum mx_dtype t)
{
    return t == MX_FLOAT64 ? DBL_MAX : t == MX_FLOAT16 ? 65504 : (double)FLT_MAX;
}

/* Sums, products and extremes. */
static bool reduce(struct fold *f, struct ox_data *out)
{
    const char *how = f->c->schema->op_type + strlen("Reduce");
    const char *step = how[0] == 'P' ? "Mul" : how[0] == 'S' ? "Add" : how;
    const struct ox_data *x = &f->in[0];
    bool gone[MX_MAX_RANK] = {false}, ok = true;
    int64_t index[MX_MAX_RANK] = {0};
    struct cursor to = {{0}, 0};
    if (x->count == 0 || !reduced_axes(f, gone) || !reduced(f, gone, out, &to)) {
        return false;
    }
    struct fold walk = {.ndim = x->ndim};
    memcpy(walk.dims, x->dims, (size_t)x->ndim * sizeof *walk.dims);
    for (int64_t i = 0; i < x->count; i++) {
        bool first = true;
        for (int axis = 0; axis < x->ndim; axis++) {
            first = first && (!gone[axis] || index[axis] == 0);
        }
        if (first) {
            copy_element(out, to.at, x, i);
        } else if (out->i) {
            out->i[to.at] = int_op(step, out->i[to.at], x->i[i], &ok);
        } else {
            out->f[to.at] = float_op(step, out->f[to.at], x->f[i]);
            ok = ok && fabs(out->f[to.at]) <= largest(x->dtype);
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
    return sum > 0; /* or an input was infinite or no number */
}

static bool softmax(struct fold *f, struct ox_data *out)
{
    const struct ox_data *x = &f->in[0];
    int64_t axis = ox_attr_int(f->c->attrs, "axis", -1);
    axis += axis < 0 ? x->ndim : 0;
    if (!x->f || axis < 0 || axis >= x->ndim || x->count == 0
        || !ox_data_new(f->c->b, x->dtype, x->dims, x->ndim, out)) {
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

/* Sorted by name. */
static const struct {
    const char *op_type;
    int n_in;
    bool (*fold)(struct fold *f, struct ox_data *out);
} table[] = {
    {"Abs", 1, unary},
    {"Add", 2, binary},
    {"And", 2, binary},
    {"Ceil", 1, unary},
    {"Clip", 3, clip},
    {"Div", 2, binary},
    {"Equal", 2, binary},
    {"Exp", 1, unary},
    {"Floor", 1, unary},
    {"Gather", 2, gather},
    {"Greater", 2, binary},
    {"GreaterOrEqual", 2, binary},
    {"Less", 2, binary},
    {"LessOrEqual", 2, binary},
    {"Log", 1, unary},
    {"Max", 2, binary},
    {"Min", 2, binary},
    {"Mod", 2, binary},
    {"Mul", 2, binary},
    {"Neg", 1, unary},
    {"Not", 1, unary},
    {"Or", 2, binary},
    {"Pow", 2, binary},
    {"Range", 3, range},
    {"Reciprocal", 1, unary},
    {"ReduceMax", 0, reduce},
    {"ReduceMin", 0, reduce},
    {"ReduceProd", 0, reduce},
    {"ReduceSum", 0, reduce},
    {"Round", 1, unary},
    {"Sign", 1, unary},
    {"Softmax", 1, softmax},
    {"Sqrt", 1, unary},
    {"Sub", 2, binary},
    {"Tanh", 1, unary},
    {"Tile", 2, tile},
    {"Where", 3, where},
    {"Xor", 2, binary},
};

static int row_of(const char *op_type)
{
    int low = 0;
    int high = (int)(sizeof table / sizeof table[0]);
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(op_type, table[middle].op_type);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -1;
}

bool ox_folds_elements(const char *op_type, int n_in)
{
    const int row = row_of(op_type);
    return row >= 0 && table[row].n_in == n_in
           && (table[row].fold == binary || table[row].fold == unary || table[row].fold == where);
}

/* Every input a constant that may be read? Looked at before anything is. */
static bool all_constant(const struct ox_call *c, bool each)
{
    for (int i = 0; i < c->n_in; i++) {
        const struct ox_tensor *t = ox_tensor_of(c->b, c->in[i]);
        const int64_t count = t ? ox_count(t->dims, t->ndim) : -1;
        if (count < 0 || !(each ? affordable(c, count) : count <= OX_SMALL)) {
            return false;
        }
    }
    return c->n_in > 0 && c->n_in <= MAX_INPUTS;
}

bool ox_fold(struct ox_call *c, ox_val *out)
{
    struct fold f = {.c = c};
    struct ox_data result = {0};
    int read = 0;
    const int row = row_of(c->schema->op_type);
    if (row < 0 || (table[row].n_in != 0 && table[row].n_in != c->n_in)
        || !all_constant(c, table[row].fold == binary || table[row].fold == unary
                                || table[row].fold == reduce)) {
        return false;
    }
    while (read < c->n_in && ox_data_read(c->b, c->in[read], OX_LARGE, &f.in[read])) {
        read++;
    }
    const bool done = read == c->n_in && table[row].fold(&f, &result) && !ox_stopped(c->b);
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
