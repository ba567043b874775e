/* Slices that divide an axis of a value among them, each element in one of them, become one Split: the columns of boxes, the gates of a
 * cell, the classes of a detector. */
#include <stdlib.h>

#include "base/budget.h"
#include "onnx/pass/rewrite.h"
#include "onnx/tensor/bytes.h"

struct part {
    struct ox_node *slice;
    int64_t start, end, axis, size; /* of the axis */
};

/* The only number of a constant vector. */
static bool number(const struct ox_model *m, ox_val x, int64_t *out)
{
    const struct ox_tensor *t = m->values[x].tensor;
    return t && t->dtype == MX_INT64 && t->dims[0] == 1 && ox_tensor_in_memory(t) && ox_tensor_read(t, out) == MX_OK;
}

/* What a Slice takes of an axis whose size is a number; false if it takes several axes, steps, or nothing. */
static bool read_part(const struct ox_model *m, struct ox_node *n, struct part *p)
{
    const struct mx_shape s = m->values[n->in[0]].shape;
    int64_t step = 1;
    if (n->n_in < 4 || !number(m, n->in[1], &p->start) || !number(m, n->in[2], &p->end) || !number(m, n->in[3], &p->axis)
        || (n->n_in > 4 && !number(m, n->in[4], &step)) || step != 1) {
        return false;
    }
    p->axis = mx_wrap(p->axis, s.ndim);
    if (p->axis < 0 || p->axis >= s.ndim || !mx_dim_known(m->dims, s.dims[p->axis], &p->size)) {
        return false;
    }
    const struct ox_part taken = ox_part_of((struct ox_range){p->start, p->end, 1}, p->size);
    p->slice = n;
    p->start = taken.start;
    p->end = taken.start + taken.count;
    return taken.count > 0;
}

static int by_start(const void *a, const void *b)
{
    const struct part *p = a, *q = b;
    return p->start < q->start ? -1 : p->start > q->start;
}

/* Sorts the parts; true if they follow each other along one axis from its beginning to its end. */
static bool divides(struct part *parts, int n)
{
    int64_t at = 0;
    qsort(parts, (size_t)n, sizeof *parts, by_start);
    for (int i = 0; i < n; at = parts[i++].end) {
        if (parts[i].axis != parts[0].axis || parts[i].start != at) {
            return false;
        }
    }
    return at == parts[0].size;
}

static int replace(struct ox_model *m, const struct part *parts, int n)
{
    struct ox_parts all = {.from = parts[0].slice->from, .axis = (int)parts[0].axis, .n = n};
    const ox_val x = parts[0].slice->in[0];
    all.sizes = MX_ARENA_ARRAY(&m->arena, int64_t, (size_t)n);
    all.results = MX_ARENA_ARRAY(&m->arena, ox_val, (size_t)n);
    MX_TRY_ALLOC(all.sizes && all.results);
    for (int i = 0; i < n; i++) {
        all.sizes[i] = parts[i].end - parts[i].start;
        all.results[i] = parts[i].slice->out[0];
    }
    MX_TRY(ox_write_split(m, x, &all));
    for (int i = 0; i < n; i++) {
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_ITEM));
        ox_remove_node(m, parts[i].slice);
    }
    return MX_OK;
}

static bool is_slice(const struct ox_model *m, const struct ox_node *n)
{
    (void)m;
    return ox_node_is(n, OX_Slice);
}

static int read_parts(struct ox_model *m, struct ox_node **slices, struct part *parts, int n)
{
    for (int i = 0; i < n; i++) {
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        if (!read_part(m, slices[i], &parts[i])) {
            return MX_OK;
        }
    }
    return divides(parts, n) ? replace(m, parts, n) : MX_OK;
}

static int join(struct ox_model *m, struct ox_node **slices, int n, void *user)
{
    (void)user;
    struct part *parts = mx_budget_array(m->arena.budget, NULL, 0, (size_t)n, sizeof *parts);
    const int status = parts ? read_parts(m, slices, parts, n) : MX_OUT_OF_MEMORY;
    mx_budget_array_free(m->arena.budget, parts, (size_t)n, sizeof *parts);
    return status;
}

int ox_join_slices(struct ox_model *m)
{
    return ox_each_siblings(m, is_slice, join, NULL);
}
