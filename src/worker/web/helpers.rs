//! Helpers in web workers: they make shards of the large steps that the worker of the page trains with.
//!
//! # Why
//! They belong to the worker that trains, which opens them itself: weights and gradients never pass the page. They stay open
//! from one run to the next, since a program takes longer to start than most settings stay.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::{scope, send};
use vivarium_model::platform::web::{pack, unpack};
use vivarium_model::protocol::{Failure, Payload};
use vivarium_model::run::RunSpec;
use vivarium_training::launch::choose::choose;
use vivarium_training::launch::device::Device;
use vivarium_training::session::helper::{Answer, Order, ShardJob};
use vivarium_training::session::learner::{Helper, Learner, Local};

/// Most threads that train one run.
const MOST_THREADS: usize = 8;

thread_local! {
    /// The helpers of this worker.
    static OPEN: RefCell<Vec<Rc<WebHelper>>> = const { RefCell::new(vec![]) };
    /// How many runs helpers were opened for.
    static RUNS: Cell<u32> = const { Cell::new(0) };
}

/// What is known of a helper; its handlers change it.
#[derive(Default)]
struct State {
    /// The run that it is ready for.
    ready: Cell<u32>,
    is_dead: Cell<bool>,
    /// The order that is waited for, and who waits.
    waiting: RefCell<Option<(u32, Function)>>,
    orders: Cell<u32>,
}

impl State {
    /// Tells whoever waits what has come.
    fn answer(&self, data: &JsValue) {
        if let Some((_, waiting)) = self.waiting.take() {
            // It resolves a promise, which cannot fail.
            let _ = waiting.call1(&JsValue::UNDEFINED, data);
        }
    }
}

/// A helper in a web worker; it ends when this is dropped.
struct WebHelper {
    worker: Worker,
    state: Rc<State>,
    run: Cell<u32>,
    // Held because the worker calls them.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WebHelper {
    /// Opens a helper; none where the browser does not let a worker open another.
    fn open() -> Option<Self> {
        let address = Reflect::get(&scope(), &"vivariumAddress".into()).ok()?.as_string()?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&format!("{address}&helps=run"), &options).ok()?;
        let state = Rc::new(State::default());
        let (hears, fails) = (state.clone(), state.clone());
        let on_message = Closure::new(move |event: MessageEvent| {
            let data = event.data();
            let told =
                data.dyn_ref::<js_sys::Array>().map(|pair| serde_wasm_bindgen::from_value(pair.get(0)));
            match told {
                Some(Ok(Answer::Ready(run))) => hears.ready.set(run),
                Some(Ok(Answer::Gradients(number))) => {
                    let is_waited_for = hears.waiting.borrow().as_ref().is_some_and(|(of, _)| *of == number);
                    if is_waited_for {
                        hears.answer(&data);
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
            fails.answer(&JsValue::UNDEFINED);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(WebHelper { worker, state, run: Cell::new(0), _on_message: on_message, _on_error: on_error })
    }

    fn tell(&self, order: &Order, payload: &Payload) -> Result<(), String> {
        let (value, transfer) = pack(order, payload)?;
        let sent = self.worker.post_message_with_transfer(&value, &transfer);
        sent.map_err(|_| "a helper cannot be told anything".into())
    }
}

impl Drop for WebHelper {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        self.state.answer(&JsValue::UNDEFINED);
    }
}

impl Helper for WebHelper {
    fn is_ready(&self) -> bool {
        !self.state.is_dead.get() && self.run.get() > 0 && self.state.ready.get() == self.run.get()
    }

    fn ask(&self, job: &ShardJob, weights: Vec<f32>) -> Local<'static, Vec<f32>> {
        let failed = || Failure::Internal("a helper has stopped".into());
        let number = self.state.orders.get().wrapping_add(1);
        self.state.orders.set(number);
        let state = self.state.clone();
        let come = Promise::new(&mut |resolve, _| *state.waiting.borrow_mut() = Some((number, resolve)));
        if self.tell(&Order::Shards(number, job.clone()), &Payload::Numbers(weights)).is_err() {
            self.state.is_dead.set(true);
            self.state.answer(&JsValue::UNDEFINED);
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

/// Makes ready as many helpers for a run as it wants, its memory allows and there are cores for; those that are too many end.
pub(super) fn helpers(spec: &RunSpec, wanted: usize) -> Vec<Rc<dyn Helper>> {
    let navigator = Reflect::get(&scope(), &"navigator".into()).unwrap_or_default();
    let cores = Reflect::get(&navigator, &"hardwareConcurrency".into()).ok().and_then(|cores| cores.as_f64());
    let threads = (cores.unwrap_or(1.0) as usize).clamp(1, MOST_THREADS);
    let count = spec.cost().helpers(wanted.min(threads - 1));
    let run = RUNS.get() + 1;
    RUNS.set(run);
    OPEN.with_borrow_mut(|open| {
        open.retain(|helper| !helper.state.is_dead.get());
        open.truncate(count);
        while open.len() < count {
            let Some(helper) = WebHelper::open() else { break };
            open.push(Rc::new(helper));
        }
        for helper in open.iter() {
            helper.run.set(run);
            if helper.tell(&Order::Run(run, Box::new(spec.clone())), &Payload::Empty).is_err() {
                helper.state.is_dead.set(true);
            }
        }
        open.iter().cloned().map(|helper| helper as Rc<dyn Helper>).collect()
    })
}

/// Whether a worker that trains has opened this one to help it, by the address that it gave the loader
/// (`www/worker-loader.js`).
pub fn helps_run() -> bool {
    Reflect::get(&js_sys::global(), &"vivariumHelpsRun".into()).is_ok_and(|helps| helps.is_truthy())
}

/// Helps the worker that has opened this one, until that ends it.
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
