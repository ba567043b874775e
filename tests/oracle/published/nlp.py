# SPDX-License-Identifier: Apache-2.0
"""GluonNLP's nets as it builds them, for the catalogue and for the zoo (tests/zoo/nets/gluonnlp.py). GPT-2 and BERT
for SQuAD are in its scripts, which no package has: here they are written anew, with the same names.

Where MXNet is: what a function returns is a block, or with states and parts of a net what its symbol is.
"""
import mxnet as mx
from mxnet.gluon import nn

SETTINGS = {"embed_initializer": None, "share_embed": True, "tie_weights": True, "embed_size": 512}  # of transformer_en_de_512
GPT2 = {"gpt2_117m": (12, 768, 12), "gpt2_345m": (24, 1024, 16)}  # layers, units, heads


def language_model(name, vocab):
    import gluonnlp
    options = {"dropout": 0} if name.startswith("standard") else {}  # else it is computed by nd, which takes no symbol
    return getattr(gluonnlp.model.language_model, name)(vocab=range(vocab), pretrained=False, **options)[0]


# ---- BERT and its kin

def bert(model, vocab, head=None, classes=2, **options):
    import gluonnlp
    m = gluonnlp.model
    if model.startswith("roberta"):
        net, _ = m.bert.get_roberta_model(model, vocab=range(vocab), pretrained=False, **options)
    elif model.startswith("distilbert"):
        net, _ = m.bert.distilbert_6_768_12(None, vocab=range(vocab), pretrained=False, **options)
    else:
        net, _ = m.bert.get_bert_model(model, vocab=range(vocab), pretrained=False, **options)
    if head == "qa":
        return BertForQA(net)
    if head == "classifier":
        kind = m.RoBERTaClassifier if model.startswith("roberta") else m.BERTClassifier
        return kind(net, num_classes=classes, dropout=0.1)
    return net


class BertForQA(mx.gluon.HybridBlock):
    """What GluonNLP's scripts put upon BERT for SQuAD: a start and an end score for each token."""

    def __init__(self, net):
        super().__init__()
        self.bert = net
        with self.name_scope():
            self.span_classifier = nn.Dense(2, flatten=False)

    def hybrid_forward(self, F, inputs, token_types, valid_length):
        return self.span_classifier(self.bert(inputs, token_types, valid_length))


# ---- GPT-2

class Attention(mx.gluon.HybridBlock):
    """Masked attention over what came before, the keys and values in `states`, and what is given."""

    def __init__(self, units, heads, prefix):
        super().__init__(prefix=prefix)
        from gluonnlp.model.attention_cell import DotProductAttentionCell
        self.heads = heads
        with self.name_scope():
            self._multi_head_qkv_proj = nn.Dense(3 * units, flatten=False, prefix="qkv_proj_")
            self._base_attn_cell = DotProductAttentionCell(scaled=True, dropout=0.0, prefix="attn_")
            self._out_proj = nn.Dense(units, flatten=False, prefix="out_proj_")

    def hybrid_forward(self, F, data, states=None):
        everywhere = here = F.contrib.arange_like(data, axis=1) if states is None else None
        if states:
            before, now = F.contrib.arange_like(states[0], axis=2), F.contrib.arange_like(data, axis=1)
            count = F.broadcast_add(F.slice_axis(before, axis=0, begin=-1, end=None), F.ones((1,)))
            here = F.broadcast_add(F.contrib.arange_like(data, axis=1), count)
            everywhere = F.contrib.arange_like(F.concat(before, now, dim=0))
        mask = F.broadcast_lesser_equal(everywhere.reshape((1, -1)), here.reshape((-1, 1)))
        mask = F.broadcast_like(F.expand_dims(mask, axis=0), data, lhs_axes=(0,), rhs_axes=(0,))
        mask = F.concat(*[mask] * self.heads, dim=0)
        packed = F.split(F.swapaxes(self._multi_head_qkv_proj(data), 1, 2), num_outputs=3, axis=1)
        apart = [p.reshape(shape=(0, -4, self.heads, -1, 0)).reshape(shape=(-1, 0, 0), reverse=True) for p in packed]
        query, *kept = [F.swapaxes(p, 1, 2) for p in apart]
        if states:
            kept = [F.concat(s.reshape((-1, 0, 0), reverse=True), k, dim=1) for s, k in zip(states, kept)]
        out, _ = self._base_attn_cell(query, kept[0], kept[1], mask)
        out = F.transpose(out.reshape((-1, self.heads, 0, 0), reverse=True), axes=(0, 2, 1, 3)).reshape((0, 0, -1))
        return self._out_proj(out), [k.reshape((-1, self.heads, 0, 0), reverse=True) for k in kept]


class Feed(mx.gluon.HybridBlock):
    def __init__(self, units, prefix):
        super().__init__(prefix=prefix)
        from gluonnlp.model.block import GELU
        with self.name_scope():
            self._hidden_map, self._out_map = [nn.Dense(n, flatten=False) for n in (4 * units, units)]
            self._act = GELU(approximate=True)

    def hybrid_forward(self, F, data):
        return self._out_map(self._act(self._hidden_map(data)))


class GPT2Model(mx.gluon.HybridBlock):
    """Tokens, and the keys and values of what came before: scores of words, keys and values."""

    def __init__(self, layers, units, heads, vocab):
        super().__init__()
        with self.name_scope():
            self._pos_embed = nn.Embedding(1024, units, prefix="pos_embed_")
            self._embed = nn.Embedding(vocab, units, prefix="embed_")
            self._logits_proj = nn.Dense(vocab, in_units=units, use_bias=False, flatten=False, params=self._embed.params)
            made = {"_self_attention_layers": lambda i: Attention(units, heads, "self_attn%d_" % i),
                    "_ffn_layers": lambda i: Feed(units, "ffn%d_" % i),
                    "_attn_ln": lambda i: nn.LayerNorm(prefix="attn_ln%d_" % i),
                    "_ffn_ln": lambda i: nn.LayerNorm(prefix="ffn_ln%d_" % i)}
            for name in made:
                setattr(self, name, nn.HybridSequential())
            for name, make in made.items():
                getattr(self, name).add(*map(make, range(layers)))
            self._final_ln = nn.LayerNorm(prefix="final_ln%d_" % (layers - 1))

    def hybrid_forward(self, F, data, states=None):
        if states:
            before = F.contrib.arange_like(states[0], axis=2).astype("int32")
            count = F.broadcast_add(F.slice_axis(before, axis=0, begin=-1, end=None), F.ones((1,), dtype="int32"))
        places = F.contrib.arange_like(data, axis=1).astype("int32")
        if states:
            places = F.broadcast_add(places, count)
        places = F.broadcast_like(F.expand_dims(places, axis=0), data.astype("int32"), lhs_axes=(0,), rhs_axes=(0,))
        x, kept = self._embed(data) + self._pos_embed(places), []
        for i, attend in enumerate(self._self_attention_layers):
            h, new = attend(self._attn_ln[i](x), states[2 * i:2 * i + 2] if states else None)
            x = x + h
            x = x + self._ffn_layers[i](self._ffn_ln[i](x))
            kept += new
        return self._logits_proj(self._final_ln(x)), kept


def gpt2(name, vocab):
    return GPT2Model(*GPT2[name], vocab)


# ---- translation: the encoder, the decoder over a whole sentence, and the decoder's scores of the next word

def transformer(vocab):
    import gluonnlp
    parts = gluonnlp.model.transformer.get_transformer_encoder_decoder(
        num_layers=6, num_heads=8, units=512, hidden_size=2048, dropout=0.1, max_src_length=530, max_tgt_length=549)
    return gluonnlp.model.translation.NMTModel(range(vocab), range(vocab), *parts, prefix="transformer_", **SETTINGS)


def transformer_part(net, part, data, memory=None, memory_mask=None, valid_length=None):
    """`data` are words; for the step all those that were decoded so far."""
    if part == "encoder":
        return net.encode(data, valid_length=valid_length)[0]
    if part == "decoder":
        return net.decode_seq(data, [memory, memory_mask], valid_length)[0]
    step = net.one_step_ahead_decoder
    # its own forward() concatenates the embedded earlier words with the new one
    return net.tgt_proj(mx.gluon.HybridBlock.forward(step, net.tgt_embed(data), [memory, memory_mask])[0])


# ---- nets that run a cell over a sentence

def elmo(name):
    import gluonnlp
    return getattr(gluonnlp.model.elmo, name)(pretrained=False)[0]


class Mask:
    """A mask as wide as what it is multiplied with: symbols are not broadcast then, as arrays are."""

    def __init__(self, symbol, width):
        self.symbol, self.width = symbol, width

    def sum(self, axis):
        return self.symbol.sum(axis=axis)

    def expand_dims(self, axis):
        return self.symbol.expand_dims(axis=axis).broadcast_axes(axis=2, size=self.width)


def elmo_outputs(net, units, data, states, mask):
    """`states`: of the layers forward, then backward, two each."""
    pairs = [states[i:i + 2] for i in range(0, len(states), 2)]
    half = len(pairs) // 2
    return net(data, [pairs[:half], pairs[half:]], Mask(mask, 2 * units))


def big_rnn(vocab):
    import gluonnlp
    return gluonnlp.model.language_model.big_rnn_lm_2048_512(vocab=range(vocab), pretrained=False)[0]


def big_rnn_of_any_length(net, data, states):
    """What BigRNN.forward() unrolls for one length."""
    out, states = mx.sym.contrib.foreach(net.encoder, net.embedding(data), states)
    scores = net.decoder(out.reshape((-1, 512)))
    return scores.reshape_like(data, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2), states
