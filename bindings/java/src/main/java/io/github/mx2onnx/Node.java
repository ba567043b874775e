// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A node of MXNet's graph, as a handler gets it. It is valid until the handler returns. */
public final class Node {
  /** A value of the ONNX graph. NONE stands for an omitted input. */
  public static final class Result {
    /** An omitted input. */
    public static final Result NONE = new Result(0);

    private final int number;

    Result(int number) {
      this.number = number;
    }
  }


  /** Node.fail: the library has the text already. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message, null, false, false);
    }
  }

  /** A call of a node failed; the call that led to the handler says so with all diagnostics. */
  static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int code;

    Failed(int code, String message) {
      super(message);
      this.code = code;
    }
  }

  /** An input of the node. */
  public final class Input {
    private final int index;
    private final String name;
    private final Dtype dtype;
    private final List<Dim> dims;

    private Input(int index) {
      this.index = index;
      name = Native.text("node_input_name", handle, index);
      dtype = Dtype.of(Native.integer("node_input_dtype", handle, index));
      int rank = Native.integer("node_input_rank", handle, index);
      List<Dim> found = new ArrayList<>();
      for (int axis = 0; axis < rank; axis++) {
        long size = Native.number("node_input_dim", handle, index, axis);
        found.add(size >= 0 ? Dim.of(size) : Dim.ofInput(index, axis));
      }
      dims = rank < 0 ? null : List.copyOf(found);
    }

    /** The name of the variable or of the node that it comes from. */
    public String name() {
      return name;
    }

    /** Null while it is unknown. */
    public Dtype dtype() {
      return dtype;
    }

    /** Null while the rank is unknown; a dim that is dynamic may be given to setOutput. */
    public List<Dim> dims() {
      return dims;
    }

    /** The type of a parameter's bytes in its file; null for an input that is not a parameter. */
    public Dtype storedDtype() {
      return Dtype.of(Native.integer("node_input_stored_dtype", open(), index));
    }

    /** The size of a parameter; 0 for any other input. */
    public long byteCount() {
      return Native.number("node_input_size", open(), index);
    }

    /** A parameter's contents: dense, row-major, little-endian, of storedDtype. */
    public byte[] bytes() {
      return bytes(0, byteCount());
    }

    /** So many bytes of them, from byte `offset` on. */
    public byte[] bytes(long offset, long size) {
      if (storedDtype() == null) {
        throw new IllegalStateException("input '" + name + "' is not a parameter: its value is not known yet");
      }
      Model.checkRange(offset, size, byteCount());
      return Model.read(size, memory -> check(Native.integer("node_input_read", open(), index, offset, memory, size)));
    }

    /** Its value in the ONNX graph. */
    public Result value() {
      return new Result(Native.integer("node_input_value", open(), index));
    }
  }

  private MemorySegment handle;
  private final Model model;
  private final Map<String, String> attributes;
  private final List<Input> inputs = new ArrayList<>();

  Node(MemorySegment handle, Model model) {
    this.handle = handle;
    this.model = model;
    Map<String, String> found = new LinkedHashMap<>();
    for (long i = 0; i < Native.number("node_attribute_count", handle); i++) {
      found.put(Native.text("node_attribute_key", handle, i), Native.text("node_attribute_value", handle, i));
    }
    attributes = Collections.unmodifiableMap(found);
    for (int i = 0; i < Native.number("node_input_count", handle); i++) {
      inputs.add(new Input(i));
    }
  }

  void close() {
    handle = null;
  }

  private MemorySegment open() {
    if (handle == null) {
      throw new IllegalStateException("the node was used after its handler returned; use it inside the handler only");
    }
    return handle;
  }

  private void check(int status) {
    if (status != 0) {
      throw new Failed(status, model.errorText());
    }
  }

  /** MXNet's name of the node. */
  public String name() {
    return Native.text("node_name", open());
  }

  /** The name that the handler is registered for. */
  public String operator() {
    return Native.text("node_operator", open());
  }

  /** The opset that is written. */
  public int opset() {
    return Native.integer("node_opset", open());
  }

  /** That of Text.UNKNOWN_DOMAIN, or null. */
  public String domain() {
    return Native.text("node_domain", open());
  }

  /** An attribute's text, as in the file; null if it is absent. */
  public String attribute(String key) {
    return Native.text("node_attribute", open(), key);
  }

  /** All of them, in the file's order. */
  public Map<String, String> attributes() {
    return attributes;
  }

  /** The inputs. */
  public List<Input> inputs() {
    return Collections.unmodifiableList(inputs);
  }

  /** An input. */
  public Input input(int i) {
    return inputs.get(i);
  }

  /** How many outputs it has; 0 in countOutputs. */
  public int outputCount() {
    return (int) Native.number("node_output_count", open());
  }

  /**
   * Refuses the node: the call that led here throws an UnsupportedException with this text.
   *
   * @return never; to be thrown, so that the compiler knows
   */
  public RuntimeException fail(String message) {
    Native.integer("node_fail", open(), message);
    throw new Refused(message);
  }

  /** In infer: type and shape of an output are those of an input. */
  public void setOutputLike(int output, int input) {
    check(Native.integer("node_set_output_like", open(), output, input));
  }

  /** In infer: type and shape of an output; Dim.OPEN is an independent size, a dim of an input equals that. */
  public void setOutput(int output, Dtype dtype, Dim... dims) {
    check(Native.integer("node_set_output", open(), output, dtype.code, dims.length, Dim.sizes(dims)));
    for (int axis = 0; axis < dims.length; axis++) {
      if (dims[axis].input() >= 0) {
        check(Native.integer("node_set_output_dim", open(), output, axis, dims[axis].input(), dims[axis].axis()));
      }
    }
  }

  /** In lower: a constant of row-major, little-endian bytes. */
  public Result constant(Dtype dtype, long[] dims, byte[] data) {
    return constant(dtype, dims, MemorySegment.ofArray(data));
  }

  /** In lower: a constant of rank 1. */
  public Result constant(float... values) {
    return constant(Dtype.FLOAT32, new long[] {values.length}, MemorySegment.ofArray(values));
  }

  /** In lower: a constant of rank 1. */
  public Result constant(long... values) {
    return constant(Dtype.INT64, new long[] {values.length}, MemorySegment.ofArray(values));
  }

  private Result constant(Dtype dtype, long[] dims, MemorySegment data) {
    MemorySegment memory = Native.memory(data.byteSize() + 4);
    try {
      MemorySegment.copy(data, 0, memory, 4, data.byteSize());
      int status =
          Native.integer("node_add_constant", open(), Native.array(dtype, dims, memory.asSlice(4), data.byteSize()), memory);
      check(status);
      return new Result(memory.get(ValueLayout.JAVA_INT, 0));
    } finally {
      Native.run("memory_free", memory);
    }
  }

  /** In lower: adds one of ONNX's operators, in its newest form; the form of the opset is written. One output. */
  public Result add(String opType, List<Result> inputs, Map<String, ?> attributes) {
    return add(opType, null, inputs, attributes, 1).get(0);
  }

  /**
   * In lower: adds an ONNX node.
   *
   * @param domain null for ONNX's own operators
   * @param attributes Integer and Long are integers, Float and Double floats, and so in a List; String
   * @param outputs how many
   */
  public List<Result> add(String opType, String domain, List<Result> inputs, Map<String, ?> attributes, int outputs) {
    int[] values = inputs.stream().mapToInt(r -> r.number).toArray();
    String text = attributes == null || attributes.isEmpty() ? null : json(attributes);
    MemorySegment made = Native.memory(4L * Math.max(1, outputs));
    try {
      var node = new Native.Structure(opType, domain, text, (long) values.length, values, (long) outputs);
      check(Native.integer("node_add", open(), node, made));
      List<Result> found = new ArrayList<>();
      for (int i = 0; i < outputs; i++) {
        found.add(new Result(made.getAtIndex(ValueLayout.JAVA_INT, i)));
      }
      return found;
    } finally {
      Native.run("memory_free", made);
    }
  }

  /** In lower: the value of an output of MXNet's node. */
  public void setResult(int output, Result value) {
    check(Native.integer("node_set_result", open(), output, value.number));
  }

  private static String json(Object value) {
    return switch (value) {
      case Map<?, ?> m ->
          m.entrySet().stream().map(e -> json(e.getKey()) + ":" + json(e.getValue())).collect(Collectors.joining(",", "{", "}"));
      case List<?> l -> l.stream().map(Node::json).collect(Collectors.joining(",", "[", "]"));
      case Integer i -> i.toString();
      case Long l -> l.toString();
      case Float f -> f.toString();
      case Double d -> d.toString();
      case String s -> quoted(s);
      default -> throw new IllegalArgumentException("an attribute is a number, a text or a list of them, not " + value);
    };
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
    }
    return out.append('"').toString();
  }
}
