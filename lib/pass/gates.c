/* Parameters of recurrent layers that a file has gate by gate. mx.rnn.save_rnn_checkpoint and do_rnn_checkpoint write them as the cells'
 * unpack_weights returns them (python/mxnet/rnn/rnn.py, rnn_cell.py). The matrix that the graph reads has the rows of one gate after those
 * of another, and the vector of a fused cell has all arrays one after the other, so the bytes of both are those of the file's arrays. */
#include <stdarg.h>
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "graph/shape.h"
#include "pass/pass.h"

/* The gates of a cell, in the order of their rows. The last cell has a single one, whose arrays are whole. */
static const char *const cells[][5] = {{"_i", "_f", "_c", "_o", NULL}, {"_r", "_z", "_o", NULL}, {"", NULL}};

struct joined {
    struct mx_param param;
    struct mx_param **parts; /* NULL: they are only counted */
    size_t n;
    bool lacks; /* an array that no file has */
};

static int32_t MX2ONNX_CALL read_parts(uint64_t offset, void *buffer, size_t size, void *user)
{
    const struct joined *j = user;
    uint8_t *out = buffer;
    for (size_t i = 0; i < j->n && size > 0; i++) {
        const struct mx_param *p = j->parts[i];
        const uint64_t left = offset < p->length ? p->length - offset : 0;
        const size_t some = left < size ? (size_t)left : size;
        if (some > 0 && mx_source_read(p->source, p->offset + offset, out, some) != MX_OK) {
            return 1;
        }
        out += some;
        size -= some;
        offset = left > 0 ? 0 : offset - p->length;
    }
    return size > 0;
}

/* ---- the arrays of the files */

static struct mx_param *find(struct mx_params *params, const char *format, ...) MX_PRINTF(2, 3);
static struct mx_param *find(struct mx_params *params, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *name = mx_arena_vprintf(&params->matched.arena, format, args);
    va_end(args);
    (void)!mx_tick(params->arena->budget, MX_TICK_NODE); /* the caller's loop asks for the status */
    return name ? mx_params_of(params, name) : NULL;
}

static void put(struct joined *j, struct mx_param *part)
{
    j->lacks = j->lacks || !part;
    if (j->parts) {
        j->parts[j->n] = part;
    }
    j->n++;
}

/* "lstm_l0_i2h_weight" is "lstm_l0_i2h", a gate, and "_weight". */
static void list_rows(struct mx_params *params, const char *name, const char *const *gates, struct joined *j)
{
    const char *kind = strrchr(name, '_');
    for (; *gates; gates++) {
        put(j, find(params, "%.*s%s%s", (int)(kind - name), name, *gates, kind));
    }
}

/* "lstm_parameters" has weights, then biases, of layer after layer, in both directions. */
static void list_layers(struct mx_params *params, const char *name, const char *const *gates, struct joined *j)
{
    static const char *const groups[] = {"i2h", "h2h"}, *const kinds[] = {"weight", "bias"};
    const int length = (int)(strlen(name) - strlen("parameters"));
    const bool both = find(params, "%.*sr0_i2h%s_weight", length, name, gates[0]);
    for (int k = 0; k < 2; k++) {
        for (int layer = 0; find(params, "%.*sl%d_i2h%s_weight", length, name, layer, gates[0]); layer++) {
            for (int i = 0; i < (both ? 4 : 2); i++) {
                for (int g = 0; gates[g]; g++) {
                    put(j, find(params, "%.*s%c%d_%s%s_%s", length, name, i < 2 ? 'l' : 'r', layer, groups[i % 2], gates[g], kinds[k]));
                }
            }
        }
    }
}

/* ---- one array of all */

/* False if their types or shapes do not fit. */
static bool set_shape(struct joined *j, bool is_vector, int64_t *dims)
{
    const struct mx_param *first = j->parts[0];
    struct mx_param *all = &j->param;
    bool fits = is_vector || first->ndim > 0;
    for (size_t i = 0; fits && i < j->n; i++) {
        const struct mx_param *p = j->parts[i];
        fits = p->dtype == first->dtype && mx_add_u64(all->length, p->length, &all->length)
               && (is_vector || (p->ndim == first->ndim && memcmp(p->dims, first->dims, (size_t)p->ndim * sizeof *p->dims) == 0));
    }
    all->dtype = first->dtype;
    all->ndim = is_vector ? 1 : first->ndim;
    all->dims = dims;
    if (!fits || is_vector) {
        dims[0] = (int64_t)(all->length / mx_dtype_size(all->dtype));
        return fits;
    }
    int64_t elements;
    memcpy(dims, first->dims, (size_t)first->ndim * sizeof *dims);
    return mx_mul_i64(dims[0], (int64_t)j->n, dims) && mx_elements(dims, all->ndim, &elements);
}

typedef void list_fn(struct mx_params *params, const char *name, const char *const *gates, struct joined *j);

static int join(struct mx_params *params, const char *variable, const char *const *gates, list_fn *list)
{
    struct mx_arena *a = &params->matched.arena;
    struct joined all = {.n = 0};
    list(params, variable, gates, &all);
    if (all.lacks || all.n == 0) {
        return MX_OK;
    }
    const char *name = mx_arena_strdup(a, variable);
    struct joined *j = MX_ARENA_NEW(a, struct joined);
    int64_t *dims = MX_ARENA_ARRAY(a, int64_t, MX_MAX_RANK);
    MX_TRY_ALLOC(name && j && dims);
    j->parts = MX_ARENA_ARRAY(a, struct mx_param *, all.n);
    MX_TRY_ALLOC(j->parts);
    list(params, variable, gates, j);
    MX_TRY_ALLOC(!j->lacks);
    if (!set_shape(j, list == list_layers, dims)) {
        return MX_OK;
    }
    for (size_t i = 0; i < j->n; i++) {
        j->parts[i]->used = true;
    }
    j->param.name = name;
    MX_TRY(mx_source_open_callback(&j->param.source, j->param.length, read_parts, j));
    MX_TRY(mx_params_own_matched(params, j->param.source));
    return mx_map_set(&params->matched, name, &j->param);
}

bool mx_may_be_joined(const char *name)
{
    return strstr(name, "i2h") || strstr(name, "h2h");
}

/* How the value of a variable that has none may be joined; NULL: its name is not one of a recurrent layer. */
static list_fn *list_for(const struct mx_params *params, const struct mx_node *v)
{
    static const char *const ends[] = {"i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias"};
    list_fn *list = mx_ends_with(v->name, "parameters") ? list_layers : NULL;
    for (size_t k = 0; !list && k < sizeof ends / sizeof *ends; k++) {
        list = mx_ends_with(v->name, ends[k]) ? list_rows : NULL;
    }
    return list && mx_is_variable(v) && !mx_params_of(params, v->name) ? list : NULL;
}

static int join_all(const struct mx_graph *g, struct mx_params *params, struct mx_map *tried)
{
    for (int i = 0; params->count > 0 && i < g->n_nodes; i++) {
        struct mx_node *v = g->nodes[i];
        list_fn *list = list_for(params, v);
        MX_TRY(mx_tick(g->arena->budget, MX_TICK_NODE));
        if (!list || mx_map_get(tried, v->name)) { /* variables may share a name */
            continue;
        }
        MX_TRY(mx_map_set(tried, v->name, v));
        for (size_t c = 0; c < sizeof cells / sizeof *cells && !mx_map_get(&params->matched, v->name); c++) {
            MX_TRY(join(params, v->name, cells[c], list));
        }
    }
    return MX_OK;
}

int mx_graph_join_gates(const struct mx_graph *g, struct mx_params *params)
{
    struct mx_map tried = {.arena = {.budget = g->arena->budget}};
    const int status = join_all(g, params, &tried);
    mx_map_free(&tried);
    return status;
}
