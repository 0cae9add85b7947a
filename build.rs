//! Tells the linker what the page's splitter needs to know.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Which function refers to which, for `wasm-split-cli` (`.cargo/xtask/src/split.rs`).
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm"))
        && std::env::var_os("CARGO_FEATURE_UI").is_some()
    {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
}
