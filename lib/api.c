/* The exported functions, and nothing else: each checks its arguments, calls inward and returns. */
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "model.h"
#include "op/op.h"
#include "op/registry.h"

/* ---- status, version, types */

const char *mx2onnx_status_name(int32_t status)
{
    switch (status) {
#define CASE(code, name, text)                                                                    \
    case code:                                                                                    \
        return #name;
        MX2ONNX_STATUS_MAP(CASE)
#undef CASE
    default:
        return "UNKNOWN";
    }
}

const char *mx2onnx_status_text(int32_t status)
{
    switch (status) {
#define CASE(code, name, text)                                                                    \
    case code:                                                                                    \
        return text;
        MX2ONNX_STATUS_MAP(CASE)
#undef CASE
    default:
        return "UNKNOWN";
    }
}

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *mx2onnx_version(void)
{
    return VERSION_TEXT(MX2ONNX_VERSION_MAJOR, MX2ONNX_VERSION_MINOR, MX2ONNX_VERSION_PATCH);
}

const char *mx2onnx_dtype_name(int32_t dtype)
{
    return mx_dtype_name(mx_dtype_from_flag(dtype));
}

int32_t mx2onnx_dtype_from_name(const char *name)
{
    return name ? (int32_t)mx_dtype_from_name(name) : MX2ONNX_DTYPE_UNKNOWN;
}

/* ---- arguments */

static int invalid(mx2onnx_model *m, const char *function, const char *what)
{
    return m ? mx_fail(&m->diags, MX_INVALID_ARGUMENT, (struct mx_where){0}, "%s: %s", function, what)
             : MX_INVALID_ARGUMENT;
}

#define CHECK(condition, what)                                                                    \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            return invalid(m, __func__, what);                                                    \
        }                                                                                         \
    } while (0)

#define CHECK_MODEL() CHECK(m, "the model is NULL")

/* ---- life */

int32_t mx2onnx_model_new(mx2onnx_model **out)
{
    if (!out) {
        return MX_INVALID_ARGUMENT;
    }
    mx2onnx_model *m = mx_calloc(1, sizeof *m);
    MX_TRY_ALLOC(m);
    const int status = mx_model_init(m);
    if (status != MX_OK) {
        mx2onnx_model_free(m);
        return status;
    }
    *out = m;
    return MX_OK;
}

void mx2onnx_model_free(mx2onnx_model *m)
{
    if (m) {
        mx_model_clear(m);
        mx_free(m);
    }
}

/* ---- load */

static int open_file(mx2onnx_model *m, const char *path, struct mx_source **out)
{
    const char *reason = NULL;
    const int status = mx_source_open_file(out, path, &reason);
    return status == MX_OK ? MX_OK
                           : mx_fail(&m->diags, status, (struct mx_where){.attribute = mx_path_base(path)},
                                     "the file cannot be read: %s", reason ? reason : mx2onnx_status_text(status));
}

int32_t mx2onnx_load(mx2onnx_model *m, const char *path)
{
    CHECK_MODEL();
    CHECK(path && *path, "the path is empty");
    return mx_model_load(m, path);
}

int32_t mx2onnx_load_symbol_file(mx2onnx_model *m, const char *path)
{
    CHECK_MODEL();
    CHECK(path && *path, "the path is empty");
    struct mx_source *source;
    MX_TRY(open_file(m, path, &source));
    return mx_model_load_symbol(m, source, mx_path_base(path));
}

int32_t mx2onnx_load_symbol_memory(mx2onnx_model *m, const void *data, size_t size)
{
    CHECK_MODEL();
    CHECK(data, "data is NULL");
    struct mx_source *source;
    MX_TRY(mx_source_open_memory(&source, data, size, false));
    return mx_model_load_symbol(m, source, "symbol");
}

int32_t mx2onnx_load_params_file(mx2onnx_model *m, const char *path)
{
    CHECK_MODEL();
    CHECK(path && *path, "the path is empty");
    struct mx_source *source;
    MX_TRY(open_file(m, path, &source));
    return mx_model_load_params(m, source, mx_path_base(path));
}

int32_t mx2onnx_load_params_memory(mx2onnx_model *m, const void *data, size_t size)
{
    CHECK_MODEL();
    CHECK(data, "data is NULL");
    struct mx_source *source;
    MX_TRY(mx_source_open_memory(&source, data, size, false));
    return mx_model_load_params(m, source, "params");
}

static bool valid_dims(size_t rank, const int64_t *dims, int64_t least)
{
    if (rank > MX_MAX_RANK || (rank > 0 && !dims)) {
        return false;
    }
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < least) {
            return false;
        }
    }
    return true;
}

int32_t mx2onnx_set_param(mx2onnx_model *m, const char *name, int32_t dtype, size_t rank, const int64_t *dims,
                          const void *data, size_t size)
{
    CHECK_MODEL();
    CHECK(name, "the name is NULL");
    CHECK(mx_dtype_from_flag(dtype) != MX_DTYPE_NONE, "there is no such element type");
    CHECK(valid_dims(rank, dims, 0), "the shape is not valid");
    CHECK(data || size == 0, "data is NULL");
    mx_model_changed(m);
    return mx_params_set(&m->params, name, mx_dtype_from_flag(dtype), (int)rank, dims, data, size);
}

/* ---- choose */

int32_t mx2onnx_set_input_shape(mx2onnx_model *m, const char *input, size_t rank, const int64_t *dims)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    CHECK(valid_dims(rank, dims, -1), "the shape is not valid");
    return mx_model_set_shape(m, input, (int)rank, dims);
}

int32_t mx2onnx_set_input_dim_name(mx2onnx_model *m, const char *input, size_t axis, const char *dim_name)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    CHECK(axis < MX_MAX_RANK, "the axis is out of range");
    CHECK(!dim_name || *dim_name, "the dimension's name is empty");
    return mx_model_set_dim_name(m, input, (int)axis, dim_name);
}

int32_t mx2onnx_set_input_dtype(mx2onnx_model *m, const char *input, int32_t dtype)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    CHECK(mx_dtype_from_flag(dtype) != MX_DTYPE_NONE, "there is no such element type");
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, &choice));
    choice->dtype = mx_dtype_from_flag(dtype);
    return MX_OK;
}

int32_t mx2onnx_set_input_channels_last(mx2onnx_model *m, const char *input, int32_t on)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, &choice));
    choice->channels_last = on != 0;
    return MX_OK;
}

int32_t mx2onnx_set_input_channels_reversed(mx2onnx_model *m, const char *input, int32_t on)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, &choice));
    choice->channels_reversed = on != 0;
    return MX_OK;
}

/* Finite ones; NULL for none of them. */
static bool valid_values(size_t n, const double *values)
{
    for (size_t i = 0; i < n; i++) {
        if (!values || !(values[i] - values[i] <= 0)) {
            return false;
        }
    }
    return n <= INT16_MAX;
}

int32_t mx2onnx_set_input_mean(mx2onnx_model *m, const char *input, size_t n, const double *mean)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    CHECK(valid_values(n, mean), "the values are NULL, infinite or no numbers");
    return mx_model_set_values(m, input, n, mean, false);
}

int32_t mx2onnx_set_input_scale(mx2onnx_model *m, const char *input, size_t n, const double *scale)
{
    CHECK_MODEL();
    CHECK(input, "the input's name is NULL");
    CHECK(valid_values(n, scale), "the values are NULL, infinite or no numbers");
    return mx_model_set_values(m, input, n, scale, true);
}

int32_t mx2onnx_add_output(mx2onnx_model *m, const char *name)
{
    CHECK_MODEL();
    CHECK(name && *name, "the output's name is empty");
    return mx_model_add_output(m, name);
}

int32_t mx2onnx_rename(mx2onnx_model *m, const char *from, const char *to)
{
    CHECK_MODEL();
    CHECK(from && *from && to && *to, "a name is empty");
    return mx_model_rename(m, from, to);
}

int32_t mx2onnx_set_opset(mx2onnx_model *m, int32_t opset)
{
    CHECK_MODEL();
    CHECK(opset >= MX2ONNX_OPSET_MIN && opset <= MX2ONNX_OPSET_MAX, "the opset must be between 12 and 28");
    m->opset = opset;
    return MX_OK;
}

int32_t mx2onnx_set_external_data(mx2onnx_model *m, int32_t mode, uint64_t threshold)
{
    CHECK_MODEL();
    CHECK(mode >= MX2ONNX_EXTERNAL_AUTO && mode <= MX2ONNX_EXTERNAL_ALWAYS, "there is no such mode");
    m->external_mode = mode;
    m->external_threshold = threshold;
    return MX_OK;
}

int32_t mx2onnx_set_initializers_as_inputs(mx2onnx_model *m, int32_t on)
{
    CHECK_MODEL();
    m->initializers_as_inputs = on != 0;
    return MX_OK;
}

int32_t mx2onnx_set_keep_batch_norm(mx2onnx_model *m, int32_t on)
{
    CHECK_MODEL();
    m->keep_batch_norm = on != 0;
    return MX_OK;
}

int32_t mx2onnx_set_fsync(mx2onnx_model *m, int32_t on)
{
    CHECK_MODEL();
    m->fsync = on != 0;
    return MX_OK;
}

int32_t mx2onnx_set_unknown_domain(mx2onnx_model *m, const char *domain)
{
    CHECK_MODEL();
    CHECK(!domain || (*domain && strcmp(domain, "ai.onnx") != 0), "the domain is empty or ONNX's own");
    return mx_model_keep_unknown(m, domain);
}

int32_t mx2onnx_set_float16(mx2onnx_model *m, int32_t mode)
{
    CHECK_MODEL();
    CHECK(mode >= MX2ONNX_FLOAT16_OFF && mode <= MX2ONNX_FLOAT16_INSIDE, "there is no such mode");
    mx_model_changed(m);
    m->float16 = mode;
    return MX_OK;
}

int32_t mx2onnx_keep_float32(mx2onnx_model *m, const char *name, int32_t keep)
{
    CHECK_MODEL();
    CHECK(name && *name, "the name is empty");
    return mx_model_keep_float32(m, name, keep != 0);
}

int32_t mx2onnx_set_param_prefix(mx2onnx_model *m, const char *prefix)
{
    CHECK_MODEL();
    return mx_model_set_prefix(m, prefix);
}

int32_t mx2onnx_set_seed(mx2onnx_model *m, int32_t seed)
{
    CHECK_MODEL();
    m->seeded = true;
    m->seed = seed;
    return MX_OK;
}

int32_t mx2onnx_set_log(mx2onnx_model *m, mx2onnx_log_fn fn, void *user)
{
    CHECK_MODEL();
    m->diags.log = fn;
    m->diags.log_user = user;
    return MX_OK;
}

int32_t mx2onnx_set_progress(mx2onnx_model *m, mx2onnx_progress_fn fn, void *user)
{
    CHECK_MODEL();
    m->progress = fn;
    m->progress_user = user;
    return MX_OK;
}

/* ---- look */

int32_t mx2onnx_infer(mx2onnx_model *m)
{
    CHECK_MODEL();
    return mx_model_prepare(m, MX_STAGE_INFERRED);
}

/* The graph as far as it comes without inference; what goes wrong on the way is told by mx2onnx_infer. */
static bool look(mx2onnx_model *m)
{
    if (m && m->file_graph && m->stage == MX_STAGE_NONE) {
        (void)!mx_model_prepare(m, MX_STAGE_CANON);
    }
    return m && m->graph;
}

static const struct mx_value *input_value(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_inputs ? m->inputs[i]->out : NULL;
}

static const struct mx_value *output_value(mx2onnx_model *m, size_t i)
{
    if (!look(m) || i >= (size_t)m->graph->n_heads) {
        return NULL;
    }
    const struct mx_entry e = m->graph->heads[i];
    return e.node->out && e.index >= 0 && e.index < e.node->n_out ? &e.node->out[e.index] : NULL;
}

static int32_t value_dtype(const struct mx_value *v)
{
    return v ? (int32_t)v->dtype : MX2ONNX_DTYPE_UNKNOWN;
}

static int32_t value_rank(const struct mx_value *v)
{
    return v ? v->shape.ndim : -1;
}

static int64_t value_dim(mx2onnx_model *m, const struct mx_value *v, size_t axis)
{
    int64_t size;
    const bool known = v && v->shape.ndim >= 0 && axis < (size_t)v->shape.ndim
        && mx_dim_known(m->dims, v->shape.dims[axis], &size);
    return known ? size : -1;
}

static const char *value_dim_name(mx2onnx_model *m, const struct mx_value *v, size_t axis)
{
    if (!v || v->shape.ndim < 0 || axis >= (size_t)v->shape.ndim || value_dim(m, v, axis) >= 0
        || mx_dim_is_unknown(m->dims, v->shape.dims[axis])) {
        return NULL;
    }
    struct mx_str text = {0};
    mx_dim_format(m->dims, v->shape.dims[axis], &text);
    const char *name = text.failed ? NULL : mx_arena_strdup(&m->pass_arena, text.text);
    mx_str_free(&text);
    return name;
}

size_t mx2onnx_missing_count(mx2onnx_model *m)
{
    return look(m) ? m->n_missing : 0;
}

const char *mx2onnx_missing_name(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_missing ? m->missing[i]->name : NULL;
}

size_t mx2onnx_unbound_count(mx2onnx_model *m)
{
    return look(m) ? m->n_unbound : 0;
}

const char *mx2onnx_unbound_name(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_unbound ? m->unbound[i] : NULL;
}

size_t mx2onnx_input_count(mx2onnx_model *m)
{
    return look(m) ? m->n_inputs : 0;
}

const char *mx2onnx_input_name(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_inputs ? m->inputs[i]->name : NULL;
}

int32_t mx2onnx_input_dtype(mx2onnx_model *m, size_t i)
{
    return value_dtype(input_value(m, i));
}

int32_t mx2onnx_input_rank(mx2onnx_model *m, size_t i)
{
    return value_rank(input_value(m, i));
}

int64_t mx2onnx_input_dim(mx2onnx_model *m, size_t i, size_t axis)
{
    return value_dim(m, input_value(m, i), axis);
}

const char *mx2onnx_input_dim_name(mx2onnx_model *m, size_t i, size_t axis)
{
    return value_dim_name(m, input_value(m, i), axis);
}

size_t mx2onnx_output_count(mx2onnx_model *m)
{
    return look(m) ? (size_t)m->graph->n_heads : 0;
}

const char *mx2onnx_output_name(mx2onnx_model *m, size_t i)
{
    if (!look(m) || i >= (size_t)m->graph->n_heads) {
        return NULL;
    }
    return m->output_names ? m->output_names[i] : m->graph->heads[i].node->name;
}

int32_t mx2onnx_output_dtype(mx2onnx_model *m, size_t i)
{
    return value_dtype(output_value(m, i));
}

int32_t mx2onnx_output_rank(mx2onnx_model *m, size_t i)
{
    return value_rank(output_value(m, i));
}

int64_t mx2onnx_output_dim(mx2onnx_model *m, size_t i, size_t axis)
{
    return value_dim(m, output_value(m, i), axis);
}

const char *mx2onnx_output_dim_name(mx2onnx_model *m, size_t i, size_t axis)
{
    return value_dim_name(m, output_value(m, i), axis);
}

static const struct mx_param *param_at(mx2onnx_model *m, size_t i)
{
    return m && i < m->params.count ? m->params.items[i] : NULL;
}

size_t mx2onnx_param_count(mx2onnx_model *m)
{
    return m ? m->params.count : 0;
}

const char *mx2onnx_param_name(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->name : NULL;
}

int32_t mx2onnx_param_dtype(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? (int32_t)p->dtype : MX2ONNX_DTYPE_UNKNOWN;
}

size_t mx2onnx_param_rank(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? (size_t)p->ndim : 0;
}

const int64_t *mx2onnx_param_dims(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->dims : NULL;
}

uint64_t mx2onnx_param_bytes(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->length : 0;
}

int32_t mx2onnx_param_used(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = look(m) ? param_at(m, i) : NULL;
    return p && p->used;
}

int32_t mx2onnx_param_read(mx2onnx_model *m, size_t i, void *out, size_t size)
{
    CHECK_MODEL();
    const struct mx_param *p = param_at(m, i);
    CHECK(p, "there is no such parameter");
    CHECK(out || size == 0, "out is NULL");
    CHECK(size == p->length, "size is not mx2onnx_param_bytes");
    return size > 0 ? mx_source_read(p->source, p->offset, out, size) : MX_OK;
}

size_t mx2onnx_operator_count(mx2onnx_model *m)
{
    return look(m) ? m->n_op_uses : 0;
}

const char *mx2onnx_operator_name(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_op_uses ? m->op_uses[i].name : NULL;
}

size_t mx2onnx_operator_uses(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_op_uses ? m->op_uses[i].count : 0;
}

int32_t mx2onnx_operator_supported(mx2onnx_model *m, size_t i)
{
    return look(m) && i < m->n_op_uses && m->op_uses[i].supported;
}

/* ---- the registry */

size_t mx2onnx_known_operator_count(void)
{
    return mx_registry_count();
}

const char *mx2onnx_known_operator_name(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return op ? op->name : NULL;
}

const char *mx2onnx_known_operator_aliases(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return op && op->alias ? op->alias : "";
}

int32_t mx2onnx_known_operator_opset(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return op ? op->min_opset > 0 ? op->min_opset : MX2ONNX_OPSET_MIN : 0;
}

const char *mx2onnx_known_operator_limits(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return op && op->limits ? op->limits : "";
}

/* ---- export */

int32_t mx2onnx_export_file(mx2onnx_model *m, const char *path)
{
    CHECK_MODEL();
    CHECK(path && *path, "the path is empty");
    return mx_model_export_file(m, path);
}

int32_t mx2onnx_export_memory(mx2onnx_model *m, void **data, size_t *size)
{
    CHECK_MODEL();
    CHECK(data && size, "data or size is NULL");
    struct mx_sink *sink;
    MX_TRY(mx_sink_open_memory(&sink));
    const int status = mx_model_export_sink(m, sink);
    if (status == MX_OK) {
        mx_sink_take_memory(sink, data, size);
    }
    mx_sink_close(sink);
    return status;
}

void mx2onnx_memory_free(void *data)
{
    mx_free(data);
}

int32_t mx2onnx_export_callback(mx2onnx_model *m, mx2onnx_write_fn fn, void *user)
{
    CHECK_MODEL();
    CHECK(fn, "the callback is NULL");
    struct mx_sink *sink;
    MX_TRY(mx_sink_open_callback(&sink, fn, user));
    const int status = mx_model_export_sink(m, sink);
    mx_sink_close(sink);
    return status;
}

/* ---- report */

size_t mx2onnx_diagnostic_count(const mx2onnx_model *m)
{
    return m ? m->diags.count : 0;
}

int32_t mx2onnx_diagnostic_get(const mx2onnx_model *m, size_t i, mx2onnx_diagnostic *out)
{
    if (!m || !out || i >= m->diags.count || out->struct_size < sizeof(size_t)) {
        return MX_INVALID_ARGUMENT;
    }
    const struct mx_diag *d = &m->diags.items[i];
    const mx2onnx_diagnostic full = {
        .struct_size = out->struct_size,
        .severity = d->severity,
        .status = d->status,
        .node = d->node,
        .op = d->op,
        .attribute = d->attribute,
        .message = d->message,
        .advice = d->advice,
    };
    memcpy(out, &full, out->struct_size < sizeof full ? out->struct_size : sizeof full);
    return MX_OK;
}

const char *mx2onnx_error(const mx2onnx_model *m)
{
    return m ? mx_diags_first_error(&m->diags) : "";
}

int32_t mx2onnx_written_opset(const mx2onnx_model *m)
{
    return m && m->bytes_written ? m->opset : 0;
}

size_t mx2onnx_written_nodes(const mx2onnx_model *m)
{
    return m ? m->nodes_written : 0;
}

uint64_t mx2onnx_written_bytes(const mx2onnx_model *m)
{
    return m ? m->bytes_written : 0;
}

const char *mx2onnx_report_text(mx2onnx_model *m)
{
    look(m);
    return m && mx_model_report_text(m) == MX_OK ? m->text.text : NULL;
}

const char *mx2onnx_report_json(mx2onnx_model *m)
{
    look(m);
    return m && mx_model_report_json(m) == MX_OK ? m->text.text : NULL;
}

const char *mx2onnx_graph_text(mx2onnx_model *m)
{
    return m && mx_model_graph_text(m) == MX_OK ? m->text.text : NULL;
}

const char *mx2onnx_symbol_text(mx2onnx_model *m)
{
    if (!m || mx_model_prepare(m, MX_STAGE_INFERRED) != MX_OK) {
        return NULL;
    }
    mx_str_clear(&m->text);
    mx_graph_dump(m->graph, &m->text);
    return m->text.failed ? NULL : m->text.text;
}
