# in: bookworm
# files: nuget/*.nupkg
# The package of NuGet, unpacked as NuGet unpacks it: a program in mono, and in .NET (the runtime of PyPI's dotnetcore2).
apt_install mono-mcs mono-runtime unzip python3-venv ca-certificates libicu72
unzip -q /with/release/nuget/*.nupkg -d package
test -s package/LICENSE && test -s package/NOTICE && test -s package/runtimes/linux-x64/native/LICENSES-OF-OTHERS.txt
[ "$(find package/runtimes -name 'libmx2onnx*' -o -name mx2onnx.dll | wc -l)" = 7 ]
cat >main.cs <<'C'
using Mx2onnx;

public static class Program
{
  public static void Main(string[] args)
  {
    using (var m = new Model(System.Environment.GetEnvironmentVariable("DIGITS")))
    {
      m.SetInputShape("data", 1, 1, 8, 8);
      m.Export(args[0]);
    }
  }
}
C
cp package/lib/netstandard2.0/Mx2onnx.dll .
mcs -out:main.exe -r:Mx2onnx.dll main.cs
export LD_LIBRARY_PATH=$PWD/package/runtimes/linux-x64/native
mono main.exe "$OUT/mono.onnx"
python3 -m venv env
env/bin/pip install -q dotnetcore2
echo '{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}}}' >main.runtimeconfig.json
unset LD_LIBRARY_PATH # .NET finds the library in runtimes/, next to the assembly
mkdir app && cp -r main.exe main.runtimeconfig.json Mx2onnx.dll package/runtimes app && cd app
DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$(../env/bin/python -c 'import dotnetcore2.runtime as r; print(r.get_runtime_path())')" exec --runtimeconfig main.runtimeconfig.json main.exe "$OUT/dotnet.onnx"
