"""python -m mx2onnx verify MODEL.onnx --data RECORDED.npz"""
import argparse
import sys

from ._verify import TOLERANCE, verify


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m mx2onnx", description="MXNet models to ONNX, without MXNet.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("verify", help="compare an ONNX file in ONNX Runtime with what MXNet computed",
                                  description="Compares an ONNX file in ONNX Runtime with what MXNet computed. Exit status: "
                                  "0 all outputs agree, 1 one does not, 2 the files do not fit or cannot be read.",
                                  epilog="help(mx2onnx.verify) has the ten lines that record the data with MXNet.")
    command.add_argument("model", help="the ONNX file")
    command.add_argument("--data", required=True, metavar="FILE.npz", help="inputs and MXNet's outputs, inner ones too")
    command.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="X",
                         help="the greatest difference that passes, as a share of the greatest number (default: %(default)g)")
    args = parser.parse_args(arguments)
    try:
        found = verify(args.model, args.data, args.tolerance)
    except (ValueError, OSError, ImportError) as e:
        sys.stderr.write("mx2onnx: %s\n" % e)
        return 2
    print(found)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
