// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * An MXNet model: load it, look at it, choose options, export it.
 *
 * <pre>{@code
 * try (var m = Model.open(Path.of("net-symbol.json"))) {
 *   m.inputShape("data", Dim.of("batch"), Dim.of(3), Dim.of(224), Dim.of(224));
 *   m.export(Path.of("net.onnx"));
 * }
 * }</pre>
 *
 * <p>A model is used by one thread at a time, any thread; different models are independent. Functions that are given to a model run
 * on the thread of the call that they belong to, before it returns; what they throw comes out of that call, and the model refuses to be
 * called by them. The IOException of a {@link Source}, a stream or a channel comes out as it is where the method declares it, and as
 * {@link UncheckedIOException} of a later call that reads the source.
 */
public final class Model implements AutoCloseable {
  /** Where the weights go. */
  public enum External {
    /** Into the model file, or next to it when the file would pass 2 GiB. */
    AUTO,
    /** Into the model file. */
    NEVER,
    /** Into a side file. */
    ALWAYS,
    /** Arrays that need no change stay in the parameter file, which must be next to the model. */
    IN_PLACE,
    /** The same, and a parameter file that is elsewhere gets a hard link next to the model. */
    LINK
  }

  /** What becomes float16. */
  public enum Float16 {
    /** Nothing. */
    OFF,
    /** Inputs and outputs too. */
    ALL,
    /** Inputs and outputs keep their types. */
    INSIDE
  }

  /** The type of a node in a float16 model. */
  public enum Precision {
    /** As the library chooses. */
    AUTO,
    /** The node stays as it is. */
    FLOAT32,
    /** The node is converted even where the library would not. */
    FLOAT16
  }

  /** A graph of the model. */
  public enum Graph {
    /** MXNet's, as it is converted. */
    MXNET,
    /** The one that an export would write. */
    ONNX
  }

  /** What was published with a net for its inputs. */
  public enum Published {
    /** Their shapes, with any batch. */
    SHAPES,
    /** Mean and scale, for images of 0 to 255 in the order RGB. */
    NORMALIZATION
  }

  /**
   * A net of the catalogue.
   *
   * @param name for loadNet
   * @param text what is known of it, a line
   */
  public record PublishedNet(String name, String text, String json) {}

  /**
   * A published net that parameters fit.
   *
   * @param name for loadNet
   * @param title with its sizes, "resnet50_v1 with 10 classes"
   */
  public record Candidate(String name, String title) {}

  /** An array of a parameter file. */
  public final class Param {
    private final long index;

    private Param(long index) {
      this.index = index;
    }

    /** Its name. */
    public String name() {
      return Native.text("param_name", open(), index);
    }

    /** Its type in the file. */
    public Dtype dtype() {
      return Dtype.of(Native.integer("param_dtype", open(), index));
    }

    /** Its dims. */
    public long[] dims() {
      int rank = Native.integer("param_rank", open(), index);
      return Native.address("param_dims", open(), index).reinterpret(8L * rank).toArray(ValueLayout.JAVA_LONG);
    }

    /** Its size. */
    public long byteCount() {
      return Native.number("param_size", open(), index);
    }

    /** Whether the graph reads it. */
    public boolean used() {
      return look(m -> Native.integer("param_used", m, index)) != 0;
    }

    /** Reads it: dense, row-major, little-endian. */
    public byte[] bytes() {
      return bytes(0, byteCount());
    }

    /** Reads so many bytes of it, from byte `offset` on. */
    public byte[] bytes(long offset, long size) {
      checkRange(offset, size, byteCount());
      return read(size, memory -> check(Native.integer("param_read", open(), index, offset, memory, size)));
    }
  }

  private static final Cleaner CLEANER = Cleaner.create();
  private static final int UNSUPPORTED = -6;
  private static final int CANCELLED = -10;

  private static final MemoryLayout DIAGNOSTIC =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, MemoryLayout.sequenceLayout(6, ValueLayout.ADDRESS));

  // The other structures, whose members are found by their offsets.
  private static final long LOG_ENTRY_SIZE = 24; // severity at 8, message at 16
  private static final long PROGRESS_SIZE = 40; // phase at 8, node at 16, done at 24, total at 32
  private static final long HANDLER_SIZE = 48; // output_count at 8, overrides at 16, infer at 24, lower at 32, count_outputs at 40

  /** Frees a model that the program did not close. */
  private static final class State implements Runnable {
    private final MemorySegment handle;
    private final Map<Object, Arena> functions = new HashMap<>();
    private boolean freed;

    State(MemorySegment handle) {
      this.handle = handle;
    }

    /** From any thread; the handle lives until this is done. */
    synchronized void unlessFreed(Consumer<MemorySegment> work) {
      if (!freed) {
        work.accept(handle);
      }
    }

    @Override
    public void run() {
      synchronized (this) {
        freed = true;
      }
      Native.run("model_free", handle);
      functions.values().forEach(Arena::close);
    }
  }

  private final State state;
  private final Cleaner.Cleanable cleanable;
  private boolean closed;
  private int inside;
  private boolean stopped; // by the progress function
  private volatile boolean cancelled; // since the last look began
  private Throwable thrown;

  /** An empty model. */
  public Model() {
    state = new State(newHandle());
    cleanable = CLEANER.register(this, state);
  }

  private static MemorySegment newHandle() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
      int status = Native.integer("model_new", out);
      if (status != 0) {
        throw Mx2onnxException.of(status, "", List.of());
      }
      return out.get(ValueLayout.ADDRESS, 0);
    }
  }

  /** A model with what is at the path: a symbol file with the parameters next to it, a prefix, a folder or an archive. */
  public static Model open(Path path) {
    Model model = new Model();
    try {
      return model.load(path);
    } catch (Throwable e) {
      model.close();
      throw e;
    }
  }

  /** Frees the model; IllegalStateException in one of its callbacks. */
  @Override
  public void close() {
    if (inside > 0) {
      throw new IllegalStateException("the model is in use: one of its own callbacks cannot call it; call it after the callback has returned");
    }
    closed = true;
    cleanable.clean();
  }

  /** Makes the model as it was made: without what was loaded and chosen, and without functions. */
  public Model reset() {
    call("model_reset");
    state.functions.values().forEach(Arena::close);
    state.functions.clear();
    return this;
  }

  /**
   * Ends the call that is running with a CancelledException. Another thread may call it, and so may a callback; it has no effect on
   * later calls, or when the model is closed.
   */
  public void cancel() {
    cancelled = true;
    state.unlessFreed(m -> Native.run("cancel", m));
  }

  private MemorySegment open() {
    if (closed) {
      throw new IllegalStateException("the model is closed");
    }
    return state.handle;
  }

  String errorText() {
    return Mx2onnxException.words(Native.text("error", state.handle));
  }

  /** What a callback threw, once the call that led to it is back. */
  private void rethrow() {
    if (inside > 0) {
      return; // a call of a callback
    }
    stopped = false;
    Throwable e = thrown;
    thrown = null;
    if (e instanceof IOException io) {
      throw new Wrapped(io);
    }
    if (e != null) {
      throw Model.<RuntimeException>unchanged(e);
    }
  }

  /** An IOException of a callback, for methods that do not declare it. */
  private static final class Wrapped extends UncheckedIOException {
    private static final long serialVersionUID = 1;

    Wrapped(IOException cause) {
      super(cause);
    }
  }

  /** For methods that declare it. */
  private Model declared(Supplier<Model> work) throws IOException {
    try {
      return work.get();
    } catch (Wrapped e) {
      throw e.getCause();
    }
  }

  private Model check(int status) {
    rethrow();
    if (status != 0) {
      throw Mx2onnxException.of(status, Native.text("error", state.handle), diagnostics());
    }
    return this;
  }

  /** An exception of a callback leaves the call as it is; another language than Java may throw a checked one. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> T unchanged(Throwable e) throws T {
    throw (T) e;
  }

  private Model call(String name, Object... values) {
    Object[] all = new Object[values.length + 1];
    all[0] = open();
    System.arraycopy(values, 0, all, 1, values.length);
    return check(Native.integer(name, all));
  }

  /** Functions that return no status, but may ask the progress function. */
  private <T> T look(Function<MemorySegment, T> work) {
    if (inside == 0) {
      cancelled = false;
    }
    T found = work.apply(open());
    boolean ended = (stopped || cancelled) && inside == 0;
    rethrow();
    Reference.reachabilityFence(this); // the handle goes with the model
    if (ended) {
      throw Mx2onnxException.of(CANCELLED, "", List.of());
    }
    return found;
  }

  // ---- functions for the library

  private interface Body {
    int run() throws Throwable;
  }

  private int guarded(int stop, Body body) {
    if (thrown != null) {
      return stop;
    }
    inside++;
    try {
      return body.run();
    } catch (Throwable e) {
      thrown = thrown == null ? e : thrown; // else it was a reader's, in a handler
      return stop;
    } finally {
      inside--;
    }
  }

  /** The targets of function pointers. They do not keep the model alive, which frees them. */
  private record Reader(WeakReference<Model> model, Source source) {
    int read(long offset, MemorySegment buffer, long size, MemorySegment user) {
      Body body =
          () -> {
            try (Arena call = Arena.ofConfined()) { // a buffer that outlives the call cannot be used
              MemorySegment all = buffer.reinterpret(size, call, null);
              for (long done = 0; done < size; ) {
                long part = Math.min(size - done, 1 << 30);
                ByteBuffer target = all.asSlice(done, part).asByteBuffer();
                source.read(offset + done, target);
                if (target.hasRemaining()) {
                  return 1;
                }
                done += part;
              }
            }
            return 0;
          };
      return model.get().guarded(1, body);
    }
  }

  private interface Sink {
    void write(ByteBuffer data) throws IOException;
  }

  private record Writer(WeakReference<Model> model, Sink sink) {
    int write(MemorySegment data, long size, MemorySegment user) {
      Body body =
          () -> {
            try (Arena call = Arena.ofConfined()) {
              MemorySegment all = data.reinterpret(size, call, null);
              for (long done = 0; done < size; ) {
                long part = Math.min(size - done, 1 << 30);
                sink.write(all.asSlice(done, part).asByteBuffer().asReadOnlyBuffer());
                done += part;
              }
            }
            return 0;
          };
      return model.get().guarded(1, body);
    }
  }

  private record Watcher(WeakReference<Model> model, Progress progress) {
    int update(MemorySegment now, MemorySegment user) {
      Model owner = model.get();
      if (owner.thrown != null) {
        return 0; // what has failed ends the call in its own way
      }
      Body body =
          () -> {
            MemorySegment p = now.reinterpret(PROGRESS_SIZE);
            Progress.Phase phase = Progress.Phase.of(p.get(ValueLayout.JAVA_INT, 8));
            String node = Native.text(p.get(ValueLayout.ADDRESS, 16));
            long done = p.get(ValueLayout.JAVA_LONG, 24);
            long total = p.get(ValueLayout.JAVA_LONG, 32);
            owner.stopped = progress.update(new Progress.State(phase, done, total, node));
            return owner.stopped ? 1 : 0;
          };
      return owner.guarded(1, body);
    }
  }

  private record Logger(WeakReference<Model> model, Log log) {
    void line(MemorySegment entry, MemorySegment user) {
      Model owner = model.get();
      if (owner.thrown != null) {
        return;
      }
      Body body =
          () -> {
            MemorySegment e = entry.reinterpret(LOG_ENTRY_SIZE);
            Severity severity = Severity.of(e.get(ValueLayout.JAVA_INT, 8));
            log.line(severity, Mx2onnxException.words(Native.text(e.get(ValueLayout.ADDRESS, 16))));
            return 0;
          };
      if (owner.guarded(1, body) != 0) {
        Native.run("cancel", owner.state.handle); // a log has no result to say it with
      }
    }
  }

  private interface Step {
    void run(Node node);
  }

  private record Handler(WeakReference<Model> model, Step step) {
    int run(MemorySegment handle, MemorySegment user) {
      Model owner = model.get();
      Body body =
          () -> {
            Node node = new Node(handle, owner);
            try {
              step.run(node);
              return 0;
            } catch (Node.Refused e) {
              return UNSUPPORTED;
            } catch (Node.Failed e) {
              return e.code;
            } finally {
              node.close();
            }
          };
      return owner.guarded(UNSUPPORTED, body);
    }
  }

  private record Counter(WeakReference<Model> model, CustomOperator operator) {
    long count(MemorySegment handle, MemorySegment user) {
      Model owner = model.get();
      long[] count = {0};
      Body body =
          () -> {
            Node node = new Node(handle, owner);
            try {
              count[0] = operator.countOutputs(node);
              return 0;
            } catch (Node.Refused e) { // the library has the reason, and refuses 0
              return 0;
            } finally {
              node.close();
            }
          };
      owner.guarded(0, body);
      return count[0];
    }
  }

  private WeakReference<Model> self() {
    return new WeakReference<>(this);
  }

  /** Keeps the arena of new functions, and lets go that of the functions they replace. */
  private void keep(Object key, Arena arena) {
    Arena old = arena == null ? state.functions.remove(key) : state.functions.put(key, arena);
    if (old != null) {
      old.close();
    }
  }

  /** Gives functions to the library, or takes them back: they live as long as it has them, whatever the call throws. */
  private Model give(Object key, Arena arena, String name, Object... values) {
    Object[] all = new Object[values.length + 1];
    all[0] = open();
    System.arraycopy(values, 0, all, 1, values.length);
    int status;
    try {
      status = Native.integer(name, all);
    } catch (Throwable e) { // an argument was not valid: nothing was called
      if (arena != null) {
        arena.close();
      }
      throw e;
    }
    if (status == 0) {
      keep(key, arena);
    } else if (arena != null) {
      arena.close();
    }
    return check(status);
  }

  // ---- load

  /** A symbol file with the parameters next to it, a prefix, a folder or an archive. */
  public Model load(Path path) {
    return call("load", path.toString());
  }

  /** An archive, or a symbol alone. */
  public Model load(byte[] data) {
    return loadMemory("load_memory", MemorySegment.ofArray(data));
  }

  /** An archive, or a symbol alone: what remains in the buffer. */
  public Model load(ByteBuffer data) {
    return loadMemory("load_memory", MemorySegment.ofBuffer(data));
  }

  /** An archive, or a symbol alone, that is read piece by piece. */
  public Model load(Source source) throws IOException {
    return loadSource("load_callback", source);
  }

  private Model loadMemory(String function, MemorySegment data) {
    open();
    MemorySegment memory = copy(data);
    return call(function, memory, data.byteSize(), memory, Native.MEMORY_FREE);
  }

  /** The library has no sign in a size, and would take -1 for the largest. */
  private static long notNegative(long value, String what) {
    if (value < 0) {
      throw new IllegalArgumentException(what + " must not be negative: " + value);
    }
    return value;
  }

  private static MemorySegment copy(MemorySegment data) {
    MemorySegment memory = Native.memory(data.byteSize());
    MemorySegment.copy(data, 0, memory, 0, data.byteSize());
    return memory;
  }

  private Model loadSource(String function, Source source) throws IOException {
    open();
    long size = notNegative(source.size(), "the size of a source");
    Arena arena = Arena.ofShared();
    MemorySegment read = Native.stub(new Reader(self(), source), "read", "IJAJA", arena);
    keep(new Object(), arena); // until the model is freed
    return declared(() -> call(function, size, read, null, null));
  }

  /** The graph alone. */
  public Model loadSymbol(Path path) {
    return call("load_symbol_file", path.toString());
  }

  /** The graph alone, as JSON. */
  public Model loadSymbol(byte[] json) {
    MemorySegment memory = copy(MemorySegment.ofArray(json));
    try {
      return call("load_symbol_memory", memory, json.length);
    } finally {
      Native.run("memory_free", memory);
    }
  }

  /** A parameter file; may be called several times. */
  public Model loadParams(Path path) {
    return call("load_params_file", path.toString());
  }

  /** The contents of a parameter file. */
  public Model loadParams(byte[] data) {
    return loadMemory("load_params_memory", MemorySegment.ofArray(data));
  }

  /** The contents of a parameter file: what remains in the buffer. */
  public Model loadParams(ByteBuffer data) {
    return loadMemory("load_params_memory", MemorySegment.ofBuffer(data));
  }

  /** A parameter file that is read piece by piece. */
  public Model loadParams(Source source) throws IOException {
    return loadSource("load_params_callback", source);
  }

  /** The graph for parameters without a symbol: that of the published net of this name; null: of the net that they fit. */
  public Model loadNet(String name) {
    return call("load_net", name);
  }

  /** All published nets that the parameters fit. */
  public List<Candidate> identifyNet() {
    call("identify_net");
    return list("candidate_count", (m, i) -> new Candidate(Native.text("candidate_name", m, i), Native.text("candidate_title", m, i)));
  }

  /** Chooses what was published with the net for its inputs. */
  public Model usePublished(Published what) {
    return call("use_published", what.ordinal());
  }

  /** Uses another catalogue of published models than the one in the library. */
  public Model loadCatalogue(Path path) {
    return call("load_catalogue_file", path.toString());
  }

  /** The contents of a file with another catalogue of nets. */
  public Model loadCatalogue(byte[] data) {
    MemorySegment memory = copy(MemorySegment.ofArray(data));
    try {
      return call("load_catalogue_memory", memory, data.length);
    } finally {
      Native.run("memory_free", memory);
    }
  }

  /** The published model that the graph was made for, "resnet18_v1 with 10 classes"; null if the graph came from a symbol. */
  public String net() {
    String text = Native.text("net_title", open());
    Reference.reachabilityFence(this);
    return text;
  }

  /** The nets of the catalogue. */
  public List<PublishedNet> nets() {
    return list("catalogue_count", (m, i) -> new PublishedNet(Native.text("catalogue_name", m, i), Native.text("catalogue_text", m, i),
        Native.text("catalogue_json", m, i)));
  }

  /** Sets the value of a parameter, or of an input that becomes a constant. Row-major, little-endian; it is copied. */
  public Model param(String name, Dtype dtype, long[] dims, byte[] data) {
    open();
    Native.checkText(name);
    MemorySegment memory = copy(MemorySegment.ofArray(data));
    return call("set_param", name, Native.array(dtype, dims, memory, data.length), memory, Native.MEMORY_FREE);
  }

  /** Takes back what param set: the array of a file with this name is used again. */
  public Model removeParam(String name) {
    return call("remove_param", name);
  }

  // ---- choose

  /** The whole shape of an input, also where a dim had a name before. One that is refused changes nothing. */
  public Model inputShape(String input, Dim... dims) {
    String[] names = Stream.of(dims).map(Dim::name).toArray(String[]::new);
    return call("set_input_shape", input, dims.length, Dim.sizes(dims), names);
  }

  /** The whole shape of an input, all of it fixed; -1 is left to inference. */
  public Model inputShape(String input, long... dims) {
    return inputShape(input, LongStream.of(dims).mapToObj(Dim::of).toArray(Dim[]::new));
  }

  /** Takes the shape of an input back. */
  public Model clearInputShape(String input) {
    return call("set_input_shape", input, -1, null, null);
  }

  /** Makes a dim dynamic under a name; null: fixed again. */
  public Model inputDimName(String input, int axis, String name) {
    return call("set_input_dim_name", input, notNegative(axis, "axis"), name);
  }

  /** The element type of an input; null takes the choice back. */
  public Model inputDtype(String input, Dtype dtype) {
    return call("set_input_dtype", input, dtype == null ? -1 : dtype.code);
  }

  /** Makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w); shapes keep MXNet's order. */
  public Model inputChannelsLast(String input, boolean on) {
    return call("set_input_channels_last", input, on);
  }

  /** The ONNX input is BGR where the net reads RGB, or the other way round. */
  public Model inputChannelsReversed(String input, boolean on) {
    return call("set_input_channels_reversed", input, on);
  }

  /** The model gets (x - mean) * scale. Pass a value for each channel, or one for all; none removes it. */
  public Model inputMean(String input, double... values) {
    return call("set_input_mean", input, values.length, values);
  }

  /** See inputMean. */
  public Model inputScale(String input, double... values) {
    return call("set_input_scale", input, values.length, values);
  }

  /** What was set for an input. */
  public boolean inputChannelsLast(String input) {
    return chosen("get_input_channels_last", input);
  }

  /** What was set for an input. */
  public boolean inputChannelsReversed(String input) {
    return chosen("get_input_channels_reversed", input);
  }

  private boolean chosen(String function, String input) {
    boolean on = Native.integer(function, open(), input) != 0;
    Reference.reachabilityFence(this);
    return on;
  }

  /** What inputMean or usePublished set; empty if nothing was. */
  public double[] meanOf(String input) {
    return chosenValues("get_input_mean", input);
  }

  /** What inputScale or usePublished set; empty if nothing was. */
  public double[] scaleOf(String input) {
    return chosenValues("get_input_scale", input);
  }

  private double[] chosenValues(String function, String input) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment n = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment values = Native.address(function, open(), input, n);
      double[] found = values.reinterpret(8 * n.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_DOUBLE);
      Reference.reachabilityFence(this);
      return found;
    }
  }

  /** What inputShape set; null if nothing was. */
  public List<Dim> chosenShape(String input) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment rank = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment sizes = Native.address("get_input_shape", open(), input, rank);
      int n = rank.get(ValueLayout.JAVA_INT, 0);
      if (n < 0) {
        return null;
      }
      List<Dim> dims = new ArrayList<>();
      for (int axis = 0; axis < n; axis++) {
        String name = Native.text("get_input_dim_name", open(), input, (long) axis);
        long size = sizes.reinterpret(8L * n).getAtIndex(ValueLayout.JAVA_LONG, axis);
        dims.add(name != null ? Dim.of(name) : size < 0 ? Dim.OPEN : Dim.of(size));
      }
      Reference.reachabilityFence(this);
      return List.copyOf(dims);
    }
  }

  /** What inputDtype set; null if nothing was. */
  public Dtype chosenDtype(String input) {
    Dtype dtype = Dtype.of(Native.integer("get_input_dtype", open(), input));
    Reference.reachabilityFence(this);
    return dtype;
  }

  /** The name that rename set; null if it set none. */
  public String chosenName(String from) {
    String to = Native.text("get_rename", open(), from);
    Reference.reachabilityFence(this);
    return to;
  }

  /** An output by MXNet's name; the first call replaces the model's own. */
  public Model addOutput(String name) {
    return call("add_output", name);
  }

  /** Takes back what addOutput added: the outputs are the model's own. */
  public Model clearOutputs() {
    return call("clear_outputs");
  }

  /** Calls an input, output or parameter by another name in the ONNX file; null takes that back. */
  public Model rename(String from, String to) {
    return call("rename", from, to);
  }

  /** Are the files that an ONNX model names there, long enough and unchanged? Notes say it of each. */
  public Model checkExternalData(Path path) {
    return call("check_external_data", path.toString());
  }

  /** For float16: the type of a node, or of all nodes of an operator. */
  public Model nodePrecision(String name, Precision precision) {
    return call("set_node_precision", name, precision.ordinal());
  }

  /** What was set for this name; AUTO if nothing was. */
  public Precision nodePrecision(String name) {
    int code = Native.integer("get_node_precision", open(), name);
    Reference.reachabilityFence(this);
    return Precision.values()[code];
  }

  /** Sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1. */
  public Model domainVersion(String domain, int version) {
    return call("set_domain_version", domain, version);
  }

  /** The version with which a domain is imported. */
  public int domainVersion(String domain) {
    int version = Native.integer("get_domain_version", open(), domain);
    Reference.reachabilityFence(this);
    return version;
  }

  /** An entry of the ONNX model's metadata_props; null removes it. */
  public Model metadata(String key, String value) {
    return call("set_metadata", java.util.Objects.requireNonNull(key, "the key of an entry of metadata must not be null"), value);
  }

  /** Removes all entries that were set. */
  public Model clearMetadata() {
    return call("set_metadata", null, null);
  }

  /** The entries that were set, sorted by key. */
  public Map<String, String> metadata() {
    MemorySegment m = open();
    Map<String, String> found = new LinkedHashMap<>();
    for (long i = 0; i < Native.number("metadata_count", m); i++) {
      String key = Native.text("metadata_key", m, i);
      found.put(key, Native.text("get_metadata", m, key));
    }
    Reference.reachabilityFence(this);
    return found;
  }

  /** Sets a choice that is a number. */
  public Model option(Option which, long value) {
    return call("set_option", which.code(), value);
  }

  /** The value that a choice has. */
  public long option(Option which) {
    return Native.number("get_option", open(), which.code());
  }

  /** Gives a choice its default value. */
  public Model resetOption(Option which) {
    return call("reset_option", which.code());
  }

  /** Sets a choice that is a text; null is its default. */
  public Model text(Text which, String text) {
    return call("set_text", which.code(), text);
  }

  /** The text that was set; null for the default. */
  public String text(Text which) {
    return Native.text("get_text", open(), which.code());
  }

  /** The opset to write; 0: the default. */
  public Model opset(int opset) {
    return option(Option.OPSET, opset);
  }

  /** A model of half the size. */
  public Model float16(Float16 mode) {
    return option(Option.FLOAT16, mode.ordinal());
  }

  /** Where the weights go. */
  public Model externalData(External mode) {
    return option(Option.EXTERNAL_DATA, mode.ordinal());
  }

  /** Writes for a program that does not read all of ONNX: one of Mx2onnx.targets(); null takes the choice back. */
  public Model target(String name) {
    return text(Text.TARGET, name);
  }

  /** Receives the errors, warnings and notes of the log; null removes it. */
  public Model log(Log log) {
    return log(Severity.NOTE, log);
  }

  /** Receives the lines of the log of this severity and of graver ones; DEBUG is for all lines. */
  public Model log(Severity least, Log log) {
    Arena arena = log == null ? null : Arena.ofShared();
    MemorySegment line = log == null ? null : Native.stub(new Logger(self(), log), "line", "VAA", arena);
    return give("log", arena, "set_log", least.ordinal(), line, null, null);
  }

  /** Receives the progress of each call, and may stop it; null removes it. */
  public Model progress(Progress progress) {
    Arena arena = progress == null ? null : Arena.ofShared();
    MemorySegment update = progress == null ? null : Native.stub(new Watcher(self(), progress), "update", "IAA", arena);
    return give("progress", arena, "set_progress", update, null, null);
  }

  /**
   * A handler for nodes whose operator or op_type (MXNet's Custom) is `name`, with as many outputs as it counts, one unless it says
   * otherwise; null takes it back.
   */
  public Model customOperator(String name, CustomOperator operator) {
    if (operator == null) {
      return give(new Registered(name), null, "set_custom_operator", notNull(name), null, null, null);
    }
    return customOperator(name, 1, operator, true);
  }

  /** The same for nodes that all have this number of outputs. */
  public Model customOperator(String name, int outputs, CustomOperator operator) {
    notNegative(outputs, "outputs");
    return operator == null ? customOperator(name, null) : customOperator(name, outputs, operator, false);
  }

  private Model customOperator(String name, int outputs, CustomOperator operator, boolean counts) {
    open();
    notNull(name);
    Arena arena = Arena.ofShared();
    MemorySegment handler = arena.allocate(HANDLER_SIZE, 8);
    handler.set(ValueLayout.JAVA_LONG, 0, HANDLER_SIZE);
    handler.set(ValueLayout.JAVA_LONG, 8, outputs);
    handler.set(ValueLayout.JAVA_INT, 16, operator.overrides() ? 1 : 0);
    handler.set(ValueLayout.ADDRESS, 24, Native.stub(new Handler(self(), operator::infer), "run", "IAA", arena));
    if (operator.lowers()) {
      handler.set(ValueLayout.ADDRESS, 32, Native.stub(new Handler(self(), operator::lower), "run", "IAA", arena));
    }
    if (counts) {
      handler.set(ValueLayout.ADDRESS, 40, Native.stub(new Counter(self(), operator), "count", "JAA", arena));
    }
    return give(new Registered(name), arena, "set_custom_operator", name, handler, null, null);
  }

  /** Takes all handlers back. */
  public Model removeCustomOperators() {
    call("set_custom_operator", null, null, null, null);
    List<Object> names = state.functions.keySet().stream().filter(Registered.class::isInstance).toList();
    names.forEach(name -> keep(name, null));
    return this;
  }

  /** The key of a handler's functions. */
  private record Registered(String name) {}

  private static String notNull(String name) {
    return java.util.Objects.requireNonNull(name, "the name of an operator must not be null");
  }

  // ---- look

  /** Finds shapes and types with the choices made so far. */
  public Model infer() {
    return call("infer");
  }

  private interface Item<T> {
    T get(MemorySegment m, long i);
  }

  private <T> List<T> list(String count, Item<T> item) {
    return look(
        m -> {
          List<T> found = new ArrayList<>();
          for (long i = 0; i < Native.number(count, m); i++) {
            found.add(item.get(m, i));
          }
          return found;
        });
  }

  /** The functions for inputs or outputs. */
  private record Side(String count, String name, String dtype, String rank, String dim, String dimName) {
    Value value(MemorySegment m, long i) {
      int n = Native.integer(rank, m, i);
      List<Dim> dims = new ArrayList<>();
      for (int axis = 0; axis < n; axis++) {
        long size = Native.number(dim, m, i, axis);
        String named = size >= 0 ? null : Native.text(dimName, m, i, axis);
        dims.add(size >= 0 ? Dim.of(size) : named == null ? Dim.OPEN : Dim.of(named));
      }
      return new Value(Native.text(name, m, i), Dtype.of(Native.integer(dtype, m, i)), n < 0 ? null : List.copyOf(dims));
    }
  }

  private List<Value> values(Side side) {
    return list(side.count, side::value);
  }

  /** The model's inputs. */
  public List<Value> inputs() {
    return values(new Side("input_count", "input_name", "input_dtype", "input_rank", "input_dim", "input_dim_name"));
  }

  /** The model's outputs. */
  public List<Value> outputs() {
    return values(new Side("output_count", "output_name", "output_dtype", "output_rank", "output_dim", "output_dim_name"));
  }

  /** The variables of the symbol that have no value, in the order of MXNet's list_inputs(). */
  public List<Variable> variables() {
    return list(
        "variable_count",
        (m, i) -> new Variable(Native.text("variable_name", m, i), Variable.Kind.of(Native.integer("variable_kind", m, i))));
  }

  /** The arrays of the parameter files. */
  public List<Param> params() {
    return list("param_count", (m, i) -> new Param(i));
  }

  /** The operators of the graph, most used first. */
  public List<Operator> operators() {
    return list(
        "operator_count",
        (m, i) -> {
          boolean supported = Native.integer("operator_supported", m, i) != 0;
          return new Operator(Native.text("operator_name", m, i), Native.number("operator_node_count", m, i), supported);
        });
  }

  /** The bytes that are read are some of those that are there. */
  static void checkRange(long offset, long size, long all) {
    if (offset < 0 || size < 0 || offset > all || size > all - offset) {
      throw new IndexOutOfBoundsException(size + " bytes from byte " + offset + " on are not within " + all);
    }
  }

  static byte[] read(long size, Consumer<MemorySegment> read) {
    MemorySegment memory = Native.memory(size);
    try {
      read.accept(memory);
      return memory.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
    } finally {
      Native.run("memory_free", memory);
    }
  }

  // ---- export

  /** Writes a file: whole, or the target is untouched. */
  public Model export(Path path) {
    return call("export_file", path.toString());
  }

  /** The ONNX model in memory. */
  public byte[] exportBytes() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.ADDRESS, 2);
      call("export_memory", out, out.asSlice(8));
      MemorySegment data = out.get(ValueLayout.ADDRESS, 0).reinterpret(out.get(ValueLayout.JAVA_LONG, 8));
      try {
        return data.toArray(ValueLayout.JAVA_BYTE);
      } finally {
        Native.run("memory_free", data);
      }
    }
  }

  /** Writes the ONNX model to a stream, which stays open. What the stream throws comes out unchanged. */
  public Model writeTo(OutputStream out) throws IOException {
    return write(
        "export_callback",
        data -> {
          byte[] block = new byte[Math.min(data.remaining(), 1 << 20)];
          while (data.hasRemaining()) {
            int part = Math.min(block.length, data.remaining());
            data.get(block, 0, part);
            out.write(block, 0, part);
          }
        });
  }

  /** Writes the ONNX model to a channel, which stays open. It may use a buffer until it has returned from write. */
  public Model writeTo(WritableByteChannel out) throws IOException {
    return write(
        "export_callback",
        data -> {
          while (data.hasRemaining()) {
            if (out.write(data) <= 0) {
              throw new IOException("the channel takes no bytes; give one that blocks");
            }
          }
        });
  }

  private Model write(String function, Sink sink) throws IOException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment write = Native.stub(new Writer(self(), sink), "write", "IAJA", arena);
      return declared(() -> call(function, write, null, null));
    }
  }

  // ---- report

  /** The model's current diagnostics, and those of the last call if it failed. */
  public List<Diagnostic> diagnostics() {
    MemorySegment m = open();
    List<Diagnostic> found = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment d = arena.allocate(DIAGNOSTIC);
      for (long i = 0; i < Native.number("diagnostic_count", m); i++) {
        d.set(ValueLayout.JAVA_LONG, 0, DIAGNOSTIC.byteSize());
        if (Native.integer("diagnostic_get", m, i, d) == 0) {
          String[] t = new String[6];
          for (int k = 0; k < t.length; k++) {
            t[k] = Mx2onnxException.words(Native.text(d.get(ValueLayout.ADDRESS, 16 + 8L * k)));
          }
          Severity severity = Severity.of(d.get(ValueLayout.JAVA_INT, 8));
          found.add(new Diagnostic(severity, Status.of(d.get(ValueLayout.JAVA_INT, 12)), t[0], t[1], t[2], t[3], t[4], t[5]));
        }
      }
    }
    Reference.reachabilityFence(this); // the handle goes with the model
    return found;
  }

  /** What the last export wrote. */
  public Written written() {
    MemorySegment m = open();
    List<String> files = new ArrayList<>();
    for (long i = 0; i < Native.number("written_file_count", m); i++) {
      files.add(Native.text("written_file_name", m, i));
    }
    long nodes = Native.number("written_node_count", m);
    Written found = new Written(Native.integer("written_opset", m), nodes, Native.number("written_size", m), List.copyOf(files));
    Reference.reachabilityFence(this);
    return found;
  }

  /** Everything known about the model and the last export, as JSON. */
  public String reportJson() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
      int status = Native.integer("report_json", open(), out);
      rethrow();
      if (status != 0) { // the report holds the diagnostics, so this status is not among them
        throw Mx2onnxException.of(status, "", List.of());
      }
      String text = Native.text(out.get(ValueLayout.ADDRESS, 0));
      Reference.reachabilityFence(this);
      return text;
    }
  }

  private String graph(String function, Graph graph) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
      call(function, graph.ordinal(), out);
      String text = Native.text(out.get(ValueLayout.ADDRESS, 0));
      Reference.reachabilityFence(this);
      return text;
    }
  }

  /** A graph as text for people, with a node on each line; MXNet's after inference. */
  public String graphText(Graph graph) {
    return graph("graph_text", graph);
  }

  /** The ONNX graph as text. */
  public String graphText() {
    return graphText(Graph.ONNX);
  }

  /** A graph as JSON for programs, which lib/schema/graph.json describes; MXNet's also where inference fails. */
  public String graphJson(Graph graph) {
    return graph("graph_json", graph);
  }
}
