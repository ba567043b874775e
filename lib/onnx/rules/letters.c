/* Element types of a call, by the letters of its row. */
#include <string.h>

#include "onnx/rules/rules.h"

char ox_letter_at(const char *letters, int i)
{
    const int n = (int)strlen(letters);
    if (n > 1 && letters[n - 1] == '*') {
        return letters[i < n - 2 ? i : n - 2];
    }
    return letters[i];
}

enum mx_dtype ox_data_type(const struct ox_call *c)
{
    for (int i = 0; i < c->n_in; i++) {
        if (c->in[i] != OX_NONE && ox_letter_at(c->schema->in, i) == 'T') {
            return ox_dtype(c->b, c->in[i]);
        }
    }
    return MX_DTYPE_NONE;
}

void ox_check_types(struct ox_call *c)
{
    const enum mx_dtype t = ox_data_type(c);
    for (int i = 0; i < c->n_in; i++) {
        const enum mx_dtype own = ox_dtype(c->b, c->in[i]);
        if (c->in[i] != OX_NONE && ox_letter_at(c->schema->in, i) == 'T' && own != t) {
            /* Not by a file: mx_same_dtype stated it, or lower casts. */
            ox_broken(c->b, "internal error: %s of %s and %s", c->schema->name, mx_dtype_name(t), mx_dtype_name(own));
        }
    }
}

/* float16 with float32 statistics, as in MXNet. */
static bool may_mix(const struct ox_call *c, int i)
{
    return c->b->model->opset >= OX_MIXED_SINCE && ox_dtype(c->b, ox_call_in(c, 0)) == MX_FLOAT16 && ox_dtype(c->b, c->in[i]) == MX_FLOAT32;
}

bool ox_runs_in_data_type(const struct ox_call *c, int i)
{
    const char letter = ox_letter_at(c->schema->in, i);
    return c->in[i] != OX_NONE && (letter == 'T' || (letter == 'C' && !may_mix(c, i)));
}

static enum mx_dtype wider_float(enum mx_dtype a, enum mx_dtype b)
{
    if (a == b || b == MX_DTYPE_NONE) {
        return a;
    }
    return a == MX_FLOAT64 || b == MX_FLOAT64 ? MX_FLOAT64 : MX_FLOAT32;
}

enum mx_dtype ox_joined_type(const struct ox_call *c)
{
    enum mx_dtype joined = MX_DTYPE_NONE;
    for (int i = 0; i < c->n_in; i++) {
        if (ox_runs_in_data_type(c, i)) {
            const enum mx_dtype own = ox_dtype(c->b, c->in[i]);
            joined = joined == MX_DTYPE_NONE ? own : wider_float(joined, own);
        }
    }
    return joined;
}

/* The type that a letter stands for; NONE if it stands for several. */
static enum mx_dtype type_of(char letter)
{
    return letter == 'i' || letter == 'I' ? MX_INT64
           : letter == 'n'                ? MX_INT32
           : letter == 'f'                ? MX_FLOAT32
           : letter == 'b'                ? MX_BOOL
                                          : MX_DTYPE_NONE;
}

enum mx_dtype ox_in_type(const struct ox_call *c, int i)
{
    const char letter = ox_letter_at(c->schema->in, i);
    return letter == 'I' && ox_dtype(c->b, c->in[i]) == MX_INT32 ? MX_INT32 : type_of(letter);
}

void ox_set_types(struct ox_call *c)
{
    for (int i = 0; i < c->n_out; i++) {
        const char letter = ox_letter_at(c->schema->out, i);
        c->dtypes[i] = letter == 'T' ? ox_data_type(c) : letter == 'U' ? ox_dtype(c->b, ox_call_in(c, 0)) : type_of(letter);
        c->shapes[i] = MX_SHAPE_UNKNOWN;
    }
}
