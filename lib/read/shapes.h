/* Reads the file next to a symbol that gives the shapes of its inputs. */
#ifndef MX_READ_SHAPES_H
#define MX_READ_SHAPES_H

#include "base/io.h"
#include "graph/graph.h"

/* SageMaker's model-shapes.json, [{"name": "data", "shape": [1, 3, 224, 224]}], or its hyperparams.json, {"image_shape": "300"}, and Model
 * Server's signature.json, {"inputs": [{"data_name": "data", "data_shape": [0, 3, 224, 224]}]}. Each shape becomes the hint (__shape__) of
 * a variable that has none. The first dim is the batch size in training and stays open. Unreadable content is reported in a note. */
int mx_shapes_read(struct mx_graph *g, struct mx_source *source, const char *label) MX_MUST_USE;

#endif
