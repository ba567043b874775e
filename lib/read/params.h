/* Parameter files: an index of arrays (name, type, dims, where in the file). No array is read here.
 *
 * The formats: MXNet's NDArray list, all record versions (src/ndarray/ndarray.cc, NDArray::Save and Load), .npy and
 * .npz (src/serialization/cnpy.cc of MXNet 2). */
#ifndef MX_READ_PARAMS_H
#define MX_READ_PARAMS_H

#include "base/io.h"
#include "base/map.h"
#include "graph/graph.h"

/* One array. Its bytes are `length` bytes of `source` from `offset`, row-major, little-endian, unless `dense` must be
 * built: sparse arrays, Fortran order, big-endian and deflated members are expanded into memory once, at loading. */
struct mx_param {
    const char *name; /* without arg: or aux: */
    enum mx_dtype dtype;
    int ndim;
    const int64_t *dims;
    struct mx_source *source;
    uint64_t offset, length;
    bool is_aux; /* had the prefix aux: */
    bool used;   /* the graph reads it */
    /* inference found that the graph wants another type: converted while writing */
    enum mx_dtype cast_to; /* MX_DTYPE_NONE: no cast */
};

struct mx_params {
    struct mx_arena *arena; /* the model's */
    struct mx_diags *diags;
    struct mx_param **items; /* in the order of loading; a replaced one is gone */
    size_t count, capacity;
    struct mx_map by_name;
    struct mx_source **sources; /* closed with the model */
    size_t n_sources;
};

void mx_params_free(struct mx_params *p);
/* Indexes everything in a source and takes ownership of it (also on an error). `label` names it in messages (a file's
 * base name, never a path). Decides the format by the first bytes. */
int mx_params_add_source(struct mx_params *p, struct mx_source *source, const char *label) MX_MUST_USE;
/* One array over borrowed memory. */
int mx_params_set(struct mx_params *p, const char *name, enum mx_dtype dtype, int ndim, const int64_t *dims,
                  const void *data, size_t size) MX_MUST_USE;
struct mx_param *mx_params_find(const struct mx_params *p, const char *name);

/* read/params_list.c, read/params_npy.c: the formats. Each adds its arrays with mx_params_append. */
int mx_params_read_list(struct mx_params *p, struct mx_source *source, const char *label) MX_MUST_USE;
int mx_params_read_npy(struct mx_params *p, struct mx_source *source, const char *label) MX_MUST_USE;
int mx_params_read_npz(struct mx_params *p, struct mx_source *source, const char *label) MX_MUST_USE;
int mx_params_append(struct mx_params *p, const struct mx_param *param) MX_MUST_USE;

#endif
