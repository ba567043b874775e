/* MXNet's upgrade steps, on the 0.8 nets of the samples (against what MXNet 1.9.1 lists for them) and rule by rule. */
#include "read_common.h"

#include <jansson.h>

#include "op/op.h"
#include "op/registry.h"

/* ---- operators enough for the nets, declared as in ops/ */

struct with_bias {
    bool no_bias;
};
static const struct mx_attr bias_attrs[] = {MX_BOOL(struct with_bias, no_bias, "False"), MX_IGNORED("kernel num_hidden")};

static const struct mx_op ops[] = {
    {.name = "FullyConnected", .inputs = "data weight bias:unless(no_bias)", MX_ATTRS(bias_attrs, struct with_bias)},
    {.name = "Convolution", .inputs = "data weight bias:unless(no_bias)", MX_ATTRS(bias_attrs, struct with_bias)},
    {.name = "BatchNorm", .inputs = "data gamma beta moving_mean:aux moving_var:aux"},
    {.name = "SoftmaxOutput", .alias = "Softmax", .inputs = "data label"},
    {.name = "Activation"},
    {.name = "LeakyReLU"},
    {.name = "Pooling"},
    {.name = "Flatten", .alias = "flatten"},
    {.name = "argmax"},
    {.name = "argmin"},
    {.name = "max"},
    {.name = "elemwise_add", .inputs = "lhs rhs"},
    {.name = "Concat", .inputs = "data..."},
};

static void make_map(struct mx_map *map)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        void *op = (void *)(uintptr_t)&ops[i];
        assert_int_equal(mx_map_set(map, ops[i].name, op), MX_OK);
        if (ops[i].alias) {
            assert_int_equal(mx_map_set(map, ops[i].alias, op), MX_OK);
        }
    }
}

static void load(struct world *w, const char *text)
{
    struct mx_map map = {0};
    make_map(&map);
    world_open(w);
    if (read_symbol_text(w, text) != MX_OK) {
        fail_msg("%s: %s", text, w->diags.items[0].message);
    }
    assert_int_equal(mx_graph_upgrade(&w->graph, &map), MX_OK);
    mx_map_free(&map);
}

static const struct mx_node *node(const struct world *w, const char *name)
{
    for (int i = 0; i < w->graph.n_nodes; i++) {
        assert_int_equal(w->graph.nodes[i]->id, i);
        if (strcmp(w->graph.nodes[i]->name, name) == 0) {
            return w->graph.nodes[i];
        }
    }
    fail_msg("there is no node %s", name);
    return NULL;
}

/* ---- against MXNet */

static bool feeds_aux(const struct mx_graph *g, const struct mx_node *variable)
{
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        for (int k = 0; k < n->n_in; k++) {
            if (n->in[k].node == variable && n->op && mx_has_bit(mx_op_inputs_with(n->op, MX_AUX), k)) {
                return true;
            }
        }
    }
    return false;
}

static void assert_variables(const struct mx_graph *g, bool aux, const json_t *names)
{
    size_t count = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        if (mx_is_variable(g->nodes[i]) && feeds_aux(g, g->nodes[i]) == aux) {
            assert_string_equal(g->nodes[i]->name, json_string_value(json_array_get(names, count)));
            count++;
        }
    }
    assert_int_equal(count, json_array_size(names));
}

/* The nets of 0.8-form are those of 1.9.1 without auxiliary inputs: after the upgrade they have the same arguments and
 * auxiliary states, in the same order. */
static void old_nets_become_those_of_1_9(void **state)
{
    static const char *const folders[] = {"0.8-form", "0.9.5", "0.11.0", "1.2.1", "1.9.1"};
    static const char *const nets[] = {"mlp", "convbn"};
    char *text = slurp("samples/nets/expected.json", NULL);
    json_t *expected = json_loads(text, 0, NULL);
    assert_non_null(expected);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
            char file[128];
            struct world w;
            const json_t *net = json_object_get(json_object_get(expected, i == 0 ? "1.9.1" : folders[i]), nets[k]);
            snprintf(file, sizeof file, "samples/nets/%s/%s-symbol.json", folders[i], nets[k]);
            char *symbol = slurp(file, NULL);
            assert_non_null(net);
            load(&w, symbol);
            assert_int_equal(w.diags.count, 0);
            assert_int_equal(mx_graph_sort(&w.graph), MX_OK);
            assert_variables(&w.graph, false, json_object_get(net, "arguments"));
            assert_variables(&w.graph, true, json_object_get(net, "aux"));
            world_close(&w);
            free(symbol);
        }
    }
    json_decref(expected);
    free(text);
}

/* ---- rule by rule */

#define X "{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}"
#define W "{\"op\": \"null\", \"name\": \"w\", \"inputs\": []}"
#define GRAPH(nodes, version) "{\"nodes\": [" nodes "], \"heads\": [[0, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", " #version "]}}"

static void test_operators_are_resolved(void **state)
{
    struct world w;
    load(&w, GRAPH(X ", {\"op\": \"flatten\", \"name\": \"f\", \"inputs\": [[0, 0, 0]]},"
                     "{\"op\": \"Nobody\", \"name\": \"n\", \"inputs\": [[0, 0, 0]], \"subgraphs\": [{\"nodes\": [" X
                     ", {\"op\": \"flatten\", \"name\": \"g\", \"inputs\": [[0, 0, 0]]}], \"heads\": [[1, 0, 0]]}]}",
                   10901));
    assert_null(node(&w, "x")->op);
    assert_ptr_equal(node(&w, "f")->op, &ops[7]);
    assert_null(node(&w, "n")->op);
    assert_ptr_equal(node(&w, "n")->subgraphs[0]->nodes[1]->op, &ops[7]);
    world_close(&w);
}

static void test_missing_inputs_become_variables(void **state)
{
    struct world w;
    load(&w, GRAPH(X ", {\"op\": \"FullyConnected\", \"name\": \"fc\", \"inputs\": [[0, 0, 0]]}", 800));
    assert_int_equal(node(&w, "fc")->n_in, 3);
    assert_ptr_equal(node(&w, "fc")->in[1].node, node(&w, "fc_weight"));
    assert_ptr_equal(node(&w, "fc")->in[2].node, node(&w, "fc_bias"));
    assert_true(mx_is_variable(node(&w, "fc_bias")));
    world_close(&w);
    load(&w, GRAPH(X ", {\"op\": \"FullyConnected\", \"name\": \"\", \"attrs\": {\"no_bias\": \"True\"},"
                     "\"inputs\": [[0, 0, 0]]}",
                   899));
    assert_int_equal(node(&w, "")->n_in, 2);
    assert_ptr_equal(node(&w, "")->in[1].node, node(&w, "weight"));
    world_close(&w);
    /* any number; an attribute that cannot be read, which canon will report; an unknown operator */
    load(&w, GRAPH(X ", {\"op\": \"Concat\", \"name\": \"c\", \"inputs\": [[0, 0, 0]]},"
                     "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"no_bias\": \"?\"}, \"inputs\": []},"
                     "{\"op\": \"Nobody\", \"name\": \"n\", \"inputs\": []}",
                   800));
    assert_int_equal(w.graph.n_nodes, 4);
    assert_int_equal(w.diags.count, 0);
    world_close(&w);
    /* since 0.9 a node that is short of inputs is an error, for canon */
    load(&w, GRAPH(X ", {\"op\": \"FullyConnected\", \"name\": \"fc\", \"inputs\": [[0, 0, 0]]}", 900));
    assert_int_equal(node(&w, "fc")->n_in, 1);
    world_close(&w);
}

static void test_the_axis_of_old_argmax_is_removed(void **state)
{
    static const struct {
        const char *op, *axis;
        int version;
        bool stays;
    } rows[] = {
        {"argmax", "-1", 800, false}, {"argmax", "-1", 904, false}, {"argmin", "-1", 904, false}, {"argmax", "-1", 905, true},
        {"argmax", "1", 904, true},   {"max", "-1", 904, true},     {"arg", "-1", 904, true},     {"argmax", " -1", 904, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct world w;
        snprintf(text, sizeof text,
                 "{\"nodes\": [" X ", {\"op\": \"%s\", \"name\": \"a\", \"attr\": {\"axis\": \"%s\", \"keepdims\": "
                 "\"True\"}, \"inputs\": [[0, 0]]}], \"heads\": [[1, 0]], \"attrs\": {\"mxnet_version\": [\"int\", %d]}}",
                 rows[i].op, rows[i].axis, rows[i].version);
        load(&w, text);
        assert_int_equal(mx_node_attr_text(node(&w, "a"), "axis") != NULL, rows[i].stays);
        assert_string_equal(mx_node_attr_text(node(&w, "a"), "keepdims"), "True");
        world_close(&w);
    }
}

static void test_hidden_keys_go_to_their_variables(void **state)
{
    struct world w;
    load(&w, GRAPH(X "," W ", {\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"no_bias\": \"True\","
                     "\"ctx_group\": \"a\", \"weight_lr_mult\": \"0.5\", \"foo_lr_mult\": \"2\", \"lr_mult\": \"3\","
                     "\"data_wd_mult\": \"4\", \"num_hidden\": \"2\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]}",
                   905));
    const struct mx_node *fc = node(&w, "fc");
    assert_int_equal(fc->n_attr_text, 5);
    assert_string_equal(mx_node_attr_text(fc, "__ctx_group__"), "a");
    assert_string_equal(mx_node_attr_text(fc, "__lr_mult__"), "3");
    assert_string_equal(mx_node_attr_text(fc, "foo_lr_mult"), "2");
    assert_string_equal(mx_node_attr_text(fc, "num_hidden"), "2");
    assert_null(mx_node_attr_text(fc, "weight_lr_mult"));
    assert_string_equal(mx_node_attr_text(node(&w, "w"), "__lr_mult__"), "0.5");
    assert_string_equal(mx_node_attr_text(node(&w, "x"), "__wd_mult__"), "4");
    world_close(&w);
}

/* Of an unknown operator, without a "_", of an input that the node does not have, and of one that is not a variable. */
static void keys_that_hide_nothing_stay(void **state)
{
    static const char *const keys[] = {"data_lr_mult", "weight-lr_mult", "bias_lr_mult", "data_wd_mult"};
    struct world w;
    load(&w, GRAPH(X "," W ", {\"op\": \"Nobody\", \"name\": \"n\", \"attrs\": {\"data_lr_mult\": \"1\"}, \"inputs\": [[0, 0, 0]]},"
                     "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"no_bias\": \"True\", \"weight-lr_mult\": \"1\","
                     "\"bias_lr_mult\": \"2\", \"data_wd_mult\": \"3\"}, \"inputs\": [[2, 0, 0], [1, 0, 0]]}",
                   905));
    for (int i = 0; i < 4; i++) {
        assert_non_null(mx_node_attr_text(node(&w, i == 0 ? "n" : "fc"), keys[i]));
    }
    assert_int_equal(node(&w, "w")->n_attr_text + node(&w, "x")->n_attr_text, 0);
    assert_int_equal(node(&w, "n")->n_attr_text, 1);
    world_close(&w);
}

/* What two nodes say of one variable: the later one counts, and the other attributes stay. */
static void a_hint_replaces_an_earlier_one(void **state)
{
    struct world w;
    load(&w, GRAPH(X "," W ", {\"op\": \"FullyConnected\", \"name\": \"a\", \"attrs\": {\"no_bias\": \"True\","
                     "\"weight_lr_mult\": \"1\", \"weight_wd_mult\": \"2\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]},"
                     "{\"op\": \"FullyConnected\", \"name\": \"b\", \"attrs\": {\"no_bias\": \"True\","
                     "\"weight_lr_mult\": \"3\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]}",
                   905));
    assert_int_equal(node(&w, "w")->n_attr_text, 2);
    assert_string_equal(mx_node_attr_text(node(&w, "w"), "__lr_mult__"), "3");
    assert_string_equal(mx_node_attr_text(node(&w, "w"), "__wd_mult__"), "2");
    world_close(&w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_nets_become_those_of_1_9),           cmocka_unit_test(test_operators_are_resolved),
        cmocka_unit_test(test_missing_inputs_become_variables),   cmocka_unit_test(test_the_axis_of_old_argmax_is_removed),
        cmocka_unit_test(test_hidden_keys_go_to_their_variables), cmocka_unit_test(keys_that_hide_nothing_stay),
        cmocka_unit_test(a_hint_replaces_an_earlier_one),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_upgrade", tests, NULL, NULL);
}
