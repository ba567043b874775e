# in: bullseye
# files: libmx2onnx-*.tar.gz
# The files for OSS-Fuzz without its image: what Dockerfile installs, then test.sh with Debian's clang. It converts nothing.
#
# Debian 11 is as old as the image's Ubuntu 20.04.
apt_install clang libclang-common-11-dev llvm-11 libc6-dev gcc g++ unzip ca-certificates
mkdir tree
tar -C tree --strip-components 1 -xf /with/release/libmx2onnx-*.tar.gz
cd tree
rm -r subprojects/nanopb-* subprojects/uthash-* lib/onnx/write/onnx.pb.[ch] # which a clone has not
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' tests/fuzz/oss-fuzz/Dockerfile | sed -n 's/^RUN //p' | grep -v '^git clone' >steps
[ "$(wc -l <steps)" = 1 ]
quietly bash -e steps
bash tests/fuzz/oss-fuzz/test.sh ../fuzz 2
