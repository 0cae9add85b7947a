//! R² by number of examples, against the network's own predictions.

use super::*;
use vivarium_model::permalink::decode;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Batch;
use vivarium_view::probing::ProbeTask;

fn spec(rest: &str) -> RunSpec {
    let (link, notices) = decode(&format!("#v1/in-context-learning?{rest}"));
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

fn found_of(spec: &RunSpec, weights: Vec<Vec<f32>>) -> ProbeResult {
    let network = ProbedNetwork { spec: spec.clone(), step: 0, weights, first_layers: vec![] };
    ProbeTask::new(&SPEC, network).unwrap().advance(f64::INFINITY).unwrap()
}

/// A network that always answers 0 has 1 − mean y² / V.
#[test]
fn a_network_without_a_readout_explains_what_zero_does() {
    let spec = spec("points=5&held=64");
    let mut weights = spec.initialize_parameters();
    weights.last_mut().unwrap().fill(0.0);
    let finding = found_of(&spec, weights);
    assert_eq!(finding.counts, [5, 64]);
    let curve = read_curve(&finding).unwrap();
    let prompts = spec.task.data().function_prompts().unwrap();
    let (mut batch, variance) = (Batch::default(), prompts.label_variance(spec.run.seed));
    spec.task.sampler().append_held_out(spec.run.seed, 0, 64, &mut batch);
    for at in 0..5 {
        let rows = batch.x.chunks(prompts.row_len());
        let mean = rows.map(|row| f64::from(prompts.split_row(row).1[at]).powi(2)).sum::<f64>() / 64.0;
        let expected = (1.0 - mean / variance) as f32;
        let near = (curve.mean[at] - expected).abs() < 1e-3 * expected.abs().max(1.0);
        assert!(near, "{at}: {} {expected}", curve.mean[at]);
        assert!(curve.low[at] < curve.mean[at] && curve.mean[at] < curve.high[at]);
    }
    assert_eq!(finding.few, [4, 2].map(|at| f64::from(curve.mean[at])));
}

#[test]
fn longer_prompts_have_more_places_and_the_last_of_training_is_kept() {
    let spec = spec("points=5&long=9&held=64");
    let finding = found_of(&spec, spec.initialize_parameters());
    assert_eq!((finding.counts[0], finding.numbers.len()), (9, 27));
    assert_eq!(finding.few[0], f64::from(read_curve(&finding).unwrap().mean[4]));
}

#[test]
fn probes_say_what_they_are_about() {
    let of_bits = decode("#v1/sparse-parity").0.spec;
    assert!(
        (R2_BY_EXAMPLES.applies)(&of_bits).is_err() && (R2_BY_EXAMPLES.applies)(&spec("points=5")).is_ok()
    );
}
