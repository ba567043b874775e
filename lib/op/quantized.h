/* What quantised operators share: 8-bit integers beside which a range stands, and weights that become such. */
#ifndef MX_OP_QUANTIZED_H
#define MX_OP_QUANTIZED_H

#include "onnx/build.h"
#include "op/attr.h"
#include "op/infer.h"

/* What the end of a range is counted as: 127.5 of int8, 255.5 of uint8, as oneDNN does (quantization_utils.h). */
double mx_levels(enum mx_dtype t);
/* GetQuantizeScale: steps per 1; an empty range has so many that nothing is left of the values. */
float mx_quantize_scale(enum mx_dtype t, float reach);

/* The attributes min_calib_range and max_calib_range. */
bool mx_calibrated(struct mx_opt_float low, struct mx_opt_float high);
double mx_calibrated_reach(struct mx_opt_float low, struct mx_opt_float high);

/* Input i, which an error calls `what`, is int8 or uint8, or not known yet. */
int mx_input_is_byte(struct mx_infer *c, int i, const char *what) MX_MUST_USE;

/* ---- float weights to int8 (src/operator/subgraph/mkldnn/mkldnn_common.h) */

/* Of each row (output channel) of a weight. */
struct mx_rows {
    int64_t n;
    float *factor; /* what BatchNorm multiplies the row by, else 1 */
    float *bias;
    float *scale; /* steps per 1: the weight is stored as weight * factor * scale */
};

/* Reads the weight's largest magnitudes and the bias (OX_NONE: zeros). False if they are not initialisers. */
bool mx_rows_read(struct ox_build *b, ox_val weight, ox_val bias, struct mx_rows *out);
/* Folds BatchNorm in: stats are gamma, beta, mean, variance. False if they are not initialisers. */
bool mx_rows_normalize(struct ox_build *b, struct mx_rows *r, const ox_val *stats, double eps, bool fix_gamma);
/* From magnitudes to scales: of each row, such that its bias fits half of an int32 (data_scale 0: any does), or one for
 * all. */
void mx_rows_scale(struct mx_rows *r, float data_scale, bool one);
/* The weight as int8. With several groups oneDNN gives all rows of group g the scale of row g, though they are read with
 * their own (ConvertWeightBias2MKLDNN): a warning says so. */
ox_val mx_rows_weight(struct ox_build *b, ox_val weight, const struct mx_rows *r, int64_t groups);
/* int32 (n): the bias in steps of data times weight. */
ox_val mx_rows_bias(struct ox_build *b, const struct mx_rows *r, float data_scale);
/* float (n): what a step of each row stands for. */
ox_val mx_rows_levels(struct ox_build *b, const struct mx_rows *r);
/* int32: whole numbers times a factor, rounded half away from zero, within half of the range. OX_NONE if they are no
 * initialiser. */
ox_val mx_bias_in_steps(struct ox_build *b, ox_val bias, float factor);

#endif
