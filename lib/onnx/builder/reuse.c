/* A node that exists already is not written again: one Shape chain, one mask, one split of a projection serve all their readers. MXNet
 * does the same when it binds a graph. */
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "onnx/builder/internal.h"
#include "onnx/rules/rows.h"

const void *ox_attr_bytes(const struct ox_attr *a, size_t *size)
{
    switch (a->kind) {
    case OX_A_STRING: *size = strlen(a->s) + 1; return a->s;
    case OX_A_INTS:
    case OX_A_FLOATS: *size = a->n > 0 ? (size_t)a->n * 8 : 0; return a->v;
    case OX_A_FLOAT: *size = sizeof a->f; return &a->f;
    case OX_A_INT:
    case OX_A_DTYPE: *size = sizeof a->i; return &a->i;
    case OX_A_STRINGS: /* same_attr compares them */ *size = sizeof a->n; return &a->n;
    case OX_A_GRAPH:
    case OX_A_END: break;
    }
    *size = 0;
    return NULL;
}

static uint64_t mix_attr(uint64_t h, const struct ox_attr *a)
{
    size_t size;
    const void *bytes = ox_attr_bytes(a, &size);
    return mx_mix_bytes(mx_mix_bytes(mx_mix(h, (uint64_t)a->kind), a->name, strlen(a->name) + 1), bytes, size);
}

/* Includes the graph: otherwise nodes of finished bodies would collide with each other. */
static uint32_t hash_of(const struct ox_call *c, const struct ox_graph *g)
{
    uint64_t h = mx_mix((uint64_t)(uintptr_t)g, (uint64_t)c->op);
    h = mx_mix(mx_mix(h, (uint64_t)c->n_in), (uint64_t)c->n_out);
    for (int i = 0; i < c->n_in; i++) {
        h = mx_mix(h, (uint64_t)c->in[i]);
    }
    for (int i = 0; i < c->n_attrs; i++) {
        h = mix_attr(h, &c->attrs[i]);
    }
    return (uint32_t)(h >> 32);
}

static bool same_strings(const struct ox_attr *a, const struct ox_attr *b)
{
    const char *const *x = a->v;
    const char *const *y = b->v;
    for (int i = 0; i < a->n; i++) {
        if (strcmp(x[i], y[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* A body belongs to one node. */
static bool same_attr(const struct ox_attr *a, const struct ox_attr *b)
{
    if (a->kind != b->kind || a->kind == OX_A_GRAPH || strcmp(a->name, b->name) != 0) {
        return false;
    }
    size_t size, other;
    const void *x = ox_attr_bytes(a, &size), *y = ox_attr_bytes(b, &other);
    return size == other && (size == 0 || memcmp(x, y, size) == 0) && (a->kind != OX_A_STRINGS || same_strings(a, b));
}

bool ox_same_attrs(const struct ox_call *c, const struct ox_attr *attrs)
{
    int i = 0;
    while (i < c->n_attrs && attrs && same_attr(&c->attrs[i], &attrs[i])) {
        i++; /* the end of attrs differs in kind from every attribute */
    }
    return i == c->n_attrs && (!attrs || attrs[i].kind == OX_A_END);
}

static bool same_node(const struct ox_call *c, const struct ox_node *n)
{
    if (n->op != c->op || n->n_in != c->n_in || n->n_out != c->n_out
        || (c->n_in > 0 && memcmp(n->in, c->in, (size_t)c->n_in * sizeof *c->in) != 0)) {
        return false;
    }
    return ox_same_attrs(c, n->attrs);
}

/* True if one such node can replace two: not if each draws its own random numbers, or if it serves to give a value a second name. */
static bool reusable(const struct ox_call *c)
{
    return !c->schema->distinct && !c->schema->seed;
}

/* The slot of a value of `g` that equals what `c` would write, or else a free slot. If `c` is NULL, a free slot. */
static struct ox_written *place_of(const struct ox_build *b, const struct ox_call *c, const struct ox_graph *g, uint32_t hash)
{
    const size_t mask = b->cap_written - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct ox_written *w = &b->written[i];
        if (w->value == OX_NONE) {
            return w;
        }
        if (c && ox_made_in(ox_value_of(b->model, w->value), g) && same_node(c, ox_value_of(b->model, w->value)->producer)) {
            return w;
        }
    }
}

static bool make_room(struct ox_build *b)
{
    if (4 * (b->n_written + 1) <= 3 * b->cap_written) {
        return true;
    }
    struct ox_build grown = *b;
    grown.cap_written = b->cap_written ? 2 * b->cap_written : 64;
    grown.written = mx_budget_array(b->model->arena.budget, NULL, 0, grown.cap_written, sizeof *grown.written);
    if (!grown.written) {
        ox_oom(b);
        return false;
    }
    for (size_t i = 0; i < b->cap_written; i++) {
        if (b->written[i].value != OX_NONE) {
            *place_of(&grown, NULL, NULL, b->written[i].hash) = b->written[i];
        }
    }
    mx_budget_array_free(b->model->arena.budget, b->written, b->cap_written, sizeof *b->written);
    b->written = grown.written;
    b->cap_written = grown.cap_written;
    return true;
}

bool ox_reuse(struct ox_call *c, ox_val *out)
{
    if (c->b->n_written == 0 || !reusable(c)) {
        return false;
    }
    for (const struct ox_graph *g = c->b->graph; g; g = g->outer) {
        const struct ox_written *w = place_of(c->b, c, g, hash_of(c, g));
        if (w->value != OX_NONE) {
            const struct ox_node *n = ox_value_of(c->b->model, w->value)->producer;
            memcpy(out, n->out, (size_t)n->n_out * sizeof *out);
            return true;
        }
    }
    return false;
}

void ox_may_reuse(struct ox_call *c, ox_val out)
{
    struct ox_build *b = c->b;
    if (ox_failed(b) || out == OX_NONE || !reusable(c) || !make_room(b)) {
        return;
    }
    const uint32_t hash = hash_of(c, ox_value_of(b->model, out)->producer->graph);
    *place_of(b, NULL, NULL, hash) = (struct ox_written){.hash = hash, .value = out};
    b->n_written++;
}
