# SPDX-License-Identifier: Apache-2.0
"""All nets. A module here holds `NETS`; see ../net.py."""
import importlib

MODULES = (
    "gluoncv",
    "gluonnlp",
    "classic",
    "faces",
    "detection",
    "sequences",
    "general",
    "int8",
    "gluonts",
    "keras",
    "sockeye",
    "sagemaker",
    "gluon2",
)


def load():
    """{name: Net}, in the order of the modules."""
    found = {}
    for module in MODULES:
        for net in importlib.import_module("nets." + module).NETS:
            if net.name in found:
                raise ValueError("two nets are called " + net.name)
            found[net.name] = net
    return found
