//! Ctrl-C and the request to end: noted, so that what was measured is saved first. The second one ends at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The number of the last signal; 0 before the first.
static CAUGHT: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Listens from now on.
///
/// # Errors
/// When the system refuses.
pub fn listen() -> Result<(), anyhow::Error> {
    let caught = CAUGHT.get_or_init(Arc::default);
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let listening =
            flag::register_conditional_shutdown(signal, code(signal as usize), Arc::clone(&again))
                .and_then(|_| flag::register(signal, Arc::clone(&again)))
                .and_then(|_| flag::register_usize(signal, Arc::clone(caught), signal as usize));
        listening.context("cannot listen for signals")?;
    }
    Ok(())
}

/// Ends the program where whoever reads its output has read enough, as other programs of a pipeline end: `lab list | head`.
///
/// # Errors
/// When the system refuses.
pub fn end_with_the_reader() -> Result<(), anyhow::Error> {
    #[cfg(unix)]
    {
        // Rust ignores this signal otherwise, and printing panics.
        let (signal, always) = (signal_hook::consts::SIGPIPE, Arc::new(AtomicBool::new(true)));
        flag::register_conditional_shutdown(signal, code(signal as usize), always)
            .context("cannot listen for signals")?;
    }
    Ok(())
}

/// The exit code of a program that a signal ended, as shells have it.
fn code(signal: usize) -> i32 {
    128 + signal as i32
}

/// The exit code to end with, if that was asked for.
pub fn stop() -> Option<u8> {
    let signal = CAUGHT.get()?.load(Ordering::SeqCst);
    u8::try_from(code(signal)).ok().filter(|_| signal > 0)
}
