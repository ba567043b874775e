/* Parameter files: an index of arrays (name, type, dims, place in the file). Arrays stay in the file; only those that ONNX cannot store
 * in the same form (sparse, Fortran order, big-endian, compressed) are expanded into memory, once, when loading.
 *
 * The formats: MXNet's NDArray list, all record versions (src/ndarray/ndarray.cc, NDArray::Save and Load), .npy and .npz
 * (src/serialization/cnpy.cc in MXNet 2). */
#ifndef MX_READ_PARAMS_H
#define MX_READ_PARAMS_H

#include "base/io.h"
#include "base/map.h"
#include "graph/graph.h"

/* One array: `length` bytes of `source` from `offset`, dense, row-major, little-endian. */
struct mx_param {
    /* Or the bytes of these arrays, which have no parts, one after the other. NULL: it has a source. */
    struct mx_param *const *parts;
    size_t n_parts;
    const char *name; /* without arg: or aux: */
    enum mx_dtype dtype;
    int ndim;
    const int64_t *dims;
    int64_t *own_dims; /* the same, if the caller set the array */
    struct mx_source *source;
    uint64_t offset, length;
    unsigned load; /* number of the load, to distinguish a duplicate within one file from a replacement */
    uint32_t mark; /* scratch of catalogue/match.c */
    uint32_t own;  /* set by the caller: 1 + index of its source; 0: from a file */
    int room;      /* then, the number of dims for which own_dims has room */
    /* A caller may set an array that a file has, too. This is the one of both that is not used; NULL: there is none. */
    struct mx_param *other;
    bool removed; /* set by the caller, and taken back: only its memory is kept, for the next one */
    bool used;    /* the graph reads it */
    bool is_part; /* of an array in `joined` */
};

struct mx_params {
    struct mx_arena *arena; /* the model's */
    struct mx_diags *diags;
    struct mx_param **items; /* in order of loading; a later array replaces an earlier one with the same name */
    size_t count, capacity;
    struct mx_map by_name;
    const char *prefix;    /* given by the user; NULL: none */
    struct mx_map by_bare; /* names that begin with it, without it */
    /* By the name of a variable: arrays with structural names (pass/match_names.c), and those that are joined (pass/gates.c). */
    struct mx_map matched, joined;
    struct mx_source **sources; /* closed with the model */
    size_t n_sources, sources_capacity;
    unsigned loads;
};

void mx_params_free(struct mx_params *p);
/* Keeps the source open as long as the model; closes it if that fails. */
int mx_params_own(struct mx_params *p, struct mx_source *source) MX_MUST_USE;
/* Indexes everything in a source and takes it over, even on an error. `label` names it in messages: a file's path, as the caller gave it.
 * The format is recognised by the first bytes. After an error nothing has been added. *added is freed by mx_params_end, with `undo` after
 * the arrays have been removed; sources and memory of the arena are left to the caller. */
struct mx_batch;
int mx_params_add(struct mx_params *p, struct mx_source *source, const char *label, struct mx_batch **added) MX_MUST_USE;
void mx_params_end(struct mx_batch *added, bool undo); /* NULL is allowed */
/* Takes back all but the first n_sources of the sources, which no array may need. */
void mx_params_disown(struct mx_params *p, size_t n_sources);
/* Adds one array: name, type and dims of `like`, which are valid, and the bytes of its source, which is taken over, even on an error. An
 * array that was set in the same way and has the same name is replaced; its source, of *replaced bytes, is closed. */
int mx_params_set(struct mx_params *p, const struct mx_param *like, uint64_t *replaced) MX_MUST_USE;
/* The name under which mx_params_set keeps an array: without arg: or aux:. */
const char *mx_params_bare(const char *name);
/* Removes such an array, of *removed bytes, and closes its source: the array of a file that it replaced is there again. False if there is
 * none. */
bool mx_params_unset(struct mx_params *p, const char *name, uint64_t *removed);
/* By the name in the file without arg: or aux:. */
struct mx_param *mx_params_find(const struct mx_params *p, const char *name);
/* The value of a variable: by its name, by either name without the user's prefix, or as it was matched. */
struct mx_param *mx_params_of(const struct mx_params *p, const char *variable);
/* What it consists of: its parts, or itself. */
static inline size_t mx_param_part_count(const struct mx_param *p)
{
    return p->parts ? p->n_parts : 1;
}
static inline const struct mx_param *mx_param_part(const struct mx_param *p, size_t i)
{
    return p->parts ? p->parts[i] : p;
}
/* Reads bytes that are within the array's length. MX_IO: *failed is the source that cannot be read. */
int mx_param_read(const struct mx_param *p, uint64_t offset, void *out, size_t size, struct mx_source **failed) MX_MUST_USE;
/* `prefix` is borrowed. */
int mx_params_set_prefix(struct mx_params *p, const char *prefix) MX_MUST_USE;

#endif
