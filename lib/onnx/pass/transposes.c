/* Two Transposes with a Reshape between them that only splits axes become one after the Reshape: one copy less, or none at all if a
 * product reads the result. A Transpose of a Reshape that moves only axes of size 1 becomes part of the Reshape. */
#include "onnx/pass/rewrite.h"

struct cut {
    struct mx_int_list ends; /* for each axis of the Reshape's input: the end of the axes into which it is split */
};

struct turned {
    struct mx_dim_list dims;
    struct mx_int_list perm;
};

/* False if axes are merged. Axes of size 1 may be added or removed. */
static bool find_cut(struct mx_dims *t, struct mx_shape from, struct mx_shape to, struct cut *c)
{
    int k = 0;
    for (int i = 0; i < from.ndim; i++) {
        mx_dim size = mx_dim_of(1);
        while (!mx_dim_equal(t, size, from.dims[i])) {
            if (k == to.ndim) {
                return false;
            }
            size = mx_dim_mul(t, size, to.dims[k++]);
        }
        mx_push_int(&c->ends, k);
    }
    while (k < to.ndim && mx_dim_equal(t, to.dims[k], mx_dim_of(1))) {
        k++;
    }
    mx_put_int(&c->ends, from.ndim - 1, k);
    return k == to.ndim;
}

/* Makes n produce `wanted`, which another node produced. */
static int give(struct ox_model *m, struct ox_node *n, ox_val wanted)
{
    m->values[wanted].producer->dead = true;
    return ox_set_result(m, n, wanted);
}

/* Puts x, a Transpose just written (after value `last`), in place of `wanted`. One that may not come before a product stays where it is. */
static int replace(struct ox_build *b, ox_val x, int last, ox_val wanted, bool *changed)
{
    const bool as_it_is = !ox_failed(b) && x >= last && b->model->values[x].producer && ox_apart(b, x) == x;
    MX_TRY(ox_status(b));
    *changed = true;
    return as_it_is ? give(b->model, b->model->values[x].producer, wanted) : MX_OK;
}

/* The input of a Transpose, split like its result, and the Transpose after that. False if axes are merged. */
static bool find_turn(struct mx_dims *t, const int64_t *p, struct mx_shape from, struct mx_shape to, struct turned *out)
{
    struct cut c = {mx_int_list(out->perm.error)};
    if (!find_cut(t, from, to, &c)) {
        return false;
    }
    for (int axis = 0; axis < from.ndim; axis++) {
        int i = 0;
        while (p[i] != axis) {
            i++;
        }
        for (int64_t k = i > 0 ? mx_get_int(&c.ends, i - 1) : 0; k < mx_get_int(&c.ends, i); k++) {
            mx_put_int(&out->perm, k, out->dims.n);
            mx_push_dim(&out->dims, to.dims[k]);
        }
    }
    return true;
}

/* A Reshape of a Transpose becomes a Transpose of a Reshape. */
static int turn(struct ox_build *b, const struct ox_node *reshape, bool *changed)
{
    const struct ox_model *m = b->model;
    const struct ox_node *inner = ox_only_maker(m, &m->main, reshape->in[0]);
    const int last = m->n_values;
    struct turned y = {ox_no_dims(b), ox_no_ints(b)};
    int n = 0;
    if (!ox_node_is(inner, OX_Transpose)) {
        return MX_OK;
    }
    const int64_t *p = ox_attr_ints(inner->attrs, "perm", &n);
    const struct mx_shape from = m->values[inner->out[0]].shape, to = m->values[reshape->out[0]].shape;
    if (n < 1 || from.ndim != n || to.ndim < 1 || !find_turn(m->dims, p, from, to, &y)) {
        return MX_OK;
    }
    b->node = reshape->from;
    ox_register_dims(b, inner->in[0]);
    const ox_val x = ox_transpose(b, ox_reshape(b, inner->in[0], y.dims.v, y.dims.n), y.perm.v, y.perm.n);
    return replace(b, x, last, reshape->out[0], changed);
}

/* A Transpose of a Reshape becomes a Reshape of what that reads. */
static int absorb(struct ox_build *b, struct ox_node *transpose, bool *changed)
{
    const int last = b->model->n_values;
    int n = 0;
    const int64_t *perm = ox_attr_ints(transpose->attrs, "perm", &n);
    if (!ox_moves_ones(b, transpose->in[0], perm, n)) {
        return MX_OK;
    }
    b->node = transpose->from;
    return replace(b, ox_turned(b, transpose->in[0], perm, n), last, transpose->out[0], changed);
}

static int join(struct ox_build *b, struct ox_node *transpose, bool *changed)
{
    if (!ox_node_is(transpose, OX_Transpose)) {
        return MX_OK;
    }
    const struct ox_value *x = &b->model->values[transpose->in[0]];
    const int last = b->model->n_values;
    int n = 0;
    if (ox_made_in(x, &b->model->main) && ox_node_is(x->producer, OX_Reshape)) {
        MX_TRY(turn(b, x->producer, changed));
        x = &b->model->values[transpose->in[0]];
    }
    if (ox_made_in(x, &b->model->main) && ox_node_is(x->producer, OX_Reshape)) {
        return absorb(b, transpose, changed);
    }
    if (!ox_made_in(x, &b->model->main) || !ox_node_is(x->producer, OX_Transpose)) {
        return MX_OK;
    }
    const int64_t *perm = ox_attr_ints(transpose->attrs, "perm", &n);
    b->node = transpose->from;
    return replace(b, ox_transpose(b, transpose->in[0], perm, n), last, transpose->out[0], changed);
}

int ox_join_transposes(struct ox_model *m)
{
    return ox_rewrite_nodes(m, join);
}
