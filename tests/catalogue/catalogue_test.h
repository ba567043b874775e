/* What the tests of the catalogue share. */
#ifndef CATALOGUE_TEST_H
#define CATALOGUE_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "catalogue/catalogue.h"

static inline void fail(const char *what, const char *name)
{
    printf("not ok: %s: %s\n", name, what);
    exit(1);
}

/* The catalogue in the library. */
static inline void open_catalogue(struct mx_catalogue *c, struct mx_diags *diags)
{
    *c = (struct mx_catalogue){.diags = diags};
    if (mx_catalogue_open(c) != MX_OK) {
        fail(mx_diags_first_error(diags), "the catalogue");
    }
}

#endif
