/* Notes what the model does to an input before its first convolution: (x - 127.5) * 0.0078125. Who calls the model must not do it
 * again; the note is in the report and in the model's metadata, under "input:NAME". The caller's own mean and scale may do it again, too:
 * a warning names the node of the net that normalises after them. */
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "graph/graph.h"
#include "onnx/pass/rewrite.h"
#include "onnx/tensor/bytes.h"

enum { MOST_STEPS = 4 };

struct steps {
    enum ox_op op[MOST_STEPS];
    double number[MOST_STEPS]; /* the last one is applied first */
    int n;
};

/* The input of a sum or product that is a constant, or 1 for a constant that is subtracted or divided by; -1 for other nodes. */
static int constant_input(const struct ox_model *m, const struct ox_node *n)
{
    if (ox_node_in(n, OX_OPS(OX_Add, OX_Mul)) && m->values[n->in[0]].tensor) {
        return 0;
    }
    return ox_node_in(n, OX_OPS(OX_Add, OX_Div, OX_Mul, OX_Sub)) && m->values[n->in[1]].tensor ? 1 : -1;
}

/* Adds a node that adds a number, or multiplies by one, and gives its other input; OX_NONE if n does something else. */
static ox_val add_step(const struct ox_model *m, const struct ox_node *n, struct steps *s)
{
    const int i = constant_input(m, n);
    const struct ox_tensor *t = i < 0 ? NULL : m->values[n->in[i]].tensor;
    double bits; /* room for any type */
    if (!t || !mx_dtype_is_float(t->dtype) || ox_tensor_elements(t) != 1 || s->n == MOST_STEPS || ox_tensor_read(t, &bits) != MX_OK) {
        return OX_NONE;
    }
    s->op[s->n] = n->op;
    ox_convert(t->dtype, MX_FLOAT64, &bits, &s->number[s->n++], 1);
    return n->in[1 - i];
}

/* The input that a convolution reads, and what is done to it before; OX_NONE if it reads something else. */
static ox_val find_steps(const struct ox_model *m, const struct ox_node *conv, struct steps *s)
{
    ox_val x = conv->in[0];
    while (x != OX_NONE && !m->values[x].is_input) {
        const struct ox_node *n = ox_only_maker(m, &m->main, x);
        const bool moves = ox_node_is(n, OX_Cast) || ox_node_is(n, OX_Transpose) || ox_reverses_channels(n);
        x = moves ? n->in[0] : n ? add_step(m, n, s) : OX_NONE;
    }
    return x;
}

/* NULL when memory runs out. */
static const char *format(struct ox_model *m, const struct steps *s)
{
    const char *text = "x";
    bool sum = false, shifted = false, scaled = false;
    for (int i = s->n - 1; text && i >= 0; i--) {
        const bool adds = s->op[i] == OX_Add || s->op[i] == OX_Sub;
        const char sign = s->op[i] == OX_Add ? '+' : s->op[i] == OX_Sub ? '-' : s->op[i] == OX_Mul ? '*' : '/';
        char number[32];
        mx_format_double(number, s->number[i]);
        text = mx_arena_printf(&m->arena, sum && !adds ? "(%s) %c %s" : "%s %c %s", text, sign, number);
        sum = adds;
        shifted = shifted || adds;
        scaled = scaled || !adds;
    }
    return text && !(shifted && scaled) ? "" : text;
}

static int note(struct ox_model *m, ox_val x, const char *text)
{
    struct ox_input_note *note = MX_ARENA_NEW(&m->arena, struct ox_input_note);
    MX_TRY_ALLOC(note);
    *note = (struct ox_input_note){x, text, m->input_notes};
    m->input_notes = note;
    mx_note(m->diags, mx_named(m->values[x].name), "the model normalises this input: %s" MX_HELP "do not normalise it before", text);
    return MX_OK;
}

static bool is_noted(const struct ox_model *m, ox_val x)
{
    const struct ox_input_note *note = m->input_notes;
    while (note && note->input != x) {
        note = note->next;
    }
    return note;
}

/* ---- normalised twice */

enum { MOST_MOVES = 8 }; /* nodes between the caller's preprocessing and the net: casts, and changes of the layout */

/* The input that the caller's mean or scale is applied to before x, which is not changed otherwise; OX_NONE if there is none. */
static ox_val preprocessed_input(const struct ox_model *m, ox_val x)
{
    const enum ox_op *moves = OX_OPS(OX_Cast, OX_Transpose, OX_Slice);
    bool normalised = false;
    for (int i = 0; i < MOST_MOVES && !m->values[x].is_input; i++) {
        const struct ox_node *n = m->values[x].producer;
        const bool chosen = n && n->from && n->from->is_preprocessing, moved = ox_node_in(n, moves);
        if (!chosen && !moved) {
            return OX_NONE;
        }
        normalised = normalised || !moved;
        x = n->in[0];
    }
    return normalised && m->values[x].is_input ? x : OX_NONE;
}

/* The value that a node of the net normalises by constants; OX_NONE if it does something else. */
static ox_val normalised_by(const struct ox_model *m, const struct ox_node *n)
{
    if (!n->from || n->from->is_preprocessing) {
        return OX_NONE;
    }
    if (ox_node_is(n, OX_BatchNormalization)) {
        return n->in[0];
    }
    const int i = constant_input(m, n);
    return i < 0 ? OX_NONE : n->in[1 - i];
}

/* A net may well be trained with a BatchNorm of normalised images, but not with a mean that is subtracted twice. */
static void warn_twice(const struct ox_model *m, const struct ox_node *n, ox_val input)
{
    const struct mx_where where = {.node = n->from->name, .op = n->from->op_name};
    if (ox_node_is(n, OX_BatchNormalization)) {
        mx_note(m->diags, where,
                "the model normalises input '%s' here, after the mean and scale that are set for it" MX_HELP
                "set mean and scale only if the model was trained with images normalised by them",
                m->values[input].name);
    } else {
        mx_warn(m->diags, where,
                "the model normalises input '%s' here, after the mean and scale that are set for it, so that it is normalised twice" MX_HELP
                "do not set a mean or scale",
                m->values[input].name);
    }
}

int ox_note_inputs(struct ox_model *m)
{
    enum { MOST_NOTES = 16 };
    int count = 0, twice = 0;
    for (int i = 0; i < m->main.n_nodes && count < MOST_NOTES; i++) {
        struct steps s = {.n = 0};
        MX_TRY(mx_tick(m->arena.budget, MX_TICK_NODE));
        const ox_val of = normalised_by(m, m->main.nodes[i]), input = of == OX_NONE ? OX_NONE : preprocessed_input(m, of);
        if (input != OX_NONE && twice++ < MOST_NOTES) {
            warn_twice(m, m->main.nodes[i], input);
        }
        const ox_val x = ox_is_conv(m->main.nodes[i]) ? find_steps(m, m->main.nodes[i], &s) : OX_NONE;
        const char *text = x != OX_NONE && !is_noted(m, x) ? format(m, &s) : "";
        MX_TRY_ALLOC(text);
        if (*text) {
            MX_TRY(note(m, x, text));
            count++;
        }
    }
    return MX_OK;
}
