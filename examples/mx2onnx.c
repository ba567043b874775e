/* mx2onnx: the command line over libmx2onnx. It uses nothing but the public header. */
#include "cli/cli.h"

#include <string.h>

static const char help[] =
    "mx2onnx: MXNet models to ONNX, without MXNet\n"
    "\n"
    "  mx2onnx MODEL-symbol.json [MODEL.params] [-o FILE]   convert a model\n"
    "  mx2onnx inspect MODEL-symbol.json                    look into a model\n"
    "  mx2onnx ops [NAME]                                   what can be converted\n"
    "\n"
    "First steps:\n"
    "  1. mx2onnx inspect net-symbol.json\n"
    "     shows the names of the inputs, say data\n"
    "  2. mx2onnx net-symbol.json --dynamic data=batch,3,224,224\n"
    "     writes net.onnx, for any batch size\n"
    "\n"
    "Details and examples: mx2onnx convert --help, mx2onnx inspect --help,\n"
    "mx2onnx ops --help. Version: mx2onnx --version.\n"
    "\n"
    "Exit status: 0 all is well, 1 the work failed, 2 the command line is wrong.\n";

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"convert", cli_convert}, {"inspect", cli_inspect}, {"ops", cli_ops}};

    if (argc < 2) {
        fputs(help, stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0
        || strcmp(argv[1], "help") == 0) {
        fputs(help, stdout);
        return CLI_OK;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            argv[1] = argv[0]; /* for getopt's messages */
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    return cli_convert(argc, argv);
}
