// SPDX-License-Identifier: Apache-2.0
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Mx2onnx
{
  /// <content>
  /// Calls that take time, off the caller's thread. Until the task ends the model is in use, and other calls are an
  /// InvalidOperationException. Functions that were given to the model run on the thread of the task.
  /// </content>
  public sealed partial class Model
  {
    private int pending;
    private volatile Thread worker;

    /// <summary>A task has the model, and this is not its thread.</summary>
    private void NotElsewhere()
    {
      if (Volatile.Read(ref pending) != 0 && worker != Thread.CurrentThread)
      {
        throw new InvalidOperationException("the model is in use: await the call that is running before the next one");
      }
    }

    private async Task<T> Later<T>(CancellationToken cancel, Func<T> call)
    {
      if (inside > 0 || Interlocked.CompareExchange(ref pending, 1, 0) != 0)
      {
        throw new InvalidOperationException("the model is in use: await the call that is running before the next one");
      }
      try
      {
        return await Task.Run(() => OnThisThread(call), cancel).ConfigureAwait(false);
      }
      finally
      {
        Volatile.Write(ref pending, 0);
      }
    }

    private T OnThisThread<T>(Func<T> call)
    {
      worker = Thread.CurrentThread;
      try
      {
        return call();
      }
      finally
      {
        worker = null;
      }
    }

    /// <summary>A new model with what is at the path; see Load.</summary>
    public static async Task<Model> OpenAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      var model = new Model();
      try
      {
        return await model.LoadAsync(path, cancel).ConfigureAwait(false);
      }
      catch
      {
        model.Dispose();
        throw;
      }
    }

    /// <summary>Load, on a thread of the pool.</summary>
    public Task<Model> LoadAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Load(path, cancel));
    }

    /// <summary>Load, on a thread of the pool; the array must stay as it is.</summary>
    public Task<Model> LoadAsync(byte[] data, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Load(data, cancel));
    }

    /// <summary>Load, on a thread of the pool.</summary>
    public Task<Model> LoadAsync(Stream stream, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Load(stream, cancel));
    }

    /// <summary>LoadSymbol, on a thread of the pool.</summary>
    public Task<Model> LoadSymbolAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadSymbol(path, cancel));
    }

    /// <summary>LoadSymbol, on a thread of the pool.</summary>
    public Task<Model> LoadSymbolAsync(byte[] json, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadSymbol(json, cancel));
    }

    /// <summary>LoadParams, on a thread of the pool.</summary>
    public Task<Model> LoadParamsAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadParams(path, cancel));
    }

    /// <summary>LoadParams, on a thread of the pool; the array must stay as it is.</summary>
    public Task<Model> LoadParamsAsync(byte[] data, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadParams(data, cancel));
    }

    /// <summary>LoadParams, on a thread of the pool.</summary>
    public Task<Model> LoadParamsAsync(Stream stream, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadParams(stream, cancel));
    }

    /// <summary>LoadNet, on a thread of the pool.</summary>
    public Task<Model> LoadNetAsync([AllowNull] string name = null, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadNet(name, cancel));
    }

    /// <summary>IdentifyNet, on a thread of the pool.</summary>
    public Task<IReadOnlyList<KeyValuePair<string, string>>> IdentifyNetAsync(CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => IdentifyNet(cancel));
    }

    /// <summary>LoadCatalogue, on a thread of the pool.</summary>
    public Task<Model> LoadCatalogueAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadCatalogue(path, cancel));
    }

    /// <summary>LoadCatalogue, on a thread of the pool; the array must stay as it is.</summary>
    public Task<Model> LoadCatalogueAsync(byte[] data, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => LoadCatalogue(data, cancel));
    }

    /// <summary>CheckExternalData, on a thread of the pool.</summary>
    public Task<Model> CheckExternalDataAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => CheckExternalData(path, cancel));
    }

    /// <summary>Infer, on a thread of the pool.</summary>
    public Task<Model> InferAsync(CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Infer(cancel));
    }

    /// <summary>Export, on a thread of the pool.</summary>
    public Task<Model> ExportAsync(string path, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Export(path, cancel));
    }

    /// <summary>Export, on a thread of the pool, from which the stream is written.</summary>
    public Task<Model> ExportAsync(Stream target, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => Export(target, cancel));
    }

    /// <summary>ExportBytes, on a thread of the pool.</summary>
    public Task<byte[]> ExportBytesAsync(CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => ExportBytes(cancel));
    }

    /// <summary>GraphText, on a thread of the pool.</summary>
    public Task<string> GraphTextAsync(Graph graph = Graph.Onnx, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => GraphText(graph, cancel));
    }

    /// <summary>GraphJson, on a thread of the pool.</summary>
    public Task<string> GraphJsonAsync(Graph graph = Graph.Onnx, CancellationToken cancel = default(CancellationToken))
    {
      return Later(cancel, () => GraphJson(graph, cancel));
    }
  }
}
