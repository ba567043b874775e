#ifndef MX_IN_PLACE_H
#define MX_IN_PLACE_H

#include "model.h"
#include "onnx/write/write.h"

struct mx_in_place {
    mx2onnx_model *model;
    struct mx_arena *arena; /* the export's */
    const char **links;     /* made so far */
    size_t n_links;
};

/* Makes sure that each file that the plan names is in the folder of the model at `path`, or links it there if that was chosen; an
 * existing name is never touched. INVALID_ARGUMENT, IO; mx_in_place_undo then. */
int mx_in_place_settle(struct mx_in_place *p, const struct ox_plan *plan, const char *path) MX_MUST_USE;
/* Removes the links of an export that failed. */
void mx_in_place_undo(struct mx_in_place *p);

#endif
