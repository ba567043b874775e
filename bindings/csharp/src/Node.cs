// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

namespace Mx2onnx
{
  /// <summary>A value of the ONNX graph. default(Result) stands for an omitted input.</summary>
  public struct Result
  {
    internal Result(int number)
    {
      Number = number;
    }

    internal int Number { get; }
  }

  /// <summary>Node.Fail: the library has the text already.</summary>
  internal sealed class Refused : Exception
  {
    internal Refused(string message) : base(message)
    {
    }
  }

  /// <summary>A call of a node failed; the call that led to the handler says so with all diagnostics.</summary>
  internal sealed class NodeFailed : Exception
  {
    internal NodeFailed(int code, string message) : base(message)
    {
      Code = code;
    }

    internal int Code { get; }
  }

  /// <summary>An input of a node.</summary>
  public sealed partial class Input
  {
    private readonly Node node;
    private readonly UIntPtr index;

    internal Input(Node node, int i)
    {
      this.node = node;
      index = Native.Size(i);
      IntPtr handle = node.Open();
      Name = Native.Text(Native.mx2onnx_node_input_name(handle, index));
      Dtype = (Dtype)Native.mx2onnx_node_input_dtype(handle, index);
      StoredDtype = (Dtype)Native.mx2onnx_node_input_stored_dtype(handle, index);
      ByteCount = Native.mx2onnx_node_input_size(handle, index);
      int rank = Native.mx2onnx_node_input_rank(handle, index);
      Dims = rank < 0 ? null : Enumerable.Range(0, rank).Select(axis =>
      {
        long size = Native.mx2onnx_node_input_dim(handle, index, Native.Size(axis));
        return size >= 0 ? (Dim)size : Dim.OfInput(i, axis);
      }).ToArray();
    }

    /// <summary>The name of the variable or of the node that it comes from.</summary>
    public string Name { get; }
    /// <summary>Its element type.</summary>
    public Dtype Dtype { get; }
    /// <summary>null while the rank is unknown; a dim that is dynamic may be given to SetOutput.</summary>
    [MaybeNull]
    public IReadOnlyList<Dim> Dims { get; }
    /// <summary>The type of a parameter's bytes in its file; Unknown for an input that is not a parameter.</summary>
    public Dtype StoredDtype { get; }
    /// <summary>The size of a parameter; 0 for any other input.</summary>
    public ulong ByteCount { get; }

    /// <summary>Its value in the ONNX graph.</summary>
    public Result Value => new Result(Native.mx2onnx_node_input_value(node.Open(), index));

    /// <summary>A parameter's contents: dense, row-major, little-endian, of StoredDtype.</summary>
    public byte[] Bytes()
    {
      return Bytes(0, (long)ByteCount);
    }

    /// <summary>So many bytes of them, from byte `offset` on.</summary>
    public byte[] Bytes(long offset, long size)
    {
      if (StoredDtype == Dtype.Unknown)
      {
        throw new InvalidOperationException("input '" + Name + "' is not a parameter: its value is not known yet");
      }
      return Native.Read(
        offset, size, ByteCount,
        (memory, count) => node.Check(Native.mx2onnx_node_input_read(node.Open(), index, (ulong)offset, memory, count)));
    }
  }

  /// <summary>A node of MXNet's graph, as a handler gets it. It is valid until the handler returns.</summary>
  public sealed partial class Node
  {
    private readonly Model model;
    private IntPtr handle;

    internal Node(IntPtr handle, Model model)
    {
      this.handle = handle;
      this.model = model;
      Name = Native.Text(Native.mx2onnx_node_name(handle));
      Operator = Native.Text(Native.mx2onnx_node_operator(handle));
      Opset = Native.mx2onnx_node_opset(handle);
      Domain = Native.Text(Native.mx2onnx_node_domain(handle));
      OutputCount = (int)Native.mx2onnx_node_output_count(handle);
      Attributes = Enumerable.Range(0, (int)Native.mx2onnx_node_attribute_count(handle)).Select(i =>
      {
        UIntPtr at = Native.Size(i);
        string key = Native.Text(Native.mx2onnx_node_attribute_key(handle, at));
        return new KeyValuePair<string, string>(key, Native.Text(Native.mx2onnx_node_attribute_value(handle, at)));
      }).ToArray();
      Inputs = Enumerable.Range(0, (int)Native.mx2onnx_node_input_count(handle)).Select(i => new Input(this, i)).ToArray();
    }

    internal void Close()
    {
      handle = IntPtr.Zero;
    }

    internal IntPtr Open()
    {
      if (handle == IntPtr.Zero)
      {
        throw new InvalidOperationException("the node was used after its handler returned; use it inside the handler only");
      }
      return handle;
    }

    internal void Check(int status)
    {
      if (status != 0)
      {
        throw new NodeFailed(status, model.ErrorText);
      }
    }

    /// <summary>MXNet's name of the node.</summary>
    public string Name { get; }
    /// <summary>The name that the handler is registered for.</summary>
    public string Operator { get; }
    /// <summary>The opset that is written.</summary>
    public int Opset { get; }
    /// <summary>That of Model.UnknownDomain, or null.</summary>
    [MaybeNull]
    public string Domain { get; }
    /// <summary>How many outputs it has; 0 while they are counted.</summary>
    public int OutputCount { get; }
    /// <summary>All attributes as the file has them, in its order.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Attributes { get; }
    /// <summary>The inputs.</summary>
    public IReadOnlyList<Input> Inputs { get; }

    /// <summary>An attribute's text, as in the file; null if it is absent.</summary>
    [return: MaybeNull]
    public string Attribute(string key)
    {
      return Native.Text(Native.mx2onnx_node_attribute(Open(), Native.Utf8(key)));
    }

    /// <summary>Refuses the node: the call that led here throws an UnsupportedException with this text. Does not return.</summary>
    public Exception Fail(string message)
    {
      byte[] text = Native.Utf8(message);
      Native.mx2onnx_node_fail(Open(), text);
      throw new Refused(message);
    }

    /// <summary>In infer: type and shape of an output are those of an input.</summary>
    public void SetOutputLike(int output, int input)
    {
      Check(Native.mx2onnx_node_set_output_like(Open(), Native.Size(output), Native.Size(input)));
    }

    /// <summary>In infer: type and shape of an output; an open dim is an independent size, a dim of an input equals that.</summary>
    public void SetOutput(int output, Dtype dtype, params Dim[] dims)
    {
      UIntPtr at = Native.Size(output);
      Check(Native.mx2onnx_node_set_output(Open(), at, (int)dtype, dims.Length, Dim.Sizes(dims)));
      for (int axis = 0; axis < dims.Length; axis++)
      {
        if (dims[axis].Input >= 0)
        {
          UIntPtr input = Native.Size(dims[axis].Input);
          Check(Native.mx2onnx_node_set_output_dim(Open(), at, Native.Size(axis), input, Native.Size(dims[axis].Axis)));
        }
      }
    }

    /// <summary>In lower: a constant of row-major, little-endian bytes.</summary>
    public Result Constant(Dtype dtype, long[] dims, byte[] data)
    {
      using (var pinned = new Pinned())
      {
        int value;
        NativeArray array = pinned.ArrayOf(dtype, dims);
        array.Size = Native.Size(data.Length);
        array.Data = pinned.Pin(data.Length == 0 ? new byte[1] : data);
        Check(Native.mx2onnx_node_add_constant(Open(), ref array, out value));
        return new Result(value);
      }
    }

    /// <summary>In lower: a constant of rank 1.</summary>
    public Result Constant(params float[] values)
    {
      var data = new byte[4 * values.Length];
      Buffer.BlockCopy(values, 0, data, 0, data.Length);
      return Constant(Dtype.Float32, new long[] { values.Length }, data);
    }

    /// <summary>In lower: a constant of rank 1.</summary>
    public Result Constant(params long[] values)
    {
      var data = new byte[8 * values.Length];
      Buffer.BlockCopy(values, 0, data, 0, data.Length);
      return Constant(Dtype.Int64, new long[] { values.Length }, data);
    }

    /// <summary>In lower: adds one of ONNX's operators of one output, in its newest form; the form of the opset is written.
    /// Attributes: int and long are integers, float and double floats, so in arrays too; string.</summary>
    public Result Add(string opType, Result[] inputs, [AllowNull] IDictionary<string, object> attributes = null)
    {
      return Add(opType, null, inputs, attributes, 1)[0];
    }

    /// <summary>In lower: adds an ONNX node; domain null: one of ONNX's own operators.</summary>
    public Result[] Add(
      string opType, [AllowNull] string domain, Result[] inputs, [AllowNull] IDictionary<string, object> attributes, int outputs)
    {
      int[] values = inputs.Length == 0 ? new int[1] : inputs.Select(i => i.Number).ToArray();
      var made = new int[Math.Max(1, outputs)];
      using (var pinned = new Pinned())
      {
        var node = new NativeOnnxNode
        {
          StructSize = Native.Size(Marshal.SizeOf(typeof(NativeOnnxNode))),
          OpType = pinned.Text(opType),
          Domain = pinned.Text(domain),
          Attributes = pinned.Text(attributes == null || attributes.Count == 0 ? null : Json(attributes)),
          InputCount = Native.Size(inputs.Length),
          Inputs = pinned.Pin(values),
          OutputCount = Native.Size(outputs)
        };
        Check(Native.mx2onnx_node_add(Open(), ref node, made));
      }
      return made.Take(outputs).Select(n => new Result(n)).ToArray();
    }

    /// <summary>In lower: the value of an output of MXNet's node.</summary>
    public void SetResult(int output, Result value)
    {
      Check(Native.mx2onnx_node_set_result(Open(), Native.Size(output), value.Number));
    }

    private static string Json(object value)
    {
      var map = value as IDictionary<string, object>;
      if (map != null)
      {
        return "{" + string.Join(",", map.Select(e => Quoted(e.Key) + ":" + Json(e.Value))) + "}";
      }
      if (value is string)
      {
        return Quoted((string)value);
      }
      if (value is float || value is double)
      {
        string text = Convert.ToDouble(value).ToString("R", CultureInfo.InvariantCulture);
        return text.Contains(".") || text.Contains("E") ? text : text + ".0";
      }
      if (value is int || value is long)
      {
        return Convert.ToString(value, CultureInfo.InvariantCulture);
      }
      var list = value as IEnumerable;
      if (list != null)
      {
        return "[" + string.Join(",", list.Cast<object>().Select(Json)) + "]";
      }
      throw new ArgumentException("an attribute is a number, a text or a list of them, not " + value);
    }

    private static string Quoted(string text)
    {
      var made = new StringBuilder("\"");
      foreach (char c in text)
      {
        made.Append(c < ' ' ? "\\u" + ((int)c).ToString("x4") : c == '"' || c == '\\' ? "\\" + c : c.ToString());
      }
      return made.Append('"').ToString();
    }
  }
}
