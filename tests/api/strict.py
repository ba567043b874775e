"""unittest.main, which fails where a test was skipped and CI=true says that nothing may be."""
import os
import sys
import unittest


def main():
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    skipped = [] if os.environ.get("CI") != "true" else ["%s is skipped: %s" % (test.id(), why) for test, why in result.skipped]
    sys.exit("\n".join(skipped) or not result.wasSuccessful())
