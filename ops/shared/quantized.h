/* Functions shared by quantised operators: 8-bit integers accompanied by a range. */
#ifndef OPS_QUANTIZED_H
#define OPS_QUANTIZED_H

#include "op/op.h"

/* The number of levels that the end of a range corresponds to: 127.5 for int8, 255.5 for uint8, as in oneDNN (quantization_utils.h). */
double mx_levels(enum mx_dtype t);
/* GetQuantizeScale: steps per 1; for an empty range there are so many that all nonzero values saturate. */
float mx_quantize_scale(enum mx_dtype t, float reach);

/* The fields of a row whose output is 8-bit integers, or int32, with their range. */
#define QUANTIZED(mx, other_names, reads, rule, write)                                                                                     \
    .name = (mx), .alias = (other_names), .inputs = (reads), .outputs = "output min_output max_output", .infer = (rule), .lower = (write)

/* The range of the output that calibration found, if there was one. */
struct mx_calibration {
    struct mx_opt_float low, high;
};
#define MX_CALIBRATION(T)                                                                                                                  \
    MX_ATTR_NAMED("min_calib_range", T, calibration.low, struct mx_opt_float, MX_ATTR_FLOAT_NONE, "None", MX_NO_WORDS),                    \
        MX_ATTR_NAMED("max_calib_range", T, calibration.high, struct mx_opt_float, MX_ATTR_FLOAT_NONE, "None", MX_NO_WORDS)

bool mx_calibrated(const struct mx_calibration *r);
double mx_calibrated_reach(const struct mx_calibration *r);
/* Writes the range that was found to out[1] and out[2]. */
void mx_write_calibration(struct ox_build *b, const struct mx_calibration *r, ox_val *out);

/* True if the range whose larger magnitude is `reach` is known to hold only 0, as that of states that were always 0. */
bool mx_is_empty_range(struct ox_build *b, ox_val reach);
/* Numbers in steps of an empty range, whose scale is infinite: the ends of the type. MXNet's product of that and 0 saturates as well. */
ox_val mx_saturated(struct ox_build *b, ox_val x, enum mx_dtype t);

/* The value of one level: float (). */
ox_val mx_level(struct ox_build *b, ox_val reach, double levels);
/* The same for integers x with this range. */
ox_val mx_level_of(struct ox_build *b, ox_val x, ox_val low, ox_val high);
/* Writes -reach and reach, a float (), to out[1] and out[2]. */
void mx_write_range(struct ox_build *b, ox_val reach, ox_val *out);

/* States that input i, called `what` in errors, is int8, uint8 or not known yet. */
int mx_input_is_byte(struct mx_infer *c, int i, const char *what) MX_MUST_USE;

#endif
