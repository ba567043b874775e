/* Damaged catalogues of nets, made byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/budget.h"
#include "catalogue/catalogue.h"
#include "model/model.h"

struct bytes {
    uint8_t at[2048];
    size_t n;
};

static void put(struct bytes *b, const void *data, size_t n)
{
    assert_true(n <= sizeof b->at - b->n);
    memcpy(b->at + b->n, data, n);
    b->n += n;
}

static void put_number(struct bytes *b, uint64_t v)
{
    for (; v > 127; v >>= 7) {
        put(b, &(uint8_t){(uint8_t)(v & 127) | 128}, 1);
    }
    put(b, &(uint8_t){(uint8_t)v}, 1);
}

static void put_numbers(struct bytes *b, const uint64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_number(b, v[i]);
    }
}

#define PUT(b, ...) put_numbers(b, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* A net of one parameter, whose name has `length` bytes; its only dim is (classes + 0) / k. */
static void make(struct bytes *b, size_t length, uint64_t k)
{
    struct bytes body = {.n = 0};
    char name[1024];
    memset(name, 'w', sizeof name);
    b->n = 0;
    put(b, "MXNETS1\n", 8);
    PUT(b, 1, length);
    put(b, name, length);
    PUT(b, 0);                 /* no kinds */
    PUT(b, 1, 1, 1, 2, 0, k);  /* a shape of one number */
    PUT(&body, 1, 0, 0);       /* one node, no prefix, no block */
    PUT(&body, 0, 0, 1, 0);    /* a parameter and its name */
    PUT(&body, 0, 0, 1, 0, 0); /* its name in save_parameters, its shape */
    PUT(&body, 1, 4, 0);       /* the head is the parameter; nothing besides */
    PUT(b, 1, 1, 1, 0, body.n);
    put(b, body.at, body.n);
    PUT(b, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); /* a net of that graph, whose texts are the name, without sizes and inputs */
}

struct world {
    struct bytes bytes;
    struct mx_diags diags;
    struct mx_catalogue c;
    struct mx_arena arena;
    struct mx_params params;
    struct mx_param array, *items[1];
    struct mx_matcher m;
};

/* The catalogue, and a file with an array of `dim` elements with the first name of `length` bytes. */
static void open_world(struct world *w, size_t length, uint64_t k, const int64_t *dim)
{
    static char name[1024];
    struct mx_source *source;
    memset(w, 0, sizeof *w);
    memset(name, 0, sizeof name);
    memset(name, 'w', length);
    make(&w->bytes, length, k);
    w->c.diags = &w->diags;
    w->array = (struct mx_param){.name = name, .ndim = 1, .dims = dim};
    w->items[0] = &w->array;
    w->params = (struct mx_params){.arena = &w->arena, .diags = &w->diags, .items = w->items, .count = 1};
    assert_int_equal(mx_map_set(&w->params.by_name, name, &w->array), MX_OK);
    assert_int_equal(mx_source_open_memory(&source, w->bytes.at, w->bytes.n, false), MX_OK);
    assert_int_equal(mx_catalogue_open_bytes(&w->c, source, "made"), MX_OK);
    assert_int_equal(mx_matcher_init(&w->m, &w->c, &w->params, &w->arena), MX_OK);
}

static void close_world(struct world *w)
{
    mx_map_free(&w->params.by_name);
    mx_catalogue_close(&w->c);
    mx_arena_free(&w->arena);
    mx_diags_free(&w->diags);
}

static const int64_t five = 5;

static void a_name_of_511_bytes_is_found(void **state)
{
    struct world w;
    struct mx_fit fit;
    open_world(&w, MX_NAME_MAX - 1, 1, &five);
    struct mx_graph g = {.arena = &w.arena, .diags = &w.diags};
    assert_int_equal(mx_match(&w.m, 0, &fit), MX_OK);
    assert_true(mx_fits(&fit));
    assert_int_equal(fit.sizes.of[MX_SIZE_CLASSES], 5);
    assert_int_equal(mx_net_symbol(&w.m, &w.c.nets[0], fit.naming, &fit.sizes, &g), MX_OK);
    close_world(&w);
}

/* Before, the name was read without having been written. */
static void a_longer_name_is_damage(void **state)
{
    for (size_t length = MX_NAME_MAX; length < MX_NAME_MAX + 300; length += 299) {
        struct world w;
        struct mx_fit fit;
        char name[MX_NAME_MAX] = "x";
        open_world(&w, length, 1, &five);
        struct mx_graph g = {.arena = &w.arena, .diags = &w.diags};
        assert_int_equal(mx_match(&w.m, 0, &fit), MX_FORMAT);
        assert_int_equal(mx_net_symbol(&w.m, &w.c.nets[0], MX_NAMING_STRUCTURE, &fit.sizes, &g), MX_FORMAT);
        assert_string_equal(mx_diags_first_error(&w.diags), "the catalogue of nets is damaged");
        assert_false(mx_net_name_text(&w.c, &(struct mx_net_name){{0}, 1}, 0, name));
        assert_string_equal(name, "");
        close_world(&w);
    }
}

/* Before, the size times the divisor was more than an int64 holds. */
static void a_divisor_of_more_than_31_bits_is_damage(void **state)
{
    struct bytes b;
    struct mx_source *source;
    struct mx_diags diags = {0};
    struct mx_catalogue c = {.diags = &diags};
    make(&b, 4, UINT64_C(1) << 34);
    assert_int_equal(mx_source_open_memory(&source, b.at, b.n, false), MX_OK);
    assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), MX_FORMAT);
    mx_diags_free(&diags);
}

/* The bytes count as memory of the model until they are closed. */
static void a_catalogue_gives_back_its_memory(void **state)
{
    struct bytes b;
    struct mx_budget budget;
    struct mx_diags diags = {0};
    struct mx_catalogue c = {.diags = &diags, .arena.budget = &budget};
    struct mx_source *source;
    (void)state;
    mx_budget_init(&budget);
    make(&b, 4, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mx_source_open_memory(&source, b.at, b.n - (i > 0), false), MX_OK);
        assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), i > 0 ? MX_FORMAT : MX_OK);
        assert_true(i > 0 || budget.memory > b.n);
        mx_catalogue_close(&c);
        assert_int_equal(budget.memory, 0);
    }
    mx_diags_free(&diags);
}

static void the_largest_divisor_is_multiplied_in_64_bits(void **state)
{
    static const int64_t most = INT32_MAX;
    struct world w;
    struct mx_fit fit;
    open_world(&w, 4, INT32_MAX, &most);
    assert_int_equal(mx_match(&w.m, 0, &fit), MX_OK);
    assert_int_equal(fit.sizes.of[MX_SIZE_CLASSES], most * most);
    close_world(&w);
}

/* A dim that no size can be, because sizes have 31 bits: the product with the divisor would have more than 64. */
static void a_dim_of_more_than_31_bits_fits_nothing(void **state)
{
    static const int64_t most = INT64_C(1) << 53;
    struct world w;
    struct mx_fit fit;
    open_world(&w, 4, INT32_MAX, &most);
    assert_int_equal(mx_match(&w.m, 0, &fit), MX_OK);
    assert_int_equal(fit.misshapen, 1);
    assert_int_equal(fit.sizes.of[MX_SIZE_CLASSES], 0);
    close_world(&w);
}

/* The file's prefix and the name in the graph make a name of at most 511 bytes, however long either is. */
static void a_prefix_and_a_name_are_as_long_as_a_name(void **state)
{
    enum { PREFIX = 200 };
    for (size_t length = MX_NAME_MAX - 1; length <= MX_NAME_MAX; length++) {
        struct world w;
        struct mx_walk walk;
        char name[MX_NAME_MAX + 1], got[MX_NAME_MAX] = "x";
        open_world(&w, length - PREFIX, 1, &five);
        memset(name, 'w', sizeof name);
        memset(name, 'p', PREFIX - 1);
        name[PREFIX - 1] = '_';
        name[length] = 0;
        w.array.name = name;
        assert_int_equal(mx_map_set(&w.params.by_name, name, &w.array), MX_OK);
        assert_int_equal(mx_matcher_init(&w.m, &w.c, &w.params, &w.arena), MX_OK);
        assert_true(mx_walk_begin(&walk, &w.c, 0));
        assert_int_equal(mx_walk_next(&walk), MX_WALK_PARAM);
        assert_int_equal(mx_matcher_name(&w.m, &walk, MX_NAMING_OTHER, got), length < MX_NAME_MAX);
        assert_string_equal(got, length < MX_NAME_MAX ? name : "");
        close_world(&w);
    }
}

static void a_number_has_five_bytes_at_most(void **state)
{
    static const uint8_t bytes[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    struct mx_bytes in = {bytes, bytes + sizeof bytes, false};
    assert_true(mx_bytes_varint(&in) == (UINT64_C(1) << 35) - 1);
    assert_false(in.failed);
    assert_int_equal(mx_bytes_varint(&in), 0);
    assert_true(in.failed);
    assert_ptr_equal(in.at, in.end);
}

/* A catalogue is read in memory: none is so large that a spool puts it into a file. */
static void only_bytes_in_memory_are_a_catalogue(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct bytes b;
        struct mx_budget budget;
        struct mx_diags diags = {0};
        struct mx_source *source;
        struct mx_catalogue c = {.diags = &diags, .arena.budget = &budget};
        mx_budget_init(&budget);
        budget.limits[MX_LIMIT_MEMORY] = i == 3 ? 4 : budget.limits[MX_LIMIT_MEMORY];
        make(&b, 4, 1);
        if (i == 0) {
            assert_int_equal(mx_source_open_callback(&source, b.n, NULL, NULL), MX_OK);
        } else {
            assert_int_equal(mx_source_open_memory(&source, b.at, i == 1 ? MX_SPOOL_MEMORY + 1 : b.n, false), MX_OK);
        }
        assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), i == 2 ? MX_OK : MX_TOO_LARGE);
        if (i < 2) {
            assert_string_equal(mx_diags_first_error(&diags), "'made' is larger than any catalogue of nets");
        }
        mx_catalogue_close(&c);
        assert_int_equal(budget.memory, 0);
        mx_diags_free(&diags);
    }
}

/* A number with fewer than three parts, whose commas come after its end. */
static void a_number_ends_where_it_ends(void **state)
{
    static const char *const texts[] = {"\1c\2,1,1",
                                        "\1c1\2,0,1",
                                        "\1c1,\2"
                                        "0,1",
                                        "\1c1,0\2,1",
                                        "\1c1,0,\2"
                                        "1",
                                        "\1c1,0,1,\2",
                                        "\1c0,5,1\2",
                                        "\1c1,0,0\2",
                                        "\1c214748364700,0,100\2",
                                        "\1x1,0,1\2",
                                        "\1\2",
                                        "\1c-\2",
                                        "\1c1,-\2",
                                        "\1c:,0,1\2",
                                        "\1c1,0/1\2",
                                        "\1c1,0,1,1\2"};
    const struct mx_sizes sizes = {{7}};
    struct mx_str out = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(mx_net_text(&out, (struct mx_piece){texts[i], strlen(texts[i])}, &sizes));
    }
    mx_str_free(&out);
    assert_false(mx_net_text(&out,
                             (struct mx_piece){"\1\0"
                                               "1,0,1\2",
                                               8},
                             &sizes));
    mx_str_free(&out);
    assert_true(mx_net_text(&out, (struct mx_piece){"a\1c1,-2,5\2b", 11}, &sizes));
    assert_string_equal(out.text, "a1b");
    mx_str_free(&out);
    assert_true(mx_net_text(&out, (struct mx_piece){"\1c21474836470,0,70\2", 19}, &sizes)); /* of 31 bits and a digit */
    assert_string_equal(out.text, "2147483647");
    mx_str_free(&out);
    char *exact = test_malloc(4); /* nothing comes after it */
    memcpy(exact, "\1c1\2", 4);
    assert_false(mx_net_text(&out, (struct mx_piece){exact, 4}, &sizes));
    test_free(exact);
    mx_str_free(&out);
}

/* A size of 0 is not known, but a turn may be 0. */
static void a_number_is_computed_from_a_size(void **state)
{
    static const struct {
        struct mx_number number;
        int64_t size;
        bool known;
        int64_t value;
    } rows[] = {
        {{MX_SIZE_CLASSES, 3, 2, 1}, 0, false, 0},
        {{MX_SIZE_CLASSES, 3, 2, 1}, 1, true, 5},
        {{MX_SIZE_VOCABULARY, 3, 2, 1}, 0, false, 0},
        {{MX_SIZE_TURN, 3, 2, 1}, 0, true, 2},
        {{MX_SIZE_CLASSES, 0, 2, 1}, 0, true, 2},
        {{MX_SIZE_CLASSES, 3, 2, 5}, 1, true, 1},
        {{MX_SIZE_CLASSES, 3, 2, 4}, 1, false, 0},
        {{MX_SIZE_CLASSES, 1, 0, 1}, INT32_MAX, true, INT32_MAX},
        {{MX_SIZE_CLASSES, 1, 1, 1}, INT32_MAX, false, 0},
        {{MX_SIZE_CLASSES, -1, 0, 1}, INT32_MAX, true, -INT32_MAX},
        {{MX_SIZE_CLASSES, -1, -1, 1}, INT32_MAX, false, 0},
        {{MX_SIZE_CLASSES, 2, 0, 1}, INT64_MAX, false, 0},
        {{MX_SIZE_CLASSES, 1, 1, 1}, INT64_MAX, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_sizes sizes = {{0}};
        int64_t value = 0;
        sizes.of[rows[i].number.size] = rows[i].size;
        assert_int_equal(mx_number_value(&rows[i].number, &sizes, &value), rows[i].known);
        assert_int_equal(value, rows[i].value);
    }
}

/* ---- a catalogue of two graphs, in parts that a test may change */

/* The strings of it. */
enum { W, OP, KEY, VALUE, OTHER, NAME, ZERO, BYTE, STRINGS };
static const struct mx_piece strings[STRINGS] = {{"w", 1},          {"op", 2}, {"k", 1},    {"1", 1},
                                                 {"\1c1,0,2\2", 8}, {"n", 1},  {"a\0b", 3}, {"\xff", 1}};

/* What the rows of a test change; the numbers of a reference are 4 * back + 2 (an output follows) + 1 (every turn). */
struct parts {
    uint64_t size, a, k;         /* of the number of a dim: (a * size + 0) / k */
    uint64_t rank;               /* of shape 1, of sizes 3 */
    uint64_t nodes, prefix;      /* of graph 1 */
    uint64_t length, start;      /* of its block */
    uint64_t count, of_classes;  /* twice the number of its turns, or what is subtracted from the number of classes */
    uint64_t shared, more, part; /* of its parameter's name */
    uint64_t kind, shape;        /* of its nodes */
    uint64_t reference, output;  /* of the head */
    uint64_t value[2];           /* of the attribute, in each graph: a string */
    uint64_t op[2];              /* the operator, in each graph: a string */
    uint64_t key;                /* of the attribute in graph 1 */
    uint64_t subgraphs;          /* of its kind */
};
static const struct parts good = {.size = 0,
                                  .a = 2,
                                  .k = 1,
                                  .rank = 1,
                                  .count = 2,
                                  .nodes = 2,
                                  .more = 1,
                                  .part = W,
                                  .kind = 1,
                                  .reference = 4,
                                  .value = {VALUE, VALUE},
                                  .op = {OP, OP},
                                  .key = KEY};

static void put_counted(struct bytes *b, const struct bytes *body)
{
    put_number(b, body->n);
    put(b, body->at, body->n);
}

static void make_parts(struct bytes *b, const struct parts *p)
{
    b->n = 0;
    put(b, "MXNETS1\n", 8);
    PUT(b, STRINGS);
    for (int i = 0; i < STRINGS; i++) {
        PUT(b, strings[i].length);
        put(b, strings[i].text, strings[i].length);
    }
    PUT(b, 2, p->op[0], 1, KEY, p->value[0], 0, p->op[1], 1, p->key, p->value[1], p->subgraphs);
    PUT(b, 2, 1, 2 * p->size + 1, p->a, 0, p->k, p->rank);
    for (uint64_t i = 0; i < p->rank; i++) {
        PUT(b, 6);
    }
    PUT(b, 2);
    for (uint64_t i = 0; i < 2; i++) {
        struct bytes body = {.n = 0};
        const bool changed = i == 1;
        PUT(&body, changed ? p->nodes : 2, changed ? p->prefix : 0, changed ? p->length : 0);
        if (changed && p->length > 0) {
            PUT(&body, p->start);
            if (p->of_classes > 0) {
                PUT(&body, 1, 2, 2 * p->of_classes - 1, 1); /* as many as classes, less these */
            } else {
                PUT(&body, p->count);
            }
        }
        PUT(&body, 0, changed ? p->shared : 0, changed ? p->more : 1, changed ? p->part : W); /* a parameter and its name */
        PUT(&body, 0, 0, 1, changed ? p->part : W, changed ? p->shape : 0);
        PUT(&body, 2 + (changed ? p->kind : 0), 0, 1, NAME, 1, 4); /* the operator reads it */
        PUT(&body, 1, changed ? p->reference : 4);
        if (changed && p->reference & 2) {
            PUT(&body, p->output);
        }
        PUT(&body, 0);
        PUT(b, 1, 1, 1 + i);
        put_counted(b, &body);
    }
    PUT(b, 2);
    for (uint64_t i = 0; i < 2; i++) {
        PUT(b, NAME, NAME, NAME, NAME, i, 5, 0, 0, 0, 0);
    }
}

enum stage { OPENED, MATCHED, MADE };

/* The status of the first that fails, and what that is: opening it, comparing graph 1 with a file, making its symbol. */
static int use(const struct bytes *b, enum stage *stage)
{
    struct mx_diags diags = {0};
    struct mx_arena arena = {0};
    struct mx_catalogue c = {.diags = &diags};
    struct mx_params none = {.arena = &arena, .diags = &diags};
    struct mx_graph g = {.arena = &arena, .diags = &diags};
    const struct mx_sizes sizes = {{5}};
    struct mx_source *source;
    struct mx_matcher m;
    struct mx_fit fit;
    assert_int_equal(mx_source_open_memory(&source, b->at, b->n, false), MX_OK);
    int status = mx_catalogue_open_bytes(&c, source, "made");
    *stage = OPENED;
    if (status == MX_FORMAT) {
        assert_string_equal(diags.items[0].message, b->n < 8 || memcmp(b->at, "MXNETS1\n", 8) != 0
                                                        ? "the file is not a catalogue of nets of this version"
                                                        : "the catalogue of nets is damaged");
    }
    if (status == MX_OK) {
        *stage = MATCHED;
        assert_int_equal(mx_matcher_init(&m, &c, &none, &arena), MX_OK);
        status = mx_match(&m, 1, &fit);
    }
    if (status == MX_OK) {
        *stage = MADE;
        status = mx_net_symbol(&m, &c.nets[1], MX_NAMING_STRUCTURE, &sizes, &g);
        assert_true(status != MX_FORMAT || diags.count == 1);
    }
    mx_catalogue_close(&c);
    mx_arena_free(&arena);
    mx_diags_free(&diags);
    return status;
}

static void each_part_is_checked(void **state)
{
    static const struct {
        size_t at;
        uint64_t value;
        int status;
        enum stage stage;
    } rows[] = {
#define AT(part) offsetof(struct parts, part)
        {AT(size), 3, MX_OK, MADE}, /* the vocabulary */
        {AT(size), MX_SIZE_TURN, MX_OK, MADE},
        {AT(size), MX_SIZE_TURN + 1, MX_FORMAT, OPENED},
        {AT(a), 0, MX_FORMAT, OPENED},
        {AT(k), 0, MX_FORMAT, OPENED},
        {AT(k), INT32_MAX, MX_OK, MADE},
        {AT(k), (uint64_t)INT32_MAX + 1, MX_FORMAT, OPENED},
        {AT(rank), 32, MX_OK, MADE},
        {AT(rank), 33, MX_FORMAT, OPENED},
        {AT(nodes), 0, MX_FORMAT, MATCHED},
        {AT(nodes), 1, MX_FORMAT, MATCHED}, /* what follows is not the heads */
        {AT(prefix), 47, MX_OK, MADE},
        {AT(prefix), 48, MX_FORMAT, MATCHED},
        {AT(length), 1, MX_OK, MADE},
        {AT(length), 2, MX_OK, MADE},
        {AT(length), 3, MX_FORMAT, MATCHED},
        {AT(shared), 1, MX_FORMAT, MATCHED},
        {AT(more), 0, MX_FORMAT, MATCHED},
        {AT(part), NAME, MX_OK, MADE},
        {AT(part), STRINGS, MX_FORMAT, MATCHED},
        {AT(kind), 0, MX_OK, MADE},
        {AT(kind), 2, MX_FORMAT, MATCHED},
        {AT(shape), 1, MX_OK, MADE},
        {AT(shape), 2, MX_FORMAT, MATCHED},
        {AT(reference), 0, MX_FORMAT, MATCHED},
        {AT(reference), 8, MX_OK, MADE},
        {AT(reference), 12, MX_FORMAT, MATCHED},
        {AT(reference), 5, MX_OK, MADE},
        {AT(value[1]), STRINGS, MX_FORMAT, OPENED},
        {AT(op[1]), STRINGS, MX_FORMAT, OPENED},
        {AT(subgraphs), 2, MX_FORMAT, MATCHED}, /* which do not follow */
        {AT(subgraphs), 3, MX_FORMAT, OPENED},
        {AT(value[1]), ZERO, MX_FORMAT, MADE},
        {AT(value[1]), BYTE, MX_FORMAT, MADE},
        {AT(op[1]), ZERO, MX_FORMAT, MADE},
        {AT(op[1]), BYTE, MX_FORMAT, MADE},
        {AT(part), BYTE, MX_FORMAT, MADE},
#undef AT
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parts p = good;
        struct bytes b;
        enum stage stage;
        memcpy((char *)&p + rows[i].at, &rows[i].value, sizeof rows[i].value);
        make_parts(&b, &p);
        const int status = use(&b, &stage);
        if (status != rows[i].status || stage != rows[i].stage) {
            fail_msg("part at %zu, value %llu: status %d in step %d", rows[i].at, (unsigned long long)rows[i].value, status, (int)stage);
        }
    }
}

/* A block may come as often as makes 2^17 nodes, and not at all, if nothing else reads it. */
static void the_turns_of_a_block_have_a_limit(void **state)
{
    static const struct {
        uint64_t count;
        int status;
    } rows[] = {{0, MX_FORMAT}, {1, MX_OK}, {2, MX_OK}, {(1 << 17) - 3, MX_OK}, {(1 << 17) - 2, MX_TOO_LARGE}, {1 << 18, MX_TOO_LARGE}};
    struct parts p = good;
    struct bytes b;
    enum stage stage;
    (void)state;
    p.length = 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        p.count = 2 * rows[i].count;
        make_parts(&b, &p);
        assert_int_equal(use(&b, &stage), rows[i].status);
        assert_int_equal(stage, MADE);
    }
    for (p.of_classes = 4; p.of_classes < 7; p.of_classes++) { /* once, not at all, and -1 times */
        make_parts(&b, &p);
        assert_int_equal(use(&b, &stage), p.of_classes == 4 ? MX_OK : p.of_classes == 5 ? MX_FORMAT : MX_TOO_LARGE);
        assert_int_equal(stage, MADE);
    }
    p = good;
    p.length = 2;
    p.count = 0; /* no node is left */
    make_parts(&b, &p);
    assert_int_equal(use(&b, &stage), MX_TOO_LARGE);
}

/* 2^32 nodes, which wrap on 32 bits. */
static void the_nodes_of_all_turns_of_a_block_have_a_limit(void **state)
{
    enum { BLOCK = 1 << 15, NODE = 4, MOST = 1 << 10 };
    struct bytes before = {.n = 0}, begin = {.n = 0}, end = {.n = 0};
    struct mx_diags diags = {0};
    struct mx_arena arena = {0};
    struct mx_catalogue c = {.diags = &diags};
    struct mx_params none = {.arena = &arena, .diags = &diags};
    struct mx_graph g = {.arena = &arena, .diags = &diags};
    const struct mx_sizes sizes = {{5}};
    struct mx_source *source;
    struct mx_matcher m;
    uint8_t *text = malloc(MOST + BLOCK * NODE);
    size_t n = 0;
    (void)state;
    assert_non_null(text);
    put(&before, "MXNETS1\n", 8);
    PUT(&before, 1, 1, 'x', 0);
    PUT(&before, 1, 0);
    PUT(&begin, BLOCK + 1, 0, BLOCK, 0, 2 << 17);
    PUT(&end, 1, 0, 1, 0, 1, 4, 0); /* one more variable, and the head */
    PUT(&before, 1, 0, 0, 1);
    put_number(&before, begin.n + BLOCK * NODE + end.n);
    memcpy(text, before.at, before.n);
    n += before.n;
    memcpy(text + n, begin.at, begin.n);
    n += begin.n;
    for (int i = 0; i < BLOCK; i++, n += NODE) {
        memcpy(text + n, (const uint8_t[NODE]){1, 0, 1, 0}, NODE);
    }
    PUT(&end, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0);
    memcpy(text + n, end.at, end.n);
    assert_int_equal(mx_source_open_memory(&source, text, n + end.n, false), MX_OK);
    assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), MX_OK);
    assert_int_equal(mx_matcher_init(&m, &c, &none, &arena), MX_OK);
    assert_int_equal(mx_net_symbol(&m, &c.nets[0], MX_NAMING_STRUCTURE, &sizes, &g), MX_TOO_LARGE);
    mx_catalogue_close(&c);
    mx_arena_free(&arena);
    mx_diags_free(&diags);
    free(text);
}

/* A graph of two inputs: their shapes as MXNet writes it. */
static void an_input_gets_its_hint(void **state)
{
    static const struct {
        uint64_t shape; /* of the table below */
        int64_t classes;
        const char *hint;
    } rows[] = {{0, 5, NULL}, {1, 5, "(7,)"}, {2, 5, "(0, 10)"}, {2, 0, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes b = {.n = 0}, body = {.n = 0};
        struct mx_diags diags = {0};
        struct mx_arena arena = {0};
        struct mx_catalogue c = {.diags = &diags};
        struct mx_params none = {.arena = &arena, .diags = &diags};
        struct mx_graph g = {.arena = &arena, .diags = &diags};
        const struct mx_sizes sizes = {{rows[i].classes}};
        struct mx_source *source;
        struct mx_matcher m;
        put(&b, "MXNETS1\n", 8);
        PUT(&b, 1, 1, 'x', 0);
        PUT(&b, 3, 0, 1, 14, 2, 0, 1, 4, 0, 1); /* (), (7,), (0, 2 * classes) */
        PUT(&body, 2, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 4, 0);
        PUT(&b, 1, 0, 0, 1);
        put_counted(&b, &body);
        PUT(&b, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 2, rows[i].shape, 0, 1, 0);
        assert_int_equal(mx_source_open_memory(&source, b.at, b.n, false), MX_OK);
        assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), MX_OK);
        assert_int_equal(mx_matcher_init(&m, &c, &none, &arena), MX_OK);
        const int status = mx_net_symbol(&m, &c.nets[0], MX_NAMING_STRUCTURE, &sizes, &g);
        if (rows[i].hint && !rows[i].hint[0]) {
            assert_int_equal(status, MX_INVALID_ARGUMENT);
            assert_string_equal(diags.items[0].message, "the net 'x' cannot be made with these sizes");
        } else {
            assert_int_equal(status, MX_OK);
            assert_int_equal(g.n_nodes, 2);
            assert_string_equal(mx_node_attr_text(g.nodes[1], "__shape__"), "(7,)");
            assert_int_equal(g.nodes[0]->n_attr_text, rows[i].hint != NULL);
            const char *hint = mx_node_attr_text(g.nodes[0], "__shape__");
            assert_string_equal(hint ? hint : "", rows[i].hint ? rows[i].hint : "");
        }
        mx_catalogue_close(&c);
        mx_arena_free(&arena);
        mx_diags_free(&diags);
    }
}

/* Places in a subgraph are its own, whatever block the graph around it has. */
static void a_subgraph_has_its_own_places_after_a_block(void **state)
{
    struct bytes b = {.n = 0}, body = {.n = 0};
    struct mx_diags diags = {0};
    struct mx_arena arena = {0};
    struct mx_catalogue c = {.diags = &diags};
    struct mx_params none = {.arena = &arena, .diags = &diags};
    struct mx_graph g = {.arena = &arena, .diags = &diags};
    const struct mx_sizes sizes = {{0}};
    struct mx_source *source;
    struct mx_matcher m;
    (void)state;
    put(&b, "MXNETS1\n", 8);
    PUT(&b, 1, 1, 'x', 2, 0, 0, 0, 0, 0, 1, 0); /* two kinds of node, the second with a subgraph */
    PUT(&body, 2, 0, 1, 0, 6);                  /* two nodes: the first one comes three times */
    PUT(&body, 1, 0, 1, 0);                     /* an input */
    PUT(&body, 3, 1, 0, 1, 5);                  /* a node that reads all of them */
    PUT(&body, 3, 1, 2, 1, 4, 2, 2, 8, 4);      /* its subgraph: an input, a node that reads it, one that reads both */
    PUT(&body, 1, 4);
    PUT(&body, 1, 4, 0);
    PUT(&b, 1, 0, 0, 1);
    put_counted(&b, &body);
    PUT(&b, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_int_equal(mx_source_open_memory(&source, b.at, b.n, false), MX_OK);
    assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), MX_OK);
    assert_int_equal(mx_matcher_init(&m, &c, &none, &arena), MX_OK);
    assert_int_equal(mx_net_symbol(&m, &c.nets[0], MX_NAMING_STRUCTURE, &sizes, &g), MX_OK);
    assert_int_equal(g.n_nodes, 4);
    assert_int_equal(g.version, 10901);
    assert_int_equal(g.nodes[3]->id, 3);
    assert_ptr_equal(g.heads[0].node, g.nodes[3]);
    assert_int_equal(g.nodes[3]->n_in, 3);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(g.nodes[3]->in[i].node, g.nodes[i]);
    }
    assert_int_equal(g.nodes[3]->n_subgraphs, 1);
    const struct mx_graph *inner = g.nodes[3]->subgraphs[0];
    assert_int_equal(inner->n_nodes, 3);
    assert_string_equal(inner->nodes[0]->name, "input0");
    assert_string_equal(inner->nodes[1]->name, "node1");
    assert_string_equal(inner->nodes[0]->op_name, "null");
    assert_string_equal(inner->nodes[1]->op_name, "x");
    assert_ptr_equal(inner->nodes[1]->in[0].node, inner->nodes[0]);
    assert_ptr_equal(inner->nodes[2]->in[0].node, inner->nodes[0]);
    assert_ptr_equal(inner->nodes[2]->in[1].node, inner->nodes[1]);
    assert_ptr_equal(inner->heads[0].node, inner->nodes[2]);
    mx_catalogue_close(&c);
    mx_arena_free(&arena);
    mx_diags_free(&diags);
}

/* An output is an int: what is one more is damage. */
static void the_largest_output_is_that_of_an_int(void **state)
{
    static const uint64_t outputs[] = {0, INT32_MAX, (uint64_t)INT32_MAX + 1, UINT32_MAX};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct parts p = good;
        struct bytes b;
        enum stage stage;
        p.reference |= 2;
        p.output = outputs[i];
        make_parts(&b, &p);
        assert_int_equal(use(&b, &stage), i < 2 ? MX_OK : MX_FORMAT);
    }
}

/* The parts of a name are counted, also those that it shares. */
static void the_parts_of_a_name_have_a_limit(void **state)
{
    for (uint32_t n = MX_NAME_PARTS - 1; n <= MX_NAME_PARTS + 1; n++) {
        struct bytes b, body = {.n = 0};
        enum stage stage;
        b.n = 0;
        put(&b, "MXNETS1\n", 8);
        PUT(&b, 1, 1, 'w', 0, 1, 0);
        PUT(&body, 2, 0, 0, 1, 0, 1, 0); /* two inputs, the second with the part of the first and others */
        PUT(&body, 1, 1, n - 1);
        for (uint32_t i = 1; i < n; i++) {
            PUT(&body, 0);
        }
        PUT(&body, 1, 4, 0);
        PUT(&b, 2, 1, 1, 1);
        put_counted(&b, &body);
        PUT(&b, 1, 1, 1);
        put_counted(&b, &body);
        PUT(&b, 2);
        for (uint64_t i = 0; i < 2; i++) {
            PUT(&b, 0, 0, 0, 0, i, 0, 0, 0, 0, 0);
        }
        assert_int_equal(use(&b, &stage), n <= MX_NAME_PARTS ? MX_OK : MX_FORMAT);
    }
}

/* Whatever is cut off, and whatever follows. */
static void a_catalogue_is_read_to_its_end(void **state)
{
    struct bytes whole, b;
    enum stage stage;
    (void)state;
    make_parts(&whole, &good);
    assert_int_equal(use(&whole, &stage), MX_OK);
    for (size_t n = 0; n < whole.n; n++) {
        b = whole;
        b.n = n;
        assert_int_equal(use(&b, &stage), MX_FORMAT);
        assert_int_equal(stage, OPENED);
    }
    b = whole;
    PUT(&b, 0);
    assert_int_equal(use(&b, &stage), MX_FORMAT);
    assert_int_equal(stage, OPENED);
    for (size_t i = 0; i < 8; i++) {
        b = whole;
        b.at[i] ^= 1;
        assert_int_equal(use(&b, &stage), MX_FORMAT);
        assert_int_equal(stage, OPENED);
    }
}

/* Where two nets differ, in each way that they may. */
static void the_first_difference_of_two_nets_is_named(void **state)
{
    static const struct {
        uint64_t key, value, op, kind; /* of the other: its own kind is 1 */
        int64_t classes;
        const char *said;
    } rows[] = {
        {KEY, VALUE, OP, 1, 4, "differ first at 'n', where the bodies differ"},
        {KEY, OTHER, OP, 1, 4, "differ first at 'n', where k is 1 or 2"},
        {KEY, OTHER, OP, 1, 5, "differ first at 'n', where k is 1 or ?"},
        {KEY, VALUE, W, 1, 4, "differ first at 'n', where the operator is op or w"},
        {NAME, VALUE, OP, 1, 4, "differ first at 'n', where k is 1 or absent"},
        {KEY, OTHER, OP, 0, 4, "differ in how their nodes are joined"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parts p = good;
        struct bytes b;
        struct mx_diags diags = {0};
        struct mx_catalogue c = {.diags = &diags};
        struct mx_source *source;
        struct mx_str said = {0};
        p.value[1] = rows[i].value;
        p.op[1] = rows[i].op;
        p.key = rows[i].key;
        p.kind = rows[i].kind;
        make_parts(&b, &p);
        assert_int_equal(mx_source_open_memory(&source, b.at, b.n, false), MX_OK);
        assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), MX_OK);
        const struct mx_candidate one = {&c.nets[0], MX_NAMING_STRUCTURE, {{rows[i].classes}}};
        const struct mx_candidate other = {&c.nets[1], MX_NAMING_STRUCTURE, {{rows[i].classes}}};
        mx_net_difference(&c, &one, &other, &said);
        assert_string_equal(said.text, rows[i].said);
        mx_str_clear(&said);
        mx_net_difference(&c, &one, &one, &said);
        assert_string_equal(said.text, "differ in sizes");
        mx_str_free(&said);
        mx_catalogue_close(&c);
        mx_diags_free(&diags);
    }
}

/* A turn exists in a block alone, so it is 0 in a shape, and not what the array has there. */
static void a_turn_in_a_shape_is_0(void **state)
{
    for (int64_t dim = 0; dim < 3; dim++) {
        struct bytes b;
        struct mx_diags diags = {0};
        struct mx_arena arena = {0};
        struct mx_catalogue c = {.diags = &diags};
        struct mx_param array = {.name = "w", .ndim = 1, .dims = &dim}, *items[] = {&array};
        struct mx_params params = {.arena = &arena, .diags = &diags, .items = items, .count = 1};
        struct parts p = good;
        struct mx_source *source;
        struct mx_matcher m;
        struct mx_fit fit;
        (void)state;
        p.size = MX_SIZE_TURN;
        make_parts(&b, &p);
        assert_int_equal(mx_map_set(&params.by_name, "w", &array), MX_OK);
        assert_int_equal(mx_source_open_memory(&source, b.at, b.n, false), MX_OK);
        assert_int_equal(mx_catalogue_open_bytes(&c, source, "made"), MX_OK);
        assert_int_equal(mx_matcher_init(&m, &c, &params, &arena), MX_OK);
        assert_int_equal(mx_match(&m, 1, &fit), MX_OK);
        assert_int_equal(fit.found, dim == 0);
        assert_int_equal(fit.misshapen, dim != 0);
        mx_map_free(&params.by_name);
        mx_catalogue_close(&c);
        mx_arena_free(&arena);
        mx_diags_free(&diags);
    }
}

/* The texts of a net are strings: there must be one. */
static void a_net_needs_strings(void **state)
{
    struct bytes b = {.n = 0};
    enum stage stage;
    (void)state;
    put(&b, "MXNETS1\n", 8);
    PUT(&b, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_int_equal(use(&b, &stage), MX_FORMAT);
    assert_int_equal(stage, OPENED);
}

/* ---- what was published with a net */

/* A model whose net has an input called `name`, and these things published. */
static mx2onnx_model *published(struct bytes *b, const char *name, uint64_t inputs, const char *mean, const char *deviation)
{
    static const char symbol[] = "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}],\"arg_nodes\":[0],\"heads\":[[0,0,0]]}";
    const char *const texts[] = {name, mean, deviation};
    struct bytes body = {.n = 0};
    struct mx_source *source;
    mx2onnx_model *m = NULL;
    b->n = 0;
    put(b, "MXNETS1\n", 8);
    PUT(b, 3);
    for (int i = 0; i < 3; i++) {
        PUT(b, strlen(texts[i]));
        put(b, texts[i], strlen(texts[i]));
    }
    PUT(b, 0, 1, 3, 0, 6, 2 * MX_SIZE_CROP + 1, 2, 2, 1); /* (any, 3, crop + 1) */
    PUT(&body, 1, 0, 0, 1, 0, 1, 0, 1, 4, 0);             /* the input */
    PUT(b, 1, 0, 0, 1);
    put_counted(b, &body);
    PUT(b, 1, 0, 0, 1, 2, 0, 0, 0, 0, 0, inputs);
    for (uint64_t i = 0; i < inputs; i++) {
        PUT(b, 0, 0);
    }
    assert_int_equal(mx2onnx_model_new(&m), MX2ONNX_OK);
    assert_int_equal(mx2onnx_load_symbol_memory(m, symbol, sizeof symbol - 1), MX2ONNX_OK);
    m->nets.catalogue.diags = &m->diags;
    m->nets.catalogue.arena.budget = &m->budget;
    assert_int_equal(mx_source_open_memory(&source, b->at, b->n, false), MX_OK);
    assert_int_equal(mx_catalogue_open_bytes(&m->nets.catalogue, source, "made"), MX_OK);
    m->loaded.net = &m->nets.catalogue.nets[0];
    return m;
}

static void published_shapes_are_those_of_the_inputs(void **state)
{
    static const struct {
        const char *name;
        uint64_t inputs;
        int64_t crop;
        int status;
    } rows[] = {
        {"x", 1, 7, MX_OK},
        {"x", 1, 0, MX_FORMAT}, /* the size is not known */
        {"x", 2, 7, MX_FORMAT}, /* the graph has one input */
        {"", 1, 7, MX_FORMAT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes b;
        mx2onnx_model *m = published(&b, rows[i].name, rows[i].inputs, "", "");
        m->loaded.net_sizes.of[MX_SIZE_CROP] = rows[i].crop;
        assert_int_equal(mx2onnx_use_published(m, MX2ONNX_PUBLISHED_SHAPES), rows[i].status);
        if (rows[i].status == MX_OK) {
            const struct mx_input_choice *x = mx_map_get(&m->choices.inputs, "x");
            assert_int_equal(x->ndim, 3);
            assert_memory_equal(x->dims, ((const int64_t[]){-1, 3, 8}), 3 * sizeof *x->dims);
        } else {
            assert_string_equal(mx_diags_first_error(&m->diags), "the catalogue of nets is damaged");
            assert_null(mx2onnx_get_input_shape(m, "x", NULL)); /* not even that of the first input */
        }
        mx2onnx_model_free(m);
    }
}

static void published_numbers_are_those_of_three_channels(void **state)
{
    static const struct {
        const char *name, *mean, *deviation;
        int status;
        const char *json; /* of both */
    } rows[] = {
        {"x", "0.5,0.25,1", "1,2,4", MX_OK, "\"mean\":[0.5,0.25,1.0],\"deviation\":[1.0,2.0,4.0]"},
        {"x", "0.5,0.25", "1,2,4", MX_FORMAT, "\"mean\":[],\"deviation\":[1.0,2.0,4.0]"},
        {"x", "0.5,0.25,1,", "1,2,4", MX_FORMAT, "\"mean\":[],\"deviation\":[1.0,2.0,4.0]"},
        {"x", "0.5,0.25,1", "1;2;4", MX_FORMAT, "\"mean\":[0.5,0.25,1.0],\"deviation\":[]"},
        {"x", "0.5,0.25,1", "1,2,a", MX_FORMAT, "\"mean\":[0.5,0.25,1.0],\"deviation\":[]"},
        {"", "0.5,0.25,1", "1,2,4", MX_FORMAT, "\"mean\":[0.5,0.25,1.0],\"deviation\":[1.0,2.0,4.0]"},
        {"x", "", "1,2,4", MX_INVALID_ARGUMENT, "\"inputs\":[[null,3,null]]}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes b;
        mx2onnx_model *m = published(&b, rows[i].name, 1, rows[i].mean, rows[i].deviation);
        assert_int_equal(mx2onnx_use_published(m, MX2ONNX_PUBLISHED_NORMALIZATION), rows[i].status);
        if (rows[i].status == MX_OK) {
            static const double mean[] = {127.5, 63.75, 255}, deviation[] = {255, 510, 1020};
            const struct mx_input_choice *x = mx_map_get(&m->choices.inputs, "x");
            assert_int_equal(x->n_mean, 3);
            assert_int_equal(x->n_scale, 3);
            for (int k = 0; k < 3; k++) {
                assert_true(x->mean[k] == mean[k] && x->scale[k] == 1 / deviation[k]);
            }
        }
        if (!strstr(mx2onnx_catalogue_json(m, 0), rows[i].json)) {
            fail_msg("row %zu: %s", i, mx2onnx_catalogue_json(m, 0));
        }
        mx2onnx_model_free(m);
    }
}

/* Both are set or, if memory runs out, none. The arena is fuller each time. */
static void published_numbers_are_set_together(void **state)
{
    size_t failed = 0;
    (void)state;
    for (size_t used = 8; used < 1 << 13; used += 8) {
        struct bytes b;
        mx2onnx_model *m = published(&b, "x", 1, "0.5,0.25,1", "1,2,4");
        assert_int_equal(mx2onnx_set_input_shape(m, "x", 0, NULL, NULL), MX_OK);
        assert_non_null(mx_arena_alloc(&m->arena, used, 1));
        alloc_fail_at(1, true);
        const int status = mx2onnx_use_published(m, MX2ONNX_PUBLISHED_NORMALIZATION);
        alloc_fail_at(0, false);
        failed += status != MX_OK;
        assert_int_equal(mx2onnx_get_input_mean(m, "x", NULL) != NULL, status == MX_OK);
        assert_int_equal(mx2onnx_get_input_scale(m, "x", NULL) != NULL, status == MX_OK);
        mx2onnx_model_free(m);
    }
    assert_in_range(failed, 2, 16); /* the second, or the first */
}

/* Of SageMaker's algorithms only: its documentation states the arrays, and the file has a name of SageMaker's if it is of k-means. */
static void arrays_without_a_graph_are_recognised(void **state)
{
    struct array {
        const char *name; /* NULL: there is none */
        int ndim;
        int64_t dims[3];
    };
    static const struct {
        struct array arrays[4];
        const char *label, *what; /* a part of what is said; NULL: they are of nothing known */
    } rows[] = {
        {{{"0", 2, {5, 3}}}, "model_algo-1", "k-means"},
        {{{"0", 2, {5, 3}}}, "net.params", NULL},
        {{{"0", 2, {5, 3}}}, NULL, NULL},
        {{{"0", 1, {5}}}, "model_algo-1", NULL},
        {{{"0", 3, {5, 3, 1}}}, "model_algo-1", NULL},
        {{{"1", 2, {5, 3}}}, "model_algo-1", NULL},
        {{{"0", 2, {5, 3}}, {"x", 1, {1}}}, "model_algo-1", NULL},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}}, NULL, "PCA"},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"mean", 2, {1, 3}}}, NULL, "PCA"},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"mean", 1, {3}}}, NULL, "PCA"},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"mean", 0, {0}}}, NULL, NULL},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"mean", 3, {1, 1, 3}}}, NULL, NULL},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"mean", 1, {2}}}, NULL, NULL},
        {{{"s", 1, {2}}, {"v", 1, {3}}}, NULL, NULL},
        {{{"s", 1, {2}}, {"w", 2, {3, 2}}}, NULL, NULL},
        {{{"t", 1, {2}}, {"v", 2, {3, 2}}}, NULL, NULL},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"x", 1, {1}}}, NULL, NULL},
        {{{"s", 1, {2}}, {"v", 2, {3, 2}}, {"mean", 1, {3}}, {"x", 1, {1}}}, NULL, NULL},
        {{{"v", 2, {3, 2}}, {"mean", 1, {3}}}, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_params p = {0};
        struct mx_param arrays[4];
        struct mx_str text = {0};
        for (; p.count < 4 && rows[i].arrays[p.count].name; p.count++) {
            const struct array *a = &rows[i].arrays[p.count];
            arrays[p.count] = (struct mx_param){.name = a->name, .dtype = MX_FLOAT32, .ndim = a->ndim, .dims = a->dims};
            assert_int_equal(mx_map_set(&p.by_name, a->name, &arrays[p.count]), MX_OK);
        }
        const char *what = mx_arrays_symbol(&p, rows[i].label, &text);
        if (!what != !rows[i].what || (what && !strstr(what, rows[i].what))) {
            fail_msg("row %zu: %s", i, what ? what : "nothing");
        }
        assert_int_equal(text.length > 0, what != NULL);
        mx_str_free(&text);
        mx_map_free(&p.by_name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_511_bytes_is_found),
        cmocka_unit_test(a_longer_name_is_damage),
        cmocka_unit_test(a_divisor_of_more_than_31_bits_is_damage),
        cmocka_unit_test(a_catalogue_gives_back_its_memory),
        cmocka_unit_test(the_largest_divisor_is_multiplied_in_64_bits),
        cmocka_unit_test(a_dim_of_more_than_31_bits_fits_nothing),
        cmocka_unit_test(a_prefix_and_a_name_are_as_long_as_a_name),
        cmocka_unit_test(a_number_has_five_bytes_at_most),
        cmocka_unit_test(only_bytes_in_memory_are_a_catalogue),
        cmocka_unit_test(a_number_ends_where_it_ends),
        cmocka_unit_test(a_number_is_computed_from_a_size),
        cmocka_unit_test(each_part_is_checked),
        cmocka_unit_test(the_turns_of_a_block_have_a_limit),
        cmocka_unit_test(the_nodes_of_all_turns_of_a_block_have_a_limit),
        cmocka_unit_test(an_input_gets_its_hint),
        cmocka_unit_test(a_subgraph_has_its_own_places_after_a_block),
        cmocka_unit_test(the_largest_output_is_that_of_an_int),
        cmocka_unit_test(the_parts_of_a_name_have_a_limit),
        cmocka_unit_test(a_catalogue_is_read_to_its_end),
        cmocka_unit_test(the_first_difference_of_two_nets_is_named),
        cmocka_unit_test(a_turn_in_a_shape_is_0),
        cmocka_unit_test(a_net_needs_strings),
        cmocka_unit_test(published_shapes_are_those_of_the_inputs),
        cmocka_unit_test(published_numbers_are_those_of_three_channels),
        cmocka_unit_test(published_numbers_are_set_together),
        cmocka_unit_test(arrays_without_a_graph_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
