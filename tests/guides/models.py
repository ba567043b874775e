# SPDX-License-Identifier: Apache-2.0
"""The models that the guides speak of, from what was recorded of MXNet: graphs of real nets, weights of a rule."""
import json
import os
import shutil
import subprocess
import sys
import tarfile

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
    put(folder, "mine-symbol.json", symbol.replace('"Flatten"', '"Custom"'))
    put(folder, "page.params", "<!DOCTYPE html><html>")
    put(folder, "pointer-symbol.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n")
    put(folder, "prediction_net-network.json", '{"__kind__": "instance", "class": "gluonts.model.deepar"}')
    with open(os.path.join(folder, "cut.params"), "wb") as f:
        f.write(data[:20000])
    ndarray_list.save(os.path.join(folder, "half.params"), {n: a for n, a in arrays.items() if "fc2" not in n})
    ndarray_list.save(os.path.join(folder, "prefixed.params"), {"net_" + n: a for n, a in arrays.items()})
    os.mkdir(os.path.join(folder, "models"))
    for name in ("age", "gender"):
        put(os.path.join(folder, "models"), name + "-symbol.json", symbol)
    published(folder, "center_net_mobilenetv3_small_duc_voc", "model.params")
