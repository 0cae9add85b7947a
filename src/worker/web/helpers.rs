//! Helpers in web workers, which compute shards of the large steps of a training worker.
//!
//! # Why
//! They belong to the training worker, which opens them itself: weights and gradients never pass through the page. They
//! stay open from one run to the next, since a program takes longer to start than most settings stay.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{scope, send};
use vivarium_model::platform::web::{pack, unpack};
use vivarium_model::protocol::{Payload, RunError};
use vivarium_model::run::RunSpec;
use vivarium_training::launch::choose::choose;
use vivarium_training::launch::device::Device;
use vivarium_training::session::helper::{Answer, Order, ShardJob};
use vivarium_training::session::learner::{Helper, Learner, Local};

/// Largest number of workers that compute the gradients of one run together, the training worker included.
const MAX_THREADS: usize = 8;

thread_local! {
    /// Helper workers of this training worker, each of which computes the gradient on a part of every batch.
    static OPEN_HELPERS: RefCell<Vec<Rc<WebHelper>>> = const { RefCell::new(vec![]) };
    /// Number of runs of this worker for which helpers have been opened; the number identifies the current run.
    static RUN_COUNT: Cell<u32> = const { Cell::new(0) };
}

/// State of a helper worker, shared with the handlers of its messages and errors.
#[derive(Default)]
struct HelperState {
    /// Number of the run for which the helper worker has reported to be ready; 0 before its first report.
    ready_run: Cell<u32>,
    /// Whether the helper worker has failed.
    is_dead: Cell<bool>,
    /// (number of the order that the helper is computing, function that resolves the promise for its answer); None
    /// without one.
    pending_order: RefCell<Option<(u32, Function)>>,
    /// Number of gradient orders sent to the helper so far; the count numbers the orders.
    order_count: Cell<u32>,
}

impl HelperState {
    /// Resolves the promise of the pending order with the helper's answer, or `undefined` after a failure.
    fn resolve(&self, data: &JsValue) {
        if let Some((_, waiting)) = self.pending_order.take() {
            // It resolves a promise, which cannot fail.
            let _ = waiting.call1(&JsValue::UNDEFINED, data);
        }
    }
}

/// A web worker that computes the gradient of a shard of each batch for a training worker; dropping it ends it.
struct WebHelper {
    /// The web worker that runs the helper's program.
    worker: Worker,
    /// State of the helper, which the handlers of its messages and errors change.
    state: Rc<HelperState>,
    /// Number of the run for which the helper computes gradients; 0 before the first.
    run: Cell<u32>,
    // Held because the worker calls them.
    /// Handler of messages, kept alive as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    /// Handler of errors, kept alive as long as the worker.
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WebHelper {
    /// Opens a helper worker; None if the browser does not let a worker open another one.
    fn open() -> Option<Self> {
        let address = Reflect::get(&scope(), &"vivariumAddress".into()).ok()?.as_string()?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&format!("{address}&helps=run"), &options).ok()?;
        let state = Rc::new(HelperState::default());
        let (hears, fails) = (state.clone(), state.clone());
        let on_message = Closure::new(move |event: MessageEvent| {
            let data = event.data();
            let told =
                data.dyn_ref::<js_sys::Array>().map(|pair| serde_wasm_bindgen::from_value(pair.get(0)));
            match told {
                Some(Ok(Answer::Ready(run))) => hears.ready_run.set(run),
                Some(Ok(Answer::Gradients(number))) => {
                    let is_waited_for =
                        hears.pending_order.borrow().as_ref().is_some_and(|(of, _)| *of == number);
                    if is_waited_for {
                        hears.resolve(&data);
                    }
                }
                // Its first word is of which build it is, which its file's name says already.
                _ => {}
            }
        });
        let on_error = Closure::new(move |event: ErrorEvent| {
            // The run goes on without it.
            event.prevent_default();
            fails.is_dead.set(true);
            fails.resolve(&JsValue::UNDEFINED);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(WebHelper { worker, state, run: Cell::new(0), _on_message: on_message, _on_error: on_error })
    }

    /// Posts an order with its array to the helper; an error tells that the browser refused.
    fn post_order(&self, order: &Order, payload: &Payload) -> Result<(), String> {
        let (value, transfer) = pack(order, payload)?;
        let sent = self.worker.post_message_with_transfer(&value, &transfer);
        sent.map_err(|_| "a helper cannot be told anything".into())
    }
}

impl Drop for WebHelper {
    /// Ends the helper's web worker.
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        self.state.resolve(&JsValue::UNDEFINED);
    }
}

impl Helper for WebHelper {
    /// Whether the helper has reported to be ready for the current run, and has not failed.
    fn is_ready(&self) -> bool {
        !self.state.is_dead.get() && self.run.get() > 0 && self.state.ready_run.get() == self.run.get()
    }

    /// Lets the helper compute the gradient at the given weights of the network's loss on a shard (a part) of the
    /// batch.
    fn ask(&self, job: &ShardJob, weights: Vec<f32>) -> Local<'static, Vec<f32>> {
        let failed = || RunError::Internal("a helper has stopped".into());
        let number = self.state.order_count.get().wrapping_add(1);
        self.state.order_count.set(number);
        let state = self.state.clone();
        let come =
            Promise::new(&mut |resolve, _| *state.pending_order.borrow_mut() = Some((number, resolve)));
        if self.post_order(&Order::Shards(number, job.clone()), &Payload::Numbers(weights)).is_err() {
            self.state.is_dead.set(true);
            self.state.resolve(&JsValue::UNDEFINED);
        }
        Box::pin(async move {
            let data = JsFuture::from(come).await.map_err(|_| failed())?;
            match unpack::<Answer>(&data) {
                Ok((_, Payload::Numbers(numbers))) => Ok(numbers),
                _ => Err(failed()),
            }
        })
    }
}

/// Opens helper workers for a run: `wanted` of them, as far as memory and cores suffice; surplus helpers are ended.
pub(super) fn open_helpers(spec: &RunSpec, wanted: usize) -> Vec<Rc<dyn Helper>> {
    let navigator = Reflect::get(&scope(), &"navigator".into()).unwrap_or_default();
    let cores = Reflect::get(&navigator, &"hardwareConcurrency".into()).ok().and_then(|cores| cores.as_f64());
    let threads = (cores.unwrap_or(1.0) as usize).clamp(1, MAX_THREADS);
    let count = spec.estimate_cost().max_sweep_workers(wanted.min(threads - 1));
    let run = RUN_COUNT.get() + 1;
    RUN_COUNT.set(run);
    OPEN_HELPERS.with_borrow_mut(|open| {
        open.retain(|helper| !helper.state.is_dead.get());
        open.truncate(count);
        while open.len() < count {
            let Some(helper) = WebHelper::open() else { break };
            open.push(Rc::new(helper));
        }
        for helper in open.iter() {
            helper.run.set(run);
            if helper.post_order(&Order::Run(run, Box::new(spec.clone())), &Payload::Empty).is_err() {
                helper.state.is_dead.set(true);
            }
        }
        open.iter().cloned().map(|helper| helper as Rc<dyn Helper>).collect()
    })
}

/// Whether a training worker has opened this worker as its helper, according to the loader's address
/// (`www/worker-loader.js`).
pub fn is_training_helper() -> bool {
    Reflect::get(&js_sys::global(), &"vivariumHelpsRun".into()).is_ok_and(|helps| helps.is_truthy())
}

/// Runs this worker as a helper: computes the gradients that its training worker orders, until it is ended.
pub fn serve_helper() {
    let mut taken: Option<(RunSpec, Box<dyn Learner>)> = None;
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Ok((order, payload)) = unpack::<Order>(&event.data()) else { return };
        match (order, payload) {
            (Order::Run(number, spec), _) => {
                // A run that cannot be made here, such as one on a table that only the other has, is not helped.
                taken = choose(&spec, &Device::cpu()).ok().map(|chosen| (*spec, chosen.learner));
                if taken.as_ref().is_some_and(|(_, learner)| learner.wanted_helpers() > 0) {
                    send(&Answer::Ready(number), &Payload::Empty);
                }
            }
            (Order::Shards(number, job), Payload::Numbers(weights)) => {
                let Some((spec, learner)) = &mut taken else { return };
                let found = learner.shard_gradients(spec, &job, &weights);
                send(&Answer::Gradients(number), &Payload::Numbers(found));
            }
            _ => {}
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();
}
