/* The exported functions, in this folder, and nothing else: each checks its arguments, calls inward and returns. In this
 * file: how a call runs, status, version and types, life, diagnostics, the registry. */
#include "api/api.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "op/op.h"
#include "op/registry.h"

/* ---- a call */

static int32_t tell_progress(uint64_t done, uint64_t total, void *user)
{
    mx2onnx_model *m = user;
    const mx2onnx_progress p = {
        .struct_size = sizeof p, .phase = m->budget.phase, .done = done, .total = total, .node = m->budget.node ? m->budget.node : ""};
    return (m->choices.progress && m->choices.progress(&p, m->choices.progress_hold.user)) || atomic_load(&m->cancelled);
}

/* Marks the model as busy, with its present progress function. */
static void begin_work(mx2onnx_model *m)
{
    atomic_store(&m->cancelled, false);
    m->budget.progress = tell_progress;
    m->budget.user = m;
    mx_budget_begin(&m->budget);
    m->busy = true;
}

static void end_work(mx2onnx_model *m)
{
    m->busy = m->refused = false;
    m->budget.progress = NULL; /* a look that only allocates must not call it, since the model is not busy then */
}

bool mx_call_begin(mx2onnx_model *m, const char *function)
{
    if (!m) {
        return false;
    }
    if (m->busy) {
        m->refused = true;
        return false;
    }
    mx_diags_truncate(&m->diags, m->diags.kept);
    m->loaded.n_diags = m->loaded.n_diags < m->diags.count ? m->loaded.n_diags : m->diags.count;
    begin_work(m);
    m->function = function;
    return true;
}

/* The code that ran saw only failed allocations; this reports why they failed. */
static int ended(mx2onnx_model *m)
{
    static const char *const limits[] = {
        [MX_LIMIT_MEMORY] = "takes more bytes of memory",
        [MX_LIMIT_EXPANSION] = "unpacks to more bytes",
        [MX_LIMIT_NODES] = "becomes more ONNX nodes",
        [MX_LIMIT_OUTPUT] = "becomes more bytes",
    };
    static const char *const names[] = {
        [MX_LIMIT_MEMORY] = "MX2ONNX_OPTION_MEMORY_LIMIT",
        [MX_LIMIT_EXPANSION] = "MX2ONNX_OPTION_EXPANSION_LIMIT",
        [MX_LIMIT_NODES] = "MX2ONNX_OPTION_NODES_LIMIT",
        [MX_LIMIT_OUTPUT] = "MX2ONNX_OPTION_OUTPUT_LIMIT",
    };
    const struct mx_where where = {.node = m->budget.node};
    mx_diags_truncate(&m->diags, m->diags.kept);
    return m->budget.status == MX_CANCELLED ? mx_fail(&m->diags, MX_CANCELLED, MX_NOWHERE, "the work was cancelled")
                                            : mx_fail(&m->diags, MX_TOO_LARGE, where,
                                                      "the model %s than its size allows (%llu)" MX_HELP "if it can be trusted, raise %s",
                                                      limits[m->budget.limit], (unsigned long long)m->budget.most, names[m->budget.limit]);
}

int mx_call_end(mx2onnx_model *m, int status)
{
    if (status != MX_OK && m->budget.status != MX_OK) {
        status = ended(m);
    }
    if (status == MX_OK) {
        mx_diags_keep(&m->diags);
    } else if (m->diags.errors == 0) {
        (void)mx_fail(&m->diags, status, MX_NOWHERE, "%s", mx2onnx_status_text(status));
    }
    end_work(m);
    return status;
}

int mx_call_invalid(mx2onnx_model *m, const char *format, ...)
{
    char whole[512]; /* longer than any */
    va_list args;
    (void)snprintf(whole, sizeof whole, "%s: %s", m->function, format);
    format = whole;
    va_start(args, format);
    const int status = mx_vfail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE, format, args);
    va_end(args);
    return status;
}

bool mx_look_begin(mx2onnx_model *m)
{
    if (!mx_call_looks(m)) {
        return false;
    }
    begin_work(m);
    return true;
}

bool mx_look_end(mx2onnx_model *m, bool seen)
{
    end_work(m);
    return seen;
}

bool mx_call_peek(mx2onnx_model *m)
{
    return LOOK(m, mx_model_peek(m));
}

/* The number of bytes, in a structure of `room` bytes, up to the end of its last complete member; `ends` ascends. */
static size_t whole_members(size_t room, const size_t *ends, size_t n)
{
    while (n > 0 && ends[n - 1] > room) {
        n--;
    }
    return n > 0 ? ends[n - 1] : 0;
}

void mx_call_struct(void *to, const void *given, const size_t *ends, size_t n)
{
    size_t size = 0;
    if (given) {
        memcpy(&size, given, sizeof size);
        size = whole_members(size, ends, n);
        memcpy(to, given, size);
        memcpy(to, &size, sizeof size);
    }
}

mx2onnx_array mx_call_array(const mx2onnx_array *given)
{
#define END(member) MEMBER_END(mx2onnx_array, member)
    static const size_t ends[] = {END(struct_size), END(dtype), END(rank), END(dims), END(data), END(size)};
#undef END
    mx2onnx_array a = {.dtype = MX2ONNX_DTYPE_UNKNOWN};
    mx_call_struct(&a, given, ends, sizeof ends / sizeof *ends);
    return a;
}

int64_t mx_call_dim(struct mx_dims *dims, struct mx_shape shape, size_t axis)
{
    int64_t size;
    return shape.ndim >= 0 && axis < (size_t)shape.ndim && mx_dim_known(dims, shape.dims[axis], &size) ? size : -1;
}

bool mx_call_valid_dims(int32_t rank, const int64_t *dims, int64_t least)
{
    if (rank < 0 || rank > MX_MAX_RANK || (rank > 0 && !dims)) {
        return false;
    }
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] < least) {
            return false;
        }
    }
    return true;
}

/* ---- status, version, types */

const char *mx2onnx_status_name(mx2onnx_status status)
{
    return mx_status_name(status);
}

const char *mx2onnx_status_text(mx2onnx_status status)
{
    return mx_status_text(status);
}

const char *mx2onnx_version(void)
{
    return mx_version();
}

int32_t mx2onnx_version_number(void)
{
    return MX2ONNX_VERSION_NUMBER;
}

int32_t mx2onnx_has_feature(mx2onnx_feature feature)
{
    switch (feature) {
    case MX2ONNX_FEATURE_ZIP: return MX2ONNX_ZIP;
    case MX2ONNX_FEATURE_TAR: return MX2ONNX_TAR;
    case MX2ONNX_FEATURE_CATALOGUE: return mx_catalogue_is_there();
    default: return 0;
    }
}

const char *mx2onnx_dtype_name(mx2onnx_dtype dtype)
{
    return mx_dtype_name(mx_dtype_from_flag(dtype));
}

mx2onnx_dtype mx2onnx_dtype_from_name(const char *name)
{
    return name ? (int32_t)mx_dtype_from_name(name) : MX2ONNX_DTYPE_UNKNOWN;
}

/* ---- life */

mx2onnx_status mx2onnx_model_new(mx2onnx_model **out)
{
    if (!out) {
        return MX_INVALID_ARGUMENT;
    }
    *out = NULL;
    mx2onnx_model *m = mx_calloc(1, sizeof *m);
    MX_TRY_ALLOC(m);
    const int status = mx_model_init(m);
    if (status != MX_OK) {
        mx2onnx_model_free(m);
        return status;
    }
    *out = m;
    return MX_OK;
}

void mx2onnx_model_free(mx2onnx_model *m)
{
    if (m && !m->busy) {
        m->busy = true; /* a release function must not call back */
        mx_model_clear(m);
        mx_free(m);
    }
}

mx2onnx_status mx2onnx_model_reset(mx2onnx_model *m)
{
    ENTER(m);
    mx_model_reset(m);
    return mx_call_end(m, MX_OK);
}

void mx2onnx_cancel(mx2onnx_model *m)
{
    if (m) {
        atomic_store(&m->cancelled, true);
    }
}

void *mx2onnx_memory_new(size_t size)
{
    return mx_calloc(size > 0 ? size : 1, 1);
}

void mx2onnx_memory_free(void *data)
{
    mx_free(data);
}

/* ---- diagnostics */

size_t mx2onnx_diagnostic_count(const mx2onnx_model *m)
{
    return m ? m->diags.count : 0;
}

/* What of a diagnostic fits into a structure of an older or newer header, or of neither. */
static size_t fitting(size_t room)
{
#define END(member) MEMBER_END(mx2onnx_diagnostic, member)
    static const size_t ends[] = {END(struct_size), END(severity), END(status),  END(node),  END(op),
                                  END(attribute),   END(name),     END(message), END(advice)};
#undef END
    return whole_members(room, ends, sizeof ends / sizeof *ends);
}

mx2onnx_status mx2onnx_diagnostic_get(const mx2onnx_model *m, size_t i, mx2onnx_diagnostic *out)
{
    if (!m || !out || i >= m->diags.count || out->struct_size < sizeof(size_t)) {
        return MX_INVALID_ARGUMENT;
    }
    const struct mx_diag *d = &m->diags.items[i];
    const size_t room = out->struct_size, size = fitting(room);
    const mx2onnx_diagnostic full = {
        .struct_size = size,
        .severity = d->severity,
        .status = d->status,
        .node = d->node,
        .op = d->op,
        .attribute = d->attribute,
        .name = d->name,
        .message = d->message,
        .advice = d->advice,
    };
    memcpy(out, &full, size);
    if (room > sizeof full) {
        memset((char *)out + sizeof full, 0, room - sizeof full); /* members of a newer header than this library's */
    }
    return MX_OK;
}

const char *mx2onnx_error(const mx2onnx_model *m)
{
    if (!m) {
        return "the model is NULL: it was not created, or memory ran out";
    }
    return m->refused ? "the model is in use, inside a callback; call it again when the callback has returned"
                      : mx_diags_first_error(&m->diags);
}

/* ---- the registry */

size_t mx2onnx_known_operator_count(void)
{
    return mx_registry_count();
}

const char *mx2onnx_known_operator_name(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return op ? op->name : NULL;
}

const char *mx2onnx_known_operator_aliases(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return !op ? NULL : op->alias ? op->alias : "";
}

int32_t mx2onnx_known_operator_opset(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return op ? op->min_opset > 0 ? op->min_opset : MX2ONNX_OPSET_MIN : 0;
}

const char *mx2onnx_known_operator_refuses(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return !op ? NULL : op->refuses ? op->refuses : "";
}

const char *mx2onnx_known_operator_differs(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    return !op ? NULL : op->differs ? op->differs : "";
}

const char *mx2onnx_known_operator_status(size_t i)
{
    const struct mx_op *op = mx_registry_nth(i);
    if (!op) {
        return NULL;
    }
    return op->training_only ? "training only" : op->refuses ? "partial" : op->random ? "random" : op->differs ? "differs" : "full";
}
