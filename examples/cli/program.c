/* Which command it is, and the command line as a function. */
#include "cli/program.h"
#include "cli/cli.h"
#include "cli/options.h"

#include <string.h>

const struct mx2onnx_host *cli_host;

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static const char *command_name(size_t i)
{
    return cli_commands[i].name;
}

/* Of a command, mx2onnx help verify, or of all. */
static int help(const char *command)
{
    const char *near[CLI_NEAR];
    for (size_t i = 0; command && i < cli_n_commands; i++) {
        if (strcmp(command, cli_commands[i].name) == 0) {
            cli_print_help(stdout, cli_commands[i].bit);
            return CLI_OK;
        }
    }
    if (!command || command[0] == '-') {
        cli_print_overview(stdout);
        return CLI_OK;
    }
    return cli_nearest(command, cli_n_commands, command_name, near) > 0
               ? cli_usage("there is no command '%s'" CLI_HELP "did you mean mx2onnx help %s?", command, near[0])
               : cli_usage("there is no command '%s'", command);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_overview(stderr);
        return CLI_USAGE;
    }
    if (is_help(argv[1])) {
        return help(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(argv[1], "--manual") == 0) {
        cli_print_manual(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--completion") == 0) {
        const char *shell = argc == 3 ? argv[2] : "";
        return cli_print_completion(stdout, shell)
                   ? CLI_OK
                   : cli_usage("'--completion %s' is not a shell that is known" CLI_HELP "use bash, zsh or fish", shell);
    }
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        char option[] = "--version", *words[] = {argv[0], option, NULL};
        return cli_convert(2, words);
    }
    for (size_t i = 0; i < cli_n_commands; i++) {
        if (strcmp(argv[1], cli_commands[i].name) == 0) {
            return cli_commands[i].run(argc - 1, argv + 1);
        }
    }
    return cli_convert(argc, argv);
}

int mx2onnx_program(int argc, char **argv, const struct mx2onnx_host *host)
{
    cli_host = host;
    cli_start();
    return cli_finish(run(argc, argv));
}
