/* Infers all shapes and types, to a fixed point (MXNet: src/executor/infer_graph_attr_pass.cc). */
#include "base/budget.h"
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "op/custom.h"
#include "op/op.h"
#include "op/registry.h"
#include "pass/pass.h"
#include "read/params.h"
#include "read/symbol.h"

/* No known net takes more than a few sweeps; a graph in which shapes travel back and forth could take as many as it has nodes. */
enum {
    MAX_SWEEPS = 64,      /* limit: sweeps over the graph that infer its shapes */
    MAX_VISITS = 1 << 20, /* limit: nodes that further sweeps visit, altogether */
};

/* ---- what is given for the inputs */

/* True if the axis has the name of axis 0, the batch, and the input is not a matrix. */
static bool is_called_batch(const struct mx_input_choice *choice, int axis)
{
    const char *batch = choice->ndim > 2 && axis > 0 ? choice->dim_names[0] : NULL;
    return batch && choice->dim_names[axis] && strcmp(batch, choice->dim_names[axis]) == 0;
}

/* As MXNet writes a size: 0 is unknown under legacy rules, -1 under NumPy's. */
static mx_dim written_dim(struct mx_graph *g, int64_t size)
{
    return size < 0 || (size == 0 && !g->np_shape) ? mx_dim_unknown(g->dims) : mx_dim_of(size);
}

static mx_dim chosen_dim(struct mx_graph *g, const struct mx_input_choice *choice, int axis)
{
    if (is_called_batch(choice, axis)) {
        return mx_dim_unknown(g->dims); /* check_same_names */
    }
    if (choice->dim_names[axis]) {
        return mx_dim_named(g->dims, choice->dim_names[axis]);
    }
    return written_dim(g, choice->dims[axis]);
}

static int declare_shape(struct mx_graph *g, struct mx_node *n, int output, const struct mx_input_choice *choice)
{
    const int64_t *hint = NULL;
    int ndim = choice ? choice->ndim : -1;
    if (ndim < 0) {
        MX_TRY(mx_is_variable(n) ? mx_variable_shape_hint(n, g->arena, &ndim, &hint) : MX_OK);
        if (ndim < 0 || (ndim == 0 && !g->np_shape)) {
            return MX_OK;
        }
    }
    mx_dim *dims = MX_ARENA_ARRAY(g->arena, mx_dim, (size_t)ndim);
    MX_TRY_ALLOC(dims);
    for (int i = 0; i < ndim; i++) {
        dims[i] = hint ? written_dim(g, hint[i]) : chosen_dim(g, choice, i);
    }
    n->out[output].shape = (struct mx_shape){ndim, dims};
    return MX_OK;
}

/* What is stated of an output of a node whose operator is unknown. "N_output1" is output 1 of N unless a node has that name: the nodes
 * are asked first. */
static int declare_output(struct mx_graph *g, struct mx_node *n, int output, const struct mx_map *choices)
{
    const char *name = output == 0 ? n->name : mx_arena_printf(g->arena, "%s_output%d", n->name, output);
    MX_TRY_ALLOC(name);
    struct mx_input_choice *choice = mx_map_get(choices, name);
    if (!choice || !choice->of_node || choice->used) {
        return MX_OK;
    }
    if (mx_input_preprocesses(choice)) {
        return mx_fail(g->diags, MX_INVALID_ARGUMENT, mx_at(n, NULL),
                       "the node is not an input, so nothing can be done to its values" MX_HELP "set a shape and a type alone");
    }
    MX_TRY(declare_shape(g, n, output, choice));
    n->out[output].dtype = choice->dtype;
    choice->used = true;
    return MX_OK;
}

static int declare_outputs(struct mx_graph *g, bool further, const struct mx_map *choices)
{
    for (int i = 0; i < g->n_nodes && mx_map_count(choices) > 0; i++) {
        struct mx_node *n = g->nodes[i];
        const int from = further ? 1 : 0, end = further ? n->n_out : 1;
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        for (int k = from; k < end && mx_op_is_unknown(n->op); k++) {
            MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
            MX_TRY(declare_output(g, n, k, choices));
        }
    }
    return MX_OK;
}

static int declare_inputs(struct mx_graph *g, const struct mx_map *choices)
{
    MX_TRY(declare_outputs(g, false, choices));
    MX_TRY(declare_outputs(g, true, choices));
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        if (!mx_is_variable(n) || n->param) {
            continue;
        }
        const struct mx_input_choice *choice = mx_map_get(choices, n->name);
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        MX_TRY(declare_shape(g, n, 0, choice));
        const enum mx_dtype chosen = choice ? mx_input_net_dtype(choice) : MX_DTYPE_NONE;
        n->out[0].dtype = chosen != MX_DTYPE_NONE ? chosen : mx_variable_dtype_hint(n);
    }
    return MX_OK;
}

/* The name of the batch at another axis is a slip, after which a runtime would expect a batch as large as the image; so the net must need
 * them to be equal. One name for height and width, or for both axes of a matrix, is a promise of the caller. */
static int check_same_names(struct mx_graph *g, const struct mx_map *choices)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        const struct mx_input_choice *choice = mx_is_variable(n) && !n->param ? mx_map_get(choices, n->name) : NULL;
        for (int k = 0; choice && k < choice->ndim; k++) {
            if (is_called_batch(choice, k) && !mx_dim_equal(g->dims, n->out[0].shape.dims[0], n->out[0].shape.dims[k])) {
                return mx_fail(g->diags, MX_SHAPE, mx_at(n, NULL),
                               "axes 0 and %d have the same name '%s', but the model does not need them to be equal" MX_HELP
                               "use two names",
                               k, choice->dim_names[k]);
            }
        }
    }
    return MX_OK;
}

/* ---- sweeps */

/* True if the node, which waits, may keep outputs of unknown rank: an operator that is kept, or one that is written alike whatever the
 * rank is. Its input, if that has no rank, is such an output, since the inputs of the model have one. */
static bool may_stay_open(const struct mx_node *n)
{
    bool typed = mx_unknown_of(n)->domain || n->op->any_rank;
    for (int k = 0; typed && k < n->n_out; k++) {
        typed = n->out[k].dtype != MX_DTYPE_NONE;
    }
    return typed;
}

struct sweep {
    struct mx_infer c;
    int later;                     /* rules that wait for facts */
    const struct mx_node *waiting; /* the first visited of their nodes */
    bool ever_changed;             /* in any sweep since the start */
    bool goes_on;                  /* after a node whose rule fails */
    const struct mx_node *changed; /* the last node with a new fact */
};

/* True if the known dims alone, without those of 0, make more elements than the maximum. */
static bool too_large(struct mx_dims *t, struct mx_shape shape)
{
    int64_t size, product = 1;
    for (int i = 0; i < shape.ndim; i++) {
        const int64_t dims[] = {product, mx_dim_known(t, shape.dims[i], &size) && size > 0 ? size : 1};
        if (!mx_elements(dims, 2, &product)) {
            return true;
        }
    }
    return false;
}

static int check_sizes(const struct mx_graph *g, const struct mx_node *n)
{
    for (int i = 0; i < n->n_out; i++) {
        if (too_large(g->dims, n->out[i].shape)) {
            struct mx_str text = {0};
            mx_shape_format(g->dims, n->out[i].shape, &text);
            const char *const shape = text.text ? text.text : "?";
            const int status =
                mx_fail(g->diags, MX_TOO_LARGE, mx_at(n, NULL),
                        "the shape %s has more than 2^53 elements, sizes of 0 not counted" MX_HELP "check the shapes of the inputs", shape);
            mx_str_free(&text);
            return status;
        }
    }
    return MX_OK;
}

static int visit(struct sweep *s, struct mx_node *n)
{
    MX_TRY(mx_tick(s->c.graph->arena->budget, MX_TICK_NODE + MX_TICK_ITEM * (uint64_t)n->n_in));
    if (!n->op) {
        return check_sizes(s->c.graph, n);
    }
    s->c.node = n;
    s->c.attrs = n->attrs;
    s->c.needs_rank = false;
    const int status = mx_infer_node(&s->c);
    mx_arena_clear(s->c.scratch);
    s->changed = s->c.changed ? n : s->changed;
    if (status == MX_LATER) {
        const bool waits = !s->c.last || s->c.needs_rank || !may_stay_open(n);
        s->waiting = waits && s->later == 0 ? n : s->waiting;
        s->later += waits;
    } else if (status != MX_OK) {
        return s->goes_on ? mx_budget_status(s->c.arena->budget) : status;
    }
    const int sizes = check_sizes(s->c.graph, n);
    return s->goes_on ? mx_budget_status(s->c.arena->budget) : sizes;
}

static int visit_all(struct sweep *s, bool backward)
{
    const struct mx_graph *g = s->c.graph;
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(visit(s, g->nodes[backward ? g->n_nodes - 1 - i : i]));
    }
    return mx_dims_check(g->dims, g->diags);
}

/* The scratch is its own: a body is inferred while the rule of its node runs. */
static int sweep(struct sweep *s, bool backward)
{
    struct mx_arena scratch = {.budget = s->c.arena->budget};
    s->c.scratch = &scratch;
    s->later = 0;
    s->c.changed = false;
    const int status = visit_all(s, backward);
    mx_arena_free(&scratch);
    s->c.scratch = NULL;
    return status;
}

static int sweep_until_stable(struct sweep *s)
{
    const int most = MAX_SWEEPS + MAX_VISITS / (s->c.graph->n_nodes + 1);
    for (int round = 0; round < most; round++) {
        MX_TRY(sweep(s, round % 2 == 1));
        if (!s->c.changed) {
            return MX_OK;
        }
        s->ever_changed = true;
    }
    return mx_fail(s->c.graph->diags, MX_TOO_LARGE, mx_at(s->changed, NULL),
                   "shapes are still changing here after %d passes over the graph" MX_HELP "set the shapes of more inputs", most);
}

int mx_infer_body(struct mx_infer *c, int k)
{
    struct sweep s = {.c = *c};
    s.c.graph = c->node->subgraphs[k];
    MX_TRY(sweep_until_stable(&s));
    c->changed |= s.ever_changed;
    return s.later > 0 ? MX_LATER : MX_OK;
}

int mx_infer_condition(struct mx_infer *c, int k)
{
    const struct mx_value *head = mx_body_head(c, k, 0);
    MX_TRY(mx_infer_body(c, k));
    for (int i = 0; i < head->shape.ndim; i++) {
        int64_t size;
        if (mx_dim_known(c->dims, head->shape.dims[i], &size) && size != 1) {
            return mx_infer_fail(c, NULL, "axis %d of the condition has size %lld, but the condition must have one element", i,
                                 (long long)size);
        }
    }
    return MX_OK;
}

/* ---- what stays open */

/* A name promises a single size, so each dim gets a name that no other dim has; dims that inference found equal are one unknown. Axis
 * 0 of the first input with an open one is called "batch". */
static int name_open_dims(struct mx_graph *g, struct mx_node *n, bool *has_batch, bool *changed)
{
    const struct mx_shape s = n->out[0].shape;
    for (int i = 0; i < s.ndim; i++) {
        if (!mx_dim_is_unknown(g->dims, s.dims[i])) {
            continue;
        }
        const bool batch = i == 0 && !*has_batch;
        const char *name = batch ? "batch" : mx_arena_printf(g->arena, "%s_dim%d", n->name, i);
        *has_batch = *has_batch || batch;
        name = mx_dim_bind_name(g->dims, s.dims[i], name);
        MX_TRY(mx_dims_check(g->dims, g->diags));
        mx_note(g->diags, mx_at(n, NULL), "the model does not fix dimension %d, so it is dynamic and called '%s'", i, name);
        *changed = true;
    }
    return MX_OK;
}

static int settle_input(struct mx_graph *g, struct mx_node *n, bool *has_batch, bool *changed)
{
    MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
    MX_TRY(name_open_dims(g, n, has_batch, changed));
    if (n->out[0].dtype == MX_DTYPE_NONE) {
        n->out[0].dtype = MX_FLOAT32;
        *changed = true;
    }
    return MX_OK;
}

/* Names the open dims of at most `most` inputs. */
static int settle_inputs(struct mx_graph *g, int most, bool *has_batch, bool *changed)
{
    for (int i = 0; i < g->n_nodes && most > 0; i++) {
        struct mx_node *n = g->nodes[i];
        bool settled = false;
        if (mx_is_variable(n) && !n->param) {
            MX_TRY(settle_input(g, n, has_batch, &settled));
        }
        most -= settled;
        *changed = *changed || settled;
    }
    return MX_OK;
}

/* A parameter stored with a size 0, or a dim that only inference knew, would appear here; data-dependent sizes are named after their
 * node. */
static int name_data_dims(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        for (int k = 0; k < n->n_out; k++) {
            for (int d = 0; d < n->out[k].shape.ndim; d++) {
                if (mx_dim_is_unknown(g->dims, n->out[k].shape.dims[d])) {
                    const char *name = k == 0 ? mx_arena_printf(g->arena, "%s_dim%d", n->name, d)
                                              : mx_arena_printf(g->arena, "%s_output%d_dim%d", n->name, k, d);
                    (void)mx_dim_bind_name(g->dims, n->out[k].shape.dims[d], name);
                    MX_TRY(mx_dims_check(g->dims, g->diags));
                }
            }
        }
    }
    return MX_OK;
}

/* ---- what is missing */

static bool has_open_input(const struct mx_graph *g)
{
    bool open = false;
    for (int i = 0; i < g->n_nodes && !open; i++) {
        open = mx_is_variable(g->nodes[i]) && g->nodes[i]->out[0].shape.ndim < 0;
    }
    return open;
}

/* The first input of unknown rank is the cause of everything that waits. */
static int fail_open_input(struct mx_graph *g)
{
    enum { LOOKS = 8 }; /* each goes through the whole graph */
    int status = MX_OK, failed = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        if (mx_is_variable(n) && n->out[0].shape.ndim < 0) {
            status = mx_graph_fail_open(g, n, failed++ < LOOKS);
        }
    }
    return status;
}

static const struct mx_entry *open_input(const struct sweep *s, const struct mx_node *n)
{
    for (int k = 0; k < n->n_in; k++) {
        const struct mx_entry e = n->in[k];
        if (mx_shape_has_unknown(s->c.dims, e.node->out[e.index].shape)) {
            return &n->in[k];
        }
    }
    return NULL;
}

/* Reports what the rules after a kept operator are waiting for. */
static int fail_kept(struct mx_graph *g, const struct mx_node *reader, struct mx_entry e)
{
    const struct mx_node *n = e.node;
    const char *name = e.index == 0 ? n->name : mx_arena_printf(g->arena, "%s_output%d", n->name, e.index);
    MX_TRY_ALLOC(name);
    return mx_fail(g->diags, MX_SHAPE, mx_at(n, NULL),
                   "the shape of output '%s' of this operator is unknown, but node '%s' (%s) needs it" MX_HELP
                   "set it with mx2onnx_set_input_shape: %s=DIMS, "
                   "or cut the graph before it with mx2onnx_add_output",
                   name, reader->name, reader->op_name, name);
}

/* Its inputs are known, so it is for the handler to declare what it writes. */
static int fail_handler(struct mx_graph *g, const struct mx_node *n)
{
    int k = 0;
    while (k + 1 < n->n_out && n->out[k].shape.ndim >= 0 && n->out[k].dtype != MX_DTYPE_NONE) {
        k++;
    }
    return mx_fail(g->diags, MX_SHAPE, mx_at(n, NULL),
                   "the infer function of its handler does not declare the %s of output %d" MX_HELP "declare both, shape and type",
                   n->out[k].shape.ndim < 0 ? "shape" : "type", k);
}

/* The first node that waits is the one to name, or the kept operator before it, from which nodes of unknown rank may lead to it. */
static int fail_waiting(struct sweep *s)
{
    struct mx_graph *g = s->c.graph;
    MX_TRY(fail_open_input(g));
    const struct mx_node *n = s->waiting;
    const struct mx_entry *e = open_input(s, n);
    while (e && !mx_unknown_of(e->node)->domain) {
        e = open_input(s, e->node); /* of an earlier node */
    }
    if (n->handled && !open_input(s, n)) {
        return fail_handler(g, n);
    }
    return e ? fail_kept(g, s->waiting, *e)
             : mx_fail(g->diags, MX_SHAPE, mx_at(n, NULL),
                       "the shape or type of its output is unknown" MX_HELP "set the shapes of the model's inputs");
}

/* ONNX Runtime takes an output without a shape; onnx.checker requires one. */
static int warn_of_heads(struct mx_graph *g)
{
    for (int i = 0; i < g->n_heads; i++) {
        const struct mx_entry e = g->heads[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        if (e.node->out[e.index].shape.ndim < 0) {
            mx_warn(g->diags, mx_at(e.node, NULL),
                    "the shape of this output is unknown, so the model does not have it, which ONNX Runtime takes and onnx.checker does "
                    "not" MX_HELP "set the shape of the unknown operator before it with mx2onnx_set_input_shape: NODE=DIMS");
        }
    }
    return MX_OK;
}

static int sweep_on(struct mx_graph *g)
{
    struct sweep s = {.c = {.graph = g, .dims = g->dims, .arena = g->arena}, .goes_on = true};
    MX_TRY(sweep_until_stable(&s));
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        if (mx_is_variable(n) && n->out[0].dtype == MX_DTYPE_NONE) {
            n->out[0].dtype = MX_FLOAT32;
        }
    }
    return sweep_until_stable(&s);
}

int mx_graph_infer_known(struct mx_graph *g, const struct mx_map *choices)
{
    const struct mx_diags kept = mx_diags_mute(g->diags);
    const int declared = choices ? declare_inputs(g, choices) : MX_OK;
    if (declared == MX_OK) {
        (void)!sweep_on(g);
    }
    mx_diags_unmute(g->diags, kept);
    return mx_budget_status(g->arena->budget);
}

static int infer_all(struct mx_graph *g, const struct mx_map *choices)
{
    MX_TRY(declare_inputs(g, choices));
    struct sweep s = {.c = {.graph = g, .dims = g->dims, .arena = g->arena}};
    /* Naming the dims of one input may determine another's, so inference runs again after the first, then after twice as many, and so
     * on: running it after each one would take quadratic time on a graph with many inputs. */
    bool has_batch = false, changed = true;
    for (int most = 1; changed; most = most < g->n_nodes ? 2 * most : most) {
        changed = false;
        MX_TRY(sweep_until_stable(&s));
        MX_TRY(check_same_names(g, choices));
        MX_TRY(settle_inputs(g, most, &has_batch, &changed));
    }
    s.c.last = true;
    s.c.open_input = has_open_input(g);
    MX_TRY(sweep(&s, false));
    if (s.later > 0) {
        return fail_waiting(&s);
    }
    MX_TRY(fail_open_input(g));
    MX_TRY(warn_of_heads(g));
    return name_data_dims(g);
}

/* A file next to the model may be another model's. */
static void name_shape_files(const struct mx_graph *g, const struct mx_map *choices, bool failed)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        mx_count_work(g->arena->budget, MX_TICK_ITEM);
        const char *file = mx_is_variable(n) && !n->param ? mx_node_attr_text(n, MX_SHAPE_FILE) : NULL;
        const struct mx_input_choice *choice = file ? mx_map_get(choices, n->name) : NULL;
        if (!file || (choice && choice->ndim >= 0)) {
            continue;
        }
        if (failed) {
            mx_warn(g->diags, mx_named(n->name),
                    "its shape is taken from '%s', and may be another model's" MX_HELP
                    "set the shape of this one with mx2onnx_set_input_shape",
                    file);
        } else {
            mx_note(g->diags, mx_named(n->name), "its shape is taken from '%s', unless another one is set", file);
        }
    }
}

int mx_graph_infer(struct mx_graph *g, const struct mx_map *choices)
{
    const int status = infer_all(g, choices);
    name_shape_files(g, choices, status == MX_SHAPE);
    if (status == MX_OK || mx_budget_status(g->arena->budget) != MX_OK) {
        return status;
    }
    MX_TRY(mx_graph_infer_known(g, NULL)); /* for those who look for the fault */
    return status;
}
