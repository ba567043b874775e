/* The list of diagnostics: errors, warnings, notes. It knows nothing about models, only texts. */
#ifndef MX_BASE_DIAG_H
#define MX_BASE_DIAG_H

#include <stdarg.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

struct mx_diag {
    int severity; /* MX2ONNX_SEVERITY_... */
    int status;
    const char *node, *op, *attribute, *name, *message, *advice; /* "" if not applicable */
    struct mx_arena_mark before;                                 /* its texts */
};

struct mx_diags {
    struct mx_arena arena;
    size_t counted; /* bytes of the arena that the budget counts */
    struct mx_diag *items;
    size_t count, capacity;
    size_t kept; /* number of diagnostics from calls that succeeded; later ones belong to a call that failed or is running */
    size_t errors;
    char *first_error;        /* formatted, and how many there are beyond it; NULL: none, or memory ran out */
    size_t first_length;      /* of the former */
    struct mx_budget *budget; /* the model's limits, for code that reads files; NULL: none */
    mx_log_fn log;            /* each diagnostic is also logged */
    void *log_user;
};

/* The object that a diagnostic is about; a NULL member means "none". Texts are copied, and made UTF-8: a path need not be. */
struct mx_where {
    const char *node, *op, *attribute; /* in the graph */
    const char *name;                  /* or that of an input, output, parameter or file */
};
/* No node and no name is meant. */
#define MX_NOWHERE ((struct mx_where){0})

static inline struct mx_where mx_named(const char *name)
{
    return (struct mx_where){.name = name};
}

void mx_diags_free(struct mx_diags *d);

/* The first error as a single text, never empty, which says how many more there are; "" if there is none. */
const char *mx_diags_first_error(const struct mx_diags *d);

/* Removes all but the first `count`, an earlier value of d->count. */
void mx_diags_truncate(struct mx_diags *d, size_t count);
/* What is reported from here on is neither kept nor logged, until mx_diags_unmute is called with what this returned. */
struct mx_diags mx_diags_mute(struct mx_diags *d);
void mx_diags_unmute(struct mx_diags *d, struct mx_diags kept);
/* Logs those from number `first` on, which were recorded while `log` was NULL. */
void mx_diags_log(struct mx_diags *d, size_t first);
/* Keeps the present diagnostics when the next call begins. */
void mx_diags_keep(struct mx_diags *d);

/* In a format: "what is wrong" MX_HELP "what to do". An empty help is none. A name that contains the byte does not split a text. */
#define MX_HELP "\x1f"
/* Begins a format that continues a sentence about `where`'s attribute or name: MX_SUBJECT "is %d, but must be 1 to 3" makes "'kernel' is
 * 4, but must be 1 to 3". Without it the format has a subject itself. */
#define MX_SUBJECT "\x1e"

/* Records an error and returns `status`, so that callers write `return mx_fail(...)`. At most 1000 diagnostics are kept; all are
 * counted. */
int mx_fail(struct mx_diags *d, int status, struct mx_where where, const char *format, ...) MX_PRINTF(4, 5);
int mx_vfail(struct mx_diags *d, int status, struct mx_where where, const char *format, va_list args) MX_PRINTF(4, 0);
void mx_warn(struct mx_diags *d, struct mx_where where, const char *format, ...) MX_PRINTF(3, 4);
void mx_vwarn(struct mx_diags *d, struct mx_where where, const char *format, va_list args) MX_PRINTF(3, 0);
void mx_note(struct mx_diags *d, struct mx_where where, const char *format, ...) MX_PRINTF(3, 4);
/* A log line that is not a diagnostic. */
void mx_log(struct mx_diags *d, int level, const char *format, ...) MX_PRINTF(3, 4);

/* "node 'pool3' (Pooling): 'kernel' is 4, but must be 1 to 3; advice", or "...: 'kernel': message" if it does not begin with the name */
struct mx_str;
void mx_diag_format(const struct mx_diag *diag, struct mx_str *out);

#endif
