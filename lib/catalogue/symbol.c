/* Makes the graph of a net: as the reader of symbols would make it of the file that MXNet writes for that net. */
#include <limits.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "catalogue/catalogue.h"

enum {
    MAX_NODES = 1 << 17, /* limit: nodes of a symbol of the catalogue */
    MAX_TEXT = 1 << 20,  /* limit: bytes of an attribute in such a symbol */
    WORK = 32,           /* per byte of a text */
};

struct maker {
    const struct mx_matcher *m;
    const struct mx_net *net;
    enum mx_naming naming;
    struct mx_sizes sizes; /* and the turn */
    struct mx_walk w;
    size_t count;          /* number of turns of the block */
    struct mx_graph *g;    /* or one of its subgraphs */
    struct mx_node *nodes; /* of that graph */
    size_t made, inputs;
};

static int cannot_be_made(const struct maker *x)
{
    return mx_fail(x->m->c->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                   "the net '%s' cannot be made with these sizes" MX_HELP "choose a crop that is a multiple of 8 (usually of 32)",
                   x->net->name);
}

static int damaged(const struct maker *x)
{
    return mx_catalogue_damaged(x->m->c);
}

/* ---- where nodes are */

static bool is_inside(const struct mx_walk *w, size_t place)
{
    return place >= w->start && place < w->start + w->length;
}

/* The index of the node in the graph. */
static size_t node_at(const struct maker *x, size_t place, size_t turn)
{
    const struct mx_walk *w = &x->w;
    if (w->length == 0 || place < w->start) {
        return place;
    }
    return is_inside(w, place) ? place + turn * w->length : place + w->length * x->count - w->length;
}

/* ---- texts */

/* The text of some strings of the catalogue, one after the other, with their numbers filled in. */
static int make_text(const struct maker *x, const uint32_t *strings, uint32_t n, const char **out)
{
    struct mx_arena *arena = x->g->arena;
    struct mx_str text = {.budget = arena->budget};
    int status = mx_tick(arena->budget, MX_TICK_VALUE);
    for (uint32_t i = 0; i < n && status == MX_OK; i++) {
        const struct mx_piece *string = &x->m->c->strings[strings[i]];
        status = mx_net_text(&text, *string, &x->sizes) ? mx_tick(arena->budget, WORK * (uint64_t)string->length) : cannot_be_made(x);
    }
    const char *made = text.text ? text.text : "";
    if (status == MX_OK && !text.failed) {
        status = text.length <= MAX_TEXT && strlen(made) == text.length && mx_is_utf8(made) ? MX_OK : damaged(x);
    }
    *out = status == MX_OK && !text.failed ? mx_arena_strdup(arena, made) : NULL;
    mx_str_free(&text);
    return status == MX_OK && !*out ? MX_OUT_OF_MEMORY : status;
}

static int make_attrs(const struct maker *x, const struct mx_kind *kind, struct mx_node *n)
{
    n->attr_text = MX_ARENA_ARRAY(x->g->arena, struct mx_attr_text, kind->n_attrs);
    MX_TRY_ALLOC(n->attr_text);
    for (uint32_t i = 0; i < kind->n_attrs; i++) {
        struct mx_attr_text *attr = &n->attr_text[i];
        MX_TRY(make_text(x, &kind->attrs[2 * i], 1, &attr->key));
        MX_TRY(make_text(x, &kind->attrs[2 * i + 1], 1, &attr->text));
        n->n_attr_text++;
    }
    return MX_OK;
}

/* ---- references */

struct entries {
    struct mx_entry *items;
    size_t count, capacity;
};

static int add_entry(const struct maker *x, struct entries *e, size_t node, uint32_t output)
{
    if (node >= x->made || output > INT_MAX || e->count >= INT_MAX) {
        return damaged(x);
    }
    MX_TRY(mx_tick(x->g->arena->budget, MX_TICK_ITEM));
    MX_TRY(mx_grow(x->g->arena->budget, &e->items, e->count, &e->capacity, sizeof *e->items));
    e->items[e->count++] = (struct mx_entry){&x->nodes[node], (int)output};
    return MX_OK;
}

static int add_entries(const struct maker *x, struct mx_bytes *in, size_t place, size_t turn, struct entries *e)
{
    const bool inside = is_inside(&x->w, place);
    const size_t n = mx_bytes_count(in);
    for (size_t i = 0; i < n; i++) {
        const struct mx_reference r = mx_read_reference(in, place);
        const bool every = r.every && !inside && is_inside(&x->w, r.to);
        const bool absent = x->count == 0 && !every && is_inside(&x->w, r.to); /* the block is */
        if (in->failed || absent) {
            return damaged(x);
        }
        for (size_t t = 0; t < (every ? x->count : 1); t++) {
            MX_TRY(add_entry(x, e, node_at(x, r.to, every ? t : inside ? turn : 0), r.output));
        }
    }
    return MX_OK;
}

/* The inputs of the node at `place`, in turn `turn`, or the heads. */
static int make_entries(const struct maker *x, struct mx_bytes *in, size_t place, size_t turn, struct mx_entry **out, int *n)
{
    struct entries e = {0};
    int status = add_entries(x, in, place, turn, &e);
    if (status == MX_OK) {
        *out = mx_arena_copy(x->g->arena, e.items, e.count, sizeof *e.items);
        *n = (int)e.count;
        status = *out ? MX_OK : MX_OUT_OF_MEMORY;
    }
    mx_budget_array_free(x->g->arena->budget, e.items, e.capacity, sizeof *e.items);
    return status;
}

/* ---- nodes */

static int begin_graph(struct maker *x, size_t n)
{
    x->nodes = MX_ARENA_ARRAY(x->g->arena, struct mx_node, n);
    x->g->nodes = MX_ARENA_ARRAY(x->g->arena, struct mx_node *, n);
    x->made = 0;
    return x->nodes && x->g->nodes ? MX_OK : MX_OUT_OF_MEMORY;
}

static int begin_node(struct maker *x, struct mx_node **out)
{
    MX_TRY(mx_tick(x->g->arena->budget, MX_TICK_NODE));
    *out = x->g->nodes[x->made] = &x->nodes[x->made];
    (*out)->id = (int)x->made;
    return MX_OK;
}

static int make_subgraph_node(struct maker *x, struct mx_bytes *in)
{
    struct mx_node *n;
    const size_t place = x->made;
    const uint64_t first = mx_bytes_varint(in);
    MX_TRY(begin_node(x, &n));
    n->name = mx_arena_printf(x->g->arena, "%s%zu", first < 2 ? "input" : "node", place);
    MX_TRY_ALLOC(n->name);
    n->op_name = "null";
    if (first >= 2) {
        const size_t kind = (size_t)first - 2;
        if (first - 2 >= x->m->c->n_kinds) {
            return damaged(x);
        }
        MX_TRY(make_text(x, &x->m->c->kinds[kind].op, 1, &n->op_name));
        MX_TRY(make_attrs(x, &x->m->c->kinds[kind], n));
        MX_TRY(make_entries(x, in, place, 0, &n->in, &n->n_in));
    }
    x->made++;
    return in->failed ? damaged(x) : MX_OK;
}

/* The subgraph of a quantised node. Its nodes have no names in the file. */
static int make_subgraph(const struct maker *x, struct mx_bytes *in, struct mx_graph **out)
{
    struct maker inner = *x;
    const size_t n = mx_bytes_count(in);
    *out = inner.g = MX_ARENA_NEW(x->g->arena, struct mx_graph);
    MX_TRY_ALLOC(inner.g);
    *inner.g = (struct mx_graph){.arena = x->g->arena, .dims = x->g->dims, .diags = x->g->diags};
    inner.w.length = 0;
    MX_TRY(begin_graph(&inner, n));
    while (inner.made < n) {
        MX_TRY(make_subgraph_node(&inner, in));
    }
    inner.g->n_nodes = (int)n;
    return make_entries(&inner, in, n, 0, &inner.g->heads, &inner.g->n_heads);
}

static int make_operator(const struct maker *x, struct mx_node *n, size_t place, size_t turn)
{
    const struct mx_kind *kind = x->w.kind;
    struct mx_bytes in = x->w.references;
    MX_TRY(make_text(x, &kind->op, 1, &n->op_name));
    MX_TRY(make_text(x, x->w.name.parts, x->w.name.n, &n->name));
    MX_TRY(make_attrs(x, kind, n));
    MX_TRY(make_entries(x, &in, place, turn, &n->in, &n->n_in));
    n->subgraphs = MX_ARENA_ARRAY(x->g->arena, struct mx_graph *, kind->n_subgraphs);
    MX_TRY_ALLOC(n->subgraphs);
    for (uint32_t i = 0; i < kind->n_subgraphs; i++) {
        MX_TRY(make_subgraph(x, &in, &n->subgraphs[i]));
        n->n_subgraphs++;
    }
    return MX_OK;
}

/* The shape that the graph requires of an input, in MXNet's notation: 0 for any size. */
static int make_hint(struct maker *x, struct mx_node *n)
{
    const struct mx_net_shape *shape = x->inputs < x->net->n_inputs ? x->net->inputs[x->inputs].needed : NULL;
    struct mx_str text = {.budget = x->g->arena->budget};
    bool known = true;
    x->inputs++;
    if (!shape || shape->rank == 0) {
        return MX_OK;
    }
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t dim = 0;
        known &= mx_number_value(&shape->dims[i], &x->sizes, &dim);
        mx_str_printf(&text, "%s%lld", i > 0 ? ", " : "(", (long long)dim);
    }
    mx_str_append(&text, shape->rank == 1 ? ",)" : ")");
    const char *made = text.failed ? NULL : mx_arena_strdup(x->g->arena, text.text);
    mx_str_free(&text);
    n->attr_text = MX_ARENA_NEW(x->g->arena, struct mx_attr_text);
    MX_TRY_ALLOC(made && n->attr_text);
    n->attr_text[0] = (struct mx_attr_text){.key = "__shape__", .text = made};
    n->n_attr_text = 1;
    return known ? MX_OK : cannot_be_made(x);
}

static int make_variable(struct maker *x, struct mx_node *n, enum mx_walk_kind kind)
{
    char name[MX_NAME_MAX];
    n->op_name = "null";
    if (kind != MX_WALK_PARAM) {
        MX_TRY(make_text(x, x->w.name.parts, x->w.name.n, &n->name));
        return make_hint(x, n);
    }
    (void)mx_matcher_name(x->m, &x->w, x->naming, name);
    n->name = mx_arena_strdup(x->g->arena, name);
    MX_TRY_ALLOC(n->name);
    return mx_is_utf8(name) ? MX_OK : damaged(x);
}

static int make_node(struct maker *x, size_t turn)
{
    struct mx_node *n;
    const size_t place = x->w.place;
    const enum mx_walk_kind kind = mx_walk_next(&x->w);
    if (x->w.in.failed) {
        return damaged(x);
    }
    x->sizes.of[MX_SIZE_TURN] = (int64_t)turn;
    MX_TRY(begin_node(x, &n));
    MX_TRY(kind == MX_WALK_NODE ? make_operator(x, n, place, turn) : make_variable(x, n, kind));
    x->made++;
    return MX_OK;
}

static int make_block(struct maker *x)
{
    const struct mx_walk begin = x->w;
    for (size_t i = 0; x->count == 0 && i < begin.length; i++) {
        (void)mx_walk_next(&x->w);
    }
    for (size_t turn = 0; turn < x->count; turn++) {
        x->w = begin;
        for (size_t i = 0; i < begin.length; i++) {
            MX_TRY(make_node(x, turn));
        }
    }
    return x->w.in.failed ? damaged(x) : MX_OK;
}

static int make_graph(struct maker *x)
{
    MX_TRY(begin_graph(x, x->w.n_nodes + x->w.length * x->count - x->w.length));
    while (x->w.place < x->w.n_nodes) {
        MX_TRY(x->w.length > 0 && x->w.place == x->w.start ? make_block(x) : make_node(x, 0));
    }
    (void)mx_walk_next(&x->w); /* the part after the heads */
    struct mx_bytes heads = x->w.heads;
    x->g->n_nodes = (int)x->made;
    x->g->version = 10901;
    MX_TRY(make_entries(x, &heads, x->w.n_nodes, 0, &x->g->heads, &x->g->n_heads));
    return x->w.in.failed ? damaged(x) : MX_OK;
}

/* The number of turns of the block; false if it is not possible. */
static bool count_turns(struct maker *x)
{
    int64_t count = 1;
    if (x->w.length > 0 && (!mx_number_value(&x->w.count, &x->sizes, &count) || count < 0 || count > MAX_NODES)) {
        return false;
    }
    x->count = (size_t)count;
    return x->w.n_nodes + (uint64_t)x->w.length * x->count < MAX_NODES && x->w.n_nodes > (x->count == 0 ? x->w.length : 0);
}

int mx_net_symbol(const struct mx_matcher *m, const struct mx_net *net, enum mx_naming naming, const struct mx_sizes *sizes,
                  struct mx_graph *g)
{
    struct maker x = {.m = m, .net = net, .naming = naming, .sizes = *sizes, .g = g};
    (void)!mx_walk_begin(&x.w, m->c, net->graph); /* it has been compared with the file */
    if (!count_turns(&x)) {
        return mx_fail(m->c->diags, MX_TOO_LARGE, MX_NOWHERE, "the net '%s' cannot be made with these sizes" MX_HELP "choose smaller ones",
                       net->name);
    }
    return make_graph(&x);
}
