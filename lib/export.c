/* From the prepared graph to bytes: lower, finish, plan, write. */
#include <string.h>

#include "in_place.h"
#include "model.h"
#include "onnx/build/internal.h"
#include "onnx/pass/pass.h"
#include "onnx/table/opset.h"
#include "onnx/write/write.h"

/* Lowers into *onnx, which the caller frees with free_onnx even after an error. */
static int lower(mx2onnx_model *m, struct ox_model *onnx, bool trace)
{
    MX_TRY(mx_model_prepare(m, MX_STAGE_INFERRED));
    mx_diags_truncate(&m->diags, m->prepare_diags); /* drops what the previous export reported */
    m->budget.phase = MX2ONNX_PHASE_LOWER;
    const int opset = mx_model_opset(m);
    *onnx = (struct ox_model){.dims = m->dims,
                              .opset = opset,
                              .ir_version = ox_opset_ir_version(opset),
                              .target = m->target,
                              .trust_indices = m->options[MX2ONNX_OPTION_TRUST_INDICES],
                              .zero_sizes = m->graph->np_shape,
                              .seeded = m->options[MX2ONNX_OPTION_SEED] >= 0,
                              .seed = (int32_t)m->options[MX2ONNX_OPTION_SEED],
                              .clamp = m->options[MX2ONNX_OPTION_FLOAT16] != MX2ONNX_FLOAT16_OFF,
                              .fold_input_scale = m->options[MX2ONNX_OPTION_FOLD_INPUT_SCALE]};
    onnx->arena.budget = &m->budget;
    m->budget.nodes = 0;
    MX_TRY(mx_budget_ask(&m->budget));
    struct ox_build b;
    int status = ox_build_init(&b, onnx, &m->diags);
    if (status == MX_OK) {
        status = mx_graph_lower(m->graph, &b, m->output_names);
    }
    ox_build_free(&b);
    MX_TRY(status);
    const bool keep = m->options[MX2ONNX_OPTION_KEEP_BATCH_NORM] || m->options[MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS];
    return ox_run_passes(onnx, !keep, trace);
}

static void free_onnx(struct ox_model *onnx)
{
    mx_budget_array_free(onnx->arena.budget, onnx->values, (size_t)onnx->cap_values, sizeof *onnx->values);
    mx_arena_free(&onnx->arena);
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
        .external_mode = (int)m->options[MX2ONNX_OPTION_EXTERNAL_DATA],
        .threshold = (uint64_t)m->options[MX2ONNX_OPTION_EXTERNAL_THRESHOLD],
        .location = location,
        .full_checksum = m->options[MX2ONNX_OPTION_FULL_CHECKSUM],
        .initializers_as_inputs = m->options[MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS],
        .producer = m->texts[MX2ONNX_TEXT_PRODUCER],
        .producer_version = mx2onnx_version(),
        .doc_string = m->texts[MX2ONNX_TEXT_DOC_STRING],
        .progress = m->budget.progress,
        .progress_user = m->budget.user,
    };
    m->budget.phase = MX2ONNX_PHASE_WRITE;
    MX_TRY(ox_plan_new(plan, onnx, &options, &m->diags));
    m->opset_written = onnx->opset;
    m->nodes_written = count_nodes(onnx);
    m->n_files_written = 0;
    mx_str_clear(&m->files_written);
    m->bytes_written = ox_plan_model_bytes(*plan) + ox_plan_side_bytes(*plan);
    if (!mx_budget_output(&m->budget, m->bytes_written)) {
        ox_plan_free(*plan);
        return m->budget.status;
    }
    return MX_OK;
}

/* ---- to a file, and possibly a second one beside it */

struct target {
    struct mx_sink *model, *side;
    char *side_path;
    struct mx_in_place in_place;
};

static int fail_open(mx2onnx_model *m, int status, const char *path, const char *reason)
{
    return mx_fail(&m->diags, status, MX_NOWHERE, "'%s' cannot be written: %s", path, reason ? reason : "unknown reason");
}

/* An output must not replace a file that the model is read from, whatever path is used for it. */
static int check_source(mx2onnx_model *m, const char *path, const struct mx_file_id *id)
{
    for (size_t i = 0; i < m->n_files; i++) {
        if (mx_file_is(&m->files[i], id)) {
            return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                           "'%s' is a file of the MXNet model, which is not written over; choose another name for the output",
                           path);
        }
    }
    return MX_OK;
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
    return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                   "'%s' is a device or a pipe, which can have no side file for the weights; write to a file, or keep the "
                   "weights in the model (external data: never)",
                   model_is ? path : side_path);
}

/* The model holds the name of its side file. */
static int check_name(mx2onnx_model *m, const char *side_path)
{
    return mx_name_is_plain(mx_path_base(side_path))
        ? MX_OK
        : mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                  "'%s' is not a name that a model can hold for its side file; give the model a name in UTF-8, without '\\', ':' and "
                  "control characters, or keep the weights in it (external data: never)",
                  side_path);
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
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                       "'%s' and its side file are one file; choose another name for the output", path);
    }
    return MX_OK;
}

static int open_target(mx2onnx_model *m, const char *path, const struct ox_plan *plan, struct target *t)
{
    const char *reason = NULL, *opened = path;
    MX_TRY(check_devices(m, path, t->side_path, plan));
    MX_TRY(ox_plan_needs_side_file(plan) ? check_name(m, t->side_path) : MX_OK);
    MX_TRY(mx_in_place_settle(&t->in_place, plan, path));
    MX_TRY(check_targets(m, path, t->side_path, ox_plan_needs_side_file(plan)));
    int status = mx_sink_open_file(&t->model, path, m->options[MX2ONNX_OPTION_FSYNC], &reason);
    if (status == MX_OK && ox_plan_needs_side_file(plan)) {
        opened = t->side_path;
        status = mx_sink_open_file(&t->side, t->side_path, m->options[MX2ONNX_OPTION_FSYNC], &reason);
    }
    return status == MX_OK ? MX_OK : fail_open(m, status, opened, reason);
}

static int finish_sink(mx2onnx_model *m, struct mx_sink *s)
{
    const int status = s ? mx_sink_finish(s) : MX_OK;
    return status == MX_OK ? MX_OK : mx_sink_fail(s, status, &m->diags);
}

static void tell_left(mx2onnx_model *m, const struct mx_sink *s, const char *path)
{
    bool needed = false;
    const char *left = s ? mx_sink_left(s, &needed) : NULL;
    if (left) {
        mx_warn(&m->diags, (struct mx_where){.name = path}, "the previous file is now '%s', in the same folder; %s", left,
                needed ? "rename it back" : "it may be deleted");
    }
}

static int commit_sink(mx2onnx_model *m, struct mx_sink *s, struct mx_sink *side)
{
    const int status = mx_sink_commit_with(s, side);
    return status == MX_OK ? MX_OK : mx_sink_fail(side && mx_sink_reason(side)[0] ? side : s, status, &m->diags);
}

static int write_target(mx2onnx_model *m, struct ox_plan *plan, const char *path, struct target *t)
{
    MX_TRY(mx_sink_expect(t->model, ox_plan_model_bytes(plan)));
    MX_TRY(t->side ? mx_sink_expect(t->side, ox_plan_side_bytes(plan)) : MX_OK);
    MX_TRY(ox_plan_write(plan, t->model, t->side, &m->diags));
    MX_TRY(finish_sink(m, t->side));
    MX_TRY(finish_sink(m, t->model));
    const int status = commit_sink(m, t->model, t->side);
    tell_left(m, t->model, path);
    tell_left(m, t->side, t->side_path);
    return status;
}

static void list_file(mx2onnx_model *m, const char *path)
{
    const char *name = mx_path_base(path);
    mx_str_append_bytes(&m->files_written, name, strlen(name) + 1);
    m->n_files_written++;
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
    return m->files_written.failed ? MX_OUT_OF_MEMORY : MX_OK;
}

static int plan_and_write(mx2onnx_model *m, struct ox_model *onnx, const char *path, struct target *t)
{
    const char *name = m->texts[MX2ONNX_TEXT_SIDE_FILE];
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

/* After a failure nothing counts as written. */
static int written(mx2onnx_model *m, int status)
{
    if (status != MX_OK) {
        m->opset_written = 0;
        m->nodes_written = 0;
        m->bytes_written = 0;
        m->n_files_written = 0;
    }
    return status;
}

int mx_model_export_file(mx2onnx_model *m, const char *path)
{
    struct ox_model onnx = {0};
    struct target t = {.in_place = {.model = m, .arena = &onnx.arena}};
    int status = lower(m, &onnx, false);
    if (status == MX_OK) {
        status = plan_and_write(m, &onnx, path, &t);
    }
    mx_sink_close(t.side);
    mx_sink_close(t.model);
    free_onnx(&onnx);
    return written(m, status);
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
    MX_TRY(finish_sink(m, sink));
    return commit_sink(m, sink, NULL);
}

int mx_model_export_sink(mx2onnx_model *m, struct mx_sink *sink)
{
    struct ox_model onnx = {0};
    int status = lower(m, &onnx, false);
    if (status == MX_OK) {
        status = write_sink(m, &onnx, sink);
    }
    free_onnx(&onnx);
    return written(m, status);
}

int mx_model_graph_text(mx2onnx_model *m)
{
    struct ox_model onnx = {0};
    const int status = lower(m, &onnx, m->log && m->log_least >= MX2ONNX_SEVERITY_DEBUG);
    mx_str_clear(&m->graph_text);
    if (status == MX_OK) {
        ox_dump(&onnx, &m->graph_text);
    }
    free_onnx(&onnx);
    return status == MX_OK && m->graph_text.failed ? MX_OUT_OF_MEMORY : status;
}
