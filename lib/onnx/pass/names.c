/* Names of values and nodes, made unique. Those of inputs and outputs come from model/prepare.c, which has made them unique among
 * themselves. There are two name spaces; the first to claim a name keeps it: graph inputs, outputs, parameters, values of MXNet nodes, then
 * everything that the builder added. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/str.h"
#include "graph/graph.h"
#include "onnx/pass/pass.h"
#include "onnx/rules/rules.h"

struct names {
    struct ox_model *m;
    struct mx_map map; /* the names in use, first of values, then of nodes */
};

/* ---- unique names */

/* `wanted` is NULL if memory ran out. */
static int unique(struct names *t, const char *wanted, const char **out)
{
    MX_TRY_ALLOC(wanted);
    return mx_map_unique(&t->map, &t->m->arena, wanted, out);
}

static int claim_helper(struct names *t, ox_val v, const char *wanted)
{
    t->m->values[v].named = true;
    return unique(t, wanted, &t->m->values[v].name);
}

/* A name that the user knows: a note is given if it changes. */
static int claim_known(struct names *t, ox_val v, const char *wanted, const char *what)
{
    MX_TRY(claim_helper(t, v, wanted));
    if (t->m->values[v].name != wanted) {
        mx_note(t->m->diags, mx_named(wanted), "the name is used twice, so this %s is called '%s' in the ONNX model", what,
                t->m->values[v].name);
    }
    return MX_OK;
}

/* ---- the order of claims */

static int claim_interface(struct names *t)
{
    const struct ox_graph *g = &t->m->main;
    for (int i = 0; i < g->n_inputs; i++) {
        MX_TRY(claim_known(t, g->inputs[i], t->m->values[g->inputs[i]].name, "input"));
    }
    for (int i = 0; i < g->n_outputs; i++) {
        MX_TRY(claim_known(t, g->outputs[i], g->output_names[i], "output"));
    }
    for (int i = 1; i < t->m->n_values; i++) {
        struct ox_value *v = &t->m->values[i];
        if (v->tensor && !v->dead && !v->folded && v->name) { /* no output: ox_finish gives one an Identity */
            v->is_param = true;
            MX_TRY(claim_known(t, i, v->name, "parameter"));
        }
    }
    return MX_OK;
}

/* The position of a tensor's first byte as a key; false if it is not in a file. */
static bool origin_of(const struct ox_tensor *t, char key[64])
{
    while (t->base || (t->n_pieces > 0 && t->pieces[0].kind == OX_PIECE_ROWS)) {
        t = t->base ? t->base : t->pieces[0].rows->of;
    }
    if (t->n_pieces == 0 || t->pieces[0].kind != OX_PIECE_RANGE) {
        return false;
    }
    const struct ox_piece *p = &t->pieces[0];
    snprintf(key, 64, "%" PRIxPTR " %" PRIx64, (uintptr_t)p->source, p->offset);
    return true;
}

static int list_origins(struct names *t, struct mx_map *origins)
{
    char key[64];
    for (int i = 1; i < t->m->n_values; i++) {
        struct ox_value *v = &t->m->values[i];
        if (v->tensor && v->dead && !v->folded && v->name && origin_of(v->tensor, key)) {
            const char *copy = mx_arena_strdup(&t->m->arena, key);
            MX_TRY_ALLOC(copy);
            MX_TRY(mx_map_set(origins, copy, v));
        }
    }
    return MX_OK;
}

/* A parameter that is used only transposed, reshaped or converted: the tensor that is written gets its name. */
static int claim_weights(struct names *t, const struct mx_map *origins)
{
    char key[64];
    for (int i = 1; i < t->m->n_values; i++) {
        const struct ox_value *v = &t->m->values[i];
        const bool open = v->tensor && !v->dead && !t->m->values[i].named;
        const struct ox_value *from = open && origin_of(v->tensor, key) ? mx_map_get(origins, key) : NULL;
        if (from && ox_tensor_bytes(from->tensor) / mx_dtype_size(from->dtype) == ox_tensor_bytes(v->tensor) / mx_dtype_size(v->dtype)) {
            MX_TRY(claim_helper(t, i, from->name));
        }
    }
    return MX_OK;
}

static int claim_moved_weights(struct names *t)
{
    struct mx_map origins = {.arena = {.budget = t->m->arena.budget}};
    int status = list_origins(t, &origins);
    if (status == MX_OK) {
        status = claim_weights(t, &origins);
    }
    mx_map_free(&origins);
    return status;
}

/* Calls fn for each node, and for those of bodies after the node that holds them. */
static int each_node(struct names *t, const struct ox_graph *g, int (*fn)(struct names *, struct ox_node *))
{
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(t->m->arena.budget, MX_TICK_NODE));
        MX_TRY(fn(t, g->nodes[i]));
        const struct ox_graph *body;
        for (int at = 0; (body = ox_next_body(g->nodes[i], &at)) != NULL;) {
            MX_TRY(each_node(t, body, fn));
        }
    }
    return MX_OK;
}

static int claim_wanted(struct names *t, struct ox_node *n)
{
    for (int k = 0; k < n->n_out; k++) {
        const ox_val x = n->out[k];
        if (!t->m->values[x].named && t->m->values[x].name) {
            MX_TRY(claim_known(t, x, t->m->values[x].name, "value"));
        }
    }
    return MX_OK;
}

/* The role of an input, used in the name of a constant there: pool0/pads. Not terminated by NUL. */
static const char *role_of(const struct ox_node *n, int input, int *length)
{
    const char *word = ox_schemas[n->op].roles;
    for (int i = 1; word && i < input; i++) {
        word = mx_next_word(word);
    }
    word = input > 0 && word ? word : "const";
    *length = (int)mx_word_length(word);
    return word;
}

/* "NODE/word", or the word alone for a value that belongs to no MXNet node. */
static const char *helper_name(struct names *t, const struct ox_node *n, const char *word)
{
    return n->from ? mx_arena_printf(&t->m->arena, "%s/%s", n->from->name, word) : mx_arena_strdup(&t->m->arena, word);
}

static const char *op_word(const struct ox_node *n, char word[64])
{
    const char *name = ox_node_type(n);
    size_t i = 0;
    for (; i < 63 && name[i]; i++) {
        word[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i]);
    }
    word[i] = 0;
    return word;
}

/* A constant that is the result of an MXNet node is named after it, any other after its first reader: pool0/pads. */
static const char *constant_name(struct names *t, const struct ox_node *n, int input)
{
    char word[64];
    int length;
    const struct ox_value *v = &t->m->values[n->in[input]];
    if (v->name) {
        return v->name;
    }
    const char *role = role_of(n, input, &length);
    return mx_arena_printf(&t->m->arena, "%s/%.*s", n->from ? n->from->name : op_word(n, word), length, role);
}

static int claim_constants(struct names *t, const struct ox_node *n)
{
    for (int k = 0; k < n->n_in; k++) {
        const ox_val x = n->in[k];
        if (t->m->values[x].named || !t->m->values[x].tensor) {
            continue;
        }
        MX_TRY(claim_helper(t, x, constant_name(t, n, k)));
    }
    return MX_OK;
}

static int claim_body_inputs(struct names *t, const struct ox_node *n)
{
    const struct ox_graph *body;
    for (int at = 0; (body = ox_next_body(n, &at)) != NULL;) {
        for (int i = 0; i < body->n_inputs; i++) {
            MX_TRY(claim_helper(t, body->inputs[i], helper_name(t, n, "in")));
        }
    }
    return MX_OK;
}

static int claim_outputs(struct names *t, const struct ox_node *n)
{
    char word[64];
    const char *base = NULL;
    for (int k = 0; k < n->n_out; k++) {
        const ox_val x = n->out[k];
        if (t->m->values[x].named) {
            continue;
        }
        base = base ? base : helper_name(t, n, op_word(n, word));
        MX_TRY_ALLOC(base);
        MX_TRY(claim_helper(t, x, n->n_out == 1 ? base : mx_arena_printf(&t->m->arena, "%s%d", base, k)));
    }
    return MX_OK;
}

static int claim_helpers(struct names *t, struct ox_node *n)
{
    MX_TRY(claim_constants(t, n));
    MX_TRY(claim_body_inputs(t, n));
    return claim_outputs(t, n);
}

/* ---- nodes */

static int claim_wanted_node(struct names *t, struct ox_node *n)
{
    if (!n->name && t->m->values[n->out[0]].is_output && !n->from) {
        n->name = t->m->values[n->out[0]].name; /* an Identity that only produces a head */
    }
    return n->name ? unique(t, n->name, &n->name) : MX_OK;
}

static int claim_helper_node(struct names *t, struct ox_node *n)
{
    char word[64];
    return n->name ? MX_OK : unique(t, helper_name(t, n, op_word(n, word)), &n->name);
}

static int name_values(struct names *t)
{
    MX_TRY(claim_interface(t));
    MX_TRY(claim_moved_weights(t));
    MX_TRY(each_node(t, &t->m->main, claim_wanted));
    return each_node(t, &t->m->main, claim_helpers);
}

static int name_nodes(struct names *t)
{
    MX_TRY(each_node(t, &t->m->main, claim_wanted_node));
    return each_node(t, &t->m->main, claim_helper_node);
}

int ox_names(struct ox_model *m)
{
    struct names t = {.m = m, .map = {.arena = {.budget = m->arena.budget}}};
    int status = name_values(&t);
    mx_map_free(&t.map); /* one map at a time: they are the largest structures in this step */
    if (status == MX_OK) {
        status = name_nodes(&t);
    }
    mx_map_free(&t.map);
    return status;
}
