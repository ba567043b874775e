/* Files of the operating system: everything that a port has to rewrite. Implemented for POSIX (io_os.c), for Windows, and for a system
 * without files. Paths and names are UTF-8 on Windows, bytes elsewhere. A failing function returns false (or -1) and sets *reason to a
 * static text, independent of the locale. */
#ifndef MX_BASE_IO_OS_H
#define MX_BASE_IO_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"

/* IO if the system cannot identify the file. */
int mx_os_id(int fd, struct mx_file_id *id) MX_MUST_USE;
int mx_os_id_of(const char *path, struct mx_file_id *id) MX_MUST_USE;

/* True for a separator between the parts of a path. */
bool mx_os_is_separator(char c);

enum mx_os_file { MX_OS_NOTHING, MX_OS_REGULAR, MX_OS_FOLDER, MX_OS_SPECIAL };

/* Opens a regular file; *fd and *size are set. NOT_FOUND, IO. */
int mx_os_open_read(const char *path, int *fd, uint64_t *size, const char **reason);
/* The number of bytes read, fewer only at the end of the file; -1 on an error. */
ptrdiff_t mx_os_read(int fd, uint64_t offset, void *out, size_t size);
void mx_os_close(int fd);

/* Maps [offset, offset + size); *map and *map_size are for mx_os_unmap. NULL on an error, including pages that the file does not have
 * (any more), if the system can detect that. */
const void *mx_os_map(int fd, uint64_t offset, size_t size, void **map, size_t *map_size);
void mx_os_unmap(void *map, size_t map_size);

/* What is at path, symbolic links followed; *mode is kept for mx_os_create. */
enum mx_os_file mx_os_look(const char *path, unsigned *mode);
/* Sets *target, which is freed with mx_free: what the symbolic link at path points to; NULL if there is no link, or nothing at its end.
 * OUT_OF_MEMORY. */
int mx_os_follow(const char *path, char **target) MX_MUST_USE;
/* Creates a file without a name in the system's folder for temporary files; -1 on an error. *reason is not set if the system does not have
 * files at all. */
int mx_os_create_temporary(const char **reason);
int mx_os_open_special(const char *path, const char **reason);
/* Writes both ranges one after the other, in the file at byte `at`. No signal from a broken pipe or a file limit reaches the host
 * program. */
struct mx_span {
    const void *data;
    size_t size;
};
bool mx_os_write(int fd, uint64_t at, struct mx_span first, struct mx_span second, const char **reason);
/* Announces the size of the still empty file. This only makes writes cheaper, and only if the system supports it. */
void mx_os_expect(int fd, uint64_t size);
bool mx_os_finish(int fd, bool sync, const char **reason); /* closes the file even on an error */
/* Makes a hard link; an existing file of that name is not replaced. A symbolic link at `from` is followed. */
bool mx_os_link(const char *from, const char *name, const char **reason);
bool mx_os_is_link(const char *path); /* true for a symbolic link */

/* The folder of a file, held open. Where the system allows it, the files in it are still found when it is renamed meanwhile; otherwise it
 * cannot be renamed. Names are the last parts of paths. */
struct mx_os_folder;
enum { MX_OS_NAME = 64 }; /* a name that is made here, with its NUL */

/* The folder of `path`; *name is set to the rest of it. NULL on an error, given by *status. */
struct mx_os_folder *mx_os_open_folder(const char *path, const char **name, int *status, const char **reason);
void mx_os_close_folder(struct mx_os_folder *f); /* NULL is allowed */
/* Creates a file for reading and writing. `mode` is that of the file to be replaced, or 0 for what the umask allows. On an error, given by
 * *status, -1, or MX_OS_EXISTS if there is a file of that name. */
enum { MX_OS_EXISTS = -2 };
int mx_os_create_in(struct mx_os_folder *f, const char *name, unsigned mode, int *status, const char **reason);
unsigned long mx_os_process(void); /* the number of this process */
/* What kind of file has the name; a symbolic link is not followed, and counts as a regular file. */
enum mx_os_file mx_os_look_in(struct mx_os_folder *f, const char *name);
/* Replaces the file `to`, if there is one; `sync` also makes the new name survive a power failure. */
bool mx_os_rename_in(struct mx_os_folder *f, const char *from, const char *to, bool sync, const char **reason);
/* Gives the file a second name, which another file may not have. */
bool mx_os_link_in(struct mx_os_folder *f, const char *from, const char *to);
bool mx_os_remove_in(struct mx_os_folder *f, const char *name);

/* Calls `add` for each name in a folder, in any order, as long as it returns MX_OK. IO if the folder cannot be read. */
int mx_os_list(const char *path, int (*add)(const char *name, void *user), void *user) MX_MUST_USE;

/* Loads a shared library; NULL if there is none with that name. */
void *mx_os_open_library(const char *name);
/* Sets the pointer to a function at `function`, which has `size` bytes. */
bool mx_os_find_function(void *library, const char *name, void *function, size_t size);
void mx_os_close_library(void *library);

#endif
