# in: trixie
# files: Dockerfile libmx2onnx-*.tar.gz
# The steps of the Dockerfile: both images are this chroot, one after the other.
mkdir -p /source
cp /with/release/libmx2onnx-*.tar.gz /source/
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' /with/release/Dockerfile | sed -n 's/^RUN //p' >steps
[ "$(wc -l <steps)" = 3 ]
bash -e steps >/dev/null
cp -a /installed/. /
ldconfig
cd "$OUT"
mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
