# in: bookworm
# files: libmx2onnx-*-amalgamation.zip
# The library as one file, by its header's line, with libzip and without.
apt_install gcc g++ libc6-dev libjansson-dev libzip-dev unzip
unzip -q /with/release/libmx2onnx-*-amalgamation.zip
cd libmx2onnx-*
test -s LICENSE && test -s NOTICE && test -s README.md
cc -std=c11 -O2 -c mx2onnx.c
cc -I. /with/net/main.c mx2onnx.o -o main -ljansson -lzip -lm
./main "$DIGITS" "$OUT/main.onnx"
cc -std=c11 -O1 -DMX2ONNX_ZIP=0 -c mx2onnx.c -o without.o
cc -I. /with/net/main.c without.o -o without -ljansson -lm
./without "$DIGITS" "$OUT/without.onnx"
