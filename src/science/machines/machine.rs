//! A Turing machine as a value: states, symbols, and a table of rules.
//!
//! ```text
//! S: state × symbol → (symbol to write, move, next state)
//! ```
//!
//! # Halting and accepting
//! A state without any rule halts. It accepts if its name says so (`accept`, `yes`, `qa` and the other names of
//! [`ACCEPTING`]) or if the text has a line `accept: name`; it rejects if its name is one of [`REJECTING`]. A state with some
//! rules but none for the symbol that it reads stops the machine too, and the [simulator](super::simulator) gives that as
//! the reason. In both cases the machine stays where it is and changes nothing until the last step.

use std::fmt::{Display, Formatter, Result as Written};

use super::mistake::Mistake;

/// Name of the blank.
pub const BLANK: char = '_';

/// Names, in lower case, of states that accept where they halt.
pub const ACCEPTING: [&str; 8] = ["accept", "acc", "yes", "qa", "qacc", "qaccept", "q_accept", "halt-accept"];

/// Names, in lower case, of states that reject where they halt.
pub const REJECTING: [&str; 8] = ["reject", "rej", "no", "qr", "qrej", "qreject", "q_reject", "halt-reject"];

/// Where the head goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// To the cell on the left.
    Left,
    /// To the cell on the right.
    Right,
    /// Nowhere.
    Stay,
}

impl Move {
    /// "L".
    pub fn letter(self) -> char {
        match self {
            Move::Left => 'L',
            Move::Right => 'R',
            Move::Stay => 'S',
        }
    }

    /// −1, 1 or 0.
    pub fn offset(self) -> i64 {
        match self {
            Move::Left => -1,
            Move::Right => 1,
            Move::Stay => 0,
        }
    }
}

/// What a machine does in a state with a symbol under the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The symbol that it writes, by number.
    pub write: usize,
    /// Where the head goes.
    pub step: Move,
    /// The next state, by number.
    pub next: usize,
}

/// How a state ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It accepts the input.
    Accepts,
    /// It rejects the input.
    Rejects,
    /// It ends the run without a verdict.
    Halts,
}

impl Verdict {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepts => tr!("Accepts"),
            Verdict::Rejects => tr!("Rejects"),
            Verdict::Halts => tr!("Halts"),
        }
    }

    /// What a state's name says.
    pub(super) fn of(name: &str) -> Verdict {
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

/// A Turing machine.
///
/// The start state has number 0, and so has the blank. States with rules come first, symbols are sorted, so that equal
/// machines have equal texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    pub(super) states: Vec<String>,
    pub(super) symbols: Vec<char>,
    pub(super) verdicts: Vec<Verdict>,
    /// State by state, in each symbol by symbol.
    pub(super) rules: Vec<Option<Rule>>,
}

impl Machine {
    /// Names of the states; the first is the start state.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Names of the symbols; the first is the blank.
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// The rule for a state and a symbol; none where the machine stops.
    pub fn rule(&self, state: usize, symbol: usize) -> Option<Rule> {
        let row = self.rules.chunks(self.symbols.len()).nth(state)?;
        row.get(symbol).copied().flatten()
    }

    /// What a step does to a state and a symbol: the rule, or nothing at all where there is none.
    pub fn transition(&self, state: usize, symbol: usize) -> Rule {
        self.rule(state, symbol).unwrap_or(Rule { write: symbol, step: Move::Stay, next: state })
    }

    /// How many rules it has.
    pub fn len(&self) -> usize {
        self.rules.iter().flatten().count()
    }

    /// Whether it has no rule, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How a state ends a run; none for a state that has rules.
    pub fn verdict(&self, state: usize) -> Option<Verdict> {
        let halts = (0..self.symbols.len()).all(|symbol| self.rule(state, symbol).is_none());
        halts.then(|| self.verdicts.get(state).copied().unwrap_or(Verdict::Halts))
    }

    /// The symbols of an input by number; a space is a blank.
    pub fn read(&self, input: &str) -> Result<Vec<usize>, Mistake> {
        let number = |character: char| {
            let wanted = if character == ' ' { BLANK } else { character };
            let found = self.symbols.iter().position(|symbol| *symbol == wanted);
            found.ok_or_else(|| Mistake::Input { found: character, known: self.spell(0..self.symbols.len()) })
        };
        input.chars().map(number).collect()
    }

    /// Symbols by number as a text.
    pub fn spell(&self, symbols: impl IntoIterator<Item = usize>) -> String {
        symbols.into_iter().map(|symbol| self.symbols.get(symbol).copied().unwrap_or(BLANK)).collect()
    }
}

/// One rule a line, `state read → write move state`, after a line for every accepting state whose name does not say so.
impl Display for Machine {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        for (name, verdict) in self.states.iter().zip(&self.verdicts) {
            if *verdict == Verdict::Accepts && Verdict::of(name) != Verdict::Accepts {
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
    fn a_machine_knows_its_parts() {
        let machine = Machine::parse(INCREMENT).unwrap();
        assert_eq!(machine.states(), ["right", "carry", "halt"]);
        assert_eq!(machine.symbols(), ['_', '0', '1']);
        assert_eq!(machine.len(), 6);
        assert!(!machine.is_empty());
        assert_eq!(machine.rule(1, 2), Some(Rule { write: 1, step: Move::Left, next: 1 }));
        assert_eq!(machine.rule(2, 0), None);
        assert_eq!(machine.transition(2, 1), Rule { write: 1, step: Move::Stay, next: 2 });
        assert_eq!([0, 1, 2].map(|state| machine.verdict(state)), [None, None, Some(Verdict::Halts)]);
        assert_eq!(machine.read("1 0_").unwrap(), [2, 0, 1, 0]);
        assert_eq!(machine.spell([2, 0, 1]), "1_0");
    }

    #[test]
    fn the_text_of_a_machine_gives_the_machine() {
        let machine = Machine::parse(INCREMENT).unwrap();
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        assert_eq!(Machine::parse(&machine.to_string()).unwrap(), machine);
        let accepting = Machine::parse("accept: end; a x → x R end; a _ → _ R yes").unwrap();
        assert_eq!(accepting.states(), ["a", "yes", "end"]);
        assert_eq!([1, 2].map(|state| accepting.verdict(state)), [Some(Verdict::Accepts); 2]);
        assert_eq!(accepting.to_string(), "accept: end\na _ → _ R yes\na x → x R end\n");
        assert_eq!(Machine::parse(&accepting.to_string()).unwrap(), accepting);
    }

    #[test]
    fn names_say_how_a_state_ends() {
        assert_eq!(Verdict::of("qAccept"), Verdict::Accepts);
        assert_eq!(Verdict::of("NO"), Verdict::Rejects);
        assert_eq!(Verdict::of("halt"), Verdict::Halts);
        let names = [Verdict::Accepts, Verdict::Rejects, Verdict::Halts].map(Verdict::name);
        assert_eq!(names, ["Accepts", "Rejects", "Halts"]);
    }

    #[test]
    fn an_unknown_symbol_of_the_input_is_named() {
        let machine = Machine::parse(INCREMENT).unwrap();
        let mistake = machine.read("102").unwrap_err().to_string();
        assert_eq!(mistake, "the input has the symbol 2, but the machine has only these symbols: _01");
    }
}
