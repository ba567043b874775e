# in: trixie
# files: vcpkg libmx2onnx-*.tar.gz
# vcpkg's port by its own steps, the functions of vcpkg in vcpkg.cmake doing what vcpkg's do.
apt_install cmake gcc g++ libc6-dev dpkg-dev meson ninja-build pkg-config libarchive-dev libjansson-dev libzip-dev python3
cp /with/tests/vcpkg.cmake .
python3 -c 'import json; v = json.load(open("/with/release/vcpkg/vcpkg.json")); print("-DVERSION=%s" % v["version"])' >version
cmake "$(cat version)" -DARCHIVES=/with/release -DTOP="$PWD" "-DFEATURES=zip;tar;tools" -DPORTS=/with/release/vcpkg -P vcpkg.cmake >log || { cat log; exit 1; }
test -s packages/share/libmx2onnx/usage && test -s packages/share/libmx2onnx/copyright && test -s packages/share/mx2onnx/mx2onnx-config.cmake
LD_LIBRARY_PATH=packages/lib packages/bin/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
