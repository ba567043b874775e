# in: bookworm
# files: programs/*linux-x86_64.tar.gz
# The program of its archive, where nothing at all is installed; musl's with Debian's musl.
tar -xf /with/release/programs/mx2onnx-*-manylinux-x86_64.tar.gz
mx2onnx-*-manylinux-x86_64/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/glibc.onnx"
apt_install musl
tar -xf /with/release/programs/mx2onnx-*-musllinux-x86_64.tar.gz
mx2onnx-*-musllinux-x86_64/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/musl.onnx"
test -s mx2onnx-*-musllinux-x86_64/LICENSES-OF-OTHERS.txt && test -s mx2onnx-*-musllinux-x86_64/README.md
