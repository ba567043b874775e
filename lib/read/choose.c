#include "read/choose.h"

#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"

static const char symbol_suffix[] = "-symbol.json";

/* macOS stores "._net-symbol.json" next to a file in an archive. */
static bool is_hidden(const char *name)
{
    return mx_path_base(name)[0] == '.';
}

static bool is_symbol(const char *name)
{
    return !is_hidden(name) && (mx_ends_with(name, symbol_suffix) || strcmp(mx_path_base(name), "symbol.json") == 0);
}

/* SageMaker's own algorithms write arrays into a file "model_algo-1". */
static bool is_params(const char *name)
{
    const char *base = mx_path_base(name);
    return !is_hidden(name) && (mx_ends_with(name, ".params") || strcmp(base, "params") == 0 || mx_starts_with(base, "model_algo"));
}

/* Name i, to be examined; NULL at the end, and when the call must end. */
static const char *name_at(const struct mx_choice *c, size_t i)
{
    enum { WORK = 4 }; /* per byte */
    const char *name = i < c->names.count ? c->names.items[i] : NULL;
    return name && mx_tick(c->diags->budget, MX_TICK_ITEM + WORK * (uint64_t)strlen(name)) == MX_OK ? name : NULL;
}

/* The name that consists of the first `length` bytes of the symbol's and of `end`, or NULL. */
static const char *name_like_symbol(const struct mx_choice *c, size_t length, const char *end)
{
    const char *name;
    for (size_t i = 0; (name = name_at(c, i)); i++) {
        if (strncmp(name, c->symbol, length) == 0 && strcmp(name + length, end) == 0) {
            return name;
        }
    }
    return NULL;
}

/* The name of file `base` in the symbol's folder, or NULL. */
static const char *next_to_symbol(const struct mx_choice *c, const char *base)
{
    return name_like_symbol(c, (size_t)(mx_path_base(c->symbol) - c->symbol), base);
}

/* The same in any folder. */
static const char *name_with_base(const struct mx_choice *c, const char *base)
{
    const char *name;
    for (size_t i = 0; (name = name_at(c, i)); i++) {
        if (strcmp(mx_path_base(name), base) == 0) {
            return name;
        }
    }
    return NULL;
}

/* The length of the prefix that the files of a model share: "a/net" in "a/net-symbol.json" and in "a/net.json". */
static size_t prefix_length(const char *symbol)
{
    const size_t n = strlen(symbol);
    if (mx_ends_with(symbol, symbol_suffix)) {
        return n - strlen(symbol_suffix);
    }
    return mx_ends_with(symbol, ".json") ? n - strlen(".json") : n;
}

/* ---- parameters */

/* The epoch in PREFIX-EEEE.params, -1 if the name has another form. Epochs have four digits or more. */
static int64_t epoch_of(const char *name, const char *prefix, size_t length)
{
    if (strncmp(name, prefix, length) != 0 || name[length] != '-') {
        return -1;
    }
    const char *digits = name + length + 1;
    const size_t n = strspn(digits, "0123456789");
    int64_t epoch;
    const char *end;
    if (n == 0 || strcmp(digits + n, ".params") != 0 || !mx_scan_int(digits, &end, &epoch)) {
        return -1;
    }
    return epoch;
}

/* Chooses the parameters with the symbol's prefix and the highest epoch, or else PREFIX.params. */
static void choose_params(struct mx_choice *c)
{
    const size_t length = prefix_length(c->symbol);
    int64_t best = -1;
    size_t epochs = 0;
    const char *name;
    for (size_t i = 0; (name = name_at(c, i)); i++) {
        const int64_t epoch = epoch_of(name, c->symbol, length);
        epochs += epoch >= 0;
        if (epoch > best) {
            best = epoch;
            c->params = name;
        }
    }
    if (!c->params) {
        c->params = name_like_symbol(c, length, ".params");
    }
    if (epochs > 1) {
        mx_note(c->diags, MX_NOWHERE,
                "there are parameter files of %zu epochs, and the highest was chosen: '%s'" MX_HELP
                "to take another, give the name of its file",
                epochs, mx_path_base(c->params));
    }
}

/* LFFD's releases have the ending .para. */
static bool is_only_params(const char *name)
{
    return !is_hidden(name)
           && (mx_ends_with(name, ".params") || mx_ends_with(name, ".para") || strcmp(mx_path_base(name), "params.best") == 0);
}

/* As a last resort: the only .params file. */
static void choose_only_params(struct mx_choice *c)
{
    const char *only = NULL;
    size_t count = 0;
    const char *name;
    for (size_t i = 0; (name = name_at(c, i)); i++) {
        if (is_only_params(name)) {
            only = name;
            count++;
        }
    }
    if (!c->params && count == 1) {
        c->params = only;
        mx_note(c->diags, MX_NOWHERE, "the parameters were taken from '%s', the only parameter file", mx_path_base(only));
    }
}

/* ---- shapes of inputs */

/* PREFIX-shapes.json is SageMaker's (image-classification has model-shapes.json for every prefix), signature.json Model Server's. */
static const char *find_shapes(const struct mx_choice *c)
{
    const char *shapes = name_like_symbol(c, prefix_length(c->symbol), "-shapes.json");
    shapes = shapes ? shapes : next_to_symbol(c, "model-shapes.json");
    shapes = shapes ? shapes : next_to_symbol(c, "signature.json");
    return shapes ? shapes : next_to_symbol(c, "hyperparams.json"); /* of SageMaker's object detection */
}

void mx_choose_files_of_symbol(struct mx_choice *c)
{
    if (!c->params) {
        choose_params(c);
    }
    if (!c->params && strcmp(mx_path_base(c->symbol), "symbol.json") == 0) {
        c->params = next_to_symbol(c, "params");                              /* SageMaker's factorization machines and topic models */
        c->params = c->params ? c->params : next_to_symbol(c, "params.best"); /* Sockeye's */
    }
    c->shapes = find_shapes(c);
    c->settings = next_to_symbol(c, "parameters.json");                                    /* GluonTS's */
    c->settings = c->settings ? c->settings : next_to_symbol(c, "additional-params.json"); /* of SageMaker's linear learner */
}

/* ---- the model */

/* "'a', 'b' and 3 more": the names that fulfil `such`. */
static const char *list(const struct mx_choice *c, bool (*such)(const char *name), size_t *count)
{
    enum { SHOWN = 8 };
    const char *text = "", *name;
    *count = 0;
    for (size_t i = 0; text && (name = name_at(c, i)); i++) {
        if (such(name) && (*count)++ < SHOWN) {
            text = mx_arena_printf(c->arena, "%s%s'%s'", text, *text ? ", " : "", name);
        }
    }
    if (text && *count > SHOWN) {
        text = mx_arena_printf(c->arena, "%s and %zu more", text, *count - SHOWN);
    }
    return text;
}

/* Files of other frameworks in a folder or an archive. */
static const struct foreign {
    const char *file, *text, *advice;
} foreign_models[] = {
    {"saved_model.pb", "is a SavedModel of TensorFlow, not an MXNet model", "export it to ONNX with tf2onnx"},
    {"keras_metadata.pb", "is a model of Keras, not an MXNet model", "export it to ONNX with tf2onnx"},
    {"model.weights.h5", "is a model of Keras, not an MXNet model", "export it to ONNX with tf2onnx"},
    {"pytorch_model.bin", "is a model of PyTorch, not an MXNet model", "export it to ONNX with torch.onnx.export"},
    {"model.safetensors", "is a model of PyTorch or JAX, not an MXNet model", "export it to ONNX from its framework"},
    {"model.onnx", "holds an ONNX model already", "it needs no conversion"},
};

/* A predictor of GluonTS that is code: there are parameters next to it, which fit nothing. */
static const struct foreign predictor = {
    "prediction_net-network.json", "holds a predictor of GluonTS as code, without a graph",
    "load it in GluonTS, call its as_symbol_block_predictor(dataset=dataset), save the result with serialize(folder), and convert that "
    "folder"};

static const struct foreign *find_foreign(const struct mx_choice *c)
{
    for (size_t i = 0; i < sizeof foreign_models / sizeof *foreign_models; i++) {
        if (name_with_base(c, foreign_models[i].file)) {
            return &foreign_models[i];
        }
    }
    return NULL;
}

static int fail_without_symbol(const struct mx_choice *c)
{
    size_t count;
    const char *params = list(c, is_params, &count);
    MX_TRY_ALLOC(params);
    const struct foreign *foreign = find_foreign(c);
    if (count == 0 && foreign) {
        return mx_fail(c->diags, MX_NOT_FOUND, mx_named(c->label), MX_SUBJECT "%s" MX_HELP "%s", foreign->text, foreign->advice);
    }
    if (count == 0) {
        return mx_fail(c->diags, MX_NOT_FOUND, mx_named(c->label),
                       MX_SUBJECT "holds no symbol file (*-symbol.json)" MX_HELP
                                  "save the network with HybridBlock.export or Module.save_checkpoint");
    }
    return mx_fail(c->diags, MX_NOT_FOUND, mx_named(c->label),
                   MX_SUBJECT "holds several parameter files (%s) and no symbol file" MX_HELP
                              "if it is a published net, give one parameter file",
                   params);
}

bool mx_has_symbol(const struct mx_choice *c)
{
    const char *name;
    for (size_t i = 0; (name = name_at(c, i)); i++) {
        if (is_symbol(name)) {
            return true;
        }
    }
    return false;
}

/* The only JSON file with a graph in it: Wolfram writes net.json, other programs use other names. */
static int find_only_graph(struct mx_choice *c)
{
    enum { WORK = 16 * MX_TICK_NODE }; /* a look into a file */
    const char *only = NULL, *name;
    size_t count = 0;
    for (size_t i = 0; count < 2 && (name = name_at(c, i)); i++) {
        if (mx_ends_with(name, ".json") && !is_hidden(name)) {
            MX_TRY(mx_tick(c->diags->budget, WORK));
            only = c->is_graph(c->finder, i) ? name : only;
            count += only == name;
        }
    }
    c->symbol = count == 1 ? only : NULL;
    return mx_budget_status(c->diags->budget);
}

/* Parameters alone may belong to a published net. SageMaker's semantic segmentation puts hyperparams.json next to the files that it
 * serves, model_algo-1 and others. */
static int choose_without_symbol(struct mx_choice *c)
{
    size_t count = 0;
    if (name_with_base(c, predictor.file)) {
        return mx_fail(c->diags, MX_UNSUPPORTED, mx_named(c->label), MX_SUBJECT "%s" MX_HELP "%s", predictor.text, predictor.advice);
    }
    size_t hosts = 0; /* each of which leaves the whole model */
    const char *name;
    for (size_t i = 0; (name = name_at(c, i)); i++) {
        if (is_params(name)) {
            c->params = name;
            count++;
            hosts += mx_starts_with(mx_path_base(c->params), "model_algo-");
        }
    }
    c->settings = name_with_base(c, "hyperparams.json");
    const char *served = c->settings || hosts == count ? name_with_base(c, "model_algo-1") : NULL;
    c->params = served ? served : c->params;
    if (served && count > 1) {
        mx_note(c->diags, MX_NOWHERE, "of %zu parameter files '%s' was chosen, the one that SageMaker serves", count, served);
    }
    return count == 1 || served ? MX_OK : fail_without_symbol(c);
}

int mx_choose_model(struct mx_choice *c)
{
    size_t count;
    const char *symbols = list(c, is_symbol, &count);
    MX_TRY_ALLOC(symbols);
    MX_TRY(mx_budget_status(c->diags->budget));
    if (count == 0) {
        MX_TRY(find_only_graph(c));
    }
    if (count == 0 && !c->symbol) {
        return choose_without_symbol(c);
    }
    if (count > 1) {
        return mx_fail(c->diags, MX_NOT_FOUND, mx_named(c->label),
                       MX_SUBJECT "holds several models: %s" MX_HELP "%sgive the symbol file of one", symbols,
                       c->packed ? "unpack it, then " : "");
    }
    for (size_t i = 0; !c->symbol; i++) {
        c->symbol = is_symbol(c->names.items[i]) ? c->names.items[i] : NULL;
    }
    mx_choose_files_of_symbol(c);
    choose_only_params(c);
    return mx_budget_status(c->diags->budget);
}
