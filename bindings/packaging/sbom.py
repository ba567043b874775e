"""What is in a release, as SPDX 2.3: the project, the libraries that are linked into its packages, and each file with its sha256."""
import hashlib
import json
import os
import re
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LICENCES = {"zlib": "Zlib", "libzip": "BSD-3-Clause", "jansson": "MIT", "nanopb": "Zlib", "uthash": "BSD-1-Clause", "libarchive": "BSD-2-Clause",
            "musl": "MIT", "mingw-w64": "NOASSERTION", "compiler-rt": "Apache-2.0 WITH LLVM-exception", "emscripten": "MIT", "onnxruntime-web": "MIT"}
SOURCES = {  # where the version is in a library's sources
    "zlib": ("zlib.h", r'ZLIB_VERSION "([^"]+)"'),
    "libzip": ("CMakeLists.txt", r"project\(libzip\s+VERSION ([\d.]+)"),
    "jansson": ("src/jansson.h", r'JANSSON_VERSION +"([^"]+)"'),
    "nanopb": ("pb.h", r'NANOPB_VERSION "?(?:nanopb-)?([\d.]+)'),
    "uthash": ("include/uthash.h", r"UTHASH_VERSION ([\d.]+)"),
}


def digest(path, kind="sha256"):
    with open(path, "rb") as f:
        return hashlib.new(kind, f.read()).hexdigest()


def version_of(name, folder):
    file, pattern = SOURCES[name]
    with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as f:
        return re.search(pattern, f.read()).group(1)


def package(name, version, licence, **more):
    return {"SPDXID": "SPDXRef-" + name, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def related(kind, what, other):
    return {"spdxElementId": "SPDXRef-" + what, "relationshipType": kind, "relatedSpdxElement": "SPDXRef-" + other}


def document(project, folders, toolchain, files, epoch):
    """folders: {library: its sources}; toolchain: [(name, version, in which packages)]; files: [(name, path)] of the release."""
    namespace = hashlib.sha256("".join(digest(path) for _, path in files).encode()).hexdigest()
    packages = [package(project["name"], project["version"], "Apache-2.0", supplier="Organization: " + project["maintainers"],
                        downloadLocation="%s/releases/tag/v%s" % (project["address"], project["version"]))]
    relations = [related("DESCRIBES", "DOCUMENT", project["name"])]
    for name in SOURCES:
        version = version_of(name, folders[name])
        packages.append(package(name, version, LICENCES[name], externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:generic/%s@%s" % (name, version)}]))
        relations.append(related("STATIC_LINK", project["name"], name))
    packages.append(package("libarchive", "3.4 or newer", LICENCES["libarchive"], comment="opened when the first tar archive is read; in no package"))
    relations.append(related("OPTIONAL_DEPENDENCY_OF", "libarchive", project["name"]))
    for name, version, where in toolchain:
        packages.append(package(name, version, LICENCES[name], comment="in " + where))
        relations.append(related("CONTAINS", project["name"], name))
    listed = []
    for n, (name, path) in enumerate(files):
        listed.append({"SPDXID": "SPDXRef-File-%d" % n, "fileName": "./" + name, "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
                       "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)} for kind in ("sha1", "sha256")]})
        relations.append(related("GENERATED_FROM", "File-%d" % n, project["name"]))
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "%(name)s-%(version)s" % project,
        "documentNamespace": "%s/spdx/%s-%s" % (project["address"], project["version"], namespace),
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                         "creators": ["Organization: " + project["maintainers"], "Tool: bindings/release.py"]},
        "packages": packages, "files": listed, "relationships": relations}, indent=1) + "\n"
