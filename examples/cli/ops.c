/* mx2onnx ops [NAME...]: what the library converts, according to its registry, and which operators it does not. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/places.h"

#include "op/absent.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rows: the operators of the registry, and after them those that are absent from it */

static const struct absent {
    const char *name, *why, *help;
} absent[] = {
#define ROW(name, why, help) {name, why, help},
    MX_ABSENT_OPERATORS(ROW)
#undef ROW
};
enum { N_ABSENT = sizeof(absent) / sizeof(absent[0]) };

struct row {
    const char *name, *aliases, *status, *refuses, *differs;
    const char *source;       /* the file below ops/, whose folder is the group; "" if absent */
    const char *types, *onnx; /* as in struct cli_tested */
    const char *why, *help;
    int opset; /* 0 if absent */
};

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

static const char *source_of(const char *name)
{
    for (size_t i = 0; i < cli_n_places; i++) {
        if (has_word(cli_places[i].operators, name)) {
            return cli_places[i].source;
        }
    }
    return "";
}

static int by_tested(const void *name, const void *tested)
{
    return strcmp(name, ((const struct cli_tested *)tested)->name);
}

static size_t count_rows(void)
{
    return mx2onnx_known_operator_count() + N_ABSENT;
}

static const char *row_name(size_t i)
{
    const size_t known = mx2onnx_known_operator_count();
    return i < known ? mx2onnx_known_operator_name(i) : absent[i - known].name;
}

static const char *row_aliases(size_t i)
{
    const size_t known = mx2onnx_known_operator_count();
    return i < known ? mx2onnx_known_operator_aliases(i) : "";
}

static struct row row_at(size_t i)
{
    struct row row = {.name = row_name(i),
                      .aliases = row_aliases(i),
                      .status = "no",
                      .refuses = "",
                      .differs = "",
                      .source = "",
                      .types = "",
                      .onnx = ""};
    const size_t known = mx2onnx_known_operator_count();
    if (i >= known) {
        row.why = absent[i - known].why;
        row.help = absent[i - known].help;
        return row;
    }
    row.status = mx2onnx_known_operator_status(i);
    row.refuses = mx2onnx_known_operator_refuses(i);
    row.differs = mx2onnx_known_operator_differs(i);
    row.source = source_of(row.name);
    row.opset = (int)mx2onnx_known_operator_opset(i);
    const struct cli_tested *tested = bsearch(row.name, cli_tested, cli_n_tested, sizeof cli_tested[0], by_tested);
    if (tested) {
        row.types = tested->types;
        row.onnx = tested->onnx;
    }
    return row;
}

static bool is_group(const char *source, const char *group)
{
    return strcspn(source, "/") == strlen(group) && strncmp(source, group, strlen(group)) == 0;
}

/* What --status and --group choose; NULL for any. */
struct choice {
    const char *status, *group;
};

static bool is_chosen(const struct row *row, const struct choice *choice)
{
    return (!choice->status || strcmp(row->status, choice->status) == 0) && (!choice->group || is_group(row->source, choice->group));
}

/* True if the names are the same apart from case and the prefix of contributed operators. */
static bool is_like(const char *a, size_t n, const char *b, size_t m)
{
    static const char prefix[] = "_contrib_";
    const size_t length = sizeof prefix - 1, skip_a = n > length && strncmp(a, prefix, length) == 0 ? length : 0;
    const size_t skip_b = m > length && strncmp(b, prefix, length) == 0 ? length : 0;
    bool same = n - skip_a == m - skip_b;
    for (size_t i = 0; same && i < n - skip_a; i++) {
        const char x = a[skip_a + i], y = b[skip_b + i];
        same = (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == (y >= 'A' && y <= 'Z' ? y - 'A' + 'a' : y);
    }
    return same;
}

static bool has_like(const char *words, const char *name)
{
    bool found = false;
    for (const char *p = words; *p && !found; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        found = is_like(p, length, name, strlen(name));
        p += length;
    }
    return found;
}

/* The index of the row with this name or alias, or else of the only one with a name like it, or the number of rows. */
static size_t find(const char *name)
{
    const char *last = strrchr(name, '.'); /* mx.sym.Pooling, F.contrib.box_nms */
    const size_t count = count_rows();
    size_t like = count, n_like = 0;
    name = last ? last + 1 : name;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(row_name(i), name) == 0 || has_word(row_aliases(i), name)) {
            return i;
        }
        if (has_like(row_name(i), name) || has_like(row_aliases(i), name)) {
            like = i;
            n_like++;
        }
    }
    return n_like == 1 ? like : count;
}

/* Operators for the name of one in ONNX: those that it is written for first, or the only one that it is written for. */
static size_t of_onnx(const char *name, const char *found[CLI_NEAR])
{
    size_t n = 0, any = 0;
    const char *only = NULL;
    for (size_t i = 0; i < cli_n_tested; i++) {
        const struct cli_tested *row = &cli_tested[i];
        if (has_word(row->onnx, name)) {
            any++;
            only = row->name;
            if (n < CLI_NEAR && strncmp(row->onnx, name, strlen(name)) == 0 && strcspn(row->onnx, " ") == strlen(name)) {
                found[n++] = row->name;
            }
        }
    }
    if (n == 0 && any == 1) {
        found[n++] = only;
    }
    return n;
}

bool cli_is_operator(const char *name)
{
    return find(name) < count_rows();
}

static int fail_unknown(const char *name)
{
    const char *near[CLI_NEAR], *last = strrchr(name, '.');
    const size_t like = of_onnx(name, near), n = like ? like : cli_nearest(last ? last + 1 : name, count_rows(), row_name, near);
    char help[300] = "";
    for (size_t i = 0; i < n; i++) {
        const size_t used = strlen(help);
        snprintf(help + used, sizeof help - used, "%s%s%s", i ? ", " : "did you mean ", near[i], i + 1 == n ? "?" : "");
    }
    return cli_error("the operator '%s' is unknown" CLI_HELP "%s", name, n ? help : "'mx2onnx ops' lists the operators that are known");
}

/* ---- printing */

static size_t put_row(FILE *out, size_t i, void *order)
{
    const struct row row = row_at(((const size_t *)order)[i]);
    const bool full = strcmp(row.status, "full") == 0;
    char opset[16] = "-";
    if (row.opset) {
        snprintf(opset, sizeof opset, "%d", row.opset);
    }
    return (size_t)fprintf(out, "%-32s %5s%s%s", row.name, opset, full ? "" : "  ", full ? "" : row.status);
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

static void put_sentence(const char *before, const char *text, const char *after)
{
    printf("%s%c%s.%s", before, toupper((unsigned char)text[0]), text + 1, after);
}

static void print_one(const struct row *row, bool first)
{
    printf("%s%s\n", first ? "" : "\n", row->name);
    if (row->opset) {
        printf("  from opset %d\n", row->opset);
    }
    if (row->aliases[0]) {
        printf("  also called %s\n", row->aliases);
    }
    if (row->source[0]) {
        printf("  group: %.*s\n", (int)strcspn(row->source, "/"), row->source);
    }
    printf("  status: %s\n", row->status);
    if (row->types[0]) {
        printf("  compared with MXNet for %s\n", row->types);
    }
    if (row->onnx[0]) {
        printf("  becomes %s\n", row->onnx);
    }
    print_lines("  refused, with an error:", row->refuses);
    print_lines("  results that may differ from MXNet's:", row->differs);
    if (row->why) {
        put_sentence("  not converted:\n    ", row->why, "\n");
        put_sentence("    instead: ", row->help, "\n");
    }
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

static bool is_of_2(const char *name)
{
    return strncmp(name, "_npx_", 5) == 0 || strncmp(name, "_npi_", 5) == 0 || strncmp(name, "_np_", 4) == 0;
}

/* Has the operator a name that MXNet 1.x has? */
static bool is_of_1(const struct row *row)
{
    bool found = !is_of_2(row->name);
    for (const char *p = row->aliases; *p && !found; p += strcspn(p, " "), p += *p == ' ') {
        found = !is_of_2(p);
    }
    return found;
}

static void print_json(const struct row *row, bool first)
{
    printf("%s{\"name\": \"%s\", \"anchor\": \"op-%s\", \"opset\": ", first ? "\n  " : ",\n  ", row->name, row->name);
    if (row->opset) {
        printf("%d", row->opset);
    } else {
        fputs("null", stdout);
    }
    print_array("aliases", row->aliases, ' ');
    printf(", \"status\": \"%s\"", row->status);
    if (row->source[0]) {
        printf(", \"group\": \"%.*s\", \"source\": \"ops/%s\"", (int)strcspn(row->source, "/"), row->source, row->source);
    }
    print_array("mxnet", row->why ? "" : is_of_1(row) ? "1.x 2.0" : "2.0", ' ');
    print_array("types", row->types, ' ');
    print_array("onnx", row->onnx, ' ');
    print_array("refuses", row->refuses, '\n');
    print_array("differs", row->differs, '\n');
    if (row->why) {
        put_sentence(", \"why\": \"", row->why, "\"");
        put_sentence(", \"help\": \"", row->help, "\"");
    }
    putchar('}');
}

static void put_cell(const char *lines)
{
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
}

/* A row of ops/SUPPORT.md. */
static void print_markdown(const struct row *row, bool first)
{
    (void)first;
    printf("| `%s` | ", row->name);
    const char *p = row->aliases;
    for (bool comma = false; *p; comma = true) {
        const size_t length = strcspn(p, " ");
        printf("%s`%.*s`", comma ? " " : "", (int)length, p);
        p += length;
        p += strspn(p, " ");
    }
    if (row->why) {
        printf(" | %s |", row->status);
        put_sentence(" ", row->why, "");
        put_sentence(" ", row->help, " |  |\n");
        return;
    }
    printf(" | %s | ", row->status);
    if (row->opset > mx2onnx_opset_min()) {
        printf("An opset below %d.%s", row->opset, *row->refuses ? "<br>" : "");
    }
    put_cell(row->refuses);
    fputs(" | ", stdout);
    put_cell(row->differs);
    puts(" |");
}

typedef void print_row(const struct row *row, bool first);

static int print_names(char **names, int n, const struct choice *choice, print_row *print)
{
    int result = CLI_OK;
    bool first = true;
    for (int i = 0; i < n; i++) {
        const size_t found = find(names[i]);
        if (found == count_rows()) {
            result = fail_unknown(names[i]);
            continue;
        }
        const struct row row = row_at(found);
        if (is_chosen(&row, choice)) {
            print(&row, first);
            first = false;
            result = row.why ? CLI_FAILED : result;
        }
    }
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(row_name(*(const size_t *)a), row_name(*(const size_t *)b));
}

/* Sorted by name; as a table if `print` is NULL. */
static int print_all(const struct choice *choice, print_row *print)
{
    enum { ROW = 51 };
    const size_t most = count_rows();
    size_t *order = calloc(most, sizeof *order), count = 0, known = 0;
    if (!order) {
        return cli_fail(NULL, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    for (size_t i = 0; i < most; i++) {
        const struct row row = row_at(i);
        if (is_chosen(&row, choice)) {
            order[count++] = i;
            known += !row.why;
        }
    }
    qsort(order, count, sizeof *order, by_name);
    for (size_t i = 0; print && i < count; i++) {
        const struct row row = row_at(order[i]);
        print(&row, i == 0);
    }
    if (!print) {
        cli_put_cells(stdout, count, ROW, put_row, order);
        if (known < count) {
            printf("%zu operators, and %zu that are not converted", known, count - known);
        } else {
            printf("%zu operator%s", known, known == 1 ? "" : "s");
        }
        puts("; 'mx2onnx ops NAME' shows what one refuses, and where it differs");
    }
    free(order);
    return CLI_OK;
}

/* ---- the command */

static bool is_known_status(const char *status)
{
    static const char *const all[] = {"full", "partial", "differs", "random", "training only", "no"};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (strcmp(all[i], status) == 0) {
            return true;
        }
    }
    return false;
}

static int check_choice(const struct choice *choice)
{
    if (choice->status && !is_known_status(choice->status)) {
        return cli_usage("'--status %s' is not a status" CLI_HELP "use full, partial, differs, random, 'training only' or no",
                         choice->status);
    }
    bool found = !choice->group;
    for (size_t i = 0; i < cli_n_places && !found; i++) {
        found = is_group(cli_places[i].source, choice->group);
    }
    if (found) {
        return CLI_OK;
    }
    char groups[300] = "";
    for (size_t i = 0; i < cli_n_places; i++) {
        const char *source = cli_places[i].source;
        const int length = (int)strcspn(source, "/");
        if (i == 0 || strncmp(source, cli_places[i - 1].source, (size_t)length + 1) != 0) {
            const size_t used = strlen(groups);
            snprintf(groups + used, sizeof groups - used, "%s%.*s", used ? ", " : "use one of ", length, source);
        }
    }
    return cli_usage("'--group %s' is not a group" CLI_HELP "%s", choice->group, groups);
}

int cli_ops(int argc, char **argv)
{
    int form = 0;
    struct choice choice = {NULL, NULL};
    for (int c; (c = cli_next_option(CLI_OPS, argc, argv)) != -1;) {
        switch (c) {
        case 'h': cli_print_help(stdout, CLI_OPS); return CLI_OK;
        case CLI_OPT_STATUS: choice.status = strcmp(optarg, "training-only") == 0 ? "training only" : optarg; break; /* as completed */
        case CLI_OPT_GROUP: choice.group = optarg; break;
        case CLI_OPT_JSON:
        case CLI_OPT_MARKDOWN: form = c; break;
        default: return CLI_USAGE;
        }
    }
    if (check_choice(&choice) != CLI_OK) {
        return CLI_USAGE;
    }
    const bool all = optind == argc;
    print_row *print = form == CLI_OPT_JSON ? print_json : form == CLI_OPT_MARKDOWN ? print_markdown : print_one;
    if (form == CLI_OPT_JSON) {
        printf("{\"schema\": 1, \"version\": \"%s\", \"opsets\": [%d, %d], \"operators\": [", mx2onnx_version(), (int)mx2onnx_opset_min(),
               (int)mx2onnx_opset_max());
    } else if (form == CLI_OPT_MARKDOWN) {
        puts("| MXNet operator | also called | status | refused | may differ from MXNet |\n"
             "| --- | --- | --- | --- | --- |");
    }
    const int result = all ? print_all(&choice, form ? print : NULL) : print_names(argv + optind, argc - optind, &choice, print);
    if (form == CLI_OPT_JSON) {
        puts("\n]}");
    }
    return result;
}
