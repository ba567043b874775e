/* Dimensions: numbers, names and expressions of names.
 *
 * A struct mx_dim is a known size >= 0, or a reference into a table where equal expressions get equal references,
 * so "the same size?" is one comparison. Leaves of expressions are
 *   names    given by the user ("batch") or to what stays open after inference: rigid, never a number at export;
 *   unknowns made by inference, bound to a dim as soon as something says what they are.
 * Binding is unification as in logic programming: a rule says that two dims are equal, and whichever is unknown
 * becomes the other. That is how a consumer fixes its producer (MXNet's backward shape inference) without a second
 * set of rules.
 *
 * An expression is kept in the normal form  sum of c * product(factors) + c0,  a factor being a leaf or a
 * floor division floor(e / n); so (N * 12) / 12 is N again and H + 1 - 1 is H. The e of a floor(e / n) has coefficients
 * 0..n-1 only, what is divisible is outside: floor((h - 1) / 2) + 1 and floor((h + 1) / 2) are one dim, written
 * in the second way, and e is never negative, so that a division that truncates may compute it.
 *
 * A result that is a negative number (a kernel larger than its input) is a constant of the table: mx_dim_known gives
 * it, it is not equal to any size, and no unknown is bound to it. */
#ifndef MX_GRAPH_DIM_H
#define MX_GRAPH_DIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

typedef struct {
    int64_t v; /* private to lib/graph; elsewhere a number to hash, or a size that is known */
} mx_dim;

struct mx_diags;
struct mx_dims; /* the table, one per model */

struct mx_dims *mx_dims_new(struct mx_arena *arena); /* NULL when memory runs out */
void mx_dims_free(struct mx_dims *t);                /* the hash index; the rest is the arena's */
/* MX_OUT_OF_MEMORY once memory has run out, MX_TOO_LARGE once a number exceeded int64; operations then give unknowns. An expression that
 * grows too long (256 names, 32 terms or 16 factors) is not a failure: it is replaced by an unknown. */
int mx_dims_status(const struct mx_dims *t);
/* The same; a size that is too large is reported. */
int mx_dims_check(const struct mx_dims *t, struct mx_diags *diags) MX_MUST_USE;
/* The number of unknowns bound so far: a rule that increases it has found something new. */
uint64_t mx_dims_bindings(const struct mx_dims *t);
/* True if dims that may differ were assumed to be equal (mx_dim_unify without a binding): then one size may be expressed by several
 * dims. */
bool mx_dims_assumed(const struct mx_dims *t);

mx_dim mx_dim_of(int64_t size);                           /* size >= 0 */
const mx_dim *mx_dims_of(const int64_t *sizes);           /* each >= 0: the same memory, read as dims */
mx_dim mx_dim_named(struct mx_dims *t, const char *name); /* the same name, the same dim */
bool mx_dims_has_name(const struct mx_dims *t, const char *name);
mx_dim mx_dim_unknown(struct mx_dims *t); /* a new one each time */

/* The dim's present value, bindings followed. Every function below does this for its arguments. */
mx_dim mx_dim_resolve(struct mx_dims *t, mx_dim d);
/* True for a number. *size is negative if arithmetic made it so; size may be NULL. */
bool mx_dim_known(struct mx_dims *t, mx_dim d, int64_t *size);
bool mx_dim_is_unknown(struct mx_dims *t, mx_dim d);      /* an unbound unknown itself */
bool mx_dim_is_leaf(struct mx_dims *t, mx_dim d);         /* a name or an unbound unknown itself */
bool mx_dim_has_unknown(struct mx_dims *t, mx_dim d);     /* one is in the expression */
bool mx_dim_equal(struct mx_dims *t, mx_dim a, mx_dim b); /* provably */

/* Arithmetic; constants may be negative inside an expression (H - 1). */
mx_dim mx_dim_add(struct mx_dims *t, mx_dim a, mx_dim b);
mx_dim mx_dim_sub(struct mx_dims *t, mx_dim a, mx_dim b);
mx_dim mx_dim_mul(struct mx_dims *t, mx_dim a, mx_dim b);
mx_dim mx_dim_addn(struct mx_dims *t, mx_dim a, int64_t n);
mx_dim mx_dim_muln(struct mx_dims *t, mx_dim a, int64_t n);
mx_dim mx_dim_floor_div(struct mx_dims *t, mx_dim a, int64_t n); /* floor((a) / n), n > 0 */
mx_dim mx_dim_ceil_div(struct mx_dims *t, mx_dim a, int64_t n);
/* a / b where b divides a (a Reshape's -1): exact where that can be proved; otherwise floor(a / b) if b is a number, and an unknown if
 * not. False, *out untouched, if b is known not to divide a. */
bool mx_dim_div_exact(struct mx_dims *t, mx_dim a, mx_dim b, mx_dim *out);
mx_dim mx_dim_product(struct mx_dims *t, const mx_dim *d, int n);

/* Makes a and b equal, binding an unknown if one can be singled out: x = e, x + 2 = e, 12 * x = 48 * N, N * x = N * 5 (names are
 * assumed not to be 0). False if they are known to differ: two numbers, N + 1 = N, 2 * x = 7, x + 3 = 1. True otherwise, without a
 * binding: two different names, a name and a number, x = floor(x / 2) + 1. They are then assumed to be equal at run time; if one of them
 * is a number the caller continues with the number. */
bool mx_dim_unify(struct mx_dims *t, mx_dim a, mx_dim b);

/* Binds an unbound unknown to a name that no other dim has, for what stays open after inference: `name`, or `name`_1, `name`_2 ... if it
 * is taken. Returns the name, which is the table's; NULL if d is not an unbound unknown, or memory has run out. */
const char *mx_dim_bind_name(struct mx_dims *t, mx_dim unknown, const char *name);

/* "3", "batch", "2*batch", "floor((h + 1)/2) - 3", "?" for an unbound unknown, and for an expression with several. */
void mx_dim_format(struct mx_dims *t, mx_dim d, struct mx_str *out);

/* For writing an expression as run-time arithmetic (onnx/builder): a sum of terms, each a constant times factors, where a factor is a
 * leaf or a floor division of another expression. */
struct mx_dim_term {
    int64_t coefficient;
    const int32_t *factors; /* for mx_dim_factor */
    int32_t n_factors;      /* 0 for the constant term */
};
struct mx_dim_factor {
    bool is_leaf;
    mx_dim leaf;      /* is_leaf: a name or an unknown */
    mx_dim numerator; /* otherwise floor(numerator / denominator) */
    int64_t denominator;
};
/* The number of terms, 0 if d is a number; they are valid until the table is freed. */
int mx_dim_terms(struct mx_dims *t, mx_dim d, const struct mx_dim_term **terms);
struct mx_dim_factor mx_dim_factor(const struct mx_dims *t, int32_t factor);

#endif
