#include "onnx/write/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "graph/graph.h"
#include "onnx/write/onnx.pb.h"

static bool append(pb_ostream_t *s, const pb_byte_t *data, size_t size)
{
    struct mx_str *to = s->state;
    mx_str_append_bytes(to, data, size);
    return !to->failed;
}

pb_ostream_t ox_stream(struct mx_str *to)
{
    return (pb_ostream_t){.callback = append, .state = to, .max_size = SIZE_MAX};
}

/* ---- messages and fields */

/* The fields of a message. */
typedef bool put_fn(struct ox_encoder *e, pb_ostream_t *s, const void *message);

/* A message as a field: after its size, for which it is put twice. Where sizes alone are counted, once is enough. */
static bool put_message(struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, put_fn *put, const void *message)
{
    pb_ostream_t size = PB_OSTREAM_SIZING;
    return put(e, &size, message) && pb_encode_tag(s, PB_WT_STRING, tag) && pb_encode_varint(s, size.bytes_written)
           && (s->callback ? put(e, s, message) : pb_write(s, NULL, size.bytes_written));
}

bool ox_encode_int(pb_ostream_t *s, uint32_t tag, int64_t v)
{
    return pb_encode_tag(s, PB_WT_VARINT, tag) && pb_encode_varint(s, (uint64_t)v);
}

static bool put_float(pb_ostream_t *s, uint32_t tag, double v)
{
    const float single = (float)v;
    return pb_encode_tag(s, PB_WT_32BIT, tag) && pb_encode_fixed32(s, &single);
}

static bool put_bytes(pb_ostream_t *s, uint32_t tag, const char *bytes, size_t n)
{
    return pb_encode_tag(s, PB_WT_STRING, tag) && pb_encode_string(s, (const pb_byte_t *)bytes, n);
}

bool ox_encode_text(pb_ostream_t *s, uint32_t tag, const char *text)
{
    return put_bytes(s, tag, text, strlen(text));
}

/* NULL: no field. */
static bool put_optional(pb_ostream_t *s, uint32_t tag, const char *text)
{
    return !text || ox_encode_text(s, tag, text);
}

struct pair {
    const char *key, *value;
};

static bool put_pair(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct pair *p = message;
    return ox_encode_text(s, onnx_StringStringEntryProto_key_tag, p->key)
           && ox_encode_text(s, onnx_StringStringEntryProto_value_tag, p->value);
}

bool ox_encode_pair(pb_ostream_t *s, uint32_t tag, const char *key, const char *value)
{
    return put_message(NULL, s, tag, put_pair, &(struct pair){key, value});
}

struct opset {
    const char *domain;
    int64_t version;
};

static bool put_opset(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct opset *o = message;
    return ox_encode_text(s, onnx_OperatorSetIdProto_domain_tag, o->domain)
           && ox_encode_int(s, onnx_OperatorSetIdProto_version_tag, o->version);
}

bool ox_encode_opset(pb_ostream_t *s, uint32_t tag, const char *domain, int64_t version)
{
    return put_message(NULL, s, tag, put_opset, &(struct opset){domain, version});
}

/* ---- values */

/* A dim is formatted once, although its message is put several times. */
struct dim {
    bool known;
    int64_t size;
    const char *text; /* NULL or empty: unknown */
};

static bool put_dim(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct dim *d = message;
    return d->known ? ox_encode_int(s, onnx_TensorShapeProto_Dimension_dim_value_tag, d->size)
                    : put_optional(s, onnx_TensorShapeProto_Dimension_dim_param_tag, d->text && *d->text ? d->text : NULL);
}

/* No text for a dim that contains an unknown: it would promise more than is known. */
static bool put_shape(struct ox_encoder *e, struct mx_shape shape, struct mx_str *out)
{
    struct mx_dims *table = e->model->dims;
    struct mx_str text = {0};
    pb_ostream_t s = ox_stream(out);
    bool ok = true;
    for (int i = 0; i < shape.ndim && ok; i++) {
        struct dim d = {.known = false};
        mx_str_clear(&text);
        d.known = mx_dim_known(table, shape.dims[i], &d.size);
        if (!d.known && !mx_dim_has_unknown(table, shape.dims[i])) {
            mx_dim_format(table, shape.dims[i], &text);
        }
        d.text = text.text;
        ok = !text.failed && put_message(e, &s, onnx_TensorShapeProto_dim_tag, put_dim, &d);
    }
    mx_str_free(&text);
    return ok;
}

struct tensor_type {
    const struct ox_value *value;
    struct mx_str shape;
};

static bool put_tensor_type(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct tensor_type *t = message;
    return ox_encode_int(s, onnx_TypeProto_Tensor_elem_type_tag, mx_dtype_onnx(t->value->dtype))
           && (t->value->shape.ndim < 0 || put_bytes(s, onnx_TypeProto_Tensor_shape_tag, t->shape.text, t->shape.length));
}

static bool is_type_of(const struct ox_encoder *e, const struct ox_value *v)
{
    const struct mx_shape shape = v->shape, last = e->type_shape;
    return e->type.length > 0 && e->type_dtype == v->dtype && last.ndim == shape.ndim
           && (shape.ndim <= 0 || last.dims == shape.dims || memcmp(last.dims, shape.dims, (size_t)shape.ndim * sizeof *shape.dims) == 0);
}

/* A value's type, which is often that of the value before: into e->type. */
static bool encode_type(struct ox_encoder *e, const struct ox_value *v)
{
    if (is_type_of(e, v)) {
        return true;
    }
    struct tensor_type t = {.value = v};
    pb_ostream_t s = ox_stream(&e->type);
    mx_str_clear(&e->type);
    e->type_dtype = v->dtype;
    e->type_shape = v->shape;
    const bool ok = put_shape(e, v->shape, &t.shape) && put_message(e, &s, onnx_TypeProto_tensor_type_tag, put_tensor_type, &t);
    mx_str_free(&t.shape);
    return ok;
}

static bool put_value(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct ox_value *v = message;
    return ox_encode_text(s, onnx_ValueInfoProto_name_tag, v->name)
           && put_bytes(s, onnx_ValueInfoProto_type_tag, e->type.text, e->type.length);
}

bool ox_encode_values(struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, const ox_val *v, int n)
{
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const struct ox_value *value = &e->model->values[v[i]];
        ok = mx_tick(e->model->arena.budget, MX_TICK_NODE) == MX_OK && encode_type(e, value) && put_message(e, s, tag, put_value, value);
    }
    return ok;
}

bool ox_encode_value_infos(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        for (int k = 0; k < n->n_out; k++) {
            const struct ox_value *v = &e->model->values[n->out[k]];
            const bool stated = n->out[k] == OX_NONE || v->is_output || v->dtype == MX_DTYPE_NONE;
            if (!stated && !ox_encode_values(e, s, onnx_GraphProto_value_info_tag, &n->out[k], 1)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- attributes */

static bool put_list(pb_ostream_t *s, const struct ox_attr *a)
{
    bool ok = true;
    for (int i = 0; i < a->n && ok; i++) {
        ok = a->kind == OX_A_INTS     ? ox_encode_int(s, onnx_AttributeProto_ints_tag, ((const int64_t *)a->v)[i])
             : a->kind == OX_A_FLOATS ? put_float(s, onnx_AttributeProto_floats_tag, ((const double *)a->v)[i])
                                      : ox_encode_text(s, onnx_AttributeProto_strings_tag, ((const char *const *)a->v)[i]);
    }
    return ok;
}

static bool put_body(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct ox_graph *g = message;
    return ox_encode_nodes(e, s, g) && put_optional(s, onnx_GraphProto_name_tag, g->name)
           && ox_encode_values(e, s, onnx_GraphProto_input_tag, g->inputs, g->n_inputs)
           && ox_encode_values(e, s, onnx_GraphProto_output_tag, g->outputs, g->n_outputs) && ox_encode_value_infos(e, s, g);
}

static bool put_attribute_value(struct ox_encoder *e, pb_ostream_t *s, const struct ox_attr *a)
{
    switch (a->kind) {
    case OX_A_INT: return ox_encode_int(s, onnx_AttributeProto_i_tag, a->i);
    case OX_A_DTYPE: return ox_encode_int(s, onnx_AttributeProto_i_tag, mx_dtype_onnx((enum mx_dtype)a->i));
    case OX_A_FLOAT: return put_float(s, onnx_AttributeProto_f_tag, a->f);
    case OX_A_STRING: return ox_encode_text(s, onnx_AttributeProto_s_tag, a->s);
    case OX_A_INTS:
    case OX_A_FLOATS:
    case OX_A_STRINGS: return put_list(s, a);
    case OX_A_GRAPH: return put_message(e, s, onnx_AttributeProto_g_tag, put_body, a->graph);
    case OX_A_END: break;
    }
    return true;
}

static bool put_attribute(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    static const onnx_AttributeProto_AttributeType types[] = {
        [OX_A_INT] = onnx_AttributeProto_AttributeType_INT,         [OX_A_DTYPE] = onnx_AttributeProto_AttributeType_INT,
        [OX_A_FLOAT] = onnx_AttributeProto_AttributeType_FLOAT,     [OX_A_STRING] = onnx_AttributeProto_AttributeType_STRING,
        [OX_A_INTS] = onnx_AttributeProto_AttributeType_INTS,       [OX_A_FLOATS] = onnx_AttributeProto_AttributeType_FLOATS,
        [OX_A_STRINGS] = onnx_AttributeProto_AttributeType_STRINGS, [OX_A_GRAPH] = onnx_AttributeProto_AttributeType_GRAPH,
    };
    const struct ox_attr *a = message;
    return ox_encode_text(s, onnx_AttributeProto_name_tag, a->name) && put_attribute_value(e, s, a)
           && ox_encode_int(s, onnx_AttributeProto_type_tag, types[a->kind]);
}

/* ---- nodes */

static bool put_attributes(struct ox_encoder *e, pb_ostream_t *s, const struct ox_node *n)
{
    bool ok = true;
    for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END && ok; a++) {
        ok = mx_tick(e->model->arena.budget, MX_TICK_VALUE) == MX_OK && put_message(e, s, onnx_NodeProto_attribute_tag, put_attribute, a);
    }
    return ok;
}

static bool put_names(const struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, const ox_val *v, int n)
{
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        ok = ox_encode_text(s, tag, v[i] == OX_NONE ? "" : e->model->values[v[i]].name);
    }
    return ok;
}

static bool put_node(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct ox_node *n = message;
    const struct mx_node *from = e->model->node_metadata ? n->from : NULL;
    return put_names(e, s, onnx_NodeProto_input_tag, n->in, n->n_in) && put_names(e, s, onnx_NodeProto_output_tag, n->out, n->n_out)
           && put_optional(s, onnx_NodeProto_name_tag, n->name) && ox_encode_text(s, onnx_NodeProto_op_type_tag, ox_node_type(n))
           && put_attributes(e, s, n) && put_optional(s, onnx_NodeProto_domain_tag, n->foreign ? n->foreign->domain : NULL)
           && (!from
               || (ox_encode_pair(s, onnx_NodeProto_metadata_props_tag, "mxnet_node", from->name)
                   && ox_encode_pair(s, onnx_NodeProto_metadata_props_tag, "mxnet_op", from->op_name)));
}

bool ox_encode_nodes(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g)
{
    bool ok = true;
    for (int i = 0; i < g->n_nodes && ok; i++) {
        ok = mx_tick(e->model->arena.budget, MX_TICK_NODE) == MX_OK && put_message(e, s, onnx_GraphProto_node_tag, put_node, g->nodes[i]);
    }
    return ok;
}

/* ---- initialisers */

struct initialiser {
    const struct ox_value *value;
    const struct ox_place *place;
};

/* All but raw_data, which would come after the name. */
static bool put_header(struct ox_encoder *e, pb_ostream_t *s, const void *message)
{
    const struct initialiser *i = message;
    const struct ox_tensor *t = i->value->tensor;
    char offset[32], length[32];
    bool ok = true;
    for (int k = 0; k < t->ndim && ok; k++) {
        ok = ox_encode_int(s, onnx_TensorProto_dims_tag, t->dims[k]);
    }
    ok = ok && ox_encode_int(s, onnx_TensorProto_data_type_tag, mx_dtype_onnx(t->dtype))
         && ox_encode_text(s, onnx_TensorProto_name_tag, i->value->name);
    if (!ok || !i->place) {
        return ok;
    }
    snprintf(offset, sizeof offset, "%" PRIu64, i->place->offset);
    snprintf(length, sizeof length, "%" PRIu64, ox_tensor_bytes(t));
    return ox_encode_pair(s, onnx_TensorProto_external_data_tag, "location", i->place->location)
           && ox_encode_pair(s, onnx_TensorProto_external_data_tag, "offset", offset)
           && ox_encode_pair(s, onnx_TensorProto_external_data_tag, "length", length)
           && ox_encode_int(s, onnx_TensorProto_data_location_tag, onnx_TensorProto_DataLocation_EXTERNAL);
}

/* Bytes of a length-delimited field whose tag takes one byte; false on overflow. */
static bool field_size(uint64_t payload, uint64_t *size)
{
    pb_ostream_t length = PB_OSTREAM_SIZING;
    *size = 1 + payload;
    return payload <= UINT64_MAX / 2 && pb_encode_varint(&length, payload) && mx_add_u64(*size, length.bytes_written, size);
}

/* The size of an initialiser's message: its header, and the field raw_data unless the data are external. */
static bool message_size(const struct initialiser *i, uint64_t *size)
{
    pb_ostream_t header = PB_OSTREAM_SIZING;
    uint64_t raw = 0;
    if (!put_header(NULL, &header, i) || (!i->place && !field_size(ox_tensor_bytes(i->value->tensor), &raw))) {
        return false;
    }
    *size = header.bytes_written + raw;
    return true;
}

bool ox_tensor_field_size(const struct ox_value *v, const struct ox_place *place, uint64_t *size)
{
    uint64_t message;
    return message_size(&(struct initialiser){v, place}, &message) && field_size(message, size);
}

bool ox_encode_tensor(pb_ostream_t *s, const struct ox_value *v, const struct ox_place *place)
{
    const struct initialiser i = {v, place};
    uint64_t message;
    return message_size(&i, &message) && pb_encode_tag(s, PB_WT_STRING, onnx_GraphProto_initializer_tag) && pb_encode_varint(s, message)
           && put_header(NULL, s, &i)
           && (place || (pb_encode_tag(s, PB_WT_STRING, onnx_TensorProto_raw_data_tag) && pb_encode_varint(s, ox_tensor_bytes(v->tensor))));
}
