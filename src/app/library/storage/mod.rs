//! Storage of runs as the page's first program knows it: functions that come with the second.

mod database;
pub mod web;

use std::pin::Pin;
use std::rc::Rc;
use std::sync::OnceLock;

use vivarium_page::library::{LibraryAnswer, LibraryCommand};

/// Something that is waited for.
pub type Coming<T> = Pin<Box<dyn Future<Output = T>>>;

/// What stores runs.
#[derive(Clone, Copy)]
pub struct StorageModule {
    /// Names who is told what the browser says by itself.
    pub listen: fn(Rc<dyn Fn(LibraryAnswer)>),
    /// Does what the page wants; says what there is to say of it. What a page leaves is being written when this returns.
    pub obey: fn(LibraryCommand) -> Coming<Option<LibraryAnswer>>,
    /// Keeps the open table of this number.
    pub keep_table: fn(u64) -> Coming<Option<LibraryAnswer>>,
    /// Opens the kept table of this number.
    pub open_table: fn(u64) -> Coming<()>,
}

static ARRIVED: OnceLock<StorageModule> = OnceLock::new();

/// The functions, where they are there.
pub fn storage() -> Option<&'static StorageModule> {
    ARRIVED.get()
}

/// The second program is there.
pub fn install(module: StorageModule) {
    // It comes once.
    let _ = ARRIVED.set(module);
}
