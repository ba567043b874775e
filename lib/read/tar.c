/* Tar archives, through libarchive (the build option tar). */
#include "base/alloc.h"
#include "base/budget.h"
#include "base/io_os.h"
#include "read/archive.h"

#if MX2ONNX_TAR

#include <errno.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>
#if defined(_WIN32) /* they bring windows.h, which all files see when the library is one */
#undef far
#undef near
#undef small
#endif

/* libarchive depends on a dozen other libraries. Linked to it, the library took 2.3 ms to load instead of 0.9, so libarchive is loaded
 * only when needed. */
#define FUNCTIONS(X)                                                                                                                       \
    X(entry_filetype)                                                                                                                      \
    X(entry_hardlink)                                                                                                                      \
    X(entry_pathname)                                                                                                                      \
    X(entry_pathname_utf8)                                                                                                                 \
    X(entry_size)                                                                                                                          \
    X(entry_sparse_count)                                                                                                                  \
    X(error_string)                                                                                                                        \
    X(filter_bytes)                                                                                                                        \
    X(read_data)                                                                                                                           \
    X(read_append_filter) X(read_free) X(read_new) X(read_next_header) X(read_open) X(read_support_format_tar) X(set_error)
#define DECLARE(name) __typeof__(archive_##name) *name;

struct libarchive {
    void *handle;
    FUNCTIONS(DECLARE)
};

/* gzip expands a byte to 1032 at most (zlib's technical notes); a tar adds headers to the members. */
enum {
    MAX_RATIO = 1032,      /* limit: bytes of a tar archive for each compressed one */
    MAX_MEMBERS = 1 << 16, /* limit: files in a tar archive */
    PATH_BYTES = 4096,     /* of a member's name with its NUL, as of a path on Linux */
    BLOCK = 1 << 14,
    PIECE = 1 << 12,
    UNPACKING = 4, /* work per byte */
};
#define MAX_DATA ((uint64_t)16 << 30) /* limit: bytes of a member of a tar archive */

struct reader {
    struct libarchive library;
    struct mx_archive *out;
    struct mx_source *source;
    struct archive *archive;
    struct mx_spool *spool;
    bool gzip;                  /* does the source begin as gzip does? */
    uint64_t at;                /* in the source */
    uint64_t expanded;          /* bytes of the tar that libarchive has passed */
    unsigned char piece[PIECE]; /* small: libarchive does not ask the caller while it expands it, to 4 MiB at most */
};

#define FIND(name) found = found && mx_os_find_function(l->handle, "archive_" #name, &l->name, sizeof l->name);

static int open_library(struct reader *r)
{
    struct libarchive *l = &r->library;
    l->handle = mx_os_open_library(MX2ONNX_LIBARCHIVE);
    bool found = l->handle;
    FUNCTIONS(FIND)
    if (found) {
        return MX_OK;
    }
    return mx_fail(r->out->diags, MX_UNSUPPORTED, mx_named(r->out->label),
                   MX_SUBJECT "is a tar archive or compressed with gzip, but libarchive, which reads such files, is not installed" MX_HELP
                              "install it, or unpack the file (tar -xzf) and give the folder");
}

/* Charges what was unpacked since the last time: members, headers, and what libarchive passes over. */
static int count_expanded(struct reader *r)
{
    const int64_t bytes = r->library.filter_bytes(r->archive, 0);
    const uint64_t now = bytes > 0 ? (uint64_t)bytes : 0, more = now > r->expanded ? now - r->expanded : 0;
    r->expanded += more;
    (void)!mx_budget_expand(r->out->diags->budget, more);
    return mx_budget_status(r->out->diags->budget);
}

enum { WORK = 256 }; /* per packed byte: 20 of them may begin another stream of gzip */

static la_ssize_t feed(struct archive *archive, void *user, const void **data)
{
    struct reader *r = user;
    const uint64_t left = mx_source_size(r->source) - r->at;
    const size_t n = left < sizeof r->piece ? (size_t)left : sizeof r->piece;
    const int status = count_expanded(r);
    if (status != MX_OK || mx_tick(r->out->diags->budget, WORK * (uint64_t)n) != MX_OK
        || (n > 0 && mx_source_read(r->source, r->at, r->piece, n) != MX_OK)) {
        r->library.set_error(archive, EIO, "it cannot be read");
        return -1;
    }
    r->at += n;
    *data = r->piece;
    return (la_ssize_t)n;
}

/* If why is NULL, libarchive's message. A gzip file without a member may be one compressed file, such as net.params.gz. */
static int damaged(struct reader *r, const char *why)
{
    MX_TRY(mx_budget_status(r->out->diags->budget));
    why = why ? why : r->library.error_string(r->archive);
    if (r->gzip && r->out->count == 0) {
        return mx_fail(r->out->diags, MX_FORMAT, mx_named(r->out->label),
                       MX_SUBJECT
                       "is compressed with gzip, but is damaged or holds no tar archive (%s)" MX_HELP
                       "if it is one compressed file, unpack it (gunzip) and give the result; otherwise copy or download it again",
                       why ? why : "unknown");
    }
    return mx_fail(r->out->diags, MX_FORMAT, mx_named(r->out->label),
                   MX_SUBJECT "is damaged or not a tar archive (%s)" MX_HELP
                              "copy or download it again, or unpack it and give its contents",
                   why ? why : "unknown");
}

static int too_large(struct reader *r, const char *what)
{
    return mx_fail(r->out->diags, MX_TOO_LARGE, mx_named(r->out->label),
                   MX_SUBJECT "holds more than %s" MX_HELP "unpack it and give the folder", what);
}

static int add_member(struct reader *r, const char *name, uint64_t size)
{
    struct mx_archive *a = r->out;
    MX_TRY(mx_grow(a->diags->budget, &a->members, a->count, &a->capacity, sizeof *a->members));
    name = mx_arena_strdup(&a->arena, name ? name : "");
    MX_TRY_ALLOC(name);
    a->members[a->count++] = (struct mx_member){.name = name, .size = size, .offset = mx_spool_size(r->spool)};
    return MX_OK;
}

/* The name in the bytes of the archive if they are available, otherwise in UTF-8 (pax headers outside a UTF-8 locale). */
static const char *name_of(const struct reader *r, struct archive_entry *entry)
{
    const char *name = r->library.entry_pathname(entry);
    return name ? name : r->library.entry_pathname_utf8(entry);
}

static int check_member(struct reader *r, struct archive_entry *entry)
{
    const la_int64_t size = r->library.entry_size(entry);
    const char *name = name_of(r, entry);
    if (r->out->count == MAX_MEMBERS) {
        return too_large(r, "65536 files");
    }
    if (r->library.entry_sparse_count(entry) > 0) {
        return mx_fail(r->out->diags, MX_UNSUPPORTED, mx_named(r->out->label),
                       MX_SUBJECT "holds a sparse file, which cannot be read" MX_HELP "pack the archive again without --sparse");
    }
    if (size < 0 || (uint64_t)size / MAX_RATIO > mx_source_size(r->source)) {
        return damaged(r, "the size of a file in it is not possible");
    }
    if (name && strlen(name) >= PATH_BYTES) {
        return damaged(r, "a file in it has a name of more than 4095 bytes");
    }
    return (uint64_t)size > MAX_DATA - mx_spool_size(r->spool) ? too_large(r, "16 GiB") : MX_OK;
}

static int read_member(struct reader *r, struct archive_entry *entry)
{
    unsigned char block[BLOCK];
    const char *reason = NULL;
    MX_TRY(check_member(r, entry));
    MX_TRY(add_member(r, name_of(r, entry), (uint64_t)r->library.entry_size(entry)));
    uint64_t left = (uint64_t)r->library.entry_size(entry);
    while (left > 0) {
        const la_ssize_t n = r->library.read_data(r->archive, block, left < BLOCK ? (size_t)left : BLOCK);
        if (n <= 0) {
            return damaged(r, NULL);
        }
        const int status = mx_spool_write(r->spool, block, (size_t)n, &reason);
        if (status == MX_IO) {
            return mx_fail(r->out->diags, MX_IO, mx_named(r->out->label),
                           MX_SUBJECT "cannot be unpacked: %s" MX_HELP "unpack it and give the folder", reason);
        }
        MX_TRY(status);
        MX_TRY(count_expanded(r));
        MX_TRY(mx_tick(r->out->diags->budget, UNPACKING * (uint64_t)n));
        left -= (uint64_t)n;
    }
    return MX_OK;
}

static int read_members(struct reader *r)
{
    struct archive_entry *entry;
    for (;;) {
        const int status = r->library.read_next_header(r->archive, &entry);
        if (status == ARCHIVE_EOF) {
            return count_expanded(r);
        }
        if (status < ARCHIVE_WARN) {
            return damaged(r, NULL);
        }
        MX_TRY(count_expanded(r));
        MX_TRY(mx_tick(r->out->diags->budget, MX_TICK_NODE));
        if (r->library.entry_filetype(entry) == AE_IFREG && !r->library.entry_hardlink(entry)) {
            MX_TRY(read_member(r, entry));
        }
    }
}

/* One filter at most: libarchive would look for a gzip within the gzip, and unpack all layers before it asks the caller again. */
static int read_archive(struct reader *r)
{
    char head[3];
    r->gzip = mx_source_size(r->source) > sizeof head && mx_source_read(r->source, 0, head, sizeof head) == MX_OK
              && memcmp(head, "\x1F\x8B\x08", sizeof head) == 0;
    r->archive = r->library.read_new();
    MX_TRY_ALLOC(r->archive);
    MX_TRY_ALLOC(!r->gzip || r->library.read_append_filter(r->archive, ARCHIVE_FILTER_GZIP) >= ARCHIVE_WARN);
    r->library.read_support_format_tar(r->archive);
    int status = r->library.read_open(r->archive, r, NULL, feed, NULL) == ARCHIVE_OK ? read_members(r) : damaged(r, NULL);
    r->library.read_free(r->archive);
    if (status == MX_OK) {
        status = mx_spool_take(r->spool, &r->out->source);
    }
    return status;
}

int mx_tar_open(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label)
{
    *out = (struct mx_archive){.diags = diags, .label = label, .arena.budget = diags->budget};
    struct reader *r = mx_calloc(1, sizeof *r);
    MX_TRY_ALLOC(r);
    r->out = out;
    r->source = source;
    int status = open_library(r);
    if (status == MX_OK) {
        status = mx_spool_open(&r->spool);
    }
    if (status == MX_OK) {
        status = read_archive(r);
    }
    mx_spool_close(r->spool);
    if (r->library.handle) {
        mx_os_close_library(r->library.handle);
    }
    mx_free(r);
    if (status != MX_OK) {
        mx_archive_close(out);
    }
    return status;
}

#else

int mx_tar_open(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label)
{
    return mx_fail(
        diags, MX_UNSUPPORTED, mx_named(label),
        MX_SUBJECT
        "is a tar archive or compressed with gzip, which this build of the library cannot read (it was built without libarchive, "
        "meson's option tar)" MX_HELP "unpack it (tar -xzf) and give the folder");
}

#endif
