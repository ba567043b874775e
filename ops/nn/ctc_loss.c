/* CTCLoss: the negative log probability that the data, without repeats and blanks, equal the label (src/operator/nn/ctc_loss-inl.h,
 * 3rdparty/ctc_include/detail/cpu_ctc.h). The paths through the label, with a blank before, between and after its elements, are summed in
 * a Loop over the time steps. */
#include "op/op.h"

struct ctc {
    bool use_data_lengths, use_label_lengths;
    int blank_label;
};

enum { FIRST, LAST };
static const char *const blanks[] = {"first", "last", NULL};

static const struct mx_attr attrs[] = {
    MX_BOOL(struct ctc, use_data_lengths, "False"),
    MX_BOOL(struct ctc, use_label_lengths, "False"),
    MX_ENUM(struct ctc, blank_label, "first", blanks),
};

static int infer(struct mx_infer *c)
{
    struct mx_shape x, label;
    const enum mx_dtype t = mx_input_dtype(c, 0);
    if (t != MX_DTYPE_NONE && t != MX_FLOAT32) {
        return mx_infer_fail(c, "data", MX_SUBJECT "is %s, but must be float32", mx_dtype_name(t));
    }
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input_rank(c, 0, 3, &x));
    MX_TRY(mx_input_rank(c, 1, 2, &label));
    MX_TRY(mx_same_dim(c, x.dims[1], label.dims[0], "batch of data and label"));
    for (int i = 2; i < c->node->n_in; i++) {
        MX_TRY(mx_input_is_dims(c, i, &x.dims[1], 1));
    }
    return mx_output_is_dims(c, 0, &x.dims[1], 1);
}

/* No path: small enough that adding it changes nothing, but not infinite, which would give NaN. */
static const double never = -1e30;

struct paths {
    struct ox_build *b;
    ox_val blank;   /* int64 () */
    ox_val lengths; /* of the labels, int64 (N, 1) */
    ox_val letters; /* of each state, int64 (N, 2 L + 1) */
    ox_val skip;    /* true if this state may follow the one two before it; bool (N, 2 L + 1) */
    mx_dim batch, states;
};

/* The position where padding begins: the first padding label, or the end. */
static ox_val padded_lengths(struct ox_build *b, ox_val label, int64_t padding)
{
    const mx_dim end[] = {ox_dim_at(b, label, 0), mx_dim_of(1)};
    const ox_val stop = ox_fill(b, MX_INT32, (struct mx_shape){2, end}, 1);
    const ox_val is = ox_binary(b, OX_Equal, label, ox_scalar(b, MX_INT64, (double)padding));
    const ox_val both[] = {ox_cast(b, is, MX_INT32), stop};
    const ox_val all = ox_concat(b, both, 2, 1);
    return ox_arg(b, OX_ArgMax, all, 1, true);
}

/* x (N, S) shifted by `by` states, with `filler` in front. */
static ox_val moved(struct paths *p, ox_val x, int by, double filler)
{
    struct ox_build *b = p->b;
    const mx_dim dims[] = {p->batch, mx_dim_of(by)};
    const ox_val front = ox_fill(b, ox_dtype(b, x), (struct mx_shape){2, dims}, filler);
    const ox_val rest = ox_slice1(b, x, 1, 0, -by);
    return ox_concat(b, (const ox_val[]){front, rest}, 2, 1);
}

static void lay_out(struct paths *p, ox_val label)
{
    struct ox_build *b = p->b;
    struct mx_dims *t = ox_dims_table(b);
    const mx_dim length = ox_dim_at(b, label, 1);
    const ox_val inside = ox_binary(b, OX_Less, ox_range(b, length), p->lengths);
    const ox_val letters = ox_unsqueeze1(b, ox_where(b, inside, label, p->blank), 2);
    const mx_dim three[] = {p->batch, length, mx_dim_of(1)}, one[] = {p->batch, mx_dim_of(1)};
    const ox_val between[] = {ox_expand(b, p->blank, three, 3), letters};
    p->states = mx_dim_addn(t, mx_dim_muln(t, length, 2), 1);
    const mx_dim pairs[] = {p->batch, mx_dim_muln(t, length, 2)};
    const ox_val row = ox_reshape(b, ox_concat(b, between, 2, 2), pairs, 2);
    const ox_val last = ox_expand(b, p->blank, one, 2);
    p->letters = ox_concat(b, (const ox_val[]){row, last}, 2, 1);
    const ox_val before = moved(p, p->letters, 2, -1);
    const ox_val repeated = ox_binary(b, OX_Equal, p->letters, before);
    const ox_val is_blank = ox_binary(b, OX_Equal, p->letters, p->blank);
    const ox_val none = ox_binary(b, OX_Less, before, ox_scalar(b, MX_INT64, 0));
    const ox_val not = ox_binary(b, OX_Or, ox_binary(b, OX_Or, repeated, is_blank), none);
    p->skip = ox_unary(b, OX_Not, not );
}

static ox_val log_sum(struct ox_build *b, const ox_val *x, int n)
{
    ox_val most = x[0], sum = OX_NONE;
    for (int i = 1; i < n; i++) {
        most = ox_binary(b, OX_Max, most, x[i]);
    }
    for (int i = 0; i < n; i++) {
        const ox_val e = ox_unary(b, OX_Exp, ox_sub(b, x[i], most));
        sum = sum == OX_NONE ? e : ox_add(b, sum, e);
    }
    return ox_add(b, most, ox_unary(b, OX_Log, sum));
}

/* The states after all steps: emissions (T, N, S); each row uses data_lengths of them, int64 (N, 1), or all. */
static ox_val walk(struct paths *p, ox_val emissions, ox_val data_lengths)
{
    struct ox_build *b = p->b;
    const struct mx_shape scalar = {0, NULL};
    const mx_dim dims[] = {p->batch, p->states};
    const struct mx_shape s = {2, dims};
    const ox_val place = ox_range(b, p->states);
    const ox_val first = ox_binary(b, OX_Equal, place, ox_scalar(b, MX_INT64, 0));
    const ox_val row = ox_where(b, first, ox_float32(b, 0), ox_float32(b, never));
    const ox_val start = ox_expand(b, row, dims, 2);
    struct ox_graph *g = ox_graph_begin(b, "ctc");
    const ox_val at = ox_graph_input(b, MX_INT64, scalar);
    const ox_val go = ox_graph_input(b, MX_BOOL, scalar);
    const ox_val now = ox_graph_input(b, MX_FLOAT32, s);
    const ox_val two = moved(p, now, 2, never);
    const ox_val skipped = ox_where(b, p->skip, two, ox_float32(b, never));
    const ox_val ways[] = {now, moved(p, now, 1, never), skipped};
    ox_val next = ox_add(b, log_sum(b, ways, 3), ox_gather(b, emissions, at, 0));
    if (data_lengths != OX_NONE) {
        next = ox_where(b, ox_binary(b, OX_Less, at, data_lengths), next, now);
    }
    ox_graph_end(b, (const ox_val[]){go, next}, 2);
    const ox_val steps = ox_dim_as(b, ox_dim_at(b, emissions, 0), MX_INT64);
    const ox_val end = ox_node(b, OX_Loop, OX_IN(steps, OX_NONE, start), OX_ATTRS(OX_G("body", g)));
    return end;
}

/* A path ends in the last letter or in the blank after it; if there is no path the loss is 0. */
static ox_val loss(struct paths *p, ox_val states)
{
    struct ox_build *b = p->b;
    const ox_val zero = ox_scalar(b, MX_INT64, 0), one = ox_scalar(b, MX_INT64, 1);
    const ox_val nothing = ox_float32(b, never);
    const ox_val last = ox_mul(b, p->lengths, ox_scalar(b, MX_INT64, 2));
    const ox_val letter = ox_binary(b, OX_Max, ox_sub(b, last, one), zero);
    const struct ox_attr *axis = OX_ATTRS(OX_I("axis", 1));
    const ox_val in_blank = ox_node(b, OX_GatherElements, OX_IN(states, last), axis);
    const ox_val in_letter = ox_node(b, OX_GatherElements, OX_IN(states, letter), axis);
    const ox_val has_letter = ox_binary(b, OX_Greater, p->lengths, zero);
    const ox_val ends[] = {in_blank, ox_where(b, has_letter, in_letter, nothing)};
    const ox_val sum = ox_squeeze1(b, log_sum(b, ends, 2), 1);
    const ox_val possible = ox_binary(b, OX_Greater, sum, ox_float32(b, never / 2));
    return ox_where(b, possible, ox_unary(b, OX_Neg, sum), ox_float32(b, 0));
}

static ox_val column(struct ox_build *b, ox_val x)
{
    return ox_unsqueeze1(b, ox_cast(b, x, MX_INT64), 1);
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct ctc *a = n->attrs;
    struct paths p = {.b = b, .batch = ox_dim_at(b, in[0], 1)};
    const ox_val label = ox_cast(b, in[1], MX_INT64);
    const mx_dim last = mx_dim_addn(ox_dims_table(b), ox_dim_at(b, in[0], 2), -1);
    p.blank = a->blank_label == FIRST ? ox_scalar(b, MX_INT64, 0) : ox_dim_as(b, last, MX_INT64);
    p.lengths = a->use_label_lengths ? column(b, in[n->n_in - 1]) : padded_lengths(b, label, a->blank_label == FIRST ? 0 : -1);
    lay_out(&p, label);
    const mx_dim dims[] = {ox_dim_at(b, in[0], 0), p.batch, p.states};
    const ox_val log = ox_softmax(b, OX_LogSoftmax, in[0], 2);
    const ox_val emissions = ox_node(b, OX_GatherElements, OX_IN(log, ox_expand(b, p.letters, dims, 3)), OX_ATTRS(OX_I("axis", 2)));
    const ox_val data_lengths = a->use_data_lengths ? column(b, in[2]) : OX_NONE;
    out[0] = loss(&p, walk(&p, emissions, data_lengths));
}

const struct mx_op mx_ops_ctc_loss[] = {
    {
        .name = "CTCLoss",
        .single = true,
        .alias = "_contrib_CTCLoss _contrib_ctc_loss ctc_loss _npx_ctc_loss",
        MX_ATTRS(attrs, struct ctc),
        .inputs = "data label:exact data_lengths:exact:if(use_data_lengths) label_lengths:exact:if(use_label_lengths)",
        .infer = infer,
        .lower = lower,
        .loss = true,
    },
    MX_OPS_END,
};
