#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the malformed files out of the kept ones, as edits.tsv says.

    python3 make.py FOLDER      FOLDER/malformed/json and params, with the kept files; says which files it made
"""
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent


def from_hex(words):
    return b"".join(bytes.fromhex(word) * int(times or 1) for word, times in re.findall(r"(\w+)(?:\*(\d+))?", words))


def edited(data, cut, put=""):
    place = re.fullmatch(r"@(\d+)\+(\d+|\*)", cut)
    if place:
        at, put = int(place[1]), from_hex(put)
        end = len(data) if place[2] == "*" else at + int(place[2])
    else:
        cut, put = cut.encode(), put.encode()
        assert data.count(cut) == 1, cut
        at = data.index(cut)
        end = at + len(cut)
    assert end <= len(data), cut
    return data[:at] + put + data[end:]


def main(folder):
    for kind in ("json", "params"):
        shutil.rmtree(folder / kind, ignore_errors=True)
        shutil.copytree(HERE / kind, folder / kind)
    for line in (HERE / "edits.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, start, cut, *put = line.split("\t")
            file = folder / name
            data = (file if start == "then" else file.with_name(start + file.suffix)).read_bytes()
            file.write_bytes(edited(data, cut, *put))
            print(name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) / "malformed")
