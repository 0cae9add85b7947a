//! The one source of randomness: a counter-based generator, the same on every processor.
//!
//! `draw(seed, purpose, replica, step, index)` is a pure function, so that pause, resume, replay from a
//! checkpoint and a link opened elsewhere all see the same data. It is Threefry-4x32 with 20 rounds
//! (Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"), checked against
//! the known answers of Random123.
//!
//! # Why
//! Threefry rather than Philox, because it needs only add, rotate and xor: WGSL has neither 64-bit
//! integers nor a high multiplication. The rounds are written once, inside `twice!`, and compiled twice:
//! as plain Rust, where wrapping addition has to be asked for, and as a `#[cube]` function, where it wraps by
//! itself. Logarithm and cosine come from `libm`, not from the system, so that normal draws are equal in
//! every browser and on every system. The root is the processor's own, which IEEE 754 wants rounded exactly:
//! it has the same bits as libm's, and in a browser libm's took a third of the time of a normal draw.
//! 2026-11-23.
//!
//! ```
//! use vivarium_core::rng::{Purpose, RandomStream};
//! let stream = RandomStream::new(7, Purpose::Batch, 0);
//! assert_eq!(stream.draw_u32(3, 0), stream.draw_u32(3, 0)); // a pure function
//! assert_ne!(stream.draw_u32(3, 0), stream.draw_u32(4, 0)); // of the step
//! ```

/// Use of a random draw. Draws for different purposes are independent. The numbers of the variants are permanent, since
/// a link must reproduce the draws of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Choice of the relevant input coordinates.
    Support = 1,
    /// Inputs of fresh batches.
    Batch = 2,
    /// Label noise.
    Noise = 3,
    /// Initial weights.
    Weights = 4,
    /// The held-out batch.
    HeldOut = 5,
    /// Order in which a fixed training set is visited.
    Order = 6,
    /// Examples of a fixed training set.
    Sample = 7,
    /// Transition matrices of the chains of fresh batches.
    Chain = 8,
    /// Transition matrices of the chains of the held-out batch.
    HeldOutChain = 9,
    /// Choice of the held-out rows of a table.
    Split = 10,
    /// Names in the prompts of fresh batches.
    Names = 11,
    /// Names in the held-out prompts.
    HeldOutNames = 12,
    /// Names in a fixed training set of prompts.
    SampleNames = 13,
    /// Codes of positions.
    Codes = 14,
    /// Functions behind the prompts of fresh batches.
    Function = 15,
    /// Functions behind the held-out prompts.
    HeldOutFunction = 16,
    /// Initial weights of networks that are trained on one prompt.
    FittedWeights = 17,
    /// Noise on the labels of held-out prompts.
    HeldOutNoise = 18,
    /// Noise on the weights of a construction.
    Construction = 19,
    /// Rules of random machines.
    Machine = 20,
    /// Activations that dropout sets to zero in a training step.
    Dropout = 21,
}

/// Compiles functions twice: in `host` as plain Rust and in `device` as CubeCL, with `add` wrapping in both.
macro_rules! twice {
    // The attribute comes from the call, because the cube macro looks its own names up where it was written.
    ($($pound:tt $cube:tt $(#[doc = $doc:literal])* pub fn $name:ident($($args:tt)*) -> $out:ty { $($body:tt)* })+) => {
        /// The generator as plain Rust.
        pub mod host {
            /// Sum of two words modulo 2³².
            #[inline(always)]
            fn add(a: u32, b: u32) -> u32 { a.wrapping_add(b) }
            /// Product of two words modulo 2³².
            #[inline(always)]
            fn multiply(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
            $($(#[doc = $doc])* #[inline(always)] #[allow(clippy::too_many_arguments, reason = "key and counter, word by word: WGSL has no array values")]
            pub fn $name($($args)*) -> $out { $($body)* })+
            /// Word `x` rotated left by `by` bits, from 1 to 31.
            #[inline(always)]
            fn rotate(x: u32, by: u32) -> u32 { x.rotate_left(by) }
        }
        /// The generator as CubeCL code, for use inside kernels.
        #[cfg(feature = "fused")]
        #[allow(missing_docs, clippy::too_many_arguments, clippy::manual_rotate, reason = "as in `host`; the cube macro adds items of its own")]
        pub mod device {
            use cubecl::prelude::*;
            /// Sum of two words modulo 2³²: `+` wraps in a kernel.
            #[cube]
            fn add(a: u32, b: u32) -> u32 { a + b }
            /// Product of two words modulo 2³²: `*` wraps in a kernel.
            #[cube]
            fn multiply(a: u32, b: u32) -> u32 { a * b }
            /// Word `x` rotated left by `by` bits, from 1 to 31.
            #[cube]
            fn rotate(x: u32, by: u32) -> u32 { (x << by) | (x >> (32u32 - by)) }
            $($pound $cube
            pub fn $name($($args)*) -> $out { $($body)* })+
        }
    };
}

twice! {
    #[cube]
    /// Four random words: the block that the counter-based generator Threefry-4x32-20 (Salmon et al. 2011) computes
    /// from the four key words `k0` to `k3` and the four counter words `c0` to `c3`.
    pub fn threefry(k0: u32, k1: u32, k2: u32, k3: u32, c0: u32, c1: u32, c2: u32, c3: u32) -> (u32, u32, u32, u32) {
        let k4 = k0 ^ k1 ^ k2 ^ k3 ^ 466688986u32;
        let mut x0 = add(c0, k0);
        let mut x1 = add(c1, k1);
        let mut x2 = add(c2, k2);
        let mut x3 = add(c3, k3);
        x0 = add(x0, x1); x1 = rotate(x1, 10u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 26u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 11u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 21u32) ^ x2;
        x0 = add(x0, x1); x1 = rotate(x1, 13u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 27u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 23u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 5u32) ^ x2;
        x0 = add(x0, k1); x1 = add(x1, k2); x2 = add(x2, k3); x3 = add(add(x3, k4), 1u32);
        x0 = add(x0, x1); x1 = rotate(x1, 6u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 20u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 17u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 11u32) ^ x2;
        x0 = add(x0, x1); x1 = rotate(x1, 25u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 10u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 18u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 20u32) ^ x2;
        x0 = add(x0, k2); x1 = add(x1, k3); x2 = add(x2, k4); x3 = add(add(x3, k0), 2u32);
        x0 = add(x0, x1); x1 = rotate(x1, 10u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 26u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 11u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 21u32) ^ x2;
        x0 = add(x0, x1); x1 = rotate(x1, 13u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 27u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 23u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 5u32) ^ x2;
        x0 = add(x0, k3); x1 = add(x1, k4); x2 = add(x2, k0); x3 = add(add(x3, k1), 3u32);
        x0 = add(x0, x1); x1 = rotate(x1, 6u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 20u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 17u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 11u32) ^ x2;
        x0 = add(x0, x1); x1 = rotate(x1, 25u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 10u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 18u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 20u32) ^ x2;
        x0 = add(x0, k4); x1 = add(x1, k0); x2 = add(x2, k1); x3 = add(add(x3, k2), 4u32);
        x0 = add(x0, x1); x1 = rotate(x1, 10u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 26u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 11u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 21u32) ^ x2;
        x0 = add(x0, x1); x1 = rotate(x1, 13u32) ^ x0; x2 = add(x2, x3); x3 = rotate(x3, 27u32) ^ x2;
        x0 = add(x0, x3); x3 = rotate(x3, 23u32) ^ x0; x2 = add(x2, x1); x1 = rotate(x1, 5u32) ^ x2;
        x0 = add(x0, k0); x1 = add(x1, k1); x2 = add(x2, k2); x3 = add(add(x3, k3), 5u32);
        (x0, x1, x2, x3)
    }

    #[cube]
    /// The four draws with indices `4·quad` to `4·quad + 3` for `purpose` at a step in `replica`, 32 random bits each.
    /// Seed and step are given as their low and their high 32 bits.
    pub fn draw_four(seed_low: u32, seed_high: u32, purpose: u32, replica: u32, step_low: u32, step_high: u32, quad: u32) -> (u32, u32, u32, u32) {
        threefry(seed_low, seed_high, purpose, replica, quad, step_low, step_high, 0u32)
    }

    #[cube]
    /// The draw with this `index`, from 0, for `purpose` at a step in `replica`, as 32 random bits. Seed and step are
    /// given as their low and their high 32 bits.
    pub fn draw(seed_low: u32, seed_high: u32, purpose: u32, replica: u32, step_low: u32, step_high: u32, index: u32) -> u32 {
        let (w0, w1, w2, w3) = draw_four(seed_low, seed_high, purpose, replica, step_low, step_high, index / 4u32);
        let lane = index % 4u32;
        let mut out = w0;
        if lane == 1u32 { out = w1; }
        if lane == 2u32 { out = w2; }
        if lane == 3u32 { out = w3; }
        out
    }

    #[cube]
    /// Scrambles 32 bits by a key: the round function of the Feistel network [`permuted`].
    pub fn scramble(word: u32, key: u32) -> u32 {
        let a = multiply(word ^ key, 2654435761u32);
        let b = multiply(a ^ (a >> 15u32), 2246822519u32);
        b ^ (b >> 13u32)
    }

    #[cube]
    /// Image of `index` under the pseudorandom permutation of `0..size` with the keys `k0` to `k7`, a Feistel network
    /// of eight rounds. `half` is [`feistel_half_bits`](crate::rng::feistel_half_bits) of `size`.
    pub fn permuted(index: u32, size: u32, half: u32, k0: u32, k1: u32, k2: u32, k3: u32, k4: u32, k5: u32, k6: u32, k7: u32) -> u32 {
        let mask = (1u32 << half) - 1u32;
        let mut at = index;
        let mut outside = true;
        while outside {
            let mut l = at >> half;
            let mut r = at & mask;
            l ^= scramble(r, k0) & mask; r ^= scramble(l, k1) & mask;
            l ^= scramble(r, k2) & mask; r ^= scramble(l, k3) & mask;
            l ^= scramble(r, k4) & mask; r ^= scramble(l, k5) & mask;
            l ^= scramble(r, k6) & mask; r ^= scramble(l, k7) & mask;
            at = (l << half) | r;
            outside = at >= size;
        }
        at
    }
}

/// Random numbers for one purpose in one replica of a run, determined by the run's seed and addressed by training step
/// and index.
#[derive(Debug, Clone, Copy)]
pub struct RandomStream {
    /// Random seed of the run.
    seed: u64,
    /// Use of the random numbers, such as training examples or initial weights.
    purpose: Purpose,
    /// Index of the replica, from 0.
    replica: u32,
}

impl RandomStream {
    /// Creates the stream of random numbers for `purpose` in the replica with the index `replica`, from 0, of a run
    /// with this seed.
    pub fn new(seed: u64, purpose: Purpose, replica: u32) -> Self {
        RandomStream { seed, purpose, replica }
    }

    /// Draw with this `index`, from 0, at training step `step`: 32 random bits.
    #[inline]
    pub fn draw_u32(&self, step: u64, index: u32) -> u32 {
        host::draw(
            self.seed as u32,
            (self.seed >> 32) as u32,
            self.purpose as u32,
            self.replica,
            step as u32,
            (step >> 32) as u32,
            index,
        )
    }

    /// Fills `out` with the draws of `step` whose indices are `first`, `first + 1` and so on, each as by
    /// [`RandomStream::draw_u32`].
    #[inline(always)]
    pub fn fill_u32(&self, step: u64, first: u32, out: &mut [u32]) {
        // Before a multiple of four, one by one.
        let odd = out.len().min(first.wrapping_neg() as usize % 4);
        let (head, rest) = out.split_at_mut(odd);
        for (word, index) in head.iter_mut().zip(first..) {
            *word = self.draw_u32(step, index);
        }
        for (sixteen, quad) in rest.chunks_mut(16).zip((first.div_ceil(4)..).step_by(4)) {
            let lanes = self.draw_sixteen(step, quad);
            for (i, word) in sixteen.iter_mut().enumerate() {
                *word = lanes[i % 4][i / 4];
            }
        }
    }

    /// Draws of the four consecutive generator blocks `quad` to `quad + 3`, of four draws each: the draw with index
    /// `4·(quad + l) + j` is at `[j][l]`.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "a column of four rows, lane by lane")]
    fn draw_sixteen(&self, step: u64, quad: u32) -> [[u32; 4]; 4] {
        let (low, high) = (self.seed as u32, (self.seed >> 32) as u32);
        let (purpose, replica) = (self.purpose as u32, self.replica);
        let mut words = [[0; 4]; 4];
        for l in 0..4 {
            let at = quad.wrapping_add(l as u32);
            let (w0, w1, w2, w3) =
                host::draw_four(low, high, purpose, replica, step as u32, (step >> 32) as u32, at);
            (words[0][l], words[1][l], words[2][l], words[3][l]) = (w0, w1, w2, w3);
        }
        words
    }

    /// Random number with this `index`, from 0, at training step `step`, uniform in [0, 1), with 24 random bits, so
    /// that it is exact in `f32`.
    #[inline]
    pub fn draw_uniform(&self, step: u64, index: u32) -> f32 {
        (self.draw_u32(step, index) >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// Random number with this `index`, from 0, at training step `step`, uniform on `0..bound`; the bias is below
    /// `bound / 2³²`.
    #[inline]
    pub fn draw_below(&self, step: u64, index: u32, bound: u32) -> u32 {
        ((u64::from(self.draw_u32(step, index)) * u64::from(bound)) >> 32) as u32
    }

    /// Standard normal number with this `index`, by Box and Muller (1958) from the draws with indices `2·index` and
    /// `2·index + 1` of `step`.
    pub fn draw_normal(&self, step: u64, index: u32) -> f32 {
        let radius = (-2.0 * libm::log(f64::from(1.0 - self.draw_uniform(step, 2 * index)))).sqrt();
        let angle = 2.0 * std::f64::consts::PI * f64::from(self.draw_uniform(step, 2 * index + 1));
        (radius * libm::cos(angle)) as f32
    }

    /// Draws `true` with probability `p`, from the random number with this `index`, from 0, at training step `step`.
    #[inline]
    pub fn draw_bool(&self, step: u64, index: u32, p: f64) -> bool {
        f64::from(self.draw_u32(step, index)) < p * 4_294_967_296.0
    }

    /// Draws `count` different numbers from `0..bound`, in ascending order (Floyd's algorithm), from the first `count`
    /// draws of step 0.
    pub fn draw_subset(&self, bound: usize, count: usize) -> Vec<usize> {
        self.draw_subset_from(0, bound, count)
    }

    /// Draws `count` different numbers from `0..bound`, in ascending order, like [`RandomStream::draw_subset`], but
    /// from the draws with indices `first` to `first + count − 1` of step 0: several independent subsets use different
    /// draws.
    pub fn draw_subset_from(&self, first: u32, bound: usize, count: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::with_capacity(count);
        for (i, top) in (bound - count..bound).enumerate() {
            let pick = self.draw_below(0, first + i as u32, top as u32 + 1) as usize;
            chosen.push(if chosen.contains(&pick) { top } else { pick });
        }
        chosen.sort_unstable();
        chosen
    }

    /// Image of `index` under a random permutation of `0..size` that depends on `epoch`: with `size` training examples,
    /// the example that is visited at place `index` of the epoch.
    ///
    /// A Feistel network over the next power of four with cycle walking (Black and Rogaway 2002), so
    /// that any position is found without storing the order: the same works in a kernel.
    pub fn permuted_index(&self, epoch: u64, index: u32, size: u32) -> u32 {
        self.epoch_order(epoch, size).position(index)
    }

    /// The permutation of `0..size` that [`RandomStream::permuted_index`] applies in `epoch`, for computing several of
    /// its values.
    pub fn epoch_order(&self, epoch: u64, size: u32) -> EpochOrder {
        let mut keys = [0; 8];
        self.fill_u32(epoch, 0, &mut keys);
        EpochOrder { keys, size, half: feistel_half_bits(size) }
    }
}

/// Random order in which the training examples are visited in one epoch: a permutation of `0..size`.
#[derive(Debug, Clone, Copy)]
pub struct EpochOrder {
    /// Keys of the eight rounds of the Feistel network that permutes the items, such as training examples.
    keys: [u32; 8],
    /// Number of items, such as training examples, that are permuted.
    size: u32,
    /// Half the number of bits that the Feistel network permutes, by [`feistel_half_bits`].
    half: u32,
}

impl EpochOrder {
    /// Image of `index` under this permutation of `0..size`: the item, such as a training example, at place `index` of
    /// the order; both count from 0.
    pub fn position(&self, index: u32) -> u32 {
        let [k0, k1, k2, k3, k4, k5, k6, k7] = self.keys;
        host::permuted(index, self.size, self.half, k0, k1, k2, k3, k4, k5, k6, k7)
    }
}

/// Two independent standard normal numbers r cos φ and r sin φ from the upper 24 bits of two random words (Box and
/// Muller 1958).
#[inline]
pub fn normal_pair([radius, angle]: [u32; 2]) -> [f64; 2] {
    let unit = |word: u32| f64::from((word >> 8) as f32 * (1.0 / 16_777_216.0));
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(radius)));
    let (sine, cosine) = libm::sincos(2.0 * std::f64::consts::PI * unit(angle));
    [radius * cosine, radius * sine]
}

/// Half of log₂ of the smallest power of four that is at least 4 and at least `size`: the number of bits in each half
/// of the word that the Feistel network [`host::permuted`] permutes.
pub fn feistel_half_bits(size: u32) -> u32 {
    (32 - size.saturating_sub(1).leading_zeros()).max(2).div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_known_answers_of_random123() {
        let pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        let key = [0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89];
        for (k, c, answer) in [
            ([0; 4], [0; 4], [0x9c6ca96au32, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8]),
            ([u32::MAX; 4], [u32::MAX; 4], [0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732]),
            (key, pi, [0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84]),
        ] {
            let (w0, w1, w2, w3) = host::threefry(k[0], k[1], k[2], k[3], c[0], c[1], c[2], c[3]);
            assert_eq!([w0, w1, w2, w3], answer);
        }
    }

    /// Pearson's statistic of `counts` against equal expectation, in standard deviations.
    fn chi_square_z(counts: &[u32]) -> f64 {
        let expected = counts.iter().sum::<u32>() as f64 / counts.len() as f64;
        let chi: f64 = counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum();
        let freedom = counts.len() as f64 - 1.0;
        (chi - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn bytes_bits_and_neighbouring_counters_look_independent() {
        let stream = RandomStream::new(1, Purpose::Batch, 0);
        let mut bytes = vec![0u32; 256];
        let mut bits = [0u32; 32];
        let mut pairs = vec![0u32; 256];
        let draws = 1 << 16;
        for i in 0..draws {
            let (word, next) =
                (stream.draw_u32(u64::from(i) / 64, i % 64), stream.draw_u32(u64::from(i) / 64 + 1, i % 64));
            for b in 0..4 {
                bytes[(word >> (8 * b)) as usize & 255] += 1;
            }
            for (b, count) in bits.iter_mut().enumerate() {
                *count += (word >> b) & 1;
            }
            pairs[((word & 15) << 4 | (next & 15)) as usize] += 1;
        }
        assert!(chi_square_z(&bytes).abs() < 4.0);
        assert!(chi_square_z(&pairs).abs() < 4.0);
        let deviation = (f64::from(draws) / 4.0).sqrt();
        for count in bits {
            assert!((f64::from(count) - f64::from(draws) / 2.0).abs() < 4.5 * deviation);
        }
    }

    #[test]
    fn normals_have_the_moments_of_a_normal() {
        let stream = RandomStream::new(2, Purpose::Weights, 0);
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|i| f64::from(stream.draw_normal(0, i))).collect();
        let moment = |p: i32| draws.iter().map(|x| x.powi(p)).sum::<f64>() / f64::from(n);
        assert!(moment(1).abs() < 0.012);
        assert!((moment(2) - 1.0).abs() < 0.02);
        assert!(moment(3).abs() < 0.05);
        assert!((moment(4) - 3.0).abs() < 0.15);
        let mut products = 0.0;
        for i in 0..n {
            let [first, second] = normal_pair([stream.draw_u32(0, 2 * i), stream.draw_u32(0, 2 * i + 1)]);
            assert_eq!(first as f32, stream.draw_normal(0, i));
            products += first * second;
        }
        assert!((products / f64::from(n)).abs() < 0.012);
    }

    #[test]
    fn many_words_are_the_single_ones() {
        let stream = RandomStream::new(7 | 3 << 32, Purpose::Batch, 5);
        for (step, first, count) in [(0, 0, 50), (9 << 32 | 4, 1, 33), (3, 2, 1), (1, 7, 16), (5, 50, 4)] {
            let mut words = vec![0; count];
            stream.fill_u32(step, first, &mut words);
            for (word, index) in words.into_iter().zip(first..) {
                assert_eq!(word, stream.draw_u32(step, index), "{first} {index}");
            }
        }
    }

    #[test]
    fn purposes_replicas_steps_and_seeds_differ() {
        let base = RandomStream::new(0, Purpose::Batch, 0).draw_u32(0, 0);
        for other in [
            RandomStream::new(1, Purpose::Batch, 0).draw_u32(0, 0),
            RandomStream::new(1 << 32, Purpose::Batch, 0).draw_u32(0, 0),
            RandomStream::new(0, Purpose::Noise, 0).draw_u32(0, 0),
            RandomStream::new(0, Purpose::Batch, 1).draw_u32(0, 0),
            RandomStream::new(0, Purpose::Batch, 0).draw_u32(1, 0),
            RandomStream::new(0, Purpose::Batch, 0).draw_u32(1 << 32, 0),
            RandomStream::new(0, Purpose::Batch, 0).draw_u32(0, 1),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn shuffled_is_a_permutation_that_changes_with_the_epoch() {
        for size in [1u32, 2, 3, 7, 64, 700, 1000] {
            let order = |epoch| -> Vec<u32> {
                let stream = RandomStream::new(5, Purpose::Order, 0);
                (0..size).map(|i| stream.permuted_index(epoch, i, size)).collect()
            };
            let mut sorted = order(0);
            sorted.sort_unstable();
            assert_eq!(sorted, (0..size).collect::<Vec<_>>());
            if size >= 64 {
                assert_ne!(order(0), order(1));
                let fixed = order(0).iter().enumerate().filter(|(i, v)| *i as u32 == **v).count();
                assert!(fixed < 8, "a random permutation has about one fixed point, not {fixed}");
            }
        }
    }

    #[test]
    fn subsets_are_uniform() {
        let mut hits = vec![0u32; 10];
        for seed in 0..3_000 {
            let subset = RandomStream::new(seed, Purpose::Support, 0).draw_subset(10, 3);
            assert!(subset.windows(2).all(|w| w[0] < w[1]) && subset[2] < 10);
            subset.iter().for_each(|i| hits[*i] += 1);
        }
        assert!(chi_square_z(&hits).abs() < 4.0, "{hits:?}");
        assert_eq!(RandomStream::new(0, Purpose::Support, 0).draw_subset(3, 3), vec![0, 1, 2]);
    }
}
