/* Messages for people, and JSON strings for programs. */
#include "cli/cli.h"

#include <stdarg.h>
#include <string.h>

int cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("mx2onnx: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\nmx2onnx: 'mx2onnx --help' shows how to use it\n", stderr);
    va_end(args);
    return CLI_USAGE;
}

/* A variable's operator is "null", which says nothing. */
static void print_place(FILE *out, const mx2onnx_diagnostic *d)
{
    const bool has_op = d->op[0] && strcmp(d->op, "null") != 0;
    if (d->node[0]) {
        fprintf(out, "node '%s'", d->node);
        if (has_op) {
            fprintf(out, " (%s)", d->op);
        }
        fputs(": ", out);
    } else if (has_op) {
        fprintf(out, "%s: ", d->op);
    }
    if (d->attribute[0]) {
        fprintf(out, "'%s': ", d->attribute);
    }
}

void cli_print_diagnostics(FILE *out, const char *prefix, const mx2onnx_model *m, int32_t severity)
{
    static const char *const words[] = {"error", "warning", "note"};
    const size_t count = mx2onnx_diagnostic_count(m);
    for (size_t i = 0; i < count; i++) {
        mx2onnx_diagnostic d = {.struct_size = sizeof(d)};
        if (mx2onnx_diagnostic_get(m, i, &d) != MX2ONNX_OK || d.severity > severity) {
            continue;
        }
        fprintf(out, "%s%s: ", prefix, words[d.severity]);
        print_place(out, &d);
        fprintf(out, "%s\n", d.message);
        if (d.advice[0]) {
            fprintf(out, "    remedy: %s\n", d.advice);
        }
    }
}

int cli_fail(const mx2onnx_model *m, int32_t status)
{
    cli_print_diagnostics(stderr, "mx2onnx: ", m, MX2ONNX_WARNING);
    if (!mx2onnx_error(m)[0]) {
        fprintf(stderr, "mx2onnx: error: %s\n", mx2onnx_status_text(status));
    }
    return CLI_FAILED;
}

void cli_format_bytes(char out[32], uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        snprintf(out, 32, "%u bytes", (unsigned)bytes);
        return;
    }
    double value = (double)bytes / 1e3;
    size_t unit = 0;
    while (value >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1e3;
        unit++;
    }
    snprintf(out, 32, "%.1f %s", value, units[unit]);
}

void cli_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c == '\n') {
            fputs("\\n", out);
        } else if (c < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}
