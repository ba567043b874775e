/* What the first layer of a net says of the shape of the net's input, for help in messages. */
#ifndef MX_OP_GUESS_H
#define MX_OP_GUESS_H

#include "base/str.h"
#include "graph/graph.h"

enum { MX_GUESSED = 5 };

struct mx_guess {
    int n;
    struct mx_guessed {
        int64_t size;
        const char *word; /* in place of a size that the layer leaves open: "HEIGHT" */
    } dims[MX_GUESSED];
};

/* True for a convolution, a product with a matrix or a look-up in a table, with a parameter as its weight. */
bool mx_is_layer(const struct mx_node *n);
/* The input of the model that the layer reads, through nodes of one data input, and the shape that it should have: a batch of 1. NULL if
 * there is none, or if nothing is known of it. */
const struct mx_node *mx_guess_input(const struct mx_node *layer, struct mx_guess *out);
/* "1x3xHEIGHTxWIDTH" */
void mx_guess_format(const struct mx_guess *g, struct mx_str *out);

#endif
