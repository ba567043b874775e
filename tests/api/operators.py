"""Every operator of MXNet that ONNX can say is in the registry (operators.tsv), or is in LEFT with the reason.

    python3 operators.py MX2ONNX
"""
import json
import os
import subprocess
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators.tsv")
MOST_LEFT = 25
NO_MEANING = "no-meaning-in-onnx"  # steps of optimisers, callbacks into Python, markers of passes
NO_RELEASE = "no-release"          # in no wheel of MXNet, so that there is nothing to compare with
NO_FORM = "custom-domain-only"     # ONNX has no operators for it: a reason, but not one of the few

SPARSE = "reads the structure of a CSR array, which ONNX has no carrier for"
LEFT = {
    "Custom": "code of the user; a program registers a handler (mx2onnx_set_custom_operator)",
    "_contrib_calibrate_entropy": "makes a calibration table; it is in no model",
    "_contrib_dgl_adjacency": SPARSE,
    "_contrib_dgl_csr_neighbor_non_uniform_sample": SPARSE,
    "_contrib_dgl_csr_neighbor_uniform_sample": SPARSE,
    "_contrib_dgl_graph_compact": SPARSE,
    "_contrib_dgl_subgraph": SPARSE,
    "_contrib_edge_id": SPARSE,
    "_contrib_getnnz": SPARSE,
    "_cvcopyMakeBorder": "a function of arrays: MXNet runs none in a graph",
    "_contrib_quantize_asym": "MXNet 1.9.1 crashes where it runs one, so that nothing can be compared",
    "_contrib_quantized_rnn": "its weights are packed by oneDNN's pass; no model of MXNet 1.9.1's quantizer holds one that runs elsewhere",
    "_cvimdecode": "ONNX's ImageDecoder has no kernel in any CPU runtime that a test could run",
    "_cvimresize": "as _cvcopyMakeBorder",
    "_npi_eig": "eigenvalues of matrices that are not symmetric are complex, which MXNet refuses and ONNX does not have",
    "_npi_eigvals": "as _npi_eig",
    "_contrib_intgemm_fully_connected": "its weights have a layout of the processor that prepared them",
    "_contrib_intgemm_prepare_weight": "as _contrib_intgemm_fully_connected",
    "_contrib_intgemm_take_weight": "as _contrib_intgemm_fully_connected",
    "_image_random_crop": "another part of the image at each run: no part of a model at inference",
    "_image_random_resized_crop": "as _image_random_crop",
    "_npx__random_multinomial": "saved as _sample_multinomial, which in MXNet 2 draws counts; its tensors of trials have no bound",
    "_sample_unique_zipfian": "draws until so many differ and counts the draws; used to train sampled softmax only",
    "_sg_mkldnn_selfatt_qk": "made by oneDNN's pass; MXNet 1.9.1 ends where it meets one in a file",
    "_sg_mkldnn_selfatt_valatt": "as _sg_mkldnn_selfatt_qk",
}


def main():
    printed = subprocess.run([sys.argv[1], "ops", "--json"], check=True, capture_output=True, text=True).stdout
    known = {name for op in json.loads(printed)["operators"] if op["status"] != "no" for name in [op["name"]] + op["aliases"]}
    with open(FILE, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    names = [name for name, _ in rows]
    wrong = ["%s is listed twice" % n for n in sorted(set(names)) if names.count(n) > 1]
    wrong += ["%s is neither known nor left for a reason" % name for name, form in rows
              if name not in known and name not in LEFT and form not in (NO_MEANING, NO_RELEASE)]
    wrong += ["%s is known: it needs no reason" % name for name in LEFT if name in known]
    wrong += ["%s has a reason, but is not an operator" % name for name in LEFT if name not in names]
    left = sum(name in LEFT and form != NO_FORM for name, form in rows)
    wrong += ["%d operators are left, %d may be" % (left, MOST_LEFT)] * (left > MOST_LEFT)
    print("\n".join(wrong) or "%d operators, %d left" % (len(rows), left))
    return 1 if wrong else 0


sys.exit(main())
