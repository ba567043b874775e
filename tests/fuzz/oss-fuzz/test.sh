#!/usr/bin/env bash
# build.sh as OSS-Fuzz runs it, with this machine's clang; then each target, moved away from where it was built, runs its first inputs and
# changes of them for some seconds. Once with libFuzzer's flag, once with an engine that is an archive of C++, as those of AFL and
# honggfuzz are.
#
#     bash tests/fuzz/oss-fuzz/test.sh FOLDER [SECONDS]         5 by default
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
seconds=${2:-5}
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
. tests/fuzz/build.sh
export CC=clang CXX=clang++ OUT=$folder/out WORK=$folder/work
export CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only -fsanitize=address,fuzzer-no-link" CXXFLAGS="-O1 -fsanitize=address,fuzzer-no-link"
give_up() {
    echo "$@"
    exit 1
}

for engine in -fsanitize=fuzzer "$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a")"; do
    LIB_FUZZING_ENGINE=$engine bash tests/fuzz/oss-fuzz/build.sh
    rm -rf "$folder/moved"
    mv "$OUT" "$folder/moved"
    for target in $FUZZ_TARGETS; do
        program=$folder/moved/fuzz_$target inputs=$folder/inputs
        rm -rf "$inputs" && mkdir "$inputs"
        unzip -q -d "$inputs" "${program}_seed_corpus.zip"
        before=$(find "$inputs" -type f | wc -l)
        [ "$before" -gt 2 ] || give_up "fuzz_$target begins with $before inputs"
        "$program" -max_total_time="$seconds" -max_len=20000 -timeout=25 -rss_limit_mb=2560 -print_final_stats=1 \
            -artifact_prefix="$folder/found-$target-" "$inputs" >"$program.log" 2>&1 || { tail -n 20 "$program.log" && give_up "fuzz_$target failed"; }
        runs=$(sed -n 's/stat::number_of_executed_units: *//p' "$program.log")
        [ "$runs" -ge "$before" ] || give_up "fuzz_$target had $before inputs and ran $runs"
        echo "fuzz_$target: $before inputs, $runs runs"
    done
    outside=$(ldd "$folder"/moved/fuzz_symbol "$folder"/moved/fuzz_tar | grep -E 'lib(zip|jansson|crypto|z)\.so' | grep -v "$folder/moved/lib" || true)
    [ -z "$outside" ] || give_up "not from their own folder: $outside"
    mkdir -p "$folder/one"
    unzip -q -o -d "$folder/one" "$folder/moved/fuzz_tar_seed_corpus.zip"
    LD_DEBUG=files "$folder/moved/fuzz_tar" -runs=0 "$folder/one" >"$folder/opened" 2>&1
    grep -q "calling init: $folder/moved/lib/libarchive" "$folder/opened" || give_up "fuzz_tar does not open its own libarchive"
done
echo "$(wc -w <<<"$FUZZ_TARGETS") targets ran with both engines"
