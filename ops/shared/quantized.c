#include "shared/quantized.h"

#include <math.h>

double mx_levels(enum mx_dtype t)
{
    return t == MX_INT8 ? 127.5 : 255.5;
}

float mx_quantize_scale(enum mx_dtype t, float reach)
{
    return reach > 0 ? (float)mx_levels(t) / reach : (float)INT32_MAX;
}

bool mx_calibrated(const struct mx_calibration *r)
{
    return r->low.given && r->high.given;
}

double mx_calibrated_reach(const struct mx_calibration *r)
{
    return fmax(fabs(r->low.v), fabs(r->high.v));
}

int mx_check_calibration(struct mx_infer *c, const struct mx_calibration *r)
{
    return mx_calibrated(r) && !(mx_calibrated_reach(r) > 0)
               ? mx_infer_fail(c, "max_calib_range", "the calibrated range is empty" MX_HELP "calibrate the model again")
               : MX_OK;
}

void mx_write_calibration(struct ox_build *b, const struct mx_calibration *r, ox_val *out)
{
    out[1] = ox_floats(b, MX_FLOAT32, &r->low.v, 1);
    out[2] = ox_floats(b, MX_FLOAT32, &r->high.v, 1);
}

ox_val mx_level(struct ox_build *b, ox_val reach, double levels)
{
    return ox_div(b, reach, ox_scalar(b, MX_FLOAT32, levels));
}

void mx_write_range(struct ox_build *b, ox_val reach, ox_val *out)
{
    out[2] = ox_unsqueeze1(b, reach, 0);
    out[1] = ox_unary(b, OX_Neg, out[2]);
}

int mx_input_is_byte(struct mx_infer *c, int i, const char *what)
{
    const enum mx_dtype t = mx_input_dtype(c, i);
    return t == MX_DTYPE_NONE || t == MX_INT8 || t == MX_UINT8
               ? MX_OK
               : mx_infer_fail(c, what, MX_SUBJECT "is %s, but must be int8 or uint8", mx_dtype_name(t));
}

bool mx_rows_read(struct ox_build *b, ox_val weight, ox_val bias, struct mx_rows *out)
{
    *out = (struct mx_rows){.n = 0};
    if (!ox_size_at(b, weight, 0, &out->n)) {
        return false;
    }
    out->factor = ox_scratch(b, (size_t)out->n + 1, 3 * sizeof *out->factor);
    if (!out->factor) {
        return false;
    }
    out->bias = out->factor + out->n;
    out->scale = out->bias + out->n;
    if (!ox_row_reach(b, weight, out->scale) || (bias != OX_NONE && !ox_read_floats(b, bias, out->bias, out->n))) {
        return false;
    }
    for (int64_t i = 0; i < out->n; i++) {
        out->factor[i] = 1;
    }
    return true;
}

/* UpdateConvWeightBias */
bool mx_rows_normalize(struct ox_build *b, struct mx_rows *r, const ox_val *stats, double eps, bool fix_gamma)
{
    float *gamma = ox_scratch(b, (size_t)r->n + 1, 4 * sizeof *gamma);
    if (!gamma) {
        return false;
    }
    const float *beta = gamma + r->n, *mean = beta + r->n, *var = mean + r->n;
    for (int i = 0; i < 4; i++) {
        if (ox_failed(b) || !ox_read_floats(b, stats[i], gamma + i * r->n, r->n)) {
            return false;
        }
    }
    for (int64_t i = 0; i < r->n; i++) {
        r->factor[i] = (float)((double)(fix_gamma ? 1.0F : gamma[i]) / sqrt((double)var[i] + eps));
        r->bias[i] = beta[i] + r->factor[i] * (r->bias[i] - mean[i]);
        r->scale[i] *= fabsf(r->factor[i]);
    }
    return true;
}

/* GetWeightScales */
void mx_rows_scale(struct mx_rows *r, float data_scale, bool one)
{
    float all = 0;
    for (int64_t i = 0; i < r->n; i++) {
        all = fmaxf(all, r->scale[i]);
    }
    for (int64_t i = 0; i < r->n; i++) {
        r->scale[i] = mx_quantize_scale(MX_INT8, one ? all : r->scale[i]);
        if (r->bias[i] != 0 && data_scale > 0 && !one) {
            r->scale[i] = fminf(r->scale[i], (float)INT32_MAX / 2 / fabsf(r->bias[i]) / data_scale);
        }
    }
}

ox_val mx_rows_weight(struct ox_build *b, ox_val weight, const struct mx_rows *r, int64_t groups)
{
    const float *scale = r->scale;
    if (groups > 1 && groups < r->n) {
        float *used = ox_scratch(b, (size_t)r->n, sizeof *used);
        for (int64_t i = 0; used && i < r->n; i++) {
            used[i] = r->scale[i / (r->n / groups)];
        }
        ox_warn(b, "num_group", "MXNet scales the rows of a group by the scale of another row, and so does this model");
        scale = used;
    }
    return ox_failed(b) ? OX_NONE : ox_quantize_rows(b, weight, r->factor, scale);
}

ox_val mx_rows_bias(struct ox_build *b, const struct mx_rows *r, float data_scale)
{
    int32_t *v = ox_scratch(b, (size_t)r->n + 1, sizeof *v);
    for (int64_t i = 0; v && i < r->n; i++) {
        const float x = rintf(r->bias[i] * (r->scale[i] * data_scale));
        v[i] = x >= 2147483648.0F ? INT32_MAX : x >= -2147483648.0F ? (int32_t)x : INT32_MIN;
    }
    return v ? ox_tensor(b, MX_INT32, &r->n, 1, v) : OX_NONE;
}

ox_val mx_rows_levels(struct ox_build *b, const struct mx_rows *r)
{
    float *v = ox_scratch(b, (size_t)r->n + 1, sizeof *v);
    for (int64_t i = 0; v && i < r->n; i++) {
        v[i] = 1 / r->scale[i];
    }
    return v ? ox_tensor(b, MX_FLOAT32, &r->n, 1, v) : OX_NONE;
}

ox_val mx_bias_in_steps(struct ox_build *b, ox_val bias, float factor)
{
    const float end = 1073741824; /* 2^30 */
    int64_t n = 0;
    (void)ox_size_at(b, bias, 0, &n);
    float *x = ox_scratch(b, (size_t)n + 1, sizeof *x);
    int32_t *v = ox_scratch(b, (size_t)n + 1, sizeof *v);
    if (!x || !v || !ox_read_floats(b, bias, x, n)) {
        return OX_NONE;
    }
    for (int64_t i = 0; i < n; i++) {
        const float y = roundf(x[i] * factor);
        v[i] = y >= end ? INT32_MAX / 2 : y > -end ? (int32_t)y : -INT32_MAX / 2;
    }
    return ox_tensor(b, MX_INT32, &n, 1, v);
}
