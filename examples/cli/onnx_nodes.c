#include "cli/onnx_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The wire format of protocol buffers; field numbers are those of onnx.proto3. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, GRAPH_OUTPUT = 12, VALUE_NAME = 1 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F = 2, ATTRIBUTE_I = 3, ATTRIBUTE_S = 4, ATTRIBUTE_FLOATS = 7, ATTRIBUTE_INTS = 8 };

struct field {
    int number, kind;
    uint64_t value;       /* VARINT */
    struct cli_span span; /* all others */
};

static bool read_varint(struct cli_span *s, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && s->size > 0; shift += 7) {
        const uint8_t byte = *s->data;
        s->data++;
        s->size--;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

/* False at the end, and if the bytes are damaged: then s is not empty. */
static bool next(struct cli_span *s, struct field *f)
{
    const struct cli_span before = *s;
    uint64_t key, size = 0;
    if (s->size == 0 || !read_varint(s, &key)) {
        return false;
    }
    f->number = (int)(key >> 3);
    f->kind = (int)(key & 7);
    const bool known = f->kind == VARINT    ? read_varint(s, &f->value)
                       : f->kind == BYTES   ? read_varint(s, &size)
                       : f->kind == FIXED64 ? (size = 8, true)
                       : f->kind == FIXED32 ? (size = 4, true)
                                            : false;
    if (!known || size > s->size) {
        *s = before;
        return false;
    }
    f->span = (struct cli_span){s->data, (size_t)size};
    s->data += size;
    s->size -= (size_t)size;
    return true;
}

/* Occurrence `i` of field `number`; false if there are fewer. */
static bool find(struct cli_span message, int number, size_t i, struct cli_span *found)
{
    for (struct field f; next(&message, &f);) {
        if (f.number == number && f.kind == BYTES && i-- == 0) {
            *found = f.span;
            return true;
        }
    }
    return false;
}

static bool add_node(struct cli_nodes *nodes, struct cli_span message)
{
    if ((nodes->count & (nodes->count - 1)) == 0) { /* 0 or a power of two: full */
        struct cli_node *more = realloc(nodes->items, (nodes->count ? 2 * nodes->count : 1) * sizeof *more);
        if (!more) {
            return false;
        }
        nodes->items = more;
    }
    struct cli_node *n = &nodes->items[nodes->count++];
    *n = (struct cli_node){.message = message};
    find(message, NODE_OP_TYPE, 0, &n->op_type);
    return true;
}

static bool read_graph(struct cli_nodes *nodes, struct cli_span graph, const char **why)
{
    struct field f;
    while (next(&graph, &f)) {
        if (f.number == GRAPH_NODE && f.kind == BYTES && !add_node(nodes, f.span)) {
            *why = "out of memory";
            return false;
        }
    }
    *why = graph.size > 0 ? "the ONNX file is damaged" : NULL;
    return !*why;
}

bool cli_nodes_read(struct cli_nodes *nodes, struct cli_span file, const char **why)
{
    bool graph = false;
    struct field f;
    *nodes = (struct cli_nodes){NULL, 0};
    while (next(&file, &f)) {
        if (f.number == MODEL_GRAPH && f.kind == BYTES) {
            graph = true;
            if (!read_graph(nodes, f.span, why)) {
                return false;
            }
        }
    }
    *why = file.size > 0 || !graph ? "this is no ONNX file, or a damaged one" : NULL;
    return !*why;
}

void cli_nodes_free(struct cli_nodes *nodes)
{
    free(nodes->items);
    nodes->items = NULL;
}

bool cli_node_input(const struct cli_node *n, size_t i, struct cli_span *name)
{
    return find(n->message, NODE_INPUT, i, name);
}

bool cli_node_output(const struct cli_node *n, size_t i, struct cli_span *name)
{
    return find(n->message, NODE_OUTPUT, i, name);
}

/* ---- attributes */

static void print_text(FILE *out, struct cli_span text)
{
    char *copy = cli_copy((const char *)text.data, text.size);
    cli_put(out, copy ? copy : "", CLI_NAME);
    free(copy);
}

static void print_float(FILE *out, const uint8_t *data)
{
    const uint32_t bits = data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    fprintf(out, "%.7g", (double)x);
}

/* The numbers of one field, with commas between them. */
static void print_numbers(FILE *out, struct field *f, bool *comma)
{
    const bool floats = f->number == ATTRIBUTE_FLOATS || f->number == ATTRIBUTE_F;
    const bool packed = f->kind == BYTES;
    uint64_t value = f->value;
    while (packed ? f->span.size >= (floats ? 4 : 1) : true) {
        if (packed && !floats && !read_varint(&f->span, &value)) {
            return;
        }
        fputs(*comma ? ", " : "", out);
        *comma = true;
        if (floats) {
            print_float(out, f->span.data);
            f->span.data += 4;
            f->span.size -= 4;
        } else {
            fprintf(out, "%lld", (long long)value);
        }
        if (!packed) {
            return;
        }
    }
}

static void print_value(FILE *out, struct cli_span attribute)
{
    bool comma = false, list = false;
    for (struct field f; next(&attribute, &f);) {
        if (f.number == ATTRIBUTE_S && f.kind == BYTES) {
            print_text(out, f.span);
            return;
        }
        if (f.number == ATTRIBUTE_F || f.number == ATTRIBUTE_I) {
            print_numbers(out, &f, &comma);
            return;
        }
        if (f.number == ATTRIBUTE_FLOATS || f.number == ATTRIBUTE_INTS) {
            fputs(list ? "" : "[", out);
            list = true;
            print_numbers(out, &f, &comma);
        }
    }
    fputs(list ? "]" : "...", out); /* a tensor, a graph, strings */
}

void cli_node_print_attributes(FILE *out, const struct cli_node *n)
{
    struct cli_span attribute, name;
    for (size_t i = 0; find(n->message, NODE_ATTRIBUTE, i, &attribute); i++) {
        if (find(attribute, ATTRIBUTE_NAME, 0, &name)) {
            fputs("  attribute ", out);
            print_text(out, name);
            fputs(" = ", out);
            print_value(out, attribute);
            fputc('\n', out);
        }
    }
}

/* ---- further outputs */

static size_t put_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;
    for (; value > 127; value >>= 7) {
        to[n++] = (uint8_t)(value | 128);
    }
    to[n++] = (uint8_t)value;
    return n;
}

/* The tag and length of a field of bytes. */
static size_t put_head(uint8_t *to, int number, size_t size)
{
    const size_t n = put_varint(to, (uint64_t)number << 3 | BYTES);
    return n + put_varint(to + n, size);
}

uint8_t *cli_onnx_with_outputs(struct cli_span file, const char *const *names, size_t n, size_t *size)
{
    enum { HEAD = 20 };
    uint8_t head[HEAD];
    size_t graph = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t value = put_head(head, VALUE_NAME, strlen(names[i])) + strlen(names[i]);
        graph += put_head(head, GRAPH_OUTPUT, value) + value;
    }
    uint8_t *out = malloc(file.size + HEAD + graph), *to = out;
    if (!out) {
        return NULL;
    }
    memcpy(to, file.data, file.size);
    to += file.size;
    /* Concatenated messages are merged by readers: this one is a graph with outputs only. */
    to += put_head(to, MODEL_GRAPH, graph);
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(names[i]);
        to += put_head(to, GRAPH_OUTPUT, put_head(head, VALUE_NAME, length) + length);
        to += put_head(to, VALUE_NAME, length);
        memcpy(to, names[i], length);
        to += length;
    }
    *size = (size_t)(to - out);
    return out;
}
