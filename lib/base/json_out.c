#include "base/json_out.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"

enum { PIECE = 1 << 16 }; /* of a text: each append is an occasion to end the call */

static void new_line(struct mx_json *j)
{
    mx_str_append(j->out, "\n");
    for (int i = 0; i < j->depth; i++) {
        mx_str_append(j->out, "  ");
    }
}

/* What comes before a value or a key. */
static void begin(struct mx_json *j)
{
    if (j->has_key) {
        j->has_key = false;
        return;
    }
    mx_str_append(j->out, j->follows ? "," : "");
    if (j->indented && j->depth > 0) {
        new_line(j);
    }
    j->follows = true;
}

void mx_json_open(struct mx_json *j, char bracket)
{
    begin(j);
    mx_str_append_bytes(j->out, &bracket, 1);
    j->depth++;
    j->follows = false;
}

void mx_json_close(struct mx_json *j, char bracket)
{
    j->depth--;
    if (j->indented && j->follows) {
        new_line(j);
    }
    mx_str_append_bytes(j->out, &bracket, 1);
    j->follows = true;
}

static void put_quoted(struct mx_json *j, const char *text)
{
    mx_str_append(j->out, "\"");
    const char *done = text;
    for (const char *p = text; *p && !j->out->failed; p++) {
        const unsigned char c = (unsigned char)*p;
        const bool plain = c >= 0x20 && c != '"' && c != '\\';
        if (plain && p - done < PIECE) {
            continue;
        }
        mx_str_append_bytes(j->out, done, (size_t)(p - done));
        done = plain ? p : p + 1;
        if (plain) {
            continue;
        }
        if (c == '"' || c == '\\') {
            mx_str_append(j->out, c == '"' ? "\\\"" : "\\\\");
        } else {
            mx_str_printf(j->out, "\\u%04x", (unsigned)c);
        }
    }
    mx_str_append(j->out, done);
    mx_str_append(j->out, "\"");
}

void mx_json_key(struct mx_json *j, const char *key)
{
    begin(j);
    put_quoted(j, key);
    mx_str_append(j->out, j->indented ? ": " : ":");
    j->has_key = true;
}

static void put(struct mx_json *j, const char *text)
{
    begin(j);
    mx_str_append(j->out, text);
}

void mx_json_null(struct mx_json *j)
{
    put(j, "null");
}

void mx_json_int(struct mx_json *j, int64_t value)
{
    begin(j);
    mx_str_printf(j->out, "%" PRId64, value);
}

void mx_json_double(struct mx_json *j, double value)
{
    char text[32];
    mx_format_double(text, value);
    if (strpbrk(text, "ni")) { /* nan, inf */
        mx_json_text(j, text);
        return;
    }
    put(j, text);
    mx_str_append(j->out, strpbrk(text, ".e") ? "" : ".0");
}

void mx_json_text(struct mx_json *j, const char *text)
{
    begin(j);
    put_quoted(j, text);
}

void mx_json_put_open(struct mx_json *j, const char *key, char bracket)
{
    mx_json_key(j, key);
    mx_json_open(j, bracket);
}

void mx_json_put_bool(struct mx_json *j, const char *key, bool value)
{
    mx_json_key(j, key);
    put(j, value ? "true" : "false");
}

void mx_json_put_int(struct mx_json *j, const char *key, int64_t value)
{
    mx_json_key(j, key);
    mx_json_int(j, value);
}

void mx_json_put_text(struct mx_json *j, const char *key, const char *text)
{
    mx_json_key(j, key);
    mx_json_text(j, text);
}
