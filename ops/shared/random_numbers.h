/* Random numbers, of a shape and of float32 or float64. */
#ifndef OPS_RANDOM_NUMBERS_H
#define OPS_RANDOM_NUMBERS_H

#include "onnx/builder/build.h"

/* In the row of an operator whose values are random; lines on other differences follow. */
#define MX_RANDOM(more) .random = true, .differs = "Values are random, and differ from MXNet's." more

ox_val ox_uniform(struct ox_build *b, struct mx_shape s, enum mx_dtype t); /* 0 to 1; may be 0, is not 1 */
ox_val ox_normal(struct ox_build *b, struct mx_shape s, enum mx_dtype t);  /* mean 0, deviation 1 */
/* Gamma with the scale 1; alpha > 0 broadcasts to the shape. */
ox_val ox_gamma(struct ox_build *b, struct mx_shape s, enum mx_dtype t, ox_val alpha);

#endif
