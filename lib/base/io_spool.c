/* Bytes that arrive in order: a few stay in memory, more go to a temporary file without a name, so that the weights of a compressed
 * archive use disk space and no memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/io_os.h"

struct mx_spool {
    unsigned char *memory; /* until there is a file */
    size_t capacity;
    uint64_t size;
    int fd; /* -1: none yet */
};

int mx_spool_open(struct mx_spool **out)
{
    struct mx_spool *s = mx_calloc(1, sizeof *s);
    MX_TRY_ALLOC(s);
    s->fd = -1;
    *out = s;
    return MX_OK;
}

uint64_t mx_spool_size(const struct mx_spool *s)
{
    return s->size;
}

static int keep(struct mx_spool *s, const void *data, size_t size)
{
    const size_t used = (size_t)s->size;
    MX_TRY_ALLOC(size <= SIZE_MAX / 4 && used <= SIZE_MAX / 4);
    if (used + size > s->capacity) {
        size_t capacity = s->capacity ? s->capacity : 4096;
        while (capacity < used + size) {
            capacity *= 2;
        }
        unsigned char *memory = mx_realloc(s->memory, capacity, 1);
        MX_TRY_ALLOC(memory);
        s->memory = memory;
        s->capacity = capacity;
    }
    memcpy(s->memory + used, data, size);
    s->size += size;
    return MX_OK;
}

/* Does nothing where there are no files. */
static int move_to_file(struct mx_spool *s, const char **reason)
{
    s->fd = mx_os_create_temporary(reason);
    if (s->fd < 0) {
        return *reason ? MX_IO : MX_OK;
    }
    if (!mx_os_write(s->fd, 0, (struct mx_span){s->memory, (size_t)s->size}, (struct mx_span){0}, reason)) {
        return MX_IO;
    }
    mx_free(s->memory);
    s->memory = NULL;
    s->capacity = 0;
    return MX_OK;
}

int mx_spool_write(struct mx_spool *s, const void *data, size_t size, const char **reason)
{
    if (s->fd < 0 && s->size + size > MX_SPOOL_MEMORY) {
        MX_TRY(move_to_file(s, reason));
    }
    if (s->fd < 0) {
        return keep(s, data, size);
    }
    if (!mx_os_write(s->fd, s->size, (struct mx_span){data, size}, (struct mx_span){0}, reason)) {
        return MX_IO;
    }
    s->size += size;
    return MX_OK;
}

int mx_spool_take(struct mx_spool *s, struct mx_source **out)
{
    if (s->fd >= 0) {
        MX_TRY(mx_source_open_fd(out, s->fd, s->size));
        s->fd = -1;
        return MX_OK;
    }
    MX_TRY(mx_source_open_memory(out, s->memory, (size_t)s->size, true));
    s->memory = NULL;
    s->size = 0;
    s->capacity = 0;
    return MX_OK;
}

void mx_spool_close(struct mx_spool *s)
{
    if (!s) {
        return;
    }
    if (s->fd >= 0) {
        mx_os_close(s->fd);
    }
    mx_free(s->memory);
    mx_free(s);
}
