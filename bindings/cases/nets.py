"""Writes nets.zip, a catalogue of two nets, for the shared cases:  python3 bindings/cases/nets.py"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "oracle"))

from published import form, template  # noqa: E402


class Net:
    source, mean, std, shapes = "the tests", "", "", [((0, 2), (0, 2))]

    def __init__(self, name, graph, classes):
        self.name, self.template, self.sizes = name, graph, {"classes": classes}


def graph(classes, relu):
    node = template.Node
    nodes = [node(None, "data", (), ()), node(None, "tiny0_dense0_weight", (), ()), node(None, "tiny0_dense0_bias", (), ()),
             node("FullyConnected", "tiny0_dense0_fwd", (("num_hidden", str(classes)),), ((0, 0), (1, 0), (2, 0)))]
    if relu:
        nodes.append(node("Activation", "tiny0_relu0_fwd", (("act_type", "relu"),), ((3, 0),)))
    params = {"tiny0_dense0_weight": (("0.weight",), (classes, 2)), "tiny0_dense0_bias": (("0.bias",), (classes,))}
    return template.Graph(nodes, [(len(nodes) - 1, 0)], params)


def main():
    graphs = [template.derive([({"classes": n}, graph(n, relu)) for n in (7, 11, 5)]) for relu in (False, True)]
    nets = [Net("tiny", 0, 2), Net("tiny_relu", 1, 3)]
    form.write(os.path.join(HERE, "nets.zip"), form.Encoder(graphs, nets).bytes())


main()
