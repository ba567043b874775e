#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web service for a converted model: ONNX Runtime and Python's own HTTP server, with the two addresses that SageMaker has.

    python serve.py MODEL.onnx [PORT]
    python serve.py serve               in a container of SageMaker: the .onnx file in /opt/ml/model, or in $SM_MODEL_DIR

GET /ping answers 200. POST /invocations takes
- one picture, (height, width, 3) bytes, if the model's input is uint8; the answer has the best classes as JSON;
- rows of numbers otherwise, as text/csv or as {"instances": [{"features": [...]}]}; the answer has every output for each row.
"""
import glob
import http.server
import io
import json
import os
import signal
import sys

import numpy as np
import onnxruntime

BEST = 3


class Classifier:
    def __init__(self, session):
        self.session, (data,) = session, session.get_inputs()
        self.name, self.shape = data.name, tuple(data.shape[1:])  # the batch is open

    def __call__(self, body):
        """[{"class", "score"}]; ValueError for a picture of another size."""
        pixels = np.frombuffer(body, np.uint8).reshape((1,) + self.shape)
        shares = self.session.run(None, {self.name: pixels})[0][0]  # SageMaker's model ends in a softmax
        return [{"class": int(i), "score": round(float(shares[i]), 4)} for i in np.argsort(-shares)[:BEST]]


class Rows:
    """Linear learner, k-means, PCA, factorization machines, the neural topic model: the JSON that SageMaker's endpoint answers with."""

    def __init__(self, session):
        self.session, (data,) = session, session.get_inputs()
        self.name, self.features = data.name, data.shape[1]
        self.outputs = [o.name for o in session.get_outputs()]
        self.list = "projections" if self.outputs == ["projection"] else "predictions"
        self.threshold = session.get_modelmeta().custom_metadata_map.get("sagemaker:threshold")

    def __call__(self, body):
        """{"predictions": [{output: value}]}; ValueError for rows of another length and for what is not numbers."""
        text = body.decode()
        if text.lstrip().startswith("{"):
            rows = np.array([row["features"] for row in json.loads(text)["instances"]], np.float32)
        else:
            rows = np.loadtxt(io.StringIO(text or "?"), np.float32, delimiter=",", ndmin=2)
        if rows.ndim != 2 or rows.shape[1] != self.features or not len(rows):
            raise ValueError("rows of %s numbers are needed, but the array of the body has shape %s" % (self.features, rows.shape))
        found = self.session.run(None, {self.name: rows})
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
    return (Classifier if session.get_inputs()[0].type == "tensor(uint8)" else Rows)(session)


class Handler(http.server.BaseHTTPRequestHandler):
    predict = None

    def answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
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
            self.answer(200, type(self).predict(body))
        except (ValueError, KeyError, TypeError) as e:
            self.answer(400, {"error": str(e)})


def main():
    path, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8080
    if path == "serve":
        folder = os.environ.get("SM_MODEL_DIR", "/opt/ml/model")
        path, = glob.glob(os.path.join(folder, "*.onnx"))
        port = int(os.environ.get("SAGEMAKER_BIND_TO_PORT", port))
    Handler.predict = load(path)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # a container's first process has no handler
    with http.server.ThreadingHTTPServer(("", port), Handler) as server:
        print("listening at port %d" % server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
