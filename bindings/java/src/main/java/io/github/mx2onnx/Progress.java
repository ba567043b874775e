// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** Receives the progress of a call from time to time. */
@FunctionalInterface
public interface Progress {
  /** What a call is doing. */
  enum Phase {
    /** Something else. */
    OTHER,
    /** It reads files. */
    LOAD,
    /** It finds shapes and types. */
    INFER,
    /** It makes ONNX nodes. */
    LOWER,
    /** It writes the ONNX model. */
    WRITE;

    static Phase of(int code) {
      return code >= 0 && code < values().length ? values()[code] : OTHER;
    }
  }

  /**
   * How far a call is.
   *
   * @param phase what it is doing
   * @param done bytes written while the phase is WRITE, otherwise 0
   * @param total bytes to write, otherwise 0
   * @param node the node at which it is, or ""
   */
  record State(Phase phase, long done, long total, String node) {}

  /**
   * Called on the thread of the call.
   *
   * @param now how far the call is
   * @return true to stop, which ends the call with a CancelledException
   */
  boolean update(State now);
}
