/* mx2onnx: the command line over libmx2onnx. It uses nothing but the public header. */
#include "cli/cli.h"
#include "cli/program.h"

int main(int argc, char **argv)
{
    cli_arguments(&argc, &argv);
    return mx2onnx_program(argc, argv, NULL);
}
