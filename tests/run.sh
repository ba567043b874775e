#!/usr/bin/env bash
# Installs what the tests need, builds, and runs all tests. What this system's archive does not have, or has too old, is left out and
# named at the end. The last line says how many tests passed, failed and were skipped.
#
#     bash tests/run.sh
#
# With CI=true in the environment nothing may be left out, and README's first command is also run in bare chroots of Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. examples/setup.sh

# shellcheck disable=SC2086 # a list
install_packages $BUILD_PACKAGES g++ clang cmake binutils curl libcmocka-dev abigail-tools cppcheck groff-base mono-mcs mono-runtime zsh fish

# The other languages, the page, and headers for a guide: what is not there yet and is in the archive.
wanted=() last_jdk='^openjdk-(2[2-9]|[3-9][0-9])-jdk-headless$'
want() { # PROGRAM-OR-FILE PACKAGE
    if ! command -v "$1" >/dev/null && apt-cache show "${2:-none}" >/dev/null 2>&1; then
        wanted+=("$2")
    fi
}
if command -v apt-get >/dev/null; then
    want clang-tidy-14 clang-tidy-14 # the version for which tests/lint/analyse.py knows what is false
    want go golang-go
    want cargo cargo
    want node nodejs
    want npm npm
    want mvn maven
    want /usr/include/onnxruntime libonnxruntime-dev
    if ! python3 -c 'import sys; sys.path.append("bindings"); import first_steps; sys.exit(not first_steps.newest_java())'; then
        want "a newer javac" "$(apt-cache search --names-only "$last_jdk" | cut -d' ' -f1 | sort -V | tail -1)"
    fi
    (install_packages "${wanted[@]}") || say "These cannot be installed: ${wanted[*]}"
    wanted=()
    if [ "$(node -p 'parseInt(process.versions.node)' || echo 0)" -ge 20 ]; then # tests/web/test.sh
        want emcc emscripten
        want chromium chromium
        want firefox-esr firefox-esr
        (install_packages "${wanted[@]}") || say "These cannot be installed: ${wanted[*]}"
    fi
fi

# In a container the checkout may be another user's.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD
git_status() { git status --porcelain 2>/dev/null || true; }
before=$(git_status)
build build --buildtype=debugoptimized -Dwerror=true -Dtests=enabled # with assertions
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
strict='' required="c cpp csharp python"
if [ "${CI:-}" = true ]; then
    strict=--strict required=all
fi

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
# A test that reports only its end: 0, 77 where it was left out for the reason in its last line, or a failure.
note() { # NAME STATUS [REASON]
    local outcome=''
    case $2 in
        0) ;;
        77) outcome="<skipped message=\"${3:-}\"/>" ;;
        *) outcome="<failure/>" failed=1 ;;
    esac
    echo "<testsuite><testcase name=\"$1\">$outcome</testcase></testsuite>" >"$results/$1.xml"
}

for suite in fast medium; do
    say "Unit, golden, API, bad input and fuzz tests: $suite"
    # a machine may be busy: what hangs is ended all the same
    meson test -C build --suite $suite --no-rebuild --print-errorlogs --timeout-multiplier 20 </dev/null || failed=1
    cp build/meson-logs/testlog.junit.xml "$results/$suite.xml"
done

say "How the sources are laid out, and what static analysis finds in them"
(PATH="$PWD/build/venv/bin:$PATH" && meson setup build --reconfigure >build/lint.log && meson test -C build --suite lint --no-rebuild \
    --print-errorlogs </dev/null) || failed=1
cp build/meson-logs/testlog.junit.xml "$results/lint.xml"

say "Python package and command line in use"
run_pytest python tests/python

say "Other languages: those that are installed, with the shared cases"
MX2ONNX_JUNIT=$PWD/$results/languages.xml MX2ONNX_REQUIRE=$required python3 bindings/test.py build </dev/null || failed=1

say "The page of examples/web in Chromium, where there are emscripten, npm and Chromium"
status=0
MX2ONNX_JUNIT=$PWD/$results/web.xml MX2ONNX_PYTHON=$PWD/build/venv/bin/python bash tests/web/test.sh build </dev/null \
    | tee build/web.log || status=$?
if [ $status = 77 ]; then
    note web 77 "$(tail -n 1 build/web.log)"
elif [ $status != 0 ]; then
    failed=1
fi

say "Numbers: exported models in ONNX Runtime against results of MXNet"
run_pytest numeric -n auto --maxprocesses 4 tests/numeric

say "Consumers: the same models in OpenCV, OpenVINO and onnx's own evaluator, faces in InsightFace's package"
# by hand: the package asks for an OpenCV with windows
build/venv/bin/python -m pip install -q --disable-pip-version-check scikit-image scipy tqdm requests </dev/null \
    && build/venv/bin/python -m pip install -q --disable-pip-version-check --no-deps insightface==2.1 </dev/null \
    || say "InsightFace's package cannot be installed, so tests/consumers/test_insightface.py is skipped"
run_pytest consumers tests/consumers

say "Guides: every command of examples/guides"
run_pytest guides tests/guides

say "Packages: those of a release that need no compiler of other systems"
status=0
python3 tests/release/run.py --quick </dev/null || status=$?
note release $status

say "The site of examples/guides, without a warning"
status=0
bash examples/guides/site.sh build </dev/null | tee build/site.log || status=$?
note site $status "$(tail -n 1 build/site.log)"

# Another byte order; sources and compiler come from the system's archive, or this is left out.
say "Big-endian: the quick part of tests/platforms, in qemu"
if (install_packages gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static) && build/venv/bin/python tests/platforms/dependencies.py; then
    status=0
    build/venv/bin/python tests/platforms/run.py --here --quick --results build/s390x.json s390x </dev/null || status=$?
    note s390x $status
else
    note s390x 77 "no compiler for s390x, or no sources of jansson and nanopb: apt-get install gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static"
fi

if [ "${CI:-}" = true ]; then
    say "Debian bookworm and trixie with nothing installed: README's first command"
    (install_packages debootstrap git util-linux) # once, before both
    bare=()
    for release in bookworm trixie; do
        bash tests/platforms/bare.sh $release --tmp memory first >"$results/$release.log" 2>&1 </dev/null &
        bare[$!]=$release
    done
    for pid in "${!bare[@]}"; do
        status=0
        wait "$pid" || status=$?
        tail -n 5 "$results/${bare[pid]}.log"
        note "${bare[pid]}" $status
    done
fi

left=$(comm -13 <(sort <<<"$before") <(git_status | sort))
[ -z "$left" ] || say "Tests left files in the source tree: $left"
note source-tree "$([ -z "$left" ]; echo $?)"

build/venv/bin/python tests/support/count.py $strict "$results"/*.xml || failed=1
exit $failed
