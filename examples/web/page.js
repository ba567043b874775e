// SPDX-License-Identifier: Apache-2.0
// Hands what was chosen to worker.js, and its answer to the reader.
const at = (id) => document.getElementById(id);
const worker = new Worker("worker.js", { type: "module" });

function say(text, lines, failed) {
  at("result").textContent = text;
  at("result").className = failed ? "error" : "";
  at("said").hidden = lines.length === 0;
  at("said").textContent = lines.join("\n");
}

function offer(onnx, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(onnx);
  link.download = link.textContent = name;
  link.id = "download";
  at("result").append(" ", link);
}

worker.onmessage = ({ data }) => {
  if (data.progress !== undefined) {
    at("progress").value = data.progress;
    return;
  }
  at("progress").hidden = true;
  if (data.error) {
    say(data.error, data.diagnostics, true);
    return;
  }
  say(`${data.onnx.size.toLocaleString("en")} bytes in ${data.seconds.toFixed(2)} s: ${data.inputs} → ${data.outputs}`,
    data.diagnostics, false);
  offer(data.onnx, data.name);
};

at("form").onsubmit = (event) => {
  event.preventDefault();
  say("", [], false);
  at("progress").hidden = false;
  at("progress").value = 0;
  const shapes = Object.fromEntries(at("shapes").value.split(/[\s;]+/).filter(Boolean).map((text) => {
    const [name, dims] = text.split("=");
    return [name, dims.split(",").map((d) => (/^\d+$/.test(d) ? Number(d) : d))];
  }));
  worker.postMessage({ files: [...at("files").files], shapes, half: at("half").checked });
};
