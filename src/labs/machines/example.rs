//! Display of a machine step next to the task: the simulator's step, and the transformer's token. An execution has
//! no held-out examples: these are the latest steps, and the page executes them with the weights of the run.

use super::state::MachineState;
use crate::answers::MAX_EXAMPLES;
use crate::machines::step::CURRENT_STEP;
use vivarium_model::run::RunSpec;
use vivarium_view::display::words::format_thousands;
use vivarium_view::display::{HeldOutExample, RunView};

/// Maximum number of symbols of the machine's input in the text of an example; a longer input is cut.
const MAX_INPUT_SYMBOLS: usize = 20;

/// Number of machine steps that the examples beside the task show, counted back from the latest step; `None` if the
/// task has no machine.
pub fn example_count(spec: &RunSpec) -> Option<usize> {
    Some(spec.task.data().machine_program()?.steps.min(MAX_EXAMPLES))
}

/// Builds the display of the machine step that is `index` steps before the latest one (modulo the number of steps);
/// before the first step, of step 1. `None` if the state is not that of a machine run.
pub fn build_example(run: &RunView, index: usize) -> Option<HeldOutExample> {
    let state: &MachineState = run.lab_state()?;
    let latest = state.step.max(1);
    let step = latest - index % latest;
    let (machine, moments) = (&state.program.machine, &state.run.records);
    let after = moments.get(step - 1)?;
    let before = step.checked_sub(2).map_or_else(|| state.run.initial_record(), |at| moments[at]);
    let name = |state: usize| machine.state_names().get(state).cloned().unwrap_or_default();
    let spelled = machine.format_symbols(state.program.input.iter().copied());
    let input = match spelled.chars().count() {
        0 => tr!("empty").into(),
        1..=MAX_INPUT_SYMBOLS => spelled,
        _ => format!("{}…", spelled.chars().take(MAX_INPUT_SYMBOLS).collect::<String>()),
    };
    let given = tr!(
        "Input {input}, step {step} of {steps}: state {state}, symbol {symbol} under the head on cell {cell}.",
        input,
        step = format_thousands(step as u64),
        steps = format_thousands(state.program.steps as u64),
        state = name(before.state),
        symbol = machine.format_symbols([before.symbol]),
        cell = format_thousands(before.head as u64)
    );
    let has_halted = state.run.halt.is_some_and(|(last, _)| step as u64 > last);
    let label = match has_halted {
        true => tr!("The machine has halted, so nothing changes.").into(),
        false => tr!(
            "The machine writes {written} and goes to state {state} and to cell {cell}; this cell holds {symbol}.",
            written = machine.format_symbols([after.written]),
            state = name(after.state),
            symbol = machine.format_symbols([after.symbol]),
            cell = format_thousands(after.head as u64)
        ),
    };
    // Before the first step of the run, no token is computed.
    let is_evaluated =
        run.latest_results.contains_key(&CURRENT_STEP.id()) && state.step > 0 && state.is_executed();
    let answer = is_evaluated.then(|| state.decode_token(step)).flatten().map(|token| {
        let (state, symbol) = (name(token.state), machine.format_symbols([token.symbol]));
        let (step, cell) = (format_thousands(step as u64), format_thousands(token.head as u64));
        match token == *after {
            true => tr!(
                "The network's token {step}: state {state}, symbol {symbol}, cell {cell}. This token is right.",
                step,
                state,
                symbol,
                cell
            ),
            false => tr!(
                "The network's token {step}: state {state}, symbol {symbol}, cell {cell}. This token is wrong.",
                step,
                state,
                symbol,
                cell
            ),
        }
    });
    Some(HeldOutExample { input: given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, initial_weights, new_run, record_answers};
    use crate::answers::example_count;
    use vivarium_model::models::machine_transformer::STEP;

    /// The run after so many steps.
    fn at(link: &str, steps: u64) -> RunView {
        let mut run = new_run(link);
        let mut weights = initial_weights(&run);
        weights[STEP] = vec![steps as f32];
        record_answers(&mut run, steps, &weights);
        while run.is_busy() {
            run.continue_work();
        }
        run
    }

    #[test]
    fn a_step_is_what_the_machine_does() {
        let run = at("#v1/turing-machine?m=increment&t=14", 6);
        assert_eq!(example_count(&run), 14);
        // 10111 and one more: at step 6 the head turns back, and at step 7 the carry begins.
        let shown = build_example(&run, 0).unwrap();
        assert_brief(&shown);
        assert!(
            shown
                .input
                .starts_with("Input 10111, step 6 of 14: state right, symbol _ under the head on cell ")
        );
        assert!(
            shown.label.starts_with("The machine writes _ and goes to state carry and to cell ")
                && shown.label.ends_with("; this cell holds 1."),
            "{shown:?}"
        );
        assert!(shown.answer.starts_with("The network's token 6: state carry, symbol 1, cell "), "{shown:?}");
        assert!(shown.answer.ends_with(". This token is right."), "{shown:?}");
        // Then the steps before, and after the first step the newest again.
        let earlier = build_example(&run, 5).unwrap();
        assert!(earlier.input.contains("step 1 of 14: state right, symbol 1 under"), "{earlier:?}");
        assert_eq!(build_example(&run, 6), Some(shown));
        let after = build_example(&at("#v1/turing-machine?m=increment&t=14", 14), 0).unwrap();
        assert_eq!(after.label, "The machine has halted, so nothing changes.");
        assert!(after.answer.ends_with(". This token is right."), "{after:?}");
        let before = new_run("#v1/turing-machine");
        let first = build_example(&before, 3).unwrap();
        assert!(first.input.contains(", step 1 of 107: ") && first.answer.is_empty(), "{first:?}");
    }

    #[test]
    fn noise_that_is_too_large_gives_wrong_tokens() {
        let run = at("#v1/turing-machine?round=no&sigma=0.3&t=50", 50);
        let all: Vec<HeldOutExample> =
            (0..example_count(&run)).filter_map(|at| build_example(&run, at)).collect();
        assert_eq!(all.len(), 16);
        assert!(all.iter().any(|example| example.answer.ends_with("This token is wrong.")), "{all:?}");
    }
}
