#include "base/io_replace.h"

#include <stdio.h>

#define OLD_MODEL ".model.old"
#define OLD_DATA ".data.old"

static void set_name(const struct mx_new_file *f, char name[MX_OS_NAME], const char *end)
{
    snprintf(name, MX_OS_NAME, ".mx2onnx-%lu-%u%s", mx_os_process(), f->number, end);
}

static bool is_taken(const struct mx_new_file *f, const char *end)
{
    char name[MX_OS_NAME];
    set_name(f, name, end);
    return mx_os_look_in(f->folder, name) != MX_OS_NOTHING;
}

/* An existing name belongs to another export, or was left by a killed process. */
static int create(struct mx_new_file *f, unsigned mode, int *status, const char **reason)
{
    *status = MX_IO;
    *reason = "a file of that name exists";
    for (f->number = 0; f->number < 10000; f->number++) {
        if (is_taken(f, OLD_MODEL) || is_taken(f, OLD_DATA)) {
            continue;
        }
        set_name(f, f->temporary, ".tmp");
        const int fd = mx_os_create_in(f->folder, f->temporary, mode, status, reason);
        if (fd != MX_OS_EXISTS) {
            return fd;
        }
    }
    return -1;
}

int mx_new_file_open(struct mx_new_file *f, const char *path, unsigned mode, int *status, const char **reason)
{
    f->folder = mx_os_open_folder(path, &f->name, status, reason);
    const int fd = f->folder ? create(f, mode, status, reason) : -1;
    if (fd < 0) {
        f->temporary[0] = 0;
    }
    return fd;
}

void mx_new_file_close(struct mx_new_file *f)
{
    if (f->temporary[0]) {
        (void)mx_os_remove_in(f->folder, f->temporary);
    }
    mx_os_close_folder(f->folder);
    f->folder = NULL;
}

/* Gives the old file a second name. False where the file system does not have links, or does not allow one for this file. */
static bool link_old(struct mx_new_file *f)
{
    set_name(f, f->old, OLD_MODEL);
    if (!mx_os_link_in(f->folder, f->name, f->old)) {
        f->old[0] = 0;
    }
    return f->old[0];
}

static int move_old(struct mx_new_file *f, const char *end, bool sync, const char **reason)
{
    set_name(f, f->old, end);
    f->moved = mx_os_rename_in(f->folder, f->name, f->old, sync, reason);
    if (!f->moved) {
        f->old[0] = 0;
    }
    return f->moved ? MX_OK : MX_IO;
}

static int place(struct mx_new_file *f, bool sync, const char **reason)
{
    if (!mx_os_rename_in(f->folder, f->temporary, f->name, sync, reason)) {
        return MX_IO;
    }
    f->temporary[0] = 0;
    f->moved = f->old[0];
    return MX_OK;
}

static void remove_old(struct mx_new_file *f)
{
    f->moved = false;
    if (f->old[0] && mx_os_remove_in(f->folder, f->old)) {
        f->old[0] = 0;
    }
}

/* False if the old file does not have its name again. */
static bool put_back(struct mx_new_file *f, bool sync)
{
    const char *reason;
    if (!f->moved) { /* `old` is a second name of the old file, or there is no old file */
        const bool placed = !f->temporary[0];
        remove_old(f);
        return !placed || mx_os_remove_in(f->folder, f->name);
    }
    if (!mx_os_rename_in(f->folder, f->old, f->name, sync, &reason)) {
        return false;
    }
    f->old[0] = 0;
    f->moved = false;
    return true;
}

static int refuse_folder(struct mx_new_file *f, const char **reason)
{
    if (mx_os_look_in(f->folder, f->name) != MX_OS_FOLDER) {
        return MX_OK;
    }
    *reason = "it is a folder";
    return MX_IO;
}

static int replace_both(struct mx_new_file *model, struct mx_new_file *side, bool sync, struct mx_new_file **failed, const char **reason)
{
    const bool new_model = mx_os_look_in(model->folder, model->name) == MX_OS_NOTHING;
    const bool linked = new_model || link_old(model);
    *failed = side;
    MX_TRY(move_old(side, OLD_DATA, sync, reason));
    *failed = model;
    MX_TRY(linked ? MX_OK : move_old(model, OLD_MODEL, sync, reason));
    MX_TRY(place(model, sync, reason));
    *failed = side;
    return place(side, sync, reason);
}

static int place_all(struct mx_new_file *model, struct mx_new_file *side, bool sync, struct mx_new_file **failed, const char **reason)
{
    *failed = model;
    MX_TRY(refuse_folder(model, reason));
    if (side) {
        *failed = side;
        MX_TRY(refuse_folder(side, reason));
        if (mx_os_look_in(side->folder, side->name) != MX_OS_NOTHING) {
            return replace_both(model, side, sync, failed, reason);
        }
        MX_TRY(place(side, sync, reason));
    }
    *failed = model;
    return place(model, sync, reason);
}

int mx_new_files_place(struct mx_new_file *model, struct mx_new_file *side, bool sync, struct mx_new_file **failed, const char **reason)
{
    const int status = place_all(model, side, sync, failed, reason);
    if (status == MX_OK) {
        remove_old(model);
        if (side) {
            remove_old(side);
        }
        return MX_OK;
    }
    if (put_back(model, sync) && side) { /* the model first, so that the new one never finds the old side file */
        (void)put_back(side, sync);
    }
    return status;
}
