"""Writes mx2onnx-sys/src/lib.rs from bindings/api.json; with --check fails where it is not up to date."""

import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OUTPUT = os.path.join(HERE, "mx2onnx-sys", "src", "lib.rs")
SIMPLE = {"int32_t": "i32", "int64_t": "i64", "uint64_t": "u64", "size_t": "usize", "double": "f64", "char": "c_char", "void": "c_void"}
HEAD = """//! Declarations of libmx2onnx, made from its header by bindings/rust/generate.py. `mx2onnx.h` says what each does.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_void};
"""


def rust_type(text, nullable):
    base, stars = re.match(r"(?:const )?(\w+)\s*(\*(?:const \*)?|\**)$", text).groups()
    if base in nullable:
        return "Option<%s>" % base
    kind = SIMPLE.get(base, base)
    for i in range(stars.count("*")):
        const = text.startswith("const ") if i == 0 else "const" in stars
        kind = ("*const " if const else "*mut ") + kind
    return kind


def words(text, indent=""):
    return "".join("%s/// %s\n" % (indent, line) if line else "%s///\n" % indent for line in text.splitlines() if not line.startswith("  "))


def name_of(argument):
    return {"fn": "f", "in": "input", "type": "kind"}.get(argument, argument)


def arguments_of(f, callbacks):
    return ", ".join("%s: %s" % (name_of(a["name"]), rust_type(a["type"], callbacks)) for a in f["arguments"])


def result_of(f, callbacks):
    return "" if f["returns"] == "void" else " -> " + rust_type(f["returns"], callbacks)


def generated(api):
    callbacks = {c["name"] for c in api["callbacks"]}
    out = [HEAD]
    for name, value in api["constants"].items():
        out.append("pub const %s: i32 = %d;\n" % (name, value))
    for e in api["aliases"] + api["enums"]:
        out.append("\n%spub type %s = %s;\n" % (words(e["doc"]), e["name"], SIMPLE[e["type"]]))
        for v in e.get("values", []):
            out.append("pub const %s: %s = %d;\n" % (v["name"], e["name"], v["value"]))
    for h in api["handles"]:
        out.append("\n#[repr(C)]\npub struct %s {\n    _private: [u8; 0],\n    _pinned: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,\n}\n" % h["name"])
    for s in api["structs"]:
        out.append("\n#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct %s {\n" % s["name"])
        out += ["    pub %s: %s,\n" % (m["name"], rust_type(m["type"], callbacks)) for m in s["members"]]
        out.append("}\n")
    for c in api["callbacks"]:
        out.append("\npub type %s = unsafe extern \"C\" fn(%s)%s;\n" % (c["name"], arguments_of(c, callbacks), result_of(c, callbacks)))
    out.append('\nextern "C" {\n')
    for f in api["functions"]:
        out.append("    pub fn %s(%s)%s;\n" % (f["name"], arguments_of(f, callbacks), result_of(f, callbacks)))
    return "".join(out + ["}\n"])


def main():
    with open(os.path.join(HERE, "..", "api.json"), encoding="utf-8") as f:
        wanted = generated(json.load(f))
    if "--check" in sys.argv:
        with open(OUTPUT, encoding="utf-8") as f:
            if f.read() != wanted:
                print("mx2onnx-sys/src/lib.rs is not what api.json says; run python3 bindings/rust/generate.py")
                return 1
    else:
        with open(OUTPUT, "w", encoding="utf-8", newline="\n") as f:
            f.write(wanted)
    return 0


sys.exit(main())
