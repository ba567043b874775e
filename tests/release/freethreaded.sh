# in: trixie
# files: python/*.whl
# The wheel in a free-threaded Python, made of Debian's sources: eight models in eight threads, without the lock before and after.
version=${FREE_THREADED:-3.13}
apt_install gcc libc6-dev make pkgconf zlib1g-dev libffi-dev dpkg-dev xz-utils curl ca-certificates
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/sources.list
apt-get update -q >/dev/null
mirror=$(grep -o -m 1 'http[^ ]*' /etc/apt/sources.list)

# A mirror may list a source before it has it: the newest patch release that can be fetched is used.
fetch() {
    quietly apt-get source -q --download-only --only-source "python$version" && return
    for patch in {30..0}; do
        file=python${version}_$version.$patch.orig.tar.xz
        curl -fsLo "$file" "$mirror/pool/main/p/python$version/$file" && return
    done
    return 1
}
fetch
mkdir source
tar -C source --strip-components 1 -xf "python${version}_"*.orig.tar.xz
cd source
quietly ./configure --disable-gil --prefix=/opt/python OPT=-O1
quietly make -s -j2
quietly make -s install
cd ..
"/opt/python/bin/python${version}t" -m venv env
env/bin/pip install -q --no-index --find-links /with/release/python mx2onnx
env/bin/python -c 'import runpy, sys; runpy.run_path("/with/tests/threads.py"); assert not sys._is_gil_enabled()'
cp 0.onnx "$OUT/free-threaded.onnx"
