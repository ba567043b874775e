/* The table of dims, of dim_table.c: for dim.c and dim_unify.c only. */
#ifndef MX_GRAPH_DIM_TABLE_H
#define MX_GRAPH_DIM_TABLE_H

#include <assert.h>

#include "graph/dim.h"
#include "graph/sum.h"

enum kind { NAME, UNKNOWN, FLOOR, SUM, CONSTANT, STAND_IN };

/* The operation that gives a dim. If it has no expression, an unknown represents it; the same operation gives the same unknown,
 * otherwise a rule that runs again would seem to find something new each time. */
enum origin_op { BY_ADD, BY_SUB, BY_MUL, BY_ADDN, BY_MULN, BY_FLOOR, BY_DIV, BY_UNIFY, BY_RESOLVE };
struct origin {
    enum origin_op op;
    int64_t a, b;
};

struct node {
    enum kind kind;
    bool has_unknown;
    int32_t size;
    uint32_t hash;
    uint64_t stamp;
    mx_dim resolved; /* itself, or its value */
    union {
        const char *name;
        struct {
            mx_dim numerator;
            int64_t denominator;
        } floor;
        struct {
            const struct mx_dim_term *terms; /* of nodes */
            int32_t n;
        } sum;
        int64_t constant;
        struct origin origin;
    };
    const struct mx_dim_term *alone; /* made for mx_dim_terms: what is not a sum, as the only term */
};

struct mx_dims {
    struct mx_arena *arena;
    struct node *nodes;
    int32_t n;
    size_t capacity;
    int32_t *slots; /* hash index: node + 1, 0 is free */
    uint32_t n_slots;
    int32_t *stack; /* of mx_dim_resolve */
    int32_t depth;
    size_t stack_capacity;
    uint64_t bindings;
    bool assumed; /* mx_dim_unify assumed dims to be equal without a binding */
    int status;
};

static inline mx_dim ref(int32_t node)
{
    return (mx_dim){-(int64_t)node - 1};
}

static inline int32_t node_number(const struct mx_dims *t, mx_dim d)
{
    assert(d.v < 0 && -(d.v + 1) < t->n);
    return (int32_t)(-(d.v + 1));
}

static inline struct node *node_of(const struct mx_dims *t, mx_dim d)
{
    return &t->nodes[node_number(t, d)];
}

static inline bool is_kind(const struct mx_dims *t, mx_dim d, enum kind kind)
{
    return d.v < 0 && node_of(t, d)->kind == kind;
}

/* Records the failure; returns the unknown that is used from then on. */
mx_dim mx_dims_fail(struct mx_dims *t, int status);
/* The terms of a resolved dim. */
void mx_dims_load(struct mx_dims *t, mx_dim d, struct mx_sum *out);
/* The unknown that represents the operation's result, resolved. */
mx_dim mx_dims_stand_in(struct mx_dims *t, struct origin origin);
/* The dim for a sum of resolved terms, or an unknown if the sum is too complex. */
mx_dim mx_dims_sum(struct mx_dims *t, const struct mx_sum *s, struct origin origin);
/* floor(d / n) of a resolved dim, n > 0. */
mx_dim mx_dims_floor(struct mx_dims *t, mx_dim d, int64_t n);

#endif
