/* Reads JSON values with jansson, which allocates memory itself: the memory that a value will take is charged before jansson sees its
 * text, and the caller can cancel meanwhile. */
#ifndef MX_READ_JSON_H
#define MX_READ_JSON_H

#include <jansson.h>

#include "base/budget.h"
#include "base/io.h"

/* A value, and possibly more text. */
struct mx_json_text {
    const char *at, *end;     /* what jansson has not read */
    struct mx_budget *budget; /* NULL: no limits */
    uint64_t charged;         /* for the value read; released by the code that frees it */
};

/* The value that t begins with; `flags` are jansson's. NULL if the text is wrong, memory runs out, or the budget is exhausted. The
 * position in *error is that after the value; error may be NULL. */
json_t *mx_json_load(struct mx_json_text *t, size_t flags, json_error_t *error);
/* The value that a small file holds; NULL as above, or if the file has more than MX_WINDOW bytes. *charged is released as above. */
json_t *mx_json_read(struct mx_source *source, struct mx_budget *budget, uint64_t *charged);
/* Frees a value, or NULL, piece by piece: the caller is asked between them. Nothing ends it, since what is left would be lost. */
void mx_json_free(json_t *value, struct mx_budget *budget);

#endif
