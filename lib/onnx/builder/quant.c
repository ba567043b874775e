/* Groups of nodes that quantised operators share. Each quantised tensor has a range of two floats; the larger of their magnitudes
 * corresponds to the largest level. */
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "onnx/builder/internal.h"
#include "onnx/schema/targets.h"
#include "onnx/tensor/bytes.h"

/* True if x is a magnitude, or was made from magnitudes by the last few nodes: Abs does not change it then. */
static bool is_magnitude(struct ox_build *b, ox_val x, int nodes)
{
    float v;
    if (ox_read_floats(b, x, &v, 1)) {
        return !signbit(v);
    }
    const struct ox_node *n = ox_value_of(b->model, x)->producer;
    if (nodes == 0 || ox_node_is(n, OX_Abs)) {
        return ox_node_is(n, OX_Abs);
    }
    const bool every = ox_node_in(n, OX_OPS(OX_Mul, OX_Div, OX_Max));
    const int of = every ? n->n_in : ox_node_in(n, OX_OPS(OX_ReduceMax, OX_Reshape, OX_Squeeze, OX_Unsqueeze)) ? 1 : 0;
    for (int i = 0; i < of; i++) {
        if (!is_magnitude(b, n->in[i], nodes - 1)) {
            return false;
        }
    }
    return of > 0;
}

static ox_val magnitude(struct ox_build *b, ox_val x)
{
    enum { NODES = 12 };
    return is_magnitude(b, x, NODES) ? x : ox_unary(b, OX_Abs, x);
}

/* True if low is -high. Most ranges are symmetric. */
static bool is_symmetric(struct ox_build *b, ox_val low, ox_val high)
{
    const struct ox_node *n = ox_value_of(b->model, low)->producer;
    return ox_node_is(n, OX_Neg) && n->in[0] == high;
}

ox_val ox_reach(struct ox_build *b, ox_val low, ox_val high)
{
    if (is_symmetric(b, low, high)) {
        return magnitude(b, ox_squeeze1(b, high, 0));
    }
    return ox_squeeze1(b, ox_binary(b, OX_Max, ox_unary(b, OX_Abs, low), ox_unary(b, OX_Abs, high)), 0);
}

bool ox_is_late(struct ox_build *b, ox_val level)
{
    const struct ox_target *target = b->model->target;
    return target && target->constant_levels && !ox_failed(b) && ox_rank(b, level) == 0 && !ox_tensor_of(b, level);
}

ox_val ox_quantize(struct ox_build *b, ox_val x, ox_val level, enum mx_dtype t)
{
    if (ox_is_late(b, level)) {
        return ox_quantize(b, ox_div(b, ox_cast(b, x, MX_FLOAT32), level), ox_float32(b, 1), t);
    }
    const ox_val zero = ox_scalar(b, t, 0);
    return ox_node(b, OX_QuantizeLinear, OX_IN(ox_cast(b, x, MX_FLOAT32), level, zero), OX_NO_ATTRS);
}

ox_val ox_dequantize(struct ox_build *b, ox_val x, ox_val level)
{
    const struct mx_shape s = ox_shape(b, level);
    const enum mx_dtype t = ox_dtype(b, x);
    if (ox_is_late(b, level)) {
        return ox_mul(b, ox_dequantize(b, x, ox_float32(b, 1)), level);
    }
    const bool bias = (t == MX_INT32 && (s.ndim == 0 || ox_rank(b, x) == 1)) || (t == MX_INT8 && ox_rank(b, x) == 1 && ox_tensor_of(b, x));
    if (bias && b->model->target && b->model->target->signed_levels) {
        return ox_mul(b, ox_cast(b, x, MX_FLOAT32), level);
    }
    if (s.ndim == 1) {
        const ox_val zero = t == MX_INT32 ? OX_NONE : ox_fill(b, t, s, 0);
        return ox_node(b, OX_DequantizeLinear, OX_IN(x, level, zero), OX_ATTRS(OX_I("axis", 0)));
    }
    const ox_val zero = t == MX_INT32 ? OX_NONE : ox_scalar(b, t, 0);
    return ox_node(b, OX_DequantizeLinear, OX_IN(x, level, zero), OX_NO_ATTRS);
}

/* ---- weights quantised at export */

bool ox_read_floats(struct ox_build *b, ox_val x, float *out, int64_t n)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    struct ox_data d;
    if (!t || ox_count(t->dims, t->ndim) != n || !ox_data_read(b, x, n, &d)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        out[i] = d.f ? (float)d.f[i] : (float)d.i[i];
    }
    ox_data_free(&d);
    return true;
}

static int row_reach(struct mx_budget *budget, const struct ox_tensor *t, float *out)
{
    enum { ROOM = 512, WORK = 8 }; /* per element */
    uint64_t raw[ROOM];
    float x[ROOM];
    const uint64_t n = ox_tensor_elements(t), row = n / (uint64_t)t->dims[0];
    for (uint64_t done = 0; done < n;) {
        const size_t some = n - done < ROOM ? (size_t)(n - done) : ROOM;
        MX_TRY(mx_tick(budget, WORK * some));
        MX_TRY(ox_tensor_read_some(t, done, some, raw));
        ox_convert(t->dtype, MX_FLOAT32, raw, x, some);
        for (size_t i = 0; i < some; i++) {
            float *reach = &out[(done + i) / row];
            *reach = fmaxf(*reach, fabsf(x[i]));
        }
        done += some;
    }
    return MX_OK;
}

bool ox_row_reach(struct ox_build *b, ox_val x, float *out)
{
    const struct ox_tensor *t = ox_tensor_of(b, x);
    if (ox_failed(b) || !t || t->ndim < 1 || t->dims[0] < 1) {
        return false;
    }
    memset(out, 0, (size_t)t->dims[0] * sizeof *out);
    struct mx_budget *budget = b->model->arena.budget;
    const int status = row_reach(budget, t, out);
    if (status != MX_OK) {
        b->fatal = mx_budget_status(budget) != MX_OK ? status : mx_fail(b->diags, status, MX_NOWHERE, OX_UNREAD);
    }
    return status == MX_OK;
}

ox_val ox_quantize_rows(struct ox_build *b, ox_val x, const float *factor, const float *scale)
{
    const struct ox_tensor *of = ox_tensor_of(b, x);
    if (ox_failed(b) || !of || of->ndim < 1 || of->dims[0] < 1) {
        return OX_NONE;
    }
    const uint64_t n = ox_tensor_elements(of);
    const size_t rows = (size_t)of->dims[0];
    struct mx_arena *arena = &b->model->arena;
    struct ox_rows *q = MX_ARENA_NEW(arena, struct ox_rows);
    float *numbers = MX_ARENA_ARRAY(arena, float, 2 * rows);
    if (!q || !numbers) {
        ox_oom(b);
        return OX_NONE;
    }
    memcpy(numbers, factor, rows * sizeof *numbers);
    memcpy(numbers + rows, scale, rows * sizeof *numbers);
    *q = (struct ox_rows){.of = of, .row = n / rows, .factor = numbers, .scale = numbers + rows};
    const struct ox_piece piece = {.kind = OX_PIECE_ROWS, .length = n, .stored = MX_INT8, .rows = q};
    return ox_tensor_value(b, ox_piece_tensor(b, MX_INT8, of->dims, of->ndim, piece));
}
