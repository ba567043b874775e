/* Facts about inputs and outputs: unifies what a rule states with what is known. */
#include "op/infer.h"

#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "op/advice.h"
#include "op/op.h"
#include "op/registry.h"

int mx_infer_fail(struct mx_infer *c, const char *attribute, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int status = mx_vfail(c->graph->diags, MX_SHAPE, mx_at(c->node, attribute), format, args);
    va_end(args);
    return status;
}

int mx_infer_fail_attr(struct mx_infer *c, const char *attribute, const char *rule)
{
    const char *text = mx_node_attr_text(c->node, attribute);
    return text ? mx_infer_fail(c, attribute, MX_SUBJECT "is %s, but must be %s", text, rule)
                : mx_infer_fail(c, attribute, MX_SUBJECT "is not given, but must be %s", rule);
}

/* The status of a rule, or an error if a list of it was too short for what the rule put there or looked for. */
static int list_status(struct mx_infer *c, int status)
{
    const enum mx_list_error error = c->list_error;
    c->list_error = MX_LIST_OK;
    if (error == MX_LIST_OK || (status != MX_OK && status != MX_LATER)) {
        return status;
    }
    /* Outside: not by a file, since rules bound their indices (mx_axis); for one that does not, it replaces a read of other memory. */
    return error == MX_LIST_FULL
               ? mx_infer_fail(c, NULL, "the result would have rank %d or more, and at most %d is possible", MX_LIST_ROOM, MX_MAX_RANK)
               : mx_fail(c->graph->diags, MX_INTERNAL, mx_at(c->node, NULL), "internal error: an index outside of its dimensions");
}

int mx_infer_node(struct mx_infer *c)
{
    MX_TRY(list_status(c, c->node->op->infer(c)));
    for (int i = 0; i < c->node->n_out; i++) {
        if (mx_output_dtype(c, i) == MX_DTYPE_NONE) {
            return MX_LATER;
        }
    }
    return mx_inputs_typed(c);
}

/* ---- shapes */

/* An input or output of the node; its name is made only when a message needs it. */
struct port {
    bool is_input;
    int index;
    char name[64];
};

static const char *port_name(struct mx_infer *c, struct port *p)
{
    if (p->is_input) {
        mx_op_input_name(c->node->op, p->index, p->name);
    } else {
        mx_op_output_name(c->node->op, p->index, p->name);
    }
    return p->name;
}

/* The text, kept until the node is done; "" if memory ran out, which ends the conversion. */
static const char *kept(struct mx_infer *c, struct mx_str *text)
{
    const char *copy = text->failed || !text->text ? "" : mx_arena_strdup(c->arena, text->text);
    mx_str_free(text);
    return copy ? copy : "";
}

static const char *shape_text(struct mx_infer *c, struct mx_shape s)
{
    struct mx_str text = {0};
    mx_shape_format(c->dims, s, &text);
    return kept(c, &text);
}

static const char *dim_text(struct mx_infer *c, mx_dim d)
{
    struct mx_str text = {0};
    mx_dim_format(c->dims, d, &text);
    return kept(c, &text);
}

static int fail_shapes(struct mx_infer *c, struct port *port, struct mx_shape known, struct mx_shape stated)
{
    struct mx_str advice = {0};
    if (port->is_input && c->node->in[port->index].node->param) {
        mx_str_append(&advice, MX_ADVICE_OTHER_MODEL);
    } else {
        mx_advise_one_example(c, known, stated, &advice);
        if (!advice.text) {
            mx_advise_shapes(c, &advice);
        }
    }
    return mx_infer_fail(c, port_name(c, port), MX_SUBJECT "has shape %s, but %s needs %s here" MX_HELP "%s", shape_text(c, known),
                         c->node->op_name, shape_text(c, stated), kept(c, &advice));
}

/* True if the pair of names has a note, which it gets otherwise: every layer may need them to be equal. */
static bool is_noted(struct mx_infer *c, mx_dim a, mx_dim b)
{
    bool noted = c->n_noted == MX_NOTED_NAMES;
    for (int i = 0; i < c->n_noted && !noted; i++) {
        noted = (mx_dim_equal(c->dims, a, c->noted[i][0]) && mx_dim_equal(c->dims, b, c->noted[i][1]))
                || (mx_dim_equal(c->dims, b, c->noted[i][0]) && mx_dim_equal(c->dims, a, c->noted[i][1]));
    }
    if (!noted) {
        c->noted[c->n_noted][0] = a;
        c->noted[c->n_noted++][1] = b;
    }
    return noted;
}

static void warn_of_size(struct mx_infer *c, const char *port, mx_dim open, int64_t number)
{
    struct mx_str advice = {0};
    if (!c->advised) {
        mx_advise_size(c, open, number, &advice);
        c->advised = advice.text;
    }
    mx_warn(c->graph->diags, mx_at(c->node, port), "the file runs only where %s is %lld" MX_HELP "%s", dim_text(c, open), (long long)number,
            kept(c, &advice));
}

/* Where two dims that were made equal may differ at run time. A file with a size that must be a certain number, though it is open, is
 * rarely what was meant. */
static void tell_fixed(struct mx_infer *c, const char *port, mx_dim a, mx_dim b)
{
    int64_t number;
    const bool names = mx_dim_is_leaf(c->dims, a) && mx_dim_is_leaf(c->dims, b);
    const bool a_known = mx_dim_known(c->dims, a, &number), b_known = mx_dim_known(c->dims, b, a_known ? NULL : &number);
    if (a_known != b_known) {
        warn_of_size(c, port, a_known ? b : a, number);
    } else if (names && !mx_dim_equal(c->dims, a, b) && !is_noted(c, a, b)) {
        mx_note(c->graph->diags, mx_at(c->node, port), "%s and %s must be equal at run time" MX_HELP "use one name for both",
                dim_text(c, a), dim_text(c, b));
    }
}

static bool has_negative(struct mx_infer *c, struct mx_shape s)
{
    int64_t size;
    for (int i = 0; i < s.ndim; i++) {
        if (mx_dim_known(c->dims, s.dims[i], &size) && size < 0) {
            return true;
        }
    }
    return false;
}

/* One of the first inputs that has the same dims, which an output may share. */
static const struct mx_shape *same_input(const struct mx_infer *c, struct mx_shape s)
{
    enum { LOOKED_AT = 4 };
    for (int i = 0; i < c->node->n_in && i < LOOKED_AT; i++) {
        const struct mx_shape *in = &mx_in_value(c->node, i)->shape;
        if (s.ndim > 0 && in->ndim == s.ndim && memcmp(in->dims, s.dims, (size_t)s.ndim * sizeof *s.dims) == 0) {
            return in;
        }
    }
    return NULL;
}

static int state_shape(struct mx_infer *c, struct mx_value *v, struct mx_shape s, struct port *port)
{
    if (s.ndim < 0) {
        return MX_OK;
    }
    if (s.ndim > MX_MAX_RANK) {
        return mx_infer_fail(c, port_name(c, port), MX_SUBJECT "would have rank %d, and at most %d is possible", s.ndim, MX_MAX_RANK);
    }
    if (has_negative(c, s)) {
        return mx_infer_fail(c, port_name(c, port), MX_SUBJECT "would have shape %s, because the input is too small for %s",
                             shape_text(c, s), c->node->op_name);
    }
    if (v->shape.ndim < 0) {
        const struct mx_shape *like = same_input(c, s);
        v->shape = like ? *like : mx_shape_of(c->arena, s.dims, s.ndim);
        if (v->shape.ndim < 0) {
            return MX_OUT_OF_MEMORY;
        }
        c->changed = true;
        return MX_OK;
    }
    if (v->shape.ndim != s.ndim) {
        return fail_shapes(c, port, v->shape, s);
    }
    const uint64_t before = mx_dims_bindings(c->dims);
    for (int i = 0; i < s.ndim; i++) {
        if (!mx_dim_unify(c->dims, v->shape.dims[i], s.dims[i])) {
            return fail_shapes(c, port, v->shape, s);
        }
        if (c->last) {
            tell_fixed(c, port_name(c, port), v->shape.dims[i], s.dims[i]);
        }
    }
    c->changed = c->changed || mx_dims_bindings(c->dims) != before;
    return MX_OK;
}

static struct mx_shape fresh_shape(struct mx_infer *c, int ndim)
{
    struct mx_dim_list dims = mx_no_dims(c);
    for (int i = 0; i < ndim; i++) {
        mx_push_dim(&dims, mx_dim_unknown(c->dims));
    }
    return mx_shape_of(c->arena, dims.v, dims.n);
}

int mx_input(struct mx_infer *c, int i, struct mx_shape *out)
{
    const struct mx_value *v = mx_in_value(c->node, i);
    if (v->shape.ndim < 0) {
        return MX_LATER;
    }
    *out = v->shape;
    return MX_OK;
}

static int fail_rank(struct mx_infer *c, int i, int ndim, const char *least)
{
    struct port port = {.is_input = true, .index = i};
    struct mx_str advice = {0};
    const struct mx_shape s = mx_in_value(c->node, i)->shape;
    if (!least[0]) {
        mx_advise_batch(c, i, ndim, &advice);
    }
    if (!advice.text && mx_input_of(c->node->in[i].node, s.ndim)) {
        mx_str_append(&advice, "set the shape that the model was trained with");
    }
    return mx_infer_fail(c, port_name(c, &port), MX_SUBJECT "has shape %s, but must have %s%d dimension%s" MX_HELP "%s", shape_text(c, s),
                         least, ndim, ndim == 1 ? "" : "s", kept(c, &advice));
}

int mx_input_rank(struct mx_infer *c, int i, int ndim, struct mx_shape *out)
{
    struct mx_value *v = mx_in_value(c->node, i);
    if (v->shape.ndim < 0) {
        const struct mx_shape fresh = fresh_shape(c, ndim);
        if (fresh.ndim < 0) {
            return MX_OUT_OF_MEMORY;
        }
        v->shape = fresh;
        c->changed = true;
    }
    *out = v->shape;
    return v->shape.ndim == ndim ? MX_OK : fail_rank(c, i, ndim, "");
}

int mx_input_at_least(struct mx_infer *c, int i, int ndim, struct mx_shape *out)
{
    MX_TRY(mx_input(c, i, out));
    return out->ndim >= ndim ? MX_OK : fail_rank(c, i, ndim, "at least ");
}

int mx_input_is(struct mx_infer *c, int i, struct mx_shape s)
{
    MX_TRY(mx_tick(c->arena->budget, MX_TICK_VALUE));
    return state_shape(c, mx_in_value(c->node, i), s, &(struct port){.is_input = true, .index = i});
}

int mx_input_is_dims(struct mx_infer *c, int i, const mx_dim *dims, int ndim)
{
    return mx_input_is(c, i, (struct mx_shape){ndim, dims});
}

int mx_output_is(struct mx_infer *c, int i, struct mx_shape s)
{
    MX_TRY(mx_tick(c->arena->budget, MX_TICK_VALUE));
    return state_shape(c, &c->node->out[i], s, &(struct port){.index = i});
}

int mx_output_is_dims(struct mx_infer *c, int i, const mx_dim *dims, int ndim)
{
    return mx_output_is(c, i, (struct mx_shape){ndim, dims});
}

struct mx_shape mx_output(struct mx_infer *c, int i)
{
    return c->node->out[i].shape;
}

mx_dim mx_open_dim(struct mx_infer *c, int i, int ndim, int axis)
{
    const struct mx_shape known = mx_output(c, i);
    return known.ndim == ndim ? known.dims[axis] : mx_dim_unknown(c->dims);
}

static int same_dim(struct mx_infer *c, mx_dim a, mx_dim b, const char *what, void (*advise)(const struct mx_infer *c, struct mx_str *out))
{
    const uint64_t before = mx_dims_bindings(c->dims);
    if (!mx_dim_unify(c->dims, a, b)) {
        struct mx_str advice = {0};
        advise(c, &advice);
        return mx_infer_fail(c, NULL, "%s: %s and %s differ, but must be equal" MX_HELP "%s", what, dim_text(c, a), dim_text(c, b),
                             kept(c, &advice));
    }
    if (c->last) {
        tell_fixed(c, what, a, b);
    }
    c->changed = c->changed || mx_dims_bindings(c->dims) != before;
    return MX_OK;
}

int mx_same_dim(struct mx_infer *c, mx_dim a, mx_dim b, const char *what)
{
    return same_dim(c, a, b, what, mx_advise_shapes);
}

int mx_same_channels(struct mx_infer *c, mx_dim data, mx_dim weight)
{
    return same_dim(c, data, weight, "channels of data and weight", mx_advise_order);
}

int mx_positive(struct mx_infer *c, const char *attribute, int64_t value)
{
    return value > 0 ? MX_OK : mx_infer_fail(c, attribute, MX_SUBJECT "is %lld" MX_HELP "use a positive number", (long long)value);
}

int mx_within(struct mx_infer *c, const char *attribute, int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high ? MX_OK
                                         : mx_infer_fail(c, attribute, MX_SUBJECT "is %lld, but must be %lld to %lld", (long long)value,
                                                         (long long)low, (long long)high);
}

int mx_fraction(struct mx_infer *c, const char *attribute, double value)
{
    return value >= 0 && value <= 1 ? MX_OK : mx_infer_fail(c, attribute, MX_SUBJECT "is %g, but must be 0 to 1", value);
}

int mx_check_size(struct mx_infer *c, const char *attribute, int64_t size, int least)
{
    return size >= least && size <= INT32_MAX
               ? MX_OK
               : mx_infer_fail(c, attribute, MX_SUBJECT "holds the size %lld, but sizes must be %d to 2^31 - 1", (long long)size, least);
}

int mx_check_pair(struct mx_infer *c, const char *attribute, struct mx_tuple pair, int64_t least, const char *rule)
{
    return pair.n == 2 && pair.v[0] >= least && pair.v[1] >= least ? MX_OK : mx_infer_fail_attr(c, attribute, rule);
}

int mx_number(struct mx_infer *c, mx_dim d, const char *what, int64_t *out)
{
    if (mx_dim_known(c->dims, d, out)) {
        return MX_OK;
    }
    if (!c->last && mx_dim_has_unknown(c->dims, d)) {
        return MX_LATER;
    }
    return mx_infer_fail(c, NULL, "%s is %s, but must be a number" MX_HELP "fix the size of that axis of the input", what, dim_text(c, d));
}

int mx_axis(struct mx_infer *c, int64_t axis, int ndim, const char *attribute, int *out)
{
    const int64_t a = axis < 0 ? axis + ndim : axis;
    if (a < 0 || a >= ndim) {
        return mx_infer_fail(c, attribute, "axis %lld does not exist in a tensor of rank %d", (long long)axis, ndim);
    }
    *out = (int)a;
    return MX_OK;
}

int mx_check_axes(struct mx_infer *c, struct mx_tuple axes, int ndim, const char *attribute)
{
    struct mx_axes listed = {0};
    for (int i = 0; i < axes.n; i++) {
        int axis = 0;
        MX_TRY(mx_axis(c, axes.v[i], ndim, attribute, &axis));
        if (mx_has_axis(listed, axis)) {
            return mx_infer_fail(c, attribute, "axis %d is listed twice" MX_HELP "list each axis once", axis);
        }
        mx_add_axis(&listed, axis);
    }
    return MX_OK;
}

int mx_check_axes_of_any(struct mx_infer *c, struct mx_tuple axes, int ndim, const char *attribute)
{
    const bool of_scalar = ndim == 0 && axes.n == 1 && (axes.v[0] == 0 || axes.v[0] == -1);
    return of_scalar ? MX_OK : mx_check_axes(c, axes, ndim, attribute);
}

struct mx_axes mx_tuple_axes(struct mx_tuple axes, int ndim)
{
    struct mx_axes set = {0};
    for (int i = 0; i < ndim && !axes.given; i++) {
        mx_add_axis(&set, i);
    }
    for (int i = 0; i < axes.n; i++) {
        const int64_t axis = mx_wrap(axes.v[i], ndim);
        mx_add_axis(&set, axis < ndim ? axis : -1);
    }
    return set;
}

void mx_push_reduced(struct mx_dim_list *dims, struct mx_shape s, struct mx_axes reduced, bool keepdims)
{
    for (int i = 0; i < s.ndim; i++) {
        if (!mx_has_axis(reduced, i)) {
            mx_push_dim(dims, s.dims[i]);
        } else if (keepdims) {
            mx_push_dim(dims, mx_dim_of(1));
        }
    }
}

struct mx_dim_list mx_reduced(struct mx_infer *c, struct mx_shape s, struct mx_axes reduced, bool keepdims)
{
    struct mx_dim_list dims = mx_no_dims(c);
    mx_push_reduced(&dims, s, reduced, keepdims);
    if (dims.n == 0 && !keepdims) {
        mx_push_dim(&dims, mx_dim_of(1));
    }
    return dims;
}

int mx_refuse_empty(struct mx_infer *c, struct mx_shape s, struct mx_axes axes)
{
    for (int i = 0; i < s.ndim; i++) {
        if (mx_has_axis(axes, i) && mx_dim_equal(c->dims, s.dims[i], mx_dim_of(0))) {
            return mx_infer_fail(c, "axis", "axis %d is empty, so that there is no result", i);
        }
    }
    return MX_OK;
}

/* ---- element types */

enum mx_dtype mx_input_dtype(struct mx_infer *c, int i)
{
    return mx_in_value(c->node, i)->dtype;
}

enum mx_dtype mx_output_dtype(struct mx_infer *c, int i)
{
    return c->node->out[i].dtype;
}

int mx_check_dtype(struct mx_infer *c, enum mx_dtype dtype)
{
    return dtype == MX_DTYPE_NONE ? mx_infer_fail(c, "dtype", MX_SUBJECT "is None, but must be an element type such as float32") : MX_OK;
}

int mx_inputs_typed(struct mx_infer *c)
{
    for (int i = 0; i < c->node->n_in; i++) {
        if (mx_input_dtype(c, i) == MX_DTYPE_NONE) {
            return MX_LATER;
        }
    }
    return MX_OK;
}

int mx_input_is_float(struct mx_infer *c, int i, const char *name)
{
    const enum mx_dtype t = mx_input_dtype(c, i);
    return t == MX_DTYPE_NONE || mx_dtype_is_float(t)
               ? MX_OK
               : mx_infer_fail(c, name, MX_SUBJECT "is %s, but %s needs a float type" MX_HELP "cast it to float32", mx_dtype_name(t),
                               c->node->op->name);
}

/* True if integer data, such as the bytes of an image, would make a weight an integer. MXNet's kernels for these operators take floats
 * only (MSHADOW_REAL_TYPE_SWITCH in src/operator/nn). */
static bool loses_fractions(const struct mx_infer *c, enum mx_dtype stored, enum mx_dtype t, const struct port *port)
{
    return port->is_input && mx_dtype_is_float(stored) && !mx_dtype_is_float(t) && mx_in_value(c->node, 0)->dtype == t
           && mx_has_bit(mx_op_inputs_with(c->node->op, MX_LEARNED), port->index);
}

static bool yields(const struct mx_infer *c, const struct port *port)
{
    return c->yields && port->is_input && c->yields[port->index];
}

static int state_dtype(struct mx_infer *c, struct mx_value *v, enum mx_dtype t, const struct mx_node *producer, struct port *port)
{
    if (t == MX_DTYPE_NONE || v->dtype == t) {
        return MX_OK;
    }
    if (loses_fractions(c, v->dtype, t, port)) {
        return mx_infer_fail(c, port_name(c, port),
                             "the weight '%s' is %s, but the data is %s" MX_HELP
                             "convert the input to float with mx2onnx_set_input_scale, a factor of 1",
                             producer->name, mx_dtype_name(v->dtype), mx_dtype_name(t));
    }
    if (v->dtype != MX_DTYPE_NONE && !yields(c, port)) {
        if (!producer->param || v->dtype != producer->stored) {
            return mx_infer_fail(c, port_name(c, port), "its type is %s, but %s needs %s here", mx_dtype_name(v->dtype), c->node->op_name,
                                 mx_dtype_name(t));
        }
        /* Module.set_params casts to the bound type; so does the library. */
        mx_note(c->graph->diags, mx_at(c->node, port_name(c, port)), "parameter '%s' is stored as %s and converted to %s", producer->name,
                mx_dtype_name(producer->stored), mx_dtype_name(t));
    }
    v->dtype = t;
    c->changed = true;
    return MX_OK;
}

int mx_input_dtype_is(struct mx_infer *c, int i, enum mx_dtype t)
{
    return state_dtype(c, mx_in_value(c->node, i), t, c->node->in[i].node, &(struct port){.is_input = true, .index = i});
}

int mx_output_dtype_is(struct mx_infer *c, int i, enum mx_dtype t)
{
    return state_dtype(c, &c->node->out[i], t, c->node, &(struct port){.index = i});
}

/* The type that the others follow: that of an input other than a parameter, then a consumer's, then a parameter's. */
static enum mx_dtype leading_dtype(struct mx_infer *c, int first, int last)
{
    enum mx_dtype of_param = MX_DTYPE_NONE;
    for (int i = first; i <= last; i++) {
        const enum mx_dtype t = mx_input_dtype(c, i);
        if (t != MX_DTYPE_NONE && !c->node->in[i].node->param && !(c->yields && c->yields[i])) {
            return t;
        }
        of_param = of_param == MX_DTYPE_NONE ? t : of_param;
    }
    return c->node->out[0].dtype != MX_DTYPE_NONE ? c->node->out[0].dtype : of_param;
}

int mx_same_dtype(struct mx_infer *c, int first, int last)
{
    last = last < 0 ? c->node->n_in - 1 : last;
    const enum mx_dtype t = leading_dtype(c, first, last);
    for (int i = first; i <= last; i++) {
        MX_TRY(mx_input_dtype_is(c, i, t));
    }
    return mx_output_dtype_is(c, 0, t);
}

/* ---- bodies */

struct mx_value *mx_body_input(struct mx_infer *c, int k, int64_t i)
{
    return &c->node->subgraphs[k]->inputs[i]->out[0];
}

struct mx_value *mx_body_head(struct mx_infer *c, int k, int64_t i)
{
    const struct mx_entry head = c->node->subgraphs[k]->heads[i];
    return &head.node->out[head.index];
}

int mx_infer_stacked(struct mx_infer *c, int k, int i, mx_dim rows)
{
    const struct mx_value *head = mx_body_head(c, k, i);
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_output_dtype_is(c, i, head->dtype));
    if (head->shape.ndim < 0) {
        return MX_LATER;
    }
    mx_push_dim(&dims, rows);
    mx_push_dims(&dims, head->shape.dims, head->shape.ndim);
    return mx_output_is(c, i, mx_list_shape(&dims));
}

int mx_same_value(struct mx_infer *c, struct mx_value *a, struct mx_value *b)
{
    struct port port = {.index = 0};
    MX_TRY(state_shape(c, a, b->shape, &port));
    MX_TRY(state_shape(c, b, a->shape, &port));
    MX_TRY(state_dtype(c, a, b->dtype, c->node, &port));
    return state_dtype(c, b, a->dtype, c->node, &port);
}
