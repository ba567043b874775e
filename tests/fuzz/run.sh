#!/usr/bin/env bash
# Fuzzes for a while: every target at once, with the address and undefined-behaviour sanitizers, from its kept inputs; then, once
# each, the kept inputs under valgrind (for what is read before it is written) and the tests of threads under TSan.
#
#     bash tests/fuzz/run.sh MINUTES [TARGET...]
#
# Everything stays in build-fuzz/: found/ holds what made a target fail, log/ what each said, corpus/ the inputs that are new.
# The exit status is 1 when something was found. Needs clang; valgrind where it is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/fuzz/build.sh
minutes=${1:?usage: run.sh MINUTES [TARGET...]}
shift
root=$PWD/build-fuzz
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
failed=0

echo "Building in $root/san"
mkdir -p "$root"/{found,log,corpus}
build_targets "$root/san" -fsanitize=fuzzer "-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"

# One target, again after each failure, until the time is over.
fuzz() {
    local target=$1 end=$((SECONDS + 60 * minutes)) rounds=0 length="-max_len=20000 -len_control=20"
    [ "$target" != operators ] || length="-max_len=700 -len_control=0" # a choice for each byte: short ones make the same model
    python3 tests/fuzz/corpus.py inputs "$root/san" "$target" "$root/corpus/$target"
    : >"$root/log/$target"
    while [ $((end - SECONDS)) -gt 1 ] && [ $rounds -lt 50 ]; do
        # shellcheck disable=SC2086 # a list
        "$root/san/fuzz_$target" -max_total_time=$((end - SECONDS)) -timeout=60 -rss_limit_mb=2048 $length \
            -print_final_stats=1 -artifact_prefix="$root/found/$target-" "$root/corpus/$target" \
            >>"$root/log/$target" 2>&1 </dev/null || true
        rounds=$((rounds + 1))
    done
}

echo "Fuzzing for $minutes minutes"
for target in ${*:-$FUZZ_TARGETS}; do
    fuzz "$target" &
done
wait
for target in ${*:-$FUZZ_TARGETS}; do
    runs=$(awk '/stat::number_of_executed_units/ { n += $2 } END { print n + 0 }' "$root/log/$target")
    coverage=$(grep -o 'cov: [0-9]*' "$root/log/$target" | tail -n 1) || true # of no run there is none
    found=$(find "$root/found" -name "$target-*" | wc -l)
    printf '%-10s %10s runs, %s, %s found\n' "$target" "$runs" "${coverage:-cov: ?}" "$found"
    [ "$found" = 0 ] || failed=1
done

# The last lines say what became of these two: a step that did not run is a failure too.
valgrind=passed
threads=passed
if command -v valgrind >/dev/null; then
    echo "The kept inputs under valgrind"
    build_targets "$root/plain" tests/fuzz/replay.c "-gdwarf-4" # valgrind before 3.20 reads no DWARF 5 of clang's
    for pack in tests/fuzz/corpus/*.pack; do
        target=$(basename "$pack" .pack)
        valgrind -q --error-exitcode=9 --leak-check=full "$root/plain/fuzz_$target" "$pack" >"$root/log/$target.valgrind" 2>&1 ||
            { echo "$target: see $root/log/$target.valgrind"; valgrind=failed; }
    done
else
    valgrind="not run: it is not installed"
fi

echo "The tests of threads under TSan"
if [ ! -e "$root/tsan/build.ninja" ]; then
    CC=clang meson setup "$root/tsan" -Db_sanitize=thread -Db_lundef=false --buildtype=debugoptimized -Doptimization=1 >"$root/log/tsan" 2>&1 </dev/null ||
        threads=failed
fi
{ ninja -C "$root/tsan" tests/api/threads && meson test -C "$root/tsan" --no-rebuild threads; } >"$root/log/tsan" 2>&1 </dev/null ||
    threads=failed
grep -q '^Ok: *[1-9]' "$root/log/tsan" || threads=failed

[ "$valgrind" = failed ] || [ "$threads" = failed ] && failed=1
echo "valgrind: $valgrind"
echo "TSan: $threads, see $root/log/tsan"
[ $failed = 0 ] && echo "Nothing was found" || echo "Found: $root/found, $root/log"
exit $failed
