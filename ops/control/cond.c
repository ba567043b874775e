/* _cond: one of two bodies (src/operator/control_flow.cc, CondShape). */
#include "op/op.h"

struct cond {
    int64_t num_args, num_outputs;
    struct mx_tuple cond_input_locs, then_input_locs, else_input_locs;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct cond, num_args, NULL),
    MX_COUNT(struct cond, num_outputs, NULL),
    MX_COUNTS(struct cond, cond_input_locs, NULL),
    MX_COUNTS(struct cond, then_input_locs, NULL),
    MX_COUNTS(struct cond, else_input_locs, NULL),
};

enum { COND, THEN, ELSE, BODIES };

static struct mx_tuple locations(const struct cond *a, int k)
{
    return k == COND ? a->cond_input_locs : k == THEN ? a->then_input_locs : a->else_input_locs;
}

static int infer_body(struct mx_infer *c, int k)
{
    const struct cond *a = c->attrs;
    const struct mx_node *n = c->node;
    const struct mx_tuple from = locations(a, k);
    const struct mx_graph *body = n->subgraphs[k];
    if (from.n != body->n_inputs || body->n_heads != (k == COND ? 1 : n->n_out)) {
        return mx_infer_fail(c, NULL,
                             "the attributes do not match the inputs and the subgraphs of the node" MX_HELP "export the model again");
    }
    for (int i = 0; i < from.n; i++) {
        if (from.v[i] >= n->n_in) {
            return mx_infer_fail(c, NULL, "a subgraph reads input %lld, but the node has %d inputs" MX_HELP "export the model again",
                                 (long long)from.v[i], n->n_in);
        }
        MX_TRY(mx_same_value(c, mx_body_input(c, k, i), mx_in_value(n, (int)from.v[i])));
    }
    for (int i = 0; k != COND && i < n->n_out; i++) {
        MX_TRY(mx_same_value(c, mx_body_head(c, k, i), &c->node->out[i]));
    }
    MX_TRY(k == COND ? mx_infer_condition(c, k) : mx_infer_body(c, k));
    for (int i = 0; k != COND && i < n->n_out; i++) {
        MX_TRY(mx_same_value(c, mx_body_head(c, k, i), &c->node->out[i]));
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    if (c->node->n_subgraphs != BODIES) {
        return mx_infer_fail(c, NULL,
                             "the node has %d subgraphs, but it needs 3: a condition and two branches" MX_HELP "export the model again",
                             c->node->n_subgraphs);
    }
    for (int k = 0; k < BODIES; k++) {
        MX_TRY(infer_body(c, k));
    }
    return MX_OK;
}

static void write(struct ox_build *b, const struct mx_node *n, int k, const ox_val *in, ox_val *out)
{
    const struct mx_tuple from = locations(n->attrs, k);
    ox_val *body_in = ox_scratch(b, (size_t)from.n, sizeof *body_in);
    if (!body_in) {
        return;
    }
    for (int i = 0; i < from.n; i++) {
        body_in[i] = in[from.v[i]];
    }
    mx_lower_body(b, n, k, body_in, out);
}

static struct ox_graph *write_branch(struct ox_build *b, const struct mx_node *n, int k, const ox_val *in)
{
    ox_val *heads = ox_scratch(b, (size_t)n->n_out, sizeof *heads);
    if (!heads) {
        return NULL;
    }
    struct ox_graph *branch = ox_graph_begin(b, k == THEN ? "then" : "else");
    write(b, n, k, in, heads);
    ox_graph_end(b, heads, n->n_out);
    return branch;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    ox_val head = OX_NONE;
    write(b, n, COND, in, &head);
    const ox_val holds = ox_reshape(b, ox_is_true(b, head), NULL, 0);
    struct ox_graph *then_branch = write_branch(b, n, THEN, in);
    struct ox_graph *else_branch = write_branch(b, n, ELSE, in);
    ox_node_n(b, OX_If, OX_IN(holds), OX_ATTRS(OX_G("then_branch", then_branch), OX_G("else_branch", else_branch)), out, n->n_out);
}

const struct mx_op mx_ops_cond[] = {
    MX_CONTROL_FLOW("cond", attrs, struct cond, infer, lower),
    MX_OPS_END,
};
