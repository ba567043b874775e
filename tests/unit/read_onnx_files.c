/* Where the check of an ONNX model looks for files: in every message that may hold a tensor, onnx.proto's numbers. */
#include <unistd.h>

#include "base/budget.h"
#include "read/onnx_files.h"
#include "read_common.h"

static char path[] = "/tmp/mx2onnx-check-XXXXXX";

struct bytes {
    unsigned char at[1 << 16];
    size_t size;
};

static size_t varint(unsigned char *out, uint64_t n)
{
    size_t size = 0;
    for (; n > 127; n >>= 7) {
        out[size++] = (unsigned char)(n | 128);
    }
    out[size++] = (unsigned char)n;
    return size;
}

/* Turns the bytes into a field of that number. */
static void wrap(struct bytes *b, uint64_t number)
{
    unsigned char head[20];
    size_t n = varint(head, number << 3 | 2);
    n += varint(head + n, b->size);
    assert_true(b->size + n <= sizeof b->at);
    memmove(b->at + n, b->at, b->size);
    memcpy(b->at, head, n);
    b->size += n;
}

/* A tensor whose data are in that file. */
static void put_tensor(struct bytes *b, const char *file)
{
    struct bytes *name = calloc(1, sizeof *name);
    assert_non_null(name);
    name->size = strlen(file);
    memcpy(name->at, file, name->size);
    wrap(name, 2);
    memcpy(b->at, "\n\10location", 10);
    memcpy(b->at + 10, name->at, name->size);
    b->size = 10 + name->size;
    free(name);
    wrap(b, 13);
}

static int check(const struct bytes *b, struct mx_diags *diags)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->at, 1, b->size, f), b->size);
    assert_int_equal(fclose(f), 0);
    return mx_onnx_files_check(path, diags);
}

/* The model with a graph, empty if the tensor is elsewhere. */
static int check_at(const int *numbers, size_t n, struct mx_diags *diags)
{
    struct bytes *b = calloc(1, sizeof *b);
    assert_non_null(b);
    put_tensor(b, "missing.bin");
    while (n > 0) {
        wrap(b, (uint64_t)numbers[--n]);
    }
    memcpy(b->at + b->size, "\72\0", 2);
    b->size += 2;
    const int status = check(b, diags);
    free(b);
    return status;
}

static void side_files_are_found_at_every_place_of_a_tensor(void **state)
{
    static const int places[][6] = {
        {7, 5},                                                                /* an initializer */
        {7, 15, 1},                                                            /* a sparse one's values, and indices */
        {7, 15, 2},       {7, 1, 5, 5},                                        /* a Constant */
        {7, 1, 5, 10},    {7, 1, 5, 22, 1}, {7, 1, 5, 23, 2}, {7, 1, 5, 6, 5}, /* the body of a Loop, the branches of an If */
        {7, 1, 5, 11, 5}, {25, 7, 5, 5},                                       /* a function */
        {25, 11, 5},      {20, 1, 5},                                          /* training */
        {20, 2, 5},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct mx_diags diags = {0};
        size_t n = 0;
        while (n < 6 && places[i][n]) {
            n++;
        }
        const int status = check_at(places[i], n, &diags);
        if (status != MX_NOT_FOUND || strcmp(diags.items[0].name, "missing.bin") != 0) {
            fail_msg("place %zu: status %d, %s", i, status, diags.items[0].message);
        }
        mx_diags_free(&diags);
    }
}

/* Fields of other kinds are passed over; other bytes are damage. */
static void other_fields_are_passed_over(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        int status;
    } rows[] = {
        {"", 0, MX_NOT_FOUND},
        {"\x08\x96\x01", 3, MX_NOT_FOUND},                                /* a number */
        {"\x09\1\2\3\4\5\6\7\x08", 9, MX_NOT_FOUND},                      /* 64 bits */
        {"\x0d\1\2\3\4", 5, MX_NOT_FOUND},                                /* 32 bits */
        {"\x0a\2ab", 4, MX_NOT_FOUND},                                    /* bytes */
        {"\x0b", 1, MX_FORMAT},                                           /* a group */
        {"\0\0", 2, MX_FORMAT},                                           /* the number 0 */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11, MX_NOT_FOUND}, /* the longest number */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12, MX_FORMAT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_diags diags = {0};
        struct bytes *b = calloc(1, sizeof *b);
        assert_non_null(b);
        put_tensor(b, "missing.bin");
        wrap(b, 5);
        wrap(b, 7);
        memmove(b->at + rows[i].size, b->at, b->size);
        memcpy(b->at, rows[i].bytes, rows[i].size);
        b->size += rows[i].size;
        const int status = check(b, &diags);
        if (status != rows[i].status) {
            fail_msg("field %zu: status %d", i, status);
        }
        mx_diags_free(&diags);
        free(b);
    }
}

static void the_depth_of_messages_has_a_limit(void **state)
{
    static int numbers[200];
    for (int deep = 1; deep <= 60; deep++) {
        struct mx_diags diags = {0};
        size_t n = 0;
        numbers[n++] = 7;
        for (int i = 0; i < deep; i++) {
            numbers[n++] = 1;
            numbers[n++] = 5;
            numbers[n++] = 6;
        }
        numbers[n++] = 5;
        assert_int_equal(check_at(numbers, n, &diags), n <= 100 ? MX_NOT_FOUND : MX_TOO_LARGE);
        mx_diags_free(&diags);
    }
}

/* A field of that number with this text. */
static void put_text(struct bytes *b, int number, const char *text)
{
    const size_t n = strlen(text);
    assert_true(n < 128 && b->size + n + 2 < sizeof b->at);
    b->at[b->size++] = (unsigned char)(number << 3 | 2);
    b->at[b->size++] = (unsigned char)n;
    memcpy(b->at + b->size, text, n);
    b->size += n;
}

/* "key=value key= =value value<key": pairs of a tensor; the last form has the value first. "THIS" is the model's own file. */
static void put_pairs(struct bytes *b, const char *pairs)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", pairs);
    struct bytes *one = calloc(1, sizeof *one);
    assert_non_null(one);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *middle = word + strcspn(word, "=<");
        const bool turned = *middle == '<';
        *middle++ = 0;
        const char *first = strcmp(word, "THIS") == 0 ? strrchr(path, '/') + 1 : word;
        const char *second = strcmp(middle, "THIS") == 0 ? strrchr(path, '/') + 1 : middle;
        one->size = 0;
        if (*first) {
            put_text(one, turned ? 2 : 1, first);
        }
        if (*second) {
            put_text(one, turned ? 1 : 2, second);
        }
        wrap(one, 13);
        memcpy(b->at + b->size, one->at, one->size);
        b->size += one->size;
    }
    free(one);
}

/* What a pair does not say is not what the one before it said. A file must have the bytes that the tensors in it need. */
static void pairs_of_a_tensor_are_its_own(void **state)
{
    enum { SIZE = 500 }; /* of the model */
    static const struct {
        const char *pairs[2]; /* of two tensors */
        int status;
        const char *file;
    } rows[] = {
        {{"location=missing.bin"}, MX_NOT_FOUND, "missing.bin"},
        {{"missing.bin<location"}, MX_NOT_FOUND, "missing.bin"},
        {{"location=missing.bin =other"}, MX_NOT_FOUND, "missing.bin"},
        {{"location=missing.bin more=other"}, MX_NOT_FOUND, "missing.bin"},
        {{"location=missing.bin", "=other"}, MX_NOT_FOUND, "missing.bin"},
        {{"location=missing.bin offset=5 length="}, MX_FORMAT, NULL},
        {{"location=missing.bin length=5 offset="}, MX_FORMAT, NULL},
        {{"location=missing.bin length=-1"}, MX_FORMAT, NULL},
        {{"location=missing.bin offset=-1"}, MX_FORMAT, NULL},
        {{"location=missing.bin offset=0x5"}, MX_FORMAT, NULL},
        {{"offset=7 length=8"}, MX_OK, NULL},
        {{"location=THIS"}, MX_OK, NULL},
        {{"location=THIS length=500"}, MX_OK, NULL},
        {{"length=500 location=THIS offset=0"}, MX_OK, NULL},
        {{"location=THIS offset=200 length=300"}, MX_OK, NULL},
        {{"location=THIS length=501"}, MX_FORMAT, NULL},
        {{"location=THIS offset=201 length=300"}, MX_FORMAT, NULL},
        {{"location=THIS offset=200 length=301"}, MX_FORMAT, NULL},
        {{"location=THIS length=501", "location=THIS length=10"}, MX_FORMAT, NULL},
        {{"location=THIS length=10", "location=THIS length=501"}, MX_FORMAT, NULL},
        {{"location=THIS length=300", "location=THIS length=300"}, MX_OK, NULL},
        {{"location=THIS length=300", "length=501"}, MX_OK, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mx_diags diags = {0};
        struct bytes *b = calloc(1, sizeof *b), *tensor = calloc(1, sizeof *tensor);
        assert_true(b && tensor);
        for (int k = 0; k < 2 && rows[i].pairs[k]; k++) {
            tensor->size = 0;
            put_pairs(tensor, rows[i].pairs[k]);
            wrap(tensor, 5);
            memcpy(b->at + b->size, tensor->at, tensor->size);
            b->size += tensor->size;
        }
        wrap(b, 7);
        while (b->size < SIZE) { /* two bytes of other fields, or three of one */
            put_text(b, 2, (SIZE - b->size) % 2 ? "x" : "");
        }
        assert_int_equal(b->size, SIZE);
        const int status = check(b, &diags);
        if (status != rows[i].status || (rows[i].file && (diags.count != 1 || strcmp(diags.items[0].name, rows[i].file) != 0))) {
            fail_msg("row %zu: status %d", i, status);
        }
        mx_diags_free(&diags);
        free(b);
        free(tensor);
    }
}

/* Training, functions and metadata make no model. */
static void a_model_has_a_graph(void **state)
{
    static const char *const models[] = {"", "\242\1\0", "\312\1\2\72\0", "\162\2\12\0"};
    static const size_t sizes[] = {0, 3, 5, 4};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int graph = 0; graph < 2; graph++) {
            struct mx_diags diags = {0};
            struct bytes *b = calloc(1, sizeof *b);
            assert_non_null(b);
            memcpy(b->at, models[i], sizes[i]);
            memcpy(b->at + sizes[i], "\72\0", 2);
            b->size = sizes[i] + (graph ? 2 : 0);
            assert_int_equal(check(b, &diags), graph ? MX_OK : MX_FORMAT);
            mx_diags_free(&diags);
            free(b);
        }
    }
}

/* A graph with a tensor whose data are in that file. */
static int check_file(const char *file, struct mx_diags *diags)
{
    struct bytes *b = calloc(1, sizeof *b);
    assert_non_null(b);
    put_tensor(b, file);
    wrap(b, 5);
    wrap(b, 7);
    const int status = check(b, diags);
    free(b);
    return status;
}

/* Of 4095 bytes, which is more than a file system takes; a longer one is none. */
static void a_name_of_a_file_has_a_longest_length(void **state)
{
    enum { MOST = 4095 };
    char name[MOST + 2];
    for (size_t more = 0; more < 2; more++) {
        struct mx_diags diags = {0};
        memset(name, 'n', sizeof name);
        name[MOST + more] = 0;
        assert_int_equal(check_file(name, &diags), more ? MX_FORMAT : MX_IO);
        assert_non_null(strstr(diags.items[0].message, more ? "not a plain file name" : "cannot be read: the name is too long"));
        mx_diags_free(&diags);
    }
}

/* It is read, but other programs may not. */
static void a_symbolic_link_is_reported(void **state)
{
    char link[sizeof path + 8];
    struct mx_diags diags = {0};
    snprintf(link, sizeof link, "%s.link", path);
    assert_int_equal(symlink(path, link), 0);
    const int status = check_file(mx_path_base(link), &diags);
    unlink(link);
    assert_int_equal(status, MX_OK);
    assert_int_equal(diags.count, 2);
    assert_int_equal(diags.items[0].severity, MX2ONNX_SEVERITY_WARNING);
    assert_non_null(strstr(diags.items[0].message, "the file is a symbolic link, which onnx.load refuses"));
    mx_diags_free(&diags);
}

static int32_t ask(uint64_t done, uint64_t total, void *user)
{
    int *calls = user;
    return ++calls[0] == calls[1];
}

static int check_many(int stop, int *calls)
{
    enum { FILES = 2000 };
    int asked[2] = {0, stop};
    struct mx_budget budget;
    struct mx_diags diags = {.budget = &budget};
    struct bytes *b = calloc(1, sizeof *b), *one = calloc(1, sizeof *one);
    assert_non_null(b);
    assert_non_null(one);
    mx_budget_init(&budget);
    budget.progress = ask;
    budget.user = asked;
    for (int i = 0; i < FILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%06d", i);
        put_tensor(one, name);
        wrap(one, 5);
        memcpy(b->at + b->size, one->at, one->size);
        b->size += one->size;
    }
    wrap(b, 7);
    const int status = check(b, &diags);
    free(b);
    free(one);
    mx_diags_free(&diags);
    *calls = asked[0];
    return status;
}

static void the_caller_is_asked_between_files(void **state)
{
    int calls;
    assert_int_equal(check_many(0, &calls), MX_NOT_FOUND);
    assert_true(calls >= 20);
    assert_int_equal(check_many(10, &calls), MX_CANCELLED);
    assert_int_equal(calls, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_files_are_found_at_every_place_of_a_tensor),
        cmocka_unit_test(other_fields_are_passed_over),
        cmocka_unit_test(the_depth_of_messages_has_a_limit),
        cmocka_unit_test(a_model_has_a_graph),
        cmocka_unit_test(the_caller_is_asked_between_files),
        cmocka_unit_test(pairs_of_a_tensor_are_its_own),
        cmocka_unit_test(a_name_of_a_file_has_a_longest_length),
        cmocka_unit_test(a_symbolic_link_is_reported),
    };
    const int fd = mkstemp(path);
    if (fd < 0) {
        return 1;
    }
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
