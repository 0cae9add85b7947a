//! The presets' claims and the instances of the specification, run and compared: `lab bench --science`, and the
//! science tests.

mod chains;
mod comparison;
mod figures;
mod in_context;
mod instances;
mod lookups;
mod notes;
mod results;
mod table;

use vivarium_core::settings::thousands;
use vivarium_labs as labs;
use vivarium_labs::groups::probes as groups;
use vivarium_labs::in_context::probes as in_contexts;
use vivarium_labs::lookup::weights::span::outside;
use vivarium_labs::parity::probes as parity;
use vivarium_model::protocol::{Event, Failure, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::{Cell, cells, places};
use vivarium_plot::analysis::convergence::{Times, best};
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::ends::power;
use vivarium_plot::analysis::movement::Movement;
use vivarium_plot::analysis::neurons::{Neurons, Part};
use vivarium_plot::analysis::scaling::{Point, fit};
use vivarium_plot::analysis::threshold::threshold;
use vivarium_plot::analysis::tickets::revealed;
use vivarium_plot::analysis::weights::reach;
use vivarium_training::launch::device::Device;
use vivarium_training::session::{Options, Session};
use vivarium_view::presets::{Expect, Measure, Preset};

pub use comparison::{compare, markdown};
pub use instances::{Found, INSTANCES, Instance};
pub use results::{Networks, expectation};
pub use table::Comparison;

/// Replicas that a claim about one network is checked on.
pub const REPLICAS: usize = 20;
/// Most moments of a run at which its weights are looked at.
const MOMENTS: u64 = 60;

/// One expectation of a preset, and what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// Expectation and finding, for the person.
    pub text: String,
    /// The number that was found, if there is one and it is finite.
    pub found: Option<f64>,
    /// What the networks gave, run by run.
    pub networks: Vec<Networks>,
}

/// A run with what was measured on it: a preset's, or one of its sweep.
struct Trial {
    cell: Cell,
    /// Where the cell stands on the sweep's axis.
    x: f64,
    rows: Vec<Row>,
    solved: Vec<Option<u64>>,
    /// Values of measures of the weights, by step, one for each replica.
    looks: Vec<(Measure, u64, Vec<f32>)>,
}

/// Runs the preset, with [`REPLICAS`] networks where its link asks for one, and compares.
///
/// # Errors
/// When the device stops working.
pub fn check(preset: &Preset, device: &Device) -> Result<Vec<Verdict>, Failure> {
    let mut spec = preset.link().spec;
    if spec.run.replicas == 1 {
        spec.run.replicas = REPLICAS;
    }
    spec.run.steps = preset.budget;
    check_run(spec, preset.expect, device)
}

/// Runs this run, or all of its sweep, and compares.
///
/// # Errors
/// When the device stops working.
pub fn check_run(spec: RunSpec, expected: &[Expect], device: &Device) -> Result<Vec<Verdict>, Failure> {
    let mut probed: Vec<Measure> = vec![];
    for expect in expected {
        if let Expect::Reaches { measure, .. } | Expect::Median { measure, .. } | Expect::Last { measure, .. } =
            expect
            && is_of_weights(*measure)
            && !probed.contains(measure)
        {
            probed.push(*measure);
        }
    }
    let places = places(&spec.run.sweep);
    let mut runs = cells(&spec);
    if runs.is_empty() {
        runs.push(Cell { spec, at: 0, series: 0 });
    }
    let run = |cell: Cell| trial(cell, &places, &probed, device);
    let trials: Vec<Trial> = runs.into_iter().map(run).collect::<Result<_, _>>()?;
    let verdict = |expect| Verdict { networks: results::networks(expect, &trials), ..judge(expect, &trials) };
    Ok(expected.iter().map(verdict).collect())
}

/// Whether the measure wants the weights.
fn is_of_weights(measure: Measure) -> bool {
    use Measure::{
        Chain, Circuit, Descent, Machine, Margin, OverLine, Succinct, TestAccuracy, Trace, TrainAccuracy,
        Truth,
    };
    let is_executed = matches!(measure, Descent(_) | Machine(_) | Circuit(_) | Succinct(_));
    let is_measured = is_executed || matches!(measure, Chain(_) | Trace(_) | OverLine(_));
    !is_measured && !matches!(measure, TrainAccuracy | TestAccuracy | Margin | Truth)
}

fn trial(cell: Cell, places: &[f64], probed: &[Measure], device: &Device) -> Result<Trial, Failure> {
    let x = places.get(cell.at).copied().unwrap_or_default();
    let mut session = Session::start(&cell.spec, device, Options::default())?;
    if probed.is_empty() {
        let outcome = pollster::block_on(session.finish(|_| {}))?;
        let solved = best(&outcome.solved, cell.spec.task.examples().tries());
        return Ok(Trial { cell, x, rows: outcome.rows, solved, looks: vec![] });
    }
    let every =
        cell.spec.run.every.max(cell.spec.run.steps / MOMENTS / cell.spec.run.every * cell.spec.run.every);
    let (mut rows, mut looks) = (vec![], vec![]);
    let start = cell.spec.initial();
    let mut looked = |session: &Session| -> Result<(), Failure> {
        let weights = pollster::block_on(session.checkpoint())?.weights.parameters;
        let at = session.step();
        looks.extend(probed.iter().map(|m| (*m, at, look(*m, &cell.spec, at, &start, &weights))));
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
    let solved = best(session.solved(), cell.spec.task.examples().tries());
    Ok(Trial { cell, x, rows, solved, looks })
}

/// The measure on every replica.
fn look(measure: Measure, spec: &RunSpec, step: u64, start: &[Vec<f32>], now: &[Vec<f32>]) -> Vec<f32> {
    let replicas = spec.run.replicas;
    let part = |values: &[f32], r: usize| {
        let length = values.len() / replicas;
        values[r * length..(r + 1) * length].to_vec()
    };
    let one = |r: usize| {
        if measure == Measure::Movement {
            let width = spec.parameters()[0].shape[2];
            let everywhere = vec![true; spec.task.examples().inputs()];
            return Movement::between(&part(&start[0], r), &part(&now[0], r), width, &everywhere).rho();
        }
        if measure == Measure::Revealed {
            let relevant = spec.task.examples().relevant(spec.run.seed);
            let width = spec.parameters()[0].shape[2];
            return f32::from(u8::from(revealed(&part(&start[0], r), &part(&now[0], r), width, &relevant)));
        }
        if measure == Measure::Lead {
            let [_, inputs, width] = spec.parameters()[0].shape;
            let relevant = spec.task.examples().relevant(spec.run.seed);
            let (inside, outside) = reach(&part(&now[0], r), inputs, width, &relevant);
            return inside / outside;
        }
        let weights: Vec<Vec<f32>> = now.iter().map(|values| part(values, r)).collect();
        if let Measure::AfterExamples(examples) = measure {
            let found = labs::measured(&in_contexts::EXAMPLES.id(), spec, step, weights);
            return found.and_then(|found| found.numbers.get(examples).copied()).unwrap_or(f32::NAN);
        }
        if measure == Measure::OutsideSpan {
            return outside(spec, r as u32, &weights).map_or(f32::NAN, |share| share as f32);
        }
        if matches!(
            measure,
            Measure::OddOverEven | Measure::FirstDistance | Measure::Diagonal | Measure::Block
        ) {
            return chains::of_weights(measure, spec, &weights);
        }
        let probe = match measure {
            Measure::Gap => parity::GAP,
            Measure::Attention => parity::ATTENTION,
            Measure::Correlation => parity::SPECTRUM,
            Measure::Restricted => groups::PROGRESS,
            _ => groups::NEURONS,
        };
        let Some(found) = labs::measured(&probe.id(), spec, step, weights) else { return f32::NAN };
        match measure {
            Measure::Gap | Measure::Correlation | Measure::Restricted => {
                found.few.first().map_or(f32::NAN, |first| *first as f32)
            }
            Measure::Attention => {
                spec.task.examples().relevant(spec.run.seed).iter().map(|i| found.numbers[*i]).sum()
            }
            _ => {
                let [neurons, irreps] = found.counts[..] else { return f32::NAN };
                let found = Neurons::from_numbers(neurons, irreps, &found.numbers);
                found.map_or(f32::NAN, |neurons| of_neurons(measure, spec, &neurons))
            }
        }
    };
    (0..replicas).map(one).collect()
}

/// A measure of what the neurons of one network have become.
fn of_neurons(measure: Measure, spec: &RunSpec, neurons: &Neurons) -> f32 {
    match measure {
        Measure::Purity => neurons.median_share(Part::First).unwrap_or(f32::NAN),
        Measure::Pure => neurons.pure(0.99).unwrap_or(f32::NAN),
        Measure::Agreement => neurons.agreement().unwrap_or(f32::NAN),
        Measure::Residual => {
            let live = neurons.live().into_iter();
            let residual = |neuron| neurons.phase_residual(neuron, groups::operation(&spec.task)?);
            let sizes: Vec<f32> = live.filter_map(residual).map(f32::abs).collect();
            spread(&sizes).0
        }
        Measure::Kinds => {
            let counts = neurons.counts();
            let used = counts[1..].iter().filter(|count| **count > 0).count();
            used as f32 / (counts.len() - 1) as f32
        }
        Measure::Mass(irrep) => {
            let exponent = spec.architecture().penalty(0).map_or(2, |penalty| penalty.exponent);
            neurons.masses(exponent as u32).get(irrep).copied().unwrap_or(f32::NAN)
        }
        Measure::Live => neurons.live().len() as f32,
        _ => f32::NAN,
    }
}

impl Trial {
    /// γ* of the run, by which margins are shares; 1 where theory knows none.
    fn unit(&self) -> f32 {
        labs::lazy(&self.cell.spec).largest_margin(&self.cell.spec, None).unwrap_or(1.0) as f32
    }

    /// One of the task's further measures by step.
    fn further(&self, which: usize) -> Vec<(u64, Vec<f32>)> {
        self.rows.iter().map(|r| (r.step, r.measures.get(which).cloned().unwrap_or_default())).collect()
    }

    /// The measure by step, one value for each replica.
    fn values(&self, measure: Measure) -> Vec<(u64, Vec<f32>)> {
        let rows = self.rows.iter();
        match measure {
            Measure::TrainAccuracy => rows.map(|r| (r.step, r.train_accuracy.clone())).collect(),
            Measure::TestAccuracy => rows.map(|r| (r.step, r.test_accuracy.clone())).collect(),
            Measure::Truth => rows.map(|r| (r.step, r.test_loss.clone())).collect(),
            Measure::OverLine(strategy) => {
                let line = chains::line(&self.cell.spec, strategy);
                rows.map(|r| (r.step, r.test_loss.iter().map(|kl| kl / line).collect())).collect()
            }
            Measure::Chain(which) => rows.map(|r| (r.step, chains::measured(r, which))).collect(),
            Measure::Descent(which) => self.further(which as usize),
            Measure::Machine(which) => self.further(which as usize),
            Measure::Circuit(which) => self.further(which as usize),
            Measure::Succinct(which) => self.further(which as usize),
            Measure::Trace(which) => self.further(which as usize),
            Measure::Margin => {
                let unit = self.unit();
                rows.map(|r| (r.step, r.margin.iter().map(|margin| margin / unit).collect())).collect()
            }
            _ => {
                let own = self.looks.iter().filter(|(of, _, _)| *of == measure);
                own.map(|(_, step, values)| (*step, values.clone())).collect()
            }
        }
    }

    /// For each replica the step at which the measure first was at least so much.
    fn reached(&self, measure: Measure, at_least: f32) -> Vec<Option<u64>> {
        let values = self.values(measure);
        let first = |r: usize| {
            values.iter().find(|(_, v)| v.get(r).is_some_and(|v| *v >= at_least)).map(|(step, _)| *step)
        };
        (0..self.cell.spec.run.replicas).map(first).collect()
    }

    /// The median of the measure at the last look up to `step`.
    fn median(&self, measure: Measure, step: u64) -> f32 {
        self.spread(measure, step).0
    }

    /// Its lowest and highest value there.
    fn range(&self, measure: Measure, step: u64) -> (f32, f32) {
        let (_, low, high) = self.spread(measure, step);
        (low, high)
    }

    fn spread(&self, measure: Measure, step: u64) -> (f32, f32, f32) {
        let values = self.values(measure);
        let last = values.iter().rev().find(|(s, _)| *s <= step);
        last.map_or((f32::NAN, f32::NAN, f32::NAN), |(_, v)| spread(v))
    }
}

fn shown(time: Option<f64>) -> String {
    time.map_or("–".into(), |t| thousands(t.round() as u64))
}

/// Whether a number lies where it should, with the sentence that says so.
fn within<T>(what: &str, found: T, (low, high): (T, T)) -> Verdict
where
    T: PartialOrd + std::fmt::Display + Copy + Into<f64>,
{
    let text = format!("{what}: {found:.3}, expected {low} to {high}");
    let number = Some(found.into()).filter(|number: &f64| number.is_finite());
    Verdict { holds: low <= found && found <= high, text, found: number, networks: vec![] }
}

fn judge(expect: &Expect, trials: &[Trial]) -> Verdict {
    let find = |series: usize, at: usize| trials.iter().find(|t| (t.cell.series, t.cell.at) == (series, at));
    let missing = || Verdict {
        holds: false,
        text: format!("{expect:?}: the run has no measurement for this"),
        found: None,
        networks: vec![],
    };
    let share = |some: usize, all: usize| some as f64 / all.max(1) as f64;
    match *expect {
        Expect::Reaches { measure, at_least, steps, share: wanted } => {
            let reached = trials[0].reached(measure, at_least);
            let fitting = reached.iter().flatten().filter(|s| (steps.0..=steps.1).contains(s)).count();
            let times = Times::new(&reached);
            let (first, last) = (times.converged().first().copied(), times.converged().last().copied());
            let (first, median, last) = (shown(first), shown(times.median()), shown(last));
            let what = format!(
                "share with {measure:?} ≥ {at_least} first reached at step {} to {} \
                 (first {first}, median {median}, last {last})",
                steps.0, steps.1
            );
            within(&what, share(fitting, reached.len()), wanted)
        }
        Expect::Median { measure, step, between } => {
            within(&format!("median {measure:?} at step {step}"), trials[0].median(measure, step), between)
        }
        Expect::MedianTime { series, at, between } => {
            let Some(median) = find(series, at).and_then(|t| Times::new(&t.solved).median()) else {
                return missing();
            };
            let between = (between.0 as f64, between.1 as f64);
            within(&format!("median t_c, curve {series}, value {at}"), median, between)
        }
        Expect::Exponent { series, values, between } => {
            let trials = (values.0..=values.1).filter_map(|at| find(series, at));
            let points: Vec<Point> = trials.map(Trial::point).collect();
            let Some(law) = fit(&points) else { return missing() };
            within(&format!("exponent, curve {series}, values {values:?}"), law.exponent, between)
        }
        Expect::Solved { series, at, share: wanted } => {
            let Some(trial) = find(series, at) else { return missing() };
            let found = share(trial.solved.iter().flatten().count(), trial.solved.len());
            within(&format!("share of networks that succeed, curve {series}, value {at}"), found, wanted)
        }
        Expect::Threshold { series, between } => {
            let line: Vec<&Trial> = trials.iter().filter(|trial| trial.cell.series == series).collect();
            let values: Vec<f64> = line.iter().map(|trial| trial.x).collect();
            let count = |trial: &&Trial| Some((trial.solved.iter().flatten().count(), trial.solved.len()));
            let counts: Vec<_> = line.iter().map(count).collect();
            let Some(found) = threshold(&values, &counts) else { return missing() };
            within(&format!("smallest value at which 80 % of trials succeed, curve {series}"), found, between)
        }
        Expect::Ends { series, at, between } => {
            let Some(found) = find(series, at).and_then(Trial::error) else { return missing() };
            within(&format!("median held-out error at the end, curve {series}, value {at}"), found, between)
        }
        Expect::Last { measure, series, at, between } => {
            let Some(found) = find(series, at).and_then(|trial| trial.last(measure)) else {
                return missing();
            };
            within(&format!("median {measure:?} at the end, curve {series}, value {at}"), found, between)
        }
        Expect::Power { measure, series, values, between } => {
            let ends = (values.0..=values.1).filter_map(|at| find(series, at));
            let points: Option<Vec<(f64, f64)>> =
                ends.map(|trial| Some((trial.x, f64::from(trial.last(measure)?)))).collect();
            let Some((_, found)) = points.and_then(|points| power(&points)) else { return missing() };
            within(
                &format!("fitted power of {measure:?} at the end, curve {series}, values {values:?}"),
                found,
                between,
            )
        }
        Expect::Ahead { series, than, at, by } => {
            let error = |line: usize| find(line, at).and_then(Trial::error);
            let (Some(less), Some(more)) = (error(series), error(than)) else { return missing() };
            let what =
                format!("median error of curve {than} ({more:.3}) minus that of curve {series}, value {at}");
            within(&what, more - less, (by, 1.0))
        }
        Expect::Narrows { from, to, times } => {
            let range = |at: usize| {
                let times = Times::new(&find(0, at)?.solved);
                Some(times.quantile(0.75)? - times.quantile(0.25)?)
            };
            let (Some(wide), Some(narrow)) = (range(from), range(to)) else { return missing() };
            let what =
                format!("interquartile range of t_c at value {from}, divided by the range at value {to}");
            within(&what, wide / narrow, (times, f64::INFINITY))
        }
        Expect::Sooner { at, than, share } => {
            let (Some(first), Some(later)) = (find(0, at), find(0, than)) else { return missing() };
            let found = Times::new(&first.solved).earlier_than(first.x, &Times::new(&later.solved), later.x);
            let what = format!(
                "share of pairs in which steps times value is smaller for value {at} than for value {than}"
            );
            within(&what, found, (share, 1.0))
        }
        Expect::Stages { stages, share: wanted } => {
            let seen = chains::stages(&trials[0].cell.spec, &trials[0].rows);
            let fitting = seen.iter().filter(|own| own.as_slice() == stages).count();
            let other = seen.iter().find(|own| own.as_slice() != stages);
            let other = other.map_or(String::new(), |own| format!("; another network has {own:?}"));
            let what = format!("share of networks with the stages {stages:?}{other}");
            within(&what, share(fitting, seen.len()), wanted)
        }
        Expect::Between(least) => {
            let trial = &trials[0];
            let found = between(&trial.solved, trial.cell.spec.run.inits);
            within("share of the variance of ln t_c between initialisations", found, (least, 1.0))
        }
    }
}

impl Trial {
    /// Median share of held-out examples that are wrong at the end.
    fn error(&self) -> Option<f32> {
        self.rows.last().map(|row| 1.0 - spread(&row.test_accuracy).0)
    }

    /// Median of a measure at the end.
    fn last(&self, measure: Measure) -> Option<f32> {
        self.values(measure).last().map(|(_, values)| spread(values).0)
    }

    fn point(&self) -> Point {
        Point { x: self.x, times: self.solved.clone(), horizon: self.cell.spec.run.steps }
    }
}

/// Share of the variance of ln t_c that lies between groups of replicas with the same initialisation; those that
/// never arrived are left out.
fn between(solved: &[Option<u64>], inits: usize) -> f64 {
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
    fn every_instance_is_a_clean_link_with_a_name_of_its_own() {
        for (i, instance) in INSTANCES.iter().enumerate() {
            let link = format!("#v1/sparse-parity?{}", instance.link);
            let (decoded, notices) = decode(&link);
            assert!(notices.is_empty(), "{}: {notices:?}", instance.name);
            assert_eq!(vivarium_model::permalink::encode(&decoded), link, "{}", instance.name);
            assert!(INSTANCES[..i].iter().all(|other| other.name != instance.name), "{}", instance.name);
        }
    }

    #[test]
    fn the_variance_between_initialisations_is_that_of_their_means() {
        let solved = |times: &[u64]| times.iter().map(|t| Some(*t)).collect::<Vec<_>>();
        assert!((between(&solved(&[10, 1000, 10, 1000]), 2) - 1.0).abs() < 1e-12);
        assert!(between(&solved(&[10, 10, 1000, 1000]), 2) < 1e-12);
    }
}
