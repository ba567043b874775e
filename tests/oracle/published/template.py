# SPDX-License-Identifier: Apache-2.0
"""Templates of nets: a graph whose numbers follow from a few sizes (classes, crop, ...), found by building the net at
several of them. A template is kept only if it gives every graph that was built, also those it was not made of."""
import json
import re
import zlib

SIZES = ("classes", "crop", "segments", "vocabulary")
TURN = "turn"  # of the block that is repeated
VARIABLES = SIZES + (TURN,)
TRAINING = {("Dropout", "p"), ("BatchNorm", "momentum"), ("BatchNorm", "use_global_stats")}
DIGITS = re.compile(r"(\d+)")


class Unlike(Exception):
    """The graphs do not fit into one template."""


class Node:
    """op None: a parameter or an input. attrs: sorted pairs. inputs: (node, output). subgraphs: of quantised nodes."""

    def __init__(self, op, name, attrs, inputs, subgraphs=()):
        self.op, self.name, self.attrs, self.inputs, self.subgraphs = op, name, attrs, inputs, tuple(subgraphs)

    def key(self):
        return self.op, self.name, self.attrs, self.inputs, tuple(g.key() for g in self.subgraphs)


class Graph:
    """nodes, heads (node, output), params {node name: (names, shape)}, and extras [(name, (names, shape))] that it does not read."""

    def __init__(self, nodes, heads, params=None, extras=()):
        self.nodes, self.heads, self.params, self.extras = nodes, heads, params or {}, tuple(extras)

    def key(self):
        return tuple(n.key() for n in self.nodes), tuple(self.heads), tuple(sorted(self.params.items())), self.extras


def digest(graph):
    """Of everything that a symbol is made of: operators, names, attributes, edges, what save_parameters calls parameters and
    their shapes. tests/catalogue/symbols.c makes the same of ours."""
    def lines(g, inside):
        for n in g.nodes:
            if n.op is None and (inside or n.name not in g.params):
                yield "null|" + ("" if inside else n.name)
            elif n.op is None:
                names, shape = g.params[n.name]
                yield "null|%s|%s" % (names[0], ",".join(map(str, shape)))
            else:
                attrs, inputs = ";".join("=".join(a) for a in n.attrs), ",".join("%d:%d" % e for e in n.inputs)
                yield "|".join([n.op, "" if inside else n.name, attrs, inputs])
            for s in n.subgraphs:
                yield from lines(s, True)
        yield "heads|" + ",".join("%d:%d" % tuple(h) for h in g.heads)
    text = "\n".join(lines(graph, False)).encode()
    return "%08x %d" % (zlib.crc32(text), len(text))


def visible(attrs):
    return tuple(sorted((k, str(v)) for k, v in attrs.items() if not k.startswith("__")))


def graph_of(loaded):
    nodes = [Node(None if n["op"] == "null" else n["op"], n["name"], visible(n.get("attrs", {})) if n["op"] != "null" else (),
                  tuple((e[0], e[1]) for e in n["inputs"]), [graph_of(s) for s in n.get("subgraphs", ())])
             for n in loaded["nodes"]]
    return Graph(nodes, [(h[0], h[1]) for h in loaded["heads"]])


def parse(built):
    """The graph of what nets.build gives."""
    graph = graph_of(json.loads(built["symbol"]))
    used = set(built["used"])
    for name, structure in built["names"].items():
        shape = built["shapes"].get(name)
        shape = tuple(shape) if shape and 0 not in shape else None
        if name in used:
            graph.params[name] = (tuple(structure), shape)
    graph.extras = tuple(sorted((n, (tuple(s), tuple(built["shapes"].get(n) or ()))) for n, s in built["names"].items()
                                if n not in used))
    return graph


# ---- numbers: a text is a tuple of literals and (variable, a, b, k): (a * variable + b) / k, which has no remainder

def fit(values):
    """[(sizes, number)] -> an int, or (variable, a, b, k)."""
    first = values[0][1]
    if all(v == first for _, v in values):
        return first
    for variable in VARIABLES:
        known = sorted({(s[variable], v) for s, v in values if variable in s})
        if len(known) < 2 or len(known) != len({x for x, _ in known}):
            continue
        (x0, y0), (x1, y1) = known[0], known[-1]
        if x1 == x0:
            continue
        for k in (1, 2, 4, 8, 16, 32, 64):
            if (y1 - y0) * k % (x1 - x0):
                continue
            a = (y1 - y0) * k // (x1 - x0)
            b = y0 * k - a * x0
            if all(a * s[variable] + b == v * k for s, v in values if variable in s) and all(variable in s for s, _ in values):
                return variable, a, b, k
    raise Unlike("no number for %s" % (values[:4],))


def evaluate(number, sizes):
    if isinstance(number, int):
        return number
    variable, a, b, k = number
    value, rest = divmod(a * sizes[variable] + b, k)
    if rest:
        raise Unlike("%s is not a multiple" % variable)
    return value


def fit_text(values):
    """[(sizes, text)] -> text, or a tuple of texts and numbers."""
    first = values[0][1]
    if all(t == first for _, t in values):
        return first
    split = [(s, DIGITS.split(t)) for s, t in values]
    if len({tuple(p[0::2]) for _, p in split}) != 1:
        raise Unlike("texts %r" % ({t for _, t in values},))
    parts = []
    for i, part in enumerate(split[0][1]):
        if i % 2 == 0:
            number = part
        elif all(p[i] == part for _, p in split):
            number = part
        else:
            if any(p[i] != str(int(p[i])) for _, p in split):
                raise Unlike("a number with zeros before it")
            number = fit([(s, int(p[i])) for s, p in split])
        if isinstance(number, str) and parts and isinstance(parts[-1], str):
            parts[-1] += number
        elif number != "":
            parts.append(number)
    return tuple(parts)


def text_of(text, sizes):
    if isinstance(text, str):
        return text
    return "".join(p if isinstance(p, str) else str(evaluate(p, sizes)) for p in text)


def fit_shape(values):
    shapes = [v for _, v in values]
    if any(s is None for s in shapes):
        return None
    if len({len(s) for s in shapes}) != 1:
        raise Unlike("ranks")
    return tuple(fit([(s, v[i]) for s, v in values]) for i in range(len(shapes[0])))


# ---- nodes

def fit_node(samples):
    """[(sizes, node)] of one place, inputs aside."""
    nodes = [n for _, n in samples]
    if len({(n.op, tuple(k for k, _ in n.attrs), len(n.subgraphs)) for n in nodes}) != 1:
        raise Unlike("operators at %s" % nodes[0].name)
    attrs = tuple((k, fit_text([(s, n.attrs[i][1]) for s, n in samples])) for i, (k, _) in enumerate(nodes[0].attrs))
    if any(n.subgraphs for n in nodes) and len({n.key() for n in nodes}) != 1:
        raise Unlike("subgraphs")
    return Node(nodes[0].op, fit_text([(s, n.name) for s, n in samples]), attrs, None, nodes[0].subgraphs)


class Layout:
    """Where the places of a template are in a graph: nodes from `start`, `length` of them, are there `count` times."""

    def __init__(self, total, start=0, length=0, count=1):
        self.total, self.start, self.length, self.count = total, start, length, count

    def place(self, i):
        """(place in the template, turn) of node i."""
        end = self.start + self.length * self.count
        if i < self.start or not self.length:
            return i, 0
        if i < end:
            return self.start + (i - self.start) % self.length, (i - self.start) // self.length
        return i - self.length * (self.count - 1), 0

    def node(self, place, turn):
        if place < self.start or not self.length:
            return place
        if place < self.start + self.length:
            return place + turn * self.length
        return place + self.length * (self.count - 1)

    def inside(self, place):
        return self.start <= place < self.start + self.length

    def places(self):
        return self.total - self.length * (self.count - 1)


def fit_inputs(graph, layout, i):
    """References to places: (place, output, every turn)."""
    place, turn = layout.place(i)
    found, inputs, k = [], graph.nodes[i].inputs, 0
    while k < len(inputs):
        to, its = layout.place(inputs[k][0])
        if layout.inside(to) and not layout.inside(place):
            every = [(layout.node(to, t), inputs[k][1]) for t in range(layout.count)]
            if list(inputs[k:k + layout.count]) != every:
                raise Unlike("not every turn is read")
            found.append((to, inputs[k][1], True))
            k += layout.count
            continue
        if layout.inside(to) and its != turn:
            raise Unlike("another turn is read")
        found.append((to, inputs[k][1], False))
        k += 1
    return tuple(found)


class Template:
    """nodes whose texts are templates and whose inputs are references; params of each variable; the block."""

    def __init__(self, nodes, heads, params, extras, block):
        self.nodes, self.heads, self.params, self.extras = nodes, heads, params, extras
        self.block = block  # (start, length, count) or None

    def key(self):
        return repr(([n.key() for n in self.nodes], self.heads, sorted(self.params.items()), self.extras, self.block))

    def meaning(self):
        """What inference computes: without what only training reads, and without names."""
        nodes = [(n.op, tuple((k, v) for k, v in n.attrs if (n.op, k) not in TRAINING), n.inputs, [g.key() for g in n.subgraphs])
                 for n in self.nodes]
        return repr((nodes, self.heads, sorted(self.params.items()), self.extras, self.block))

    def graph(self, sizes):
        start, length, count = self.block or (0, 0, 1)
        count = evaluate(count, sizes)
        layout = Layout(len(self.nodes) + length * (count - 1), start, length, count)
        nodes, params = [], {}
        for i in range(layout.total):
            place, turn = layout.place(i)
            n, here = self.nodes[place], dict(sizes, **{TURN: turn})
            inputs = []
            for to, output, every in n.inputs:
                turns = range(count) if every else [turn if layout.inside(place) else 0]
                inputs += [(layout.node(to, t), output) for t in turns]
            name = text_of(n.name, here)
            nodes.append(Node(n.op, name, tuple((k, text_of(v, here)) for k, v in n.attrs), tuple(inputs), n.subgraphs))
            if place in self.params:
                names, shape = self.params[place]
                params[name] = (names, shape and tuple(evaluate(d, here) for d in shape))
        extras = tuple((n, (names, tuple(evaluate(d, sizes) for d in shape))) for n, (names, shape) in self.extras)
        return Graph(nodes, [(layout.node(p, 0), o) for p, o in self.heads], params, extras)


def layouts(samples):
    """Possible layouts of the graphs: [[layout for each]]."""
    totals = [len(g.nodes) for _, g in samples]
    if len(set(totals)) == 1:
        yield None, [Layout(t) for t in totals]
        return
    ops = [[n.op for n in g.nodes] for _, g in samples]
    changed = sorted({(s["classes"], t) for (s, _), t in zip(samples, totals)})
    (x0, t0), (x1, t1) = changed[0], changed[-1]
    length, rest = divmod(t1 - t0, x1 - x0) if x1 != x0 else (0, 1)
    if rest or length <= 0:
        raise Unlike("numbers of nodes %s" % changed)
    for more in (0, -1, 1):
        counts = [s["classes"] + more for s, _ in samples]
        for start in range(min(totals)):
            if len({o[start - 1] for o in ops}) != 1 and start:
                break
            if all(o[start:start + length] * c == o[start:start + length * c] for o, c in zip(ops, counts)):
                count = counts[0] if len(set(counts)) == 1 else ("classes", 1, more, 1)
                yield (start, length, count), [Layout(t, start, length, c) for t, c in zip(totals, counts)]


def solve(template, graph, variable):
    """The value that the size has in a graph; None if the template does not depend on it."""
    shapes = {names[0]: shape for names, shape in graph.params.values()}
    for names, shape in template.params.values():
        for i, d in enumerate(shape or ()):
            if not isinstance(d, int) and d[0] == variable:
                return (shapes[names[0]][i] * d[3] - d[2]) // d[1]
    for ours, theirs in zip(template.nodes, graph.nodes):
        for (_, text), (_, told) in zip(ours.attrs, theirs.attrs):
            if isinstance(text, str):
                continue
            found = re.fullmatch("".join(re.escape(p) if isinstance(p, str) else r"(\d+)" for p in text), told)
            for d, value in zip([p for p in text if not isinstance(p, str)], found.groups() if found else ()):
                if d[0] == variable:
                    return (int(value) * d[3] - d[2]) // d[1]
    return None


def published(graph, variants):
    """(template, its sizes as published, what could not be left open) from the published graph and [(sizes, graph)] of others,
    which say the sizes that are not as published."""
    base, fixed = {}, []
    for size in SIZES:
        alone = [(s, g) for s, g in variants if set(s) == {size}]
        if len(alone) < 2:
            continue
        try:
            value = solve(derive(alone), graph, size)
            if value is not None:
                base[size] = value
        except Unlike as e:
            fixed.append("%s: %s" % (size, e))
    while True:
        samples = [(base, graph)] + [(dict(base, **s), g) for s, g in variants if set(s) <= set(base)]
        try:
            return derive(samples), base, fixed
        except Unlike as e:
            if not base:
                raise
            fixed.append("%s: %s" % (base.popitem()[0], e))


def derive(samples):
    """[(sizes, graph)], the first as published -> Template."""
    problem = Unlike("no layout")
    for block, places in layouts(samples):
        try:
            return fitted(samples, block, places)
        except Unlike as e:
            problem = e
    raise problem


def fitted(samples, block, places):
    total = places[0].places()
    if any(p.places() != total for p in places):
        raise Unlike("numbers of nodes")
    seen = [[] for _ in range(total)]
    references = [set() for _ in range(total)]
    params = [[] for _ in range(total)]
    for (sizes, graph), layout in zip(samples, places):
        for i, n in enumerate(graph.nodes):
            place, turn = layout.place(i)
            here = dict(sizes, **{TURN: turn}) if layout.inside(place) else sizes
            seen[place].append((here, n))
            references[place].add(fit_inputs(graph, layout, i))
            if n.name in graph.params:
                params[place].append((here,) + graph.params[n.name])
    nodes, found = [], {}
    for place in range(total):
        if len(references[place]) != 1:
            raise Unlike("inputs at %s" % seen[place][0][1].name)
        node = fit_node(seen[place])
        node.inputs, = references[place]
        nodes.append(node)
        if params[place]:
            if len({names for _, names, _ in params[place]}) != 1:
                raise Unlike("names of parameters")
            found[place] = (params[place][0][1], fit_shape([(s, shape) for s, _, shape in params[place]]))
    heads = {tuple((l.place(h[0])[0], h[1]) for h in g.heads) for (_, g), l in zip(samples, places)}
    extras = [g.extras for _, g in samples]
    if len(heads) != 1 or len({tuple((n, p[0]) for n, p in e) for e in extras}) != 1:
        raise Unlike("heads or parameters")
    more = tuple((n, (p[0], fit_shape([(s, g.extras[i][1][1]) for s, g in samples]))) for i, (n, p) in enumerate(extras[0]))
    template = Template(nodes, heads.pop(), found, more, block)
    for sizes, graph in samples:
        if template.graph(sizes).key() != graph.key():
            raise Unlike("another graph at %s" % sizes)
    return template
