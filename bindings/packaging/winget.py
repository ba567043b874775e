"""The manifest of winget: three files, which name the archive of the program for Windows."""
IDENTIFIER = "{owner}.mx2onnx"
COMMON = "PackageIdentifier: {identifier}\nPackageVersion: {version}\n"
FILES = {
    ".yaml": "DefaultLocale: en-US\nManifestType: version\n",
    ".installer.yaml": """InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: mx2onnx.exe
    PortableCommandAlias: mx2onnx
Installers:
  - Architecture: x64
    InstallerUrl: {address}/releases/download/v{version}/{archive}
    InstallerSha256: {sha256}
ManifestType: installer
""",
    ".locale.en-US.yaml": """PackageLocale: en-US
Publisher: {maintainers}
PublisherUrl: {address}
PublisherSupportUrl: {address}/issues
PackageName: mx2onnx
PackageUrl: {address}
License: Apache-2.0
LicenseUrl: {address}/blob/v{version}/LICENSE
ShortDescription: MXNet models to ONNX, without MXNet
Moniker: mx2onnx
Tags: [converter, mxnet, onnx]
ReleaseNotesUrl: {address}/releases/tag/v{version}
ManifestType: defaultLocale
""",
}


def files(project, archive, sha256):
    """{name: text}"""
    identifier = IDENTIFIER.format(owner=project["address"].split("/")[-2])
    said = dict(project, identifier=identifier, archive=archive, sha256=sha256.upper())
    return {identifier + ending: (COMMON + text + "ManifestVersion: 1.6.0\n").format(**said) for ending, text in FILES.items()}
