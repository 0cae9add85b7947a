//! A row of the truth table beside the task: what the circuit says, and what the network does with the noise of the newest
//! step.

use super::probes::PERTURBATION;
use super::state::CircuitState;
use super::words::written;
use crate::answers::{SHOWN, number, said};
use vivarium_model::run::RunSpec;
use vivarium_science::circuits::{CircuitKind, CircuitSpec, is_correct};
use vivarium_view::display::{Example, RunView};

/// Rows that are shown; the product of weights 1 has one input.
pub fn shown(spec: &RunSpec) -> Option<usize> {
    let drawn = spec.task.examples().circuit()?;
    let inputs = if drawn.kind == CircuitKind::Toy { 0 } else { drawn.input_count() };
    Some((1 << inputs.min(usize::BITS as usize - 2)).min(SHOWN))
}

/// The input that is shown as example 0, and then the other rows of the truth table from the last one on.
pub fn example(run: &RunView, at: usize) -> Option<Example> {
    let (state, which): (&CircuitState, usize) = (run.state()?, at + 1);
    if at >= shown(run.spec())? {
        return None;
    }
    let bits = match at.checked_sub(1) {
        None => state.bits.clone(),
        Some(other) => {
            let all = CircuitSpec { fixed_input: vec![], ..state.drawn.clone() };
            (0..=at).map(|row| all.replica_input(row)).filter(|row| *row != state.bits).nth(other)?
        }
    };
    let truth = state.circuit.evaluate(&bits).ok()?;
    let bit = |value: bool| if value { 1 } else { 0 };
    let known = run.found.contains_key(&PERTURBATION.id());
    let answer = known.then(|| state.output(&bits)).flatten().map(|output| {
        let answer = match output == 0.0 {
            true => tr!("0, which stands for neither bit").into(),
            false => {
                tr!("{output}, so the bit is {bit}", output = number(output), bit = bit(output > 0.0))
            }
        };
        said(state.step, &answer, is_correct(output, truth))
    });
    Some(Example {
        given: tr!("Example {which}: the input bits {bits}.", which, bits = written(&bits)),
        label: tr!("The circuit gives {bit}.", bit = bit(truth)),
        answer: answer.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::count;
    use crate::asked::{ask, begun, brief, initial};

    fn asked(link: &str) -> RunView {
        let mut run = begun(link);
        assert_eq!(example(&run, 0).unwrap().answer, "");
        let weights = initial(&run);
        ask(&mut run, 7, &weights);
        run
    }

    #[test]
    fn a_parity_is_one_for_odd_numbers_of_ones() {
        for (link, all, first) in [
            ("#v1/boolean-circuit", 16, "1111"),
            ("#v1/boolean-circuit?round=no&n=2", 4, "11"),
            ("#v1/boolean-circuit?circuit=tree&n=7&in=0.0.1.0.0.0.0", 16, "0010000"),
        ] {
            let run = asked(link);
            assert_eq!(count(&run), all, "{link}");
            let mut seen = vec![];
            for at in 0..all {
                let shown = example(&run, at).unwrap();
                brief(&shown);
                let bits = shown.given.split(' ').next_back().unwrap().trim_end_matches('.').to_string();
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
            assert_eq!(example(&run, all), None);
        }
    }

    #[test]
    fn noise_changes_the_output_and_the_product_of_weights_has_one_input() {
        let run = asked("#v1/boolean-circuit?sigma=0.2&round=no");
        let state: &CircuitState = run.state().unwrap();
        let theta = state.network.perturb(
            &vivarium_model::models::circuit_network::noise(&state.network, run.spec().run.seed, 7),
            0.2,
        );
        let output = state.network.output_at(&theta, &[true; 4]).unwrap();
        let shown = example(&run, 0).unwrap();
        assert!(shown.answer.contains(&format!(": {}, so ", number(output))), "{shown:?} {output}");
        let toy = asked("#v1/boolean-circuit?circuit=toy&levels=9");
        assert_eq!((count(&toy), example(&toy, 1)), (1, None));
    }
}
