/* Every array file of the samples against manifest.json, which an independent reader and MXNet wrote: names, types,
 * dims and every byte. */
#include "read_common.h"

#include "read/cursor.h"

#include <jansson.h>

#include "base/hash.h"
#include "base/num.h"
#include "pass/pass.h"

struct expected {
    enum mx_dtype dtype;
    int ndim;
    int64_t dims[MX_MAX_RANK];
    unsigned char *bytes;
    size_t length;
};

static size_t checked_arrays;

/* ---- what the manifest says */

static size_t element_count(const struct expected *e)
{
    size_t n = 1;
    for (int i = 0; i < e->ndim; i++) {
        n *= (size_t)e->dims[i];
    }
    return n;
}

/* One element as bytes: floats are texts in the manifest, bfloat16 raw 16-bit integers. */
static void put_value(enum mx_dtype dtype, const json_t *value, unsigned char *out)
{
    const double real = json_is_string(value) ? strtod(json_string_value(value), NULL) : 0;
    const float single = (float)real;
    const uint16_t half = mx_float_to_half(single);
    uint64_t whole = json_is_string(value) ? strtoull(json_string_value(value), NULL, 10) : (uint64_t)json_integer_value(value);
    const size_t size = mx_dtype_size(dtype);
    if (dtype == MX_FLOAT32) {
        memcpy(out, &single, size);
    } else if (dtype == MX_FLOAT64) {
        memcpy(out, &real, size);
    } else if (dtype == MX_FLOAT16) {
        memcpy(out, &half, size);
    } else {
        mx_little_endian(&whole, sizeof whole, 1);
        memcpy(out, &whole, size);
        return;
    }
    mx_little_endian(out, size, 1);
}

static void set_shape(struct expected *e, const json_t *array)
{
    const json_t *shape = json_object_get(array, "shape");
    e->dtype = mx_dtype_from_name(json_string_value(json_object_get(array, "dtype")));
    assert_int_not_equal(e->dtype, MX_DTYPE_NONE);
    e->ndim = (int)json_array_size(shape);
    for (int i = 0; i < e->ndim; i++) {
        e->dims[i] = json_integer_value(json_array_get(shape, (size_t)i));
    }
    e->length = element_count(e) * mx_dtype_size(e->dtype);
    e->bytes = calloc(1, e->length + 1);
    assert_non_null(e->bytes);
}

static void put_values(const struct expected *e, const json_t *values)
{
    const size_t size = mx_dtype_size(e->dtype);
    assert_int_equal(json_array_size(values) * size, e->length);
    for (size_t i = 0; i < json_array_size(values); i++) {
        put_value(e->dtype, json_array_get(values, i), e->bytes + i * size);
    }
}

static int64_t int_at(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

static void put_rows(const struct expected *e, const json_t *values, const json_t *rows)
{
    const size_t size = mx_dtype_size(e->dtype), width = element_count(e) / (size_t)e->dims[0];
    for (size_t i = 0; i < json_array_size(values); i++) {
        const size_t row = (size_t)int_at(rows, i / width);
        put_value(e->dtype, json_array_get(values, i), e->bytes + (row * width + i % width) * size);
    }
}

static void put_csr(const struct expected *e, const json_t *values, const json_t *indptr, const json_t *columns)
{
    const size_t size = mx_dtype_size(e->dtype), width = (size_t)e->dims[1];
    for (size_t row = 0; row < (size_t)e->dims[0]; row++) {
        for (int64_t k = int_at(indptr, row); k < int_at(indptr, row + 1); k++) {
            const size_t column = (size_t)int_at(columns, (size_t)k);
            put_value(e->dtype, json_array_get(values, (size_t)k), e->bytes + (row * width + column) * size);
        }
    }
}

/* Rule P of the samples' README. */
static void put_rule(const struct expected *e, const char *name)
{
    const char *bare = strncmp(name, "arg:", 4) == 0 || strncmp(name, "aux:", 4) == 0 ? name + 4 : name;
    const size_t length = strlen(bare);
    assert_int_equal(e->dtype, MX_FLOAT32);
    for (size_t k = 0; k < element_count(e); k++) {
        float f = ((float)((7 * k + length) % 13) - 6) / 16;
        if (mx_ends_with(bare, "_var")) {
            f = 1 + (float)(k % 4) / 4;
        } else if (mx_ends_with(bare, "_mean")) {
            f = (float)(k % 4) / 8;
        }
        mx_little_endian(&f, sizeof f, 1);
        memcpy(e->bytes + k * sizeof f, &f, sizeof f);
    }
}

/* ---- comparing */

static void compare(const struct world *w, const char *file, const char *name, const struct expected *e)
{
    const char *bare = mx_starts_with(name, "aux:") || mx_starts_with(name, "arg:") ? name + 4 : name;
    const struct mx_param *p = mx_params_find(&w->params, bare);
    if (!p) {
        fail_msg("%s: %s is missing", file, bare);
        return;
    }
    assert_string_equal(p->name, bare);
    assert_int_equal(p->dtype, e->dtype);
    assert_int_equal(p->ndim, e->ndim);
    for (int i = 0; i < e->ndim; i++) {
        assert_int_equal(p->dims[i], e->dims[i]);
    }
    assert_int_equal(p->length, e->length);
    unsigned char *bytes = param_bytes(p);
    if (memcmp(bytes, e->bytes, e->length) != 0) {
        fail_msg("%s: the bytes of %s differ", file, bare);
    }
    free(bytes);
    checked_arrays++;
}

static bool replaced_later(const json_t *arrays, size_t i, const char *name)
{
    for (size_t k = i + 1; k < json_array_size(arrays); k++) {
        const char *other = json_string_value(json_object_get(json_array_get(arrays, k), "name"));
        if (other && strcmp(other, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_list_array(const struct world *w, const char *file, const json_t *array, const char *name)
{
    struct expected e = {0};
    const json_t *values = json_object_get(array, "values"), *aux = json_object_get(array, "aux");
    const json_int_t stype = json_integer_value(json_object_get(array, "stype"));
    if (json_is_true(json_object_get(array, "none"))) {
        assert_null(mx_params_find(&w->params, name));
        checked_arrays++;
        return;
    }
    set_shape(&e, array);
    if (stype == 1) {
        put_rows(&e, values, json_array_get(aux, 0));
    } else if (stype == 2) {
        put_csr(&e, values, json_array_get(aux, 0), json_array_get(aux, 1));
    } else {
        size_t size;
        char *whole = slurp(file, &size);
        const size_t at = (size_t)json_integer_value(json_object_get(array, "data_offset"));
        assert_true(at + e.length <= size);
        memcpy(e.bytes, whole + at, e.length);
        free(whole);
        compare(w, file, name, &e);
        if (values) {
            put_values(&e, values);
        }
    }
    compare(w, file, name, &e);
    free(e.bytes);
}

static void check_list(const struct world *w, const char *file, const json_t *arrays)
{
    size_t values = 0;
    for (size_t i = 0; i < json_array_size(arrays); i++) {
        const json_t *array = json_array_get(arrays, i);
        const char *name = json_string_value(json_object_get(array, "name"));
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        name = name ? name : number;
        if (!replaced_later(arrays, i, name)) {
            values += !json_is_true(json_object_get(array, "none"));
            check_list_array(w, file, array, name);
        }
    }
    assert_int_equal(w->params.count, values);
}

static const json_t *member(const json_t *members, const char *folder, const char *part)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s", folder, part);
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *m = json_array_get(members, i);
        if (strcmp(json_string_value(json_object_get(m, "name")), name) == 0) {
            return m;
        }
    }
    return NULL;
}

static void check_sparse_folder(const struct world *w, const char *file, const json_t *members, const char *folder)
{
    struct expected e = {0};
    const json_t *data = member(members, folder, "data"), *indptr = member(members, folder, "indptr");
    const json_t *shape = json_object_get(member(members, folder, "shape"), "values");
    const json_t *indices = json_object_get(member(members, folder, "indices"), "values");
    json_t *whole = json_pack("{s:O, s:O}", "shape", shape, "dtype", json_object_get(data, "dtype"));
    assert_non_null(whole);
    set_shape(&e, whole);
    json_decref(whole);
    if (indptr) {
        put_csr(&e, json_object_get(data, "values"), json_object_get(indptr, "values"), indices);
    } else {
        put_rows(&e, json_object_get(data, "values"), indices);
    }
    compare(w, file, folder, &e);
    free(e.bytes);
}

static void check_npz(const struct world *w, const char *file, const json_t *members)
{
    size_t arrays = 0;
    for (size_t i = 0; i < json_array_size(members); i++) {
        const json_t *m = json_array_get(members, i);
        const char *name = json_string_value(json_object_get(m, "name"));
        const char *slash = strrchr(name, '/');
        char folder[128] = "";
        if (slash) {
            snprintf(folder, sizeof folder, "%.*s", (int)(slash - name), name);
        }
        if (slash && member(members, folder, "format")) {
            if (strcmp(slash, "/data") == 0) {
                arrays++;
                check_sparse_folder(w, file, members, folder);
            }
            continue;
        }
        struct expected e = {0};
        const json_t *values = json_object_get(m, "values");
        set_shape(&e, m);
        if (values) {
            put_values(&e, values);
        } else {
            put_rule(&e, name);
        }
        arrays++;
        compare(w, file, name, &e);
        const char *bare = mx_starts_with(name, "arg:") || mx_starts_with(name, "aux:") ? name + 4 : name;
        /* stored members stay in the file */
        assert_ptr_equal(mx_params_find(&w->params, bare)->source, w->params.sources[0]);
        free(e.bytes);
    }
    assert_int_equal(w->params.count, arrays);
}

static void check_file(const char *key, const json_t *entry)
{
    char file[512];
    struct world w;
    world_open(&w);
    snprintf(file, sizeof file, "samples/%s", key);
    if (add_file(&w, file) != MX_OK) {
        fail_msg("%s: %s", key, w.diags.items[0].message);
    }
    const char *format = json_string_value(json_object_get(entry, "format"));
    const json_t *arrays = json_object_get(entry, "arrays"), *members = json_object_get(entry, "members");
    if (strcmp(format, "list") == 0) {
        check_list(&w, file, arrays);
    } else if (strcmp(format, "npz") == 0) {
        check_npz(&w, file, members ? members : arrays);
    } else {
        struct expected e = {0};
        set_shape(&e, entry);
        put_values(&e, json_object_get(entry, "values"));
        compare(&w, file, "0", &e);
        free(e.bytes);
    }
    world_close(&w);
}

static void arrays_of_the_samples_have_their_bytes(void **state)
{
    char *text = slurp("samples/manifest.json", NULL);
    json_t *manifest = json_loads(text, 0, NULL), *entry;
    const char *key;
    assert_non_null(manifest);
    json_object_foreach(manifest, key, entry)
    {
        check_file(key, entry);
    }
    assert_int_equal(json_object_size(manifest), 181);
    assert_true(checked_arrays > 1000);
    json_decref(manifest);
    free(text);
}

/* mx.nd.save of MXNet 1.9.1: row_sparse_array(([1.5, -2.5], [0, 3]), shape=(5,)) as "arg:w". */
static const unsigned char saved_vector[] = {
    0x12, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,    0,    0, 0, 0xc9, 0xfa, 0x93, 0xf9, 1,   0,  0, 0, 1,
    0,    0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0,    0,    0, 1, 0,    0,    0,    0,    0,   0,  0, 0, 0,
    0,    0, 6, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0x20, 0xc0, 0,    0,    0,   0,  0, 0, 0,
    0,    3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0,    0,    0, 0, 0,    'a',  'r',  'g',  ':', 'w'};

static void test_a_sparse_vector_becomes_dense(void **state)
{
    static const unsigned char dense[20] = {[2] = 0xc0, [3] = 0x3f, [14] = 0x20, [15] = 0xc0};
    struct world w;
    (void)state;
    world_open(&w);
    assert_int_equal(add_memory(&w, saved_vector, sizeof saved_vector), MX_OK);
    const struct mx_param *p = mx_params_find(&w.params, "w");
    assert_non_null(p);
    assert_true(p->dtype == MX_FLOAT32 && p->ndim == 1 && p->dims[0] == 5 && p->length == sizeof dense);
    unsigned char *bytes = param_bytes(p);
    assert_memory_equal(bytes, dense, sizeof dense);
    free(bytes);
    world_close(&w);
}

/* The shape at that byte gets another axis, of size 1. */
static void parts_of_another_rank_are_refused(void **state)
{
    static const struct {
        size_t at;
        const char *said;
    } rows[] = {{32, "its values do not match its shape and indices"}, {72, "has indices of more than one dimension"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char bytes[sizeof saved_vector + 8] = {0};
        const size_t end = rows[i].at + 12; /* of the shape */
        struct world w;
        memcpy(bytes, saved_vector, end);
        bytes[rows[i].at]++;
        bytes[end] = 1;
        memcpy(bytes + end + 8, saved_vector + end, sizeof saved_vector - end);
        world_open(&w);
        assert_int_equal(add_memory(&w, bytes, sizeof bytes), MX_FORMAT);
        assert_said(&w, rows[i].said);
        world_close(&w);
    }
}

static unsigned char *put(unsigned char *at, int64_t n, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)((uint64_t)n >> 8 * i);
    }
    return at + bytes;
}

static unsigned char *put_dims(unsigned char *at, uint32_t ndim, const int64_t *dims)
{
    at = put(at, ndim, 4);
    for (uint32_t i = 0; i < ndim; i++) {
        at = put(at, dims[i], 8);
    }
    return at;
}

/* A CSR array as mx.nd.save writes it; the i-th value is i + 1. */
struct csr {
    int64_t shape[2];
    int64_t n_pointers, pointers[5];
    int64_t stored, columns[4];
    const char *said; /* NULL: it is fine */
    float dense[6];
};

static size_t csr_bytes(const struct csr *a, unsigned char *to)
{
    unsigned char *at = put(put(put(to, 0x112, 8), 0, 8), 1, 8);
    at = put(put(at, 0xf993fac9, 4), 2, 4);
    at = put_dims(put_dims(at, 1, &a->stored), 2, a->shape);
    at = put(put(put(at, 1, 4), 0, 4), 0, 4); /* the processor, float32 */
    at = put_dims(put(at, 6, 4), 1, &a->n_pointers);
    at = put_dims(put(at, 6, 4), 1, &a->stored);
    for (int64_t i = 0; i < a->stored; i++, at += 4) {
        memcpy(at, &(float){(float)(i + 1)}, 4);
    }
    for (int64_t i = 0; i < a->n_pointers; i++) {
        at = put(at, a->pointers[i], 8);
    }
    for (int64_t i = 0; i < a->stored; i++) {
        at = put(at, a->columns[i], 8);
    }
    at = put(put(at, 1, 8), 1, 8);
    *at++ = 'w';
    return (size_t)(at - to);
}

static void pointers_of_csr_arrays_are_checked(void **state)
{
    static const char ascend[] = "its row pointers do not ascend to the number of its values",
                      outside[] = "it has an index outside its shape";
    static const char cover[] = "its row pointers do not cover all its values", match[] = "row pointers do not match";
    static const struct csr rows[] = {
        {{2, 3}, 3, {0, 2, 3}, 3, {0, 2, 1}, NULL, {1, 0, 2, 0, 3, 0}},
        {{2, 3}, 3, {0, 0, 2}, 2, {0, 2}, NULL, {0, 0, 0, 1, 0, 2}},
        {{2, 3}, 3, {0, 2, 2}, 2, {1, 2}, NULL, {0, 1, 2, 0, 0, 0}},
        {{2, 3}, 3, {0, 0, 0}, 0, {0}, NULL, {0}},
        {{2, 3}, 0, {0}, 0, {0}, NULL, {0}}, /* as an array of zeros is saved */
        {{2, 3}, 3, {1, 2, 3}, 3, {0, 2, 1}, "its row pointers do not start with 0", {0}},
        {{2, 3}, 3, {0, 4, 3}, 3, {0, 2, 1}, ascend, {0}},
        {{2, 3}, 3, {0, 3, 4}, 3, {0, 2, 1}, ascend, {0}},
        {{2, 3}, 3, {0, 2, 1}, 3, {0, 2, 1}, ascend, {0}},
        {{2, 3}, 3, {0, -1, 3}, 3, {0, 2, 1}, ascend, {0}},
        {{3, 2}, 4, {0, 2, 1, 3}, 3, {0, 1, 1}, ascend, {0}},
        {{2, 3}, 3, {0, 1, 2}, 3, {0, 2, 1}, cover, {0}},
        {{2, 3}, 3, {0, 2, 3}, 3, {0, 3, 1}, outside, {0}},
        {{2, 3}, 3, {0, 2, 3}, 3, {0, -1, 1}, outside, {0}},
        {{2, 3}, 2, {0, 3}, 3, {0, 2, 1}, match, {0}},
        {{2, 3}, 4, {0, 2, 3, 3}, 3, {0, 2, 1}, match, {0}},
        {{2, 3}, 0, {0}, 1, {0}, match, {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char bytes[400];
        struct world w;
        world_open(&w);
        const int status = add_memory(&w, bytes, csr_bytes(&rows[i], bytes));
        if ((status == MX_OK) != !rows[i].said) {
            fail_msg("row %zu: status %d", i, status);
        }
        if (rows[i].said) {
            assert_said(&w, rows[i].said);
        } else {
            unsigned char *dense = param_bytes(mx_params_find(&w.params, "w"));
            assert_memory_equal(dense, rows[i].dense, sizeof rows[i].dense);
            free(dense);
        }
        world_close(&w);
    }
}

/* ---- loading more than once */

/* Over memory. */
static int set_param(struct world *w, const char *name, enum mx_dtype dtype, int ndim, const int64_t *dims, const void *data, size_t size)
{
    struct mx_source *source;
    uint64_t replaced;
    assert_int_equal(mx_source_open_memory(&source, data, size, false), MX_OK);
    return mx_params_set(&w->params, &(struct mx_param){.name = name, .dtype = dtype, .ndim = ndim, .dims = dims, .source = source},
                         &replaced);
}

static void test_later_load_replaces(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "samples/params/1.9.1/v2_float32.params"), MX_OK);
    const size_t count = w.params.count;
    const struct mx_param *x = w.params.items[0];
    const double value = 7;
    assert_int_equal(set_param(&w, x->name, MX_FLOAT64, 0, NULL, &value, sizeof value), MX_OK);
    assert_int_equal(w.params.count, count);
    assert_int_equal(w.diags.count, 0); /* meant so, unlike a duplicate within a file */
    assert_int_equal(x->dtype, MX_FLOAT64);
    assert_int_equal(x->ndim, 0);
    unsigned char *bytes = param_bytes(x);
    assert_memory_equal(bytes, &value, sizeof value);
    free(bytes);
    world_close(&w);
}

/* Each time the array needs more room for its dims than before, or less. */
static void a_value_of_another_rank_replaces_one(void **state)
{
    static const int ranks[] = {1, 2, 3, 4, 9, 17, 32, 1, 20};
    int64_t dims[MX_MAX_RANK];
    struct world w;
    world_open(&w);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        for (int k = 0; k < ranks[i]; k++) {
            dims[k] = k == (int)i % ranks[i] ? 6 : 1;
        }
        const float values[6] = {(float)i};
        assert_int_equal(set_param(&w, "a", MX_FLOAT32, ranks[i], dims, values, sizeof values), MX_OK);
        assert_int_equal(set_param(&w, "b", MX_FLOAT32, 1, (int64_t[]){6}, values, sizeof values), MX_OK);
        const struct mx_param *a = mx_params_find(&w.params, "a"), *b = mx_params_find(&w.params, "b");
        assert_int_equal(a->ndim, ranks[i]);
        assert_memory_equal(a->dims, dims, (size_t)ranks[i] * sizeof *dims);
        assert_int_equal(b->dims[0], 6);
    }
    world_close(&w);
}

static int64_t first_dim(const struct world *w, const char *variable)
{
    const struct mx_param *p = mx_params_of(&w->params, variable);
    return p ? p->dims[0] : -1;
}

/* What a file replaced is there again, and what it added is not, by no name. */
static void a_load_can_be_taken_back(void **state)
{
    static const char *const prefixes[] = {NULL, "", "net_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        unsigned char bytes[2][400];
        struct csr arrays[2] = {{{4, 1}, 0, {0}, 0, {0}, NULL, {0}}, {{5, 1}, 0, {0}, 0, {0}, NULL, {0}}};
        struct world w;
        struct mx_source *source;
        struct mx_batch *added;
        size_t size[2] = {0};
        world_open(&w);
        assert_int_equal(mx_params_set_prefix(&w.params, prefixes[i]), MX_OK);
        for (int k = 0; k < 2; k++) {
            size[k] = csr_bytes(&arrays[k], bytes[k]);
        }
        assert_int_equal(add_memory(&w, bytes[0], size[0]), MX_OK);
        for (int k = 0; k < 2; k++) { /* "w", then "net_w" */
            if (k == 1) {
                memcpy(bytes[1] + size[1] - 9, "\5\0\0\0\0\0\0\0net_v", 13);
                size[1] += 4;
            }
            assert_int_equal(mx_source_open_memory(&source, bytes[1], size[1], false), MX_OK);
            assert_int_equal(mx_params_add(&w.params, source, "FILE", &added), MX_OK);
            assert_int_equal(first_dim(&w, "w"), k == 0 ? 5 : 4);
            assert_int_equal(first_dim(&w, "net_v"), k == 0 ? -1 : 5);
            assert_int_equal(first_dim(&w, "v"), k == 1 && i == 2 ? 5 : -1);
            mx_params_end(added, true);
            assert_int_equal(w.params.count, 1);
            assert_int_equal(first_dim(&w, "w"), 4);
            assert_int_equal(first_dim(&w, "net_v"), -1);
            assert_int_equal(first_dim(&w, "v"), -1);
        }
        world_close(&w);
    }
}

/* By no name of a variable. */
static void a_value_that_was_removed_is_not_found(void **state)
{
    struct world w;
    uint64_t removed;
    world_open(&w);
    assert_int_equal(mx_params_set_prefix(&w.params, "net_"), MX_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(set_param(&w, "net_v", MX_FLOAT32, 1, (int64_t[]){2}, "12345678", 8), MX_OK);
        assert_int_equal(first_dim(&w, "v"), 2);
        assert_true(mx_params_unset(&w.params, "net_v", &removed));
        assert_int_equal(first_dim(&w, "v"), -1);
        assert_int_equal(first_dim(&w, "net_v"), -1);
    }
    world_close(&w);
}

static void test_duplicates_are_reported(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "samples/params/1.9.1/v2_duplicate_names.params"), MX_OK);
    assert_said(&w, "'w' more than once");
    assert_int_equal(w.params.count, 1);
    world_close(&w);
}

static void test_failed_file_adds_nothing(void **state)
{
    struct world w;
    size_t size;
    char *data = slurp("samples/nets/1.9.1/mlp-0000.params", &size);
    world_open(&w);
    assert_int_equal(add_memory(&w, data, size - 1), MX_FORMAT);
    assert_int_equal(w.params.count, 0);
    assert_int_equal(add_memory(&w, data, size), MX_OK);
    assert_int_equal(w.params.count, 4);
    world_close(&w);
    free(data);
}

static void test_the_size_of_an_array_that_is_set_is_checked(void **state)
{
    struct world w;
    const float data[6] = {0};
    world_open(&w);
    assert_int_equal(set_param(&w, "a", MX_FLOAT32, 2, (int64_t[]){2, 3}, data, 20), MX_INVALID_ARGUMENT);
    assert_int_equal(set_param(&w, "a", MX_FLOAT32, 2, (int64_t[]){-2, -3}, data, 24), MX_INVALID_ARGUMENT);
    assert_int_equal(set_param(&w, "a", MX_DTYPE_NONE, 2, (int64_t[]){2, 3}, data, 24), MX_INVALID_ARGUMENT);
    assert_int_equal(set_param(&w, "a", MX_FLOAT32, 2, (int64_t[]){INT64_C(1) << 40, INT64_C(1) << 40}, data, 0), MX_INVALID_ARGUMENT);
    assert_int_equal(set_param(&w, "aux:a", MX_FLOAT32, 2, (int64_t[]){2, 3}, data, 24), MX_OK);
    assert_int_equal(w.params.count, 1); /* the prefix is not a part of the name */
    world_close(&w);
}

/* Two arrays with one hash (lib/base/hash.h), found by a search, and each of them once more. */
static void test_copies_have_the_same_bytes(void **state)
{
    static const struct {
        const char *name, *copy_of;
        unsigned char bytes[8];
    } arrays[] = {
        {"a.weight", NULL, {19, 115, 133, 88}},
        {"b.weight", NULL, {97, 173, 110, 193, 0xDE}},
        {"c.weight", "a.weight", {19, 115, 133, 88}},
        {"d.weight", "b.weight", {97, 173, 110, 193, 0xDE}},
    };
    const uint64_t hash = mx_mix_bytes(8, arrays[0].bytes, 8);
    assert_true(hash == mx_mix_bytes(8, arrays[1].bytes, 8));
    struct world w;
    struct mx_map copies = {0};
    world_open(&w);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(set_param(&w, arrays[i].name, MX_FLOAT32, 2, (int64_t[]){1, 2}, arrays[i].bytes, 8), MX_OK);
    }
    assert_int_equal(mx_params_find_copies(&w.params, 4, &w.arena, &copies), MX_OK);
    for (int i = 0; i < 4; i++) {
        const struct mx_param *first = mx_map_get(&copies, arrays[i].name);
        assert_ptr_equal(first, arrays[i].copy_of ? mx_params_find(&w.params, arrays[i].copy_of) : NULL);
    }
    mx_map_free(&copies);
    world_close(&w);
}

static void put_bytes(unsigned char **at, uint64_t v, int size)
{
    for (int i = 0; i < size; i++) {
        *(*at)++ = (unsigned char)(v >> 8 * i);
    }
}

/* A file with one array of float32 without elements. */
static size_t empty_list(unsigned char *out, const int64_t *dims, int ndim)
{
    unsigned char *at = out;
    put_bytes(&at, 0x112, 8);
    put_bytes(&at, 0, 8);
    put_bytes(&at, 1, 8);
    put_bytes(&at, 0xF993FACA, 4); /* NumPy's meaning of 0 */
    put_bytes(&at, 0, 4);
    put_bytes(&at, (uint64_t)ndim, 4);
    for (int i = 0; i < ndim; i++) {
        put_bytes(&at, (uint64_t)dims[i], 8);
    }
    put_bytes(&at, 1, 4);
    put_bytes(&at, 0, 4);
    put_bytes(&at, 0, 4);
    put_bytes(&at, 1, 8);
    put_bytes(&at, 1, 8);
    put_bytes(&at, 'w', 1);
    return (size_t)(at - out);
}

/* Before, only products up to the first 0 were bounded, and strides of the others overflowed. */
static void test_all_sizes_of_an_empty_array_are_bounded(void **state)
{
    static const struct {
        int64_t dims[3];
        int status;
    } cases[] = {
        {{0, 1 << 26, 1 << 27}, MX_OK},     {{0, 1 << 27, 1 << 27}, MX_FORMAT}, {{1 << 27, 0, 1 << 27}, MX_FORMAT},
        {{1 << 27, 1 << 27, 0}, MX_FORMAT}, {{0, 0, INT64_MAX}, MX_FORMAT},     {{0, 0, INT64_C(1) << 53}, MX_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char list[256];
        char npy[128] = "\x93NUMPY\1";
        char *header = npy + 10;
        struct world w;
        world_open(&w);
        assert_int_equal(add_memory(&w, list, empty_list(list, cases[i].dims, 3)), cases[i].status);
        memset(header, ' ', sizeof npy - 10);
        npy[8] = (char)(sizeof npy - 10);
        npy[9] = 0;
        const int n = snprintf(header, sizeof npy - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld, %lld)}",
                               (long long)cases[i].dims[0], (long long)cases[i].dims[1], (long long)cases[i].dims[2]);
        header[n] = ' ';
        npy[sizeof npy - 1] = '\n';
        assert_int_equal(add_memory(&w, npy, sizeof npy), cases[i].status);
        assert_int_equal(set_param(&w, "a", MX_FLOAT32, 3, cases[i].dims, "", 0), cases[i].status == MX_OK ? MX_OK : MX_INVALID_ARGUMENT);
        if (cases[i].status != MX_OK) {
            assert_said(&w, "has more than 2^53 elements, sizes of 0 not counted");
            assert_said(&w, "the value for 'a' is not valid: its shape has more than 2^53 elements, sizes of 0 not counted");
        }
        world_close(&w);
    }
}

/* The start of a record: its version, its storage and its shape. An array whose shape is not known has no more than that. */
static void the_head_of_a_record_is_checked(void **state)
{
    enum { V2 = 10, V3 = 11 }; /* F993FAC0 less */
    static const struct {
        int version, storage, ndim;
        int64_t dim;
        const char *said; /* NULL: it is read */
    } rows[] = {
        {V3, 0, -1, 0, NULL},
        {V3, 0, 1, -1, NULL},
        {V2, 0, 0, 0, NULL},
        {V3, 0, 1, -2, "has a negative dimension"},
        {V2, 0, 1, -1, "has a negative dimension"},
        {V3, 0, -2, 0, "claims rank -2, and at most 32 is possible"},
        {V2, 0, -1, 0, "claims rank -1, and at most 32 is possible"},
        {V2, 0, 33, 0, "claims rank 33, and at most 32 is possible"},
        {V3, 1, -1, 0, "has a storage type that MXNet does not have"},
        {V2, 3, 0, 0, "has a storage type that MXNet does not have"},
        {V2, -1, 0, 0, "has a storage type that MXNet does not have"},
        {9, 0, 0, 0, "does not start with the header of an array"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char list[512], *at = list;
        struct world w;
        put_bytes(&at, 0x112, 8);
        put_bytes(&at, 0, 8);
        put_bytes(&at, 1, 8);
        put_bytes(&at, rows[i].version == 9 ? 33 : 0xF993FABF + (uint64_t)rows[i].version, 4);
        put_bytes(&at, (uint64_t)rows[i].storage, 4);
        put_bytes(&at, (uint64_t)rows[i].ndim, 4);
        for (int k = 0; k < rows[i].ndim; k++) {
            put_bytes(&at, (uint64_t)rows[i].dim, 8);
        }
        put_bytes(&at, 1, 8);
        put_bytes(&at, 1, 8);
        put_bytes(&at, 'w', 1);
        world_open(&w);
        assert_int_equal(add_memory(&w, list, (size_t)(at - list)), rows[i].said ? MX_FORMAT : MX_OK);
        if (rows[i].said) {
            assert_said(&w, rows[i].said);
        } else {
            assert_said(&w, "the array 'w' is a placeholder without a value, so it was left out");
            assert_int_equal(w.params.count, 0);
        }
        world_close(&w);
    }
}

/* MXNet's C API ends a name at a NUL byte. */
static void a_name_ends_at_a_nul_byte(void **state)
{
    unsigned char list[256], *at;
    struct world w;
    (void)state;
    at = list + empty_list(list, (const int64_t[]){0}, 1) - 9;
    put_bytes(&at, 3, 8);
    put_bytes(&at, 'w' | 'x' << 16, 3);
    world_open(&w);
    assert_int_equal(add_memory(&w, list, (size_t)(at - list)), MX_OK);
    assert_said(&w, "contains a NUL byte, so it was cut to 'w'");
    assert_non_null(mx_params_find(&w.params, "w"));
    world_close(&w);
}

/* NDArray::Save writes it. */
static void an_array_without_a_list_is_called_0(void **state)
{
    static const unsigned char numbers[8] = {0, 0, 128, 63, 0, 0, 0, 192}; /* 1, -2 */
    unsigned char record[64], *at = record;
    struct world w;
    put_bytes(&at, 0xF993FAC9, 4);
    put_bytes(&at, 0, 4);
    put_bytes(&at, 1, 4);
    put_bytes(&at, 2, 8);
    put_bytes(&at, 1, 8);
    put_bytes(&at, 0, 4);
    memcpy(at, numbers, sizeof numbers);
    at += sizeof numbers;
    world_open(&w);
    assert_int_equal(add_memory(&w, record, (size_t)(at - record) - 1), MX_FORMAT);
    assert_int_equal(add_memory(&w, record, (size_t)(at - record)), MX_OK);
    assert_int_equal(w.params.count, 1);
    const struct mx_param *p = mx_params_find(&w.params, "0");
    assert_true(p && p->dtype == MX_FLOAT32 && p->ndim == 1 && p->dims[0] == 2);
    unsigned char *bytes = param_bytes(p);
    assert_memory_equal(bytes, numbers, sizeof numbers);
    free(bytes);
    world_close(&w);
}

/* A byte of 2 is true; ONNX wants 1. */
static void test_bytes_of_bools_become_0_or_1(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/malformed/params/042_bool_byte_2.params"), MX_OK);
    const struct mx_param *x = mx_params_find(&w.params, "x");
    assert_non_null(x);
    assert_int_equal(x->dtype, MX_BOOL);
    unsigned char *bytes = param_bytes(x);
    assert_memory_equal(bytes, "\1\0", 2);
    free(bytes);
    world_close(&w);
}

/* A float32 array of one element, and its name of `length` bytes. */
static int add_named(struct world *w, uint64_t length)
{
    static const char head[] = "\x12\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\xC9\xFA\x93\xF9\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0"
                               "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3F\1\0\0\0\0\0\0";
    unsigned char bytes[sizeof head + 8];
    memcpy(bytes, head, sizeof head);
    for (int i = 0; i < 8; i++) {
        bytes[sizeof head + (size_t)i] = (unsigned char)(length >> (8 * i));
    }
    return add_params(&w->params, large_file(&(struct beginning){.bytes = bytes, .n = sizeof bytes}, sizeof bytes + length), "FILE");
}

/* A MiB, though only its first byte is a letter. */
static void a_name_has_a_longest_length(void **state)
{
    for (uint64_t more = 0; more < 2; more++) {
        struct world w;
        world_open(&w);
        assert_int_equal(add_named(&w, (1 << 20) + more), more ? MX_FORMAT : MX_OK);
        assert_said(&w, more ? "'FILE': array 0 has a name of more than 1 MiB" : "the name of array 0 contains a NUL byte");
        world_close(&w);
    }
}

/* As many as a file of its size may have, and more than anyone has. */
static void the_number_of_arrays_has_a_limit(void **state)
{
    static const unsigned char head[] = "\x12\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\1\0\0\0";
    struct world w;
    world_open(&w);
    assert_int_equal(add_params(&w.params, large_file(&(struct beginning){.bytes = head, .n = sizeof head}, 1 << 30), "FILE"),
                     MX_TOO_LARGE);
    assert_said(&w, "'FILE' holds 16777217 arrays, and at most 16777216 are possible");
    world_close(&w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST_IF(MX2ONNX_ZIP, arrays_of_the_samples_have_their_bytes),
        cmocka_unit_test(test_a_sparse_vector_becomes_dense),
        cmocka_unit_test(parts_of_another_rank_are_refused),
        cmocka_unit_test(pointers_of_csr_arrays_are_checked),
        cmocka_unit_test(test_later_load_replaces),
        cmocka_unit_test(a_value_of_another_rank_replaces_one),
        cmocka_unit_test(a_load_can_be_taken_back),
        cmocka_unit_test(a_value_that_was_removed_is_not_found),
        cmocka_unit_test(test_duplicates_are_reported),
        cmocka_unit_test(test_failed_file_adds_nothing),
        cmocka_unit_test(test_the_size_of_an_array_that_is_set_is_checked),
        cmocka_unit_test(test_all_sizes_of_an_empty_array_are_bounded),
        cmocka_unit_test(the_head_of_a_record_is_checked),
        cmocka_unit_test(a_name_ends_at_a_nul_byte),
        cmocka_unit_test(a_name_has_a_longest_length),
        cmocka_unit_test(the_number_of_arrays_has_a_limit),
        cmocka_unit_test(an_array_without_a_list_is_called_0),
        cmocka_unit_test(test_bytes_of_bools_become_0_or_1),
        cmocka_unit_test(test_copies_have_the_same_bytes),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_params", tests, NULL, NULL);
}
