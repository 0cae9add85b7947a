//! Cuts the page's program in two: what the first picture needs, and what is fetched after it.
//!
//! # Why
//! Everybody waits for the first part. `src/app/shell/second_module.rs` marks where the second begins;
//! `wasm-split-cli` moves whatever is reached through that mark alone into a file of its own. Trunk
//! knows nothing of it, so this is its hook (`Trunk.toml`): it has bundled the program as a whole by
//! then, and we put the two parts in its place. The stories, of which every lab has its own, come along.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::cache::{self, Project};
use crate::process::run;
use crate::setup::Toolchain;
use crate::{Outcome, wasm, web};

/// The binary that is cut, and the mark in it.
const BIN: &str = "app";
const MARK: &str = "later";

/// How the loader of the second part compiles it, as `wasm-split-cli` writes it: only of the type application/wasm.
const STREAMED: &str = "WebAssembly.instantiateStreaming(src, imports)";
/// How the page compiles the second part instead, of any type: not every host knows the type of WebAssembly.
const OF_ANY_TYPE: &str = "src.then(async (response) => response.headers.get(\"content-type\")?.startsWith(\"application/wasm\") ? WebAssembly.instantiateStreaming(response, imports) : WebAssembly.instantiate(await response.arrayBuffer(), imports))";

/// Replaces the page's program in Trunk's staging folder by its two parts.
pub fn split(project: &Project) -> Outcome {
    let staging = env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from).ok_or("only Trunk calls this")?;
    let bundle = web::bundles(project)?.into_iter().find(|bundle| bundle.bin == BIN);
    let profile = bundle.ok_or("www/index.html names no program `app`")?.profile;
    let whole = project.target().join("wasm32-unknown-unknown").join(profile).join(format!("{BIN}.wasm"));
    let name = page_name(&staging)?;

    let scratch = project.target().join("split");
    let _ = fs::remove_dir_all(&scratch);
    // Neither program is the compiler's, so any toolchain finds them.
    let tool = |program: &str| Toolchain::default().command(project, program);
    run(tool("wasm-split-cli").arg(whole).arg(&scratch).args(["--target", "web", "--out-name", &name]))?;
    // The second part shares memory and table with the first, which must therefore export them.
    run(tool("wasm-bindgen")
        .arg(scratch.join(format!("{name}.wasm")))
        .args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", &name, "--out-dir"])
        .arg(&staging))?;

    let script = staging.join(format!("{name}.js"));
    // A name for every build, so that no browser pairs parts of two builds.
    let link = format!("{name}_{MARK}.js");
    let part = format!("{name}_{MARK}.wasm");
    // Only where it is imported from: the first part itself still asks for the old name.
    let import = |file: &str| format!("from \"./{file}\"");
    cache::write(&script, renamed(&cache::read(&script)?, &import("__wasm_split.js"), &import(&link))?)?;
    let loader = renamed(&cache::read(scratch.join("__wasm_split.js"))?, STREAMED, OF_ANY_TYPE)?;
    cache::write(staging.join(&link), renamed(&loader, &format!("split_{MARK}.wasm"), &part)?)?;
    fs::copy(scratch.join(format!("split_{MARK}.wasm")), staging.join(&part))
        .map_err(|why| format!("cannot copy the second part: {why}"))?;
    // The page's script imports the loader: asked for at once, it costs no round trip of its own.
    let index = staging.join("index.html");
    cache::write(&index, preloaded(&cache::read(&index)?, &name, &link)?)?;
    stories(project, &staging)?;
    wasm::strip_names(&staging)
}

/// Puts the stories of all labs into one folder of the page.
fn stories(project: &Project, staging: &Path) -> Outcome {
    let broken = |why: std::io::Error| format!("cannot copy the stories: {why}");
    let to = staging.join("stories");
    fs::create_dir_all(&to).map_err(broken)?;
    for lab in fs::read_dir(project.root.join("src/labs")).map_err(broken)?.flatten() {
        for story in fs::read_dir(lab.path().join("stories")).into_iter().flatten().flatten() {
            fs::copy(story.path(), to.join(story.file_name())).map_err(broken)?;
        }
    }
    Ok(())
}

/// `app-` with the hash that Trunk put into the name of the page's script.
fn page_name(staging: &Path) -> Outcome<String> {
    let entries = fs::read_dir(staging).map_err(|why| format!("{}: {why}", staging.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .filter_map(|name| name.strip_suffix(".js").map(String::from))
        .find(|name| name.starts_with(&format!("{BIN}-")) && !name.ends_with(MARK))
        .ok_or_else(|| format!("Trunk left no {BIN}-….js"))
}

fn renamed(text: &str, from: &str, to: &str) -> Outcome<String> {
    match text.contains(from) {
        true => Ok(text.replace(from, to)),
        false => Err(format!("nothing names {from}; does wasm-split-cli write other files now?")),
    }
}

/// The page that asks for `link` beside the script called `name`.
fn preloaded(html: &str, name: &str, link: &str) -> Outcome<String> {
    let file = format!("{name}.js\">");
    let (before, after) =
        html.split_once(&file).ok_or_else(|| format!("index.html preloads no {name}.js"))?;
    let tag = before.rfind('<').map(|at| &before[at..]).ok_or("index.html preloads its script in no tag")?;
    Ok(format!("{before}{file}{tag}{link}\">{after}"))
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn the_page_is_found_among_trunks_files() {
        let staging = env::temp_dir().join(format!("vivarium-split-{}", std::process::id()));
        fs::create_dir_all(&staging).unwrap();
        assert!(page_name(&staging).is_err());
        for name in ["worker.js", "app-12ab_bg.wasm", "app-12ab_later.js", "app-12ab.js"] {
            fs::write(staging.join(name), "").unwrap();
        }
        assert_eq!(page_name(&staging).as_deref(), Ok("app-12ab"));
        fs::remove_dir_all(staging).unwrap();
    }

    #[test]
    fn the_loader_is_preloaded_next_to_the_script() {
        let html = "<head><link rel=\"modulepreload\" href=\"./app-1.js\"><script data-js=\"./app-1.js\">";
        let tag = "<link rel=\"modulepreload\" href=\"./";
        let wanted = format!("<head>{tag}app-1.js\">{tag}app-1_later.js\"><script data-js=\"./app-1.js\">");
        assert_eq!(preloaded(html, "app-1", "app-1_later.js"), Ok(wanted));
        assert!(preloaded("<head>", "app-1", "app-1_later.js").is_err());
    }

    #[test]
    fn the_second_part_is_loaded_whatever_type_the_host_sends() {
        let loader = format!("return async (imports) => ({STREAMED});");
        let written = renamed(&loader, STREAMED, OF_ANY_TYPE).unwrap();
        assert!(
            written.contains("WebAssembly.instantiate(await response.arrayBuffer(), imports)"),
            "{written}"
        );
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error() {
        assert_eq!(renamed("import \"./a.js\"", "a.js", "b.js").as_deref(), Ok("import \"./b.js\""));
        assert!(renamed("", "a.js", "b.js").is_err());
    }
}
