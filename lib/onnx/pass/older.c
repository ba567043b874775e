/* Nodes come here in their newest form and leave in the form of the model's opset: by the list of changes in the
 * operator's row, or by a function of its own. */
#include <string.h>

#include "onnx/build/internal.h"
#include "onnx/table/rows.h"

/* ---- changes, by the row of operators.inc */

int ox_opset_input_since(enum ox_op op, const char *argument)
{
    for (const struct ox_change *k = ox_schemas[op].older_than; k && k->kind != OX_CHANGES_END; k++) {
        if (k->kind == OX_MOVED && strcmp(k->name, argument) == 0) {
            return k->since;
        }
    }
    return 0;
}

static void input_to_attribute(struct ox_call *c, const struct ox_change *k)
{
    const ox_val x = ox_call_in(c, k->input);
    int n = 0;
    if (x == OX_NONE) {
        return;
    }
    const struct ox_tensor *t = ox_tensor_of(c->b, x);
    const int64_t count = t ? ox_count(t->dims, t->ndim) : -1;
    int64_t *values = count >= 0 && count < INT32_MAX
                          ? ox_scratch(c->b, (size_t)count + 1, sizeof *values)
                          : NULL;
    if (!values || !ox_const_ints(c->b, x, values, (int)count, &n)) {
        ox_fail(c->b, NULL,
                "%s with %s that are computed exists from opset %d on; choose opset %d or higher",
                c->schema->name, k->name, k->since, k->since);
        return;
    }
    ox_set_in(c, k->input, OX_NONE);
    ox_add_attr(c, (struct ox_attr)OX_IS(k->name, values, n));
}

static bool means_the_old(const struct ox_change *k, const struct ox_attr *a)
{
    if (a->kind == OX_A_STRING) {
        return k->word && strcmp(a->s, k->word) == 0;
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

static void drop_later(struct ox_call *c, const struct ox_change *k)
{
    const struct ox_attr *a = ox_find_attr(c->attrs, k->name);
    if (!a) {
        return;
    }
    if (!means_the_old(k, a)) {
        ox_fail(c->b, NULL,
                "%s takes this value of '%s' from opset %d on, but opset %d is written; choose "
                "opset %d or higher",
                c->schema->name, k->name, k->since, c->b->model->opset, k->since);
        return;
    }
    ox_drop_attr(c, k->name);
}

static void use_older_word(struct ox_call *c, const struct ox_change *k)
{
    for (int i = 0; i < c->n_attrs; i++) {
        struct ox_attr *a = &c->attrs[i];
        if (a->kind != OX_A_STRING || strcmp(a->name, k->name) != 0 || strcmp(a->s, k->word) != 0) {
            continue;
        }
        if (k->kind == OX_NO_WORD) {
            ox_fail(c->b, NULL, "%s has %s \"%s\" from opset %d on; choose opset %d or higher",
                    c->schema->name, k->name, k->word, k->since, k->since);
        } else {
            a->s = k->before;
        }
    }
}

static void undo(struct ox_call *c, const struct ox_change *k)
{
    switch (k->kind) {
    case OX_MOVED:
        input_to_attribute(c, k);
        break;
    case OX_LATER:
        drop_later(c, k);
        break;
    case OX_RENAMED:
    case OX_NO_WORD:
        use_older_word(c, k);
        break;
    case OX_CHANGES_END:
        break;
    }
}

/* ---- operators with a form of their own */

/* Split into equal parts: a number of parts from 18 on, before that sizes are the safe form at
 * every opset. */
bool ox_older_split(struct ox_call *c, ox_val *out)
{
    const int opset = c->b->model->opset;
    int64_t size = 0;
    (void)out;
    if (ox_call_in(c, 1) != OX_NONE || ox_find_attr(c->attrs, "split") || opset >= 18) {
        if (opset >= 18 && ox_call_in(c, 1) == OX_NONE && !ox_find_attr(c->attrs, "num_outputs")) {
            ox_add_attr(c, (struct ox_attr)OX_I("num_outputs", c->n_out));
        }
        return false;
    }
    ox_drop_attr(c, "num_outputs");
    const int axis = (int)ox_attr_int(c->attrs, "axis", 0);
    if (ox_size_at(c->b, c->in[0], axis, &size) && size % c->n_out != 0) {
        ox_fail(
            c->b, NULL,
            "Split into unequal parts by their number exists from opset 18 on; choose opset 18");
    }
    return false;
}

/* Before 13 both roi and scales have to be there, as empty tensors where they are not used. Before
 * 18 there are no axes: the others get scale 1, or their size. */
bool ox_older_resize(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const int64_t none[] = {0};
    (void)out;
    if (b->model->opset < 18 && ox_find_attr(c->attrs, "axes")) {
        ox_fail(b, NULL, "Resize of chosen axes exists from opset 18 on; choose opset 18");
    }
    if (b->model->opset < 13) {
        ox_val empty = ox_tensor(b, MX_FLOAT32, none, 1, none);
        for (int i = 1; i <= 2; i++) {
            if (ox_call_in(c, i) == OX_NONE) {
                ox_set_in(c, i, empty);
            }
        }
    }
    return false;
}

/* Axes of a Pad are an input from 18 on; before, every axis has its pads. */
bool ox_older_pad(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    int64_t axes[MX_MAX_RANK];
    int64_t few[2 * MX_MAX_RANK];
    int64_t all[2 * MX_MAX_RANK] = {0};
    int n = 0;
    int n_pads = 0;
    (void)out;
    if (b->model->opset >= 18 || ox_call_in(c, 3) == OX_NONE) {
        return false;
    }
    const int rank = ox_rank(b, c->in[0]);
    if (rank < 0 || !ox_const_ints(b, c->in[3], axes, MX_MAX_RANK, &n)
        || !ox_const_ints(b, ox_call_in(c, 1), few, 2 * MX_MAX_RANK, &n_pads) || n_pads != 2 * n) {
        ox_fail(b, NULL, "Pad of axes that are computed exists from opset 18 on; choose opset 18");
        return false;
    }
    for (int i = 0; i < n && !ox_stopped(b); i++) {
        const int k = ox_axis(b, axes[i], rank, OX_Pad);
        all[k] = few[i];
        all[rank + k] = few[n + i];
    }
    ox_set_in(c, 1, ox_ints(b, all, 2 * rank));
    ox_set_in(c, 3, OX_NONE);
    return false;
}

/* The axis is an input with default -2 from 20 on; before, an attribute with default 1. */
bool ox_older_dft(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const ox_val x = ox_call_in(c, 2);
    int64_t axis = -2;
    int n = 0;
    (void)out;
    if (b->model->opset >= 20) {
        return false;
    }
    if (x != OX_NONE && !ox_const_ints(b, x, &axis, 1, &n)) {
        ox_fail(b, NULL, "DFT of an axis that is computed exists from opset 20 on; choose opset 20");
        return false;
    }
    ox_set_in(c, 2, OX_NONE);
    const int rank = ox_rank(b, c->in[0]);
    ox_add_attr(c, (struct ox_attr)OX_I("axis", rank > 0 ? ox_axis(b, axis, rank, OX_DFT) : axis));
    return false;
}

/* Part of a shape: Shape has start and end from 15 on. */
bool ox_older_shape(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const int64_t start = ox_attr_int(c->attrs, "start", 0);
    const struct ox_attr *end = ox_find_attr(c->attrs, "end");
    if (b->model->opset >= 15 || (start == 0 && !end)) {
        return false;
    }
    const ox_val all = ox_emit(b, OX_Shape, OX_IN(c->in[0]), OX_NO_ATTRS);
    out[0] = ox_slice1(b, all, 0, start, end ? end->i : INT64_MAX);
    return true;
}

/* What the newest form means when the attribute is left out was otherwise before: write it. */
bool ox_older_roi_align(struct ox_call *c, ox_val *out)
{
    (void)out;
    if (c->b->model->opset < 16 && !c->has_mode) {
        ox_fail(c->b, NULL, "RoiAlign with half pixels exists from opset 16 on; choose opset 16");
    }
    return false;
}

bool ox_older_form(struct ox_call *c, ox_val *out)
{
    c->has_mode = ox_find_attr(c->attrs, "coordinate_transformation_mode") != NULL;
    for (const struct ox_change *k = c->schema->older_than; k && k->kind != OX_CHANGES_END; k++) {
        if (c->b->model->opset < k->since) {
            undo(c, k);
        }
    }
    return c->schema->older && !ox_stopped(c->b) && c->schema->older(c, out);
}
