"""The steps of the shared cases; make.py runs them through the C API and writes cases.json with what came out."""

DIGITS = "../../examples/digits/digits-symbol.json"
PARAMS = "../../examples/digits/digits-0000.params"
ARCHIVES = "../../tests/data/samples/archives/"


def do(what, **arguments):
    return dict({"do": what}, **arguments)


def shape(name, *dims):
    return do("input_shape", input=name, dims=list(dims))


DATA = shape("data", 1, 1, 8, 8)
LOAD = do("load", file=DIGITS)
FILE, MEMORY, STREAM, LOOK = do("export_file"), do("export_memory"), do("export_stream"), do("look")
# x 2 x 4: rows 1..4 and 5..8 as float32, little-endian
FLOATS = [0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64]

# Of the nets in nets.zip, which nets.py made: as many classes as the weight has rows.
NETS = do("load_catalogue", file="nets.zip")


def dense(classes, width=2):
    weight = FLOATS[:4 * width] * classes
    return [NETS, do("set_param", name="0.weight", dtype="float32", dims=[classes, width], bytes=weight),
            do("set_param", name="0.bias", dtype="float32", dims=[classes], bytes=FLOATS[:4] * classes)]


CASES = {
    "a catalogue of nets": [NETS, do("nets"), do("load_net", name=None)],
    "parameters alone": [*dense(2, 3), do("load_net", name=None), shape("data", 1, 3), MEMORY],
    "a net by name": [*dense(5), do("load_net", name="tiny_relu"), do("use_published", choice="SHAPES"), do("infer"), LOOK],
    "several nets fit": [*dense(5), do("identify_net"), do("load_net", name=None), do("load_net", name="none")],
    "a net of other sizes": [
        *dense(5),
        do("net_size", which="CLASSES", value=4),
        do("load_net", name="tiny"),
        do("net_size", which="CLASSES", value=0),
        do("net_size", which="CROP", value=4),
        do("load_net", name="tiny"),
        do("net_size", which="CROP", value=0),
        do("load_net", name="tiny"),
        do("use_published", choice="NORMALIZATION"),
    ],
    "no net": [LOAD, do("use_published", choice="SHAPES"), do("load_net", name=None)],
    "file to file": [LOAD, DATA, do("infer"), LOOK, FILE, LOOK],
    "file to memory": [LOAD, DATA, MEMORY],
    "file to stream": [LOAD, DATA, STREAM],
    "memory to memory": [do("load_symbol_memory", file=DIGITS), do("load_params_memory", file=PARAMS), DATA, MEMORY, LOOK],
    "callbacks to stream": [do("load_callback", file=DIGITS), do("load_params_callback", file=PARAMS), DATA, STREAM],
    "symbol alone": [do("load_symbol", file=DIGITS), DATA, LOOK, MEMORY, do("load_params", file=PARAMS), MEMORY],
    "archive from memory": [do("load_memory", file=ARCHIVES + "mlp.mar"), LOOK, MEMORY],
    "archive by pieces": [do("load_callback", file=ARCHIVES + "mlp-0.4.model"), LOOK, MEMORY],
    "named dims": [LOAD, shape("data", "batch", 1, 8, 8), do("infer"), LOOK, MEMORY],
    "a dim named and fixed again": [
        LOAD,
        DATA,
        do("input_dim_name", input="data", axis=0, name="n"),
        MEMORY,
        do("input_dim_name", input="data", axis=0, name=None),
        MEMORY,
        do("input_dim_name", input="data", axis=7, name="n"),
    ],
    "open dims": [LOAD, shape("data", -1, 1, 8, 8), do("infer"), LOOK, MEMORY],
    "pixels": [
        LOAD,
        DATA,
        do("input_dtype", input="data", dtype="uint8"),
        do("channels_last", input="data", on=True),
        do("channels_reversed", input="data", on=True),
        do("channels_reversed", input="data", on=False),
        do("mean", input="data", values=[8.0]),
        do("scale", input="data", values=[0.0625]),
        do("infer"),
        LOOK,
        MEMORY,
        do("mean", input="data", values=[]),
        MEMORY,
    ],
    "cut and renamed": [LOAD, DATA, do("add_output", name="fc1_output"), do("rename", old="fc1", new="embedding"), MEMORY, LOOK],
    "opsets": [LOAD, DATA, do("opset", opset=12), MEMORY, do("opset", opset=21), MEMORY, do("opset", opset=99), MEMORY],
    "a target": [
        LOAD,
        DATA,
        do("target", name="opencv4"),
        MEMORY,
        do("trust_indices", on=True),
        do("target", name="nosuch"),
        do("opset", opset=0),
        do("target", name=None),
        MEMORY,
    ],
    "limits": [LOAD, DATA, do("limit", which="NODES", value=5), do("limit", which="OUTPUT", value=1000000), MEMORY],
    "weights beside": [LOAD, DATA, do("external_data", mode="ALWAYS", threshold=1), FILE, do("external_data", mode="NEVER", threshold=0), FILE],
    "weights in their file": [
        LOAD,
        DATA,
        do("full_checksum", on=True),
        do("external_data", mode="IN_PLACE", threshold=1),
        FILE,
        MEMORY,
        do("external_data", mode="LINK", threshold=1000000),
        FILE,
    ],
    "the files of an ONNX model": [do("check_file", file="outside.onnx"), do("check_file", file="nosuch.onnx"), do("check_file", file="leaky-symbol.json"), LOAD],
    "switches": [
        LOAD,
        DATA,
        do("keep_batch_norm", on=True),
        do("fsync", on=True),
        FILE,
        do("keep_batch_norm", on=False),
        do("initializers_as_inputs", on=True),
        do("seed", seed=7),
        FILE,
    ],
    "float16": [LOAD, DATA, do("float16", mode="ALL"), MEMORY, LOOK, do("float16", mode="INSIDE"), do("keep_float32", name="fc2", keep=True), MEMORY],
    "a parameter of the program's": [
        do("load_symbol", file="table-symbol.json"),
        do("set_param", name="w", dtype="float32", dims=[4], bytes=FLOATS),
        do("custom_operator", name="my_table", handler="table", outputs=1),
        shape("x", 2, 4),
        LOOK,
        MEMORY,
    ],
    "a name of a parameter with a prefix": [LOAD, do("param_prefix", prefix="net_"), DATA, MEMORY, do("param_prefix", prefix=None), MEMORY],
    "leaky": [do("load_symbol", file="leaky-symbol.json"), do("custom_operator", name="leaky", handler="leaky", outputs=1), shape("x", "n", 4), MEMORY, LOOK],
    "split2": [
        do("load_symbol", file="split-symbol.json"),
        do("custom_operator", name="split2", handler="split2", outputs=2),
        shape("x", "n", 6, 5),
        do("infer"),
        LOOK,
        MEMORY,
        do("opset", opset=12),
        MEMORY,
    ],
    "describe": [
        do("load_symbol", file="table-symbol.json"),
        do("set_param", name="w", dtype="float32", dims=[4], bytes=FLOATS),
        do("custom_operator", name="my_table", handler="describe", outputs=1),
        do("unknown_domain", domain="org.example"),
        do("opset", opset=15),
        shape("x", "n", 4),
        MEMORY,
    ],
    "a handler taken back and replaced": [
        do("load_symbol", file="leaky-symbol.json"),
        do("custom_operator", name="leaky", handler="refuse", outputs=1),
        shape("x", 1, 4),
        MEMORY,
        do("custom_operator", name="leaky", handler="leaky", outputs=1),
        MEMORY,
        do("custom_operator", name="leaky", handler=None, outputs=1),
        MEMORY,
    ],
    "a handler that throws": [
        do("load_symbol", file="leaky-symbol.json"),
        do("custom_operator", name="leaky", handler="throw in infer", outputs=1),
        shape("x", 1, 4),
        do("infer"),
        do("custom_operator", name="leaky", handler="throw in lower", outputs=1),
        do("infer"),
        MEMORY,
        FILE,
        do("custom_operator", name="leaky", handler="leaky", outputs=1),
        MEMORY,
    ],
    "a busy model": [
        do("load_symbol", file="leaky-symbol.json"),
        do("custom_operator", name="leaky", handler="busy", outputs=1),
        shape("x", 1, 4),
        MEMORY,
    ],
    "operators kept": [
        do("load_symbol", file="unknown-symbol.json"),
        shape("x", 1, 4),
        do("infer"),
        LOOK,
        MEMORY,
        do("unknown_domain", domain="org.example"),
        do("custom_operator", name="nosuch_a", handler="shape only", outputs=1),
        do("custom_operator", name="nosuch_b", handler="shape only", outputs=1),
        MEMORY,
        do("unknown_domain", domain=None),
        MEMORY,
    ],
    "cancelled": [LOAD, DATA, do("progress", handler="cancel"), FILE, MEMORY, STREAM, do("progress", handler=None), MEMORY],
    "progress that throws": [LOAD, DATA, do("progress", handler="throw"), FILE, do("progress", handler="watch"), FILE],
    "a reader that throws": [do("load_callback", file=DIGITS, throw=True), do("load_params_callback", file=PARAMS, throw=True), do("load_callback", file=DIGITS)],
    "a writer that throws": [LOAD, DATA, do("export_stream", throw=True), STREAM],
    "a log": [do("log", handler="collect"), do("load_symbol", file="unknown-symbol.json"), shape("x", 1, 4), do("infer"), do("log", handler=None), do("infer")],
    "unknown names": [
        LOAD,
        shape("nosuch", 1),
        do("input_dim_name", input="nosuch", axis=0, name="n"),
        do("input_dtype", input="nosuch", dtype="int8"),
        do("rename", old="nosuch", new="x"),
        do("add_output", name="nosuch"),
        do("keep_float32", name="nosuch", keep=True),
        DATA,
        MEMORY,
    ],
    "bad values": [
        LOAD,
        shape("data", 1, -7),
        do("opset", opset=99),
        do("float16", mode="ALL"),
        do("mean", input="data", values=[1.0, 2.0, 3.0]),
        DATA,
        do("infer"),
    ],
    "bad files": [
        do("load", file="nosuch-symbol.json"),
        do("load", file="damaged-symbol.json"),
        do("load_symbol", file="damaged-symbol.json"),
        do("load_params", file=DIGITS),
        do("load_params_memory", file=DIGITS),
        do("load_symbol_memory", file="leaky-symbol.json"),
        do("load_symbol", file=DIGITS),
    ],
    "a target that cannot be": [LOAD, DATA, do("export_file", path="nosuch/model.onnx"), FILE],
    "shapes that do not fit": [LOAD, shape("data", 1, 3, 8, 8), do("infer"), MEMORY],
    "nothing is loaded": [do("infer"), MEMORY, LOOK],
}
