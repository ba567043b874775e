# SPDX-License-Identifier: Apache-2.0
"""jansson, zlib, libzip, nanopb and cmocka as static libraries for another platform, from Debian's source packages.
As a program it fetches those that a quick run needs, or with --all all of them."""
import glob
import os
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, os.pardir, os.pardir))
SOURCES = os.path.join(ROOT, "build", "platforms", "sources")
PACKAGES = ("jansson", "nanopb", "zlib", "libzip", "cmocka")
QUICK = PACKAGES[:2]
ZLIB = "adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil".split()
ZLIB_FLAGS = {"windows": [], "darwin": ["-DHAVE_UNISTD_H=1", "-Dfdopen=fdopen"]}  # or it takes any Mac for one of 1999
NANOPB = "pb_common pb_encode pb_decode".split()
CMOCKA = ["HAVE_%s=1" % name for name in "ASSERT_H INTTYPES_H MALLOC_H SIGNAL_H STDINT_H STDIO_H STDLIB_H STRING_H TIME_H "
          "STRUCT_TIMESPEC GCC_THREAD_LOCAL_STORAGE VSNPRINTF SNPRINTF".split()]
LIBZIP = ["-DENABLE_%s=OFF" % name for name in "BZIP2 LZMA ZSTD COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO".split()]
LIBZIP += ["-DBUILD_%s=OFF" % name for name in "TOOLS REGRESS EXAMPLES DOC".split()]
JANSSON = "dump error hashtable hashtable_seed load memory pack_unpack strbuffer strconv utf value version".split()
JANSSON_FLAGS = ["-DHAVE_STDINT_H=1", "-DHAVE_ATOMIC_BUILTINS=1"]
PKG_CONFIG = "libdir=%s/lib\nName: %s\nDescription: %s\nVersion: %s\nLibs: -L${libdir} -l%s\nCflags: -I%s/include\n"


def sources(packages=PACKAGES):
    """{package: folder}; they are fetched once."""
    found = {p: os.path.join(SOURCES, p + "-source") for p in packages}
    missing = [p for p, folder in found.items() if not os.path.exists(folder)]
    if missing:
        fetch(missing)
    return found


def apt(folder, kind, *options):
    """apt-get with separate lists, from the system's archive: of sources, or of another machine's packages."""
    for part in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
    with open("/etc/os-release") as f:
        release = [line.split("=")[1].strip() for line in f if line.startswith("VERSION_CODENAME=")][0]
    told = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) main", "Created-By: Packages", "Component: main"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    with open(os.path.join(folder, "sources.list"), "w") as f:
        f.writelines(sorted({"%s %s\n" % (kind, line) for line in told.splitlines() if line.split()[1] == release}))
    options += ("Dir::Etc::SourceList=%s/sources.list" % folder, "Dir::Etc::SourceParts=/dev/null",
                "Dir::State::lists=%s/lists" % folder, "Dir::Cache=%s/cache" % folder, "APT::Sandbox::User=root")
    command = ["apt-get", "-qq"] + [a for o in options for a in ("-o", o)]
    subprocess.run(command + ["update"], check=True, stdin=subprocess.DEVNULL)
    return command


def fetch(packages):
    source = apt(os.path.join(SOURCES, "apt"), "deb-src")
    for package in packages:
        folder = os.path.join(SOURCES, "archives", package)
        os.makedirs(folder, exist_ok=True)
        subprocess.run(source + ["source", "--download-only", "--tar-only", package], check=True, cwd=folder, stdin=subprocess.DEVNULL)
        with tarfile.open(glob.glob(os.path.join(folder, "*.orig.tar.*[!c]"))[0]) as tar:
            tar.extractall(os.path.join(folder, "unpacked"))
        inside = glob.glob(os.path.join(folder, "unpacked", "*"))
        os.rename(inside[0], os.path.join(SOURCES, package + "-source"))


class Prefix:
    """Where they are installed, and what builds them."""

    def __init__(self, folder, binaries, host, call, packages):
        self.prefix, self.work = os.path.join(folder, "deps"), os.path.join(folder, "deps-build")
        self.binaries, self.host, self.call = binaries, host, call
        self.source = sources(packages)
        for part in ("include", "lib/pkgconfig"):
            os.makedirs(os.path.join(self.prefix, part), exist_ok=True)
        os.makedirs(self.work, exist_ok=True)

    def tool(self, name):
        found = self.binaries[name]
        return [found] if isinstance(found, str) else found

    def archive(self, library, package, names, headers, flags=(), folder=""):
        """Without the package's own build system, which would ask the machine for more than is needed."""
        objects, top = [], os.path.join(self.source[package], folder)
        for header in headers:
            shutil.copy(os.path.join(self.source[package], header), os.path.join(self.prefix, "include"))
        for name in names:
            objects.append(os.path.join(self.work, package + "-" + name + ".o"))
            self.call(*self.tool("c"), "-O2", "-fPIC", "-fvisibility=hidden", "-w", "-ffile-prefix-map=%s=." % top, *flags, "-I" + top, "-I" + os.path.join(self.prefix, "include"),
                      "-I" + os.path.join(self.source[package], "include"), "-c", os.path.join(top, name + ".c"), "-o", objects[-1])
        self.call(*self.tool("ar"), "rcs", os.path.join(self.prefix, "lib", "lib%s.a" % library), *objects)

    def describe(self, package, library, version):
        with open(os.path.join(self.prefix, "lib", "pkgconfig", package + ".pc"), "w") as f:
            f.write(PKG_CONFIG % (self.prefix, package, package, version, library, self.prefix))

    def cmake(self, package, *options):
        if self.host["system"] == "emscripten":  # whose check of off_t fails
            common = {"CMAKE_TOOLCHAIN_FILE": glob.glob("/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake")[0],
                      "HAVE_SIZEOF_OFF_T": "1", "SIZEOF_OFF_T": "8"}
        else:
            system = {"linux": "Linux", "windows": "Windows", "darwin": "Darwin"}[self.host["system"]]
            common = {"CMAKE_SYSTEM_NAME": system, "CMAKE_SYSTEM_PROCESSOR": self.host["cpu"],
                      "CMAKE_C_COMPILER": ";".join(self.tool("c")), "CMAKE_AR": shutil.which(self.tool("ar")[0])}
            if "ranlib" in self.binaries:
                common["CMAKE_RANLIB"] = shutil.which(self.tool("ranlib")[0])
        common = {**common, "CMAKE_INSTALL_PREFIX": self.prefix,
                  "CMAKE_INSTALL_LIBDIR": "lib", "CMAKE_FIND_ROOT_PATH": self.prefix,
                  "CMAKE_FIND_ROOT_PATH_MODE_LIBRARY": "ONLY", "CMAKE_FIND_ROOT_PATH_MODE_INCLUDE": "ONLY",
                  "CMAKE_BUILD_TYPE": "Release", "BUILD_SHARED_LIBS": "OFF", "CMAKE_POSITION_INDEPENDENT_CODE": "ON",
                  "CMAKE_C_FLAGS": "-fvisibility=hidden",
                  "ZLIB_LIBRARY": os.path.join(self.prefix, "lib", "libz.a"),
                  "ZLIB_INCLUDE_DIR": os.path.join(self.prefix, "include")}
        build = os.path.join(self.work, package)
        self.call("cmake", "-G", "Ninja", "-S", self.source[package], "-B", build, *options,
                  *["-D%s=%s" % pair for pair in common.items()])
        self.call("cmake", "--build", build, "--target", "install")


def build(folder, binaries, host, call, quick):
    """The prefix with all of them, or with jansson and nanopb alone; `call` runs a command."""
    p = Prefix(folder, binaries, host, call, QUICK if quick else PACKAGES)
    done = os.path.join(p.prefix, "done")
    if os.path.exists(done):
        return p.prefix
    p.archive("protobuf-nanopb", "nanopb", NANOPB, ["pb.h"] + [n + ".h" for n in NANOPB])
    shutil.copy("/usr/include/uthash.h", os.path.join(p.prefix, "include"))
    open(os.path.join(p.work, "jansson_private_config.h"), "w").close()  # nothing: only the flags
    p.archive("jansson", "jansson", JANSSON, ["src/jansson.h", "android/jansson_config.h"], [*JANSSON_FLAGS, "-I" + p.work], "src")
    p.describe("jansson", "jansson", "2.14")
    if not quick:
        p.archive("z", "zlib", ZLIB, ("zlib.h", "zconf.h"), ZLIB_FLAGS.get(host["system"], ["-DHAVE_UNISTD_H=1"]))
        p.describe("zlib", "z", "1.2.13")
        p.cmake("libzip", *LIBZIP)
        p.describe("libzip", "zip -lz", "1.7.3")  # its own does not say that zlib is static
    if not quick and host["system"] != "emscripten":
        headers = ["include/cmocka.h", "include/cmocka_pbc.h"]
        has = [d for d in CMOCKA if not (host["system"] == "darwin" and "MALLOC_H" in d)]
        p.archive("cmocka", "cmocka", ["cmocka"], headers, ["-D" + d for d in has], "src")
        p.describe("cmocka", "cmocka", "1.1.5")
    open(done, "w").close()
    return p.prefix


if __name__ == "__main__":
    sources(PACKAGES if "--all" in sys.argv else QUICK)
