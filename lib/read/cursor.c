#include "read/cursor.h"

#include <string.h>

#include "base/budget.h"

uint64_t mx_cursor_left(const struct mx_cursor *c)
{
    return c->end - c->at;
}

int mx_cursor_need(struct mx_cursor *c, uint64_t n)
{
    if (n <= mx_cursor_left(c)) {
        return MX_OK;
    }
    return mx_fail(c->diags, MX_FORMAT, mx_named(c->label),
                   MX_SUBJECT "ends within %s: %llu bytes are needed at byte %llu, but only %llu follow" MX_HELP
                              "copy the file again: it is damaged or was not copied completely",
                   c->what, (unsigned long long)n, (unsigned long long)c->at, (unsigned long long)mx_cursor_left(c));
}

static int io_error(struct mx_cursor *c)
{
    return mx_fail(c->diags, MX_IO, mx_named(c->label), MX_SUBJECT "cannot be read at byte %llu%s", (unsigned long long)c->at,
                   mx_source_why(c->source));
}

/* Makes the buffer hold [at, at + n); n is at most its size. A cursor never goes back to before its buffer. */
static int fill(struct mx_cursor *c, size_t n)
{
    if (c->at - c->buffer_at + n <= c->buffered) {
        return MX_OK;
    }
    const uint64_t left = mx_cursor_left(c);
    const size_t wanted = left < sizeof c->buffer ? (size_t)left : sizeof c->buffer;
    c->buffered = 0;
    if (mx_source_read(c->source, c->at, c->buffer, wanted) != MX_OK) {
        return io_error(c);
    }
    c->buffer_at = c->at;
    c->buffered = wanted;
    return MX_OK;
}

/* What may be as long as the file. */
static int read_pieces(struct mx_cursor *c, unsigned char *out, size_t n)
{
    enum { PIECE = 1 << 20 };
    for (size_t done = 0; done < n;) {
        const size_t piece = n - done < PIECE ? n - done : PIECE;
        MX_TRY(mx_tick(c->diags->budget, piece));
        if (mx_source_read(c->source, c->at, out + done, piece) != MX_OK) {
            return io_error(c);
        }
        c->at += piece;
        done += piece;
    }
    return MX_OK;
}

int mx_cursor_read(struct mx_cursor *c, void *out, size_t n)
{
    if (n == 0) {
        return MX_OK;
    }
    MX_TRY(mx_cursor_need(c, n));
    if (n <= sizeof c->buffer) {
        MX_TRY(fill(c, n));
        memcpy(out, c->buffer + (c->at - c->buffer_at), n);
        c->at += n;
        return MX_OK;
    }
    return read_pieces(c, out, n);
}

int mx_cursor_skip(struct mx_cursor *c, uint64_t n)
{
    MX_TRY(mx_cursor_need(c, n));
    c->at += n;
    return MX_OK;
}

int mx_cursor_u32(struct mx_cursor *c, uint32_t *out)
{
    unsigned char b[4];
    MX_TRY(mx_cursor_read(c, b, sizeof b));
    *out = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return MX_OK;
}

int mx_cursor_u64(struct mx_cursor *c, uint64_t *out)
{
    uint32_t low, high;
    MX_TRY(mx_cursor_u32(c, &low));
    MX_TRY(mx_cursor_u32(c, &high));
    *out = (uint64_t)high << 32 | low;
    return MX_OK;
}

int mx_cursor_i32(struct mx_cursor *c, int32_t *out)
{
    uint32_t u;
    MX_TRY(mx_cursor_u32(c, &u));
    memcpy(out, &u, sizeof u);
    return MX_OK;
}

int mx_cursor_i64(struct mx_cursor *c, int64_t *out)
{
    uint64_t u;
    MX_TRY(mx_cursor_u64(c, &u));
    memcpy(out, &u, sizeof u);
    return MX_OK;
}
