# in: bullseye
# files: libmx2onnx-*.tar.gz
# The oldest that is tested: Debian 11 with gcc 10, jansson 2.13, libzip 1.7, and meson 0.62 from PyPI.
apt_install gcc libc6-dev dpkg-dev ninja-build pkg-config libjansson-dev libzip-dev python3-pip ca-certificates
pip3 install -q meson==0.62.2
tar -xf /with/release/libmx2onnx-*.tar.gz
cd libmx2onnx-*
quietly meson setup build --wrap-mode=nodownload -Dtests=disabled
no grep WARNING log
quietly meson compile -C build
echo "meson $(meson --version), $(gcc --version | head -1), jansson $(pkg-config --modversion jansson), libzip $(pkg-config --modversion libzip)"
./build/examples/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
