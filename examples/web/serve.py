# SPDX-License-Identifier: Apache-2.0
"""Serves a folder on this machine with the content security policy of its index.html, which workers only obey as a header.

    python3 serve.py FOLDER PORT      0: a free one
"""
import functools
import http.server
import os
import re
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".js": "text/javascript",
                      ".wasm": "application/wasm"}
    protocol_version = "HTTP/1.1"
    policy = ""

    def end_headers(self):
        self.send_header("Content-Security-Policy", self.policy)
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_request(self, code="-", size="-"):
        pass


def main(folder, port):
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as f:
        Handler.policy = re.search(r'Content-Security-Policy" content="([^"]*)"', f.read()).group(1)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder))
    print("== The page is at http://localhost:%d/ (Ctrl-C ends it)" % server.server_port, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


main(sys.argv[1], int(sys.argv[2]))
