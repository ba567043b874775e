# in: trixie
# files: python/*.whl
# The wheel in a free-threaded Python 3.13, made of Debian's sources: eight models in eight threads, without the lock.
apt_install gcc libc6-dev make pkgconf zlib1g-dev libffi-dev dpkg-dev xz-utils
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >/etc/apt/sources.list.d/sources.list
apt-get update -q >/dev/null
quietly apt-get source -q --download-only --only-source python3.13
mkdir python
tar -C python --strip-components 1 -xf python3.13_*.orig.tar.xz
cd python
quietly ./configure --disable-gil --prefix=/opt/freethreaded
quietly make -s -j2
quietly make -s install
cd ..
/opt/freethreaded/bin/python3.13t -m venv env
env/bin/pip install -q --no-index --find-links /with/release/python mx2onnx
env/bin/python -c 'import sys, mx2onnx; assert not sys._is_gil_enabled()'
env/bin/python /with/tests/threads.py
cp 0.onnx "$OUT/freethreaded.onnx"
