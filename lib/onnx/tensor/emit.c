/* Writes whole tensors, in order, to a sink or to memory. Data in a sink is little-endian; views come from gather.c. */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "onnx/tensor/bytes.h"

enum {
    COPY_BLOCK = 32 << 20, /* most bytes between two calls of the progress function */
    ELEMENTS_BLOCK = 32 << 10,
    PRODUCT_BLOCK = 1 << 18, /* elements; a factor is read once for each block */
};

int ox_meter_add(struct ox_meter *m, uint64_t bytes)
{
    enum { STEP = 1 << 20 };
    if (!m) {
        return MX_OK;
    }
    m->done += bytes;
    if (!m->progress || (m->done - m->reported < STEP && m->done != m->total) || m->done == m->reported) {
        return MX_OK;
    }
    m->reported = m->done;
    return m->progress(m->done, m->total, m->user) ? MX_CANCELLED : MX_OK;
}

/* Writes the elements of a block to the sink; the block is modified. */
static int put_to_sink(struct ox_destination *to, void *block, size_t size, size_t n)
{
    mx_little_endian(block, size, n);
    MX_TRY(mx_sink_write(to->sink, block, n * size));
    return ox_meter_add(to->meter, n * size);
}

static int put_to_memory(struct ox_destination *to, void *block, size_t size, size_t n)
{
    memcpy(to->memory, block, n * size);
    to->memory += n * size;
    return MX_OK;
}

/* Elements [first, first + count), count > 0, of a tensor that cannot be copied from its file unchanged. */
static int emit_elements(const struct ox_tensor *t, uint64_t first, uint64_t count, size_t most, struct ox_destination *to)
{
    const size_t size = mx_dtype_size(t->dtype), room = count < most ? (size_t)count : most;
    uint8_t *block = mx_calloc(room, size);
    MX_TRY_ALLOC(block);
    int status = MX_OK;
    for (uint64_t done = 0; done < count && status == MX_OK;) {
        const size_t some = count - done < room ? (size_t)(count - done) : room;
        status = ox_tensor_read_some(t, first + done, some, block);
        if (status == MX_OK) {
            status = put_to_sink(to, block, size, some);
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

static int emit_pieces(const struct ox_tensor *t, struct ox_destination *to)
{
    for (int i = 0; i < t->n_pieces; i++) {
        const struct ox_piece *p = &t->pieces[i];
        const uint64_t count = ox_piece_elements(t, p);
        if (p->kind == OX_PIECE_RANGE && !ox_piece_converts(t, p)) {
            MX_TRY(emit_range(p, to->sink, to->meter));
        } else {
            const size_t most = p->kind == OX_PIECE_PRODUCT ? PRODUCT_BLOCK : ELEMENTS_BLOCK;
            MX_TRY(emit_elements(t, p->first, count, most, to));
        }
    }
    return MX_OK;
}

int ox_tensor_emit(const struct ox_tensor *t, struct mx_sink *to, struct ox_meter *meter)
{
    struct ox_destination destination = {.put = put_to_sink, .sink = to, .meter = meter};
    return ox_tensor_elements(t) == 0 ? MX_OK : t->base ? ox_view_put(t, &destination) : emit_pieces(t, &destination);
}

int ox_tensor_read(const struct ox_tensor *t, void *out)
{
    const uint64_t n = ox_tensor_elements(t);
    if (n == 0) {
        return MX_OK;
    }
    if (ox_tensor_bytes(t) > PTRDIFF_MAX) {
        return MX_TOO_LARGE;
    }
    if (t->base) {
        return ox_view_put(t, &(struct ox_destination){.put = put_to_memory, .memory = out});
    }
    return ox_tensor_read_some(t, 0, (size_t)n, out);
}
