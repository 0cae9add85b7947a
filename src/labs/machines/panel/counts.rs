//! Size of the transformer, by its parts.

use vivarium_science::machines::{
    BlockCounts, Construction, MachineProgram, ParameterBreakdown, ParameterStats,
};
use vivarium_view::display::words::format_thousands;

/// Sentences on the width, blocks and parameters of the transformer that executes a machine, without noise; the layers
/// that round after every block are counted if `is_rounding`. `None` if it cannot be built.
pub fn describe_size(program: &MachineProgram, is_rounding: bool) -> Option<String> {
    let construction = Construction::new(&program.machine, program.bits).ok()?;
    let parts = ParameterBreakdown::new(program, is_rounding).ok()?;
    Some(describe_counts(&construction.counts(), &parts, program.steps))
}

/// Sentences on the size of a transformer for `steps` machine steps: "For T = 107 steps a position has 7 bits. The
/// transformer has width 46, 11 blocks and …"
fn describe_counts(counts: &BlockCounts, parts: &ParameterBreakdown, steps: usize) -> String {
    let ParameterStats { parameters, nonzeros: entries, l1_norm: norm } = parts.total();
    let all = tr!(
        "For T = {steps} steps a position has {bits} bits. The transformer has width {width}, {blocks} blocks and {parameters} parameters; {entries} of the parameters are not 0, and ‖θ‖₁ = {norm}.",
        steps = format_thousands(steps as u64),
        bits = counts.bits,
        width = counts.width,
        blocks = counts.blocks,
        parameters = format_thousands(parameters),
        entries = format_thousands(entries),
        norm = format_norm(norm)
    );
    let named = [
        (tr!("blocks"), parts.blocks),
        (tr!("rounding"), parts.rounding),
        (tr!("encoder"), parts.encoder),
        (tr!("h₀"), parts.initial),
        (tr!("θ_cls"), parts.classifier),
    ];
    let one = |(name, part): (&str, ParameterStats)| {
        tr!(
            "{name} {parameters} ({entries}; {norm})",
            name,
            parameters = format_thousands(part.parameters),
            entries = format_thousands(part.nonzeros),
            norm = format_norm(part.l1_norm)
        )
    };
    let parts = named.map(one).join(", ");
    tr!(
        "{all} Parameters of each part (in parentheses: those that are not 0; their part of ‖θ‖₁): {parts}.",
        all,
        parts
    )
}

/// Formats the ℓ₁ norm of the transformer's parameters, which is a whole number without noise.
fn format_norm(norm: f64) -> String {
    format_thousands(norm.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::machines::library::find_example;

    /// The numbers are counted by hand in the test of [`ParameterBreakdown`].
    #[test]
    fn the_busy_beavers_parts_are_shown() {
        let machine = find_example("busy-beaver-4").unwrap().parse_machine().unwrap();
        let program = MachineProgram::new(machine, vec![], 64, 107).unwrap();
        assert_eq!(
            describe_size(&program, true).unwrap(),
            "For T = 107 steps a position has 7 bits. The transformer has width 46, 11 blocks and 164,436 parameters; 4,276 of the parameters are not 0, and ‖θ‖₁ = 6,104. Parameters of each part (in parentheses: those that are not 0; their part of ‖θ‖₁): blocks 69,630 (1,236; 1,546), rounding 94,622 (3,036; 4,554), encoder 92 (2; 2), h₀ 46 (2; 2), θ_cls 46 (0; 0)."
        );
        let bare = describe_size(&program, false).unwrap();
        assert!(
            bare.contains(" and 69,814 parameters; 1,240 of the parameters are not 0, and ‖θ‖₁ = 1,550."),
            "{bare}"
        );
        assert!(bare.contains(", rounding 0 (0; 0), "), "{bare}");
    }
}
