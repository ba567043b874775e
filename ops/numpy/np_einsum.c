/* einsum. MXNet's letters and "..." are the same in ONNX; an implicit output is made explicit. */
#include "op/op.h"

struct einsum {
    int64_t num_args;
    const char *subscripts;
};

static const struct mx_attr attrs[] = {
    MX_COUNT(struct einsum, num_args, NULL), MX_STRING(struct einsum, subscripts, ""),
    MX_IGNORED("optimize"),                                                            /* the order of the products */
};

enum { LETTERS = 128, ELLIPSIS = '.' }; /* of "..." in a label only the first dot is kept */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Labels of one operand: letters and at most one ELLIPSIS. */
struct labels {
    int n, ellipsis; /* index of the ELLIPSIS, -1: none */
    char v[MX_MAX_RANK + 1];
};

/* False if there are too many. */
static bool add_label(struct labels *l, char label)
{
    if (l->n > MX_MAX_RANK) {
        return false;
    }
    l->v[l->n++] = label;
    return true;
}

/* Reads labels up to a comma, an arrow or the end. False if they are invalid. */
static bool read_labels(const char **text, struct labels *l)
{
    const char *p = *text;
    l->n = 0;
    l->ellipsis = -1;
    for (; *p && *p != ',' && *p != '-'; p++) {
        if (*p == ' ') {
            continue;
        }
        const bool points = p[0] == '.' && p[1] == '.' && p[2] == '.';
        if ((!points && !is_letter(*p)) || (points && l->ellipsis >= 0)) {
            return false;
        }
        l->ellipsis = points ? l->n : l->ellipsis;
        if (!add_label(l, *p)) {
            return false;
        }
        p += points ? 2 : 0;
    }
    *text = p;
    return true;
}

/* Without an arrow: "..." and the letters that occur once, in alphabetical order. */
static void implicit_output(const int *seen, bool ellipsis, struct labels *out)
{
    out->n = 0;
    out->ellipsis = ellipsis ? 0 : -1;
    if (ellipsis) {
        (void)add_label(out, ELLIPSIS);
    }
    for (int c = 0; c < LETTERS; c++) {
        if (seen[c] == 1 && is_letter((char)c)) {
            (void)add_label(out, (char)c);
        }
    }
}

/* Parses the text. operands has room for n. */
static bool parse(const char *text, struct labels *operands, int n, struct labels *out)
{
    int seen[LETTERS] = {0};
    bool ellipsis = false;
    for (int i = 0; i < n; i++) {
        if (!read_labels(&text, &operands[i]) || (*text == ',') != (i < n - 1)) {
            return false;
        }
        text += i < n - 1;
        for (int k = 0; k < operands[i].n; k++) {
            seen[(unsigned char)operands[i].v[k]]++;
        }
        ellipsis = ellipsis || operands[i].ellipsis >= 0;
    }
    if (*text == 0) {
        implicit_output(seen, ellipsis, out);
        return true;
    }
    if (text[1] != '>') { /* after the hyphen */
        return false;
    }
    text += 2;
    return read_labels(&text, out) && *text == 0;
}

/* ---- shapes */

struct sizes {
    mx_dim of[LETTERS];
    bool known[LETTERS];
    struct mx_shape ellipsis;
};

/* Notes the size of a label: sizes with the same label are equal or 1. */
static int note_size(struct mx_infer *c, struct sizes *z, char label, mx_dim d)
{
    const unsigned k = (unsigned char)label;
    struct mx_shape both;
    if (!z->known[k]) {
        z->of[k] = d;
        z->known[k] = true;
        return MX_OK;
    }
    const struct mx_shape x = {1, &z->of[k]}, y = {1, &d};
    MX_TRY(mx_broadcast_shapes(c, x, y, &both));
    z->of[k] = both.dims[0];
    return MX_OK;
}

static int note_operand(struct mx_infer *c, struct sizes *z, const struct labels *l, struct mx_shape s)
{
    const bool dots = l->ellipsis >= 0;
    const int wide = s.ndim - (l->n - dots);
    if (wide < 0 || (wide > 0 && !dots)) {
        return mx_infer_fail(c, "subscripts", MX_SUBJECT "names %d axes of an input that has rank %d", l->n - dots, s.ndim);
    }
    for (int i = 0, at = 0; i < l->n; i++) {
        if (i == l->ellipsis) {
            const struct mx_shape rest = {wide, s.dims + at};
            MX_TRY(mx_broadcast_shapes(c, z->ellipsis, rest, &z->ellipsis));
            at += wide;
        } else {
            MX_TRY(note_size(c, z, l->v[i], s.dims[at++]));
        }
    }
    return MX_OK;
}

static int output_sized(struct mx_infer *c, const struct sizes *z, const struct labels *out)
{
    struct mx_dim_list dims = mx_no_dims(c);
    for (int i = 0; i < out->n; i++) {
        if (i == out->ellipsis) {
            mx_push_dims(&dims, z->ellipsis.dims, z->ellipsis.ndim);
        } else if (!z->known[(unsigned char)out->v[i]]) {
            return mx_infer_fail(c, "subscripts", "the output has the letter '%c', which is in no input", out->v[i]);
        } else {
            mx_push_dim(&dims, z->of[(unsigned char)out->v[i]]);
        }
    }
    return mx_output_is_dims(c, 0, dims.v, dims.n);
}

static int infer(struct mx_infer *c)
{
    const struct einsum *a = c->attrs;
    struct sizes z = {.ellipsis = {0, NULL}};
    struct labels out;
    struct labels *operands = MX_ARENA_ARRAY(c->scratch, struct labels, (size_t)c->node->n_in);
    MX_TRY_ALLOC(operands);
    MX_TRY(mx_same_dtype(c, 0, -1));
    if (!parse(a->subscripts, operands, c->node->n_in, &out)) {
        return mx_infer_fail(c, "subscripts", "\"%s\" is not valid for %d inputs" MX_HELP "see numpy.einsum", a->subscripts, c->node->n_in);
    }
    for (int i = 0; i < c->node->n_in; i++) {
        struct mx_shape s;
        MX_TRY(mx_input(c, i, &s));
        MX_TRY(note_operand(c, &z, &operands[i], s));
    }
    return output_sized(c, &z, &out);
}

/* ---- writing */

static char *put_labels(char *p, const struct labels *l)
{
    for (int i = 0; i < l->n; i++) {
        *p++ = l->v[i];
        if (i == l->ellipsis) {
            *p++ = '.';
            *p++ = '.';
        }
    }
    return p;
}

/* Facts about all operands together. */
struct common {
    bool wide[LETTERS]; /* some operand has more than one element for the letter */
    int dots;           /* the largest number of axes that "..." stands for */
};

static int dots_of(struct ox_build *b, ox_val x, const struct labels *l)
{
    return l->ellipsis < 0 ? 0 : ox_rank(b, x) - (l->n - 1);
}

/* The axis of label i. */
static int axis_of(struct ox_build *b, ox_val x, const struct labels *l, int i)
{
    return l->ellipsis >= 0 && i > l->ellipsis ? i - 1 + dots_of(b, x, l) : i;
}

static bool is_one(struct ox_build *b, ox_val x, int axis)
{
    return mx_dim_equal(ox_dims_table(b), ox_dim_at(b, x, axis), mx_dim_of(1));
}

static void note_common(struct ox_build *b, ox_val x, const struct labels *l, struct common *all)
{
    for (int i = 0; i < l->n; i++) {
        if (i != l->ellipsis && !is_one(b, x, axis_of(b, x, l, i))) {
            all->wide[(unsigned char)l->v[i]] = true;
        }
    }
    all->dots = dots_of(b, x, l) > all->dots ? dots_of(b, x, l) : all->dots;
}

/* ONNX does not broadcast letters, and requires the same rank for each "...": a size of 1 where others are larger is dropped together
 * with its letter, and axes missing from "..." are inserted. */
static ox_val fit(struct ox_build *b, ox_val x, struct labels *l, const struct common *all)
{
    struct mx_int_list drop = ox_no_ints(b);
    struct labels left = {.ellipsis = -1};
    const int dots = dots_of(b, x, l), n_add = l->ellipsis < 0 ? 0 : all->dots - dots;
    for (int i = 0; i < l->n; i++) {
        const int axis = axis_of(b, x, l, i);
        if (i == l->ellipsis) {
            left.ellipsis = left.n;
        } else if (all->wide[(unsigned char)l->v[i]] && is_one(b, x, axis)) {
            mx_push_int(&drop, axis);
            continue;
        }
        (void)add_label(&left, l->v[i]);
    }
    *l = left;
    return ox_insert_axes(b, ox_squeeze(b, x, drop.v, drop.n), left.ellipsis, n_add);
}

static ox_val product(struct ox_build *b, const ox_val *list, const char *text, struct mx_shape s)
{
    const ox_val y = ox_node(b, OX_Einsum, list, OX_ATTRS(OX_S("equation", text)));
    ox_typed(b, y, ox_dtype(b, list[0]), s);
    return y;
}

enum { MAX_OPEN = 64 };

/* The product of all sizes known only at run time, each counted once; 1 if there is none, 0 if a known size is 0. */
static mx_dim open_sizes(struct ox_build *b, const ox_val *list)
{
    struct mx_dims *t = ox_dims_table(b);
    mx_dim seen[MAX_OPEN], all = mx_dim_of(1);
    int64_t size;
    int n = 0;
    for (int i = 0; list[i] != OX_END; i++) {
        for (int k = 0; k < ox_rank(b, list[i]) && n < MAX_OPEN; k++) {
            const mx_dim d = ox_dim_at(b, list[i], k);
            bool old = mx_dim_known(t, d, &size);
            if (old && size == 0) {
                return mx_dim_of(0);
            }
            for (int j = 0; j < n && !old; j++) {
                old = mx_dim_equal(t, seen[j], d);
            }
            if (!old) {
                seen[n++] = d;
                all = mx_dim_mul(t, all, d);
            }
        }
    }
    return all;
}

/* ONNX Runtime's Einsum terminates the process for many equations with a size of 0, whose result is empty or zeros. */
static ox_val product_or_zeros(struct ox_build *b, const ox_val *list, const char *text, struct mx_shape s)
{
    int64_t known;
    const mx_dim sizes = open_sizes(b, list);
    if (mx_dim_known(ox_dims_table(b), sizes, &known)) {
        return known == 0 ? ox_fill(b, ox_dtype(b, list[0]), s, 0) : product(b, list, text, s);
    }
    const ox_val none = ox_binary(b, OX_Equal, ox_dim(b, sizes), ox_scalar(b, MX_INT64, 0));
    struct ox_graph *then_branch = ox_graph_begin(b, "then");
    ox_val y = ox_fill(b, ox_dtype(b, list[0]), s, 0);
    ox_graph_end(b, &y, 1);
    struct ox_graph *else_branch = ox_graph_begin(b, "else");
    y = product(b, list, text, s);
    ox_graph_end(b, &y, 1);
    return ox_node(b, OX_If, OX_IN(none), OX_ATTRS(OX_G("then_branch", then_branch), OX_G("else_branch", else_branch)));
}

static void lower(struct ox_build *b, const struct mx_node *n, const ox_val *in, ox_val *out)
{
    const struct einsum *a = n->attrs;
    struct labels result;
    struct labels *operands = ox_scratch(b, (size_t)n->n_in, sizeof *operands);
    char *text = ox_scratch(b, (size_t)n->n_in + 1, MX_MAX_RANK + 5);
    ox_val *list = ox_scratch(b, (size_t)n->n_in + 1, sizeof *list);
    if (!operands || !text || !list || !parse(a->subscripts, operands, n->n_in, &result)) {
        return;
    }
    const enum mx_dtype t = n->out[0].dtype;
    char *p = text;
    struct common all = {.dots = 0};
    for (int i = 0; i < n->n_in; i++) {
        note_common(b, in[i], &operands[i], &all);
    }
    for (int i = 0; i < n->n_in; i++) {
        const ox_val x = fit(b, in[i], &operands[i], &all);
        p = put_labels(p, &operands[i]);
        *p++ = i < n->n_in - 1 ? ',' : '-';
        list[i] = t == MX_BOOL ? ox_cast(b, x, MX_INT32) : x;
    }
    *p++ = '>';
    *put_labels(p, &result) = 0;
    list[n->n_in] = OX_END;
    const ox_val y = product_or_zeros(b, list, text, n->out[0].shape);
    out[0] = t == MX_BOOL ? ox_is_true(b, y) : y;
}

const struct mx_op mx_ops_np_einsum[] = {
    {
        .name = "_npi_einsum",
        .min_opset = 12,
        MX_ATTRS(attrs, struct einsum),
        .inputs = "data...:count(num_args)",
        .infer = infer,
        .lower = lower,
    },
    MX_OPS_END,
};
