/* libzip over a struct mx_source. */
#include "read/archive.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"

#if MX2ONNX_ZIP

#include <zip.h>

/* Deflate expands a byte to 1032 at most (zlib's technical notes). */
enum {
    MAX_RATIO = 1032, /* limit: bytes of a member of a zip archive for each compressed one */
    BLOCK = 1 << 14,
    UNPACKING = 4, /* work per byte */
};
#define MAX_MEMBER ((uint64_t)16 << 30) /* limit: bytes of a member of a zip archive */

struct mx_zip {
    zip_t *zip;
    struct mx_archive *archive;
    uint64_t at;        /* libzip's position in the source */
    uint64_t last_read; /* where its last read began */
    zip_error_t error;  /* of the source */
};

static zip_int64_t read_source(struct mx_zip *z, void *data, zip_uint64_t length)
{
    struct mx_source *source = z->archive->source;
    const uint64_t left = mx_source_size(source) - z->at;
    const size_t n = (size_t)(length < left ? length : left);
    z->last_read = z->at;
    if (mx_tick(z->archive->diags->budget, MX_TICK_ITEM + (uint64_t)n) != MX_OK || mx_source_read(source, z->at, data, n) != MX_OK) {
        zip_error_set(&z->error, ZIP_ER_READ, 0);
        return -1;
    }
    z->at += n;
    return (zip_int64_t)n;
}

static zip_int64_t seek_source(struct mx_zip *z, void *data, zip_uint64_t length)
{
    const zip_int64_t to = zip_source_seek_compute_offset(z->at, mx_source_size(z->archive->source), data, length, &z->error);
    if (to < 0) {
        return -1;
    }
    z->at = (uint64_t)to;
    return 0;
}

static zip_int64_t stat_source(struct mx_zip *z, void *data)
{
    zip_stat_t *stat = data;
    zip_stat_init(stat);
    stat->size = mx_source_size(z->archive->source);
    stat->valid = ZIP_STAT_SIZE;
    return (zip_int64_t)sizeof *stat;
}

static zip_int64_t serve(void *user, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
    struct mx_zip *z = user;
    /* Not a switch: libzip has commands that a reader need not know, and each release adds more. */
    if (command == ZIP_SOURCE_READ) {
        return read_source(z, data, length);
    }
    if (command == ZIP_SOURCE_SEEK) {
        return seek_source(z, data, length);
    }
    if (command == ZIP_SOURCE_TELL) {
        return (zip_int64_t)z->at;
    }
    if (command == ZIP_SOURCE_OPEN) {
        z->at = 0;
        return 0;
    }
    if (command == ZIP_SOURCE_CLOSE || command == ZIP_SOURCE_FREE) {
        return 0;
    }
    if (command == ZIP_SOURCE_STAT) {
        return stat_source(z, data);
    }
    if (command == ZIP_SOURCE_ERROR) {
        return zip_error_to_data(&z->error, data, length);
    }
    if (command == ZIP_SOURCE_SUPPORTS) {
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                              ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
    }
    zip_error_set(&z->error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
}

static int open_zip(struct mx_archive *a)
{
    zip_error_t error;
    struct mx_zip *z = mx_calloc(1, sizeof *z);
    MX_TRY_ALLOC(z);
    a->zip = z;
    z->archive = a;
    zip_error_init(&z->error);
    zip_error_init(&error);
    zip_source_t *source = zip_source_function_create(serve, z, &error);
    z->zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    int status = mx_budget_status(a->diags->budget);
    if (!z->zip) {
        zip_source_free(source);
        if (status == MX_OK) {
            status =
                zip_error_code_zip(&error) == ZIP_ER_MEMORY
                    ? MX_OUT_OF_MEMORY
                    : mx_fail(a->diags, MX_FORMAT, mx_named(a->label),
                              MX_SUBJECT "is a damaged zip archive (%s)" MX_HELP "copy or download it again", zip_error_strerror(&error));
        }
    }
    zip_error_fini(&error);
    return status;
}

/* False if the directory lacks the information needed. */
static bool stat_member(const struct mx_archive *a, size_t i, zip_stat_t *stat)
{
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    return zip_stat_index(a->zip->zip, i, 0, stat) == 0 && (stat->valid & needed) == needed;
}

/* Overlapping members would let a small archive expand without bound. */
static int list_members(struct mx_archive *a)
{
    const zip_int64_t count = zip_get_num_entries(a->zip->zip, 0);
    uint64_t left = mx_source_size(a->source);
    a->members = mx_budget_array(a->diags->budget, NULL, 0, (size_t)count, sizeof *a->members);
    MX_TRY_ALLOC(a->members);
    a->capacity = (size_t)count;
    for (; a->count < a->capacity; a->count++) {
        zip_stat_t stat;
        const char *name = zip_get_name(a->zip->zip, a->count, ZIP_FL_ENC_GUESS);
        const bool known = stat_member(a, a->count, &stat);
        a->members[a->count] = (struct mx_member){.name = name ? name : "", .size = known ? stat.size : 0};
        if (known && stat.comp_size > left) {
            return mx_fail(a->diags, MX_FORMAT, mx_named(a->label),
                           "'%s': its members overlap" MX_HELP "copy or pack the archive again: it is damaged", a->label);
        }
        left -= known ? stat.comp_size : 0;
    }
    return MX_OK;
}

int mx_zip_open(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label)
{
    *out = (struct mx_archive){.source = source, .diags = diags, .label = label};
    MX_TRY(mx_zip_check_directory(out));
    int status = open_zip(out);
    if (status == MX_OK) {
        status = list_members(out);
    }
    if (status != MX_OK) {
        mx_archive_close(out);
    }
    return status;
}

void mx_zip_close(struct mx_zip *z)
{
    if (z) {
        zip_discard(z->zip);
        zip_error_fini(&z->error);
        mx_free(z);
    }
}

static int bad_member(struct mx_archive *a, size_t i, const char *why)
{
    MX_TRY(mx_budget_status(a->diags->budget));
    return mx_fail(a->diags, MX_FORMAT, mx_named(a->label),
                   "'%s': the member '%s' cannot be read (%s)" MX_HELP "copy or pack the archive again: it is damaged", a->label,
                   a->members[i].name, why);
}

static int check_member(struct mx_archive *a, size_t i, zip_stat_t *stat)
{
    if (!stat_member(a, i, stat)) {
        return bad_member(a, i, "its directory entry is incomplete");
    }
    if ((stat->valid & ZIP_STAT_ENCRYPTION_METHOD) && stat->encryption_method != ZIP_EM_NONE) {
        return mx_fail(a->diags, MX_UNSUPPORTED, mx_named(a->label),
                       "'%s': the member '%s' is encrypted" MX_HELP "pack the archive again without a password", a->label,
                       a->members[i].name);
    }
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE) {
        return mx_fail(a->diags, MX_UNSUPPORTED, mx_named(a->label),
                       "'%s': the member '%s' is compressed by method %d" MX_HELP "pack the archive again with deflate", a->label,
                       a->members[i].name, (int)stat->comp_method);
    }
    const uint64_t ratio = stat->comp_method == ZIP_CM_STORE ? 1 : MAX_RATIO;
    if (stat->comp_size > mx_source_size(a->source) || stat->size / ratio > stat->comp_size) {
        return bad_member(a, i, "its size is not possible");
    }
    if (stat->size > MAX_MEMBER || stat->size > SIZE_MAX) {
        return mx_fail(a->diags, MX_TOO_LARGE, mx_named(a->label),
                       "'%s': the member '%s' has %llu bytes, which is too much" MX_HELP "unpack the archive and give the files", a->label,
                       a->members[i].name, (unsigned long long)stat->size);
    }
    return MX_OK;
}

/* Reads to the end, where libzip compares the CRC. */
static int read_member(struct mx_archive *a, size_t i, zip_file_t *file, uint64_t size, struct mx_spool *spool)
{
    unsigned char block[BLOCK];
    const char *reason = NULL;
    zip_int64_t n = zip_fread(file, block, sizeof block);
    while (n > 0 && (uint64_t)n <= size - mx_spool_size(spool)) {
        const int status = mx_spool_write(spool, block, (size_t)n, &reason);
        if (status == MX_IO) {
            return mx_fail(a->diags, MX_IO, mx_named(a->label),
                           "'%s': the member '%s' cannot be unpacked: %s" MX_HELP "unpack the archive and give the files", a->label,
                           a->members[i].name, reason);
        }
        MX_TRY(status);
        MX_TRY(mx_tick(a->diags->budget, UNPACKING * (uint64_t)n));
        n = zip_fread(file, block, sizeof block);
    }
    if (n < 0) {
        return bad_member(a, i, zip_file_strerror(file));
    }
    return n == 0 && mx_spool_size(spool) == size ? MX_OK : bad_member(a, i, "its size differs from the one in the directory");
}

int mx_zip_read(struct mx_archive *a, size_t i, struct mx_source **out)
{
    zip_stat_t stat;
    struct mx_spool *spool;
    MX_TRY(check_member(a, i, &stat));
    if (!mx_budget_expand(a->diags->budget, stat.size)) {
        return MX_TOO_LARGE;
    }
    zip_file_t *file = zip_fopen_index(a->zip->zip, i, 0);
    if (!file) {
        return bad_member(a, i, zip_strerror(a->zip->zip));
    }
    int status = mx_spool_open(&spool);
    if (status == MX_OK) {
        status = read_member(a, i, file, stat.size, spool);
        if (status == MX_OK) {
            status = mx_spool_take(spool, out);
        }
        mx_spool_close(spool);
    }
    zip_fclose(file);
    return status;
}

size_t mx_zip_head(struct mx_archive *a, size_t i, void *out, size_t size)
{
    zip_file_t *file = zip_fopen_index(a->zip->zip, i, 0);
    zip_int64_t n = file ? zip_fread(file, out, size) : 0;
    if (file) {
        zip_fclose(file);
    }
    return n > 0 ? (size_t)n : 0;
}

/* libzip does not state where the data of a member begin, but it reads them through the source that it is given: the first read of the
 * raw member starts there. The bytes are compared, so that a libzip that reads ahead could only make this slower. */
bool mx_zip_stored_at(struct mx_archive *a, size_t i, uint64_t *offset)
{
    unsigned char probe[64], there[64];
    zip_stat_t stat;
    if (!stat_member(a, i, &stat) || stat.comp_method != ZIP_CM_STORE || stat.size != stat.comp_size) {
        return false;
    }
    if (stat.size == 0) {
        *offset = 0;
        return true;
    }
    zip_file_t *file = zip_fopen_index(a->zip->zip, i, ZIP_FL_COMPRESSED);
    if (!file) {
        return false;
    }
    const size_t n = stat.size < sizeof probe ? (size_t)stat.size : sizeof probe;
    const zip_int64_t got = zip_fread(file, probe, n);
    const uint64_t at = a->zip->last_read;
    zip_fclose(file);
    const uint64_t left = mx_source_size(a->source) - at;
    if (got != (zip_int64_t)n || stat.size > left || mx_source_read(a->source, at, there, n) != MX_OK || memcmp(probe, there, n) != 0) {
        return false;
    }
    *offset = at;
    return true;
}

#else

int mx_zip_open(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label)
{
    *out = (struct mx_archive){.source = source};
    return mx_fail(diags, MX_UNSUPPORTED, mx_named(label),
                   MX_SUBJECT
                   "is a zip archive, which this build of the library cannot read (it was built without libzip, meson's option zip)" MX_HELP
                   "unpack it and give the files");
}

/* Without libzip no zip is ever open. */
void mx_zip_close(struct mx_zip *z)
{
}

size_t mx_zip_head(struct mx_archive *a, size_t i, void *out, size_t size)
{
    return 0;
}

int mx_zip_read(struct mx_archive *a, size_t i, struct mx_source **out)
{
    return MX_UNSUPPORTED;
}

bool mx_zip_stored_at(struct mx_archive *a, size_t i, uint64_t *offset)
{
    return false;
}

#endif
