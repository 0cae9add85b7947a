//! Small random machines that never halt: a rule for each state and symbol, drawn until the machine's traces are worth predicting.
//!
//! # Which are accepted
//! Most random tables walk away and never look back, or repeat one pattern whatever stands on the tape. A table is accepted
//! if, over [`TAPES`] uniform tapes of [`STEPS`] steps each,
//!
//! ```text
//! each state is entered in at least 10 % of the steps
//! the head comes to a cell that it was on before in 55 % to 90 % of the steps
//! of these, at least 40 % were left four or more steps ago
//! and both symbols are read there, each in at least 20 %
//! ```
//!
//! Of the 4,096 tables of two states 128 are accepted. The bounds are ours: they keep both kinds of cells, old and new.
//!
//! # Why there are machines by lot
//! So small a machine repeats itself. Of each accepted table of two states the last six tokens alone tell at least nine of ten
//! symbols on cells that were written before (a test counts them), so that a network which predicts them need not look the
//! write up. A [machine by lot](RandomMachine::by_lot) draws its next state at every step: it wanders, what it writes is a
//! coin, and only the write itself tells what stands there.

use super::machine::{Move, Rule};
use vivarium_core::rng::{Purpose, Stream};

/// Symbols of the tape.
pub const TAPE_SYMBOLS: usize = 2;
/// Most states.
pub const MOST_TRACE_STATES: usize = 4;
/// Tapes on which a table is tried.
pub const TAPES: usize = 8;
/// Steps on each of them.
pub const STEPS: usize = 128;
/// Tables that are tried at most; the last one is taken as it is.
const MOST_TABLES: u64 = 4096;

/// States of a machine by lot: a symbol to write and a move each.
pub const STATES_BY_LOT: usize = 4;

/// A table of rules for every state and symbol: it never halts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomMachine {
    /// A rule for each token, `state · 2 + symbol`.
    rules: Vec<Rule>,
    /// Whether the next state is drawn by lot, whatever the rule says.
    is_by_lot: bool,
}

/// What a table does on random tapes, all as shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Habits {
    /// Steps in the state that is entered least.
    pub rarest_state: f64,
    /// Steps that come to a cell that the head was on before.
    pub returns: f64,
    /// Of these, those to a cell that was left four or more steps ago.
    pub far: f64,
    /// Of these, those that read the rarer symbol.
    pub rarer_symbol: f64,
}

impl Habits {
    /// Whether such a table is taken.
    pub fn are_fine(self) -> bool {
        self.rarest_state >= 0.1
            && (0.55..=0.9).contains(&self.returns)
            && self.far >= 0.4
            && self.rarer_symbol >= 0.2
    }
}

impl RandomMachine {
    /// The table with this number, `states · 4` possibilities for each rule, the rule of token 0 in the lowest digit.
    pub fn of_code(states: usize, mut code: u64) -> Self {
        let choices = (states * TAPE_SYMBOLS * 2) as u64;
        let rule = |_| {
            let digit = (code % choices) as usize;
            code /= choices;
            let step = if digit & 2 == 0 { Move::Left } else { Move::Right };
            Rule { write: digit & 1, step, next: digit >> 2 }
        };
        RandomMachine { rules: (0..states * TAPE_SYMBOLS).map(rule).collect(), is_by_lot: false }
    }

    /// The machine whose state says what it writes and where it goes, and whose next state is drawn by lot at every step, all
    /// four alike.
    pub fn by_lot() -> Self {
        let rule = |token: usize| {
            let state = token / TAPE_SYMBOLS;
            let step = if state & 2 == 0 { Move::Left } else { Move::Right };
            Rule { write: state & 1, step, next: state }
        };
        RandomMachine { rules: (0..STATES_BY_LOT * TAPE_SYMBOLS).map(rule).collect(), is_by_lot: true }
    }

    /// Whether the next state is drawn by lot.
    pub fn is_by_lot(&self) -> bool {
        self.is_by_lot
    }

    /// The machine of this number: the first table of its own row of random tables that is accepted.
    pub fn drawn(states: usize, number: u64) -> Self {
        let states = states.clamp(1, MOST_TRACE_STATES);
        let stream = Stream::new(number, Purpose::Machine, states as u32);
        let mut machine = RandomMachine::of_code(states, 0);
        for table in 0..MOST_TABLES {
            for (token, rule) in machine.rules.iter_mut().enumerate() {
                let digit = stream.below(table, token as u32, (states * 4) as u32) as usize;
                let step = if digit & 2 == 0 { Move::Left } else { Move::Right };
                *rule = Rule { write: digit & 1, step, next: digit >> 2 };
            }
            if machine.habits().are_fine() {
                break;
            }
        }
        machine
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.rules.len() / TAPE_SYMBOLS
    }

    /// What it does in the state and on the symbol of a token.
    pub fn rule(&self, token: u8) -> Rule {
        let none = Rule { write: 0, step: Move::Stay, next: 0 };
        self.rules.get(usize::from(token)).copied().unwrap_or(none)
    }

    /// Its table, a line for each rule: "A 0 → 1 R B"; by lot a line for each state: "A → 1 R".
    pub fn lines(&self) -> Vec<String> {
        if self.is_by_lot {
            let states = self.rules.iter().step_by(TAPE_SYMBOLS).enumerate();
            let line = |(state, rule): (usize, &Rule)| {
                format!("{} → {} {}", state_name(state), rule.write, rule.step.letter())
            };
            return states.map(line).collect();
        }
        let line = |(token, rule): (usize, &Rule)| {
            let (state, symbol) = (state_name(token / TAPE_SYMBOLS), token % TAPE_SYMBOLS);
            format!("{state} {symbol} → {} {} {}", rule.write, rule.step.letter(), state_name(rule.next))
        };
        self.rules.iter().enumerate().map(line).collect()
    }

    /// What it does on random tapes.
    pub fn habits(&self) -> Habits {
        let stream = Stream::new(0, Purpose::Machine, 0);
        let mut walk = Walk::new(STEPS);
        let mut entered = [0_usize; MOST_TRACE_STATES];
        let (mut returns, mut far, mut reads) = (0, 0, [0_usize; TAPE_SYMBOLS]);
        let mut words = vec![0; Walk::words(STEPS)];
        for tape in 0..TAPES {
            stream.words(0, (tape * words.len()) as u32, &mut words);
            walk.begin(self, &words);
            for at in 1..=STEPS {
                let step = walk.step(self);
                entered[usize::from(step.token) / TAPE_SYMBOLS] += 1;
                if let Some(last) = step.written {
                    returns += 1;
                    far += usize::from(at - last >= 4);
                    reads[usize::from(step.token) % TAPE_SYMBOLS] += 1;
                }
            }
        }
        let (all, back) = ((TAPES * STEPS) as f64, f64::from(returns).max(1.0));
        let rarest = entered[..self.states()].iter().copied().min().unwrap_or(0);
        Habits {
            rarest_state: rarest as f64 / all,
            returns: f64::from(returns) / all,
            far: far as f64 / back,
            rarer_symbol: reads[0].min(reads[1]) as f64 / back,
        }
    }
}

/// "A", "B".
pub fn state_name(state: usize) -> char {
    (b'A' + state.min(25) as u8).into()
}

/// "A0": the state and the symbol of a token.
pub fn token_name(token: u8) -> String {
    format!("{}{}", state_name(usize::from(token) / TAPE_SYMBOLS), usize::from(token) % TAPE_SYMBOLS)
}

/// What is so at one place of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// State and symbol under the head, `state · 2 + symbol`.
    pub token: u8,
    /// The place at which the head was last on this cell, and wrote it; none on a cell where it never was.
    pub written: Option<usize>,
    /// The cell, from the first one.
    pub cell: i64,
}

/// Random bits of a place.
const BITS: usize = 3;

/// A machine on its way over a uniform tape, which is drawn where the head comes to a cell for the first time.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Symbol of each cell and, from 1, the place at which it was written; the head begins in the middle.
    cells: Vec<(u8, u32)>,
    head: usize,
    at: usize,
    now: u8,
    /// [`BITS`] for each place: one for a new cell, the others for a state that is drawn.
    bits: Vec<u32>,
}

impl Walk {
    /// Memory for walks of so many steps.
    pub fn new(steps: usize) -> Self {
        Walk { cells: vec![(0, 0); 2 * steps + 3], head: 0, at: 0, now: 0, bits: vec![] }
    }

    /// Random words that a walk of so many steps takes.
    pub fn words(steps: usize) -> usize {
        (steps + 1) * BITS / 32 + 1
    }

    fn bit(&self, at: usize) -> usize {
        (self.bits.get(at / 32).copied().unwrap_or(0) >> (at % 32) & 1) as usize
    }

    /// A symbol for the cell of a place, if that is new.
    fn coin(&self, place: usize) -> u8 {
        self.bit(place * BITS) as u8
    }

    /// A state for a place, if that is drawn by lot.
    fn lot(&self, place: usize) -> usize {
        self.bit(place * BITS + 1) + 2 * self.bit(place * BITS + 2)
    }

    /// Stands at the first place, in the start state, or one that is drawn, on a cell with a random symbol.
    pub fn begin(&mut self, machine: &RandomMachine, words: &[u32]) -> Place {
        self.bits.clear();
        self.bits.extend(words);
        self.cells.fill((0, 0));
        (self.head, self.at) = (self.cells.len() / 2, 0);
        let state = if machine.is_by_lot { self.lot(0) } else { 0 };
        self.now = (state * TAPE_SYMBOLS) as u8 + self.coin(0);
        Place { token: self.now, written: None, cell: 0 }
    }

    /// Makes a step, and says what is so after it.
    ///
    /// # Panics
    /// If more steps are made than there is memory for.
    pub fn step(&mut self, machine: &RandomMachine) -> Place {
        let rule = machine.rule(self.now);
        self.cells[self.head] = (rule.write as u8, self.at as u32 + 1);
        self.at += 1;
        self.head = (self.head as i64 + rule.step.offset()) as usize;
        let (symbol, written) = match self.cells[self.head] {
            (_, 0) => (self.coin(self.at), None),
            (symbol, place) => (symbol, Some(place as usize - 1)),
        };
        let state = if machine.is_by_lot { self.lot(self.at) } else { rule.next };
        self.now = (state * TAPE_SYMBOLS) as u8 + symbol;
        let cell = self.head as i64 - (self.cells.len() / 2) as i64;
        Place { token: self.now, written, cell }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_tables_of_two_states_are_accepted() {
        let accepted = (0..4096).filter(|code| RandomMachine::of_code(2, *code).habits().are_fine()).count();
        assert_eq!(accepted, 128);
    }

    #[test]
    fn a_number_gives_one_machine_and_it_is_accepted() {
        for states in 2..=MOST_TRACE_STATES {
            let machines: Vec<_> = (0..8).map(|number| RandomMachine::drawn(states, number)).collect();
            assert!(machines.iter().all(|machine| machine.habits().are_fine() && machine.states() == states));
            assert_eq!(machines[3], RandomMachine::drawn(states, 3));
            assert!(machines.iter().any(|machine| *machine != machines[0]));
        }
    }

    /// Of the symbols on written cells, the share that the commonest one after the last six tokens tells.
    fn told_by_six(machine: &RandomMachine) -> f64 {
        let stream = Stream::new(0, Purpose::Machine, 0);
        let (mut walk, mut words) = (Walk::new(STEPS), vec![0; Walk::words(STEPS)]);
        let mut seen = std::collections::BTreeMap::<Vec<u8>, [usize; 2]>::new();
        for tape in 0..16 {
            stream.words(0, (tape * words.len()) as u32, &mut words);
            let mut tokens = vec![walk.begin(machine, &words).token];
            for at in 1..=STEPS {
                let place = walk.step(machine);
                if at >= 6 && place.written.is_some() {
                    let after = seen.entry(tokens[at - 6..].to_vec()).or_default();
                    after[usize::from(place.token) % 2] += 1;
                }
                tokens.push(place.token);
            }
        }
        let (told, all) = seen.values().fold((0, 0), |(told, all), [a, b]| (told + a.max(b), all + a + b));
        told as f64 / all as f64
    }

    #[test]
    fn the_last_tokens_tell_what_a_small_table_reads_and_not_what_one_by_lot_does() {
        let accepted = (0..4096).map(|code| RandomMachine::of_code(2, code));
        let told =
            accepted.filter(|machine| machine.habits().are_fine()).map(|machine| told_by_six(&machine));
        let least = told.fold(1.0, f64::min);
        assert!(least > 0.9, "{least}");
        let machine = RandomMachine::by_lot();
        let (mut walk, mut words) = (Walk::new(STEPS), vec![0; Walk::words(STEPS)]);
        Stream::new(7, Purpose::Machine, 0).words(0, 0, &mut words);
        let mut places = vec![walk.begin(&machine, &words)];
        places.extend((0..STEPS).map(|_| walk.step(&machine)));
        for (at, place) in places.iter().enumerate() {
            if let Some(last) = place.written {
                let state = usize::from(places[last].token) / TAPE_SYMBOLS;
                assert_eq!(usize::from(place.token) % TAPE_SYMBOLS, state & 1, "{at}");
            }
        }
        let counts = (0..8).map(|token| places.iter().filter(|place| place.token == token).count());
        assert!(counts.clone().all(|count| count > 3), "{:?}", counts.collect::<Vec<_>>());
        assert_eq!(machine.lines(), ["A → 0 L", "B → 1 L", "C → 0 R", "D → 1 R"]);
    }

    #[test]
    fn a_walk_is_that_of_a_machine_on_a_tape() {
        let machine = RandomMachine::drawn(3, 5);
        let words = [0x9e37_79b9, 0x7f4a_7c15, 3, 0x1234_5678, 0x9abc_def0, 77, 5];
        let mut walk = Walk::new(70);
        let mut places = vec![walk.begin(&machine, &words)];
        places.extend((0..70).map(|_| walk.step(&machine)));
        // The tape as it is found on first visits, and a plain simulation on it.
        let mut tape = std::collections::BTreeMap::new();
        let (mut cell, mut state) = (0_i64, 0);
        for (at, place) in places.iter().enumerate() {
            assert_eq!(place.cell, cell);
            assert_eq!(usize::from(place.token) / TAPE_SYMBOLS, state);
            let last = places[..at].iter().rposition(|before| before.cell == cell);
            assert_eq!(place.written, last);
            let symbol = usize::from(place.token) % TAPE_SYMBOLS;
            let known = *tape.entry(cell).or_insert(symbol);
            assert_eq!(known, symbol);
            let rule = machine.rule(place.token);
            tape.insert(cell, rule.write);
            (cell, state) = (cell + rule.step.offset(), rule.next);
        }
    }

    #[test]
    fn names_are_short() {
        assert_eq!([0, 1, 2, 7].map(token_name), ["A0", "A1", "B0", "D1"]);
        assert_eq!(RandomMachine::of_code(2, 0o7).lines()[..2], ["A 0 → 1 R B", "A 1 → 0 L A"]);
    }
}
