/* Writes every node through the builder. */
#include "base/alloc.h"
#include "base/budget.h"
#include "base/str.h"
#include "op/op.h"
#include "pass/pass.h"

struct walk {
    const struct mx_graph *g;
    struct ox_build *b;
    const char *const *variables; /* their names in the ONNX graph, by node id */
    struct mx_arena arena;        /* of `values` and `in` */
    ox_val **values;              /* each node's outputs, by node id; OX_NONE where the node failed */
    ox_val *in;                   /* inputs of the node being written */
    int room;                     /* capacity of `in` */
    int status;                   /* the first failure */
};

static ox_val write_param(struct walk *w, const struct mx_node *n)
{
    const struct mx_param *p = n->param;
    struct ox_tensor like = {.dtype = n->out[0].dtype, .ndim = p->ndim, .dims = p->dims};
    struct ox_piece own, *pieces = p->parts ? MX_ARENA_ARRAY(&w->b->model->arena, struct ox_piece, p->n_parts) : &own;
    if (!pieces) {
        ox_oom(w->b);
        return OX_NONE;
    }
    uint64_t first = 0;
    for (size_t i = 0; i < mx_param_part_count(p); i++) {
        const struct mx_param *one = mx_param_part(p, i);
        pieces[like.n_pieces] = (struct ox_piece){.kind = OX_PIECE_RANGE,
                                                  .stored = one->dtype,
                                                  .source = one->source,
                                                  .offset = one->offset,
                                                  .length = one->length,
                                                  .first = first};
        first += one->length / mx_dtype_size(one->dtype);
        like.n_pieces += one->length > 0;
    }
    like.pieces = pieces;
    return ox_param(w->b, w->variables[n->id], &like);
}

static void write_variable(struct walk *w, const struct mx_node *n, ox_val *out)
{
    *out = n->param ? write_param(w, n) : ox_input(w->b, w->variables[n->id], n->out[0].dtype, n->out[0].shape);
}

/* The first axis where another size is written than was inferred or declared; -1 if there is none. A number must be that number or unknown;
 * it may be a name only if inference took one for a number. A name may be anything. */
static int other_size(struct mx_dims *t, struct mx_shape stated, struct mx_shape written)
{
    for (int i = 0; i < stated.ndim; i++) {
        int64_t x, y;
        if (mx_dim_known(t, stated.dims[i], &x) && !mx_dim_has_unknown(t, written.dims[i])
            && (mx_dim_known(t, written.dims[i], &y) ? x != y : !mx_dims_assumed(t))) {
            return i;
        }
    }
    return -1;
}

/* Checked in builds with assertions only. */
static bool sizes_agree(struct mx_dims *t, struct mx_shape inferred, struct mx_shape written)
{
#ifndef NDEBUG
    return other_size(t, inferred, written) < 0;
#else
    (void)t, (void)inferred, (void)written;
    return true;
#endif
}

static void fail_sizes(struct walk *w, int k, struct mx_shape inferred, struct mx_shape written)
{
    struct mx_str text = {0};
    mx_shape_format(ox_dims_table(w->b), written, &text);
    mx_str_append(&text, ", but inferred as ");
    mx_shape_format(ox_dims_table(w->b), inferred, &text);
    /* Not by a file: infer and lower of an operator state one shape: a case for each operator (ops/README.md), and the fuzzers. */
    ox_fail(w->b, NULL, "internal error: output %d is written as %s", k, text.failed ? "" : text.text);
    mx_str_free(&text);
}

static void check_handled(struct walk *w, const struct mx_value *v, int k, ox_val x)
{
    struct mx_dims *t = ox_dims_table(w->b);
    const struct mx_shape written = ox_shape(w->b, x);
    if (ox_dtype(w->b, x) != v->dtype || written.ndim != v->shape.ndim) {
        ox_fail(w->b, NULL,
                "its handler writes output %d as %s of rank %d, but declares %s of rank %d" MX_HELP
                "give the handler an infer function that declares what is written",
                k, mx_dtype_name(ox_dtype(w->b, x)), written.ndim, mx_dtype_name(v->dtype), v->shape.ndim);
    } else if (other_size(t, v->shape, written) >= 0) {
        struct mx_str text = {0};
        mx_shape_format(t, written, &text);
        mx_str_append(&text, ", but declares ");
        mx_shape_format(t, v->shape, &text);
        ox_fail(w->b, NULL,
                "its handler writes output %d with shape %s" MX_HELP "give the handler an infer function that declares what is written", k,
                text.failed ? "" : text.text);
        mx_str_free(&text);
    }
}

/* The builder's inference and MXNet's must agree: if a rule says float32 where the nodes give int64, no runtime loads the model. */
static void check_output(struct walk *w, const struct mx_node *n, int k, ox_val x)
{
    const struct mx_value *v = &n->out[k];
    if (x == OX_NONE) {
        /* Not by a file: as in fail_sizes: lower fills out[] or fails. */
        ox_fail(w->b, NULL, "internal error: output %d was not written", k);
        return;
    }
    if (ox_dtype(w->b, x) == MX_DTYPE_NONE || ox_rank(w->b, x) < 0) {
        ox_typed(w->b, x, v->dtype, v->shape);
    } else if (n->handled) {
        check_handled(w, v, k, x);
    } else if (ox_dtype(w->b, x) != v->dtype || ox_rank(w->b, x) != v->shape.ndim) {
        /* Not by a file: as in fail_sizes. */
        ox_fail(w->b, NULL, "internal error: output %d is written as %s of rank %d, but inferred as %s of rank %d", k,
                mx_dtype_name(ox_dtype(w->b, x)), ox_rank(w->b, x), mx_dtype_name(v->dtype), v->shape.ndim);
    } else if (!sizes_agree(ox_dims_table(w->b), v->shape, ox_shape(w->b, x))) {
        fail_sizes(w, k, v->shape, ox_shape(w->b, x));
    }
}

/* Outputs without elements are constants: runtimes that fail or crash on sizes of 0 then never see them. */
static bool write_empty(struct walk *w, const struct mx_node *n, ox_val *out)
{
    for (int k = 0; k < n->n_out; k++) {
        if (!mx_shape_is_empty(ox_dims_table(w->b), n->out[k].shape)) {
            return false;
        }
    }
    for (int k = 0; k < n->n_out; k++) {
        out[k] = ox_fill(w->b, n->out[k].dtype, n->out[k].shape, 0);
    }
    return true;
}

static void write_node(struct walk *w, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    if (!write_empty(w, n, out)) {
        n->op->lower(w->b, n, in, out);
    }
    for (int k = 0; k < n->n_out && !ox_failed(w->b); k++) {
        mx_count_work(w->b->model->arena.budget, MX_TICK_VALUE);
        check_output(w, n, k, out[k]);
        if (!ox_failed(w->b)) {
            ox_mark_output(w->b, out[k], n, k);
        }
    }
    if (ox_failed(w->b)) {
        for (int k = 0; k < n->n_out; k++) {
            out[k] = OX_NONE;
        }
    }
}

/* False if an input comes from a failed node. */
static bool gather_inputs(const struct walk *w, const struct mx_node *n, ox_val *in)
{
    for (int k = 0; k < n->n_in; k++) {
        in[k] = w->values[n->in[k].node->id][n->in[k].index];
        if (in[k] == OX_NONE) {
            return false;
        }
    }
    return true;
}

static int make_room(struct walk *w, int n)
{
    if (n > w->room) {
        ox_val *in = mx_realloc(w->in, (size_t)n, sizeof *in);
        MX_TRY_ALLOC(in);
        w->in = in;
        w->room = n;
    }
    return MX_OK;
}

static int visit(struct walk *w, const struct mx_node *n)
{
    ox_val *out = MX_ARENA_ARRAY(&w->arena, ox_val, (size_t)n->n_out);
    MX_TRY_ALLOC(out);
    MX_TRY(make_room(w, n->n_in));
    w->values[n->id] = out;
    ox_begin_node(w->b, n);
    w->b->model->arena.budget->node = n->name;
    MX_TRY(mx_tick(w->b->model->arena.budget, MX_TICK_NODE));
    if (!n->op) {
        write_variable(w, n, out);
    } else if (gather_inputs(w, n, w->in)) {
        write_node(w, n, w->in, out);
    }
    const int status = ox_end_node(w->b);
    w->status = w->status == MX_OK ? status : w->status;
    return w->b->fatal;
}

/* ---- bodies */

void mx_lower_node(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct walk w = {.b = b};
    const struct mx_node *outer = b->node;
    b->node = n;
    write_node(&w, n, in, out);
    b->node = outer;
}

/* A node of a body is part of its outer node: an error ends the outer one. */
static void write_body_node(struct walk *w, const struct mx_node *n)
{
    ox_val *in = ox_scratch(w->b, (size_t)n->n_in, sizeof *in);
    ox_val *out = ox_scratch(w->b, (size_t)n->n_out, sizeof *out);
    w->values[n->id] = out;
    if (in && out && gather_inputs(w, n, in)) {
        mx_lower_node(w->b, n, in, out);
    }
}

static bool is_in(const struct mx_graph *g, const struct mx_node *n)
{
    return n->id < g->n_nodes && g->nodes[n->id] == n;
}

void mx_lower_body(struct ox_build *b, const struct mx_node *n, int k, const ox_val *in, ox_val *out)
{
    const struct mx_graph *body = n->subgraphs[k];
    struct walk w = {.g = body, .b = b};
    ox_val *given = ox_scratch(b, (size_t)body->n_inputs, sizeof *given);
    w.values = ox_scratch(b, (size_t)body->n_nodes, sizeof *w.values);
    for (int v = 0; v < body->n_inputs && !ox_failed(b); v++) {
        if (is_in(body, body->inputs[v])) { /* something reads it */
            given[v] = in[v];
            w.values[body->inputs[v]->id] = &given[v];
        }
    }
    for (int i = 0; i < body->n_nodes && !ox_failed(b); i++) {
        if (body->nodes[i]->op) {
            write_body_node(&w, body->nodes[i]);
        }
    }
    for (int i = 0; i < body->n_heads; i++) {
        out[i] = ox_failed(b) ? OX_NONE : w.values[body->heads[i].node->id][body->heads[i].index];
    }
}

/* ---- the whole graph */

/* The inputs first: zeros whose size was inferred from their reader may come before the input that has that size. */
static int write_nodes(struct walk *w)
{
    int status = MX_OK;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < w->g->n_nodes && status == MX_OK; i++) {
            const struct mx_node *n = w->g->nodes[i];
            const bool is_input = !n->op && !n->param;
            status = is_input == (turn == 0) ? visit(w, n) : MX_OK;
        }
    }
    mx_free(w->in);
    if (status == MX_OK) {
        w->b->model->arena.budget->node = NULL;
    }
    return status != MX_OK ? status : w->status;
}

static int write_graph(struct walk *w, const char *const *outputs)
{
    const struct mx_graph *g = w->g;
    w->values = MX_ARENA_ARRAY(&w->arena, ox_val *, (size_t)g->n_nodes);
    MX_TRY_ALLOC(w->values);
    MX_TRY(write_nodes(w));
    for (int i = 0; i < g->n_heads; i++) {
        ox_output(w->b, w->values[g->heads[i].node->id][g->heads[i].index], outputs[i]);
    }
    return w->b->fatal;
}

int mx_graph_lower(struct mx_graph *g, struct ox_build *b, const char *const *variables, const char *const *outputs)
{
    struct walk w = {.g = g, .b = b, .variables = variables, .arena = {.budget = b->model->arena.budget}};
    const int status = write_graph(&w, outputs);
    mx_arena_free(&w.arena);
    return status;
}
