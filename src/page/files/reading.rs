//! Reading a file that a person gave: at once where it is small, and by a worker where it is not.
//!
//! # Why
//! Nothing may hold up the page for longer than a frame or two, and no file may take its memory. So a file is told by
//! its first bytes, which is enough to refuse most of those that are not ours; one that is all there by then is read
//! at once, in a few milliseconds. Any other is read by a worker, which lives as long as [`State::reading`] speaks of it
//! and takes its memory with it; the page goes on meanwhile, and what was read is taken as one change.

use crate::files::progress::{FileReading, Purpose};
use crate::state::State;
use crate::trainer::Effect;
use vivarium_core::language::spoken;
use vivarium_model::platform::file::GivenFile;
use vivarium_plot::analysis::curves::CAPACITY;
use vivarium_view::record::head::{Kind, look};
use vivarium_view::record::reading::{Found, Job, News, read};
use vivarium_view::record::weights::Header;

impl State {
    /// Opens a file that a person chose or dropped. Of the second program.
    pub fn read_file(&mut self, name: &str, file: GivenFile, effects: &mut Vec<Effect>) {
        self.flaw.clear();
        // One at a time: what was being read is not wanted any more.
        self.reading = None;
        match look(name, file.size, &file.head) {
            Ok(kind) => {
                // A run may wait for this table.
                let awaited = self.awaited_table();
                let label = awaited.and_then(|(_, label)| label).filter(|_| kind == Kind::Table);
                let of = if awaited.is_some() { Purpose::Awaited } else { Purpose::Opened };
                self.read_as(kind, name, file, (label, of), effects);
            }
            Err(flaw) => self.refuse_file(name, &flaw.to_string()),
        }
    }

    /// Opens a table with column `label` of it as the label. Of the second program.
    pub fn read_table(&mut self, name: &str, file: GivenFile, label: usize, effects: &mut Vec<Effect>) {
        self.read_as(Kind::Table, name, file, (Some(label), Purpose::Opened), effects);
    }

    fn read_as(
        &mut self,
        kind: Kind,
        name: &str,
        file: GivenFile,
        (label, purpose): (Option<usize>, Purpose),
        effects: &mut Vec<Effect>,
    ) {
        let job = Job { label, ..Job::new(kind, file.size) };
        if let Some(bytes) = file.bytes() {
            let found = read(&job, bytes).map_err(|flaw| flaw.to_string());
            return self.take_found(name, file, purpose, found, effects);
        }
        self.readings += 1;
        self.reading = Some(FileReading {
            number: self.readings,
            name: name.into(),
            file,
            purpose,
            job: Job { most_rows: CAPACITY, texts: spoken(), ..job },
            share: 0.0,
        });
    }

    /// Takes what a worker says of the file of this number. Of the second program.
    pub fn hear_of_file(&mut self, number: u64, news: News, effects: &mut Vec<Effect>) {
        let Some(mut reading) = self.reading.take_if(|reading| reading.number == number) else { return };
        match news {
            News::Progress(share) => {
                reading.share = share;
                self.reading = Some(reading);
            }
            News::Done(found) => {
                self.take_found(&reading.name, reading.file, reading.purpose, found, effects);
            }
        }
    }

    /// Reads no more of the file that is being read.
    pub fn cancel_file(&mut self) {
        if let Some(reading) = self.reading.take() {
            self.refuse_file(&reading.name, tr!("reading was cancelled"));
        }
    }

    fn take_found(
        &mut self,
        name: &str,
        file: GivenFile,
        purpose: Purpose,
        found: Result<Found, String>,
        effects: &mut Vec<Effect>,
    ) {
        let taken = match found {
            Err(why) => return self.refuse_file(name, &why),
            Ok(Found::Run(raw)) => {
                let measurements = raw.measurements.unwrap_or_default();
                raw.check().map(|record| self.open_record(name, record, measurements, effects))
            }
            Ok(Found::Weights(bytes)) => {
                let header = Header::check(&bytes, bytes.len() as u64);
                header.map(|header| self.open_weights(name, &header, bytes, effects))
            }
            Ok(Found::Table(table)) if purpose == Purpose::Awaited && self.awaited_table().is_some() => {
                self.open_awaited_table(name, file, *table, effects);
                Ok(())
            }
            Ok(Found::Table(table)) => {
                self.open_table(name, file, *table, effects);
                Ok(())
            }
        };
        if let Err(flaw) = taken {
            self.refuse_file(name, &flaw.to_string());
        }
    }
}
