"""Follows "First program" of each language's README.md as a new user does: an empty folder, the files and the commands of the section.

    python3 bindings/first_steps.py BUILD [LANGUAGE...]        # as their folders are called: cpp rust

In the section a block of code is a file if the line before it ends in the file's name in backquotes and a colon; blocks of sh are commands
for bash. MX2ONNX is the checkout; the library is the one of the build, found as an installed one would be. A net is in the folder.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST = "First program"
LANGUAGES = {  # the README.md, the heading of the section, the programs that it takes
    "c": ("README.md", "C", ["cc", "pkg-config"]),
    "cpp": ("cpp/README.md", FIRST, ["c++", "pkg-config"]),
    "rust": ("rust/mx2onnx/README.md", FIRST, ["cargo", "pkg-config"]),
    "go": ("go/README.md", FIRST, ["go", "pkg-config"]),
    "node": ("node/README.md", FIRST, ["node", "npm"]),
    "java": ("java/README.md", FIRST, ["mvn", "javac"]),
    "csharp": ("csharp/README.md", FIRST, ["mcs", "mono"]),
    "python": ("python/README.md", FIRST, ["python3"]),
}
# The mean of each channel: an input, no parameters, 4 dimensions.
NET = {
    "nodes": [
        {"op": "null", "name": "data", "inputs": []},
        {"op": "Pooling", "name": "pool", "inputs": [[0, 0, 0]], "attrs": {"global_pool": "True", "pool_type": "avg", "kernel": "(1, 1)"}},
    ],
    "arg_nodes": [0],
    "heads": [[1, 0, 0]],
    "attrs": {"mxnet_version": ["int", 10901]},
}
TABLES = ("README.md", "examples/guides/start/install.md")
LIMIT = 3600  # seconds a language, for machines that are busy


def blocks_of(language):
    """[(file or None, text)] of its section."""
    file, heading, _ = LANGUAGES[language]
    with open(os.path.join(HERE, file), encoding="utf-8") as f:
        text = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % heading, f.read(), re.M | re.S).group(1)
    blocks = re.findall(r"([^\n]*)\n\n```(\w+)([^\n]*)\n(.*?)^```$", text, re.M | re.S)
    return [(name_in(before), block) for before, kind, reason, block in blocks if name_in(before) or kind == "sh" and "first_steps" in reason]


def name_in(line):
    match = re.search(r"`([\w./]+)`:$", line)
    return match.group(1) if match else None


def newest_java():
    """The folder of a JDK of 22 or newer, which the package needs; None if there is none."""
    for home in filter(None, [os.environ.get("JAVA_HOME"), *sorted(glob.glob("/usr/lib/jvm/*"))]):
        try:
            version = subprocess.run([home + "/bin/javac", "-version"], capture_output=True, text=True).stdout
        except OSError:
            continue
        if int((re.findall(r"javac (\d+)", version) or ["0"])[0]) >= 22:
            return home
    return None


def environment(language, env):
    env = dict(env, MX2ONNX=os.path.dirname(HERE))
    env["CARGO_TARGET_DIR"] = os.path.join(env["MX2ONNX_BUILD"], "rust-first")
    env["CPLUS_INCLUDE_PATH"] = os.path.join(HERE, "cpp")  # an installed mx2onnx.hpp is next to mx2onnx.h
    if language == "java":
        env.update(JAVA_HOME=newest_java(), PATH=newest_java() + "/bin" + os.pathsep + env["PATH"])
    return env


def lacks(language):
    """What the language's section needs and is not installed."""
    missing = [tool for tool in LANGUAGES[language][2] if not shutil.which(tool)]
    return missing + (["a JDK of 22"] if language == "java" and not newest_java() else [])


def run(language, env):
    """What went wrong, or ""."""
    blocks = blocks_of(language)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "net-symbol.json"), "w", encoding="utf-8") as f:
            json.dump(NET, f)
        for name, text in blocks:
            if name:
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
        commands = "set -e\n" + "".join(text for name, text in blocks if not name)
        done = subprocess.run(["bash", "-c", commands], cwd=folder, env=environment(language, env), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, text=True)
        written = os.path.join(folder, "net.onnx")
        if done.returncode or not os.path.exists(written):
            return "%s\n%s\nends with %d" % (commands, done.stdout, done.returncode)
        with open(written, "rb") as f:
            return "" if b"batch" in f.read() else "net.onnx has no dim called batch"


def unlike_pages():
    """Commands of the tables for all languages that no page's first program has. .NET is not run: mono compiles the sources."""
    followed = "".join(text for language in LANGUAGES for name, text in blocks_of(language) if not name).replace(" -q", "")
    for file in TABLES:
        with open(os.path.join(HERE, os.pardir, file), encoding="utf-8") as f:
            rows = [line for line in f if re.match(r"\| [^|]+ \| `.*\| \[.*README.md\)", line)]
        for command in re.findall(r"`([^`]*)`", "".join(row.split("|")[2] for row in rows)):
            if "find_package" not in command and not command.startswith(("dotnet ", "bash ")) and command.replace(" -q", "") not in followed:
                yield "%s has `%s`, which is in no first program" % (file, command)
        if len(rows) < 7:
            yield "%s has commands for %d languages" % (file, len(rows))


def main():
    import test

    if len(sys.argv) < 2:
        sys.exit(__doc__)
    env = test.environment(os.path.abspath(sys.argv[1]))
    unlike = list(unlike_pages())
    print("".join(line + "\n" for line in unlike), end="")
    failed = len(unlike)
    for language in sys.argv[2:] or LANGUAGES:
        missing = lacks(language)
        wrong = "" if missing else run(language, env)
        failed += bool(wrong)
        print("%-8s %s" % (language, "SKIPPED: no " + missing[0] if missing else wrong or "follows its section"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
