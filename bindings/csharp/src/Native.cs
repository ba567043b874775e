// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Mx2onnx
{
  /// <summary>A model of the library, freed once.</summary>
  internal sealed class ModelHandle : SafeHandleZeroOrMinusOneIsInvalid
  {
    internal ModelHandle(IntPtr handle) : base(true)
    {
      SetHandle(handle);
    }

    protected override bool ReleaseHandle()
    {
      Native.mx2onnx_model_free(handle);
      return true;
    }
  }

  [StructLayout(LayoutKind.Sequential)]
  internal struct NativeDiagnostic
  {
    internal UIntPtr StructSize;
    internal int Severity;
    internal int Status;
    internal IntPtr Node;
    internal IntPtr Op;
    internal IntPtr Attribute;
    internal IntPtr Name;
    internal IntPtr Message;
    internal IntPtr Advice;
  }

  [StructLayout(LayoutKind.Sequential)]
  internal struct NativeLogEntry
  {
    internal UIntPtr StructSize;
    internal int Severity;
    internal IntPtr Message;
  }

  [StructLayout(LayoutKind.Sequential)]
  internal struct NativeProgress
  {
    internal UIntPtr StructSize;
    internal int Phase;
    internal IntPtr Node;
    internal ulong Done;
    internal ulong Total;
  }

  [StructLayout(LayoutKind.Sequential)]
  internal struct NativeHandler
  {
    internal UIntPtr StructSize;
    internal UIntPtr OutputCount;
    internal int Overrides;
    internal CustomFn Infer;
    internal CustomFn Lower;
    internal OutputsFn CountOutputs;
  }

  [StructLayout(LayoutKind.Sequential)]
  internal struct NativeArray
  {
    internal UIntPtr StructSize;
    internal int Dtype;
    internal int Rank;
    internal IntPtr Dims;
    internal IntPtr Data;
    internal UIntPtr Size;
  }

  [StructLayout(LayoutKind.Sequential)]
  internal struct NativeOnnxNode
  {
    internal UIntPtr StructSize;
    internal IntPtr OpType;
    internal IntPtr Domain;
    internal IntPtr Attributes;
    internal UIntPtr InputCount;
    internal IntPtr Inputs;
    internal UIntPtr OutputCount;
  }

  /// <summary>Arrays and texts that stay where they are during a call.</summary>
  internal sealed class Pinned : IDisposable
  {
    private readonly List<GCHandle> handles = new List<GCHandle>();

    internal IntPtr Pin(Array array)
    {
      handles.Add(GCHandle.Alloc(array, GCHandleType.Pinned));
      return handles[handles.Count - 1].AddrOfPinnedObject();
    }

    internal IntPtr Text(string text)
    {
      return text == null ? IntPtr.Zero : Pin(Native.Utf8(text));
    }

    /// <summary>An array without its data.</summary>
    internal NativeArray ArrayOf(Dtype dtype, long[] dims)
    {
      return new NativeArray
      {
        StructSize = Native.Size(Marshal.SizeOf(typeof(NativeArray))),
        Dtype = (int)dtype,
        Rank = dims.Length,
        Dims = Pin(dims.Length == 0 ? new long[1] : dims)
      };
    }

    public void Dispose()
    {
      handles.ForEach(h => h.Free());
    }
  }

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate void LogFn(ref NativeLogEntry entry, IntPtr user);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate int ProgressFn(ref NativeProgress progress, IntPtr user);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate int ReadFn(ulong offset, IntPtr buffer, UIntPtr size, IntPtr user);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate int WriteFn(IntPtr data, UIntPtr size, IntPtr user);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate int CustomFn(IntPtr node, IntPtr user);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate UIntPtr OutputsFn(IntPtr node, IntPtr user);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  internal delegate void ReleaseFn(IntPtr user);

  /// <summary>The functions of include/mx2onnx.h. Texts are UTF-8 with a NUL.</summary>
  internal static partial class Native
  {
    private const string Library = "mx2onnx";

    /// <summary>Releases what Copy gave.</summary>
    internal static readonly ReleaseFn Free = memory => mx2onnx_memory_free(memory);

    private static readonly Encoding Strict = new UTF8Encoding(false, true);

    /// <summary>A text for C, which reads up to a NUL; half of a surrogate pair is an ArgumentException too.</summary>
    internal static byte[] Utf8(string text)
    {
      if (text != null && text.IndexOf('\0') >= 0)
      {
        throw new ArgumentException("a text must not contain a NUL character: '" + text.Replace("\0", "\\0") + "'");
      }
      return text == null ? null : Strict.GetBytes(text + "\0");
    }

    internal static UIntPtr Size(long size)
    {
      if (size < 0)
      {
        throw new ArgumentOutOfRangeException("size", size, "a count, a size or an axis must not be negative");
      }
      return new UIntPtr((ulong)size);
    }

    /// <summary>A copy of a text of the library; null for NULL.</summary>
    internal static string Text(IntPtr text)
    {
      if (text == IntPtr.Zero)
      {
        return null;
      }
      int length = 0;
      while (Marshal.ReadByte(text, length) != 0)
      {
        length++;
      }
      var bytes = new byte[length];
      Marshal.Copy(text, bytes, 0, length);
      return Encoding.UTF8.GetString(bytes);
    }

    internal static IntPtr Memory(long size)
    {
      IntPtr memory = mx2onnx_memory_new(Size(Math.Max(1, size)));
      if (memory == IntPtr.Zero)
      {
        throw new OutOfMemoryException();
      }
      return memory;
    }

    internal static IntPtr Copy(byte[] data)
    {
      IntPtr memory = Memory(data.Length);
      Marshal.Copy(data, 0, memory, data.Length);
      return memory;
    }

    /// <summary>So many of `all` bytes, from byte `offset` on.</summary>
    internal static byte[] Read(long offset, long size, ulong all, Action<IntPtr, UIntPtr> read)
    {
      if (offset < 0 || (ulong)offset > all)
      {
        throw new ArgumentOutOfRangeException("offset", offset, "there are " + all + " bytes");
      }
      if (size < 0 || (ulong)size > all - (ulong)offset)
      {
        throw new ArgumentOutOfRangeException("size", size, "from byte " + offset + " on there are " + (all - (ulong)offset) + " bytes");
      }
      var bytes = new byte[size];
      IntPtr memory = Memory(bytes.Length);
      try
      {
        read(memory, Size(bytes.Length));
        Marshal.Copy(memory, bytes, 0, bytes.Length);
        return bytes;
      }
      finally
      {
        mx2onnx_memory_free(memory);
      }
    }

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_status_name(int status);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_status_text(int status);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_version();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_version_number();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_has_feature(int feature);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_dtype_name(int dtype);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_dtype_from_name(byte[] name);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_model_new(out IntPtr result);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern void mx2onnx_model_free(IntPtr m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_model_reset(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_memory_new(UIntPtr size);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern void mx2onnx_memory_free(IntPtr data);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load(ModelHandle m, byte[] path);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_memory(ModelHandle m, IntPtr data, UIntPtr size, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_callback(ModelHandle m, ulong size, ReadFn read, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_symbol_file(ModelHandle m, byte[] path);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_symbol_memory(ModelHandle m, byte[] data, UIntPtr size);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_params_file(ModelHandle m, byte[] path);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_params_memory(ModelHandle m, IntPtr data, UIntPtr size, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_params_callback(ModelHandle m, ulong size, ReadFn read, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_net(ModelHandle m, byte[] name);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_identify_net(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_candidate_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_candidate_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_candidate_title(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_net_title(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_use_published(ModelHandle m, int what);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_catalogue_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_catalogue_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_catalogue_text(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_catalogue_json(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_catalogue_file(ModelHandle m, byte[] path);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_load_catalogue_memory(ModelHandle m, byte[] data, UIntPtr size);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_remove_param(ModelHandle m, byte[] name);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_param(ModelHandle m, byte[] name, ref NativeArray value, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_shape(ModelHandle m, byte[] input, int rank, long[] dims, IntPtr[] dim_names);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_dim_name(ModelHandle m, byte[] input, UIntPtr axis, byte[] dim_name);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_dtype(ModelHandle m, byte[] input, int dtype);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_channels_last(ModelHandle m, byte[] input, int on);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_channels_reversed(ModelHandle m, byte[] input, int on);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_mean(ModelHandle m, byte[] input, UIntPtr n, double[] mean);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_input_scale(ModelHandle m, byte[] input, UIntPtr n, double[] scale);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_input_shape(ModelHandle m, byte[] input, out int rank);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_input_dim_name(ModelHandle m, byte[] input, UIntPtr axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_get_input_dtype(ModelHandle m, byte[] input);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_rename(ModelHandle m, byte[] from);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_get_input_channels_last(ModelHandle m, byte[] input);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_get_input_channels_reversed(ModelHandle m, byte[] input);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_input_mean(ModelHandle m, byte[] input, out UIntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_input_scale(ModelHandle m, byte[] input, out UIntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_add_output(ModelHandle m, byte[] name);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_clear_outputs(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_rename(ModelHandle m, byte[] from, byte[] to);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_target_count();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_target_name(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_target_text(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_option(ModelHandle m, int option, long value);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern long mx2onnx_get_option(ModelHandle m, int option);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_reset_option(ModelHandle m, int option);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_text(ModelHandle m, int which, byte[] text);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_text(ModelHandle m, int which);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_domain_version(ModelHandle m, byte[] domain, int version);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_get_domain_version(ModelHandle m, byte[] domain);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_metadata(ModelHandle m, byte[] key, byte[] value);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_get_metadata(ModelHandle m, byte[] key);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_metadata_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_metadata_key(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_opset_min();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_opset_max();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_opset_default();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_check_external_data(ModelHandle m, byte[] path);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_node_precision(ModelHandle m, byte[] name, int precision);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_get_node_precision(ModelHandle m, byte[] name);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_log(ModelHandle m, int least, LogFn fn, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_progress(ModelHandle m, ProgressFn fn, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern void mx2onnx_cancel(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_custom_operator(ModelHandle m, byte[] name, ref NativeHandler handler, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_set_custom_operator(ModelHandle m, byte[] name, IntPtr none, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_name(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_operator(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_opset(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_domain(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_attribute(IntPtr n, byte[] key);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_node_attribute_count(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_attribute_key(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_attribute_value(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_node_output_count(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_node_input_count(IntPtr n);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_node_input_name(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_input_dtype(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_input_rank(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern long mx2onnx_node_input_dim(IntPtr n, UIntPtr i, UIntPtr axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_input_stored_dtype(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern ulong mx2onnx_node_input_size(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_input_read(IntPtr n, UIntPtr i, ulong offset, IntPtr result, UIntPtr size);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_fail(IntPtr n, byte[] message);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_set_output_like(IntPtr n, UIntPtr output, UIntPtr input);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_set_output(IntPtr n, UIntPtr output, int dtype, int rank, long[] dims);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_set_output_dim(IntPtr n, UIntPtr output, UIntPtr axis, UIntPtr input, UIntPtr input_axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_input_value(IntPtr n, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_add_constant(IntPtr n, ref NativeArray array, out int value);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_add(IntPtr n, ref NativeOnnxNode node, [Out] int[] outputs);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_node_set_result(IntPtr n, UIntPtr output, int value);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_infer(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_input_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_input_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_input_dtype(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_input_rank(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern long mx2onnx_input_dim(ModelHandle m, UIntPtr i, UIntPtr axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_input_dim_name(ModelHandle m, UIntPtr i, UIntPtr axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_variable_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_variable_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_variable_kind(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_output_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_output_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_output_dtype(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_output_rank(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern long mx2onnx_output_dim(ModelHandle m, UIntPtr i, UIntPtr axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_output_dim_name(ModelHandle m, UIntPtr i, UIntPtr axis);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_param_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_param_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_param_dtype(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_param_rank(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_param_dims(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern ulong mx2onnx_param_size(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_param_used(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_param_read(ModelHandle m, UIntPtr i, ulong offset, IntPtr result, UIntPtr size);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_operator_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_operator_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_operator_node_count(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_operator_supported(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_known_operator_count();

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_known_operator_name(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_known_operator_aliases(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_known_operator_opset(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_known_operator_status(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_known_operator_refuses(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_known_operator_differs(UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_export_file(ModelHandle m, byte[] path);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_export_memory(ModelHandle m, out IntPtr data, out UIntPtr size);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_export_callback(ModelHandle m, WriteFn fn, IntPtr user, ReleaseFn release);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_diagnostic_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_diagnostic_get(ModelHandle m, UIntPtr i, ref NativeDiagnostic result);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_error(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_written_opset(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_written_node_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern ulong mx2onnx_written_size(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern UIntPtr mx2onnx_written_file_count(ModelHandle m);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern IntPtr mx2onnx_written_file_name(ModelHandle m, UIntPtr i);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_report_json(ModelHandle m, out IntPtr result);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_graph_text(ModelHandle m, int graph, out IntPtr result);

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
    internal static extern int mx2onnx_graph_json(ModelHandle m, int graph, out IntPtr result);
  }
}
