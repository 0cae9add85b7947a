//! A trainer in a web worker.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

use crate::browser::build::{build_name, check_for_new_build, show_reload_notice, worker_file_suffix};
use vivarium_model::platform::web::{pack, unpack};
use vivarium_model::protocol::{Command, Event, EventMessage, Payload, WorkerHandshake};
use vivarium_player::trainer::{BEING_COMPILED, Program, Trainer, TrainerMessage, worker_error_text};
use vivarium_ui::browser::get_property;

/// The connection to a web worker that trains a run; dropping it ends the worker.
pub struct WorkerTrainer {
    /// Number that the page has given to the worker; 0 without one.
    pub number: u32,
    /// The web worker that trains the run.
    worker: Worker,
    // Held because the worker calls them.
    /// Handler of messages, kept alive as long as the worker.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    /// Handler of errors, kept alive as long as the worker.
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WorkerTrainer {
    /// Opens a worker with this program; `handle` receives its messages.
    ///
    /// # Errors
    /// If the browser allows no worker.
    pub fn open(program: Program, handle: impl Fn(TrainerMessage) + Clone + 'static) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let send_program = program_sender(program);
        let program_parameter = if send_program.is_some() { "&given=program" } else { "" };
        let worker = loader_address(program)
            .and_then(|address| Worker::new_with_options(&format!("{address}{program_parameter}"), &options))
            .map_err(|_| match window().origin() == "null" {
                true => tr!("this frame needs allow-same-origin in its sandbox attribute to start a worker"),
                false => tr!("this browser does not allow web workers"),
            })?;
        let report = handle.clone();
        // Whether the worker has reported this page's build: no run starts with another build.
        let greeted = Rc::new(Cell::new(None));
        let fits = greeted.clone();
        let on_message = Closure::new(move |event: MessageEvent| {
            let Some(fit) = fits.get() else {
                let greeting = unpack::<WorkerHandshake>(&event.data());
                let fit = greeting.is_ok_and(|(greeting, _)| greeting.matches_build(&build_name()));
                fits.set(Some(fit));
                if !fit {
                    show_reload_notice();
                    report(TrainerMessage::Died(
                        tr!("the worker's program and this page have different versions").into(),
                    ));
                }
                return;
            };
            if !fit {
                return;
            }
            report(match unpack::<Event>(&event.data()) {
                Ok((event, payload)) => TrainerMessage::Message(EventMessage { event, payload }),
                Err(why) => {
                    TrainerMessage::Died(tr!("a message of the worker could not be read: {why}", why))
                }
            });
        });
        let on_error = Closure::new(move |event: ErrorEvent| {
            // A file that cannot be loaded gives a bare event, without words.
            let words = js_sys::Reflect::get(&event, &"message".into()).ok().and_then(|m| m.as_string());
            if greeted.get().is_none() {
                check_for_new_build();
            }
            if words.as_ref().is_some_and(|words| words.contains(BEING_COMPILED)) {
                await_programs();
            }
            handle(TrainerMessage::Died(worker_error_text(words.as_deref())));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        if let Some(send_program) = send_program {
            let _ = send_program.call1(&JsValue::NULL, &worker);
        }
        Ok(WorkerTrainer { number: 0, worker, _on_message: on_message, _on_error: on_error })
    }
}

impl Trainer for WorkerTrainer {
    /// Sends a command with its array to the worker.
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
    /// Ends the worker.
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Returns the function of `www/boot.js` that sends the compiled WebAssembly for the CPU to a worker, so that it is
/// fetched once for all workers; None for other programs, and for a `boot.js` of another build from a cache.
fn program_sender(program: Program) -> Option<Function> {
    (program == Program::Cpu)
        .then(|| get_property(&js_sys::global(), "vivariumGive").dyn_into().ok())
        .flatten()
}

/// Fetches the WebAssembly program of workers that train on the CPU, before one of them is opened.
pub fn prefetch_cpu_program() {
    if let Some(give) = program_sender(Program::Cpu) {
        let _ = give.call0(&JsValue::NULL);
    }
}

/// Has `www/boot.js` dispatch the event "vivarium-programs" once the server has the programs for the GPU.
fn await_programs() {
    if let Ok(wait) = get_property(&js_sys::global(), "vivariumAwaitPrograms").dyn_into::<Function>() {
        let _ = wait.call0(&JsValue::NULL);
    }
}

/// Returns the address of the script that loads this worker program, with the build in its name.
pub(crate) fn loader_address(program: Program) -> Result<String, JsValue> {
    let document = leptos::prelude::document();
    let bin = match program {
        Program::Cpu => "worker",
        Program::CpuAutodiff => "worker_gpu&device=cpu",
        Program::Fused => "worker_fused",
        Program::Gpu => "worker_gpu",
    };
    let file = format!("./worker-loader{}.js?bin={bin}", worker_file_suffix());
    let base = document.base_uri()?.unwrap_or_default();
    Ok(Url::new_with_base(&file, &base)?.href())
}
