/* mx2onnx inspect MODEL [PARAMS...] */
#include "cli/cli.h"
#include "cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

struct inspect {
    struct cli_choices choices;
    int what; /* CLI_OPT_GRAPH and so on; 0: the overview */
    bool json, verbose;
};

static void title(const char *text, size_t count)
{
    printf("%s%s:%s %zu", cli_style(stdout, CLI_BOLD), text, cli_style(stdout, CLI_PLAIN), count);
}

/* `inferred`: it is known what the graph reads. */
static void print_params(mx2onnx_model *m, bool inferred)
{
    const size_t count = mx2onnx_param_count(m);
    uint64_t bytes = 0;
    uint64_t numbers = 0;
    size_t unused = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t *dims = mx2onnx_param_dims(m, i);
        uint64_t size = 1;
        for (int32_t axis = 0; axis < mx2onnx_param_rank(m, i); axis++) {
            size *= (uint64_t)dims[axis];
        }
        numbers += size;
        bytes += mx2onnx_param_size(m, i);
        unused += mx2onnx_param_used(m, i) ? 0 : 1;
    }
    char text[32];
    cli_format_bytes(text, bytes);
    title("parameters", count);
    printf(" array%s, %" PRIu64 " numbers, %s\n", cli_plural(count), numbers, text);
    if (unused && inferred) {
        printf("  the graph does not read %zu of them\n", unused);
    }
    size_t missing = 0;
    for (size_t i = 0; i < mx2onnx_variable_count(m); i++) {
        missing += mx2onnx_variable_kind(m, i) == MX2ONNX_VARIABLE_WEIGHT;
    }
    if (missing > 0) {
        printf("  missing: %zu\n", missing);
    }
}

struct operators {
    mx2onnx_model *m;
    size_t longest;
};

static size_t put_operator(FILE *out, size_t i, void *user)
{
    const struct operators *o = user;
    const bool supported = mx2onnx_operator_supported(o->m, i);
    fputs("  ", out);
    cli_put_padded(out, mx2onnx_operator_name(o->m, i), o->longest);
    const int digits = fprintf(out, "  %6zu", mx2onnx_operator_node_count(o->m, i));
    if (!supported) {
        fprintf(out, "  %snot supported%s", cli_style(out, CLI_RED), cli_style(out, CLI_PLAIN));
    }
    return 2 + o->longest + (size_t)digits + (supported ? 0 : strlen("  not supported"));
}

static void print_operators(mx2onnx_model *m)
{
    const size_t count = mx2onnx_operator_count(m);
    struct operators o = {.m = m};
    size_t uses = 0, unsupported = 0;
    const char *known = NULL; /* of an operator that is not supported */
    for (size_t i = 0; i < count; i++) {
        const size_t columns = cli_columns(mx2onnx_operator_name(m, i), CLI_NAME);
        o.longest = columns > o.longest ? columns : o.longest;
        uses += mx2onnx_operator_node_count(m, i);
        const bool supported = mx2onnx_operator_supported(m, i);
        unsupported += !supported;
        known = !supported && !known && cli_is_operator(mx2onnx_operator_name(m, i)) ? mx2onnx_operator_name(m, i) : known;
    }
    title("operators", uses);
    printf(" node%s of %zu kind%s\n", cli_plural(uses), count, cli_plural(count));
    cli_put_cells(stdout, count, o.longest + 10 + (unsupported ? strlen("  not supported") : 0), put_operator, &o);
    if (unsupported) {
        printf("not supported: %zu kind%s of operator", unsupported, cli_plural(unsupported));
        if (known) {
            fputs("; 'mx2onnx ops ", stdout);
            cli_put(stdout, known, CLI_NAME);
            fputs("' states why", stdout);
        }
        putchar('\n');
    }
}

/* The important part comes last, where a terminal shows it: notes by kind, what is undecided, what prevents conversion. */
static void print_end(mx2onnx_model *m, const struct cli_choices *choices, int32_t status, bool verbose)
{
    const size_t most = verbose ? SIZE_MAX : 1;
    if (mx2onnx_diagnostic_count(m) > 0 && status == MX2ONNX_OK) {
        printf("%snotes:%s\n", cli_style(stdout, CLI_BOLD), cli_style(stdout, CLI_PLAIN));
    }
    cli_print_diagnostics(stdout, "  ", m, (struct cli_which){MX2ONNX_SEVERITY_NOTE, MX2ONNX_SEVERITY_NOTE, most});
    cli_print_open_dims(stdout, m, choices);
    if (status != MX2ONNX_OK) {
        printf("%sbefore it can be converted:%s\n", cli_style(stdout, CLI_BOLD), cli_style(stdout, CLI_PLAIN));
    }
    cli_print_diagnostics(stdout, "  ", m, (struct cli_which){MX2ONNX_SEVERITY_ERROR, MX2ONNX_SEVERITY_WARNING, verbose ? SIZE_MAX : 20});
}

static int print_text(mx2onnx_model *m, const char *text, int32_t status)
{
    if (!text) {
        return cli_fail(m, status);
    }
    cli_put_lines(stdout, text);
    return CLI_OK;
}

static int print_graph_json(mx2onnx_model *m, mx2onnx_graph graph)
{
    const char *json;
    const mx2onnx_status status = mx2onnx_graph_json(m, graph, &json);
    if (status != MX2ONNX_OK) {
        return cli_fail(m, status);
    }
    cli_put_json(stdout, json);
    putchar('\n');
    return CLI_OK;
}

static void put_pass(const mx2onnx_log_entry *entry, void *user)
{
    if (entry->severity == MX2ONNX_SEVERITY_DEBUG) {
        cli_put_lines(stdout, entry->message);
        putchar('\n');
    }
}

static int run(mx2onnx_model *m, const struct inspect *o)
{
    const char *text = NULL;
    if (o->what == CLI_OPT_PASSES) {
        (void)mx2onnx_set_log(m, MX2ONNX_SEVERITY_DEBUG, put_pass, NULL, NULL);
        return cli_done(m, mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text));
    }
    if (o->json && (o->what == CLI_OPT_GRAPH || o->what == CLI_OPT_SYMBOL)) {
        return print_graph_json(m, o->what == CLI_OPT_GRAPH ? MX2ONNX_GRAPH_ONNX : MX2ONNX_GRAPH_MXNET);
    }
    if (o->what == CLI_OPT_GRAPH) {
        const mx2onnx_status lowered = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text);
        return print_text(m, text, lowered);
    }
    if (o->what == CLI_OPT_SYMBOL) {
        const mx2onnx_status looked = mx2onnx_graph_text(m, MX2ONNX_GRAPH_MXNET, &text);
        const int result = print_text(m, text, looked);
        if (result == CLI_OK) {
            (void)mx2onnx_infer(m); /* says what is wrong */
            cli_print_diagnostics(stderr, "mx2onnx: ", m, (struct cli_which){MX2ONNX_SEVERITY_ERROR, MX2ONNX_SEVERITY_WARNING, 20});
        }
        return result;
    }
    const mx2onnx_status status = mx2onnx_infer(m);
    if (o->json) {
        return cli_put_report(stdout, m);
    }
    cli_print_net(stdout, m, true);
    title("inputs", mx2onnx_input_count(m));
    putchar('\n');
    cli_print_inputs(stdout, m, &o->choices, "");
    title("outputs", mx2onnx_output_count(m));
    putchar('\n');
    cli_print_outputs(stdout, m, &o->choices, "");
    print_params(m, status == MX2ONNX_OK);
    print_operators(m);
    print_end(m, &o->choices, status, o->verbose);
    return CLI_OK;
}

static int parse(struct inspect *o, int argc, char **argv)
{
    for (int c; (c = cli_next_option(CLI_INSPECT, argc, argv)) != -1;) {
        switch (c) {
        case CLI_OPT_GRAPH:
        case CLI_OPT_PASSES:
        case CLI_OPT_SYMBOL:
        case 'h': o->what = c; break;
        case CLI_OPT_JSON: o->json = true; break;
        case 'v': o->verbose = true; break;
        case '?': return CLI_USAGE;
        default: cli_choices_add(&o->choices, c, optarg);
        }
    }
    return o->what != 'h' && optind == argc ? cli_usage("no model is given" CLI_HELP "for example: mx2onnx inspect net-symbol.json")
                                            : CLI_OK;
}

int cli_inspect(int argc, char **argv)
{
    struct inspect o = {0};
    mx2onnx_model *m = NULL;
    int result = CLI_FAILED;
    if (!cli_choices_new(&o.choices, argc) || mx2onnx_model_new(&m) != MX2ONNX_OK) {
        result = cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    } else {
        result = parse(&o, argc, argv);
        if (result == CLI_OK && o.what == 'h') {
            cli_print_help(stdout, CLI_INSPECT);
        } else if (result == CLI_OK) {
            result = cli_load(m, argv + optind, argc - optind, &o.choices);
            if (result == CLI_FAILED && o.json && o.what == 0) {
                (void)cli_put_report(stdout, m);
            }
            result = result == CLI_OK ? run(m, &o) : result;
        }
    }
    mx2onnx_model_free(m);
    cli_choices_free(&o.choices);
    return result;
}
