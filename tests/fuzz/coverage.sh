#!/usr/bin/env bash
# What the kept inputs of each fuzz target reach of lib and ops: functions, and files that are not reached at all.
#
#     bash tests/fuzz/coverage.sh [FOLDER] [TARGET...]       FOLDER: build-coverage; needs clang and llvm
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/fuzz/build.sh
folder=$(realpath -m "${1:-build-coverage}")
build_targets "$folder" tests/fuzz/replay.c "-fprofile-instr-generate -fcoverage-mapping"
python3 tests/fuzz/corpus.py coverage "$folder" "${@:2}"
