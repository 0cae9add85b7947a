//! The connection to the browser's IndexedDB, and requests and transactions as futures.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Event, IdbDatabase, IdbOpenDbRequest, IdbRequest, IdbTransaction, IdbTransactionMode,
    IdbVersionChangeEvent,
};

use vivarium_page::library::merge::{FORMER_DATABASE_NAME, database_name};
use vivarium_page::library::{StorageAnswer, StorageError};

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
    static DATABASE: RefCell<Option<IdbDatabase>> = const { RefCell::new(None) };
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
pub(super) async fn await_request(request: IdbRequest) -> Result<JsValue, JsValue> {
    let outcome = await_callbacks(|fine, wrong| {
        request.set_onsuccess(Some(fine));
        request.set_onerror(Some(wrong));
    });
    match outcome.await {
        Ok(()) => request.result(),
        Err(_) => Err(request.error()?.into()),
    }
}

/// Awaits the end of a transaction: Ok if it was completed, Err if it was aborted.
pub(super) async fn await_transaction(transaction: &IdbTransaction) -> Result<(), JsValue> {
    let outcome = await_callbacks(|fine, wrong| {
        transaction.set_oncomplete(Some(fine));
        transaction.set_onabort(Some(wrong));
    });
    outcome.await.map_err(|_| transaction.error().into())
}

/// Commits a transaction at once, without waiting for its requests to finish.
#[expect(deprecated, reason = "the second edition of the specification lacked it, the third has it")]
pub(super) fn commit(transaction: &IdbTransaction) -> Result<(), JsValue> {
    transaction.commit()
}

/// Returns the request to open a database whose event this is.
fn request_of(event: &Event) -> IdbOpenDbRequest {
    JsValue::from(event.target()).unchecked_into()
}

/// Begins to open the database `name` with this version of its schema.
fn open_database(name: &str, version: u32) -> Result<IdbOpenDbRequest, JsValue> {
    let factory = window().indexed_db()?.ok_or_else(|| js_sys::Error::new("indexedDB is not defined"))?;
    factory.open_with_u32(name, version)
}

/// Returns the connection to the database of saved runs, and opens it if necessary.
pub(super) async fn open_connection() -> Result<IdbDatabase, JsValue> {
    if let Some(open) = DATABASE.with_borrow(Clone::clone) {
        return Ok(open);
    }
    if REPLACED_BY_NEWER.get() {
        let error = js_sys::Error::new("");
        error.set_name("VersionError");
        return Err(error.into());
    }
    let request = open_database(&current_database_name(), SCHEMA_VERSION)?;
    let make = Closure::once_into_js(|event: Event| {
        let made: IdbDatabase = request_of(&event).result().unwrap_or_default().unchecked_into();
        ALL_STORES.iter().for_each(|store| drop(made.create_object_store(store)));
    });
    request.set_onupgradeneeded(Some(make.unchecked_ref()));
    let blocked = Closure::once_into_js(|| {
        send_to_sink(StorageAnswer::Failed(StorageError::BlockedByOlderVersion, None))
    });
    request.set_onblocked(Some(blocked.unchecked_ref()));
    let open: IdbDatabase = await_request(request.into()).await?.unchecked_into();
    watch_connection(&open);
    DATABASE.set(Some(open.clone()));
    Ok(open)
}

/// Forgets a closed connection to the database, unless another one has been opened since.
fn drop_connection(closed: &IdbDatabase) {
    DATABASE.with_borrow_mut(|open| drop(open.take_if(|open| *open == *closed)));
}

/// Closes a connection when another page needs a newer schema, and reports when the browser closes it.
fn watch_connection(open: &IdbDatabase) {
    let connection = open.clone();
    let changed = Closure::once_into_js(move |event: IdbVersionChangeEvent| {
        connection.close();
        drop_connection(&connection);
        // Without a new version, it is being deleted.
        let is_newer = event.new_version().is_some();
        REPLACED_BY_NEWER.set(is_newer);
        let why = if is_newer { StorageError::NewerVersion } else { StorageError::ConnectionLost };
        send_to_sink(StorageAnswer::Failed(why, None));
    });
    open.set_onversionchange(Some(changed.unchecked_ref()));
    let connection = open.clone();
    let closed = Closure::once_into_js(move || {
        drop_connection(&connection);
        send_to_sink(StorageAnswer::Failed(StorageError::ConnectionLost, None));
    });
    open.set_onclose(Some(closed.unchecked_ref()));
}

/// Begins a transaction on the named object stores at once; None if no connection is open.
pub(super) fn try_transaction(stores: &[&str], mode: IdbTransactionMode) -> Option<IdbTransaction> {
    begin_on(&DATABASE.with_borrow(Clone::clone)?, stores, mode).ok()
}

/// Begins a transaction on the named object stores; a connection that the browser has closed is opened again once.
pub(super) async fn begin_transaction(
    stores: &[&str],
    mode: IdbTransactionMode,
) -> Result<IdbTransaction, JsValue> {
    match begin_on(&open_connection().await?, stores, mode) {
        Err(error) if error_name(&error) == "InvalidStateError" => {
            DATABASE.set(None);
            send_to_sink(StorageAnswer::Failed(StorageError::ConnectionLost, None));
            begin_on(&open_connection().await?, stores, mode)
        }
        outcome => outcome,
    }
}

/// Begins a transaction on the named object stores of the database `of`.
pub(super) fn begin_on(
    of: &IdbDatabase,
    stores: &[&str],
    mode: IdbTransactionMode,
) -> Result<IdbTransaction, JsValue> {
    let names: Array = stores.iter().map(|store| JsValue::from(*store)).collect();
    of.transaction_with_str_sequence_and_mode(&names, mode)
}

/// Opens the database of saved runs under its name in earlier versions; None if it does not exist.
pub(super) async fn open_former_database() -> Option<IdbDatabase> {
    let request = open_database(FORMER_DATABASE_NAME, 1).ok()?;
    // Nothing is made of it where there was none.
    let leave = Closure::once_into_js(|event: Event| {
        drop(request_of(&event).transaction().map(|upgrade| upgrade.abort()));
    });
    request.set_onupgradeneeded(Some(leave.unchecked_ref()));
    await_request(request.into()).await.ok().map(JsCast::unchecked_into)
}
