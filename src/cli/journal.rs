//! The CSV of a sweep, which is also its journal: what stands in it is not made again.
//!
//! Behind the first line, further lines that begin with # say what is known of all runs ([`vivarium_view::record::preamble`]). The
//! columns are those of a [`Layout`].
//!
//! # Why
//! A sweep of hours is interrupted sooner or later, and a second file beside the results would be lost or mixed up. The
//! first line names the sweep, so that no other goes on in it; a run is written at once with all its networks when it
//! has ended, in one go, and an end that was cut off is made again. Runs stand in the order in which they ended until the
//! last one has: then they are sorted, and the file is the same whatever the threads, interruptions and shards were. Who
//! adds to it holds a lock on it, which the system releases when the process ends, however it ends.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use super::disk::{Beside, Disk, open_alone};
use super::print::Names;
pub use layout::Ended;
use layout::{Layout, name};
use vivarium_model::permalink::decode_within;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::{count, places};
use vivarium_model::sweep::{Cell, MOST_AT_ALL};
use vivarium_training::session::Outcome;

mod layout;

/// How the first line begins.
const BEGINNING: &str = "# lab sweep ";

/// Whether these are the first bytes of such a file.
pub fn is_journal(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGINNING.as_bytes())
}

/// Which of the runs of a sweep are made: every so many, beginning with this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Shard {
    /// All of them.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// From `2/8`.
    ///
    /// # Errors
    /// What is expected.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let shard = parts.map(|(number, of)| Shard { number, of });
        let is_one = |shard: &Shard| (1..=shard.of).contains(&shard.number);
        shard.filter(is_one).ok_or_else(|| {
            format!("{text} is not a part of a sweep: expected, for example, 2/8, the second of 8 parts")
        })
    }

    /// Whether run `cell` is one of its.
    pub fn has(self, cell: usize) -> bool {
        cell % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// How the first line begins, for a part of the runs.
fn beginning(shard: Shard) -> String {
    let shard = if shard == Shard::WHOLE { String::new() } else { format!("{shard} ") };
    format!("{BEGINNING}{shard}")
}

/// The columns of a sweep's file under the names of this version and of the one before.
#[derive(Debug, Clone)]
struct Layouts([Layout; 2]);

impl Layouts {
    fn of(spec: &RunSpec) -> Layouts {
        Layouts([Names::New, Names::Old].map(|names| Layout::of(spec, names)))
    }

    fn under(&self, names: Names) -> &Layout {
        &self.0[names as usize]
    }

    /// The lines before the first run.
    fn head(&self, spec: &RunSpec, shard: Shard, names: Names) -> String {
        self.under(names).head(spec, &beginning(shard))
    }
}

/// How many networks run `number` has.
fn networks(spec: &RunSpec, number: usize) -> usize {
    let swept = places(spec, number).find(|(axis, _)| axis.key == "replicas");
    let value = swept.and_then(|(axis, at)| axis.values.get(at));
    value.and_then(|value| value.parse().ok()).unwrap_or(spec.run.replicas)
}

/// Where the lines of a run stand: in which file, from which byte on, and how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    file: usize,
    at: u64,
    length: usize,
}

/// The runs that stand in a file, or in several, and how much of it is whole.
///
/// # Why
/// A million runs are a gigabyte of text: what is kept of each is where it stands. The files stay open, so that it still
/// stands there when another one has taken the name.
#[derive(Debug)]
pub struct Found {
    /// The sweep.
    pub spec: RunSpec,
    /// Which of its runs are wanted.
    pub shard: Shard,
    /// The names under which it is written.
    pub names: Names,
    layouts: Layouts,
    /// The files, each with the names that it has.
    files: Vec<(Option<File>, Names)>,
    /// Where each run stands that has ended.
    cells: BTreeMap<usize, Place>,
    /// Bytes up to where the last of them ends.
    whole: u64,
    /// Whether the first lines are as they are written here, and the runs in order.
    sorted: bool,
}

/// The next line with its end; none where there is no more, or it was cut off.
fn next_line(from: &mut impl BufRead) -> Result<Option<String>, anyhow::Error> {
    let mut line = vec![];
    from.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    Ok(Some(String::from_utf8(line).map_err(|_| anyhow!("the file is not text in UTF-8"))?))
}

impl Found {
    /// What stands in the file at `path`.
    ///
    /// # Errors
    /// When it is no sweep's, or damaged elsewhere than at its end.
    pub fn read(path: &Path) -> Result<Found, anyhow::Error> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Found::in_file(file, path)
    }

    /// What stands in this file, which is at `path`.
    fn in_file(file: File, path: &Path) -> Result<Found, anyhow::Error> {
        let found = (&file).seek(SeekFrom::Start(0)).map_err(anyhow::Error::from);
        let found = found.and_then(|_| Found::of(&mut BufReader::new(&file)));
        let found = found.with_context(|| format!("{} cannot be used", path.display()))?;
        Ok(Found { files: vec![(Some(file), found.names)], ..found })
    }

    fn of(from: &mut impl BufRead) -> Result<Found, anyhow::Error> {
        let line = next_line(from)?.unwrap_or_default();
        let first = line.strip_prefix(BEGINNING);
        let first = first.ok_or_else(|| anyhow!("the file was not written by lab sweep"))?.trim_end();
        let (shard, link) = match first.split_once(' ') {
            Some((shard, link)) => (Shard::parse(shard).map_err(|why| anyhow!(why))?, link),
            None => (Shard::WHOLE, first),
        };
        let (link, notices) = decode_within(link, MOST_AT_ALL);
        if let Some(notice) = notices.first() {
            bail!("the link of its sweep cannot be read: {notice}");
        }
        let spec = link.spec;
        let layouts = Layouts::of(&spec);
        let (mut begun, mut at) = (line, 2);
        let mut next = next_line(from)?.unwrap_or_default();
        while next.starts_with('#') {
            begun += &next;
            next = next_line(from)?.unwrap_or_default();
            at += 1;
        }
        let has = |names: &Names| layouts.under(*names).columns().join(",") == next.trim_end();
        let Some(names) = [Names::New, Names::Old].into_iter().find(has) else {
            bail!("line {at} should name the columns {}", layouts.under(Names::New).columns().join(","));
        };
        // An editor may have written other ends of lines, and another version another link.
        begun += &next;
        let (whole, sorted) = (begun.len() as u64, begun == layouts.head(&spec, shard, names));
        let files = vec![(None, names)];
        let mut found = Found { whole, spec, shard, names, layouts, files, cells: BTreeMap::new(), sorted };
        found.take(from, at + 1)?;
        Ok(found)
    }

    /// Takes the runs in, each with all its lines.
    fn take(&mut self, from: &mut impl BufRead, mut at: usize) -> Result<(), anyhow::Error> {
        let mut next = next_line(from)?;
        while let Some(first) = next {
            let number = first.split(',').next().and_then(|cell| cell.parse::<usize>().ok());
            let number = number.filter(|cell| *cell < count(&self.spec) && self.shard.has(*cell));
            let networks = number.map_or(1, |number| networks(&self.spec, number));
            let mut group = vec![first];
            while group.len() < networks
                && let Some(line) = next_line(from)?
            {
                group.push(line);
            }
            next = next_line(from)?;
            let is_of = |(replica, line): (usize, &String)| {
                let layout = self.layouts.under(self.names);
                number.is_some_and(|number| layout.ended(line, number, replica, 0).is_some())
            };
            let is_good = group.len() == networks && group.iter().enumerate().all(is_of);
            match number.filter(|_| is_good) {
                Some(number) => {
                    let length = group.iter().map(String::len).sum();
                    if !self.insert(number, length) {
                        bail!("line {at} holds run {number} a second time");
                    }
                    at += networks;
                }
                // The end is made again, wherever in its last run it was cut.
                None if next.is_none() => return Ok(()),
                None => bail!("line {at} or one of the next {networks} lines is damaged"),
            }
        }
        Ok(())
    }

    /// A run of so many bytes stands behind all others of the first file; whether it is a new one.
    fn insert(&mut self, number: usize, length: usize) -> bool {
        self.sorted &= self.cells.last_key_value().is_none_or(|(last, _)| *last < number);
        let place = Place { file: 0, at: self.whole, length };
        self.whole += length as u64;
        self.cells.insert(number, place).is_none()
    }

    /// Takes in the runs of another file; the number of one that is there already.
    ///
    /// # Errors
    /// That number.
    pub fn absorb(&mut self, other: Found) -> Result<(), usize> {
        let before = self.files.len();
        self.files.extend(other.files);
        for (number, place) in other.cells {
            let place = Place { file: before + place.file, ..place };
            if self.cells.insert(number, place).is_some() {
                return Err(number);
            }
        }
        Ok(())
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.cells.len()
    }

    /// What the networks of run `number` came to, if it has ended.
    pub fn ended(&self, number: usize) -> Option<Vec<Ended>> {
        let place = self.cells.get(&number)?;
        let (file, names) = self.files.get(place.file)?;
        let (lines, layout) = (lines_at(file.as_ref()?, place).ok()?, self.layouts.under(*names));
        let budget = self.spec.run.steps;
        let ended = |(replica, line)| layout.ended(line, number, replica, budget);
        lines.lines().enumerate().map(ended).collect()
    }

    /// Runs that are wanted and not there.
    pub fn missing(&self) -> Vec<usize> {
        let wanted = (0..count(&self.spec)).filter(|number| self.shard.has(*number));
        wanted.filter(|number| !self.cells.contains_key(number)).collect()
    }

    /// Writes the whole file, its runs in order: who reads it meanwhile sees the old one or the new one.
    ///
    /// # Errors
    /// When it cannot be written, or a file of its runs cannot be read.
    pub fn write(&mut self, disk: &dyn Disk, path: &Path) -> Result<(), anyhow::Error> {
        let beside = Beside::open(disk, path, false)?;
        let written = self.copy(&beside).and_then(|lengths| Ok((lengths, beside.finish()?)));
        let (lengths, file) = written.with_context(|| format!("cannot write {}", path.display()))?;
        self.files = vec![(Some(file), self.names)];
        self.sorted = true;
        self.whole = self.layouts.head(&self.spec, self.shard, self.names).len() as u64;
        for (place, length) in self.cells.values_mut().zip(lengths) {
            *place = Place { file: 0, at: self.whole, length };
            self.whole += length as u64;
        }
        Ok(())
    }

    /// Copies the head and all runs in order; the bytes of each run.
    fn copy(&self, to: &Beside<'_>) -> std::io::Result<Vec<usize>> {
        to.cut(0)?;
        let mut text = self.layouts.head(&self.spec, self.shard, self.names);
        let mut lengths = Vec::with_capacity(self.cells.len());
        for (number, place) in &self.cells {
            let lines = self.lines_of(*number, place)?;
            lengths.push(lines.len());
            text += &lines;
            if text.len() > 1 << 20 {
                to.append(text.as_bytes())?;
                text.clear();
            }
        }
        to.append(text.as_bytes())?;
        Ok(lengths)
    }

    /// The lines of a run, under the names under which the file is written.
    fn lines_of(&self, number: usize, place: &Place) -> std::io::Result<String> {
        let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let (file, names) = &self.files[place.file];
        let lines = lines_at(file.as_ref().ok_or_else(invalid)?, place)?;
        if *names == self.names {
            return Ok(lines);
        }
        let (from, to) = (self.layouts.under(*names), self.layouts.under(self.names));
        from.turned(&lines, to, &self.spec, number).ok_or_else(invalid)
    }
}

/// The lines of a run.
fn lines_at(mut file: &File, place: &Place) -> std::io::Result<String> {
    let mut bytes = vec![0; place.length];
    file.seek(SeekFrom::Start(place.at))?;
    file.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|why| std::io::Error::new(std::io::ErrorKind::InvalidData, why))
}

/// A file that runs are added to, by this process alone.
pub struct Journal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    file: File,
    /// What stands in it.
    pub found: Found,
    /// Whether it had other names, and was written again.
    pub is_renamed: bool,
}

impl<'a> Journal<'a> {
    /// The file at `path`, for these runs of the sweep of `spec`: what it has of them, or a new one.
    ///
    /// # Errors
    /// When it holds something else, another process adds to it, or it cannot be written.
    pub fn open(
        disk: &'a dyn Disk,
        path: &Path,
        spec: &RunSpec,
        shard: Shard,
        names: Names,
    ) -> Result<Journal<'a>, anyhow::Error> {
        let file = open_alone(disk, path)?;
        let place = path.display();
        let cannot = || format!("cannot write {place}");
        let head = Layouts::of(spec).head(spec, shard, names);
        let mut begun = vec![];
        (&file)
            .take(head.len() as u64)
            .read_to_end(&mut begun)
            .with_context(|| format!("cannot read {place}"))?;
        // Also one that was cut off before its first run.
        if begun.len() < head.len() && head.as_bytes().starts_with(&begun) {
            disk.cut(&file, 0).with_context(cannot)?;
            disk.append(&file, head.as_bytes()).with_context(cannot)?;
        }
        let mut found = Found::in_file(file.try_clone().with_context(cannot)?, path)?;
        if name(&found.spec) != name(spec) {
            bail!("{place} contains another sweep, {}: choose another file with --output", name(&found.spec));
        }
        if found.shard != shard {
            bail!(
                "{place} contains part {} of this sweep, but this command makes part {shard}: choose another file with --output",
                found.shard
            );
        }
        found.spec = spec.clone();
        let is_renamed = found.names != names;
        found.names = names;
        if is_renamed {
            // All of it, before anything is added; the new file is locked as the old one was.
            found.write(disk, path)?;
            let file = found.files[0].0.as_ref().map(File::try_clone).transpose().with_context(cannot)?;
            let file = file.ok_or_else(|| anyhow!("cannot write {place}"))?;
            return Ok(Journal { disk, path: path.into(), file, found, is_renamed });
        }
        if file.metadata().with_context(cannot)?.len() > found.whole {
            disk.cut(&file, found.whole).with_context(cannot)?;
        }
        Ok(Journal { disk, path: path.into(), file, found, is_renamed })
    }

    /// The lines of a run that has ended, for [adding](Journal::add) them.
    pub fn lines(&self, number: usize, cell: &Cell, outcome: &Outcome) -> String {
        let found = &self.found;
        found.layouts.under(found.names).lines(&found.spec, number, cell, outcome)
    }

    /// Adds a run that has ended.
    ///
    /// # Errors
    /// When it cannot be written; what was there before is whole then.
    pub fn add(&mut self, number: usize, lines: &str) -> Result<(), anyhow::Error> {
        let written = self.disk.append(&self.file, lines.as_bytes());
        if written.is_err() {
            // If this is not possible either, the next one who opens it does it.
            let _ = self.disk.cut(&self.file, self.found.whole);
        }
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.found.insert(number, lines.len());
        Ok(())
    }

    /// Puts the runs in order.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<Found, anyhow::Error> {
        if self.found.sorted {
            let safe = self.disk.sync(&self.file);
            safe.with_context(|| format!("cannot write {}", self.path.display()))?;
        } else {
            self.found.write(self.disk, &self.path)?;
        }
        Ok(self.found)
    }
}

#[cfg(test)]
mod edge_tests;
#[cfg(test)]
#[cfg(unix)]
mod faults;
#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod naming_tests;

/// The lines before the first run.
#[cfg(test)]
fn head(spec: &RunSpec, shard: Shard) -> String {
    Layouts::of(spec).head(spec, shard, Names::New)
}

/// The lines of a run.
#[cfg(test)]
fn lines(spec: &RunSpec, number: usize, cell: &Cell, outcome: &Outcome) -> String {
    Layout::of(spec, Names::New).lines(spec, number, cell, outcome)
}

/// What a line says that is not among the first ones of a file of this sweep.
#[cfg(test)]
fn line_behind(head: &str, count: usize) -> String {
    format!("line {} or", head.lines().count() + count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Native;

    const LINK: &str = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3";

    fn file(extra: &str) -> String {
        let spec = decode_within(LINK, 100).0.spec;
        head(&spec, Shard::WHOLE) + extra
    }

    const FIRST: &str = "0,10,2,0,4 7,0,1,50,900,50,0.1,1,0.2,1\n0,10,2,0,4 7,1,0,,900,900,0.7,0.5,NaN,0.5\n";
    const LAST: &str = "3,20,3,0,4 7 9,0,1,50,900,50,0.1,1,0.2,1\n3,20,3,0,4 7 9,1,1,60,900,60,0.1,1,0.2,1\n";

    fn of(text: &[u8]) -> Result<Found, anyhow::Error> {
        Found::of(&mut &text[..])
    }

    fn times_of(found: &Found, run: usize) -> Option<Vec<Option<u64>>> {
        Some(found.ended(run)?.iter().map(|network| network.solved).collect())
    }

    #[test]
    fn a_cut_end_is_left_out_wherever_it_was_cut() {
        let whole = file(&[FIRST, LAST].concat());
        let path = std::env::temp_dir().join(format!("vivarium-journal-{}.csv", std::process::id()));
        std::fs::write(&path, &whole).unwrap();
        let mut found = Found::read(&path).unwrap();
        let times = [Some(vec![Some(50), None]), Some(vec![Some(50), Some(60)]), None];
        assert_eq!([0, 3, 1].map(|run| times_of(&found, run)), times);
        assert_eq!((found.missing(), found.whole), (vec![1, 2], whole.len() as u64));
        found.write(&Native, &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        // Runs in another order, of two files, and in the right one.
        std::fs::write(&path, file(&[LAST, FIRST].concat())).unwrap();
        let mut turned = Found::read(&path).unwrap();
        assert!(!turned.sorted);
        assert_eq!([0, 3, 1].map(|run| times_of(&turned, run)), times);
        assert_eq!(turned.absorb(Found::read(&path).unwrap()), Err(0));
        turned.write(&Native, &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        assert_eq!([0, 3, 1].map(|run| times_of(&turned, run)), times);
        assert_eq!(turned.runs(), 2);
        std::fs::remove_file(&path).unwrap();
        let first = file(FIRST).len();
        for cut in first..whole.len() {
            let found = of(&whole.as_bytes()[..cut]).unwrap();
            assert_eq!((found.runs(), found.whole), (1, first as u64), "{cut}");
        }
        assert!(of(&whole.as_bytes()[..20]).is_err());
    }

    #[test]
    fn what_is_damaged_elsewhere_is_named() {
        let said = |extra: &str| format!("{:#}", of(file(extra).as_bytes()).unwrap_err());
        let (third, seventh) = (line_behind(&file(""), 1), file("").lines().count() + 5);
        let damaged = FIRST.replacen("50,0.1", "5", 1);
        assert!(said(&[&damaged, LAST, LAST].concat()).starts_with(&third), "{}", said(&damaged));
        let twice = format!("line {seventh} holds run 0 a second time");
        assert!(said(&[FIRST, LAST, FIRST].concat()).contains(&twice));
        let elsewhere = FIRST.replace("0,10,2", "9,10,2");
        assert!(said(&[&elsewhere, FIRST, LAST].concat()).contains(&third));
        let other = "step,loss\n1,2\n";
        assert!(format!("{:#}", of(other.as_bytes()).unwrap_err()).contains("not written by lab sweep"));
    }

    #[test]
    fn shards_share_the_runs_evenly() {
        for (text, cells) in [("1/3", vec![0, 3, 6]), ("3/3", vec![2, 5]), ("1/1", (0..8).collect())] {
            let shard = Shard::parse(text).unwrap();
            assert_eq!((0..8).filter(|cell| shard.has(*cell)).collect::<Vec<usize>>(), cells);
            assert_eq!(shard.to_string(), text);
        }
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(Shard::parse(bad).unwrap_err().contains("for example, 2/8"), "{bad}");
        }
    }
}
