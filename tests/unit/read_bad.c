/* The malformed files of the samples: status and message as the tables in tests/bad say. What must be refused and what
 * accepted follows MXNet 1.9.1's reactions (reactions.tsv next to the files), where these are not crashes. */
#include "read_common.h"

#include <dirent.h>

struct row {
    const char *file, *status, *said;
};

static int status_number(const char *name)
{
#define NUMBER(code, constant, text)                                                                                                       \
    if (strcmp(name, #constant) == 0) {                                                                                                    \
        return code;                                                                                                                       \
    }
    MX2ONNX_STATUS_MAP(NUMBER)
#undef NUMBER
    fail_msg("%s is not a status", name);
    return 1;
}

/* A line as a row; false for a comment. */
static bool parse_row(char *line, struct row *row)
{
    line[strcspn(line, "\r\n")] = 0;
    char *status = strchr(line, '\t');
    if (line[0] == '#' || !status) {
        return false;
    }
    char *said = strchr(status + 1, '\t');
    assert_non_null(said);
    *status = *said = 0;
    said[1 + strcspn(said + 1, "\t")] = 0; /* what follows is for tests/bad/whole.c */
    *row = (struct row){line, status + 1, said + 1};
    return true;
}

static void check_row(const struct row *row, const char *kind)
{
    char file[1024];
    size_t size;
    struct world w;
    snprintf(file, sizeof file, "made/malformed/%s/%s", kind, row->file);
    char *data = slurp(file, &size);
    world_open(&w);
    const int status = strcmp(kind, "json") == 0 ? read_symbol_memory(&w, data, size) : add_memory(&w, data, size);
    struct mx_str said = all_messages(&w);
    if (status != status_number(row->status)) {
        fail_msg("%s: status %d instead of %s: %s", row->file, status, row->status, said.text);
    }
    if (!strstr(said.text, row->said)) {
        fail_msg("%s: '%s' is not in: %s", row->file, row->said, said.text);
    }
    assert_int_equal(w.diags.errors, status == MX_OK ? 0 : 1);
    mx_str_free(&said);
    world_close(&w);
    free(data);
}

/* As a whole model. */
static void check_archive(const struct row *row, const char *kind)
{
    char file[1024], path[4096];
    struct world w;
    struct mx_found found = {0};
    if (!MX2ONNX_TAR && (strstr(row->file, ".tar") || strstr(row->file, ".gz"))) {
        return;
    }
    snprintf(file, sizeof file, "made/read/%s", row->file);
    world_open(&w);
    const int status = mx_find_model(data_path(file, path), &found, &w.diags);
    if (status != status_number(row->status)) {
        fail_msg("%s: status %d instead of %s", row->file, status, row->status);
    }
    assert_said(&w, row->said);
    assert_int_equal(w.diags.errors, status == MX_OK ? 0 : 1);
    mx_found_close(&found);
    world_close(&w);
}

static size_t files_in(const char *kind)
{
    char file[64], path[4096];
    size_t count = 0;
    snprintf(file, sizeof file, "made/malformed/%s", kind);
    DIR *folder = opendir(data_path(file, path));
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        count += e->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static size_t check_rows(const char *kind, void (*check)(const struct row *row, const char *kind))
{
    char file[64], path[4096], line[512];
    size_t rows = 0;
    snprintf(file, sizeof file, "../bad/%s.tsv", kind);
    FILE *f = fopen(data_path(file, path), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct row row;
        if (parse_row(line, &row)) {
            check(&row, kind);
            rows++;
        }
    }
    fclose(f);
    return rows;
}

static void bad_parameter_files_fail_as_the_table_says(void **state)
{
    assert_int_equal(check_rows("params", check_row), files_in("params"));
}

static void bad_symbols_fail_as_the_table_says(void **state)
{
    assert_int_equal(check_rows("json", check_row), files_in("json"));
}

static void bad_archives_fail_as_the_table_says(void **state)
{
    assert_int_equal(check_rows("archives", check_archive), 12);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameter_files_fail_as_the_table_says),
        cmocka_unit_test(bad_symbols_fail_as_the_table_says),
        TEST_IF(MX2ONNX_ZIP, bad_archives_fail_as_the_table_says),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_bad", tests, NULL, NULL);
}
