//! Results of the summary on transformers as deep optimizers, reproduced and compared with an independent
//! implementation.

mod figures;

use figures::{InContextFigure, InContextInstance, PlanSize, ZeroDifference};

use super::table::{ComparisonRow, format_row};
use super::{format_time, measure_run};
use vivarium_core::math::dot;
use vivarium_labs as labs;
use vivarium_labs::in_context::probes::R2_BY_EXAMPLES;
use vivarium_model::models::family::Family;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Measurement, RunError};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::SweepCell;
use vivarium_model::tasks::TaskData;
use vivarium_plot::analysis::curves::median_range;
use vivarium_science::descent::{
    DescentComparison, DescentPlan, DescentPrompts, DescentTokens, ExampleOrder, TokenBlock,
    euclidean_distance,
};
use vivarium_science::functions::baselines::{Baseline, BaselinesJob, ridge_regression};
use vivarium_science::functions::{FunctionClass, FunctionPrompts, InputDistribution, population_variance};
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};

pub(super) use figures::in_context_instances;

/// Our median distance (or loss) counts as equal to that of the independent program, which ran one seed, if
/// the larger is at most this many times the smaller.
const MAX_DISTANCE_RATIO: f64 = 3.0;
/// Largest difference between our median R² and the R² of the independent program, with one seed, at which
/// the two count as equal.
const MAX_R_SQUARED_DIFFERENCE: f64 = 0.05;
/// Distances between weights and other differences up to this size are taken to be rounding errors of zero.
const MAX_ROUNDING_ERROR: f64 = 1e-13;
/// An exact number of parameters counts as equal to a rounded one if the larger is at most this many times
/// the smaller.
const MAX_COUNT_RATIO: f64 = 1.02;
/// Number of random draws of weights and examples for the built transformer, for distances in single
/// precision and for differences that should be zero.
const BUILT_TRANSFORMER_SEEDS: u32 = 20;
/// Numbers of prompts from which R² of a baseline is computed: of a baseline that is trained, and of ridge
/// regression, whose errors have heavy tails.
const BASELINE_PROMPTS: (usize, usize) = (1000, 20_000);
/// Number of random networks to each of which an affine function is fitted; the median R² over them is
/// compared.
const AFFINE_NETWORKS: usize = 200;
/// Number of points (input and output) of each random network: the best affine fit is made and tested on all
/// of them, ridge regression is fitted to the first ones and tested on the others.
const AFFINE_POINTS: usize = 2000;

/// Cache of the networks that were trained last: their link, their measurements, and for each network its R²
/// after 0, 1, 2, … examples.
#[derive(Default)]
pub(super) struct LastTraining(String, Vec<Measurement>, Vec<Vec<f32>>);

/// Reproduces one result on transformers as deep optimizers and compares it with that of the independent
/// program; the networks in `last` are reused if their link is that of the instance.
///
/// # Errors
/// When the device stops working.
pub(super) fn compare_in_context(
    instance: &InContextInstance,
    last: &mut LastTraining,
    device: &Device,
) -> Result<ComparisonRow, RunError> {
    let begin = now_ms();
    let (elsewhere, here, agree) = match instance.figure {
        InContextFigure::Measured(of, step, found) => {
            let rows = measure_built(instance, step, device)?;
            let seen = rows.last().and_then(|row| row.measures.get(of as usize));
            compare_distances(found, seen.map_or(&[], Vec::as_slice))
        }
        InContextFigure::Loss(step, found) => {
            let rows = measure_built(instance, step, device)?;
            compare_distances(found, rows.last().map_or(&[], |row| &row.train_loss))
        }
        InContextFigure::SinglePrecision(step, found) => {
            let plan = built_plan(instance).0;
            let all: Vec<f32> = (0..BUILT_TRANSFORMER_SEEDS)
                .map(|replica| single_precision_distance(&plan, replica, step) as f32)
                .collect();
            compare_distances(found, &all)
        }
        InContextFigure::Size(size, found) => {
            let (plan, examples) = built_plan(instance);
            let sizes = plan.compute_sizes(examples);
            let here = match size {
                PlanSize::Token => sizes.token_dim,
                PlanSize::Weights => sizes.weights,
                PlanSize::Layers => sizes.layers,
                PlanSize::Heads => sizes.heads,
            };
            (found.to_string(), here.to_string(), here == found)
        }
        InContextFigure::Zero(of, found) => {
            let here = zero_difference(&built_plan(instance).0, of);
            // An exact 0 must be 0 here too; a rounding error may be another rounding error.
            let shown = |x: f64| if x == 0.0 { "0".into() } else { format!("{x:.0e}") };
            (shown(found), shown(here), here <= if found == 0.0 { 0.0 } else { MAX_ROUNDING_ERROR })
        }
        InContextFigure::Trained(found) => {
            let mut spec = trained_run(instance);
            spec.run.replicas = 1;
            let count = spec.parameters().iter().map(|parameter| parameter.len() as u64).sum::<u64>() as f64;
            let ratio = (count / found as f64).max(found as f64 / count);
            (
                format!("about {}", format_time(Some(found as f64))),
                format_time(Some(count)),
                ratio < MAX_COUNT_RATIO,
            )
        }
        InContextFigure::RSquaredAtStep(step, found) => {
            train_if_new(instance, last, device)?;
            let row = last.1.iter().rev().find(|row| row.step <= step);
            compare_r_squared(found, &row.map(|row| row.test_accuracy.clone()).unwrap_or_default())
        }
        InContextFigure::RSquaredAfterExamples(examples, found) => {
            train_if_new(instance, last, device)?;
            let all: Vec<f32> = last.2.iter().filter_map(|curve| curve.get(examples).copied()).collect();
            compare_r_squared(found, &all)
        }
        InContextFigure::Baseline(baseline, examples, found) => {
            let (here, error) = baseline_r_squared(&trained_run(instance), baseline, examples);
            let agree = (here - found).abs() <= MAX_R_SQUARED_DIFFERENCE + 2.0 * error;
            (found.to_string(), format!("{here:.3} ± {error:.3}"), agree)
        }
        InContextFigure::Affine { distribution: law, layers, examples, found } => {
            let here = affine_r_squared(law, layers, examples);
            (found.to_string(), format!("{here:.3}"), (here - found).abs() <= MAX_R_SQUARED_DIFFERENCE)
        }
    };
    let seconds = (now_ms() - begin) / 1e3;
    Ok(ComparisonRow {
        name: instance.name.clone(),
        reference_result: elsewhere,
        our_result: here,
        agrees: agree,
        seconds,
    })
}

/// Compares a distance or a loss `reference` of one seed of the independent program with `all`, those of our
/// seeds. Returns the result of that program as text, ours as text, and whether they agree.
fn compare_distances(reference: f64, all: &[f32]) -> (String, String, bool) {
    let (median, lowest, highest) = median_range(all);
    let [median, low, high] = [median, lowest, highest].map(f64::from);
    let ratio = (reference / median).max(median / reference);
    let agree = ratio <= MAX_DISTANCE_RATIO
        || (low <= reference && reference <= high)
        || high.max(reference) <= MAX_ROUNDING_ERROR;
    (format!("{reference:.2e}"), format!("{median:.2e} ({low:.2e}–{high:.2e})"), agree)
}

/// Compares R² `reference` of one seed of the independent program with `all`, those of our seeds. Returns the
/// result of that program as text, ours as text, and whether they agree.
fn compare_r_squared(reference: f64, all: &[f32]) -> (String, String, bool) {
    let (median, lowest, highest) = median_range(all);
    let [median, low, high] = [median, lowest, highest].map(f64::from);
    let agree = low.min(median - MAX_R_SQUARED_DIFFERENCE) <= reference
        && reference <= high.max(median + MAX_R_SQUARED_DIFFERENCE);
    (reference.to_string(), format!("{median:.3} ({low:.3}–{high:.3})"), agree)
}

/// Settings (plan) of the transformer that an instance builds for gradient descent, and the number of
/// examples in its prompt.
fn built_plan(instance: &InContextInstance) -> (DescentPlan, usize) {
    descent_plan(&decode(&format!("#v1/in-context-regression?{}", instance.link)).0.spec).unwrap_or_default()
}

/// Settings (plan) of the transformer that a run builds for gradient descent, and the number of examples in
/// its prompt; None if the run builds no transformer.
fn descent_plan(spec: &RunSpec) -> Option<(DescentPlan, usize)> {
    let draw = spec.task.data().descent_prompts()?;
    let Some(Family::Descent(net)) = spec.model.config().family() else { return None };
    Some((net.plan(&draw, spec.learning_rate(0)), draw.example_count()))
}

/// Measurements of the built transformer of an instance for each random draw, up to gradient descent step
/// `steps`.
fn measure_built(
    instance: &InContextInstance,
    steps: u64,
    device: &Device,
) -> Result<Vec<Measurement>, RunError> {
    let mut spec = decode(&format!("#v1/in-context-regression?{}", instance.link)).0.spec;
    spec.run.replicas = instance.seeds;
    spec.run.steps = steps.max(1);
    let mut rows = measure_run(SweepCell { spec, sweep_index: 0, series_index: 0 }, &[], &[], device)?.rows;
    rows.retain(|row| row.step <= steps);
    Ok(rows)
}

/// Euclidean distance after `steps` steps of gradient descent between the weights that the built transformer
/// holds in its tokens, in single precision, and those of direct gradient descent, in double precision;
/// `replica` is the number of the random draw, from 0.
fn single_precision_distance(plan: &DescentPlan, replica: u32, steps: u64) -> f64 {
    let mut race = start_comparison(plan, replica, &DescentPrompts::default());
    let mut tokens: DescentTokens<f32> = race.transformer().tokens(race.examples(), &race.state().direct);
    for _ in 0..steps {
        race.transformer().step(&mut tokens);
        race.step();
    }
    euclidean_distance(&tokens.weights(race.transformer().layout()), &race.state().direct)
}

/// The built transformer and direct gradient descent from the same weights on the same examples, before the
/// first step. `draw` says how the examples are drawn; `replica` is the number of the random draw of weights
/// and examples, from 0.
fn start_comparison(plan: &DescentPlan, replica: u32, draw: &DescentPrompts) -> DescentComparison {
    DescentComparison::new(plan, draw.draw_examples(0, replica), &plan.network.draw_weights(0, replica, 1.0))
}

/// Largest value of a difference that should be zero, over [`BUILT_TRANSFORMER_SEEDS`] random draws.
fn zero_difference(plan: &DescentPlan, difference: ZeroDifference) -> f64 {
    let after = |steps: u64, mut race: DescentComparison| {
        (0..steps).for_each(|_| race.step());
        race
    };
    let one = |replica: u32| {
        let draw = DescentPrompts::default();
        let usual = || start_comparison(plan, replica, &draw);
        let apart = |steps: u64, other: DescentPrompts| {
            let other = after(steps, start_comparison(plan, replica, &other));
            euclidean_distance(&after(steps, usual()).state().tokens, &other.state().tokens)
        };
        match difference {
            ZeroDifference::ZeroWeights => {
                let zero = vec![0.0; plan.network.weight_count()];
                let moved = after(50, DescentComparison::new(plan, draw.draw_examples(0, replica), &zero));
                euclidean_distance(&moved.state().tokens, &zero)
            }
            ZeroDifference::QueryLabel => apart(30, DescentPrompts { query_label: 7.0, ..draw.clone() }),
            ZeroDifference::Shuffling => {
                apart(1, DescentPrompts { order: ExampleOrder::Shuffled, ..draw.clone() })
            }
            ZeroDifference::TokenCopies => {
                let race = after(10, usual());
                let weights = race.transformer().layout().block_range(TokenBlock::Weights);
                if race.tokens().are_equal_in_all_tokens(weights) { 0.0 } else { f64::INFINITY }
            }
            ZeroDifference::Workspace => {
                let race = after(10, usual());
                let scratch = race.transformer().layout().workspace();
                let all = scratch.flat_map(|c| race.tokens().row(c).to_vec());
                all.fold(0.0, |most: f64, x| most.max(x.abs()))
            }
        }
    };
    (0..BUILT_TRANSFORMER_SEEDS).map(one).fold(0.0, f64::max)
}

/// Settings of the run that trains the transformers of an instance, one replica for each of its seeds.
fn trained_run(instance: &InContextInstance) -> RunSpec {
    let mut spec = decode(&format!("#v1/in-context-learning?{}", instance.link)).0.spec;
    spec.run.replicas = instance.seeds.max(1);
    spec
}

/// Trains the networks of an instance and stores them in `last`, unless `last` has them already.
fn train_if_new(
    instance: &InContextInstance,
    last: &mut LastTraining,
    device: &Device,
) -> Result<(), RunError> {
    if last.0 == instance.link && !last.1.is_empty() {
        return Ok(());
    }
    let spec = trained_run(instance);
    let mut session = Session::start(&spec, device, Options::default())?;
    let rows = pollster::block_on(session.finish(|_| {}))?.rows;
    let weights = pollster::block_on(session.checkpoint())?.weights.parameters;
    let replicas = spec.run.replicas;
    let curve = |r: usize| {
        let part = |values: &Vec<f32>| values.chunks(values.len() / replicas).nth(r).map(<[f32]>::to_vec);
        let weights = weights.iter().filter_map(part).collect();
        let found = labs::run_probe(&R2_BY_EXAMPLES.id(), &spec, spec.run.steps, weights)?;
        Some(found.numbers[..*found.counts.first()?].to_vec())
    };
    *last = LastTraining(instance.link.clone(), rows, (0..replicas).filter_map(curve).collect());
    Ok(())
}

/// R² of a baseline (1 minus its mean squared error divided by the variance of the labels) after `examples`
/// examples of a prompt (None: at the last point of the prompt), and its standard error; NaN for a task
/// without prompts of functions.
fn baseline_r_squared(spec: &RunSpec, baseline: Baseline, examples: Option<usize>) -> (f64, f64) {
    let TaskData::Points(prompts) = spec.task.data() else { return (f64::NAN, f64::NAN) };
    let at = examples.unwrap_or(prompts.points - 1);
    let count = if baseline.is_trained() { BASELINE_PROMPTS.0 } else { BASELINE_PROMPTS.1 };
    let scores = BaselinesJob::new(&prompts, spec.run.seed, count, &[at], &[baseline]).advance(u64::MAX);
    let score = scores.and_then(|scores| scores.relative_errors(baseline)?.first().copied());
    score.map_or((f64::NAN, f64::NAN), |score| (1.0 - score.mean, score.standard_error))
}

/// Median R² of affine fits to random networks of width 20 on 20 numbers: ridge regression from the first
/// `examples` points, tested on the others, or for None least squares on all [`AFFINE_POINTS`] points.
/// `layers` is the depth of the random networks.
fn affine_r_squared(distribution: InputDistribution, layers: usize, examples: Option<usize>) -> f64 {
    let prompts = FunctionPrompts {
        class: FunctionClass::Network,
        dim: 20,
        constant: false,
        points: AFFINE_POINTS,
        distribution,
        input_scale: 1.0,
        layers,
        hidden: 20,
        ..FunctionPrompts::default()
    };
    let one = |example: usize| {
        let mut row = vec![];
        prompts.append_held_out_prompts(0, AFFINE_POINTS, example..example + 1, &mut row);
        let (x, y) = prompts.split_row(&row);
        let y: Vec<f64> = y.iter().map(|y| f64::from(*y)).collect();
        let x: Vec<f64> = x.chunks(20).flat_map(|x| x.iter().map(|x| f64::from(*x)).chain([1.0])).collect();
        let lambda = examples.map_or(0.0, |_| Baseline::Affine.lambda(&prompts));
        let count = examples.unwrap_or(AFFINE_POINTS);
        let w = ridge_regression(&x[..count * 21], &y[..count], 21, lambda);
        // The best fit is tested on the points of its fit: it has 21 parameters for 2,000 points.
        let begin = examples.unwrap_or(0);
        let off = |(x, y): (&[f64], &f64)| (dot(x, &w) - y).powi(2);
        let squares: f64 = x[begin * 21..].chunks(21).zip(&y[begin..]).map(off).sum();
        let labels: Vec<f32> = y[begin..].iter().map(|y| *y as f32).collect();
        (1.0 - squares / (labels.len() as f64 * population_variance(&labels)).max(1e-12)) as f32
    };
    let all: Vec<f32> = (0..AFFINE_NETWORKS).map(one).collect();
    f64::from(median_range(&all).0)
}

/// The comparisons on transformers in context as a Markdown table.
pub(super) fn format_markdown(rows: &[ComparisonRow]) -> String {
    let lines: String = rows.iter().map(format_row).collect();
    format!(
        "| figure | independent program, one seed | here, median of seeds | agree | why \
         |\n|---|---|---|---|---|\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_a_run_that_can_be() {
        for instance in in_context_instances() {
            let is_built = instance.name.starts_with("built");
            let task = if is_built { "in-context-regression" } else { "in-context-learning" };
            let (mut link, notices) = decode(&format!("#v1/{task}?{}", instance.link));
            link.spec.run.replicas = instance.seeds.max(1);
            assert!(notices.is_empty(), "{}: {notices:?}", instance.name);
            assert!(
                link.spec.invalid_settings().is_empty(),
                "{}: {:?}",
                instance.name,
                link.spec.invalid_settings()
            );
            if is_built {
                assert!(descent_plan(&link.spec).is_some(), "{}", instance.name);
            }
        }
    }

    /// The instances without training.
    #[test]
    fn sizes_and_differences_are_as_found_elsewhere() {
        let quick = in_context_instances().into_iter().filter(|i| {
            matches!(
                i.figure,
                InContextFigure::Size(..) | InContextFigure::Zero(..) | InContextFigure::Trained(_)
            )
        });
        let mut count = 0;
        for instance in quick {
            let row = compare_in_context(&instance, &mut LastTraining::default(), &Device::cpu()).unwrap();
            assert!(row.is_settled_or_known(), "{row:?}");
            count += 1;
        }
        assert_eq!(count, 18);
    }

    #[test]
    fn one_seed_elsewhere_lies_within_ours_or_near_their_median() {
        assert!(compare_distances(1e-3, &[9e-4, 1.1e-3]).2 && compare_distances(1e-3, &[3.5e-4]).2);
        assert!(!compare_distances(1e-3, &[2e-4, 3e-4]).2 && !compare_distances(1e-3, &[]).2);
        assert!(compare_distances(3e-15, &[1e-17, 5e-14]).2);
        assert!(compare_r_squared(0.9, &[0.84, 0.88]).2 && !compare_r_squared(0.9, &[0.7, 0.8]).2);
    }
}
