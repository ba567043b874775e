// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/**
 * An operator of the graph.
 *
 * @param name MXNet's name
 * @param uses how many nodes have it
 * @param supported whether the library converts it
 */
public record Operator(String name, long uses, boolean supported) {}
