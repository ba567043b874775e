# in: trixie
# files: python/mx2onnx-*.tar.gz
# pip install from the source distribution: a compiler, jansson and libzip are the system's.
apt_install python3-venv gcc libc6-dev pkg-config libjansson-dev libzip-dev ca-certificates
python3 -m venv env
env/bin/pip install -q /with/release/python/mx2onnx-*.tar.gz
env/bin/python -c "import mx2onnx, os; mx2onnx.export_model(os.environ['DIGITS'], None, [(1, 1, 8, 8)], onnx_file_path=os.environ['OUT'] + '/module.onnx')"
env/bin/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
