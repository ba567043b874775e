"""A package of NuGet without .NET's own tools: the assembly by mono's compiler, the zip by hand."""
import glob
import os
import re
import struct
import subprocess

import archives

# The folder of each platform in the package, as .NET names platforms, and the library that is in it.
RUNTIMES = {"linux-x64": "manylinux-x86_64", "linux-arm64": "manylinux-aarch64", "linux-musl-x64": "musllinux-x86_64",
            "linux-musl-arm64": "musllinux-aarch64", "win-x64": "windows-x86_64", "osx-arm64": "macos-arm64", "osx-x64": "macos-x86_64"}
NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>{PackageId}</id>
    <version>{Version}</version>
    <authors>{Authors}</authors>
    <license type="expression">{PackageLicenseExpression}</license>
    <licenseUrl>https://licenses.nuget.org/{PackageLicenseExpression}</licenseUrl>
    <readme>{PackageReadmeFile}</readme>
    <projectUrl>{PackageProjectUrl}</projectUrl>
    <repository type="{RepositoryType}" url="{RepositoryUrl}" />
    <description>{Description}</description>
    <tags>{tags}</tags>
    <dependencies>
      <group targetFramework=".NETStandard2.0" />
    </dependencies>
  </metadata>
</package>
"""
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="psmdcp" ContentType="application/vnd.openxmlformats-package.core-properties+xml" />
%s  <Override PartName="/LICENSE" ContentType="application/octet" />
  <Override PartName="/NOTICE" ContentType="application/octet" />
  <Override PartName="/Mx2onnx.nuspec" ContentType="application/octet" />
</Types>
"""
RELATIONS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Mx2onnx.nuspec" Id="R1" />
</Relationships>
"""


def properties(project):
    """Those of the .csproj, which `dotnet pack` would read."""
    with open(os.path.join(project, "Mx2onnx.csproj"), encoding="utf-8") as f:
        return dict(re.findall(r"<(\w+)>([^<]*)</\1>", f.read()))


def assembly(project, folder):
    """Mx2onnx.dll and its documentation. mono's own mscorlib has the names of all that .NET Standard 2.0 has, and facades do the rest."""
    dll, xml = os.path.join(folder, "Mx2onnx.dll"), os.path.join(folder, "Mx2onnx.xml")
    p = properties(project)
    info = os.path.join(folder, "AssemblyInfo.cs")
    with open(info, "w", encoding="utf-8") as f:
        f.write('[assembly: System.Reflection.AssemblyVersion("%s.0")]\n[assembly: System.Reflection.AssemblyTitle("Mx2onnx")]\n' % p["Version"])
        f.write('[assembly: System.Runtime.Versioning.TargetFramework(".NETStandard,Version=v2.0")]\n')
    sources = sorted(glob.glob(os.path.join(project, "src", "*.cs")))
    subprocess.run(["mcs", "-langversion:7", "-warnaserror", "-optimize", "-debug-", "-target:library", "-doc:" + xml, "-out:" + dll, *sources, info], check=True)
    make_reproducible(dll)
    return dll, xml


def make_reproducible(dll):
    """mcs writes the time and a random identity; both become fixed."""
    with open(dll, "rb") as f:
        data = bytearray(f.read())
    pe = struct.unpack_from("<I", data, 0x3C)[0]
    struct.pack_into("<I", data, pe + 8, 0)
    metadata = data.index(b"BSJB")
    length = struct.unpack_from("<I", data, metadata + 12)[0]
    streams = struct.unpack_from("<H", data, metadata + 16 + length + 2)[0]
    at = metadata + 16 + length + 4
    for _ in range(streams):
        offset, size = struct.unpack_from("<II", data, at)
        end = data.index(b"\0", at + 8)
        if bytes(data[at + 8:end]) == b"#GUID":
            data[metadata + offset:metadata + offset + size] = b"\x6d" * size
        at = at + 8 + ((end - at - 8) // 4 + 1) * 4
    with open(dll, "wb") as f:
        f.write(data)


def pack(project, natives, work, output, epoch):
    """natives(name) is the folder of a platform's library."""
    p = properties(project)
    dll, xml = assembly(project, work)
    files = [("lib/netstandard2.0/" + os.path.basename(path), path) for path in (dll, xml)]
    files += [(name, os.path.join(project, name)) for name in ("README.md", "LICENSE", "NOTICE")]
    for runtime, name in RUNTIMES.items():
        for file in sorted(os.listdir(natives(name))):
            if not file.startswith("mx2onnx") or file.endswith(".dll"):  # all but the program
                files.append(("runtimes/%s/native/%s" % (runtime, file), os.path.join(natives(name), file)))
    extensions = sorted({n.rsplit(".", 1)[1] for n, _ in files if "." in n.rsplit("/", 1)[-1]})
    types = TYPES % "".join('  <Default Extension="%s" ContentType="application/octet" />\n' % e for e in extensions)
    nuspec = NUSPEC.format(tags=p["PackageTags"].replace(";", " "), **p)
    path = os.path.join(output, "%s.%s.nupkg" % (p["PackageId"], p["Version"]))
    archives.zip_of(path, [("_rels/.rels", RELATIONS.encode()), ("Mx2onnx.nuspec", nuspec.encode()), *sorted(files),
                           ("[Content_Types].xml", types.encode())], epoch)
    return path
