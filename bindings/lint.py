"""Rules that every function of the header keeps, by bindings/api.json:

- what is set can be read and taken back: mx2onnx_set_X has a mx2onnx_get_X, or other functions return the value, and its comment
  says how to take it back;
- a function that registers another one takes `user` and `release`;
- every function has its own comment, and no other one has the same;
- the comment of every function that returns a status names those that it returns, or another function that does;
- what a comment names exists;
- no function has more than seven parameters;
- names follow the header's chapter on them: what takes a path ends in _file, what takes bytes in _memory, what takes a reader or writer in
  _callback, a count of elements in _count, a number of bytes in _size; what is read with get_ is set with the same name;
- no structure ends in padding, of 32 or 64 bits, in which a later member could be: struct_size would not show that it is there.

    python3 lint.py
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MOST = 7
# Names of other forms: a path that may be a folder, or whose file is only checked; memory for anything.
OTHER_FORMS = {"load", "check_external_data", "memory_new", "memory_free"}
# The functions that return what was set.
READ_BY = {"set_param": "param_name", "add_output": "output_name", "rename": "get_rename", "use_published": "get_input_mean"}
SETTER = re.compile(r"set_|(?!node_)\w*(?:rename|add_|use_)")
NOT_DECLARED = {"MX2ONNX_OK", "MX2ONNX_VERSION_NUMBER"}  # macros of the preprocessor
# Bytes of the members' types, by the bytes of a pointer; as large as their alignment everywhere.
SIZES = {"int32_t": 4, "int64_t": 8, "uint64_t": 8, "double": 8}
POINTERS = (4, 8)
BACK = re.compile(r"back|\breset|\bremove|NULL makes|model_reset")


def short(name):
    return name[len("mx2onnx_") :]


def statuses(api):
    values = next(e for e in api["enums"] if e["name"] == "mx2onnx_status")["values"]
    names = [v["name"][len("MX2ONNX_STATUS_") :] for v in values]
    return re.compile(r"\b(%s)\b|Statuses" % "|".join(n for n in names if n != "OK"))


def declared(api):
    """Every name that the header declares."""
    lists = [api[kind] for kind in ("functions", "enums", "structs", "callbacks", "aliases", "handles")]
    names = {x["name"] for items in lists for x in items} | {v["name"] for e in api["enums"] for v in e["values"]}
    return names | set(api["constants"])


def comments(api):
    """What has a comment, and the comment."""
    yield "the header's head", api["doc"]
    for kind in ("functions", "enums", "structs", "callbacks", "aliases", "handles", "sections"):
        for x in api[kind]:
            yield x["name"], x["doc"]
            for inner in x.get("values", []) + x.get("members", []):
                yield inner["name"], inner.get("doc", "")


def check_comments(api):
    names, owners = declared(api), {}
    for f in api["functions"]:
        if "shares" in f:
            yield "%s has no comment" % f["name"]
        elif f["doc"] in owners:
            yield "%s has the comment of %s" % (f["name"], owners[f["doc"]])
        owners.setdefault(f["doc"], f["name"])
    by_name = {f["name"]: f for f in api["functions"]}
    for name, comment in comments(api):
        for word in re.findall(r"\b(?:mx2onnx|MX2ONNX)_\w*[^\W_]\b(?!:\")", comment):  # but not the beginning of a key, "mx2onnx_file:"
            if word not in names | NOT_DECLARED:
                yield "the comment of %s names %s, which does not exist" % (name, word)
        for other in re.findall(r"[Ss]tatuses(?: as for|: those of) (\w+)", comment.replace("\n", " ")):
            if by_name.get(other, {}).get("returns") != "mx2onnx_status":
                yield "%s has the statuses of %s, which is not a function with a status" % (name, other)
        if re.search(r"[Ss]tatuses(?! as for mx2onnx_|: those of mx2onnx_)", comment.replace("\n", " ")) and name in by_name:
            yield "%s has statuses, but not those of a function" % name


def padding(struct, widths, pointer):
    """The bytes after its last member."""
    at = largest = 0
    for m in struct["members"]:
        size = widths.get(m["type"], pointer)
        at += -at % size + size
        largest = max(largest, size)
    return -at % largest


def check_structs(api):
    aliases = {a["name"]: a["type"] for a in api["aliases"] + api["enums"]}
    for pointer in POINTERS:
        widths = {**SIZES, **{name: SIZES[kind] for name, kind in aliases.items()}}
        for s in api["structs"]:
            if padding(s, widths, pointer):
                yield "%s ends in %d bytes of padding, with pointers of %d bytes" % (s["name"], padding(s, widths, pointer), pointer)


def endings(f):
    """How a function's name ends, by what it takes and returns."""
    types = {a["name"]: a["type"] for a in f["arguments"]}
    if "path" in types:
        yield "_file"
    if types.get("data", "") in ("const void *", "void **"):
        yield "_memory"
    if "mx2onnx_read_fn" in types.values() or "mx2onnx_write_fn" in types.values():
        yield "_callback"
    if f["returns"] in ("size_t", "uint64_t"):
        yield "_count" if f["returns"] == "size_t" else "_size"


def check(api):
    yield from check_structs(api)
    names = {short(f["name"]) for f in api["functions"]}
    named = statuses(api)
    yield from check_comments(api)
    for f in api["functions"]:
        name, arguments = short(f["name"]), f["arguments"]
        types, called = [a["type"] for a in arguments], {a["name"] for a in arguments}
        registers = any(re.search(r"_fn$|_handler \*$", t) and t != "mx2onnx_release_fn" for t in types)
        if f["returns"] == "mx2onnx_status" and not named.search(f["doc"]):
            yield "%s names no status" % f["name"]
        if registers and not {"user", "release"} <= called:
            yield "%s takes a function without user and release" % f["name"]
        if len(arguments) > MOST:
            yield "%s has %d parameters, %d at most" % (f["name"], len(arguments), MOST)
        for end in endings(f):
            if name not in OTHER_FORMS and not name.endswith(end):
                yield "%s does not end in %s" % (f["name"], end)
        if SETTER.match(name) and f["returns"] == "mx2onnx_status" and not registers:
            reader = READ_BY.get(name, "get_" + name[len("set_") :])
            if reader not in names:
                yield "%s sets what no function returns: mx2onnx_%s does not exist" % (f["name"], reader)
            if not BACK.search(f["doc"]) and not {"reset_" + name[len("set_") :], name.replace("add_", "clear_") + "s"} & names:
                yield "%s does not say how to take it back" % f["name"]
        if name.startswith("get_") and not {"set_" + name[len("get_") :], name[len("get_") :]} & names:
            yield "%s returns what no function sets" % f["name"]
    for name in sorted(set(READ_BY) | OTHER_FORMS):
        if name not in names:
            yield "lint.py excuses mx2onnx_%s, which does not exist" % name


def main():
    with open(os.path.join(HERE, "api.json"), encoding="utf-8") as f:
        failures = list(check(json.load(f)))
    print("\n".join(failures) or "every function keeps the rules")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
