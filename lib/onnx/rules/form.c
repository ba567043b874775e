/* Checks that a call can be written at the opset of the model. This is done when the node is made, so that one run reports everything
 * that cannot be written; pass/legalise.c writes the form. */
#include <string.h>

#include "onnx/rules/rows.h"

static void refuse_moved(struct ox_call *c, const struct ox_change *k)
{
    const ox_val x = ox_call_in(c, k->input);
    if (x != OX_NONE && !ox_known_ints(c->b, x)) {
        ox_fail_opset(c->b, k->since, "%s with computed %s needs opset %d; choose opset %d or higher", c->schema->name, k->name, k->since,
                      k->since);
    }
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

static void refuse_later(struct ox_call *c, const struct ox_change *k)
{
    const struct ox_attr *a = ox_find_attr(c->attrs, k->name);
    if (a && !means_the_old(k, a)) {
        ox_fail_opset(c->b, k->since, "this value of '%s' of %s needs opset %d, but opset %d is written; choose opset %d or higher",
                      k->name, c->schema->name, k->since, c->b->model->opset, k->since);
    }
}

static void refuse_word(struct ox_call *c, const struct ox_change *k)
{
    const char *word = ox_attr_string(c->attrs, k->name, NULL);
    if (word && strcmp(word, k->word) == 0) {
        ox_fail_opset(c->b, k->since, "%s with %s \"%s\" needs opset %d; choose opset %d or higher", c->schema->name, k->name, k->word,
                      k->since, k->since);
    }
}

static void refuse_operator(struct ox_call *c)
{
    const int since = c->schema->since;
    if (since > c->b->model->opset && c->schema->older_below != since) {
        ox_fail_opset(c->b, since, "needs the ONNX operator %s of opset %d, but opset %d is written; choose opset %d or higher",
                      c->schema->name, since, c->b->model->opset, since);
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

/* ---- what the list of changes cannot express */

/* The newest form has an attribute for the number of outputs, which a caller may omit. */
void ox_refuse_split(struct ox_call *c)
{
    if (ox_call_in(c, 1) == OX_NONE && !ox_find_attr(c->attrs, "num_outputs")) {
        ox_add_attr(c, (struct ox_attr)OX_I("num_outputs", c->n_out));
    }
    int64_t size = 0;
    const int axis = (int)ox_attr_int(c->attrs, "axis", 0);
    if (c->b->model->opset < 18 && ox_call_in(c, 1) == OX_NONE && ox_size_at(c->b, c->in[0], axis, &size) && size % c->n_out != 0) {
        ox_fail_opset(c->b, 18, "Splitting into unequal parts by their number needs opset 18; choose opset 18 or higher");
    }
}

void ox_refuse_resize(struct ox_call *c)
{
    if (c->b->model->opset < 18 && ox_find_attr(c->attrs, "axes")) {
        ox_fail_opset(c->b, 18, "Resize of selected axes needs opset 18; choose opset 18 or higher");
    }
}

void ox_refuse_pad(struct ox_call *c)
{
    const ox_val axes = ox_call_in(c, 3);
    if (c->b->model->opset < 18 && axes != OX_NONE
        && (ox_rank(c->b, c->in[0]) < 0 || !ox_known_ints(c->b, axes) || !ox_known_ints(c->b, ox_call_in(c, 1)))) {
        ox_fail_opset(c->b, 18, "Pad of computed axes needs opset 18; choose opset 18 or higher");
    }
}

void ox_refuse_dft(struct ox_call *c)
{
    const ox_val axis = ox_call_in(c, 2);
    if (c->b->model->opset < 20 && axis != OX_NONE && !ox_known_ints(c->b, axis)) {
        ox_fail_opset(c->b, 20, "DFT of a computed axis needs opset 20; choose opset 20 or higher");
    }
}

void ox_refuse_cast(struct ox_call *c)
{
    if (c->b->model->opset < 13 && (ox_dtype(c->b, c->in[0]) == MX_BFLOAT16 || c->dtypes[0] == MX_BFLOAT16)) {
        ox_fail_opset(c->b, 13, "Casting bfloat16 needs opset 13; choose opset 13 or higher");
    }
}

void ox_refuse_gather_nd(struct ox_call *c)
{
    const int64_t batches = ox_attr_int(c->attrs, "batch_dims", 0);
    if (c->b->model->opset < 12 && batches != 0 && (batches < 0 || batches >= ox_rank(c->b, c->in[1]))) {
        ox_fail_opset(c->b, 12, "GatherND with batches needs opset 12; choose opset 12 or higher");
    }
}

bool ox_has_half_pixels(struct ox_build *b)
{
    return b->model->opset >= 16;
}

/* The newest form uses half pixels if the attribute is omitted. */
void ox_refuse_roi_align(struct ox_call *c)
{
    if (!ox_has_half_pixels(c->b) && !ox_find_attr(c->attrs, "coordinate_transformation_mode")) {
        ox_fail_opset(c->b, 16, "RoiAlign with half pixels needs opset 16; choose opset 16 or higher");
    }
}
