/* The builder: values, errors, memos, inputs and outputs. */
#include "onnx/values/state.h"

#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/str.h"
#include "graph/graph.h"
#include "onnx/schema/row.h"
#include "onnx/schema/targets.h"

int ox_build_init(struct ox_build *b, struct ox_model *m, struct mx_diags *diags)
{
    memset(b, 0, sizeof *b);
    b->model = m;
    b->scratch.budget = m->arena.budget;
    b->graph = &m->main;
    b->diags = diags;
    for (int i = 0; i < MX_MAX_RANK; i++) {
        b->pad[i] = mx_dim_of(1);
    }
    m->diags = diags;
    if (m->n_values == 0) {
        (void)ox_add_value(m, MX_DTYPE_NONE, MX_SHAPE_UNKNOWN); /* OX_NONE */
    }
    return m->n_values == 0 ? MX_OUT_OF_MEMORY : MX_OK;
}

void ox_build_free(struct ox_build *b)
{
    struct mx_budget *budget = b->model ? b->model->arena.budget : NULL;
    mx_arena_free(&b->scratch);
    mx_budget_array_free(budget, b->memo, b->cap_memo, sizeof *b->memo);
    mx_budget_array_free(budget, b->written, b->cap_written, sizeof *b->written);
    memset(b, 0, sizeof *b);
}

void ox_begin_node(struct ox_build *b, const struct mx_node *node)
{
    b->node = node;
    b->status = MX_OK;
    b->list_error = MX_LIST_OK;
    mx_arena_clear(&b->scratch);
    while (b->graph != &b->model->main) {
        b->graph->closed = true; /* a body that its operator left open after an error */
        b->graph = b->graph->outer;
    }
    b->skipped = 0;
}

int ox_end_node(struct ox_build *b)
{
    const int status = ox_status(b);
    b->node = NULL;
    b->status = MX_OK;
    return status;
}

/* ---- failing */

bool ox_failed(const struct ox_build *b)
{
    return b->status != MX_OK || b->fatal != MX_OK || b->list_error != MX_LIST_OK || mx_dims_status(b->model->dims) != MX_OK;
}

void ox_oom(struct ox_build *b)
{
    if (b->fatal == MX_OK && mx_budget_status(b->model->arena.budget) != MX_OK) {
        b->fatal = b->model->arena.budget->status; /* reported at the end of the call */
    }
    if (b->fatal == MX_OK) {
        b->fatal = mx_fail(b->diags, MX_OUT_OF_MEMORY, MX_NOWHERE, "out of memory");
    }
}

static struct mx_where here(const struct ox_build *b, const char *attribute)
{
    return b->node ? mx_at(b->node, attribute) : (struct mx_where){.attribute = attribute};
}

void ox_fail(struct ox_build *b, const char *attribute, const char *format, ...)
{
    va_list args;
    if (ox_failed(b)) {
        return; /* the first error counts */
    }
    va_start(args, format);
    b->status = mx_vfail(b->diags, MX_UNSUPPORTED, here(b, attribute), format, args);
    va_end(args);
}

void ox_fail_opset(struct ox_build *b, int since, const char *format, ...)
{
    struct ox_model *m = b->model;
    va_list args;
    if (ox_failed(b)) {
        return;
    }
    if (m->newest && since > m->newest) {
        ox_fail(b, NULL, "opset %d is needed, but the newest opset that %s reads is %d" MX_HELP "choose another target, or none", since,
                m->target ? m->target->name : "the library", m->newest);
        return;
    }
    if (m->newest && since > m->needs) {
        m->needs = since;
        m->needs_for = b->node;
    }
    va_start(args, format);
    const char *what = mx_arena_vprintf(&b->scratch, format, args);
    va_end(args);
    ox_fail(b, NULL, "%s needs opset %d, but opset %d is written" MX_HELP "choose opset %d or higher", what ? what : "the node", since,
            m->opset, since);
}

/* A wrong call by a handler is the caller's mistake. ops/ makes none, whatever the file says: lower runs where infer has agreed, and the
 * kinds of op/attr.h bound the attributes. Each place says what keeps a file from it; the fuzzers fail if one gets there. */
void ox_broken(struct ox_build *b, const char *format, ...)
{
    va_list args;
    if (ox_failed(b)) {
        return;
    }
    const bool handler = b->node && b->node->handled;
    va_start(args, format);
    format += handler ? strlen("internal error: ") : 0; /* with which all these formats begin */
    b->status = mx_vfail(b->diags, handler ? MX_INVALID_ARGUMENT : MX_INTERNAL, here(b, NULL), format, args);
    va_end(args);
}

void ox_warn(struct ox_build *b, const char *attribute, const char *format, ...)
{
    va_list args;
    if (ox_failed(b)) {
        return;
    }
    va_start(args, format);
    mx_vwarn(b->diags, here(b, attribute), format, args);
    va_end(args);
}

void ox_note(struct ox_build *b, const char *attribute, const char *text)
{
    if (!ox_failed(b)) {
        mx_note(b->diags, here(b, attribute), "%s", text);
    }
}

/* The graph input and axis that give a leaf of d, for the advice in an error message. */
static const char *where_fixed(struct ox_build *b, mx_dim d, int *axis)
{
    const struct mx_dim_term *terms = NULL;
    const int n = mx_dim_terms(b->model->dims, d, &terms);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < terms[i].n_factors; k++) {
            const struct mx_dim_factor f = mx_dim_factor(b->model->dims, terms[i].factors[k]);
            if (!f.is_leaf) {
                const char *name = where_fixed(b, f.numerator, axis);
                if (name) {
                    return name;
                }
                continue;
            }
            const struct ox_memo *m = ox_recall(b, OX_MEMO_SOURCE, ox_dim_key(f.leaf));
            if (m && ox_value_of(b->model, m->value)->is_input) {
                *axis = m->axis;
                return ox_value_of(b->model, m->value)->name;
            }
        }
    }
    return NULL;
}

int64_t ox_number(struct ox_build *b, mx_dim d, const char *what)
{
    int64_t size = 1;
    int axis = 0;
    struct mx_str text = {0};
    if (ox_failed(b) || mx_dim_known(b->model->dims, d, &size)) {
        return size;
    }
    const char *input = where_fixed(b, d, &axis);
    mx_dim_format(b->model->dims, d, &text);
    if (text.failed) {
        ox_oom(b);
    } else if (input) {
        ox_fail(b, NULL, "%s must be a number, but it is %s" MX_HELP "fix the size of axis %d of input '%s'", what, text.text, axis, input);
    } else {
        ox_fail(b, NULL, "%s must be a number, but it is %s" MX_HELP "fix the sizes of the inputs", what, text.text);
    }
    mx_str_free(&text);
    return 1;
}

/* ---- lists and ranks */

static void too_many(struct ox_build *b, const char *more, int ndim)
{
    ox_fail(b, NULL, "the result would have rank %s%d, and at most %d is possible", more, ndim, MX_MAX_RANK);
}

bool ox_rank_possible(struct ox_build *b, int ndim)
{
    if (ndim > MX_MAX_RANK) {
        too_many(b, "", ndim);
    } else if (ndim < 0) {
        ox_fail(b, NULL, "the rank of a tensor is unknown but needed here" MX_HELP "set the shapes of the inputs");
    }
    return ndim >= 0 && ndim <= MX_MAX_RANK;
}

int ox_status(struct ox_build *b)
{
    const enum mx_list_error error = b->list_error;
    b->list_error = MX_LIST_OK;
    if (error == MX_LIST_FULL) {
        too_many(b, "at least ", MX_LIST_ROOM);
    } else if (error == MX_LIST_OUTSIDE) {
        /* Not by a file: infer bounds each axis, and a list has as many elements as the shape for which it was made. */
        ox_broken(b, "internal error: an index outside of a list");
    }
    if (b->fatal == MX_OK && b->status == MX_OK) {
        b->fatal = mx_dims_check(b->model->dims, b->diags);
    }
    return b->fatal ? b->fatal : b->status;
}

struct mx_dim_list ox_no_dims(struct ox_build *b)
{
    return mx_dim_list(&b->list_error);
}

struct mx_int_list ox_no_ints(struct ox_build *b)
{
    return mx_int_list(&b->list_error);
}

struct mx_dim_list ox_dims_like(struct ox_build *b, struct mx_shape s)
{
    struct mx_dim_list l = ox_no_dims(b);
    mx_push_dims(&l, s.dims, s.ndim);
    return l;
}

struct mx_int_list ox_repeated(struct ox_build *b, int64_t v, int count)
{
    struct mx_int_list l = ox_no_ints(b);
    mx_fill_ints(&l, v, count);
    return l;
}

struct mx_int_list ox_counted(struct ox_build *b, int count)
{
    struct mx_int_list l = ox_no_ints(b);
    for (int i = 0; i < count; i++) {
        mx_push_int(&l, i);
    }
    return l;
}

struct mx_int_list ox_listed(struct ox_build *b, struct mx_axes set)
{
    struct mx_int_list l = ox_no_ints(b);
    mx_push_axes(&l, set);
    return l;
}

/* ---- memory */

static void *allocate(struct ox_build *b, struct mx_arena *arena, size_t count, size_t size)
{
    void *p = b->fatal ? NULL : mx_arena_alloc(arena, count, size);
    if (!p) {
        ox_oom(b);
    }
    return p;
}

void *ox_scratch(struct ox_build *b, size_t count, size_t size)
{
    return allocate(b, &b->scratch, count, size);
}

void *ox_lasting(struct ox_build *b, size_t count, size_t size)
{
    return allocate(b, &b->model->arena, count, size);
}

/* Where a shape with these dims is kept. */
static struct mx_shape *shape_slot(struct ox_build *b, const mx_dim *dims, int ndim)
{
    uint64_t h = (uint64_t)ndim;
    for (int i = 0; i < ndim; i++) {
        h = mx_mix(h, (uint64_t)dims[i].v);
    }
    return &b->shapes[h % (sizeof b->shapes / sizeof b->shapes[0])];
}

struct mx_shape ox_copy_shape(struct ox_build *b, const mx_dim *dims, int ndim)
{
    if (ndim < 0 || !ox_rank_possible(b, ndim)) {
        return MX_SHAPE_UNKNOWN;
    }
    struct mx_shape *kept = shape_slot(b, dims, ndim);
    if (ndim > 0 && kept->ndim == ndim && memcmp(kept->dims, dims, (size_t)ndim * sizeof *dims) == 0) {
        return *kept;
    }
    const struct mx_shape s = mx_shape_of(&b->model->arena, dims, ndim);
    if (s.ndim < 0) {
        ox_oom(b);
    } else {
        *kept = s;
    }
    return s;
}

struct mx_shape ox_shape_of_ints(struct ox_build *b, const int64_t *dims, int ndim)
{
    struct mx_dim_list d = ox_no_dims(b);
    for (int i = 0; i < ndim; i++) {
        mx_push_dim(&d, mx_dim_of(dims[i]));
    }
    return ox_copy_shape(b, d.v, d.n);
}

/* ---- memos: open addressing over (kind, key) */

static size_t slot_of(const struct ox_memo *memo, size_t capacity, unsigned kind, uint64_t key)
{
    size_t i = (size_t)mx_mix(key, (uint64_t)kind << 56) & (capacity - 1);
    while (memo[i].kind != OX_MEMO_FREE && (memo[i].kind != kind || memo[i].key != key)) {
        i = (i + 1) & (capacity - 1);
    }
    return i;
}

const struct ox_memo *ox_recall(struct ox_build *b, enum ox_memo_kind kind, uint64_t key)
{
    if (b->n_memo == 0) {
        return NULL;
    }
    const struct ox_memo *m = &b->memo[slot_of(b->memo, b->cap_memo, kind, key)];
    return m->kind == OX_MEMO_FREE || (m->graph && m->graph->closed) ? NULL : m;
}

void ox_remember(struct ox_build *b, struct ox_memo memo)
{
    if (memo.value == OX_NONE) {
        return;
    }
    if (4 * (b->n_memo + 1) > 3 * b->cap_memo) {
        const size_t capacity = b->cap_memo ? 2 * b->cap_memo : 256;
        struct ox_memo *grown = mx_budget_array(b->model->arena.budget, NULL, 0, capacity, sizeof *grown);
        if (!grown) {
            ox_oom(b);
            return;
        }
        for (size_t i = 0; i < b->cap_memo; i++) {
            if (b->memo[i].kind != OX_MEMO_FREE) {
                grown[slot_of(grown, capacity, b->memo[i].kind, b->memo[i].key)] = b->memo[i];
            }
        }
        mx_budget_array_free(b->model->arena.budget, b->memo, b->cap_memo, sizeof *b->memo);
        b->memo = grown;
        b->cap_memo = capacity;
    }
    struct ox_memo *m = &b->memo[slot_of(b->memo, b->cap_memo, memo.kind, memo.key)];
    b->n_memo += m->kind == OX_MEMO_FREE;
    *m = memo;
}

uint64_t ox_dim_key(mx_dim d)
{
    uint64_t key = 0;
    memcpy(&key, &d, sizeof d < sizeof key ? sizeof d : sizeof key);
    return key;
}

/* ---- values */

ox_val ox_new_value(struct ox_build *b, enum mx_dtype t, struct mx_shape s)
{
    const ox_val x = mx_tick(b->model->arena.budget, MX_TICK_VALUE) == MX_OK ? ox_add_value(b->model, t, s) : OX_NONE;
    if (x == OX_NONE) {
        ox_oom(b);
    }
    return x;
}

enum mx_dtype ox_dtype(struct ox_build *b, ox_val x)
{
    return ox_value_of(b->model, x)->dtype;
}

struct mx_shape ox_shape(struct ox_build *b, ox_val x)
{
    const struct ox_value *v = ox_look(b, x);
    if (!v) {
        /* After an error: a shape that straight-line code can index safely. */
        return (struct mx_shape){OX_PAD_RANK, b->pad};
    }
    return v->shape;
}

int ox_rank(struct ox_build *b, ox_val x)
{
    const struct ox_value *v = ox_look(b, x);
    return v ? v->shape.ndim : OX_PAD_RANK;
}

mx_dim ox_dim_at(struct ox_build *b, ox_val x, int axis)
{
    const struct ox_value *v = ox_look(b, x);
    if (!v) {
        return mx_dim_of(1);
    }
    if (v->shape.ndim < 0) { /* of a handler */
        return mx_dim_unknown(b->model->dims);
    }
    axis += axis < 0 ? v->shape.ndim : 0;
    if (axis < 0 || axis >= v->shape.ndim) {
        /* Not by a file: infer has checked the axis, or the rank that the caller counts on. */
        ox_broken(b, "internal error: axis %d of a value of rank %d", axis, v->shape.ndim);
        return mx_dim_of(1);
    }
    return mx_dim_resolve(b->model->dims, v->shape.dims[axis]);
}

bool ox_size_at(struct ox_build *b, ox_val x, int axis, int64_t *size)
{
    return mx_dim_known(b->model->dims, ox_dim_at(b, x, axis), size);
}

struct mx_dims *ox_dims_table(struct ox_build *b)
{
    return b->model->dims;
}

bool ox_shapes_equal(struct ox_build *b, struct mx_shape x, struct mx_shape y)
{
    return mx_shape_equal(b->model->dims, x, y);
}

bool ox_shape_numbers(struct ox_build *b, struct mx_shape s, struct mx_int_list *out)
{
    out->n = 0;
    for (int i = 0; i < s.ndim; i++) {
        int64_t size;
        if (!mx_dim_known(b->model->dims, s.dims[i], &size)) {
            return false;
        }
        mx_push_int(out, size);
    }
    return s.ndim >= 0;
}

int ox_axis(struct ox_build *b, int64_t axis, int n, enum ox_op op)
{
    const int64_t found = axis < 0 ? axis + n : axis;
    if (found < 0 || found >= n) {
        /* Not by a file: as in ox_dim_at. */
        ox_broken(b, "internal error: %s along axis %lld of a value of rank %d", ox_schemas[op].name, (long long)axis, n);
        return 0;
    }
    return (int)found;
}

/* A dim that is a single leaf ("batch", not "batch + 1") can be read from x. The first place found is kept. */
void ox_register_dims(struct ox_build *b, ox_val x)
{
    const struct mx_shape s = ox_value_of(b->model, x)->shape;
    for (int i = 0; i < s.ndim; i++) {
        const mx_dim d = mx_dim_resolve(b->model->dims, s.dims[i]);
        if (mx_dim_is_leaf(b->model->dims, d) && !ox_recall(b, OX_MEMO_SOURCE, ox_dim_key(d))) {
            ox_remember(b,
                        (struct ox_memo){.kind = OX_MEMO_SOURCE, .key = ox_dim_key(d), .value = x, .axis = (uint16_t)i, .graph = b->graph});
        }
    }
}

void ox_typed(struct ox_build *b, ox_val x, enum mx_dtype t, struct mx_shape s)
{
    if (ox_failed(b) || !ox_look(b, x)) {
        return;
    }
    struct ox_value *v = ox_value_of(b->model, x);
    v->dtype = t;
    if (s.ndim >= 0) { /* the result of a caller's runtime may have an unknown rank */
        v->shape = ox_copy_shape(b, s.dims, s.ndim);
        ox_register_dims(b, x);
    }
}

void ox_mark_output(struct ox_build *b, ox_val v, const struct mx_node *n, int index)
{
    if (ox_failed(b) || !ox_look(b, v)) {
        return;
    }
    const struct mx_shape s = n->out[index].shape;
    const struct mx_shape mine = ox_value_of(b->model, v)->shape;
    if (ox_value_of(b->model, v)->producer && (mine.ndim < 0 || mine.ndim == s.ndim) && mx_shape_has_unknown(b->model->dims, mine)) {
        ox_typed(b, v, ox_dtype(b, v), s);
    }
    if (ox_result(b->model, v, n, index) != MX_OK) {
        ox_oom(b);
    }
}
