# in: bookworm
# files: nuget/*.nupkg
# The package of NuGet in its folder of packages: a program in mono, and in .NET (the runtime of PyPI's dotnetcore2).
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
# What the SDK writes for a program with the package, in NuGet's folder of packages: .NET takes the library of its platform from there.
unset LD_LIBRARY_PATH
version=$(basename /with/release/nuget/*.nupkg .nupkg | cut -d. -f2-)
mkdir -p app nuget/mx2onnx
mv package "nuget/mx2onnx/$version"
cp main.exe main.runtimeconfig.json app
cat >app/main.deps.json <<J
{"runtimeTarget": {"name": ".NETCoreApp,Version=v3.1"},
 "targets": {".NETCoreApp,Version=v3.1": {
   "main/1.0.0": {"dependencies": {"Mx2onnx": "$version"}, "runtime": {"main.exe": {}}},
   "Mx2onnx/$version": {"runtime": {"lib/netstandard2.0/Mx2onnx.dll": {}},
                     "runtimeTargets": {"runtimes/linux-x64/native/libmx2onnx.so": {"rid": "linux-x64", "assetType": "native"}}}}},
 "libraries": {"main/1.0.0": {"type": "project", "serviceable": false, "sha512": ""},
               "Mx2onnx/$version": {"type": "package", "serviceable": true, "sha512": "", "path": "mx2onnx/$version"}}}
J
dotnet=$(env/bin/python -c 'import dotnetcore2.runtime as r; print(r.get_runtime_path())')
DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$dotnet" exec --depsfile app/main.deps.json --runtimeconfig app/main.runtimeconfig.json \
    --additionalprobingpath "$PWD/nuget" app/main.exe "$OUT/dotnet.onnx"
