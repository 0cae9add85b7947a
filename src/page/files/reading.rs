//! Reading a file of the user: at once if it is small, else in a worker.
//!
//! # Why
//! The page must not be blocked for longer than one or two frames, and a file must not take its memory. So the first
//! bytes of a file decide whether it is refused. A file that consists of these bytes is read at once, in a few
//! milliseconds. Any other is read by a worker, which lives as long as [`State::file_reading`] is set and frees its
//! memory at its end; the page goes on meanwhile, and the result is applied as one change.

use crate::effect::Effect;
use crate::files::progress::{FileReading, ReadPurpose};
use crate::state::State;
use vivarium_core::language::translations;
use vivarium_model::platform::file::UploadedFile;
use vivarium_plot::analysis::curves::MAX_HISTORY_ROWS;
use vivarium_view::record::head::{FileKind, detect_kind};
use vivarium_view::record::reading::{FileContents, ReadJob, ReadProgress, read};
use vivarium_view::record::weights::CheckpointHeader;

impl State {
    /// Opens a file that the user chose or dropped: small files at once, large ones in a worker.
    pub fn read_file(&mut self, name: &str, file: UploadedFile, effects: &mut Vec<Effect>) {
        self.file_error.clear();
        // One file at a time: reading of another file is cancelled.
        self.file_reading = None;
        match detect_kind(name, file.size, &file.head) {
            Ok(kind) => {
                // A saved run may wait for this table.
                let awaited = self.awaited_table();
                let label = awaited.and_then(|(_, label)| label).filter(|_| kind == FileKind::Table);
                let of = if awaited.is_some() { ReadPurpose::ResumeRun } else { ReadPurpose::Open };
                self.read_as(kind, name, file, (label, of), effects);
            }
            Err(flaw) => self.reject_file(name, &flaw.to_string()),
        }
    }

    /// Opens a file as a data table whose label is the column with index `label`, from 0.
    pub fn read_table(&mut self, name: &str, file: UploadedFile, label: usize, effects: &mut Vec<Effect>) {
        self.read_as(FileKind::Table, name, file, (Some(label), ReadPurpose::Open), effects);
    }

    /// Reads a file of this kind at once or in a worker, for `purpose`; `label` is the index of a table's label column,
    /// None for the default.
    fn read_as(
        &mut self,
        kind: FileKind,
        name: &str,
        file: UploadedFile,
        (label, purpose): (Option<usize>, ReadPurpose),
        effects: &mut Vec<Effect>,
    ) {
        let job = ReadJob { label, ..ReadJob::new(kind, file.size) };
        if let Some(bytes) = file.bytes() {
            let found = read(&job, bytes).map_err(|flaw| flaw.to_string());
            return self.open_result(name, file, purpose, found, effects);
        }
        self.reading_count += 1;
        self.file_reading = Some(FileReading {
            number: self.reading_count,
            name: name.into(),
            file,
            purpose,
            job: ReadJob { most_rows: MAX_HISTORY_ROWS, texts: translations(), ..job },
            fraction: 0.0,
        });
    }

    /// Handles a message of the worker that reads the file with this number.
    pub fn handle_read_message(&mut self, number: u64, message: ReadProgress, effects: &mut Vec<Effect>) {
        let Some(mut reading) = self.file_reading.take_if(|reading| reading.number == number) else { return };
        match message {
            ReadProgress::Progress(share) => {
                reading.fraction = share;
                self.file_reading = Some(reading);
            }
            ReadProgress::Done(found) => {
                self.open_result(&reading.name, reading.file, reading.purpose, found, effects);
            }
        }
    }

    /// Cancels the reading of the file that a worker is reading.
    pub fn cancel_reading(&mut self) {
        if let Some(reading) = self.file_reading.take() {
            self.reject_file(&reading.name, tr!("reading was cancelled"));
        }
    }

    /// Opens what was read from a file (run, weights or table), or reports the error.
    fn open_result(
        &mut self,
        name: &str,
        file: UploadedFile,
        purpose: ReadPurpose,
        result: Result<FileContents, String>,
        effects: &mut Vec<Effect>,
    ) {
        let taken = match result {
            Err(why) => return self.reject_file(name, &why),
            Ok(FileContents::Run(raw)) => {
                let measurements = raw.measurements.unwrap_or_default();
                raw.check().map(|record| self.open_record(name, record, measurements, effects))
            }
            Ok(FileContents::Weights(bytes)) => {
                let header = CheckpointHeader::check(&bytes, bytes.len() as u64);
                header.map(|header| self.open_weights(name, &header, bytes, effects))
            }
            Ok(FileContents::Table(table))
                if purpose == ReadPurpose::ResumeRun && self.awaited_table().is_some() =>
            {
                self.open_awaited_table(name, file, *table, effects);
                Ok(())
            }
            Ok(FileContents::Table(table)) => {
                self.open_table(name, file, *table, effects);
                Ok(())
            }
        };
        if let Err(flaw) = taken {
            self.reject_file(name, &flaw.to_string());
        }
    }
}
