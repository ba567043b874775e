/* A whole model out of a file: what mx2onnx_load finds in any bytes as an archive, a symbol or parameters, and an export to a file,
 * with the weights next to it every other time. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

static char folder[] = "/tmp/mx2onnx-fuzz-XXXXXX", in[64], out[64], beside[80];

static void tidy(void)
{
    (void)unlink(in);
    (void)unlink(out);
    (void)unlink(beside);
    (void)rmdir(folder);
}

static void begin(void)
{
    fuzz_expect(mkdtemp(folder) != NULL);
    (void)snprintf(in, sizeof in, "%s/net-symbol.json", folder);
    (void)snprintf(out, sizeof out, "%s/net.onnx", folder);
    (void)snprintf(beside, sizeof beside, "%s.data", out);
    fuzz_expect(atexit(tidy) == 0);
}

static void load_and_write(mx2onnx_model *m, size_t size)
{
    const int32_t loaded = mx2onnx_load(m, in);
    fuzz_expect(loaded != MX2ONNX_STATUS_INTERNAL);
    if (loaded != MX2ONNX_OK) {
        fuzz_expect(mx2onnx_error(m)[0] != 0);
        return;
    }
    fuzz_shapes(m, 4);
    fuzz_expect(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, size % 2 ? MX2ONNX_EXTERNAL_ALWAYS : MX2ONNX_EXTERNAL_AUTO)
                == MX2ONNX_OK);
    fuzz_expect(mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, 1) == MX2ONNX_OK);
    const int32_t status = mx2onnx_export_file(m, out);
    const bool written = status == MX2ONNX_OK;
    fuzz_expect(status != MX2ONNX_STATUS_INTERNAL);
    fuzz_expect(written || mx2onnx_error(m)[0]);
    fuzz_expect((access(out, F_OK) == 0) == written);
    const char *text;
    fuzz_expect(mx2onnx_report_json(m, &text) == MX2ONNX_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!in[0]) {
        begin();
    }
    FILE *f = fopen(in, "wb");
    fuzz_expect(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
    mx2onnx_model *m;
    if (mx2onnx_model_new(&m) == MX2ONNX_OK) {
        load_and_write(m, size);
        mx2onnx_model_free(m);
    }
    (void)unlink(out);
    (void)unlink(beside);
    return 0;
}
