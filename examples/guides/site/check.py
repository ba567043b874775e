# SPDX-License-Identifier: Apache-2.0
"""Is the site whole, and does it need nothing from elsewhere?

    python check.py SITE        with the Python of Sphinx's environment

Every link and file of every page is there, down to the id in it (references that a language's tool made have scripts that make ids);
scripts, styles and pictures are the site's own. Each reference is linked from a page of the site. The search finds the page that answers each question of tests/guides/questions.tsv. Prints the site's size.
"""
import json
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

QUESTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "guides", "questions.tsv")
SMALL = {"and", "the", "for", "has", "into", "not", "with", "no", "only", "what", "which", "this"}  # words that the search leaves out
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
    """Questions whose page the search does not find: it wants every word, in the page or in its title, whole or as a part."""
    import snowballstemmer

    stem = snowballstemmer.stemmer("english").stemWord
    with open(os.path.join(site, "searchindex.js"), encoding="utf-8") as f:
        index = json.loads(re.search(r"Search\.setIndex\((.*)\)", f.read(), re.S).group(1))
    places = {}
    for terms in index["terms"], index["titleterms"]:
        for term, pages in terms.items():
            places.setdefault(term, set()).update([pages] if isinstance(pages, int) else pages)
    with open(QUESTIONS, encoding="utf-8") as f:
        questions = [line.rstrip("\n").split("\t") for line in f]
    for question, wanted in questions:
        words = [w for w in re.split(r"[^\w]+", question.lower()) if w]
        if wanted not in index["docnames"]:
            yield "%s is to answer '%s' and is not there" % (wanted, question)
            continue
        page = index["docnames"].index(wanted)
        lost = [w for w in words if len(w) > 2 and not w.isdigit() and w not in SMALL and not any(page in places[t] for t in places if t == stem(w) or w in t)]
        if lost:
            yield "the search for '%s' misses %s: %s" % (question, wanted, ", ".join(lost))


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
    wrong += missed(site)
    if size > MOST:
        wrong.append("the site has %.1f MB, more than %.0f" % (size / 1e6, MOST / 1e6))
    print("\n".join(sorted(set(wrong))))
    print("%d pages, %d links, %.1f MB" % (len(pages), count, size / 1e6))
    return 1 if wrong or len(pages) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
