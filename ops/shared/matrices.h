/* Matrices in the last two axes, and decompositions of those of float64. */
#ifndef OPS_MATRICES_H
#define OPS_MATRICES_H

#include "op/op.h"

/* The fields of a row whose operator has the names _linalg_X, linalg_X and others. */
#define LINALG(x, other_names, reads, rule, write)                                                                                         \
    .name = "_linalg_" x, .alias = "linalg_" x other_names, .inputs = (reads), .infer = (rule), .lower = (write)

/* One input of square matrices, and one result of this shape. */
int mx_infer_square(struct mx_infer *c);

/* The batches of matrices l and r of the same rank, whose rows are on axis `row` and columns on the last. */
struct mx_product {
    int row;
    bool transpose_a, transpose_b;
};
/* States the shape of their product, as output 0. */
int mx_infer_product(struct mx_infer *c, struct mx_shape l, struct mx_shape r, struct mx_product p) MX_MUST_USE;

/* bool (n, n): how the number of the row compares with that of the column. */
ox_val ox_compare_places(struct ox_build *b, enum ox_op comparison, mx_dim n);
/* Unit matrices of this shape. */
ox_val ox_unit(struct ox_build *b, enum mx_dtype t, struct mx_shape s);
/* True if x is known to have more rows than columns. */
bool ox_is_high(struct ox_build *b, ox_val x);

/* An error if the input is known to be neither float32 nor float64, for which alone MXNet has most decompositions. */
int ox_check_matrix(struct mx_infer *c, int input) MX_MUST_USE;
/* The types of decompositions that read any type but float16: of float32 they are float32, and else float64. */
int mx_infer_decomposed(struct mx_infer *c) MX_MUST_USE;

/* For symmetric matrices: the eigenvalues (..., n), ascending, and the eigenvectors as rows (..., n, n), the largest entry of
 * each positive. `vectors` may be NULL. */
void ox_eigen(struct ox_build *b, ox_val x, ox_val *values, ox_val *vectors);
/* x (..., m, n) as left (..., m, m) times the singular values (..., m), descending, times right (..., m, n), whose rows each have a
 * positive largest entry. `left` and `right` may both be NULL. With more rows than columns the last values are 0 except for rounding
 * errors. */
void ox_singular(struct ox_build *b, ox_val x, ox_val *left, ox_val *values, ox_val *right);
/* The first elements of x along an axis, as many as the matrices have rows or columns, whichever are fewer. */
ox_val ox_shorter_side(struct ox_build *b, ox_val x, int axis, ox_val matrices);

#endif
