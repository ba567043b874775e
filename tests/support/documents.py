# SPDX-License-Identifier: Apache-2.0
"""Tables that scripts put into documents, between two lines that are there once each."""
import json


def load(path):
    """Results; none where there is no file yet."""
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def save(path, results):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(results, f, indent=1, sort_keys=True)
        f.write("\n")


def with_table(path, begin, end, lines):
    """The text of the document with these lines."""
    with open(path, encoding="utf-8") as f:
        before, rest = f.read().split(begin)
    return before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def is_text(path, text, command):
    """Does the file hold the text? If not, the command is shown that renews it."""
    with open(path, encoding="utf-8") as f:
        same = f.read() == text
    if not same:
        print("%s is not what the results say: %s" % (path, command))
    return same
