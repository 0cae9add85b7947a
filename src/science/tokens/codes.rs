//! Codes ω₁, …, ω_N of positions: vectors of length 1, by which a name points at a position.

use vivarium_core::choices;
use vivarium_core::math::{normalize, orthogonalize};
use vivarium_core::rng::{Purpose, Stream};

choices! {
    /// How positions are written down.
    pub enum Codes {
        /// One number for each position, of which a position's own is 1.
        OneHot = "onehot", "One-hot";
        /// Random signs, divided by √d_e.
        Random = "random", "Random signs ±1/√d_e";
        /// Random vectors at right angles to each other.
        Orthogonal = "orthogonal", "Random, orthogonal";
    }
}

impl Codes {
    /// Numbers d_e of a code, where `wanted` are wanted, 0 for the usual number: N, or of random signs ⌊5 ln N⌋ as in the
    /// authors' code.
    pub fn dimension(self, positions: usize, wanted: usize) -> usize {
        match self {
            Codes::OneHot => positions,
            _ if wanted > 0 => wanted,
            Codes::Orthogonal => positions,
            Codes::Random => ((5.0 * libm::log(positions as f64)) as usize).max(1),
        }
    }

    /// The codes of all positions, `[positions, dimension]`. Of [`Codes::Orthogonal`] there are no more than `dimension`
    /// positions.
    pub fn draw(self, seed: u64, positions: usize, dimension: usize) -> Vec<f32> {
        let stream = Stream::new(seed, Purpose::Codes, 0);
        match self {
            Codes::OneHot => {
                let at = |i: usize| if i / dimension == i % dimension { 1.0 } else { 0.0 };
                (0..positions * dimension).map(at).collect()
            }
            Codes::Random => {
                let size = (1.0 / libm::sqrt(dimension as f64)) as f32;
                let mut words = vec![0; positions * dimension];
                stream.words(0, 0, &mut words);
                words.into_iter().map(|word| if word >> 31 == 0 { size } else { -size }).collect()
            }
            Codes::Orthogonal => orthogonal(&stream, positions, dimension),
        }
    }
}

/// Normal vectors, each made orthogonal to those before it.
fn orthogonal(stream: &Stream, positions: usize, dimension: usize) -> Vec<f32> {
    let mut rows: Vec<Vec<f64>> = vec![];
    for i in 0..positions {
        let drawn = |j: usize| f64::from(stream.normal(0, (i * dimension + j) as u32));
        let mut row: Vec<f64> = (0..dimension).map(drawn).collect();
        orthogonalize(&mut row, rows.iter());
        normalize(&mut row);
        rows.push(row);
    }
    rows.into_iter().flatten().map(|x| x as f32).collect()
}

/// Pairs of codes with |⟨ω_i, ω_j⟩| > 1/2, which break assumption 3 of the paper.
///
/// # Shapes
/// `codes` is `[positions, dimension]`.
pub fn strong_pairs(codes: &[f32], dimension: usize) -> usize {
    let rows: Vec<&[f32]> = codes.chunks(dimension).collect();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    let strong = |(i, row): (usize, &&[f32])| {
        rows[..i].iter().filter(|other| dot(row, other).abs() > 0.5 + 1e-6).count()
    };
    rows.iter().enumerate().map(strong).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::math::dot;

    #[test]
    fn codes_have_length_one_and_the_angles_they_promise() {
        for (codes, positions, dimension) in [
            (Codes::OneHot, 7, 7),
            (Codes::Random, 12, 12),
            (Codes::Orthogonal, 9, 16),
            (Codes::Orthogonal, 8, 8),
        ] {
            let drawn = codes.draw(3, positions, dimension);
            assert_eq!(drawn.len(), positions * dimension);
            for (i, a) in drawn.chunks(dimension).enumerate() {
                for (j, b) in drawn.chunks(dimension).enumerate() {
                    let dot = dot(a, b);
                    let free = codes == Codes::Random && i != j;
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!(free || (dot - expected).abs() < 1e-5, "{codes:?} {i} {j}: {dot}");
                }
            }
        }
    }

    /// The mean number of pairs over many draws: 2.9, 26 and 52 for N = 12, 33 and 100 with ⌊5 ln N⌋ numbers, and next
    /// to none with 20 ln N.
    #[test]
    fn short_random_codes_break_the_assumption() {
        let mean = |positions: usize, dimension: usize, draws: u64| {
            let count = |seed| strong_pairs(&Codes::Random.draw(seed, positions, dimension), dimension);
            (0..draws).map(count).sum::<usize>() as f64 / draws as f64
        };
        for (positions, found, within) in [(12, 2.9, 0.6), (33, 26.0, 3.0), (100, 52.0, 6.0)] {
            let dimension = Codes::Random.dimension(positions, 0);
            assert_eq!(dimension, (5.0 * (positions as f64).ln()) as usize);
            let pairs = mean(positions, dimension, 60);
            assert!((pairs - found).abs() < within, "N = {positions}: {pairs}");
        }
        assert!(mean(33, 70, 20) < 0.5);
    }
}
