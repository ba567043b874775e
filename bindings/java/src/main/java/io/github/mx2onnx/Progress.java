// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** Hears of bytes while an export writes. */
@FunctionalInterface
public interface Progress {
  /**
   * Called on the thread of the export.
   *
   * @param done bytes written
   * @param total bytes to write
   * @return true to stop, which ends the export with a CancelledException
   * @throws Exception what comes out of the export
   */
  boolean update(long done, long total) throws Exception;
}
