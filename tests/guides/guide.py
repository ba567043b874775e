# SPDX-License-Identifier: Apache-2.0
"""A page of Markdown as a list of what is in it to run.

Fenced blocks that begin with ``console`` hold commands after "$ " (a backslash continues one) and below each what it prints, where
"..." is anything; an empty one prints anything. Those that begin with ``python`` are programs. A command that is not run, since it
needs what is not everywhere, is in a block whose first line gives a reason: ``sh not run: needs a GPU``.
"""
import os
import re
import shlex
import subprocess

FENCE = re.compile(r"^( *)```(.*?)\n(.*?)^\1```$", re.M | re.S)
REASON = re.compile(r"not run(?: here)?: \S+ \S+")
SHOWN = {"c", "cpp", "csharp", "rust", "go", "js", "java", "json", "diff", "text", "toml", "xml", "meson", "cmake", "protobuf", "nginx", "ini",
         "dockerfile"}


class Command:
    def __init__(self, text, expected, python):
        self.text, self.expected, self.python = text, expected.strip("\n"), python

    @property
    def fails(self):
        return self.expected.startswith("mx2onnx: ")

    def run(self, folder, environment, seconds=3600):
        """The status, what was printed, and errors: those of mx2onnx are printed, too; runtimes report what they like there."""
        command = ["python", "-"] if self.python else ["bash", "-euo", "pipefail", "-c", self.text]
        ours = self.text.startswith("mx2onnx ")
        done = subprocess.run(command, cwd=folder, env=environment, input=self.text if self.python else "", text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT if ours else subprocess.PIPE, timeout=seconds)
        return done.returncode, done.stdout, done.stderr or ""


def commands(block):
    """[Command] of a console block."""
    found, lines = [], block.split("\n")
    while lines:
        line = lines.pop(0)
        assert line.startswith("$ ") or not line.strip(), "no command: " + line
        if not line.strip():
            continue
        text = line[2:]
        while text.endswith("\\"):
            text += "\n" + lines.pop(0)
        expected = []
        while lines and not lines[0].startswith("$ "):
            expected.append(lines.pop(0))
        found.append(Command(text, "\n".join(expected), False))
    return found


def read(path):
    """[Command], and what is wrong with other blocks: no language, or a program that is not run without a reason."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found, wrong = [], []
    for indent, kind, block in FENCE.findall(text):
        block = re.sub("^" + indent, "", block, flags=re.M)
        if kind == "console":
            found += commands(block)
        elif kind == "python":
            found.append(Command(block, "", True))
        elif not REASON.search(kind) and kind not in SHOWN:
            wrong.append(kind or "a block without a language")
    return found, wrong


def agree(expected, printed):
    """Is this what was printed, if "..." stands for any text and blanks at the ends of lines do not count?"""
    def tidy(text):
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    pattern = re.escape(tidy(expected)).replace(re.escape("..."), ".*?")
    return not expected or re.fullmatch(pattern, tidy(printed), re.S) is not None


def environment(folder, python, tool, **more):
    """PATH with `python` and `mx2onnx` in it, which are these."""
    binaries = os.path.join(folder, ".bin")
    os.makedirs(binaries, exist_ok=True)
    for name, path in ("python", python), ("mx2onnx", tool):
        with open(os.path.join(binaries, name), "w") as f:
            f.write('#!/bin/sh\nexec %s "$@"\n' % shlex.quote(os.path.abspath(path)))
        os.chmod(f.name, 0o755)
    return dict(os.environ, PATH=binaries + os.pathsep + os.environ["PATH"], NO_COLOR="1", **more)
