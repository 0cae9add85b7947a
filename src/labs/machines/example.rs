//! A step of the machine beside the task: what the machine does, and the token that the transformer has made. An execution has
//! no held-out examples: these are the newest steps, and the page executes them with the weights of the run.

use super::state::MachineState;
use crate::answers::SHOWN;
use crate::machines::step::AT_STEP;
use vivarium_model::run::RunSpec;
use vivarium_view::display::words::thousands;
use vivarium_view::display::{Example, RunView};

/// Symbols of an input that are written down, at most.
const WRITTEN: usize = 20;

/// Steps that are shown, from the newest back.
pub fn shown(spec: &RunSpec) -> Option<usize> {
    Some(spec.task.examples().program()?.steps.min(SHOWN))
}

/// The step that is `at` steps before the newest; before the first step, the first.
pub fn example(run: &RunView, at: usize) -> Option<Example> {
    let state: &MachineState = run.state()?;
    let newest = state.step.max(1);
    let step = newest - at % newest;
    let (machine, moments) = (&state.program.machine, &state.run.records);
    let after = moments.get(step - 1)?;
    let before = step.checked_sub(2).map_or_else(|| state.run.initial_record(), |at| moments[at]);
    let name = |state: usize| machine.state_names().get(state).cloned().unwrap_or_default();
    let spelled = machine.format_symbols(state.program.input.iter().copied());
    let input = match spelled.chars().count() {
        0 => tr!("empty").into(),
        1..=WRITTEN => spelled,
        _ => format!("{}…", spelled.chars().take(WRITTEN).collect::<String>()),
    };
    let given = tr!(
        "Input {input}, step {step} of {steps}: state {state}, symbol {symbol} under the head on cell {cell}.",
        input,
        step = thousands(step as u64),
        steps = thousands(state.program.steps as u64),
        state = name(before.state),
        symbol = machine.format_symbols([before.symbol]),
        cell = thousands(before.head as u64)
    );
    let has_halted = state.run.halt.is_some_and(|(last, _)| step as u64 > last);
    let label = match has_halted {
        true => tr!("The machine has halted, so nothing changes.").into(),
        false => tr!(
            "The machine writes {written} and goes to state {state} and to cell {cell}; this cell holds {symbol}.",
            written = machine.format_symbols([after.written]),
            state = name(after.state),
            symbol = machine.format_symbols([after.symbol]),
            cell = thousands(after.head as u64)
        ),
    };
    // Before the first step of the run, no token was asked for.
    let asked = run.found.contains_key(&AT_STEP.id()) && state.step > 0 && state.is_executed();
    let answer = asked.then(|| state.token(step)).flatten().map(|token| {
        let (state, symbol) = (name(token.state), machine.format_symbols([token.symbol]));
        let (step, cell) = (thousands(step as u64), thousands(token.head as u64));
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
    Some(Example { given, label, answer: answer.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::count;
    use crate::asked::{ask, begun, brief, initial};
    use vivarium_model::models::machine_transformer::STEP;

    /// The run after so many steps.
    fn at(link: &str, steps: u64) -> RunView {
        let mut run = begun(link);
        let mut weights = initial(&run);
        weights[STEP] = vec![steps as f32];
        ask(&mut run, steps, &weights);
        while run.is_busy() {
            run.work();
        }
        run
    }

    #[test]
    fn a_step_is_what_the_machine_does() {
        let run = at("#v1/turing-machine?m=increment&t=14", 6);
        assert_eq!(count(&run), 14);
        // 10111 and one more: at step 6 the head turns back, and at step 7 the carry begins.
        let shown = example(&run, 0).unwrap();
        brief(&shown);
        assert!(
            shown
                .given
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
        let earlier = example(&run, 5).unwrap();
        assert!(earlier.given.contains("step 1 of 14: state right, symbol 1 under"), "{earlier:?}");
        assert_eq!(example(&run, 6), Some(shown));
        let after = example(&at("#v1/turing-machine?m=increment&t=14", 14), 0).unwrap();
        assert_eq!(after.label, "The machine has halted, so nothing changes.");
        assert!(after.answer.ends_with(". This token is right."), "{after:?}");
        let before = begun("#v1/turing-machine");
        let first = example(&before, 3).unwrap();
        assert!(first.given.contains(", step 1 of 107: ") && first.answer.is_empty(), "{first:?}");
    }

    #[test]
    fn noise_that_is_too_large_gives_wrong_tokens() {
        let run = at("#v1/turing-machine?round=no&sigma=0.3&t=50", 50);
        let all: Vec<Example> = (0..count(&run)).filter_map(|at| example(&run, at)).collect();
        assert_eq!(all.len(), 16);
        assert!(all.iter().any(|example| example.answer.ends_with("This token is wrong.")), "{all:?}");
    }
}
