/* Encodes the small messages of a model with nanopb: nodes, value infos, headers of tensors. For plan.c. */
#ifndef OX_ENCODE_H
#define OX_ENCODE_H

#include <pb_encode.h>

#include "base/str.h"
#include "onnx/ir/ir.h"

pb_ostream_t ox_stream(struct mx_str *to); /* appends */

struct ox_encoder {
    const struct ox_model *model;
    struct mx_str type; /* the last TypeProto, of these; empty: none */
    enum mx_dtype type_dtype;
    struct mx_shape type_shape;
};

/* Each writes fields `tag` of a message; false when memory runs out or the call must end. */
bool ox_encode_int(pb_ostream_t *s, uint32_t tag, int64_t v);
bool ox_encode_text(pb_ostream_t *s, uint32_t tag, const char *text);
bool ox_encode_pair(pb_ostream_t *s, uint32_t tag, const char *key, const char *value);
bool ox_encode_opset(pb_ostream_t *s, uint32_t tag, const char *domain, int64_t version);
bool ox_encode_values(struct ox_encoder *e, pb_ostream_t *s, uint32_t tag, const ox_val *v, int n);
bool ox_encode_nodes(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g);
/* value_info of every value that a node of g produces, except outputs of g, if its type is known. */
bool ox_encode_value_infos(struct ox_encoder *e, pb_ostream_t *s, const struct ox_graph *g);

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
