//! The storage of saved runs as a table of functions, which are in the second program.

mod database;
pub mod web;

use std::pin::Pin;
use std::rc::Rc;
use std::sync::OnceLock;

use vivarium_page::library::{StorageAnswer, StorageCommand};

/// A boxed future with this output.
pub type BoxedFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// Functions of the storage of saved runs, which is in the second program.
#[derive(Clone, Copy)]
pub struct StorageModule {
    /// Sets the callback for messages of the storage.
    pub listen: fn(Rc<dyn Fn(StorageAnswer)>),
    /// Carries out a command and returns its answer; for a page that is being closed, the write has begun when this
    /// returns.
    pub run_command: fn(StorageCommand) -> BoxedFuture<Option<StorageAnswer>>,
    /// Stores the open table with this number.
    pub store_table: fn(u64) -> BoxedFuture<Option<StorageAnswer>>,
    /// Opens the stored table with this number.
    pub open_table: fn(u64) -> BoxedFuture<()>,
}

/// The functions, once they are installed.
static INSTALLED: OnceLock<StorageModule> = OnceLock::new();

/// Returns the functions; None until the second program is loaded.
pub fn storage() -> Option<&'static StorageModule> {
    INSTALLED.get()
}

/// Installs the functions when the second program is loaded.
pub fn install(module: StorageModule) {
    // It comes once.
    let _ = INSTALLED.set(module);
}
