// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** How much a diagnostic or a line of the log matters. */
public enum Severity {
  /** It stops the conversion. */
  ERROR,
  /** It may be wrong. */
  WARNING,
  /** Good to know. */
  NOTE,
  /** In the log only. */
  DEBUG;

  static Severity of(int code) {
    return code >= 0 && code < DEBUG.ordinal() ? values()[code] : DEBUG;
  }
}
