/* symbols DIGESTS: the symbols that the catalogue gives, read as any symbol, compared with the digests of MXNet's.
 * symbols DIGESTS NET: prints what the digest of a net is made of, for other tests: names and shapes. */
#include "catalogue_test.h"

#include <string.h>

#include "read/symbol.h"

static uint32_t crc_of(const char *text, size_t n)
{
    uint32_t crc = 0xffffffff;
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t v = i;
        for (int k = 0; k < 8; k++) {
            v = v & 1 ? 0xedb88320 ^ (v >> 1) : v >> 1;
        }
        table[i] = v;
    }
    for (size_t i = 0; i < n; i++) {
        crc = table[(crc ^ (unsigned char)text[i]) & 255] ^ (crc >> 8);
    }
    return ~crc;
}

struct digest {
    struct mx_str text;
    struct mx_walk walk; /* follows the variables, whose shapes it knows */
    struct mx_sizes sizes;
};

static void add_variable(struct digest *d, const struct mx_node *n)
{
    enum mx_walk_kind kind;
    do {
        kind = mx_walk_next(&d->walk);
    } while (kind == MX_WALK_NODE);
    mx_str_printf(&d->text, "null|%s", n->name);
    if (kind != MX_WALK_PARAM) {
        return;
    }
    mx_str_append(&d->text, "|");
    for (uint32_t i = 0; i < d->walk.shape->rank; i++) {
        int64_t dim = -1;
        (void)mx_number_value(&d->walk.shape->dims[i], &d->sizes, &dim);
        mx_str_printf(&d->text, "%s%lld", i > 0 ? "," : "", (long long)dim);
    }
}

static void add_graph(struct digest *d, const struct mx_graph *g, bool inside);

static void add_node(struct digest *d, const struct mx_node *n, bool inside)
{
    mx_str_printf(&d->text, "%s|%s|", n->op_name, inside ? "" : n->name);
    int attrs = 0;
    for (int i = 0; i < n->n_attr_text; i++) {
        if (strncmp(n->attr_text[i].key, "__", 2) != 0) {
            mx_str_printf(&d->text, "%s%s=%s", attrs++ ? ";" : "", n->attr_text[i].key, n->attr_text[i].text);
        }
    }
    mx_str_append(&d->text, "|");
    for (int i = 0; i < n->n_in; i++) {
        mx_str_printf(&d->text, "%s%d:%d", i > 0 ? "," : "", n->in[i].node->id, n->in[i].index);
    }
    for (int i = 0; i < n->n_subgraphs; i++) {
        mx_str_append(&d->text, "\n");
        add_graph(d, n->subgraphs[i], true);
    }
}

static void add_graph(struct digest *d, const struct mx_graph *g, bool inside)
{
    for (int i = 0; i < g->n_nodes; i++) {
        g->nodes[i]->id = i;
    }
    for (int i = 0; i < g->n_nodes; i++) {
        const struct mx_node *n = g->nodes[i];
        if (!mx_is_variable(n)) {
            add_node(d, n, inside);
        } else if (inside) {
            mx_str_append(&d->text, "null|");
        } else {
            add_variable(d, n);
        }
        mx_str_append(&d->text, "\n");
    }
    mx_str_append(&d->text, "heads|");
    for (int i = 0; i < g->n_heads; i++) {
        mx_str_printf(&d->text, "%s%d:%d", i > 0 ? "," : "", g->heads[i].node->id, g->heads[i].index);
    }
}

/* The digest of a net's symbol, or without a place for it what it is made of. */
static void digest_net(const struct mx_catalogue *c, const struct mx_net *net, const struct mx_sizes *sizes, char *out)
{
    struct mx_arena arena = {0};
    struct mx_params none = {0};
    struct mx_matcher m;
    struct mx_graph g = {.arena = &arena, .diags = c->diags};
    struct digest d = {.sizes = *sizes};
    if (mx_matcher_init(&m, c, &none, &arena) != MX_OK || !mx_walk_begin(&d.walk, c, net->graph)
        || mx_net_symbol(&m, net, MX_NAMING_STRUCTURE, sizes, &g) != MX_OK) {
        fail(mx_diags_first_error(c->diags), net->name);
    }
    add_graph(&d, &g, false);
    if (!out) {
        puts(d.text.text);
    } else {
        snprintf(out, 64, "%08x %zu", (unsigned)crc_of(d.text.text, d.text.length), d.text.length);
    }
    mx_str_free(&d.text);
    mx_arena_free(&arena);
}

/* "classes=5,crop=416" over what was published. */
static void read_sizes(const char *spec, struct mx_sizes *sizes)
{
    for (const char *at = spec; at && strchr(at, '='); at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        for (int i = 0; i < MX_SIZES; i++) {
            const size_t n = strlen(mx_size_names[i]);
            if (strncmp(at, mx_size_names[i], n) == 0 && at[n] == '=') {
                sizes->of[i] = strtol(at + n + 1, NULL, 10);
            }
        }
    }
}

static size_t find_net(const struct mx_catalogue *c, const char *name, const char *source)
{
    for (size_t i = 0; i < c->n_nets; i++) {
        if (strcmp(c->nets[i].name, name) == 0 && strstr(c->nets[i].source, source)) {
            return i;
        }
    }
    return c->n_nets;
}

static void check_line(const struct mx_catalogue *c, char *line, bool *seen)
{
    char *field[4], digest[64];
    for (int i = 0; i < 4; i++) {
        field[i] = line;
        line = strpbrk(line, "\t\n");
        if (!line) {
            fail("a line of the digests is too short", field[0]);
        }
        *line++ = 0;
    }
    const size_t i = find_net(c, field[0], field[1]);
    if (i == c->n_nets) {
        fail("is not in the catalogue", field[0]);
    }
    struct mx_sizes sizes = c->nets[i].sizes;
    read_sizes(field[2], &sizes);
    digest_net(c, &c->nets[i], &sizes, digest);
    seen[i] |= strcmp(field[2], "published") == 0;
    if (strcmp(digest, field[3]) != 0) {
        fail(field[2], field[0]);
    }
}

/* Prints the symbol of one net. */
static int print_net(const char *name)
{
    struct mx_diags diags = {0};
    struct mx_catalogue c;
    open_catalogue(&c, &diags);
    for (size_t i = 0; i < c.n_nets; i++) {
        if (strcmp(c.nets[i].name, name) == 0) {
            digest_net(&c, &c.nets[i], &c.nets[i].sizes, NULL);
        }
    }
    mx_catalogue_close(&c);
    mx_diags_free(&diags);
    return 0;
}

int main(int argc, char **argv)
{
    struct mx_diags diags = {0};
    struct mx_catalogue c;
    char line[512];
    size_t n = 0;
    if (argc > 2) {
        return print_net(argv[2]);
    }
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    open_catalogue(&c, &diags);
    bool *seen = calloc(c.n_nets, sizeof *seen);
    if (!f || !seen) {
        fail("cannot be read", "the file of digests");
    }
    for (; fgets(line, sizeof line, f); n++) {
        check_line(&c, line, seen);
    }
    for (size_t i = 0; i < c.n_nets; i++) {
        if (!seen[i]) {
            fail("has no digest", c.nets[i].name);
        }
    }
    printf("%zu symbols of %zu nets and %zu graphs are MXNet's\n", n, c.n_nets, c.n_graphs);
    fclose(f);
    free(seen);
    mx_catalogue_close(&c);
    mx_diags_free(&diags);
    return 0;
}
