//! Functions with vectors as wide as the processor has.
//!
//! # Why
//! Small functions, not one for a whole step: such a function would be so large that the compiler stops inlining the parts that
//! must become vectors, and would be ten times slower. 2026-11-21.
//!
//! # Fused multiplication
//! A fused multiplication and addition rounds once, so with it a run has other bits, and a browser on a processor without it has
//! none. It stays off, because it gains little. All products of matrices with it, everything else the same, steps per second with
//! over without, medians of five pairs of windows on one core of an AMD EPYC (AVX-512) whose other core was busy, 2026-11-30:
//!
//! ```text
//! transformer on pairs 1.30   tables 1.14   in context 1.06   squares modulo 113 1.06   look-ups, figure 2 1.01
//! addition modulo 71 0.99     Markov 0.98   GRU 0.98
//! ```
//!
//! Relaxed SIMD of WebAssembly in Chromium 148 on the same machine, gradients per second, medians of seven pairs: in context 1.19,
//! look-ups 1.03, attention and MLP as a graph on look-ups 1.22, addition modulo 71 0.99. That processor adds and multiplies side
//! by side; one that does not may gain more.

/// A function that is compiled for vectors of sixteen and of eight besides, and takes the widest at run time. Fused
/// multiplication stays off: it would round otherwise.
#[macro_export]
macro_rules! wide {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block) => {
        $(#[$doc])*
        #[cfg_attr(
            target_arch = "x86_64",
            expect(unsafe_code, reason = "wider vectors must be asked for at run time")
        )]
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn anywhere($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            fn avx512($($arg: $type),*) $(-> $out)? {
                anywhere($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $type),*) $(-> $out)? {
                anywhere($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx512f") {
                // SAFETY: support for these instructions was detected above.
                return unsafe { avx512($($arg),*) };
            } else if std::is_x86_feature_detected!("avx2") {
                // SAFETY: as above.
                return unsafe { avx2($($arg),*) };
            }
            anywhere($($arg),*)
        }
    };
}

pub use crate::wide;

/// Does nothing, in each iteration of a loop over rows of lanes.
///
/// # Why
/// The lanes of a row are written out before the compiler looks for loops to make vectors of. So it makes vectors across the
/// rows instead, which it gathers from memory and scatters again, lane by lane: ten times slower. In a loop with something
/// that it cannot look into it leaves the rows as they are, and each becomes a vector. 2026-11-25.
#[inline(always)]
pub fn row_by_row() {
    std::hint::black_box(());
}
