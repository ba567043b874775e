# in: trixie
# files: libmx2onnx-*.tar.gz
# The source archive: no generator, no protoc, nothing fetched; installed with a prefix, found by pkg-config, shared and static.
apt_install gcc libc6-dev dpkg-dev meson ninja-build pkg-config libjansson-dev libzip-dev
no command -v protoc
no command -v nanopb_generator
tar -xf /with/release/libmx2onnx-*.tar.gz
cd libmx2onnx-*
quietly meson setup build --prefix=/opt/mx2onnx --wrap-mode=nodownload -Dtests=disabled
no grep WARNING log
quietly meson compile -C build
meson install -C build >/dev/null
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname /opt/mx2onnx/lib/*/pkgconfig/mx2onnx.pc)
cc /with/net/main.c -o main $(pkg-config --cflags --libs mx2onnx)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir mx2onnx) ./main "$DIGITS" "$OUT/shared.onnx"
cc /with/net/main.c -o main-static $(pkg-config --static --cflags mx2onnx) "$(pkg-config --variable=libdir mx2onnx)/libmx2onnx.a" -ljansson -lzip -lm
./main-static "$DIGITS" "$OUT/static.onnx"
/opt/mx2onnx/bin/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
