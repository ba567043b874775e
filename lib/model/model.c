/* Life, loading and choices of a model. */
#include "model/model.h"
#include "onnx/schema/targets.h"

#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/str.h"
#include "op/op.h"
#include "op/registry.h"
#include "read/find.h"
#include "read/shapes.h"
#include "read/symbol.h"

int mx_model_opset(const mx2onnx_model *m)
{
    const int newest = m->target ? m->target->opset : MX2ONNX_OPSET_DEFAULT;
    const int64_t opset = m->options[MX2ONNX_OPTION_OPSET];
    return opset != MX2ONNX_OPSET_AUTO      ? (int)opset
           : m->opset_raised > 0            ? m->opset_raised
           : newest < MX2ONNX_OPSET_DEFAULT ? newest
                                            : MX2ONNX_OPSET_DEFAULT;
}

int mx_model_init(mx2onnx_model *m)
{
    mx_budget_init(&m->budget);
    m->arena.budget = m->pass_arena.budget = m->diags.budget = m->ops_arena.budget = &m->budget;
    mx_options_init(m);
    m->params.arena = &m->arena;
    m->params.diags = &m->diags;
    m->params.by_name.arena.budget = m->params.by_bare.arena.budget = m->params.matched.arena.budget = &m->budget;
    m->names.variables.arena.budget = m->names.nodes.arena.budget = m->names.operators.arena.budget = &m->budget;
    m->choices.arena.budget = m->renames.arena.budget = m->names_arena.budget = m->unvalued.arena.budget = &m->budget;
    m->halves_by_name.arena.budget = m->dim_texts.arena.budget = m->domains.arena.budget = m->fits_arena.budget = &m->budget;
    m->report_json.budget = &m->budget;
    for (int i = 0; i < 2; i++) {
        m->graph_text[i].budget = m->graph_json[i].budget = &m->budget;
    }
    return m->ops.items ? MX_OK : mx_registry_map(&m->ops, &m->ops_arena);
}

void mx_model_changed(mx2onnx_model *m)
{
    if (m->dims) {
        mx_dims_free(m->dims);
    }
    mx_map_free(&m->unvalued);
    mx_map_free(&m->dim_texts);
    mx_arena_free(&m->names_arena);
    mx_arena_free(&m->pass_arena);
    mx_diags_truncate(&m->diags, m->load_diags);
    m->dims = NULL;
    m->graph = NULL;
    m->stage = MX_STAGE_NONE;
    m->stage_status = MX_OK;
    m->peeked = false;
    m->inputs = NULL;
    m->output_names = m->variable_names = NULL;
    m->unseen = false;
    m->op_uses = NULL;
    m->unbound = NULL;
    m->n_inputs = m->n_missing = m->n_unbound = m->n_op_uses = 0;
}

void mx_model_chosen(mx2onnx_model *m)
{
    m->unseen = false;
    if (m->peeked && !m->options[MX2ONNX_OPTION_STRUCTURAL_NAMES]) { /* it was made only for a look; names are matched by shapes too */
        mx_diags_truncate(&m->diags, m->load_diags);
    } else {
        mx_model_changed(m);
    }
}

static void release_custom(const struct mx_custom *custom)
{
    if (custom->release) {
        custom->release(custom->user);
    }
}

/* One of the model's, which has its own name. */
static void free_custom(struct mx_budget *budget, struct mx_custom *custom)
{
    release_custom(custom);
    mx_budget_array_free(budget, custom->own_name, strlen(custom->own_name) + 1, 1);
}

void mx_model_hold(struct mx_hold *hold, mx2onnx_release_fn release, void *user)
{
    const struct mx_hold old = *hold;
    *hold = (struct mx_hold){release, user};
    if (old.release) {
        old.release(old.user);
    }
}

/* All but the registry. */
static void clear(mx2onnx_model *m)
{
    mx_model_changed(m);
    mx_params_free(&m->params);
    mx_node_names_free(&m->names);
    mx_map_free(&m->choices);
    mx_map_free(&m->renames);
    mx_map_free(&m->halves_by_name);
    mx_map_free(&m->domains);
    mx_model_clear_metadata(m);
    mx_model_forget_fits(m);
    mx_diags_free(&m->diags);
    mx_model_hold(&m->log_hold, NULL, NULL);
    mx_model_hold(&m->progress_hold, NULL, NULL);
    for (size_t i = 0; i < m->n_customs; i++) {
        free_custom(&m->budget, &m->customs[i]);
    }
    mx_str_free(&m->report_json);
    for (int i = 0; i < 2; i++) {
        mx_str_free(&m->graph_text[i]);
        mx_str_free(&m->graph_json[i]);
    }
    mx_str_free(&m->files_written);
    mx_str_free(&m->net_told);
    mx_catalogue_close(&m->catalogue);
    mx_free(m->files);
    mx_free(m->outputs);
    mx_free(m->customs);
    mx_arena_free(&m->arena);
}

void mx_model_clear(mx2onnx_model *m)
{
    clear(m);
    mx_map_free(&m->ops);
    mx_arena_free(&m->ops_arena);
}

void mx_model_reset(mx2onnx_model *m)
{
    clear(m);
    const struct mx_map ops = m->ops;
    const struct mx_arena arena = m->ops_arena;
    *m = (struct mx2onnx_model){.busy = true, .ops = ops, .ops_arena = arena, .budget.memory = arena.total + ops.arena.total};
    (void)!mx_model_init(m); /* which fails only where it makes the registry */
}

/* ---- loading */

static int add_file(mx2onnx_model *m, const struct mx_file_id *id)
{
    void *items = m->files;
    MX_TRY(mx_grow(&m->budget, &items, m->n_files, &m->cap_files, sizeof *m->files));
    m->files = items;
    m->files[m->n_files++] = *id;
    return MX_OK;
}

int mx_model_loaded(mx2onnx_model *m)
{
    m->load_diags = m->diags.count;
    return MX_OK;
}

/* Counts what the caller gave, not what was extracted from an archive: the limits grow with it. */
static int count_input(mx2onnx_model *m, const struct mx_source *source)
{
    struct mx_file_id id;
    m->budget.input += mx_source_size(source);
    return mx_source_id(source, &id) ? add_file(m, &id) : MX_OK;
}

/* As long as a file is open, no other gets its number. */
static int keep_open(mx2onnx_model *m, struct mx_source *source, int status)
{
    struct mx_file_id id;
    if (status == MX_OK && mx_source_id(source, &id)) {
        return mx_params_own(&m->params, source);
    }
    mx_source_close(source);
    return status;
}

static int take_symbol(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    if (m->file_graph) {
        mx_source_close(source);
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                       "a symbol is loaded already; for another one use a new model, or call mx2onnx_model_reset");
    }
    struct mx_graph *g = MX_ARENA_NEW(&m->arena, struct mx_graph);
    int status = g ? MX_OK : MX_OUT_OF_MEMORY;
    if (status == MX_OK) {
        g->arena = &m->arena;
        g->diags = &m->diags;
        status = mx_symbol_read(g, source, label);
    }
    MX_TRY(keep_open(m, source, status));
    MX_TRY(mx_graph_upgrade(g, &m->ops));
    m->file_graph = g;
    return mx_model_loaded(m);
}

static int take_params(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    MX_TRY(mx_params_add(&m->params, source, label, &m->added));
    m->params_label = mx_arena_strdup(&m->arena, label);
    MX_TRY_ALLOC(m->params_label);
    return mx_model_loaded(m);
}

/* What a load that fails puts back, next to the parameters that it added. */
struct before {
    struct mx_arena_mark arena;
    struct mx_graph *file_graph;
    const struct mx_net *net;
    const char *params_label;
    struct mx_sizes net_sizes;
    size_t n_files, n_sources, load_diags;
    uint64_t input, expanded, params_expanded;
};

static struct before begin_load(mx2onnx_model *m)
{
    mx_model_changed(m);
    m->budget.phase = MX2ONNX_PHASE_LOAD;
    return (struct before){
        .arena = mx_arena_mark(&m->arena),
        .file_graph = m->file_graph,
        .net = m->net,
        .params_label = m->params_label,
        .net_sizes = m->net_sizes,
        .n_files = m->n_files,
        .n_sources = m->params.n_sources,
        .load_diags = m->load_diags,
        .input = m->budget.input,
        .expanded = m->budget.expanded,
        .params_expanded = m->params.expanded,
    };
}

static int end_load(mx2onnx_model *m, const struct before *b, int status)
{
    mx_params_end(m->added, status != MX_OK);
    m->added = NULL;
    if (status == MX_OK) {
        mx_model_forget_fits(m);
        return MX_OK;
    }
    mx_params_disown(&m->params, b->n_sources);
    mx_arena_rewind(&m->arena, b->arena);
    m->file_graph = b->file_graph;
    m->net = b->net;
    m->params_label = b->params_label;
    m->net_sizes = b->net_sizes;
    m->n_files = b->n_files;
    m->load_diags = b->load_diags;
    m->budget.input = b->input;
    m->budget.expanded = b->expanded;
    m->params.expanded = b->params_expanded;
    return status;
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
    const struct before before = begin_load(m);
    return end_load(m, &before, count_and_take(m, source, label, take_symbol));
}

int mx_model_load_params(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    const struct before before = begin_load(m);
    return end_load(m, &before, count_and_take(m, source, label, take_params));
}

int mx_model_set_param(mx2onnx_model *m, const struct mx_param *like)
{
    const uint64_t size = mx_source_size(like->source);
    uint64_t replaced = 0;
    mx_model_changed(m);
    MX_TRY(mx_params_set(&m->params, like, &replaced));
    m->budget.input += size - replaced;
    mx_model_forget_fits(m);
    return mx_model_loaded(m);
}

int mx_model_remove_param(mx2onnx_model *m, const char *name)
{
    uint64_t removed;
    mx_model_changed(m);
    if (!mx_params_unset(&m->params, name, &removed)) {
        return mx_fail(&m->diags, MX_NOT_FOUND, (struct mx_where){.name = name}, "no value was set for this name");
    }
    m->budget.input -= removed;
    mx_model_forget_fits(m);
    return mx_model_loaded(m);
}

/* An archive has been counted as a whole. */
static int take_file(mx2onnx_model *m, struct mx_source **source, const char *label, const struct mx_found *found, take_fn *take)
{
    struct mx_source *taken = *source;
    *source = NULL;
    return found->is_archive ? take(m, taken, label) : count_and_take(m, taken, label, take);
}

/* Parameters alone: finds their net. SageMaker's settings give a crop that no shape shows. */
static int take_params_alone(mx2onnx_model *m, struct mx_found *found)
{
    MX_TRY(take_file(m, &found->params, found->params_label, found, take_params));
    if (m->net_sizes.of[MX_SIZE_CROP] == 0) {
        m->net_sizes.of[MX_SIZE_CROP] = mx_settings_crop(found->settings);
    }
    return mx_model_load_net(m, NULL);
}

/* The symbol, then what the files next to it say about its inputs, then the parameters. */
static int take_found(mx2onnx_model *m, struct mx_found *found)
{
    if (!found->symbol) {
        return take_params_alone(m, found);
    }
    MX_TRY(take_file(m, &found->symbol, found->symbol_label, found, take_symbol));
    MX_TRY(found->shapes ? mx_shapes_read(m->file_graph, found->shapes, found->shapes_label) : MX_OK);
    MX_TRY(mx_model_loaded(m));
    if (!found->params) {
        mx_note(&m->diags, MX_NOWHERE, "there is no parameter file next to the symbol file");
        return mx_model_loaded(m);
    }
    MX_TRY(take_file(m, &found->params, found->params_label, found, take_params));
    return mx_settings_apply(m, found->settings);
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
    const struct before before = begin_load(m);
    int status = mx_find_model(path, &found, &m->diags);
    if (status == MX_OK) {
        status = load_found(m, &found);
    }
    mx_found_close(&found);
    return end_load(m, &before, status);
}

int mx_model_load_source(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    struct mx_found found = {0};
    const struct before before = begin_load(m);
    int status = mx_find_in_source(source, label, &found, &m->diags);
    if (status == MX_OK) {
        status = load_found(m, &found);
    }
    mx_found_close(&found);
    return end_load(m, &before, status);
}

/* ---- handlers */

/* The index of the handler for a name, n_customs if there is none. */
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
    struct mx_custom old = m->customs[i];
    m->n_customs--;
    memmove(&m->customs[i], &m->customs[i + 1], (m->n_customs - i) * sizeof *m->customs);
    free_custom(&m->budget, &old);
}

static int add_custom(mx2onnx_model *m, const struct mx_custom *custom)
{
    void *items = m->customs;
    MX_TRY(mx_grow(&m->budget, &items, m->n_customs, &m->cap_customs, sizeof *m->customs));
    m->customs = items;
    const size_t size = strlen(custom->name) + 1;
    char *name = mx_budget_array(&m->budget, NULL, 0, size, 1);
    MX_TRY_ALLOC(name);
    memcpy(name, custom->name, size);
    m->customs[m->n_customs] = *custom;
    m->customs[m->n_customs].name = m->customs[m->n_customs].own_name = name;
    m->n_customs++;
    return MX_OK;
}

static void replace_custom(struct mx_custom *old, const struct mx_custom *custom)
{
    const struct mx_custom before = *old;
    *old = *custom;
    old->name = old->own_name = before.own_name;
    release_custom(&before);
}

int mx_model_set_custom(mx2onnx_model *m, const struct mx_custom *custom)
{
    mx_model_changed(m);
    while (!custom->name && m->n_customs > 0) {
        take_back_custom(m, m->n_customs - 1);
    }
    const size_t i = custom->name ? custom_called(m, custom->name) : m->n_customs;
    int status = MX_OK;
    if (custom->infer && i < m->n_customs) {
        replace_custom(&m->customs[i], custom);
    } else if (custom->infer) {
        status = add_custom(m, custom);
    } else if (i < m->n_customs) {
        take_back_custom(m, i);
    }
    if (status != MX_OK || !custom->infer) {
        release_custom(custom);
    }
    return status;
}
