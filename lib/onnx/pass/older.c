/* Nodes come here in their newest form and leave in the form of the model's opset. What moved
 * between attribute and input, what is newer than the opset and what is called by another word are
 * tables; the rest are functions. */
#include <math.h>
#include <string.h>

#include "onnx/build/internal.h"

/* ---- inputs that were attributes */

struct moved {
    const char *op_type;
    int input;
    const char *name;
    int since; /* an input from this opset on */
};

static const struct moved moved[] = {
    {"ReduceL1", 1, "axes", 18},     {"ReduceL2", 1, "axes", 18},
    {"ReduceLogSum", 1, "axes", 18}, {"ReduceLogSumExp", 1, "axes", 18},
    {"ReduceMax", 1, "axes", 18},    {"ReduceMean", 1, "axes", 18},
    {"ReduceMin", 1, "axes", 18},    {"ReduceProd", 1, "axes", 18},
    {"ReduceSum", 1, "axes", 13},    {"ReduceSumSquare", 1, "axes", 18},
    {"Split", 1, "split", 13},       {"Squeeze", 1, "axes", 13},
    {"Unsqueeze", 1, "axes", 13},    {NULL, 0, NULL, 0},
};

int ox_opset_input_since(const char *op_type, const char *argument)
{
    for (const struct moved *m = moved; m->op_type; m++) {
        if (strcmp(m->op_type, op_type) == 0 && strcmp(m->name, argument) == 0) {
            return m->since;
        }
    }
    return 0;
}

static void input_to_attribute(struct ox_call *c, const struct moved *m)
{
    const ox_val x = ox_call_in(c, m->input);
    int n = 0;
    if (c->b->model->opset >= m->since || x == OX_NONE) {
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
                m->op_type, m->name, m->since, m->since);
        return;
    }
    ox_set_in(c, m->input, OX_NONE);
    ox_add_attr(c, (struct ox_attr)OX_IS(m->name, values, n));
}

/* ---- attributes that are newer than the opset */

struct newer {
    const char *op_type;
    const char *name;
    int since;
    int64_t number;   /* of the value that older opsets mean, for INT and every element of INTS */
    const char *word; /* the same for STRING */
};

static const struct newer newer[] = {
    {"ArgMax", "select_last_index", 12, 0, NULL},
    {"ArgMin", "select_last_index", 12, 0, NULL},
    {"AveragePool", "dilations", 19, 1, NULL},
    {"BatchNormalization", "training_mode", 14, 0, NULL},
    {"Cast", "round_mode", 24, 0, "up"},
    {"Cast", "saturate", 19, 1, NULL},
    {"CastLike", "round_mode", 24, 0, "up"},
    {"CastLike", "saturate", 19, 1, NULL},
    {"DepthToSpace", "mode", 11, 0, "DCR"},
    {"DequantizeLinear", "axis", 13, 1, NULL},
    {"DequantizeLinear", "block_size", 21, 0, NULL},
    {"DequantizeLinear", "output_dtype", 23, 0, NULL},
    {"GRU", "layout", 14, 0, NULL},
    {"LSTM", "layout", 14, 0, NULL},
    {"LpPool", "ceil_mode", 18, 0, NULL},
    {"LpPool", "dilations", 18, 1, NULL},
    {"QuantizeLinear", "axis", 13, 1, NULL},
    {"QuantizeLinear", "block_size", 21, 0, NULL},
    {"QuantizeLinear", "output_dtype", 21, 0, NULL},
    {"QuantizeLinear", "precision", 23, 0, NULL},
    {"QuantizeLinear", "saturate", 19, 1, NULL},
    {"RNN", "layout", 14, 0, NULL},
    {"Range", "stash_type", 27, 1, NULL},
    {"ReduceL1", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceL2", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceLogSum", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceLogSumExp", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceMax", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceMean", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceMin", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceProd", "noop_with_empty_axes", 18, 0, NULL},
    {"ReduceSum", "noop_with_empty_axes", 13, 0, NULL},
    {"ReduceSumSquare", "noop_with_empty_axes", 18, 0, NULL},
    {"Reshape", "allowzero", 14, 0, NULL},
    {"Resize", "antialias", 18, 0, NULL},
    {"Resize", "keep_aspect_ratio_policy", 18, 0, "stretch"},
    {"RoiAlign", "coordinate_transformation_mode", 16, 0, "output_half_pixel"},
    {"ScatterElements", "reduction", 16, 0, "none"},
    {"ScatterND", "reduction", 16, 0, "none"},
    {"SpaceToDepth", "mode", 28, 0, "DCR"},
    {NULL, NULL, 0, 0, NULL},
};

static bool means_the_old(const struct newer *row, const struct ox_attr *a)
{
    if (a->kind == OX_A_STRING) {
        return row->word && strcmp(a->s, row->word) == 0;
    }
    if (a->kind == OX_A_INTS) {
        for (int i = 0; i < a->n; i++) {
            if (((const int64_t *)a->v)[i] != row->number) {
                return false;
            }
        }
        return true;
    }
    return a->kind == OX_A_INT && a->i == row->number;
}

static void drop_newer(struct ox_call *c, const struct newer *row)
{
    const struct ox_attr *a = ox_find_attr(c->attrs, row->name);
    if (!a || c->b->model->opset >= row->since) {
        return;
    }
    if (!means_the_old(row, a)) {
        ox_fail(c->b, NULL,
                "%s takes this value of '%s' from opset %d on, but opset %d is written; choose "
                "opset %d or higher",
                row->op_type, row->name, row->since, c->b->model->opset, row->since);
        return;
    }
    ox_drop_attr(c, row->name);
}

/* ---- words and values that came later */

struct word {
    const char *op_type, *name;
    int since;
    const char *now, *before; /* before NULL: there was none */
};

static const struct word words[] = {
    {"GridSample", "mode", 20, "linear", "bilinear"},
    {"GridSample", "mode", 20, "cubic", "bicubic"},
    {"Pad", "mode", 19, "wrap", NULL},
    {"Resize", "coordinate_transformation_mode", 19, "half_pixel_symmetric", NULL},
    {"ScatterElements", "reduction", 18, "max", NULL},
    {"ScatterElements", "reduction", 18, "min", NULL},
    {"ScatterND", "reduction", 18, "max", NULL},
    {"ScatterND", "reduction", 18, "min", NULL},
    {NULL, NULL, 0, NULL, NULL},
};

static void use_older_word(struct ox_call *c, const struct word *w)
{
    for (int i = 0; i < c->n_attrs; i++) {
        struct ox_attr *a = &c->attrs[i];
        if (a->kind != OX_A_STRING || strcmp(a->name, w->name) != 0 || strcmp(a->s, w->now) != 0) {
            continue;
        }
        if (!w->before) {
            ox_fail(c->b, NULL, "%s has %s \"%s\" from opset %d on; choose opset %d or higher",
                    w->op_type, w->name, w->now, w->since, w->since);
        }
        a->s = w->before;
    }
}

/* ---- operators with a form of their own */

/* Split into equal parts: a number of parts from 18 on, before that sizes are the safe form at
 * every opset. */
static bool split(struct ox_call *c, ox_val *out)
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
static bool resize(struct ox_call *c, ox_val *out)
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
static bool pad(struct ox_call *c, ox_val *out)
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
        const int k = ox_axis(b, axes[i], rank, "Pad");
        all[k] = few[i];
        all[rank + k] = few[n + i];
    }
    ox_set_in(c, 1, ox_ints(b, all, 2 * rank));
    ox_set_in(c, 3, OX_NONE);
    return false;
}

/* The axis is an input with default -2 from 20 on; before, an attribute with default 1. */
static bool dft(struct ox_call *c, ox_val *out)
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
    ox_add_attr(c, (struct ox_attr)OX_I("axis", rank > 0 ? ox_axis(b, axis, rank, "DFT") : axis));
    return false;
}

/* Part of a shape: Shape has start and end from 15 on. */
static bool shape(struct ox_call *c, ox_val *out)
{
    struct ox_build *b = c->b;
    const int64_t start = ox_attr_int(c->attrs, "start", 0);
    const struct ox_attr *end = ox_find_attr(c->attrs, "end");
    if (b->model->opset >= 15 || (start == 0 && !end)) {
        return false;
    }
    const ox_val all = ox_emit(b, "Shape", OX_IN(c->in[0]), OX_NO_ATTRS);
    out[0] = ox_slice1(b, all, 0, start, end ? end->i : INT64_MAX);
    return true;
}

/* What the newest form means when the attribute is left out was otherwise before: write it. */
static bool roi_align(struct ox_call *c, ox_val *out)
{
    (void)out;
    if (c->b->model->opset < 16 && !c->has_mode) {
        ox_fail(c->b, NULL, "RoiAlign with half pixels exists from opset 16 on; choose opset 16");
    }
    return false;
}

static const struct {
    const char *op_type;
    bool (*write)(struct ox_call *c, ox_val *out);
} special[] = {
    {"DFT", dft},
    {"Pad", pad},
    {"Resize", resize},
    {"RoiAlign", roi_align},
    {"Shape", shape},
    {"Split", split},
};

bool ox_older_form(struct ox_call *c, ox_val *out)
{
    const char *type = c->schema->op_type;
    c->has_mode = ox_find_attr(c->attrs, "coordinate_transformation_mode") != NULL;
    for (const struct word *w = words; w->op_type; w++) {
        if (c->b->model->opset < w->since && strcmp(w->op_type, type) == 0) {
            use_older_word(c, w);
        }
    }
    for (const struct newer *row = newer; row->op_type; row++) {
        if (c->b->model->opset < row->since && strcmp(row->op_type, type) == 0) {
            drop_newer(c, row);
        }
    }
    for (const struct moved *m = moved; m->op_type; m++) {
        if (c->b->model->opset < m->since && strcmp(m->op_type, type) == 0) {
            input_to_attribute(c, m);
        }
    }
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (strcmp(special[i].op_type, type) == 0 && !ox_stopped(c->b)) {
            return special[i].write(c, out);
        }
    }
    return false;
}
