//! The CSV of a sweep, which is also its journal: what stands in it is not made again.
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
use crate::permalink::{Link, decode_within, encode};
use crate::protocol::Row;
use crate::run::cells::count;
use crate::run::{Halt, RunSpec};
use crate::settings::Axis;
use crate::sweep::{Cell, MOST_AT_ALL};
use crate::training::session::Outcome;

/// How the first line begins.
const BEGINNING: &str = "# lab sweep ";

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

/// What one network came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ended {
    /// The step at which it reached the target, if it did.
    pub solved: Option<u64>,
    /// The step at which it ended: that one, or its last.
    pub step: u64,
    /// Held-out accuracy there.
    pub accuracy: f32,
}

/// The settings that a sweep goes through.
pub fn axes(spec: &RunSpec) -> impl Iterator<Item = &Axis> {
    [&spec.run.sweep, &spec.run.series].into_iter().filter(|axis| !axis.is_empty())
}

/// The link that stands for a sweep, however it is shown.
fn name(spec: &RunSpec) -> String {
    encode(&Link::of(spec.clone()))
}

/// The first two lines.
fn head(spec: &RunSpec, shard: Shard) -> String {
    let shard = if shard == Shard::WHOLE { String::new() } else { format!("{shard} ") };
    format!("{BEGINNING}{shard}{}\n{}\n", name(spec), columns(spec).join(","))
}

/// The names of the columns: the run and its values, the network, and what it came to.
fn columns(spec: &RunSpec) -> Vec<String> {
    let mut columns = vec!["cell".to_string()];
    columns.extend(axes(spec).map(|axis| axis.key.clone()));
    if !columns.iter().any(|column| column == "seed") {
        columns.push("seed".into());
    }
    let rest = ["replica", "success", "step", "train_loss", "train_accuracy", "test_loss", "test_accuracy"];
    columns.extend(rest.map(String::from));
    columns
}

/// How many networks run `number` has.
fn networks(spec: &RunSpec, number: usize) -> usize {
    let lines = spec.run.series.values.len().max(1);
    let swept = [(&spec.run.sweep, number / lines), (&spec.run.series, number % lines)];
    let value =
        swept.into_iter().find(|(axis, _)| axis.key == "replicas").and_then(|(axis, at)| axis.values.get(at));
    value.and_then(|value| value.parse().ok()).unwrap_or(spec.run.replicas)
}

/// The lines of a run that has ended: one for each of its networks.
///
/// Losses and accuracies are those at the step at which the network ended.
pub fn lines(spec: &RunSpec, number: usize, cell: &Cell, outcome: &Outcome) -> String {
    let mut out = String::new();
    for (replica, solved) in outcome.solved.iter().enumerate() {
        let at = solved.filter(|_| cell.spec.run.halt == Halt::Target);
        let row = match at {
            Some(step) => outcome.rows.iter().find(|row| row.step == step),
            None => outcome.rows.last(),
        };
        let of = |column: fn(&Row) -> &Vec<f32>| {
            row.and_then(|row| column(row).get(replica)).map_or_else(|| "NaN".to_string(), f32::to_string)
        };
        let lines = spec.run.series.values.len().max(1);
        let places = [number / lines, number % lines];
        let mut cells = vec![number.to_string()];
        cells.extend(axes(spec).zip(places).filter_map(|(axis, at)| axis.values.get(at)).cloned());
        if axes(spec).all(|axis| axis.key != "seed") {
            cells.push(cell.spec.run.seed.to_string());
        }
        cells.push(replica.to_string());
        cells.push(u8::from(solved.is_some()).to_string());
        cells.push(solved.unwrap_or(outcome.step).to_string());
        cells.extend([
            of(|r| &r.train_loss),
            of(|r| &r.train_accuracy),
            of(|r| &r.test_loss),
            of(|r| &r.test_accuracy),
        ]);
        out += &cells.join(",");
        out.push('\n');
    }
    out
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
    files: Vec<File>,
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
        Ok(Found { files: vec![file], ..found })
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
        let columns = columns(&spec);
        let second = next_line(from)?.unwrap_or_default();
        if second.trim_end() != columns.join(",") {
            bail!("its second line should name the columns {}", columns.join(","));
        }
        // An editor may have written other ends of lines, and another version another link.
        let begun = line + &second;
        let (whole, sorted) = (begun.len() as u64, begun == head(&spec, shard));
        let mut found = Found { whole, spec, shard, files: vec![], cells: BTreeMap::new(), sorted };
        found.take(from, columns.len())?;
        Ok(found)
    }

    /// Takes the runs in, each with all its lines.
    fn take(&mut self, from: &mut impl BufRead, columns: usize) -> Result<(), anyhow::Error> {
        let mut at = 3;
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
                number.is_some_and(|number| ended(line, columns, number, replica).is_some())
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
        let columns = columns(&self.spec).len();
        let place = self.cells.get(&number)?;
        let lines = lines_at(self.files.get(place.file)?, place).ok()?;
        lines.lines().enumerate().map(|(replica, line)| ended(line, columns, number, replica)).collect()
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
        let written = self.copy(&beside).and_then(|()| beside.finish());
        self.files = vec![written.with_context(|| format!("cannot write {}", path.display()))?];
        self.sorted = true;
        self.whole = head(&self.spec, self.shard).len() as u64;
        for place in self.cells.values_mut() {
            *place = Place { file: 0, at: self.whole, ..*place };
            self.whole += place.length as u64;
        }
        Ok(())
    }

    fn copy(&self, to: &Beside<'_>) -> std::io::Result<()> {
        to.cut(0)?;
        let mut text = head(&self.spec, self.shard);
        for place in self.cells.values() {
            text += &lines_at(&self.files[place.file], place)?;
            if text.len() > 1 << 20 {
                to.append(text.as_bytes())?;
                text.clear();
            }
        }
        to.append(text.as_bytes())
    }
}

/// The lines of a run.
fn lines_at(mut file: &File, place: &Place) -> std::io::Result<String> {
    let mut bytes = vec![0; place.length];
    file.seek(SeekFrom::Start(place.at))?;
    file.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|why| std::io::Error::new(std::io::ErrorKind::InvalidData, why))
}

/// What a line says, if it is one of this network's.
fn ended(line: &str, columns: usize, number: usize, replica: usize) -> Option<Ended> {
    let cells: Vec<&str> = line.trim_end().split(',').collect();
    let [.., of, success, step, a, b, c, d] = cells.as_slice() else { return None };
    let are_numbers = [a, b, c, d].iter().all(|number| number.parse::<f32>().is_ok());
    let is_its = cells.len() == columns && cells[0].parse() == Ok(number) && of.parse() == Ok(replica);
    let step = step.parse().ok().filter(|_| are_numbers && is_its)?;
    let accuracy = d.parse().ok()?;
    match *success {
        "1" => Some(Ended { solved: Some(step), step, accuracy }),
        "0" => Some(Ended { solved: None, step, accuracy }),
        _ => None,
    }
}

/// A file that runs are added to, by this process alone.
pub struct Journal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    file: File,
    /// What stands in it.
    pub found: Found,
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
    ) -> Result<Journal<'a>, anyhow::Error> {
        let file = open_alone(disk, path)?;
        let place = path.display();
        let cannot = || format!("cannot write {place}");
        let head = head(spec, shard);
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
        if file.metadata().with_context(cannot)?.len() > found.whole {
            disk.cut(&file, found.whole).with_context(cannot)?;
        }
        Ok(Journal { disk, path: path.into(), file, found })
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
mod tests {
    use super::*;
    use crate::cli::disk::Native;

    const LINK: &str = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3";

    fn file(extra: &str) -> String {
        let spec = decode_within(LINK, 100).0.spec;
        head(&spec, Shard::WHOLE) + extra
    }

    const FIRST: &str = "0,10,2,0,0,1,50,0.1,1,0.2,1\n0,10,2,0,1,0,900,0.7,0.5,NaN,0.5\n";
    const LAST: &str = "3,20,3,0,0,1,50,0.1,1,0.2,1\n3,20,3,0,1,1,60,0.1,1,0.2,1\n";

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
        let damaged = FIRST.replacen("50,0.1", "5", 1);
        assert!(said(&[&damaged, LAST, LAST].concat()).starts_with("line 3 or"), "{}", said(&damaged));
        assert!(said(&[FIRST, LAST, FIRST].concat()).contains("line 7 holds run 0 a second time"));
        let elsewhere = FIRST.replace("0,10,2", "9,10,2");
        assert!(said(&[&elsewhere, FIRST, LAST].concat()).contains("line 3"));
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
