//! Programs of the operating system: a browser, Node, a software Vulkan driver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use serde_json::Value;

use crate::Outcome;
use crate::cache::Project;
use crate::process::{command, find, output, run, say};

/// An npm package and the version that we were tested with.
type Package = (&'static str, &'static str);

/// Drives the browser in the end-to-end tests, checks what it shows for accessibility, and shows the page on a slide.
const PLAYWRIGHT: [Package; 3] =
    [("playwright-core", "1.65.1"), ("axe-core", "4.14.1"), ("reveal.js", "6.0.2")];

/// Does the page's work in the same browser, for comparison.
const TENSORFLOW: [Package; 3] = [
    ("@tensorflow/tfjs", "4.22.0"),
    ("@tensorflow/tfjs-backend-wasm", "4.22.0"),
    ("@tensorflow/tfjs-backend-webgpu", "4.22.0"),
];

/// What the end-to-end tests need on top.
pub struct Browser {
    /// The browser's program.
    pub chrome: PathBuf,
    /// The folder that Node finds our packages in.
    pub modules: PathBuf,
}

/// Everything that the end-to-end tests need.
pub fn browser_tests(project: &Project) -> Outcome<Browser> {
    let chrome = chrome()?;
    packages(
        project,
        &PLAYWRIGHT,
        "playwright-core drives the browser, and brings none of its own; axe-core checks accessibility, and a deck of \
         reveal.js holds the page in a frame",
    )?;
    Ok(Browser { chrome, modules: modules(project) })
}

/// What `bench --web` compares the page with.
pub fn browser_peers(project: &Project) -> Outcome {
    packages(project, &TENSORFLOW, "TensorFlow.js is what the page is compared with; it takes 300 MB")
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

/// Firefox and WebKit's GTK port, for the tests that need no WebGPU. Optional: what is missing is skipped by name.
pub fn engines() {
    let has = |program: &str| find(program).is_some();
    let is_chosen = std::env::var_os("FIREFOX").is_some_and(|path| !path.is_empty());
    let engines = [
        ("Firefox", is_chosen || has("firefox-esr") || has("firefox"), &["firefox-esr"][..]),
        ("WebKit", has("WebKitWebDriver") && has("Xvfb"), &["webkit2gtk-driver", "xvfb"][..]),
    ];
    for (name, _, packages) in engines.iter().filter(|(_, is_there, _)| !is_there) {
        if !cfg!(target_os = "linux") || !has("apt-get") || apt(packages).is_err() {
            say(format!("no {name} here: its tests are skipped"));
        }
    }
}

fn modules(project: &Project) -> PathBuf {
    project.node().join("node_modules")
}

/// Installs npm packages into the cache, unless they are there; `why` is said before it takes a while.
fn packages(project: &Project, wanted: &[Package], why: &str) -> Outcome {
    node()?;
    if wanted.iter().all(|package| is_installed(&modules(project), package)) {
        return Ok(());
    }
    say(why);
    // What comes from npm is run in a browser or by us, never by npm itself.
    run(command(find("npm").unwrap_or_else(|| "npm".into()))
        .args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"])
        // Exactly, so that installing one package later does not move another.
        .args(["--save-exact", "--prefix"])
        .arg(project.node())
        .args(wanted.iter().map(|(name, version)| format!("{name}@{version}"))))
}

fn is_installed(modules: &Path, (name, version): &Package) -> bool {
    let manifest = fs::read(modules.join(name).join("package.json"));
    let manifest = manifest.ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    manifest.is_some_and(|manifest| manifest["version"] == *version)
}

/// Sees to Node and npm.
pub fn node() -> Outcome {
    if find("node").is_some() && find("npm").is_some() {
        return Ok(());
    }
    say("Node is needed to drive the browser and to compress like a web server");
    apt(&["nodejs", "npm"])
}

/// A software Vulkan driver on Linux, so that the GPU's tests run on a machine without a GPU. Elsewhere the system has one.
///
/// # Errors
/// Why there is none.
pub fn vulkan() -> Outcome {
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
    let is_installed = || has(&drivers, ".json") && has(&loaders, "libvulkan.so.1");
    if !cfg!(target_os = "linux") || is_installed() {
        return Ok(());
    }
    say("the tests on a GPU need a Vulkan driver; Mesa's runs on the processor");
    apt(&["mesa-vulkan-drivers", "libvulkan1"])?;
    match is_installed() {
        true => Ok(()),
        false => Err("Mesa's Vulkan driver was installed and is not where it should be".into()),
    }
}

/// The same where no driver is no failure: says why there is none.
pub fn vulkan_or_say() {
    if let Err(why) = vulkan() {
        say(format!("no Vulkan driver, so tests on a GPU are skipped: {why}"));
    }
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
    // On a bare machine the lists of packages are empty. One server that does not answer is no reason to give up.
    UPDATE.call_once(|| {
        if let Err(why) = apt_get().and_then(|mut apt| run(apt.args(["-q", "update"]))) {
            say(format!("the lists of packages were not updated: {why}"));
        }
    });
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

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn a_package_counts_as_installed_in_its_own_version_only() {
        let modules = std::env::temp_dir().join(format!("xtask-modules-{}", std::process::id()));
        let manifest = modules.join("@tensorflow/tfjs/package.json");
        crate::cache::write(manifest, "{\n  \"version\": \"4.22.0\"\n}").unwrap();
        assert!(is_installed(&modules, &("@tensorflow/tfjs", "4.22.0")));
        assert!(!is_installed(&modules, &("@tensorflow/tfjs", "4.2")));
        assert!(!is_installed(&modules, &("@tensorflow/tfjs-backend-wasm", "4.22.0")));
        fs::remove_dir_all(modules).unwrap();
    }
}
