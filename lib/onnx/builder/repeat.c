/* Images whose pixels are repeated: a Resize to the nearest pixel by whole factors, which is exact. */
#include <math.h>
#include <string.h>

#include "onnx/builder/internal.h"

enum { AXES = 4 };

static bool is_word(const struct ox_node *n, const char *name, const char *word)
{
    return strcmp(ox_attr_string(n->attrs, name, ""), word) == 0;
}

/* True if x is such a Resize of a value with four axes; its factors. */
static bool enlarged(struct ox_build *b, ox_val x, float *factors)
{
    const struct ox_node *n = ox_value_of(b->model, x)->producer;
    return ox_node_is(n, OX_Resize) && n->n_in == 3 && !ox_find_attr(n->attrs, "axes") && is_word(n, "mode", "nearest")
           && is_word(n, "coordinate_transformation_mode", "asymmetric") && is_word(n, "nearest_mode", "floor")
           && ox_read_floats(b, n->in[2], factors, AXES);
}

ox_val ox_enlarge(struct ox_build *b, ox_val x, int64_t rows, int64_t columns)
{
    const double factors[AXES] = {1, 1, (double)rows, (double)columns};
    return ox_node(b, OX_Resize, OX_IN(x, OX_NONE, ox_floats(b, MX_FLOAT32, factors, AXES)),
                   OX_ATTRS(OX_S("mode", "nearest"), OX_S("coordinate_transformation_mode", "asymmetric"), OX_S("nearest_mode", "floor")));
}

ox_val ox_repeat_pixels(struct ox_build *b, ox_val x, int axis, int64_t repeats)
{
    enum { LARGEST_FACTOR = 1024, LARGEST_SIZE = 1 << 14 }; /* positions are computed as float32 */
    float before[AXES];
    int64_t size;
    if (ox_rank(b, x) != AXES || ox_dtype(b, x) != MX_FLOAT32 || repeats > LARGEST_FACTOR
        || (ox_size_at(b, x, axis, &size) && (size < 1 || size >= LARGEST_SIZE))) {
        return OX_NONE;
    }
    if (axis == 3) {
        return ox_enlarge(b, x, 1, repeats);
    }
    bool wide = axis == 2 && enlarged(b, x, before) && before[3] >= 1 && before[3] <= LARGEST_FACTOR && !(before[3] > floorf(before[3]));
    for (int i = 0; i < 3 && wide; i++) {
        wide = before[i] >= 1 && before[i] <= 1;
    }
    return wide ? ox_enlarge(b, ox_value_of(b->model, x)->producer->in[0], repeats, (int64_t)before[3]) : OX_NONE;
}
