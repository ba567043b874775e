// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
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
    return new Model(Digits).InputShape("data", "batch", 1, 8, 8);
  }

  private static Model OpenLeaky()
  {
    return new Model(Path.Combine(root, "bindings", "cases", "leaky-symbol.json")).InputShape("x", 1, 4);
  }

  private static void WhatTheLibraryIs()
  {
    Equal(3, Library.Version.Split('.').Length, "version");
    Equal(true, Library.VersionNumber > 0, "number");
    Equal(true, Library.Targets.ContainsKey("opencv4"), "targets");
    Equal(true, Library.KnownOperators.Single(o => o.Name == "Pooling").Opset >= 1, "operators");
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
      Equal(true, m.ReportJson.StartsWith("{") && m.ReportText.Contains("data") && m.SymbolText().Contains("Convolution"), "reports");
      m.SetLimit(Limit.Nodes, 1 << 21);
      Equal(1UL << 21, m.GetLimit(Limit.Nodes), "limit");
    }
  }

  private static void ATokenEndsAnExport()
  {
    using (Model m = OpenDigits())
    using (var source = new CancellationTokenSource())
    {
      m.Progress((done, total) =>
      {
        source.Cancel();
        return false;
      });
      Throws<OperationCanceledException>(() => m.ExportBytes(source.Token));
      Throws<OperationCanceledException>(() => m.ExportBytes(source.Token));
      m.Progress((done, total) => true);
      Throws<CancelledException>(() => m.ExportBytes());
      m.Progress(null).Infer();
      Equal(true, m.ExportBytes().Length > 0, "after all");
    }
  }

  private static void ExceptionsComeOutAsTheyAre()
  {
    using (Model m = OpenLeaky())
    {
      var mine = new Thrown();
      m.CustomOperator("leaky", n => { throw mine; });
      Equal(true, ReferenceEquals(mine, Throws<Thrown>(() => m.ExportBytes())), "the same object");
      Node kept = null;
      m.CustomOperator("leaky", n =>
      {
        kept = n;
        n.SetResult(0, n.Add("Relu", new[] { n.Inputs[0].Value }));
      });
      m.ExportBytes();
      Throws<InvalidOperationException>(() => kept.SetOutputLike(0, 0));
      m.RemoveCustomOperator("leaky");
      var e = Throws<UnsupportedException>(() => m.ExportBytes());
      Equal(Status.Unsupported, e.Status, "status");
      Equal(true, e.Message.Contains("CustomOperator") && e.Diagnostics.All(d => !(d.Message + d.Advice).Contains("mx2onnx_")), e.Message);
    }
  }

  private static void AttributesKeepTheirKinds()
  {
    using (Model m = OpenLeaky())
    {
      var attributes = new Map { { "a", new[] { 1.0, 0.5 } }, { "b", 1 }, { "c", 2.0f }, { "d", "\"é\n\\" }, { "e", new long[] { 1, 2 } } };
      m.CustomOperator("leaky", n =>
      {
        var inputs = new[] { n.Inputs[0].Value, default(Result), n.Constant(0.5f) };
        n.SetResult(0, n.Add("Mine", "com.example", inputs, attributes, 1)[0]);
      });
      Equal(true, m.GraphText().Contains("com.example::Mine(") && m.GraphText().Contains("a=[1, 0.5], b=1, c=2, d="), m.GraphText());
    }
  }

  private static void ClosingAndCollecting()
  {
    Model m = OpenDigits();
    m.Dispose();
    m.Dispose();
    Throws<ObjectDisposedException>(() => m.Infer());
    for (int i = 0; i < 50; i++)
    {
      OpenLeaky().Log((severity, text) => { }).CustomOperator("leaky", n => n.SetResult(0, n.Inputs[0].Value));
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

  private static int Main(string[] arguments)
  {
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
    test("what the library is", WhatTheLibraryIs);
    test("every way out gives the same bytes", EveryWayOutGivesTheSameBytes);
    test("a token ends an export", ATokenEndsAnExport);
    test("exceptions come out as they are", ExceptionsComeOutAsTheyAre);
    test("attributes keep their kinds", AttributesKeepTheirKinds);
    test("closing and collecting", ClosingAndCollecting);
    test("the example", () => Equal(true, Example.Run().Contains("LeakyRelu"), "graph"));
    Console.WriteLine(passed + " passed, " + failed + " failed");
    return failed == 0 && passed > 0 ? 0 : 1;
  }
}
