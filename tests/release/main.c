/* What each package is tried with: main MODEL-symbol.json OUT.onnx converts one image of 8 x 8. */
#include <mx2onnx.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    mx2onnx_model *m = NULL;
    if (argc != 3 || mx2onnx_model_new(&m) != MX2ONNX_OK || mx2onnx_load(m, argv[1]) != MX2ONNX_OK
        || mx2onnx_set_input_shape(m, "data", 4, (int64_t[]){1, 1, 8, 8}, NULL) != MX2ONNX_OK
        || mx2onnx_export_file(m, argv[2]) != MX2ONNX_OK) {
        fprintf(stderr, "%s\n", mx2onnx_error(m));
        return 1;
    }
    mx2onnx_model_free(m);
    return 0;
}
