//! The CSV file of a sweep, which is also its journal: finished runs in the file are not trained again.
//!
//! After the first line, further lines that begin with # state facts that hold for all runs
//! ([`vivarium_view::record::preamble`]). The columns are those of a [`ColumnLayout`].
//!
//! # Why
//! A sweep of hours is interrupted sooner or later, and a second file next to the results would be lost or
//! mixed up. The first line names the sweep, so that no other sweep continues in it. A finished run is
//! written with all its networks in one write, and a run that was cut off is trained again. Runs are in the
//! order in which they finished until the last one has; then they are sorted, and the file does not depend on
//! threads, interruptions and shards. The process that adds runs holds a lock on the file, which the system
//! releases when the process ends.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use super::disk::{Disk, PartFile, open_locked};
use super::print::NameVersion;
pub use layout::NetworkOutcome;
use layout::{ColumnLayout, sweep_link};
use vivarium_model::permalink::decode_within;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::{axes_with_value_indices, count_runs_usize};
use vivarium_model::sweep::{MAX_SWEEP_RUNS, SweepCell};
use vivarium_training::session::Outcome;

mod layout;

/// Start of the first line of a sweep file; the shard and the link of the sweep follow.
const FIRST_LINE_PREFIX: &str = "# lab sweep ";

/// Whether these first bytes of a file are those of a sweep file, as `lab sweep` writes it.
pub fn is_journal(bytes: &[u8]) -> bool {
    bytes.starts_with(FIRST_LINE_PREFIX.as_bytes())
}

/// One part of the runs of a sweep: run `number - 1` and every `count`-th run after it, with runs counted
/// from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Number of this part of the sweep, from 1 to the number of parts.
    pub number: usize,
    /// Number of parts into which the runs of the sweep are divided.
    pub count: usize,
}

impl Shard {
    /// The only part of an undivided sweep, with all runs.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Parses "2/8", the second of 8 parts.
    ///
    /// # Errors
    /// A sentence with the expected form.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let shard = parts.map(|(number, of)| Shard { number, count: of });
        let is_one = |shard: &Shard| (1..=shard.count).contains(&shard.number);
        shard.filter(is_one).ok_or_else(|| {
            let form = format!(
                "{text} is not a part of a sweep: expected, for example, 2/8, the second of 8 parts"
            );
            match shard {
                Some(Shard { number, count }) if number > count => format!(
                    "{form}. The second number is the number of all parts of the sweep, even if only some of them are \
                     trained now, such as the failed tasks of a Slurm array"
                ),
                _ => form,
            }
        })
    }

    /// Whether the run with this number, from 0, belongs to this part.
    pub fn contains(self, run: usize) -> bool {
        run % self.count == self.number - 1
    }
}

impl fmt::Display for Shard {
    /// Writes the part as `Shard::parse` reads it, such as "2/8".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

/// Start of the first line of a sweep file with the runs of `shard`; the link of the sweep follows.
fn first_line_prefix(shard: Shard) -> String {
    let shard = if shard == Shard::WHOLE { String::new() } else { format!("{shard} ") };
    format!("{FIRST_LINE_PREFIX}{shard}")
}

/// Column layouts of one sweep file: index 0 with the new, index 1 with the old names of measures.
#[derive(Debug, Clone)]
struct VersionedLayouts([ColumnLayout; 2]);

impl VersionedLayouts {
    /// Column layouts of the sweep of `spec`, with the new and with the old names of measures.
    fn of(spec: &RunSpec) -> VersionedLayouts {
        VersionedLayouts([NameVersion::New, NameVersion::Old].map(|names| ColumnLayout::of(spec, names)))
    }

    /// The column layout with the new or the old names of measures.
    fn for_names(&self, names: NameVersion) -> &ColumnLayout {
        &self.0[names as usize]
    }

    /// The lines of a sweep file before its first run: link, description of the sweep and column names, for
    /// the runs of `shard`.
    fn header_lines(&self, spec: &RunSpec, shard: Shard, names: NameVersion) -> String {
        self.for_names(names).header_lines(spec, &first_line_prefix(shard))
    }
}

/// Number of networks of run `number`, from 0, of a sweep: its replicas, which the sweep may vary.
fn count_networks(spec: &RunSpec, number: usize) -> usize {
    let swept = axes_with_value_indices(spec, number).find(|(axis, _)| axis.key == "replicas");
    let value = swept.and_then(|(axis, at)| axis.values.get(at));
    value.and_then(|value| value.parse().ok()).unwrap_or(spec.run.replicas)
}

/// Location of the lines of one run in the sweep files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RunLocation {
    /// Index, from 0, of the file with the lines of the run in [`SweepIndex::files`].
    file_index: usize,
    /// Byte offset, from 0, of the first line of the run in its file.
    offset: u64,
    /// Number of bytes of all lines of the run; they follow each other in the file.
    byte_length: usize,
}

/// Index of the finished runs in one or several sweep files.
///
/// # Why
/// A million runs are a gigabyte of text, so only the location of each run is kept in memory. The files stay
/// open: the locations remain valid when another file takes the name.
#[derive(Debug)]
pub struct SweepIndex {
    /// Settings of the sweep, with its swept settings and their values.
    pub spec: RunSpec,
    /// Part of the runs of the sweep that belong in the sweep file.
    pub shard: Shard,
    /// Whether the column names of the sweep file are the new or the old names of measures.
    pub names: NameVersion,
    /// Columns of the sweep's files, with the new and with the old names of measures.
    layouts: VersionedLayouts,
    /// Open files, each with the version of its names of measures: first the sweep file itself, then the
    /// files that were merged in. None for a text that was not read from a file.
    files: Vec<(Option<File>, NameVersion)>,
    /// Location of the lines of each finished run, by the number of the run in the sweep, from 0.
    run_locations: BTreeMap<usize, RunLocation>,
    /// Bytes of the sweep file up to the end of its last whole run; further bytes are those of a run that was
    /// cut off.
    valid_bytes: u64,
    /// Whether the header is as this version writes it, and the runs are in ascending order.
    is_sorted: bool,
}

/// Reads the next line with its line break; None at the end of the file, or if the last line has no line
/// break.
fn read_whole_line(from: &mut impl BufRead) -> Result<Option<String>, anyhow::Error> {
    let mut line = vec![];
    from.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    Ok(Some(String::from_utf8(line).map_err(|_| anyhow!("the file is not text in UTF-8"))?))
}

impl SweepIndex {
    /// Reads the sweep file at `path`.
    ///
    /// # Errors
    /// When it is not a sweep file, or is damaged elsewhere than in its last run.
    pub fn read(path: &Path) -> Result<SweepIndex, anyhow::Error> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        SweepIndex::from_file(file, path)
    }

    /// Reads an open sweep file; `path` is only for error messages.
    fn from_file(file: File, path: &Path) -> Result<SweepIndex, anyhow::Error> {
        let found = (&file).seek(SeekFrom::Start(0)).map_err(anyhow::Error::from);
        let found = found.and_then(|_| SweepIndex::parse(&mut BufReader::new(&file)));
        let found = found.with_context(|| format!("{} cannot be used", path.display()))?;
        Ok(SweepIndex { files: vec![(Some(file), found.names)], ..found })
    }

    /// Parses the header lines and the lines of all runs of a sweep file, without storing the file itself.
    fn parse(from: &mut impl BufRead) -> Result<SweepIndex, anyhow::Error> {
        let line = read_whole_line(from)?.unwrap_or_default();
        let first = line.strip_prefix(FIRST_LINE_PREFIX);
        let first = first.ok_or_else(|| anyhow!("the file was not written by lab sweep"))?.trim_end();
        let (shard, link) = match first.split_once(' ') {
            Some((shard, link)) => (Shard::parse(shard).map_err(|why| anyhow!(why))?, link),
            None => (Shard::WHOLE, first),
        };
        let (link, notices) = decode_within(link, MAX_SWEEP_RUNS);
        if let Some(notice) = notices.first() {
            bail!("the link of its sweep cannot be read: {notice}");
        }
        let spec = link.spec;
        let layouts = VersionedLayouts::of(&spec);
        let (mut begun, mut at) = (line, 2);
        let mut next = read_whole_line(from)?.unwrap_or_default();
        while next.starts_with('#') {
            begun += &next;
            next = read_whole_line(from)?.unwrap_or_default();
            at += 1;
        }
        let has = |names: &NameVersion| layouts.for_names(*names).column_names().join(",") == next.trim_end();
        let Some(names) = [NameVersion::New, NameVersion::Old].into_iter().find(has) else {
            bail!(
                "line {at} should name the columns {}",
                layouts.for_names(NameVersion::New).column_names().join(",")
            );
        };
        // An editor may have changed the line breaks, and another version the link.
        begun += &next;
        let (whole, sorted) = (begun.len() as u64, begun == layouts.header_lines(&spec, shard, names));
        let files = vec![(None, names)];
        let mut found = SweepIndex {
            valid_bytes: whole,
            spec,
            shard,
            names,
            layouts,
            files,
            run_locations: BTreeMap::new(),
            is_sorted: sorted,
        };
        found.read_runs(from, at + 1)?;
        Ok(found)
    }

    /// Reads all runs from `from`, whose next line is line `line_number` (from 1) of the file. A run that is
    /// cut off at the end of the file is left out.
    fn read_runs(&mut self, from: &mut impl BufRead, mut line_number: usize) -> Result<(), anyhow::Error> {
        let mut next = read_whole_line(from)?;
        while let Some(first) = next {
            let number = first.split(',').next().and_then(|cell| cell.parse::<usize>().ok());
            let number =
                number.filter(|cell| *cell < count_runs_usize(&self.spec) && self.shard.contains(*cell));
            let networks = number.map_or(1, |number| count_networks(&self.spec, number));
            let mut group = vec![first];
            while group.len() < networks
                && let Some(line) = read_whole_line(from)?
            {
                group.push(line);
            }
            next = read_whole_line(from)?;
            let is_of = |(replica, line): (usize, &String)| {
                let layout = self.layouts.for_names(self.names);
                number.is_some_and(|number| layout.parse_outcome(line, number, replica, 0).is_some())
            };
            let is_good = group.len() == networks && group.iter().enumerate().all(is_of);
            match number.filter(|_| is_good) {
                Some(number) => {
                    let length = group.iter().map(String::len).sum();
                    if !self.append_run(number, length) {
                        bail!("line {line_number} holds run {number} a second time");
                    }
                    line_number += networks;
                }
                // A run that is cut off at the end is trained again.
                None if next.is_none() => return Ok(()),
                None => bail!("line {line_number} or one of the next {networks} lines is damaged"),
            }
        }
        Ok(())
    }

    /// Adds run `number`, from 0, to the index; its lines are the `byte_length` bytes of the sweep file that
    /// follow the first [`SweepIndex::valid_bytes`] bytes. Returns false if the run was already in the index.
    fn append_run(&mut self, number: usize, byte_length: usize) -> bool {
        self.is_sorted &= self.run_locations.last_key_value().is_none_or(|(last, _)| *last < number);
        let place = RunLocation { file_index: 0, offset: self.valid_bytes, byte_length };
        self.valid_bytes += byte_length as u64;
        self.run_locations.insert(number, place).is_none()
    }

    /// Adds the runs in the index of another file of the same sweep.
    ///
    /// # Errors
    /// Number of a run that both have.
    pub fn merge(&mut self, other: SweepIndex) -> Result<(), usize> {
        let before = self.files.len();
        self.files.extend(other.files);
        for (number, place) in other.run_locations {
            let place = RunLocation { file_index: before + place.file_index, ..place };
            if self.run_locations.insert(number, place).is_some() {
                return Err(number);
            }
        }
        Ok(())
    }

    /// Number of runs in the index, all of which have finished.
    pub fn run_count(&self) -> usize {
        self.run_locations.len()
    }

    /// For each network of run `number`, from 0: the step at which it reached the target, its last step and
    /// its held-out accuracy. None if the run has not finished or cannot be read.
    pub fn read_outcomes(&self, number: usize) -> Option<Vec<NetworkOutcome>> {
        let place = self.run_locations.get(&number)?;
        let (file, names) = self.files.get(place.file_index)?;
        let (lines, layout) = (read_lines_at(file.as_ref()?, place).ok()?, self.layouts.for_names(*names));
        let budget = self.spec.run.steps;
        let ended = |(replica, line)| layout.parse_outcome(line, number, replica, budget);
        lines.lines().enumerate().map(ended).collect()
    }

    /// Numbers of the runs in [`SweepIndex::shard`] that have not finished: positions in the whole sweep,
    /// from 0, ascending.
    pub fn missing_runs(&self) -> Vec<usize> {
        let wanted = (0..count_runs_usize(&self.spec)).filter(|number| self.shard.contains(*number));
        wanted.filter(|number| !self.run_locations.contains_key(number)).collect()
    }

    /// Writes all runs of the index in ascending order to a new file that replaces the one at `path`.
    ///
    /// # Errors
    /// When it cannot be written, or a file of its runs cannot be read.
    pub fn write_sorted(&mut self, disk: &dyn Disk, path: &Path) -> Result<(), anyhow::Error> {
        let beside = PartFile::open(disk, path, false)?;
        let written = self.copy_runs(&beside).and_then(|lengths| Ok((lengths, beside.replace_target()?)));
        let (lengths, file) = written.with_context(|| format!("cannot write {}", path.display()))?;
        self.files = vec![(Some(file), self.names)];
        self.is_sorted = true;
        self.valid_bytes = self.layouts.header_lines(&self.spec, self.shard, self.names).len() as u64;
        for (place, length) in self.run_locations.values_mut().zip(lengths) {
            *place = RunLocation { file_index: 0, offset: self.valid_bytes, byte_length: length };
            self.valid_bytes += length as u64;
        }
        Ok(())
    }

    /// Writes the header and the lines of all runs, in ascending order of their numbers, to the part file.
    /// Returns the number of bytes of each run, in this order.
    fn copy_runs(&self, part: &PartFile<'_>) -> std::io::Result<Vec<usize>> {
        part.truncate(0)?;
        let mut text = self.layouts.header_lines(&self.spec, self.shard, self.names);
        let mut lengths = Vec::with_capacity(self.run_locations.len());
        for (number, place) in &self.run_locations {
            let lines = self.read_run_lines(*number, place)?;
            lengths.push(lines.len());
            text += &lines;
            if text.len() > 1 << 20 {
                part.append(text.as_bytes())?;
                text.clear();
            }
        }
        part.append(text.as_bytes())?;
        Ok(lengths)
    }

    /// Reads the lines of run `number` (one for each network) and converts them to the column names of this
    /// index.
    fn read_run_lines(&self, number: usize, location: &RunLocation) -> std::io::Result<String> {
        let invalid = || std::io::Error::from(std::io::ErrorKind::InvalidData);
        let (file, names) = &self.files[location.file_index];
        let lines = read_lines_at(file.as_ref().ok_or_else(invalid)?, location)?;
        if *names == self.names {
            return Ok(lines);
        }
        let (from, to) = (self.layouts.for_names(*names), self.layouts.for_names(self.names));
        from.convert_lines(&lines, to, &self.spec, number).ok_or_else(invalid)
    }
}

/// Reads the lines of a run from the position `location` of `file`, without converting names of measures.
fn read_lines_at(mut file: &File, location: &RunLocation) -> std::io::Result<String> {
    let mut bytes = vec![0; location.byte_length];
    file.seek(SeekFrom::Start(location.offset))?;
    file.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|why| std::io::Error::new(std::io::ErrorKind::InvalidData, why))
}

/// A locked sweep file to which this process adds finished runs.
pub struct Journal<'a> {
    /// File operations through which the sweep file is written.
    disk: &'a dyn Disk,
    /// Path of the sweep file, for error messages and to sort it at the end.
    path: PathBuf,
    /// The sweep file, locked by this process; lines of finished runs are appended to it.
    file: File,
    /// Index of the finished runs in the sweep file.
    pub index: SweepIndex,
    /// Whether the columns had other names, so that the file was written again.
    pub has_renamed_columns: bool,
}

impl<'a> Journal<'a> {
    /// Opens or creates the sweep file at `path` for the runs of `shard`.
    ///
    /// # Errors
    /// When the file contains something else or another part, another process has locked it, or it cannot be
    /// written.
    pub fn open(
        disk: &'a dyn Disk,
        path: &Path,
        spec: &RunSpec,
        shard: Shard,
        names: NameVersion,
    ) -> Result<Journal<'a>, anyhow::Error> {
        let file = open_locked(disk, path)?;
        let place = path.display();
        let cannot = || format!("cannot write {place}");
        let head = VersionedLayouts::of(spec).header_lines(spec, shard, names);
        let mut begun = vec![];
        (&file)
            .take(head.len() as u64)
            .read_to_end(&mut begun)
            .with_context(|| format!("cannot read {place}"))?;
        // Also a file that was cut off within its header.
        if begun.len() < head.len() && head.as_bytes().starts_with(&begun) {
            disk.truncate(&file, 0).with_context(cannot)?;
            disk.append(&file, head.as_bytes()).with_context(cannot)?;
        }
        let mut found = SweepIndex::from_file(file.try_clone().with_context(cannot)?, path)?;
        if sweep_link(&found.spec) != sweep_link(spec) {
            bail!(
                "{place} contains another sweep, {}: choose another file with --output",
                sweep_link(&found.spec)
            );
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
            // The whole file is rewritten before anything is added; the new file is locked like the old one.
            found.write_sorted(disk, path)?;
            let file = found.files[0].0.as_ref().map(File::try_clone).transpose().with_context(cannot)?;
            let file = file.ok_or_else(|| anyhow!("cannot write {place}"))?;
            return Ok(Journal {
                disk,
                path: path.into(),
                file,
                index: found,
                has_renamed_columns: is_renamed,
            });
        }
        if file.metadata().with_context(cannot)?.len() > found.valid_bytes {
            disk.truncate(&file, found.valid_bytes).with_context(cannot)?;
        }
        Ok(Journal { disk, path: path.into(), file, index: found, has_renamed_columns: is_renamed })
    }

    /// CSV lines of run `number`, which has finished: one for each network. [`Journal::add_run`] appends
    /// them.
    pub fn format_lines(&self, number: usize, cell: &SweepCell, outcome: &Outcome) -> String {
        let found = &self.index;
        found.layouts.for_names(found.names).format_run(&found.spec, number, cell, outcome)
    }

    /// Appends the `lines` of run `number`, which has finished, to the sweep file.
    ///
    /// # Errors
    /// When they cannot be written; the runs before are unchanged then.
    pub fn add_run(&mut self, number: usize, lines: &str) -> Result<(), anyhow::Error> {
        let written = self.disk.append(&self.file, lines.as_bytes());
        if written.is_err() {
            // If this fails too, the next process that opens the file cuts it.
            let _ = self.disk.truncate(&self.file, self.index.valid_bytes);
        }
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.index.append_run(number, lines.len());
        Ok(())
    }

    /// Sorts the runs in the file if they are not in ascending order, and waits until the file is on the
    /// disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<SweepIndex, anyhow::Error> {
        if self.index.is_sorted {
            let safe = self.disk.sync(&self.file);
            safe.with_context(|| format!("cannot write {}", self.path.display()))?;
        } else {
            self.index.write_sorted(self.disk, &self.path)?;
        }
        Ok(self.index)
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

/// Header lines of a sweep file with the new names of measures.
#[cfg(test)]
fn head(spec: &RunSpec, shard: Shard) -> String {
    VersionedLayouts::of(spec).header_lines(spec, shard, NameVersion::New)
}

/// CSV lines of a finished run, one for each network, with the new names of measures.
#[cfg(test)]
fn lines(spec: &RunSpec, number: usize, cell: &SweepCell, outcome: &Outcome) -> String {
    ColumnLayout::of(spec, NameVersion::New).format_run(spec, number, cell, outcome)
}

/// Start of the error message about a damaged run whose first line is line number `line_offset`, from 1,
/// after the lines of `head`.
#[cfg(test)]
fn damaged_line_text(head: &str, line_offset: usize) -> String {
    format!("line {} or", head.lines().count() + line_offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::SystemDisk;

    const LINK: &str = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3";

    fn file(extra: &str) -> String {
        let spec = decode_within(LINK, 100).0.spec;
        head(&spec, Shard::WHOLE) + extra
    }

    const FIRST: &str = "0,10,2,0,4 7,0,1,50,900,50,0.1,1,0.2,1\n0,10,2,0,4 7,1,0,,900,900,0.7,0.5,NaN,0.5\n";
    const LAST: &str = "3,20,3,0,4 7 9,0,1,50,900,50,0.1,1,0.2,1\n3,20,3,0,4 7 9,1,1,60,900,60,0.1,1,0.2,1\n";

    fn of(text: &[u8]) -> Result<SweepIndex, anyhow::Error> {
        SweepIndex::parse(&mut &text[..])
    }

    fn times_of(found: &SweepIndex, run: usize) -> Option<Vec<Option<u64>>> {
        Some(found.read_outcomes(run)?.iter().map(|network| network.solved).collect())
    }

    #[test]
    fn a_cut_end_is_left_out_wherever_it_was_cut() {
        let whole = file(&[FIRST, LAST].concat());
        let path = std::env::temp_dir().join(format!("vivarium-journal-{}.csv", std::process::id()));
        std::fs::write(&path, &whole).unwrap();
        let mut found = SweepIndex::read(&path).unwrap();
        let times = [Some(vec![Some(50), None]), Some(vec![Some(50), Some(60)]), None];
        assert_eq!([0, 3, 1].map(|run| times_of(&found, run)), times);
        assert_eq!((found.missing_runs(), found.valid_bytes), (vec![1, 2], whole.len() as u64));
        found.write_sorted(&SystemDisk, &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        // Runs in another order, in two files, and in the right order.
        std::fs::write(&path, file(&[LAST, FIRST].concat())).unwrap();
        let mut turned = SweepIndex::read(&path).unwrap();
        assert!(!turned.is_sorted);
        assert_eq!([0, 3, 1].map(|run| times_of(&turned, run)), times);
        assert_eq!(turned.merge(SweepIndex::read(&path).unwrap()), Err(0));
        turned.write_sorted(&SystemDisk, &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        assert_eq!([0, 3, 1].map(|run| times_of(&turned, run)), times);
        assert_eq!(turned.run_count(), 2);
        std::fs::remove_file(&path).unwrap();
        let first = file(FIRST).len();
        for cut in first..whole.len() {
            let found = of(&whole.as_bytes()[..cut]).unwrap();
            assert_eq!((found.run_count(), found.valid_bytes), (1, first as u64), "{cut}");
        }
        assert!(of(&whole.as_bytes()[..20]).is_err());
    }

    #[test]
    fn what_is_damaged_elsewhere_is_named() {
        let said = |extra: &str| format!("{:#}", of(file(extra).as_bytes()).unwrap_err());
        let (third, seventh) = (damaged_line_text(&file(""), 1), file("").lines().count() + 5);
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
            assert_eq!((0..8).filter(|cell| shard.contains(*cell)).collect::<Vec<usize>>(), cells);
            assert_eq!(shard.to_string(), text);
        }
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(Shard::parse(bad).unwrap_err().contains("for example, 2/8"), "{bad}");
        }
        // Task 7 of a Slurm array of which two tasks were submitted again.
        let said = Shard::parse("7/2").unwrap_err();
        assert!(said.contains("number of all parts of the sweep") && said.contains("Slurm"), "{said}");
    }
}
