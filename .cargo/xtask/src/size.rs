//! What a visitor must download, against a budget.

use std::collections::BTreeMap;
use std::fs;

use toml::{Table, Value};

use crate::Outcome;
use crate::cache::{self, Project};
use crate::process::{command, output};
use crate::system;

const BUDGET: &str = ".cargo/size-budget.toml";

/// Node has both compressors built in, so nothing more needs to be installed.
const COMPRESS: &str = r#"
const fs = require("node:fs"), zlib = require("node:zlib");
for (const file of process.argv.slice(1)) {
  const raw = fs.readFileSync(file);
  const brotli = zlib.brotliCompressSync(raw, { params: {
    [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
  } });
  console.log(raw.length, zlib.gzipSync(raw, { level: 9 }).length, brotli.length);
}"#;

/// Prints the sizes of the page's wasm, script and style files; an error if one is over its budget.
pub fn check(project: &Project) -> Outcome {
    let budgets = budgets(&cache::read_toml(project.root.join(BUDGET))?)?;
    let mut files: Vec<_> = fs::read_dir(project.dist())
        .map_err(|_| "no page in dist; run `cargo xtask build`")?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| {
            let end = file.extension().and_then(|end| end.to_str()).unwrap_or_default();
            ["wasm", "js", "css"].contains(&end)
        })
        .collect();
    files.sort();
    system::node()?;
    let sizes = output(command("node").args(["-e", COMPRESS, "--"]).args(&files))
        .ok_or("node could not compress the files of dist")?;

    println!("{:<24}{:>10}{:>10}{:>10}{:>10}", "KiB", "raw", "gzip", "brotli", "budget");
    let mut over = Vec::new();
    for (file, line) in files.iter().zip(sizes.lines()) {
        let name = plain_name(&file.file_name().unwrap_or_default().to_string_lossy());
        let kib: Vec<f64> =
            line.split(' ').filter_map(|size| Some(size.parse::<f64>().ok()? / 1024.0)).collect();
        let &[raw, gzip, brotli] = kib.as_slice() else {
            return Err(format!("node said {line}"));
        };
        let budget = budgets.get(&name);
        let shown = budget.map_or("none".into(), |budget| format!("{budget:.0}"));
        println!("{name:<24}{raw:>10.1}{gzip:>10.1}{brotli:>10.1}{shown:>10}");
        if budget.is_none_or(|budget| brotli > *budget) {
            over.push(name);
        }
    }
    match over.as_slice() {
        [] => Ok(()),
        names => Err(format!(
            "over budget: {}; make it smaller, or say in {BUDGET} why it may grow",
            names.join(", ")
        )),
    }
}

/// A file name without the hash that Trunk puts into it.
fn plain_name(name: &str) -> String {
    let is_hash =
        |part: &str| part.len() >= 12 && part.len() <= 16 && part.chars().all(|it| it.is_ascii_hexdigit());
    let mut plain = name.to_string();
    for part in name.split(['-', '.', '_']).filter(|part| is_hash(part)) {
        plain = plain.replace(&format!("-{part}"), "");
    }
    plain
}

/// The limits by name of file, in KiB after compression.
fn budgets(file: &Table) -> Outcome<BTreeMap<String, f64>> {
    let list = file.get("brotli_kib").and_then(Value::as_table);
    let list = list.ok_or_else(|| format!("{BUDGET} has lost its [brotli_kib]"))?;
    let number = |size: &Value| size.as_float().or_else(|| Some(size.as_integer()? as f64));
    let read = |(name, size): (&String, &Value)| {
        let size = number(size).ok_or_else(|| format!("{BUDGET}: the limit of {name} is no number"))?;
        Ok((name.clone(), size))
    };
    list.iter().map(read).collect()
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn hashes_are_taken_out_of_names() {
        assert_eq!(plain_name("app-1f9a3c5d7e9b1d3f_bg.wasm"), "app_bg.wasm");
        assert_eq!(plain_name("app-1f9a3c5d7e9b1d3f.js"), "app.js");
        assert_eq!(plain_name("worker-loader.js"), "worker-loader.js");
    }

    #[test]
    fn a_budget_is_a_name_and_a_number() {
        let read = |text: &str| budgets(&text.parse().unwrap());
        let sizes =
            read("# why\n[brotli_kib]\n\"app_bg.wasm\" = 400  # the page\n\"app.js\" = 20.5\n").unwrap();
        let sizes: Vec<_> = sizes.iter().map(|(name, size)| (name.as_str(), *size)).collect();
        assert_eq!(sizes, [("app.js", 20.5), ("app_bg.wasm", 400.0)]);
        assert!(read("[brotli_kib]\n\"app.js\" = \"20\"\n").is_err() && read("").is_err());
    }
}
