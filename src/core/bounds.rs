//! How large a run may be: the limits on memory and work that a link, a file or a form can reach.
//!
//! # Why
//! In a browser `usize` has 32 bits, so that products of sizes, each of which is in its range, wrap:
//! 128 · 128 · 128 · 128 · 16 is 2³², which is 0 there, and so is 4096 · 512 · 4096 · 2. Whatever is held against a limit
//! is therefore multiplied here, in 64 bits and saturating, from the settings alone, before anything is allocated or
//! built. Every limit is below a quarter of 2³², so that what passes has sizes that 32 bits hold, in bytes as well.
//!
//! `RunSpec::sizes` has the sizes of a run.

/// Most numbers of a run in one tensor of weights, examples or hidden activations: 2²⁶ of them are 256 MiB in single
/// precision, which a browser gives.
pub const MOST_NUMBERS: u64 = 1 << 26;

/// Most numbers in the held-out examples: 64 MiB, since learner and probes may each have them.
pub const MOST_HELD_OUT: u64 = MOST_NUMBERS / 4;

/// Most numbers in one finite sample: 16 MiB, so that a link cannot fill a phone's memory.
pub const MOST_SAMPLE: u64 = 1 << 22;

/// Most weights of a first layer, which the page keeps and draws: those of 4,096 neurons on 2,048 inputs, or of 16,384
/// neurons on 512.
pub const MOST_FIRST_LAYER: u64 = 1 << 23;

/// Most numbers in one embedding of a network on pairs, which the page takes apart neuron by neuron: those of 4,096 neurons
/// on [`MOST_ELEMENTS`] elements, or of 16,384 neurons on 32.
pub const MOST_EMBEDDED: u64 = 1 << 19;

/// Most elements of a group: a network's answers to all pairs are 128³ = 2²¹ numbers, and a table of products has 2¹⁴.
pub const MOST_ELEMENTS: usize = 128;

/// Most [operations](construction) for one network of largest margin. The dearest group of [`MOST_ELEMENTS`], a product
/// of the cyclic ones of orders 2, 2, 2, 2, 2 and 4, takes 5.2 · 10⁷ of them, a tenth of a second of one core at most;
/// the product of two of order 32 would take 1.7 · 10¹⁰.
pub const MOST_CONSTRUCTION: u64 = 1 << 26;

/// Most of them for all different groups of a sweep.
pub const MOST_CONSTRUCTIONS: u64 = 4 * MOST_CONSTRUCTION;

/// Operations, roughly, that a page makes at once: what takes more goes in parts, so that no task of its thread takes
/// more than 50 ms.
///
/// # Why
/// A look into 256 symbols with four layers of 128 numbers, 3 · 10⁸ products in double precision, took 0.84 s in a
/// browser: these are 12 ms of that. A slower machine has four times as long.
pub const SLICE: u64 = 1 << 22;

/// Most initial weights that a page draws at once: those of a network on the page are looked at before a worker has sent
/// them, and 2¹⁸ normal numbers take some 20 ms.
pub const MOST_DRAWN: u64 = 1 << 18;

/// Most measurements of a run that a page keeps; then every second one is dropped.
pub const MOST_ROWS: u64 = 4096;

/// Most numbers in the measurements that a page keeps, 64 MiB: of thousands of replicas, fewer measurements than
/// [`MOST_ROWS`].
pub const MOST_OF_CURVES: u64 = 1 << 24;

/// Most numbers that page and worker hold of one run together: 2.5 GiB, where WebAssembly can address 4 for each.
pub const MOST_HELD: u64 = 5 << 27;

/// Numbers from which on a run is asked about before it begins: 1.5 GiB. The largest preset holds 1.1.
pub const ASKED_HELD: u64 = 3 << 27;

/// Seconds on one core of a processor from which on a run, or a sweep, is asked about before it begins: thirty days.
/// Time alone hurts nobody who can press Pause, and links to endless runs are common, since most end at their target.
pub const ASKED_S: f64 = 30.0 * 86_400.0;

/// Most numbers that all helpers of a sweep hold together, besides the trainer: 1 GiB.
pub const MOST_OF_HELPERS: u64 = 1 << 28;

/// Numbers that a worker takes however small its run is: 16 MiB, its program and its stack.
pub const WORKER: u64 = 1 << 22;

/// Most operations of one step of one network that one workgroup of a GPU makes in one launch. At the 40 Gflop/s of a
/// server's they are 25 ms, and a laptop's may take twenty times as long, a quarter of what trips a watchdog.
pub const MOST_OF_LAUNCH: u64 = 1_000_000_000;

/// Their product, or the largest number there is where it is larger.
pub fn product<N: TryInto<u64>>(sizes: impl IntoIterator<Item = N>) -> u64 {
    let wide = |size: N| size.try_into().unwrap_or(u64::MAX);
    sizes.into_iter().map(wide).fold(1, u64::saturating_mul)
}

/// Operations, roughly, that it takes to write down a network of largest margin on a group of `order` elements with
/// `irreps` irreducible real representations:
///
/// ```text
/// classes ≤ 2 · irreps
/// characters       order · classes² + 10 · classes³       (`Characters::of`)
/// linear program   30 steps of irreps³                    (its matrix, and Cholesky's method)
/// functions        order³                                 (orthonormal bases, and the neurons' weights)
/// ```
pub fn construction(order: u64, irreps: u64) -> u64 {
    let classes = irreps.saturating_mul(2).min(order);
    let terms = [
        product([order, classes, classes]),
        product([10, classes, classes, classes]),
        product([30, irreps, irreps, irreps]),
        product([order, order, order]),
    ];
    terms.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_wrap() {
        assert_eq!(product([128usize, 128, 128, 128, 16]), 1 << 32);
        assert_eq!(product([usize::MAX, usize::MAX]), u64::MAX);
        assert_eq!(product([0u64, u64::MAX]), 0);
        assert_eq!(product([0u64; 0]), 1);
    }

    #[test]
    fn the_dearest_group_is_within_the_bound_and_larger_ones_are_not() {
        let dearest = construction(128, 96);
        assert!((50_000_000..MOST_CONSTRUCTION).contains(&dearest), "{dearest}");
        assert!(construction(1024, 514) > 100 * MOST_CONSTRUCTION);
        assert_eq!(construction(u64::MAX, u64::MAX), u64::MAX);
    }
}
