/* One .npy: numpy/lib/format.py (versions 1.0 to 3.0); MXNet 2 in src/serialization/cnpy.cc. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/num.h"
#include "read/params_internal.h"

enum { MAX_HEADER = 1 << 20 }; /* limit: bytes of the header of an npy array */

struct header {
    enum mx_dtype dtype;
    bool big_endian, fortran;
    int ndim; /* -1: no shape seen yet */
    int64_t dims[MX_MAX_RANK];
    bool has_order;
};

static int bad(struct mx_cursor *c, const char *text)
{
    return mx_fail(c->diags, MX_FORMAT, mx_named(c->label),
                   "'%s': %s %s" MX_HELP "copy or save the file again: it is damaged or of a newer format", c->label, c->what, text);
}

/* ---- the dict, a Python literal like {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } */

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\n' || **at == '\t' || **at == '\r') {
        (*at)++;
    }
}

static bool accept(const char **at, const char *text)
{
    skip_blanks(at);
    const size_t n = strlen(text);
    if (strncmp(*at, text, n) != 0) {
        return false;
    }
    *at += n;
    return true;
}

static bool scan_string(const char **at, char *out, size_t capacity)
{
    skip_blanks(at);
    const char quote = **at;
    if (quote != '\'' && quote != '"') {
        return false;
    }
    const char *from = *at + 1;
    const char *end = strchr(from, quote);
    if (!end || (size_t)(end - from) >= capacity) {
        return false;
    }
    memcpy(out, from, (size_t)(end - from));
    out[end - from] = 0;
    *at = end + 1;
    return true;
}

/* Kind, bytes per element, type. MXNet 2 writes <b2 for bfloat16; NumPy has no such type. */
static const struct {
    char kind;
    int64_t size;
    enum mx_dtype dtype;
} types[] = {
    {'f', 4, MX_FLOAT32}, {'f', 8, MX_FLOAT64}, {'f', 2, MX_FLOAT16},  {'u', 1, MX_UINT8}, {'i', 4, MX_INT32},
    {'i', 1, MX_INT8},    {'i', 8, MX_INT64},   {'b', 1, MX_BOOL},     {'i', 2, MX_INT16}, {'u', 2, MX_UINT16},
    {'u', 4, MX_UINT32},  {'u', 8, MX_UINT64},  {'b', 2, MX_BFLOAT16},
};

static bool parse_descr(const char *text, struct header *h)
{
    const char order = *text;
    int64_t size;
    if (order == '<' || order == '>' || order == '|' || order == '=') {
        text++;
    }
    if (!*text || !mx_parse_int(text + 1, &size)) {
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].kind == *text && types[i].size == size) {
            h->dtype = types[i].dtype;
            h->big_endian = order == '>' && size > 1;
            return true;
        }
    }
    return false;
}

static int parse_type(struct mx_cursor *c, const char **at, struct header *h)
{
    char descr[32];
    if (!scan_string(at, descr, sizeof descr)) {
        return mx_fail(c->diags, MX_UNSUPPORTED, mx_named(c->label), "'%s': %s has a structured element type, which MXNet does not have",
                       c->label, c->what);
    }
    if (!parse_descr(descr, h)) {
        return mx_fail(c->diags, MX_UNSUPPORTED, mx_named(c->label),
                       "'%s': %s has the element type '%s', which MXNet does not have" MX_HELP "save real numbers of at most 64 bits",
                       c->label, c->what, descr);
    }
    return MX_OK;
}

/* "(2, 3)", "(2,)", "()"; Python 2 wrote "(2L, 3L)". */
static bool scan_shape(const char **at, struct header *h)
{
    if (!accept(at, "(")) {
        return false;
    }
    h->ndim = 0;
    while (!accept(at, ")")) {
        int64_t dim;
        if (h->ndim == MX_MAX_RANK || !mx_scan_int(*at, at, &dim) || dim < 0) {
            return false;
        }
        h->dims[h->ndim++] = dim;
        (void)accept(at, "L");
        if (!accept(at, ",")) {
            return accept(at, ")");
        }
    }
    return true;
}

static int parse_entry(struct mx_cursor *c, const char **at, struct header *h)
{
    char key[32];
    if (!scan_string(at, key, sizeof key) || !accept(at, ":")) {
        return bad(c, "has a damaged header");
    }
    if (strcmp(key, "descr") == 0) {
        return parse_type(c, at, h);
    }
    if (strcmp(key, "shape") == 0) {
        skip_blanks(at);
        return scan_shape(at, h) ? MX_OK : bad(c, "has a shape that cannot be read");
    }
    if (strcmp(key, "fortran_order") == 0) {
        h->has_order = true;
        h->fortran = accept(at, "True");
        return h->fortran || accept(at, "False") ? MX_OK : bad(c, "has a damaged header");
    }
    return bad(c, "has an unknown entry in its header");
}

static int parse_dict(struct mx_cursor *c, const char *text, struct header *h)
{
    const char *at = text;
    if (!accept(&at, "{")) {
        return bad(c, "has a damaged header");
    }
    while (!accept(&at, "}")) {
        MX_TRY(parse_entry(c, &at, h));
        if (!accept(&at, ",") && *at != '}') {
            return bad(c, "has a damaged header");
        }
    }
    if (h->dtype == MX_DTYPE_NONE || h->ndim < 0 || !h->has_order) {
        return bad(c, "has an incomplete header");
    }
    return MX_OK;
}

/* ---- the header around it */

static int read_preamble(struct mx_cursor *c, size_t *length)
{
    unsigned char head[8], size[4] = {0};
    MX_TRY(mx_cursor_read(c, head, sizeof head));
    if (memcmp(head, "\x93NUMPY", 6) != 0 || head[6] < 1 || head[6] > 3) {
        return bad(c, "is not in NumPy's format");
    }
    MX_TRY(mx_cursor_read(c, size, head[6] == 1 ? 2 : 4));
    *length = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    return mx_cursor_need(c, *length);
}

int mx_npy_skip_header(struct mx_cursor *c)
{
    size_t length = 0;
    MX_TRY(read_preamble(c, &length));
    return mx_cursor_skip(c, length);
}

static int read_header(struct mx_cursor *c, struct header *h)
{
    size_t length = 0;
    MX_TRY(read_preamble(c, &length));
    if (length > MAX_HEADER) {
        return bad(c, "has a header of more than 1 MiB");
    }
    char *text = mx_calloc(length + 1, 1);
    MX_TRY_ALLOC(text);
    int status = mx_cursor_read(c, text, length);
    if (status == MX_OK) {
        status = parse_dict(c, text, h);
    }
    mx_free(text);
    return status;
}

/* ---- reordering the data */

enum { ELEMENTS = 1 << 12, WORK = 16, AXIS_WORK = 4 }; /* between two ticks; per element; and for each of its axes */

static int swap_bytes(struct mx_budget *budget, unsigned char *data, uint64_t length, size_t size)
{
    for (uint64_t i = 0; i + size <= length; i += size) {
        if (i / size % ELEMENTS == 0) {
            MX_TRY(mx_tick(budget, ELEMENTS * WORK));
        }
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = data[i + k];
            data[i + k] = data[i + size - 1 - k];
            data[i + size - 1 - k] = byte;
        }
    }
    return MX_OK;
}

/* Fills the target in its order, last axis fastest; in the source the first axis is fastest. */
static int from_fortran(struct mx_budget *budget, const unsigned char *from, unsigned char *to, const struct header *h, uint64_t length)
{
    const size_t size = mx_dtype_size(h->dtype);
    uint64_t strides[MX_MAX_RANK];
    int64_t index[MX_MAX_RANK] = {0};
    uint64_t at = 0;
    for (int i = 0; i < h->ndim; i++) {
        strides[i] = i == 0 ? size : strides[i - 1] * (uint64_t)h->dims[i - 1];
    }
    for (uint64_t done = 0; done < length; done += size) {
        if (done / size % ELEMENTS == 0) {
            MX_TRY(mx_tick(budget, ELEMENTS * (WORK + AXIS_WORK * (uint64_t)h->ndim)));
        }
        memcpy(to + done, from + at, size);
        for (int i = h->ndim - 1; i >= 0; i--) {
            at += strides[i];
            if (++index[i] < h->dims[i]) {
                break;
            }
            at -= strides[i] * (uint64_t)h->dims[i];
            index[i] = 0;
        }
    }
    return MX_OK;
}

static int put_in_order(struct mx_params *p, struct mx_cursor *c, const struct header *h, struct mx_param *out)
{
    struct mx_budget *budget = p->arena->budget;
    void *data;
    MX_TRY(mx_params_expand(p, out->length, &data, &out->source));
    out->offset = 0;
    const size_t length = (size_t)out->length, size = mx_dtype_size(h->dtype);
    if (!h->fortran) {
        MX_TRY(mx_cursor_read(c, data, length));
        return swap_bytes(budget, data, length, size);
    }
    unsigned char *raw = mx_budget_array(budget, NULL, 0, length, 1);
    MX_TRY_ALLOC(raw);
    int status = mx_cursor_read(c, raw, length);
    if (status == MX_OK && h->big_endian) {
        status = swap_bytes(budget, raw, length, size);
    }
    if (status == MX_OK) {
        status = from_fortran(budget, raw, data, h, length);
    }
    mx_budget_array_free(budget, raw, length, 1);
    return status;
}

int mx_npy_read(struct mx_params *p, struct mx_cursor *c, struct mx_param *out)
{
    struct header h = {.dtype = MX_DTYPE_NONE, .ndim = -1};
    MX_TRY(read_header(c, &h));
    *out = (struct mx_param){.dtype = h.dtype, .ndim = h.ndim, .source = c->source, .offset = c->at};
    if (!mx_dims_bytes(h.dtype, h.ndim, h.dims, &out->length)) {
        return bad(c, "has more than 2^53 elements, sizes of 0 not counted");
    }
    MX_TRY(mx_cursor_need(c, out->length));
    out->dims = mx_arena_copy(p->arena, h.dims, (size_t)h.ndim, sizeof *h.dims);
    MX_TRY_ALLOC(out->dims);
    h.fortran = h.fortran && h.ndim > 1;
    return h.big_endian || h.fortran ? put_in_order(p, c, &h, out) : MX_OK;
}

int mx_params_read_npy(struct mx_batch *b, struct mx_source *source)
{
    struct mx_cursor c = {
        .source = source, .end = mx_source_size(source), .diags = b->params->diags, .label = b->label, .what = "the array"};
    struct mx_param param;
    MX_TRY(mx_npy_read(b->params, &c, &param));
    param.name = "0";
    mx_note(c.diags, mx_named(b->label), MX_SUBJECT "holds an array without a name, which is called '0'");
    return mx_batch_add(b, &param);
}
