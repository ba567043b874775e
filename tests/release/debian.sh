# in: here
# files: debian/*.deb
# apt install of the packages, on the release of Debian that they were built on; a program with the -dev package.
apt_install gcc libc6-dev pkg-config
apt-get install -q -y --no-install-recommends /with/release/debian/libmx2onnx0_*.deb /with/release/debian/libmx2onnx-dev_*.deb /with/release/debian/mx2onnx_*.deb >/dev/null
mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
cc /with/net/main.c -o main $(pkg-config --cflags --libs mx2onnx)
./main "$DIGITS" "$OUT/library.onnx"
for package in libmx2onnx0 libmx2onnx-dev mx2onnx; do grep -q 'Apache Software Foundation' /usr/share/doc/$package/copyright; done
apt-get remove -q -y libmx2onnx0 libmx2onnx-dev mx2onnx >/dev/null
no test -e /usr/bin/mx2onnx
