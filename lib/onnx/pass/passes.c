/* The passes in their order, and what holds after each. */
#include <string.h>

#include "base/budget.h"
#include "base/diag.h"
#include "base/str.h"
#include "onnx/pass/pass.h"

static const struct pass {
    const char *name;
    ox_pass *run;
    unsigned holds;
    bool weights; /* only if weights may be changed */
} passes[] = {
    {"finish", ox_finish, OX_COUNTED, false},
    {"inputs", ox_note_inputs, OX_COUNTED, false},
    {"layout", ox_choose_layouts, OX_COUNTED, false},
    {"split_products", ox_split_products, OX_COUNTED, true},
    {"transposes", ox_join_transposes, OX_COUNTED, false},
    {"concats", ox_join_concats, OX_COUNTED, false},
    {"fuse", ox_fuse, OX_COUNTED, false},
    {"slices", ox_join_slices, OX_COUNTED, false},
    {"merge_products", ox_merge_products, OX_COUNTED, true},
    {"batch_norm", ox_fold_batch_norms, OX_COUNTED, true},
    {"scale", ox_fold_scales, OX_COUNTED, true},
    {"signed_levels", ox_sign_levels, OX_COUNTED, false},
    {"tie", ox_tie_weights, OX_COUNTED, false},
    {"legalise", ox_legalise, OX_COUNTED, false},
    {"order", ox_order, OX_COUNTED | OX_ORDERED, false},
    {"names", ox_names, OX_COUNTED | OX_ORDERED | OX_NAMED, false},
};

/* Builds with assertions check the graph after each pass, other builds after the last one. */
static int check(const struct ox_model *m, const struct pass *p)
{
#ifdef NDEBUG
    return p == &passes[sizeof passes / sizeof passes[0] - 1] ? ox_check(m, p->holds) : MX_OK;
#else
    return ox_check(m, p->holds);
#endif
}

/* The graph's text, unless it is the last one. */
static int log_graph(struct ox_model *m, const char *name, struct mx_str *last)
{
    struct mx_str text = {.budget = m->arena.budget};
    ox_dump(m, &text);
    if (text.failed) {
        mx_str_free(&text);
        return MX_OUT_OF_MEMORY;
    }
    if (last->text && strcmp(last->text, text.text) == 0) {
        mx_log(m->diags, MX2ONNX_SEVERITY_DEBUG, "after %s: no change", name);
    } else {
        mx_log(m->diags, MX2ONNX_SEVERITY_DEBUG, "after %s:\n%s", name, text.text);
    }
    mx_str_free(last);
    *last = text;
    return MX_OK;
}

static int run_passes(struct ox_model *m, bool weights, bool trace, struct mx_str *last)
{
    MX_TRY(trace ? log_graph(m, "lower", last) : MX_OK);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        const struct pass *p = &passes[i];
        if (p->weights && !weights) {
            continue;
        }
        MX_TRY(mx_budget_ask(m->arena.budget));
        MX_TRY(p->run(m));
        MX_TRY(check(m, p));
        MX_TRY(trace ? log_graph(m, p->name, last) : MX_OK);
    }
    return MX_OK;
}

int ox_run_passes(struct ox_model *m, bool weights, bool trace)
{
    struct mx_str last = {.budget = m->arena.budget};
    const int status = run_passes(m, weights, trace, &last);
    mx_str_free(&last);
    return status;
}
