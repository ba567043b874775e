/* The table of dims. A dim below zero is the number of a node: a name, an unknown, floor(e / n), a sum (graph/sum.h)
 * over the numbers of such nodes, or a negative constant. Nodes are interned, so equal content means equal number.
 *
 * Every operation resolves its arguments first; so a new node holds only unknowns that are unbound at that time, and
 * what it stands for can change only by a later binding. Each node remembers what it was resolved to, and when
 * (`stamp`, counted in bindings). The next resolve starts from there: it pays for new bindings only. */
#include "graph/dim_table.h"

#include <string.h>

#include "base/budget.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/num.h"

/* The number of atoms in an expression, written out. A larger one is replaced by an unknown: the size is then read from the value that
 * has it, instead of being computed. */
enum { MAX_SIZE = 256 };

/* ---- nodes */

/* Node 0 is an unknown that is used once memory has run out. */
mx_dim mx_dims_fail(struct mx_dims *t, int status)
{
    if (t->status == MX_OK) {
        t->status = status;
    }
    return ref(0);
}

static bool grow_index(struct mx_dims *t)
{
    const uint32_t n = t->n_slots ? t->n_slots * 2 : 128;
    int32_t *slots = mx_budget_array(t->arena->budget, NULL, 0, n, sizeof *slots);
    if (!slots) {
        return false;
    }
    for (int32_t i = 0; i < t->n; i++) {
        if (t->nodes[i].kind == UNKNOWN) {
            continue;
        }
        uint32_t at = t->nodes[i].hash & (n - 1);
        while (slots[at]) {
            at = (at + 1) & (n - 1);
        }
        slots[at] = i + 1;
    }
    mx_budget_array_free(t->arena->budget, t->slots, t->n_slots, sizeof *slots);
    t->slots = slots;
    t->n_slots = n;
    return true;
}

static bool same_terms(const struct mx_dim_term *a, const struct mx_dim_term *b, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (a[i].coefficient != b[i].coefficient || a[i].n_factors != b[i].n_factors
            || memcmp(a[i].factors, b[i].factors, (size_t)a[i].n_factors * sizeof *a[i].factors) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_content(const struct node *a, const struct node *b)
{
    if (a->hash != b->hash || a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case NAME: return strcmp(a->name, b->name) == 0;
    case FLOOR: return a->floor.numerator.v == b->floor.numerator.v && a->floor.denominator == b->floor.denominator;
    case SUM: return a->sum.n == b->sum.n && same_terms(a->sum.terms, b->sum.terms, a->sum.n);
    case CONSTANT: return a->constant == b->constant;
    case STAND_IN: return a->origin.op == b->origin.op && a->origin.a == b->origin.a && a->origin.b == b->origin.b;
    case UNKNOWN: break;
    }
    return false;
}

/* The slot of the node in the index, or the slot where it belongs. */
static int32_t *find(const struct mx_dims *t, const struct node *wanted)
{
    uint32_t at = wanted->hash & (t->n_slots - 1);
    while (t->slots[at] && !same_content(&t->nodes[t->slots[at] - 1], wanted)) {
        at = (at + 1) & (t->n_slots - 1);
    }
    return &t->slots[at];
}

static uint32_t mix(uint32_t hash, uint64_t value)
{
    return (uint32_t)(mx_mix(hash, value) >> 32);
}

static bool own_terms(struct mx_dims *t, struct node *node)
{
    struct mx_dim_term *terms = mx_arena_copy(t->arena, node->sum.terms, (size_t)node->sum.n, sizeof *terms);
    for (int32_t i = 0; terms && i < node->sum.n; i++) {
        terms[i].factors = mx_arena_copy(t->arena, terms[i].factors, (size_t)terms[i].n_factors, sizeof *terms[i].factors);
        if (!terms[i].factors) {
            return false;
        }
    }
    node->sum.terms = terms;
    return terms != NULL;
}

/* Copies the arrays that a new node borrows. */
static bool own_content(struct mx_dims *t, struct node *node)
{
    if (node->kind == NAME) {
        node->name = mx_arena_strdup(t->arena, node->name);
        return node->name != NULL;
    }
    return node->kind != SUM || own_terms(t, node);
}

/* The node with this content. Borrowed arrays are copied. Its unknowns must be unbound, see the top of the file. */
static mx_dim intern(struct mx_dims *t, struct node node)
{
    if ((t->n >= (int32_t)(t->n_slots / 2) && !grow_index(t))) {
        return mx_dims_fail(t, MX_OUT_OF_MEMORY);
    }
    int32_t *slot = node.kind == UNKNOWN ? NULL : find(t, &node);
    if (slot && *slot) {
        struct node *old = &t->nodes[*slot - 1];
        if (old->resolved.v == ref(*slot - 1).v) {
            old->stamp = t->bindings;
        }
        return ref(*slot - 1);
    }
    if (t->n == INT32_MAX || mx_grow(t->arena->budget, &t->nodes, (size_t)t->n, &t->capacity, sizeof *t->nodes) != MX_OK) {
        return mx_dims_fail(t, MX_OUT_OF_MEMORY);
    }
    if (!own_content(t, &node)) {
        return mx_dims_fail(t, MX_OUT_OF_MEMORY);
    }
    node.resolved = ref(t->n);
    node.stamp = t->bindings;
    t->nodes[t->n] = node;
    if (slot) {
        *slot = t->n + 1;
    }
    return ref(t->n++);
}

mx_dim mx_dim_unknown(struct mx_dims *t)
{
    return intern(t, (struct node){.kind = UNKNOWN, .has_unknown = true, .size = 1});
}

static mx_dim intern_constant(struct mx_dims *t, int64_t c)
{
    return c >= 0 ? (mx_dim){c} : intern(t, (struct node){.kind = CONSTANT, .constant = c, .hash = mix(CONSTANT, (uint64_t)c)});
}

/* ---- sums and dims */

static void load_terms(const struct node *node, struct mx_sum *out)
{
    for (int32_t i = 0; i < node->sum.n; i++) {
        const struct mx_dim_term *term = &node->sum.terms[i];
        out->t[i].c = term->coefficient;
        out->t[i].n = term->n_factors;
        memcpy(out->t[i].f, term->factors, (size_t)term->n_factors * sizeof *term->factors);
    }
    out->n = node->sum.n;
}

void mx_dims_load(struct mx_dims *t, mx_dim d, struct mx_sum *out)
{
    mx_sum_clear(out);
    if (d.v >= 0) {
        mx_sum_add_constant(out, d.v);
        return;
    }
    const struct node *node = node_of(t, d);
    if (node->kind == SUM) {
        load_terms(node, out);
    } else if (node->kind == CONSTANT) {
        mx_sum_add_constant(out, node->constant);
    } else {
        mx_sum_add_factor(out, node_number(t, d));
    }
}

mx_dim mx_dims_stand_in(struct mx_dims *t, struct origin origin)
{
    const mx_dim d = intern(t, (struct node){
                                   .kind = STAND_IN,
                                   .has_unknown = true,
                                   .hash = mix(mix(mix(STAND_IN, (uint64_t)origin.op), (uint64_t)origin.a), (uint64_t)origin.b),
                                   .origin = origin,
                               });
    if (is_kind(t, d, STAND_IN) && node_of(t, d)->resolved.v == d.v) {
        const mx_dim unknown = mx_dim_unknown(t);
        node_of(t, d)->resolved = unknown;
    }
    return mx_dim_resolve(t, d);
}

mx_dim mx_dims_sum(struct mx_dims *t, const struct mx_sum *s, struct origin origin)
{
    bool overflow = s->state == MX_SUM_OVERFLOW;
    for (int i = 0; i < s->n; i++) {
        overflow |= s->t[i].c == INT64_MIN; /* so that each coefficient of the table has a negative */
    }
    if (overflow) {
        return mx_dims_fail(t, MX_TOO_LARGE);
    }
    if (s->state == MX_SUM_COMPLEX) {
        return mx_dims_stand_in(t, origin);
    }
    if (mx_sum_is_constant(s)) {
        return intern_constant(t, mx_sum_constant(s));
    }
    if (s->n == 1 && s->t[0].c == 1 && s->t[0].n == 1) {
        return ref(s->t[0].f[0]);
    }
    struct mx_dim_term terms[MX_SUM_TERMS];
    struct node node = {.kind = SUM, .hash = SUM, .sum = {terms, s->n}};
    for (int i = 0; i < s->n; i++) {
        terms[i] = (struct mx_dim_term){s->t[i].c, s->t[i].f, s->t[i].n};
        node.hash = mix(node.hash, (uint64_t)s->t[i].c);
        node.size++;
        for (int j = 0; j < s->t[i].n; j++) {
            const struct node *factor = &t->nodes[s->t[i].f[j]];
            node.hash = mix(node.hash, (uint64_t)s->t[i].f[j]);
            node.size += factor->size;
            node.has_unknown |= factor->has_unknown;
        }
    }
    return node.size > MAX_SIZE ? mx_dims_stand_in(t, origin) : intern(t, node);
}

/* True if the sum is floor(x / a) + r. */
static bool is_shifted_floor(const struct mx_dims *t, const struct mx_sum *s)
{
    return s->t[0].n == 1 && s->t[0].c == 1 && (s->n == 1 || s->t[1].n == 0) && t->nodes[s->t[0].f[0]].kind == FLOOR;
}

/* s = n * whole + rest, the coefficients of the rest being 0..n-1; the whole is added to *whole. */
static void split(const struct mx_sum *s, int64_t n, struct mx_sum *whole, struct mx_sum *rest)
{
    mx_sum_clear(rest);
    rest->state = s->state;
    whole->state = s->state > whole->state ? s->state : whole->state;
    for (int i = 0; i < s->n; i++) {
        struct mx_term term = s->t[i];
        term.c = mx_floor_div(s->t[i].c, n);
        mx_sum_add_term(whole, &term);
        term.c = s->t[i].c % n;
        term.c += term.c < 0 ? n : 0;
        mx_sum_add_term(rest, &term);
    }
}

static void divide_coefficients(struct mx_sum *s, int64_t g)
{
    for (int i = 0; i < s->n; i++) {
        s->t[i].c /= g;
    }
    if (s->t[s->n - 1].c == 0) {
        s->n--; /* the constant */
    }
}

static mx_dim intern_floor(struct mx_dims *t, mx_dim numerator, int64_t n)
{
    const struct node *inner = node_of(t, numerator);
    const struct node node = {
        .kind = FLOOR,
        .has_unknown = inner->has_unknown,
        .size = 1 + inner->size,
        .hash = mix(mix(FLOOR, (uint64_t)numerator.v), (uint64_t)n),
        .floor = {numerator, n},
    };
    if (node.size <= MAX_SIZE) {
        return intern(t, node);
    }
    return mx_dims_stand_in(t, (struct origin){BY_FLOOR, numerator.v, n});
}

/* floor(s / n) as a sum in *out; s is used up. The numerator that remains has coefficients 0..n-1: this makes the form
 * unique, and the numerator never negative, so that ONNX's Div, which truncates, may compute it. The numerator is at most as
 * large as what is divided: it has an expression, and no unknown is needed in its place, which could be bound to a number. */
static void floor_sum(struct mx_dims *t, struct mx_sum *s, int64_t n, struct mx_sum *out, struct origin origin)
{
    struct mx_sum rest;
    mx_sum_clear(out);
    for (;;) {
        split(s, n, out, &rest);
        if (rest.state != MX_SUM_FINE || mx_sum_is_constant(&rest)) {
            return; /* out->state is that of the rest, at least */
        }
        /* floor((g*x + r) / (g*m)) = floor((x + floor(r/g)) / m) */
        const int64_t g = mx_sum_gcd(&rest, n);
        divide_coefficients(&rest, g);
        n /= g;
        int64_t product, shift;
        const struct node *inner = &t->nodes[rest.t[0].f[0]];
        if (!is_shifted_floor(t, &rest) || !mx_mul_i64(inner->floor.denominator, n, &product)
            || !mx_mul_i64(inner->floor.denominator, mx_sum_constant(&rest), &shift)) {
            break;
        }
        /* floor((floor(x/a) + r) / n) = floor((x + a*r) / (a*n)) */
        mx_dims_load(t, inner->floor.numerator, s);
        mx_sum_add_constant(s, shift);
        n = product;
    }
    struct mx_sum floor;
    mx_dims_load(t, intern_floor(t, mx_dims_sum(t, &rest, origin), n), &floor);
    mx_sum_add(out, &floor, 1);
}

mx_dim mx_dims_floor(struct mx_dims *t, mx_dim d, int64_t n)
{
    struct mx_sum s, out;
    if (d.v >= 0) {
        return (mx_dim){d.v / n};
    }
    const struct origin origin = {BY_FLOOR, d.v, n};
    mx_dims_load(t, d, &s);
    floor_sum(t, &s, n, &out, origin);
    return mx_dims_sum(t, &out, origin);
}

/* ---- resolving */

/* True if `resolved` is up to date. */
static bool is_fresh(const struct node *node, const struct mx_dims *t)
{
    return !node->has_unknown || node->stamp == t->bindings;
}

static void push(struct mx_dims *t, int32_t node)
{
    if (is_fresh(&t->nodes[node], t)) {
        return;
    }
    if (mx_grow(t->arena->budget, &t->stack, (size_t)t->depth, &t->stack_capacity, sizeof *t->stack) != MX_OK) {
        mx_dims_fail(t, MX_OUT_OF_MEMORY);
        return;
    }
    t->stack[t->depth++] = node;
}

static mx_dim now(const struct mx_dims *t, mx_dim d)
{
    return d.v >= 0 ? d : node_of(t, d)->resolved;
}

/* Pushes the parts that must be fresh before the node can be. */
static void push_parts(struct mx_dims *t, int32_t number)
{
    const struct node node = t->nodes[number];
    if (node.resolved.v != ref(number).v) {
        if (node.resolved.v < 0) {
            push(t, node_number(t, node.resolved));
        }
    } else if (node.kind == FLOOR) {
        push(t, node_number(t, node.floor.numerator));
    } else if (node.kind == SUM) {
        for (int32_t i = 0; i < node.sum.n; i++) {
            for (int32_t j = 0; j < node.sum.terms[i].n_factors; j++) {
                push(t, node.sum.terms[i].factors[j]);
            }
        }
    }
}

static mx_dim substitute(struct mx_dims *t, int32_t number)
{
    const struct mx_dim_term *terms = t->nodes[number].sum.terms;
    const int32_t n = t->nodes[number].sum.n;
    struct mx_sum total, product, factor, next;
    mx_sum_clear(&total);
    for (int32_t i = 0; i < n; i++) {
        mx_sum_clear(&product);
        mx_sum_add_constant(&product, terms[i].coefficient);
        for (int32_t j = 0; j < terms[i].n_factors; j++) {
            mx_dims_load(t, t->nodes[terms[i].factors[j]].resolved, &factor);
            mx_sum_mul(&next, &product, &factor);
            product = next;
        }
        mx_sum_add(&total, &product, 1);
    }
    return mx_dims_sum(t, &total, (struct origin){BY_RESOLVE, number, (int64_t)t->bindings});
}

/* The node's value, its parts being fresh. */
static mx_dim rebuilt(struct mx_dims *t, int32_t number)
{
    const struct node node = t->nodes[number];
    if (node.resolved.v != ref(number).v) {
        return now(t, node.resolved);
    }
    if (node.kind == FLOOR) {
        const mx_dim numerator = now(t, node.floor.numerator);
        return numerator.v == node.floor.numerator.v ? node.resolved : mx_dims_floor(t, numerator, node.floor.denominator);
    }
    if (node.kind == SUM) {
        for (int32_t i = 0; i < node.sum.n; i++) {
            for (int32_t j = 0; j < node.sum.terms[i].n_factors; j++) {
                const int32_t factor = node.sum.terms[i].factors[j];
                if (t->nodes[factor].resolved.v != ref(factor).v) {
                    return substitute(t, number);
                }
            }
        }
    }
    return node.resolved;
}

/* Uses its own stack, because bindings may form chains as long as the model. A rebuild may resolve in turn, on top of the stack. */
mx_dim mx_dim_resolve(struct mx_dims *t, mx_dim d)
{
    if (d.v >= 0 || is_fresh(node_of(t, d), t)) {
        return now(t, d);
    }
    const int32_t bottom = t->depth;
    push(t, node_number(t, d));
    while (t->depth > bottom && t->status == MX_OK) {
        const int32_t depth = t->depth, top = t->stack[depth - 1];
        push_parts(t, top);
        if (t->depth == depth) {
            const mx_dim r = rebuilt(t, top);
            t->nodes[top].resolved = r;
            t->nodes[top].stamp = t->bindings;
            t->depth--;
        }
    }
    t->depth = bottom;
    return t->status == MX_OK ? now(t, d) : ref(0);
}

/* ---- the table */

struct mx_dims *mx_dims_new(struct mx_arena *arena)
{
    struct mx_dims *t = MX_ARENA_NEW(arena, struct mx_dims);
    if (!t) {
        return NULL;
    }
    t->arena = arena;
    mx_dim_unknown(t);
    if (t->status != MX_OK) {
        mx_dims_free(t);
        return NULL;
    }
    return t;
}

void mx_dims_free(struct mx_dims *t)
{
    if (t) {
        struct mx_budget *budget = t->arena->budget;
        mx_budget_array_free(budget, t->nodes, t->capacity, sizeof *t->nodes);
        mx_budget_array_free(budget, t->slots, t->n_slots, sizeof *t->slots);
        mx_budget_array_free(budget, t->stack, t->stack_capacity, sizeof *t->stack);
        t->nodes = NULL;
        t->slots = t->stack = NULL;
    }
}

uint64_t mx_dims_bindings(const struct mx_dims *t)
{
    return t->bindings;
}

bool mx_dims_assumed(const struct mx_dims *t)
{
    return t->assumed;
}

int mx_dims_status(const struct mx_dims *t)
{
    return t->status;
}

int mx_dims_check(const struct mx_dims *t, struct mx_diags *diags)
{
    return t->status == MX_TOO_LARGE
               ? mx_fail(diags, t->status, MX_NOWHERE,
                         "a tensor of the model would have more than 2^53 elements" MX_HELP "check the shapes of the inputs")
               : t->status;
}

mx_dim mx_dim_of(int64_t size)
{
    assert(size >= 0);
    return (mx_dim){size >= 0 ? size : 0};
}

const mx_dim *mx_dims_of(const int64_t *sizes)
{
    _Static_assert(sizeof(mx_dim) == sizeof(int64_t), "a known size is its own dim");
    return (const mx_dim *)sizes;
}

static struct node name_node(const struct mx_dims *t, const char *name)
{
    uint32_t hash = mix(NAME, (uint64_t)(uintptr_t)t); /* names come from files: an attacker must not be able to choose many that collide */
    for (const char *p = name; *p; p++) {
        hash = mix(hash, (unsigned char)*p);
    }
    return (struct node){.kind = NAME, .size = 1, .name = name, .hash = hash};
}

mx_dim mx_dim_named(struct mx_dims *t, const char *name)
{
    return intern(t, name_node(t, name));
}

bool mx_dims_has_name(const struct mx_dims *t, const char *name)
{
    const struct node wanted = name_node(t, name);
    return t->n_slots > 0 && *find(t, &wanted) != 0;
}
