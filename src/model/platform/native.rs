//! Clock, fresh seeds and files where there is an operating system.

use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

/// Milliseconds since the first call.
#[expect(clippy::disallowed_methods, reason = "the one place that may ask the clock")]
pub fn now_ms() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// Threads that there are cores for.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
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

/// Whether `path` still leads to this opened file, and not to another one that was renamed over it.
///
/// Where the system does not number its files, the answer is always yes.
pub fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let number = |about: std::fs::Metadata| (about.dev(), about.ino());
        let [opened, there] = [file.metadata(), std::fs::metadata(path)].map(|about| about.ok().map(number));
        opened.is_some() && opened == there
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

/// Whether this machine can have a GPU, as far as that shows without asking the drivers.
///
/// # Why
/// To ask them takes a second, and Mesa's write to the error stream where there is no display. On Linux each GPU has a
/// device file: direct rendering, NVIDIA's own, or that of Windows' subsystem for Linux.
pub fn may_have_gpu() -> bool {
    let files = ["/dev/dri", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"];
    !cfg!(target_os = "linux") || files.iter().any(|file| Path::new(file).exists())
}
