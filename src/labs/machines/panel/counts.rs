//! How large the transformer is, in one line.

use crate::display::words::thousands;
use crate::machines::{Construction, Counts, Program};

/// How large the transformer of a program is, without noise.
pub fn of(program: &Program) -> Option<String> {
    let construction = Construction::new(&program.machine, program.bits).ok()?;
    Some(said(&construction.counts(), program.steps))
}

/// "For T = 107 steps a position has 7 bits. The transformer has width 46, 11 blocks and 69,630 parameters; 1,235 of the parameters are not 0, and ‖θ‖₁ = 1,545."
fn said(counts: &Counts, steps: usize) -> String {
    tr!(
        "For T = {steps} steps a position has {bits} bits. The transformer has width {width}, {blocks} blocks and {parameters} parameters; {entries} of the parameters are not 0, and ‖θ‖₁ = {norm}.",
        steps = thousands(steps as u64),
        bits = counts.bits,
        width = counts.width,
        blocks = counts.blocks,
        parameters = thousands(counts.parameters),
        entries = thousands(counts.entries),
        norm = thousands(counts.norm.round() as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::library::example;

    #[test]
    fn the_busy_beavers_counts_are_those_of_the_reference_table() {
        let machine = example("busy-beaver-4").unwrap().machine().unwrap();
        let program = Program::new(machine, vec![], 64, 107).unwrap();
        assert_eq!(
            of(&program).unwrap(),
            "For T = 107 steps a position has 7 bits. The transformer has width 46, 11 blocks and 69,630 parameters; 1,235 of the parameters are not 0, and ‖θ‖₁ = 1,545."
        );
    }
}
