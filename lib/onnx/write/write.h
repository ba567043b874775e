/* Writes a ModelProto through nanopb to a sink. The structure is encoded once into memory; weights are copied from their source. Sizes
 * are known before the first byte is written, so the 2 GiB decision is made in advance. */
#ifndef OX_WRITE_H
#define OX_WRITE_H

#include "base/diag.h"
#include "base/io.h"
#include "base/map.h"
#include "onnx/ir/ir.h"

/* The version with which a domain other than ONNX's own is imported; 0: as if none was given. */
struct mx_domain {
    const char *name;
    int32_t version;
};

/* An entry of metadata_props. */
struct mx_entry_text {
    char *key, *value;
};

struct ox_write_options {
    int external_mode;    /* MX2ONNX_EXTERNAL_* */
    uint64_t threshold;   /* bytes */
    const char *location; /* base name of the side file; NULL: no side file is possible */
    bool full_checksum;   /* for the parameter files that the model names */
    bool initializers_as_inputs;
    const char *producer, *doc_string; /* NULL: the library's */
    const char *producer_version;
    const struct mx_map *domains;         /* name -> struct mx_domain; 1 where there is none */
    const struct mx_entry_text *metadata; /* written after the library's own entries */
    size_t n_metadata;
    mx_progress_fn progress;
    void *progress_user;
};

/* json.c: the graph as JSON, as lib/schema/graph.json describes it. `domains` as in ox_write_options. OUT_OF_MEMORY, or the status that
 * ends the call. */
int ox_json(struct ox_model *m, const struct mx_map *domains, bool initializers_as_inputs, struct mx_str *out) MX_MUST_USE;

/* Calls `each` for every domain that a node has, besides ONNX's own, once, with the version that the model imports. */
typedef int (*ox_domain_fn)(const char *domain, int32_t version, void *user);
int ox_each_domain(struct ox_model *m, const struct mx_map *domains, ox_domain_fn each, void *user) MX_MUST_USE;

struct ox_plan; /* encoded structure and the list of segments */

/* Encodes the structure and decides where weights go. TOO_LARGE if the message would exceed 2 GiB and no side file is allowed. */
int ox_plan_new(struct ox_plan **out, struct ox_model *m, const struct ox_write_options *options, struct mx_diags *diags) MX_MUST_USE;
bool ox_plan_needs_side_file(const struct ox_plan *p);
uint64_t ox_plan_model_bytes(const struct ox_plan *p);
uint64_t ox_plan_side_bytes(const struct ox_plan *p);
/* The parameter files that the model names (MX2ONNX_EXTERNAL_IN_PLACE), by the last part of their paths: the caller must check whether
 * they are, or can be, there. NULL past the end. */
struct mx_source *ox_plan_file(const struct ox_plan *p, size_t i);
/* Writes the model, and the side file if one is needed (`side` may be NULL otherwise). */
int ox_plan_write(struct ox_plan *p, struct mx_sink *model, struct mx_sink *side, struct mx_diags *diags) MX_MUST_USE;
void ox_plan_free(struct ox_plan *p);

#endif
