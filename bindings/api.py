"""The C header as data: bindings/api.json, for generators and for the check that no binding misses a function.

    python3 api.py            writes api.json
    python3 api.py --check    fails where it is not up to date

Functions with arguments, results, the header's words and the version since which they exist; enums, handles, callbacks, structures,
numbers; the header's sections with the names in each, in their order. A function that follows another one without its own
comment has the other's words, and its name as "shares". "since" is the version in which a name appeared: for functions that of the node in
lib/mx2onnx.map (MX2ONNX_1.4 is 1.4.0), for types, enumerators, members and numbers what api.json said before, and for new ones the
header's version. tests/api/contract.json holds what may not change any more.
"""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(HERE, "..", "include", "mx2onnx.h")
MAP = os.path.join(HERE, "..", "lib", "mx2onnx.map")
OUTPUT = os.path.join(HERE, "api.json")
NODE = re.compile(r"^MX2ONNX_(\d+)\.(\d+) \{(.*?)^\}", re.S | re.M)

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
PIECE = re.compile(
    r"(?P<section>/\* -{10,} (?P<title>.*?)(?:\n(?P<rest>.*?))?\*/)"
    r"|(?P<comment>/\*.*?\*/)"
    r"|(?P<define>^#define (?P<defined>MX2ONNX_\w+)[ \t]+(?P<number>\d+)$)"
    r"|(?P<map>^#define MX2ONNX_STATUS_MAP\(X\)(?P<rows>(?:[^\n]*\\\n)*[^\n]*))"
    r"|(?P<enum>^enum (?P<enum_name>\w+)_values \{(?P<values>.*?)\};)"
    r"|(?P<handle>^typedef struct (?P<handle_name>\w+) \w+;)"
    r"|(?P<struct>^typedef struct (?P<struct_name>\w+) \{(?P<members>.*?)\} \w+;)"
    r"|(?P<callback>^typedef (?P<callback_result>[^;(]*?)\(MX2ONNX_CALL \*(?P<callback_name>\w+)\)\((?P<callback_arguments>[^;]*?)\);)"
    r"|(?P<alias>^typedef (?P<alias_type>\w+) (?P<alias_name>\w+);)"
    r"|(?P<function>^(?:MX2ONNX_NODISCARD )?MX2ONNX_API (?P<result>[^;(]*?)MX2ONNX_CALL (?P<name>mx2onnx_\w+)\((?P<arguments>[^;]*?)\);)"
    r"|(?P<blank>\n[ \t]*\n)",
    re.S | re.M,
)

KINDS = ("section", "comment", "define", "map", "enum", "handle", "struct", "callback", "alias", "function", "blank")


def words_of(comment):
    """A comment without its frame: lines of a paragraph joined, examples as they are."""
    lines = [re.sub(r"^ ?\* ?", "", line.strip()) for line in comment.strip().splitlines()]
    return "\n".join(lines).strip()


def type_of(text):
    return re.sub(r"\s*\*\s*", " *", re.sub(r"\s+", " ", text)).strip().replace("* *", "**")


def arguments_of(text):
    if text.strip() in ("", "void"):
        return []
    found = []
    for argument in text.split(","):
        kind, name = re.match(r"(.*?)(\w+)\s*$", argument, re.S).groups()
        found.append({"name": name, "type": type_of(kind)})
    return found


def enum_values(body, statuses):
    if "MX2ONNX_STATUS_MAP" in body:
        return statuses
    values = []
    for name, value, after in re.findall(r"(MX2ONNX_\w+) = (-?\d+),?[ \t]*(/\*.*?\*/)?", body):
        values.append({"name": name, "value": int(value)})
        if after:
            values[-1]["doc"] = words_of(after[2:-2])
    return values


def versions_of(map_text):
    """{function: (major, minor, patch)} of the linker's map."""
    versions = {}
    for major, minor, names in NODE.findall(map_text):
        version = (int(major), int(minor), 0)
        versions.update((name, version) for name in re.findall(r"^\s+(mx2onnx_\w+);$", names, re.M))
    return versions


def dotted(version):
    return "%d.%d.%d" % version


def parse(text, versions):
    head = words_of(COMMENT.match(text).group(1))
    text = text[text.index("#define MX2ONNX_VERSION_MAJOR") :]
    api = {"doc": head[head.index("\n") :].strip(), "constants": {}, "constants_doc": {}, "sections": [], "enums": [], "handles": [], "aliases": []}
    api.update({"callbacks": [], "structs": [], "functions": []})
    section, doc, owner, statuses, aliases = "version", "", None, [], {}
    names = []
    api["sections"].append({"name": section, "doc": "", "names": names})
    for m in PIECE.finditer(text):
        kind = next(k for k in KINDS if m.group(k))
        if kind in ("comment", "section", "blank"):
            owner = None
        if kind == "section":
            section, doc, names = m.group("title").strip(" *"), "", []
            api["sections"].append({"name": section, "doc": words_of("\n" + (m.group("rest") or "")), "names": names})
        elif kind == "comment":
            doc = words_of(m.group()[2:-2])
        elif kind == "blank":
            doc = ""
        elif kind == "define":
            api["constants"][m.group("defined")] = int(m.group("number"))
            if doc:
                api["constants_doc"][m.group("defined")], doc = doc, ""  # of this one and those that follow it
            names.append(m.group("defined"))
        elif kind == "map":
            for code, name, words in re.findall(r"X\((-?\d+), (\w+), \"(.*?)\"\)", m.group("rows")):
                statuses.append({"name": "MX2ONNX_STATUS_" + name, "value": int(code), "doc": words})
        elif kind == "alias":
            aliases[m.group("alias_name")] = {"name": m.group("alias_name"), "type": m.group("alias_type"), "doc": doc}
            names.append(m.group("alias_name"))
        elif kind == "enum":
            name = m.group("enum_name")
            values = enum_values(m.group("values"), statuses)
            api["enums"].append(dict(aliases.pop(name), prefix=name.upper() + "_", values=values))
        elif kind == "handle":
            api["handles"].append({"name": m.group("handle_name"), "doc": doc})
            names.append(m.group("handle_name"))
        elif kind == "struct":
            members = re.findall(r"(\w[\w ]*[ *])(\w+);[ \t]*(?:/\*(.*?)\*/)?", m.group("members"))
            members = [{"name": n, "type": type_of(t), "doc": words_of(d)} for t, n, d in members]
            api["structs"].append({"name": m.group("struct_name"), "members": members, "doc": doc})
            names.append(m.group("struct_name"))
        elif kind == "callback":
            arguments = arguments_of(m.group("callback_arguments"))
            returns = type_of(m.group("callback_result"))
            api["callbacks"].append({"name": m.group("callback_name"), "returns": returns, "arguments": arguments, "doc": doc})
            names.append(m.group("callback_name"))
        elif kind == "function":
            function = {
                "name": m.group("name"),
                "section": section,
                "since": dotted(versions.get(m.group("name"), (0, 0, 0))),
                "returns": type_of(m.group("result")),
                "arguments": arguments_of(m.group("arguments")),
                "doc": doc,
            }
            api["functions"].append(dict(function, shares=owner) if owner else function)
            names.append(m.group("name"))
            owner = owner or m.group("name")
    api["aliases"] = list(aliases.values())
    return api


def dated(api):
    """Everything that has a "since" which the map does not know, with its own name."""
    for kind in ("enums", "handles", "aliases", "callbacks", "structs"):
        for x in api[kind]:
            yield x["name"], x
            for inner in x.get("values", []):
                yield inner["name"], inner
            for inner in x.get("members", []):
                yield "%s.%s" % (x["name"], inner["name"]), inner


def date(api, old):
    """Adds "since": what the old file says of a name, or the present version."""
    known = {name: x.get("since") for name, x in dated(old)}
    for name, x in dated(api):
        x["since"] = known.get(name) or dotted(version_of(api))


def version_of(api):
    return tuple(api["constants"]["MX2ONNX_VERSION_" + part] for part in ("MAJOR", "MINOR", "PATCH"))


def check(api, text, versions):
    """What the header declares and the parser did not see is an error of the parser."""
    bare = COMMENT.sub("", text)
    declared = set(re.findall(r"\b(mx2onnx_\w+)\s*\(", "\n".join(l for l in bare.splitlines() if "MX2ONNX_API" in l)))
    missed = declared - {f["name"] for f in api["functions"]}
    known = {"void", "char", "double", "size_t", "int32_t", "int64_t", "uint64_t"}
    for kind in ("enums", "handles", "aliases", "callbacks", "structs"):
        known |= {x["name"] for x in api[kind]}
    uses = [(f["name"], [f["returns"]] + [a["type"] for a in f["arguments"]]) for f in api["functions"] + api["callbacks"]]
    uses += [(s["name"], [m["type"] for m in s["members"]]) for s in api["structs"]]
    for name, types in uses:
        for kind in types:
            if not set(re.findall(r"\w+", kind)) - {"const"} <= known:
                missed.add("the type '%s' of %s" % (kind, name))
    missed |= {"the words of " + f["name"] for f in api["functions"] if not f["doc"]}
    now = version_of(api)
    for name, x in dated(api):
        if tuple(int(n) for n in x["since"].split(".")) > now:
            missed.add("the version of %s, which is %s, after the header's %s" % (name, x["since"], dotted(now)))
    for f in api["functions"]:
        version = versions.get(f["name"])
        if not version:
            missed.add("the version of %s, which lib/mx2onnx.map does not list" % f["name"])
        elif version > now:
            missed.add("the version of %s, which is %s in lib/mx2onnx.map, after the header's %s" % (f["name"], dotted(version), dotted(now)))
    return sorted(missed)


def main():
    with open(HEADER, encoding="utf-8") as f:
        text = f.read()
    with open(MAP, encoding="utf-8") as f:
        versions = versions_of(f.read())
    api = parse(text, versions)
    with open(OUTPUT, encoding="utf-8") as f:
        date(api, json.load(f))
    missed = check(api, text, versions)
    if missed:
        print("api.py does not understand: " + ", ".join(missed))
        return 1
    wanted = json.dumps(api, indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        with open(OUTPUT, encoding="utf-8") as f:
            if f.read() != wanted:
                print("bindings/api.json is not what include/mx2onnx.h says; run python3 bindings/api.py")
                return 1
    else:
        with open(OUTPUT, "w", encoding="utf-8", newline="\n") as f:
            f.write(wanted)
    print("%d functions" % len(api["functions"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
