/* Symbols: every sample against a whole parse by jansson, and the rules that MXNet's reader has. */
#include "read_common.h"

#include <jansson.h>

#include "base/budget.h"

static const char *const symbol_folders[] = {
    "nets/0.8-form", "nets/0.9.5", "nets/0.11.0", "nets/0.12.1", "nets/1.0.0", "nets/1.1.0",   "nets/1.2.1",
    "nets/1.4.1",    "nets/1.5.1", "nets/1.7.0",  "nets/1.8.0",  "nets/1.9.1", "nets/2.0.0b1",
};
static const char *const net_names[] = {"mlp", "convbn", "attrs", "gluon"};
static const char *const symbol_names[] = {
    "amp",
    "amp_removed",
    "bn_default_fix_gamma",
    "bn_output_mean_var",
    "cond",
    "custom",
    "duplicate_variable_names",
    "foreach",
    "foreach_fc",
    "gluon_lstm",
    "gru_unrolled",
    "internals",
    "losses",
    "npnet",
    "rnn_lstm",
    "tied",
    "topk_both",
    "valueforms",
    "while_loop",
};
static const char *const quantized_names[] = {"mkldnn_fused", "quant_mkldnn", "quant_naive", "quant_none", "quant_uint8"};

/* ---- against the whole tree */

static size_t compared_nodes;

static void compare_graph(const struct mx_graph *g, const json_t *tree);

static void compare_entry(const struct mx_entry *entry, const struct mx_graph *g, const json_t *tree)
{
    assert_int_equal(entry->node->id, json_integer_value(json_array_get(tree, 0)));
    assert_ptr_equal(entry->node, g->nodes[entry->node->id]);
    assert_int_equal(entry->index, json_integer_value(json_array_get(tree, 1)));
}

static void compare_attrs(const struct mx_node *n, const json_t *tree)
{
    json_t *params = json_object_get(tree, "param");
    json_t *attrs = json_object_get(tree, "attrs"), *value;
    const char *key;
    attrs = attrs ? attrs : json_object_get(tree, "attr");
    size_t count = attrs ? json_object_size(attrs) : 0;
    json_object_foreach(attrs, key, value)
    {
        assert_string_equal(mx_node_attr_text(n, key), json_string_value(value));
    }
    json_object_foreach(params, key, value)
    {
        if (!attrs || !json_object_get(attrs, key)) {
            count++;
            assert_string_equal(mx_node_attr_text(n, key), json_string_value(value));
        }
    }
    assert_int_equal(n->n_attr_text, count);
}

static void compare_node(const struct mx_graph *g, const struct mx_node *n, const json_t *tree)
{
    const json_t *inputs = json_object_get(tree, "inputs"), *subgraphs = json_object_get(tree, "subgraphs");
    assert_string_equal(n->name, json_string_value(json_object_get(tree, "name")));
    assert_string_equal(n->op_name, json_string_value(json_object_get(tree, "op")));
    assert_int_equal(mx_is_variable(n), strcmp(n->op_name, "null") == 0);
    assert_null(n->op);
    assert_null(n->param);
    assert_int_equal(n->n_in, json_array_size(inputs));
    for (int i = 0; i < n->n_in; i++) {
        compare_entry(&n->in[i], g, json_array_get(inputs, (size_t)i));
    }
    compare_attrs(n, tree);
    assert_int_equal(n->n_subgraphs, json_array_size(subgraphs));
    for (int i = 0; i < n->n_subgraphs; i++) {
        assert_int_equal(n->subgraphs[i]->np_shape, g->np_shape);
        compare_graph(n->subgraphs[i], json_array_get(subgraphs, (size_t)i));
    }
    compared_nodes++;
}

static void compare_graph(const struct mx_graph *g, const json_t *tree)
{
    const json_t *nodes = json_object_get(tree, "nodes"), *heads = json_object_get(tree, "heads");
    assert_int_equal(g->n_nodes, json_array_size(nodes));
    for (int i = 0; i < g->n_nodes; i++) {
        assert_int_equal(g->nodes[i]->id, i);
        compare_node(g, g->nodes[i], json_array_get(nodes, (size_t)i));
    }
    assert_int_equal(g->n_heads, json_array_size(heads));
    for (int i = 0; i < g->n_heads; i++) {
        compare_entry(&g->heads[i], g, json_array_get(heads, (size_t)i));
    }
}

static json_int_t graph_attr(const json_t *tree, const char *key, json_int_t otherwise)
{
    const json_t *attr = json_object_get(json_object_get(tree, "attrs"), key);
    return attr ? json_integer_value(json_array_get(attr, 1)) : otherwise;
}

/* False if there is no such file. */
static bool compare_file(const char *folder, const char *name)
{
    char file[256], path[4096];
    snprintf(file, sizeof file, "samples/%s/%s-symbol.json", folder, name);
    FILE *f = fopen(data_path(file, path), "rb");
    if (!f) {
        return false;
    }
    fclose(f);
    size_t size;
    char *text = slurp(file, &size);
    json_t *tree = json_loadb(text, size, 0, NULL);
    struct world w;
    world_open(&w);
    assert_non_null(tree);
    if (read_symbol_memory(&w, text, size) != MX_OK) {
        fail_msg("%s: %s", file, w.diags.items[0].message);
    }
    assert_int_equal(w.diags.count, 0);
    assert_int_equal(w.graph.version, graph_attr(tree, "mxnet_version", 800));
    assert_int_equal(w.graph.np_shape, graph_attr(tree, "is_np_shape", 0));
    compare_graph(&w.graph, tree);
    world_close(&w);
    json_decref(tree);
    free(text);
    return true;
}

static void symbols_of_the_samples_are_read(void **state)
{
    size_t files = 0;
    for (size_t i = 0; i < sizeof symbol_folders / sizeof *symbol_folders; i++) {
        for (size_t k = 0; k < sizeof net_names / sizeof *net_names; k++) {
            files += compare_file(symbol_folders[i], net_names[k]);
        }
    }
    assert_int_equal(files, 48);
    for (size_t i = 0; i < sizeof symbol_names / sizeof *symbol_names; i++) {
        assert_true(compare_file("symbols/1.9.1", symbol_names[i]));
    }
    for (size_t i = 0; i < sizeof quantized_names / sizeof *quantized_names; i++) {
        assert_true(compare_file("symbols/1.9.1-quantized", quantized_names[i]));
    }
    assert_true(compared_nodes > 800);
}

/* ---- the reader's rules */

#define NODE_X "{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}"
#define GRAPH(nodes, rest) "{\"nodes\": [" nodes "], \"heads\": [[0, 0, 0]]" rest "}"

static void open_text(struct world *w, const char *text)
{
    world_open(w);
    if (read_symbol_text(w, text) != MX_OK) {
        fail_msg("%s: %s", text, w->diags.items[0].message);
    }
}

static void test_keys_may_have_any_order(void **state)
{
    struct world w;
    open_text(&w, "{\"attrs\": {\"mxnet_version\": [\"int\", 10901], \"is_np_shape\": [\"int\", 1]}, \"heads\": [[1, 2]],"
                  " \"node_row_ptr\": [-5], \"arg_nodes\": [0], \"more\": {\"a\": [{}]},"
                  " \"nodes\": [" NODE_X ", {\"inputs\": [[0, 0]], \"name\": \"f\", \"op\": \"relu\"}]} trailing");
    assert_int_equal(w.graph.n_nodes, 2);
    assert_ptr_equal(w.graph.heads[0].node, w.graph.nodes[1]);
    assert_int_equal(w.graph.heads[0].index, 2);
    assert_int_equal(w.graph.version, 10901);
    assert_true(w.graph.np_shape);
    world_close(&w);
}

static void test_last_key_wins(void **state)
{
    struct world w;
    open_text(&w, "{\"nodes\": [" NODE_X "], \"heads\": [[7, 0]], \"nodes\": [" NODE_X "," NODE_X "], \"heads\": [[1, 0]]}");
    assert_int_equal(w.graph.n_nodes, 2);
    assert_ptr_equal(w.graph.heads[0].node, w.graph.nodes[1]);
    world_close(&w);
    /* of the first list neither inputs nor dependencies are left */
    open_text(&w, "{\"nodes\": [" NODE_X ", {\"op\": \"relu\", \"name\": \"f\", \"inputs\": [[0, 0], [9, 0]], \"control_deps\": [9]}],"
                  " \"nodes\": [" NODE_X "," NODE_X ", {\"op\": \"relu\", \"name\": \"g\", \"inputs\": [[1, 3]]}], \"heads\": [[2, 0]]}");
    assert_int_equal(w.graph.n_nodes, 3);
    assert_int_equal(w.graph.nodes[2]->n_in, 1);
    assert_ptr_equal(w.graph.nodes[2]->in[0].node, w.graph.nodes[1]);
    assert_int_equal(w.graph.nodes[2]->in[0].index, 3);
    world_close(&w);
}

/* Of all that is read for a while only the graph's memory stays counted. */
static void memory_of_the_text_is_given_back(void **state)
{
    static const char *const texts[] = {
        "{\"nodes\": [" NODE_X "], \"arg_nodes\": [0], \"heads\": [[0, 0, 0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}",
        "{\"heads\": [[1, 0, 0]], \"heads\": [[0, 0, 0]], \"nodes\": [" NODE_X "], \"more\": [1, 2, 3], \"attrs\": {}, \"attrs\": {}}",
        "{\"arg_nodes\": [0], \"heads\": [[5, 0, 0]], \"nodes\": [" NODE_X "]}",
        "{\"arg_nodes\": [0], \"heads\": [[0, 0, 0]], \"nodes\": [" NODE_X "",
        "{\"heads\": [[0, 0, 0]], \"attrs\": {\"mxnet_version\": \"x\"}, \"nodes\": [{\"op\": 5}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct world w;
        struct mx_budget budget;
        mx_budget_init(&budget);
        world_open(&w);
        w.arena.budget = w.diags.budget = &budget;
        assert_int_equal(read_symbol_text(&w, texts[i]) == MX_OK, i < 2);
        mx_diags_free(&w.diags);
        if (budget.memory != w.arena.total) {
            fail_msg("text %zu: %llu bytes are counted", i, (unsigned long long)budget.memory);
        }
        world_close(&w);
    }
}

/* Of a repeated key only the value that counts needs memory. */
static void keys_may_be_repeated_often(void **state)
{
    struct mx_str text = {0};
    mx_str_append(&text, "{\"nodes\": [" NODE_X "]");
    for (int i = 0; i < 10000; i++) {
        mx_str_append(&text, ", \"heads\": [[0, 0, 0]], \"arg_nodes\": [0], \"attrs\": {}");
    }
    mx_str_append(&text, "}");
    struct world w;
    struct mx_budget budget;
    mx_budget_init(&budget);
    budget.limits[MX_LIMIT_MEMORY] = 2 << 20;
    world_open(&w);
    w.arena.budget = w.diags.budget = &budget;
    assert_int_equal(read_symbol_text(&w, text.text), MX_OK);
    world_close(&w);
    mx_str_free(&text);
}

static void test_nodes_may_read_later_ones(void **state)
{
    struct world w;
    open_text(&w, GRAPH("{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[1, 0, 0]]}, " NODE_X, ""));
    assert_ptr_equal(w.graph.nodes[0]->in[0].node, w.graph.nodes[1]);
    world_close(&w);
}

static const char *attr_of(struct world *w, const char *attributes, const char *key)
{
    char text[512];
    snprintf(text, sizeof text, GRAPH("{\"op\": \"f\", \"name\": \"x\", \"inputs\": [], %s}", ""), attributes);
    open_text(w, text);
    return mx_node_attr_text(w->graph.nodes[0], key);
}

static void attributes_of_three_generations_are_read(void **state)
{
    static const struct {
        const char *attributes, *key, *value; /* value NULL: no such attribute */
    } rows[] = {
        {"\"attrs\": {\"k\": \"2\"}, \"attr\": {\"k\": \"5\"}", "k", "5"},
        {"\"attr\": {\"k\": \"5\"}, \"attrs\": {\"k\": \"2\"}", "k", "2"},
        {"\"attr\": {\"k\": \"5\"}, \"attrs\": {\"m\": \"2\"}", "k", NULL},
        {"\"param\": {\"k\": \"2\"}, \"attr\": {\"k\": \"5\"}", "k", "5"},
        {"\"attr\": {\"m\": \"5\"}, \"param\": {\"k\": \"2\"}", "k", "2"},
        {"\"attr\": {\"m\": \"5\"}, \"param\": {\"k\": \"2\"}", "m", "5"},
        {"\"attrs\": {\"k\": 2}", "k", "2"},
        {"\"attrs\": {\"k\": -1.5}", "k", "-1.5"},
        {"\"attrs\": {\"k\": true, \"m\": false}", "k", "True"},
        {"\"attrs\": {\"k\": true, \"m\": false}", "m", "False"},
        {"\"attrs\": {\"k\": null}", "k", "None"},
        {"\"attrs\": {\"k\": \"a\tb\"}", "k", "a\tb"},
        {"\"attrs\": {\"k\": \"a\\tb\\\"\t\\\\\"}", "k", "a\tb\"\t\\"},
        {"\"attrs\": {\"k\": \"\\u00e9\\/\\b\"}", "k", "\xC3\xA9/\b"},
        {"\"attrs\": {}", "k", NULL},
        {"\"unknown\": {\"k\": 1}", "k", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        const char *value = attr_of(&w, rows[i].attributes, rows[i].key);
        if (rows[i].value) {
            assert_non_null(value);
            assert_string_equal(value, rows[i].value);
        } else {
            assert_null(value);
        }
        world_close(&w);
    }
}

static void test_all_forms_of_the_version_are_read(void **state)
{
    static const struct {
        const char *rest;
        int version;
    } rows[] = {
        {"", 800},
        {", \"attrs\": {}", 800},
        {", \"attrs\": {\"mxnet_version\": [\"int\", 905]}", 905},
        {", \"attrs\": {\"mxnet_version\": 10901}", 10901},
        {", \"attrs\": {\"mxnet_version\": [\"str\", \"10901\"]}", 10901},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        struct world w;
        snprintf(text, sizeof text, GRAPH(NODE_X, "%s"), rows[i].rest);
        open_text(&w, text);
        assert_int_equal(w.graph.version, rows[i].version);
        world_close(&w);
    }
}

static void test_a_byte_order_mark_and_a_missing_end_are_accepted(void **state)
{
    static const char rest[] = ", \"attrs\": {\"mxnet_version\": [\"int\", 10901]}";
    char text[256];
    struct world w;
    snprintf(text, sizeof text, "\xEF\xBB\xBF\r\n" GRAPH(NODE_X, "%s") "}}\\", rest);
    open_text(&w, text);
    assert_int_equal(w.diags.count, 0);
    world_close(&w);
    snprintf(text, sizeof text, GRAPH(NODE_X, "%s"), rest);
    text[strlen(text) - 1] = '\n'; /* no last brace */
    open_text(&w, text);
    assert_said(&w, "ends without its last brace");
    world_close(&w);
}

/* A variable's inputs mean nothing; MXNet loads such a file. */
static void test_inputs_of_a_variable_are_ignored(void **state)
{
    struct world w;
    open_text(&w, GRAPH("{\"op\": \"null\", \"name\": \"x\", \"inputs\": [[1, 0, 0]]}, " NODE_X, ""));
    assert_int_equal(w.graph.nodes[0]->n_in, 0);
    world_close(&w);
}

static void an_error_has_line_and_column(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(read_symbol_text(&w, "{\n\"nodes\": [\n" NODE_X ",\n  {\"op\": nul}]}"), MX_FORMAT);
    assert_said(&w, "line 4, column");
    world_close(&w);
    world_open(&w);
    assert_int_equal(read_symbol_text(&w, "{\n\"nodes\": [\n" NODE_X ",\n{\"op\": \"f\", \"name\": \"g\"}]}"), MX_FORMAT);
    assert_said(&w, "node 1 in line 4");
    assert_said(&w, "node 'g'");
    world_close(&w);
    world_open(&w);
    assert_int_equal(read_symbol_text(&w, "{\n\"nodes\" [" NODE_X "]}"), MX_FORMAT);
    assert_said(&w, "line 2, column 9 (byte 10): ':' is missing");
    world_close(&w);
}

#define NODE_F(rest) "{\"op\": \"f\", \"name\": \"g\", \"inputs\": []" rest "}"
#define DAMAGED "; copy or save the file again: it is damaged or was changed by hand"
#define AFTER(said) "'FILE', node 1 in line 1: " said DAMAGED
#define WHOLE(said) "'FILE': " said DAMAGED

/* Each thing that the reader looks at, wrong in each of its ways. */
static void damaged_symbols_are_refused(void **state)
{
    static const struct {
        const char *text, *said;
    } rows[] = {
        {GRAPH(NODE_X ", 3", ""), AFTER("a node is not an object")},
        {GRAPH(NODE_X ", {\"op\": \"f\", \"name\": 3, \"inputs\": []}", ""), AFTER("a node has no name")},
        {GRAPH(NODE_X ", {\"op\": null, \"name\": \"g\", \"inputs\": []}", ""),
         AFTER("the node has no operator (\"op\"), and null without quotes is not one")},
        {GRAPH(NODE_X ", " NODE_F(", \"attrs\": []"), ""), AFTER("the attributes are not an object")},
        {GRAPH(NODE_X ", " NODE_F(", \"attr\": \"\""), ""), AFTER("the attributes are not an object")},
        {GRAPH(NODE_X ", " NODE_F(", \"param\": 1"), ""), AFTER("the attributes are not an object")},
        {GRAPH(NODE_X ", " NODE_F(", \"attrs\": {\"k\": [1]}"), ""), AFTER("an attribute is neither text nor a number")},
        {GRAPH(NODE_X ", " NODE_F(", \"attrs\": {\"k\": {}}"), ""), AFTER("an attribute is neither text nor a number")},
        {GRAPH(NODE_X ", {\"op\": \"f\", \"name\": \"g\", \"inputs\": {}}", ""), AFTER("the node has no list of inputs")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [0]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0, 0, 0, 0]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0.0, 0]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0, \"0\"]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[-1, 0]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0, -1]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0, 65536]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[2147483648, 0]]"), ""), AFTER("an input is not a pair of a node and an output")},
        {GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0, 0], [2, 0]]"), ""), WHOLE("an input refers to node 2, but there are 2 nodes")},
        {GRAPH(NODE_X ", " NODE_F(", \"control_deps\": [\"0\"]"), ""), AFTER("a control dependency is not the number of a node")},
        {GRAPH(NODE_X ", " NODE_F(", \"control_deps\": [-1]"), ""), AFTER("a control dependency is not the number of a node")},
        {GRAPH(NODE_X ", " NODE_F(", \"control_deps\": [0, 2, 1]"), ""),
         WHOLE("a control dependency refers to node 2, but there are 2 nodes")},
        {GRAPH(NODE_F(", \"control_deps\": [5, 4]") ", " NODE_X, ""),
         WHOLE("a control dependency refers to node 5, but there are 2 nodes")},
        {GRAPH(NODE_X ", " NODE_F(", \"subgraphs\": [[]]"), ""), AFTER("a subgraph is not an object")},
        {GRAPH(NODE_X ", " NODE_F(", \"subgraphs\": [{\"nodes\": [], \"heads\": []}]"), ""), WHOLE("the graph has no nodes")},
        {GRAPH(NODE_X ", " NODE_F(", \"subgraphs\": [{\"nodes\": [3], \"heads\": []}]"), ""),
         "'FILE', node 0 in line 1: a node is not an object" DAMAGED},
        {GRAPH(NODE_X ", " NODE_F(", \"subgraphs\": [{\"nodes\": [" NODE_X "]}]"), ""),
         WHOLE("the graph has no \"heads\", the list of its outputs")},
        {GRAPH(NODE_X ", " NODE_F(", \"backward_source_id\": 0"), ""),
         "'FILE', node 1 in line 1: the node belongs to a backward pass; save the forward symbol"},
        {GRAPH("", ""), WHOLE("the graph has no nodes")},
        {"{\"heads\": [[0, 0]]}", "'FILE': it has no \"nodes\"; give the symbol file of an MXNet model"},
        {"{\"nodes\": [" NODE_X "]}", WHOLE("the graph has no \"heads\", the list of its outputs")},
        {"{\"nodes\": [" NODE_X "], \"heads\": [0]}", WHOLE("an entry of \"heads\" is not a pair of a node and an output")},
        {"{\"nodes\": [" NODE_X "], \"heads\": [[0, 0], [1, 0]]}", WHOLE("\"heads\" refers to node 1, but there are 1 nodes")},
        {"{\"nodes\": [" NODE_X "], \"heads\": []}",
         "'FILE': the graph has no outputs, so there is nothing to convert; save the symbol again, with an output"},
        {GRAPH(NODE_X, ", \"arg_nodes\": [\"x\"]"), WHOLE("\"arg_nodes\" refers to node 0, but there are 1 nodes")},
        {GRAPH(NODE_X, ", \"arg_nodes\": [0, -1]"), WHOLE("\"arg_nodes\" refers to node -1, but there are 1 nodes")},
        {GRAPH(NODE_X, ", \"arg_nodes\": [0, 1]"), WHOLE("\"arg_nodes\" refers to node 1, but there are 1 nodes")},
        {GRAPH(NODE_X ", " NODE_F(""), ", \"arg_nodes\": [0, 1]"), WHOLE("\"arg_nodes\" lists a node that is not a variable")},
        {GRAPH(NODE_X, ", \"attrs\": {\"mxnet_version\": [\"int\", \"1.9\"]}"), WHOLE("\"mxnet_version\" is not a number")},
        {GRAPH(NODE_X, ", \"attrs\": {\"mxnet_version\": [\"int\", -1]}"), WHOLE("\"mxnet_version\" is not a number")},
        {GRAPH(NODE_X, ", \"attrs\": {\"mxnet_version\": [\"int\", 2147483648]}"), WHOLE("\"mxnet_version\" is not a number")},
        {GRAPH(NODE_X, ", \"attrs\": {\"mxnet_version\": {}}"), WHOLE("\"mxnet_version\" is not a number")},
        {GRAPH(NODE_X, ", \"attrs\": {\"is_np_shape\": [\"int\", \"yes\"]}"), WHOLE("\"is_np_shape\" is not a number")},
        {GRAPH(NODE_X, ", \"attrs\": {\"storage_id\": []}"),
         "'FILE': it is a graph that TVM compiled, as SageMaker Neo does: its nodes are machine code; convert the MXNet model that was "
         "compiled"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        world_open(&w);
        if (read_symbol_text(&w, rows[i].text) != MX_FORMAT) {
            fail_msg("is taken: %s", rows[i].text);
        }
        const struct mx_diag *d = &w.diags.items[0];
        char said[512];
        snprintf(said, sizeof said, "%s; %s", d->message, d->advice);
        assert_string_equal(said, rows[i].said);
        world_close(&w);
    }
}

/* The largest and smallest of what is taken. */
static void extreme_values_are_taken(void **state)
{
    static const char *const texts[] = {
        GRAPH(NODE_X ", " NODE_F(", \"inputs\": [[0, 65535]]"), ""),
        GRAPH(NODE_X ", " NODE_F(", \"control_deps\": [1, 0]"), ""),
        GRAPH(NODE_X ", " NODE_F(", \"control_deps\": [], \"subgraphs\": [], \"backward_source_id\": -1"), ""),
        GRAPH(NODE_X ", " NODE_F(", \"subgraphs\": [{\"nodes\": [" NODE_X "], \"heads\": []}]"), ""),
        GRAPH(NODE_X, ", \"arg_nodes\": [0, 0]"),
        GRAPH(NODE_X, ", \"attrs\": {\"mxnet_version\": [\"int\", 2147483647], \"is_np_shape\": [\"int\", \"1\"]}"),
        GRAPH(NODE_X, ", \"attrs\": {\"mxnet_version\": [\"int\", 0]}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct world w;
        open_text(&w, texts[i]);
        assert_int_equal(w.diags.count, 0);
        world_close(&w);
    }
}

static void shape_hints_are_read(void **state)
{
    static const struct {
        const char *shape;
        int ndim; /* -1: no hint */
        int64_t dims[2];
    } rows[] = {
        {"(2, 5)", 2, {2, 5}}, {"[2,5]", 2, {2, 5}}, {"(3L,)", 1, {3}}, {"()", 0, {0}}, {"(0, -1)", 2, {0, -1}},
        {"None", -1, {0}},     {"(2, -2)", -1, {0}}, {"two", -1, {0}},  {"", -1, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_arena arena = {0};
        struct mx_attr_text attr = {"__shape__", rows[i].shape};
        const struct mx_node n = {.op_name = "null", .name = "x", .attr_text = &attr, .n_attr_text = 1};
        int ndim = -2;
        const int64_t *dims = NULL;
        assert_int_equal(mx_variable_shape_hint(&n, &arena, &ndim, &dims), MX_OK);
        assert_int_equal(ndim, rows[i].ndim);
        for (int k = 0; k < ndim; k++) {
            assert_int_equal(dims[k], rows[i].dims[k]);
        }
        mx_arena_free(&arena);
    }
    static const struct {
        const char *text;
        enum mx_dtype dtype;
    } types[] = {{"0", MX_FLOAT32}, {"2", MX_FLOAT16}, {"-1", MX_DTYPE_NONE}, {"99", MX_DTYPE_NONE}, {"float32", MX_DTYPE_NONE}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct mx_attr_text attr = {"__dtype__", types[i].text};
        const struct mx_node n = {.op_name = "null", .name = "x", .attr_text = &attr, .n_attr_text = 1};
        assert_int_equal(mx_variable_dtype_hint(&n), types[i].dtype);
    }
    /* What MXNet writes of a parameter: both multipliers, and gluon.Constant its name. */
    static const struct {
        struct mx_attr_text attrs[2];
        bool is;
    } parameters[] = {
        {{{"__lr_mult__", "1.0"}, {"__wd_mult__", "1.0"}}, true},
        {{{"__lr_mult__", "1.0"}, {"__shape__", "(1,)"}}, false},
        {{{"__wd_mult__", "1.0"}, {"__shape__", "(1,)"}}, false},
        {{{"__init__", "Constant_const0"}, {"__shape__", "(1,)"}}, true},
        {{{"__init__", "[\"constant\", {\"value\": 1}]"}, {"__shape__", "(1,)"}}, false},
    };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        struct mx_attr_text attrs[] = {parameters[i].attrs[0], parameters[i].attrs[1]};
        const struct mx_node n = {.op_name = "null", .name = "x", .attr_text = attrs, .n_attr_text = 2};
        assert_int_equal(mx_variable_is_parameter(&n), parameters[i].is);
    }
    for (int rank = MX_MAX_RANK - 1; rank <= MX_MAX_RANK + 1; rank++) {
        char text[200] = "(";
        struct mx_arena arena = {0};
        struct mx_attr_text attr = {"__shape__", text};
        const struct mx_node n = {.op_name = "null", .name = "x", .attr_text = &attr, .n_attr_text = 1};
        int ndim = -2;
        const int64_t *dims = NULL;
        for (int k = 0; k < rank; k++) {
            strcat(text, k > 0 ? ",1" : "1");
        }
        strcat(text, ")");
        assert_int_equal(mx_variable_shape_hint(&n, &arena, &ndim, &dims), MX_OK);
        assert_int_equal(ndim, rank <= MX_MAX_RANK ? rank : -1);
        mx_arena_free(&arena);
    }
    const struct mx_node bare = {.op_name = "null", .name = "x"};
    struct mx_arena arena = {0};
    int ndim;
    const int64_t *dims;
    assert_int_equal(mx_variable_shape_hint(&bare, &arena, &ndim, &dims), MX_OK);
    assert_int_equal(ndim, -1);
    assert_int_equal(mx_variable_dtype_hint(&bare), MX_DTYPE_NONE);
}

/* Memory stays at the size of the graph: below 1 KiB a node, the text aside. */
static void test_a_large_graph_takes_a_kib_a_node(void **state)
{
    enum { NODES = 20000 };
    struct mx_str text = {0};
    struct world w;
    mx_str_append(&text, "{\n  \"nodes\": [\n    " NODE_X);
    for (int i = 1; i < NODES; i++) {
        mx_str_printf(&text,
                      ",\n    {\n      \"op\": \"Convolution\", \n      \"name\": \"stage1_conv%d\", \n      \"attrs\": {"
                      "\"kernel\": \"(3, 3)\", \"num_filter\": \"64\", \"pad\": \"(1, 1)\", \"no_bias\": \"True\"}, \n"
                      "      \"inputs\": [[%d, 0, 0], [0, 0, 0]]\n    }",
                      i, i - 1);
    }
    mx_str_printf(&text, "], \"heads\": [[%d, 0, 0]]}", NODES - 1);
    assert_false(text.failed);
    open_text(&w, text.text);
    assert_int_equal(w.graph.n_nodes, NODES);
    assert_true(w.arena.total < (size_t)NODES * 1024);
    world_close(&w);
    mx_str_free(&text);
}

/* Their number is kept in 16 bits. */
static void test_the_subgraphs_of_a_node_have_a_limit(void **state)
{
    for (int count = 65535; count <= 65536; count++) {
        struct mx_str text = {0};
        struct world w;
        mx_str_append(&text, "{\"nodes\": [" NODE_X ", {\"op\": \"f\", \"name\": \"g\", \"inputs\": [], \"subgraphs\": [{}");
        for (int i = 1; i < count; i++) {
            mx_str_append(&text, ",{}");
        }
        mx_str_append(&text, "]}], \"heads\": [[0, 0, 0]]}");
        assert_false(text.failed);
        world_open(&w);
        assert_int_equal(read_symbol_text(&w, text.text), MX_FORMAT);
        assert_said(&w, count > 65535 ? "the node has too many subgraphs" : "the graph has no nodes");
        assert_int_equal(w.diags.errors, 1);
        world_close(&w);
        mx_str_free(&text);
    }
}

/* Nothing is read of a file of more than 2 GiB but its beginning. */
static void a_large_file_is_not_a_symbol(void **state)
{
    struct beginning b = {.bytes = "{", .n = 1};
    struct world w;
    world_open(&w);
    struct mx_source *source = large_file(&b, (UINT64_C(1) << 31) + 1);
    assert_int_equal(mx_symbol_read(&w.graph, source, "FILE"), MX_TOO_LARGE);
    assert_said(&w, "'FILE' is larger than 2 GiB, so it is not a symbol file");
    assert_int_equal(b.calls, 1);
    mx_source_close(source);
    world_close(&w);
}

static void a_symbol_that_cannot_be_read_is_an_error(void **state)
{
    for (int i = 1; i < 3; i++) {
        struct beginning b = {.bytes = "{}", .n = 2, .fail_at = i};
        struct world w;
        world_open(&w);
        struct mx_source *source = large_file(&b, 2);
        assert_int_equal(mx_symbol_read(&w.graph, source, "FILE"), MX_IO);
        assert_said(&w, "'FILE' cannot be read: the read callback returned an error");
        mx_source_close(source);
        world_close(&w);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_of_the_samples_are_read),
        cmocka_unit_test(test_keys_may_have_any_order),
        cmocka_unit_test(test_last_key_wins),
        cmocka_unit_test(memory_of_the_text_is_given_back),
        cmocka_unit_test(keys_may_be_repeated_often),
        cmocka_unit_test(test_nodes_may_read_later_ones),
        cmocka_unit_test(attributes_of_three_generations_are_read),
        cmocka_unit_test(test_all_forms_of_the_version_are_read),
        cmocka_unit_test(test_a_byte_order_mark_and_a_missing_end_are_accepted),
        cmocka_unit_test(test_inputs_of_a_variable_are_ignored),
        cmocka_unit_test(an_error_has_line_and_column),
        cmocka_unit_test(damaged_symbols_are_refused),
        cmocka_unit_test(extreme_values_are_taken),
        cmocka_unit_test(shape_hints_are_read),
        cmocka_unit_test(test_a_large_graph_takes_a_kib_a_node),
        cmocka_unit_test(a_large_file_is_not_a_symbol),
        cmocka_unit_test(a_symbol_that_cannot_be_read_is_an_error),
        cmocka_unit_test(test_the_subgraphs_of_a_node_have_a_limit),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_symbol", tests, NULL, NULL);
}
