/* mx2onnx nets [PATTERN]: lists the published nets whose parameters can be converted without a symbol. */
#include "cli/cli.h"
#include "cli/options.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>

/* "net" or "resnet*v1": the pattern matches a part of the name; * matches anything. */
static bool matches(const char *name, const char *pattern)
{
    const size_t length = strcspn(pattern, "*");
    const char *rest = pattern + length + (pattern[length] == '*');
    for (; *name || length == 0; name++) {
        if (strncmp(name, pattern, length) == 0) {
            return pattern[length] == 0 || matches(name + length, rest);
        }
    }
    return false;
}

enum { MOST_LETTERS = 200 };

/* "ResNet-50_v1" is "resnet50v1". */
static void put_letters(char out[MOST_LETTERS], const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < MOST_LETTERS; text++) {
        if (*text != '-' && *text != '_') {
            out[n++] = (char)tolower((unsigned char)*text);
        }
    }
    out[n] = 0;
}

static bool is_wanted(mx2onnx_model *m, size_t i, const char *pattern)
{
    char name[MOST_LETTERS], part[MOST_LETTERS];
    if (!pattern) {
        return true;
    }
    put_letters(name, mx2onnx_catalogue_name(m, i));
    put_letters(part, pattern);
    return matches(name, part);
}

/* A line for each net; on a terminal it is continued, indented. */
static void print_text(mx2onnx_model *m, size_t i, bool first)
{
    enum { NAME = 46, INDENT = 4 };
    const char *name = mx2onnx_catalogue_name(m, i);
    if (cli_width(stdout) > 0) {
        char text[CLI_LINE] = "";
        cli_append(text, sizeof text, mx2onnx_catalogue_text(m, i), 0);
        cli_put(stdout, name, 0);
        putchar(' ');
        cli_put_wrapped(stdout, text, cli_columns(name, 0) + 1, INDENT);
    } else {
        cli_put_padded(stdout, name, NAME);
        putchar(' ');
        cli_put(stdout, mx2onnx_catalogue_text(m, i), 0);
    }
    putchar('\n');
}

static void print_json(mx2onnx_model *m, size_t i, bool first)
{
    fputs(first ? "\n  " : ",\n  ", stdout);
    cli_put_json(stdout, mx2onnx_catalogue_json(m, i));
}

static mx2onnx_model *catalogue_of;

static const char *net_name(size_t i)
{
    return mx2onnx_catalogue_name(catalogue_of, i);
}

static int fail_unknown(mx2onnx_model *m, const char *pattern)
{
    const char *near[CLI_NEAR];
    catalogue_of = m;
    return cli_nearest(pattern, mx2onnx_catalogue_count(m), net_name, near) > 0
               ? cli_error("no name of a published net has '%s' in it" CLI_HELP "did you mean %s?", pattern, near[0])
               : cli_error("no name of a published net has '%s' in it" CLI_HELP "'mx2onnx nets' lists them", pattern);
}

static int print_all(mx2onnx_model *m, const char *pattern, bool json)
{
    const size_t count = mx2onnx_catalogue_count(m);
    size_t printed = 0;
    if (json) {
        printf("{\"schema\": 1, \"version\": \"%s\", \"nets\": [", mx2onnx_version());
    }
    for (size_t i = 0; i < count; i++) {
        if (is_wanted(m, i, pattern)) {
            (json ? print_json : print_text)(m, i, printed == 0);
            printed++;
        }
    }
    if (json) {
        puts("\n]}");
    } else if (printed > 0) {
        printf("%zu net%s of %zu\n", printed, cli_plural(printed), count);
    }
    if (printed > 0) {
        return CLI_OK;
    }
    if (count == 0) {
        return cli_error("this program was built without the catalogue of nets" CLI_HELP "set one with --catalogue FILE");
    }
    return fail_unknown(m, pattern);
}

int cli_nets(int argc, char **argv)
{
    bool json = false;
    const char *catalogue = NULL;
    for (int c; (c = cli_next_option(CLI_NETS, argc, argv)) != -1;) {
        if (c == '?') {
            return CLI_USAGE;
        }
        if (c == 'h') {
            cli_print_help(stdout, CLI_NETS);
            return CLI_OK;
        }
        json = json || c == CLI_OPT_JSON;
        catalogue = c == CLI_OPT_CATALOGUE ? optarg : catalogue;
    }
    if (argc - optind > 1) {
        return cli_usage("nets takes one pattern, and %d are given" CLI_HELP "for example: mx2onnx nets resnet50", argc - optind);
    }
    mx2onnx_model *m;
    if (mx2onnx_model_new(&m) != MX2ONNX_OK) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    const mx2onnx_status status = catalogue ? mx2onnx_load_catalogue_file(m, catalogue) : MX2ONNX_OK;
    const int result = status == MX2ONNX_OK ? print_all(m, optind < argc ? argv[optind] : NULL, json) : cli_fail(m, status);
    mx2onnx_model_free(m);
    return result;
}
