// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.util.List;

/**
 * An input or an output.
 *
 * @param name its name in the ONNX file
 * @param dtype null while it is unknown
 * @param dims null while the rank is unknown
 */
public record Value(String name, Dtype dtype, List<Dim> dims) {}
