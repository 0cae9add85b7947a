//! What theory says of the margins of networks on groups, on networks so small that they train in a moment.

use vivarium::analysis::neurons::{NeuronPart, NeuronSpectra};
use vivarium::analysis::progress::ModularOperation;
use vivarium::groups::Irreps;
use vivarium::labs;
use vivarium::labs::groups::GroupTheory;
use vivarium::labs::groups::probes::NEURONS;
use vivarium::protocol::Measurement;
use vivarium::tasks::Task;

use super::{block_on, weights};
use crate::{finish, session, spec};

/// A run's neurons, by its probe.
fn neurons(link: &str, weights: Vec<Vec<f32>>) -> NeuronSpectra {
    let found = labs::run_probe(&NEURONS.id(), &spec(link), 0, weights).unwrap();
    let [neurons, irreps] = found.counts[..] else { panic!("neurons") };
    NeuronSpectra::from_numbers(neurons, irreps, &found.numbers).unwrap()
}

/// The theory of a run's group at its λ.
fn theory(link: &str, lambda: f64) -> GroupTheory {
    let spec = spec(link);
    let Task::Groups(task) = &spec.task else { panic!("a group") };
    let group = task.group().unwrap();
    let mut theory = GroupTheory::compute(&spec, &group, &Irreps::compute(&group)).unwrap();
    theory.set_lambda(lambda);
    theory.advance(u64::MAX);
    theory
}

fn ratio(row: &Measurement, link: &str) -> f64 {
    f64::from(row.margin[0]) / (labs::lazy_lab(&spec(link)).largest_margin)(&spec(link), None).unwrap()
}

/// Edelman 2024, theorem 7.7.
#[test]
fn addition_reaches_the_largest_margin() {
    for (link, step, least) in [
        ("#v1/groups?n=13&steps=400", 400, 0.995),
        ("#v1/groups?op=sub&n=13&steps=400", 400, 0.995),
        ("#v1/groups", 600, 0.999),
    ] {
        let outcome = finish(&mut session(link));
        assert_eq!(outcome.step, step);
        for row in &outcome.rows {
            assert!(ratio(row, link) < 1.0001, "{link}: no network has more at step {}", row.step);
        }
        let last = outcome.rows.last().unwrap();
        assert_eq!((last.step, last.test_accuracy[0]), (step, 1.0));
        assert!(ratio(last, link) >= least, "{link}: {}", ratio(last, link));
    }
}

/// Theorem 7.9 and appendix D.9, at a penalty that is not small.
#[test]
fn three_letters_share_their_norms_as_predicted() {
    let link = "#v1/groups?op=symmetric&letters=3&width=100&lambda=0.0001&steps=2000&every=100";
    let theory = theory(link, 1e-4);
    let prediction = theory.prediction().unwrap();
    let mut run = session(link);
    let outcome = finish(&mut run);
    let reached = ratio(outcome.rows.last().unwrap(), link);
    let below = prediction.margin_ratio - reached;
    assert!((-1e-4..5e-3).contains(&below), "{reached} where {} is predicted", prediction.margin_ratio);
    let found = neurons(link, block_on(run.first_replica()).unwrap());
    let masses = found.norm_mass_per_irrep(3);
    assert_eq!(masses.len(), prediction.norm_shares.len());
    for (mass, share) in masses.iter().zip(&prediction.norm_shares) {
        assert!((f64::from(*mass) - share).abs() < 1e-3, "{masses:?} where {:?}", prediction.norm_shares);
    }
    let penalty = spec(link).architecture().penalty(0).unwrap();
    let weights = weights(&run).parameters;
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let norm = penalty.norms(&slices, 100);
    assert!(
        (norm / prediction.norm_mass - 1.0).abs() < 1e-3,
        "{norm} where {} is predicted",
        prediction.norm_mass
    );
    let loss = f64::from(outcome.rows.last().unwrap().train_loss[0]);
    assert!((loss - prediction.loss).abs() < 1e-2 * prediction.loss, "{loss}, {}", prediction.loss);
}

#[test]
fn too_strong_a_penalty_leaves_nothing() {
    let link = "#v1/groups?lambda=0.05&steps=600&every=100";
    let theory = theory(link, 0.05);
    let prediction = theory.prediction().unwrap();
    assert!(prediction.is_zero_network && prediction.norm_mass == 0.0);
    let mut run = session(link);
    let outcome = finish(&mut run);
    let last = outcome.rows.last().unwrap();
    assert!((f64::from(last.train_loss[0]) - prediction.loss).abs() < 1e-2, "{last:?}");
    // What is left of the weights has a direction, but its outputs are equal: it is no margin.
    assert!(prediction.margin_ratio.is_nan() && last.margin[0].is_nan(), "{last:?}");
    assert!(outcome.rows[0].margin[0].is_finite());
    let now = weights(&run).parameters;
    let penalty = spec(link).architecture().penalty(0).unwrap();
    let norms = |weights: &[Vec<f32>]| -> f64 {
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        penalty.norms(&slices, 200)
    };
    let share = norms(&now) / norms(&spec(link).initialize_parameters());
    assert!(share < 1e-2, "{share} of the norms is left");
}

/// Neurons of one frequency, whose phases add up (theorem 7.7), and every frequency among them.
#[test]
fn trained_neurons_are_waves_of_all_frequencies() {
    let link = "#v1/groups?n=7&width=60&steps=400&every=50";
    let mut run = session(link);
    finish(&mut run);
    let found = neurons(link, block_on(run.first_replica()).unwrap());
    assert!(found.has_phases() && found.irrep_count() == 4);
    let live = found.live_neurons();
    let mut residuals: Vec<f32> = live
        .iter()
        .map(|neuron| found.phase_residual(*neuron, ModularOperation::Sum).unwrap().abs())
        .collect();
    residuals.sort_unstable_by(f32::total_cmp);
    assert!(residuals[residuals.len() / 2] < 0.05, "{residuals:?}");
    for part in NeuronPart::ALL {
        assert!(found.median_share(part).unwrap() > 0.99, "{:?}", found.largest_shares(part));
    }
    assert_eq!(found.dominant_irrep_agreement(), Some(1.0));
    let counts = found.count_per_irrep();
    assert!(counts[0] == 0 && counts[1..].iter().all(|count| *count > 0), "{counts:?}");
    let start = neurons(link, spec(link).initialize_parameters());
    assert!(start.median_share(NeuronPart::First).unwrap() < 0.8);
}
