# SPDX-License-Identifier: Apache-2.0
"""The filters of the operators' page, in a browser: rows that are shown, against operators.json. For examples/guides/site/check.py."""
import json
import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

BROWSERS = "chromium", "chromium-browser", "google-chrome", "chrome"
ASKED = (  # what the address says; what an entry of operators.json has then
    ({}, lambda e: True),
    ({"status": "partial"}, lambda e: e["status"] == "partial"),
    ({"status": "training only,no"}, lambda e: e["status"] in ("training only", "no")),
    ({"status": "partial,differs", "group": "vision"}, lambda e: e["status"] in ("partial", "differs") and e.get("group") == "vision"),
    ({"group": "tensor", "type": "float16"}, lambda e: e.get("group") == "tensor" and "float16" in e["types"]),
    ({"mxnet": "1.x", "status": "random"}, lambda e: e["status"] == "random" and "1.x" in e["mxnet"]),
    ({"name": "npx.pooling"}, lambda e: has(e, "pooling")),
    ({"name": "F.contrib.box_nms"}, lambda e: has(e, "box_nms")),
    ({"name": "mx.sym.SoftmaxOutput"}, lambda e: has(e, "softmaxoutput")),
    ({"name": "QConvolution", "status": "full"}, lambda e: False),
    ({"name": "Convolutoin"}, lambda e: False),
    ({"name": "sklearn_forest"}, lambda e: False),
)
SAID = {"QConvolution": "that you chose", "Convolutoin": "Did you mean Convolution, ", "sklearn_forest": "not converted"}  # where no row is shown


def has(entry, part):
    return any(part in name.lower() for name in [entry["name"], *entry["aliases"]])


class Shown(HTMLParser):
    """The ids of the rows that are not hidden, and what the form says."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.said, self.inside = set(), "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "tr" and attrs.get("id", "").startswith("op-") and "hidden" not in attrs:
            self.ids.add(attrs["id"][len("op-"):])
        self.inside = self.inside or tag == "output"

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "output"

    def handle_data(self, data):
        self.said += data if self.inside else ""


def wrong(site):
    """What is wrong, a text each."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        print("The filters are not tried: no Chromium is installed")
        return
    page = Path(site, "lookup", "operators.html")
    with open(os.path.join(site, "lookup", "operators.json"), encoding="utf-8") as f:
        entries = json.load(f)["operators"]
    for asked, keeps in ASKED:
        query = urlencode(asked)
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri() + "?" + query]
        shown = Shown(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120).stdout)
        wanted = {e["name"] for e in entries if keeps(e)}
        if shown.ids != wanted:
            yield "operators.html?%s shows %d rows, not %d: %s" % (query, len(shown.ids), len(wanted), " ".join(sorted(shown.ids ^ wanted)[:5]))
        if (str(len(wanted)) if wanted else SAID[asked["name"]]) not in shown.said:
            yield "operators.html?%s says '%s'" % (query, shown.said)
