/* What is known about a model and its last export, as JSON: lib/schema/report.json describes its form. */
#include <string.h>

#include "base/json_out.h"
#include "model/model.h"

/* False when the progress function stopped the work. */
static bool goes_on(mx2onnx_model *m)
{
    return mx_tick(&m->budget, MX_TICK_NODE) == MX_OK;
}

static uint64_t param_bytes(mx2onnx_model *m)
{
    uint64_t total = 0;
    for (size_t i = 0; i < m->loaded.params.count && goes_on(m); i++) {
        total += m->loaded.params.items[i]->length;
    }
    return total;
}

static size_t unused_params(mx2onnx_model *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->loaded.params.count && goes_on(m); i++) {
        n += !m->loaded.params.items[i]->used;
    }
    return n;
}

/* The name of a head while the graph could not be prepared far enough. */
static const char *output_name(mx2onnx_model *m, int i)
{
    return m->prepared.output_names ? m->prepared.output_names[i] : m->prepared.graph->heads[i].node->name;
}

static const char *input_name(const mx2onnx_model *m, size_t i)
{
    return m->prepared.variable_names ? m->prepared.variable_names[m->prepared.inputs[i]->id] : m->prepared.inputs[i]->name;
}

static const char *next_file(const char *name)
{
    return name + strlen(name) + 1;
}

/* ---- JSON */

static void put_value(mx2onnx_model *m, struct mx_json *j, const char *name, struct mx_value v)
{
    mx_json_open(j, '{');
    mx_value_json(m->prepared.dims, name, v.dtype, v.shape, j);
    mx_json_close(j, '}');
}

static void put_inputs(mx2onnx_model *m, struct mx_json *j)
{
    mx_json_put_open(j, "inputs", '[');
    for (size_t i = 0; i < m->prepared.n_inputs && goes_on(m); i++) {
        put_value(m, j, input_name(m, i), mx_model_value((struct mx_entry){m->prepared.inputs[i], 0}));
    }
    mx_json_close(j, ']');
}

static void put_outputs(mx2onnx_model *m, struct mx_json *j)
{
    mx_json_put_open(j, "outputs", '[');
    for (int i = 0; m->prepared.graph && i < m->prepared.graph->n_heads && goes_on(m); i++) {
        put_value(m, j, output_name(m, i), mx_model_value(m->prepared.graph->heads[i]));
    }
    mx_json_close(j, ']');
}

static void put_operators(mx2onnx_model *m, struct mx_json *j)
{
    mx_json_put_open(j, "operators", '[');
    for (size_t i = 0; i < m->prepared.n_op_uses && goes_on(m); i++) {
        mx_json_open(j, '{');
        mx_json_put_text(j, "name", m->prepared.op_uses[i].name);
        mx_json_put_int(j, "uses", (int64_t)m->prepared.op_uses[i].count);
        mx_json_put_bool(j, "supported", m->prepared.op_uses[i].unsupported == 0);
        mx_json_close(j, '}');
    }
    mx_json_close(j, ']');
}

static void put_params(mx2onnx_model *m, struct mx_json *j)
{
    mx_json_put_open(j, "parameters", '{');
    mx_json_put_int(j, "count", (int64_t)m->loaded.params.count);
    mx_json_put_int(j, "bytes", (int64_t)param_bytes(m));
    mx_json_put_int(j, "unused", (int64_t)(m->prepared.graph ? unused_params(m) : 0));
    mx_json_put_open(j, "missing", '[');
    for (size_t i = 0; i < m->prepared.n_missing && goes_on(m); i++) {
        mx_json_text(j, m->prepared.missing[i]->name);
    }
    mx_json_close(j, ']');
    mx_json_close(j, '}');
}

/* A file's name that is not UTF-8, which the model itself never holds, becomes null. */
static void put_written(mx2onnx_model *m, struct mx_json *j)
{
    mx_json_put_open(j, "written", '{');
    mx_json_put_int(j, "opset", m->written.opset);
    mx_json_put_int(j, "nodes", (int64_t)m->written.nodes);
    mx_json_put_int(j, "bytes", (int64_t)m->written.bytes);
    mx_json_put_open(j, "files", '[');
    const char *name = m->written.files.text;
    for (size_t i = 0; i < m->written.n_files; i++, name = next_file(name)) {
        if (mx_is_utf8(name)) {
            mx_json_text(j, name);
        } else {
            mx_json_null(j);
        }
    }
    mx_json_close(j, ']');
    mx_json_close(j, '}');
}

static void put_diagnostics(mx2onnx_model *m, struct mx_json *j)
{
    static const char *const severities[] = {"error", "warning", "note"};
    mx_json_put_open(j, "diagnostics", '[');
    for (size_t i = 0; i < m->diags.count; i++) {
        const struct mx_diag *d = &m->diags.items[i];
        mx_json_open(j, '{');
        mx_json_put_text(j, "severity", severities[d->severity]);
        mx_json_put_text(j, "status", mx_status_name(d->status));
        mx_json_put_text(j, "node", d->node);
        mx_json_put_text(j, "op", d->op);
        mx_json_put_text(j, "attribute", d->attribute);
        mx_json_put_text(j, "name", d->name);
        mx_json_put_text(j, "message", d->message);
        mx_json_put_text(j, "advice", d->advice);
        mx_json_close(j, '}');
    }
    mx_json_close(j, ']');
}

int mx_model_report_json(mx2onnx_model *m)
{
    struct mx_json j = {.out = &m->written.report_json, .indented = true};
    mx_str_clear(&m->written.report_json);
    mx_json_open(&j, '{');
    mx_json_put_int(&j, "schema", MX_JSON_SCHEMA);
    mx_json_put_text(&j, "version", mx_version());
    put_inputs(m, &j);
    put_outputs(m, &j);
    put_operators(m, &j);
    put_params(m, &j);
    put_written(m, &j);
    put_diagnostics(m, &j);
    mx_json_close(&j, '}');
    return m->budget.status != MX_OK ? m->budget.status : m->written.report_json.failed ? MX_OUT_OF_MEMORY : MX_OK;
}
