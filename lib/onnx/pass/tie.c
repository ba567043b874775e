/* A weight that is read as it is and, transposed, by a product (an embedding that is also the last layer) is written once: the product
 * reads a Transpose of it, which runtimes compute when they load the model, or make part of the product. */
#include <inttypes.h>
#include <stdio.h>

#include "base/map.h"
#include "onnx/pass/rewrite.h"

enum { LEAST_BYTES = 64 << 10, KEY = 80 }; /* a smaller weight is not worth a node */

/* The place of a tensor in its file, its type and its rows, as a key; false if it is not one range of a file. */
static bool key_of(const struct ox_tensor *t, enum mx_dtype dtype, bool clamp, char key[KEY])
{
    const struct ox_piece *p = !t->base && t->n_pieces == 1 && t->pieces[0].kind == OX_PIECE_RANGE ? &t->pieces[0] : NULL;
    if (!p || t->ndim != 2 || p->length < LEAST_BYTES) {
        return false;
    }
    snprintf(key, KEY, "%" PRIxPTR " %" PRIx64 " %" PRIx64 " %d%d %" PRIx64, (uintptr_t)p->source, p->offset, p->length, (int)dtype, clamp,
             (uint64_t)t->dims[0]);
    return true;
}

/* The key of the matrix whose Transpose is x, a constant. */
static bool key_before(const struct ox_model *m, ox_val x, char key[KEY])
{
    const struct ox_tensor *t = m->values[x].tensor, *base = t ? t->base : NULL;
    return base && t->ndim == 2 && key_of(base, t->dtype, t->clamp, key) && t->dims[0] == base->dims[1] && t->dims[1] == base->dims[0]
           && t->strides[0] == 1 && t->strides[1] == base->dims[1];
}

/* The values of weights, by their keys. */
static int list_weights(struct ox_model *m, struct mx_map *weights)
{
    char key[KEY];
    for (ox_val x = 1; x < m->n_values; x++) {
        const struct ox_value *v = &m->values[x];
        if (!v->tensor || v->dead || !key_of(v->tensor, v->dtype, v->tensor->clamp, key)) {
            continue;
        }
        const char *kept = mx_arena_strdup(&m->arena, key);
        ox_val *value = mx_arena_copy(&m->arena, &x, 1, sizeof x);
        MX_TRY_ALLOC(kept && value);
        MX_TRY(mx_map_set(weights, kept, value));
    }
    return MX_OK;
}

static int tie(struct ox_build *b, struct ox_node *n, void *weights, bool *changed)
{
    char key[KEY];
    const ox_val *weight = ox_node_is(n, OX_MatMul) && key_before(b->model, n->in[1], key) ? mx_map_get(weights, key) : NULL;
    if (!weight) {
        return MX_OK;
    }
    b->node = n->from;
    const int64_t swapped[] = {1, 0};
    const ox_val turned = ox_emit(b, OX_Transpose, OX_IN(*weight), OX_ATTRS(OX_IS("perm", swapped, 2)));
    MX_TRY(ox_status(b));
    *changed = true;
    return ox_set_input(b->model, n, 1, turned);
}

int ox_tie_weights(struct ox_model *m)
{
    struct mx_map weights = {.arena = {.budget = m->arena.budget}};
    int status = list_weights(m, &weights);
    if (status == MX_OK) {
        status = ox_rewrite_nodes(m, tie, &weights);
    }
    mx_map_free(&weights);
    return status;
}
