/* mx2onnx: the command line over libmx2onnx. It uses nothing but the public header. */
#include "cli/cli.h"
#include "cli/options.h"

#include <string.h>

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_overview(stderr);
        return CLI_USAGE;
    }
    if (is_help(argv[1])) {
        for (size_t i = 0; argc > 2 && i < cli_n_commands; i++) { /* mx2onnx help verify */
            if (strcmp(argv[2], cli_commands[i].name) == 0) {
                cli_print_help(stdout, cli_commands[i].bit);
                return CLI_OK;
            }
        }
        cli_print_overview(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--manual") == 0) {
        cli_print_manual(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--completion") == 0) {
        return argc == 3 && cli_print_completion(stdout, argv[2]) ? CLI_OK
                                                                  : cli_usage("completion is for bash, zsh and fish");
    }
    for (size_t i = 0; i < cli_n_commands; i++) {
        if (strcmp(argv[1], cli_commands[i].name) == 0) {
            return cli_commands[i].run(argc - 1, argv + 1);
        }
    }
    return cli_convert(argc, argv);
}

int main(int argc, char **argv)
{
    cli_start(&argc, &argv);
    return cli_finish(run(argc, argv));
}
