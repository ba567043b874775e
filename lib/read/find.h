/* Finding a model: a symbol file and its parameters beside it, after a prefix, in a folder or in an archive. */
#ifndef MX_READ_FIND_H
#define MX_READ_FIND_H

#include "base/diag.h"
#include "base/io.h"

/* What a path leads to. The sources are the caller's. symbol is NULL where there are parameters alone, params if there are none
 * (a note says so), shapes if nothing tells the shapes of inputs (read/shapes.h). Labels are base names. */
struct mx_found {
    struct mx_source *symbol, *params, *shapes;
    struct mx_file_id files[8]; /* that were opened: of an archive nothing else is left */
    size_t n_files;
    bool is_archive; /* what it holds comes out of it: the budget counts the archive alone as input */
    int64_t crop; /* of parameters alone: what SageMaker's settings say beside them; 0: nothing */
    char symbol_label[256], params_label[256], shapes_label[256];
};
/* On an error nothing is open. NOT_FOUND, IO, FORMAT, UNSUPPORTED. */
int mx_find_model(const char *path, struct mx_found *out, struct mx_diags *diags) MX_MUST_USE;
/* The same in an archive, or in a symbol alone; labels name what is in it. Takes the source, also on an error. */
int mx_find_in_source(struct mx_source *source, const char *label, struct mx_found *out, struct mx_diags *diags)
    MX_MUST_USE;
void mx_found_close(struct mx_found *found);

#endif
