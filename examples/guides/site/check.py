# SPDX-License-Identifier: Apache-2.0
"""Is the site whole, and does it need nothing from elsewhere?

    python3 check.py SITE

Every link and file of every page is there, down to the id in it (references that a language's tool made have scripts that make ids);
scripts, styles and pictures are the site's own. Each reference is linked from a page of the site. The search lists the page that answers
each question of tests/guides/questions.tsv among the first, and the filters of the operators' page show what they should, where Chromium
is installed. The converter's page, if it is there, has a link back. Prints the site's size.
"""
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

GUIDES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "guides")
sys.path.insert(0, GUIDES)

import filters  # noqa: E402

FIRST = 3  # pages that a reader looks at
MOST = 12 << 20  # bytes, without the converter
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(v for k, v in attrs.items() if k in ("id", "name") and v)
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if tag in LOADED and attrs.get(LOADED[tag]):
            self.loaded.append(attrs[LOADED[tag]])


def missed(site):
    """Questions whose page the search does not list among the first, by the site's own scripts, which node runs."""
    with open(os.path.join(GUIDES, "questions.tsv"), encoding="utf-8") as f:
        questions = [line.rstrip("\n").split("\t") for line in f]
    if not shutil.which("node"):
        print("The search is not tried: Node.js is not installed")
        return
    asked = "\n".join(question for question, _ in questions)
    found = subprocess.run(["node", os.path.join(GUIDES, "search.mjs"), site, str(FIRST)], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    for (question, wanted), line in zip(questions, found.stdout.split("\n")):
        if wanted not in line.split():
            yield "the search for '%s' lists %s, and not %s" % (question, line or "nothing", wanted)


def main():
    site = os.path.abspath(sys.argv[1])
    pages, wrong, size, count = {}, [], 0, 0
    for folder, folders, files in os.walk(site):
        folders[:] = [f for f in folders if os.path.join(folder, f) != os.path.join(site, "convert")]
        for name in files:
            path = os.path.join(folder, name)
            size += os.path.getsize(path)
            if name.endswith(".html") and not os.path.relpath(path, site).startswith("files"):
                pages[path] = Page(path)
    for path, page in pages.items():
        where = os.path.relpath(path, site)
        for url in page.links + page.loaded:
            parts = urlsplit(url)
            count += 1
            if parts.scheme in ("data", "mailto"):
                continue
            if parts.scheme or parts.netloc:
                if url in page.loaded:
                    wrong.append("%s loads %s" % (where, url))
                continue
            if url.startswith("/"):
                wrong.append("%s: %s does not work below another path" % (where, url))
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            if not os.path.isfile(target):
                wrong.append("%s: there is no %s" % (where, url))
            elif parts.fragment and target in pages and not where.startswith("reference/") and unquote(parts.fragment) not in pages[target].ids:
                wrong.append("%s: %s has no such place" % (where, url))
    linked = {os.path.normpath(os.path.join(os.path.dirname(p), urlsplit(u).path)) for p, page in pages.items()
              if not os.path.relpath(p, site).startswith("reference") for u in page.links}
    folders = os.listdir(os.path.join(site, "reference")) if os.path.isdir(os.path.join(site, "reference")) else []
    wrong += ["no page links to reference/" + n for n in folders if not any(p.startswith(os.path.join(site, "reference", n) + os.sep) for p in linked)]
    converter = os.path.join(site, "convert", "index.html")
    if os.path.exists(converter) and "../index.html" not in Page(converter).links:
        wrong.append("convert/index.html has no link back to the site")
    wrong += missed(site)
    wrong += filters.wrong(site)
    if size > MOST:
        wrong.append("the site has %.1f MB, more than %.0f" % (size / 1e6, MOST / 1e6))
    print("\n".join(sorted(set(wrong))))
    print("%d pages, %d links, %.1f MB" % (len(pages), count, size / 1e6))
    return 1 if wrong or len(pages) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
