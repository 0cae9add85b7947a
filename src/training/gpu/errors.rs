//! Errors that the GPU libraries log, which are the only sign that a device is lost.
//!
//! # Why
//! In a browser a shader that does not compile is no error of the call: the submission is dropped and training goes on
//! with stale numbers (tracel-ai/cubecl#1641, open 2026-09). What is logged is therefore kept, and ends the run.

use std::sync::Mutex;

static TROUBLE: Mutex<Option<String>> = Mutex::new(None);

/// The first error that the GPU libraries have logged, if any.
pub fn trouble() -> Option<String> {
    TROUBLE.lock().ok().and_then(|trouble| trouble.clone())
}

/// Forgets what has been logged.
pub(crate) fn forget() {
    if let Ok(mut trouble) = TROUBLE.lock() {
        *trouble = None;
    }
}

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Error
    }

    fn log(&self, record: &log::Record) {
        let ours = ["cubecl", "wgpu", "burn", "naga"].iter().any(|name| record.target().starts_with(name));
        if self.enabled(record.metadata()) && ours {
            let line = record.args().to_string();
            if let Ok(mut trouble) = TROUBLE.lock() {
                // The first error is the cause; later ones follow from it. Shaders are long.
                trouble.get_or_insert_with(|| line.chars().take(300).collect());
            }
        }
    }

    fn flush(&self) {}
}

/// Hears what the GPU libraries log as errors. A second call changes nothing.
pub(crate) fn listen() {
    if log::set_logger(&Listener).is_ok() {
        log::set_max_level(log::LevelFilter::Error);
    }
}
