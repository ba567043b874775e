/* The gamma function. */
#ifndef OPS_GAMMA_H
#define OPS_GAMMA_H

#include "onnx/builder/build.h"

/* The gamma function, and the logarithm of its magnitude. */
ox_val ox_gamma_function(struct ox_build *b, ox_val x);
ox_val ox_gammaln(struct ox_build *b, ox_val x);

#endif
