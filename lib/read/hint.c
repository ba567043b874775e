#include "base/num.h"
#include "base/str.h"
#include "op/attr.h"
#include "read/symbol.h"

int mx_variable_shape_hint(const struct mx_node *n, struct mx_arena *arena, int *ndim, const int64_t **dims)
{
    static const struct mx_attr row = {.name = "__shape__", .kind = MX_ATTR_TUPLE, .low = -1, .high = INT64_MAX};
    const char *text = mx_node_attr_text(n, row.name);
    const bool failed = arena->failed;
    struct mx_tuple shape;
    *ndim = -1;
    arena->failed = false;
    const bool parsed = text && mx_attr_parse_text(&row, text, arena, &shape);
    const bool out_of_memory = arena->failed;
    arena->failed = failed || out_of_memory;
    MX_TRY_ALLOC(!out_of_memory);
    if (parsed && shape.n <= MX_MAX_RANK) {
        *ndim = shape.n;
        *dims = shape.v;
    }
    return MX_OK;
}

enum mx_dtype mx_variable_dtype_hint(const struct mx_node *n)
{
    const char *text = mx_node_attr_text(n, "__dtype__");
    int64_t flag;
    return text && mx_parse_int(text, &flag) ? mx_dtype_from_flag(flag) : MX_DTYPE_NONE;
}

bool mx_variable_is_parameter(const struct mx_node *n)
{
    const char *init = mx_node_attr_text(n, "__init__");
    return (mx_node_attr_text(n, "__lr_mult__") && mx_node_attr_text(n, "__wd_mult__")) || (init && mx_starts_with(init, "Constant_"));
}
