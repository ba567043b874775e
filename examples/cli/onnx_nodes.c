#include "cli/onnx_nodes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The wire format of protocol buffers; field numbers are those of onnx.proto3. */
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, MOST_NUMBER = (1 << 29) - 1 };
enum { MODEL_GRAPH = 7, GRAPH_NODE = 1, GRAPH_OUTPUT = 12, VALUE_NAME = 1 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP_TYPE = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F = 2, ATTRIBUTE_I = 3, ATTRIBUTE_S = 4, ATTRIBUTE_FLOATS = 7, ATTRIBUTE_INTS = 8 };

struct field {
    const uint8_t *at;
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
    if (s->size == 0) {
        return false;
    }
    if (!read_varint(s, &key) || key >> 3 == 0 || key >> 3 > MOST_NUMBER) {
        *s = before;
        return false;
    }
    f->at = before.data;
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

/* The next field `number` in what is left of a message, which begins after it then; false if there is none. */
static bool take(struct cli_span *rest, int number, struct cli_span *found)
{
    for (struct field f; next(rest, &f);) {
        if (f.number == number && f.kind == BYTES) {
            *found = f.span;
            return true;
        }
    }
    return false;
}

/* ---- what a message may hold */

struct rule {
    int number;
    const char *name;
    int kind; /* of a list of numbers, that of one; BYTES holds several */
    bool list;
    const struct message *inside;
};

struct message {
    const char *name;
    const struct rule *rules; /* up to number 0; any other field is of a later version of ONNX */
};

/* _wire.py of the Python package has the same tables and says the same. */
static const struct rule attribute_rules[] = {
    {ATTRIBUTE_NAME, "name", BYTES, false, NULL},
    {ATTRIBUTE_F, "f", FIXED32, false, NULL},
    {ATTRIBUTE_I, "i", VARINT, false, NULL},
    {ATTRIBUTE_S, "s", BYTES, false, NULL},
    {5, "t", BYTES, false, NULL},
    {6, "g", BYTES, false, NULL},
    {ATTRIBUTE_FLOATS, "floats", FIXED32, true, NULL},
    {ATTRIBUTE_INTS, "ints", VARINT, true, NULL},
    {9, "strings", BYTES, false, NULL},
    {10, "tensors", BYTES, false, NULL},
    {11, "graphs", BYTES, false, NULL},
    {20, "type", VARINT, false, NULL},
    {0, NULL, 0, false, NULL},
};
static const struct message attribute_message = {"AttributeProto", attribute_rules};

static const struct rule node_rules[] = {
    {NODE_INPUT, "input", BYTES, false, NULL},
    {NODE_OUTPUT, "output", BYTES, false, NULL},
    {3, "name", BYTES, false, NULL},
    {NODE_OP_TYPE, "op_type", BYTES, false, NULL},
    {NODE_ATTRIBUTE, "attribute", BYTES, false, &attribute_message},
    {NODE_DOMAIN, "domain", BYTES, false, NULL},
    {0, NULL, 0, false, NULL},
};
static const struct message node_message = {"NodeProto", node_rules};

static const struct rule graph_rules[] = {
    {GRAPH_NODE, "node", BYTES, false, &node_message},
    {2, "name", BYTES, false, NULL},
    {5, "initializer", BYTES, false, NULL},
    {11, "input", BYTES, false, NULL},
    {GRAPH_OUTPUT, "output", BYTES, false, NULL},
    {13, "value_info", BYTES, false, NULL},
    {0, NULL, 0, false, NULL},
};
static const struct message graph_message = {"GraphProto", graph_rules};

static const struct rule model_rules[] = {
    {1, "ir_version", VARINT, false, NULL},
    {5, "model_version", VARINT, false, NULL},
    {MODEL_GRAPH, "graph", BYTES, false, &graph_message},
    {8, "opset_import", BYTES, false, NULL},
    {0, NULL, 0, false, NULL},
};
static const struct message model_message = {"ModelProto", model_rules};

#define GIVE_ONNX "give the .onnx file that was converted from the model"

struct check {
    struct cli_nodes *nodes;
    const uint8_t *file;
};

static bool damaged(const struct check *c, const uint8_t *at, const char *format, ...)
{
    char *why = c->nodes->why;
    const size_t size = sizeof c->nodes->why;
    if (at == c->file) {
        (void)snprintf(why, size, "the file is not an ONNX model");
        c->nodes->help = GIVE_ONNX;
        return false;
    }
    const int n = snprintf(why, size, "the ONNX file is damaged at byte %zu: ", (size_t)(at - c->file));
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why + n, size - (size_t)n, format, arguments);
    va_end(arguments);
    return false;
}

static bool add_node(struct cli_nodes *nodes, struct cli_span message)
{
    if ((nodes->count & (nodes->count - 1)) == 0) { /* 0 or a power of two: full */
        struct cli_node *more = realloc(nodes->items, (nodes->count ? 2 * nodes->count : 1) * sizeof *more);
        if (!more) {
            (void)snprintf(nodes->why, sizeof nodes->why, "out of memory");
            return false;
        }
        nodes->items = more;
    }
    struct cli_node *n = &nodes->items[nodes->count++];
    *n = (struct cli_node){.message = message};
    struct cli_span rest = message;
    (void)take(&rest, NODE_OP_TYPE, &n->op_type);
    rest = message;
    (void)take(&rest, NODE_DOMAIN, &n->domain);
    return true;
}

static const struct rule *rule_of(const struct message *m, int number)
{
    for (const struct rule *r = m->rules; r->number; r++) {
        if (r->number == number) {
            return r;
        }
    }
    return NULL;
}

static bool is_whole_list(struct cli_span numbers, int kind)
{
    uint64_t value;
    bool whole = kind == VARINT || numbers.size % 4 == 0;
    while (kind == VARINT && whole && numbers.size > 0) {
        whole = read_varint(&numbers, &value);
    }
    return whole;
}

static bool check_field(const struct check *c, const struct message *m, const struct rule *r, const struct field *f)
{
    if (f->kind != r->kind && !(r->list && f->kind == BYTES)) {
        return damaged(c, f->at, "field '%s' of %s has wire type %d instead of %d", r->name, m->name, f->kind, r->kind);
    }
    if (r->list && f->kind == BYTES && !is_whole_list(f->span, r->kind)) {
        return damaged(c, f->at, "field '%s' of %s ends within a number", r->name, m->name);
    }
    return true;
}

/* Every field that is read later, and those of known messages inside, which are four levels; the nodes of the graph are added. */
static bool check_message(const struct check *c, const struct message *m, struct cli_span message)
{
    struct field f;
    while (next(&message, &f)) {
        const struct rule *r = rule_of(m, f.number);
        if (r
            && (!check_field(c, m, r, &f) || (r->inside && !check_message(c, r->inside, f.span))
                || (r->inside == &node_message && !add_node(c->nodes, f.span)))) {
            return false;
        }
    }
    return message.size == 0 || damaged(c, message.data, "a field of %s ends outside it or is not a field", m->name);
}

bool cli_nodes_read(struct cli_nodes *nodes, struct cli_span file)
{
    *nodes = (struct cli_nodes){.help = ""};
    struct cli_span graph;
    const struct check c = {nodes, file.data};
    if (!check_message(&c, &model_message, file)) {
        return false;
    }
    if (!take(&file, MODEL_GRAPH, &graph)) {
        (void)snprintf(nodes->why, sizeof nodes->why, "the file has no graph");
        nodes->help = GIVE_ONNX;
        return false;
    }
    return true;
}

void cli_nodes_free(struct cli_nodes *nodes)
{
    free(nodes->items);
    nodes->items = NULL;
}

bool cli_node_input(struct cli_span *rest, struct cli_span *name)
{
    return take(rest, NODE_INPUT, name);
}

bool cli_node_output(struct cli_span *rest, struct cli_span *name)
{
    return take(rest, NODE_OUTPUT, name);
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
    bool more = f->kind != BYTES || f->span.size > 0;
    while (more) {
        fputs(*comma ? ", " : "", out);
        *comma = true;
        if (floats && f->span.size >= 4) {
            print_float(out, f->span.data);
            f->span.data += 4;
            f->span.size -= 4;
        } else if (!floats && (f->kind == VARINT || read_varint(&f->span, &f->value))) {
            fprintf(out, "%lld", (long long)f->value);
        } else {
            return; /* cli_nodes_read refuses such a field */
        }
        more = f->kind == BYTES && f->span.size > 0;
    }
}

static void print_value(FILE *out, struct cli_span attribute)
{
    bool comma = false, list = false;
    for (struct field f; next(&attribute, &f);) {
        if (f.number == ATTRIBUTE_S) {
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
    struct cli_span rest = n->message, attribute, name;
    while (take(&rest, NODE_ATTRIBUTE, &attribute)) {
        struct cli_span inside = attribute;
        if (take(&inside, ATTRIBUTE_NAME, &name)) {
            fputs("  attribute ", out);
            print_text(out, name);
            fputs(" = ", out);
            print_value(out, attribute);
            fputc('\n', out);
        }
    }
}

bool cli_node_is_cast_to(const struct cli_node *n, uint64_t type)
{
    static const char cast[] = "Cast", to[] = "to";
    struct cli_span rest = n->message, attribute;
    bool found = false;
    while (n->op_type.size == strlen(cast) && memcmp(n->op_type.data, cast, strlen(cast)) == 0 && take(&rest, NODE_ATTRIBUTE, &attribute)) {
        struct cli_span inside = attribute, name;
        const bool named = take(&inside, ATTRIBUTE_NAME, &name) && name.size == strlen(to) && memcmp(name.data, to, strlen(to)) == 0;
        for (struct field f; named && next(&attribute, &f);) {
            found = found || (f.number == ATTRIBUTE_I && f.kind == VARINT && f.value == type);
        }
    }
    return found;
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
