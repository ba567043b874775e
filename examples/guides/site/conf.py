# SPDX-License-Identifier: Apache-2.0
"""What Sphinx makes the site with; site.sh calls it."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "..", "..", "bindings", "project.json"), encoding="utf-8") as f:
    release = json.load(f)["version"]

project = "mx2onnx"
version = release
html_title = "mx2onnx " + release
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["extra"]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # "..." in a block of JSON
nitpicky = True

html_theme = "furo"
html_theme_options = {"footer_icons": [], "top_of_page_buttons": []}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = os.path.join(HERE, "scorer.js")
html_extra_path = [os.path.join(os.environ["MX2ONNX_STAGE"], "extra")]
templates_path = ["templates"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_show_copyright = False
html_show_sphinx = False
language = "en"
