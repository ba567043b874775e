# SPDX-License-Identifier: Apache-2.0
"""Is the site whole, and does it need nothing from elsewhere?

    python3 check.py SITE

Every link and file of every page is there, down to the id in it; scripts, styles and pictures are the site's own. Prints its size.
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

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
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                wrong.append("%s: %s has no such place" % (where, url))
    if size > MOST:
        wrong.append("the site has %.1f MB, more than %.0f" % (size / 1e6, MOST / 1e6))
    print("\n".join(sorted(set(wrong))))
    print("%d pages, %d links, %.1f MB" % (len(pages), count, size / 1e6))
    return 1 if wrong or len(pages) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
