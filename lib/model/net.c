/* Published nets: a symbol out of the catalogue for parameters that come without one. */
#include "model/model.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_out.h"
#include "base/num.h"

/* The catalogue, opened on first use. */
int mx_model_catalogue(mx2onnx_model *m)
{
    if (mx_catalogue_is_open(&m->nets.catalogue)) {
        return MX_OK;
    }
    m->nets.catalogue.diags = &m->diags;
    m->nets.catalogue.arena.budget = &m->budget;
    return mx_catalogue_open(&m->nets.catalogue);
}

int mx_model_load_catalogue(mx2onnx_model *m, struct mx_source *source, const char *label)
{
    struct mx_catalogue fresh = {.diags = &m->diags, .arena.budget = &m->budget};
    const int status = mx_catalogue_open_source(&fresh, source, label);
    if (status == MX_OK) {
        mx_catalogue_close(&m->nets.catalogue);
        mx_model_forget_fits(m);
        m->nets.texts = m->nets.jsons = NULL;
        m->nets.catalogue = fresh;
        m->loaded.net = NULL;
    }
    return status;
}

/* ---- the net for a parameter file */

struct chosen {
    const struct mx_matcher *matcher;
    const struct mx_candidate *net;
};

static int make_net(struct mx_graph *g, void *user)
{
    const struct chosen *c = user;
    return mx_net_symbol(c->matcher, c->net->net, c->net->naming, &c->net->sizes, g);
}

static int load_candidate(mx2onnx_model *m, const struct mx_matcher *matcher, const struct mx_candidate *c)
{
    struct mx_str title = {.budget = &m->budget};
    MX_TRY(mx_model_loaded(m)); /* the search may have reported something */
    mx_net_describe(c, &title);
    const int status = title.failed ? MX_OUT_OF_MEMORY : mx_model_make_graph(m, make_net, &(struct chosen){matcher, c});
    if (status != MX_OK) {
        mx_str_free(&title);
        return status;
    }
    mx_note(&m->diags, mx_named(m->loaded.params_label), MX_SUBJECT "matches %s as published by %s", title.text, c->net->source);
    mx_str_free(&m->nets.title);
    m->nets.title = title;
    m->loaded.net = c->net;
    m->loaded.net_sizes = c->sizes;
    return mx_model_loaded(m);
}

void mx_model_forget_fits(mx2onnx_model *m)
{
    mx_arena_free(&m->nets.fits_arena);
    m->nets.fits = NULL;
    m->nets.n_fits = 0;
}

/* Copies the candidates, which live as long as the search. */
static int keep_fits(mx2onnx_model *m, const struct mx_candidate *found, size_t count)
{
    m->nets.fits = MX_ARENA_ARRAY(&m->nets.fits_arena, struct mx_net_fit, count);
    MX_TRY_ALLOC(m->nets.fits);
    for (size_t i = 0; i < count; i++) {
        struct mx_str title = {.budget = &m->budget};
        MX_TRY(mx_tick(&m->budget, MX_TICK_NODE));
        mx_net_describe(&found[i], &title);
        m->nets.fits[i].name = mx_arena_strdup(&m->nets.fits_arena, found[i].net->name);
        m->nets.fits[i].title = title.failed ? NULL : mx_arena_strdup(&m->nets.fits_arena, title.text);
        mx_str_free(&title);
        MX_TRY_ALLOC(m->nets.fits[i].name && m->nets.fits[i].title);
    }
    m->nets.n_fits = count;
    return MX_OK;
}

static int identify(mx2onnx_model *m, struct mx_matcher *matcher)
{
    const struct mx_candidate *found;
    size_t count;
    MX_TRY(mx_net_identify(matcher, &found, &count));
    const int status = keep_fits(m, found, count);
    if (status != MX_OK) {
        mx_model_forget_fits(m);
    }
    return status;
}

/* The name of the parameter file without its folder, or NULL. */
static const char *params_name(const mx2onnx_model *m)
{
    return m->loaded.params_label ? mx_path_base(m->loaded.params_label) : NULL;
}

static int with_matcher(mx2onnx_model *m, const char *name, bool load)
{
    struct mx_arena arena = {.budget = &m->budget};
    struct mx_matcher matcher;
    struct mx_candidate found;
    int status = mx_matcher_init(&matcher, &m->nets.catalogue, &m->loaded.params, &arena);
    matcher.wanted = m->choices.net_sizes;
    matcher.with_symbol = m->loaded.graph;
    if (status == MX_OK && !load) {
        status = identify(m, &matcher);
    } else if (status == MX_OK) {
        status = mx_net_find(&matcher, name, params_name(m), &found);
        status = status == MX_OK ? load_candidate(m, &matcher, &found) : status;
    }
    mx_arena_free(&arena);
    return status;
}

static int need_params(mx2onnx_model *m)
{
    return m->loaded.params.count > 0 ? MX_OK
                                      : mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                                                "no parameters are loaded" MX_HELP "load them before you choose their net");
}

/* The graph for k-means or PCA; *found is false if the arrays are of neither. */
static int load_arrays(mx2onnx_model *m, bool *found)
{
    struct mx_str text = {.budget = &m->budget};
    struct mx_source *source;
    const char *what = mx_arrays_symbol(&m->loaded.params, params_name(m), &text);
    int status = text.failed ? MX_OUT_OF_MEMORY : MX_OK;
    *found = what;
    if (what && status == MX_OK) {
        status = mx_source_open_memory(&source, text.text, text.length, false);
        status = status == MX_OK ? mx_model_load_symbol(m, source, m->loaded.params_label) : status;
    }
    mx_str_free(&text);
    MX_TRY(status);
    if (what) {
        mx_note(&m->diags, mx_named(m->loaded.params_label), MX_SUBJECT "%s", what);
    }
    return mx_model_loaded(m);
}

int mx_model_load_net(mx2onnx_model *m, const char *name)
{
    bool found = false;
    mx_model_changed(m);
    MX_TRY(mx_model_need_no_symbol(m));
    MX_TRY(need_params(m));
    MX_TRY(name ? MX_OK : load_arrays(m, &found));
    if (found) {
        return MX_OK;
    }
    MX_TRY(mx_model_catalogue(m));
    return with_matcher(m, name, true);
}

int mx_model_identify_net(mx2onnx_model *m)
{
    mx_model_forget_fits(m);
    MX_TRY(need_params(m));
    MX_TRY(mx_model_catalogue(m));
    return with_matcher(m, NULL, false);
}

/* ---- what was published with the weights */

static int need_net(mx2onnx_model *m)
{
    return m->loaded.net ? MX_OK
                         : mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                                   "the graph is not from the catalogue, so no preprocessing was published with it" MX_HELP
                                   "set the input's shape, mean and scale");
}

/* The name of input i. */
static bool input_name(const mx2onnx_model *m, size_t i, char out[MX_NAME_MAX])
{
    struct mx_walk w;
    (void)!mx_walk_begin(&w, &m->nets.catalogue, m->loaded.net->graph); /* the loaded graph was made of it */
    for (enum mx_walk_kind kind; (kind = mx_walk_next(&w)) != MX_WALK_END;) {
        if (kind == MX_WALK_INPUT && i-- == 0) {
            return mx_net_name_text(&m->nets.catalogue, &w.name, 0, out);
        }
    }
    return false;
}

/* Sets the shape of an input, or only makes sure that it can be set. */
static int use_shape(mx2onnx_model *m, const struct mx_net_shape *shape, const char *input, bool set)
{
    enum mx_list_error error = MX_LIST_OK;
    struct mx_int_list dims = mx_int_list(&error);
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t size;
        if (!mx_number_value(&shape->dims[i], &m->loaded.net_sizes, &size)) {
            return mx_catalogue_damaged(&m->nets.catalogue);
        }
        mx_push_int(&dims, size > 0 ? size : -1);
    }
    MX_TRY(error == MX_LIST_OK ? MX_OK : mx_catalogue_damaged(&m->nets.catalogue));
    return set ? mx_model_set_shape(m, input, dims.n, dims.v, NULL) : mx_model_need_room(m, input, dims.n, 0);
}

static int use_shapes(mx2onnx_model *m, bool set)
{
    char name[MX_NAME_MAX];
    for (size_t i = 0; i < m->loaded.net->n_inputs; i++) {
        if (!input_name(m, i, name)) {
            return mx_catalogue_damaged(&m->nets.catalogue);
        }
        MX_TRY(use_shape(m, m->loaded.net->inputs[i].published, name, set));
    }
    return MX_OK;
}

int mx_model_use_published_shapes(mx2onnx_model *m)
{
    MX_TRY(need_net(m));
    MX_TRY(use_shapes(m, false));
    return use_shapes(m, true);
}

enum { CHANNELS = 3 };

/* "0.485,0.456,0.406" */
static bool read_values(const char *text, double out[CHANNELS])
{
    for (int i = 0; i < CHANNELS; i++) {
        if (!mx_scan_double(text, &text, &out[i]) || *text != (i + 1 < CHANNELS ? ',' : 0)) {
            return false;
        }
        text += i + 1 < CHANNELS;
    }
    return true;
}

int mx_model_use_published_normalization(mx2onnx_model *m)
{
    char name[MX_NAME_MAX];
    double mean[CHANNELS], scale[CHANNELS];
    MX_TRY(need_net(m));
    if (!m->loaded.net->mean[0]) {
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(m->loaded.net->name),
                       "no mean and standard deviation were published with this net" MX_HELP "set your own");
    }
    if (!read_values(m->loaded.net->mean, mean) || !read_values(m->loaded.net->std, scale) || !input_name(m, 0, name)) {
        return mx_catalogue_damaged(&m->nets.catalogue);
    }
    for (int i = 0; i < CHANNELS; i++) { /* they apply to images from 0 to 1 */
        mean[i] *= 255;
        scale[i] = 1 / (255 * scale[i]);
    }
    MX_TRY(mx_model_need_room(m, name, 0, CHANNELS));
    MX_TRY(mx_model_set_values(m, name, CHANNELS, mean, false));
    return mx_model_set_values(m, name, CHANNELS, scale, true);
}

/* ---- as text */

static void put_shape(const struct mx_net *net, const struct mx_net_shape *shape, struct mx_str *out)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t dim = 0;
        (void)mx_number_value(&shape->dims[i], &net->sizes, &dim);
        mx_str_append(out, i > 0 ? ", " : "(");
        if (dim > 0) {
            mx_str_printf(out, "%lld", (long long)dim);
        } else {
            mx_str_append(out, "any");
        }
    }
    mx_str_append(out, ")");
}

/* GPT-2's states are described once: "(any, any), 24 times (any, 12, any, 64)". */
static void put_inputs(const struct mx_net *net, struct mx_str *out)
{
    for (size_t i = 0, n; i < net->n_inputs; i += n) {
        for (n = 1; i + n < net->n_inputs && net->inputs[i + n].published == net->inputs[i].published;) {
            n++;
        }
        mx_str_append(out, i > 0 ? ", " : "input ");
        if (n > 2) {
            mx_str_printf(out, "%zu times ", n);
        }
        for (size_t k = 0; k < (n > 2 ? 1 : n); k++) {
            mx_str_append(out, k > 0 ? ", " : "");
            put_shape(net, net->inputs[i].published, out);
        }
    }
}

/* "1000 classes; input (any, 3, 224, 224); mean 0.485,0.456,0.406 and deviation 0.229,0.224,0.225 of images from 0 to 1;
 * GluonCV 0.10.5" */
static void put_net(const struct mx_net *net, struct mx_str *out)
{
    for (int i = 0; i < MX_SIZES; i++) {
        if (net->sizes.of[i] > 0) {
            mx_str_printf(out, "%s %lld; ", mx_size_names[i], (long long)net->sizes.of[i]);
        }
    }
    put_inputs(net, out);
    if (net->mean[0]) {
        mx_str_printf(out, "; mean %s and deviation %s of images from 0 to 1", net->mean, net->std);
    }
    mx_str_printf(out, "; %s", net->source);
}

/* ---- the same as JSON */

static void put_json_shape(const struct mx_net *net, const struct mx_net_shape *shape, struct mx_json *j)
{
    mx_json_open(j, '[');
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t dim = 0;
        (void)mx_number_value(&shape->dims[i], &net->sizes, &dim);
        dim > 0 ? mx_json_int(j, dim) : mx_json_null(j);
    }
    mx_json_close(j, ']');
}

static void put_json_values(const char *key, const char *text, struct mx_json *j)
{
    double values[CHANNELS] = {0};
    const bool read = read_values(text, values);
    mx_json_put_open(j, key, '[');
    for (int i = 0; i < CHANNELS && read; i++) {
        mx_json_double(j, values[i]);
    }
    mx_json_close(j, ']');
}

static void put_json(const struct mx_net *net, struct mx_str *out)
{
    struct mx_json j = {.out = out};
    mx_json_open(&j, '{');
    mx_json_put_text(&j, "name", net->name);
    mx_json_put_text(&j, "source", net->source);
    for (int i = 0; i < MX_SIZES; i++) {
        if (net->sizes.of[i] > 0) {
            mx_json_put_int(&j, mx_size_names[i], net->sizes.of[i]);
        }
    }
    mx_json_put_open(&j, "inputs", '[');
    for (size_t i = 0; i < net->n_inputs; i++) {
        put_json_shape(net, net->inputs[i].published, &j);
    }
    mx_json_close(&j, ']');
    if (net->mean[0]) {
        put_json_values("mean", net->mean, &j);
        put_json_values("deviation", net->std, &j);
    }
    mx_json_close(&j, '}');
}

const char *mx_model_net_text(mx2onnx_model *m, size_t i, bool json)
{
    struct mx_catalogue *c = &m->nets.catalogue;
    const char ***texts = json ? &m->nets.jsons : &m->nets.texts;
    if (!*texts) {
        *texts = MX_ARENA_ARRAY(&c->arena, const char *, c->n_nets);
    }
    if (*texts && !(*texts)[i]) {
        struct mx_str text = {.budget = c->arena.budget};
        (json ? put_json : put_net)(&c->nets[i], &text);
        (*texts)[i] = text.failed ? NULL : mx_arena_strdup(&c->arena, text.text);
        mx_str_free(&text);
    }
    return *texts ? (*texts)[i] : NULL;
}
