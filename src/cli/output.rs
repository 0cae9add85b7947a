//! Output of the metrics of `lab run`: standard output, or a file that replaces an old one when the run has
//! ended.
//!
//! # Why
//! Measurements are written as they are made, to a part file next to the target. A checkpoint stores the
//! length of that text ([`OutputMark`]), so that a run that was interrupted in any way continues the same
//! text.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::disk::{Disk, PartFile, is_special_file, replace_file};
use super::print::MetricsFormat;

/// Key in the header of a checkpoint file under which the [`OutputMark`] of the metrics text is stored.
pub const CHECKPOINT_KEY: &str = "rows";

/// State of the metrics text at a checkpoint: its format, length and checksum, and the last step in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputMark {
    /// Format of the metrics text: table, CSV or JSON.
    format: MetricsFormat,
    /// Length of the metrics text in bytes when the checkpoint was written.
    byte_count: u64,
    /// FNV-1a checksum of the first `byte_count` bytes of the metrics text.
    checksum: u64,
    /// Training step of the last measurement in the metrics text when the checkpoint was written.
    pub step: u64,
}

impl OutputMark {
    /// Parses the text of a mark in a checkpoint; None if it is damaged.
    pub fn parse(text: &str) -> Option<OutputMark> {
        let words: Vec<&str> = text.split(' ').collect();
        let [format, bytes, sum, step] = words[..] else { return None };
        let format = FORMAT_NAMES.iter().find(|(_, word)| *word == format)?.0;
        let (bytes, step) = (bytes.parse().ok()?, step.parse().ok()?);
        Some(OutputMark { format, byte_count: bytes, checksum: u64::from_str_radix(sum, 16).ok()?, step })
    }
}

impl fmt::Display for OutputMark {
    /// Writes the mark as [`OutputMark::parse`] reads it: format, bytes, checksum in hexadecimal, step.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word =
            FORMAT_NAMES.iter().find(|(format, _)| *format == self.format).map_or("", |(_, word)| word);
        write!(f, "{word} {} {:016x} {}", self.byte_count, self.checksum, self.step)
    }
}

/// Names of the metrics formats in the text of an [`OutputMark`].
const FORMAT_NAMES: [(MetricsFormat, &str); 3] =
    [(MetricsFormat::Table, "table"), (MetricsFormat::Csv, "csv"), (MetricsFormat::Json, "json")];

/// FNV-1a checksum of no bytes, in 64 bits (Fowler, Noll and Vo).
const EMPTY_CHECKSUM: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a checksum of all of these bytes, in 64 bits.
pub fn checksum(bytes: &[u8]) -> u64 {
    update_checksum(EMPTY_CHECKSUM, bytes)
}

/// The FNV-1a checksum after further bytes; `sum` is the checksum of the bytes before them.
fn update_checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Destination of the metrics text of `lab run`.
enum OutputTarget<'a> {
    Standard,
    /// A device or a pipe.
    Special(File),
    /// A part file, which replaces the target file when the run ends.
    Part(PartFile<'a>),
}

/// Writer of the metrics of `lab run`: to standard output, or to a part file that replaces the target at the
/// end.
pub struct MetricsOutput<'a> {
    /// Destination of the metrics: standard output, a device or pipe, or a part file.
    target: OutputTarget<'a>,
    /// Path of the output as the user gave it; None for standard output.
    given_path: Option<PathBuf>,
    /// Bytes of the metrics text so far, including those that a resumed run found.
    byte_count: u64,
    /// FNV-1a checksum of the first `byte_count` bytes of the metrics text.
    checksum: u64,
    /// Whether the reader of a pipe has gone; further text is dropped.
    is_closed: bool,
}

impl<'a> MetricsOutput<'a> {
    /// Opens the file at `path`, or standard output.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(disk: &'a dyn Disk, path: Option<&Path>) -> Result<MetricsOutput<'a>, anyhow::Error> {
        let to = match path {
            None => OutputTarget::Standard,
            Some(path) if is_special_file(path) => {
                let file = File::options().write(true).open(path);
                OutputTarget::Special(file.with_context(|| format!("cannot write {}", path.display()))?)
            }
            Some(path) => OutputTarget::Part(PartFile::open(disk, path, true)?),
        };
        let path = path.map(Path::to_path_buf);
        Ok(MetricsOutput {
            target: to,
            given_path: path,
            byte_count: 0,
            checksum: EMPTY_CHECKSUM,
            is_closed: false,
        })
    }

    /// Empties the part file, which may have the metrics of an interrupted run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn clear(&mut self) -> Result<(), anyhow::Error> {
        match &self.target {
            OutputTarget::Part(beside) if beside.byte_length() > 0 => {
                beside.truncate(0).with_context(|| self.write_error())
            }
            _ => Ok(()),
        }
    }

    /// Continues the text of an earlier run after the mark of its checkpoint; `head` is the header that a new
    /// text would have. Returns whether the earlier text was found; without a mark or without that text, the
    /// output is empty.
    ///
    /// # Errors
    /// When the file cannot be written, or the measurements of an interrupted run would be lost.
    pub fn resume(
        &mut self,
        mark: Option<OutputMark>,
        format: MetricsFormat,
        head: &str,
    ) -> Result<bool, anyhow::Error> {
        let OutputTarget::Part(beside) = &self.target else { return Ok(false) };
        if let Some(mark) = mark.filter(|mark| mark.format == format) {
            let there = beside
                .rewind()
                .and_then(|file| match_header(file, &mark, head))
                .with_context(|| self.write_error())?;
            let old = File::open(beside.target_path())
                .and_then(|file| match_header(&file, &mark, head))
                .ok()
                .flatten();
            let found = if there == Some(HeaderMatch::Same) {
                beside.truncate(mark.byte_count).map(|()| true)
            } else if old == Some(HeaderMatch::Same) {
                // The text replaced the target before the next checkpoint was written, or when the run was stopped.
                beside.truncate(0).and_then(|()| copy_target(beside, mark.byte_count)).map(|()| true)
            } else {
                Ok(false)
            };
            if found.with_context(|| self.write_error())? {
                (self.byte_count, self.checksum) = (mark.byte_count, mark.checksum);
                return Ok(true);
            }
            let of_csv = format == MetricsFormat::Csv && (there.is_some() || old.is_some());
            if of_csv && self.resume_below_header(&mark, there.is_some(), head)? {
                return Ok(true);
            }
        }
        let OutputTarget::Part(beside) = &self.target else { return Ok(false) };
        if beside.byte_length() > 0 {
            bail!(
                "{} contains the measurements of an interrupted run, and the checkpoint belongs to another run: rename or \
                 remove the file",
                beside.part_path().display()
            );
        }
        if mark.is_some() && beside.target_path().exists() {
            bail!(
                "{} does not contain the metrics of this checkpoint's run in this format and up to this last \
                 step: choose another file with --output",
                beside.target_path().display()
            );
        }
        Ok(false)
    }

    /// Continues the CSV lines of `mark` under the new header `head`, for example when the last step of the
    /// run changed. The lines are in the part file if `is_in_part`, otherwise in the target. Returns false if
    /// they are not metrics of a run.
    ///
    /// # Errors
    /// When the file cannot be written, or its lines have names of measures of the other
    /// [version](super::print::NameVersion) than `head`.
    fn resume_below_header(
        &mut self,
        mark: &OutputMark,
        is_in_part: bool,
        head: &str,
    ) -> Result<bool, anyhow::Error> {
        let OutputTarget::Part(beside) = &self.target else { return Ok(false) };
        let (part, path) = (beside.part_path().to_path_buf(), beside.target_path().to_path_buf());
        let from = if is_in_part { &part } else { &path };
        let mut text = vec![];
        let read = File::open(from).and_then(|file| file.take(mark.byte_count).read_to_end(&mut text));
        read.with_context(|| self.write_error())?;
        let (is_new, is_old) = (text.starts_with(b"# program: "), text.starts_with(b"step,replica,"));
        if !is_new && !is_old {
            return Ok(false);
        }
        if is_new == head.is_empty() {
            let names = if is_new { "new" } else { "old" };
            bail!(
                "{} was begun with other names of the measures: add --names {names}, or choose another file with --output",
                from.display()
            );
        }
        let lines = text.split_inclusive(|byte| *byte == b'\n').skip_while(|line| line.starts_with(b"#"));
        let text = [head.as_bytes(), &lines.collect::<Vec<_>>().concat()].concat();
        if is_in_part {
            // The part file has the old text or the new one at every moment.
            replace_file(beside.disk(), &part, &text).with_context(|| self.write_error())?;
            self.target = OutputTarget::Part(PartFile::open(beside.disk(), &path, true)?);
        } else {
            beside.truncate(0).and_then(|()| beside.append(&text)).with_context(|| self.write_error())?;
        }
        (self.byte_count, self.checksum) = (text.len() as u64, update_checksum(EMPTY_CHECKSUM, &text));
        Ok(true)
    }

    /// Error message, with the path, that the metrics cannot be written.
    fn write_error(&self) -> String {
        match &self.given_path {
            Some(path) => format!("cannot write the metrics to {}", path.display()),
            None => "cannot write the metrics".into(),
        }
    }

    /// Writes further metrics text; a pipe whose reader has gone, as in `lab run … | head`, is not an error.
    ///
    /// # Errors
    /// When the disk is full or the file is gone.
    pub fn write(&mut self, text: &str) -> Result<(), anyhow::Error> {
        if text.is_empty() || self.is_closed {
            return Ok(());
        }
        let bytes = text.as_bytes();
        let written = match &mut self.target {
            OutputTarget::Standard => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            OutputTarget::Special(file) => file.write_all(bytes),
            OutputTarget::Part(beside) => beside.append(bytes),
        };
        match written {
            Err(why) if why.kind() == ErrorKind::BrokenPipe => self.is_closed = true,
            other => other.with_context(|| self.write_error())?,
        }
        (self.byte_count, self.checksum) =
            (self.byte_count + bytes.len() as u64, update_checksum(self.checksum, bytes));
        Ok(())
    }

    /// Whether the output is a pipe whose reader has gone.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Waits until the text is on the disk, and returns its mark for a checkpoint; `step` is the last
    /// measured step.
    /// None if the metrics do not go to a file, or nothing was measured.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn sync_and_mark(
        &self,
        format: MetricsFormat,
        step: Option<u64>,
    ) -> Result<Option<OutputMark>, anyhow::Error> {
        let (OutputTarget::Part(beside), Some(step)) = (&self.target, step) else { return Ok(None) };
        beside.sync().with_context(|| self.write_error())?;
        Ok(Some(OutputMark { format, byte_count: self.byte_count, checksum: self.checksum, step }))
    }

    /// Path of the part file; None if there is none, or if it is empty or has replaced its target.
    pub fn part_path(&self) -> Option<&Path> {
        match &self.target {
            OutputTarget::Part(beside) if beside.byte_length() > 0 => Some(beside.part_path()),
            _ => None,
        }
    }

    /// Replaces the target with the finished text; nothing is written after it.
    ///
    /// # Errors
    /// When the file cannot be written; an old target is unchanged then.
    pub fn replace_target(&mut self) -> Result<(), anyhow::Error> {
        let cannot = self.write_error();
        match std::mem::replace(&mut self.target, OutputTarget::Standard) {
            OutputTarget::Part(beside) => beside.replace_target().map(drop).context(cannot),
            _ => Ok(()),
        }
    }
}

/// Whether a metrics file begins with the header that the run would write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeaderMatch {
    /// The expected header.
    Same,
    /// Another header.
    Different,
}

/// Compares the first bytes of a file with the length and checksum of `mark`, and their beginning with the
/// header `head`. None if these bytes are not the text of the mark.
fn match_header(mut file: &File, mark: &OutputMark, head: &str) -> io::Result<Option<HeaderMatch>> {
    let (mut left, mut sum, mut first, mut starts) = (mark.byte_count, EMPTY_CHECKSUM, vec![], false);
    let mut bytes = vec![0; 1 << 16];
    while left > 0 {
        let most = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = file.read(&mut bytes[..most])?;
        if read == 0 {
            return Ok(None);
        }
        starts |= left == mark.byte_count && bytes[0] == b'#';
        (left, sum) = (left - read as u64, update_checksum(sum, &bytes[..read]));
        let wanted = head.len().saturating_sub(first.len()).min(read);
        first.extend_from_slice(&bytes[..wanted]);
    }
    // CSV lines without a header have the old names of measures.
    let is_same =
        first == head.as_bytes() && !(head.is_empty() && mark.format == MetricsFormat::Csv && starts);
    Ok((sum == mark.checksum).then_some(if is_same { HeaderMatch::Same } else { HeaderMatch::Different }))
}

/// Copies the first `length` bytes of the target file to the end of the part file.
fn copy_target(part: &PartFile<'_>, length: u64) -> io::Result<()> {
    let mut old = File::open(part.target_path())?.take(length);
    let mut bytes = vec![];
    while old.by_ref().take(1 << 20).read_to_end(&mut bytes)? > 0 {
        part.append(&bytes)?;
        bytes.clear();
    }
    Ok(())
}

/// Start of the panic message of `print!` when standard output cannot be written.
const PRINT_PANIC_PREFIX: &str = "failed printing to stdout: ";

/// Installs a panic hook that ends the program with one sentence when standard output cannot be written, for
/// example on a full disk. Other panics are unchanged.
#[expect(clippy::print_stderr, reason = "this is where this error reaches the person")]
pub fn exit_on_print_error() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let why = panic.payload_as_str().and_then(|said| said.strip_prefix(PRINT_PANIC_PREFIX));
        let Some(why) = why else { return usual(panic) };
        eprintln!("cannot write to the standard output: {why}");
        std::process::exit(1);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::SystemDisk;

    /// A folder for a test, with the file that is to be written there and its part file.
    fn files(name: &str) -> [PathBuf; 3] {
        let folder = std::env::temp_dir().join(format!("vivarium-output-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        [folder.clone(), folder.join("run.csv"), folder.join("run.csv.part")]
    }

    #[test]
    fn a_mark_finds_its_text_and_no_other() {
        let [folder, path, part] = files("mark");
        let open = || MetricsOutput::open(&SystemDisk, Some(&path)).unwrap();
        let mut output = open();
        output.write("head\n1\n2\n").unwrap();
        let mark = output.sync_and_mark(MetricsFormat::Csv, Some(2)).unwrap().unwrap();
        assert_eq!(OutputMark::parse(&mark.to_string()), Some(mark));
        output.write("3\nhal").unwrap();
        // A second process gets an error and changes nothing.
        let second = format!("{:#}", MetricsOutput::open(&SystemDisk, Some(&path)).err().unwrap());
        assert!(second.contains("being written by another lab"), "{second}");
        drop(output);
        assert_eq!(std::fs::read_to_string(&part).unwrap(), "head\n1\n2\n3\nhal");
        // With another format, beginning or checksum, the file is unchanged.
        for (mark, format, head) in [
            (Some(mark), MetricsFormat::Table, ""),
            (Some(mark), MetricsFormat::Csv, "tail"),
            (Some(OutputMark { checksum: 1, ..mark }), MetricsFormat::Csv, ""),
            (Some(OutputMark { byte_count: 100, ..mark }), MetricsFormat::Csv, ""),
            (None, MetricsFormat::Csv, ""),
        ] {
            let refused = format!("{:#}", open().resume(mark, format, head).unwrap_err());
            assert!(refused.contains("contains the measurements of an interrupted run"), "{refused}");
        }
        let mut output = open();
        assert!(output.resume(Some(mark), MetricsFormat::Csv, "head").unwrap());
        output.write("3\n4\n").unwrap();
        output.replace_target().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\n1\n2\n3\n4\n");
        assert!(!part.exists());
        // A text that has replaced its target is continued too; the target stays until it is replaced.
        let mut output = open();
        assert!(output.resume(Some(mark), MetricsFormat::Csv, "head").unwrap());
        assert_eq!(std::fs::read_to_string(&part).unwrap(), "head\n1\n2\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\n1\n2\n3\n4\n");
        drop(output);
        let mut output = open();
        output.clear().unwrap();
        drop(output);
        assert!(!part.exists(), "an empty one is not left behind");
        // The rest of a run alone does not replace the file.
        let refused = format!("{:#}", open().resume(Some(mark), MetricsFormat::Json, "head").unwrap_err());
        assert!(refused.contains("does not contain the metrics of this"), "{refused}");
        assert!(!open().resume(None, MetricsFormat::Csv, "").unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// The numbers of nothing, of a and of foobar are in the authors' own list (Fowler, Noll, Vo and Eastlake).
    #[test]
    fn the_sum_is_that_of_its_authors() {
        let sums = ["", "a", "foobar"].map(|text| update_checksum(EMPTY_CHECKSUM, text.as_bytes()));
        assert_eq!(sums, [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]);
        assert_eq!(update_checksum(update_checksum(EMPTY_CHECKSUM, b"foo"), b"bar"), sums[2]);
    }

    #[test]
    fn another_text_of_the_same_length_and_head_is_not_gone_on_with() {
        let [folder, path, part] = files("other");
        let open = || MetricsOutput::open(&SystemDisk, Some(&path)).unwrap();
        let mut output = open();
        output.write("head\n1\n2\n").unwrap();
        let mark = output.sync_and_mark(MetricsFormat::Csv, Some(2)).unwrap().unwrap();
        drop(output);
        assert_eq!((mark.byte_count, mark.checksum), (9, 0xd5fd_3b0a_80b3_5a70));
        std::fs::write(&part, "head\n1\n3\n").unwrap();
        let refused = format!("{:#}", open().resume(Some(mark), MetricsFormat::Csv, "head").unwrap_err());
        assert!(refused.contains("contains the measurements of an interrupted run"), "{refused}");
        std::fs::write(&part, "head\n1\n2\n").unwrap();
        assert!(open().resume(Some(mark), MetricsFormat::Csv, "head").unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// As it is where the signal of a closed pipe is ignored.
    #[cfg(unix)]
    #[test]
    fn that_nobody_reads_on_is_known_and_no_failure() {
        let (reader, writer) = io::pipe().unwrap();
        let to = OutputTarget::Special(File::from(std::os::fd::OwnedFd::from(writer)));
        let mut output = MetricsOutput {
            target: to,
            given_path: None,
            byte_count: 0,
            checksum: EMPTY_CHECKSUM,
            is_closed: false,
        };
        output.write("1\n").unwrap();
        assert!(!output.is_closed());
        drop(reader);
        output.write("2\n").unwrap();
        assert!(output.is_closed());
        // Further text is dropped then.
        output.write("3\n").unwrap();
        assert_eq!(output.byte_count, 4);
    }
}
