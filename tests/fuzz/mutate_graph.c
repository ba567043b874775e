/* libFuzzer's mutator for the targets whose input is a symbol: three of four times the graph changes as a graph, so that what
 * comes out can be read: attributes, edges, operators, shapes, nodes twice or gone, heads; and its crossover, in which nodes of one graph
 * get attributes of another's. GRAPH_AT bytes come before the text and
 * a parameter file may follow after a NUL; both change as bytes. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

#ifndef GRAPH_AT
#define GRAPH_AT 0
#endif

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out, size_t room,
                                 unsigned seed);

static uint32_t state;

static size_t below(size_t n)
{
    state = state * UINT32_C(1664525) + UINT32_C(1013904223);
    return n ? (state >> 8) % n : 0;
}

static json_t *pick(json_t *array)
{
    return json_array_get(array, below(json_array_size(array)));
}

static json_t *attributes(json_t *node)
{
    static const char *const keys[] = {"attrs", "attr", "param"};
    for (size_t i = 0; i < 3; i++) {
        if (json_object_get(node, keys[i])) {
            return json_object_get(node, keys[i]);
        }
    }
    json_object_set_new(node, "attrs", json_object());
    return json_object_get(node, "attrs");
}

/* What MXNet writes as the values of attributes, ordinary and not. */
static const char *value(void)
{
    static const char *const values[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "-1",
                                         "-2",
                                         "4",
                                         "True",
                                         "False",
                                         "None",
                                         "()",
                                         "(1,)",
                                         "(1, 1)",
                                         "(2, 2)",
                                         "(3, 3)",
                                         "(0, 0)",
                                         "(0, 1)",
                                         "(1, 0)",
                                         "(-1,)",
                                         "(0, -1)",
                                         "(2, 3, 4)",
                                         "(1, 1, 1)",
                                         "(0, 2, 1)",
                                         "(0, 2, 3, 1)",
                                         "(-2,)",
                                         "(0, -3, -2)",
                                         "(-4, 1, 2, -2)",
                                         "(0, 0, 0, 0, 1, 1, 2, 2)",
                                         "1e-05",
                                         "0.5",
                                         "-1.0",
                                         "1e38",
                                         "nan",
                                         "inf",
                                         "float32",
                                         "float16",
                                         "float64",
                                         "int32",
                                         "int64",
                                         "uint8",
                                         "int8",
                                         "bool",
                                         "max",
                                         "avg",
                                         "sum",
                                         "lp",
                                         "valid",
                                         "full",
                                         "same",
                                         "relu",
                                         "tanh",
                                         "leaky",
                                         "prelu",
                                         "gelu",
                                         "null",
                                         "batch",
                                         "channel",
                                         "instance",
                                         "spatial",
                                         "edge",
                                         "reflect",
                                         "constant",
                                         "clip",
                                         "wrap",
                                         "raise",
                                         "nearest",
                                         "bilinear",
                                         "lstm",
                                         "gru",
                                         "rnn_tanh",
                                         "NCHW",
                                         "NHWC",
                                         "NWC",
                                         "NDHWC",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483648",
                                         "9223372036854775807",
                                         "1073741824",
                                         "65536",
                                         "4096",
                                         "100",
                                         "16",
                                         "7",
                                         "(4294967296, 4294967296)",
                                         "(65536, 65536)",
                                         "(1, None)",
                                         "(None, None)",
                                         "(0.5, 0.5)",
                                         "[1, 2]",
                                         "ij,jk->ik",
                                         "ii->i",
                                         "...a->a...",
                                         "mean",
                                         "value",
                                         "both",
                                         "indices",
                                         "mask",
                                         "corner"};
    return values[below(sizeof values / sizeof *values)];
}

/* Another value of an attribute; now and then one out of a node elsewhere. */
static void change_attribute(json_t *nodes)
{
    const char *key;
    json_t *node = pick(nodes), *old, *attrs = attributes(node);
    size_t left = below(json_object_size(attrs));
    json_object_foreach(attrs, key, old)
    {
        if (left-- == 0) {
            char text[64];
            const char *has = json_string_value(old);
            if (has && strlen(has) < sizeof text && below(2)) { /* a digit of it */
                snprintf(text, sizeof text, "%s", has);
                char *digit = strpbrk(text + below(strlen(text) + 1), "0123456789");
                if (digit) {
                    *digit = (char)('0' + below(10));
                }
                json_object_set_new(attrs, key, json_string(text));
            } else {
                json_object_set_new(attrs, key, json_string(value()));
            }
            return;
        }
    }
    const json_t *from = attributes(pick(nodes));
    json_object_foreach((json_t *)(uintptr_t)from, key, old)
    {
        if (below(2)) {
            json_object_set(attrs, key, old);
            return;
        }
    }
    json_object_set_new(attrs, "axis", json_string(value()));
}

static void drop_attribute(json_t *nodes)
{
    const char *key;
    json_t *unused, *attrs = attributes(pick(nodes));
    size_t left = below(json_object_size(attrs));
    json_object_foreach(attrs, key, unused)
    {
        if (left-- == 0) {
            json_object_del(attrs, key);
            return;
        }
    }
}

static json_t *edge(size_t node, size_t output)
{
    return json_pack("[I, I, i]", (json_int_t)node, (json_int_t)output, 0);
}

/* An input of a node comes from elsewhere, is new, gone or there twice. */
static void change_edge(json_t *nodes)
{
    const size_t at = below(json_array_size(nodes));
    json_t *inputs = json_object_get(json_array_get(nodes, at), "inputs");
    const size_t i = below(json_array_size(inputs)), from = below(8) ? below(at) : below(json_array_size(nodes));
    switch (below(4)) {
    case 0: json_array_append_new(inputs, edge(from, 0)); break;
    case 1: json_array_remove(inputs, i); break;
    default:
        if (json_array_size(inputs) > 0) {
            json_array_set_new(inputs, i, edge(from, below(6) ? 0 : below(4)));
        }
    }
}

static void change_operator(json_t *nodes)
{
    json_t *node = pick(nodes);
    if (strcmp(json_string_value(json_object_get(node, "op")) ? json_string_value(json_object_get(node, "op")) : "null", "null") == 0) {
        return;
    }
    const char *name = mx2onnx_known_operator_name(below(mx2onnx_known_operator_count()));
    if (below(12) == 0) {
        name = below(2) ? "Custom" : "CastLike";
    }
    json_object_set_new(node, "op", json_string(name));
}

static void change_shape(json_t *nodes)
{
    static const char *const shapes[] = {
        "(2, 3, 8, 8)", "(0, 3, 8, 8)",    "(1, 4)",    "(4,)",           "(0,)",      "()",      "(2, 3)", "(0, 0)",      "(2, 0, 4)",
        "(1, 1, 1, 1)", "(2, 3, 4, 5, 6)", "(1, 3, 1)", "(65536, 65536)", "(2, 4, 8)", "(-1, 4)", "(6, 6)", "(1, 64, 16)", "(3, 2, 2, 3)"};
    static const char *const types[] = {"0", "1", "2", "3", "4", "5", "6", "7", "12", "-1"};
    json_t *attrs = attributes(json_array_get(nodes, below(below(2) ? 3 : json_array_size(nodes))));
    if (below(3)) {
        json_object_set_new(attrs, "__shape__", json_string(shapes[below(sizeof shapes / sizeof *shapes)]));
    } else {
        json_object_set_new(attrs, "__dtype__", json_string(types[below(10)]));
    }
}

/* Behind what was inserted or removed at `at`, indices move. */
static void renumber(json_t *list, size_t at, int by)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *first = json_array_get(json_array_get(list, i), 0);
        const json_int_t index = json_integer_value(first);
        if (index > (json_int_t)at || (by > 0 && index == (json_int_t)at)) {
            json_integer_set(first, index + by);
        }
    }
}

static void move(json_t *graph, size_t at, int by)
{
    json_t *nodes = json_object_get(graph, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        renumber(json_object_get(json_array_get(nodes, i), "inputs"), at, by);
    }
    renumber(json_object_get(graph, "heads"), at, by);
}

/* Inserts a copy of a node after it, which reads the node or the node's inputs. */
static void insert_node(json_t *graph)
{
    char name[64];
    json_t *nodes = json_object_get(graph, "nodes");
    const size_t at = below(json_array_size(nodes));
    json_t *copy = json_deep_copy(json_array_get(nodes, at));
    if (!copy || json_array_size(nodes) > 200) {
        json_decref(copy);
        return;
    }
    snprintf(name, sizeof name, "n%zu", below(1000));
    if (below(4)) {
        json_object_set_new(copy, "name", json_string(name));
    }
    if (json_array_size(json_object_get(copy, "inputs")) > 0 && below(2)) {
        json_array_set_new(json_object_get(copy, "inputs"), 0, edge(at, 0));
    }
    move(graph, at + 1, 1);
    json_array_insert_new(nodes, at + 1, copy);
    if (below(2)) {
        json_array_append_new(json_object_get(graph, "heads"), edge(at + 1, 0));
    }
}

static void remove_node(json_t *graph)
{
    json_t *nodes = json_object_get(graph, "nodes");
    const size_t at = below(json_array_size(nodes));
    json_array_remove(nodes, at);
    move(graph, at, -1);
}

static void change_head(json_t *graph)
{
    json_t *heads = json_object_get(graph, "heads");
    const size_t node = below(json_array_size(json_object_get(graph, "nodes")));
    if (below(3) == 0 && json_array_size(heads) > 1) {
        json_array_remove(heads, below(json_array_size(heads)));
    } else if (json_array_size(heads) < 40) {
        json_array_append_new(heads, edge(node, below(5) ? 0 : below(3)));
    }
}

/* The graph itself or, now and then, one of a node's bodies. */
static json_t *some_graph(json_t *graph)
{
    json_t *nodes = json_object_get(graph, "nodes");
    for (size_t i = 0; i < json_array_size(nodes) && below(3); i++) {
        json_t *bodies = json_object_get(json_array_get(nodes, i), "subgraphs");
        if (json_array_size(bodies) > 0) {
            return some_graph(pick(bodies));
        }
    }
    return graph;
}

static void change_graph(json_t *whole)
{
    json_t *graph = some_graph(whole);
    json_t *nodes = json_object_get(graph, "nodes");
    if (!json_is_array(nodes) || json_array_size(nodes) == 0 || !json_is_array(json_object_get(graph, "heads"))) {
        return;
    }
    switch (below(10)) {
    case 0:
    case 1:
    case 2: change_attribute(nodes); break;
    case 3: drop_attribute(nodes); break;
    case 4: change_edge(nodes); break;
    case 5: change_operator(nodes); break;
    case 6: change_shape(nodes); break;
    case 7: insert_node(graph); break;
    case 8: remove_node(graph); break;
    default: change_head(graph);
    }
    json_object_del(graph, "arg_nodes"); /* it is not needed, and would have to be right */
    json_object_del(graph, "node_row_ptr");
}

/* The text of the changed graph in place of `text` bytes at `data`; 0 if they are not a graph or there is no room. */
static size_t changed_text(uint8_t *data, size_t text, size_t rest, size_t room)
{
    json_t *graph = json_loadb((const char *)data, text, 0, NULL);
    char *made = NULL;
    size_t size = 0;
    if (json_is_object(graph)) {
        for (size_t n = 1 + below(4); n > 0; n--) {
            change_graph(graph);
        }
        made = json_dumps(graph, JSON_COMPACT);
        size = made ? strlen(made) : 0;
    }
    if (size + rest > room) {
        size = 0;
    }
    if (size > 0) {
        memmove(data + size, data + text, rest);
        memcpy(data, made, size);
    }
    free(made);
    json_decref(graph);
    return size;
}

/* Bytes of the text that begins at `graph`; a NUL or the end is after it. */
static size_t text_size(const uint8_t *graph, size_t size)
{
    const uint8_t *nul = memchr(graph, 0, size);
    return nul ? (size_t)(nul - graph) : size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    state = seed;
    if (size <= GRAPH_AT) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    uint8_t *graph = data + GRAPH_AT;
    const size_t text = text_size(graph, size - GRAPH_AT), rest = size - GRAPH_AT - text;
    switch (below(GRAPH_AT ? 5 : 8)) {
    case 0: /* the bytes before the graph, in their number */
        if (GRAPH_AT > 0) {
            (void)LLVMFuzzerMutate(data, GRAPH_AT, GRAPH_AT);
            return size;
        }
        return LLVMFuzzerMutate(data, size, max_size);
    case 1:
        if (rest > 1) {
            return GRAPH_AT + text + 1 + LLVMFuzzerMutate(graph + text + 1, rest - 1, max_size - GRAPH_AT - text - 1);
        }
        break;
    default: break;
    }
    const size_t made = changed_text(graph, text, rest, max_size - GRAPH_AT);
    return made > 0 ? GRAPH_AT + made + rest : LLVMFuzzerMutate(data, size, max_size);
}

static json_t *graph_of(const uint8_t *data, size_t size)
{
    json_t *graph =
        size > GRAPH_AT ? json_loadb((const char *)data + GRAPH_AT, text_size(data + GRAPH_AT, size - GRAPH_AT), 0, NULL) : NULL;
    if (!json_is_object(graph) || json_array_size(json_object_get(graph, "nodes")) == 0) {
        json_decref(graph);
        return NULL;
    }
    return graph;
}

/* Some attributes of a node of `from` in a node of `to`, by their names; now and then all, and the operator too. */
static void exchange(json_t *to, json_t *from)
{
    const char *key;
    json_t *value, *node = pick(json_object_get(to, "nodes")), *other = pick(json_object_get(from, "nodes"));
    json_t *attrs = attributes(node);
    const size_t how = below(4);
    json_object_foreach(attributes(other), key, value)
    {
        if (how == 0 || below(2)) {
            json_object_set(attrs, key, value);
        }
    }
    if (how == 1 && json_object_get(other, "op")) {
        json_object_set(node, "op", json_object_get(other, "op"));
    }
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *two, size_t two_size, uint8_t *out, size_t room,
                                 unsigned seed)
{
    state = seed;
    size_t made = 0;
    json_t *to = graph_of(one, one_size), *from = graph_of(two, two_size);
    if (to && from) {
        for (size_t n = 1 + below(3); n > 0; n--) {
            exchange(to, from);
        }
        char *text = json_dumps(to, JSON_COMPACT);
        const size_t old = text_size(one + GRAPH_AT, one_size - GRAPH_AT), rest = one_size - GRAPH_AT - old, size = text ? strlen(text) : 0;
        if (size > 0 && GRAPH_AT + size + rest <= room) {
            memcpy(out, one, GRAPH_AT);
            memcpy(out + GRAPH_AT, text, size);
            memcpy(out + GRAPH_AT + size, one + GRAPH_AT + old, rest);
            made = GRAPH_AT + size + rest;
        }
        free(text);
    }
    json_decref(to);
    json_decref(from);
    return made;
}
