/* The caller's handlers of operators. Programs set thousands of them, and may look at the model after each: what a look found is kept where
 * a handler changes only which operators are supported. */
#include "model/model.h"

#include <string.h>

#include "base/str.h"
#include "op/op.h"

/* ---- what they change of a look */

/* The uses of operators by their names. */
static int read_uses(struct mx_prepared *p, struct mx_map *uses)
{
    for (size_t i = 0; i < p->n_op_uses; i++) {
        MX_TRY(mx_map_set(uses, p->op_uses[i].name, &p->op_uses[i]));
    }
    return MX_OK;
}

static int read_node(mx2onnx_model *m, const struct mx_node *n, struct mx_op_use *use)
{
    const char *name = mx_custom_name(n);
    const struct mx_custom *custom = mx_custom_called(&m->choices.customs, name);
    struct mx_unresolved *u = mx_map_get(&m->prepared.unresolved, name);
    if (custom && custom->lower) { /* of a body, which canon has not come to */
        return MX_OK;
    }
    if (!u) {
        u = MX_ARENA_NEW(&m->prepared.arena, struct mx_unresolved);
        MX_TRY_ALLOC(u);
        *u = (struct mx_unresolved){.use = use};
        MX_TRY(mx_map_set(&m->prepared.unresolved, name, u));
    }
    m->prepared.fixed = m->prepared.fixed || u->use != use; /* an operator has the name of another's op_type */
    u->count++;
    return MX_OK;
}

/* The nodes without an operator, in bodies too. */
static int read_unresolved(mx2onnx_model *m, const struct mx_graph *g, const struct mx_map *uses)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        if (!n->op && !mx_is_variable(n)) {
            MX_TRY(read_node(m, n, uses ? mx_map_get(uses, n->op_name) : NULL));
        }
        for (int k = 0; k < n->n_subgraphs; k++) {
            MX_TRY(read_unresolved(m, n->subgraphs[k], NULL));
        }
    }
    return MX_OK;
}

int mx_model_read_unresolved(mx2onnx_model *m)
{
    struct mx_map uses = {.arena = {.budget = &m->budget}};
    int status = read_uses(&m->prepared, &uses);
    status = status == MX_OK ? read_unresolved(m, m->prepared.graph, &uses) : status;
    m->prepared.unresolved_read = status == MX_OK;
    mx_map_free(&uses);
    return status;
}

/* The graph fails for another reason, or other operators are still unknown. *used: one of them is not any more. */
static bool still_fails(mx2onnx_model *m, const char *name, bool *used)
{
    if (!m->prepared.unresolved_read || m->prepared.fixed) {
        return false;
    }
    const struct mx_unresolved *u = mx_map_get(&m->prepared.unresolved, name);
    if (u && u->use) {
        u->use->unsupported -= u->count;
    }
    *used = u;
    if (u) {
        mx_map_remove(&m->prepared.unresolved, name);
    }
    return !u || mx_map_count(&m->prepared.unresolved) > 0;
}

/* True if no node that a look resolved has this handler or would have it. */
static bool leaves_nodes(mx2onnx_model *m, const struct mx_custom *custom)
{
    const struct mx_prepared *p = &m->prepared;
    const struct mx_custom *old = mx_custom_called(&m->choices.customs, custom->name);
    const bool overrides = custom->infer && custom->overrides && mx_map_get(&m->ops, custom->name);
    return p->peeked && p->graph && p->graph->settled && !p->graph->keep_domain && !(old && old->used) && !overrides;
}

/* Brings what a look found up to date, or drops it. True if the handler is one of its nodes'. */
static bool look_again(mx2onnx_model *m, const struct mx_custom *custom)
{
    bool used = false;
    if (custom->name && leaves_nodes(m, custom)
        && (m->prepared.graph->attached || !custom->infer || !custom->lower || still_fails(m, custom->name, &used))) {
        mx_model_chosen(m);
    } else {
        mx_model_changed(m);
    }
    return used;
}

/* ---- the handlers */

static void release(const struct mx_custom *custom)
{
    if (custom->release) {
        custom->release(custom->user);
    }
}

static void take_back(struct mx_customs *customs, struct mx_custom *custom)
{
    const struct mx_custom old = *custom;
    if (old.infer) {
        *custom = (struct mx_custom){.name = old.name, .next = old.next, .all = customs};
        customs->count--;
        release(&old);
    }
}

void mx_model_free_customs(mx2onnx_model *m)
{
    for (struct mx_custom *c = m->choices.customs.first; c; c = c->next) {
        take_back(&m->choices.customs, c);
    }
    mx_map_free(&m->choices.customs.by_name);
}

/* The place of the handler of a name, which may be empty. */
static int need_place(mx2onnx_model *m, const char *name, struct mx_custom **place)
{
    struct mx_customs *customs = &m->choices.customs;
    *place = mx_map_get(&customs->by_name, name);
    if (*place) {
        return MX_OK;
    }
    struct mx_custom *c = MX_ARENA_NEW(&m->arena, struct mx_custom);
    MX_TRY_ALLOC(c);
    *c = (struct mx_custom){.name = mx_arena_strdup(&m->arena, name), .all = customs};
    MX_TRY_ALLOC(c->name);
    MX_TRY(mx_map_set(&customs->by_name, c->name, c));
    *(customs->last ? &customs->last->next : &customs->first) = c;
    customs->last = *place = c;
    return MX_OK;
}

static int put(mx2onnx_model *m, const struct mx_custom *custom, bool used)
{
    struct mx_customs *customs = &m->choices.customs;
    struct mx_custom *place;
    MX_TRY(need_place(m, custom->name, &place));
    const struct mx_custom old = *place;
    *place = *custom;
    place->name = old.name;
    place->next = old.next;
    place->all = customs;
    place->used = used;
    customs->count += !old.infer;
    if (old.infer) {
        release(&old);
    }
    return MX_OK;
}

int mx_model_set_custom(mx2onnx_model *m, const struct mx_custom *custom)
{
    struct mx_customs *customs = &m->choices.customs;
    m->budget.next = UINT64_MAX; /* short work: the progress function is not asked, whose answer would be too late for the handler */
    const bool used = look_again(m, custom);
    const int status = custom->infer ? put(m, custom, used) : MX_OK;
    struct mx_custom *gone = !custom->infer && custom->name ? mx_map_get(&customs->by_name, custom->name) : NULL;
    if (gone) {
        take_back(customs, gone);
    }
    for (struct mx_custom *c = custom->name ? NULL : customs->first; c; c = c->next) {
        take_back(customs, c);
    }
    if (status != MX_OK || !custom->infer) {
        release(custom);
    }
    return status;
}

/* ---- handlers without a node */

/* The names under which nodes, also those of bodies, have a handler. */
static int read_called(mx2onnx_model *m, const struct mx_graph *g, struct mx_map *called)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        if (!mx_is_variable(n)) {
            MX_TRY(mx_map_set(called, n->op_name, n));
            MX_TRY(n->op ? mx_map_set(called, n->op->name, n) : mx_map_set(called, mx_custom_name(n), n));
        }
        for (int k = 0; k < n->n_subgraphs; k++) {
            MX_TRY(read_called(m, n->subgraphs[k], called));
        }
    }
    return MX_OK;
}

/* The operator of the model most like this name, if one is near. Each operator is compared at its last node. */
static const char *nearest_operator(mx2onnx_model *m, const struct mx_map *called, const char *name)
{
    const struct mx_graph *g = m->loaded.graph;
    const char *nearest = NULL;
    size_t least = strlen(name) / 3 + 2;
    for (int i = 0; i < g->n_nodes && mx_tick(&m->budget, MX_TICK_NODE) == MX_OK; i++) {
        const char *other = mx_is_variable(g->nodes[i]) ? NULL : g->nodes[i]->op ? g->nodes[i]->op_name : mx_custom_name(g->nodes[i]);
        const bool last = other && mx_map_get(called, other) == g->nodes[i];
        const size_t distance = last ? mx_distance(name, other) : least;
        if (distance < least) {
            least = distance;
            nearest = other;
        }
    }
    return nearest;
}

static int note_handlers(mx2onnx_model *m, struct mx_map *called)
{
    enum { NAMED = 3 };
    struct mx_str names = {.budget = &m->budget};
    const char *nearest = NULL;
    size_t count = 0;
    int status = read_called(m, m->loaded.graph, called);
    for (const struct mx_custom *c = m->choices.customs.first; c && status == MX_OK; c = c->next) {
        status = mx_tick(&m->budget, MX_TICK_ITEM);
        if (!c->infer || c->used || mx_map_get(called, c->name)) {
            continue;
        }
        if (count < NAMED) {
            mx_str_printf(&names, "%s'%s'", count > 0 ? ", " : "", c->name);
            nearest = nearest ? nearest : nearest_operator(m, called, c->name);
        }
        count++;
    }
    if (count > 0 && status == MX_OK && !names.failed) {
        mx_note(&m->diags, MX_NOWHERE, "the model has no node for %zu of the handlers: %s%s" MX_HELP "%s%s%s", count, names.text,
                count > NAMED ? ", ..." : "", nearest ? "its nearest operator is '" : "", nearest ? nearest : "", nearest ? "'" : "");
    }
    status = status == MX_OK && names.failed ? MX_OUT_OF_MEMORY : status;
    mx_str_free(&names);
    MX_TRY(mx_budget_status(&m->budget));
    return status;
}

int mx_model_note_handlers(mx2onnx_model *m)
{
    if (!m->choices.customs.first) {
        return MX_OK;
    }
    struct mx_map called = {.arena = {.budget = &m->budget}};
    const int status = note_handlers(m, &called);
    mx_map_free(&called);
    return status;
}
