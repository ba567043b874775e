/* ONNX Runtime, loaded when it is needed: a model, and its values for inputs. */
#ifndef CLI_RUNTIME_H
#define CLI_RUNTIME_H

#include "cli/array.h"
#include "cli/onnx_nodes.h"

struct cli_runtime {
    char why[600];    /* the error message of a call that returned false */
    const char *help; /* what to do, if cli_runtime_start returned false */
    size_t n_inputs, n_outputs;
    char **inputs, **outputs; /* names */
    mx2onnx_dtype *input_dtypes;
    struct cli_array *input_shapes; /* rank and dims; -1: any size; rank 0 also where the model states none */
    struct cli_ort *ort;
};

/* `library`: the path of libonnxruntime, or NULL to let the system find it. */
bool cli_runtime_start(struct cli_runtime *r, const char *library);
void cli_runtime_stop(struct cli_runtime *r);
/* Replaces the previous model. `folder`: where its side file is; `fuse` allows the runtime to fuse nodes. */
bool cli_runtime_load(struct cli_runtime *r, struct cli_span model, const char *folder, bool fuse);
/* Runs the model on `inputs`, one for each of r->inputs. The data of `outputs` is freed with cli_array_free, even after a failure. */
bool cli_runtime_run(struct cli_runtime *r, const struct cli_array *inputs, const char *const *names, size_t n, struct cli_array *outputs);

#endif
