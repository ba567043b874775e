/* The graph as stable text, one node per line; the form is described in ir.h and README.md. */
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/write.h"

enum { SHOWN = 16 }; /* elements of a constant */

struct dump {
    struct ox_model *m;
    struct mx_str *out;
};

static void put_float(struct mx_str *out, double value, bool single)
{
    char text[32];
    mx_format_double(text, single ? mx_shortest_single(value) : value);
    mx_str_append(out, text);
}

static void put_indent(struct dump *d, int depth)
{
    for (int i = 0; i < depth; i++) {
        mx_str_append(d->out, "    ");
    }
}

static void put_name(struct dump *d, ox_val x)
{
    const char *name = x == OX_NONE ? "-" : d->m->values[x].name;
    if (name) {
        mx_str_append(d->out, name);
    } else {
        mx_str_printf(d->out, "%%%d", (int)x); /* before names.c */
    }
}

static void put_type(struct dump *d, ox_val x)
{
    const struct ox_value *v = &d->m->values[x];
    mx_str_append(d->out, mx_dtype_name(v->dtype));
    mx_str_append(d->out, " ");
    mx_shape_format(d->m->dims, v->shape, d->out);
}

/* ---- attributes */

static void put_string(struct mx_str *out, const char *s)
{
    mx_str_append(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') {
            mx_str_append(out, "\\");
        }
        mx_str_append_bytes(out, s, 1);
    }
    mx_str_append(out, "\"");
}

static void put_list(struct mx_str *out, const struct ox_attr *a)
{
    mx_str_append(out, "[");
    for (int i = 0; i < a->n; i++) {
        mx_str_append(out, i ? ", " : "");
        if (a->kind == OX_A_INTS) {
            mx_str_printf(out, "%lld", (long long)((const int64_t *)a->v)[i]);
        } else if (a->kind == OX_A_STRINGS) {
            put_string(out, ((const char *const *)a->v)[i]);
        } else {
            put_float(out, ((const double *)a->v)[i], true);
        }
    }
    mx_str_append(out, "]");
}

static void put_attr(struct mx_str *out, const struct ox_attr *a)
{
    mx_str_append(out, a->name);
    mx_str_append(out, "=");
    switch (a->kind) {
    case OX_A_INT: mx_str_printf(out, "%lld", (long long)a->i); break;
    case OX_A_FLOAT: put_float(out, a->f, true); break;
    case OX_A_STRING: put_string(out, a->s); break;
    case OX_A_INTS:
    case OX_A_STRINGS:
    case OX_A_FLOATS: put_list(out, a); break;
    case OX_A_DTYPE: mx_str_append(out, mx_dtype_name((enum mx_dtype)a->i)); break;
    case OX_A_GRAPH: mx_str_append(out, "<body>"); break;
    case OX_A_END: break;
    }
}

static void put_attrs(struct mx_str *out, const struct ox_attr *attrs)
{
    const int n = ox_count_attrs(attrs);
    for (int i = 0; i < n; i++) {
        mx_str_append(out, i ? ", " : " {");
        put_attr(out, &attrs[i]);
    }
    mx_str_append(out, n > 0 ? "}" : "");
}

/* ---- initialisers */

static void put_element(struct mx_str *out, enum mx_dtype t, const void *element)
{
    if (mx_dtype_is_float(t)) {
        double x = 0;
        ox_convert(t, MX_FLOAT64, element, &x, 1);
        put_float(out, x, t != MX_FLOAT64);
    } else if (mx_dtype_is_signed(t)) {
        int64_t x = 0;
        ox_convert(t, MX_INT64, element, &x, 1);
        mx_str_printf(out, "%lld", (long long)x);
    } else {
        uint64_t x = 0;
        ox_convert(t, MX_UINT64, element, &x, 1);
        mx_str_printf(out, "%llu", (unsigned long long)x);
    }
}

/* Small constants are shown; data in files are not read. */
static void put_data(struct dump *d, const struct ox_tensor *t)
{
    uint64_t room[SHOWN];
    const uint64_t n = ox_tensor_elements(t);
    if (t->n_pieces == 1 && t->pieces[0].kind == OX_PIECE_FILL) {
        mx_str_append(d->out, " = all ");
        put_element(d->out, t->dtype, t->pieces[0].bytes);
        return;
    }
    if (!ox_tensor_in_memory(t) || n > SHOWN || ox_tensor_read(t, room) != MX_OK) {
        return;
    }
    mx_str_append(d->out, t->ndim == 0 ? " = " : " = [");
    for (uint64_t i = 0; i < n; i++) {
        mx_str_append(d->out, i ? ", " : "");
        put_element(d->out, t->dtype, (const uint8_t *)room + i * mx_dtype_size(t->dtype));
    }
    mx_str_append(d->out, t->ndim == 0 ? "" : "]");
}

/* ---- graphs */

static void put_value_line(struct dump *d, const char *word, ox_val x, int depth)
{
    const size_t start = d->out->length;
    put_indent(d, depth);
    mx_str_append(d->out, word);
    put_name(d, x);
    mx_str_append(d->out, " : ");
    put_type(d, x);
    if (d->m->values[x].tensor) {
        put_data(d, d->m->values[x].tensor);
    }
    mx_str_end_line(d->out, start);
}

static void put_names(struct dump *d, const ox_val *v, int n)
{
    for (int i = 0; i < n; i++) {
        mx_str_append(d->out, i ? ", " : "");
        put_name(d, v[i]);
    }
}

static void put_graph(struct dump *d, const struct ox_graph *g, int depth);

static void put_node(struct dump *d, const struct ox_node *n, int depth)
{
    const char *first = d->m->values[n->out[0]].name;
    const size_t start = d->out->length;
    put_indent(d, depth);
    put_names(d, n->out, n->n_out);
    mx_str_append(d->out, " = ");
    if (n->foreign) {
        mx_str_append(d->out, n->foreign->domain);
        mx_str_append(d->out, "::");
    }
    mx_str_append(d->out, ox_node_type(n));
    mx_str_append(d->out, "(");
    put_names(d, n->in, n->n_in);
    mx_str_append(d->out, ")");
    put_attrs(d->out, n->attrs);
    for (int i = 0; i < n->n_out; i++) {
        mx_str_append(d->out, i ? ", " : " : ");
        put_type(d, n->out[i]);
    }
    if (n->name && first && strcmp(n->name, first) != 0) {
        mx_str_append(d->out, "  # ");
        mx_str_append(d->out, n->name);
    }
    mx_str_end_line(d->out, start);
    for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
        if (a->kind == OX_A_GRAPH) {
            put_indent(d, depth + 1);
            mx_str_append(d->out, a->name);
            mx_str_append(d->out, ":\n");
            put_graph(d, a->graph, depth + 2);
        }
    }
}

static void put_graph(struct dump *d, const struct ox_graph *g, int depth)
{
    for (int i = 0; i < g->n_inputs; i++) {
        put_value_line(d, "input ", g->inputs[i], depth);
    }
    for (int i = 1; i < d->m->n_values && depth == 0; i++) {
        if (d->m->values[i].tensor && !d->m->values[i].dead) {
            put_value_line(d, "init ", i, depth);
        }
    }
    for (int i = 0; i < g->n_nodes; i++) {
        put_node(d, g->nodes[i], depth);
    }
    for (int i = 0; i < g->n_outputs; i++) {
        put_value_line(d, "output ", g->outputs[i], depth);
    }
}

void ox_dump(struct ox_model *m, struct mx_str *out)
{
    struct dump d = {.m = m, .out = out};
    mx_str_printf(out, "opset %d\n", m->opset);
    put_graph(&d, &m->main, 0);
}
