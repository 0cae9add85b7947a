//! How well methods do that see one prompt alone: measured once for the prompts of a run, in parts.

use super::probes::curve::{Curve, NINETY};
use vivarium_core::bounds::product;
use vivarium_core::language::translated;
use vivarium_plot::analysis::Role;
use vivarium_science::functions::baselines::{Baseline, BaselineErrors, BaselinesJob, TRAINING_EPOCHS};
use vivarium_science::functions::{BiasFreeNetwork, FunctionClass, FunctionPrompts};

/// Numbers of examples at which methods are measured, at most: with more points some are left out.
const MOST_PLACES: usize = 26;
/// The same for networks that are trained on each prompt.
pub(super) const MOST_TRAINED: usize = 8;
/// Operations, roughly, of all that is measured without training.
const MOST_FITTED: u64 = 1 << 26;
/// Operations, roughly, of all networks that are trained on prompts.
const MOST_TRAINING: u64 = 1 << 31;
/// Prompts on which methods are measured, at least and at most.
const FITTED: (u64, u64) = (8, 512);
/// The same for networks that are trained: where there is no time for so many prompts, fewer numbers of examples are
/// measured, and where there is none for one of them, no network is trained and [`left_out`] says so.
const TRAINED: (u64, u64) = (16, 256);

/// What one method does after several numbers of examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The method.
    pub baseline: Baseline,
    /// Numbers of examples, rising.
    pub examples: Vec<usize>,
    /// R² there.
    pub curve: Curve,
    /// Prompts that it was measured on.
    pub prompts: usize,
}

impl Judged {
    /// R² after so many examples, if it was measured there.
    pub fn after(&self, examples: usize) -> Option<f32> {
        let at = self.examples.iter().position(|known| *known == examples)?;
        Some(self.curve.middle[at])
    }
}

/// The measurement on its way.
#[derive(Debug, Clone)]
pub struct Judge {
    /// What is left to do, the next at the end.
    jobs: Vec<BaselinesJob>,
}

/// The methods that say something about these prompts: for functions that are linear, linear regression, of which ridge
/// regression has the λ of Bayes's answer; for others what an affine function explains, and a network of a prompt's own.
pub fn methods(prompts: &FunctionPrompts) -> Vec<Baseline> {
    match prompts.class {
        FunctionClass::Linear | FunctionClass::Sparse if prompts.noise > 0.0 => {
            vec![Baseline::Ridge, Baseline::LeastSquares, Baseline::Neighbours]
        }
        // Without noise ridge regression is least squares.
        FunctionClass::Linear | FunctionClass::Sparse => vec![Baseline::LeastSquares, Baseline::Neighbours],
        FunctionClass::Tree | FunctionClass::Network => {
            let trained = [Baseline::BestPerPrompt, Baseline::BestForAll, Baseline::LastEpoch];
            [Baseline::Affine, Baseline::Neighbours].into_iter().chain(trained).collect()
        }
    }
}

/// What a method is called.
pub fn name(baseline: Baseline) -> &'static str {
    let label = Baseline::OPTIONS.iter().find(|option| option.slug == baseline.slug());
    translated(label.map_or("", |option| option.label))
}

/// The colour of a method: its role, and which muted one it has instead, if any. None is grey, as the function itself is.
pub fn look(baseline: Baseline) -> (Role, Option<usize>) {
    match baseline {
        Baseline::Affine | Baseline::Ridge => (Role::Train, None),
        Baseline::LastEpoch => (Role::Relevant, None),
        Baseline::BestForAll => (Role::Other, Some(1)),
        Baseline::BestPerPrompt => (Role::Other, Some(0)),
        Baseline::LeastSquares => (Role::Other, Some(1)),
        Baseline::Neighbours => (Role::Other, Some(3)),
    }
}

/// Numbers of examples from `first` to `last`, at most `most` of them and as even as can be; all of `kept` are among them.
fn places(first: usize, last: usize, most: usize, kept: &[usize]) -> Vec<usize> {
    let stride = (last + 1 - first.min(last)).div_ceil(most.max(1)).max(1);
    let mut all: Vec<usize> = (first..=last).rev().step_by(stride).chain(kept.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Weights of the network that is trained on a prompt.
fn weights(prompts: &FunctionPrompts) -> u64 {
    BiasFreeNetwork::weight_count(&BiasFreeNetwork::layer_sizes(
        prompts.inputs(),
        prompts.layers,
        prompts.hidden,
    )) as u64
}

/// Operations, roughly, of training a network on so many examples.
pub fn training(prompts: &FunctionPrompts, examples: usize) -> u64 {
    product([TRAINING_EPOCHS as u64, 6 * examples as u64 + 20, weights(prompts)])
}

/// Numbers of examples on which networks are trained, and on how many prompts; none where it takes too long. Where it takes
/// long there are fewer numbers of examples, but the one of a prompt as in training stays.
fn trainable(prompts: &FunctionPrompts) -> Option<(Vec<usize>, usize)> {
    let (last, usual) = (prompts.max_points() - 1, prompts.points - 1);
    let all = [MOST_TRAINED, MOST_TRAINED / 2, MOST_TRAINED / 4].map(|most| places(1, last, most, &[usual]));
    all.into_iter().chain([vec![usual]]).find_map(|at| {
        let each = at.iter().map(|k| training(prompts, *k)).fold(0, u64::saturating_add);
        let count = (MOST_TRAINING / each.max(1)).min(TRAINED.1);
        (count >= TRAINED.0).then_some((at, count as usize))
    })
}

/// The [`methods`] that are not measured, because training a network on each of several prompts would take too long.
pub fn left_out(prompts: &FunctionPrompts) -> Vec<Baseline> {
    let is_measured = trainable(prompts).is_some();
    methods(prompts).into_iter().filter(|of| of.is_trained() && !is_measured).collect()
}

impl Judge {
    /// The measurement for the prompts of `seed`.
    pub fn new(prompts: &FunctionPrompts, seed: u64) -> Self {
        let (last, usual) = (prompts.max_points() - 1, prompts.points - 1);
        let (trained, fitted): (Vec<Baseline>, Vec<Baseline>) =
            methods(prompts).into_iter().partition(|baseline| baseline.is_trained());
        let mut jobs = vec![];
        if let Some((at, count)) = trainable(prompts).filter(|_| !trained.is_empty()) {
            jobs.push(BaselinesJob::new(prompts, seed, count, &at, &trained));
        }
        let at = places(0, last, MOST_PLACES, &[usual]);
        let inputs = prompts.inputs() as u64 + 1;
        let fit = |k: &usize| product([16, *k as u64 + inputs, inputs, inputs]);
        let each = at.iter().map(fit).fold(0, u64::saturating_add);
        let count = (MOST_FITTED / each.max(1)).clamp(FITTED.0, FITTED.1);
        // What is quick comes first.
        jobs.push(BaselinesJob::new(prompts, seed, count as usize, &at, &fitted));
        Judge { jobs }
    }

    /// Whether all is measured.
    pub fn is_done(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Goes on by about so many operations; what has been measured to the end comes out.
    pub fn advance(&mut self, operations: u64) -> Option<Vec<Judged>> {
        let scores = self.jobs.last_mut()?.advance(operations)?;
        self.jobs.pop();
        Some(judged(&scores))
    }
}

fn judged(scores: &BaselineErrors) -> Vec<Judged> {
    let one = |(baseline, _): &(Baseline, Vec<_>)| {
        let relative = scores.relative_errors(*baseline)?;
        let part = |by: f64| {
            relative.iter().map(|score| (1.0 - score.mean + by * score.standard_error) as f32).collect()
        };
        let curve = Curve { middle: part(0.0), low: part(-NINETY), high: part(NINETY) };
        let (examples, prompts) = (scores.example_counts.clone(), scores.prompt_count);
        Some(Judged { baseline: *baseline, examples, curve, prompts })
    };
    scores.squared_errors.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_even_and_the_last_is_among_them() {
        assert_eq!(places(1, 16, 8, &[16]), [2, 4, 6, 8, 10, 12, 14, 16]);
        assert_eq!(places(0, 16, 26, &[16]), (0..=16).collect::<Vec<_>>());
        assert_eq!(places(1, 25, 8, &[16]), [1, 5, 9, 13, 16, 17, 21, 25]);
        assert_eq!((places(1, 1, 8, &[1]), places(0, 1, 1, &[1])), (vec![1], vec![1]));
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
        let mut judge = Judge::new(&prompts, 1);
        let mut all = vec![];
        while !judge.is_done() {
            all.extend(judge.advance(1 << 22).unwrap_or_default());
        }
        assert_eq!(all.iter().map(|judged| judged.baseline).collect::<Vec<_>>(), methods(&prompts));
        let exact = &all[0];
        assert_eq!(exact.baseline, Baseline::LeastSquares);
        assert!(exact.after(2).unwrap() < 0.9, "{exact:?}");
        assert!((3..8).all(|k| (exact.after(k).unwrap() - 1.0).abs() < 1e-4), "{exact:?}");
        assert!(all[1].after(7).unwrap() < 0.9, "neighbours do not extrapolate: {:?}", all[1]);
        assert_eq!(exact.after(8), None);
    }

    /// A network 2-8-8-1 has 16 + 64 + 8 weights, and 100 epochs on k examples make 100 · 88 · (6k + 20) operations: 5.2
    /// million for k = 2, 4, …, 16. Of 2³¹ operations 256 prompts take less.
    #[test]
    fn networks_of_a_prompts_own_are_trained_as_long_as_there_is_time() {
        let usual = FunctionPrompts::default();
        assert_eq!(training(&usual, 16), 100 * 88 * 116);
        assert_eq!(trainable(&usual), Some((vec![2, 4, 6, 8, 10, 12, 14, 16], 256)));
        assert_eq!((left_out(&usual), Judge::new(&usual, 1).jobs.len()), (vec![], 2));
        // 21-20-20-20-20-20-1: 420 + 4 · 400 + 20 weights. 100 epochs on 25 and on 50 examples make 204,000 · (170 + 320)
        // operations, so that 2³¹ are enough for 21 prompts at these two numbers of examples.
        let large = FunctionPrompts { dim: 20, points: 51, hidden: 20, layers: 6, ..usual.clone() };
        assert_eq!(training(&large, 50), 100 * 2040 * 320);
        assert_eq!(trainable(&large), Some((vec![25, 50], 21)));
        assert_eq!((left_out(&large), Judge::new(&large, 1).jobs.len()), (vec![], 2));
        // Where there is no time for 16 prompts, it is said which methods are missing.
        let larger = FunctionPrompts { points: 128, hidden: 32, ..large };
        assert_eq!(trainable(&larger), None);
        assert_eq!(left_out(&larger), [Baseline::BestPerPrompt, Baseline::BestForAll, Baseline::LastEpoch]);
        assert_eq!(Judge::new(&larger, 1).jobs.len(), 1);
    }
}
