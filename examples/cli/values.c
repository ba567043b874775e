/* Inputs and outputs of a model, with their types and dims. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

struct side {
    size_t (*count)(mx2onnx_model *);
    const char *(*name)(mx2onnx_model *, size_t);
    int32_t (*dtype)(mx2onnx_model *, size_t);
    int32_t (*rank)(mx2onnx_model *, size_t);
    int64_t (*dim)(mx2onnx_model *, size_t, size_t);
    const char *(*dim_name)(mx2onnx_model *, size_t, size_t);
};

static const struct side inputs = {mx2onnx_input_count, mx2onnx_input_name, mx2onnx_input_dtype,
                                   mx2onnx_input_rank,  mx2onnx_input_dim,  mx2onnx_input_dim_name};
static const struct side outputs = {mx2onnx_output_count, mx2onnx_output_name, mx2onnx_output_dtype,
                                    mx2onnx_output_rank,  mx2onnx_output_dim,  mx2onnx_output_dim_name};

static void put_dim(FILE *out, size_t axis, int64_t size, const char *name)
{
    fputs(axis ? ", " : "", out);
    if (size >= 0 && !name) {
        fprintf(out, "%" PRId64, size);
    } else {
        cli_put(out, name ? name : "?", CLI_NAME);
    }
}

/* As it was given for an input, where inference failed. */
static int32_t put_given_dims(FILE *out, mx2onnx_model *m, const char *input)
{
    int32_t rank = -1;
    const int64_t *dims = mx2onnx_get_input_shape(m, input, &rank);
    fputs(rank < 0 ? "shape unknown" : "(", out);
    for (int32_t axis = 0; axis < rank; axis++) {
        put_dim(out, (size_t)axis, dims[axis], mx2onnx_get_input_dim_name(m, input, (size_t)axis));
    }
    return rank;
}

static void print_shape(FILE *out, mx2onnx_model *m, const struct side *side, size_t i)
{
    int32_t rank = side->rank(m, i);
    if (rank < 0 && side == &inputs) {
        rank = put_given_dims(out, m, side->name(m, i));
    } else {
        fputs(rank < 0 ? "shape unknown" : "(", out);
        for (int32_t axis = 0; axis < rank; axis++) {
            const int64_t size = side->dim(m, i, (size_t)axis);
            put_dim(out, (size_t)axis, size, size >= 0 ? NULL : side->dim_name(m, i, (size_t)axis));
        }
    }
    fputs(rank < 0 ? "\n" : rank == 1 ? ",)\n" : ")\n", out);
}

/* The name in the ONNX file: an input has MXNet's name unless --rename or a file next to the model gives it another one. */
static const char *name_of(mx2onnx_model *m, const struct side *side, const struct cli_choices *c, size_t i)
{
    const char *name = side->name(m, i);
    const char *renamed = c && side == &inputs ? mx2onnx_get_rename(m, name) : NULL;
    return renamed ? renamed : name;
}

/* The columns of the longest name. */
static size_t width_of(mx2onnx_model *m, const struct side *side, const struct cli_choices *c)
{
    size_t longest = 0;
    for (size_t i = 0; i < side->count(m); i++) {
        const size_t columns = cli_columns(name_of(m, side, c, i), CLI_NAME);
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

/* With labels, the types of inputs and outputs are in one column. */
static void print_side(FILE *out, mx2onnx_model *m, const struct side *side, const struct cli_choices *c, const char *label)
{
    const size_t count = side->count(m), own = width_of(m, side, c);
    const size_t other = *label ? width_of(m, side == &inputs ? &outputs : &inputs, c) : 0, longest = own > other ? own : other;
    for (size_t i = 0; i < count; i++) {
        const int32_t dtype = side->dtype(m, i);
        fprintf(out, "  %s", label);
        cli_put_padded(out, name_of(m, side, c, i), longest);
        fprintf(out, "  %-8s  ", dtype == MX2ONNX_DTYPE_UNKNOWN ? "?" : mx2onnx_dtype_name(dtype));
        print_shape(out, m, side, i);
    }
}

void cli_print_inputs(FILE *out, mx2onnx_model *m, const struct cli_choices *c, const char *label)
{
    print_side(out, m, &inputs, c, label);
}

void cli_print_outputs(FILE *out, mx2onnx_model *m, const struct cli_choices *c, const char *label)
{
    print_side(out, m, &outputs, c, label);
}

/* ---- open dims */

/* True if the input's shape was given. An option without a name applies to the only input. */
static bool is_given(const struct cli_choices *c, const char *input)
{
    const size_t length = strlen(input);
    for (int i = 0; i < c->count; i++) {
        const char *text = c->items[i].text;
        const int option = c->items[i].option;
        if ((option == CLI_OPT_INPUT || option == CLI_OPT_DYNAMIC) && text
            && (!strchr(text, '=') || (strncmp(text, input, length) == 0 && text[length] == '='))) {
            return true;
        }
    }
    return false;
}

/* True if --channels-last concerns the input. */
static bool is_channels_last(const struct cli_choices *c, const char *input)
{
    bool found = false;
    for (int i = 0; i < c->count; i++) {
        const char *name = c->items[i].text;
        found = found || (c->items[i].option == CLI_OPT_CHANNELS_LAST && (!name || strcmp(name, input) == 0));
    }
    return found;
}

/* What a note says of a size of the input, in the order of the net: "fix the size with mx2onnx_set_input_shape: data=?x?x3"; -1: none. */
static int64_t advised_size(mx2onnx_model *m, const char *input, size_t axis)
{
    static const char start[] = "fix the size with mx2onnx_set_input_shape: ";
    const size_t length = strlen(input);
    mx2onnx_diagnostic d = {.struct_size = sizeof d};
    for (size_t i = 0; mx2onnx_diagnostic_get(m, i, &d) == MX2ONNX_OK; i++) {
        const char *name = strncmp(d.advice, start, sizeof start - 1) == 0 ? d.advice + sizeof start - 1 : "";
        const char *size = strncmp(name, input, length) == 0 && name[length] == '=' ? name + length + 1 : "";
        const char *separators = strchr(size, ',') ? "," : "x";
        for (size_t k = 0; k < axis && *size; k++) {
            size += strcspn(size, separators);
            size += *size != 0;
        }
        if (*size >= '0' && *size <= '9') {
            return strtoll(size, NULL, 10);
        }
    }
    return -1;
}

/* "NAME=DIMS" in the order of the net, which is that of --input and --dynamic, even where the file has the channels last. */
static void put_option(FILE *out, mx2onnx_model *m, size_t i, bool channels_last, bool fixed)
{
    struct cli_text t = {0};
    char word[CLI_WORD], number[24];
    cli_text_add(&t, mx2onnx_input_name(m, i));
    const size_t rank = (size_t)mx2onnx_input_rank(m, i);
    for (size_t n = 0; n < rank; n++) {
        const size_t axis = !channels_last || n == 0 ? n : n == 1 ? rank - 1 : n - 1;
        const int64_t known = mx2onnx_input_dim(m, i, axis), size = known >= 0 ? known : advised_size(m, mx2onnx_input_name(m, i), n);
        const char *name = mx2onnx_input_dim_name(m, i, axis);
        snprintf(number, sizeof number, "%" PRId64, size >= 0 ? size : 1);
        cli_text_add(&t, n == 0 ? "=" : fixed ? "x" : ",");
        cli_text_add(&t, size >= 0 || (fixed && n == 0) ? number : fixed ? "SIZE" : name ? name : "?");
    }
    cli_put(out, cli_word(word, "%s", t.failed ? "" : t.text), 0);
    free(t.text);
}

/* True if an open dim has no name, or one that only states its place: "data_dim2". */
static bool lacks_names(mx2onnx_model *m, size_t i)
{
    const char *input = mx2onnx_input_name(m, i);
    const size_t length = strlen(input);
    bool lacks = false;
    for (int32_t axis = 0; axis < mx2onnx_input_rank(m, i); axis++) {
        const char *name = mx2onnx_input_dim_name(m, i, (size_t)axis);
        const bool is_place = name && strncmp(name, input, length) == 0 && strncmp(name + length, "_dim", 4) == 0;
        lacks = lacks || (mx2onnx_input_dim(m, i, (size_t)axis) < 0 && (!name || is_place));
    }
    return lacks;
}

void cli_print_open_dims(FILE *out, mx2onnx_model *m, const struct cli_choices *c)
{
    enum { SHOWN = 4 };
    size_t shown = 0;
    for (size_t i = 0; i < mx2onnx_input_count(m); i++) {
        size_t open = 0;
        const int32_t rank = mx2onnx_input_rank(m, i);
        for (int32_t axis = 0; axis < rank; axis++) {
            open += mx2onnx_input_dim(m, i, (size_t)axis) < 0;
        }
        const char *renamed = mx2onnx_get_rename(m, mx2onnx_input_name(m, i));
        if (!open || is_given(c, mx2onnx_input_name(m, i)) || (renamed && is_given(c, renamed))) {
            continue;
        }
        if (shown++ == SHOWN) {
            fputs("  more inputs have dimensions without a size\n", out);
            return;
        }
        const bool last = is_channels_last(c, mx2onnx_input_name(m, i));
        fprintf(out, "  %zu dimension%s of '", open, cli_plural(open));
        cli_put(out, mx2onnx_input_name(m, i), CLI_NAME);
        fprintf(out, "' %s open\n    to fix: --input ", open == 1 ? "is" : "are");
        put_option(out, m, i, last, true);
        if (lacks_names(m, i)) {
            fputs("\n    to name: --dynamic ", out);
            put_option(out, m, i, last, false);
        }
        fputc('\n', out);
    }
}
