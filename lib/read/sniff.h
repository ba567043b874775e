/* What a file is, by its first bytes: extensions mean nothing (MXNet 2 writes a zip called .params). */
#ifndef MX_READ_SNIFF_H
#define MX_READ_SNIFF_H

#include "base/io.h"

enum mx_file_kind {
    MX_FILE_UNKNOWN,
    MX_FILE_EMPTY,
    MX_FILE_JSON,
    MX_FILE_LIST,   /* MXNet's NDArray list */
    MX_FILE_RECORD, /* one NDArray without the list around it */
    MX_FILE_ZIP,
    MX_FILE_NPY,
    MX_FILE_TAR, /* or anything in gzip */
    MX_FILE_OTHER /* known, and not for us */
};

enum { MX_SNIFF_BYTES = 264 }; /* a tar says so at byte 257 */

struct mx_sniffed {
    enum mx_file_kind kind;
    const char *text;   /* completes "'file' ...": what it is */
    const char *advice; /* what to do, where it is not what was asked for */
};

/* IO if the first bytes cannot be read. */
int mx_sniff(struct mx_source *source, struct mx_sniffed *out) MX_MUST_USE;

#endif
