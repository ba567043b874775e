#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/given.h"
#include "golden.h"

/* ---- a line, read from left to right */

struct line {
    struct symbol *s;
    int number;
    const char *at;
};

static bool complain(struct line *l, const char *what)
{
    if (!l->s->error[0]) {
        snprintf(l->s->error, sizeof l->s->error, "line %d: %s", l->number, what);
    }
    return false;
}

static void skip_blanks(struct line *l)
{
    while (*l->at == ' ' || *l->at == '\t') {
        l->at++;
    }
}

static bool take(struct line *l, char c)
{
    skip_blanks(l);
    if (*l->at != c) {
        return false;
    }
    l->at++;
    return true;
}

/* Up to one of `ends` or the end of the line, without blanks around; NULL if that is nothing. */
static char *word_until(struct line *l, const char *ends)
{
    skip_blanks(l);
    const char *start = l->at;
    while (*l->at && !strchr(ends, *l->at)) {
        l->at++;
    }
    const char *end = l->at;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return end > start ? copy_of(start, (size_t)(end - start)) : NULL;
}

static bool at_end(struct line *l)
{
    skip_blanks(l);
    return *l->at == 0 || complain(l, "more on the line than expected");
}

/* ---- arrays */

static bool parse_dims(struct line *l, struct array *a)
{
    if (!take(l, '(')) {
        return complain(l, "a shape like (batch, 3, 8) is expected");
    }
    for (a->rank = 0; !take(l, ')'); a->rank++) {
        char *dim = a->rank < MAX_RANK ? word_until(l, ",)") : NULL;
        if (!dim || !(take(l, ',') || *l->at == ')')) {
            free(dim);
            return complain(l, "a shape like (batch, 3, 8) is expected");
        }
        char *end;
        a->dims[a->rank] = strtoll(dim, &end, 10);
        if (*end) {
            a->dims[a->rank] = -1;
            a->dim_names[a->rank] = strcmp(dim, "?") != 0 ? copy_of(dim, strlen(dim)) : NULL;
        }
        free(dim);
    }
    return true;
}

static bool parse_values(struct line *l, struct array *a)
{
    while (skip_blanks(l), *l->at) {
        char *end;
        double *grown = memory((a->n_values + 1) * sizeof *grown);
        if (a->n_values > 0) {
            memcpy(grown, a->values, a->n_values * sizeof *grown);
        }
        free(a->values);
        a->values = grown;
        grown[a->n_values++] = strtod(l->at, &end);
        if (end == l->at) {
            return complain(l, "numbers are expected after =");
        }
        l->at = end;
    }
    return true;
}

/* NAME [DTYPE [SHAPE]] [= VALUES] */
static bool parse_array(struct line *l, struct array **list, size_t *count)
{
    struct array *grown = memory((*count + 1) * sizeof *grown);
    if (*count > 0) {
        memcpy(grown, *list, *count * sizeof *grown);
    }
    free(*list);
    *list = grown;
    struct array *a = &grown[(*count)++];
    a->rank = -1;
    a->dtype = MX2ONNX_DTYPE_UNKNOWN;
    a->name = word_until(l, " ");
    if (!a->name) {
        return complain(l, "a name is expected");
    }
    char *dtype = word_until(l, " (=");
    if (dtype) {
        a->dtype = mx2onnx_dtype_from_name(dtype);
        free(dtype);
        if (a->dtype == MX2ONNX_DTYPE_UNKNOWN) {
            return complain(l, "no such element type");
        }
    }
    skip_blanks(l);
    if (*l->at == '(' && !parse_dims(l, a)) {
        return false;
    }
    return take(l, '=') ? parse_values(l, a) : at_end(l);
}

/* ---- nodes */

static int find_node(const struct symbol *s, const char *name)
{
    for (int i = (int)json_array_size(s->nodes) - 1; i >= 0; i--) {
        if (strcmp(json_string_value(json_object_get(json_array_get(s->nodes, (size_t)i), "name")), name) == 0) {
            return i;
        }
    }
    return -1;
}

static int add_node(struct symbol *s, const char *op, const char *name, json_t *attrs, json_t *inputs)
{
    json_t *node = json_pack("{s:s, s:s, s:o, s:o}", "op", op, "name", name, "attrs", attrs ? attrs : json_object(), "inputs",
                             inputs ? inputs : json_array());
    json_array_append_new(s->nodes, node);
    json_object_set_new(s->ops, op, json_true());
    return (int)json_array_size(s->nodes) - 1;
}

/* "name" or "name[1]" as [node, output, 0]; a name that is not there yet becomes a variable. */
static json_t *entry_of(struct symbol *s, char *reference)
{
    int index = 0;
    const size_t n = strlen(reference);
    char *bracket = strrchr(reference, '[');
    if (bracket && n > 2 && reference[n - 1] == ']') {
        index = atoi(bracket + 1);
        *bracket = 0;
    }
    int node = find_node(s, reference);
    if (node < 0) {
        node = add_node(s, "null", reference, NULL, NULL);
    }
    return json_pack("[i, i, i]", node, index, 0);
}

/* The text of a value: up to a comma or brace outside of brackets, or a quoted text. */
static char *parse_value(struct line *l)
{
    skip_blanks(l);
    if (take(l, '"')) {
        struct text t = {0};
        text_add(&t, "", 0);
        for (; *l->at && *l->at != '"'; l->at++) {
            l->at += *l->at == '\\' && l->at[1] ? 1 : 0;
            text_add(&t, l->at, 1);
        }
        l->at += *l->at == '"';
        return t.bytes;
    }
    const char *start = l->at;
    for (int depth = 0; *l->at && (depth > 0 || (*l->at != ',' && *l->at != '}')); l->at++) {
        depth += *l->at == '(' || *l->at == '[';
        depth -= *l->at == ')' || *l->at == ']';
    }
    return copy_of(start, (size_t)(l->at - start));
}

static bool parse_attrs(struct line *l, json_t *attrs)
{
    if (!take(l, '{')) {
        return true;
    }
    while (!take(l, '}')) {
        char *key = word_until(l, "=,}");
        if (!key || !take(l, '=')) {
            free(key);
            return complain(l, "an attribute like kernel=(2, 2) is expected");
        }
        char *value = parse_value(l);
        json_object_set_new(attrs, key, json_string(value));
        free(key);
        free(value);
        take(l, ',');
        if (!*l->at) {
            return complain(l, "} is missing");
        }
    }
    return true;
}

/* NAME = Op(a, b[1]) {key=value, ...} */
static bool parse_node(struct line *l)
{
    json_t *attrs = json_object(), *inputs = json_array();
    char *name = word_until(l, "=");
    char *op = take(l, '=') ? word_until(l, "(") : NULL;
    bool ok = name && op && take(l, '(');
    while (ok && !take(l, ')')) {
        char *reference = word_until(l, ",)");
        ok = reference != NULL;
        if (ok) {
            json_array_append_new(inputs, entry_of(l->s, reference));
        }
        free(reference);
        take(l, ',');
    }
    ok = ok && parse_attrs(l, attrs) && at_end(l);
    if (ok) {
        add_node(l->s, op, name, attrs, inputs);
    } else {
        json_decref(attrs);
        json_decref(inputs);
        complain(l, "a node like pool0 = Pooling(data) {kernel=(2, 2)} is expected");
    }
    free(name);
    free(op);
    return ok;
}

/* var NAME {__shape__=(2, 3)} */
static bool parse_variable(struct line *l)
{
    char *name = word_until(l, " {");
    json_t *attrs = json_object();
    const bool ok = name && parse_attrs(l, attrs) && at_end(l);
    if (ok) {
        add_node(l->s, "null", name, attrs, NULL);
    } else {
        json_decref(attrs);
    }
    free(name);
    return ok || complain(l, "a variable like w {__shape__=(2, 3)} is expected");
}

/* ---- subgraphs */

/* What a graph and a subgraph say. */
static json_t *graph_json(json_t *nodes, json_t *heads)
{
    json_t *arguments = json_array(), *rows = json_array();
    const size_t n = json_array_size(nodes);
    for (size_t i = 0; i < n; i++) {
        const char *op = json_string_value(json_object_get(json_array_get(nodes, i), "op"));
        if (strcmp(op, "null") == 0) {
            json_array_append_new(arguments, json_integer((json_int_t)i));
        }
        json_array_append_new(rows, json_integer((json_int_t)i));
    }
    json_array_append_new(rows, json_integer((json_int_t)n));
    if (json_array_size(heads) == 0) {
        json_array_append_new(heads, json_pack("[i, i, i]", (int)n - 1, 0, 0));
    }
    return json_pack("{s:O, s:o, s:o, s:O}", "nodes", nodes, "arg_nodes", arguments, "node_row_ptr", rows, "heads", heads);
}

/* subgraph: the lines up to its end are a graph, which belongs to the node before. */
static bool open_subgraph(struct line *l)
{
    struct symbol *s = l->s;
    if (s->n_open == MAX_DEPTH || json_array_size(s->nodes) == 0) {
        return complain(l, "a subgraph must follow its node");
    }
    s->open[s->n_open].nodes = s->nodes;
    s->open[s->n_open++].heads = s->heads;
    s->nodes = json_array();
    s->heads = json_array();
    return at_end(l);
}

static bool close_subgraph(struct line *l)
{
    struct symbol *s = l->s;
    if (s->n_open == 0) {
        return complain(l, "no subgraph ends here");
    }
    json_t *outer = s->open[--s->n_open].nodes, *node = json_array_get(outer, json_array_size(outer) - 1);
    if (!json_object_get(node, "subgraphs")) {
        json_object_set_new(node, "subgraphs", json_array());
    }
    json_array_append_new(json_object_get(node, "subgraphs"), graph_json(s->nodes, s->heads));
    json_decref(s->nodes);
    json_decref(s->heads);
    s->nodes = outer;
    s->heads = s->open[s->n_open].heads;
    return at_end(l);
}

/* ---- options */

static bool parse_heads(struct line *l)
{
    for (char *reference = word_until(l, " "); reference; reference = word_until(l, " ")) {
        json_array_append_new(l->s->heads, entry_of(l->s, reference));
        free(reference);
    }
    return true;
}

static bool parse_opsets(struct line *l)
{
    l->s->n_opsets = 0;
    for (char *word = word_until(l, " "); word; word = word_until(l, " ")) {
        const bool chosen = strcmp(word, "auto") != 0;
        const int opset = chosen ? atoi(word) : MX2ONNX_OPSET_AUTO;
        free(word);
        if ((chosen && opset < MX2ONNX_OPSET_MIN) || opset > MX2ONNX_OPSET_MAX || l->s->n_opsets == MAX_OPSETS) {
            return complain(l, "no such opset");
        }
        l->s->opsets[l->s->n_opsets++] = opset;
    }
    return true;
}

static bool parse_cut(struct line *l)
{
    struct symbol *s = l->s;
    s->outputs[s->n_outputs] = word_until(l, " ");
    return s->outputs[s->n_outputs] && ++s->n_outputs < 64 && at_end(l);
}

static bool parse_rename(struct line *l)
{
    struct symbol *s = l->s;
    char **pair = s->renames[s->n_renames];
    pair[0] = word_until(l, " ");
    pair[1] = word_until(l, " ");
    return pair[0] && pair[1] && ++s->n_renames < 64 && at_end(l);
}

static bool parse_version(struct line *l)
{
    char *word = word_until(l, " ");
    l->s->version = word ? atoi(word) : 0;
    free(word);
    return at_end(l);
}

static bool parse_np_shape(struct line *l)
{
    char *word = word_until(l, " ");
    l->s->np_shape = word && strcmp(word, "1") == 0;
    free(word);
    return at_end(l);
}

static bool parse_input(struct line *l)
{
    if (!parse_array(l, &l->s->inputs, &l->s->n_inputs)) {
        return false;
    }
    const char *name = l->s->inputs[l->s->n_inputs - 1].name;
    if (find_node(l->s, name) < 0) {
        add_node(l->s, "null", name, NULL, NULL);
    }
    return true;
}

static bool parse_param(struct line *l)
{
    return parse_array(l, &l->s->params, &l->s->n_params);
}

/* ---- choices that are one call */

static int32_t choose_target(mx2onnx_model *m, const char *name)
{
    return mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, name);
}

static int32_t choose_trust(mx2onnx_model *m, const char *what)
{
    return strcmp(what, "indices") == 0 ? mx2onnx_set_option(m, MX2ONNX_OPTION_TRUST_INDICES, 1) : MX2ONNX_STATUS_INVALID_ARGUMENT;
}

static int32_t choose_fold(mx2onnx_model *m, const char *what)
{
    return strcmp(what, "input scale") == 0 ? mx2onnx_set_option(m, MX2ONNX_OPTION_FOLD_INPUT_SCALE, 1) : MX2ONNX_STATUS_INVALID_ARGUMENT;
}

static int32_t choose_float16(mx2onnx_model *m, const char *mode)
{
    return mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, strcmp(mode, "all") == 0 ? MX2ONNX_FLOAT16_ALL : MX2ONNX_FLOAT16_INSIDE);
}

static int32_t choose_keep(mx2onnx_model *m, const char *name)
{
    return mx2onnx_set_node_precision(m, name, MX2ONNX_PRECISION_FLOAT32);
}

static int32_t choose_force(mx2onnx_model *m, const char *name)
{
    return mx2onnx_set_node_precision(m, name, MX2ONNX_PRECISION_FLOAT16);
}

static int32_t choose_unknown(mx2onnx_model *m, const char *domain)
{
    return mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, domain);
}

static int32_t choose_last(mx2onnx_model *m, const char *input)
{
    return mx2onnx_set_input_channels_last(m, input, 1);
}

static int32_t choose_reversed(mx2onnx_model *m, const char *input)
{
    return mx2onnx_set_input_channels_reversed(m, input, 1);
}

/* "data 1 2 3" */
static int32_t choose_values(mx2onnx_model *m, const char *line, int32_t (*set)(mx2onnx_model *, const char *, size_t, const double *))
{
    char name[64] = "";
    double values[8];
    size_t n = 0, at = strcspn(line, " ");
    snprintf(name, sizeof name, "%.*s", (int)at, line);
    for (char *end = NULL; n < 8; n++, at = (size_t)(end - line)) {
        values[n] = strtod(line + at, &end);
        if (end == line + at) {
            break;
        }
    }
    return set(m, name, n, values);
}

static int32_t choose_mean(mx2onnx_model *m, const char *line)
{
    return choose_values(m, line, mx2onnx_set_input_mean);
}

static int32_t choose_scale(mx2onnx_model *m, const char *line)
{
    return choose_values(m, line, mx2onnx_set_input_scale);
}

static const struct {
    const char *word;
    int32_t (*call)(mx2onnx_model *m, const char *rest);
} choices[] = {{"for ", choose_target},        {"trust ", choose_trust}, {"fold ", choose_fold},       {"float16 ", choose_float16},
               {"keep ", choose_keep},         {"force ", choose_force}, {"unknown ", choose_unknown}, {"channels_last ", choose_last},
               {"reversed ", choose_reversed}, {"mean ", choose_mean},   {"scale ", choose_scale}};

static bool is_choice(const char *line, size_t *k)
{
    for (*k = 0; *k < sizeof choices / sizeof choices[0]; ++*k) {
        if (strncmp(line, choices[*k].word, strlen(choices[*k].word)) == 0) {
            return true;
        }
    }
    return false;
}

static int32_t make_choice(mx2onnx_model *m, const char *line)
{
    size_t k;
    return is_choice(line, &k) ? choices[k].call(m, line + strlen(choices[k].word)) : MX2ONNX_STATUS_INTERNAL;
}

static bool parse_line(struct line *l)
{
    static const struct {
        const char *word;
        bool (*parse)(struct line *l);
    } options[] = {
        {"input", parse_input},       {"param", parse_param},      {"var", parse_variable},  {"output", parse_heads},
        {"opset", parse_opsets},      {"cut", parse_cut},          {"rename", parse_rename}, {"version", parse_version},
        {"np_shape", parse_np_shape}, {"subgraph", open_subgraph}, {"end", close_subgraph},
    };
    skip_blanks(l);
    if (!*l->at) {
        return true;
    }
    size_t choice;
    if (is_choice(l->at, &choice) && l->s->n_choices < 64) {
        l->s->choices[l->s->n_choices++] = copy_of(l->at, strlen(l->at));
        return true;
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const size_t n = strlen(options[i].word);
        if (strncmp(l->at, options[i].word, n) == 0 && (l->at[n] == ' ' || l->at[n] == 0)) {
            l->at += n;
            return options[i].parse(l) || complain(l, "it cannot be read");
        }
    }
    return parse_node(l);
}

/* Of a case that chooses no opsets: the forms of opset 11 are in ops/graph/opset_11.txt. */
enum { OLDEST = 12 };

bool symbol_parse(struct symbol *s, const char *text)
{
    *s = (struct symbol){.nodes = json_array(), .heads = json_array(), .ops = json_object(), .version = 10901};
    for (int opset = OLDEST; opset <= MX2ONNX_OPSET_MAX; opset++) {
        s->opsets[s->n_opsets++] = opset;
    }
    for (int number = 1; *text; number++) {
        const size_t n = strcspn(text, "\n");
        char *copy = copy_of(text, n);
        struct line l = {.s = s, .number = number, .at = copy};
        const bool ok = parse_line(&l);
        free(copy);
        if (!ok) {
            return false;
        }
        text += n + (text[n] == '\n');
    }
    if (json_array_size(s->nodes) == 0 || s->n_open > 0) {
        snprintf(s->error, sizeof s->error, s->n_open > 0 ? "end is missing" : "there is no node");
        return false;
    }
    return true;
}

static void free_arrays(struct array *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].values);
        free(list[i].data);
        for (int k = 0; k < MAX_RANK; k++) {
            free(list[i].dim_names[k]);
        }
    }
    free(list);
}

void symbol_free(struct symbol *s)
{
    json_decref(s->nodes);
    json_decref(s->heads);
    json_decref(s->ops);
    while (s->n_open > 0) { /* of a case that cannot be read */
        json_decref(s->open[--s->n_open].nodes);
        json_decref(s->open[s->n_open].heads);
    }
    free_arrays(s->inputs, s->n_inputs);
    free_arrays(s->params, s->n_params);
    for (size_t i = 0; i < 64; i++) {
        free(s->outputs[i]);
        free(s->choices[i]);
        free(s->renames[i][0]);
        free(s->renames[i][1]);
    }
}

/* ---- to a model */

static char *symbol_json(const struct symbol *s)
{
    json_t *all = graph_json(s->nodes, s->heads);
    json_object_set_new(all, "attrs", json_pack("{s:[s, i]}", "mxnet_version", "int", s->version));
    if (s->np_shape) {
        json_object_set_new(json_object_get(all, "attrs"), "is_np_shape", json_pack("[s, i]", "int", 1));
    }
    char *text = json_dumps(all, JSON_INDENT(1));
    json_decref(all);
    return text;
}

/* 2^63 is INT64_MAX, read as a double. */
static int64_t to_int64(double v)
{
    return v >= 9223372036854775808.0 ? INT64_MAX : (int64_t)v;
}

#define STORE(type) STORE_AS(type, (type))
#define STORE_AS(type, convert)                                                                                                            \
    do {                                                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                                                                   \
            const double v = a->n_values > 0 ? a->values[i % a->n_values] : (double)(i % 5 + 1);                                           \
            ((type *)data)[i] = convert(v);                                                                                                \
        }                                                                                                                                  \
    } while (0)

static void to_little_endian(unsigned char *element, size_t size, size_t n)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    for (; first == 0 && n > 0; n--, element += size) {
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = element[k];
            element[k] = element[size - 1 - k];
            element[size - 1 - k] = byte;
        }
    }
}

/* The values, repeated as needed; without any 1 2 3 4 5. 16-bit floats take bit patterns. */
static void *make_data(const struct array *a, size_t n, size_t *size)
{
    void *data = memory(8 * n);
    switch (a->dtype) {
    case MX2ONNX_DTYPE_FLOAT64:
        STORE(double);
        *size = 8 * n;
        break;
    case MX2ONNX_DTYPE_INT64:
        STORE_AS(int64_t, to_int64);
        *size = 8 * n;
        break;
    case MX2ONNX_DTYPE_UINT64:
        STORE(uint64_t);
        *size = 8 * n;
        break;
    case MX2ONNX_DTYPE_INT32:
        STORE(int32_t);
        *size = 4 * n;
        break;
    case MX2ONNX_DTYPE_UINT32:
        STORE(uint32_t);
        *size = 4 * n;
        break;
    case MX2ONNX_DTYPE_INT16:
        STORE(int16_t);
        *size = 2 * n;
        break;
    case MX2ONNX_DTYPE_UINT16:
    case MX2ONNX_DTYPE_FLOAT16:
    case MX2ONNX_DTYPE_BFLOAT16:
        STORE(uint16_t);
        *size = 2 * n;
        break;
    case MX2ONNX_DTYPE_INT8:
        STORE(int8_t);
        *size = n;
        break;
    case MX2ONNX_DTYPE_UINT8:
    case MX2ONNX_DTYPE_BOOL:
        STORE(uint8_t);
        *size = n;
        break;
    default:
        STORE(float);
        *size = 4 * n;
        break;
    }
    to_little_endian(data, n > 0 ? *size / n : 0, n);
    return data;
}

static int32_t set_arrays(const struct symbol *s, mx2onnx_model *m)
{
    int32_t status = MX2ONNX_OK;
    for (size_t i = 0; i < s->n_params && status == MX2ONNX_OK; i++) {
        struct array *a = &s->params[i];
        size_t n = 1, size;
        for (int k = 0; k < a->rank; k++) {
            n *= (size_t)(a->dims[k] > 0 ? a->dims[k] : 0);
        }
        free(a->data);
        a->dtype = a->dtype == MX2ONNX_DTYPE_UNKNOWN ? MX2ONNX_DTYPE_FLOAT32 : a->dtype;
        a->data = make_data(a, n, &size);
        status = given_param(m, a->name, given_array(a->dtype, a->rank < 0 ? 0 : a->rank, a->dims, a->data, size), NULL, NULL);
    }
    for (size_t i = 0; i < s->n_inputs && status == MX2ONNX_OK; i++) {
        const struct array *a = &s->inputs[i];
        if (a->rank >= 0) {
            status = mx2onnx_set_input_shape(m, a->name, a->rank, a->dims, (const char *const *)a->dim_names);
        }
        if (a->dtype != MX2ONNX_DTYPE_UNKNOWN && status == MX2ONNX_OK) {
            status = mx2onnx_set_input_dtype(m, a->name, a->dtype);
        }
    }
    return status;
}

int32_t symbol_model(const struct symbol *s, mx2onnx_model **out)
{
    int32_t status = mx2onnx_model_new(out);
    if (status != MX2ONNX_OK) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    char *json = symbol_json(s);
    status = mx2onnx_load_symbol_memory(*out, json, strlen(json));
    free(json);
    status = status == MX2ONNX_OK ? set_arrays(s, *out) : status;
    for (size_t i = 0; i < s->n_outputs && status == MX2ONNX_OK; i++) {
        status = mx2onnx_add_output(*out, s->outputs[i]);
    }
    for (size_t i = 0; i < s->n_renames && status == MX2ONNX_OK; i++) {
        status = mx2onnx_rename(*out, s->renames[i][0], s->renames[i][1]);
    }
    for (size_t i = 0; i < s->n_choices && status == MX2ONNX_OK; i++) {
        status = make_choice(*out, s->choices[i]);
    }
    return status;
}
