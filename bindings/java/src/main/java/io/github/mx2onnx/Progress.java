// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** Hears of bytes while an export writes, and of 0 of 0 bytes while a call works otherwise. */
@FunctionalInterface
public interface Progress {
  /**
   * Called on the thread of the call.
   *
   * @param done bytes written
   * @param total bytes to write
   * @return true to stop, which ends the call with a CancelledException
   */
  boolean update(long done, long total);
}
