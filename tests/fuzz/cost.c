/* Counts what a conversion costs; see cost.h. */
#include <malloc.h>
#include <string.h>

#include "base/io.h"
#include "cost.h"

enum { BASE = 64 << 20, PER_BYTE = 64, PER_NODE = 1 << 10 };

static uint64_t held, most, spooled, written;

void *__real_mx_calloc(size_t count, size_t size);
void *__real_mx_realloc(void *old, size_t count, size_t size);
void __real_mx_free(void *p);
int __real_mx_spool_write(struct mx_spool *s, const void *data, size_t size, const char **reason);
void *__wrap_mx_calloc(size_t count, size_t size);
void *__wrap_mx_realloc(void *old, size_t count, size_t size);
void __wrap_mx_free(void *p);
int __wrap_mx_spool_write(struct mx_spool *s, const void *data, size_t size, const char **reason);

static void hold(const void *p)
{
    held += malloc_usable_size((void *)(uintptr_t)p);
    most = held > most ? held : most;
}

void *__wrap_mx_calloc(size_t count, size_t size)
{
    void *p = __real_mx_calloc(count, size);
    hold(p);
    return p;
}

void *__wrap_mx_realloc(void *old, size_t count, size_t size)
{
    const size_t before = malloc_usable_size(old);
    void *p = __real_mx_realloc(old, count, size);
    held -= p ? before : 0;
    if (p) {
        hold(p);
    }
    return p;
}

void __wrap_mx_free(void *p)
{
    held -= malloc_usable_size(p);
    __real_mx_free(p);
}

int __wrap_mx_spool_write(struct mx_spool *s, const void *data, size_t size, const char **reason)
{
    spooled += size;
    return __real_mx_spool_write(s, data, size, reason);
}

static int32_t take(const void *data, size_t size, void *user)
{
    written += size;
    return written > BASE; /* no need to see more of it */
}

static int32_t progress(const mx2onnx_progress *p, void *user)
{
    uint64_t *all = user;
    *all = p->total > *all ? p->total : *all;
    return 0;
}

/* Nodes in the text of the graph: its lines. */
static uint64_t count_nodes(mx2onnx_model *m)
{
    uint64_t lines = 0;
    const char *text = NULL;
    const bool lowered = mx2onnx_graph_text(m, MX2ONNX_GRAPH_ONNX, &text) == MX2ONNX_OK;
    for (const char *at = lowered ? strchr(text, '\n') : NULL; at; at = strchr(at + 1, '\n')) {
        lines++;
    }
    return lines;
}

void fuzz_cost(const uint8_t *data, size_t size, void (*choose)(mx2onnx_model *m, struct fuzz_bytes *b), struct fuzz_bytes *b)
{
    uint64_t total = 0;
    held = most = spooled = written = 0;
    mx2onnx_model *m = fuzz_load(data, size);
    if (m) {
        choose(m, b);
        (void)mx2onnx_set_progress(m, progress, &total, NULL);
        const int32_t status = mx2onnx_export_callback(m, take, NULL, NULL);
        fuzz_expect(status != MX2ONNX_STATUS_INTERNAL && (status == MX2ONNX_OK || mx2onnx_error(m)[0]));
        const uint64_t cost = most + spooled;
        const uint64_t output = total > written ? total : written;
        if (cost > BASE + PER_BYTE * (uint64_t)size + output) {
            fuzz_expect(cost <= BASE + PER_BYTE * (uint64_t)size + output + PER_NODE * count_nodes(m));
        }
        mx2onnx_model_free(m);
    }
    fuzz_expect(held == 0);
}
