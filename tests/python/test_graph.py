# SPDX-License-Identifier: Apache-2.0
"""Graphs and reports as JSON: against the schemas in lib/schema, MXNet's graph against the symbol file, ONNX's against the model that is
written, as the onnx package reads it."""
import glob
import json
import os
import subprocess

import mx2onnx
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
SAMPLES = os.path.join(ROOT, "tests", "data", "samples")
SYMBOLS = os.path.join(SAMPLES, "symbols", "1.9.1")
onnx = pytest.importorskip("onnx")
jsonschema = pytest.importorskip("jsonschema")
np = pytest.importorskip("numpy")


def load_json(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return json.load(f)


EXPECTED = load_json(SYMBOLS, "expected.json")
NETS = [name for name, e in EXPECTED.items() if "data_shapes" in e and name != "custom"]


def net(name):
    """A sample with the shapes of its inputs, as MXNet ran it."""
    model = mx2onnx.Model()
    model.load(os.path.join(SYMBOLS, name + "-symbol.json"))
    for variable, shape in EXPECTED[name].get("data_shapes", {}).items():
        model.set_input_shape(variable, shape)
    return model


# ---- schemas


def strict(schema):
    """A copy in which no object has a member that is not described."""
    if isinstance(schema, list):
        return [strict(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if "properties" in schema and "additionalProperties" not in schema and schema.get("type") == "object":
        made["additionalProperties"] = False
    return made


SCHEMAS = {name: strict(load_json(ROOT, "lib", "schema", name + ".json")) for name in ("graph", "report", "net", "operators")}
VALID = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}


def members(schema):
    """Every member that a schema describes, as (object's description or name, member)."""
    if isinstance(schema, list):
        return {m for s in schema for m in members(s)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if schema.get("type") == "object" and "properties" in schema else set()
    return own | {m for s in schema.values() for m in members(s)}


def keys(found):
    if isinstance(found, list):
        return {k for x in found for k in keys(x)}
    return set(found) | {k for x in found.values() for k in keys(x)} if isinstance(found, dict) else set()


def validated(kind, found):
    VALID[kind].validate(found)
    return found


def descriptions(schema, path="$"):
    if isinstance(schema, dict):
        for name, member in schema.get("properties", {}).items() if schema.get("type") == "object" else ():
            yield "%s.%s" % (path, name), member
        for key, value in schema.items():
            yield from descriptions(value, path + "." + key)
    elif isinstance(schema, list):
        for i, value in enumerate(schema):
            yield from descriptions(value, "%s[%d]" % (path, i))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_schema_is_one_and_describes_each_member(kind):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[kind])
    for path, member in descriptions(SCHEMAS[kind]):
        assert "description" in member or "$ref" in member, path


@pytest.mark.parametrize("kind, wrong", [("graph", {"more": 1}), ("graph", {"schema": 2}), ("graph", {"nodes": [{}]}), ("report", {"more": 1})])
def test_the_schema_refuses(kind, wrong):
    model = net("foreach")
    good = model.graph("mxnet") if kind == "graph" else model.report
    validated(kind, good)
    with pytest.raises(jsonschema.ValidationError):
        validated(kind, dict(good, **wrong))


def every_symbol():
    return sorted(glob.glob(os.path.join(SAMPLES, "symbols", "*", "*-symbol.json")) + glob.glob(os.path.join(SAMPLES, "nets", "*", "*-symbol.json"))
                  + glob.glob(os.path.join(ROOT, "bindings", "cases", "*-symbol.json")) + [os.path.join(ROOT, "examples", "digits", "digits-symbol.json")])


def kept():
    """A model with an operator that the library does not know, in its own domain."""
    symbol = {"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "y", "inputs": []},
                        {"op": "nosuch", "name": "n", "attrs": {"a": "1"}, "inputs": [[0, 0, 0]]},
                        {"op": "elemwise_add", "name": "s", "inputs": [[2, 0, 0], [1, 0, 0]]}],
              "arg_nodes": [0, 1], "heads": [[3, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    model = mx2onnx.Model()
    model.load_symbol(json.dumps(symbol))
    model.unknown_domain = "mxnet"
    for name in ("x", "y"):
        model.set_input_shape(name, ["n", 4])
    return model


def every_output():
    """Graphs and reports of every sample, without shapes too, after failures too."""
    for path in every_symbol():
        name = os.path.basename(path)[: -len("-symbol.json")]
        for shapes in ({}, EXPECTED.get(name, {}).get("data_shapes", {})):
            for domain in (None, "mxnet"):
                with mx2onnx.Model() as model:
                    model.unknown_domain = domain
                    try:
                        model.load(path)
                        for variable, shape in shapes.items():
                            model.set_input_shape(variable, shape)
                    except mx2onnx.Error:
                        pass
                    yield path, "report", model.report
                    for graph in ("mxnet", "onnx"):
                        try:
                            yield path, "graph", model.graph(graph)
                        except mx2onnx.Error as e:
                            assert graph == "onnx" or isinstance(e, (mx2onnx.InvalidArgumentError, mx2onnx.FormatError)), path
                        yield path, "report", model.report


def test_outputs_are_as_the_schemas_say(tmp_path, digits):
    """Each member that is described occurs, too."""
    seen = {"graph": set(), "report": set()}
    inferred = set()
    for path, kind, found in every_output():
        validated(kind, found)
        seen[kind] |= keys(found)
        if kind == "graph":
            inferred.add(found.get("inferred"))
    seen["graph"] |= keys(validated("graph", kept().graph()))
    with mx2onnx.Model(digits.symbol) as model:
        model.export(tmp_path / "m.onnx")
        assert validated("report", model.report)["written"]["files"] == ["m.onnx"]
    assert inferred == {True, False, None}
    for kind in seen:
        assert members(SCHEMAS[kind]) <= seen[kind]


# ---- MXNet's graph


def file_graph(path):
    """What a symbol file says of its nodes that heads reach: {name: (op, attributes, [(node, output)])}, and the heads."""
    graph = load_json(path)
    nodes = graph["nodes"]
    reached, todo = set(), [h[0] for h in graph["heads"]]
    while todo:
        k = todo.pop()
        if k not in reached:
            reached.add(k)
            todo += [i[0] for i in nodes[k]["inputs"]]
    found = {nodes[k]["name"]: (nodes[k]["op"], nodes[k].get("attrs", {}), [(nodes[i]["name"], o) for i, o, *_ in nodes[k]["inputs"]]) for k in reached}
    return found, [(nodes[k]["name"], o) for k, o, *_ in graph["heads"]]


def file_variables(name):
    return [n["name"] for n in load_json(SYMBOLS, name + "-symbol.json")["nodes"] if n["op"] == "null"]


def places(graph):
    """{name of a value: (node, output)}; no name occurs twice."""
    values = [(v["name"], (v["name"], 0)) for v in graph["inputs"] + graph["parameters"]]
    values += [(v["name"], (n["name"], i)) for n in graph["nodes"] for i, v in enumerate(n["outputs"])]
    assert len(dict(values)) == len(values)
    return dict(values)


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("renamed", [False, True])
def test_mxnet_graph_is_that_of_the_file(name, renamed):
    model = net(name)
    if renamed:  # in the ONNX file only
        for v in file_variables(name):
            model.rename(v, "new_" + v)
    model.infer()
    graph, (nodes, heads) = validated("graph", model.graph("mxnet")), file_graph(os.path.join(SYMBOLS, name + "-symbol.json"))
    assert graph["inferred"] and model.graph("mxnet") == graph
    of = places(graph)
    for n in graph["nodes"]:
        op, attributes, inputs = nodes[n["name"]]
        assert (n["op"], n["attributes"]) == (op, attributes)
        got = [of[i] for i in n["inputs"]]
        assert got == inputs[: len(got)]
        assert all(nodes[v][0] == "null" and v not in of for v, _ in inputs[len(got):]), "only labels are left out"
    assert [of[v["name"]] for v in graph["outputs"]] == [h for h in heads if h[0] in of or h[0] in {n["name"] for n in graph["nodes"]}]
    assert {n["name"] for n in graph["nodes"]} | set(of) >= {n for n, (op, _, _) in nodes.items() if op != "null"}
    assert {v["name"] for v in graph["inputs"] + graph["parameters"]} <= {n for n, (op, _, _) in nodes.items() if op == "null"}
    for v in graph["inputs"]:
        assert v["shape"] == EXPECTED[name]["data_shapes"].get(v["name"], v["shape"])
    listed = EXPECTED[name].get("outputs")
    assert not listed or [v["name"] for v in graph["outputs"]] == listed, "as MXNet's list_outputs() calls them"
    results = dict(zip(listed or (), EXPECTED[name]["result"]))
    for v in graph["outputs"]:
        if v["name"] in results and all(isinstance(d, int) for d in v["shape"]):
            assert tuple(v["shape"]) == np.shape(results[v["name"]])
    bodies = {n["name"]: n.get("bodies", []) for n in graph["nodes"]}
    for n in load_json(SYMBOLS, name + "-symbol.json")["nodes"]:
        if "subgraphs" in n:
            assert [[m["op"] for m in b["nodes"]] for b in bodies[n["name"]]] == [[m["op"] for m in s["nodes"] if m["op"] != "null"] for s in n["subgraphs"]]
            assert [[v["name"] for v in b["inputs"]] for b in bodies[n["name"]]] == [[m["name"] for m in s["nodes"] if m["op"] == "null"] for s in n["subgraphs"]]


def test_mxnet_graph_without_shapes_has_everything_else(digits):
    """Where inference fails: the same graph, with null; and the failure is reported by the next call that needs it."""
    name = "bn_output_mean_var"
    with mx2onnx.Model() as model:
        model.load(os.path.join(SYMBOLS, name + "-symbol.json"))
        bare = validated("graph", model.graph("mxnet"))
        assert not bare["inferred"] and not [d for d in model.diagnostics if d.severity == "error"]
        with pytest.raises(mx2onnx.ShapeError):
            model.infer()
        assert model.graph("mxnet") == bare
        with pytest.raises(mx2onnx.ShapeError):
            model.graph("onnx")
    full = net(name).graph("mxnet")
    without = lambda g: [(n["name"], n["op"], n["inputs"], [v["name"] for v in n["outputs"]], n["attributes"]) for n in g["nodes"]]  # noqa: E731
    assert without(full) == without(bare)
    assert [n["outputs"][0]["shape"] for n in bare["nodes"]].count(None) > 0
    assert all(None not in v["shape"] for n in full["nodes"] for v in n["outputs"])
    weights = {v["name"]: v for v in bare["parameters"]}
    assert weights["bn_gamma"] == {"name": "bn_gamma", "dtype": "float32", "shape": [3]}


def test_mxnet_graph_may_have_unknown_operators():
    path = os.path.join(ROOT, "bindings", "cases", "unknown-symbol.json")
    with mx2onnx.Model() as model:
        model.load_symbol(path)
        graph, (nodes, _) = model.graph("mxnet"), file_graph(path)
        assert not graph["inferred"]
        of = places(graph)
        assert {n["name"]: (n["op"], n["attributes"], [of[i] for i in n["inputs"]]) for n in graph["nodes"]} == {
            k: v for k, v in nodes.items() if v[0] != "null"}


def test_each_value_has_its_own_name():
    """A variable with the name of a node's output, and a missing weight."""
    symbol = {"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "r_output", "inputs": []},
                        {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}, {"op": "broadcast_add", "name": "s", "inputs": [[2, 0, 0], [1, 0, 0]]},
                        {"op": "null", "name": "w", "inputs": []}, {"op": "null", "name": "b", "inputs": []},
                        {"op": "FullyConnected", "name": "f", "attrs": {"num_hidden": "2"}, "inputs": [[3, 0, 0], [4, 0, 0], [5, 0, 0]]}],
              "arg_nodes": [0, 1, 4, 5], "heads": [[6, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    with mx2onnx.Model() as model:
        model.load_symbol(json.dumps(symbol))
        graph = validated("graph", model.graph("mxnet"))
    of = places(graph)
    assert [of[i] for i in graph["nodes"][1]["inputs"]] == [("r", 0), ("r_output", 0)]
    assert [(v["name"], v.get("missing")) for v in graph["parameters"]] == [("w", True), ("b", True)]


def test_texts_are_escaped():
    name = 'quote" \\ tab\t line\n ä 猫'
    symbol = {"nodes": [{"op": "null", "name": name, "inputs": []}, {"op": "relu", "name": name + "!", "attrs": {'k"': "v\u0001\\"}, "inputs": [[0, 0, 0]]}],
              "arg_nodes": [0], "heads": [[1, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}
    with mx2onnx.Model() as model:
        model.load_symbol(json.dumps(symbol))
        model.set_input_shape(name, ['b"', 3])
        for which in ("mxnet", "onnx"):
            graph = validated("graph", model.graph(which))
            assert (graph["inputs"][0]["name"], graph["inputs"][0]["shape"]) == (name, ['b"', 3])
        assert model.graph("mxnet")["nodes"][0]["attributes"] == {'k"': "v\u0001\\"}


# ---- ONNX's graph

KINDS = {onnx.AttributeProto.INT: lambda a: a.i, onnx.AttributeProto.FLOAT: lambda a: a.f, onnx.AttributeProto.STRING: lambda a: a.s.decode(),
         onnx.AttributeProto.INTS: lambda a: list(a.ints), onnx.AttributeProto.FLOATS: lambda a: list(a.floats),
         onnx.AttributeProto.STRINGS: lambda a: [s.decode() for s in a.strings]}


def value_of(info):
    t = info.type.tensor_type
    dims = [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in t.shape.dim] if t.HasField("shape") else None
    return {"name": info.name, "dtype": onnx.helper.tensor_dtype_to_np_dtype(t.elem_type).name, "shape": dims}


def same_attribute(attribute, proto):
    assert attribute["type"] == onnx.AttributeProto.AttributeType.Name(proto.type)
    got = attribute["value"]
    if proto.type == onnx.AttributeProto.GRAPH:
        same_graph(got, proto.g)
        return
    want = KINDS[proto.type](proto)
    one = want[0] if isinstance(want, list) and want else want
    if isinstance(one, float):
        assert np.array_equal(np.asarray(got, np.float64).astype(np.float32), np.asarray(want, np.float32), equal_nan=True)
        assert all(isinstance(x, (float, str)) for x in (got if isinstance(got, list) else [got]))
    else:
        assert got == want and type(got) is type(want)


def same_graph(got, proto):
    infos = {v.name: value_of(v) for v in list(proto.value_info) + list(proto.output)}
    assert got["inputs"] == [value_of(v) for v in proto.input]
    assert got["outputs"] == [value_of(v) for v in proto.output]
    assert {v["name"]: (v["dtype"], v["shape"]) for v in got["parameters"]} == {
        t.name: (onnx.helper.tensor_dtype_to_np_dtype(t.data_type).name, list(t.dims)) for t in proto.initializer}
    assert len(got["nodes"]) == len(proto.node)
    for n, p in zip(got["nodes"], proto.node):
        assert (n["name"], n["op"], n.get("domain", ""), n["inputs"]) == (p.name, p.op_type, p.domain, list(p.input))
        assert [v["name"] for v in n["outputs"]] == list(p.output)
        for v in n["outputs"]:
            assert v == infos.get(v["name"], v)
        assert sum(v["name"] in infos for v in n["outputs"]) == sum(v["name"] != "" for v in n["outputs"])
        assert set(n["attributes"]) == {a.name for a in p.attribute}
        for a in p.attribute:
            same_attribute(n["attributes"][a.name], a)


def metadata(proto):
    return {p.key: p.value for p in proto.metadata_props}


def mxnet_nodes(nodes):
    for n in nodes:
        yield n["name"], n["op"]
        for body in n.get("bodies", ()):
            yield from mxnet_nodes(body["nodes"])


def bodies_of(nodes):
    for n in nodes:
        yield n
        for a in n["attributes"].values():
            if a["type"] == "GRAPH":
                yield from bodies_of(a["value"]["nodes"])


def protos_of(nodes):
    for n in nodes:
        yield n
        for a in n.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                yield from protos_of(a.g.node)


@pytest.mark.parametrize("options", [{}, {"initializers_as_inputs": True}, {"float16": "inside"}, {"opset": 12}, {"node_metadata": True}],
                         ids=lambda o: "-".join(o) or "plain")
@pytest.mark.parametrize("name", NETS + ["digits", "kept"])
def test_onnx_graph_is_what_is_written(name, options, digits):
    if name == "digits":
        model = mx2onnx.Model(digits.symbol)
    elif name == "kept":
        model = kept()
    else:
        model = net(name)
    for option, value in options.items():
        setattr(model, option, value)
    try:
        written = onnx.load_from_string(model.export_bytes())
    except mx2onnx.UnsupportedError:
        assert "opset" in options
        with pytest.raises(mx2onnx.UnsupportedError):
            model.graph()
        return
    graph = validated("graph", model.graph())
    same_graph(graph, written.graph)
    assert graph["ir_version"] == written.ir_version
    assert dict(graph["domains"], **{"": graph["opset"]}) == {o.domain: o.version for o in written.opset_import}
    mxnet = dict(mxnet_nodes(model.graph("mxnet")["nodes"]))
    of = [n["mxnet"] for n in graph["nodes"] if "mxnet" in n]
    assert of or not graph["nodes"]
    assert all(mxnet.get(m["node"], "null") == m["op"] for m in of)
    for n, p in zip(bodies_of(graph["nodes"]), protos_of(written.graph.node)):
        want = {"mxnet_node": n["mxnet"]["node"], "mxnet_op": n["mxnet"]["op"]} if "mxnet" in n else {}
        assert metadata(p) == (want if options.get("node_metadata") else {})


# ---- metadata of nodes


@pytest.mark.parametrize("opset, ir_version", [(12, 10), (17, 10), (21, 10), (23, None)])
def test_metadata_of_nodes_is_written_on_request(opset, ir_version, digits):
    model = mx2onnx.Model(digits.symbol)
    model.opset = opset
    plain = onnx.load_from_string(model.export_bytes())
    assert not any(n.metadata_props for n in plain.graph.node)
    model.node_metadata = True
    data = model.export_bytes()
    told = onnx.load_from_string(data)
    onnx.checker.check_model(told, full_check=True)
    assert told.ir_version == (ir_version or max(10, plain.ir_version))
    digits.check(data)
    found = {n.name: metadata(n) for n in told.graph.node}
    assert found["conv1"] == {"mxnet_node": "conv1", "mxnet_op": "Convolution"}
    nodes = {n["name"]: n["op"] for n in load_json(digits.symbol)["nodes"]}
    for of in found.values():
        assert not of or nodes[of["mxnet_node"]] == of["mxnet_op"]
    for n in told.graph.node:
        del n.metadata_props[:]
    told.ir_version = plain.ir_version
    assert told == plain, "nothing else differs"


def test_nets_are_as_the_schema_says():
    with mx2onnx.Model() as m:
        nets, texts = m.nets, m.catalogue
    sources = {name: [n["source"] for n in nets if n["name"] == name] for name in texts}  # MXNet and GluonCV share names
    assert sum(map(len, sources.values())) == len(nets) > 300
    for net in nets:
        validated("net", net)
        assert texts[net["name"]].endswith("; " + sources[net["name"]][-1])
        assert ("classes %d;" % net["classes"] if "classes" in net else "") in texts[net["name"]]
    assert members(SCHEMAS["net"]) - {k for net in nets for k in net} <= {"segments"}


def test_operators_are_as_the_schema_says():
    tool = os.environ.get("MX2ONNX_TOOL", os.path.join(ROOT, "build", "examples", "mx2onnx"))
    found = validated("operators", json.loads(subprocess.run([tool, "ops", "--json"], check=True, capture_output=True).stdout))
    assert members(SCHEMAS["operators"]) == keys(found)
    assert found["version"] == mx2onnx.__version__
    assert len({op["anchor"] for op in found["operators"]}) == len(found["operators"]) > 500
