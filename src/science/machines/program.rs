//! A machine with all that one run of it needs.

use super::library;
use super::limits::{MOST_CELL, MOST_STEPS};
use super::machine::Machine;
use super::mistake::Mistake;
use super::simulator::Run;

/// A machine, its input, where it begins, and for how many steps there is room.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The machine.
    pub machine: Machine,
    /// The input, by number.
    pub input: Vec<usize>,
    /// The cell where head and input begin.
    pub start: usize,
    /// Steps T that there is room for.
    pub steps: usize,
    /// Bits of a position: they hold T and the largest cell.
    pub bits: u32,
}

impl Program {
    /// The program, if the machine stays on the tape for so many steps.
    ///
    /// # Errors
    /// What is to be changed.
    pub fn new(machine: Machine, input: Vec<usize>, start: usize, steps: usize) -> Result<Self, Mistake> {
        let bits = Run::new(&machine, &input, start, steps)?.position_bits();
        Ok(Program { machine, input, start, steps, bits })
    }

    /// The same from the start cell `usual`, or from a cell farther to the right where the head would leave the tape.
    ///
    /// # Errors
    /// What is to be changed.
    pub fn from_about(
        machine: Machine,
        input: Vec<usize>,
        usual: usize,
        steps: usize,
    ) -> Result<Self, Mistake> {
        match Run::new(&machine, &input, usual, steps) {
            Ok(run) => Ok(Program { bits: run.position_bits(), machine, input, start: usual, steps }),
            Err(Mistake::OffTheTape { needed, .. }) => {
                let start = usize::try_from(needed).unwrap_or(usize::MAX);
                Program::new(machine, input, start, steps)
            }
            Err(mistake) => Err(mistake),
        }
    }

    /// The run by the ordinary simulator.
    ///
    /// # Errors
    /// None for a program that was made by [`Program::new`].
    pub fn run(&self) -> Result<Run, Mistake> {
        Run::new(&self.machine, &self.input, self.start, self.steps)
    }

    /// The example of the library whose machine it runs, if it is one.
    pub fn example(&self) -> Option<&'static library::Example> {
        library::EXAMPLES
            .iter()
            .find(|example| example.machine().is_ok_and(|machine| machine == self.machine))
    }
}

/// One step of a machine that does nothing, for what is asked of a machine that cannot run.
impl Default for Program {
    fn default() -> Self {
        let machine = Machine {
            states: vec!["halt".into()],
            symbols: vec![super::machine::BLANK],
            verdicts: vec![super::machine::Verdict::Halts],
            rules: vec![None],
        };
        Program { machine, input: vec![], start: 0, steps: 1, bits: 1 }
    }
}

const _: () =
    assert!((MOST_STEPS as u64) <= MOST_CELL, "any head that goes left has cells enough on its left");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_knows_its_bits_and_where_to_begin() {
        let example = library::example("busy-beaver-4").unwrap();
        let program = Program::new(example.machine().unwrap(), vec![], 64, 107).unwrap();
        assert_eq!((program.bits, program.example()), (7, Some(example)));
        assert_eq!(program.run().unwrap().moments.len(), 107);
        let left = Machine::parse("a * → * L a").unwrap();
        let program = Program::from_about(left.clone(), vec![], 64, 10_000).unwrap();
        assert_eq!((program.start, program.bits, program.example()), (10_000, 14, None));
        assert!(Program::new(left.clone(), vec![], 64, 100).is_err());
        assert!(Program::from_about(left, vec![], 64, 0).is_err());
        let nothing = Program::default();
        assert_eq!(nothing.run().unwrap().position_bits(), nothing.bits);
    }
}
