# in: sid
# files: python/*.whl
# The wheel in the newest Python of Debian: eight models in eight threads.
apt_install python3.14 python3.14-venv
python3.14 -m venv env
env/bin/pip install -q --no-index --find-links /with/release/python mx2onnx
env/bin/python /with/tests/threads.py
cp 0.onnx "$OUT/python314.onnx"
