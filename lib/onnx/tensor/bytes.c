/* The bytes of a tensor, in order: ranges of files, bytes, fills. Views are gather.c's. Files and what goes to the sink are
 * little-endian; what readers give, pieces hold and blocks are made of is in the machine's order. */
#include "onnx/tensor/bytes.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

enum {
    COPY_BLOCK = 32 << 20, /* bytes between two calls of the progress function, at most */
    CONVERT_BLOCK = 256 << 10,
    FILL_BLOCK = 64 << 10,
    PRODUCT_BLOCK = 1 << 18, /* elements; a factor is read once for each block */
};

int ox_meter_add(struct ox_meter *m, uint64_t bytes)
{
    enum { STEP = 1 << 20 };
    if (!m) {
        return MX_OK;
    }
    m->done += bytes;
    if (!m->progress || (m->done - m->told < STEP && m->done != m->total) || m->done == m->told) {
        return MX_OK;
    }
    m->told = m->done;
    return m->progress(m->done, m->total, m->user) ? MX_CANCELLED : MX_OK;
}

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
    const size_t size = mx_dtype_size(ox_piece_is_stored(p) ? p->stored : t->dtype);
    return size ? p->length / size : 0;
}

bool ox_piece_converts(const struct ox_tensor *t, const struct ox_piece *p)
{
    return ox_piece_is_stored(p) && (p->stored != t->dtype || t->dtype == MX_BOOL);
}

/* ---- elements by position */

/* A double in an integer type: cut at its ends, where a C cast would be undefined. */
static int64_t to_integer(enum mx_dtype t, double v)
{
    static const struct {
        enum mx_dtype t;
        int64_t low, high;
    } ends[] = {
        {MX_BOOL, 0, 1},
        {MX_INT8, INT8_MIN, INT8_MAX},
        {MX_UINT8, 0, UINT8_MAX},
        {MX_INT16, INT16_MIN, INT16_MAX},
        {MX_UINT16, 0, UINT16_MAX},
        {MX_INT32, INT32_MIN, INT32_MAX},
        {MX_UINT32, 0, UINT32_MAX},
        {MX_UINT64, 0, INT64_MAX},
    };
    int64_t i = v >= 9223372036854775807.0    ? INT64_MAX
                : v <= -9223372036854775808.0 ? INT64_MIN
                : v == v                      ? (int64_t)v
                                              : 0;
    if (t == MX_BOOL) {
        return v != 0;
    }
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        if (ends[k].t == t) {
            i = i < ends[k].low ? ends[k].low : i > ends[k].high ? ends[k].high : i;
        }
    }
    return i;
}

void ox_element(bool clamp, enum mx_dtype t, double v, uint8_t out[8])
{
    v = isnan(v) ? (double)NAN : v; /* of a computed one the processor chooses the sign */
    if (t == MX_BOOL || mx_dtype_is_integer(t)) {
        const int64_t i = to_integer(t, v);
        ox_convert(MX_INT64, t, &i, out, 1);
    } else {
        ox_convert_as((struct ox_conversion){MX_FLOAT64, t, clamp}, &v, out, 1);
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

static void compute(const struct ox_tensor *t, const struct ox_piece *p, uint64_t first, size_t n, uint8_t *out)
{
    const size_t size = mx_dtype_size(p->stored);
    for (size_t i = 0; i < n; i++) {
        uint8_t one[8];
        ox_element(t->clamp, p->stored, p->formula->at(p->formula->spec, (int64_t)(p->offset + first + i)), one);
        memcpy(out + i * size, one, size);
    }
}

static int compute_converted(const struct ox_tensor *t, const struct ox_piece *p, uint64_t first, size_t n, uint8_t *out)
{
    uint64_t raw[512];
    const size_t written = mx_dtype_size(t->dtype), room = sizeof raw / sizeof *raw;
    for (size_t done = 0; done < n;) {
        const size_t some = n - done < room ? n - done : room;
        compute(t, p, first + done, some, (uint8_t *)raw);
        ox_convert_as((struct ox_conversion){p->stored, t->dtype, t->clamp}, raw, out + done * written, some);
        done += some;
    }
    return MX_OK;
}

/* Doubles the part that is there until n elements are. */
static void repeat(const uint8_t *element, size_t size, uint8_t *out, size_t n)
{
    if (n == 0) {
        return;
    }
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

/* By sixteen, which compilers turn into vector code also where they are asked for little. */
static void multiply(float *x, size_t n, float factor)
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
    struct ox_reader reader = {.tensor = q->of};
    MX_TRY(ox_reader_read(&reader, first, n, out));
    for (size_t done = 0; done < n;) {
        const uint64_t left = q->row - (first + done) % q->row;
        const size_t some = n - done < left ? n - done : (size_t)left;
        multiply(out + done, some, q->factor[factor_of_row(q, (first + done) / q->row)]);
        done += some;
    }
    return MX_OK;
}

static int quantize_rows(const struct ox_rows *q, uint64_t first, size_t n, uint8_t *out)
{
    enum { ROOM = 512 };
    uint64_t raw[ROOM];
    float x[ROOM];
    struct ox_reader reader = {.tensor = q->of};
    for (size_t done = 0; done < n;) {
        const size_t some = n - done < ROOM ? n - done : ROOM;
        MX_TRY(ox_reader_read(&reader, first + done, some, raw));
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
    case OX_PIECE_FORMULA: return compute_converted(t, p, first, n, out);
    case OX_PIECE_ROWS:
        return p->rows->scale ? quantize_rows(p->rows, first, n, out) : scale_rows(p->rows, first, n, (void *)out);
    case OX_PIECE_PRODUCT: return ox_product_read(p->product, first, n, (void *)out);
    }
    return MX_INTERNAL;
}

static int read_pieces(struct ox_reader *r, uint64_t first, size_t n, uint8_t *out)
{
    const struct ox_tensor *t = r->tensor;
    if (first < r->piece_first) {
        r->piece = 0;
        r->piece_first = 0;
    }
    while (n > 0) {
        if (r->piece >= t->n_pieces) {
            return MX_INTERNAL;
        }
        const struct ox_piece *p = &t->pieces[r->piece];
        const uint64_t count = ox_piece_elements(t, p), skip = first - r->piece_first;
        if (skip >= count) {
            r->piece_first += count;
            r->piece++;
            continue;
        }
        const size_t some = n < count - skip ? n : (size_t)(count - skip);
        MX_TRY(read_piece(t, p, skip, some, out));
        out += some * mx_dtype_size(t->dtype);
        first += some;
        n -= some;
    }
    return MX_OK;
}

/* The base's element that is element `at` of a view. */
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

/* A view of a view: rare, so one element at a time. */
static int read_view(const struct ox_tensor *t, uint64_t first, size_t n, uint8_t *out)
{
    const struct ox_tensor *chain = t;
    for (int depth = 0; chain->base; chain = chain->base) {
        if (++depth > 16) {
            return MX_INTERNAL;
        }
    }
    struct ox_reader base = {.tensor = t->base};
    for (size_t i = 0; i < n; i++) {
        uint64_t element;
        MX_TRY(ox_reader_read(&base, view_position(t, first + i), 1, &element));
        ox_convert_as((struct ox_conversion){t->base->dtype, t->dtype, t->clamp}, &element, out + i * mx_dtype_size(t->dtype), 1);
    }
    return MX_OK;
}

int ox_reader_read(struct ox_reader *r, uint64_t first, size_t n, void *out)
{
    return r->tensor->base ? read_view(r->tensor, first, n, out) : read_pieces(r, first, n, out);
}

/* ---- whole tensors */

/* Elements of a block to the sink; the block is not the same afterwards. */
static int put_to_sink(struct ox_target *target, void *block, size_t size, size_t n)
{
    mx_little_endian(block, size, n);
    MX_TRY(mx_sink_write(target->sink, block, n * size));
    return ox_meter_add(target->meter, n * size);
}

static int put_to_memory(struct ox_target *target, void *block, size_t size, size_t n)
{
    memcpy(target->memory, block, n * size);
    target->memory += n * size;
    return MX_OK;
}

static int emit_fill(const struct ox_tensor *t, const struct ox_piece *p, struct mx_sink *to, struct ox_meter *meter)
{
    const size_t size = mx_dtype_size(t->dtype);
    const size_t room = p->length < FILL_BLOCK ? (size_t)p->length : FILL_BLOCK;
    uint8_t *block = mx_calloc(room ? room : 1, 1);
    MX_TRY_ALLOC(block);
    repeat(p->bytes, size, block, room / size);
    mx_little_endian(block, size, room / size);
    int status = MX_OK;
    for (uint64_t left = p->length; left > 0 && status == MX_OK;) {
        const size_t some = left < room ? (size_t)left : room;
        status = mx_sink_write(to, block, some);
        if (status == MX_OK) {
            status = ox_meter_add(meter, some);
        }
        left -= some;
    }
    mx_free(block);
    return status;
}

/* What is not in the file as it is to be written. */
static int emit_elements(const struct ox_tensor *t, const struct ox_piece *p, struct mx_sink *to,
                         struct ox_meter *meter)
{
    const size_t size = mx_dtype_size(t->dtype);
    const uint64_t count = ox_piece_elements(t, p);
    const size_t most = p->kind == OX_PIECE_PRODUCT ? PRODUCT_BLOCK : CONVERT_BLOCK / 8;
    const size_t room = count < most ? (size_t)count : most;
    uint8_t *block = mx_calloc(room ? room : 1, size);
    MX_TRY_ALLOC(block);
    struct ox_target target = {.sink = to, .meter = meter};
    int status = MX_OK;
    for (uint64_t done = 0; done < count && status == MX_OK;) {
        const size_t some = count - done < room ? (size_t)(count - done) : room;
        status = read_piece(t, p, done, some, block);
        if (status == MX_OK) {
            status = put_to_sink(&target, block, size, some);
        }
        done += some;
    }
    mx_free(block);
    return status;
}

static int emit_range(const struct ox_piece *p, struct mx_sink *to, struct ox_meter *meter)
{
    for (uint64_t done = 0; done < p->length;) {
        const uint64_t some = p->length - done < COPY_BLOCK ? p->length - done : COPY_BLOCK;
        MX_TRY(mx_sink_copy(to, p->source, p->offset + done, some));
        MX_TRY(ox_meter_add(meter, some));
        done += some;
    }
    return MX_OK;
}

static int emit_piece(const struct ox_tensor *t, const struct ox_piece *p, struct mx_sink *to, struct ox_meter *meter)
{
    switch (p->kind) {
    case OX_PIECE_RANGE: return ox_piece_converts(t, p) ? emit_elements(t, p, to, meter) : emit_range(p, to, meter);
    case OX_PIECE_FILL: return emit_fill(t, p, to, meter);
    case OX_PIECE_BYTES:
    case OX_PIECE_FORMULA:
    case OX_PIECE_ROWS:
    case OX_PIECE_PRODUCT: return emit_elements(t, p, to, meter);
    }
    return MX_INTERNAL;
}

int ox_tensor_emit(const struct ox_tensor *t, struct mx_sink *to, struct ox_meter *meter)
{
    if (ox_tensor_elements(t) == 0) {
        return MX_OK;
    }
    if (t->base) {
        return ox_view_put(t, &(struct ox_target){.put = put_to_sink, .sink = to, .meter = meter});
    }
    for (int i = 0; i < t->n_pieces; i++) {
        MX_TRY(emit_piece(t, &t->pieces[i], to, meter));
    }
    return MX_OK;
}

int ox_tensor_write(const struct ox_tensor *t, struct mx_sink *to)
{
    return ox_tensor_emit(t, to, NULL);
}

int ox_tensor_read(const struct ox_tensor *t, void *out)
{
    const uint64_t n = ox_tensor_elements(t);
    if (n == 0) {
        return MX_OK;
    }
    if (ox_tensor_bytes(t) > SIZE_MAX / 2) {
        return MX_TOO_LARGE;
    }
    if (t->base) {
        return ox_view_put(t, &(struct ox_target){.put = put_to_memory, .memory = out});
    }
    return ox_reader_read(&(struct ox_reader){.tensor = t}, 0, (size_t)n, out);
}
