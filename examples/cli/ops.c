/* mx2onnx ops [NAME...]: what the library converts, according to its registry. */
#include "cli/cli.h"
#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding */

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = words; *p;) {
        const size_t length = strcspn(p, " ");
        if (length == n && memcmp(p, word, n) == 0) {
            return true;
        }
        p += length;
        p += strspn(p, " ");
    }
    return false;
}

/* The index of the operator with this name or alias, or the number of operators. */
static size_t find(const char *name)
{
    const size_t count = mx2onnx_known_operator_count();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(mx2onnx_known_operator_name(i), name) == 0 || has_word(mx2onnx_known_operator_aliases(i), name)) {
            return i;
        }
    }
    return count;
}

static int fail_unknown(const char *name)
{
    const char *near[CLI_NEAR];
    const size_t n = cli_nearest(name, mx2onnx_known_operator_count(), mx2onnx_known_operator_name, near);
    char help[300] = "";
    for (size_t i = 0; i < n; i++) {
        const size_t used = strlen(help);
        snprintf(help + used, sizeof help - used, "%s%s%s", i ? ", " : "did you mean ", near[i], i + 1 == n ? "?" : "");
    }
    return cli_error("the operator '%s' is not converted" CLI_HELP "%s", name, n ? help : "'mx2onnx ops' lists all operators");
}

/* ---- printing */

static size_t put_row(FILE *out, size_t row, void *order)
{
    const size_t i = ((const size_t *)order)[row];
    const char *status = mx2onnx_known_operator_status(i);
    return (size_t)fprintf(out, "%-32s %5d  %s", mx2onnx_known_operator_name(i), (int)mx2onnx_known_operator_opset(i),
                           strcmp(status, "full") == 0 ? "" : status);
}

static void print_lines(const char *title, const char *lines)
{
    if (lines[0]) {
        puts(title);
    }
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        printf("    %.*s\n", (int)length, lines);
        lines += length + (lines[length] != 0);
    }
}

static void print_one(size_t i, bool first)
{
    if (!first) {
        putchar('\n');
    }
    const char *aliases = mx2onnx_known_operator_aliases(i);
    printf("%s\n  from opset %d\n", mx2onnx_known_operator_name(i), (int)mx2onnx_known_operator_opset(i));
    if (aliases[0]) {
        printf("  also called %s\n", aliases);
    }
    printf("  status: %s\n", mx2onnx_known_operator_status(i));
    print_lines("  refused, with an error:", mx2onnx_known_operator_refuses(i));
    print_lines("  results that may differ from MXNet's:", mx2onnx_known_operator_differs(i));
}

/* The parts of a text, which is ASCII, as an array of strings. */
static void print_array(const char *name, const char *text, char separator)
{
    printf(", \"%s\": [%s", name, *text ? "\"" : "");
    for (const char *p = text; *p; p++) {
        if (*p == separator) {
            fputs("\", \"", stdout);
            continue;
        }
        if (*p == '"' || *p == '\\') {
            putchar('\\');
        }
        putchar(*p);
    }
    fputs(*text ? "\"]" : "]", stdout);
}

static void print_json(size_t i, bool first)
{
    printf("%s{\"name\": \"%s\", \"opset\": %d", first ? "\n  " : ",\n  ", mx2onnx_known_operator_name(i),
           (int)mx2onnx_known_operator_opset(i));
    print_array("aliases", mx2onnx_known_operator_aliases(i), ' ');
    printf(", \"status\": \"%s\"", mx2onnx_known_operator_status(i));
    print_array("refuses", mx2onnx_known_operator_refuses(i), '\n');
    print_array("differs", mx2onnx_known_operator_differs(i), '\n');
    putchar('}');
}

static void print_cell(const char *lines)
{
    putchar(' ');
    for (; *lines; lines++) {
        if (*lines == '\n') {
            fputs("<br>", stdout);
            continue;
        }
        if (*lines == '|') {
            putchar('\\');
        }
        putchar(*lines);
    }
    fputs(" |", stdout);
}

/* A row of ops/SUPPORT.md. */
static void print_markdown(size_t i, bool first)
{
    printf("| `%s` | ", mx2onnx_known_operator_name(i));
    const char *p = mx2onnx_known_operator_aliases(i);
    for (bool comma = false; *p; comma = true) {
        const size_t length = strcspn(p, " ");
        printf("%s`%.*s`", comma ? " " : "", (int)length, p);
        p += length;
        p += strspn(p, " ");
    }
    printf(" | %d | %s |", (int)mx2onnx_known_operator_opset(i), mx2onnx_known_operator_status(i));
    print_cell(mx2onnx_known_operator_refuses(i));
    print_cell(mx2onnx_known_operator_differs(i));
    putchar('\n');
}

static int print_names(char **names, int n, void (*print)(size_t, bool))
{
    int result = CLI_OK;
    bool first = true;
    for (int i = 0; i < n; i++) {
        const size_t found = find(names[i]);
        if (found == mx2onnx_known_operator_count()) {
            result = fail_unknown(names[i]);
        } else {
            print(found, first);
            first = false;
        }
    }
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(mx2onnx_known_operator_name(*(const size_t *)a), mx2onnx_known_operator_name(*(const size_t *)b));
}

/* Sorted by name; as a table if `print` is NULL. */
static int print_all(void (*print)(size_t, bool))
{
    enum { ROW = 51 };
    const size_t count = mx2onnx_known_operator_count();
    size_t *order = calloc(count, sizeof *order);
    if (!order) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort(order, count, sizeof *order, by_name);
    for (size_t i = 0; print && i < count; i++) {
        print(order[i], i == 0);
    }
    if (!print) {
        cli_put_cells(stdout, count, ROW, put_row, order);
        printf("%zu operators; 'mx2onnx ops NAME' shows what one refuses, and where it differs\n", count);
    }
    free(order);
    return CLI_OK;
}

int cli_ops(int argc, char **argv)
{
    int form = 0;
    for (int c; (c = cli_next_option(CLI_OPS, argc, argv)) != -1;) {
        if (c == '?') {
            return CLI_USAGE;
        }
        if (c == 'h') {
            cli_print_help(stdout, CLI_OPS);
            return CLI_OK;
        }
        form = c;
    }
    const bool all = optind == argc;
    void (*print)(size_t, bool) = form == CLI_OPT_JSON ? print_json : form == CLI_OPT_MARKDOWN ? print_markdown : print_one;
    if (form == CLI_OPT_JSON) {
        putchar('[');
    } else if (form == CLI_OPT_MARKDOWN) {
        puts("| MXNet operator | also called | from opset | status | refused, with an error | results that may differ from MXNet's |\n"
             "| --- | --- | --- | --- | --- | --- |");
    }
    int result = CLI_OK;
    if (all) {
        result = print_all(form ? print : NULL);
    } else {
        result = print_names(argv + optind, argc - optind, print);
    }
    if (form == CLI_OPT_JSON) {
        puts("\n]");
    }
    return result;
}
