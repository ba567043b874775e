"""The library and the program have what the build's flags promise (SECURITY.md): the marks that the linker leaves in a file, and the
functions of the C library that the compiler calls.

    python3 hardened.py LIBRARY PROGRAM FLAG...
"""
import re
import subprocess
import sys

CALLS = {"-fstack-protector-strong": r"__stack_chk_fail", "-D_FORTIFY_SOURCE=3": r"__(memcpy|snprintf|vsnprintf|memmove|memset)_chk",
         "-D_FORTIFY_SOURCE=2": r"__(memcpy|snprintf|vsnprintf|memmove|memset)_chk"}


def readelf(file, option):
    return subprocess.run(["readelf", "-W", option, file], check=True, capture_output=True, text=True).stdout


def failures(file, flags):
    dynamic, headers, names = (readelf(file, option) for option in ("-d", "-l", "--dyn-syms"))
    if not re.search(r"BIND_NOW|FLAGS_1.*NOW", dynamic):
        yield "binds names late"
    if "TEXTREL" in dynamic:
        yield "has relocations in its code"
    if "GNU_RELRO" not in headers:
        yield "has relocations that stay writable"
    if re.search(r"(GNU_STACK|LOAD) .*(RWE|W E)", headers):
        yield "has memory that can be written and executed"
    for flag in flags:
        if flag in CALLS and not re.search(r"UND " + CALLS[flag], names):
            yield "calls nothing that %s brings" % flag


def main():
    found = ["%s %s" % (file, failure) for file in sys.argv[1:3] for failure in failures(file, sys.argv[3:])]
    print("\n".join(found) or "hardened by %s" % " ".join(sys.argv[3:]))
    return 1 if found else 0


sys.exit(main())
