/* _while_loop: a body run while a condition holds, at most max_iterations times (src/operator/control_flow.cc, WhileLoopShape). ONNX's
 * Loop tests the condition after each step, so the condition is written twice: before the loop and at the end of the body.
 *
 * The stacked outputs have max_iterations rows; rows after the last step, which MXNet leaves undefined, are zero here. */
#include <string.h>

#include "op/op.h"

struct loop {
    int64_t num_args, num_outputs, num_out_data, max_iterations;
    struct mx_tuple cond_input_locs, func_input_locs, func_var_locs;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct loop, num_args, NULL),
    MX_COUNT(struct loop, num_outputs, NULL),
    MX_COUNT(struct loop, num_out_data, NULL),
    MX_COUNT(struct loop, max_iterations, NULL),
    MX_COUNTS(struct loop, cond_input_locs, NULL),
    MX_COUNTS(struct loop, func_input_locs, NULL),
    MX_COUNTS(struct loop, func_var_locs, NULL),
};

enum { COND = 0, FUNC = 1 };

/* The input of the node that is the initial value of loop variable j. */
static int variable_input(const struct loop *a, int j)
{
    return (int)a->func_input_locs.v[a->func_var_locs.v[j]];
}

static bool in_range(struct mx_tuple t, int64_t end)
{
    for (int i = 0; i < t.n; i++) {
        if (t.v[i] >= end) {
            return false;
        }
    }
    return true;
}

static int check(struct mx_infer *c, const struct loop *a)
{
    const struct mx_node *n = c->node;
    if (n->n_subgraphs != 2 || a->cond_input_locs.n != n->subgraphs[COND]->n_inputs || a->func_input_locs.n != n->subgraphs[FUNC]->n_inputs
        || n->subgraphs[COND]->n_heads != 1 || n->subgraphs[FUNC]->n_heads != n->n_out || a->num_out_data + a->func_var_locs.n != n->n_out
        || !in_range(a->cond_input_locs, n->n_in) || !in_range(a->func_input_locs, n->n_in)
        || !in_range(a->func_var_locs, a->func_input_locs.n) || a->max_iterations < 1) {
        return mx_infer_fail(c, NULL,
                             "the attributes do not match the inputs and the subgraphs of the node" MX_HELP "export the model again");
    }
    bool *listed = MX_ARENA_ARRAY(c->scratch, bool, (size_t)n->n_in);
    MX_TRY_ALLOC(listed);
    for (int j = 0; j < a->func_var_locs.n; j++) {
        if (listed[variable_input(a, j)]) {
            return mx_infer_fail(
                c, NULL, "func_var_locs and func_input_locs name input %d for two variables of the loop" MX_HELP "export the model again",
                variable_input(a, j));
        }
        listed[variable_input(a, j)] = true;
    }
    return MX_OK;
}

static int infer_inputs(struct mx_infer *c, int k, struct mx_tuple locations)
{
    for (int i = 0; i < locations.n; i++) {
        MX_TRY(mx_same_value(c, mx_body_input(c, k, i), mx_in_value(c->node, (int)locations.v[i])));
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct loop *a = c->attrs;
    const int n_out = (int)a->num_out_data;
    MX_TRY(check(c, a));
    MX_TRY(infer_inputs(c, COND, a->cond_input_locs));
    MX_TRY(infer_inputs(c, FUNC, a->func_input_locs));
    for (int j = 0; j < a->func_var_locs.n; j++) {
        MX_TRY(mx_same_value(c, mx_in_value(c->node, variable_input(a, j)), mx_body_head(c, FUNC, n_out + j)));
        MX_TRY(mx_same_value(c, mx_body_head(c, FUNC, n_out + j), &c->node->out[n_out + j]));
    }
    MX_TRY(mx_infer_condition(c, COND));
    MX_TRY(mx_infer_body(c, FUNC));
    for (int i = 0; i < n_out; i++) {
        MX_TRY(mx_infer_stacked(c, FUNC, i, mx_dim_of(a->max_iterations)));
    }
    return MX_OK;
}

/* The inputs of a subgraph, which are among `values`. NULL when memory runs out. */
static ox_val *inputs_at(struct ox_build *b, const ox_val *values, struct mx_tuple locations)
{
    ox_val *in = ox_scratch(b, (size_t)locations.n, sizeof *in);
    for (int i = 0; in && i < locations.n; i++) {
        in[i] = values[locations.v[i]];
    }
    return in;
}

/* The condition for `values`, one per input of the node, as a bool of shape (). */
static ox_val condition(struct ox_build *b, const struct mx_node *n, const ox_val *values)
{
    const struct loop *a = n->attrs;
    const ox_val *in = inputs_at(b, values, a->cond_input_locs);
    ox_val head = OX_NONE;
    if (!in) {
        return OX_NONE;
    }
    mx_lower_body(b, n, COND, in, &head);
    return ox_reshape(b, ox_is_true(b, head), NULL, 0);
}

/* Appends rows of zeros, up to `rows` rows. */
static ox_val pad_rows(struct ox_build *b, ox_val x, int64_t rows)
{
    const int rank = ox_rank(b, x);
    const struct mx_int_list before = ox_repeated(b, 0, rank), after = ox_repeated(b, 0, rank - 1);
    const ox_val made = ox_node(b, OX_Shape, OX_IN(x), OX_ATTRS(OX_I("start", 0), OX_I("end", 1)));
    const ox_val parts[] = {ox_ints(b, before.v, before.n), ox_sub(b, ox_int(b, rows), made), ox_ints(b, after.v, after.n)};
    const ox_val pads = ox_concat(b, parts, rank > 1 ? 3 : 2, 0);
    return ox_node(b, OX_Pad, OX_IN(x, pads), OX_ATTRS(OX_S("mode", "constant")));
}

static struct ox_graph *write_body(struct ox_build *b, const struct mx_node *n, const ox_val *in)
{
    const struct loop *a = n->attrs;
    const int n_out = (int)a->num_out_data, n_var = a->func_var_locs.n;
    ox_val *values = ox_scratch(b, (size_t)n->n_in, sizeof *values);
    ox_val *heads = ox_scratch(b, (size_t)n->n_out, sizeof *heads);
    ox_val *results = ox_scratch(b, (size_t)n->n_out + 1, sizeof *results);
    if (!values || !heads || !results) {
        return NULL;
    }
    struct ox_graph *body = ox_graph_begin(b, n->name);
    const struct mx_shape scalar = {0, NULL};
    (void)ox_graph_input(b, MX_INT64, scalar); /* the iteration number */
    (void)ox_graph_input(b, MX_BOOL, scalar);  /* the condition, known to be true */
    memcpy(values, in, (size_t)n->n_in * sizeof *values);
    for (int j = 0; j < n_var; j++) {
        const ox_val start = in[variable_input(a, j)];
        values[variable_input(a, j)] = ox_graph_input(b, ox_dtype(b, start), ox_shape(b, start));
    }
    const ox_val *func_in = inputs_at(b, values, a->func_input_locs);
    if (!func_in) {
        return NULL;
    }
    mx_lower_body(b, n, FUNC, func_in, heads);
    for (int j = 0; j < n_var; j++) {
        values[variable_input(a, j)] = heads[n_out + j];
        results[1 + j] = heads[n_out + j];
    }
    results[0] = condition(b, n, values);
    for (int i = 0; i < n_out; i++) {
        results[1 + n_var + i] = heads[i];
    }
    ox_graph_end(b, results, 1 + n_var + n_out);
    return body;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct loop *a = n->attrs;
    const int n_out = (int)a->num_out_data, n_var = a->func_var_locs.n;
    ox_val *operands = ox_scratch(b, (size_t)n_var + 3, sizeof *operands);
    ox_val *results = ox_scratch(b, (size_t)n->n_out, sizeof *results);
    if (!operands || !results) {
        return;
    }
    operands[0] = ox_scalar(b, MX_INT64, (double)a->max_iterations);
    operands[1] = condition(b, n, in);
    for (int j = 0; j < n_var; j++) {
        operands[2 + j] = in[variable_input(a, j)];
    }
    operands[2 + n_var] = OX_END;
    struct ox_graph *body = write_body(b, n, in);
    if (!body) {
        return;
    }
    ox_node_n(b, OX_Loop, operands, OX_ATTRS(OX_G("body", body)), results, n->n_out);
    for (int i = 0; i < n_out; i++) {
        out[i] = pad_rows(b, results[n_var + i], a->max_iterations);
    }
    for (int j = 0; j < n_var; j++) {
        out[n_out + j] = results[j];
    }
}

const struct mx_op mx_ops_while_loop[] = {
    MX_CONTROL_FLOW("while_loop", attrs, struct loop, infer, lower),
    MX_OPS_END,
};
