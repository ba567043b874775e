#include "onnx/write/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "graph/graph.h"
#include "onnx/write/onnx.pb.h"

/* ---- memory */

static bool append(pb_ostream_t *s, const pb_byte_t *data, size_t size)
{
    struct ox_bytes *b = s->state;
    while (size > 0) {
        if (!b->last || b->last->used == sizeof b->last->bytes) {
            struct ox_chunk *chunk = mx_budget_array(b->budget, NULL, 0, 1, sizeof *chunk);
            if (!chunk) {
                b->failed = true;
                return false;
            }
            *(b->last ? &b->last->next : &b->first) = chunk;
            b->last = chunk;
        }
        const size_t room = sizeof b->last->bytes - b->last->used;
        const size_t some = size < room ? size : room;
        memcpy(b->last->bytes + b->last->used, data, some);
        b->last->used += some;
        b->size += some;
        data += some;
        size -= some;
    }
    return true;
}

pb_ostream_t ox_bytes_stream(struct ox_bytes *b)
{
    return (pb_ostream_t){.callback = append, .state = b, .max_size = SIZE_MAX};
}

void ox_bytes_free(struct ox_bytes *b)
{
    for (struct ox_chunk *c = b->first; c;) {
        struct ox_chunk *next = c->next;
        mx_budget_array_free(b->budget, c, 1, sizeof *c);
        c = next;
    }
    *b = (struct ox_bytes){0};
}

/* ---- fields of nanopb's structs */

static bool put_text(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const char *const *text = *arg;
    return pb_encode_tag_for_field(s, f) && pb_encode_string(s, (const pb_byte_t *)*text, strlen(*text));
}

/* The field is omitted if the text is NULL. */
static pb_callback_t text_field(const char **text)
{
    return (pb_callback_t){.funcs.encode = *text ? put_text : NULL, .arg = text};
}

static bool submessage(pb_ostream_t *s, uint32_t tag, const pb_msgdesc_t *fields, const void *message)
{
    return pb_encode_tag(s, PB_WT_STRING, tag) && pb_encode_submessage(s, fields, message);
}

bool ox_encode_text(pb_ostream_t *s, uint32_t tag, const char *text)
{
    return pb_encode_tag(s, PB_WT_STRING, tag) && pb_encode_string(s, (const pb_byte_t *)text, strlen(text));
}

bool ox_encode_opset(pb_ostream_t *s, uint32_t tag, const char *domain, int64_t version)
{
    onnx_OperatorSetIdProto m = onnx_OperatorSetIdProto_init_zero;
    m.domain = text_field(&domain);
    m.has_version = true;
    m.version = version;
    return submessage(s, tag, onnx_OperatorSetIdProto_fields, &m);
}

bool ox_encode_pair(pb_ostream_t *s, uint32_t tag, const char *key, const char *value)
{
    onnx_StringStringEntryProto m = onnx_StringStringEntryProto_init_zero;
    m.key = text_field(&key);
    m.value = text_field(&value);
    return submessage(s, tag, onnx_StringStringEntryProto_fields, &m);
}

static size_t varint_size(uint64_t v)
{
    size_t n = 1;
    while (v >= 0x80) {
        v >>= 7;
        n++;
    }
    return n;
}

/* Bytes of a length-delimited field whose tag takes one byte; false on overflow. */
static bool field_size(uint64_t payload, uint64_t *size)
{
    if (payload > UINT64_MAX / 2) {
        return false;
    }
    *size = 1 + varint_size(payload) + payload;
    return true;
}

/* ---- types */

/* A dim is formatted once, although nanopb requests it once per enclosing message. */
struct dim_text {
    bool known;
    int64_t size;
    size_t text; /* offset in the encoder's text; the empty text means an unknown dim */
};
struct shape_field {
    const struct ox_encoder *encoder;
    int n;
    struct dim_text dims[MX_MAX_RANK];
};

static bool put_dims(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct shape_field *shape = *arg;
    for (int i = 0; i < shape->n; i++) {
        const struct dim_text *d = &shape->dims[i];
        onnx_TensorShapeProto_Dimension m = onnx_TensorShapeProto_Dimension_init_zero;
        const char *text = d->known ? NULL : shape->encoder->text.text + d->text;
        text = text && text[0] ? text : NULL;
        m.has_dim_value = d->known;
        m.dim_value = d->size;
        m.dim_param = text_field(&text);
        if (!pb_encode_tag_for_field(s, f) || !pb_encode_submessage(s, onnx_TensorShapeProto_Dimension_fields, &m)) {
            return false;
        }
    }
    return true;
}

/* "" for a dim that is unknown or contains an unknown: such a text would promise more than is known. */
static bool format_dims(struct ox_encoder *e, struct mx_shape shape, struct shape_field *out)
{
    struct mx_dims *table = e->model->dims;
    mx_str_clear(&e->text);
    out->encoder = e;
    out->n = shape.ndim < MX_MAX_RANK ? shape.ndim : MX_MAX_RANK;
    for (int i = 0; i < out->n; i++) {
        struct dim_text *d = &out->dims[i];
        d->known = mx_dim_known(table, shape.dims[i], &d->size);
        d->text = e->text.length;
        if (!d->known && !mx_dim_has_unknown(table, shape.dims[i])) {
            mx_dim_format(table, shape.dims[i], &e->text);
        }
        mx_str_append_bytes(&e->text, "", 1);
    }
    e->failed = e->failed || e->text.failed;
    return !e->failed;
}

static bool append_type(pb_ostream_t *s, const pb_byte_t *data, size_t size)
{
    struct mx_str *type = s->state;
    mx_str_append_bytes(type, data, size);
    return !type->failed;
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
    onnx_TypeProto m = onnx_TypeProto_init_zero;
    struct shape_field shape;
    m.has_tensor_type = true;
    m.tensor_type.has_elem_type = true;
    m.tensor_type.elem_type = mx_dtype_onnx(v->dtype);
    if (v->shape.ndim >= 0) {
        if (!format_dims(e, v->shape, &shape)) {
            return false;
        }
        m.tensor_type.has_shape = true;
        m.tensor_type.shape.dim.funcs.encode = put_dims;
        m.tensor_type.shape.dim.arg = &shape;
    }
    mx_str_clear(&e->type);
    e->type_dtype = v->dtype;
    e->type_shape = v->shape;
    pb_ostream_t type = {.callback = append_type, .state = &e->type, .max_size = SIZE_MAX};
    const bool ok = pb_encode(&type, onnx_TypeProto_fields, &m);
    e->failed = e->failed || e->type.failed;
    return ok;
}

bool ox_encode_value(struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, ox_val v)
{
    const struct ox_value *value = &e->model->values[v];
    const size_t name = strlen(value->name);
    uint64_t name_field, type_field;
    (void)!mx_tick(e->model->arena.budget, MX_TICK_NODE); /* the plan of the file has the status */
    return encode_type(e, value) && field_size(name, &name_field) && field_size(e->type.length, &type_field)
           && pb_encode_tag(s, PB_WT_STRING, tag) && pb_encode_varint(s, name_field + type_field)
           && pb_encode_tag(s, PB_WT_STRING, onnx_ValueInfoProto_name_tag) && pb_encode_string(s, (const pb_byte_t *)value->name, name)
           && pb_encode_tag(s, PB_WT_STRING, onnx_ValueInfoProto_type_tag)
           && pb_encode_string(s, (const pb_byte_t *)e->type.text, e->type.length);
}

bool ox_encode_value_infos(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        for (int k = 0; k < n->n_out && !n->dead; k++) {
            const struct ox_value *v = &e->model->values[n->out[k]];
            const bool told = n->out[k] == OX_NONE || v->is_output || v->dtype == MX_DTYPE_NONE;
            if (!told
                && (mx_tick(e->model->arena.budget, MX_TICK_NODE) != MX_OK
                    || !ox_encode_value(e, s, onnx_GraphProto_value_info_tag, n->out[k]))) {
                return false;
            }
        }
    }
    return true;
}

/* ---- attributes */

static bool put_ints(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct ox_attr *a = *arg;
    const int64_t *v = a->v;
    for (int i = 0; i < a->n; i++) {
        if (!pb_encode_tag_for_field(s, f) || !pb_encode_varint(s, (uint64_t)v[i])) {
            return false;
        }
    }
    return true;
}

static bool put_floats(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct ox_attr *a = *arg;
    const double *v = a->v;
    for (int i = 0; i < a->n; i++) {
        const float x = (float)v[i];
        if (!pb_encode_tag_for_field(s, f) || !pb_encode_fixed32(s, &x)) {
            return false;
        }
    }
    return true;
}

static bool put_strings(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct ox_attr *a = *arg;
    const char *const *v = a->v;
    for (int i = 0; i < a->n; i++) {
        if (!pb_encode_tag_for_field(s, f) || !pb_encode_string(s, (const pb_byte_t *)v[i], strlen(v[i]))) {
            return false;
        }
    }
    return true;
}

struct body_field {
    struct ox_encoder *encoder;
    const struct ox_graph *graph;
};

static bool put_values(struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, const ox_val *v, int n)
{
    for (int i = 0; i < n; i++) {
        if (!ox_encode_value(e, s, tag, v[i])) {
            return false;
        }
    }
    return true;
}

static bool put_nodes(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct body_field *b = *arg;
    return ox_encode_nodes(b->encoder, s, b->graph);
}

static bool put_inputs(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct body_field *b = *arg;
    return put_values(b->encoder, s, f->tag, b->graph->inputs, b->graph->n_inputs);
}

static bool put_outputs(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct body_field *b = *arg;
    return put_values(b->encoder, s, f->tag, b->graph->outputs, b->graph->n_outputs);
}

static bool put_value_infos(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct body_field *b = *arg;
    return ox_encode_value_infos(b->encoder, s, b->graph);
}

static bool put_body(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    struct body_field *b = *arg;
    const char *name = b->graph->name;
    onnx_GraphProto m = onnx_GraphProto_init_zero;
    if (b->encoder->depth >= OX_MAX_DEPTH) {
        return false;
    }
    b->encoder->depth++;
    m.name = text_field(&name);
    m.node = (pb_callback_t){.funcs.encode = put_nodes, .arg = b};
    m.input = (pb_callback_t){.funcs.encode = put_inputs, .arg = b};
    m.output = (pb_callback_t){.funcs.encode = put_outputs, .arg = b};
    m.value_info = (pb_callback_t){.funcs.encode = put_value_infos, .arg = b};
    const bool ok = pb_encode_tag_for_field(s, f) && pb_encode_submessage(s, onnx_GraphProto_fields, &m);
    b->encoder->depth--;
    return ok;
}

static bool put_attribute(struct ox_encoder *e, pb_ostream_t *s, const struct ox_attr *a)
{
    const char *name = a->name, *text = a->s ? a->s : "";
    struct ox_attr copy = *a;
    struct body_field body = {.encoder = e, .graph = a->graph};
    onnx_AttributeProto m = onnx_AttributeProto_init_zero;
    m.name = text_field(&name);
    m.has_type = true;
    switch (a->kind) {
    case OX_A_INT:
    case OX_A_DTYPE:
        m.type = onnx_AttributeProto_AttributeType_INT;
        m.has_i = true;
        m.i = a->kind == OX_A_DTYPE ? mx_dtype_onnx((enum mx_dtype)a->i) : a->i;
        break;
    case OX_A_FLOAT:
        m.type = onnx_AttributeProto_AttributeType_FLOAT;
        m.has_f = true;
        m.f = (float)a->f;
        break;
    case OX_A_STRING:
        m.type = onnx_AttributeProto_AttributeType_STRING;
        m.s = text_field(&text);
        break;
    case OX_A_INTS:
        m.type = onnx_AttributeProto_AttributeType_INTS;
        m.ints = (pb_callback_t){.funcs.encode = put_ints, .arg = &copy};
        break;
    case OX_A_FLOATS:
        m.type = onnx_AttributeProto_AttributeType_FLOATS;
        m.floats = (pb_callback_t){.funcs.encode = put_floats, .arg = &copy};
        break;
    case OX_A_STRINGS:
        m.type = onnx_AttributeProto_AttributeType_STRINGS;
        m.strings = (pb_callback_t){.funcs.encode = put_strings, .arg = &copy};
        break;
    case OX_A_GRAPH:
        m.type = onnx_AttributeProto_AttributeType_GRAPH;
        m.g = (pb_callback_t){.funcs.encode = put_body, .arg = &body};
        break;
    case OX_A_END: return false;
    }
    return submessage(s, onnx_NodeProto_attribute_tag, onnx_AttributeProto_fields, &m);
}

/* ---- nodes
 *
 * Written without nanopb's descriptors, which take longer than all else of a node. */

static bool put_attributes(struct ox_encoder *e, pb_ostream_t *s, const struct ox_node *n)
{
    for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
        (void)!mx_tick(e->model->arena.budget, MX_TICK_VALUE); /* the plan of the file has the status */
        if (!put_attribute(e, s, a)) {
            return false;
        }
    }
    return true;
}

static bool put_names(const struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, const ox_val *v, int n)
{
    for (int i = 0; i < n; i++) {
        if (!ox_encode_text(s, tag, v[i] == OX_NONE ? "" : e->model->values[v[i]].name)) {
            return false;
        }
    }
    return true;
}

static bool put_optional(pb_ostream_t *s, uint32_t tag, const char *text)
{
    return !text || ox_encode_text(s, tag, text);
}

static bool put_node(struct ox_encoder *e, pb_ostream_t *s, const struct ox_node *n)
{
    const struct mx_node *from = e->model->node_metadata ? n->from : NULL;
    return put_names(e, s, onnx_NodeProto_input_tag, n->in, n->n_in) && put_names(e, s, onnx_NodeProto_output_tag, n->out, n->n_out)
           && put_optional(s, onnx_NodeProto_name_tag, n->name) && put_optional(s, onnx_NodeProto_op_type_tag, ox_node_type(n))
           && put_attributes(e, s, n) && put_optional(s, onnx_NodeProto_domain_tag, n->foreign ? n->foreign->domain : NULL)
           && (!from
               || (ox_encode_pair(s, onnx_NodeProto_metadata_props_tag, "mxnet_node", from->name)
                   && ox_encode_pair(s, onnx_NodeProto_metadata_props_tag, "mxnet_op", from->op_name)));
}

/* Its size first, as pb_encode_submessage does; where sizes alone are counted, that is all. */
static bool put_node_field(struct ox_encoder *e, pb_ostream_t *s, const struct ox_node *n)
{
    pb_ostream_t size = PB_OSTREAM_SIZING;
    return put_node(e, &size, n) && pb_encode_tag(s, PB_WT_STRING, onnx_GraphProto_node_tag) && pb_encode_varint(s, size.bytes_written)
           && (s->callback ? put_node(e, s, n) : pb_write(s, NULL, size.bytes_written));
}

bool ox_encode_nodes(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct ox_node *n = g->nodes[i];
        if (!n->dead && (mx_tick(e->model->arena.budget, MX_TICK_NODE) != MX_OK || !put_node_field(e, s, n))) {
            return false;
        }
    }
    return true;
}

/* ---- initialisers */

static bool put_tensor_dims(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct ox_tensor *const *t = *arg;
    for (int i = 0; i < (*t)->ndim; i++) {
        if (!pb_encode_tag_for_field(s, f) || !pb_encode_varint(s, (uint64_t)(*t)->dims[i])) {
            return false;
        }
    }
    return true;
}

struct place_field {
    const struct ox_place *place;
    uint64_t length;
};

static bool put_place(pb_ostream_t *s, const pb_field_t *f, void *const *arg)
{
    const struct place_field *p = *arg;
    char offset[32], length[32];
    snprintf(offset, sizeof offset, "%" PRIu64, p->place->offset);
    snprintf(length, sizeof length, "%" PRIu64, p->length);
    return ox_encode_pair(s, f->tag, "location", p->place->location) && ox_encode_pair(s, f->tag, "offset", offset)
           && ox_encode_pair(s, f->tag, "length", length);
}

/* What the callbacks of a tensor's header point to. */
struct tensor_field {
    onnx_TensorProto message;
    const char *name;
    const struct ox_tensor *tensor;
    struct place_field place;
};

static void tensor_header(struct tensor_field *t, const struct ox_value *v, const struct ox_place *place)
{
    *t = (struct tensor_field){.name = v->name, .tensor = v->tensor};
    t->place = (struct place_field){.place = place, .length = ox_tensor_bytes(v->tensor)};
    t->message.dims = (pb_callback_t){.funcs.encode = put_tensor_dims, .arg = &t->tensor};
    t->message.has_data_type = true;
    t->message.data_type = mx_dtype_onnx(v->tensor->dtype);
    t->message.name = text_field(&t->name);
    if (place) {
        t->message.external_data = (pb_callback_t){.funcs.encode = put_place, .arg = &t->place};
        t->message.has_data_location = true;
        t->message.data_location = onnx_TensorProto_DataLocation_EXTERNAL;
    }
}

/* The message of a tensor: its header, and the field raw_data unless the data are external. */
static bool tensor_size(struct tensor_field *t, uint64_t *header, uint64_t *size)
{
    size_t encoded;
    uint64_t raw = 0;
    if (!pb_get_encoded_size(&encoded, onnx_TensorProto_fields, &t->message) || (!t->place.place && !field_size(t->place.length, &raw))) {
        return false;
    }
    *header = encoded;
    *size = encoded + raw;
    return true;
}

bool ox_tensor_field_size(const struct ox_value *v, const struct ox_place *place, uint64_t *size)
{
    struct tensor_field t;
    uint64_t header, message;
    tensor_header(&t, v, place);
    return tensor_size(&t, &header, &message) && field_size(message, size);
}

bool ox_encode_tensor(pb_ostream_t *s, const struct ox_value *v, const struct ox_place *place)
{
    struct tensor_field t;
    uint64_t header, message;
    tensor_header(&t, v, place);
    return tensor_size(&t, &header, &message) && pb_encode_tag(s, PB_WT_STRING, onnx_GraphProto_initializer_tag)
           && pb_encode_varint(s, message) && pb_encode(s, onnx_TensorProto_fields, &t.message)
           && (place || (pb_encode_tag(s, PB_WT_STRING, onnx_TensorProto_raw_data_tag) && pb_encode_varint(s, t.place.length)));
}
