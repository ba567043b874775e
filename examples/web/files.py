# SPDX-License-Identifier: Apache-2.0
"""files.json of a site: what its service worker keeps for the time without a network. Prints what the page costs to load."""
import gzip
import json
import os
import sys

LATER = ("packages/ort", "example/")  # loaded when they are asked for


def main(site):
    found = sorted(os.path.relpath(os.path.join(folder, name), site).replace(os.sep, "/") for folder, _, names in os.walk(site) for name in names)
    found = [f for f in found if f not in ("files.json", "sw.js")]
    with open(os.path.join(site, "files.json"), "w") as f:
        json.dump(["./"] + found, f)
    total = 0
    for name in found:
        if not name.startswith(LATER):
            with open(os.path.join(site, name), "rb") as f:
                total += len(gzip.compress(f.read(), 9))
    print("== The page is %s: %d KB by gzip, without ONNX Runtime" % (site, total / 1000))


main(sys.argv[1])
