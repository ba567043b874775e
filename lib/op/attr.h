/* Attribute tables: how an operator's attributes are called, what they are when absent, and where they go in its
 * struct. The tables also feed the support table, the docs and the fuzzers' dictionary.
 *
 *     struct pooling { struct mx_tuple kernel; int pool_type; bool global_pool; };
 *     static const char *const pool_types[] = {"max", "avg", "sum", "lp", NULL};
 *     static const struct mx_attr attrs[] = {
 *         MX_SIZES(struct pooling, kernel, "()"),
 *         MX_ENUM(struct pooling, pool_type, "max", pool_types),
 *         MX_BOOL(struct pooling, global_pool, "False"),
 *     };
 *
 * A row does not compile unless the field has the kind's type, and a number outside of the kind's range never reaches the operator. The
 * default is MXNet's own text, parsed like the file's; NULL means that the attribute is required. What texts each kind accepts:
 * tests/unit/attr.c. */
#ifndef MX_OP_ATTR_H
#define MX_OP_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "graph/dtype.h"
#include "graph/shape.h"

/* An integer that may be None; likewise the others. */
struct mx_opt_int {
    bool given;
    int64_t v;
};

struct mx_opt_float {
    bool given;
    double v;
};

struct mx_opt_bool {
    bool given, v;
};

/* "(3, 3)"; None is not given, and n is 0. */
struct mx_tuple {
    bool given;
    int n; /* 0..MX_MAX_TUPLE */
    const int64_t *v;
};

struct mx_floats {
    bool given;
    int n;
    const double *v;
};

/* "(None, 2)": begin, end and step of slices. */
struct mx_places {
    int n;
    const struct mx_opt_int *v;
};

enum { MX_MAX_TUPLE = 4096 }; /* limit: elements of a tuple in an attribute */

enum mx_attr_kind {
    MX_ATTR_INT,         /* int64_t: "3" */
    MX_ATTR_INT_NONE,    /* struct mx_opt_int: the same or "None" */
    MX_ATTR_BOOL,        /* bool: True true 1 */
    MX_ATTR_BOOL_NONE,   /* struct mx_opt_bool */
    MX_ATTR_FLOAT,       /* double: a float as dmlc::Parameter reads it */
    MX_ATTR_DOUBLE,      /* double, as dmlc::Parameter reads it */
    MX_ATTR_FLOAT_NONE,  /* struct mx_opt_float */
    MX_ATTR_TUPLE,       /* struct mx_tuple: "(3, 3)", "[3,3]", "3" */
    MX_ATTR_TUPLE_NONE,  /* struct mx_tuple: the same or "None" */
    MX_ATTR_PLACES,      /* struct mx_places: "(None, 2)"; "None" is "()" */
    MX_ATTR_FLOATS,      /* struct mx_floats: "(0.1, 0.2)" */
    MX_ATTR_FLOATS_NONE, /* struct mx_floats: the same or "None" */
    MX_ATTR_ENUM,        /* int: the index into words */
    MX_ATTR_DTYPE,       /* enum mx_dtype: "float32"; "None" is MX_DTYPE_NONE */
    MX_ATTR_STRING       /* const char * */
};

struct mx_attr {
    const char *name;
    enum mx_attr_kind kind;
    size_t offset;
    const char *fallback;     /* MXNet's default as text; NULL: required */
    const char *const *words; /* MX_ATTR_ENUM: the words, ended by NULL */
    int64_t low, high;        /* integers, and those of tuples and places: the least and the largest one accepted */
};

#define MX_ATTR_NAMED(attr, T, field, ctype, attr_kind, text, ...)                                                                         \
    {                                                                                                                                      \
        .name = attr, .kind = attr_kind, .offset = offsetof(T, field) + 0 * sizeof(_Generic(((T *)0)->field, ctype : 1)),                  \
        .fallback = text, __VA_ARGS__                                                                                                      \
    }
#define MX_ATTR_ROW(T, field, ctype, kind, fallback, ...) MX_ATTR_NAMED(#field, T, field, ctype, kind, fallback, __VA_ARGS__)

/* What an integer means says which ones exist. So arithmetic on a few integers of these ranges cannot overflow an int64_t, nor can the
 * sum of a whole tuple; a product of two LONGs can, and any arithmetic on integers of MX_INT64 and MX_PLACES: use base/num.h there. */
#define MX_NO_WORDS .words = NULL
#define MX_IS_INT .low = INT32_MIN, .high = INT32_MAX                   /* dmlc::Parameter's int */
#define MX_IS_COUNT .low = 0, .high = INT32_MAX                         /* how many, how large, or which one */
#define MX_IS_AXIS .low = -MX_MAX_RANK, .high = MX_MAX_RANK - 1         /* negative: from the end */
#define MX_IS_LONG .low = -(INT64_C(1) << 48), .high = INT64_C(1) << 48 /* a size, or a code below 0 */
#define MX_IS_INT64 .low = INT64_MIN, .high = INT64_MAX

#define MX_INT(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT, d, MX_IS_INT)
#define MX_COUNT(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT, d, MX_IS_COUNT)
#define MX_AXIS(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT, d, MX_IS_AXIS)
#define MX_LONG(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT, d, MX_IS_LONG)
#define MX_INT64(T, f, d) MX_ATTR_ROW(T, f, int64_t, MX_ATTR_INT, d, MX_IS_INT64)
#define MX_INT_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_int, MX_ATTR_INT_NONE, d, MX_IS_INT)
#define MX_COUNT_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_int, MX_ATTR_INT_NONE, d, MX_IS_COUNT)
#define MX_AXIS_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_int, MX_ATTR_INT_NONE, d, MX_IS_AXIS)
#define MX_LONG_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_int, MX_ATTR_INT_NONE, d, MX_IS_LONG)
#define MX_INT64_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_int, MX_ATTR_INT_NONE, d, MX_IS_INT64)
#define MX_COUNTS(T, f, d) MX_ATTR_ROW(T, f, struct mx_tuple, MX_ATTR_TUPLE, d, MX_IS_COUNT)
#define MX_AXES_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_tuple, MX_ATTR_TUPLE_NONE, d, MX_IS_AXIS)
#define MX_SIZES(T, f, d) MX_ATTR_ROW(T, f, struct mx_tuple, MX_ATTR_TUPLE, d, MX_IS_LONG)
#define MX_SIZES_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_tuple, MX_ATTR_TUPLE_NONE, d, MX_IS_LONG)
#define MX_PLACES(T, f, d) MX_ATTR_ROW(T, f, struct mx_places, MX_ATTR_PLACES, d, MX_IS_INT64)
#define MX_STEPS(T, f, d) MX_ATTR_ROW(T, f, struct mx_places, MX_ATTR_PLACES, d, MX_IS_INT)
#define MX_BOOL(T, f, d) MX_ATTR_ROW(T, f, bool, MX_ATTR_BOOL, d, MX_NO_WORDS)
#define MX_BOOL_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_bool, MX_ATTR_BOOL_NONE, d, MX_NO_WORDS)
#define MX_FLOAT(T, f, d) MX_ATTR_ROW(T, f, double, MX_ATTR_FLOAT, d, MX_NO_WORDS)
#define MX_DOUBLE(T, f, d) MX_ATTR_ROW(T, f, double, MX_ATTR_DOUBLE, d, MX_NO_WORDS)
#define MX_FLOAT_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_opt_float, MX_ATTR_FLOAT_NONE, d, MX_NO_WORDS)
#define MX_FLOATS(T, f, d) MX_ATTR_ROW(T, f, struct mx_floats, MX_ATTR_FLOATS, d, MX_NO_WORDS)
#define MX_FLOATS_NONE(T, f, d) MX_ATTR_ROW(T, f, struct mx_floats, MX_ATTR_FLOATS_NONE, d, MX_NO_WORDS)
#define MX_ENUM(T, f, d, list) MX_ATTR_ROW(T, f, int, MX_ATTR_ENUM, d, .words = list)
#define MX_DTYPE(T, f, d) MX_ATTR_ROW(T, f, enum mx_dtype, MX_ATTR_DTYPE, d, MX_NO_WORDS)
#define MX_STRING(T, f, d) MX_ATTR_ROW(T, f, const char *, MX_ATTR_STRING, d, MX_NO_WORDS)
/* Attributes that have no effect at inference ("workspace cudnn_off"): they are known, and their texts are not checked. */
#define MX_IGNORED(names)                                                                                                                  \
    {                                                                                                                                      \
        .name = names, .kind = MX_ATTR_STRING, .offset = SIZE_MAX, .fallback = ""                                                          \
    }

struct mx_node;
struct mx_op;

/* The row of the attribute with this name, of `length` bytes; NULL if the operator has none. */
const struct mx_attr *mx_attr_row(const struct mx_op *op, const char *name, size_t length);

/* Fills a new struct for n->op from the texts of n's attributes. Errors name the node, the attribute, its text and what is accepted.
 * Unknown attributes cause a warning, hidden ones (__x__, and lr_mult, ctx_group, ... in old files) do not. */
int mx_attrs_parse(const struct mx_node *n, struct mx_arena *arena, struct mx_diags *diags, const void **out) MX_MUST_USE;

/* What canon has parsed of an attribute of n, whose struct is private to its operator: the field, which has the kind's type. NULL if the
 * operator has no attribute of this name and kind. */
const void *mx_attr_field(const struct mx_node *n, const char *name, enum mx_attr_kind kind);
/* The same for the word of an MX_ATTR_ENUM. */
const char *mx_attr_word(const struct mx_node *n, const char *name);

/* The value of a condition in a list of the operator. The attributes are filled by mx_attrs_parse: "no_bias" is 1 if it is true or
 * given, "mode=lstm" if it is this word, and 0 otherwise; an integer is itself. The operator has the attribute. */
int64_t mx_attr_number(const struct mx_op *op, const void *attrs, const char *condition, size_t length);

/* Parses one text into one field; for variables' __shape__ and for tests. False if the text does not fit the kind. */
bool mx_attr_parse_text(const struct mx_attr *row, const char *text, struct mx_arena *arena, void *field);

#endif
