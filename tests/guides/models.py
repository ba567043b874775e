# SPDX-License-Identifier: Apache-2.0
"""The models that the guides speak of, from what was recorded of MXNet: graphs of real nets, weights of a rule."""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
sys.path += [os.path.join(ROOT, "tests", "numeric"), os.path.join(ROOT, "bindings", "python")]

import mx2onnx  # noqa: E402
import ndarray_list  # noqa: E402
import recorded  # noqa: E402
import weights  # noqa: E402

EXAMPLES = os.path.join(ROOT, "examples")


def write(kind, name, folder, prefix):
    """A recorded net as PREFIX-symbol.json and PREFIX-0000.params; what was recorded of it."""
    reader = recorded.Reader(recorded.path(kind, name))
    index, path = reader.index, os.path.join(folder, prefix)
    with open(path + "-symbol.json", "w") as f:
        f.write(index["symbol"])
    made = weights.make(index["symbol"], index["params"], index.get("scales", {}))
    ndarray_list.save(path + "-0000.params", {("aux:" if n in index.get("aux", ()) else "arg:") + n: a for n, a in made.items()})
    return reader


def copy(folder, *names):
    for name in names:
        shutil.copy(os.path.join(EXAMPLES, name), folder)


def camera(folder):
    """A face recogniser of InsightFace."""
    write("nets", "mobilefacenet", folder, "model")


def end_in_softmax(path):
    """Adds the SoftmaxOutput that a net of SageMaker's image-classification ends in, with its label."""
    with open(path) as f:
        symbol = json.load(f)
    nodes, (head,) = symbol["nodes"], symbol["heads"]
    nodes += [{"op": "null", "name": "softmax_label", "inputs": []},
              {"op": "SoftmaxOutput", "name": "softmax", "inputs": [head, [len(nodes), 0, 0]]}]
    symbol["arg_nodes"].append(len(nodes) - 2)
    symbol["heads"] = [[len(nodes) - 1, 0, 0]]
    symbol.pop("node_row_ptr", None)
    with open(path, "w") as f:
        json.dump(symbol, f)


def service(folder):
    """What SageMaker's image-classification leaves in S3."""
    prefix = "image-classification"
    with open(os.path.join(folder, "model-shapes.json"), "w") as f:
        json.dump([{"shape": [1, 3, 32, 32], "name": "data"}], f)
    write("nets", "cifar_resnet20_v1", folder, prefix)
    end_in_softmax(os.path.join(folder, prefix + "-symbol.json"))
    with tarfile.open(os.path.join(folder, "model.tar.gz"), "w:gz") as archive:
        for name in (prefix + "-symbol.json", prefix + "-0000.params", "model-shapes.json"):
            archive.add(os.path.join(folder, name), name)
            os.unlink(os.path.join(folder, name))


def pictures(folder):
    """What object-detection and semantic-segmentation end in, over one convolution each: rows of a class, a score and a box; a map of classes."""
    def save(prefix, nodes, heads, *shapes):
        rng = np.random.RandomState(1)
        names = [n for n, _, _, _ in nodes]
        nodes = [{"op": op, "name": n, "attrs": attrs, "inputs": [[names.index(i), 0, 0] for i in inputs]} for n, op, attrs, inputs in nodes]
        ends = {"arg_nodes": [k for k, n in enumerate(nodes) if n["op"] == "null"], "heads": [[names.index(n), 0, 0] for n in heads]}
        put(folder, prefix + "-symbol.json", json.dumps(dict(ends, nodes=nodes)))
        arrays = {n: rng.uniform(-1, 1, shape).astype(np.float32) for n, shape in shapes}
        ndarray_list.save(os.path.join(folder, prefix + "-0000.params"), arrays)

    def convolution(name, filters):
        inputs = "data", name + "_weight", name + "_bias"
        return [(i, "null", {}, ()) for i in inputs[1:]] + [(name, "Convolution", {"kernel": "(4, 4)", "stride": "(4, 4)", "num_filter": str(filters)}, inputs)]

    def weights_of(name, filters):
        return (name + "_weight", (filters, 3, 4, 4)), (name + "_bias", (filters,))

    data = [("data", "null", {}, ())]
    last = {"axes": "(0, 2, 3, 1)"}
    save("detection", data + convolution("cls", 6) + [
        ("cls_t", "transpose", last, ["cls"]), ("cls_r", "Reshape", {"shape": "(0, -1, 3)"}, ["cls_t"]),
        ("cls_c", "transpose", {"axes": "(0, 2, 1)"}, ["cls_r"]), ("cls_prob", "softmax", {"axis": "1"}, ["cls_c"]),
    ] + convolution("loc", 8) + [
        ("loc_t", "transpose", last, ["loc"]), ("loc_f", "Flatten", {}, ["loc_t"]),
        ("anchors", "_contrib_MultiBoxPrior", {"sizes": "(0.3, 0.5)"}, ["cls"]),
        ("detection", "_contrib_MultiBoxDetection", {"nms_threshold": "0.45"}, ["cls_prob", "loc_f", "anchors"]),
    ], ["cls_prob", "detection"], *weights_of("cls", 6), *weights_of("loc", 8))  # both, as the training's symbol has them
    save("segmentation", data + convolution("fcn", 5), ["fcn"], *weights_of("fcn", 5))


def detector(folder):
    copy(folder, *["shapes/" + n for n in ("shapes-symbol.json", "shapes-0000.params", "picture.py", "boxes.py")])


def digits(folder):
    copy(folder, *["digits/" + n for n in ("digits-symbol.json", "digits-0000.params", "digits-test.json")])


def bert(folder):
    """As GluonNLP's fine-tuning leaves it, but of two layers; and what MXNet computed."""
    reader = write("sequences", "bert_classifier_2_64_4", folder, "bert")
    run, names = reader.index["runs"][1], ("input_ids", "token_type_ids", "valid_length")
    arrays = {"input:" + n: reader.get(e) for n, e in zip(names, run["inputs"].values())}
    output = json.loads(reader.index["symbol"])
    name = output["nodes"][output["heads"][0][0]]["name"]
    np.savez(os.path.join(folder, "recorded.npz"), **arrays, **{"output:" + name: reader.get(run["outputs"][0])})


def quantized(folder):
    digits(folder)
    for name in ("-symbol.json", "-0000.params"):
        shutil.copy(os.path.join(ROOT, "tests", "data", "samples", "symbols", "1.9.1-quantized", "quant_mkldnn" + name),
                    os.path.join(folder, "quantized" + name))


def put(folder, name, text):
    with open(os.path.join(folder, name), "w") as f:
        f.write(text)


def published(folder, net, name):
    """A file as save_parameters writes it for a published net, of zeros."""
    build = os.environ.get("MX2ONNX_BUILD", os.path.join(ROOT, "build"))
    program = os.path.join(build, "tests", "catalogue", "catalogue_symbols")
    digests = os.path.join(ROOT, "tests", "data", "recorded", "catalogue.tsv")
    told = subprocess.run([program, digests, net], capture_output=True, text=True, check=True).stdout
    rows = [line.split("|") for line in told.split("\n") if line.startswith("null|") and line.count("|") == 2]
    arrays = {n: np.zeros([int(d) for d in shape.split(",")], np.float32) for _, n, shape in rows}
    ndarray_list.save(os.path.join(folder, name), arrays)


def troubled(folder):
    """What goes wrong, a file each."""
    digits(folder)
    with open(os.path.join(folder, "digits-symbol.json")) as f:
        symbol = f.read()
    with open(os.path.join(folder, "digits-0000.params"), "rb") as f:
        data = f.read()
    with mx2onnx.Model(os.path.join(folder, "digits-symbol.json")) as model:
        arrays = {n: model.params[n].numpy() for n in model.params}
    put(folder, "alone-symbol.json", symbol)
    shutil.copy(os.path.join(folder, "digits-0000.params"), os.path.join(folder, "own.params"))  # no symbol file has its name
    put(folder, "mine-symbol.json", symbol.replace('"Flatten"', '"Custom"'))
    put(folder, "page.params", "<!DOCTYPE html><html>")
    put(folder, "pointer-symbol.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n")
    put(folder, "prediction_net-network.json", '{"__kind__": "instance", "class": "gluonts.model.deepar"}')
    with open(os.path.join(folder, "cut.params"), "wb") as f:
        f.write(data[:20000])
    ndarray_list.save(os.path.join(folder, "half.params"), {n: a for n, a in arrays.items() if "fc2" not in n})
    ndarray_list.save(os.path.join(folder, "prefixed.params"), {"net_" + n: a for n, a in arrays.items()})
    layers = list(dict.fromkeys(n.split("_", 1)[0] for n in arrays))
    ndarray_list.save(os.path.join(folder, "structural.params"),
                      {"%d.%s" % (layers.index(n.split("_", 1)[0]), n.split("_", 1)[1]): a for n, a in arrays.items()})
    os.mkdir(os.path.join(folder, "models"))
    for name in ("age", "gender"):
        put(os.path.join(folder, "models"), name + "-symbol.json", symbol)
    published(folder, "center_net_mobilenetv3_small_duc_voc", "model.params")


def face(folder):
    camera(folder)


def training_face(folder):
    """As InsightFace's training saves it: the embedding is the output of a BlockGrad, and a head reads the label for its margin and loss."""
    camera(folder)
    with open(os.path.join(folder, "model-symbol.json")) as f:
        symbol = json.load(f)
    nodes, ((last, _, _),) = symbol["nodes"], symbol["heads"]
    start = len(nodes)
    nodes += [{"op": "BlockGrad", "name": "blockgrad0", "inputs": [[last, 0, 0]]},
              {"op": "null", "name": "softmax_label", "inputs": []},
              {"op": "null", "name": "fc7_weight", "attrs": {"__shape__": "(10, 128)"}, "inputs": []},
              {"op": "FullyConnected", "name": "fc7", "attrs": {"no_bias": "True", "num_hidden": "10"},
               "inputs": [[last, 0, 0], [start + 2, 0, 0]]},
              {"op": "one_hot", "name": "one_hot0", "attrs": {"depth": "10", "on_value": "-0.5"}, "inputs": [[start + 1, 0, 0]]},
              {"op": "broadcast_add", "name": "margin0", "inputs": [[start + 3, 0, 0], [start + 4, 0, 0]]},
              {"op": "SoftmaxOutput", "name": "softmax", "inputs": [[start + 5, 0, 0], [start + 1, 0, 0]]}]
    symbol["arg_nodes"] += [start + 1, start + 2]
    symbol["heads"] = [[start, 0, 0], [start + 6, 0, 0]]
    symbol.pop("node_row_ptr", None)
    put(folder, "train-symbol.json", json.dumps(symbol))
    os.rename(os.path.join(folder, "model-0000.params"), os.path.join(folder, "train-0007.params"))
    os.unlink(os.path.join(folder, "model-symbol.json"))


def face_detector(folder):
    write("nets", "retinaface_mnet025", folder, "retina")


def zoo(name, folder, prefix):
    """A recorded net of the zoo."""
    reader = recorded.Reader(recorded.path("zoo", name))
    index, path = reader.index, os.path.join(folder, prefix)
    put(folder, prefix + "-symbol.json", index["symbol"])
    made = weights.make(index["symbol"], index["params"], index["scales"])
    made = {n: a * np.float32(index["factors"].get(n, 1)) for n, a in made.items()}
    made.update({n: reader.get(e) for n, e in index["given"].items()})
    ndarray_list.save(path + "-0000.params", {("aux:" if n in index["aux"] else "arg:") + n: a for n, a in made.items()})


def node(op, name, inputs=(), **attrs):
    return {"op": op, "name": name, "attrs": attrs, "inputs": [[i, 0, 0] for i in inputs]}


def symbol_of(nodes, heads):
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
                       "heads": [[h, 0, 0] for h in heads], "attrs": {"mxnet_version": ["int", 10901]}})


def array(*shape):
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7 - 3) / 4


def tar(folder, name, members):
    """An archive with these files of the folder, which are deleted."""
    with tarfile.open(os.path.join(folder, name), "w:gz") as archive:
        for member in members:
            archive.add(os.path.join(folder, member), member)
            os.unlink(os.path.join(folder, member))


def linear_learner(folder):
    """A zip in a tar, as SageMaker's linear learner leaves it."""
    nodes = [node("null", "data"), node("null", "fc0_weight"), node("null", "fc0_bias"),
             node("FullyConnected", "fc0", (0, 1, 2), num_hidden="1"), node("Activation", "activation0", (3,), act_type="sigmoid")]
    ndarray_list.save(os.path.join(folder, "mx-mod-0000.params"), {"arg:fc0_weight": array(1, 4), "arg:fc0_bias": array(1)})
    with zipfile.ZipFile(os.path.join(folder, "model_algo-1"), "w") as z:
        z.writestr("mx-mod-symbol.json", symbol_of(nodes, [4]))
        z.write(os.path.join(folder, "mx-mod-0000.params"), "mx-mod-0000.params")
        z.writestr("additional-params.json", json.dumps({"threshold": 0.361, "predictor_type": "binary_classifier"}))
        z.writestr("manifest.json", "{}")
    os.unlink(os.path.join(folder, "mx-mod-0000.params"))
    tar(folder, "linear-learner.tar.gz", ["model_algo-1"])


def k_means(folder):
    """One matrix without a name."""
    path = os.path.join(folder, "model_algo-1")
    ndarray_list.save(path, {"w": array(3, 4)})
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data[:-17] + bytes(8))  # a count of names, of bytes and the name
    tar(folder, "k-means.tar.gz", ["model_algo-1"])


def topics(folder):
    """A small one of the form of SageMaker's neural topic model."""
    nodes = [node("null", "data"), node("null", "mean_weight"), node("null", "mean_bias"),
             node("FullyConnected", "mean", (0, 1, 2), num_hidden="3"), node("relu", "positive", (3,)),
             node("null", "dec_weight"), node("FullyConnected", "recons", (4, 5), num_hidden="6", no_bias="True"),
             node("MakeLoss", "kld", (3,))]
    put(folder, "model-symbol.json", symbol_of(nodes, [7, 6]))
    ndarray_list.save(os.path.join(folder, "model-0000.params"),
                      {"arg:mean_weight": array(3, 6), "arg:mean_bias": array(3), "arg:dec_weight": array(6, 3)})
    tar(folder, "ntm.tar.gz", ["model-symbol.json", "model-0000.params"])


def recorded_digits(folder):
    """What MXNet computed of ten digits."""
    copy(folder, "digits/recorded.npz")


def classifier(folder):
    copy(folder, "digits/classify.py")


def archive(folder):
    """The digits as model.tar.gz, and in two folders of `models`."""
    with tarfile.open(os.path.join(folder, "model.tar.gz"), "w:gz") as a:
        for name in ("digits-symbol.json", "digits-0000.params"):
            a.add(os.path.join(EXAMPLES, "digits", name), name)


def many(folder):
    for part in "ab":
        os.makedirs(os.path.join(folder, "models", part))
        copy(os.path.join(folder, "models", part), "digits/digits-symbol.json", "digits/digits-0000.params")


def published_detector(folder):
    published(folder, "ssd_512_mobilenet1.0_voc", "detector.params")


def published_of_any_size(folder):
    published(folder, "yolo3_mobilenet0.25_voc", "yolo3.params")
    published(folder, "mask_rcnn_resnet18_v1b_coco", "mask_rcnn.params")


def perceptron(folder, symbol="mlp-symbol.json", params="mlp-0000.params", data="data"):
    """Four numbers in, two out."""
    os.makedirs(folder, exist_ok=True)
    nodes = [node("null", data), node("null", "w"), node("null", "b"), node("FullyConnected", "dense", (0, 1, 2), num_hidden="2")]
    put(folder, symbol, symbol_of(nodes, [3]))
    ndarray_list.save(os.path.join(folder, params), {"arg:w": array(2, 4), "arg:b": array(2)})


def keras(folder):
    perceptron(folder, "keras-symbol.json", "keras-0000.params", "/dense_1_input1")
    perceptron(os.path.join(folder, "sockeye"), "symbol.json", "params.best")
    perceptron(os.path.join(folder, "wolfram"), "net.json", "net.params")


def predictor(folder):
    """A folder of GluonTS."""
    nodes = [node("null", "data0"), node("null", "w"), node("null", "b"), node("FullyConnected", "dense", (0, 1, 2), num_hidden="6")]
    place = os.path.join(folder, "predictor")
    os.mkdir(place)
    put(place, "prediction_net-symbol.json", symbol_of(nodes, [3]))
    ndarray_list.save(os.path.join(place, "prediction_net-0000.params"), {"arg:w": array(6, 12), "arg:b": array(6)})
    put(place, "parameters.json", json.dumps({"input_names": ["past_target"]}))


def deepar(folder):
    """A folder of GluonTS that its own estimator and predictor wrote (tests/oracle/record_files.py)."""
    with zipfile.ZipFile(recorded.path("files", "gluonts_deepar")) as z:
        z.extractall(folder, [n for n in z.namelist() if n.startswith("model/")])
    os.rename(os.path.join(folder, "model"), os.path.join(folder, "deepar"))


def leaky(folder):
    shutil.copy(os.path.join(ROOT, "bindings", "cases", "leaky-symbol.json"), folder)


def pair(folder):
    """Two inputs."""
    nodes = [node("null", "left"), node("null", "right"), node("elemwise_sub", "difference", (0, 1)), node("null", "w"), node("null", "b"),
             node("FullyConnected", "dense", (2, 3, 4), num_hidden="2")]
    put(folder, "pair-symbol.json", symbol_of(nodes, [5]))
    ndarray_list.save(os.path.join(folder, "pair-0000.params"), {"arg:w": array(2, 4), "arg:b": array(2)})


def shapeless(folder):
    perceptron(folder, "shapeless-symbol.json", "shapeless-0000.params")


def archives(folder):
    """300 zips of the digits net in models/; one is cut, one is a web page, and the weights of one are of another net."""
    os.makedirs(os.path.join(folder, "models"))
    files = {end: open(os.path.join(EXAMPLES, "digits", "digits" + end), "rb").read() for end in ("-symbol.json", "-0000.params")}
    for i in range(300):
        path = os.path.join(folder, "models", "%03d.zip" % i)
        symbol = files["-symbol.json"].replace(b'"num_hidden": "64"', b'"num_hidden": "63"') if i == 250 else files["-symbol.json"]
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("digits-symbol.json", symbol)
            z.writestr("digits-0000.params", files["-0000.params"])
        if i == 17:
            os.truncate(path, 20000)
        if i == 123:
            with open(path, "w") as f:
                f.write("<!DOCTYPE html>\n<html><title>404</title></html>\n")


# The models of each page, by its path in examples/guides.
MODELS = {
    "README": [digits],
    "../../README": [digits, recorded_digits],
    "../README": [digits, recorded_digits, archive, many],
    "start/install": [],
    "start/first": [digits, recorded_digits, classifier],
    "from/files": [digits],
    "from/insightface": [training_face, face, face_detector],
    "from/sagemaker": [service, linear_learner, topics, k_means],
    "from/gluoncv": [detector, published_detector, published_of_any_size],
    "from/gluonnlp": [bert],
    "from/gluonts": [predictor, deepar],
    "from/other": [keras],
    "from/own": [digits, classifier],
    "from/params": [published_detector],
    "from/mxnet-onnx": [digits],
    "to/tensorrt": [bert, detector],
    "to/opencv": [digits],
    "to/edge": [digits],
    "to/old": [digits],
    "to/frameworks": [digits],
    "lookup/limits": [digits],
    "do/shapes": [digits, pair],
    "do/preprocessing": [digits],
    "do/outputs": [digits],
    "do/smaller": [quantized],
    "do/large": [digits],
    "do/custom": [leaky],
    "do/verify": [digits, recorded_digits],
    "do/automate": [many, digits, recorded_digits],
    "do/cluster": [archives],
    "do/messages": [troubled, shapeless],
}
