"""lib has floors, and lib/onnx within it: a file calls and includes only what is in its own folder or on a floor below. No file of lib/onnx
reaches itself through others. What a floor only declares, and a higher one defines, is for others to call: an operator lowers a body with
what lib/pass has (op/op.h).
"""
import re
import sys

from includes import includes, sources, without_comments

FLOORS = {"schema": 0, "ir": 1, "tensor": 2, "values": 3, "rules": 4, "builder": 5, "pass": 6, "write": 6}
LIB_FLOORS = {"base": 0, "graph": 1, "onnx": 2, "op": 3, "read": 4, "catalogue": 5, "pass": 6, "model": 7, "api": 8}
DEFINITION = re.compile(r"^(?!static|typedef|return)\w[\w \*]*?\b((?:ox|mx|mx2onnx)_\w+)\([^;{]*?\)\s*\{", re.M)


def floor(path):
    folder = path.split("/")[0]
    return FLOORS.get(folder, LIB_FLOORS.get(folder))


def read(folder):
    """{file: text} of the folder without comments, the same with them, and {function: the .c file that defines it}."""
    texts = {path[len(folder) + 1:]: without_comments(text) for path, text in sources(folder)}
    plain = {path[len(folder) + 1:]: text for path, text in sources(folder)}
    owner = {name: path for path, text in texts.items() if path.endswith(".c") for name in DEFINITION.findall(text)}
    return texts, plain, owner


def calls(texts, owner):
    """{file: {file: functions of it that are called}}"""
    found = {path: {} for path in texts if path.endswith(".c")}
    for path, called in found.items():
        for name in set(re.findall(r"(?<!struct )\b((?:ox|mx|mx2onnx)_\w+)\(", texts[path])):
            if owner.get(name, path) != path:
                called.setdefault(owner[name], set()).add(name)
    return found


def reached(graph, start):
    seen, open_ = set(), [start]
    while open_:
        for next_ in graph[open_.pop()]:
            if next_ not in seen:
                seen.add(next_)
                open_.append(next_)
    return seen


def check_calls(graph):
    for path in sorted(graph):
        for other, names in sorted(graph[path].items()):
            if floor(path) < floor(other):
                yield "%s calls %s of %s, which is above it" % (path, ", ".join(sorted(names)), other)


def check_includes(plain):
    for path, text in sorted(plain.items()):
        for header in includes(text):
            other = header[len("onnx/"):] if header.startswith("onnx/") else None
            if other and floor(other) is not None and floor(path) is not None and floor(path) < floor(other):
                yield "%s includes %s, which is above it" % (path, header)


def check_circles(graph):
    reach = {path: reached(graph, path) for path in graph}
    for path in sorted(graph):
        circle = {other for other in reach[path] if path in reach[other]}
        if path in circle:
            yield "%s is in a circle of %s" % (path, ", ".join(sorted(circle)))


def main():
    failures = []
    for folder, least in (("lib/onnx", 200), ("lib", 900)):
        texts, plain, owner = read(folder)
        graph = calls(texts, owner)
        if len(owner) < least:
            print("only %d functions were found: has %s moved?" % (len(owner), folder))
            return 1
        failures += list(check_calls(graph))
        if folder == "lib/onnx":
            failures += list(check_includes(plain)) + list(check_circles(graph))
    print("\n".join(failures) or "floors are kept")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
