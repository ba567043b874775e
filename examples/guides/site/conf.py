# SPDX-License-Identifier: Apache-2.0
"""What Sphinx makes the site with; site.sh calls it."""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "..", "..", "bindings", "project.json"), encoding="utf-8") as f:
    release = json.load(f)["version"]

project = "mx2onnx"
version = release
html_title = "mx2onnx " + release
extensions = ["myst_parser"]
if os.path.exists(os.path.join(os.environ["MX2ONNX_STAGE"], "lookup", "python-reference.md")):
    extensions.append("sphinx.ext.autodoc")
    sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "..", "bindings", "python")]
    autodoc_typehints_format = "short"
    autodoc_member_order = "bysource"
root_doc = "index"
exclude_patterns = ["extra"]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # "..." in a block of JSON
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!mx2onnx\.[A-Za-z]).*")]  # Python's own types, and names for the annotations alone

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
smartquotes = False  # a message or an option is found as it is typed


def docstring(app, what, name, thing, options, lines):
    """The docstrings as reStructuredText: "name: text" with its continuation is an item of a list, what is indented after an empty line is
    code, and all else is text without marks but `code`."""
    def plain(text):
        pieces = re.split(r"`([^`]*)`", text)
        pieces[::2] = [re.sub(r"([*_|\\])", r"\\\1", piece) for piece in pieces[::2]]
        return "``".join(pieces)

    made, before, item = [], "", False
    for line in lines if not "".join(lines).startswith("Alias for field number") else ():
        entry = re.match(r"([a-z_0-9]+(?:, [a-z_0-9]+)*): (.*)", line)
        if line.startswith("    ") and (not before or before == "code"):
            made += ([] if before == "code" else ["::", ""]) + [line]
            before = "code"
        elif line.startswith("    ") and item:
            made.append("  " + plain(line.strip()))
            before = "text"
        elif entry:
            made += ["", "- **%s**: %s" % (plain(entry.group(1)), plain(entry.group(2)))]
            before, item = "text", True
        elif line.strip():
            made += ([""] if before == "code" or item else []) + [plain(line.strip())]
            before, item = "text", False
        else:
            made.append("")
            before = before if before == "code" else ""
    lines[:] = made + [""]


def signature(app, what, name, thing, options, arguments, result):
    """Types that the package has names for are called by these; the page lists them."""
    import references
    from sphinx.util.typing import stringify_annotation

    known = [(stringify_annotation(kind, "smart"), name) for name, (kind, _) in references.python_types().items()]
    for full, short in sorted(known, key=lambda item: -len(item[0])):
        arguments, result = [text and text.replace(full, short) for text in (arguments, result)]
    return arguments, result


def setup(app):
    if "sphinx.ext.autodoc" in extensions:
        app.connect("autodoc-process-signature", signature)
        app.connect("autodoc-process-docstring", docstring)
