//! Recognition of a file's kind from its name, its size and its first bytes, before the rest is read.
//!
//! # Why
//! A file that is not ours can have any size. Its first [`HEAD_BYTES`] bytes suffice to recognise it, and a file above
//! the size limit is refused with the limit named, without reading more.

use serde::{Deserialize, Serialize};

use super::preamble::file_name;
use super::read::{RawRun, ReadOptions, parse_link};
use super::weights::{self, CheckpointHeader};
use super::{FileError, dataset};

/// Number of bytes at the start of a file that suffice to recognise its kind (run, weights or table).
pub const HEAD_BYTES: usize = 64 << 10;

/// Size limit, in bytes, of a run's JSON file; a larger file is refused.
pub const MAX_RUN_BYTES: u64 = 128 << 20;

/// Size limit, in bytes, of CSV tables and weight files; a larger file is refused. It is enough for the largest network
/// with optimizer state, and for the largest number of cells.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Kind of a file, recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// Settings and measurements of a run, as JSON.
    Run {
        /// Number of replicas according to the link, if the link is among the first bytes.
        replicas: Option<usize>,
    },
    /// Weights of a run, as safetensors.
    Weights,
    /// A CSV table to train on.
    Table,
}

/// Endings of the files among which a dialog lets the user choose a table, as the attribute `accept` of HTML.
pub const ACCEPTED_TABLES: &str = ".csv,.tsv,.txt,.data,.dat";

/// Format of a file that is no text but may hold a table, so that the user can convert it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFormat {
    /// Workbook of Excel or of another spreadsheet program.
    Workbook,
    /// ZIP archive or file compressed by gzip.
    Archive,
    /// Text in UTF-16, as Excel writes it with the file type “Unicode text”.
    Utf16,
    /// Web page.
    WebPage,
    /// File of columns in the format Parquet.
    Parquet,
    /// Database of SQLite.
    Database,
    /// Document in the format PDF.
    Pdf,
    /// Objects in the format JSON, one in each line or in an array.
    Json,
    /// Pointer of Git LFS that stands for the file itself.
    GitPointer,
}

impl ForeignFormat {
    /// Sentence on the format, and on how to get a table from such a file.
    pub(super) fn describe(self) -> &'static str {
        match self {
            ForeignFormat::Workbook => tr!(
                "this file is a workbook of a spreadsheet program (.xlsx, .xls or .ods), whatever its name says: open it there, and save the sheet with the file type “CSV UTF-8”"
            ),
            ForeignFormat::Archive => {
                tr!(
                    "this file is compressed (ZIP, gzip or a similar format): unpack it, and open the table in it"
                )
            }
            ForeignFormat::Utf16 => tr!(
                "this file is text in the encoding UTF-16: open it in the program that wrote it, and save it with the encoding UTF-8 (in Excel with the file type “CSV UTF-8” instead of “Unicode text”)"
            ),
            ForeignFormat::WebPage => {
                tr!("this file is a web page: save the table in it as a file with the ending .csv")
            }
            ForeignFormat::Parquet => {
                tr!(
                    "this file is in the format Parquet: write the table as CSV, for example with to_csv in pandas"
                )
            }
            ForeignFormat::Database => {
                tr!(
                    "this file is a database of SQLite: write the table as CSV, for example with .mode csv and .output"
                )
            }
            ForeignFormat::Json => {
                tr!("this file is in JSON format: write the table as CSV, for example with to_csv in pandas")
            }
            ForeignFormat::GitPointer => {
                tr!(
                    "this file is a Git LFS pointer to the table, not the table itself: run git lfs pull in its repository, or download the table itself"
                )
            }
            ForeignFormat::Pdf => tr!("this file is a PDF document: save the table in it as a CSV file"),
        }
    }
}

/// First bytes of files of foreign formats.
const FOREIGN_PREFIXES: [(&[u8], ForeignFormat); 10] = [
    (b"\xd0\xcf\x11\xe0", ForeignFormat::Workbook),
    (b"\x1f\x8b", ForeignFormat::Archive),
    (b"\xfd7zXZ\0", ForeignFormat::Archive),
    (b"\x28\xb5\x2f\xfd", ForeignFormat::Archive),
    (b"7z\xbc\xaf\x27\x1c", ForeignFormat::Archive),
    (b"version https://git-lfs.github.com/spec/", ForeignFormat::GitPointer),
    (b"PAR1", ForeignFormat::Parquet),
    (b"SQLite format 3\0", ForeignFormat::Database),
    (b"%PDF-", ForeignFormat::Pdf),
    (b"\xff\xfe", ForeignFormat::Utf16),
];

/// Recognises the format of a file that begins with `head` if it is not text in UTF-8 but a format from which a table can
/// be converted.
pub(super) fn find_foreign_format(head: &[u8]) -> Option<ForeignFormat> {
    let contains = |part: &[u8]| head.windows(part.len()).any(|bytes| bytes == part);
    if head.starts_with(b"PK\x03\x04") {
        let is_workbook =
            contains(b"xl/") || contains(b"[Content_Types].xml") || contains(b"opendocument.spreadsheet");
        return Some(if is_workbook { ForeignFormat::Workbook } else { ForeignFormat::Archive });
    }
    let found = FOREIGN_PREFIXES.iter().find(|(prefix, _)| head.starts_with(prefix));
    if let Some((_, format)) = found {
        // A column of a table may be called PAR1. In Parquet a byte follows that is no text.
        let is_text = *format == ForeignFormat::Parquet
            && head.get(4).is_some_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        return (!is_text).then_some(*format);
    }
    // Letters of this alphabet have a zero byte before or after them.
    let is_zero = |byte: &u8| *byte == 0;
    let start = &head[..head.len().min(64) & !1];
    let pairs = || start.as_chunks::<2>().0.iter();
    let half_zero = !start.is_empty()
        && (pairs().all(|[high, low]| is_zero(high) && !is_zero(low))
            || pairs().all(|[low, high]| is_zero(high) && !is_zero(low)));
    if head.starts_with(b"\xfe\xff") || half_zero {
        return Some(ForeignFormat::Utf16);
    }
    let text = strip_bom(head).trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    if begins(b"<!doctype html") || begins(b"<html") {
        return Some(ForeignFormat::WebPage);
    }
    // An object, or an array of objects.
    let object = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start().strip_prefix(b"{")?;
    let key = object.trim_ascii_start().strip_prefix(b"\"")?;
    let end = key.iter().position(|byte| matches!(byte, b'"' | b'\n'))?;
    key[end..].strip_prefix(b"\"")?.trim_ascii_start().starts_with(b":").then_some(ForeignFormat::Json)
}

/// Strips the byte order mark that some editors put before a text.
pub(super) fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// First bytes of CSV files written by this program, which are no data to train on: metrics of one or several runs in
/// the previous and the present format, charts of the previous format, and sweeps.
const METRICS_TABLE_PREFIXES: [&[u8]; 6] = [
    b"step,replica,",
    b"run,step,replica,",
    b"# program: Vivarium ",
    b"# run: ",
    b"# Vivarium ",
    b"# lab sweep ",
];

/// Whether a file name ends in .csv, .tsv or .txt, in upper or lower case.
fn has_table_extension(name: &str) -> bool {
    let name = name.to_lowercase();
    [".csv", ".tsv", ".txt"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a file name has no ending, or the ending .data or .dat, so that its contents tell whether it is a table.
fn may_be_table(name: &str) -> bool {
    let name = file_name(name).to_lowercase();
    !name.is_empty() && !name.contains('.') || [".data", ".dat"].iter().any(|ending| name.ends_with(ending))
}

/// Checks that the size of a file is at most `limit`, both in bytes.
fn check_size(size: u64, limit: u64) -> Result<(), FileError> {
    match size > limit {
        true => Err(FileError::TooLarge(size >> 20, limit >> 20)),
        false => Ok(()),
    }
}

/// Recognises the kind of a file from its name, its size in bytes and its first bytes. `head` is the whole file, or at
/// least [`HEAD_BYTES`] bytes.
///
/// # Errors
/// The reason why a file is refused.
pub fn detect_kind(name: &str, size: u64, head: &[u8]) -> Result<FileKind, FileError> {
    let is_whole = head.len() as u64 >= size;
    let text = strip_bom(head).trim_ascii_start();
    match text.first() {
        None if is_whole => Err(FileError::Empty),
        _ if weights::is_safetensors(head) => {
            check_size(size, MAX_FILE_BYTES)?;
            if CheckpointHeader::is_complete_in(head) {
                CheckpointHeader::check(head, size)?;
            }
            Ok(FileKind::Weights)
        }
        Some(b'{') => {
            let kind = detect_run(head, is_whole)?;
            check_size(size, MAX_RUN_BYTES)?;
            Ok(kind)
        }
        Some(b'[') => Err(FileError::Foreign),
        _ if METRICS_TABLE_PREFIXES.iter().any(|beginning| text.starts_with(beginning)) => {
            Err(FileError::Table)
        }
        _ => detect_table(name, size, head),
    }
}

/// Recognises a table by the name of its file or, if the name tells nothing, by its first bytes `head`; `size` is the size
/// of the file in bytes.
fn detect_table(name: &str, size: u64, head: &[u8]) -> Result<FileKind, FileError> {
    let is_whole = head.len() as u64 >= size;
    if let Some(format) = find_foreign_format(head) {
        return Err(FileError::OtherFormat(format));
    }
    if !has_table_extension(name) && !(may_be_table(name) && dataset::is_table(head, is_whole)) {
        return Err(FileError::Unknown);
    }
    check_size(size, MAX_FILE_BYTES)?;
    let cut_off = |error: std::str::Utf8Error| error.error_len().is_none() && !is_whole;
    match std::str::from_utf8(head) {
        Err(error) if !cut_off(error) => Err(FileError::NotText),
        _ => Ok(FileKind::Table),
    }
}

/// Recognises a run of this program in `head`, the first bytes of a JSON file; `is_whole` says that they are the whole
/// file.
fn detect_run(head: &[u8], is_whole: bool) -> Result<FileKind, FileError> {
    let mut raw = RawRun::default();
    match raw.read(&mut strip_bom(head), &ReadOptions { replicas: None, max_rows: usize::MAX }) {
        // Its end is not among these bytes.
        Err(FileError::NotJson { ends_early: true, .. }) if !is_whole => {}
        // Errors in a measurement are reported better once the number of replicas is known.
        Err(flaw @ (FileError::NotJson { .. } | FileError::Foreign | FileError::Newer(_))) => {
            return Err(flaw);
        }
        _ => {}
    }
    if !raw.is_ours {
        return Err(FileError::Foreign);
    }
    let link = raw.link.as_deref().map(parse_link).transpose()?;
    Ok(FileKind::Run { replicas: link.map(|link| link.spec.run.replicas) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind or error of a file of 200 MB that begins with `head`.
    fn kind_or_error(name: &str, head: &str) -> String {
        let head = head.bytes().cycle().take(HEAD_BYTES).collect::<Vec<_>>();
        detect_kind(name, 200 << 20, &head).map_or_else(|flaw| flaw.to_string(), |kind| format!("{kind:?}"))
    }

    #[test]
    fn what_is_not_ours_is_refused_by_its_first_bytes() {
        let point = "{\"type\":\"Point\",\"coordinates\":[12.5,41.9]},";
        let begin = "{\"type\":\"FeatureCollection\",\"features\":[".to_string();
        let map = begin + &point.repeat(HEAD_BYTES / point.len() + 1);
        for name in ["map.geojson", "map.json", "map.csv"] {
            assert!(
                kind_or_error(name, &map).contains("not a run of this program"),
                "{}",
                kind_or_error(name, &map)
            );
        }
        assert!(kind_or_error("zeros.json", "[0,0,0,0").contains("not a run of this program"));
        assert!(kind_or_error("deep.json", "[[[[[[[[").contains("not a run of this program"));
        assert!(kind_or_error("deep.json", &format!("{{\"a\":{}", "[".repeat(HEAD_BYTES))).contains("JSON"));
        assert!(kind_or_error("picture.png", "\u{1}PNG").contains("neither a run"));
        assert!(kind_or_error("table.csv", "1,2\n3,4\n").starts_with("Table"));
        assert!(kind_or_error("table.bin", "1,2\n3,4\n").contains("neither a run"));
        assert_eq!(kind_or_error("fit.csv", "PAR1,PAR2,y\n1,2,0\n"), "Table");
        // Without a usual ending the contents tell.
        for name in ["iris.data", "auto-mpg.DAT", "folder.d/iris", "iris"] {
            assert_eq!(kind_or_error(name, "1,2,x\n3,4,y\n"), "Table", "{name}");
            assert!(
                kind_or_error(name, "Some words, and\nsome more\n\n").contains("neither a run"),
                "{name}"
            );
        }
        for (head, part) in [
            ("PK\u{3}\u{4}....xl/workbook.xml", "a workbook"),
            ("PK\u{3}\u{4}....word/", "compressed"),
            ("a\0,\0b\0", "UTF-16"),
            ("\0a\0,", "UTF-16"),
            ("<!DOCTYPE html><table>", "a web page"),
            ("%PDF-1.7", "a PDF document"),
            ("PAR1\u{15}\u{4}\u{15}", "Parquet"),
        ] {
            for name in ["table.csv", "table.xlsx", "table"] {
                assert!(kind_or_error(name, head).contains(part), "{name}: {}", kind_or_error(name, head));
            }
        }
        let marked = [b"\xff\xfe".to_vec(), b"a\0,\0".repeat(9)].concat();
        let kind = detect_kind("table.csv", marked.len() as u64, &marked);
        assert_eq!(kind, Err(FileError::OtherFormat(ForeignFormat::Utf16)));
        let mut odd = b"a,b\n1,2\n".repeat(HEAD_BYTES / 8);
        odd[100] = 0xff;
        assert_eq!(detect_kind("odd.csv", 1 << 20, &odd), Err(FileError::NotText));
    }

    #[test]
    fn a_size_over_the_limit_is_refused_with_the_limit() {
        let run = b"{\"format\":\"vivarium-run\",\"version\":1,\"link\":\"#v1/sparse-parity?replicas=3\",";
        assert_eq!(detect_kind("run.json", MAX_RUN_BYTES, run), Ok(FileKind::Run { replicas: Some(3) }));
        let flaw = detect_kind("run.json", MAX_RUN_BYTES + (1 << 20), run).unwrap_err();
        assert!(flaw.to_string().contains("129 MB, and at most 128 MB"), "{flaw}");
        let flaw = detect_kind("table.csv", u64::MAX, b"a,b\n").unwrap_err();
        assert!(flaw.to_string().contains("at most 256 MB"), "{flaw}");
    }

    #[test]
    fn a_character_that_the_head_cuts_in_two_is_no_damage() {
        let text = "é,b\n";
        assert_eq!(detect_kind("t.csv", 100, &text.as_bytes()[..1]), Ok(FileKind::Table));
        assert_eq!(detect_kind("t.csv", 1, &text.as_bytes()[..1]), Err(FileError::NotText));
    }

    #[test]
    fn a_link_that_means_nothing_here_is_refused_before_the_rows() {
        let run = b"{\"format\":\"vivarium-run\",\"version\":1,\"link\":\"#v1/sparse-parity?colour=blue\",";
        assert!(matches!(detect_kind("run.json", 1 << 20, run), Err(FileError::Link(_))));
    }
}
