/* Damaged catalogues of nets, made byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "catalogue/catalogue.h"

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

/* A net of one parameter, the name of which is `length` bytes; its only dim is (classes + 0) / k. */
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

static void the_largest_divisor(void **state)
{
    static const int64_t most = INT32_MAX;
    struct world w;
    struct mx_fit fit;
    open_world(&w, 4, INT32_MAX, &most);
    assert_int_equal(mx_match(&w.m, 0, &fit), MX_OK);
    assert_int_equal(fit.sizes.of[MX_SIZE_CLASSES], most * most);
    close_world(&w);
}

/* A number with fewer than three parts, the commas of which come after its end. */
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
                                        "\1c1,0,1,1\2"};
    const struct mx_sizes sizes = {{7}};
    struct mx_str out = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(mx_net_text(&out, (struct mx_piece){texts[i], strlen(texts[i])}, &sizes));
    }
    mx_str_free(&out);
    assert_true(mx_net_text(&out, (struct mx_piece){"a\1c1,-2,5\2b", 11}, &sizes));
    assert_string_equal(out.text, "a1b");
    mx_str_free(&out);
    char *exact = test_malloc(4); /* nothing comes after it */
    memcpy(exact, "\1c1\2", 4);
    assert_false(mx_net_text(&out, (struct mx_piece){exact, 4}, &sizes));
    test_free(exact);
    mx_str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_511_bytes_is_found),
        cmocka_unit_test(a_longer_name_is_damage),
        cmocka_unit_test(a_divisor_of_more_than_31_bits_is_damage),
        cmocka_unit_test(the_largest_divisor),
        cmocka_unit_test(a_number_ends_where_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
