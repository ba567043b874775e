/* The plan of a file: the encoded parts, and where the weights go between them. For plan.c and write.c. */
#ifndef OX_PLAN_INTERNAL_H
#define OX_PLAN_INTERNAL_H

#include "base/checksum.h"
#include "onnx/write/encode.h"
#include "onnx/write/write.h"

/* A tensor's data in the model file, after `at` bytes of the encoded initialisers; or in the side file at `at`. */
struct ox_payload {
    uint64_t at;
    ox_val value;
};

struct ox_payloads {
    struct ox_payload *items;
    size_t count, capacity;
};

/* A file that the model names, and a checksum that shows whether it changed. */
struct ox_named_file {
    struct mx_source *source;
    char checksum[MX_CHECKSUM_TEXT];
};

/* The file: head (with the graph's tag and length), nodes, initialisers with their payloads, values, tail. */
struct ox_plan {
    struct ox_model *model;
    struct ox_write_options options;
    struct mx_str head, nodes, initialisers, values, tail;
    struct ox_payloads in_model, in_side;
    struct ox_named_file *files;
    size_t n_files;
    char side_checksum[MX_CHECKSUM_TEXT];
    uint64_t model_bytes, side_bytes;
};

/* Encodes the end of the model once more, of the same length, with the checksum of the side file that was written. */
int ox_plan_seal(struct ox_plan *p, struct mx_source *side) MX_MUST_USE;

#endif
