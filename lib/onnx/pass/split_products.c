/* A product whose columns are moved and then split becomes one product for each part: the queries, keys and values of attention.
 * Splitting copies the data, and so does moving all of it at once; a part that is moved by itself can be read by the next product in place
 * (ONNX Runtime makes one kernel of both). Parts of the weights are pieces of the same file. */
#include "onnx/pass/rewrite.h"
#include "onnx/tensor/bytes.h"

enum { MOST_MOVES = 4 };

struct product {
    struct ox_node *moves[MOST_MOVES]; /* Transpose and Reshape nodes between product and Split, last one first */
    int n_moves;
    ox_val x, weight, bias, sum; /* bias: OX_NONE if there is none; sum: the input of the first move */
    int64_t columns, size;       /* number of columns of the weight; size of the split axis, to which they are moved */
    int axis;
};

static const struct ox_tensor *constant(const struct ox_model *m, ox_val x, int ndim)
{
    const struct ox_tensor *t = m->values[x].tensor;
    return t && t->ndim == ndim && !ox_has_products(t) ? t : NULL;
}

/* ---- finding one */

/* Collects the moves from the Split upward. */
static bool find_moves(const struct ox_model *m, const struct ox_node *split, struct product *p)
{
    bool transposes = false;
    p->sum = split->in[0];
    for (struct ox_node *n; (n = ox_only_maker(m, &m->main, p->sum)) != NULL; p->sum = n->in[0]) {
        if (!ox_node_is(n, OX_Transpose) && !ox_node_is(n, OX_Reshape)) {
            return transposes;
        }
        const bool turns = n->op == OX_Transpose;
        if (p->n_moves == MOST_MOVES || m->values[n->in[0]].shape.ndim < 2 || m->values[n->out[0]].shape.ndim < 2
            || (turns && !ox_perm_of(m, n))) {
            return false;
        }
        transposes = transposes || turns;
        p->moves[p->n_moves++] = n;
    }
    return false;
}

static bool find_product(const struct ox_model *m, struct product *p)
{
    const struct ox_node *n = ox_only_maker(m, &m->main, p->sum);
    for (int i = 0; ox_node_is(n, OX_Add) && i < 2 && p->bias == OX_NONE; i++) {
        p->bias = constant(m, n->in[i], 1) ? n->in[i] : OX_NONE;
        if (p->bias != OX_NONE) {
            n = ox_only_maker(m, &m->main, n->in[1 - i]);
        }
    }
    const struct ox_tensor *w = ox_node_is(n, OX_MatMul) ? constant(m, n->in[1], 2) : NULL;
    if (!w || w->dims[0] < 1 || w->dims[1] < 1) { /* x has a rank of at least 2 as the moves have */
        return false;
    }
    p->x = n->in[0];
    p->weight = n->in[1];
    p->columns = w->dims[1];
    return p->bias == OX_NONE || m->values[p->bias].tensor->dims[0] == p->columns;
}

/* The axis in the output of a Reshape that corresponds to axis `at` of its input; -1 if there is none. The last axis may be split, with
 * a new last axis. */
static int through_reshape(const struct ox_model *m, struct mx_shape from, struct mx_shape to, int at, int64_t *size)
{
    int64_t last;
    if (at != from.ndim - 1 || !mx_dim_known(m->dims, to.dims[to.ndim - 1], &last) || last < 1 || *size % last != 0) {
        return -1;
    }
    *size = last;
    return to.ndim - 1;
}

/* Columns that are not on the last axis any more return there after the Split, usually after they are split into heads that are merged
 * with the axes before them: with a Transpose on each side (transposes.c), this gains nothing. */
static bool worth_it(const struct ox_model *m, const struct product *p)
{
    const struct mx_shape s = m->values[p->moves[0]->out[0]].shape;
    bool alone = true;
    for (int i = 0; i < p->axis && alone; i++) {
        alone = mx_dim_equal(m->dims, s.dims[i], mx_dim_of(1));
    }
    return alone || p->axis == s.ndim - 1;
}

/* True if the moves bring the columns to the axis that is split. */
static bool follow(const struct ox_model *m, const struct ox_node *split, struct product *p)
{
    int at = m->values[p->sum].shape.ndim - 1;
    p->size = p->columns;
    for (int i = p->n_moves - 1; i >= 0; i--) {
        const struct ox_node *n = p->moves[i];
        const struct mx_shape from = m->values[n->in[0]].shape, to = m->values[n->out[0]].shape;
        if (n->op == OX_Reshape) {
            at = through_reshape(m, from, to, at, &p->size);
            continue;
        }
        const int64_t *perm = ox_perm_of(m, n);
        int k = 0;
        while (k < from.ndim && perm[k] != at) {
            k++;
        }
        at = k < from.ndim ? k : -1;
    }
    p->axis = at; /* that of the Split may be any number, if the rank was declared after the Split was checked */
    return at >= 0 && mx_wrap(ox_attr_int(split->attrs, "axis", 0), m->values[split->in[0]].shape.ndim) == at;
}

/* ---- a part of a product */

struct part {
    int64_t first, count; /* on the split axis */
};

/* The columns of a part, of a matrix or a vector; OX_NONE if they are not pieces of existing data. */
static ox_val columns_of(struct ox_build *b, const struct product *p, ox_val x, struct part part)
{
    const bool matrix = ox_rank(b, x) == 2;
    const int64_t rows = matrix ? ox_tensor_of(b, x)->dims[0] : 1;
    const ox_val by_columns = matrix ? ox_transpose(b, x, (const int64_t[]){1, 0}, 2) : x;
    const int64_t apart[] = {p->columns / p->size, p->size, rows}, joined[] = {apart[0] * part.count, rows};
    ox_val y = ox_reshape_ints(b, by_columns, apart, 3);
    y = ox_reshape_ints(b, ox_slice1(b, y, 1, part.first, part.first + part.count), joined, matrix ? 2 : 1);
    y = matrix ? ox_transpose(b, y, (const int64_t[]){1, 0}, 2) : y;
    return !ox_failed(b) && ox_tensor_of(b, y) ? y : OX_NONE;
}

/* Applies the moves of p to a value with other columns. */
static ox_val moved(struct ox_build *b, const struct product *p, ox_val x, struct part part)
{
    for (int i = p->n_moves - 1; i >= 0; i--) {
        const struct ox_node *n = p->moves[i];
        const struct mx_shape s = b->model->values[n->out[0]].shape;
        struct mx_dim_list dims = ox_no_dims(b);
        if (n->op == OX_Transpose) {
            int count;
            const int64_t *perm = ox_attr_ints(n->attrs, "perm", &count);
            x = ox_transpose(b, x, perm, count);
            continue;
        }
        mx_push_dims(&dims, s.dims, s.ndim);
        mx_put_dim(&dims, s.ndim - 1, mx_dim_of(part.count));
        x = ox_reshape(b, x, dims.v, dims.n);
    }
    return ox_apart(b, x);
}

static ox_val write_part(struct ox_build *b, const struct product *p, struct part part)
{
    const ox_val w = columns_of(b, p, p->weight, part), bias = p->bias != OX_NONE ? columns_of(b, p, p->bias, part) : OX_NONE;
    if (w == OX_NONE || (p->bias != OX_NONE && bias == OX_NONE)) {
        return OX_NONE;
    }
    const ox_val y = ox_matmul(b, p->x, w);
    return moved(b, p, bias != OX_NONE ? ox_add(b, y, bias) : y, part);
}

/* Writes all parts; false if one is not a separate node: empty, or the same as another one. */
static bool write_parts(struct ox_build *b, const struct ox_node *split, const struct product *p, ox_val *parts)
{
    const struct ox_model *m = b->model;
    struct part part = {0};
    for (int i = 0; i < split->n_out; i++, part.first += part.count) {
        const struct mx_shape s = m->values[split->out[i]].shape;
        const int last = m->n_values;
        if (s.ndim <= p->axis || !mx_dim_known(m->dims, s.dims[p->axis], &part.count)) {
            return false;
        }
        parts[i] = write_part(b, p, part);
        if (ox_failed(b) || parts[i] < last || !m->values[parts[i]].producer) {
            return false;
        }
    }
    return true;
}

/* ---- all */

static int split_product(struct ox_build *b, struct ox_node *split, const struct product *p)
{
    ox_val *parts = MX_ARENA_ARRAY(&b->model->arena, ox_val, (size_t)split->n_out);
    MX_TRY_ALLOC(parts);
    b->node = split->from;
    ox_register_dims(b, p->x);
    if (!write_parts(b, split, p, parts)) {
        return ox_status(b);
    }
    for (int i = 0; i < split->n_out; i++) {
        MX_TRY(ox_set_result(b->model, b->model->values[parts[i]].producer, split->out[i]));
    }
    split->dead = true;
    return MX_OK;
}

static int split_at(struct ox_build *b, struct ox_node *n, void *user, bool *changed)
{
    const struct ox_model *m = b->model;
    struct product p = {0};
    if (!ox_node_is(n, OX_Split) || !find_moves(m, n, &p) || !find_product(m, &p) || !follow(m, n, &p) || !worth_it(m, &p)) {
        return MX_OK;
    }
    *changed = true;
    return split_product(b, n, &p);
}

int ox_split_products(struct ox_model *m)
{
    return ox_rewrite_nodes(m, split_at, NULL);
}
