/* The builder's inside, for lib/onnx and the walk that lowers a graph. ops/ sees build.h only. */
#ifndef OX_BUILD_INTERNAL_H
#define OX_BUILD_INTERNAL_H

#include "base/diag.h"
#include "base/map.h"
#include "onnx/ir.h"

struct ox_build {
    struct ox_model *model;
    struct ox_graph *graph;     /* where nodes go now: the main graph or a body */
    struct mx_diags *diags;
    const struct mx_node *node; /* being lowered; NULL outside */
    int status;                 /* sticky; of this node */
    int fatal;                  /* OUT_OF_MEMORY: ends the export */
    struct mx_map consts;       /* interned small constants */
    struct mx_map dims;         /* ox_dim's cache: dim -> value */
    struct mx_map *sources;     /* where a dim's name can be read at run time: (value, axis) */
};

int ox_build_init(struct ox_build *b, struct ox_model *m, struct mx_diags *diags) MX_MUST_USE;
void ox_build_free(struct ox_build *b);

/* A graph input and an initialiser over a parameter's bytes, named `name`. */
ox_val ox_input(struct ox_build *b, const char *name, enum mx_dtype t, struct mx_shape s);
ox_val ox_param(struct ox_build *b, const char *name, enum mx_dtype t, int ndim, const int64_t *dims,
                struct mx_source *source, uint64_t offset, uint64_t length, enum mx_dtype stored);
/* Makes x an output of the main graph under this name. */
void ox_output(struct ox_build *b, ox_val x, const char *name);

#endif
