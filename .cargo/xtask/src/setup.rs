//! The tools of the page's build: fetched when a machine lacks them, and only then.
//!
//! # Why
//! rustup and cargo are all that a reader must install by hand. Each tool is looked for first, on
//! PATH and in our cache, so a second run costs a few process starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use toml::Value;

use crate::Outcome;
use crate::cache::{self, Project};
use crate::process::{command, find, path_with, run, run_within, say};
use crate::system::{apt, as_root};
use crate::version::{self, Version};

/// The oldest Trunk that our `index.html` was written for; a newer one wants a newer compiler.
const TRUNK: Version = Version(0, 21, 14);
/// The splitter that goes with the marks of Cargo.lock's `wasm_split_helpers`.
const SPLIT: Version = Version(0, 2, 4);
/// The target of everything that a browser runs.
pub const WASM: &str = "wasm32-unknown-unknown";

/// The compiler for WebAssembly: the default one, or one in a folder that goes first on PATH.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Toolchain(Option<PathBuf>);

impl Toolchain {
    /// A program that finds this compiler, and our tools, first.
    pub fn command(&self, project: &Project, program: &str) -> Command {
        let path = path_with(self.0.iter().cloned().chain([project.tools_bin()]));
        // The lookup of the program itself uses the PATH of the parent on some systems.
        let program = self
            .0
            .iter()
            .cloned()
            .chain([project.tools_bin()])
            .map(|bin| bin.join(program))
            .find(|file| file.is_file())
            .unwrap_or_else(|| PathBuf::from(program));
        let mut command = command(program);
        command.env("PATH", path);
        project.build_in(project.wasm_builds(), &mut command);
        if self.0.is_some() {
            // rustup's own choices must not lead this compiler back to rustup's.
            for name in ["RUSTC", "RUSTUP_TOOLCHAIN", "LD_LIBRARY_PATH"] {
                command.env_remove(name);
            }
        }
        command
    }

    /// Whether it compiles an empty WebAssembly library, which needs a matching `std`.
    fn has_std(&self, project: &Project) -> bool {
        let probe = project.cache.join("probe");
        fs::create_dir_all(&probe).is_ok()
            && self
                .command(project, "rustc")
                .args(["--target", WASM, "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
                .arg(&probe)
                .arg("-")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
    }
}

/// Everything that the page's build needs.
pub fn page(project: &Project) -> Outcome<Toolchain> {
    let toolchain = wasm_std(project)?;
    trunk(project)?;
    wasm_bindgen(project)?;
    wasm_split(project)?;
    Ok(toolchain)
}

// The standard library for WebAssembly ------------------------------------------------------------

/// A compiler for WebAssembly, which is all that the core needs.
pub fn wasm_std(project: &Project) -> Outcome<Toolchain> {
    let default = Toolchain(None);
    if default.has_std(project) {
        return Ok(default);
    }
    let system = Toolchain(Some("/usr/bin".into()));
    if system_compiler_is_new_enough(project) && system.has_std(project) {
        say("WebAssembly: the system's compiler in /usr/bin, since rustup's has no std for it");
        return Ok(system);
    }
    if find("rustup").is_some() {
        say("WebAssembly: asking rustup for the standard library");
        let mut rustup = command("rustup");
        // A machine without rustup's server should learn so soon.
        if run_within(rustup.args(["target", "add", WASM]), Duration::from_secs(60))
            && default.has_std(project)
        {
            return Ok(default);
        }
    }
    if !cfg!(target_os = "linux") || find("apt-get").is_none() {
        return Err(format!("no standard library for WebAssembly; run `rustup target add {WASM}`"));
    }
    say("WebAssembly: rustup could not, so Debian's compiler and a std built from its sources");
    apt(&["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22", "rust-web-clippy"])?;
    if !system_compiler_is_new_enough(project) {
        return Err("Debian's compiler is too old for us; rustup is needed".into());
    }
    build_std(project, &system)?;
    match system.has_std(project) {
        true => Ok(system),
        false => Err("the standard library was built, but the compiler does not accept it".into()),
    }
}

fn system_compiler_is_new_enough(project: &Project) -> bool {
    let Ok(manifest) = cache::read_toml(project.root.join("Cargo.toml")) else {
        return false;
    };
    let stated =
        |package: &Value| package.get("rust-version").and_then(Value::as_str).and_then(Version::find);
    let of_all = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
    let needed = of_all.and_then(stated).or_else(|| manifest.get("package").and_then(stated));
    Path::new("/usr/bin/cargo").is_file()
        && version::of("/usr/bin/rustc").is_some_and(|version| needed.is_none_or(|old| version >= old))
}

/// Builds `std` from the sources that Debian ships and puts it where the compiler looks for it.
fn build_std(project: &Project, toolchain: &Toolchain) -> Outcome {
    let scratch = project.wasm_std();
    cache::write(
        scratch.join("Cargo.toml"),
        "[package]\nname = \"wasm-std\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[lib]\npath = \"src/lib.rs\"\n",
    )?;
    cache::write(scratch.join("src/lib.rs"), "#![no_std]\n")?;
    let target = scratch.join("target");
    // Old libraries would be copied along with the new ones.
    let _ = fs::remove_dir_all(&target);
    run(toolchain
        .command(project, "cargo")
        .current_dir(&scratch)
        .args(["build", "--release", "-Zbuild-std=std,panic_abort,panic_unwind", "--target", WASM])
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("CARGO_BUILD_BUILD_DIR")
        // `-Zbuild-std` is all that is unstable here; the sources are the compiler's own.
        .env("RUSTC_BOOTSTRAP", "1")
        // Without it, link-time optimisation of the page fails for want of `.llvmbc`.
        .env("RUSTFLAGS", "-C embed-bitcode=yes"))?;

    let built = target.join(WASM).join("release/deps");
    let libraries: Vec<PathBuf> = fs::read_dir(&built)
        .map_err(|why| format!("cannot list {}: {why}", built.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.ends_with(".rlib") && !name.starts_with("libwasm_std-")
        })
        .collect();
    let place = format!("/usr/lib/rustlib/{WASM}/lib");
    run(as_root("mkdir")?.args(["-p", &place]))?;
    let old = fs::read_dir(&place).into_iter().flatten().flatten().map(|entry| entry.path());
    run(as_root("rm")?.arg("-f").args(old))?;
    run(as_root("cp")?.args(libraries).arg(&place))?;
    // Objects of another std do not link with this one.
    let _ = fs::remove_dir_all(project.wasm_builds());
    Ok(())
}

// Programs that cargo installs --------------------------------------------------------------------

fn trunk(project: &Project) -> Outcome {
    if installed(project, "trunk").is_some_and(|version| version >= TRUNK) {
        return Ok(());
    }
    say("Trunk bundles the page; building it takes a few minutes, once");
    // Without TLS and the update check: neither a server on this machine nor a build wants them.
    install(project, "trunk", TRUNK, &["--locked", "--no-default-features"])
}

fn wasm_bindgen(project: &Project) -> Outcome {
    let lock = cache::read_toml(project.root.join("Cargo.lock"))?;
    let needed = version::locked(&lock, "wasm-bindgen").ok_or("Cargo.lock names no wasm-bindgen")?;
    if installed(project, "wasm-bindgen") == Some(needed) {
        return Ok(());
    }
    say("wasm-bindgen writes the JavaScript side; its version must be that of Cargo.lock");
    if install(project, "wasm-bindgen-cli", needed, &["--locked"]).is_ok() {
        return Ok(());
    }
    // A mirror of the registry may lack a crate that was withdrawn after this version had locked it.
    say("its own lock file cannot be used here: with the newest versions of what it depends on instead");
    install(project, "wasm-bindgen-cli", needed, &[])
}

fn wasm_split(project: &Project) -> Outcome {
    // It does not tell its version, so cargo's list of what it installed does.
    let list = cache::read_toml(project.tools().join(".crates.toml")).unwrap_or_default();
    let installed = list.get("v1").and_then(Value::as_table);
    let wanted = format!("wasm_split_cli_support {SPLIT} ");
    if installed.is_some_and(|installed| installed.keys().any(|name| name.starts_with(&wanted))) {
        return Ok(());
    }
    say("wasm-split-cli cuts off what the page fetches after its first picture");
    install(project, "wasm_split_cli_support", SPLIT, &["--locked", "--features", "build-binary"])
}

/// The version of a program in our cache or on PATH.
fn installed(project: &Project, program: &str) -> Option<Version> {
    let ours = project.tools_bin().join(program).with_extension(std::env::consts::EXE_EXTENSION);
    version::of(if ours.is_file() { ours } else { find(program)? })
}

fn install(project: &Project, package: &str, version: Version, flags: &[&str]) -> Outcome {
    run(command("cargo")
        .args(["install", package, "--version", &version.to_string(), "--root"])
        .arg(project.tools())
        .args(flags)
        .env("CARGO_TARGET_DIR", project.tools_target())
        // These programs run for seconds: compiling them fast matters more than their speed.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0"))?;
    // Kept until now so that an interrupted installation goes on where it stopped.
    let _ = fs::remove_dir_all(project.tools_target());
    Ok(())
}
