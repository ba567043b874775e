/* Prints text to a terminal, a file or a program. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters */

/* A UTF-8 code point and its length; 0 if there is none. */
static size_t decode(const char *text, uint32_t *c)
{
    const unsigned char *p = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = p[0] < 0x80                   ? 1
                     : p[0] >= 0xF0 && p[0] < 0xF8 ? 4
                     : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                     : p[0] >= 0xC0 && p[0] < 0xE0 ? 2
                                                   : 0;
    if (n < 2) {
        *c = p[0];
        return n;
    }
    *c = p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
        *c = *c << 6 | (p[i] & 0x3Fu);
    }
    return *c < least[n] || *c > 0x10FFFF || (*c >= 0xD800 && *c < 0xE000) ? 0 : n;
}

/* C0, DEL, C1, and characters that change the direction of writing or break a line (Unicode's UAX 9 and 14). */
static bool is_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E)
           || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

struct piece {
    char text[16];
    size_t bytes; /* in the source text */
    size_t columns;
};

static void next_piece(const char *p, bool lines, struct piece *out)
{
    uint32_t c;
    const size_t n = decode(p, &c);
    out->bytes = n ? n : 1;
    if (n && (!is_unsafe(c) || (lines && c == '\n'))) {
        memcpy(out->text, p, n);
        out->text[n] = 0;
        out->columns = 1;
        return;
    }
    static const char letters[] = "\n"
                                  "n\r"
                                  "r\t"
                                  "t";
    const char *letter = c < 0x20 && c ? strchr(letters, (int)c) : NULL;
    if (n && letter) {
        snprintf(out->text, sizeof out->text, "\\%c", letter[1]);
    } else {
        snprintf(out->text, sizeof out->text, n > 1 ? "\\u%04x" : "\\x%02x", (unsigned)(n ? c : (unsigned char)*p));
    }
    out->columns = strlen(out->text);
}

size_t cli_columns(const char *text, size_t most)
{
    size_t columns = 0;
    struct piece piece;
    for (const char *p = text; *p && !(most && columns > most); p += piece.bytes) {
        next_piece(p, false, &piece);
        columns += piece.columns;
    }
    return most && columns > most ? most : columns;
}

void cli_text_add(struct cli_text *t, const char *more)
{
    const size_t n = strlen(more);
    if (t->failed) {
        return;
    }
    if (t->length + n >= t->room) {
        const size_t room = 2 * (t->length + n) + 256;
        char *text = realloc(t->text, room);
        if (!text) {
            t->failed = true;
            return;
        }
        t->text = text;
        t->room = room;
    }
    memcpy(t->text + t->length, more, n + 1);
    t->length += n;
}

/* A file, a text that grows, or a buffer that is filled as far as it reaches. */
struct target {
    FILE *out;
    struct cli_text *text;
    char *buffer;
    size_t room;
};

static void emit(struct target *t, const char *text)
{
    const size_t n = strlen(text);
    if (t->out) {
        fputs(text, t->out);
    } else if (t->text) {
        cli_text_add(t->text, text);
    } else if (n < t->room) {
        memcpy(t->buffer, text, n + 1);
        t->buffer += n;
        t->room -= n;
    }
}

static size_t put_cut(struct target *t, const char *text, size_t most)
{
    const size_t total = cli_columns(text, 0);
    const bool cut = most && total > most;
    const size_t head = cut ? (most - 3) * 2 / 3 : total, tail = cut ? total - (most - 3 - head) : total;
    size_t at = 0;
    bool dots = false;
    struct piece piece;
    for (const char *p = text; *p; p += piece.bytes) {
        next_piece(p, false, &piece);
        if (at + piece.columns <= head || at >= tail) {
            emit(t, piece.text);
        } else if (!dots) {
            emit(t, "...");
            dots = true;
        }
        at += piece.columns;
    }
    return cut ? most : total;
}

size_t cli_put(FILE *out, const char *text, size_t most)
{
    struct target t = {.out = out};
    return put_cut(&t, text, most);
}

void cli_append(char *line, size_t size, const char *text, size_t most)
{
    const size_t used = strlen(line);
    struct target t = {.buffer = line + used, .room = size - used};
    put_cut(&t, text, most);
}

void cli_put_padded(FILE *out, const char *text, size_t width)
{
    for (size_t n = cli_put(out, text, CLI_NAME); n < width; n++) {
        fputc(' ', out);
    }
}

void cli_put_lines(FILE *out, const char *text)
{
    struct piece piece;
    for (const char *p = text; *p; p += piece.bytes) {
        next_piece(p, true, &piece);
        fputs(piece.text, out);
    }
}

/* JSON escapes control characters anyway; any other unsafe characters are in strings. */
void cli_put_json(FILE *out, const char *json)
{
    uint32_t c;
    for (const char *p = json; *p;) {
        const size_t n = decode(p, &c);
        if (n && c >= 0x7F && is_unsafe(c)) {
            fprintf(out, "\\u%04x", (unsigned)c);
        } else {
            fwrite(p, 1, n ? n : 1, out);
        }
        p += n ? n : 1;
    }
}

static void put_json_string(struct target *t, const char *text)
{
    emit(t, "\"");
    for (const char *p = text; *p;) {
        uint32_t c;
        char piece[16] = "";
        const size_t n = decode(p, &c);
        if (n == 1 && (c == '"' || c == '\\')) {
            snprintf(piece, sizeof piece, "\\%c", (int)c);
        } else if (!n || is_unsafe(c)) {
            snprintf(piece, sizeof piece, "\\u%04x", n ? (unsigned)c : 0xFFFDu);
        } else {
            memcpy(piece, p, n);
        }
        emit(t, piece);
        p += n ? n : 1;
    }
    emit(t, "\"");
}

void cli_json_string(FILE *out, const char *text)
{
    struct target t = {.out = out};
    put_json_string(&t, text);
}

void cli_json_add(struct cli_text *to, const char *text)
{
    struct target t = {.text = to};
    put_json_string(&t, text);
}

void cli_format_bytes(char out[32], uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        snprintf(out, 32, "%u bytes", (unsigned)bytes);
        return;
    }
    double value = (double)bytes / 1e3;
    size_t unit = 0;
    while (value >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1e3;
        unit++;
    }
    snprintf(out, 32, "%.1f %s", value, units[unit]);
}

const char *cli_plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- terminals */

const char *cli_style(FILE *out, enum cli_style style)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[1;31m", "\033[1;33m", "\033[36m"};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool plain = (no_color && *no_color) || !term || strcmp(term, "dumb") == 0 || cli_width(out) == 0;
    return plain ? "" : codes[style];
}

void cli_put_cells(FILE *out, size_t count, size_t width, size_t (*put)(FILE *out, size_t i, void *user), void *user)
{
    enum { GAP = 3 };
    const size_t fit = (cli_width(out) + GAP) / (width + GAP), columns = fit ? fit : 1, rows = (count + columns - 1) / columns;
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row; i < count; i += rows) {
            const size_t used = put(out, i, user), gap = width + GAP > used ? width + GAP - used : 1;
            if (i + rows < count) {
                fprintf(out, "%*s", (int)gap, "");
            }
        }
        fputc('\n', out);
    }
}

/* Counts the UTF-8 bytes that begin a character. */
static size_t count_characters(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return n;
}

void cli_put_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
    const size_t width = cli_width(out);
    while (*text) {
        const size_t bytes = strcspn(text, " "), columns = count_characters(text, bytes);
        if (width && at > indent && at + columns > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        fwrite(text, 1, bytes, out);
        at += columns;
        text += bytes;
        if (*text == ' ') {
            text++;
            at++;
            fputs(width && at + count_characters(text, strcspn(text, " ")) > width ? "" : " ", out);
        }
    }
}

int cli_finish(int result)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return result;
    }
    const char *reason = errno == ENOSPC ? ": no space left on the device" : "";
    (void)cli_error("standard output cannot be written%s", reason);
    return result == CLI_OK ? CLI_FAILED : result;
}
