"""Runs the steps of plan.py through the C API and writes cases.json: the steps and what came out.

    python3 make.py LIBRARY            writes cases.json
    python3 make.py LIBRARY --check    fails where cases.json says something else
"""

import ctypes
import hashlib
import json
import os
import sys
import tempfile
from ctypes import byref, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p

import plan

HERE = os.path.dirname(os.path.abspath(__file__))
OUTPUT = os.path.join(HERE, "cases.json")


class Library:
    """The functions of api.json, without their prefix."""

    def __init__(self, path):
        with open(os.path.join(HERE, "..", "api.json"), encoding="utf-8") as f:
            api = json.load(f)
        self.api = api
        self.types = {"void": None, "size_t": c_size_t, "int32_t": c_int32, "int64_t": c_int64, "uint64_t": c_uint64}
        self.types["const char *"] = c_char_p
        self.types.update((x["name"], c_int32) for x in api["enums"] + api["aliases"])
        given = [s for s in api["structs"] if not any(m["type"].endswith("_fn") for m in s["members"])]
        self.add_structures(given)
        for c in api["callbacks"]:
            types = [self.type_of(a["type"]) for a in c["arguments"]]
            self.types[c["name"]] = ctypes.CFUNCTYPE(self.type_of(c["returns"]), *types)
        self.add_structures([s for s in api["structs"] if s not in given])
        self.Diagnostic, self.Handler = self.types["mx2onnx_diagnostic"], self.types["mx2onnx_handler"]
        self.Array, self.OnnxNode = self.types["mx2onnx_array"], self.types["mx2onnx_onnx_node"]
        library = ctypes.CDLL(path)
        for f in api["functions"]:
            function = getattr(library, f["name"])
            function.restype = self.type_of(f["returns"])
            function.argtypes = [self.type_of(a["type"]) for a in f["arguments"]]
            setattr(self, f["name"][len("mx2onnx_") :], function)

    def add_structures(self, structures):
        for s in structures:
            members = [(m["name"], self.type_of(m["type"])) for m in s["members"]]
            self.types[s["name"]] = type(s["name"], (ctypes.Structure,), {"_fields_": members})
            self.types["const %s *" % s["name"]] = self.types["%s *" % s["name"]] = ctypes.POINTER(self.types[s["name"]])

    def array(self, dtype, dims, data):
        """`data` is bytes, or memory of ctypes that the caller keeps."""
        sizes = (c_int64 * 8)(*dims)
        array = self.Array(ctypes.sizeof(self.Array), dtype, len(dims), ctypes.addressof(sizes), ctypes.cast(data, c_void_p), len(data))
        array.keeps = sizes, data
        return array

    def type_of(self, text):
        return self.types.get(text, c_void_p)

    def value(self, enum, name):
        """The number for a constant's name without its prefix, or the name for a number."""
        found = next(x for x in self.api["enums"] if x["name"] == "mx2onnx_" + enum)
        for v in found["values"]:
            short = v["name"][len(found["prefix"]) :]
            if name in (short, v["value"]):
                return v["value"] if name == short else short
        raise KeyError(name)


def text(value):
    return None if value is None else value.decode("utf-8")


def encoded(value):
    return None if value is None else value.encode("utf-8")


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Stopped(Exception):
    """A handler that could go on no more: the status of a function that it called."""


class Handlers:
    """What the names of handlers in plan.py mean; README.md says it in words."""

    def __init__(self, run):
        self.run, self.lib = run, run.lib

    def functions(self, name):
        """infer and lower of a handler."""
        if name == "throw in infer":
            return self.throw, self.leaky_lower
        if name == "throw in lower":
            return self.like, self.throw
        return {
            "leaky": (self.like, self.leaky_lower),
            "split2": (self.split_infer, self.split_lower),
            "table": (self.like, self.table_lower),
            "describe": (self.like, self.describe_lower),
            "refuse": (self.refuse, self.leaky_lower),
            "busy": (self.busy, self.leaky_lower),
            "shape only": (self.like, None),
        }[name]

    def check(self, status):
        if status:
            raise Stopped(status)

    def add(self, n, op, domain, inputs, attributes, outputs):
        values, results = (c_int32 * 4)(*inputs), (c_int32 * 4)()
        node = self.lib.OnnxNode(ctypes.sizeof(self.lib.OnnxNode), op, domain, encoded(attributes), len(inputs), ctypes.addressof(values), outputs)
        self.check(self.lib.node_add(n, byref(node), results))
        return list(results[:outputs])

    def constant(self, n, dtype, dims, data):
        value = c_int32()
        self.check(self.lib.node_add_constant(n, byref(self.lib.array(dtype, dims, data)), byref(value)))
        return value.value

    def like(self, n):
        self.check(self.lib.node_set_output_like(n, 0, 0))

    def refuse(self, n):
        self.check(self.lib.node_fail(n, b"refused on purpose"))

    def throw(self, n):
        self.run.thrown = True
        self.check(-6)

    def busy(self, n):
        status = self.lib.set_option(self.run.model, self.lib.value("option", "OPSET"), 13)
        assert self.lib.value("status", status) == "INVALID_ARGUMENT" and self.lib.input_count(self.run.model) == 0
        self.like(n)

    def leaky_lower(self, n):
        slope = text(self.lib.node_attribute(n, b"slope"))
        (y,) = self.add(n, b"LeakyRelu", None, [self.lib.node_input_value(n, 0)], '{"alpha": %s}' % slope, 1)
        self.check(self.lib.node_set_result(n, 0, y))

    def dims(self, n, i):
        return [self.lib.node_input_dim(n, i, axis) for axis in range(self.lib.node_input_rank(n, i))]

    def split_infer(self, n):
        dims = self.dims(n, 0)
        dims[1] //= 2
        for output in range(self.lib.node_output_count(n)):
            self.check(self.lib.node_set_output(n, output, self.lib.node_input_dtype(n, 0), len(dims), (c_int64 * 4)(*dims)))
            for axis, d in enumerate(dims):
                if d < 0:
                    self.check(self.lib.node_set_output_dim(n, output, axis, 0, axis))

    def split_lower(self, n):
        half = self.lib.node_input_dim(n, 0, 1) // 2
        sizes = self.constant(n, self.lib.dtype_from_name(b"int64"), [2], half.to_bytes(8, "little") * 2)
        for i, y in enumerate(self.add(n, b"Split", None, [self.lib.node_input_value(n, 0), sizes], '{"axis": 1}', 2)):
            self.check(self.lib.node_set_result(n, i, y))

    def table_lower(self, n):
        data = ctypes.create_string_buffer(self.lib.node_input_size(n, 1))
        self.check(self.lib.node_input_read(n, 1, 0, data, len(data)))
        turned = b"".join(reversed([data.raw[i : i + 4] for i in range(0, len(data), 4)]))
        value = self.constant(n, self.lib.node_input_stored_dtype(n, 1), [len(data) // 4], turned)
        (y,) = self.add(n, b"Mul", None, [self.lib.node_input_value(n, 0), value], None, 1)
        self.check(self.lib.node_set_result(n, 0, y))

    def describe_lower(self, n):
        lib = self.lib
        domain = text(lib.node_domain(n))
        parts = ["name=" + text(lib.node_name(n)), "operator=" + text(lib.node_operator(n))]
        parts += ["opset=%d" % lib.node_opset(n), "domain=" + (domain or "")]
        for i in range(lib.node_attribute_count(n)):
            parts.append("%s=%s" % (text(lib.node_attribute_key(n, i)), text(lib.node_attribute_value(n, i))))
        parts.append("outputs=%d" % lib.node_output_count(n))
        for i in range(lib.node_input_count(n)):
            dtype, stored = (text(lib.dtype_name(f(n, i))) for f in (lib.node_input_dtype, lib.node_input_stored_dtype))
            dims = ",".join(map(str, self.dims(n, i)))
            parts.append("input=%s %s (%s) %s %d" % (text(lib.node_input_name(n, i)), dtype, dims, stored, lib.node_input_size(n, i)))
        attributes = json.dumps({"text": ";".join(parts)}, ensure_ascii=False)
        (y,) = self.add(n, b"Describe", encoded(domain), [lib.node_input_value(n, 0)], attributes, 1)
        self.check(lib.node_set_result(n, 0, y))


class Run:
    """One case: a model and its steps."""

    def __init__(self, lib, folder):
        self.lib, self.folder, self.kept = lib, folder, []
        self.handlers = Handlers(self)
        self.released, self.borrowed = 0, 0
        model = c_void_p()
        assert lib.model_new(byref(model)) == 0
        self.model = model
        self.log_lines, self.watched, self.log_throws = 0, None, False
        self.release = self.keep("release_fn", self.count_release)

    def keep(self, kind, function):
        callback = self.lib.types["mx2onnx_" + kind](function)
        self.kept.append(callback)
        return callback

    def none(self, kind):
        return self.lib.types["mx2onnx_" + kind]()

    def count_release(self, user):
        self.released += 1

    def owner(self):
        self.borrowed += 1
        return None, self.release

    def close(self):
        self.lib.model_free(self.model)
        assert self.released == self.borrowed, "%d of %d released" % (self.released, self.borrowed)

    def step(self, step):
        self.thrown, self.log_lines, self.watched = False, 0, None
        arguments = {k: v for k, v in step.items() if k != "do"}
        status, more = getattr(self, "do_" + step["do"])(**arguments), {}
        if isinstance(status, tuple):
            status, more = status
        expect = {"status": "THROWN" if self.thrown else self.lib.value("status", status)}
        if self.thrown and step["do"] == "look":  # not every language asks the progress function in a look
            return dict(step, expect={})
        if (status and not (self.thrown and self.log_throws)) or step["do"].startswith("export"):
            expect["diagnostics"] = self.diagnostics()
        if self.log_lines:
            expect["log"] = self.log_lines
        if self.watched and step["do"] != "look":
            expect["progress"] = self.watched
        return dict(step, expect=dict(expect, **more))

    def diagnostics(self):
        found = []
        for i in range(self.lib.diagnostic_count(self.model)):
            d = self.lib.Diagnostic(struct_size=ctypes.sizeof(self.lib.Diagnostic))
            assert self.lib.diagnostic_get(self.model, i, byref(d)) == 0
            row = {"severity": self.lib.value("severity", d.severity), "status": self.lib.value("status", d.status)}
            row.update((k, text(getattr(d, k))) for k in ("node", "op", "attribute", "name"))
            row["name"] = row["name"].rsplit("/", 1)[-1]
            found.append(row)
        return found

    def contents(self, file):
        with open(os.path.join(HERE, file), "rb") as f:
            return f.read()

    def path(self, file):
        return encoded(os.path.join(HERE, file))

    def borrow(self, file):
        data = ctypes.create_string_buffer(self.contents(file))
        self.kept.append(data)
        return (data, len(data) - 1) + self.owner()

    def reader(self, file, throw):
        data = self.contents(file)

        def read(offset, buffer, size, user):
            if throw:
                self.thrown = True
                return 1
            ctypes.memmove(buffer, data[offset : offset + size], size)
            return 0

        return (len(data), self.keep("read_fn", read)) + self.owner()

    def do_load(self, file):
        return self.lib.load(self.model, self.path(file))

    def do_load_memory(self, file):
        return self.lib.load_memory(self.model, *self.borrow(file))

    def do_load_callback(self, file, throw=False):
        return self.lib.load_callback(self.model, *self.reader(file, throw))

    def do_load_symbol(self, file):
        return self.lib.load_symbol_file(self.model, self.path(file))

    def do_load_symbol_memory(self, file):
        data = self.contents(file)
        return self.lib.load_symbol_memory(self.model, data, len(data))

    def do_load_params(self, file):
        return self.lib.load_params_file(self.model, self.path(file))

    def do_load_params_memory(self, file):
        return self.lib.load_params_memory(self.model, *self.borrow(file))

    def do_load_params_callback(self, file, throw=False):
        return self.lib.load_params_callback(self.model, *self.reader(file, throw))

    def do_set_param(self, name, dtype, dims, bytes):
        data = (ctypes.c_uint8 * len(bytes))(*bytes)
        self.kept.append(data)
        number = self.lib.dtype_from_name(encoded(dtype))
        return self.lib.set_param(self.model, encoded(name), byref(self.lib.array(number, dims, data)), *self.owner())

    def do_load_catalogue(self, file):
        return self.lib.load_catalogue_file(self.model, self.path(file))

    def do_load_net(self, name):
        status = self.lib.load_net(self.model, encoded(name))
        return status, ({} if status else {"net": text(self.lib.net_title(self.model))})

    def do_identify_net(self):
        return self.lib.identify_net(self.model)

    def do_use_published(self, choice):
        return self.lib.use_published(self.model, self.lib.value("published", choice))

    def do_nets(self):
        lib, m = self.lib, self.model
        return 0, {"nets": [{"name": text(lib.catalogue_name(m, i)), "text": text(lib.catalogue_text(m, i))} for i in range(lib.catalogue_count(m))]}

    def do_param_prefix(self, prefix):
        return self.text("PARAM_PREFIX", prefix)

    def do_input_shape(self, input, dims):
        sizes = (c_int64 * 8)(*[-1 if isinstance(d, str) else d for d in dims])
        names = (c_char_p * 8)(*[encoded(d) if isinstance(d, str) else None for d in dims])
        return self.lib.set_input_shape(self.model, encoded(input), len(dims), sizes, names)

    def do_input_dim_name(self, input, axis, name):
        return self.lib.set_input_dim_name(self.model, encoded(input), axis, encoded(name))

    def do_input_dtype(self, input, dtype):
        return self.lib.set_input_dtype(self.model, encoded(input), self.lib.dtype_from_name(encoded(dtype)))

    def do_channels_last(self, input, on):
        return self.lib.set_input_channels_last(self.model, encoded(input), on)

    def do_channels_reversed(self, input, on):
        return self.lib.set_input_channels_reversed(self.model, encoded(input), on)

    def do_mean(self, input, values):
        return self.lib.set_input_mean(self.model, encoded(input), len(values), (ctypes.c_double * 8)(*values))

    def do_scale(self, input, values):
        return self.lib.set_input_scale(self.model, encoded(input), len(values), (ctypes.c_double * 8)(*values))

    def do_add_output(self, name):
        return self.lib.add_output(self.model, encoded(name))

    def do_rename(self, old, new):
        return self.lib.rename(self.model, encoded(old), encoded(new))

    def do_opset(self, opset):
        return self.option("OPSET", opset)

    def do_target(self, name):
        return self.text("TARGET", name)

    def do_trust_indices(self, on):
        return self.option("TRUST_INDICES", on)

    def option(self, which, value):
        return self.lib.set_option(self.model, self.lib.value("option", which), value)

    def text(self, which, value):
        return self.lib.set_text(self.model, self.lib.value("text", which), encoded(value))

    def do_option(self, which, value):
        return self.option(which, value), {"option": self.lib.get_option(self.model, self.lib.value("option", which))}

    def do_reset_option(self, which):
        number = self.lib.value("option", which)
        return self.lib.reset_option(self.model, number), {"option": self.lib.get_option(self.model, number)}

    def do_external_data(self, mode, threshold):
        return self.option("EXTERNAL_DATA", self.lib.value("external", mode)) or self.option("EXTERNAL_THRESHOLD", threshold)

    def do_full_checksum(self, on):
        return self.option("FULL_CHECKSUM", on)

    def do_check_file(self, file):
        return self.lib.check_external_data(self.model, self.path(file))

    def do_initializers_as_inputs(self, on):
        return self.option("INITIALIZERS_AS_INPUTS", on)

    def do_keep_batch_norm(self, on):
        return self.option("KEEP_BATCH_NORM", on)

    def do_fsync(self, on):
        return self.option("FSYNC", on)

    def do_float16(self, mode):
        return self.option("FLOAT16", self.lib.value("float16", mode))

    def do_keep_float32(self, name, keep):
        return self.lib.set_node_precision(self.model, encoded(name), self.lib.value("precision", "FLOAT32" if keep else "FLOAT16"))

    def do_seed(self, seed):
        return self.option("SEED", seed)

    def do_unknown_domain(self, domain):
        return self.text("UNKNOWN_DOMAIN", domain)

    def do_log(self, handler):
        def collect(entry, user):
            self.thrown = self.thrown or handler == "throw"
            self.log_lines += handler == "collect"

        self.log_throws = handler == "throw"  # which ends the call where there is a progress function
        function = self.keep("log_fn", collect) if handler else self.none("log_fn")
        return self.lib.set_log(self.model, self.lib.value("severity", "NOTE"), function, *self.owner())

    def do_progress(self, handler):
        def progress(p, user):
            self.watched = [p.contents.done, p.contents.total] if handler == "watch" else None
            self.thrown = handler == "throw"
            return handler != "watch"

        function = self.keep("progress_fn", progress) if handler else self.none("progress_fn")
        return self.lib.set_progress(self.model, function, *self.owner())

    def do_custom_operator(self, name, handler, outputs):
        def wrapped(function):
            def call(n, user):
                try:
                    function(n)
                except Stopped as stopped:
                    return stopped.args[0]
                return 0

            return self.keep("custom_fn", call) if function else self.none("custom_fn")

        if not handler:
            return self.lib.set_custom_operator(self.model, encoded(name), None, *self.owner())
        infer, lower = map(wrapped, self.handlers.functions(handler))
        given = self.lib.Handler(struct_size=ctypes.sizeof(self.lib.Handler), output_count=outputs, infer=infer, lower=lower)
        return self.lib.set_custom_operator(self.model, encoded(name), byref(given), *self.owner())

    def do_infer(self):
        return self.lib.infer(self.model)

    def do_export_file(self, path=None):
        target = os.path.join(self.folder, path or "model.onnx")
        status = self.lib.export_file(self.model, encoded(target))
        more = {}
        if status == 0:
            more = {"sha256": digest(self.contents(target))}
            os.remove(target)
            if os.path.exists(target + ".data"):
                more["data_sha256"] = digest(self.contents(target + ".data"))
                os.remove(target + ".data")
        assert os.listdir(self.folder) == []
        return status, more

    def do_export_memory(self):
        data, size = c_void_p(), c_size_t()
        status = self.lib.export_memory(self.model, byref(data), byref(size))
        if status:
            return status
        contents = ctypes.string_at(data, size.value)
        self.lib.memory_free(data)
        return status, {"sha256": digest(contents)}

    def do_export_stream(self, throw=False):
        pieces = []

        def write(data, size, user):
            if throw:
                self.thrown = True
                return 1
            pieces.append(ctypes.string_at(data, size))
            return 0

        status = self.lib.export_callback(self.model, self.keep("write_fn", write), *self.owner())
        return status, {} if status else {"sha256": digest(b"".join(pieces))}

    def do_look(self):
        lib, m = self.lib, self.model

        def names(what):
            return [text(getattr(lib, what + "_name")(m, i)) for i in range(getattr(lib, what + "_count")(m))]

        def dim(side, i, axis):
            size = getattr(lib, side + "_dim")(m, i, axis)
            return size if size >= 0 else text(getattr(lib, side + "_dim_name")(m, i, axis))

        def values(side):
            for i, name in enumerate(names(side)):
                rank = getattr(lib, side + "_rank")(m, i)
                dtype = text(lib.dtype_name(getattr(lib, side + "_dtype")(m, i)))
                yield {"name": name, "dtype": dtype, "dims": None if rank < 0 else [dim(side, i, a) for a in range(rank)]}

        return 0, {
            "inputs": list(values("input")),
            "outputs": list(values("output")),
            "variables": [
                {"name": name, "kind": lib.value("variable", lib.variable_kind(m, i))} for i, name in enumerate(names("variable"))
            ],
            "params": list(map(self.param, range(lib.param_count(m)))),
            "operators": [
                {"name": name, "uses": lib.operator_node_count(m, i), "supported": bool(lib.operator_supported(m, i))}
                for i, name in enumerate(names("operator"))
            ],
            "written": {"opset": lib.written_opset(m), "nodes": lib.written_node_count(m), "bytes": lib.written_size(m)},
        }

    def param(self, i):
        lib, m = self.lib, self.model
        data = ctypes.create_string_buffer(lib.param_size(m, i))
        assert lib.param_read(m, i, 0, data, len(data)) == 0
        rank = lib.param_rank(m, i)
        return {
            "name": text(lib.param_name(m, i)),
            "dtype": text(lib.dtype_name(lib.param_dtype(m, i))),
            "dims": list((c_int64 * rank).from_address(lib.param_dims(m, i))) if rank else [],
            "used": bool(lib.param_used(m, i)),
            "sha256": digest(data.raw),
        }


def run_case(lib, steps):
    with tempfile.TemporaryDirectory() as folder:
        run = Run(lib, folder)
        try:
            return [run.step(step) for step in steps]
        finally:
            run.close()


def written(cases):
    """A step a line, so that a change shows where it is."""
    lines = []
    for name, steps in cases.items():
        rows = ",\n".join("   " + json.dumps(step, ensure_ascii=False) for step in steps)
        lines.append('  {"name": %s, "steps": [\n%s\n  ]}' % (json.dumps(name), rows))
    return '{"cases": [\n' + ",\n".join(lines) + "\n]}\n"


def main():
    lib = Library(sys.argv[1])
    wanted = written({name: run_case(lib, steps) for name, steps in plan.CASES.items()})
    if "--check" not in sys.argv:
        with open(OUTPUT, "w", encoding="utf-8", newline="\n") as f:
            f.write(wanted)
    else:
        with open(OUTPUT, encoding="utf-8") as f:
            found = f.read()
        if found != wanted:
            changed = [b for a, b in zip(found.splitlines(), wanted.splitlines()) if a != b]
            print("bindings/cases/cases.json is not what the library does; if that is meant, run python3 bindings/cases/make.py %s" % sys.argv[1])
            print("\n".join(changed[:5]))
            return 1
    print("%d cases, %d steps" % (len(plan.CASES), sum(map(len, plan.CASES.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
