# SPDX-License-Identifier: Apache-2.0
"""Every attribute of every operator is tried: each word of an enumeration, both values of a bool, of numbers, tuples,
types and texts two different ones, counting the default where a case leaves the attribute out."""
import fnmatch
import json
import os
import subprocess


import cases
import recorded

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("MX2ONNX_BUILD", os.path.join(HERE, "..", "..", "build"))
PROGRAM = os.path.join(BUILD, "tests", "numeric", "attributes")

# What no recorded case can show: {why: operators, attributes or values (OPERATOR.ATTRIBUTE=VALUE)}.
ELSEWHERE = {
    "random: test_random.py and tests/live/generators/draws.py": ["_random_*", "_sample_*"],
    "random: tests/live/generators/np2.py": ["_npi_laplace.*"],
    "random: test_random_numpy.py and tests/live/generators/np_draws.py": [
        "_npi_%s.*" % law for law in ("bernoulli", "choice", "exponential", "gamma", "gumbel", "logistic", "multinomial", "normal",
                                      "normal_n", "pareto", "powerd", "rayleigh", "uniform", "uniform_n", "weibull")],
    "random, and a GPU's: test_rare.py": [
        "_image_random_color_jitter.*", "_image_random_lighting.alpha_std", "_contrib_count_sketch.out_dim"],
    "not read by this operator, which shares its table with others": [
        "_npi_insert_scalar.st*", "_npi_insert_tensor.st*", "_npi_insert_tensor.int_ind", "_npi_insert_slice.int_ind",
        "all_finite.num_arrays"],
    "MXNet 1.9.1 does not run a number as the value here": ["_npi_insert_slice.val", "_npi_insert_tensor.val"],
    "MXNet 1 writes it under its other name": ["_npi_full.value", "_npi_linspace.start", "_npi_linspace.stop"],
    "MXNet runs it on a GPU alone (golden)": [
        "CuDNNBatchNorm.*", "*Conv*.layout=NWC", "*Conv*.layout=NHWC", "*Conv*.layout=NDHWC",
        "Deconvolution.layout=NWC", "Deconvolution.layout=NHWC", "Deconvolution.layout=NDHWC"],
    "MXNet refuses the value in this operator, which shares its table with another": [
        "BatchNorm_v1.axis", "_contrib_SyncBatchNorm.axis", "_contrib_BatchNormWithReLU.axis",
        "_contrib_quantize.out_type=auto",
        "SpatialTransformer.transform_type=warp", "_np_all.initial", "_np_any.initial", "_np_reshape.reverse=True"],
    "MXNet takes the text and refuses to run it": [
        "SequenceReverse.axis", "_contrib_boolean_mask.axis", "log_softmax.use_length=True",
        "softmin.use_length=True", "_contrib_quantized_act.act_type=*", "_contrib_quantized_batch_norm.axis",
        "_contrib_quantized_*.layout=NCW", "_contrib_quantized_*.layout=N?C", "_contrib_quantized_*.layout=N??C",
        "_contrib_quantized_*.layout=NDHWC", "_contrib_quantized_pooling.pool_type=lp", "_npi_dsplit.axis",
        "_contrib_*DeformableConvolution.layout=NCW", "_contrib_*DeformableConvolution.layout=NCDHW"],
    "MXNet leaves the outputs unwritten": ["_contrib_SyncBatchNorm.output_mean_var=True"],
    "the condition comes first in every file": ["_cond.cond_input_locs"],
    "of sparse arrays (golden)": ["_square_sum.*"],
    "of NVIDIA's builds, which are in no registry: test_batch_norm.py": ["*BatchNorm*.act_type=relu", "BatchNormAddRelu.*"],
    "made by the quantisation of oneDNN's subgraphs (golden)": ["_sg_mkldnn_*"],
}


def tables():
    """{operator: {attribute: (kind, default or None, words)}}, and {name: operator} with the aliases."""
    found, canonical = {}, {}
    for line in subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout.splitlines():
        if not line.startswith("\t"):
            names = line.split()
            rows = found[names[0]] = {}
            canonical.update((n, names[0]) for n in names)
        else:
            _, name, kind, default, words = line.split("\t")
            rows[name] = (kind, None if default == "-" else default, words.split())
    return found, canonical


def nodes(graph):
    for n in graph["nodes"]:
        if n["op"] != "null":
            yield n["op"], n.get("attrs", {})
        for body in n.get("subgraphs", []):
            yield from nodes(body)


def plain(text):
    """Texts of one value alike: 1 and 1.0, (2,3) and [2, 3], 3 and (3,)."""
    word = text.replace(" ", "").replace("L", "").replace("[", "(").replace("]", ")").lower()
    try:
        return float({"true": "1", "false": "0"}.get(word, word))
    except ValueError:
        return word


def tried(table, canonical):
    """{(operator, attribute): values} of all recorded cases."""
    found = {}
    for group in cases.groups():
        reader = recorded.Reader(recorded.path("ops", group))
        for entry in reader.index.values():
            for name, attrs in nodes(json.loads(entry["symbol"])):
                op = canonical[name]
                for attribute, (_, default, _) in table[op].items():
                    value = attrs.get(attribute, default)
                    if value is not None:
                        found.setdefault((op, attribute), set()).add(plain(value))
    return found


def missing(row, values):
    kind, _, words = row
    if kind in ("enum", "bool"):
        return ["=" + w for w in words or ("True", "False") if plain(w) not in values]
    return [] if len(values) > 1 else [""]


def test_each_attribute_is_tried():
    table, canonical = tables()
    values = tried(table, canonical)
    lacking = ["%s.%s%s" % (op, attribute, gap) for op, rows in table.items() for attribute, row in rows.items()
               for gap in missing(row, values.get((op, attribute), set()))]
    patterns = [p for names in ELSEWHERE.values() for p in names]
    assert not [x for x in lacking if not any(fnmatch.fnmatchcase(x, p) for p in patterns)], "no recorded case shows these"
    assert not [p for p in patterns if not any(fnmatch.fnmatchcase(x, p) for x in lacking)], "recorded cases show these"
