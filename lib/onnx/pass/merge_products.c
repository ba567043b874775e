/* Merges three or more small products of one value, with a few columns each, into one product and a Split: for example the parameters
 * of a distribution in a forecasting model. A bias after each of them is merged in the same way. Wide products are left alone. */
#include <string.h>

#include "base/budget.h"
#include "onnx/pass/rewrite.h"
#include "onnx/tensor/bytes.h"

enum { AT_LEAST = 3, AT_MOST = 16 /* columns altogether, and so products as well */ };

struct group {
    struct ox_node *products[AT_MOST], *sums[AT_MOST];
    int n;
    int64_t inner, columns[AT_MOST], all; /* rows of the weights; columns of each product and of all together */
};

static const struct ox_tensor *floats(const struct ox_model *m, ox_val x, int ndim)
{
    const struct ox_tensor *t = ox_float_tensor(m, x);
    return t && t->ndim == ndim ? t : NULL;
}

/* The columns of a product with its own small weight; 0 if n is something else. */
static int64_t columns_of(const struct ox_model *m, const struct ox_node *n)
{
    if (!ox_node_is(n, OX_MatMul) || m->values[n->in[0]].shape.ndim < 2 || m->values[n->out[0]].shape.ndim < 2) {
        return 0;
    }
    const struct ox_tensor *t = floats(m, n->in[1], 2);
    return t && t->dims[0] > 0 && t->dims[1] > 0 && t->dims[1] <= AT_MOST && t->dims[0] <= OX_SMALL / AT_MOST ? t->dims[1] : 0;
}

/* The node that adds a constant with the same columns to a product, as its only reader; NULL if there is none. */
static struct ox_node *sum_of(const struct ox_model *m, struct ox_node *const *reader, const struct ox_node *product, int64_t columns)
{
    const struct ox_value *v = &m->values[product->out[0]];
    struct ox_node *n = v->uses == 1 ? reader[product->out[0]] : NULL;
    if (!ox_node_is(n, OX_Add)) {
        return NULL;
    }
    const struct ox_tensor *t = floats(m, n->in[0] == product->out[0] ? n->in[1] : n->in[0], 1);
    return t && t->dims[0] == columns ? n : NULL;
}

static void collect(const struct ox_model *m, struct ox_node *const *reader, struct ox_node **products, int n, struct group *g)
{
    bool sums = true;
    for (int i = 0; i < n && g->n < AT_MOST; i++) {
        const int64_t columns = columns_of(m, products[i]), inner = m->values[products[i]->in[1]].tensor->dims[0];
        if (g->all + columns <= AT_MOST && (g->n == 0 || inner == g->inner)) { /* the axis of x may be open */
            g->products[g->n] = products[i];
            g->sums[g->n] = sum_of(m, reader, products[i], columns);
            sums = sums && g->sums[g->n];
            g->columns[g->n++] = columns;
            g->all += columns;
            g->inner = inner;
        }
    }
    for (int i = 0; i < g->n && !sums; i++) {
        g->sums[i] = NULL;
    }
}

/* ---- constants */

/* The constants of g's nodes side by side, row by row; with 0 rows they are vectors. */
static int join(struct ox_model *m, const struct group *g, int64_t rows, const ox_val *of, ox_val *out)
{
    const int ndim = rows > 0 ? 2 : 1;
    rows = rows > 0 ? rows : 1;
    float *all = MX_ARENA_ARRAY(&m->arena, float, (size_t)(rows * g->all));
    float *one = MX_ARENA_ARRAY(&m->arena, float, (size_t)(rows * g->all));
    const int64_t dims[] = {rows, g->all};
    MX_TRY_ALLOC(all && one);
    for (int64_t i = 0, at = 0; i < g->n; at += g->columns[i++]) {
        MX_TRY(ox_tensor_read(m->values[of[i]].tensor, one));
        for (int64_t r = 0; r < rows; r++) {
            memcpy(all + r * g->all + at, one + r * g->columns[i], (size_t)g->columns[i] * sizeof *one);
        }
    }
    const struct ox_tensor *t = ox_bytes_tensor(m, MX_FLOAT32, dims + 2 - ndim, ndim, all);
    MX_TRY_ALLOC(t);
    return ox_add_constant(m, t, out);
}

/* ---- nodes */

/* Makes n's last axis consist of g's columns. */
static int widen(struct ox_model *m, struct mx_shape s, const struct group *g, struct ox_node *n, const ox_val in[2])
{
    mx_dim *dims = mx_arena_copy(&m->arena, s.dims, (size_t)s.ndim, sizeof *dims);
    MX_TRY_ALLOC(dims);
    dims[s.ndim - 1] = mx_dim_of(g->all);
    const ox_val y = ox_add_value(m, MX_FLOAT32, (struct mx_shape){s.ndim, dims});
    MX_TRY_ALLOC(y != OX_NONE);
    MX_TRY(ox_set_result(m, n, y));
    return ox_set_inputs(m, n, in, 2);
}

/* The first product and the first sum become those of all. */
static int merge(struct ox_model *m, struct group *g)
{
    struct ox_node *product = g->products[0], *sum = g->sums[0];
    ox_val weights[AT_MOST], biases[AT_MOST], results[AT_MOST], w, b;
    const struct mx_shape s = m->values[product->out[0]].shape;
    for (int i = 0; i < g->n; i++) {
        const struct ox_node *p = g->products[i], *added = g->sums[i];
        weights[i] = p->in[1];
        biases[i] = added ? (added->in[0] == p->out[0] ? added->in[1] : added->in[0]) : OX_NONE;
        results[i] = added ? added->out[0] : p->out[0];
    }
    MX_TRY(join(m, g, g->inner, weights, &w));
    MX_TRY(widen(m, s, g, product, (const ox_val[]){product->in[0], w}));
    if (sum) {
        MX_TRY(join(m, g, 0, biases, &b));
        MX_TRY(widen(m, s, g, sum, (const ox_val[]){product->out[0], b}));
    }
    for (int i = 1; i < g->n; i++) {
        ox_remove_node(m, g->products[i]);
        if (sum) {
            ox_remove_node(m, g->sums[i]);
        }
    }
    const ox_val all = sum ? sum->out[0] : product->out[0];
    return ox_write_split(m, all, &(struct ox_parts){product->from, s.ndim - 1, g->n, g->columns, results});
}

static int merge_products(struct ox_model *m, struct ox_node **products, int n, void *user)
{
    struct group g = {.n = 0};
    collect(m, user, products, n, &g);
    return g.n >= AT_LEAST ? merge(m, &g) : MX_OK;
}

static bool is_small_product(const struct ox_model *m, const struct ox_node *n)
{
    return columns_of(m, n) > 0;
}

static void find_readers(const struct ox_graph *g, struct ox_node **reader)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            reader[n->in[k]] = g->nodes[i];
        }
    }
}

int ox_merge_products(struct ox_model *m)
{
    const size_t n_values = (size_t)m->n_values + 1;
    struct ox_node **reader =
        mx_budget_array(m->arena.budget, NULL, 0, n_values, sizeof(struct ox_node *)); /* of each value: one of them */
    int status = MX_OUT_OF_MEMORY;
    if (reader) {
        find_readers(&m->main, reader);
        status = ox_each_siblings(m, is_small_product, merge_products, reader);
    }
    mx_budget_array_free(m->arena.budget, reader, n_values, sizeof(struct ox_node *));
    return status;
}
