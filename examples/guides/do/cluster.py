"""Converts the archives below a folder on the machines of a Dask cluster: python cluster.py SOURCE TARGET DIMS [SCHEDULER]

SOURCE and TARGET are folders that every machine sees, or addresses of fsspec such as s3://bucket/models. DIMS are those of each model's
only input, batch,3,224,224. Without the address of a scheduler two processes of this machine do the work.
"""
import json
import os
import sys
import tempfile

import fsspec
from distributed import Client, LocalCluster, as_completed

ARCHIVES = (".zip", ".mar", ".tar.gz", ".tgz")


def convert(source, target, shape):
    """Runs on a machine of the cluster. A model that cannot be converted is a result; what the network does is an exception."""
    import mx2onnx

    files, path = fsspec.url_to_fs(target)
    with tempfile.TemporaryDirectory() as folder, fsspec.open(source, "rb") as archive:
        try:
            with mx2onnx.Model(archive) as model:
                model.set_input_shape(model.inputs[0].name, shape)
                model.export(os.path.join(folder, os.path.basename(path)))
        except mx2onnx.Error as e:
            return {"model": source, "status": e.status, "message": str(e)}
        files.makedirs(os.path.dirname(path), exist_ok=True)
        for name in sorted(os.listdir(folder), reverse=True):  # NAME.onnx.data of a large model before NAME.onnx
            files.put_file(os.path.join(folder, name), os.path.join(os.path.dirname(path), name))
    return {"model": source, "onnx": target}


def main():
    source, target, dims = sys.argv[1:4]
    shape = [int(d) if d.isdigit() else d for d in dims.split(",")]
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    client = Client(sys.argv[4] if len(sys.argv) > 4 else LocalCluster(**local))
    files, top = fsspec.url_to_fs(source)
    work = {}
    for path in files.find(top):
        stem = next((path[len(top):-len(end)] for end in ARCHIVES if path.endswith(end)), None)
        if stem:
            address = files.unstrip_protocol(path)
            future = client.submit(convert, address, target + stem + ".onnx", shape, pure=False, retries=2)
            work[future] = address
    results = []
    for future in as_completed(work):
        error = future.exception()  # after the retries
        results.append({"model": work[future], "status": "IO", "message": str(error)} if error else future.result())
    results.sort(key=lambda r: r["model"])
    failed = [r for r in results if "message" in r]
    with open("report.json", "w") as f:
        json.dump({"converted": [r for r in results if "onnx" in r], "failed": failed}, f, indent=2)
    print("%d of %d models converted" % (len(results) - len(failed), len(results)))
    for r in failed:
        print("failed: %s: %s" % (os.path.basename(r["model"]), r["message"]))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
