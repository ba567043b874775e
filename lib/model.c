/* Life, loading and choices of a model. */
#include "model.h"
#include "onnx/table/runtime.h"

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/str.h"
#include "op/op.h"
#include "op/registry.h"
#include "read/find.h"
#include "read/shapes.h"
#include "read/symbol.h"

/* The one that was asked for, else the usual one if the target reads it. */
int mx_model_opset(const mx2onnx_model *m)
{
    const int newest = m->target ? m->target->opset : MX2ONNX_OPSET_DEFAULT;
    return m->opset != MX2ONNX_OPSET_AUTO ? m->opset
        : newest < MX2ONNX_OPSET_DEFAULT  ? newest
                                          : MX2ONNX_OPSET_DEFAULT;
}

int mx_model_init(mx2onnx_model *m)
{
    mx_budget_init(&m->budget);
    m->arena.budget = m->pass_arena.budget = m->diags.budget = &m->budget;
    m->opset = MX2ONNX_OPSET_AUTO;
    m->params.arena = &m->arena;
    m->params.diags = &m->diags;
    m->params.by_name.arena.budget = m->params.by_bare.arena.budget = &m->budget;
    return mx_registry_map(&m->ops, &m->arena);
}

void mx_model_changed(mx2onnx_model *m)
{
    if (m->dims) {
        mx_dims_free(m->dims);
    }
    mx_arena_free(&m->pass_arena);
    mx_diags_truncate(&m->diags, m->load_diags);
    m->dims = NULL;
    m->graph = NULL;
    m->stage = MX_STAGE_NONE;
    m->stage_status = MX_OK;
    m->peeked = false;
    m->inputs = NULL;
    m->output_names = NULL;
    m->op_uses = NULL;
    m->unbound = NULL;
    m->n_inputs = m->n_missing = m->n_unbound = m->n_op_uses = 0;
}

static void release_custom(const struct mx_custom *custom)
{
    if (custom->release) {
        custom->release(custom->user);
    }
}

void mx_model_hold(struct mx_hold *hold, mx2onnx_release_fn release, void *user)
{
    const struct mx_hold old = *hold;
    *hold = (struct mx_hold){release, user};
    if (old.release) {
        old.release(old.user);
    }
}

void mx_model_clear(mx2onnx_model *m)
{
    mx_model_changed(m);
    mx_params_free(&m->params);
    mx_map_free(&m->ops);
    mx_diags_free(&m->diags);
    mx_model_hold(&m->log_hold, NULL, NULL);
    mx_model_hold(&m->progress_hold, NULL, NULL);
    for (size_t i = 0; i < m->n_customs; i++) {
        release_custom(&m->customs[i]);
    }
    mx_str_free(&m->report_text);
    mx_str_free(&m->report_json);
    mx_str_free(&m->graph_text);
    mx_str_free(&m->symbol_text);
    mx_str_free(&m->files_written);
    mx_str_free(&m->net_told);
    mx_str_free(&m->net_text);
    mx_catalogue_close(&m->catalogue);
    mx_free(m->files);
    mx_free(m->choices);
    mx_free(m->outputs);
    mx_free(m->renames);
    mx_free(m->customs);
    mx_free(m->halves);
    mx_arena_free(&m->arena);
}

/* ---- loading */

/* Makes room for one more item of a growing array. */
static int grow(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return MX_OK;
    }
    const size_t wanted = *capacity ? *capacity * 2 : 8;
    void *bigger = mx_realloc(*items, wanted, size);
    MX_TRY_ALLOC(bigger);
    *items = bigger;
    *capacity = wanted;
    return MX_OK;
}

static int add_file(mx2onnx_model *m, const struct mx_file_id *id)
{
    void *items = m->files;
    MX_TRY(grow(&items, m->n_files, &m->cap_files, sizeof *m->files));
    m->files = items;
    m->files[m->n_files++] = *id;
    return MX_OK;
}

int mx_model_loaded(mx2onnx_model *m)
{
    m->load_diags = m->diags.count;
    return MX_OK;
}

/* What the caller gave, not what came out of an archive: the limits grow by it. */
static int count_input(mx2onnx_model *m, const struct mx_source *source)
{
    struct mx_file_id id;
    m->budget.input += mx_source_size(source);
    return mx_source_id(source, &id) ? add_file(m, &id) : MX_OK;
}

static int take_symbol(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    if (m->file_graph) {
        mx_source_close(source);
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, (struct mx_where){0},
                       "a symbol is loaded already; use a new model for another one");
    }
    struct mx_graph *g = MX_ARENA_NEW(&m->arena, struct mx_graph);
    int status = g ? MX_OK : MX_OUT_OF_MEMORY;
    if (status == MX_OK) {
        g->arena = &m->arena;
        g->diags = &m->diags;
        status = mx_symbol_read(g, source, label);
    }
    mx_source_close(source);
    MX_TRY(status);
    MX_TRY(mx_graph_upgrade(g, &m->ops));
    m->file_graph = g;
    return mx_model_loaded(m);
}

static int take_params(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    MX_TRY(mx_params_add_source(&m->params, source, label));
    m->params_label = mx_arena_strdup(&m->arena, label);
    MX_TRY_ALLOC(m->params_label);
    return mx_model_loaded(m);
}

typedef int take_fn(mx2onnx_model *m, struct mx_source *source, const char *label);

static int count_and_take(mx2onnx_model *m, struct mx_source *source, const char *label, take_fn *take)
{
    const int status = count_input(m, source);
    if (status != MX_OK) {
        mx_source_close(source);
        return status;
    }
    return take(m, source, label);
}

int mx_model_load_symbol(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    mx_model_changed(m);
    return count_and_take(m, source, label, take_symbol);
}

int mx_model_load_params(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    mx_model_changed(m);
    return count_and_take(m, source, label, take_params);
}

int mx_model_set_param(mx2onnx_model *m, const struct mx_param *like)
{
    const uint64_t size = mx_source_size(like->source);
    mx_model_changed(m);
    MX_TRY(mx_params_set(&m->params, like));
    m->budget.input += size;
    return mx_model_loaded(m);
}

/* An archive was counted as a whole. */
static int take_file(mx2onnx_model *m, struct mx_source **source, const char *label, const struct mx_found *found, take_fn *take)
{
    struct mx_source *taken = *source;
    *source = NULL;
    return found->is_archive ? take(m, taken, label) : count_and_take(m, taken, label, take);
}

/* Parameters alone: their net is looked for. SageMaker's settings say a crop that no shape tells. */
static int take_params_alone(mx2onnx_model *m, struct mx_found *found)
{
    MX_TRY(take_file(m, &found->params, found->params_label, found, take_params));
    if (found->crop > 0 && m->net_sizes.of[MX_SIZE_CROP] == 0) {
        m->net_sizes.of[MX_SIZE_CROP] = found->crop;
    }
    return mx_model_load_net(m, NULL);
}

/* The symbol, then what the files beside it say of its inputs, then the parameters. */
static int take_found(mx2onnx_model *m, struct mx_found *found)
{
    if (!found->symbol) {
        return take_params_alone(m, found);
    }
    MX_TRY(take_file(m, &found->symbol, found->symbol_label, found, take_symbol));
    MX_TRY(found->shapes ? mx_shapes_read(m->file_graph, found->shapes, found->shapes_label) : MX_OK);
    MX_TRY(mx_model_loaded(m));
    if (!found->params) {
        mx_note(&m->diags, (struct mx_where){0}, "no parameter file lies beside the symbol file");
        return mx_model_loaded(m);
    }
    return take_file(m, &found->params, found->params_label, found, take_params);
}

static int load_found(mx2onnx_model *m, struct mx_found *found)
{
    for (size_t i = 0; i < found->n_files; i++) {
        MX_TRY(add_file(m, &found->files[i]));
    }
    MX_TRY(mx_model_loaded(m));
    return take_found(m, found);
}

int mx_model_load(mx2onnx_model *m, const char *path)
{
    struct mx_found found = {0};
    mx_model_changed(m);
    MX_TRY(mx_find_model(path, &found, &m->diags));
    const int status = load_found(m, &found);
    mx_found_close(&found);
    return status;
}

int mx_model_load_source(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    struct mx_found found = {0};
    mx_model_changed(m);
    MX_TRY(mx_find_in_source(source, label, &found, &m->diags));
    const int status = load_found(m, &found);
    mx_found_close(&found);
    return status;
}

/* ---- choices */

static int need_symbol(mx2onnx_model *m)
{
    return m->file_graph ? MX_OK
                         : mx_fail(&m->diags, MX_INVALID_ARGUMENT, (struct mx_where){0},
                                   "no symbol is loaded yet; load it before choosing");
}

static bool has_variable(const struct mx_graph *g, const char *name)
{
    for (int i = 0; i < g->n_nodes; i++) {
        if (mx_is_variable(g->nodes[i]) && strcmp(g->nodes[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The message names what could have been meant. */
static int fail_unknown_input(mx2onnx_model *m, const char *input)
{
    enum { SHOWN = 8 };
    struct mx_str known = {0};
    (void)mx_model_peek(m); /* labels are known then */
    for (size_t i = 0; i < m->n_inputs && i < SHOWN; i++) {
        mx_str_printf(&known, "%s'%s'", i > 0 ? ", " : "", m->inputs[i]->name);
    }
    const int status = mx_fail(&m->diags, MX_NOT_FOUND, (struct mx_where){.name = input},
                               "the model has no input of this name; its inputs are %s%s",
                               known.text && !known.failed ? known.text : "none", m->n_inputs > SHOWN ? ", ..." : "");
    mx_str_free(&known);
    return status;
}

/* The message names the nearest name, if one is near. */
static int fail_unknown(mx2onnx_model *m, const char *name, const char *what)
{
    const char *nearest = NULL;
    size_t least = strlen(name) / 3 + 2;
    for (int i = 0; i < m->file_graph->n_nodes; i++) {
        const size_t distance = mx_distance(name, m->file_graph->nodes[i]->name);
        if (distance > 0 && distance < least) { /* 0: it is there, but is not what is wanted */
            least = distance;
            nearest = m->file_graph->nodes[i]->name;
        }
    }
    const struct mx_where where = {.name = name};
    return nearest ? mx_fail(&m->diags, MX_NOT_FOUND, where, "the model has no %s of this name; the nearest is '%s'", what, nearest)
                   : mx_fail(&m->diags, MX_NOT_FOUND, where, "the model has no %s of this name", what);
}

int mx_model_choice(mx2onnx_model *m, const char *input, struct mx_input_choice **out)
{
    MX_TRY(need_symbol(m));
    for (size_t i = 0; i < m->n_choices; i++) {
        if (strcmp(m->choices[i].name, input) == 0) {
            mx_model_changed(m);
            *out = &m->choices[i];
            return MX_OK;
        }
    }
    if (!has_variable(m->file_graph, input)) {
        return fail_unknown_input(m, input);
    }
    void *items = m->choices;
    MX_TRY(grow(&items, m->n_choices, &m->cap_choices, sizeof *m->choices));
    m->choices = items;
    const char *name = mx_arena_strdup(&m->arena, input);
    MX_TRY_ALLOC(name);
    mx_model_changed(m);
    *out = &m->choices[m->n_choices++];
    **out = (struct mx_input_choice){.name = name, .ndim = -1, .dtype = MX_DTYPE_NONE};
    return MX_OK;
}

int mx_model_set_shape(mx2onnx_model *m, const char *input, int ndim, const int64_t *dims)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, &choice));
    int64_t *copy = mx_arena_copy(&m->arena, dims, (size_t)ndim, sizeof *dims);
    const char **names = MX_ARENA_ARRAY(&m->arena, const char *, (size_t)ndim);
    MX_TRY_ALLOC(copy);
    MX_TRY_ALLOC(names);
    for (int i = 0; i < ndim && i < choice->ndim; i++) { /* names given before the shape stay */
        names[i] = choice->dim_names[i];
    }
    choice->ndim = ndim;
    choice->dims = copy;
    choice->dim_names = names;
    return MX_OK;
}

/* The rank that the file gives to an input, as a shape of open dims. */
static int adopt_hint(mx2onnx_model *m, const char *input)
{
    for (int i = 0; i < m->file_graph->n_nodes; i++) {
        const struct mx_node *n = m->file_graph->nodes[i];
        int ndim;
        const int64_t *dims;
        if (!mx_is_variable(n) || strcmp(n->name, input) != 0
            || !mx_variable_shape_hint(n, &m->arena, &ndim, &dims)) {
            continue;
        }
        int64_t open[MX_MAX_RANK];
        for (int k = 0; k < ndim; k++) {
            open[k] = dims[k] == 0 && !m->file_graph->np_shape ? -1 : dims[k];
        }
        return mx_model_set_shape(m, input, ndim, open);
    }
    return MX_OK;
}

int mx_model_set_dim_name(mx2onnx_model *m, const char *input, int axis, const char *name)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, &choice));
    if (choice->ndim < 0) {
        MX_TRY(adopt_hint(m, input));
    }
    if (axis >= choice->ndim) {
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, (struct mx_where){.name = input},
                       "axis %d cannot be named, since the input has %s; give its shape first", axis,
                       choice->ndim < 0 ? "no known rank" : "fewer dimensions");
    }
    const char *copy = name ? mx_arena_strdup(&m->arena, name) : NULL;
    if (name && !copy) {
        return MX_OUT_OF_MEMORY;
    }
    choice->dim_names[axis] = copy;
    return MX_OK;
}

int mx_model_set_values(mx2onnx_model *m, const char *input, size_t n, const double *values, bool scale)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, &choice));
    const double *copy = mx_arena_copy(&m->arena, values, n, sizeof *values);
    MX_TRY_ALLOC(copy);
    *(scale ? &choice->scale : &choice->mean) = copy;
    *(scale ? &choice->n_scale : &choice->n_mean) = n;
    return MX_OK;
}

int mx_model_add_output(mx2onnx_model *m, const char *name)
{
    struct mx_entry e;
    MX_TRY(need_symbol(m));
    if (!mx_graph_find_output(m->file_graph, name, &e)) {
        return fail_unknown(m, name, "output, node or variable");
    }
    void *items = m->outputs;
    MX_TRY(grow(&items, m->n_outputs, &m->cap_outputs, sizeof *m->outputs));
    m->outputs = items;
    const char *copy = mx_arena_strdup(&m->arena, name);
    MX_TRY_ALLOC(copy);
    mx_model_changed(m);
    m->outputs[m->n_outputs++] = copy;
    return MX_OK;
}

/* Is it what the ONNX file calls the variable, or an output of the node? How many it has is not known here. */
static bool is_called(const struct mx_node *n, const char *name)
{
    const size_t length = strlen(n->name);
    int64_t index;
    return strncmp(name, n->name, length) == 0
        && (!name[length] || (mx_parse_int(name + length, &index) && index >= 0));
}

int mx_model_rename(mx2onnx_model *m, const char *from, const char *to)
{
    int i = 0;
    MX_TRY(need_symbol(m));
    while (i < m->file_graph->n_nodes && !is_called(m->file_graph->nodes[i], from)) {
        i++;
    }
    if (i == m->file_graph->n_nodes) {
        return fail_unknown(m, from, "input, output or parameter");
    }
    void *items = m->renames;
    MX_TRY(grow(&items, m->n_renames, &m->cap_renames, sizeof *m->renames));
    m->renames = items;
    const char *a = mx_arena_strdup(&m->arena, from), *b = mx_arena_strdup(&m->arena, to);
    MX_TRY_ALLOC(a);
    MX_TRY_ALLOC(b);
    mx_model_changed(m);
    m->renames[m->n_renames++] = (struct mx_rename){a, b};
    return MX_OK;
}

int mx_model_set_prefix(mx2onnx_model *m, const char *prefix)
{
    const char *copy = prefix ? mx_arena_strdup(&m->arena, prefix) : NULL;
    if (prefix && !copy) {
        return MX_OUT_OF_MEMORY;
    }
    mx_model_changed(m);
    return mx_params_set_prefix(&m->params, copy);
}

int mx_model_keep_unknown(mx2onnx_model *m, const char *domain)
{
    const char *copy = domain ? mx_arena_strdup(&m->arena, domain) : NULL;
    if (domain && !copy) {
        return MX_OUT_OF_MEMORY;
    }
    mx_model_changed(m);
    m->keep_domain = copy;
    return MX_OK;
}

int mx_model_keep_float32(mx2onnx_model *m, const char *name, bool keep)
{
    MX_TRY(need_symbol(m));
    const struct mx_op *op = mx_map_get(&m->ops, name);
    struct mx_half_choice choice = {name, op ? op->name : name, keep};
    bool any;
    MX_TRY(mx_half_choice_fits(&choice, m->file_graph, &any));
    if (!any) {
        return fail_unknown(m, name, "node and no operator");
    }
    void *items = m->halves;
    MX_TRY(grow(&items, m->n_halves, &m->cap_halves, sizeof *m->halves));
    m->halves = items;
    choice.name = mx_arena_strdup(&m->arena, name);
    MX_TRY_ALLOC(choice.name);
    choice.op_name = op ? op->name : choice.name;
    mx_model_changed(m);
    m->halves[m->n_halves++] = choice;
    return MX_OK;
}

/* The place of the handler of a name, n_customs if there is none. */
static size_t custom_called(const mx2onnx_model *m, const char *name)
{
    size_t i = 0;
    while (i < m->n_customs && strcmp(m->customs[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void take_back_custom(mx2onnx_model *m, size_t i)
{
    const struct mx_custom old = m->customs[i];
    m->n_customs--;
    memmove(&m->customs[i], &m->customs[i + 1], (m->n_customs - i) * sizeof *m->customs);
    release_custom(&old);
}

static int add_custom(mx2onnx_model *m, const struct mx_custom *custom, size_t i)
{
    void *items = m->customs;
    MX_TRY(grow(&items, m->n_customs, &m->cap_customs, sizeof *m->customs));
    m->customs = items;
    const char *name = i < m->n_customs ? m->customs[i].name : mx_arena_strdup(&m->arena, custom->name);
    MX_TRY_ALLOC(name);
    const struct mx_custom old = i < m->n_customs ? m->customs[i] : (struct mx_custom){0};
    m->customs[i] = *custom;
    m->customs[i].name = name;
    m->n_customs += i == m->n_customs;
    release_custom(&old);
    return MX_OK;
}

int mx_model_set_custom(mx2onnx_model *m, const struct mx_custom *custom)
{
    const size_t i = custom_called(m, custom->name);
    mx_model_changed(m);
    int status = MX_OK;
    if (custom->infer) {
        status = add_custom(m, custom, i);
    } else if (i < m->n_customs) {
        take_back_custom(m, i);
    }
    if (status != MX_OK || !custom->infer) {
        release_custom(custom);
    }
    return status;
}
