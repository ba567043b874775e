/* Zip archives read from a source. */
#ifndef MX_READ_ZIP_H
#define MX_READ_ZIP_H

#include "base/diag.h"
#include "base/io.h"

struct mx_zip;
/* Reads the directory of the archive. The source and the label are borrowed until mx_zip_close. FORMAT if it is not a zip. */
int mx_zip_open(struct mx_zip **out, struct mx_source *source, struct mx_diags *diags, const char *label) MX_MUST_USE;
void mx_zip_close(struct mx_zip *z); /* NULL is allowed */
size_t mx_zip_count(const struct mx_zip *z);
const char *mx_zip_name(const struct mx_zip *z, size_t i);
/* The unpacked size, according to the directory. */
uint64_t mx_zip_size(const struct mx_zip *z, size_t i);
/* Copies the first bytes of a member, at most `size`, and returns how many; 0 if it cannot be read, which is not reported. */
size_t mx_zip_head(struct mx_zip *z, size_t i, void *out, size_t size);
/* Unpacks a whole member into a spool. Before reading, the size is compared with the largest possible for the member's compressed
 * bytes, and after reading the CRC is checked. FORMAT, IO, TOO_LARGE, UNSUPPORTED (encrypted, an unknown method). */
int mx_zip_read(struct mx_zip *z, size_t i, struct mx_source **out) MX_MUST_USE;
/* The offset of a stored member's bytes in the archive's source; false if it is compressed. Its CRC is not checked: that would require
 * reading all weights when loading. */
bool mx_zip_stored_at(struct mx_zip *z, size_t i, uint64_t *offset);

#endif
