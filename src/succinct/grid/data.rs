//! Data sets over {−1, 1}^d: a concept, m examples with noise on their labels, and test inputs, all from a seed.
//!
//! ```text
//! dictator     y = x_b for an unknown b
//! parity       y = Π_{b ∈ S} x_b for an unknown set S, each bit in it with probability ½
//! half-space   y = sign(w·x), w standard normal
//! constant     y = the same for every x
//! ```

use super::limits::{MOST_EXAMPLES, MOST_INPUTS};
use super::mistake::Mistake;
use crate::rng::{Purpose, Stream};

/// A family of concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// One input is the label.
    Dictator,
    /// The label is the product of some inputs.
    Parity,
    /// The label is the sign of a weighted sum.
    HalfSpace,
    /// The label is always the same.
    Constant,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 4] = [Family::Dictator, Family::Parity, Family::HalfSpace, Family::Constant];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Family::Dictator => tr!("Dictator"),
            Family::Parity => tr!("Parity of unknown bits"),
            Family::HalfSpace => tr!("Half-space"),
            Family::Constant => tr!("Constant"),
        }
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

/// 1 or −1 from a random word.
fn sign(word: u32) -> i8 {
    if word & 1 == 0 { 1 } else { -1 }
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

/// A concept and the draws of its data, all from one seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The concept.
    pub concept: Concept,
    /// The examples, with noise.
    pub data: Data,
    /// Which labels are wrong because of the noise.
    pub flipped: Vec<bool>,
    seed: u64,
}

impl Drawn {
    /// A concept of a family and m examples with d uniform inputs, of which each label is flipped with probability `noise`.
    ///
    /// # Errors
    /// Where d, m or the noise is outside its range.
    pub fn new(family: Family, d: usize, m: usize, noise: f64, seed: u64) -> Result<Drawn, Mistake> {
        check_sizes(d, m)?;
        if !(0.0..=1.0).contains(&noise) {
            return Err(Mistake::Noise { found: noise });
        }
        let concept = concept(family, d, seed);
        let (sample, flips) = (Stream::new(seed, Purpose::Sample, 0), Stream::new(seed, Purpose::Noise, 0));
        let inputs: Vec<Vec<i8>> = (0..).take(m).map(|example| input(&sample, example, d)).collect();
        let flipped: Vec<bool> = (0..).take(m).map(|example| flips.chance(0, example, noise)).collect();
        let label = |(x, flip): (&Vec<i8>, &bool)| if *flip { -concept.label(x) } else { concept.label(x) };
        let labels = inputs.iter().zip(&flipped).map(label).collect();
        let data = Data::new(inputs, labels)?;
        Ok(Drawn { concept, data, flipped, seed })
    }

    /// Test input number `index`, uniform and independent of the examples.
    pub fn query(&self, index: u64) -> Vec<i8> {
        input(&Stream::new(self.seed, Purpose::HeldOut, 0), index, self.data.d)
    }
}

fn input(stream: &Stream, example: u64, d: usize) -> Vec<i8> {
    (0..).take(d).map(|index| sign(stream.word(example, index))).collect()
}

fn concept(family: Family, d: usize, seed: u64) -> Concept {
    let stream = Stream::new(seed, Purpose::Support, 0);
    let weights = Stream::new(seed, Purpose::Weights, 0);
    match family {
        Family::Dictator => {
            let bit = stream.below(0, 0, u32::try_from(d).unwrap_or(1));
            Concept::Dictator { bit: usize::try_from(bit).unwrap_or(0) }
        }
        Family::Parity => {
            Concept::Parity { bits: (0..).take(d).map(|bit| sign(stream.word(0, bit)) < 0).collect() }
        }
        Family::HalfSpace => {
            Concept::HalfSpace { weights: (0..).take(d).map(|at| f64::from(weights.normal(0, at))).collect() }
        }
        Family::Constant => Concept::Constant { label: sign(stream.word(0, 0)) },
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
        assert_eq!(
            Family::ALL.map(Family::name),
            ["Dictator", "Parity of unknown bits", "Half-space", "Constant"]
        );
    }

    #[test]
    fn draws_have_the_distribution_that_they_should() {
        for family in Family::ALL {
            let (mut flips, mut ones, mut minus) = (0, 0, 0);
            for seed in 0..200 {
                let drawn = Drawn::new(family, 10, 20, 0.1, seed).unwrap();
                assert_eq!(drawn, Drawn::new(family, 10, 20, 0.1, seed).unwrap());
                for ((x, y), flip) in drawn.data.examples().zip(&drawn.flipped) {
                    assert_eq!(y, drawn.concept.label(x) * if *flip { -1 } else { 1 });
                    flips += u32::from(*flip);
                    ones += x.iter().filter(|one| **one == 1).count();
                }
                minus += usize::from(drawn.concept.label(&drawn.query(0)) < 0);
                assert_ne!(drawn.query(0), drawn.query(1));
            }
            // Five standard deviations: of 4,000 flips 95, of 40,000 inputs 500, of 200 labels 35.
            assert!((305..=495).contains(&flips), "{family:?} {flips}");
            assert!((19_500..=20_500).contains(&ones), "{family:?} {ones}");
            assert!((65..=135).contains(&minus), "{family:?} {minus}");
        }
        let bits: Vec<usize> = (0..60)
            .filter_map(|seed| match Drawn::new(Family::Dictator, 4, 1, 0.0, seed).unwrap().concept {
                Concept::Dictator { bit } => Some(bit),
                _ => None,
            })
            .collect();
        assert!((0..4).all(|bit| bits.contains(&bit)) && bits.len() == 60);
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
        assert_eq!(new(&[], &[]), "an example has from 1 to 63 inputs, not 0");
        assert_eq!(new(&[&[1]], &[1, 1]), "each example needs one label (examples: 1, labels: 2)");
        assert_eq!(new(&[&[1, 1], &[1]], &[1, 1]), "wrong number of inputs in an example: 1 instead of 2");
        assert_eq!(new(&[&[1, 0]], &[1]), "inputs and labels are 1 or -1, not 0");
        assert_eq!(new(&[&[1, 1]], &[2]), "inputs and labels are 1 or -1, not 2");
        let drawn = |d, m, noise| Drawn::new(Family::Parity, d, m, noise, 0).unwrap_err().to_string();
        assert_eq!(drawn(64, 1, 0.0), "an example has from 1 to 63 inputs, not 64");
        assert_eq!(
            drawn(usize::MAX, 1, 0.0),
            format!("an example has from 1 to 63 inputs, not {}", u64::MAX)
        );
        assert_eq!(drawn(3, 0, 0.0), "a data set has from 1 to 63 examples, not 0");
        assert_eq!(drawn(3, 64, 0.0), "a data set has from 1 to 63 examples, not 64");
        assert_eq!(drawn(3, 3, 1.5), "the label noise is a probability from 0 to 1, not 1.5");
        assert_eq!(drawn(3, 3, f64::NAN), "the label noise is a probability from 0 to 1, not NaN");
    }
}
