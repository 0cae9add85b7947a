//! Where `lab run` prints: the standard output, or a file that takes the place of an old one when the run has ended.
//!
//! # Why
//! Measurements are written as they are made, beside the file that they are for. A checkpoint says how far they had come
//! with it ([`Mark`]), so that a run that was interrupted, in whatever way, goes on in the same text.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::disk::{Beside, Disk, is_special, replace};
use super::print::Format;

/// Under which key a checkpoint has its mark.
pub const KEY: &str = "rows";

/// How far the text of a run had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    format: Format,
    bytes: u64,
    /// Of them all.
    sum: u64,
    /// The step of the last measurement in it.
    pub step: u64,
}

impl Mark {
    /// From the text in a checkpoint.
    pub fn parse(text: &str) -> Option<Mark> {
        let words: Vec<&str> = text.split(' ').collect();
        let [format, bytes, sum, step] = words[..] else { return None };
        let format = FORMATS.iter().find(|(_, word)| *word == format)?.0;
        let (bytes, step) = (bytes.parse().ok()?, step.parse().ok()?);
        Some(Mark { format, bytes, sum: u64::from_str_radix(sum, 16).ok()?, step })
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = FORMATS.iter().find(|(format, _)| *format == self.format).map_or("", |(_, word)| word);
        write!(f, "{word} {} {:016x} {}", self.bytes, self.sum, self.step)
    }
}

const FORMATS: [(Format, &str); 3] = [(Format::Table, "table"), (Format::Csv, "csv"), (Format::Json, "json")];

/// The sum of no bytes, and how a byte is added: Fowler, Noll and Vo's 1a, in 64 bits.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The sum of a file's bytes.
pub fn checksum(bytes: &[u8]) -> u64 {
    add(EMPTY, bytes)
}

fn add(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

enum To<'a> {
    Standard,
    /// A device or a pipe.
    Special(File),
    Beside(Beside<'a>),
}

/// Where it is printed.
pub struct Output<'a> {
    to: To<'a>,
    /// As it was named.
    path: Option<PathBuf>,
    bytes: u64,
    sum: u64,
    nobody_reads: bool,
}

impl<'a> Output<'a> {
    /// The file at `path`, or the standard output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(disk: &'a dyn Disk, path: Option<&Path>) -> Result<Output<'a>, anyhow::Error> {
        let to = match path {
            None => To::Standard,
            Some(path) if is_special(path) => {
                let file = File::options().write(true).open(path);
                To::Special(file.with_context(|| format!("cannot write {}", path.display()))?)
            }
            Some(path) => To::Beside(Beside::open(disk, path, true)?),
        };
        let path = path.map(Path::to_path_buf);
        Ok(Output { to, path, bytes: 0, sum: EMPTY, nobody_reads: false })
    }

    /// Begins with nothing; what an interrupted run has left beside the file goes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&mut self) -> Result<(), anyhow::Error> {
        match &self.to {
            To::Beside(beside) if beside.length() > 0 => beside.cut(0).with_context(|| self.cannot()),
            _ => Ok(()),
        }
    }

    /// Goes on in the text of the run that a checkpoint with this mark is of, if it is there; whether it does. Without
    /// a mark, or where the text is not there, it begins with nothing.
    ///
    /// # Errors
    /// When it cannot be written, or what an interrupted run has left would be lost.
    pub fn go_on(&mut self, mark: Option<Mark>, format: Format, head: &str) -> Result<bool, anyhow::Error> {
        let To::Beside(beside) = &self.to else { return Ok(false) };
        if let Some(mark) = mark.filter(|mark| mark.format == format) {
            let there =
                beside.read().and_then(|file| begins(file, &mark, head)).with_context(|| self.cannot())?;
            let old = File::open(beside.path()).and_then(|file| begins(&file, &mark, head)).ok().flatten();
            let found = if there == Some(Head::Same) {
                beside.cut(mark.bytes).map(|()| true)
            } else if old == Some(Head::Same) {
                // It had taken its place before the next checkpoint was written, or when the run was stopped.
                beside.cut(0).and_then(|()| copy(beside, mark.bytes)).map(|()| true)
            } else {
                Ok(false)
            };
            if found.with_context(|| self.cannot())? {
                (self.bytes, self.sum) = (mark.bytes, mark.sum);
                return Ok(true);
            }
            let of_csv = format == Format::Csv && (there.is_some() || old.is_some());
            if of_csv && self.go_on_below(&mark, there.is_some(), head)? {
                return Ok(true);
            }
        }
        let To::Beside(beside) = &self.to else { return Ok(false) };
        if beside.length() > 0 {
            bail!(
                "{} contains the measurements of an interrupted run, and the checkpoint belongs to another run: rename or \
                 remove the file",
                beside.part().display()
            );
        }
        if mark.is_some() && beside.path().exists() {
            bail!(
                "{} does not contain the metrics of this checkpoint's run in this format and up to this last \
                 step: choose another file with --output",
                beside.path().display()
            );
        }
        Ok(false)
    }

    /// Goes on in the lines of CSV of this mark below another description of the run, which tells its new last step, say;
    /// the lines are in the part file or have taken their place. Whether it does: lines below something else are none
    /// of a run.
    ///
    /// # Errors
    /// When it cannot be written, or the lines are of the other [names](super::print::Names): those of the version before
    /// have no description.
    fn go_on_below(&mut self, mark: &Mark, is_part: bool, head: &str) -> Result<bool, anyhow::Error> {
        let To::Beside(beside) = &self.to else { return Ok(false) };
        let (part, path) = (beside.part().to_path_buf(), beside.path().to_path_buf());
        let from = if is_part { &part } else { &path };
        let mut text = vec![];
        let read = File::open(from).and_then(|file| file.take(mark.bytes).read_to_end(&mut text));
        read.with_context(|| self.cannot())?;
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
        if is_part {
            // At each moment there is the old text or the new one.
            replace(beside.disk(), &part, &text).with_context(|| self.cannot())?;
            self.to = To::Beside(Beside::open(beside.disk(), &path, true)?);
        } else {
            beside.cut(0).and_then(|()| beside.append(&text)).with_context(|| self.cannot())?;
        }
        (self.bytes, self.sum) = (text.len() as u64, add(EMPTY, &text));
        Ok(true)
    }

    fn cannot(&self) -> String {
        match &self.path {
            Some(path) => format!("cannot write the metrics to {}", path.display()),
            None => "cannot write the metrics".into(),
        }
    }

    /// Prints; that nobody reads on, as in `lab run … | head`, is no failure.
    ///
    /// # Errors
    /// When the file is full or gone.
    pub fn write(&mut self, text: &str) -> Result<(), anyhow::Error> {
        if text.is_empty() || self.nobody_reads {
            return Ok(());
        }
        let bytes = text.as_bytes();
        let written = match &mut self.to {
            To::Standard => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            To::Special(file) => file.write_all(bytes),
            To::Beside(beside) => beside.append(bytes),
        };
        match written {
            Err(why) if why.kind() == ErrorKind::BrokenPipe => self.nobody_reads = true,
            other => other.with_context(|| self.cannot())?,
        }
        (self.bytes, self.sum) = (self.bytes + bytes.len() as u64, add(self.sum, bytes));
        Ok(())
    }

    /// Whether who read it has gone.
    pub fn nobody_reads(&self) -> bool {
        self.nobody_reads
    }

    /// How far the text has come, which is on the disk now: a run can go on behind it. None where it is no file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn mark(&self, format: Format, step: Option<u64>) -> Result<Option<Mark>, anyhow::Error> {
        let (To::Beside(beside), Some(step)) = (&self.to, step) else { return Ok(None) };
        beside.sync().with_context(|| self.cannot())?;
        Ok(Some(Mark { format, bytes: self.bytes, sum: self.sum, step }))
    }

    /// Where the text is as long as it has not taken its place, if there is any.
    pub fn part(&self) -> Option<&Path> {
        match &self.to {
            To::Beside(beside) if beside.length() > 0 => Some(beside.part()),
            _ => None,
        }
    }

    /// The text is whole: it takes its place, and nothing more is written to it.
    ///
    /// # Errors
    /// When it cannot be written; an old file is there then.
    pub fn finish(&mut self) -> Result<(), anyhow::Error> {
        let cannot = self.cannot();
        match std::mem::replace(&mut self.to, To::Standard) {
            To::Beside(beside) => beside.finish().map(drop).context(cannot),
            _ => Ok(()),
        }
    }
}

/// What is before the measurements of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    /// What is wanted.
    Same,
    /// Something else.
    Other,
}

/// Whether a file begins with the text that the mark is of, and that with `head`; none if it is another text.
fn begins(mut file: &File, mark: &Mark, head: &str) -> io::Result<Option<Head>> {
    let (mut left, mut sum, mut first, mut starts) = (mark.bytes, EMPTY, vec![], false);
    let mut bytes = vec![0; 1 << 16];
    while left > 0 {
        let most = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = file.read(&mut bytes[..most])?;
        if read == 0 {
            return Ok(None);
        }
        starts |= left == mark.bytes && bytes[0] == b'#';
        (left, sum) = (left - read as u64, add(sum, &bytes[..read]));
        let wanted = head.len().saturating_sub(first.len()).min(read);
        first.extend_from_slice(&bytes[..wanted]);
    }
    // Lines of CSV below no description are of other names.
    let is_same = first == head.as_bytes() && !(head.is_empty() && mark.format == Format::Csv && starts);
    Ok((sum == mark.sum).then_some(if is_same { Head::Same } else { Head::Other }))
}

/// Copies the first bytes of the old file to the new one.
fn copy(beside: &Beside<'_>, length: u64) -> io::Result<()> {
    let mut old = File::open(beside.path())?.take(length);
    let mut bytes = vec![];
    while old.by_ref().take(1 << 20).read_to_end(&mut bytes)? > 0 {
        beside.append(&bytes)?;
        bytes.clear();
    }
    Ok(())
}

/// What `print!` panics with where the standard output takes no more.
const CANNOT_PRINT: &str = "failed printing to stdout: ";

/// Ends the program with a sentence where the standard output cannot be written, as where its disk is full. Other panics
/// stay what they are.
#[expect(clippy::print_stderr, reason = "this is where this error reaches the person")]
pub fn fail_in_a_sentence() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let why = panic.payload_as_str().and_then(|said| said.strip_prefix(CANNOT_PRINT));
        let Some(why) = why else { return usual(panic) };
        eprintln!("cannot write to the standard output: {why}");
        std::process::exit(1);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Native;

    /// A folder for a test, with the file that is to be written there and its part file.
    fn files(name: &str) -> [PathBuf; 3] {
        let folder = std::env::temp_dir().join(format!("vivarium-output-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        [folder.clone(), folder.join("run.csv"), folder.join("run.csv.part")]
    }

    #[test]
    fn a_mark_finds_its_text_and_no_other() {
        let [folder, path, part] = files("mark");
        let open = || Output::open(&Native, Some(&path)).unwrap();
        let mut output = open();
        output.write("head\n1\n2\n").unwrap();
        let mark = output.mark(Format::Csv, Some(2)).unwrap().unwrap();
        assert_eq!(Mark::parse(&mark.to_string()), Some(mark));
        output.write("3\nhal").unwrap();
        // A second process is told, and changes nothing.
        let second = format!("{:#}", Output::open(&Native, Some(&path)).err().unwrap());
        assert!(second.contains("being written by another lab"), "{second}");
        drop(output);
        assert_eq!(std::fs::read_to_string(&part).unwrap(), "head\n1\n2\n3\nhal");
        // Another format, another beginning, another sum: it is left as it is.
        for (mark, format, head) in [
            (Some(mark), Format::Table, ""),
            (Some(mark), Format::Csv, "tail"),
            (Some(Mark { sum: 1, ..mark }), Format::Csv, ""),
            (Some(Mark { bytes: 100, ..mark }), Format::Csv, ""),
            (None, Format::Csv, ""),
        ] {
            let refused = format!("{:#}", open().go_on(mark, format, head).unwrap_err());
            assert!(refused.contains("contains the measurements of an interrupted run"), "{refused}");
        }
        let mut output = open();
        assert!(output.go_on(Some(mark), Format::Csv, "head").unwrap());
        output.write("3\n4\n").unwrap();
        output.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\n1\n2\n3\n4\n");
        assert!(!part.exists());
        // What has taken its place is gone on with, too, and stays until it is replaced.
        let mut output = open();
        assert!(output.go_on(Some(mark), Format::Csv, "head").unwrap());
        assert_eq!(std::fs::read_to_string(&part).unwrap(), "head\n1\n2\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\n1\n2\n3\n4\n");
        drop(output);
        let mut output = open();
        output.begin().unwrap();
        drop(output);
        assert!(!part.exists(), "an empty one is not left behind");
        // It is not replaced by the rest of a run alone.
        let refused = format!("{:#}", open().go_on(Some(mark), Format::Json, "head").unwrap_err());
        assert!(refused.contains("does not contain the metrics of this"), "{refused}");
        assert!(!open().go_on(None, Format::Csv, "").unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// The numbers of nothing, of a and of foobar are in the authors' own list (Fowler, Noll, Vo and Eastlake).
    #[test]
    fn the_sum_is_that_of_its_authors() {
        let sums = ["", "a", "foobar"].map(|text| add(EMPTY, text.as_bytes()));
        assert_eq!(sums, [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]);
        assert_eq!(add(add(EMPTY, b"foo"), b"bar"), sums[2]);
    }

    #[test]
    fn another_text_of_the_same_length_and_head_is_not_gone_on_with() {
        let [folder, path, part] = files("other");
        let open = || Output::open(&Native, Some(&path)).unwrap();
        let mut output = open();
        output.write("head\n1\n2\n").unwrap();
        let mark = output.mark(Format::Csv, Some(2)).unwrap().unwrap();
        drop(output);
        assert_eq!((mark.bytes, mark.sum), (9, 0xd5fd_3b0a_80b3_5a70));
        std::fs::write(&part, "head\n1\n3\n").unwrap();
        let refused = format!("{:#}", open().go_on(Some(mark), Format::Csv, "head").unwrap_err());
        assert!(refused.contains("contains the measurements of an interrupted run"), "{refused}");
        std::fs::write(&part, "head\n1\n2\n").unwrap();
        assert!(open().go_on(Some(mark), Format::Csv, "head").unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// As it is where the signal of a closed pipe is ignored.
    #[cfg(unix)]
    #[test]
    fn that_nobody_reads_on_is_known_and_no_failure() {
        let (reader, writer) = io::pipe().unwrap();
        let to = To::Special(File::from(std::os::fd::OwnedFd::from(writer)));
        let mut output = Output { to, path: None, bytes: 0, sum: EMPTY, nobody_reads: false };
        output.write("1\n").unwrap();
        assert!(!output.nobody_reads());
        drop(reader);
        output.write("2\n").unwrap();
        assert!(output.nobody_reads());
        // Nothing more is written then.
        output.write("3\n").unwrap();
        assert_eq!(output.bytes, 4);
    }
}
