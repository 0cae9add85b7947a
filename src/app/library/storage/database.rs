//! The browser's IndexedDB, as far as kept runs need it: the connection, and what happens to it.

use std::cell::{Cell, RefCell};

use js_sys::{Array, Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use vivarium_page::library::merge::{FORMER_NAME, database_name};
use vivarium_page::library::{LibraryAnswer, Refusal};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = indexedDB, js_name = open, catch)]
    fn open_database(name: &str, version: u32) -> Result<Request, JsValue>;

    pub(super) type Request;
    #[wasm_bindgen(method, getter)]
    pub(super) fn result(this: &Request) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn error(this: &Request) -> JsValue;
    #[wasm_bindgen(method, getter, js_name = transaction)]
    fn upgrade(this: &Request) -> Transaction;
    #[wasm_bindgen(method, setter)]
    fn set_onsuccess(this: &Request, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onerror(this: &Request, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onupgradeneeded(this: &Request, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onblocked(this: &Request, then: &Function);

    #[derive(Clone)]
    pub(super) type Database;
    #[wasm_bindgen(method, js_name = createObjectStore)]
    fn create_object_store(this: &Database, name: &str) -> JsValue;
    #[wasm_bindgen(method, catch)]
    fn transaction(this: &Database, names: &Array, mode: &str) -> Result<Transaction, JsValue>;
    #[wasm_bindgen(method)]
    pub(super) fn close(this: &Database);
    #[wasm_bindgen(method, setter)]
    fn set_onversionchange(this: &Database, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onclose(this: &Database, then: &Function);

    pub(super) type Transaction;
    #[wasm_bindgen(method, getter, js_name = error)]
    fn why(this: &Transaction) -> JsValue;
    #[wasm_bindgen(method, setter)]
    fn set_oncomplete(this: &Transaction, then: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_onabort(this: &Transaction, then: &Function);
    #[wasm_bindgen(method)]
    pub(super) fn commit(this: &Transaction);
    #[wasm_bindgen(method, catch)]
    pub(super) fn abort(this: &Transaction) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = objectStore)]
    pub(super) fn object_store(this: &Transaction, name: &str) -> Result<Shelf, JsValue>;

    pub(super) type Shelf;
    #[wasm_bindgen(method, catch)]
    pub(super) fn put(this: &Shelf, value: &JsValue, key: &str) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(super) fn get(this: &Shelf, key: &str) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getAll)]
    pub(super) fn get_all(this: &Shelf) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getAllKeys)]
    pub(super) fn get_all_keys(this: &Shelf) -> Result<Request, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(super) fn delete(this: &Shelf, key: &str) -> Result<Request, JsValue>;
}

/// What is written down of runs.
pub(super) const RUNS: &str = "runs";
/// What a person says of them, under the same keys.
pub(super) const MARKS: &str = "marks";
/// Their checkpoints, under the same keys: apart, because a list does not need them.
pub(super) const STATES: &str = "states";
/// What pages wrote as they were closed, until it is merged.
pub(super) const LEFT: &str = "left";
/// Files of tables, by the numbers of these.
pub(super) const TABLES: &str = "tables";
/// What is known of the database itself.
pub(super) const ABOUT: &str = "about";

const ALL: [&str; 6] = [RUNS, MARKS, STATES, LEFT, TABLES, ABOUT];

/// The version of the schema.
const VERSION: u32 = 1;

thread_local! {
    static DATABASE: RefCell<Option<Database>> = const { RefCell::new(None) };
    /// Whether a newer version of this page has taken the database over.
    static TAKEN_OVER: Cell<bool> = const { Cell::new(false) };
    static SINK: RefCell<Option<Sink>> = const { RefCell::new(None) };
}

/// Takes what the browser says by itself.
pub type Sink = std::rc::Rc<dyn Fn(LibraryAnswer)>;

/// Names who is told what the browser says by itself.
pub(super) fn listen(sink: Sink) {
    SINK.set(Some(sink));
}

/// Tells what the browser says by itself.
pub(super) fn tell(answer: LibraryAnswer) {
    if let Some(sink) = SINK.with_borrow(Clone::clone) {
        sink(answer);
    }
}

/// What the place is called where this page stores its runs.
pub(super) fn name() -> String {
    database_name(&window().location().pathname().unwrap_or_default())
}

/// What the browser calls an error.
pub(super) fn error_name(error: &JsValue) -> String {
    Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default()
}

/// Why nothing is stored, after this error.
pub(super) fn refusal(error: &JsValue) -> Refusal {
    match error_name(error).as_str() {
        "VersionError" => Refusal::Newer,
        name => {
            let message = Reflect::get(error, &"message".into()).ok().and_then(|text| text.as_string());
            let text = message.filter(|text| !text.is_empty()).unwrap_or_else(|| name.into());
            // It is shown, and nobody needs more of it.
            Refusal::Failed(text.chars().filter(|c| !c.is_control()).take(200).collect())
        }
    }
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

/// What a request becomes.
pub(super) async fn done(request: Request) -> Result<JsValue, JsValue> {
    let outcome = settled(|fine, wrong| {
        request.set_onsuccess(fine);
        request.set_onerror(wrong);
    });
    outcome.await.map(|()| request.result()).map_err(|_| request.error())
}

/// The end of a transaction.
pub(super) async fn completed(work: &Transaction) -> Result<(), JsValue> {
    let outcome = settled(|fine, wrong| {
        work.set_oncomplete(fine);
        work.set_onabort(wrong);
    });
    outcome.await.map_err(|_| work.why())
}

/// The connection.
pub(super) async fn database() -> Result<Database, JsValue> {
    if let Some(open) = DATABASE.with_borrow(Clone::clone) {
        return Ok(open);
    }
    if TAKEN_OVER.get() {
        let error = js_sys::Error::new("");
        error.set_name("VersionError");
        return Err(error.into());
    }
    let request = open_database(&name(), VERSION)?;
    let make = Closure::once_into_js(move |event: JsValue| {
        let target = Reflect::get(&event, &"target".into()).unwrap_or_default();
        let made = target.unchecked_into::<Request>().result().unchecked_into::<Database>();
        ALL.iter().for_each(|store| drop(made.create_object_store(store)));
    });
    request.set_onupgradeneeded(make.unchecked_ref());
    let blocked = Closure::once_into_js(|| tell(LibraryAnswer::Refused(Refusal::Blocked, None)));
    request.set_onblocked(blocked.unchecked_ref());
    let open: Database = done(request).await?.unchecked_into();
    attend(&open);
    DATABASE.set(Some(open.clone()));
    Ok(open)
}

/// Forgets a connection that is closed, unless another one has been opened since.
fn drop_connection(closed: &Database) {
    DATABASE.with_borrow_mut(|open| {
        if open.as_ref().is_some_and(|open| js_sys::Object::is(open, closed)) {
            *open = None;
        }
    });
}

/// Lets go of the database when another page wants a newer version of it, or when the browser has closed it.
fn attend(open: &Database) {
    let connection = open.clone();
    let changed = Closure::once_into_js(move |event: JsValue| {
        connection.close();
        drop_connection(&connection);
        // Without a new version, it is being deleted.
        let newer = Reflect::get(&event, &"newVersion".into()).unwrap_or_default();
        TAKEN_OVER.set(newer.is_truthy());
        let why = if newer.is_truthy() { Refusal::Newer } else { Refusal::Lost };
        tell(LibraryAnswer::Refused(why, None));
    });
    open.set_onversionchange(changed.unchecked_ref());
    let connection = open.clone();
    let closed = Closure::once_into_js(move || {
        drop_connection(&connection);
        tell(LibraryAnswer::Refused(Refusal::Lost, None));
    });
    open.set_onclose(closed.unchecked_ref());
}

/// Names of stores, as the browser takes them.
fn array(stores: &[&str]) -> Array {
    stores.iter().map(|store| JsValue::from(*store)).collect()
}

/// A transaction on these stores, at once: none where the connection is not open, or is no longer.
pub(super) fn transaction_at_once(stores: &[&str], mode: &str) -> Option<Transaction> {
    let open: Option<Database> = DATABASE.with_borrow(Clone::clone);
    open?.transaction(&array(stores), mode).ok()
}

/// A transaction on these stores. A connection that the browser has closed without a word is opened again, once.
pub(super) async fn transaction(stores: &[&str], mode: &str) -> Result<Transaction, JsValue> {
    let names = array(stores);
    match database().await?.transaction(&names, mode) {
        Err(error) if error_name(&error) == "InvalidStateError" => {
            DATABASE.set(None);
            tell(LibraryAnswer::Refused(Refusal::Lost, None));
            database().await?.transaction(&names, mode)
        }
        outcome => outcome,
    }
}

/// The database as it was called before its name held the page's path; none where there never was one.
pub(super) async fn former() -> Option<Database> {
    let request = open_database(FORMER_NAME, 1).ok()?;
    // Nothing is made of it where there was none.
    let leave = Closure::once_into_js(move |event: JsValue| {
        let target = Reflect::get(&event, &"target".into()).unwrap_or_default();
        let _ = target.unchecked_into::<Request>().upgrade().abort();
    });
    request.set_onupgradeneeded(leave.unchecked_ref());
    done(request).await.ok().map(JsCast::unchecked_into)
}

/// A transaction on one store of a database.
pub(super) fn reading(of: &Database, stores: &[&str]) -> Result<Transaction, JsValue> {
    of.transaction(&array(stores), "readonly")
}
