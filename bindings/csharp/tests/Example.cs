// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Mx2onnx;

/// <summary>
/// A custom operator, a named dim, everything in memory. The net is relu, Custom(op_type="my_leaky", slope=0.25), tanh; a model of
/// your own is a file: new Model("net-symbol.json").
/// </summary>
public static class Example
{
  private const string Symbol = @"{""nodes"": [
    {""op"": ""null"", ""name"": ""data"", ""inputs"": []},
    {""op"": ""relu"", ""name"": ""r"", ""inputs"": [[0, 0, 0]]},
    {""op"": ""Custom"", ""name"": ""c"", ""attrs"": {""op_type"": ""my_leaky"", ""slope"": ""0.25""}, ""inputs"": [[1, 0, 0]]},
    {""op"": ""tanh"", ""name"": ""t"", ""inputs"": [[2, 0, 0]]}],
   ""arg_nodes"": [0], ""heads"": [[3, 0, 0]]}";

  private static void Lower(Node node)
  {
    double slope = double.Parse(node.Attribute("slope"), CultureInfo.InvariantCulture);
    node.SetResult(0, node.Add("LeakyRelu", new[] { node.Inputs[0].Value }, new Dictionary<string, object> { { "alpha", slope } }));
  }

  /// <summary>The graph that is written.</summary>
  public static string Run()
  {
    using (var m = new Model())
    {
      try
      {
        m.LoadSymbol(Encoding.UTF8.GetBytes(Symbol)).SetInputShape("data", "batch", 4).SetCustomOperator("my_leaky", Lower);
        byte[] onnx = m.ExportBytes();
        return onnx.Length + " bytes, " + m.WrittenNodes + " nodes\n" + m.GraphText();
      }
      catch (UnsupportedException e)
      {
        foreach (Diagnostic d in e.Diagnostics)
        {
          Console.Error.WriteLine(d.Node + ": " + d.Message + "; " + d.Advice);
        }
        throw;
      }
    }
  }
}
