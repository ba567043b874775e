#include "base/num.h"
#include "op/attr.h"
#include "read/symbol.h"

bool mx_variable_shape_hint(const struct mx_node *n, struct mx_arena *arena, int *ndim, const int64_t **dims)
{
    static const struct mx_attr row = {"__shape__", MX_ATTR_TUPLE, 0, NULL, NULL};
    const char *text = mx_node_attr_text(n, row.name);
    struct mx_tuple shape;
    if (!text || !mx_attr_parse_text(&row, text, arena, &shape) || shape.n < 0 || shape.n > MX_MAX_RANK) {
        return false;
    }
    for (int i = 0; i < shape.n; i++) {
        if (shape.v[i] < -1) {
            return false;
        }
    }
    *ndim = shape.n;
    *dims = shape.v;
    return true;
}

enum mx_dtype mx_variable_dtype_hint(const struct mx_node *n)
{
    const char *text = mx_node_attr_text(n, "__dtype__");
    int64_t flag;
    return text && mx_parse_int(text, &flag) ? mx_dtype_from_flag(flag) : MX_DTYPE_NONE;
}
