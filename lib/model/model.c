/* Life and loading of a model. */
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
    const int newest = m->choices.target ? m->choices.target->opset : MX2ONNX_OPSET_DEFAULT;
    const int64_t opset = m->choices.options[MX2ONNX_OPTION_OPSET];
    return opset != MX2ONNX_OPSET_AUTO      ? (int)opset
           : m->written.opset_raised > 0    ? m->written.opset_raised
           : newest < MX2ONNX_OPSET_DEFAULT ? newest
                                            : MX2ONNX_OPSET_DEFAULT;
}

static struct mx_prepared unprepared(struct mx_budget *b, uint64_t count)
{
    return (struct mx_prepared){.count = count,
                                .arena.budget = b,
                                .names_arena.budget = b,
                                .unvalued.arena.budget = b,
                                .unresolved.arena.budget = b,
                                .dim_texts.arena.budget = b};
}

int mx_model_init(mx2onnx_model *m)
{
    struct mx_budget *b = &m->budget;
    mx_budget_init(b);
    m->arena.budget = m->diags.budget = m->ops_arena.budget = m->nets.fits_arena.budget = b;
    m->prepared = unprepared(b, 0);
    mx_options_init(m);
    m->loaded.params.arena = &m->arena;
    m->loaded.params.diags = &m->diags;
    m->loaded.params.by_name.arena.budget = m->loaded.params.by_bare.arena.budget = m->loaded.params.matched.arena.budget =
        m->loaded.params.joined.arena.budget = b;
    m->loaded.names.variables.arena.budget = m->loaded.names.nodes.arena.budget = m->loaded.names.operators.arena.budget = b;
    m->choices.inputs.arena.budget = m->choices.renames.arena.budget = b;
    m->choices.halves_by_name.arena.budget = m->choices.domains.arena.budget = m->choices.customs.by_name.arena.budget = b;
    m->written.report_json.budget = b;
    for (int i = 0; i < 2; i++) {
        m->written.graph_text[i].budget = m->written.graph_json[i].budget = b;
    }
    return m->ops.items ? MX_OK : mx_registry_map(&m->ops, &m->ops_arena);
}

void mx_model_changed(mx2onnx_model *m)
{
    struct mx_prepared *p = &m->prepared;
    if (p->dims) {
        mx_dims_free(p->dims);
    }
    mx_map_free(&p->unvalued);
    mx_map_free(&p->unresolved);
    mx_map_free(&p->dim_texts);
    mx_arena_free(&p->names_arena);
    mx_arena_free(&p->arena);
    *p = unprepared(&m->budget, p->count);
    mx_diags_truncate(&m->diags, m->loaded.n_diags);
}

void mx_model_chosen(mx2onnx_model *m)
{
    m->prepared.unseen = false;
    if (m->prepared.peeked
        && !m->choices.options[MX2ONNX_OPTION_STRUCTURAL_NAMES]) { /* it was made only for a look; names are matched by shapes too */
        mx_diags_truncate(&m->diags, m->loaded.n_diags);
    } else {
        mx_model_changed(m);
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

/* All but the registry. */
static void clear(mx2onnx_model *m)
{
    mx_model_changed(m);
    mx_params_free(&m->loaded.params);
    mx_node_names_free(&m->loaded.names);
    mx_map_free(&m->choices.inputs);
    mx_map_free(&m->choices.renames);
    mx_map_free(&m->choices.halves_by_name);
    mx_map_free(&m->choices.domains);
    mx_model_clear_metadata(m);
    mx_model_forget_fits(m);
    mx_diags_free(&m->diags);
    mx_model_hold(&m->choices.log_hold, NULL, NULL);
    mx_model_hold(&m->choices.progress_hold, NULL, NULL);
    mx_model_free_customs(m);
    mx_str_free(&m->written.report_json);
    for (int i = 0; i < 2; i++) {
        mx_str_free(&m->written.graph_text[i]);
        mx_str_free(&m->written.graph_json[i]);
    }
    mx_str_free(&m->written.files);
    mx_str_free(&m->nets.title);
    mx_catalogue_close(&m->nets.catalogue);
    mx_free(m->loaded.files);
    mx_free(m->choices.outputs);
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
    MX_TRY(mx_grow(&m->budget, &m->loaded.files, m->loaded.n_files, &m->loaded.cap_files, sizeof *m->loaded.files));
    m->loaded.files[m->loaded.n_files++] = *id;
    return MX_OK;
}

int mx_model_loaded(mx2onnx_model *m)
{
    m->loaded.n_diags = m->diags.count;
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
        return mx_params_own(&m->loaded.params, source);
    }
    mx_source_close(source);
    return status;
}

int mx_model_need_no_symbol(mx2onnx_model *m)
{
    return !m->loaded.graph ? MX_OK
                            : mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                                      "a symbol is loaded already" MX_HELP "for another one use a new model, or call mx2onnx_model_reset");
}

static int new_graph(mx2onnx_model *m, struct mx_graph **out)
{
    MX_TRY(mx_model_need_no_symbol(m));
    *out = MX_ARENA_NEW(&m->arena, struct mx_graph);
    MX_TRY_ALLOC(*out);
    **out = (struct mx_graph){.arena = &m->arena, .diags = &m->diags};
    return MX_OK;
}

static int keep_graph(mx2onnx_model *m, struct mx_graph *g)
{
    MX_TRY(mx_graph_upgrade(g, &m->ops));
    m->loaded.graph = g;
    return mx_model_loaded(m);
}

static int take_symbol(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    struct mx_graph *g = NULL;
    int status = new_graph(m, &g);
    if (status == MX_OK) {
        status = mx_symbol_read(g, source, label);
    }
    MX_TRY(keep_open(m, source, status));
    return keep_graph(m, g);
}

static int take_params(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    MX_TRY(mx_params_add(&m->loaded.params, source, label, &m->loaded.added));
    m->loaded.params_label = mx_arena_strdup(&m->arena, label);
    MX_TRY_ALLOC(m->loaded.params_label);
    return mx_model_loaded(m);
}

/* What a load that fails puts back, next to the parameters that it added. */
struct before {
    struct mx_arena_mark arena;
    struct mx_graph *graph;
    const struct mx_net *net;
    const char *params_label;
    struct mx_sizes net_sizes;
    size_t n_files, n_sources, n_diags;
    uint64_t input, expanded;
};

static struct before begin_load(mx2onnx_model *m)
{
    mx_model_changed(m);
    m->budget.phase = MX2ONNX_PHASE_LOAD;
    return (struct before){
        .arena = mx_arena_mark(&m->arena),
        .graph = m->loaded.graph,
        .net = m->loaded.net,
        .params_label = m->loaded.params_label,
        .net_sizes = m->choices.net_sizes,
        .n_files = m->loaded.n_files,
        .n_sources = m->loaded.params.n_sources,
        .n_diags = m->loaded.n_diags,
        .input = m->budget.input,
        .expanded = m->budget.expanded,
    };
}

static int end_load(mx2onnx_model *m, const struct before *b, int status)
{
    mx_params_end(m->loaded.added, status != MX_OK);
    m->loaded.added = NULL;
    if (status == MX_OK) {
        mx_model_forget_fits(m);
        return MX_OK;
    }
    mx_params_disown(&m->loaded.params, b->n_sources);
    mx_arena_rewind(&m->arena, b->arena);
    m->loaded.graph = b->graph;
    m->loaded.net = b->net;
    m->loaded.params_label = b->params_label;
    m->choices.net_sizes = b->net_sizes;
    m->loaded.n_files = b->n_files;
    m->loaded.n_diags = b->n_diags;
    m->budget.input = b->input;
    m->budget.expanded = b->expanded;
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

static int make_graph(mx2onnx_model *m, mx_make_fn *make, void *user)
{
    struct mx_graph *g;
    MX_TRY(new_graph(m, &g));
    MX_TRY(make(g, user));
    return keep_graph(m, g);
}

int mx_model_make_graph(mx2onnx_model *m, mx_make_fn *make, void *user)
{
    const struct before before = begin_load(m);
    return end_load(m, &before, make_graph(m, make, user));
}

int mx_model_load_params(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    const struct before before = begin_load(m);
    return end_load(m, &before, count_and_take(m, source, label, take_params));
}

int mx_model_set_param(mx2onnx_model *m, const struct mx_param *like)
{
    const uint64_t size = mx_source_size(like->source);
    const char *name = mx_params_bare(like->name);
    const bool kept = mx_model_takes_value(m, name);
    uint64_t replaced = 0;
    if (kept) {
        mx_model_chosen(m);
    } else {
        mx_model_changed(m);
    }
    MX_TRY(mx_params_set(&m->loaded.params, like, &replaced));
    if (kept) {
        mx_model_valued(m, name);
    }
    m->budget.input += size - replaced;
    mx_model_forget_fits(m);
    return mx_model_loaded(m);
}

int mx_model_remove_param(mx2onnx_model *m, const char *name)
{
    uint64_t removed;
    mx_model_changed(m);
    if (!mx_params_unset(&m->loaded.params, name, &removed)) {
        return mx_fail(&m->diags, MX_NOT_FOUND, mx_named(name), "no value was set for this name");
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
    if (m->choices.net_sizes.of[MX_SIZE_CROP] == 0) {
        m->choices.net_sizes.of[MX_SIZE_CROP] = mx_settings_crop(found->settings);
    }
    return mx_model_load_net(m, NULL);
}

/* A single variable is the input. */
static bool may_have_params(const struct mx_graph *g)
{
    int variables = 0;
    for (int i = 0; i < g->n_nodes && variables < 2; i++) {
        variables += mx_is_variable(g->nodes[i]);
    }
    return variables > 1;
}

/* The symbol, then what the files next to it say about its inputs, then the parameters. */
static int take_found(mx2onnx_model *m, struct mx_found *found)
{
    if (!found->symbol) {
        return take_params_alone(m, found);
    }
    MX_TRY(take_file(m, &found->symbol, found->symbol_label, found, take_symbol));
    MX_TRY(found->shapes ? mx_shapes_read(m->loaded.graph, found->shapes, found->shapes_label) : MX_OK);
    MX_TRY(mx_model_loaded(m));
    if (!found->params) {
        if (may_have_params(m->loaded.graph)) {
            mx_note(&m->diags, MX_NOWHERE, "the symbol file has no parameter file next to it");
        }
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

/* `status` is that of the search. */
static int end_find(mx2onnx_model *m, const struct before *b, struct mx_found *found, int status)
{
    status = status == MX_OK ? load_found(m, found) : status;
    mx_found_close(found);
    return end_load(m, b, status);
}

int mx_model_load(mx2onnx_model *m, const char *path)
{
    struct mx_found found = {0};
    const struct before before = begin_load(m);
    return end_find(m, &before, &found, mx_find_model(path, &found, &m->diags));
}

int mx_model_load_source(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    struct mx_found found = {0};
    const struct before before = begin_load(m);
    return end_find(m, &before, &found, mx_find_in_source(source, label, &found, &m->diags));
}
