//! Data sets over {−1, 1}^d: a concept, m examples with noise on their labels, and test inputs, all from a seed and a number.
//!
//! ```text
//! dictator     y = x_b, b uniform
//! parity       y = Π_{b ∈ S} x_b for an unknown set S, each bit in it with probability ½
//! half-space   y = sign(w·x), w standard normal
//! constant     y = the same for every x, 1 or −1
//! ```
//!
//! # Why
//! Each number of a seed has its own concept, its own examples and its own test inputs. So accuracy over many numbers
//! measures a learning algorithm, not one classifier. With one constant for all of them, an algorithm that always answers 1
//! would be perfect. The label of a test input is never wrong: only examples have noise.

use super::limits::{MOST_EXAMPLES, MOST_INPUTS, MOST_NOISE};
use super::mistake::Mistake;
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, Stream};

choices! {
    /// A family of concepts.
    pub enum Family {
        /// One input is the label.
        Dictator = "dictator", "One unknown bit";
        /// The label is the product of some inputs.
        Parity = "parity", "Parity of unknown bits";
        /// The label is the sign of a weighted sum.
        HalfSpace = "half-space", "Half-space";
        /// The label is always the same.
        Constant = "constant", "Constant label";
    }
}

/// What labels are without noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Concept {
    /// y = x_b.
    Dictator {
        /// b, from 0.
        bit: usize,
    },
    /// y = the product of these inputs.
    Parity {
        /// Which inputs enter.
        bits: Vec<bool>,
    },
    /// y = sign(w·x), 1 at 0.
    HalfSpace {
        /// w.
        weights: Vec<f64>,
    },
    /// y = the same for every x.
    Constant {
        /// 1 or −1.
        label: i8,
    },
}

impl Concept {
    /// The label of an input.
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

/// m examples of d inputs, each 1 or −1, with labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    d: usize,
    inputs: Vec<Vec<i8>>,
    labels: Vec<i8>,
}

impl Data {
    /// These examples.
    ///
    /// # Errors
    /// Where there are none or too many, where lengths differ, or where a number is neither 1 nor −1.
    pub fn new(inputs: Vec<Vec<i8>>, labels: Vec<i8>) -> Result<Data, Mistake> {
        let d = inputs.first().map_or(0, Vec::len);
        check_sizes(d, inputs.len())?;
        if inputs.len() != labels.len() {
            return Err(Mistake::Labels { labels: labels.len(), examples: inputs.len() });
        }
        for x in &inputs {
            check_input(d, x)?;
        }
        check_input(labels.len(), &labels)?;
        Ok(Data { d, inputs, labels })
    }

    /// Inputs d of an example.
    pub fn d(&self) -> usize {
        self.d
    }

    /// Examples m.
    pub fn m(&self) -> usize {
        self.inputs.len()
    }

    /// The inputs x of each example.
    pub fn inputs(&self) -> &[Vec<i8>] {
        &self.inputs
    }

    /// The labels y.
    pub fn labels(&self) -> &[i8] {
        &self.labels
    }

    /// The examples (x, y) in their order.
    pub fn examples(&self) -> impl Iterator<Item = (&[i8], i8)> {
        self.inputs.iter().map(Vec::as_slice).zip(self.labels.iter().copied())
    }

    /// The rank of the inputs as bits (−1 is 1) modulo 2; at rank d the examples determine every parity.
    pub fn rank(&self) -> usize {
        let bits = |x: &Vec<i8>| x.iter().fold(0u64, |word, one| word << 1 | u64::from(*one < 0));
        let mut pivots: Vec<u64> = Vec::new();
        for row in self.inputs.iter().map(bits) {
            // The smaller of row and row ⊕ pivot lacks the pivot's highest bit.
            let rest = pivots.iter().fold(row, |row, pivot| row.min(row ^ pivot));
            if rest != 0 {
                pivots.push(rest);
                pivots.sort_unstable_by(|a, b| b.cmp(a));
            }
        }
        pivots.len()
    }
}

/// Whether a data set may have d inputs and m examples, with this noise.
pub(super) fn check_draw(d: usize, m: usize, noise: f64) -> Result<(), Mistake> {
    check_sizes(d, m)?;
    if !(0.0..=MOST_NOISE).contains(&noise) {
        return Err(Mistake::Noise { found: noise });
    }
    Ok(())
}

/// Whether a data set may have d inputs and m examples.
pub(super) fn check_sizes(d: usize, m: usize) -> Result<(), Mistake> {
    if !(1..=MOST_INPUTS).contains(&d) {
        return Err(Mistake::Inputs { found: u64::try_from(d).unwrap_or(u64::MAX) });
    }
    if !(1..=MOST_EXAMPLES).contains(&m) {
        return Err(Mistake::Examples { found: u64::try_from(m).unwrap_or(u64::MAX) });
    }
    Ok(())
}

/// Whether an input has d entries, each 1 or −1.
pub(super) fn check_input(d: usize, x: &[i8]) -> Result<(), Mistake> {
    if x.len() != d {
        return Err(Mistake::Length { found: x.len(), wanted: d });
    }
    match x.iter().find(|one| one.unsigned_abs() != 1) {
        Some(found) => Err(Mistake::Value { found: *found }),
        None => Ok(()),
    }
}

/// A concept and the draws of its data, all from one seed and one number.
///
/// ```
/// use vivarium_science::succinct::{Drawn, Family};
/// let drawn = Drawn::new(Family::HalfSpace, 5, 20, 0.0, 1, 7).unwrap();
/// assert!(drawn.data.examples().all(|(x, y)| y == drawn.concept.label(x)));
/// assert_eq!(drawn.query(0).len(), 5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The concept.
    pub concept: Concept,
    /// The examples, with noise.
    pub data: Data,
    /// Which labels are wrong because of the noise.
    pub flipped: Vec<bool>,
    seed: u64,
    number: u64,
}

impl Drawn {
    /// A concept of a family and m examples with d uniform inputs, of which each label is flipped with probability `noise`.
    /// Two numbers of one seed have nothing in common, nor have two seeds.
    ///
    /// # Errors
    /// Where d, m or the noise is outside its range.
    pub fn new(
        family: Family,
        d: usize,
        m: usize,
        noise: f64,
        seed: u64,
        number: u64,
    ) -> Result<Drawn, Mistake> {
        check_draw(d, m, noise)?;
        Ok(Drawn::of(family, [d, m], noise, seed, number))
    }

    /// The same for d, m and a noise that [`check_draw`] lets pass.
    pub(super) fn of(family: Family, [d, m]: [usize; 2], noise: f64, seed: u64, number: u64) -> Drawn {
        let concept = Concept::drawn(family, d, seed, number);
        let flips = Stream::new(seed, Purpose::Noise, 0);
        let inputs: Vec<Vec<i8>> =
            (0..).take(m).map(|example| input(seed, Purpose::Sample, number, example, d)).collect();
        let flipped: Vec<bool> = (0..).take(m).map(|example| flips.chance(number, example, noise)).collect();
        let label = |(x, flip): (&Vec<i8>, &bool)| if *flip { -concept.label(x) } else { concept.label(x) };
        let labels = inputs.iter().zip(&flipped).map(label).collect();
        Drawn { concept, data: Data { d, inputs, labels }, flipped, seed, number }
    }

    /// Test input number `index`, uniform and independent of the examples; each index below 2⁶³ has draws of its own.
    pub fn query(&self, index: u64) -> Vec<i8> {
        input(self.seed, Purpose::HeldOut, self.number, index, self.data.d)
    }
}

/// d random inputs.
fn input(seed: u64, purpose: Purpose, number: u64, index: u64, d: usize) -> Vec<i8> {
    // Two words hold the bits of an input; a replica has room for 2³¹ of them.
    let stream = Stream::new(seed, purpose, (index >> 31) as u32);
    let first = 2 * (index & 0x7fff_ffff) as u32;
    let bits = u64::from(stream.word(number, first)) | u64::from(stream.word(number, first + 1)) << 32;
    (0..d).map(|at| sign(bits >> at)).collect()
}

/// 1 or −1 by the lowest bit.
fn sign(word: u64) -> i8 {
    if word & 1 == 0 { 1 } else { -1 }
}

impl Concept {
    /// The concept of a family for d inputs.
    fn drawn(family: Family, d: usize, seed: u64, number: u64) -> Concept {
        let stream = Stream::new(seed, Purpose::Support, 0);
        let sign = |index| sign(u64::from(stream.word(number, index)));
        match family {
            Family::Dictator => {
                let bit = stream.below(number, 0, u32::try_from(d).unwrap_or(1));
                Concept::Dictator { bit: usize::try_from(bit).unwrap_or(0) }
            }
            Family::Parity => Concept::Parity { bits: (0..).take(d).map(|bit| sign(bit) < 0).collect() },
            Family::HalfSpace => {
                let weight = |bit| f64::from(stream.normal(number, bit));
                Concept::HalfSpace { weights: (0..).take(d).map(weight).collect() }
            }
            Family::Constant => Concept::Constant { label: sign(0) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_label_as_they_say() {
        let x = [1, -1, -1];
        assert_eq!(Concept::Dictator { bit: 1 }.label(&x), -1);
        assert_eq!(Concept::Parity { bits: vec![true, true, false] }.label(&x), -1);
        assert_eq!(Concept::Parity { bits: vec![false, true, true] }.label(&x), 1);
        assert_eq!(Concept::Parity { bits: vec![false; 3] }.label(&x), 1);
        assert_eq!(Concept::HalfSpace { weights: vec![1.0, 0.5, 0.4] }.label(&x), 1);
        assert_eq!(Concept::HalfSpace { weights: vec![1.0, 0.5, 0.6] }.label(&x), -1);
        assert_eq!(Concept::HalfSpace { weights: vec![1.0, 0.5, 0.5] }.label(&x), 1);
        assert_eq!(Concept::Constant { label: -1 }.label(&x), -1);
        let families: Vec<(&str, &str)> = Family::OPTIONS.iter().map(|one| (one.slug, one.label)).collect();
        let expected = [
            ("dictator", "One unknown bit"),
            ("parity", "Parity of unknown bits"),
            ("half-space", "Half-space"),
            ("constant", "Constant label"),
        ];
        assert_eq!(families, expected);
    }

    #[test]
    fn draws_have_the_distribution_that_they_should() {
        for &family in Family::ALL {
            // Once from 200 seeds, and once from 200 numbers of one seed.
            for numbers in [false, true] {
                let drawn = |at| {
                    let (seed, number) = if numbers { (4, at) } else { (at, 0) };
                    Drawn::new(family, 10, 20, 0.1, seed, number).unwrap()
                };
                let (mut flips, mut ones, mut minus) = (0, 0, 0);
                for drawn in (0..200).map(drawn) {
                    for ((x, y), flip) in drawn.data.examples().zip(&drawn.flipped) {
                        assert_eq!(y, drawn.concept.label(x) * if *flip { -1 } else { 1 });
                        flips += u32::from(*flip);
                        ones += x.iter().filter(|one| **one == 1).count();
                    }
                    minus += usize::from(drawn.concept.label(&drawn.query(0)) < 0);
                }
                // Five standard deviations: of 4,000 flips 95, of 40,000 inputs 500, of 200 labels 35.
                assert!((305..=495).contains(&flips), "{family:?} {flips}");
                assert!((19_500..=20_500).contains(&ones), "{family:?} {ones}");
                assert!((65..=135).contains(&minus), "{family:?} {minus}");
            }
        }
        let bits: Vec<usize> = (0..60)
            .filter_map(|number| match Drawn::new(Family::Dictator, 4, 1, 0.0, 9, number).unwrap().concept {
                Concept::Dictator { bit } => Some(bit),
                _ => None,
            })
            .collect();
        assert!((0..4).all(|bit| bits.contains(&bit)) && bits.len() == 60);
    }

    #[test]
    fn seed_number_and_index_are_all_that_a_draw_depends_on() {
        let drawn = |seed, number| Drawn::new(Family::Parity, 63, 100, 0.5, seed, number).unwrap();
        let one = drawn(5, 6);
        assert_eq!(one, drawn(5, 6));
        let mut inputs = one.data.inputs().to_vec();
        for other in [drawn(5, 7), drawn(6, 6), drawn(5, 6 | 1 << 40)] {
            assert!(other.concept != one.concept && other.flipped != one.flipped);
            inputs.extend_from_slice(other.data.inputs());
            inputs.extend((0..3).map(|index| other.query(index)));
        }
        inputs.extend([0, 1, 2, 99, 1 << 20, 1 << 31, 1 << 32, 3 << 40].map(|index| one.query(index)));
        let count = inputs.len();
        inputs.sort_unstable();
        inputs.dedup();
        assert_eq!((inputs.len(), count), (417, 417));
        let small = Drawn::new(Family::Parity, 5, 100, 0.5, 5, 6).unwrap();
        assert_eq!(small.query(3), one.query(3)[..5]);
    }

    #[test]
    fn rank_is_that_of_the_bits() {
        let rank = |rows: &[&[i8]]| {
            let inputs: Vec<Vec<i8>> = rows.iter().map(|row| row.to_vec()).collect();
            Data::new(inputs, vec![1; rows.len()]).unwrap().rank()
        };
        assert_eq!(rank(&[&[1, 1]]), 0);
        assert_eq!(rank(&[&[-1, 1], &[-1, -1], &[1, -1]]), 2);
        assert_eq!(rank(&[&[-1, -1, 1], &[1, -1, -1], &[-1, 1, -1]]), 2);
        assert_eq!(rank(&[&[-1, -1, 1], &[1, -1, -1], &[-1, -1, -1]]), 3);
        assert_eq!(rank(&[&[1, 1, -1], &[1, -1, -1], &[1, 1, -1], &[-1, -1, -1]]), 3);
    }

    #[test]
    fn every_mistake_of_a_data_set_has_its_sentence() {
        let new = |inputs: &[&[i8]], labels: &[i8]| {
            let inputs = inputs.iter().map(|x| x.to_vec()).collect();
            Data::new(inputs, labels.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(new(&[], &[]), "the number of inputs must be from 1 to 63, but it is 0");
        assert_eq!(new(&[&[1]], &[1, 1]), "each example needs one label (examples: 1, labels: 2)");
        assert_eq!(new(&[&[1, 1], &[1]], &[1, 1]), "wrong number of inputs in an example: 1 instead of 2");
        let value = "each input and each label must be 1 or -1, but one of them is";
        assert_eq!(new(&[&[1, 0]], &[1]), format!("{value} 0"));
        assert_eq!(new(&[&[1, 1]], &[2]), format!("{value} 2"));
        let drawn = |d, m, noise| Drawn::new(Family::Parity, d, m, noise, 0, 0).unwrap_err().to_string();
        assert_eq!(drawn(64, 1, 0.0), "the number of inputs must be from 1 to 63, but it is 64");
        assert_eq!(
            drawn(usize::MAX, 1, 0.0),
            format!("the number of inputs must be from 1 to 63, but it is {}", u64::MAX)
        );
        assert_eq!(drawn(3, 0, 0.0), "the number of examples must be from 1 to 100, but it is 0");
        assert_eq!(drawn(3, 101, 0.0), "the number of examples must be from 1 to 100, but it is 101");
        let noise = "the label noise must be a probability from 0 to 0.5, but it is";
        assert_eq!(drawn(3, 3, 0.75), format!("{noise} 0.75"));
        assert_eq!(drawn(3, 3, -0.1), format!("{noise} -0.1"));
        assert_eq!(drawn(3, 3, f64::NAN), format!("{noise} NaN"));
    }
}
