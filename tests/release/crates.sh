# in: trixie
# files: rust/*.crate
# cargo run of a program that asks for mx2onnx, out of a directory in place of the registry, the library compiled from the crate's sources.
apt_install "${CARGO_PACKAGE:-cargo}" gcc libc6-dev pkg-config libjansson-dev libzip-dev ca-certificates
mkdir crates unpacked
for crate in /with/release/rust/*.crate; do tar -C unpacked -xf "$crate"; done
(cd unpacked/mx2onnx-sys-* && rm -f Cargo.lock && cargo vendor -q --versioned-dirs ../../crates >/dev/null) # what its build needs of others; the lock's form may be newer than an old cargo
for crate in /with/release/rust/*.crate; do
    name=$(basename "$crate" .crate)
    cp -r "unpacked/$name" crates/
    echo "{\"files\": {}, \"package\": \"$(sha256sum <"$crate" | cut -d' ' -f1)\"}" >"crates/$name/.cargo-checksum.json"
done
mkdir -p program/src program/.cargo
cd program
printf '[source.crates-io]\nreplace-with = "here"\n[source.here]\ndirectory = "../crates"\n' >.cargo/config.toml
printf '[package]\nname = "program"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\nmx2onnx = { version = "0", features = ["vendored"] }\n' >Cargo.toml
cat >src/main.rs <<'R'
fn main() -> Result<(), mx2onnx::Error> {
    let mut m = mx2onnx::Model::open(std::env::var("DIGITS").unwrap())?;
    m.input_shape("data", [1, 1, 8, 8].map(mx2onnx::Dim::from))?;
    m.export(std::env::var("OUT").unwrap() + "/vendored.onnx")?;
    Ok(())
}
R
cargo run -q --offline
