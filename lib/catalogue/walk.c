/* Walks a graph of the catalogue node by node. */
#include <string.h>

#include "catalogue/catalogue.h"

/* True if it has fewer than MX_NAME_MAX bytes. */
static bool name_fits(const struct mx_catalogue *c, const struct mx_net_name *name)
{
    size_t n = 0;
    for (uint32_t i = 0; i < name->n; i++) {
        n += c->strings[name->parts[i]].length;
    }
    return n < MX_NAME_MAX;
}

/* A name is stored as the length shared with the previous name, and the rest. */
static void read_name(struct mx_walk *w, struct mx_net_name *name)
{
    const uint64_t shared = mx_bytes_varint(&w->in), more = mx_bytes_varint(&w->in);
    if (shared > name->n || more > MX_NAME_PARTS - shared) {
        w->in.failed = true;
        return;
    }
    name->n = (uint32_t)(shared + more);
    for (uint64_t i = shared; i < shared + more; i++) {
        name->parts[i] = (uint32_t)mx_bytes_index(&w->in, w->c->n_strings);
    }
    w->in.failed = w->in.failed || !name_fits(w->c, name);
}

/* The names of a parameter, and its shape. */
static void read_param(struct mx_walk *w)
{
    struct mx_net_name last = w->structures[w->n_structures - 1];
    w->n_structures = 1 + (uint32_t)mx_bytes_index(&w->in, MX_NET_ALIASES);
    for (uint32_t i = 0; i < w->n_structures; i++) {
        read_name(w, &last);
        w->structures[i] = last;
    }
    w->shape = &w->c->shapes[mx_bytes_index(&w->in, w->c->n_shapes)];
}

struct mx_reference mx_read_reference(struct mx_bytes *in, size_t place)
{
    const uint64_t first = mx_bytes_varint(in);
    const uint64_t back = first / 4;
    struct mx_reference r = {.every = first & 1};
    in->failed |= back == 0 || back > place;
    r.to = in->failed ? 0 : place - (size_t)back;
    r.output = first & 2 ? (uint32_t)mx_bytes_varint(in) : 0;
    return r;
}

static void skip_references(struct mx_bytes *in, size_t place)
{
    const size_t n = mx_bytes_count(in);
    for (size_t i = 0; i < n && !in->failed; i++) {
        (void)mx_read_reference(in, place);
    }
}

/* Nodes in subgraphs have no parameters. */
static void skip_subgraph(struct mx_walk *w)
{
    const size_t n = mx_bytes_count(&w->in);
    for (size_t i = 0; i < n && !w->in.failed; i++) {
        if (mx_bytes_varint(&w->in) >= 2) {
            skip_references(&w->in, i);
        }
    }
    skip_references(&w->in, n);
}

static void read_node(struct mx_walk *w, uint64_t kind)
{
    if (kind >= w->c->n_kinds) {
        w->in.failed = true;
        return;
    }
    w->kind = &w->c->kinds[kind];
    w->references = w->in;
    skip_references(&w->in, w->place);
    for (uint32_t i = 0; i < w->kind->n_subgraphs && !w->in.failed; i++) {
        skip_subgraph(w);
    }
}

static void read_block(struct mx_walk *w)
{
    w->start = (size_t)mx_bytes_varint(&w->in);
    w->count = mx_read_number(&w->in);
    w->in.failed |= w->start > w->n_nodes || w->length > w->n_nodes - w->start;
}

bool mx_walk_begin(struct mx_walk *w, const struct mx_catalogue *c, size_t graph)
{
    *w = (struct mx_walk){.c = c, .in = {c->graphs[graph].begin, c->graphs[graph].end, false}, .n_structures = 1};
    w->n_nodes = mx_bytes_count(&w->in);
    w->prefix = (uint32_t)mx_bytes_index(&w->in, MX_NAME_PARTS);
    w->length = (size_t)mx_bytes_varint(&w->in);
    if (w->length > 0) {
        read_block(w);
    }
    w->in.failed |= w->n_nodes == 0;
    return !w->in.failed;
}

static enum mx_walk_kind next_node(struct mx_walk *w)
{
    const uint64_t first = mx_bytes_varint(&w->in);
    read_name(w, &w->name);
    if (first == 0) {
        read_param(w);
    } else if (first > 1) {
        read_node(w, first - 2);
    }
    w->place++;
    return first == 0 ? MX_WALK_PARAM : first == 1 ? MX_WALK_INPUT : MX_WALK_NODE;
}

static enum mx_walk_kind next_extra(struct mx_walk *w)
{
    if (w->place == w->n_nodes) {
        w->heads = w->in;
        skip_references(&w->in, w->n_nodes);
        w->extras = mx_bytes_count(&w->in);
        w->place++;
    }
    if (w->extras == 0) {
        return MX_WALK_END;
    }
    w->extras--;
    read_name(w, &w->name);
    read_param(w);
    return MX_WALK_EXTRA;
}

enum mx_walk_kind mx_walk_next(struct mx_walk *w)
{
    if (w->in.failed) {
        return MX_WALK_END;
    }
    const enum mx_walk_kind kind = w->place < w->n_nodes ? next_node(w) : next_extra(w);
    return w->in.failed ? MX_WALK_END : kind;
}

/* ---- texts */

/* A number in a text: \1, the letter of a size, then a, b and k in decimal with commas between them, \2, which is at `end`. */
static bool scan_number(const char *at, const char *end, struct mx_number *out)
{
    static const char letters[] = "cpsvt";
    const char *letter = memchr(letters, *at, sizeof letters - 1);
    int64_t values[3] = {0, 0, 0};
    for (int i = 0; i < 3 && letter; i++) {
        const bool minus = *++at == '-';
        for (at += minus; *at >= '0' && *at <= '9' && values[i] <= INT32_MAX; at++) {
            values[i] = 10 * values[i] + (*at - '0');
        }
        values[i] = minus ? -values[i] : values[i];
        letter = i == 2 || *at == ',' ? letter : NULL;
    }
    if (!letter || at != end || values[0] == 0 || values[2] <= 0) {
        return false;
    }
    *out = (struct mx_number){(uint8_t)(letter - letters), values[0], values[1], values[2]};
    return true;
}

bool mx_net_text(struct mx_str *out, struct mx_piece text, const struct mx_sizes *sizes)
{
    const char *at = text.text, *end = text.text + text.length;
    while (at < end) {
        const char *mark = memchr(at, 1, (size_t)(end - at));
        mx_str_append_bytes(out, at, (size_t)((mark ? mark : end) - at));
        if (!mark) {
            return true;
        }
        const char *close = memchr(mark, 2, (size_t)(end - mark));
        struct mx_number number;
        int64_t value;
        if (!close || !scan_number(mark + 1, close, &number) || !mx_number_value(&number, sizes, &value)) {
            return false;
        }
        mx_str_printf(out, "%lld", (long long)value);
        at = close + 1;
    }
    return true;
}

bool mx_net_name_text(const struct mx_catalogue *c, const struct mx_net_name *name, size_t from, char out[MX_NAME_MAX])
{
    size_t n = 0;
    out[0] = 0;
    if (!name_fits(c, name)) { /* a walk gives no such name */
        return false;
    }
    for (size_t i = from; i < name->n; i++) {
        const struct mx_piece *part = &c->strings[name->parts[i]];
        memcpy(out + n, part->text, part->length);
        n += part->length;
    }
    out[n] = 0;
    return n > 0;
}
