# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    import re
    import cv2
    import numpy as np
    try:
        net = cv2.dnn.readNetFromONNX(model)
    except cv2.error as e:
        lacks = re.search(r'Can\'t create layer .* of type "(\w+)"', str(e))
        raise RuntimeError("no layer of type %s" % lacks.group(1) if lacks else str(e)) from e
    old = int(cv2.__version__.split(".")[0]) < 5
    for name, array in inputs.items():  # OpenCV 4 knows floats alone
        net.setInput(array.astype(np.float32) if old else array, name)
    return net.forward(outputs)


serve(run)
