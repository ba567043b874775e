# in: sid
# files: python/*.whl
# What freethreaded.sh does, with Python 3.14.
export FREE_THREADED=3.14
. /with/tests/freethreaded.sh
mv "$OUT"/free-threaded* "$OUT/free-threaded-3-14.onnx"
