/* Upgrades that MXNet applies to graphs of older versions when loading them: src/nnvm/legacy_json_util.cc. */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/str.h"
#include "op/registry.h"
#include "read/symbol.h"

struct upgrade {
    struct mx_graph *graph;
    struct mx_node **added; /* variables for missing inputs */
    size_t n_added, capacity;
};

struct step;
typedef int step_fn(struct upgrade *u, struct mx_node *n, const struct step *step);

/* A step applies to graphs below a version, and there to the listed operators (separated by blanks) or to all. */
struct step {
    int below;
    const char *operators;
    step_fn *apply;
    const char *key, *text; /* for drop_attr */
};

static step_fn hide_keys, add_inputs, drop_attr;

static const struct step steps[] = {
    {INT_MAX, NULL, hide_keys, NULL, NULL},          /* UpgradeJSON_FixParsing */
    {900, NULL, add_inputs, NULL, NULL},             /* UpgradeJSON_000800_000900 */
    {905, "argmax argmin", drop_attr, "axis", "-1"}, /* UpgradeJSON_000904_000905 */
};

/* ---- attributes */

static int drop_attr(struct upgrade *u, struct mx_node *n, const struct step *step)
{
    int kept = 0;
    for (int i = 0; i < n->n_attr_text; i++) {
        const struct mx_attr_text a = n->attr_text[i];
        n->attr_text[kept] = a;
        kept += strcmp(a.key, step->key) != 0 || strcmp(a.text, step->text) != 0;
    }
    n->n_attr_text = kept;
    return MX_OK;
}

/* Replaces an attribute with the same key. The attribute set last is at the end, where the next search begins: many nodes may hint at
 * one variable. */
static int set_attr(struct upgrade *u, struct mx_node *n, const char *key, const char *text)
{
    int i = n->n_attr_text - 1;
    while (i >= 0 && strcmp(n->attr_text[i].key, key) != 0) {
        i--;
    }
    if (i >= 0) {
        n->attr_text[i] = n->attr_text[n->n_attr_text - 1];
        n->attr_text[n->n_attr_text - 1] = (struct mx_attr_text){key, text};
        return MX_OK;
    }
    return mx_node_add_attr(u->graph->arena, n, key, text);
}

/* ---- keys that are hidden today and were not before 0.9 */

static const struct {
    const char *key, *hidden;
} hidden_keys[] = {
    {"ctx_group", "__ctx_group__"},       {"lr_mult", "__lr_mult__"},
    {"wd_mult", "__wd_mult__"},           {"force_mirroring", "__force_mirroring__"},
    {"mirror_stage", "__mirror_stage__"},
};

/* KEY becomes __KEY__; INPUT_KEY becomes __KEY__ of the variable that feeds the input. *gone is set if the attribute was moved. */
static int hide_key(struct upgrade *u, const struct mx_node *n, struct mx_attr_text *attr, bool *gone)
{
    const size_t length = strlen(attr->key);
    size_t k = 0;
    while (k < sizeof hidden_keys / sizeof *hidden_keys && !mx_ends_with(attr->key, hidden_keys[k].key)) {
        k++;
    }
    if (k == sizeof hidden_keys / sizeof *hidden_keys) {
        return MX_OK;
    }
    const size_t key_length = strlen(hidden_keys[k].key);
    if (length == key_length) {
        attr->key = hidden_keys[k].hidden;
        return MX_OK;
    }
    const size_t prefix = length - key_length - 1;
    const int i = n->op && attr->key[prefix] == '_' ? mx_op_input_called(n->op, attr->key, prefix) : -1;
    if (i < 0 || i >= n->n_in || !mx_is_variable(n->in[i].node)) {
        return MX_OK;
    }
    *gone = true;
    return set_attr(u, n->in[i].node, hidden_keys[k].hidden, attr->text);
}

static int hide_keys(struct upgrade *u, struct mx_node *n, const struct step *step)
{
    int kept = 0;
    for (int i = 0; i < n->n_attr_text; i++) {
        bool gone = false;
        MX_TRY(mx_tick(u->graph->arena->budget, MX_TICK_VALUE));
        MX_TRY(hide_key(u, n, &n->attr_text[i], &gone));
        n->attr_text[kept] = n->attr_text[i];
        kept += !gone;
    }
    n->n_attr_text = kept;
    return MX_OK;
}

/* ---- inputs that 0.8 did not store */

/* The number of inputs that the node requires, -1 if unknown. Its attributes are read without error messages: canon reports what is
 * wrong with them. */
static int wanted_inputs(const struct upgrade *u, const struct mx_node *n, int *wanted)
{
    const void *attrs = NULL;
    struct mx_diags ignored = {0};
    int status = MX_OK;
    if (n->op->attrs && mx_op_inputs_vary(n->op)) {
        status = mx_attrs_parse(n, u->graph->arena, &ignored, &attrs);
    }
    mx_diags_free(&ignored);
    *wanted = status == MX_OK ? mx_op_n_inputs(n->op, attrs) : -1;
    return status == MX_OUT_OF_MEMORY ? status : MX_OK;
}

static int push_added(struct upgrade *u, struct mx_node *n)
{
    MX_TRY(mx_grow(NULL, &u->added, u->n_added, &u->capacity, sizeof(struct mx_node *)));
    u->added[u->n_added++] = n;
    return MX_OK;
}

static int add_variable(struct upgrade *u, const struct mx_node *n, int input, struct mx_node **out)
{
    char name[64];
    mx_op_input_name(n->op, input, name);
    struct mx_node *variable = MX_ARENA_NEW(u->graph->arena, struct mx_node);
    MX_TRY_ALLOC(variable);
    variable->op_name = "null";
    variable->name = n->name[0] ? mx_arena_printf(u->graph->arena, "%s_%s", n->name, name) : mx_arena_strdup(u->graph->arena, name);
    MX_TRY_ALLOC(variable->name);
    *out = variable;
    return push_added(u, variable);
}

/* In files of 0.7 and 0.8 these are the auxiliary states, but the rule applies to all trailing inputs. */
static int add_inputs(struct upgrade *u, struct mx_node *n, const struct step *step)
{
    int wanted = -1;
    if (n->op) {
        MX_TRY(wanted_inputs(u, n, &wanted));
    }
    if (wanted <= n->n_in) {
        return MX_OK;
    }
    struct mx_entry *in = MX_ARENA_ARRAY(u->graph->arena, struct mx_entry, (size_t)wanted);
    MX_TRY_ALLOC(in);
    for (int i = 0; i < wanted; i++) {
        if (i < n->n_in) {
            in[i] = n->in[i];
        } else {
            MX_TRY(add_variable(u, n, i, &in[i].node));
        }
    }
    n->in = in;
    n->n_in = wanted;
    return MX_OK;
}

static int append_added(struct upgrade *u)
{
    struct mx_graph *g = u->graph;
    if (u->n_added == 0) {
        return MX_OK;
    }
    const size_t count = (size_t)g->n_nodes + u->n_added;
    struct mx_node **nodes = MX_ARENA_ARRAY(g->arena, struct mx_node *, count);
    MX_TRY_ALLOC(nodes && count <= INT_MAX);
    memcpy(nodes, g->nodes, (size_t)g->n_nodes * sizeof *nodes);
    for (size_t i = 0; i < u->n_added; i++) {
        u->added[i]->id = g->n_nodes + (int)i;
        nodes[(size_t)g->n_nodes + i] = u->added[i];
    }
    g->nodes = nodes;
    g->n_nodes = (int)count;
    u->n_added = 0;
    return MX_OK;
}

/* ---- the walk */

static int resolve(struct mx_graph *g, const struct mx_map *ops)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        if (!mx_is_variable(n)) {
            n->op = mx_map_get(ops, n->op_name);
        }
        for (int k = 0; k < n->n_subgraphs; k++) {
            MX_TRY(resolve(n->subgraphs[k], ops));
        }
    }
    return MX_OK;
}

static int apply(struct upgrade *u, const struct step *step)
{
    for (int i = 0; i < u->graph->n_nodes; i++) {
        struct mx_node *n = u->graph->nodes[i];
        MX_TRY(mx_tick(u->graph->arena->budget, MX_TICK_NODE));
        if (!step->operators || mx_word_index(step->operators, n->op ? n->op->name : n->op_name) >= 0) {
            MX_TRY(step->apply(u, n, step));
        }
    }
    return append_added(u);
}

/* Only the top graph is upgraded: MXNet reads subgraphs, which were added in 1.3, by its newest rules. */
int mx_graph_upgrade(struct mx_graph *g, const struct mx_map *ops)
{
    struct upgrade u = {.graph = g};
    int status = resolve(g, ops);
    for (size_t i = 0; status == MX_OK && i < sizeof steps / sizeof *steps; i++) {
        if (g->version < steps[i].below) {
            status = apply(&u, &steps[i]);
        }
    }
    mx_free(u.added);
    return status;
}
