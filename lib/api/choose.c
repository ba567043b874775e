/* The exported functions that choose. */
#include "api/api.h"

#include <string.h>

/* A dim may have none. */
static bool valid_dim_name(const char *name)
{
    return !name || (*name && mx_is_plain_text(name));
}

/* The error for a number of an input. */
#define WRONG(m, input, format, ...) mx_fail(&(m)->diags, MX_INVALID_ARGUMENT, mx_named(input), "%s: " format, (m)->function, __VA_ARGS__)

mx2onnx_status mx2onnx_set_input_shape(mx2onnx_model *m, const char *input, int32_t rank, const int64_t *dims, const char *const *dim_names)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    CHECK(rank <= 0 || dims, "the sizes are NULL");
    if (rank < -1 || rank > MX_MAX_RANK) {
        return mx_call_end(m, WRONG(m, input, "the rank is %d, but must be -1 to %d", (int)rank, MX_MAX_RANK));
    }
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] < -1) {
            return mx_call_end(
                m, WRONG(m, input, "dimension %d is %lld, but must be 0 or more, or -1 if it is not known", (int)i, (long long)dims[i]));
        }
    }
    for (int32_t i = 0; dim_names && i < rank; i++) {
        if (!valid_dim_name(dim_names[i])) {
            return mx_call_end(m, WRONG(m, input, "the name of dimension %d is empty or not UTF-8, or has control characters", (int)i));
        }
    }
    return mx_call_end(m, mx_model_set_shape(m, input, rank, dims, dim_names));
}

mx2onnx_status mx2onnx_set_input_dim_name(mx2onnx_model *m, const char *input, size_t axis, const char *dim_name)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    if (axis >= MX_MAX_RANK) {
        return mx_call_end(m, WRONG(m, input, "the axis is %zu, but must be below %d", axis, MX_MAX_RANK));
    }
    CHECK(valid_dim_name(dim_name), "the dimension's name is empty or not UTF-8, or has control characters");
    return mx_call_end(m, mx_model_set_dim_name(m, input, (int)axis, dim_name));
}

static int set_dtype(mx2onnx_model *m, const char *input, mx2onnx_dtype dtype)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, dtype == MX2ONNX_DTYPE_UNKNOWN, &choice));
    choice->dtype = mx_dtype_from_flag(dtype);
    return mx_model_chose(m, choice);
}

mx2onnx_status mx2onnx_set_input_dtype(mx2onnx_model *m, const char *input, mx2onnx_dtype dtype)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    CHECK(dtype == MX2ONNX_DTYPE_UNKNOWN || mx_dtype_from_flag(dtype) != MX_DTYPE_NONE, "the element type %d is unknown", (int)dtype);
    return mx_call_end(m, set_dtype(m, input, dtype));
}

static int set_channels(mx2onnx_model *m, const char *input, bool reversed, bool on)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, !on, &choice));
    *(reversed ? &choice->channels_reversed : &choice->channels_last) = on;
    return mx_model_chose(m, choice);
}

mx2onnx_status mx2onnx_set_input_channels_last(mx2onnx_model *m, const char *input, int32_t on)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    return mx_call_end(m, set_channels(m, input, false, on != 0));
}

mx2onnx_status mx2onnx_set_input_channels_reversed(mx2onnx_model *m, const char *input, int32_t on)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    return mx_call_end(m, set_channels(m, input, true, on != 0));
}

enum { MOST_VALUES = INT16_MAX }; /* limit: values of a mean or scale of an input */

/* All must be finite; NULL means none. The number is checked before a value is read. */
static int set_values(mx2onnx_model *m, const char *input, size_t n, const double *values, bool scale)
{
    if (n > MOST_VALUES) {
        return WRONG(m, input, "%zu values are given, but at most %d are possible", n, MOST_VALUES);
    }
    if (n > 0 && !values) {
        return mx_call_invalid(m, "the values are NULL");
    }
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] - values[i] <= 0)) {
            return WRONG(m, input, "the value of channel %zu is %g, but must be finite", i, values[i]);
        }
    }
    return mx_model_set_values(m, input, n, values, scale);
}

mx2onnx_status mx2onnx_set_input_mean(mx2onnx_model *m, const char *input, size_t n, const double *mean)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    return mx_call_end(m, set_values(m, input, n, mean, false));
}

mx2onnx_status mx2onnx_set_input_scale(mx2onnx_model *m, const char *input, size_t n, const double *scale)
{
    ENTER(m);
    CHECK(input, "the input's name is NULL");
    return mx_call_end(m, set_values(m, input, n, scale, true));
}

static const struct mx_input_choice *choice_of(const mx2onnx_model *m, const char *input)
{
    return mx_call_looks(m) && input ? mx_map_get(&m->choices.inputs, input) : NULL;
}

const int64_t *mx2onnx_get_input_shape(const mx2onnx_model *m, const char *input, int32_t *rank)
{
    const struct mx_input_choice *c = choice_of(m, input);
    const bool set = c && c->ndim >= 0;
    if (rank) {
        *rank = set ? c->ndim : -1;
    }
    return set ? c->dims : NULL;
}

const char *mx2onnx_get_input_dim_name(const mx2onnx_model *m, const char *input, size_t axis)
{
    const struct mx_input_choice *c = choice_of(m, input);
    return c && c->ndim >= 0 && axis < (size_t)c->ndim ? c->dim_names[axis] : NULL;
}

mx2onnx_dtype mx2onnx_get_input_dtype(const mx2onnx_model *m, const char *input)
{
    const struct mx_input_choice *c = choice_of(m, input);
    return c ? (mx2onnx_dtype)c->dtype : MX2ONNX_DTYPE_UNKNOWN;
}

int32_t mx2onnx_get_input_channels_last(const mx2onnx_model *m, const char *input)
{
    const struct mx_input_choice *c = choice_of(m, input);
    return c && c->channels_last;
}

int32_t mx2onnx_get_input_channels_reversed(const mx2onnx_model *m, const char *input)
{
    const struct mx_input_choice *c = choice_of(m, input);
    return c && c->channels_reversed;
}

static const double *get_values(const double *values, size_t count, size_t *n)
{
    if (n) {
        *n = count;
    }
    return count > 0 ? values : NULL;
}

const double *mx2onnx_get_input_mean(const mx2onnx_model *m, const char *input, size_t *n)
{
    const struct mx_input_choice *c = choice_of(m, input);
    return get_values(c ? c->mean : NULL, c ? c->n_mean : 0, n);
}

const double *mx2onnx_get_input_scale(const mx2onnx_model *m, const char *input, size_t *n)
{
    const struct mx_input_choice *c = choice_of(m, input);
    return get_values(c ? c->scale : NULL, c ? c->n_scale : 0, n);
}

mx2onnx_status mx2onnx_add_output(mx2onnx_model *m, const char *name)
{
    ENTER(m);
    CHECK(name && *name, "the output's name is empty");
    return mx_call_end(m, mx_model_add_output(m, name));
}

mx2onnx_status mx2onnx_rename(mx2onnx_model *m, const char *from, const char *to)
{
    ENTER(m);
    CHECK(from && *from && (!to || *to), "a name is empty");
    CHECK(!to || mx_is_plain_text(to), "the new name '%s' is not UTF-8, or has control characters" MX_HELP "give one without them", to);
    return mx_call_end(m, mx_model_rename(m, from, to));
}

const char *mx2onnx_get_rename(const mx2onnx_model *m, const char *from)
{
    /* a look cannot be ended, so a long name is not read for nothing */
    const struct mx_rename *r = mx_call_looks(m) && from && m->choices.renames.items ? mx_map_get(&m->choices.renames, from) : NULL;
    return r && strcmp(r->from, r->to.text) != 0 ? r->to.text : NULL;
}

mx2onnx_status mx2onnx_clear_outputs(mx2onnx_model *m)
{
    ENTER(m);
    mx_model_clear_outputs(m);
    return mx_call_end(m, MX_OK);
}

mx2onnx_status mx2onnx_set_node_precision(mx2onnx_model *m, const char *name, mx2onnx_precision precision)
{
    ENTER(m);
    CHECK(name && *name, "the name is empty");
    CHECK(precision >= MX2ONNX_PRECISION_AUTO && precision <= MX2ONNX_PRECISION_FLOAT16, "the precision %d is unknown", (int)precision);
    return mx_call_end(m, mx_model_set_precision(m, name, precision));
}

mx2onnx_precision mx2onnx_get_node_precision(const mx2onnx_model *m, const char *name)
{
    const struct mx_half_choice *c = m && name ? mx_map_get(&m->choices.halves_by_name, name) : NULL;
    return c ? c->precision : MX2ONNX_PRECISION_AUTO;
}

/* ---- functions of the caller */

/* Releases what came with a function that is refused. */
static mx2onnx_status refuse(void *user, mx2onnx_release_fn release)
{
    if (release) {
        release(user);
    }
    return MX_INVALID_ARGUMENT;
}

/* What came with a function that is removed is released at once. */
static void keep(struct mx_hold *hold, bool is_set, void *user, mx2onnx_release_fn release)
{
    mx_model_hold(hold, release, user);
    if (!is_set) {
        mx_model_hold(hold, NULL, NULL);
    }
}

static void tell_log(int32_t severity, const char *message, void *user)
{
    mx2onnx_model *m = user;
    const mx2onnx_log_entry entry = {.struct_size = sizeof entry, .severity = severity, .message = message};
    if (severity <= m->choices.log_least) {
        m->choices.log(&entry, m->choices.log_hold.user);
    }
}

mx2onnx_status mx2onnx_set_log(mx2onnx_model *m, mx2onnx_severity least, mx2onnx_log_fn fn, void *user, mx2onnx_release_fn release)
{
    if (!mx_call_begin(m, __func__)) {
        return refuse(user, release);
    }
    m->choices.log = fn;
    m->choices.log_least = least;
    m->diags.log = fn ? tell_log : NULL;
    m->diags.log_user = m;
    keep(&m->choices.log_hold, fn != NULL, user, release);
    return mx_call_end(m, MX_OK);
}

mx2onnx_status mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn, void *user, mx2onnx_release_fn release)
{
    if (!mx_call_begin(m, __func__)) {
        return refuse(user, release);
    }
    m->choices.progress = fn;
    keep(&m->choices.progress_hold, fn != NULL, user, release);
    return mx_call_end(m, MX_OK);
}

/* A handler of any version of the header. */
static mx2onnx_handler read_handler(const mx2onnx_handler *given)
{
#define END(member) MEMBER_END(mx2onnx_handler, member)
    static const size_t ends[] = {END(struct_size), END(output_count), END(overrides), END(infer), END(lower), END(count_outputs)};
#undef END
    mx2onnx_handler h = {0};
    mx_call_struct(&h, given, ends, sizeof ends / sizeof *ends);
    return h;
}

static int set_custom_operator(mx2onnx_model *m, struct mx_custom *custom, const mx2onnx_handler *given)
{
    const mx2onnx_handler h = read_handler(given);
    const bool counted = h.count_outputs || (h.output_count >= 1 && h.output_count <= MX_MAX_OUTPUTS);
    const char *wrong = !given                            ? NULL
                        : h.struct_size <= sizeof(size_t) ? NO_SIZE(mx2onnx_handler)
                        : !custom->name || !*custom->name || !counted || !h.infer
                            ? "a handler needs a name, 1 to 65536 outputs or a function that counts them, and infer"
                            : NULL;
    wrong = custom->name && !mx_is_utf8(custom->name) ? "the operator's name is not UTF-8" : wrong;
    if (wrong) {
        (void)refuse(custom->user, custom->release);
        return mx_call_invalid(m, "%s", wrong);
    }
    custom->n_outputs = h.count_outputs ? 0 : (int)h.output_count;
    custom->count_outputs = h.count_outputs;
    custom->infer = h.infer;
    custom->lower = h.lower;
    custom->overrides = h.overrides != 0;
    return mx_model_set_custom(m, custom);
}

mx2onnx_status mx2onnx_set_custom_operator(mx2onnx_model *m, const char *name, const mx2onnx_handler *handler, void *user,
                                           mx2onnx_release_fn release)
{
    struct mx_custom custom = {.name = name, .user = user, .release = release};
    if (!mx_call_begin(m, __func__)) {
        return refuse(user, release);
    }
    return mx_call_end(m, set_custom_operator(m, &custom, handler));
}
