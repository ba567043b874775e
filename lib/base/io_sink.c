#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/io_os.h"
#include "base/io_replace.h"

enum {
    BUFFER = 1 << 20,
    SMALL = 64 << 10,
    PIECE = 32 << 10, /* size and alignment of writes to a file: WRITE_CALL in io_os.c */
};

enum kind { TO_FILE, TO_MEMORY, TO_CALLBACK };

struct mx_sink {
    enum kind kind;
    int status; /* the first error; it stays */
    const char *reason;
    uint64_t written;
    bool finished, committed;
    /* Small writes are gathered here; a memory sink keeps everything here. */
    unsigned char *buffer;
    size_t used, capacity;
    /* TO_FILE */
    int fd;
    bool fsync;
    const char *name;        /* the path, in messages; owned by the caller */
    char *path;              /* to which it leads, a symbolic link; otherwise NULL */
    struct mx_new_file file; /* without a folder: a device or a pipe, which is written directly */
    /* TO_CALLBACK */
    mx2onnx_write_fn fn;
    void *user;
};

static int fail(struct mx_sink *s, int status, const char *reason)
{
    if (s->status == MX_OK) {
        s->status = status;
        s->reason = reason;
    }
    return s->status;
}

/* ---- opening */

static struct mx_sink *new_sink(enum kind kind)
{
    struct mx_sink *s = mx_calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->kind = kind;
    s->fd = -1;
    s->reason = "";
    s->capacity = kind == TO_MEMORY ? 4096 : BUFFER;
    s->buffer = mx_calloc(s->capacity, 1);
    if (!s->buffer) {
        mx_free(s);
        return NULL;
    }
    return s;
}

enum mx_target mx_target_look(const char *path, struct mx_file_id *id)
{
    unsigned mode;
    switch (mx_os_look(path, &mode)) {
    case MX_OS_SPECIAL: return MX_TARGET_DEVICE;
    case MX_OS_REGULAR: return mx_os_id_of(path, id) == MX_OK ? MX_TARGET_FILE : MX_TARGET_NEW;
    case MX_OS_FOLDER:
    case MX_OS_NOTHING: break;
    }
    return MX_TARGET_NEW;
}

static int open_target(struct mx_sink *s, const char *path, const char **reason)
{
    unsigned mode = 0;
    switch (mx_os_look(path, &mode)) {
    case MX_OS_FOLDER: *reason = "it is a folder"; return MX_IO;
    case MX_OS_SPECIAL: s->fd = mx_os_open_special(path, reason); return s->fd < 0 ? MX_IO : MX_OK;
    case MX_OS_NOTHING:
    case MX_OS_REGULAR: break;
    }
    /* A link stays a link; the file it points to is replaced. */
    *reason = "out of memory";
    MX_TRY(mx_os_follow(path, &s->path));
    int status;
    s->fd = mx_new_file_open(&s->file, s->path ? s->path : path, mode, &status, reason);
    return s->fd < 0 ? status : MX_OK;
}

int mx_sink_open_file(struct mx_sink **out, const char *path, bool fsync, const char **reason)
{
    const char *ignored;
    reason = reason ? reason : &ignored;
    struct mx_sink *s = new_sink(TO_FILE);
    if (!s) {
        *reason = "out of memory";
        return MX_OUT_OF_MEMORY;
    }
    s->fsync = fsync;
    s->name = path;
    const int status = open_target(s, path, reason);
    if (status != MX_OK) {
        mx_sink_close(s);
        return status;
    }
    *out = s;
    return MX_OK;
}

int mx_sink_open_memory(struct mx_sink **out)
{
    struct mx_sink *s = new_sink(TO_MEMORY);
    MX_TRY_ALLOC(s);
    *out = s;
    return MX_OK;
}

int mx_sink_open_callback(struct mx_sink **out, mx2onnx_write_fn fn, void *user)
{
    struct mx_sink *s = new_sink(TO_CALLBACK);
    MX_TRY_ALLOC(s);
    s->fn = fn;
    s->user = user;
    *out = s;
    return MX_OK;
}

/* ---- writing */

/* Sends what was gathered, then `data`. */
static int send(struct mx_sink *s, const void *data, size_t size)
{
    const size_t used = s->used;
    s->used = 0;
    if (s->kind == TO_FILE) {
        const char *reason = "";
        const struct mx_span held = {s->buffer, used}, more = {data, size};
        return mx_os_write(s->fd, s->written - used, held, more, &reason) ? MX_OK : fail(s, MX_IO, reason);
    }
    if ((used && s->fn(s->buffer, used, s->user) != 0) || (size && s->fn(data, size, s->user) != 0)) {
        return fail(s, MX_IO, "the write callback returned an error");
    }
    return MX_OK;
}

static int set_capacity(struct mx_sink *s, size_t capacity)
{
    unsigned char *buffer = mx_realloc(s->buffer, capacity, 1);
    if (!buffer) {
        return fail(s, MX_OUT_OF_MEMORY, "out of memory");
    }
    s->buffer = buffer;
    s->capacity = capacity;
    return MX_OK;
}

/* Room for `size` bytes in a memory sink's buffer; at most SIZE_MAX / 2, as the buffer itself. */
static int reserve(struct mx_sink *s, size_t size)
{
    if (size <= s->capacity - s->used) {
        return MX_OK;
    }
    const size_t twice = s->capacity * 2, needed = s->used + size;
    return set_capacity(s, twice < needed ? needed : twice);
}

int mx_sink_expect(struct mx_sink *s, uint64_t size)
{
    if (s->kind != TO_MEMORY || size <= s->capacity) {
        if (s->file.folder && size > s->capacity) {
            mx_os_expect(s->fd, size);
        }
        return s->status;
    }
    return size > SIZE_MAX / 2 ? fail(s, MX_OUT_OF_MEMORY, "out of memory") : set_capacity(s, (size_t)size);
}

/* MX2ONNX_OK if more can be appended. */
static int ready(struct mx_sink *s)
{
    /* Not by a file: each writer finishes its own sink, last. */
    return s->finished ? fail(s, MX_INTERNAL, "written to after the end") : s->status;
}

int mx_sink_write(struct mx_sink *s, const void *data, size_t size)
{
    MX_TRY(ready(s));
    if (s->kind == TO_MEMORY) {
        MX_TRY(reserve(s, size));
    } else if (s->kind == TO_FILE && size >= SMALL) {
        /* Bypasses the buffer, up to the last whole piece. */
        const size_t rest = (size_t)((s->written + size) % PIECE);
        MX_TRY(send(s, data, size - rest));
        s->written += size - rest;
        data = (const unsigned char *)data + (size - rest);
        size = rest;
    }
    if (size > s->capacity - s->used) {
        MX_TRY(send(s, data, size));
    } else if (size) {
        memcpy(s->buffer + s->used, data, size);
        s->used += size;
    }
    s->written += size;
    return MX_OK;
}

/* Reads directly into the buffer if there is room. */
static int copy_into_buffer(struct mx_sink *s, struct mx_source *from, uint64_t offset, size_t size)
{
    if (mx_source_read(from, offset, s->buffer + s->used, size) != MX_OK) {
        return fail(s, MX_IO, "the file to copy from cannot be read, or was shortened");
    }
    s->used += size;
    s->written += size;
    return MX_OK;
}

/* Copies through the buffer. A window would avoid the copy, but a mapped file that shrinks during the caller's callback kills the
 * process; when the kernel reads it in a write to a file, that is only an error. */
static int copy_through_buffer(struct mx_sink *s, struct mx_source *from, uint64_t offset, uint64_t size)
{
    while (size > 0) {
        if (s->used == s->capacity) {
            MX_TRY(send(s, NULL, 0));
        }
        const size_t room = s->capacity - s->used, n = size < room ? (size_t)size : room;
        MX_TRY(copy_into_buffer(s, from, offset, n));
        offset += n;
        size -= n;
    }
    return MX_OK;
}

static int copy_windows(struct mx_sink *s, struct mx_source *from, uint64_t offset, uint64_t size)
{
    while (size > 0) {
        const void *window;
        const size_t n = size < MX_WINDOW ? (size_t)size : MX_WINDOW;
        if (mx_source_window(from, offset, n, &window) != MX_OK) {
            return fail(s, MX_IO, "the file to copy from cannot be read, or was shortened");
        }
        MX_TRY(send(s, window, n));
        s->written += n;
        offset += n;
        size -= n;
    }
    return MX_OK;
}

int mx_sink_copy(struct mx_sink *s, struct mx_source *from, uint64_t offset, uint64_t size)
{
    MX_TRY(ready(s));
    if (s->kind == TO_MEMORY) {
        MX_TRY(size > SIZE_MAX / 2 ? fail(s, MX_OUT_OF_MEMORY, "out of memory") : reserve(s, (size_t)size));
        return copy_into_buffer(s, from, offset, (size_t)size);
    }
    if ((s->kind == TO_CALLBACK && !mx_source_in_memory(from)) || (size <= SMALL && size <= s->capacity - s->used)) {
        return copy_through_buffer(s, from, offset, size);
    }
    return copy_windows(s, from, offset, size);
}

static int32_t read_back(uint64_t offset, void *out, size_t size, void *user)
{
    const struct mx_sink *s = user;
    if (s->kind == TO_MEMORY) {
        memcpy(out, s->buffer + offset, size);
        return 0;
    }
    return mx_os_read(s->fd, offset, out, size) == (ptrdiff_t)size ? 0 : -1;
}

int mx_sink_read_back(struct mx_sink *s, struct mx_source **out)
{
    MX_TRY(ready(s));
    MX_ASSERT(s->kind == TO_MEMORY || s->file.folder);
    if (s->kind == TO_FILE) {
        MX_TRY(send(s, NULL, 0));
    }
    return mx_source_open_callback(out, s->written, read_back, s);
}

uint64_t mx_sink_written(const struct mx_sink *s)
{
    return s->written;
}

int mx_sink_fail(const struct mx_sink *s, int status, struct mx_diags *diags)
{
    return s->name
               ? mx_fail(diags, status, mx_named(s->name), MX_SUBJECT "cannot be written: %s" MX_HELP "write to another place", s->reason)
               : mx_fail(diags, status, MX_NOWHERE, "the output cannot be written: %s", s->reason);
}

const char *mx_sink_reason(const struct mx_sink *s)
{
    return s->reason;
}

const char *mx_sink_left(const struct mx_sink *s, bool *needed)
{
    *needed = s->file.moved;
    return s->file.old[0] ? s->file.old : NULL;
}

/* ---- the end */

int mx_sink_finish(struct mx_sink *s)
{
    if (s->finished || s->status != MX_OK) {
        return s->status;
    }
    if (s->kind != TO_MEMORY) {
        MX_TRY(send(s, NULL, 0));
    }
    s->finished = true;
    if (s->kind == TO_FILE) {
        const char *reason = "";
        const int fd = s->fd;
        s->fd = -1;
        if (!mx_os_finish(fd, s->fsync, &reason)) {
            return fail(s, MX_IO, reason);
        }
    }
    return MX_OK;
}

/* A sink without a file is in its place as soon as it is finished. */
static int place(struct mx_sink *s, struct mx_sink *side)
{
    const char *reason = "";
    struct mx_new_file *failed = NULL, *second = side && side->file.folder ? &side->file : NULL;
    if (!s->file.folder || mx_new_files_place(&s->file, second, s->fsync, &failed, &reason) == MX_OK) {
        return MX_OK;
    }
    return fail(failed == &s->file ? s : side, MX_IO, reason);
}

int mx_sink_commit(struct mx_sink *s, struct mx_sink *side)
{
    MX_TRY(side ? mx_sink_finish(side) : MX_OK);
    MX_TRY(mx_sink_finish(s));
    if (!s->committed) {
        MX_TRY(place(s, side));
        s->committed = true;
    }
    return MX_OK;
}

void mx_sink_take_memory(struct mx_sink *s, void **data, size_t *size)
{
    /* Half of the buffer may be empty; if it cannot be shrunk, it stays as it is. */
    unsigned char *cut = mx_realloc(s->buffer, s->used, 1);
    *data = cut ? cut : s->buffer;
    *size = s->used;
    s->buffer = NULL;
    s->used = s->capacity = 0;
}

void mx_sink_close(struct mx_sink *s)
{
    if (!s) {
        return;
    }
    if (s->fd >= 0) {
        mx_os_close(s->fd);
    }
    mx_new_file_close(&s->file);
    mx_free(s->path);
    mx_free(s->buffer);
    mx_free(s);
}
