/* What mx_graph_check finds in a graph: nothing, or the first thing that does not hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/graph.h"

/* A variable and two nodes; each reads the one before. */
struct chain {
    struct mx_graph graph;
    struct mx_arena arena;
    struct mx_diags diags;
    struct mx_node nodes[3], *order[3];
    struct mx_entry in[3], head;
    struct mx_value out[3];
};

static void make(struct chain *c)
{
    static const char *const names[] = {"x", "a", "b"};
    *c = (struct chain){.head = {&c->nodes[2], 0}};
    for (int i = 0; i < 3; i++) {
        c->in[i] = (struct mx_entry){&c->nodes[i > 0 ? i - 1 : 0], 0};
        c->out[i].dtype = MX_FLOAT32;
        c->nodes[i] = (struct mx_node){
            .id = i, .name = names[i], .op_name = i > 0 ? "relu" : "null", .n_in = i > 0, .in = &c->in[i], .n_out = 1, .out = &c->out[i]};
        c->order[i] = &c->nodes[i];
    }
    c->graph = (struct mx_graph){.arena = &c->arena, .diags = &c->diags, .nodes = c->order, .n_nodes = 3, .heads = &c->head, .n_heads = 1};
}

static void assert_broken(struct chain *c, bool typed, const char *node, const char *said)
{
    assert_int_equal(mx_graph_check(&c->graph, typed), MX_INTERNAL);
    assert_string_equal(c->diags.items[0].node, node);
    assert_string_equal(c->diags.items[0].message, said);
    mx_diags_free(&c->diags);
}

static void each_invariant_is_checked(void **state)
{
    struct chain c;
    (void)state;
    make(&c);
    assert_int_equal(mx_graph_check(&c.graph, true), MX_OK);
    make(&c);
    c.nodes[1].id = 2;
    assert_broken(&c, false, "a", "graph invariant: a node's id is not its position");
    make(&c);
    c.nodes[1].n_out = 0;
    assert_broken(&c, false, "a", "graph invariant: a node has no output");
    make(&c);
    c.nodes[1].out = NULL;
    assert_broken(&c, false, "a", "graph invariant: a node has no output");
    make(&c);
    c.in[1].node = &c.nodes[1]; /* itself */
    assert_broken(&c, false, "a", "graph invariant: an input comes from a later or foreign node");
    make(&c);
    struct mx_node foreign = c.nodes[0];
    c.in[1].node = &foreign;
    assert_broken(&c, false, "a", "graph invariant: an input comes from a later or foreign node");
    make(&c);
    foreign.id = -1;
    c.in[1].node = &foreign;
    assert_broken(&c, false, "a", "graph invariant: an input comes from a later or foreign node");
    make(&c);
    c.in[2].index = 1;
    assert_broken(&c, false, "b", "graph invariant: an output index is out of range");
    make(&c);
    c.in[2].index = -1;
    assert_broken(&c, false, "b", "graph invariant: an output index is out of range");
    make(&c);
    c.head.index = 1;
    assert_broken(&c, false, "b", "graph invariant: an output index is out of range");
    make(&c);
    c.out[1].dtype = MX_DTYPE_NONE;
    assert_int_equal(mx_graph_check(&c.graph, false), MX_OK);
    assert_broken(&c, true, "a", "graph invariant: an output has no element type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_invariant_is_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
