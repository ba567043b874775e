// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelTest {
  private static final Path DIGITS = Path.of("..", "..", "examples", "digits", "digits-symbol.json");
  private static final Path LEAKY = Path.of("..", "cases", "leaky-symbol.json");

  private static Model digits() {
    return Model.open(DIGITS).inputShape("data", Dim.of("batch"), Dim.of(1), Dim.of(8), Dim.of(8));
  }

  @Test
  void theLibrarySaysWhatItIs() {
    assertTrue(Mx2onnx.version().matches("\\d+\\.\\d+\\.\\d+"));
    assertTrue(Mx2onnx.versionNumber() > 0);
    assertTrue(Mx2onnx.targets().stream().anyMatch(t -> t.name().equals("opencv4") && !t.text().isEmpty()));
    assertTrue(Mx2onnx.knownOperators().stream().anyMatch(o -> o.name().equals("Pooling") && o.opset() >= 1 && o.status().equals("partial") && !o.refuses().isEmpty()));
    assertTrue(Mx2onnx.knownOperators().stream().anyMatch(o -> o.name().equals("Cast") && o.refuses().isEmpty() && o.differs().size() == 1));
    assertEquals("float16", Dtype.FLOAT16.toString());
    assertThrows(IllegalArgumentException.class, () -> Dtype.of("float99"));
  }

  @Test
  void everyWayOutGivesTheSameBytes(@TempDir Path folder) throws IOException {
    try (Model m = digits()) {
      byte[] want = m.exportBytes();
      m.export(folder.resolve("a.onnx"));
      assertArrayEquals(want, Files.readAllBytes(folder.resolve("a.onnx")));
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      m.writeTo(stream);
      assertArrayEquals(want, stream.toByteArray());
      ByteArrayOutputStream channel = new ByteArrayOutputStream();
      m.writeTo(Channels.newChannel(channel));
      assertArrayEquals(want, channel.toByteArray());
      assertEquals(want.length, m.written().bytes());
      assertTrue(m.reportJson().startsWith("{") && m.reportJson().contains("data") && m.graphText(Model.Graph.MXNET).contains("Convolution"));
      assertTrue(m.graphJson(Model.Graph.MXNET).contains("\"op\":\"Convolution\"") && m.graphJson(Model.Graph.ONNX).contains("\"op\":\"Conv\""));
    }
  }

  @Test
  void aModelWorksInOtherThreadsUntilItIsClosed() throws Exception {
    Model m = digits();
    byte[] want = m.exportBytes();
    try (var pool = Executors.newFixedThreadPool(2)) {
      assertArrayEquals(want, pool.submit(m::exportBytes).get());
      var others = List.of(pool.submit(() -> digits().exportBytes()), pool.submit(() -> digits().exportBytes()));
      for (var other : others) {
        assertArrayEquals(want, other.get());
      }
    }
    m.close();
    m.close();
    assertThrows(IllegalStateException.class, m::infer);
  }

  @Test
  void exceptionsOfHandlersAreTheSameObject() {
    RuntimeException mine = new IllegalStateException("mine");
    try (Model m = Model.open(LEAKY).inputShape("x", 1, 4)) {
      m.customOperator("leaky", node -> { throw mine; });
      assertSame(mine, assertThrows(RuntimeException.class, m::exportBytes));
      AssertionError error = new AssertionError("also errors");
      m.customOperator("leaky", node -> { throw error; });
      assertSame(error, assertThrows(AssertionError.class, m::exportBytes));
      Node[] kept = new Node[1];
      m.customOperator("leaky", node -> {
        kept[0] = node;
        node.setResult(0, node.add("Relu", List.of(node.input(0).value()), null));
      });
      assertTrue(m.exportBytes().length > 0);
      assertThrows(IllegalStateException.class, () -> kept[0].name());
    }
  }

  @Test
  void attributesKeepTheirKinds() {
    try (Model m = Model.open(LEAKY).inputShape("x", Dim.of("n"), Dim.of(4))) {
      m.customOperator("leaky", node -> {
        var inputs = List.of(node.input(0).value(), Node.Result.NONE, node.constant(0.5f));
        for (String key : List.of("a")) {
          node.setResult(0, node.add("Mine", "com.example", inputs, Map.of(key, List.of(1.0, 0.5)), 1).get(0));
        }
      });
      assertTrue(m.graphText().contains("com.example::Mine("), m.graphText());
      assertTrue(m.graphText().contains("{a=[1, 0.5]} : float32 (n, 4)"), m.graphText());
      m.customOperator("leaky", node -> node.setResult(0, node.add("Elu", List.of(node.input(0).value()), Map.of("alpha", 2.0))));
      assertTrue(m.graphText().contains("Elu("));
      m.customOperator("leaky", node -> node.setResult(0, node.add("Nope", "a", List.of(node.input(0).value()), Map.of("t", "\"é\n\\"), 1).get(0)));
      assertTrue(m.graphText().contains("é"), m.graphText());
    }
  }

  @Test
  void errorsAreTypedAndSpeakOfThisPackage(@TempDir Path folder) throws IOException {
    assertThrows(Mx2onnxException.NotFoundException.class, () -> Model.open(folder.resolve("nosuch-symbol.json")));
    try (Model m = Model.open(LEAKY).inputShape("x", 1, 4)) {
      var e = assertThrows(Mx2onnxException.UnsupportedException.class, () -> m.export(folder.resolve("x.onnx")));
      assertEquals(Status.UNSUPPORTED, e.status());
      assertTrue(e.getMessage().contains("customOperator"), e.getMessage());
      assertTrue(e.diagnostics().stream().anyMatch(d -> d.severity() == Severity.ERROR));
      assertFalse(e.diagnostics().toString().contains("mx2onnx_"));
      try (var files = Files.list(folder)) {
        assertEquals(0, files.count());
      }
      assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.opset(99));
      m.option(Option.NODES_LIMIT, 1 << 21);
      assertEquals(1 << 21, m.option(Option.NODES_LIMIT));
    }
  }

  @Test
  void anExampleRuns() {
    assertTrue(Example.run().contains("LeakyRelu"));
  }
}
