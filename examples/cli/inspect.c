/* mx2onnx inspect MODEL [PARAMS...] */
#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

static const char help[] =
    "Usage: mx2onnx inspect MODEL [PARAMS...] [options]\n"
    "\n"
    "Shows what a model holds, without converting it: inputs, outputs, parameters,\n"
    "how often each operator is used and what cannot be converted.\n"
    "\n"
    "  --graph             print the ONNX graph that would be written, with types\n"
    "                      and dims of every value\n"
    "  --symbol            print the MXNet graph after inference\n"
    "  --json              print everything as JSON\n"
    "  --input, --dynamic, --output, --rename, --opset, --float16,\n"
    "  --channels-last and so on\n"
    "                      as for the conversion, see 'mx2onnx convert --help'\n"
    "\n"
    "Examples:\n"
    "  mx2onnx inspect resnet50-symbol.json\n"
    "  mx2onnx inspect resnet50-symbol.json --dynamic batch,3,224,224 --graph | less\n"
    "  mx2onnx inspect net-symbol.json --json | jq .operators\n";

struct look {
    const char *title;
    size_t (*count)(mx2onnx_model *);
    const char *(*name)(mx2onnx_model *, size_t);
    int32_t (*dtype)(mx2onnx_model *, size_t);
    int32_t (*rank)(mx2onnx_model *, size_t);
    int64_t (*dim)(mx2onnx_model *, size_t, size_t);
    const char *(*dim_name)(mx2onnx_model *, size_t, size_t);
};

static const struct look inputs = {
    "inputs",           mx2onnx_input_count, mx2onnx_input_name,    mx2onnx_input_dtype,
    mx2onnx_input_rank, mx2onnx_input_dim,   mx2onnx_input_dim_name};
static const struct look outputs = {
    "outputs",           mx2onnx_output_count, mx2onnx_output_name,    mx2onnx_output_dtype,
    mx2onnx_output_rank, mx2onnx_output_dim,   mx2onnx_output_dim_name};

static int width_of(size_t longest)
{
    return longest > 60 ? 60 : (int)longest;
}

static void print_shape(mx2onnx_model *m, const struct look *look, size_t i)
{
    const int32_t rank = look->rank(m, i);
    if (rank < 0) {
        puts("shape not known");
        return;
    }
    putchar('(');
    for (size_t axis = 0; axis < (size_t)rank; axis++) {
        const int64_t size = look->dim(m, i, axis);
        const char *name = look->dim_name(m, i, axis);
        fputs(axis ? ", " : "", stdout);
        if (size >= 0) {
            printf("%" PRId64, size);
        } else {
            fputs(name ? name : "?", stdout);
        }
    }
    puts(rank == 1 ? ",)" : ")");
}

static void print_values(mx2onnx_model *m, const struct look *look)
{
    const size_t count = look->count(m);
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(look->name(m, i));
        longest = length > longest ? length : longest;
    }
    printf("%s: %zu\n", look->title, count);
    for (size_t i = 0; i < count; i++) {
        const int32_t dtype = look->dtype(m, i);
        printf("  %-*s  %-8s  ", width_of(longest), look->name(m, i),
               dtype == MX2ONNX_DTYPE_UNKNOWN ? "?" : mx2onnx_dtype_name(dtype));
        print_shape(m, look, i);
    }
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_params(mx2onnx_model *m)
{
    const size_t count = mx2onnx_param_count(m);
    uint64_t bytes = 0;
    uint64_t numbers = 0;
    size_t unused = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t *dims = mx2onnx_param_dims(m, i);
        uint64_t size = 1;
        for (size_t axis = 0; axis < mx2onnx_param_rank(m, i); axis++) {
            size *= (uint64_t)dims[axis];
        }
        numbers += size;
        bytes += mx2onnx_param_bytes(m, i);
        unused += mx2onnx_param_used(m, i) ? 0 : 1;
    }
    char text[32];
    cli_format_bytes(text, bytes);
    printf("parameters: %zu array%s, %" PRIu64 " numbers, %s\n", count, plural(count), numbers,
           text);
    if (unused) {
        printf("  %zu of them not read by the graph\n", unused);
    }
    if (mx2onnx_missing_count(m) > 0) {
        printf("  missing: %zu\n", mx2onnx_missing_count(m));
    }
}

static void print_operators(mx2onnx_model *m)
{
    const size_t count = mx2onnx_operator_count(m);
    size_t uses = 0;
    size_t longest = 0;
    size_t unsupported = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(mx2onnx_operator_name(m, i));
        longest = length > longest ? length : longest;
        uses += mx2onnx_operator_uses(m, i);
        unsupported += mx2onnx_operator_supported(m, i) ? 0 : 1;
    }
    printf("operators: %zu node%s of %zu kind%s\n", uses, plural(uses), count, plural(count));
    for (size_t i = 0; i < count; i++) {
        printf("  %-*s  %6zu%s\n", width_of(longest), mx2onnx_operator_name(m, i),
               mx2onnx_operator_uses(m, i),
               mx2onnx_operator_supported(m, i) ? "" : "  not supported");
    }
    if (unsupported) {
        printf("not supported: %zu kind%s of operator; 'mx2onnx ops' lists what is\n", unsupported,
               plural(unsupported));
    }
}

static int print_text(mx2onnx_model *m, const char *text, int32_t status)
{
    if (!text) {
        return cli_fail(m, status);
    }
    fputs(text, stdout);
    return CLI_OK;
}

static int run(mx2onnx_model *m, int what)
{
    if (what == CLI_OPT_GRAPH) {
        return print_text(m, mx2onnx_graph_text(m), MX2ONNX_UNSUPPORTED);
    }
    const int32_t status = mx2onnx_infer(m);
    if (what == CLI_OPT_SYMBOL) {
        cli_print_diagnostics(stderr, "mx2onnx: ", m, MX2ONNX_WARNING);
        return print_text(m, mx2onnx_symbol_text(m), status);
    }
    if (what == CLI_OPT_JSON) {
        const int result = print_text(m, mx2onnx_report_json(m), status);
        putchar('\n');
        return result;
    }
    print_values(m, &inputs);
    print_values(m, &outputs);
    print_params(m);
    print_operators(m);
    if (mx2onnx_diagnostic_count(m) > 0) {
        puts(status == MX2ONNX_OK ? "to note:" : "before it can be converted:");
        cli_print_diagnostics(stdout, "  ", m, MX2ONNX_NOTE);
    }
    return CLI_OK;
}

static int parse(struct cli_choices *choices, int argc, char **argv, int *what)
{
    static const struct option options[] = {
        CLI_CHOICE_OPTIONS,
        {"graph", no_argument, NULL, CLI_OPT_GRAPH},
        {"symbol", no_argument, NULL, CLI_OPT_SYMBOL},
        {"json", no_argument, NULL, CLI_OPT_JSON},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
        case CLI_OPT_GRAPH:
        case CLI_OPT_SYMBOL:
        case CLI_OPT_JSON:
        case 'h':
            *what = c;
            break;
        case '?':
            return cli_usage("see 'mx2onnx inspect --help'");
        default:
            cli_choices_add(choices, c, optarg);
        }
    }
    return *what != 'h' && optind == argc
               ? cli_usage("which model? for example: mx2onnx inspect net-symbol.json")
               : CLI_OK;
}

int cli_inspect(int argc, char **argv)
{
    struct cli_choices choices = {0};
    mx2onnx_model *m = NULL;
    int what = 0;
    int result = CLI_FAILED;
    if (!cli_choices_new(&choices, argc) || mx2onnx_model_new(&m) != MX2ONNX_OK) {
        result = cli_fail(NULL, MX2ONNX_OUT_OF_MEMORY);
    } else {
        result = parse(&choices, argc, argv, &what);
        if (result == CLI_OK && what == 'h') {
            fputs(help, stdout);
        } else if (result == CLI_OK) {
            result = cli_load(m, argv + optind, argc - optind, &choices);
            result = result == CLI_OK ? run(m, what) : result;
        }
    }
    mx2onnx_model_free(m);
    cli_choices_free(&choices);
    return result;
}
