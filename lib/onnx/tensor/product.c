/* The product of two constant matrices as an initialiser: a projection that goes into a recurrent weight, what a cell makes of
 * its first state. The elements are computed when they are written, as many as go into a block. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/num.h"
#include "onnx/build/internal.h"
#include "onnx/tensor/bytes.h"

enum {
    COLUMNS = 64 << 10, /* elements of the right matrix that are held at once, but one column at least */
    GROWTH = 4,         /* a product may be so many times as large as both factors */
    ONE_BY_ONE = 1 << 16, /* elements of a view, which is read so */
};
static const uint64_t most_terms = UINT64_C(1) << 32; /* of all products of a model: some seconds */

/* ---- elements */

/* Columns [from, from + width) of the right matrix, each in one piece. */
static int load_columns(const struct ox_product *p, uint64_t from, uint64_t width, float *out, float *line)
{
    struct ox_reader right = {.tensor = p->right};
    if (p->turned) {
        return ox_reader_read(&right, from * p->k, (size_t)(width * p->k), out);
    }
    for (uint64_t i = 0; i < p->k; i++) {
        MX_TRY(ox_reader_read(&right, i * p->n + from, (size_t)width, line));
        for (uint64_t c = 0; c < width; c++) {
            out[c * p->k + i] = line[c];
        }
    }
    return MX_OK;
}

static double dot(const float *x, const float *y, uint64_t n)
{
    double sum[4] = {0};
    uint64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += (double)x[i + (uint64_t)k] * (double)y[i + (uint64_t)k];
        }
    }
    for (; i < n; i++) {
        sum[0] += (double)x[i] * (double)y[i];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* What is held while elements [first, last) are computed. */
struct work {
    const struct ox_product *p;
    uint64_t first, last;
    float *columns, *line, *row, *bias;
    float *out;
};

static int multiply(struct work *w, uint64_t from, uint64_t width)
{
    const struct ox_product *p = w->p;
    struct ox_reader left = {.tensor = p->left}, bias = {.tensor = p->bias};
    MX_TRY(load_columns(p, from, width, w->columns, w->line));
    MX_TRY(p->bias ? ox_reader_read(&bias, from, (size_t)width, w->bias) : MX_OK);
    for (uint64_t r = w->first / p->n; r * p->n < w->last; r++) {
        MX_TRY(ox_reader_read(&left, r * p->k, (size_t)p->k, w->row));
        MX_TRY(mx_tick(p->budget, p->k * width));
        for (uint64_t c = 0; c < width; c++) {
            const uint64_t at = r * p->n + from + c;
            if (at >= w->first && at < w->last) {
                const double start = p->bias ? (double)w->bias[c] : 0;
                w->out[at - w->first] = (float)(start + dot(w->row, w->columns + c * p->k, p->k));
            }
        }
    }
    return MX_OK;
}

int ox_product_read(const struct ox_product *p, uint64_t first, size_t count, float *out)
{
    const uint64_t last = first + count;
    const bool one_row = first / p->n == (last - 1) / p->n;
    const uint64_t from = one_row ? first % p->n : 0, to = one_row ? from + count : p->n;
    uint64_t width = p->k < COLUMNS ? COLUMNS / p->k : 1;
    width = width < to - from ? width : to - from;
    float *room = mx_calloc((size_t)(width * p->k + 2 * width + p->k), sizeof *room);
    MX_TRY_ALLOC(room);
    struct work w = {.p = p, .first = first, .last = last, .columns = room, .line = room + width * p->k, .out = out};
    w.bias = w.line + width;
    w.row = w.bias + width;
    int status = MX_OK;
    for (uint64_t c = from; c < to && status == MX_OK; c += width) {
        status = multiply(&w, c, width < to - c ? width : to - c);
    }
    mx_free(room);
    return status;
}

/* ---- at export */

static const struct ox_tensor *float_matrix(struct ox_build *b, ox_val x)
{
    const struct ox_tensor *t = x == OX_NONE ? NULL : ox_tensor_of(b, x);
    return t && t->dtype == MX_FLOAT32 && t->ndim == 2 && ox_tensor_elements(t) > 0 ? t : NULL;
}

/* A transposed weight is read as it lies. */
static const struct ox_tensor *untransposed(const struct ox_tensor *t, bool *turned)
{
    const struct ox_tensor *base = t->base;
    if (base && !base->base && base->dtype == t->dtype && t->start == 0 && t->strides[0] == 1
        && t->strides[1] == t->dims[0] && ox_tensor_elements(base) == ox_tensor_elements(t)) {
        *turned = !*turned;
        return base;
    }
    return t;
}

/* Is an element of it a product? */
bool ox_has_products(const struct ox_tensor *t)
{
    while (t->base || (t->n_pieces == 1 && t->pieces[0].kind == OX_PIECE_ROWS)) {
        t = t->base ? t->base : t->pieces[0].rows->of;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        if (t->pieces[i].kind == OX_PIECE_PRODUCT) {
            return true;
        }
    }
    return false;
}

/* May it be read often? What is computed itself would be computed again each time: products of products are the runtime's. */
static bool handy(const struct ox_tensor *t)
{
    if (ox_has_products(t)) {
        return false;
    }
    return !t->base || ox_tensor_elements(t) <= ONE_BY_ONE;
}

static bool affordable(const struct ox_build *b, const struct ox_product *p, uint64_t m)
{
    uint64_t terms = 0;
    return mx_mul_u64(m * p->n, p->k, &terms) && terms <= most_terms - b->terms
        && m * p->n <= GROWTH * (m * p->k + p->k * p->n);
}

static bool is_one(const struct ox_attr *a)
{
    return !a || (a->f >= 1 && a->f <= 1);
}

/* The factors of a call, of sizes that fit and are worth it. */
static bool factors(struct ox_call *c, struct ox_product *p, uint64_t *m)
{
    const ox_val bias = ox_call_in(c, 2);
    const struct ox_tensor *x = float_matrix(c->b, ox_call_in(c, 0)), *y = float_matrix(c->b, ox_call_in(c, 1));
    if (!x || !y || ox_attr_int(c->attrs, "transA", 0) != 0 || !is_one(ox_find_attr(c->attrs, "alpha"))
        || !is_one(ox_find_attr(c->attrs, "beta"))) {
        return false;
    }
    p->turned = ox_attr_int(c->attrs, "transB", 0) != 0;
    const int inner = p->turned ? 1 : 0;
    *m = (uint64_t)x->dims[0];
    p->k = (uint64_t)x->dims[1];
    p->n = (uint64_t)y->dims[1 - inner];
    if (y->dims[inner] != x->dims[1] || *m > UINT32_MAX || p->k > UINT32_MAX || p->n > UINT32_MAX) {
        return false;
    }
    p->left = x;
    p->right = untransposed(y, &p->turned);
    if (bias != OX_NONE) { /* a row that all have in common */
        p->bias = ox_tensor_of(c->b, bias);
        if (!p->bias || p->bias->dtype != MX_FLOAT32 || p->bias->ndim < 1
            || p->bias->dims[p->bias->ndim - 1] != y->dims[1 - inner] || ox_tensor_elements(p->bias) != p->n) {
            return false;
        }
    }
    return handy(p->left) && handy(p->right) && (!p->bias || handy(p->bias)) && affordable(c->b, p, *m);
}

bool ox_fold_product(struct ox_call *c, ox_val *out)
{
    struct mx_arena *arena = &c->b->model->arena;
    struct ox_product found = {.budget = arena->budget};
    uint64_t m = 0;
    if ((c->op != OX_MatMul && c->op != OX_Gemm)
        || !factors(c, &found, &m)) {
        return false;
    }
    struct ox_product *p = mx_arena_copy(arena, &found, 1, sizeof found);
    struct ox_piece *piece = MX_ARENA_NEW(arena, struct ox_piece);
    struct ox_tensor *t = MX_ARENA_NEW(arena, struct ox_tensor);
    int64_t *dims = MX_ARENA_ARRAY(arena, int64_t, 2);
    if (!p || !piece || !t || !dims) {
        ox_oom(c->b);
        return false;
    }
    dims[0] = (int64_t)m;
    dims[1] = (int64_t)p->n;
    *piece = (struct ox_piece){
        .kind = OX_PIECE_PRODUCT, .length = m * p->n * sizeof(float), .stored = MX_FLOAT32, .product = p};
    *t = (struct ox_tensor){.dtype = MX_FLOAT32, .ndim = 2, .dims = dims, .pieces = piece, .n_pieces = 1};
    c->b->terms += m * p->n * p->k;
    *out = ox_tensor_value(c->b, t);
    return true;
}
