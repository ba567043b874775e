#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/io_os.h"
#include "base/str.h"

/* The size of a window that continues where the last one ended: when many small arrays follow each other, most of them are then already
 * mapped. */
enum { AHEAD = 4 << 20 };

struct mx_source {
    const unsigned char *memory; /* NULL: a file, or a caller's `read` */
    void *owned;                 /* the memory, or the window on data from `read` */
    size_t owned_size;           /* of that window */
    mx2onnx_read_fn read;
    void *read_user;
    mx2onnx_release_fn release;
    void *release_user;
    uint64_t base; /* offset of the source in the file */
    uint64_t size;
    int fd;
    char *path; /* NULL: not opened by path, or a part of another */
    void *map;  /* the mapping, or NULL */
    size_t map_size;
    const unsigned char *view; /* if not NULL, [view_offset, view_offset + view_size) of the file */
    uint64_t view_offset;
    size_t view_size;
    uint64_t next; /* end of the last requested range */
};

const char *mx_path_base(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++) {
        base = mx_os_is_separator(*p) ? p + 1 : base;
    }
    return base;
}

bool mx_name_is_plain(const char *name)
{
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strpbrk(name, "/\\:") && mx_is_plain_text(name);
}

static int open_like(struct mx_source **out, struct mx_source like)
{
    *out = mx_calloc(1, sizeof **out);
    MX_TRY_ALLOC(*out);
    **out = like;
    return MX_OK;
}

int mx_source_open_file(struct mx_source **out, const char *path, const char **reason)
{
    const char *ignored;
    struct mx_source s = {.path = mx_calloc(strlen(path) + 1, 1)};
    reason = reason ? reason : &ignored;
    *reason = "out of memory";
    int status = s.path ? mx_os_open_read(path, &s.fd, &s.size, reason) : MX_OUT_OF_MEMORY;
    if (status == MX_OK) {
        memcpy(s.path, path, strlen(path));
        status = open_like(out, s);
        if (status != MX_OK) {
            mx_os_close(s.fd);
        }
    }
    if (status != MX_OK) {
        mx_free(s.path);
    }
    return status;
}

int mx_source_open_memory(struct mx_source **out, const void *data, size_t size, bool owned)
{
    /* Owned memory was writable before; it is only read as const. */
    const union {
        const void *in;
        void *out;
    } memory = {.in = data};
    return open_like(out, (struct mx_source){
                              .memory = data ? data : (const void *)"",
                              .size = data ? size : 0,
                              .owned = owned ? memory.out : NULL,
                          });
}

int mx_source_open_fd(struct mx_source **out, int fd, uint64_t size)
{
    return open_like(out, (struct mx_source){.fd = fd, .size = size});
}

int mx_source_open_callback(struct mx_source **out, uint64_t size, mx2onnx_read_fn read, void *user)
{
    return open_like(out, (struct mx_source){.fd = -1, .size = size, .read = read, .read_user = user});
}

const char *mx_source_why(const struct mx_source *s)
{
    return s->read ? ": the read callback returned an error" : "";
}

int mx_source_unread(const struct mx_source *s, struct mx_diags *diags, const char *param, const char *advice)
{
    return s->read ? mx_fail(diags, MX_IO, mx_named(param), "the values cannot be read%s", mx_source_why(s))
                   : mx_fail(diags, MX_IO, mx_named(param), "the values cannot be read" MX_FILE_CHANGED MX_HELP "%s", advice);
}

void mx_source_on_close(struct mx_source *s, mx2onnx_release_fn release, void *user)
{
    s->release = release;
    s->release_user = user;
}

int mx_source_copy(struct mx_source **out, struct mx_source *from, uint64_t offset, uint64_t size)
{
    if (offset > from->size || size > from->size - offset || size > SIZE_MAX) {
        return MX_IO;
    }
    void *memory = mx_calloc((size_t)size, 1);
    MX_TRY_ALLOC(memory);
    int status = mx_source_read(from, offset, memory, (size_t)size);
    if (status == MX_OK) {
        status = mx_source_open_memory(out, memory, (size_t)size, true);
    }
    if (status != MX_OK) {
        mx_free(memory);
    }
    return status;
}

static void drop_window(struct mx_source *s)
{
    if (s->map) {
        mx_os_unmap(s->map, s->map_size);
        s->map = NULL;
    }
    s->view = NULL;
}

void mx_source_close(struct mx_source *s)
{
    if (!s) {
        return;
    }
    drop_window(s);
    if (!s->memory && !s->read) {
        mx_os_close(s->fd);
    }
    mx_free(s->owned);
    mx_free(s->path);
    if (s->release) {
        s->release(s->release_user);
    }
    mx_free(s);
}

bool mx_file_is(const struct mx_file_id *a, const struct mx_file_id *b)
{
    return a->device == b->device && a->number == b->number
           && (a->number != 0 || (a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds));
}

const char *mx_source_path(const struct mx_source *s)
{
    return s->path;
}

bool mx_source_id(const struct mx_source *s, struct mx_file_id *id)
{
    return !s->memory && !s->read && mx_os_id(s->fd, id) == MX_OK;
}

uint64_t mx_source_size(const struct mx_source *s)
{
    return s->size;
}

static bool inside(const struct mx_source *s, uint64_t offset, uint64_t size)
{
    return offset <= s->size && size <= s->size - offset;
}

bool mx_source_narrow(struct mx_source *s, uint64_t offset, uint64_t size)
{
    if (!inside(s, offset, size)) {
        return false;
    }
    drop_window(s);
    mx_free(s->path);
    s->path = NULL;
    s->next = 0;
    s->size = size;
    if (s->memory) {
        s->memory += offset;
    } else {
        s->base += offset;
    }
    return true;
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
    if (s->read) {
        return size == 0 || s->read(s->base + offset, out, size, s->read_user) == 0 ? MX_OK : MX_IO;
    }
    return mx_os_read(s->fd, s->base + offset, out, size) == (ptrdiff_t)size ? MX_OK : MX_IO;
}

/* Data from `read` is copied into the source's window. */
static int read_view(struct mx_source *s, uint64_t offset, size_t size)
{
    if (size > s->owned_size) {
        mx_free(s->owned);
        s->owned = mx_calloc(size, 1);
        s->owned_size = s->owned ? size : 0;
        MX_TRY_ALLOC(s->owned);
    }
    MX_TRY(mx_source_read(s, offset, s->owned, size));
    s->view = s->owned;
    return MX_OK;
}

/* Accessing a mapped page past the end of the file would kill the process. */
static bool is_whole(const struct mx_source *s)
{
    struct mx_file_id now;
    return mx_os_id(s->fd, &now) == MX_OK && now.size >= s->base + s->size;
}

static int map_view(struct mx_source *s, uint64_t offset, size_t size)
{
    if (!is_whole(s)) {
        return MX_IO;
    }
    s->view = mx_os_map(s->fd, s->base + offset, size, &s->map, &s->map_size);
    return s->view ? MX_OK : MX_IO;
}

static int open_view(struct mx_source *s, uint64_t offset, size_t size)
{
    const bool in_a_row = offset >= s->next && offset - s->next < AHEAD;
    if (in_a_row && size < AHEAD) {
        size = s->size - offset < AHEAD ? (size_t)(s->size - offset) : AHEAD;
    }
    drop_window(s);
    MX_TRY(s->read ? read_view(s, offset, size) : map_view(s, offset, size));
    s->view_offset = offset;
    s->view_size = size;
    return MX_OK;
}

int mx_source_window(struct mx_source *s, uint64_t offset, size_t size, const void **out)
{
    if (size > MX_WINDOW || !inside(s, offset, size)) {
        return MX_IO;
    }
    if (s->memory || size == 0) {
        *out = s->memory ? (const void *)(s->memory + offset) : "";
        return MX_OK;
    }
    const bool seen = s->view && offset >= s->view_offset && offset - s->view_offset <= s->view_size
                      && size <= s->view_size - (size_t)(offset - s->view_offset);
    if (!seen) {
        MX_TRY(open_view(s, offset, size));
    } else if (!s->read && !is_whole(s)) {
        return MX_IO;
    }
    s->next = offset + size;
    *out = s->view + (offset - s->view_offset);
    return MX_OK;
}

bool mx_source_in_memory(const struct mx_source *s)
{
    return s->memory;
}
