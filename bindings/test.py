"""Tests every language that is installed, with the shared cases.

    python3 bindings/test.py BUILD [LANGUAGE...]

A language is a folder with a test.sh, which prints "N passed, M failed" and ends with 0, or with 77 and a reason where what it
needs is not installed. That is a skip, and said loudly; MX2ONNX_REQUIRE="rust go" makes the skip of these a failure ("all" of any).
The scripts find in their environment the library (MX2ONNX_LIBRARY), the build folder (MX2ONNX_BUILD) and, for pkg-config and the
linker and the loader, PKG_CONFIG_PATH, LIBRARY_PATH and LD_LIBRARY_PATH. After its tests the first steps of README.md are followed
(first_steps.py), which count as one more. MX2ONNX_JUNIT names a file for the results.
"""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import first_steps

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 3600  # seconds a language, for machines that are busy


def languages():
    return ["c"] + [n for n in sorted(os.listdir(HERE)) if os.path.exists(os.path.join(HERE, n, "test.sh"))]


def environment(build):
    env = dict(os.environ, MX2ONNX_BUILD=build, MX2ONNX_LIBRARY=os.path.join(build, "lib", "libmx2onnx.so"))
    for name, folder in (("PKG_CONFIG_PATH", "meson-uninstalled"), ("LIBRARY_PATH", "lib"), ("LD_LIBRARY_PATH", "lib")):
        env[name] = os.pathsep.join(filter(None, [os.path.join(build, folder), env.get(name)]))
    return env


def run(language, env):
    """passed, failed, skipped ("" or the reason), output"""
    passed, failed, skipped, output = run_tests(language, env) if language != "c" else (0, 0, "", "")
    if skipped or language not in first_steps.LANGUAGES:
        return passed, failed, skipped, output
    missing = first_steps.lacks(language)
    if missing:
        return passed, failed + bool(passed), "" if passed else "no " + missing[0], output + "\nno " + missing[0]
    try:
        wrong = first_steps.run(language, env)
    except subprocess.TimeoutExpired:
        wrong = "no end after %d s" % first_steps.LIMIT
    return passed + (not wrong), failed + bool(wrong), "", output + ("\nthe first program of README.md: " + wrong if wrong else "")


def run_tests(language, env):
    command = ["bash", os.path.join(HERE, language, "test.sh")]
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return 0, 1, "", (late.stdout or b"").decode("utf-8", "replace") + "\nno end after %d s" % LIMIT
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode == 77:
        return 0, 0, output.strip().splitlines()[-1] if output.strip() else "no reason given", output
    counts = re.findall(r"(\d+) passed, (\d+) failed", output)
    passed, failed = (sum(int(c[i]) for c in counts) for i in (0, 1))
    if done.returncode or not passed:
        failed = max(failed, 1)
    return passed, failed, "", output


def write_junit(path, results):
    """results: (language, passed, failed, reason of a skip, output)"""
    root = ElementTree.Element("testsuites")
    for language, passed, failed, skipped, output in results:
        suite = ElementTree.SubElement(root, "testsuite", name=language)
        for i in range(passed + failed + bool(skipped)):
            case = ElementTree.SubElement(suite, "testcase", classname="bindings." + language, name=str(i + 1))
            if skipped:
                ElementTree.SubElement(case, "skipped", message=skipped)
            elif i >= passed:
                ElementTree.SubElement(case, "failure", message="see the output").text = re.sub(r"[^\t\n\x20-\ufffd]", "?", output)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    env = environment(os.path.abspath(sys.argv[1]))
    required = os.environ.get("MX2ONNX_REQUIRE", "").split()
    wanted = sys.argv[2:] or languages()
    total, bad, skips, results = 0, 0, [], []
    for language in wanted:
        start = time.time()
        passed, failed, skipped, output = run(language, env)
        if skipped and (language in required or "all" in required):
            failed, output, skipped = 1, "skipped, but required: " + skipped, ""
        elif skipped:
            skips.append("%s: %s" % (language, skipped))
        if failed:
            print(output)
        print("%-8s %d passed, %d failed%s, %.1f s" % (language, passed, failed, ", SKIPPED: " + skipped if skipped else "", time.time() - start))
        sys.stdout.flush()
        total, bad = total + passed, bad + failed
        results.append((language, passed, failed, skipped, output))
    if os.environ.get("MX2ONNX_JUNIT"):
        write_junit(os.environ["MX2ONNX_JUNIT"], results)
    for name in required:
        if name not in wanted and name != "all" and not sys.argv[2:]:
            print("%s is required, but has no test.sh" % name)
            bad += 1
    for skip in skips:
        print("*** NOT TESTED: " + skip)
    print("%d languages: %d passed, %d failed, %d skipped" % (len(wanted), total, bad, len(skips)))
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
