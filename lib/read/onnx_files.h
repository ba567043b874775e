/* The files that an ONNX model names (external data): are they there, long enough, and what they were? */
#ifndef MX_READ_ONNX_FILES_H
#define MX_READ_ONNX_FILES_H

#include "base/diag.h"
#include "base/io.h"

/* For the model file at `path`. A note for each file that is as it should be. NOT_FOUND, IO; FORMAT: the model is damaged or no
 * ONNX, a file is too short or has another checksum than the model says, or its name leads to another folder, where nothing is
 * looked at. All files are looked at; the status is the first one's. */
int mx_onnx_files_check(const char *path, struct mx_diags *diags) MX_MUST_USE;

#endif
