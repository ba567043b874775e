/* The nodes that operators request: no node if none is needed, otherwise one from ox_emit. */
#include "onnx/builder/internal.h"

/* Inputs of a fixed type are cast to it. */
static void cast_inputs(struct ox_call *c)
{
    for (int i = 0; i < c->n_in && !ox_failed(c->b); i++) {
        const enum mx_dtype t = ox_in_type(c, i);
        if (c->in[i] != OX_NONE && t != MX_DTYPE_NONE) {
            c->in[i] = ox_cast(c->b, c->in[i], t);
        }
    }
}

static void write(struct ox_call *c, const ox_val *in, const struct ox_attr *attrs, ox_val *out)
{
    struct ox_call_room room;
    for (int i = 0; i < c->n_out; i++) {
        out[i] = OX_NONE;
    }
    ox_open_call(c, &room, in, attrs);
    if (ox_failed(c->b) || ox_simplify(c, out)) {
        return;
    }
    cast_inputs(c);
    ox_shrink_operands(c);
    if (!ox_fold_spread(c, out)) {
        ox_emit_call(c, out);
    }
}

void ox_node_n(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs, ox_val *out, int n)
{
    write(&(struct ox_call){.b = b, .op = op, .n_out = n}, in, attrs, out);
}

ox_val ox_shaped(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs, struct mx_shape s)
{
    ox_val out = OX_NONE;
    write(&(struct ox_call){.b = b, .op = op, .n_out = 1, .shape = &s}, in, attrs, &out);
    for (; *in != OX_END; in++) {
        if (*in == out) {
            return out; /* no node was needed: the value has its own type */
        }
    }
    ox_typed(b, out, ox_dtype(b, out), s);
    return out;
}

ox_val ox_node(struct ox_build *b, enum ox_op op, const ox_val *in, const struct ox_attr *attrs)
{
    ox_val out = OX_NONE;
    ox_node_n(b, op, in, attrs, &out, 1);
    return out;
}

ox_val ox_unary(struct ox_build *b, enum ox_op op, ox_val x)
{
    return ox_node(b, op, OX_IN(x), OX_NO_ATTRS);
}

ox_val ox_binary(struct ox_build *b, enum ox_op op, ox_val x, ox_val y)
{
    return ox_node(b, op, OX_IN(x, y), OX_NO_ATTRS);
}
