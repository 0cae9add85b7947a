//! The connection to the browser's IndexedDB, and requests and transactions as futures.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use vivarium_page::library::merge::{FORMER_DATABASE_NAME, database_name};
use vivarium_page::library::{StorageAnswer, StorageError};

#[wasm_bindgen]
extern "C" {
    /// Calls the browser's `indexedDB.open` for the database `name` with its schema version; returns the request.
    #[wasm_bindgen(js_namespace = indexedDB, js_name = open, catch)]
    fn open_database(name: &str, version: u32) -> Result<Request, JsValue>;

    /// The browser's `IDBRequest`: a pending or finished request to the database.
    pub(super) type Request;
    /// Returns the result of a database request that has succeeded.
    #[wasm_bindgen(method, getter)]
    pub(super) fn result(this: &Request) -> JsValue;
    /// Returns the error of a database request that has failed.
    #[wasm_bindgen(method, getter)]
    fn error(this: &Request) -> JsValue;
    /// Returns the transaction in which the database's schema is upgraded.
    #[wasm_bindgen(method, getter, js_name = transaction)]
    fn upgrade(this: &Request) -> Transaction;
    /// Sets the callback for the success of a database request.
    #[wasm_bindgen(method, setter)]
    fn set_onsuccess(this: &Request, then: &Function);
    /// Sets the callback for the failure of a database request.
    #[wasm_bindgen(method, setter)]
    fn set_onerror(this: &Request, then: &Function);
    /// Sets the callback that creates or upgrades the database's schema.
    #[wasm_bindgen(method, setter)]
    fn set_onupgradeneeded(this: &Request, then: &Function);
    /// Sets the callback for an open request that waits because another page uses an older schema.
    #[wasm_bindgen(method, setter)]
    fn set_onblocked(this: &Request, then: &Function);

    /// The browser's `IDBDatabase`: a connection to a database.
    #[derive(Clone)]
    pub(super) type Database;
    /// Creates an object store with this name in the database.
    #[wasm_bindgen(method, js_name = createObjectStore)]
    fn create_object_store(this: &Database, name: &str) -> JsValue;
    /// Begins a transaction on the object stores with these names; `mode` is "readonly" or "readwrite".
    #[wasm_bindgen(method, catch)]
    fn transaction(this: &Database, names: &Array, mode: &str) -> Result<Transaction, JsValue>;
    /// Closes the connection to the database.
    #[wasm_bindgen(method)]
    pub(super) fn close(this: &Database);
    /// Sets the callback for another page that upgrades or deletes the database.
    #[wasm_bindgen(method, setter)]
    fn set_onversionchange(this: &Database, then: &Function);
    /// Sets the callback for a connection that the browser has closed.
    #[wasm_bindgen(method, setter)]
    fn set_onclose(this: &Database, then: &Function);

    /// The browser's `IDBTransaction`: a group of reads and writes that succeed or fail together.
    pub(super) type Transaction;
    /// Returns the error because of which the transaction was aborted.
    #[wasm_bindgen(method, getter, js_name = error)]
    fn why(this: &Transaction) -> JsValue;
    /// Sets the callback for the completion of the transaction.
    #[wasm_bindgen(method, setter)]
    fn set_oncomplete(this: &Transaction, then: &Function);
    /// Sets the callback for an abort of the transaction.
    #[wasm_bindgen(method, setter)]
    fn set_onabort(this: &Transaction, then: &Function);
    /// Commits the transaction at once, without waiting for its requests to finish.
    #[wasm_bindgen(method)]
    pub(super) fn commit(this: &Transaction);
    /// Aborts the transaction, so that none of its writes takes effect.
    #[wasm_bindgen(method, catch)]
    pub(super) fn abort(this: &Transaction) -> Result<(), JsValue>;
    /// Returns the object store with this name, for use in the transaction.
    #[wasm_bindgen(method, catch, js_name = objectStore)]
    pub(super) fn object_store(this: &Transaction, name: &str) -> Result<ObjectStore, JsValue>;

    /// The browser's `IDBObjectStore`: a table of values by key.
    pub(super) type ObjectStore;
    /// Writes a value under a key to an object store.
    #[wasm_bindgen(method, catch)]
    pub(super) fn put(this: &ObjectStore, value: &JsValue, key: &str) -> Result<Request, JsValue>;
    /// Reads the value under a key from an object store.
    #[wasm_bindgen(method, catch)]
    pub(super) fn get(this: &ObjectStore, key: &str) -> Result<Request, JsValue>;
    /// Reads all values of an object store, in the order of their keys.
    #[wasm_bindgen(method, catch, js_name = getAll)]
    pub(super) fn get_all(this: &ObjectStore) -> Result<Request, JsValue>;
    /// Reads all keys of an object store, in order.
    #[wasm_bindgen(method, catch, js_name = getAllKeys)]
    pub(super) fn get_all_keys(this: &ObjectStore) -> Result<Request, JsValue>;
    /// Deletes the value under a key of an object store.
    #[wasm_bindgen(method, catch)]
    pub(super) fn delete(this: &ObjectStore, key: &str) -> Result<Request, JsValue>;
}

/// Name of the object store of saved runs, by run id.
pub(super) const RUNS: &str = "runs";
/// Name of the object store of the runs' names, pins and deletions, by run id.
pub(super) const MARKS: &str = "marks";
/// Name of the object store of checkpoints, by run id; separate from the runs, because the list does not need them.
pub(super) const STATES: &str = "states";
/// Name of the object store of runs that pages wrote as they were closed, until these are merged into the other stores.
pub(super) const PENDING: &str = "left";
/// Name of the object store of the user's data tables, by table number.
pub(super) const TABLES: &str = "tables";
/// Name of the object store of facts about the database itself.
pub(super) const META: &str = "about";

/// Names of all object stores of the database.
const ALL_STORES: [&str; 6] = [RUNS, MARKS, STATES, PENDING, TABLES, META];

/// Version of the database's schema; a higher one creates or changes object stores.
const SCHEMA_VERSION: u32 = 1;

thread_local! {
    /// The open connection to the database; None before it is opened and after it is closed.
    static DATABASE: RefCell<Option<Database>> = const { RefCell::new(None) };
    /// Whether a newer version of the page, in another tab, has taken over the database.
    static REPLACED_BY_NEWER: Cell<bool> = const { Cell::new(false) };
    /// Callback for messages of the storage that do not answer a command; None before it is set.
    static SINK: RefCell<Option<AnswerSink>> = const { RefCell::new(None) };
}

/// Callback for messages of the storage that do not answer a command, such as a lost connection.
pub type AnswerSink = std::rc::Rc<dyn Fn(StorageAnswer)>;

/// Sets the callback for messages of the storage that do not answer a command.
pub(super) fn set_sink(sink: AnswerSink) {
    SINK.set(Some(sink));
}

/// Passes a message of the storage to the callback, if one is set.
pub(super) fn send_to_sink(answer: StorageAnswer) {
    if let Some(sink) = SINK.with_borrow(Clone::clone) {
        sink(answer);
    }
}

/// Returns the name of this page's IndexedDB database of saved runs.
pub(super) fn current_database_name() -> String {
    database_name(&window().location().pathname().unwrap_or_default())
}

/// Returns the name of a browser error, such as "QuotaExceededError".
pub(super) fn error_name(error: &JsValue) -> String {
    Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default()
}

/// Converts a browser error to the reason why runs are not stored.
pub(super) fn storage_error(error: &JsValue) -> StorageError {
    match error_name(error).as_str() {
        "VersionError" => StorageError::NewerVersion,
        name => {
            let message = Reflect::get(error, &"message".into()).ok().and_then(|text| text.as_string());
            let text = message.filter(|text| !text.is_empty()).unwrap_or_else(|| name.into());
            // The message is shown to the user, so it is kept short.
            StorageError::Failed(text.chars().filter(|c| !c.is_control()).take(200).collect())
        }
    }
}

/// Waits until the browser calls one of two callbacks: Ok for the first (success), Err for the second (failure).
async fn await_callbacks(begin: impl FnOnce(&Function, &Function)) -> Result<(), JsValue> {
    let mut begin = Some(begin);
    let promise = Promise::new(&mut |fine, wrong| {
        if let Some(begin) = begin.take() {
            begin(&fine, &wrong);
        }
    });
    JsFuture::from(promise).await.map(|_| ())
}

/// Awaits the result of a database request.
pub(super) async fn await_request(request: Request) -> Result<JsValue, JsValue> {
    let outcome = await_callbacks(|fine, wrong| {
        request.set_onsuccess(fine);
        request.set_onerror(wrong);
    });
    outcome.await.map(|()| request.result()).map_err(|_| request.error())
}

/// Awaits the end of a transaction: Ok if it was completed, Err if it was aborted.
pub(super) async fn await_transaction(transaction: &Transaction) -> Result<(), JsValue> {
    let outcome = await_callbacks(|fine, wrong| {
        transaction.set_oncomplete(fine);
        transaction.set_onabort(wrong);
    });
    outcome.await.map_err(|_| transaction.why())
}

/// Returns the connection to the database of saved runs, and opens it if necessary.
pub(super) async fn open_connection() -> Result<Database, JsValue> {
    if let Some(open) = DATABASE.with_borrow(Clone::clone) {
        return Ok(open);
    }
    if REPLACED_BY_NEWER.get() {
        let error = js_sys::Error::new("");
        error.set_name("VersionError");
        return Err(error.into());
    }
    let request = open_database(&current_database_name(), SCHEMA_VERSION)?;
    let make = Closure::once_into_js(move |event: JsValue| {
        let target = Reflect::get(&event, &"target".into()).unwrap_or_default();
        let made = target.unchecked_into::<Request>().result().unchecked_into::<Database>();
        ALL_STORES.iter().for_each(|store| drop(made.create_object_store(store)));
    });
    request.set_onupgradeneeded(make.unchecked_ref());
    let blocked = Closure::once_into_js(|| {
        send_to_sink(StorageAnswer::Failed(StorageError::BlockedByOlderVersion, None))
    });
    request.set_onblocked(blocked.unchecked_ref());
    let open: Database = await_request(request).await?.unchecked_into();
    watch_connection(&open);
    DATABASE.set(Some(open.clone()));
    Ok(open)
}

/// Forgets a closed connection to the database, unless another one has been opened since.
fn drop_connection(closed: &Database) {
    DATABASE.with_borrow_mut(|open| {
        if open.as_ref().is_some_and(|open| js_sys::Object::is(open, closed)) {
            *open = None;
        }
    });
}

/// Closes a connection when another page needs a newer schema, and reports when the browser closes it.
fn watch_connection(open: &Database) {
    let connection = open.clone();
    let changed = Closure::once_into_js(move |event: JsValue| {
        connection.close();
        drop_connection(&connection);
        // Without a new version, it is being deleted.
        let newer = Reflect::get(&event, &"newVersion".into()).unwrap_or_default();
        REPLACED_BY_NEWER.set(newer.is_truthy());
        let why = if newer.is_truthy() { StorageError::NewerVersion } else { StorageError::ConnectionLost };
        send_to_sink(StorageAnswer::Failed(why, None));
    });
    open.set_onversionchange(changed.unchecked_ref());
    let connection = open.clone();
    let closed = Closure::once_into_js(move || {
        drop_connection(&connection);
        send_to_sink(StorageAnswer::Failed(StorageError::ConnectionLost, None));
    });
    open.set_onclose(closed.unchecked_ref());
}

/// Converts names of object stores to an array for the browser.
fn store_names(stores: &[&str]) -> Array {
    stores.iter().map(|store| JsValue::from(*store)).collect()
}

/// Begins a transaction on the named object stores at once; None if no connection is open.
pub(super) fn try_transaction(stores: &[&str], mode: &str) -> Option<Transaction> {
    let open: Option<Database> = DATABASE.with_borrow(Clone::clone);
    open?.transaction(&store_names(stores), mode).ok()
}

/// Begins a transaction on the named object stores; a connection that the browser has closed is opened again once.
pub(super) async fn begin_transaction(stores: &[&str], mode: &str) -> Result<Transaction, JsValue> {
    let names = store_names(stores);
    match open_connection().await?.transaction(&names, mode) {
        Err(error) if error_name(&error) == "InvalidStateError" => {
            DATABASE.set(None);
            send_to_sink(StorageAnswer::Failed(StorageError::ConnectionLost, None));
            open_connection().await?.transaction(&names, mode)
        }
        outcome => outcome,
    }
}

/// Opens the database of saved runs under its name in earlier versions; None if it does not exist.
pub(super) async fn open_former_database() -> Option<Database> {
    let request = open_database(FORMER_DATABASE_NAME, 1).ok()?;
    // Nothing is made of it where there was none.
    let leave = Closure::once_into_js(move |event: JsValue| {
        let target = Reflect::get(&event, &"target".into()).unwrap_or_default();
        let _ = target.unchecked_into::<Request>().upgrade().abort();
    });
    request.set_onupgradeneeded(leave.unchecked_ref());
    await_request(request).await.ok().map(JsCast::unchecked_into)
}

/// Begins a read-only transaction on the named object stores of the database `of`.
pub(super) fn begin_read(of: &Database, stores: &[&str]) -> Result<Transaction, JsValue> {
    of.transaction(&store_names(stores), "readonly")
}
