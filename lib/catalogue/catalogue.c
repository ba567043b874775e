/* The tables of a catalogue. */
#include "catalogue/catalogue.h"

#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "catalogue/nets.h"
#include "read/archive.h"
#include "read/cursor.h"

const char *const mx_size_names[MX_SIZES] = {"classes", "crop", "segments", "vocabulary"};

enum { MAX_NUMBER = INT32_MAX };

bool mx_number_value(const struct mx_number *n, const struct mx_sizes *sizes, int64_t *out)
{
    const int64_t size = sizes->of[n->size];
    int64_t value;
    if (n->a == 0) {
        *out = n->b;
        return true;
    }
    /* turns are counted from 0 */
    if ((size == 0 && n->size != MX_SIZE_TURN) || !mx_mul_i64(n->a, size, &value) || !mx_add_i64(value, n->b, &value) || value % n->k != 0
        || value / n->k < -MAX_NUMBER || value / n->k > MAX_NUMBER) {
        return false;
    }
    *out = value / n->k;
    return true;
}

int mx_catalogue_damaged(const struct mx_catalogue *c)
{
    return mx_fail(c->diags, MX_FORMAT, MX_NOWHERE, "the catalogue of nets is damaged");
}

/* ---- tables */

struct mx_number mx_read_number(struct mx_bytes *in)
{
    const uint64_t first = mx_bytes_varint(in);
    if ((first & 1) == 0) {
        return (struct mx_number){.b = (int64_t)(first / 2), .k = 1};
    }
    struct mx_number n = {.size = (uint8_t)(first / 2)};
    in->failed |= first / 2 > MX_SIZE_TURN;
    n.a = mx_bytes_signed(in);
    n.b = mx_bytes_signed(in);
    n.k = (int64_t)mx_bytes_varint(in);
    in->failed |= n.a == 0 || n.k == 0 || n.k > INT32_MAX; /* so a size of 31 bits times k fits */
    return in->failed ? (struct mx_number){.k = 1} : n;
}

static int read_strings(struct mx_catalogue *c, struct mx_bytes *in)
{
    c->n_strings = mx_bytes_count(in);
    c->strings = MX_ARENA_ARRAY(&c->arena, struct mx_piece, c->n_strings);
    MX_TRY_ALLOC(c->strings);
    for (size_t i = 0; i < c->n_strings && !in->failed; i++) {
        MX_TRY(mx_tick(c->arena.budget, MX_TICK_ITEM));
        const size_t length = mx_bytes_count(in);
        c->strings[i] = (struct mx_piece){(const char *)in->at, length};
        in->at += length;
    }
    return MX_OK;
}

static int read_kinds(struct mx_catalogue *c, struct mx_bytes *in)
{
    c->n_kinds = mx_bytes_count(in);
    c->kinds = MX_ARENA_ARRAY(&c->arena, struct mx_kind, c->n_kinds);
    MX_TRY_ALLOC(c->kinds);
    for (size_t i = 0; i < c->n_kinds && !in->failed; i++) {
        c->kinds[i].op = (uint32_t)mx_bytes_index(in, c->n_strings);
        const size_t n = mx_bytes_count(in);
        MX_TRY(mx_tick_parts(c->arena.budget, n));
        uint32_t *attrs = MX_ARENA_ARRAY(&c->arena, uint32_t, 2 * n);
        MX_TRY_ALLOC(attrs);
        for (size_t k = 0; k < 2 * n; k++) {
            attrs[k] = (uint32_t)mx_bytes_index(in, c->n_strings);
        }
        c->kinds[i].n_attrs = (uint32_t)n;
        c->kinds[i].n_subgraphs = (uint32_t)mx_bytes_index(in, MX_NET_SUBGRAPHS + 1);
        c->kinds[i].attrs = attrs;
    }
    return MX_OK;
}

static int read_shapes(struct mx_catalogue *c, struct mx_bytes *in)
{
    c->n_shapes = mx_bytes_count(in);
    c->shapes = MX_ARENA_ARRAY(&c->arena, struct mx_net_shape, c->n_shapes);
    MX_TRY_ALLOC(c->shapes);
    for (size_t i = 0; i < c->n_shapes && !in->failed; i++) {
        const size_t rank = mx_bytes_count(in);
        MX_TRY(mx_tick(c->arena.budget, MX_TICK_VALUE));
        in->failed |= rank > MX_MAX_RANK;
        struct mx_number *dims = MX_ARENA_ARRAY(&c->arena, struct mx_number, in->failed ? 0 : rank);
        MX_TRY_ALLOC(dims);
        for (size_t k = 0; k < rank && !in->failed; k++) {
            dims[k] = mx_read_number(in);
        }
        c->shapes[i] = (struct mx_net_shape){(uint32_t)rank, dims};
    }
    return MX_OK;
}

/* Where the graphs are; a graph is read when it is needed. */
static int read_graphs(struct mx_catalogue *c, struct mx_bytes *in)
{
    c->n_graphs = mx_bytes_count(in);
    c->graphs = MX_ARENA_ARRAY(&c->arena, struct mx_net_graph, c->n_graphs);
    MX_TRY_ALLOC(c->graphs);
    for (size_t i = 0; i < c->n_graphs && !in->failed; i++) {
        MX_TRY(mx_tick(c->arena.budget, MX_TICK_ITEM));
        c->graphs[i].n_params = (uint32_t)mx_bytes_varint(in);
        c->graphs[i].n_names = (uint32_t)mx_bytes_varint(in);
        c->graphs[i].meaning = (uint32_t)mx_bytes_varint(in);
        const size_t length = mx_bytes_count(in);
        c->graphs[i].begin = in->at;
        in->at += length;
        c->graphs[i].end = in->at;
    }
    return MX_OK;
}

/* ---- nets */

static const char *read_text(struct mx_catalogue *c, struct mx_bytes *in)
{
    const size_t i = mx_bytes_index(in, c->n_strings);
    return c->n_strings > 0 ? mx_arena_strndup(&c->arena, c->strings[i].text, c->strings[i].length) : NULL;
}

static const struct mx_net_shape *read_shape(struct mx_catalogue *c, struct mx_bytes *in)
{
    const size_t i = mx_bytes_index(in, c->n_shapes);
    return in->failed ? NULL : &c->shapes[i];
}

static int read_net(struct mx_catalogue *c, struct mx_bytes *in, struct mx_net *net)
{
    net->name = read_text(c, in);
    net->source = read_text(c, in);
    net->mean = read_text(c, in);
    net->std = read_text(c, in);
    net->graph = (uint32_t)mx_bytes_index(in, c->n_graphs);
    for (int i = 0; i < MX_SIZES; i++) {
        net->sizes.of[i] = (int64_t)mx_bytes_varint(in);
    }
    net->n_inputs = mx_bytes_count(in);
    net->inputs = MX_ARENA_ARRAY(&c->arena, struct mx_net_input, net->n_inputs);
    MX_TRY_ALLOC(net->inputs);
    for (size_t i = 0; i < net->n_inputs && !in->failed; i++) {
        MX_TRY(mx_tick(c->arena.budget, MX_TICK_ITEM));
        net->inputs[i].needed = read_shape(c, in);
        net->inputs[i].published = read_shape(c, in);
    }
    return in->failed || (net->name && net->source && net->mean && net->std) ? MX_OK : MX_OUT_OF_MEMORY;
}

static int read_nets(struct mx_catalogue *c, struct mx_bytes *in)
{
    c->n_nets = mx_bytes_count(in);
    c->nets = MX_ARENA_ARRAY(&c->arena, struct mx_net, c->n_nets);
    MX_TRY_ALLOC(c->nets);
    for (size_t i = 0; i < c->n_nets && !in->failed; i++) {
        MX_TRY(mx_tick(c->arena.budget, MX_TICK_NODE));
        MX_TRY(read_net(c, in, &c->nets[i]));
    }
    return MX_OK;
}

/* ---- the file */

static int read_tables(struct mx_catalogue *c, const uint8_t *data, size_t size)
{
    static const char magic[] = "MXNETS1\n";
    struct mx_bytes in = {data, data + size, false};
    if (size < sizeof magic - 1 || memcmp(data, magic, sizeof magic - 1) != 0) {
        return mx_fail(c->diags, MX_FORMAT, MX_NOWHERE, "the file is not a catalogue of nets of this version");
    }
    in.at += sizeof magic - 1;
    MX_TRY(read_strings(c, &in));
    MX_TRY(read_kinds(c, &in));
    MX_TRY(read_shapes(c, &in));
    MX_TRY(read_graphs(c, &in));
    MX_TRY(read_nets(c, &in));
    return in.failed || in.at != in.end ? mx_catalogue_damaged(c) : MX_OK;
}

int mx_catalogue_open_bytes(struct mx_catalogue *c, struct mx_source *bytes, const char *label)
{
    const void *data = NULL;
    const uint64_t size = mx_source_size(bytes);
    if (size > MX_SPOOL_MEMORY || !mx_source_in_memory(bytes)) {
        mx_source_close(bytes);
        return mx_fail(c->diags, MX_TOO_LARGE, mx_named(label), MX_SUBJECT "is larger than any catalogue of nets");
    }
    if (!mx_budget_memory(c->arena.budget, size)) {
        mx_source_close(bytes);
        return MX_TOO_LARGE;
    }
    c->source = bytes;
    int status = mx_source_window(bytes, 0, (size_t)size, &data);
    if (status == MX_OK) {
        status = read_tables(c, data, (size_t)size);
    }
    if (status != MX_OK) {
        mx_catalogue_close(c);
    }
    return status;
}

static int fail_other_file(const struct mx_catalogue *c, const char *label)
{
    return mx_fail(c->diags, MX_FORMAT, mx_named(label), MX_SUBJECT "is not a catalogue of nets" MX_HELP "give a nets.zip of the library");
}

int mx_catalogue_open_source(struct mx_catalogue *c, struct mx_source *source, const char *label)
{
    struct mx_archive zip;
    struct mx_source *bytes = NULL;
    unsigned char head[2];
    const bool is_zip = mx_source_read(source, 0, head, sizeof head) == MX_OK && memcmp(head, "PK", sizeof head) == 0;
    int status = is_zip ? mx_zip_open(&zip, source, c->diags, label) : fail_other_file(c, label);
    if (status == MX_OK) {
        status = zip.count == 1 && strcmp(zip.members[0].name, "nets") == 0 ? mx_zip_read(&zip, 0, &bytes) : fail_other_file(c, label);
        mx_archive_close(&zip);
    }
    if (status == MX_OK) {
        status = mx_catalogue_open_bytes(c, bytes, label);
    }
    if (status == MX_OK) {
        c->file = source;
    } else {
        mx_source_close(source);
    }
    return status;
}

bool mx_catalogue_is_there(void)
{
    return mx_catalogue_file_size > 0;
}

int mx_catalogue_open(struct mx_catalogue *c)
{
    struct mx_source *source;
    if (mx_catalogue_file_size == 0) {
        return mx_fail(c->diags, MX_UNSUPPORTED, MX_NOWHERE,
                       "the library was built without the catalogue of nets" MX_HELP
                       "load its file with mx2onnx_load_catalogue_file, or give a symbol file");
    }
    MX_TRY(mx_source_open_memory(&source, mx_catalogue_file, mx_catalogue_file_size, false));
    return mx_catalogue_open_source(c, source, "the catalogue of nets");
}

void mx_catalogue_close(struct mx_catalogue *c)
{
    if (c->source && c->arena.budget) {
        mx_budget_release(c->arena.budget, mx_source_size(c->source));
    }
    mx_source_close(c->source);
    mx_source_close(c->file);
    mx_arena_free(&c->arena);
    *c = (struct mx_catalogue){.arena = c->arena, .diags = c->diags};
}

bool mx_catalogue_is_open(const struct mx_catalogue *c)
{
    return c->source != NULL;
}
