//! Ordinary simulation of a Turing machine with a tape. The transformer's tokens are compared with it.
//!
//! ```text
//! step i   in state z(i−1) with symbol a(i−1) in cell l(i−1): write u(i), move to cell l(i), enter state z(i), read a(i)
//! ```
//!
//! The tape begins at cell 0 and is infinite to the right. The input is written from the start cell on, and the head begins
//! at the start cell. After halting nothing changes until the last step.

use super::error::MachineError;
use super::limits::{MAX_CELL, MAX_RUN_STEPS};
use super::machine::{Machine, Verdict};

/// State, symbol and head position after one step of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepRecord {
    /// Index, in the machine's states, of the state z(i) after step i.
    pub state: usize,
    /// Index, in the machine's symbols, of the symbol a(i) under the head after the move of step i.
    pub symbol: usize,
    /// Index, in the machine's symbols, of the symbol u(i) that step i wrote.
    pub written: usize,
    /// Number of the cell l(i) under the head after the move of step i.
    pub head: usize,
}

/// Why the simulation of a machine stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HaltReason {
    /// The state has no rules: a halting state.
    State {
        /// Index of the state.
        state: usize,
        /// Verdict of the state.
        verdict: Verdict,
    },
    /// The state has rules, but none for the symbol under the head.
    NoRule {
        /// Index of the state.
        state: usize,
        /// Index of the symbol.
        symbol: usize,
    },
}

impl HaltReason {
    /// A sentence, in the language of the page, with the reason why `machine` stopped.
    pub fn describe(self, machine: &Machine) -> String {
        let name = |state: usize| machine.state_names().get(state).cloned().unwrap_or_default();
        match self {
            HaltReason::State { state, verdict: Verdict::Accepts } => {
                tr!("The machine accepts in state {state}.", state = name(state))
            }
            HaltReason::State { state, verdict: Verdict::Rejects } => {
                tr!("The machine rejects in state {state}.", state = name(state))
            }
            HaltReason::State { state, .. } => {
                tr!("The machine halts in state {state}.", state = name(state))
            }
            HaltReason::NoRule { state, symbol } => tr!(
                "The machine stops because state {state} has no rule for the symbol {symbol}.",
                state = name(state),
                symbol = machine.format_symbols([symbol])
            ),
        }
    }
}

/// Step-by-step simulation of a machine on a tape that is infinite in both directions. Cell 0 is the first cell of the input.
///
/// ```
/// # use vivarium_science::machines::{Machine, Simulator};
/// let machine = Machine::parse("a 0 → 1 R a; a _ → _ S halt").unwrap();
/// let mut simulator = Simulator::new(&machine, &machine.parse_input("00").unwrap());
/// while simulator.step() {}
/// assert_eq!((simulator.steps(), simulator.head()), (3, 2));
/// ```
#[derive(Debug, Clone)]
pub struct Simulator<'a> {
    /// The machine that is simulated.
    machine: &'a Machine,
    /// Symbol indices of the tape's cells 0, 1, ….
    right: Vec<u8>,
    /// Symbol indices of the tape's cells −1, −2, ….
    left: Vec<u8>,
    /// Index, in the machine's states, of the current state.
    state: usize,
    /// Number of the tape cell under the head; 0 is the first cell of the input.
    head: i64,
    /// Number of machine steps made so far.
    steps: u64,
    /// Number of the leftmost tape cell that the head has visited.
    min_head: i64,
    /// Number of the rightmost tape cell that the head has visited.
    max_head: i64,
}

impl<'a> Simulator<'a> {
    /// A simulation before its first step; `input` holds the symbol indices from cell 0 on.
    pub fn new(machine: &'a Machine, input: &[usize]) -> Self {
        let right: Vec<u8> = input.iter().map(|symbol| *symbol as u8).collect();
        Simulator { machine, right, left: Vec::new(), state: 0, head: 0, steps: 0, min_head: 0, max_head: 0 }
    }

    /// Index, in the machine's symbols, of the symbol in tape cell `cell`; cell 0 is the first cell of the input.
    pub fn symbol_at(&self, cell: i64) -> usize {
        let (side, at) = if cell < 0 { (&self.left, -1 - cell) } else { (&self.right, cell) };
        side.get(at as usize).copied().map_or(0, usize::from)
    }

    /// Writes the symbol with index `symbol` into cell number `cell`, which may be negative; the tape grows if
    /// necessary.
    fn write(&mut self, cell: i64, symbol: usize) {
        let (side, at) = if cell < 0 { (&mut self.left, -1 - cell) } else { (&mut self.right, cell) };
        let at = at as usize;
        if at >= side.len() {
            side.resize(at + 1, 0);
        }
        side[at] = symbol as u8;
    }

    /// Makes one step. Returns `false` and changes nothing if the machine has stopped.
    pub fn step(&mut self) -> bool {
        let Some(rule) = self.machine.rule(self.state, self.symbol_at(self.head)) else { return false };
        self.write(self.head, rule.write);
        self.head += rule.step.offset();
        self.state = rule.next;
        self.steps += 1;
        self.min_head = self.min_head.min(self.head);
        self.max_head = self.max_head.max(self.head);
        true
    }

    /// Index, in the machine's states, of the current state.
    pub fn state(&self) -> usize {
        self.state
    }

    /// Number of the cell under the head; 0 is the first cell of the input.
    pub fn head(&self) -> i64 {
        self.head
    }

    /// Number of machine steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Numbers of the leftmost and the rightmost cell that the head has visited so far, the start cell 0 included.
    pub fn head_range(&self) -> (i64, i64) {
        (self.min_head, self.max_head)
    }

    /// Why the machine has stopped; `None` if it can continue.
    pub fn halt_reason(&self) -> Option<HaltReason> {
        let (state, symbol) = (self.state, self.symbol_at(self.head));
        let is_stopped = self.machine.rule(state, symbol).is_none();
        is_stopped.then(|| match self.machine.verdict(state) {
            Some(verdict) => HaltReason::State { state, verdict },
            None => HaltReason::NoRule { state, symbol },
        })
    }
}

/// A complete run of a machine on a tape that begins at cell 0.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineRun {
    /// Indices, in the machine's symbols, of the symbols of the input word.
    pub input: Vec<usize>,
    /// Start cell: the cell of the input's first symbol, where the head begins.
    pub start: usize,
    /// State, symbols and head position after each of the steps 1, 2, …; entry 0 belongs to step 1.
    pub records: Vec<StepRecord>,
    /// Number of steps before the machine stopped, and why it stopped; `None` if it did not stop within the run.
    pub halt: Option<(u64, HaltReason)>,
    /// Largest number of a cell that the input occupies or the head visits.
    pub max_cell: usize,
}

impl MachineRun {
    /// Simulates `steps` steps of a machine with this input and start cell.
    ///
    /// # Errors
    /// The number of steps or a cell is out of range, or the head leaves the tape at the left end.
    pub fn new(
        machine: &Machine,
        input: &[usize],
        start: usize,
        steps: usize,
    ) -> Result<MachineRun, MachineError> {
        if !(1..=MAX_RUN_STEPS).contains(&steps) {
            return Err(MachineError::StepsOutOfRange { found: steps as u64 });
        }
        let last = (start as u64).saturating_add((input.len() as u64).saturating_sub(1));
        if last > MAX_CELL {
            return Err(MachineError::CellTooLarge { cell: last });
        }
        let mut simulator = Simulator::new(machine, input);
        let mut records = Vec::with_capacity(steps);
        let mut left_at = None;
        for step in 1..=steps as u64 {
            let written = machine.transition(simulator.state, simulator.symbol_at(simulator.head)).write;
            simulator.step();
            let head = start as i64 + simulator.head;
            if head < 0 {
                left_at = left_at.or(Some(step));
            }
            records.push(StepRecord {
                state: simulator.state,
                symbol: simulator.symbol_at(simulator.head),
                written,
                head: head.max(0) as usize,
            });
        }
        if let Some(step) = left_at {
            return Err(MachineError::HeadLeavesTape { step, needed: simulator.min_head.unsigned_abs() });
        }
        let max_cell = (start as u64 + simulator.max_head.unsigned_abs()).max(last) as usize;
        let halt = simulator.halt_reason().map(|halt| (simulator.steps, halt));
        Ok(MachineRun { input: input.to_vec(), start, records, halt, max_cell })
    }

    /// State, symbol and head position before step 1; `written` is the blank.
    pub fn initial_record(&self) -> StepRecord {
        StepRecord {
            state: 0,
            symbol: self.input.first().copied().unwrap_or(0),
            written: 0,
            head: self.start,
        }
    }

    /// Symbol indices of the tape after `steps` steps, from cell 0 to `max_cell`.
    pub fn tape_after(&self, steps: usize) -> Vec<usize> {
        let mut tape = vec![0; self.max_cell + 1];
        for (cell, symbol) in tape.iter_mut().skip(self.start).zip(&self.input) {
            *cell = *symbol;
        }
        let mut head = self.start;
        for moment in self.records.iter().take(steps) {
            tape[head] = moment.written;
            head = moment.head;
        }
        tape
    }

    /// Minimum number of bits in which both the number of the last step and the largest cell number fit.
    pub fn position_bits(&self) -> u32 {
        let max = (self.records.len() as u64).max(self.max_cell as u64);
        (u64::BITS - max.leading_zeros()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, input: &str, start: usize, steps: usize) -> Result<MachineRun, String> {
        let machine = Machine::parse(text).unwrap();
        let input = machine.parse_input(input).unwrap();
        MachineRun::new(&machine, &input, start, steps).map_err(|mistake| mistake.to_string())
    }

    const INCREMENT: &str = "right 0 → 0 R right; right 1 → 1 R right; right _ → _ L carry;\
        carry 1 → 0 L carry; carry 0 → 1 S halt; carry _ → 1 S halt";

    #[test]
    fn the_increment_machine_adds_one() {
        let run = run(INCREMENT, "10111", 1, 14).unwrap();
        let machine = Machine::parse(INCREMENT).unwrap();
        assert_eq!(machine.format_symbols(run.tape_after(0)), "_10111_");
        assert_eq!(machine.format_symbols(run.tape_after(14)), "_11000_");
        let (steps, halt) = run.halt.unwrap();
        assert_eq!((steps, halt.describe(&machine).as_str()), (10, "The machine halts in state halt."));
        assert_eq!(run.records[13], StepRecord { state: 2, symbol: 2, written: 2, head: 2 });
        assert_eq!(run.initial_record(), StepRecord { state: 0, symbol: 2, written: 0, head: 1 });
        assert_eq!((run.max_cell, run.position_bits()), (6, 4));
    }

    #[test]
    fn a_machine_stops_where_it_has_no_rule() {
        let run = run("a 0 → 1 R a", "00", 0, 5).unwrap();
        let machine = Machine::parse("a 0 → 1 R a").unwrap();
        let (steps, halt) = run.halt.unwrap();
        let sentence = "The machine stops because state a has no rule for the symbol _.";
        assert_eq!((steps, halt.describe(&machine).as_str()), (2, sentence));
        assert_eq!(halt, HaltReason::NoRule { state: 0, symbol: 0 });
    }

    #[test]
    fn the_error_for_leaving_the_tape_names_a_start_cell() {
        let sentence = "the head leaves the tape on the left at step 3; choose 5 or more as the start cell";
        assert_eq!(run("a * → * L a", "", 2, 5).unwrap_err(), sentence);
        assert!(run("a * → * L a", "", 5, 5).is_ok());
    }

    #[test]
    fn steps_and_cells_out_of_range_are_rejected() {
        assert_eq!(
            run("a * → * L a", "", 2, 0).unwrap_err(),
            "the number of steps must be from 1 to 10000, but it is 0"
        );
        assert_eq!(
            run("a * → * L a", "", 2, 10_001).unwrap_err(),
            "the number of steps must be from 1 to 10000, but it is 10001"
        );
        let far = run("a * → * L a", "", 2_000_000, 1).unwrap_err();
        assert_eq!(
            far,
            "the start cell or the last symbol of the input is at cell 2000000, but the largest allowed cell is 16384"
        );
    }

    #[test]
    fn a_position_needs_as_many_bits_as_its_largest_number() {
        for (steps, bits) in [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (107, 7), (128, 8)] {
            assert_eq!(run("a * → * S a", "", 0, steps).unwrap().position_bits(), bits);
        }
    }
}
