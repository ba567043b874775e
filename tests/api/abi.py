"""The library's binary interface is that of tests/api/abi-MACHINE.xml, or has more: abidiff finds what was taken away or
changed, in functions and in the types that they take. Skipped without abidiff (Debian's abigail-tools), on a machine without
such a file, and without debug information. Numbers, the members of structures and the types of callbacks are compared with
tests/api/contract.json, everywhere.

    python3 abi.py LIBRARY [--rebase]
"""
import json
import os
import platform
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
API = os.path.join(HERE, "..", "..", "bindings", "api.json")
CONTRACT = os.path.join(HERE, "contract.json")
INCLUDE = os.path.join(HERE, "..", "..", "include")
FILE = os.path.join(HERE, "abi-%s.xml" % platform.machine())
SKIP = 77
WRITE = ["--headers-dir", INCLUDE, "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path",
         "--no-show-locs", "--no-elf-needed", "--type-id-style", "hash"]


def has_debug_information(library):
    shown = subprocess.run(["readelf", "-S", "--wide", library], capture_output=True, text=True).stdout
    return ".debug_info" in shown


def contract():
    """What a compiled program has of the header: enumerators, members and types; and since when there are enumerators and members."""
    with open(API, encoding="utf-8") as f:
        api = json.load(f)
    since = {v["name"]: v["since"] for e in api["enums"] for v in e["values"]}
    since.update(("%s.%s" % (s["name"], m["name"]), m["since"]) for s in api["structs"] for m in s["members"])
    return {
        "since": since,
        "numbers": {v["name"]: v["value"] for e in api["enums"] for v in e["values"]},
        "members": {s["name"]: [[m["name"], m["type"]] for m in s["members"]] for s in api["structs"]},
        "callbacks": {c["name"]: [c["returns"]] + [a["type"] for a in c["arguments"]] for c in api["callbacks"]},
        "functions": {f["name"]: [f["returns"]] + [a["type"] for a in f["arguments"]] for f in api["functions"]},
    }


def broken(old, new):
    """What was changed or taken away; structures may have more members at their end."""
    for kind in old:
        for name, was in old[kind].items():
            now = new[kind].get(name)
            if kind == "members" and now:
                now = now[: len(was)]
            if now != was:
                yield "%s was %s and is %s" % (name, was, now)


def check_dates():
    """A new name is of the version that the header has; one that was there before keeps its version."""
    sys.path.insert(0, os.path.dirname(API))
    import api as header

    lists = {kind: [] for kind in ("enums", "handles", "aliases", "callbacks", "structs")}
    old = dict(lists, enums=[{"name": "e", "since": "0.9.0", "values": [{"name": "A", "since": "0.9.0"}]}])
    new = dict(lists, enums=[{"name": "e", "values": [{"name": "A"}, {"name": "B"}]}], structs=[{"name": "s", "members": [{"name": "m"}]}])
    new["constants"] = {"MX2ONNX_VERSION_MAJOR": 0, "MX2ONNX_VERSION_MINOR": 10, "MX2ONNX_VERSION_PATCH": 0}
    header.date(new, old)
    found = {name: x["since"] for name, x in header.dated(new)}
    return found == {"e": "0.9.0", "A": "0.9.0", "B": "0.10.0", "s": "0.10.0", "s.m": "0.10.0"}


def check_contract(rebase):
    new = contract()
    if rebase:
        with open(CONTRACT, "w", encoding="utf-8") as f:
            f.write(json.dumps(new, indent=1) + "\n")
    with open(CONTRACT, encoding="utf-8") as f:
        old = json.load(f)
    failures = list(broken(old, new)) + ([] if check_dates() else ["a name that is new has a version of before"])
    for kind in old:  # the comparison sees each kind of change
        name, was = next(iter(old[kind].items()))
        other = dict(old, **{kind: dict(old[kind], **{name: was + 1 if kind == "numbers" else ["other"] + list(was[1:])})})
        if not list(broken(old, other)) or not list(broken(old, dict(old, **{kind: {}}))):
            failures.append("a change of %s is not seen" % kind)
    print("\n".join(failures) or "the contract is kept")
    return bool(failures)


def names(path):
    with open(path, encoding="utf-8") as f:
        return set(re.findall(r"mangled-name='(mx2onnx_\w+)'", f.read()))


def unrecorded(dumped=None):
    """What the header has and a record of it lacks: a change of that would not be seen."""
    with open(CONTRACT, encoding="utf-8") as f:
        old = json.load(f)
    new = contract()
    for kind in new:
        for name in sorted(set(new[kind]) - set(old[kind])):
            yield "%s is not in %s; run abi.py LIBRARY --rebase" % (name, os.path.basename(CONTRACT))
    for name in sorted(set(new["functions"]) - dumped) if dumped is not None else ():
        yield "%s is not in %s; run abi.py LIBRARY --rebase" % (name, os.path.basename(FILE))


def main():
    library = sys.argv[1]
    if check_contract("--rebase" in sys.argv):
        return 1
    if "--rebase" not in sys.argv:
        missing = list(unrecorded(names(FILE) if os.path.exists(FILE) else None))
        if missing:
            print("\n".join(missing))
            return 1
    if not shutil.which("abidiff") or not has_debug_information(library):
        print("no abidiff, or no debug information")
        return SKIP
    if "--rebase" in sys.argv:
        subprocess.run(["abidw", *WRITE, "--out-file", FILE, library], check=True)
    if not os.path.exists(FILE):
        print("no %s" % os.path.basename(FILE))
        return SKIP
    result = subprocess.run(["abidiff", "--headers-dir2", INCLUDE, "--drop-private-types", "--exported-interfaces-only", "--no-added-syms",
                             FILE, library], capture_output=True, text=True)
    print(result.stdout + result.stderr or "as it was")
    return 1 if result.returncode else 0


sys.exit(main())
