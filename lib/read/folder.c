#include "read/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

bool mx_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool mx_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_name(struct mx_names *names, size_t *capacity, const char *name)
{
    if (names->count == *capacity) {
        const size_t more = *capacity ? *capacity * 2 : 64;
        const char **items = mx_realloc(names->items, more, sizeof *items);
        MX_TRY_ALLOC(items);
        names->items = items;
        *capacity = more;
    }
    names->items[names->count++] = name;
    return MX_OK;
}

static int read_folder(DIR *folder, struct mx_arena *arena, struct mx_names *names)
{
    size_t capacity = 0;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        const char *name = mx_arena_strdup(arena, e->d_name);
        MX_TRY_ALLOC(name);
        MX_TRY(add_name(names, &capacity, name));
    }
    return MX_OK;
}

int mx_folder_names(const char *path, struct mx_arena *arena, struct mx_names *out)
{
    DIR *folder = opendir(path[0] ? path : ".");
    if (!folder) {
        return MX_IO;
    }
    struct mx_names names = {0};
    int status = read_folder(folder, arena, &names);
    closedir(folder);
    if (status == MX_OK && names.count > 0) {
        qsort(names.items, names.count, sizeof *names.items, compare);
        out->items = mx_arena_copy(arena, names.items, names.count, sizeof *names.items);
        out->count = names.count;
        status = out->items ? MX_OK : MX_OUT_OF_MEMORY;
    } else {
        *out = (struct mx_names){0};
    }
    mx_free(names.items);
    return status;
}

static bool is_separator(char c)
{
#if defined(_WIN32)
    return c == '/' || c == '\\' || c == ':';
#else
    return c == '/';
#endif
}

const char *mx_path_join(struct mx_arena *arena, const char *folder, const char *name)
{
    const size_t n = strlen(folder);
    const bool bare = n == 0 || is_separator(folder[n - 1]);
    return mx_arena_printf(arena, "%s%s%s", folder, bare ? "" : "/", name);
}

const char *mx_path_folder(struct mx_arena *arena, const char *path)
{
    return mx_arena_strndup(arena, path, (size_t)(mx_path_base(path) - path));
}
