"""Eight models in eight threads: 0.onnx to 7.onnx, which are the same."""
import os
import threading

import mx2onnx


def convert(i):
    mx2onnx.export_model(os.environ["DIGITS"], None, [(1, 1, 8, 8)], onnx_file_path="%d.onnx" % i)


threads = [threading.Thread(target=convert, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len({open("%d.onnx" % i, "rb").read() for i in range(8)}) == 1
