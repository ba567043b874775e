/* Small graphs through the builder, for its tests. */
#ifndef TESTS_BUILD_COMMON_H
#define TESTS_BUILD_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "graph/graph.h"
#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"

struct t {
    struct ox_model m;
    struct mx_diags diags;
    struct ox_build b;
    struct mx_node node; /* what errors name */
};

static inline struct ox_build *begin(struct t *t, int opset)
{
    memset(t, 0, sizeof *t);
    t->m.opset = opset;
    t->m.dims = mx_dims_new(&t->m.arena);
    assert_non_null(t->m.dims);
    assert_int_equal(ox_build_init(&t->b, &t->m, &t->diags), MX_OK);
    t->node = (struct mx_node){.name = "n", .op_name = "Op"};
    ox_begin_node(&t->b, &t->node);
    return &t->b;
}

static inline void end(struct t *t)
{
    ox_build_free(&t->b);
    mx_free(t->m.values);
    mx_dims_free(t->m.dims);
    mx_arena_free(&t->m.arena);
    mx_diags_free(&t->diags);
}

/* "2,batch,?,h+1": numbers, names, an unknown, a name and a number. */
static inline struct mx_shape shape(struct t *t, const char *text)
{
    mx_dim dims[MX_MAX_RANK];
    char copy[200];
    char *rest = copy;
    int n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    while (*rest) {
        char *word = rest, *comma = strchr(rest, ','), *plus;
        rest = comma ? comma + 1 : NULL;
        if (comma) {
            *comma = 0;
        }
        plus = strchr(word, '+');
        if (plus) {
            *plus = 0;
        }
        dims[n] = *word == '?'                   ? mx_dim_unknown(t->m.dims)
                  : *word >= '0' && *word <= '9' ? mx_dim_of(atoll(word))
                                                 : mx_dim_named(t->m.dims, word);
        dims[n] = plus ? mx_dim_addn(t->m.dims, dims[n], atoll(plus + 1)) : dims[n];
        n++;
        if (!rest) {
            break;
        }
    }
    return mx_shape_of(&t->m.arena, dims, n);
}

static inline ox_val input(struct t *t, const char *name, enum mx_dtype type, const char *dims)
{
    return ox_input(&t->b, name, type, shape(t, dims));
}

static inline mx_dim named(struct t *t, const char *name)
{
    return mx_dim_named(t->m.dims, name);
}

/* The shape of a value as text. */
static inline void assert_shape(struct t *t, ox_val x, const char *want)
{
    struct mx_str got = {0};
    mx_shape_format(t->m.dims, ox_shape(&t->b, x), &got);
    assert_string_equal(got.text, want);
    mx_str_free(&got);
}

/* A value as an argument: an input by name, a small constant by its elements, else the number of
 * its node. */
static inline void write_value(struct t *t, ox_val x, struct mx_str *out)
{
    const struct ox_value *v = &t->m.values[x];
    struct ox_data d;
    if (x == OX_NONE) {
        mx_str_append(out, "-");
    } else if (v->tensor && ox_data_read(&t->b, x, 64, &d)) {
        for (int64_t i = 0; i < d.count; i++) {
            mx_str_printf(out, "%s%g", i ? " " : d.ndim ? "[" : "", d.i ? (double)d.i[i] : d.f[i]);
        }
        mx_str_append(out, d.ndim ? d.count ? "]" : "[]" : "");
        ox_data_free(&d);
    } else if (v->name && !v->producer) {
        mx_str_append(out, v->name);
    } else {
        int i = 0;
        int live = 0;
        for (; i < t->m.main.n_nodes && t->m.main.nodes[i] != v->producer; i++) {
            live += !t->m.main.nodes[i]->dead;
        }
        mx_str_printf(out, "%%%d", i < t->m.main.n_nodes ? live : -1);
        for (int k = 1; v->producer && k < v->producer->n_out; k++) {
            if (v->producer->out[k] == x) {
                mx_str_printf(out, ".%d", k);
            }
        }
    }
}

static inline void write_attr(const struct ox_attr *a, struct mx_str *out)
{
    mx_str_printf(out, " %s=", a->name);
    if (a->kind == OX_A_INT || a->kind == OX_A_DTYPE) {
        mx_str_printf(out, "%lld", (long long)a->i);
    } else if (a->kind == OX_A_FLOAT) {
        mx_str_printf(out, "%g", a->f);
    } else if (a->kind == OX_A_STRING) {
        mx_str_append(out, a->s);
    }
    for (int i = 0; a->kind == OX_A_INTS && i < a->n; i++) {
        mx_str_printf(out, "%s%lld", i ? "," : "", (long long)((const int64_t *)a->v)[i]);
    }
}

/* The nodes that the outputs need, a line each: "0 Reshape(x, [0 -1]) float32 (batch, 4)". */
static inline void assert_nodes(struct t *t, const char *want)
{
    struct mx_str got = {0};
    int number = 0;
    assert_int_equal(t->b.status, MX_OK);
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_legalise(&t->m), MX_OK);
    assert_int_equal(ox_check(&t->m, OX_COUNTED), MX_OK);
    for (int i = 0; i < t->m.main.n_nodes; i++) {
        const struct ox_node *n = t->m.main.nodes[i];
        const struct ox_value *first = &t->m.values[n->out[0]];
        if (n->dead) {
            continue;
        }
        mx_str_printf(&got, "%d %s(", number++, ox_node_type(n));
        for (int k = 0; k < n->n_in; k++) {
            mx_str_append(&got, k ? ", " : "");
            write_value(t, n->in[k], &got);
        }
        mx_str_append(&got, ")");
        for (const struct ox_attr *a = n->attrs; a && a->kind != OX_A_END; a++) {
            write_attr(a, &got);
        }
        mx_str_printf(&got, " %s ", mx_dtype_name(first->dtype));
        mx_shape_format(t->m.dims, first->shape, &got);
        mx_str_append(&got, "\n");
    }
    assert_string_equal(got.text ? got.text : "", want);
    mx_str_free(&got);
}

/* The newest node of the main graph. */
static inline const struct ox_node *last(struct t *t)
{
    assert_true(t->m.main.n_nodes > 0);
    return t->m.main.nodes[t->m.main.n_nodes - 1];
}

/* The node that makes x, in the form of the opset. */
static inline const struct ox_node *legal(struct t *t, ox_val x)
{
    ox_output(&t->b, x, "x");
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_legalise(&t->m), MX_OK);
    return ox_value_of(&t->m, x)->producer;
}

static inline int count_of(struct t *t, enum ox_op op)
{
    int n = 0;
    for (int i = 0; i < t->m.main.n_nodes; i++) {
        n += t->m.main.nodes[i]->op == op;
    }
    return n;
}

static inline const char *message(struct t *t)
{
    assert_true(t->diags.count > 0);
    return t->diags.items[t->diags.count - 1].message;
}

#define INTS(...)                                                                                                                          \
    (const int64_t[])                                                                                                                      \
    {                                                                                                                                      \
        __VA_ARGS__                                                                                                                        \
    }
#define F32 MX_FLOAT32

#endif
