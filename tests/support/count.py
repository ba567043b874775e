"""Adds up JUnit files; the last line is "N passed, N failed". Nothing passed counts as a failure.

    python3 count.py FILE.xml...
"""
import sys
import xml.etree.ElementTree as ElementTree


def main():
    passed = failed = skipped = 0
    for path in sys.argv[1:]:
        cases = list(ElementTree.parse(path).iter("testcase"))
        for case in cases:
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
        if not cases:
            print("%s holds no test" % path)
            failed += 1
    if skipped:
        print("%d skipped" % skipped)
    print("%d passed, %d failed" % (passed, failed))
    return 0 if passed and not failed else 1


sys.exit(main())
