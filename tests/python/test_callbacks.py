# SPDX-License-Identifier: Apache-2.0
"""What callbacks raise and give, signals that arrive in a call, and arguments that C's types cannot hold."""
import gc
import io
import json
import logging
import signal
import threading

import mx2onnx
import pytest
from mx2onnx import _model

SYMBOL = json.dumps({
    "nodes": [
        {"op": "null", "name": "x", "inputs": []},
        {"op": "null", "name": "w", "inputs": []},
        {"op": "Custom", "name": "c", "attrs": {"op_type": "mine"}, "inputs": [[0, 0, 0], [1, 0, 0]]},
    ],
    "arg_nodes": [0, 1], "heads": [[2, 0, 0]],
}).encode()
LOOKS = ["inputs", "outputs", "variables", "operators", "params", "report"]
CALLS = {
    "load": lambda m: m.load_symbol(SYMBOL),
    "infer": lambda m: m.infer(),
    "graph_text": lambda m: m.graph_text(),
    "graph": lambda m: m.graph("mxnet"),
    "export_bytes": lambda m: m.export_bytes(),
    "rename": lambda m: m.rename("x", "y"),
    **{look: lambda m, look=look: getattr(m, look) for look in LOOKS},
}


class Mine(BaseException):
    def __bool__(self):  # an exception is one, whatever it says of itself
        return False


def raises(*_):
    raise Mine


class File(io.BytesIO):
    """The values of w as a file, whose read() is another function once `instead` is set."""

    def __init__(self):
        np = pytest.importorskip("numpy")
        super().__init__()
        np.savez(self, w=np.arange(4, dtype=np.float32))
        self.instead = None

    def read(self, n=-1):
        data = super().read(n)
        return data if self.instead is None else self.instead(data)


def lower(node):
    return node.add("Mul", node.inputs[0], node.inputs[1])


def made(call="infer", infer=None, lower=lower):
    """A model before `call`, with its file."""
    m, file = mx2onnx.Model(), File()
    if call != "load":
        m.load_symbol(SYMBOL)
        m.load_params(file)
        m.set_input_shape("x", (2, 4))
        m.add_custom_operator(mx2onnx.CustomOperator("mine", lower, infer))
    return m, file


@pytest.mark.parametrize("call", CALLS)
def test_a_progress_function_raises_in_the_call_that_asks_it(call):
    """An exception in a look was raised by the next setter, which had succeeded, and whose function was then freed while C had it."""
    m, _ = made(call)
    m.set_progress(raises)
    with pytest.raises(Mine):
        CALLS[call](m)
    seen = []
    m.set_log(lambda level, text: seen.append(text))
    m.set_progress(lambda p: seen.append(p.done))
    m.opset = 17
    gc.collect()
    CALLS[call](m)
    assert seen


@pytest.mark.parametrize("look", LOOKS)
def test_a_cancelled_query_raises_an_error(look):
    m, _ = made()
    m.set_progress(lambda p: True)
    with pytest.raises(mx2onnx.CancelledError):
        getattr(m, look)
    m.set_progress(None)
    assert m.outputs[0].name == "c"


@pytest.mark.parametrize("setter", ["set_progress", "set_log", "custom", "remove"])
def test_a_function_lives_until_c_drops_it(setter):
    """Also where the call that gave it raises, as it does in a callback, where C keeps the functions that it had."""
    m, _ = made()
    kept = []

    def in_use(*_):
        for call in (lambda: m.set_progress(lambda *_: 0), lambda: m.set_log(print), lambda: m.add_custom_operator(
                mx2onnx.CustomOperator("mine", raises, raises)), lambda: m.remove_custom_operator("mine")):
            with pytest.raises(mx2onnx.InvalidArgumentError):
                call()
            gc.collect()
        kept.append(1)

    m.set_progress(in_use)
    m.export_bytes()
    assert kept
    m.opset = 18
    m.set_progress(raises)
    with pytest.raises(Mine):
        list(m.outputs)
    {"set_progress": lambda: m.set_progress(None), "set_log": lambda: m.set_log(lambda level, text: None),
     "custom": lambda: m.add_custom_operator(mx2onnx.CustomOperator("mine", lower)),
     "remove": lambda: m.remove_custom_operator("mine")}[setter]()
    m.set_progress(None)
    gc.collect()
    if setter == "remove":
        with pytest.raises(mx2onnx.UnsupportedError):
            m.export_bytes()
    else:
        assert m.graph_text() and m.export_bytes()


@pytest.mark.parametrize("call", ["load", "graph_text"])
def test_a_log_function_raises_in_the_call_that_logs(call):
    m, _ = made(call)
    m.set_log(raises, logging.DEBUG)
    with pytest.raises(Mine):
        m.load_symbol(b"{]") if call == "load" else m.graph_text()
    m.opset = 17
    m.set_log(None)
    assert call == "load" or m.graph_text()


def test_the_first_exception_counts_and_no_function_runs_after_it():
    ran = []
    m, _ = made(infer=raises, lower=lambda node: ran.append("lower"))
    m.set_log(lambda level, text: ran.append("log"))
    with pytest.raises(Mine):
        m.export_bytes()
    assert ran == []


def test_a_callback_that_swallows_hides_nothing():
    """A handler reads a parameter, its file raises, and the handler goes on."""
    file = None

    def swallows(node):
        file.instead = raises
        try:
            node.inputs[1].bytes()
        except mx2onnx.Error:
            file.instead = None
        assert m.inputs == []
        node.set_output(0, like=0)

    m, file = made(infer=swallows)
    with pytest.raises(Mine):
        m.infer()
    m.add_custom_operator(mx2onnx.CustomOperator("mine", lower))
    assert m.export_bytes()


# ---- what callbacks give

@pytest.mark.parametrize("instead,error", [
    (lambda data: data + b"A" * 100000, ValueError),  # C's memory was overwritten
    (lambda data: memoryview(data + b"A"), ValueError),
    (lambda data: "A" * len(data), TypeError),
    (lambda data: len(data), TypeError),
    (lambda data: None, TypeError),
    (lambda data: b"", mx2onnx.FileError),
    (raises, Mine),
])
@pytest.mark.parametrize("when", ["load", "load_params", "export"])
def test_a_read_must_give_bytes(instead, error, when):
    m, file = made()
    if when == "export":
        file.instead = instead
        with pytest.raises(error):
            m.export_bytes()
        file.instead = None
        assert m.export_bytes()
        return
    file = File()
    file.instead = instead
    with pytest.raises(error):
        (mx2onnx.Model().load if when == "load" else m.load_params)(file)


@pytest.mark.parametrize("end,error", [(None, TypeError), (-1, OverflowError), (1 << 64, OverflowError), (1.5, TypeError)])
def test_a_file_must_have_a_size(end, error):
    file = io.BytesIO(SYMBOL)
    file_seek = type("F", (), {"seek": lambda self, *_: end, "read": file.read})()
    with pytest.raises(error, match="seek"):
        mx2onnx.Model(file_seek)


@pytest.mark.parametrize("give,error", [
    (lambda data: 0, OverflowError), (lambda data: -1, OverflowError), (lambda data: len(data) + 1, OverflowError),
    (lambda data: True, TypeError), (lambda data: "all", TypeError), (lambda data: 1.0, TypeError), (raises, Mine),
])
def test_a_write_must_give_a_count(give, error):
    m, _ = made()
    with pytest.raises(error):
        m.export_to(give)
    assert m.export_bytes()


def test_a_write_may_take_less():
    m, _ = made()
    pieces = []
    m.export_to(lambda data: pieces.append(data[:7]) or min(7, len(data)))
    assert b"".join(pieces) == m.export_bytes()


def test_a_raw_file_must_not_block():
    class Full(io.RawIOBase):
        def write(self, data):
            return None

    m, _ = made()
    with pytest.raises(BlockingIOError):
        m.export_to(Full())


# ---- signals

@pytest.fixture
def interrupts():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def raise_signal(*_):
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_in_a_callback_ends_the_call(call, interrupts):
    m, _ = made(call)
    m.set_progress(raise_signal)
    with pytest.raises(KeyboardInterrupt):
        CALLS[call](m)
    m.set_progress(None)
    CALLS[call](m)


C_FUNCTIONS = {"load": "load_symbol_memory", "infer": "infer", "graph_text": "graph_text", "graph": "graph_json",
               "export_bytes": "export_callback", "rename": "rename", "outputs": "output_count", "report": "report_json"}


@pytest.mark.parametrize("call", C_FUNCTIONS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_ctrl_c_is_not_lost_while_c_runs(call, when, interrupts, monkeypatch):
    """The handler would run as the next callback begins, or after the call: KeyboardInterrupt was lost, or CancelledError."""
    m, _ = made(call)
    real, results = getattr(_model.lib, C_FUNCTIONS[call]), []

    def interrupted(*arguments):
        if when == "before":
            raise_signal()
        results.append(real(*arguments))
        if when == "after":
            raise_signal()
        return results[-1]

    monkeypatch.setattr(_model.lib, C_FUNCTIONS[call], interrupted)
    with pytest.raises(KeyboardInterrupt):
        CALLS[call](m)
    if when == "before" and call not in ("outputs", "report"):
        assert results == [-10], "C was not stopped"
    monkeypatch.undo()
    if (call, when) != ("load", "after"):  # it is loaded
        CALLS[call](m)


@pytest.mark.parametrize("of", ["log", "read", "infer", "lower", "write"])
def test_ctrl_c_in_other_callbacks_ends_the_call(of, interrupts):
    handler = {of: raise_signal} if of in ("infer", "lower") else {}
    m, file = made(**handler)
    if of == "log":
        m.set_log(raise_signal, logging.DEBUG)
    elif of == "read":
        file.instead = raise_signal
    with pytest.raises(KeyboardInterrupt):
        m.export_to(raise_signal) if of == "write" else m.graph_text() if of == "log" else m.export_bytes()


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="a signal of Unix")
def test_the_handler_of_a_timeout_raises_in_the_call(monkeypatch):
    m, _ = made()
    real = _model.lib.infer
    monkeypatch.setattr(_model.lib, "infer", lambda *a: (signal.raise_signal(signal.SIGALRM), real(*a))[1])

    def late(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(TimeoutError):
            m.infer()
        assert signal.getsignal(signal.SIGALRM) is late
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "SIGVTALRM"), reason="a signal of Unix")
@pytest.mark.parametrize("closes", [False, True])
def test_the_handler_of_any_signal_may_raise_but_not_close_the_model(monkeypatch, closes):
    m, _ = made()
    real = _model.lib.infer
    signals = [signal.SIGVTALRM]
    monkeypatch.setattr(_model.lib, "infer", lambda *a: ([signal.raise_signal(s) for s in signals], signals.clear(), real(*a))[-1])

    def late(number, frame):
        if closes:
            m.close()
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        with pytest.raises(mx2onnx.InvalidArgumentError if closes else TimeoutError):
            m.infer()
    finally:
        signal.signal(signal.SIGVTALRM, before)
    m.infer()


def test_another_thread_cannot_close_a_model_that_works(monkeypatch):
    m, _ = made()
    real, refused = _model.lib.infer, []

    def close():
        with pytest.raises(mx2onnx.InvalidArgumentError, match="in use"):
            m.close()
        refused.append(True)

    def infer(*a):
        thread = threading.Thread(target=close)
        thread.start()
        thread.join()
        return real(*a)

    monkeypatch.setattr(_model.lib, "infer", infer)
    m.infer()
    assert refused == [True]
    m.close()


def test_a_shape_must_have_as_many_dims_as_its_length():
    class Odd:
        def __len__(self):
            return 32

        def __iter__(self):
            return iter([2, 4])

    m, _ = made(infer=lambda n: n.set_output(0, "float32", Odd()))
    m.infer()
    assert m.outputs[0].shape == (2, 4)


def test_two_signals_are_both_handled(interrupts):
    from mx2onnx._signals import Waiting
    handled = []
    before = signal.signal(signal.SIGTERM, lambda *_: handled.append("term"))
    try:
        with pytest.raises(KeyboardInterrupt):
            with Waiting(lambda: False):
                raise_signal()
                signal.raise_signal(signal.SIGTERM)
                assert handled == []
        assert handled == ["term"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_call_of_another_thread_leaves_signals_alone(interrupts):
    m, _ = made()
    seen = []
    m.set_progress(lambda p: seen.append(signal.getsignal(signal.SIGINT)))
    t = threading.Thread(target=m.infer)
    t.start()
    t.join()
    assert seen and set(seen) == {signal.default_int_handler}


# ---- arguments

NUMBERS = {  # a call with a number, and one more than it can hold
    "opset": (lambda m, v: setattr(m, "opset", v), 1 << 63),
    "memory_limit": (lambda m, v: setattr(m, "memory_limit", v), 1 << 63),
    "external_threshold": (lambda m, v: setattr(m, "external_threshold", v), 1 << 63),
    "set_input_shape": (lambda m, v: m.set_input_shape("x", (v, 4)), 1 << 63),
    "set_input_dim_name": (lambda m, v: m.set_input_dim_name("x", v, "n"), 1 << 64),
    "outputs": (lambda m, v: m.add_custom_operator(mx2onnx.CustomOperator("other", lower, None, v)), 1 << 64),
}
IN_HANDLERS = {
    "set_output": lambda n, v: n.set_output(v, like=0),
    "like": lambda n, v: n.set_output(0, like=v),
    "shape": lambda n, v: n.set_output(0, "float32", (v, 4)),
    "Dim.input": lambda n, v: n.set_output(0, "float32", (mx2onnx.Dim(v, 0), 4)),
    "Dim.axis": lambda n, v: n.set_output(0, "float32", (mx2onnx.Dim(0, v), 4)),
    "add": lambda n, v: n.add("Relu", n.inputs[0], outputs=v),
    "constant": lambda n, v: n.constant(b"\0\0\0\0", "float32", (v,)),
    "set_result": lambda n, v: n.set_result(v, n.inputs[0]),
}
UNSIGNED = {"set_input_dim_name", "outputs", "set_output", "like", "Dim.input", "Dim.axis", "add",
            "set_result"}


def wrong_numbers(name, too_large):
    yield too_large, OverflowError
    yield -(1 << 65), OverflowError
    for value in (True, 1.5, 2.0, float("nan"), b"1", [1], {}):
        yield value, TypeError
    if name in UNSIGNED:
        yield -1, OverflowError


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_must_fit(name):
    """ctypes cut them: an opset of 1 << 40 was the automatic choice."""
    call, too_large = NUMBERS[name]
    for value, error in wrong_numbers(name, too_large):
        m, _ = made()
        before = m.memory_limit
        with pytest.raises(error):
            call(m, value)
        assert m.memory_limit == before
        assert m.export_bytes()


@pytest.mark.parametrize("name", IN_HANDLERS)
def test_a_number_of_a_handler_must_fit(name):
    for value, error in wrong_numbers(name, 1 << 64):
        def use(node):
            IN_HANDLERS[name](node, value)

        lowers = name in ("add", "constant", "set_result")
        m, _ = made(**({"lower": use} if lowers else {"infer": use}))
        with pytest.raises(error):
            m.export_bytes()


@pytest.mark.parametrize("value,error", [("1.5", TypeError), (b"1", TypeError), (True, TypeError), (10**400, OverflowError),
                                         (float("nan"), mx2onnx.InvalidArgumentError), (float("inf"), mx2onnx.InvalidArgumentError)])
def test_a_mean_must_be_a_number(value, error):
    m, _ = made()
    for values in (value, [value]):
        if isinstance(values, (str, bytes)):
            continue  # a sequence
        with pytest.raises(error):
            m.set_input_mean("x", values)
        with pytest.raises(error):
            m.set_input_scale("x", values)


NAMES = {
    "load_net": lambda m, v: m.load_net(v),
    "load": lambda m, v: m.load(v),
    "load_params": lambda m, v: m.load_params(v),
    "load_catalogue": lambda m, v: m.load_catalogue(v),
    "set_param_prefix": lambda m, v: setattr(m, "param_prefix", v),
    "set_param": lambda m, v: m.set_param(v, b"\0\0"),
    "set_input_shape": lambda m, v: m.set_input_shape(v, (2, 4)),
    "dim": lambda m, v: m.set_input_shape("x", (v, 4)),
    "set_input_dim_name": lambda m, v: m.set_input_dim_name("x", 0, v),
    "set_input_dim_name of": lambda m, v: m.set_input_dim_name(v, 0, "n"),
    "set_input_dtype": lambda m, v: m.set_input_dtype(v, "float32"),
    "dtype": lambda m, v: m.set_input_dtype("x", v),
    "set_input_channels_last": lambda m, v: m.set_input_channels_last(v),
    "set_input_channels_reversed": lambda m, v: m.set_input_channels_reversed(v),
    "set_input_mean": lambda m, v: m.set_input_mean(v, [1.0]),
    "add_output": lambda m, v: m.add_output(v),
    "rename": lambda m, v: m.rename("x", v),
    "rename of": lambda m, v: m.rename(v, "y"),
    "set_target": lambda m, v: setattr(m, "target", v),
    "set_node_precision": lambda m, v: m.set_node_precision(v, "float32"),
    "custom_operator": lambda m, v: m.add_custom_operator(mx2onnx.CustomOperator(v, lower)),
    "remove_custom_operator": lambda m, v: m.remove_custom_operator(v),
    "set_unknown_domain": lambda m, v: setattr(m, "unknown_domain", v),
    "check_external_data": lambda m, v: m.check_external_data(v),
    "export": lambda m, v: m.export(v),
}
PATHS = {"load", "load_params", "load_catalogue", "check_external_data", "export"}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_must_be_one_of_c(name):
    """Cut at the NUL, rename("x", "a\\0b") called it "a"."""
    m, _ = made()
    values = ["x\0y", "x\0"] + ([] if name in PATHS else ["\ud800"])
    for value in values:
        with pytest.raises((TypeError, ValueError) if name == "dtype" else ValueError):
            NAMES[name](m, value)
    for value in () if name == "dtype" else (1.5, object()):
        with pytest.raises(TypeError):
            NAMES[name](m, value)
    m.infer()
    assert [i.name for i in m.inputs] == ["x"] and m.inputs[0].shape == (2, 4)


@pytest.mark.parametrize("use", [
    lambda n: n.fail("a\0b"), lambda n: n.add("Re\0lu", n.inputs[0]), lambda n: n.add("Relu", n.inputs[0], domain="a\0"),
    lambda n: n.add("Elu", n.inputs[0], alpha=float("nan")),
])
def test_a_text_of_a_handler_must_be_one_of_c(use):
    m, _ = made(lower=use)
    with pytest.raises(ValueError):
        m.export_bytes()
