/* The exported functions that look at a model. */
#include "api/api.h"

#include "base/io.h"

mx2onnx_status mx2onnx_infer(mx2onnx_model *m)
{
    ENTER(m);
    return mx_call_end(m, mx_model_prepare(m, MX_STAGE_INFERRED));
}

/* Of input i; unknown if there is none. */
static struct mx_value input_value(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < m->prepared.n_inputs ? mx_model_value((struct mx_entry){.node = m->prepared.inputs[i]})
                                                       : MX_VALUE_UNKNOWN;
}

static struct mx_value output_value(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < (size_t)m->prepared.graph->n_heads ? mx_model_value(m->prepared.graph->heads[i]) : MX_VALUE_UNKNOWN;
}

static int64_t value_dim(mx2onnx_model *m, struct mx_value v, size_t axis)
{
    return m ? mx_call_dim(m->prepared.dims, v.shape, axis) : -1;
}

static const char *value_dim_name(mx2onnx_model *m, struct mx_value v, size_t axis)
{
    if (v.shape.ndim < 0 || axis >= (size_t)v.shape.ndim || value_dim(m, v, axis) >= 0
        || mx_dim_is_unknown(m->prepared.dims, v.shape.dims[axis])) {
        return NULL;
    }
    struct mx_str text = {0};
    mx_dim_format(m->prepared.dims, v.shape.dims[axis], &text);
    char *name = text.failed ? NULL : mx_map_get(&m->prepared.dim_texts, text.text);
    if (!name && !text.failed) {
        name = mx_arena_strdup(&m->prepared.arena, text.text);
        name = name && mx_map_set(&m->prepared.dim_texts, name, name) == MX_OK ? name : NULL;
    }
    mx_str_free(&text);
    return name;
}

size_t mx2onnx_variable_count(mx2onnx_model *m)
{
    return mx_call_peek(m) ? m->prepared.n_unbound : 0;
}

const char *mx2onnx_variable_name(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < m->prepared.n_unbound ? m->prepared.unbound[i].name : NULL;
}

mx2onnx_variable mx2onnx_variable_kind(mx2onnx_model *m, size_t i)
{
    const struct mx_node *v = mx_call_peek(m) && i < m->prepared.n_unbound ? m->prepared.unbound[i].node : NULL;
    return !v ? MX2ONNX_VARIABLE_UNUSED : mx_model_is_missing(m, v) ? MX2ONNX_VARIABLE_WEIGHT : MX2ONNX_VARIABLE_INPUT;
}

size_t mx2onnx_input_count(mx2onnx_model *m)
{
    return mx_call_peek(m) ? m->prepared.n_inputs : 0;
}

const char *mx2onnx_input_name(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < m->prepared.n_inputs ? m->prepared.inputs[i]->name : NULL;
}

mx2onnx_dtype mx2onnx_input_dtype(mx2onnx_model *m, size_t i)
{
    return (mx2onnx_dtype)input_value(m, i).dtype;
}

int32_t mx2onnx_input_rank(mx2onnx_model *m, size_t i)
{
    return input_value(m, i).shape.ndim;
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
    return mx_call_peek(m) ? (size_t)m->prepared.graph->n_heads : 0;
}

const char *mx2onnx_output_name(mx2onnx_model *m, size_t i)
{
    if (!mx_call_peek(m) || i >= (size_t)m->prepared.graph->n_heads) {
        return NULL;
    }
    return m->prepared.output_names ? m->prepared.output_names[i] : m->prepared.graph->heads[i].node->name;
}

mx2onnx_dtype mx2onnx_output_dtype(mx2onnx_model *m, size_t i)
{
    return (mx2onnx_dtype)output_value(m, i).dtype;
}

int32_t mx2onnx_output_rank(mx2onnx_model *m, size_t i)
{
    return output_value(m, i).shape.ndim;
}

int64_t mx2onnx_output_dim(mx2onnx_model *m, size_t i, size_t axis)
{
    return value_dim(m, output_value(m, i), axis);
}

const char *mx2onnx_output_dim_name(mx2onnx_model *m, size_t i, size_t axis)
{
    return value_dim_name(m, output_value(m, i), axis);
}

static const struct mx_param *param_at(const mx2onnx_model *m, size_t i)
{
    return mx_call_looks(m) && i < m->loaded.params.count ? m->loaded.params.items[i] : NULL;
}

size_t mx2onnx_param_count(const mx2onnx_model *m)
{
    return mx_call_looks(m) ? m->loaded.params.count : 0;
}

const char *mx2onnx_param_name(const mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->name : NULL;
}

mx2onnx_dtype mx2onnx_param_dtype(const mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? (mx2onnx_dtype)p->dtype : MX2ONNX_DTYPE_UNKNOWN;
}

int32_t mx2onnx_param_rank(const mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->ndim : -1;
}

const int64_t *mx2onnx_param_dims(const mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->dims : NULL;
}

uint64_t mx2onnx_param_size(const mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = param_at(m, i);
    return p ? p->length : 0;
}

int32_t mx2onnx_param_used(mx2onnx_model *m, size_t i)
{
    const struct mx_param *p = mx_call_peek(m) ? param_at(m, i) : NULL;
    return p && p->used;
}

/* Piece by piece, so that it can be cancelled. */
static int read_values(mx2onnx_model *m, struct mx_source *s, uint64_t offset, char *out, size_t size)
{
    enum { PIECE = 1 << 22 };
    for (size_t n; size > 0; offset += n, out += n, size -= n) {
        n = size < PIECE ? size : PIECE;
        MX_TRY(mx_source_read(s, offset, out, n));
        MX_TRY(n < size ? mx_tick(&m->budget, n) : MX_OK); /* one piece is done before anyone can ask */
    }
    return MX_OK;
}

mx2onnx_status mx2onnx_param_read(mx2onnx_model *m, size_t i, uint64_t offset, void *out, size_t size)
{
    ENTER(m);
    const struct mx_param *p = i < m->loaded.params.count ? m->loaded.params.items[i] : NULL;
    CHECK(p, "parameter %zu does not exist: the model has %zu", i, m->loaded.params.count);
    CHECK(out || size == 0, "out is NULL");
    CHECK(offset <= p->length && size <= p->length - offset, "these bytes are not within mx2onnx_param_size");
    const int status = read_values(m, p->source, p->offset + offset, out, size);
    return mx_call_end(m, status == MX_IO ? mx_source_unread(p->source, &m->diags, p->name, "load it again") : status);
}

size_t mx2onnx_operator_count(mx2onnx_model *m)
{
    return mx_call_peek(m) ? m->prepared.n_op_uses : 0;
}

const char *mx2onnx_operator_name(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < m->prepared.n_op_uses ? m->prepared.op_uses[i].name : NULL;
}

size_t mx2onnx_operator_node_count(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < m->prepared.n_op_uses ? m->prepared.op_uses[i].count : 0;
}

int32_t mx2onnx_operator_supported(mx2onnx_model *m, size_t i)
{
    return mx_call_peek(m) && i < m->prepared.n_op_uses && m->prepared.op_uses[i].unsupported == 0;
}
