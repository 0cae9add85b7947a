//! Saved runs in the browser's IndexedDB.
//!
//! # Why
//! Decisions are made elsewhere and tested natively: [`vivarium_page::library::merge`] merges, and
//! [`vivarium_view::record::saved`] checks. Tabs exclude each other with a lock if the browser has locks, since some
//! operations need several transactions; without locks, each transaction still merges what it finds.
//!
//! A page that is being closed receives no answer and may not get the lock. So its last transaction reads nothing,
//! waits for no lock and is committed before the listener returns; it adds a pending run under a key of this page
//! alone, which the next reader merges. A hidden page does the same, since it may be ended at any time, and merges its
//! pending run when it is visible again.

use std::cell::Cell;

use js_sys::{Array, Date, Function, Reflect, Uint8Array};
use leptos::prelude::{document, window_event_listener_untyped};
use wasm_bindgen::prelude::*;
use web_sys::IdbTransactionMode::{Readonly, Readwrite};
use web_sys::{Blob, IdbDatabase, IdbObjectStore, IdbTransaction};

use crate::files::reader::read_stored_table;
use crate::library::storage::database::{
    MARKS, META, PENDING, RUNS, STATES, TABLES, await_request, await_transaction, begin_on,
    begin_transaction, commit, current_database_name, error_name, open_connection, open_former_database,
    send_to_sink, set_sink, storage_error, try_transaction,
};
use crate::library::storage::{BoxedFuture, StorageModule};
use vivarium_labs::tables::user_tables as tables;
use vivarium_model::platform::file::FileHandle;
use vivarium_model::platform::web::{acquire_lock, fresh_seed, spawn};
use vivarium_page::library::merge::{link_table_number, merge_written};
use vivarium_page::library::{MarksEdit, SavedRun, StorageAnswer, StorageCommand, StoredRuns};
use vivarium_view::record::FileError;
use vivarium_view::record::saved::{RunMarks, check_checkpoint};

/// Pointers to the functions of this module, which stores runs in IndexedDB.
pub const STORAGE: StorageModule = StorageModule {
    listen: listen_to_storage,
    run_command,
    store_table: |number| Box::pin(store_table(number)),
    open_table: |number| Box::pin(open_table(number)),
};

/// Milliseconds for which a tab waits for another tab to release the lock on the database.
const LOCK_TIMEOUT_MS: u32 = 3000;
/// Key in the object store of facts; present once the database of an earlier version was copied.
const IMPORTED_KEY: &str = "imported";
/// Key of the only data table that an earlier version stored.
const FORMER_TABLE_KEY: &str = "table";

#[wasm_bindgen]
extern "C" {
    /// The browser's `BroadcastChannel`, which sends messages between tabs of this page.
    type BroadcastChannel;
    /// Opens the browser's broadcast channel with this name.
    #[wasm_bindgen(constructor, catch)]
    fn new(name: &str) -> Result<BroadcastChannel, JsValue>;
    /// Sends a message to the other tabs that have the channel open.
    #[wasm_bindgen(method, js_name = postMessage, catch)]
    fn post(this: &BroadcastChannel, message: &JsValue) -> Result<(), JsValue>;
    /// Sets the callback for messages that other tabs send on the channel.
    #[wasm_bindgen(method, setter)]
    fn set_onmessage(this: &BroadcastChannel, then: &Function);
}

thread_local! {
    /// Channel to other tabs with this page; None if the browser has no broadcast channels.
    static CHANNEL: Option<BroadcastChannel> = BroadcastChannel::new(&current_database_name()).ok();
    /// Whether another tab has changed runs while this tab was hidden.
    static MISSED_CHANGES: Cell<bool> = const { Cell::new(false) };
    /// Whether this page has written a run as pending, when it seemed to be closed, that may not be merged yet.
    static HAS_PENDING_RUN: Cell<bool> = const { Cell::new(false) };
    /// Prefix, unique to this page, of the keys under which it writes pending runs.
    static PAGE_ID: String = format!("{} {}", Date::now(), fresh_seed());
}

/// Sets the callback for messages of the storage, and listens for changes that other tabs make.
fn listen_to_storage(sink: crate::library::storage::database::AnswerSink) {
    set_sink(sink);
    let listener = Closure::<dyn Fn(JsValue)>::new(|event: JsValue| {
        if document().hidden() {
            return MISSED_CHANGES.set(true);
        }
        let ids = Reflect::get(&event, &"data".into()).unwrap_or_default();
        let ids = if Array::is_array(&ids) { Array::from(&ids) } else { Array::new() };
        send_to_sink(StorageAnswer::RunsChanged(ids.iter().filter_map(|id| id.as_string()).collect()));
    });
    let has_channel = CHANNEL.with(|channel| {
        if let Some(channel) = channel {
            channel.set_onmessage(listener.as_ref().unchecked_ref());
        }
        channel.is_some()
    });
    // It lives as long as the page.
    listener.forget();
    window_event_listener_untyped("visibilitychange", |_| {
        if document().hidden() {
            return;
        }
        let has_left = HAS_PENDING_RUN.take();
        if MISSED_CHANGES.take() {
            // Whoever reads everything merges what was left.
            send_to_sink(StorageAnswer::RunsChanged(vec![]));
        } else if has_left {
            spawn(merge_own_pending());
        }
    });
    if !has_channel {
        // Another tab may have written since.
        window_event_listener_untyped("focus", |_| send_to_sink(StorageAnswer::RunsChanged(vec![])));
    }
}

/// Tells other tabs that the runs with these ids have changed.
fn announce<'a>(ids: impl Iterator<Item = &'a str>) {
    let ids: Array = ids.map(JsValue::from).collect();
    CHANNEL.with(|channel| {
        // A tab that hears nothing of it reads it when it is opened.
        drop(channel.as_ref().map(|channel| channel.post(&ids)));
    });
}

/// Carries out a command of the storage and returns its answer. If the page is being closed and the database is open,
/// the write of its run has begun when this returns.
fn run_command(command: StorageCommand) -> BoxedFuture<Option<StorageAnswer>> {
    let begun = match &command {
        StorageCommand::WriteRunOnClose(kept, bytes) => {
            let work = try_transaction(&[PENDING], Readwrite);
            work.map(|work| write_pending_run(work, kept, bytes.as_deref()))
        }
        _ => None,
    };
    Box::pin(async move {
        let outcome = match begun {
            Some(Ok(work)) => await_transaction(&work).await.map(|()| None),
            Some(Err(error)) => Err(error),
            None => execute(&command).await,
        };
        match outcome {
            Ok(answer) => answer,
            Err(error) if error_name(&error) == "QuotaExceededError" => {
                Some(StorageAnswer::NoRoom(Box::new(command)))
            }
            Err(error) => Some(StorageAnswer::Failed(storage_error(&error), Some(Box::new(command)))),
        }
    })
}

/// Carries out a command of the storage with the database; returns its answer, if it has one.
async fn execute(command: &StorageCommand) -> Result<Option<StorageAnswer>, JsValue> {
    match command {
        StorageCommand::Load => {
            open_connection().await?;
            let turn = acquire_lock(&current_database_name(), LOCK_TIMEOUT_MS).await;
            // What there is no room for stays where it is, and is tried again when the page is opened next.
            let (imported, absorbed) = (import_former().await, merge_pending().await);
            drop(turn);
            let is_partial = imported.is_err() || absorbed.is_err();
            let (merged, left) = absorbed.unwrap_or_default();
            if !merged.is_empty() {
                announce(merged.iter().map(String::as_str));
            }
            let mut stock = load_all().await?;
            stock.damaged.extend(left);
            Ok(Some(StorageAnswer::Loaded(StoredRuns { is_partial, ..stock })))
        }
        StorageCommand::Reread(ids) => reread_runs(ids).await.map(Some),
        StorageCommand::WriteRunOnClose(kept, bytes) => {
            let work = begin_transaction(&[PENDING], Readwrite).await?;
            await_transaction(&write_pending_run(work, kept, bytes.as_deref())?).await?;
            Ok(None)
        }
        StorageCommand::ReadRun(id, table) => {
            if let Some(number) = table {
                open_table(*number).await;
            }
            read_run_and_checkpoint(id).await.map(Some)
        }
        StorageCommand::ReadCurves(id) => {
            let work = begin_transaction(&[RUNS], Readonly).await?;
            let run = await_request(work.object_store(RUNS)?.get(&id.into())?).await?;
            Ok(Some(StorageAnswer::Curves(id.clone(), read_run(run, id).map_or(vec![], |run| run.rows))))
        }
        StorageCommand::WriteRun(kept, bytes) => {
            open_connection().await?;
            let _turn = acquire_lock(&current_database_name(), LOCK_TIMEOUT_MS).await;
            let stored = write_run(kept, bytes.as_deref()).await?;
            announce(std::iter::once(kept.id.as_str()));
            Ok(Some(stored))
        }
        StorageCommand::WriteEdits(edits) => {
            open_connection().await?;
            let _turn = acquire_lock(&current_database_name(), LOCK_TIMEOUT_MS).await;
            write_edits(edits).await?;
            announce(edits.iter().map(|edit| edit.id.as_str()));
            Ok(None)
        }
        StorageCommand::Delete(ids) => {
            open_connection().await?;
            let _turn = acquire_lock(&current_database_name(), LOCK_TIMEOUT_MS).await;
            delete_runs(ids).await?;
            announce(ids.iter().map(String::as_str));
            Ok(None)
        }
    }
}

/// Decodes and checks a stored run; `key` is the id under which it was stored.
fn read_run(value: JsValue, key: &str) -> Result<SavedRun, FileError> {
    let run: SavedRun =
        serde_wasm_bindgen::from_value(value).map_err(|error| FileError::Entry(error.to_string()))?;
    run.check(key)
}

/// Decodes and checks a stored run without its curves; the curves of all runs in the list would take tens of megabytes.
fn read_run_without_curves(value: JsValue, key: &str) -> Result<SavedRun, FileError> {
    read_run(value, key).map(|run| SavedRun { rows: vec![], ..run })
}

/// Decodes a run's name, pin and deletion; None if they cannot be read.
fn read_marks(value: JsValue) -> Option<RunMarks> {
    serde_wasm_bindgen::from_value::<RunMarks>(value).ok()?.check()
}

/// Reads all (key, value) pairs of an object store.
async fn read_entries(store: &IdbObjectStore) -> Result<Vec<(String, JsValue)>, JsValue> {
    // Both requests at once, awaited in their order: an answer that is not awaited yet would be lost.
    let (keys, values) = (store.get_all_keys()?, store.get_all()?);
    let (keys, values) = (await_request(keys).await?, await_request(values).await?);
    let (keys, values): (Array, Array) = (keys.unchecked_into(), values.unchecked_into());
    Ok(keys.iter().filter_map(|key| key.as_string()).zip(values.iter()).collect())
}

/// Reads all runs; entries of other programs or newer versions stay unchanged.
async fn load_all() -> Result<StoredRuns, JsValue> {
    let work = begin_transaction(&[RUNS, MARKS], Readonly).await?;
    let (runs, marks) = (work.object_store(RUNS)?, work.object_store(MARKS)?);
    let (marks, runs) = (read_entries(&marks).await?, read_entries(&runs).await?);
    let mut stock = StoredRuns { now_ms: Date::now(), ..StoredRuns::default() };
    for (key, value) in runs {
        let stored_marks =
            marks.iter().find(|(of, _)| *of == key).and_then(|(_, value)| read_marks(value.clone()));
        match read_run_without_curves(value, &key) {
            Ok(run) => stock.runs.push(match stored_marks {
                Some(stored_marks) => run.with_marks(stored_marks),
                None => run,
            }),
            Err(why) => stock.damaged.push((key, why.to_string())),
        }
    }
    Ok(stock)
}

/// Reads the runs with these ids again, because another tab has changed them.
async fn reread_runs(ids: &[String]) -> Result<StorageAnswer, JsValue> {
    let work = begin_transaction(&[RUNS, MARKS], Readonly).await?;
    let (runs, marks) = (work.object_store(RUNS)?, work.object_store(MARKS)?);
    let (mut found, mut gone) = (vec![], vec![]);
    for id in ids {
        let (run, stored_marks) = (runs.get(&id.into())?, marks.get(&id.into())?);
        let (run, stored_marks) = (await_request(run).await?, await_request(stored_marks).await?);
        match read_run_without_curves(run.clone(), id) {
            Ok(run) => found.push(match read_marks(stored_marks) {
                Some(stored_marks) => run.with_marks(stored_marks),
                None => run,
            }),
            Err(_) if run.is_undefined() => gone.push(id.clone()),
            // It is listed as damaged when all are read.
            Err(_) => {}
        }
    }
    Ok(StorageAnswer::Reread(found, gone))
}

/// Reads the stored run with this id; None if there is none or it is damaged.
///
/// # Errors
/// As the browser has it, and where a newer version of this page wrote the run: nothing is written over that.
async fn read_stored_run(runs: &IdbObjectStore, id: &str) -> Result<Option<SavedRun>, JsValue> {
    match read_run(await_request(runs.get(&id.into())?).await?, id) {
        Ok(run) => Ok(Some(run)),
        Err(FileError::Newer(_)) => {
            let error = js_sys::Error::new("");
            error.set_name("VersionError");
            Err(error.into())
        }
        Err(_) => Ok(None),
    }
}

/// Merges a run with its stored version and writes the result, with the checkpoint `bytes` if there is one. Returns the
/// stored run without curves.
async fn write_merged(
    [runs, marks, states]: [&IdbObjectStore; 3],
    kept: SavedRun,
    bytes: Option<JsValue>,
) -> Result<SavedRun, JsValue> {
    let id = kept.id.clone();
    let key = JsValue::from(&id);
    let (old, stored_marks) =
        (read_stored_run(runs, &id).await?, read_marks(await_request(marks.get(&key)?).await?));
    if stored_marks.is_none() {
        let stored_marks = RunMarks::of(old.as_ref().unwrap_or(&kept));
        marks.put_with_key(&serde_wasm_bindgen::to_value(&stored_marks)?, &key)?;
    }
    let known = old.clone();
    let written = match merge_written(old.as_ref(), kept) {
        Some(new) => {
            runs.put_with_key(&serde_wasm_bindgen::to_value(&new)?, &key)?;
            if let Some(bytes) = bytes {
                states.put_with_key(&bytes, &key)?;
            }
            new
        }
        None => known.unwrap_or_default(),
    };
    let bare = SavedRun { rows: vec![], ..written };
    Ok(match stored_marks {
        Some(stored_marks) => bare.with_marks(stored_marks),
        None => bare,
    })
}

/// Writes a run with its checkpoint `bytes`, merged with its stored version.
async fn write_run(kept: &SavedRun, bytes: Option<&[u8]>) -> Result<StorageAnswer, JsValue> {
    let work = begin_transaction(&[RUNS, MARKS, STATES], Readwrite).await?;
    let stores = [work.object_store(RUNS)?, work.object_store(MARKS)?, work.object_store(STATES)?];
    let bytes = bytes.map(|bytes| Uint8Array::from(bytes).into());
    let stored = write_merged([&stores[0], &stores[1], &stores[2]], kept.clone(), bytes).await?;
    await_transaction(&work).await?;
    Ok(StorageAnswer::Stored(Box::new(stored)))
}

/// Writes the run of a page that may be closed soon as pending, without reading its stored version, and commits the
/// transaction; replaces an earlier pending version of the run by this page.
fn write_pending_run(
    work: IdbTransaction,
    kept: &SavedRun,
    bytes: Option<&[u8]>,
) -> Result<IdbTransaction, JsValue> {
    let bytes = bytes.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(bytes).into());
    let note = Array::of2(&serde_wasm_bindgen::to_value(kept)?, &bytes);
    let key = PAGE_ID.with(|page| format!("{page} {}", kept.id));
    work.object_store(PENDING)?.put_with_key(&note, &key.into())?;
    commit(&work)?;
    HAS_PENDING_RUN.set(true);
    announce(std::iter::empty());
    Ok(work)
}

/// Merges the runs that this page has written as pending, when the page is visible again.
async fn merge_own_pending() {
    let _turn = acquire_lock(&current_database_name(), LOCK_TIMEOUT_MS).await;
    // What there is no room for stays where it is, and is tried again when the page is opened next.
    let (merged, _) = merge_pending().await.unwrap_or_default();
    // Another tab may have merged it, and has announced that.
    if !merged.is_empty() {
        announce(merged.iter().map(String::as_str));
        send_to_sink(StorageAnswer::RunsChanged(merged));
    }
}

/// Merges all pending runs into the stored ones. Returns (ids of the merged runs, (key, error) of damaged entries).
async fn merge_pending() -> Result<(Vec<String>, Vec<(String, String)>), JsValue> {
    let work = begin_transaction(&[RUNS, MARKS, STATES, PENDING], Readwrite).await?;
    let stores = [work.object_store(RUNS)?, work.object_store(MARKS)?, work.object_store(STATES)?];
    let left = work.object_store(PENDING)?;
    let (mut merged, mut damaged) = (vec![], vec![]);
    for (key, note) in read_entries(&left).await? {
        let id = key.splitn(3, ' ').nth(2).unwrap_or_default();
        let parts = Array::from(&note);
        match read_run(parts.get(0), id) {
            Ok(kept) => {
                let bytes = Some(parts.get(1)).filter(|bytes| !bytes.is_undefined());
                write_merged([&stores[0], &stores[1], &stores[2]], kept, bytes).await?;
                left.delete(&JsValue::from(&key))?;
                merged.push(id.to_string());
            }
            Err(why) => damaged.push((key, why.to_string())),
        }
    }
    await_transaction(&work).await?;
    Ok((merged, damaged))
}

/// Writes changes of saved runs' names, pins and deletions to the storage.
async fn write_edits(edits: &[MarksEdit]) -> Result<(), JsValue> {
    let work = begin_transaction(&[RUNS, MARKS], Readwrite).await?;
    let (runs, marks) = (work.object_store(RUNS)?, work.object_store(MARKS)?);
    for edit in edits {
        let Some(run) = read_stored_run(&runs, &edit.id).await? else { continue };
        let key = JsValue::from(&edit.id);
        let stored_marks =
            read_marks(await_request(marks.get(&key)?).await?).unwrap_or_else(|| RunMarks::of(&run));
        marks.put_with_key(&serde_wasm_bindgen::to_value(&stored_marks.apply(edit))?, &key)?;
    }
    await_transaction(&work).await
}

/// Deletes the runs with these ids, and data tables that no other run uses.
async fn delete_runs(ids: &[String]) -> Result<(), JsValue> {
    let stores = [RUNS, MARKS, STATES, PENDING];
    let work = begin_transaction(&stores, Readwrite).await?;
    for store in stores {
        let store = work.object_store(store)?;
        for id in ids {
            store.delete(&id.into())?;
        }
    }
    await_transaction(&work).await?;
    let of_them: Vec<u64> = ids.iter().filter_map(|id| link_table_number(id)).collect();
    delete_unused_tables(|number| of_them.contains(&number)).await
}

/// Reads a saved run and its checkpoint (weights and optimizer state) from the storage, as an answer for the page.
async fn read_run_and_checkpoint(id: &str) -> Result<StorageAnswer, JsValue> {
    let work = begin_transaction(&[RUNS, STATES], Readonly).await?;
    let (runs, states) = (work.object_store(RUNS)?, work.object_store(STATES)?);
    let (run, state) = (runs.get(&id.into())?, states.get(&id.into())?);
    let (run, state) = (await_request(run).await?, await_request(state).await?);
    let bytes = state.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec());
    let checked = match (read_run(run, id), bytes) {
        (Ok(run), Ok(bytes)) => check_checkpoint(&run, bytes).map(|bytes| (Box::new(run), bytes)),
        (Err(why), _) => Err(why.to_string()),
        (_, Err(_)) => Err(tr!("this browser has not stored the weights").into()),
    };
    Ok(StorageAnswer::RunRead(id.into(), checked))
}

/// Writes the open data table with this number to the storage; if that fails, the table lasts until the page is closed.
async fn store_table(number: u64) -> Option<StorageAnswer> {
    let opened = tables::find_file(number)?;
    // A page that is closed at once still keeps bytes; what the browser would first have to read from a file is lost.
    let file = match opened.file.bytes() {
        Some(bytes) => Uint8Array::from(bytes).into(),
        None => {
            opened.file.handle.as_ref().and_then(FileHandle::blob).map_or(JsValue::UNDEFINED, JsValue::from)
        }
    };
    let parts = Array::of3(&opened.name.as_str().into(), &(opened.table.label as u32).into(), &file);
    let put = async || -> Result<(), JsValue> {
        let work = begin_transaction(&[TABLES], Readwrite).await?;
        work.object_store(TABLES)?.put_with_key(&parts, &number.to_string().into())?;
        commit(&work)?;
        await_transaction(&work).await
    };
    // A run on another table may be open and not stored yet: it is stored after the page has left it.
    let forget = || delete_unused_tables(|other| other != number && tables::find_file(other).is_none());
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
    // The table is open anyway; a storage that fails completely is reported elsewhere.
    let is_full = kept.is_err_and(|error| error_name(&error) == "QuotaExceededError");
    is_full.then(|| StorageAnswer::NoRoomForTable(opened.name.clone()))
}

/// Deletes the data tables that no stored run uses and whose number `may_go` accepts.
async fn delete_unused_tables(may_go: impl Fn(u64) -> bool) -> Result<(), JsValue> {
    let work = begin_transaction(&[RUNS, PENDING, TABLES], Readwrite).await?;
    let (runs, left, tables) =
        (work.object_store(RUNS)?, work.object_store(PENDING)?, work.object_store(TABLES)?);
    let keys = async |store: &IdbObjectStore| -> Result<Vec<String>, JsValue> {
        let keys: Array = await_request(store.get_all_keys()?).await?.unchecked_into();
        Ok(keys.iter().filter_map(|key| key.as_string()).collect())
    };
    let (runs, left, kept) = (keys(&runs).await?, keys(&left).await?, keys(&tables).await?);
    let wanted: Vec<u64> = runs.iter().chain(&left).filter_map(|id| link_table_number(id)).collect();
    for key in kept {
        let goes = key.parse().is_ok_and(|number| may_go(number) && !wanted.contains(&number));
        if goes {
            tables.delete(&key.into())?;
        }
    }
    await_transaction(&work).await
}

/// Opens the data table with this number from the storage, if there is one.
async fn open_table(number: u64) {
    let read: Result<JsValue, JsValue> = async {
        open_connection().await?;
        let turn = acquire_lock(&current_database_name(), LOCK_TIMEOUT_MS).await;
        // It is opened before anything else, and an earlier version may have kept it. What there is no room for is said
        // when all is read.
        let _ = import_former().await;
        drop(turn);
        let work = begin_transaction(&[TABLES], Readonly).await?;
        await_request(work.object_store(TABLES)?.get(&number.to_string().into())?).await
    }
    .await;
    if let Ok(parts) = read {
        open_stored_table(&parts, Some(number)).await;
    }
}

/// Opens a data table that is stored as name, label column and file (`parts`), if its number is `wanted` or none is.
/// Returns its number.
async fn open_stored_table(parts: &JsValue, wanted: Option<u64>) -> Option<u64> {
    let parts = parts.dyn_ref::<Array>()?;
    let (name, label) = (parts.get(0).as_string()?, parts.get(1).as_f64()?);
    let file = parts.get(2);
    // A short file is kept as its bytes.
    let file = match file.is_instance_of::<Uint8Array>() {
        true => Blob::new_with_u8_array_sequence(&Array::of1(&file)).ok()?,
        false => file.dyn_into::<Blob>().ok()?,
    };
    let (file, table) = read_stored_table(file, label as usize, wanted).await?;
    let is_it = wanted.is_none_or(|wanted| wanted == table.number);
    is_it.then(|| tables::store_file(&name, file, table))
}

/// Copies, once, the runs and tables that earlier versions stored under the former name of the database; the former
/// database stays unchanged.
async fn import_former() -> Result<(), JsValue> {
    let work = begin_transaction(&[META], Readonly).await?;
    if !await_request(work.object_store(META)?.get(&IMPORTED_KEY.into())?).await?.is_undefined() {
        return Ok(());
    }
    if let Some(former) = open_former_database().await {
        let copied = copy_former(&former).await;
        former.close();
        copied?;
    }
    let work = begin_transaction(&[META], Readwrite).await?;
    work.object_store(META)?.put_with_key(&JsValue::TRUE, &IMPORTED_KEY.into())?;
    await_transaction(&work).await
}

/// Copies all object stores of the database with the former name to the current one.
async fn copy_former(former: &IdbDatabase) -> Result<(), JsValue> {
    // Another program's database may have the same name.
    let Ok(work) = begin_on(former, &[RUNS, STATES], Readonly) else { return Ok(()) };
    let keys = await_request(work.object_store(RUNS)?.get_all_keys()?).await?.unchecked_into::<Array>();
    let step = |run: &JsValue| Reflect::get(run, &"step".into()).ok().and_then(|step| step.as_f64());
    for id in keys.iter().filter_map(|key| key.as_string()) {
        let work = begin_on(former, &[RUNS, STATES], Readonly)?;
        let key = JsValue::from(&id);
        let (run, state) = (work.object_store(RUNS)?.get(&key)?, work.object_store(STATES)?.get(&key)?);
        let (run, state) = (await_request(run).await?, await_request(state).await?);
        let work = begin_transaction(&[RUNS, STATES, META], Readwrite).await?;
        let (runs, states, about) =
            (work.object_store(RUNS)?, work.object_store(STATES)?, work.object_store(META)?);
        // Where there was no room for all, what has been copied and deleted since does not come again.
        let mark = JsValue::from(format!("{IMPORTED_KEY} {id}"));
        if !await_request(about.get(&mark)?).await?.is_undefined() {
            continue;
        }
        about.put_with_key(&JsValue::TRUE, &mark)?;
        let here = await_request(runs.get(&key)?).await?;
        if !here.is_object() || step(&here) < step(&run) {
            runs.put_with_key(&run, &key)?;
            if !state.is_undefined() {
                states.put_with_key(&state, &key)?;
            }
        }
        await_transaction(&work).await?;
    }
    let work = begin_on(former, &[STATES], Readonly)?;
    let table = await_request(work.object_store(STATES)?.get(&FORMER_TABLE_KEY.into())?).await?;
    if let Some(number) = open_stored_table(&table, None).await {
        let work = begin_transaction(&[TABLES], Readwrite).await?;
        work.object_store(TABLES)?.put_with_key(&table, &number.to_string().into())?;
        await_transaction(&work).await?;
    }
    Ok(())
}
