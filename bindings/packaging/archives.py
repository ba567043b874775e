"""Archives whose bytes depend on their contents alone: names in order, one time, no owner."""
import gzip
import io
import os
import subprocess
import tarfile
import time
import zipfile


def files_of(folder):
    """[(name, path)] in order; names have slashes."""
    found = []
    for top, folders, names in os.walk(folder):
        folders.sort()
        found += [(os.path.relpath(os.path.join(top, n), folder).replace(os.sep, "/"), os.path.join(top, n)) for n in names]
    return sorted(found)


def is_program(path):
    return bool(os.stat(path).st_mode & 0o100)


def tar_gz(output, folder, prefix, epoch):
    """All of the folder, its names after prefix."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, path in files_of(folder):
            info = tarfile.TarInfo(prefix + name)
            info.mtime = epoch
            if os.path.islink(path):
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
                tar.addfile(info)
                continue
            info.size, info.mode = os.path.getsize(path), 0o755 if is_program(path) else 0o644
            with open(path, "rb") as f:
                tar.addfile(info, f)
    with open(output, "wb") as f, gzip.GzipFile("", "wb", 9, f, epoch) as z:
        z.write(data.getvalue())


def tar_folder(archive, folder):
    """Unpacks, and gives the only folder in it."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (inside,) = os.listdir(folder)
    return os.path.join(folder, inside)


def contents(path):
    """(name, bytes) of each file in an archive, or in a package of Debian; nothing of any other file."""
    if path.endswith((".zip", ".whl", ".jar", ".nupkg")):
        with zipfile.ZipFile(path) as z:
            yield from ((name, z.read(name)) for name in z.namelist())
    elif path.endswith((".deb", ".tar.gz", ".tar.xz", ".tgz", ".crate")):
        if path.endswith(".deb"):
            file = io.BytesIO(subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, stdout=subprocess.PIPE).stdout)
        else:
            file = None
        with tarfile.open(None if file else path, fileobj=file) as tar:
            yield from ((member.name, tar.extractfile(member).read()) for member in tar if member.isfile())


def zip_of(output, files, epoch):
    """files: [(name, path or bytes)]."""
    when = time.gmtime(max(epoch, 315532800))[:6]  # a zip begins in 1980
    with zipfile.ZipFile(output, "w") as z:
        for name, what in files:
            info = zipfile.ZipInfo(name, when)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            mode = 0o644
            if not isinstance(what, bytes):
                mode = 0o755 if is_program(what) else 0o644
                with open(what, "rb") as f:
                    what = f.read()
            info.external_attr = (0o100000 | mode) << 16
            z.writestr(info, what, compresslevel=9)


def zip_again(path, epoch):
    """The same zip, in order and with one time: a jar's manifest stays first."""
    with zipfile.ZipFile(path) as z:
        files = [(n, z.read(n)) for n in z.namelist() if not n.endswith("/")]
    zip_of(path, sorted(files, key=lambda f: (f[0] != "META-INF/MANIFEST.MF", f[0])), epoch)
