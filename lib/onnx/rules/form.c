/* The list of changes of an operator: what an older opset cannot express is refused when the node is made, so that one run reports
 * everything that cannot be written, and what it expresses otherwise is rewritten by pass/legalise.c. Forms that no list covers are in
 * pass/forms.c. */
#include <string.h>

#include "onnx/rules/rows.h"

static void refuse_moved(struct ox_call *c, const struct ox_change *k)
{
    const ox_val x = ox_call_in(c, k->input);
    if (x != OX_NONE && !ox_tensor_of(c->b, x)) {
        ox_fail_opset(c->b, k->since, "%s with computed %s", c->schema->name, k->name);
    }
}

static bool means_the_old(const struct ox_change *k, const struct ox_attr *a)
{
    if (a->kind == OX_A_STRING) {
        return strcmp(a->s, k->word) == 0;
    }
    if (a->kind == OX_A_INTS) {
        for (int i = 0; i < a->n; i++) {
            if (((const int64_t *)a->v)[i] != k->number) {
                return false;
            }
        }
        return true;
    }
    return a->kind == OX_A_INT && a->i == k->number;
}

static void refuse_later(struct ox_call *c, const struct ox_change *k)
{
    const struct ox_attr *a = ox_find_attr(c->attrs, k->name);
    if (!a || means_the_old(k, a)) {
        return;
    }
    if (a->kind == OX_A_STRING) {
        ox_fail_opset(c->b, k->since, "%s with %s \"%s\"", c->schema->name, k->name, a->s);
    } else if (a->kind == OX_A_INT) {
        ox_fail_opset(c->b, k->since, "%s with %s %lld", c->schema->name, k->name, (long long)a->i);
    } else {
        ox_fail_opset(c->b, k->since, "this value of '%s' of %s", k->name, c->schema->name);
    }
}

static void refuse_word(struct ox_call *c, const struct ox_change *k)
{
    const char *word = ox_attr_string(c->attrs, k->name, NULL);
    if (word && strcmp(word, k->word) == 0) {
        ox_fail_opset(c->b, k->since, "%s with %s \"%s\"", c->schema->name, k->name, k->word);
    }
}

static void refuse_operator(struct ox_call *c)
{
    const int since = c->schema->since;
    if (since > c->b->model->opset && c->schema->older_below != since) {
        ox_fail_opset(c->b, since, "the ONNX operator %s", c->schema->name);
    }
}

void ox_check_form(struct ox_call *c)
{
    refuse_operator(c);
    for (const struct ox_change *k = c->schema->older_than; k && k->kind != OX_CHANGES_END; k++) {
        if (c->b->model->opset >= k->since) {
            continue;
        }
        switch (k->kind) {
        case OX_MOVED: refuse_moved(c, k); break;
        case OX_LATER: refuse_later(c, k); break;
        case OX_NO_WORD: refuse_word(c, k); break;
        case OX_RENAMED:
        case OX_DROPPED:
        case OX_CHANGES_END: break;
        }
    }
    if (c->schema->refuse) {
        c->schema->refuse(c);
    }
}

/* ---- the older form */

static void input_to_attribute(struct ox_call *c, const struct ox_change *k)
{
    const ox_val x = ox_call_in(c, k->input);
    int n = 0;
    if (x == OX_NONE) {
        return;
    }
    const struct ox_tensor *t = ox_tensor_of(c->b, x);
    const int64_t count = t ? ox_count(t->dims, t->ndim) : 0;
    int64_t *values = ox_lasting(c->b, (size_t)count + 1, sizeof *values);
    if (ox_failed(c->b) || !ox_const_ints(c->b, x, values, (int)count, &n)) {
        /* Not by a file: such a form is refused where the node is made, while it is computed. */
        ox_broken(c->b, "internal error: %s of %s that are computed", c->schema->name, k->name);
        return;
    }
    ox_set_in(c, k->input, OX_NONE);
    ox_add_attr(c, (struct ox_attr)OX_IS(k->name, values, n));
}

static void use_older_word(struct ox_call *c, const struct ox_change *k)
{
    for (int i = 0; i < c->n_attrs; i++) {
        struct ox_attr *a = &c->attrs[i];
        if (a->kind == OX_A_STRING && strcmp(a->name, k->name) == 0 && strcmp(a->s, k->word) == 0) {
            a->s = k->before;
            return;
        }
    }
}

static void undo_change(struct ox_call *c, const struct ox_change *k)
{
    switch (k->kind) {
    case OX_MOVED: input_to_attribute(c, k); break;
    case OX_LATER:
    case OX_DROPPED: ox_drop_attr(c, k->name); break;
    case OX_RENAMED: use_older_word(c, k); break;
    case OX_NO_WORD:
    case OX_CHANGES_END: break;
    }
}

/* True if the change concerns this node. */
static bool is_affected(const struct ox_node *n, const struct ox_change *k)
{
    return k->kind == OX_MOVED ? k->input < n->n_in : ox_find_attr(n->attrs, k->name) != NULL;
}

bool ox_has_older_form(const struct ox_node *n, int opset)
{
    for (const struct ox_change *k = ox_schemas[n->op].older_than; k && k->kind != OX_CHANGES_END; k++) {
        if (opset < k->since && is_affected(n, k)) {
            return true;
        }
    }
    return false;
}

void ox_undo_changes(struct ox_call *c)
{
    for (const struct ox_change *k = c->schema->older_than; k && k->kind != OX_CHANGES_END; k++) {
        if (c->b->model->opset < k->since) {
            undo_change(c, k);
        }
    }
}
