# SPDX-License-Identifier: Apache-2.0
"""The published nets of the catalogue: how MXNet builds each, with what it leaves open (classes, crop, segments, words).

Weights are never read: pretrained files are not asked for, and those that some nets ask for in any case are left out.
"""
import inspect
import os
import re
import sys

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx  # noqa: E402

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CIFAR = ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))
SEGMENTATION = ("fcn", "pspnet", "deeplabv3", "deeplabv3_plus", "deeplabv3b_plus", "danet", "icnet", "fastscnn")
DETECTION = ("ssd.presets", "yolo.yolo3", "faster_rcnn", "mask_rcnn", "center_net.center_net", "doublehead_rcnn")


class Published:
    """A name, how it is built, and what is said of it: inputs {name: shape with 0 for any}, mean and std of images in RGB
    from 0 to 1, how the block is called with the inputs if not one after the other; for a part of a net, the other parts,
    which determine the shapes of their parameters: others(block) returns [(symbol, inputs)]. sized: it takes this size only."""

    def __init__(self, name, source, make, inputs, varies=(), normal=None, call=None, others=None, sized=False):
        self.name, self.source, self.make, self.inputs = name, source, make, inputs
        self.varies, self.normal, self.call = varies, normal, call or (lambda block, *given: block(*given))
        self.others, self.sized = others or (lambda block: []), sized


# ---- GluonCV

def prepare():
    from gluoncv.model_zoo import model_store
    mx.gluon.ParameterDict.reset_ctx = lambda self, ctx: None  # some move parameters that are not there yet
    model_store.get_model_file = lambda *name, **more: None
    mx.gluon.Block.load_parameters = lambda *file, **more: None
    mx.gluon.Block.load_params = lambda *file, **more: None


def set_classes(count):
    """What the data sets say of themselves."""
    from gluoncv import data
    names = tuple("class%d" % i for i in range(count))
    for kind in (data.VOCDetection, data.COCODetection, data.COCOInstance):
        kind.CLASSES = list(names) if isinstance(kind.CLASSES, list) else names
    for kind in data.datasets.values():
        kind.NUM_CLASS, kind.CLASSES = count, names


def family_of(function):
    module = function.__module__.split("model_zoo.", 1)[1]
    if module in SEGMENTATION:
        return "segmentation"
    if any(d in module for d in DETECTION):
        return "detection"
    if module.startswith("action_recognition"):
        return "action"
    return module.split(".")[0]


def is_clip(name):
    return name.startswith(("c3d", "p3d", "r2plus1d", "i3d", "slowfast"))


def gluoncv_shape(name, family):
    size = re.search(r"ssd_(\d+)", name)
    if is_clip(name):
        frames = (36 if "4x16" in name else 40 if "8x8" in name else 80 if "16x8" in name else 64) if "slowfast" in name else \
            16 if "c3d" in name else 32
        side = 112 if "c3d" in name or "r2plus1d" in name else 224
        return (0, 3, frames, side, side)
    if family == "action":
        return (0, 3) + ((299, 299) if "inceptionv3" in name else (224, 224))
    if family == "detection":
        side = int(size.group(1)) if size else 416 if "yolo" in name else 512 if "center" in name else 800
        return (1 if "rcnn" in name else 0, 3, side, side)
    if family == "segmentation" or name.startswith("hrnet") and name.endswith("_s"):
        return (0, 3) + ((1024, 1024) if name.startswith("fastscnn") else (480, 480))
    if "pose" in name and "posenet" not in name:
        return (0, 3, 256, 192)
    if "monodepth2" in name:
        return (0, 6 if "posenet" in name else 3, 192, 640)
    side = 32 if "cifar" in name else 299 if name in ("inceptionv3", "xception", "xception71") else \
        331 if name.startswith("nasnet") else 224
    return (0, 3, side, side)


def gluoncv_options(name, family, function, classes=None, crop=None, segments=None):
    options = {"pretrained": False}
    parameters = inspect.signature(function).parameters
    if family in ("segmentation", "detection", "action", "monodepthv2", "simple_pose", "alpha_pose"):
        options["pretrained_base"] = False
    if "custom" in name and family == "detection":
        options["classes"] = ["class%d" % i for i in range(classes or 20)]
    elif family == "action":
        if classes:
            options["nclass"] = classes
        if segments:
            options["num_segments"] = segments
        if "use_kinetics_pretrain" in parameters:
            options["use_kinetics_pretrain"] = False
    elif family in ("detection", "segmentation"):
        if classes:
            set_classes(classes)
    elif classes:
        options["num_classes" if name.startswith("hrnet") else "classes"] = classes
    if crop:
        options.update(crop_size=crop)
        if "icnet" in name or "wideresnet" in name or "fastscnn" in name or "danet" in name:
            options.update(height=crop, width=crop)
    return options


def gluoncv_block(name, family, function, given):
    prepare()
    if name.startswith("hrnet") and name.endswith("_s") and given:  # its own function has one number of classes
        from gluoncv.model_zoo import hrnet
        whole = hrnet.get_hrnet
        hrnet.get_hrnet = lambda *a, **more: whole(*a, **dict(more, num_classes=given["classes"]))
        return function(pretrained=False)
    return function(**gluoncv_options(name, family, function, **given))


def gluoncv_nets():
    from gluoncv.model_zoo import model_zoo
    for name, function in sorted(model_zoo._models.items()):
        inner = function
        family = "int8" if name.endswith("int8") else family_of(inner)
        varies = ("classes", "crop") if family == "segmentation" else ("classes", "segments") if family == "action" else \
            () if family in ("int8", "simple_pose", "mobile_pose", "alpha_pose", "monodepthv2", "siamrpn") else ("classes",)
        if is_clip(name):
            varies = ("classes",)
        base = name[:-5] if family == "int8" else name
        inputs = {"data": gluoncv_shape(base, family_of(model_zoo._models[base]) if base in model_zoo._models else family)}
        if family == "siamrpn":
            inputs = {"template": (0, 3, 127, 127), "search": (0, 3, 287, 287)}
        normal = CIFAR if "cifar" in name else None if "monodepth" in name or family == "siamrpn" else IMAGENET
        yield Published(name, "GluonCV 0.10.5", lambda n=name, f=family, g=function, **given: gluoncv_block(n, f, g, given),
                        inputs, varies, normal)


# ---- MXNet

def mxnet_block(name, classes=None):
    from mxnet.gluon.model_zoo.vision import get_model
    return get_model(name, **({"classes": classes} if classes else {}))


def mxnet_names():
    from mxnet.gluon.model_zoo import vision
    try:
        vision.get_model("?")
    except ValueError as e:
        return sorted(str(e).split("\n\t")[1:])


def mxnet_nets():
    for name in mxnet_names():
        side = 299 if name == "inceptionv3" else 224
        yield Published(name, "MXNet 1.9.1", lambda n=name, **given: mxnet_block(n, **given),
                        {"data": (0, 3, side, side)}, ("classes",), IMAGENET)


# ---- GluonNLP

TOKENS, LENGTHS, PLACES, SENTENCE = (0, 0), (0,), (0, 0), (0, 0)
LSTMS = {"standard_lstm_lm_200": [(2, 200)], "standard_lstm_lm_650": [(2, 650)], "standard_lstm_lm_1500": [(2, 1500)],
         "awd_lstm_lm_600": [(1, 600), (1, 600), (1, 200)], "awd_lstm_lm_1150": [(1, 1150), (1, 1150), (1, 400)]}
BARE = {"use_pooler": False, "use_decoder": False, "use_classifier": False}
POOLED = {"use_decoder": False, "use_classifier": False}


def nlp_net(name, make, vocabulary, inputs, call=None, varies=("vocabulary",), others=None):
    """`make` takes the number of words, except for nets that read letters."""
    def block(**given):
        return make(given.pop("vocabulary", vocabulary), **given) if vocabulary else make()
    return Published(name, "GluonNLP 0.10.0", block, inputs, varies if vocabulary else (), call=call, others=others)


def lstms():
    from published import nlp
    for name, states in LSTMS.items():
        inputs = {"data": SENTENCE}
        for i, (layers, width) in enumerate(states):
            inputs.update({"h%d" % i: (layers, 0, width), "c%d" % i: (layers, 0, width)})

        def call(block, data, *states, pairs=name.startswith("awd")):
            return block(data, [list(s) for s in zip(states[::2], states[1::2])] if pairs else list(states))
        yield nlp_net(name, lambda words, n=name: nlp.language_model(n, words), 33278, inputs, call)
    yield nlp_net("big_rnn_lm_2048_512", nlp.big_rnn, 793471, {"data": SENTENCE, "r0": (0, 512), "c0": (0, 2048)},
                  lambda block, data, *states: nlp.big_rnn_of_any_length(block, data, list(states)))


def bert_inputs(kinds):
    shapes = {"t": TOKENS, "s": TOKENS, "l": LENGTHS, "p": PLACES}
    names = ["data%d" % i for i in range(len(kinds))] if len(kinds) > 1 else ["data"]
    return {n: shapes[k] for n, k in zip(names, kinds)}


def berts():
    """(name, model, vocabulary, inputs, head, options)"""
    for model, vocab in (("bert_12_768_12", 30522), ("bert_24_1024_16", 30522), ("ernie_12_768_12", 17964)):
        yield model, model, vocab, "tsl", None, POOLED
        yield model + "_nohead", model, vocab, "tsl", None, BARE
        if model.startswith("bert"):
            yield model + "_allheads", model, vocab, "tslp", None, {}
            yield model + "_qa", model, vocab, "tsl", "qa", BARE
        yield model + "_classifier", model, vocab, "tsl", "classifier", POOLED
    yield "distilbert_6_768_12", "distilbert_6_768_12", 30522, "t", None, {}
    for model in ("roberta_12_768_12", "roberta_24_1024_16"):
        yield model, model, 50265, "tlp", None, {}
        yield model + "_nohead", model, 50265, "tl", None, {"use_decoder": False}
        yield model + "_classifier", model, 50265, "tl", "classifier", {"use_decoder": False}


def gpt2s():
    from published import nlp
    for name, (layers, units, heads) in nlp.GPT2.items():
        past = {"past%d" % i: (0, heads, 0, units // heads) for i in range(2 * layers)}

        def make(words, n=name):
            return nlp.gpt2(n, words)
        yield nlp_net(name, make, 50257, {"data": TOKENS})
        yield nlp_net(name + "_states", make, 50257, dict(data=TOKENS, **past), lambda block, data, *past: block(data, list(past)))


def transformers():
    from published import nlp
    inputs = {"data": TOKENS, "memory": (0, 0, 512), "memory_mask": (0, 0), "valid_length": LENGTHS}

    def others(block):
        given = {n: mx.sym.Variable(n) for n in inputs}
        return [(nlp.transformer_part(block, part, **given), inputs) for part in ("encoder", "decoder")]
    for part, names in (("encoder", ("data", "valid_length")), ("decoder", inputs), ("step", list(inputs)[:3])):
        yield nlp_net("transformer_en_de_512_" + part, nlp.transformer, 36794, {n: inputs[n] for n in names},
                      lambda block, *given, p=part, n=tuple(names): nlp.transformer_part(block, p, **dict(zip(n, given))),
                      others=others)


def elmos():
    from published import nlp
    for name, hidden, units in (("elmo_2x1024_128_2048cnn_1xhighway", 1024, 128),
                                ("elmo_2x2048_256_2048cnn_1xhighway", 2048, 256),
                                ("elmo_2x4096_512_2048cnn_2xhighway", 4096, 512)):
        states = {"%s_%s%d" % (way, s, i): (0, n) for way in ("forward", "backward") for i in range(2)
                  for s, n in (("r", units), ("c", hidden))}

        yield nlp_net(name, lambda n=name: nlp.elmo(n), 0, dict(data=(0, 0, 50), **states, mask=(0, 0)),
                      lambda block, data, *more, u=units: nlp.elmo_outputs(block, u, data, list(more[:-1]), more[-1]))


def gluonnlp_nets():
    from published import nlp
    yield from lstms()
    for name, model, vocab, kinds, head, options in berts():
        def make(words, classes=2, m=model, h=head, o=options):
            return nlp.bert(m, words, h, classes, **o)
        yield nlp_net(name, make, vocab, bert_inputs(kinds), varies=("classes", "vocabulary") if head == "classifier" else ("vocabulary",))
    yield from gpt2s()
    yield from transformers()
    yield from elmos()


# ---- whose parameters are published alone

def other_nets():
    from published import others
    for name, (side, made) in others.MTCNN.items():
        yield Published("mtcnn_" + name, "MTCNN of Seanlinx", lambda m=made: others.mtcnn(*m), {"data": (0, 3, side, side)},
                        sized=name != "pnet")
    yield Published("msgnet_21styles", "Gluon style transfer", others.Net, {"data": (0, 3, 512, 512), "style": (1, 3, 512, 512)},
                    call=others.styled)
    yield Published("d2l_lenet", "Dive into Deep Learning", lambda classes=10: others.lenet(classes), {"data": (0, 1, 28, 28)},
                    ("classes",), sized=True)


def published():
    return list(mxnet_nets()) + list(gluoncv_nets()) + list(gluonnlp_nets()) + list(other_nets())


# ---- what MXNet makes of a net

def flatten(nested):
    return [x for n in nested for x in flatten(n)] if isinstance(nested, (list, tuple)) else [nested]


def build(net, **given):
    """{symbol: text, names: {parameter: [structure names]}, shapes: {parameter: shape or None}}. The names are those of a
    process in which nothing else was built."""
    mx.name.NameManager._current.value = mx.name.NameManager()
    block = net.make(**given)
    out = net.call(block, *[mx.sym.Variable(n) for n in net.inputs])
    symbol = mx.sym.Group(flatten(out)) if isinstance(out, (list, tuple)) else out
    names = {}
    for structure, p in block._collect_params_with_prefix().items():
        names.setdefault(p.name, []).append(structure)
    all_params = block.collect_params()
    shapes = {n: tuple(p.shape) if p.shape else None for n, p in all_params.items()}
    seen = {n: tuple(256 if d == 800 else d or 1 for d in shape) for n, shape in net.inputs.items()}
    crop = given.get("crop")
    if crop:
        seen["data"] = (1, 3, crop, crop)
    if given.get("segments"):
        seen["data"] = (given["segments"],) + seen["data"][1:]
    try:
        for s, more in [(symbol, {})] + net.others(block):
            known = dict({n: tuple(d or 1 for d in shape) for n, shape in more.items()}, **seen)
            args, _, aux = s.infer_shape_partial(**{n: shape for n, shape in known.items() if n in s.list_inputs()})
            found = dict(zip(s.list_arguments(), args), **dict(zip(s.list_auxiliary_states(), aux)))
            shapes.update((n, tuple(d)) for n, d in found.items() if d and 0 not in d and n in shapes)
    except Exception as e:  # the shapes that the block knows are left
        print("no shapes:", net.name, str(e)[:200], file=sys.stderr)
    constants = sorted(n for n, p in all_params.items() if isinstance(p, mx.gluon.Constant))
    return {"symbol": symbol.tojson(), "names": names, "shapes": shapes, "constants": constants,
            "prefix": block.prefix, "used": sorted(set(symbol.list_inputs()) - set(net.inputs))}
