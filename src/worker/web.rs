//! The worker in a web worker: receiving commands and posting messages, shared by the worker binaries.

#[cfg(feature = "cpu")]
pub mod helpers;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, Promise, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use crate::{NextSlice, Worker};
use vivarium_core::language::set_translations;
use vivarium_model::platform::file::BlobReader;
use vivarium_model::platform::now_ms;
use vivarium_model::platform::web::{pack, sleep, unpack, yield_now};
use vivarium_model::protocol::{
    Command, Event, EventMessage, PROTOCOL_VERSION, Payload, RunError, WorkerHandshake,
};
use vivarium_training::launch::device::Device;
use vivarium_view::record::FileError;
use vivarium_view::record::reading::{FileEvent, ReadJob, read_expected};

/// Commands that the page has sent to this worker and that were not handled yet, and the function that wakes the loop
/// that waits for them.
#[derive(Default)]
struct Inbox {
    /// Commands of the page that have arrived and were not handled yet, each with its array, in the order of arrival.
    commands: VecDeque<(Command, Payload)>,
    /// Resolves the promise on which the loop waits for commands; None while the loop does not wait.
    wake: Option<js_sys::Function>,
}

/// Returns the global scope of this web worker.
fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Posts the name of this worker's build, which its loader has read from the worker's own file, to the page before any
/// other message.
fn post_build_name() {
    let build = Reflect::get(&scope(), &"vivariumBuild".into()).ok().and_then(|build| build.as_string());
    let greeting = WorkerHandshake { build: build.unwrap_or_default(), protocol: PROTOCOL_VERSION };
    send(&greeting, &Payload::Empty);
}

/// Posts a message of the training worker to the page.
fn post(message: &EventMessage) {
    send(&message.event, &message.payload);
}

/// Posts an event with its array to the page; the array is transferred, not copied.
fn send(event: &impl Serialize, payload: &Payload) {
    let sent = pack(event, payload)
        .map_err(|e| JsValue::from_str(&e))
        .and_then(|(value, transfer)| scope().post_message_with_transfer(&value, &transfer));
    if let Err(error) = sent {
        web_sys::console::error_1(&error);
    }
}

/// Handles commands until the page ends the worker. Messages are received from the start, so that none is lost while
/// the device opens.
pub async fn serve(open: impl Future<Output = Result<Device, RunError>>) {
    post_build_name();
    // A panic leaves the module dead: the page hears of it in one sentence before that.
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        post(&Event::Failed(RunError::Internal(info.to_string())).into());
    }));
    let inbox = Rc::new(RefCell::new(Inbox::default()));
    let received = inbox.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        match unpack::<Command>(&event.data()) {
            Ok(command) => {
                let mut inbox = received.borrow_mut();
                inbox.commands.push_back(command);
                if let Some(waiting) = inbox.wake.take() {
                    let _ = waiting.call0(&JsValue::NULL);
                }
            }
            Err(why) => post(&Event::Failed(RunError::Internal(why)).into()),
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();

    let mut worker = match open.await {
        Ok(device) => worker_of_page(device),
        Err(failure) => return post(&Event::Failed(failure).into()),
    };
    post(&worker.ready_message());
    loop {
        // The borrow must end before the command is obeyed.
        let command = inbox.borrow_mut().commands.pop_front();
        if let Some((command, payload)) = command {
            worker.handle(command, payload).iter().for_each(post);
            continue;
        }
        let (messages, next) = worker.train_slice().await;
        messages.iter().for_each(post);
        match next {
            NextSlice::Continue => yield_now().await,
            NextSlice::Wait(ms) => sleep(ms.clamp(1.0, 50.0)).await,
            NextSlice::Idle => {
                let promise = Promise::new(&mut |resolve, _| inbox.borrow_mut().wake = Some(resolve));
                if inbox.borrow().commands.is_empty() {
                    let _ = JsFuture::from(promise).await;
                }
            }
        }
    }
}

/// Creates the worker of a page; a worker on the CPU can open helper workers for expensive steps.
fn worker_of_page(device: Device) -> Worker {
    #[cfg_attr(not(feature = "cpu"), expect(unused_mut, reason = "its program trains on a GPU alone"))]
    let mut worker = Worker::new(device);
    #[cfg(feature = "cpu")]
    {
        worker.open_helpers = Some(helpers::open_helpers);
    }
    worker
}

/// Whether the page has opened this worker to train on the processor although its program could use a GPU, according to
/// the loader's address (`www/worker-loader.js`).
#[cfg(feature = "gpu")]
pub fn is_on_processor() -> bool {
    Reflect::get(&js_sys::global(), &"vivariumTrainsOnProcessor".into()).is_ok_and(|is| is.is_truthy())
}

/// Whether the page has opened this worker to read a file, according to the loader's address (`www/worker-loader.js`).
pub fn is_file_reader() -> bool {
    Reflect::get(&js_sys::global(), &"vivariumReadsFile".into()).is_ok_and(|reads| reads.is_truthy())
}

/// Milliseconds between two messages to the page on how much of a file has been read.
const PROGRESS_INTERVAL_MS: f64 = 100.0;

/// Reads the file of the first message, posts its content, and then waits for the page to end this worker.
///
/// # Why
/// Reading waits for the disk and computes without a pause: messages go out meanwhile, and to be ended is all that the
/// page may want of it.
pub fn serve_file() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        send(&FileEvent::Refused(info.to_string()), &Payload::Empty);
    }));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let read = read_posted(&event.data());
        let refused = |why: String| vec![(FileEvent::Refused(why), Payload::Empty)];
        read.unwrap_or_else(refused).iter().for_each(|(event, payload)| send(event, payload));
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();
}

/// Reads the file that the page has posted, as the job posted with it says; returns the events and arrays to post, or a
/// sentence on the error.
fn read_posted(data: &JsValue) -> Result<Vec<(FileEvent, Payload)>, String> {
    let pair: &Array = data.dyn_ref().ok_or("a message that is no array")?;
    let mut job: ReadJob = serde_wasm_bindgen::from_value(pair.get(0)).map_err(|why| why.to_string())?;
    let file: Blob = pair.get(1).dyn_into().map_err(|_| "a message without a file")?;
    if let Some(texts) = job.texts.take() {
        set_translations(texts);
    }
    let open = || {
        let mut last_report = f64::NEG_INFINITY;
        let report_progress = move |share: f64| {
            let now = now_ms();
            if now - last_report >= PROGRESS_INTERVAL_MS {
                last_report = now;
                send(&FileEvent::Progress(share), &Payload::Empty);
            }
        };
        BlobReader::new(file.clone(), report_progress).map_err(|_| FileError::Unreadable)
    };
    Ok(FileEvent::messages(read_expected(&job, open)))
}

/// Returns the weights of the group network of [`vivarium_kernels::group_net::trial::Trial`] after `steps` steps,
/// concatenated: embedding u of the first factor, v of the second, output weights w. `order` is the number of elements
/// of the group, `neurons` that of neurons; `relu` selects ReLU instead of squares, `adam` Adam instead of gradient
/// descent, `is_batched` kernels of many workgroups instead of one. The browser tests compare the weights with those of
/// autodiff.
///
/// # Errors
/// The sentence that a person would be shown.
#[cfg(feature = "fused")]
#[wasm_bindgen]
pub async fn trial(
    order: usize,
    neurons: usize,
    relu: bool,
    adam: bool,
    is_batched: bool,
    steps: u32,
) -> Result<Vec<f32>, JsValue> {
    let trial = vivarium_kernels::group_net::trial::Trial { order, neurons, relu, adam, many: is_batched };
    let mut net = trial.net()?;
    let failed = |failure: RunError| JsValue::from_str(&failure.to_string());
    net.advance(u64::from(steps), u64::MAX).await.map_err(failed)?;
    let weights = net.weights().await.map_err(failed)?;
    Ok([weights.u, weights.v, weights.w].concat())
}
