/* A weight that is read as it is and, transposed, by a product is written once. */
#include "build_common.h"

#include "base/io.h"

enum { COLUMNS = 128 };

/* How a product reads the numbers of W. */
struct view {
    int ndim;
    int64_t dims[3], strides[3];
};

/* x W^T, or x times a view of W, and also rows of W if `read`: W is a range of a file. */
static void tie(struct t *t, int64_t rows, bool read, const struct view *view, const char *want)
{
    const size_t size = (size_t)rows * COLUMNS * sizeof(float);
    struct mx_source *s = NULL;
    void *file = mx_calloc(size, 1);
    assert_non_null(file);
    assert_int_equal(mx_source_open_memory(&s, file, size, true), MX_OK);
    struct ox_build *b = begin(t, 17);
    const struct ox_piece piece = {.kind = OX_PIECE_RANGE, .source = s, .length = size, .stored = F32};
    const struct ox_tensor like = {.dtype = F32, .ndim = 2, .dims = INTS(rows, COLUMNS), .pieces = &piece, .n_pieces = 1};
    const ox_val w = ox_param(b, "w", &like);
    if (read) {
        ox_output(b, ox_emit(b, OX_Gather, OX_IN(w, input(t, "at", MX_INT64, "n")), OX_NO_ATTRS), "rows");
    }
    struct ox_tensor other = {.dtype = F32, .base = ox_tensor_of(b, w)};
    if (view) {
        other.ndim = view->ndim;
        other.dims = view->dims;
        other.strides = view->strides;
    }
    const ox_val factor = view ? ox_tensor_value(b, &other) : ox_swap_axes(b, w, 0, 1);
    ox_output(b, ox_matmul(b, input(t, "x", F32, view && view->dims[0] == 64 ? "n,64" : "n,128"), factor), "product");
    assert_int_equal(ox_finish(&t->m), MX_OK);
    assert_int_equal(ox_tie_weights(&t->m), MX_OK);
    assert_int_equal(ox_order(&t->m), MX_OK);
    assert_nodes(t, want);
    end(t);
    mx_source_close(s);
}

static void a_weight_that_is_read_in_both_orders_is_written_once(void **state)
{
    struct t t;
    tie(&t, 128, true, NULL,
        "0 Gather(w, at) float32 (n, 128)\n"
        "1 Transpose(w) perm=1,0 float32 (128, 128)\n"
        "2 MatMul(x, %1) float32 (n, 128)\n");
}

static void other_weights_stay(void **state)
{
    struct t t;
    tie(&t, 127, true, NULL, "0 Gather(w, at) float32 (n, 128)\n1 MatMul(x, %-1) float32 (n, 127)\n"); /* small */
    tie(&t, 256, false, NULL, "0 MatMul(x, %-1) float32 (n, 256)\n");                                  /* read transposed only */
}

/* Of these views only the first is W^T. */
static void other_views_stay(void **state)
{
    static const struct view views[] = {
        {2, {128, 128}, {1, 128}}, {2, {64, 128}, {1, 128}},  {2, {128, 64}, {1, 128}},        {2, {128, 128}, {128, 1}},
        {2, {128, 128}, {1, 127}}, {2, {128, 128}, {0, 128}}, {3, {128, 128, 2}, {1, 128, 0}},
    };
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        struct t t;
        tie(&t, 128, true, &views[i],
            i == 0                   ? "0 Gather(w, at) float32 (n, 128)\n1 Transpose(w) perm=1,0 float32 (128, 128)\n"
                                       "2 MatMul(x, %1) float32 (n, 128)\n"
            : views[i].ndim == 3     ? "0 Gather(w, at) float32 (n, 128)\n1 MatMul(x, %-1) float32 (128, n, 2)\n"
            : views[i].dims[1] == 64 ? "0 Gather(w, at) float32 (n, 128)\n1 MatMul(x, %-1) float32 (n, 64)\n"
                                     : "0 Gather(w, at) float32 (n, 128)\n1 MatMul(x, %-1) float32 (n, 128)\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_that_is_read_in_both_orders_is_written_once),
        cmocka_unit_test(other_weights_stay),
        cmocka_unit_test(other_views_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
