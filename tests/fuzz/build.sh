# For run.sh and coverage.sh: builds the library and the fuzz targets with clang. Sourced; bash.
#
#     build_targets FOLDER DRIVER FLAGS      DRIVER: flags and files in place of libFuzzer's main
#
# FUZZ_CC compiles and FUZZ_LINK links: a driver may be C++. The data that scripts make are then in FOLDER/tests/data.

FUZZ_TARGETS="archive calls catalogue choices export handlers limits load npz onnx_nodes operators params symbol tar"
FUZZ_CC=clang
FUZZ_LINK=clang
WRAPPED="-Wl,--wrap=mx_calloc,--wrap=mx_realloc,--wrap=mx_free,--wrap=mx_spool_write"

build_targets() {
    local folder=$1 driver=$2 flags=$3 target files libraries main engine defines wrapped source object objects
    if [ ! -e "$folder/build.ninja" ]; then
        CC=$FUZZ_CC meson setup "$folder" --buildtype=debugoptimized -Doptimization=1 -Db_lundef=false -Dc_args="$flags" -Dc_link_args="$flags" \
            >"$folder.log" 2>&1 </dev/null || { tail "$folder.log"; return 1; }
    fi
    ninja -C "$folder" lib/libmx2onnx-inside.a tests/data/{malformed,read}.txt >"$folder/ninja.log" 2>&1 || { tail "$folder/ninja.log"; return 1; }
    python3 tests/fuzz/calls.py bindings/api.json "$folder/calls.inc"
    libraries="$(pkg-config --libs libzip jansson) -lprotobuf-nanopb -lm -ldl"
    case $driver in *.c) main=$driver engine='' ;; *) main='' engine=$driver ;; esac
    for target in $FUZZ_TARGETS; do
        files="tests/fuzz/$target.c $main" defines='' wrapped=''
        case $target in
        export | calls | choices | handlers | load) files="$files tests/fuzz/model.c" ;;
        limits) files="$files tests/fuzz/model.c tests/fuzz/cost.c" wrapped=$WRAPPED ;;
        onnx_nodes) files="$files examples/cli/onnx_nodes.c examples/cli/print.c examples/cli/report.c examples/cli/system.c" ;;
        operators) files="$files tests/fuzz/model.c tests/fuzz/cost.c tests/fuzz/operators_make.c" wrapped=$WRAPPED ;;
        esac
        case $target-$engine in # which other engines cannot link: it asks libFuzzer for ordinary changes
        export--fsanitize=fuzzer | limits--fsanitize=fuzzer) files="$files tests/fuzz/mutate_graph.c" ;;
        choices--fsanitize=fuzzer) files="$files tests/fuzz/mutate_graph.c" defines=-DGRAPH_AT=48 ;;
        esac
        objects=''
        mkdir -p "$folder/objects/$target"
        # shellcheck disable=SC2086 # lists of words
        for source in $files; do
            object=$folder/objects/$target/${source//\//_}.o # two files have the same name
            $FUZZ_CC -g -O1 $flags -std=gnu11 -D_GNU_SOURCE -DMX2ONNX_TAR=1 $defines -Iinclude -Ilib -Iexamples -Itests/fuzz "-I$folder" \
                -c "$source" -o "$object" || return 1
            objects="$objects $object"
        done
        # shellcheck disable=SC2086 # lists of words
        $FUZZ_LINK $flags $objects $engine $wrapped "$folder/lib/libmx2onnx-inside.a" $libraries -o "$folder/fuzz_$target" || return 1
    done
}
