# in: trixie
# files: conda/meta.yaml libmx2onnx-*.tar.gz
# The commands of conda's recipe, with Debian's libraries in place of conda's, after its hash was compared.
apt_install gcc libc6-dev dpkg-dev meson ninja-build pkg-config libarchive-dev libjansson-dev libzip-dev python3-yaml python3-jinja2
sha256sum /with/release/libmx2onnx-*.tar.gz | grep -q "$(sed -n 's/.*sha256: //p' /with/release/conda/meta.yaml)"
python3 - >commands <<'P'
import jinja2, yaml
text = jinja2.Template(open("/with/release/conda/meta.yaml").read()).render(compiler=lambda n: "gcc", stdlib=lambda n: "libc", pin_subpackage=lambda n, **k: n)
recipe = yaml.safe_load(text)
assert recipe["source"]["url"].endswith("/libmx2onnx-%s.tar.gz" % recipe["package"]["version"])
print("\n".join(recipe["build"]["script"] + recipe["test"]["commands"]))
P
tar -xf /with/release/libmx2onnx-*.tar.gz
cd libmx2onnx-*
export PREFIX=/opt/conda MESON_ARGS="--prefix=/opt/conda --libdir=lib" PKG_CONFIG_PATH=/opt/conda/lib/pkgconfig PATH=/opt/conda/bin:$PATH
bash -e ../commands >/dev/null
mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
