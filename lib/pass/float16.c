/* Converts float32 to float16: decides which nodes compute in float16, and adds casts where the types meet.
 *
 * A node is converted by asking its own rule: its float32 inputs are presented as float16, and the rule states the types of the outputs,
 * and which inputs it needs in float32 nevertheless (BatchNorm its statistics). So an operator is written as for one of MXNet's float16
 * models. Besides what the caller asks for, these stay float32:
 *
 * - operators that say so (mx_op.single), control flow, operators with handlers, and anything the rule refuses in float16;
 * - positions and counts: from operators that give them (mx_op.positions) up to those that read them (MX_EXACT) or make integers, and,
 *   until a learned weight is read, also values computed from ranges (masks of lengths).
 *
 * A variable is float16 if all its readers are. */
#include <string.h>

#include "base/budget.h"
#include "base/str.h"
#include "op/registry.h"
#include "pass/pass.h"

/* What happens to a node. */
struct fate {
    bool learned;            /* it reads a weight */
    bool opaque;             /* precision does not pass through it: what comes after says nothing about what is before */
    bool counts;             /* it makes integers of all its inputs */
    uint32_t exact_inputs;   /* these inputs are read as positions, by bit */
    bool keep;               /* the caller asked to keep the node float32 */
    bool convert;            /* or not to, despite mx_op.single */
    bool exact;              /* its output is used as positions */
    bool deep;               /* a learned weight has been read */
    bool positional;         /* it is computed from positions */
    bool shallow;            /* or may be, as long as it is not deep */
    enum mx_dtype *in, *out; /* types in which its inputs are read and its outputs written */
    struct mx_node **casts;  /* for each output, a cast to the other of the two types; NULL: not needed */
};

struct half {
    struct mx_graph *g;
    const struct mx_half_options *o;
    struct fate *fates; /* indexed by node id */
};

static struct fate *fate_of(const struct half *h, const struct mx_node *n)
{
    return &h->fates[n->id];
}

static bool in_is_float(const struct mx_node *n, int k)
{
    return mx_in_value(n, k)->dtype == MX_FLOAT32;
}

static bool gives_integers(const struct mx_node *n)
{
    bool any = false;
    for (int k = 0; k < n->n_out; k++) {
        any = any || mx_dtype_is_integer(n->out[k].dtype);
    }
    return any;
}

static bool reads_exactly(const struct fate *f, int k)
{
    return f->counts || mx_has_bit(f->exact_inputs, k);
}

/* Notes what each operator is, which is asked for each of its inputs. */
static int read_operators(struct half *h)
{
    for (int i = 0; i < h->g->n_nodes; i++) {
        const struct mx_node *n = h->g->nodes[i];
        struct fate *f = fate_of(h, n);
        MX_TRY(mx_tick_parts(h->g->arena->budget, (size_t)n->n_out));
        if (n->op) {
            f->learned = mx_op_inputs_with(n->op, MX_LEARNED) != 0;
            f->opaque = f->learned || n->op->single || n->op->positions;
            f->counts = !f->opaque && gives_integers(n);
            f->exact_inputs = mx_op_inputs_with(n->op, MX_EXACT);
        }
    }
    return MX_OK;
}

/* ---- the caller's choices */

/* The choices by the names they apply to. */
struct asked {
    struct mx_map nodes, operators;
};

static struct mx_half_choice *later(struct mx_half_choice *a, struct mx_half_choice *b)
{
    return !a || (b && b->order > a->order) ? b : a;
}

static int read_choices(struct asked *a, struct mx_half_choice *first)
{
    for (struct mx_half_choice *c = first; c; c = c->next) { /* an operator has several names */
        if (c->precision == MX2ONNX_PRECISION_AUTO) {
            continue;
        }
        MX_TRY(mx_map_set(&a->nodes, c->name, c));
        MX_TRY(mx_map_set(&a->operators, c->op_name, later(mx_map_get(&a->operators, c->op_name), c)));
    }
    return MX_OK;
}

/* The last choice that applies to the node; NULL if there is none. An operator that is not in the table is looked up by its name in the
 * file. */
static const struct mx_half_choice *choice_for(const struct asked *a, const struct mx_node *n)
{
    if (mx_is_variable(n)) {
        return NULL;
    }
    struct mx_half_choice *by_name = mx_map_get(&a->nodes, n->name);
    struct mx_half_choice *by_operator = mx_map_get(&a->operators, n->op->name);
    return later(later(by_name, by_operator), mx_map_get(&a->operators, n->op_name));
}

static int apply_choices(struct half *h)
{
    struct mx_budget *budget = h->g->arena->budget;
    struct asked asked = {{.arena = {.budget = budget}}, {.arena = {.budget = budget}}};
    const int status = read_choices(&asked, h->o->choices);
    for (int i = 0; i < h->g->n_nodes; i++) {
        const struct mx_half_choice *c = choice_for(&asked, h->g->nodes[i]);
        h->fates[i].keep = c && c->precision == MX2ONNX_PRECISION_FLOAT32;
        h->fates[i].convert = c && c->precision == MX2ONNX_PRECISION_FLOAT16;
    }
    mx_map_free(&asked.nodes);
    mx_map_free(&asked.operators);
    return status;
}

/* ---- positions */

/* True for a parameter other than a scalar, factor or bias: a node that reads it computes features, not positions. */
static bool is_weight(const struct mx_node *n)
{
    int axes = 0;
    for (int i = 0; n->param && i < n->param->ndim; i++) {
        axes += n->param->dims[i] > 1;
    }
    return axes > 1;
}

/* Forward: positions continue from the operators that give them until a weight is read; so do ranges, constants and float32 operators,
 * among themselves. */
static int mark_positional(struct half *h)
{
    for (int i = 0; i < h->g->n_nodes; i++) {
        const struct mx_node *n = h->g->nodes[i];
        struct fate *f = fate_of(h, n);
        MX_TRY(mx_tick_parts(h->g->arena->budget, (size_t)n->n_in));
        if (!n->op) {
            f->deep = is_weight(n);
            continue;
        }
        f->deep = f->learned;
        f->positional = n->op->positions && !f->convert;
        bool shallow = n->n_in == 0 || n->op->single;
        for (int k = 0; k < n->n_in; k++) {
            const struct fate *from = fate_of(h, n->in[k].node);
            f->deep = f->deep || from->deep;
            if (in_is_float(n, k) && !reads_exactly(f, k) && !f->learned) {
                f->positional = f->positional || (from->positional && !from->shallow);
                shallow = shallow || from->shallow;
            }
        }
        f->shallow = shallow && !f->deep && !f->positional && !f->convert;
        f->positional = f->positional || f->shallow;
    }
    return MX_OK;
}

/* Backward from nodes that read positions, or compute with them, to the next weight. */
static int mark_exact(struct half *h)
{
    for (int i = h->g->n_nodes - 1; i >= 0; i--) {
        const struct mx_node *n = h->g->nodes[i];
        const struct fate *f = fate_of(h, n);
        MX_TRY(mx_tick_parts(h->g->arena->budget, (size_t)n->n_in));
        if (!n->op || f->convert) {
            continue;
        }
        const bool all = !f->opaque && (f->exact || f->positional);
        for (int k = 0; k < n->n_in; k++) {
            struct fate *from = fate_of(h, n->in[k].node);
            if ((all || reads_exactly(f, k)) && in_is_float(n, k) && !from->learned) {
                from->exact = true;
            }
        }
    }
    return MX_OK;
}

static bool stays(const struct half *h, const struct mx_node *n)
{
    const struct fate *f = fate_of(h, n);
    if (f->keep || f->convert) {
        return f->keep;
    }
    return f->exact || f->positional || n->op->single || n->handled || n->n_subgraphs > 0;
}

/* ---- asking the rule */

static int new_fate(struct half *h, const struct mx_node *n)
{
    struct fate *f = fate_of(h, n);
    f->in = MX_ARENA_ARRAY(h->g->arena, enum mx_dtype, (size_t)n->n_in);
    f->out = MX_ARENA_ARRAY(h->g->arena, enum mx_dtype, (size_t)n->n_out);
    f->casts = MX_ARENA_ARRAY(h->g->arena, struct mx_node *, (size_t)n->n_out);
    MX_TRY_ALLOC(f->in && f->out && f->casts);
    for (int k = 0; k < n->n_in; k++) {
        f->in[k] = mx_in_value(n, k)->dtype;
    }
    for (int k = 0; k < n->n_out; k++) {
        f->out[k] = n->out[k].dtype;
    }
    return MX_OK;
}

/* A node like n with a new variable for each input, of type float16 where that is allowed; `yields` receives which these are. */
static struct mx_node *make_trial(const struct half *h, const struct mx_node *n, bool *yields)
{
    struct mx_arena *arena = h->g->arena;
    struct mx_node *t = mx_arena_copy(arena, n, 1, sizeof *n);
    struct mx_node *sources = MX_ARENA_ARRAY(arena, struct mx_node, (size_t)n->n_in);
    struct mx_entry *in = MX_ARENA_ARRAY(arena, struct mx_entry, (size_t)n->n_in);
    struct mx_value *values = MX_ARENA_ARRAY(arena, struct mx_value, (size_t)(n->n_in + n->n_out));
    if (!t || !sources || !in || !values) {
        return NULL;
    }
    for (int k = 0; k < n->n_in; k++) {
        values[k] = *mx_in_value(n, k);
        sources[k] = (struct mx_node){.op_name = "null", .name = n->in[k].node->name, .out = &values[k], .n_out = 1};
        in[k] = (struct mx_entry){&sources[k], 0};
        yields[k] = in_is_float(n, k) && !reads_exactly(fate_of(h, n), k);
        values[k].dtype = yields[k] ? MX_FLOAT16 : values[k].dtype;
    }
    for (int k = 0; k < n->n_out; k++) {
        values[n->n_in + k] = n->out[k];
        values[n->n_in + k].dtype = n->out[k].dtype == MX_FLOAT32 ? MX_DTYPE_NONE : n->out[k].dtype;
    }
    t->in = in;
    t->out = values + n->n_in;
    return t;
}

static bool is_half_of(enum mx_dtype was, enum mx_dtype is)
{
    return is == was || (was == MX_FLOAT32 && is == MX_FLOAT16);
}

/* The types of the inputs are given, so a rule cannot change them. */
static bool is_settled(const struct mx_node *n, const struct mx_node *t)
{
    bool settled = true;
    for (int k = 0; k < t->n_out; k++) {
        settled &= is_half_of(n->out[k].dtype, t->out[k].dtype);
    }
    return settled;
}

/* Runs the rule until nothing changes, without reporting anything to the caller. */
static int run_trial(const struct half *h, const struct mx_node *n, const struct mx_node *t, const bool *yields, bool *settled)
{
    struct mx_diags silent = {0};
    struct mx_graph graph = *h->g;
    graph.diags = &silent;
    struct mx_arena scratch = {.budget = h->g->arena->budget};
    struct mx_infer c = {
        .node = t, .attrs = t->attrs, .graph = &graph, .dims = h->g->dims, .arena = h->g->arena, .scratch = &scratch, .yields = yields};
    enum { MOST_RUNS = 64 }; /* a few are enough for every known rule */
    int status = MX_OK, runs = 0;
    do {
        c.changed = false;
        status = mx_infer_node(&c);
    } while (status == MX_OK && c.changed && ++runs < MOST_RUNS);
    mx_arena_free(&scratch);
    mx_diags_free(&silent);
    *settled = status == MX_OK && !c.changed && is_settled(n, t);
    return status == MX_OUT_OF_MEMORY ? status : MX_OK;
}

static int convert_node(struct half *h, const struct mx_node *n)
{
    struct fate *f = fate_of(h, n);
    bool settled, *yields = MX_ARENA_ARRAY(h->g->arena, bool, (size_t)n->n_in);
    MX_TRY_ALLOC(yields);
    struct mx_node *t = make_trial(h, n, yields);
    MX_TRY_ALLOC(t);
    MX_TRY(run_trial(h, n, t, yields, &settled));
    for (int k = 0; settled && k < n->n_in; k++) {
        f->in[k] = t->in[k].node->out[0].dtype;
    }
    for (int k = 0; settled && k < n->n_out; k++) {
        f->out[k] = t->out[k].dtype;
    }
    return MX_OK;
}

static bool has_float(const struct mx_node *n)
{
    bool any = false;
    for (int k = 0; k < n->n_in; k++) {
        any = any || in_is_float(n, k);
    }
    return any;
}

static int decide(struct half *h)
{
    for (int i = 0; i < h->g->n_nodes; i++) {
        const struct mx_node *n = h->g->nodes[i];
        MX_TRY(mx_tick_parts(h->g->arena->budget, (size_t)n->n_in));
        MX_TRY(new_fate(h, n));
        if (n->op && has_float(n) && !stays(h, n)) {
            MX_TRY(convert_node(h, n));
        }
    }
    return MX_OK;
}

/* Converts each float32 variable whose readers all read it as float16. */
static int convert_variables(struct half *h)
{
    enum { READ = 1, WIDE = 2 };
    struct mx_graph *g = h->g;
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        n->mark = mx_is_variable(n) && !n->param && h->o->keep_io ? WIDE : 0;
    }
    for (int i = 0; i < g->n_heads; i++) {
        g->heads[i].node->mark |= WIDE;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick_parts(g->arena->budget, (size_t)n->n_in));
        for (int k = 0; k < n->n_in; k++) {
            n->in[k].node->mark |= fate_of(h, n)->in[k] == MX_FLOAT16 ? READ : WIDE;
        }
    }
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        if (mx_is_variable(n) && n->mark == READ && n->out[0].dtype == MX_FLOAT32) {
            fate_of(h, n)->out[0] = MX_FLOAT16;
        }
    }
    return MX_OK;
}

/* ---- casts */

struct cast {
    struct mx_node node;
    struct mx_attr_text text;
    struct mx_entry in;
    struct mx_value out;
};

static int new_cast(struct half *h, struct mx_entry from, struct mx_node **out)
{
    struct mx_arena *arena = h->g->arena;
    const enum mx_dtype to = fate_of(h, from.node)->out[from.index] == MX_FLOAT16 ? MX_FLOAT32 : MX_FLOAT16;
    struct cast *c = MX_ARENA_NEW(arena, struct cast);
    MX_TRY_ALLOC(c);
    *c = (struct cast){.text = {"dtype", mx_dtype_name(to)}, .in = from, .out = from.node->out[from.index]};
    c->out.dtype = to;
    struct mx_node *n = &c->node;
    *n = (struct mx_node){.op = h->o->cast,
                          .op_name = h->o->cast->name,
                          .attr_text = &c->text,
                          .n_attr_text = 1,
                          .in = &c->in,
                          .n_in = 1,
                          .out = &c->out,
                          .n_out = 1};
    n->name = from.node->n_out == 1 ? mx_arena_printf(arena, "%s_%s", from.node->name, mx_dtype_name(to))
                                    : mx_arena_printf(arena, "%s%d_%s", from.node->name, from.index, mx_dtype_name(to));
    MX_TRY_ALLOC(n->name);
    *out = n;
    return mx_attrs_parse(n, arena, h->g->diags, &n->attrs);
}

/* Makes the entry one of the wanted type. */
static int read_as(struct half *h, struct mx_entry *e, enum mx_dtype wanted)
{
    struct fate *f = fate_of(h, e->node);
    if (f->out[e->index] == wanted) {
        return MX_OK;
    }
    struct mx_node **cast = &f->casts[e->index];
    if (!*cast) {
        MX_TRY(new_cast(h, *e, cast));
    }
    *e = (struct mx_entry){*cast, 0};
    return MX_OK;
}

/* The output keeps the node's name; the node gets another one. */
static int cast_head(struct half *h, struct mx_entry *e)
{
    struct mx_node *n = e->node;
    const bool first = !fate_of(h, n)->casts[e->index];
    MX_TRY(read_as(h, e, MX_FLOAT32));
    if (first && n->n_out == 1) {
        e->node->name = n->name;
        n->name = mx_arena_printf(h->g->arena, "%s_%s", n->name, mx_dtype_name(MX_FLOAT16));
        MX_TRY_ALLOC(n->name);
    }
    return MX_OK;
}

static int join_types(struct half *h)
{
    struct mx_graph *g = h->g;
    for (int i = 0; i < g->n_nodes; i++) {
        struct mx_node *n = g->nodes[i];
        MX_TRY(mx_tick_parts(g->arena->budget, (size_t)n->n_in));
        for (int k = 0; k < n->n_in; k++) {
            MX_TRY(read_as(h, &n->in[k], fate_of(h, n)->in[k]));
        }
    }
    for (int i = 0; i < g->n_heads; i++) {
        struct mx_entry *e = &g->heads[i];
        const enum mx_dtype t = fate_of(h, e->node)->out[e->index];
        if (t == MX_FLOAT16 && h->o->keep_io && e->node->out[e->index].dtype == MX_FLOAT32) {
            MX_TRY(cast_head(h, e));
        }
    }
    return MX_OK;
}

/* Puts each cast after the node that it reads. */
static int put_casts(struct half *h)
{
    struct mx_graph *g = h->g;
    size_t n_casts = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        MX_TRY(mx_tick_parts(g->arena->budget, (size_t)g->nodes[i]->n_out));
        for (int k = 0; k < g->nodes[i]->n_out; k++) {
            n_casts += h->fates[i].casts[k] != NULL;
        }
    }
    struct mx_node **nodes = MX_ARENA_ARRAY(g->arena, struct mx_node *, (size_t)g->n_nodes + n_casts);
    MX_TRY_ALLOC(nodes);
    int n = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        nodes[n++] = g->nodes[i];
        for (int k = 0; k < g->nodes[i]->n_out; k++) {
            g->nodes[i]->out[k].dtype = h->fates[i].out[k];
            if (h->fates[i].casts[k]) {
                nodes[n++] = h->fates[i].casts[k];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        nodes[i]->id = i;
    }
    g->nodes = nodes;
    g->n_nodes = n;
    return MX_OK;
}

int mx_graph_halve(struct mx_graph *g, const struct mx_half_options *options)
{
    struct half h = {.g = g, .o = options, .fates = MX_ARENA_ARRAY(g->arena, struct fate, (size_t)g->n_nodes)};
    MX_TRY_ALLOC(h.fates);
    MX_TRY(apply_choices(&h));
    MX_TRY(read_operators(&h));
    MX_TRY(mark_positional(&h));
    MX_TRY(mark_exact(&h));
    MX_TRY(decide(&h));
    MX_TRY(convert_variables(&h));
    MX_TRY(join_types(&h));
    return put_casts(&h);
}
