/* Declarations shared by the readers of the parameter formats. */
#ifndef MX_READ_PARAMS_INTERNAL_H
#define MX_READ_PARAMS_INTERNAL_H

#include "read/cursor.h"
#include "read/params.h"

/* The arrays of one file, added to the model's once the whole file has been read. An item without a source is a placeholder without a
 * value. The first `added` items then are what they replaced; those that replaced nothing have no source. */
struct mx_batch {
    struct mx_params *params;
    const char *label;
    struct mx_param *items; /* names and dims are in the arena; names still have their prefix */
    size_t count, capacity;
    size_t added;
    const char *replaced; /* the first of the arrays of earlier loads whose places its own take */
    size_t n_replaced;
};

int mx_batch_add(struct mx_batch *b, const struct mx_param *param) MX_MUST_USE;

/* read/params_list.c (also for a lone record), read/params_npy.c, read/params_npz.c: the formats. */
int mx_params_read_list(struct mx_batch *b, struct mx_source *source) MX_MUST_USE;
int mx_params_read_record(struct mx_batch *b, struct mx_source *source) MX_MUST_USE;
int mx_params_read_npy(struct mx_batch *b, struct mx_source *source) MX_MUST_USE;
int mx_params_read_npz(struct mx_batch *b, struct mx_source *source) MX_MUST_USE;

/* The bytes of that many elements (mx_elements). */
bool mx_dims_bytes(enum mx_dtype dtype, int ndim, const int64_t *dims, uint64_t *out);

/* Zeroed memory of `bytes` that becomes a source of the model; *data points into it until the model is freed. */
int mx_params_expand(struct mx_params *p, uint64_t bytes, void **data, struct mx_source **source) MX_MUST_USE;

/* ---- one .npy: a file or a member of a zip */

/* Fills everything except the name. Fortran order and big-endian numbers are converted in memory. */
int mx_npy_read(struct mx_params *p, struct mx_cursor *c, struct mx_param *out) MX_MUST_USE;
/* Moves the cursor to the data, without parsing the dict. */
int mx_npy_skip_header(struct mx_cursor *c) MX_MUST_USE;

/* ---- sparse arrays */

struct mx_sparse {
    const char *label, *what; /* in messages: the file, and "array 3" */
    bool csr;                 /* else row_sparse */
    int ndim;
    const int64_t *dims;           /* of the dense array; in the arena */
    struct mx_param data, indices; /* without names */
    struct mx_param indptr;        /* csr */
};

/* Reads a part, or the shape, of such an array. */
struct mx_cursor mx_sparse_cursor(const struct mx_sparse *s, const struct mx_param *part, struct mx_diags *diags);
/* The next of its int64 or int32. */
int mx_sparse_index(struct mx_cursor *c, enum mx_dtype dtype, int64_t *out) MX_MUST_USE;

/* Checks the parts against each other and every index, and fills everything except the name with the dense array. */
int mx_sparse_expand(struct mx_params *p, const struct mx_sparse *s, struct mx_param *out) MX_MUST_USE;

#endif
