/* Folders and paths: everything that the library needs from the file system besides opening a file. */
#ifndef MX_READ_FOLDER_H
#define MX_READ_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/io.h"

/* The names of the files in a folder, without "." and "..", sorted. */
struct mx_names {
    const char **items;
    size_t count;
};

bool mx_is_folder(const char *path);
bool mx_is_file(const char *path);
/* IO if the folder cannot be read. Everything is in the arena. */
int mx_folder_names(const char *path, struct mx_arena *arena, struct mx_names *out) MX_MUST_USE;
/* "a/b" + "c"; "" is the current folder. NULL when memory runs out. */
const char *mx_path_join(struct mx_arena *arena, const char *folder, const char *name);
/* The folder of a path, "" if it names none. NULL when memory runs out. */
const char *mx_path_folder(struct mx_arena *arena, const char *path);
/* Advice for a path that does not exist: "did you mean 'a/net-symbol.json'?" if a name in its folder differs by a letter or two or in
 * its capitals, with or without -symbol.json appended, or if it is that of a symbol and begins with what was typed. `params`: a
 * parameter file is wanted, not a symbol. */
int mx_path_advice(struct mx_arena *arena, const char *path, bool params, const char **advice) MX_MUST_USE;

#endif
