/* APPNOTE.TXT, 4.3.12 to 4.3.16. libzip looks at each end record in the last 64 KiB, and takes the best; so does this. */
#include "read/archive.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"

enum {
    MAX_MEMBERS = 1 << 14, /* limit: members of a zip archive */
    /* More than one is the end of an archive in the archive. */
    MAX_ENDS = 16, /* limit: end records in the last 64 KiB of a zip archive */
    END = 22,      /* bytes of the end record, without its comment */
    LOCATOR = 20,  /* of what precedes it in Zip64 */
    END64 = 56,
    ENTRY = 46, /* of an entry of the directory, without its texts */
    TAIL = (1 << 16) + END + LOCATOR
};

struct look {
    const struct mx_archive *archive;
    size_t ends;
    unsigned char tail[TAIL];
};

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t n = 0;
    while (bytes > 0) {
        n = n << 8 | at[--bytes];
    }
    return n;
}

static int check_count(const struct look *l, uint64_t count)
{
    return count <= MAX_MEMBERS
               ? MX_OK
               : mx_fail(l->archive->diags, MX_TOO_LARGE, mx_named(l->archive->label),
                         MX_SUBJECT "is a zip archive of more than %d files" MX_HELP "unpack it and give the files", (int)MAX_MEMBERS);
}

/* The bytes at an offset of the file; false if they are not there. */
static bool read_at(const struct look *l, uint64_t at, void *out, size_t size)
{
    return mx_source_read(l->archive->source, at, out, size) == MX_OK;
}

/* Info-ZIP stores the number of entries modulo 2^16, and libzip reads on if there is another. */
static int check_entries(const struct look *l, uint64_t at, uint64_t size, uint64_t count)
{
    unsigned char entry[ENTRY];
    uint64_t found = 0;
    while (size >= ENTRY && read_at(l, at, entry, ENTRY) && memcmp(entry, "PK\1\2", 4) == 0) {
        const uint64_t length = ENTRY + number(entry + 28, 2) + number(entry + 30, 2) + number(entry + 32, 2);
        MX_TRY(mx_tick(l->archive->diags->budget, MX_TICK_ITEM));
        MX_TRY(++found > count ? check_count(l, UINT64_MAX) : MX_OK);
        at += length;
        size = length < size ? size - length : 0;
    }
    return MX_OK;
}

static int check_end(struct look *l, const unsigned char *end)
{
    unsigned char end64[END64];
    const bool located = end - l->tail >= LOCATOR && memcmp(end - LOCATOR, "PK\6\7", 4) == 0;
    const uint64_t count = number(end + 10, 2);
    if (++l->ends > MAX_ENDS) {
        return mx_fail(l->archive->diags, MX_FORMAT, mx_named(l->archive->label),
                       MX_SUBJECT "is a damaged zip archive (it ends more than %d times)" MX_HELP "pack it again", (int)MAX_ENDS);
    }
    if (located && read_at(l, number(end - LOCATOR + 8, 8), end64, END64)) {
        MX_TRY(check_count(l, number(end64 + 32, 8)));
    }
    if (located && count == UINT16_MAX) {
        return MX_OK;
    }
    MX_TRY(check_count(l, count));
    return check_entries(l, number(end + 16, 4), number(end + 12, 4), count);
}

static int check_ends(struct look *l)
{
    const uint64_t whole = mx_source_size(l->archive->source);
    const size_t size = whole < TAIL ? (size_t)whole : TAIL;
    if (!read_at(l, whole - size, l->tail, size)) {
        return MX_OK;
    }
    for (size_t i = 0; i + END <= size; i++) {
        if (memcmp(l->tail + i, "PK\5\6", 4) == 0) {
            MX_TRY(check_end(l, l->tail + i));
        }
    }
    return MX_OK;
}

int mx_zip_check_directory(const struct mx_archive *a)
{
    struct look *l = mx_calloc(1, sizeof *l);
    MX_TRY_ALLOC(l);
    l->archive = a;
    const int status = check_ends(l);
    mx_free(l);
    return status;
}
