# SPDX-License-Identifier: Apache-2.0
"""RNN: modes, layers, directions, projection, states, lengths; Gluon's layers and unrolled cells."""
from . import build, case, data, param

GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}
TN = {0: "t", 1: "n"}
N1 = {1: "n"}


def size(mode, layers, ways, inputs, hidden, projected=None):
    """Elements of the parameter vector."""
    rows, width, total = GATES[mode] * hidden, projected or hidden, 0
    for layer in range(layers):
        read = inputs if layer == 0 else width * ways
        total += ways * (rows * (read + width) + 2 * rows + (projected * hidden if projected else 0))
    return total


def rnn(name, mode, layers=1, ways=1, time=4, batch=2, inputs=3, hidden=5, projected=None, outputs=False, blob=param,
        state=data, lengths=None, dtype="float32", dynamic=True, attrs=None, **options):
    """A case of the plain operator; state: data, param, or zeros for a state that the symbol makes."""
    total = layers * ways
    x = [data(time, batch, inputs, dtype=dtype), blob(size(mode, layers, ways, inputs, hidden, projected), dtype=dtype,
                                                       low=-0.6, high=0.6)]
    dims = [TN] + ([None] if blob is data else [])
    for width in [projected or hidden] + ([hidden] if mode == "lstm" else []):
        x.append(state(total, batch, width, dtype=dtype))
        dims += [N1] if state is data else []
    if lengths is not None:
        x.append(lengths)
        dims += [{0: "n"}] if lengths.role == "data" else []
    a = dict(state_size=hidden, num_layers=layers, mode=mode, bidirectional=ways == 2, state_outputs=outputs)
    if projected:
        a["projection_size"] = projected
    if lengths is not None:
        a["use_sequence_length"] = True
    a.update(attrs or {})
    return case(name, "RNN", x, a, dynamic=dims if dynamic else None, **options)


def zero_states(name, mode, layers=1, ways=1, inputs=3, hidden=5, projected=None, batch=0, like=False, **attrs):
    """The states come from _zeros, whose batch is open, or are made like a slice of the data."""
    def make(mx):
        x = mx.sym.Variable("data")
        states = []
        for n in [projected or hidden] + ([hidden] if mode == "lstm" else []):
            if like:
                step = mx.sym.slice_axis(x, axis=0, begin=0, end=1)
                states.append(mx.sym.zeros_like(mx.sym.slice_axis(step, axis=2, begin=0, end=n)))
            else:
                states.append(mx.sym.zeros((layers * ways, batch, n)))
        return mx.sym.RNN(x, mx.sym.Variable("parameters"), *states, state_size=hidden, num_layers=layers, mode=mode,
                          bidirectional=ways == 2, name="rnn", **({"projection_size": projected} if projected else {}),
                          **attrs)
    return build(name, make, {"data": data(4, 2, inputs)},
                 {"parameters": param(size(mode, layers, ways, inputs, hidden, projected), low=-0.6, high=0.6)},
                 dynamic={"data": N1 if batch else TN} if not batch else None)


def with_lengths(name, mode, layers=1, ways=1, lengths=(4, 4)):
    """Lengths of what is not an LSTM: by keyword, since MXNet's own function counts a cell state."""
    def make(mx):
        v = mx.sym.Variable
        return mx.sym.RNN(data=v("data"), parameters=v("parameters"), state=v("h"), sequence_length=v("lengths"),
                          state_size=5, num_layers=layers, mode=mode, bidirectional=ways == 2, state_outputs=True,
                          use_sequence_length=True, name="rnn")
    return build(name, make, {"data": data(4, 2, 3), "h": data(layers * ways, 2, 5),
                              "lengths": data(values=lengths, dtype="int64")},
                 {"parameters": param(size(mode, layers, ways, 3, 5), low=-0.6, high=0.6)}, dynamic=None)


def gluon(name, layer, inputs, state=None, layout="TNC", dynamic=None, **layer_args):
    """A layer of Gluon, as its export writes it: weights joined by _rnn_param_concat, states of zeros."""
    hidden, layers = layer_args["hidden_size"], layer_args.get("num_layers", 1)
    ways, gates = (2 if layer_args.get("bidirectional") else 1), {"LSTM": 4, "GRU": 3, "RNN": 1}[layer]
    projected = layer_args.get("projection_size")
    width = projected or hidden
    params = {}
    for i in range(layers):
        for way in "lr"[:ways]:
            read = inputs if i == 0 else width * ways
            stem = "net_%s%d_" % (way, i)
            params[stem + "i2h_weight"] = param(gates * hidden, read)
            params[stem + "h2h_weight"] = param(gates * hidden, width)
            params[stem + "i2h_bias"] = param(gates * hidden)
            params[stem + "h2h_bias"] = param(gates * hidden)
            if projected:
                params[stem + "h2r_weight"] = param(projected, hidden)

    def make(mx):
        net = getattr(mx.gluon.rnn, layer)(layout=layout, prefix="net_", input_size=inputs, **layer_args)
        x = mx.sym.Variable("data")
        if not state:
            return net(x)
        out, states = net(x, [mx.sym.Variable("state%d" % i) for i in range(len(state))])
        return mx.sym.Group([out] + list(states))
    given = {"data": data(4, 2, inputs) if layout == "TNC" else data(2, 4, inputs)}
    given.update({"state%d" % i: s for i, s in enumerate(state or ())})
    dims = {"data": {0: "t", 1: "n"} if layout == "TNC" else {0: "n", 1: "t"}}
    dims.update({"state%d" % i: N1 for i in range(len(state or ()))})
    return build(name, make, given, params, dynamic=dims if dynamic is None else dynamic)


def unrolled(name, cell, inputs, hidden, length=3, bidirectional=False, fused=None):
    """A cell of mx.rnn, unrolled: its begin state is _zeros of shape (0, hidden)."""
    gates = {"LSTMCell": 4, "GRUCell": 3, "RNNCell": 1, "lstm": 4, "gru": 3}[fused or cell]

    def make(mx):
        if fused:
            made = mx.rnn.FusedRNNCell(hidden, num_layers=2, mode=fused, prefix="c_", bidirectional=bidirectional)
            return made.unroll(length, mx.sym.Variable("data"), layout="NTC", merge_outputs=True)[0]
        made = getattr(mx.rnn, cell)(hidden, prefix="c_")
        if bidirectional:
            made = mx.rnn.BidirectionalCell(made, getattr(mx.rnn, cell)(hidden, prefix="r_"))
        return made.unroll(length, mx.sym.Variable("data"), layout="NTC", merge_outputs=True)[0]
    params = {}
    if fused:
        params["c_parameters"] = param(size(fused, 2, 2 if bidirectional else 1, inputs, hidden), low=-0.6, high=0.6)
    else:
        for stem in ["c_", "r_"][:2 if bidirectional else 1]:
            params.update({stem + "i2h_weight": param(gates * hidden, inputs), stem + "i2h_bias": param(gates * hidden),
                           stem + "h2h_weight": param(gates * hidden, hidden), stem + "h2h_bias": param(gates * hidden)})
    return build(name, make, {"data": data(2, length, inputs)}, params, dynamic={"data": {0: "n"}})


def computed_vector(mx):
    """The parameter vector is computed when the model runs."""
    w = mx.sym.Variable("w") * 0.5
    return mx.sym.RNN(mx.sym.Variable("data"), w, mx.sym.Variable("h"), mx.sym.Variable("c"), state_size=5,
                      num_layers=2, mode="lstm", bidirectional=True, state_outputs=True, name="rnn")


def joined_vector(mx):
    """Weights of several variables, one of them fed."""
    parts = [mx.sym.reshape(mx.sym.Variable(n), shape=(-1,)) for n in ("wi", "wh", "bi", "bh")]
    w = mx.sym._internal._rnn_param_concat(*parts, dim=0, num_args=4)
    return mx.sym.RNN(mx.sym.Variable("data"), w, mx.sym.zeros((1, 0, 5)), mx.sym.zeros((1, 0, 5)), state_size=5,
                      num_layers=1, mode="lstm", name="rnn")


JOINED = dict(wi=(20, 3), wh=(20, 5), bi=(20,), bh=(20,))

CASES = [
    # ---- modes, layers, directions
    *[rnn(m, m) for m in GATES],
    *[rnn(m + "_states", m, outputs=True) for m in GATES],
    *[rnn(m + "_both_ways", m, ways=2, outputs=True) for m in GATES],
    *[rnn(m + "_deep", m, layers=3, outputs=True) for m in GATES],
    *[rnn(m + "_deep_both_ways", m, layers=2, ways=2, outputs=True) for m in GATES],
    rnn("lstm_no_states", "lstm", layers=2, ways=2),
    rnn("gru_no_states", "gru", layers=2, ways=2),
    rnn("lstm_narrow", "lstm", layers=2, inputs=1, hidden=1, outputs=True),
    rnn("gru_narrow", "gru", inputs=1, hidden=1, ways=2),
    rnn("lstm_one_step", "lstm", time=1, outputs=True),
    rnn("lstm_batch_1", "lstm", batch=1, layers=2, outputs=True),
    rnn("lstm_dropout", "lstm", layers=2, attrs=dict(p=0.5)),
    rnn("lstm_wide", "lstm", inputs=40, hidden=32, time=12, outputs=True),
    rnn("lstm_states_stored", "lstm", layers=2, state=param, outputs=True, dynamic=False),
    rnn("gru_static", "gru", ways=2, outputs=True, dynamic=False),
    rnn("lstm_f64", "lstm", layers=2, ways=2, outputs=True, dtype="float64", rtol=1e-5),
    rnn("gru_f64", "gru", outputs=True, dtype="float64", rtol=1e-5),
    rnn("rnn_tanh_f64", "rnn_tanh", dtype="float64", rtol=1e-5),
    rnn("lstm_clip", "lstm", attrs=dict(lstm_state_clip_min=-0.1, lstm_state_clip_max=0.1, lstm_state_clip_nan=True)),

    # ---- projection
    # (MXNet 1.9.1 crashes where the states are not outputs)
    rnn("projected", "lstm", projected=2, outputs=True),
    rnn("projected_one", "lstm", projected=1, outputs=True),
    rnn("projected_both_ways", "lstm", ways=2, projected=3, outputs=True),
    rnn("projected_deep", "lstm", layers=3, projected=3, outputs=True),
    rnn("projected_deep_both_ways", "lstm", layers=2, ways=2, projected=3, outputs=True),
    rnn("projected_wider", "lstm", layers=2, projected=7, outputs=True),
    rnn("projected_static", "lstm", ways=2, projected=3, outputs=True, dynamic=False),
    rnn("projected_f64", "lstm", ways=2, projected=3, outputs=True, dtype="float64", rtol=1e-5),
    zero_states("projected_zeros", "lstm", ways=2, projected=3, state_outputs=True),
    zero_states("projected_zeros_deep", "lstm", layers=2, projected=3, state_outputs=True),

    # ---- initial states of zeros
    *[zero_states(m + "_zeros", m) for m in GATES],
    zero_states("lstm_zeros_deep", "lstm", layers=2, ways=2, state_outputs=True),
    zero_states("lstm_zeros_static", "lstm", batch=2),
    zero_states("gru_zeros_like", "gru", inputs=6, like=True),

    # ---- the vector of parameters
    rnn("lstm_fed_vector", "lstm", layers=2, ways=2, blob=data, outputs=True),
    rnn("gru_fed_vector", "gru", blob=data),
    rnn("rnn_relu_fed_vector", "rnn_relu", layers=2, blob=data),
    rnn("projected_fed_vector", "lstm", ways=2, projected=3, blob=data, outputs=True),
    build("computed_vector", computed_vector, {"data": data(4, 2, 3), "h": data(4, 2, 5), "c": data(4, 2, 5)},
          {"w": param(size("lstm", 2, 2, 3, 5))}, dynamic={"data": TN, "h": N1, "c": N1}),
    build("joined_vector", joined_vector, {"data": data(4, 2, 3)}, {n: param(*s) for n, s in JOINED.items()},
          dynamic={"data": TN}),
    build("joined_vector_fed", joined_vector, {"data": data(4, 2, 3), "wh": data(20, 5)},
          {n: param(*s) for n, s in JOINED.items() if n != "wh"}, dynamic={"data": TN}),

    # ---- lengths: a CPU ignores them, so that only full ones can be recorded (shorter ones: test_rnn_lengths.py)
    rnn("lstm_lengths", "lstm", ways=2, outputs=True, lengths=data(values=[4, 4], dtype="int32"), dynamic=False),
    rnn("lstm_lengths_float", "lstm", outputs=True, lengths=data(values=[4.0, 4.0]), dynamic=False),
    with_lengths("gru_lengths", "gru", layers=2),
    with_lengths("rnn_tanh_lengths", "rnn_tanh", ways=2),

    # ---- layers of Gluon
    gluon("gluon_lstm", "LSTM", 3, hidden_size=5),
    gluon("gluon_lstm_deep", "LSTM", 3, hidden_size=5, num_layers=2, bidirectional=True, dropout=0.2),
    gluon("gluon_lstm_batch_first", "LSTM", 3, hidden_size=5, layout="NTC"),
    gluon("gluon_lstm_states", "LSTM", 3, hidden_size=5, num_layers=2, state=[data(2, 2, 5), data(2, 2, 5)]),
    gluon("gluon_lstm_projected", "LSTM", 3, hidden_size=5, projection_size=2, num_layers=2),
    gluon("gluon_gru", "GRU", 3, hidden_size=5, num_layers=2, layout="NTC"),
    gluon("gluon_gru_both_ways", "GRU", 3, hidden_size=5, bidirectional=True, state=[data(2, 2, 5)]),
    gluon("gluon_rnn", "RNN", 3, hidden_size=5, activation="tanh"),
    gluon("gluon_rnn_relu", "RNN", 3, hidden_size=5, num_layers=2, layout="NTC", state=[data(2, 2, 5)]),

    # ---- cells of mx.rnn
    unrolled("lstm_cell", "LSTMCell", 3, 5),
    unrolled("gru_cell", "GRUCell", 3, 5),
    unrolled("rnn_cell", "RNNCell", 3, 5),
    unrolled("lstm_cell_both_ways", "LSTMCell", 3, 5, bidirectional=True),
    unrolled("fused_lstm", None, 3, 5, fused="lstm"),
    unrolled("fused_gru_both_ways", None, 3, 5, fused="gru", bidirectional=True),
]
