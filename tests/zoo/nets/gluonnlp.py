# SPDX-License-Identifier: Apache-2.0
"""GluonNLP 0.10's models: language models, BERT and its kin, GPT-2, the translation Transformer.

Vocabularies are those of the published models in size. Each net is exported for one batch and length and for any.
tests/oracle/published/nlp.py builds them.
"""
from net import Input, Net, constants, trace, words

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

def language_model(name, layers, vocab):
    def make():
        from published import nlp
        states = [["h%d" % i, "c%d" % i] for i in range(layers)]
        return trace(nlp.language_model(name, vocab), "data", states if name.startswith("awd") else states[0])
    return make


def lstm(name, states, vocab=WIKITEXT):
    """`states`: for each pair of states the layers in it and its width."""
    inputs = {"data": Input((12, 1), "int32", words(vocab))}
    dynamic = {"data": {0: "length", 1: "batch"}}
    for i, (layers, width) in enumerate(states):
        for s in "hc":
            inputs["%s%d" % (s, i)] = Input((layers, 1, width))
            dynamic["%s%d" % (s, i)] = {1: "batch"}
    return Net(name, "nlp", language_model(name, len(states), vocab), inputs, "gluonnlp", dynamic,
               [{"batch": 2, "length": 7}, {"batch": 1, "length": 1}, {"batch": 3, "length": 5}])


# BERT and its kin: tokens, token types, valid lengths, masked positions

def bert(model, vocab, arguments, head=None, **options):
    def make():
        from published import nlp
        return trace(nlp.bert(model, vocab, head, **options), *["data%d" % i for i in range(arguments)])
    return make


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


# GPT-2, from GluonNLP's scripts: tokens, and the keys and values of the earlier ones

def gpt2(name, vocab, past):
    def make():
        from published import nlp
        return trace(nlp.gpt2(name, vocab), "data", *[past] * bool(past))
    return make


def gpt2_net(name, layers, units, heads, states=False):
    inputs = {"data": Input((1, 16), "float32", words(BPE))}
    dynamic = {"data": {0: "batch", 1: "length"}}
    sizes = [{"batch": 2, "length": 7}, {"batch": 1, "length": 32}, {"batch": 3, "length": 1}]
    past = ["past%d" % i for i in range(2 * layers * states)]
    for p in past:
        inputs[p] = Input((1, heads, 8, units // heads))
        dynamic[p] = {0: "batch", 2: "past"}
    if states:
        sizes = [dict(s, past=p) for s, p in zip(sizes, (5, 1, 11))]
    return Net(name + "_states" * states, "nlp", gpt2(name, BPE, past), inputs, None if states else "gluonnlp", dynamic, sizes)


# Transformer: encoder, decoder over a whole sentence, one step of the decoder

def transformer(part, vocab, inputs):
    def make():
        from published import nlp
        import mxnet as mx
        net = nlp.transformer(vocab)
        out = nlp.transformer_part(net, part, **{n: mx.sym.Variable(n) for n in inputs})
        return out, {n: a for n, a in constants(net).items() if n in out.list_arguments()}
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
    return Net("transformer_en_de_512_" + part, "nlp", transformer(part, vocab, inputs), inputs, "gluonnlp", dynamic, sizes)


NETS = [
    lstm("standard_lstm_lm_200", [(2, 200)]),
    lstm("standard_lstm_lm_650", [(2, 650)]),
    lstm("standard_lstm_lm_1500", [(2, 1500)]),
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
    gpt2_net("gpt2_117m", 12, 768, 12, states=True),
    gpt2_net("gpt2_345m", 24, 1024, 16),
    transformer_net("encoder"),
    transformer_net("decoder"),
    transformer_net("step"),
]

# Of few words: each recorded output of a language model has a number for each, and weights are made in each test run
# (tests/oracle/record_sequences.py).
RECORDED = [
    lstm("standard_lstm_lm_200", [(2, 200)], vocab=300),
    transformer_net("encoder", vocab=1000),
    bert_net("bert_classifier_2_64_4", "bert_12_768_12", 1000, "tsl", head="classifier", hparam_allow_override=True,
             num_layers=2, units=64, hidden_size=128, num_heads=4, embed_size=64, **POOLED),
]
