//! The blocks of one step in words: what each of them does, and how far its numbers are from 0 and 1.

use vivarium_science::machines::{BlockKind, StepTrace};
use vivarium_view::display::words::{significant, small, thousands};
use vivarium_view::ui::stage::StageButton;

/// The buttons of all bits + 4 blocks.
pub fn buttons(bits: usize) -> Vec<StageButton> {
    let button = |phase: BlockKind| StageButton {
        name: phase.name(),
        short: match phase {
            BlockKind::Apply => "st, sym2, mv".into(),
            BlockKind::Move => "pos3".into(),
            BlockKind::Visited => "scr4[0]".into(),
            BlockKind::Search(round) => format!("scr3[{round}]"),
            BlockKind::Fetch => "sym1, pos2".into(),
        },
        begins: matches!(phase, BlockKind::Visited | BlockKind::Fetch),
    };
    BlockKind::sequence(bits).into_iter().map(button).collect()
}

/// The block that is shown, from 1; none before the first one.
pub fn phase(bits: usize, stage: usize) -> Option<BlockKind> {
    BlockKind::sequence(bits).get(stage.checked_sub(1)?).copied()
}

/// Which block is shown: "Block 4 of 11: search for bit 1".
pub fn heading(bits: usize, stage: usize) -> String {
    let of = bits + 4;
    match phase(bits, stage) {
        Some(phase) => tr!("Block {stage} of {of}: {name}", stage, of, name = small(&phase.name())),
        None => tr!("Before the {of} blocks of the step", of),
    }
}

/// What the block does, in a sentence.
pub fn about(bits: usize, stage: usize) -> String {
    match phase(bits, stage) {
        Some(phase) => phase.about(),
        None => tr!(
            "This is the token of the previous step. The positional encoding has written the number of the present step, in binary, into this token. In step 0 there is no previous step: the token is h₀, a parameter of the transformer that holds the number of the start cell and does not depend on the input."
        )
        .into(),
    }
}

/// What it computes; nothing before the first block.
pub fn formula(bits: usize, stage: usize) -> String {
    phase(bits, stage).map(BlockKind::formula).unwrap_or_default()
}

/// Which step it is whose blocks are shown.
pub fn step(trace: Option<&StepTrace>) -> String {
    match trace {
        Some(trace) => tr!("Blocks of step {step}.", step = thousands(trace.step as u64)),
        None => tr!("No step has been made yet, so the blocks have no values.").into(),
    }
}

/// How far the block's numbers were from 0 and 1 before they were rounded; nothing before the first block.
pub fn deviation(trace: &StepTrace, stage: usize, rounding: bool) -> Option<String> {
    let of = trace.blocks.get(stage.checked_sub(1)?)?;
    let most = distance(of.deviation);
    Some(match rounding {
        true => tr!(
            "Before rounding, the largest distance of a number in the token from the nearer of 0 and 1 is {most}.",
            most
        ),
        false => tr!(
            "In this run numbers are not rounded. The largest distance of a stored number from the nearer of 0 and 1 is {most}.",
            most
        ),
    })
}

/// A distance as text: 0, or three significant digits.
fn distance(most: f64) -> String {
    if most == 0.0 { "0".into() } else { significant(most) }
}

/// How far ahead of the next score the largest one was; nothing for blocks without attention.
pub fn gap(trace: &StepTrace, stage: usize) -> Option<String> {
    let of = trace.blocks.get(stage.checked_sub(1)?)?;
    let gap = of
        .self_attention
        .iter()
        .chain(&of.cross_attention)
        .filter_map(|look| look.score_gap)
        .reduce(f64::min)?;
    Some(tr!(
        "The largest attention score exceeds the second-largest attention score by {gap}.",
        gap = distance(gap)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::machines::{
        Construction, ExecutionMode, MachineRun, Transformer, library::find_example,
    };

    /// The 4-state busy beaver after so many steps.
    fn beaver(steps: usize, sigma: f64) -> (Transformer, MachineRun) {
        let of = find_example("busy-beaver-4").unwrap();
        let machine = of.parse_machine().unwrap();
        let run = MachineRun::new(&machine, &[], of.start, of.steps).unwrap();
        let weights = Construction::new(&machine, run.position_bits()).unwrap().with_noise(sigma, 0, 0);
        let mut transformer =
            Transformer::new(weights.into(), &[], of.start, ExecutionMode::default()).unwrap();
        (0..steps).for_each(|_| assert!(transformer.advance().is_some()));
        (transformer, run)
    }

    #[test]
    fn there_are_as_many_buttons_as_blocks() {
        let all = buttons(7);
        assert_eq!(all.len(), 11);
        let shown: Vec<&str> = all.iter().map(|button| button.short.as_str()).collect();
        assert_eq!(shown[..5], ["st, sym2, mv", "pos3", "scr4[0]", "scr3[0]", "scr3[1]"]);
        let begins: Vec<usize> = (0..all.len()).filter(|at| all[*at].begins).collect();
        assert_eq!(begins, [2, 10]);
        assert_eq!(all[4].name, "Search for bit 2");
    }

    #[test]
    fn every_block_has_words_of_its_own() {
        let mut seen = vec![];
        for stage in 0..=11 {
            let about = about(7, stage);
            assert!(about.ends_with('.'), "{about}");
            assert_eq!(formula(7, stage).is_empty(), stage == 0);
            for said in [heading(7, stage), about] {
                assert!(!seen.contains(&said), "{said}");
                seen.push(said);
            }
        }
        assert_eq!(heading(7, 4), "Block 4 of 11: search for bit 1");
        assert_eq!(heading(7, 3), "Block 3 of 11: cell written before?");
        assert_eq!(heading(7, 0), "Before the 11 blocks of the step");
        assert_eq!((phase(7, 12), phase(7, usize::MAX)), (None, None));
    }

    #[test]
    fn distances_are_those_before_rounding() {
        let (exact, _) = beaver(30, 0.0);
        let trace = exact.last_trace().unwrap();
        assert_eq!(step(Some(trace)), "Blocks of step 30.");
        assert!(step(None).starts_with("No step has been made yet"));
        assert_eq!(
            (deviation(trace, 0, true), deviation(trace, 12, true), gap(trace, 1)),
            (None, None, None)
        );
        let said = deviation(trace, 1, true).unwrap();
        assert_eq!(
            said,
            "Before rounding, the largest distance of a number in the token from the nearer of 0 and 1 is 0."
        );
        assert_eq!(
            gap(trace, 5).unwrap(),
            "The largest attention score exceeds the second-largest attention score by 1.00."
        );
        let (noisy, _) = beaver(30, 0.003);
        let said = deviation(noisy.last_trace().unwrap(), 4, true).unwrap();
        assert!(said.starts_with("Before rounding,") && said.contains("is 0.0"), "{said}");
        let said = deviation(noisy.last_trace().unwrap(), 4, false).unwrap();
        assert!(said.starts_with("In this run numbers are not rounded."), "{said}");
    }
}
