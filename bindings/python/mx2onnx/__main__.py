"""The command `mx2onnx` of the Python package: converts a model, with handlers of custom operators from a Python file. The C
program of the same name has more options."""

import argparse
import runpy
import sys
from typing import Any, Dict, List, Optional, Tuple, Union

from . import CustomOperator, Error, Model, __version__, targets
from ._verify import TOLERANCE, verify

Dims = List[Union[int, str]]


def _input(text: str) -> Tuple[str, Dims, Optional[str]]:
    """NAME=DIM,DIM[:TYPE]: sizes, and names of those that may have any size."""
    name, equals, rest = text.rpartition("=")
    dims, _, dtype = rest.partition(":")
    if not equals or not name or not dims:
        raise argparse.ArgumentTypeError("'%s' is not NAME=DIM,DIM,...[:TYPE]" % text)
    separator = "x" if all(d.isdigit() for d in dims.split("x")) else ","  # 1x3x224x224, as the C program takes it
    shape: Dims = [int(d) if d.lstrip("-").isdigit() else d for d in dims.split(separator)]
    return name, shape, dtype or None


def _handlers(path: str) -> List[CustomOperator]:
    found: Dict[str, Any] = runpy.run_path(path)
    return [value for value in found.values() if isinstance(value, CustomOperator)]


def _parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="mx2onnx", description="Converts an MXNet model to ONNX, without MXNet.",
                                epilog="mx2onnx verify --help: whether a file computes what MXNet computed")
    p.add_argument("model", help="a -symbol.json file, a prefix, a folder or an archive")
    p.add_argument("params", nargs="*", help="parameter files, if they are not next to the symbol file")
    p.add_argument("-o", "--out", help="the ONNX file (default: MODEL.onnx)")
    p.add_argument("--input", action="append", default=[], type=_input, metavar="NAME=DIM,DIM,...[:TYPE]",
                   help="shape of an input; a name in place of a size makes the dim dynamic: data=batch,3,224,224")
    p.add_argument("--output", action="append", default=[], metavar="NAME", help="an output by MXNet's name, in place of the model's own")
    p.add_argument("--opset", type=int, help="ONNX operator set (default: 17)")
    p.add_argument("--for", dest="target", choices=sorted(targets()), help="write for a program that does not read all of ONNX")
    p.add_argument("--float16", nargs="?", const="all", choices=["all", "inside"], help="a model of half the size")
    p.add_argument("--custom", action="append", default=[], metavar="FILE.py", help="a Python file with @mx2onnx.custom_operator functions")
    p.add_argument("--inspect", action="store_true", help="print what the model is; write nothing")
    p.add_argument("--version", action="version", version="mx2onnx " + __version__)
    return p


def _describe(model: Model) -> None:
    try:
        model.infer()
    except Error as e:
        print("mx2onnx: %s" % e, file=sys.stderr)
    for side, values in (("input", model.inputs), ("output", model.outputs)):
        for v in values:
            dims = "unknown rank" if v.shape is None else "(%s)" % ", ".join("?" if d is None else str(d) for d in v.shape)
            print("%s %s: %s %s" % (side, v.name, v.dtype or "unknown type", dims))
    for o in model.operators:
        print("operator %s: %d%s" % (o.name, o.uses, "" if o.supported else ", not supported"))
    for variable in model.variables:
        if variable.kind == "weight":
            print("missing %s" % variable.name)


def _convert(model: Model, options: argparse.Namespace) -> None:
    if options.params:
        model.load_symbol(options.model)
        for path in options.params:
            model.load_params(path)
    else:
        model.load(options.model)
    for name, shape, dtype in options.input:
        model.set_input_shape(name, shape)
        if dtype:
            model.set_input_dtype(name, dtype)
    for name in options.output:
        model.add_output(name)
    for path in options.custom:
        for operator in _handlers(path):
            model.add_custom_operator(operator)
    model.opset = options.opset
    model.target = options.target
    model.float16 = options.float16
    if options.inspect:
        _describe(model)
        return
    base = options.model
    for ending in ("-symbol.json", ".json", ".zip", ".mar", ".model", ".tar.gz", ".tar"):
        if base.endswith(ending):
            base = base[: -len(ending)]
            break
    out = options.out or base.rstrip("/") + ".onnx"
    model.export(out)
    for d in model.diagnostics:
        print("%s: %s" % (d.severity, d.message), file=sys.stderr)
    print("wrote %s" % out)


def _verify(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="mx2onnx verify",
        description="Compares an ONNX file in ONNX Runtime with what MXNet computed. Exit status: 0 all outputs agree, 1 one does "
        "not or cannot be compared, 2 the command line is wrong.",
        epilog="help(mx2onnx.verify) has the ten lines that record the data with MXNet.",
    )
    parser.add_argument("model", help="the ONNX file")
    parser.add_argument("--data", required=True, metavar="FILE.npz", help="inputs and MXNet's outputs, inner ones too")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="X",
                        help="the greatest difference that passes, as a share of the greatest number (default: %(default)g)")
    args = parser.parse_args(arguments)
    try:
        found = verify(args.model, args.data, args.tolerance)
    except (ValueError, OSError, ImportError) as e:
        sys.stderr.write("mx2onnx: %s\n" % e)
        return 1
    print(found)
    return 0 if found else 1


def main(arguments: Optional[List[str]] = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["verify"]:
        return _verify(arguments[1:])
    options = _parser().parse_args(arguments)
    with Model() as model:
        try:
            _convert(model, options)
        except (Error, OSError) as e:
            print("mx2onnx: %s" % e, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
