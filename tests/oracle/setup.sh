#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the environment in which MXNet 1.9.1 runs, or that of MXNet 2.0.0b1.
set -eu

usage() {
    cat <<'TEXT'
Usage: setup.sh [--mxnet2 | --zoo] [--python PYTHON] [FOLDER]

Makes a Python virtual environment with MXNet 1.9.1, NumPy 1.23.5, GluonCV, GluonNLP and scikit-learn in FOLDER (default:
build/oracle in the project), or with --mxnet2 one with MXNet 2.0.0b1 and NumPy 1.23.5 (default: build/oracle2). With
--zoo it also gets GluonTS, Keras-MXNet and Sockeye, which only the zoo needs (tests/zoo). MXNet's last wheels need Python 3.8
to 3.11 on x86-64 or arm64 Linux; --python names one (default: python3.11, else any of 3.10 to 3.8 that is found).

Running it again on a complete environment does nothing.
TEXT
}

here=$(cd "$(dirname "$0")" && pwd)
folder=
python=
zoo=
mxnet_version=1.9.1
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --mxnet2) mxnet_version=2.0.0b1 ;;
        --zoo) zoo=yes ;;
        --python) [ $# -ge 2 ] || { usage >&2; exit 2; }; python=$2; shift ;;
        -*) echo "setup.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
        *) folder=$1 ;;
    esac
    shift
done
case $mxnet_version in
    1.9.1) folder=${folder:-$here/../../build/oracle} ;;
    *) folder=${folder:-$here/../../build/oracle2} ;;
esac

works() {
    "$1" -c 'import sys, venv; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 11))' 2>/dev/null
}

check() {
    case $mxnet_version in
        1.9.1) check_1 ;;
        *) check_2 ;;
    esac
}

check_2() {
    "$folder/bin/python" - <<'PY' 2>/dev/null
import importlib.metadata, mxnet, numpy, scipy
assert importlib.metadata.version("mxnet") == "2.0.0b1" and numpy.__version__ == "1.23.5"
assert float(mxnet.np.ones((2, 2)).sum()) == 4
PY
}

check_1() {
    check_core && { [ -z "$zoo" ] || check_zoo; }
}

check_zoo() {
    "$folder/bin/python" - <<'PY' 2>/dev/null
import gluonts.mx, importlib.metadata, sacrebleu, sockeye
assert importlib.metadata.version("keras-mxnet") == "2.2.4.3"
PY
}

check_core() {
    "$folder/bin/python" - <<'PY' 2>/dev/null
import gluoncv.model_zoo, gluonnlp, mxnet, numpy, sklearn
assert mxnet.__version__ == "1.9.1" and numpy.__version__ == "1.23.5"
assert float(mxnet.nd.ones((2, 2)).sum().asscalar()) == 4
PY
}

if [ -x "$folder/bin/python" ] && check; then
    echo "complete: $folder"
    exit 0
fi
if [ -z "$python" ]; then
    for p in python3.11 python3.10 python3.9 python3.8 python3; do
        if works "$p"; then
            python=$p
            break
        fi
    done
fi
if [ -z "$python" ] || ! works "$python"; then
    echo "setup.sh: no Python 3.8 to 3.11 with the venv module was found; install one and name it with --python" >&2
    exit 1
fi

"$python" -m venv "$folder"
"$folder/bin/pip" install --quiet --upgrade "pip<25"
if [ "$mxnet_version" = 1.9.1 ]; then
    modules="mxnet, gluoncv, gluonnlp"
    "$folder/bin/pip" install --quiet -r "$here/requirements.txt"
    "$folder/bin/pip" install --quiet --no-deps gluoncv==0.10.5
    "$folder/bin/pip" install --quiet --no-deps gluonnlp==0.10.0  # with a module in C: needs a compiler and Python's headers
    if [ -n "$zoo" ]; then
        modules="$modules, gluonts.mx, sockeye, sacrebleu"
        "$folder/bin/pip" install --quiet --no-deps -r "$here/requirements-zoo.txt"
    fi
else
    modules=mxnet
    "$folder/bin/pip" install --quiet -r "$here/requirements-2.txt"
fi
check || { echo "setup.sh: the environment is there, but not all of it runs; see" >&2
           echo "  $folder/bin/python -c 'import $modules'" >&2; exit 1; }
echo "ready: $folder"
