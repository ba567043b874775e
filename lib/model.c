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

/* The requested opset, or else the usual one if the target can read it. */
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
    m->names.variables.arena.budget = m->names.nodes.arena.budget = m->names.operators.arena.budget = &m->budget;
    m->choices.arena.budget = m->renames.arena.budget = m->names_arena.budget = m->undeclared.arena.budget = &m->budget;
    return mx_registry_map(&m->ops, &m->arena);
}

void mx_model_changed(mx2onnx_model *m)
{
    if (m->dims) {
        mx_dims_free(m->dims);
    }
    mx_map_free(&m->undeclared);
    mx_arena_free(&m->names_arena);
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

void mx_model_chosen(mx2onnx_model *m)
{
    if (m->peeked) { /* it was made only for a look */
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
    mx_node_names_free(&m->names);
    mx_map_free(&m->choices);
    mx_map_free(&m->renames);
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
    mx_free(m->outputs);
    mx_free(m->customs);
    mx_free(m->halves);
    mx_arena_free(&m->arena);
}

/* ---- loading */

static int add_file(mx2onnx_model *m, const struct mx_file_id *id)
{
    void *items = m->files;
    MX_TRY(mx_grow(&items, m->n_files, &m->cap_files, sizeof *m->files));
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

static int take_symbol(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    if (m->file_graph) {
        mx_source_close(source);
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
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
    if (found->crop > 0 && m->net_sizes.of[MX_SIZE_CROP] == 0) {
        m->net_sizes.of[MX_SIZE_CROP] = found->crop;
    }
    return mx_model_load_net(m, NULL);
}

/* The symbol, then what the files beside it say about its inputs, then the parameters. */
static int take_found(mx2onnx_model *m, struct mx_found *found)
{
    if (!found->symbol) {
        return take_params_alone(m, found);
    }
    MX_TRY(take_file(m, &found->symbol, found->symbol_label, found, take_symbol));
    MX_TRY(found->shapes ? mx_shapes_read(m->file_graph, found->shapes, found->shapes_label) : MX_OK);
    MX_TRY(mx_model_loaded(m));
    if (!found->params) {
        mx_note(&m->diags, MX_NOWHERE, "no parameter file lies beside the symbol file");
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
    const struct mx_custom old = m->customs[i];
    m->n_customs--;
    memmove(&m->customs[i], &m->customs[i + 1], (m->n_customs - i) * sizeof *m->customs);
    release_custom(&old);
}

static int add_custom(mx2onnx_model *m, const struct mx_custom *custom, size_t i)
{
    void *items = m->customs;
    MX_TRY(mx_grow(&items, m->n_customs, &m->cap_customs, sizeof *m->customs));
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
