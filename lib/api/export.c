/* The exported functions that write, and those that describe the model as text. */
#include "api/api.h"

#include <string.h>

#include "base/io.h"
#include "read/onnx_files.h"

mx2onnx_status mx2onnx_export_file(mx2onnx_model *m, const char *path)
{
    ENTER(m);
    const int status = path && *path ? mx_model_export_file(m, path) : mx_call_invalid(m, "the path is empty");
    return mx_call_end(m, mx_model_written(m, status));
}

static int export_memory(mx2onnx_model *m, void **data, size_t *size)
{
    struct mx_sink *sink;
    MX_TRY(mx_sink_open_memory(&sink));
    const int status = mx_model_export_sink(m, sink);
    if (status == MX_OK) {
        mx_sink_take_memory(sink, data, size);
    }
    mx_sink_close(sink);
    return status;
}

mx2onnx_status mx2onnx_export_memory(mx2onnx_model *m, void **data, size_t *size)
{
    ENTER(m);
    const int status = data && size ? export_memory(m, data, size) : mx_call_invalid(m, "data or size is NULL");
    return mx_call_end(m, mx_model_written(m, status));
}

static int export_callback(mx2onnx_model *m, mx2onnx_write_fn fn, void *user)
{
    struct mx_sink *sink;
    MX_TRY(mx_sink_open_callback(&sink, fn, user));
    const int status = mx_model_export_sink(m, sink);
    mx_sink_close(sink);
    return status;
}

mx2onnx_status mx2onnx_export_callback(mx2onnx_model *m, mx2onnx_write_fn fn, void *user, mx2onnx_release_fn release)
{
    struct mx_hold hold = {release, user};
    int status = MX_INVALID_ARGUMENT;
    if (mx_call_begin(m, __func__)) {
        status = fn ? export_callback(m, fn, user) : mx_call_invalid(m, "the function is NULL");
        status = mx_call_end(m, mx_model_written(m, status));
    }
    mx_model_hold(&hold, NULL, NULL);
    return status;
}

mx2onnx_status mx2onnx_check_external_data(mx2onnx_model *m, const char *path)
{
    ENTER(m);
    CHECK(path && *path, "the path is empty");
    mx_diags_truncate(&m->diags,
                      mx_model_prepared(m) ? m->prepared.n_diags : m->loaded.n_diags); /* drops what the previous call reported */
    return mx_call_end(m, mx_onnx_files_check(path, &m->diags));
}

/* ---- what was written */

int32_t mx2onnx_written_opset(const mx2onnx_model *m)
{
    return m ? m->written.opset : 0;
}

size_t mx2onnx_written_node_count(const mx2onnx_model *m)
{
    return m ? m->written.nodes : 0;
}

uint64_t mx2onnx_written_size(const mx2onnx_model *m)
{
    return m ? m->written.bytes : 0;
}

size_t mx2onnx_written_file_count(const mx2onnx_model *m)
{
    return m ? m->written.n_files : 0;
}

const char *mx2onnx_written_file_name(const mx2onnx_model *m, size_t i)
{
    if (!m || i >= m->written.n_files) {
        return NULL;
    }
    const char *name = m->written.files.text;
    while (i-- > 0) {
        name += strlen(name) + 1;
    }
    return name;
}

/* ---- texts */

/* No ENTER, which would clear the errors that are to be reported. */
mx2onnx_status mx2onnx_report_json(mx2onnx_model *m, const char **out)
{
    int status = MX_INVALID_ARGUMENT;
    if (out) {
        (void)mx_call_peek(m);
        (void)LOOK(m, (status = mx_model_report_json(m)) == MX_OK);
    }
    if (status == MX_OK) {
        *out = m->written.report_json.text;
    }
    return status;
}

static int mxnet_text(mx2onnx_model *m, struct mx_str *out)
{
    bool inferred;
    MX_TRY(mx_model_prepare_as_far_as_possible(m, &inferred));
    mx_str_clear(out);
    mx_graph_dump(m->prepared.graph, out);
    return out->failed ? MX_OUT_OF_MEMORY : MX_OK;
}

static bool is_graph(mx2onnx_graph graph)
{
    return graph == MX2ONNX_GRAPH_MXNET || graph == MX2ONNX_GRAPH_ONNX;
}

mx2onnx_status mx2onnx_graph_text(mx2onnx_model *m, mx2onnx_graph graph, const char **out)
{
    ENTER(m);
    CHECK(out, "out is NULL");
    CHECK(is_graph(graph), "the graph %d is unknown", (int)graph);
    struct mx_str *text = &m->written.graph_text[graph];
    const int status = (graph == MX2ONNX_GRAPH_MXNET ? mxnet_text : mx_model_onnx_text)(m, text);
    if (status == MX_OK) {
        *out = text->text;
    }
    return mx_call_end(m, status);
}

mx2onnx_status mx2onnx_graph_json(mx2onnx_model *m, mx2onnx_graph graph, const char **out)
{
    ENTER(m);
    CHECK(out, "out is NULL");
    CHECK(is_graph(graph), "the graph %d is unknown", (int)graph);
    struct mx_str *text = &m->written.graph_json[graph];
    const int status = (graph == MX2ONNX_GRAPH_MXNET ? mx_model_mxnet_json : mx_model_onnx_json)(m, text);
    if (status == MX_OK) {
        *out = text->text;
    }
    return mx_call_end(m, status);
}
