/* A symbol from any bytes, with the upgrade steps and the order of nodes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "op/registry.h"
#include "read/symbol.h"

static int read_symbol(struct mx_graph *g, const uint8_t *data, size_t size)
{
    struct mx_source *source;
    MX_TRY(mx_source_open_memory(&source, data, size, false));
    const int status = mx_symbol_read(g, source, "fuzz");
    mx_source_close(source);
    return status;
}

static void look_at_hints(const struct mx_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++) {
        int ndim;
        const int64_t *dims;
        (void)!mx_variable_shape_hint(g->nodes[i], g->arena, &ndim, &dims);
        (void)mx_variable_dtype_hint(g->nodes[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mx_arena arena = {0};
    struct mx_diags diags = {0};
    struct mx_map ops = {0};
    struct mx_graph graph = {.arena = &arena, .diags = &diags};
    int status = read_symbol(&graph, data, size);
    fuzz_expect(status == MX_OK || diags.errors > 0);
    fuzz_expect(status != MX_INTERNAL);
    if (status == MX_OK && mx_registry_map(&ops, &arena) == MX_OK && mx_graph_upgrade(&graph, &ops) == MX_OK) {
        look_at_hints(&graph);
        status = mx_graph_sort(&graph);
        fuzz_expect((status == MX_OK || diags.errors > 0) && status != MX_INTERNAL);
    }
    mx_map_free(&ops);
    mx_diags_free(&diags);
    mx_arena_free(&arena);
    return 0;
}
