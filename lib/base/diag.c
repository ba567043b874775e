#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/str.h"

enum {
    KEPT = 1000,    /* limit: diagnostics that are kept */
    LONGEST = 4000, /* limit: bytes of a name in a diagnostic; four times as many of a message */
};
#define QUOTED "'%s'"

static const char *const lost = "(memory ran out while this message was made)";

/* The number of messages and their lengths are bounded, so the budget only counts them. */
static void count_memory(struct mx_diags *d)
{
    if (d->arena.total > d->counted) {
        mx_budget_count(d->budget, d->arena.total - d->counted);
    } else {
        mx_budget_release(d->budget, d->counted - d->arena.total);
    }
    d->counted = d->arena.total;
}

void mx_diags_free(struct mx_diags *d)
{
    mx_arena_free(&d->arena);
    count_memory(d);
    mx_free(d->items);
    *d = (struct mx_diags){0};
}

enum { MORE = 96 }; /* bytes after the first error */

static void count_more(struct mx_diags *d)
{
    if (d->first_error && d->errors < 2) {
        d->first_error[d->first_length] = 0;
    } else if (d->first_error) {
        snprintf(d->first_error + d->first_length, MORE,
                 d->count < KEPT ? " (the diagnostics have %zu more error%s)"
                                 : " (there are %zu more error%s; the diagnostics have the first)",
                 d->errors - 1, d->errors == 2 ? "" : "s");
    }
}

struct mx_diags mx_diags_mute(struct mx_diags *d)
{
    const struct mx_diags kept = *d;
    *d = (struct mx_diags){.budget = kept.budget};
    return kept;
}

void mx_diags_unmute(struct mx_diags *d, struct mx_diags kept)
{
    mx_diags_free(d);
    *d = kept;
}

void mx_diags_truncate(struct mx_diags *d, size_t count)
{
    if (count < d->count) {
        mx_arena_rewind(&d->arena, d->items[count].before);
        count_memory(d);
        d->count = count;
    }
    d->kept = d->kept < d->count ? d->kept : d->count;
    d->errors = 0;
    for (size_t i = 0; i < d->count; i++) {
        d->errors += d->items[i].severity == MX2ONNX_SEVERITY_ERROR;
    }
    d->first_error = d->errors > 0 ? d->first_error : NULL;
    count_more(d);
}

void mx_diags_keep(struct mx_diags *d)
{
    d->kept = d->count;
}

const char *mx_diags_first_error(const struct mx_diags *d)
{
    return d->first_error ? d->first_error : d->errors > 0 ? lost : "";
}

/* A slot for a diagnostic, or NULL. The last slot is kept for the first error, so that a thousand notes cannot
 * hide it. */
static struct mx_diag *new_item(struct mx_diags *d, bool first_error)
{
    const size_t limit = d->errors > 0 || first_error ? KEPT : KEPT - 1;
    if (d->count >= limit || mx_grow(NULL, &d->items, d->count, &d->capacity, sizeof *d->items) != MX_OK) {
        return NULL;
    }
    return &d->items[d->count++];
}

/* The length of the text when cut to about `most` bytes, never within a UTF-8 character. */
static size_t cut_at(const char *text, size_t most)
{
    size_t length = strnlen(text, most + 1);
    if (length <= most) {
        return length;
    }
    while (most > 0 && ((unsigned char)text[most] & 0xC0) == 0x80) {
        most--;
    }
    return most;
}

/* The text, or an escaped copy. NULL means that memory ran out. */
static const char *as_utf8(struct mx_diags *d, const char *text)
{
    if (!text || mx_is_utf8(text)) {
        return text ? text : lost;
    }
    char *escaped = mx_arena_alloc(&d->arena, 4 * strlen(text) + 1, 1);
    if (!escaped) {
        return lost;
    }
    mx_escape_utf8(text, escaped);
    return escaped;
}

enum { WORK = 256 }; /* per byte of a text */

/* A name from a file may be as long as the file, and appear in a thousand messages. */
static const char *copy(struct mx_diags *d, const char *text)
{
    if (!text) {
        return "";
    }
    const size_t length = cut_at(text, LONGEST);
    mx_count_work(d->budget, WORK * (uint64_t)length);
    return as_utf8(d, mx_arena_printf(&d->arena, "%.*s%s", (int)length, text, text[length] ? "..." : ""));
}

/* The length of the message, which the first `length` bytes of the format make; negative if memory runs out. The mark is searched for
 * in the format, because a name in the text may contain one too. */
MX_PRINTF(2, 0) static int message_length(struct mx_diags *d, const char *format, size_t length, va_list args)
{
    format = mx_arena_printf(&d->arena, "%.*s", (int)length, format);
    return format ? vsnprintf(NULL, 0, format, args) : -1;
}

MX_PRINTF(2, 0) static char *format_text(struct mx_diags *d, const char *format, va_list args)
{
    enum { ROOM = 4 * LONGEST };
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < ROOM) {
        return mx_arena_vprintf(&d->arena, format, args);
    }
    char *text = mx_arena_alloc(&d->arena, ROOM + sizeof "...", 1);
    if (text) {
        vsnprintf(text, ROOM, format, args);
        memcpy(text + cut_at(text, ROOM - 4), "...", sizeof "...");
    }
    return text;
}

/* The name that a message may be about, next to that of a node. */
static const char *subject_of(const struct mx_diag *diag)
{
    return *diag->attribute ? diag->attribute : diag->name;
}

MX_PRINTF(3, 0) static void set_texts(struct mx_diags *d, struct mx_diag *item, const char *format, va_list args)
{
    const bool continues = format[0] == MX_SUBJECT[0];
    format += continues;
    const char *mark = strstr(format, MX_HELP);
    va_list again;
    va_copy(again, args);
    char *text = format_text(d, format, args);
    const int head = text && mark ? message_length(d, format, (size_t)(mark - format), again) : -1;
    va_end(again);
    if (mark && head < 0) {
        text = NULL;
    } else if (mark && (size_t)head < strlen(text) && text[head] == MX_HELP[0]) { /* a text that is too long ends before its mark */
        text[head] = 0;
        item->advice = as_utf8(d, text + head + strlen(MX_HELP));
    }
    item->message = as_utf8(d, text);
    const char *subject = subject_of(item);
    if (text && *subject && continues) {
        const char *sentence = mx_arena_printf(&d->arena, QUOTED " %s", subject, item->message);
        item->message = sentence ? sentence : lost;
    }
}

static void log_item(struct mx_diags *d, const struct mx_diag *item)
{
    struct mx_str line = {0};
    mx_diag_format(item, &line);
    d->log(item->severity, line.failed || !line.text ? item->message : line.text, d->log_user);
    mx_str_free(&line);
}

void mx_diags_log(struct mx_diags *d, size_t first)
{
    for (size_t i = first; d->log && i < d->count; i++) {
        /* A copy: the callback must not see the list move. */
        const struct mx_diag seen = d->items[i];
        log_item(d, &seen);
    }
}

MX_PRINTF(4, 0) static void add(struct mx_diags *d, struct mx_diag diag, struct mx_where where, const char *format, va_list args)
{
    const bool error = diag.severity == MX2ONNX_SEVERITY_ERROR;
    struct mx_diag *item = new_item(d, error && d->errors == 0);
    d->errors += error;
    count_more(d);
    if (!item) {
        return;
    }
    diag.before = mx_arena_mark(&d->arena);
    diag.node = diag.op = diag.attribute = diag.name = diag.message = diag.advice = ""; /* for a callback that copy() calls */
    *item = diag;
    item->node = copy(d, where.node);
    item->op = copy(d, where.op);
    item->attribute = copy(d, where.attribute);
    item->name = copy(d, where.name);
    set_texts(d, item, format, args);
    if (error && d->errors == 1) {
        struct mx_str line = {0};
        mx_diag_format(item, &line);
        const char *text = copy(d, line.failed ? item->message : line.text);
        d->first_length = strlen(text);
        d->first_error = mx_arena_printf(&d->arena, "%s%*s", text, MORE, "");
        count_more(d);
        mx_str_free(&line);
    }
    count_memory(d);
    mx_diags_log(d, d->count - 1);
}

int mx_vfail(struct mx_diags *d, int status, struct mx_where where, const char *format, va_list args)
{
    add(d, (struct mx_diag){.severity = MX2ONNX_SEVERITY_ERROR, .status = status}, where, format, args);
    return status;
}

int mx_fail(struct mx_diags *d, int status, struct mx_where where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mx_vfail(d, status, where, format, args);
    va_end(args);
    return status;
}

void mx_vwarn(struct mx_diags *d, struct mx_where where, const char *format, va_list args)
{
    add(d, (struct mx_diag){.severity = MX2ONNX_SEVERITY_WARNING}, where, format, args);
}

void mx_warn(struct mx_diags *d, struct mx_where where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mx_vwarn(d, where, format, args);
    va_end(args);
}

void mx_note(struct mx_diags *d, struct mx_where where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(d, (struct mx_diag){.severity = MX2ONNX_SEVERITY_NOTE}, where, format, args);
    va_end(args);
}

void mx_log(struct mx_diags *d, int level, const char *format, ...)
{
    if (!d->log) {
        return;
    }
    struct mx_arena arena = {.budget = d->budget};
    va_list args;
    va_start(args, format);
    const char *text = mx_arena_vprintf(&arena, format, args);
    va_end(args);
    d->log(level, text ? text : lost, d->log_user);
    mx_arena_free(&arena);
}

static bool begins_with(const char *message, const char *name)
{
    const size_t n = strlen(name);
    return message[0] == '\'' && strncmp(message + 1, name, n) == 0 && message[n + 1] == '\'';
}

void mx_diag_format(const struct mx_diag *diag, struct mx_str *out)
{
    if (*diag->node) {
        mx_str_printf(out, "node '%s'", diag->node);
        if (*diag->op) {
            mx_str_printf(out, " (%s)", diag->op);
        }
    } else if (*diag->op) {
        mx_str_printf(out, "operator %s", diag->op);
    }
    if (*diag->node || *diag->op) {
        mx_str_append(out, ": ");
    }
    const char *subject = subject_of(diag);
    if (*subject && !begins_with(diag->message, subject)) {
        mx_str_printf(out, QUOTED ": ", subject);
    }
    mx_str_append(out, diag->message);
    if (*diag->advice) {
        mx_str_printf(out, "; %s", diag->advice);
    }
}
