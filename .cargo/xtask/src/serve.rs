//! A server for the files of one folder, for this machine only.
//!
//! # Why
//! Trunk's server always builds first. This one shows what was built, as a plain static host would.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;

use crate::Outcome;
use crate::process::say;

/// The page that a static host shows for an address that has no file.
const MISSING: &str = "404.html";

/// Serves a folder until the program is stopped.
pub fn files(folder: &Path, port: u16) -> Outcome {
    if !folder.join("index.html").is_file() {
        return Err(format!("no page in {}; run `cargo xtask build`", folder.display()));
    }
    let listener = TcpListener::bind(("127.0.0.1", port))
        .map_err(|why| format!("cannot listen on port {port}: {why}; try another with --port"))?;
    say(format!("http://127.0.0.1:{port} until Ctrl-C"));
    for stream in listener.incoming().flatten() {
        let folder = folder.to_path_buf();
        // A browser that goes away in the middle of an answer is no problem of ours.
        thread::spawn(move || drop(answer(&folder, stream)));
    }
    Ok(())
}

fn answer(folder: &Path, mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The rest of the request must be read, or closing would cut off the answer.
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}

    let mut words = request.split(' ');
    let (method, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let found = place(folder, address).and_then(|file| Some((fs::read(&file).ok()?, file)));
    let (status, kind, body) = match (method, found) {
        ("GET" | "HEAD", Some((body, file))) => ("200 OK", kind(&file), body),
        // As GitHub Pages and others do.
        ("GET" | "HEAD", None) => match fs::read(folder.join(MISSING)) {
            Ok(page) => ("404 Not Found", kind(Path::new(MISSING)), page),
            Err(_) => ("404 Not Found", "text/plain", b"not found\n".to_vec()),
        },
        _ => ("405 Method Not Allowed", "text/plain", b"GET only\n".to_vec()),
    };
    // Nothing is kept by the browser: whoever rebuilds wants to see the new build.
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The file that an address means, if it lies inside the folder.
fn place(folder: &Path, address: &str) -> Option<PathBuf> {
    let path = address.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = Path::new(path);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let file = folder.join(path);
    let file = if file.is_dir() { file.join("index.html") } else { file };
    (is_inside && file.is_file()).then_some(file)
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn addresses_stay_inside_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(place(folder, "/Cargo.toml?v=1"), Some(folder.join("Cargo.toml")));
        assert_eq!(place(folder, "/../config.toml"), None);
        assert_eq!(place(folder, "//etc/passwd"), None);
        assert_eq!(place(folder, "/none"), None);
    }
}
