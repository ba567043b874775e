#include "read/json.h"

#include <string.h>

/* Bytes that jansson 2.14 allocates on 64 bits for what each character begins, including malloc's overhead: an object and an array with
 * their first tables, a number and its place in an array, a key or a text (two quotes), what a key adds to its value. A text takes its
 * length in addition. Measured with json_set_alloc_funcs; tests/unit/read_json.c compares. */
static const unsigned char costs[256] = {['{'] = 240, ['['] = 144, [','] = 48, [':'] = 48, ['"'] = 44};

enum { TICK = 16, COST_TICK = 8 }; /* work per byte: a value takes some 10 ns for each; and per byte of memory: a key takes a microsecond */

struct feed {
    struct mx_json_text *text;
    size_t piece; /* small at first, as most values are */
    bool quoted, escaped;
};

static uint64_t cost_of(struct feed *f, const char *piece, size_t size)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < size; i++) {
        const char c = piece[i];
        if (f->escaped) {
            f->escaped = false;
        } else if (c == '"') {
            f->quoted = !f->quoted;
            cost += costs['"'];
        } else if (f->quoted) {
            f->escaped = c == '\\';
            cost++;
        } else {
            cost += costs[(unsigned char)c];
        }
    }
    return cost;
}

/* Gives jansson the next piece of the text. */
static size_t feed(void *buffer, size_t room, void *user)
{
    struct feed *f = user;
    struct mx_json_text *t = f->text;
    const size_t left = (size_t)(t->end - t->at), most = left < room ? left : room;
    const size_t size = most < f->piece ? most : f->piece;
    const uint64_t cost = cost_of(f, t->at, size);
    if (!mx_budget_memory(t->budget, cost)) {
        return (size_t)-1;
    }
    t->charged += cost;
    if (mx_tick(t->budget, size * TICK + cost * COST_TICK) != MX_OK) {
        return (size_t)-1;
    }
    memcpy(buffer, t->at, size);
    t->at += size;
    f->piece = f->piece < room ? 2 * f->piece : room;
    return size;
}

json_t *mx_json_load(struct mx_json_text *t, size_t flags, json_error_t *error)
{
    struct feed f = {.text = t, .piece = 128};
    json_t *value = json_load_callback(feed, &f, flags, error);
    if (!value) {
        mx_budget_release(t->budget, t->charged);
        t->charged = 0;
    }
    return value;
}

json_t *mx_json_read(struct mx_source *source, struct mx_budget *budget, uint64_t *charged)
{
    const uint64_t size = mx_source_size(source);
    const void *bytes;
    *charged = 0;
    if (size > MX_WINDOW || mx_source_window(source, 0, (size_t)size, &bytes) != MX_OK) {
        return NULL;
    }
    struct mx_json_text text = {.at = bytes, .end = (const char *)bytes + size, .budget = budget};
    json_t *value = mx_json_load(&text, 0, NULL);
    *charged = text.charged;
    return value;
}

enum { LARGE = 1 << 10 }; /* a smaller list or object is freed at once */

static void empty(json_t *value, struct mx_budget *budget);

static void empty_array(json_t *list, struct mx_budget *budget)
{
    const bool large = json_array_size(list) > LARGE;
    for (size_t i = json_array_size(list); i > 0; i--) {
        empty(json_array_get(list, i - 1), budget);
        if (large) {
            mx_count_work(budget, MX_TICK_VALUE);
            (void)!json_array_remove(list, i - 1);
        }
    }
}

static void empty_object(json_t *object, struct mx_budget *budget)
{
    const bool large = json_object_size(object) > LARGE;
    for (void *at = json_object_iter(object); at; at = large ? json_object_iter(object) : json_object_iter_next(object, at)) {
        empty(json_object_iter_value(at), budget);
        if (large) {
            mx_count_work(budget, MX_TICK_VALUE);
            (void)!json_object_del(object, json_object_iter_key(at));
        }
    }
}

/* Takes what is large out of a value that is held here alone. */
static void empty(json_t *value, struct mx_budget *budget)
{
    if (value->refcount > 1) {
        return;
    }
    if (json_is_array(value)) {
        empty_array(value, budget);
    } else if (json_is_object(value)) {
        empty_object(value, budget);
    }
}

void mx_json_free(json_t *value, struct mx_budget *budget)
{
    if (value) {
        empty(value, budget);
        json_decref(value);
    }
}
