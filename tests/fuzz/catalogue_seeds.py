"""Writes corpus/catalogue.pack: small catalogues with all that the format has.  python3 catalogue_seeds.py"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "oracle")]

import corpus  # noqa: E402
from published import form, template  # noqa: E402

Node = template.Node


class Net:
    source, mean, std = "the tests", "0.5,0.5,0.5", "0.2,0.2,0.2"

    def __init__(self, name, graph, sizes, shape):
        self.name, self.template, self.sizes, self.shapes = name, graph, sizes, [(shape, shape)]


def dense(classes):
    nodes = [Node(None, "data", (), ()), Node(None, "net0_dense0_weight", (), ()), Node(None, "net0_dense0_bias", (), ()),
             Node("FullyConnected", "net0_dense0_fwd", (("num_hidden", str(classes)),), ((0, 0), (1, 0), (2, 0)))]
    params = {"net0_dense0_weight": (("0.weight", "also.weight"), (classes, 2)), "net0_dense0_bias": (("0.bias",), (classes,))}
    return template.Graph(nodes, [(3, 0)], params, [("net0_other", (("other",), (classes,)))])


def turns(classes):
    """A block for each class, and a node that reads all."""
    g = dense(classes)
    for i in range(classes):
        attrs = (("axis", "-1"), ("begin", str(i)), ("end", str(i + 1)))
        g.nodes += [Node("slice_axis", "net0_slice_axis%d" % i, attrs, ((3, 0),)),
                    Node("relu", "net0_relu%d" % i, (), ((len(g.nodes), 0),))]
    every = tuple((4 + 2 * i + 1, 0) for i in range(classes))
    g.nodes.append(Node("Concat", "net0_concat0", (("dim", "1"), ("num_args", str(classes))), every))
    g.heads = [(len(g.nodes) - 1, 0), (3, 0)]
    return g


def quantised():
    inner = template.Graph([Node(None, "a", (), ()), Node("relu", "b", (), ((0, 0),))], [(1, 0)])
    g = dense(5)
    g.nodes.append(Node("_sg_mkldnn_conv", "net0_fused", (("quantized", "true"),), ((3, 0),), (inner,)))
    g.nodes.append(Node("SliceChannel", "net0_split0", (("num_outputs", "5"),), ((4, 0),)))
    g.nodes.append(Node("elemwise_add", "net0_plus0", (), ((5, 1), (5, 4))))
    g.heads = [(6, 0)]
    return g


def of(make):
    return template.derive([({"classes": n}, make(n)) for n in (7, 11, 5)])


def main():
    graphs = [of(dense), of(turns), template.derive([({}, quantised())]), of(turns)]
    graphs[3].block = graphs[3].block[:2] + (("classes", 1, -1, 1),)  # of one class it does not come at all
    nets = [Net("a", 0, {"classes": 3}, (0, 2)), Net("b", 1, {"classes": 5}, (0, ("classes", 2, 0, 1))), Net("c", 2, {}, (1, 2)),
            Net("d", 3, {"classes": 1}, (0, 2))]
    kept = [form.Encoder([g], [Net(n.name, 0, n.sizes, n.shapes[0][0])]).bytes() for g, n in zip(graphs, nets)]
    corpus.pack(kept + [form.Encoder(graphs, nets).bytes()], os.path.join(HERE, "corpus", "catalogue.pack"))


main()
