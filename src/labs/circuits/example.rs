//! A row of the truth table as example next to the task: the circuit's value, and the network's output with the noise
//! of the latest step.

use super::probes::PERTURBATION;
use super::state::CircuitState;
use super::texts::format_bits;
use crate::answers::{MAX_EXAMPLES, describe_graded_answer, format_number};
use vivarium_model::run::RunSpec;
use vivarium_science::circuits::{CircuitKind, CircuitSpec, is_correct};
use vivarium_view::display::{HeldOutExample, RunView};

/// The number of held-out examples of a run on a circuit that the page can show: the rows of the truth table, at most
/// [`MAX_EXAMPLES`]; 1 for the product of weights, which has one input. None for tasks that are not circuits.
pub fn example_count(spec: &RunSpec) -> Option<usize> {
    let drawn = spec.task.data().circuit()?;
    let inputs = if drawn.kind == CircuitKind::Toy { 0 } else { drawn.input_count() };
    Some((1 << inputs.min(usize::BITS as usize - 2)).min(MAX_EXAMPLES))
}

/// The texts (input, label, network's answer) of example `at`: 0 is the run's own input, larger numbers are the other
/// rows of the truth table. None if `at` is too large.
pub fn build_example(run: &RunView, at: usize) -> Option<HeldOutExample> {
    let (state, which): (&CircuitState, usize) = (run.lab_state()?, at + 1);
    if at >= example_count(run.spec())? {
        return None;
    }
    let bits = match at.checked_sub(1) {
        None => state.input.clone(),
        Some(other) => {
            let all = CircuitSpec { fixed_input: vec![], ..state.spec.clone() };
            (0..=at).map(|row| all.replica_input(row)).filter(|row| *row != state.input).nth(other)?
        }
    };
    let truth = state.circuit.evaluate(&bits).ok()?;
    let bit = |value: bool| if value { 1 } else { 0 };
    let known = run.latest_results.contains_key(&PERTURBATION.id());
    let answer = known.then(|| state.compute_output(&bits)).flatten().map(|output| {
        let answer = match output == 0.0 {
            true => tr!("0, which stands for neither bit").into(),
            false => {
                tr!("{output}, so the bit is {bit}", output = format_number(output), bit = bit(output > 0.0))
            }
        };
        describe_graded_answer(state.step, &answer, is_correct(output, truth))
    });
    Some(HeldOutExample {
        input: tr!("Example {which}: the input bits {bits}.", which, bits = format_bits(&bits)),
        label: tr!("The circuit gives {bit}.", bit = bit(truth)),
        answer: answer.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer_testing::{assert_brief, initial_weights, new_run, record_answers};
    use crate::answers::example_count;

    fn run_with_answers(link: &str) -> RunView {
        let mut run = new_run(link);
        assert_eq!(build_example(&run, 0).unwrap().answer, "");
        let weights = initial_weights(&run);
        record_answers(&mut run, 7, &weights);
        run
    }

    #[test]
    fn a_parity_is_one_for_odd_numbers_of_ones() {
        for (link, all, first) in [
            ("#v1/boolean-circuit", 16, "1111"),
            ("#v1/boolean-circuit?round=no&n=2", 4, "11"),
            ("#v1/boolean-circuit?circuit=tree&n=7&in=0.0.1.0.0.0.0", 16, "0010000"),
        ] {
            let run = run_with_answers(link);
            assert_eq!(example_count(&run), all, "{link}");
            let mut seen = vec![];
            for at in 0..all {
                let shown = build_example(&run, at).unwrap();
                assert_brief(&shown);
                let bits = shown.input.split(' ').next_back().unwrap().trim_end_matches('.').to_string();
                let odd = bits.matches('1').count() % 2;
                assert_eq!(shown.label, format!("The circuit gives {odd}."));
                let output = if odd == 1 { "1.00" } else { "−1.00" };
                assert_eq!(
                    shown.answer,
                    format!("The network's answer at step 7: {output}, so the bit is {odd}. Right."),
                    "{link}"
                );
                seen.push(bits);
            }
            assert_eq!(seen[0], first);
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), all, "{link}: no row twice");
            assert_eq!(build_example(&run, all), None);
        }
    }

    #[test]
    fn noise_changes_the_output_and_the_product_of_weights_has_one_input() {
        let run = run_with_answers("#v1/boolean-circuit?sigma=0.2&round=no");
        let state: &CircuitState = run.lab_state().unwrap();
        let theta = state.network.perturb(
            &vivarium_model::models::circuit_network::noise(&state.network, run.spec().run.seed, 7),
            0.2,
        );
        let output = state.network.output_at(&theta, &[true; 4]).unwrap();
        let shown = build_example(&run, 0).unwrap();
        assert!(shown.answer.contains(&format!(": {}, so ", format_number(output))), "{shown:?} {output}");
        let toy = run_with_answers("#v1/boolean-circuit?circuit=toy&levels=9");
        assert_eq!((example_count(&toy), build_example(&toy, 1)), (1, None));
    }
}
