/* The exported functions for handlers of custom operators: the node in inference and in lowering. */
#include "api/api.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/num.h"
#include "base/str.h"
#include "op/custom.h"

/* ---- the node */

const char *mx2onnx_node_name(const mx2onnx_node *n)
{
    return n ? n->n->name : NULL;
}

const char *mx2onnx_node_operator(const mx2onnx_node *n)
{
    return n ? mx_unknown_of(n->n)->custom->name : NULL;
}

int32_t mx2onnx_node_opset(const mx2onnx_node *n)
{
    return n ? mx_unknown_of(n->n)->custom->all->opset : 0;
}

const char *mx2onnx_node_domain(const mx2onnx_node *n)
{
    return n ? mx_unknown_of(n->n)->custom->all->domain : NULL;
}

/* ---- its attributes */

const char *mx2onnx_node_attribute(const mx2onnx_node *n, const char *key)
{
    return n && key ? mx_node_attr_text(n->n, key) : NULL;
}

size_t mx2onnx_node_attribute_count(const mx2onnx_node *n)
{
    return n ? (size_t)mx_custom_attr_count(n->n) : 0;
}

static const struct mx_attr_text *nth_attribute(const mx2onnx_node *n, size_t i)
{
    return i < mx2onnx_node_attribute_count(n) ? &n->n->attr_text[i] : NULL;
}

const char *mx2onnx_node_attribute_key(const mx2onnx_node *n, size_t i)
{
    const struct mx_attr_text *a = nth_attribute(n, i);
    return a ? a->key : NULL;
}

const char *mx2onnx_node_attribute_value(const mx2onnx_node *n, size_t i)
{
    const struct mx_attr_text *a = nth_attribute(n, i);
    return a ? a->text : NULL;
}

/* ---- its inputs */

size_t mx2onnx_node_output_count(const mx2onnx_node *n)
{
    return n ? (size_t)n->n->n_out : 0;
}

size_t mx2onnx_node_input_count(const mx2onnx_node *n)
{
    return n ? (size_t)n->n->n_in : 0;
}

const char *mx2onnx_node_input_name(const mx2onnx_node *n, size_t i)
{
    return n && i < (size_t)n->n->n_in ? n->n->in[i].node->name : NULL;
}

static const struct mx_value *input_value(const mx2onnx_node *n, size_t i)
{
    return n && (n->c || n->b) && i < (size_t)n->n->n_in ? mx_in_value(n->n, (int)i) : NULL;
}

mx2onnx_dtype mx2onnx_node_input_dtype(const mx2onnx_node *n, size_t i)
{
    const struct mx_value *v = input_value(n, i);
    return v ? (mx2onnx_dtype)v->dtype : MX2ONNX_DTYPE_UNKNOWN;
}

int32_t mx2onnx_node_input_rank(const mx2onnx_node *n, size_t i)
{
    const struct mx_value *v = input_value(n, i);
    return v ? v->shape.ndim : -1;
}

int64_t mx2onnx_node_input_dim(const mx2onnx_node *n, size_t i, size_t axis)
{
    const struct mx_value *v = input_value(n, i);
    return v ? mx_call_dim(n->c ? n->c->dims : ox_dims_table(n->b), v->shape, axis) : -1;
}

/* An error of the node. */
static void fail_node(mx2onnx_node *n, const char *who, const char *colon, const char *what)
{
    struct mx_diags *diags = n && n->c ? n->c->graph->diags : n ? n->diags : NULL; /* outside of lowering */
    if (diags) {
        (void)mx_fail(diags, MX_UNSUPPORTED, mx_at(n->n, NULL), "%s%s%s", who, colon, what);
    } else if (n) { /* in lowering */
        ox_fail(n->b, NULL, "%s%s%s", who, colon, what);
    }
}

/* A wrong call by a handler. */
static int MX_PRINTF(3, 4) misuse(mx2onnx_node *n, const char *function, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    fail_node(n, function, ": ", what);
    return MX_INVALID_ARGUMENT;
}

#define NEED(condition, ...)                                                                                                               \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            return misuse(n, __func__, __VA_ARGS__);                                                                                       \
        }                                                                                                                                  \
    } while (0)

static const struct mx_param *input_param(const mx2onnx_node *n, size_t i)
{
    return n && i < (size_t)n->n->n_in ? n->n->in[i].node->param : NULL;
}

mx2onnx_dtype mx2onnx_node_input_stored_dtype(const mx2onnx_node *n, size_t i)
{
    const struct mx_param *p = input_param(n, i);
    return p ? (mx2onnx_dtype)p->dtype : MX2ONNX_DTYPE_UNKNOWN;
}

uint64_t mx2onnx_node_input_size(const mx2onnx_node *n, size_t i)
{
    const struct mx_param *p = input_param(n, i);
    return p ? p->length : 0;
}

mx2onnx_status mx2onnx_node_input_read(mx2onnx_node *n, size_t i, uint64_t offset, void *out, size_t size)
{
    const struct mx_param *p = input_param(n, i);
    NEED(p, "the input is not a parameter");
    NEED(out || size == 0, "out is NULL");
    NEED(offset <= p->length && size <= p->length - offset, "these bytes are not within mx2onnx_node_input_size");
    struct mx_source *failed = NULL;
    const int status = mx_param_read(p, offset, out, size, &failed);
    if (status != MX_OK) {
        const char *why = mx_source_why(failed);
        (void)misuse(n, __func__, "the values cannot be read%s", *why ? why : MX_FILE_CHANGED);
    }
    return status;
}

mx2onnx_status mx2onnx_node_fail(mx2onnx_node *n, const char *message)
{
    if (!n) {
        return MX_INVALID_ARGUMENT;
    }
    fail_node(n, "", "", message && *message ? message : "the handler refused it");
    return MX_UNSUPPORTED;
}

/* ---- in infer */

#define BAD_SHAPE "the shape of rank %d is not valid: the rank may be 0 to %d, and each size %d or more"

mx2onnx_status mx2onnx_node_set_output_like(mx2onnx_node *n, size_t output, size_t input)
{
    NEED(n && n->c, "this function may be called in infer only");
    NEED(output < (size_t)n->n->n_out && input < (size_t)n->n->n_in, "output %zu or input %zu does not exist: the node has %d and %d",
         output, input, n->n->n_out, n->n->n_in);
    const struct mx_value *v = mx_in_value(n->n, (int)input);
    MX_TRY(mx_output_dtype_is(n->c, (int)output, v->dtype));
    return mx_output_is(n->c, (int)output, v->shape);
}

mx2onnx_status mx2onnx_node_set_output(mx2onnx_node *n, size_t output, mx2onnx_dtype dtype, int32_t rank, const int64_t *dims)
{
    NEED(n && n->c, "this function may be called in infer only");
    NEED(output < (size_t)n->n->n_out, "output %zu does not exist: the node has %d", output, n->n->n_out);
    NEED(mx_dtype_from_flag(dtype) != MX_DTYPE_NONE, "the element type %d is unknown", (int)dtype);
    NEED(rank <= 0 || dims, "the sizes are NULL");
    NEED(mx_call_valid_dims(rank, dims, -1), BAD_SHAPE, (int)rank, MX_MAX_RANK, -1);
    const struct mx_shape known = mx_output(n->c, (int)output); /* repeated calls give the same open dims */
    struct mx_dim_list d = mx_no_dims(n->c);
    for (int32_t i = 0; i < rank; i++) {
        mx_push_dim(&d, dims[i] >= 0 ? mx_dim_of(dims[i]) : known.ndim == rank ? known.dims[i] : mx_dim_unknown(n->c->dims));
    }
    MX_TRY(mx_output_dtype_is(n->c, (int)output, (enum mx_dtype)dtype));
    return mx_output_is_dims(n->c, (int)output, d.v, d.n);
}

mx2onnx_status mx2onnx_node_set_output_dim(mx2onnx_node *n, size_t output, size_t axis, size_t input, size_t input_axis)
{
    NEED(n && n->c, "this function may be called in infer only");
    NEED(output < (size_t)n->n->n_out && input < (size_t)n->n->n_in, "output %zu or input %zu does not exist: the node has %d and %d",
         output, input, n->n->n_out, n->n->n_in);
    const struct mx_shape to = mx_output(n->c, (int)output), from = mx_in_value(n->n, (int)input)->shape;
    NEED(to.ndim >= 0 && axis < (size_t)to.ndim && from.ndim >= 0 && input_axis < (size_t)from.ndim,
         "axis %zu of the output or axis %zu of the input does not exist, or the output is not set", axis, input_axis);
    return mx_same_dim(n->c, to.dims[axis], from.dims[input_axis], "an output's size");
}

/* ---- in lower */

mx2onnx_value mx2onnx_node_input_value(const mx2onnx_node *n, size_t i)
{
    return n && n->b && i < (size_t)n->n->n_in ? n->first + (mx2onnx_value)i : OX_NONE;
}

#define NO_VALUE "value %d is not one of this node: a handler can use the inputs of its node, and what it added in the same call"

/* OX_NONE if the number is not one of this call's. */
static ox_val value_of(const mx2onnx_node *n, mx2onnx_value value)
{
    const int64_t i = (int64_t)value - n->first, added = i - n->n->n_in;
    return i < 0 ? OX_NONE : added < 0 ? n->in[i] : added < (int64_t)n->n_added ? n->added[added] : OX_NONE;
}

/* Gives the handler a number for x. */
static int give(mx2onnx_node *n, ox_val x, mx2onnx_value *value)
{
    const int status = mx_grow(n->b->model->arena.budget, &n->added, n->n_added, &n->capacity, sizeof *n->added);
    if (status != MX_OK) {
        ox_oom(n->b);
        return status;
    }
    *value = n->first + n->n->n_in + (mx2onnx_value)n->n_added;
    n->added[n->n_added++] = x;
    return MX_OK;
}

mx2onnx_status mx2onnx_node_add_constant(mx2onnx_node *n, const mx2onnx_array *array, mx2onnx_value *value)
{
    const mx2onnx_array a = mx_call_array(array);
    NEED(n && n->b, "this function may be called in lower only");
    NEED(array && value, "the array or value is NULL");
    NEED(a.struct_size > sizeof(size_t), NO_SIZE(mx2onnx_array));
    NEED(mx_dtype_from_flag(a.dtype) != MX_DTYPE_NONE, "the element type %d is unknown", (int)a.dtype);
    NEED(a.rank <= 0 || a.dims, "the sizes are NULL");
    NEED(mx_call_valid_dims(a.rank, a.dims, 0), BAD_SHAPE, (int)a.rank, MX_MAX_RANK, 0);
    NEED(a.data, "the data is NULL");
    uint64_t bytes = mx_dtype_size((enum mx_dtype)a.dtype);
    for (int32_t i = 0; i < a.rank; i++) {
        NEED(mx_mul_u64(bytes, (uint64_t)a.dims[i], &bytes), "the shape has more elements than memory can hold");
    }
    NEED(bytes == a.size, "the size is %zu bytes, but the shape and the type have %llu", a.size, (unsigned long long)bytes);
    const ox_val x = ox_tensor(n->b, (enum mx_dtype)a.dtype, a.dims, a.rank, a.data);
    if (ox_failed(n->b)) {
        return ox_status(n->b);
    }
    return give(n, x, value);
}

enum {
    LONGEST_LIST = 4096, /* limit: numbers or texts of an attribute that a handler writes */
    MOST_VALUES = 4096,  /* limit: inputs or outputs of a node that a handler adds */
};

/* Reads an attribute from a JSON value. False if ONNX has no such kind. */
static bool read_list(struct ox_build *b, const json_t *list, struct ox_attr *out)
{
    const size_t count = json_array_size(list);
    int64_t *ints = ox_scratch(b, count, sizeof *ints);
    double *floats = ox_scratch(b, count, sizeof *floats);
    const char **texts = ox_scratch(b, count, sizeof *texts);
    size_t n_ints = 0, n_numbers = 0, n_texts = 0;
    if (count > LONGEST_LIST) {
        ox_fail(b, out->name, MX_SUBJECT "has %zu elements, but must have at most %d", count, LONGEST_LIST);
    }
    if (ox_failed(b)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        ints[i] = json_integer_value(item);
        floats[i] = json_number_value(item);
        texts[i] = json_string_value(item);
        n_ints += json_is_integer(item);
        n_numbers += json_is_number(item);
        n_texts += json_is_string(item);
    }
    out->n = (int)count;
    out->kind = n_ints == count ? OX_A_INTS : n_numbers == count ? OX_A_FLOATS : OX_A_STRINGS;
    out->v = n_ints == count ? (const void *)ints : n_numbers == count ? (const void *)floats : (const void *)texts;
    return n_numbers == count || n_texts == count;
}

static bool read_attribute(struct ox_build *b, const char *name, const json_t *value, struct ox_attr *out)
{
    *out = (struct ox_attr){.name = name};
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        out->kind = OX_A_INT;
        out->i = json_integer_value(value);
        return true;
    case JSON_REAL:
        out->kind = OX_A_FLOAT;
        out->f = json_real_value(value);
        return true;
    case JSON_STRING:
        out->kind = OX_A_STRING;
        out->s = json_string_value(value);
        return true;
    case JSON_ARRAY: return read_list(b, value, out);
    case JSON_OBJECT:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: break;
    }
    return false;
}

/* The builder copies the values that it keeps, but not the names. */
static struct ox_attr *read_attributes(mx2onnx_node *n, json_t *object)
{
    struct ox_attr *attrs = ox_scratch(n->b, json_object_size(object) + 1, sizeof *attrs);
    const char *key;
    json_t *value;
    int count = 0;
    if (!attrs) {
        return NULL;
    }
    json_object_foreach(object, key, value)
    {
        char *name = ox_lasting(n->b, strlen(key) + 1, 1);
        if (!name) {
            return NULL;
        }
        memcpy(name, key, strlen(key) + 1);
        if (!read_attribute(n->b, name, value, &attrs[count++])) {
            ox_fail(n->b, NULL, "attribute '%s' is not a number, a text, or a list of one kind of them", key);
            return NULL;
        }
    }
    attrs[count].kind = OX_A_END;
    return attrs;
}

struct wanted {
    const char *type, *domain; /* NULL for ONNX's own */
    enum ox_op op;
    size_t outputs;
};

static int add_node(mx2onnx_node *n, const struct wanted *w, const ox_val *in, json_t *attributes, int32_t *outputs)
{
    struct ox_attr *attrs = attributes ? read_attributes(n, attributes) : NULL;
    ox_val *out = ox_scratch(n->b, w->outputs, sizeof *out);
    if (!out || ox_failed(n->b)
        || (!w->domain && (!ox_check_given_attrs(n->b, w->op, attrs) || !ox_check_given_shapes(n->b, w->op, in, attrs, w->outputs)))) {
        return ox_status(n->b);
    }
    if (w->domain) {
        ox_foreign_n(n->b, w->domain, w->type, in, attrs, out, (int)w->outputs);
    } else {
        ox_node_n(n->b, w->op, in, attrs, out, (int)w->outputs);
    }
    if (ox_failed(n->b)) {
        return ox_status(n->b);
    }
    for (size_t i = 0; i < w->outputs; i++) {
        MX_TRY(give(n, out[i], &outputs[i]));
    }
    return MX_OK;
}

/* A node of any version of the header. */
static mx2onnx_onnx_node read_node(const mx2onnx_onnx_node *given)
{
#define END(member) MEMBER_END(mx2onnx_onnx_node, member)
    static const size_t ends[] = {END(struct_size), END(op_type), END(domain),      END(attributes),
                                  END(input_count), END(inputs),  END(output_count)};
#undef END
    mx2onnx_onnx_node node = {0};
    mx_call_struct(&node, given, ends, sizeof ends / sizeof *ends);
    return node;
}

mx2onnx_status mx2onnx_node_add(mx2onnx_node *n, const mx2onnx_onnx_node *node, mx2onnx_value *outputs)
{
    const mx2onnx_onnx_node g = read_node(node);
    NEED(n && n->b, "this function may be called in lower only");
    NEED(node, "the node is NULL");
    NEED(g.struct_size > sizeof(size_t), NO_SIZE(mx2onnx_onnx_node));
    NEED(g.op_type && *g.op_type, "the operator's name is empty");
    NEED(mx_is_plain_text(g.op_type) && (!g.domain || mx_is_plain_text(g.domain)),
         "the operator's name or its domain is not UTF-8, or has control characters");
    const bool is_foreign = g.domain && *g.domain && strcmp(g.domain, "ai.onnx") != 0;
    const enum ox_op op = is_foreign ? OX_FOREIGN : ox_op_named(g.op_type);
    if (!is_foreign && op == OX_FOREIGN) {
        ox_fail(n->b, NULL, "%s: ONNX has no operator '%s'" MX_HELP "see onnx.ai/onnx/operators for the names", __func__, g.op_type);
        return MX_INVALID_ARGUMENT;
    }
    NEED(g.input_count <= MOST_VALUES, "the node has %zu inputs, but %d are possible", g.input_count, MOST_VALUES);
    NEED(g.inputs || g.input_count == 0, "the inputs are NULL");
    NEED(g.output_count >= 1 && g.output_count <= MOST_VALUES, "the node has %zu outputs, but 1 to %d are possible", g.output_count,
         MOST_VALUES);
    NEED(outputs, "the outputs are NULL");
    ox_val *in = ox_scratch(n->b, g.input_count + 1, sizeof *in);
    if (!in) {
        return MX_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < g.input_count; i++) {
        in[i] = value_of(n, g.inputs[i]);
        NEED(g.inputs[i] == OX_NONE || in[i] != OX_NONE, NO_VALUE, g.inputs[i]);
    }
    in[g.input_count] = OX_END;
    if (!ox_check_given_ends(n->b, op, in, g.output_count)) {
        return MX_INVALID_ARGUMENT;
    }
    json_t *object = NULL;
    if (g.attributes) {
        object = json_loads(g.attributes, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(object)) {
            json_decref(object);
            return misuse(n, __func__, "the attributes are not a JSON object");
        }
    }
    const struct wanted w = {g.op_type, is_foreign ? g.domain : NULL, op, g.output_count};
    const int status = add_node(n, &w, in, object, outputs);
    json_decref(object);
    return status;
}

mx2onnx_status mx2onnx_node_set_result(mx2onnx_node *n, size_t output, mx2onnx_value value)
{
    NEED(n && n->b, "this function may be called in lower only");
    NEED(output < (size_t)n->n->n_out, "output %zu does not exist: the node has %d", output, n->n->n_out);
    const ox_val x = value_of(n, value);
    NEED(x != OX_NONE, NO_VALUE, value);
    n->out[output] = x;
    return MX_OK;
}
