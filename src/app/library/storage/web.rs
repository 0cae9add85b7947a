//! Kept runs in the browser's IndexedDB: what is read and written, in transactions that no other tab comes between.
//!
//! # Why
//! What decides something is elsewhere, and is tested natively: [`vivarium_page::library::merge`] merges, and
//! [`vivarium_view::record::saved`] checks. Tabs take turns by a lock where the browser has locks, since some of this takes
//! several transactions; where it has none, each transaction still merges what it finds.
//!
//! A page that is being left gets no answer any more, and perhaps no turn either. So its last transaction reads nothing,
//! waits for no lock and is committed before the listener returns; it adds a note beside what is stored, under a key of
//! this page alone. A page that is only hidden does the same, since it may be ended without another word, and merges its
//! note when it is seen again.

use std::cell::Cell;

use js_sys::{Array, Date, Function, Reflect, Uint8Array};
use leptos::prelude::{document, window_event_listener_untyped};
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use crate::files::reader::kept;
use crate::library::storage::database::{
    ABOUT, LEFT, MARKS, RUNS, STATES, Shelf, TABLES, Transaction, completed, database, done, error_name,
    former, listen, name, reading, refusal, tell, transaction, transaction_at_once,
};
use crate::library::storage::{Coming, StorageModule};
use vivarium_labs::tables::opened as tables;
use vivarium_model::platform::file::FileHandle;
use vivarium_model::platform::web::{fresh_seed, lock, spawn};
use vivarium_page::library::merge::{merged, table_in};
use vivarium_page::library::{Edit, LibraryAnswer, LibraryCommand, SavedRun, Stock};
use vivarium_view::record::FileError;
use vivarium_view::record::saved::{Marks, check_state};

/// The functions of this module.
pub const STORAGE: StorageModule = StorageModule {
    listen: begin,
    obey,
    keep_table: |number| Box::pin(keep_table(number)),
    open_table: |number| Box::pin(open_table(number)),
};

/// How long another tab may write before this one does so too.
const PATIENCE_MS: u32 = 3000;
/// Under which what an earlier version kept is marked as read.
const IMPORTED: &str = "imported";
/// Key of the only table that an earlier version kept.
const FORMER_TABLE: &str = "table";

#[wasm_bindgen]
extern "C" {
    type BroadcastChannel;
    #[wasm_bindgen(constructor, catch)]
    fn new(name: &str) -> Result<BroadcastChannel, JsValue>;
    #[wasm_bindgen(method, js_name = postMessage, catch)]
    fn post(this: &BroadcastChannel, message: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, setter)]
    fn set_onmessage(this: &BroadcastChannel, then: &Function);
}

thread_local! {
    static CHANNEL: Option<BroadcastChannel> = BroadcastChannel::new(&name()).ok();
    /// Whether there was news while nobody saw this tab.
    static MISSED: Cell<bool> = const { Cell::new(false) };
    /// Whether this page has left a run, and nobody may have merged it yet.
    static HAS_LEFT: Cell<bool> = const { Cell::new(false) };
    /// What keys of runs that this page leaves begin with: no other page has the same number.
    static PAGE: String = format!("{} {}", Date::now(), fresh_seed());
}

/// Names who is told what the browser says by itself, and listens to other tabs.
fn begin(sink: crate::library::storage::database::Sink) {
    listen(sink);
    let heard = Closure::<dyn Fn(JsValue)>::new(|event: JsValue| {
        if document().hidden() {
            return MISSED.set(true);
        }
        let ids = Reflect::get(&event, &"data".into()).unwrap_or_default();
        let ids = if Array::is_array(&ids) { Array::from(&ids) } else { Array::new() };
        tell(LibraryAnswer::News(ids.iter().filter_map(|id| id.as_string()).collect()));
    });
    let has_channel = CHANNEL.with(|channel| {
        if let Some(channel) = channel {
            channel.set_onmessage(heard.as_ref().unchecked_ref());
        }
        channel.is_some()
    });
    // It lives as long as the page.
    heard.forget();
    window_event_listener_untyped("visibilitychange", |_| {
        if document().hidden() {
            return;
        }
        let has_left = HAS_LEFT.take();
        if MISSED.take() {
            // Whoever reads everything merges what was left.
            tell(LibraryAnswer::News(vec![]));
        } else if has_left {
            spawn(come_back());
        }
    });
    if !has_channel {
        // Another tab may have written since.
        window_event_listener_untyped("focus", |_| tell(LibraryAnswer::News(vec![])));
    }
}

/// Tells other tabs that these runs have changed.
fn announce<'a>(ids: impl Iterator<Item = &'a str>) {
    let ids: Array = ids.map(JsValue::from).collect();
    CHANNEL.with(|channel| {
        // A tab that hears nothing of it reads it when it is opened.
        drop(channel.as_ref().map(|channel| channel.post(&ids)));
    });
}

/// Does what the page wants; says what there is to say of it. Where the database is open, what a page leaves is being
/// written when this returns.
fn obey(command: LibraryCommand) -> Coming<Option<LibraryAnswer>> {
    let begun = match &command {
        LibraryCommand::Leave(kept, bytes) => {
            let work = transaction_at_once(&[LEFT], "readwrite");
            work.map(|work| leave(work, kept, bytes.as_deref()))
        }
        _ => None,
    };
    Box::pin(async move {
        let outcome = match begun {
            Some(Ok(work)) => completed(&work).await.map(|()| None),
            Some(Err(error)) => Err(error),
            None => carry_out(&command).await,
        };
        match outcome {
            Ok(answer) => answer,
            Err(error) if error_name(&error) == "QuotaExceededError" => {
                Some(LibraryAnswer::Full(Box::new(command)))
            }
            Err(error) => Some(LibraryAnswer::Refused(refusal(&error), Some(Box::new(command)))),
        }
    })
}

async fn carry_out(command: &LibraryCommand) -> Result<Option<LibraryAnswer>, JsValue> {
    match command {
        LibraryCommand::Load => {
            database().await?;
            let turn = lock(&name(), PATIENCE_MS).await;
            // What there is no room for stays where it is, and is tried again when the page is opened next.
            let (imported, absorbed) = (import().await, absorb().await);
            drop(turn);
            let is_partial = imported.is_err() || absorbed.is_err();
            let (merged, left) = absorbed.unwrap_or_default();
            if !merged.is_empty() {
                announce(merged.iter().map(String::as_str));
            }
            let mut stock = load().await?;
            stock.damaged.extend(left);
            Ok(Some(LibraryAnswer::Loaded(Stock { is_partial, ..stock })))
        }
        LibraryCommand::Refresh(ids) => refresh(ids).await.map(Some),
        LibraryCommand::Leave(kept, bytes) => {
            let work = transaction(&[LEFT], "readwrite").await?;
            completed(&leave(work, kept, bytes.as_deref())?).await?;
            Ok(None)
        }
        LibraryCommand::Fetch(id, table) => {
            if let Some(number) = table {
                open_table(*number).await;
            }
            fetch(id).await.map(Some)
        }
        LibraryCommand::ReadCurves(id) => {
            let work = transaction(&[RUNS], "readonly").await?;
            let run = done(work.object_store(RUNS)?.get(id)?).await?;
            Ok(Some(LibraryAnswer::Curves(id.clone(), read_run(run, id).map_or(vec![], |run| run.rows))))
        }
        LibraryCommand::Keep(kept, bytes) => {
            database().await?;
            let _turn = lock(&name(), PATIENCE_MS).await;
            let stored = keep(kept, bytes.as_deref()).await?;
            announce(std::iter::once(kept.id.as_str()));
            Ok(Some(stored))
        }
        LibraryCommand::Edit(edits) => {
            database().await?;
            let _turn = lock(&name(), PATIENCE_MS).await;
            edit(edits).await?;
            announce(edits.iter().map(|edit| edit.id.as_str()));
            Ok(None)
        }
        LibraryCommand::Forget(ids) => {
            database().await?;
            let _turn = lock(&name(), PATIENCE_MS).await;
            forget(ids).await?;
            announce(ids.iter().map(String::as_str));
            Ok(None)
        }
    }
}

/// A run as it was read, checked.
fn read_run(value: JsValue, key: &str) -> Result<SavedRun, FileError> {
    let run: SavedRun =
        serde_wasm_bindgen::from_value(value).map_err(|error| FileError::Entry(error.to_string()))?;
    run.check(key)
}

/// The same for a list, which is without curves: those of all runs together would take tens of megabytes.
fn read_line(value: JsValue, key: &str) -> Result<SavedRun, FileError> {
    read_run(value, key).map(|run| SavedRun { rows: vec![], ..run })
}

fn read_marks(value: JsValue) -> Option<Marks> {
    serde_wasm_bindgen::from_value::<Marks>(value).ok()?.check()
}

/// Keys of a store with what is under each of them.
async fn entries(store: &Shelf) -> Result<Vec<(String, JsValue)>, JsValue> {
    // Both at once, and heard in their order: an answer that nobody waits for yet is lost.
    let (keys, values) = (store.get_all_keys()?, store.get_all()?);
    let (keys, values) = (done(keys).await?, done(values).await?);
    let (keys, values): (Array, Array) = (keys.unchecked_into(), values.unchecked_into());
    Ok(keys.iter().filter_map(|key| key.as_string()).zip(values.iter()).collect())
}

/// Everything that is kept. What another program, or a newer version of this one, has written there is left alone.
async fn load() -> Result<Stock, JsValue> {
    let work = transaction(&[RUNS, MARKS], "readonly").await?;
    let (runs, marks) = (work.object_store(RUNS)?, work.object_store(MARKS)?);
    let (marks, runs) = (entries(&marks).await?, entries(&runs).await?);
    let mut stock = Stock { now: Date::now(), ..Stock::default() };
    for (key, value) in runs {
        let said = marks.iter().find(|(of, _)| *of == key).and_then(|(_, value)| read_marks(value.clone()));
        match read_line(value, &key) {
            Ok(run) => stock.runs.push(match said {
                Some(said) => run.marked(said),
                None => run,
            }),
            Err(why) => stock.damaged.push((key, why.to_string())),
        }
    }
    Ok(stock)
}

/// Reads some runs again.
async fn refresh(ids: &[String]) -> Result<LibraryAnswer, JsValue> {
    let work = transaction(&[RUNS, MARKS], "readonly").await?;
    let (runs, marks) = (work.object_store(RUNS)?, work.object_store(MARKS)?);
    let (mut found, mut gone) = (vec![], vec![]);
    for id in ids {
        let (run, said) = (runs.get(id)?, marks.get(id)?);
        let (run, said) = (done(run).await?, done(said).await?);
        match read_line(run.clone(), id) {
            Ok(run) => found.push(match read_marks(said) {
                Some(said) => run.marked(said),
                None => run,
            }),
            Err(_) if run.is_undefined() => gone.push(id.clone()),
            // It is listed as damaged when all are read.
            Err(_) => {}
        }
    }
    Ok(LibraryAnswer::Refreshed(found, gone))
}

/// The stored run of an id; none where there is none or it cannot be used.
///
/// # Errors
/// As the browser has it, and where a newer version of this page wrote the run: nothing is written over that.
async fn stored(runs: &Shelf, id: &str) -> Result<Option<SavedRun>, JsValue> {
    match read_run(done(runs.get(id)?).await?, id) {
        Ok(run) => Ok(Some(run)),
        Err(FileError::Newer(_)) => {
            let error = js_sys::Error::new("");
            error.set_name("VersionError");
            Err(error.into())
        }
        Err(_) => Ok(None),
    }
}

/// Writes a run and what goes with it, as far as it is news.
async fn write(
    [runs, marks, states]: [&Shelf; 3],
    kept: SavedRun,
    bytes: Option<JsValue>,
) -> Result<SavedRun, JsValue> {
    let id = kept.id.clone();
    let (old, said) = (stored(runs, &id).await?, read_marks(done(marks.get(&id)?).await?));
    if said.is_none() {
        let said = Marks::of(old.as_ref().unwrap_or(&kept));
        marks.put(&serde_wasm_bindgen::to_value(&said)?, &id)?;
    }
    let known = old.clone();
    let written = match merged(old.as_ref(), kept) {
        Some(new) => {
            runs.put(&serde_wasm_bindgen::to_value(&new)?, &id)?;
            if let Some(bytes) = bytes {
                states.put(&bytes, &id)?;
            }
            new
        }
        None => known.unwrap_or_default(),
    };
    let bare = SavedRun { rows: vec![], ..written };
    Ok(match said {
        Some(said) => bare.marked(said),
        None => bare,
    })
}

async fn keep(kept: &SavedRun, bytes: Option<&[u8]>) -> Result<LibraryAnswer, JsValue> {
    let work = transaction(&[RUNS, MARKS, STATES], "readwrite").await?;
    let stores = [work.object_store(RUNS)?, work.object_store(MARKS)?, work.object_store(STATES)?];
    let bytes = bytes.map(|bytes| Uint8Array::from(bytes).into());
    let stored = write([&stores[0], &stores[1], &stores[2]], kept.clone(), bytes).await?;
    completed(&work).await?;
    Ok(LibraryAnswer::Stored(Box::new(stored)))
}

/// Writes a run beside what is stored, because the page may be gone soon: whoever reads next merges it. What this page
/// left of the run before is replaced. The transaction is committed, and comes back.
fn leave(work: Transaction, kept: &SavedRun, bytes: Option<&[u8]>) -> Result<Transaction, JsValue> {
    let bytes = bytes.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(bytes).into());
    let note = Array::of2(&serde_wasm_bindgen::to_value(kept)?, &bytes);
    let key = PAGE.with(|page| format!("{page} {}", kept.id));
    work.object_store(LEFT)?.put(&note, &key)?;
    work.commit();
    HAS_LEFT.set(true);
    announce(std::iter::empty());
    Ok(work)
}

/// Merges what this page has left, since it is seen again.
async fn come_back() {
    let _turn = lock(&name(), PATIENCE_MS).await;
    // What there is no room for stays where it is, and is tried again when the page is opened next.
    let (merged, _) = absorb().await.unwrap_or_default();
    // Another tab may have merged it, and has told so.
    if !merged.is_empty() {
        announce(merged.iter().map(String::as_str));
        tell(LibraryAnswer::News(merged));
    }
}

/// Merges what pages have left as they were closed: the runs that it was about, and what cannot be read of it, with the
/// reason.
async fn absorb() -> Result<(Vec<String>, Vec<(String, String)>), JsValue> {
    let work = transaction(&[RUNS, MARKS, STATES, LEFT], "readwrite").await?;
    let stores = [work.object_store(RUNS)?, work.object_store(MARKS)?, work.object_store(STATES)?];
    let left = work.object_store(LEFT)?;
    let (mut merged, mut damaged) = (vec![], vec![]);
    for (key, note) in entries(&left).await? {
        let id = key.splitn(3, ' ').nth(2).unwrap_or_default();
        let parts = Array::from(&note);
        match read_run(parts.get(0), id) {
            Ok(kept) => {
                let bytes = Some(parts.get(1)).filter(|bytes| !bytes.is_undefined());
                write([&stores[0], &stores[1], &stores[2]], kept, bytes).await?;
                left.delete(&key)?;
                merged.push(id.to_string());
            }
            Err(why) => damaged.push((key, why.to_string())),
        }
    }
    completed(&work).await?;
    Ok((merged, damaged))
}

async fn edit(edits: &[Edit]) -> Result<(), JsValue> {
    let work = transaction(&[RUNS, MARKS], "readwrite").await?;
    let (runs, marks) = (work.object_store(RUNS)?, work.object_store(MARKS)?);
    for edit in edits {
        let Some(run) = stored(&runs, &edit.id).await? else { continue };
        let said = read_marks(done(marks.get(&edit.id)?).await?).unwrap_or_else(|| Marks::of(&run));
        marks.put(&serde_wasm_bindgen::to_value(&said.edited(edit))?, &edit.id)?;
    }
    completed(&work).await
}

async fn forget(ids: &[String]) -> Result<(), JsValue> {
    let stores = [RUNS, MARKS, STATES, LEFT];
    let work = transaction(&stores, "readwrite").await?;
    for store in stores {
        let store = work.object_store(store)?;
        for id in ids {
            store.delete(id)?;
        }
    }
    completed(&work).await?;
    let of_them: Vec<u64> = ids.iter().filter_map(|id| table_in(id)).collect();
    forget_tables(|number| of_them.contains(&number)).await
}

async fn fetch(id: &str) -> Result<LibraryAnswer, JsValue> {
    let work = transaction(&[RUNS, STATES], "readonly").await?;
    let (runs, states) = (work.object_store(RUNS)?, work.object_store(STATES)?);
    let (run, state) = (runs.get(id)?, states.get(id)?);
    let (run, state) = (done(run).await?, done(state).await?);
    let bytes = state.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec());
    let checked = match (read_run(run, id), bytes) {
        (Ok(run), Ok(bytes)) => check_state(&run, bytes).map(|bytes| (Box::new(run), bytes)),
        (Err(why), _) => Err(why.to_string()),
        (_, Err(_)) => Err(tr!("this browser has not stored the weights").into()),
    };
    Ok(LibraryAnswer::Fetched(id.into(), checked))
}

/// Keeps the open table of that number. A browser that stores nothing has it until the page is closed.
async fn keep_table(number: u64) -> Option<LibraryAnswer> {
    let opened = tables::opened(number)?;
    // A page that is closed at once still keeps bytes; what the browser would first have to read from a file is lost.
    let file = match opened.file.bytes() {
        Some(bytes) => Uint8Array::from(bytes).into(),
        None => {
            opened.file.handle.as_ref().and_then(FileHandle::blob).map_or(JsValue::UNDEFINED, JsValue::from)
        }
    };
    let parts = Array::of3(&opened.name.as_str().into(), &(opened.table.label as u32).into(), &file);
    let put = async || -> Result<(), JsValue> {
        let work = transaction(&[TABLES], "readwrite").await?;
        work.object_store(TABLES)?.put(&parts, &number.to_string())?;
        work.commit();
        completed(&work).await
    };
    // A run on another table may be open and not stored yet: it is stored after the page has left it.
    let forget = || forget_tables(|other| other != number && tables::opened(other).is_none());
    let kept: Result<(), JsValue> = async {
        let stored = put().await;
        forget().await?;
        match stored {
            // There may be room now.
            Err(error) if error_name(&error) == "QuotaExceededError" => put().await,
            stored => stored,
        }
    }
    .await;
    // It is open all the same; where nothing can be stored at all, that is said already.
    let is_full = kept.is_err_and(|error| error_name(&error) == "QuotaExceededError");
    is_full.then(|| LibraryAnswer::NoRoomForTable(opened.name.clone()))
}

/// Forgets those of these tables that no kept run is about.
async fn forget_tables(may_go: impl Fn(u64) -> bool) -> Result<(), JsValue> {
    let work = transaction(&[RUNS, LEFT, TABLES], "readwrite").await?;
    let (runs, left, tables) =
        (work.object_store(RUNS)?, work.object_store(LEFT)?, work.object_store(TABLES)?);
    let keys = async |store: &Shelf| -> Result<Vec<String>, JsValue> {
        let keys: Array = done(store.get_all_keys()?).await?.unchecked_into();
        Ok(keys.iter().filter_map(|key| key.as_string()).collect())
    };
    let (runs, left, kept) = (keys(&runs).await?, keys(&left).await?, keys(&tables).await?);
    let wanted: Vec<u64> = runs.iter().chain(&left).filter_map(|id| table_in(id)).collect();
    for key in kept {
        let goes = key.parse().is_ok_and(|number| may_go(number) && !wanted.contains(&number));
        if goes {
            tables.delete(&key)?;
        }
    }
    completed(&work).await
}

/// Opens the table of that number, if it is kept.
async fn open_table(number: u64) {
    let read: Result<JsValue, JsValue> = async {
        database().await?;
        let turn = lock(&name(), PATIENCE_MS).await;
        // It is opened before anything else, and an earlier version may have kept it. What there is no room for is said
        // when all is read.
        let _ = import().await;
        drop(turn);
        let work = transaction(&[TABLES], "readonly").await?;
        done(work.object_store(TABLES)?.get(&number.to_string())?).await
    }
    .await;
    if let Ok(parts) = read {
        open_parts(&parts, Some(number)).await;
    }
}

/// Opens a table that is kept as its name, its label and its file, if it is the one of that number.
async fn open_parts(parts: &JsValue, wanted: Option<u64>) -> Option<u64> {
    let parts = parts.dyn_ref::<Array>()?;
    let (name, label) = (parts.get(0).as_string()?, parts.get(1).as_f64()?);
    let file = parts.get(2);
    // A short file is kept as its bytes.
    let file = match file.is_instance_of::<Uint8Array>() {
        true => Blob::new_with_u8_array_sequence(&Array::of1(&file)).ok()?,
        false => file.dyn_into::<Blob>().ok()?,
    };
    let (file, table) = kept(file, label as usize).await?;
    let is_it = wanted.is_none_or(|wanted| wanted == table.number);
    is_it.then(|| tables::keep(&name, file, table))
}

/// Takes over, once, what pages kept before the database's name held their path. All of it is copied as it is, and
/// nothing is deleted there.
async fn import() -> Result<(), JsValue> {
    let work = transaction(&[ABOUT], "readonly").await?;
    if !done(work.object_store(ABOUT)?.get(IMPORTED)?).await?.is_undefined() {
        return Ok(());
    }
    if let Some(former) = former().await {
        let copied = copy(&former).await;
        former.close();
        copied?;
    }
    let work = transaction(&[ABOUT], "readwrite").await?;
    work.object_store(ABOUT)?.put(&JsValue::TRUE, IMPORTED)?;
    completed(&work).await
}

async fn copy(former: &crate::library::storage::database::Database) -> Result<(), JsValue> {
    // Another program's database may have the same name.
    let Ok(work) = reading(former, &[RUNS, STATES]) else { return Ok(()) };
    let keys = done(work.object_store(RUNS)?.get_all_keys()?).await?.unchecked_into::<Array>();
    let step = |run: &JsValue| Reflect::get(run, &"step".into()).ok().and_then(|step| step.as_f64());
    for id in keys.iter().filter_map(|key| key.as_string()) {
        let work = reading(former, &[RUNS, STATES])?;
        let (run, state) = (work.object_store(RUNS)?.get(&id)?, work.object_store(STATES)?.get(&id)?);
        let (run, state) = (done(run).await?, done(state).await?);
        let work = transaction(&[RUNS, STATES, ABOUT], "readwrite").await?;
        let (runs, states, about) =
            (work.object_store(RUNS)?, work.object_store(STATES)?, work.object_store(ABOUT)?);
        // Where there was no room for all, what has been copied and deleted since does not come again.
        let mark = format!("{IMPORTED} {id}");
        if !done(about.get(&mark)?).await?.is_undefined() {
            continue;
        }
        about.put(&JsValue::TRUE, &mark)?;
        let here = done(runs.get(&id)?).await?;
        if !here.is_object() || step(&here) < step(&run) {
            runs.put(&run, &id)?;
            if !state.is_undefined() {
                states.put(&state, &id)?;
            }
        }
        completed(&work).await?;
    }
    let work = reading(former, &[STATES])?;
    let table = done(work.object_store(STATES)?.get(FORMER_TABLE)?).await?;
    if let Some(number) = open_parts(&table, None).await {
        let work = transaction(&[TABLES], "readwrite").await?;
        work.object_store(TABLES)?.put(&table, &number.to_string())?;
        completed(&work).await?;
    }
    Ok(())
}
