/* What is known of the operators beyond the library's registry: their files, and what the tests found. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include <stddef.h>

struct cli_place {
    const char *source;    /* "nn/pooling.c"; the folder is the operators' group */
    const char *operators; /* separated by blanks */
};
extern const struct cli_place cli_places[];
extern const size_t cli_n_places;

struct cli_tested {
    const char *name;  /* of the registry */
    const char *types; /* of the first input in the cases recorded from MXNet, separated by blanks */
    const char *onnx;  /* the ONNX operators that these cases become, the most frequent first */
};
extern const struct cli_tested cli_tested[];
extern const size_t cli_n_tested;
/* Both sorted; made by tests/api/places.py. */

#endif
