//! Sizes of the weight matrices before they are built, noise on the weights, and replacing the weights by those of a file.
//!
//! # Noise
//! Noise is added to every weight and bias of the blocks, including K₀, V₀ and those that are 0. The encoder, position
//! encodings, h₀, θ_cls and rounding have no noise. Draw number k of tensor number n is `Stream::normal(n, k)` of
//! [`NOISE_PURPOSE`], in the order of [`Construction::tensors`]. The sum is rounded to single precision,
//! so that files in single precision contain exactly the executed weights.

use super::attention::Attention;
use super::block_kind::BlockKind;
use super::construction::{Construction, NOISE_PURPOSE, TransformerBlock};
use super::layout::ResidualLayout;
use vivarium_core::rng::RandomStream;

/// Name and shape of a weight tensor of the transformer, without its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorShape {
    /// Permanent name, for example `search.2.own.query.weight`.
    pub name: String,
    /// Number of rows of a matrix; length of a vector.
    pub rows: usize,
    /// Number of columns; `None` for a vector.
    pub columns: Option<usize>,
}

impl TensorShape {
    /// Number of values of the tensor: the product of its dimensions.
    pub fn len(&self) -> u64 {
        (self.rows as u64).saturating_mul(self.columns.unwrap_or(1) as u64)
    }

    /// Whether the tensor has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Part of a transformer block to which a weight tensor belongs.
#[derive(Debug, Clone, Copy)]
enum BlockPart {
    /// The attention with this name: `own` or `input`.
    Attention(&'static str),
    /// The ReLU layer with this index.
    Layer(usize),
}

/// Sizes and costs of a transformer that runs a machine, computed from the numbers of states, symbols and bits of a
/// position alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstructionSizes {
    /// Number of states of the machine that the transformer runs.
    states: usize,
    /// Number of tape symbols of the machine that the transformer runs, including the blank.
    symbols: usize,
    /// Number of bits of a position, that is, of cell and step numbers.
    bits: usize,
}

impl ConstructionSizes {
    /// Sizes for a machine with these numbers of states and symbols, and positions of `bits` bits.
    pub fn new(states: usize, symbols: usize, bits: u32) -> Self {
        ConstructionSizes { states, symbols, bits: bits as usize }
    }

    /// Width of a token of the transformer: number of its coordinates.
    pub fn width(&self) -> usize {
        ResidualLayout::new(self.states, self.symbols, self.bits).width()
    }

    /// Number of blocks of the transformer: bits + 4.
    pub fn blocks(&self) -> usize {
        self.bits + 4
    }

    /// Key dimension of the self-attention, for each block that has self-attention.
    fn key_dimensions(&self) -> impl Iterator<Item = usize> + use<> {
        let bits = self.bits;
        let searches = (0..bits).map(move |round| bits + round + 2);
        [bits + 1].into_iter().chain(searches).chain([2 * bits + 1])
    }

    /// Names and shapes of all tensors, in the order of [`Construction::tensors`].
    pub fn tensor_shapes(&self) -> Vec<TensorShape> {
        let mut all = vec![];
        self.for_each_tensor(|phase, part, name, rows, columns| {
            let key = phase.tensor_prefix();
            let name = match part {
                BlockPart::Attention(attention) => format!("{key}.{attention}.{name}"),
                BlockPart::Layer(number) => format!("{key}.layers.{number}.{name}"),
            };
            all.push(TensorShape { name, rows, columns });
        });
        all
    }

    /// Calls `one` for each tensor with its block, part of the block, name within the part, rows and columns (`None` for a
    /// vector).
    ///
    /// Counting needs no allocated names, and a sweep counts the parameters of each of its runs.
    fn for_each_tensor(&self, mut one: impl FnMut(BlockKind, BlockPart, &'static str, usize, Option<usize>)) {
        let (width, bits) = (self.width(), self.bits);
        let mut keys = self.key_dimensions();
        for phase in BlockKind::sequence(bits) {
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
                    one(phase, BlockPart::Attention(name), own, rows, columns);
                }
            };
            let hidden = match phase {
                BlockKind::Apply => width + self.states * self.symbols,
                BlockKind::Move => width + 2 * bits,
                BlockKind::Fetch => width + 2 * self.symbols + 1,
                BlockKind::Visited | BlockKind::Search(_) => width,
            };
            let layers: &[(usize, usize)] = match phase {
                BlockKind::Move => &[(hidden, width), (hidden, hidden), (width, hidden)],
                BlockKind::Apply | BlockKind::Fetch => &[(hidden, width), (width, hidden)],
                BlockKind::Visited | BlockKind::Search(_) => &[(width, width)],
            };
            if !matches!(phase, BlockKind::Apply | BlockKind::Move) {
                attend("own", keys.next().unwrap_or_default());
            }
            if phase == BlockKind::Fetch {
                attend("input", bits + 1);
            }
            for (at, (rows, columns)) in layers.iter().enumerate() {
                one(phase, BlockPart::Layer(at), "weight", *rows, Some(*columns));
                one(phase, BlockPart::Layer(at), "bias", *rows, None);
            }
        }
    }

    /// Number of weights and biases of all blocks of the transformer, zeros included.
    pub fn parameter_count(&self) -> u64 {
        let mut all = 0u64;
        self.for_each_tensor(|_, _, _, rows, columns| {
            all = all.saturating_add((rows as u64).saturating_mul(columns.unwrap_or(1) as u64));
        });
        all
    }

    /// Approximate number of weights and biases of all blocks that are not 0.
    fn estimated_nonzeros(&self) -> u64 {
        (3 * self.width() * self.blocks() + 8 * self.states * self.symbols) as u64
    }

    /// Number of multiplications by which one token computes its self-attention scores for one past token, in all
    /// blocks together.
    pub fn score_multiplications(&self) -> u64 {
        self.key_dimensions().sum::<usize>() as u64
    }

    /// Approximate number of multiplications of `steps` steps with an input of `input` symbols; `is_noisy` says
    /// whether noise has made all weights other than 0.
    pub fn estimated_multiplications(&self, steps: usize, input: usize, is_noisy: bool) -> u64 {
        let (steps, token) =
            (steps as u64, if is_noisy { self.parameter_count() } else { self.estimated_nonzeros() });
        let past =
            self.score_multiplications().saturating_mul(steps).saturating_mul(steps.saturating_add(1)) / 2;
        let given = (self.bits as u64 + 1).saturating_mul(input as u64).saturating_mul(steps);
        token.saturating_mul(steps).saturating_add(past).saturating_add(given)
    }

    /// Number of cached double-precision numbers per step: keys, values and the output; `is_noisy` says whether
    /// noise has made all weights other than 0.
    pub fn cached_numbers(&self, is_noisy: bool) -> u64 {
        let width = self.width() as u64;
        let attentions = self.bits as u64 + 2;
        let values = if is_noisy { width * attentions } else { attentions + self.symbols as u64 };
        self.score_multiplications() + values + width
    }
}

/// Adds noise to the weights of a construction, block by block.
#[derive(Debug, Clone)]
pub struct NoiseAdder {
    /// The construction whose first blocks already have noise: those before `block`.
    construction: Construction,
    /// Standard deviation of the Gaussian noise that is added to each weight and bias.
    sigma: f64,
    /// Random stream of the noise for one replica.
    stream: RandomStream,
    /// Index, from 0, of the block to which noise is added next.
    block: usize,
    /// Index of the weight tensor to which noise is added next, which selects its random numbers.
    tensor: u64,
}

impl NoiseAdder {
    /// Prepares Gaussian noise of standard deviation `sigma` with the random stream of a replica.
    pub fn new(construction: Construction, sigma: f64, seed: u64, replica: u32) -> Self {
        NoiseAdder {
            construction,
            sigma,
            stream: RandomStream::new(seed, NOISE_PURPOSE, replica),
            block: 0,
            tensor: 0,
        }
    }

    /// Adds noise to the next block and returns the number of parameters of the block; `None`, without a change,
    /// after the last block.
    pub fn add_to_next_block(&mut self) -> Option<u64> {
        let NoiseAdder { construction, sigma, stream, block, tensor } = self;
        let next_block = construction.blocks.get_mut(*block).filter(|_| *sigma != 0.0)?;
        *block += 1;
        construction.is_noisy = true;
        let mut count = 0;
        map_block(next_block, &mut |index, value| {
            if index == 0 {
                *tensor += 1;
            }
            count += 1;
            let draw = f64::from(stream.draw_normal(*tensor - 1, index as u32));
            f64::from((value + *sigma * draw) as f32)
        });
        Some(count)
    }

    /// Returns the construction with the noise added so far.
    pub fn into_construction(self) -> Construction {
        self.construction
    }
}

/// Replaces every parameter of a block by `change(index, value)`, tensor by tensor in the order of
/// [`Construction::tensors`]; the index is that of the entry within its tensor, from 0.
fn map_block(block: &mut TransformerBlock, change: &mut dyn FnMut(usize, f64) -> f64) {
    let vector = |numbers: &mut Vec<f64>, change: &mut dyn FnMut(usize, f64) -> f64| {
        numbers.iter_mut().enumerate().for_each(|(i, x)| *x = change(i, *x));
    };
    for attention in block.self_attention.iter_mut().chain(&mut block.cross_attention) {
        let Attention { query, key, null_key, value, null_value } = attention;
        query.map_parameters(change);
        key.map_parameters(change);
        vector(null_key, change);
        value.map_parameters(change);
        vector(null_value, change);
    }
    block.layers.iter_mut().for_each(|layer| layer.map_parameters(change));
}

impl Construction {
    /// Adds Gaussian noise of standard deviation `sigma` to every weight and bias of the blocks; `seed` and
    /// `replica` select the random numbers.
    pub fn with_noise(self, sigma: f64, seed: u64, replica: u32) -> Self {
        let mut noising = NoiseAdder::new(self, sigma, seed, replica);
        while noising.add_to_next_block().is_some() {}
        noising.into_construction()
    }

    /// Replaces the weights of the blocks by those of a file: entry i of `tensors` has the values of tensor i in
    /// the order of [`Construction::tensors`]. Weights without a value in `tensors` do not change.
    pub fn with_tensors(mut self, tensors: &[&[f32]]) -> Self {
        let (mut tensor, mut is_other) = (0, false);
        for block in &mut self.blocks {
            map_block(block, &mut |index, value| {
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

    /// The numbers of states, symbols and bits of this construction, with the sizes that follow from them.
    pub fn sizes(&self) -> ConstructionSizes {
        use super::layout::TokenGroup;
        let size = |group| self.layout().group(group).len();
        ConstructionSizes {
            states: size(TokenGroup::State),
            symbols: size(TokenGroup::Symbol),
            bits: self.layout().bits(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::library::EXAMPLES;

    #[test]
    fn sizes_equal_those_of_the_built_construction() {
        for example in &EXAMPLES {
            let machine = example.parse_machine().unwrap();
            for bits in [1, 5, 7] {
                let built = Construction::new(&machine, bits).unwrap();
                let sizes =
                    ConstructionSizes::new(machine.state_names().len(), machine.symbols().len(), bits);
                let found: Vec<TensorShape> = built
                    .tensors()
                    .map(|tensor| TensorShape {
                        name: tensor.name,
                        rows: tensor.rows,
                        columns: tensor.columns,
                    })
                    .collect();
                assert_eq!(sizes.tensor_shapes(), found);
                assert_eq!((sizes, built.counts().parameters), (built.sizes(), sizes.parameter_count()));
                let noisy = built.clone().with_noise(1e-3, 0, 0);
                for (one, is_noisy) in [(&built, false), (&noisy, true)] {
                    let cost = one.cost(50, 4);
                    let operations = sizes.estimated_multiplications(50, 4, is_noisy);
                    assert!(
                        operations >= cost.multiplications * 9 / 10 && operations <= 2 * cost.multiplications
                    );
                    let bytes = 8 * 50 * sizes.cached_numbers(is_noisy);
                    assert!(bytes >= cost.cache_bytes && bytes <= 2 * cost.cache_bytes, "{bytes} {cost:?}");
                }
            }
        }
        assert!(
            ConstructionSizes::new(24, 8, 15).estimated_multiplications(usize::MAX, usize::MAX, true)
                == u64::MAX
        );
    }

    #[test]
    fn values_of_a_file_are_those_that_are_executed() {
        let machine = EXAMPLES[0].parse_machine().unwrap();
        let plain = Construction::new(&machine, 4).unwrap();
        let noisy = plain.clone().with_noise(0.02, 3, 1);
        let tensors: Vec<Vec<f32>> =
            noisy.tensors().map(|tensor| tensor.values.iter().map(|x| *x as f32).collect()).collect();
        let parts: Vec<&[f32]> = tensors.iter().map(Vec::as_slice).collect();
        assert_eq!(plain.clone().with_tensors(&parts), noisy);
        assert_eq!(noisy.with_tensors(&[]), plain.clone().with_tensors(&parts));
        let exact: Vec<Vec<f32>> =
            plain.tensors().map(|tensor| tensor.values.iter().map(|x| *x as f32).collect()).collect();
        let exact: Vec<&[f32]> = exact.iter().map(Vec::as_slice).collect();
        assert_eq!(plain.clone().with_tensors(&exact), plain);
    }
}
