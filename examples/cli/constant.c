/* --set NAME=VALUE: an input becomes a constant. */
#include "cli/cli.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 32 };

struct constant {
    char *name;
    double value;
    size_t input; /* among the model's */
    mx2onnx_dtype dtype;
};

static bool find_constant(mx2onnx_model *m, struct constant *c)
{
    const size_t count = mx2onnx_input_count(m);
    while (c->input < count && strcmp(mx2onnx_input_name(m, c->input), c->name) != 0) {
        c->input++;
    }
    return c->input < count;
}

/* The number of elements; 0 if a dim is open. */
static size_t constant_elements(mx2onnx_model *m, const struct constant *c, int64_t dims[MAX_RANK])
{
    const int32_t rank = mx2onnx_input_rank(m, c->input);
    size_t count = rank < 0 ? 0 : 1;
    for (int32_t i = 0; i < rank; i++) {
        dims[i] = mx2onnx_input_dim(m, c->input, (size_t)i);
        count = dims[i] > 0 && count <= ((size_t)1 << 28) / (size_t)dims[i] ? count * (size_t)dims[i] : 0;
    }
    return count;
}

/* Fills memory that the model frees; NULL if there is none, or the type cannot be written. */
static void *fill_constant(const struct constant *c, size_t count, size_t *size)
{
    const size_t width = c->dtype == MX2ONNX_DTYPE_FLOAT32 || c->dtype == MX2ONNX_DTYPE_INT32   ? 4
                         : c->dtype == MX2ONNX_DTYPE_FLOAT64 || c->dtype == MX2ONNX_DTYPE_INT64 ? 8
                                                                                                : 0;
    unsigned char *data = width ? mx2onnx_memory_new(count * width) : NULL;
    for (size_t i = 0; data && i < count; i++) {
        const float f = (float)c->value;
        const int32_t n = (int32_t)c->value;
        const int64_t l = (int64_t)c->value;
        memcpy(data + i * width,
               c->dtype == MX2ONNX_DTYPE_FLOAT32 ? (const void *)&f
               : c->dtype == MX2ONNX_DTYPE_INT32 ? (const void *)&n
               : c->dtype == MX2ONNX_DTYPE_INT64 ? (const void *)&l
                                                 : (const void *)&c->value,
               width);
    }
    *size = count * width;
    return data;
}

/* Names the size that is open: another --input of the constant alone would make the others that have it equal to its number. */
static int fail_open_constant(mx2onnx_model *m, const struct constant *c)
{
    const char *name = NULL;
    for (int32_t i = 0; !name && i < mx2onnx_input_rank(m, c->input); i++) {
        name = mx2onnx_input_dim_name(m, c->input, (size_t)i);
    }
    return name ? cli_usage("'--set %s': a constant has a fixed shape, but size '%s' of this input is known at run time only" CLI_HELP
                            "set a number for '%s' with --input NAME=DIMS at all inputs that have it, or keep the input '%s' and give it "
                            "to the runtime",
                            c->name, name, name, c->name)
                : cli_usage("'--set %s': the input is empty or larger than 2^28 elements" CLI_HELP "check its shape", c->name);
}

static bool fits_float32(double v)
{
    return !isfinite(v) || v == 0 || (fabs(v) <= (double)FLT_MAX && fabs(v) >= (double)FLT_MIN);
}

/* A value that the type of the input does not have would become another one. */
static int check_constant(const struct constant *c, const char *original)
{
    char word[CLI_WORD];
    const bool whole = c->value >= -9223372036854775808.0 && c->value < 9223372036854775808.0 && c->value == floor(c->value);
    const bool fits = c->dtype == MX2ONNX_DTYPE_INT32     ? whole && c->value >= INT32_MIN && c->value <= INT32_MAX
                      : c->dtype == MX2ONNX_DTYPE_INT64   ? whole
                      : c->dtype == MX2ONNX_DTYPE_FLOAT32 ? fits_float32(c->value)
                                                          : true;
    return fits ? CLI_OK
                : cli_usage("'--set %s': the input is %s, which does not have this value" CLI_HELP "use a number of this type, or set "
                            "another type with --input %s",
                            original, mx2onnx_dtype_name(c->dtype), cli_word(word, "%s=:TYPE", c->name));
}

/* Preprocessing is applied to an input, and a constant is not one. */
static int check_preprocessed(mx2onnx_model *m, const struct constant *c)
{
    size_t mean, scale;
    (void)mx2onnx_get_input_mean(m, c->name, &mean);
    (void)mx2onnx_get_input_scale(m, c->name, &scale);
    const bool last = mx2onnx_get_input_channels_last(m, c->name);
    const char *option = mean                                              ? "mean"
                         : scale                                           ? "scale"
                         : last                                            ? "channels-last"
                         : mx2onnx_get_input_channels_reversed(m, c->name) ? "reverse-channels"
                                                                           : NULL;
    return option ? cli_usage("'--set %s' and '--%s' are both for '%s', and a constant is not preprocessed" CLI_HELP "omit one of them",
                              c->name, option, c->name)
                  : CLI_OK;
}

static int set_constant(mx2onnx_model *m, struct constant *c, const char *original)
{
    int64_t dims[MAX_RANK];
    size_t size = 0;
    const mx2onnx_status inferred = mx2onnx_infer(m);
    if (inferred == MX2ONNX_STATUS_SHAPE && find_constant(m, c) && mx2onnx_input_rank(m, c->input) < 0) {
        char word[CLI_WORD];
        return cli_usage("'--set %s': a constant has a fixed shape, but that of this input is unknown" CLI_HELP
                         "set it with --input %s, where DIMS and the sizes of other inputs are numbers",
                         original, cli_word(word, "%s=DIMS", c->name));
    }
    if (inferred != MX2ONNX_OK) {
        return cli_fail(m, inferred);
    }
    if (!find_constant(m, c)) {
        return cli_not_found("'--set %s': the model has no input of this name" CLI_HELP "'mx2onnx inspect' lists the inputs", c->name);
    }
    const int preprocessed = check_preprocessed(m, c);
    if (preprocessed != CLI_OK) {
        return preprocessed;
    }
    const size_t count = constant_elements(m, c, dims);
    if (count == 0) {
        return fail_open_constant(m, c);
    }
    const int32_t rank = mx2onnx_input_rank(m, c->input);
    c->dtype = mx2onnx_input_dtype(m, c->input);
    const int valid = check_constant(c, original);
    if (valid != CLI_OK) {
        return valid;
    }
    void *data = fill_constant(c, count, &size);
    if (!data) {
        return cli_usage("'--set %s': the input is %s, but only float32, float64, int32 and int64 can be set" CLI_HELP
                         "convert the model without it, and give the value to the runtime",
                         c->name, mx2onnx_dtype_name(c->dtype));
    }
    const mx2onnx_array value = {.struct_size = sizeof value, .dtype = c->dtype, .rank = rank, .dims = dims, .data = data, .size = size};
    return cli_done(m, mx2onnx_set_param(m, c->name, &value, data, mx2onnx_memory_free));
}

int cli_set_constant(mx2onnx_model *m, const char *original)
{
    const char *equals = strrchr(original, '=');
    const size_t length = equals ? (size_t)(equals - original) + 1 : 0;
    struct constant c = {.name = length > 1 ? cli_copy(original, length - 1) : NULL};
    char *end = NULL;
    errno = 0;
    c.value = length > 1 ? strtod(original + length, &end) : 0;
    const bool too_large = errno == ERANGE && !isfinite(c.value);
    const bool valid = c.name && end && end != original + length && !*end && !too_large;
    int result =
        valid ? CLI_OK : cli_usage("'--set %s' does not have a name and a number" CLI_HELP "write it as --set NAME=NUMBER", original);
    if (valid && m) {
        result = set_constant(m, &c, original);
    }
    free(c.name);
    return result;
}
