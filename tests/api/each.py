"""Writes a C program that calls every function of bindings/api.json in every state of a model: with each pointer NULL, an index past
the end, and a number that no enumeration has. tests/api/each.h checks what the top of the header promises of all of them.

    python3 each.py OUTPUT
"""
import json
import os
import re
import sys

API = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "api.json")
MODEL, NODE = re.compile(r"(const )?mx2onnx_model \*$"), re.compile(r"(const )?mx2onnx_node \*$")
# Freed by the program itself.
APART = {"mx2onnx_model_new", "mx2onnx_model_free", "mx2onnx_memory_new", "mx2onnx_memory_free"}
PLACES = {"i", "axis", "output", "input", "input_axis", "offset"}  # indices, and where bytes begin
BY_NAME = {
    "path": '"no-such-folder/model"', "user": "c", "release": "count", "out": "c->room", "rank": "4", "n": "1", "on": "1", "value": "1",
    "version": "1", "size": "sizeof c->room", "data": "c->room",
}
BY_TYPE = {
    "const char *": '"data"', "const char **": "&c->text", "const char *const *": "c->names", "void **": "&c->data", "size_t *": "&c->size",
    "int32_t *": "&c->rank", "const int64_t *": "c->dims", "const double *": "c->numbers", "mx2onnx_value *": "c->values",
    "const mx2onnx_array *": "&c->array", "const mx2onnx_handler *": "&c->handler", "const mx2onnx_onnx_node *": "&c->node",
    "mx2onnx_diagnostic *": "&c->diagnostic", "mx2onnx_read_fn": "zeros", "mx2onnx_write_fn": "take", "mx2onnx_log_fn": "hear",
    "mx2onnx_progress_fn": "go_on",
}

END = """
#ifdef EACH_ALLOCATION
#define try_each try_allocations
#endif
int main(int argc, char **argv)
{
    return argc < 2 ? 2 : try_each(argv[1], functions, sizeof functions / sizeof *functions);
}
""".splitlines()[1:]


def is_pointer(kind):
    return kind.endswith("*") or kind.endswith("_fn")


def default(f):
    """What a function without a status returns if there is nothing to return."""
    name, kind = f["name"], f["returns"]
    if is_pointer(kind):
        return "NULL"
    if name == "mx2onnx_get_option":
        return "INT64_MIN"
    if kind == "mx2onnx_variable":
        return "MX2ONNX_VARIABLE_UNUSED"
    return "-1" if kind == "mx2onnx_dtype" or re.search(r"_rank$|_dim$", name) else "0"


def value(f, k, enums):
    a = f["arguments"][k]
    kind, name = a["type"], a["name"]
    if MODEL.match(kind):
        plain = "c->m"
    elif NODE.match(kind):
        plain = "c->n"
    elif name in PLACES and not is_pointer(kind):
        return "how->past ? (%s)-1 : 0" % kind
    elif kind in enums:
        return "how->strange ? 77 : %d" % (3 if kind == "mx2onnx_severity" else 1)
    else:
        plain = BY_NAME[name] if name in BY_NAME and (kind not in BY_TYPE or name == "path") else BY_TYPE[kind] if kind in BY_TYPE else "0"
    return "how->nulls >> %d & 1 ? NULL : %s" % (k, plain) if is_pointer(kind) else plain


def caller(f, enums):
    arguments = ", ".join(value(f, k, enums) for k in range(len(f["arguments"])))
    call = "%s(%s)" % (f["name"], arguments)
    yield "static void call_%s(struct context *c, const struct how *how)" % f["name"]
    yield "{"
    yield "    (void)c, (void)how;"
    if f["returns"] == "void":
        yield "    %s;" % call
    elif f["returns"] == "mx2onnx_status":
        yield "    c->status = %s;" % call
    else:
        yield "    c->is_default = %s == %s;" % (call, default(f))
    yield "}"


def row(f):
    kinds = [a["type"] for a in f["arguments"]]
    names = [a["name"] for a in f["arguments"]]
    of = "OF_MODEL" if kinds and MODEL.match(kinds[0]) else "OF_NODE" if kinds and NODE.match(kinds[0]) else "OF_NONE"
    pointers = sum(1 << k for k, kind in enumerate(kinds) if is_pointer(kind))
    release = sum(1 << k for k, name in enumerate(names) if name == "release")
    return '    {"%s", call_%s, %s, 0x%x, 0x%x, %d, %d, %d, %d},' % (
        f["name"], f["name"], of, pointers, release, f["returns"] == "mx2onnx_status", f["returns"] == "void", "i" in names, "user" in names)


def main():
    with open(API, encoding="utf-8") as f:
        api = json.load(f)
    functions = [f for f in api["functions"] if f["name"] not in APART]
    enums = {e["name"] for e in api["enums"]}
    lines = ['/* Made by tests/api/each.py. */', '#include "each.h"', ""]
    for f in functions:
        lines += list(caller(f, enums)) + [""]
    lines += ["static const struct function functions[] = {"] + [row(f) for f in functions] + ["};", ""]
    lines += END
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


main()
