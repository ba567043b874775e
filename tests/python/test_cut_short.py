# SPDX-License-Identifier: Apache-2.0
"""The parameter file becomes shorter while it is being read: an error that says so, and the process lives on."""
import os
import sys
import threading
import time

import mx2onnx
import pytest
from conftest import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests", "bench"))
import models  # noqa: E402


@pytest.fixture
def files(tmp_path):
    """8 layers of 4 MiB."""
    return models.write(lambda g, n: models.mlp(g, n, 1024), 8, str(tmp_path / "net"))


def load(files):
    model = mx2onnx.Model()
    model.load_symbol(files[0])
    model.load_params(files[1])
    model.set_input_shape("data", files[2])
    return model


@pytest.mark.parametrize("way", ("file", "bytes", "callback"))
def test_a_file_cut_between_two_blocks_is_an_error(files, tmp_path, way):
    target = tmp_path / "net.onnx"
    target.write_text("as it was")
    with load(files) as model:
        model.set_progress(lambda p: os.truncate(files[1], 1 << 20) if p.done > p.total // 2 else None)
        with pytest.raises(mx2onnx.Error, match="was changed, shortened or removed"):
            if way == "file":
                model.export(target)
            elif way == "bytes":
                model.export_bytes()
            else:
                model.export_to(lambda data: None)
    assert target.read_text() == "as it was"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0000.params", "net-symbol.json", "net.onnx"]


def test_a_file_cut_at_any_moment_does_no_harm(files, tmp_path):
    """Another thread cuts and mends the file all the time; whatever an export comes to, nothing dies."""
    size, over = os.path.getsize(files[1]), threading.Event()

    def cut():
        while not over.is_set():
            os.truncate(files[1], 1 << 20)
            os.truncate(files[1], size)
            time.sleep(0.001)
    with load(files) as model:
        thread = threading.Thread(target=cut)
        thread.start()
        try:
            for i in range(12):
                try:
                    if i % 3 == 0:
                        model.export(tmp_path / "net.onnx")
                    elif i % 3 == 1:
                        model.export_bytes()
                    else:
                        model.export_to(lambda data: len(bytes(data)))
                except mx2onnx.Error as e:
                    assert "shortened" in str(e)
        finally:
            over.set()
            thread.join()
