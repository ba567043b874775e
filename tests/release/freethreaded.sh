# in: sid
# files: python/*.whl
# The wheel in free-threaded Pythons, made of Debian's sources: eight models in eight threads, without the lock before and after.
apt_install gcc libc6-dev make pkgconf zlib1g-dev libffi-dev dpkg-dev xz-utils
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/sources.list
apt-get update -q >/dev/null
for version in 3.13 3.14; do
    quietly apt-get source -q --download-only --only-source "python$version"
    mkdir "$version" "$version/source"
    tar -C "$version/source" --strip-components 1 -xf "python${version}_"*.orig.tar.xz
    cd "$version/source"
    quietly ./configure --disable-gil --prefix="/opt/$version" OPT=-O1
    quietly make -s -j2
    quietly make -s install
    cd ..
    "/opt/$version/bin/python${version}t" -m venv env
    env/bin/pip install -q --no-index --find-links /with/release/python mx2onnx
    env/bin/python -c 'import runpy, sys; runpy.run_path("/with/tests/threads.py"); assert not sys._is_gil_enabled()'
    cd ..
done
cp 3.13/0.onnx "$OUT/python313t.onnx"
cp 3.14/0.onnx "$OUT/python314t.onnx"
