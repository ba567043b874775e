// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** A choice that is a text. */
public enum Text {
  /** The program that will read the file, if it does not read all of ONNX; see targets. */
  TARGET,
  /** The domain in which unknown operators are written. */
  UNKNOWN_DOMAIN,
  /** A prefix to ignore when names of the symbol and of the parameter files are matched. */
  PARAM_PREFIX,
  /** The producer_name of the ONNX model. */
  PRODUCER,
  /** The doc_string of the ONNX model. */
  DOC_STRING,
  /** The name of the side file for weights, without a folder. */
  SIDE_FILE,
  /** The name, in messages, of bytes and sources that are loaded after it is set. */
  SOURCE_NAME;

  int code() {
    return ordinal() + 1;
  }
}
