/* Reads a range of a source forward through a small buffer and never past its end, so that the reader of a format is a list of fields.
 * Integers are little-endian, as written by MXNet and NumPy. */
#ifndef MX_READ_CURSOR_H
#define MX_READ_CURSOR_H

#include "base/diag.h"
#include "base/io.h"

/* The first fields are set by an initializer, the range being inside the source; the buffer is empty then. */
struct mx_cursor {
    struct mx_source *source;
    uint64_t at, end;
    struct mx_diags *diags;
    const char *label; /* the file, in messages */
    const char *what;  /* what is being read, in messages: "the header" */

    uint64_t buffer_at;
    size_t buffered;
    unsigned char buffer[4096];
};

uint64_t mx_cursor_left(const struct mx_cursor *c);

/* FORMAT with a message if fewer than n bytes are left. */
int mx_cursor_need(struct mx_cursor *c, uint64_t n) MX_MUST_USE;
int mx_cursor_read(struct mx_cursor *c, void *out, size_t n) MX_MUST_USE;
int mx_cursor_skip(struct mx_cursor *c, uint64_t n) MX_MUST_USE;
int mx_cursor_u32(struct mx_cursor *c, uint32_t *out) MX_MUST_USE;
int mx_cursor_i32(struct mx_cursor *c, int32_t *out) MX_MUST_USE;
int mx_cursor_u64(struct mx_cursor *c, uint64_t *out) MX_MUST_USE;
int mx_cursor_i64(struct mx_cursor *c, int64_t *out) MX_MUST_USE;

#endif
