/* The least that a C program does: minimal MODEL-symbol.json OUT.onnx
 *
 *     cc minimal.c -o minimal $(pkg-config --cflags --libs mx2onnx) */
#include <mx2onnx.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL-symbol.json OUT.onnx\n", argv[0]);
        return 2;
    }
    mx2onnx_model *m = NULL;
    mx2onnx_status status = mx2onnx_model_new(&m);
    if (status == MX2ONNX_OK) {
        status = mx2onnx_load(m, argv[1]); /* finds the parameters next to the symbol */
    }
    if (status == MX2ONNX_OK) {
        status = mx2onnx_export_file(m, argv[2]);
    }
    if (status != MX2ONNX_OK) {
        fprintf(stderr, "%s\n", mx2onnx_error(m));
    }
    mx2onnx_model_free(m);
    return status == MX2ONNX_OK ? 0 : 1;
}
