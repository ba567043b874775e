# The program and the library. Archives of tar are not read directly: Homebrew's libarchive is not where dlopen looks.
class Mx2onnx < Formula
  desc "MXNet models to ONNX, without MXNet"
  homepage "https://github.com/mx2onnx/libmx2onnx"
  url "https://github.com/mx2onnx/libmx2onnx/releases/download/v0.9.0/libmx2onnx-0.9.0.tar.gz"
  sha256 "0" # bindings/release.py writes the archive's
  license all_of: ["Apache-2.0", "Zlib", "BSD-1-Clause"]

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libzip"
  uses_from_macos "python" => :build

  def install
    system "meson", "setup", "build", "--wrap-mode=nodownload", "-Dtests=disabled", "-Dtar=disabled", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    (testpath/"net-symbol.json").write <<~JSON
      {"nodes": [{"op": "null", "name": "data", "inputs": []}, {"op": "relu", "name": "out", "inputs": [[0, 0, 0]]}],
       "arg_nodes": [0], "heads": [[1, 0, 0]]}
    JSON
    system bin/"mx2onnx", "net-symbol.json", "--input", "data=1x3", "-o", "net.onnx"
    assert_path_exists testpath/"net.onnx"
    assert_match version.to_s, shell_output("#{bin}/mx2onnx --version")
  end
end
