#!/usr/bin/env bash
# Installs what the tests need, builds, and runs all tests. The last line says how many passed and failed.
#
#     bash tests/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. examples/setup.sh

# shellcheck disable=SC2086 # a list
install_packages $BUILD_PACKAGES g++ binutils libcmocka-dev abigail-tools mono-mcs mono-runtime
build build -Dwerror=true
NANOPB_SOURCES=$(tests/support/nanopb.sh build/nanopb) && export NANOPB_SOURCES
make_venv build/venv tests/requirements.txt || give_up "the Python packages of tests/requirements.txt cannot be installed"

export MX2ONNX_LIBRARY="$PWD/build/lib/libmx2onnx.so"
export MX2ONNX_TOOL="$PWD/build/examples/mx2onnx"
export MX2ONNX_BUILD="$PWD/build"
export PYTHONPATH="$PWD/bindings/python"
results=build/test-results
rm -rf "$results"
mkdir -p "$results"
failed=0

# Models that are written, run and deleted by the ten thousand: in memory where that can be, since a disk may take longer to forget
# them than to write them.
scratch=$PWD/build/pytest
if [ -w /dev/shm ]; then
    scratch=$(mktemp -d -p /dev/shm mx2onnx-tests.XXXXXX)
    trap 'rm -rf "$scratch"' EXIT
fi
run_pytest() { # NAME ARGUMENT...
    local name=$1
    shift
    build/venv/bin/python -m pytest -q -p no:cacheprovider --basetemp "$scratch/$name" --junitxml "$results/$name.xml" "$@" </dev/null || failed=1
}

for suite in fast medium; do
    say "Unit, golden, API, bad input and fuzz tests: $suite"
    meson test -C build --suite $suite --no-rebuild --print-errorlogs </dev/null || failed=1
    cp build/meson-logs/testlog.junit.xml "$results/$suite.xml"
done

say "Python package and command line in use"
run_pytest python tests/python

say "Other languages: those that are installed, with the shared cases"
MX2ONNX_JUNIT=$PWD/$results/languages.xml MX2ONNX_REQUIRE="c cpp csharp python" python3 bindings/test.py build </dev/null || failed=1

say "The page of examples/web in Chromium, where there are emscripten, npm and Chromium"
web=0
MX2ONNX_JUNIT=$PWD/$results/web.xml MX2ONNX_PYTHON=$PWD/build/venv/bin/python bash tests/web/test.sh build </dev/null || web=$?
if [ $web = 77 ]; then
    say "*** NOT TESTED: the page"
elif [ $web != 0 ]; then
    failed=1
fi

say "Numbers: exported models in ONNX Runtime against results of MXNet"
run_pytest numeric -n auto --maxprocesses 4 tests/numeric

say "Consumers: the same models in OpenCV, OpenVINO and onnx's own evaluator"
run_pytest consumers tests/consumers

say "Guides: every command of examples/guides"
run_pytest guides tests/guides

# Another byte order; sources and compiler come from the system's archive, or this is left out.
say "Big-endian: the quick part of tests/platforms, in qemu"
outcome="<skipped/>"
if install_packages gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static && build/venv/bin/python tests/platforms/dependencies.py; then
    outcome=
    build/venv/bin/python tests/platforms/run.py --here --quick --results build/s390x.json s390x </dev/null || { outcome="<failure/>"; failed=1; }
else
    say "NOT TESTED: no compiler for s390x, or no sources of jansson and nanopb"
fi
echo "<testsuite><testcase name=\"s390x\">$outcome</testcase></testsuite>" >"$results/s390x.xml"

build/venv/bin/python tests/support/count.py "$results"/*.xml || failed=1
exit $failed
