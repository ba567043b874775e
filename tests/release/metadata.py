# SPDX-License-Identifier: Apache-2.0
"""What registries ask of a package's metadata, by their own tools where one can be had: each function says what is wrong, or ""."""
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "bindings"), os.path.join(ROOT, "bindings", "packaging")]
import readmes  # noqa: E402

CENTRAL = ("name", "description", "url", "licenses/license/name", "licenses/license/url", "developers/developer/name", "scm/url", "scm/connection",
           "scm/developerConnection")  # what Maven Central asks for beyond the coordinates
NUGET = ("id", "version", "authors", "description", "license", "readme", "projectUrl", "repository")
CRATE = ("description", "license", "repository", "documentation", "homepage", "rust-version", "readme")
NPM = ("name", "version", "description", "license", "author", "homepage", "bugs", "repository", "engines")
WINGET = {"version": ("DefaultLocale",), "installer": ("InstallerType", "NestedInstallerType", "Architecture"),
          "defaultLocale": ("PackageLocale", "Publisher", "PackageName", "License", "ShortDescription")}


def names_of(tar_file):
    with tarfile.open(tar_file) as tar:
        return {n.split("/", 1)[1] for n in tar.getnames() if "/" in n}


def read_of(tar_file, name):
    with tarfile.open(tar_file) as tar:
        (found,) = [n for n in tar.getnames() if n.split("/", 1)[-1] == name]
        return tar.extractfile(found).read().decode()


def same_version(found, version, what):
    return "" if found == version else "%s has the version %s, not %s" % (what, found, version)


def python(release, version, environment):
    files = sorted(glob.glob(os.path.join(release, "python", "*")))
    twine = os.path.join(os.path.dirname(environment("twine")), "twine")
    done = subprocess.run([twine, "check", "--strict", *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or done.stdout.count("PASSED") != len(files):
        return "twine: " + done.stdout
    other = [f for f in files if not re.match(r"mx2onnx-%s[-.]" % re.escape(version), os.path.basename(f))]
    return "these are not of version %s: %s" % (version, other) if other else ""


def values(o):
    """All texts in a tree of JSON."""
    if isinstance(o, str):
        yield o
    for inner in o.values() if isinstance(o, dict) else o if isinstance(o, list) else ():
        yield from values(inner)


def npm(release, version, environment):
    for path in sorted(glob.glob(os.path.join(release, "npm", "*.tgz"))):
        package, names = json.loads(read_of(path, "package.json")), names_of(path)
        lacks = [k for k in NPM if not package.get(k)]
        named = [n[2:] for n in values([package.get("exports"), package.get("types")]) if n.startswith("./")] + package["files"]
        gone = [n for n in named if n not in names and not any(inside.startswith(n + "/") for inside in names) and n != "native"]
        if lacks or gone or "README.md" not in names:
            return "%s lacks %s" % (os.path.basename(path), lacks + gone or "README.md")
        wrong = same_version(package["version"], version, path)
        others = {v for v in package.get("optionalDependencies", {}).values()} - {version}
        if wrong or others:
            return wrong or "%s depends on %s" % (path, others)
    return ""


def crates(release, version, environment):
    for path in sorted(glob.glob(os.path.join(release, "rust", "*.crate"))):
        said = dict(re.findall(r'^([\w-]+) = "(.*)"$', read_of(path, "Cargo.toml").split("\n[features]")[0], re.M))
        lacks = [k for k in CRATE if not said.get(k)] + [n for n in (said["readme"], "src/lib.rs") if n not in names_of(path)]
        if lacks or said["version"] != version:
            return "%s lacks %s, or has the version %s" % (path, lacks, said["version"])
    return ""


def find(tree, path):
    """The text or the attributes of an element; namespaces do not count."""
    for name in path.split("/"):
        tree = next((e for e in tree if e.tag.rpartition("}")[2] == name), None)
        if tree is None:
            return ""
    return (tree.text or "").strip() or " ".join(tree.attrib.values())


def maven(release, version, environment):
    (path,) = glob.glob(os.path.join(release, "maven", "**", "*.pom"), recursive=True)
    tree = ElementTree.parse(path).getroot()
    lacks = [e for e in CENTRAL if not find(tree, e)] + [e for e in ("-sources.jar", "-javadoc.jar") if not os.path.exists(path[:-4] + e)]
    return "%s lacks %s" % (path, lacks) if lacks else same_version(find(tree, "version"), version, path)


def nuget(release, version, environment):
    (path,) = glob.glob(os.path.join(release, "nuget", "*.nupkg"))
    with zipfile.ZipFile(path) as z:
        (name,) = [n for n in z.namelist() if n.endswith(".nuspec")]
        tree = ElementTree.fromstring(z.read(name))[0]
        lacks = [e for e in NUGET if not find(tree, e)] + [n for n in (find(tree, "readme"), "lib/netstandard2.0/Mx2onnx.dll") if n not in z.namelist()]
        for other in z.namelist():
            if other.endswith((".rels", ".xml")):
                ElementTree.fromstring(z.read(other))
    return "%s lacks %s" % (path, lacks) if lacks else same_version(find(tree, "version"), version, path)


def debian(release, version, environment):
    files = sorted(glob.glob(os.path.join(release, "debian", "*.deb")))
    known = "initial-upload-closes-no-bugs"  # only a package that Debian itself has closes the request for it
    done = subprocess.run(["lintian", "--fail-on", "error,warning", "--suppress-tags", known, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "lintian: " + done.stdout if done.returncode or len(files) < 3 else ""


def recipes(release, version, environment):
    with open(os.path.join(release, "vcpkg", "vcpkg.json"), encoding="utf-8") as f:
        wrong = same_version(json.load(f)["version"], version, "vcpkg.json")
    files = [os.path.join(release, *n) for n in (("conda", "meta.yaml"), ("vcpkg", "portfile.cmake"), ("homebrew", "mx2onnx.rb"))]
    text = "".join(open(f, encoding="utf-8").read() for f in files)
    return wrong or ("a recipe has no hash" if len(re.findall(r"sha256:? \"?[0-9a-f]{64}\"?\n|SHA512 [0-9a-f]{128}\n", text)) != 3 else "")


def winget(release, version, environment):
    """Its files have what winget's schema 1.6.0 requires, and name an archive of the release by its hash, and the program in it."""
    found = {}
    for path in sorted(glob.glob(os.path.join(release, "winget", "*.yaml"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        said = dict(re.findall(r"^[ -]*(\w+): (.+)$", text, re.M))
        if not os.path.basename(path).startswith(said["PackageIdentifier"] + ".") or said["PackageVersion"] != version or said["ManifestVersion"] != "1.6.0":
            return "%s says %s" % (path, said)
        found[said["ManifestType"]] = said
    lacks = [(kind, key) for kind, keys in WINGET.items() for key in keys if not found.get(kind, {}).get(key)]
    if lacks:
        return "it lacks %s" % lacks
    archive = os.path.join(release, "programs", os.path.basename(found["installer"]["InstallerUrl"]))
    with open(archive, "rb") as f:
        sha256 = hashlib.sha256(f.read()).hexdigest()
    with zipfile.ZipFile(archive) as z:
        inside = found["installer"]["RelativeFilePath"] in z.namelist()
    return "" if inside and found["installer"]["InstallerSha256"] == sha256.upper() else "%s has another hash, or no program" % archive


def documents(release, version, environment):
    """The README.md of each package is for a reader who has no checkout."""
    for path in sorted(p for e in ("*.crate", "*.tgz", "*.zip", "*.nupkg", "*.whl", "*[0-9].jar") for p in glob.glob(os.path.join(release, "**", e), recursive=True)):
        if path.endswith((".crate", ".tgz")):
            found = [read_of(path, "README.md")]
        else:
            with zipfile.ZipFile(path) as z:
                found = [z.read(n).decode() for n in z.namelist() if n.endswith(("/README.md", ".dist-info/METADATA")) or n == "README.md"]
        wrong = [fault for text in found for fault in readmes.faults(text)]
        if wrong or not found:
            return "%s: README.md has %s" % (path, wrong or "no text")
    return ""


QUICK = (crates, recipes, documents)
ALL = (python, npm, crates, maven, nuget, debian, recipes, winget, documents)
