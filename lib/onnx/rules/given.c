/* Whether a node that a handler requests is one of ONNX: the rules compute with its inputs and attributes. */
#include <string.h>

#include "base/str.h"
#include "onnx/rules/rules.h"

/* ---- inputs and outputs */

static size_t count_letters(const char *letters)
{
    return !letters || strchr(letters, '*') ? SIZE_MAX : strlen(letters);
}

static bool check_count(struct ox_build *b, enum ox_op op, const char *what, size_t given, size_t least, size_t most)
{
    if (given > most || given < least) {
        ox_fail(b, NULL, "the number of %s is %zu, but ONNX's %s has %s %zu", what, given, ox_op_name(op),
                given > most ? "at most" : "at least", given > most ? most : least);
        return false;
    }
    return true;
}

bool ox_check_given_ends(struct ox_build *b, enum ox_op op, const ox_val *in, size_t n_out)
{
    const struct ox_schema *s = &ox_schemas[op];
    size_t n_in = 0;
    while (in[n_in] != OX_END) {
        n_in++;
    }
    if (!check_count(b, op, "inputs", n_in, s->needs, count_letters(s->in))
        || !check_count(b, op, "outputs", n_out, s->gives, count_letters(s->out))) {
        return false;
    }
    for (size_t i = 0; i < s->needs; i++) {
        if (in[i] == OX_NONE) {
            ox_fail(b, NULL, "input %zu is left out, but ONNX's %s needs it", i, ox_op_name(op));
            return false;
        }
    }
    return true;
}

/* ---- attributes */

static bool is_attribute(struct ox_build *b, enum ox_op op, const char *name)
{
    const char *names = ox_op_attributes(op);
    if (mx_word_index(names, name) < 0) {
        ox_fail(b, NULL, "ONNX's %s has no attribute '%s' in its newest form, which handlers write: %s%s", ox_op_name(op), name,
                *names ? "its attributes are " : "it has none", names);
        return false;
    }
    return true;
}

/* Floats may be given as integers, as JSON writes them. */
static bool make_floats(struct ox_build *b, struct ox_attr *a)
{
    if (a->kind == OX_A_INT) {
        *a = (struct ox_attr)OX_F(a->name, (double)a->i);
    } else if (a->kind == OX_A_INTS) {
        const int64_t *ints = a->v;
        double *floats = ox_scratch(b, (size_t)a->n, sizeof *floats);
        for (int i = 0; floats && i < a->n; i++) {
            floats[i] = (double)ints[i];
        }
        *a = (struct ox_attr)OX_FS(a->name, floats, a->n);
        return floats;
    }
    return true;
}

/* The rules have room for numbers of 32 bits, and divide by sizes. */
static bool check_numbers(struct ox_build *b, const struct ox_attr *a)
{
    static const char sizes[] = "blocksize dilations group hidden_size kernel_shape num_groups num_outputs num_scan_inputs output_height "
                                "output_shape output_width pooled_shape sample_size strides";
    const int64_t least = mx_word_index(sizes, a->name) >= 0 ? 1 : INT32_MIN;
    const int64_t *list = a->kind == OX_A_INTS ? a->v : &a->i;
    const int count = a->kind == OX_A_INTS ? a->n : a->kind == OX_A_INT ? 1 : 0;
    for (int i = 0; i < count; i++) {
        if (list[i] > INT32_MAX || list[i] < least) {
            ox_fail(b, a->name, MX_SUBJECT "is %lld, but must be %lld to %d", (long long)list[i], (long long)least, INT32_MAX);
            return false;
        }
    }
    return true;
}

/* Element types are given as ONNX's numbers. */
static bool make_dtype(struct ox_build *b, struct ox_attr *a)
{
    const enum mx_dtype t = a->kind == OX_A_INT ? mx_dtype_from_onnx((int)a->i) : MX_DTYPE_NONE;
    if (t == MX_DTYPE_NONE) {
        ox_fail(b, a->name,
                MX_SUBJECT "is not the number of an element type that can be written" MX_HELP "see TensorProto.DataType in onnx.proto");
        return false;
    }
    *a = (struct ox_attr)OX_T(a->name, t);
    return true;
}

bool ox_check_given_attrs(struct ox_build *b, enum ox_op op, struct ox_attr *attrs)
{
    for (struct ox_attr *a = attrs; a && a->kind != OX_A_END; a++) {
        if (!is_attribute(b, op, a->name) || (mx_word_index(ox_op_floats(op), a->name) >= 0 && !make_floats(b, a)) || !check_numbers(b, a)
            || (mx_word_index("dtype output_datatype output_dtype to", a->name) >= 0 && !make_dtype(b, a))) {
            return false;
        }
    }
    return true;
}
