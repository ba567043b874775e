/* Parameters from any bytes: lists, npy, npz. What is accepted must be readable. */
#include <string.h>

#include "../support/params.h"
#include "base/alloc.h"
#include "base/budget.h"
#include "fuzz.h"

static void read_all(const struct mx_params *p)
{
    unsigned char block[4096];
    for (size_t i = 0; i < p->count; i++) {
        const struct mx_param *param = p->items[i];
        uint64_t elements = param->length / mx_dtype_size(param->dtype);
        fuzz_expect(mx_params_find(p, param->name) == param);
        fuzz_expect(param->ndim >= 0 && param->ndim <= MX_MAX_RANK);
        for (int k = 0; k < param->ndim; k++) {
            fuzz_expect(param->dims[k] >= 0 && (param->dims[k] == 0 ? elements == 0 : elements % (uint64_t)param->dims[k] == 0));
        }
        for (uint64_t at = 0; at < param->length; at += sizeof block) {
            const uint64_t left = param->length - at;
            const size_t n = left < sizeof block ? (size_t)left : sizeof block;
            fuzz_expect(mx_source_read(param->source, param->offset + at, block, n) == MX_OK);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mx_arena arena = {0};
    struct mx_budget budget = {0};
    mx_budget_init(&budget);
    budget.limits[MX_LIMIT_EXPANSION] = 1 << 20;
    struct mx_diags diags = {.budget = &budget};
    struct mx_params params = {.arena = &arena, .diags = &diags};
    struct mx_source *source;
    if (mx_source_open_memory(&source, data, size, false) == MX_OK) {
        const int status = add_params(&params, source, "fuzz");
        fuzz_expect((status == MX_OK || diags.errors > 0 || budget.status == MX_TOO_LARGE) && status != MX_INTERNAL);
        fuzz_expect(status == MX_OK || params.count == 0);
        read_all(&params);
    }
    mx_params_free(&params);
    mx_diags_free(&diags);
    mx_arena_free(&arena);
    return 0;
}
