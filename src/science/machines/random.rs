//! Small random machines that never halt: a rule for each state and symbol, drawn until the machine's traces are neither
//! trivial nor repetitive.
//!
//! # Accepted machines
//! The heads of most random machines never return to a cell, or repeat one pattern whatever is on the tape. A table of rules is
//! accepted if, over [`TRIAL_TAPES`] uniform tapes of [`TRIAL_STEPS`] steps each,
//!
//! ```text
//! each state is entered in at least 10 % of the steps
//! the head moves to a cell that it has visited before in 55 % to 90 % of the steps
//! at least 40 % of these cells were left four or more steps ago
//! each symbol is read in at least 20 % of these cells
//! ```
//!
//! Of the 4,096 tables of two states 128 are accepted. The bounds are our choice: traces then have both new and revisited
//! cells.
//!
//! # Why some machines have random control
//! Such a small machine repeats itself. For each accepted table of two states, the last six tokens determine at least nine of
//! ten symbols on revisited cells (a test counts them), so that a network can predict them without attending to the token that
//! wrote the cell. A [machine with random control](RandomMachine::with_random_control) draws its next state at random at every
//! step: the head does a random walk, written symbols are random, and only the token that wrote a cell determines its symbol.

use super::machine::{HeadMove, TransitionRule};
use vivarium_core::rng::{Purpose, RandomStream};

/// Number of different symbols that a cell of a random machine's tape can hold.
pub const TAPE_SYMBOLS: usize = 2;
/// Maximum number of states of a random machine whose traces a network learns.
pub const MAX_TRACE_STATES: usize = 4;
/// Number of random tapes on which rejection sampling tests a transition table.
pub const TRIAL_TAPES: usize = 8;
/// Number of steps on each of the [`TRIAL_TAPES`] random tapes on which rejection sampling tests a transition
/// table.
pub const TRIAL_STEPS: usize = 128;
/// Maximum number of transition tables that rejection sampling tests for one machine; the last one is used even if
/// it is not accepted.
const MAX_TRIED_TABLES: u64 = 4096;

/// Number of states of a machine with random control: one for each pair of written symbol and move.
pub const RANDOM_CONTROL_STATES: usize = 4;

/// A machine with a rule for every state and symbol, so that it never halts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomMachine {
    /// The rule for each token, that is, each pair of state and symbol read, at index `state · 2 + symbol`.
    rules: Vec<TransitionRule>,
    /// Whether the machine's next state is drawn at random at every step, instead of being given by the rule.
    has_random_control: bool,
}

/// Statistics of a machine's traces on random tapes, as shares from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceStatistics {
    /// Share of all steps that enter the state that is entered least often.
    pub min_state_share: f64,
    /// Share of the steps that move the head to a cell that it has visited before.
    pub revisit_share: f64,
    /// Share of the revisiting steps whose cell was left four or more steps ago.
    pub distant_revisit_share: f64,
    /// Share of the revisiting steps that read the rarer of the two symbols.
    pub min_symbol_share: f64,
}

impl TraceStatistics {
    /// Whether rejection sampling keeps a transition table with these statistics: at least 0.1 of the steps
    /// enter each state, 0.55 to 0.9 of the steps revisit a cell, and of these at least 0.4 after four or more steps and at
    /// least 0.2 with each symbol.
    pub fn is_acceptable(self) -> bool {
        self.min_state_share >= 0.1
            && (0.55..=0.9).contains(&self.revisit_share)
            && self.distant_revisit_share >= 0.4
            && self.min_symbol_share >= 0.2
    }
}

impl RandomMachine {
    /// The machine without random control whose rules are the digits of `code` in base `states · 4`; the lowest
    /// digit is the rule of state 0 and symbol 0, and the digit of a rule is next state · 4 + (2 if the head moves
    /// right, else 0) + symbol written.
    pub fn from_code(states: usize, mut code: u64) -> Self {
        let choices = (states * TAPE_SYMBOLS * 2) as u64;
        let rule = |_| {
            let digit = (code % choices) as usize;
            code /= choices;
            let step = if digit & 2 == 0 { HeadMove::Left } else { HeadMove::Right };
            TransitionRule { write: digit & 1, step, next: digit >> 2 }
        };
        RandomMachine { rules: (0..states * TAPE_SYMBOLS).map(rule).collect(), has_random_control: false }
    }

    /// The machine with random control: the state determines the written symbol and the move, and the next state is drawn
    /// uniformly from the four states at every step.
    pub fn with_random_control() -> Self {
        let rule = |token: usize| {
            let state = token / TAPE_SYMBOLS;
            let step = if state & 2 == 0 { HeadMove::Left } else { HeadMove::Right };
            TransitionRule { write: state & 1, step, next: state }
        };
        RandomMachine {
            rules: (0..RANDOM_CONTROL_STATES * TAPE_SYMBOLS).map(rule).collect(),
            has_random_control: true,
        }
    }

    /// Whether the machine's next state is drawn at random at every step, instead of being given by the rule.
    pub fn has_random_control(&self) -> bool {
        self.has_random_control
    }

    /// Draws a machine with `states` states: `number` selects a sequence of random transition tables, and the
    /// machine has the first table whose [`TraceStatistics`] are acceptable.
    pub fn draw(states: usize, number: u64) -> Self {
        let states = states.clamp(1, MAX_TRACE_STATES);
        let stream = RandomStream::new(number, Purpose::Machine, states as u32);
        let mut machine = RandomMachine::from_code(states, 0);
        for table in 0..MAX_TRIED_TABLES {
            for (token, rule) in machine.rules.iter_mut().enumerate() {
                let digit = stream.draw_below(table, token as u32, (states * 4) as u32) as usize;
                let step = if digit & 2 == 0 { HeadMove::Left } else { HeadMove::Right };
                *rule = TransitionRule { write: digit & 1, step, next: digit >> 2 };
            }
            if machine.measure_statistics().is_acceptable() {
                break;
            }
        }
        machine
    }

    /// Number of states of the random machine.
    pub fn state_count(&self) -> usize {
        self.rules.len() / TAPE_SYMBOLS
    }

    /// The rule for a token: a pair of state and symbol read, `state · 2 + symbol`.
    pub fn rule(&self, token: u8) -> TransitionRule {
        let none = TransitionRule { write: 0, step: HeadMove::Stay, next: 0 };
        self.rules.get(usize::from(token)).copied().unwrap_or(none)
    }

    /// The rules as text, one line per rule such as "A 0 → 1 R B"; with random control, one line per state such as "A → 1 R".
    pub fn rule_lines(&self) -> Vec<String> {
        if self.has_random_control {
            let states = self.rules.iter().step_by(TAPE_SYMBOLS).enumerate();
            let line = |(state, rule): (usize, &TransitionRule)| {
                format!("{} → {} {}", state_name(state), rule.write, rule.step.letter())
            };
            return states.map(line).collect();
        }
        let line = |(token, rule): (usize, &TransitionRule)| {
            let (state, symbol) = (state_name(token / TAPE_SYMBOLS), token % TAPE_SYMBOLS);
            format!("{state} {symbol} → {} {} {}", rule.write, rule.step.letter(), state_name(rule.next))
        };
        self.rules.iter().enumerate().map(line).collect()
    }

    /// Measures the statistics of the machine's traces on [`TRIAL_TAPES`] random tapes.
    pub fn measure_statistics(&self) -> TraceStatistics {
        let stream = RandomStream::new(0, Purpose::Machine, 0);
        let mut trace_simulator = TraceSimulator::new(TRIAL_STEPS);
        let mut entered = [0_usize; MAX_TRACE_STATES];
        let (mut returns, mut far, mut reads) = (0, 0, [0_usize; TAPE_SYMBOLS]);
        let mut words = vec![0; TraceSimulator::random_words(TRIAL_STEPS)];
        for tape in 0..TRIAL_TAPES {
            stream.fill_u32(0, (tape * words.len()) as u32, &mut words);
            trace_simulator.start(self, &words);
            for at in 1..=TRIAL_STEPS {
                let step = trace_simulator.step(self);
                entered[usize::from(step.token) / TAPE_SYMBOLS] += 1;
                if let Some(last) = step.last_write {
                    returns += 1;
                    far += usize::from(at - last >= 4);
                    reads[usize::from(step.token) % TAPE_SYMBOLS] += 1;
                }
            }
        }
        let (all, back) = ((TRIAL_TAPES * TRIAL_STEPS) as f64, f64::from(returns).max(1.0));
        let rarest = entered[..self.state_count()].iter().copied().min().unwrap_or(0);
        TraceStatistics {
            min_state_share: rarest as f64 / all,
            revisit_share: f64::from(returns) / all,
            distant_revisit_share: far as f64 / back,
            min_symbol_share: reads[0].min(reads[1]) as f64 / back,
        }
    }
}

/// Letter of a state: A for 0, B for 1, ….
pub fn state_name(state: usize) -> char {
    (b'A' + state.min(25) as u8).into()
}

/// Name of a token, a pair of state and symbol read, such as "A0": the letter of the state and the symbol.
pub fn token_name(token: u8) -> String {
    format!("{}{}", state_name(usize::from(token) / TAPE_SYMBOLS), usize::from(token) % TAPE_SYMBOLS)
}

/// One token of a machine's trace: what the machine reads at one step, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracePosition {
    /// State and symbol under the head, `state · 2 + symbol`.
    pub token: u8,
    /// Latest earlier position of the trace at which the head was on this cell and wrote it; `None` for a new cell.
    pub last_write: Option<usize>,
    /// Number of the tape cell under the head; the head begins on cell 0.
    pub cell: i64,
}

/// Number of random bits that each position of a trace takes: one for a symbol and two for a state.
const BITS_PER_POSITION: usize = 3;

/// Simulates a random machine on a uniformly random tape. The symbol of a cell is drawn when the head first visits the cell.
#[derive(Debug, Clone)]
pub struct TraceSimulator {
    /// For each tape cell its symbol, and 1 + the position in the trace at which it was last written (0: never).
    /// The head begins in the middle.
    cells: Vec<(u8, u32)>,
    /// Index into `cells` of the tape cell under the head.
    head: usize,
    /// Current position in the trace, from 0.
    position: usize,
    /// Token at the current position: state · 2 + symbol under the head.
    token: u8,
    /// Random words with [`BITS_PER_POSITION`] bits per position: one for the symbol of a new cell, the others for a random
    /// state.
    bits: Vec<u32>,
}

impl TraceSimulator {
    /// A simulator for traces of at most `steps` steps, that is, of `steps` + 1 positions.
    pub fn new(steps: usize) -> Self {
        TraceSimulator { cells: vec![(0, 0); 2 * steps + 3], head: 0, position: 0, token: 0, bits: vec![] }
    }

    /// Number of random 32-bit words that a trace of `steps` steps, with `steps` + 1 positions, takes.
    pub fn random_words(steps: usize) -> usize {
        (steps + 1) * BITS_PER_POSITION / 32 + 1
    }

    /// Random bit number `at`, from 0, of the trace's random words: the lowest bit of the first word is number 0.
    fn bit(&self, at: usize) -> usize {
        (self.bits.get(at / 32).copied().unwrap_or(0) >> (at % 32) & 1) as usize
    }

    /// The random symbol of a cell that the head first visits at position `place` of the trace.
    fn new_cell_symbol(&self, place: usize) -> u8 {
        self.bit(place * BITS_PER_POSITION) as u8
    }

    /// The random state, from 0 to 3, at position `place` of the trace.
    fn random_state(&self, place: usize) -> usize {
        self.bit(place * BITS_PER_POSITION + 1) + 2 * self.bit(place * BITS_PER_POSITION + 2)
    }

    /// Begins a trace at position 0: the start state (with random control, a random state) on a cell with a random
    /// symbol. `words` are the trace's random words.
    pub fn start(&mut self, machine: &RandomMachine, words: &[u32]) -> TracePosition {
        self.bits.clear();
        self.bits.extend(words);
        self.cells.fill((0, 0));
        (self.head, self.position) = (self.cells.len() / 2, 0);
        let state = if machine.has_random_control { self.random_state(0) } else { 0 };
        self.token = (state * TAPE_SYMBOLS) as u8 + self.new_cell_symbol(0);
        TracePosition { token: self.token, last_write: None, cell: 0 }
    }

    /// Makes one step of the machine and returns the new position of the trace.
    ///
    /// # Panics
    /// If there are more steps than the simulator was built for.
    pub fn step(&mut self, machine: &RandomMachine) -> TracePosition {
        let rule = machine.rule(self.token);
        self.cells[self.head] = (rule.write as u8, self.position as u32 + 1);
        self.position += 1;
        self.head = (self.head as i64 + rule.step.offset()) as usize;
        let (symbol, last_write) = match self.cells[self.head] {
            (_, 0) => (self.new_cell_symbol(self.position), None),
            (symbol, place) => (symbol, Some(place as usize - 1)),
        };
        let state = if machine.has_random_control { self.random_state(self.position) } else { rule.next };
        self.token = (state * TAPE_SYMBOLS) as u8 + symbol;
        let cell = self.head as i64 - (self.cells.len() / 2) as i64;
        TracePosition { token: self.token, last_write, cell }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hundred_twenty_eight_tables_of_two_states_are_accepted() {
        let accepted = (0..4096)
            .filter(|code| RandomMachine::from_code(2, *code).measure_statistics().is_acceptable())
            .count();
        assert_eq!(accepted, 128);
    }

    #[test]
    fn each_number_gives_one_accepted_machine() {
        for states in 2..=MAX_TRACE_STATES {
            let machines: Vec<_> = (0..8).map(|number| RandomMachine::draw(states, number)).collect();
            assert!(machines.iter().all(
                |machine| machine.measure_statistics().is_acceptable() && machine.state_count() == states
            ));
            assert_eq!(machines[3], RandomMachine::draw(states, 3));
            assert!(machines.iter().any(|machine| *machine != machines[0]));
        }
    }

    /// Share of the symbols on revisited cells that the most frequent symbol after the same six tokens predicts correctly.
    fn six_token_accuracy(machine: &RandomMachine) -> f64 {
        let stream = RandomStream::new(0, Purpose::Machine, 0);
        let (mut trace_simulator, mut words) =
            (TraceSimulator::new(TRIAL_STEPS), vec![0; TraceSimulator::random_words(TRIAL_STEPS)]);
        let mut seen = std::collections::BTreeMap::<Vec<u8>, [usize; 2]>::new();
        for tape in 0..16 {
            stream.fill_u32(0, (tape * words.len()) as u32, &mut words);
            let mut tokens = vec![trace_simulator.start(machine, &words).token];
            for at in 1..=TRIAL_STEPS {
                let place = trace_simulator.step(machine);
                if at >= 6 && place.last_write.is_some() {
                    let after = seen.entry(tokens[at - 6..].to_vec()).or_default();
                    after[usize::from(place.token) % 2] += 1;
                }
                tokens.push(place.token);
            }
        }
        let (correct, all) =
            seen.values().fold((0, 0), |(correct, all), [a, b]| (correct + a.max(b), all + a + b));
        correct as f64 / all as f64
    }

    #[test]
    fn six_tokens_predict_the_symbols_of_accepted_tables_but_random_control_needs_the_last_write() {
        let accepted = (0..4096).map(|code| RandomMachine::from_code(2, code));
        let correct = accepted
            .filter(|machine| machine.measure_statistics().is_acceptable())
            .map(|machine| six_token_accuracy(&machine));
        let min = correct.fold(1.0, f64::min);
        assert!(min > 0.9, "{min}");
        let machine = RandomMachine::with_random_control();
        let (mut trace_simulator, mut words) =
            (TraceSimulator::new(TRIAL_STEPS), vec![0; TraceSimulator::random_words(TRIAL_STEPS)]);
        RandomStream::new(7, Purpose::Machine, 0).fill_u32(0, 0, &mut words);
        let mut places = vec![trace_simulator.start(&machine, &words)];
        places.extend((0..TRIAL_STEPS).map(|_| trace_simulator.step(&machine)));
        for (at, place) in places.iter().enumerate() {
            if let Some(last) = place.last_write {
                let state = usize::from(places[last].token) / TAPE_SYMBOLS;
                assert_eq!(usize::from(place.token) % TAPE_SYMBOLS, state & 1, "{at}");
            }
        }
        let counts = (0..8).map(|token| places.iter().filter(|place| place.token == token).count());
        assert!(counts.clone().all(|count| count > 3), "{:?}", counts.collect::<Vec<_>>());
        assert_eq!(machine.rule_lines(), ["A → 0 L", "B → 1 L", "C → 0 R", "D → 1 R"]);
    }

    #[test]
    fn a_trace_equals_a_plain_simulation_on_the_same_tape() {
        let machine = RandomMachine::draw(3, 5);
        let words = [0x9e37_79b9, 0x7f4a_7c15, 3, 0x1234_5678, 0x9abc_def0, 77, 5];
        let mut trace_simulator = TraceSimulator::new(70);
        let mut places = vec![trace_simulator.start(&machine, &words)];
        places.extend((0..70).map(|_| trace_simulator.step(&machine)));
        // A plain simulation on a tape with the symbols of the first visits.
        let mut tape = std::collections::BTreeMap::new();
        let (mut cell, mut state) = (0_i64, 0);
        for (at, place) in places.iter().enumerate() {
            assert_eq!(place.cell, cell);
            assert_eq!(usize::from(place.token) / TAPE_SYMBOLS, state);
            let last = places[..at].iter().rposition(|before| before.cell == cell);
            assert_eq!(place.last_write, last);
            let symbol = usize::from(place.token) % TAPE_SYMBOLS;
            let known = *tape.entry(cell).or_insert(symbol);
            assert_eq!(known, symbol);
            let rule = machine.rule(place.token);
            tape.insert(cell, rule.write);
            (cell, state) = (cell + rule.step.offset(), rule.next);
        }
    }

    #[test]
    fn tokens_and_rules_have_short_names() {
        assert_eq!([0, 1, 2, 7].map(token_name), ["A0", "A1", "B0", "D1"]);
        assert_eq!(RandomMachine::from_code(2, 0o7).rule_lines()[..2], ["A 0 → 1 R B", "A 1 → 0 L A"]);
    }
}
