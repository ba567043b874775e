// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;

namespace Mx2onnx
{
  /// <summary>Element types.</summary>
  public enum Dtype
  {
    /// <summary>Not known.</summary>
    Unknown = -1,
    /// <summary>MXNet's float32.</summary>
    Float32 = 0,
    /// <summary>MXNet's float64.</summary>
    Float64 = 1,
    /// <summary>MXNet's float16.</summary>
    Float16 = 2,
    /// <summary>MXNet's uint8.</summary>
    UInt8 = 3,
    /// <summary>MXNet's int32.</summary>
    Int32 = 4,
    /// <summary>MXNet's int8.</summary>
    Int8 = 5,
    /// <summary>MXNet's int64.</summary>
    Int64 = 6,
    /// <summary>MXNet's bool.</summary>
    Bool = 7,
    /// <summary>MXNet's int16.</summary>
    Int16 = 8,
    /// <summary>MXNet's uint16.</summary>
    UInt16 = 9,
    /// <summary>MXNet's uint32.</summary>
    UInt32 = 10,
    /// <summary>MXNet's uint64.</summary>
    UInt64 = 11,
    /// <summary>MXNet's bfloat16.</summary>
    BFloat16 = 12
  }

  /// <summary>A dim of a shape: a size, a name of a size that is not known, one left open, or that of a node's input.</summary>
  public struct Dim : IEquatable<Dim>
  {
    private readonly long size; // plus 1, so that default(Dim) is open

    private Dim(long size, string name, int input, int axis)
    {
      this.size = size + 1;
      Name = name;
      this.input = input + 1;
      Axis = axis;
    }

    private readonly int input; // plus 1

    /// <summary>Left to inference; dynamic if inference does not find it.</summary>
    public static Dim Open => default(Dim);

    internal static Dim OfInput(int input, int axis)
    {
      return new Dim(-1, null, input, axis);
    }

    /// <summary>A fixed size; -1 is open.</summary>
    public static implicit operator Dim(long size)
    {
      return new Dim(size, null, -1, 0);
    }

    /// <summary>A dynamic dim; one name promises one size.</summary>
    public static implicit operator Dim(string name)
    {
      return new Dim(-1, name, -1, 0);
    }

    /// <summary>-1 where it is dynamic or unknown.</summary>
    public long Size => size - 1;

    /// <summary>null where there is none.</summary>
    public string Name { get; }

    internal int Input => input - 1;

    internal int Axis { get; }

    /// <summary>Whether it is a size.</summary>
    public bool IsFixed => Size >= 0;

    /// <inheritdoc/>
    public bool Equals(Dim other)
    {
      return size == other.size && Name == other.Name && input == other.input && Axis == other.Axis;
    }

    /// <inheritdoc/>
    public override bool Equals(object other)
    {
      return other is Dim && Equals((Dim)other);
    }

    /// <inheritdoc/>
    public override int GetHashCode()
    {
      return size.GetHashCode() ^ (Name ?? "").GetHashCode() ^ input ^ (Axis << 8);
    }

    /// <inheritdoc/>
    public override string ToString()
    {
      return IsFixed ? Size.ToString() : Name ?? (Input >= 0 ? "input " + Input + " axis " + Axis : "?");
    }

    internal static long[] Sizes(IReadOnlyList<Dim> dims)
    {
      return dims.Count == 0 ? new long[1] : dims.Select(d => d.Size).ToArray();
    }
  }

  /// <summary>An input or an output.</summary>
  public sealed class Value
  {
    internal Value(string name, Dtype dtype, IReadOnlyList<Dim> dims)
    {
      Name = name;
      Dtype = dtype;
      Dims = dims;
    }

    /// <summary>Its name in the ONNX file.</summary>
    public string Name { get; }
    /// <summary>Its element type.</summary>
    public Dtype Dtype { get; }
    /// <summary>null while the rank is unknown.</summary>
    [MaybeNull]
    public IReadOnlyList<Dim> Dims { get; }
  }

  /// <summary>What a variable without a value is. A newer library may have others.</summary>
  public enum VariableKind
  {
    /// <summary>An input of the model.</summary>
    Input = 0,
    /// <summary>A weight that is in no parameter file.</summary>
    Weight = 1,
    /// <summary>Not used at inference time: a label.</summary>
    Unused = 2
  }

  /// <summary>A variable of the symbol that has no value.</summary>
  public sealed class Variable
  {
    internal Variable(string name, VariableKind kind)
    {
      Name = name;
      Kind = kind;
    }

    /// <summary>Its name in MXNet's file.</summary>
    public string Name { get; }
    /// <summary>What it is.</summary>
    public VariableKind Kind { get; }
  }

  /// <summary>What a call is doing. A newer library may have others.</summary>
  public enum Phase
  {
    /// <summary>Something else.</summary>
    Other = 0,
    /// <summary>It reads files.</summary>
    Load = 1,
    /// <summary>It finds shapes and types.</summary>
    Infer = 2,
    /// <summary>It makes ONNX nodes.</summary>
    Lower = 3,
    /// <summary>It writes the ONNX model.</summary>
    Write = 4
  }

  /// <summary>How far a call is.</summary>
  public struct ProgressState
  {
    internal ProgressState(NativeProgress now)
    {
      Phase = (Phase)now.Phase;
      Done = now.Done;
      Total = now.Total;
      Node = Native.Text(now.Node);
    }

    /// <summary>What the call is doing.</summary>
    public Phase Phase { get; }
    /// <summary>Bytes written in the phase Write; 0 in any other.</summary>
    public ulong Done { get; }
    /// <summary>Bytes to write in the phase Write; 0 in any other.</summary>
    public ulong Total { get; }
    /// <summary>The node at which it is, or "".</summary>
    public string Node { get; }
  }

  /// <summary>An operator of the graph.</summary>
  public sealed class Operator
  {
    internal Operator(string name, long uses, bool supported)
    {
      Name = name;
      Uses = uses;
      Supported = supported;
    }

    /// <summary>MXNet's name.</summary>
    public string Name { get; }
    /// <summary>How many nodes have it.</summary>
    public long Uses { get; }
    /// <summary>Whether the library converts it.</summary>
    public bool Supported { get; }
  }

  /// <summary>An operator that the library converts.</summary>
  public sealed class KnownOperator
  {
    internal KnownOperator(ulong i)
    {
      UIntPtr at = new UIntPtr(i);
      Name = Native.Text(Native.mx2onnx_known_operator_name(at));
      Aliases = Split(Native.mx2onnx_known_operator_aliases(at), ' ');
      Opset = Native.mx2onnx_known_operator_opset(at);
      Status = Native.Text(Native.mx2onnx_known_operator_status(at));
      Refuses = Split(Native.mx2onnx_known_operator_refuses(at), '\n');
      Differs = Split(Native.mx2onnx_known_operator_differs(at), '\n');
    }

    private static IReadOnlyList<string> Split(IntPtr text, char at)
    {
      return Native.Text(text).Split(new[] { at }, StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>MXNet's canonical name.</summary>
    public string Name { get; }
    /// <summary>Other names.</summary>
    public IReadOnlyList<string> Aliases { get; }
    /// <summary>The first opset in which it can be written.</summary>
    public int Opset { get; }
    /// <summary>How far it is converted: "full", "partial" (some nodes are refused), "differs", "random" or "training only".</summary>
    public string Status { get; }
    /// <summary>Which of its nodes are not converted, and result in an error: a line for each kind.</summary>
    public IReadOnlyList<string> Refuses { get; }
    /// <summary>Where its results may differ from MXNet's, and why: a line for each case.</summary>
    public IReadOnlyList<string> Differs { get; }
  }

  /// <summary>What the library is.</summary>
  public static class Library
  {
    /// <summary>The version of the library that runs.</summary>
    public static string Version => Finder.With(() => Native.Text(Native.mx2onnx_version()));
    /// <summary>The same to compare: 1002003 for 1.2.3.</summary>
    public static int VersionNumber => Finder.With(() => Native.mx2onnx_version_number());
    /// <summary>Whether it reads .zip, .mar, .model and .npz.</summary>
    public static bool ReadsZip => Finder.With(() => Native.mx2onnx_has_feature(1) != 0);
    /// <summary>Whether it reads .tar and .tar.gz.</summary>
    public static bool ReadsTar => Finder.With(() => Native.mx2onnx_has_feature(2) != 0);

    /// <summary>Whether the library has the catalogue of published nets.</summary>
    public static bool HasCatalogue => Finder.With(() => Native.mx2onnx_has_feature(3) != 0);

    /// <summary>The oldest opset that the library writes.</summary>
    public static int OldestOpset => Finder.With(() => Native.mx2onnx_opset_min());

    /// <summary>The newest opset that the library writes.</summary>
    public static int NewestOpset => Finder.With(() => Native.mx2onnx_opset_max());

    /// <summary>The opset that the library writes by default.</summary>
    public static int DefaultOpset => Finder.With(() => Native.mx2onnx_opset_default());

    /// <summary>The programs that files can be written for, name and a sentence on each.</summary>
    public static IReadOnlyDictionary<string, string> Targets => Finder.With(() =>
    {
      var found = new Dictionary<string, string>();
      for (ulong i = 0; i < Native.mx2onnx_target_count().ToUInt64(); i++)
      {
        UIntPtr at = new UIntPtr(i);
        found.Add(Native.Text(Native.mx2onnx_target_name(at)), Native.Text(Native.mx2onnx_target_text(at)));
      }
      return found;
    });

    /// <summary>The operators that the library converts.</summary>
    public static IReadOnlyList<KnownOperator> KnownOperators => Finder.With(() =>
    {
      var found = new List<KnownOperator>();
      for (ulong i = 0; i < Native.mx2onnx_known_operator_count().ToUInt64(); i++)
      {
        found.Add(new KnownOperator(i));
      }
      return found;
    });

    /// <summary>NumPy's name of an element type.</summary>
    public static string NameOf(Dtype dtype)
    {
      return Finder.With(() => Native.Text(Native.mx2onnx_dtype_name((int)dtype)));
    }

    /// <summary>The element type of that name.</summary>
    public static Dtype DtypeOf(string name)
    {
      int number = Finder.With(() => Native.mx2onnx_dtype_from_name(Native.Utf8(name)));
      if (number < 0)
      {
        throw new ArgumentException("'" + name + "' is not an element type; use one of MXNet's, such as float32 or int64");
      }
      return (Dtype)number;
    }

    /// <summary>The name of a status in the C header: "NOT_FOUND".</summary>
    public static string NameOf(Status status)
    {
      return Finder.With(() => Native.Text(Native.mx2onnx_status_name((int)status)));
    }
  }
}
