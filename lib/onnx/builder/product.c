/* The product of two constant matrices as an initialiser: a projection merged into a recurrent weight, or what a cell computes from its
 * first state. The elements are computed when they are written (tensor/read.c). */
#include "base/num.h"
#include "onnx/builder/internal.h"
#include "onnx/tensor/bytes.h"

enum {
    GROWTH = 4,           /* a product may be this many times as large as both factors together */
    ONE_BY_ONE = 1 << 16, /* elements of a view, which are read one by one */
};
static const uint64_t most_terms = UINT64_C(1) << 32; /* limit: terms of all products of constants; the runtime computes further ones */

static const struct ox_tensor *float_matrix(struct ox_build *b, ox_val x)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    return t && t->dtype == MX_FLOAT32 && t->ndim == 2 && ox_tensor_elements(t) > 0 ? t : NULL;
}

/* A transposed weight is read in its stored order. */
static const struct ox_tensor *untransposed(const struct ox_tensor *t, bool *turned)
{
    const struct ox_tensor *base = t->base;
    if (base && base->dtype == t->dtype && t->strides[0] == 1 && t->strides[1] == t->dims[0]
        && ox_tensor_elements(base) == ox_tensor_elements(t)) {
        *turned = !*turned;
        return base;
    }
    return t;
}

/* True if it can be read many times. A computed piece would be computed again each time, so products of products are left to the
 * runtime. */
static bool handy(const struct ox_tensor *t)
{
    return !ox_has_products(t) && (!t->base || ox_tensor_elements(t) <= ONE_BY_ONE);
}

static bool affordable(const struct ox_build *b, const struct ox_product *p, uint64_t m)
{
    uint64_t elements = 0, terms = 0;
    return mx_mul_u64(m, p->n, &elements) && mx_mul_u64(elements, p->k, &terms) && terms <= most_terms - b->terms
           && elements <= GROWTH * (m * p->k + p->k * p->n);
}

static bool is_one(const struct ox_attr *a)
{
    return !a || (a->f >= 1 && a->f <= 1);
}

/* The factors of a call, if they have types and sizes for which the product is worthwhile. */
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
    p->left = x;
    p->right = untransposed(y, &p->turned);
    if (bias != OX_NONE) { /* one row, added to all rows */
        p->bias = ox_tensor_of(c->b, bias);
        if (!p->bias || p->bias->ndim < 1 || p->bias->dims[p->bias->ndim - 1] != y->dims[1 - inner]
            || ox_tensor_elements(p->bias) != p->n) {
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
    if ((c->op != OX_MatMul && c->op != OX_Gemm) || !factors(c, &found, &m)) {
        return false;
    }
    const struct ox_product *p = mx_arena_copy(arena, &found, 1, sizeof found);
    if (!p) {
        ox_oom(c->b);
        return false;
    }
    const int64_t dims[] = {(int64_t)m, (int64_t)p->n};
    const struct ox_piece piece = {.kind = OX_PIECE_PRODUCT, .length = m * p->n * sizeof(float), .stored = MX_FLOAT32, .product = p};
    c->b->terms += m * p->n * p->k;
    *out = ox_tensor_value(c->b, ox_piece_tensor(c->b, MX_FLOAT32, dims, 2, piece));
    return true;
}
