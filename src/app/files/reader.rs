//! A worker that reads one file, and is ended afterwards: its memory goes with it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use js_sys::{Array, Promise};
use leptos::prelude::set_timeout;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::trainer::web::address;
use vivarium_core::language::spoken;
use vivarium_model::platform::file::{FileHandle, GivenFile, given};
use vivarium_model::platform::web::unpack;
use vivarium_page::trainer::Program;
use vivarium_view::record::dataset::Dataset;
use vivarium_view::record::head::{HEAD, Kind};
use vivarium_view::record::reading::{FileEvent, Found, Job, News, Received, read};

/// A worker that reads a file; it ends when this is dropped.
pub struct FileReader {
    worker: Worker,
    // Held because the worker calls them.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl FileReader {
    /// Has a worker read `file`; `hear` gets what there is to tell, and no more once the file has been read.
    ///
    /// # Errors
    /// When the browser allows no worker, or has the file no more.
    pub fn open(job: &Job, file: &FileHandle, hear: impl Fn(News) + 'static) -> Result<Self, String> {
        let none = |_| tr!("this browser does not allow web workers").to_string();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let address = address(Program::Cpu).map_err(none)?;
        let worker = Worker::new_with_options(&format!("{address}&reads=file"), &options).map_err(none)?;
        let hear = Rc::new(hear);
        let (said, received) = (hear.clone(), RefCell::new(Received::default()));
        let on_message = Closure::new(move |event: MessageEvent| {
            let taken = match unpack::<FileEvent>(&event.data()) {
                Ok((event, payload)) => received.borrow_mut().take(event, payload),
                Err(why) => Some(News::Done(Err(why))),
            };
            let Some(news) = taken else { return };
            let said = said.clone();
            // Of a large table it took a while to get the numbers: what is done with them is a task of its own, and may
            // end this worker.
            set_timeout(move || said(news), Duration::ZERO);
        });
        let on_error = Closure::new(move |_: ErrorEvent| {
            // Out of memory, for the most part: what else may be wrong with a file has a sentence.
            hear(News::Done(Err(tr!(
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
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Reads a table that the browser has kept, with this column as its label; none where it is none any more.
pub async fn kept(file: Blob, label: usize) -> Option<(GivenFile, Dataset)> {
    let file = given(file, HEAD).await.ok()?;
    let job = Job { label: Some(label), texts: spoken(), ..Job::new(Kind::Table, file.size) };
    let found = match (file.bytes(), &file.handle) {
        (Some(bytes), _) => read(&job, bytes).ok(),
        (None, Some(handle)) => away(&job, handle).await,
        (None, None) => None,
    };
    match found {
        Some(Found::Table(table)) => Some((file, *table)),
        _ => None,
    }
}

/// What a worker finds in the file; none where it is not taken.
async fn away(job: &Job, file: &FileHandle) -> Option<Found> {
    let (found, reader) = (Rc::new(Cell::new(None)), Rc::new(Cell::new(None)));
    let (finds, holds) = (found.clone(), reader.clone());
    let promise = Promise::new(&mut |resolve, _| {
        let (finds, done) = (finds.clone(), resolve.clone());
        let opened = FileReader::open(job, file, move |news| {
            if let News::Done(read) = news {
                finds.set(read.ok());
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
    found.take()
}
