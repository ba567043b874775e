/* Parameter files that a model refers to (MX2ONNX_EXTERNAL_IN_PLACE) must be in its folder: this is checked before anything is written. */
#include "model/in_place.h"

#include "base/io_os.h"

static void note_file(mx2onnx_model *m, const char *name, const struct mx_file_id *id)
{
    mx_note(&m->diags, mx_named(name), MX_SUBJECT "holds weights of the model" MX_HELP "keep it with the model, unchanged");
    if (id->names > 1) {
        mx_note(&m->diags, mx_named(name),
                MX_SUBJECT "has several names (hard links): ONNX Runtime reads such a file, but onnx.load and onnx.checker refuse it");
    }
}

static int make_link(struct mx_in_place *p, const char *from, const char *there, const struct mx_file_id *wanted)
{
    struct mx_file_id id;
    const char *reason = NULL, *name;
    const char **links = mx_arena_alloc(p->arena, p->n_links + 1, sizeof *links);
    int status = MX_OK;
    MX_TRY_ALLOC(links);
    if (!p->folder) {
        p->folder = mx_os_open_folder(there, &name, &status, &reason);
    }
    MX_TRY(status == MX_OUT_OF_MEMORY ? status : MX_OK);
    if (!p->folder || !mx_os_link(from, there, &reason)) {
        return mx_fail(
            &p->model->diags, MX_IO, mx_named(there),
            MX_SUBJECT "cannot be made a link to the parameter file: %s" MX_HELP "copy the parameter file there and load the copy", reason);
    }
    for (size_t i = 0; i < p->n_links; i++) {
        links[i] = p->links[i];
    }
    links[p->n_links++] = mx_path_base(there);
    p->links = links;
    if (mx_os_id_of(there, &id) != MX_OK || !mx_file_is(&id, wanted)) {
        return mx_fail(&p->model->diags, MX_IO, mx_named(from), MX_SUBJECT "was changed after it was loaded" MX_HELP "load it again");
    }
    note_file(p->model, mx_path_base(there), &id);
    return MX_OK;
}

/* Checks what already exists under the name. */
static int check_taken(struct mx_diags *diags, const char *there, bool same)
{
    if (mx_os_is_link(there)) {
        return mx_fail(diags, MX_INVALID_ARGUMENT, mx_named(there),
                       MX_SUBJECT "is a symbolic link, which ONNX programs refuse" MX_HELP "replace it by the parameter file itself");
    }
    return same ? MX_OK
                : mx_fail(diags, MX_INVALID_ARGUMENT, mx_named(there),
                          MX_SUBJECT "is not the parameter file that was loaded, or was changed since then" MX_HELP
                                     "write the model into the folder of the parameter file");
}

static int settle(struct mx_in_place *p, const struct mx_source *source, const char *model)
{
    const char *from = mx_source_path(source), *name = mx_path_base(from);
    const char *there = mx_arena_printf(p->arena, "%.*s%s", (int)(mx_path_base(model) - model), model, name);
    struct mx_diags *diags = &p->model->diags;
    struct mx_file_id wanted, id = {0};
    MX_TRY_ALLOC(there);
    if (!mx_name_is_plain(name)) {
        return mx_fail(diags, MX_INVALID_ARGUMENT, mx_named(name),
                       MX_SUBJECT "is not a valid name for a side file" MX_HELP
                                  "rename the parameter file: UTF-8 without '/', '\\', ':' and control characters");
    }
    if (!mx_source_id(source, &wanted)) {
        return MX_IO;
    }
    if (mx_os_id_of(there, &id) == MX_OK || mx_os_is_link(there)) {
        MX_TRY(check_taken(diags, there, mx_file_is(&id, &wanted)));
        note_file(p->model, name, &id);
        return MX_OK;
    }
    if (p->model->choices.options[MX2ONNX_OPTION_EXTERNAL_DATA] != MX2ONNX_EXTERNAL_LINK) {
        return mx_fail(diags, MX_INVALID_ARGUMENT, mx_named(name),
                       MX_SUBJECT
                       "is not in the folder of the ONNX model, which refers to it by name" MX_HELP
                       "write the model into that folder, move the parameter file, or choose a hard link (MX2ONNX_EXTERNAL_LINK)");
    }
    return make_link(p, from, there, &wanted);
}

int mx_in_place_settle(struct mx_in_place *p, const struct ox_plan *plan, const char *path)
{
    const struct mx_source *source = ox_plan_file(plan, 0);
    if (!source && p->model->choices.options[MX2ONNX_OPTION_EXTERNAL_DATA] >= MX2ONNX_EXTERNAL_IN_PLACE && ox_plan_needs_side_file(plan)) {
        mx_note(&p->model->diags, MX_NOWHERE,
                "no weights stay in the parameter file: all are computed, or come from memory, an archive or a sparse array");
    }
    for (size_t i = 0; source; source = ox_plan_file(plan, ++i)) {
        MX_TRY(settle(p, source, path));
    }
    return MX_OK;
}

void mx_in_place_end(struct mx_in_place *p, bool failed)
{
    for (size_t i = 0; failed && i < p->n_links; i++) {
        (void)mx_os_remove_in(p->folder, p->links[i]);
    }
    mx_os_close_folder(p->folder);
}
