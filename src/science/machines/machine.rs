//! A Turing machine as a value: states, symbols, and a table of rules.
//!
//! ```text
//! S: state × symbol → (symbol to write, move, next state)
//! ```
//!
//! # Halting and accepting
//! A state without any rule halts. It accepts if its name is one of [`ACCEPTING`] (`accept`, `yes`, `qa`, …) or if the text has
//! a line `accept: name`; it rejects if its name is one of [`REJECTING`]. A state with some rules but none for the symbol under
//! the head stops the machine too, with the reason [`HaltReason::NoRule`](super::HaltReason::NoRule). In both cases nothing
//! changes until the last step of the run.

use std::fmt::{Display, Formatter, Result as FmtResult};

use super::error::MachineError;

/// The character that stands for the blank symbol in the text of a machine.
pub const BLANK: char = '_';

/// Names, in lower case, of halting states that mean that the machine accepts its input.
pub const ACCEPTING: [&str; 8] = ["accept", "acc", "yes", "qa", "qacc", "qaccept", "q_accept", "halt-accept"];

/// Names, in lower case, of halting states that mean that the machine rejects its input.
pub const REJECTING: [&str; 8] = ["reject", "rej", "no", "qr", "qrej", "qreject", "q_reject", "halt-reject"];

/// Direction in which a rule moves the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeadMove {
    /// One cell to the left.
    Left,
    /// One cell to the right.
    Right,
    /// No movement.
    Stay,
}

impl HeadMove {
    /// The letter of the direction in the text of a machine: L, R or S.
    pub fn letter(self) -> char {
        match self {
            HeadMove::Left => 'L',
            HeadMove::Right => 'R',
            HeadMove::Stay => 'S',
        }
    }

    /// Change of the number of the cell under the head: −1 for left, 1 for right, 0 for staying.
    pub fn offset(self) -> i64 {
        match self {
            HeadMove::Left => -1,
            HeadMove::Right => 1,
            HeadMove::Stay => 0,
        }
    }
}

/// The rule of a machine for one pair of state and symbol under the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransitionRule {
    /// Index, in the machine's symbols, of the symbol that the machine writes.
    pub write: usize,
    /// Direction in which the head moves after writing.
    pub step: HeadMove,
    /// Index, in the machine's states, of the next state.
    pub next: usize,
}

/// Whether a machine that stops in a halting state has accepted or rejected its input, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The machine accepts the input.
    Accepts,
    /// The machine rejects the input.
    Rejects,
    /// The machine halts and neither accepts nor rejects.
    Halts,
}

impl Verdict {
    /// Name of the verdict that the page shows.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepts => tr!("Accepts"),
            Verdict::Rejects => tr!("Rejects"),
            Verdict::Halts => tr!("Halts"),
        }
    }

    /// The verdict of a halting state by its name: accepting, rejecting or neither.
    pub(super) fn from_state_name(name: &str) -> Verdict {
        let name = name.to_lowercase();
        if ACCEPTING.contains(&name.as_str()) {
            Verdict::Accepts
        } else if REJECTING.contains(&name.as_str()) {
            Verdict::Rejects
        } else {
            Verdict::Halts
        }
    }
}

/// A Turing machine: states, symbols and rules.
///
/// States and symbols are identified by index. The start state and the blank have index 0. States with rules come first and
/// symbols are sorted, so that equal machines have equal texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Names of the states; the first is the start state.
    pub(super) states: Vec<String>,
    /// Characters of the tape symbols; the first is the blank.
    pub(super) symbols: Vec<char>,
    /// Verdict of each state by index, `[states]`; only those of halting states, which have no rules, are used.
    pub(super) verdicts: Vec<Verdict>,
    /// The rule of each pair of state and symbol, `[states, symbols]`; `None` where the machine halts.
    pub(super) rules: Vec<Option<TransitionRule>>,
}

impl Machine {
    /// Names of the states by index; the first is the start state.
    pub fn state_names(&self) -> &[String] {
        &self.states
    }

    /// The symbols by index; the first is the blank.
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// The rule for a state and a symbol; `None` if the machine stops there.
    pub fn rule(&self, state: usize, symbol: usize) -> Option<TransitionRule> {
        let row = self.rules.chunks(self.symbols.len()).nth(state)?;
        row.get(symbol).copied().flatten()
    }

    /// The rule for a state and a symbol, or a rule that changes nothing if the machine stops there.
    pub fn transition(&self, state: usize, symbol: usize) -> TransitionRule {
        self.rule(state, symbol).unwrap_or(TransitionRule {
            write: symbol,
            step: HeadMove::Stay,
            next: state,
        })
    }

    /// Number of pairs of state and symbol for which the machine has a rule.
    pub fn rule_count(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Whether the machine has no rule; always false for a parsed machine.
    pub fn is_empty(&self) -> bool {
        self.rule_count() == 0
    }

    /// The verdict of a halting state; `None` for a state with rules.
    pub fn verdict(&self, state: usize) -> Option<Verdict> {
        let halts = (0..self.symbols.len()).all(|symbol| self.rule(state, symbol).is_none());
        halts.then(|| self.verdicts.get(state).copied().unwrap_or(Verdict::Halts))
    }

    /// Parses an input word into symbol indices; a space is a blank.
    ///
    /// # Errors
    /// The word contains a character that is not a symbol of the machine.
    pub fn parse_input(&self, input: &str) -> Result<Vec<usize>, MachineError> {
        let number = |character: char| {
            let wanted = if character == ' ' { BLANK } else { character };
            let found = self.symbols.iter().position(|symbol| *symbol == wanted);
            found.ok_or_else(|| MachineError::UnknownInputSymbol {
                found: character,
                known: self.format_symbols(0..self.symbols.len()),
            })
        };
        input.chars().map(number).collect()
    }

    /// The characters of these symbol indices as text.
    pub fn format_symbols(&self, symbols: impl IntoIterator<Item = usize>) -> String {
        symbols.into_iter().map(|symbol| self.symbols.get(symbol).copied().unwrap_or(BLANK)).collect()
    }
}

/// Writes the machine as text: one rule `state read → write move state` per line, after a line `accept: name` for every
/// accepting state whose name is not in [`ACCEPTING`].
impl Display for Machine {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        for (name, verdict) in self.states.iter().zip(&self.verdicts) {
            if *verdict == Verdict::Accepts && Verdict::from_state_name(name) != Verdict::Accepts {
                writeln!(f, "accept: {name}")?;
            }
        }
        for (state, name) in self.states.iter().enumerate() {
            for (symbol, read) in self.symbols.iter().enumerate() {
                if let Some(rule) = self.rule(state, symbol) {
                    let (write, next) = (self.symbols[rule.write], &self.states[rule.next]);
                    writeln!(f, "{name} {read} → {write} {} {next}", rule.step.letter())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INCREMENT: &str = "right 0 -> 0 R right\nright 1 -> 1 R right\nright _ -> _ L carry\n\
        carry 1 -> 0 L carry\ncarry 0 -> 1 S halt\ncarry _ -> 1 S halt";

    #[test]
    fn a_parsed_machine_has_the_states_symbols_and_rules_of_the_text() {
        let machine = Machine::parse(INCREMENT).unwrap();
        assert_eq!(machine.state_names(), ["right", "carry", "halt"]);
        assert_eq!(machine.symbols(), ['_', '0', '1']);
        assert_eq!(machine.rule_count(), 6);
        assert!(!machine.is_empty());
        assert_eq!(machine.rule(1, 2), Some(TransitionRule { write: 1, step: HeadMove::Left, next: 1 }));
        assert_eq!(machine.rule(2, 0), None);
        assert_eq!(machine.transition(2, 1), TransitionRule { write: 1, step: HeadMove::Stay, next: 2 });
        assert_eq!([0, 1, 2].map(|state| machine.verdict(state)), [None, None, Some(Verdict::Halts)]);
        assert_eq!(machine.parse_input("1 0_").unwrap(), [2, 0, 1, 0]);
        assert_eq!(machine.format_symbols([2, 0, 1]), "1_0");
    }

    #[test]
    fn parsing_the_written_text_gives_the_same_machine() {
        let machine = Machine::parse(INCREMENT).unwrap();
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        let accepting = Machine::parse("accept: end; a x → x R end; a _ → _ R yes").unwrap();
        assert_eq!(accepting.state_names(), ["a", "yes", "end"]);
        assert_eq!([1, 2].map(|state| accepting.verdict(state)), [Some(Verdict::Accepts); 2]);
        assert_eq!(accepting.to_string(), "accept: end\na _ → _ R yes\na x → x R end\n");
        assert_eq!(Machine::parse(&accepting.to_string()).unwrap(), accepting);
    }

    #[test]
    fn the_name_of_a_state_determines_its_verdict() {
        assert_eq!(Verdict::from_state_name("qAccept"), Verdict::Accepts);
        assert_eq!(Verdict::from_state_name("NO"), Verdict::Rejects);
        assert_eq!(Verdict::from_state_name("halt"), Verdict::Halts);
        let names = [Verdict::Accepts, Verdict::Rejects, Verdict::Halts].map(Verdict::name);
        assert_eq!(names, ["Accepts", "Rejects", "Halts"]);
    }

    #[test]
    fn the_error_names_the_unknown_symbol_of_the_input() {
        let machine = Machine::parse(INCREMENT).unwrap();
        let error = machine.parse_input("102").unwrap_err().to_string();
        assert_eq!(error, "the input has the symbol 2, but the machine has only these symbols: _01");
    }
}
