# SPDX-License-Identifier: Apache-2.0
"""A file of offences that are allowed, which only shrinks: FILE<tab>RULE<tab>COUNT. For tests/guides/style.py."""
import sys


def load(path):
    """{(file, rule): count}, or None where there is no such file."""
    try:
        with open(path, encoding="utf-8") as f:
            return {tuple(line.split("\t")[:2]): int(line.split("\t")[2]) for line in f.read().splitlines()}
    except FileNotFoundError:
        return None


def rebase(path, counts):
    """Fewer are written, never more."""
    known = load(path)
    kept = {k: n if known is None else min(n, known.get(k, 0)) for k, n in counts.items()}
    with open(path, "w", encoding="utf-8") as f:
        f.writelines("%s\t%s\t%d\n" % (*k, n) for k, n in sorted(kept.items()) if n)


def check(path, counts, script, words):
    """True if no file has more offences of a rule than are allowed; prints where it has more or fewer. words: {rule: what is written instead}"""
    known, good = load(path) or {}, True
    for key in sorted(set(counts) | set(known)):
        now, allowed = counts.get(key, 0), known.get(key, 0)
        if now > allowed:
            good = False
            print("%s: %s: %d, not more than %d (%s %s)" % (*key, now, allowed, script, key[0]))
            if key[1] in words:
                print("    write " + words[key[1]])
        elif now < allowed:
            print("%s: %s: %d, and %d are allowed: run %s --rebase" % (*key, now, allowed, script))
    return good


def main(path, script, unit, files, offences, words):
    """The command line of both. offences(file): (rule, what), ...; words: {rule: (pattern, what is written instead)}"""
    chosen = [a for a in sys.argv[1:] if a != "--rebase"]
    for file in chosen:
        for rule, what in offences(file):
            print("%s: %s: %s" % (file, rule, what))
    if chosen:
        return 0
    files, counts = list(files), {}
    for file in files:
        for rule, _ in offences(file):
            counts[file, rule] = counts.get((file, rule), 0) + 1
    if "--rebase" in sys.argv[1:]:
        rebase(path, counts)
    good = check(path, counts, script, {rule: instead for rule, (_, instead) in words.items()})
    print("%d offences, %d %s" % (sum(counts.values()), len(files), unit))
    return 0 if good else 1
