#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz wants them, in the checkout that is the current folder: programs, kept inputs and libraries in $OUT.
# CC, CFLAGS, LIB_FUZZING_ENGINE, OUT and WORK are those of OSS-Fuzz.
set -euo pipefail
. tests/fuzz/build.sh
mkdir -p "$OUT/lib" "$WORK"
# shellcheck disable=SC2016 # the loader's own variable
export LD_RUN_PATH='$ORIGIN/lib'
build_targets "$WORK/build" "$LIB_FUZZING_ENGINE" "$CFLAGS"
for target in $FUZZ_TARGETS; do
    cp "$WORK/build/fuzz_$target" "$OUT/"
    pack=tests/fuzz/corpus/${target/limits/export}.pack
    if [ -e "$pack" ]; then
        rm -rf "$WORK/inputs"
        python3 tests/fuzz/corpus.py unpack "$pack" "$WORK/inputs" >/dev/null
        (cd "$WORK/inputs" && find . -type f | sort | zip -q -X -@ "$OUT/fuzz_${target}_seed_corpus.zip")
    fi
    # what the image that runs them lacks
    ldd "$WORK/build/fuzz_$target" | sed -nE 's/.* => (\/[^ ]*\/(libzip|libjansson|libcrypto|libbz2|liblzma|libzstd|libz)\.so[^ ]*) .*/\1/p' \
        | while read -r library; do cp -n "$library" "$OUT/lib/"; done
done
