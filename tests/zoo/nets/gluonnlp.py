# SPDX-License-Identifier: Apache-2.0
"""GluonNLP 0.10's models: language models, BERT and its kin, GPT-2, the translation Transformer.

Vocabularies are those of the published models in size. Each net is exported for one batch and length and for any.
"""
from net import Input, Net, trace, words

WIKITEXT, WORDPIECES, BPE, ERNIE, SUBWORDS = 33278, 30522, 50257, 17964, 36794  # sizes of the vocabularies
FEW = 6  # valid lengths and positions stay within the shortest sequence


def chosen(rng, shape):
    """Valid lengths and positions that every sequence has."""
    return rng.randint(1, FEW, size=shape)


def mask(rng, shape):
    """Which places may be looked at: the first, and others by chance."""
    m = rng.randint(0, 2, size=shape)
    m[:, 0] = 1
    return m


# Language models: tokens (length, batch), a list of states per layer

def language_model(name, layers, vocab, **options):
    def make():
        import gluonnlp
        build = getattr(gluonnlp.model.language_model, name)
        net, _ = build(vocab=range(vocab), pretrained=False, **options)
        states = [["h%d" % i, "c%d" % i] for i in range(layers)]
        return trace(net, "data", states if name.startswith("awd") else states[0])
    return make


def lstm(name, states, vocab=WIKITEXT, **options):
    """`states`: for each pair of states the layers in it and its width."""
    inputs = {"data": Input((12, 1), "int32", words(vocab))}
    dynamic = {"data": {0: "length", 1: "batch"}}
    for i, (layers, width) in enumerate(states):
        for s in "hc":
            inputs["%s%d" % (s, i)] = Input((layers, 1, width))
            dynamic["%s%d" % (s, i)] = {1: "batch"}
    return Net(name, "nlp", language_model(name, len(states), vocab, **options), inputs, "gluonnlp", dynamic,
               [{"batch": 2, "length": 7}, {"batch": 1, "length": 1}, {"batch": 3, "length": 5}])


# BERT and its kin: tokens, token types, valid lengths, masked positions

def bert(model, vocab, arguments, head=None, **options):
    def make():
        import gluonnlp
        m = gluonnlp.model
        if model.startswith("roberta"):
            net, _ = m.bert.get_roberta_model(model, vocab=range(vocab), pretrained=False, **options)
        elif model.startswith("distilbert"):
            net, _ = m.bert.distilbert_6_768_12(None, vocab=range(vocab), pretrained=False, **options)
        else:
            net, _ = m.bert.get_bert_model(model, vocab=range(vocab), pretrained=False, **options)
        if head == "classifier":
            kind = m.RoBERTaClassifier if model.startswith("roberta") else m.BERTClassifier
            net = kind(net, num_classes=2, dropout=0.1)
        elif head == "qa":
            return question_answering(net)
        return trace(net, *["data%d" % i for i in range(arguments)])
    return make


def question_answering(net):
    """A start and an end score for each token: what GluonNLP's scripts put upon BERT for SQuAD."""
    import mxnet as mx
    spans = mx.gluon.nn.Dense(2, flatten=False, prefix="span_")
    return spans(net(*[mx.sym.Variable("data%d" % i) for i in range(3)]))


def bert_net(name, model, vocab, kinds, published=False, head=None, **options):
    """`kinds`: what each input is, a letter each: tokens, segments (token types), lengths, positions."""
    every = {"t": (Input((1, 24), "float32", words(vocab)), {0: "batch", 1: "length"}),
             "s": (Input((1, 24), "float32", words(2)), {0: "batch", 1: "length"}),
             "l": (Input((1,), "float32", chosen), {0: "batch"}),
             "p": (Input((1, 4), "int32", chosen), {0: "batch", 1: "masked"})}
    inputs = {"data%d" % i: every[k][0] for i, k in enumerate(kinds)}
    dynamic = {"data%d" % i: every[k][1] for i, k in enumerate(kinds)}
    sizes = [{"batch": 2, "length": 7}, {"batch": 1, "length": 32}, {"batch": 3, "length": 6}]
    if "p" in kinds:
        sizes = [dict(s, masked=n) for s, n in zip(sizes, (3, 1, 2))]
    return Net(name, "nlp", bert(model, vocab, len(kinds), head, **options), inputs,
               "gluonnlp" if published else None, dynamic, sizes)


BARE = {"use_pooler": False, "use_decoder": False, "use_classifier": False}
POOLED = {"use_decoder": False, "use_classifier": False}


# GPT-2, which lies in GluonNLP's scripts: tokens, and the keys and values of what came before

def gpt2(layers, units, heads, vocab, states):
    def make():
        import mxnet as mx
        past = [mx.sym.Variable("past%d" % i) for i in range(2 * layers)] if states else None
        return gpt2_symbol(mx.sym.Variable("data"), past, layers, units, heads, vocab)
    return make


def gpt2_symbol(data, past, layers, units, heads, vocab):
    import mxnet as mx
    from mxnet import symbol as F
    positions = F.contrib.arange_like(data, axis=1).astype("int32")
    if past:
        positions = F.broadcast_add(positions, length(F.contrib.arange_like(past[0], axis=2).astype("int32"), "int32"))
    positions = F.broadcast_like(F.expand_dims(positions, axis=0), data.astype("int32"), lhs_axes=(0,), rhs_axes=(0,))
    table = F.Variable("embed_weight", shape=(vocab, units))
    x = F.Embedding(data, table, input_dim=vocab, output_dim=units, name="embed")
    x = x + F.Embedding(positions, input_dim=1024, output_dim=units, name="pos_embed")
    kept = []
    for i in range(layers):
        h, state = gpt2_attention(F.LayerNorm(x, name="attn_ln%d" % i), past[2 * i:2 * i + 2] if past else None,
                                  units, heads, "self_attn%d" % i)
        kept += state
        x = x + h
        h = F.FullyConnected(F.LayerNorm(x, name="ffn_ln%d" % i), num_hidden=4 * units, flatten=False,
                             name="ffn%d_in" % i)
        h = 0.5 * h * (1 + F.tanh(0.7978845608028654 * (h + 0.044715 * (h ** 3))))
        x = x + F.FullyConnected(h, num_hidden=units, flatten=False, name="ffn%d_out" % i)
    logits = F.FullyConnected(F.LayerNorm(x, name="final_ln"), table, num_hidden=vocab, no_bias=True, flatten=False,
                              name="logits")
    return mx.sym.Group([logits] + kept)


def length(steps, dtype):
    """How many numbers 0, 1, 2 ... there are, as an array of one."""
    from mxnet import symbol as F
    return F.broadcast_add(F.slice_axis(steps, axis=0, begin=-1, end=None), F.ones((1,), dtype=dtype))


def gpt2_attention(data, past, units, heads, name):
    """Masked attention over what came before and what is given, by operators of every MXNet since 1.6."""
    from mxnet import symbol as F
    here = F.contrib.arange_like(data, axis=1)
    everywhere = here
    if past:
        before = F.contrib.arange_like(past[0], axis=2)
        everywhere = F.contrib.arange_like(F.concat(before, here, dim=0))
        here = F.broadcast_add(here, length(before, "float32"))
    seen = F.broadcast_lesser_equal(everywhere.reshape((1, -1)), here.reshape((-1, 1)))
    seen = F.broadcast_like(F.expand_dims(seen, axis=0), data, lhs_axes=(0,), rhs_axes=(0,))
    seen = F.concat(*[seen] * heads, dim=0)
    qkv = F.swapaxes(F.FullyConnected(data, num_hidden=3 * units, flatten=False, name=name + "_qkv"), 1, 2)
    parts = []
    for part in F.split(qkv, num_outputs=3, axis=1):
        part = part.reshape(shape=(0, -4, heads, -1, 0)).reshape(shape=(-1, 0, 0), reverse=True)
        parts.append(F.swapaxes(part, 1, 2))
    query, key, value = parts
    if past:
        key = F.concat(past[0].reshape((-1, 0, 0), reverse=True), key, dim=1)
        value = F.concat(past[1].reshape((-1, 0, 0), reverse=True), value, dim=1)
    scores = F.batch_dot(F.contrib.div_sqrt_dim(query), key, transpose_b=True)
    scores = F.where(seen, scores, -1e18 * F.ones_like(scores))
    weights = F.identity(F.softmax(scores, axis=-1) * seen)
    out = F.batch_dot(weights, value).reshape((-1, heads, 0, 0), reverse=True)
    out = F.transpose(out, axes=(0, 2, 1, 3)).reshape((0, 0, -1))
    out = F.FullyConnected(out, num_hidden=units, flatten=False, name=name + "_out")
    return out, [x.reshape((-1, heads, 0, 0), reverse=True) for x in (key, value)]


def gpt2_net(name, layers, units, heads, states=False, published=True):
    inputs = {"data": Input((1, 16), "float32", words(BPE))}
    dynamic = {"data": {0: "batch", 1: "length"}}
    sizes = [{"batch": 2, "length": 7}, {"batch": 1, "length": 32}, {"batch": 3, "length": 1}]
    if states:
        for i in range(2 * layers):
            inputs["past%d" % i] = Input((1, heads, 8, units // heads))
            dynamic["past%d" % i] = {0: "batch", 2: "past"}
        sizes = [dict(s, past=p) for s, p in zip(sizes, (5, 1, 11))]
    return Net(name, "nlp", gpt2(layers, units, heads, BPE, states), inputs, "gluonnlp" if published else None,
               dynamic, sizes)


# Transformer: encoder, decoder over a whole sentence, one step of the decoder

def transformer(part, vocab):
    def make():
        import gluonnlp
        import mxnet as mx
        parts = gluonnlp.model.transformer.get_transformer_encoder_decoder(
            num_layers=6, num_heads=8, units=512, hidden_size=2048, dropout=0.1, max_src_length=530,
            max_tgt_length=549)  # the settings of transformer_en_de_512, which itself wants a data set
        net = gluonnlp.model.translation.NMTModel(
            range(vocab), range(vocab), *parts, share_embed=True, embed_size=512, tie_weights=True,
            embed_initializer=None, prefix="transformer_")
        data, memory, seen, lengths = [mx.sym.Variable(n) for n in ("data", "memory", "memory_mask", "valid_length")]
        constants = {p.name: p.value.asnumpy() for p in net.collect_params().values()
                     if isinstance(p, mx.gluon.Constant)}
        if part == "encoder":
            out = net.encode(data, valid_length=lengths)[0]
        elif part == "decoder":
            out = net.decode_seq(data, [memory, seen], lengths)[0]
        else:
            step = net.one_step_ahead_decoder
            position = mx.sym.Variable(step.position_weight.name)
            out = net.tgt_proj(step.hybrid_forward(mx.sym, net.tgt_embed(data), [memory, seen], position)[0])
        used = set(out.list_arguments())
        return out, {n: a for n, a in constants.items() if n in used}
    return make


def transformer_net(part, vocab=SUBWORDS):
    inputs = {"data": Input((1, 16), "float32", words(vocab))}
    dynamic = {"data": {0: "batch", 1: "length"}}
    sizes = [{"batch": 2, "length": 7}, {"batch": 1, "length": 32}, {"batch": 3, "length": 6}]
    if part != "encoder":
        inputs.update(memory=Input((1, 11, 512)), memory_mask=Input((1, 11), draw=mask))
        dynamic.update(memory={0: "batch", 1: "source"}, memory_mask={0: "batch", 1: "source"})
        sizes = [dict(s, source=n) for s, n in zip(sizes, (5, 20, 7))]
    if part != "step":
        inputs["valid_length"] = Input((1,), draw=chosen)
        dynamic["valid_length"] = {0: "batch"}
    return Net("transformer_en_de_512_" + part, "nlp", transformer(part, vocab), inputs, "gluonnlp", dynamic, sizes)


NETS = [
    lstm("standard_lstm_lm_200", [(2, 200)], dropout=0),
    lstm("standard_lstm_lm_650", [(2, 650)], dropout=0),
    lstm("standard_lstm_lm_1500", [(2, 1500)], dropout=0),
    lstm("awd_lstm_lm_600", [(1, 600), (1, 600), (1, 200)]),
    lstm("awd_lstm_lm_1150", [(1, 1150), (1, 1150), (1, 400)]),
    bert_net("bert_12_768_12", "bert_12_768_12", WORDPIECES, "tsl", True, **POOLED),
    bert_net("bert_12_768_12_nohead", "bert_12_768_12", WORDPIECES, "tsl", **BARE),
    bert_net("bert_12_768_12_allheads", "bert_12_768_12", WORDPIECES, "tslp"),
    bert_net("bert_12_768_12_attn_all_enc", "bert_12_768_12", WORDPIECES, "tsl", output_attention=True,
             output_all_encodings=True, **POOLED),
    bert_net("bert_classifier_12_768_12", "bert_12_768_12", WORDPIECES, "tsl", head="classifier", **POOLED),
    bert_net("bert_qa_12_768_12", "bert_12_768_12", WORDPIECES, "tsl", head="qa", **BARE),
    bert_net("bert_24_1024_16", "bert_24_1024_16", WORDPIECES, "tsl", True, **POOLED),
    bert_net("bert_24_1024_16_allheads", "bert_24_1024_16", WORDPIECES, "tslp"),
    bert_net("bert_qa_24_1024_16", "bert_24_1024_16", WORDPIECES, "tsl", head="qa", **BARE),
    bert_net("distilbert_6_768_12", "distilbert_6_768_12", WORDPIECES, "t", True),
    bert_net("ernie_12_768_12", "ernie_12_768_12", ERNIE, "tsl", True, **POOLED),
    bert_net("roberta_12_768_12", "roberta_12_768_12", BPE, "tlp", True),
    bert_net("roberta_12_768_12_nohead", "roberta_12_768_12", BPE, "t", use_decoder=False),
    bert_net("roberta_classifier_12_768_12", "roberta_12_768_12", BPE, "tl", head="classifier", use_decoder=False),
    bert_net("roberta_24_1024_16", "roberta_24_1024_16", BPE, "tlp", True),
    gpt2_net("gpt2_117m", 12, 768, 12),
    gpt2_net("gpt2_117m_states", 12, 768, 12, states=True, published=False),
    gpt2_net("gpt2_345m", 24, 1024, 16),
    transformer_net("encoder"),
    transformer_net("decoder"),
    transformer_net("step"),
]

# Of few words: each recorded output of a language model has a number for each, and weights are made in each test run
# (tests/oracle/record_sequences.py).
RECORDED = [
    lstm("standard_lstm_lm_200", [(2, 200)], vocab=300, dropout=0),
    transformer_net("encoder", vocab=1000),
]
