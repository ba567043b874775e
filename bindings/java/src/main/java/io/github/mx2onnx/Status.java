// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** What a call of the library came to. */
public enum Status {
  /** No error. */
  OK(0),
  /** An argument of the call is not valid. */
  INVALID_ARGUMENT(-1),
  /** Out of memory. */
  OUT_OF_MEMORY(-2),
  /** A file cannot be read or written. */
  IO(-3),
  /** No such file, input, output or name. */
  NOT_FOUND(-4),
  /** A file is damaged or not of an MXNet format. */
  FORMAT(-5),
  /** An operator, attribute value or type has no form in ONNX. */
  UNSUPPORTED(-6),
  /** Shapes or element types do not fit together or are not known. */
  SHAPE(-7),
  /** The graph needs a parameter that no file holds. */
  MISSING_PARAMETER(-8),
  /** A limit of ONNX or of this library is exceeded. */
  TOO_LARGE(-9),
  /** The call was cancelled. */
  CANCELLED(-10),
  /** An invariant of the library does not hold; please report it. */
  INTERNAL(-11),
  /** A status that a newer library has. */
  UNKNOWN(Integer.MIN_VALUE);

  private final int code;

  Status(int code) {
    this.code = code;
  }

  static Status of(int code) {
    for (Status s : values()) {
      if (s.code == code) {
        return s;
      }
    }
    return UNKNOWN;
  }

  int code() {
    return code;
  }

  /** A sentence for it. */
  public String text() {
    return Native.text("status_text", code);
  }
}
