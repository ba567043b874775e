#include "graph/graph.h"

#include <string.h>

#include "base/str.h"

const char *mx_node_attr_text(const struct mx_node *n, const char *key)
{
    for (int i = n->n_attr_text - 1; i >= 0; i--) {
        if (strcmp(n->attr_text[i].key, key) == 0) {
            return n->attr_text[i].text;
        }
    }
    return NULL;
}

bool mx_attr_is_hidden(const char *key)
{
    return mx_starts_with(key, "__") && mx_ends_with(key, "__") && strlen(key) > 4;
}

int mx_node_add_attr(struct mx_arena *a, struct mx_node *n, const char *key, const char *text)
{
    const size_t count = (size_t)n->n_attr_text;
    struct mx_attr_text *attrs = MX_ARENA_ARRAY(a, struct mx_attr_text, count + 1);
    MX_TRY_ALLOC(attrs);
    if (count > 0) {
        memcpy(attrs, n->attr_text, count * sizeof *attrs);
    }
    attrs[count] = (struct mx_attr_text){key, text};
    n->attr_text = attrs;
    n->n_attr_text++;
    return MX_OK;
}

struct mx_where mx_at(const struct mx_node *n, const char *attribute)
{
    return mx_is_variable(n) ? (struct mx_where){.name = n->name, .attribute = attribute}
                             : (struct mx_where){.node = n->name, .op = n->op_name, .attribute = attribute};
}
