//! The construction, weight by weight: a decoder each token of which is one step of a Turing machine (Wei, Chen and Ma
//! 2022, "Statistically meaningful approximation", section 4 and appendix C).
//!
//! | block | attention | ReLU layers | what |
//! |---|---|---|---|
//! | apply | | 2 | st, sym2, mv ← S(st, sym1), one hidden unit for each pair; in step 0: st ← start state |
//! | move | | 3 | pos3 ← pos2 ± 1 with all carries at once |
//! | visited | own past | 1 | scr4\[0\] ← whether an earlier step wrote the cell pos3 |
//! | search j | own past | 1 | scr3\[j\] ← bit j of i′, the last step that wrote this cell |
//! | fetch | own past, input | 2 | scr1 ← sym2 of step i′, scr2 ← the input's symbol, sym1 ← one of these or the blank |
//!
//! A layer is y = φ(W x + b), without a residual; attention adds to what it reads. After each block all numbers may be
//! [rounded](super::layer::round).
//!
//! # Step 0
//! The decoder begins with [h₀](Construction::initial), a parameter that does not depend on the input (section 4.1): it holds
//! the start cell in pos2 and a mark in scr4\[2\]. Step 0 runs all blocks on h₀. Block "apply" turns the mark into the start
//! state, no cell is written and the head does not move; as the decoder attends to steps 1, 2, … alone (section 4.1, H_i), all
//! attention to the past finds the null slot, and "fetch" reads the first symbol from the encoder's tokens.
//!
//! # Where it differs from the text
//! - Constants such as the −1 in 2·pos3 − 1 are biases, since no coordinate of a token is always 1.
//! - The text leaves open how h₀ becomes the token of step 0. Here one weight of "apply", st\[0\] ← scr4\[2\], does it.
//! - The block "visited" ends with a layer that copies everything, as no block of the architecture is without a layer.
//! - Hidden layers hold a copy of the whole token beside their own units, also of coordinates that no later layer reads; the
//!   last block's first layer copies scr1 into it although a unit of its own reads scr1. With these copies the numbers of
//!   parameters of the blocks are those of an independent program for all four machines of its table, and so are the numbers
//!   of entries that are not 0 and ‖θ‖₁ but for the 1 of step 0.

use super::attention::Attention;
use super::layer::Affine;
use super::layout::{Group, Layout};
use super::limits::MOST_POSITION_BITS;
use super::machine::{Machine, Move};
use super::mistake::Mistake;
use super::phase::Phase;
use vivarium_core::rng::Purpose;

/// What draws of noise are for.
pub const PURPOSE: Purpose = Purpose::Construction;

/// The place in scr4 where h₀ has its mark; in later steps it holds the bit that was found, and is 0 between steps.
const MARK: usize = 2;

/// A block of the transformer.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// What it does.
    pub phase: Phase,
    /// Attention over the decoder's own past tokens and the present one.
    pub own: Option<Attention>,
    /// Attention over the input's tokens.
    pub input: Option<Attention>,
    /// Layers of ReLUs.
    pub layers: Vec<Affine>,
}

/// A transformer that runs one machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Construction {
    layout: Layout,
    pub(super) blocks: Vec<Block>,
    pub(super) is_noisy: bool,
}

/// A matrix or a vector by name, for export.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// "search.2.own.query.weight".
    pub name: String,
    /// Rows; the length of a vector.
    pub rows: usize,
    /// Columns; none for a vector.
    pub columns: Option<usize>,
    /// Values, row by row.
    pub values: Vec<f64>,
}

/// What the blocks of a transformer consist of; [`super::Parts`] counts the other parts too.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Numbers of a token.
    pub width: u64,
    /// Blocks, bits + 4.
    pub blocks: u64,
    /// Bits of a position.
    pub bits: u64,
    /// Weights and biases.
    pub parameters: u64,
    /// Weights and biases that are not 0.
    pub entries: u64,
    /// The sum of their sizes, ‖θ‖₁.
    pub norm: f64,
}

/// What a run needs, known before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Multiplications.
    pub operations: u64,
    /// Bytes of the keys and values that are kept at the end.
    pub bytes: u64,
}

impl Construction {
    /// The construction for a machine whose positions have so many bits.
    pub fn new(machine: &Machine, bits: u32) -> Result<Self, Mistake> {
        if !(1..=MOST_POSITION_BITS).contains(&bits) {
            return Err(Mistake::PositionBits { least: 1, found: bits });
        }
        let bits = bits as usize;
        let layout = Layout::new(machine.states().len(), machine.symbols().len(), bits);
        let build = Build { machine, layout: &layout, width: layout.width(), bits };
        let blocks = Phase::all(bits).into_iter().map(|phase| build.block(phase)).collect();
        Ok(Construction { layout, blocks, is_noisy: false })
    }

    /// What stands where in a token.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The bits + 4 blocks in their order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Whether noise was added.
    pub fn is_noisy(&self) -> bool {
        self.is_noisy
    }

    /// h₀, the decoder's input in step 0, for a head that begins at this cell. It does not depend on the input.
    pub fn initial(&self, start: usize) -> Vec<f64> {
        let mut token = vec![0.0; self.layout.width()];
        token[self.layout.at(Group::Flags, MARK)] = 1.0;
        self.layout.write(&mut token, Group::Before, start);
        token
    }

    /// The encoder's token of a symbol in a cell: the column of the symbol in the embedding E, and β(cell).
    pub fn encoded(&self, symbol: usize, cell: usize) -> Vec<f64> {
        let mut token = vec![0.0; self.layout.width()];
        let symbols = self.layout.group(Group::Symbol).len();
        token[self.layout.at(Group::Symbol, symbol.min(symbols - 1))] = 1.0;
        self.layout.write(&mut token, Group::Time, cell);
        token
    }

    /// All matrices and vectors of the blocks in their order, each made when it is asked for.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor> {
        self.blocks.iter().flat_map(|block| {
            let key = block.phase.key();
            let attentions = [("own", &block.own), ("input", &block.input)].into_iter();
            let parts = attentions.filter_map(|(name, part)| Some((name, part.as_ref()?)));
            let mut all = Vec::new();
            for (name, attention) in parts {
                let vector = |what: &str, values: &[f64]| Tensor {
                    name: format!("{key}.{name}.{what}"),
                    rows: values.len(),
                    columns: None,
                    values: values.to_vec(),
                };
                all.extend(pair(&format!("{key}.{name}.query"), &attention.query));
                all.extend(pair(&format!("{key}.{name}.key"), &attention.key));
                all.push(vector("null_key", &attention.null_key));
                all.extend(pair(&format!("{key}.{name}.value"), &attention.value));
                all.push(vector("null_value", &attention.null_value));
            }
            let layers = block.layers.iter().enumerate();
            all.extend(layers.flat_map(|(i, layer)| pair(&format!("{key}.layers.{i}"), layer)));
            all
        })
    }

    /// What its blocks consist of.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            width: self.layout.width() as u64,
            blocks: self.blocks.len() as u64,
            bits: self.layout.bits() as u64,
            ..Counts::default()
        };
        let mut add = |number: f64| {
            counts.parameters += 1;
            counts.entries += u64::from(number != 0.0);
            counts.norm += number.abs();
        };
        for block in &self.blocks {
            block.own.iter().chain(&block.input).flat_map(Attention::numbers).for_each(&mut add);
            block.layers.iter().flat_map(Affine::numbers).for_each(&mut add);
        }
        counts
    }

    /// What so many steps need with an input of this length.
    pub fn cost(&self, steps: usize, input: usize) -> Cost {
        let (steps, counts) = (steps as u64, self.counts());
        let token = if self.is_noisy { counts.parameters } else { counts.entries };
        let keys = |attentions: &mut dyn Iterator<Item = &Attention>| -> u64 {
            attentions.map(|attention| attention.key.rows() as u64).sum()
        };
        let own = || self.blocks.iter().filter_map(|block| block.own.as_ref());
        let past = keys(&mut own()).saturating_mul(steps).saturating_mul(steps + 1) / 2;
        let given = keys(&mut self.blocks.iter().filter_map(|block| block.input.as_ref()));
        let given = given.saturating_mul(input as u64).saturating_mul(steps);
        let kept: u64 = own().map(|attention| attention.memory().numbers_a_token()).sum();
        Cost {
            operations: token.saturating_mul(steps).saturating_add(past).saturating_add(given),
            bytes: (kept + counts.width).saturating_mul(8).saturating_mul(steps),
        }
    }
}

/// The tensors of a matrix with its bias.
fn pair(name: &str, affine: &Affine) -> [Tensor; 2] {
    let (rows, columns) = (affine.rows(), affine.columns());
    let weight =
        Tensor { name: format!("{name}.weight"), rows, columns: Some(columns), values: affine.dense() };
    [weight, Tensor { name: format!("{name}.bias"), rows, columns: None, values: affine.bias().to_vec() }]
}

/// What the blocks' weights are made from.
struct Build<'a> {
    machine: &'a Machine,
    layout: &'a Layout,
    width: usize,
    bits: usize,
}

impl Build<'_> {
    fn block(&self, phase: Phase) -> Block {
        let (own, input, mut layers) = match phase {
            Phase::Apply => (None, None, self.apply()),
            Phase::Move => (None, None, self.walk()),
            Phase::Visited => {
                (Some(self.visited()), None, vec![self.copies(self.width, self.width, |_| true)])
            }
            Phase::Search(round) => (Some(self.search(round)), None, vec![self.keep(round)]),
            Phase::Fetch => (Some(self.fetch()), Some(self.given()), self.choose()),
        };
        layers.iter_mut().for_each(Affine::finish);
        Block { phase, own, input, layers }
    }

    /// A layer that copies those coordinates of a token which are wanted.
    fn copies(&self, rows: usize, columns: usize, wanted: impl Fn(Group) -> bool) -> Affine {
        let mut layer = Affine::new(rows, columns);
        let all = (0..self.width).filter(|coordinate| wanted(self.layout.group_of(*coordinate)));
        all.for_each(|coordinate| layer.set(coordinate, coordinate, 1.0));
        layer
    }

    /// φ(st_z + sym1_a − 1) for each pair, and S of the pair.
    fn apply(&self) -> Vec<Affine> {
        let (machine, layout, width) = (self.machine, self.layout, self.width);
        let (states, symbols) = (machine.states().len(), machine.symbols().len());
        let hidden = width + states * symbols;
        let mut pairs = self.copies(hidden, width, |_| true);
        let mut results = self.copies(width, hidden, |group| matches!(group, Group::Time | Group::Before));
        // In step 0 alone: the mark of h₀ becomes the start state.
        results.set(layout.at(Group::State, 0), layout.at(Group::Flags, MARK), 1.0);
        for state in 0..states {
            for symbol in 0..symbols {
                let unit = width + state * symbols + symbol;
                pairs.set(unit, layout.at(Group::State, state), 1.0);
                pairs.set(unit, layout.at(Group::Symbol, symbol), 1.0);
                pairs.set_bias(unit, -1.0);
                let rule = machine.transition(state, symbol);
                results.set(layout.at(Group::State, rule.next), unit, 1.0);
                results.set(layout.at(Group::Written, rule.write), unit, 1.0);
                match rule.step {
                    Move::Left => results.set(layout.at(Group::Move, 0), unit, 1.0),
                    Move::Right => results.set(layout.at(Group::Move, 1), unit, 1.0),
                    Move::Stay => {}
                }
            }
        }
        vec![pairs, results]
    }

    /// Carries and borrows; sums of two bits; the new bits.
    fn walk(&self) -> Vec<Affine> {
        let (layout, width, bits) = (self.layout, self.width, self.bits);
        let hidden = width + 2 * bits;
        let mut carries = self.copies(hidden, width, |_| true);
        let mut sums = self.copies(hidden, hidden, |_| true);
        let mut result = self.copies(width, hidden, |_| true);
        // The coordinate of the bit of weight 2^j.
        let bit = |group: Group, j: usize| layout.at(group, bits - 1 - j);
        for j in 0..bits {
            let (carry, borrow) = (width + j, width + bits + j);
            carries.set(carry, layout.at(Group::Move, 1), 1.0);
            carries.set(borrow, layout.at(Group::Move, 0), 1.0);
            for k in 0..j {
                carries.set(carry, bit(Group::Before, k), 1.0);
                carries.set(borrow, bit(Group::Before, k), -1.0);
            }
            carries.set_bias(carry, -(j as f64));
            let (any, both) = (width + j, width + bits + j);
            for unit in [any, both] {
                for from in [bit(Group::Before, j), carry, borrow] {
                    sums.set(unit, from, 1.0);
                }
            }
            sums.set_bias(both, -1.0);
            result.set(bit(Group::Head, j), any, 1.0);
            result.set(bit(Group::Head, j), both, -2.0);
        }
        vec![carries, sums, result]
    }

    /// Attention with so many rows of Q and K that matches pos3 with a group of the keys, and wants `least` to be found.
    fn matching(&self, rows: usize, group: Group, least: usize) -> Attention {
        let (width, last) = (self.width, rows - 1);
        let mut attention = Attention {
            query: Affine::new(rows, width),
            key: Affine::new(rows, width),
            null_key: vec![0.0; rows],
            value: Affine::new(width, width),
            null_value: vec![0.0; width],
        };
        for row in 0..self.bits {
            sign(&mut attention.query, row, self.layout.at(Group::Head, row));
            sign(&mut attention.key, row, self.layout.at(group, row));
        }
        attention.query.set_bias(last, 1.0);
        attention.null_key[last] = least as f64;
        attention
    }

    fn visited(&self) -> Attention {
        let mut attention = self.matching(self.bits + 1, Group::Before, self.bits - 1);
        attention.value.set_bias(self.layout.at(Group::Flags, 0), 1.0);
        finished(attention)
    }

    fn search(&self, round: usize) -> Attention {
        let mut attention = self.matching(self.bits + round + 2, Group::Before, self.bits + round);
        for known in 0..=round {
            let row = self.bits + known;
            sign(&mut attention.key, row, self.layout.at(Group::Time, known));
            if known < round {
                sign(&mut attention.query, row, self.layout.at(Group::Prefix, known));
            } else {
                attention.query.set_bias(row, 1.0);
            }
        }
        attention.value.set_bias(self.layout.at(Group::Flags, 2), 1.0);
        finished(attention)
    }

    /// Moves the bit that was found to its place.
    fn keep(&self, round: usize) -> Affine {
        let mut layer = self.copies(self.width, self.width, |_| true);
        let found = self.layout.at(Group::Flags, 2);
        layer.set(found, found, 0.0);
        layer.set(self.layout.at(Group::Prefix, round), found, 1.0);
        layer
    }

    fn fetch(&self) -> Attention {
        let mut attention = self.matching(2 * self.bits + 1, Group::Before, 2 * self.bits - 1);
        for bit in 0..self.bits {
            sign(&mut attention.query, self.bits + bit, self.layout.at(Group::Prefix, bit));
            sign(&mut attention.key, self.bits + bit, self.layout.at(Group::Time, bit));
        }
        self.carry(&mut attention, Group::Written, Group::Recalled);
        finished(attention)
    }

    fn given(&self) -> Attention {
        let mut attention = self.matching(self.bits + 1, Group::Time, self.bits - 1);
        self.carry(&mut attention, Group::Symbol, Group::Given);
        attention.value.set_bias(self.layout.at(Group::Flags, 1), 1.0);
        finished(attention)
    }

    fn carry(&self, attention: &mut Attention, from: Group, to: Group) {
        let places = self.layout.group(to).zip(self.layout.group(from));
        places.for_each(|(to, from)| attention.value.set(to, from, 1.0));
    }

    /// The symbol that was recalled, else the one that was given, else the blank.
    fn choose(&self) -> Vec<Affine> {
        let (layout, width) = (self.layout, self.width);
        let symbols = self.machine.symbols().len();
        let hidden = width + 2 * symbols + 1;
        let [written, given] = [0, 1].map(|flag| layout.at(Group::Flags, flag));
        let mut first =
            self.copies(hidden, width, |group| matches!(group, Group::State | Group::Head | Group::Recalled));
        let mut second = self.copies(width, hidden, |group| group == Group::State);
        for (to, from) in layout.group(Group::Before).zip(layout.group(Group::Head)) {
            second.set(to, from, 1.0);
        }
        for symbol in 0..symbols {
            let (recalled, other) = (width + symbol, width + symbols + symbol);
            first.set(recalled, layout.at(Group::Recalled, symbol), 1.0);
            first.set(other, layout.at(Group::Given, symbol), 1.0);
            first.set(other, written, -1.0);
            second.set(layout.at(Group::Symbol, symbol), recalled, 1.0);
            second.set(layout.at(Group::Symbol, symbol), other, 1.0);
        }
        let blank = width + 2 * symbols;
        first.set(blank, written, -1.0);
        first.set(blank, given, -1.0);
        first.set_bias(blank, 1.0);
        second.set(layout.at(Group::Symbol, 0), blank, 1.0);
        vec![first, second]
    }
}

/// A row that is 2x − 1, so that bits become −1 and 1.
fn sign(affine: &mut Affine, row: usize, column: usize) {
    affine.set(row, column, 2.0);
    affine.set_bias(row, -1.0);
}

fn finished(mut attention: Attention) -> Attention {
    for affine in [&mut attention.query, &mut attention.key, &mut attention.value] {
        affine.finish();
    }
    attention
}
