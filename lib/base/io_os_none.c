/* A system without files (WebAssembly in a browser): models come from memory and go to memory or a callback. */
#include "base/io_os.h"

static const char no_files[] = "there are no files here, only memory to load from and to export to";

int mx_os_open_read(const char *path, int *fd, uint64_t *size, const char **reason)
{
    *reason = no_files;
    return MX_IO;
}

ptrdiff_t mx_os_read(int fd, uint64_t offset, void *out, size_t size)
{
    return -1;
}

void mx_os_close(int fd)
{
}

int mx_os_id(int fd, struct mx_file_id *id)
{
    return MX_IO;
}

int mx_os_id_of(const char *path, struct mx_file_id *id)
{
    return MX_IO;
}

bool mx_os_is_separator(char c)
{
    return c == '/';
}

const void *mx_os_map(int fd, uint64_t offset, size_t size, void **map, size_t *map_size)
{
    return NULL;
}

void mx_os_unmap(void *map, size_t map_size)
{
}

enum mx_os_file mx_os_look(const char *path, unsigned *mode)
{
    *mode = 0;
    return MX_OS_NOTHING;
}

int mx_os_follow(const char *path, char **target)
{
    *target = NULL;
    return MX_OK;
}

int mx_os_create_temporary(const char **reason)
{
    *reason = NULL;
    return -1;
}

int mx_os_open_special(const char *path, const char **reason)
{
    *reason = no_files;
    return -1;
}

bool mx_os_write(int fd, uint64_t at, struct mx_span first, struct mx_span second, const char **reason)
{
    *reason = no_files;
    return false;
}

void mx_os_expect(int fd, uint64_t size)
{
    (void)fd, (void)size;
}

bool mx_os_finish(int fd, bool sync, const char **reason)
{
    *reason = no_files;
    return false;
}

bool mx_os_link(const char *from, const char *name, const char **reason)
{
    *reason = no_files;
    return false;
}

bool mx_os_is_link(const char *path)
{
    return false;
}

struct mx_os_folder *mx_os_open_folder(const char *path, const char **name, int *status, const char **reason)
{
    *status = MX_IO;
    *reason = no_files;
    return NULL;
}

void mx_os_close_folder(struct mx_os_folder *f)
{
}

int mx_os_create_in(struct mx_os_folder *f, const char *name, unsigned mode, int *status, const char **reason)
{
    *status = MX_IO;
    *reason = no_files;
    return -1;
}

unsigned long mx_os_process(void)
{
    return 0;
}

enum mx_os_file mx_os_look_in(struct mx_os_folder *f, const char *name)
{
    return MX_OS_NOTHING;
}

bool mx_os_rename_in(struct mx_os_folder *f, const char *from, const char *to, bool sync, const char **reason)
{
    *reason = no_files;
    return false;
}

bool mx_os_link_in(struct mx_os_folder *f, const char *from, const char *to)
{
    return false;
}

bool mx_os_remove_in(struct mx_os_folder *f, const char *name)
{
    return false;
}

int mx_os_list(const char *path, int (*add)(const char *name, void *user), void *user)
{
    return MX_IO;
}

void *mx_os_open_library(const char *name)
{
    return NULL;
}

bool mx_os_find_function(void *library, const char *name, void *function, size_t size)
{
    return false;
}

void mx_os_close_library(void *library)
{
}
