//! Clock and fresh seeds where there is an operating system.

use std::sync::OnceLock;
use std::time::Instant;

/// Milliseconds since the first call.
#[expect(clippy::disallowed_methods, reason = "the one place that may ask the clock")]
pub fn now_ms() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// A seed that nobody has used before, small enough to be read out.
///
/// Without the `cli` feature, which brings getrandom, it comes from the clock.
pub fn fresh_seed() -> u64 {
    #[cfg(feature = "cli")]
    if let Ok(word) = getrandom::u32() {
        return u64::from(word);
    }
    (now_ms() * 1e3) as u64
}
