/* Recognises a file by its first bytes: extensions mean nothing (MXNet 2 writes a zip called .params). */
#ifndef MX_READ_SNIFF_H
#define MX_READ_SNIFF_H

#include "base/diag.h"
#include "base/io.h"

enum mx_file_kind {
    MX_FILE_UNKNOWN,
    MX_FILE_EMPTY,
    MX_FILE_JSON,
    MX_FILE_LIST,   /* MXNet's NDArray list */
    MX_FILE_RECORD, /* one NDArray without a list */
    MX_FILE_ZIP,
    MX_FILE_NPY,
    MX_FILE_TAR,  /* or anything in gzip */
    MX_FILE_OTHER /* recognised, but not supported */
};

enum { MX_SNIFF_BYTES = 264 }; /* the signature of a tar is at byte 257 */

struct mx_sniffed {
    enum mx_file_kind kind;
    const char *text;   /* completes "'file' ...": what it is */
    const char *advice; /* what to do if it is not the expected kind */
};

/* An error that names the label if the first bytes cannot be read. */
int mx_sniff(struct mx_source *source, const char *label, struct mx_sniffed *out, struct mx_diags *diags) MX_MUST_USE;

#endif
