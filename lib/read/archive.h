/* A zip or a tar as a list of names with contents. */
#ifndef MX_READ_ARCHIVE_H
#define MX_READ_ARCHIVE_H

#include "read/tar.h"
#include "read/zip.h"

struct mx_archive {
    struct mx_source *source; /* of the zip */
    struct mx_zip *zip;       /* NULL: a tar */
    struct mx_tar tar;
};

/* Takes over the source, even on an error. */
int mx_archive_open_zip(struct mx_archive *out, struct mx_source *source, struct mx_diags *diags, const char *label) MX_MUST_USE;
int mx_archive_open_tar(struct mx_archive *out, struct mx_source *source, struct mx_arena *arena, struct mx_diags *diags,
                        const char *label) MX_MUST_USE;
void mx_archive_close(struct mx_archive *a);
size_t mx_archive_count(const struct mx_archive *a);
const char *mx_archive_name(const struct mx_archive *a, size_t i);
uint64_t mx_archive_size(const struct mx_archive *a, size_t i);
/* Whether the member of a tar is a zip. */
bool mx_archive_is_zip(struct mx_archive *a, size_t i);
/* Copies the first bytes of the member, at most `size`; returns how many. What cannot be read has none, without a message. */
size_t mx_archive_head(struct mx_archive *a, size_t i, void *out, size_t size);
/* The member as a separate source. */
int mx_archive_read(struct mx_archive *a, size_t i, struct mx_source **out) MX_MUST_USE;
/* The same for what may be large: it stays where it is if it can. The archive can only be closed afterwards. */
int mx_archive_take(struct mx_archive *a, size_t i, struct mx_source **out) MX_MUST_USE;

#endif
