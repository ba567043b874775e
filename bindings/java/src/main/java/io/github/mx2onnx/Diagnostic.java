// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/**
 * What there is to say of a model. Texts that mean nothing are empty.
 *
 * @param severity how much it matters
 * @param status OK for a warning or a note
 * @param node MXNet's name of the node
 * @param op its operator
 * @param attribute the operator's attribute
 * @param name the input, output, parameter or file that is meant instead of a node
 * @param message what is wrong
 * @param advice the way out
 */
public record Diagnostic(
    Severity severity, Status status, String node, String op, String attribute, String name, String message, String advice)
    implements java.io.Serializable {}
