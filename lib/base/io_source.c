#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/io_os.h"

struct mx_source {
    const unsigned char *memory; /* NULL: a file */
    void *owned;
    uint64_t size;
    int fd;
    void *map; /* the window, or NULL */
    size_t map_size;
};

int mx_source_open_file(struct mx_source **out, const char *path, const char **reason)
{
    const char *ignored;
    reason = reason ? reason : &ignored;
    struct mx_source *s = mx_calloc(1, sizeof *s);
    if (!s) {
        *reason = "out of memory";
        return MX_OUT_OF_MEMORY;
    }
    const int status = mx_os_open_read(path, &s->fd, &s->size, reason);
    if (status != MX_OK) {
        mx_free(s);
        return status;
    }
    *out = s;
    return MX_OK;
}

int mx_source_open_memory(struct mx_source **out, const void *data, size_t size, bool owned)
{
    struct mx_source *s = mx_calloc(1, sizeof *s);
    MX_TRY_ALLOC(s);
    s->memory = data ? data : (const void *)"";
    s->size = data ? size : 0;
    if (owned) {
        /* Owned memory was ours to change before; const is only how it is read. */
        union {
            const void *in;
            void *out;
        } memory = {.in = data};
        s->owned = memory.out;
    }
    *out = s;
    return MX_OK;
}

static void drop_window(struct mx_source *s)
{
    if (s->map) {
        mx_os_unmap(s->map, s->map_size);
        s->map = NULL;
    }
}

void mx_source_close(struct mx_source *s)
{
    if (!s) {
        return;
    }
    drop_window(s);
    if (!s->memory) {
        mx_os_close(s->fd);
    }
    mx_free(s->owned);
    mx_free(s);
}

uint64_t mx_source_size(const struct mx_source *s)
{
    return s->size;
}

static bool inside(const struct mx_source *s, uint64_t offset, uint64_t size)
{
    return offset <= s->size && size <= s->size - offset;
}

int mx_source_read(struct mx_source *s, uint64_t offset, void *out, size_t size)
{
    if (!inside(s, offset, size)) {
        return MX_IO;
    }
    if (s->memory) {
        if (size) {
            memcpy(out, s->memory + offset, size);
        }
        return MX_OK;
    }
    const ptrdiff_t n = mx_os_read(s->fd, offset, out, size);
    return n >= 0 && (size_t)n == size ? MX_OK : MX_IO;
}

int mx_source_window(struct mx_source *s, uint64_t offset, size_t size, const void **out)
{
    if (size > MX_WINDOW || !inside(s, offset, size)) {
        return MX_IO;
    }
    drop_window(s);
    if (s->memory || size == 0) {
        *out = s->memory ? (const void *)(s->memory + offset) : "";
        return MX_OK;
    }
    /* Touching a mapped page behind the end of the file kills the process. */
    uint64_t now;
    if (!mx_os_size(s->fd, &now) || now < offset + size) {
        return MX_IO;
    }
    const void *p = mx_os_map(s->fd, offset, size, &s->map, &s->map_size);
    if (!p) {
        return MX_IO;
    }
    *out = p;
    return MX_OK;
}

void mx_source_release(struct mx_source *s)
{
    if (s->map) {
        mx_os_drop(s->map, s->map_size);
    }
}
