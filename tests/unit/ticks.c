/* Every long step asks the caller often enough, and ends when he says so: for each step a model for which it takes long, how often it
 * asks, and that the first answer ends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "model/model.h"
#include "onnx/builder/internal.h"
#include "onnx/pass/pass.h"
#include "onnx/write/write.h"

enum { NODES = 4000, PERIOD = 1 << 22, ASKS = 1 + NODES * MX_TICK_NODE / PERIOD }; /* the first at once */

struct asked {
    int calls, stop; /* at which; 0: never */
};

static int32_t ask(uint64_t done, uint64_t total, void *user)
{
    struct asked *a = user;
    (void)done;
    (void)total;
    return ++a->calls == a->stop;
}

static int32_t ask_outside(const mx2onnx_progress *p, void *user)
{
    return ask(p->done, p->total, user);
}

static void chain(struct mx_str *text)
{
    mx_str_append(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]}");
    for (int i = 0; i < NODES; i++) {
        mx_str_printf(text, ",{\"op\":\"%s\",\"name\":\"n%d\",\"inputs\":[[%d,0,0]]}", i % 2 ? "relu" : "sin", i, i);
    }
    mx_str_printf(text, "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", NODES);
}

/* Sums of ranges, which are folded: few nodes, many elements. */
static void sums(struct mx_str *text)
{
    mx_str_append(text, "{\"nodes\":[{\"op\":\"_arange\",\"name\":\"r\",\"attrs\":{\"start\":\"0\",\"stop\":\"100000\"},\"inputs\":[]}");
    for (int i = 0; i < 12; i++) {
        mx_str_printf(text, ",{\"op\":\"_mul_scalar\",\"name\":\"n%d\",\"attrs\":{\"scalar\":\"1.5\"},\"inputs\":[[%d,0,0]]}", i, i);
    }
    mx_str_append(text, "],\"arg_nodes\":[],\"heads\":[[12,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
}

/* One value of JSON. */
static void long_name(struct mx_str *text)
{
    mx_str_append(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"");
    for (int i = 0; i < 2 << 10; i++) {
        mx_str_printf(text, "%01024d", i);
    }
    mx_str_append(text, "\",\"inputs\":[]}],\"arg_nodes\":[0],\"heads\":[[0,0,0]]}");
}

/* One node that reads an input many times. */
static void many_inputs(struct mx_str *text)
{
    enum { INPUTS = 40000 };
    mx_str_append(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"_npi_concatenate\",\"name\":\"c\",");
    mx_str_printf(text, "\"attrs\":{\"num_args\":\"%d\"},\"inputs\":[[0,0,0]", INPUTS);
    for (int i = 1; i < INPUTS; i++) {
        mx_str_append(text, ",[0,0,0]");
    }
    mx_str_append(text, "]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
}

/* One node with many attributes that MXNet ignores. */
static void many_attributes(struct mx_str *text)
{
    mx_str_append(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},{\"op\":\"Pooling\",\"name\":\"p\",\"attrs\":{");
    for (int i = 0; i < 20000; i++) {
        mx_str_printf(text, "\"__k%d__\":\"1\",", i);
    }
    mx_str_append(text, "\"kernel\":\"(2, 2)\"},\"inputs\":[[0,0,0]]}],\"arg_nodes\":[0],\"heads\":[[1,0,0]],"
                        "\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
}

/* Edges that are looked at one by one. */
static void edges(struct mx_str *text)
{
    mx_str_append(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]},"
                        "{\"op\":\"Cast\",\"name\":\"i\",\"attrs\":{\"dtype\":\"int64\"},\"inputs\":[[0,0,0]]},"
                        "{\"op\":\"_histogram\",\"name\":\"h\",\"attrs\":{\"bin_cnt\":\"1048576\",\"range\":\"(0, 1152921504606846976)\"},"
                        "\"inputs\":[[1,0,0]]}],\"arg_nodes\":[0],\"heads\":[[2,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}");
}

/* Operators that stay float32, so that only they are looked at. */
static void single_operators(struct mx_str *text)
{
    mx_str_append(text, "{\"nodes\":[{\"op\":\"null\",\"name\":\"data\",\"inputs\":[]}");
    for (int i = 0; i < 2 * NODES; i++) {
        mx_str_printf(text, ",{\"op\":\"softmax\",\"name\":\"n%d\",\"inputs\":[[%d,0,0]]}", i, i);
    }
    mx_str_printf(text, "],\"arg_nodes\":[0],\"heads\":[[%d,0,0]],\"attrs\":{\"mxnet_version\":[\"int\",10901]}}", 2 * NODES);
}

struct work {
    mx2onnx_model *m;
    struct mx_str text;
    struct ox_model onnx;
    struct ox_plan *plan;
};

static int load(struct work *w)
{
    return mx2onnx_load_symbol_memory(w->m, w->text.text, w->text.length);
}

static int canon(struct work *w)
{
    return mx_model_prepare(w->m, MX_STAGE_CANON);
}

static int infer(struct work *w)
{
    return mx_model_prepare(w->m, MX_STAGE_INFERRED);
}

static int halve(struct work *w)
{
    return mx_graph_halve(w->m->prepared.graph, &(struct mx_half_options){.cast = mx_map_get(&w->m->ops, "amp_cast")});
}

static int lower(struct work *w)
{
    struct ox_build b;
    w->onnx = (struct ox_model){.dims = w->m->prepared.dims, .opset = 17};
    w->onnx.arena.budget = &w->m->budget;
    int status = ox_build_init(&b, &w->onnx, &w->m->diags);
    if (status == MX_OK) {
        status = mx_graph_lower(w->m->prepared.graph, &b, w->m->prepared.variable_names, w->m->prepared.output_names);
    }
    ox_build_free(&b);
    return status;
}

#define PASS(name)                                                                                                                         \
    static int name(struct work *w)                                                                                                        \
    {                                                                                                                                      \
        return ox_##name(&w->onnx);                                                                                                        \
    }
PASS(finish)
PASS(fuse)
PASS(merge_products)
PASS(fold_batch_norms)
PASS(fold_scales)
PASS(legalise)
PASS(order)
PASS(names)

static int check(struct work *w)
{
    return ox_check(&w->onnx, OX_COUNTED | OX_ORDERED | OX_NAMED);
}

static int plan(struct work *w)
{
    const struct ox_write_options options = {.producer_version = "0"};
    return ox_plan_new(&w->plan, &w->onnx, &options, &w->m->diags);
}

typedef int step_fn(struct work *w);

static const struct step {
    const char *name;
    step_fn *run;
} steps[] = {
    {"load", load},         {"canon", canon},       {"infer", infer},          {"lower", lower},
    {"finish", finish},     {"fuse", fuse},         {"merge", merge_products}, {"batch_norm", fold_batch_norms},
    {"scale", fold_scales}, {"legalise", legalise}, {"order", order},          {"names", names},
    {"check", check},       {"plan", plan},         {"halve", halve},
};
enum { CANON = 1, INFER, HALVE = sizeof steps / sizeof *steps - 1 };

/* Runs the steps up to `last`, which alone asks. Its status. */
static int run(void (*write)(struct mx_str *), size_t last, struct asked *asked)
{
    struct work w = {0};
    int status = MX_OK;
    write(&w.text);
    assert_false(w.text.failed);
    assert_int_equal(mx2onnx_model_new(&w.m), MX_OK);
    for (size_t i = 0; i <= last; i++) {
        mx_budget_begin(&w.m->budget);
        w.m->choices.progress = i == last ? ask_outside : NULL;
        w.m->choices.progress_hold.user = asked;
        w.m->budget.progress = i == last ? ask : NULL;
        w.m->budget.user = asked;
        status = steps[i].run(&w);
        if (i < last && status != MX_OK) {
            fail_msg("%s: %s", steps[i].name, mx2onnx_error(w.m));
        }
        if (i == 0 && last > 0) {
            (void)mx2onnx_set_input_shape(w.m, "data", 2, (const int64_t[]){2, 3}, NULL);
        }
    }
    if (status != MX_OK) {
        assert_int_equal(w.m->budget.status, MX_CANCELLED);
    }
    ox_plan_free(w.plan);
    mx_budget_array_free(&w.m->budget, w.onnx.values, w.onnx.cap_values, sizeof *w.onnx.values);
    mx_arena_free(&w.onnx.arena);
    mx2onnx_model_free(w.m);
    mx_str_free(&w.text);
    return status;
}

static void ends_within(void (*write)(struct mx_str *), size_t step, int asks)
{
    struct asked all = {0}, one = {.stop = 1};
    const int status = run(write, step, &all);
    if (status != MX_OK || all.calls < asks) {
        fail_msg("%s: status %d, asked %d times of %d", steps[step].name, status, all.calls, asks);
    }
    if (run(write, step, &one) == MX_OK || one.calls != 1) {
        fail_msg("%s: not ended by the first answer, asked %d times", steps[step].name, one.calls);
    }
}

static void each_step_ends_soon_over_many_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        ends_within(chain, i, ASKS);
    }
}

static void folding_ends_soon_by_its_elements(void **state)
{
    (void)state;
    ends_within(sums, 3, 1 + 3);
}

static void reading_many_attributes_ends_soon(void **state)
{
    (void)state;
    ends_within(many_attributes, CANON, 1 + 4);
}

static void the_rule_of_many_inputs_ends_soon(void **state)
{
    (void)state;
    ends_within(many_inputs, INFER, 1 + 2);
}

static void the_rule_of_many_edges_ends_soon(void **state)
{
    (void)state;
    ends_within(edges, INFER, 1 + 4);
}

static void a_conversion_to_float16_ends_soon(void **state)
{
    (void)state;
    ends_within(single_operators, HALVE, 1 + 2);
}

static void one_value_of_json_ends_soon_by_its_bytes(void **state)
{
    (void)state;
    ends_within(long_name, 0, 7);
}

static void each_part_and_the_whole_count_as_work(void **state)
{
    static const size_t parts[] = {0, 1, 7, 1 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct mx_budget b;
        mx_budget_init(&b);
        assert_int_equal(mx_tick_parts(&b, parts[i]), MX_OK);
        assert_int_equal(b.work, MX_TICK_ITEM * (parts[i] + 1));
        assert_int_equal(mx_tick_parts(NULL, parts[i]), MX_OK);
    }
}

/* What the caller does afterwards neither changes the status nor the limit that is reported. */
static void the_first_reason_to_end_stays(void **state)
{
    struct mx_budget b;
    (void)state;
    mx_budget_init(&b);
    b.limits[MX_LIMIT_EXPANSION] = 10;
    assert_true(mx_budget_expand(&b, 10));
    assert_false(mx_budget_expand(&b, 1));
    assert_false(mx_budget_memory(&b, UINT64_C(1) << 50));
    assert_int_equal(b.status, MX_TOO_LARGE);
    assert_int_equal(b.limit, MX_LIMIT_EXPANSION);
    assert_int_equal(b.memory, 0);
    b.status = MX_CANCELLED;
    assert_false(mx_budget_expand(&b, 1));
    assert_int_equal(b.status, MX_CANCELLED);
}

/* The limit and the share of the input are added to each other: none of it wraps. */
static void sums_of_limits_and_inputs_never_wrap(void **state)
{
    static const uint64_t inputs[] = {1, UINT64_C(1) << 58, UINT64_MAX}, limits[] = {UINT64_MAX, 0, 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct mx_budget b;
        mx_budget_init(&b);
        b.input = inputs[i];
        b.limits[MX_LIMIT_MEMORY] = limits[i];
        assert_true(mx_budget_memory(&b, UINT64_C(1) << 50));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_ends_soon_over_many_nodes),
        cmocka_unit_test(folding_ends_soon_by_its_elements),
        cmocka_unit_test(reading_many_attributes_ends_soon),
        cmocka_unit_test(the_rule_of_many_inputs_ends_soon),
        cmocka_unit_test(the_rule_of_many_edges_ends_soon),
        cmocka_unit_test(a_conversion_to_float16_ends_soon),
        cmocka_unit_test(one_value_of_json_ends_soon_by_its_bytes),
        cmocka_unit_test(each_part_and_the_whole_count_as_work),
        cmocka_unit_test(the_first_reason_to_end_stays),
        cmocka_unit_test(sums_of_limits_and_inputs_never_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
