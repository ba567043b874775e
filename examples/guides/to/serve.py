#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A web service for a classifier: ONNX Runtime behind Python's own HTTP server, with the two addresses that SageMaker has.

    python serve.py MODEL.onnx [PORT]

GET /ping answers 200. POST /invocations takes one picture, (height, width, 3) bytes, and answers with the best classes as JSON.
"""
import http.server
import json
import sys

import numpy as np
import onnxruntime

BEST = 3


class Classifier:
    def __init__(self, path):
        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        data, = self.session.get_inputs()
        self.name, self.shape = data.name, tuple(data.shape[1:])  # the batch is open

    def __call__(self, body):
        """[{"class", "score"}]; ValueError for a picture of another size."""
        pixels = np.frombuffer(body, np.uint8).reshape((1,) + self.shape)
        shares = self.session.run(None, {self.name: pixels})[0][0]  # SageMaker's net ends in a softmax
        return [{"class": int(i), "score": round(float(shares[i]), 4)} for i in np.argsort(-shares)[:BEST]]


class Handler(http.server.BaseHTTPRequestHandler):
    classify = None

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
        try:
            self.answer(200, type(self).classify(body))
        except ValueError as e:
            self.answer(400, {"error": str(e)})


def main():
    Handler.classify = Classifier(sys.argv[1])
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8080
    with http.server.ThreadingHTTPServer(("", port), Handler) as server:
        print("listening at port %d" % server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
