//! The blocks of one step in words: what each of them does, and how far its numbers are from 0 and 1.

use crate::machines::MachineState;
use vivarium_science::machines::{BlockKind, StepTrace};
use vivarium_view::display::words::{format_significant, format_thousands, uncapitalize};
use vivarium_view::ui::stage::StageButton;

/// Buttons to select one of the bits + 4 blocks of the transformer, where `bits` is the length of a step number in
/// binary.
pub fn block_buttons(bits: usize) -> Vec<StageButton> {
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

/// Kind of the transformer's block number `block`, from 1; `None` for 0.
pub fn block_kind(bits: usize, block: usize) -> Option<BlockKind> {
    BlockKind::sequence(bits).get(block.checked_sub(1)?).copied()
}

/// Heading with the number `stage` and the name of a transformer block: "Block 4 of 11: search for bit 1".
pub fn block_heading(bits: usize, stage: usize) -> String {
    let of = bits + 4;
    match block_kind(bits, stage) {
        Some(phase) => tr!("Block {stage} of {of}: {name}", stage, of, name = uncapitalize(&phase.name())),
        None => tr!("Before the {of} blocks of the step", of),
    }
}

/// Sentence on what the transformer's block number `block` computes; 0 is the input of the first block.
pub fn describe_block(bits: usize, block: usize) -> String {
    match block_kind(bits, block) {
        Some(phase) => phase.about(),
        None => tr!(
            "This is the token of the previous step. The positional encoding has written the number of the present step, in binary, into this token. In step 0 there is no previous step: the token is h₀, a parameter of the transformer that holds the number of the start cell and does not depend on the input."
        )
        .into(),
    }
}

/// Formula, as text, of the computation in the transformer's block number `block`, from 1; empty for 0.
pub fn block_formula(bits: usize, block: usize) -> String {
    block_kind(bits, block).map(BlockKind::formula).unwrap_or_default()
}

/// Sentence on which machine step the displayed blocks belong to.
pub fn describe_step(trace: Option<&StepTrace>) -> String {
    match trace {
        Some(trace) => tr!("Blocks of step {step}.", step = format_thousands(trace.step as u64)),
        None => tr!("No step has been made yet, so the blocks have no values.").into(),
    }
}

/// Sentence on the displayed step after block number `block`, where 0 is the input of the first block: the last block
/// gives the result of the step, which is compared with the simulator's. `None` until the step is executed.
pub fn describe_result(state: &MachineState, block: usize) -> Option<String> {
    let trace = state.trace.as_ref()?;
    let step = format_thousands(trace.step as u64);
    let expected = match trace.step.checked_sub(1) {
        None => Some(state.run.initial_record()),
        Some(at) => state.run.records.get(at).copied(),
    };
    Some(match trace.blocks.len().saturating_sub(block) {
        0 if expected == Some(trace.record) => tr!(
            "This is the last block: the token now holds the result of step {step}, which agrees with the simulator.",
            step
        ),
        0 => tr!(
            "This is the last block: the token now holds the result of step {step}, which differs from the simulator's result.",
            step
        ),
        1 => tr!("The result of step {step} is not complete yet: one more block follows.", step),
        left => tr!("The result of step {step} is not complete yet: {left} more blocks follow.", step, left),
    })
}

/// Sentence on how far entries of the token after block number `block` (from 1) are from 0 and 1, before rounding if
/// there is `rounding`; `None` for block 0.
pub fn describe_deviation(trace: &StepTrace, block: usize, rounding: bool) -> Option<String> {
    let of = trace.blocks.get(block.checked_sub(1)?)?;
    let most = format_distance(of.deviation);
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

/// Formats the distance of a token entry from 0 or 1, or between two attention scores: 0, or three significant digits.
fn format_distance(distance: f64) -> String {
    if distance == 0.0 { "0".into() } else { format_significant(distance) }
}

/// Sentence on the gap between the largest and the second-largest attention score of block number `block`, from 1; the
/// smaller gap if the block has two attentions, `None` without a gap.
pub fn describe_score_gap(trace: &StepTrace, block: usize) -> Option<String> {
    let of = trace.blocks.get(block.checked_sub(1)?)?;
    let gap = of
        .self_attention
        .iter()
        .chain(&of.cross_attention)
        .filter_map(|look| look.score_gap)
        .reduce(f64::min)?;
    Some(tr!(
        "The largest attention score exceeds the second-largest attention score by {gap}.",
        gap = format_distance(gap)
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
        let all = block_buttons(7);
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
            let about = describe_block(7, stage);
            assert!(about.ends_with('.'), "{about}");
            assert_eq!(block_formula(7, stage).is_empty(), stage == 0);
            for said in [block_heading(7, stage), about] {
                assert!(!seen.contains(&said), "{said}");
                seen.push(said);
            }
        }
        assert_eq!(block_heading(7, 4), "Block 4 of 11: search for bit 1");
        assert_eq!(block_heading(7, 3), "Block 3 of 11: cell written before?");
        assert_eq!(block_heading(7, 0), "Before the 11 blocks of the step");
        assert_eq!((block_kind(7, 12), block_kind(7, usize::MAX)), (None, None));
    }

    #[test]
    fn the_last_block_gives_the_result_of_the_step() {
        use vivarium_view::display::{LabState, WorkProgress};
        for (link, has_noise) in
            [("#v1/turing-machine", false), ("#v1/turing-machine?round=no&sigma=0.001", true)]
        {
            let spec = vivarium_model::permalink::decode(link).0.spec;
            let mut state = MachineState::new(&spec).unwrap();
            let mut differing = 0;
            for step in 0..=40 {
                state.step = step;
                while state.continue_work(1_000_000) != WorkProgress::Done {}
                let Some(trace) = state.trace.clone().filter(|trace| trace.step == step) else { break };
                let last = trace.blocks.len();
                let expected = match step {
                    0 => state.run.initial_record(),
                    _ => state.run.records[step - 1],
                };
                let is_right = state.decode_token(step) == Some(expected);
                differing += usize::from(!is_right);
                let words = if is_right {
                    "agrees with the simulator."
                } else {
                    "differs from the simulator's result."
                };
                let text = describe_result(&state, last).unwrap();
                assert!(text.ends_with(words), "{link} {step}: {text}");
                assert!(text.starts_with("This is the last block: "), "{text}");
                for (block, words) in [(last - 1, "one more block follows."), (3, "8 more blocks follow.")] {
                    let text = describe_result(&state, block).unwrap();
                    assert!(text.ends_with(words), "{link} {block}: {text}");
                }
            }
            assert_eq!(differing > 0, has_noise, "{link}");
        }
    }

    #[test]
    fn distances_are_those_before_rounding() {
        let (exact, _) = beaver(30, 0.0);
        let trace = exact.last_trace().unwrap();
        assert_eq!(describe_step(Some(trace)), "Blocks of step 30.");
        assert!(describe_step(None).starts_with("No step has been made yet"));
        assert_eq!(
            (
                describe_deviation(trace, 0, true),
                describe_deviation(trace, 12, true),
                describe_score_gap(trace, 1)
            ),
            (None, None, None)
        );
        let said = describe_deviation(trace, 1, true).unwrap();
        assert_eq!(
            said,
            "Before rounding, the largest distance of a number in the token from the nearer of 0 and 1 is 0."
        );
        assert_eq!(
            describe_score_gap(trace, 5).unwrap(),
            "The largest attention score exceeds the second-largest attention score by 1.00."
        );
        let (noisy, _) = beaver(30, 0.003);
        let said = describe_deviation(noisy.last_trace().unwrap(), 4, true).unwrap();
        assert!(said.starts_with("Before rounding,") && said.contains("is 0.0"), "{said}");
        let said = describe_deviation(noisy.last_trace().unwrap(), 4, false).unwrap();
        assert!(said.starts_with("In this run numbers are not rounded."), "{said}");
    }
}
