# in: trixie
# files: homebrew/mx2onnx.rb libmx2onnx-*.tar.gz
# Homebrew's formula, after its hash was compared: homebrew.rb does what Homebrew does, with Debian's libraries.
apt_install ruby gcc libc6-dev dpkg-dev meson ninja-build pkg-config libjansson-dev libzip-dev python3
ruby -c /with/release/homebrew/mx2onnx.rb
quietly ruby /with/tests/homebrew.rb /with/release/homebrew/mx2onnx.rb /with/release/libmx2onnx-*.tar.gz /opt/homebrew
/opt/homebrew/bin/mx2onnx "$DIGITS" --input data=1x1x8x8 -o "$OUT/program.onnx"
