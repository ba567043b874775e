/* The handle, and the way of a model through the library: load, canon, infer, lower, finish, write. The calls behind
 * api.c, which only checks arguments. */
#ifndef MX_MODEL_H
#define MX_MODEL_H

#include "base/map.h"
#include "base/str.h"
#include "graph/canon.h"
#include "graph/graph.h"
#include "onnx/ir.h"
#include "read/params.h"

struct mx_rename {
    const char *from, *to;
};

struct mx2onnx_model {
    struct mx_arena arena;
    struct mx_diags diags;
    struct mx_dims *dims;
    struct mx_params params;
    struct mx_map ops; /* registry: name or alias -> struct mx_op */
    struct mx_graph *file_graph; /* as loaded and upgraded; never changed afterwards */
    struct mx_graph *graph;      /* after canon and inference with today's choices; NULL: to be made */
    struct mx_arena pass_arena;  /* of graph; freed when a choice changes */

    struct mx_input_choice *choices;
    size_t n_choices;
    const char **outputs; /* chosen cut points */
    size_t n_outputs;
    struct mx_rename *renames;
    size_t n_renames;
    int opset;
    int external_mode;
    uint64_t external_threshold;
    bool initializers_as_inputs, fsync;
    mx2onnx_progress_fn progress;
    void *progress_user;
    struct mx_str text; /* what report and dump functions return */
};

#endif
