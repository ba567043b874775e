// SPDX-License-Identifier: Apache-2.0
using System;
using System.Diagnostics.CodeAnalysis;

namespace Mx2onnx
{
  /// <summary>A choice that is a number; a switch is 0 or 1. Each is a property of Model, too.</summary>
  public enum Option
  {
    /// <summary>The opset to write; 0, the default: 17, or the oldest above it that the model needs; for a target that does not read 17, the newest that it reads.</summary>
    Opset = 1,
    /// <summary>A Float16Mode.</summary>
    Float16 = 2,
    /// <summary>Switch: indices of Embedding and take are inside their tables, so a Clip is not written.</summary>
    TrustIndices = 3,
    /// <summary>Switch: a BatchNorm after a convolution stays a node and is not folded into the weights.</summary>
    KeepBatchNorm = 4,
    /// <summary>Switch: parameters are graph inputs, too.</summary>
    InitializersAsInputs = 5,
    /// <summary>The seed of random operators; -1, the default, leaves it to the runtime.</summary>
    Seed = 6,
    /// <summary>An ExternalData.</summary>
    ExternalData = 7,
    /// <summary>The least bytes of an array that is stored outside of the model file.</summary>
    ExternalThreshold = 8,
    /// <summary>Switch: checksums are of all bytes, not of samples.</summary>
    FullChecksum = 9,
    /// <summary>Switch: files are flushed to the disk before they get their names.</summary>
    Fsync = 10,
    /// <summary>The number of classes of published models that later loads consider; 0, the default: read from the parameters.</summary>
    Classes = 11,
    /// <summary>The side of the square images of a published segmentation model; 0, the default: as published.</summary>
    Crop = 12,
    /// <summary>The number of segments of a published video model; 0, the default: as published.</summary>
    Segments = 13,
    /// <summary>The number of words of a published language model; 0, the default: read from the parameters.</summary>
    Vocabulary = 14,
    /// <summary>The limit of bytes used by the graph and its constants.</summary>
    MemoryLimit = 15,
    /// <summary>The limit of bytes of unpacked archives and sparse arrays.</summary>
    ExpansionLimit = 16,
    /// <summary>The limit of ONNX nodes that an export writes.</summary>
    NodesLimit = 17,
    /// <summary>The limit of bytes that an export writes.</summary>
    OutputLimit = 18,
    /// <summary>1: a factor of an input is merged into the first convolution, too.</summary>
    FoldInputScale = 19,
    /// <summary>1: each ONNX node's metadata name the MXNet node that it comes from, and its operator.</summary>
    NodeMetadata = 20,
    /// <summary>1: arrays with the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order.</summary>
    StructuralNames = 21
  }

  /// <summary>A choice that is a text. Each is a property of Model, too.</summary>
  public enum TextOption
  {
    /// <summary>The program that will read the file, if it does not read all of ONNX; see targets.</summary>
    Target = 1,
    /// <summary>The domain in which unknown operators are written.</summary>
    UnknownDomain = 2,
    /// <summary>A prefix to ignore when names of the symbol and of the parameter files are matched.</summary>
    ParamPrefix = 3,
    /// <summary>The producer_name of the ONNX model.</summary>
    Producer = 4,
    /// <summary>The doc_string of the ONNX model.</summary>
    DocString = 5,
    /// <summary>The name of the side file for weights, without a folder.</summary>
    SideFile = 6,
    /// <summary>The name, in messages, of bytes and streams that are loaded after it is set.</summary>
    SourceName = 7
  }

  /// <content>Choices as properties.</content>
  public sealed partial class Model
  {
    /// <summary>Sets a choice that is a number.</summary>
    public Model SetOption(Option which, long value)
    {
      return Check(Native.mx2onnx_set_option(Open(), (int)which, value));
    }

    /// <summary>The value that a choice has.</summary>
    public long GetOption(Option which)
    {
      return Native.mx2onnx_get_option(Open(), (int)which);
    }

    /// <summary>Gives a choice its default value.</summary>
    public Model ResetOption(Option which)
    {
      return Check(Native.mx2onnx_reset_option(Open(), (int)which));
    }

    /// <summary>Sets a choice that is a text; null is its default.</summary>
    public Model SetText(TextOption which, [AllowNull] string text)
    {
      return Check(Native.mx2onnx_set_text(Open(), (int)which, Native.Utf8(text)));
    }

    /// <summary>The text that was set; null for the default.</summary>
    [return: MaybeNull]
    public string GetText(TextOption which)
    {
      return Native.Text(Native.mx2onnx_get_text(Open(), (int)which));
    }

    private int? Maybe(Option which, long none)
    {
      long value = GetOption(which);
      return value == none ? (int?)null : (int)value;
    }

    private void SetOrReset(Option which, int? value)
    {
      if (value.HasValue)
      {
        SetOption(which, value.Value);
      }
      else
      {
        ResetOption(which);
      }
    }

    /// <summary>The opset to write; null: 17, or the oldest above it that the model needs; for a target that does not read 17, the newest that it reads.</summary>
    public int? Opset
    {
      get { return Maybe(Option.Opset, 0); }
      set { SetOrReset(Option.Opset, value); }
    }

    /// <summary>A model of half the size.</summary>
    public Float16Mode Float16
    {
      get { return (Float16Mode)GetOption(Option.Float16); }
      set { SetOption(Option.Float16, (long)value); }
    }

    /// <summary>Indices of Embedding and take are inside their tables, so a Clip is not written.</summary>
    public bool TrustIndices
    {
      get { return GetOption(Option.TrustIndices) != 0; }
      set { SetOption(Option.TrustIndices, value ? 1 : 0); }
    }

    /// <summary>A BatchNorm after a convolution stays a node and is not folded into the weights.</summary>
    public bool KeepBatchNorm
    {
      get { return GetOption(Option.KeepBatchNorm) != 0; }
      set { SetOption(Option.KeepBatchNorm, value ? 1 : 0); }
    }

    /// <summary>Parameters are graph inputs, too.</summary>
    public bool InitializersAsInputs
    {
      get { return GetOption(Option.InitializersAsInputs) != 0; }
      set { SetOption(Option.InitializersAsInputs, value ? 1 : 0); }
    }

    /// <summary>The seed of random operators; null: the runtime chooses one.</summary>
    public int? Seed
    {
      get { return Maybe(Option.Seed, -1); }
      set { SetOrReset(Option.Seed, value); }
    }

    /// <summary>Where the weights go.</summary>
    public ExternalData ExternalData
    {
      get { return (ExternalData)GetOption(Option.ExternalData); }
      set { SetOption(Option.ExternalData, (long)value); }
    }

    /// <summary>The least bytes of an array that is stored outside of the model file.</summary>
    public long ExternalThreshold
    {
      get { return GetOption(Option.ExternalThreshold); }
      set { SetOption(Option.ExternalThreshold, value); }
    }

    /// <summary>Checksums are of all bytes, not of samples.</summary>
    public bool FullChecksum
    {
      get { return GetOption(Option.FullChecksum) != 0; }
      set { SetOption(Option.FullChecksum, value ? 1 : 0); }
    }

    /// <summary>Files are flushed to the disk before they get their names.</summary>
    public bool Fsync
    {
      get { return GetOption(Option.Fsync) != 0; }
      set { SetOption(Option.Fsync, value ? 1 : 0); }
    }

    /// <summary>The number of classes of published models that later loads consider; 0, the default: read from the parameters.</summary>
    public long Classes
    {
      get { return GetOption(Option.Classes); }
      set { SetOption(Option.Classes, value); }
    }

    /// <summary>The side of the square images of a published segmentation model; 0, the default: as published.</summary>
    public long Crop
    {
      get { return GetOption(Option.Crop); }
      set { SetOption(Option.Crop, value); }
    }

    /// <summary>The number of segments of a published video model; 0, the default: as published.</summary>
    public long Segments
    {
      get { return GetOption(Option.Segments); }
      set { SetOption(Option.Segments, value); }
    }

    /// <summary>The number of words of a published language model; 0, the default: read from the parameters.</summary>
    public long Vocabulary
    {
      get { return GetOption(Option.Vocabulary); }
      set { SetOption(Option.Vocabulary, value); }
    }

    /// <summary>The limit of bytes used by the graph and its constants.</summary>
    public long MemoryLimit
    {
      get { return GetOption(Option.MemoryLimit); }
      set { SetOption(Option.MemoryLimit, value); }
    }

    /// <summary>The limit of bytes of unpacked archives and sparse arrays.</summary>
    public long ExpansionLimit
    {
      get { return GetOption(Option.ExpansionLimit); }
      set { SetOption(Option.ExpansionLimit, value); }
    }

    /// <summary>The limit of ONNX nodes that an export writes.</summary>
    public long NodesLimit
    {
      get { return GetOption(Option.NodesLimit); }
      set { SetOption(Option.NodesLimit, value); }
    }

    /// <summary>The limit of bytes that an export writes.</summary>
    public long OutputLimit
    {
      get { return GetOption(Option.OutputLimit); }
      set { SetOption(Option.OutputLimit, value); }
    }

    /// <summary>A factor of an input is merged into the first convolution, too.</summary>
    public bool FoldInputScale
    {
      get { return GetOption(Option.FoldInputScale) != 0; }
      set { SetOption(Option.FoldInputScale, value ? 1 : 0); }
    }

    /// <summary>Each ONNX node's metadata name the MXNet node that it comes from, and its operator.</summary>
    public bool NodeMetadata
    {
      get { return GetOption(Option.NodeMetadata) != 0; }
      set { SetOption(Option.NodeMetadata, value ? 1 : 0); }
    }

    /// <summary>Arrays with the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order.</summary>
    public bool StructuralNames
    {
      get { return GetOption(Option.StructuralNames) != 0; }
      set { SetOption(Option.StructuralNames, value ? 1 : 0); }
    }

    /// <summary>The program that will read the file, if it does not read all of ONNX; see Library.Targets; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string Target
    {
      get { return GetText(TextOption.Target); }
      set { SetText(TextOption.Target, value); }
    }

    /// <summary>The domain in which unknown operators are written; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string UnknownDomain
    {
      get { return GetText(TextOption.UnknownDomain); }
      set { SetText(TextOption.UnknownDomain, value); }
    }

    /// <summary>A prefix to ignore when names of the symbol and of the parameter files are matched; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string ParamPrefix
    {
      get { return GetText(TextOption.ParamPrefix); }
      set { SetText(TextOption.ParamPrefix, value); }
    }

    /// <summary>The producer_name of the ONNX model; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string Producer
    {
      get { return GetText(TextOption.Producer); }
      set { SetText(TextOption.Producer, value); }
    }

    /// <summary>The doc_string of the ONNX model; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string DocString
    {
      get { return GetText(TextOption.DocString); }
      set { SetText(TextOption.DocString, value); }
    }

    /// <summary>The name of the side file for weights, without a folder; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string SideFile
    {
      get { return GetText(TextOption.SideFile); }
      set { SetText(TextOption.SideFile, value); }
    }

    /// <summary>The name, in messages, of bytes and streams that are loaded after it is set; null is the default.</summary>
    [AllowNull, MaybeNull]
    public string SourceName
    {
      get { return GetText(TextOption.SourceName); }
      set { SetText(TextOption.SourceName, value); }
    }
  }
}
