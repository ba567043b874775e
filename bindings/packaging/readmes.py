"""The README.md of a package as who has no checkout needs it: installed from the registry, with links that lead somewhere."""
import contextlib
import os
import posixpath
import re

import version

LIBRARIES = "jansson and libzip (Debian: `gcc libc6-dev pkg-config libjansson-dev libzip-dev`)"
# The section "Install", and what is replaced elsewhere. {module} is a field of project.json.
FILES = {
    "bindings/python": ("""```sh
pip install mx2onnx
```

A wheel has the library and the program in it and needs nothing. The source distribution is compiled with %s.
""" % LIBRARIES, {"$MX2ONNX/bindings/python": "mx2onnx"}),
    "bindings/node": ("""```sh
npm install mx2onnx
```

The package uses the first library of these: `MX2ONNX_LIBRARY` names it, the package `{scope}/PLATFORM-ARCH`, which npm
installs with this one, has it, or the system has it. On other platforms `npm run build` in the package's folder compiles
it from `vendor/` with %s.
""" % LIBRARIES, {"--install-links $MX2ONNX/bindings/node": "mx2onnx"}),
    "bindings/wasm": ("""```sh
npm install mx2onnx-wasm
```

Without npm, serve the package's files from your own site and import `mx2onnx.mjs`. They need no other file.
""", {}),
    "bindings/go": ("""```sh
go get {module}
```

| build tag | the library |
| --- | --- |
| none | that of pkg-config, which is installed before |
| `mx2onnx_vendored` | compiled with the package, with %s |
| `mx2onnx_flags` | that of `CGO_CFLAGS` and `CGO_LDFLAGS`, a static one too |
""" % LIBRARIES, {"go mod edit -replace {module}=$MX2ONNX/bindings/go\ngo mod tidy\ngo run .": "go get {module}\ngo run -tags mx2onnx_vendored ."}),
    "bindings/csharp": ("""```sh
dotnet add package Mx2onnx
```

.NET loads the library from the package, `runtimes/RID/native/`. mono takes the assembly of `lib/netstandard2.0/` and looks for
the library where the system does: put its folder into `LD_LIBRARY_PATH`.
""", {"mcs -out:main.exe Main.cs $MX2ONNX/bindings/csharp/src/*.cs": "mcs -out:main.exe -r:Mx2onnx.dll Main.cs"}),
    "bindings/rust/mx2onnx": ("""```sh
cargo add mx2onnx --features vendored
```

The feature `vendored` compiles the library with the crate, with %s. Without it the library is the system's, found by
pkg-config, or that of the folder `MX2ONNX_LIB_DIR`; [mx2onnx-sys](../mx2onnx-sys/README.md) explains how.
""" % LIBRARIES, {"--path $MX2ONNX/bindings/rust/mx2onnx": "mx2onnx --features vendored"}),
    "bindings/rust/mx2onnx-sys": (None, {}),
}
FAULTS = re.compile(r"MX2ONNX\b(?!_)|not published|\]\(\.\.?/")


def published(root, folder, project):
    """Its text."""
    install, others = FILES[folder]
    text = version.read(root, folder + "/README.md")
    if install:
        text = re.sub(r"(?<=^## Install\n\n).*?(?=\n^## )", lambda m: install.format(**project), text, flags=re.M | re.S)
    text = re.sub(r"\s`\$MX2ONNX` is the\s+checkout\.", "", text)
    for old, new in others.items():
        text = text.replace(old.format(**project), new.format(**project))
    text = re.sub(r"^(```\w+) .*$", r"\1", text, flags=re.M)  # why the checkout's tests do not run a block
    top = "%s/blob/v%s/" % (project["address"], project["version"])
    return re.sub(r"(?<=\]\()\.\.?/[^)]*", lambda m: top + posixpath.normpath(posixpath.join(folder, m.group())), text)


def faults(text):
    """What only a checkout has."""
    return FAULTS.findall(text)


@contextlib.contextmanager
def in_tree(root, project):
    """While packages are made."""
    before = {folder + "/README.md": version.read(root, folder + "/README.md") for folder in FILES}
    for folder in FILES:
        version.write(root, os.path.join(folder, "README.md"), published(root, folder, project))
    yield
    for file, text in before.items():
        version.write(root, file, text)
