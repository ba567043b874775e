// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Mx2onnx;
using Map = System.Collections.Generic.Dictionary<string, object>;

/// <summary>Runs all tests: tests.exe FOLDER-OF-THE-CHECKOUT.</summary>
internal static class Program
{
  private static string root;

  internal static void Equal<T>(T want, T got, string what)
  {
    if (!Equals(want, got))
    {
      throw new InvalidOperationException(what + ": not " + want + " but " + got);
    }
  }

  internal static T Throws<T>(Action action) where T : Exception
  {
    try
    {
      action();
    }
    catch (T e)
    {
      return e;
    }
    throw new InvalidOperationException("no " + typeof(T).Name);
  }

  private static string Digits => Path.Combine(root, "examples", "digits", "digits-symbol.json");

  private static Model OpenDigits()
  {
    return new Model(Digits).SetInputShape("data", "batch", 1, 8, 8);
  }

  private static Model OpenLeaky()
  {
    return new Model(Path.Combine(root, "bindings", "cases", "leaky-symbol.json")).SetInputShape("x", 1, 4);
  }

  private static void TheLibrarySaysWhatItIs()
  {
    Equal(3, Library.Version.Split('.').Length, "version");
    Equal(true, Library.VersionNumber > 0, "number");
    Equal(true, Library.Targets.ContainsKey("opencv4"), "targets");
    KnownOperator pooling = Library.KnownOperators.Single(o => o.Name == "Pooling"), cast = Library.KnownOperators.Single(o => o.Name == "Cast");
    Equal(true, pooling.Opset >= 1 && pooling.Status == "partial" && pooling.Refuses.Count > 0, "operators");
    Equal(true, cast.Status == "differs" && cast.Refuses.Count == 0 && cast.Differs.Count == 1, "an operator whose results differ");
    Throws<ArgumentException>(() => Library.DtypeOf("float99"));
  }

  private static void EveryWayOutGivesTheSameBytes()
  {
    using (Model m = OpenDigits())
    using (var stream = new MemoryStream())
    {
      byte[] want = m.ExportBytes();
      m.Export(stream);
      Equal(true, want.SequenceEqual(stream.ToArray()), "stream");
      Equal((ulong)want.Length, m.WrittenBytes, "bytes");
      Equal(true, m.ReportJson.StartsWith("{") && m.ReportJson.Contains("data") && m.GraphText(Graph.Mxnet).Contains("Convolution"), "reports");
      Equal(true, m.GraphJson().Contains("\"op\":\"Conv\"") && m.GraphJson(Graph.Mxnet).Contains("\"op\":\"Convolution\""), "graphs");
      m.NodesLimit = 1 << 21;
      Equal(1L << 21, m.NodesLimit, "limit");
    }
  }

  private static void ATokenEndsAnExport()
  {
    using (Model m = OpenDigits())
    using (var source = new CancellationTokenSource())
    {
      m.SetProgress(now =>
      {
        source.Cancel();
        return false;
      });
      Throws<OperationCanceledException>(() => m.ExportBytes(source.Token));
      Throws<OperationCanceledException>(() => m.ExportBytes(source.Token));
      m.SetProgress(now => true);
      Throws<CancelledException>(() => m.ExportBytes());
      m.SetProgress(null).Infer();
      Equal(true, m.ExportBytes().Length > 0, "after all");
    }
  }

  private static T Result<T>(Task<T> task)
  {
    return task.GetAwaiter().GetResult(); // the exception itself
  }

  private static void TasksGiveTheSame()
  {
    byte[] want;
    using (Model m = OpenDigits())
    {
      want = m.ExportBytes();
    }
    using (Model m = Result(Model.OpenAsync(Digits)))
    using (var stream = new MemoryStream())
    {
      m.SetInputShape("data", "batch", 1, 8, 8);
      Equal(true, want.SequenceEqual(Result(m.ExportBytesAsync())), "bytes");
      Result(m.ExportAsync(stream));
      Equal(true, want.SequenceEqual(stream.ToArray()), "stream");
      Equal(true, Result(m.GraphTextAsync()).Contains("Conv"), "graph");
      Throws<NotFoundException>(() => Result(m.CheckExternalDataAsync("nosuch.onnx")));
      var mine = new Thrown();
      m.SetLog((severity, text) => { throw mine; }, Severity.Debug);
      Equal(true, ReferenceEquals(mine, Throws<Thrown>(() => Result(m.GraphTextAsync()))), "the same object");
      m.SetLog(null);
    }
  }

  private static void AModelIsInUseUntilItsTaskEnds()
  {
    using (Model m = OpenDigits())
    using (var entered = new ManualResetEventSlim())
    using (var leave = new ManualResetEventSlim())
    {
      m.SetProgress(now =>
      {
        entered.Set();
        leave.Wait();
        return false;
      });
      Task<byte[]> export = m.ExportBytesAsync();
      entered.Wait();
      Throws<InvalidOperationException>(() => m.Opset = 17);
      Throws<InvalidOperationException>(() => Equal(0, m.Inputs.Count, "in use"));
      Throws<InvalidOperationException>(() => Result(m.InferAsync()));
      Throws<InvalidOperationException>(() => m.Dispose());
      leave.Set();
      Equal(true, Result(export).Length > 1000, "after all");
      m.SetProgress(null);
      Equal(true, m.ExportBytes().Length > 1000, "after the task");
    }
  }

  private static void ATokenEndsEveryCallThatTakesTime()
  {
    using (Model m = OpenDigits())
    using (var source = new CancellationTokenSource())
    {
      CancellationToken token = source.Token;
      m.SetProgress(now =>
      {
        source.Cancel();
        return false;
      });
      Throws<OperationCanceledException>(() => m.Infer(token)); // while it runs
      m.SetProgress(null);
      byte[] data = File.ReadAllBytes(Digits);
      var calls = new Action[]
      {
        () => m.Load(Digits, token), () => m.Load(data, token), () => m.Load(new MemoryStream(data), token), () => m.LoadSymbol(Digits, token),
        () => m.LoadSymbol(data, token), () => m.LoadParams(Digits, token), () => m.LoadParams(data, token),
        () => m.LoadParams(new MemoryStream(data), token), () => m.LoadNet(null, token), () => m.IdentifyNet(token), () => m.LoadCatalogue("x", token),
        () => m.CheckExternalData("x", token), () => m.Infer(token), () => m.Export("x", token), () => m.Export(new MemoryStream(), token),
        () => m.ExportBytes(token), () => m.GraphText(cancel: token), () => m.GraphJson(cancel: token), () => new Model(Digits, token).Dispose(),
        () => Result(m.ExportBytesAsync(token)), () => Result(Model.OpenAsync(Digits, token))
      };
      foreach (Action call in calls)
      {
        Throws<OperationCanceledException>(call);
      }
      Task<Model> task = m.InferAsync(token);
      Throws<OperationCanceledException>(() => Result(task));
      Equal(TaskStatus.Canceled, task.Status, "status");
      Equal(true, m.ExportBytes().Length > 1000, "after all");
    }
  }

  /// <summary>A file with `using System;` and `using Mx2onnx;` could not say FormatException.</summary>
  private static void NoNameIsAlsoOneOfTheSystems()
  {
    var usual = new HashSet<string>
    {
      "System", "System.Collections", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net", "System.Text",
      "System.Text.RegularExpressions", "System.Threading", "System.Threading.Tasks"
    };
    var theirs = new HashSet<string>(
      new[] { typeof(object), typeof(Enumerable), typeof(Uri) }.SelectMany(t => t.Assembly.GetExportedTypes())
        .Where(t => usual.Contains(t.Namespace)).Select(t => t.Name));
    Equal(true, theirs.Contains("FormatException") && theirs.Contains("Enumerable"), "what is compared with");
    string both = string.Join(" ", typeof(Model).Assembly.GetExportedTypes().Select(t => t.Name).Where(theirs.Contains));
    Equal("", both, "names");
  }

  private static void OptionsAreProperties()
  {
    using (var m = new Model(Digits) { Opset = Library.OldestOpset, Seed = 3, Float16 = Float16Mode.All, Target = "opencv4", KeepBatchNorm = true })
    {
      m.SetInputShape("data", "batch", 1, 8, 8);
      Equal(Library.OldestOpset, m.Opset, "opset");
      Equal(3, m.Seed, "seed");
      Equal(Float16Mode.All, m.Float16, "float16");
      Equal("opencv4", m.Target, "target");
      Equal(true, m.KeepBatchNorm, "switch");
      m.Opset = m.Seed = null;
      m.Target = null;
      m.ResetOption(Option.Float16).ResetOption(Option.KeepBatchNorm);
      Equal(null, m.Opset, "opset");
      Equal(null, m.Seed, "seed");
      Equal(null, m.Target, "target");
      Equal(false, m.KeepBatchNorm, "switch");
      Equal(1024L, m.ExternalThreshold, "threshold");
      m.Producer = "a test";
      Equal(true, Encoding.ASCII.GetString(m.ExportBytes()).Contains("a test"), "producer");
      foreach (Option which in Enum.GetValues(typeof(Option)))
      {
        m.ResetOption(which).SetOption(which, m.GetOption(which));
      }
      foreach (TextOption which in Enum.GetValues(typeof(TextOption)))
      {
        m.SetText(which, null);
      }
      Equal(true, Throws<InvalidArgumentException>(() => m.Opset = Library.NewestOpset + 1).Message.StartsWith("Model.Opset is"), "message");
      Throws<InvalidArgumentException>(() => m.SetOption(Option.Fsync, 2));
      Throws<InvalidArgumentException>(() => m.SetOption((Option)99, 1));
    }
  }

  private static void AResetModelIsNew()
  {
    using (Model m = OpenDigits())
    {
      byte[] want = m.ExportBytes();
      m.SetProgress(now => true).SetLog((severity, text) => { throw new Thrown(); }, Severity.Debug);
      Throws<Thrown>(() => m.GraphText());
      m.Reset();
      Equal(0, m.Inputs.Count + m.Params.Count + m.Diagnostics.Count, "what is left");
      m.SetInputShape("data", "batch", 1, 8, 8).Load(Digits); // a choice may come before the load
      Equal(true, m.GraphText().Contains("Conv") && want.SequenceEqual(m.ExportBytes()), "the same");
      m.SetProgress(now =>
      {
        m.Reset();
        return false;
      });
      Throws<InvalidArgumentException>(() => m.ExportBytes());
    }
  }

  private static void TheProgressSaysWhatItIsAbout()
  {
    using (var m = new Model())
    {
      var seen = new List<ProgressState>();
      m.SetProgress(now =>
      {
        seen.Add(now);
        return false;
      });
      m.Load(Digits).SetInputShape("data", "batch", 1, 8, 8);
      ulong size = (ulong)m.ExportBytes().Length;
      ProgressState last = seen.Last();
      Equal(Phase.Write, last.Phase, "phase");
      Equal(size, last.Done, "done");
      Equal(size, last.Total, "total");
      Equal(true, seen.All(s => s.Node != null), "node");
      Equal(true, seen.Any(s => s.Phase == Phase.Load), "a load");
      Equal(true, seen.All(s => s.Phase == Phase.Write || s.Done + s.Total == 0), "bytes");
    }
  }

  private static void TheLogHasOnlyWhatItIsAskedFor()
  {
    using (Model m = OpenDigits())
    {
      var seen = new List<Severity>();
      m.SetLog((severity, text) => seen.Add(severity), Severity.Debug).GraphText();
      Equal(true, seen.Contains(Severity.Debug), "debug");
      seen.Clear();
      m.SetLog((severity, text) => seen.Add(severity)).GraphText();
      Equal(0, seen.Count, "notes and graver");
      m.SetLog((severity, text) => seen.Add(severity), Severity.Error);
      string said = Throws<NotFoundException>(() => m.AddOutput("mx2onnx_fc")).Message;
      Equal(true, said.Contains("'mx2onnx_fc'"), "a name of the caller stays as it is: " + said);
      Equal(Severity.Error, seen.Single(), "errors");
    }
  }

  private static void ACallIsCancelled()
  {
    using (Model m = OpenDigits())
    {
      byte[] want = m.ExportBytes();
      m.Cancel(); // no call runs
      Equal(true, want.SequenceEqual(m.ExportBytes()), "no effect on a later call");
      m.SetProgress(now =>
      {
        var other = new Thread(m.Cancel);
        other.Start();
        other.Join();
        return false;
      });
      Throws<CancelledException>(() => m.ExportBytes());
      m.SetProgress(null);
      m.SetLog((severity, text) => m.Cancel(), Severity.Debug);
      Throws<CancelledException>(() => m.GraphText());
      m.SetLog(null);
      Equal(true, want.SequenceEqual(m.ExportBytes()), "after all");
      Func<Node, int> cancels = n =>
      {
        m.Cancel();
        return 1;
      };
      m.SetCustomOperator("Convolution", n => { }, countOutputs: cancels, overrides: true);
      Throws<CancelledException>(() => Equal(0, m.Outputs.Count, "cancelled"));
      m.RemoveCustomOperators();
      Equal(1, m.Outputs.Count, "a later look");
      using (var entered = new ManualResetEventSlim())
      using (var leave = new ManualResetEventSlim())
      {
        m.SetProgress(now =>
        {
          entered.Set();
          leave.Wait();
          return false;
        });
        Task<byte[]> export = m.ExportBytesAsync();
        entered.Wait();
        m.Cancel(); // while a task has the model
        leave.Set();
        Throws<CancelledException>(() => Result(export));
      }
      m.Dispose();
      m.Cancel();
    }
  }

  private static void AHandlerCountsAndOverrides()
  {
    Action<Node> pass = n => n.SetResult(0, n.Inputs[0].Value);
    using (Model m = OpenDigits())
    {
      m.SetCustomOperator("SoftmaxOutput", pass, overrides: true);
      Equal(false, m.GraphText().Contains("Softmax"), "overridden");
      m.SetCustomOperator("SoftmaxOutput", pass);
      Throws<InvalidArgumentException>(() => m.GraphText());
      m.RemoveCustomOperators();
      Equal(true, m.GraphText().Contains("Softmax"), "removed");
    }
    using (Model m = OpenLeaky())
    {
      string seen = null;
      m.SetCustomOperator("leaky", pass, outputs: 7, countOutputs: n =>
      {
        seen = n.Name + " " + n.Inputs[0].Name + " " + n.Attribute("slope");
        return 1;
      });
      Equal(true, m.ExportBytes().Length > 100, "counted");
      Equal("c x 0.25", seen, "what is known");
      m.SetCustomOperator("leaky", pass, countOutputs: n => 2);
      Throws<ModelException>(() => m.ExportBytes()); // the second output is not set
      foreach (int count in new[] { 0, -1, int.MinValue })
      {
        m.SetCustomOperator("leaky", pass, countOutputs: n => count);
        Throws<ModelFormatException>(() => m.ExportBytes());
      }
      m.SetCustomOperator("leaky", pass, countOutputs: n => Fail(n));
      Equal(true, Throws<UnsupportedException>(() => m.ExportBytes()).Message.Contains("not counted on purpose"), "message");
      Throws<ArgumentNullException>(() => m.RemoveCustomOperator(null));
      Throws<ArgumentNullException>(() => m.SetCustomOperator(null, pass));
    }
  }

  private static int Fail(Node node)
  {
    throw node.Fail("not counted on purpose");
  }

  private static void SettingsAreReadAndTakenBack()
  {
    using (Model m = OpenDigits())
    {
      byte[] want = m.ExportBytes();
      m.SetMetadata("b", "two").SetMetadata("a", "");
      Equal("a=,b=two", string.Join(",", m.Metadata.Select(e => e.Key + "=" + e.Value)), "metadata");
      Throws<InvalidArgumentException>(() => m.SetMetadata("input:data", "x"));
      Equal(true, Encoding.GetEncoding("ISO-8859-1").GetString(m.ExportBytes()).Contains("\n\u0001b\u0012\u0003two"), "written");
      Equal(1, m.SetMetadata("a", null).Metadata.Count, "one entry");
      Equal(0, m.ClearMetadata().Metadata.Count, "no entry");
      using (var chosen = new Model())
      {
        Equal(true, chosen.GetInputShape("data") == null && chosen.GetInputDtype("data") == Dtype.Unknown && chosen.GetRename("data") == null,
          "nothing is chosen");
        chosen.SetInputShape("data", "n", 1, -1).SetInputDtype("data", Dtype.UInt8).Rename("data", "pixels");
        Equal(true, chosen.GetInputShape("data").SequenceEqual(new Dim[] { "n", 1, -1 }), "the shape");
        Equal("UInt8 pixels", chosen.GetInputDtype("data") + " " + chosen.GetRename("data"), "the type and the name");
      }
      m.SetInputMean("data", 1).SetInputScale("data", 0.5).SetInputChannelsLast("data");
      Equal("1 0.5", m.GetInputMean("data").Single() + " " + m.GetInputScale("data").Single().ToString(CultureInfo.InvariantCulture), "values");
      Equal(true, m.GetInputChannelsLast("data") && !m.GetInputChannelsReversed("data"), "channels");
      m.SetInputMean("data").SetInputScale("data").SetInputChannelsLast("data", false);
      Equal(0, m.GetInputMean("data").Length, "no mean");
      Param bias = m.Params.Single(p => p.Name == "fc1_bias");
      m.SetParam("fc1_bias", bias.Dtype, bias.Dims.ToArray(), new byte[bias.ByteCount]);
      Equal(false, want.SequenceEqual(m.ExportBytes()), "changed");
      Equal(true, want.SequenceEqual(m.RemoveParam("fc1_bias").ExportBytes()), "removed");
      Throws<NotFoundException>(() => m.RemoveParam("fc1_bias"));
      Equal(3, m.SetDomainVersion("ai.onnx.ml", 3).GetDomainVersion("ai.onnx.ml"), "version");
      Equal(1, m.SetDomainVersion("ai.onnx.ml", 0).GetDomainVersion("ai.onnx.ml"), "version");
      m.LoadCatalogue(File.ReadAllBytes(Path.Combine(root, "bindings", "cases", "nets.zip")));
      Equal(true, m.Nets.Count > 0, "nets");
      Throws<NotFoundException>(() => m.IdentifyNet());
    }
  }

  private static void ChoicesAreTakenBack()
  {
    using (Model m = OpenDigits())
    {
      byte[] want = m.ExportBytes();
      m.AddOutput("fc1_output").Rename("data", "pixels").SetInputDtype("data", Dtype.Float16);
      Equal("fc1", m.Outputs.Single().Name, "chosen");
      Equal(true, m.GraphText().Contains("pixels : float16 (batch, 1, 8, 8)"), m.GraphText());
      Equal("data_dim2", m.ClearInputShape("data").Infer().Inputs.Single().Dims[2].Name, "inferred");
      m.ClearOutputs().Rename("data", null).SetInputDtype("data", Dtype.Unknown).SetInputShape("data", "batch", 1, 8, 8);
      Equal(true, want.SequenceEqual(m.ExportBytes()), "taken back");
      Equal(Precision.Auto, m.GetNodePrecision("fc1"), "precision");
      m.Float16 = Float16Mode.Inside;
      int most = m.SetNodePrecision("fc1", Precision.Float32).ExportBytes().Length;
      Equal(Precision.Float32, m.GetNodePrecision("fc1"), "precision");
      Equal(true, m.SetNodePrecision("fc1", Precision.Auto).ExportBytes().Length < most, "size");
      Equal(Precision.Auto, m.GetNodePrecision("fc1"), "precision");
    }
  }

  private static void PartsOfAnArrayCanBeRead()
  {
    using (Model m = OpenDigits())
    {
      Param p = m.Params[0];
      byte[] all = p.Bytes();
      Equal(true, all.Skip(3).Take(8).SequenceEqual(p.Bytes(3, 8)), "part");
      Equal(0, p.Bytes(all.Length, 0).Length, "nothing");
      foreach (long[] wrong in new[] { new long[] { 1, all.Length }, new long[] { -1, 1 }, new[] { 0, long.MaxValue }, new[] { long.MaxValue, 1 } })
      {
        Throws<ArgumentOutOfRangeException>(() => p.Bytes(wrong[0], wrong[1]));
      }
    }
  }

  private static void TheFilesOfAnExportAreListed()
  {
    string folder = Path.Combine(Path.GetTempPath(), "mx2onnx-" + Guid.NewGuid());
    Directory.CreateDirectory(folder);
    try
    {
      using (Model m = OpenDigits())
      {
        Equal(0, m.WrittenFiles.Count, "none yet");
        m.ExternalData = ExternalData.Always;
        m.SideFile = "weights";
        m.Export(Path.Combine(folder, "net.onnx"));
        Equal("net.onnx weights", string.Join(" ", m.WrittenFiles), "files");
      }
    }
    finally
    {
      Directory.Delete(folder, true);
    }
  }

  private static void TheTextOfASizeIsNotAName()
  {
    using (Model m = OpenDigits())
    {
      foreach (string name in new[] { "1", "14", "None", "4.5" })
      {
        Throws<InvalidArgumentException>(() => m.SetInputShape("data", name, 1, 8, 8));
      }
    }
  }

  private static void ExceptionsComeOutAsTheyAre()
  {
    using (Model m = OpenLeaky())
    {
      var mine = new Thrown();
      m.SetCustomOperator("leaky", n => { throw mine; });
      Equal(true, ReferenceEquals(mine, Throws<Thrown>(() => m.ExportBytes())), "the same object");
      Node kept = null;
      m.SetCustomOperator("leaky", n =>
      {
        kept = n;
        n.SetResult(0, n.Add("Relu", new[] { n.Inputs[0].Value }));
      });
      m.ExportBytes();
      Throws<InvalidOperationException>(() => kept.SetOutputLike(0, 0));
      m.RemoveCustomOperator("leaky");
      var e = Throws<UnsupportedException>(() => m.ExportBytes());
      Equal(Status.Unsupported, e.Status, "status");
      Equal(true, e.Message.Contains("SetCustomOperator") && e.Diagnostics.All(d => !(d.Message + d.Advice).Contains("mx2onnx_")), e.Message);
    }
  }

  /// <summary>A stream that reads another count than it is asked for, or has another length.</summary>
  private sealed class OtherStream : MemoryStream
  {
    private readonly int more;
    private readonly long length;

    internal OtherStream(byte[] data, int more, long length) : base(data)
    {
      this.more = more;
      this.length = length;
    }

    public override long Length => length;

    public override int Read(byte[] buffer, int offset, int count)
    {
      return base.Read(buffer, offset, count) + more;
    }
  }

  /// <summary>More bytes than were asked for were written after the end of C's memory.</summary>
  private static void AStreamMustReadTheCountThatItStates()
  {
    byte[] data = File.ReadAllBytes(Digits);
    foreach (int more in new[] { 1, 1 << 20, -data.Length - 1, int.MinValue / 2 })
    {
      using (var m = new Model())
      {
        Throws<IOException>(() => m.Load(new OtherStream(data, more, data.Length)));
        m.Load(new OtherStream(data, 0, data.Length));
      }
    }
    using (var m = new Model())
    {
      Throws<ArgumentOutOfRangeException>(() => m.Load(new OtherStream(data, 0, -1)));
      Throws<ArgumentOutOfRangeException>(() => m.LoadParams(new OtherStream(data, 0, -1)));
    }
  }

  private static void AnExceptionOfALogStaysWithItsCall()
  {
    using (Model m = OpenDigits())
    {
      int lines = 0;
      m.SetLog((severity, text) =>
      {
        lines++;
        throw new Thrown();
      }, Severity.Debug);
      Throws<Thrown>(() => m.GraphText());
      Equal(Status.Cancelled, m.Diagnostics.Last().Status, "the call ended");
      Equal(1, lines, "no function is called after the first exception");
      Throws<Thrown>(() => m.AddOutput("nosuch"));
      m.Opset = 17;
      m.SetLog(null);
      Equal(true, m.GraphText().Contains("Conv"), "after all");
    }
  }

  private static void AModelIsInUseInItsCallbacks()
  {
    using (Model m = OpenLeaky())
    {
      int refused = 0;
      Action<Node> relu = n => n.SetResult(0, n.Add("Relu", new[] { n.Inputs[0].Value }));
      m.SetCustomOperator("leaky", n =>
      {
        Throws<InvalidArgumentException>(() => m.SetCustomOperator("leaky", relu));
        Throws<InvalidArgumentException>(() => m.RemoveCustomOperator("leaky"));
        Throws<InvalidArgumentException>(() => m.SetLog((severity, text) => { }));
        Throws<InvalidArgumentException>(() => Equal("", m.ReportJson, "in use"));
        Throws<InvalidOperationException>(() => m.Dispose());
        GC.Collect();
        refused++;
        relu(n);
      });
      Equal(true, m.ExportBytes().Length > 100 && m.ExportBytes().Length > 100 && refused >= 2, "in use");
    }
  }

  private static void NumbersAndNamesMustFit()
  {
    using (Model m = OpenDigits())
    {
      Throws<ArgumentOutOfRangeException>(() => m.SetInputDimName("data", -1, "n"));
      Throws<ArgumentOutOfRangeException>(() => m.SetCustomOperator("a", n => { }, null, -1));
      foreach (string name in new[] { "data\0x", "data\0", "a\ud800", "\udc00" })
      {
        var calls = new Action[]
        {
          () => m.Rename("data", name), () => m.Rename(name, "x"), () => m.SetInputShape(name, 1),
          () => m.SetInputShape("data", name, 1, 8, 8), () => m.SetInputDimName("data", 0, name), () => m.SetInputDtype(name, Dtype.Int8),
          () => m.AddOutput(name), () => m.Target = name, () => m.UnknownDomain = name, () => m.LoadNet(name), () => m.ParamPrefix = name,
          () => m.SetParam(name, Dtype.Int8, new long[] { 1 }, new byte[1]), () => m.SetCustomOperator(name, n => { }),
          () => m.LoadParams(name), () => m.Export(name)
        };
        foreach (Action call in calls)
        {
          Throws<ArgumentException>(call);
        }
      }
      m.Infer();
      Equal("data", m.Inputs[0].Name, "name");
      Equal("batch", m.Inputs[0].Dims[0].Name, "dim");
    }
  }

  private static void AttributesKeepTheirKinds()
  {
    using (Model m = OpenLeaky())
    {
      var attributes = new Map { { "a", new[] { 1.0, 0.5 } }, { "b", 1 }, { "c", 2.0f }, { "d", "\"é\n\\" }, { "e", new long[] { 1, 2 } } };
      m.SetCustomOperator("leaky", n =>
      {
        var inputs = new[] { n.Inputs[0].Value, default(Result), n.Constant(0.5f) };
        n.SetResult(0, n.Add("Mine", "com.example", inputs, attributes, 1)[0]);
      });
      Equal(true, m.GraphText().Contains("com.example::Mine(") && m.GraphText().Contains("a=[1, 0.5], b=1, c=2, d="), m.GraphText());
    }
  }

  private static void ClosedAndCollectedModelsAreFreed()
  {
    Model m = OpenDigits();
    m.Dispose();
    m.Dispose();
    Throws<ObjectDisposedException>(() => m.Infer());
    for (int i = 0; i < 50; i++)
    {
      OpenLeaky().SetLog((severity, text) => { }).SetCustomOperator("leaky", n => n.SetResult(0, n.Inputs[0].Value));
      GC.Collect();
    }
    GC.WaitForPendingFinalizers();
  }

  private static void AllCases(Action<string, Action> test)
  {
    string folder = Path.Combine(root, "bindings", "cases");
    var cases = (List<object>)((Map)Json.Parse(File.ReadAllText(Path.Combine(folder, "cases.json"))))["cases"];
    Equal(true, cases.Count > 20, "cases");
    foreach (Map one in cases)
    {
      test((string)one["name"], () =>
      {
        string empty = Path.Combine(Path.GetTempPath(), "mx2onnx-" + Guid.NewGuid());
        Directory.CreateDirectory(empty);
        try
        {
          using (var run = new Case(folder, empty))
          {
            foreach (Map step in (List<object>)one["steps"])
            {
              run.Run(step);
            }
          }
        }
        finally
        {
          Directory.Delete(empty, true);
        }
      });
    }
  }

  /// <summary>In a separate process: what is used of the library before all else.</summary>
  private static readonly Dictionary<string, Func<object>> First = new Dictionary<string, Func<object>>
  {
    ["Model"] = () => new Model().SetInputShape("data", 1).Diagnostics.Count,
    ["OpenAsync"] = () => Model.OpenAsync(Digits).Result.Inputs.Count,
    ["Version"] = () => Library.Version,
    ["VersionNumber"] = () => Library.VersionNumber,
    ["ReadsZip"] = () => Library.ReadsZip,
    ["OldestOpset"] = () => Library.OldestOpset,
    ["Targets"] = () => Library.Targets.Count,
    ["KnownOperators"] = () => Library.KnownOperators.Count,
    ["NameOf"] = () => Library.NameOf(Dtype.Int8) + Library.NameOf(Status.Format),
    ["DtypeOf"] = () => Library.DtypeOf("int8")
  };

#if SPANS
  /// <summary>Memory of any owner gives what arrays give.</summary>
  private static void SpansGiveWhatArraysGive()
  {
    string digits = Path.GetDirectoryName(Digits);
    ReadOnlyMemory<byte> symbol = File.ReadAllBytes(Digits), weights = File.ReadAllBytes(Path.Combine(digits, "digits-0000.params"));
    using (Model m = OpenDigits())
    using (var n = new Model())
    {
      byte[] want = m.ExportBytes();
      Result(Result(n.LoadAsync(symbol)).LoadParamsAsync(weights)).SetInputShape("data", "batch", 1, 8, 8);
      Equal(true, want.SequenceEqual(n.ExportBytes()), "the model");
      Param bias = n.Params.Single(p => p.Name == "fc1_bias");
      var part = new byte[8];
      bias.Read(4, new Span<byte>(part, 2, 4));
      Equal(true, part.Skip(2).Take(4).SequenceEqual(bias.Bytes(4, 4)) && part[1] == 0 && part[6] == 0, "a part");
      bias.Read((long)bias.ByteCount, Span<byte>.Empty);
      Throws<InvalidArgumentException>(() => bias.Read((long)bias.ByteCount - 1, part));
      Throws<InvalidArgumentException>(() => bias.Read(-1, part));
      n.SetParam("fc1_bias", bias.Dtype, new ReadOnlySpan<long>(bias.Dims.ToArray()), new ReadOnlySpan<byte>(new byte[bias.ByteCount]));
      Equal(false, want.SequenceEqual(n.ExportBytes()), "changed");
    }
    using (Model m = OpenLeaky())
    {
      m.SetCustomOperator("leaky", node =>
      {
        Result slope = node.Constant(Dtype.Float32, new ReadOnlySpan<long>(new long[] { 1 }), new ReadOnlySpan<byte>(new byte[4]));
        node.SetResult(0, node.Add("PRelu", new[] { node.Inputs[0].Value, slope }));
      });
      Equal(true, m.GraphText().Contains("PRelu"), "a constant");
    }
  }
#endif

  private static int Main(string[] arguments)
  {
    if (arguments.Length > 1)
    {
      root = arguments[0];
      Console.WriteLine(arguments[1] == "" ? string.Join(" ", First.Keys) : First[arguments[1]]().ToString());
      return 0;
    }
    root = arguments[0];
    int passed = 0;
    int failed = 0;
    Action<string, Action> test = (name, run) =>
    {
      try
      {
        run();
        passed++;
      }
      catch (Exception e)
      {
        failed++;
        Console.WriteLine("FAIL " + name + ": " + e);
      }
    };
    AllCases(test);
    test("the library says what it is", TheLibrarySaysWhatItIs);
    test("every way out gives the same bytes", EveryWayOutGivesTheSameBytes);
#if SPANS
    test("spans give what arrays give", SpansGiveWhatArraysGive);
#endif
    test("a token ends an export", ATokenEndsAnExport);
    test("tasks give the same", TasksGiveTheSame);
    test("a model is in use until its task ends", AModelIsInUseUntilItsTaskEnds);
    test("a token ends every call that takes time", ATokenEndsEveryCallThatTakesTime);
    test("no name is also one of the system's", NoNameIsAlsoOneOfTheSystems);
    test("options are properties", OptionsAreProperties);
    test("a reset model is new", AResetModelIsNew);
    test("the progress has its phase and node", TheProgressSaysWhatItIsAbout);
    test("the log has only what it is asked for", TheLogHasOnlyWhatItIsAskedFor);
    test("a call is cancelled", ACallIsCancelled);
    test("a handler counts and overrides", AHandlerCountsAndOverrides);
    test("choices are taken back", ChoicesAreTakenBack);
    test("settings are read and taken back", SettingsAreReadAndTakenBack);
    test("parts of an array can be read", PartsOfAnArrayCanBeRead);
    test("the files of an export are listed", TheFilesOfAnExportAreListed);
    test("the text of a size is not a name", TheTextOfASizeIsNotAName);
    test("exceptions come out as they are", ExceptionsComeOutAsTheyAre);
    test("a stream must read the count that it states", AStreamMustReadTheCountThatItStates);
    test("an exception of a log stays with its call", AnExceptionOfALogStaysWithItsCall);
    test("a model is in use in its callbacks", AModelIsInUseInItsCallbacks);
    test("numbers and names must fit", NumbersAndNamesMustFit);
    test("attributes keep their kinds", AttributesKeepTheirKinds);
    test("closed and collected models are freed", ClosedAndCollectedModelsAreFreed);
    test("the example runs", () => Equal(true, Example.Run().Contains("LeakyRelu"), "graph"));
    Console.WriteLine(passed + " passed, " + failed + " failed");
    return failed == 0 && passed > 0 ? 0 : 1;
  }
}
