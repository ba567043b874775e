"""Writes nets.zip, a catalogue of three nets, for the shared cases:  python3 bindings/cases/nets.py"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "oracle"))

from published import form, template  # noqa: E402


class Net:
    source, mean, std = "the tests", "", ""

    def __init__(self, name, graph, width, classes):
        self.name, self.template, self.sizes = name, graph, {"classes": classes}
        self.shapes = [((0, width), (0, width))]


def graph(classes, width, relu):
    node = template.Node
    nodes = [node(None, "data", (), ()), node(None, "tiny0_dense0_weight", (), ()), node(None, "tiny0_dense0_bias", (), ()),
             node("FullyConnected", "tiny0_dense0_fwd", (("num_hidden", str(classes)),), ((0, 0), (1, 0), (2, 0)))]
    if relu:
        nodes.append(node("Activation", "tiny0_relu0_fwd", (("act_type", "relu"),), ((3, 0),)))
    params = {"tiny0_dense0_weight": (("0.weight",), (classes, width)), "tiny0_dense0_bias": (("0.bias",), (classes,))}
    return template.Graph(nodes, [(len(nodes) - 1, 0)], params)


def main():
    kinds = ((2, False), (2, True), (3, False))
    graphs = [template.derive([({"classes": n}, graph(n, *kind)) for n in (7, 11, 5)]) for kind in kinds]
    nets = [Net("tiny", 0, 2, 2), Net("tiny_relu", 1, 2, 3), Net("tiny_wide", 2, 3, 2)]
    form.write(os.path.join(HERE, "nets.zip"), form.Encoder(graphs, nets).bytes())


main()
