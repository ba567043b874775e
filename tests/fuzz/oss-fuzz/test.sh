#!/usr/bin/env bash
# build.sh as OSS-Fuzz runs it, with this machine's clang; then each target with its kept inputs, moved away from where it was built.
#
#     bash tests/fuzz/oss-fuzz/test.sh FOLDER
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
export CC=clang OUT=$folder/out WORK=$folder/work LIB_FUZZING_ENGINE=-fsanitize=fuzzer
export CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address,fuzzer-no-link"
bash tests/fuzz/oss-fuzz/build.sh
rm -rf "$folder/moved"
mv "$OUT" "$folder/moved"
ran=0
for program in "$folder"/moved/fuzz_*; do
    case $program in *.zip) continue ;; esac
    inputs=$(mktemp -d -p "$folder")
    corpus=${program}_seed_corpus.zip
    [ ! -e "$corpus" ] || unzip -q -d "$inputs" "$corpus"
    "$program" -runs=0 "$inputs" >"$program.log" 2>&1 || { tail -n 20 "$program.log"; exit 1; }
    rm -r "$inputs"
    ran=$((ran + 1))
done
[ $ran -gt 10 ] || { echo "only $ran targets were built"; exit 1; }
echo "$ran targets ran"
