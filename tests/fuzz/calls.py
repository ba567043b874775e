#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes calls.inc for calls.c: every function of the header that takes a model or nothing, called with arguments that the fuzzer's
bytes choose, by the types and names in bindings/api.json.

    calls.py API.json CALLS.inc
"""
import json
import sys

DRAWN = {  # by name where a name says more than the type
    "rank": "draw_rank(b)",
    "dims": "draw_dims(b)",
    "mean": "draw_doubles(b)",
    "scale": "draw_doubles(b)",
    "n": "fuzz_below(b, DOUBLES + 1)",
    "outputs": "draw_index(b)",
    "version": "draw_choice(b)",
    "path": "draw_path(b)",
    "dim_names": "draw_names(b)",
    "const char *": "draw_text(b)",
    "size_t": "draw_index(b)",
    "uint64_t": "(uint64_t)fuzz_size(b)",
    "mx2onnx_log_fn": "draw_log(b)",
    "mx2onnx_progress_fn": "draw_progress(b)",
    "const mx2onnx_handler *": "draw_handler(b)",
    "mx2onnx_read_fn": "draw_reader(b)",
    "mx2onnx_write_fn": "draw_writer(b)",
}
MODEL = ("mx2onnx_model *", "const mx2onnx_model *")
BY_HAND = {"mx2onnx_model_new", "mx2onnx_model_free", "mx2onnx_memory_new", "mx2onnx_memory_free"}
ALWAYS = {"mx2onnx_diagnostic_get": 1, "mx2onnx_report_json": 2}  # both leave errors as they are; the first works while the model is busy


def argument(a, borrowed):
    """The C expression for one argument."""
    name, kind = a["name"], a["type"]
    if kind in MODEL:
        return "m"
    if name == "data" and kind == "const void *":
        return "piece.data"
    if name == "size":
        return {"size_t": "piece.size", "size_t *": "draw_size_place(b)"}.get(kind, "draw_length(b)")
    if name == "user":
        return "piece.user" if borrowed else "NULL"
    if kind == "mx2onnx_release_fn":
        return "piece.release"
    if kind in ("const char **", "void **", "mx2onnx_diagnostic *", "void *"):
        return {"const char **": "draw_text_place(b)", "void **": "draw_data_place(b)", "void *": "piece.room"}.get(kind, "draw_diagnostic(b)")
    if kind == "const mx2onnx_array *":
        return "draw_array(b, piece.data, piece.size)"
    if kind in DRAWN and "mx2onnx" in kind:
        return DRAWN[kind]
    if kind.startswith("mx2onnx_") or name in ("on", "keep", "seed"):
        return DRAWN.get(kind, "draw_choice(b)")
    if kind == "size_t *":
        return "draw_size_place(b)"
    if kind == "int32_t *":
        return "draw_rank_place(b)"
    if name == "value" and kind != "const char *":
        return "(%s)draw_amount(b)" % kind
    return DRAWN[name] if name in DRAWN else DRAWN[kind]


def statement(f):
    """The call, and the checks after it."""
    arguments = f["arguments"]
    borrowed = any(a["type"] == "mx2onnx_release_fn" for a in arguments)
    call = "%s(%s)" % (f["name"], ", ".join(argument(a, borrowed) for a in arguments))
    if f["returns"] == "mx2onnx_status" and arguments and arguments[0]["type"] in MODEL:
        call = "expect_status(w, m, %s, %d)" % (call, ALWAYS.get(f["name"], 0))
    elif f["returns"] == "const char *":
        call = "read_text(%s)" % call
    else:
        call = "(void)" + call
    if "piece." in call:
        call = "struct piece piece = draw_piece(b, %d);\n        %s;\n        end_piece(&piece, %d)" % (borrowed, call, borrowed)
    return call


def main():
    api, out = sys.argv[1:]
    with open(api, encoding="utf-8") as f:
        functions = json.load(f)["functions"]
    calls = [statement(f) for f in functions if f["name"] not in BY_HAND and not f["name"].startswith("mx2onnx_node_")]
    with open(out, "w", encoding="utf-8") as f:
        f.write("/* Made by calls.py. */\nenum { CALLS = %d };\n\n" % len(calls))
        f.write("static void call_number(struct world *w, mx2onnx_model *m, struct fuzz_bytes *b, unsigned number)\n{\n    switch (number) {\n")
        for i, call in enumerate(calls):
            f.write("    case %d: {\n        %s;\n        break;\n    }\n" % (i, call))
        f.write("    }\n}\n")


if __name__ == "__main__":
    main()
