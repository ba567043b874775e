// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.util.Locale;

/** Element types. */
public enum Dtype {
  /** MXNet's float32. */
  FLOAT32(0),
  /** MXNet's float64. */
  FLOAT64(1),
  /** MXNet's float16. */
  FLOAT16(2),
  /** MXNet's uint8. */
  UINT8(3),
  /** MXNet's int32. */
  INT32(4),
  /** MXNet's int8. */
  INT8(5),
  /** MXNet's int64. */
  INT64(6),
  /** MXNet's bool. */
  BOOL(7),
  /** MXNet's int16. */
  INT16(8),
  /** MXNet's uint16. */
  UINT16(9),
  /** MXNet's uint32. */
  UINT32(10),
  /** MXNet's uint64. */
  UINT64(11),
  /** MXNet's bfloat16. */
  BFLOAT16(12);

  final int code;

  Dtype(int code) {
    this.code = code;
  }

  /** Null for a number that is none. */
  static Dtype of(int code) {
    for (Dtype d : values()) {
      if (d.code == code) {
        return d;
      }
    }
    return null;
  }

  /** For NumPy's name of it, "float32"; IllegalArgumentException if there is none. */
  public static Dtype of(String name) {
    int code = Native.integer("dtype_from_name", name);
    if (code < 0) {
      throw new IllegalArgumentException("'" + name + "' is not an element type; use one of MXNet's, such as float32 or int64");
    }
    return of(code);
  }

  /** NumPy's name. */
  @Override
  public String toString() {
    return Native.text("dtype_name", code).toLowerCase(Locale.ROOT);
  }
}
