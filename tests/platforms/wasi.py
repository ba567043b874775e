# SPDX-License-Identifier: Apache-2.0
"""Runs a program of WASI in wasmtime, with the files of this machine: python wasi.py PROGRAM.wasm ARGUMENT..."""
import sys

import wasmtime

config = wasmtime.WasiConfig()
config.argv = sys.argv[1:]
config.inherit_stdin()
config.inherit_stdout()
config.inherit_stderr()
config.preopen_dir("/", "/")
engine = wasmtime.Engine()
store = wasmtime.Store(engine)
store.set_wasi(config)
linker = wasmtime.Linker(engine)
linker.define_wasi()
try:
    program = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
    program.exports(store)["_start"](store)
except wasmtime.ExitTrap as end:
    sys.exit(end.code)
