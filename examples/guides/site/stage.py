# SPDX-License-Identifier: Apache-2.0
"""Copies the pages, which stay where they are, into one folder for Sphinx, under the addresses that they have on the site.

    python3 stage.py MX2ONNX FOLDER [--converter]

Links to pages follow them; another file of the tree that a page links to becomes a file of the site. What GitHub and MyST write
differently is changed: "> [!NOTE]", blocks of code that say why they are not run, the list of words in the last line.
"""
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
sys.path.insert(0, HERE)

import operators  # noqa: E402
import references  # noqa: E402

GUIDES = "examples/guides/"
# The site's parts in order: the caption, and {address: file}. An address alone is a file of examples/guides.
PARTS = {
    "Start": ["start/install", "start/first", "start/browser"],
    "From": ["from/files", "from/insightface", "from/sagemaker", "from/gluoncv", "from/gluonnlp", "from/gluonts", "from/other", "from/own",
             "from/params", "from/mxnet-onnx"],
    "To": ["to/onnxruntime", "to/service", "to/openvino", "to/opencv", "to/tensorrt", "to/edge", "to/old", "to/frameworks",
           "to/matrix=tests/consumers/README.md"],
    "Do": ["do/shapes", "do/preprocessing", "do/outputs", "do/smaller", "do/large", "do/custom", "do/verify", "do/automate", "do/cluster",
           "do/messages"],
    "Look up": ["lookup/command-line", "lookup/operators=ops/SUPPORT.md", "lookup/models", "lookup/limits",
                "lookup/c=include/README.md", "lookup/cpp=bindings/cpp/README.md", "lookup/python=bindings/python/README.md",
                "lookup/rust=bindings/rust/mx2onnx/README.md", "lookup/go=bindings/go/README.md", "lookup/node=bindings/node/README.md",
                "lookup/wasm=bindings/wasm/README.md", "lookup/java=bindings/java/README.md", "lookup/csharp=bindings/csharp/README.md",
                "lookup/bindings=bindings/README.md", "lookup/json=lib/schema/README.md"],
    "About": ["about/accuracy=tests/zoo/README.md", "about/zoo=tests/zoo/MATRIX.md", "about/speed=tests/bench/README.md",
              "about/platforms=tests/platforms/README.md", "about/limits=lib/LIMITS.md", "about/site=examples/guides/site/README.md", "about/changes=CHANGELOG.md",
              "about/security=SECURITY.md", "about/contributing?=CONTRIBUTING.md", "about/conduct?=CODE_OF_CONDUCT.md",
              "about/packaging=bindings/packaging/README.md"],
}
CONVERTER = "examples/web/index.html"
CONVERTER_HERE = re.compile(r"On this site, open \[[^\]]*\]\([./]*web/index\.html\)\. ")  # which a site without it does not say
FENCE = re.compile(r"^ *```")
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^()\s]+)\)")
REASON = re.compile(r"^( *)```(\w+) (not run[^\n]*)\n(.*?)^\1```$", re.M | re.S)
ALERT = re.compile(r"^> \[!(NOTE|WARNING)\]\n((?:>.*\n?)+)", re.M)


def pages():
    """{file in the tree: address}, and {caption: [address]}."""
    files, parts = {GUIDES + "README.md": "index"}, {}
    for caption, entries in PARTS.items():
        for entry in entries:
            address, _, file = entry.partition("=")
            optional, address = address.endswith("?"), address.rstrip("?")
            file = file or GUIDES + address + ".md"
            if optional and not os.path.exists(os.path.join(ROOT, file)):
                continue
            files[file] = address
            parts.setdefault(caption, []).append(address)
        for name in sorted(os.listdir(os.path.join(ROOT, GUIDES, caption.lower().replace(" ", "")))) if caption != "About" else ():
            address = caption.lower().replace(" ", "") + "/" + name[:-3]
            if name.endswith(".md") and address not in parts[caption]:  # not in the order above
                files[GUIDES + address + ".md"] = address
                parts[caption].append(address)
    return files, parts


def index(text):
    """The words of the last line become entries of the index, which the search lists first."""
    found = re.search(r"^Also searched as: (.*?)\.?\s*\Z", text, re.M | re.S)
    if not found:
        return text
    entries = [" ".join(entry.split()) for entry in re.split(r", *\n?", found.group(1).replace("`", ""))]
    return "%s```{index} %s\n```\n\n{.searched}\n%s" % (text[:found.start()], ", ".join("! " + e for e in entries), found.group())


class Stage:
    def __init__(self, folder, converter):
        self.folder, self.converter = folder, converter
        self.files, self.parts = pages()
        self.published = set()  # files of the tree that are files of the site
        self.references = {}  # {language: address, below lookup/}

    def publish(self, file):
        """The address of another file of the tree."""
        address = "files/" + file + (".txt" if file.endswith(".md") else "")
        if file not in self.published:
            self.published.add(file)
            target = os.path.join(self.folder, "extra", address)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(ROOT, file), target)
        return address

    def link(self, match, file, address):
        mark, text, target = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group()
        up = "../" * address.count("/")
        path, _, part = target.partition("#")
        if not path:  # an id that is not a heading's has to be HTML
            return match.group() if self.has_heading(file, part) else '<a href="#%s">%s</a>' % (part, text)
        wanted = os.path.normpath(os.path.join(os.path.dirname(file), path)).replace(os.sep, "/")
        if wanted == CONVERTER:
            return '<a href="%sconvert/index.html">%s</a>' % (up, text) if self.converter else text
        if os.path.isdir(os.path.join(ROOT, wanted)):
            wanted += "/README.md"
            if not os.path.exists(os.path.join(ROOT, wanted)):
                return text  # a folder of code
        if wanted == "README.md":
            wanted = GUIDES + "README.md" if not part else "bindings/README.md"
            part = ""
        if wanted in self.files:
            return "%s[%s](%s%s.md%s)" % (mark, text, up, self.files[wanted], "#" + part if part else "")
        if not os.path.isfile(os.path.join(ROOT, wanted)):
            sys.exit("%s: there is no %s" % (file, target))
        if mark:
            shutil.copy(os.path.join(ROOT, wanted), os.path.join(self.folder, os.path.dirname(address), os.path.basename(wanted)))
            return "%s[%s](%s)" % (mark, text, os.path.basename(wanted))
        inner = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
        return '<a href="%s%s">%s</a>' % (up, self.publish(wanted), inner)

    def has_heading(self, file, part):
        with open(os.path.join(ROOT, file), encoding="utf-8") as f:
            headings = re.findall(r"^#+ (.+)$", f.read(), re.M)
        return part in {re.sub(r"[^\w -]", "", h.replace("`", "")).strip().lower().replace(" ", "-") for h in headings}

    def convert(self, text, file, address):
        text = ALERT.sub(lambda m: ":::{%s}\n%s:::\n" % (m.group(1).lower(), re.sub(r"^> ?", "", m.group(2), flags=re.M)), text)
        text = REASON.sub(lambda m: "{0}```{1}\n{4}{0}```\n\n{0}{{.not-run}}\n{0}{2}: {3}.\n".format(
            m.group(1), m.group(2), "How it is tested" if m.group(3).startswith("not run here") else "Not tested",
            m.group(3).split(": ", 1)[1].rstrip("."), m.group(4)), text)
        if not self.converter:
            text = CONVERTER_HERE.sub("", text)
        text = index(text)
        lines, inside = text.split("\n"), False
        for i, line in enumerate(lines):
            if FENCE.match(line):
                inside = not inside
            elif not inside and not line.startswith("    "):
                lines[i] = LINK.sub(lambda m: self.link(m, file, address), line)
        return "\n".join(lines)

    def refer(self, text, address):
        """The page of a language, with a link to its reference in its last section."""
        there = self.references.get(address.split("/")[-1]) if address.startswith("lookup/") else None
        if not there:
            return text
        link = "[The reference](%s)" % there if there.endswith(".md") else '<a href="../reference/%s">The reference</a>' % there
        assert "\n## Reference\n" in text, address
        return text.replace("\n## Reference\n", "\n## Reference\n\n%s has every public name, with its comment.\n" % link)

    def write(self, tool):
        for part in {os.path.dirname(a) for a in self.files.values()} | {"extra"}:
            os.makedirs(os.path.join(self.folder, part), exist_ok=True)
        build = os.path.dirname(os.path.dirname(tool))
        self.references = references.make(build, os.path.join(self.folder, "lookup"), os.path.join(self.folder, "extra", "reference"))
        for page in sorted({a for a in self.references.values() if a.endswith(".md")}):
            self.parts["Look up"].append("lookup/" + page[:-3])
        for file, address in self.files.items():
            if file == "ops/SUPPORT.md":
                continue
            with open(os.path.join(ROOT, file), encoding="utf-8") as f:
                text = self.refer(self.convert(f.read(), file, address), address)
            if address == "index":
                text += "".join("\n```{toctree}\n:hidden:\n:caption: %s\n\n%s\n```\n" % (c, "\n".join(a)) for c, a in self.parts.items())
            with open(os.path.join(self.folder, address + ".md"), "w", encoding="utf-8") as f:
                f.write(text)
        entries = operators.write(tool, os.path.join(self.folder, "lookup"))
        os.makedirs(os.path.join(self.folder, "extra", "lookup"), exist_ok=True)
        os.replace(os.path.join(self.folder, "lookup", "operators.json"), os.path.join(self.folder, "extra", "lookup", "operators.json"))
        return entries


def main():
    tool, folder = sys.argv[1:3]
    shutil.rmtree(folder, ignore_errors=True)
    stage = Stage(folder, "--converter" in sys.argv[3:])
    stage.write(tool)
    path = os.path.join(folder, "lookup", "operators.md")
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("[operators.json](operators.json)", '<a href="operators.json">operators.json</a>')
    with open(path, "w", encoding="utf-8") as f:
        f.write(index(text))
    print("%d pages, %d files, references of %s" % (len(stage.files), len(stage.published), ", ".join(sorted(stage.references))))


if __name__ == "__main__":
    main()
