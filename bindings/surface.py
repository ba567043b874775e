"""Which functions of C the public names of a binding use. For check.py.

What is public is what the language says: public (C#, Java), pub and exported by the crate (Rust), with a capital (Go), in the package's
__init__.py and without an underscore (Python), in a .d.ts (JavaScript), outside of private and of the namespace detail (C++).
So are constructors of a public class, since the package makes its objects, and other forms of a public name. A function of C is
used as mx2onnx_NAME, as lib.NAME, or, in Java and JavaScript, as the text "NAME" that is an argument or a member, not an element of an array.
"""
import ast
import os
import re

ENDINGS = (".c", ".cc", ".cpp", ".cs", ".cts", ".go", ".h", ".hpp", ".java", ".js", ".kt", ".mjs", ".mts", ".py", ".rs", ".ts")
SCRIPTS = (".cts", ".js", ".mjs", ".mts", ".ts")
CPP = (".hpp", ".cc", ".cpp")
BRACES = (".cs", ".java", ".rs") + CPP + SCRIPTS
TEXTS = {  # where they differ from C's
    ".cs": r'\$?@"(?:[^"]|"")*"|',
    ".java": r'"""(?:\\.|[^\\])*?"""|',
    ".go": r"`[^`]*`|",
    ".rs": r'b?r(#*)".*?"\1|',
}
TOKEN = r"""%s"(?:\\.|[^"\\\n])*"|'(?:\\.[^'\n]*|[^'\\\n]%s)'|/\*.*?\*/|//[^\n]*"""
CONTAINER = re.compile(r"\b(class|struct|interface|enum|namespace|record|union|trait|impl)\b")
MARK = re.compile(r"[\[\](){};:]")
IN_RUST = re.compile(r"\b(?:fn|const|static|struct|enum|trait|type|mod|use)\s+(\w+)|macro_rules!\s*(\w+)")
IN_SCRIPTS = re.compile(r"^(?:export\s+)?(?:default\s+)?(?:(?:async\s+)?function\s*\*?|const|let|class)\s+(\w+)")


class Declaration:
    """A name, "" for a statement; what it belongs to; the functions of C that its code uses."""

    def __init__(self, name, owner, public, uses=()):
        self.name, self.owner, self.public, self.uses = name, owner, public, set(uses)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def template(text, start):
    """The end of JavaScript's `...${...}...`."""
    at, depth = start + 1, 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif depth == 0 and text[at] == "`":
            return at + 1
        elif text.startswith("${", at) and depth == 0:
            at, depth = at + 1, 1
        elif depth and text[at] == "`":
            at = template(text, at) - 1
        elif depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def views(text, ending):
    """The code without comments, and that without texts too, both of the same length."""
    token = re.compile(TOKEN % (TEXTS.get(ending, ""), "*" if ending in SCRIPTS else ""), re.S)
    code, shape, at = [], [], 0
    while at < len(text):
        quote = text.find("`", at) if ending in SCRIPTS else -1
        m = token.search(text, at)
        if quote >= 0 and (not m or quote < m.start()):
            start, end = quote, template(text, quote)
        elif m:
            start, end = m.span()
        else:
            break
        found = text[start:end]
        code += [text[at:start], blank(found) if found.startswith(("/*", "//")) else found]
        shape += [text[at:start], blank(found)]
        at = end
    return "".join(code) + text[at:], "".join(shape) + text[at:]


def closing(shape, start):
    """The place of the brace that closes the one at `start`."""
    depth = 0
    for m in re.compile(r"[{}]").finditer(shape, start):
        depth += 1 if m.group() == "{" else -1
        if depth == 0:
            return m.start()
    return len(shape)


def quoted(code, shape, start, end):
    """The texts of one word in code[start:end], except those in arrays; and the place of each."""
    inside, brackets = [], {"(": ")", "[": "]", "{": "}"}
    for m in re.finditer(r"[\[\](){}]|(['\"])(\w+)\1", code[start:end]):
        bracket = m.group()
        if m.group(2):
            if inside[-1:] != ["["]:
                yield m.group(2)
        elif shape[start + m.start()] == bracket:  # not one in a text
            if bracket in brackets:
                inside.append(bracket)
            elif inside:
                inside.pop()


class Source:
    """A file whose declarations are between braces."""

    def __init__(self, text, ending, typed):
        self.ending, self.typed = ending, typed  # typed: {owner: names} of a .d.ts, or None
        self.code, self.shape = views(text, ending)
        self.found = []

    def uses(self, start, end):
        text = self.shape[start:end]
        names = set(re.findall(r"\bmx2onnx_(\w+)", text)) | set(re.findall(r"\blib\.(\w+)", text))
        if self.ending == ".java" or self.ending in SCRIPTS:
            names.update(quoted(self.code, self.shape, start, end))
        return names

    def declare(self, head, start, end, owner, access):
        if self.shape[start:end].strip(" \n;"):
            name = self.name_of(head)
            public = self.is_public(head, name, owner, access)
            self.found.append(Declaration(name, owner, public, self.uses(start, end)))

    def name_of(self, head):
        """Of a declaration; "" is one that always counts, such as a statement."""
        head = re.sub(r"^\s*(?:(?:public|private|protected):\s*)+", "", head)
        if self.ending == ".rs":
            m = IN_RUST.search(head)
            return (m.group(1) or m.group(2)) if m else ""
        head = re.sub(r"@\w+(?:\([^()]*\))?|^\s*\[[^\[\]]*\]", " ", head).strip()
        if self.ending in SCRIPTS:
            m = IN_SCRIPTS.match(head) or re.match(r"(?:static\s+|async\s+|get\s+|set\s+|readonly\s+)*(#?\w+)\??\s*(?:[(=:<;]|$)", head)
            return m.group(1) if m and m.group(1) not in ("for", "if", "try", "while", "import", "export") else ""
        head = re.sub(r"=(?!=).*", "", head, flags=re.S) if "(" not in head.split("=")[0] else head
        m = re.search(r"(~?\w+|operator\W+)\s*(?:<[^()]*>)?\s*\(", head) or re.search(r"(\w+)\W*$", head.split("{")[0])
        return m.group(1) if m else ""

    def is_public(self, head, name, owner, access):
        if self.ending == ".rs":
            return access == "public" or bool(re.search(r"\bpub\b(?!\()|\bmacro_export\b", head))
        if self.ending in (".cs", ".java"):
            return access == "public" or bool(re.search(r"\b(?:public|protected)\b", head)) or "static {" in head + " {"
        if self.ending in SCRIPTS:
            if self.typed is None:
                return not name.startswith(("#", "_"))
            if owner:
                return name == "constructor" or (not name.startswith(("#", "_")) and name in self.typed.get(owner, [name]))
            return not name or name in self.typed[""]
        return access == "public"

    def container(self, head, owner, access):
        """Its name, whether it is public, and the access of its members; None where the head is another one's."""
        plain = re.sub(r"template\s*<.*?>\s*(?=\w+ \w+\b)", "", head, flags=re.S)
        if self.ending in SCRIPTS and not re.match(r"\s*(?:export\s+)?(?:declare\s+)?(?:default\s+)?(?:class|interface|namespace)\b", plain):
            return None
        m = CONTAINER.search(plain)
        if not m or (self.ending != ".rs" and "(" in plain[: m.start()]) or re.search(r"\bfn\b", plain):
            return None
        if m.group() == "impl":
            of = re.search(r"\bimpl\b(?:<.*?>(?=\s))?\s*(?:(.+?)\s+for\s+)?&?(?:mut\s+)?(\w+)", plain, re.S)
            return of.group(2), False, "public" if of.group(1) else "private"
        named = re.match(r"\s*(?:class\s+)?(\w*)", plain[m.end() :]).group(1)
        public = self.is_public(head, named, owner, access)
        if self.ending in CPP:
            return named, public and named != "detail", "private" if m.group() == "class" else "public"
        return named, public, "public" if m.group() in ("interface", "trait") else "private"

    def all(self):
        self.parse(0, len(self.shape), "", "public" if self.ending in CPP else "private")
        return self.found

    def parse(self, start, end, owner, access):
        """The declarations in shape[start:end], whose members `owner` has."""
        shape, depth, begin, at = self.shape, 0, start, start
        while True:
            m = MARK.search(shape, at, end)
            if not m:
                break
            at, c = m.start(), m.group()
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
            if depth == 0 and c == ";":
                self.declare(shape[begin:at], begin, at + 1, owner, access)
                begin = at + 1
            elif depth == 0 and c == "{":
                close, head = closing(shape, at), shape[begin:at]
                inner = self.container(head, owner, access)
                if inner:
                    self.found.append(Declaration(inner[0], owner, inner[1]))
                    same = owner if not inner[0] or ("namespace" in head and inner[0] != "detail") else inner[0]
                    self.parse(at + 1, close, same, inner[2])
                    begin = close + 1
                elif not self.is_value(head):
                    self.declare(head, begin, close + 1, owner, access)
                    begin = close + 1
                at = close
            elif depth == 0 and c == ":" and self.ending in CPP:
                access = (re.findall(r"\b(public|private|protected)$", shape[begin:at]) or [access])[-1]
            at += 1
        self.declare(shape[begin:end], begin, end, owner, access)

    def is_value(self, head):
        """The brace begins a value, such as that of a constant, and not the body of a function."""
        while "(" in head:
            smaller = re.sub(r"\([^()]*\)", "", head)
            if smaller == head:
                break
            head = smaller
        head = re.sub(r"template\s*<.*>", "", head, flags=re.S)
        return bool(re.search(r"(?<![=!<>+|&-])=(?![=>])|=>|\bimport\b|\bexport\b\s*$|\buse\b", re.sub(r"operator\W+", "", head)))


def in_go(text, bridge):
    """What `bridge`, {name: uses}, has of C counts as Go's."""
    shape = views(text, ".go")[1]
    starts = [m.start() for m in re.finditer(r"^(?=func|type|var|const|import)", shape, re.M)] + [len(shape)]
    for start, end in zip(starts, starts[1:]):
        m = re.match(r"func\s*(?:\(\w*\s*\*?(\w+)[^)]*\)\s*)?(\w+)|(?:type|var|const)\s+(\w*)", shape[start:end])
        owner, name = (m.group(1) or "", m.group(2) or m.group(3) or "") if m else ("", "")
        uses = set(re.findall(r"\bmx2onnx_(\w+)", shape[start:end]))
        uses.update(*(bridge.get(n, ()) for n in re.findall(r"\bC\.(\w+)", shape[start:end])))
        yield Declaration(name, owner, name[:1].isupper() or not name, uses)


def bridge_of(files):
    """The functions of C of a Go package, which only Go calls."""
    found = {}
    for path, text in files:
        if path.endswith(".c"):
            found.update((d.name, d.uses) for d in Source(text, ".cpp", None).all())
    return found


def exported_by_python(folder):
    for path, _, files in os.walk(folder):
        if "__init__.py" in files and not os.path.basename(path).startswith("."):
            with open(os.path.join(path, "__init__.py"), encoding="utf-8") as f:
                tree = ast.parse(f.read())
            yield from (a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names)
            yield from (n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)))


def in_python(text, exported):
    def declaration(node, name, owner, public):
        attributes = [n for n in ast.walk(node) if isinstance(n, ast.Attribute)]
        return Declaration(name, owner, public, [n.attr for n in attributes if isinstance(n.value, ast.Name) and n.value.id == "lib"])

    def names(node):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        return [t.id for t in targets if isinstance(t, ast.Name)]

    def members(body, owner):
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield Declaration(node.name, owner, node.name in exported)
                yield from members(node.body, node.name)
                continue
            called = [node.name] if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else names(node) or [""]
            for name in called:
                shown = not name.startswith("_") or name.endswith("__")
                yield declaration(node, name, owner, not name or (shown if owner else shown and name in exported))

    return list(members(ast.parse(text).body, ""))


def typings(texts):
    """{owner: names} that .d.ts files declare; None without one."""
    if not texts:
        return None
    found = {"": set()}
    for text in texts:
        for d in Source(text, ".ts", None).all():
            found.setdefault(d.owner, set()).add(d.name)
    return found


def declarations(files):
    """Of a binding's files, a list of (path, text)."""
    typed = typings([text for path, text in files if path.endswith(".d.ts")])
    go = any(path.endswith(".go") for path, _ in files)
    bridge = bridge_of(files) if go else {}
    exported = {name for folder in {os.path.dirname(path) for path, _ in files} for name in exported_by_python(folder)}
    crate = set(re.findall(r"\w+", " ".join(re.findall(r"\bpub use ([^;]*);", "\n".join(t for p, t in files if os.path.basename(p) == "lib.rs")))))
    for path, text in files:
        name, ending = os.path.basename(path), os.path.splitext(path)[1]
        if name in ("__init__.py", "__main__.py") or path.endswith(".d.ts") or (go and ending in (".c", ".h")):
            continue
        if ending == ".py":
            yield from in_python(text, exported)
        elif ending == ".go":
            yield from in_go(text, bridge)
        elif ending in BRACES:
            for d in Source(text, ending, typed).all():
                if ending == ".rs" and crate and not d.owner and d.name:
                    d.public = d.public and d.name in crate
                yield d
        else:
            yield Declaration("", "", True, re.findall(r"\b(?:mx2onnx_|lib\.)(\w+)", views(text, ending)[1]))


def public(files):
    """The functions of C, without mx2onnx_, that public names use, and all that are used."""
    found = list(declarations(files))
    shown = {(d.owner, d.name) for d in found if d.public}
    types = {d.name for d in found if d.public} | {""}
    hidden = {d.name for d in found if not d.public} - types
    uses = [d.uses for d in found if d.owner not in hidden and ((d.owner, d.name) in shown or d.name in (d.owner, "constructor"))]
    return set().union(*uses), set().union(*(d.uses for d in found))
