# SPDX-License-Identifier: Apache-2.0
"""Writes into a site's sw.js which files there are, with sums of their contents, and the policy of index.html: the service worker keeps
them for the time without a network. Prints what the page costs to load.

    python3 files.py SITE
"""
import gzip
import hashlib
import json
import os
import re
import sys

LATER = ("packages/", "samples/shapes-")  # loaded when they are asked for, as in sw.js
NOT_KEPT = ("sw.js", "LICENSE.txt")


def main(site):
    found = sorted(os.path.relpath(os.path.join(folder, name), site).replace(os.sep, "/") for folder, _, names in os.walk(site) for name in names)
    sums, total = {}, 0
    for name in found:
        with open(os.path.join(site, name), "rb") as f:
            content = f.read()
        if name not in NOT_KEPT:
            sums[name] = hashlib.sha256(content).hexdigest()[:16]
        if not name.startswith(LATER):
            total += len(gzip.compress(content, 9))
    with open(os.path.join(site, "index.html"), encoding="utf-8") as f:
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', f.read()).group(1)
    worker = os.path.join(site, "sw.js")
    with open(worker, encoding="utf-8") as f:
        text = f.read()
    text = text.replace("const FILES = {};", "const FILES = %s;" % json.dumps(sums), 1).replace('const POLICY = "";', "const POLICY = %s;" % json.dumps(policy), 1)
    with open(worker, "w", encoding="utf-8") as f:
        f.write(text)
    print("== The page is %s: %d KB by gzip at a first visit, without ONNX Runtime" % (site, total / 1000))


main(sys.argv[1])
