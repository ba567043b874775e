/* Where the graphs of two nets differ: when both fit a file, the user can choose without knowing them. */
#include "catalogue/catalogue.h"

static const uint32_t nowhere = UINT32_MAX; /* no string has this offset */

/* Skips parameters: they are the same, or read in training only. */
static enum mx_walk_kind next_node(struct mx_walk *w)
{
    enum mx_walk_kind kind = mx_walk_next(w);
    while (kind == MX_WALK_PARAM || kind == MX_WALK_EXTRA) {
        kind = mx_walk_next(w);
    }
    return kind;
}

static uint32_t value_of(const struct mx_kind *kind, uint32_t key)
{
    for (uint32_t i = 0; i < kind->n_attrs; i++) {
        if (kind->attrs[2 * i] == key) {
            return kind->attrs[2 * i + 1];
        }
    }
    return nowhere;
}

/* The first key of `a` whose value differs. */
static uint32_t differing_key(const struct mx_kind *a, const struct mx_kind *b)
{
    for (uint32_t i = 0; i < a->n_attrs; i++) {
        if (value_of(b, a->attrs[2 * i]) != a->attrs[2 * i + 1]) {
            return a->attrs[2 * i];
        }
    }
    return nowhere;
}

static void put(const struct mx_catalogue *c, uint32_t string, const struct mx_sizes *sizes, struct mx_str *out)
{
    if (string == nowhere) {
        mx_str_append(out, "absent");
    } else if (!mx_net_text(out, c->strings[string], sizes)) {
        mx_str_append(out, "?");
    }
}

static void put_kinds(const struct mx_catalogue *c, const struct mx_kind *a, const struct mx_kind *b, const struct mx_sizes *sizes,
                      struct mx_str *out)
{
    const bool same = a->op == b->op;
    uint32_t key = same ? differing_key(a, b) : nowhere;
    key = same && key == nowhere ? differing_key(b, a) : key;
    if (same && key == nowhere) {
        mx_str_append(out, "the bodies differ");
        return;
    }
    if (same) {
        put(c, key, sizes, out);
    } else {
        mx_str_append(out, "the operator");
    }
    mx_str_append(out, " is ");
    put(c, same ? value_of(a, key) : a->op, sizes, out);
    mx_str_append(out, " or ");
    put(c, same ? value_of(b, key) : b->op, sizes, out);
}

void mx_net_difference(const struct mx_catalogue *c, const struct mx_candidate *a, const struct mx_candidate *b, struct mx_str *out)
{
    struct mx_walk x, y;
    char name[MX_NAME_MAX];
    if (a->net->graph == b->net->graph) {
        mx_str_append(out, "differ in sizes");
        return;
    }
    (void)!mx_walk_begin(&x, c, a->net->graph); /* both have been compared with the file */
    (void)!mx_walk_begin(&y, c, b->net->graph);
    for (;;) {
        const enum mx_walk_kind of_x = next_node(&x), of_y = next_node(&y);
        if (of_x == MX_WALK_END && of_y == MX_WALK_END) {
            mx_str_append(out, "differ in how their nodes are joined");
            return;
        }
        if (of_x != of_y) {
            mx_str_append(out, "differ in the number of their nodes");
            return;
        }
        if (of_x == MX_WALK_NODE && x.kind != y.kind) {
            break;
        }
    }
    (void)!mx_net_name_text(c, &x.name, 0, name);
    mx_str_printf(out, "differ first at '%s', where ", name);
    put_kinds(c, x.kind, y.kind, &a->sizes, out);
}
