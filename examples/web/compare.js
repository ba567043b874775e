// SPDX-License-Identifier: Apache-2.0
// How far two arrays are apart: the greatest difference as a share of the greatest number, as in mx2onnx verify.
import { plain } from "./tensors.js";

export const TOLERANCE = 1e-4;

export function compare(got, want) {
  if (got.dims.join() !== want.dims.join()) {
    return { error: Infinity, why: `shape (${got.dims.join(", ")}), MXNet has (${want.dims.join(", ")})` };
  }
  const g = plain(got), w = plain(want);
  let difference = 0, greatest = 0;
  for (let i = 0; i < w.length; i++) {
    if (!Number.isFinite(g[i]) || !Number.isFinite(w[i])) {
      if (!Object.is(g[i], w[i])) {
        return { error: Infinity, why: "NaN or infinity where MXNet has none, or the reverse" };
      }
      continue;
    }
    difference = Math.max(difference, Math.abs(g[i] - w[i]));
    greatest = Math.max(greatest, Math.abs(w[i]));
  }
  return { error: difference === 0 ? 0 : difference / greatest, why: "" };
}
