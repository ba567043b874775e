/* Files that are written under a temporary name, and replace others when all is written: what was there is either kept or replaced as
 * a whole, also two files that belong together. */
#ifndef MX_BASE_IO_REPLACE_H
#define MX_BASE_IO_REPLACE_H

#include "base/io_os.h"
#include "base/status.h"

struct mx_new_file {
    struct mx_os_folder *folder; /* NULL: there is no such file */
    const char *name;            /* that it gets; a part of the path */
    char temporary[MX_OS_NAME];  /* "": it has its name */
    char old[MX_OS_NAME];        /* of the file that it replaces, meanwhile; "": none */
    bool moved;                  /* the old file has that name only */
};

/* Creates the file in the folder of `path`, which the caller keeps. Returns the descriptor; -1 on an error, given by *status. */
int mx_new_file_open(struct mx_new_file *f, const char *path, unsigned mode, int *status, const char **reason);
/* Removes what has only its temporary name. An old file that could not be put back stays. */
void mx_new_file_close(struct mx_new_file *f);

/* Gives the model, and the side file unless it is NULL, their names. On an error both old files are as they were, as far as the system
 * allows it: otherwise `old` is where the old file is. *failed is the file that could not be placed.
 *
 * A model must never be found with the side file of another, for which it would compute other numbers in silence. So an old side file
 * goes first, then the new model comes, then its side file: a process that is killed leaves a whole pair, or a model without side file,
 * which nothing can load. Without an old side file the new one comes first: the old model does not read it. */
int mx_new_files_place(struct mx_new_file *model, struct mx_new_file *side, bool sync, struct mx_new_file **failed,
                       const char **reason) MX_MUST_USE;

#endif
