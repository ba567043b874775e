/* Decompositions of float64 matrices in the last two axes. */
#ifndef OPS_MATRICES_H
#define OPS_MATRICES_H

#include "op/op.h"

/* An error if the input is known to be neither float32 nor float64, for which alone MXNet has most decompositions. */
int ox_check_matrix(struct mx_infer *c, int input) MX_MUST_USE;

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
