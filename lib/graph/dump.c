#include "base/str.h"
#include "graph/graph.h"

static void append_entry(struct mx_str *out, struct mx_entry e)
{
    mx_str_append(out, e.node->name);
    if (e.node->n_out > 1) {
        mx_str_printf(out, "[%d]", e.index);
    }
}

static void append_attrs(struct mx_str *out, const struct mx_node *n)
{
    const char *separator = " {";
    for (int i = 0; i < n->n_attr_text; i++) {
        if (!mx_attr_is_hidden(n->attr_text[i].key)) {
            mx_str_printf(out, "%s%s=%s", separator, n->attr_text[i].key, n->attr_text[i].text);
            separator = ", ";
        }
    }
    mx_str_append(out, separator[0] == ',' ? "}" : "");
}

static void append_values(struct mx_str *out, const struct mx_graph *g, const struct mx_node *n)
{
    for (int i = 0; n->out && i < n->n_out; i++) {
        mx_str_printf(out, "%s %s ", i ? "," : " :", mx_dtype_name(n->out[i].dtype));
        mx_shape_format(g->dims, n->out[i].shape, out);
    }
}

void mx_graph_dump(const struct mx_graph *g, struct mx_str *out)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        const size_t start = out->length;
        if (mx_is_variable(n)) { /* its attributes are its maker's, and mean nothing on it */
            mx_str_printf(out, "%s %s", n->param ? "param" : "input", n->name);
        } else {
            mx_str_printf(out, "%s = %s(", n->name, n->op_name);
            for (int k = 0; k < n->n_in; k++) {
                mx_str_append(out, k ? ", " : "");
                append_entry(out, n->in[k]);
            }
            mx_str_append(out, ")");
            append_attrs(out, n);
        }
        append_values(out, g, n);
        mx_str_end_line(out, start);
    }
    for (int i = 0; i < g->n_heads; i++) {
        const size_t start = out->length;
        mx_str_append(out, "output ");
        append_entry(out, g->heads[i]);
        mx_str_end_line(out, start);
    }
}
