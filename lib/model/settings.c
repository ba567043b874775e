/* What the files next to a model say about it: GluonTS's parameters.json, and additional-params.json and hyperparams.json of SageMaker's
 * own algorithms. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"

enum { MOST_NAMES = 64 }; /* limit: names of inputs of a GluonTS predictor */

/* {"crop_size": "240"} of semantic segmentation. */
int64_t mx_settings_crop(const struct json_t *root)
{
    const json_t *crop = json_object_get(root, "crop_size");
    int64_t size = json_integer_value(crop);
    const bool known = json_is_integer(crop) || (json_is_string(crop) && mx_parse_int(json_string_value(crop), &size));
    return known && size > 0 && size <= INT32_MAX ? size : 0;
}

/* {"predictor_type": "binary_classifier", "threshold": 0.36} of the linear learner. A regressor has a threshold too, without a meaning. */
static int take_threshold(mx2onnx_model *m, const json_t *root)
{
    static const char key[] = "sagemaker:threshold";
    const char *type = json_string_value(json_object_get(root, "predictor_type"));
    const json_t *threshold = json_object_get(root, "threshold");
    if (!type || strcmp(type, "binary_classifier") != 0 || !json_is_number(threshold) || mx_model_metadata(m, key)) {
        return MX_OK;
    }
    char text[32];
    mx_format_double(text, json_number_value(threshold));
    MX_TRY(mx_model_set_metadata(m, key, text));
    mx_note(&m->diags, MX_NOWHERE,
            "SageMaker's endpoint compares the score with the threshold %s to get predicted_label, but the model gives the score: its "
            "metadata have the threshold as '%s'",
            text, key);
    return MX_OK;
}

/* The place in the list of names: 3 for "data3", 0 for "data" if there is one; -1 for another variable. */
static int64_t place_of(const char *variable, size_t count)
{
    int64_t place = -1;
    if (!mx_starts_with(variable, "data")) {
        return -1;
    }
    if (!variable[4]) {
        return count == 1 ? 0 : -1;
    }
    return mx_parse_int(variable + 4, &place) && (uint64_t)place < count ? place : -1;
}

/* Such a name is known by its key, which is the node's own text. */
static int rename_value(mx2onnx_model *m, const char *from, const char *to)
{
    struct mx_rename *r = MX_ARENA_NEW(&m->arena, struct mx_rename);
    MX_TRY_ALLOC(r && mx_arena_set_text(&m->arena, &r->to, to));
    r->from = from;
    return mx_map_set(&m->choices.renames, from, r);
}

/* {"input_names": ["past_target", ...]}: GluonTS calls the inputs of a predictor's graph data0, data1, ... in this order. */
static int take_names(mx2onnx_model *m, const json_t *names)
{
    const size_t count = json_array_size(names);
    int status = MX_OK;
    for (int i = 0; status == MX_OK && count > 0 && count <= MOST_NAMES && i < m->loaded.graph->n_nodes; i++) {
        const struct mx_node *v = m->loaded.graph->nodes[i];
        const int64_t place = mx_is_variable(v) && !mx_params_of(&m->loaded.params, v->name) ? place_of(v->name, count) : -1;
        const char *name = place >= 0 ? json_string_value(json_array_get(names, (size_t)place)) : NULL;
        status = mx_tick(&m->budget, MX_TICK_ITEM);
        if (status == MX_OK && name && *name && mx_is_plain_text(name) && !mx_map_get(&m->choices.renames, v->name)) {
            mx_note(&m->diags, mx_named(v->name), "the input is called '%s', as parameters.json says", name);
            status = rename_value(m, v->name, name);
        }
    }
    return status;
}

/* {"predictor_type": "regressor"} of the linear learner, whose output has a number for its name: linearregressionoutput32. */
static int name_score(mx2onnx_model *m, const json_t *root)
{
    static const char score[] = "score";
    const struct mx_graph *g = m->loaded.graph;
    const struct mx_entry *head = json_is_string(json_object_get(root, "predictor_type")) && g->n_heads == 1 ? g->heads : NULL;
    bool rename = head && head->index == 0 && !mx_is_variable(head->node) && !mx_map_get(&m->choices.renames, head->node->name);
    for (int i = 0; rename && i < g->n_nodes; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        rename = strcmp(g->nodes[i]->name, score) != 0;
    }
    if (!rename) {
        return MX_OK;
    }
    mx_note(&m->diags, mx_named(head->node->name), "the output is called '%s', as SageMaker's endpoint calls it", score);
    MX_TRY(rename_value(m, head->node->name, score));
    m->loaded.output_name = score;
    return MX_OK;
}

/* A load that fails leaves none of its names. */
static void forget_names(mx2onnx_model *m)
{
    m->loaded.output_name = NULL;
    for (int i = 0; i < m->loaded.graph->n_nodes; i++) {
        const char *name = m->loaded.graph->nodes[i]->name;
        const struct mx_rename *r = mx_map_get(&m->choices.renames, name);
        if (r && r->from == name) {
            mx_map_remove(&m->choices.renames, name);
        }
    }
}

int mx_settings_apply(mx2onnx_model *m, const struct json_t *root)
{
    int status = take_names(m, json_object_get(root, "input_names"));
    status = status == MX_OK ? name_score(m, root) : status;
    status = status == MX_OK ? take_threshold(m, root) : status; /* after all that may fail */
    if (status != MX_OK) {
        forget_names(m);
        return status;
    }
    return mx_model_loaded(m);
}

static bool has_head(const struct mx_graph *g, const char *name)
{
    bool has = false;
    for (int i = 0; i < g->n_heads && !has; i++) {
        has = strcmp(g->heads[i].node->name, name) == 0;
    }
    return has;
}

/* SageMaker's neural topic model: its outputs are the parts of the loss, and the topics are inside. */
int mx_settings_note_topics(mx2onnx_model *m)
{
    const struct mx_graph *g = m->loaded.graph;
    bool topics = false;
    for (int i = 0; i < g->n_nodes && !topics; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        topics = !mx_is_variable(g->nodes[i]) && strcmp(g->nodes[i]->name, "mean") == 0;
    }
    if (topics && m->choices.n_outputs == 0 && has_head(g, "kld") && has_head(g, "recons") && !has_head(g, "mean")) {
        mx_note(&m->diags, MX_NOWHERE,
                "the outputs are the parts of a topic model's loss, and not its topics" MX_HELP
                "choose mean_output with mx2onnx_add_output, and compute its softmax: the share of each topic, as SageMaker's endpoint "
                "returns them");
    }
    return MX_OK;
}
