/* Random numbers, of a shape and of float32 or float64. */
#ifndef OPS_RANDOM_NUMBERS_H
#define OPS_RANDOM_NUMBERS_H

#include "op/op.h"

/* In the row of an operator whose values are random; lines on other differences follow. */
#define MX_RANDOM(more) .random = true, .differs = "Values are random, and differ from MXNet's." more

/* The type in which numbers for a result of type t are drawn. */
enum mx_dtype ox_draw_type(enum mx_dtype t);
/* An attribute that lists sizes, and the least of them. */
struct mx_size_list {
    const char *name;
    struct mx_tuple v;
    int least;
};
/* Appends them. */
int mx_push_sizes(struct mx_infer *c, struct mx_dim_list *dims, struct mx_size_list sizes) MX_MUST_USE;
/* States that they are the shape; if there are none, it is that of a consumer, or (1). */
int mx_output_drawn(struct mx_infer *c, struct mx_size_list sizes) MX_MUST_USE;

ox_val ox_uniform(struct ox_build *b, struct mx_shape s, enum mx_dtype t); /* 0 to 1; may be 0, is not 1 */
ox_val ox_normal(struct ox_build *b, struct mx_shape s, enum mx_dtype t);  /* mean 0, deviation 1 */
/* Gamma with the scale 1; alpha > 0 broadcasts to the shape. */
ox_val ox_gamma(struct ox_build *b, struct mx_shape s, enum mx_dtype t, ox_val alpha);

#endif
