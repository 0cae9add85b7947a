//! How large a run may be: the limits on memory and work that a link, a file or a form can reach.
//!
//! # Why
//! In a browser `usize` has 32 bits, so that products of sizes, each of which is in its range, wrap: 128 · 128 · 128 ·
//! 128 · 16 is 2³², which is 0 there, and so is 4096 · 512 · 4096 · 2. Sizes that are compared with a limit are
//! therefore multiplied here, in 64 bits and saturating, from the settings alone, before anything is allocated or
//! built. Every limit is below a quarter of 2³², so that what passes has sizes that 32 bits hold, in bytes as well.
//!
//! `RunSpec::sizes` has the sizes of a run.

/// Largest number of entries of one tensor of a run, be it weights, examples or hidden activations: 2²⁶ entries are 256
/// MiB in single precision, which a browser can allocate. A run with more is invalid.
pub const MAX_TENSOR_ENTRIES: u64 = 1 << 26;

/// Largest number of entries of all held-out inputs of a run together: 64 MiB in single precision, since the learner
/// and the probes may each keep a copy. A run with more is invalid.
pub const MAX_HELD_OUT_ENTRIES: u64 = MAX_TENSOR_ENTRIES / 4;

/// Largest number of entries of the inputs of one fixed training set: 16 MiB in single precision, so that a link cannot
/// fill a phone's memory. A task with more is invalid.
pub const MAX_TRAINING_SET_ENTRIES: u64 = 1 << 22;

/// Largest number of first-layer weights of one network, which the page keeps and draws: enough for 4,096 neurons on
/// 2,048 inputs, or 16,384 neurons on 512.
pub const MAX_FIRST_LAYER_WEIGHTS: u64 = 1 << 23;

/// Largest number of entries of one embedding of a network on pairs of group elements, which the page analyses neuron
/// by neuron: enough for 4,096 neurons on [`MAX_GROUP_ORDER`] elements, or 16,384 neurons on 32.
pub const MAX_EMBEDDING_ENTRIES: u64 = 1 << 19;

/// Largest order (number of elements) of a group in a run: a network's outputs for all pairs are then 128³ = 2²¹
/// numbers, and the multiplication table has 2¹⁴ entries.
pub const MAX_GROUP_ORDER: usize = 128;

/// Largest number of [operations](construction_operations) for constructing one maximum-margin network. The most
/// expensive group of [`MAX_GROUP_ORDER`] elements, a product of the cyclic ones of orders 2, 2, 2, 2, 2 and 4, takes
/// 5.2 · 10⁷, a tenth of a second of one core at most; the product of two of order 32 would take 1.7 · 10¹⁰.
pub const MAX_CONSTRUCTION_OPERATIONS: u64 = 1 << 26;

/// Largest number of [operations](construction_operations) for constructing the maximum-margin networks of all
/// different groups of one sweep, one network per group.
pub const MAX_SWEEP_CONSTRUCTION_OPERATIONS: u64 = 4 * MAX_CONSTRUCTION_OPERATIONS;

/// Rough number of operations that the page computes in one task of its thread: longer work is split, so that no task
/// takes more than 50 ms.
///
/// # Why
/// Tracing a sequence of 256 symbols with four layers of 128 numbers, 3 · 10⁸ products in double precision, took 0.84 s
/// in a browser. At that speed 2²² operations take 12 ms, and 48 ms on a machine four times slower.
pub const PAGE_SLICE_OPERATIONS: u64 = 1 << 22;

/// Largest number of initial weights that the page itself draws at once, to show a network before a worker has sent its
/// weights: 2¹⁸ normal numbers take about 20 ms.
pub const MAX_PAGE_INITIAL_WEIGHTS: u64 = 1 << 18;

/// Largest number of measurements of a run that the page keeps; beyond it every second measurement is dropped.
pub const MAX_MEASUREMENTS: u64 = 4096;

/// Largest number of floats in all measurements that the page keeps, 64 MiB: with thousands of replicas this allows
/// fewer measurements than [`MAX_MEASUREMENTS`].
pub const MAX_MEASUREMENT_FLOATS: u64 = 1 << 24;

/// Largest number of 4-byte floats in which the page keeps every measurement of a run that has more than
/// [`MAX_MEASUREMENTS`]: 32 MiB. Of a run with more, files contain evenly spaced measurements.
pub const MAX_PACKED_FLOATS: u64 = 1 << 23;

/// Largest number of 4-byte floats that page and worker together hold for one run: 2.5 GiB, where WebAssembly can
/// address 4 GiB for each. A run with more is invalid.
pub const MAX_RUN_MEMORY_FLOATS: u64 = 5 << 27;

/// Number of 4-byte floats of a run beyond which the page asks for confirmation before it starts the run: 1.5 GiB. The
/// largest preset holds 1.1 GiB.
pub const CONFIRM_MEMORY_FLOATS: u64 = 3 << 27;

/// Seconds on one processor core beyond which a run or a sweep needs confirmation before it starts: thirty days. Long
/// runs are harmless, since they can be paused, and links to endless runs are common, since most end at their target.
pub const CONFIRM_SECONDS: f64 = 30.0 * 86_400.0;

/// Largest number of 4-byte floats that all workers of a sweep hold together, besides the main trainer: 1 GiB. It
/// limits the number of workers.
pub const MAX_SWEEP_WORKER_FLOATS: u64 = 1 << 28;

/// Memory that a worker occupies however small its run is, for its WebAssembly program and its stack, counted in 32-bit
/// floats: 16 MiB.
pub const WORKER_BASE_FLOATS: u64 = 1 << 22;

/// Largest number of operations of one step of one network that one GPU workgroup computes in one launch. On a server
/// GPU with 40 Gflop/s for a workgroup they take 25 ms; on a laptop they may take twenty times as long, a quarter of
/// the time after which the driver aborts a launch.
pub const MAX_WORKGROUP_LAUNCH_OPERATIONS: u64 = 1_000_000_000;

/// Product of all `sizes`, or `u64::MAX` where it is larger.
pub fn saturating_product<N: TryInto<u64>>(sizes: impl IntoIterator<Item = N>) -> u64 {
    let wide = |size: N| size.try_into().unwrap_or(u64::MAX);
    sizes.into_iter().map(wide).fold(1, u64::saturating_mul)
}

/// Rough number of operations for constructing a maximum-margin network on a group of `order` elements with `irreps`
/// irreducible real representations:
///
/// ```text
/// classes ≤ 2 · irreps
/// characters       order · classes² + 10 · classes³       (`Characters::of`)
/// linear program   30 steps of irreps³                    (its matrix, and Cholesky's method)
/// functions        order³                                 (orthonormal bases, and the neurons' weights)
/// ```
pub fn construction_operations(order: u64, irreps: u64) -> u64 {
    let classes = irreps.saturating_mul(2).min(order);
    let terms = [
        saturating_product([order, classes, classes]),
        saturating_product([10, classes, classes, classes]),
        saturating_product([30, irreps, irreps, irreps]),
        saturating_product([order, order, order]),
    ];
    terms.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_wrap() {
        assert_eq!(saturating_product([128usize, 128, 128, 128, 16]), 1 << 32);
        assert_eq!(saturating_product([usize::MAX, usize::MAX]), u64::MAX);
        assert_eq!(saturating_product([0u64, u64::MAX]), 0);
        assert_eq!(saturating_product([0u64; 0]), 1);
    }

    #[test]
    fn the_dearest_group_is_within_the_bound_and_larger_ones_are_not() {
        let dearest = construction_operations(128, 96);
        assert!((50_000_000..MAX_CONSTRUCTION_OPERATIONS).contains(&dearest), "{dearest}");
        assert!(construction_operations(1024, 514) > 100 * MAX_CONSTRUCTION_OPERATIONS);
        assert_eq!(construction_operations(u64::MAX, u64::MAX), u64::MAX);
    }
}
