"""A shared object that is linked to the static library has its names for itself alone: two plugins of one program may bring two
versions of it.

    python3 plugin.py LIBRARY.a INCLUDE COMPILER...
"""
import os
import subprocess
import sys
import tempfile

LIBRARY, INCLUDE, *COMPILER = sys.argv[1:]
SOURCE = """#define MX2ONNX_STATIC
#include <mx2onnx.h>
int32_t plugin(mx2onnx_model **m);
int32_t plugin(mx2onnx_model **m)
{
    return mx2onnx_model_new(m) == MX2ONNX_OK && mx2onnx_load(*m, "net") == MX2ONNX_OK ? mx2onnx_export_file(*m, "net.onnx") : -1;
}
"""
LINKERS_OWN = {"_init", "_fini", "__bss_start", "_edata", "_end"}


def names(file, *which):
    shown = subprocess.run(["nm", *which, "--defined-only", file], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in shown.splitlines() if len(line.split()) == 3}


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, plugin = os.path.join(folder, "plugin.c"), os.path.join(folder, "plugin.so")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SOURCE)
        subprocess.run([*COMPILER, "-shared", "-fPIC", source, "-I", INCLUDE, LIBRARY, "-o", plugin], check=True)
        if "mx2onnx_load" not in names(plugin):
            sys.exit("the library is not in the plugin")
        exported = names(plugin, "-D") - LINKERS_OWN
        if exported != {"plugin"}:
            sys.exit("the plugin exports %d names, such as %s" % (len(exported), sorted(exported)[:3]))


main()
