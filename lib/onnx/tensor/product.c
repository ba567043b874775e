/* The elements of a product, computed when they are written, as many as go into a block. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/num.h"
#include "onnx/tensor/bytes.h"

enum {
    COLUMNS = 64 << 10, /* elements of the right matrix that are held at once, but one column at least */
};

/* ---- elements */

/* Columns [from, from + width) of the right matrix, each in one piece. */
static int load_columns(const struct ox_product *p, uint64_t from, uint64_t width, float *out, float *line)
{
    struct ox_reader right = {.tensor = p->right};
    if (p->turned) {
        return ox_reader_read(&right, from * p->k, (size_t)(width * p->k), out);
    }
    for (uint64_t i = 0; i < p->k; i++) {
        MX_TRY(ox_reader_read(&right, i * p->n + from, (size_t)width, line));
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

/* What is held while elements [first, last) are computed. */
struct work {
    const struct ox_product *p;
    uint64_t first, last;
    float *columns, *line, *row, *bias;
    float *out;
};

static int multiply(struct work *w, uint64_t from, uint64_t width)
{
    const struct ox_product *p = w->p;
    struct ox_reader left = {.tensor = p->left}, bias = {.tensor = p->bias};
    MX_TRY(load_columns(p, from, width, w->columns, w->line));
    MX_TRY(p->bias ? ox_reader_read(&bias, from, (size_t)width, w->bias) : MX_OK);
    for (uint64_t r = w->first / p->n; r * p->n < w->last; r++) {
        MX_TRY(ox_reader_read(&left, r * p->k, (size_t)p->k, w->row));
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

int ox_product_read(const struct ox_product *p, uint64_t first, size_t count, float *out)
{
    const uint64_t last = first + count;
    const bool one_row = first / p->n == (last - 1) / p->n;
    const uint64_t from = one_row ? first % p->n : 0, to = one_row ? from + count : p->n;
    uint64_t width = p->k < COLUMNS ? COLUMNS / p->k : 1;
    width = width < to - from ? width : to - from;
    float *room = mx_calloc((size_t)(width * p->k + 2 * width + p->k), sizeof *room);
    MX_TRY_ALLOC(room);
    struct work w = {.p = p, .first = first, .last = last, .columns = room, .line = room + width * p->k, .out = out};
    w.bias = w.line + width;
    w.row = w.bias + width;
    int status = MX_OK;
    for (uint64_t c = from; c < to && status == MX_OK; c += width) {
        status = multiply(&w, c, width < to - c ? width : to - c);
    }
    mx_free(room);
    return status;
}

/* Is an element of it a product? */
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
