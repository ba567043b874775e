# in: trixie
# files: python/*.whl
# pip install mx2onnx, from a folder in place of an index: the API and the program.
apt_install python3-venv
python3 -m venv env
env/bin/pip install -q --no-index --find-links /with/release/python mx2onnx
env/bin/python - <<'P'
import os
import mx2onnx
mx2onnx.export_model(os.environ["DIGITS"], None, [(1, 1, 8, 8)], onnx_file_path=os.environ["OUT"] + "/module.onnx")
P
env/bin/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
