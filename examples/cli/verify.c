/* mx2onnx verify: checks that an ONNX file computes what MXNet computed, like mx2onnx.verify of the Python package. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/array.h"
#include "cli/cli.h"
#include "cli/onnx_nodes.h"
#include "cli/options.h"
#include "cli/program.h"
#include "cli/recorder.h"
#include "cli/runtime.h"

enum { MOST_NAMES = 8 };  /* of a list in a message */
enum { MOST_TURNED = 5 }; /* limit: axes of an inner value that is looked at in another order */

/* A value that MXNet computed and that still exists in the file. */
static const double TOLERANCE = 1e-4, HALF_TOLERANCE = 2e-2;

struct value {
    char *name;   /* in the ONNX file */
    size_t param; /* the recorded array */
    size_t node;  /* its producer */
    bool is_output;
    double error; /* the largest difference, relative to MXNet's largest number; INFINITY if `why` is set */
    double got, want;
    int64_t where[CLI_MOST_DIMS];
    int32_t rank;
    bool differs;                      /* then `where`, `got` and `want` are valid */
    size_t nan;                        /* numbers that are NaN in both */
    size_t compared;                   /* all other numbers */
    int32_t axes[MOST_TURNED], n_axes; /* if not 0: the file's value is compared with its axes in this order */
    size_t odd;                        /* NaN and infinity where MXNet has numbers */
    char why[250];
};

/* Sorted names, each with the index of its item in a list. */
struct index {
    struct named {
        char *name;
        size_t at;
    } * items;
    size_t count;
};

struct verification {
    const char *model, *data, *library;
    double tolerance;
    bool chosen; /* the tolerance was given */
    bool half;   /* the file computes in float16 */
    bool json;
    mx2onnx_model *recorded;
    struct cli_span file;
    struct cli_nodes nodes;
    struct cli_runtime runtime;
    struct value *values; /* the model's outputs, in order, then the others in node order */
    size_t n_values, n_outputs;
    struct index recorded_names, output_names; /* ONNX names of `recorded` and of `values` */
    struct index made_names;                   /* of the results of the file's nodes, each with its node: a weight is not among them */
};

static char failure[CLI_MESSAGE]; /* why nothing was compared, for JSON */

#define OF_THIS_MODEL "record data of this model with the script that 'mx2onnx verify --recorder' prints"
#define IF_RENAMED "if it has another name in the data, save its array as %s:%.200s; else " OF_THIS_MODEL

/* "mx2onnx: error: MODEL: ..." */
static int fail_with(const char *path, const char *why, const char *name, const char *help)
{
    const char *quote = name ? "'" : "", *blank = name ? " " : "", *named = name ? name : "";
    snprintf(failure, sizeof failure, "%s: %s%s%s%s%s", path, why, blank, quote, named, quote);
    return cli_error("%s: %s%s%s%s%s" CLI_HELP "%s", path, why, blank, quote, named, quote, help);
}

static int fail(const char *path, const char *why, const char *name)
{
    return fail_with(path, why, name, "");
}

static bool same(const char *text, struct cli_span span)
{
    return strlen(text) == span.size && memcmp(text, span.data, span.size) == 0;
}

/* ---- files */

/* The bytes of a file; without data, `why` states the reason. */
static struct cli_span read_bytes(const char *path, const char **why, const char **help)
{
    const uint64_t bytes = cli_file_bytes(path);
    *help = "";
    if (bytes > INT32_MAX || cli_is_stream(path)) {
        *why = cli_is_stream(path) ? "it is not a regular file" : "it has more than 2 GiB, which no ONNX file has";
        return (struct cli_span){NULL, 0};
    }
    FILE *f = cli_open(path);
    if (!f) {
        *why = strerror(errno);
        *help = "check the path";
        return (struct cli_span){NULL, 0};
    }
    const size_t size = (size_t)bytes;
    uint8_t *data = malloc(size + 1);
    const bool whole = data && fread(data, 1, size, f) == size;
    fclose(f);
    *why = data ? "the file cannot be read" : "out of memory";
    if (!whole) {
        free(data);
        return (struct cli_span){NULL, 0};
    }
    return (struct cli_span){data, size};
}

static int read_file(struct verification *v)
{
    const char *why = "", *help;
    v->file = read_bytes(v->model, &why, &help);
    return v->file.data ? CLI_OK : fail_with(v->model, why, NULL, help);
}

static bool is_called_onnx(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".onnx") == 0;
}

static const char *recorded_name(struct verification *v, size_t i, const char *kind)
{
    const char *name = mx2onnx_param_name(v->recorded, i);
    return strncmp(name, kind, strlen(kind)) == 0 ? name + strlen(kind) : NULL;
}

static bool has_kind(struct verification *v, const char *kind)
{
    for (size_t i = 0; i < mx2onnx_param_count(v->recorded); i++) {
        if (recorded_name(v, i, kind)) {
            return true;
        }
    }
    return false;
}

static int read_files(struct verification *v)
{
    if (mx2onnx_model_new(&v->recorded) != MX2ONNX_OK) {
        return fail(v->data, "out of memory", NULL);
    }
    if (mx2onnx_load_params_file(v->recorded, v->data) != MX2ONNX_OK) {
        if (is_called_onnx(v->data)) {
            return fail_with(v->data, "the data is an ONNX model", NULL, "name the ONNX file first, and the recorded data with --data");
        }
        snprintf(failure, sizeof failure, "%s", mx2onnx_error(v->recorded));
        return cli_fail(v->recorded, MX2ONNX_STATUS_FORMAT);
    }
    const bool inputs = has_kind(v, "input:"), outputs = has_kind(v, "output:");
    if (!inputs || !outputs) {
        return fail_with(v->data,
                         inputs    ? "the data has no arrays that are called \"output:NAME\""
                         : outputs ? "the data has no arrays that are called \"input:NAME\""
                                   : "the data has no arrays that are called \"input:NAME\" and \"output:NAME\"",
                         NULL, OF_THIS_MODEL);
    }
    const int result = read_file(v);
    return result != CLI_OK ? result : cli_nodes_read(&v->nodes, v->file) ? CLI_OK : fail_with(v->model, v->nodes.why, NULL, v->nodes.help);
}

/* ---- which values are compared */

/* The name in the file for MXNet's name: conv0_output is conv0 there, split0_output1 is split01. Freed by the caller. */
static char *onnx_name(const char *mxnet)
{
    static const char output[] = "_output";
    const size_t length = strlen(mxnet), least = sizeof output - 1;
    size_t head = length;
    while (head > 0 && mxnet[head - 1] >= '0' && mxnet[head - 1] <= '9') {
        head--;
    }
    char *name = cli_copy(mxnet, length);
    if (name && head > least && memcmp(mxnet + head - least, output, least) == 0) {
        memmove(name + head - least, mxnet + head, length - head + 1);
    }
    return name;
}

static int compare_names(const void *a_, const void *b_)
{
    const struct named *a = a_, *b = b_;
    const int order = strcmp(a->name, b->name);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* Takes ownership of `name`. */
static bool add_name(struct index *index, char *name, size_t at)
{
    struct named *more = name ? realloc(index->items, (index->count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(name);
        return false;
    }
    index->items = more;
    index->items[index->count++] = (struct named){name, at};
    return true;
}

/* The last item with this name. */
static bool find_name(const struct index *index, struct cli_span name, size_t *at)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2, length = strlen(index->items[middle].name);
        const size_t shared = length < name.size ? length : name.size;
        const int order = memcmp(index->items[middle].name, name.data, shared);
        const bool is_after = order > 0 || (order == 0 && length > name.size);
        low = is_after ? low : middle + 1;
        high = is_after ? middle : high;
    }
    if (low == 0 || !same(index->items[low - 1].name, name)) {
        return false;
    }
    *at = index->items[low - 1].at;
    return true;
}

static void free_index(struct index *index)
{
    for (size_t i = 0; i < index->count; i++) {
        free(index->items[i].name);
    }
    free(index->items);
}

static void sort_names(struct index *index)
{
    if (index->count > 0) {
        qsort(index->items, index->count, sizeof *index->items, compare_names);
    }
}

static bool index_made(struct verification *v)
{
    struct cli_span name;
    for (size_t n = 0; n < v->nodes.count; n++) {
        for (struct cli_span rest = v->nodes.items[n].message; cli_node_output(&rest, &name);) {
            if (!add_name(&v->made_names, cli_copy((const char *)name.data, name.size), n)) {
                return false;
            }
        }
    }
    sort_names(&v->made_names);
    return true;
}

static bool index_recorded(struct verification *v)
{
    for (size_t i = 0; i < mx2onnx_param_count(v->recorded); i++) {
        const char *name = recorded_name(v, i, "output:");
        if (name && !add_name(&v->recorded_names, onnx_name(name), i)) {
            return false;
        }
    }
    sort_names(&v->recorded_names);
    return true;
}

static bool add_value(struct verification *v, struct cli_span name, size_t param, size_t node)
{
    struct value *more = realloc(v->values, (v->n_values + 1) * sizeof *more);
    char *copy = cli_copy((const char *)name.data, name.size);
    v->values = more ? more : v->values;
    if (!more || !copy) {
        free(copy);
        return false;
    }
    more[v->n_values++] = (struct value){.name = copy, .param = param, .node = node};
    return true;
}

static struct cli_span span_of(const char *text)
{
    return (struct cli_span){(const uint8_t *)text, strlen(text)};
}

static struct value *find_value(struct verification *v, struct cli_span name)
{
    for (size_t i = 0; i < v->n_values; i++) {
        if (same(v->values[i].name, name)) {
            return &v->values[i];
        }
    }
    return NULL;
}

/* The recorded array of a value. The first output of a node with several, lstm0_rnn00 in the file, may be lstm0_rnn0_output in MXNet. */
static bool find_recorded(const struct verification *v, struct cli_span name, size_t *param)
{
    size_t node;
    const struct cli_span base = {name.data, name.size - (name.size > 0)};
    return find_name(&v->recorded_names, name, param)
           || (base.size > 0 && name.data[base.size] == '0' && find_name(&v->recorded_names, base, param)
               && !find_name(&v->made_names, base, &node));
}

/* The first names of a list: "a, b, ...". */
static void put_name(char *text, size_t size, size_t i, const char *name)
{
    const size_t used = strlen(text);
    if (i <= MOST_NAMES) {
        snprintf(text + used, size - used, "%s%s", i ? ", " : "", i < MOST_NAMES ? name : "...");
    }
}

static int fail_output(struct verification *v, const char *output)
{
    char names[CLI_MESSAGE] = "", why[2 * CLI_MESSAGE], help[CLI_MESSAGE];
    for (size_t i = 0; i < v->recorded_names.count; i++) {
        put_name(names, sizeof names, i, v->recorded_names.items[i].name);
    }
    snprintf(why, sizeof why, "no value is recorded for the output %s; the data has %s", output, names);
    snprintf(help, sizeof help, IF_RENAMED, "output", output);
    return fail_with(v->data, why, NULL, help);
}

static int choose_outputs(struct verification *v)
{
    if (!index_recorded(v) || !index_made(v)) {
        return fail(v->data, "out of memory", NULL);
    }
    for (size_t i = 0; i < v->runtime.n_outputs; i++) {
        size_t param;
        if (!find_recorded(v, span_of(v->runtime.outputs[i]), &param)) {
            return fail_output(v, v->runtime.outputs[i]);
        }
        if (!add_value(v, span_of(v->runtime.outputs[i]), param, v->nodes.count)
            || !add_name(&v->output_names, cli_copy(v->values[i].name, strlen(v->values[i].name)), i)) {
            return fail(v->model, "out of memory", NULL);
        }
        v->values[i].is_output = true;
    }
    v->n_outputs = v->n_values;
    sort_names(&v->output_names);
    return CLI_OK;
}

/* Finds the nodes of the outputs, and adds other recorded values. */
static int choose_inner(struct verification *v)
{
    struct cli_span name;
    for (size_t n = 0; n < v->nodes.count; n++) {
        for (struct cli_span rest = v->nodes.items[n].message; cli_node_output(&rest, &name);) {
            size_t at;
            if (name.size == 0) {
                continue;
            }
            if (find_name(&v->output_names, name, &at)) {
                v->values[at].node = n;
            } else if (find_recorded(v, name, &at) && !add_value(v, name, at, n)) {
                return fail(v->model, "out of memory", NULL);
            }
        }
    }
    return CLI_OK;
}

/* ---- the run */

static bool read_recorded(struct verification *v, size_t param, struct cli_array *a)
{
    mx2onnx_model *m = v->recorded;
    const int64_t *dims = mx2onnx_param_dims(m, param);
    *a = (struct cli_array){.dtype = mx2onnx_param_dtype(m, param), .rank = mx2onnx_param_rank(m, param), .count = 1};
    if (a->rank > CLI_MOST_DIMS || cli_dtype_size(a->dtype) == 0) {
        return false;
    }
    for (int32_t k = 0; k < a->rank; k++) {
        a->dims[k] = dims[k];
        a->count *= (size_t)dims[k];
    }
    return cli_array_allocate(a) && mx2onnx_param_read(m, param, 0, a->data, a->count * cli_dtype_size(a->dtype)) == MX2ONNX_OK;
}

static int fail_input(struct verification *v, const char *input)
{
    char read[CLI_MESSAGE] = "", recorded[CLI_MESSAGE] = "", why[3 * CLI_MESSAGE], help[CLI_MESSAGE];
    for (size_t i = 0; i < v->runtime.n_inputs; i++) {
        put_name(read, sizeof read, i, v->runtime.inputs[i]);
    }
    for (size_t i = 0, n = 0; i < mx2onnx_param_count(v->recorded); i++) {
        const char *name = recorded_name(v, i, "input:");
        if (name) {
            put_name(recorded, sizeof recorded, n++, name);
        }
    }
    snprintf(why, sizeof why, "the data has no input:%s; the model reads %s, and the data has %s", input, read, recorded);
    snprintf(help, sizeof help, IF_RENAMED, "input", input);
    return fail_with(v->data, why, NULL, help);
}

static void append_dims(char *text, size_t size, const struct cli_array *a)
{
    strncat(text, "[", size - strlen(text) - 1);
    for (int32_t k = 0; k < a->rank; k++) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, a->dims[k] < 0 ? "%s?" : "%s%lld", k ? ", " : "", (long long)a->dims[k]);
    }
    strncat(text, "]", size - strlen(text) - 1);
}

/* The model takes any shape where it states none. */
static bool takes_shape(const struct cli_array *wanted, const struct cli_array *a)
{
    bool fits = wanted->rank == 0 || wanted->rank == a->rank;
    for (int32_t k = 0; fits && k < wanted->rank; k++) {
        fits = wanted->dims[k] < 0 || wanted->dims[k] == a->dims[k];
    }
    return fits;
}

static int fail_shape(struct verification *v, size_t i, const struct cli_array *recorded)
{
    char why[CLI_MESSAGE], help[CLI_MESSAGE] = "record data of this shape, or convert the model with --dynamic for other shapes";
    struct cli_array last = *recorded; /* the channels at the end */
    for (int32_t k = 1; k + 1 < last.rank; k++) {
        last.dims[k] = recorded->dims[k + 1];
    }
    if (last.rank > 2) {
        last.dims[last.rank - 1] = recorded->dims[1];
    }
    if (last.rank > 2 && takes_shape(&v->runtime.input_shapes[i], &last)) {
        struct cli_array order = {.rank = last.rank};
        for (int32_t k = 1; k < order.rank; k++) {
            order.dims[k] = k + 1 < order.rank ? k + 1 : 1;
        }
        strcpy(help, "for a file of --channels-last, save the array after a Transpose by ");
        append_dims(help, sizeof help, &order);
        strncat(help, "; or compare a file without it", sizeof help - strlen(help) - 1);
    }
    snprintf(why, sizeof why, "input:%.200s has the shape ", v->runtime.inputs[i]);
    append_dims(why, sizeof why, recorded);
    strncat(why, ", but the model takes ", sizeof why - strlen(why) - 1);
    append_dims(why, sizeof why, &v->runtime.input_shapes[i]);
    return fail_with(v->data, why, NULL, help);
}

static int read_inputs(struct verification *v, struct cli_array *inputs)
{
    for (size_t i = 0; i < v->runtime.n_inputs; i++) {
        const size_t count = mx2onnx_param_count(v->recorded);
        size_t param = 0;
        for (const char *name; param < count; param++) {
            name = recorded_name(v, param, "input:");
            if (name && strcmp(name, v->runtime.inputs[i]) == 0) {
                break;
            }
        }
        if (param == count) {
            return fail_input(v, v->runtime.inputs[i]);
        }
        if (cli_dtype_size(v->runtime.input_dtypes[i]) == 0 || !read_recorded(v, param, &inputs[i])
            || !cli_array_convert(&inputs[i], v->runtime.input_dtypes[i])) {
            return fail(v->data, "this array cannot be read", mx2onnx_param_name(v->recorded, param));
        }
        if (!takes_shape(&v->runtime.input_shapes[i], &inputs[i])) {
            return fail_shape(v, i, &inputs[i]);
        }
    }
    return CLI_OK;
}

static bool equal_dims(const struct cli_array *a, const struct cli_array *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

/* The position of element `at` by axes. */
static void locate(struct value *value, const struct cli_array *a, size_t at)
{
    value->rank = a->rank;
    for (int32_t k = a->rank; k-- > 0;) {
        value->where[k] = (int64_t)(at % (size_t)a->dims[k]);
        at /= (size_t)a->dims[k];
    }
}

/* NaN or infinity in one of them alone, in `n` places each. */
static void explain_odd(struct value *value, size_t reverse, size_t other, size_t count)
{
    const struct {
        const char *text;
        size_t n;
    } kinds[] = {{"NaN or infinity where MXNet has numbers", value->odd},
                 {"numbers where MXNet has NaN or infinity", reverse},
                 {"a NaN or infinity other than MXNet has", other}};
    for (size_t i = 0; i < 3; i++) {
        const size_t used = strlen(value->why);
        if (kinds[i].n > 0) {
            snprintf(value->why + used, sizeof value->why - used, "%s%s: %zu of %zu", used ? ", " : "", kinds[i].text, kinds[i].n, count);
        }
    }
}

static void compare(struct value *value, const struct cli_array *got, const struct cli_array *want)
{
    double greatest = 0, scale = 0;
    size_t at = 0, reverse = 0, other = 0;
    value->error = (double)INFINITY;
    if (!equal_dims(got, want)) {
        strcpy(value->why, "shape ");
        append_dims(value->why, sizeof value->why, got);
        strncat(value->why, ", MXNet has ", sizeof value->why - strlen(value->why) - 1);
        append_dims(value->why, sizeof value->why, want);
        return;
    }
    for (size_t i = 0; i < want->count; i++) {
        const double g = cli_array_get(got, i), w = cli_array_get(want, i);
        if (!isfinite(g) || !isfinite(w)) {
            if (!(isnan(g) && isnan(w)) && g != w) {
                value->odd += isfinite(w) ? 1 : 0;
                reverse += isfinite(g) ? 1 : 0;
                other += isfinite(w) || isfinite(g) ? 0 : 1;
                continue;
            }
            value->nan += isnan(g) ? 1 : 0;
            value->compared += isnan(g) ? 0 : 1;
            continue;
        }
        value->compared++;
        scale = fmax(scale, fabs(w));
        if (fabs(g - w) > greatest) {
            greatest = fabs(g - w);
            at = i;
        }
    }
    if (value->odd + reverse + other > 0) {
        explain_odd(value, reverse, other, want->count);
        value->nan = 0;
        return;
    }
    if (value->is_output && value->compared == 0 && value->nan > 0) {
        strcpy(value->why, "all numbers are NaN in both, so nothing is compared");
        return;
    }
    value->differs = greatest > 0;
    value->error = !value->differs ? 0 : scale > 0 ? greatest / scale : (double)INFINITY;
    if (value->differs) {
        locate(value, want, at);
        value->got = cli_array_get(got, at);
        value->want = cli_array_get(want, at);
    }
}

static void swap(int32_t *axes, int32_t i, int32_t k)
{
    const int32_t other = axes[i];
    axes[i] = axes[k];
    axes[k] = other;
}

/* The next order of axes, by their first, then by their second; false after the last. */
static bool next_order(int32_t *axes, int32_t n)
{
    int32_t i = n - 1, k = n - 1;
    while (i > 0 && axes[i - 1] > axes[i]) {
        i--;
    }
    if (i <= 0) {
        return false;
    }
    while (axes[k] < axes[i - 1]) {
        k--;
    }
    swap(axes, i - 1, k);
    for (k = n - 1; i < k; i++, k--) {
        swap(axes, i, k);
    }
    return true;
}

static bool has_order(const struct cli_array *got, const int32_t *axes, const struct cli_array *want)
{
    bool fits = true;
    for (int32_t k = 0; k < got->rank; k++) {
        fits = fits && got->dims[axes[k]] == want->dims[k];
    }
    return fits;
}

/* Compares an inner value that differs with its axes in other orders: where a Transpose was moved, the value has another order than
 * MXNet's, under the same name. One that agrees is taken; of another shape, the one that differs least. */
static void compare_turned(struct value *value, const struct cli_array *got, const struct cli_array *want, double tolerance)
{
    const bool same_shape = equal_dims(got, want);
    int32_t axes[MOST_TURNED] = {0, 1, 2, 3, 4};
    if (got->rank != want->rank || got->rank > MOST_TURNED) {
        return;
    }
    while (!(value->error <= tolerance) && next_order(axes, got->rank)) {
        struct value other = {.name = value->name, .param = value->param, .node = value->node, .n_axes = got->rank};
        struct cli_array to;
        if (!has_order(got, axes, want) || !cli_array_transpose(got, axes, &to)) {
            continue;
        }
        compare(&other, &to, want);
        cli_array_free(&to);
        if (other.error <= tolerance || (!same_shape && (other.error < value->error || value->n_axes == 0))) {
            memcpy(other.axes, axes, sizeof axes);
            *value = other;
        }
    }
}

static int compare_all(struct verification *v, const struct cli_array *got)
{
    for (size_t i = 0; i < v->n_values; i++) {
        struct cli_array want;
        const bool read = read_recorded(v, v->values[i].param, &want);
        if (read) {
            compare(&v->values[i], &got[i], &want);
        }
        if (read && !v->values[i].is_output) {
            compare_turned(&v->values[i], &got[i], &want, v->tolerance);
        }
        cli_array_free(&want);
        if (!read) {
            return fail(v->data, "this array cannot be read", mx2onnx_param_name(v->recorded, v->values[i].param));
        }
    }
    return CLI_OK;
}

/* Outputs without a number would all be equal. */
static int check_compared(const struct verification *v)
{
    bool any = false;
    for (size_t i = 0; i < v->n_outputs; i++) {
        any = any || v->values[i].compared > 0 || v->values[i].error > 0;
    }
    return any                ? CLI_OK
           : v->n_outputs > 0 ? fail_with(v->data, "the outputs have no numbers, so nothing is compared", NULL,
                                          "record an input for which the model has results")
                              : fail_with(v->model, "the model has no outputs, so nothing is compared", NULL, "convert it again");
}

static int run(struct verification *v)
{
    struct cli_array *arrays = calloc(v->runtime.n_inputs + v->n_values + 1, sizeof *arrays);
    const char **names = calloc(v->n_values + 1, sizeof *names);
    int result = arrays && names ? read_inputs(v, arrays) : fail(v->model, "out of memory", NULL);
    if (result == CLI_OK) {
        struct cli_array *got = arrays + v->runtime.n_inputs;
        for (size_t i = 0; i < v->n_values; i++) {
            names[i] = v->values[i].name;
        }
        result = cli_runtime_run(&v->runtime, arrays, names, v->n_values, got) ? compare_all(v, got) : fail(v->model, v->runtime.why, NULL);
    }
    result = result == CLI_OK ? check_compared(v) : result;
    for (size_t i = 0; arrays && i < v->runtime.n_inputs + v->n_values; i++) {
        cli_array_free(&arrays[i]);
    }
    free(arrays);
    free(names);
    return result;
}

/* Loads the model again with inner values as outputs; the runtime must not fuse the nodes that are compared. */
static bool load_with_inner(struct verification *v, const char *folder)
{
    const char **names = calloc(v->n_values + 1, sizeof *names);
    size_t size = 0;
    for (size_t i = v->n_outputs; names && i < v->n_values; i++) {
        names[i - v->n_outputs] = v->values[i].name;
    }
    uint8_t *data = names ? cli_onnx_with_outputs(v->file, names, v->n_values - v->n_outputs, &size) : NULL;
    const bool loaded = data && cli_runtime_load(&v->runtime, (struct cli_span){data, size}, folder, false);
    free(data);
    free(names);
    return loaded;
}

/* Domains whose operators ONNX Runtime has. */
static bool is_known_domain(struct cli_span domain)
{
    static const char *const known[] = {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training"};
    static const char microsoft[] = "com.microsoft";
    bool found = domain.size >= sizeof microsoft - 1 && memcmp(domain.data, microsoft, sizeof microsoft - 1) == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        found = found || same(known[i], domain);
    }
    return found;
}

static int fail_load(struct verification *v)
{
    char why[CLI_MESSAGE];
    for (size_t n = 0; n < v->nodes.count; n++) {
        const struct cli_node *node = &v->nodes.items[n];
        if (!is_known_domain(node->domain)) {
            snprintf(why, sizeof why, "ONNX Runtime does not have the operator '%.*s' of the domain '%.*s'", (int)node->op_type.size,
                     (const char *)node->op_type.data, (int)node->domain.size, (const char *)node->domain.data);
            return fail_with(
                v->model, why, NULL,
                "compare in a program that registers this operator, or convert the model with a handler (--custom) in place of "
                "--keep-unknown");
        }
    }
    return fail_with(v->model, v->runtime.why, NULL, "use a newer ONNX Runtime, or convert the model with an older --opset");
}

/* A file that computes in float16 has an input of that type, or a Cast to it. */
static void look_for_float16(struct verification *v)
{
    enum { FLOAT16 = 10 };
    for (size_t i = 0; i < v->runtime.n_inputs; i++) {
        v->half = v->half || v->runtime.input_dtypes[i] == MX2ONNX_DTYPE_FLOAT16;
    }
    for (size_t i = 0; i < v->nodes.count; i++) {
        v->half = v->half || cli_node_is_cast_to(&v->nodes.items[i], FLOAT16);
    }
    v->tolerance = v->half && !v->chosen ? HALF_TOLERANCE : v->tolerance;
}

static int work(struct verification *v, const char *folder)
{
    int result = read_files(v);
    if (result != CLI_OK) {
        return result;
    }
    if (!cli_runtime_start(&v->runtime, v->library)) {
        return fail_with(v->library ? v->library : v->model, v->runtime.why, NULL, v->runtime.help);
    }
    if (!cli_runtime_load(&v->runtime, v->file, folder, true)) {
        return fail_load(v);
    }
    look_for_float16(v);
    result = choose_outputs(v);
    result = result == CLI_OK ? choose_inner(v) : result;
    if (result == CLI_OK && v->n_values > v->n_outputs && !load_with_inner(v, folder)) {
        return fail(v->model, v->runtime.why, NULL);
    }
    return result == CLI_OK ? run(v) : result;
}

/* ---- the report */

static void print_axes(const struct value *value)
{
    putchar('[');
    for (int32_t k = 0; k < value->n_axes; k++) {
        printf("%s%d", k ? ", " : "", value->axes[k]);
    }
    putchar(']');
}

static void print_turned(const struct value *value)
{
    if (value->n_axes > 0) {
        fputs("; after a Transpose by ", stdout);
        print_axes(value);
    }
}

static void print_value(const struct value *value)
{
    cli_put(stdout, value->name, CLI_NAME);
    if (value->why[0]) {
        printf(": %s", value->why);
        print_turned(value);
        putchar('\n');
        return;
    }
    if (value->differs) {
        printf(": greatest difference %.2g (relative to the largest number), at [", value->error);
        for (int32_t k = 0; k < value->rank; k++) {
            printf("%s%lld", k ? ", " : "", (long long)value->where[k]);
        }
        printf("]: ONNX %.7g, MXNet %.7g", value->got, value->want);
    } else {
        fputs(": no difference", stdout);
    }
    if (value->nan) {
        printf("; NaN in both: %zu", value->nan);
    }
    print_turned(value);
    putchar('\n');
}

/* The wrong value whose node comes first. */
static const struct value *first_wrong(const struct verification *v)
{
    const struct value *first = NULL;
    for (size_t i = 0; i < v->n_values; i++) {
        const struct value *value = &v->values[i];
        if (!(value->error <= v->tolerance) && value->node < v->nodes.count && (!first || value->node < first->node)) {
            first = value;
        }
    }
    return first;
}

static void print_first(struct verification *v, const struct value *first)
{
    const struct cli_node *node = &v->nodes.items[first->node];
    struct cli_span name;
    size_t maker;
    char *op_type = cli_copy((const char *)node->op_type.data, node->op_type.size);
    fputs("the first that differs is of ", stdout);
    cli_put(stdout, op_type ? op_type : "", CLI_NAME);
    fputs("\n  ", stdout);
    free(op_type);
    print_value(first);
    cli_node_print_attributes(stdout, node);
    for (struct cli_span rest = node->message; cli_node_input(&rest, &name);) {
        const struct value *known = find_value(v, name);
        char *text = cli_copy((const char *)name.data, name.size);
        if (known) {
            fputs("  input ", stdout);
            print_value(known);
        } else if (text && *text && find_name(&v->made_names, name, &maker)) {
            fputs("  input ", stdout);
            cli_put(stdout, text, CLI_NAME);
            fputs(": not recorded\n", stdout);
        }
        free(text);
    }
}

/* What was compared. */
static void print_head(const struct verification *v)
{
    printf("compared with MXNet: %zu output%s", v->n_outputs, cli_plural(v->n_outputs));
    if (v->n_values > v->n_outputs) {
        printf(", %zu inside\n", v->n_values - v->n_outputs);
    } else {
        puts("; the data has no values of inner nodes");
    }
}

static bool has_odd(const struct verification *v)
{
    bool odd = false;
    for (size_t i = 0; i < v->n_values; i++) {
        odd = odd || v->values[i].odd > 0;
    }
    return odd;
}

/* ---- the report as JSON */

static void json_text(const char *before, const char *text)
{
    fputs(before, stdout);
    cli_json_string(stdout, text);
}

static void json_value(const struct verification *v, const struct value *value)
{
    json_text("{\"name\": ", value->name);
    printf(", \"ok\": %s, \"error\": ", value->error <= v->tolerance ? "true" : "false");
    if (isfinite(value->error)) {
        printf("%.9g", value->error);
    } else {
        fputs("null", stdout);
    }
    if (value->differs) {
        fputs(", \"where\": [", stdout);
        for (int32_t k = 0; k < value->rank; k++) {
            printf("%s%lld", k ? ", " : "", (long long)value->where[k]);
        }
        printf("], \"got\": %.17g, \"want\": %.17g", value->got, value->want);
    }
    printf(", \"nan\": %zu", value->nan);
    if (value->n_axes > 0) {
        fputs(", \"axes\": ", stdout);
        print_axes(value);
    }
    if (value->why[0]) {
        json_text(", \"why\": ", value->why);
    }
    putchar('}');
}

static void json_values(const struct verification *v, const char *key, size_t from, size_t to)
{
    printf(",\n  \"%s\": [", key);
    for (size_t i = from; i < to; i++) {
        fputs(i > from ? ",\n    " : "\n    ", stdout);
        json_value(v, &v->values[i]);
    }
    putchar(']');
}

static void json_first(const struct verification *v, const struct value *first)
{
    if (!first) {
        fputs(",\n  \"first\": null", stdout);
        return;
    }
    const struct cli_span op = v->nodes.items[first->node].op_type;
    char *op_type = cli_copy((const char *)op.data, op.size);
    json_text(",\n  \"first\": {\"operator\": ", op_type ? op_type : "");
    fputs(", \"value\": ", stdout);
    json_value(v, first);
    putchar('}');
    free(op_type);
}

/* `result` is CLI_FAILED if nothing was compared. */
static int report_json(const struct verification *v, int result)
{
    bool agrees = result == CLI_OK;
    for (size_t i = 0; i < v->n_outputs && result == CLI_OK; i++) {
        agrees = agrees && v->values[i].error <= v->tolerance;
    }
    json_text("{\n  \"schema\": 1,\n  \"model\": ", v->model);
    json_text(",\n  \"data\": ", v->data);
    printf(",\n  \"tolerance\": %.9g,\n  \"agrees\": %s", v->tolerance, agrees ? "true" : "false");
    if (result != CLI_OK) {
        json_text(",\n  \"failure\": ", failure);
    } else {
        json_values(v, "outputs", 0, v->n_outputs);
        json_values(v, "inside", v->n_outputs, v->n_values);
        json_first(v, v->n_values > v->n_outputs ? first_wrong(v) : NULL);
        printf(",\n  \"float16\": %s", v->half ? "true" : "false");
    }
    puts("\n}");
    return agrees ? CLI_OK : CLI_FAILED;
}

static int report(struct verification *v)
{
    int result = CLI_OK;
    const bool inside = v->n_values > v->n_outputs;
    print_head(v);
    for (size_t i = 0; i < v->n_outputs; i++) {
        const bool right = v->values[i].error <= v->tolerance;
        fputs(right ? "ok    " : "WRONG ", stdout);
        print_value(&v->values[i]);
        result = right ? result : CLI_FAILED;
    }
    const struct value *first = first_wrong(v);
    if (v->half && !v->chosen) {
        puts("the file computes in float16, so the tolerance is 2e-2");
    } else if (v->half && (result != CLI_OK || first)) {
        puts("the file computes in float16, for which a tolerance of 2e-2 is usual");
    }
    if ((result != CLI_OK || first) && has_odd(v)) {
        puts("the file has NaN or infinity where MXNet has numbers; MXNet's oneDNN kernels turn NaN into 0 at a ReLU: to keep it, record "
             "with MXNET_MKLDNN_ENABLED=0");
    }
    if (result != CLI_OK && !inside) {
        puts("if the data has values of inner nodes, the first node that differs is named");
    }
    if (inside && first) {
        print_first(v, first);
    }
    return result;
}

static void release(struct verification *v)
{
    cli_runtime_stop(&v->runtime);
    cli_nodes_free(&v->nodes);
    mx2onnx_model_free(v->recorded);
    for (size_t i = 0; i < v->n_values; i++) {
        free(v->values[i].name);
    }
    free(v->values);
    free_index(&v->recorded_names);
    free_index(&v->output_names);
    free_index(&v->made_names);
    free((void *)(uintptr_t)v->file.data);
}

/* The folder of a path: "." if it has none. Freed by the caller. */
static char *folder_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && !cli_is_separator(path[n - 1])) {
        n--;
    }
    return n ? cli_copy(path, n) : cli_copy(".", 1);
}

int cli_verify(int argc, char **argv)
{
    struct verification v = {.tolerance = TOLERANCE, .library = cli_host ? cli_host->runtime : NULL};
    for (int c; (c = cli_next_option(CLI_VERIFY, argc, argv)) != -1;) {
        char *end = NULL;
        switch (c) {
        case 'h': cli_print_help(stdout, CLI_VERIFY); return CLI_OK;
        case CLI_OPT_DATA: v.data = optarg; break;
        case CLI_OPT_RECORDER: fputs(cli_recorder, stdout); return CLI_OK;
        case CLI_OPT_RUNTIME: v.library = optarg; break;
        case CLI_OPT_JSON: v.json = true; break;
        case CLI_OPT_TOLERANCE:
            v.chosen = true;
            v.tolerance = strtod(optarg, &end);
            if (end == optarg || *end || !(v.tolerance >= 0 && v.tolerance < 1)) {
                return cli_usage("'--tolerance %s' is not a tolerance" CLI_HELP
                                 "a tolerance is a share of the largest number, from 0 to below 1, such as 1e-4: write 2 percent as 0.02",
                                 optarg);
            }
            break;
        default: return CLI_USAGE;
        }
    }
    if (optind + 1 != argc || !v.data) {
        return cli_usage("verify takes one ONNX file and --data FILE.npz" CLI_HELP
                         "for example: mx2onnx verify net.onnx --data recorded.npz");
    }
    v.model = argv[optind];
    char *folder = folder_of(v.model);
    int result = folder ? work(&v, folder) : fail(v.model, "out of memory", NULL);
    result = v.json ? report_json(&v, result) : result == CLI_OK ? report(&v) : result;
    free(folder);
    release(&v);
    return result;
}
