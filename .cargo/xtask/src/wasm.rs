//! Removes function names from finished WebAssembly files.
//!
//! # Why
//! They are a sixth of the page's download and a third of the GPU worker's, and only a stack trace
//! reads them; a panic still names its file and line. Cargo's `strip` would do the same, but it is
//! part of every dependency's fingerprint, so switching it to look into a trace would recompile Burn.

use std::fs;
use std::path::Path;

use crate::Outcome;

/// Rewrites every `.wasm` in the folder without its names.
pub fn strip_names(folder: &Path) -> Outcome {
    let broken = |why: std::io::Error| format!("cannot read {}: {why}", folder.display());
    for entry in fs::read_dir(folder).map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        if path.extension().is_some_and(|end| end == "wasm") {
            let bytes = fs::read(&path).map_err(broken)?;
            let lean =
                without_names(&bytes).ok_or_else(|| format!("{} is no WebAssembly", path.display()))?;
            fs::write(&path, lean).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
        }
    }
    Ok(())
}

/// A module without its custom section "name" (WebAssembly Core 2.0, section 5.5 and appendix 7.4), or
/// `None` if it is no module.
fn without_names(module: &[u8]) -> Option<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(8)?;
    if !header.starts_with(b"\0asm") {
        return None;
    }
    let mut lean = header.to_vec();
    while let Some((&kind, after)) = rest.split_first() {
        let (size, content) = number(after)?;
        let (content, next) = content.split_at_checked(size)?;
        let section = &rest[..rest.len() - next.len()];
        let is_names = kind == 0
            && number(content).is_some_and(|(length, text)| text.get(..length) == Some(b"name".as_slice()));
        if !is_names {
            lean.extend_from_slice(section);
        }
        rest = next;
    }
    Some(lean)
}

/// An unsigned number in LEB128, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 127) << (7 * at);
        if byte & 128 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod checks {
    use super::*;

    const HEADER: &[u8] = b"\0asm\x01\0\0\0";

    fn section(kind: u8, content: &[u8]) -> Vec<u8> {
        [&[kind, content.len() as u8 | 128, 0], content].concat()
    }

    #[test]
    fn only_the_names_go() {
        let types = section(1, &[0]);
        let other = section(0, b"\x08producer");
        let names = section(0, b"\x04name\x01\x02\x03");
        let module = [HEADER, &types, &names, &other].concat();
        assert_eq!(without_names(&module).unwrap(), [HEADER, &types, &other].concat());
    }

    #[test]
    fn what_is_no_module_is_left_alone() {
        for bytes in [&b""[..], b"\0asm", b"<!doctype html>", b"\0asm\x01\0\0\0\x01\x7f"] {
            assert!(without_names(bytes).is_none());
        }
    }
}
