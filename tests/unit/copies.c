/* Which arrays of a parameter file are copies of others: bytes, types and layers decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"
#include "pass/pass.h"

enum { MOST = 8 };

struct array {
    const char *name; /* NULL: there is none */
    enum mx_dtype dtype;
    int64_t dims[3];   /* ended by 0 */
    const char *bytes; /* NULL: they cannot be read */
};

struct world {
    struct mx_diags diags;
    struct mx_arena arena;
    struct mx_params params;
    struct mx_param arrays[MOST], *items[MOST];
    struct mx_map copies;
};

static int32_t read_none(uint64_t offset, void *out, size_t size, void *user)
{
    return 1;
}

static void add(struct world *w, const struct array *a, uint64_t length)
{
    struct mx_param *p = w->items[w->params.count] = &w->arrays[w->params.count];
    *p = (struct mx_param){.name = a->name, .dtype = a->dtype, .dims = a->dims, .length = length};
    for (; a->dims[p->ndim] > 0; p->ndim++) {
    }
    assert_int_equal(a->bytes ? mx_source_open_memory(&p->source, a->bytes, (size_t)length, false)
                              : mx_source_open_callback(&p->source, length, read_none, NULL),
                     MX_OK);
    w->params.count++;
    w->params.items = w->items;
    assert_int_equal(mx_map_set(&w->params.by_name, a->name, p), MX_OK);
}

static void close_world(struct world *w)
{
    for (size_t i = 0; i < w->params.count; i++) {
        mx_source_close(w->arrays[i].source);
    }
    mx_map_free(&w->params.by_name);
    mx_map_free(&w->copies);
    mx_arena_free(&w->arena);
}

static const char *copied(const struct world *w, const char *name)
{
    const struct mx_param *p = mx_map_get(&w->copies, name);
    return p ? p->name : "";
}

#define TWO                                                                                                                                \
    {                                                                                                                                      \
        2, 2                                                                                                                               \
    }
#define A_WEIGHT                                                                                                                           \
    {                                                                                                                                      \
        "a.weight", MX_FLOAT32, TWO, "0123456789abcdef"                                                                                    \
    }
#define B_WEIGHT                                                                                                                           \
    {                                                                                                                                      \
        "b.weight", MX_FLOAT32, TWO, "0123456789abcdef"                                                                                    \
    }

/* In each row the array that "b.weight" is a copy of, and that of "b.bias". */
static void layers_may_share_an_array(void **state)
{
    static const struct {
        struct array arrays[5];
        size_t most;
        const char *weight, *bias;
    } rows[] = {
        {{A_WEIGHT, B_WEIGHT}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT}, 0, "", ""},
        {{A_WEIGHT, {"b.weight", MX_FLOAT32, TWO, "0123456789abcdeF"}}, 9, "", ""},
        {{A_WEIGHT, {"b.weight", MX_INT32, TWO, "0123456789abcdef"}}, 9, "", ""},
        {{A_WEIGHT, {"b.weight", MX_FLOAT32, {4, 1}, "0123456789abcdef"}}, 9, "", ""},
        {{A_WEIGHT, {"b.weight", MX_FLOAT32, TWO, NULL}}, 9, "", ""},
        {{{"a.weight", MX_FLOAT32, TWO, NULL}, B_WEIGHT}, 9, "", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_FLOAT32, {1}, "same"}}, 9, "a.weight", "a.bias"},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_FLOAT32, {1}, "same"}}, 1, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_FLOAT32, {1}, "sane"}}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_INT32, {1}, "same"}}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_FLOAT32, {0}, "same"}}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_FLOAT32, {2}, "same1234"}}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, NULL}, {"b.bias", MX_FLOAT32, {1}, "same"}}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"a.bias", MX_FLOAT32, {1}, "same"}, {"b.bias", MX_FLOAT32, {1}, NULL}}, 9, "a.weight", ""},
        {{A_WEIGHT, B_WEIGHT, {"c.bias", MX_FLOAT32, {1}, "same"}, {"a.bias", MX_FLOAT32, {1}, "same"}}, 9, "a.weight", ""},
        /* the layer of more arrays is kept, for all that come after it */
        {{A_WEIGHT, {"c.weight", MX_FLOAT32, TWO, "0123456789abcdef"}, {"c.bias", MX_FLOAT32, {1}, "same"}, B_WEIGHT}, 9, "c.weight", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w = {.params.count = 0};
        w.params.arena = &w.arena;
        w.params.diags = &w.diags;
        for (const struct array *a = rows[i].arrays; a->name; a++) {
            uint64_t length = 4;
            for (int k = 0; a->dims[k] > 0; k++) {
                length *= (uint64_t)a->dims[k];
            }
            add(&w, a, length);
        }
        assert_int_equal(mx_params_find_copies(&w.params, rows[i].most, &w.arena, &w.copies), MX_OK);
        if (strcmp(copied(&w, "b.weight"), rows[i].weight) != 0 || strcmp(copied(&w, "b.bias"), rows[i].bias) != 0) {
            fail_msg("row %zu: '%s', '%s'", i, copied(&w, "b.weight"), copied(&w, "b.bias"));
        }
        assert_int_equal(mx_map_count(&w.copies), (rows[i].weight[0] != 0) + (rows[i].bias[0] != 0) + (copied(&w, "a.weight")[0] != 0));
        close_world(&w);
    }
}

struct asked {
    int calls, stop; /* at which; 0: never */
};

static int32_t ask(uint64_t done, uint64_t total, void *user)
{
    struct asked *a = user;
    return ++a->calls == a->stop;
}

/* Files are large: each block that is read counts, and each look at an array. Whichever answer ends the search, it ends. */
static void the_search_ends_when_the_caller_says_so(void **state)
{
    enum { LENGTH = 16 << 20, PERIOD = 1 << 22, ASKS = 4 * LENGTH / PERIOD }; /* two are hashed, and compared */
    static const struct array arrays[] = {{"a.weight", MX_UINT8, {4, LENGTH / 4}, ""}, {"b.weight", MX_UINT8, {4, LENGTH / 4}, ""}};
    char *zeros = calloc(LENGTH, 1);
    struct asked asked = {0};
    (void)state;
    assert_non_null(zeros);
    do {
        struct mx_budget budget;
        struct world w = {.diags.budget = &budget, .arena.budget = &budget, .copies.arena.budget = &budget};
        mx_budget_init(&budget);
        w.params.arena = &w.arena;
        w.params.diags = &w.diags;
        budget.progress = ask;
        budget.user = &asked;
        for (int i = 0; i < 2; i++) {
            struct array a = arrays[i];
            a.bytes = zeros;
            add(&w, &a, LENGTH);
            w.arrays[i].dims = arrays[i].dims;
        }
        asked.calls = 0;
        const int status = mx_params_find_copies(&w.params, 9, &w.arena, &w.copies);
        assert_int_equal(budget.status, asked.stop ? MX_CANCELLED : MX_OK);
        assert_int_equal(status != MX_OK, asked.stop > 0);
        assert_in_range(asked.calls, asked.stop ? asked.stop : ASKS, asked.stop ? asked.stop : ASKS + 2);
        assert_int_equal(mx_map_count(&w.copies), !asked.stop);
        close_world(&w);
        asked.stop = asked.stop ? asked.stop + 1 : 1;
    } while (asked.stop <= ASKS);
    free(zeros);
}

/* Three walks over all arrays: one counts the layers, one looks for large ones, one for the small ones of their layers. */
static void each_look_at_an_array_is_work(void **state)
{
    static const struct array arrays[] = {
        {"a.x", MX_UINT8, {1}, "a"}, {"b.x", MX_UINT8, {1}, "a"}, {"c.x", MX_UINT8, {1}, "a"}, {"d.x", MX_UINT8, {1}, "a"},
        {"e.x", MX_UINT8, {1}, "a"}, {"f.x", MX_UINT8, {1}, "a"}, {"g.x", MX_UINT8, {1}, "a"}, {"h.x", MX_UINT8, {1}, "a"},
    };
    struct mx_budget budget;
    struct world w = {.diags.budget = &budget, .arena.budget = &budget, .copies.arena.budget = &budget};
    (void)state;
    mx_budget_init(&budget);
    w.params.arena = &w.arena;
    w.params.diags = &w.diags;
    for (int i = 0; i < MOST; i++) {
        add(&w, &arrays[i], 1);
    }
    uint64_t work[3];
    for (int i = 0; i < 3; i++) { /* the first one makes room */
        const uint64_t before = budget.work;
        assert_int_equal(mx_params_find_copies(&w.params, i == 2 ? 9 : 0, &w.arena, &w.copies), MX_OK);
        work[i] = budget.work - before;
    }
    assert_in_range(work[2] - work[1], 2 * MOST * MX_TICK_NODE, 3 * MOST * MX_TICK_NODE - 1);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_may_share_an_array),
        cmocka_unit_test(the_search_ends_when_the_caller_says_so),
        cmocka_unit_test(each_look_at_an_array_is_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
