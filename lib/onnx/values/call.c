/* The inputs and attributes of a call, while it is put into the graph or rewritten to another form. */
#include <string.h>

#include "onnx/schema/row.h"
#include "onnx/values/state.h"

/* Takes the caller's attributes; the data they point to are copied when the node is kept. */
static bool take_attrs(struct ox_call *c, const struct ox_attr *attrs, struct ox_attr *few)
{
    const int n = ox_count_attrs(attrs);
    c->attrs = n + OX_SPARE < OX_FEW_ATTRS ? few : MX_ARENA_ARRAY(&c->b->model->arena, struct ox_attr, (size_t)n + OX_SPARE + 1);
    if (!c->attrs) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        c->attrs[i] = attrs[i];
    }
    c->attrs[n].kind = OX_A_END;
    c->n_attrs = n;
    return true;
}

static bool take_inputs(struct ox_call *c, const ox_val *in, ox_val *few)
{
    int n = 0;
    while (in[n] != OX_END) {
        n++;
    }
    while (n > 0 && in[n - 1] == OX_NONE) {
        n--; /* omitted trailing inputs */
    }
    c->in = n + OX_SPARE <= OX_FEW_INPUTS ? few : MX_ARENA_ARRAY(&c->b->model->arena, ox_val, (size_t)n + OX_SPARE);
    if (!c->in) {
        return false;
    }
    if (n > 0) {
        memcpy(c->in, in, (size_t)n * sizeof *in);
    }
    c->n_in = n;
    return true;
}

void ox_open_call(struct ox_call *c, struct ox_call_room *room, const ox_val *in, const struct ox_attr *attrs)
{
    struct mx_arena *arena = &c->b->model->arena;
    const size_t n = (size_t)c->n_out;
    const bool few = c->n_out <= OX_FEW_OUTPUTS;
    if (c->op == OX_FOREIGN && !c->foreign) {
        /* Not by a file: only ox_foreign_n passes OX_FOREIGN. */
        ox_broken(c->b, "internal error: an operator of another domain is none of ONNX's");
    }
    if (ox_failed(c->b)) {
        return;
    }
    c->schema = &ox_schemas[c->op];
    c->dtypes = few ? room->dtypes : MX_ARENA_ARRAY(arena, enum mx_dtype, n);
    c->shapes = few ? room->shapes : MX_ARENA_ARRAY(arena, struct mx_shape, n);
    if (!c->dtypes || !c->shapes || !take_inputs(c, in, room->in) || !take_attrs(c, attrs, room->attrs)) {
        ox_oom(c->b);
    }
}

ox_val ox_call_in(const struct ox_call *c, int i)
{
    return i < c->n_in ? c->in[i] : OX_NONE;
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
