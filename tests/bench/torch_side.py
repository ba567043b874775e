# SPDX-License-Identifier: Apache-2.0
"""The nets of inference.py as torch has them, and torch's exporter.

Each is the net that GluonCV, GluonNLP or tests/zoo has, layer by layer: where torch's package has it with its strides and sizes
elsewhere, it is given them or written here.
"""
import os
import warnings

import torch
from torch import nn

IMAGE, BATCH, LENGTH = (1, 3, 224, 224), 1, 128


class MobileNet1(nn.Sequential):
    """Depthwise and pointwise convolutions by turns; torchvision has none."""

    def __init__(self):
        def block(i, o, size, stride, groups):
            return [nn.Conv2d(i, o, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
        wide = [32, 64, 128, 128, 256, 256] + 6 * [512] + [1024, 1024]
        strides = [1, 2, 1, 2, 1, 2] + 5 * [1] + [2, 1]
        layers = block(3, 32, 3, 2, 1)
        for i, o, s in zip(wide, wide[1:], strides):
            layers += block(i, i, 3, s, i) + block(i, o, 1, 1, 1)
        super().__init__(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000))


class LanguageModel(nn.Module):
    """Tokens to shares of words; the states begin at zero."""

    def __init__(self, words, width, layers):
        super().__init__()
        self.embed, self.out = nn.Embedding(words, width), nn.Linear(width, words)
        self.lstm = nn.LSTM(width, width, layers, batch_first=True)

    def forward(self, data):
        return self.out(self.lstm(self.embed(data))[0].flatten(0, 1)).softmax(-1)


class Bert(nn.Module):
    """Takes valid lengths, as GluonNLP's."""

    def __init__(self, attention):
        super().__init__()
        from transformers import BertConfig, BertModel
        self.bert = BertModel(BertConfig(layer_norm_eps=1e-12, max_position_embeddings=512, attn_implementation=attention))

    def forward(self, data0, data1, data2):
        mask = (torch.arange(data0.shape[1])[None] < data2[:, None]).to(torch.int64)
        out = self.bert(input_ids=data0, token_type_ids=data1, attention_mask=mask)
        return out.last_hidden_state, out.pooler_output


class Gpt2(nn.Module):
    """Gives scores of words, and keys and values of each layer."""

    def __init__(self, attention):
        super().__init__()
        from transformers import GPT2Config, GPT2LMHeadModel
        self.gpt2 = GPT2LMHeadModel(GPT2Config(attn_implementation=attention))

    def forward(self, data):
        out = self.gpt2(input_ids=data, use_cache=True)
        return (out.logits, *[x for layer in out.past_key_values.layers for x in (layer.keys, layer.values)])


def vision(name, **options):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None, **options)
    return make


def words(count):
    return lambda shape: torch.randint(0, count, shape)


def lengths(shape):
    return torch.full(shape, LENGTH - 28, dtype=torch.int64)


# net of tests/zoo: ({kind of torch's: what makes it}, {input: (shape, what draws it)})
NETS = {
    "resnet50_v1b": ({"": vision("resnet50")}, {"data": (IMAGE, torch.randn)}),
    "mobilenet1.0": ({"": MobileNet1}, {"data": (IMAGE, torch.randn)}),
    "mobilenetv2_1.0": ({"": vision("mobilenet_v2")}, {"data": (IMAGE, torch.randn)}),
    "densenet121": ({"": vision("densenet121")}, {"data": (IMAGE, torch.randn)}),
    "inceptionv3": ({"": vision("inception_v3", aux_logits=False, init_weights=True)}, {"data": ((1, 3, 299, 299), torch.randn)}),
    "bert_12_768_12": ({a: lambda a=a: Bert(a) for a in ("eager", "sdpa")},
                       {"data0": ((BATCH, LENGTH), words(30522)), "data1": ((BATCH, LENGTH), words(2)), "data2": ((BATCH,), lengths)}),
    "gpt2_117m": ({a: lambda a=a: Gpt2(a) for a in ("eager", "sdpa")}, {"data": ((BATCH, LENGTH), words(50257))}),
    "fused_lstm_lm": ({"": lambda: LanguageModel(10000, 200, 2)}, {"data": ((1, 16), words(10000))}),
}


def exports(net, folder):
    """{way: file} of those that torch's exporter can, in folder; what it cannot is printed."""
    warnings.simplefilter("ignore")
    kinds, inputs = NETS[net]
    torch.manual_seed(0)
    args = tuple(draw(shape) for shape, draw in inputs.values())
    found = {}
    for kind, make in kinds.items():
        model = make().eval()
        for way, dynamo in (("dynamo", True), ("script", False)):
            name = (kind + " " + way).strip()
            path = os.path.join(folder, name.replace(" ", "_") + ".onnx")
            try:
                with torch.no_grad():
                    torch.onnx.export(model, args, path, dynamo=dynamo, input_names=list(inputs), verbose=False,
                                      **({} if dynamo else {"opset_version": 17, "do_constant_folding": True}))
            except Exception as e:
                print("%s: torch's exporter, %s: %s" % (net, name, str(e).strip().split("\n")[0][:200]), flush=True)
                continue
            found[name] = path
    return found
