/* A zip or a tar as a list of names with contents. Nothing is ever extracted to a path. */
#ifndef MX_READ_ARCHIVE_H
#define MX_READ_ARCHIVE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/io.h"

struct mx_member {
    const char *name;
    uint64_t size;   /* unpacked, as the archive says */
    uint64_t offset; /* of a tar: in the source */
};

struct mx_zip;
struct mx_archive {
    struct mx_source *source; /* the zip, or the members of a tar, one after the other. The caller closes it; NULL: it was taken */
    struct mx_diags *diags;
    const char *label; /* in messages; borrowed */
    struct mx_member *members;
    size_t count, capacity;
    struct mx_arena arena; /* of the names of a tar */
    struct mx_zip *zip;    /* NULL: a tar */
};

/* Reads the directory of a zip. FORMAT if it is not one, TOO_LARGE; then there is nothing to close but the source. */
int mx_zip_open(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label) MX_MUST_USE;
/* Unpacks all regular files of a tar, plain or compressed with gzip, into a spool: gzip can be read only from the beginning. The source is
 * used during the call only. FORMAT, IO, TOO_LARGE, UNSUPPORTED (sparse members; a build without libarchive). As in libarchive, gzip's
 * checksum is not compared. */
int mx_tar_open(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label) MX_MUST_USE;
void mx_archive_close(struct mx_archive *a);
/* Copies the first bytes of the member, at most `size`; returns how many. What cannot be read has none, without a message. */
size_t mx_archive_head(struct mx_archive *a, size_t i, void *out, size_t size);
/* The member as a separate source. */
int mx_archive_read(struct mx_archive *a, size_t i, struct mx_source **out) MX_MUST_USE;
/* The same for what may be large: it stays where it is if it can. The archive can only be closed afterwards. */
int mx_archive_take(struct mx_archive *a, size_t i, struct mx_source **out) MX_MUST_USE;

/* ---- zip.c */

void mx_zip_close(struct mx_zip *z); /* NULL is allowed */
size_t mx_zip_head(struct mx_archive *a, size_t i, void *out, size_t size);
/* Unpacks a whole member into a spool. Before reading, the size is compared with the largest possible for the member's compressed
 * bytes, and after reading the CRC is checked. FORMAT, IO, TOO_LARGE, UNSUPPORTED (encrypted, an unknown method). */
int mx_zip_read(struct mx_archive *a, size_t i, struct mx_source **out) MX_MUST_USE;
/* The offset of a stored member's bytes in the source; false if it is compressed. Its CRC is not checked: that would require reading all
 * weights when loading. */
bool mx_zip_stored_at(struct mx_archive *a, size_t i, uint64_t *offset);
/* zip_directory.c: TOO_LARGE if libzip could find more members than it should read; FORMAT. What else is wrong is left to libzip, which
 * puts all names into a hash table when it opens an archive, and does not ask the caller: names with one hash cost the square of their
 * number. */
int mx_zip_check_directory(const struct mx_archive *a) MX_MUST_USE;

#endif
