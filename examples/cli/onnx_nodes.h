/* Reads the parts of an ONNX file that verify needs: nodes, names, attributes. Texts are views into the file's bytes. */
#ifndef CLI_ONNX_NODES_H
#define CLI_ONNX_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cli_span {
    const uint8_t *data;
    size_t size;
};

struct cli_node {
    struct cli_span message;
    struct cli_span op_type, domain;
};

struct cli_nodes {
    struct cli_node *items; /* in file order */
    size_t count;
    char why[200];    /* of a failure: what is wrong, and at which byte */
    const char *help; /* what to do; may be empty */
};

/* The nodes of the main graph; false if the bytes are not an ONNX model or memory runs out. The functions below need a list that was
 * read without a failure. */
bool cli_nodes_read(struct cli_nodes *nodes, struct cli_span file);
void cli_nodes_free(struct cli_nodes *nodes);
/* The next name of the inputs, or of the outputs, in what is left of the node's message; false past the last. */
bool cli_node_input(struct cli_span *rest, struct cli_span *name);
bool cli_node_output(struct cli_span *rest, struct cli_span *name);
/* "  attribute axis = 1", one per line, in file order. */
void cli_node_print_attributes(FILE *out, const struct cli_node *n);
/* `type` is a number of TensorProto.DataType. */
bool cli_node_is_cast_to(const struct cli_node *n, uint64_t type);
/* The file with additional graph outputs: a longer copy of its bytes, freed by the caller; NULL when memory runs out. */
uint8_t *cli_onnx_with_outputs(struct cli_span file, const char *const *names, size_t n, size_t *size);

#endif
