/* Finding a model: a symbol file and its parameters beside it, behind a prefix, in a folder or in a zip archive. */
#ifndef MX_READ_ARCHIVE_H
#define MX_READ_ARCHIVE_H

#include "base/diag.h"
#include "base/io.h"

/* A member of a zip, whole, in memory that the source owns; sizes are checked before anything is allocated, CRC after
 * reading (libzip). A stored member is a range of the archive: *offset and *length then say where and `member` is NULL. */
struct mx_zip;
int mx_zip_open(struct mx_zip **out, struct mx_source *source, struct mx_diags *diags, const char *label) MX_MUST_USE;
void mx_zip_close(struct mx_zip *z);
size_t mx_zip_count(const struct mx_zip *z);
const char *mx_zip_name(const struct mx_zip *z, size_t i);
uint64_t mx_zip_size(const struct mx_zip *z, size_t i);
int mx_zip_read(struct mx_zip *z, size_t i, struct mx_source **out) MX_MUST_USE;
/* Where the bytes of a stored member are in the archive; false if it is compressed. */
bool mx_zip_stored_at(struct mx_zip *z, size_t i, uint64_t *offset);

/* What a path leads to. The sources are the caller's; params may be NULL. Labels are base names. */
struct mx_found {
    struct mx_source *symbol, *params;
    char symbol_label[256], params_label[256];
};
int mx_find_model(const char *path, struct mx_found *out, struct mx_diags *diags) MX_MUST_USE;

#endif
