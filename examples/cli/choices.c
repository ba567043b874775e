/* Options about the model: --input, --dynamic, --output, --rename, --opset and so on. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/program.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 32 };

bool cli_choices_new(struct cli_choices *c, int argc)
{
    c->count = 0;
    c->items = calloc((size_t)argc + 1, sizeof *c->items);
    return c->items != NULL;
}

void cli_choices_free(struct cli_choices *c)
{
    free(c->items);
}

void cli_choices_add(struct cli_choices *c, int option, const char *text)
{
    c->items[c->count++] = (struct cli_choice){option, text};
}

/* Accepts digits only, for a number up to `max`. */
static bool parse_number(const char *text, long long max, long long *out)
{
    if (!text[0] || strspn(text, "0123456789") != strlen(text)) {
        return false;
    }
    errno = 0;
    const long long value = strtoll(text, NULL, 10);
    if (errno || value > max) {
        return false;
    }
    *out = value;
    return true;
}

/* The parts of NAME=DIMS[:TYPE], pointing into a copy of the text. */
struct input_spec {
    char *name; /* NULL: the model's only input */
    size_t rank;
    bool has_shape;
    int64_t dims[MAX_RANK];
    const char *dim_names[MAX_RANK]; /* NULL: a number, or unknown */
    int32_t dtype;                   /* MX2ONNX_DTYPE_UNKNOWN: not given */
};

/* Cuts blanks off both ends. */
static char *trim(char *text)
{
    text += strspn(text, " ");
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--) {
        text[n - 1] = 0;
    }
    return text;
}

/* What people write for a size that is not known; 0 is MXNet's, and left to the library, for which it may be a size. */
static bool is_open(const char *token)
{
    static const char *const words[] = {"?", "-1", "None", "*", "-", "any"};
    bool is = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        is = is || strcmp(token, words[i]) == 0;
    }
    return is;
}

static bool parse_dim(struct input_spec *spec, char *token)
{
    token = trim(token);
    if (spec->rank == MAX_RANK || !token[0]) {
        return false;
    }
    long long size = -1;
    const char *name = NULL;
    if (token[0] >= '0' && token[0] <= '9') {
        if (!parse_number(token, INT64_MAX, &size)) {
            return false;
        }
    } else if (!is_open(token)) {
        name = token;
    }
    spec->dims[spec->rank] = size;
    spec->dim_names[spec->rank] = name;
    spec->rank++;
    return true;
}

/* "1x3x224x224", "1,3,224,224", "batch,3,?,?", "()" for a scalar. An x separates only if a size precedes it, so that names may contain
 * an x. */
static bool parse_dims(struct input_spec *spec, char *text)
{
    spec->has_shape = true;
    text = trim(text);
    if (strcmp(text, "()") == 0) {
        return true;
    }
    const size_t length = strlen(text);
    if (length > 2 && ((text[0] == '(' && text[length - 1] == ')') || (text[0] == '[' && text[length - 1] == ']'))) {
        text[length - 1] = 0; /* Python's way */
        text = trim(text + 1);
    }
    const bool begins_open = strncmp(text, "None", 4) == 0 && (!text[4] || text[4] == 'x');
    const bool by_comma = strchr(text, ',') || (!begins_open && !strchr("?-", text[0]) && (text[0] < '0' || text[0] > '9'));
    const char separator = by_comma ? ',' : 'x';
    for (char *token = text; token;) {
        char *end = strchr(token, separator);
        if (end) {
            *end = 0;
        }
        if (!parse_dim(spec, token)) {
            return false;
        }
        token = end ? end + 1 : NULL;
    }
    return true;
}

/* "batchx3x224x224": a name, then sizes after an x. */
static bool is_name_with_x(const char *shape)
{
    const char *x = strrchr(shape, 'x');
    const bool sized = x && x[1] && strspn(x + 1, "0123456789") == strlen(x + 1);
    return sized && x > strchr(shape, 'x') && strchr("0123456789x?- ", shape[0]) == NULL && strncmp(shape, "Nonex", 5) != 0;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The first word that is not a size: "SIZE" in "1x3xSIZExSIZE", "1.5" in "1.5,1,8,8", of *length characters; NULL if there is none.
 * Between commas a word is a name. */
static const char *find_word(const char *shape, int *length)
{
    shape += strspn(shape, " ([");
    const bool commas = strchr(shape, ',');
    if (!commas && !strchr("0123456789?-", *shape) && strncmp(shape, "Nonex", 5) != 0) {
        return NULL;
    }
    for (const char *token = shape; *token;) {
        token += strspn(token, " ");
        const size_t n = strcspn(token, commas ? ",)] " : "x)] "), digits = strspn(token, "0123456789");
        const bool open = n == 4 && strncmp(token, "None", n) == 0;
        if ((!commas && is_letter(*token) && !open) || (digits > 0 && digits < n)) {
            *length = (int)n;
            return token;
        }
        token += n;
        token += strspn(token, ")] ");
        token += *token == (commas ? ',' : 'x');
    }
    return NULL;
}

/* The size below 0 in "1x1x-2x8", of *length characters; NULL if there is none. -1 is an open dim. */
static const char *find_negative(const char *shape, int *length)
{
    const char separator = strchr(shape, ',') ? ',' : 'x';
    for (const char *p = shape; *p; p++) {
        const size_t digits = *p == '-' ? strspn(p + 1, "0123456789") : 0;
        const char before = p == shape ? separator : p[-1], after = p[1 + digits];
        if (digits > 0 && (before == separator || strchr(" ([", before)) && (after == separator || strchr(" )]", after))
            && (digits > 1 || p[1] != '1')) {
            *length = (int)digits + 1;
            return p;
        }
    }
    return NULL;
}

static int parse_input(struct input_spec *spec, char *text, const char *original)
{
    *spec = (struct input_spec){.dtype = MX2ONNX_DTYPE_UNKNOWN};
    char *shape = text;
    char *equals = strrchr(text, '=');
    if (equals) {
        *equals = 0;
        spec->name = text;
        shape = equals + 1;
    }
    char *colon = strrchr(shape, ':');
    if (colon) {
        *colon = 0;
        spec->dtype = mx2onnx_dtype_from_name(colon + 1);
        if (spec->dtype == MX2ONNX_DTYPE_UNKNOWN && !equals && strspn(colon + 1, "0123456789x,?") == strlen(colon + 1)) {
            char word[CLI_WORD];
            return cli_usage("'%s' has a colon before the shape" CLI_HELP "write %s", original, cli_word(word, "%s=%s", shape, colon + 1));
        }
        if (spec->dtype == MX2ONNX_DTYPE_UNKNOWN) {
            return cli_usage("'%s': '%s' is not an element type" CLI_HELP "use float32, float16, int32, int64, uint8, ...", original,
                             colon + 1);
        }
    }
    const size_t name_end = equals ? strlen(text) : 0;
    if (name_end > 0 && text[name_end - 1] == ' ') {
        return cli_usage("'%s' has a blank before =" CLI_HELP "omit it", original);
    }
    int length = 0;
    const char *negative = find_negative(shape, &length);
    if (negative) {
        return cli_usage("'%s': '%.*s' is not a size" CLI_HELP "use a number, or ? for any size", original, length, negative);
    }
    const char *word = find_word(shape, &length);
    if (word) {
        return cli_usage("'%s': '%.*s' is not a size" CLI_HELP
                         "use a number in its place, or ? for any size; names need commas: batch,3,224,224",
                         original, length, word);
    }
    if (!strchr(shape, ',') && is_name_with_x(shape)) {
        return cli_usage("'%s' has names of sizes, but no commas" CLI_HELP "separate the sizes by commas: batch,3,224,224", original);
    }
    if ((spec->name && !spec->name[0]) || (!shape[0] && !colon) || (shape[0] && !parse_dims(spec, shape))) {
        return cli_usage(
            "'%s' is not a shape" CLI_HELP "write it as NAME=1x3x224x224 or NAME=batch,3,224,224, with :TYPE after it if needed", original);
    }
    return CLI_OK;
}

/* A script may name thousands of inputs, mostly in the order of the model: the search begins where the last one ended. */
static bool is_input(mx2onnx_model *m, const char *name)
{
    static size_t last;
    const size_t count = mx2onnx_input_count(m);
    for (size_t i = 0; i < count; i++) {
        const size_t at = (last + i) % count;
        if (strcmp(mx2onnx_input_name(m, at), name) == 0) {
            last = at;
            return true;
        }
    }
    return false;
}

/* The name in the symbol of the input that is called so in the ONNX file, by --rename or GluonTS's files; any other name as it is. */
static const char *name_in_symbol(mx2onnx_model *m, const char *name)
{
    const char *input;
    if (is_input(m, name)) {
        return name;
    }
    for (size_t i = 0; (input = mx2onnx_input_name(m, i)); i++) {
        const char *renamed = mx2onnx_get_rename(m, input);
        if (renamed && strcmp(renamed, name) == 0) {
            return input;
        }
    }
    return name;
}

static int set_input(mx2onnx_model *m, const struct input_spec *spec, const char *name)
{
    int32_t status = MX2ONNX_OK;
    if (spec->has_shape) {
        status = mx2onnx_set_input_shape(m, name, (int32_t)spec->rank, spec->dims, spec->dim_names);
    }
    if (status == MX2ONNX_OK && spec->dtype != MX2ONNX_DTYPE_UNKNOWN) {
        status = mx2onnx_set_input_dtype(m, name, spec->dtype);
    }
    return cli_done(m, status);
}

/* The model's only input, for an option without a name; `form` is what to write in place of `original` if there are others. */
static int only_input(mx2onnx_model *m, const char *original, const char *form, const char **name)
{
    const size_t count = mx2onnx_input_count(m);
    const mx2onnx_status status = count == 1 ? MX2ONNX_OK : mx2onnx_infer(m);
    char names[300] = "";
    if (status == MX2ONNX_STATUS_MISSING_PARAMETER || (count == 0 && status != MX2ONNX_OK)) { /* the reason for the number of inputs */
        return cli_fail(m, status);
    }
    for (size_t i = 0; i < count && strlen(names) < sizeof names / 2; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "", mx2onnx_input_name(m, i));
    }
    if (count != 1) {
        return cli_usage("'%s' needs the name of an input, because the model has %zu%s%s" CLI_HELP "write %s", original, count,
                         count ? ": " : "", names, form);
    }
    *name = mx2onnx_input_name(m, 0);
    return CLI_OK;
}

/* For a value that a name may precede. */
static int only_named(mx2onnx_model *m, const char *original, const char **name)
{
    char form[200];
    snprintf(form, sizeof form, "NAME=%s", original);
    return only_input(m, original, form, name);
}

static int apply_input(mx2onnx_model *m, const char *original, bool dynamic)
{
    char *text = cli_copy(original, strlen(original));
    if (!text) {
        return cli_fail(m, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    struct input_spec spec;
    int result = parse_input(&spec, text, original);
    if (result == CLI_OK && dynamic) {
        bool any = false;
        for (size_t i = 0; i < spec.rank; i++) {
            any = any || spec.dims[i] <= 0; /* 0: as MXNet writes it */
        }
        if (!any) {
            result = cli_usage("'--dynamic %s' has no name" CLI_HELP "use a name in place of a size, for example batch", original);
        }
    }
    const char *name = spec.name;
    char words[2][CLI_WORD];
    if (result == CLI_OK && name && strchr(name, '=') && !is_input(m, name)) {
        result = cli_usage("'%s' has shapes of several inputs" CLI_HELP "write --%s once for each input", original,
                           dynamic ? "dynamic" : "input");
    }
    if (result == CLI_OK && !name && spec.rank == 1 && spec.dim_names[0] && is_input(m, spec.dim_names[0])) {
        result = cli_usage("'%s' names an input, but has no shape" CLI_HELP "write %s, or %s to set the type alone", original,
                           cli_word(words[0], "%s=1x3x224x224", spec.dim_names[0]), cli_word(words[1], "%s=:TYPE", spec.dim_names[0]));
    }
    if (result == CLI_OK && !name) {
        result = only_named(m, original, &name);
    }
    if (result == CLI_OK) {
        result = set_input(m, &spec, name_in_symbol(m, name));
    }
    free(text);
    return result;
}

static int apply_channels(mx2onnx_model *m, const char *name, int option)
{
    if (!name) {
        const bool last = option == CLI_OPT_CHANNELS_LAST;
        const int result = only_input(m, last ? "--channels-last" : "--reverse-channels",
                                      last ? "--channels-last=NAME" : "--reverse-channels=NAME", &name);
        if (result != CLI_OK) {
            return result;
        }
    }
    name = name_in_symbol(m, name);
    return cli_done(m, option == CLI_OPT_CHANNELS_LAST ? mx2onnx_set_input_channels_last(m, name, 1)
                                                       : mx2onnx_set_input_channels_reversed(m, name, 1));
}

enum { MAX_VALUES = 4096 };

/* "0.485,0.456,0.406"; -1 if the text is not such a list. */
static int parse_values(const char *text, double *values)
{
    int n = 0;
    for (const char *p = text; n < MAX_VALUES;) {
        char *end;
        values[n++] = strtod(p, &end);
        if (end == p || (*end && *end != ',')) {
            return -1;
        }
        if (!*end) {
            return n;
        }
        p = end + 1;
    }
    return -1;
}

static int apply_values(mx2onnx_model *m, const char *original, int option)
{
    const char *equals = strrchr(original, '=');
    char *copy = equals ? cli_copy(original, (size_t)(equals - original)) : NULL;
    const char *name = copy;
    double *values = calloc(MAX_VALUES, sizeof *values);
    int result = (equals && !copy) || !values ? cli_fail(m, MX2ONNX_STATUS_OUT_OF_MEMORY) : CLI_OK;
    const int n = values ? parse_values(equals ? equals + 1 : original, values) : 0;
    if (result == CLI_OK && n < 0) {
        result = cli_usage("'%s' is not a list of numbers" CLI_HELP "write it as NAME=0.485,0.456,0.406", original);
    }
    for (int i = 0; i < n && result == CLI_OK; i++) {
        result = isfinite(values[i]) ? CLI_OK
                                     : cli_usage("'--%s %s' has a value that is infinite or not a number" CLI_HELP "use finite numbers",
                                                 option == CLI_OPT_MEAN ? "mean" : "scale", original);
    }
    if (result == CLI_OK && !name) {
        result = only_named(m, original, &name);
    }
    if (result == CLI_OK) {
        name = name_in_symbol(m, name);
        result = cli_done(m, option == CLI_OPT_MEAN ? mx2onnx_set_input_mean(m, name, (size_t)n, values)
                                                    : mx2onnx_set_input_scale(m, name, (size_t)n, values));
    }
    free(values);
    free(copy);
    return result;
}

/* True if the texts between commas are names of outputs. */
static bool has_names(mx2onnx_model *m, const char *names)
{
    bool all = strchr(names, ',');
    while (all && names) {
        const char *comma = strchr(names, ',');
        char *name = cli_copy(names, comma ? (size_t)(comma - names) : strlen(names));
        all = name && mx2onnx_add_output(m, name) == MX2ONNX_OK;
        free(name);
        names = comma ? comma + 1 : NULL;
    }
    return all;
}

static int apply_output(mx2onnx_model *m, const char *name)
{
    const mx2onnx_status status = mx2onnx_add_output(m, name);
    const size_t length = strlen(name);
    char word[CLI_WORD];
    if (status == MX2ONNX_STATUS_NOT_FOUND && length > 5 && strcmp(name + length - 5, ".onnx") == 0) {
        return cli_usage("'--output %s' selects an output of the model" CLI_HELP "to set the file to write use -o %s", name,
                         cli_word(word, "%s", name));
    }
    if (status == MX2ONNX_STATUS_NOT_FOUND && has_names(m, name)) {
        return cli_usage("'--output %s' has several names" CLI_HELP "repeat the option: --output NAME1 --output NAME2", name);
    }
    return cli_done(m, status);
}

static int apply_rename(mx2onnx_model *m, const char *original)
{
    const char *equals = strchr(original, '=');
    if (!equals || equals == original || !equals[1]) {
        return cli_usage("'--rename %s' does not have two names" CLI_HELP "write it as --rename OLD=NEW", original);
    }
    char *from = cli_copy(original, (size_t)(equals - original));
    if (!from) {
        return cli_fail(m, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    const int32_t status = mx2onnx_rename(m, from, equals + 1);
    free(from);
    return cli_done(m, status);
}

static int apply_external(mx2onnx_model *m, const char *text)
{
    static const struct {
        const char *word;
        int32_t mode;
    } modes[] = {{"auto", MX2ONNX_EXTERNAL_AUTO},
                 {"never", MX2ONNX_EXTERNAL_NEVER},
                 {"always", MX2ONNX_EXTERNAL_ALWAYS},
                 {"in-place", MX2ONNX_EXTERNAL_IN_PLACE},
                 {"link", MX2ONNX_EXTERNAL_LINK}};
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strlen(modes[i].word) != length || strncmp(modes[i].word, text, length) != 0) {
            continue;
        }
        long long threshold = 0;
        const bool has_threshold = text[length] == ':';
        if (has_threshold
            && (modes[i].mode < MX2ONNX_EXTERNAL_ALWAYS || !parse_number(text + length + 1, INT64_MAX, &threshold) || threshold < 1)) {
            break;
        }
        int32_t status = mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_DATA, modes[i].mode);
        if (status == MX2ONNX_OK && has_threshold) {
            status = mx2onnx_set_option(m, MX2ONNX_OPTION_EXTERNAL_THRESHOLD, threshold);
        }
        return cli_done(m, status);
    }
    return cli_usage("'--external %s' is not a place for weights" CLI_HELP
                     "use auto, never, always, in-place or link, the last three with :BYTES after them if needed",
                     text);
}

static int apply_opset(mx2onnx_model *m, const char *text)
{
    long long opset = MX2ONNX_OPSET_AUTO;
    if (strcmp(text, "auto") != 0 && (!parse_number(text, MX2ONNX_OPSET_MAX, &opset) || opset < MX2ONNX_OPSET_MIN)) {
        const bool older = parse_number(text, MX2ONNX_OPSET_MIN - 1, &opset);
        return cli_usage("'--opset %s' is not an opset that can be written" CLI_HELP "use auto or a number from %d to %d%s", text,
                         MX2ONNX_OPSET_MIN, MX2ONNX_OPSET_MAX,
                         older ? ": for an older toolchain write the oldest, and convert it with onnx.version_converter, which takes "
                                 "models without Gemm, Pad, Resize and some other operators"
                               : "");
    }
    return cli_done(m, mx2onnx_set_option(m, MX2ONNX_OPTION_OPSET, (int32_t)opset));
}

/* What to do for a program that needs no target or reads ONNX by another's converter, in any capitals; NULL for any other. */
static const char *next_step(const char *name)
{
    static const char *const by_onnx2tf = "omit it, and give the ONNX file to onnx2tf";
    static const char *const by_onnx2torch = "use --for opencv4, and give the ONNX file to onnx2torch";
    static const char *const by_coremltools = "use --for opencv4, and give the ONNX file to onnx2torch and its result to coremltools";
    static const char *const by_itself = "omit it: the converter of this program reads the ONNX file";
    const struct {
        const char *name, *advice;
    } steps[] = {
        {"tensorflow", by_onnx2tf}, {"tf", by_onnx2tf},       {"tflite", by_onnx2tf},     {"litert", by_onnx2tf}, {"keras", by_onnx2tf},
        {"pytorch", by_onnx2torch}, {"torch", by_onnx2torch}, {"coreml", by_coremltools}, {"mnn", by_itself},     {"tvm", by_itself},
    };
    char word[16];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof word; n++) {
        word[n] = (char)tolower((unsigned char)name[n]);
    }
    word[n] = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!name[n] && strcmp(word, steps[i].name) == 0) {
            return steps[i].advice;
        }
    }
    return NULL;
}

static int apply_target(mx2onnx_model *m, const char *name)
{
    const int32_t status = mx2onnx_set_text(m, MX2ONNX_TEXT_TARGET, name);
    if (status != MX2ONNX_STATUS_NOT_FOUND) {
        return cli_done(m, status);
    }
    const char *next = next_step(name);
    if (next) {
        return cli_usage("'%s' is not a target of --for" CLI_HELP "%s", name, next);
    }
    char names[400] = "";
    for (size_t i = 0; i < mx2onnx_target_count(); i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", mx2onnx_target_name(i));
    }
    const char *near[CLI_NEAR] = {strcmp(name, "trt") == 0 ? "tensorrt" : strcmp(name, "ort") == 0 ? "onnxruntime" : NULL};
    const size_t found = near[0] ? 1 : cli_nearest(name, mx2onnx_target_count(), mx2onnx_target_name, near);
    return cli_usage("'--for %s' does not name a known program" CLI_HELP "%s%s%s%s%sthe programs are %s", name,
                     found ? "did you mean " : "", found ? near[0] : "", found > 1 ? " or " : "", found > 1 ? near[1] : "",
                     found ? "? " : "", names);
}

static int apply_float16(mx2onnx_model *m, const char *text)
{
    int32_t mode = MX2ONNX_FLOAT16_ALL;
    if (text && strcmp(text, "inside") == 0) {
        mode = MX2ONNX_FLOAT16_INSIDE;
    } else if (text && strcmp(text, "all") != 0) {
        return cli_usage("'--float16=%s' is not a kind of float16 model" CLI_HELP "use --float16, --float16=all or --float16=inside", text);
    }
    return cli_done(m, mx2onnx_set_option(m, MX2ONNX_OPTION_FLOAT16, mode));
}

/* KEY=VALUE; only the value may have a '='. */
static int apply_metadata(mx2onnx_model *m, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        return cli_usage("'--metadata %s' does not have a key and a value" CLI_HELP "write it as --metadata KEY=VALUE", text);
    }
    char *key = cli_copy(text, (size_t)(equals - text));
    if (!key) {
        return cli_fail(m, MX2ONNX_STATUS_OUT_OF_MEMORY);
    }
    const bool again = mx2onnx_get_metadata(m, key) != NULL;
    const mx2onnx_status status = again ? MX2ONNX_OK : mx2onnx_set_metadata(m, key, equals + 1);
    free(key);
    if (again) {
        return cli_usage("'--metadata %s' has a key that was given before" CLI_HELP "omit one of them", text);
    }
    return cli_done(m, status);
}

static int apply_keep_unknown(mx2onnx_model *m, const char *domain)
{
    if (domain && (!*domain || strcmp(domain, "ai.onnx") == 0)) {
        return cli_usage("'--keep-unknown=%s' is not a domain of your own" CLI_HELP "use a name such as --keep-unknown=org.example",
                         domain);
    }
    return cli_done(m, mx2onnx_set_text(m, MX2ONNX_TEXT_UNKNOWN_DOMAIN, domain ? domain : "mxnet"));
}

static int apply_seed(mx2onnx_model *m, const char *text)
{
    long long seed = 0;
    if (!parse_number(text, INT32_MAX, &seed)) {
        return cli_usage("'--seed %s' is not a seed" CLI_HELP "use a number from 0 to %d", text, INT32_MAX);
    }
    return cli_done(m, mx2onnx_set_option(m, MX2ONNX_OPTION_SEED, (int32_t)seed));
}

static int apply_published(mx2onnx_model *m, const char *text)
{
    const bool shapes = strcmp(text, "shapes") == 0;
    if (!shapes && strcmp(text, "normalization") != 0) {
        return cli_usage("'--published %s' is not something that was published" CLI_HELP "use shapes or normalization", text);
    }
    return cli_done(m, mx2onnx_use_published(m, shapes ? MX2ONNX_PUBLISHED_SHAPES : MX2ONNX_PUBLISHED_NORMALIZATION));
}

/* Options that switch something on. */
static int apply_switch(mx2onnx_model *m, int option)
{
    static const struct {
        int option;
        mx2onnx_option name;
    } switches[] = {
        {CLI_OPT_FULL_CHECKSUM, MX2ONNX_OPTION_FULL_CHECKSUM},     {CLI_OPT_INITIALIZERS_AS_INPUTS, MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS},
        {CLI_OPT_KEEP_BATCH_NORM, MX2ONNX_OPTION_KEEP_BATCH_NORM}, {CLI_OPT_FOLD_INPUT_SCALE, MX2ONNX_OPTION_FOLD_INPUT_SCALE},
        {CLI_OPT_NODE_METADATA, MX2ONNX_OPTION_NODE_METADATA},     {CLI_OPT_STRUCTURAL_NAMES, MX2ONNX_OPTION_STRUCTURAL_NAMES},
        {CLI_OPT_TRUST_INDICES, MX2ONNX_OPTION_TRUST_INDICES},     {CLI_OPT_FSYNC, MX2ONNX_OPTION_FSYNC}};
    mx2onnx_status status = MX2ONNX_OK;
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        status = switches[i].option == option ? mx2onnx_set_option(m, switches[i].name, 1) : status;
    }
    return cli_done(m, status);
}

static int apply_custom(mx2onnx_model *m, const char *file)
{
    char why[600] = "";
    if (!cli_host || !cli_host->add_handlers) {
        return cli_usage("'--custom %s' is a Python file, which this program does not run" CLI_HELP
                         "run the program of the Python package, which takes the same options: with MX2ONNX_LIBRARY unset, run "
                         "pip install ./bindings/python in libmx2onnx's sources, then python -m mx2onnx",
                         file);
    }
    if (cli_host->add_handlers(m, file, why, sizeof why) == 0) {
        return CLI_OK;
    }
    FILE *f = cli_open(file);
    const char *remedy = f ? "correct the file" : "check the path of the Python file";
    if (f) {
        fclose(f);
    }
    return cli_usage("'--custom %s': %s" CLI_HELP "%s, which must have a function with @mx2onnx.custom_operator(NAME)", file, why, remedy);
}

static int apply(mx2onnx_model *m, const struct cli_choice *choice)
{
    switch (choice->option) {
    case CLI_OPT_INPUT: return apply_input(m, choice->text, false);
    case CLI_OPT_DYNAMIC: return apply_input(m, choice->text, true);
    case CLI_OPT_CHANNELS_LAST:
    case CLI_OPT_REVERSE_CHANNELS: return apply_channels(m, choice->text, choice->option);
    case CLI_OPT_MEAN:
    case CLI_OPT_SCALE: return apply_values(m, choice->text, choice->option);
    case CLI_OPT_RENAME: return apply_rename(m, choice->text);
    case CLI_OPT_METADATA: return apply_metadata(m, choice->text);
    case CLI_OPT_EXTERNAL: return apply_external(m, choice->text);
    case CLI_OPT_PREFIX: return cli_done(m, mx2onnx_set_text(m, MX2ONNX_TEXT_PARAM_PREFIX, choice->text));
    case CLI_OPT_OPSET: return apply_opset(m, choice->text);
    case CLI_OPT_SEED: return apply_seed(m, choice->text);
    case CLI_OPT_CUSTOM: return apply_custom(m, choice->text);
    case CLI_OPT_KEEP_UNKNOWN: return apply_keep_unknown(m, choice->text);
    case CLI_OPT_FLOAT16: return apply_float16(m, choice->text);
    case CLI_OPT_KEEP_FLOAT32: return cli_done(m, mx2onnx_set_node_precision(m, choice->text, MX2ONNX_PRECISION_FLOAT32));
    case CLI_OPT_FORCE_FLOAT16: return cli_done(m, mx2onnx_set_node_precision(m, choice->text, MX2ONNX_PRECISION_FLOAT16));
    case CLI_OPT_OUTPUT: return apply_output(m, choice->text);
    case CLI_OPT_PUBLISHED: return apply_published(m, choice->text);
    case CLI_OPT_FOR: return apply_target(m, choice->text);
    default: return apply_switch(m, choice->option);
    }
}

/* ---- loading */

static const struct {
    int option;
    mx2onnx_option size;
    const char *name;
} net_sizes[] = {{CLI_OPT_CLASSES, MX2ONNX_OPTION_CLASSES, "classes"},
                 {CLI_OPT_CROP, MX2ONNX_OPTION_CROP, "crop"},
                 {CLI_OPT_SEGMENTS, MX2ONNX_OPTION_SEGMENTS, "segments"}};

static int apply_net_size(mx2onnx_model *m, const struct cli_choice *choice)
{
    for (size_t i = 0; i < sizeof(net_sizes) / sizeof(net_sizes[0]); i++) {
        long long value = 0;
        if (net_sizes[i].option != choice->option) {
            continue;
        }
        if (!parse_number(choice->text, INT32_MAX, &value) || value == 0) {
            return cli_usage("'--%s %s' is not a positive integer" CLI_HELP "use a number of 1 or more", net_sizes[i].name, choice->text);
        }
        return cli_done(m, mx2onnx_set_option(m, net_sizes[i].size, value));
    }
    return CLI_OK;
}

static int lift_limits(mx2onnx_model *m)
{
    static const mx2onnx_option limits[] = {MX2ONNX_OPTION_MEMORY_LIMIT, MX2ONNX_OPTION_EXPANSION_LIMIT, MX2ONNX_OPTION_NODES_LIMIT,
                                            MX2ONNX_OPTION_OUTPUT_LIMIT};
    mx2onnx_status status = MX2ONNX_OK;
    for (size_t i = 0; status == MX2ONNX_OK && i < sizeof(limits) / sizeof(limits[0]); i++) {
        status = mx2onnx_set_option(m, limits[i], INT64_MAX);
    }
    return cli_done(m, status);
}

/* Applies the options that the loads need: limits, and those for parameters without a symbol. *net is the value of --net. */
static int prepare_loads(mx2onnx_model *m, const struct cli_choices *c, const char **net)
{
    for (int i = 0; i < c->count; i++) {
        const struct cli_choice *choice = &c->items[i];
        const int result = choice->option == CLI_OPT_NO_LIMITS ? lift_limits(m) : apply_net_size(m, choice);
        if (result != CLI_OK) {
            return result;
        }
        *net = choice->option == CLI_OPT_NET ? choice->text : *net;
        const mx2onnx_status status = choice->option == CLI_OPT_CATALOGUE ? mx2onnx_load_catalogue_file(m, choice->text) : MX2ONNX_OK;
        if (status != MX2ONNX_OK) {
            return cli_fail(m, status);
        }
    }
    return CLI_OK;
}

static mx2onnx_status load_files(mx2onnx_model *m, char **paths, int n_paths, const char *net)
{
    mx2onnx_status status = net ? MX2ONNX_OK : n_paths == 1 ? mx2onnx_load(m, paths[0]) : mx2onnx_load_symbol_file(m, paths[0]);
    for (int i = net ? 0 : 1; i < n_paths && status == MX2ONNX_OK; i++) {
        status = mx2onnx_load_params_file(m, paths[i]);
    }
    return status == MX2ONNX_OK && net ? mx2onnx_load_net(m, net) : status;
}

/* The length of "NAME=" before a value; 0 without a name. */
static size_t name_length(const char *text)
{
    const char *equals = strrchr(text, '=');
    return equals ? (size_t)(equals - text) + 1 : 0;
}

/* For an option that may be given only once for each name, a number that it shares with the options it conflicts with; 0 for any other
 * option. An --input with a shape also conflicts with --dynamic (gives_shape). */
static int replaces(int option)
{
    static const struct {
        int option, kind;
    } alone[] = {{CLI_OPT_INPUT, CLI_OPT_INPUT},
                 {CLI_OPT_DYNAMIC, CLI_OPT_DYNAMIC},
                 {CLI_OPT_MEAN, CLI_OPT_MEAN},
                 {CLI_OPT_SCALE, CLI_OPT_SCALE},
                 {CLI_OPT_CHANNELS_LAST, CLI_OPT_CHANNELS_LAST},
                 {CLI_OPT_REVERSE_CHANNELS, CLI_OPT_REVERSE_CHANNELS},
                 {CLI_OPT_SET, CLI_OPT_SET},
                 {CLI_OPT_RENAME, CLI_OPT_RENAME},
                 {CLI_OPT_OUTPUT, CLI_OPT_OUTPUT},
                 {CLI_OPT_CUSTOM, CLI_OPT_CUSTOM},
                 {CLI_OPT_PUBLISHED, CLI_OPT_PUBLISHED},
                 {CLI_OPT_KEEP_FLOAT32, CLI_OPT_KEEP_FLOAT32},
                 {CLI_OPT_FORCE_FLOAT16, CLI_OPT_KEEP_FLOAT32}};
    int found = 0;
    for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
        found = alone[i].option == option ? alone[i].kind : found;
    }
    return found;
}

/* What a choice is for: a copy, freed by the caller. With a model it is the name in the symbol, and that of the only input where none is
 * given; "" where it is not known. */
static char *subject(mx2onnx_model *m, const struct cli_choice *choice)
{
    const int kind = replaces(choice->option);
    const bool valued =
        kind == CLI_OPT_INPUT || kind == CLI_OPT_DYNAMIC || kind == CLI_OPT_MEAN || kind == CLI_OPT_SCALE || kind == CLI_OPT_SET;
    const char *text = choice->text ? choice->text : "";
    const size_t length = valued ? name_length(text) : kind == CLI_OPT_RENAME ? strcspn(text, "=") + 1 : strlen(text) + 1;
    char *name = cli_copy(text, length > 0 ? length - 1 : 0);
    const bool of_input = valued || kind == CLI_OPT_CHANNELS_LAST || kind == CLI_OPT_REVERSE_CHANNELS;
    if (!name || !m || !of_input) {
        return name;
    }
    const char *known = *name ? name_in_symbol(m, name) : mx2onnx_input_count(m) == 1 ? mx2onnx_input_name(m, 0) : "";
    char *copy = cli_copy(known, strlen(known));
    free(name);
    return copy;
}

/* False for "data=:int32". */
static bool gives_shape(const struct cli_choice *choice)
{
    return choice->option == CLI_OPT_INPUT && choice->text[name_length(choice->text)] != ':';
}

/* The option of an input, for the input with this index: "--input user=4", "--channels-last=user". */
static void spell_for(mx2onnx_model *m, size_t i, const struct cli_choice *choice, char *text, size_t size)
{
    char word[CLI_WORD], name[CLI_WORD];
    snprintf(name, sizeof name, "%s%s%s", mx2onnx_input_name(m, i), choice->text ? "=" : "", choice->text ? choice->text : "");
    cli_spell_option(choice->option, cli_word(word, "%s", name), text, size);
}

/* `m` is the loaded model, if there is one. */
static int fail_repeated(mx2onnx_model *m, const struct cli_choice *choice, const struct cli_choice *before, const char *name)
{
    char one[CLI_MESSAGE], two[CLI_MESSAGE], right[2][CLI_MESSAGE];
    cli_spell_option(before->option, before->text, one, sizeof one);
    cli_spell_option(choice->option, choice->text, two, sizeof two);
    if (!*name && m && mx2onnx_input_count(m) > 1) {
        spell_for(m, 0, before, right[0], sizeof right[0]);
        spell_for(m, 1, choice, right[1], sizeof right[1]);
        return cli_usage("'%s' and '%s' need the names of their inputs, because the model has %zu" CLI_HELP "write for example %s %s", one,
                         two, mx2onnx_input_count(m), right[0], right[1]);
    }
    return *name ? cli_usage("'%s' and '%s' are both for '%s'" CLI_HELP "omit one of them", one, two, name)
                 : cli_usage("'%s' and '%s' are both for the model's only input" CLI_HELP "omit one of them", one, two);
}

struct named {
    int kind;
    char *name;
    const struct cli_choice *choice;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int names = strcmp(x->name, y->name);
    return x->kind != y->kind ? x->kind - y->kind : names != 0 ? names : x->choice < y->choice ? -1 : x->choice > y->choice;
}

/* What is given twice for one name; without a model names are compared as they are written. They are sorted, because a script may rename
 * tens of thousands of outputs; the first option that repeats another is named. */
static int check_all_repeated(mx2onnx_model *m, mx2onnx_model *loaded, const struct cli_choices *c)
{
    const struct named *repeated = NULL;
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        count += replaces(c->items[i].option) != 0;
    }
    if (count < 2) { /* then no graph need be prepared for its names */
        return CLI_OK;
    }
    struct named *all = calloc((size_t)count * 2, sizeof *all);
    size_t n = 0;
    for (int i = 0; all && i < c->count; i++) {
        const struct cli_choice *choice = &c->items[i];
        const int kinds[] = {replaces(choice->option), gives_shape(choice) ? replaces(CLI_OPT_DYNAMIC) : 0};
        for (int k = 0; k < 2; k++) {
            char *name = kinds[k] ? subject(m, choice) : NULL;
            if (name) {
                all[n++] = (struct named){kinds[k], name, choice};
            }
        }
    }
    if (n > 1) {
        qsort(all, n, sizeof *all, by_name);
    }
    for (size_t i = 1; i < n; i++) {
        const bool same = all[i].kind == all[i - 1].kind && strcmp(all[i].name, all[i - 1].name) == 0;
        repeated = same && (!repeated || all[i].choice < repeated->choice) ? &all[i] : repeated;
    }
    const int result = repeated ? fail_repeated(loaded, repeated->choice, repeated[-1].choice, repeated->name) : CLI_OK;
    for (size_t i = 0; i < n; i++) {
        free(all[i].name);
    }
    free(all);
    return result;
}

/* Options that would have no effect: of parameters without a symbol, where there is one, and what is given twice. */
static int check_use(mx2onnx_model *m, const struct cli_choices *c)
{
    const int result = check_all_repeated(NULL, m, c);
    for (int i = 0; i < c->count && result == CLI_OK; i++) {
        const int option = c->items[i].option;
        const char *name = option == CLI_OPT_CATALOGUE ? "catalogue" : option == CLI_OPT_PUBLISHED ? "published" : NULL;
        for (size_t k = 0; k < sizeof(net_sizes) / sizeof(net_sizes[0]); k++) {
            name = net_sizes[k].option == option ? net_sizes[k].name : name;
        }
        if (name && !mx2onnx_net_title(m)) {
            return cli_usage("--%s is for parameters without a symbol file, but this model has one" CLI_HELP "omit it", name);
        }
    }
    return result;
}

/* "net 12" as MXNet's load_checkpoint takes it. */
static int check_epoch(const char *model, const char *word)
{
    char quoted[2][CLI_WORD];
    const bool is_number = *word && strlen(word) <= 4 && strspn(word, "0123456789") == strlen(word);
    return is_number && cli_file_bytes(word) == 0
               ? cli_usage("'%s' is taken for a file" CLI_HELP "to choose an epoch give its parameter file: mx2onnx %s %s", word,
                           cli_word(quoted[0], "%s", model),
                           cli_word(quoted[1], "%.*s-%04d.params", (int)cli_stem(model, strlen(model)), model, atoi(word)))
               : CLI_OK;
}

/* Files may be given in either order. */
static void put_symbol_first(char **paths, int n_paths)
{
    char *symbol = paths[n_paths - 1];
    if (cli_ends_with(symbol, ".json") && !cli_ends_with(paths[0], ".json")) {
        memmove(paths + 1, paths, (size_t)(n_paths - 1) * sizeof *paths);
        paths[0] = symbol;
    }
}

static int load(mx2onnx_model *m, char **paths, int n_paths, const struct cli_choices *c)
{
    const char *net = NULL;
    put_symbol_first(paths, n_paths);
    for (int i = 1; i < n_paths; i++) {
        if (check_epoch(paths[0], paths[i]) != CLI_OK) {
            return CLI_USAGE;
        }
    }
    const int prepared = prepare_loads(m, c, &net);
    if (prepared != CLI_OK) {
        return prepared;
    }
    if (net && cli_ends_with(paths[0], ".json")) {
        return cli_usage("--net is for parameters without a symbol file, but '%s' is one" CLI_HELP "omit one of them", paths[0]);
    }
    const mx2onnx_status status = load_files(m, paths, n_paths, net);
    if (status != MX2ONNX_OK) {
        return cli_fail(m, status);
    }
    return check_use(m, c);
}

/* ---- all choices */

/* Handlers come first, as other choices may ask for shapes, then new names, by which others may name an input, and --set last. */
enum turn { HANDLERS, NEW_NAMES, OTHERS, CONSTANTS, TURNS };

static enum turn turn_of(const struct cli_choice *choice)
{
    switch (choice->option) {
    case CLI_OPT_CUSTOM: return HANDLERS;
    case CLI_OPT_RENAME: return NEW_NAMES;
    case CLI_OPT_SET: return CONSTANTS;
    default: return OTHERS;
    }
}

/* Loads a model and makes the choices about it. */
int cli_load(mx2onnx_model *m, char **paths, int n_paths, const struct cli_choices *c)
{
    int result = load(m, paths, n_paths, c);
    for (int turn = 0; turn < TURNS; turn++) {
        result = result == CLI_OK && turn == OTHERS ? check_all_repeated(m, m, c) : result;
        for (int i = 0; i < c->count && result == CLI_OK; i++) {
            const struct cli_choice *choice = &c->items[i];
            if ((int)turn_of(choice) == turn) {
                result = turn == CONSTANTS ? cli_set_constant(m, choice->text) : apply(m, choice);
            }
        }
    }
    return result;
}

/* Makes the choices about a model of one input, and leaves out what depends on the model: failures. */
static int try_choices(mx2onnx_model *m, const struct cli_choices *c)
{
    static const char symbol[] = "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}],"
                                 " \"arg_nodes\": [0], \"heads\": [[0, 0, 0]]}";
    static struct cli_kept kept;
    const mx2onnx_status status = mx2onnx_load_memory(m, symbol, sizeof(symbol) - 1, NULL, NULL);
    int result = status == MX2ONNX_OK ? check_all_repeated(NULL, NULL, c) : cli_fail(m, status);
    for (int i = 0; i < c->count && result == CLI_OK; i++) {
        const struct cli_choice *choice = &c->items[i];
        cli_keep_failures(&kept);
        result = choice->option == CLI_OPT_SET ? cli_set_constant(NULL, choice->text) : apply(m, choice);
        cli_keep_failures(NULL);
        result = result == CLI_USAGE ? cli_usage("%s" CLI_HELP "%s", kept.message, kept.advice) : CLI_OK;
    }
    return result;
}

int cli_check_choices(const struct cli_choices *c)
{
    mx2onnx_model *m = NULL;
    const char *net = NULL;
    const mx2onnx_status status = mx2onnx_model_new(&m);
    int result = status == MX2ONNX_OK ? prepare_loads(m, c, &net) : cli_fail(NULL, status);
    if (result == CLI_OK) {
        result = try_choices(m, c);
    }
    mx2onnx_model_free(m);
    return result;
}

void cli_print_net(FILE *out, mx2onnx_model *m, bool published)
{
    const char *net = mx2onnx_net_title(m);
    if (!net) {
        return;
    }
    fputs("  recognised as ", out);
    cli_put(out, net, 0);
    fputc('\n', out);
    const size_t length = strcspn(net, " "), count = published ? mx2onnx_catalogue_count(m) : 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = mx2onnx_catalogue_name(m, i);
        if (strlen(name) == length && strncmp(name, net, length) == 0) {
            fputs("  published with ", out);
            cli_put(out, mx2onnx_catalogue_text(m, i), 0);
            fputs(" (--published takes inputs and mean from there)\n", out);
        }
    }
}
