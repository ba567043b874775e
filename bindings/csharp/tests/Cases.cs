// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Mx2onnx;
using Map = System.Collections.Generic.Dictionary<string, object>;

/// <summary>What the tests throw in callbacks.</summary>
internal sealed class Thrown : Exception
{
}

/// <summary>A case of bindings/cases: the steps that every language takes.</summary>
internal sealed class Case : IDisposable
{
  private readonly Model model = new Model();
  private readonly string cases;
  private readonly string folder;
  private Map step;
  private long lines;
  private List<object> watched;

  internal Case(string cases, string folder)
  {
    this.cases = cases;
    this.folder = folder;
  }

  public void Dispose()
  {
    model.Dispose();
  }

  private string S(string key)
  {
    return (string)step[key];
  }

  private long N(string key)
  {
    return (long)step[key];
  }

  private Option WhichOption()
  {
    return (Option)Enum.Parse(typeof(Option), S("which").Replace("_", ""), true);
  }

  private bool On(string key = "on")
  {
    return step.ContainsKey(key) && (bool)step[key];
  }

  private List<object> L(string key)
  {
    return (List<object>)step[key];
  }

  private string File => Path.Combine(cases, S("file"));

  private byte[] Contents => System.IO.File.ReadAllBytes(File);

  private static string Digest(byte[] data)
  {
    using (var sha = SHA256.Create())
    {
      return string.Concat(sha.ComputeHash(data).Select(b => b.ToString("x2")));
    }
  }

  private static T Fail<T>()
  {
    throw new Thrown();
  }

  private static void Leaky(Node node)
  {
    double slope = double.Parse(node.Attribute("slope"), System.Globalization.CultureInfo.InvariantCulture);
    node.SetResult(0, node.Add("LeakyRelu", new[] { node.Inputs[0].Value }, new Map { { "alpha", slope } }));
  }

  private static void SplitInfer(Node node)
  {
    Dim[] dims = node.Inputs[0].Dims.ToArray();
    dims[1] = dims[1].Size / 2;
    for (int i = 0; i < node.OutputCount; i++)
    {
      node.SetOutput(i, node.Inputs[0].Dtype, dims);
    }
  }

  private static void Split(Node node)
  {
    long half = node.Inputs[0].Dims[1].Size / 2;
    var inputs = new[] { node.Inputs[0].Value, node.Constant(half, half) };
    Result[] y = node.Add("Split", null, inputs, new Map { { "axis", 1 } }, 2);
    node.SetResult(0, y[0]);
    node.SetResult(1, y[1]);
  }

  private static void Table(Node node)
  {
    byte[] data = node.Inputs[1].Bytes();
    var turned = new byte[data.Length];
    for (int i = 0; i < data.Length; i += 4)
    {
      Array.Copy(data, i, turned, data.Length - 4 - i, 4);
    }
    Result c = node.Constant(node.Inputs[1].StoredDtype, new long[] { data.Length / 4 }, turned);
    node.SetResult(0, node.Add("Mul", new[] { node.Inputs[0].Value, c }));
  }

  private static void Describe(Node node)
  {
    var parts = new List<string> { "name=" + node.Name, "operator=" + node.Operator, "opset=" + node.Opset, "domain=" + node.Domain };
    parts.AddRange(node.Attributes.Select(a => a.Key + "=" + a.Value));
    parts.Add("outputs=" + node.OutputCount);
    parts.AddRange(
      node.Inputs.Select(
        i => string.Format(
          "input={0} {1} ({2}) {3} {4}", i.Name, Library.NameOf(i.Dtype), string.Join(",", i.Dims.Select(d => d.Size)),
          Library.NameOf(i.StoredDtype), i.ByteCount)));
    var attributes = new Map { { "text", string.Join(";", parts) } };
    node.SetResult(0, node.Add("Describe", node.Domain, new[] { node.Inputs[0].Value }, attributes, 1)[0]);
  }

  private void Busy(Node node)
  {
    Program.Throws<InvalidArgumentException>(() => model.Opset = 13);
    Program.Throws<InvalidOperationException>(() => model.Dispose());
    Program.Equal(0, model.Inputs.Count, "inputs of a busy model");
    node.SetOutputLike(0, 0);
  }

  private void CustomOperator()
  {
    string name = S("name");
    int outputs = (int)N("outputs");
    switch (S("handler"))
    {
      case null: model.RemoveCustomOperator(name); break;
      case "leaky": model.SetCustomOperator(name, Leaky); break;
      case "split2": model.SetCustomOperator(name, Split, SplitInfer, outputs); break;
      case "table": model.SetCustomOperator(name, Table); break;
      case "describe": model.SetCustomOperator(name, Describe); break;
      case "refuse": model.SetCustomOperator(name, Leaky, node => node.Fail("refused on purpose")); break;
      case "throw in infer": model.SetCustomOperator(name, Leaky, node => Fail<int>()); break;
      case "throw in lower": model.SetCustomOperator(name, node => Fail<int>()); break;
      case "busy": model.SetCustomOperator(name, Leaky, Busy); break;
      case "shape only": model.SetCustomOperator(name, null, node => node.SetOutputLike(0, 0)); break;
      default: throw new InvalidOperationException(S("handler"));
    }
  }

  private void Progress()
  {
    switch (S("handler"))
    {
      case null: model.SetProgress(null); break;
      case "cancel": model.SetProgress(now => true); break;
      case "throw": model.SetProgress(now => Fail<bool>()); break;
      case "watch":
        model.SetProgress(now =>
        {
          watched = new List<object> { now.Done, now.Total };
          return false;
        });
        break;
    }
  }

  private void Log()
  {
    switch (S("handler"))
    {
      case null: model.SetLog(null); break;
      case "throw": model.SetLog((severity, message) => Fail<int>()); break;
      case "collect": model.SetLog((severity, message) => lines++); break;
    }
  }

  private Stream Reader()
  {
    return On("throw") ? new FailingStream(Contents) : new MemoryStream(Contents);
  }

  private void Do(Map got)
  {
    switch (S("do"))
    {
      case "load": model.Load(File); break;
      case "load_memory": model.Load(Contents); break;
      case "load_callback": model.Load(Reader()); break;
      case "load_symbol": model.LoadSymbol(File); break;
      case "load_symbol_memory": model.LoadSymbol(Contents); break;
      case "load_params": model.LoadParams(File); break;
      case "load_params_memory": model.LoadParams(Contents); break;
      case "load_params_callback": model.LoadParams(Reader()); break;
      case "set_param":
        byte[] data = L("bytes").Select(b => (byte)(long)b).ToArray();
        model.SetParam(S("name"), Library.DtypeOf(S("dtype")), L("dims").Cast<long>().ToArray(), data);
        break;
      case "load_catalogue": model.LoadCatalogue(File); break;
      case "load_net": got["net"] = model.LoadNet(S("name")).Net; break;
      case "identify_net": model.IdentifyNet(); break;
      case "use_published": model.UsePublished((Published)Enum.Parse(typeof(Published), S("choice"), true)); break;
      case "nets":
        got["nets"] = model.Nets.Select(n => (object)new Map { { "name", n.Key }, { "text", n.Value } }).ToList();
        break;
      case "param_prefix": model.ParamPrefix = S("prefix"); break;
      case "input_shape":
        model.SetInputShape(S("input"), L("dims").Select(d => d is string ? (Dim)(string)d : (Dim)(long)d).ToArray());
        break;
      case "input_dim_name": model.SetInputDimName(S("input"), (int)N("axis"), S("name")); break;
      case "input_dtype": model.SetInputDtype(S("input"), Library.DtypeOf(S("dtype"))); break;
      case "channels_last": model.SetInputChannelsLast(S("input"), On()); break;
      case "channels_reversed": model.SetInputChannelsReversed(S("input"), On()); break;
      case "mean": model.SetInputMean(S("input"), L("values").Select(Convert.ToDouble).ToArray()); break;
      case "scale": model.SetInputScale(S("input"), L("values").Select(Convert.ToDouble).ToArray()); break;
      case "add_output": model.AddOutput(S("name")); break;
      case "rename": model.Rename(S("old"), S("new")); break;
      case "opset": model.Opset = (int)N("opset"); break;
      case "external_data":
        model.ExternalData = (ExternalData)Enum.Parse(typeof(ExternalData), S("mode").Replace("_", ""), true);
        model.ExternalThreshold = N("threshold");
        break;
      case "full_checksum": model.FullChecksum = On(); break;
      case "check_file": model.CheckExternalData(File); break;
      case "initializers_as_inputs": model.InitializersAsInputs = On(); break;
      case "keep_batch_norm": model.KeepBatchNorm = On(); break;
      case "fsync": model.Fsync = On(); break;
      case "float16": model.Float16 = (Float16Mode)Enum.Parse(typeof(Float16Mode), S("mode"), true); break;
      case "keep_float32": model.SetNodePrecision(S("name"), On("keep") ? Precision.Float32 : Precision.Float16); break;
      case "target": model.Target = S("name"); break;
      case "trust_indices": model.TrustIndices = On(); break;
      case "option":
        try
        {
          model.SetOption(WhichOption(), N("value"));
        }
        finally
        {
          got["option"] = model.GetOption(WhichOption());
        }
        break;
      case "reset_option": got["option"] = model.ResetOption(WhichOption()).GetOption(WhichOption()); break;
      case "seed": model.Seed = (int)N("seed"); break;
      case "unknown_domain": model.UnknownDomain = S("domain"); break;
      case "log": Log(); break;
      case "progress": Progress(); break;
      case "custom_operator": CustomOperator(); break;
      case "infer": model.Infer(); break;
      case "look": Look(got); break;
      case "export_file": ExportFile(got); break;
      case "export_memory": got["sha256"] = Digest(model.ExportBytes()); break;
      case "export_stream":
        var target = On("throw") ? new FailingStream(new byte[0]) : new MemoryStream();
        model.Export(target);
        got["sha256"] = Digest(target.ToArray());
        break;
      default: throw new InvalidOperationException(S("do"));
    }
  }

  private void ExportFile(Map got)
  {
    string target = Path.Combine(folder, step.ContainsKey("path") ? S("path") : "model.onnx");
    try
    {
      model.Export(target);
      got["sha256"] = Digest(System.IO.File.ReadAllBytes(target));
      System.IO.File.Delete(target);
      if (System.IO.File.Exists(target + ".data"))
      {
        got["data_sha256"] = Digest(System.IO.File.ReadAllBytes(target + ".data"));
        System.IO.File.Delete(target + ".data");
      }
    }
    finally
    {
      Program.Equal(0, Directory.GetFileSystemEntries(folder).Length, "files left");
    }
  }

  private static List<object> Values(IEnumerable<Value> values)
  {
    return values.Select(
      v => (object)new Map
      {
        { "name", v.Name },
        { "dtype", Library.NameOf(v.Dtype) },
        { "dims", v.Dims == null ? null : v.Dims.Select(d => d.IsFixed ? (object)d.Size : d.Name).ToList() }
      }).ToList();
  }

  private void Look(Map got)
  {
    got["inputs"] = Values(model.Inputs);
    got["outputs"] = Values(model.Outputs);
    got["variables"] = model.Variables.Select(
      v => (object)new Map { { "name", v.Name }, { "kind", v.Kind.ToString().ToUpperInvariant() } }).ToList();
    got["params"] = model.Params.Select(
      p => (object)new Map
      {
        { "name", p.Name },
        { "dtype", Library.NameOf(p.Dtype) },
        { "dims", p.Dims.Cast<object>().ToList() },
        { "used", p.Used },
        { "sha256", Digest(p.Bytes()) }
      }).ToList();
    got["operators"] = model.Operators.Select(
      o => (object)new Map { { "name", o.Name }, { "uses", o.Uses }, { "supported", o.Supported } }).ToList();
    got["written"] = new Map { { "opset", model.WrittenOpset }, { "nodes", model.WrittenNodes }, { "bytes", model.WrittenBytes } };
  }

  private List<object> Diagnostics()
  {
    return model.Diagnostics.Select(
      d => (object)new Map
      {
        { "severity", d.Severity.ToString().ToUpperInvariant() },
        { "status", Library.NameOf(d.Status) },
        { "node", d.Node },
        { "op", d.Op },
        { "attribute", d.Attribute },
        { "name", d.Name.Substring(d.Name.LastIndexOf('/') + 1) }
      }).ToList();
  }

  internal void Run(Map next)
  {
    step = next;
    lines = 0;
    watched = null;
    var got = new Map { { "status", "OK" } };
    try
    {
      Do(got);
    }
    catch (Thrown)
    {
      got["status"] = "THROWN";
    }
    catch (ModelException e)
    {
      Program.Equal(false, e.GetType() == typeof(ModelException), "a class for each status");
      got["status"] = Library.NameOf(e.Status);
    }
    got["log"] = lines;
    got["progress"] = watched;
    got["diagnostics"] = Diagnostics();
    foreach (var want in (Map)step["expect"])
    {
      object value;
      got.TryGetValue(want.Key, out value);
      Program.Equal(Json.Write(want.Value), Json.Write(value), S("do") + ": " + want.Key);
    }
  }

  private sealed class FailingStream : MemoryStream
  {
    private readonly bool filled;

    internal FailingStream(byte[] data)
    {
      base.Write(data, 0, data.Length);
      filled = true;
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
      throw new Thrown();
    }

    public override void Write(byte[] buffer, int offset, int count)
    {
      if (filled)
      {
        throw new Thrown();
      }
      base.Write(buffer, offset, count);
    }
  }
}
