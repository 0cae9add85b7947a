//! Measures for claims about networks on sequences and on prompts.

use vivarium_labs::lookup::weights::scores::QueryKeyMatrices;
use vivarium_labs::markov::state::{first_distance_ratio, odd_over_even};
use vivarium_model::models::{Family, minimal_markov};
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::TaskData;
use vivarium_science::markov::{ChainMeasure as OfChains, Strategy};
use vivarium_training::session::evaluator::{lines, nearest};
use vivarium_view::presets::ExpectedMeasure;

/// Mean of KL(truth ‖ strategy) over the held-out contexts of the run, in nats: truth is the true
/// distribution of the next symbol, strategy the prediction of `strategy`. NaN if the strategy is not
/// defined.
pub(super) fn strategy_divergence(spec: &RunSpec, strategy: Strategy) -> f32 {
    let lines = lines(spec.task.sampler(), spec.run.seed, spec.held_out_count());
    lines.iter().find(|(of, _)| *of == strategy).map_or(f32::NAN, |(_, kl)| *kl as f32)
}

/// The measure `which` of networks on Markov chains in the measurement `row`: one value for each replica; NaN
/// if it was not measured.
pub(super) fn chain_measure(row: &Measurement, which: OfChains) -> Vec<f32> {
    match row.measures.get(which as usize) {
        Some(values) if !values.is_empty() => values.clone(),
        _ => vec![f32::NAN; row.test_loss.len()],
    }
}

/// For each replica, the strategies (uniform, unigram, bigram and so on) to which its predictions were
/// nearest, in order of time.
///
/// A strategy counts if it is nearest at the first measurement, or at two measurements in a row: between two
/// strategies either may be nearest.
pub(super) fn find_stages(spec: &RunSpec, rows: &[Measurement]) -> Vec<Vec<Strategy>> {
    let TaskData::Sequences(drawn) = spec.task.data() else { return vec![] };
    let of_replica = |r: usize| {
        let near = |row: &Measurement| {
            let own: Vec<Option<f32>> = row.measures.iter().map(|values| values.get(r).copied()).collect();
            nearest(drawn.order, &own)
        };
        let nearest: Vec<Strategy> = rows.iter().filter_map(near).collect();
        let mut stages: Vec<Strategy> = nearest.first().copied().into_iter().collect();
        for pair in nearest.windows(2) {
            if pair[0] == pair[1] && stages.last() != Some(&pair[1]) {
                stages.push(pair[1]);
            }
        }
        stages
    };
    (0..spec.run.replicas).map(of_replica).collect()
}

/// A measure computed from the weights of one network on Markov chains or prompts. `weights` has one entry
/// for each parameter tensor of this network, in the order of the model, with the numbers of the tensor row
/// after row. NaN if the model has no such measure.
pub(super) fn measure_chain_weights(measure: ExpectedMeasure, spec: &RunSpec, weights: &[Vec<f32>]) -> f32 {
    match (measure, spec.model.config().family()) {
        (ExpectedMeasure::OddOverEven | ExpectedMeasure::FirstDistance, _) => {
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let of =
                if measure == ExpectedMeasure::OddOverEven { odd_over_even } else { first_distance_ratio };
            of(spec, &weights).unwrap_or(f32::NAN)
        }
        (ExpectedMeasure::Diagonal, Some(Family::Minimal)) => {
            let w = &weights[minimal_markov::KERNEL];
            let k = w.len().isqrt();
            let on = |at: &usize| at / k == at % k;
            let least = (0..w.len()).filter(on).map(|at| w[at]).fold(f32::INFINITY, f32::min);
            let beside = (0..w.len()).filter(|at| !on(at)).map(|at| w[at].abs()).fold(0.0, f32::max);
            least / beside
        }
        (ExpectedMeasure::Diagonal | ExpectedMeasure::Block, Some(Family::TokenAttention(_))) => {
            measure_scores(measure, spec, weights).map_or(f32::NAN, |found| found as f32)
        }
        _ => f32::NAN,
    }
}

/// A ratio of absolute entries of the query-key matrices W_QK of one network on prompts. For
/// [`ExpectedMeasure::Block`]: the largest entry in the blocks that compare the code of a name with that of a
/// position, divided by the largest outside; otherwise the smallest on the diagonals of these blocks, divided
/// by the largest elsewhere. `weights` are the parameter tensors of the network; None if it has no such
/// matrices.
fn measure_scores(measure: ExpectedMeasure, spec: &RunSpec, weights: &[Vec<f32>]) -> Option<f64> {
    let (prompts, scores) = (spec.task.data().prompts()?, QueryKeyMatrices::new(spec, weights)?);
    let sizes = scores.compute_magnitudes(&prompts);
    Some(match measure {
        ExpectedMeasure::Block => sizes.inside / sizes.outside,
        _ => sizes.min_on_diagonal / sizes.max_off_diagonal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::science::check_run;
    use vivarium_model::permalink::decode;
    use vivarium_training::launch::device::Device;
    use vivarium_view::presets::{ALL_REPLICAS, Expectation};

    #[test]
    fn a_strategy_counts_when_it_stays() {
        let spec = decode("#v1/markov?replicas=2").0.spec;
        // Nearest to each strategy in turn, by replica.
        let row = |near: [usize; 2]| {
            let of = |strategy: usize| near.map(|own| if own == strategy { 0.1 } else { 0.5 }).to_vec();
            Measurement { measures: (0..5).map(of).collect(), test_loss: vec![0.0; 2], ..Default::default() }
        };
        let rows = [[0, 0], [0, 1], [1, 0], [1, 0], [2, 2], [2, 2]].map(row);
        use Strategy::{Bigram, Uniform, Unigram};
        assert_eq!(find_stages(&spec, &rows), [vec![Uniform, Unigram, Bigram], vec![Uniform, Bigram]]);
        assert_eq!(chain_measure(&rows[1], OfChains::Unigram), [0.5, 0.1]);
        assert!(chain_measure(&rows[1], OfChains::OnDoubly).iter().all(|v| v.is_nan()));
    }

    #[test]
    fn a_diagonal_leads_by_its_least_entry() {
        let spec = decode("#v1/markov?model=minimal-markov&k=2&t=6").0.spec;
        let weights = [vec![2.0, -0.5, 0.25, 4.0], vec![0.1, 0.4, 0.1, 0.3, 0.2, 0.2]];
        assert_eq!(measure_chain_weights(ExpectedMeasure::Diagonal, &spec, &weights), 4.0);
        assert_eq!(measure_chain_weights(ExpectedMeasure::OddOverEven, &spec, &weights), 1.0);
        assert!(
            (measure_chain_weights(ExpectedMeasure::FirstDistance, &spec, &weights) - 4.0 / 3.0).abs() < 1e-6
        );
    }

    /// Claim of the preset on the minimal model about the first steps, on twenty seeds: the diagonal of W leads from the
    /// first step, distance 1 by step 5, and odd distances up to 5 by step 10.
    #[test]
    fn the_minimal_model_learns_in_the_order_that_its_preset_says() {
        let preset = vivarium_labs::find_preset("minimal").unwrap();
        let mut spec = preset.link().spec;
        (spec.run.replicas, spec.run.steps, spec.run.every) = (20, 10, 1);
        let by = |measure, step| Expectation::Reaches {
            measure,
            at_least: 1.000_1,
            steps: (1, step),
            share: ALL_REPLICAS,
        };
        let expected = [
            by(ExpectedMeasure::Diagonal, 1),
            by(ExpectedMeasure::FirstDistance, 5),
            by(ExpectedMeasure::OddOverEven, 10),
        ];
        for verdict in check_run(spec, &expected, &Device::cpu()).unwrap() {
            assert!(verdict.holds, "{}", verdict.text);
        }
    }

    /// The construction has entries on the diagonals of its blocks alone.
    #[test]
    fn the_construction_looks_up_in_its_blocks() {
        let spec = |rest: &str| decode(&format!("#v1/sparse-token-regression?q=1&h=1{rest}")).0.spec;
        let built = spec("&begin=construction");
        for measure in [ExpectedMeasure::Block, ExpectedMeasure::Diagonal] {
            assert_eq!(measure_chain_weights(measure, &built, &built.initialize_parameters()), f32::INFINITY);
            // Random weights are as large off the diagonal, and a recurrent network has no heads.
            let drawn = spec("&scores=all&qk=separate");
            assert!(measure_chain_weights(measure, &drawn, &drawn.initialize_parameters()) < 5.0);
            let other = spec("&model=gru");
            assert!(measure_chain_weights(measure, &other, &other.initialize_parameters()).is_nan());
        }
    }
}
