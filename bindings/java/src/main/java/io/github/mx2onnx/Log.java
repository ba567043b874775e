// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** Hears the log. */
@FunctionalInterface
public interface Log {
  /**
   * Called for a line, on the thread of the call that it belongs to.
   *
   * @param severity how much it matters
   * @param message the line
   */
  void line(Severity severity, String message);
}
