// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Mx2onnx
{
  /// <summary>What a call of the library came to. A newer library may have others.</summary>
  public enum Status
  {
    /// <summary>No error.</summary>
    Ok = 0,
    /// <summary>An argument of the call is not valid.</summary>
    InvalidArgument = -1,
    /// <summary>Out of memory.</summary>
    OutOfMemory = -2,
    /// <summary>A file cannot be read or written.</summary>
    Io = -3,
    /// <summary>No such file, input, output or name.</summary>
    NotFound = -4,
    /// <summary>A file is damaged or not of an MXNet format.</summary>
    Format = -5,
    /// <summary>An operator, attribute value or type has no form in ONNX.</summary>
    Unsupported = -6,
    /// <summary>Shapes or element types do not fit together or are not known.</summary>
    Shape = -7,
    /// <summary>The graph needs a parameter that no file holds.</summary>
    MissingParameter = -8,
    /// <summary>A limit of ONNX or of this library is exceeded.</summary>
    TooLarge = -9,
    /// <summary>The call was cancelled.</summary>
    Cancelled = -10,
    /// <summary>An invariant of the library does not hold; please report it.</summary>
    Internal = -11
  }

  /// <summary>How much a diagnostic or a line of the log matters.</summary>
  public enum Severity
  {
    /// <summary>It stops the conversion.</summary>
    Error,
    /// <summary>It may be wrong.</summary>
    Warning,
    /// <summary>Good to know.</summary>
    Note,
    /// <summary>In the log only.</summary>
    Debug
  }

  /// <summary>What there is to say of a model. Texts that mean nothing are empty.</summary>
  public sealed class Diagnostic
  {
    internal Diagnostic(NativeDiagnostic d)
    {
      Severity = (Severity)d.Severity;
      Status = (Status)d.Status;
      Node = Native.Text(d.Node);
      Op = Native.Text(d.Op);
      Attribute = Native.Text(d.Attribute);
      Name = Native.Text(d.Name);
      Message = ModelException.Words(Native.Text(d.Message));
      Advice = ModelException.Words(Native.Text(d.Advice));
    }

    /// <summary>How much it matters.</summary>
    public Severity Severity { get; }
    /// <summary>Ok for a warning or a note.</summary>
    public Status Status { get; }
    /// <summary>MXNet's name of the node.</summary>
    public string Node { get; }
    /// <summary>Its operator.</summary>
    public string Op { get; }
    /// <summary>The operator's attribute.</summary>
    public string Attribute { get; }
    /// <summary>The input, output, parameter or file that is meant instead of a node.</summary>
    public string Name { get; }
    /// <summary>What is wrong.</summary>
    public string Message { get; }
    /// <summary>The way out.</summary>
    public string Advice { get; }
  }

  /// <summary>A model cannot be read, converted or written. Every status has its own class.</summary>
  public class ModelException : Exception
  {
    /// <summary>Functions of the C header whose names are others here; all else is a method in Pascal case.</summary>
    private static readonly Dictionary<string, string> Others = new Dictionary<string, string>
    {
      { "model_reset", "Model.Reset" },
      { "catalogue_name", "Model.Nets" },
      { "param_size", "Param.ByteCount" },
      { "load_catalogue_file", "LoadCatalogue" },
      { "node_input_size", "Input.ByteCount" }
    };

    internal ModelException(Status status, string message, IReadOnlyList<Diagnostic> diagnostics) : base(message)
    {
      Status = status;
      Diagnostics = diagnostics;
    }

    /// <summary>What the call came to.</summary>
    public Status Status { get; }

    /// <summary>Everything that was found.</summary>
    public IReadOnlyList<Diagnostic> Diagnostics { get; }

    /// <summary>A text of the library, whose advice names functions of the C header, in the words of this package.</summary>
    internal static string Words(string text)
    {
      string plain = Regex.Replace(text ?? "", @"\bmx2onnx_set_option: ([A-Z0-9_]+) ", "MX2ONNX_OPTION_$1 ");
      plain = Regex.Replace(plain, @"\bmx2onnx_set_(option|text): ", ""); // what follows is about the value
      plain = Regex.Replace(plain, @"\bmx2onnx_set_input_shape: ([^\s=]+)=([\w?,]*[\w?])", m => Shape(m.Groups[1].Value, m.Groups[2].Value));
      plain = Regex.Replace(plain, @"\bMX2ONNX_(OPTION|TEXT)_(\w+)", m => "Model." + Word(m.Groups[2].Value.ToLowerInvariant()));
      return Regex.Replace(plain, @"(?<![^\s(])mx2onnx_(\w+)", m => Word(m.Groups[1].Value));
    }

    /// <summary>"data=1x3xHEIGHT" of the command line, or with commas, as a call: SetInputShape("data", 1, 3, HEIGHT). A word such as
    /// HEIGHT is for the reader.</summary>
    private static string Shape(string input, string dims)
    {
      string[] sizes = dims.Split(dims.Contains(",") ? ',' : 'x');
      string list = string.Join(", ", sizes.Select(d => d == "?" ? "-1" : Regex.IsMatch(d, @"^(\d+|[A-Z]+)$") ? d : "\"" + d + "\""));
      return "SetInputShape(\"" + input + "\", " + list + ")";
    }

    private static string Word(string name)
    {
      string other;
      if (Others.TryGetValue(name, out other))
      {
        return other;
      }
      string bare = Regex.Replace(name, "^node_", "");
      return Regex.Replace(bare, @"(^|_)(\w)", m => m.Groups[2].Value.ToUpperInvariant());
    }

    internal static ModelException Of(int code, string message, IReadOnlyList<Diagnostic> found)
    {
      string text = string.IsNullOrEmpty(message) ? Native.Text(Native.mx2onnx_status_text(code)) : Words(message);
      switch ((Status)code)
      {
        case Status.InvalidArgument: return new InvalidArgumentException(text, found);
        case Status.OutOfMemory: return new ModelMemoryException(text, found);
        case Status.Io: return new FileException(text, found);
        case Status.NotFound: return new NotFoundException(text, found);
        case Status.Format: return new ModelFormatException(text, found);
        case Status.Unsupported: return new UnsupportedException(text, found);
        case Status.Shape: return new ShapeException(text, found);
        case Status.MissingParameter: return new MissingParameterException(text, found);
        case Status.TooLarge: return new TooLargeException(text, found);
        case Status.Cancelled: return new CancelledException(text, found);
        case Status.Internal: return new InternalException(text, found);
        default: return new ModelException((Status)code, text, found);
      }
    }
  }

  /// <summary>An argument of the call is not valid.</summary>
  public sealed class InvalidArgumentException : ModelException
  {
    internal InvalidArgumentException(string message, IReadOnlyList<Diagnostic> found) : base(Status.InvalidArgument, message, found)
    {
    }
  }

  /// <summary>Out of memory.</summary>
  public sealed class ModelMemoryException : ModelException
  {
    internal ModelMemoryException(string message, IReadOnlyList<Diagnostic> found) : base(Status.OutOfMemory, message, found)
    {
    }
  }

  /// <summary>A file cannot be read or written.</summary>
  public sealed class FileException : ModelException
  {
    internal FileException(string message, IReadOnlyList<Diagnostic> found) : base(Status.Io, message, found)
    {
    }
  }

  /// <summary>No such file, input, output or name.</summary>
  public sealed class NotFoundException : ModelException
  {
    internal NotFoundException(string message, IReadOnlyList<Diagnostic> found) : base(Status.NotFound, message, found)
    {
    }
  }

  /// <summary>A file is damaged or not of an MXNet format.</summary>
  public sealed class ModelFormatException : ModelException
  {
    internal ModelFormatException(string message, IReadOnlyList<Diagnostic> found) : base(Status.Format, message, found)
    {
    }
  }

  /// <summary>An operator, attribute value or type has no form in ONNX.</summary>
  public sealed class UnsupportedException : ModelException
  {
    internal UnsupportedException(string message, IReadOnlyList<Diagnostic> found) : base(Status.Unsupported, message, found)
    {
    }
  }

  /// <summary>Shapes or element types do not fit together or are not known.</summary>
  public sealed class ShapeException : ModelException
  {
    internal ShapeException(string message, IReadOnlyList<Diagnostic> found) : base(Status.Shape, message, found)
    {
    }
  }

  /// <summary>The graph needs a parameter that no file holds.</summary>
  public sealed class MissingParameterException : ModelException
  {
    internal MissingParameterException(string message, IReadOnlyList<Diagnostic> found) : base(Status.MissingParameter, message, found)
    {
    }
  }

  /// <summary>A limit of ONNX or of this library is exceeded.</summary>
  public sealed class TooLargeException : ModelException
  {
    internal TooLargeException(string message, IReadOnlyList<Diagnostic> found) : base(Status.TooLarge, message, found)
    {
    }
  }

  /// <summary>The call was cancelled.</summary>
  public sealed class CancelledException : ModelException
  {
    internal CancelledException(string message, IReadOnlyList<Diagnostic> found) : base(Status.Cancelled, message, found)
    {
    }
  }

  /// <summary>An invariant of the library does not hold; please report it.</summary>
  public sealed class InternalException : ModelException
  {
    internal InternalException(string message, IReadOnlyList<Diagnostic> found) : base(Status.Internal, message, found)
    {
    }
  }
}
