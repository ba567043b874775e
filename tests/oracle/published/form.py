# SPDX-License-Identifier: Apache-2.0
"""The bytes of the catalogue (lib/catalogue/README.md has the format)."""
import re
import zipfile
from collections import Counter

from published.template import SIZES, VARIABLES

MAGIC = b"MXNETS1\n"
PART = re.compile(r"\x01[^\x02]*\x02|[^._\x01]*[._]|[^._\x01]+", re.S)
LETTER = dict(zip(VARIABLES, "cpsvt"))


def flat(text):
    """A text with its numbers written out: \\1 letter a,b,k \\2."""
    if isinstance(text, str):
        assert "\x01" not in text and "\x02" not in text
        return text
    return "".join(p if isinstance(p, str) else "\x01%s%d,%d,%d\x02" % ((LETTER[p[0]],) + p[1:]) for p in text)


def parts(name):
    """What names are put together of: each part ends in its separator, numbers stay whole."""
    out = []
    for m in PART.finditer(name):
        if out and not out[-1].endswith((".", "_")):
            out[-1] += m.group()
        else:
            out.append(m.group())
    return out


class Table:
    """Things by number, the most used first."""

    def __init__(self):
        self.uses = Counter()

    def add(self, thing, times=1):
        self.uses[thing] += times
        return thing

    def close(self):
        self.items = sorted(self.uses, key=lambda t: (-self.uses[t], repr(t)))
        self.at = {t: i for i, t in enumerate(self.items)}


class Writer:
    def __init__(self):
        self.out = bytearray()

    def varint(self, n):
        assert n >= 0, n
        while n > 127:
            self.out.append(n & 127 | 128)
            n >>= 7
        self.out.append(n)

    def signed(self, n):
        self.varint(n * 2 if n >= 0 else -n * 2 - 1)

    def bytes(self, b):
        self.varint(len(b))
        self.out += b

    def number(self, n):
        if isinstance(n, int):
            self.varint(n * 2)
            return
        self.varint(VARIABLES.index(n[0]) * 2 + 1)
        self.signed(n[1])
        self.signed(n[2])
        self.varint(n[3])


class Encoder:
    """Everything is walked twice: first what is used is counted, then it is written by number."""

    def __init__(self, templates, entries):
        self.templates, self.entries = templates, entries
        self.strings, self.kinds, self.shapes = Table(), Table(), Table()
        self.writer = None
        self.graphs_and_nets()
        self.kinds.close()
        for op, attrs, _ in self.kinds.items:
            for s in (op,) + tuple(s for pair in attrs for s in pair):
                self.strings.add(s)
        self.strings.close()
        self.shapes.close()

    def put(self, table, thing, more=0):
        table.add(thing) if self.writer is None else self.writer.varint(table.at[thing] + more)

    def varint(self, n):
        if self.writer is not None:
            self.writer.varint(n)

    def number(self, n):
        if self.writer is not None:
            self.writer.number(n)

    # ---- graphs

    def name(self, text, before):
        new = parts(flat(text))
        shared = 0
        while shared < min(len(new), len(before)) and new[shared] == before[shared]:
            shared += 1
        self.varint(shared)
        self.varint(len(new) - shared)
        for p in new[shared:]:
            self.put(self.strings, p)
        return new

    def references(self, inputs, place):
        self.varint(len(inputs))
        for to, output, every in inputs:
            self.varint((place - to) * 4 + (2 if output else 0) + every)
            if output:
                self.varint(output)

    def kind(self, n):
        key = n.op, tuple((k, flat(v)) for k, v in n.attrs), len(n.subgraphs)
        self.put(self.kinds, key, 2)

    def parameter(self, param, names):
        structure, shape = param
        assert len(structure) <= 4
        self.varint(len(structure) - 1)
        for s in structure:
            names[1] = self.name(s, names[1])
        self.put(self.shapes, shape)

    def node(self, t, place, n, names):
        if n.op is None:
            self.varint(0 if place in t.params else 1)
            names[0] = self.name(n.name, names[0])
            if place in t.params:
                self.parameter(t.params[place], names)
            return
        self.kind(n)
        names[0] = self.name(n.name, names[0])
        self.references(n.inputs, place)
        for s in n.subgraphs:
            self.subgraph(s)

    def subgraph(self, g):
        """Of a quantised node: nodes without names."""
        self.varint(len(g.nodes))
        for place, n in enumerate(g.nodes):
            assert not n.subgraphs
            if n.op is None:
                self.varint(1)
            else:
                self.kind(n)
                self.references([(to, o, False) for to, o in n.inputs], place)
        self.references([(to, o, False) for to, o in g.heads], len(g.nodes))

    def prefix(self, t):
        """How many parts all names of parameters share."""
        names = [parts(flat(t.nodes[p].name)) for p in t.params]
        shared = 0
        while all(len(n) > shared + 1 and n[:shared + 1] == names[0][:shared + 1] for n in names) and shared < 1:
            shared += 1
        return shared

    def graph(self, t):
        names = [[], []]
        self.varint(len(t.nodes))
        self.varint(self.prefix(t))
        start, length, count = t.block or (0, 0, 0)
        self.varint(length)
        if length:
            self.varint(start)
            self.number(count)
            assert not any(start <= p < start + length for p in t.params)
        for place, n in enumerate(t.nodes):
            self.node(t, place, n, names)
        self.references([(to, o, False) for to, o in t.heads], len(t.nodes))
        self.varint(len(t.extras))
        for name, param in t.extras:
            names[0] = self.name(name, names[0])
            self.parameter(param, names)

    def sized_graph(self, t, group):
        params = [p[0] for p in t.params.values()]
        self.varint(len(params))
        self.varint(sum(map(len, params)) + sum(len(p[0]) for _, p in t.extras))
        self.varint(group)
        if self.writer is None:
            self.graph(t)
            return
        whole, self.writer = self.writer, Writer()
        self.graph(t)
        whole.bytes(bytes(self.writer.out))
        self.writer = whole

    # ---- nets

    def entry(self, e):
        for text in (e.name, e.source, e.mean, e.std):
            self.put(self.strings, text)
        self.varint(e.template)
        for size in SIZES:
            self.varint(e.sizes.get(size, 0))
        self.varint(len(e.shapes))
        for needs, usual in e.shapes:
            self.put(self.shapes, needs)
            self.put(self.shapes, usual)

    def graphs_and_nets(self):
        groups = {}
        self.varint(len(self.templates))
        for t in self.templates:
            self.sized_graph(t, groups.setdefault(t.meaning(), len(groups)))
        self.varint(len(self.entries))
        for e in self.entries:
            self.entry(e)

    def bytes(self):
        w = self.writer = Writer()
        w.out += MAGIC
        w.varint(len(self.strings.items))
        for s in self.strings.items:
            w.bytes(s.encode())
        w.varint(len(self.kinds.items))
        for op, attrs, subgraphs in self.kinds.items:
            w.varint(self.strings.at[op])
            w.varint(len(attrs))
            for pair in attrs:
                for s in pair:
                    w.varint(self.strings.at[s])
            w.varint(subgraphs)
        w.varint(len(self.shapes.items))
        for shape in self.shapes.items:
            w.varint(len(shape))
            for d in shape:
                w.number(d)
        self.graphs_and_nets()
        return bytes(w.out)


def write(path, raw):
    """A zip with one member, the same at every time."""
    member = zipfile.ZipInfo("nets", (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as z:
        z.writestr(member, raw, compresslevel=9)
