/* How many members a zip says it has. libzip puts all names into a hash table when it opens an archive, and does not ask the
 * caller: names with one hash cost the square of their number. */
#ifndef MX_READ_ZIP_DIRECTORY_H
#define MX_READ_ZIP_DIRECTORY_H

#include "base/diag.h"
#include "base/io.h"

/* TOO_LARGE if libzip could find more members than it should read; FORMAT. What else is wrong is left to libzip. */
int mx_zip_check_directory(struct mx_source *source, struct mx_diags *diags, const char *label) MX_MUST_USE;

#endif
