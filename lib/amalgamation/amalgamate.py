"""Writes the library as one file, mx2onnx.c, and copies the header next to it.

    python3 amalgamate.py OUTPUT-FOLDER VERSION COMPILER... -- SOURCE.c...

What is used of nanopb comes along, from the folder of subprojects/nanopb.wrap, where meson fetches it if it is not there, or
from the folder that NANOPB_SOURCES names; its names become ours, so that a program may use its own nanopb. uthash comes along, too.

Private names get their file's name as a suffix, so that they differ from those of other files and of any system's headers, which all
files see now. That is done on tokens: members of structures keep their names, so an identifier stays after '.' and '->' and where
a structure declares it.
"""
import configparser
import glob
import os
import re
import subprocess
import sys

LIB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(LIB)
WRAP = configparser.ConfigParser()
WRAP.read(os.path.join(ROOT, "subprojects", "nanopb.wrap"))
NANOPB = os.environ.get("NANOPB_SOURCES") or os.path.join(ROOT, "subprojects", WRAP["wrap-file"]["directory"])
TOKEN = re.compile(r"""(?P<skip>/\*.*?\*/|//[^\n]*|\s+)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
                   r"""|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<mark>->|\.\.\.|\#\#|.)""", re.S)
OURS = re.compile(r"(mx|ox|mx2onnx)_", re.I)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">].*$')
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*", re.M)
# What a system has for the files; the amalgamation has them all.
SYSTEMS = {"io_os_windows.c": "defined(_WIN32)", "io_os_none.c": "defined(__wasm__)",
           "io_os.c": "!defined(_WIN32) && !defined(__wasm__)"}
HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * libmx2onnx %(version)s as one file, made by lib/amalgamation. mx2onnx.h is next to it. Compile as C11 and link to
 * jansson, libzip and the system's mathematics:
 *
 *     cc -std=c11 -O2 -c mx2onnx.c
 *
 * -DMX2ONNX_ZIP=0   no zip archives and .npz files, and no need of libzip
 * -DMX2ONNX_TAR=1   tar archives: libarchive's headers are needed here, libarchive when the first archive is read
 *
 * Two libraries are in here: uthash, with its licence above it, and what is used of nanopb, altered in its names:
 *
%(nanopb)s
 */
#if defined(_WIN32)
#if !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1
#endif
#if !defined(_WIN32_WINNT)
#define _WIN32_WINNT 0x0602
#endif
#else
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#if !defined(_FILE_OFFSET_BITS)
#define _FILE_OFFSET_BITS 64
#endif
#endif
#if !defined(MX2ONNX_ZIP)
#define MX2ONNX_ZIP 1
#endif
#if !defined(MX2ONNX_TAR)
#define MX2ONNX_TAR 0
#endif
#if !defined(MX2ONNX_LIBARCHIVE)
#if defined(_WIN32)
#define MX2ONNX_LIBARCHIVE "libarchive-13.dll"
#elif defined(__APPLE__)
#define MX2ONNX_LIBARCHIVE "libarchive.13.dylib"
#else
#define MX2ONNX_LIBARCHIVE "libarchive.so.13"
#endif
#endif
#if !defined(MX2ONNX_BUILD)
#define MX2ONNX_BUILD
#endif
#include "mx2onnx.h"
"""
# Only the header's functions are seen outside a shared library; the system's headers are of other libraries.
HIDDEN = """#if defined(__GNUC__) && !defined(_WIN32)
#pragma GCC visibility push(hidden)
#endif
"""
SHOWN = HIDDEN.replace("push(hidden)", "pop")
# Functions of operators have one form, whether they use all of it or not.
QUIET = """#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
"""
LOUD = """#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def fetch_nanopb():
    if not os.path.exists(os.path.join(NANOPB, "pb_encode.c")) and "NANOPB_SOURCES" not in os.environ:
        subprocess.run(["meson", "subprojects", "download", "--sourcedir", ROOT, "nanopb"], stdout=subprocess.DEVNULL)
    if not os.path.exists(os.path.join(NANOPB, "pb_encode.c")):
        sys.exit("nanopb's sources cannot be fetched: put them into %s, or name their folder in NANOPB_SOURCES" % NANOPB)


def with_nanopb_ours(text):
    """nanopb's functions become mx_pb_..., what its generator makes mx_onnx_..."""
    headers = "".join(read(os.path.join(NANOPB, name)) for name in ("pb.h", "pb_common.h", "pb_encode.h"))
    functions = set(re.findall(r"^[a-z][\w ]* (pb_\w+)\(", headers, re.M))
    return re.sub(r"\b(%s|onnx_(?=[A-Z])\w+)\b" % "|".join(sorted(functions)), r"mx_\1", text)


def tokens(text):
    """[kind, text] of everything, so that the texts joined are the text."""
    return [[m.lastgroup, m.group()] for m in TOKEN.finditer(text)]


def outline(text):
    """What is at file scope, as statements of tokens: a body in braces is one token that holds its tokens."""
    stack = [[]]
    for kind, word in tokens(DIRECTIVE.sub("", text)):
        if kind == "skip":
            continue
        if word == "{":
            stack.append([])
        elif word == "}":
            body = stack.pop()
            stack[-1].append(body)
        else:
            stack[-1].append(word)
    statement, statements = [], []
    for word in stack[0]:
        statement.append(word)
        ends_function = isinstance(word, list) and len(statement) > 1 and statement[-2] == ")"
        if word == ";" or ends_function:
            statements.append(statement)
            statement = []
    return statements


def is_name(word):
    return isinstance(word, str) and re.fullmatch(r"[A-Za-z_]\w*", word) is not None


def tags_of(words):
    """Tags and enumerators that are defined in the words, also inside bodies."""
    found = set()
    for i, word in enumerate(words):
        if not isinstance(word, list):
            continue
        before = words[max(0, i - 2):i]
        if len(before) == 2 and before[0] in ("struct", "union", "enum") and is_name(before[1]):
            found.add(before[1])
        if "enum" in before:
            found |= {w for j, w in enumerate(word) if is_name(w) and (j == 0 or word[j - 1] == ",")}
        else:
            found |= tags_of(word)
    return found


def declared(statement):
    """The names that a statement at file scope declares; of a function's parameters none."""
    found, depth, value = set(), 0, False
    for i, word in enumerate(statement[:-1]):
        value = (value or word == "=") and not (word == "," and depth == 0)
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth -= 1
        follows = statement[i + 1]
        pointer = follows == "(" and statement[i + 2:i + 3] == ["*"]  # word is what the function after it returns
        ends = follows in ("(", "[", "=", ";", ",") and not pointer and not re.fullmatch(r"MX_[A-Z_]+", str(word))
        if depth == 0 and not value and is_name(word) and ends:
            found.add(word)
            if follows == "(":
                break
        if depth == 1 and is_name(word) and statement[i - 2:i] == ["(", "*"] and follows == ")":
            found.add(word)
    return found


def names_of(text):
    """Names at file scope that no other file can see."""
    found = set()
    for statement in outline(text):
        found |= tags_of(statement)
        if "static" in statement or "typedef" in statement:
            found |= declared(statement)
    return found


def in_structures(words):
    """Whether each token is directly inside the braces of a struct or a union."""
    stack, before, result = [False], [], []
    for kind, word in words:
        if word == "}" and len(stack) > 1:
            stack.pop()
        result.append(stack[-1])
        if word == "{":
            stack.append("struct" in before[-2:] or "union" in before[-2:])
        if kind != "skip":
            before = before[-2:] + [word]
    return result


def macros_of(text):
    """{macro: (parameters, tokens of the body)} of the macros with parameters."""
    found = {}
    for directive in DIRECTIVE.findall(text):
        m = re.match(r"\s*#\s*define\s+(\w+)\(([^)]*)\)(.*)", directive, re.S)
        if m:
            body = [w for kind, w in tokens(m.group(3).replace("\\\n", " ")) if kind != "skip"]
            found[m.group(1)] = ([w.strip() for w in m.group(2).split(",")], body)
    return found


def calls(words):
    """(index of a word, macro or function around it, number of the argument that begins or goes on there)."""
    stack, last = [], ""
    for i, word in enumerate(words):
        if word in ("(", "[", "{"):
            stack.append([last if word == "(" else "", 0])
        elif word in (")", "]", "}") and stack:
            stack.pop()
        elif word == "," and stack:
            stack[-1][1] += 1
        yield i, [tuple(s) for s in stack]
        last = word


def literal_arguments(macros):
    """{(macro, number)}: arguments that are a member's name, or become a part of a name or of a text."""
    literal = {("offsetof", 1)}
    while True:
        more = set()
        for macro, (parameters, body) in macros.items():
            for i, around in calls(body):
                word = body[i]
                before, follows = body[i - 1] if i else "", body[i + 1] if i + 1 < len(body) else ""
                if word in parameters and (before in (".", "->", "#", "##") or follows == "##" or literal & set(around)):
                    more.add((macro, parameters.index(word)))
        if more <= literal:
            return literal
        literal |= more


def rename(text, names, suffix, literal):
    words = tokens(text)
    inside = in_structures(words)
    solid = [i for i, (kind, _) in enumerate(words) if kind != "skip"]
    around = [a for _, a in calls([words[i][1] for i in solid])]
    for at, i in enumerate(solid):
        word = words[i][1]
        if words[i][0] != "name" or word not in names:
            continue
        before = words[solid[at - 1]][1] if at > 0 else ""
        follows = words[solid[at + 1]][1] if at + 1 < len(solid) else ""
        member = inside[i] and before not in ("struct", "union", "enum", "[") and follows in (";", ",", ":", "[", ")")
        if before not in (".", "->") and not member and not literal & set(around[at]):
            words[i] = ["name", word + suffix]
    return "".join(word for _, word in words)


class Amalgamation:
    def __init__(self, compiler, sources):
        self.compiler = compiler
        self.sources = sources
        self.folders = [LIB, os.path.join(ROOT, "ops"), os.path.join(ROOT, "include"), NANOPB] + sorted({os.path.dirname(s) for s in sources})
        self.system, self.seen, self.parts = [], {"mx2onnx.h"}, []
        self.header_text = ""
        self.uthash = read(self.system_header("uthash.h"))

    def system_header(self, name):
        p = subprocess.run([*self.compiler, "-E", "-x", "c", "-"], input="#include <%s>\n" % name, capture_output=True, text=True)
        found = set(re.findall(r'^# \d+ "([^"]*/%s)"' % re.escape(name), p.stdout, re.M))
        (path,) = found or glob.glob(os.path.join(ROOT, "subprojects", "*", "src", name))
        return path

    def find(self, name, beside):
        for folder in [beside, *self.folders]:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        sys.exit("no header " + name)

    def without_includes(self, path, headers):
        """The text of a file; headers that were not met before are added to headers, each after those that it needs."""
        lines, depth, text = [], 0, read(path)
        guard = 1 if path.endswith(".h") else 0
        for line in text.split("\n"):
            if re.match(r"[ \t]*#[ \t]*if", line):
                depth += 1
            elif re.match(r"[ \t]*#[ \t]*endif", line):
                depth -= 1
            m = INCLUDE.match(line)
            if not m:
                lines.append(line)
            elif m.group(2) == "uthash.h":
                lines.append(line)
            elif os.path.exists(os.path.join(NANOPB, m.group(2))):
                self.add_header(m.group(2), NANOPB, headers)
            elif m.group(1) == "<" and (depth > guard or os.path.basename(path) in SYSTEMS):
                lines += ["MX_SHOWN", line, "MX_HIDDEN"]
            elif m.group(1) == "<":
                if line not in self.system:
                    self.system.append(line)
            elif m.group(2).endswith(".inc"):
                lines.append(read(self.find(m.group(2), os.path.dirname(path))))
            else:
                self.add_header(m.group(2), os.path.dirname(path), headers)
        return "\n".join(lines)

    def add_header(self, name, beside, headers):
        path = os.path.abspath(self.find(name, beside))
        if name in self.seen or path in self.seen:
            return
        self.seen.add(path)
        headers.append(self.without_includes(path, headers))

    def run(self):
        files = []
        for path in self.sources:
            headers = []
            text = self.without_includes(path, headers)
            files.append((path, headers, text))
        macros = {}  # those of the project's headers
        for _, headers, text in files:
            macros.update(macros_of("\n".join(headers)))
        # Names of the project's headers begin with OURS: a private one that is there as well is the same, a structure declared before.
        # What a header declares has one name, also where the file of each system defines it.
        told = set(re.findall(r"\b(?:struct|union) (\w+);", "\n".join(h for _, headers, _ in files for h in headers)))
        private = [names_of(text) - told for _, _, text in files]
        count = {}
        for names in private:
            for name in names:
                count[name] = count.get(name, 0) + 1
        out, prefixes = [], set()
        for (path, headers, text), names in zip(files, private):
            prefix = re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
            while prefix in prefixes:
                prefix = os.path.basename(os.path.dirname(path)) + "_" + prefix
            prefixes.add(prefix)
            own = {name for name in names if count[name] > 1 or not OURS.match(name)}
            literal = literal_arguments({**macros, **macros_of(text)})
            out += headers
            out.append(self.wrapped(path, rename(text, own, "_in_" + prefix, literal)))
        text = "\n".join(out).replace("MX_HIDDEN\nMX_SHOWN\n", "")
        text = text.replace("MX_SHOWN\n", SHOWN).replace("MX_HIDDEN\n", HIDDEN)
        return "\n".join(self.system) + "\n" + QUIET + HIDDEN + text + SHOWN + LOUD

    def wrapped(self, path, text):
        system = SYSTEMS.get(os.path.basename(path))
        text = text.replace("#include <uthash.h>", self.uthash)
        ends = "".join("#undef %s\n" % name for name in dict.fromkeys(DEFINE.findall(text))
                       if not name.startswith(("UTHASH", "HASH_", "uthash", "_")))
        text = "/* %s */\n%s\n%s" % (os.path.basename(path), text.strip("\n"), ends)
        return "#if %s\n%s#endif\n" % (system, text) if system else text


def main():
    output, version, *rest = sys.argv[1:]
    split = rest.index("--")
    sources = [s for s in rest[split + 1:] if s.endswith(".c") and os.path.basename(s) not in SYSTEMS]
    sources += [os.path.join(LIB, "base", name) for name in SYSTEMS]
    sources += [os.path.join(NANOPB, name) for name in ("pb_common.c", "pb_encode.c")]
    fetch_nanopb()
    text = Amalgamation(rest[:split], [os.path.abspath(s) for s in sources]).run()
    licence = "\n".join((" *   " + line).rstrip() for line in read(os.path.join(NANOPB, "LICENSE.txt")).strip().split("\n"))
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, "mx2onnx.c"), "w", encoding="utf-8") as f:
        f.write(HEAD % {"version": version, "nanopb": licence} + with_nanopb_ours(text))
    with open(os.path.join(output, "mx2onnx.h"), "w", encoding="utf-8") as f:
        f.write(read(os.path.join(ROOT, "include", "mx2onnx.h")))


main()
