//! Handling of Ctrl-C and SIGTERM: the first signal is noted, so that measurements are saved first; the
//! second ends the program.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Number of the last caught signal (2 for SIGINT, 15 for SIGTERM); 0 before the first. Empty before the
/// handlers are registered.
static LAST_SIGNAL: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Catches SIGINT and SIGTERM from now on; the second signal ends the program at once.
///
/// # Errors
/// When the system refuses.
pub fn register_handlers() -> Result<(), anyhow::Error> {
    let caught = LAST_SIGNAL.get_or_init(Arc::default);
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let listening =
            flag::register_conditional_shutdown(signal, exit_code(signal as usize), Arc::clone(&again))
                .and_then(|_| flag::register(signal, Arc::clone(&again)))
                .and_then(|_| flag::register_usize(signal, Arc::clone(caught), signal as usize));
        listening.context("cannot listen for signals")?;
    }
    Ok(())
}

/// Lets the program end when the reader of its output has gone, as in `lab list | head`.
///
/// # Errors
/// When the system refuses.
pub fn exit_on_broken_pipe() -> Result<(), anyhow::Error> {
    #[cfg(unix)]
    {
        // Rust ignores this signal by default, and printing would panic.
        let (signal, always) = (signal_hook::consts::SIGPIPE, Arc::new(AtomicBool::new(true)));
        flag::register_conditional_shutdown(signal, exit_code(signal as usize), always)
            .context("cannot listen for signals")?;
    }
    Ok(())
}

/// Exit code of a program that the signal with number `signal` ended: 128 + `signal`, as in shells.
fn exit_code(signal: usize) -> i32 {
    128 + signal as i32
}

/// Exit code (128 + number) of the last caught signal SIGINT or SIGTERM; None before the first.
pub fn stop_code() -> Option<u8> {
    let signal = LAST_SIGNAL.get()?.load(Ordering::SeqCst);
    u8::try_from(exit_code(signal)).ok().filter(|_| signal > 0)
}
