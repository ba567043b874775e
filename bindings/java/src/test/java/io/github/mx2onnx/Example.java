// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * A custom operator, a named dim, everything in memory. The net is relu, Custom(op_type="my_leaky", slope=0.25), tanh; a model of
 * your own is a file: Model.open(Path.of("net-symbol.json")).
 */
public class Example {
  private static final String SYMBOL =
      """
      {"nodes": [
        {"op": "null", "name": "data", "inputs": []},
        {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]},
        {"op": "Custom", "name": "c", "attrs": {"op_type": "my_leaky", "slope": "0.25"}, "inputs": [[1, 0, 0]]},
        {"op": "tanh", "name": "t", "inputs": [[2, 0, 0]]}],
       "arg_nodes": [0], "heads": [[3, 0, 0]]}
      """;

  static String run() {
    try (Model m = new Model()) {
      m.loadSymbol(SYMBOL.getBytes(StandardCharsets.UTF_8));
      m.inputShape("data", Dim.of("batch"), Dim.of(4));
      m.customOperator(
          "my_leaky",
          node -> {
            double slope = Double.parseDouble(node.attribute("slope"));
            node.setResult(0, node.add("LeakyRelu", List.of(node.input(0).value()), Map.of("alpha", slope)));
          });
      byte[] onnx = m.exportBytes();
      return onnx.length + " bytes, " + m.written().nodes() + " nodes\n" + m.graphText();
    } catch (Mx2onnxException.UnsupportedException e) {
      e.diagnostics().forEach(d -> System.err.println(d.node() + ": " + d.message() + "; " + d.advice()));
      throw e;
    }
  }

  /** Prints the graph. */
  public static void main(String[] arguments) {
    System.out.println(run());
  }
}
