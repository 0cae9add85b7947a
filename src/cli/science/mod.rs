//! Checks the presets' claims and compares instances of the specifications: `lab claims`, `lab bench
//! --science` and the science tests.

mod chains;
mod comparison;
mod figures;
mod in_context;
mod instances;
mod lookups;
mod notes;
mod results;
mod table;

use vivarium_core::settings::format_thousands;
use vivarium_labs as labs;
use vivarium_labs::groups::probes as groups;
use vivarium_labs::in_context::probes as in_contexts;
use vivarium_labs::lookup::weights::span::compute_outside_share;
use vivarium_labs::parity::probes as parity;
use vivarium_model::protocol::{Event, Measurement, RunError};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::{SweepCell, axis_positions, cells};
use vivarium_plot::analysis::convergence::{ConvergenceTimes, best_of_groups};
use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::ends as sweep_ends;
use vivarium_plot::analysis::movement::WeightMovement;
use vivarium_plot::analysis::neurons::{NeuronPart, NeuronSpectra};
use vivarium_plot::analysis::scaling::{ScalingPoint, fit_power_law};
use vivarium_plot::analysis::threshold::find_threshold;
use vivarium_plot::analysis::tickets::reveals_relevant_bits;
use vivarium_plot::analysis::weights::max_weights;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};
use vivarium_view::presets::{Expectation, ExpectedMeasure, Preset};

pub use comparison::{compare_all, format_markdown};
pub use instances::{PARITY_INSTANCES, ParityFinding, ParityInstance};
pub use results::{NetworkValues, expectation_to_json};
pub use table::ComparisonRow;

/// Number of networks (replicas) that are trained where the link of a preset has one network, and for each
/// instance of the parity lab.
pub const REPLICAS: usize = 20;
/// Measures of the weights are computed at about this many evenly spaced steps of a run; at every measured
/// step if the run has fewer.
const MAX_PROBED_STEPS: u64 = 60;

/// Whether one expectation of a preset's claim holds, with the measured numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the expectation holds.
    pub holds: bool,
    /// One sentence with the measured number and the bounds that the claim expects.
    pub text: String,
    /// The measured number that is compared with the bounds of the expectation; None if it was not measured
    /// or is not finite.
    pub measured: Option<f64>,
    /// Values of the single networks, one entry for each run that the expectation is about.
    pub network_values: Vec<NetworkValues>,
}

/// A finished run of a preset or of its sweep, with its measurements.
struct MeasuredRun {
    /// Settings of the run, and its indices, from 0, on the two axes of the sweep.
    cell: SweepCell,
    /// Value of the first swept setting in this run; if not all values are numbers, the position of the value
    /// in their list, from 1. 0 without a sweep.
    axis_value: f64,
    /// Measurements of the run (losses, accuracies and so on for each replica), in ascending order of their
    /// steps.
    rows: Vec<Measurement>,
    /// Step at which each trial reached the target; None if never. A trial is one network, or several that
    /// share a training set, of which the earliest counts.
    target_steps: Vec<Option<u64>>,
    /// Measures computed from the weights: the measure, the training step, and the value of each replica.
    weight_measures: Vec<(ExpectedMeasure, u64, Vec<f32>)>,
}

/// Trains the preset, with `networks` networks if its link has one, or with as many as fit into memory, and
/// checks the expectations of its claim.
///
/// # Errors
/// When the device stops working.
pub fn check_preset(preset: &Preset, networks: usize, device: &Device) -> Result<Vec<Verdict>, RunError> {
    let mut spec = preset.link().spec;
    if spec.run.replicas == 1 {
        spec.run.replicas = max_replicas(&spec, networks);
    }
    spec.run.steps = preset.max_steps;
    check_run(spec, preset.expectations, device)
}

/// Number of networks, at most `networks`, with which every run of a sweep fits into memory.
fn max_replicas(spec: &RunSpec, networks: usize) -> usize {
    let fits = |replicas: &usize| {
        let mut spec = spec.clone();
        spec.run.replicas = *replicas;
        cells(&spec).iter().all(|cell| cell.spec.invalid_settings().is_empty())
    };
    (2..=networks).rev().find(fits).unwrap_or(1)
}

/// Trains the run `spec`, or all runs if it is a sweep, and checks the expectations `expected`: one verdict
/// for each, in order.
///
/// # Errors
/// When the device stops working.
pub fn check_run(spec: RunSpec, expected: &[Expectation], device: &Device) -> Result<Vec<Verdict>, RunError> {
    let mut probed: Vec<ExpectedMeasure> = vec![];
    for expect in expected {
        if let Expectation::Reaches { measure, .. }
        | Expectation::Median { measure, .. }
        | Expectation::FinalMeasure { measure, .. } = expect
            && needs_weights(*measure)
            && !probed.contains(measure)
        {
            probed.push(*measure);
        }
    }
    let places = axis_positions(&spec.run.sweep);
    let mut runs = cells(&spec);
    if runs.is_empty() {
        runs.push(SweepCell { spec, sweep_index: 0, series_index: 0 });
    }
    let run = |cell: SweepCell| measure_run(cell, &places, &probed, device);
    let trials: Vec<MeasuredRun> = runs.into_iter().map(run).collect::<Result<_, _>>()?;
    let verdict = |expect| Verdict {
        network_values: results::collect_network_values(expect, &trials),
        ..check_expectation(expect, &trials)
    };
    Ok(expected.iter().map(verdict).collect())
}

/// Whether the measure is computed from the weights of a network, and not taken from the measurements
/// (losses, accuracies, margin, further measures) of the run.
fn needs_weights(measure: ExpectedMeasure) -> bool {
    use ExpectedMeasure::{
        Chain, Circuit, Descent, Machine, Margin, OverLine, Succinct, TestAccuracy, Trace, TrainAccuracy,
        Truth,
    };
    let is_executed = matches!(measure, Descent(_) | Machine(_) | Circuit(_) | Succinct(_));
    let is_measured = is_executed || matches!(measure, Chain(_) | Trace(_) | OverLine(_));
    !is_measured && !matches!(measure, TrainAccuracy | TestAccuracy | Margin | Truth)
}

/// Trains the run `cell` and computes the measures `weight_measures` of its weights at several training
/// steps. `axis_values` has the number of each value of the first swept setting, by its index in the sweep.
fn measure_run(
    cell: SweepCell,
    axis_values: &[f64],
    weight_measures: &[ExpectedMeasure],
    device: &Device,
) -> Result<MeasuredRun, RunError> {
    let x = axis_values.get(cell.sweep_index).copied().unwrap_or_default();
    let mut session = Session::start(&cell.spec, device, Options::default())?;
    if weight_measures.is_empty() {
        let outcome = pollster::block_on(session.finish(|_| {}))?;
        let solved = best_of_groups(&outcome.solved, cell.spec.task.examples().replicas_per_training_set());
        return Ok(MeasuredRun {
            cell,
            axis_value: x,
            rows: outcome.rows,
            target_steps: solved,
            weight_measures: vec![],
        });
    }
    let every = cell
        .spec
        .run
        .every
        .max(cell.spec.run.steps / MAX_PROBED_STEPS / cell.spec.run.every * cell.spec.run.every);
    let (mut rows, mut looks) = (vec![], vec![]);
    let start = cell.spec.initialize_parameters();
    let mut looked = |session: &Session| -> Result<(), RunError> {
        let weights = pollster::block_on(session.checkpoint())?.weights.parameters;
        let at = session.step();
        looks.extend(
            weight_measures.iter().map(|m| (*m, at, measure_weights(*m, &cell.spec, at, &start, &weights))),
        );
        Ok(())
    };
    while !session.finished() {
        looked(&session)?;
        let until = session.step() + every;
        while !session.finished() && session.step() < until {
            for event in pollster::block_on(session.advance(1e9, until - session.step()))? {
                if let Event::Metrics(new) = event {
                    rows.extend(new);
                }
            }
        }
    }
    looked(&session)?;
    let solved = best_of_groups(session.solved(), cell.spec.task.examples().replicas_per_training_set());
    Ok(MeasuredRun { cell, axis_value: x, rows, target_steps: solved, weight_measures: looks })
}

/// The measure of the weights of each replica at a training step; NaN where it is not defined.
/// `initial_weights` and `weights` have one entry for each parameter tensor of the model: its numbers for all
/// replicas, replica after replica.
fn measure_weights(
    measure: ExpectedMeasure,
    spec: &RunSpec,
    step: u64,
    initial_weights: &[Vec<f32>],
    weights: &[Vec<f32>],
) -> Vec<f32> {
    let replicas = spec.run.replicas;
    let part = |values: &[f32], r: usize| {
        let length = values.len() / replicas;
        values[r * length..(r + 1) * length].to_vec()
    };
    let one = |r: usize| {
        if measure == ExpectedMeasure::Movement {
            let width = spec.parameters()[0].shape[2];
            let everywhere = vec![true; spec.task.examples().inputs()];
            return WeightMovement::between(
                &part(&initial_weights[0], r),
                &part(&weights[0], r),
                width,
                &everywhere,
            )
            .rho();
        }
        if measure == ExpectedMeasure::Revealed {
            let relevant = spec.task.examples().relevant(spec.run.seed);
            let width = spec.parameters()[0].shape[2];
            return f32::from(u8::from(reveals_relevant_bits(
                &part(&initial_weights[0], r),
                &part(&weights[0], r),
                width,
                &relevant,
            )));
        }
        if measure == ExpectedMeasure::Lead {
            let [_, inputs, width] = spec.parameters()[0].shape;
            let relevant = spec.task.examples().relevant(spec.run.seed);
            let (inside, outside) = max_weights(&part(&weights[0], r), inputs, width, &relevant);
            return inside / outside;
        }
        let weights: Vec<Vec<f32>> = weights.iter().map(|values| part(values, r)).collect();
        if let ExpectedMeasure::AfterExamples(examples) = measure {
            let found = labs::run_probe(&in_contexts::R2_BY_EXAMPLES.id(), spec, step, weights);
            return found.and_then(|found| found.numbers.get(examples).copied()).unwrap_or(f32::NAN);
        }
        if measure == ExpectedMeasure::OutsideSpan {
            return compute_outside_share(spec, r as u32, &weights).map_or(f32::NAN, |share| share as f32);
        }
        if matches!(
            measure,
            ExpectedMeasure::OddOverEven
                | ExpectedMeasure::FirstDistance
                | ExpectedMeasure::Diagonal
                | ExpectedMeasure::Block
        ) {
            return chains::measure_chain_weights(measure, spec, &weights);
        }
        let probe = match measure {
            ExpectedMeasure::Gap => parity::GAP,
            ExpectedMeasure::Attention => parity::ATTENTION,
            ExpectedMeasure::Correlation => parity::SPECTRUM,
            ExpectedMeasure::Restricted => groups::PROGRESS,
            _ => groups::NEURONS,
        };
        let Some(found) = labs::run_probe(&probe.id(), spec, step, weights) else { return f32::NAN };
        match measure {
            ExpectedMeasure::Gap | ExpectedMeasure::Correlation | ExpectedMeasure::Restricted => {
                found.few.first().map_or(f32::NAN, |first| *first as f32)
            }
            ExpectedMeasure::Attention => {
                spec.task.examples().relevant(spec.run.seed).iter().map(|i| found.numbers[*i]).sum()
            }
            _ => {
                let [neurons, irreps] = found.counts[..] else { return f32::NAN };
                let found = NeuronSpectra::from_numbers(neurons, irreps, &found.numbers);
                found.map_or(f32::NAN, |neurons| measure_neurons(measure, spec, &neurons))
            }
        }
    };
    (0..replicas).map(one).collect()
}

/// A measure of one network on pairs of group elements, such as the number of live neurons, from the spectra
/// of its hidden neurons; NaN if the measure is not about such neurons.
fn measure_neurons(measure: ExpectedMeasure, spec: &RunSpec, neurons: &NeuronSpectra) -> f32 {
    match measure {
        ExpectedMeasure::Purity => neurons.median_share(NeuronPart::First).unwrap_or(f32::NAN),
        ExpectedMeasure::Pure => neurons.pure_neuron_share(0.99).unwrap_or(f32::NAN),
        ExpectedMeasure::Agreement => neurons.dominant_irrep_agreement().unwrap_or(f32::NAN),
        ExpectedMeasure::Residual => {
            let live = neurons.live_neurons().into_iter();
            let residual = |neuron| neurons.phase_residual(neuron, groups::modular_operation(&spec.task)?);
            let sizes: Vec<f32> = live.filter_map(residual).map(f32::abs).collect();
            median_range(&sizes).0
        }
        ExpectedMeasure::Kinds => {
            let counts = neurons.count_per_irrep();
            let used = counts[1..].iter().filter(|count| **count > 0).count();
            used as f32 / (counts.len() - 1) as f32
        }
        ExpectedMeasure::Mass(irrep) => {
            let exponent = spec.architecture().penalty(0).map_or(2, |penalty| penalty.exponent);
            neurons.norm_mass_per_irrep(exponent as u32).get(irrep).copied().unwrap_or(f32::NAN)
        }
        ExpectedMeasure::Live => neurons.live_neurons().len() as f32,
        _ => f32::NAN,
    }
}

impl MeasuredRun {
    /// Largest margin γ* of the run, by which margins are divided; 1 if theory has none.
    fn margin_unit(&self) -> f32 {
        (labs::lazy_lab(&self.cell.spec).largest_margin)(&self.cell.spec, None).unwrap_or(1.0) as f32
    }

    /// The task's further measure with index `which`, from 0, at each measurement of the run: step, and the
    /// value of each replica.
    fn further_measure(&self, which: usize) -> Vec<(u64, Vec<f32>)> {
        self.rows.iter().map(|r| (r.step, r.measures.get(which).cloned().unwrap_or_default())).collect()
    }

    /// The measure at each step at which it was measured or computed: step, and the value of each replica.
    fn measure_by_step(&self, measure: ExpectedMeasure) -> Vec<(u64, Vec<f32>)> {
        let rows = self.rows.iter();
        match measure {
            ExpectedMeasure::TrainAccuracy => rows.map(|r| (r.step, r.train_accuracy.clone())).collect(),
            ExpectedMeasure::TestAccuracy => rows.map(|r| (r.step, r.test_accuracy.clone())).collect(),
            ExpectedMeasure::Truth => rows.map(|r| (r.step, r.test_loss.clone())).collect(),
            ExpectedMeasure::OverLine(strategy) => {
                let line = chains::strategy_divergence(&self.cell.spec, strategy);
                rows.map(|r| (r.step, r.test_loss.iter().map(|kl| kl / line).collect())).collect()
            }
            ExpectedMeasure::Chain(which) => {
                rows.map(|r| (r.step, chains::chain_measure(r, which))).collect()
            }
            ExpectedMeasure::Descent(which) => self.further_measure(which as usize),
            ExpectedMeasure::Machine(which) => self.further_measure(which as usize),
            ExpectedMeasure::Circuit(which) => self.further_measure(which as usize),
            ExpectedMeasure::Succinct(which) => self.further_measure(which as usize),
            ExpectedMeasure::Trace(which) => self.further_measure(which as usize),
            ExpectedMeasure::Margin => {
                let unit = self.margin_unit();
                rows.map(|r| (r.step, r.margin.iter().map(|margin| margin / unit).collect())).collect()
            }
            _ => {
                let own = self.weight_measures.iter().filter(|(of, _, _)| *of == measure);
                own.map(|(_, step, values)| (*step, values.clone())).collect()
            }
        }
    }

    /// For each replica the first measured step at which the measure `measure` was at least `at_least`; None
    /// if never.
    fn first_steps(&self, measure: ExpectedMeasure, at_least: f32) -> Vec<Option<u64>> {
        let values = self.measure_by_step(measure);
        let first = |r: usize| {
            values.iter().find(|(_, v)| v.get(r).is_some_and(|v| *v >= at_least)).map(|(step, _)| *step)
        };
        (0..self.cell.spec.run.replicas).map(first).collect()
    }

    /// Median of the measure over the replicas, in its last measurement up to training step `step`; NaN if
    /// there is none.
    fn median_at(&self, measure: ExpectedMeasure, step: u64) -> f32 {
        self.spread_at(measure, step).0
    }

    /// Lowest and highest value of the measure over the replicas, in its last measurement up to training step
    /// `step`.
    fn range_at(&self, measure: ExpectedMeasure, step: u64) -> (f32, f32) {
        let (_, low, high) = self.spread_at(measure, step);
        (low, high)
    }

    /// Median, lowest and highest value of the measure over the replicas, in its last measurement up to
    /// training step `step`; NaN if there is none.
    fn spread_at(&self, measure: ExpectedMeasure, step: u64) -> (f32, f32, f32) {
        let values = self.measure_by_step(measure);
        let last = values.iter().rev().find(|(s, _)| *s <= step);
        last.map_or((f32::NAN, f32::NAN, f32::NAN), |(_, v)| median_range(v))
    }
}

/// A number of steps or prompts with thousands separators; a dash for None.
fn format_time(time: Option<f64>) -> String {
    time.map_or("–".into(), |t| format_thousands(t.round() as u64))
}

/// Checks that the measured number `value` lies between `low` and `high`, bounds included; `label` names the
/// number in the sentence of the verdict.
fn check_within<T>(label: &str, value: T, (low, high): (T, T)) -> Verdict
where
    T: PartialOrd + std::fmt::Display + Copy + Into<f64>,
{
    let text = format!("{label}: {value:.3}, expected {low} to {high}");
    let number = Some(value.into()).filter(|number: &f64| number.is_finite());
    Verdict { holds: low <= value && value <= high, text, measured: number, network_values: vec![] }
}

/// Checks one expectation of a preset's claim against the finished runs of the preset or of its sweep.
fn check_expectation(expect: &Expectation, runs: &[MeasuredRun]) -> Verdict {
    let find = |series: usize, at: usize| {
        runs.iter().find(|t| (t.cell.series_index, t.cell.sweep_index) == (series, at))
    };
    let missing = || Verdict {
        holds: false,
        text: format!("{expect:?}: the run has no measurement for this"),
        measured: None,
        network_values: vec![],
    };
    let share = |some: usize, all: usize| some as f64 / all.max(1) as f64;
    match *expect {
        Expectation::Reaches { measure, at_least, steps, share: wanted } => {
            let reached = runs[0].first_steps(measure, at_least);
            let fitting = reached.iter().flatten().filter(|s| (steps.0..=steps.1).contains(s)).count();
            let times = ConvergenceTimes::new(&reached);
            let (first, last) =
                (times.converged_times().first().copied(), times.converged_times().last().copied());
            let (first, median, last) = (format_time(first), format_time(times.median()), format_time(last));
            let what = format!(
                "share with {measure:?} ≥ {at_least} first reached at step {} to {} \
                 (first {first}, median {median}, last {last})",
                steps.0, steps.1
            );
            check_within(&what, share(fitting, reached.len()), wanted)
        }
        Expectation::Median { measure, step, between } => check_within(
            &format!("median {measure:?} at step {step}"),
            runs[0].median_at(measure, step),
            between,
        ),
        Expectation::MedianTime { series, at, between } => {
            let Some(median) = find(series, at).and_then(|t| ConvergenceTimes::new(&t.target_steps).median())
            else {
                return missing();
            };
            let between = (between.0 as f64, between.1 as f64);
            check_within(&format!("median t_c, curve {series}, value {at}"), median, between)
        }
        Expectation::Exponent { series, values, between } => {
            let trials = (values.0..=values.1).filter_map(|at| find(series, at));
            let points: Vec<ScalingPoint> = trials.map(MeasuredRun::scaling_point).collect();
            let Some(law) = fit_power_law(&points) else { return missing() };
            check_within(&format!("exponent, curve {series}, values {values:?}"), law.exponent, between)
        }
        Expectation::Solved { series, at, share: wanted } => {
            let Some(trial) = find(series, at) else { return missing() };
            let found = share(trial.target_steps.iter().flatten().count(), trial.target_steps.len());
            check_within(
                &format!("share of networks that succeed, curve {series}, value {at}"),
                found,
                wanted,
            )
        }
        Expectation::Threshold { series, between } => {
            let line: Vec<&MeasuredRun> =
                runs.iter().filter(|trial| trial.cell.series_index == series).collect();
            let values: Vec<f64> = line.iter().map(|trial| trial.axis_value).collect();
            let count = |trial: &&MeasuredRun| {
                Some((trial.target_steps.iter().flatten().count(), trial.target_steps.len()))
            };
            let counts: Vec<_> = line.iter().map(count).collect();
            let Some(found) = find_threshold(&values, &counts) else { return missing() };
            check_within(
                &format!("smallest value at which 80 % of trials succeed, curve {series}"),
                found,
                between,
            )
        }
        Expectation::FinalError { series, at, between } => {
            let Some(found) = find(series, at).and_then(MeasuredRun::final_error) else { return missing() };
            check_within(
                &format!("median held-out error at the end, curve {series}, value {at}"),
                found,
                between,
            )
        }
        Expectation::FinalMeasure { measure, series, at, between } => {
            let Some(found) = find(series, at).and_then(|trial| trial.final_median(measure)) else {
                return missing();
            };
            check_within(
                &format!("median {measure:?} at the end, curve {series}, value {at}"),
                found,
                between,
            )
        }
        Expectation::PowerLaw { measure, series, values, between } => {
            let ends = (values.0..=values.1).filter_map(|at| find(series, at));
            let points: Option<Vec<(f64, f64)>> =
                ends.map(|trial| Some((trial.axis_value, f64::from(trial.final_median(measure)?)))).collect();
            let Some((_, found)) = points.and_then(|points| sweep_ends::fit_power_law(&points)) else {
                return missing();
            };
            check_within(
                &format!("fitted power of {measure:?} at the end, curve {series}, values {values:?}"),
                found,
                between,
            )
        }
        Expectation::LowerError { series, than, at, by } => {
            let error = |line: usize| find(line, at).and_then(MeasuredRun::final_error);
            let (Some(less), Some(more)) = (error(series), error(than)) else { return missing() };
            let what =
                format!("median error of curve {than} ({more:.3}) minus that of curve {series}, value {at}");
            check_within(&what, more - less, (by, 1.0))
        }
        Expectation::NarrowerSpread { from, to, times } => {
            let range = |at: usize| {
                let times = ConvergenceTimes::new(&find(0, at)?.target_steps);
                Some(times.quantile(0.75)? - times.quantile(0.25)?)
            };
            let (Some(wide), Some(narrow)) = (range(from), range(to)) else { return missing() };
            let what =
                format!("interquartile range of t_c at value {from}, divided by the range at value {to}");
            check_within(&what, wide / narrow, (times, f64::INFINITY))
        }
        Expectation::FasterPairs { at, than, share } => {
            let (Some(first), Some(later)) = (find(0, at), find(0, than)) else { return missing() };
            let found = ConvergenceTimes::new(&first.target_steps).probability_earlier(
                first.axis_value,
                &ConvergenceTimes::new(&later.target_steps),
                later.axis_value,
            );
            let what = format!(
                "share of pairs in which steps times value is smaller for value {at} than for value {than}"
            );
            check_within(&what, found, (share, 1.0))
        }
        Expectation::Stages { stages, share: wanted } => {
            let seen = chains::find_stages(&runs[0].cell.spec, &runs[0].rows);
            let fitting = seen.iter().filter(|own| own.as_slice() == stages).count();
            let other = seen.iter().find(|own| own.as_slice() != stages);
            let other = other.map_or(String::new(), |own| format!("; another network has {own:?}"));
            let what = format!("share of networks with the stages {stages:?}{other}");
            check_within(&what, share(fitting, seen.len()), wanted)
        }
        Expectation::VarianceBetweenInits(least) => {
            let trial = &runs[0];
            let found = variance_share_between_inits(&trial.target_steps, trial.cell.spec.run.inits);
            check_within("share of the variance of ln t_c between initialisations", found, (least, 1.0))
        }
    }
}

impl MeasuredRun {
    /// Median over the replicas of the held-out error (1 − accuracy) at the last measurement; None without
    /// measurements.
    fn final_error(&self) -> Option<f32> {
        self.rows.last().map(|row| 1.0 - median_range(&row.test_accuracy).0)
    }

    /// Median of `measure` over the replicas at its last measurement; None without measurements.
    fn final_median(&self, measure: ExpectedMeasure) -> Option<f32> {
        self.measure_by_step(measure).last().map(|(_, values)| median_range(values).0)
    }

    /// Steps at which the trials of the run reached the target, as one point of a scaling law; its `x` is the
    /// value of the first swept setting.
    fn scaling_point(&self) -> ScalingPoint {
        ScalingPoint {
            x: self.axis_value,
            times: self.target_steps.clone(),
            horizon: self.cell.spec.run.steps,
        }
    }
}

/// Share, from 0 to 1, of the variance of ln t_c that lies between groups of replicas with the same
/// initialisation; t_c is the step at which a replica reached the target (`solved`, None if never). Replica r
/// has initialisation r mod `inits`, the number of initialisations; replicas that never reached the target
/// are left out.
fn variance_share_between_inits(solved: &[Option<u64>], inits: usize) -> f64 {
    let log = |t: u64| libm::log(t.max(1) as f64);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let groups: Vec<Vec<f64>> = (0..inits)
        .map(|init| solved.iter().skip(init).step_by(inits.max(1)).flatten().map(|t| log(*t)).collect())
        .collect();
    let all: Vec<f64> = groups.concat();
    let middle = mean(&all);
    let total: f64 = all.iter().map(|v| (v - middle).powi(2)).sum();
    let explained: f64 = groups.iter().map(|g| g.len() as f64 * (mean(g) - middle).powi(2)).sum();
    explained / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    #[test]
    fn every_preset_is_checked_with_as_many_networks_as_fit() {
        let replicas = |slug: &str| max_replicas(&labs::find_preset(slug).unwrap().link().spec, REPLICAS);
        assert_eq!(replicas("parity-20"), REPLICAS);
        assert!((1..REPLICAS).contains(&replicas("paper-gru")));
    }

    #[test]
    fn every_instance_is_a_clean_link_with_a_name_of_its_own() {
        for (i, instance) in PARITY_INSTANCES.iter().enumerate() {
            let link = format!("#v1/sparse-parity?{}", instance.link);
            let (decoded, notices) = decode(&link);
            assert!(notices.is_empty(), "{}: {notices:?}", instance.name);
            assert_eq!(vivarium_model::permalink::encode(&decoded), link, "{}", instance.name);
            assert!(
                PARITY_INSTANCES[..i].iter().all(|other| other.name != instance.name),
                "{}",
                instance.name
            );
        }
    }

    #[test]
    fn the_variance_between_initialisations_is_that_of_their_means() {
        let solved = |times: &[u64]| times.iter().map(|t| Some(*t)).collect::<Vec<_>>();
        assert!((variance_share_between_inits(&solved(&[10, 1000, 10, 1000]), 2) - 1.0).abs() < 1e-12);
        assert!(variance_share_between_inits(&solved(&[10, 10, 1000, 1000]), 2) < 1e-12);
    }
}
