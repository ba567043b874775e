# SPDX-License-Identifier: Apache-2.0
from serve import serve


def run(model, inputs, outputs):
    import cv2
    import numpy as np
    net = cv2.dnn.readNetFromONNX(model)
    old = int(cv2.__version__.split(".")[0]) < 5
    for name, array in inputs.items():  # OpenCV 4 knows floats alone
        net.setInput(array.astype(np.float32) if old else array, name)
    return net.forward(outputs)


serve(run)
