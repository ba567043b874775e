#include "shared/loop.h"

struct ox_loop ox_loop_begin(struct ox_build *b, const char *name)
{
    const struct mx_shape scalar = {0, NULL};
    struct ox_loop l = {.b = b, .body = ox_graph_begin(b, name)};
    l.at = ox_graph_input(b, MX_INT64, scalar);
    l.go = ox_graph_input(b, MX_BOOL, scalar);
    return l;
}

ox_val ox_loop_state(struct ox_loop *l, ox_val start)
{
    l->start[l->n_states++] = start;
    return ox_graph_input(l->b, ox_dtype(l->b, start), ox_shape(l->b, start));
}

void ox_loop_end(struct ox_loop *l, ox_val go, const ox_val *next, int n)
{
    ox_val outputs[OX_LOOP_VALUES + 1] = {go};
    l->n_out = n;
    for (int i = 0; i < n; i++) {
        l->next[i] = next[i];
        outputs[i + 1] = next[i];
    }
    ox_graph_end(l->b, outputs, n + 1);
}

void ox_loop_run(struct ox_loop *l, ox_val rounds, ox_val *out)
{
    ox_val in[OX_LOOP_VALUES + 3] = {rounds, OX_NONE};
    for (int i = 0; i < l->n_states; i++) {
        in[i + 2] = l->start[i];
    }
    in[l->n_states + 2] = OX_END;
    ox_node_n(l->b, OX_Loop, in, OX_ATTRS(OX_G("body", l->body)), out, l->n_out);
}

void ox_loop_times(struct ox_loop *l, mx_dim rounds, ox_val *out)
{
    struct ox_build *b = l->b;
    ox_loop_run(l, ox_dim_as(b, rounds, MX_INT64), out);
    for (int i = l->n_states; i < l->n_out && !ox_failed(b); i++) {
        const struct mx_shape each = ox_shape(b, l->next[i]);
        struct mx_dim_list dims = ox_no_dims(b);
        mx_push_dim(&dims, rounds);
        mx_push_dims(&dims, each.dims, each.ndim);
        ox_typed(b, out[i], ox_dtype(b, l->next[i]), mx_list_shape(&dims));
    }
}
