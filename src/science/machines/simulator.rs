//! The ordinary simulator, with a tape: what the transformer's tokens are compared with.
//!
//! ```text
//! step i   read the symbol a(i−1) in cell l(i−1), write u(i) there, go to cell l(i), be in state z(i), read a(i)
//! ```
//!
//! The tape begins at cell 0 and has no end on the right. The input stands from the start cell on, where the head begins. A
//! machine that has halted does nothing more until the last step.

use super::limits::{MOST_CELL, MOST_STEPS};
use super::machine::{Machine, Verdict};
use super::mistake::Mistake;

/// What is so after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The state z(i), by number.
    pub state: usize,
    /// The symbol a(i) under the head, by number.
    pub symbol: usize,
    /// The symbol u(i) that was written, by number.
    pub written: usize,
    /// The cell l(i) of the head.
    pub head: usize,
}

/// Why a machine stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// It is in a state without rules.
    State {
        /// The state.
        state: usize,
        /// How this state ends a run.
        verdict: Verdict,
    },
    /// Its state has no rule for the symbol under the head.
    NoRule {
        /// The state.
        state: usize,
        /// The symbol.
        symbol: usize,
    },
}

impl Halt {
    /// The reason in a sentence.
    pub fn sentence(self, machine: &Machine) -> String {
        let name = |state: usize| machine.states().get(state).cloned().unwrap_or_default();
        match self {
            Halt::State { state, verdict: Verdict::Accepts } => {
                tr!("The machine accepts in state {state}.", state = name(state))
            }
            Halt::State { state, verdict: Verdict::Rejects } => {
                tr!("The machine rejects in state {state}.", state = name(state))
            }
            Halt::State { state, .. } => tr!("The machine halts in state {state}.", state = name(state)),
            Halt::NoRule { state, symbol } => tr!(
                "The machine stops because state {state} has no rule for the symbol {symbol}.",
                state = name(state),
                symbol = machine.spell([symbol])
            ),
        }
    }
}

/// A machine at work on its tape. The tape grows on either side; cells are counted from the input's first.
///
/// ```
/// # use vivarium_science::machines::{Machine, Simulator};
/// let machine = Machine::parse("a 0 → 1 R a; a _ → _ S halt").unwrap();
/// let mut simulator = Simulator::new(&machine, &machine.read("00").unwrap());
/// while simulator.step() {}
/// assert_eq!((simulator.steps(), simulator.head()), (3, 2));
/// ```
#[derive(Debug, Clone)]
pub struct Simulator<'a> {
    machine: &'a Machine,
    /// Cells from 0 on.
    right: Vec<u8>,
    /// Cells from −1 to the left.
    left: Vec<u8>,
    state: usize,
    head: i64,
    steps: u64,
    least: i64,
    most: i64,
}

impl<'a> Simulator<'a> {
    /// The machine before its first step, with an input from cell 0 on.
    pub fn new(machine: &'a Machine, input: &[usize]) -> Self {
        let right: Vec<u8> = input.iter().map(|symbol| *symbol as u8).collect();
        Simulator { machine, right, left: Vec::new(), state: 0, head: 0, steps: 0, least: 0, most: 0 }
    }

    /// The symbol of a cell.
    pub fn read(&self, cell: i64) -> usize {
        let (side, at) = if cell < 0 { (&self.left, -1 - cell) } else { (&self.right, cell) };
        side.get(at as usize).copied().map_or(0, usize::from)
    }

    fn write(&mut self, cell: i64, symbol: usize) {
        let (side, at) = if cell < 0 { (&mut self.left, -1 - cell) } else { (&mut self.right, cell) };
        let at = at as usize;
        if at >= side.len() {
            side.resize(at + 1, 0);
        }
        side[at] = symbol as u8;
    }

    /// Makes a step; `false`, and nothing is done, where the machine has halted.
    pub fn step(&mut self) -> bool {
        let Some(rule) = self.machine.rule(self.state, self.read(self.head)) else { return false };
        self.write(self.head, rule.write);
        self.head += rule.step.offset();
        self.state = rule.next;
        self.steps += 1;
        self.least = self.least.min(self.head);
        self.most = self.most.max(self.head);
        true
    }

    /// The state, by number.
    pub fn state(&self) -> usize {
        self.state
    }

    /// The cell of the head.
    pub fn head(&self) -> i64 {
        self.head
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The leftmost and the rightmost cell where the head has been.
    pub fn reach(&self) -> (i64, i64) {
        (self.least, self.most)
    }

    /// Why the machine stands still; none while it has a rule.
    pub fn halt(&self) -> Option<Halt> {
        let (state, symbol) = (self.state, self.read(self.head));
        let stands = self.machine.rule(state, symbol).is_none();
        stands.then(|| match self.machine.verdict(state) {
            Some(verdict) => Halt::State { state, verdict },
            None => Halt::NoRule { state, symbol },
        })
    }
}

/// A whole run on a tape that begins at cell 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The input, by number.
    pub input: Vec<usize>,
    /// The cell where the head begins, and the input.
    pub start: usize,
    /// What is so after steps 1, 2, ….
    pub moments: Vec<Moment>,
    /// Why the machine stands still after the last step, and how many steps it made before; none where it still works.
    pub halt: Option<(u64, Halt)>,
    /// The largest cell of the input or of the head.
    pub largest: usize,
}

impl Run {
    /// So many steps of a machine from this input and start cell.
    pub fn new(machine: &Machine, input: &[usize], start: usize, steps: usize) -> Result<Run, Mistake> {
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(Mistake::Steps { found: steps as u64 });
        }
        let last = (start as u64).saturating_add((input.len() as u64).saturating_sub(1));
        if last > MOST_CELL {
            return Err(Mistake::Cell { cell: last });
        }
        let mut simulator = Simulator::new(machine, input);
        let mut moments = Vec::with_capacity(steps);
        let mut left_at = None;
        for step in 1..=steps as u64 {
            let written = machine.transition(simulator.state, simulator.read(simulator.head)).write;
            simulator.step();
            let head = start as i64 + simulator.head;
            if head < 0 {
                left_at = left_at.or(Some(step));
            }
            moments.push(Moment {
                state: simulator.state,
                symbol: simulator.read(simulator.head),
                written,
                head: head.max(0) as usize,
            });
        }
        if let Some(step) = left_at {
            return Err(Mistake::OffTheTape { step, needed: simulator.least.unsigned_abs() });
        }
        let largest = (start as u64 + simulator.most.unsigned_abs()).max(last) as usize;
        let halt = simulator.halt().map(|halt| (simulator.steps, halt));
        Ok(Run { input: input.to_vec(), start, moments, halt, largest })
    }

    /// What is so before the first step; nothing was written yet, which is given as the blank.
    pub fn beginning(&self) -> Moment {
        Moment { state: 0, symbol: self.input.first().copied().unwrap_or(0), written: 0, head: self.start }
    }

    /// The tape after so many steps, from cell 0 to the largest cell.
    pub fn tape(&self, steps: usize) -> Vec<usize> {
        let mut tape = vec![0; self.largest + 1];
        for (cell, symbol) in tape.iter_mut().skip(self.start).zip(&self.input) {
            *cell = *symbol;
        }
        let mut head = self.start;
        for moment in self.moments.iter().take(steps) {
            tape[head] = moment.written;
            head = moment.head;
        }
        tape
    }

    /// Fewest bits that hold the number of the last step and the largest cell.
    pub fn position_bits(&self) -> u32 {
        let most = (self.moments.len() as u64).max(self.largest as u64);
        (u64::BITS - most.leading_zeros()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, input: &str, start: usize, steps: usize) -> Result<Run, String> {
        let machine = Machine::parse(text).unwrap();
        let input = machine.read(input).unwrap();
        Run::new(&machine, &input, start, steps).map_err(|mistake| mistake.to_string())
    }

    const INCREMENT: &str = "right 0 → 0 R right; right 1 → 1 R right; right _ → _ L carry;\
        carry 1 → 0 L carry; carry 0 → 1 S halt; carry _ → 1 S halt";

    #[test]
    fn a_number_is_increased() {
        let run = run(INCREMENT, "10111", 1, 14).unwrap();
        let machine = Machine::parse(INCREMENT).unwrap();
        assert_eq!(machine.spell(run.tape(0)), "_10111_");
        assert_eq!(machine.spell(run.tape(14)), "_11000_");
        let (steps, halt) = run.halt.unwrap();
        assert_eq!((steps, halt.sentence(&machine).as_str()), (10, "The machine halts in state halt."));
        assert_eq!(run.moments[13], Moment { state: 2, symbol: 2, written: 2, head: 2 });
        assert_eq!(run.beginning(), Moment { state: 0, symbol: 2, written: 0, head: 1 });
        assert_eq!((run.largest, run.position_bits()), (6, 4));
    }

    #[test]
    fn a_missing_rule_is_a_reason_to_stop() {
        let run = run("a 0 → 1 R a", "00", 0, 5).unwrap();
        let machine = Machine::parse("a 0 → 1 R a").unwrap();
        let (steps, halt) = run.halt.unwrap();
        let sentence = "The machine stops because state a has no rule for the symbol _.";
        assert_eq!((steps, halt.sentence(&machine).as_str()), (2, sentence));
        assert_eq!(halt, Halt::NoRule { state: 0, symbol: 0 });
    }

    #[test]
    fn a_head_that_leaves_the_tape_says_where_to_start() {
        let sentence = "the head leaves the tape on the left at step 3; choose 5 or more as the start cell";
        assert_eq!(run("a * → * L a", "", 2, 5).unwrap_err(), sentence);
        assert!(run("a * → * L a", "", 5, 5).is_ok());
    }

    #[test]
    fn sizes_have_limits() {
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
