// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.util.List;

/**
 * What the last export wrote; 0 before one.
 *
 * @param opset the opset
 * @param nodes the count of nodes
 * @param bytes the size, with that of a side file
 * @param files the files that belong to an export to a file, without a folder: the model, its side file, and parameter files that it
 *     refers to
 */
public record Written(int opset, long nodes, long bytes, List<String> files) {}
