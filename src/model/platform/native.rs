//! Clock, fresh seeds and files where there is an operating system.

use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

/// Milliseconds since the first call of this function in the process.
#[expect(clippy::disallowed_methods, reason = "the one place that may ask the clock")]
pub fn now_ms() -> f64 {
    /// Moment of the first call of `now_ms`.
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

/// Number of threads that the processor can run in parallel.
pub fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Random seed for a new run, with at most 32 bits, so that it is easy to read out.
///
/// Without the `cli` feature, which brings getrandom, it comes from the clock.
pub fn fresh_seed() -> u64 {
    #[cfg(feature = "cli")]
    if let Ok(word) = getrandom::u32() {
        return u64::from(word);
    }
    (now_ms() * 1e3) as u64
}

/// Whether `path` still refers to the opened file, and not to another file that replaced it.
///
/// Always true on systems without inode numbers.
pub fn is_same_file(file: &File, path: &Path) -> bool {
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

/// Whether this machine may have a GPU, judging by device files, without asking the drivers.
///
/// # Why
/// Asking the drivers takes a second, and Mesa's print to the error stream where there is no display. On Linux each GPU
/// has a device file: direct rendering, NVIDIA's own, or that of Windows' subsystem for Linux.
pub fn may_have_gpu() -> bool {
    let files = ["/dev/dri", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"];
    !cfg!(target_os = "linux") || files.iter().any(|file| Path::new(file).exists())
}
