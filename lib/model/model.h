/* The handle, and what happens to a model in the library: load, choose, prepare (canon and infer), export, report. These are the calls
 * below api.c, which only checks arguments. */
#ifndef MX_MODEL_H
#define MX_MODEL_H

#include <stdatomic.h>

#include "base/budget.h"
#include "base/map.h"
#include "base/str.h"
#include "catalogue/catalogue.h"
#include "onnx/ir/ir.h"
#include "onnx/write/write.h"
#include "op/custom.h"
#include "pass/pass.h"
#include "read/params.h"

/* The names in the loaded graph; keys to struct mx_node. */
struct mx_node_names {
    bool variables_read, nodes_read;
    bool repeated; /* two variables have one name */
    struct mx_map variables, nodes;
    struct mx_map operators; /* by the file's name and by the table's: one node with this operator */
};

/* An operator of the graph and the number of its uses. */
struct mx_op_use {
    const char *name;
    size_t count, unsupported;
};

/* Nodes that a handler of one name would convert, while a look fails because there is none. */
struct mx_unresolved {
    struct mx_op_use *use; /* of their operator; NULL: they are in bodies, which the list of operators leaves out */
    size_t count;
};

/* A variable of the file without a value, and its node in the graph: NULL if nothing reads it there, as a label. */
struct mx_unbound {
    const char *name;
    const struct mx_node *node;
    int id; /* its place in the loaded graph */
};

/* How far the graph has been prepared under the present choices. */
enum mx_stage { MX_STAGE_NONE, MX_STAGE_CANON, MX_STAGE_INFERRED };

/* A function's `user`, and what to call when it is no longer needed. */
struct mx_hold {
    mx2onnx_release_fn release; /* or NULL */
    void *user;
};

enum { MX_OPTIONS = MX2ONNX_OPTION_STRUCTURAL_NAMES + 1, MX_TEXTS = MX2ONNX_TEXT_SOURCE_NAME + 1 };

/* A choice that names something in a symbol which is not loaded yet. */
enum mx_chosen { MX_CHOSEN_INPUT, MX_CHOSEN_RENAMED, MX_CHOSEN_PRECISION };
struct mx_unchecked {
    enum mx_chosen what;
    const char *name;
    struct mx_unchecked *next;
};

/* The name of something in the ONNX file. */
struct mx_rename {
    const char *from;
    struct mx_arena_text to;
    struct mx_rename *next; /* of those that the user chose */
    bool chosen;            /* by the user, not by a file of settings */
    bool used;              /* an input, output or parameter has it */
};

/* A net that the parameters fit: allocated texts. */
struct mx_net_fit {
    const char *name, *title;
};

/* What the files say. */
struct mx_loaded {
    struct mx_params params;
    struct mx_batch *added;     /* by the load that runs; NULL: nothing */
    struct mx_graph *graph;     /* as loaded and upgraded; never changed afterwards. NULL: no symbol yet */
    struct mx_node_names names; /* the names in the graph; read when a choice first needs them */
    const struct mx_net *net;   /* from which the graph was made; NULL: it came from a symbol */
    struct mx_sizes net_sizes;  /* of that net */
    const char *params_label;   /* of the last parameter file; NULL: none */
    const char *output_name;    /* of the only output, from the settings; NULL: they give none */
    struct mx_file_id *files;   /* files that were read: no export overwrites them */
    size_t n_files, cap_files;
    size_t n_diags; /* the first of the diagnostics, which stay whatever is chosen */
};

/* The catalogue of published nets, opened when it is needed, and texts about it that were asked for. */
struct mx_nets {
    struct mx_catalogue catalogue;
    struct mx_str title;         /* returned by mx2onnx_net_title */
    const char **texts, **jsons; /* one per net of the catalogue, in its arena; NULL until it is asked for */
    struct mx_arena fits_arena;
    struct mx_net_fit *fits; /* what mx2onnx_identify_net found, in fits_arena; NULL: nothing */
    size_t n_fits;
};

/* What the caller chose. */
struct mx_choices {
    struct mx_unchecked *unchecked;   /* made before there was a symbol, the newest first */
    struct mx_map inputs;             /* name -> struct mx_input_choice */
    struct mx_input_choice *of_nodes; /* those of them for outputs of nodes */
    const char **outputs;
    size_t n_outputs, cap_outputs;
    struct mx_map renames;            /* name -> struct mx_rename */
    struct mx_rename *chosen_renames; /* the newest first */
    struct mx_customs customs;
    int64_t options[MX_OPTIONS]; /* by MX2ONNX_OPTION_... */
    const char *texts[MX_TEXTS]; /* by MX2ONNX_TEXT_...; NULL: the default */
    struct mx_arena_text text_rooms[MX_TEXTS];
    struct mx_entry_text *metadata; /* sorted by key */
    size_t n_metadata, cap_metadata;
    struct mx_map domains;          /* name -> struct mx_domain */
    const struct ox_target *target; /* NULL: none was chosen */
    struct mx_sizes net_sizes;
    struct mx_map halves_by_name;
    struct mx_half_choice *halves; /* the newest name first */
    uint64_t half_calls;
    mx2onnx_progress_fn progress;
    mx2onnx_log_fn log;
    mx2onnx_severity log_least;
    struct mx_hold progress_hold, log_hold;
};

/* What mx_model_prepare makes of both; mx_model_changed drops it whole. */
struct mx_prepared {
    enum mx_stage stage;
    int status;     /* of the step to that stage */
    bool peeked;    /* its messages have not been shown */
    bool unseen;    /* a look exceeds the limits: none tries again until something changes */
    bool fixed;     /* a value for one of `unvalued` would change more than the lists of variables */
    uint64_t count; /* preparations so far, which tests read; it is kept */
    struct mx_arena arena;
    struct mx_dims *dims;
    struct mx_graph *graph;
    struct mx_node **inputs;    /* variables without a value */
    struct mx_node **missing;   /* those of them that are weights */
    struct mx_unbound *unbound; /* variables of the file without a value */
    size_t n_inputs, n_missing, n_unbound;
    struct mx_map unvalued; /* name -> one of `inputs` or `missing` */
    bool unresolved_read;
    struct mx_map unresolved; /* name of a handler -> struct mx_unresolved; read after a look that failed */
    struct mx_map dim_texts;  /* texts of dims that were asked for, each once, in the arena */
    struct mx_arena names_arena;
    const char **output_names;   /* one per head; NULL: not made */
    const char **input_names;    /* one of each of `inputs`, made with output_names */
    const char **variable_names; /* in the ONNX file, by the id of the node, after inference; NULL where the node is not a variable */
    struct mx_op_use *op_uses;
    size_t n_op_uses;
    size_t n_diags; /* of loading and preparing; those after them are of an export */
};

/* What the last export wrote, and the texts that functions return. */
struct mx_written {
    int opset_raised; /* while a model is lowered at a newer opset than it would usually have; 0: it is not */
    int opset;
    size_t nodes;
    uint64_t bytes;
    struct mx_str files; /* their names, each with its NUL, after an export to a file */
    size_t n_files;
    struct mx_str report_json, graph_text[2], graph_json[2]; /* by MX2ONNX_GRAPH_... */
};

struct mx2onnx_model {
    bool busy;             /* a call is running: calls from its callbacks are refused */
    bool refused;          /* a call was refused meanwhile */
    const char *function;  /* of the call, for its errors */
    atomic_bool cancelled; /* the running call is to end; set by any thread */
    struct mx_budget budget;
    struct mx_diags diags;
    struct mx_arena arena; /* of what is loaded and chosen */
    struct mx_arena ops_arena;
    struct mx_map ops; /* registry: name or alias -> struct mx_op */
    struct mx_loaded loaded;
    struct mx_nets nets;
    struct mx_choices choices;
    struct mx_prepared prepared;
    struct mx_written written;
};

/* model.c */
/* The opset to write: the requested one, or else the default if the target can read it, or a newer one that the model needs. */
int mx_model_opset(const mx2onnx_model *m);
int mx_model_init(mx2onnx_model *m) MX_MUST_USE;
void mx_model_clear(mx2onnx_model *m);
/* Back to what mx_model_init made. */
void mx_model_reset(mx2onnx_model *m);
int mx_model_load(mx2onnx_model *m, const char *path) MX_MUST_USE;
/* Loads an archive with a model, a symbol alone, or parameters alone. Takes over the source, even on an error; so do the following. */
int mx_model_load_source(mx2onnx_model *m, struct mx_source *source, const char *label) MX_MUST_USE;
int mx_model_load_symbol(mx2onnx_model *m, struct mx_source *source, const char *label) MX_MUST_USE;
/* An error if a symbol is loaded. */
int mx_model_need_no_symbol(mx2onnx_model *m) MX_MUST_USE;
/* The graph that `make` makes; after an error all is as it was. */
typedef int mx_make_fn(struct mx_graph *g, void *user);
int mx_model_make_graph(mx2onnx_model *m, mx_make_fn *make, void *user) MX_MUST_USE;
int mx_model_load_params(mx2onnx_model *m, struct mx_source *source, const char *label) MX_MUST_USE;
int mx_model_set_param(mx2onnx_model *m, const struct mx_param *like) MX_MUST_USE;
int mx_model_remove_param(mx2onnx_model *m, const char *name) MX_MUST_USE;
/* Marks the messages so far as belonging to what is loaded, whatever is chosen later. Returns MX_OK. */
int mx_model_loaded(mx2onnx_model *m) MX_MUST_USE;
/* Replaces a function's user, releasing the old one. */
void mx_model_hold(struct mx_hold *hold, mx2onnx_release_fn release, void *user);
/* Drops the results of preparation, and the messages about it. */
void mx_model_changed(mx2onnx_model *m);
/* The same for a choice that matters from inference on: results of a look at the model are kept. */
void mx_model_chosen(mx2onnx_model *m);

/* handlers.c */
/* Takes over the handler's user, even on an error; infer NULL removes the handler with that name, or all if it has none. Results of a look
 * at the model are kept where the handler changes only which operators are supported. */
int mx_model_set_custom(mx2onnx_model *m, const struct mx_custom *custom) MX_MUST_USE;
/* A note on handlers of operators that the model does not have. */
int mx_model_note_handlers(mx2onnx_model *m) MX_MUST_USE;
void mx_model_free_customs(mx2onnx_model *m);

/* options.c: by MX2ONNX_OPTION_...; the defaults, and what other parts of the model hold of the options. */
struct mx_option {
    const char *name;
    int64_t least, most, standard;
};
extern const struct mx_option mx_options[MX_OPTIONS];
void mx_options_init(mx2onnx_model *m);
void mx_options_applied(mx2onnx_model *m);

/* choices.c */
void mx_node_names_free(struct mx_node_names *names);
/* Reads the names of variables, unless that was done already. */
int mx_model_need_variables(mx2onnx_model *m) MX_MUST_USE;
/* The entry that MXNet calls `name` ("fc1_output", "bn0_mean", a node or a variable) in the loaded graph. NOT_FOUND without a message. */
int mx_model_find_output(mx2onnx_model *m, const char *name, struct mx_entry *out) MX_MUST_USE;
/* The same with a message. */
int mx_model_need_output(mx2onnx_model *m, const char *name, struct mx_entry *out) MX_MUST_USE;
/* The choice for the variable `input`, created if necessary, to be changed and then given to mx_model_chose. NOT_FOUND if the graph has
 * no variable of that name, unless the caller only takes something back of a choice that exists. */
int mx_model_choice(mx2onnx_model *m, const char *input, bool back, struct mx_input_choice **out) MX_MUST_USE;
/* Returns MX_OK. */
int mx_model_chose(mx2onnx_model *m, struct mx_input_choice *choice) MX_MUST_USE;
/* With the names of the dims, or NULL for none; `ndim` -1 takes the shape back. After an error all is as it was. */
int mx_model_set_shape(mx2onnx_model *m, const char *input, int ndim, const int64_t *dims, const char *const *names) MX_MUST_USE;
int mx_model_set_dim_name(mx2onnx_model *m, const char *input, int axis, const char *name) MX_MUST_USE;
/* n values of an input for the choice's mean or scale. */
int mx_model_set_values(mx2onnx_model *m, const char *input, size_t n, const double *values, bool scale) MX_MUST_USE;
/* After it, a shape of as many dims without names, and as many values, are set without an error. */
int mx_model_need_room(mx2onnx_model *m, const char *input, int ndim, size_t n_values) MX_MUST_USE;
int mx_model_add_output(mx2onnx_model *m, const char *name) MX_MUST_USE;
/* Reports what was chosen before there was a symbol and names nothing in it. Once the graph is canonical. */
int mx_model_check_choices(mx2onnx_model *m) MX_MUST_USE;
/* Warns of arrays that were set for variables which the symbol does not have, and of parameter files with no array of the symbol's. */
int mx_model_check_params(mx2onnx_model *m) MX_MUST_USE;
int mx_model_rename(mx2onnx_model *m, const char *from, const char *to) MX_MUST_USE;
int mx_model_set_text(mx2onnx_model *m, int which, const char *text) MX_MUST_USE;
int mx_model_set_precision(mx2onnx_model *m, const char *name, int precision) MX_MUST_USE;
void mx_model_clear_outputs(mx2onnx_model *m);
/* An error where the library knows the operator of a handler that is never called. */
int mx_model_check_handlers(mx2onnx_model *m) MX_MUST_USE;

/* metadata.c */
/* NULL as the value removes the entry. */
int mx_model_set_metadata(mx2onnx_model *m, const char *key, const char *value) MX_MUST_USE;
/* NULL if there is no such entry. */
const char *mx_model_metadata(const mx2onnx_model *m, const char *key);
void mx_model_clear_metadata(mx2onnx_model *m);
/* 0 takes the version back. */
int mx_model_set_domain(mx2onnx_model *m, const char *name, int32_t version) MX_MUST_USE;

/* settings.c: what the files next to a model say. */
struct json_t;
int64_t mx_settings_crop(const struct json_t *root); /* 0: none */
/* At the end of a load. */
int mx_settings_apply(mx2onnx_model *m, const struct json_t *root) MX_MUST_USE;
/* A note on the outputs of a topic model. */
int mx_settings_note_topics(mx2onnx_model *m) MX_MUST_USE;

/* net.c */
int mx_model_catalogue(mx2onnx_model *m) MX_MUST_USE;
/* Takes over the source, even on an error. */
int mx_model_load_catalogue(mx2onnx_model *m, struct mx_source *source, const char *label) MX_MUST_USE;
/* The graph for the parameters; name NULL: the net that they fit. */
int mx_model_load_net(mx2onnx_model *m, const char *name) MX_MUST_USE;
/* Into `nets`. */
int mx_model_identify_net(mx2onnx_model *m) MX_MUST_USE;
void mx_model_forget_fits(mx2onnx_model *m);
/* After an error all is as it was. */
int mx_model_use_published_shapes(mx2onnx_model *m) MX_MUST_USE;
int mx_model_use_published_normalization(mx2onnx_model *m) MX_MUST_USE;
/* A line about a net of the catalogue, made once; NULL when memory runs out. */
const char *mx_model_net_text(mx2onnx_model *m, size_t i, bool json);

/* prepare.c: brings the graph to a stage under the present choices; existing results are reused. */
int mx_model_prepare(mx2onnx_model *m, enum mx_stage stage) MX_MUST_USE;
/* Reads `unresolved` of a graph that was prepared for a look. */
int mx_model_read_unresolved(mx2onnx_model *m) MX_MUST_USE;
/* Prepares the graph as far as possible without inference, for a look: without messages, since errors belong to the call that needs the
 * graph. False if there is none. */
bool mx_model_peek(mx2onnx_model *m);
/* True if its inputs and outputs are known, whatever came of inference. */
bool mx_model_is_canonical(const mx2onnx_model *m);
/* True if the messages of the preparation are among the diagnostics. */
bool mx_model_prepared(const mx2onnx_model *m);
/* True if it is one of `missing`. */
bool mx_model_is_missing(const mx2onnx_model *m, const struct mx_node *v);
/* The user mentioned an input. Results of a look at the model are kept. */
void mx_model_declared(mx2onnx_model *m, const char *input);
/* True if results of a look can be kept when a value is set for the variable; then, once it is set, mx_model_valued. */
bool mx_model_takes_value(mx2onnx_model *m, const char *variable);
void mx_model_valued(mx2onnx_model *m, const char *variable);

/* export.c */
int mx_model_export_file(mx2onnx_model *m, const char *path) MX_MUST_USE;
/* To a sink that cannot have a side file. */
int mx_model_export_sink(mx2onnx_model *m, struct mx_sink *sink) MX_MUST_USE;
/* After an export that failed nothing counts as written. Returns `status`. */
int mx_model_written(mx2onnx_model *m, int status) MX_MUST_USE;
/* The lowered graph as text or as JSON; it replaces what is there. */
int mx_model_onnx_text(mx2onnx_model *m, struct mx_str *out) MX_MUST_USE;
int mx_model_onnx_json(mx2onnx_model *m, struct mx_str *out) MX_MUST_USE;

/* graph_json.c: prepares the graph as far as it goes. Errors are dropped where there is a graph nevertheless: then this is a look. */
int mx_model_prepare_as_far_as_possible(mx2onnx_model *m, bool *inferred) MX_MUST_USE;
/* The MXNet graph, likewise. */
int mx_model_mxnet_json(mx2onnx_model *m, struct mx_str *out) MX_MUST_USE;

#define MX_VALUE_UNKNOWN ((struct mx_value){MX_SHAPE_UNKNOWN, MX_DTYPE_NONE})
/* The type and shape as far as they are known. */
static inline struct mx_value mx_model_value(struct mx_entry e)
{
    return e.node->out && e.index < e.node->n_out ? e.node->out[e.index] : MX_VALUE_UNKNOWN;
}

/* report.c: into `written`. */
int mx_model_report_json(mx2onnx_model *m) MX_MUST_USE;

#endif
