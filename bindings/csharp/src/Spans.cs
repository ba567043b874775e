// SPDX-License-Identifier: Apache-2.0
// Spans and memory of any owner in place of arrays: without a copy of the program's own. In the package for .NET 8 and later.
#if SPANS
using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Mx2onnx
{
  internal static partial class Native
  {
    internal static unsafe IntPtr Copy(ReadOnlySpan<byte> data)
    {
      IntPtr memory = Memory(data.Length);
      data.CopyTo(new Span<byte>((void*)memory, data.Length));
      return memory;
    }
  }

  public sealed partial class Param
  {
    /// <summary>Fills `to` with the bytes from `offset` on.</summary>
    public unsafe void Read(long offset, Span<byte> to)
    {
      fixed (byte* place = &MemoryMarshal.GetReference(to))
      {
        model.Check(Native.mx2onnx_param_read(model.Open(), index, (ulong)offset, (IntPtr)place, Native.Size(to.Length)));
      }
    }
  }

  public sealed partial class Input
  {
    /// <summary>Fills `to` with a parameter's bytes from `offset` on.</summary>
    public unsafe void Read(long offset, Span<byte> to)
    {
      fixed (byte* place = &MemoryMarshal.GetReference(to))
      {
        node.Check(Native.mx2onnx_node_input_read(node.Open(), index, (ulong)offset, (IntPtr)place, Native.Size(to.Length)));
      }
    }
  }

  public sealed partial class Node
  {
    /// <summary>In lower: a constant of row-major, little-endian bytes.</summary>
    public unsafe Result Constant(Dtype dtype, ReadOnlySpan<long> dims, ReadOnlySpan<byte> data)
    {
      int value;
      byte none = 0;
      fixed (byte* place = &MemoryMarshal.GetReference(data))
      using (var pinned = new Pinned())
      {
        NativeArray array = pinned.ArrayOf(dtype, dims.ToArray());
        array.Size = Native.Size(data.Length);
        array.Data = (IntPtr)(data.IsEmpty ? &none : place);
        Check(Native.mx2onnx_node_add_constant(Open(), ref array, out value));
      }
      return new Result(value);
    }
  }

  public sealed partial class Model
  {
    /// <summary>An archive, or a symbol alone.</summary>
    public Model Load(ReadOnlyMemory<byte> data, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m =>
      {
        IntPtr memory = Native.Copy(data.Span);
        return Native.mx2onnx_load_memory(m, memory, Native.Size(data.Length), memory, Native.Free);
      });
    }

    /// <summary>Load, on a thread of the pool; the memory must stay as it is.</summary>
    public Task<Model> LoadAsync(ReadOnlyMemory<byte> data, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Load(data, cancel));
    }

    /// <summary>The contents of a parameter file.</summary>
    public Model LoadParams(ReadOnlyMemory<byte> data, CancellationToken cancel = default(CancellationToken))
    {
      return Watched(cancel, m =>
      {
        IntPtr memory = Native.Copy(data.Span);
        return Native.mx2onnx_load_params_memory(m, memory, Native.Size(data.Length), memory, Native.Free);
      });
    }

    /// <summary>LoadParams, on a thread of the pool; the memory must stay as it is.</summary>
    public Task<Model> LoadParamsAsync(ReadOnlyMemory<byte> data, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadParams(data, cancel));
    }

    /// <summary>Sets the value of a parameter, or of an input that becomes a constant. Row-major, little-endian; it is copied.</summary>
    public Model SetParam(string name, Dtype dtype, ReadOnlySpan<long> dims, ReadOnlySpan<byte> data)
    {
      ModelHandle m = Open();
      byte[] text = Native.Utf8(name);
      using (var pinned = new Pinned())
      {
        NativeArray value = pinned.ArrayOf(dtype, dims.ToArray());
        value.Size = Native.Size(data.Length);
        value.Data = Native.Copy(data);
        return Check(Native.mx2onnx_set_param(m, text, ref value, value.Data, Native.Free));
      }
    }
  }
}
#endif
