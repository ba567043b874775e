/* A catalogue of nets from any bytes (what is unpacked of nets.zip): its tables, each net compared with a small file, and its symbol. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "catalogue/catalogue.h"
#include "fuzz.h"

enum { NETS = 12 };

static void add_array(struct mx_params *p, struct mx_param *a, const char *name, int ndim)
{
    static const int64_t dims[] = {5, 2};
    *a = (struct mx_param){.name = name, .ndim = ndim, .dims = dims};
    if (mx_map_set(&p->by_name, name, a) == MX_OK) {
        p->items[p->count++] = a;
    }
}

static void look(struct mx_matcher *m, const struct mx_net *net)
{
    struct mx_arena arena = {.budget = m->c->arena.budget};
    struct mx_graph graph = {.arena = &arena, .diags = m->c->diags};
    struct mx_fit fit;
    const int status = mx_match(m, net->graph, &fit);
    const enum mx_naming naming = status == MX_OK ? fit.naming : MX_NAMING_STRUCTURE;
    fuzz_expect(status == MX_OK || status == MX_FORMAT || status == MX_OUT_OF_MEMORY);
    if (mx_net_symbol(m, net, naming, &net->sizes, &graph) == MX_OK) {
        fuzz_expect(graph.n_nodes > 0);
        for (int i = 0; i < graph.n_nodes; i++) {
            fuzz_expect(graph.nodes[i]->id == i && graph.nodes[i]->name && graph.nodes[i]->op_name);
        }
    }
    mx_arena_free(&arena);
}

static void search(struct mx_catalogue *c)
{
    struct mx_param arrays[2], *items[2];
    struct mx_arena arena = {.budget = c->arena.budget};
    struct mx_params params = {.arena = &arena, .diags = c->diags, .items = items};
    struct mx_matcher m;
    struct mx_candidate found;
    add_array(&params, &arrays[0], "0.weight", 2);
    add_array(&params, &arrays[1], "0.bias", 1);
    if (mx_matcher_init(&m, c, &params, &arena) == MX_OK) {
        for (size_t i = 0; i < c->n_nets && i < NETS; i++) {
            look(&m, &c->nets[i]);
        }
        const size_t errors = c->diags->errors;
        const int status = mx_net_find(&m, NULL, "tiny.params", &found);
        fuzz_expect(status == MX_OK || status == MX_OUT_OF_MEMORY || c->diags->errors > errors);
    }
    mx_map_free(&params.by_name);
    mx_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mx_budget budget;
    struct mx_diags diags = {0};
    struct mx_catalogue c = {.diags = &diags, .arena = {.budget = &budget}};
    struct mx_source *source;
    mx_budget_init(&budget);
    if (mx_source_open_memory(&source, data, size, false) == MX_OK) {
        const int status = mx_catalogue_open_bytes(&c, source, "fuzz");
        fuzz_expect(status == MX_OK || status == MX_OUT_OF_MEMORY || budget.status != MX_OK || diags.errors > 0);
        if (status == MX_OK) {
            search(&c);
        }
    }
    mx_catalogue_close(&c);
    mx_diags_free(&diags);
    return 0;
}
