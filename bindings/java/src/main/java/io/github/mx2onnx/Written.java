// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/**
 * What the last export wrote; 0 before one.
 *
 * @param opset the opset
 * @param nodes the count of nodes
 * @param bytes the size, with that of a side file
 */
public record Written(int opset, long nodes, long bytes) {}
