# SPDX-License-Identifier: Apache-2.0
"""Makes the catalogue of published nets, lib/catalogue/nets.zip, and the digests of MXNet's own symbols with which
the library's are compared (tests/data/recorded/catalogue.tsv).

    build/oracle/bin/python tests/oracle/catalogue.py [--check] [--cache FOLDER] [NET...]

Each net is built as published and with other numbers of classes, crops, segments and words; what is built is kept in FOLDER.
With --check the files are compared instead of written; with names only these nets are built, and nothing is written.
Half an hour on two processors.
"""
import argparse
import filecmp
import os
import pickle
import sys
import tempfile
import traceback
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, os.pardir, os.pardir)
CATALOGUE = os.path.join(ROOT, "lib", "catalogue", "nets.zip")
DIGESTS = os.path.join(ROOT, "tests", "data", "recorded", "catalogue.tsv")

from published import form, nets, template  # noqa: E402

VARIANTS = ([{"classes": n} for n in (7, 11, 5)] + [{"crop": n} for n in (320, 512)] + [{"segments": n} for n in (3, 7)]
            + [{"vocabulary": n} for n in (1000, 1013, 2001)] + [{"classes": 5, "crop": 416}, {"classes": 5, "segments": 5}])
TESTED = [{}, {"classes": 5}, {"classes": 5, "crop": 416}, {"classes": 5, "segments": 5}, {"vocabulary": 2001}]


class Entry:
    """A net in the catalogue."""

    def __init__(self, net, sizes, number, graph):
        self.name, self.source, self.sizes, self.template = net.name, net.source, sizes, number
        self.mean, self.std = [",".join(map(str, n)) for n in net.normal] if net.normal else ("", "")
        inputs = [n.name for n in graph.nodes if n.op is None and n.name not in graph.params]
        self.shapes = [shapes(net, sizes, name) for name in inputs]


def shapes(net, sizes, name):
    """(what the graph needs, what the net was published for), with 0 for any size."""
    usual = net.inputs[name]
    needs = tuple(d if i == 1 or d == 1 else 0 for i, d in enumerate(usual)) if len(usual) > 2 and not net.sized else usual
    if "crop" in sizes and len(usual) == 4:
        side = ("crop", 1, 0, 1)
        usual = needs = usual[:2] + (side, side)
    return needs, usual


# ---- building

def spec(given):
    return ",".join("%s=%d" % item for item in sorted(given.items())) or "published"


def in_child(path, work):
    """work() in a separate process, since a net's names depend on those that were built before; its result in the file."""
    pid = os.fork()
    if pid == 0:
        try:
            sys.stdout = open(os.devnull, "w")
            with open(path + ".tmp", "wb") as f:
                f.write(zlib.compress(pickle.dumps(work()), 1))
            os.rename(path + ".tmp", path)
            os._exit(0)
        except BaseException:
            sys.stderr.write("%s: %s\n" % (os.path.basename(path), traceback.format_exc(1).strip().split("\n")[-1][:200]))
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def load(path):
    with open(path, "rb") as f:
        return template.parse(pickle.loads(zlib.decompress(f.read())))


def build(net, cache):
    """({spec: graph}) of a net; None if it does not build."""
    graphs = {}
    for given in [{}] + [v for v in VARIANTS if set(v) <= set(net.varies)]:
        path = os.path.join(cache, "%s %s %s" % (net.source, net.name, spec(given)))
        if not os.path.exists(path) and not in_child(path, lambda: nets.build(net, **given)):
            if not given:
                return None
            continue
        graphs[spec(given)] = given, load(path)
    return graphs


class Made:
    """A net as a template: its sizes as published, and digests of what MXNet built."""

    def __init__(self, net, graphs):
        whole = graphs["published"][1]
        self.net, self.graph = net, whole
        self.template, self.sizes, self.fixed = template.published(whole, [v for k, v in graphs.items() if k != "published"])
        tested = [(g, graphs[spec(g)][1]) for g in TESTED if spec(g) in graphs and set(g) <= set(self.sizes)]
        if self.template.block:  # which does not come at all then
            tested.append(({"classes": 1}, template.parse(nets.build(net, classes=1))))
        self.digests = [(spec(given), template.digest(graph)) for given, graph in tested]


def make_all(names, cache):
    made, missing = [], []
    for net in nets.published():
        if names and net.name not in names:
            continue
        path = os.path.join(cache, "%s %s made" % (net.source, net.name))
        if not os.path.exists(path):
            graphs = build(net, cache)
            if graphs is None:
                missing.append(net.name)
                continue
            if not in_child(path, lambda: vars(Made(net, graphs)) | {"net": None}):
                sys.exit("%s: no template" % net.name)
        with open(path, "rb") as f:
            one = Made.__new__(Made)
            one.__dict__.update(pickle.loads(zlib.decompress(f.read())), net=net)
        made.append(one)
        print("%-45s %s%s" % (net.name, spec(one.sizes), "".join("; fixed: " + f[:60] for f in one.fixed)), flush=True)
    print("%d nets; not built: %s" % (len(made), ", ".join(missing) or "none"))
    return made


# ---- the files

def encode(made):
    """(bytes of the catalogue, lines of digests)"""
    templates, numbers, entries, lines = [], {}, {}, []
    for m in sorted(made, key=lambda m: (m.net.name, m.net.source)):
        key = m.template.key()
        if key not in numbers:
            numbers[key] = len(templates)
            templates.append(m.template)
        entry = Entry(m.net, m.sizes, numbers[key], m.graph)
        same = entries.setdefault((entry.name, entry.template, repr(entry.sizes)), entry)
        if same is not entry:
            same.source += ", " + entry.source
        lines += ["\t".join((m.net.name, m.net.source) + d) + "\n" for d in m.digests]
    print("%d graphs" % len(templates))
    return form.Encoder(templates, list(entries.values())).bytes(), lines


def compare(path, other):
    if not os.path.exists(path) or not filecmp.cmp(path, other, shallow=False):
        sys.exit("%s is not what MXNet gives" % os.path.relpath(path, ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cache")
    parser.add_argument("nets", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = options.cache or folder
        os.makedirs(cache, exist_ok=True)
        made = make_all(options.nets, cache)
        if options.nets:
            return
        raw, lines = encode(made)
        new = [os.path.join(folder, n) for n in ("nets.zip", "catalogue.tsv")]
        form.write(new[0], raw)
        with open(new[1], "w") as f:
            f.writelines(lines)
        print("%d bytes, %d packed" % (len(raw), os.path.getsize(new[0])))
        for ours, other in zip((CATALOGUE, DIGESTS), new):
            if options.check:
                compare(ours, other)
            else:
                with open(other, "rb") as f, open(ours, "wb") as out:
                    out.write(f.read())


main()
