//! Clock, fresh seeds, macrotask yields and messages in a browser, on the page and in a worker alike.

use js_sys::{Array, Float32Array, Function, Object, Promise, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::protocol::Payload;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page or the worker was opened: `performance.now` of JavaScript.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    /// Calls `callback` after at least `ms` milliseconds: `setTimeout` of JavaScript.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &js_sys::Function, ms: f64);
}

/// Milliseconds since the page or the worker was opened.
pub fn now_ms() -> f64 {
    performance_now()
}

/// Random seed for a new run, with at most 32 bits, so that it is easy to read out.
pub fn fresh_seed() -> u64 {
    getrandom::u32().map_or_else(|_| now_ms() as u64, u64::from)
}

/// Starts the future `task`, which runs on this thread whenever it does not wait.
#[expect(clippy::disallowed_methods, reason = "the one place where tasks start")]
pub fn spawn(task: impl Future<Output = ()> + 'static) {
    wasm_bindgen_futures::spawn_local(task);
}

/// Runs the static constructors of the WebAssembly module, once and before anything else.
///
/// # Why
/// CubeCL registers its operations in thousands of them. A linker that finds no call to `__wasm_call_ctors`
/// puts one into every exported function (dtolnay/inventory#76), and a worker's calls into its module are
/// thousands a second: each launch cost 12 ms, and now a tenth of one. 2026-11-21, Chromium 156.
#[expect(unsafe_code, reason = "the linker makes this function, and there is no other way to call it")]
pub fn construct() {
    unsafe extern "C" {
        /// Runs all static constructors of the module; the linker generates this function.
        fn __wasm_call_ctors();
    }
    // SAFETY: constructors may run once before they are relied on; nothing has run in this module yet.
    unsafe { __wasm_call_ctors() }
}

/// Waits for at least `ms` milliseconds, while other tasks of the thread go on.
pub async fn sleep(ms: f64) {
    let promise = Promise::new(&mut |resolve, _| set_timeout(&resolve, ms));
    // The promise is only ever resolved.
    let _ = JsFuture::from(promise).await;
}

thread_local! {
    /// Message channel that all calls of `yield_now` share: a new channel for each call would wait for the garbage
    /// collector. None where the browser has none.
    static CHANNEL: Option<web_sys::MessageChannel> = web_sys::MessageChannel::new().ok();
}

/// Lets pending browser events be handled: a macrotask through a message channel, because a promise alone would not
/// yield to them and a timer is delayed by 4 ms. Only one task of a thread may yield at a time.
pub async fn yield_now() {
    let promise = CHANNEL.with(|channel| {
        Promise::new(&mut |resolve, _| match channel {
            Some(channel) => {
                channel.port1().set_onmessage(Some(&resolve));
                let _ = channel.port2().post_message(&JsValue::NULL);
            }
            None => set_timeout(&resolve, 0.0),
        })
    });
    let _ = JsFuture::from(promise).await;
}

/// Web lock of the browser, held by one page of a site at a time; released when dropped. Contains the function that
/// releases it, None if the lock is not held.
pub struct BrowserLock(Option<Function>);

impl Drop for BrowserLock {
    fn drop(&mut self) {
        if let Some(release) = &self.0 {
            // It resolves a promise, which cannot fail.
            let _ = release.call0(&JsValue::UNDEFINED);
        }
    }
}

/// Waits for the web lock `name`. Returns without it if the browser has no locks, or if another page, which may be
/// frozen, holds it for longer than `patience_ms`.
pub async fn acquire_lock(name: &str, patience_ms: u32) -> BrowserLock {
    let property = |from: &JsValue, key: &str| Reflect::get(from, &key.into()).unwrap_or_default();
    let locks = property(&property(&js_sys::global(), "navigator"), "locks");
    let Ok(request) = property(&locks, "request").dyn_into::<Function>() else { return BrowserLock(None) };
    let how = Object::new();
    let signal = property(&js_sys::global(), "AbortSignal");
    if let Ok(timeout) = property(&signal, "timeout").dyn_into::<Function>()
        && let Ok(signal) = timeout.call1(&signal, &patience_ms.into())
    {
        // A plain object takes every property.
        let _ = Reflect::set(&how, &"signal".into(), &signal);
    }
    let granted = Promise::new(&mut |granted, failed| {
        // The lock is held until the promise that the callback returns is resolved.
        let hold = Closure::once_into_js(move || {
            Promise::new(&mut |release, _| {
                let _ = granted.call1(&JsValue::UNDEFINED, &release);
            })
        });
        let requested = request.call3(&locks, &name.into(), &how, &hold);
        match requested.map(JsCast::unchecked_into::<Promise>) {
            Ok(asked) => {
                let failed = Closure::once(move |why: JsValue| {
                    let _ = failed.call1(&JsValue::UNDEFINED, &why);
                });
                let _ = asked.catch(&failed);
                // Freed by the browser once the promise is.
                failed.forget();
            }
            Err(why) => {
                let _ = failed.call1(&JsValue::UNDEFINED, &why);
            }
        }
    });
    BrowserLock(JsFuture::from(granted).await.ok().and_then(|release| release.dyn_into().ok()))
}

/// Converts a message to JavaScript, `[value, payload]`, and lists the buffers that are transferred with it.
///
/// # Errors
/// If the value cannot be converted to JavaScript, which is a bug in the protocol.
pub fn pack<T: Serialize>(value: &T, payload: &Payload) -> Result<(JsValue, Array), String> {
    let value = serde_wasm_bindgen::to_value(value).map_err(|e| e.to_string())?;
    let transfer = Array::new();
    let payload = match payload {
        Payload::Empty => JsValue::UNDEFINED,
        Payload::Numbers(numbers) => {
            let array = Float32Array::from(numbers.as_slice());
            transfer.push(&array.buffer());
            array.into()
        }
        Payload::Bytes(bytes) => {
            let array = Uint8Array::from(bytes.as_slice());
            transfer.push(&array.buffer());
            array.into()
        }
    };
    Ok((Array::of2(&value, &payload).into(), transfer))
}

/// Reads a message that [`pack`] has converted.
///
/// # Errors
/// If it is another JavaScript value.
pub fn unpack<T: DeserializeOwned>(data: &JsValue) -> Result<(T, Payload), String> {
    let pair: &Array = data.dyn_ref().ok_or("a message that is no array")?;
    let value = serde_wasm_bindgen::from_value(pair.get(0)).map_err(|e| e.to_string())?;
    let payload = pair.get(1);
    let payload = if let Some(numbers) = payload.dyn_ref::<Float32Array>() {
        Payload::Numbers(numbers.to_vec())
    } else if let Some(bytes) = payload.dyn_ref::<Uint8Array>() {
        Payload::Bytes(bytes.to_vec())
    } else {
        Payload::Empty
    };
    Ok((value, payload))
}
