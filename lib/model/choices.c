/* Choices about a model: its inputs, outputs, names and types. Programs make them one by one, and look at the model in between, for
 * every input of a graph: none may cost a walk over the graph. */
#include "model/model.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "base/str.h"
#include "op/op.h"
#include "op/registry.h"
#include "read/symbol.h"

/* ---- names of the loaded graph */

/* Of several variables with the same name the first counts. */
static int read_variable(struct mx_node_names *names, struct mx_node *n)
{
    if (!mx_is_variable(n)) {
        return MX_OK;
    }
    if (mx_map_get(&names->variables, n->name)) {
        names->repeated = true;
        return MX_OK;
    }
    return mx_map_set(&names->variables, n->name, n);
}

/* Of several nodes with the same name the last counts. */
static int read_node(struct mx_node_names *names, struct mx_node *n)
{
    if (mx_is_variable(n)) {
        return MX_OK;
    }
    MX_TRY(mx_map_set(&names->nodes, n->name, n));
    MX_TRY(mx_map_set(&names->operators, n->op_name, n));
    return n->op ? mx_map_set(&names->operators, n->op->name, n) : MX_OK;
}

void mx_node_names_free(struct mx_node_names *names)
{
    mx_map_free(&names->variables);
    mx_map_free(&names->nodes);
    mx_map_free(&names->operators);
    names->variables_read = names->nodes_read = names->repeated = false;
}

static int read_names(mx2onnx_model *m, bool *read, int (*read_one)(struct mx_node_names *, struct mx_node *))
{
    for (int i = 0; !*read && i < m->loaded.graph->n_nodes; i++) {
        const int asked = mx_tick(&m->budget, MX_TICK_NODE);
        const int status = asked == MX_OK ? read_one(&m->loaded.names, m->loaded.graph->nodes[i]) : asked;
        if (status != MX_OK) {
            mx_node_names_free(&m->loaded.names);
            return status;
        }
    }
    *read = true;
    return MX_OK;
}

int mx_model_need_variables(mx2onnx_model *m)
{
    return read_names(m, &m->loaded.names.variables_read, read_variable);
}

/* Those of nodes too, which are many more: most choices do without. */
static int need_names(mx2onnx_model *m)
{
    MX_TRY(mx_model_need_variables(m));
    return read_names(m, &m->loaded.names.nodes_read, read_node);
}

/* Every name in a model is UTF-8. */
static int fail_not_utf8(mx2onnx_model *m, const char *name)
{
    return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(name), "the name is not UTF-8, but all names of a model must be");
}

/* The message suggests names that may have been meant. */
static int fail_unknown_input(mx2onnx_model *m, const char *input)
{
    enum { SHOWN = 8 };
    if (!mx_is_utf8(input)) {
        return fail_not_utf8(m, input);
    }
    struct mx_str known = {0};
    const struct mx_where where = {.name = input};
    (void)mx_model_peek(m); /* labels are known after it */
    if (m->prepared.n_inputs == 0) {
        return mx_model_is_canonical(m)
                   ? mx_fail(&m->diags, MX_NOT_FOUND, where, "the model has no inputs")
                   : mx_fail(&m->diags, MX_NOT_FOUND, where, "the model has no input of this name" MX_HELP "mx2onnx_graph_text lists them");
    }
    for (size_t i = 0; i < m->prepared.n_inputs && i < SHOWN; i++) {
        mx_str_printf(&known, "%s'%s'", i > 0 ? ", " : "", m->prepared.inputs[i]->name);
    }
    const int status = mx_fail(&m->diags, MX_NOT_FOUND, where, "the model has no input of this name" MX_HELP "use one of its inputs: %s%s",
                               known.failed ? "?" : known.text, m->prepared.n_inputs > SHOWN ? ", ..." : "");
    mx_str_free(&known);
    return status;
}

/* The name most like this one, if one is near. */
static const char *nearest_node(mx2onnx_model *m, const char *name, bool exact)
{
    const char *nearest = NULL;
    size_t least = strlen(name) / 3 + 2;
    for (int i = 0; i < m->loaded.graph->n_nodes && mx_tick(&m->budget, 4 * MX_TICK_NODE) == MX_OK; i++) {
        const size_t distance = mx_distance(name, m->loaded.graph->nodes[i]->name);
        if ((distance > 0 || exact) && distance < least) { /* 0: it exists, but is of the wrong kind */
            least = distance;
            nearest = m->loaded.graph->nodes[i]->name;
        }
    }
    return nearest;
}

/* A node's output has its name and _output, possibly misspelled, which the ONNX file leaves off; "" for another name. */
static const char *node_of_output(mx2onnx_model *m, const char *name)
{
    const char *end = strrchr(name, '_');
    const bool is_output = end && end != name && mx_distance(end + 1, "output") <= 2;
    const char *head = is_output ? mx_arena_strndup(&m->arena, name, (size_t)(end - name)) : NULL;
    return head ? head : "";
}

static const char *nearest_name(mx2onnx_model *m, const char *name)
{
    const char *head = node_of_output(m, name), *nearest = *head ? nearest_node(m, head, true) : NULL;
    return nearest ? nearest : nearest_node(m, name, false);
}

/* Appends some names of nodes, or of variables, that contain this one: "names that contain it: 'resnetv10_pool1_fwd'" for "pool1". */
static void list_longer(mx2onnx_model *m, const char *name, bool variables, struct mx_str *out)
{
    enum { SHOWN = 3, SHORTEST = 3 };
    const char *head = node_of_output(m, name), *part = *head ? head : name;
    int shown = mx_map_get(&m->loaded.names.nodes, part) ? SHOWN : 0;
    for (int i = 0; i < m->loaded.graph->n_nodes && strlen(part) >= SHORTEST && shown < SHOWN; i++) {
        const struct mx_node *n = m->loaded.graph->nodes[i];
        mx_count_work(&m->budget, MX_TICK_NODE);
        if (mx_is_variable(n) == variables && strlen(n->name) > strlen(part) && strstr(n->name, part)) {
            mx_str_printf(out, "%s'%s'", shown++ ? ", " : "names that contain it: ", n->name);
        }
    }
}

/* The message suggests names that may have been meant. */
static int fail_unknown(mx2onnx_model *m, const char *name, const char *what)
{
    if (!mx_is_utf8(name)) {
        return fail_not_utf8(m, name);
    }
    struct mx_str help = {0};
    list_longer(m, name, false, &help);
    const char *nearest = help.text ? NULL : nearest_name(m, name);
    if (nearest) {
        mx_str_printf(&help, "the nearest is '%s'", nearest);
    } else if (!help.text) {
        list_longer(m, name, true, &help);
    }
    const int status = mx_fail(&m->diags, MX_NOT_FOUND, mx_named(name), "the model has no %s of this name" MX_HELP "%s", what,
                               help.text ? help.text : "mx2onnx_graph_text lists them");
    mx_str_free(&help);
    return status;
}

/* ---- choices before there is a symbol */

/* To be checked when there is one. */
static int postpone(mx2onnx_model *m, enum mx_chosen what, const char *name)
{
    struct mx_unchecked *u = MX_ARENA_NEW(&m->arena, struct mx_unchecked);
    MX_TRY_ALLOC(u);
    *u = (struct mx_unchecked){what, name, m->choices.unchecked};
    m->choices.unchecked = u;
    return MX_OK;
}

/* Notes once that a choice is about an output of a node. */
static void join_outputs(mx2onnx_model *m, struct mx_input_choice *choice)
{
    if (choice && !choice->of_node) {
        choice->of_node = true;
        choice->next = m->choices.of_nodes;
        m->choices.of_nodes = choice;
    }
}

/* The length of NODE in "NODE_output1", the name of a further output; 0: it is not one. */
static size_t length_of_node(const char *name)
{
    static const char suffix[] = "_output";
    const char *digits = name + strlen(name);
    while (digits > name && mx_is_digit(digits[-1])) {
        digits--;
    }
    const size_t length = (size_t)(digits - name), end = sizeof suffix - 1;
    return *digits && *digits != '0' && length > end && memcmp(digits - end, suffix, end) == 0 ? length - end : 0;
}

/* True if it is an output of a node of the loaded graph whose operator is unknown: "NODE", or "NODE_output1" for a further one. */
static bool is_unknown_output(const struct mx_node_names *names, const char *name)
{
    const size_t length = length_of_node(name);
    const struct mx_node *whole = mx_map_get(&names->nodes, name), *n = length > 0 ? mx_map_get_n(&names->nodes, name, length) : NULL;
    n = whole ? whole : n;
    return n && !n->op;
}

/* The same for names that messages have: of several nodes with one name, and of those without, the library made a name. */
static bool is_renamed_output(mx2onnx_model *m, const char *name)
{
    const struct mx_graph *g = mx_model_peek(m) ? m->prepared.graph : NULL;
    const size_t length = length_of_node(name);
    for (int i = 0; g && i < g->n_nodes && mx_tick(&m->budget, MX_TICK_NODE) == MX_OK; i++) {
        const char *node = g->nodes[i]->name;
        const bool same = strcmp(node, name) == 0 || (strlen(node) == length && strncmp(node, name, length) == 0);
        if (same && mx_op_is_unknown(g->nodes[i]->op)) {
            return true;
        }
    }
    return false;
}

static int check_input(mx2onnx_model *m, const char *name)
{
    MX_TRY(mx_model_need_variables(m));
    if (mx_map_get(&m->loaded.names.variables, name)) {
        return MX_OK;
    }
    MX_TRY(need_names(m));
    if (!is_unknown_output(&m->loaded.names, name) && !is_renamed_output(m, name)) {
        return fail_unknown_input(m, name);
    }
    join_outputs(m, mx_map_get(&m->choices.inputs, name));
    return MX_OK;
}

static int check_renamed(mx2onnx_model *m, const char *name);
static int check_precision(mx2onnx_model *m, const char *name);

/* False if it was taken back. */
static bool counts(const mx2onnx_model *m, const struct mx_unchecked *u)
{
    const struct mx_input_choice *input = mx_map_get(&m->choices.inputs, u->name);
    const struct mx_rename *rename = mx_map_get(&m->choices.renames, u->name);
    const struct mx_half_choice *half = mx_map_get(&m->choices.halves_by_name, u->name);
    switch (u->what) {
    case MX_CHOSEN_INPUT: return input && input->counts;
    case MX_CHOSEN_RENAMED: return rename && strcmp(rename->from, rename->to.text) != 0;
    case MX_CHOSEN_PRECISION: break;
    }
    return half && half->precision != MX2ONNX_PRECISION_AUTO;
}

int mx_model_check_choices(mx2onnx_model *m)
{
    int (*const checks[])(mx2onnx_model *, const char *) = {
        [MX_CHOSEN_INPUT] = check_input, [MX_CHOSEN_RENAMED] = check_renamed, [MX_CHOSEN_PRECISION] = check_precision};
    int result = MX_OK;
    for (const struct mx_unchecked *u = m->choices.unchecked; u; u = u->next) {
        const int status = counts(m, u) ? checks[u->what](m, u->name) : MX_OK;
        if (status != MX_OK && status != MX_NOT_FOUND) {
            return status;
        }
        result = result == MX_OK ? status : result;
    }
    m->choices.unchecked = result == MX_OK ? NULL : m->choices.unchecked;
    return result;
}

/* Whether the model may have something of this name. What was chosen before the load is taken back after it, too, under a name that the
 * symbol does not have. */
static int check_name(mx2onnx_model *m, int (*check)(mx2onnx_model *, const char *), const char *name, bool takes_back)
{
    return takes_back ? MX_OK : m->loaded.graph ? check(m, name) : mx_is_utf8(name) ? MX_OK : fail_not_utf8(m, name);
}

/* ---- inputs */

int mx_model_choice(mx2onnx_model *m, const char *input, bool back, struct mx_input_choice **out)
{
    *out = mx_map_get(&m->choices.inputs, input);
    MX_TRY(check_name(m, check_input, input, back && *out));
    if (!*out) {
        *out = MX_ARENA_NEW(&m->arena, struct mx_input_choice);
        MX_TRY_ALLOC(*out);
        **out = (struct mx_input_choice){.name = mx_arena_strdup(&m->arena, input), .ndim = -1, .dtype = MX_DTYPE_NONE};
        MX_TRY_ALLOC((*out)->name);
        MX_TRY(m->loaded.graph ? MX_OK : postpone(m, MX_CHOSEN_INPUT, (*out)->name));
        MX_TRY(mx_map_set(&m->choices.inputs, (*out)->name, *out));
        if (m->loaded.graph && !mx_map_get(&m->loaded.names.variables, input)) {
            join_outputs(m, *out);
        }
    }
    return MX_OK;
}

int mx_model_chose(mx2onnx_model *m, struct mx_input_choice *c)
{
    const bool counted = c->counts;
    c->counts = c->ndim >= 0 || c->dtype != MX_DTYPE_NONE || c->channels_last || c->channels_reversed || c->n_mean > 0 || c->n_scale > 0;
    if (c->counts) {
        mx_model_declared(m, c->name);
    } else if (counted) {
        mx_model_changed(m); /* it may be a weight again */
    } else {
        mx_model_chosen(m);
    }
    return MX_OK;
}

/* Room for the axes of an input. */
static int make_room(mx2onnx_model *m, struct mx_input_choice *choice, int ndim)
{
    if (ndim <= choice->room && choice->room > 0) {
        return MX_OK;
    }
    const size_t was = (size_t)choice->room, room = (size_t)ndim < 2 * was ? 2 * was : ndim > 0 ? (size_t)ndim : 1;
    int64_t *dims = MX_ARENA_ARRAY(&m->arena, int64_t, room);
    const char **names = MX_ARENA_ARRAY(&m->arena, const char *, room);
    struct mx_arena_text *texts = MX_ARENA_ARRAY(&m->arena, struct mx_arena_text, room);
    MX_TRY_ALLOC(dims && names && texts);
    for (size_t i = 0; i < was; i++) {
        dims[i] = choice->dims[i];
        names[i] = choice->dim_names[i];
        texts[i] = choice->dim_texts[i];
    }
    choice->dims = dims;
    choice->dim_names = names;
    choice->dim_texts = texts;
    choice->room = (int)room;
    return MX_OK;
}

/* An integer as programs write it, too: 1_000, 0x10, -0b11. */
static bool is_integer_of_a_program(const char *text)
{
    text += *text == '-' || *text == '+';
    const bool based = text[0] == '0' && text[1] != '\0' && strchr("xXbBoO", text[1]);
    const char *const digits = based ? text + 2 : text, *const allowed = based ? "0123456789abcdefABCDEF_" : "0123456789_";
    return digits[0] != '\0' && digits[0] != '_' && digits[strspn(digits, allowed)] == '\0';
}

/* What a program's text of a size looks like that was not turned into a number: "14", "4.5", "0x10", Python's None, JavaScript's
 * undefined, the command line's "?"; and " h", which would be another name than "h". */
static bool is_text_of_a_size(const char *name)
{
    static const char *const words[] = {"none", "null", "nil", "undefined", "true", "false", "any", "?", "*", "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (mx_same_but_case(name, words[i])) {
            return true;
        }
    }
    double number;
    const char *end = name;
    const bool is_number = mx_scan_double(end, &end, &number) && *end == '\0';
    return is_number || is_integer_of_a_program(name) || name[0] == ' ' || mx_ends_with(name, " ");
}

static int check_dim_name(mx2onnx_model *m, const char *input, int axis, const char *name)
{
    return !name || !is_text_of_a_size(name) ? MX_OK
                                             : mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(input),
                                                       "'%s' is not a name for dimension %d" MX_HELP
                                                       "use a number for a fixed size, -1 for an unknown one, or a name without "
                                                       "surrounding "
                                                       "blanks",
                                                       name, axis);
}

/* Room for the names, `ndim` of them, and copies in `copies`: they may be those that were set before. */
static int copy_names(mx2onnx_model *m, struct mx_input_choice *choice, int ndim, const char *const *names, struct mx_arena *copies,
                      const char **out)
{
    for (int i = 0; i < ndim; i++) {
        struct mx_arena_text *t = &choice->dim_texts[i];
        out[i] = names[i] ? mx_arena_strdup(copies, names[i]) : NULL;
        if (names[i]) {
            t->text = mx_arena_again(&m->arena, t->text, &t->room, strlen(names[i]) + 1);
            MX_TRY_ALLOC(out[i] && t->text);
        }
    }
    return MX_OK;
}

/* All of them or, after an error, none. */
static int set_names(mx2onnx_model *m, struct mx_input_choice *choice, int ndim, const char *const *names)
{
    struct mx_arena copies = {.budget = &m->budget};
    const char **given = names ? MX_ARENA_ARRAY(&copies, const char *, (size_t)ndim + 1) : NULL;
    const int status = given ? copy_names(m, choice, ndim, names, &copies, given) : names ? MX_OUT_OF_MEMORY : MX_OK;
    for (int i = 0; status == MX_OK && i < ndim; i++) {
        const char *name = names ? given[i] : NULL;
        choice->dim_names[i] = name ? memcpy(choice->dim_texts[i].text, name, strlen(name) + 1) : NULL;
    }
    mx_arena_free(&copies);
    return status;
}

int mx_model_set_shape(mx2onnx_model *m, const char *input, int ndim, const int64_t *dims, const char *const *names)
{
    struct mx_input_choice *choice;
    for (int i = 0; names && i < ndim; i++) {
        MX_TRY(check_dim_name(m, input, i, names[i]));
    }
    MX_TRY(mx_model_choice(m, input, ndim < 0, &choice));
    if (ndim >= 0) {
        MX_TRY(make_room(m, choice, ndim));
        MX_TRY(set_names(m, choice, ndim, names));
    }
    for (int i = 0; i < ndim; i++) {
        choice->dims[i] = dims[i];
    }
    choice->ndim = ndim;
    return mx_model_chose(m, choice);
}

static int fail_axis(mx2onnx_model *m, const char *input, int axis, int ndim)
{
    return mx_fail(&m->diags, MX_INVALID_ARGUMENT, mx_named(input),
                   "axis %d cannot be named, because the input has %s" MX_HELP "set its shape first", axis,
                   ndim < 0 ? "no known rank" : "fewer dimensions");
}

/* Without a shape that was set: sets the one that the file gives for the input, with this name. */
static int name_in_hint(mx2onnx_model *m, const char *input, int axis, const char *name)
{
    int ndim = -1;
    const int64_t *dims;
    struct mx_arena arena = {.budget = &m->budget};
    const struct mx_node *variable = m->loaded.graph ? mx_map_get(&m->loaded.names.variables, input) : NULL;
    int status = variable ? mx_variable_shape_hint(variable, &arena, &ndim, &dims) : MX_OK; /* else an output of an unknown operator */
    const char **names = status == MX_OK && axis < ndim ? MX_ARENA_ARRAY(&arena, const char *, (size_t)ndim) : NULL;
    if (names) {
        names[axis] = name;
        status = mx_model_set_shape(m, input, ndim, dims, names);
    } else if (status == MX_OK) {
        status = axis < ndim ? MX_OUT_OF_MEMORY : fail_axis(m, input, axis, ndim);
    }
    mx_arena_free(&arena);
    return status;
}

int mx_model_set_dim_name(mx2onnx_model *m, const char *input, int axis, const char *name)
{
    MX_TRY(check_dim_name(m, input, axis, name));
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, !name, &choice));
    if (choice->ndim < 0) {
        MX_TRY(m->loaded.graph ? check_input(m, input) : MX_OK);
        return name ? name_in_hint(m, input, axis, name) : MX_OK;
    }
    if (axis >= choice->ndim) {
        return fail_axis(m, input, axis, choice->ndim);
    }
    const char *copy = name ? mx_arena_set_text(&m->arena, &choice->dim_texts[axis], name) : NULL;
    MX_TRY_ALLOC(copy || !name);
    choice->dim_names[axis] = copy;
    return mx_model_chose(m, choice);
}

/* Room for n values, with those that are there. */
static int values_room(mx2onnx_model *m, struct mx_input_choice *choice, size_t n, bool scale)
{
    double **own = scale ? &choice->scale : &choice->mean;
    const size_t count = scale ? choice->n_scale : choice->n_mean;
    double *values = mx_arena_again(&m->arena, *own, scale ? &choice->scale_room : &choice->mean_room, n * sizeof *values);
    MX_TRY_ALLOC(values);
    for (size_t i = 0; values != *own && i < count; i++) {
        values[i] = (*own)[i];
    }
    *own = values;
    return MX_OK;
}

int mx_model_set_values(mx2onnx_model *m, const char *input, size_t n, const double *values, bool scale)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, n == 0, &choice));
    MX_TRY(values_room(m, choice, n, scale));
    for (size_t i = 0; i < n; i++) {
        (scale ? choice->scale : choice->mean)[i] = values[i];
    }
    *(scale ? &choice->n_scale : &choice->n_mean) = n;
    return mx_model_chose(m, choice);
}

int mx_model_need_room(mx2onnx_model *m, const char *input, int ndim, size_t n_values)
{
    struct mx_input_choice *choice;
    MX_TRY(mx_model_choice(m, input, false, &choice));
    MX_TRY(make_room(m, choice, ndim));
    MX_TRY(values_room(m, choice, n_values, false));
    return values_room(m, choice, n_values, true);
}

/* ---- outputs */

/* No operator has more suffixes, apart from those that differ by a number only, or a longer one. */
enum { NAMED_OUTPUTS = 16, MAX_SUFFIX = 64 };

static bool is_suffix(const struct mx_op *op, int i, const char *suffix, int *index)
{
    char word[MAX_SUFFIX];
    mx_op_output_name(op, i, word);
    *index = strcmp(suffix, word) == 0 ? i : *index;
    return strcmp(suffix, word) == 0;
}

/* True if it is an output of the node. A repeating suffix (output0, output1, ...) ends with its index. */
static bool is_output_of(const struct mx_node *n, const char *suffix, int *index)
{
    for (int i = 0; n->op && i < NAMED_OUTPUTS; i++) {
        if (is_suffix(n->op, i, suffix, index)) {
            return true;
        }
    }
    int64_t number = 0;
    const char *digits = suffix + strlen(suffix);
    while (digits > suffix && mx_is_digit(digits[-1])) {
        digits--;
    }
    if (n->op && mx_parse_int(digits, &number) && number < INT_MAX && is_suffix(n->op, (int)number, suffix, index)) {
        return true;
    }
    *index = 0;
    return strcmp(suffix, "output") == 0 || strcmp(suffix, "output0") == 0;
}

/* The only output of the file, if the settings next to it call it so. */
static struct mx_node *node_of_settings(const mx2onnx_model *m, const char *name)
{
    return m->loaded.output_name && strcmp(m->loaded.output_name, name) == 0 ? m->loaded.graph->heads[0].node : NULL;
}

/* The node with the longest name that fits is meant: "fc_output" may itself be a node. */
int mx_model_find_output(mx2onnx_model *m, const char *name, struct mx_entry *out)
{
    MX_TRY(need_names(m));
    const size_t length = strlen(name), least = length > MAX_SUFFIX ? length - MAX_SUFFIX : 1;
    struct mx_node *whole = mx_map_get(&m->loaded.names.nodes, name);
    *out = (struct mx_entry){.node = whole ? whole : mx_map_get(&m->loaded.names.variables, name)};
    for (size_t i = length; !out->node && i-- > least;) {
        struct mx_node *n = name[i] == '_' ? mx_map_get_n(&m->loaded.names.nodes, name, i) : NULL;
        out->node = n && is_output_of(n, name + i + 1, &out->index) ? n : NULL;
    }
    out->node = out->node ? out->node : node_of_settings(m, name);
    return out->node ? MX_OK : MX_NOT_FOUND;
}

int mx_model_need_output(mx2onnx_model *m, const char *name, struct mx_entry *out)
{
    const int status = mx_model_find_output(m, name, out);
    return status == MX_NOT_FOUND ? fail_unknown(m, name, "output, node or variable") : status;
}

int mx_model_add_output(mx2onnx_model *m, const char *name)
{
    struct mx_entry e;
    MX_TRY(m->loaded.graph ? mx_model_need_output(m, name, &e) : mx_is_utf8(name) ? MX_OK : fail_not_utf8(m, name));
    MX_TRY(mx_grow(&m->budget, &m->choices.outputs, m->choices.n_outputs, &m->choices.cap_outputs, sizeof *m->choices.outputs));
    const char *copy = mx_arena_strdup(&m->arena, name);
    MX_TRY_ALLOC(copy);
    mx_model_changed(m);
    m->choices.outputs[m->choices.n_outputs++] = copy;
    return MX_OK;
}

void mx_model_clear_outputs(mx2onnx_model *m)
{
    mx_model_changed(m);
    m->choices.n_outputs = 0;
}

/* ---- names in the ONNX file */

/* True if the ONNX file has a variable or node output of this name. The number of outputs is not known here. */
static bool is_called(const struct mx_node_names *names, const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && !mx_map_get_n(&names->nodes, name, length) && !mx_map_get_n(&names->variables, name, length)) {
        length = mx_is_digit(name[length - 1]) ? length - 1 : 0;
    }
    return length > 0;
}

static int check_renamed(mx2onnx_model *m, const char *name)
{
    MX_TRY(need_names(m));
    return is_called(&m->loaded.names, name) ? MX_OK : fail_unknown(m, name, "input, output or parameter");
}

int mx_model_rename(mx2onnx_model *m, const char *from, const char *to)
{
    const struct mx_node *n = node_of_settings(m, from);
    from = n ? n->name : from;
    struct mx_rename *r = mx_map_get(&m->choices.renames, from);
    to = to ? to : from;
    MX_TRY(check_name(m, check_renamed, from, r && strcmp(from, to) == 0));
    mx_model_chosen(m);
    m->prepared.output_names = NULL;
    if (!r || !r->chosen) {
        r = MX_ARENA_NEW(&m->arena, struct mx_rename);
        MX_TRY_ALLOC(r);
        r->chosen = true;
        r->from = mx_arena_strdup(&m->arena, from);
        MX_TRY_ALLOC(r->from && mx_arena_set_text(&m->arena, &r->to, to));
        MX_TRY(m->loaded.graph ? MX_OK : postpone(m, MX_CHOSEN_RENAMED, r->from));
        MX_TRY(mx_map_set(&m->choices.renames, r->from, r));
        r->next = m->choices.chosen_renames;
        m->choices.chosen_renames = r;
        return MX_OK;
    }
    return mx_arena_set_text(&m->arena, &r->to, to) ? MX_OK : MX_OUT_OF_MEMORY;
}

/* ---- parameters, unknown operators, types */

int mx_model_set_text(mx2onnx_model *m, int which, const char *text)
{
    if (which == MX2ONNX_TEXT_UNKNOWN_DOMAIN || which == MX2ONNX_TEXT_PARAM_PREFIX
        || (which == MX2ONNX_TEXT_TARGET && m->choices.customs.count > 0)) {
        mx_model_changed(m);
    }
    const char *copy = text ? mx_arena_set_text(&m->arena, &m->choices.text_rooms[which], text) : NULL;
    MX_TRY_ALLOC(copy || !text);
    m->choices.texts[which] = copy;
    return which == MX2ONNX_TEXT_PARAM_PREFIX ? mx_params_set_prefix(&m->loaded.params, copy) : MX_OK;
}

/* Each warning about a name searches all names. */
enum { WARNED_PARAMS = 8 };

/* True if the name may be a slip for that of a variable, which is warned of: the variable was not set by itself, too. */
static bool warn_of_slip(mx2onnx_model *m, const char *name)
{
    const char *nearest = nearest_name(m, name);
    const struct mx_param *p = nearest ? mx_params_of(&m->loaded.params, nearest) : NULL;
    const bool slip = nearest && !(p && p->own);
    if (slip) {
        mx_warn(&m->diags, mx_named(name), "the model has no variable of this name, so the value is not used" MX_HELP "the nearest is '%s'",
                nearest);
    }
    return slip;
}

/* Of a net that was cut, get_params() has the arrays of all layers. */
static void warn_of_others(mx2onnx_model *m, const char *name, size_t more)
{
    if (more == 0) {
        mx_warn(&m->diags, mx_named(name), "the model has no variable of this name, so the value is not used");
    } else {
        mx_warn(&m->diags, mx_named(name),
                "the model has no variable of this name, nor of those of %zu other array%s that %s set, so their values are not used", more,
                more == 1 ? "" : "s", more == 1 ? "was" : "were");
    }
}

/* A whole file that the model does not need: n arrays of one load. */
static int check_file(mx2onnx_model *m, struct mx_param *const *arrays, size_t n)
{
    bool needed = false;
    for (size_t i = 0; i < n && !needed; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        needed = arrays[i]->used || arrays[i]->is_part;
    }
    MX_TRY(needed ? MX_OK : mx_model_need_variables(m));
    for (size_t i = 0; i < n && !needed; i++) {
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        needed = mx_map_get(&m->loaded.names.variables, arrays[i]->name);
    }
    if (!needed) {
        mx_warn(&m->diags, mx_named(arrays[0]->name),
                "the model has no variable of this name%s, so this parameter file is not used" MX_HELP "%s",
                n > 1 ? ", and none of any other array of its file" : "",
                strcmp(arrays[0]->name, "mean_img") == 0
                    ? "set the mean of each channel with mx2onnx_set_input_mean, or subtract this mean image in your program"
                    : "omit it, or check that it belongs to this model");
    }
    return MX_OK;
}

int mx_model_check_params(mx2onnx_model *m)
{
    struct mx_param *const *items = m->loaded.params.items;
    const size_t count = m->loaded.params.count;
    size_t others = 0, searched = 0, end;
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct mx_param *p = items[i];
        MX_TRY(mx_tick(&m->budget, MX_TICK_ITEM));
        MX_TRY(p->own == 0 || p->used ? MX_OK : mx_model_need_variables(m));
        if (p->own != 0 && !p->used && !p->is_part && !mx_map_get(&m->loaded.names.variables, p->name)
            && !(searched++ < WARNED_PARAMS && warn_of_slip(m, p->name))) {
            first = first ? first : p->name;
            others++;
        }
    }
    if (first) {
        warn_of_others(m, first, others - 1);
    }
    for (size_t i = 0; i < count && searched < WARNED_PARAMS; i = end) {
        for (end = i + 1; end < count && items[i]->own == 0 && items[end]->own == 0 && items[end]->load == items[i]->load;) {
            end++;
        }
        MX_TRY(items[i]->own == 0 ? check_file(m, &items[i], end - i) : MX_OK);
    }
    return MX_OK;
}

int mx_model_check_handlers(mx2onnx_model *m)
{
    for (const struct mx_custom *c = m->choices.customs.first; c; c = c->next) {
        const struct mx_op *op = !c->infer || c->used || c->overrides ? NULL : mx_map_get(&m->ops, c->name);
        MX_TRY(op ? need_names(m) : MX_OK);
        if (op && mx_map_get(&m->loaded.names.operators, op->name)) {
            return mx_fail(&m->diags, MX_INVALID_ARGUMENT, (struct mx_where){.op = c->name},
                           "the library converts this operator itself and would not call the handler" MX_HELP
                           "set `overrides` in the handler, or remove the handler");
        }
    }
    return MX_OK;
}

static int new_half_choice(mx2onnx_model *m, const char *name, const struct mx_op *op, struct mx_half_choice **out)
{
    struct mx_half_choice *c = MX_ARENA_NEW(&m->arena, struct mx_half_choice);
    MX_TRY_ALLOC(c);
    c->name = mx_arena_strdup(&m->arena, name);
    MX_TRY_ALLOC(c->name);
    c->op_name = op ? op->name : c->name;
    MX_TRY(m->loaded.graph ? MX_OK : postpone(m, MX_CHOSEN_PRECISION, c->name));
    MX_TRY(mx_map_set(&m->choices.halves_by_name, c->name, c));
    c->next = m->choices.halves;
    m->choices.halves = *out = c;
    return MX_OK;
}

static int check_precision(mx2onnx_model *m, const char *name)
{
    const struct mx_op *op = mx_map_get(&m->ops, name);
    MX_TRY(need_names(m));
    const bool found = mx_map_get(&m->loaded.names.nodes, name) || mx_map_get(&m->loaded.names.operators, op ? op->name : name);
    return found ? MX_OK : fail_unknown(m, name, "node and no operator");
}

int mx_model_set_precision(mx2onnx_model *m, const char *name, int precision)
{
    const struct mx_op *op = mx_map_get(&m->ops, name);
    struct mx_half_choice *c = mx_map_get(&m->choices.halves_by_name, name);
    MX_TRY(check_name(m, check_precision, name, c && precision == MX2ONNX_PRECISION_AUTO));
    mx_model_chosen(m);
    MX_TRY(c ? MX_OK : new_half_choice(m, name, op, &c));
    c->precision = precision;
    c->order = ++m->choices.half_calls;
    return MX_OK;
}
