#include "read/folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/io_os.h"
#include "base/str.h"

bool mx_is_folder(const char *path)
{
    unsigned mode;
    return mx_os_look(path, &mode) == MX_OS_FOLDER;
}

bool mx_is_file(const char *path)
{
    unsigned mode;
    const enum mx_os_file is = mx_os_look(path, &mode);
    return is == MX_OS_REGULAR || is == MX_OS_SPECIAL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct reading {
    struct mx_arena *arena;
    struct mx_names names;
    size_t capacity;
};

static int add_name(const char *name, void *user)
{
    struct reading *r = user;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return MX_OK;
    }
    MX_TRY(mx_grow(NULL, &r->names.items, r->names.count, &r->capacity, sizeof(char *)));
    const char *copy = mx_arena_strdup(r->arena, name);
    MX_TRY_ALLOC(copy);
    r->names.items[r->names.count++] = copy;
    return MX_OK;
}

int mx_folder_names(const char *path, struct mx_arena *arena, struct mx_names *out)
{
    struct reading r = {.arena = arena};
    int status = mx_os_list(path, add_name, &r);
    *out = (struct mx_names){0};
    if (status == MX_OK && r.names.count > 0) {
        qsort(r.names.items, r.names.count, sizeof *r.names.items, compare);
        *out = r.names;
        out->items = mx_arena_copy(arena, r.names.items, r.names.count, sizeof *r.names.items);
        status = out->items ? MX_OK : MX_OUT_OF_MEMORY;
    }
    mx_free(r.names.items);
    return status;
}

const char *mx_path_join(struct mx_arena *arena, const char *folder, const char *name)
{
    const size_t n = strlen(folder);
    const bool bare = n == 0 || mx_os_is_separator(folder[n - 1]);
    return mx_arena_printf(arena, "%s%s%s", folder, bare ? "" : "/", name);
}

const char *mx_path_folder(struct mx_arena *arena, const char *path)
{
    return mx_arena_strndup(arena, path, (size_t)(mx_path_base(path) - path));
}

/* The distance of a file's name from the one that was typed: 1 for other capitals; SIZE_MAX for the same, then it is a link to nothing. */
static size_t distance_of(const char *name, const char *typed, const char *symbol)
{
    const size_t a = mx_distance(name, typed), b = mx_distance(name, symbol);
    const bool capitals = mx_same_but_case(name, typed) || mx_same_but_case(name, symbol);
    return a == 0 || b == 0 ? SIZE_MAX : capitals ? 1 : a < b ? a : b;
}

/* A file whose name is longer than what was typed, without an ending or as a part of it: "lenet-sym". */
static bool is_continued(const char *name, const char *typed, const char *ending)
{
    const size_t length = strlen(typed);
    return length > 2 && mx_common_but_case(name, typed) == length && name[length] && mx_ends_with(name, ending);
}

int mx_path_advice(struct mx_arena *arena, const char *path, bool params, const char **advice)
{
    const char *folder = mx_path_folder(arena, path), *typed = mx_path_base(path), *nearest = NULL;
    const size_t length = strlen(typed), stem = mx_ends_with(typed, ".json") ? length - strlen(".json") : length;
    const char *symbol = mx_arena_printf(arena, "%.*s-symbol.json", (int)stem, typed);
    const size_t far = length < 3 ? 1 : length < 6 ? 2 : 3;
    size_t limit = far + 1; /* that of a name which continues the typed one is `far` */
    struct mx_names names;
    *advice = "check the path";
    MX_TRY_ALLOC(folder && symbol);
    const int status = mx_folder_names(*folder ? folder : ".", arena, &names);
    for (size_t i = 0; status == MX_OK && i < names.count; i++) {
        MX_TRY(mx_tick(arena->budget, MX_TICK_NODE));
        if (params && mx_ends_with(names.items[i], ".json")) {
            continue;
        }
        const bool is_symbol = stem < length && strcmp(names.items[i], symbol) == 0;
        size_t distance = is_symbol ? 0 : distance_of(names.items[i], typed, symbol);
        distance = distance >= far ? (is_continued(names.items[i], typed, params ? ".params" : "-symbol.json") ? far : SIZE_MAX) : distance;
        if (distance < limit) {
            limit = distance;
            nearest = names.items[i];
        }
    }
    if (nearest) {
        const char *near_path = mx_path_join(arena, folder, nearest);
        *advice = near_path ? mx_arena_printf(arena, "did you mean '%s'?", near_path) : NULL;
    }
    return *advice && status != MX_OUT_OF_MEMORY ? MX_OK : MX_OUT_OF_MEMORY;
}
