//! How large the transformer is, in one line.

use crate::display::words::thousands;
use crate::machines::Counts;

/// "T = 107: 7 bits, width 46, 11 blocks, 69,630 parameters, 1,235 not 0, ‖θ‖₁ = 1,545."
pub fn said(counts: &Counts, steps: usize) -> String {
    tr!(
        "T = {steps}: {bits} bits, width {width}, {blocks} blocks, {parameters} parameters, {entries} of them not 0, ‖θ‖₁ = {norm}.",
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
    use crate::machines::{Construction, library::example};

    #[test]
    fn the_busy_beavers_counts_are_those_of_the_reference_table() {
        let machine = example("busy-beaver-4").unwrap().machine().unwrap();
        let counts = Construction::new(&machine, 7).unwrap().counts();
        assert_eq!(
            said(&counts, 107),
            "T = 107: 7 bits, width 46, 11 blocks, 69,630 parameters, 1,235 of them not 0, ‖θ‖₁ = 1,545."
        );
    }
}
