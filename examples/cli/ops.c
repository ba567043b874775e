/* mx2onnx ops [NAME...]: what the library converts, from its registry. */
#include "cli/cli.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: mx2onnx ops [NAME...] [--json | --markdown]\n"
    "\n"
    "Lists the MXNet operators that can be converted, or what is known of some:\n"
    "other names, the first ONNX operator set, limits.\n"
    "\n"
    "Examples:\n"
    "  mx2onnx ops                 all of them\n"
    "  mx2onnx ops Pooling         one, with its limits\n"
    "  mx2onnx ops --json | jq -r '.[].name'\n";

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

/* The index of an operator by name or alias, or the count. */
static size_t find(const char *name)
{
    const size_t count = mx2onnx_known_operator_count();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(mx2onnx_known_operator_name(i), name) == 0
            || has_word(mx2onnx_known_operator_aliases(i), name)) {
            return i;
        }
    }
    return count;
}

enum { MAX_NAME = 100, NEAR = 3 };

static int lower_case(char c)
{
    return tolower((unsigned char)c);
}

/* Levenshtein's distance without regard to case; names over MAX_NAME are far from everything. */
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(a);
    const int m = (int)strlen(b);
    int row[MAX_NAME + 1];
    if (n > MAX_NAME || m > MAX_NAME) {
        return MAX_NAME;
    }
    for (int j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int change = diagonal + (lower_case(a[i - 1]) != lower_case(b[j - 1]));
            diagonal = row[j];
            const int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < step ? change : step;
        }
    }
    return row[m];
}

static bool contains(const char *text, const char *part)
{
    const size_t n = strlen(part);
    for (const char *p = text; *p; p++) {
        size_t i = 0;
        while (i < n && p[i] && lower_case(p[i]) == lower_case(part[i])) {
            i++;
        }
        if (i == n) {
            return true;
        }
    }
    return false;
}

struct candidate {
    const char *name;
    int distance;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    return x->distance != y->distance ? x->distance - y->distance : strcmp(x->name, y->name);
}

static void suggest(const char *name)
{
    const size_t count = mx2onnx_known_operator_count();
    struct candidate *all = calloc(count + 1, sizeof(*all));
    if (!all) {
        return;
    }
    const int limit = (int)strlen(name) / 3 + 1;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const char *known = mx2onnx_known_operator_name(i);
        int d = distance(name, known);
        if (strlen(name) >= 3 && contains(known, name)) {
            d = d < limit ? d : limit;
        }
        if (d <= limit) {
            all[n++] = (struct candidate){known, d};
        }
    }
    qsort(all, n, sizeof(*all), compare_candidates);
    for (size_t i = 0; i < n && i < NEAR; i++) {
        fprintf(stderr, "%s%s", i ? ", " : "    remedy: did you mean ", all[i].name);
    }
    fputs(n ? "?\n" : "    remedy: 'mx2onnx ops' lists them all\n", stderr);
    free(all);
}

/* ---- printing */

static void print_row(size_t i, bool first)
{
    (void)first;
    const char *limits = mx2onnx_known_operator_limits(i);
    printf("%-32s %5d  %s\n", mx2onnx_known_operator_name(i), (int)mx2onnx_known_operator_opset(i),
           limits[0] ? "with limits" : "");
}

static void print_one(size_t i, bool first)
{
    if (!first) {
        putchar('\n');
    }
    const char *aliases = mx2onnx_known_operator_aliases(i);
    printf("%s\n  from opset %d\n", mx2onnx_known_operator_name(i),
           (int)mx2onnx_known_operator_opset(i));
    if (aliases[0]) {
        printf("  also called %s\n", aliases);
    }
    const char *line = mx2onnx_known_operator_limits(i);
    puts(line[0] ? "  not converted:" : "  everything of it is converted");
    while (*line) {
        const size_t length = strcspn(line, "\n");
        printf("    %.*s\n", (int)length, line);
        line += length + (line[length] != 0);
    }
}

static void print_json(size_t i, bool first)
{
    fputs(first ? "\n  {\"name\": " : ",\n  {\"name\": ", stdout);
    cli_json_string(stdout, mx2onnx_known_operator_name(i));
    printf(", \"opset\": %d, \"aliases\": [", (int)mx2onnx_known_operator_opset(i));
    const char *p = mx2onnx_known_operator_aliases(i);
    for (bool comma = false; *p; comma = true) {
        const size_t length = strcspn(p, " ");
        printf("%s\"%.*s\"", comma ? ", " : "", (int)length, p);
        p += length;
        p += strspn(p, " ");
    }
    fputs("], \"limits\": ", stdout);
    cli_json_string(stdout, mx2onnx_known_operator_limits(i));
    putchar('}');
}

/* A row of ops/SUPPORT.md. */
static void print_markdown(size_t i, bool first)
{
    (void)first;
    printf("| `%s` | ", mx2onnx_known_operator_name(i));
    const char *p = mx2onnx_known_operator_aliases(i);
    for (bool comma = false; *p; comma = true) {
        const size_t length = strcspn(p, " ");
        printf("%s`%.*s`", comma ? " " : "", (int)length, p);
        p += length;
        p += strspn(p, " ");
    }
    printf(" | %d | ", (int)mx2onnx_known_operator_opset(i));
    for (p = mx2onnx_known_operator_limits(i); *p; p++) {
        if (*p == '|') {
            putchar('\\');
        }
        putchar(*p == '\n' ? ' ' : *p);
    }
    puts(" |");
}

static int print_names(char **names, int n, void (*print)(size_t, bool))
{
    int result = CLI_OK;
    bool first = true;
    for (int i = 0; i < n; i++) {
        const size_t found = find(names[i]);
        if (found == mx2onnx_known_operator_count()) {
            fprintf(stderr, "mx2onnx: error: the operator '%s' is not converted\n", names[i]);
            suggest(names[i]);
            result = CLI_FAILED;
        } else {
            print(found, first);
            first = false;
        }
    }
    return result;
}

static void print_all(void (*print)(size_t, bool))
{
    const size_t count = mx2onnx_known_operator_count();
    for (size_t i = 0; i < count; i++) {
        print(i, i == 0);
    }
}

int cli_ops(int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, CLI_OPT_JSON},
        {"markdown", no_argument, NULL, CLI_OPT_MARKDOWN},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int form = 0;
    for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (c == '?') {
            return cli_usage("see 'mx2onnx ops --help'");
        }
        if (c == 'h') {
            fputs(help, stdout);
            return CLI_OK;
        }
        form = c;
    }
    const bool all = optind == argc;
    void (*print)(size_t, bool) = form == CLI_OPT_JSON       ? print_json
                                  : form == CLI_OPT_MARKDOWN ? print_markdown
                                  : all                      ? print_row
                                                             : print_one;
    if (form == CLI_OPT_JSON) {
        putchar('[');
    } else if (form == CLI_OPT_MARKDOWN) {
        puts(
            "| MXNet operator | also called | from opset | not converted |\n| --- | --- | --- | --- |");
    }
    int result = CLI_OK;
    if (all) {
        print_all(print);
    } else {
        result = print_names(argv + optind, argc - optind, print);
    }
    if (form == CLI_OPT_JSON) {
        puts("\n]");
    } else if (all && form == 0) {
        printf("%zu operators; 'mx2onnx ops NAME' shows the limits of one\n",
               mx2onnx_known_operator_count());
    }
    return result;
}
