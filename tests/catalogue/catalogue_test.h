/* What the tests of the catalogue share. */
#ifndef CATALOGUE_TEST_H
#define CATALOGUE_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "catalogue/catalogue.h"

static inline void fail(const char *what, const char *name)
{
    printf("not ok: %s: %s\n", name, what);
    exit(1);
}

/* The catalogue in the library. */
static inline void open_catalogue(struct mx_catalogue *c, struct mx_diags *diags)
{
    *c = (struct mx_catalogue){.diags = diags};
    if (mx_catalogue_open(c) != MX_OK) {
        fail(mx_diags_first_error(diags), "the catalogue");
    }
}

/* ---- a file of a net: names and shapes, without numbers */

static inline void add_array(struct mx_params *p, const char *name, const struct mx_net_shape *shape, const struct mx_sizes *sizes)
{
    struct mx_param *a = MX_ARENA_NEW(p->arena, struct mx_param);
    int64_t *dims = MX_ARENA_ARRAY(p->arena, int64_t, shape->rank);
    a->name = mx_arena_strdup(p->arena, name);
    a->ndim = (int)shape->rank;
    a->dims = dims;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (!mx_number_value(&shape->dims[i], sizes, &dims[i]) || dims[i] <= 0) {
            fail("has no shape", name);
        }
    }
    struct mx_param **items = mx_realloc(p->items, p->count + 1, sizeof(struct mx_param *));
    if (!items || mx_map_set(&p->by_name, a->name, a) != MX_OK) {
        fail("out of memory", name);
    }
    p->items = items;
    p->items[p->count++] = a;
}

static inline void make_file(struct mx_params *p, const struct mx_catalogue *c, const struct mx_net *net, const struct mx_sizes *sizes)
{
    struct mx_walk w;
    char name[MX_NAME_MAX];
    if (!mx_walk_begin(&w, c, net->graph)) {
        fail("is damaged", net->name);
    }
    for (enum mx_walk_kind kind; (kind = mx_walk_next(&w)) != MX_WALK_END;) {
        for (uint32_t i = 0; (kind == MX_WALK_PARAM || kind == MX_WALK_EXTRA) && i < w.n_structures; i++) {
            if (!mx_net_name_text(c, &w.structures[i], 0, name)) {
                fail("has a name that is too long", net->name);
            }
            add_array(p, name, w.shape, sizes);
        }
    }
}

#endif
