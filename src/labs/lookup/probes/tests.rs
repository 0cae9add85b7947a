//! Results of probes on networks with a known answer.

use super::*;
use vivarium_model::permalink::decode;
use vivarium_science::tokens::theory::heads::min_risk_of_squares;
use vivarium_view::probing::ProbeTask;

fn spec(rest: &str) -> RunSpec {
    let (link, notices) = decode(&format!("#v1/sparse-token-regression?{rest}"));
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

fn run_probe_of(probe: usize, spec: &RunSpec, weights: Vec<Vec<f32>>) -> ProbeResult {
    let network = ProbedNetwork { spec: spec.clone(), step: 0, weights, first_layers: vec![] };
    ProbeTask::new(&PROBES[probe], network).unwrap().advance(f64::INFINITY).unwrap()
}

#[test]
fn no_head_answers_two_names() {
    assert_eq!(compute_head_assignment(&[0.9, 0.1, 0.8, 0.2], 2), (0.9 + 0.2) / 2.0);
    assert_eq!(compute_head_assignment(&[0.9, 0.6, 0.8, 0.2], 2), (0.8 + 0.6) / 2.0);
    assert_eq!(compute_head_assignment(&[0.3, 0.7], 2), 0.35);
    assert_eq!(compute_head_assignment(&[0.1, 0.0, 0.0, 1.0, 0.5, 0.5], 2), 0.75);
    assert_eq!(compute_head_assignment(&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0], 3), 1.0);
}

#[test]
fn heads_of_the_construction_answer_a_name_each() {
    let spec = spec("begin=construction&h=3&sharp=40&held=64");
    let heads = run_probe_of(0, &spec, spec.initialize_parameters());
    assert_eq!(heads.counts, [3, 2]);
    let expected = [1.0, 0.0, 0.0, 1.0];
    assert!(
        heads.numbers[..4].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4),
        "{:?}",
        heads.numbers
    );
    // The third head looks everywhere.
    assert!(heads.numbers[4..].iter().all(|a| (a - 0.125).abs() < 1e-4), "{:?}", heads.numbers);
    assert!((heads.few[0] - 1.0).abs() < 1e-4 && heads.few[1].abs() < 1e-3, "{:?}", heads.few);
    let positions = run_probe_of(1, &spec, spec.initialize_parameters());
    assert_eq!(positions.numbers.len(), 8);
    assert!(positions.numbers.iter().all(|error| *error < 1e-2), "{:?}", positions.numbers);
}

/// One head on the first of two names alone, or on both alike: half of the squares is out of reach.
#[test]
fn what_one_head_cannot_tell_is_stated() {
    let one = spec("h=1&held=64");
    let mut weights = one.initialize_parameters();
    // Rows: own code, first name, second name; columns: the key's own code first.
    let (code, read) = (8, 24);
    weights[1].fill(0.0);
    (0..code).for_each(|i| weights[1][(code + i) * read + i] = 60.0);
    let first = run_probe_of(0, &one, weights.clone());
    assert!(
        (first.few[0] - 0.5).abs() < 1e-3 && (first.few[1] - min_risk_of_squares(1, 2)).abs() < 1e-3,
        "{:?}",
        first.few
    );
    (0..code).for_each(|i| weights[1][(2 * code + i) * read + i] = 60.0);
    let both = run_probe_of(0, &one, weights.clone());
    assert!((both.few[0] - 0.25).abs() < 1e-3 && (both.few[1] - 0.5).abs() < 1e-3, "{:?}", both.few);
    // A head that looks everywhere tells 1/8 of each name: M is 1/8 everywhere, and 2 tr(M²)/q of 2 is 1/32.
    weights[1].fill(0.0);
    let none = run_probe_of(0, &one, weights);
    assert!((none.few[1] - (1.0 - 1.0 / 32.0)).abs() < 1e-6, "{:?}", none.few);
}

#[test]
fn nobody_speaks_of_a_bound_where_scores_read_numbers() {
    let spec = spec("scores=all&held=64");
    assert!(run_probe_of(0, &spec, spec.initialize_parameters()).few[1].is_nan());
}

#[test]
fn errors_by_position_are_those_of_the_network() {
    for model in ["token-attention", "token-mlp", "gru", "gated-memory"] {
        let spec = spec(&format!("model={model}&n=5&q=1&held=64"));
        let weights = spec.initialize_parameters();
        let errors = run_probe_of(1, &spec, weights.clone()).numbers;
        let (sampler, mut batch) = (spec.task.sampler(), Batch::default());
        sampler.append_held_out(spec.run.seed, 0, 64, &mut batch);
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let outputs = spec.network().evaluate(&slices, sampler.inputs(), &batch.x, 0);
        let prompts = sampler.data().prompts().unwrap();
        for (i, error) in errors.iter().enumerate() {
            let rows = batch.x.chunks(prompts.row_len()).zip(outputs.chunks(5));
            let square = rows.map(|(row, f)| (prompts.split_row(row).2[i] - f[i]).powi(2)).sum::<f32>();
            assert!((error - square / 64.0 / 2.0).abs() < 1e-4 * error.max(1.0), "{model} {i}: {error}");
        }
    }
}

#[test]
fn probes_say_what_they_are_about() {
    let of_bits = decode("#v1/sparse-parity").0.spec;
    assert!((HEADS.applies)(&of_bits).is_err() && (POSITIONS.applies)(&of_bits).is_err());
    assert!((HEADS.applies)(&spec("model=gru")).is_err() && (POSITIONS.applies)(&spec("model=gru")).is_ok());
}
