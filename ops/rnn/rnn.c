/* RNN: recurrent layers, one or several, in one or both directions (src/operator/rnn-inl.h, rnn_impl.h).
 *
 * All weights form one vector: for each layer and direction i2h, h2h and with a projection h2r; after them all biases, i2h and h2h of each
 * layer and direction. The inputs of an ONNX node are slices of this vector with the gates in another order: for a parameter, views that
 * cost nothing.
 *
 * A projected LSTM feeds back h = P m, where m is the output of an LSTM without projection. ONNX's LSTM has no projection, but R h = (R P)
 * m: it runs on m with R P as recurrence, and P is applied to its outputs. An initial h has no m; R h0 is added as a part of the first
 * step's input instead. */
#include "op/op.h"

enum {
    MAX_GATES = 4,
    MAX_WAYS = 2,
    MAX_STATE_SIZE = 1 << 24, /* limit: state_size and projection_size of an RNN */
    MAX_LAYERS = 1 << 10,     /* limit: layers of an RNN */
};
enum mode { RNN_RELU, RNN_TANH, LSTM, GRU };

struct rnn {
    int64_t state_size, num_layers;
    struct mx_opt_int projection_size;
    bool bidirectional, state_outputs, use_sequence_length;
    int mode;
    struct mx_opt_float lstm_state_clip_min, lstm_state_clip_max;
};

static const char *const modes[] = {"rnn_relu", "rnn_tanh", "lstm", "gru", NULL};
static const struct mx_attr attrs[] = {
    MX_COUNT(struct rnn, state_size, NULL),
    MX_COUNT(struct rnn, num_layers, NULL),
    MX_BOOL(struct rnn, bidirectional, "False"),
    MX_ENUM(struct rnn, mode, NULL, modes),
    MX_IGNORED("p"),
    MX_BOOL(struct rnn, state_outputs, "False"),
    MX_COUNT_NONE(struct rnn, projection_size, "None"),
    MX_FLOAT_NONE(struct rnn, lstm_state_clip_min, "None"),
    MX_FLOAT_NONE(struct rnn, lstm_state_clip_max, "None"),
    MX_IGNORED("lstm_state_clip_nan"),
    MX_BOOL(struct rnn, use_sequence_length, "False"),
};

/* Blocks of gates in a weight, in ONNX's order: lstm i f g o to i o f g, gru r z n to z r n. */
static const struct kind {
    enum ox_op op;
    int gates;
    int order[MAX_GATES];
} kinds[] = {
    [RNN_RELU] = {OX_RNN, 1, {0}},
    [RNN_TANH] = {OX_RNN, 1, {0}},
    [LSTM] = {OX_LSTM, 4, {0, 3, 1, 2}},
    [GRU] = {OX_GRU, 3, {1, 0, 2}},
};

static int ways_of(const struct rnn *a)
{
    return a->bidirectional ? 2 : 1;
}

/* The width of h. */
static int64_t width_of(const struct rnn *a)
{
    return a->projection_size.given ? a->projection_size.v : a->state_size;
}

static int n_states(const struct rnn *a)
{
    return a->mode == LSTM ? 2 : 1;
}

/* ---- shapes */

static int check(struct mx_infer *c, const struct rnn *a)
{
    MX_TRY(mx_within(c, "state_size", a->state_size, 1, MAX_STATE_SIZE));
    if (a->num_layers > MAX_LAYERS) {
        return mx_infer_too_large(c, "num_layers", MX_SUBJECT "is %lld, but must be 1 to %d", (long long)a->num_layers, MAX_LAYERS);
    }
    MX_TRY(mx_within(c, "num_layers", a->num_layers, 1, MAX_LAYERS));
    if (a->projection_size.given && a->mode != LSTM) {
        return mx_infer_fail(c, "projection_size", MX_SUBJECT "is %lld, but only mode lstm can have a projection",
                             (long long)a->projection_size.v);
    }
    return mx_within(c, "projection_size", width_of(a), 1, MAX_STATE_SIZE);
}

/* Elements of the parameter vector, except for the weights that read the data. */
static int64_t fixed_parameters(const struct rnn *a)
{
    const int64_t ways = ways_of(a), width = width_of(a);
    const int64_t rows = kinds[a->mode].gates * a->state_size;
    const int64_t projection = a->projection_size.given ? width * a->state_size : 0;
    const int64_t of_each = rows * width + projection + 2 * rows;
    return ways * (a->num_layers * of_each + (a->num_layers - 1) * rows * ways * width);
}

static int infer_types(struct mx_infer *c, const struct rnn *a)
{
    const int last_state = 1 + n_states(a);
    MX_TRY(mx_same_dtype(c, 0, last_state));
    for (int i = 1; i < c->node->n_out; i++) {
        MX_TRY(mx_output_dtype_is(c, i, mx_output_dtype(c, 0)));
    }
    MX_TRY(mx_input_is_float(c, 0, "data"));
    if (a->use_sequence_length && mx_input_dtype(c, last_state + 1) == MX_DTYPE_NONE) {
        MX_TRY(mx_input_dtype_is(c, last_state + 1, mx_output_dtype(c, 0)));
    }
    return MX_OK;
}

static int infer(struct mx_infer *c)
{
    const struct rnn *a = c->attrs;
    struct mx_shape x;
    MX_TRY(check(c, a));
    MX_TRY(infer_types(c, a));
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    const int64_t ways = ways_of(a), rows = ways * kinds[a->mode].gates * a->state_size;
    const mx_dim batch = x.dims[1], width = mx_dim_of(width_of(a));
    const mx_dim of_state = mx_dim_of(ways * a->num_layers);
    const mx_dim state[] = {of_state, batch, width};
    const mx_dim cell[] = {of_state, batch, mx_dim_of(a->state_size)};
    const mx_dim size = mx_dim_addn(c->dims, mx_dim_muln(c->dims, x.dims[2], rows), fixed_parameters(a));
    MX_TRY(mx_input_is_dims(c, 1, &size, 1));
    for (int i = 0; i < n_states(a); i++) {
        MX_TRY(mx_input_is_dims(c, 2 + i, i == 0 ? state : cell, 3));
        if (a->state_outputs) {
            MX_TRY(mx_output_is_dims(c, 1 + i, i == 0 ? state : cell, 3));
        }
    }
    if (a->use_sequence_length) {
        MX_TRY(mx_input_is_dims(c, 2 + n_states(a), &batch, 1));
    }
    const mx_dim out[] = {x.dims[0], batch, mx_dim_of(ways * width_of(a))};
    MX_TRY(mx_output_is_dims(c, 0, out, 3));
    int64_t number;
    MX_TRY(mx_number(c, x.dims[2], "the last axis of the data", &number));
    return number > 0 ? MX_OK : mx_infer_fail(c, NULL, "the last axis of the data has size 0, but must have at least 1");
}

/* ---- weights */

struct net {
    struct ox_build *b;
    const struct rnn *a;
    const struct kind *kind;
    int ways;
    int64_t hidden, width, rows; /* sizes of the state, of h, of a weight's rows */
    ox_val vector;               /* the parameters */
    int64_t weights, biases;     /* positions of the next ones in it */
    ox_val lengths;              /* int32, or absent */
};

/* One layer, with the directions stacked on axis 0 as in ONNX. */
struct layer {
    ox_val w, r, bias;
    ox_val projection; /* (ways, hidden, width), or absent */
    ox_val first;      /* (ways, rows, width): R for h0 when h0 is added through the data */
};

struct spans {
    struct ox_span list[MAX_WAYS * 2 * MAX_GATES + 1]; /* an empty one ends them */
    int n;
};

/* The blocks of gates of a weight or bias that begins at `at`, in ONNX's order. */
static void add_gates(const struct net *k, struct spans *r, int64_t at, int64_t columns)
{
    const int64_t block = k->hidden * columns;
    for (int i = 0; i < k->kind->gates; i++) {
        r->list[r->n++] = (struct ox_span){at + k->kind->order[i] * block, block};
    }
}

/* The weight that begins at `at` and, for each further direction, `step` later. */
static ox_val weight(const struct net *k, int64_t at, int64_t step, int64_t columns)
{
    struct spans r = {.n = 0};
    for (int d = 0; d < k->ways; d++) {
        add_gates(k, &r, at + d * step, columns);
    }
    return ox_spans(k->b, k->vector, r.list, (const int64_t[]){k->ways, k->rows, columns}, 3);
}

/* Of each direction both biases. */
static ox_val bias(struct net *k)
{
    struct spans r = {.n = 0};
    for (int i = 0; i < 2 * k->ways; i++) {
        add_gates(k, &r, k->biases, 1);
        k->biases += k->rows;
    }
    return ox_spans(k->b, k->vector, r.list, (const int64_t[]){k->ways, 2 * k->rows}, 2);
}

static ox_val stack(const struct net *k, const ox_val *x)
{
    ox_val rows[MAX_WAYS];
    for (int d = 0; d < k->ways; d++) {
        rows[d] = ox_unsqueeze1(k->b, x[d], 0);
    }
    return ox_concat(k->b, rows, k->ways, 0);
}

/* R becomes R P; P of the first direction begins at `at`. */
static void project(const struct net *k, struct layer *l, int64_t at, int64_t step)
{
    struct ox_build *b = k->b;
    ox_val r[MAX_WAYS], projection[MAX_WAYS];
    for (int d = 0; d < k->ways; d++) {
        const struct ox_span whole[] = {{at + d * step, k->width * k->hidden}, {0, 0}};
        const ox_val p = ox_spans(b, k->vector, whole, (const int64_t[]){k->width, k->hidden}, 2);
        r[d] = ox_matmul(b, ox_squeeze1(b, ox_slice1(b, l->r, 0, d, d + 1), 0), p);
        projection[d] = ox_swap_axes(b, p, 0, 1);
    }
    l->first = l->r;
    l->r = stack(k, r);
    l->projection = stack(k, projection);
}

static struct layer read_layer(struct net *k, int64_t in)
{
    const bool projected = k->a->projection_size.given;
    const int64_t i2h = k->rows * in, h2h = k->rows * k->width, h2r = projected ? k->width * k->hidden : 0;
    const int64_t at = k->weights, step = i2h + h2h + h2r;
    struct layer l = {.w = weight(k, at, step, in), .r = weight(k, at + i2h, step, k->width), .bias = bias(k)};
    k->weights += k->ways * step;
    if (projected) {
        project(k, &l, at + i2h + h2h, step);
    }
    return l;
}

/* ---- initial states */

/* The rows of each layer, or nothing if they are zeros, which is ONNX's default. */
static void split_states(struct net *k, ox_val states, ox_val *out)
{
    const int layers = (int)k->a->num_layers;
    int64_t *sizes = ox_scratch(k->b, (size_t)layers, sizeof *sizes);
    const bool zeros = ox_is_all(k->b, states, 0);
    for (int i = 0; sizes && i < layers; i++) {
        sizes[i] = k->ways;
        out[i] = OX_NONE;
    }
    if (sizes && !zeros) {
        ox_split(k->b, states, 0, sizes, layers, out);
    }
}

/* bool (time, 1 or batch, 1): true at the step where a direction starts, which for the backward direction is the last one within the
 * length. */
static ox_val is_start(struct net *k, ox_val x, int way)
{
    struct ox_build *b = k->b;
    const mx_dim time = ox_dim_at(b, x, 0);
    const ox_val steps = ox_unsqueeze(b, ox_range(b, time), (const int64_t[]){1, 2}, 2);
    ox_val at = ox_scalar(b, MX_INT64, 0);
    if (way == 1) {
        const ox_val one = ox_scalar(b, MX_INT64, 1);
        at = k->lengths != OX_NONE ? ox_unsqueeze(b, ox_sub(b, ox_cast(b, k->lengths, MX_INT64), one), (const int64_t[]){0, 2}, 2)
                                   : ox_sub(b, ox_dim(b, time), one);
    }
    return ox_binary(b, OX_Equal, steps, at);
}

/* h0 as columns of the data, zero except where its direction starts, and its weight as columns of W. */
static ox_val join_initial(struct net *k, struct layer *l, ox_val x, ox_val h0)
{
    struct ox_build *b = k->b;
    ox_val data[1 + MAX_WAYS] = {x}, columns[1 + MAX_WAYS] = {l->w};
    const mx_dim dims[] = {mx_dim_of(1), mx_dim_of(k->rows), mx_dim_of(k->width)};
    const ox_val none = ox_fill(b, ox_dtype(b, x), (struct mx_shape){3, dims}, 0);
    for (int d = 0; d < k->ways; d++) {
        const ox_val h = ox_slice1(b, h0, 0, d, d + 1);
        data[1 + d] = ox_where(b, is_start(k, x, d), h, ox_scalar_like(b, x, 0));
        ox_val own[MAX_WAYS] = {none, none};
        own[d] = ox_slice1(b, l->first, 0, d, d + 1);
        columns[1 + d] = ox_concat(b, own, k->ways, 0);
    }
    l->w = ox_concat(b, columns, 1 + k->ways, 2);
    return ox_concat(b, data, 1 + k->ways, 2);
}

/* ---- nodes */

/* Y, and the final states if requested. */
static void write_node(struct net *k, const struct layer *l, ox_val x, const ox_val *state, ox_val *out)
{
    static const char *const relu[] = {"Relu", "Relu"};
    struct ox_attr list[4] = {OX_I("hidden_size", k->hidden)};
    int n = 1;
    if (k->ways == 2) {
        list[n++] = (struct ox_attr)OX_S("direction", "bidirectional");
    }
    if (k->a->mode == GRU) {
        list[n++] = (struct ox_attr)OX_I("linear_before_reset", 1);
    } else if (k->a->mode == RNN_RELU) {
        list[n++] = (struct ox_attr)OX_SS("activations", relu, k->ways);
    }
    list[n].kind = OX_A_END;
    const ox_val cell = k->a->mode == LSTM ? state[1] : OX_NONE;
    ox_node_n(k->b, k->kind->op, OX_IN(x, l->w, l->r, l->bias, k->lengths, state[0], cell), list, out,
              k->a->state_outputs ? 1 + n_states(k->a) : 1);
}

/* (time, ways, batch, n) to (time, batch, ways * n). */
static ox_val join_ways(struct net *k, ox_val y)
{
    struct ox_build *b = k->b;
    if (k->ways == 1) {
        return ox_squeeze1(b, y, 1);
    }
    const mx_dim dims[] = {ox_dim_at(b, y, 0), ox_dim_at(b, y, 2), mx_dim_of(2 * k->width)};
    return ox_reshape(b, ox_transpose(b, y, (const int64_t[]){0, 2, 1, 3}, 4), dims, 3);
}

/* The layer's output; final states are stored in last. */
static ox_val write_layer(struct net *k, ox_val x, ox_val *start, ox_val *last)
{
    int64_t in = 0;
    ox_val out[3] = {OX_NONE, OX_NONE, OX_NONE};
    (void)ox_size_at(k->b, x, 2, &in);
    struct layer l = read_layer(k, in);
    if (l.projection != OX_NONE && start[0] != OX_NONE) {
        x = join_initial(k, &l, x, start[0]);
        start[0] = OX_NONE;
    }
    write_node(k, &l, x, start, out);
    if (l.projection != OX_NONE) {
        const bool one = k->ways == 1;
        const ox_val p = one ? ox_squeeze1(k->b, l.projection, 0) : l.projection;
        out[0] = ox_matmul(k->b, out[0], p);
        out[1] = k->a->state_outputs ? ox_matmul(k->b, out[1], p) : OX_NONE;
    }
    last[0] = out[1];
    last[1] = out[2];
    return join_ways(k, out[0]);
}

/* ---- empty inputs: ONNX Runtime's LSTM and GRU terminate the process for a batch of 0, its GRU also for a time of 0. A size that may
 * be 0 at run time is then increased by one, and the result is cut off. */

struct more {
    ox_val steps, rows; /* int64 (1): 1 if there are none, otherwise 0; absent if the size is known */
};

static ox_val one_if_none(struct ox_build *b, mx_dim d)
{
    int64_t size;
    if (mx_dim_known(ox_dims_table(b), d, &size)) {
        return OX_NONE;
    }
    return ox_sub(b, ox_int(b, 1), ox_binary(b, OX_Min, ox_dims(b, &d, 1), ox_int(b, 1)));
}

static struct more more_of(const struct net *k, ox_val x)
{
    const bool survives = k->kind->op == OX_RNN;
    return (struct more){
        .steps = k->a->mode == GRU ? one_if_none(k->b, ox_dim_at(k->b, x, 0)) : OX_NONE,
        .rows = survives ? OX_NONE : one_if_none(k->b, ox_dim_at(k->b, x, 1)),
    };
}

/* x extended by `end` on each axis, where any of them may be absent. */
static ox_val padded(struct ox_build *b, ox_val x, const ox_val *end, int rank)
{
    const ox_val zero = ox_int(b, 0);
    ox_val pads[6];
    mx_dim dims[3];
    bool any = false;
    for (int i = 0; i < rank; i++) {
        any = any || end[i] != OX_NONE;
        pads[i] = zero;
        pads[rank + i] = end[i] == OX_NONE ? zero : end[i];
    }
    if (!any) {
        return x;
    }
    const ox_val y = ox_node(b, OX_Pad, OX_IN(x, ox_concat(b, pads, 2 * rank, 0)), OX_NO_ATTRS);
    for (int i = 0; i < rank; i++) {
        dims[i] = ox_dim_at(b, end[i] == OX_NONE ? x : y, i);
    }
    ox_typed(b, y, ox_dtype(b, x), (struct mx_shape){rank, dims});
    return y;
}

/* Cuts off what was added on each axis. */
static ox_val cut(struct ox_build *b, ox_val y, const ox_val *end, struct mx_shape s)
{
    const mx_dim zeros[] = {mx_dim_of(0), mx_dim_of(0)};
    mx_dim ends[2];
    int64_t axes[2];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        if (end[i] != OX_NONE) {
            axes[n] = i;
            ends[n++] = s.dims[i];
        }
    }
    return n == 0 ? y : ox_slice_dims(b, y, axes, zeros, ends, n);
}

/* ---- all layers */

static struct net net_of(struct ox_build *b, const struct rnn *a, const ox_val *in)
{
    struct net k = {.b = b, .a = a, .kind = &kinds[a->mode], .ways = ways_of(a)};
    int64_t data = 0;
    (void)ox_size_at(b, in[0], 2, &data);
    k.hidden = a->state_size;
    k.width = width_of(a);
    k.rows = k.kind->gates * k.hidden;
    k.vector = in[1];
    k.biases = data * k.ways * k.rows + fixed_parameters(a) - a->num_layers * k.ways * 2 * k.rows;
    k.lengths = a->use_sequence_length ? ox_cast(b, in[2 + n_states(a)], MX_INT32) : OX_NONE;
    return k;
}

/* The initial states of each layer, extended by `more` like the data. */
static bool begin(struct net *k, const ox_val *states, struct more more, ox_val **first, ox_val **last)
{
    const int layers = (int)k->a->num_layers;
    for (int i = 0; i < 2; i++) {
        first[i] = ox_scratch(k->b, (size_t)layers, sizeof(ox_val));
        last[i] = ox_scratch(k->b, (size_t)layers, sizeof(ox_val));
        if (!first[i] || !last[i]) {
            return false;
        }
        if (i < n_states(k->a)) {
            const bool zeros = ox_is_all(k->b, states[i], 0);
            split_states(k, zeros ? states[i] : padded(k->b, states[i], (const ox_val[]){OX_NONE, more.rows, OX_NONE}, 3), first[i]);
        }
    }
    return true;
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct rnn *a = n->attrs;
    const int layers = (int)a->num_layers;
    struct net k = net_of(b, a, in);
    const struct more more = more_of(&k, in[0]);
    ox_val *first[2], *last[2];
    if (!begin(&k, in + 2, more, first, last)) {
        return;
    }
    if (a->lstm_state_clip_min.given || a->lstm_state_clip_max.given) {
        ox_warn(b, "lstm_state_clip_min",
                MX_SUBJECT "is ignored, as MXNet does on a CPU, but not on a GPU" MX_HELP
                           "compare the results if the model was trained on a "
                           "GPU");
    }
    out[0] = padded(b, in[0], (const ox_val[]){more.steps, more.rows, OX_NONE}, 3);
    k.lengths = k.lengths == OX_NONE ? OX_NONE : padded(b, k.lengths, &more.rows, 1);
    for (int i = 0; i < layers && !ox_failed(b); i++) {
        ox_val from[2] = {first[0][i], first[1][i]}, to[2];
        out[0] = write_layer(&k, out[0], from, to);
        last[0][i] = to[0];
        last[1][i] = to[1];
    }
    out[0] = cut(b, out[0], (const ox_val[]){more.steps, more.rows}, n->out[0].shape);
    for (int i = 1; i < n->n_out && !ox_failed(b); i++) {
        const ox_val all = ox_concat(b, last[i - 1], layers, 0);
        out[i] = cut(b, all, (const ox_val[]){OX_NONE, more.rows}, n->out[i].shape);
    }
}

const struct mx_op mx_ops_rnn[] = {
    {
        .name = "RNN",
        .alias = "_npx_rnn",
        MX_ATTRS(attrs, struct rnn),
        .inputs = "data parameters:learned state state_cell:if(mode=lstm) sequence_length:if(use_sequence_length)",
        .outputs = "output state_output:if(state_outputs) statecell_output:if(state_outputs):if(mode=lstm)",
        .infer = infer,
        .lower = lower,
        .differs = "use_sequence_length: the result is that of MXNet on a GPU; on a CPU MXNet ignores the lengths.",
    },
    MX_OPS_END,
};
