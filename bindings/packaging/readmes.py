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

The package contains the library: npm installs `{scope}/PLATFORM-ARCH` with it. `MX2ONNX_LIBRARY` names another one. On other
platforms the package uses the system's library, or `npm run build` in the package's folder compiles it from `vendor/` with %s.
""" % LIBRARIES, {"--install-links $MX2ONNX/bindings/node": "mx2onnx"}),
    "bindings/java": ("""```xml
<dependency>
  <groupId>{group}</groupId>
  <artifactId>mx2onnx</artifactId>
  <version>{version}</version>
</dependency>
```

The jar has the library for Linux with glibc (x86-64, arm64), Windows (x86-64) and macOS (arm64, x86-64). On other
platforms `MX2ONNX_LIBRARY` or the property `mx2onnx.library` names it, or the system has it.
Start a program with `--enable-native-access=ALL-UNNAMED` (or `={group}` on the module path); otherwise Java prints a warning.
""", {"mvn -q -f $MX2ONNX/bindings/java package -DskipTests\njava": "mvn -q dependency:copy -Dartifact={group}:mx2onnx:{version} -DoutputDirectory=.\njava",
          "$MX2ONNX/bindings/java/target/": ""}),
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
| none | the one that pkg-config finds; install it first |
| `mx2onnx_vendored` | compiled with the package, with %s |
| `mx2onnx_flags` | the one that `CGO_CFLAGS` and `CGO_LDFLAGS` name, which may be static |
""" % LIBRARIES, {"go mod edit -replace {module}=$MX2ONNX/bindings/go\ngo mod tidy\ngo run .": "go get {module}\ngo run -tags mx2onnx_vendored ."}),
    "bindings/csharp": ("""```sh
dotnet add package Mx2onnx
```

.NET loads the library from the package, `runtimes/RID/native/`. mono takes the assembly of `lib/netstandard2.0/` and looks for
the library where the system does: put its folder into `LD_LIBRARY_PATH`. The package is a ZIP archive.
""", {"mcs -out:main.exe Main.cs $MX2ONNX/bindings/csharp/src/*.cs\nmono main.exe": """unzip -q Mx2onnx.{version}.nupkg -d package
cp package/lib/netstandard2.0/Mx2onnx.dll .
mcs -out:main.exe -r:Mx2onnx.dll Main.cs
LD_LIBRARY_PATH=package/runtimes/linux-x64/native mono main.exe""",
          "project with the reference": "project with the package"}),
    "bindings/rust/mx2onnx": ("""```sh
cargo add mx2onnx --features vendored
```

The feature `vendored` compiles the library with the crate, with %s. Without it the library is the system's, found by
pkg-config, or that of the folder `MX2ONNX_LIB_DIR`; [mx2onnx-sys](../mx2onnx-sys/README.md) explains how.
""" % LIBRARIES, {"--path $MX2ONNX/bindings/rust/mx2onnx": "mx2onnx --features vendored"}),
    "bindings/rust/mx2onnx-sys": (None, {}),
}
RELATIVE = r"\]\((?!https?:|#)"
FAULTS = re.compile(r"MX2ONNX\b(?!_)|not published|" + RELATIVE)


def published(root, folder, project):
    """Its text."""
    install, others = FILES[folder]
    text = version.read(root, folder + "/README.md")
    if install:
        text = re.sub(r"(?<=^## Install\n\n).*?(?=\n^## )", lambda m: install.format(**project), text, flags=re.M | re.S)
    text = re.sub(r"\s`\$MX2ONNX` is the\s+checkout\.", "", text)
    for old, new in others.items():
        if old.format(**project) not in text:
            raise ValueError("%s/README.md has not what is replaced: %s" % (folder, old))
        text = text.replace(old.format(**project), new.format(**project))
    text = re.sub(r"^(```\w+) .*$", r"\1", text, flags=re.M)  # why the checkout's tests do not run a block
    top = "%s/blob/v%s/" % (project["address"], project["version"])
    return re.sub("(" + RELATIVE + r")([^)]*)", lambda m: m.group(1) + top + posixpath.normpath(posixpath.join(folder, m.group(2))), text)


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
