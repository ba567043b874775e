// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/**
 * Converts an operator that the library does not know, such as MXNet's Custom, or one that it knows otherwise. Exceptions come out of
 * the call that runs it.
 */
public interface CustomOperator {
  /**
   * Says type and shape of the outputs; those of input 0 otherwise. It may be called several times.
   *
   * @param node the node
   */
  default void infer(Node node) {
    for (int i = 0; i < node.outputCount(); i++) {
      node.setOutputLike(i, 0);
    }
  }

  /**
   * Writes the node as ONNX and sets its results.
   *
   * @param node the node
   */
  void lower(Node node);

  /**
   * Whether there is a lower. A handler without one only says shapes, for a node that is kept with Text.UNKNOWN_DOMAIN.
   *
   * @return whether there is
   */
  default boolean lowers() {
    return true;
  }

  /**
   * How many outputs a node has, when only its name, its attributes and the names of its inputs are known. It is asked where
   * no number was given with the handler.
   *
   * @param node the node
   * @return 1 to 65536
   */
  default int countOutputs(Node node) {
    return 1;
  }

  /**
   * Whether the handler is also used for an operator that the library knows.
   *
   * @return whether it is
   */
  default boolean overrides() {
    return false;
  }
}
