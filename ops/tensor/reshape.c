/* Reshape, Flatten, reshape_like: codes become dims during shape inference, and the ONNX node is a reshape to these dims.
 * src/operator/tensor/matrix_op-inl.h, InferReshapeShape. */
#include "op/op.h"

/* The dims need not be numbers: their constant parts may show it. */
static int fail_rest(struct mx_infer *c, mx_dim all, mx_dim rest)
{
    int64_t n, by;
    const char *help = "set the input shapes that the model was trained with";
    return mx_dim_known(c->dims, all, &n) && mx_dim_known(c->dims, rest, &by)
               ? mx_infer_fail(c, NULL,
                               "-1 cannot be determined, because the input has %lld elements, and %lld, the product of the other sizes, "
                               "does not divide them" MX_HELP "%s",
                               (long long)n, (long long)by, help)
               : mx_infer_fail(c, NULL,
                               "-1 cannot be determined, because the product of the other sizes does not divide the number of elements of "
                               "the input" MX_HELP "%s",
                               help);
}

/* States the output's dims, where the one at `open` (-1: none) is inferred from the number of elements, and that input and output have
 * the same number of elements. */
static int output_fills(struct mx_infer *c, struct mx_shape s, struct mx_dim_list *dims, int open)
{
    const mx_dim all = mx_shape_elements(c->dims, s);
    const struct mx_shape known = mx_output(c, 0);
    if (open >= 0) {
        mx_put_dim(dims, open, mx_dim_of(1));
        const mx_dim rest = mx_dim_product(c->dims, dims->v, dims->n);
        mx_dim found = mx_dim_of(1);
        if (mx_dim_equal(c->dims, rest, mx_dim_of(0))) {
            return mx_infer_fail(c, NULL, "-1 cannot be determined, because another size is 0" MX_HELP "replace -1 by a number");
        }
        if (mx_dim_has_unknown(c->dims, all)) {
            found = known.ndim == dims->n ? known.dims[open] : mx_dim_unknown(c->dims);
        } else if (!mx_dim_div_exact(c->dims, all, rest, &found)) {
            return fail_rest(c, all, rest);
        }
        mx_put_dim(dims, open, found);
    }
    MX_TRY(mx_output_is_dims(c, 0, dims->v, dims->n));
    if (open < 0 || mx_dim_has_unknown(c->dims, all)) {
        return mx_same_dim(c, all, mx_dim_product(c->dims, dims->v, dims->n), "elements of input and output");
    }
    return MX_OK;
}

/* The range of a quantised tensor is passed on. */
static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_reshape_shape(b, in[0], n->out[0].shape);
    for (int i = 1; i < n->n_out; i++) {
        out[i] = in[i];
    }
}

/* ---- Reshape */

struct reshape {
    struct mx_tuple shape;
    bool reverse;
    struct mx_tuple target_shape; /* in 0.x: used if shape is empty */
    bool keep_highest;
};

/* The meanings of 0, -1, -2, ... in the three forms of the operator. */
enum code { NO_CODE, SIZE, OPEN, COPY, REST, MERGE, SPLIT, DROP };
enum { MAX_CODES = 7 };

struct dialect {
    const char *attribute;
    enum code codes[MAX_CODES];
};

static const struct dialect legacy = {"shape", {COPY, OPEN, REST, MERGE, SPLIT}};
static const struct dialect numpy = {"newshape", {SIZE, OPEN}};
/* src/operator/numpy/np_matrix_op.cc, NumpyXReshapeInferShape */
static const struct dialect numpy_x = {"newshape", {SIZE, OPEN, COPY, DROP, REST, MERGE, SPLIT}};

static const struct mx_attr reshape_attrs[] = {
    MX_SIZES_NONE(struct reshape, shape, "()"),
    MX_BOOL(struct reshape, reverse, "False"),
    MX_SIZES_NONE(struct reshape, target_shape, "()"),
    MX_BOOL(struct reshape, keep_highest, "False"),
};

static const struct mx_attr numpy_attrs[] = {
    MX_ATTR_NAMED("newshape", struct reshape, shape, struct mx_tuple, MX_ATTR_TUPLE_NONE, NULL, MX_IS_LONG),
    MX_BOOL(struct reshape, reverse, "False"),
    MX_IGNORED("order"),                                                                                     /* "C" only */
};

/* Codes are read from left to right with a cursor on the input's dims; if reversed, from right to left. */
struct codes {
    const struct dialect *dialect;
    const int64_t *v;
    int n, at;
    const mx_dim *in;
    int n_in, cursor;
    bool reverse;
    struct mx_dim_list out;
    int open, open_code; /* the indices of the -1: in the result, and among the codes */
};

static int64_t next_code(struct codes *r)
{
    const int i = r->at++;
    return r->v[r->reverse ? r->n - 1 - i : i];
}

static mx_dim next_dim(struct codes *r)
{
    const int i = r->cursor++;
    return r->in[r->reverse ? r->n_in - 1 - i : i];
}

/* Splits one dim into the next two values; one may be -1. */
static int split_dim(struct mx_infer *c, struct codes *r)
{
    const char *attribute = r->dialect->attribute;
    if (r->at + 2 > r->n || r->cursor >= r->n_in) {
        return mx_infer_fail(c, attribute,
                             "-4, which splits an axis, must be followed by two sizes, and the input must have an axis left to split");
    }
    const mx_dim whole = next_dim(r);
    const int64_t a = next_code(r);
    const int64_t b = next_code(r);
    const bool whole_sizes = a <= INT32_MAX && b <= INT32_MAX && a >= -1 && b >= -1;
    if (!whole_sizes || a == 0 || b == 0 || (a == -1 && b == -1)) {
        return mx_infer_fail(
            c, attribute, "-4, which splits an axis, is followed by %lld and %lld, but one must be positive and the other positive or -1",
            (long long)a, (long long)b);
    }
    if (a != -1 && b != -1) {
        mx_push_dim(&r->out, mx_dim_of(a));
        mx_push_dim(&r->out, mx_dim_of(b));
        return mx_same_dim(c, whole, mx_dim_of(a * b), "the dimension to split");
    }
    const mx_dim given = mx_dim_of(a == -1 ? b : a);
    mx_dim other;
    if (mx_dim_has_unknown(c->dims, whole)) {
        return MX_LATER;
    }
    if (!mx_dim_div_exact(c->dims, whole, given, &other)) {
        return mx_infer_fail(c, attribute, "the size after -4 does not divide the axis to split" MX_HELP "choose another size");
    }
    mx_push_dim(&r->out, a == -1 ? other : given);
    mx_push_dim(&r->out, a == -1 ? given : other);
    return MX_OK;
}

static enum code meaning(const struct dialect *d, int64_t code)
{
    return code > 0 ? (code <= INT32_MAX ? SIZE : NO_CODE) : code > -MAX_CODES ? d->codes[-code] : NO_CODE;
}

static int read_code(struct mx_infer *c, struct codes *r)
{
    const int64_t code = next_code(r);
    const enum code what = meaning(r->dialect, code);
    const int left = r->n_in - r->cursor;
    if (what == SIZE) {
        mx_push_dim(&r->out, mx_dim_of(code));
        r->cursor++;
    } else if (what == COPY && left > 0) {
        mx_push_dim(&r->out, next_dim(r));
    } else if (what == OPEN && r->open < 0) {
        r->open = r->out.n;
        r->open_code = r->at - 1;
        mx_push_dim(&r->out, mx_dim_of(1));
        r->cursor++;
    } else if (what == REST) {
        while (r->cursor < r->n_in) {
            mx_push_dim(&r->out, next_dim(r));
        }
    } else if (what == MERGE && left > 1) {
        const mx_dim first = next_dim(r);
        mx_push_dim(&r->out, mx_dim_mul(c->dims, first, next_dim(r)));
    } else if (what == SPLIT) {
        return split_dim(c, r);
    } else if (what == DROP && left > 0) {
        return mx_same_dim(c, next_dim(r), mx_dim_of(1), "the dimension to drop");
    } else {
        return mx_infer_fail(c, r->dialect->attribute,
                             "%lld at position %d is not valid for an input of rank %d" MX_HELP "see the shape argument of MXNet's reshape",
                             (long long)code, r->at - 1, r->n_in);
    }
    return MX_OK;
}

/* MXNet counts axes by codes when it puts in the size of a -1, also after -4, which makes two axes, and -2, which makes any number. What
 * it replaces must be a 1, else the result does not have the elements of the input; after the end of the result, it replaces nothing. */
static int misplace(struct mx_infer *c, struct codes *r)
{
    const bool inside = r->open_code < r->out.n;
    const mx_dim there = inside ? mx_get_dim(&r->out, r->open_code) : mx_dim_of(1);
    if (mx_dim_has_unknown(c->dims, there)) {
        return MX_LATER;
    }
    if (!mx_dim_equal(c->dims, there, mx_dim_of(1))) {
        return mx_infer_fail(c, r->dialect->attribute,
                             "-1 at position %d follows -4 or -2, and MXNet replaces another size by the one it computes" MX_HELP
                             "replace -1 by a number, or -4 and -2 by sizes",
                             r->open_code);
    }
    r->open = inside ? r->open_code : -1;
    return MX_OK;
}

static int infer_codes(struct mx_infer *c, struct mx_shape s)
{
    const struct reshape *a = c->attrs;
    const struct mx_tuple shape = a->shape;
    struct codes r = {.dialect = c->node->op->data,
                      .v = shape.v,
                      .n = shape.n,
                      .in = s.dims,
                      .n_in = s.ndim,
                      .reverse = a->reverse,
                      .out = mx_no_dims(c),
                      .open = -1,
                      .open_code = -1};
    if (shape.n > MX_MAX_RANK) {
        return mx_infer_fail(c, r.dialect->attribute, MX_SUBJECT "has length %d, but must have length at most %d", shape.n, MX_MAX_RANK);
    }
    while (r.at < r.n) {
        MX_TRY(read_code(c, &r));
        if (r.out.n > MX_MAX_RANK) {
            return mx_infer_fail(c, r.dialect->attribute, MX_SUBJECT "describes more than %d axes" MX_HELP "use fewer", MX_MAX_RANK);
        }
    }
    if (r.dialect == &legacy && r.open >= 0 && r.open != r.open_code) {
        MX_TRY(misplace(c, &r));
    }
    for (int i = 0; r.reverse && i < r.out.n / 2; i++) {
        const mx_dim d = mx_get_dim(&r.out, i);
        mx_put_dim(&r.out, i, mx_get_dim(&r.out, r.out.n - 1 - i));
        mx_put_dim(&r.out, r.out.n - 1 - i, d);
    }
    if (r.reverse && r.open >= 0) {
        r.open = r.out.n - 1 - r.open;
    }
    return output_fills(c, s, &r.out, r.open);
}

/* A 0 in target_shape is computed from the other dims. */
static int infer_target(struct mx_infer *c, struct mx_shape s)
{
    const struct reshape *a = c->attrs;
    const struct mx_tuple target = a->target_shape;
    struct mx_dim_list dims = mx_no_dims(c);
    int open = -1;
    if (target.n > MX_MAX_RANK || (s.ndim == 0 && a->keep_highest)) {
        return mx_infer_fail(c, "target_shape",
                             MX_SUBJECT "has %d sizes, which is not valid for an input of rank %d" MX_HELP "use shape instead", target.n,
                             s.ndim);
    }
    for (int i = 0; i < target.n; i++) {
        if (i == 0 && a->keep_highest) {
            mx_put_dim(&dims, 0, s.dims[0]);
            continue;
        }
        if (target.v[i] < 0 || target.v[i] > INT32_MAX || (target.v[i] == 0 && open >= 0)) {
            return mx_infer_fail(c, "target_shape", MX_SUBJECT "holds %lld at position %d" MX_HELP "use positive sizes and at most one 0",
                                 (long long)target.v[i], i);
        }
        open = target.v[i] == 0 ? i : open;
        mx_put_dim(&dims, i, mx_dim_of(target.v[i]));
    }
    return output_fills(c, s, &dims, open);
}

static int infer_reshape(struct mx_infer *c)
{
    const struct reshape *a = c->attrs;
    const bool coded = a->shape.n > 0 || c->node->op->data != &legacy;
    struct mx_shape s;
    MX_TRY(mx_infer_ranges(c, 1, c->node->n_in - 1, 1, c->node->n_out - 1));
    MX_TRY(mx_same_dtype(c, 0, 0));
    if (!coded && a->target_shape.n == 0) {
        return mx_infer_fail(c, "shape", MX_SUBJECT "is empty" MX_HELP "give the new shape");
    }
    MX_TRY(mx_input(c, 0, &s));
    return coded ? infer_codes(c, s) : infer_target(c, s);
}

/* ---- dynamic_reshape: to a shape computed at run time (src/operator/contrib/dynamic_shape_ops.cc) */

static int infer_dynamic(struct mx_infer *c)
{
    const struct mx_shape known = mx_output(c, 0);
    struct mx_shape s, sizes;
    struct mx_dim_list dims = mx_no_dims(c);
    int64_t n;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    MX_TRY(mx_input_rank(c, 1, 1, &sizes));
    MX_TRY(mx_number(c, sizes.dims[0], "the number of sizes", &n));
    if (n < 1 || n > MX_MAX_RANK) {
        return mx_infer_fail(c, "shape", MX_SUBJECT "has %lld sizes, but must have 1 to %d", (long long)n, MX_MAX_RANK);
    }
    for (int i = 0; i < n; i++) {
        mx_put_dim(&dims, i, known.ndim == n ? known.dims[i] : mx_dim_unknown(c->dims));
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

/* MXNet 2.0.0b1 does not compare the numbers of elements: the result then has some of them, or what was in memory. */
static bool fits(struct ox_build *b, ox_val x, const int64_t *sizes, int n)
{
    struct mx_dims *t = ox_dims_table(b);
    const struct mx_shape s = ox_shape(b, x);
    const mx_dim elements = mx_shape_elements(t, s);
    mx_dim product = mx_dim_of(1), open;
    int n_open = 0;
    int64_t have, want;
    for (int i = 0; i < n; i++) {
        if (sizes[i] < -1 || (sizes[i] == 0 && i >= s.ndim)) {
            return false;
        }
        n_open += sizes[i] == -1;
        product = sizes[i] == -1 ? product : mx_dim_mul(t, product, sizes[i] == 0 ? s.dims[i] : mx_dim_of(sizes[i]));
    }
    return n_open == 1 ? mx_dim_div_exact(t, elements, product, &open)
                       : n_open == 0 && !(mx_dim_known(t, elements, &have) && mx_dim_known(t, product, &want) && have != want);
}

static void lower_dynamic(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    struct mx_int_list sizes = ox_no_ints(b);
    const ox_val shape = ox_cast(b, in[1], MX_INT64); /* 0.5 is 0, then */
    if (ox_const_list(b, shape, MX_MAX_RANK, &sizes) && !fits(b, in[0], sizes.v, sizes.n)) {
        ox_fail(b, "shape",
                MX_SUBJECT "does not match the number of elements of the data" MX_HELP
                           "use positive sizes, 0 for the size of the data, and one -1 for the rest");
        return;
    }
    out[0] = ox_shaped(b, OX_Reshape, OX_IN(in[0], shape), OX_NO_ATTRS, n->out[0].shape);
}

/* ---- Flatten */

static int infer_flatten(struct mx_infer *c)
{
    struct mx_shape s;
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &s));
    if (s.ndim == 0) {
        return mx_infer_fail(c, NULL, "the input has rank 0, but must have rank 1 or more");
    }
    const mx_dim rest = mx_dim_product(c->dims, s.dims + 1, s.ndim - 1);
    const mx_dim dims[] = {s.dims[0], rest};
    return mx_output_is_dims(c, 0, dims, 2);
}

static void lower_flatten(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    out[0] = ox_rank(b, in[0]) == 2 ? in[0] : ox_node(b, OX_Flatten, OX_IN(in[0]), OX_ATTRS(OX_I("axis", 1)));
}

/* ---- reshape_like: a range of lhs's dims is replaced by a range of rhs's */

struct reshape_like {
    struct mx_opt_int lhs_begin, lhs_end, rhs_begin, rhs_end;
};

static const struct mx_attr like_attrs[] = {
    MX_INT_NONE(struct reshape_like, lhs_begin, "None"),
    MX_INT_NONE(struct reshape_like, lhs_end, "None"),
    MX_INT_NONE(struct reshape_like, rhs_begin, "None"),
    MX_INT_NONE(struct reshape_like, rhs_end, "None"),
};

/* The range of lhs (i = 0) or rhs (i = 1). */
static int range(struct mx_infer *c, int i, int ndim, int out[2])
{
    const struct reshape_like *a = c->attrs;
    const struct mx_opt_int from = i == 0 ? a->lhs_begin : a->rhs_begin, to = i == 0 ? a->lhs_end : a->rhs_end;
    const int64_t begin = from.given ? mx_wrap(from.v, ndim) : 0;
    const int64_t end = to.given ? mx_wrap(to.v, ndim) : ndim;
    if (begin < 0 || end > ndim || begin >= end) {
        return mx_infer_fail(c, i == 0 ? "lhs_begin" : "rhs_begin", "the range %lld to %lld is empty or not within an input of rank %d",
                             (long long)begin, (long long)end, ndim);
    }
    out[0] = (int)begin;
    out[1] = (int)end;
    return MX_OK;
}

static int infer_like(struct mx_infer *c)
{
    struct mx_shape l, r;
    int lr[2] = {0}, rr[2] = {0};
    struct mx_dim_list dims = mx_no_dims(c);
    MX_TRY(mx_same_dtype(c, 0, 0));
    MX_TRY(mx_input(c, 0, &l));
    MX_TRY(mx_input(c, 1, &r));
    MX_TRY(range(c, 0, l.ndim, lr));
    MX_TRY(range(c, 1, r.ndim, rr));
    mx_push_dims(&dims, l.dims, lr[0]);
    mx_push_dims(&dims, r.dims + rr[0], rr[1] - rr[0]);
    mx_push_dims(&dims, l.dims + lr[1], l.ndim - lr[1]);
    return output_fills(c, l, &dims, -1);
}

const struct mx_op mx_ops_reshape[] = {
    {.name = "Flatten", .alias = "_npx_batch_flatten flatten", .infer = infer_flatten, .lower = lower_flatten},
    {
        .name = "Reshape",
        .alias = "reshape",
        MX_ATTRS(reshape_attrs, struct reshape),
        .infer = infer_reshape,
        .lower = lower,
        .data = &legacy,
    },
    {.name = "_np_reshape", MX_ATTRS(numpy_attrs, struct reshape), .inputs = "a", .infer = infer_reshape, .lower = lower, .data = &numpy},
    {
        .name = "_npx_reshape",
        .alias = "_npi_reshape",
        MX_ATTRS(numpy_attrs, struct reshape),
        .inputs = "a",
        .infer = infer_reshape,
        .lower = lower,
        .data = &numpy_x,
    },
    {
        .name = "reshape_like",
        .alias = "_npx_reshape_like",
        MX_ATTRS(like_attrs, struct reshape_like),
        .inputs = "lhs rhs",
        .infer = infer_like,
        .lower = lower,
    },
    {
        .name = "_contrib_dynamic_reshape",
        .inputs = "data shape",
        .infer = infer_dynamic,
        .lower = lower_dynamic,
        .refuses = "A shape in the parameter file that has numbers below -1, or that does not match the number of elements: ONNX's Reshape "
                   "cannot express it.",
        .differs =
            "A shape computed at run time that has numbers below -1, or that does not match the number of elements: the model fails; "
            "MXNet's Reshape has a meaning for numbers below -1, and MXNet 2.0.0b1 does not compare the numbers of elements.",
    },
    {
        .name = "_contrib_quantized_reshape",
        .alias = "quantized_reshape",
        MX_ATTRS(reshape_attrs, struct reshape),
        .inputs = "data min_data max_data",
        .outputs = "output min_output max_output",
        .infer = infer_reshape,
        .lower = lower,
        .data = &legacy,
    },
    {
        .name = "_npx_quantized_reshape",
        MX_ATTRS(numpy_attrs, struct reshape),
        .inputs = "data min_data max_data",
        .outputs = "output min_output max_output",
        .infer = infer_reshape,
        .lower = lower,
        .data = &numpy_x,
    },
    MX_OPS_END,
};
