// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/**
 * A variable of the symbol that has no value.
 *
 * @param name its name in MXNet's file
 * @param kind what it is
 */
public record Variable(String name, Kind kind) {
  /** What a variable without a value is. */
  public enum Kind {
    /** An input of the model. */
    INPUT,
    /** A weight that is in no parameter file. */
    WEIGHT,
    /** Not used at inference time: a label. */
    UNUSED,
    /** A kind that only a newer library knows. */
    OTHER;

    static Kind of(int code) {
      return code >= 0 && code < OTHER.ordinal() ? values()[code] : OTHER;
    }
  }
}
