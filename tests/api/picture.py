"""lib/architecture.svg: the folders of lib and ops as rooms, each above those that it includes; no arrow points up, and no folder is left
out. A line that follows from others is not drawn.

    tests/api/picture.py             compares the file
    tests/api/picture.py --rebase    writes it
"""
import os
import sys

from includes import ROOT, includes, sources

FILE = os.path.join(ROOT, "lib", "architecture.svg")
# Each room: its column, and what it does.
ROOMS = {
    "api": (1, "exported functions: check and call"),
    "model": (1, "the handle: load, prepare, export"),
    "pass": (0, "canon, infer, float16, lower"),
    "catalogue": (0, "graphs of published nets"),
    "read": (0, "symbols, parameters, archives"),
    "graph": (0, "MXNet graph, dims, shapes, types"),
    "ops": (1, "the operators, one file each"),
    "ops/shared": (1, "what several operators use"),
    "op": (1, "what an operator is: attributes, rules"),
    "onnx/pass": (2, "fusing, legalising, names"),
    "onnx/write": (1, "sizes, then bytes as a stream"),
    "onnx/builder": (2, "what an operator's lower calls"),
    "onnx/rules": (2, "types, shapes, folding, forms"),
    "onnx/values": (2, "what is known of values"),
    "onnx/tensor": (2, "bytes of weights, block by block"),
    "onnx/ir": (2, "the ONNX graph in memory"),
    "onnx/schema": (2, "ONNX's operators, as data"),
    "base": (1, "memory, texts, files, diagnostics"),
}
TITLES = ("MXNet", "operators", "ONNX")
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 270, 46, 60, 26, 20


def room(path):
    parts = path.split("/")
    return ("ops/shared" if parts[1] == "shared" else "ops") if parts[0] == "ops" else "/".join(parts[1:-1])


def read():
    """{room: (the rooms that it includes, its lines of C)}"""
    found = {}
    for top in ("lib", "ops"):
        for path, text in sources(top):
            uses, lines = found.setdefault(room(path), (set(), [0]))
            lines[0] += text.count("\n")
            for header in includes(text):
                for folder in ("lib", "ops"):
                    if os.path.exists(os.path.join(ROOT, folder, header)):
                        uses.add(room("%s/%s" % (folder, header)))
    return {name: (uses - {name}, lines[0]) for name, (uses, lines) in found.items()}


def level(name, found, above=()):
    if name in above:
        raise SystemExit("a circle of folders: %s" % " -> ".join((*above, name)))
    return 1 + max((level(other, found, (*above, name)) for other in found[name][0]), default=-1)


def direct(name, found):
    """The rooms that it uses and does not also reach through another one."""
    def reach(start):
        return set().union(*({other} | reach(other) for other in found[start][0])) if found[start][0] else set()
    uses = found[name][0]
    return sorted(uses - set().union(*(reach(other) for other in uses)) if uses else ())


def rows(found):
    """{room: its row from the bottom}: above all that it uses, and no two rooms of a column in one row."""
    row, taken = {}, set()
    for name in sorted(found, key=lambda name: (level(name, found), name)):
        row[name] = 1 + max((row[other] for other in found[name][0]), default=-1)
        while (ROOMS[name][0], row[name]) in taken:
            row[name] += 1
        taken.add((ROOMS[name][0], row[name]))
    return row


def draw(found):
    levels = rows(found)
    top = max(levels.values())

    def place(name):
        return MARGIN + ROOMS[name][0] * (WIDTH + GAP_X), MARGIN + 24 + (top - levels[name]) * (HEIGHT + GAP_Y)

    lines, rooms = [], []
    for name in sorted(found):
        x, y = place(name)
        for other in direct(name, found):
            to_x, to_y = place(other)
            lines.append('<path d="M%d %d C%d %d %d %d %d %d"/>' % (x + WIDTH // 2, y + HEIGHT, x + WIDTH // 2, y + HEIGHT + GAP_Y,
                                                                 to_x + WIDTH // 2, to_y - GAP_Y, to_x + WIDTH // 2, to_y - 3))
        rooms.append('<g><rect x="%d" y="%d" width="%d" height="%d" rx="6"/><text class="name" x="%d" y="%d">%s</text>'
                     '<text x="%d" y="%d">%s</text></g>'
                     % (x, y, WIDTH, HEIGHT, x + 10, y + 19, name, x + 10, y + 37, ROOMS[name][1]))
    titles = ['<text class="title" x="%d" y="%d">%s</text>' % (MARGIN + i * (WIDTH + GAP_X), MARGIN, title) for i, title in enumerate(TITLES)]
    size = 2 * MARGIN + 3 * WIDTH + 2 * GAP_X, 2 * MARGIN + 24 + (top + 1) * (HEIGHT + GAP_Y) - GAP_Y
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">' % (*size, *size),
        "<title>The folders of lib and ops, each above those that it includes</title>",
        "<style>text{font:13px sans-serif;fill:#334}.name{font-weight:bold;fill:#113}.title{font-size:15px;font-weight:bold;fill:#557}"
        "rect{fill:#eef3fb;stroke:#89a}path{fill:none;stroke:#89a;stroke-width:1.3;marker-end:url(#a)}</style>",
        '<defs><marker id="a" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<polygon points="0,0 8,4 0,8" fill="#89a"/></marker></defs>',
        '<rect x="0" y="0" width="%d" height="%d" style="fill:#fff;stroke:none"/>' % size, *titles, *lines, *rooms, "</svg>", ""])


def main():
    found = read()
    if set(found) != set(ROOMS):
        print("rooms without a place in the picture, or places without a room: %s" % ", ".join(sorted(set(found) ^ set(ROOMS))))
        return 1
    text = draw(found)
    if "--rebase" in sys.argv:
        with open(FILE, "w", encoding="utf-8") as f:
            f.write(text)
        return 0
    with open(FILE, encoding="utf-8") as f:
        same = f.read() == text
    print("the picture is current" if same else "lib/architecture.svg is not current; tests/api/picture.py --rebase")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
