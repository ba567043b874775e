/* Turns the file's graph into one that can be inferred. */
#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "op/absent.h"
#include "op/custom.h"
#include "op/registry.h"
#include "pass/pass.h"

/* ---- labels and losses
 *
 * Labels are recognised by the graph, not by name: an input that nothing reads at inference is a label. */

enum { PREDICTED = 1, NEEDS_LABEL = 2, NEEDS_TRAINING = 4, WEIGHT = 8, LOSS = 16, OF_LOSS = 32 /* a loss, or made from one alone */ };

/* For each node, by its place: the variable without a value that feeds it alone, or through nodes with a single input. */
static int find_sources(struct mx_graph *g, const struct mx_params *params, struct mx_node **source)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        if (mx_is_variable(n)) {
            source[i] = mx_params_of(params, n->name) ? NULL : n;
        } else if (n->n_in == 1) {
            source[i] = source[n->in[0].node->id];
        }
    }
    return MX_OK;
}

static uint32_t unread_inputs(const struct mx_node *n)
{
    return n->op ? mx_op_inputs_with(n->op, MX_UNREAD) : 0;
}

/* Marks the nodes that read a label for anything but a loss: the margin of a face recogniser. A label is what feeds an unread input. */
static int mark_label_readers(struct mx_graph *g, const struct mx_params *params, bool *any)
{
    struct mx_node **source = MX_ARENA_ARRAY(g->arena, struct mx_node *, (size_t)g->n_nodes);
    uint8_t *is_label = MX_ARENA_ARRAY(g->arena, uint8_t, (size_t)g->n_nodes);
    MX_TRY_ALLOC(source && is_label);
    MX_TRY(find_sources(g, params, source));
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        const uint32_t unread = unread_inputs(n);
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        for (int k = 0; unread && k < n->n_in; k++) {
            const struct mx_node *label = mx_has_bit(unread, k) ? source[n->in[k].node->id] : NULL;
            if (label) {
                is_label[label->id] = 1;
                *any = true;
            }
        }
    }
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->mark = is_label[i] ? NEEDS_LABEL : 0;
    }
    for (int i = 0; *any && i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        const uint32_t unread = unread_inputs(n);
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        for (int k = 0; k < n->n_in; k++) {
            n->mark |= mx_has_bit(unread, k) ? 0 : n->in[k].node->mark;
        }
    }
    return MX_OK;
}

/* Drops the heads that need a label as data, if there are others: InsightFace saves the embedding next to the softmax of the margin. */
static int drop_heads_with_labels(struct mx_graph *g, const struct mx_params *params)
{
    int without = 0, kept = 0;
    bool any = false;
    MX_TRY(mark_label_readers(g, params, &any));
    for (int i = 0; i < g->n_heads; i++) {
        without += !g->heads[i].node->mark;
    }
    g->needs_labels = any && without == 0;
    for (int i = 0; any && without > 0 && i < g->n_heads; i++) {
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        if (g->heads[i].node->mark) {
            mx_note(g->diags, mx_at(g->heads[i].node, NULL), "the output needs a label, so it exists for training only and is left out");
        } else {
            g->heads[kept++] = g->heads[i];
        }
    }
    g->n_heads = kept > 0 ? kept : g->n_heads;
    return MX_OK;
}

static int cut_labels(struct mx_graph *g)
{
    bool cut = false;
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        const uint32_t unread = unread_inputs(n);
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_VALUE));
        while (n->n_in > 0 && mx_has_bit(unread, n->n_in - 1)) {
            n->n_in--;
            cut = true;
        }
    }
    return cut ? mx_graph_sort(g) : MX_OK;
}

/* True if there is a loss, or anything needed in training only. Most models have none. */
static bool has_training(const struct mx_graph *g)
{
    bool any = false;
    for (int i = 0; i < g->n_nodes && !any; i++) {
        const struct mx_op *op = g->nodes[i]->op;
        any = op && (op->loss || op->training_only);
    }
    return any;
}

/* True for a pure loss, with no prediction in it. SoftmaxOutput and similar operators are not; their label is simply unread.
 * `passed_on`: also anything made from a loss alone, such as Reshape(MakeLoss(...)). */
static bool is_loss(const struct mx_node *n, bool passed_on)
{
    return n->mark & (passed_on ? OF_LOSS : LOSS);
}

/* Marks what predictions read; nodes are in topological order, so one backward walk is enough. */
static int mark_predicted(struct mx_graph *g, bool passed_on, int *n_predictions)
{
    *n_predictions = 0;
    for (int i = 0; i < g->n_heads; i++) {
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        if (!is_loss(g->heads[i].node, passed_on) && !(g->heads[i].node->mark & NEEDS_TRAINING)) {
            g->heads[i].node->mark |= PREDICTED;
            *n_predictions += 1;
        }
    }
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        MX_TRY(mx_tick_parts(g->arena->budget, (size_t)g->nodes[i]->n_in));
        for (int k = 0; k < g->nodes[i]->n_in; k++) {
            g->nodes[i]->in[k].node->mark |= g->nodes[i]->mark & PREDICTED;
        }
    }
    return MX_OK;
}

static int mark_needs(struct mx_graph *g, int need)
{
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick_parts(g->arena->budget, (size_t)g->nodes[i]->n_in));
        for (int k = 0; k < g->nodes[i]->n_in; k++) {
            g->nodes[i]->mark |= g->nodes[i]->in[k].node->mark & need;
        }
    }
    return MX_OK;
}

/* A weight without a value is not a label: a symbol may be looked at without its parameters. */
static void mark_weights(const struct mx_node *n)
{
    const uint32_t weights = n->op ? mx_op_inputs_with(n->op, MX_LEARNED) | mx_op_inputs_with(n->op, MX_AUX) : 0;
    for (int k = 0; weights && k < n->n_in; k++) {
        n->in[k].node->mark |= mx_has_bit(weights, k) ? WEIGHT : 0;
    }
}

/* Marks each node for what it is itself, and its weights. */
static int mark_kinds(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick_parts(g->arena->budget, (size_t)n->n_in));
        n->mark = n->op && n->op->training_only ? NEEDS_TRAINING : 0; /* its readers come later */
        if (n->op && n->op->loss) {
            n->mark |= LOSS | OF_LOSS;
        } else if (n->op && n->n_in == 1) {
            n->mark |= n->in[0].node->mark & OF_LOSS;
        }
        mark_weights(n);
    }
    return MX_OK;
}

static int drop_training_heads(struct mx_graph *g, const struct mx_params *params)
{
    int n_predictions;
    if (!has_training(g)) {
        return MX_OK;
    }
    MX_TRY(mark_kinds(g));
    MX_TRY(mark_needs(g, NEEDS_TRAINING));
    /* If all outputs depend on losses only (BlockGrad(MakeLoss(softmax)) is one way to show a prediction), only bare losses are cut. */
    MX_TRY(mark_predicted(g, true, &n_predictions));
    const bool passed_on = n_predictions > 0;
    MX_TRY(mark_predicted(g, passed_on, &n_predictions));
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        if (mx_is_variable(n) && !(n->mark & (PREDICTED | WEIGHT)) && !mx_params_of(params, n->name)) {
            n->mark |= NEEDS_LABEL;
        }
    }
    MX_TRY(mark_needs(g, NEEDS_LABEL));
    int kept = 0;
    for (int i = 0; i < g->n_heads; i++) {
        const struct mx_node *n = g->heads[i].node;
        if ((n->mark & NEEDS_TRAINING) || (n_predictions > 0 && is_loss(n, passed_on) && (n->mark & NEEDS_LABEL))) {
            mx_note(g->diags, mx_at(n, NULL), "the output exists for training only and is left out");
        } else {
            g->heads[kept++] = g->heads[i];
        }
    }
    if (kept == 0) {
        return mx_fail(g->diags, MX_UNSUPPORTED, mx_at(g->heads[0].node, NULL),
                       "all outputs of the model exist for training only" MX_HELP "choose an inner output with mx2onnx_add_output");
    }
    const bool dropped = kept < g->n_heads;
    g->n_heads = kept;
    return dropped ? mx_graph_sort(g) : MX_OK;
}

/* ---- operators and attributes */

/* The handler of a node: of one whose operator the library knows only if it overrides. */
static struct mx_custom *handler_of(const struct mx_graph *g, const struct mx_node *n)
{
    struct mx_custom *custom = g->customs->count > 0 ? mx_custom_called(g->customs, n->op ? n->op_name : mx_custom_name(n)) : NULL;
    custom = custom || !n->op ? custom : mx_custom_called(g->customs, n->op->name);
    return custom && (!n->op || custom->overrides) ? custom : NULL;
}

/* ": it is ..." for what is known of an operator that is not converted. */
static const char *origin_of(const char *name)
{
    static const char *const known[][2] = {
#define ROW(name, why, help) {name, ": " why},
        MX_ABSENT_OPERATORS(ROW)
#undef ROW
    };
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i][0], name) != 0) {
        i++;
    }
    return i < sizeof known / sizeof *known ? known[i][1] : "";
}

/* The name of a handler that no node has had yet, which may be misspelt; NULL if there is none. */
static const char *handler_without_use(const struct mx_customs *customs)
{
    const struct mx_custom *c = customs->first;
    while (c && (c->used || !c->lower)) {
        c = c->next;
    }
    return c ? c->name : NULL;
}

/* A node whose operator the library does not know: the caller's handler becomes its operator, or the caller keeps the node. */
static int resolve_unknown(struct mx_graph *g, struct mx_node *n, struct mx_custom *custom)
{
    MX_TRY(mx_custom_sort_attrs(n, g->arena));
    const bool handled = custom && custom->lower;
    if (handled || g->keep_domain) {
        struct mx_unknown *unknown = MX_ARENA_NEW(g->arena, struct mx_unknown);
        MX_TRY_ALLOC(unknown);
        *unknown = (struct mx_unknown){custom, handled ? NULL : g->keep_domain};
        n->attrs = unknown;
        n->handled = custom;
        if (custom) {
            custom->used = true;
        }
        n->op = custom ? &mx_op_custom : &mx_op_kept;
    } else if (custom) {
        return mx_fail(g->diags, MX_UNSUPPORTED, mx_at(n, NULL),
                       "the handler of '%s' has no lower function" MX_HELP
                       "set one, or set a domain to keep the operator (MX2ONNX_TEXT_UNKNOWN_DOMAIN)",
                       mx_custom_name(n));
    } else if (mx_node_attr_text(n, "func_name") && mx_node_attr_text(n, "flatten_data")) {
        return mx_fail(g->diags, MX_UNSUPPORTED, mx_at(n, NULL),
                       "this is a function that TVM compiled, as SageMaker Neo does, and not an operator of MXNet" MX_HELP
                       "convert the model from "
                       "before the compilation");
    } else {
        const char *other = handler_without_use(g->customs);
        return mx_fail(g->diags, MX_UNSUPPORTED, mx_at(n, NULL),
                       "the operator '%s' is unknown%s%s%s%s" MX_HELP
                       "register a handler with mx2onnx_set_custom_operator, keep it in a custom domain "
                       "(MX2ONNX_TEXT_UNKNOWN_DOMAIN), or cut the graph before it with mx2onnx_add_output",
                       mx_custom_name(n), origin_of(n->op_name), other ? ", and the handler of '" : "", other ? other : "",
                       other ? "' is for another one" : "");
    }
    if (n->op == &mx_op_kept) {
        mx_note(g->diags, mx_at(n, NULL), "the operator is unknown and was kept in the domain '%s', with %s", g->keep_domain,
                n->n_in > 0 ? "the type of its first input for its outputs" : "float32 for its outputs");
    }
    return MX_OK;
}

static int check_operators(struct mx_graph *g)
{
    int status = MX_OK;
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        struct mx_custom *custom = mx_is_variable(n) ? NULL : handler_of(g, n);
        if (custom || (!n->op && !mx_is_variable(n))) {
            const int s = resolve_unknown(g, n, custom);
            status = s != MX_OK ? s : status;
        }
    }
    return status;
}

/* The number of outputs of a kept operator is unknown: it has those that are read. */
static void count_kept_outputs(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->mark = 1;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_in; k++) {
            const struct mx_entry e = g->nodes[i]->in[k];
            e.node->mark = e.index >= e.node->mark ? e.index + 1 : e.node->mark;
        }
    }
    for (int i = 0; i < g->n_heads; i++) {
        const struct mx_entry e = g->heads[i];
        e.node->mark = e.index >= e.node->mark ? e.index + 1 : e.node->mark;
    }
}

static int check_inputs(struct mx_graph *g, const struct mx_node *n)
{
    if (mx_unknown_of(n)->domain) {
        return MX_OK;
    }
    int want = mx_op_n_inputs(n->op, n->attrs);
    const uint32_t unread = mx_op_inputs_with(n->op, MX_UNREAD);
    while (want > 0 && mx_has_bit(unread, want - 1)) {
        want--;
    }
    if (want >= 0 ? n->n_in == want : n->n_in >= -want) {
        return MX_OK;
    }
    return mx_fail(g->diags, MX_FORMAT, mx_at(n, NULL), "the node has %d input%s, but %s needs %s%d", n->n_in, n->n_in == 1 ? "" : "s",
                   n->op_name, want < 0 ? "at least " : "", want < 0 ? -want : want);
}

/* 0 if the handler reported an error, whatever it returns. */
static int count_outputs(const struct mx_graph *g, const struct mx_node *n, const struct mx_custom *custom)
{
    struct mx2onnx_node node = {.n = n, .diags = g->diags};
    const size_t errors = g->diags->errors;
    const size_t count = custom->count_outputs ? custom->count_outputs(&node, custom->user) : (size_t)custom->n_outputs;
    return g->diags->errors > errors ? 0 : count <= MX_MAX_OUTPUTS ? (int)count : MX_MAX_OUTPUTS + 1;
}

static int resolve(struct mx_graph *g, struct mx_node *n)
{
    n->n_out = 1;
    if (n->op) {
        if (n->op->attrs) {
            MX_TRY(mx_attrs_parse(n, g->arena, g->diags, &n->attrs));
        }
        MX_TRY(check_inputs(g, n));
        const struct mx_unknown *unknown = mx_unknown_of(n);
        const size_t errors = g->diags->errors;
        n->n_out = unknown->custom ? count_outputs(g, n, unknown->custom) : unknown->domain ? n->mark : mx_op_n_outputs(n->op, n->attrs);
        if (g->diags->errors > errors) {
            return MX_UNSUPPORTED;
        }
        if (n->n_out < 1 || n->n_out > MX_MAX_OUTPUTS) {
            return mx_fail(g->diags, n->n_out < 1 ? MX_FORMAT : MX_TOO_LARGE, mx_at(n, NULL),
                           "the node would have %d outputs, but must have 1 to %d", n->n_out, MX_MAX_OUTPUTS);
        }
    }
    n->out = MX_ARENA_ARRAY(g->arena, struct mx_value, (size_t)n->n_out);
    MX_TRY_ALLOC(n->out);
    for (int i = 0; i < n->n_out; i++) {
        n->out[i] = (struct mx_value){MX_SHAPE_UNKNOWN, MX_DTYPE_NONE};
    }
    return MX_OK;
}

static int check_entry(struct mx_graph *g, const struct mx_node *reader, struct mx_entry e)
{
    if (e.index < e.node->n_out) {
        return MX_OK;
    }
    return mx_fail(g->diags, MX_FORMAT, mx_at(reader, NULL), "output %d of node '%s' (%s) does not exist: the node has %d output%s",
                   e.index, e.node->name, e.node->op_name, e.node->n_out, e.node->n_out == 1 ? "" : "s");
}

/* Goes through all nodes, so that one run shows every defect; the first status counts. */
static int resolve_nodes(struct mx_graph *g)
{
    int status = MX_OK;
    count_kept_outputs(g);
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        const int s = resolve(g, g->nodes[i]);
        status = status == MX_OK ? s : status;
        if (s == MX_OUT_OF_MEMORY) {
            return s;
        }
    }
    for (int i = 0; status == MX_OK && i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_in; k++) {
            MX_TRY(check_entry(g, g->nodes[i], g->nodes[i]->in[k]));
        }
    }
    for (int i = 0; status == MX_OK && i < g->n_heads; i++) {
        MX_TRY(check_entry(g, g->heads[i].node, g->heads[i]));
    }
    return status;
}

/* ---- bodies of control flow: the same steps, without parameters and names */

static int canon_bodies(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        for (int k = 0; k < g->nodes[i]->n_subgraphs; k++) {
            struct mx_graph *body = g->nodes[i]->subgraphs[k];
            for (int v = 0; v < body->n_inputs; v++) {
                MX_TRY(resolve(body, body->inputs[v])); /* even one that no head reaches: it counts as an input */
            }
            MX_TRY(mx_graph_sort(body));
            MX_TRY(check_operators(body));
            MX_TRY(resolve_nodes(body));
            MX_TRY(canon_bodies(body));
            MX_TRY(mx_graph_check(body, false));
        }
    }
    return MX_OK;
}

/* ---- parameters */

static void mark_used(struct mx_param *p)
{
    p->used = true;
    for (size_t i = 0; i < p->n_parts; i++) {
        p->parts[i]->used = true;
    }
}

static int attach_params(struct mx_graph *g, const struct mx_params *params)
{
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_ITEM));
        struct mx_param *p = mx_is_variable(n) ? mx_params_of(params, n->name) : NULL;
        if (!p) {
            continue;
        }
        mx_dim *dims = MX_ARENA_ARRAY(g->arena, mx_dim, (size_t)p->ndim);
        MX_TRY_ALLOC(dims);
        for (int k = 0; k < p->ndim; k++) {
            dims[k] = mx_dim_of(p->dims[k]);
        }
        mark_used(p);
        n->param = p;
        n->stored = (int8_t)p->dtype;
        n->out[0] = (struct mx_value){{p->ndim, dims}, p->dtype};
    }
    return MX_OK;
}

/* ---- names */

static const char *invented_stem(struct mx_graph *g, const struct mx_node *n)
{
    char *stem = mx_arena_strdup(g->arena, n->op_name);
    for (char *p = stem; p && *p; p++) {
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    }
    return stem;
}

static int name_node(struct mx_graph *g, struct mx_map *taken, struct mx_node *n)
{
    const char *stem = n->name[0] ? n->name : invented_stem(g, n);
    const char *name = stem;
    MX_TRY_ALLOC(stem);
    MX_TRY(mx_map_unique(taken, g->arena, stem, &name));
    if (n->name[0] && name != stem) {
        mx_note(g->diags, mx_at(n, NULL), "two nodes have this name, so a number was appended to one");
    }
    n->name = name;
    return MX_OK;
}

/* In order of rank, the first to come keeps its name: inputs and parameters, then outputs, then the rest. */
enum { RANK_VARIABLE, RANK_HEAD, RANK_INNER, RANKS };

static void rank_nodes(struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        mx_count_work(g->arena->budget, MX_TICK_ITEM);
        g->nodes[i]->mark = mx_is_variable(g->nodes[i]) ? RANK_VARIABLE : RANK_INNER;
    }
    for (int i = 0; i < g->n_heads; i++) {
        struct mx_node *n = g->heads[i].node;
        n->mark = n->mark == RANK_INNER ? RANK_HEAD : n->mark;
    }
}

static int unique_names(struct mx_graph *g)
{
    struct mx_map taken = {.arena = {.budget = g->arena->budget}};
    int status = MX_OK;
    rank_nodes(g);
    for (int rank = RANK_VARIABLE; rank < RANKS; rank++) {
        for (int i = 0; status == MX_OK && i < g->n_nodes; i++) {
            status = mx_tick(g->arena->budget, g->nodes[i]->mark == rank ? MX_TICK_NODE : MX_TICK_ITEM);
            if (status == MX_OK && g->nodes[i]->mark == rank) {
                status = name_node(g, &taken, g->nodes[i]);
            }
        }
    }
    mx_map_free(&taken);
    return status;
}

/* Two inputs with the same name cannot both be fed; two variables for the same parameter can. */
static int check_input_names(struct mx_graph *g)
{
    struct mx_map seen = {.arena = {.budget = g->arena->budget}};
    int status = MX_OK;
    for (int i = 0; status == MX_OK && i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        status = mx_tick(g->arena->budget, MX_TICK_ITEM);
        if (status != MX_OK || !mx_is_variable(n) || n->param || !n->name[0]) {
            continue;
        }
        if (mx_map_get(&seen, n->name)) {
            status = mx_fail(g->diags, MX_FORMAT, mx_at(n, NULL), "two inputs of the model have this name");
        } else {
            status = mx_map_set(&seen, n->name, n);
        }
    }
    mx_map_free(&seen);
    return status;
}

int mx_graph_canon(struct mx_graph *g, const struct mx_params *params)
{
    const int n_heads = g->n_heads;
    MX_TRY(mx_graph_sort(g));
    MX_TRY(drop_heads_with_labels(g, params));
    MX_TRY(cut_labels(g));
    MX_TRY(drop_training_heads(g, params));
    g->settled = true;
    g->lost_heads = g->n_heads < n_heads;
    MX_TRY(check_operators(g));
    MX_TRY(resolve_nodes(g));
    MX_TRY(canon_bodies(g));
    g->attached = true;
    MX_TRY(attach_params(g, params));
    MX_TRY(check_input_names(g));
    MX_TRY(unique_names(g));
    return mx_graph_check(g, false);
}
