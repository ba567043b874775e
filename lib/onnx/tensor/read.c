/* Reads elements of a tensor by position: from files, bytes, fills and formulas, from views, and elements computed from other tensors.
 * Files are little-endian; results and pieces in memory are in the machine's byte order. */
#include "onnx/tensor/bytes.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/num.h"

enum {
    FORMULA = 64,       /* work of an element that is computed */
    COLUMNS = 64 << 10, /* elements of a product's right matrix held at once, with one column at least */
};

uint64_t ox_tensor_elements(const struct ox_tensor *t)
{
    uint64_t n = 1;
    for (int i = 0; i < t->ndim; i++) {
        if (t->dims[i] <= 0) {
            return 0;
        }
    }
    for (int i = 0; i < t->ndim; i++) {
        if (!mx_mul_u64(n, (uint64_t)t->dims[i], &n)) {
            return UINT64_MAX;
        }
    }
    return n;
}

uint64_t ox_tensor_bytes(const struct ox_tensor *t)
{
    uint64_t bytes;
    return mx_mul_u64(ox_tensor_elements(t), mx_dtype_size(t->dtype), &bytes) ? bytes : UINT64_MAX;
}

bool ox_tensor_in_memory(const struct ox_tensor *t)
{
    while (t->base) {
        t = t->base;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        if (ox_piece_is_stored(&t->pieces[i]) || ox_piece_computes(&t->pieces[i])) {
            return false;
        }
    }
    return true;
}

uint64_t ox_piece_elements(const struct ox_tensor *t, const struct ox_piece *p)
{
    return p->length / mx_dtype_size(ox_piece_is_stored(p) ? p->stored : t->dtype);
}

bool ox_piece_converts(const struct ox_tensor *t, const struct ox_piece *p)
{
    return p->stored != t->dtype || t->dtype == MX_BOOL;
}

/* True if any element of the tensor comes from a product. */
bool ox_has_products(const struct ox_tensor *t)
{
    while (t->base || (t->n_pieces == 1 && t->pieces[0].kind == OX_PIECE_ROWS)) {
        t = t->base ? t->base : t->pieces[0].rows->of;
    }
    for (int i = 0; i < t->n_pieces; i++) {
        if (t->pieces[i].kind == OX_PIECE_PRODUCT) {
            return true;
        }
    }
    return false;
}

/* ---- elements by position */

void ox_elements(bool clamp, enum mx_dtype t, const double *v, size_t n, void *out)
{
    enum { BLOCK = 512 };
    for (size_t done = 0; done < n; done += BLOCK) {
        double reals[BLOCK];
        const size_t some = n - done < BLOCK ? n - done : BLOCK;
        for (size_t i = 0; i < some; i++) {
            reals[i] = isnan(v[done + i]) ? (double)NAN : v[done + i]; /* the sign of a computed NaN depends on the processor */
        }
        ox_convert_as((struct ox_conversion){MX_FLOAT64, t, clamp}, reals, (uint8_t *)out + done * mx_dtype_size(t), some);
    }
}

static int read_converted(const struct ox_tensor *t, const struct ox_piece *p, uint64_t first, size_t n, uint8_t *out)
{
    uint64_t raw[2048];
    const size_t stored = mx_dtype_size(p->stored), written = mx_dtype_size(t->dtype);
    for (size_t done = 0; done < n;) {
        const size_t room = sizeof raw / stored;
        const size_t some = n - done < room ? n - done : room;
        MX_TRY(mx_source_read(p->source, p->offset + (first + done) * stored, raw, some * stored));
        mx_little_endian(raw, stored, some);
        ox_convert_as((struct ox_conversion){p->stored, t->dtype, t->clamp}, raw, out + done * written, some);
        done += some;
    }
    return MX_OK;
}

static int compute(const struct ox_tensor *t, const struct ox_piece *p, uint64_t first, size_t n, uint8_t *out)
{
    uint64_t raw[512];
    double values[sizeof raw / sizeof *raw];
    const size_t written = mx_dtype_size(t->dtype), room = sizeof raw / sizeof *raw;
    for (size_t done = 0; done < n;) {
        const size_t some = n - done < room ? n - done : room;
        mx_count_work(p->formula->budget, FORMULA * some);
        for (size_t i = 0; i < some; i++) {
            values[i] = p->formula->at(p->formula->spec, (int64_t)(p->offset + first + done + i));
        }
        ox_elements(t->clamp, p->stored, values, some, raw);
        ox_convert_as((struct ox_conversion){p->stored, t->dtype, t->clamp}, raw, out + done * written, some);
        done += some;
    }
    return MX_OK;
}

/* Doubles the part that is present until there are n elements, n > 0. */
static void repeat(const uint8_t *element, size_t size, uint8_t *out, size_t n)
{
    const size_t total = size * n;
    memcpy(out, element, size);
    for (size_t have = size; have < total;) {
        const size_t some = total - have < have ? total - have : have;
        memcpy(out + have, out, some);
        have += some;
    }
}

static int8_t level_of(float v)
{
    const float r = rintf(v);
    return r >= INT8_MAX ? INT8_MAX : r > INT8_MIN ? (int8_t)r : INT8_MIN;
}

static uint64_t factor_of_row(const struct ox_rows *q, uint64_t row)
{
    return q->cycle ? row / q->group * q->cycle + row % q->cycle : row;
}

/* Sixteen at a time, which compilers vectorise even at low optimization. */
static void scale(float *x, size_t n, float factor)
{
    enum { STEP = 16 };
    for (; n >= STEP; n -= STEP, x += STEP) {
        for (int i = 0; i < STEP; i++) {
            x[i] *= factor;
        }
    }
    for (size_t i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

static int scale_rows(const struct ox_rows *q, uint64_t first, size_t n, float *out)
{
    MX_TRY(ox_tensor_read_some(q->of, first, n, out));
    for (size_t done = 0; done < n;) {
        const uint64_t left = q->row - (first + done) % q->row;
        const size_t some = n - done < left ? n - done : (size_t)left;
        scale(out + done, some, q->factor[factor_of_row(q, (first + done) / q->row)]);
        done += some;
    }
    return MX_OK;
}

static int quantize_rows(const struct ox_rows *q, uint64_t first, size_t n, uint8_t *out)
{
    enum { ROOM = 512 };
    uint64_t raw[ROOM];
    float x[ROOM];
    for (size_t done = 0; done < n;) {
        const size_t some = n - done < ROOM ? n - done : ROOM;
        MX_TRY(ox_tensor_read_some(q->of, first + done, some, raw));
        ox_convert(q->of->dtype, MX_FLOAT32, raw, x, some);
        uint64_t row = (first + done) / q->row, left = q->row - (first + done) % q->row;
        for (size_t i = 0; i < some; i++, left--) {
            if (left == 0) {
                row++;
                left = q->row;
            }
            const float v = x[i] * q->factor[row];
            const int8_t level = level_of(v * q->scale[row]);
            memcpy(out + done + i, &level, 1);
        }
        done += some;
    }
    return MX_OK;
}

/* ---- products: all requested elements are computed together */

/* Columns [from, from + width) of the right matrix, each of them contiguous. */
static int load_columns(const struct ox_product *p, uint64_t from, uint64_t width, float *out, float *line)
{
    if (p->turned) {
        return ox_tensor_read_some(p->right, from * p->k, (size_t)(width * p->k), out);
    }
    for (uint64_t i = 0; i < p->k; i++) {
        MX_TRY(ox_tensor_read_some(p->right, i * p->n + from, (size_t)width, line));
        for (uint64_t c = 0; c < width; c++) {
            out[c * p->k + i] = line[c];
        }
    }
    return MX_OK;
}

static double dot(const float *x, const float *y, uint64_t n)
{
    double sum[4] = {0};
    uint64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += (double)x[i + (uint64_t)k] * (double)y[i + (uint64_t)k];
        }
    }
    for (; i < n; i++) {
        sum[0] += (double)x[i] * (double)y[i];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* The buffers held while elements [first, last) are computed. */
struct work {
    const struct ox_product *p;
    uint64_t first, last;
    float *columns, *line, *row, *bias;
    float *out;
};

static int multiply_columns(struct work *w, uint64_t from, uint64_t width)
{
    const struct ox_product *p = w->p;
    MX_TRY(load_columns(p, from, width, w->columns, w->line));
    MX_TRY(p->bias ? ox_tensor_read_some(p->bias, from, (size_t)width, w->bias) : MX_OK);
    for (uint64_t r = w->first / p->n; r * p->n < w->last; r++) {
        MX_TRY(ox_tensor_read_some(p->left, r * p->k, (size_t)p->k, w->row));
        MX_TRY(mx_tick(p->budget, p->k * width));
        for (uint64_t c = 0; c < width; c++) {
            const uint64_t at = r * p->n + from + c;
            if (at >= w->first && at < w->last) {
                const double start = p->bias ? (double)w->bias[c] : 0;
                w->out[at - w->first] = (float)(start + dot(w->row, w->columns + c * p->k, p->k));
            }
        }
    }
    return MX_OK;
}

static int read_product(const struct ox_product *p, uint64_t first, size_t count, float *out)
{
    MX_ASSERT(p->n > 0 && p->k > 0); /* float_matrix in product.c takes none without elements */
    const uint64_t last = first + count;
    const bool one_row = first / p->n == (last - 1) / p->n;
    const uint64_t from = one_row ? first % p->n : 0, to = one_row ? from + count : p->n;
    uint64_t width = p->k < COLUMNS ? COLUMNS / p->k : 1;
    width = width < to - from ? width : to - from;
    const uint64_t floats = width * p->k + 2 * width + p->k; /* k is at most 2^32 (most_terms) */
    float *room = floats <= SIZE_MAX / sizeof *room ? mx_calloc((size_t)floats, sizeof *room) : NULL;
    MX_TRY_ALLOC(room);
    struct work w = {.p = p, .first = first, .last = last, .columns = room, .line = room + width * p->k, .out = out};
    w.bias = w.line + width;
    w.row = w.bias + width;
    int status = MX_OK;
    for (uint64_t c = from; c < to && status == MX_OK; c += width) {
        status = multiply_columns(&w, c, width < to - c ? width : to - c);
    }
    mx_free(room);
    return status;
}

/* ---- pieces and views */

static int read_piece(const struct ox_tensor *t, const struct ox_piece *p, uint64_t first, size_t n, uint8_t *out)
{
    const size_t size = mx_dtype_size(t->dtype);
    switch (p->kind) {
    case OX_PIECE_RANGE:
        if (ox_piece_converts(t, p)) {
            return read_converted(t, p, first, n, out);
        }
        MX_TRY(mx_source_read(p->source, p->offset + first * size, out, n * size));
        mx_little_endian(out, size, n);
        return MX_OK;
    case OX_PIECE_BYTES: memcpy(out, p->bytes + first * size, n * size); return MX_OK;
    case OX_PIECE_FILL: repeat(p->bytes, size, out, n); return MX_OK;
    case OX_PIECE_FORMULA: return compute(t, p, first, n, out);
    case OX_PIECE_ROWS: return p->rows->scale ? quantize_rows(p->rows, first, n, out) : scale_rows(p->rows, first, n, (void *)out);
    case OX_PIECE_PRODUCT: return read_product(p->product, first, n, (void *)out);
    }
    return MX_INTERNAL; /* Not by a file: the switch is complete. */
}

int ox_piece_at(const struct ox_tensor *t, uint64_t element)
{
    int least = 0, most = t->n_pieces - 1;
    while (least < most) {
        const int middle = least + (most - least + 1) / 2;
        if (t->pieces[middle].first <= element) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    return least;
}

static int read_pieces(const struct ox_tensor *t, uint64_t first, size_t n, uint8_t *out)
{
    for (int i = ox_piece_at(t, first); n > 0; i++) {
        const struct ox_piece *p = i < t->n_pieces ? &t->pieces[i] : NULL;
        if (!p || first - p->first >= ox_piece_elements(t, p)) {
            return MX_INTERNAL; /* Not by a file: the pieces hold as many elements as the dims (one_piece, add_run). */
        }
        const uint64_t skip = first - p->first, count = ox_piece_elements(t, p) - skip;
        const size_t some = n < count ? n : (size_t)count;
        MX_TRY(read_piece(t, p, skip, some, out));
        out += some * mx_dtype_size(t->dtype);
        first += some;
        n -= some;
    }
    return MX_OK;
}

/* The index in the base of element `at` of a view. */
static uint64_t view_position(const struct ox_tensor *t, uint64_t at)
{
    int64_t position = t->start;
    for (int i = t->ndim - 1; i >= 0; i--) {
        const uint64_t size = (uint64_t)t->dims[i];
        position += (int64_t)(at % size) * t->strides[i];
        at /= size;
    }
    return (uint64_t)position;
}

/* A view of a view: rare, so one element at a time. Its base has pieces or a base with pieces: values/view.c makes no other. */
static int read_view(const struct ox_tensor *t, uint64_t first, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t element;
        MX_TRY(ox_tensor_read_some(t->base, view_position(t, first + i), 1, &element));
        ox_convert_as((struct ox_conversion){t->base->dtype, t->dtype, t->clamp}, &element, out + i * mx_dtype_size(t->dtype), 1);
    }
    return MX_OK;
}

int ox_tensor_read_some(const struct ox_tensor *t, uint64_t first, size_t n, void *out)
{
    return t->base ? read_view(t, first, n, out) : read_pieces(t, first, n, out);
}
