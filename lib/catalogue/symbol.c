/* Writes a graph of the catalogue as the text of a symbol. */
#include <string.h>

#include "catalogue/catalogue.h"
#include "read/cursor.h"

enum { MAX_NODES = 1 << 17, MAX_TEXT = 16 << 20 };

struct writer {
    const struct mx_matcher *m;
    const struct mx_net *net;
    enum mx_naming naming;
    struct mx_sizes sizes; /* and the turn */
    struct mx_walk w;
    size_t count;         /* number of turns of the block */
    size_t nodes, inputs; /* written */
    struct mx_str *out, args;
    bool failed;
};

/* ---- where nodes are */

static bool is_inside(const struct mx_walk *w, size_t place)
{
    return place >= w->start && place < w->start + w->length;
}

/* The index of the node in the symbol. */
static size_t node_at(const struct writer *x, size_t place, size_t turn)
{
    const struct mx_walk *w = &x->w;
    if (w->length == 0 || place < w->start) {
        return place;
    }
    return is_inside(w, place) ? place + turn * w->length : place + w->length * x->count - w->length;
}

/* ---- texts */

/* A JSON string, without its quotes. */
static void append_text(struct mx_str *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length && !out->failed; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 32 || c == '"' || c == '\\') {
            mx_str_printf(out, "\\u%04x", c);
        } else {
            mx_str_append_bytes(out, text + i, 1);
        }
    }
}

static void put_text(struct writer *x, const struct mx_piece *text)
{
    struct mx_str plain = {.budget = x->out->budget};
    x->failed |= !mx_net_text(&plain, *text, &x->sizes);
    append_text(x->out, plain.text ? plain.text : "", plain.length);
    x->out->failed |= plain.failed;
    mx_str_free(&plain);
    x->failed |= x->out->length >= MAX_TEXT;
}

static bool goes_on(const struct writer *x)
{
    return !x->failed && !x->out->failed;
}

static void put_name(struct writer *x)
{
    for (uint32_t i = 0; i < x->w.name.n && goes_on(x); i++) {
        put_text(x, &x->m->c->strings[x->w.name.parts[i]]);
    }
}

static void put_attrs(struct writer *x, const struct mx_kind *kind)
{
    if (kind->n_attrs == 0) {
        return;
    }
    mx_str_append(x->out, ", \"attrs\": {");
    for (uint32_t i = 0; i < kind->n_attrs && goes_on(x); i++) {
        mx_str_append(x->out, i > 0 ? ", \"" : "\"");
        put_text(x, &x->m->c->strings[kind->attrs[2 * i]]);
        mx_str_append(x->out, "\": \"");
        put_text(x, &x->m->c->strings[kind->attrs[2 * i + 1]]);
        mx_str_append(x->out, "\"");
    }
    mx_str_append(x->out, "}");
}

/* ---- references */

static void put_entry(struct writer *x, bool first, size_t node, uint32_t output)
{
    mx_str_printf(x->out, "%s[%zu, %u, 0]", first ? "" : ", ", node, (unsigned)output);
}

/* The inputs of the node at `place`, in turn `turn`, or the heads. */
static void put_references(struct writer *x, struct mx_bytes *in, size_t place, size_t turn)
{
    const bool inside = is_inside(&x->w, place);
    const size_t n = mx_bytes_count(in);
    bool first = true;
    for (size_t i = 0; i < n && !in->failed && x->out->length < MAX_TEXT; i++) {
        const struct mx_reference r = mx_read_reference(in, place);
        const bool every = r.every && !inside && is_inside(&x->w, r.to);
        in->failed |= x->count == 0 && !every && is_inside(&x->w, r.to); /* the block is absent */
        for (size_t t = 0; t < (every ? x->count : 1) && x->out->length < MAX_TEXT; t++) {
            put_entry(x, first, node_at(x, r.to, every ? t : inside ? turn : 0), r.output);
            first = false;
        }
    }
    x->failed |= in->failed;
}

/* ---- nodes */

/* The subgraph of a quantised node, whose nodes have no names of their own. */
static void put_subgraph(struct writer *x, struct mx_bytes *in)
{
    const struct mx_walk whole = x->w;
    const size_t n = mx_bytes_count(in);
    struct mx_str args = {.budget = x->out->budget};
    x->w.length = 0;
    mx_str_append(x->out, "{\"nodes\": [");
    for (size_t i = 0; i < n && !in->failed && goes_on(x); i++) {
        const uint64_t first = mx_bytes_varint(in);
        mx_str_append(x->out, i > 0 ? ", {\"op\": \"" : "{\"op\": \"");
        if (first < 2) {
            mx_str_printf(x->out, "null\", \"name\": \"input%zu\", \"inputs\": []}", i);
            mx_str_printf(&args, "%s%zu", args.length > 0 ? ", " : "", i);
            continue;
        }
        in->failed |= first - 2 >= x->m->c->n_kinds;
        const struct mx_kind *kind = &x->m->c->kinds[in->failed ? 0 : first - 2];
        put_text(x, &x->m->c->strings[kind->op]);
        mx_str_printf(x->out, "\", \"name\": \"node%zu\"", i);
        put_attrs(x, kind);
        mx_str_append(x->out, ", \"inputs\": [");
        put_references(x, in, i, 0);
        mx_str_append(x->out, "]}");
    }
    mx_str_printf(x->out, "], \"arg_nodes\": [%s], \"heads\": [", args.text ? args.text : "");
    put_references(x, in, n, 0);
    mx_str_append(x->out, "]}");
    x->out->failed |= args.failed;
    x->failed |= in->failed;
    mx_str_free(&args);
    x->w = whole;
}

static void put_operator(struct writer *x, size_t place, size_t turn)
{
    struct mx_bytes in = x->w.references;
    put_text(x, &x->m->c->strings[x->w.kind->op]);
    mx_str_append(x->out, "\", \"name\": \"");
    put_name(x);
    mx_str_append(x->out, "\"");
    put_attrs(x, x->w.kind);
    mx_str_append(x->out, ", \"inputs\": [");
    put_references(x, &in, place, turn);
    mx_str_append(x->out, "]");
    for (uint32_t i = 0; i < x->w.kind->n_subgraphs; i++) {
        mx_str_append(x->out, i > 0 ? ", " : ", \"subgraphs\": [");
        put_subgraph(x, &in);
        mx_str_append(x->out, i + 1 == x->w.kind->n_subgraphs ? "]" : "");
    }
}

/* The shape that the graph requires of an input, in MXNet's notation: 0 for any size. */
static void put_hint(struct writer *x)
{
    const struct mx_net_shape *shape = x->inputs < x->net->n_inputs ? x->net->inputs[x->inputs].needed : NULL;
    x->inputs++;
    if (!shape || shape->rank == 0) {
        return;
    }
    mx_str_append(x->out, ", \"attrs\": {\"__shape__\": \"(");
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t dim = 0;
        x->failed |= !mx_number_value(&shape->dims[i], &x->sizes, &dim);
        mx_str_printf(x->out, "%s%lld", i > 0 ? ", " : "", (long long)dim);
    }
    mx_str_append(x->out, shape->rank == 1 ? ",)\"}" : ")\"}");
}

static void put_variable(struct writer *x, enum mx_walk_kind kind)
{
    char name[MX_NAME_MAX];
    mx_str_append(x->out, "null\", \"name\": \"");
    if (kind == MX_WALK_PARAM) {
        (void)mx_matcher_name(x->m, &x->w, x->naming, name);
        append_text(x->out, name, strlen(name));
        mx_str_append(x->out, "\"");
    } else {
        put_name(x);
        mx_str_append(x->out, "\"");
        put_hint(x);
    }
    mx_str_append(x->out, ", \"inputs\": []");
    mx_str_printf(&x->args, "%s%zu", x->args.length > 0 ? ", " : "", x->nodes);
}

/* Writes the next node; false if there is none. */
static bool put_node(struct writer *x, size_t turn)
{
    const size_t place = x->w.place;
    const enum mx_walk_kind kind = mx_walk_next(&x->w);
    if (x->w.in.failed || x->failed || x->out->failed || x->out->length >= MAX_TEXT) {
        x->failed = true;
        return false;
    }
    x->sizes.of[MX_SIZE_TURN] = (int64_t)turn;
    mx_str_append(x->out, x->nodes > 0 ? ",\n{\"op\": \"" : "{\"op\": \"");
    if (kind == MX_WALK_NODE) {
        put_operator(x, place, turn);
    } else {
        put_variable(x, kind);
    }
    mx_str_append(x->out, "}");
    x->nodes++;
    return true;
}

static void put_block(struct writer *x)
{
    const struct mx_walk begin = x->w;
    for (size_t i = 0; x->count == 0 && i < begin.length; i++) {
        (void)mx_walk_next(&x->w);
    }
    for (size_t turn = 0; turn < x->count; turn++) {
        x->w = begin;
        for (size_t i = 0; i < begin.length && put_node(x, turn); i++) {
        }
    }
    x->failed |= x->w.in.failed;
}

static void put_graph(struct writer *x)
{
    mx_str_append(x->out, "{\"nodes\": [");
    while (x->w.place < x->w.n_nodes && !x->failed) {
        if (x->w.length > 0 && x->w.place == x->w.start) {
            put_block(x);
        } else {
            put_node(x, 0);
        }
    }
    (void)mx_walk_next(&x->w); /* the part after the heads */
    struct mx_bytes heads = x->w.heads;
    mx_str_printf(x->out, "],\n\"arg_nodes\": [%s],\n\"heads\": [", x->args.text ? x->args.text : "");
    put_references(x, &heads, x->w.n_nodes, 0);
    mx_str_append(x->out, "],\n\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}\n");
    x->out->failed |= x->args.failed;
}

/* The number of turns of the block; false if it is not possible. */
static bool count_turns(struct writer *x)
{
    int64_t count = 1;
    if (x->w.length > 0 && (!mx_number_value(&x->w.count, &x->sizes, &count) || count < 0 || count > MAX_NODES)) {
        return false;
    }
    x->count = (size_t)count;
    return x->w.n_nodes + x->w.length * x->count < MAX_NODES && x->w.n_nodes > (x->count == 0 ? x->w.length : 0);
}

int mx_net_symbol(const struct mx_matcher *m, const struct mx_net *net, enum mx_naming naming, const struct mx_sizes *sizes,
                  struct mx_str *out)
{
    struct writer x = {.m = m, .net = net, .naming = naming, .sizes = *sizes, .out = out, .args.budget = out->budget};
    if (!mx_walk_begin(&x.w, m->c, net->graph)) {
        return mx_catalogue_damaged(m->c);
    }
    if (!count_turns(&x)) {
        return mx_fail(m->c->diags, MX_TOO_LARGE, MX_NOWHERE, "the net '%s' cannot be made with these sizes; choose smaller ones",
                       net->name);
    }
    put_graph(&x);
    mx_str_free(&x.args);
    if (out->failed) {
        return MX_OUT_OF_MEMORY;
    }
    if (x.w.in.failed) {
        return mx_catalogue_damaged(m->c);
    }
    if (out->length >= MAX_TEXT) {
        return mx_fail(m->c->diags, MX_TOO_LARGE, MX_NOWHERE, "the symbol of the net '%s' has more than 16 MiB of text", net->name);
    }
    return x.failed ? mx_fail(m->c->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                              "the net '%s' cannot be made with these sizes; crop must be a multiple of 8 (usually of 32)", net->name)
                    : MX_OK;
}
