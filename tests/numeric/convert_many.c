/* Converts the cases that it reads from standard input, for tests/numeric/sanitize.py and tests/platforms: many in one
 * process, which a sanitizer, valgrind or an emulator runs. A line is
 *     NAME SYMBOL PARAMS OPSET {INPUT TYPE RANK {DIM}}
 * PARAMS is - for none, + where SYMBOL is a whole model; ",float16" and ",keep" may follow OPSET; a DIM that is not a
 * number is a name. The answer is a line of name, status and message, or a digest of the model's bytes. With a folder as
 * argument, the n-th model is written there as n.onnx instead, and its digest is 0. Where the library has no files, it gets
 * contents (WebAssembly outside of browsers). */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mx2onnx.h"

static int32_t set_dims(mx2onnx_model *m, const char *input, size_t rank)
{
    const char *words[32] = {0};
    int64_t dims[32] = {0};
    for (size_t i = 0; i < rank && i < 32; i++) {
        words[i] = strtok(NULL, " \n");
        const bool is_size = words[i] && isdigit((unsigned char)words[i][0]);
        dims[i] = is_size ? strtoll(words[i], NULL, 10) : -1;
        words[i] = is_size ? NULL : words[i];
    }
    return mx2onnx_set_input_shape(m, input, (int32_t)rank, dims, words);
}

/* FNV-1a, to compare what two builds write: of all but the library's version, which is in the first bytes. */
static uint64_t digest_of(const unsigned char *data, size_t size)
{
    const char *version = mx2onnx_version();
    const size_t length = strlen(version);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) {
        if (i < 32 && data[i] == length && size - i > length && memcmp(data + i + 1, version, length) == 0) {
            i += length;
        } else {
            hash = (hash ^ data[i]) * UINT64_C(1099511628211);
        }
    }
    return hash;
}

#ifdef __wasm__
/* NULL if there is no such file. */
static void *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    void *data = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(f);
        rewind(f);
        data = malloc(*size + 1);
        *size = data ? fread(data, 1, *size, f) : 0;
    }
    if (f) {
        fclose(f);
    }
    return data;
}

static int32_t load(mx2onnx_model *m, const char *symbol, const char *params)
{
    size_t size = 0;
    char *text = contents(symbol, &size);
    const int32_t status = mx2onnx_load_symbol_memory(m, text, size);
    free(text);
    void *data = strcmp(params, "-") == 0 ? NULL : contents(params, &size);
    return status == MX2ONNX_OK && data ? mx2onnx_load_params_memory(m, data, size, data, free) : status;
}
#else
static int32_t load(mx2onnx_model *m, const char *symbol, const char *params)
{
    if (strcmp(params, "+") == 0) {
        return mx2onnx_load(m, symbol);
    }
    const int32_t status = mx2onnx_load_symbol_file(m, symbol);
    return status == MX2ONNX_OK && strcmp(params, "-") != 0 ? mx2onnx_load_params_file(m, params) : status;
}
#endif

static int32_t choose(mx2onnx_model *m, const char *opset)
{
    int32_t status = mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, (int32_t)strtol(opset, NULL, 10));
    status = status == MX2ONNX_OK && strstr(opset, ",float16") ? mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, 1) : status;
    return status == MX2ONNX_OK && strstr(opset, ",keep") ? mx2onnx_set_option(m, MX2ONNX_OPTION_KEEP_BATCH_NORM, 1) : status;
}

static int32_t export(mx2onnx_model *m, const char *out, uint64_t *digest)
{
#ifndef __wasm__
    if (out) {
        return mx2onnx_export_file(m, out);
    }
#endif
    void *data = NULL;
    size_t size = 0;
    const int32_t status = mx2onnx_export_memory(m, &data, &size);
    FILE *f = out && status == MX2ONNX_OK ? fopen(out, "wb") : NULL;
    if (f) {
        fwrite(data, 1, size, f);
        fclose(f);
    }
    *digest = status == MX2ONNX_OK && !out ? digest_of(data, size) : 0;
    mx2onnx_memory_free(data);
    return status;
}

static int32_t convert(mx2onnx_model *m, const char *out, uint64_t *digest)
{
    const char *symbol = strtok(NULL, " \n"), *params = strtok(NULL, " \n"), *opset = strtok(NULL, " \n");
    int32_t status = load(m, symbol, params);
    for (const char *input = strtok(NULL, " \n"); input && status == MX2ONNX_OK; input = strtok(NULL, " \n")) {
        const char *type = strtok(NULL, " \n"), *rank = strtok(NULL, " \n");
        status = set_dims(m, input, (size_t)strtoull(rank, NULL, 10));
        status = status == MX2ONNX_OK ? mx2onnx_set_input_dtype(m, input, (int32_t)strtol(type, NULL, 10)) : status;
    }
    status = status == MX2ONNX_OK ? choose(m, opset) : status;
    return status == MX2ONNX_OK ? export(m, out, digest) : status;
}

int main(int argc, char **argv)
{
    static char line[1 << 16], out[4096];
    for (unsigned n = 0; fgets(line, sizeof line, stdin); n++) {
        const char *name = strtok(line, " \n");
        mx2onnx_model *m = NULL;
        if (!name || mx2onnx_model_new(&m) != MX2ONNX_OK) {
            return 1;
        }
        char text[20];
        uint64_t digest = 0;
        snprintf(out, sizeof out, "%s/%u.onnx", argc > 1 ? argv[1] : "", n);
        const int32_t status = convert(m, argc > 1 ? out : NULL, &digest);
        snprintf(text, sizeof text, "%016" PRIx64, digest);
        printf("%s %d %s\n", name, status, status == MX2ONNX_OK ? text : mx2onnx_error(m));
        mx2onnx_model_free(m);
    }
    return 0;
}
