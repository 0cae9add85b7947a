//! Traces of a small random machine as sequences of tokens, the minimum loss of predicting the next token, and the metrics of a
//! network that predicts them.
//!
//! ```text
//! token i        the state after i steps and the symbol under the head
//! next token     its state and its cell follow from token i and the rules; its symbol is the last symbol written to this
//!                cell, or a fair coin if the cell is new
//! minimum loss   ln 2 × share of new cells; with random control + ln 4, for the state
//! ```
//!
//! The network sees only the tokens. The head's cell follows from all moves so far, and the written symbol from the token of
//! that step. The constructed transformer of [`super::Construction`] uses position bits and a search; a trained network must
//! learn its own method.
//!
//! # Random words
//! StepTrace e of a batch takes words `e·W` to `e·W + W − 1` of [`Purpose::Batch`] at the training step, three bits for each
//! position: the first is used if the cell is new, the others if the state is drawn at random. Held-out traces take words of
//! [`Purpose::HeldOut`] in replica 0, with the index into [`WINDOW_STARTS`] as the step.

use std::ops::Range;

use super::random::{RANDOM_CONTROL_STATES, RandomMachine, TAPE_SYMBOLS, TracePosition, TraceSimulator};
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, RandomStream};

/// Positions of a long held-out trace at which the windows for measurements begin, in multiples of the network's
/// context length.
pub const WINDOW_STARTS: [usize; 4] = [0, 1, 3, 7];

/// Maximum number of layers of a network whose attention is measured on traces.
pub const MAX_MEASURED_LAYERS: usize = 4;

/// Classes of the number of steps since the last write to a cell, as inclusive ranges (first, last). The numbers
/// are even, since each step moves the head by one cell.
pub const WRITE_DISTANCES: [(usize, usize); 6] = [(2, 2), (4, 4), (6, 6), (8, 8), (10, 16), (18, usize::MAX)];

choices! {
    /// How a machine's next state is determined.
    pub enum StateControl {
        /// By the table of rules.
        Table = "table", "By the table of rules";
        /// By a random draw at every step.
        Random = "lot", "Drawn at random";
    }
}

choices! {
    /// Metrics of a network on traces besides its loss and its accuracy on written cells. Accuracy is about the symbol of the
    /// next token.
    pub enum TraceMetric {
        /// Cross-entropy minus the minimum loss, in nats per token.
        Excess = "excess", "Loss above the least possible loss";
        /// Accuracy on new cells; no predictor exceeds ½ on average.
        NewCells = "new-cells", "New cells";
        /// Accuracy on cells that were written two steps ago.
        TwoBack = "two-back", "2 steps back";
        /// Accuracy on cells that were written four steps ago.
        FourBack = "four-back", "4 steps back";
        /// Accuracy on cells that were written six steps ago.
        SixBack = "six-back", "6 steps back";
        /// Accuracy on cells that were written eight steps ago.
        EightBack = "eight-back", "8 steps back";
        /// Accuracy on cells that were written ten to sixteen steps ago.
        TenBack = "ten-back", "10 to 16 steps back";
        /// Accuracy on cells that were written eighteen or more steps ago.
        FartherBack = "farther-back", "18 or more steps back";
        /// Mean attention weight of the position that last wrote the cell, if that was four or more steps ago, for the head of
        /// layer 1 with the largest such weight.
        WriteAttentionLayer1 = "write-1", "Layer 1";
        /// Like [`TraceMetric::WriteAttentionLayer1`], for the heads of layer 2.
        WriteAttentionLayer2 = "write-2", "Layer 2";
        /// Like [`TraceMetric::WriteAttentionLayer1`], for the heads of layer 3.
        WriteAttentionLayer3 = "write-3", "Layer 3";
        /// Like [`TraceMetric::WriteAttentionLayer1`], for the heads of layer 4.
        WriteAttentionLayer4 = "write-4", "Layer 4";
        /// Like [`TraceMetric::WriteAttentionLayer1`], for uniform attention to all positions.
        UniformAttention = "write-even", "Uniform attention";
        /// Accuracy on cells that were written within the context, for contexts that end at twice the context length of a run.
        RunTwice = "run-2", "Run of twice the length";
        /// Like [`TraceMetric::RunTwice`], for contexts that end at four times the context length.
        RunFourTimes = "run-4", "Run of four times the length";
        /// Like [`TraceMetric::RunTwice`], for contexts that end at eight times the context length.
        RunEightTimes = "run-8", "Run of eight times the length";
    }
}

/// Distribution of training and held-out traces: the random machine and the context length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceSettings {
    /// Whether the machine's next state is given by a table or drawn at random.
    pub control: StateControl,
    /// Number of states of a machine with a table of rules.
    pub states: usize,
    /// Number of the machine: the argument of [`RandomMachine::draw`].
    pub machine: u64,
    /// Context length of the network, in tokens; a trace has one token more.
    pub length: usize,
}

impl TraceSettings {
    /// Number of different tokens of a trace: states × symbols.
    pub fn vocab_size(&self) -> usize {
        let states = if self.control == StateControl::Random { RANDOM_CONTROL_STATES } else { self.states };
        states * TAPE_SYMBOLS
    }

    /// Minimum expected cross-entropy, in nats per token, that any predictor can reach on the traces `places`,
    /// `[traces, length + 1]`, which start at the beginning of a trace: ln 2 for the symbol of each new cell and,
    /// with random control, ln 4 for each next state.
    pub fn min_loss(&self, places: &[TracePosition]) -> f64 {
        let coins = std::f64::consts::LN_2 * new_cell_share(places, self.length);
        if self.control == StateControl::Random {
            coins + libm::log(RANDOM_CONTROL_STATES as f64)
        } else {
            coins
        }
    }

    /// Builds the sampler of the traces.
    pub fn build_source(&self) -> TraceSource {
        let machine = match self.control {
            StateControl::Table => RandomMachine::draw(self.states, self.machine),
            StateControl::Random => RandomMachine::with_random_control(),
        };
        TraceSource {
            simulator: TraceSimulator::new(self.length * (WINDOW_STARTS[WINDOW_STARTS.len() - 1] + 1)),
            machine,
            length: self.length,
        }
    }
}

/// Samples training and held-out traces of one random machine.
#[derive(Debug, Clone)]
pub struct TraceSource {
    /// The machine whose traces are sampled.
    machine: RandomMachine,
    /// Simulator of the machine, reused for every trace.
    simulator: TraceSimulator,
    /// Context length of the network, in tokens; a trace has one token more.
    length: usize,
}

impl TraceSource {
    /// The machine whose traces are sampled.
    pub fn machine(&self) -> &RandomMachine {
        &self.machine
    }

    /// Appends the `size` training traces of training step `step` in replica `replica` to `out` as tokens, `[size,
    /// length + 1]`.
    pub fn sample_batch(&mut self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Vec<u8>) {
        self.sample_examples(seed, replica, step, 0..size, out);
    }

    /// Appends the training traces with the indices `examples`, from 0, of training step `step` in replica
    /// `replica` to `out` as tokens, `[examples, length + 1]`.
    pub fn sample_examples(
        &mut self,
        seed: u64,
        replica: u32,
        step: u64,
        examples: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let words = TraceSimulator::random_words(self.length);
        let mut bits = vec![0; words * examples.len()];
        let first = (words * examples.start) as u32;
        RandomStream::new(seed, Purpose::Batch, replica).fill_u32(step, first, &mut bits);
        for bits in bits.chunks(words) {
            out.push(self.simulator.start(&self.machine, bits).token);
            out.extend((0..self.length).map(|_| self.simulator.step(&self.machine).token));
        }
    }

    /// Appends the part of the held-out traces `examples` (indices from 0) that begins at window number `window` of
    /// [`WINDOW_STARTS`], from 0, to `out`, `[examples, length + 1]`. In [`TracePosition::last_write`], positions
    /// are counted from the window's beginning; earlier writes count as none.
    pub fn sample_held_out(
        &mut self,
        seed: u64,
        window: usize,
        examples: Range<usize>,
        out: &mut Vec<TracePosition>,
    ) {
        let skip = self.length * WINDOW_STARTS.get(window).copied().unwrap_or(0);
        let words = TraceSimulator::random_words(skip + self.length);
        let stream = RandomStream::new(seed, Purpose::HeldOut, 0);
        let mut bits = vec![0; words];
        for example in examples {
            stream.fill_u32(window as u64, (example * words) as u32, &mut bits);
            let mut place = self.simulator.start(&self.machine, &bits);
            for _ in 0..skip {
                place = self.simulator.step(&self.machine);
            }
            out.push(TracePosition { last_write: None, ..place });
            for _ in 0..self.length {
                let TracePosition { token, last_write, cell } = self.simulator.step(&self.machine);
                out.push(TracePosition {
                    token,
                    last_write: last_write.and_then(|at| at.checked_sub(skip)),
                    cell,
                });
            }
        }
    }
}

/// Share of the predicted positions of the traces `places` at which the head is on a cell without an earlier write
/// in the trace ([`TracePosition::last_write`] is `None`). Each trace has `length + 1` positions, and the first is
/// not predicted.
pub fn new_cell_share(places: &[TracePosition], length: usize) -> f64 {
    let predicted = places.chunks(length + 1).flat_map(|trace| trace.iter().skip(1));
    let (new, all) = predicted
        .fold((0_u64, 0_u64), |(new, all), place| (new + u64::from(place.last_write.is_none()), all + 1));
    new as f64 / all.max(1) as f64
}

/// Index, from 0, of the class of [`WRITE_DISTANCES`] that contains `steps`, the number of steps since the last
/// write to a cell; `None` if no class does.
pub fn distance_class(steps: usize) -> Option<usize> {
    WRITE_DISTANCES.iter().position(|(from, to)| (*from..=*to).contains(&steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACES: TraceSettings =
        TraceSettings { control: StateControl::Table, states: 2, machine: 1, length: 64 };

    #[test]
    fn a_batch_is_a_function_of_seed_replica_and_step() {
        let mut source = TRACES.build_source();
        let mut draw = |seed, replica, step, size| {
            let mut out = vec![];
            source.sample_batch(seed, replica, step, size, &mut out);
            out
        };
        let base = draw(1, 0, 0, 40);
        assert_eq!(base.len(), 40 * 65);
        assert!(base.iter().all(|token| *token < 4));
        assert_eq!(base, draw(1, 0, 0, 40));
        for other in [draw(2, 0, 0, 40), draw(1, 1, 0, 40), draw(1, 0, 1, 40)] {
            assert_ne!(base, other);
        }
        assert_eq!(base, draw(1, 0, 0, 90)[..base.len()]);
    }

    #[test]
    fn the_last_write_determines_the_symbol() {
        let mut source = TRACES.build_source();
        let machine = source.machine().clone();
        for window in 0..WINDOW_STARTS.len() {
            let mut places = vec![];
            source.sample_held_out(3, window, 0..50, &mut places);
            assert_eq!(places.len(), 50 * 65);
            for trace in places.chunks(65) {
                assert_eq!(trace[0].last_write, None);
                for (at, place) in trace.iter().enumerate().skip(1) {
                    let rule = machine.rule(trace[at - 1].token);
                    assert_eq!(usize::from(place.token) / 2, rule.next, "the state follows");
                    let last = trace[..at].iter().rposition(|before| before.cell == place.cell);
                    assert_eq!(place.last_write, last);
                    if let Some(last) = last {
                        assert_eq!(usize::from(place.token) % 2, machine.rule(trace[last].token).write);
                        assert!(distance_class(at - last).is_some(), "{}", at - last);
                    }
                }
            }
        }
    }

    #[test]
    fn held_out_traces_depend_only_on_window_and_index() {
        let mut source = TRACES.build_source();
        let mut later = vec![];
        source.sample_held_out(3, 2, 7..8, &mut later);
        assert!(later.iter().any(|place| place.cell.abs() > 3));
        let mut both = vec![];
        source.sample_held_out(3, 2, 6..8, &mut both);
        assert_eq!(later, both[65..]);
    }

    /// The symbols of new cells are fair coins, and the minimum loss is their entropy.
    #[test]
    fn the_minimum_loss_is_the_entropy_of_the_new_cells() {
        let with_random_control = TraceSettings { control: StateControl::Random, ..TRACES };
        let mut source = with_random_control.build_source();
        let mut places = vec![];
        source.sample_held_out(5, 0, 0..2000, &mut places);
        let new = |place: &&TracePosition| place.last_write.is_none();
        let coins: Vec<u8> = places.iter().filter(new).map(|place| place.token % 2).collect();
        let ones = coins.iter().filter(|bit| **bit == 1).count() as f64 / coins.len() as f64;
        assert!((ones - 0.5).abs() < 0.01, "{ones}");
        let share = new_cell_share(&places, 64);
        assert!((0.1..0.45).contains(&share), "{share}");
        assert_eq!(TRACES.min_loss(&places), std::f64::consts::LN_2 * share);
        assert_eq!(with_random_control.min_loss(&places), std::f64::consts::LN_2 * share + libm::log(4.0));
        assert_eq!((TRACES.vocab_size(), with_random_control.vocab_size()), (4, 8));
    }

    #[test]
    fn metrics_are_in_the_order_of_distances_layers_and_windows() {
        let first = TraceMetric::TwoBack as usize;
        assert_eq!(TraceMetric::FartherBack as usize - first + 1, WRITE_DISTANCES.len());
        assert_eq!(
            TraceMetric::WriteAttentionLayer4 as usize - TraceMetric::WriteAttentionLayer1 as usize + 1,
            MAX_MEASURED_LAYERS
        );
        assert_eq!(
            TraceMetric::RunEightTimes as usize - TraceMetric::RunTwice as usize + 2,
            WINDOW_STARTS.len()
        );
        assert_eq!([2, 4, 16, 18, 40].map(distance_class), [0, 1, 4, 5, 5].map(Some));
        assert_eq!(distance_class(0), None);
    }
}
