//! Kept runs in the browser's IndexedDB: the one place that names it.

use std::cell::RefCell;

use js_sys::{Array, Date, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::app::files::openers::openers;
use crate::app::library::{LibraryAnswer, LibraryCommand, SavedRun, edited, merged};
use crate::labs::tables::opened as tables;
use crate::platform::file::FileHandle;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = indexedDB, js_name = open, catch)]
    fn open_database(name: &str, version: u32) -> Result<Request, JsValue>;

    type Request;
    #[wasm_bindgen(method, getter)]
    fn result(this: &Request) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn error(this: &Request) -> JsValue;
    #[wasm_bindgen(method, setter)]
    fn set_onsuccess(this: &Request, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onerror(this: &Request, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onupgradeneeded(this: &Request, then: &Function);

    #[derive(Clone)]
    type Database;
    #[wasm_bindgen(method, js_name = createObjectStore)]
    fn create_object_store(this: &Database, name: &str) -> JsValue;
    #[wasm_bindgen(method, catch)]
    fn transaction(this: &Database, names: &Array, mode: &str) -> Result<Transaction, JsValue>;

    type Transaction;
    #[wasm_bindgen(method, getter, js_name = error)]
    fn why(this: &Transaction) -> JsValue;
    #[wasm_bindgen(method, setter)]
    fn set_oncomplete(this: &Transaction, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onabort(this: &Transaction, then: &Function);
    #[wasm_bindgen(method)]
    fn commit(this: &Transaction);
    #[wasm_bindgen(method, catch, js_name = objectStore)]
    fn object_store(this: &Transaction, name: &str) -> Result<Shelf, JsValue>;

    type Shelf;
    #[wasm_bindgen(method, catch)]
    fn put(this: &Shelf, value: &JsValue, key: &str) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn get(this: &Shelf, key: &str) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getAll)]
    fn get_all(this: &Shelf) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn delete(this: &Shelf, key: &str) -> Result<Request, JsValue>;
}

/// What is written down of runs, and their checkpoints: apart, because a list needs only the first.
const RUNS: &str = "runs";
/// See [`RUNS`].
const STATES: &str = "states";

thread_local! {
    static DATABASE: RefCell<Option<Database>> = const { RefCell::new(None) };
}

async fn settled(begin: impl FnOnce(&Function, &Function)) -> Result<(), JsValue> {
    let mut begin = Some(begin);
    let promise = Promise::new(&mut |fine, wrong| {
        if let Some(begin) = begin.take() {
            begin(&fine, &wrong);
        }
    });
    JsFuture::from(promise).await.map(|_| ())
}

async fn done(request: Request) -> Result<JsValue, JsValue> {
    let outcome = settled(|fine, wrong| {
        request.set_onsuccess(fine);
        request.set_onerror(wrong);
    });
    outcome.await.map(|()| request.result()).map_err(|_| request.error())
}

async fn database() -> Result<Database, JsValue> {
    if let Some(open) = DATABASE.with_borrow(Clone::clone) {
        return Ok(open);
    }
    let request = open_database("vivarium", 1)?;
    let make = Closure::once_into_js(move |event: JsValue| {
        let target = Reflect::get(&event, &"target".into()).unwrap_or_default();
        let made = target.unchecked_into::<Request>().result().unchecked_into::<Database>();
        made.create_object_store(RUNS);
        made.create_object_store(STATES);
    });
    request.set_onupgradeneeded(make.unchecked_ref());
    let open: Database = done(request).await?.unchecked_into();
    DATABASE.set(Some(open.clone()));
    Ok(open)
}

/// Everything that is kept. What another program has written there is left alone.
///
/// # Errors
/// As [`obey`].
pub async fn load() -> LibraryAnswer {
    let loaded: Result<LibraryAnswer, JsValue> = async {
        let names = Array::of1(&RUNS.into());
        let runs = database().await?.transaction(&names, "readonly")?.object_store(RUNS)?;
        let all: Array = done(runs.get_all()?).await?.unchecked_into();
        let runs = all.iter().filter_map(|kept| serde_wasm_bindgen::from_value(kept).ok()).collect();
        Ok(LibraryAnswer::Loaded(runs, Date::now()))
    }
    .await;
    loaded.unwrap_or(LibraryAnswer::Closed)
}

/// Does what the page wants; says what there is to say of it.
pub async fn obey(deed: LibraryCommand) -> Option<LibraryAnswer> {
    carry_out(&deed).await.unwrap_or_else(|error| {
        let name = Reflect::get(&error, &"name".into()).ok().and_then(|name| name.as_string());
        let full = name.as_deref() == Some("QuotaExceededError");
        Some(if full { LibraryAnswer::Full(Box::new(deed)) } else { LibraryAnswer::Closed })
    })
}

/// Key of the table that was opened last, among the [`STATES`]: ids of kept runs are links, and none is this.
const TABLE: &str = "table";

/// Keeps the open table of that number, in place of the one before. A browser that keeps nothing has it until the page
/// is closed.
pub async fn keep_table(number: u64) {
    let Some(opened) = tables::opened(number) else { return };
    let parts = Array::of3(
        &opened.name.as_str().into(),
        &(opened.table.label as u32).into(),
        // The file itself, which is not copied.
        &opened.file.handle.as_ref().and_then(FileHandle::blob).map_or(JsValue::UNDEFINED, JsValue::from),
    );
    let kept: Result<(), JsValue> = async {
        let names = Array::of1(&STATES.into());
        let states = database().await?.transaction(&names, "readwrite")?.object_store(STATES)?;
        done(states.put(&parts, TABLE)?).await.map(drop)
    }
    .await;
    // It is open all the same.
    drop(kept);
}

/// Opens the table that is kept, if there is one.
pub async fn open_table() {
    let read: Result<Array, JsValue> = async {
        let names = Array::of1(&STATES.into());
        let states = database().await?.transaction(&names, "readonly")?.object_store(STATES)?;
        done(states.get(TABLE)?).await?.dyn_into::<Array>()
    }
    .await;
    let Ok(parts) = read else { return };
    // Builds before kept the bytes.
    let file = parts.get(2);
    let file = match file.is_instance_of::<Uint8Array>() {
        true => Blob::new_with_u8_array_sequence(&Array::of1(&file)),
        false => file.dyn_into::<Blob>(),
    };
    if let (Some(name), Some(label), Ok(file), Some(openers)) =
        (parts.get(0).as_string(), parts.get(1).as_f64(), file, openers())
    {
        // What was a table once is one.
        if let Some((file, table)) = (openers.kept)(file, label as usize).await {
            tables::keep(&name, file, table);
        }
    }
}

async fn carry_out(deed: &LibraryCommand) -> Result<Option<LibraryAnswer>, JsValue> {
    let names = Array::of2(&RUNS.into(), &STATES.into());
    let work = database().await?.transaction(&names, "readwrite")?;
    let (runs, states) = (work.object_store(RUNS)?, work.object_store(STATES)?);
    let old = async |id: &str| -> Result<Option<SavedRun>, JsValue> {
        Ok(serde_wasm_bindgen::from_value(done(runs.get(id)?).await?).ok())
    };
    let write = |kept: &SavedRun, bytes: &Option<Vec<u8>>| -> Result<(), JsValue> {
        runs.put(&serde_wasm_bindgen::to_value(kept)?, &kept.id)?;
        if let Some(bytes) = bytes {
            states.put(&Uint8Array::from(bytes.as_slice()), &kept.id)?;
        }
        Ok(())
    };
    let mut answer = None;
    // Reading and writing are one transaction, so that no other tab comes between them.
    match deed {
        LibraryCommand::Keep(kept, bytes) => {
            if let Some(kept) = merged(old(&kept.id).await?.as_ref(), SavedRun::clone(kept)) {
                write(&kept, bytes)?;
                answer = Some(LibraryAnswer::Called(Box::new(SavedRun { rows: vec![], ..kept })));
            }
        }
        LibraryCommand::Leave(kept, bytes) => {
            write(kept, bytes)?;
            work.commit();
            return Ok(None);
        }
        LibraryCommand::Edit(edit) => {
            if let Some(old) = old(&edit.id).await? {
                runs.put(&serde_wasm_bindgen::to_value(&edited(&old, SavedRun::clone(edit)))?, &edit.id)?;
            }
        }
        LibraryCommand::Forget(ids) => {
            for id in ids {
                runs.delete(id)?;
                states.delete(id)?;
            }
        }
        LibraryCommand::Fetch(id) => {
            let bytes = done(states.get(id)?).await?.dyn_into::<Uint8Array>().ok();
            return Ok(Some(LibraryAnswer::Fetched(id.clone(), bytes.map(|bytes| bytes.to_vec()))));
        }
    }
    let outcome = settled(|fine, wrong| {
        work.set_oncomplete(fine);
        work.set_onabort(wrong);
    });
    outcome.await.map_err(|_| work.why())?;
    Ok(answer)
}
