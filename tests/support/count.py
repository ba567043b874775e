"""Adds up JUnit files: what failed, what was skipped and why, and last "N passed, N failed, N skipped". Nothing passed counts as a failure;
with --strict, what was skipped does too.

    python3 count.py [--strict] FILE.xml...
"""
import sys
import xml.etree.ElementTree as ElementTree


def reason(case, skip):
    """pytest and the project's scripts have it as an attribute, meson as the last line of what the test printed."""
    printed = (case.findtext("system-out") or "").strip().split("\n")
    return skip.get("message") or printed[-1] or "no reason was given"


def name(case):
    return ("%s.%s" % (case.get("classname", ""), case.get("name"))).lstrip(".")


def main():
    strict = sys.argv[1] == "--strict"
    passed = failed = 0
    skipped = []
    for path in sys.argv[1 + strict:]:
        cases = list(ElementTree.parse(path).iter("testcase"))
        for case in cases:
            skip = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                print("FAILED: %s" % name(case))
            elif skip is not None:
                skipped.append("%s: %s" % (name(case), reason(case, skip)))
            else:
                passed += 1
        if not cases:
            print("%s holds no test" % path)
            failed += 1
    for line in skipped:
        print("%s: %s" % ("FAILED, since it was skipped" if strict else "NOT TESTED", line))
    if strict:
        failed, skipped = failed + len(skipped), []
    print("%d passed, %d failed, %d skipped" % (passed, failed, len(skipped)))
    return 0 if passed and not failed else 1


sys.exit(main())
