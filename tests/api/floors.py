"""lib/onnx has floors: a file calls and includes only what is in its own folder or on a floor below. No file reaches itself
through others.
"""
import re
import sys

from includes import includes, sources, without_comments

FLOORS = {"schema": 0, "ir": 1, "tensor": 2, "values": 3, "rules": 4, "builder": 5, "pass": 6, "write": 6}
DEFINITION = re.compile(r"^(?!static|typedef|return)\w[\w \*]*?\b(ox_\w+)\([^;{]*?\)\s*\{", re.M)


def floor(path):
    return FLOORS.get(path.split("/")[0])


def read():
    """{file: text} of lib/onnx without comments, and {function: the .c file that defines it}."""
    texts = {path[len("lib/onnx/"):]: without_comments(text) for path, text in sources("lib/onnx")}
    plain = {path[len("lib/onnx/"):]: text for path, text in sources("lib/onnx")}
    owner = {name: path for path, text in texts.items() if path.endswith(".c") for name in DEFINITION.findall(text)}
    return texts, plain, owner


def calls(texts, owner):
    """{file: {file: functions of it that are called}}"""
    found = {path: {} for path in texts if path.endswith(".c")}
    for path, called in found.items():
        for name in set(re.findall(r"(?<!struct )\b(ox_\w+)\(", texts[path])):
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
    texts, plain, owner = read()
    graph = calls(texts, owner)
    if len(owner) < 200:
        print("only %d functions were found: does lib/onnx lie elsewhere?" % len(owner))
        return 1
    failures = list(check_calls(graph)) + list(check_includes(plain)) + list(check_circles(graph))
    print("\n".join(failures) or "floors are kept")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
