//! The trainer in a web worker.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

use crate::browser::build::{build, look_for_another, offer_new, suffix};
use vivarium_model::platform::web::{pack, unpack};
use vivarium_model::protocol::{Command, Event, Greeting, Message, Payload};
use vivarium_page::trainer::{Program, Trainer, TrainerMessage, last_words};
use vivarium_ui::browser::get;

/// A web worker that trains; it ends when this is dropped.
pub struct WorkerTrainer {
    /// A number by which the page tells workers from each other; 0 where nobody has given it one.
    pub number: u32,
    worker: Worker,
    // Held because the worker calls them.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WorkerTrainer {
    /// Opens the worker of `program`, whose signs `hear` gets.
    ///
    /// # Errors
    /// When the browser allows no worker.
    pub fn open(program: Program, hear: impl Fn(TrainerMessage) + Clone + 'static) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let give = giver(program);
        let given = if give.is_some() { "&given=program" } else { "" };
        let worker = address(program)
            .and_then(|address| Worker::new_with_options(&format!("{address}{given}"), &options))
            .map_err(|_| match window().origin() == "null" {
                true => tr!("this frame needs allow-same-origin in its sandbox attribute to start a worker"),
                false => tr!("this browser does not allow web workers"),
            })?;
        let said = hear.clone();
        // Whether it has said of which build it is, and is of this page's: no run begins with another.
        let greeted = Rc::new(Cell::new(None));
        let fits = greeted.clone();
        let on_message = Closure::new(move |event: MessageEvent| {
            let Some(fit) = fits.get() else {
                let greeting = unpack::<Greeting>(&event.data());
                let fit = greeting.is_ok_and(|(greeting, _)| greeting.fits(&build()));
                fits.set(Some(fit));
                if !fit {
                    offer_new();
                    said(TrainerMessage::Died(
                        tr!("the worker's program and this page have different versions").into(),
                    ));
                }
                return;
            };
            if !fit {
                return;
            }
            said(match unpack::<Event>(&event.data()) {
                Ok((event, payload)) => TrainerMessage::Said(Message { event, payload }),
                Err(why) => {
                    TrainerMessage::Died(tr!("a message of the worker could not be read: {why}", why))
                }
            });
        });
        let on_error = Closure::new(move |event: ErrorEvent| {
            // A file that cannot be loaded gives a bare event, without words.
            let words = js_sys::Reflect::get(&event, &"message".into()).ok().and_then(|m| m.as_string());
            if greeted.get().is_none() {
                look_for_another();
            }
            hear(TrainerMessage::Died(last_words(words.as_deref())));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        if let Some(give) = give {
            let _ = give.call1(&JsValue::NULL, &worker);
        }
        Ok(WorkerTrainer { number: 0, worker, _on_message: on_message, _on_error: on_error })
    }
}

impl Trainer for WorkerTrainer {
    fn send(&self, command: &Command, payload: &Payload) {
        let sent = pack(command, payload)
            .map_err(|why| JsValue::from_str(&why))
            .and_then(|(value, transfer)| self.worker.post_message_with_transfer(&value, &transfer));
        if let Err(error) = sent {
            web_sys::console::error_1(&error);
        }
    }
}

impl Drop for WorkerTrainer {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// What sends a worker its compiled program (`www/boot.js`): the page fetches the one for the CPU once for all workers, and
/// before they run. `None` for the other programs, and where a boot.js of another build came from a cache.
fn giver(program: Program) -> Option<Function> {
    (program == Program::Cpu).then(|| get(&js_sys::global(), "vivariumGive").dyn_into().ok()).flatten()
}

/// Has the page fetch the program for the CPU, which a worker will soon run.
pub fn expect() {
    if let Some(give) = giver(Program::Cpu) {
        let _ = give.call0(&JsValue::NULL);
    }
}

/// The loader's address for `program`, relative to the page and with the page's build in its name.
pub(crate) fn address(program: Program) -> Result<String, JsValue> {
    let document = leptos::prelude::document();
    let bin = match program {
        Program::Cpu => "worker",
        Program::Fused => "worker_fused",
        Program::Gpu => "worker_gpu",
    };
    let file = format!("./worker-loader{}.js?bin={bin}", suffix());
    let base = document.base_uri()?.unwrap_or_default();
    Ok(Url::new_with_base(&file, &base)?.href())
}
