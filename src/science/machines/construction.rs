//! The weights of the transformer: a decoder in which each token is one step of a Turing machine (Wei, Chen and Ma
//! 2022, "Statistically meaningful approximation", section 4 and appendix C).
//!
//! | block | attention | ReLU layers | result |
//! |---|---|---|---|
//! | apply | | 2 | st, sym2, mv ← S(st, sym1), one hidden unit for each pair; in step 0: st ← start state |
//! | move | | 3 | pos3 ← pos2 ± 1 with all carries at once |
//! | visited | self-attention | 1 | scr4\[0\] ← whether an earlier step wrote the cell pos3 |
//! | search j | self-attention | 1 | scr3\[j\] ← bit j of i′, the last step that wrote this cell |
//! | fetch | self-attention, cross-attention | 2 | scr1 ← sym2 of step i′, scr2 ← the input's symbol, sym1 ← one of these or the blank |
//!
//! A layer is y = φ(W x + b), without a residual connection; attention has a residual connection. After each block all numbers
//! may be [rounded](super::layer::round).
//!
//! # Step 0
//! The decoder begins with [h₀](Construction::start_token), a parameter that does not depend on the input (section 4.1): it
//! holds the start cell in pos2 and a mark in scr4\[2\]. Step 0 runs all blocks on h₀. Block "apply" turns the mark into the
//! start state, no cell is written and the head does not move; as the decoder attends to steps 1, 2, … alone (section 4.1,
//! H_i), all self-attention goes to the null slot, and "fetch" reads the first symbol from the encoder's tokens.
//!
//! # Differences from the paper
//! - Constants such as the −1 in 2·pos3 − 1 are biases, since no coordinate of a token is always 1.
//! - The paper does not state how h₀ becomes the token of step 0. Here one weight of "apply", st\[0\] ← scr4\[2\], does it.
//! - The block "visited" ends with a layer that copies all coordinates, because every block of the architecture has a layer.
//! - Hidden layers contain a copy of the whole token in addition to their units, even of coordinates that no later layer reads;
//!   the first layer of the last block copies scr1 although other units read scr1. With these copies the numbers of parameters
//!   equal those of an independent program for four machines, and, except for the weight 1 of step 0, so do the numbers of
//!   nonzero parameters and ‖θ‖₁.

use super::attention::Attention;
use super::block_kind::BlockKind;
use super::error::MachineError;
use super::layer::Affine;
use super::layout::{ResidualLayout, TokenGroup};
use super::limits::MAX_POSITION_BITS;
use super::machine::{HeadMove, Machine};
use vivarium_core::rng::Purpose;

/// Purpose number that separates the random numbers of the noise on the transformer's weights from all others of a
/// seed.
pub const NOISE_PURPOSE: Purpose = Purpose::Construction;

/// Index, from 0, of a flag within the token group `scr4` (flags). In the token h₀, the decoder's input in step 0,
/// the flag is 1 and marks step 0; in later steps it is the bit found by a search, and it is 0 between steps.
const START_MARK: usize = 2;

/// Weights of one block of the transformer: its attention layers and ReLU layers.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformerBlock {
    /// Task of the block.
    pub kind: BlockKind,
    /// Self-attention to the decoder's tokens of steps 1 … i; `None` if the block has none.
    pub self_attention: Option<Attention>,
    /// Cross-attention to the encoder's tokens, which hold the input; `None` if the block has none.
    pub cross_attention: Option<Attention>,
    /// ReLU layers y = φ(W x + b), in their order.
    pub layers: Vec<Affine>,
}

/// The weights of all blocks of a transformer that runs one Turing machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Construction {
    /// Which coordinates of a token belong to which group.
    layout: ResidualLayout,
    /// The bits + 4 blocks of the transformer, in their order.
    pub(super) blocks: Vec<TransformerBlock>,
    /// Whether the weights differ from those of the paper's construction, by noise or because a file replaced them.
    pub(super) is_noisy: bool,
}

/// A weight matrix or vector with its name, for files.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTensor {
    /// Permanent name, for example `search.2.own.query.weight`.
    pub name: String,
    /// Number of rows of the matrix, or number of entries of the vector.
    pub rows: usize,
    /// Number of columns; `None` for a vector.
    pub columns: Option<usize>,
    /// Entries of the matrix, row-major, or of the vector.
    pub values: Vec<f64>,
}

/// Sizes and numbers of layers, heads, neurons and parameters of a transformer's blocks. [`super::ParameterBreakdown`]
/// counts the parameters outside the blocks too.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BlockCounts {
    /// Width of a token: number of its coordinates.
    pub width: u64,
    /// Number of blocks: bits + 4.
    pub blocks: u64,
    /// Number of bits of a position, that is, of cell and step numbers.
    pub bits: u64,
    /// Number of weights and biases of all blocks, zeros included.
    pub parameters: u64,
    /// Number of weights and biases of all blocks that are not 0.
    pub nonzeros: u64,
    /// ℓ₁ norm ‖θ‖₁ of the blocks' parameters: sum of the absolute values of all weights and biases.
    pub l1_norm: f64,
}

/// Time and memory for executing the transformer for a number of steps, estimated before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunCost {
    /// Approximate number of multiplications of all steps of the transformer together.
    pub multiplications: u64,
    /// Memory, in bytes, of the cached keys, values and output tokens of all steps at the end of the run.
    pub cache_bytes: u64,
}

impl Construction {
    /// Builds the weights for a machine, with positions of `bits` bits.
    ///
    /// # Errors
    /// `bits` is 0 or greater than [`MAX_POSITION_BITS`].
    pub fn new(machine: &Machine, bits: u32) -> Result<Self, MachineError> {
        if !(1..=MAX_POSITION_BITS).contains(&bits) {
            return Err(MachineError::PositionBitsOutOfRange { min: 1, found: bits });
        }
        let bits = bits as usize;
        let layout = ResidualLayout::new(machine.state_names().len(), machine.symbols().len(), bits);
        let build = WeightBuilder { machine, layout: &layout, width: layout.width(), bits };
        let blocks = BlockKind::sequence(bits).into_iter().map(|kind| build.build_block(kind)).collect();
        Ok(Construction { layout, blocks, is_noisy: false })
    }

    /// Which coordinates of a token belong to which group.
    pub fn layout(&self) -> &ResidualLayout {
        &self.layout
    }

    /// The bits + 4 blocks, in their order.
    pub fn blocks(&self) -> &[TransformerBlock] {
        &self.blocks
    }

    /// Whether the weights differ from those of the paper's construction, by noise or because a file replaced them.
    pub fn is_noisy(&self) -> bool {
        self.is_noisy
    }

    /// The token h₀, `[width]`: the decoder's input in step 0 if the head begins on cell number `start`. It does
    /// not depend on the input word.
    pub fn start_token(&self, start: usize) -> Vec<f64> {
        let mut token = vec![0.0; self.layout.width()];
        token[self.layout.coordinate(TokenGroup::Flags, START_MARK)] = 1.0;
        self.layout.write_binary(&mut token, TokenGroup::Before, start);
        token
    }

    /// The encoder's token, `[width]`, of the symbol with index `symbol` in the cell with number `cell`: the
    /// symbol's column of the embedding matrix E, plus the binary code β(cell) of the cell number.
    pub fn encoder_token(&self, symbol: usize, cell: usize) -> Vec<f64> {
        let mut token = vec![0.0; self.layout.width()];
        let symbols = self.layout.group(TokenGroup::Symbol).len();
        token[self.layout.coordinate(TokenGroup::Symbol, symbol.min(symbols - 1))] = 1.0;
        self.layout.write_binary(&mut token, TokenGroup::Time, cell);
        token
    }

    /// All weight matrices and vectors of the blocks, in the order of files; computed lazily.
    pub fn tensors(&self) -> impl Iterator<Item = NamedTensor> {
        self.blocks.iter().flat_map(|block| {
            let key = block.kind.tensor_prefix();
            let attentions = [("own", &block.self_attention), ("input", &block.cross_attention)].into_iter();
            let parts = attentions.filter_map(|(name, part)| Some((name, part.as_ref()?)));
            let mut all = Vec::new();
            for (name, attention) in parts {
                let vector = |suffix: &str, values: &[f64]| NamedTensor {
                    name: format!("{key}.{name}.{suffix}"),
                    rows: values.len(),
                    columns: None,
                    values: values.to_vec(),
                };
                all.extend(affine_tensors(&format!("{key}.{name}.query"), &attention.query));
                all.extend(affine_tensors(&format!("{key}.{name}.key"), &attention.key));
                all.push(vector("null_key", &attention.null_key));
                all.extend(affine_tensors(&format!("{key}.{name}.value"), &attention.value));
                all.push(vector("null_value", &attention.null_value));
            }
            let layers = block.layers.iter().enumerate();
            all.extend(layers.flat_map(|(i, layer)| affine_tensors(&format!("{key}.layers.{i}"), layer)));
            all
        })
    }

    /// Counts the blocks of the transformer and their parameters.
    pub fn counts(&self) -> BlockCounts {
        let mut counts = BlockCounts {
            width: self.layout.width() as u64,
            blocks: self.blocks.len() as u64,
            bits: self.layout.bits() as u64,
            ..BlockCounts::default()
        };
        let mut add = |number: f64| {
            counts.parameters += 1;
            counts.nonzeros += u64::from(number != 0.0);
            counts.l1_norm += number.abs();
        };
        for block in &self.blocks {
            block
                .self_attention
                .iter()
                .chain(&block.cross_attention)
                .flat_map(Attention::parameters)
                .for_each(&mut add);
            block.layers.iter().flat_map(Affine::parameters).for_each(&mut add);
        }
        counts
    }

    /// Estimates the cost of `steps` steps of the transformer for an input word of `input` symbols.
    pub fn cost(&self, steps: usize, input: usize) -> RunCost {
        let (steps, counts) = (steps as u64, self.counts());
        let token = if self.is_noisy { counts.parameters } else { counts.nonzeros };
        let keys = |attentions: &mut dyn Iterator<Item = &Attention>| -> u64 {
            attentions.map(|attention| attention.key.rows() as u64).sum()
        };
        let own = || self.blocks.iter().filter_map(|block| block.self_attention.as_ref());
        let past = keys(&mut own()).saturating_mul(steps).saturating_mul(steps + 1) / 2;
        let given = keys(&mut self.blocks.iter().filter_map(|block| block.cross_attention.as_ref()));
        let given = given.saturating_mul(input as u64).saturating_mul(steps);
        let kept: u64 = own().map(|attention| attention.new_cache().numbers_per_token()).sum();
        RunCost {
            multiplications: token.saturating_mul(steps).saturating_add(past).saturating_add(given),
            cache_bytes: (kept + counts.width).saturating_mul(8).saturating_mul(steps),
        }
    }
}

/// The weight matrix and bias vector of an affine map as tensors.
fn affine_tensors(name: &str, affine: &Affine) -> [NamedTensor; 2] {
    let (rows, columns) = (affine.rows(), affine.columns());
    let weight =
        NamedTensor { name: format!("{name}.weight"), rows, columns: Some(columns), values: affine.dense() };
    [
        weight,
        NamedTensor { name: format!("{name}.bias"), rows, columns: None, values: affine.bias().to_vec() },
    ]
}

/// Builds the weights of the transformer's blocks for one machine.
struct WeightBuilder<'a> {
    /// The machine that the transformer shall run.
    machine: &'a Machine,
    /// Layout of a token.
    layout: &'a ResidualLayout,
    /// Width of a token.
    width: usize,
    /// Number of bits of a position, that is, of cell and step numbers.
    bits: usize,
}

impl WeightBuilder<'_> {
    /// Builds the weights of the block with this task.
    fn build_block(&self, kind: BlockKind) -> TransformerBlock {
        let (self_attention, cross_attention, mut layers) = match kind {
            BlockKind::Apply => (None, None, self.apply_layers()),
            BlockKind::Move => (None, None, self.move_layers()),
            BlockKind::Visited => (
                Some(self.visited_attention()),
                None,
                vec![self.copy_layer(self.width, self.width, |_| true)],
            ),
            BlockKind::Search(round) => {
                (Some(self.search_attention(round)), None, vec![self.store_bit_layer(round)])
            }
            BlockKind::Fetch => {
                (Some(self.fetch_attention()), Some(self.input_attention()), self.symbol_layers())
            }
        };
        layers.iter_mut().for_each(Affine::finish);
        TransformerBlock { kind, self_attention, cross_attention, layers }
    }

    /// An affine layer with a weight matrix `[rows, columns]` that copies, each to the same coordinate, the token
    /// coordinates of the groups for which `wanted` is true; all other weights and all biases are 0.
    fn copy_layer(&self, rows: usize, columns: usize, wanted: impl Fn(TokenGroup) -> bool) -> Affine {
        let mut layer = Affine::new(rows, columns);
        let all = (0..self.width).filter(|coordinate| wanted(self.layout.group_of(*coordinate)));
        all.for_each(|coordinate| layer.set(coordinate, coordinate, 1.0));
        layer
    }

    /// ReLU layers of the block "apply", which applies the machine's rules: one hidden unit φ(st_z + sym1_a − 1)
    /// for each pair of state z and symbol a, which is 1 for the current pair; then the pair's new state, written
    /// symbol and move.
    fn apply_layers(&self) -> Vec<Affine> {
        let (machine, layout, width) = (self.machine, self.layout, self.width);
        let (states, symbols) = (machine.state_names().len(), machine.symbols().len());
        let hidden = width + states * symbols;
        let mut pairs = self.copy_layer(hidden, width, |_| true);
        let mut results =
            self.copy_layer(width, hidden, |group| matches!(group, TokenGroup::Time | TokenGroup::Before));
        // In step 0 alone: the mark of h₀ becomes the start state.
        results.set(
            layout.coordinate(TokenGroup::State, 0),
            layout.coordinate(TokenGroup::Flags, START_MARK),
            1.0,
        );
        for state in 0..states {
            for symbol in 0..symbols {
                let unit = width + state * symbols + symbol;
                pairs.set(unit, layout.coordinate(TokenGroup::State, state), 1.0);
                pairs.set(unit, layout.coordinate(TokenGroup::Symbol, symbol), 1.0);
                pairs.set_bias(unit, -1.0);
                let rule = machine.transition(state, symbol);
                results.set(layout.coordinate(TokenGroup::State, rule.next), unit, 1.0);
                results.set(layout.coordinate(TokenGroup::Written, rule.write), unit, 1.0);
                match rule.step {
                    HeadMove::Left => results.set(layout.coordinate(TokenGroup::Move, 0), unit, 1.0),
                    HeadMove::Right => results.set(layout.coordinate(TokenGroup::Move, 1), unit, 1.0),
                    HeadMove::Stay => {}
                }
            }
        }
        vec![pairs, results]
    }

    /// ReLU layers of the block "move", which adds the move to the head's position: carries and borrows, then sums of
    /// two bits, then the new bits.
    fn move_layers(&self) -> Vec<Affine> {
        let (layout, width, bits) = (self.layout, self.width, self.bits);
        let hidden = width + 2 * bits;
        let mut carries = self.copy_layer(hidden, width, |_| true);
        let mut sums = self.copy_layer(hidden, hidden, |_| true);
        let mut result = self.copy_layer(width, hidden, |_| true);
        // Coordinate of the bit with value 2^j.
        let bit = |group: TokenGroup, j: usize| layout.coordinate(group, bits - 1 - j);
        for j in 0..bits {
            let (carry, borrow) = (width + j, width + bits + j);
            carries.set(carry, layout.coordinate(TokenGroup::Move, 1), 1.0);
            carries.set(borrow, layout.coordinate(TokenGroup::Move, 0), 1.0);
            for k in 0..j {
                carries.set(carry, bit(TokenGroup::Before, k), 1.0);
                carries.set(borrow, bit(TokenGroup::Before, k), -1.0);
            }
            carries.set_bias(carry, -(j as f64));
            let (any, both) = (width + j, width + bits + j);
            for unit in [any, both] {
                for from in [bit(TokenGroup::Before, j), carry, borrow] {
                    sums.set(unit, from, 1.0);
                }
            }
            sums.set_bias(both, -1.0);
            result.set(bit(TokenGroup::Head, j), any, 1.0);
            result.set(bit(TokenGroup::Head, j), both, -2.0);
        }
        vec![carries, sums, result]
    }

    /// Attention with `rows` key dimensions whose score is the number of equal minus the number of different bits
    /// of two cell numbers: `pos3` of the query token and `group` of the key token. The last key dimension gives
    /// the null slot the score `null_score`; the value map is all 0.
    fn matching_attention(&self, rows: usize, group: TokenGroup, null_score: usize) -> Attention {
        let (width, last) = (self.width, rows - 1);
        let mut attention = Attention {
            query: Affine::new(rows, width),
            key: Affine::new(rows, width),
            null_key: vec![0.0; rows],
            value: Affine::new(width, width),
            null_value: vec![0.0; width],
        };
        for row in 0..self.bits {
            set_sign_row(&mut attention.query, row, self.layout.coordinate(TokenGroup::Head, row));
            set_sign_row(&mut attention.key, row, self.layout.coordinate(group, row));
        }
        attention.query.set_bias(last, 1.0);
        attention.null_key[last] = null_score as f64;
        attention
    }

    /// Self-attention of the block "visited": sets the flag `scr4[0]` if an earlier step wrote the cell under the
    /// head (`pos3`).
    fn visited_attention(&self) -> Attention {
        let mut attention = self.matching_attention(self.bits + 1, TokenGroup::Before, self.bits - 1);
        attention.value.set_bias(self.layout.coordinate(TokenGroup::Flags, 0), 1.0);
        finish_attention(attention)
    }

    /// Self-attention of search block `round`, from 0: sets the flag `scr4[2]` if the cell under the head (`pos3`)
    /// was written by a step whose number begins with the bits found so far, followed by 1.
    fn search_attention(&self, round: usize) -> Attention {
        let mut attention =
            self.matching_attention(self.bits + round + 2, TokenGroup::Before, self.bits + round);
        for known in 0..=round {
            let row = self.bits + known;
            set_sign_row(&mut attention.key, row, self.layout.coordinate(TokenGroup::Time, known));
            if known < round {
                set_sign_row(&mut attention.query, row, self.layout.coordinate(TokenGroup::Prefix, known));
            } else {
                attention.query.set_bias(row, 1.0);
            }
        }
        attention.value.set_bias(self.layout.coordinate(TokenGroup::Flags, 2), 1.0);
        finish_attention(attention)
    }

    /// ReLU layer of search block `round`, from 0: moves the bit found by the search from the flag `scr4[2]` to bit
    /// `round` of `scr3`.
    fn store_bit_layer(&self, round: usize) -> Affine {
        let mut layer = self.copy_layer(self.width, self.width, |_| true);
        let found = self.layout.coordinate(TokenGroup::Flags, 2);
        layer.set(found, found, 0.0);
        layer.set(self.layout.coordinate(TokenGroup::Prefix, round), found, 1.0);
        layer
    }

    /// Self-attention of the block "fetch": copies the symbol `sym2` written by the last step that wrote the cell
    /// under the head to the group `scr1`.
    fn fetch_attention(&self) -> Attention {
        let mut attention = self.matching_attention(2 * self.bits + 1, TokenGroup::Before, 2 * self.bits - 1);
        for bit in 0..self.bits {
            set_sign_row(
                &mut attention.query,
                self.bits + bit,
                self.layout.coordinate(TokenGroup::Prefix, bit),
            );
            set_sign_row(&mut attention.key, self.bits + bit, self.layout.coordinate(TokenGroup::Time, bit));
        }
        self.copy_values(&mut attention, TokenGroup::Written, TokenGroup::Recalled);
        finish_attention(attention)
    }

    /// Cross-attention of the block "fetch": copies the input's symbol in the cell under the head (`pos3`) to the
    /// group `scr2`, and sets the flag `scr4[1]`.
    fn input_attention(&self) -> Attention {
        let mut attention = self.matching_attention(self.bits + 1, TokenGroup::Time, self.bits - 1);
        self.copy_values(&mut attention, TokenGroup::Symbol, TokenGroup::Given);
        attention.value.set_bias(self.layout.coordinate(TokenGroup::Flags, 1), 1.0);
        finish_attention(attention)
    }

    /// Sets the value matrix of `attention` so that it copies token group `from` to token group `to`.
    fn copy_values(&self, attention: &mut Attention, from: TokenGroup, to: TokenGroup) {
        let places = self.layout.group(to).zip(self.layout.group(from));
        places.for_each(|(to, from)| attention.value.set(to, from, 1.0));
    }

    /// ReLU layers of the block "fetch": the symbol under the head (`sym1`) becomes that of `scr1` if an earlier
    /// step wrote the cell, else that of `scr2` if the input has the cell, else the blank.
    fn symbol_layers(&self) -> Vec<Affine> {
        let (layout, width) = (self.layout, self.width);
        let symbols = self.machine.symbols().len();
        let hidden = width + 2 * symbols + 1;
        let [written, given] = [0, 1].map(|flag| layout.coordinate(TokenGroup::Flags, flag));
        let mut first = self.copy_layer(hidden, width, |group| {
            matches!(group, TokenGroup::State | TokenGroup::Head | TokenGroup::Recalled)
        });
        let mut second = self.copy_layer(width, hidden, |group| group == TokenGroup::State);
        for (to, from) in layout.group(TokenGroup::Before).zip(layout.group(TokenGroup::Head)) {
            second.set(to, from, 1.0);
        }
        for symbol in 0..symbols {
            let (recalled, other) = (width + symbol, width + symbols + symbol);
            first.set(recalled, layout.coordinate(TokenGroup::Recalled, symbol), 1.0);
            first.set(other, layout.coordinate(TokenGroup::Given, symbol), 1.0);
            first.set(other, written, -1.0);
            second.set(layout.coordinate(TokenGroup::Symbol, symbol), recalled, 1.0);
            second.set(layout.coordinate(TokenGroup::Symbol, symbol), other, 1.0);
        }
        let blank = width + 2 * symbols;
        first.set(blank, written, -1.0);
        first.set(blank, given, -1.0);
        first.set_bias(blank, 1.0);
        second.set(layout.coordinate(TokenGroup::Symbol, 0), blank, 1.0);
        vec![first, second]
    }
}

/// Sets row `row` of an affine map so that its output is 2x − 1 for the input coordinate x with index `column`,
/// which maps the bits 0 and 1 to −1 and 1.
fn set_sign_row(affine: &mut Affine, row: usize, column: usize) {
    affine.set(row, column, 2.0);
    affine.set_bias(row, -1.0);
}

/// Stores the query, key and value maps of an attention sparsely where few entries are not 0.
fn finish_attention(mut attention: Attention) -> Attention {
    for affine in [&mut attention.query, &mut attention.key, &mut attention.value] {
        affine.finish();
    }
    attention
}
