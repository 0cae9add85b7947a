//! The worker behind a web worker's messages: what the two worker binaries share.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::platform::web::{pack, sleep, unpack, yield_now};
use crate::protocol::{Command, Event, Failure, Greeting, Message, Payload, VERSION};
use crate::training::launch::device::Device;
use crate::worker::{Next, Worker};

/// Commands that have come and not been obeyed, and who waits for the next.
#[derive(Default)]
struct Inbox {
    commands: VecDeque<(Command, Payload)>,
    waiting: Option<js_sys::Function>,
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Says of which build this worker is, which its loader has read from the worker's own file, before anything else.
fn greet() {
    let build =
        js_sys::Reflect::get(&scope(), &"vivariumBuild".into()).ok().and_then(|build| build.as_string());
    let greeting = Greeting { build: build.unwrap_or_default(), protocol: VERSION };
    post_packed(&greeting, &Payload::Empty);
}

fn post(message: &Message) {
    post_packed(&message.event, &message.payload);
}

fn post_packed<T: serde::Serialize>(value: &T, payload: &Payload) {
    let sent = pack(value, payload)
        .map_err(|e| JsValue::from_str(&e))
        .and_then(|(value, transfer)| scope().post_message_with_transfer(&value, &transfer));
    if let Err(error) = sent {
        web_sys::console::error_1(&error);
    }
}

/// Serves commands until the page ends the worker. Messages are taken from the first moment on, so that
/// nothing sent while the device opens is lost.
pub async fn serve(open: impl Future<Output = Result<Device, Failure>>) {
    greet();
    // A panic leaves the module dead: the page hears of it in one sentence before that.
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        post(&Event::Failed(Failure::Internal(info.to_string())).into());
    }));
    let inbox = Rc::new(RefCell::new(Inbox::default()));
    let received = inbox.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        match unpack::<Command>(&event.data()) {
            Ok(command) => {
                let mut inbox = received.borrow_mut();
                inbox.commands.push_back(command);
                if let Some(waiting) = inbox.waiting.take() {
                    let _ = waiting.call0(&JsValue::NULL);
                }
            }
            Err(why) => post(&Event::Failed(Failure::Internal(why)).into()),
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();

    let mut worker = match open.await {
        Ok(device) => Worker::new(device),
        Err(failure) => return post(&Event::Failed(failure).into()),
    };
    post(&worker.ready());
    loop {
        // The borrow must end before the command is obeyed.
        let command = inbox.borrow_mut().commands.pop_front();
        if let Some((command, payload)) = command {
            worker.handle(command, payload).iter().for_each(post);
            continue;
        }
        let (messages, next) = worker.slice().await;
        messages.iter().for_each(post);
        match next {
            Next::Continue => yield_now().await,
            Next::Wait(ms) => sleep(ms.clamp(1.0, 50.0)).await,
            Next::Idle => {
                let promise = Promise::new(&mut |resolve, _| inbox.borrow_mut().waiting = Some(resolve));
                if inbox.borrow().commands.is_empty() {
                    let _ = JsFuture::from(promise).await;
                }
            }
        }
    }
}

/// u, v and w after `steps` steps of [`crate::kernels::group_net::trial::Trial`], one after the other: the
/// browser's tests hold them against autodiff's, since no task of the page trains such a network yet.
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
    many: bool,
    steps: u32,
) -> Result<Vec<f32>, JsValue> {
    let trial = crate::kernels::group_net::trial::Trial { order, neurons, relu, adam, many };
    let mut net = trial.net()?;
    let failed = |failure: Failure| JsValue::from_str(&failure.to_string());
    net.advance(u64::from(steps), u64::MAX).await.map_err(failed)?;
    let weights = net.weights().await.map_err(failed)?;
    Ok([weights.u, weights.v, weights.w].concat())
}
