//! Reading a file of the user: at once if it is small, else in a worker.
//!
//! # Why
//! The page must not be blocked for longer than one or two frames, and a file must not take its memory. So the first
//! bytes of a file decide whether it is refused. A file that consists of these bytes is read at once, in a few
//! milliseconds. Any other is read by a worker, which lives as long as [`State::file_reading`] is set and frees its
//! memory at its end; the page goes on meanwhile, and the result is applied as one change.

use crate::effect::Effect;
use crate::files::progress::{FileReading, ReadPurpose, RefusedFile};
use crate::state::State;
use vivarium_core::language::translations;
use vivarium_model::platform::file::UploadedFile;
use vivarium_model::tasks::tabular::uploaded::find_table;
use vivarium_plot::analysis::curves::MAX_HISTORY_ROWS;
use vivarium_view::record::dataset::TableChoices;
use vivarium_view::record::head::{FileKind, detect_kind};
use vivarium_view::record::reading::{FileContents, ReadJob, ReadProgress, read_expected};
use vivarium_view::record::weights::CheckpointHeader;

impl State {
    /// Opens a file that the user chose or dropped: small files at once, large ones in a worker.
    pub fn read_file(&mut self, name: &str, file: UploadedFile, effects: &mut Vec<Effect>) {
        self.file_error.clear();
        self.refused_table = None;
        // One file at a time: reading of another file is cancelled.
        self.cancel_for_next_file();
        match detect_kind(name, file.size, &file.head) {
            Ok(kind) => {
                // A saved run may wait for this table.
                let awaited = self.awaited_table();
                let choices = TableChoices::with_label(awaited.and_then(|(_, label)| label));
                let purpose = if awaited.is_some() { ReadPurpose::ResumeRun } else { ReadPurpose::Open };
                self.read_as(kind, name, file, (choices, purpose), effects);
            }
            Err(flaw) => self.reject_file(name, &flaw.to_string()),
        }
    }

    /// Opens a file as a data table, which is read according to `choices`.
    pub fn read_table(
        &mut self,
        name: &str,
        file: UploadedFile,
        choices: &TableChoices,
        effects: &mut Vec<Effect>,
    ) {
        self.file_error.clear();
        self.read_as(FileKind::Table, name, file, (*choices, ReadPurpose::Open), effects);
    }

    /// Returns the number of the table that a waiting run or the link of the page names and that is not open; None if
    /// there is none.
    fn missing_table(&self) -> Option<u64> {
        if let Some((number, _)) = self.awaited_table() {
            return Some(number);
        }
        let task = self.player.run.link.spec.task.config();
        task.named_data_id().filter(|number| find_table(*number).is_none())
    }

    /// Reads a file of this kind at once or in a worker, for `purpose`; a table is read according to `choices`.
    fn read_as(
        &mut self,
        kind: FileKind,
        name: &str,
        file: UploadedFile,
        (choices, purpose): (TableChoices, ReadPurpose),
        effects: &mut Vec<Effect>,
    ) {
        let expected_table = self.missing_table();
        let job = ReadJob { choices, expected_table, ..ReadJob::new(kind, file.size) };
        if let Some(bytes) = file.bytes() {
            let found = FileContents::for_page(read_expected(&job, || Ok(bytes)));
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
            Ok(FileContents::RefusedTable(table)) => {
                self.reject_file(name, &table.reason);
                self.refused_table = Some(RefusedFile { name: name.into(), file, table: *table });
                return;
            }
        };
        if let Err(flaw) = taken {
            self.reject_file(name, &flaw.to_string());
        }
    }
}
