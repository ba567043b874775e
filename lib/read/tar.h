/* Tar archives, plain or compressed with gzip, through libarchive (the build option tar). */
#ifndef MX_READ_TAR_H
#define MX_READ_TAR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/io.h"

enum { MX_PATH_BYTES = 4096 }; /* of a member's name with its NUL, as of a path on Linux */

struct mx_tar_member {
    const char *name;
    uint64_t offset, size; /* in the data */
};

struct mx_tar {
    struct mx_source *data; /* the members, one after the other */
    struct mx_tar_member *members;
    size_t count, capacity;
    struct mx_budget *budget; /* charged for the list of members */
};

/* Unpacks all regular files of the archive into a spool: gzip can be read only from the beginning. Names are in the arena,
 * and have MX_PATH_BYTES at most. The source
 * is used during the call only. FORMAT, IO, TOO_LARGE, UNSUPPORTED (sparse members; a build without libarchive). As in libarchive, gzip's
 * checksum is not compared. */
int mx_tar_read(struct mx_tar *out, struct mx_source *source, struct mx_arena *arena, struct mx_diags *diags,
                const char *label) MX_MUST_USE;
void mx_tar_close(struct mx_tar *t);

#endif
