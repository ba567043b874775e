"""Arrays with a place for each dimension are lists that know their capacity (lib/graph/list.h), or are named here with the reason why no
number of a file can be an index outside of them. Each list has an owner, to which it says that it is full."""
import re
import sys

from includes import sources, without_comments

ARRAY = re.compile(r"\[[^\]\n]*\b(?:MX_MAX_RANK|MX_LIST_ROOM)\b[^\]\n]*\](?=\s*(?:=|,|;))")
TENSOR = "its length is the rank of a tensor, which ox_rank_possible has checked where the tensor was made"
MADE = re.compile(r"\b(mx_(?:dim|int)_list)\(([^()]*(?:\([^()]*\))?[^()]*)\)")
OWNER = re.compile(r"&[\w.>-]*error|[\w.>-]+[.>]error|enum mx_list_error \*error")  # its own, that of another list, or a declaration
UNMADE = re.compile(r"\bstruct mx_(?:dim|int)_list \w+ = \{")
JUSTIFIED = {  # path: (arrays, reason)
    "lib/graph/list.h": (2, "the lists"),
    "lib/onnx/values/state.h": (1, "ox_build.pad is only read through a shape of OX_PAD_RANK"),
    "lib/onnx/values/view.c": (13, TENSOR),
    "lib/onnx/tensor/gather.c": (9, TENSOR),
    "lib/onnx/rules/fold.c": (7, TENSOR + "; ox_fold_gather, which adds two ranks, checks the sum"),
    "lib/read/params_list.c": (1, "read_rank refuses more"),
    "lib/read/params_npy.c": (3, "scan_shape refuses more"),
    "lib/read/params_npz.c": (1, "read_shape refuses more"),
    "ops/numpy/np_einsum.c": (1, "add_label, which alone writes labels, refuses more"),
}


def unowned(text):
    """The lists of a text that have no owner."""
    return ["%s(%s)" % found for found in MADE.findall(text) if not OWNER.fullmatch(found[1])] + UNMADE.findall(text)


def main():
    assert unowned("l = mx_dim_list(NULL); mx_int_list(error_of(c)); struct mx_int_list l = {0};") == [
        "mx_dim_list(NULL)", "mx_int_list(error_of(c))", "struct mx_int_list l = {"], "the check finds nothing"
    found = {}
    failures = []
    for folder in ("lib", "ops"):
        for path, text in sources(folder):
            lines = [line for line in without_comments(text).split("\n") if ARRAY.search(line)]
            failures += ["%s: %s has no owner; use mx_no_dims, mx_no_ints, ox_no_dims or ox_no_ints, or an array of the arena that has "
                         "the exact length" % (path, made) for made in unowned(without_comments(text))]
            count = sum(len(ARRAY.findall(line)) for line in lines)
            if count:
                found[path] = count, lines
    for path, (count, lines) in sorted(found.items()):
        if count != JUSTIFIED.get(path, (0,))[0]:
            failures.append("%s has %d arrays, %d are justified; use mx_no_dims, mx_no_ints, ox_no_dims or ox_no_ints:\n    %s"
                            % (path, count, JUSTIFIED.get(path, (0,))[0], "\n    ".join(line.strip() for line in lines)))
    failures += ["%s has no array any more; remove it from JUSTIFIED" % path for path in JUSTIFIED if path not in found]
    print("\n".join(failures) or "%d arrays in %d files" % (sum(f[0] for f in found.values()), len(found)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
