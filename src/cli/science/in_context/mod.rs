//! The figures of the summary on transformers as deep optimizers, computed and held against what was found elsewhere.

mod figures;

use figures::{Figure, Instance, Nothing, Size};

use super::table::{Comparison, line};
use super::{shown, trial};
use vivarium_core::math::dot;
use vivarium_labs as labs;
use vivarium_labs::in_context::probes::EXAMPLES;
use vivarium_model::models::family::Family;
use vivarium_model::permalink::decode;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::{Failure, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::Cell;
use vivarium_plot::analysis::curves::spread;
use vivarium_science::descent::{
    DescentComparison, DescentPlan, DescentPrompts, DescentTokens, ExampleOrder, TokenBlock,
    euclidean_distance,
};
use vivarium_science::functions::baselines::{Baseline, BaselinesJob, ridge_regression};
use vivarium_science::functions::{FunctionClass, FunctionPrompts, InputDistribution, population_variance};
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};

pub(super) use figures::instances;

/// Largest ratio between a distance found elsewhere, of one seed, and the median of ours.
const RATIO: f64 = 3.0;
/// Largest difference between R² of one seed elsewhere and the median of ours.
const APART: f64 = 0.05;
/// Distances below are rounding errors.
const ROUNDING: f64 = 1e-13;
/// Largest ratio of exact numbers that were written down in round ones.
const ROUND: f64 = 1.02;
/// Seeds of the built transformer with tokens in single precision.
const SINGLE: u32 = 20;
/// Prompts that a baseline is measured on: of trained networks, and of ridge regression, whose errors have heavy tails.
const PROMPTS: (usize, usize) = (1000, 20_000);
/// Networks that affine fits are measured on.
const NETWORKS: usize = 200;
/// Points on which an affine fit is the best there is, and on which it is tested.
const POINTS: usize = 2000;

/// The run that was done last: its link, and what was found.
#[derive(Default)]
pub(super) struct Last(String, Vec<Row>, Vec<Vec<f32>>);

/// Computes one and compares.
///
/// # Errors
/// When the device stops working.
pub(super) fn compare_one(
    instance: &Instance,
    last: &mut Last,
    device: &Device,
) -> Result<Comparison, Failure> {
    let begin = now_ms();
    let (elsewhere, here, agree) = match instance.figure {
        Figure::Measured(of, step, found) => {
            let rows = of_built(instance, step, device)?;
            let seen = rows.last().and_then(|row| row.measures.get(of as usize));
            distances(found, seen.map_or(&[], Vec::as_slice))
        }
        Figure::Loss(step, found) => {
            let rows = of_built(instance, step, device)?;
            distances(found, rows.last().map_or(&[], |row| &row.train_loss))
        }
        Figure::Single(step, found) => {
            let plan = built(instance).0;
            let all: Vec<f32> = (0..SINGLE).map(|replica| single(&plan, replica, step) as f32).collect();
            distances(found, &all)
        }
        Figure::Size(size, found) => {
            let (plan, examples) = built(instance);
            let sizes = plan.compute_sizes(examples);
            let here = match size {
                Size::Token => sizes.token_dim,
                Size::Weights => sizes.weights,
                Size::Layers => sizes.layers,
                Size::Heads => sizes.heads,
            };
            (found.to_string(), here.to_string(), here == found)
        }
        Figure::Nothing(of, found) => {
            let here = nothing(&built(instance).0, of);
            // What was 0 there is to be 0; what was a rounding error may be another.
            let shown = |x: f64| if x == 0.0 { "0".into() } else { format!("{x:.0e}") };
            (shown(found), shown(here), here <= if found == 0.0 { 0.0 } else { ROUNDING })
        }
        Figure::Trained(found) => {
            let mut spec = learned(instance);
            spec.run.replicas = 1;
            let count = spec.parameters().iter().map(|parameter| parameter.len() as u64).sum::<u64>() as f64;
            let ratio = (count / found as f64).max(found as f64 / count);
            (format!("about {}", shown(Some(found as f64))), shown(Some(count)), ratio < ROUND)
        }
        Figure::Explained(step, found) => {
            train(instance, last, device)?;
            let row = last.1.iter().rev().find(|row| row.step <= step);
            explained(found, &row.map(|row| row.test_accuracy.clone()).unwrap_or_default())
        }
        Figure::After(examples, found) => {
            train(instance, last, device)?;
            let all: Vec<f32> = last.2.iter().filter_map(|curve| curve.get(examples).copied()).collect();
            explained(found, &all)
        }
        Figure::Baseline(baseline, examples, found) => {
            let (here, error) = of_baseline(&learned(instance), baseline, examples);
            let agree = (here - found).abs() <= APART + 2.0 * error;
            (found.to_string(), format!("{here:.3} ± {error:.3}"), agree)
        }
        Figure::Affine { law, layers, examples, found } => {
            let here = affine(law, layers, examples);
            (found.to_string(), format!("{here:.3}"), (here - found).abs() <= APART)
        }
    };
    let seconds = (now_ms() - begin) / 1e3;
    Ok(Comparison { name: instance.name.clone(), elsewhere, here, agree, seconds })
}

/// A distance or a loss of one seed beside those of ours.
fn distances(found: f64, all: &[f32]) -> (String, String, bool) {
    let (median, lowest, highest) = spread(all);
    let [median, low, high] = [median, lowest, highest].map(f64::from);
    let ratio = (found / median).max(median / found);
    let agree = ratio <= RATIO || (low <= found && found <= high) || high.max(found) <= ROUNDING;
    (format!("{found:.2e}"), format!("{median:.2e} ({low:.2e}–{high:.2e})"), agree)
}

/// R² of one seed beside those of ours.
fn explained(found: f64, all: &[f32]) -> (String, String, bool) {
    let (median, lowest, highest) = spread(all);
    let [median, low, high] = [median, lowest, highest].map(f64::from);
    let agree = low.min(median - APART) <= found && found <= high.max(median + APART);
    (found.to_string(), format!("{median:.3} ({low:.3}–{high:.3})"), agree)
}

/// The built transformer's plan and the number of its examples.
fn built(instance: &Instance) -> (DescentPlan, usize) {
    plan(&decode(&format!("#v1/in-context-regression?{}", instance.link)).0.spec).unwrap_or_default()
}

fn plan(spec: &RunSpec) -> Option<(DescentPlan, usize)> {
    let draw = spec.task.examples().regression()?;
    let Some(Family::Descent(net)) = spec.model.config().family() else { return None };
    Some((net.plan(&draw, spec.learning_rate(0)), draw.example_count()))
}

fn of_built(instance: &Instance, steps: u64, device: &Device) -> Result<Vec<Row>, Failure> {
    let mut spec = decode(&format!("#v1/in-context-regression?{}", instance.link)).0.spec;
    spec.run.replicas = instance.seeds;
    spec.run.steps = steps.max(1);
    let mut rows = trial(Cell { spec, at: 0, series: 0 }, &[], &[], device)?.rows;
    rows.retain(|row| row.step <= steps);
    Ok(rows)
}

/// Descent by tokens in single precision, from direct descent in double precision.
fn single(plan: &DescentPlan, replica: u32, steps: u64) -> f64 {
    let mut race = race(plan, replica, &DescentPrompts::default());
    let mut tokens: DescentTokens<f32> = race.transformer().tokens(race.examples(), &race.state().direct);
    for _ in 0..steps {
        race.transformer().step(&mut tokens);
        race.step();
    }
    euclidean_distance(&tokens.weights(race.transformer().layout()), &race.state().direct)
}

fn race(plan: &DescentPlan, replica: u32, draw: &DescentPrompts) -> DescentComparison {
    DescentComparison::new(plan, draw.draw_examples(0, replica), &plan.network.draw_weights(0, replica, 1.0))
}

/// The largest such difference over some seeds.
fn nothing(plan: &DescentPlan, of: Nothing) -> f64 {
    let after = |steps: u64, mut race: DescentComparison| {
        (0..steps).for_each(|_| race.step());
        race
    };
    let one = |replica: u32| {
        let draw = DescentPrompts::default();
        let usual = || race(plan, replica, &draw);
        let apart = |steps: u64, other: DescentPrompts| {
            let other = after(steps, race(plan, replica, &other));
            euclidean_distance(&after(steps, usual()).state().tokens, &other.state().tokens)
        };
        match of {
            Nothing::Still => {
                let zero = vec![0.0; plan.network.weight_count()];
                let moved = after(50, DescentComparison::new(plan, draw.draw_examples(0, replica), &zero));
                euclidean_distance(&moved.state().tokens, &zero)
            }
            Nothing::Label => apart(30, DescentPrompts { query_label: 7.0, ..draw.clone() }),
            Nothing::Order => apart(1, DescentPrompts { order: ExampleOrder::Shuffled, ..draw.clone() }),
            Nothing::Tokens => {
                let race = after(10, usual());
                let weights = race.transformer().layout().block_range(TokenBlock::Weights);
                if race.tokens().are_equal_in_all_tokens(weights) { 0.0 } else { f64::INFINITY }
            }
            Nothing::Scratch => {
                let race = after(10, usual());
                let scratch = race.transformer().layout().workspace();
                let all = scratch.flat_map(|c| race.tokens().row(c).to_vec());
                all.fold(0.0, |most: f64, x| most.max(x.abs()))
            }
        }
    };
    (0..SINGLE).map(one).fold(0.0, f64::max)
}

/// The run of a trained transformer.
fn learned(instance: &Instance) -> RunSpec {
    let mut spec = decode(&format!("#v1/in-context-learning?{}", instance.link)).0.spec;
    spec.run.replicas = instance.seeds.max(1);
    spec
}

/// Trains the networks, unless that was done for the figure before.
fn train(instance: &Instance, last: &mut Last, device: &Device) -> Result<(), Failure> {
    if last.0 == instance.link && !last.1.is_empty() {
        return Ok(());
    }
    let spec = learned(instance);
    let mut session = Session::start(&spec, device, Options::default())?;
    let rows = pollster::block_on(session.finish(|_| {}))?.rows;
    let weights = pollster::block_on(session.checkpoint())?.weights.parameters;
    let replicas = spec.run.replicas;
    let curve = |r: usize| {
        let part = |values: &Vec<f32>| values.chunks(values.len() / replicas).nth(r).map(<[f32]>::to_vec);
        let weights = weights.iter().filter_map(part).collect();
        let found = labs::measured(&EXAMPLES.id(), &spec, spec.run.steps, weights)?;
        Some(found.numbers[..*found.counts.first()?].to_vec())
    };
    *last = Last(instance.link.clone(), rows, (0..replicas).filter_map(curve).collect());
    Ok(())
}

/// R² of a baseline, and its standard error.
fn of_baseline(spec: &RunSpec, baseline: Baseline, examples: Option<usize>) -> (f64, f64) {
    let Some(prompts) = spec.task.examples().function_prompts() else { return (f64::NAN, f64::NAN) };
    let at = examples.unwrap_or(prompts.points - 1);
    let count = if baseline.is_trained() { PROMPTS.0 } else { PROMPTS.1 };
    let scores = BaselinesJob::new(&prompts, spec.run.seed, count, &[at], &[baseline]).advance(u64::MAX);
    let score = scores.and_then(|scores| scores.relative_errors(baseline)?.first().copied());
    score.map_or((f64::NAN, f64::NAN), |score| (1.0 - score.mean, score.standard_error))
}

/// The median R² of affine fits to random networks of width 20 on 20 numbers.
fn affine(law: InputDistribution, layers: usize, examples: Option<usize>) -> f64 {
    let prompts = FunctionPrompts {
        class: FunctionClass::Network,
        dim: 20,
        constant: false,
        points: POINTS,
        distribution: law,
        input_scale: 1.0,
        layers,
        hidden: 20,
        ..FunctionPrompts::default()
    };
    let one = |example: usize| {
        let mut row = vec![];
        prompts.append_held_out_prompts(0, POINTS, example..example + 1, &mut row);
        let (x, y) = prompts.split_row(&row);
        let y: Vec<f64> = y.iter().map(|y| f64::from(*y)).collect();
        let x: Vec<f64> = x.chunks(20).flat_map(|x| x.iter().map(|x| f64::from(*x)).chain([1.0])).collect();
        let lambda = examples.map_or(0.0, |_| Baseline::Affine.lambda(&prompts));
        let count = examples.unwrap_or(POINTS);
        let w = ridge_regression(&x[..count * 21], &y[..count], 21, lambda);
        // The best fit is judged where it was made: it has 21 numbers for 2,000 points.
        let begin = examples.unwrap_or(0);
        let off = |(x, y): (&[f64], &f64)| (dot(x, &w) - y).powi(2);
        let squares: f64 = x[begin * 21..].chunks(21).zip(&y[begin..]).map(off).sum();
        let labels: Vec<f32> = y[begin..].iter().map(|y| *y as f32).collect();
        (1.0 - squares / (labels.len() as f64 * population_variance(&labels)).max(1e-12)) as f32
    };
    let all: Vec<f32> = (0..NETWORKS).map(one).collect();
    f64::from(spread(&all).0)
}

/// The table in Markdown.
pub(super) fn markdown(rows: &[Comparison]) -> String {
    let lines: String = rows.iter().map(line).collect();
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
        for instance in instances() {
            let is_built = instance.name.starts_with("built");
            let task = if is_built { "in-context-regression" } else { "in-context-learning" };
            let (mut link, notices) = decode(&format!("#v1/{task}?{}", instance.link));
            link.spec.run.replicas = instance.seeds.max(1);
            assert!(notices.is_empty(), "{}: {notices:?}", instance.name);
            assert!(link.spec.problems().is_empty(), "{}: {:?}", instance.name, link.spec.problems());
            if is_built {
                assert!(plan(&link.spec).is_some(), "{}", instance.name);
            }
        }
    }

    /// Those that take no training.
    #[test]
    fn sizes_and_differences_are_as_found_elsewhere() {
        let quick = instances()
            .into_iter()
            .filter(|i| matches!(i.figure, Figure::Size(..) | Figure::Nothing(..) | Figure::Trained(_)));
        let mut count = 0;
        for instance in quick {
            let row = compare_one(&instance, &mut Last::default(), &Device::cpu()).unwrap();
            assert!(row.is_settled(), "{row:?}");
            count += 1;
        }
        assert_eq!(count, 18);
    }

    #[test]
    fn one_seed_elsewhere_lies_within_ours_or_near_their_median() {
        assert!(distances(1e-3, &[9e-4, 1.1e-3]).2 && distances(1e-3, &[3.5e-4]).2);
        assert!(!distances(1e-3, &[2e-4, 3e-4]).2 && !distances(1e-3, &[]).2);
        assert!(distances(3e-15, &[1e-17, 5e-14]).2);
        assert!(explained(0.9, &[0.84, 0.88]).2 && !explained(0.9, &[0.7, 0.8]).2);
    }
}
