/* _foreach: a body run over the slices of its data along axis 0 (src/operator/control_flow.cc, ForeachShape). ONNX's Scan is the same
 * with the states first.
 *
 * The attributes list the body's variables: data i is variable in_data_locs[i], and likewise for states and for values that the body reads
 * from outside. */
#include "op/op.h"

struct foreach {
    int64_t num_args, num_outputs, num_out_data;
    struct mx_tuple in_data_locs, in_state_locs, remain_locs;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct foreach, num_args, NULL),
    MX_COUNT(struct foreach, num_outputs, NULL),
    MX_COUNT(struct foreach, num_out_data, NULL),
    MX_COUNTS(struct foreach, in_data_locs, NULL),
    MX_COUNTS(struct foreach, in_state_locs, NULL),
    MX_COUNTS(struct foreach, remain_locs, NULL),
};

enum { BODY = 0 };

/* Marks the body's variables in `list`; false if one is marked already, or is not one. */
static bool mark(struct mx_tuple list, int n_inputs, bool *listed)
{
    for (int i = 0; i < list.n; i++) {
        if (list.v[i] >= n_inputs || listed[list.v[i]]) {
            return false;
        }
        listed[list.v[i]] = true;
    }
    return true;
}

/* Each of the body's variables is listed once, so that all have a value. */
static int check(struct mx_infer *c, const struct foreach *a)
{
    const struct mx_node *n = c->node;
    const int n_state = a->in_state_locs.n;
    if (n->n_subgraphs != 1 || a->in_data_locs.n < 1 || a->in_data_locs.n + n_state + a->remain_locs.n != n->n_in
        || a->num_out_data + n_state != n->n_out || n->subgraphs[BODY]->n_heads != n->n_out || n->subgraphs[BODY]->n_inputs != n->n_in) {
        return mx_infer_fail(c, NULL,
                             "the attributes do not match the inputs and the subgraph of the node" MX_HELP "export the model again");
    }
    bool *listed = MX_ARENA_ARRAY(c->scratch, bool, (size_t)n->n_in);
    MX_TRY_ALLOC(listed);
    if (!mark(a->in_data_locs, n->n_in, listed) || !mark(a->in_state_locs, n->n_in, listed) || !mark(a->remain_locs, n->n_in, listed)) {
        return mx_infer_fail(c, NULL,
                             "in_data_locs, in_state_locs and remain_locs must list each of the %d inputs exactly once" MX_HELP
                             "export the model again",
                             n->n_in);
    }
    return MX_OK;
}

/* The slice of data in a step: without axis 0, except for a vector (1). */
static int infer_data(struct mx_infer *c, int i, int64_t location, mx_dim steps)
{
    struct mx_shape s;
    struct mx_value *inner = mx_body_input(c, BODY, location);
    MX_TRY(mx_input_at_least(c, i, 1, &s));
    MX_TRY(mx_same_dim(c, s.dims[0], steps, "steps"));
    const mx_dim one = mx_dim_of(1);
    struct mx_value slice = {{s.ndim > 1 ? s.ndim - 1 : 1, s.ndim > 1 ? s.dims + 1 : &one}, mx_input_dtype(c, i)};
    MX_TRY(mx_same_value(c, inner, &slice));
    return mx_input_dtype_is(c, i, slice.dtype);
}

static int infer_outer(struct mx_infer *c, int i, int64_t location)
{
    return mx_same_value(c, mx_body_input(c, BODY, location), mx_in_value(c->node, i));
}

static int infer(struct mx_infer *c)
{
    const struct foreach *a = c->attrs;
    const int n_data = a->in_data_locs.n, n_state = a->in_state_locs.n, n_out = (int)a->num_out_data;
    struct mx_shape first;
    MX_TRY(check(c, a));
    MX_TRY(mx_input(c, 0, &first));
    const mx_dim steps = first.ndim > 0 ? first.dims[0] : mx_dim_of(1);
    for (int i = 0; i < n_data; i++) {
        MX_TRY(infer_data(c, i, a->in_data_locs.v[i], steps));
    }
    for (int i = 0; i < n_state; i++) {
        MX_TRY(infer_outer(c, n_data + i, a->in_state_locs.v[i]));
        MX_TRY(mx_same_value(c, mx_in_value(c->node, n_data + i), &c->node->out[n_out + i]));
        MX_TRY(mx_same_value(c, &c->node->out[n_out + i], mx_body_head(c, BODY, n_out + i)));
    }
    for (int i = 0; i < a->remain_locs.n; i++) {
        MX_TRY(infer_outer(c, n_data + n_state + i, a->remain_locs.v[i]));
    }
    MX_TRY(mx_infer_body(c, BODY));
    for (int i = 0; i < n_out; i++) {
        MX_TRY(mx_infer_stacked(c, BODY, i, steps));
    }
    return MX_OK;
}

/* The slice in a step as an input of the ONNX body. */
static ox_val slice_input(struct ox_build *b, ox_val data)
{
    const struct mx_shape s = ox_shape(b, data);
    const ox_val x = ox_graph_input(b, ox_dtype(b, data), (struct mx_shape){s.ndim - 1, s.dims + 1});
    return s.ndim > 1 ? x : ox_reshape_ints(b, x, (const int64_t[]){1}, 1);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct foreach *a = n->attrs;
    const int n_data = a->in_data_locs.n, n_state = a->in_state_locs.n, n_out = (int)a->num_out_data;
    const int n_all = n_out + n_state;
    ox_val *body_in = ox_scratch(b, (size_t)n->n_in, sizeof *body_in);
    ox_val *heads = ox_scratch(b, (size_t)n_all, sizeof *heads);
    ox_val *results = ox_scratch(b, (size_t)n_all, sizeof *results);
    ox_val *operands = ox_scratch(b, (size_t)(n_state + n_data) + 1, sizeof *operands);
    if (!body_in || !heads || !results || !operands) {
        return;
    }
    struct ox_graph *body = ox_graph_begin(b, n->name);
    for (int i = 0; i < n_state; i++) {
        operands[i] = in[n_data + i];
        body_in[a->in_state_locs.v[i]] = ox_graph_input(b, ox_dtype(b, operands[i]), ox_shape(b, operands[i]));
    }
    for (int i = 0; i < n_data; i++) {
        operands[n_state + i] = in[i];
        body_in[a->in_data_locs.v[i]] = slice_input(b, in[i]);
    }
    for (int i = 0; i < a->remain_locs.n; i++) {
        body_in[a->remain_locs.v[i]] = in[n_data + n_state + i];
    }
    mx_lower_body(b, n, BODY, body_in, heads);
    for (int i = 0; i < n_all; i++) { /* Scan: states first */
        results[i] = heads[i < n_state ? n_out + i : i - n_state];
    }
    ox_graph_end(b, results, n_all);

    operands[n_state + n_data] = OX_END;
    ox_node_n(b, OX_Scan, operands, OX_ATTRS(OX_I("num_scan_inputs", n_data), OX_G("body", body)), results, n_all);
    for (int i = 0; i < n_all; i++) {
        out[i] = results[i < n_out ? n_state + i : i - n_out];
    }
}

const struct mx_op mx_ops_foreach[] = {
    MX_CONTROL_FLOW("foreach", attrs, struct foreach, infer, lower),
    MX_OPS_END,
};
