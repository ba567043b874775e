/* Structural names. Gluon's save_parameters writes "features.0.weight" where the symbol says "net_dense0_weight" (python/mxnet/gluon/
 * block.py), and nothing in the files maps one to the other. What both have is the kind of a parameter ("weight"), the layer that it
 * belongs to (what comes before the kind), its shape, and an order: the file's is that of registration, the graph's that of use, and
 * Gluon's own names are numbered in the order of creation. Layers are matched, not single arrays. An array of a kind that the graph does
 * not have may be a constant, which has another name as an attribute of its block ("0.offsets" for "net_offset_0"): it is a layer itself.
 *
 * A word that only one layer of each has at the end of its name ("query" in "cell.query" and "net0_query") says that they are the same.
 * If the file has the others in the order of use, with the same kinds and shapes, that is the answer, unless numbers in the names
 * contradict it. Otherwise a layer is matched if only one fits; several alike are matched in the order of their numbers. All else is
 * ambiguous, and refused. If the file has more arrays than the graph has variables, the copies of shared ones are left out (copies.c). */
#include <string.h>

#include "base/budget.h"
#include "base/num.h"
#include "base/str.h"
#include "pass/pass.h"
#include "read/symbol.h"

/* Rounds of inference between matches, layers that may be matched out of order, and underscores of a name that are looked at. */
enum { MOST_ROUNDS = 8, MOST_LAYERS = 2048, MOST_PARTS = 16 };

struct member {
    struct mx_node *v;       /* of the graph; NULL: of the file */
    const char *name, *kind; /* no kind: a constant */
    struct member *next;
};

struct layer {
    const char *name; /* the members' common beginning */
    struct member *members, **end;
    size_t n;
    const struct layer *match;
};

struct layers {
    struct layer **items;
    size_t count;
    struct mx_map by_name;
};

struct matcher {
    struct mx_graph *graph;
    struct mx_params *params;
    const struct mx_map *choices;
    struct mx_arena *arena;
    struct mx_map kinds;         /* of the file: &wanted if the graph has it, otherwise &found */
    struct mx_map copies;        /* arrays of the file that are not matched */
    struct layers wanted, found; /* in the graph, in the order of use; in the file, in its order */
};

static int tick(const struct matcher *m, uint64_t work)
{
    return mx_tick(m->arena->budget, work);
}

/* ---- the layers of both */

static int add_member(struct matcher *m, struct layers *to, const char *layer, const struct member *what)
{
    struct layer *l = mx_map_get(&to->by_name, layer);
    struct member *member = mx_arena_copy(m->arena, what, 1, sizeof *what);
    MX_TRY_ALLOC(member);
    if (!l) {
        l = MX_ARENA_NEW(m->arena, struct layer);
        MX_TRY_ALLOC(l);
        l->name = layer;
        l->end = &l->members;
        MX_TRY(mx_map_set(&to->by_name, layer, l));
        to->items[to->count++] = l;
    }
    *l->end = member;
    l->end = &member->next;
    l->n++;
    return MX_OK;
}

static const char *last_part(const char *name, char separator)
{
    const char *end = strrchr(name, separator);
    return end ? end + 1 : name;
}

static int list_kinds(struct matcher *m, const struct mx_map *variables)
{
    for (size_t i = 0; i < m->params->count; i++) {
        const char *name = m->params->items[i]->name;
        MX_TRY(tick(m, MX_TICK_NODE + strlen(name)));
        MX_TRY(mx_map_get(variables, name) ? MX_OK : mx_map_set(&m->kinds, last_part(name, '.'), &m->found));
    }
    return MX_OK;
}

/* "features.0" and "weight" in "features.0.weight". */
static int list_arrays(struct matcher *m, const struct mx_map *variables)
{
    m->found.items = MX_ARENA_ARRAY(m->arena, struct layer *, m->params->count);
    MX_TRY_ALLOC(m->found.items);
    for (size_t i = 0; i < m->params->count; i++) {
        const char *name = m->params->items[i]->name, *kind = last_part(name, '.');
        MX_TRY(tick(m, MX_TICK_NODE + strlen(name)));
        if (mx_map_get(variables, name) || mx_map_get(&m->copies, name)) {
            continue;
        }
        const bool constant = mx_map_get(&m->kinds, kind) == &m->found;
        const size_t length = constant ? strlen(name) : kind > name ? (size_t)(kind - name - 1) : 0;
        const char *layer = mx_arena_strndup(m->arena, name, length);
        MX_TRY_ALLOC(layer);
        MX_TRY(add_member(m, &m->found, layer, &(struct member){.name = name, .kind = constant ? NULL : kind}));
    }
    return MX_OK;
}

/* The longest end of the name, after an underscore, that is a kind in the file; NULL if there is none. */
static const char *kind_of(const struct matcher *m, const char *name)
{
    const char *kind = NULL;
    const char *part = name + strlen(name);
    for (int parts = 0; part > name && parts < MOST_PARTS; parts++) {
        do {
            part--;
        } while (part > name && part[-1] != '_');
        kind = mx_map_get(&m->kinds, part) ? part : kind;
    }
    return kind;
}

static int list_variables(struct matcher *m)
{
    m->wanted.items = MX_ARENA_ARRAY(m->arena, struct layer *, (size_t)m->graph->n_nodes);
    MX_TRY_ALLOC(m->wanted.items);
    for (int i = 0; i < m->graph->n_nodes; i++) {
        struct mx_node *v = m->graph->nodes[i];
        MX_TRY(tick(m, MX_TICK_NODE));
        if (!mx_is_variable(v) || v->param || mx_input_is_chosen(m->choices, v)) {
            continue;
        }
        MX_TRY(tick(m, MOST_PARTS * (uint64_t)strlen(v->name)));
        const char *kind = kind_of(m, v->name);
        MX_TRY(kind ? mx_map_set(&m->kinds, kind, &m->wanted) : MX_OK);
        if (kind || mx_variable_is_parameter(v)) {
            const size_t length = kind ? (size_t)(kind - v->name) : strlen(v->name) + 1;
            const char *layer = mx_arena_strndup(m->arena, v->name, length > 0 ? length - 1 : 0);
            MX_TRY_ALLOC(layer);
            MX_TRY(add_member(m, &m->wanted, layer, &(struct member){.v = v, .name = v->name, .kind = kind}));
        }
    }
    return MX_OK;
}

static size_t count_members(const struct layers *layers)
{
    size_t count = 0;
    for (size_t i = 0; i < layers->count; i++) {
        count += layers->items[i]->n;
    }
    return count;
}

static int leave_out_copies(struct matcher *m, const struct mx_map *variables)
{
    const size_t wanted = count_members(&m->wanted), found = count_members(&m->found);
    if (wanted == 0 || wanted >= found) {
        return MX_OK;
    }
    MX_TRY(mx_params_find_copies(m->params, found - wanted, m->arena, &m->copies));
    mx_map_free(&m->found.by_name);
    m->found = (struct layers){.by_name.arena.budget = m->arena->budget};
    return list_arrays(m, variables);
}

static int list_layers(struct matcher *m)
{
    struct mx_map variables = {.arena.budget = m->arena->budget};
    int status = MX_OK;
    for (int i = 0; status == MX_OK && i < m->graph->n_nodes; i++) {
        if (mx_is_variable(m->graph->nodes[i])) {
            status = mx_map_set(&variables, m->graph->nodes[i]->name, m->graph->nodes[i]);
        }
    }
    status = status == MX_OK ? list_kinds(m, &variables) : status;
    status = status == MX_OK ? list_variables(m) : status;
    status = status == MX_OK ? list_arrays(m, &variables) : status;
    status = status == MX_OK ? leave_out_copies(m, &variables) : status;
    mx_map_free(&variables);
    return status;
}

/* ---- whether two fit */

/* The array of this kind in a layer of the file; without a kind the only one. */
static const struct mx_param *array_of(const struct matcher *m, const struct layer *found, const char *kind)
{
    if (!kind) {
        return found->n == 1 ? mx_params_find(m->params, found->members->name) : NULL;
    }
    const struct mx_arena_mark mark = mx_arena_mark(m->arena);
    const char *name = *found->name ? mx_arena_printf(m->arena, "%s.%s", found->name, kind) : kind;
    const struct mx_param *p = name ? mx_params_find(m->params, name) : NULL;
    mx_arena_rewind(m->arena, mark);
    return p;
}

static bool shape_fits(const struct matcher *m, const struct mx_node *v, const struct mx_param *p)
{
    const struct mx_shape s = v->out[0].shape;
    bool fits = s.ndim < 0 || s.ndim == p->ndim;
    for (int i = 0; fits && i < s.ndim; i++) {
        int64_t size;
        fits = !mx_dim_known(m->graph->dims, s.dims[i], &size) || size == p->dims[i];
    }
    return fits;
}

static bool layer_fits(const struct matcher *m, const struct layer *wanted, const struct layer *found)
{
    bool fits = wanted->n == found->n;
    for (const struct member *w = wanted->members; fits && w; w = w->next) {
        const struct mx_param *p = tick(m, MX_TICK_VALUE) == MX_OK ? array_of(m, found, w->kind) : NULL;
        fits = p && shape_fits(m, w->v, p);
    }
    return fits;
}

/* True if two layers of the file have the same kinds and shapes. */
static bool are_alike(const struct matcher *m, const struct layer *a, const struct layer *b)
{
    bool alike = a->n == b->n;
    for (const struct member *w = a->members; alike && w; w = w->next) {
        const struct mx_param *p = mx_params_find(m->params, w->name);
        const struct mx_param *q = tick(m, MX_TICK_VALUE) == MX_OK ? array_of(m, b, w->kind) : NULL;
        alike = q && p->ndim == q->ndim;
        for (int i = 0; alike && i < p->ndim; i++) {
            alike = p->dims[i] == q->dims[i];
        }
    }
    return alike;
}

/* ---- what numbers in names say about the order */

/* A number of digits without leading zeros: the longer one is larger. */
static int compare_numbers(const char *a, const char *b)
{
    a += strspn(a, "0");
    b += strspn(b, "0");
    const size_t n = strspn(a, "0123456789"), k = strspn(b, "0123456789");
    const int by_text = n == k ? strncmp(a, b, n) : 0;
    return n != k ? (n < k ? -1 : 1) : by_text < 0 ? -1 : by_text > 0;
}

/* True if a text with a number after it begins here: "batchnorm0". */
static bool is_numbered(const char *text)
{
    text += strcspn(text, "_0123456789");
    return mx_is_digit(*text);
}

/* Of two layers of the graph: -1 or 1 if their names differ first in a number, 0 if they do not. *unsure: nor in words that Gluon made,
 * with a number after each. */
static int compare_names(const char *a, const char *b, bool *unsure)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i]) {
        i++;
    }
    while (i > 0 && mx_is_digit(a[i - 1])) {
        i--;
    }
    if (mx_is_digit(a[i]) && mx_is_digit(b[i])) {
        const int order = compare_numbers(&a[i], &b[i]);
        *unsure = order == 0;
        return order;
    }
    *unsure = !is_numbered(&a[i]) || !is_numbered(&b[i]);
    return 0;
}

/* ---- messages */

static int fail_ambiguous(const struct matcher *m, const struct layer *wanted, const struct layer *a, const struct layer *b)
{
    const bool alike = are_alike(m, a, b);
    return mx_fail(m->graph->diags, MX_MISSING_PARAMETER, mx_named(wanted->members->name),
                   MX_SUBJECT "may be '%s' or '%s', which %s" MX_HELP "%s", a->members->name, b->members->name,
                   alike ? "have the same kind and shape, and nothing else distinguishes them" : "both fit what is known of its shape",
                   alike ? "save symbol and parameters together with export()" : "set the shapes of the model's inputs");
}

static int fail_unmatched(const struct matcher *m, const struct layer *wanted)
{
    struct mx_str shape = {0};
    mx_shape_format(m->graph->dims, wanted->members->v->out[0].shape, &shape);
    const int status = mx_fail(m->graph->diags, MX_MISSING_PARAMETER, mx_named(wanted->members->name),
                               "no array of the file has the kind '%s' and fits %s, with the other parameters of the same layer: the file "
                               "may be of another net" MX_HELP "save symbol and parameters together with export()",
                               wanted->members->kind ? wanted->members->kind : "constant", shape.text && !shape.failed ? shape.text : "it");
    mx_str_free(&shape);
    return status;
}

/* ---- the match */

static int match(struct matcher *m, struct layer *wanted, struct layer *found)
{
    wanted->match = found;
    found->match = wanted;
    for (struct member *w = wanted->members; w; w = w->next) {
        const struct mx_param *p = array_of(m, found, w->kind);
        const char *name = mx_arena_strdup(&m->params->matched.arena, w->name);
        MX_TRY_ALLOC(p && name);
        MX_TRY(mx_map_set(&m->params->matched, name, mx_params_find(m->params, p->name)));
        struct mx_shape *s = &w->v->out[0].shape;
        for (int i = 0; i < s->ndim; i++) {
            (void)mx_dim_unify(m->graph->dims, s->dims[i], mx_dim_of(p->dims[i]));
        }
        *s = (struct mx_shape){p->ndim, mx_dims_of(p->dims)};
        w->v->param = p;
    }
    return MX_OK;
}

/* The layers by the last part of their names; several with the same part: the matcher. */
static int map_words(struct matcher *m, const struct layers *layers, char separator, struct mx_map *words)
{
    for (size_t i = 0; i < layers->count; i++) {
        const char *word = last_part(layers->items[i]->name, separator);
        MX_TRY(tick(m, MX_TICK_NODE));
        MX_TRY(mx_map_set(words, word, mx_map_get(words, word) ? (void *)m : layers->items[i]));
    }
    return MX_OK;
}

/* Gluon numbers its own names from 0, and its users their attributes as they like: a word with a digit says nothing. */
static bool is_word(const char *text)
{
    return *text && strcspn(text, "0123456789") == strlen(text);
}

static int match_words(struct matcher *m, const struct mx_map *of_graph, const struct mx_map *of_file)
{
    for (size_t i = 0; i < m->found.count; i++) {
        struct layer *found = m->found.items[i];
        const char *word = last_part(found->name, '.');
        struct layer *wanted = is_word(word) && mx_map_get(of_file, word) == found ? mx_map_get(of_graph, word) : NULL;
        if (wanted && (void *)wanted != m && layer_fits(m, wanted, found)) {
            MX_TRY(match(m, wanted, found));
        }
    }
    return MX_OK;
}

static int match_by_words(struct matcher *m)
{
    struct mx_map of_graph = {.arena.budget = m->arena->budget}, of_file = {.arena.budget = m->arena->budget};
    int status = map_words(m, &m->wanted, '_', &of_graph);
    status = status == MX_OK ? map_words(m, &m->found, '.', &of_file) : status;
    status = status == MX_OK ? match_words(m, &of_graph, &of_file) : status;
    mx_map_free(&of_graph);
    mx_map_free(&of_file);
    return status;
}

static bool is_in_order(const struct matcher *m)
{
    bool same = m->wanted.count == m->found.count;
    for (size_t i = 0; same && i < m->wanted.count; i++) {
        const struct layer *wanted = m->wanted.items[i], *found = m->found.items[i];
        same = wanted->match ? wanted->match == found : layer_fits(m, wanted, found);
    }
    return same;
}

/* "weight(64,3,7,7)bias(64)": equal for layers that are alike. */
static const char *likeness(const struct matcher *m, const struct layer *found)
{
    struct mx_str text = {.budget = m->arena->budget};
    for (const struct member *w = found->members; w; w = w->next) {
        const struct mx_param *p = mx_params_find(m->params, w->name);
        mx_str_append(&text, w->kind ? w->kind : "");
        for (int i = 0; i < p->ndim; i++) {
            mx_str_printf(&text, "%c%lld", i ? ',' : '(', (long long)p->dims[i]);
        }
        mx_str_append(&text, ")");
    }
    const char *copy = text.failed || !text.text ? NULL : mx_arena_strdup(m->arena, text.text);
    mx_str_free(&text);
    return copy;
}

/* Whether a part of a name of the graph, between underscores, is this word. */
static bool has_word(const char *name, const char *word, size_t length)
{
    enum { MOST = 64 }; /* each part of the name is compared with the word */
    bool has = false;
    for (const char *part = name; part && !has && length > 0 && length <= MOST; part = strchr(part, '_')) {
        part += *part == '_';
        has = strncmp(part, word, length) == 0 && (part[length] == '_' || part[length] == 0);
    }
    return has;
}

/* Whether the first words that distinguish two layers of the file are in the names of these layers of the graph, each in its own. */
static bool have_words(const struct layer *a, const struct layer *b)
{
    const char *x = a->match->name, *y = b->match->name;
    size_t at = 0;
    for (size_t i = 0; x[i] && x[i] == y[i]; i++) {
        at = x[i] == '.' ? i + 1 : at;
    }
    const size_t n = strcspn(x + at, "."), k = strcspn(y + at, ".");
    return has_word(a->name, x + at, n) && has_word(b->name, y + at, k) && !has_word(a->name, y + at, k) && !has_word(b->name, x + at, n);
}

/* The order of use is the file's. Of two layers that are alike the later one may not have the lower number, and something in their names
 * must say that this order is right. */
static int match_in_order(struct matcher *m, struct mx_map *last)
{
    for (size_t i = 0; i < m->wanted.count; i++) {
        struct layer *wanted = m->wanted.items[i], *found = m->found.items[i];
        const char *key = likeness(m, found);
        MX_TRY_ALLOC(key);
        bool unsure = false;
        struct layer *before = mx_map_get(last, key);
        const bool matched = wanted->match;
        if (before && !matched && compare_names(before->name, wanted->name, &unsure) > 0) {
            return fail_ambiguous(m, wanted, before->match, found);
        }
        MX_TRY(matched ? MX_OK : match(m, wanted, found));
        if (unsure && !have_words(before, wanted)) {
            return fail_ambiguous(m, wanted, before->match, found);
        }
        MX_TRY(mx_map_set(last, key, wanted));
    }
    return MX_OK;
}

/* The layers of the file that may be this one's: their number, and the first ones in *fit. */
static int list_fits(const struct matcher *m, const struct layer *wanted, struct layer **fit, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < m->found.count; i++) {
        MX_TRY(tick(m, MX_TICK_ITEM));
        if (!m->found.items[i]->match && layer_fits(m, wanted, m->found.items[i])) {
            fit[(*count)++] = m->found.items[i];
        }
    }
    return mx_budget_status(m->graph->arena->budget);
}

/* Matches every layer that only one fits. */
static int match_single(struct matcher *m, struct layer **fit, bool *any)
{
    *any = false;
    for (size_t i = 0; i < m->wanted.count; i++) {
        struct layer *wanted = m->wanted.items[i];
        size_t count = 0;
        if (wanted->match) {
            continue;
        }
        MX_TRY(list_fits(m, wanted, fit, &count));
        if (count == 0) {
            return fail_unmatched(m, wanted);
        }
        if (count == 1) {
            MX_TRY(match(m, wanted, fit[0]));
            *any = true;
        }
    }
    return MX_OK;
}

/* The comparison as work; the names are in order once the budget is spent. */
static int compare(const struct matcher *m, const struct layer *a, const struct layer *b, bool *unsure)
{
    return tick(m, MX_TICK_ITEM + strlen(a->name)) == MX_OK ? compare_names(a->name, b->name, unsure) : 0;
}

/* Sorts by the numbers in the names; without any, the order stays that of use. False if the names do not give the order of two, or the
 * budget is spent. */
static bool sort_by_number(const struct matcher *m, struct layer **items, size_t n)
{
    bool unsure = false;
    for (size_t i = 1; i < n; i++) {
        struct layer *item = items[i];
        size_t k = i;
        for (; k > 0 && compare(m, items[k - 1], item, &unsure) > 0; k--) {
            items[k] = items[k - 1];
        }
        items[k] = item;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (compare(m, items[i], items[k], &unsure) > 0 || unsure) {
                return false;
            }
        }
    }
    return mx_budget_status(m->arena->budget) == MX_OK;
}

/* Matches the first layer that has no match, and all others that the same ones fit. */
static int match_alike(struct matcher *m, struct layer *first, struct layer **fit, struct layer **others)
{
    size_t count = 0, n = 0;
    MX_TRY(list_fits(m, first, fit, &count));
    if (count == 0) {
        return fail_unmatched(m, first);
    }
    for (size_t i = 1; i < count; i++) {
        if (!are_alike(m, fit[0], fit[i])) {
            return fail_ambiguous(m, first, fit[0], fit[i]);
        }
    }
    for (size_t i = 0; i < m->wanted.count; i++) {
        struct layer *wanted = m->wanted.items[i];
        if (!wanted->match && layer_fits(m, wanted, fit[0])) {
            others[n++] = wanted;
        }
    }
    const bool sorted = n == count && sort_by_number(m, others, n);
    MX_TRY(mx_budget_status(m->graph->arena->budget));
    if (!sorted) {
        return count > 1 ? fail_ambiguous(m, first, fit[0], fit[1]) : fail_unmatched(m, others[n - 1]);
    }
    for (size_t i = 0; i < n; i++) {
        MX_TRY(match(m, others[i], fit[i]));
    }
    return MX_OK;
}

static struct layer *first_open(const struct matcher *m)
{
    size_t i = 0;
    while (i < m->wanted.count && m->wanted.items[i]->match) {
        i++;
    }
    return i < m->wanted.count ? m->wanted.items[i] : NULL;
}

static int match_by_shape(struct matcher *m)
{
    if (m->wanted.count > MOST_LAYERS || m->found.count > MOST_LAYERS) {
        return mx_fail(m->graph->diags, MX_TOO_LARGE, MX_NOWHERE,
                       "the arrays of the file are in another order than the graph uses them, and more than %d layers are not matched by "
                       "their shapes" MX_HELP "save symbol and parameters together with export()",
                       MOST_LAYERS);
    }
    struct layer **fit = MX_ARENA_ARRAY(m->arena, struct layer *, m->found.count);
    struct layer **others = MX_ARENA_ARRAY(m->arena, struct layer *, m->wanted.count);
    MX_TRY_ALLOC(fit && others);
    bool any = true;
    for (int round = 0; any && round < MOST_ROUNDS; round++) {
        MX_TRY(match_single(m, fit, &any));
        MX_TRY(any ? mx_graph_infer_known(m->graph, m->choices) : MX_OK); /* what the matched arrays say about others */
    }
    for (struct layer *open; (open = first_open(m));) {
        MX_TRY(match_alike(m, open, fit, others));
        MX_TRY(mx_budget_status(m->arena->budget));
    }
    return MX_OK;
}

static int match_layers(struct matcher *m)
{
    MX_TRY(list_layers(m));
    if (m->wanted.count == 0 || m->found.count == 0) {
        return MX_OK;
    }
    MX_TRY(mx_graph_infer_known(m->graph, m->choices));
    MX_TRY(match_by_words(m));
    if (is_in_order(m)) {
        struct mx_map last = {.arena.budget = m->arena->budget};
        const int status = match_in_order(m, &last);
        mx_map_free(&last);
        MX_TRY(status);
    } else {
        MX_TRY(mx_budget_status(m->arena->budget));
        MX_TRY(match_by_shape(m));
    }
    const struct layer *wanted = m->wanted.items[m->wanted.count - 1];
    mx_note(m->graph->diags, MX_NOWHERE,
            "the file's structural names are matched to the graph's by kind, shape and order, '%s' to '%s' and others" MX_HELP
            "compare the numbers "
            "with MXNet's",
            wanted->match->members->name, wanted->members->name);
    return MX_OK;
}

int mx_graph_match_names(struct mx_graph *g, struct mx_params *params, const struct mx_map *choices)
{
    struct mx_budget *budget = g->arena->budget;
    struct matcher m = {.graph = g, .params = params, .choices = choices, .arena = g->arena};
    m.kinds.arena.budget = m.copies.arena.budget = m.wanted.by_name.arena.budget = m.found.by_name.arena.budget = budget;
    const int status = match_layers(&m);
    mx_map_free(&m.kinds);
    mx_map_free(&m.copies);
    mx_map_free(&m.wanted.by_name);
    mx_map_free(&m.found.by_name);
    if (status != MX_OK) {
        mx_map_free(&params->matched);
    }
    return status;
}
