/* Chooses the files of a model from many names: its symbol, its parameters and the file with the shapes of its inputs. A folder and an
 * archive are both lists of names; the choice depends on names alone, and is the same for both. */
#ifndef MX_READ_CHOOSE_H
#define MX_READ_CHOOSE_H

#include "base/diag.h"
#include "read/folder.h"

struct mx_choice {
    struct mx_diags *diags;
    struct mx_arena *arena;                   /* for texts made from names */
    const char *label;                        /* the given path, in messages */
    bool packed;                              /* in an archive */
    struct mx_names names;                    /* in the folder or archive */
    const char *symbol, *params, *shapes;     /* chosen; NULL: none */
    const char *settings;                     /* SageMaker's or GluonTS's, see settings.c */
    bool (*is_graph)(void *finder, size_t i); /* looks into a JSON file, number i, of another name than a symbol's */
    void *finder;
};

/* Chooses the only symbol among the names, and the files that belong to it; without a symbol the only parameter file. NOT_FOUND if there
 * is none, or more than one. */
int mx_choose_model(struct mx_choice *c) MX_MUST_USE;
/* Chooses the files that belong to c->symbol, which is one of the names. */
void mx_choose_files_of_symbol(struct mx_choice *c);
bool mx_has_symbol(const struct mx_choice *c);

#endif
