//! The memory comes from outside, so that whoever runs the links sets its limit.
fn main() {
    println!("cargo::rustc-link-arg=--import-memory");
    println!("cargo::rerun-if-changed=build.rs");
}
