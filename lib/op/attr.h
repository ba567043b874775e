/* Attribute tables: how an operator's attributes are called, what they are when absent, and where they go in its
 * struct. The tables also feed the support table, the docs and the fuzzers' dictionary.
 *
 *     struct pooling { struct mx_tuple kernel; int pool_type; bool global_pool; };
 *     static const char *const pool_types[] = {"max", "avg", "sum", "lp", NULL};
 *     static const struct mx_attr attrs[] = {
 *         MX_TUPLE(struct pooling, kernel, "()"),
 *         MX_ENUM(struct pooling, pool_type, "max", pool_types),
 *         MX_BOOL(struct pooling, global_pool, "False"),
 *         MX_ATTRS_END,
 *     };
 *
 * A row does not compile unless the field has the kind's type. The default is MXNet's own text, parsed like the
 * file's; NULL means that the attribute is required. What texts each kind accepts: mxnet-formats 3.5, tests/unit/attr.c. */
#ifndef MX_OP_ATTR_H
#define MX_OP_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "graph/dtype.h"

/* A None inside a tuple, or an absent optional integer. */
#define MX_NONE INT64_MIN

/* "(3, 3)"; n is -1 for None. Elements may be MX_NONE in kinds that say so. */
struct mx_tuple {
    int n;
    const int64_t *v;
};

struct mx_floats {
    int n;
    const double *v;
};

struct mx_opt_float {
    bool given;
    double v;
};

struct mx_opt_bool {
    bool given, v;
};

enum mx_attr_kind {
    MX_ATTR_INT,        /* int64_t: "3" */
    MX_ATTR_INT_NONE,   /* int64_t, MX_NONE for "None" */
    MX_ATTR_BOOL,       /* bool: True true 1 */
    MX_ATTR_BOOL_NONE,  /* struct mx_opt_bool */
    MX_ATTR_FLOAT,      /* double, rounded to float as dmlc::Parameter's float fields are */
    MX_ATTR_DOUBLE,     /* double */
    MX_ATTR_FLOAT_NONE, /* struct mx_opt_float */
    MX_ATTR_TUPLE,      /* struct mx_tuple: "(3, 3)", "[3,3]", "3"; "None" is n = -1 */
    MX_ATTR_TUPLE_NONE, /* struct mx_tuple whose elements may be None: "(None, 2)" */
    MX_ATTR_FLOATS,     /* struct mx_floats: "(0.1, 0.2)" */
    MX_ATTR_FLOATS_NONE, /* the same, and "None" is n = -1 */
    MX_ATTR_ENUM,       /* int: the index into words */
    MX_ATTR_DTYPE,      /* enum mx_dtype: "float32"; "None" is MX_DTYPE_NONE */
    MX_ATTR_STRING      /* const char * */
};

struct mx_attr {
    const char *name;
    enum mx_attr_kind kind;
    size_t offset;
    const char *fallback;        /* MXNet's default as text; NULL: required */
    const char *const *words;    /* MX_ATTR_ENUM: the words, ended by NULL */
};

#define MX_ATTR_NAMED(name, T, field, ctype, kind, fallback, words)                               \
    {name, kind, offsetof(T, field) + 0 * sizeof(_Generic(((T *)0)->field, ctype : 1)), fallback, words}
#define MX_ATTR_ROW(T, field, ctype, kind, fallback, words)                                       \
    MX_ATTR_NAMED(#field, T, field, ctype, kind, fallback, words)

#define MX_INT(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT, d, NULL)
#define MX_INT_NONE(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT_NONE, d, NULL)
#define MX_BOOL(T, f, d) MX_ATTR_ROW(T, f, bool, MX_ATTR_BOOL, d, NULL)
#define MX_BOOL_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_bool, MX_ATTR_BOOL_NONE, d, NULL)
#define MX_FLOAT(T, f, d) MX_ATTR_ROW(T, f, double, MX_ATTR_FLOAT, d, NULL)
#define MX_DOUBLE(T, f, d) MX_ATTR_ROW(T, f, double, MX_ATTR_DOUBLE, d, NULL)
#define MX_FLOAT_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_float, MX_ATTR_FLOAT_NONE, d, NULL)
#define MX_TUPLE(T, f, d) MX_ATTR_ROW(T, f, struct mx_tuple, MX_ATTR_TUPLE, d, NULL)
#define MX_TUPLE_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_tuple, MX_ATTR_TUPLE_NONE, d, NULL)
#define MX_FLOATS(T, f, d) MX_ATTR_ROW(T, f, struct mx_floats, MX_ATTR_FLOATS, d, NULL)
#define MX_FLOATS_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_floats, MX_ATTR_FLOATS_NONE, d, NULL)
#define MX_ENUM(T, f, d, words) MX_ATTR_ROW(T, f, int, MX_ATTR_ENUM, d, words)
#define MX_DTYPE(T, f, d) MX_ATTR_ROW(T, f, enum mx_dtype, MX_ATTR_DTYPE, d, NULL)
#define MX_STRING(T, f, d) MX_ATTR_ROW(T, f, const char *, MX_ATTR_STRING, d, NULL)
/* An attribute that has no effect at inference (workspace, cudnn_off): it is known, and its text is not checked. */
#define MX_IGNORED(name)                                                                          \
    {name, MX_ATTR_STRING, SIZE_MAX, "", NULL}
#define MX_ATTRS_END                                                                              \
    {NULL, MX_ATTR_INT, 0, NULL, NULL}

struct mx_node;

/* Fills a new struct for n->op from the texts of n's attributes. Errors name the node, the attribute, its text and what is accepted.
 * Unknown attributes cause a warning, hidden ones (__x__, and lr_mult, ctx_group, ... in old files) do not. */
int mx_attrs_parse(const struct mx_node *n, struct mx_arena *arena, struct mx_diags *diags, const void **out) MX_MUST_USE;

/* Parses one text into one field; for variables' __shape__ and for tests. False if the text does not fit the kind. */
bool mx_attr_parse_text(const struct mx_attr *row, const char *text, struct mx_arena *arena, void *field);

#endif
