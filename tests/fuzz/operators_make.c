/* Makes symbols out of the operators' tables; see operators.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "op/registry.h"
#include "operators.h"

enum { MAX_VARIABLES = 40, MAX_INPUTS = 10, MAX_RANK = 33 };

#define PICK(b, words) ((words)[fuzz_below(b, sizeof(words) / sizeof *(words))])

struct text {
    char *at;
    size_t n, room;
    bool full;
};

static void MX_PRINTF(2, 3) put(struct text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->at + t->n, t->room - t->n, format, arguments);
    va_end(arguments);
    t->full = t->full || n < 0 || (size_t)n >= t->room - t->n;
    t->n += t->full ? 0 : (size_t)n;
}

static void put_bytes(struct text *t, const void *bytes, size_t n)
{
    t->full = t->full || n > t->room - t->n;
    if (!t->full) {
        memcpy(t->at + t->n, bytes, n);
        t->n += n;
    }
}

static void put_number(struct text *t, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        put_bytes(t, &(unsigned char){(unsigned char)(value >> 8 * i)}, 1);
    }
}

struct dims {
    int ndim;
    int64_t v[MAX_RANK];
};

/* A graph that is being written, the symbol's or a body's. */
struct graph {
    struct fuzz_bytes *b;
    struct text *nodes;
    int n;    /* nodes */
    int last; /* the newest operator; -1: none */
    int variables[MAX_VARIABLES], n_variables;
    struct dims like;            /* the shape of the newest variable */
    struct text *values, *names; /* of the parameter file; NULL in a body */
    int arrays;
};

/* ---- values of attributes */

static const char *const ordinary[] = {"0", "1", "2", "3", "-1", "-2", "4", "5", "6", "8", "16"};
static const char *const extreme[] = {"2147483647",
                                      "-2147483648",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "9223372036854775776",
                                      "4611686018427387904",
                                      "1073741824",
                                      "65536",
                                      "4096",
                                      "1000000",
                                      "31",
                                      "32",
                                      "33",
                                      "-32",
                                      "-33",
                                      "127",
                                      "255",
                                      "-100",
                                      "1000"};
static const char *const floats[] = {"0", "1", "0.5", "-1.5", "1e-05", "2", "0.9", "100.25"};
static const char *const extreme_floats[] = {"nan",   "inf",    "-inf",   "1e38",         "1e-45", "-0.0",
                                             "1e308", "1024.8", "9.3e18", "2147483648.5", "1e400"};
static const char *const strings[] = {"ij,jk->ik", "ii->i", "...a->a...", "NCHW",   "NHWC",  "TNC",         "valid",
                                      "same",      "full",  "fro",        "inf",    "nuc",   "linear",      "lower",
                                      "float32",   "a",     "",           "ij->ji", "i,i->", "...,...->..."};

static void put_tuple(struct text *t, struct fuzz_bytes *b, const char *const *few, size_t n_few)
{
    const unsigned n = fuzz_below(b, 24);
    const unsigned length = n < 20 ? n % 6 : 30 + n % 5;
    put(t, n & 1 ? "[" : "(");
    for (unsigned i = 0; i < length; i++) {
        const char *v = length > 6 && fuzz_below(b, 8) ? "1" : few[fuzz_below(b, (unsigned)n_few)];
        put(t, "%s%s", i ? ", " : "", fuzz_below(b, 24) ? v : fuzz_below(b, 3) ? PICK(b, extreme) : "None");
    }
    put(t, "%s%s", length == 1 ? "," : "", n & 1 ? "]" : ")");
}

enum form { INTEGER, NUMBER, TUPLE, TUPLE_OF_NUMBERS, WORD, TYPE, TEXT, TRUTH, FORMS };

static enum form form_of(enum mx_attr_kind kind)
{
    switch (kind) {
    case MX_ATTR_INT:
    case MX_ATTR_INT_NONE: return INTEGER;
    case MX_ATTR_BOOL:
    case MX_ATTR_BOOL_NONE: return TRUTH;
    case MX_ATTR_FLOAT:
    case MX_ATTR_DOUBLE:
    case MX_ATTR_FLOAT_NONE: return NUMBER;
    case MX_ATTR_TUPLE:
    case MX_ATTR_TUPLE_NONE:
    case MX_ATTR_PLACES: return TUPLE;
    case MX_ATTR_FLOATS:
    case MX_ATTR_FLOATS_NONE: return TUPLE_OF_NUMBERS;
    case MX_ATTR_ENUM: return WORD;
    case MX_ATTR_DTYPE: return TYPE;
    case MX_ATTR_STRING: break;
    }
    return TEXT;
}

static void put_form(struct text *t, struct fuzz_bytes *b, enum form form, bool is_extreme)
{
    switch (form) {
    case INTEGER: put(t, "%s", is_extreme ? PICK(b, extreme) : PICK(b, ordinary)); break;
    case NUMBER: put(t, "%s", is_extreme ? PICK(b, extreme_floats) : PICK(b, floats)); break;
    case TUPLE: put_tuple(t, b, is_extreme ? extreme : ordinary, is_extreme ? sizeof extreme / sizeof *extreme : 6); break;
    case TUPLE_OF_NUMBERS: put_tuple(t, b, is_extreme ? extreme_floats : floats, is_extreme ? 6 : 8); break;
    case TYPE: put(t, "%s", mx_dtype_name((enum mx_dtype)((int)fuzz_below(b, MX_DTYPE_COUNT + 1) - 1))); break;
    case TRUTH: put(t, "%s", fuzz_below(b, 2) ? "True" : "False"); break;
    case WORD:
    case TEXT:
    case FORMS: put(t, "%s", PICK(b, strings));
    }
}

static void put_word(struct text *t, struct fuzz_bytes *b, const char *const *words)
{
    unsigned n = 0;
    while (words[n]) {
        n++;
    }
    put(t, "%s", n ? words[fuzz_below(b, n)] : "");
}

static void put_value(struct text *t, struct fuzz_bytes *b, const struct mx_attr *row)
{
    const unsigned how = fuzz_below(b, 32);
    const enum form form = form_of(row->kind);
    if (how < 4 && row->fallback) {
        put(t, "%s", row->fallback);
    } else if (how == 4) {
        put(t, "None");
    } else if (how == 5) {
        put_form(t, b, (enum form)fuzz_below(b, FORMS), fuzz_below(b, 2));
    } else if (form == INTEGER && how < 9) { /* at a bound of what the row accepts, or next to it */
        const uint64_t bound = (uint64_t)(how % 2 ? row->low : row->high) + fuzz_below(b, 3) - 1;
        put(t, "%lld", (long long)(int64_t)bound);
    } else if (form == WORD) {
        put_word(t, b, row->words);
    } else {
        put_form(t, b, form, how < 12);
    }
}

/* ---- variables */

static const struct dims shapes[] = {{4, {2, 3, 8, 8}}, {0, {0}},          {1, {4}},          {1, {1}},
                                     {1, {0}},          {2, {2, 3}},       {2, {3, 3}},       {2, {4, 1}},
                                     {3, {2, 3, 4}},    {3, {1, 4, 8}},    {3, {2, 3, 3}},    {5, {1, 2, 3, 4, 5}},
                                     {2, {0, 3}},       {4, {1, 1, 1, 1}}, {4, {2, 0, 4, 4}}, {6, {1, 2, 1, 2, 1, 2}},
                                     {3, {5, 2, 8}},    {2, {8, 6}},       {3, {1, 10, 6}},   {2, {7, 5}},
                                     {1, {6}},          {1, {2}},          {4, {2, 4, 4, 4}}, {2, {1, 1000}}};

/* Now and then of another rank, up to one that is too large, or with an extreme dim. */
static struct dims draw_dims(struct graph *g)
{
    static const int64_t odd[] = {-1, INT64_MAX, INT64_C(1) << 32, 65536, INT32_MAX, 100000, -2, INT64_C(1) << 62};
    const unsigned how = fuzz_below(g->b, 32);
    struct dims d = how < 12 && g->like.ndim >= 0 ? g->like : PICK(g->b, shapes);
    if (how == 31) {
        d.ndim = 30 + (int)fuzz_below(g->b, 4);
        for (int i = 0; i < d.ndim; i++) {
            d.v[i] = fuzz_below(g->b, 8) == 0 ? 2 : 1;
        }
    } else if (how == 30 && d.ndim > 0) {
        d.v[fuzz_below(g->b, (unsigned)d.ndim)] = PICK(g->b, odd);
    } else if (how > 27 && d.ndim > 0) {
        d.v[fuzz_below(g->b, (unsigned)d.ndim)] = 1 + fuzz_below(g->b, 5);
    }
    return d;
}

static void put_dims(struct text *t, const struct dims *d)
{
    put(t, "(");
    for (int i = 0; i < d->ndim; i++) {
        put(t, "%s%lld", i ? ", " : "", (long long)d->v[i]);
    }
    put(t, d->ndim == 1 ? ",)" : ")");
}

static int draw_type(struct graph *g)
{
    return fuzz_below(g->b, 3) ? (int)MX_FLOAT32 : (int)fuzz_below(g->b, MX_DTYPE_COUNT);
}

/* Small numbers (0 and 1 for a float type); now and then any bits. */
static void put_elements(struct graph *g, int type, int64_t n)
{
    static const uint64_t one[] = {0x3F800000, UINT64_C(0x3FF0000000000000), 0x3C00};
    const unsigned seed = fuzz_byte(g->b);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t v = type <= (int)MX_FLOAT16 ? one[type] * ((seed + (uint64_t)i) % 2) : (seed + (uint64_t)i) % 4;
        put_number(g->values, seed == 255 && type != (int)MX_BOOL ? UINT64_MAX >> i % 64 : v, mx_dtype_size((enum mx_dtype)type));
    }
}

/* An array of the parameter file, if its dims are those of a small one (src/ndarray/ndarray.cc, NDArray::Save). */
static void put_array(struct graph *g, int node, const struct dims *d, int type)
{
    char name[16];
    int64_t elements = 1;
    for (int i = 0; i < d->ndim; i++) {
        elements = d->v[i] < 0 || d->v[i] > 4096 || elements > 4096 ? -1 : elements * d->v[i];
        if (elements < 0) {
            return;
        }
    }
    if (elements > 256 || d->ndim == 0) {
        return;
    }
    put_number(g->values, 0xF993FAC9, 4);
    put_number(g->values, 0, 4);
    put_number(g->values, (uint64_t)d->ndim, 4);
    for (int i = 0; i < d->ndim; i++) {
        put_number(g->values, (uint64_t)d->v[i], 8);
    }
    put_number(g->values, 1, 8); /* a context */
    put_number(g->values, (uint64_t)type, 4);
    put_elements(g, type, elements);
    snprintf(name, sizeof name, "arg:v%d", node);
    put_number(g->names, strlen(name), 8);
    put(g->names, "%s", name);
    g->arrays++;
}

enum variable { SHAPED, OPEN, CONSTANT };

static int add_variable(struct graph *g, enum variable how)
{
    const int node = g->n++;
    put(g->nodes, "%s{\"op\":\"null\",\"name\":\"v%d\",\"inputs\":[]", node ? "," : "", node);
    if (how != OPEN) {
        const struct dims d = draw_dims(g);
        const int type = draw_type(g);
        put(g->nodes, ",\"attrs\":{\"__shape__\":\"");
        put_dims(g->nodes, &d);
        put(g->nodes, "\",\"__dtype__\":\"%d\"}", type);
        g->like = d;
        if (how == CONSTANT && g->values) {
            put_array(g, node, &d, type);
        }
    }
    put(g->nodes, "}");
    if (g->n_variables < MAX_VARIABLES) {
        g->variables[g->n_variables++] = node;
    }
    return node;
}

/* A variable through a node, so that it is not a weight that has no value; its shape is for inference to find. */
static int add_copy(struct graph *g)
{
    const int from = add_variable(g, OPEN), node = g->n++;
    put(g->nodes, ",{\"op\":\"_copy\",\"name\":\"c%d\",\"inputs\":[[%d,0,0]]}", node, from);
    return node;
}

/* Input i of a node: mostly the last result for the first, and what has a shape before what has none. */
static int draw_input(struct graph *g, int i)
{
    const unsigned how = fuzz_below(g->b, 32);
    if (g->last >= 0 && (i == 0 ? how < 26 : how < 8)) {
        return g->last;
    }
    if (how < 12 && g->n_variables > 0) {
        return g->variables[fuzz_below(g->b, (unsigned)g->n_variables)];
    }
    if (i == 0) {
        return how == 31 ? add_copy(g) : add_variable(g, how < 28 ? SHAPED : CONSTANT);
    }
    return how < 18 ? add_copy(g) : add_variable(g, how < 26 ? SHAPED : how < 31 ? CONSTANT : OPEN);
}

/* ---- nodes */

static const struct mx_op *draw_operator(struct fuzz_bytes *b)
{
    const size_t at = fuzz_byte(b) | (size_t)fuzz_byte(b) << 8;
    return mx_registry_nth(at % mx_registry_count());
}

static bool has_row(const struct mx_op *op, const char *name)
{
    return mx_attr_row(op, name, strlen(name));
}

/* As many inputs as its list says, of a list that repeats any number; now and then one more or less. */
static int draw_count(struct graph *g, const struct mx_op *op)
{
    const char *words = op->inputs ? op->inputs : "data";
    int n = *words != 0;
    for (const char *w = words; *w; w++) {
        n += *w == ' ';
    }
    if (strstr(words, "...")) {
        n += (int)fuzz_below(g->b, 4) - 1;
    }
    if (mx_op_inputs_vary(op) || fuzz_below(g->b, 16) == 0) {
        n -= (int)fuzz_below(g->b, 3);
    }
    return n < 0 ? 0 : n > MAX_INPUTS ? MAX_INPUTS : n;
}

static void put_attributes(struct graph *g, const struct mx_op *op, int n_in)
{
    const char *comma = "";
    for (size_t r = 0; r < op->n_attrs; r++) {
        const struct mx_attr *row = &op->attrs[r];
        const bool counts = strcmp(row->name, "num_args") == 0 || strcmp(row->name, "num_arrays") == 0;
        if (row->offset == SIZE_MAX || fuzz_below(g->b, row->fallback ? 2 : 24) == 0) {
            continue;
        }
        put(g->nodes, "%s\"%s\":\"", comma, row->name);
        if (counts && fuzz_below(g->b, 16)) {
            put(g->nodes, "%d", n_in);
        } else {
            put_value(g->nodes, g->b, row);
        }
        put(g->nodes, "\"");
        comma = ",";
    }
}

static int begin_node(struct graph *g, const struct mx_op *op, const int *in, int n_in)
{
    const int node = g->n++;
    put(g->nodes, "%s{\"op\":\"%s\",\"name\":\"n%d\",\"inputs\":[", node ? "," : "", op->name, node);
    for (int i = 0; i < n_in; i++) {
        put(g->nodes, "%s[%d,%u,0]", i ? "," : "", in[i], in[i] == g->last && fuzz_below(g->b, 8) == 0 ? 1 : 0);
    }
    put(g->nodes, "],\"attrs\":{");
    g->last = node;
    return node;
}

static void add_node(struct graph *g, const struct mx_op *op)
{
    int in[MAX_INPUTS];
    const int n = draw_count(g, op);
    for (int i = 0; i < n; i++) {
        in[i] = draw_input(g, i);
    }
    begin_node(g, op, in, n);
    put_attributes(g, op, n);
    put(g->nodes, "}}");
}

/* ---- control flow */

/* A body of n_in variables and n_out heads. */
static void put_body(struct graph *outer, int n_in, int n_out)
{
    struct graph g = {.b = outer->b, .nodes = outer->nodes, .last = -1, .like = {.ndim = -1}};
    put(g.nodes, "{\"nodes\":[");
    for (int i = 0; i < n_in; i++) {
        (void)add_variable(&g, OPEN);
    }
    for (unsigned k = fuzz_below(g.b, 3); k > 0 && n_in > 0; k--) {
        int in[2];
        const struct mx_op *op = draw_operator(g.b);
        const int n = draw_count(&g, op) > 1 ? 2 : 1;
        for (int i = 0; i < n; i++) {
            in[i] = (int)fuzz_below(g.b, (unsigned)g.n);
        }
        begin_node(&g, op, in, n);
        put_attributes(&g, op, n);
        put(g.nodes, "}}");
    }
    put(g.nodes, "],\"arg_nodes\":[],\"heads\":[");
    for (int i = 0; i < n_out; i++) {
        const int from = fuzz_below(g.b, 2) && g.last >= 0 ? g.last : (int)fuzz_below(g.b, (unsigned)(g.n ? g.n : 1));
        put(g.nodes, "%s[%d,0,0]", i ? "," : "", from);
    }
    put(g.nodes, "]}");
}

/* Mostly the next `n` of the locations; now and then any list. */
static void put_locations(struct graph *g, const char *name, int first, int n)
{
    put(g->nodes, ",\"%s\":\"", name);
    if (fuzz_below(g->b, 6) == 0) {
        if (fuzz_below(g->b, 3) == 0) {
            put(g->nodes, "None");
        } else {
            put_form(g->nodes, g->b, TUPLE, fuzz_below(g->b, 2));
        }
    } else {
        put(g->nodes, "(");
        for (int i = 0; i < n; i++) {
            put(g->nodes, "%d,", first + i);
        }
        put(g->nodes, ")");
    }
    put(g->nodes, "\"");
}

static void put_count(struct graph *g, const char *name, int n)
{
    put(g->nodes, "%s\"%s\":\"", g->nodes->at[g->nodes->n - 1] == '{' ? "" : ",", name);
    if (fuzz_below(g->b, 12) == 0) {
        put_form(g->nodes, g->b, INTEGER, fuzz_below(g->b, 2));
    } else {
        put(g->nodes, "%d", n);
    }
    put(g->nodes, "\"");
}

/* Which lists of locations an operator's node has, and from which input on they count. */
enum control { FOREACH = 1, WHILE_LOOP, COND };

static enum control control_of(const struct mx_op *op)
{
    return has_row(op, "in_state_locs") ? FOREACH : has_row(op, "func_var_locs") ? WHILE_LOOP : has_row(op, "else_input_locs") ? COND : 0;
}

static void add_control(struct graph *g, const struct mx_op *op, enum control control)
{
    int in[MAX_INPUTS];
    const int n = 1 + (int)fuzz_below(g->b, 5), states = (int)fuzz_below(g->b, (unsigned)n), outputs = (int)fuzz_below(g->b, 3);
    const int n_out = control == COND ? 1 + outputs : outputs + states;
    for (int i = 0; i < n; i++) {
        in[i] = draw_input(g, i);
    }
    begin_node(g, op, in, n);
    put_count(g, "num_args", n + (int)control);
    put_count(g, "num_outputs", n_out);
    if (control == FOREACH) {
        const int data = 1 + (int)fuzz_below(g->b, (unsigned)(n - states));
        put_count(g, "num_out_data", outputs);
        put_locations(g, "in_data_locs", 0, data);
        put_locations(g, "in_state_locs", data, states);
        put_locations(g, "remain_locs", data + states, n - data - states);
    } else if (control == WHILE_LOOP) {
        put_count(g, "num_out_data", outputs);
        put_count(g, "max_iterations", 3);
        put_locations(g, "cond_input_locs", 0, n);
        put_locations(g, "func_input_locs", 0, n);
        put_locations(g, "func_var_locs", 0, states);
    } else {
        put_locations(g, "cond_input_locs", 0, n);
        put_locations(g, "then_input_locs", 0, n);
        put_locations(g, "else_input_locs", 0, n);
    }
    put(g->nodes, "},\"subgraphs\":[");
    for (int k = 0; k < (int)control; k++) {
        put(g->nodes, k ? "," : "");
        put_body(g, n, k == 0 && control != FOREACH ? 1 : n_out);
    }
    put(g->nodes, "]}");
}

/* ---- the whole */

static void put_params(struct text *t, const struct graph *g)
{
    put_bytes(t, "", 1);
    put_number(t, 0x112, 8);
    put_number(t, 0, 8);
    put_number(t, (uint64_t)g->arrays, 8);
    put_bytes(t, g->values->at, g->values->n);
    put_number(t, (uint64_t)g->arrays, 8);
    put_bytes(t, g->names->at, g->names->n);
    t->full = t->full || g->values->full || g->names->full;
}

size_t fuzz_make(struct fuzz_bytes *b, char out[FUZZ_MADE])
{
    static char values[FUZZ_MADE / 4], names[FUZZ_MADE / 16];
    struct text nodes = {out, 0, FUZZ_MADE, false}, value_text = {values, 0, sizeof values, false},
                name_text = {names, 0, sizeof names, false};
    struct graph g = {.b = b, .nodes = &nodes, .last = -1, .like = {.ndim = -1}, .values = &value_text, .names = &name_text};
    const unsigned version = fuzz_below(b, 8), numpy = fuzz_below(b, 4);
    put(&nodes, "{\"nodes\":[");
    for (unsigned k = 1 + fuzz_below(b, 3); k > 0; k--) {
        const struct mx_op *op = draw_operator(b);
        const enum control control = control_of(op);
        if (control) {
            add_control(&g, op, control);
        } else {
            add_node(&g, op);
        }
    }
    put(&nodes, "],\"arg_nodes\":[],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",%d],\"is_np_shape\":[\"int\",%d]}}", g.last,
        version == 0  ? 800
        : version < 3 ? 20000
                      : 10901,
        numpy != 0);
    if (g.arrays > 0) {
        put_params(&nodes, &g);
    }
    return nodes.full ? 0 : nodes.n;
}
