#ifndef MX_IN_PLACE_H
#define MX_IN_PLACE_H

#include "base/io_os.h"
#include "model/model.h"
#include "onnx/write/write.h"

struct mx_in_place {
    mx2onnx_model *model;
    struct mx_arena *arena;      /* the export's */
    struct mx_os_folder *folder; /* of the model; NULL: no link was made */
    const char **links;          /* made so far, their names in the folder */
    size_t n_links;
};

/* Makes sure that each file that the plan names is in the folder of the model at `path`, or links it there if that was chosen; an
 * existing name is never touched. INVALID_ARGUMENT, IO. */
int mx_in_place_settle(struct mx_in_place *p, const struct ox_plan *plan, const char *path) MX_MUST_USE;
/* Ends the export; if it `failed`, its links are removed. */
void mx_in_place_end(struct mx_in_place *p, bool failed);

#endif
