//! Functions with vectors as wide as the processor has.
//!
//! # Why
//! Not one function for the whole step, as in [`group_net`](crate::kernels::cpu::group_net): it would be so large that
//! the compiler stops inlining what must become vectors, and then it is ten times slower. 2026-11-21.

/// A function that is compiled for vectors of sixteen and of eight besides, and takes the widest at run time. Fused
/// multiplication stays off: it would round otherwise.
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
                // SAFETY: the processor has just said that it knows these instructions.
                return unsafe { avx512($($arg),*) };
            } else if std::is_x86_feature_detected!("avx2") {
                // SAFETY: as above.
                return unsafe { avx2($($arg),*) };
            }
            anywhere($($arg),*)
        }
    };
}

pub(in crate::kernels) use wide;
