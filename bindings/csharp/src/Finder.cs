// SPDX-License-Identifier: Apache-2.0
using System;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Mx2onnx
{
  /// <summary>
  /// Finds the library where only a name with its version is installed, as in packages for users: runtimes look for libmx2onnx.so,
  /// which comes with the headers. .NET asks a resolver, mono has a map of names; .NET Framework finds mx2onnx.dll by itself.
  /// </summary>
  internal static class Finder
  {
    private const string Library = "mx2onnx";
    private static readonly string[] Versioned = { "libmx2onnx.so.0", "libmx2onnx.0.dylib" };
    private static readonly object ready = Prepare();
    private static MethodInfo tryLoad; // of .NET's NativeLibrary
    private static IntPtr found;

    /// <summary>
    /// The result of a function that calls the library, perhaps before all others. Mono resolves what a method calls when it compiles
    /// the method: who calls this must not call the library in its own code.
    /// </summary>
    internal static T With<T>(Func<T> call)
    {
      GC.KeepAlive(ready);
      return call();
    }

    private static object Prepare()
    {
      Type loader = typeof(Marshal).Assembly.GetType("System.Runtime.InteropServices.NativeLibrary");
      if (loader != null)
      {
        AskResolver(loader);
      }
      else if (Type.GetType("Mono.Runtime") != null && !IsFound())
      {
        bool mac = RuntimeInformation.IsOSPlatform(OSPlatform.OSX);
        mono_dllmap_insert(IntPtr.Zero, Native.Utf8(Library), null, Native.Utf8(Versioned[mac ? 1 : 0]), null);
      }
      return loader;
    }

    private static bool IsFound()
    {
      try
      {
        Probe();
        return true;
      }
      catch (DllNotFoundException)
      {
        return false;
      }
    }

    /// <summary>A separate declaration, since mono remembers what it did not find for each.</summary>
    [DllImport(Library, EntryPoint = "mx2onnx_version_number", CallingConvention = CallingConvention.Cdecl)]
    private static extern int Probe();

    [DllImport("__Internal", CallingConvention = CallingConvention.Cdecl)]
    private static extern void mono_dllmap_insert(IntPtr image, byte[] name, byte[] function, byte[] other, byte[] otherFunction);

    private static void AskResolver(Type loader)
    {
      Type resolver = loader.Assembly.GetType("System.Runtime.InteropServices.DllImportResolver");
      MethodInfo resolve = typeof(Finder).GetMethod("Resolve", BindingFlags.NonPublic | BindingFlags.Static);
      tryLoad = loader.GetMethod(
        "TryLoad", new[] { typeof(string), typeof(Assembly), typeof(DllImportSearchPath?), typeof(IntPtr).MakeByRefType() });
      try
      {
        loader.GetMethod("SetDllImportResolver").Invoke(
          null, new object[] { typeof(Finder).Assembly, Delegate.CreateDelegate(resolver, resolve) });
      }
      catch (TargetInvocationException e) when (e.InnerException is InvalidOperationException)
      {
        // the program has these files in its own assembly, and its own resolver
      }
    }

    private static IntPtr Resolve(string name, Assembly assembly, DllImportSearchPath? path)
    {
      if (name != Library || found != IntPtr.Zero)
      {
        return name == Library ? found : IntPtr.Zero;
      }
      foreach (string candidate in new[] { Library, Versioned[0], Versioned[1] })
      {
        object[] arguments = { candidate, assembly, path, IntPtr.Zero };
        if ((bool)tryLoad.Invoke(null, arguments))
        {
          found = (IntPtr)arguments[3];
          break;
        }
      }
      return found; // none: .NET says where it has looked
    }
  }
}
