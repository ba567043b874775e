/* Reads a parameter file and keeps what it adds. */
#ifndef TEST_PARAMS_H
#define TEST_PARAMS_H

#include "read/params.h"

static inline int add_params(struct mx_params *p, struct mx_source *source, const char *label)
{
    struct mx_batch *added;
    MX_TRY(mx_params_add(p, source, label, &added));
    mx_params_end(added, false);
    return MX_OK;
}

#endif
