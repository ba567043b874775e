/* From the prepared graph to bytes: lower, finish, plan, write. */
#include <string.h>

#include "model/in_place.h"
#include "model/model.h"
#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"
#include "onnx/rules/rules.h"
#include "onnx/schema/targets.h"
#include "onnx/write/write.h"
#include "read/folder.h"

enum { NODE_METADATA_IR_VERSION = 10 };

static void free_onnx(struct ox_model *onnx)
{
    mx_budget_array_free(onnx->arena.budget, onnx->values, onnx->cap_values, sizeof *onnx->values);
    mx_arena_free(&onnx->arena);
}

/* An opset that is newer than usual, and the node that needs it. */
struct raised {
    int opset; /* 0: none */
    const char *node, *op;
};

/* The newest opset that may be written when none was requested. */
static int newest_opset(const mx2onnx_model *m)
{
    return m->choices.options[MX2ONNX_OPTION_OPSET] != MX2ONNX_OPSET_AUTO ? 0
           : m->choices.target                                            ? m->choices.target->opset
                                                                          : MX2ONNX_OPSET_MAX;
}

/* A handler's result may depend on the opset. What a second preparation reports was logged by the first. */
static int prepare(mx2onnx_model *m)
{
    if (m->prepared.dims && mx_dims_status(m->prepared.dims) != MX_OK) {
        mx_model_changed(m); /* an export ran out of memory */
    }
    const bool again =
        m->choices.customs.count > 0 && m->prepared.stage == MX_STAGE_INFERRED && m->choices.customs.opset != mx_model_opset(m);
    const mx_log_fn log = m->diags.log;
    if (again) {
        mx_model_changed(m);
        m->diags.log = NULL;
    }
    const int status = mx_model_prepare(m, MX_STAGE_INFERRED);
    m->diags.log = log;
    if (again && status != MX_OK) {
        mx_diags_log(&m->diags, m->loaded.n_diags);
    }
    return status;
}

/* Lowers at the opset of the model. Nothing is logged if another try follows: it reports what is still true. */
static int lower_graph(mx2onnx_model *m, struct ox_model *onnx)
{
    const size_t first = m->diags.count;
    const mx_log_fn log = m->diags.log;
    struct ox_build b;
    m->diags.log = onnx->newest > onnx->opset ? NULL : log;
    int status = ox_build_init(&b, onnx, &m->diags);
    if (status == MX_OK) {
        status = mx_graph_lower(m->prepared.graph, &b, m->prepared.variable_names, m->prepared.output_names);
    }
    ox_build_free(&b);
    m->diags.log = log;
    if (status == MX_OUT_OF_MEMORY || m->budget.status != MX_OK) {
        onnx->needs = 0;
    }
    if (onnx->newest > onnx->opset && onnx->needs == 0) {
        mx_diags_log(&m->diags, first);
    }
    return status;
}

/* Metadata of nodes exist since IR version 10, and no opset has a newer one. */
static int ir_version(const mx2onnx_model *m, int opset)
{
    return m->choices.options[MX2ONNX_OPTION_NODE_METADATA] ? NODE_METADATA_IR_VERSION : ox_opset_ir_version(opset);
}

/* A requested opset is written even if the target cannot read it: a later release of the target may. */
static void note_opset(mx2onnx_model *m)
{
    const struct ox_target *target = m->choices.target ? m->choices.target : &ox_targets[0];
    const int opset = (int)m->choices.options[MX2ONNX_OPTION_OPSET];
    static const char format[] = "%s reads opsets up to %d, but %d is written" MX_HELP "leave MX2ONNX_OPTION_OPSET at its default";
    if (opset > target->opset && m->choices.target) {
        mx_warn(&m->diags, MX_NOWHERE, format, target->name, target->opset, opset);
    } else if (opset > target->opset) {
        mx_note(&m->diags, MX_NOWHERE, format, "ONNX Runtime", target->opset, opset);
    }
}

static int lower_at(mx2onnx_model *m, struct ox_model *onnx, const struct raised *raised)
{
    MX_TRY(prepare(m));
    mx_diags_truncate(&m->diags, m->prepared.n_diags); /* drops what the previous export or try reported */
    if (raised->opset > 0) {
        mx_note(&m->diags, (struct mx_where){.node = raised->node, .op = raised->op},
                "the node needs opset %d, which was chosen because no opset was requested", raised->opset);
    }
    note_opset(m);
    m->budget.phase = MX2ONNX_PHASE_LOWER;
    const int opset = mx_model_opset(m);
    *onnx = (struct ox_model){.dims = m->prepared.dims,
                              .opset = opset,
                              .newest = newest_opset(m),
                              .ir_version = ir_version(m, opset),
                              .node_metadata = m->choices.options[MX2ONNX_OPTION_NODE_METADATA],
                              .target = m->choices.target,
                              .trust_indices = m->choices.options[MX2ONNX_OPTION_TRUST_INDICES],
                              .zero_sizes = m->prepared.graph->np_shape,
                              .seeded = m->choices.options[MX2ONNX_OPTION_SEED] >= 0,
                              .seed = (int32_t)m->choices.options[MX2ONNX_OPTION_SEED],
                              .clamp = m->choices.options[MX2ONNX_OPTION_FLOAT16] != MX2ONNX_FLOAT16_OFF,
                              .fold_input_scale = m->choices.options[MX2ONNX_OPTION_FOLD_INPUT_SCALE]};
    onnx->arena.budget = &m->budget;
    m->budget.nodes = 0;
    MX_TRY(mx_budget_ask(&m->budget));
    return lower_graph(m, onnx);
}

/* The names outlive the graph, which is made again where there are handlers. */
static int raise(mx2onnx_model *m, const struct ox_model *onnx, struct mx_arena *arena, struct raised *out)
{
    const struct mx_where at = mx_at(onnx->needs_for, NULL);
    out->opset = m->written.opset_raised = onnx->needs;
    out->node = mx_arena_strdup(arena, at.node ? at.node : "");
    out->op = mx_arena_strdup(arena, at.op ? at.op : "");
    return out->node && out->op ? MX_OK : MX_OUT_OF_MEMORY;
}

/* Lowers at the usual opset, and again where nodes need a newer one and may have it: at the one they named, which is higher each
 * time. So the result is what is written when that opset is requested. */
static int lower_at_needed(mx2onnx_model *m, struct ox_model *onnx, struct mx_arena *arena)
{
    struct raised raised = {0};
    int status = lower_at(m, onnx, &raised);
    while (status != MX_OK && onnx->needs > 0) {
        MX_TRY(raise(m, onnx, arena, &raised));
        free_onnx(onnx);
        *onnx = (struct ox_model){0};
        status = lower_at(m, onnx, &raised);
    }
    return status;
}

/* Lowers into *onnx, which the caller frees with free_onnx even after an error. */
static int lower(mx2onnx_model *m, struct ox_model *onnx, bool trace)
{
    struct mx_arena arena = {.budget = &m->budget};
    const int status = lower_at_needed(m, onnx, &arena);
    m->written.opset_raised = 0;
    mx_arena_free(&arena);
    MX_TRY(status);
    const bool keep = m->choices.options[MX2ONNX_OPTION_KEEP_BATCH_NORM] || m->choices.options[MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS];
    return ox_run_passes(onnx, !keep, trace);
}

static size_t count_nodes(const struct ox_model *onnx)
{
    size_t n = 0;
    for (int i = 0; i < onnx->main.n_nodes; i++) {
        n += !onnx->main.nodes[i]->dead;
    }
    return n;
}

static int make_plan(mx2onnx_model *m, struct ox_model *onnx, const char *location, struct ox_plan **plan)
{
    const struct ox_write_options options = {
        .external_mode = (int)m->choices.options[MX2ONNX_OPTION_EXTERNAL_DATA],
        .threshold = (uint64_t)m->choices.options[MX2ONNX_OPTION_EXTERNAL_THRESHOLD],
        .location = location,
        .full_checksum = m->choices.options[MX2ONNX_OPTION_FULL_CHECKSUM],
        .initializers_as_inputs = m->choices.options[MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS],
        .producer = m->choices.texts[MX2ONNX_TEXT_PRODUCER],
        .producer_version = mx_version(),
        .doc_string = m->choices.texts[MX2ONNX_TEXT_DOC_STRING],
        .domains = &m->choices.domains,
        .metadata = m->choices.metadata,
        .n_metadata = m->choices.n_metadata,
        .progress = m->budget.progress,
        .progress_user = m->budget.user,
    };
    m->budget.phase = MX2ONNX_PHASE_WRITE;
    MX_TRY(ox_plan_new(plan, onnx, &options, &m->diags));
    m->written.opset = onnx->opset;
    m->written.nodes = count_nodes(onnx);
    m->written.n_files = 0;
    mx_str_clear(&m->written.files);
    m->written.bytes = ox_plan_model_bytes(*plan) + ox_plan_side_bytes(*plan);
    if (!mx_budget_output(&m->budget, m->written.bytes)) {
        ox_plan_free(*plan);
        return m->budget.status;
    }
    return MX_OK;
}

/* ---- to a file, and possibly a second one next to it */

struct target {
    struct mx_sink *model, *side;
    char *side_path;
    struct mx_in_place in_place;
};

static int fail_open(mx2onnx_model *m, int status, const char *path, const char *reason)
{
    struct mx_arena arena = {.budget = &m->budget};
    const char *folder = mx_path_folder(&arena, path);
    const bool no_folder = folder && *folder && !mx_is_folder(folder), is_folder = mx_is_folder(path);
    mx_arena_free(&arena);
    const char *why = no_folder                ? "its folder does not exist"
                      : is_folder              ? "it is a folder"
                      : status == MX_NOT_FOUND ? "its folder takes no files"
                                               : reason;
    const char *help = no_folder   ? "create the folder, or choose another"
                       : is_folder ? "give the path of a file in it"
                                   : "choose another folder, or another name";
    return mx_fail(&m->diags, status, mx_named(path), MX_SUBJECT "cannot be written: %s" MX_HELP "%s", why, help);
}

/* An output must not replace a file that the model is read from, whatever path is used for it. */
static int check_source(mx2onnx_model *m, const char *path, const struct mx_file_id *id)
{
    struct mx_file_id catalogue;
    bool is_source = m->nets.catalogue.file && mx_source_id(m->nets.catalogue.file, &catalogue) && mx_file_is(&catalogue, id);
    for (size_t i = 0; i < m->loaded.n_files && !is_source; i++) {
        is_source = mx_file_is(&m->loaded.files[i], id);
    }
    return is_source ? mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(path),
                               MX_SUBJECT "is a file that the model was read from, and is not overwritten" MX_HELP
                                          "choose another name for the output")
                     : MX_OK;
}

/* A device or a pipe has no folder. */
static int check_devices(mx2onnx_model *m, const char *path, const char *side_path, const struct ox_plan *plan)
{
    struct mx_file_id id;
    const bool side = ox_plan_needs_side_file(plan), outside = side || ox_plan_file(plan, 0);
    const bool model_is = outside && mx_target_look(path, &id) == MX_TARGET_DEVICE;
    if (!model_is && (!side || mx_target_look(side_path, &id) != MX_TARGET_DEVICE)) {
        return MX_OK;
    }
    return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(model_is ? path : side_path),
                   MX_SUBJECT "is a device or a pipe, which cannot have a side file for the weights" MX_HELP
                              "write to a file, or keep the weights in the model (external data: never)");
}

/* The model holds the name of its side file, which is in the same folder, where the file system may ignore case. */
static int check_name(mx2onnx_model *m, const char *path, const char *side_path)
{
    if (mx_same_but_case(mx_path_base(path), mx_path_base(side_path))) {
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(path),
                       MX_SUBJECT "and its side file '%s' have the same name" MX_HELP "choose another name for the side file",
                       mx_path_base(side_path));
    }
    return mx_name_is_plain(mx_path_base(side_path))
               ? MX_OK
               : mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(side_path),
                         MX_SUBJECT "is not a valid name for a side file" MX_HELP
                                    "choose a model name in UTF-8 without '\\', ':' and control characters, or "
                                    "keep the weights in the model (external data: never)");
}

static int check_targets(mx2onnx_model *m, const char *path, const char *side_path, bool side)
{
    struct mx_file_id model_id, side_id;
    const enum mx_target model_is = mx_target_look(path, &model_id);
    const enum mx_target side_is = side ? mx_target_look(side_path, &side_id) : MX_TARGET_NEW;
    if (model_is == MX_TARGET_FILE) {
        MX_TRY(check_source(m, path, &model_id));
    }
    if (side_is == MX_TARGET_FILE) {
        MX_TRY(check_source(m, side_path, &side_id));
    }
    if (model_is == MX_TARGET_FILE && side_is == MX_TARGET_FILE && mx_file_is(&model_id, &side_id)) {
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(path),
                       MX_SUBJECT "and its side file are the same file" MX_HELP "choose another name for the output");
    }
    return MX_OK;
}

static int open_target(mx2onnx_model *m, const char *path, const struct ox_plan *plan, struct target *t)
{
    const char *reason = NULL, *opened = path;
    MX_TRY(check_devices(m, path, t->side_path, plan));
    MX_TRY(ox_plan_needs_side_file(plan) ? check_name(m, path, t->side_path) : MX_OK);
    MX_TRY(mx_in_place_settle(&t->in_place, plan, path));
    MX_TRY(check_targets(m, path, t->side_path, ox_plan_needs_side_file(plan)));
    int status = mx_sink_open_file(&t->model, path, m->choices.options[MX2ONNX_OPTION_FSYNC], &reason);
    if (status == MX_OK && ox_plan_needs_side_file(plan)) {
        opened = t->side_path;
        status = mx_sink_open_file(&t->side, t->side_path, m->choices.options[MX2ONNX_OPTION_FSYNC], &reason);
    }
    return status == MX_OK ? MX_OK : fail_open(m, status, opened, reason);
}

static void note_left(mx2onnx_model *m, const struct mx_sink *s, const char *path)
{
    bool needed = false;
    const char *left = s ? mx_sink_left(s, &needed) : NULL;
    if (left) {
        mx_warn(&m->diags, mx_named(path), "the previous file is now called '%s', in the same folder" MX_HELP "%s", left,
                needed ? "rename it back" : "you can delete it");
    }
}

static int commit_sink(mx2onnx_model *m, struct mx_sink *s, struct mx_sink *side)
{
    const int status = mx_sink_commit(s, side);
    return status == MX_OK ? MX_OK : mx_sink_fail(side && mx_sink_reason(side)[0] ? side : s, status, &m->diags);
}

static int write_target(mx2onnx_model *m, struct ox_plan *plan, const char *path, struct target *t)
{
    MX_TRY(mx_sink_expect(t->model, ox_plan_model_bytes(plan)));
    MX_TRY(t->side ? mx_sink_expect(t->side, ox_plan_side_bytes(plan)) : MX_OK);
    MX_TRY(ox_plan_write(plan, t->model, t->side, &m->diags));
    const int status = commit_sink(m, t->model, t->side);
    note_left(m, t->model, path);
    note_left(m, t->side, t->side_path);
    return status;
}

static void list_file(mx2onnx_model *m, const char *path)
{
    const char *name = mx_path_base(path);
    mx_str_append_bytes(&m->written.files, name, strlen(name) + 1);
    m->written.n_files++;
}

/* Lists the files that now belong together. */
static int list_files(mx2onnx_model *m, const char *path, const struct ox_plan *plan, const struct target *t)
{
    const struct mx_source *source;
    list_file(m, path);
    if (ox_plan_needs_side_file(plan)) {
        list_file(m, t->side_path);
    }
    for (size_t i = 0; (source = ox_plan_file(plan, i)); i++) {
        list_file(m, mx_source_path(source));
    }
    return m->written.files.failed ? MX_OUT_OF_MEMORY : MX_OK;
}

static int plan_and_write(mx2onnx_model *m, struct ox_model *onnx, const char *path, struct target *t)
{
    const char *name = m->choices.texts[MX2ONNX_TEXT_SIDE_FILE];
    t->side_path = name ? mx_arena_printf(&onnx->arena, "%.*s%s", (int)(mx_path_base(path) - path), path, name)
                        : mx_arena_printf(&onnx->arena, "%s.data", path);
    MX_TRY_ALLOC(t->side_path);
    struct ox_plan *plan;
    MX_TRY(make_plan(m, onnx, mx_path_base(t->side_path), &plan));
    int status = list_files(m, path, plan, t);
    if (status == MX_OK) {
        status = open_target(m, path, plan, t);
    }
    if (status == MX_OK) {
        status = write_target(m, plan, path, t);
    }
    mx_in_place_end(&t->in_place, status != MX_OK);
    ox_plan_free(plan);
    return status;
}

static void forget_written(mx2onnx_model *m)
{
    m->written.opset = 0;
    m->written.nodes = 0;
    m->written.bytes = 0;
    m->written.n_files = 0;
}

int mx_model_written(mx2onnx_model *m, int status)
{
    if (status != MX_OK) {
        forget_written(m);
    }
    return status;
}

int mx_model_export_file(mx2onnx_model *m, const char *path)
{
    struct ox_model onnx = {0};
    struct target t = {.in_place = {.model = m, .arena = &onnx.arena}};
    forget_written(m);
    int status = lower(m, &onnx, false);
    if (status == MX_OK) {
        status = plan_and_write(m, &onnx, path, &t);
    }
    mx_sink_close(t.side);
    mx_sink_close(t.model);
    free_onnx(&onnx);
    return status;
}

/* ---- to memory or a callback */

static int write_sink(mx2onnx_model *m, struct ox_model *onnx, struct mx_sink *sink)
{
    struct ox_plan *plan;
    MX_TRY(make_plan(m, onnx, NULL, &plan));
    int status = mx_sink_expect(sink, ox_plan_model_bytes(plan));
    if (status == MX_OK) {
        status = ox_plan_write(plan, sink, NULL, &m->diags);
    }
    ox_plan_free(plan);
    MX_TRY(status);
    return commit_sink(m, sink, NULL);
}

int mx_model_export_sink(mx2onnx_model *m, struct mx_sink *sink)
{
    struct ox_model onnx = {0};
    forget_written(m);
    int status = lower(m, &onnx, false);
    if (status == MX_OK) {
        status = write_sink(m, &onnx, sink);
    }
    free_onnx(&onnx);
    return status;
}

int mx_model_onnx_text(mx2onnx_model *m, struct mx_str *out)
{
    struct ox_model onnx = {0};
    const int status = lower(m, &onnx, m->choices.log && m->choices.log_least >= MX2ONNX_SEVERITY_DEBUG);
    mx_str_clear(out);
    if (status == MX_OK) {
        ox_dump(&onnx, out);
    }
    free_onnx(&onnx);
    return status == MX_OK && out->failed ? MX_OUT_OF_MEMORY : status;
}

int mx_model_onnx_json(mx2onnx_model *m, struct mx_str *out)
{
    struct ox_model onnx = {0};
    int status = lower(m, &onnx, false);
    mx_str_clear(out);
    if (status == MX_OK) {
        status = ox_json(&onnx, &m->choices.domains, m->choices.options[MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS], out);
    }
    free_onnx(&onnx);
    return status;
}
