use std::env;

fn main() {
    for name in ["MX2ONNX_LIB_DIR", "MX2ONNX_STATIC"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let complete = ["../Cargo.toml", "vendor/mx2onnx.c"].iter().any(|file| std::path::Path::new(file).exists());
    assert!(complete, "this package is incomplete, it lacks vendor/mx2onnx.c: bindings/release.py makes it");
    if let Ok(folder) = env::var("MX2ONNX_LIB_DIR") {
        let kind = if env::var_os("MX2ONNX_STATIC").is_some() { "static" } else { "dylib" };
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib={kind}=mx2onnx");
    } else if cfg!(feature = "vendored") {
        vendored();
    } else if env::var_os("DOCS_RS").is_none() {
        let found = pkg_config::Config::new().range_version("0.9".."1.0").probe("mx2onnx");
        if let Err(error) = found {
            panic!("libmx2onnx is not installed, and MX2ONNX_LIB_DIR and the feature `vendored` are not used: {error}");
        }
    }
}

#[cfg(feature = "vendored")]
fn vendored() {
    println!("cargo:rerun-if-changed=vendor");
    let source = std::path::Path::new("vendor/mx2onnx.c");
    assert!(
        source.exists(),
        "vendor/mx2onnx.c is missing: `python3 bindings/vendor.py BUILD` makes it in the repository of libmx2onnx"
    );
    let mut build = cc::Build::new();
    build.file(source).include("vendor").define("MX2ONNX_STATIC", None).std("c11").warnings(false);
    for library in ["jansson", "libzip"] {
        let found = pkg_config::Config::new().cargo_metadata(false).probe(library).expect(library);
        build.includes(found.include_paths);
    }
    build.compile("mx2onnx");
    for library in ["jansson", "libzip"] {
        pkg_config::probe_library(library).expect(library); // after what needs them
    }
    if env::var("CARGO_CFG_TARGET_ENV").as_deref() != Ok("msvc") {
        println!("cargo:rustc-link-lib=m");
    }
}

#[cfg(not(feature = "vendored"))]
fn vendored() {}
