/* Which file of ops/ has which operators; the folder is the operator's group. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include <stddef.h>

struct cli_place {
    const char *source;    /* "nn/pooling.c" */
    const char *operators; /* separated by blanks */
};
/* Sorted; made by tests/api/places.py. */
extern const struct cli_place cli_places[];
extern const size_t cli_n_places;

#endif
