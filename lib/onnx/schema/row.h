/* The row of an operator of ONNX, as operators.inc writes it. */
#ifndef OX_ROW_H
#define OX_ROW_H

#include "onnx/schema/op.h"
#include "onnx/schema/value.h"

struct ox_call;
struct ox_fold;
struct ox_data;
struct ox_node;
struct ox_walk;
struct ox_extent;
struct ox_interval;
struct ox_turn;

/* What an operator lacked before an opset. */
struct ox_change {
    enum { OX_CHANGES_END, OX_MOVED, OX_LATER, OX_RENAMED, OX_NO_WORD, OX_DROPPED } kind;
    const char *name; /* the attribute */
    int since;
    int input;          /* MOVED: index of the input that it became */
    int64_t number;     /* LATER: the value that older opsets imply, for an INT and for every element of an INTS */
    const char *word;   /* LATER: the same for a STRING. RENAMED, NO_WORD: the new word */
    const char *before; /* RENAMED */
};

/* An operator in its newest form: a row of operators.inc. */
struct ox_schema {
    const char *name;
    int since;
    const char *in, *out;
    void (*rule)(struct ox_call *c); /* shapes and types of the outputs */
    bool (*turn)(struct ox_turn *t);
    bool (*simplify)(struct ox_call *c, ox_val *out);
    bool (*fold)(struct ox_fold *f, struct ox_data *out);
    int folds; /* number of inputs that fold requires; 0: any */
    size_t needs, gives;
    const char *ranks;
    bool (*interval)(struct ox_walk *w, const struct ox_node *n, struct ox_extent part, struct ox_interval *out);
    const char *roles;
    bool distinct;
    char seed;
    int any_axis_since;
    const struct ox_change *older_than;
    void (*refuse)(struct ox_call *c);
    void (*older)(struct ox_call *c);
    int older_below;
    void (*target)(struct ox_call *c);
};
extern const struct ox_schema ox_schemas[OX_OPERATORS];
enum { OX_MIXED_SINCE = 15 };

#endif
