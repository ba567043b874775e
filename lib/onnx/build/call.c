/* A call on its way into the graph, or out of it for another form: its inputs and attributes. */
#include <string.h>

#include "onnx/build/internal.h"

ox_val ox_call_in(const struct ox_call *c, int i)
{
    return i >= 0 && i < c->n_in ? c->in[i] : OX_NONE;
}

void ox_set_in(struct ox_call *c, int i, ox_val x)
{
    while (c->n_in <= i) {
        c->in[c->n_in++] = OX_NONE;
    }
    c->in[i] = x;
    while (c->n_in > 0 && c->in[c->n_in - 1] == OX_NONE) {
        c->n_in--;
    }
}

void ox_drop_attr(struct ox_call *c, const char *name)
{
    for (int i = 0; i < c->n_attrs; i++) {
        if (strcmp(c->attrs[i].name, name) == 0) {
            memmove(&c->attrs[i], &c->attrs[i + 1], (size_t)(c->n_attrs - i) * sizeof *c->attrs);
            c->n_attrs--;
            return;
        }
    }
}

void ox_add_attr(struct ox_call *c, struct ox_attr attr)
{
    c->attrs[c->n_attrs + 1] = c->attrs[c->n_attrs];
    c->attrs[c->n_attrs++] = attr;
}
