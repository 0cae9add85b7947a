//! What a file is, told by its name, its size and its first bytes, before the rest of it is read.
//!
//! # Why
//! A file that is not ours can have any size. Its first [`HEAD`] bytes say what it is, and a file that is over the
//! declared size is refused with that size named; neither costs more than the bytes that are looked at.

use serde::{Deserialize, Serialize};

use super::FileError;
use super::read::{Form, Raw, link};
use super::weights::{self, Header};

/// Number of bytes at the start of a file that decide its kind.
pub const HEAD: usize = 64 << 10;

/// Largest file of a run, in bytes.
pub const MOST_RUN: u64 = 128 << 20;

/// Largest table and largest file of weights, in bytes: a network of the largest size with its optimizer's memory is
/// below it, and so is a table with as many cells as are read.
pub const MOST_BYTES: u64 = 256 << 20;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A run's JSON.
    Run {
        /// Replicas that its link has, where the link is among the first bytes.
        replicas: Option<usize>,
    },
    /// A run's weights.
    Weights,
    /// A table to learn.
    Table,
}

/// The first bytes without the mark that some editors put before a text.
pub(super) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// How tables of metrics of one run or of several begin, those of the version before first, then tables of charts of the
/// version before and tables of sweeps. Tables of charts begin as tables of metrics do.
const TABLES: [&[u8]; 6] = [
    b"step,replica,",
    b"run,step,replica,",
    b"# program: Vivarium ",
    b"# run: ",
    b"# Vivarium ",
    b"# lab sweep ",
];

/// Whether a file of that name holds a table, by its ending.
fn is_table(name: &str) -> bool {
    let name = name.to_lowercase();
    [".csv", ".tsv", ".txt"].iter().any(|ending| name.ends_with(ending))
}

fn within(size: u64, most: u64) -> Result<(), FileError> {
    match size > most {
        true => Err(FileError::TooLarge(size >> 20, most >> 20)),
        false => Ok(()),
    }
}

/// The kind of a file with this name, size and first bytes. `head` is the whole file, or at least [`HEAD`] bytes.
///
/// # Errors
/// Why it is not read at all.
pub fn look(name: &str, size: u64, head: &[u8]) -> Result<Kind, FileError> {
    let is_whole = head.len() as u64 >= size;
    let text = unmarked(head).trim_ascii_start();
    match text.first() {
        None if is_whole => Err(FileError::Empty),
        _ if weights::looks_so(head) => {
            within(size, MOST_BYTES)?;
            if Header::is_in(head) {
                Header::check(head, size)?;
            }
            Ok(Kind::Weights)
        }
        Some(b'{') => {
            let kind = run(head, is_whole)?;
            within(size, MOST_RUN)?;
            Ok(kind)
        }
        Some(b'[') => Err(FileError::Foreign),
        _ if TABLES.iter().any(|beginning| text.starts_with(beginning)) => Err(FileError::Table),
        _ if is_table(name) => {
            within(size, MOST_BYTES)?;
            let cut_off = |error: std::str::Utf8Error| error.error_len().is_none() && !is_whole;
            match std::str::from_utf8(head) {
                Err(error) if !cut_off(error) => Err(FileError::NotText),
                _ => Ok(Kind::Table),
            }
        }
        _ => Err(FileError::Unknown),
    }
}

/// A run, if the first bytes of this JSON say so.
fn run(head: &[u8], is_whole: bool) -> Result<Kind, FileError> {
    let mut raw = Raw::default();
    match raw.read(&mut unmarked(head), &Form { replicas: None, most_rows: usize::MAX }) {
        // Its end is not among these bytes.
        Err(FileError::NotJson { ends_early: true, .. }) if !is_whole => {}
        // What is wrong with a row is said better once the number of replicas is known.
        Err(flaw @ (FileError::NotJson { .. } | FileError::Foreign | FileError::Newer(_))) => {
            return Err(flaw);
        }
        _ => {}
    }
    if !raw.is_ours {
        return Err(FileError::Foreign);
    }
    let link = raw.link.as_deref().map(link).transpose()?;
    Ok(Kind::Run { replicas: link.map(|link| link.spec.run.replicas) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a file of 200 MB that begins so.
    fn said(name: &str, head: &str) -> String {
        let head = head.bytes().cycle().take(HEAD).collect::<Vec<_>>();
        look(name, 200 << 20, &head).map_or_else(|flaw| flaw.to_string(), |kind| format!("{kind:?}"))
    }

    #[test]
    fn what_is_not_ours_is_refused_by_its_first_bytes() {
        let point = "{\"type\":\"Point\",\"coordinates\":[12.5,41.9]},";
        let begin = "{\"type\":\"FeatureCollection\",\"features\":[".to_string();
        let map = begin + &point.repeat(HEAD / point.len() + 1);
        for name in ["map.geojson", "map.json", "map.csv"] {
            assert!(said(name, &map).contains("not a run of this program"), "{}", said(name, &map));
        }
        assert!(said("zeros.json", "[0,0,0,0").contains("not a run of this program"));
        assert!(said("deep.json", "[[[[[[[[").contains("not a run of this program"));
        assert!(said("deep.json", &format!("{{\"a\":{}", "[".repeat(HEAD))).contains("JSON"));
        assert!(said("picture.png", "\u{1}PNG").contains("neither a run"));
        assert!(said("table.csv", "1,2\n3,4\n").starts_with("Table"));
        assert!(said("table.bin", "1,2\n3,4\n").contains("neither a run"));
        let mut odd = b"a,b\n1,2\n".repeat(HEAD / 8);
        odd[100] = 0xff;
        assert_eq!(look("odd.csv", 1 << 20, &odd), Err(FileError::NotText));
    }

    #[test]
    fn a_size_over_the_limit_is_refused_with_the_limit() {
        let run = b"{\"format\":\"vivarium-run\",\"version\":1,\"link\":\"#v1/sparse-parity?replicas=3\",";
        assert_eq!(look("run.json", MOST_RUN, run), Ok(Kind::Run { replicas: Some(3) }));
        let flaw = look("run.json", MOST_RUN + (1 << 20), run).unwrap_err();
        assert!(flaw.to_string().contains("129 MB, and at most 128 MB"), "{flaw}");
        let flaw = look("table.csv", u64::MAX, b"a,b\n").unwrap_err();
        assert!(flaw.to_string().contains("at most 256 MB"), "{flaw}");
    }

    #[test]
    fn a_character_that_the_head_cuts_in_two_is_no_damage() {
        let text = "é,b\n";
        assert_eq!(look("t.csv", 100, &text.as_bytes()[..1]), Ok(Kind::Table));
        assert_eq!(look("t.csv", 1, &text.as_bytes()[..1]), Err(FileError::NotText));
    }

    #[test]
    fn a_link_that_means_nothing_here_is_refused_before_the_rows() {
        let run = b"{\"format\":\"vivarium-run\",\"version\":1,\"link\":\"#v1/sparse-parity?colour=blue\",";
        assert!(matches!(look("run.json", 1 << 20, run), Err(FileError::Link(_))));
    }
}
