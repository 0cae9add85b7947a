//! Codes ω₁, …, ω_N of positions: unit vectors by which a name refers to a position.

use vivarium_core::choices;
use vivarium_core::math::{normalize, orthogonalize};
use vivarium_core::rng::{Purpose, RandomStream};

choices! {
    /// Kinds of position codes.
    pub enum PositionCodes {
        /// Unit vectors of the standard basis, one dimension for each position.
        OneHot = "onehot", "One-hot";
        /// Vectors of independent random signs, divided by √d_e.
        Random = "random", "Random signs ±1/√d_e";
        /// Random orthonormal vectors.
        Orthogonal = "orthogonal", "Random, orthogonal";
    }
}

impl PositionCodes {
    /// Dimension d_e of the codes of N = `positions` positions: `wanted`, or the default if `wanted` is 0. The
    /// default is N, or ⌊5 ln N⌋ for random signs as in the code of Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025.
    /// One-hot codes always have dimension N.
    pub fn dimension(self, positions: usize, wanted: usize) -> usize {
        match self {
            PositionCodes::OneHot => positions,
            _ if wanted > 0 => wanted,
            PositionCodes::Orthogonal => positions,
            PositionCodes::Random => ((5.0 * libm::log(positions as f64)) as usize).max(1),
        }
    }

    /// Draws the codes of all positions, `[positions, dimension]`. Orthogonal codes need `positions` ≤ `dimension`.
    pub fn draw(self, seed: u64, positions: usize, dimension: usize) -> Vec<f32> {
        let stream = RandomStream::new(seed, Purpose::Codes, 0);
        match self {
            PositionCodes::OneHot => {
                let at = |i: usize| if i / dimension == i % dimension { 1.0 } else { 0.0 };
                (0..positions * dimension).map(at).collect()
            }
            PositionCodes::Random => {
                let size = (1.0 / libm::sqrt(dimension as f64)) as f32;
                let mut words = vec![0; positions * dimension];
                stream.fill_u32(0, 0, &mut words);
                words.into_iter().map(|word| if word >> 31 == 0 { size } else { -size }).collect()
            }
            PositionCodes::Orthogonal => draw_orthogonal(&stream, positions, dimension),
        }
    }
}

/// Draws orthonormal codes `[positions, dimension]` by Gram–Schmidt on standard normal vectors.
fn draw_orthogonal(stream: &RandomStream, positions: usize, dimension: usize) -> Vec<f32> {
    let mut rows: Vec<Vec<f64>> = vec![];
    for i in 0..positions {
        let drawn = |j: usize| f64::from(stream.draw_normal(0, (i * dimension + j) as u32));
        let mut row: Vec<f64> = (0..dimension).map(drawn).collect();
        orthogonalize(&mut row, rows.iter());
        normalize(&mut row);
        rows.push(row);
    }
    rows.into_iter().flatten().map(|x| x as f32).collect()
}

/// Counts the pairs of position codes ω_i, ω_j with i < j and |⟨ω_i, ω_j⟩| > 1/2, which violate assumption 3 of
/// Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025.
///
/// # Shapes
/// `codes` is `[positions, dimension]`.
pub fn count_strong_pairs(codes: &[f32], dimension: usize) -> usize {
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
    fn codes_are_unit_vectors_with_the_expected_angles() {
        for (codes, positions, dimension) in [
            (PositionCodes::OneHot, 7, 7),
            (PositionCodes::Random, 12, 12),
            (PositionCodes::Orthogonal, 9, 16),
            (PositionCodes::Orthogonal, 8, 8),
        ] {
            let drawn = codes.draw(3, positions, dimension);
            assert_eq!(drawn.len(), positions * dimension);
            for (i, a) in drawn.chunks(dimension).enumerate() {
                for (j, b) in drawn.chunks(dimension).enumerate() {
                    let dot = dot(a, b);
                    let free = codes == PositionCodes::Random && i != j;
                    let expected = if i == j { 1.0 } else { 0.0 };
                    assert!(free || (dot - expected).abs() < 1e-5, "{codes:?} {i} {j}: {dot}");
                }
            }
        }
    }

    /// The mean number of pairs over many draws: 2.9, 26 and 52 for N = 12, 33 and 100 with ⌊5 ln N⌋ numbers, and next
    /// to none with 20 ln N.
    #[test]
    fn short_random_codes_violate_assumption_3() {
        let mean = |positions: usize, dimension: usize, draws: u64| {
            let count =
                |seed| count_strong_pairs(&PositionCodes::Random.draw(seed, positions, dimension), dimension);
            (0..draws).map(count).sum::<usize>() as f64 / draws as f64
        };
        for (positions, found, within) in [(12, 2.9, 0.6), (33, 26.0, 3.0), (100, 52.0, 6.0)] {
            let dimension = PositionCodes::Random.dimension(positions, 0);
            assert_eq!(dimension, (5.0 * (positions as f64).ln()) as usize);
            let pairs = mean(positions, dimension, 60);
            assert!((pairs - found).abs() < within, "N = {positions}: {pairs}");
        }
        assert!(mean(33, 70, 20) < 0.5);
    }
}
