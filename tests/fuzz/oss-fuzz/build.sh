#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz wants them, in the checkout that is the current folder: programs, first inputs and libraries in $OUT.
# CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK are those of OSS-Fuzz.
set -euo pipefail
. tests/fuzz/build.sh
mkdir -p "$OUT/lib" "$WORK"
FUZZ_CC=$CC
# shellcheck disable=SC2016,SC2034 # the loader's own variable; RPATH, unlike RUNPATH, counts for the libraries of libraries, too
FUZZ_LINK="$CXX $CXXFLAGS -Wl,--disable-new-dtags,-rpath,"'$ORIGIN/lib'
build_targets "$WORK/build" "$LIB_FUZZING_ENGINE" "$CFLAGS"

# what the image that runs them lacks: all but the C and C++ libraries
copy_libraries() { # FILE...
    ldd "$@" | sed -nE 's/.* => (\/[^ ]*) .*/\1/p' | sort -u \
        | { grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc\+\+|libc\+\+[a-z]*)\.so' || true; } \
        | while read -r library; do cp -u "$library" "$OUT/lib/"; done
}
copy_libraries "$WORK"/build/fuzz_symbol
archive=$(ldconfig -p | sed -nE 's/.*libarchive\.so\.[0-9]+ \(.*x86-64.*=> (.*)/\1/p' | head -n 1) # opened at run time
cp "$archive" "$OUT/lib/"
copy_libraries "$archive"

for target in $FUZZ_TARGETS; do
    cp "$WORK/build/fuzz_$target" "$OUT/"
    rm -rf "$WORK/inputs" "$OUT/fuzz_${target}_seed_corpus.zip"
    python3 tests/fuzz/corpus.py inputs "$WORK/build" "$target" "$WORK/inputs"
    (cd "$WORK/inputs" && find . -type f | sort | zip -q -X -@ "$OUT/fuzz_${target}_seed_corpus.zip")
done
