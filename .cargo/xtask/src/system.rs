//! Programs of the operating system: a browser, Node, a software Vulkan driver.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

use crate::Outcome;
use crate::cache::Project;
use crate::process::{command, find, output, run, say};

/// Drives the browser in the end-to-end tests.
const PLAYWRIGHT: &str = "1.65.1";

/// What the end-to-end tests need on top.
pub struct Browser {
    /// The browser's program.
    pub chrome: PathBuf,
    /// The folder that Node finds our packages in.
    pub modules: PathBuf,
}

/// Everything that the end-to-end tests need.
pub fn browser_tests(project: &Project) -> Outcome<Browser> {
    Ok(Browser { chrome: chrome()?, modules: playwright(project)? })
}

fn chrome() -> Outcome<PathBuf> {
    if let Some(chosen) = std::env::var_os("CHROME").filter(|path| !path.is_empty()) {
        return Ok(chosen.into());
    }
    let look = || {
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        let mac = PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
        names.into_iter().find_map(find).or_else(|| mac.is_file().then_some(mac))
    };
    if let Some(found) = look() {
        return Ok(found);
    }
    say("the browser tests need Chromium");
    apt(&["chromium", "chromium-driver"])?;
    look().ok_or_else(|| "no Chromium found; install one and set CHROME to its program".into())
}

fn playwright(project: &Project) -> Outcome<PathBuf> {
    let modules = project.node().join("node_modules");
    let manifest = modules.join("playwright-core/package.json");
    node()?;
    let is_there = fs::read_to_string(manifest)
        .is_ok_and(|text| text.contains(&format!("\"version\": \"{PLAYWRIGHT}\"")));
    if !is_there {
        say("playwright-core drives the browser; it brings no browser of its own");
        run(command(find("npm").unwrap_or_else(|| "npm".into()))
            .args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix"])
            .arg(project.node())
            .arg(format!("playwright-core@{PLAYWRIGHT}")))?;
    }
    Ok(modules)
}

/// Sees to Node and npm.
pub fn node() -> Outcome {
    if find("node").is_some() && find("npm").is_some() {
        return Ok(());
    }
    say("Node is needed to drive the browser and to compress like a web server");
    apt(&["nodejs", "npm"])
}

/// A software Vulkan driver, so that the GPU's tests run on a machine without one. Optional.
pub fn vulkan() {
    let has = |places: &[&str], end: &str| {
        places
            .iter()
            .filter_map(|place| fs::read_dir(place).ok())
            .flatten()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().ends_with(end))
    };
    let drivers = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let loaders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    if !cfg!(target_os = "linux")
        || (has(&drivers, ".json") && has(&loaders, "libvulkan.so.1"))
        || (find("apt-get").is_some() && apt(&["mesa-vulkan-drivers", "libvulkan1"]).is_ok())
    {
        return;
    }
    say("no Vulkan driver here: the tests on a GPU will say `no adapter` and pass");
}

/// Installs packages where there is apt; elsewhere, says what to install.
pub fn apt(packages: &[&str]) -> Outcome {
    static UPDATE: Once = Once::new();
    let by_hand = format!("install {} and try again", packages.join(" "));
    if find("apt-get").is_none() {
        return Err(by_hand);
    }
    let apt_get = || -> Outcome<Command> {
        let mut apt_get = as_root("apt-get").map_err(|why| format!("{why}; {by_hand}"))?;
        apt_get.env("DEBIAN_FRONTEND", "noninteractive");
        Ok(apt_get)
    };
    let mut updated = Ok(());
    // On a bare machine the lists of packages are empty.
    UPDATE.call_once(|| updated = apt_get().and_then(|mut apt| run(apt.args(["-q", "update"]))));
    updated?;
    run(apt_get()?.args(["-qq", "install", "-y", "--no-install-recommends"]).args(packages))
        .map_err(|why| format!("{why}; {by_hand}"))
}

/// A command with the rights of root, through sudo where that is needed.
pub fn as_root(program: &str) -> Outcome<Command> {
    if output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0") {
        return Ok(command(program));
    }
    let sudo = find("sudo").ok_or_else(|| format!("`{program}` must be run as root"))?;
    let mut command = command(sudo);
    command.arg(program);
    Ok(command)
}
