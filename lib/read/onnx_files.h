/* Checks the files that an ONNX model refers to (external data): whether they exist, are long enough, and are unchanged. */
#ifndef MX_READ_ONNX_FILES_H
#define MX_READ_ONNX_FILES_H

#include "base/diag.h"
#include "base/io.h"

/* For the model file at `path`. Adds a note for each correct file. NOT_FOUND, IO; FORMAT: the model is damaged or not ONNX, a file is
 * too short or its checksum differs from the model's, or its name leads to another folder, where nothing is opened. All files are checked;
 * the status is that of the first error. */
int mx_onnx_files_check(const char *path, struct mx_diags *diags) MX_MUST_USE;

#endif
