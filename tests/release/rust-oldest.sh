# in: trixie
# files: rust/*.crate
# What crates.sh does, with the oldest Rust of Cargo.toml, by rustup.
export CARGO_PACKAGE=rustup RUSTUP_TOOLCHAIN
apt_install $CARGO_PACKAGE ca-certificates
RUSTUP_TOOLCHAIN=$(tar -xOf /with/release/rust/mx2onnx-sys-*.crate --wildcards '*/Cargo.toml' | sed -n 's/^rust-version = "\(.*\)"/\1.0/p')
[ "$RUSTUP_TOOLCHAIN" = 1.77.0 ]
quietly rustup toolchain install "$RUSTUP_TOOLCHAIN" --profile minimal
. /with/tests/crates.sh
[ "$(rustc --version | cut -d' ' -f2)" = "$RUSTUP_TOOLCHAIN" ]
mv "$OUT"/vendored* "$OUT/rust-1-77.onnx"
