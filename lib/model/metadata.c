/* Entries of the ONNX model's metadata_props that the caller sets, and versions of domains. */
#include "model/model.h"

#include <string.h>

#include "base/budget.h"

enum { MOST_ENTRIES = 4096 }; /* limit: entries of the metadata that a caller sets */

/* ---- metadata: sorted by the bytes of the keys */

/* The index of an entry, or where it belongs. */
static size_t place_of(const mx2onnx_model *m, const char *key)
{
    size_t from = 0, to = m->choices.n_metadata;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (strcmp(m->choices.metadata[middle].key, key) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool is_at(const mx2onnx_model *m, size_t i, const char *key)
{
    return i < m->choices.n_metadata && strcmp(m->choices.metadata[i].key, key) == 0;
}

static void free_text(mx2onnx_model *m, char *text)
{
    mx_budget_array_free(&m->budget, text, strlen(text) + 1, 1);
}

static char *copy_text(mx2onnx_model *m, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = mx_budget_array(&m->budget, NULL, 0, size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

static void remove_entry(mx2onnx_model *m, size_t i)
{
    free_text(m, m->choices.metadata[i].key);
    free_text(m, m->choices.metadata[i].value);
    m->choices.n_metadata--;
    memmove(&m->choices.metadata[i], &m->choices.metadata[i + 1], (m->choices.n_metadata - i) * sizeof *m->choices.metadata);
}

void mx_model_clear_metadata(mx2onnx_model *m)
{
    while (m->choices.n_metadata > 0) {
        remove_entry(m, m->choices.n_metadata - 1);
    }
    mx_budget_array_free(&m->budget, m->choices.metadata, m->choices.cap_metadata, sizeof *m->choices.metadata);
    m->choices.metadata = NULL;
    m->choices.cap_metadata = 0;
}

const char *mx_model_metadata(const mx2onnx_model *m, const char *key)
{
    const size_t i = place_of(m, key);
    return is_at(m, i, key) ? m->choices.metadata[i].value : NULL;
}

static int make_room(mx2onnx_model *m, const char *key)
{
    if (m->choices.n_metadata >= MOST_ENTRIES) {
        return mx_fail(&m->diags, MX_TOO_LARGE, mx_named(key),
                       "the metadata has %d entries already, which is the maximum" MX_HELP "remove one first", MOST_ENTRIES);
    }
    return mx_grow(&m->budget, &m->choices.metadata, m->choices.n_metadata, &m->choices.cap_metadata, sizeof *m->choices.metadata);
}

/* Takes over the value. */
static int insert(mx2onnx_model *m, size_t i, const char *key, char *value)
{
    const int status = make_room(m, key);
    char *copy = status == MX_OK ? copy_text(m, key) : NULL;
    if (!copy) {
        free_text(m, value);
        return status == MX_OK ? MX_OUT_OF_MEMORY : status;
    }
    memmove(&m->choices.metadata[i + 1], &m->choices.metadata[i], (m->choices.n_metadata - i) * sizeof *m->choices.metadata);
    m->choices.metadata[i] = (struct mx_entry_text){copy, value};
    m->choices.n_metadata++;
    return MX_OK;
}

int mx_model_set_metadata(mx2onnx_model *m, const char *key, const char *value)
{
    const size_t i = place_of(m, key);
    const bool there = is_at(m, i, key);
    if (!value) {
        if (there) {
            remove_entry(m, i);
        }
        return MX_OK;
    }
    char *copy = copy_text(m, value);
    MX_TRY_ALLOC(copy);
    if (!there) {
        return insert(m, i, key, copy);
    }
    free_text(m, m->choices.metadata[i].value);
    m->choices.metadata[i].value = copy;
    return MX_OK;
}

/* ---- domains */

int mx_model_set_domain(mx2onnx_model *m, const char *name, int32_t version)
{
    struct mx_domain *d = mx_map_get(&m->choices.domains, name);
    if (!d && version > 0) {
        d = MX_ARENA_NEW(&m->arena, struct mx_domain);
        MX_TRY_ALLOC(d);
        d->name = mx_arena_strdup(&m->arena, name);
        MX_TRY_ALLOC(d->name);
        MX_TRY(mx_map_set(&m->choices.domains, d->name, d));
    }
    if (d) {
        d->version = version;
    }
    return MX_OK;
}
