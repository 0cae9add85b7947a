//! The construction's matrices as data: their sizes before anything is built, noise on them, and other values in their place.
//!
//! # Noise
//! Noise is added to every weight and bias of the blocks, K₀ and V₀ among them, those that are 0 as well. The
//! encoder, positions, h₀, θ_cls and rounding have none. Draw number k of tensor number n is `Stream::normal(n, k)` of
//! [`PURPOSE`](super::PURPOSE), in the order of [`Construction::tensors`]. A sum is rounded to single precision, so that a
//! file in single precision holds the very numbers that are executed.

use super::attention::Attention;
use super::construction::{Block, Construction, PURPOSE};
use super::layout::Layout;
use super::phase::Phase;
use vivarium_core::rng::Stream;

/// The name and the sizes of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// "search.2.own.query.weight".
    pub name: String,
    /// Rows; the length of a vector.
    pub rows: usize,
    /// Columns; none for a vector.
    pub columns: Option<usize>,
}

impl Shape {
    /// How many numbers it holds.
    pub fn len(&self) -> u64 {
        (self.rows as u64).saturating_mul(self.columns.unwrap_or(1) as u64)
    }

    /// Whether it holds no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A part of a block.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The attention of this name.
    Attention(&'static str),
    /// The layer of this number.
    Layer(usize),
}

/// What a construction and its run take, from the sizes of the machine alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    states: usize,
    symbols: usize,
    bits: usize,
}

impl Sizes {
    /// Of a machine with so many states and symbols, whose positions have so many bits.
    pub fn new(states: usize, symbols: usize, bits: u32) -> Self {
        Sizes { states, symbols, bits: bits as usize }
    }

    /// Numbers of a token.
    pub fn width(&self) -> usize {
        Layout::new(self.states, self.symbols, self.bits).width()
    }

    /// Blocks, bits + 4.
    pub fn blocks(&self) -> usize {
        self.bits + 4
    }

    /// Rows of the keys of each block's attention over the past.
    fn keys(&self) -> impl Iterator<Item = usize> + use<> {
        let bits = self.bits;
        let searches = (0..bits).map(move |round| bits + round + 2);
        [bits + 1].into_iter().chain(searches).chain([2 * bits + 1])
    }

    /// All matrices and vectors, in the order of [`Construction::tensors`].
    pub fn shapes(&self) -> Vec<Shape> {
        let mut all = vec![];
        self.each(|phase, part, name, rows, columns| {
            let key = phase.key();
            let name = match part {
                Part::Attention(attention) => format!("{key}.{attention}.{name}"),
                Part::Layer(number) => format!("{key}.layers.{number}.{name}"),
            };
            all.push(Shape { name, rows, columns });
        });
        all
    }

    /// Hands over each of them: its block, the part of the block, its name there, its rows, and its columns unless it is a
    /// vector. To count them needs no names, and a sweep counts them for each of its runs.
    fn each(&self, mut one: impl FnMut(Phase, Part, &'static str, usize, Option<usize>)) {
        let (width, bits) = (self.width(), self.bits);
        let mut keys = self.keys();
        for phase in Phase::all(bits) {
            let mut attend = |name: &'static str, rows: usize| {
                let matrices = [
                    ("query.weight", rows, Some(width)),
                    ("query.bias", rows, None),
                    ("key.weight", rows, Some(width)),
                    ("key.bias", rows, None),
                    ("null_key", rows, None),
                    ("value.weight", width, Some(width)),
                    ("value.bias", width, None),
                    ("null_value", width, None),
                ];
                for (own, rows, columns) in matrices {
                    one(phase, Part::Attention(name), own, rows, columns);
                }
            };
            let hidden = match phase {
                Phase::Apply => width + self.states * self.symbols,
                Phase::Move => width + 2 * bits,
                Phase::Fetch => width + 2 * self.symbols + 1,
                Phase::Visited | Phase::Search(_) => width,
            };
            let layers: &[(usize, usize)] = match phase {
                Phase::Move => &[(hidden, width), (hidden, hidden), (width, hidden)],
                Phase::Apply | Phase::Fetch => &[(hidden, width), (width, hidden)],
                Phase::Visited | Phase::Search(_) => &[(width, width)],
            };
            if !matches!(phase, Phase::Apply | Phase::Move) {
                attend("own", keys.next().unwrap_or_default());
            }
            if phase == Phase::Fetch {
                attend("input", bits + 1);
            }
            for (at, (rows, columns)) in layers.iter().enumerate() {
                one(phase, Part::Layer(at), "weight", *rows, Some(*columns));
                one(phase, Part::Layer(at), "bias", *rows, None);
            }
        }
    }

    /// Weights and biases.
    pub fn parameters(&self) -> u64 {
        let mut all = 0u64;
        self.each(|_, _, _, rows, columns| {
            all = all.saturating_add((rows as u64).saturating_mul(columns.unwrap_or(1) as u64));
        });
        all
    }

    /// Weights and biases that are not 0, roughly.
    fn entries(&self) -> u64 {
        (3 * self.width() * self.blocks() + 8 * self.states * self.symbols) as u64
    }

    /// Multiplications of the scores of one past token, in all blocks together.
    pub fn scores(&self) -> u64 {
        self.keys().sum::<usize>() as u64
    }

    /// Multiplications of so many steps with an input of this length, roughly; with noise no weight is 0.
    pub fn operations(&self, steps: usize, input: usize, is_noisy: bool) -> u64 {
        let (steps, token) = (steps as u64, if is_noisy { self.parameters() } else { self.entries() });
        let past = self.scores().saturating_mul(steps).saturating_mul(steps.saturating_add(1)) / 2;
        let given = (self.bits as u64 + 1).saturating_mul(input as u64).saturating_mul(steps);
        token.saturating_mul(steps).saturating_add(past).saturating_add(given)
    }

    /// Numbers in double precision that are kept of each step: keys, values and the output.
    pub fn kept(&self, is_noisy: bool) -> u64 {
        let width = self.width() as u64;
        let attentions = self.bits as u64 + 2;
        let values = if is_noisy { width * attentions } else { attentions + self.symbols as u64 };
        self.scores() + values + width
    }
}

/// A construction to which noise is added, block by block.
#[derive(Debug, Clone)]
pub struct Noising {
    construction: Construction,
    sigma: f64,
    stream: Stream,
    block: usize,
    tensor: u64,
}

impl Noising {
    /// Noise of standard deviation `sigma`, that of replica number `replica`.
    pub fn new(construction: Construction, sigma: f64, seed: u64, replica: u32) -> Self {
        Noising { construction, sigma, stream: Stream::new(seed, PURPOSE, replica), block: 0, tensor: 0 }
    }

    /// Adds noise to one more block, and gives how many numbers that were; none where all blocks have theirs.
    pub fn go_on(&mut self) -> Option<u64> {
        let Noising { construction, sigma, stream, block, tensor } = self;
        let next_block = construction.blocks.get_mut(*block).filter(|_| *sigma != 0.0)?;
        *block += 1;
        construction.is_noisy = true;
        let mut count = 0;
        replace(next_block, &mut |index, value| {
            if index == 0 {
                *tensor += 1;
            }
            count += 1;
            let draw = f64::from(stream.normal(*tensor - 1, index as u32));
            f64::from((value + *sigma * draw) as f32)
        });
        Some(count)
    }

    /// The construction, with the noise that was added.
    pub fn done(self) -> Construction {
        self.construction
    }
}

/// Replaces every number of a block by what `change` makes of its place in its tensor and its value, tensor by tensor.
fn replace(block: &mut Block, change: &mut dyn FnMut(usize, f64) -> f64) {
    let vector = |numbers: &mut Vec<f64>, change: &mut dyn FnMut(usize, f64) -> f64| {
        numbers.iter_mut().enumerate().for_each(|(i, x)| *x = change(i, *x));
    };
    for attention in block.own.iter_mut().chain(&mut block.input) {
        let Attention { query, key, null_key, value, null_value } = attention;
        query.change(change);
        key.change(change);
        vector(null_key, change);
        value.change(change);
        vector(null_value, change);
    }
    block.layers.iter_mut().for_each(|layer| layer.change(change));
}

impl Construction {
    /// The same with Gaussian noise of this standard deviation on every weight and bias.
    pub fn noisy(self, sigma: f64, seed: u64, replica: u32) -> Self {
        let mut noising = Noising::new(self, sigma, seed, replica);
        while noising.go_on().is_some() {}
        noising.done()
    }

    /// The same with other values in every tensor, in the order of [`Construction::tensors`]: those of a file. Without a
    /// value a number stays as it is.
    pub fn with(mut self, tensors: &[&[f32]]) -> Self {
        let (mut tensor, mut is_other) = (0, false);
        for block in &mut self.blocks {
            replace(block, &mut |index, value| {
                if index == 0 {
                    tensor += 1;
                }
                let given = tensors.get(tensor - 1).and_then(|values| values.get(index));
                let given = given.map_or(value, |value| f64::from(*value));
                is_other |= given != value;
                given
            });
        }
        self.is_noisy |= is_other;
        self
    }

    /// What it consists of, in sizes alone.
    pub fn sizes(&self) -> Sizes {
        use super::layout::Group;
        let size = |group| self.layout().group(group).len();
        Sizes { states: size(Group::State), symbols: size(Group::Symbol), bits: self.layout().bits() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::library::EXAMPLES;

    #[test]
    fn sizes_are_those_of_what_is_built() {
        for example in &EXAMPLES {
            let machine = example.machine().unwrap();
            for bits in [1, 5, 7] {
                let built = Construction::new(&machine, bits).unwrap();
                let sizes = Sizes::new(machine.states().len(), machine.symbols().len(), bits);
                let found: Vec<Shape> = built
                    .tensors()
                    .map(|tensor| Shape { name: tensor.name, rows: tensor.rows, columns: tensor.columns })
                    .collect();
                assert_eq!(sizes.shapes(), found);
                assert_eq!((sizes, built.counts().parameters), (built.sizes(), sizes.parameters()));
                let noisy = built.clone().noisy(1e-3, 0, 0);
                for (one, is_noisy) in [(&built, false), (&noisy, true)] {
                    let cost = one.cost(50, 4);
                    let operations = sizes.operations(50, 4, is_noisy);
                    assert!(operations >= cost.operations * 9 / 10 && operations <= 2 * cost.operations);
                    let bytes = 8 * 50 * sizes.kept(is_noisy);
                    assert!(bytes >= cost.bytes && bytes <= 2 * cost.bytes, "{bytes} {cost:?}");
                }
            }
        }
        assert!(Sizes::new(24, 8, 15).operations(usize::MAX, usize::MAX, true) == u64::MAX);
    }

    #[test]
    fn values_of_a_file_are_those_that_are_executed() {
        let machine = EXAMPLES[0].machine().unwrap();
        let plain = Construction::new(&machine, 4).unwrap();
        let noisy = plain.clone().noisy(0.02, 3, 1);
        let tensors: Vec<Vec<f32>> =
            noisy.tensors().map(|tensor| tensor.values.iter().map(|x| *x as f32).collect()).collect();
        let parts: Vec<&[f32]> = tensors.iter().map(Vec::as_slice).collect();
        assert_eq!(plain.clone().with(&parts), noisy);
        assert_eq!(noisy.with(&[]), plain.clone().with(&parts));
        let exact: Vec<Vec<f32>> =
            plain.tensors().map(|tensor| tensor.values.iter().map(|x| *x as f32).collect()).collect();
        let exact: Vec<&[f32]> = exact.iter().map(Vec::as_slice).collect();
        assert_eq!(plain.clone().with(&exact), plain);
    }
}
