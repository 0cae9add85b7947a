//! The storage of saved runs as a table of functions, which are in the second WebAssembly module.

mod database;
pub mod web;

use std::pin::Pin;
use std::rc::Rc;
use std::sync::OnceLock;

use vivarium_page::library::{StorageAnswer, StorageCommand};

/// A boxed future with the output `T`, for function pointers that return futures.
pub type BoxedFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// The storage of saved runs, which is in the page's second WebAssembly module (loaded after the first paint), as
/// function pointers that the first module calls.
#[derive(Clone, Copy)]
pub struct StorageModule {
    /// Sets the callback for messages of the storage that do not answer a command.
    pub listen: fn(Rc<dyn Fn(StorageAnswer)>),
    /// Carries out a command of the storage and returns its answer; for a page that is being closed, the write has
    /// begun when this returns.
    pub run_command: fn(StorageCommand) -> BoxedFuture<Option<StorageAnswer>>,
    /// Writes the open data table with this number to the browser's storage.
    pub store_table: fn(u64) -> BoxedFuture<Option<StorageAnswer>>,
    /// Opens the data table with this number from the browser's storage.
    pub open_table: fn(u64) -> BoxedFuture<()>,
}

/// Pointers to the functions that store runs, in the second WebAssembly module; empty until that module is loaded.
static INSTALLED: OnceLock<StorageModule> = OnceLock::new();

/// Returns the storage's function pointers; None until the second WebAssembly module is loaded.
pub fn storage() -> Option<&'static StorageModule> {
    INSTALLED.get()
}

/// Stores the storage's function pointers when the second WebAssembly module is loaded.
pub fn install(module: StorageModule) {
    // It comes once.
    let _ = INSTALLED.set(module);
}
