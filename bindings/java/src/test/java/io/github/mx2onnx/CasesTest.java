// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The steps of bindings/cases, which every language takes. */
class CasesTest {
  private static final Path CASES = Path.of("..", "cases");
  @TempDir Path folder;

  private static class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Of a source and a stream. */
  private static class ThrownInput extends IOException {
    private static final long serialVersionUID = 1;
  }

  private static Path path(JsonObject step) {
    return CASES.resolve(step.get("file").getAsString());
  }

  private static byte[] contents(JsonObject step) throws IOException {
    return Files.readAllBytes(path(step));
  }

  private static String digest(byte[] data) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
  }

  /** A text, or null. */
  private static String text(JsonObject step, String key) {
    return step.get(key).isJsonNull() ? null : step.get(key).getAsString();
  }

  private static boolean throwing(JsonObject step) {
    return step.has("throw") && step.get("throw").getAsBoolean();
  }

  private static class Leaky implements CustomOperator {
    @Override
    public void lower(Node node) {
      double slope = Double.parseDouble(node.attribute("slope"));
      node.setResult(0, node.add("LeakyRelu", List.of(node.input(0).value()), Map.of("alpha", slope)));
    }
  }

  private static CustomOperator handler(String name, Model model) {
    return switch (name) {
      case "leaky" -> new Leaky();
      case "split2" ->
          new CustomOperator() {
            @Override
            public void infer(Node node) {
              Dim[] dims = node.input(0).dims().toArray(new Dim[0]);
              dims[1] = Dim.of(dims[1].size() / 2);
              for (int i = 0; i < node.outputCount(); i++) {
                node.setOutput(i, node.input(0).dtype(), dims);
              }
            }

            @Override
            public void lower(Node node) {
              long half = node.input(0).dims().get(1).size() / 2;
              var inputs = List.of(node.input(0).value(), node.constant(half, half));
              var y = node.add("Split", null, inputs, Map.of("axis", 1), 2);
              node.setResult(0, y.get(0));
              node.setResult(1, y.get(1));
            }
          };
      case "table" ->
          node -> {
            byte[] data = node.input(1).bytes();
            byte[] turned = new byte[data.length];
            for (int i = 0; i < data.length; i += 4) {
              System.arraycopy(data, i, turned, data.length - 4 - i, 4);
            }
            Node.Result c = node.constant(node.input(1).storedDtype(), new long[] {data.length / 4}, turned);
            node.setResult(0, node.add("Mul", List.of(node.input(0).value(), c), null));
          };
      case "describe" -> CasesTest::describe;
      case "refuse" ->
          new Leaky() {
            @Override
            public void infer(Node node) {
              throw node.fail("refused on purpose");
            }
          };
      case "throw in infer" ->
          new Leaky() {
            @Override
            public void infer(Node node) {
              throw new Thrown();
            }
          };
      case "throw in lower" ->
          node -> {
            throw new Thrown();
          };
      case "busy" ->
          new Leaky() {
            @Override
            public void infer(Node node) {
              assertThrows(Mx2onnxException.InvalidArgumentException.class, () -> model.opset(13));
              assertEquals(List.of(), model.inputs());
              assertThrows(IllegalStateException.class, model::close);
              super.infer(node);
            }
          };
      case "shape only" ->
          new Leaky() {
            @Override
            public boolean lowers() {
              return false;
            }
          };
      default -> throw new AssertionError(name);
    };
  }

  private static void describe(Node node) {
    List<String> parts = new ArrayList<>();
    parts.add("name=" + node.name());
    parts.add("operator=" + node.operator());
    parts.add("opset=" + node.opset());
    parts.add("domain=" + (node.domain() == null ? "" : node.domain()));
    node.attributes().forEach((k, v) -> parts.add(k + "=" + v));
    parts.add("outputs=" + node.outputCount());
    for (Node.Input i : node.inputs()) {
      String dims = i.dims().stream().map(d -> Long.toString(d.size())).collect(Collectors.joining(","));
      parts.add("input=%s %s (%s) %s %d".formatted(i.name(), name(i.dtype()), dims, name(i.storedDtype()), i.byteCount()));
    }
    var y = node.add("Describe", node.domain(), List.of(node.input(0).value()), Map.of("text", String.join(";", parts)), 1);
    node.setResult(0, y.get(0));
  }

  private static String name(Dtype dtype) {
    return dtype == null ? "unknown" : dtype.toString();
  }

  private class Run implements AutoCloseable {
    final Model model = new Model();
    final Path folder;
    int lines;
    long[] watched;

    Run(Path folder) {
      this.folder = folder;
    }

    @Override
    public void close() {
      model.close();
    }

    private Source source(JsonObject step) throws IOException {
      byte[] data = contents(step);
      boolean fails = throwing(step);
      return new Source() {
        @Override
        public long size() {
          return data.length;
        }

        @Override
        public void read(long offset, ByteBuffer target) throws IOException {
          if (fails) {
            throw new ThrownInput();
          }
          target.put(data, (int) offset, target.remaining());
        }
      };
    }

    private Model shape(JsonObject step) {
      List<Dim> dims = new ArrayList<>();
      for (JsonElement d : step.getAsJsonArray("dims")) {
        boolean named = d.getAsJsonPrimitive().isString();
        dims.add(named ? Dim.of(d.getAsString()) : d.getAsLong() == -1 ? Dim.OPEN : Dim.of(d.getAsLong()));
      }
      return model.inputShape(step.get("input").getAsString(), dims.toArray(new Dim[0]));
    }

    private Model param(JsonObject s) {
      byte[] data = new byte[s.getAsJsonArray("bytes").size()];
      for (int i = 0; i < data.length; i++) {
        data[i] = (byte) s.getAsJsonArray("bytes").get(i).getAsInt();
      }
      long[] dims = s.getAsJsonArray("dims").asList().stream().mapToLong(JsonElement::getAsLong).toArray();
      return model.param(text(s, "name"), Dtype.of(text(s, "dtype")), dims, data);
    }

    private double[] numbers(JsonObject s) {
      return s.getAsJsonArray("values").asList().stream().mapToDouble(JsonElement::getAsDouble).toArray();
    }

    private Progress progress(String handler) {
      return switch (handler) {
        case null -> null;
        case "cancel" -> now -> true;
        case "throw" ->
            now -> {
              throw new Thrown();
            };
        default ->
            now -> {
              watched = new long[] {now.done(), now.total()};
              return false;
            };
      };
    }

    private Log log(String handler) {
      return switch (handler) {
        case null -> null;
        case "throw" ->
            (severity, message) -> {
              throw new Thrown();
            };
        default -> (severity, message) -> lines++;
      };
    }

    private void step(JsonObject s, JsonObject got) throws Exception {
      String input = s.has("input") ? text(s, "input") : null;
      boolean on = s.has("on") && s.get("on").getAsBoolean();
      switch (text(s, "do")) {
        case "load" -> model.load(path(s));
        case "load_memory" -> model.load(contents(s));
        case "load_callback" -> model.load(source(s));
        case "load_symbol" -> model.loadSymbol(path(s));
        case "load_symbol_memory" -> model.loadSymbol(contents(s));
        case "load_params" -> model.loadParams(path(s));
        case "load_params_memory" -> model.loadParams(ByteBuffer.wrap(contents(s)));
        case "load_params_callback" -> model.loadParams(source(s));
        case "set_param" -> param(s);
        case "load_catalogue" -> model.loadCatalogue(path(s));
        case "load_net" -> got.addProperty("net", model.loadNet(text(s, "name")).net());
        case "identify_net" -> model.identifyNet();
        case "use_published" -> model.usePublished(Model.Published.valueOf(text(s, "choice")));
        case "nets" -> got.add("nets", nets());
        case "param_prefix" -> model.text(Text.PARAM_PREFIX, text(s, "prefix"));
        case "input_shape" -> shape(s);
        case "input_dim_name" -> model.inputDimName(input, s.get("axis").getAsInt(), text(s, "name"));
        case "input_dtype" -> model.inputDtype(input, Dtype.of(text(s, "dtype")));
        case "channels_last" -> model.inputChannelsLast(input, on);
        case "channels_reversed" -> model.inputChannelsReversed(input, on);
        case "mean" -> model.inputMean(input, numbers(s));
        case "scale" -> model.inputScale(input, numbers(s));
        case "add_output" -> model.addOutput(text(s, "name"));
        case "rename" -> model.rename(text(s, "old"), text(s, "new"));
        case "opset" -> model.opset(s.get("opset").getAsInt());
        case "external_data" ->
            model.externalData(Model.External.valueOf(text(s, "mode"))).option(Option.EXTERNAL_THRESHOLD, s.get("threshold").getAsLong());
        case "full_checksum" -> model.option(Option.FULL_CHECKSUM, on ? 1 : 0);
        case "check_file" -> model.checkExternalData(path(s));
        case "initializers_as_inputs" -> model.option(Option.INITIALIZERS_AS_INPUTS, on ? 1 : 0);
        case "keep_batch_norm" -> model.option(Option.KEEP_BATCH_NORM, on ? 1 : 0);
        case "fsync" -> model.option(Option.FSYNC, on ? 1 : 0);
        case "float16" -> model.float16(Model.Float16.valueOf(text(s, "mode")));
        case "keep_float32" -> {
          Model.Precision precision = s.get("keep").getAsBoolean() ? Model.Precision.FLOAT32 : Model.Precision.FLOAT16;
          model.nodePrecision(text(s, "name"), precision);
        }
        case "target" -> model.target(text(s, "name"));
        case "trust_indices" -> model.option(Option.TRUST_INDICES, on ? 1 : 0);
        case "option" -> {
          Option which = Option.valueOf(text(s, "which"));
          try {
            model.option(which, s.get("value").getAsLong());
          } finally {
            got.addProperty("option", model.option(which));
          }
        }
        case "reset_option" -> {
          Option which = Option.valueOf(text(s, "which"));
          got.addProperty("option", model.resetOption(which).option(which));
        }
        case "seed" -> model.option(Option.SEED, s.get("seed").getAsLong());
        case "unknown_domain" -> model.text(Text.UNKNOWN_DOMAIN, text(s, "domain"));
        case "log" -> model.log(log(text(s, "handler")));
        case "progress" -> model.progress(progress(text(s, "handler")));
        case "custom_operator" -> {
          String handler = text(s, "handler");
          model.customOperator(text(s, "name"), s.get("outputs").getAsInt(), handler == null ? null : handler(handler, model));
        }
        case "infer" -> model.infer();
        case "look" -> look(got);
        case "export_file" -> exportFile(s, got);
        case "export_memory" -> got.addProperty("sha256", digest(model.exportBytes()));
        case "export_stream" -> exportStream(s, got);
        default -> throw new AssertionError(text(s, "do"));
      }
    }

    private void exportStream(JsonObject s, JsonObject got) throws Exception {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      model.writeTo(throwing(s) ? new Failing() : out);
      got.addProperty("sha256", digest(out.toByteArray()));
    }

    private void exportFile(JsonObject s, JsonObject got) throws Exception {
      Path target = folder.resolve(s.has("path") ? text(s, "path") : "model.onnx");
      Path data = Path.of(target + ".data");
      try {
        model.export(target);
        got.addProperty("sha256", digest(Files.readAllBytes(target)));
        Files.delete(target);
        if (Files.exists(data)) {
          got.addProperty("data_sha256", digest(Files.readAllBytes(data)));
          Files.delete(data);
        }
      } finally {
        try (Stream<Path> left = Files.list(folder)) {
          assertEquals(List.of(), left.toList());
        }
      }
    }

    private JsonArray values(List<Value> values) {
      JsonArray found = new JsonArray();
      for (Value v : values) {
        JsonObject row = new JsonObject();
        row.addProperty("name", v.name());
        row.addProperty("dtype", name(v.dtype()));
        JsonArray dims = new JsonArray();
        for (Dim d : v.dims() == null ? List.<Dim>of() : v.dims()) {
          if (d.isFixed()) {
            dims.add(d.size());
          } else {
            dims.add(d.name());
          }
        }
        row.add("dims", v.dims() == null ? JsonNull.INSTANCE : dims);
        found.add(row);
      }
      return found;
    }

    private JsonArray nets() {
      JsonArray found = new JsonArray();
      for (Model.PublishedNet net : model.nets()) {
        JsonObject row = new JsonObject();
        row.addProperty("name", net.name());
        row.addProperty("text", net.text());
        found.add(row);
      }
      return found;
    }

    private void look(JsonObject got) throws Exception {
      got.add("inputs", values(model.inputs()));
      got.add("outputs", values(model.outputs()));
      JsonArray variables = new JsonArray();
      for (Variable v : model.variables()) {
        JsonObject row = new JsonObject();
        row.addProperty("name", v.name());
        row.addProperty("kind", v.kind().name());
        variables.add(row);
      }
      got.add("variables", variables);
      JsonArray params = new JsonArray();
      for (Model.Param p : model.params()) {
        JsonObject row = new JsonObject();
        row.addProperty("name", p.name());
        row.addProperty("dtype", p.dtype().toString());
        JsonArray dims = new JsonArray();
        for (long d : p.dims()) {
          dims.add(d);
        }
        row.add("dims", dims);
        row.addProperty("used", p.used());
        row.addProperty("sha256", digest(p.bytes()));
        params.add(row);
      }
      got.add("params", params);
      JsonArray operators = new JsonArray();
      for (Operator o : model.operators()) {
        JsonObject row = new JsonObject();
        row.addProperty("name", o.name());
        row.addProperty("uses", o.uses());
        row.addProperty("supported", o.supported());
        operators.add(row);
      }
      got.add("operators", operators);
      JsonObject written = new JsonObject();
      written.addProperty("opset", model.written().opset());
      written.addProperty("nodes", model.written().nodes());
      written.addProperty("bytes", model.written().bytes());
      got.add("written", written);
    }

    private JsonArray diagnostics() {
      JsonArray found = new JsonArray();
      for (Diagnostic d : model.diagnostics()) {
        JsonObject row = new JsonObject();
        row.addProperty("severity", d.severity().name());
        row.addProperty("status", d.status().name());
        row.addProperty("node", d.node());
        row.addProperty("op", d.op());
        row.addProperty("attribute", d.attribute());
        row.addProperty("name", d.name().substring(d.name().lastIndexOf('/') + 1));
        found.add(row);
      }
      return found;
    }

    void run(JsonObject step) throws Exception {
      lines = 0;
      watched = null;
      JsonObject got = new JsonObject();
      got.addProperty("status", "OK");
      try {
        step(step, got);
      } catch (Thrown | ThrownInput e) {
        got.addProperty("status", "THROWN");
      } catch (Mx2onnxException e) {
        assertTrue(e.getClass() != Mx2onnxException.class);
        got.addProperty("status", e.status().name());
      }
      got.addProperty("log", lines);
      got.add("diagnostics", diagnostics());
      if (watched != null) {
        JsonArray last = new JsonArray();
        last.add(watched[0]);
        last.add(watched[1]);
        got.add("progress", last);
      }
      for (var e : step.getAsJsonObject("expect").entrySet()) {
        assertEquals(String.valueOf(e.getValue()), String.valueOf(got.get(e.getKey())), text(step, "do") + ": " + e.getKey());
      }
    }
  }

  private static class Failing extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new ThrownInput();
    }
  }

  @TestFactory
  List<DynamicTest> cases() throws Exception {
    JsonArray cases = JsonParser.parseString(Files.readString(CASES.resolve("cases.json"))).getAsJsonObject().getAsJsonArray("cases");
    assertTrue(cases.size() > 20);
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonElement c : cases) {
      JsonObject o = c.getAsJsonObject();
      tests.add(DynamicTest.dynamicTest(text(o, "name"), () -> one(o)));
    }
    return tests;
  }

  private void one(JsonObject c) throws Exception {
    try (Run run = new Run(Files.createTempDirectory(folder, "case"))) {
      for (JsonElement step : c.getAsJsonArray("steps")) {
        run.run(step.getAsJsonObject());
      }
    }
  }
}
