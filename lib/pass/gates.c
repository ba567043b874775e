/* Parameters of recurrent layers that a file has gate by gate. mx.rnn.save_rnn_checkpoint and do_rnn_checkpoint write them as the cells'
 * unpack_weights returns them (python/mxnet/rnn/rnn.py, rnn_cell.py). The matrix that the graph reads has the rows of one gate after those
 * of another, and the vector of a fused cell has all arrays one after the other, so the bytes of both are those of the file's arrays. */
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "graph/shape.h"
#include "pass/pass.h"

/* The gates of a cell, in the order of their rows. The last cell has a single one, whose arrays are whole. */
static const char *const cells[][5] = {{"_i", "_f", "_c", "_o", NULL}, {"_r", "_z", "_o", NULL}, {"", NULL}};

enum { MOST_LAYERS = 1024 }; /* of RNN (ops/rnn/rnn.c) */

/* The arrays of a variable's value, whose names begin with `stem`. */
struct parts {
    struct mx_params *params;
    const struct mx_map *choices; /* NULL: values are joined; otherwise what keeps them from that is said, but not of chosen inputs */
    const char *stem;
    size_t stem_length;
    struct mx_str name;     /* of the last one that was looked for */
    struct mx_param *found; /* NULL: no file has it */
    bool lacks;             /* then: the list ends before it */
    struct mx_param **list;
    size_t n, capacity;
};

/* ---- the arrays of the files */

static int find(struct parts *p, const char *array, const char *gate, const char *kind)
{
    mx_str_clear(&p->name);
    mx_str_append_bytes(&p->name, p->stem, p->stem_length);
    mx_str_printf(&p->name, "%s%s%s", array, gate, kind);
    MX_TRY_ALLOC(!p->name.failed);
    p->found = mx_params_of(p->params, p->name.text);
    p->found = p->found && p->found->parts ? NULL : p->found; /* joined for another variable */
    return mx_tick(p->name.budget, MX_TICK_NODE + p->name.length);
}

static int add_gates(struct parts *p, const char *array, const char *const *gates, const char *kind)
{
    for (; *gates && !p->lacks; gates++) {
        MX_TRY(find(p, array, *gates, kind));
        MX_TRY(mx_grow(p->name.budget, &p->list, p->n, &p->capacity, sizeof *p->list));
        p->lacks = !p->found;
        p->list[p->n] = p->found;
        p->n += !p->lacks;
    }
    return MX_OK;
}

/* "lstm_l0_i2h_weight" is "lstm_l0_i2h", a gate, and "_weight". */
static int list_rows(struct parts *p, const char *name, const char *const *gates)
{
    const char *kind = strrchr(name, '_');
    p->stem_length = (size_t)(kind - name);
    return add_gates(p, "", gates, kind);
}

/* "lstm_parameters" has weights, then biases, of layer after layer, in both directions. */
static int list_layers(struct parts *p, const char *name, const char *const *gates)
{
    static const char *const kinds[] = {"_weight", "_bias"};
    p->stem_length = strlen(name) - strlen("parameters");
    MX_TRY(find(p, "r0_i2h", gates[0], "_weight"));
    const int n_arrays = p->found ? 4 : 2;
    for (int k = 0; k < 2; k++) {
        for (int layer = 0; layer < MOST_LAYERS && !p->lacks; layer++) {
            char array[32];
            (void)snprintf(array, sizeof array, "l%d_i2h", layer);
            MX_TRY(find(p, array, gates[0], "_weight"));
            if (!p->found) {
                break;
            }
            for (int i = 0; i < n_arrays; i++) {
                (void)snprintf(array, sizeof array, "%c%d_%s", "llrr"[i], layer, i % 2 ? "h2h" : "i2h");
                MX_TRY(add_gates(p, array, gates, kinds[k]));
            }
        }
    }
    return MX_OK;
}

/* ---- one array of all */

/* The first part that does not fit to those before it; NULL: all do. */
static const struct mx_param *set_shape(const struct parts *p, bool is_vector, struct mx_param *all, int64_t *dims)
{
    const struct mx_param *first = p->list[0];
    all->dtype = first->dtype;
    all->ndim = is_vector ? 1 : first->ndim;
    all->dims = dims;
    for (size_t i = 0; i < p->n; i++) {
        const struct mx_param *part = p->list[i];
        const bool same =
            is_vector || (part->ndim == first->ndim && memcmp(part->dims, first->dims, (size_t)part->ndim * sizeof *dims) == 0);
        if (!same || all->ndim == 0 || part->dtype != first->dtype || !mx_add_u64(all->length, part->length, &all->length)) {
            return part;
        }
    }
    if (is_vector) {
        dims[0] = (int64_t)(all->length / mx_dtype_size(all->dtype));
        return NULL;
    }
    int64_t elements;
    memcpy(dims, first->dims, (size_t)first->ndim * sizeof *dims);
    dims[0] *= (int64_t)p->n; /* 2^53 at most, four times */
    return mx_elements(dims, all->ndim, &elements) ? NULL : p->list[p->n - 1];
}

static void warn_of_misfit(const struct parts *p, const struct mx_node *v, const struct mx_param *misfit)
{
    if (misfit == p->list[0]) {
        mx_warn(p->params->diags, mx_named(v->name), MX_SUBJECT "cannot be joined from the arrays of its gates: '%s' is a single number",
                misfit->name);
    } else {
        mx_warn(p->params->diags, mx_named(v->name),
                MX_SUBJECT "cannot be joined from the arrays of its gates: '%s' has another type or shape than '%s'" MX_HELP
                           "load a file whose gates have one type and one shape",
                misfit->name, p->list[0]->name);
    }
}

static void warn_of_lack(const struct parts *p, const struct mx_node *v)
{
    mx_warn(p->params->diags, mx_named(v->name),
            MX_SUBJECT "cannot be joined from the arrays of its gates: no file has '%s'" MX_HELP "load the file that holds it",
            p->name.text);
}

typedef int list_fn(struct parts *p, const char *name, const char *const *gates);

static int join(struct parts *p, const struct mx_node *v, list_fn *list)
{
    struct mx_arena *a = &p->params->joined.arena;
    const char *name = mx_arena_strdup(a, v->name);
    struct mx_param *all = MX_ARENA_NEW(a, struct mx_param);
    int64_t *dims = MX_ARENA_ARRAY(a, int64_t, MX_MAX_RANK);
    MX_TRY_ALLOC(name && all && dims);
    const struct mx_param *misfit = set_shape(p, list == list_layers, all, dims);
    if (misfit && p->choices) {
        warn_of_misfit(p, v, misfit);
    }
    if (misfit || p->choices) {
        return MX_OK;
    }
    for (size_t i = 0; i < p->n; i++) {
        p->list[i]->is_part = true;
    }
    all->name = name;
    all->n_parts = p->n;
    all->parts = mx_arena_copy(a, p->list, p->n, sizeof *p->list);
    MX_TRY_ALLOC(all->parts);
    return mx_map_set(&p->params->joined, name, all);
}

static int look_for(struct parts *p, const struct mx_node *v, list_fn *list)
{
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
        p->stem = v->name;
        p->lacks = false;
        p->n = 0;
        MX_TRY(list(p, v->name, cells[c]));
        if (p->n > 0 && !p->lacks) {
            return join(p, v, list);
        }
        if (p->n > 0 && p->choices) {
            warn_of_lack(p, v);
        }
        if (p->n > 0) {
            return MX_OK;
        }
    }
    return MX_OK;
}

bool mx_may_be_joined(const char *name)
{
    return strstr(name, "i2h") || strstr(name, "h2h") || mx_ends_with(name, "parameters");
}

/* How the value of a variable that has none may be joined; NULL: its name is not one of a recurrent layer. */
static list_fn *list_for(const struct mx_params *params, const struct mx_node *v)
{
    static const char *const ends[] = {"i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias"};
    list_fn *list = mx_ends_with(v->name, "parameters") ? list_layers : NULL;
    for (size_t k = 0; !list && k < sizeof ends / sizeof *ends; k++) {
        list = mx_ends_with(v->name, ends[k]) ? list_rows : NULL;
    }
    return list && mx_is_variable(v) && !mx_params_of(params, v->name) ? list : NULL;
}

static int join_all(const struct mx_graph *g, struct parts *p, struct mx_map *tried)
{
    for (int i = 0; p->params->count > 0 && i < g->n_nodes; i++) {
        struct mx_node *v = g->nodes[i];
        list_fn *list = list_for(p->params, v);
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        if (!list || mx_map_get(tried, v->name) /* variables may share a name */
            || (p->choices && mx_input_is_chosen(p->choices, v))) {
            continue;
        }
        MX_TRY(mx_map_set(tried, v->name, v));
        MX_TRY(look_for(p, v, list));
    }
    return MX_OK;
}

int mx_graph_join_gates(const struct mx_graph *g, struct mx_params *params, const struct mx_map *choices)
{
    struct mx_budget *budget = g->arena->budget;
    struct mx_map tried = {.arena = {.budget = budget}};
    struct parts parts = {.params = params, .choices = choices, .name = {.budget = budget}};
    const int status = join_all(g, &parts, &tried);
    mx_budget_array_free(budget, parts.list, parts.capacity, sizeof *parts.list);
    mx_str_free(&parts.name);
    mx_map_free(&tried);
    return status;
}
