//! Data sets over {−1, 1}^d: a concept, m examples with label noise, and test inputs, all determined by a seed and a number.
//!
//! ```text
//! dictator     y = x_b, b uniform
//! parity       y = Π_{b ∈ S} x_b for an unknown set S, each bit in it with probability ½
//! half-space   y = sign(w·x), w standard normal
//! constant     y = 1 for all x, or y = −1 for all x
//! ```
//!
//! # Why
//! Each number has its own concept, examples and test inputs. So the accuracy over many numbers measures a learning algorithm,
//! not one classifier. With the same constant for all numbers, an algorithm that always answers 1 would be perfect. Only the
//! labels of examples have noise, not those of test inputs.

use super::error::SuccinctError;
use super::limits::{MAX_EXAMPLE_INPUTS, MAX_EXAMPLES, MAX_LABEL_NOISE};
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, RandomStream};

choices! {
    /// A family of concepts, from which a learning problem draws the function that gives its labels.
    pub enum ConceptFamily {
        /// The label is one of the inputs.
        Dictator = "dictator", "One unknown bit";
        /// The label is the product of some inputs.
        Parity = "parity", "Parity of unknown bits";
        /// The label is the sign of a weighted sum.
        HalfSpace = "half-space", "Half-space";
        /// The label is the same for all inputs.
        Constant = "constant", "Constant label";
    }
}

/// A function from inputs to labels that is to be learned: it gives the labels without noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Concept {
    /// y = x_b.
    Dictator {
        /// Index b of the input.
        bit: usize,
    },
    /// y = product of the inputs in the set.
    Parity {
        /// For each input whether it is in the set, `[d]`.
        bits: Vec<bool>,
    },
    /// y = sign(w·x), 1 at 0.
    HalfSpace {
        /// Weights w, `[d]`.
        weights: Vec<f64>,
    },
    /// y is constant.
    Constant {
        /// The label, 1 or −1.
        label: i8,
    },
}

impl Concept {
    /// The label of the input x, 1 or −1.
    pub fn label(&self, x: &[i8]) -> i8 {
        match self {
            Concept::Dictator { bit } => x.get(*bit).copied().unwrap_or(1),
            Concept::Parity { bits } => {
                bits.iter().zip(x).filter(|(enters, _)| **enters).map(|(_, x)| x).product()
            }
            Concept::HalfSpace { weights } => {
                let sum: f64 = weights.iter().zip(x).map(|(w, x)| w * f64::from(*x)).sum();
                if sum < 0.0 { -1 } else { 1 }
            }
            Concept::Constant { label } => *label,
        }
    }
}

/// m examples with d inputs each, and their labels; all numbers are 1 or −1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// Number d of inputs of each example.
    d: usize,
    /// Inputs x of the examples, `[m][d]`.
    inputs: Vec<Vec<i8>>,
    /// Labels y of the examples, `[m]`.
    labels: Vec<i8>,
}

impl Dataset {
    /// A data set of these inputs, `[m][d]`, and labels, `[m]`.
    ///
    /// # Errors
    /// d or m is out of range, lengths differ, or a number is neither 1 nor −1.
    pub fn new(inputs: Vec<Vec<i8>>, labels: Vec<i8>) -> Result<Dataset, SuccinctError> {
        let d = inputs.first().map_or(0, Vec::len);
        check_sizes(d, inputs.len())?;
        if inputs.len() != labels.len() {
            return Err(SuccinctError::LabelCount { labels: labels.len(), examples: inputs.len() });
        }
        for x in &inputs {
            check_input(d, x)?;
        }
        check_input(labels.len(), &labels)?;
        Ok(Dataset { d, inputs, labels })
    }

    /// Number d of inputs of each example.
    pub fn d(&self) -> usize {
        self.d
    }

    /// Number m of examples in the data set.
    pub fn m(&self) -> usize {
        self.inputs.len()
    }

    /// The inputs x of the examples, `[m][d]`.
    pub fn inputs(&self) -> &[Vec<i8>] {
        &self.inputs
    }

    /// The labels y of the examples, `[m]`.
    pub fn labels(&self) -> &[i8] {
        &self.labels
    }

    /// The examples as pairs (x, y) of inputs `[d]` and label, in the order of the data set.
    pub fn examples(&self) -> impl Iterator<Item = (&[i8], i8)> {
        self.inputs.iter().map(Vec::as_slice).zip(self.labels.iter().copied())
    }

    /// The rank of the matrix of inputs modulo 2, where −1 is the bit 1 and 1 the bit 0. If the rank is d, the
    /// examples determine every parity.
    pub fn rank(&self) -> usize {
        let bits = |x: &Vec<i8>| x.iter().fold(0u64, |word, one| word << 1 | u64::from(*one < 0));
        let mut pivots: Vec<u64> = Vec::new();
        for row in self.inputs.iter().map(bits) {
            // In the smaller of row and row ⊕ pivot the highest bit of the pivot is 0.
            let rest = pivots.iter().fold(row, |row, pivot| row.min(row ^ pivot));
            if rest != 0 {
                pivots.push(rest);
                pivots.sort_unstable_by(|a, b| b.cmp(a));
            }
        }
        pivots.len()
    }
}

/// Checks that the number d of inputs, the number m of examples and the label noise are in range.
pub(super) fn check_settings(d: usize, m: usize, noise: f64) -> Result<(), SuccinctError> {
    check_sizes(d, m)?;
    if !(0.0..=MAX_LABEL_NOISE).contains(&noise) {
        return Err(SuccinctError::NoiseOutOfRange { found: noise });
    }
    Ok(())
}

/// Checks that the number d of inputs and the number m of examples are in range.
pub(super) fn check_sizes(d: usize, m: usize) -> Result<(), SuccinctError> {
    if !(1..=MAX_EXAMPLE_INPUTS).contains(&d) {
        return Err(SuccinctError::InputsOutOfRange { found: u64::try_from(d).unwrap_or(u64::MAX) });
    }
    if !(1..=MAX_EXAMPLES).contains(&m) {
        return Err(SuccinctError::ExamplesOutOfRange { found: u64::try_from(m).unwrap_or(u64::MAX) });
    }
    Ok(())
}

/// Checks that an input has d entries, each 1 or −1.
pub(super) fn check_input(d: usize, x: &[i8]) -> Result<(), SuccinctError> {
    if x.len() != d {
        return Err(SuccinctError::InputLength { found: x.len(), wanted: d });
    }
    match x.iter().find(|one| one.unsigned_abs() != 1) {
        Some(found) => Err(SuccinctError::InvalidValue { found: *found }),
        None => Ok(()),
    }
}

/// A random concept with random examples and test inputs, determined by a seed and the problem's number.
///
/// ```
/// use vivarium_science::succinct::{SampledProblem, ConceptFamily};
/// let drawn = SampledProblem::new(ConceptFamily::HalfSpace, 5, 20, 0.0, 1, 7).unwrap();
/// assert!(drawn.data.examples().all(|(x, y)| y == drawn.concept.label(x)));
/// assert_eq!(drawn.test_input(0).len(), 5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SampledProblem {
    /// The concept that gives the labels of examples and test inputs.
    pub concept: Concept,
    /// The examples, whose labels are wrong where `flipped` says so.
    pub data: Dataset,
    /// For each example whether its label is wrong because of the noise, `[m]`.
    pub flipped: Vec<bool>,
    /// Seed of the problem, from which its random test inputs are drawn.
    seed: u64,
    /// Index of the problem among those of the seed, which also selects its random test inputs.
    number: u64,
}

impl SampledProblem {
    /// Samples a concept of a family, and m examples with d uniform inputs whose labels are flipped with probability `noise`.
    /// Different numbers and different seeds give independent samples.
    ///
    /// # Errors
    /// d, m or the noise is out of range.
    pub fn new(
        family: ConceptFamily,
        d: usize,
        m: usize,
        noise: f64,
        seed: u64,
        number: u64,
    ) -> Result<SampledProblem, SuccinctError> {
        check_settings(d, m, noise)?;
        Ok(SampledProblem::sample_unchecked(family, [d, m], noise, seed, number))
    }

    /// [`SampledProblem::new`] for settings that [`check_settings`] has accepted.
    pub(super) fn sample_unchecked(
        family: ConceptFamily,
        [d, m]: [usize; 2],
        noise: f64,
        seed: u64,
        number: u64,
    ) -> SampledProblem {
        let concept = Concept::sample(family, d, seed, number);
        let flips = RandomStream::new(seed, Purpose::Noise, 0);
        let inputs: Vec<Vec<i8>> =
            (0..).take(m).map(|example| sample_input(seed, Purpose::Sample, number, example, d)).collect();
        let flipped: Vec<bool> =
            (0..).take(m).map(|example| flips.draw_bool(number, example, noise)).collect();
        let label = |(x, flip): (&Vec<i8>, &bool)| if *flip { -concept.label(x) } else { concept.label(x) };
        let labels = inputs.iter().zip(&flipped).map(label).collect();
        SampledProblem { concept, data: Dataset { d, inputs, labels }, flipped, seed, number }
    }

    /// Test input number `index`, `[d]`: uniform, and independent of the examples and of other indices below 2⁶³.
    pub fn test_input(&self, index: u64) -> Vec<i8> {
        sample_input(self.seed, Purpose::HeldOut, self.number, index, self.data.d)
    }
}

/// Samples an input `[d]`, each entry 1 or −1, for the example or test input with this `index` in the problem
/// `number`; `purpose` says which of the two it is.
fn sample_input(seed: u64, purpose: Purpose, number: u64, index: u64, d: usize) -> Vec<i8> {
    // An input takes two words, and a stream has 2³² words per step.
    let stream = RandomStream::new(seed, purpose, (index >> 31) as u32);
    let first = 2 * (index & 0x7fff_ffff) as u32;
    let bits =
        u64::from(stream.draw_u32(number, first)) | u64::from(stream.draw_u32(number, first + 1)) << 32;
    (0..d).map(|at| sign_of_bit(bits >> at)).collect()
}

/// The sign for the lowest bit of `word`: 1 if the bit is 0, else −1.
fn sign_of_bit(word: u64) -> i8 {
    if word & 1 == 0 { 1 } else { -1 }
}

impl Concept {
    /// Samples a concept of a family for d inputs, for the problem with this `number`.
    fn sample(family: ConceptFamily, d: usize, seed: u64, number: u64) -> Concept {
        let stream = RandomStream::new(seed, Purpose::Support, 0);
        let sign = |index| sign_of_bit(u64::from(stream.draw_u32(number, index)));
        match family {
            ConceptFamily::Dictator => {
                let bit = stream.draw_below(number, 0, u32::try_from(d).unwrap_or(1));
                Concept::Dictator { bit: usize::try_from(bit).unwrap_or(0) }
            }
            ConceptFamily::Parity => {
                Concept::Parity { bits: (0..).take(d).map(|bit| sign(bit) < 0).collect() }
            }
            ConceptFamily::HalfSpace => {
                let weight = |bit| f64::from(stream.draw_normal(number, bit));
                Concept::HalfSpace { weights: (0..).take(d).map(weight).collect() }
            }
            ConceptFamily::Constant => Concept::Constant { label: sign(0) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_compute_their_labels() {
        let x = [1, -1, -1];
        assert_eq!(Concept::Dictator { bit: 1 }.label(&x), -1);
        assert_eq!(Concept::Parity { bits: vec![true, true, false] }.label(&x), -1);
        assert_eq!(Concept::Parity { bits: vec![false, true, true] }.label(&x), 1);
        assert_eq!(Concept::Parity { bits: vec![false; 3] }.label(&x), 1);
        assert_eq!(Concept::HalfSpace { weights: vec![1.0, 0.5, 0.4] }.label(&x), 1);
        assert_eq!(Concept::HalfSpace { weights: vec![1.0, 0.5, 0.6] }.label(&x), -1);
        assert_eq!(Concept::HalfSpace { weights: vec![1.0, 0.5, 0.5] }.label(&x), 1);
        assert_eq!(Concept::Constant { label: -1 }.label(&x), -1);
        let families: Vec<(&str, &str)> =
            ConceptFamily::OPTIONS.iter().map(|one| (one.slug, one.label)).collect();
        let expected = [
            ("dictator", "One unknown bit"),
            ("parity", "Parity of unknown bits"),
            ("half-space", "Half-space"),
            ("constant", "Constant label"),
        ];
        assert_eq!(families, expected);
    }

    #[test]
    fn samples_have_the_stated_distributions() {
        for &family in ConceptFamily::ALL {
            // Once from 200 seeds, and once from 200 numbers of one seed.
            for numbers in [false, true] {
                let sampled = |at| {
                    let (seed, number) = if numbers { (4, at) } else { (at, 0) };
                    SampledProblem::new(family, 10, 20, 0.1, seed, number).unwrap()
                };
                let (mut flips, mut ones, mut minus) = (0, 0, 0);
                for sampled in (0..200).map(sampled) {
                    for ((x, y), flip) in sampled.data.examples().zip(&sampled.flipped) {
                        assert_eq!(y, sampled.concept.label(x) * if *flip { -1 } else { 1 });
                        flips += u32::from(*flip);
                        ones += x.iter().filter(|one| **one == 1).count();
                    }
                    minus += usize::from(sampled.concept.label(&sampled.test_input(0)) < 0);
                }
                // Five standard deviations: of 4,000 flips 95, of 40,000 inputs 500, of 200 labels 35.
                assert!((305..=495).contains(&flips), "{family:?} {flips}");
                assert!((19_500..=20_500).contains(&ones), "{family:?} {ones}");
                assert!((65..=135).contains(&minus), "{family:?} {minus}");
            }
        }
        let bits: Vec<usize> = (0..60)
            .filter_map(|number| {
                match SampledProblem::new(ConceptFamily::Dictator, 4, 1, 0.0, 9, number).unwrap().concept {
                    Concept::Dictator { bit } => Some(bit),
                    _ => None,
                }
            })
            .collect();
        assert!((0..4).all(|bit| bits.contains(&bit)) && bits.len() == 60);
    }

    #[test]
    fn samples_depend_only_on_seed_number_and_index() {
        let sampled =
            |seed, number| SampledProblem::new(ConceptFamily::Parity, 63, 100, 0.5, seed, number).unwrap();
        let one = sampled(5, 6);
        assert_eq!(one, sampled(5, 6));
        let mut inputs = one.data.inputs().to_vec();
        for other in [sampled(5, 7), sampled(6, 6), sampled(5, 6 | 1 << 40)] {
            assert!(other.concept != one.concept && other.flipped != one.flipped);
            inputs.extend_from_slice(other.data.inputs());
            inputs.extend((0..3).map(|index| other.test_input(index)));
        }
        inputs.extend([0, 1, 2, 99, 1 << 20, 1 << 31, 1 << 32, 3 << 40].map(|index| one.test_input(index)));
        let count = inputs.len();
        inputs.sort_unstable();
        inputs.dedup();
        assert_eq!((inputs.len(), count), (417, 417));
        let small = SampledProblem::new(ConceptFamily::Parity, 5, 100, 0.5, 5, 6).unwrap();
        assert_eq!(small.test_input(3), one.test_input(3)[..5]);
    }

    #[test]
    fn rank_is_the_rank_modulo_2() {
        let rank = |rows: &[&[i8]]| {
            let inputs: Vec<Vec<i8>> = rows.iter().map(|row| row.to_vec()).collect();
            Dataset::new(inputs, vec![1; rows.len()]).unwrap().rank()
        };
        assert_eq!(rank(&[&[1, 1]]), 0);
        assert_eq!(rank(&[&[-1, 1], &[-1, -1], &[1, -1]]), 2);
        assert_eq!(rank(&[&[-1, -1, 1], &[1, -1, -1], &[-1, 1, -1]]), 2);
        assert_eq!(rank(&[&[-1, -1, 1], &[1, -1, -1], &[-1, -1, -1]]), 3);
        assert_eq!(rank(&[&[1, 1, -1], &[1, -1, -1], &[1, 1, -1], &[-1, -1, -1]]), 3);
    }

    #[test]
    fn every_error_of_a_data_set_displays_as_a_sentence() {
        let new = |inputs: &[&[i8]], labels: &[i8]| {
            let inputs = inputs.iter().map(|x| x.to_vec()).collect();
            Dataset::new(inputs, labels.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(new(&[], &[]), "the number of inputs must be from 1 to 63, but it is 0");
        assert_eq!(new(&[&[1]], &[1, 1]), "each example needs one label (examples: 1, labels: 2)");
        assert_eq!(new(&[&[1, 1], &[1]], &[1, 1]), "wrong number of inputs in an example: 1 instead of 2");
        let value = "each input and each label must be 1 or -1, but one of them is";
        assert_eq!(new(&[&[1, 0]], &[1]), format!("{value} 0"));
        assert_eq!(new(&[&[1, 1]], &[2]), format!("{value} 2"));
        let sampled = |d, m, noise| {
            SampledProblem::new(ConceptFamily::Parity, d, m, noise, 0, 0).unwrap_err().to_string()
        };
        assert_eq!(sampled(64, 1, 0.0), "the number of inputs must be from 1 to 63, but it is 64");
        assert_eq!(
            sampled(usize::MAX, 1, 0.0),
            format!("the number of inputs must be from 1 to 63, but it is {}", u64::MAX)
        );
        assert_eq!(sampled(3, 0, 0.0), "the number of examples must be from 1 to 100, but it is 0");
        assert_eq!(sampled(3, 101, 0.0), "the number of examples must be from 1 to 100, but it is 101");
        let noise = "the label noise must be a probability from 0 to 0.5, but it is";
        assert_eq!(sampled(3, 3, 0.75), format!("{noise} 0.75"));
        assert_eq!(sampled(3, 3, -0.1), format!("{noise} -0.1"));
        assert_eq!(sampled(3, 3, f64::NAN), format!("{noise} NaN"));
    }
}
