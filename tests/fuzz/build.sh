# For run.sh and coverage.sh: builds the library and the fuzz targets with clang. Sourced; bash.
#
#     build_targets FOLDER DRIVER FLAGS      DRIVER: flags and files in place of libFuzzer's main
#
# The data that scripts make are then in FOLDER/tests/data.

FUZZ_TARGETS="archive calls catalogue choices export handlers limits load npz onnx_nodes operators params symbol tar"
WRAPPED="-Wl,--wrap=mx_calloc,--wrap=mx_realloc,--wrap=mx_free,--wrap=mx_spool_write"

build_targets() {
    local folder=$1 driver=$2 flags=$3 target files libraries
    if [ ! -e "$folder/build.ninja" ]; then
        CC=clang meson setup "$folder" --buildtype=debugoptimized -Doptimization=1 -Db_lundef=false -Dc_args="$flags" -Dc_link_args="$flags" \
            >"$folder.log" 2>&1 </dev/null || { tail "$folder.log"; return 1; }
    fi
    ninja -C "$folder" lib/libmx2onnx-inside.a tests/data/{malformed,read}.txt >"$folder/ninja.log" 2>&1 || { tail "$folder/ninja.log"; return 1; }
    python3 tests/fuzz/calls.py bindings/api.json "$folder/calls.inc"
    libraries="$(pkg-config --libs libzip jansson) -lprotobuf-nanopb -lm -ldl"
    for target in $FUZZ_TARGETS; do
        files="tests/fuzz/$target.c"
        case $target in
        export | calls | choices | handlers | load) files="$files tests/fuzz/model.c" ;;
        limits) files="$files tests/fuzz/model.c tests/fuzz/cost.c" ;;
        onnx_nodes) files="$files examples/cli/onnx_nodes.c examples/cli/print.c examples/cli/report.c examples/cli/system.c -Iexamples" ;;
        operators) files="$files tests/fuzz/model.c tests/fuzz/cost.c tests/fuzz/operators_make.c" ;;
        esac
        case $target-$driver in
        export-*fuzzer | limits-*fuzzer) files="$files tests/fuzz/mutate_graph.c" ;;
        choices-*fuzzer) files="$files tests/fuzz/mutate_graph.c -DGRAPH_AT=48" ;;
        esac
        # shellcheck disable=SC2086 # lists of words
        clang -g -O1 $flags $driver -std=gnu11 -D_GNU_SOURCE -DMX2ONNX_TAR=1 -Iinclude -Ilib -Itests/fuzz "-I$folder" $files \
            $(case $target in limits | operators) echo "$WRAPPED" ;; esac) "$folder/lib/libmx2onnx-inside.a" $libraries -o "$folder/fuzz_$target" || return 1
    done
}
