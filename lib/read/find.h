/* Finds a model: a symbol file with its parameters, from a path, a prefix, a folder or an archive. */
#ifndef MX_READ_FIND_H
#define MX_READ_FIND_H

#include "base/budget.h"
#include "base/diag.h"
#include "base/io.h"

/* The result of a search. The caller owns the sources. symbol is NULL if there are only parameters, params if there are none (reported
 * in a note), shapes if no file gives the shapes of inputs (read/shapes.h). Labels name the files in messages: paths that begin as the
 * given one does; a member of an archive is named as if the archive were a folder. */
struct mx_found {
    struct mx_source *symbol, *params, *shapes;
    struct mx_file_id files[5]; /* files opened: the given one, and four that are chosen; for an archive, the archive itself */
    size_t n_files;
    bool is_archive;         /* the sources were extracted from it: the budget counts only the archive as input */
    struct json_t *settings; /* what SageMaker's or GluonTS's files next to them say; NULL: nothing. settings.c reads it */
    uint64_t settings_charged;
    const char *symbol_label, *params_label, *shapes_label;
    struct mx_arena arena; /* of the labels, and of the names that were looked at */
};
/* On an error nothing is open. NOT_FOUND, IO, FORMAT, UNSUPPORTED. */
int mx_find_model(const char *path, struct mx_found *out, struct mx_diags *diags) MX_MUST_USE;
/* The same for an archive, or a symbol alone, which `label` names and which it must outlive. Takes over the source, even on an error. */
int mx_find_in_source(struct mx_source *source, const char *label, struct mx_found *out, struct mx_diags *diags) MX_MUST_USE;
/* What "net" means as the path of a symbol: net-symbol.json, or net.json. NULL in *out if neither is a file. */
int mx_symbol_of_prefix(struct mx_arena *arena, const char *path, const char **out) MX_MUST_USE;
void mx_found_close(struct mx_found *found);

#endif
