// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Mx2onnx
{
  /// <summary>Where the weights go.</summary>
  public enum ExternalData
  {
    /// <summary>Into the model file, or next to it when the file would pass 2 GiB.</summary>
    Auto,
    /// <summary>Into the model file.</summary>
    Never,
    /// <summary>Into a side file.</summary>
    Always,
    /// <summary>Arrays that need no change stay in the parameter file, which must be next to the model.</summary>
    InPlace,
    /// <summary>The same, and a parameter file that is elsewhere gets a hard link next to the model.</summary>
    Link
  }

  /// <summary>What becomes float16.</summary>
  public enum Float16Mode
  {
    /// <summary>Nothing.</summary>
    Off,
    /// <summary>Inputs and outputs too.</summary>
    All,
    /// <summary>Inputs and outputs keep their types.</summary>
    Inside
  }

  /// <summary>The type of a node in a float16 model.</summary>
  public enum Precision
  {
    /// <summary>As the library chooses.</summary>
    Auto,
    /// <summary>The node stays as it is.</summary>
    Float32,
    /// <summary>The node is converted even where the library would not.</summary>
    Float16
  }

  /// <summary>A graph of the model.</summary>
  public enum Graph
  {
    /// <summary>MXNet's, as it is converted.</summary>
    Mxnet,
    /// <summary>The one that an export would write.</summary>
    Onnx
  }

  /// <summary>What was published with a net for its inputs.</summary>
  public enum Published
  {
    /// <summary>Their shapes, with any batch.</summary>
    Shapes,
    /// <summary>Mean and scale, for images of 0 to 255 in the order RGB.</summary>
    Normalization
  }

  /// <summary>An array of a parameter file.</summary>
  public sealed partial class Param
  {
    private readonly Model model;
    private readonly UIntPtr index;

    internal Param(Model model, UIntPtr i)
    {
      this.model = model;
      index = i;
      ModelHandle m = model.Open();
      Name = Native.Text(Native.mx2onnx_param_name(m, index));
      Dtype = (Dtype)Native.mx2onnx_param_dtype(m, index);
      var dims = new long[Native.mx2onnx_param_rank(m, index)];
      Marshal.Copy(Native.mx2onnx_param_dims(m, index), dims, 0, dims.Length);
      Dims = dims;
      ByteCount = Native.mx2onnx_param_size(m, index);
      Used = Native.mx2onnx_param_used(m, index) != 0;
    }

    /// <summary>Its name.</summary>
    public string Name { get; }
    /// <summary>Its type in the file.</summary>
    public Dtype Dtype { get; }
    /// <summary>Its dims.</summary>
    public IReadOnlyList<long> Dims { get; }
    /// <summary>Its size.</summary>
    public ulong ByteCount { get; }
    /// <summary>Whether the graph reads it.</summary>
    public bool Used { get; }

    /// <summary>Reads it: dense, row-major, little-endian.</summary>
    public byte[] Bytes()
    {
      return Bytes(0, (long)ByteCount);
    }

    /// <summary>Reads so many bytes of it, from byte `offset` on.</summary>
    public byte[] Bytes(long offset, long size)
    {
      return Native.Read(
        offset, size, ByteCount,
        (memory, count) => model.Check(Native.mx2onnx_param_read(model.Open(), index, (ulong)offset, memory, count)));
    }
  }

  /// <summary>
  /// An MXNet model: load it, look at it, choose options, export it. Used by one thread at a time, any thread; different models
  /// are independent. Functions that are given to a model run on the thread of the call that they belong to, before it returns; what
  /// they throw comes out of that call, and the model refuses to be called by them.
  /// </summary>
  public sealed partial class Model : IDisposable
  {
    private const int Unsupported = (int)Status.Unsupported;
    private const string Registered = "operator "; // begins the key of a handler's functions
    private readonly ModelHandle handle;
    private readonly Dictionary<string, Delegate[]> functions = new Dictionary<string, Delegate[]>();
    private readonly List<object> kept = new List<object>(); // until the model is freed
    private ExceptionDispatchInfo thrown;
    private int inside;
    private CancellationToken token;
    private bool watched; // a call runs that may be ended
    private volatile bool cancelled; // since the last look began
    private Func<ProgressState, bool> progress;
    private readonly ProgressFn watch;

    /// <summary>An empty model.</summary>
    public Model()
    {
      handle = Finder.With(New);
      // Set for good: a call of C between two others would forget the errors of the first.
      watch = Watch;
      Finder.With(() => Check(Native.mx2onnx_set_progress(handle, watch, IntPtr.Zero, null)));
    }

    private static ModelHandle New()
    {
      IntPtr made;
      int status = Native.mx2onnx_model_new(out made);
      if (status != 0)
      {
        throw ModelException.Of(status, null, new Diagnostic[0]);
      }
      return new ModelHandle(made);
    }

    /// <summary>A model with what is at the path: a symbol file with the parameters next to it, a prefix, a folder, an archive.</summary>
    public Model(string path, CancellationToken cancel = default(CancellationToken)) : this()
    {
      try
      {
        Load(path, cancel);
      }
      catch
      {
        Dispose();
        throw;
      }
    }

    /// <summary>Frees the model; InvalidOperationException in one of its callbacks.</summary>
    public void Dispose()
    {
      if (inside > 0)
      {
        throw new InvalidOperationException("the model is in use: one of its own callbacks cannot call it; call it after the callback has returned");
      }
      NotElsewhere();
      handle.Dispose();
      functions.Clear();
      kept.Clear();
    }

    /// <summary>Makes the model as it was made: without what was loaded and chosen, and without functions.</summary>
    public Model Reset()
    {
      Check(Native.mx2onnx_model_reset(Open()));
      functions.Clear();
      kept.Clear();
      progress = null;
      return Check(Native.mx2onnx_set_progress(handle, watch, IntPtr.Zero, null));
    }

    /// <summary>Ends the call that is running with a CancelledException. Any thread may call it, a callback too; it has no effect on
    /// later calls, or when the model is disposed.</summary>
    public void Cancel()
    {
      cancelled = true;
      try
      {
        Native.mx2onnx_cancel(handle);
      }
      catch (ObjectDisposedException)
      {
        // another thread was faster
      }
    }

    internal ModelHandle Open()
    {
      if (handle.IsClosed)
      {
        throw new ObjectDisposedException("Model");
      }
      NotElsewhere();
      return handle;
    }

    internal string ErrorText => ModelException.Words(Native.Text(Native.mx2onnx_error(handle)));

    /// <summary>What a callback threw, once the call that led to it is back.</summary>
    private void Rethrow()
    {
      if (inside > 0)
      {
        return; // a call of a callback
      }
      ExceptionDispatchInfo e = thrown;
      thrown = null;
      if (e != null)
      {
        e.Throw();
      }
    }

    internal Model Check(int status)
    {
      Rethrow();
      if (status != 0)
      {
        throw ModelException.Of(status, Native.Text(Native.mx2onnx_error(handle)), Diagnostics);
      }
      GC.KeepAlive(this);
      return this;
    }

    /// <summary>Runs what C called; an exception waits until the call is back.</summary>
    private int Guarded(int stop, Func<int> body)
    {
      if (thrown != null)
      {
        return stop;
      }
      inside++;
      try
      {
        return body();
      }
      catch (Exception e)
      {
        thrown = thrown ?? ExceptionDispatchInfo.Capture(e); // else it was a stream's, in a handler
        return stop;
      }
      finally
      {
        inside--;
      }
    }

    /// <summary>Gives functions to the library, or takes them back: they live as long as it has them, whatever the call throws.</summary>
    private Model Give(int status, string key, params Delegate[] used)
    {
      if (status == 0)
      {
        functions[key] = used;
      }
      Check(status);
      GC.KeepAlive(used);
      return this;
    }

    /// <summary>A call that takes time, that a token ends and that reports its progress.</summary>
    private Model Watched(CancellationToken cancel, Func<ModelHandle, int> call)
    {
      ModelHandle m = Open();
      cancel.ThrowIfCancellationRequested();
      if (inside > 0)
      {
        return Check(call(m)); // is refused
      }
      token = cancel;
      watched = true;
      try
      {
        return Check(call(m));
      }
      finally
      {
        watched = false;
        token = CancellationToken.None;
      }
    }

    private int Watch(ref NativeProgress now, IntPtr user)
    {
      if (!watched || thrown != null)
      {
        return 0; // what has failed ends the call in its own way
      }
      NativeProgress copy = now;
      return Guarded(1, () =>
      {
        token.ThrowIfCancellationRequested();
        return progress != null && progress(new ProgressState(copy)) ? 1 : 0;
      });
    }

    // ---- load

    /// <summary>A symbol file with the parameters next to it, a prefix, a folder or an archive.</summary>
    public Model Load(string path, CancellationToken cancel = default(CancellationToken))
    {
      byte[] text = Native.Utf8(path);
      return Watched(cancel, m => Native.mx2onnx_load(m, text));
    }

    /// <summary>An archive, or a symbol alone.</summary>
    public Model Load(byte[] data, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m =>
      {
        IntPtr memory = Native.Copy(data);
        return Native.mx2onnx_load_memory(m, memory, Native.Size(data.Length), memory, Native.Free);
      });
    }

    /// <summary>An archive, or a symbol alone; the stream is read piece by piece, can seek, and stays open as long as the model.</summary>
    public Model Load(Stream stream, CancellationToken cancel = default(CancellationToken))
    {
      ulong size = Native.Size(stream.Length).ToUInt64();
      return Watched(cancel, m => Native.mx2onnx_load_callback(m, size, Reader(stream), IntPtr.Zero, null));
    }

    private ReadFn Reader(Stream stream)
    {
      ReadFn read = (offset, buffer, size, user) => Guarded(1, () => ReadBlock(stream, (long)offset, buffer, (long)size));
      kept.Add(read);
      return read;
    }

    private static int ReadBlock(Stream stream, long offset, IntPtr buffer, long size)
    {
      var block = new byte[Math.Min(size, 1 << 20)];
      stream.Position = offset;
      for (long done = 0; done < size;)
      {
        int wanted = (int)Math.Min(block.Length, size - done), part = stream.Read(block, 0, wanted);
        if (part == 0)
        {
          return 1;
        }
        if (part < 0 || part > wanted)
        {
          throw new IOException("Stream.Read returned " + part + " bytes where " + wanted + " were wanted");
        }
        Marshal.Copy(block, 0, new IntPtr(buffer.ToInt64() + done), part);
        done += part;
      }
      return 0;
    }

    /// <summary>The graph alone.</summary>
    public Model LoadSymbol(string path, CancellationToken cancel = default(CancellationToken))
    {
      byte[] text = Native.Utf8(path);
      return Watched(cancel, m => Native.mx2onnx_load_symbol_file(m, text));
    }

    /// <summary>The graph alone, as JSON.</summary>
    public Model LoadSymbol(byte[] json, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m => Native.mx2onnx_load_symbol_memory(m, json, Native.Size(json.Length)));
    }

    /// <summary>A parameter file; may be called several times.</summary>
    public Model LoadParams(string path, CancellationToken cancel = default(CancellationToken))
    {
      byte[] text = Native.Utf8(path);
      return Watched(cancel, m => Native.mx2onnx_load_params_file(m, text));
    }

    /// <summary>The contents of a parameter file.</summary>
    public Model LoadParams(byte[] data, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m =>
      {
        IntPtr memory = Native.Copy(data);
        return Native.mx2onnx_load_params_memory(m, memory, Native.Size(data.Length), memory, Native.Free);
      });
    }

    /// <summary>A parameter file; the stream can seek, and stays open as long as the model.</summary>
    public Model LoadParams(Stream stream, CancellationToken cancel = default(CancellationToken))
    {
      ulong size = Native.Size(stream.Length).ToUInt64();
      return Watched(cancel, m => Native.mx2onnx_load_params_callback(m, size, Reader(stream), IntPtr.Zero, null));
    }

    /// <summary>The graph for parameters without a symbol: that of the published net of this name; null: of the net that they fit.</summary>
    public Model LoadNet([AllowNull] string name = null, CancellationToken cancel = default(CancellationToken))
    {
      byte[] text = Native.Utf8(name);
      return Watched(cancel, m => Native.mx2onnx_load_net(m, text));
    }

    /// <summary>All published nets that the parameters fit: name, and a title with the sizes.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> IdentifyNet(CancellationToken cancel = default(CancellationToken))
    {
      Watched(cancel, m => Native.mx2onnx_identify_net(m));
      return List(
        Native.mx2onnx_candidate_count,
        (m, i) => new KeyValuePair<string, string>(
          Native.Text(Native.mx2onnx_candidate_name(m, i)), Native.Text(Native.mx2onnx_candidate_title(m, i))));
    }

    /// <summary>Chooses what was published with the net for its inputs.</summary>
    public Model UsePublished(Published what)
    {
      return Check(Native.mx2onnx_use_published(Open(), (int)what));
    }

    /// <summary>Uses another catalogue of published models than the one in the library.</summary>
    public Model LoadCatalogue(string path, CancellationToken cancel = default(CancellationToken))
    {
      byte[] text = Native.Utf8(path);
      return Watched(cancel, m => Native.mx2onnx_load_catalogue_file(m, text));
    }

    /// <summary>The contents of a file with another catalogue of nets.</summary>
    public Model LoadCatalogue(byte[] data, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m => Native.mx2onnx_load_catalogue_memory(m, data, Native.Size(data.Length)));
    }

    /// <summary>The published model that the graph was made for, "resnet18_v1 with 10 classes"; null if it came from a symbol.</summary>
    [MaybeNull]
    public string Net => Native.Text(Native.mx2onnx_net_title(Open()));

    /// <summary>The nets of the catalogue: name, and what is known of it in a line.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Nets => List(
      Native.mx2onnx_catalogue_count,
      (m, i) => new KeyValuePair<string, string>(
        Native.Text(Native.mx2onnx_catalogue_name(m, i)), Native.Text(Native.mx2onnx_catalogue_text(m, i))));

    /// <summary>The same nets, each as a JSON object, which lib/schema/net.json describes.</summary>
    public IReadOnlyList<string> NetsAsJson => List(
      Native.mx2onnx_catalogue_count, (m, i) => Native.Text(Native.mx2onnx_catalogue_json(m, i)));

    /// <summary>Sets the value of a parameter, or of an input that becomes a constant. Row-major, little-endian; it is copied.</summary>
    public Model SetParam(string name, Dtype dtype, long[] dims, byte[] data)
    {
      ModelHandle m = Open();
      byte[] text = Native.Utf8(name);
      using (var pinned = new Pinned())
      {
        NativeArray value = pinned.ArrayOf(dtype, dims);
        value.Size = Native.Size(data.Length);
        value.Data = Native.Copy(data);
        return Check(Native.mx2onnx_set_param(m, text, ref value, value.Data, Native.Free));
      }
    }

    /// <summary>Takes back what SetParam set: the array of a file with this name is used again.</summary>
    public Model RemoveParam(string name)
    {
      return Check(Native.mx2onnx_remove_param(Open(), Native.Utf8(name)));
    }

    // ---- choose

    /// <summary>The whole shape of an input, also where a dim had a name before: sizes, and names of dims that are dynamic. One that is
    /// refused changes nothing.</summary>
    public Model SetInputShape(string input, params Dim[] dims)
    {
      ModelHandle m = Open();
      byte[] text = Native.Utf8(input);
      long[] sizes = Dim.Sizes(dims);
      using (var pinned = new Pinned())
      {
        var names = new IntPtr[Math.Max(1, dims.Length)];
        for (int axis = 0; axis < dims.Length; axis++)
        {
          names[axis] = pinned.Text(dims[axis].Name);
        }
        return Check(Native.mx2onnx_set_input_shape(m, text, dims.Length, sizes, names));
      }
    }

    /// <summary>Takes the shape of an input back.</summary>
    public Model ClearInputShape(string input)
    {
      return Check(Native.mx2onnx_set_input_shape(Open(), Native.Utf8(input), -1, null, null));
    }

    /// <summary>Makes a dim dynamic under a name; null: fixed again.</summary>
    public Model SetInputDimName(string input, int axis, [AllowNull] string name)
    {
      return Check(Native.mx2onnx_set_input_dim_name(Open(), Native.Utf8(input), Native.Size(axis), Native.Utf8(name)));
    }

    /// <summary>The element type of an input; Unknown takes the choice back.</summary>
    public Model SetInputDtype(string input, Dtype dtype)
    {
      return Check(Native.mx2onnx_set_input_dtype(Open(), Native.Utf8(input), (int)dtype));
    }

    /// <summary>Makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w); shapes keep MXNet's order.</summary>
    public Model SetInputChannelsLast(string input, bool on = true)
    {
      return Check(Native.mx2onnx_set_input_channels_last(Open(), Native.Utf8(input), on ? 1 : 0));
    }

    /// <summary>The ONNX input is BGR where the net reads RGB, or the other way round.</summary>
    public Model SetInputChannelsReversed(string input, bool on = true)
    {
      return Check(Native.mx2onnx_set_input_channels_reversed(Open(), Native.Utf8(input), on ? 1 : 0));
    }

    private static double[] NotEmpty(double[] values)
    {
      return values.Length == 0 ? new double[1] : values;
    }

    /// <summary>The model gets (x - mean) * scale. Pass a value for each channel, or one for all; none removes it.</summary>
    public Model SetInputMean(string input, params double[] values)
    {
      return Check(Native.mx2onnx_set_input_mean(Open(), Native.Utf8(input), Native.Size(values.Length), NotEmpty(values)));
    }

    /// <summary>See SetInputMean.</summary>
    public Model SetInputScale(string input, params double[] values)
    {
      return Check(Native.mx2onnx_set_input_scale(Open(), Native.Utf8(input), Native.Size(values.Length), NotEmpty(values)));
    }

    /// <summary>What SetInputShape set; null if nothing was.</summary>
    [return: MaybeNull]
    public Dim[] GetInputShape(string input)
    {
      int rank;
      byte[] name = Native.Utf8(input);
      IntPtr sizes = Native.mx2onnx_get_input_shape(Open(), name, out rank);
      Dim[] dims = rank < 0 ? null : new Dim[rank];
      for (int axis = 0; axis < rank; axis++)
      {
        string dim = Native.Text(Native.mx2onnx_get_input_dim_name(Open(), name, Native.Size(axis)));
        dims[axis] = string.IsNullOrEmpty(dim) ? (Dim)Marshal.ReadInt64(sizes, 8 * axis) : dim;
      }
      GC.KeepAlive(this);
      return dims;
    }

    /// <summary>What SetInputDtype set; Unknown if nothing was.</summary>
    public Dtype GetInputDtype(string input)
    {
      return (Dtype)Native.mx2onnx_get_input_dtype(Open(), Native.Utf8(input));
    }

    /// <summary>The name that Rename set; null if it set none.</summary>
    [return: MaybeNull]
    public string GetRename(string from)
    {
      string to = Native.Text(Native.mx2onnx_get_rename(Open(), Native.Utf8(from)));
      GC.KeepAlive(this);
      return string.IsNullOrEmpty(to) ? null : to;
    }

    /// <summary>What SetInputChannelsLast set.</summary>
    public bool GetInputChannelsLast(string input)
    {
      return Native.mx2onnx_get_input_channels_last(Open(), Native.Utf8(input)) != 0;
    }

    /// <summary>What SetInputChannelsReversed set.</summary>
    public bool GetInputChannelsReversed(string input)
    {
      return Native.mx2onnx_get_input_channels_reversed(Open(), Native.Utf8(input)) != 0;
    }

    private static double[] Doubles(IntPtr values, UIntPtr n)
    {
      var found = new double[(int)n];
      if (found.Length > 0)
      {
        Marshal.Copy(values, found, 0, found.Length);
      }
      return found;
    }

    /// <summary>What SetInputMean or UsePublished set; empty if nothing was.</summary>
    public double[] GetInputMean(string input)
    {
      UIntPtr n;
      IntPtr values = Native.mx2onnx_get_input_mean(Open(), Native.Utf8(input), out n);
      double[] found = Doubles(values, n);
      GC.KeepAlive(this);
      return found;
    }

    /// <summary>What SetInputScale or UsePublished set; empty if nothing was.</summary>
    public double[] GetInputScale(string input)
    {
      UIntPtr n;
      IntPtr values = Native.mx2onnx_get_input_scale(Open(), Native.Utf8(input), out n);
      double[] found = Doubles(values, n);
      GC.KeepAlive(this);
      return found;
    }

    /// <summary>Sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1.</summary>
    public Model SetDomainVersion(string domain, int version)
    {
      return Check(Native.mx2onnx_set_domain_version(Open(), Native.Utf8(domain), version));
    }

    /// <summary>The version with which a domain is imported.</summary>
    public int GetDomainVersion(string domain)
    {
      return Native.mx2onnx_get_domain_version(Open(), Native.Utf8(domain));
    }

    /// <summary>An entry of the ONNX model's metadata_props; null removes it.</summary>
    public Model SetMetadata(string key, [AllowNull] string value)
    {
      if (key == null)
      {
        throw new ArgumentNullException("key", "the key of an entry of metadata must not be null");
      }
      return Check(Native.mx2onnx_set_metadata(Open(), Native.Utf8(key), Native.Utf8(value)));
    }

    /// <summary>Removes all entries that SetMetadata set.</summary>
    public Model ClearMetadata()
    {
      return Check(Native.mx2onnx_set_metadata(Open(), null, null));
    }

    /// <summary>The entries that SetMetadata set, sorted by key.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Metadata => List(Native.mx2onnx_metadata_count, (m, i) =>
    {
      string key = Native.Text(Native.mx2onnx_metadata_key(m, i));
      return new KeyValuePair<string, string>(key, Native.Text(Native.mx2onnx_get_metadata(m, Native.Utf8(key))));
    });

    /// <summary>An output by MXNet's name; the first call replaces the model's own.</summary>
    public Model AddOutput(string name)
    {
      return Check(Native.mx2onnx_add_output(Open(), Native.Utf8(name)));
    }

    /// <summary>Takes back what AddOutput added: the outputs are the model's own.</summary>
    public Model ClearOutputs()
    {
      return Check(Native.mx2onnx_clear_outputs(Open()));
    }

    /// <summary>Calls an input, output or parameter by another name in the ONNX file; null takes that back.</summary>
    public Model Rename(string from, [AllowNull] string to)
    {
      return Check(Native.mx2onnx_rename(Open(), Native.Utf8(from), Native.Utf8(to)));
    }

    /// <summary>Are the files that an ONNX model names there, long enough and unchanged? Notes say it of each.</summary>
    public Model CheckExternalData(string path, CancellationToken cancel = default(CancellationToken))
    {
      byte[] text = Native.Utf8(path);
      return Watched(cancel, m => Native.mx2onnx_check_external_data(m, text));
    }

    /// <summary>With Float16: the type of a node, or of all nodes of an operator.</summary>
    public Model SetNodePrecision(string name, Precision precision)
    {
      return Check(Native.mx2onnx_set_node_precision(Open(), Native.Utf8(name), (int)precision));
    }

    /// <summary>What was set for this name; Auto if nothing was.</summary>
    public Precision GetNodePrecision(string name)
    {
      return (Precision)Native.mx2onnx_get_node_precision(Open(), Native.Utf8(name));
    }

    /// <summary>Receives the lines of the log of this severity and of graver ones; Debug is for all lines, null removes the function.</summary>
    public Model SetLog([AllowNull] Action<Severity, string> log, Severity least = Severity.Note)
    {
      LogFn call = null;
      if (log != null)
      {
        call = (ref NativeLogEntry entry, IntPtr user) => Line(log, entry);
      }
      return Give(Native.mx2onnx_set_log(Open(), (int)least, call, IntPtr.Zero, null), "log", call);
    }

    private void Line(Action<Severity, string> log, NativeLogEntry entry)
    {
      if (thrown != null)
      {
        return;
      }
      int stop = Guarded(1, () =>
      {
        log((Severity)entry.Severity, ModelException.Words(Native.Text(entry.Message)));
        return 0;
      });
      if (stop != 0)
      {
        Native.mx2onnx_cancel(handle); // a log has no result to say it with
      }
    }

    /// <summary>Receives the progress of calls that take a CancellationToken; true stops such a call with a CancelledException, null removes the function.</summary>
    public Model SetProgress([AllowNull] Func<ProgressState, bool> function)
    {
      Open();
      progress = function;
      return this;
    }

    /// <summary>
    /// A handler for nodes whose operator or op_type (MXNet's Custom) is `name`. infer null: outputs are like input 0; lower null:
    /// the node is kept, with UnknownDomain. countOutputs gives the number of outputs of a node when only its name, its attributes
    /// and the names of its inputs are known; without it all nodes have `outputs`. overrides: also for an operator that the library
    /// knows.
    /// </summary>
    public Model SetCustomOperator(
      string name, [AllowNull] Action<Node> lower, [AllowNull] Action<Node> infer = null, int outputs = 1,
      [AllowNull] Func<Node, int> countOutputs = null,
      bool overrides = false)
    {
      byte[] text = OperatorName(name);
      var handler = new NativeHandler
      {
        StructSize = Native.Size(Marshal.SizeOf(typeof(NativeHandler))),
        OutputCount = Native.Size(outputs),
        Infer = Handler(infer ?? LikeInput),
        Lower = lower == null ? null : Handler(lower),
        CountOutputs = countOutputs == null ? null : Counter(countOutputs),
        Overrides = overrides ? 1 : 0
      };
      int status = Native.mx2onnx_set_custom_operator(Open(), text, ref handler, IntPtr.Zero, null);
      return Give(status, Registered + name, handler.Infer, handler.Lower, handler.CountOutputs);
    }

    /// <summary>Takes a handler back.</summary>
    public Model RemoveCustomOperator(string name)
    {
      byte[] text = OperatorName(name);
      return Give(Native.mx2onnx_set_custom_operator(Open(), text, IntPtr.Zero, IntPtr.Zero, null), Registered + name);
    }

    /// <summary>Takes all handlers back.</summary>
    public Model RemoveCustomOperators()
    {
      Check(Native.mx2onnx_set_custom_operator(Open(), null, IntPtr.Zero, IntPtr.Zero, null));
      foreach (string key in functions.Keys.Where(k => k.StartsWith(Registered, StringComparison.Ordinal)).ToArray())
      {
        functions.Remove(key);
      }
      return this;
    }

    private static byte[] OperatorName(string name)
    {
      if (name == null)
      {
        throw new ArgumentNullException("name", "the name of an operator must not be null");
      }
      return Native.Utf8(name);
    }

    private static void LikeInput(Node node)
    {
      for (int i = 0; i < node.OutputCount; i++)
      {
        node.SetOutputLike(i, 0);
      }
    }

    private CustomFn Handler(Action<Node> handler)
    {
      return (pointer, user) => Guarded(Unsupported, () => Handle(handler, pointer));
    }

    private int Handle(Action<Node> handler, IntPtr pointer)
    {
      var node = new Node(pointer, this);
      try
      {
        handler(node);
        return 0;
      }
      catch (Refused)
      {
        return Unsupported;
      }
      catch (NodeFailed e)
      {
        return e.Code;
      }
      finally
      {
        node.Close();
      }
    }

    private OutputsFn Counter(Func<Node, int> counter)
    {
      return (pointer, user) => Native.Size(Guarded(0, () => Count(counter, pointer)));
    }

    private int Count(Func<Node, int> counter, IntPtr pointer)
    {
      var node = new Node(pointer, this);
      try
      {
        return Math.Max(0, counter(node)); // the library refuses 0
      }
      catch (Refused)
      {
        return 0;
      }
      finally
      {
        node.Close();
      }
    }

    // ---- look

    /// <summary>Finds shapes and types with the choices made so far.</summary>
    public Model Infer(CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m => Native.mx2onnx_infer(m));
    }

    /// <summary>Functions that return no status: what a callback throws in them comes out here.</summary>
    private IReadOnlyList<T> List<T>(Func<ModelHandle, UIntPtr> count, Func<ModelHandle, UIntPtr, T> get)
    {
      ModelHandle m = Open();
      if (inside == 0)
      {
        cancelled = false;
      }
      T[] found = Enumerable.Range(0, (int)count(m)).Select(i => get(m, Native.Size(i))).ToArray();
      Rethrow();
      if (cancelled && inside == 0)
      {
        throw ModelException.Of((int)Status.Cancelled, null, new Diagnostic[0]);
      }
      return found;
    }

    private IReadOnlyList<Value> Values(
      Func<ModelHandle, UIntPtr> count, Func<ModelHandle, UIntPtr, IntPtr> name, Func<ModelHandle, UIntPtr, int> dtype,
      Func<ModelHandle, UIntPtr, int> rank, Func<ModelHandle, UIntPtr, UIntPtr, long> dim,
      Func<ModelHandle, UIntPtr, UIntPtr, IntPtr> dimName)
    {
      return List(count, (m, i) =>
      {
        var dims = new List<Dim>();
        for (int k = 0; k < rank(m, i); k++)
        {
          long size = dim(m, i, Native.Size(k));
          string text = size >= 0 ? null : Native.Text(dimName(m, i, Native.Size(k)));
          dims.Add(size >= 0 ? size : text == null ? Dim.Open : (Dim)text);
        }
        return new Value(Native.Text(name(m, i)), (Dtype)dtype(m, i), rank(m, i) < 0 ? null : dims);
      });
    }

    /// <summary>The model's inputs.</summary>
    public IReadOnlyList<Value> Inputs => Values(
      Native.mx2onnx_input_count, Native.mx2onnx_input_name, Native.mx2onnx_input_dtype, Native.mx2onnx_input_rank,
      Native.mx2onnx_input_dim, Native.mx2onnx_input_dim_name);

    /// <summary>The model's outputs.</summary>
    public IReadOnlyList<Value> Outputs => Values(
      Native.mx2onnx_output_count, Native.mx2onnx_output_name, Native.mx2onnx_output_dtype, Native.mx2onnx_output_rank,
      Native.mx2onnx_output_dim, Native.mx2onnx_output_dim_name);

    /// <summary>The variables of the symbol that have no value, in the order of MXNet's list_inputs().</summary>
    public IReadOnlyList<Variable> Variables => List(
      Native.mx2onnx_variable_count,
      (m, i) => new Variable(Native.Text(Native.mx2onnx_variable_name(m, i)), (VariableKind)Native.mx2onnx_variable_kind(m, i)));

    /// <summary>The arrays of the parameter files.</summary>
    public IReadOnlyList<Param> Params => List(Native.mx2onnx_param_count, (m, i) => new Param(this, i));

    /// <summary>The operators of the graph, most used first.</summary>
    public IReadOnlyList<Operator> Operators => List(
      Native.mx2onnx_operator_count,
      (m, i) => new Operator(
        Native.Text(Native.mx2onnx_operator_name(m, i)), (long)Native.mx2onnx_operator_node_count(m, i),
        Native.mx2onnx_operator_supported(m, i) != 0));

    // ---- export

    /// <summary>Writes a file: whole, or the target is untouched.</summary>
    public Model Export(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m => Native.mx2onnx_export_file(m, Native.Utf8(path)));
    }

    /// <summary>The ONNX model in memory.</summary>
    public byte[] ExportBytes(CancellationToken cancel = default(CancellationToken))
    {
      IntPtr data = IntPtr.Zero;
      UIntPtr size = UIntPtr.Zero;
      Watched(cancel, m => Native.mx2onnx_export_memory(m, out data, out size));
      try
      {
        var bytes = new byte[size.ToUInt64()];
        Marshal.Copy(data, bytes, 0, bytes.Length);
        return bytes;
      }
      finally
      {
        Native.mx2onnx_memory_free(data);
      }
    }

    /// <summary>Writes the ONNX model to a stream, which stays open. What the stream throws comes out unchanged.</summary>
    public Model Export(Stream target, CancellationToken cancel = default(CancellationToken))
    {
      WriteFn write = (data, size, user) => Guarded(1, () => WriteBlock(target, data, (long)size));
      Watched(cancel, m => Native.mx2onnx_export_callback(m, write, IntPtr.Zero, null));
      GC.KeepAlive(write);
      return this;
    }

    private static int WriteBlock(Stream target, IntPtr data, long size)
    {
      var block = new byte[Math.Min(size, 1 << 20)];
      for (long done = 0; done < size;)
      {
        int part = (int)Math.Min(block.Length, size - done);
        Marshal.Copy(new IntPtr(data.ToInt64() + done), block, 0, part);
        target.Write(block, 0, part);
        done += part;
      }
      return 0;
    }

    // ---- report

    /// <summary>The model's current diagnostics, and those of the last call if it failed.</summary>
    public IReadOnlyList<Diagnostic> Diagnostics
    {
      get
      {
        var found = new List<Diagnostic>();
        for (long i = 0; i < (long)Native.mx2onnx_diagnostic_count(Open()); i++)
        {
          var d = new NativeDiagnostic { StructSize = Native.Size(Marshal.SizeOf(typeof(NativeDiagnostic))) };
          if (Native.mx2onnx_diagnostic_get(handle, Native.Size(i), ref d) == 0)
          {
            found.Add(new Diagnostic(d));
          }
        }
        return found;
      }
    }

    /// <summary>The opset of the last export; 0 before one.</summary>
    public int WrittenOpset => Native.mx2onnx_written_opset(Open());

    /// <summary>The count of nodes of the last export.</summary>
    public long WrittenNodes => (long)Native.mx2onnx_written_node_count(Open());

    /// <summary>The size of the last export, with that of a side file.</summary>
    public ulong WrittenBytes => Native.mx2onnx_written_size(Open());

    /// <summary>The files that belong to the last export to a file, without a folder: the model, its side file, and parameter files that
    /// it refers to.</summary>
    public IReadOnlyList<string> WrittenFiles =>
      List(Native.mx2onnx_written_file_count, (m, i) => Native.Text(Native.mx2onnx_written_file_name(m, i)));

    /// <summary>Everything known about the model and the last export, as JSON.</summary>
    public string ReportJson
    {
      get
      {
        IntPtr text;
        int status = Native.mx2onnx_report_json(Open(), out text);
        Rethrow();
        if (status != 0) // the report holds the diagnostics, so this status is not among them
        {
          throw ModelException.Of(status, null, new Diagnostic[0]);
        }
        return Native.Text(text);
      }
    }

    /// <summary>A graph as text for people, with a node on each line; MXNet's after inference.</summary>
    public string GraphText(Graph graph = Graph.Onnx, CancellationToken cancel = default(CancellationToken))
    {
      IntPtr text = IntPtr.Zero;
      Watched(cancel, m => Native.mx2onnx_graph_text(m, (int)graph, out text));
      return Native.Text(text);
    }

    /// <summary>A graph as JSON for programs, which lib/schema/graph.json describes; MXNet's also where inference fails.</summary>
    public string GraphJson(Graph graph = Graph.Onnx, CancellationToken cancel = default(CancellationToken))
    {
      IntPtr text = IntPtr.Zero;
      Watched(cancel, m => Native.mx2onnx_graph_json(m, (int)graph, out text));
      return Native.Text(text);
    }
  }
}
