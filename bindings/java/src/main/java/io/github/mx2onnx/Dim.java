// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** A dim of a shape: a size, a name of a size that is not known, one left open, or that of a node's input. */
public final class Dim {
  /** Left to inference; dynamic if inference does not find it. */
  public static final Dim OPEN = new Dim(-1, null, -1, -1);

  private final long size;
  private final String name;
  private final int input;
  private final int axis;

  private Dim(long size, String name, int input, int axis) {
    this.size = size;
    this.name = name;
    this.input = input;
    this.axis = axis;
  }

  /**
   * A fixed size.
   *
   * @param size the size
   * @return the dim
   */
  public static Dim of(long size) {
    return new Dim(size, null, -1, -1);
  }

  /**
   * A dynamic dim; one name promises one size.
   *
   * @param name the name
   * @return the dim
   */
  public static Dim of(String name) {
    return new Dim(-1, name, -1, -1);
  }

  /** In handlers: equal to that axis of an input. */
  static Dim ofInput(int input, int axis) {
    return new Dim(-1, null, input, axis);
  }

  /**
   * Whether it is a size.
   *
   * @return whether it is
   */
  public boolean isFixed() {
    return size >= 0;
  }

  /**
   * The size.
   *
   * @return -1 where it is dynamic or unknown
   */
  public long size() {
    return size;
  }

  /**
   * The name.
   *
   * @return null where there is none
   */
  public String name() {
    return name;
  }

  int input() {
    return input;
  }

  int axis() {
    return axis;
  }

  static long[] sizes(Dim... dims) {
    long[] sizes = new long[dims.length];
    for (int i = 0; i < dims.length; i++) {
      sizes[i] = dims[i].size;
    }
    return sizes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Dim d && size == d.size && input == d.input && axis == d.axis && java.util.Objects.equals(name, d.name);
  }

  @Override
  public int hashCode() {
    return java.util.Objects.hash(size, name, input, axis);
  }

  @Override
  public String toString() {
    return isFixed() ? Long.toString(size) : name != null ? name : input >= 0 ? "input " + input + " axis " + axis : "?";
  }
}
