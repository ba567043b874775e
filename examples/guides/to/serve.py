#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web service for a converted model: ONNX Runtime and Python's own HTTP server, with the two addresses that SageMaker has.

    python serve.py MODEL.onnx [PORT]
    python serve.py serve               in a container of SageMaker: the .onnx file in /opt/ml/model, or in $SM_MODEL_DIR

GET /ping answers 200. POST /invocations takes
- one picture if the model's input is uint8: a JPEG or PNG with its content type, or else (height, width, 3) bytes. The answer is what
  SageMaker's endpoint has for image-classification, object-detection and semantic-segmentation, by the rank of the model's output;
- rows of numbers otherwise, as text/csv or as {"instances": [{"features": [...]}]}; the answer has every output for each row.
"""
import argparse
import glob
import http.server
import io
import json
import os
import signal
import sys

try:
    import numpy as np
    import onnxruntime
except ImportError as e:
    sys.exit("serve.py: %s; pip install onnxruntime numpy" % e)


class Pictures:
    """Image-classification, object-detection and semantic-segmentation: the answers of SageMaker's endpoints."""

    def __init__(self, session):
        self.session, (data,) = session, session.get_inputs()
        self.name, self.shape = data.name, tuple(data.shape[1:])  # the batch is open
        outputs = session.get_outputs()
        rows = [o for o in outputs if len(o.shape) == 3 and o.shape[2] == 6]  # a detector's file may have its probabilities, too
        self.output = (rows or outputs)[0].name
        if len(self.shape) != 3 or self.shape[2] not in (1, 3):
            raise ValueError("the input has shape %s, but must end in height, width and channels: convert with --channels-last" % (data.shape,))

    def __call__(self, body, kind=""):
        """A list, a dict, or the bytes of a PNG; ValueError for a picture of another size."""
        height, width, channels = self.shape
        size = width, height
        if kind.startswith("image/") or kind == "application/x-image":
            import PIL.Image  # only here: callers who send bytes do not need it

            picture = PIL.Image.open(io.BytesIO(body)).convert("RGB" if channels == 3 else "L")
            size, body = picture.size, picture.resize((width, height)).tobytes()
        if len(body) != height * width * channels:
            raise ValueError("%d bytes, (%d, %d, %d), are needed, but the body has %d; a JPEG or PNG needs its Content-Type"
                             % (height * width * channels, height, width, channels, len(body)))
        pixels = np.frombuffer(body, np.uint8).reshape((1,) + self.shape)
        found = self.session.run([self.output], {self.name: pixels})[0][0]
        if found.ndim == 1:  # a probability for each class: SageMaker's model ends in a softmax
            return found.tolist()
        if found.ndim == 2:  # rows of class, score and box; -1 fills the rows that are not used
            return {"prediction": [row.tolist() for row in found if row[0] >= 0]}
        return mask(found.argmax(0).astype(np.uint8), size)  # a score for each class and pixel


def mask(classes, size):
    """A PNG of grey levels, the class of each pixel, with the size of the caller's picture."""
    import PIL.Image

    file = io.BytesIO()
    PIL.Image.fromarray(classes).resize(size, PIL.Image.NEAREST).save(file, "PNG")
    return file.getvalue()


class Rows:
    """Linear learner, k-means, PCA, factorization machines, the neural topic model: the JSON that SageMaker's endpoint answers with."""

    def __init__(self, session):
        self.session, (data,) = session, session.get_inputs()
        self.name, self.features = data.name, data.shape[1]
        self.outputs = [o.name for o in session.get_outputs()]
        self.topics = self.outputs == ["mean"]  # of the neural topic model
        self.list = "projections" if self.outputs == ["projection"] else "predictions"
        self.threshold = session.get_modelmeta().custom_metadata_map.get("sagemaker:threshold")

    def __call__(self, body, kind=""):
        """{"predictions": [{output: value}]}; ValueError for rows of another length and for what is not numbers."""
        text = body.decode()
        if text.lstrip().startswith("{"):
            rows = np.array([row["features"] for row in json.loads(text)["instances"]], np.float32)
        else:
            rows = np.loadtxt(io.StringIO(text or "?"), np.float32, delimiter=",", ndmin=2)
        if rows.ndim != 2 or rows.shape[1] != self.features or not len(rows):
            raise ValueError("rows of %s numbers are needed, but the array of the body has shape %s" % (self.features, rows.shape))
        found = self.session.run(None, {self.name: rows})
        if self.topics:
            powers = np.exp(found[0] - found[0].max(1, keepdims=True))
            return {self.list: [{"topic_weights": (row / row.sum()).tolist()} for row in powers]}
        return {self.list: [self.answer({name: array[i] for name, array in zip(self.outputs, found)}) for i in range(len(rows))]}

    def answer(self, values):
        values = {name: value.item() if name == "score" and value.size == 1 else value.tolist() for name, value in values.items()}
        score = values.get("score")
        if isinstance(score, list):  # one for each class
            values["predicted_label"] = int(np.argmax(score))
        elif self.threshold and score is not None:
            values["predicted_label"] = int(score >= float(self.threshold))
        return values


def load(path):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    data = session.get_inputs()[0]
    if data.type != "tensor(uint8)" and len(data.shape) == 4:
        raise ValueError("the model takes pictures of %s: convert it with :uint8 after the shape and with --channels-last" % data.type)
    return (Pictures if data.type == "tensor(uint8)" else Rows)(session)


class Handler(http.server.BaseHTTPRequestHandler):
    predict = None

    def answer(self, status, content):
        body = content if isinstance(content, bytes) else json.dumps(content, allow_nan=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "image/png" if body is content else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200 if self.path == "/ping" else 404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/invocations":
            self.answer(404, {})
            return
        try:
            self.answer(200, type(self).predict(body, self.headers.get("Content-Type", "")))
        except (ValueError, KeyError, TypeError, OSError) as e:  # OSError: not a picture
            self.answer(400, {"error": str(e)})
        except ImportError as e:  # pillow
            self.answer(500, {"error": "%s; pip install pillow" % e})
        except Exception as e:  # ONNX Runtime's have no common class; a fixed batch refuses another number of rows
            self.answer(400, {"error": str(e)})


def model_of_container():
    folder = os.environ.get("SM_MODEL_DIR", "/opt/ml/model")
    found = glob.glob(os.path.join(folder, "*.onnx"))
    if len(found) != 1:
        raise ValueError("%s has %d .onnx files, but must have one" % (folder, len(found)))
    return found[0]


def main():
    usage = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usage.add_argument("model", metavar="MODEL.onnx", help="the converted model, or the word serve")
    usage.add_argument("port", metavar="PORT", type=int, nargs="?", default=8080, help="where to listen (default: 8080)")
    arguments = usage.parse_args()
    in_container = arguments.model == "serve"
    port = int(os.environ.get("SAGEMAKER_BIND_TO_PORT", arguments.port)) if in_container else arguments.port
    try:
        Handler.predict = load(model_of_container() if in_container else arguments.model)
        server = http.server.ThreadingHTTPServer(("", port), Handler)
    except Exception as e:  # ONNX Runtime has no common class for the errors of loading
        sys.exit("serve.py: %s" % e)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # a container's first process has no handler
    with server:
        print("listening at port %d" % server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
