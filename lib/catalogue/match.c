/* Compares a graph of the catalogue with the arrays of a parameter file. */
#include <string.h>

#include "catalogue/catalogue.h"

/* ---- names */

/* "resnetv10_" of "resnetv10_conv0_weight" if all names begin with it. */
static const char *shared_prefix(struct mx_arena *arena, const struct mx_params *p)
{
    const char *first = p->count > 0 ? p->items[0]->name : "";
    const char *end = strchr(first, '_');
    const size_t length = end ? (size_t)(end - first) + 1 : 0;
    for (size_t i = 0; i < p->count; i++) {
        if (length == 0 || strncmp(p->items[i]->name, first, length) != 0) {
            return "";
        }
    }
    return mx_arena_strndup(arena, first, length);
}

int mx_matcher_init(struct mx_matcher *m, const struct mx_catalogue *c, const struct mx_params *params, struct mx_arena *arena)
{
    *m = (struct mx_matcher){.c = c, .params = params, .arena = arena, .prefix = shared_prefix(arena, params)};
    MX_TRY_ALLOC(m->prefix);
    for (size_t i = 0; i < params->count; i++) {
        params->items[i]->mark = 0;
    }
    return MX_OK;
}

static bool structure_name(const struct mx_matcher *m, const struct mx_walk *w, char out[MX_NAME_MAX])
{
    for (uint32_t i = 0; i < w->n_structures; i++) {
        if (mx_net_name_text(m->c, &w->structures[i], 0, out) && mx_params_find(m->params, out)) {
            return true;
        }
    }
    (void)mx_net_name_text(m->c, &w->structures[0], 0, out);
    return false;
}

bool mx_matcher_name(const struct mx_matcher *m, const struct mx_walk *w, enum mx_naming naming, char out[MX_NAME_MAX])
{
    if (naming == MX_NAMING_STRUCTURE) {
        return structure_name(m, w, out);
    }
    if (naming == MX_NAMING_FULL) {
        return mx_net_name_text(m->c, &w->name, 0, out) && mx_params_find(m->params, out);
    }
    char rest[MX_NAME_MAX];
    const size_t length = strlen(m->prefix);
    if (!mx_net_name_text(m->c, &w->name, w->prefix, rest) || length + strlen(rest) >= MX_NAME_MAX) {
        out[0] = 0;
        return false;
    }
    memcpy(out, m->prefix, length);
    memcpy(out + length, rest, strlen(rest) + 1);
    return mx_params_find(m->params, out);
}

/* The naming scheme under which the file has one of the graph's first parameters. */
static enum mx_naming find_naming(const struct mx_matcher *m, const struct mx_walk *begin)
{
    enum { LOOKS = 4 };
    char name[MX_NAME_MAX];
    struct mx_walk w = *begin;
    int looks = 0;
    for (enum mx_walk_kind kind; looks < LOOKS && (kind = mx_walk_next(&w)) != MX_WALK_END;) {
        if (kind != MX_WALK_PARAM) {
            continue;
        }
        looks++;
        for (int naming = 0; naming < MX_NAMINGS; naming++) {
            if (mx_matcher_name(m, &w, (enum mx_naming)naming, name)) {
                return (enum mx_naming)naming;
            }
        }
    }
    return MX_NAMING_STRUCTURE;
}

/* ---- shapes */

/* A size that is not known yet is taken from the dim. */
static bool dim_fits(const struct mx_number *n, int64_t dim, struct mx_sizes *sizes)
{
    int64_t value;
    if (n->a != 0 && n->size < MX_SIZES && sizes->of[n->size] == 0 && dim <= INT32_MAX) {
        const int64_t rest = dim * n->k - n->b;
        sizes->of[n->size] = rest % n->a == 0 && rest / n->a > 0 ? rest / n->a : 0;
    }
    return mx_number_value(n, sizes, &value) && value == dim;
}

static bool shape_fits(const struct mx_net_shape *shape, const struct mx_param *p, struct mx_sizes *sizes)
{
    struct mx_sizes tried = *sizes;
    if ((int)shape->rank != p->ndim) {
        return false;
    }
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (!dim_fits(&shape->dims[i], p->dims[i], &tried)) {
            return false;
        }
    }
    *sizes = tried;
    return true;
}

/* "(7, 512, ?)" */
static const char *shape_text(struct mx_arena *arena, const struct mx_net_shape *shape, const struct mx_sizes *sizes)
{
    const char *text = "(";
    for (uint32_t i = 0; i < shape->rank && text; i++) {
        int64_t dim;
        const char *comma = i > 0 ? ", " : "";
        text = mx_number_value(&shape->dims[i], sizes, &dim) ? mx_arena_printf(arena, "%s%s%lld", text, comma, (long long)dim)
                                                             : mx_arena_printf(arena, "%s%s?", text, comma);
    }
    return text ? mx_arena_printf(arena, "%s)", text) : NULL;
}

/* ---- a graph */

static int first_name(const struct mx_matcher *m, const char **first, const char *name)
{
    if (!*first && !m->quick) {
        *first = mx_arena_strdup(m->arena, name);
        MX_TRY_ALLOC(*first);
    }
    return MX_OK;
}

static int match_shape(const struct mx_matcher *m, const struct mx_walk *w, const struct mx_param *p, struct mx_fit *fit)
{
    if (shape_fits(w->shape, p, &fit->sizes)) {
        fit->found++;
        return MX_OK;
    }
    if (!fit->first_misshapen && !m->quick) {
        fit->expected = shape_text(m->arena, w->shape, &fit->sizes);
        MX_TRY_ALLOC(fit->expected);
    }
    fit->misshapen++;
    return first_name(m, &fit->first_misshapen, p->name);
}

static int match_param(struct mx_matcher *m, const struct mx_walk *w, struct mx_fit *fit, size_t *marked, bool optional)
{
    char name[MX_NAME_MAX];
    if (!mx_matcher_name(m, w, fit->naming, name)) {
        fit->missing += !optional;
        return optional ? MX_OK : first_name(m, &fit->first_missing, name);
    }
    MX_TRY(match_shape(m, w, mx_params_find(m->params, name), fit));
    const uint32_t names = fit->naming == MX_NAMING_STRUCTURE ? w->n_structures : 1;
    for (uint32_t i = 0; i < names; i++) {
        if (fit->naming == MX_NAMING_STRUCTURE) {
            (void)!mx_net_name_text(m->c, &w->structures[i], 0, name);
        }
        struct mx_param *p = mx_params_find(m->params, name);
        *marked += p && p->mark != m->mark;
        if (p) {
            p->mark = m->mark;
        }
    }
    return MX_OK;
}

static int find_extra(const struct mx_matcher *m, struct mx_fit *fit, size_t marked)
{
    fit->extra = m->params->count - marked;
    for (size_t i = 0; i < m->params->count && !m->quick; i++) {
        if (m->params->items[i]->mark != m->mark) {
            return first_name(m, &fit->first_extra, m->params->items[i]->name);
        }
    }
    return MX_OK;
}

int mx_match(struct mx_matcher *m, size_t graph, struct mx_fit *out)
{
    struct mx_walk w;
    size_t marked = 0;
    *out = (struct mx_fit){.sizes = m->wanted};
    if (!mx_walk_begin(&w, m->c, graph)) {
        return MX_FORMAT;
    }
    out->naming = find_naming(m, &w);
    m->mark++;
    for (enum mx_walk_kind kind; (kind = mx_walk_next(&w)) != MX_WALK_END;) {
        if (kind == MX_WALK_PARAM || kind == MX_WALK_EXTRA) {
            MX_TRY(match_param(m, &w, out, &marked, kind == MX_WALK_EXTRA));
        }
        if (m->quick && out->missing + out->misshapen > 0) {
            return MX_OK;
        }
    }
    return w.in.failed ? MX_FORMAT : find_extra(m, out, marked);
}
