/* From the graph to a plan of the file: everything small is encoded and every size is known, but nothing is written yet. */
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/map.h"
#include "base/num.h"
#include "onnx/tensor/bytes.h"
#include "onnx/write/onnx.pb.h"
#include "onnx/write/plan_internal.h"

enum {
    PAGE = 4096,
    SMALL_ALIGN = 64,      /* of a tensor smaller than a page in the side file */
    SHAPE_BYTES = 1 << 20, /* an int64 vector up to this size may be a shape */
    SCALES_BYTES = 64,     /* any vector up to this size may be a Resize's scales, a bound, a count */
    SLACK = 1 << 20,       /* below protobuf's limit, for tools that add to the model */
};
#define MESSAGE_LIMIT ((uint64_t)INT32_MAX - SLACK) /* limit: bytes of a model in one file; a larger one gets a side file */

static bool is_initialiser(const struct ox_value *v)
{
    return v->tensor && !v->dead;
}

/* Runtimes and the checker read these before external data is loaded: Reshape targets, axes, pads, scales. */
static bool may_be_read_early(const struct ox_tensor *t)
{
    const uint64_t bytes = ox_tensor_bytes(t);
    return t->ndim <= 1 && (bytes <= SCALES_BYTES || (t->dtype == MX_INT64 && bytes <= SHAPE_BYTES));
}

static bool is_external(const struct ox_plan *p, const struct ox_tensor *t)
{
    const uint64_t bytes = ox_tensor_bytes(t);
    return bytes > 0 && bytes >= p->options.threshold && !may_be_read_early(t);
}

/* ---- structure */

static bool encode_values(struct ox_plan *p, struct ox_encoder *e, pb_ostream_t *s)
{
    const struct ox_graph *g = &p->model->main;
    bool ok = ox_encode_values(e, s, onnx_GraphProto_input_tag, g->inputs, g->n_inputs);
    for (ox_val i = 1; i < p->model->n_values && p->options.initializers_as_inputs && ok; i++) {
        const struct ox_value *v = &p->model->values[i];
        ok = !is_initialiser(v) || !v->is_param || ox_encode_values(e, s, onnx_GraphProto_input_tag, &i, 1);
    }
    return ok && ox_encode_values(e, s, onnx_GraphProto_output_tag, g->outputs, g->n_outputs) && ox_encode_value_infos(e, s, g);
}

static int encode_structure(struct ox_plan *p)
{
    struct ox_encoder e = {.model = p->model};
    pb_ostream_t nodes = ox_stream(&p->nodes), values = ox_stream(&p->values);
    const bool ok = ox_encode_nodes(&e, &nodes, &p->model->main) && ox_encode_text(&nodes, onnx_GraphProto_name_tag, "model")
                    && encode_values(p, &e, &values);
    mx_str_free(&e.type);
    MX_TRY_ALLOC(ok);
    return MX_OK;
}

/* ---- weights */

/* The size of all initialisers in the message if everything is inline; UINT64_MAX if it is larger. */
static int inline_size(const struct ox_plan *p, uint64_t *out)
{
    *out = 0;
    for (int i = 1; i < p->model->n_values; i++) {
        const struct ox_value *v = &p->model->values[i];
        uint64_t size;
        MX_TRY(mx_tick(p->model->arena.budget, MX_TICK_VALUE));
        if (is_initialiser(v) && (!ox_tensor_field_size(v, NULL, &size) || !mx_add_u64(*out, size, out))) {
            *out = UINT64_MAX;
            return MX_OK;
        }
    }
    return MX_OK;
}

static int add_payload(struct ox_plan *p, struct ox_payloads *list, uint64_t at, ox_val value)
{
    MX_TRY(mx_grow(p->model->arena.budget, &list->items, list->count, &list->capacity, sizeof *list->items));
    list->items[list->count++] = (struct ox_payload){.at = at, .value = value};
    return MX_OK;
}

/* Tensors of a page or more begin at a page boundary, so that a runtime can map them. */
static int place_in_side_file(struct ox_plan *p, ox_val value, struct ox_place *place)
{
    const uint64_t bytes = ox_tensor_bytes(p->model->values[value].tensor);
    const uint64_t align = bytes >= PAGE ? PAGE : SMALL_ALIGN;
    if (bytes > UINT64_MAX / 2 || p->side_bytes > UINT64_MAX / 4) {
        return MX_TOO_LARGE;
    }
    place->location = p->options.location;
    place->offset = (p->side_bytes + align - 1) / align * align;
    p->side_bytes = place->offset + bytes;
    return add_payload(p, &p->in_side, place->offset, value);
}

/* ---- weights that stay in their file */

/* The range of a file that the pieces make up together. */
static bool is_range(const struct ox_tensor *t, struct mx_source **source, uint64_t *offset)
{
    uint64_t end = 0;
    for (int i = 0; i < t->n_pieces; i++) {
        const struct ox_piece *piece = &t->pieces[i];
        if (piece->kind != OX_PIECE_RANGE || ox_piece_converts(t, piece) || (i > 0 && (piece->source != *source || piece->offset != end))) {
            return false;
        }
        *source = piece->source;
        *offset = i == 0 ? piece->offset : *offset;
        end = piece->offset + piece->length;
    }
    return t->n_pieces > 0 && mx_source_path(*source);
}

static int name_file(struct ox_plan *p, struct mx_source *source)
{
    for (size_t i = p->n_files; i-- > 0;) {
        if (p->files[i].source == source) {
            return MX_OK;
        }
    }
    struct ox_named_file *files = mx_budget_array(p->model->arena.budget, p->files, p->n_files, p->n_files + 1, sizeof *files);
    MX_TRY_ALLOC(files);
    p->files = files;
    files[p->n_files] = (struct ox_named_file){.source = source};
    return mx_checksum(source, p->options.full_checksum, p->model->arena.budget, files[p->n_files++].checksum);
}

/* The place of a tensor's data outside the model. */
static int place_outside(struct ox_plan *p, ox_val value, struct ox_place *place)
{
    struct mx_source *source = NULL;
    if (p->options.external_mode >= MX2ONNX_EXTERNAL_IN_PLACE && is_range(p->model->values[value].tensor, &source, &place->offset)) {
        place->location = mx_path_base(mx_source_path(source));
        return name_file(p, source);
    }
    return place_in_side_file(p, value, place);
}

static int encode_initialisers(struct ox_plan *p, bool external)
{
    pb_ostream_t s = ox_stream(&p->initialisers);
    for (int i = 1; i < p->model->n_values; i++) {
        const struct ox_value *v = &p->model->values[i];
        if (!is_initialiser(v)) {
            continue;
        }
        struct ox_place place;
        MX_TRY(mx_tick(p->model->arena.budget, MX_TICK_NODE));
        const bool out = external && is_external(p, v->tensor);
        if (out) {
            MX_TRY(place_outside(p, i, &place));
        }
        MX_TRY_ALLOC(ox_encode_tensor(&s, v, out ? &place : NULL));
        if (!out && ox_tensor_bytes(v->tensor) > 0) {
            MX_TRY(add_payload(p, &p->in_model, p->initialisers.length, i));
        }
    }
    return MX_OK;
}

/* ---- the model around the graph */

struct domains {
    const struct mx_map *versions;
    struct mx_map seen;
    ox_domain_fn each;
    void *user;
};

static int domains_of(struct ox_model *m, struct ox_graph *g, void *user)
{
    struct domains *d = user;
    for (int i = 0; i < g->n_nodes; i++) {
        const char *domain = g->nodes[i]->foreign ? g->nodes[i]->foreign->domain : NULL;
        if (domain && !mx_map_get(&d->seen, domain)) {
            const struct mx_domain *found = mx_map_get(d->versions, domain);
            MX_TRY(mx_map_set(&d->seen, domain, d));
            MX_TRY(d->each(domain, found && found->version > 0 ? found->version : 1, d->user));
        }
    }
    return MX_OK;
}

int ox_each_domain(struct ox_model *m, const struct mx_map *domains, ox_domain_fn each, void *user)
{
    struct domains d = {.versions = domains, .seen.arena.budget = m->arena.budget, .each = each, .user = user};
    const int status = ox_each_graph(m, domains_of, &d);
    mx_map_free(&d.seen);
    return status;
}

static int encode_domain(const char *domain, int32_t version, void *user)
{
    return ox_encode_opset(user, onnx_ModelProto_opset_import_tag, domain, version) ? MX_OK : MX_OUT_OF_MEMORY;
}

/* The data that mx2onnx_check_external_data compares with the file `name`. */
static int encode_checksum(struct ox_plan *p, pb_ostream_t *s, const char *name, const char *checksum, struct mx_map *seen)
{
    char *key = mx_arena_printf(&p->model->arena, MX_CHECKSUM_KEY "%s", name);
    MX_TRY_ALLOC(key);
    if (mx_map_get(seen, key)) { /* a file may have been loaded twice */
        return MX_OK;
    }
    MX_TRY_ALLOC(ox_encode_pair(s, onnx_ModelProto_metadata_props_tag, key, checksum));
    return mx_map_set(seen, key, p);
}

static int encode_files(struct ox_plan *p, pb_ostream_t *s)
{
    struct mx_map seen = {.arena.budget = p->model->arena.budget};
    int status = MX_OK;
    for (size_t i = 0; i < p->n_files && status == MX_OK; i++) {
        status = encode_checksum(p, s, mx_path_base(mx_source_path(p->files[i].source)), p->files[i].checksum, &seen);
    }
    if (status == MX_OK && p->in_side.count > 0) {
        status = encode_checksum(p, s, p->options.location, p->side_checksum, &seen);
    }
    mx_map_free(&seen);
    return status;
}

static int encode_tail(struct ox_plan *p)
{
    pb_ostream_t s = ox_stream(&p->tail);
    mx_str_clear(&p->tail);
    MX_TRY_ALLOC(ox_encode_opset(&s, onnx_ModelProto_opset_import_tag, "", p->model->opset));
    MX_TRY(ox_each_domain(p->model, p->options.domains, encode_domain, &s));
    MX_TRY_ALLOC(ox_encode_pair(&s, onnx_ModelProto_metadata_props_tag, "source_framework", "Apache MXNet"));
    for (const struct ox_input_note *n = p->model->input_notes; n; n = n->next) {
        const char *key = mx_arena_printf(&p->model->arena, "input:%s", p->model->values[n->input].name);
        const char *text = mx_arena_printf(&p->model->arena, "normalised by the model: %s", n->text);
        MX_TRY_ALLOC(key && text && ox_encode_pair(&s, onnx_ModelProto_metadata_props_tag, key, text));
    }
    for (size_t i = 0; i < p->options.n_metadata; i++) {
        const struct mx_entry_text *entry = &p->options.metadata[i];
        MX_TRY_ALLOC(ox_encode_pair(&s, onnx_ModelProto_metadata_props_tag, entry->key, entry->value));
    }
    return encode_files(p, &s);
}

int ox_plan_seal(struct ox_plan *p, struct mx_source *side)
{
    MX_TRY(mx_checksum(side, p->options.full_checksum, p->model->arena.budget, p->side_checksum));
    return encode_tail(p);
}

static int encode_head(struct ox_plan *p, uint64_t graph_bytes)
{
    pb_ostream_t s = ox_stream(&p->head);
    const char *version = p->options.producer_version ? p->options.producer_version : "";
    const char *doc = p->options.doc_string ? p->options.doc_string : "Converted from an Apache MXNet model by libmx2onnx.";
    MX_TRY_ALLOC(ox_encode_int(&s, onnx_ModelProto_ir_version_tag, p->model->ir_version)
                 && ox_encode_text(&s, onnx_ModelProto_producer_name_tag, p->options.producer ? p->options.producer : "libmx2onnx")
                 && ox_encode_text(&s, onnx_ModelProto_producer_version_tag, version)
                 && ox_encode_text(&s, onnx_ModelProto_doc_string_tag, doc) && pb_encode_tag(&s, PB_WT_STRING, onnx_ModelProto_graph_tag)
                 && pb_encode_varint(&s, graph_bytes));
    return MX_OK;
}

/* Or part of them, if that alone is too large. */
static uint64_t payload_bytes(const struct ox_plan *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->in_model.count && sum <= MESSAGE_LIMIT; i++) {
        sum += ox_tensor_bytes(p->model->values[p->in_model.items[i].value].tensor);
    }
    return sum;
}

static int too_large(const struct ox_plan *p, struct mx_diags *diags)
{
    if (p->options.external_mode == MX2ONNX_EXTERNAL_NEVER) {
        return mx_fail(diags, MX_TOO_LARGE, MX_NOWHERE,
                       "the model is larger than 2 GiB" MX_HELP "allow external data (MX2ONNX_OPTION_EXTERNAL_DATA)");
    }
    if (!p->options.location) {
        return mx_fail(diags, MX_TOO_LARGE, MX_NOWHERE,
                       "the model is larger than 2 GiB, the limit for an export to memory" MX_HELP "export it to a file");
    }
    return mx_fail(diags, MX_TOO_LARGE, MX_NOWHERE,
                   "the model is larger than 2 GiB even without its weights" MX_HELP "lower MX2ONNX_OPTION_EXTERNAL_THRESHOLD");
}

static int make(struct ox_plan *p, struct mx_diags *diags)
{
    MX_TRY(encode_structure(p));
    MX_TRY(encode_tail(p));
    uint64_t weights;
    MX_TRY(inline_size(p, &weights));
    const uint64_t rest = p->nodes.length + p->values.length + p->tail.length + 4096; /* head, tags and lengths */
    const bool fits = weights <= MESSAGE_LIMIT && weights + rest <= MESSAGE_LIMIT;
    const bool can = p->options.location && p->options.external_mode != MX2ONNX_EXTERNAL_NEVER;
    const bool external = can && (p->options.external_mode >= MX2ONNX_EXTERNAL_ALWAYS || !fits);
    if (!fits && !external) {
        return too_large(p, diags);
    }
    const int status = encode_initialisers(p, external);
    if (status == MX_TOO_LARGE) {
        return mx_fail(diags, status, MX_NOWHERE, "the weights cannot be counted in 64 bits");
    }
    if (status == MX_IO) {
        return mx_fail(diags, status, MX_NOWHERE,
                       "a parameter file cannot be read: it was changed, shortened or removed" MX_HELP
                       "leave it unchanged until the export ends");
    }
    MX_TRY(status);
    mx_checksum_unknown(p->side_bytes, p->options.full_checksum, p->side_checksum);
    MX_TRY(encode_tail(p)); /* now with the files */
    const uint64_t graph = p->nodes.length + p->initialisers.length + p->values.length + payload_bytes(p);
    MX_TRY(encode_head(p, graph));
    p->model_bytes = p->head.length + graph + p->tail.length;
    return p->model_bytes > MESSAGE_LIMIT ? too_large(p, diags) : MX_OK;
}

int ox_plan_new(struct ox_plan **out, struct ox_model *m, const struct ox_write_options *options, struct mx_diags *diags)
{
    struct ox_plan *p = mx_calloc(1, sizeof *p);
    MX_TRY_ALLOC(p);
    p->model = m;
    p->options = *options;
    p->head.budget = p->nodes.budget = p->initialisers.budget = p->values.budget = p->tail.budget = m->arena.budget;
    const int status = make(p, diags);
    if (status != MX_OK) {
        ox_plan_free(p);
        return status;
    }
    *out = p;
    return MX_OK;
}

bool ox_plan_needs_side_file(const struct ox_plan *p)
{
    return p->in_side.count > 0;
}

struct mx_source *ox_plan_file(const struct ox_plan *p, size_t i)
{
    return i < p->n_files ? p->files[i].source : NULL;
}

uint64_t ox_plan_model_bytes(const struct ox_plan *p)
{
    return p->model_bytes;
}

uint64_t ox_plan_side_bytes(const struct ox_plan *p)
{
    return p->side_bytes;
}

void ox_plan_free(struct ox_plan *p)
{
    if (!p) {
        return;
    }
    struct mx_budget *budget = p->model->arena.budget;
    mx_str_free(&p->head);
    mx_str_free(&p->nodes);
    mx_str_free(&p->initialisers);
    mx_str_free(&p->values);
    mx_str_free(&p->tail);
    mx_budget_array_free(budget, p->in_model.items, p->in_model.capacity, sizeof *p->in_model.items);
    mx_budget_array_free(budget, p->in_side.items, p->in_side.capacity, sizeof *p->in_side.items);
    mx_budget_array_free(budget, p->files, p->n_files, sizeof *p->files);
    mx_free(p);
}
