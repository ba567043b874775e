/* What differs from MXNet's sums, which keep what was rounded off, and from its norms, which are sums of scaled squares
 * (3rdparty/mshadow/mshadow/base.h, red::sum, and src/operator/mshadow_op.h, nrm2). To scale the numbers would take six nodes. */
#ifndef OPS_SUMS_H
#define OPS_SUMS_H

#define MX_OVERFLOWS                                                                                                                       \
    "Infinite numbers, and sums that overflow: the result is infinite, or right if a runtime adds in a wider type; MXNet's is infinite "   \
    "or NaN."
#define MX_SQUARES                                                                                                                         \
    "ord=2 and numbers whose squares are beyond their type (of float32, those above 1.8e19, or all below 1e-19): the result is infinite, " \
    "imprecise or 0; MXNet scales the numbers first, so that only that of several infinite ones is NaN."

#endif
