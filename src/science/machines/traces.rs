//! Traces of a small random machine as sequences of tokens, what the best prediction of the next token loses, and what is
//! measured of a network that predicts them.
//!
//! ```text
//! token i        the state after i steps and the symbol under the head
//! next token     its state and its cell follow from token i and the rules; its symbol is what the last step that wrote this
//!                cell wrote there, or, where the head was never before, a fair coin
//! least loss     ln 2 × the share of cells that are new; by lot ln 4 more, for the state
//! ```
//!
//! Nothing but the tokens is told: where the head is follows from all moves so far, and what was written from the token of
//! that step. The constructed transformer of [`super::Construction`] has position bits and a search for this; here a network
//! has to find some way of its own.
//!
//! # Which words draw what
//! Trace e of a batch takes words `e·W` to `e·W + W − 1` of [`Purpose::Batch`] at the training step, three bits for each
//! place: the first is used where a cell is new, the others where the state is drawn by lot. Held-out traces take those of [`Purpose::HeldOut`] in replica 0,
//! with the number of their [`Window`] as the step.

use std::ops::Range;

use super::random::{Place, RandomMachine, STATES_BY_LOT, TAPE_SYMBOLS, Walk};
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, Stream};

/// How far a trace has gone when a network begins to read it, in lengths of a context.
pub const WINDOWS: [usize; 4] = [0, 1, 3, 7];

/// Most layers whose attention is measured.
pub const MOST_LAYERS: usize = 4;

/// Steps back to the write, from and to, by which accuracy is told apart; they are even, since each step moves the head.
pub const DISTANCES: [(usize, usize); 6] = [(2, 2), (4, 4), (6, 6), (8, 8), (10, 16), (18, usize::MAX)];

choices! {
    /// Where a machine's next state comes from.
    pub enum Control {
        /// From its table of rules.
        Table = "table", "By the table of rules";
        /// It is drawn at every step.
        Lot = "lot", "Drawn at random";
    }
}

choices! {
    /// What is measured of a network on traces besides its loss and its accuracy on cells that were written.
    pub enum TraceMeasure {
        /// Cross-entropy above the least, in nats a token.
        Excess = "excess", "Loss above the least possible loss";
        /// Accuracy where the cell is new, for which a half is best.
        New = "new-cells", "New cells";
        /// Accuracy where the last write was two steps ago.
        Two = "two-back", "2 steps back";
        /// Four steps ago.
        Four = "four-back", "4 steps back";
        /// Six steps ago.
        Six = "six-back", "6 steps back";
        /// Eight steps ago.
        Eight = "eight-back", "8 steps back";
        /// Ten to sixteen steps ago.
        Ten = "ten-back", "10 to 16 steps back";
        /// Longer ago.
        Farther = "farther-back", "18 or more steps back";
        /// Attention on the most recent write, where it was four or more steps ago, of the head of layer 1 that looks
        /// there most.
        First = "write-1", "Layer 1";
        /// Of layer 2.
        Second = "write-2", "Layer 2";
        /// Of layer 3.
        Third = "write-3", "Layer 3";
        /// Of layer 4.
        Fourth = "write-4", "Layer 4";
        /// What attention that is even over all places would have there.
        Even = "write-even", "Uniform attention";
        /// Accuracy on cells that were written within the context, when it ends at twice its length.
        Twice = "run-2", "Run of twice the length";
        /// At four times its length.
        FourTimes = "run-4", "Run of four times the length";
        /// At eight times its length.
        EightTimes = "run-8", "Run of eight times the length";
    }
}

/// What traces are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traces {
    /// Where its next state comes from.
    pub control: Control,
    /// States of a machine with a table.
    pub states: usize,
    /// Which machine it is.
    pub machine: u64,
    /// Tokens of a context: a sequence has one more.
    pub length: usize,
}

impl Traces {
    /// Tokens that there are.
    pub fn tokens(&self) -> usize {
        let states = if self.control == Control::Lot { STATES_BY_LOT } else { self.states };
        states * TAPE_SYMBOLS
    }

    /// The least cross-entropy that a prediction can have on average over these traces of it, each from its beginning, in
    /// nats a token.
    pub fn least_loss(&self, places: &[Place]) -> f64 {
        let coins = std::f64::consts::LN_2 * share_of_new(places, self.length);
        if self.control == Control::Lot { coins + libm::log(STATES_BY_LOT as f64) } else { coins }
    }

    /// What draws them: the machine with its memory.
    pub fn source(&self) -> TraceSource {
        let machine = match self.control {
            Control::Table => RandomMachine::drawn(self.states, self.machine),
            Control::Lot => RandomMachine::by_lot(),
        };
        TraceSource {
            walk: Walk::new(self.length * (WINDOWS[WINDOWS.len() - 1] + 1)),
            machine,
            length: self.length,
        }
    }
}

/// Draws traces of one machine.
#[derive(Debug, Clone)]
pub struct TraceSource {
    machine: RandomMachine,
    walk: Walk,
    length: usize,
}

impl TraceSource {
    /// The machine.
    pub fn machine(&self) -> &RandomMachine {
        &self.machine
    }

    /// Appends the training traces of `step` in `replica`, `[size, length + 1]`.
    pub fn batch(&mut self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Vec<u8>) {
        self.some(seed, replica, step, 0..size, out);
    }

    /// Appends some of the training traces of `step` in `replica`, `[examples, length + 1]`.
    pub fn some(&mut self, seed: u64, replica: u32, step: u64, examples: Range<usize>, out: &mut Vec<u8>) {
        let words = Walk::words(self.length);
        let mut bits = vec![0; words * examples.len()];
        let first = (words * examples.start) as u32;
        Stream::new(seed, Purpose::Batch, replica).words(step, first, &mut bits);
        for bits in bits.chunks(words) {
            out.push(self.walk.begin(&self.machine, bits).token);
            out.extend((0..self.length).map(|_| self.walk.step(&self.machine).token));
        }
    }

    /// Appends held-out traces, from the place on at which window number `window` of [`WINDOWS`] begins:
    /// `[examples, length + 1]`. Writes before that are forgotten, so that a place's `written` is within the window.
    pub fn held_out(&mut self, seed: u64, window: usize, examples: Range<usize>, out: &mut Vec<Place>) {
        let skip = self.length * WINDOWS.get(window).copied().unwrap_or(0);
        let words = Walk::words(skip + self.length);
        let stream = Stream::new(seed, Purpose::HeldOut, 0);
        let mut bits = vec![0; words];
        for example in examples {
            stream.words(window as u64, (example * words) as u32, &mut bits);
            let mut place = self.walk.begin(&self.machine, &bits);
            for _ in 0..skip {
                place = self.walk.step(&self.machine);
            }
            out.push(Place { written: None, ..place });
            for _ in 0..self.length {
                let Place { token, written, cell } = self.walk.step(&self.machine);
                out.push(Place { token, written: written.and_then(|at| at.checked_sub(skip)), cell });
            }
        }
    }
}

/// Predictions of these traces, each of `length + 1` places, that are of a cell that is new: of the first token nothing is
/// predicted.
pub fn share_of_new(places: &[Place], length: usize) -> f64 {
    let predicted = places.chunks(length + 1).flat_map(|trace| trace.iter().skip(1));
    let (new, all) = predicted
        .fold((0_u64, 0_u64), |(new, all), place| (new + u64::from(place.written.is_none()), all + 1));
    new as f64 / all.max(1) as f64
}

/// Which of [`DISTANCES`] a write so many steps ago belongs to.
pub fn class_of(steps: usize) -> Option<usize> {
    DISTANCES.iter().position(|(from, to)| (*from..=*to).contains(&steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACES: Traces = Traces { control: Control::Table, states: 2, machine: 1, length: 64 };

    #[test]
    fn a_batch_is_a_function_of_seed_replica_and_step() {
        let mut source = TRACES.source();
        let mut draw = |seed, replica, step, size| {
            let mut out = vec![];
            source.batch(seed, replica, step, size, &mut out);
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
    fn the_most_recent_write_says_the_symbol() {
        let mut source = TRACES.source();
        let machine = source.machine().clone();
        for window in 0..WINDOWS.len() {
            let mut places = vec![];
            source.held_out(3, window, 0..50, &mut places);
            assert_eq!(places.len(), 50 * 65);
            for trace in places.chunks(65) {
                assert_eq!(trace[0].written, None);
                for (at, place) in trace.iter().enumerate().skip(1) {
                    let rule = machine.rule(trace[at - 1].token);
                    assert_eq!(usize::from(place.token) / 2, rule.next, "the state follows");
                    let last = trace[..at].iter().rposition(|before| before.cell == place.cell);
                    assert_eq!(place.written, last);
                    if let Some(last) = last {
                        assert_eq!(usize::from(place.token) % 2, machine.rule(trace[last].token).write);
                        assert!(class_of(at - last).is_some(), "{}", at - last);
                    }
                }
            }
        }
    }

    #[test]
    fn windows_are_parts_of_longer_runs() {
        let mut source = TRACES.source();
        let mut later = vec![];
        source.held_out(3, 2, 7..8, &mut later);
        assert!(later.iter().any(|place| place.cell.abs() > 3));
        let mut both = vec![];
        source.held_out(3, 2, 6..8, &mut both);
        assert_eq!(later, both[65..]);
    }

    /// New cells are fair coins: their symbols are even, and no less than their entropy can be lost on them.
    #[test]
    fn the_least_loss_is_a_coin_for_every_new_cell() {
        let by_lot = Traces { control: Control::Lot, ..TRACES };
        let mut source = by_lot.source();
        let mut places = vec![];
        source.held_out(5, 0, 0..2000, &mut places);
        let new = |place: &&Place| place.written.is_none();
        let coins: Vec<u8> = places.iter().filter(new).map(|place| place.token % 2).collect();
        let ones = coins.iter().filter(|bit| **bit == 1).count() as f64 / coins.len() as f64;
        assert!((ones - 0.5).abs() < 0.01, "{ones}");
        let share = share_of_new(&places, 64);
        assert!((0.1..0.45).contains(&share), "{share}");
        assert_eq!(TRACES.least_loss(&places), std::f64::consts::LN_2 * share);
        assert_eq!(by_lot.least_loss(&places), std::f64::consts::LN_2 * share + libm::log(4.0));
        assert_eq!((TRACES.tokens(), by_lot.tokens()), (4, 8));
    }

    #[test]
    fn measures_of_distances_stand_in_their_order() {
        let first = TraceMeasure::Two as usize;
        assert_eq!(TraceMeasure::Farther as usize - first + 1, DISTANCES.len());
        assert_eq!(TraceMeasure::Fourth as usize - TraceMeasure::First as usize + 1, MOST_LAYERS);
        assert_eq!(TraceMeasure::EightTimes as usize - TraceMeasure::Twice as usize + 2, WINDOWS.len());
        assert_eq!([2, 4, 16, 18, 40].map(class_of), [0, 1, 4, 5, 5].map(Some));
        assert_eq!(class_of(0), None);
    }
}
