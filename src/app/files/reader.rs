//! A worker that reads one file; it is ended afterwards, which frees its memory.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Array, Promise};
use leptos::prelude::set_timeout;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::trainer::web::loader_address;
use vivarium_core::language::translations;
use vivarium_model::platform::file::{FileHandle, UploadedFile, open_blob};
use vivarium_model::platform::web::unpack;
use vivarium_player::trainer::Program;
use vivarium_view::record::dataset::{Dataset, TableChoices};
use vivarium_view::record::head::{FileKind, HEAD_BYTES};
use vivarium_view::record::reading::{
    FileContents, FileEvent, FileReceiver, ReadJob, ReadProgress, read_expected,
};

/// A worker that reads a file; dropping it ends the worker.
pub struct FileReader {
    /// The web worker that reads the file.
    worker: Worker,
    // Held because the worker calls them.
    /// Handler of messages, kept alive as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    /// Handler of errors, kept alive as long as the worker.
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl FileReader {
    /// Opens a worker that reads `file`; `on_progress` receives its progress until the file has been read.
    ///
    /// # Errors
    /// If the browser allows no worker, or the file no longer exists.
    pub fn open(
        job: &ReadJob,
        file: &FileHandle,
        on_progress: impl Fn(ReadProgress) + 'static,
    ) -> Result<Self, String> {
        let none = |_| tr!("this browser does not allow web workers").to_string();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let address = loader_address(Program::Cpu).map_err(none)?;
        let worker = Worker::new_with_options(&format!("{address}&reads=file"), &options).map_err(none)?;
        let on_progress = Rc::new(on_progress);
        let (report, received) = (on_progress.clone(), RefCell::new(FileReceiver::default()));
        let on_message = Closure::new(move |event: MessageEvent| {
            let taken = match unpack::<FileEvent>(&event.data()) {
                Ok((event, payload)) => received.borrow_mut().receive(event, payload),
                Err(why) => Some(ReadProgress::Done(Err(why))),
            };
            let Some(progress) = taken else { return };
            let report = report.clone();
            // Of a large table it took a while to get the numbers: what is done with them is a task of its own, and may
            // end this worker.
            set_timeout(move || report(progress), Duration::ZERO);
        });
        let on_error = Closure::new(move |_: ErrorEvent| {
            // Out of memory, for the most part: what else may be wrong with a file has a sentence.
            on_progress(ReadProgress::Done(Err(tr!(
                "the worker that read the file stopped; the file may be too large for this device"
            )
            .into())));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let reader = FileReader { worker, _on_message: on_message, _on_error: on_error };
        let blob = file.blob().ok_or_else(|| tr!("the browser cannot read the file").to_string())?;
        let job = serde_wasm_bindgen::to_value(job).map_err(|why| why.to_string())?;
        // The file is not copied.
        reader.worker.post_message(&Array::of2(&job, &blob)).map_err(none)?;
        Ok(reader)
    }
}

impl Drop for FileReader {
    /// Ends the worker.
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Reads a table from the browser's storage; `label` is the index of its label column, and `wanted` the number of the
/// table that a link names, if any. None if it is not a table.
pub async fn read_stored_table(
    file: Blob,
    label: usize,
    wanted: Option<u64>,
) -> Option<(UploadedFile, Dataset)> {
    let file = open_blob(file, HEAD_BYTES).await.ok()?;
    let job = ReadJob {
        choices: TableChoices::with_label(Some(label)),
        expected_table: wanted,
        texts: translations(),
        ..ReadJob::new(FileKind::Table, file.size)
    };
    let contents = match (file.bytes(), &file.handle) {
        (Some(bytes), _) => read_expected(&job, || Ok(bytes)).ok(),
        (None, Some(handle)) => read_in_worker(&job, handle).await,
        (None, None) => None,
    };
    match contents {
        Some(FileContents::Table(table)) => Some((file, *table)),
        _ => None,
    }
}

/// Reads a file in a worker as the job says (run, weights or table); None if it cannot be read.
async fn read_in_worker(job: &ReadJob, file: &FileHandle) -> Option<FileContents> {
    let (contents, reader) = (Rc::new(Cell::new(None)), Rc::new(Cell::new(None)));
    let (result, holds) = (contents.clone(), reader.clone());
    let promise = Promise::new(&mut |resolve, _| {
        let (result, done) = (result.clone(), resolve.clone());
        let opened = FileReader::open(job, file, move |progress| {
            if let ReadProgress::Done(read) = progress {
                result.set(read.ok());
                let _ = done.call0(&JsValue::UNDEFINED);
            }
        });
        match opened {
            Ok(opened) => holds.set(Some(opened)),
            Err(_) => drop(resolve.call0(&JsValue::UNDEFINED)),
        }
    });
    // It is only ever resolved.
    let _ = JsFuture::from(promise).await;
    drop(reader.take());
    contents.take()
}
