// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.util.ArrayList;
import java.util.List;

/** What the library is. */
public final class Mx2onnx {
  private Mx2onnx() {}

  /** What a library can be built without. */
  public enum Feature {
    /** .zip, .mar, .model and .npz. */
    ZIP,
    /** .tar and .tar.gz. */
    TAR,
    /** Published nets. */
    CATALOGUE
  }

  /**
   * A program that files can be written for.
   *
   * @param name for Model.target
   * @param text a sentence on it
   */
  public record Target(String name, String text) {}

  /**
   * An operator that the library converts.
   *
   * @param name MXNet's canonical name
   * @param aliases other names
   * @param opset the first in which it can be written
   * @param status how far it is converted: "full", "partial" (some nodes are refused), "differs",
   *     "random" or "training only"
   * @param refuses which of its nodes are not converted, and result in an error: a line for each kind
   * @param differs where its results may differ from MXNet's, and why: a line for each case
   */
  public record KnownOperator(
      String name,
      List<String> aliases,
      int opset,
      String status,
      List<String> refuses,
      List<String> differs) {}

  /**
   * The version of the library that runs.
   *
   * @return "0.9.0"
   */
  public static String version() {
    return Native.text("version");
  }

  /**
   * The same to compare.
   *
   * @return 1002003 for 1.2.3
   */
  public static int versionNumber() {
    return Native.integer("version_number");
  }

  /**
   * The oldest opset that the library writes.
   *
   * @return the opset
   */
  public static int oldestOpset() {
    return Native.integer("opset_min");
  }

  /**
   * The newest opset that the library writes.
   *
   * @return the opset
   */
  public static int newestOpset() {
    return Native.integer("opset_max");
  }

  /**
   * The opset that the library writes by default.
   *
   * @return the opset
   */
  public static int defaultOpset() {
    return Native.integer("opset_default");
  }

  /**
   * Whether the library was built with it.
   *
   * @param feature what
   * @return whether it was
   */
  public static boolean has(Feature feature) {
    return Native.integer("has_feature", feature.ordinal() + 1) != 0;
  }

  /**
   * The programs that files can be written for.
   *
   * @return all
   */
  public static List<Target> targets() {
    List<Target> found = new ArrayList<>();
    for (long i = 0; i < Native.number("target_count"); i++) {
      found.add(new Target(Native.text("target_name", i), Native.text("target_text", i)));
    }
    return found;
  }

  /**
   * The operators that the library converts.
   *
   * @return all
   */
  public static List<KnownOperator> knownOperators() {
    List<KnownOperator> found = new ArrayList<>();
    for (long i = 0; i < Native.number("known_operator_count"); i++) {
      found.add(
          new KnownOperator(
              Native.text("known_operator_name", i),
              parts(Native.text("known_operator_aliases", i), " "),
              Native.integer("known_operator_opset", i),
              Native.text("known_operator_status", i),
              parts(Native.text("known_operator_refuses", i), "\n"),
              parts(Native.text("known_operator_differs", i), "\n")));
    }
    return found;
  }

  private static List<String> parts(String text, String between) {
    return text.isEmpty() ? List.of() : List.of(text.split(between));
  }
}
