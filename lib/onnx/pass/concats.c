/* A Concat that only Concats along the same axis read becomes part of them: Concat(a, Concat(b, c)) is Concat(a, b, c). */
#include "base/alloc.h"
#include "base/budget.h"
#include "onnx/pass/rewrite.h"

/* The most inputs of a Concat that becomes part of one other, or of several. Both limit how often inputs are copied: in a chain of n
 * Concats each one copies the inputs of those before it, and if each is read twice the last one has 2^n inputs. */
enum { MOST = 64, MOST_SHARED = 4 };

struct concats {
    int *reads; /* for each value, the Concats that read it and could take its producer in */
    bool any;
};

static int64_t axis_of(const struct ox_model *m, const struct ox_node *concat)
{
    return mx_wrap(ox_attr_int(concat->attrs, "axis", 0), m->values[concat->out[0]].shape.ndim);
}

/* The Concat that makes x, an input of the Concat n along the same axis; NULL if something else does. */
static const struct ox_node *part(const struct ox_model *m, const struct ox_node *n, ox_val x)
{
    const struct ox_value *v = &m->values[x];
    return ox_made_in(v, n->graph) && ox_node_is(v->producer, OX_Concat) && axis_of(m, v->producer) == axis_of(m, n)
                   && v->producer->n_in <= (v->uses == 1 ? MOST : MOST_SHARED)
               ? v->producer
               : NULL;
}

static int count(struct ox_model *m, struct ox_graph *g, void *user)
{
    struct concats *c = user;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        for (int k = 0; ox_node_is(n, OX_Concat) && k < n->n_in; k++) {
            const bool fits = part(m, n, n->in[k]) != NULL;
            c->reads[n->in[k]] += fits;
            c->any = c->any || fits;
        }
    }
    return MX_OK;
}

/* The Concat that becomes part of n in the place of its input k; NULL: none. */
static const struct ox_node *joined(const struct ox_model *m, const struct ox_node *n, int k, const struct concats *c)
{
    const ox_val x = n->in[k];
    return c->reads[x] == m->values[x].uses ? part(m, n, x) : NULL;
}

static int join(struct ox_model *m, struct ox_node *n, const struct concats *c)
{
    int n_all = 0;
    for (int k = 0; k < n->n_in; k++) {
        const struct ox_node *p = joined(m, n, k, c);
        n_all += p ? p->n_in : 1;
    }
    if (n_all == n->n_in) {
        return MX_OK;
    }
    ox_val *all = MX_ARENA_ARRAY(&m->arena, ox_val, (size_t)n_all);
    MX_TRY_ALLOC(all);
    n_all = 0;
    for (int k = 0; k < n->n_in; k++) {
        const struct ox_node *p = joined(m, n, k, c);
        const ox_val *in = p ? p->in : &n->in[k];
        for (int i = 0; i < (p ? p->n_in : 1); i++) {
            all[n_all++] = in[i];
        }
    }
    n->in = all;
    n->n_in = n_all;
    return MX_OK;
}

static int join_all(struct ox_model *m, struct ox_graph *g, void *user)
{
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        MX_TRY(ox_node_is(g->nodes[i], OX_Concat) ? join(m, g->nodes[i], user) : MX_OK);
    }
    return MX_OK;
}

int ox_join_concats(struct ox_model *m)
{
    struct concats c = {.reads = mx_calloc((size_t)m->n_values, sizeof *c.reads)};
    MX_TRY_ALLOC(c.reads);
    int status = ox_each_graph(m, count, &c);
    if (status == MX_OK && c.any) {
        status = ox_each_graph(m, join_all, &c);
    }
    mx_free(c.reads);
    MX_TRY(status);
    return c.any ? ox_count_reads(m) : MX_OK;
}
