/* npy and npz as NumPy, Python and SciPy write them (tests/data/read/make.py): values known from how they were made. */
#include "base/num.h"
#include "read_common.h"

static const struct mx_param *param(struct world *w, const char *name)
{
    const struct mx_param *p = mx_params_find(&w->params, name);
    if (!p) {
        fail_msg("%s is missing", name);
    }
    return p;
}

static void assert_floats(const struct mx_param *p, const float *values, size_t n)
{
    assert_int_equal(p->dtype, MX_FLOAT32);
    assert_int_equal(p->length, n * sizeof *values);
    unsigned char *bytes = param_bytes(p);
    mx_little_endian(bytes, sizeof *values, n);
    assert_memory_equal(bytes, values, n * sizeof *values);
    free(bytes);
}

static void assert_dims(const struct mx_param *p, int ndim, const int64_t *dims)
{
    assert_int_equal(p->ndim, ndim);
    for (int i = 0; i < ndim; i++) {
        assert_int_equal(p->dims[i], dims[i]);
    }
}

static void assert_cube(const struct mx_param *p)
{
    float values[24];
    for (int i = 0; i < 24; i++) {
        values[i] = (float)i;
    }
    assert_dims(p, 3, (int64_t[]){2, 3, 4});
    assert_floats(p, values, 24);
}

static uint64_t most_work;

static int32_t note_work(uint64_t done, uint64_t total, void *user)
{
    const struct mx_budget *b = user;
    (void)done;
    (void)total;
    most_work = b->work > most_work ? b->work : most_work;
    return 0;
}

/* Each byte of an archive adds a little work. */
static void the_work_of_an_archive_is_small(void **state)
{
    struct world w;
    struct mx_budget budget;
    mx_budget_init(&budget);
    mx_budget_begin(&budget);
    budget.progress = note_work;
    budget.user = &budget;
    world_open(&w);
    w.arena.budget = w.diags.budget = &budget;
    assert_int_equal(add_file(&w, "made/read/deflated.npz"), MX_OK);
    assert_in_range(most_work, 1, 1 << 24);
    assert_in_range(budget.work, 40000, 1 << 24); /* the bytes of its arrays */
    world_close(&w);
}

static void deflated_arrays_are_read(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/deflated.npz"), MX_OK);
    assert_int_equal(w.params.count, 2);
    assert_cube(param(&w, "w"));
    const struct mx_param *m = param(&w, "m");
    assert_dims(m, 2, (int64_t[]){100, 100});
    unsigned char *bytes = param_bytes(m);
    for (size_t i = 0; i < m->length; i++) {
        assert_int_equal(bytes[i], 0);
    }
    free(bytes);
    world_close(&w);
}

static void test_arrays_in_fortran_order_are_transposed(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/fortran.npz"), MX_OK);
    assert_cube(param(&w, "f"));
    const struct mx_param *swapped = param(&w, "fb");
    assert_int_equal(swapped->dtype, MX_INT16);
    assert_dims(swapped, 3, (int64_t[]){2, 3, 4});
    unsigned char *bytes = param_bytes(swapped);
    for (int i = 0; i < 24; i++) {
        assert_int_equal(bytes[2 * i], i);
        assert_int_equal(bytes[2 * i + 1], 0);
    }
    free(bytes);
    assert_ptr_equal(param(&w, "row")->source, w.params.sources[0]); /* one axis: nothing to turn */
    world_close(&w);
}

static void test_big_endian_arrays_are_swapped(void **state)
{
    static const struct {
        const char *name;
        enum mx_dtype dtype;
        unsigned char five[8]; /* the last element */
    } rows[] = {
        {"_f2", MX_FLOAT16, {0, 0x45}},
        {"_f4", MX_FLOAT32, {0, 0, 0xA0, 0x40}},
        {"_f8", MX_FLOAT64, {0, 0, 0, 0, 0, 0, 0x14, 0x40}},
        {"_i2", MX_INT16, {5}},
        {"_i4", MX_INT32, {5}},
        {"_i8", MX_INT64, {5}},
        {"_u2", MX_UINT16, {5}},
        {"_u4", MX_UINT32, {5}},
        {"_u8", MX_UINT64, {5}},
    };
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/big_endian.npz"), MX_OK);
    assert_int_equal(w.params.count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mx_param *p = param(&w, rows[i].name);
        const size_t size = mx_dtype_size(rows[i].dtype);
        assert_int_equal(p->dtype, rows[i].dtype);
        assert_dims(p, 2, (int64_t[]){2, 3});
        unsigned char *bytes = param_bytes(p);
        assert_memory_equal(bytes + 5 * size, rows[i].five, size);
        free(bytes);
    }
    world_close(&w);
}

static void all_versions_of_npy_are_read(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/versions.npz"), MX_OK);
    assert_cube(param(&w, "v1"));
    assert_cube(param(&w, "v2"));
    assert_cube(param(&w, "v3"));
    world_close(&w);
}

static void check_two_by_three(const char *file)
{
    static const float values[] = {0, 1, 2, 3, 4, 5};
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, file), MX_OK);
    assert_dims(param(&w, "0"), 2, (int64_t[]){2, 3});
    assert_floats(param(&w, "0"), values, 6);
    assert_said(&w, "which is called '0'");
    world_close(&w);
}

static void test_shapes_of_python_2_are_read(void **state)
{
    check_two_by_three("made/read/python2.npy");
}

static void test_long_headers_are_read(void **state)
{
    check_two_by_three("made/read/long_header.npy");
}

static void bfloat16_is_read(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/bfloat16.npy"), MX_OK);
    assert_int_equal(param(&w, "0")->dtype, MX_BFLOAT16);
    unsigned char *bytes = param_bytes(param(&w, "0"));
    assert_memory_equal(bytes, "\x80\x3F\x00\xC0\x60\x40", 6);
    free(bytes);
    world_close(&w);
}

static void test_a_csr_matrix_of_scipy_is_read(void **state)
{
    static const float values[] = {0, 0, 1, 0, 0, 0, 2, 0, 3};
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/scipy_csr.npz"), MX_OK);
    assert_int_equal(w.params.count, 1);
    assert_dims(param(&w, "csr"), 2, (int64_t[]){3, 3});
    assert_floats(param(&w, "csr"), values, 9);
    world_close(&w);
}

/* The indices are int32, as in SciPy on Windows; one array has no elements, whatever rows are stored. */
static void test_sparse_rows_of_npz_are_read(void **state)
{
    static const float values[] = {1, 2, 0, 0, 3, 4};
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/rows.npz"), MX_OK);
    assert_dims(param(&w, "w"), 2, (int64_t[]){3, 2});
    assert_floats(param(&w, "w"), values, 6);
    assert_dims(param(&w, "empty"), 2, (int64_t[]){3, 0});
    assert_dims(param(&w, "none"), 2, (int64_t[]){0, 2});
    const struct mx_param *byte = param(&w, "byte"); /* of no order, whatever its header says */
    assert_ptr_equal(byte->source, w.params.sources[0]);
    world_close(&w);
}

/* A folder with more than the parts of a sparse array is not a sparse array. */
static void test_a_folder_of_arrays_is_not_a_sparse_array(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/folder.npz"), MX_OK);
    assert_int_equal(w.params.count, 5);
    assert_int_equal(param(&w, "a/data")->dtype, MX_INT64);
    world_close(&w);
}

static void test_an_empty_archive_has_no_parameters(void **state)
{
    struct world w;
    world_open(&w);
    assert_int_equal(add_file(&w, "made/read/empty.zip"), MX_OK);
    assert_int_equal(w.params.count, 0);
    world_close(&w);
}

static void bad_arrays_are_refused(void **state)
{
    static const struct {
        const char *file;
        int status;
        const char *said;
    } rows[] = {
        {"made/read/sparse_format.npz", MX_UNSUPPORTED, "in a form that MXNet does not have"},
        {"made/read/sparse_shape_rank.npz", MX_UNSUPPORTED, "its shape is not a row of integers"},
        {"made/read/sparse_shape_type.npz", MX_UNSUPPORTED, "its shape is not a row of integers"},
        {"made/read/sparse_shape_33.npz", MX_UNSUPPORTED, "its shape is not a row of integers"},
        {"made/read/sparse_shape_0.npz", MX_FORMAT, "its shape is not that of a sparse array"},
        {"made/read/sparse_csr_vector.npz", MX_FORMAT, "its shape is not that of a sparse array"},
        {"made/read/sparse_index_type.npz", MX_FORMAT, "its indices are not a row of integers"},
        {"made/read/sparse_index_rank.npz", MX_FORMAT, "its indices are not a row of integers"},
        {"made/read/sparse_part_of_row.npz", MX_FORMAT, "the numbers of its rows and indices differ"},
        {"made/read/sparse_rows.npz", MX_FORMAT, "the numbers of its rows and indices differ"},
        {"made/read/sparse_empty_rows.npz", MX_FORMAT, "the numbers of its rows and indices differ"},
        {"made/read/sparse_csr_values.npz", MX_FORMAT, "the numbers of its values, indices and row pointers do not match"},
        {"made/read/complex.npz", MX_UNSUPPORTED, "element type '<c8'"},
        {"made/read/objects.npz", MX_UNSUPPORTED, "structured element type"},
        {"made/read/no_arrays.zip", MX_FORMAT, "without arrays"},
        {"made/read/crc.npz", MX_FORMAT, "CRC error"},
        {"made/read/bomb.npz", MX_FORMAT, "its size is not possible"},
        {"samples/archives/mlp.tar.gz", MX_FORMAT, "if it is a .tar.gz, load it as a whole model, without other files; otherwise unpack"},
        {"samples/archives/mlp.mar", MX_FORMAT, "load it as one"},
        {"samples/nets/1.9.1/mlp-symbol.json", MX_FORMAT, "give it as the symbol file, and only one such file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        world_open(&w);
        assert_int_equal(add_file(&w, rows[i].file), rows[i].status);
        assert_said(&w, rows[i].said);
        assert_int_equal(w.params.count, 0);
        world_close(&w);
    }
}

/* ---- headers made here */

static int read_header(struct world *w, const char *dict, size_t data)
{
    unsigned char file[512] = "\x93NUMPY\1";
    const size_t length = strlen(dict);
    assert_true(10 + length + data <= sizeof file);
    file[8] = (unsigned char)(length & 0xFF);
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + 10, dict, length);
    return add_memory(w, file, 10 + length + data);
}

static void odd_headers_are_read_or_refused(void **state)
{
    static const struct {
        const char *dict;
        size_t data;
        int status;
    } rows[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, MX_OK},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 24, MX_OK},
        {"{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", 24, MX_OK},
        {"{'descr': '=f4', 'fortran_order': False, 'shape': ()}", 4, MX_OK},
        {"{'descr': '|i1', 'fortran_order': True, 'shape': (0, 3)}", 0, MX_OK},
        {"{\t'descr'\n:\r'<f4', 'fortran_order':\tFalse,\n'shape':\r(\t2\n,\r3 ) , } ", 24, MX_OK},
        {"{'descr': '<f4567890123456789012345678901', 'fortran_order': False, 'shape': (2,)}", 24, MX_UNSUPPORTED},
        {"{'descr': '<f4567890123456789012345678901 ', 'fortran_order': False, 'shape': (2,)}", 24, MX_UNSUPPORTED},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 23, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1)}",
         4, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'shape': (2,)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False}", 24, MX_FORMAT},
        {"{'fortran_order': False, 'shape': (2,)}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", 24, MX_FORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 24, MX_FORMAT},
        {"{'descr': '<f4'", 24, MX_FORMAT},
        {"{'descr", 24, MX_FORMAT},
        {"", 24, MX_FORMAT},
        {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", 24, MX_UNSUPPORTED},
        {"{'descr': '<', 'fortran_order': False, 'shape': (2,)}", 24, MX_UNSUPPORTED},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}", 32, MX_UNSUPPORTED},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", 24, MX_UNSUPPORTED},
        {"{'descr': '<U4', 'fortran_order': False, 'shape': (2,)}", 32, MX_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        world_open(&w);
        const int status = read_header(&w, rows[i].dict, rows[i].data);
        if (status != rows[i].status) {
            fail_msg("%s: status %d", rows[i].dict, status);
        }
        assert_int_equal(w.params.count, status == MX_OK);
        assert_int_equal(w.diags.errors, status != MX_OK);
        world_close(&w);
    }
}

static void a_header_has_a_longest_length(void **state)
{
    for (unsigned char more = 0; more < 2; more++) {
        const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, more, 0, 16, 0};
        struct world w;
        world_open(&w);
        assert_int_equal(add_params(&w.params, large_file(&(struct beginning){.bytes = head, .n = sizeof head}, 2 << 20), "FILE"),
                         MX_FORMAT);
        assert_said(&w, more ? "has a header of more than 1 MiB" : "header");
        assert_int_equal(w.diags.count, 1);
        assert_int_equal(!strstr(w.diags.items[0].message, "1 MiB"), !more);
        world_close(&w);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deflated_arrays_are_read),
        cmocka_unit_test(the_work_of_an_archive_is_small),
        cmocka_unit_test(test_arrays_in_fortran_order_are_transposed),
        cmocka_unit_test(test_big_endian_arrays_are_swapped),
        cmocka_unit_test(all_versions_of_npy_are_read),
        cmocka_unit_test(test_shapes_of_python_2_are_read),
        cmocka_unit_test(test_long_headers_are_read),
        cmocka_unit_test(bfloat16_is_read),
        cmocka_unit_test(test_a_csr_matrix_of_scipy_is_read),
        cmocka_unit_test(test_sparse_rows_of_npz_are_read),
        cmocka_unit_test(test_a_folder_of_arrays_is_not_a_sparse_array),
        cmocka_unit_test(test_an_empty_archive_has_no_parameters),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(a_header_has_a_longest_length),
        cmocka_unit_test(odd_headers_are_read_or_refused),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_npy", tests, NULL, NULL);
}
