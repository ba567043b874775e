/* mx2onnx check: checks the files that an ONNX model refers to. */
#include "cli/cli.h"
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

static const char *verdict(const char *path, mx2onnx_status status)
{
    FILE *file = status == MX2ONNX_STATUS_NOT_FOUND ? cli_open(path) : NULL;
    const bool gone = status == MX2ONNX_STATUS_NOT_FOUND && !file && errno == ENOENT;
    if (file) {
        fclose(file);
    }
    return status == MX2ONNX_OK ? "" : gone ? ": cannot be checked" : ": failed";
}

static void print_text(const mx2onnx_model *m, const char *path, mx2onnx_status status)
{
    printf("%s", cli_style(stdout, CLI_BOLD));
    cli_put(stdout, path, 0);
    printf("%s%s\n", cli_style(stdout, CLI_PLAIN), verdict(path, status));
    cli_print_diagnostics(stdout, "  ", m, (struct cli_which){MX2ONNX_SEVERITY_WARNING, MX2ONNX_SEVERITY_NOTE, SIZE_MAX});
}

static void print_json(const mx2onnx_model *m, const char *path, mx2onnx_status status)
{
    fputs("\n    {\"model\": ", stdout);
    cli_json_string(stdout, path);
    printf(", \"ok\": %s, \"status\": \"%s\", \"diagnostics\": ", status == MX2ONNX_OK ? "true" : "false", mx2onnx_status_name(status));
    struct cli_text list = {0};
    cli_json_diagnostics(&list, m);
    fputs(list.failed ? "[]" : list.text, stdout);
    free(list.text);
    putchar('}');
}

static int check(const char *path, bool json)
{
    mx2onnx_model *m;
    if (mx2onnx_model_new(&m) != MX2ONNX_OK) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    const mx2onnx_status status = mx2onnx_check_external_data(m, path);
    (json ? print_json : print_text)(m, path, status);
    fflush(stdout); /* before anything is written to stderr */
    const int result = cli_done(m, status);
    mx2onnx_model_free(m);
    return result;
}

int cli_check(int argc, char **argv)
{
    bool json = false;
    for (int c; (c = cli_next_option(CLI_CHECK, argc, argv)) != -1;) {
        if (c == '?') {
            return CLI_USAGE;
        }
        if (c == 'h') {
            cli_print_help(stdout, CLI_CHECK);
            return CLI_OK;
        }
        json = json || c == CLI_OPT_JSON;
    }
    if (optind == argc) {
        return cli_usage("no model is given" CLI_HELP "for example: mx2onnx check net.onnx");
    }
    int result = CLI_OK;
    fputs(json ? "{\n  \"schema\": 1,\n  \"models\": [" : "", stdout);
    for (int i = optind; i < argc; i++) {
        fputs(json && i > optind ? "," : "", stdout);
        const int one = check(argv[i], json);
        result = result == CLI_OK ? one : result;
    }
    fputs(json ? "\n  ]\n}\n" : "", stdout);
    return result;
}
