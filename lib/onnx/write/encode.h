/* Encodes the small messages of a model through nanopb into memory: nodes, value infos, headers of tensors. For plan.c. */
#ifndef OX_ENCODE_H
#define OX_ENCODE_H

#include <pb_encode.h>

#include "base/str.h"
#include "onnx/ir/ir.h"

/* Encoded bytes, in chunks that never move. A zeroed struct is empty. */
struct ox_chunk {
    struct ox_chunk *next;
    size_t used;
    uint8_t bytes[32 << 10];
};
struct ox_bytes {
    struct ox_chunk *first, *last;
    uint64_t size;
    struct mx_budget *budget; /* charged for the memory; NULL: none */
    bool failed;              /* memory ran out */
};
void ox_bytes_free(struct ox_bytes *b);
pb_ostream_t ox_bytes_stream(struct ox_bytes *b); /* appends */

/* State shared by nanopb's callbacks. */
struct ox_encoder {
    const struct ox_model *model;
    struct mx_str text; /* dim texts of the current value */
    struct mx_str type; /* a TypeProto with these, unless it is empty */
    enum mx_dtype type_dtype;
    struct mx_shape type_shape;
    int depth;   /* nesting depth of bodies */
    bool failed; /* memory ran out */
};

/* Each writes one field `tag` of a message; false when memory runs out or bodies are nested too deeply. */
bool ox_encode_nodes(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g);
bool ox_encode_value(struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, ox_val v);
/* value_info of every value that a node of g produces, except outputs of g, if its type is known. */
bool ox_encode_value_infos(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g);
bool ox_encode_text(pb_ostream_t *s, uint32_t tag, const char *text);
bool ox_encode_opset(pb_ostream_t *s, uint32_t tag, const char *domain, int64_t version);
bool ox_encode_pair(pb_ostream_t *s, uint32_t tag, const char *key, const char *value);

/* The place of an initialiser's bytes outside the message. */
struct ox_place {
    const char *location;
    uint64_t offset;
};
/* The size of the initialiser's field in a graph, including tag and payload. */
bool ox_tensor_field_size(const struct ox_value *v, const struct ox_place *place, uint64_t *size);
/* The field up to the payload; the whole field if there is a place outside. */
bool ox_encode_tensor(pb_ostream_t *s, const struct ox_value *v, const struct ox_place *place);

#endif
