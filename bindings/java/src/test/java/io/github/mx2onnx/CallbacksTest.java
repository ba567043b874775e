// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What callbacks throw and give, and arguments that C's types cannot hold. */
class CallbacksTest {
  private static final Path DIGITS = Path.of("..", "..", "examples", "digits", "digits-symbol.json");
  private static final Path LEAKY = Path.of("..", "cases", "leaky-symbol.json");

  /** A checked exception. */
  private static final class Mine extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static final Progress THROWS =
      now -> {
        throw new Mine();
      };

  private static Model digits() {
    return Model.open(DIGITS).inputShape("data", Dim.of("batch"), Dim.of(1), Dim.of(8), Dim.of(8));
  }

  private static final List<Consumer<Model>> LOOKS =
      List.of(
          Model::inputs,
          Model::outputs,
          Model::variables,
          Model::params,
          Model::operators,
          Model::reportJson,
          m -> m.params().get(0).used());

  @Test
  void aProgressFunctionThrowsInTheLookThatAsksIt() {
    for (Consumer<Model> look : LOOKS.subList(0, 3)) {
      try (Model m = digits().progress(THROWS)) {
        assertThrows(Mine.class, () -> look.accept(m));
        m.opset(17).progress(null);
        System.gc();
        assertEquals(1, m.inputs().size());
        assertTrue(m.exportBytes().length > 1000);
      }
    }
    for (Consumer<Model> look : LOOKS) {
      try (Model m = digits().progress(THROWS)) {
        if (look != LOOKS.get(3)) { // params alone need no graph
          assertThrows(Mine.class, () -> look.accept(m));
          m.progress(now -> true);
          assertThrows(Mx2onnxException.CancelledException.class, () -> look.accept(m));
        }
        m.progress(null);
        look.accept(m);
      }
    }
  }

  @Test
  void aBufferThatOutlivesItsCallbackCannotBeUsed() throws IOException {
    List<ByteBuffer> kept = new ArrayList<>();
    byte[] bytes = Files.readAllBytes(DIGITS);
    Source source =
        new Source() {
          @Override
          public long size() {
            return bytes.length;
          }

          @Override
          public void read(long offset, ByteBuffer target) {
            target.put(bytes, (int) offset, target.remaining());
            kept.add(target.duplicate().flip());
          }
        };
    try (Model m = new Model().load(source).loadParams(Path.of("..", "..", "examples", "digits", "digits-0000.params"))) {
      m.writeTo(
          new WritableByteChannel() {
            @Override
            public int write(ByteBuffer data) {
              kept.add(data.duplicate());
              data.position(data.limit());
              return data.limit();
            }

            @Override
            public boolean isOpen() {
              return true;
            }

            @Override
            public void close() {}
          });
      assertTrue(kept.size() > 2);
      for (ByteBuffer b : kept) {
        assertThrows(IllegalStateException.class, () -> b.get(0));
      }
    }
  }

  @Test
  void aHandlerStaysWithTheLibraryWhateverTheSetterThrows() {
    try (Model m = Model.open(LEAKY).inputShape("x", 1, 4)) {
      CustomOperator relu = node -> node.setResult(0, node.add("Relu", List.of(node.input(0).value()), null));
      boolean taken = true;
      m.progress(THROWS);
      try {
        m.customOperator("leaky", relu);
      } catch (Exception e) {
        assertEquals(Mine.class, e.getClass());
        taken = false; // the progress function ended the call
      }
      m.progress(null);
      System.gc();
      if (taken) {
        assertTrue(m.exportBytes().length > 100);
      } else {
        assertThrows(Mx2onnxException.UnsupportedException.class, m::exportBytes);
      }
      m.customOperator(
          "leaky",
          node -> {
            assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.customOperator("leaky", null));
            assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.customOperator("leaky", relu));
            assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.progress(THROWS));
            assertThrows(Mx2onnxException.InvalidArgumentException.class, m::reportJson);
            relu.lower(node);
          });
      assertTrue(m.exportBytes().length > 100);
    }
  }

  @Test
  void theFirstExceptionCounts() {
    int[] lines = {0};
    try (Model m = digits()) {
      m.log(
          Severity.DEBUG,
          (severity, text) -> {
            lines[0]++;
            throw new Mine();
          });
      assertThrows(Mine.class, m::graphText);
      assertEquals(Status.CANCELLED, m.diagnostics().get(m.diagnostics().size() - 1).status());
      assertEquals(1, lines[0]);
      m.log(null);
      assertTrue(m.graphText().contains("Conv"));
    }
  }

  @Test
  void aSourceMustGiveItsBytes() throws IOException {
    byte[] data = Files.readAllBytes(DIGITS);
    interface Give {
      void run(long offset, ByteBuffer target) throws IOException;
    }
    record Of(long size, Give give) implements Source {
      @Override
      public void read(long offset, ByteBuffer target) throws IOException {
        give.run(offset, target);
      }
    }
    try (Model m = new Model()) {
      assertThrows(IllegalArgumentException.class, () -> m.load(new Of(-1, (o, t) -> {})));
      assertThrows(Mx2onnxException.FileException.class, () -> m.load(new Of(data.length, (o, t) -> {})));
      assertThrows(java.nio.BufferOverflowException.class, () -> m.load(new Of(data.length, (o, t) -> t.put(new byte[t.limit() + 1]))));
      assertThrows(
          Mine.class,
          () ->
              m.load(
                  new Of(
                      data.length,
                      (o, t) -> {
                        throw new Mine();
                      })));
      m.load(new Of(data.length, (o, t) -> t.put(data, (int) o, t.remaining())));
    }
  }

  /** A load declares the IOException of its source; a call that reads it later does not. */
  @Test
  void theIoExceptionOfASourceComesOut() throws IOException {
    byte[] params = Files.readAllBytes(DIGITS.resolveSibling("digits-0000.params"));
    boolean[] broken = {false};
    Source source =
        new Source() {
          @Override
          public long size() throws IOException {
            return params.length;
          }

          @Override
          public void read(long offset, ByteBuffer target) throws IOException {
            if (broken[0]) {
              throw new java.io.EOFException("on purpose");
            }
            target.put(params, (int) offset, target.remaining());
          }
        };
    try (Model m = new Model()) {
      m.loadSymbol(DIGITS);
      broken[0] = true;
      m.progress(now -> false);
      assertThrows(java.io.EOFException.class, () -> m.loadParams(source));
      assertEquals(Status.IO, m.diagnostics().get(m.diagnostics().size() - 1).status()); // and not CANCELLED
      m.progress(null);
      broken[0] = false;
      m.loadParams(source).inputShape("data", 1, 1, 8, 8);
      broken[0] = true;
      assertEquals("on purpose", assertThrows(java.io.UncheckedIOException.class, m::exportBytes).getCause().getMessage());
      assertThrows(java.io.EOFException.class, () -> m.writeTo(new java.io.ByteArrayOutputStream()));
      broken[0] = false;
      assertTrue(m.exportBytes().length > 1000);
    }
  }

  /** The diagnostics were null after it. */
  @Test
  void anExceptionIsSerialised() throws Exception {
    try (Model m = digits()) {
      Mx2onnxException before = assertThrows(Mx2onnxException.class, () -> m.addOutput("nosuch"));
      var bytes = new java.io.ByteArrayOutputStream();
      try (var out = new java.io.ObjectOutputStream(bytes)) {
        out.writeObject(before);
      }
      try (var in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray()))) {
        Mx2onnxException after = (Mx2onnxException) in.readObject();
        assertEquals(before.diagnostics(), after.diagnostics());
        assertEquals(1, after.diagnostics().size());
        assertEquals(before.status(), after.status());
      }
    }
  }

  @Test
  void optionsAreSetAndReset() {
    try (Model m = digits()) {
      int oldest = Mx2onnx.oldestOpset();
      assertTrue(oldest <= Mx2onnx.defaultOpset() && Mx2onnx.defaultOpset() <= Mx2onnx.newestOpset());
      assertEquals(List.of(0L, -1L), List.of(m.option(Option.OPSET), m.option(Option.SEED)));
      m.opset(oldest).float16(Model.Float16.ALL).externalData(Model.External.IN_PLACE).target("opencv4").option(Option.SEED, 3);
      assertEquals(List.of((long) oldest, 1L, 3L), List.of(m.option(Option.OPSET), m.option(Option.FLOAT16), m.option(Option.SEED)));
      assertEquals("opencv4", m.text(Text.TARGET));
      m.resetOption(Option.OPSET).resetOption(Option.FLOAT16).resetOption(Option.EXTERNAL_DATA).target(null).text(Text.PRODUCER, "a test");
      assertEquals(null, m.text(Text.TARGET));
      assertTrue(new String(m.exportBytes(), java.nio.charset.StandardCharsets.ISO_8859_1).contains("a test"));
      for (Option which : Option.values()) { // those of the header, in their order
        m.resetOption(which).option(which, m.option(which));
      }
      for (Text which : Text.values()) {
        m.text(which, null);
      }
      var e = assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.opset(Mx2onnx.newestOpset() + 1));
      assertTrue(e.getMessage().startsWith("Option.OPSET is"), e.getMessage());
      assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.option(Option.FSYNC, 2));
    }
  }

  @Test
  void adviceAboutAShapeIsACall() {
    var calls = Map.of("data=1x3x224x224", "inputShape(\"data\", 1, 3, 224, 224)", "data=1x3xHEIGHT", "inputShape(\"data\", 1, 3, HEIGHT)",
        "data=?x3", "inputShape(\"data\", Dim.OPEN, Dim.of(3))", "data=n,max,SIZE", "inputShape(\"data\", Dim.of(\"n\"), Dim.of(\"max\"), Dim.of(SIZE))",
        "x=DIMS", "inputShape(\"x\", DIMS)");
    calls.forEach((given, said) -> assertEquals("set it with " + said + ", or not", Mx2onnxException.words("set it with mx2onnx_set_input_shape: " + given + ", or not")));
  }

  @Test
  void namesAndPathsOfTheCallerStayAsTheyAre() {
    assertEquals("'mx2onnx_fc1' of '/tmp/mx2onnx_data/mx2onnx_net.params' (addOutput)",
        Mx2onnxException.words("'mx2onnx_fc1' of '/tmp/mx2onnx_data/mx2onnx_net.params' (mx2onnx_add_output)"));
  }

  @Test
  void aResetModelIsNew() {
    try (Model m = digits()) {
      byte[] want = m.exportBytes();
      m.progress(now -> true);
      assertThrows(Mx2onnxException.CancelledException.class, m::exportBytes);
      m.reset();
      assertEquals(0, m.inputs().size() + m.params().size() + m.diagnostics().size());
      m.inputShape("data", Dim.of("batch"), Dim.of(1), Dim.of(8), Dim.of(8)).load(DIGITS); // a choice may come before the load
      assertArrayEquals(want, m.exportBytes());
      m.progress(
          now -> {
            m.reset();
            return false;
          });
      assertThrows(Mx2onnxException.InvalidArgumentException.class, m::exportBytes);
    }
  }

  @Test
  void sizesAloneTakeNamesBack() {
    try (Model m = digits()) {
      m.inputShape("data", Dim.of("n"), Dim.of(1), Dim.of(8), Dim.of(8)).inputShape("data", 7, 1, 8, 8).infer();
      assertEquals(List.of(Dim.of(7), Dim.of(1), Dim.of(8), Dim.of(8)), m.inputs().get(0).dims());
    }
  }

  @Test
  void theTextOfASizeIsNotAName() {
    try (Model m = digits()) {
      for (String name : List.of("1", "14", "None", "4.5")) {
        assertThrows(
            Mx2onnxException.InvalidArgumentException.class,
            () -> m.inputShape("data", Dim.of(name), Dim.of(1), Dim.of(8), Dim.of(8)));
      }
    }
  }

  @Test
  void theProgressSaysWhatItIsAbout() throws IOException {
    List<Progress.State> seen = new java.util.ArrayList<>();
    try (Model m = new Model()) {
      m.progress(
          now -> {
            seen.add(now);
            return false;
          });
      m.load(DIGITS).inputShape("data", Dim.of("batch"), Dim.of(1), Dim.of(8), Dim.of(8));
      byte[] bytes = m.exportBytes();
      Progress.State last = seen.get(seen.size() - 1);
      assertEquals(new Progress.State(Progress.Phase.WRITE, bytes.length, bytes.length, last.node()), last);
      assertTrue(seen.stream().anyMatch(now -> now.phase() == Progress.Phase.LOAD));
      assertTrue(seen.stream().filter(now -> now.phase() != Progress.Phase.WRITE).allMatch(now -> now.done() == 0 && now.total() == 0));
    }
  }

  @Test
  void theLogHasOnlyWhatItIsAskedFor() {
    List<Severity> seen = new java.util.ArrayList<>();
    try (Model m = digits()) {
      m.log(Severity.DEBUG, (severity, text) -> seen.add(severity)).graphText();
      assertTrue(seen.contains(Severity.DEBUG));
      seen.clear();
      m.log((severity, text) -> seen.add(severity)).graphText();
      assertEquals(List.of(), seen);
      m.log(Severity.ERROR, (severity, text) -> seen.add(severity));
      assertThrows(Mx2onnxException.NotFoundException.class, () -> m.addOutput("nosuch"));
      assertEquals(List.of(Severity.ERROR), seen);
    }
  }

  @Test
  void aCallIsCancelled() throws Exception {
    try (Model m = digits()) {
      byte[] want = m.exportBytes();
      m.cancel(); // no call runs
      assertArrayEquals(want, m.exportBytes());
      m.progress(
          now -> {
            var other = new Thread(m::cancel);
            other.start();
            try {
              other.join();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return false;
          });
      assertThrows(Mx2onnxException.CancelledException.class, m::exportBytes);
      m.progress(null);
      class Cancels implements CustomOperator {
        @Override
        public void lower(Node node) {}

        @Override
        public boolean overrides() {
          return true;
        }

        @Override
        public int countOutputs(Node node) {
          m.cancel();
          return 1;
        }
      }
      m.customOperator("Convolution", new Cancels());
      assertThrows(Mx2onnxException.CancelledException.class, m::outputs);
      m.removeCustomOperators();
      assertEquals(1, m.outputs().size());
      assertArrayEquals(want, m.exportBytes());
    }
    Model closed = digits();
    closed.close();
    closed.cancel();
  }

  @Test
  void aHandlerCountsAndOverrides() {
    class Passes implements CustomOperator {
      private final boolean overrides;
      private final int outputs;
      private String seen = "";

      Passes(boolean overrides, int outputs) {
        this.overrides = overrides;
        this.outputs = outputs;
      }

      @Override
      public void lower(Node node) {
        node.setResult(0, node.input(0).value());
      }

      @Override
      public boolean overrides() {
        return overrides;
      }

      @Override
      public int countOutputs(Node node) {
        seen = node.name() + " " + node.input(0).name();
        if (outputs < 0) {
          throw node.fail("not counted on purpose");
        }
        return outputs;
      }
    }
    try (Model m = digits()) {
      Passes passes = new Passes(true, 1);
      m.customOperator("SoftmaxOutput", passes);
      assertTrue(!m.graphText().contains("Softmax"), m.graphText());
      assertTrue(passes.seen.startsWith("softmax "), passes.seen);
      m.customOperator("SoftmaxOutput", new Passes(false, 1));
      assertThrows(Mx2onnxException.InvalidArgumentException.class, m::graphText);
      m.removeCustomOperators();
      assertTrue(m.graphText().contains("Softmax"));
    }
    try (Model m = Model.open(LEAKY).inputShape("x", 1, 4)) {
      m.customOperator("leaky", new Passes(false, 2));
      assertThrows(Mx2onnxException.class, m::exportBytes); // the second output is not set
      m.customOperator("leaky", new Passes(false, 0));
      assertThrows(Mx2onnxException.FormatException.class, m::exportBytes);
      m.customOperator("leaky", 1, new Passes(false, 0));
      assertTrue(m.exportBytes().length > 100);
      m.customOperator("leaky", new Passes(false, -1));
      var e = assertThrows(Mx2onnxException.UnsupportedException.class, m::exportBytes);
      assertTrue(e.getMessage().contains("not counted on purpose"), e.getMessage());
      assertThrows(NullPointerException.class, () -> m.customOperator(null, null));
      m.customOperator("leaky", null);
      assertThrows(Mx2onnxException.UnsupportedException.class, m::exportBytes);
    }
  }

  @Test
  void settingsAreReadAndTakenBack() throws IOException {
    try (Model m = digits()) {
      byte[] want = m.exportBytes();
      m.metadata("b", "two").metadata("a", "");
      assertEquals("{a=, b=two}", m.metadata().toString());
      assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> m.metadata("input:data", "x"));
      assertTrue(new String(m.exportBytes(), java.nio.charset.StandardCharsets.ISO_8859_1).contains("\n\1b\22\3two"));
      assertEquals(1, m.metadata("a", null).metadata().size());
      assertTrue(m.clearMetadata().metadata().isEmpty());
      try (Model chosen = new Model()) {
        assertNull(chosen.chosenShape("data"));
        assertNull(chosen.chosenName("data"));
        assertNull(chosen.chosenDtype("data"));
        chosen.inputShape("data", Dim.of("n"), Dim.of(1), Dim.OPEN).inputDtype("data", Dtype.UINT8).rename("data", "pixels");
        assertEquals(java.util.List.of(Dim.of("n"), Dim.of(1), Dim.OPEN), chosen.chosenShape("data"));
        assertEquals(Dtype.UINT8, chosen.chosenDtype("data"));
        assertEquals("pixels", chosen.chosenName("data"));
      }
      m.inputMean("data", 1).inputScale("data", 0.5).inputChannelsLast("data", true);
      assertArrayEquals(new double[] {1}, m.meanOf("data"));
      assertArrayEquals(new double[] {0.5}, m.scaleOf("data"));
      assertTrue(m.inputChannelsLast("data") && !m.inputChannelsReversed("data"));
      m.inputMean("data").inputScale("data").inputChannelsLast("data", false);
      assertEquals(0, m.meanOf("data").length);
      Model.Param bias = m.params().stream().filter(p -> p.name().equals("fc1_bias")).findFirst().orElseThrow();
      m.param("fc1_bias", bias.dtype(), bias.dims(), new byte[(int) bias.byteCount()]);
      assertTrue(!java.util.Arrays.equals(want, m.exportBytes()));
      assertArrayEquals(want, m.removeParam("fc1_bias").exportBytes());
      assertThrows(Mx2onnxException.NotFoundException.class, () -> m.removeParam("fc1_bias"));
      assertEquals(3, m.domainVersion("ai.onnx.ml", 3).domainVersion("ai.onnx.ml"));
      assertEquals(1, m.domainVersion("ai.onnx.ml", 0).domainVersion("ai.onnx.ml"));
      m.loadCatalogue(java.nio.file.Files.readAllBytes(LEAKY.resolveSibling("nets.zip")));
      assertTrue(!m.nets().isEmpty());
      assertThrows(Mx2onnxException.NotFoundException.class, m::identifyNet);
    }
  }

  /** Numbers of a later library. */
  @Test
  void unknownNumbersAreAccepted() {
    assertEquals(Status.UNKNOWN, Status.of(-99));
    assertEquals(Severity.DEBUG, Severity.of(99));
    assertEquals(Severity.DEBUG, Severity.of(-1));
    assertEquals(Progress.Phase.OTHER, Progress.Phase.of(99));
    assertEquals(Variable.Kind.OTHER, Variable.Kind.of(99));
    assertEquals(null, Dtype.of(99));
    assertEquals("Mx2onnxException", Mx2onnxException.of(-99, "x", java.util.List.of()).getClass().getSimpleName());
  }

  @Test
  void choicesAreTakenBack() throws IOException {
    try (Model m = digits()) {
      byte[] want = m.exportBytes();
      m.addOutput("fc1_output").rename("data", "pixels").inputDtype("data", Dtype.FLOAT16);
      assertEquals("fc1", m.outputs().get(0).name());
      assertTrue(m.graphText().contains("pixels : float16 (batch, 1, 8, 8)"), m.graphText());
      assertEquals(Dim.of("data_dim2"), m.clearInputShape("data").infer().inputs().get(0).dims().get(2));
      m.clearOutputs().rename("data", null).inputDtype("data", null);
      m.inputShape("data", Dim.of("batch"), Dim.of(1), Dim.of(8), Dim.of(8));
      assertArrayEquals(want, m.exportBytes());
      assertEquals(Model.Precision.AUTO, m.nodePrecision("fc1"));
      m.nodePrecision("fc1", Model.Precision.FLOAT32);
      assertEquals(Model.Precision.FLOAT32, m.nodePrecision("fc1"));
      byte[] half = m.float16(Model.Float16.INSIDE).exportBytes();
      m.nodePrecision("fc1", Model.Precision.AUTO);
      assertEquals(Model.Precision.AUTO, m.nodePrecision("fc1"));
      assertTrue(half.length > m.exportBytes().length);
    }
  }

  @Test
  void partsOfAnArrayCanBeRead() {
    try (Model m = digits()) {
      Model.Param p = m.params().get(0);
      byte[] all = p.bytes();
      assertArrayEquals(java.util.Arrays.copyOfRange(all, 3, 11), p.bytes(3, 8));
      assertEquals(0, p.bytes(all.length, 0).length);
      assertThrows(IndexOutOfBoundsException.class, () -> p.bytes(1, all.length));
      assertThrows(IndexOutOfBoundsException.class, () -> p.bytes(-1, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> p.bytes(0, Long.MAX_VALUE));
    }
  }

  @Test
  void theFilesOfAnExportAreListed(@org.junit.jupiter.api.io.TempDir Path folder) {
    try (Model m = digits()) {
      assertEquals(List.of(), m.written().files());
      m.externalData(Model.External.ALWAYS).text(Text.SIDE_FILE, "weights").export(folder.resolve("net.onnx"));
      assertEquals(List.of("net.onnx", "weights"), m.written().files());
    }
  }

  /** Takes no bytes, which was asked for ever. */
  @Test
  void aChannelMustTakeBytes() {
    WritableByteChannel full =
        new WritableByteChannel() {
          @Override
          public int write(ByteBuffer data) {
            return 0;
          }

          @Override
          public boolean isOpen() {
            return true;
          }

          @Override
          public void close() {}
        };
    try (Model m = digits()) {
      assertThrows(IOException.class, () -> m.writeTo(full));
      assertTrue(m.exportBytes().length > 1000);
    }
  }

  @Test
  void numbersAndNamesMustFit() {
    try (Model m = digits()) {
      long before = m.option(Option.MEMORY_LIMIT);
      List<Consumer<Model>> numbers =
          List.of(
              x -> x.inputDimName("data", -1, "n"),
              x -> x.customOperator("a", -1, n -> {}));
      numbers.forEach(call -> assertThrows(IllegalArgumentException.class, () -> call.accept(m)));
      assertEquals(before, m.option(Option.MEMORY_LIMIT));
      for (String name : List.of("data\0x", "data\0", "a\ud800", "\udc00")) {
        List<Consumer<Model>> names =
            List.of(
                x -> x.rename("data", name),
                x -> x.rename(name, "x"),
                x -> x.inputShape(name, 1),
                x -> x.inputShape("data", Dim.of(name), Dim.of(1), Dim.of(8), Dim.of(8)),
                x -> x.inputDimName("data", 0, name),
                x -> x.inputDtype(name, Dtype.INT8),
                x -> x.addOutput(name),
                x -> x.target(name),
                x -> x.text(Text.UNKNOWN_DOMAIN, name),
                x -> x.loadNet(name),
                x -> x.text(Text.PARAM_PREFIX, name),
                x -> x.param(name, Dtype.INT8, new long[] {1}, new byte[1]),
                x -> x.customOperator(name, n -> {}));
        names.forEach(call -> assertThrows(IllegalArgumentException.class, () -> call.accept(m)));
      }
      m.infer();
      assertEquals("data", m.inputs().get(0).name());
      assertEquals(Dim.of("batch"), m.inputs().get(0).dims().get(0));
      assertArrayEquals(m.exportBytes(), m.exportBytes());
    }
  }
}
