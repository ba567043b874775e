/* What is known about a model and its last export, as JSON. */
#include <jansson.h>
#include <string.h>

#include "model.h"

/* False when the progress function stopped the work. */
static bool goes_on(mx2onnx_model *m)
{
    return mx_tick(&m->budget, MX_TICK_NODE) == MX_OK;
}

static uint64_t param_bytes(mx2onnx_model *m)
{
    uint64_t total = 0;
    for (size_t i = 0; i < m->params.count && goes_on(m); i++) {
        total += m->params.items[i]->length;
    }
    return total;
}

static size_t unused_params(mx2onnx_model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->params.count && goes_on(m); i++) {
        n += !m->params.items[i]->used;
    }
    return n;
}

/* The name of a head while the graph could not be prepared far enough. */
static const char *output_name(mx2onnx_model *m, int i)
{
    return m->output_names && m->output_names[i] ? m->output_names[i] : m->graph->heads[i].node->name;
}

static const char *input_name(const mx2onnx_model *m, size_t i)
{
    return m->variable_names ? m->variable_names[m->inputs[i]->id] : m->inputs[i]->name;
}

static struct mx_value value_of(struct mx_entry e)
{
    return e.node->out && e.index >= 0 && e.index < e.node->n_out
        ? e.node->out[e.index]
        : (struct mx_value){MX_SHAPE_UNKNOWN, MX_DTYPE_NONE};
}

static const char *next_file(const char *name)
{
    return name + strlen(name) + 1;
}

/* ---- JSON */

static json_t *json_dims(mx2onnx_model *m, struct mx_shape s)
{
    if (s.ndim < 0) {
        return json_null();
    }
    json_t *list = json_array();
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        if (mx_dim_known(m->dims, s.dims[i], &size)) {
            json_array_append_new(list, json_integer(size));
            continue;
        }
        struct mx_str text = {0};
        mx_dim_format(m->dims, s.dims[i], &text);
        json_array_append_new(list, text.failed ? json_null() : json_string(text.text));
        mx_str_free(&text);
    }
    return list;
}

static json_t *json_value(mx2onnx_model *m, const char *name, struct mx_value v)
{
    return json_pack("{s:s, s:s, s:o}", "name", name, "dtype", mx_dtype_name(v.dtype), "shape", json_dims(m, v.shape));
}

static json_t *json_inputs(mx2onnx_model *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_inputs && goes_on(m); i++) {
        json_array_append_new(list, json_value(m, input_name(m, i), value_of((struct mx_entry){m->inputs[i], 0})));
    }
    return list;
}

static json_t *json_missing(mx2onnx_model *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_missing && goes_on(m); i++) {
        json_array_append_new(list, json_string(m->missing[i]->name));
    }
    return list;
}

static json_t *json_outputs(mx2onnx_model *m)
{
    json_t *list = json_array();
    for (int i = 0; m->graph && i < m->graph->n_heads && goes_on(m); i++) {
        json_array_append_new(list, json_value(m, output_name(m, i), value_of(m->graph->heads[i])));
    }
    return list;
}

static json_t *json_operators(mx2onnx_model *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_op_uses && goes_on(m); i++) {
        json_array_append_new(list, json_pack("{s:s, s:I, s:b}", "name", m->op_uses[i].name, "uses",
                                              (json_int_t)m->op_uses[i].count, "supported", m->op_uses[i].supported));
    }
    return list;
}

/* A name that is not UTF-8, which the model itself never holds, becomes null. */
static json_t *json_files(mx2onnx_model *m)
{
    json_t *list = json_array();
    const char *name = m->files_written.text;
    for (size_t i = 0; i < m->n_files_written; i++, name = next_file(name)) {
        json_array_append_new(list, mx_is_utf8(name) ? json_string(name) : json_null());
    }
    return list;
}

static json_t *json_diagnostics(mx2onnx_model *m)
{
    static const char *const severities[] = {"error", "warning", "note"};
    json_t *list = json_array();
    for (size_t i = 0; i < m->diags.count; i++) {
        const struct mx_diag *d = &m->diags.items[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "severity",
                                              severities[d->severity], "status", mx2onnx_status_name(d->status), "node",
                                              d->node, "op", d->op, "attribute", d->attribute, "name", d->name, "message", d->message,
                                              "advice", d->advice));
    }
    return list;
}

static int append(const char *bytes, size_t n, void *user)
{
    mx2onnx_model *m = user;
    mx_str_append_bytes(&m->report_json, bytes, n);
    return mx_tick(&m->budget, MX_TICK_ITEM + n);
}

int mx_model_report_json(mx2onnx_model *m)
{
    json_t *report = json_pack(
        "{s:s, s:o, s:o, s:o, s:{s:I, s:I, s:I, s:o}, s:{s:i, s:I, s:I, s:o}, s:o}", "version", mx2onnx_version(), "inputs",
        json_inputs(m), "outputs", json_outputs(m), "operators", json_operators(m), "parameters", "count",
        (json_int_t)m->params.count, "bytes", (json_int_t)param_bytes(m), "unused",
        (json_int_t)(m->graph ? unused_params(m) : 0), "missing", json_missing(m), "written", "opset", m->opset_written, "nodes",
        (json_int_t)m->nodes_written, "bytes", (json_int_t)m->bytes_written, "files", json_files(m), "diagnostics", json_diagnostics(m));
    mx_str_clear(&m->report_json);
    const int dumped = report ? json_dump_callback(report, append, m, JSON_INDENT(2)) : -1;
    json_decref(report);
    return m->budget.status != MX_OK ? m->budget.status : dumped == 0 && !m->report_json.failed ? MX_OK : MX_OUT_OF_MEMORY;
}
