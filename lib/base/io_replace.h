/* Files that are written under a temporary name and replace others when they are complete: the old file, or both of two files that belong
 * together, is kept as a whole or replaced as a whole. */
#ifndef MX_BASE_IO_REPLACE_H
#define MX_BASE_IO_REPLACE_H

#include "base/io_os.h"
#include "base/status.h"

struct mx_new_file {
    struct mx_os_folder *folder; /* NULL: the file was not opened */
    const char *name;            /* the name that it gets; a part of the path */
    unsigned number;             /* in the names made here */
    char temporary[MX_OS_NAME];  /* its name until then; "" when it has its own */
    char old[MX_OS_NAME];        /* the name that the replaced file has meanwhile; "": it has none */
    bool moved;                  /* the old file has that name only, and not its own any more */
};

/* Creates the file in the folder of `path`, which the caller keeps. Returns the descriptor; -1 on an error, given by *status. */
int mx_new_file_open(struct mx_new_file *f, const char *path, unsigned mode, int *status, const char **reason);
/* Removes the new file if it still has its temporary name. An old file that could not be put back stays. */
void mx_new_file_close(struct mx_new_file *f);

/* Gives the model, and the side file unless it is NULL, their names. On an error both old files are as they were, as far as the system
 * allows it: otherwise `old` is where the old file is. *failed is the file that could not be placed.
 *
 * A model must never be found with the side file of another, for which it would compute other numbers in silence. So an old side file
 * is moved away first, then the new model gets its name, then its side file: a process that is killed leaves a whole pair, or a model
 * without a side file, which nothing can load. If there is no old side file, the new one gets its name first: the old model does not read
 * it. */
int mx_new_files_place(struct mx_new_file *model, struct mx_new_file *side, bool sync, struct mx_new_file **failed,
                       const char **reason) MX_MUST_USE;

#endif
