/* A Concat that only Concats along the same axis read becomes part of them. */
#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/pass/rewrite.h"

enum { MOST = 4 }; /* inputs of a Concat that becomes part of several: each level of Concats read twice doubles them */

static int64_t axis_of(const struct ox_model *m, const struct ox_node *concat)
{
    const int64_t axis = ox_attr_int(concat->attrs, "axis", 0);
    const int rank = m->values[concat->out[0]].shape.ndim;
    return axis < 0 && rank > 0 ? axis + rank : axis;
}

/* The Concat that makes x, an input of the Concat n along the same axis; NULL if something else does. */
static const struct ox_node *part(const struct ox_model *m, const struct ox_node *n, ox_val x)
{
    const struct ox_value *v = &m->values[x];
    return ox_made_in(v, &m->main) && !v->is_output && ox_node_is(v->producer, OX_Concat) && axis_of(m, v->producer) == axis_of(m, n)
                   && (v->uses == 1 || v->producer->n_in <= MOST)
               ? v->producer
               : NULL;
}

/* Counts for each value the Concats of which it could become part. */
static bool count(const struct ox_model *m, int *reads)
{
    bool any = false;
    for (int i = 0; i < m->main.n_nodes; i++) {
        const struct ox_node *n = m->main.nodes[i];
        for (int k = 0; ox_node_is(n, OX_Concat) && k < n->n_in; k++) {
            const bool fits = part(m, n, n->in[k]) != NULL;
            reads[n->in[k]] += fits;
            any = any || fits;
        }
    }
    return any;
}

/* The Concat that becomes part of n in the place of its input k; NULL: none. */
static const struct ox_node *joined(const struct ox_model *m, const struct ox_node *n, int k, const int *reads)
{
    const ox_val x = n->in[k];
    return reads[x] == m->values[x].uses ? part(m, n, x) : NULL;
}

static int join(struct ox_model *m, struct ox_node *n, const int *reads)
{
    int n_all = 0;
    for (int k = 0; k < n->n_in; k++) {
        const struct ox_node *p = joined(m, n, k, reads);
        n_all += p ? p->n_in : 1;
    }
    if (n_all == n->n_in) {
        return MX_OK;
    }
    ox_val *all = MX_ARENA_ARRAY(&m->arena, ox_val, (size_t)n_all);
    MX_TRY_ALLOC(all);
    n_all = 0;
    for (int k = 0; k < n->n_in; k++) {
        const struct ox_node *p = joined(m, n, k, reads);
        const ox_val *in = p ? p->in : &n->in[k];
        for (int i = 0; i < (p ? p->n_in : 1); i++) {
            all[n_all++] = in[i];
        }
    }
    n->in = all;
    n->n_in = n_all;
    return MX_OK;
}

int ox_join_concats(struct ox_model *m)
{
    int *reads = mx_calloc((size_t)m->n_values, sizeof *reads);
    MX_TRY_ALLOC(reads);
    int status = MX_OK;
    const bool any = count(m, reads);
    for (int i = 0; any && i < m->main.n_nodes && status == MX_OK; i++) {
        struct ox_node *n = m->main.nodes[i];
        status = mx_tick(m->arena.budget, MX_TICK_NODE);
        if (status == MX_OK && ox_node_is(n, OX_Concat)) {
            status = join(m, n, reads);
        }
    }
    mx_free(reads);
    MX_TRY(status);
    return any ? ox_count_reads(m) : MX_OK;
}
