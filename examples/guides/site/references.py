# SPDX-License-Identifier: Apache-2.0
"""Each language's reference, by the tool of the language: Sphinx's autodoc, go doc, mcs, rustdoc, javadoc and TypeDoc; of C++ from the
header itself.

    python3 references.py BUILD FOLDER        the same as stage.py makes, to look at

What a tool writes as text becomes a page of the site; what it writes as HTML is taken as it is. A tool that is not there is left out and
named; one that warns ends the script.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))
BINDINGS = os.path.join(ROOT, "bindings")
MADE = "# Reference of mx2onnx for %s\n\nEvery public name, made by %s from the sources. [mx2onnx for %s](%s.md) has the first steps.\n\n"
WORDS = "\nAlso searched as: %s reference, API documentation, all functions, signatures.\n"


class Missing(Exception):
    """The tool that is not there."""


def run(*command, folder=ROOT, **more):
    """Its standard output; its errors, and its warnings, which the options make errors, end the script."""
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Missing(program)


def block(language, text):
    return "```%s\n%s\n```\n\n" % (language, text.strip("\n"))


# ---- pages of the site


def python_types():
    """{name: (type, its definition)} of the types that arguments may have, which are not in the package's public names."""
    import mx2onnx

    found = {}
    for module in mx2onnx._types, mx2onnx._custom:
        with open(module.__file__, encoding="utf-8") as f:
            text = f.read()
        for name, definition in re.findall(r"^([A-Z]\w*) = ((?:Union|Callable|Sequence)\[.*\])", text, re.M):
            found[name] = getattr(module, name), definition
    return found


def python(build, _):
    """For autodoc, which conf.py has where this page is."""
    sys.path.insert(0, os.path.join(BINDINGS, "python"))
    names = "\n".join("%s = %s" % (name, definition.replace('"', "")) for name, (_, definition) in python_types().items())
    return (MADE % ("Python", "Sphinx", "Python", "python") + "## Names\n\n```{eval-rst}\n.. automodule:: mx2onnx\n   :members:\n   :undoc-members:\n```\n\n"
            + "## Types of arguments\n\nThe signatures name these, for type checkers; they are not public.\n\n" + block("python", names) + WORDS % "Python")


def go(build, _):
    """go doc -all: declarations at the margin, comments indented, headings in capitals."""
    need("go", "cc", "pkg-config")
    text = run("go", "doc", "-all", ".", folder=os.path.join(BINDINGS, "go"), GOFLAGS="-mod=mod", GOPROXY="off",
               PKG_CONFIG_PATH=os.path.join(build, "meson-uninstalled"))
    page, part = MADE % ("Go", "`go doc -all`", "Go", "go"), ""
    text = text.split("\n", 2)[2]
    for piece in re.split(r"^(?=[A-Z]+$)", text, flags=re.M):
        heading, _, body = piece.partition("\n") if re.match(r"[A-Z]+$", piece.split("\n")[0]) else ("package", "", piece)
        part = heading.capitalize()
        page += "## %s\n\n" % part
        if heading == "package":
            page += commented(body, "    ")
            continue
        for entry in re.split(r"^(?=(?:func|type|const|var) )", body, flags=re.M)[1:]:
            lines = entry.rstrip().split("\n")
            end = next((i for i, line in enumerate(lines) if line.startswith("    ")), len(lines))
            name = re.match(r"(?:func (?:\(\w+ \*?(\w+)\) )?|type |const |var )(\w*)", lines[0])
            if name.group(2) and not lines[0].startswith("const"):
                page += "### %s\n\n" % ".".join(filter(None, name.groups()))
            page += block("go", "\n".join(lines[:end])) + commented("\n".join(line[4:] for line in lines[end:]), "    ")
    return page + WORDS % "Go"


def commented(text, indent):
    """Paragraphs of a comment; what is indented in it is code."""
    pages = ""
    for code, lines in runs(text.strip("\n").split("\n"), indent):
        pages += block("go", "\n".join(line[len(indent):] for line in lines)) if code else escape("\n".join(lines)).strip("\n") + "\n\n"
    return pages if pages.strip() else ""


def runs(lines, indent):
    found = []
    for line in lines:
        code = line.startswith(indent) or not line and bool(found) and found[-1][0]
        if not found or found[-1][0] != code:
            found.append((code, []))
        found[-1][1].append(line)
    return found


def escape(text):
    return re.sub(r"([*_<\[\]`\\])", r"\\\1", text)


class Header:
    """mx2onnx.hpp, which tests/lint/format.py lays out: a function's body is between braces on separate lines."""

    def __init__(self, text):
        text = re.sub(r"^namespace detail \{\n.*?^\} // namespace detail\n", "", text, flags=re.M | re.S)
        text = re.sub(r"^  private:\n.*?(?=^\};|^  public:)", "", text, flags=re.M | re.S)
        text = text[text.index("\nnamespace mx2onnx {\n"):text.index("\n} // namespace mx2onnx")]
        text = re.sub(r"^#if[^\n]*\n(.*?)^#else\n.*?^#endif\n", r"\1", text, flags=re.M | re.S)
        text = re.sub(r"^template <.*>\n(?=class )", "", text, flags=re.M)
        self.page, self.group, self.comment = "", [], ""
        self.lines = iter(text.split("\n")[2:])
        for line in self.lines:
            self.take(line)
        self.put()

    def put(self):
        """The declarations so far and the comment above them."""
        if self.group:
            self.page += block("cpp", "\n".join(self.group)) + self.comment
        self.group, self.comment = [], ""

    def until(self, line, last):
        """This line and those up to one that `last` holds for."""
        found = [line]
        while not last(found[-1]):
            found.append(next(self.lines))
        return found

    def take(self, line):
        indent = line[:len(line) - len(line.lstrip())]
        section = re.match(r"/\* -+ (.*) \*/", line)
        kind = re.match(r"(?:class|struct|enum class) (\w+)[^;]*$|enum class (\w+) : [^;]*\};$", line)
        if not line.strip() or line == "};":
            self.put()
        elif section:
            self.put()
            self.page += "## %s\n\n" % section.group(1).capitalize()
        elif line.lstrip().startswith("/*"):
            self.put()
            words = " ".join(part.strip(" *") for part in self.until(line, lambda last: last.endswith("*/")))
            self.comment = escape(words.strip("/* ")).replace("\\`", "`") + "\n\n"
        elif line == "  public:":
            pass
        elif kind:
            self.page += "### %s\n\n" % (kind.group(1) or kind.group(2))
            if line.startswith(("enum", "struct")):
                self.group = self.until(line, lambda last: last.endswith("};"))
                self.put()
            else:
                self.page += self.comment
                self.comment = ""
        else:
            end = indent + "{"
            found = self.until(line, lambda last: last == end or last.endswith(";"))
            if found[-1] == end:
                self.until(found.pop(), lambda last: last == indent + "}")
            text = "\n".join(part[len(indent):] for part in found)
            text = re.sub(r"\s+: (?!public).*", "", text, flags=re.S)  # what a constructor begins with
            if not text.startswith(":"):
                self.group.append(text.rstrip(";") + ";")


def cpp(_, __):
    with open(os.path.join(BINDINGS, "cpp", "mx2onnx.hpp"), encoding="utf-8") as f:
        text = f.read()
    top = re.search(r"differs from it as follows:\n(.*?)\*/", text, re.S).group(1)
    top = re.sub(r"^ \*   (?! )", "- ", top, flags=re.M)
    top = escape(re.sub(r"^ \*", " ", top, flags=re.M).rstrip()).replace("\n    ", "\n ")
    page = (MADE % ("C++", "this site's script", "C++", "cpp")).replace("the sources.", "mx2onnx.hpp.")
    return page + "[C](c.md) describes each call; the header for C++ differs as follows:\n\n" + top + "\n\n## Types\n\n" + Header(text).page + WORDS % "C++"


def csharp(build, _):
    """The comments as mcs collects them: members by their ids, T:Mx2onnx.Model, M:Mx2onnx.Model.Load(System.String)."""
    need("mcs")
    out = os.path.join(build, "reference-csharp")
    os.makedirs(out, exist_ok=True)
    run("mcs", "-langversion:7", "-warnaserror", "-target:library", "-doc:" + os.path.join(out, "Mx2onnx.xml"),
        "-out:" + os.path.join(out, "Mx2onnx.dll"), *sorted(glob.glob(os.path.join(BINDINGS, "csharp", "src", "*.cs"))))
    types, page = {}, MADE % ("C#", "`mcs -doc`", "C#", "csharp")
    members = [(m.get("name"), m) for m in xml.parse(os.path.join(out, "Mx2onnx.xml")).getroot().iter("member")]
    for name, member in members:
        if name.startswith("T:"):
            types[name[2:]] = (member, [])
    for name, member in members:
        owner = re.sub(r"\.[^.]*$", "", name[2:].split("(")[0])
        if not name.startswith("T:"):
            types[owner][1].append((name, member))
    sources = "".join(open(f, encoding="utf-8").read() for f in glob.glob(os.path.join(BINDINGS, "csharp", "src", "*.cs")))
    for owner, (member, inside) in sorted(types.items()):
        kind = re.search(r"\bpublic [\w ]*\b(class|struct|enum|interface|delegate) (?:[\w.<>\[\]]+ )?%s\b" % owner.split(".")[-1], sources)
        if not kind:
            continue
        page += "## %s\n\n%s\n\n" % (owner.split(".", 1)[1], said(member))
        for name, comment in inside:
            plain = owner.split(".")[-1] if "#ctor" in name else re.match(r"\w*", name[2 + len(owner) + 1:]).group()
            public = kind.group(1) in ("enum", "interface") or re.search(r"\bpublic [^;={(]*\b%s\b" % plain, sources)
            if (public or "op_" in name) and said(comment):
                page += "- `%s`: %s\n" % (signature(name, owner), said(comment))
        page += "\n"
    return page + WORDS % "C#"


def signature(name, owner):
    text = name[2 + len(owner) + 1:].replace("#ctor", "new " + owner.split(".")[-1])
    text = re.sub(r"op_(?:Implicit|Explicit)(\(.*\))~(\S+)", r"operator \2\1", text)
    if name.startswith("M:") and "(" not in text:
        text += "()"
    text = re.sub(r"`+\d+(?=\()", "<T>", text).replace("``0", "T").replace("`0", "T").replace("{", "<").replace("}", ">").replace("@", "")
    words = {"String": "string", "Int32": "int", "Int64": "long", "Boolean": "bool", "Single": "float", "Double": "double", "Byte": "byte", "Object": "object"}
    text = re.sub(r"\bSystem\.(\w+)\b(?![.\w])", lambda m: words.get(m.group(1), m.group(1)), text)
    return re.sub(r"\b(?:Mx2onnx|System(?:\.\w+)*)\.(?=\w)", "", text).replace(",", ", ")


def said(member):
    """The comment's summary, with the names it refers to as code, and what else it has."""
    def inner(node):
        text = escape(node.text or "")
        for child in node:
            named = child.get("cref") or child.get("name") or child.get("langword")
            text += "`%s`" % (named.split("(")[0].split(".")[-1].split(":")[-1] if named else child.text or "") + escape(child.tail or "")
        return " ".join(text.split())
    texts = [inner(node) for node in member if node.tag in ("summary", "remarks")]
    texts += ["`%s`: %s" % (node.get("name"), inner(node)) for node in member if node.tag == "param"]
    texts += ["Returns: " + inner(node) for node in member if node.tag == "returns"]
    return " ".join(filter(None, texts))


# ---- folders of HTML


def rust(build, folder):
    need("cargo", "rustdoc")
    out = os.path.join(build, "reference-rust")
    shutil.rmtree(os.path.join(out, "doc"), ignore_errors=True)
    command = ["cargo", "doc", "-q", "--no-deps", "--lib", "-p", "mx2onnx"]
    more = {"CARGO_TARGET_DIR": out, "MX2ONNX_LIB_DIR": os.path.join(build, "lib"), "RUSTDOCFLAGS": "-D warnings"}
    run(*command, folder=os.path.join(BINDINGS, "rust"), **more)
    shutil.copytree(os.path.join(out, "doc"), folder, ignore=shutil.ignore_patterns("Nanum*", ".lock"))
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as f:  # which rustdoc's own pages ask for
        f.write('<!DOCTYPE html>\n<meta http-equiv="refresh" content="0; url=mx2onnx/index.html">\n<a href="mx2onnx/index.html">mx2onnx</a>\n')
    return "mx2onnx/index.html"


def java(build, folder):
    sys.path.insert(0, BINDINGS)
    import first_steps
    home = first_steps.newest_java()
    if not home or not os.path.exists(os.path.join(home, "bin", "javadoc")):
        raise Missing("a JDK of 22 or newer")
    fonts = ["--no-fonts"] if "--no-fonts" in run(os.path.join(home, "bin", "javadoc"), "--help") else []
    run(os.path.join(home, "bin", "javadoc"), "-quiet", "-Xdoclint:all,-missing", "-Werror", "-notimestamp", *fonts, "--no-platform-links",
        "-encoding", "UTF-8", "-public", "-windowtitle", "mx2onnx for Java", "-d", folder, "-sourcepath", os.path.join("src", "main", "java"),
        "-subpackages", "io.github.mx2onnx", folder=os.path.join(BINDINGS, "java"))
    return "index.html"


def javascript(build, folder):
    """Of both packages: their declarations, as the second has them when it is packed."""
    need("node", "npm")
    tools = os.path.join(build, "reference-javascript")
    os.makedirs(tools, exist_ok=True)
    shutil.copy(os.path.join(HERE, "typedoc.json"), os.path.join(tools, "package.json"))
    if not os.path.exists(os.path.join(tools, "node_modules", ".bin", "typedoc")):
        npm = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"], cwd=tools, capture_output=True, text=True)
        if npm.returncode:
            raise Missing("TypeDoc, which npm cannot install")
    files = []
    for package in "node", "wasm":
        there = os.path.join(tools, "mx2onnx" if package == "node" else "mx2onnx-wasm")
        shutil.rmtree(there, ignore_errors=True)
        os.makedirs(there)
        for file in glob.glob(os.path.join(BINDINGS, "node", "src", "*.d.ts")) + glob.glob(os.path.join(BINDINGS, "wasm", "*.d.ts")):
            if (os.path.basename(file) in ("index.d.ts", "mx2onnx.d.ts")) <= (os.path.join(BINDINGS, package) + os.sep in file):
                shutil.copy(file, there)
        main = os.path.join(there, "index.d.ts")
        if package == "wasm":
            os.rename(os.path.join(there, "mx2onnx.d.ts"), main)
        files.append(os.path.relpath(main, tools))
    with open(os.path.join(tools, "tsconfig.json"), "w", encoding="utf-8") as f:
        f.write('{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "lib": ["es2022", "dom"], "module": "nodenext",'
                ' "moduleResolution": "nodenext", "types": ["node"]}, "files": ["%s"]}' % '", "'.join(files))
    run(os.path.join("node_modules", ".bin", "typedoc"), *(a for f in files for a in ("--entryPoints", f)), "--out", folder, "--readme", "none",
        "--disableGit", "--disableSources", "--hideGenerator", "--excludeExternals", "--treatWarningsAsErrors", "--name", "mx2onnx for JavaScript", folder=tools)
    return "index.html"


PAGES = {"python": (python, ["python"]), "cpp": (cpp, ["cpp"]), "go": (go, ["go"]), "csharp": (csharp, ["csharp"])}
FOLDERS = {"rust": (rust, ["rust"]), "java": (java, ["java"]), "javascript": (javascript, ["node", "wasm"])}


def make(build, pages, folders):
    """{language: address of its reference}; pages go into one folder, and folders of HTML into the other."""
    made, build = {}, os.path.abspath(build)
    for name, (maker, languages) in {**PAGES, **FOLDERS}.items():
        try:
            if name in PAGES:
                text, address = maker(build, None), name + "-reference.md"
                with open(os.path.join(pages, address), "w", encoding="utf-8") as f:
                    f.write(text)
            else:
                target = os.path.join(os.path.abspath(folders), name)
                shutil.rmtree(target, ignore_errors=True)
                address = name + "/" + maker(build, target)
        except Missing as missing:
            print("The reference of %s is left out: there is no %s" % (name, missing))
            continue
        made.update(dict.fromkeys(languages, address))
    return made


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    print(make(sys.argv[1], sys.argv[2], sys.argv[2]))
