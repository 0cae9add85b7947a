//! Tells the linker what the page's splitter needs to know, and the page which languages it has.

use std::fs;

/// Where the languages are, a table each.
const LANGUAGES: &str = "www/languages";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={LANGUAGES}");
    println!("cargo::rustc-env=VIVARIUM_LANGUAGES={}", languages().join(","));
    // Which function refers to which, for `wasm-split-cli` (`.cargo/xtask/src/split.rs`).
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm"))
        && std::env::var_os("CARGO_FEATURE_UI").is_some()
    {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
}

/// "de=Deutsch" for every table: what its file is called, and what it has for the word English.
fn languages() -> Vec<String> {
    let files = fs::read_dir(LANGUAGES).into_iter().flatten().flatten();
    let mut found: Vec<String> = files.filter_map(|file| language(&file.path())).collect();
    found.sort();
    found
}

fn language(file: &std::path::Path) -> Option<String> {
    let code = file.file_name()?.to_str()?.strip_suffix(".json")?;
    let text = fs::read_to_string(file).ok()?;
    let (_, name) = text.split_once("\"English\": \"")?;
    Some(format!("{code}={}", name.split_once('"')?.0))
}
