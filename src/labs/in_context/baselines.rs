//! R² of baselines, methods that use one prompt alone: measured once for the prompts of a run, in slices.

use super::probes::curve::{R2Curve, Z_90};
use vivarium_core::bounds::saturating_product;
use vivarium_core::language::translated;
use vivarium_plot::analysis::Role;
use vivarium_science::functions::baselines::{Baseline, BaselineErrors, BaselinesJob, TRAINING_EPOCHS};
use vivarium_science::functions::{BiasFreeNetwork, FunctionClass, FunctionPrompts};

/// Maximum number of example counts at which R² of baselines without training is measured; in longer prompts some
/// counts are skipped.
const MAX_EXAMPLE_COUNTS: usize = 26;
/// Maximum number of example counts at which R² of the trained baselines, networks trained on each prompt, is measured;
/// in longer prompts some counts are skipped.
pub(super) const MAX_TRAINED_COUNTS: usize = 8;
/// Approximate number of operations for measuring R² of all baselines without training; it sets the number of prompts.
const MAX_FIT_OPERATIONS: u64 = 1 << 26;
/// Approximate number of operations for measuring R² of the trained baselines, networks trained on each prompt; it sets
/// the numbers of prompts and of example counts.
const MAX_TRAINING_OPERATIONS: u64 = 1 << 31;
/// Minimum and maximum number of held-out prompts on which R² of baselines without training is measured.
const FIT_PROMPT_RANGE: (u64, u64) = (8, 512);
/// Minimum and maximum number of held-out prompts on each of which a baseline network is trained to measure R². If the
/// minimum is too expensive, fewer example counts are measured, or none: then [`unmeasured_baselines`] lists these
/// baselines.
const TRAINING_PROMPT_RANGE: (u64, u64) = (16, 256);

/// R² of one baseline on held-out prompts, by number of examples in the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCurve {
    /// The method that predicts the query's label from a prompt's examples, such as least squares.
    pub baseline: Baseline,
    /// Numbers of examples in the prompt at which R² was measured, increasing.
    pub example_counts: Vec<usize>,
    /// R² of the baseline with its 90 % interval, one entry for each number in `example_counts`.
    pub curve: R2Curve,
    /// Number of held-out prompts on which R² was measured.
    pub prompt_count: usize,
}

impl BaselineCurve {
    /// R² of the baseline after this number of examples in the prompt; none if it is not one of `example_counts`.
    pub fn r2_after(&self, examples: usize) -> Option<f32> {
        let at = self.example_counts.iter().position(|known| *known == examples)?;
        Some(self.curve.mean[at])
    }
}

/// Measurement of R² of all baselines on held-out prompts, in slices, in progress or finished.
#[derive(Debug, Clone)]
pub struct BaselineEvaluator {
    /// Measurements left: one for the baselines without training, one for the trained ones; the last in the list is
    /// next.
    pending_jobs: Vec<BaselinesJob>,
}

/// The baselines with which networks on these prompts are compared. For linear functions: least squares, nearest
/// neighbours, and ridge regression with the Bayes-optimal λ if labels are noisy. For other functions: an affine fit,
/// nearest neighbours, and a network trained on the prompt.
pub fn applicable_baselines(prompts: &FunctionPrompts) -> Vec<Baseline> {
    match prompts.class {
        FunctionClass::Linear | FunctionClass::Sparse if prompts.noise > 0.0 => {
            vec![Baseline::Ridge, Baseline::LeastSquares, Baseline::Neighbours]
        }
        // Without noise, ridge regression is least squares.
        FunctionClass::Linear | FunctionClass::Sparse => vec![Baseline::LeastSquares, Baseline::Neighbours],
        FunctionClass::Tree | FunctionClass::Network => {
            let trained = [Baseline::BestPerPrompt, Baseline::BestForAll, Baseline::LastEpoch];
            [Baseline::Affine, Baseline::Neighbours].into_iter().chain(trained).collect()
        }
    }
}

/// The name of a baseline in the page's language, such as "3 nearest neighbours".
pub fn baseline_name(baseline: Baseline) -> &'static str {
    let label = Baseline::OPTIONS.iter().find(|option| option.slug == baseline.slug());
    translated(label.map_or("", |option| option.label))
}

/// The colour of a baseline's curve in charts: its role, and the index of a muted colour that replaces the role's, if
/// any. Grey is not used, because it is the colour of the target function.
pub fn baseline_color(baseline: Baseline) -> (Role, Option<usize>) {
    match baseline {
        Baseline::Affine | Baseline::Ridge => (Role::Train, None),
        Baseline::LastEpoch => (Role::Relevant, None),
        Baseline::BestForAll => (Role::Other, Some(1)),
        Baseline::BestPerPrompt => (Role::Other, Some(0)),
        Baseline::LeastSquares => (Role::Other, Some(1)),
        Baseline::Neighbours => (Role::Other, Some(3)),
    }
}

/// Evenly spaced numbers of examples, counted down from `last` to at least `first`, at most `max_count` of them, and in
/// addition all numbers in `required`; increasing.
fn spread_example_counts(first: usize, last: usize, max_count: usize, required: &[usize]) -> Vec<usize> {
    let stride = (last + 1 - first.min(last)).div_ceil(max_count.max(1)).max(1);
    let mut all: Vec<usize> = (first..=last).rev().step_by(stride).chain(required.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The number of weights of the network that the trained baseline fits to one prompt.
fn network_weight_count(prompts: &FunctionPrompts) -> u64 {
    BiasFreeNetwork::weight_count(&BiasFreeNetwork::layer_sizes(
        prompts.inputs(),
        prompts.layers,
        prompts.hidden,
    )) as u64
}

/// The approximate number of operations for training the baseline network on one prompt with this number of examples,
/// for all of its training epochs.
pub fn training_operations(prompts: &FunctionPrompts, examples: usize) -> u64 {
    saturating_product([TRAINING_EPOCHS as u64, 6 * examples as u64 + 20, network_weight_count(prompts)])
}

/// The example counts at which R² of the trained baselines is measured, and the number of held-out prompts; none if it
/// would take too long. Expensive settings have fewer example counts, always including the number of examples in a
/// training prompt.
fn plan_training(prompts: &FunctionPrompts) -> Option<(Vec<usize>, usize)> {
    let (last, usual) = (prompts.max_points() - 1, prompts.points - 1);
    let all = [MAX_TRAINED_COUNTS, MAX_TRAINED_COUNTS / 2, MAX_TRAINED_COUNTS / 4]
        .map(|most| spread_example_counts(1, last, most, &[usual]));
    all.into_iter().chain([vec![usual]]).find_map(|at| {
        let each = at.iter().map(|k| training_operations(prompts, *k)).fold(0, u64::saturating_add);
        let count = (MAX_TRAINING_OPERATIONS / each.max(1)).min(TRAINING_PROMPT_RANGE.1);
        (count >= TRAINING_PROMPT_RANGE.0).then_some((at, count as usize))
    })
}

/// The [`applicable_baselines`] that are not measured, because training a network on each prompt would take too long.
pub fn unmeasured_baselines(prompts: &FunctionPrompts) -> Vec<Baseline> {
    let is_measured = plan_training(prompts).is_some();
    applicable_baselines(prompts).into_iter().filter(|of| of.is_trained() && !is_measured).collect()
}

impl BaselineEvaluator {
    /// Starts the measurement of the baselines' R² on held-out prompts of this distribution, drawn with this seed.
    pub fn new(prompts: &FunctionPrompts, seed: u64) -> Self {
        let (last, usual) = (prompts.max_points() - 1, prompts.points - 1);
        let (trained, fitted): (Vec<Baseline>, Vec<Baseline>) =
            applicable_baselines(prompts).into_iter().partition(|baseline| baseline.is_trained());
        let mut jobs = vec![];
        if let Some((at, count)) = plan_training(prompts).filter(|_| !trained.is_empty()) {
            jobs.push(BaselinesJob::new(prompts, seed, count, &at, &trained));
        }
        let at = spread_example_counts(0, last, MAX_EXAMPLE_COUNTS, &[usual]);
        let inputs = prompts.inputs() as u64 + 1;
        let fit = |k: &usize| saturating_product([16, *k as u64 + inputs, inputs, inputs]);
        let each = at.iter().map(fit).fold(0, u64::saturating_add);
        let count = (MAX_FIT_OPERATIONS / each.max(1)).clamp(FIT_PROMPT_RANGE.0, FIT_PROMPT_RANGE.1);
        // The quick baselines come first: the last job runs next.
        jobs.push(BaselinesJob::new(prompts, seed, count as usize, &at, &fitted));
        BaselineEvaluator { pending_jobs: jobs }
    }

    /// Whether R² of all baselines has been measured.
    pub fn is_done(&self) -> bool {
        self.pending_jobs.is_empty()
    }

    /// Continues the measurement of R² by about this many operations; returns the curves of the baselines that have
    /// just been finished, otherwise none.
    pub fn advance(&mut self, operations: u64) -> Option<Vec<BaselineCurve>> {
        let scores = self.pending_jobs.last_mut()?.advance(operations)?;
        self.pending_jobs.pop();
        Some(to_baseline_curves(&scores))
    }
}

/// Converts the squared errors of baselines on held-out prompts to curves of R² by number of examples, with 90 %
/// intervals.
fn to_baseline_curves(scores: &BaselineErrors) -> Vec<BaselineCurve> {
    let one = |(baseline, _): &(Baseline, Vec<_>)| {
        let relative = scores.relative_errors(*baseline)?;
        let part = |by: f64| {
            relative.iter().map(|score| (1.0 - score.mean + by * score.standard_error) as f32).collect()
        };
        let curve = R2Curve { mean: part(0.0), low: part(-Z_90), high: part(Z_90) };
        let (examples, prompts) = (scores.example_counts.clone(), scores.prompt_count);
        Some(BaselineCurve { baseline: *baseline, example_counts: examples, curve, prompt_count: prompts })
    };
    scores.squared_errors.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_even_and_the_last_is_among_them() {
        assert_eq!(spread_example_counts(1, 16, 8, &[16]), [2, 4, 6, 8, 10, 12, 14, 16]);
        assert_eq!(spread_example_counts(0, 16, 26, &[16]), (0..=16).collect::<Vec<_>>());
        assert_eq!(spread_example_counts(1, 25, 8, &[16]), [1, 5, 9, 13, 16, 17, 21, 25]);
        assert_eq!(
            (spread_example_counts(1, 1, 8, &[1]), spread_example_counts(0, 1, 1, &[1])),
            (vec![1], vec![1])
        );
    }

    /// Without noise a linear function is known from as many examples as inputs have numbers.
    #[test]
    fn linear_functions_are_known_from_few_examples() {
        let prompts = FunctionPrompts {
            class: FunctionClass::Linear,
            dim: 3,
            constant: false,
            points: 8,
            input_scale: 1.0,
            ..FunctionPrompts::default()
        };
        let mut evaluator = BaselineEvaluator::new(&prompts, 1);
        let mut all = vec![];
        while !evaluator.is_done() {
            all.extend(evaluator.advance(1 << 22).unwrap_or_default());
        }
        assert_eq!(
            all.iter().map(|judged| judged.baseline).collect::<Vec<_>>(),
            applicable_baselines(&prompts)
        );
        let exact = &all[0];
        assert_eq!(exact.baseline, Baseline::LeastSquares);
        assert!(exact.r2_after(2).unwrap() < 0.9, "{exact:?}");
        assert!((3..8).all(|k| (exact.r2_after(k).unwrap() - 1.0).abs() < 1e-4), "{exact:?}");
        assert!(all[1].r2_after(7).unwrap() < 0.9, "neighbours do not extrapolate: {:?}", all[1]);
        assert_eq!(exact.r2_after(8), None);
    }

    /// A network 2-8-8-1 has 16 + 64 + 8 weights, and 100 epochs on k examples make 100 · 88 · (6k + 20) operations:
    /// 5.2 million for k = 2, 4, …, 16. Of 2³¹ operations 256 prompts take less.
    #[test]
    fn networks_of_a_prompts_own_are_trained_as_long_as_there_is_time() {
        let usual = FunctionPrompts::default();
        assert_eq!(training_operations(&usual, 16), 100 * 88 * 116);
        assert_eq!(plan_training(&usual), Some((vec![2, 4, 6, 8, 10, 12, 14, 16], 256)));
        assert_eq!(
            (unmeasured_baselines(&usual), BaselineEvaluator::new(&usual, 1).pending_jobs.len()),
            (vec![], 2)
        );
        // 21-20-20-20-20-20-1: 420 + 4 · 400 + 20 weights. 100 epochs on 25 and on 50 examples make 204,000 · (170 +
        // 320) operations, so that 2³¹ are enough for 21 prompts at these two numbers of examples.
        let large = FunctionPrompts { dim: 20, points: 51, hidden: 20, layers: 6, ..usual.clone() };
        assert_eq!(training_operations(&large, 50), 100 * 2040 * 320);
        assert_eq!(plan_training(&large), Some((vec![25, 50], 21)));
        assert_eq!(
            (unmeasured_baselines(&large), BaselineEvaluator::new(&large, 1).pending_jobs.len()),
            (vec![], 2)
        );
        // If training on 16 prompts is too expensive, the missing baselines are listed.
        let larger = FunctionPrompts { points: 128, hidden: 32, ..large };
        assert_eq!(plan_training(&larger), None);
        assert_eq!(
            unmeasured_baselines(&larger),
            [Baseline::BestPerPrompt, Baseline::BestForAll, Baseline::LastEpoch]
        );
        assert_eq!(BaselineEvaluator::new(&larger, 1).pending_jobs.len(), 1);
    }
}
