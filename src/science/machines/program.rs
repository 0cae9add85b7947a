//! A machine together with its input, start cell and number of steps.

use super::error::MachineError;
use super::library;
use super::limits::{MAX_CELL, MAX_RUN_STEPS};
use super::machine::Machine;
use super::simulator::MachineRun;

/// A Turing machine with its input, start cell and number of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineProgram {
    /// The Turing machine that is run.
    pub machine: Machine,
    /// Indices of the symbols of the input word in the machine's list of symbols.
    pub input: Vec<usize>,
    /// Start cell: the cell of the input's first symbol, where the head begins.
    pub start: usize,
    /// Number T of machine steps of the run.
    pub steps: usize,
    /// Number of bits of a position, enough for the number of steps T and the largest cell number.
    pub bits: u32,
}

impl MachineProgram {
    /// Simulates the run and computes the number of bits.
    ///
    /// # Errors
    /// The head leaves the tape, or a number is out of range.
    pub fn new(
        machine: Machine,
        input: Vec<usize>,
        start: usize,
        steps: usize,
    ) -> Result<Self, MachineError> {
        let bits = MachineRun::new(&machine, &input, start, steps)?.position_bits();
        Ok(MachineProgram { machine, input, start, steps, bits })
    }

    /// Like [`MachineProgram::new`] with the start cell `preferred`; but if the head would leave the tape, with the smallest
    /// start cell for which it stays on the tape.
    ///
    /// # Errors
    /// A number is out of range.
    pub fn with_preferred_start(
        machine: Machine,
        input: Vec<usize>,
        preferred: usize,
        steps: usize,
    ) -> Result<Self, MachineError> {
        match MachineRun::new(&machine, &input, preferred, steps) {
            Ok(run) => {
                Ok(MachineProgram { bits: run.position_bits(), machine, input, start: preferred, steps })
            }
            Err(MachineError::HeadLeavesTape { needed, .. }) => {
                let start = usize::try_from(needed).unwrap_or(usize::MAX);
                MachineProgram::new(machine, input, start, steps)
            }
            Err(mistake) => Err(mistake),
        }
    }

    /// Runs the program on the ordinary simulator.
    ///
    /// # Errors
    /// None for a program from [`MachineProgram::new`].
    pub fn simulate(&self) -> Result<MachineRun, MachineError> {
        MachineRun::new(&self.machine, &self.input, self.start, self.steps)
    }

    /// The example of the library with the same machine, if there is one.
    pub fn library_example(&self) -> Option<&'static library::MachineExample> {
        library::EXAMPLES
            .iter()
            .find(|example| example.parse_machine().is_ok_and(|machine| machine == self.machine))
    }
}

/// A machine without rules and one step: a placeholder for a machine that cannot run.
impl Default for MachineProgram {
    fn default() -> Self {
        let machine = Machine {
            states: vec!["halt".into()],
            symbols: vec![super::machine::BLANK],
            verdicts: vec![super::machine::Verdict::Halts],
            rules: vec![None],
        };
        MachineProgram { machine, input: vec![], start: 0, steps: 1, bits: 1 }
    }
}

/// Guards [`MachineProgram::with_preferred_start`]: a head moves at most [`MAX_RUN_STEPS`] cells to the left, and a
/// start cell of that number must be allowed.
const _: () = assert!(
    (MAX_RUN_STEPS as u64) <= MAX_CELL,
    "for every machine some start cell keeps the head on the tape"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_computes_its_bits_and_a_start_cell_that_keeps_the_head_on_the_tape() {
        let example = library::find_example("busy-beaver-4").unwrap();
        let program = MachineProgram::new(example.parse_machine().unwrap(), vec![], 64, 107).unwrap();
        assert_eq!((program.bits, program.library_example()), (7, Some(example)));
        assert_eq!(program.simulate().unwrap().records.len(), 107);
        let left = Machine::parse("a * → * L a").unwrap();
        let program = MachineProgram::with_preferred_start(left.clone(), vec![], 64, 10_000).unwrap();
        assert_eq!((program.start, program.bits, program.library_example()), (10_000, 14, None));
        assert!(MachineProgram::new(left.clone(), vec![], 64, 100).is_err());
        assert!(MachineProgram::with_preferred_start(left, vec![], 64, 0).is_err());
        let program = MachineProgram::default();
        assert_eq!(program.simulate().unwrap().position_bits(), program.bits);
    }
}
