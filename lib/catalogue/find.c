/* Finds the net that a parameter file belongs to: never by its name alone, and never one of several candidates. */
#include <string.h>

#include "base/budget.h"
#include "catalogue/catalogue.h"

enum { SHOWN = 6 };

void mx_net_describe(const struct mx_candidate *c, struct mx_str *out)
{
    static const char *const words[MX_SIZES][2] = {
        {"class", "classes"}, {"for the crop", "for the crop"}, {"segment", "segments"}, {"word", "words"}};
    const char *before = " with ";
    mx_str_append(out, c->net->name);
    for (int i = 0; i < MX_SIZES; i++) {
        if (c->sizes.of[i] > 0) {
            mx_str_printf(out, "%s%lld %s", before, (long long)c->sizes.of[i], words[i][c->sizes.of[i] != 1]);
            before = ", ";
        }
    }
}

/* ---- the graphs that fit */

/* False if the numbers of arrays alone show that the graph cannot fit. */
static bool may_fit(const struct mx_matcher *m, size_t graph)
{
    const struct mx_net_graph *g = &m->c->graphs[graph];
    return m->params->count >= g->n_params && m->params->count <= g->n_names;
}

/* Sizes given by neither the caller nor the file are as published. */
static struct mx_sizes complete(const struct mx_sizes *said, const struct mx_net *net)
{
    struct mx_sizes sizes = *said;
    for (int i = 0; i < MX_SIZES; i++) {
        sizes.of[i] = net->sizes.of[i] == 0 ? 0 : sizes.of[i] > 0 ? sizes.of[i] : net->sizes.of[i];
    }
    return sizes;
}

/* True if both compute the same. */
static bool same_candidate(const struct mx_catalogue *c, const struct mx_candidate *a, const struct mx_candidate *b)
{
    return c->graphs[a->net->graph].meaning == c->graphs[b->net->graph].meaning && memcmp(&a->sizes, &b->sizes, sizeof a->sizes) == 0;
}

struct finder {
    struct mx_matcher *m;
    const char *name;           /* only nets of this name; NULL: all */
    struct mx_candidate *items; /* one for each net at most */
    size_t count;
    const struct mx_net *without; /* fits, but lacks a size that is asked for; NULL: none */
    bool *tried;                  /* indexed by graph */
    struct mx_fit *fit;           /* indexed by graph */
};

static int init_finder(struct finder *f, struct mx_matcher *m, const char *name)
{
    const struct mx_catalogue *c = m->c;
    *f = (struct finder){.m = m, .name = name};
    f->items = MX_ARENA_ARRAY(m->arena, struct mx_candidate, c->n_nets);
    f->tried = MX_ARENA_ARRAY(m->arena, bool, c->n_graphs);
    f->fit = MX_ARENA_ARRAY(m->arena, struct mx_fit, c->n_graphs);
    return f->items && f->tried && f->fit ? MX_OK : MX_OUT_OF_MEMORY;
}

/* The first size that the caller asks for and the net does not have; MX_SIZES if it has all. */
static int lacking_size(const struct mx_matcher *m, const struct mx_net *net)
{
    int i = 0;
    while (i < MX_SIZES && !(m->wanted.of[i] > 0 && net->sizes.of[i] == 0)) {
        i++;
    }
    return i;
}

static int try_net(struct finder *f, const struct mx_net *net)
{
    struct mx_fit *fit = &f->fit[net->graph];
    if (!f->tried[net->graph]) {
        f->tried[net->graph] = true;
        MX_TRY(mx_tick(f->m->arena->budget, MX_TICK_NODE * (uint64_t)f->m->c->graphs[net->graph].n_names));
        const int status = mx_match(f->m, net->graph, fit);
        MX_TRY(status == MX_FORMAT ? mx_catalogue_damaged(f->m->c) : status);
    }
    if (mx_fits(fit) && lacking_size(f->m, net) == MX_SIZES) {
        f->items[f->count++] = (struct mx_candidate){net, fit->naming, complete(&fit->sizes, net)};
    } else if (mx_fits(fit) && !f->without) {
        f->without = net;
    }
    return MX_OK;
}

/* "voc" is not a name; "resnet18_v1" is one, and means the net of every source that has it. */
static bool is_called(const struct mx_net *net, const char *name)
{
    return !name || strcmp(net->name, name) == 0;
}

static int find_all(struct finder *f)
{
    f->m->quick = true;
    for (size_t i = 0; i < f->m->c->n_nets; i++) {
        const struct mx_net *net = &f->m->c->nets[i];
        MX_TRY(mx_tick(f->m->arena->budget, MX_TICK_ITEM));
        if (is_called(net, f->name) && may_fit(f->m, net->graph)) {
            MX_TRY(try_net(f, net));
        }
    }
    return MX_OK;
}

/* ---- messages */

static void describe_fit(const struct mx_fit *f, struct mx_str *out)
{
    const char *comma = "";
    if (f->missing > 0) {
        mx_str_printf(out, "%zu array%s missing ('%s')", f->missing, f->missing > 1 ? "s are" : " is", f->first_missing);
        comma = ", ";
    }
    if (f->misshapen > 0) {
        mx_str_printf(out, "%s%zu %s another shape ('%s' should be %s)", comma, f->misshapen, f->misshapen > 1 ? "have" : "has",
                      f->first_misshapen, f->expected);
        comma = ", ";
    }
    if (f->extra > 0) {
        mx_str_printf(out, "%s%zu %s not of it ('%s')", comma, f->extra, f->extra > 1 ? "are" : "is", f->first_extra);
    }
}

/* How far a graph is from the file: the fewer wrong arrays, the nearer. */
static size_t distance(const struct mx_fit *f)
{
    return f->missing + f->misshapen + f->extra;
}

/* The nearest net of `name`, or of all; NULL if none shares more than half of the arrays. */
static int find_nearest(struct finder *f, const struct mx_net **out, struct mx_fit *best)
{
    const struct mx_catalogue *c = f->m->c;
    *out = NULL;
    f->m->quick = false;
    for (size_t i = 0; i < c->n_graphs; i++) {
        f->tried[i] = false;
    }
    for (size_t i = 0; i < c->n_nets; i++) {
        const struct mx_net *net = &c->nets[i];
        MX_TRY(mx_tick(f->m->arena->budget, MX_TICK_ITEM));
        if (!is_called(net, f->name) || f->tried[net->graph]) {
            continue;
        }
        MX_TRY(try_net(f, net));
        const struct mx_fit *fit = &f->fit[net->graph];
        const bool near = f->name || fit->found > distance(fit);
        if (near && (!*out || distance(fit) < distance(best))) {
            *out = net;
            *best = *fit;
        }
    }
    f->count = 0;
    return MX_OK;
}

/* Arrays without a network that people hold: the status, or MX_OK if they are something else. */
static int fail_no_network(struct mx_diags *diags, const struct mx_params *p)
{
    const struct mx_param *only = p->count == 1 ? p->items[0] : NULL;
    if (only && strcmp(only->name, "mean_img") == 0) {
        return mx_fail(
            diags, MX_NOT_FOUND, MX_NOWHERE,
            "the file holds a mean image (mean_img), which a program subtracts from images before the network" MX_HELP
            "convert the network, and set the mean of each channel with mx2onnx_set_input_mean, or subtract the image in your program");
    }
    if (only && strcmp(only->name, "0") == 0 && only->ndim == 2) {
        return mx_fail(diags, MX_NOT_FOUND, MX_NOWHERE,
                       "the file holds one matrix without a name" MX_HELP
                       "if it holds the centres of SageMaker's k-means, name the file model_algo-1");
    }
    return MX_OK;
}

static int fail_size(const struct finder *f)
{
    const int i = lacking_size(f->m, f->without);
    return mx_fail(f->m->c->diags, f->name ? MX_SHAPE : MX_NOT_FOUND, MX_NOWHERE,
                   "the option '%s' is %lld, which does not apply to %s, the net that the parameters match" MX_HELP "omit the option",
                   mx_size_names[i], (long long)f->m->wanted.of[i], f->without->name);
}

/* Why a net is searched for. */
static const char *no_symbol(const struct mx_matcher *m)
{
    return m->with_symbol ? "" : "there is no symbol file, and ";
}

/* `label`: of the parameters, or NULL. */
static int fail_misfit(struct finder *f, const char *label)
{
    const struct mx_net *near;
    struct mx_fit fit = {0};
    struct mx_str text = {.budget = f->m->arena->budget};
    struct mx_diags *diags = f->m->c->diags;
    MX_TRY(f->without ? fail_size(f) : MX_OK);
    MX_TRY(find_nearest(f, &near, &fit));
    if (!near) {
        MX_TRY(fail_no_network(diags, f->m->params));
        return mx_fail(diags, MX_NOT_FOUND, MX_NOWHERE,
                       "%sthe parameters match none of the %zu published nets that the library knows" MX_HELP "%s", no_symbol(f->m),
                       f->m->c->n_nets,
                       label && mx_starts_with(label, "model_algo")
                           ? "load the whole archive of the training job (model.tar.gz), because the symbol may be another file in it"
                           : "for another network, call export() in its Python code and load the symbol file");
    }
    describe_fit(&fit, &text);
    const char *what = text.text && !text.failed && text.length ? text.text : "its sizes differ";
    const int status = f->name ? mx_fail(diags, MX_SHAPE, MX_NOWHERE,
                                         "the parameters are not those of %s: %s" MX_HELP
                                         "give no name, and the library searches for the net that they match",
                                         near->name, what)
                               : mx_fail(diags, MX_NOT_FOUND, MX_NOWHERE,
                                         "%sthe parameters match no published net: the nearest is %s, but %s" MX_HELP
                                         "for another network, call export() in its Python code and load the symbol file",
                                         no_symbol(f->m), near->name, what);
    mx_str_free(&text);
    return status;
}

/* The nearest name begins as the given one, and is the shortest such, or else differs from it in the fewest letters. */
static int fail_unknown(const struct mx_matcher *m, const char *name)
{
    enum { WHOLE = 3 }; /* letters from which on a name may be the beginning of one */
    const char *nearest = NULL;
    const size_t length = strlen(name);
    size_t least = length / 3 + 2;
    bool begun = false;
    for (size_t i = 0; i < m->c->n_nets; i++) {
        const char *known = m->c->nets[i].name;
        MX_TRY(mx_tick(m->arena->budget, 4 * MX_TICK_NODE));
        const bool begins = length >= WHOLE && mx_starts_with(known, name);
        const size_t distance = mx_distance(name, known);
        if (begins != begun ? begins : distance < least) {
            nearest = known;
            least = distance;
            begun = begins;
        }
    }
    const struct mx_where where = {.name = name};
    return nearest
               ? mx_fail(m->c->diags, MX_NOT_FOUND, where, "the catalogue has no net of this name" MX_HELP "the nearest is '%s'", nearest)
               : mx_fail(m->c->diags, MX_NOT_FOUND, where,
                         "the catalogue has no net of this name" MX_HELP "mx2onnx_catalogue_name lists the nets");
}

/* The message lists the nets with their sources, and says where the first two differ. */
static int fail_ambiguous(const struct finder *f)
{
    struct mx_str text = {.budget = f->m->arena->budget};
    for (size_t i = 0; i < f->count && i < SHOWN; i++) {
        mx_str_append(&text, i > 0 ? "; or " : "");
        mx_net_describe(&f->items[i], &text);
        mx_str_printf(&text, " (%s)", f->items[i].net->source);
    }
    mx_str_append(&text, f->count > SHOWN ? "; or others; the first two " : f->count > 2 ? "; the first two " : "; they ");
    mx_net_difference(f->m->c, &f->items[0], &f->items[1], &text);
    const int status =
        mx_fail(f->m->c->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                "the parameters match several nets that compute different results: %s" MX_HELP "choose one with mx2onnx_load_net",
                text.text && !text.failed ? text.text : "");
    mx_str_free(&text);
    return status;
}

/* ---- the choice */

/* "resnet18_v1-a0666292.params" and "resnet18_v1.params" name resnet18_v1. */
static bool names_file(const struct mx_net *net, const char *label)
{
    const size_t n = strlen(net->name);
    return label && strncmp(label, net->name, n) == 0 && (label[n] == '-' || strcmp(label + n, ".params") == 0);
}

/* How well the net's name describes the file: the sizes may be those of the published net, and nets called _custom were never
 * published. */
static int rank(const struct mx_candidate *c)
{
    enum { OF_OTHER_SIZES, CUSTOM, AS_PUBLISHED };
    if (mx_ends_with(c->net->name, "_custom")) {
        return CUSTOM;
    }
    return memcmp(&c->sizes, &c->net->sizes, sizeof c->sizes) == 0 ? AS_PUBLISHED : OF_OTHER_SIZES;
}

/* Keeps one of several nets that compute the same. Of more than SHOWN that differ only the first ones stay, and one for the message to
 * state that there are others. */
static int merge(struct finder *f)
{
    const size_t count = f->count;
    f->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct mx_candidate c = f->items[i];
        size_t same = 0;
        MX_TRY(mx_tick(f->m->arena->budget, MX_TICK_NODE));
        while (same < f->count && !same_candidate(f->m->c, &f->items[same], &c)) {
            same++;
        }
        if (same == f->count ? same <= SHOWN : rank(&c) > rank(&f->items[same])) {
            f->items[same] = c;
            f->count += same == f->count;
        }
    }
    return MX_OK;
}

static bool all_same(const struct finder *f)
{
    for (size_t i = 1; i < f->count; i++) {
        if (!same_candidate(f->m->c, &f->items[0], &f->items[i])) {
            return false;
        }
    }
    return true;
}

/* The file's name decides between nets that all fit, and which of several names is reported. */
static void choose_by_label(struct finder *f, const char *label)
{
    const bool matters = !all_same(f);
    const size_t fitting = f->count;
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (names_file(f->items[i].net, label)) {
            f->items[n++] = f->items[i];
        }
    }
    f->count = n > 0 ? n : f->count;
    if (n > 0 && matters && all_same(f)) {
        mx_note(f->m->c->diags, MX_NOWHERE, "the parameters match %zu published nets, and %s was chosen by the file's name", fitting,
                f->items[0].net->name);
    }
}

/* The name of the catalogue, in whichever case it is given; NULL if there is none. */
static const char *known_name(const struct mx_catalogue *c, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < c->n_nets; i++) {
        if (strcmp(c->nets[i].name, name) == 0) {
            return c->nets[i].name;
        }
        found = !found && mx_same_but_case(c->nets[i].name, name) ? c->nets[i].name : found;
    }
    return found;
}

int mx_net_find(struct mx_matcher *m, const char *name, const char *label, struct mx_candidate *out)
{
    struct finder f;
    const char *known = name ? known_name(m->c, name) : NULL;
    if (name && !known) {
        return fail_unknown(m, name);
    }
    MX_TRY(init_finder(&f, m, known));
    MX_TRY(find_all(&f));
    if (f.count == 0) {
        return fail_misfit(&f, label);
    }
    choose_by_label(&f, label);
    MX_TRY(merge(&f));
    *out = f.items[0];
    return f.count > 1 ? fail_ambiguous(&f) : MX_OK;
}

int mx_net_identify(struct mx_matcher *m, const struct mx_candidate **out, size_t *count)
{
    struct finder f;
    MX_TRY(init_finder(&f, m, NULL));
    MX_TRY(find_all(&f));
    if (f.count == 0) {
        return fail_misfit(&f, NULL);
    }
    *out = f.items;
    *count = f.count;
    return MX_OK;
}
