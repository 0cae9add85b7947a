//! An expectation and the values of its networks as JSON: `lab claims --format json` and `lab list --format
//! json`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{MeasuredRun, chains};
use crate::print::value_to_json;
use vivarium_view::presets::{Expectation, ExpectedMeasure};

/// JSON object with the values of the networks of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkValues {
    /// Values of the swept settings in this run (at most two), by key; empty if the preset is no sweep.
    settings: Map<String, Value>,
    /// Seed of the run, from which the seed of each network is derived.
    seed: u64,
    /// One value for each replica, in order: for example the step at which it reached the target, or its
    /// held-out error at the end; `networks` in the JSON of the expectation names the quantity. Null if the
    /// step was never reached or the number is not finite.
    values: Vec<Value>,
}

/// Quantity of each trained network by which an expectation of a preset's claim is checked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum NetworkQuantity {
    /// Step at which the network reached the target; null if it never did. Networks that share their data are one
    /// trial, with one value.
    Time,
    /// First measured step at which the given measure was at least the given number; null if it never was.
    FirstStep(ExpectedMeasure, f32),
    /// Value of the given measure at its last measurement up to the given training step.
    Measured(ExpectedMeasure, u64),
    /// Value of the given measure at its last measurement in the run.
    Last(ExpectedMeasure),
    /// Share of held-out examples, from 0 to 1, that are wrong at the last measurement of the run.
    Error,
    /// Strategies (uniform, unigram, bigram and so on) to which the predictions of a network on Markov chains
    /// were nearest, in order of time.
    Stages,
}

impl NetworkQuantity {
    /// The quantity of each network by which the expectation of a preset's claim is checked.
    fn from_expectation(expect: &Expectation) -> NetworkQuantity {
        match *expect {
            Expectation::Reaches { measure, at_least, .. } => NetworkQuantity::FirstStep(measure, at_least),
            Expectation::Median { measure, step, .. } => NetworkQuantity::Measured(measure, step),
            Expectation::FinalMeasure { measure, .. } | Expectation::PowerLaw { measure, .. } => {
                NetworkQuantity::Last(measure)
            }
            Expectation::FinalError { .. } | Expectation::LowerError { .. } => NetworkQuantity::Error,
            Expectation::Stages { .. } => NetworkQuantity::Stages,
            Expectation::MedianTime { .. }
            | Expectation::Exponent { .. }
            | Expectation::Solved { .. }
            | Expectation::Threshold { .. }
            | Expectation::NarrowerSpread { .. }
            | Expectation::FasterPairs { .. }
            | Expectation::VarianceBetweenInits(_) => NetworkQuantity::Time,
        }
    }

    /// Name of the quantity in the JSON of an expectation, under the key `networks`: "target step", "first
    /// step", "measure", "held-out error" or "stages".
    fn name(self) -> &'static str {
        match self {
            NetworkQuantity::Time => "target step",
            NetworkQuantity::FirstStep(..) => "first step",
            NetworkQuantity::Measured(..) | NetworkQuantity::Last(_) => "measure",
            NetworkQuantity::Error => "held-out error",
            NetworkQuantity::Stages => "stages",
        }
    }

    /// The quantity of each network of a run, in the order of the replicas: a number or null, or the list of
    /// names of the strategies. Empty if nothing was measured.
    fn read_values(self, run: &MeasuredRun) -> Vec<Value> {
        let measured = |row: Option<(u64, Vec<f32>)>| {
            row.map_or(vec![], |(_, values)| values.into_iter().map(float_to_json).collect())
        };
        match self {
            NetworkQuantity::Time => run.target_steps.iter().map(|step| json!(step)).collect(),
            NetworkQuantity::FirstStep(measure, at_least) => {
                run.first_steps(measure, at_least).into_iter().map(|step| json!(step)).collect()
            }
            NetworkQuantity::Measured(measure, until) => {
                measured(run.measure_by_step(measure).into_iter().rfind(|(step, _)| *step <= until))
            }
            NetworkQuantity::Last(measure) => measured(run.measure_by_step(measure).pop()),
            NetworkQuantity::Error => {
                let last = run.rows.last().map(|row| row.test_accuracy.as_slice());
                last.unwrap_or_default().iter().map(|right| float_to_json(1.0 - right)).collect()
            }
            NetworkQuantity::Stages => {
                let stages = chains::find_stages(&run.cell.spec, &run.rows).into_iter();
                let names =
                    |own: Vec<_>| own.into_iter().map(|stage| format!("{stage:?}")).collect::<Vec<_>>();
                stages.map(|own| json!(names(own))).collect()
            }
        }
    }
}

/// A number as JSON with the decimal digits of `f32`, not those of its conversion to `f64`; null if it is not
/// finite.
fn float_to_json(number: f32) -> Value {
    json!(number.to_string().parse::<f64>().ok().filter(|number| number.is_finite()))
}

/// Whether the expectation is about this run of the preset's sweep, by its indices on the two swept settings.
/// An expectation without indices is about the first run.
fn concerns_run(expect: &Expectation, run: &MeasuredRun) -> bool {
    let (line, place) = (run.cell.series_index, run.cell.sweep_index);
    match *expect {
        // These are checked on a single run.
        Expectation::Reaches { .. }
        | Expectation::Median { .. }
        | Expectation::Stages { .. }
        | Expectation::VarianceBetweenInits(_) => (line, place) == (0, 0),
        Expectation::MedianTime { series, at, .. }
        | Expectation::Solved { series, at, .. }
        | Expectation::FinalError { series, at, .. }
        | Expectation::FinalMeasure { series, at, .. } => (line, place) == (series, at),
        Expectation::Exponent { series, values, .. } | Expectation::PowerLaw { series, values, .. } => {
            line == series && (values.0..=values.1).contains(&place)
        }
        Expectation::Threshold { series, .. } => line == series,
        Expectation::LowerError { series, than, at, .. } => [series, than].contains(&line) && place == at,
        Expectation::NarrowerSpread { from, to, .. } => line == 0 && [from, to].contains(&place),
        Expectation::FasterPairs { at, than, .. } => line == 0 && [at, than].contains(&place),
    }
}

/// For each run that the expectation is about: the quantity of each of its networks by which the expectation
/// is checked.
pub(super) fn collect_network_values(expect: &Expectation, runs: &[MeasuredRun]) -> Vec<NetworkValues> {
    let quantity = NetworkQuantity::from_expectation(expect);
    let of_trial = |trial: &MeasuredRun| {
        let run = &trial.cell.spec.run;
        let swept = [&run.sweep.key, &run.series.key].into_iter().filter(|key| !key.is_empty());
        let settings =
            swept.filter_map(|key| Some((key.clone(), value_to_json(&trial.cell.spec.value(key)?))));
        NetworkValues { settings: settings.collect(), seed: run.seed, values: quantity.read_values(trial) }
    };
    runs.iter().filter(|trial| concerns_run(expect, trial)).map(of_trial).collect()
}

/// An expectation of a preset's claim as a JSON object: its `kind`, its measure and bounds, and under
/// `networks` the name of the quantity of each network.
pub fn expectation_to_json(expect: &Expectation) -> Value {
    let of = |measure: ExpectedMeasure| format!("{measure:?}");
    let pair = |(low, high): (f32, f32)| [float_to_json(low), float_to_json(high)];
    let mut object = match *expect {
        Expectation::Reaches { measure, at_least, steps, share } => {
            json!({"kind": "reaches", "measure": of(measure), "at_least": float_to_json(at_least), "steps": steps, "share": share})
        }
        Expectation::Median { measure, step, between } => {
            json!({"kind": "median", "measure": of(measure), "step": step, "between": pair(between)})
        }
        Expectation::MedianTime { series, at, between } => {
            json!({"kind": "median-time", "series": series, "at": at, "between": between})
        }
        Expectation::Exponent { series, values, between } => {
            json!({"kind": "exponent", "series": series, "values": values, "between": between})
        }
        Expectation::Solved { series, at, share } => {
            json!({"kind": "solved", "series": series, "at": at, "share": share})
        }
        Expectation::Threshold { series, between } => {
            json!({"kind": "threshold", "series": series, "between": between})
        }
        Expectation::FinalError { series, at, between } => {
            json!({"kind": "ends", "series": series, "at": at, "between": pair(between)})
        }
        Expectation::FinalMeasure { measure, series, at, between } => {
            json!({"kind": "last", "measure": of(measure), "series": series, "at": at, "between": pair(between)})
        }
        Expectation::PowerLaw { measure, series, values, between } => {
            json!({"kind": "power", "measure": of(measure), "series": series, "values": values, "between": between})
        }
        Expectation::LowerError { series, than, at, by } => {
            json!({"kind": "ahead", "series": series, "than": than, "at": at, "by": float_to_json(by)})
        }
        Expectation::NarrowerSpread { from, to, times } => {
            json!({"kind": "narrows", "from": from, "to": to, "times": times})
        }
        Expectation::FasterPairs { at, than, share } => {
            json!({"kind": "sooner", "at": at, "than": than, "share": share})
        }
        Expectation::Stages { stages, share } => {
            let stages: Vec<String> = stages.iter().map(|stage| format!("{stage:?}")).collect();
            json!({"kind": "stages", "stages": stages, "share": share})
        }
        Expectation::VarianceBetweenInits(share) => json!({"kind": "between", "share": [share, 1.0]}),
    };
    object["networks"] = NetworkQuantity::from_expectation(expect).name().into();
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::{PRESETS, find_preset};
    use vivarium_training::launch::device::Device;

    #[test]
    fn an_expectation_is_an_object_with_the_numbers_of_the_preset() {
        let reaches = Expectation::Reaches {
            measure: ExpectedMeasure::TestAccuracy,
            at_least: 0.99,
            steps: (0, 400),
            share: (0.9, 1.0),
        };
        let expected = r#"{"at_least":0.99,"kind":"reaches","measure":"TestAccuracy","networks":"first step","share":[0.9,1.0],"steps":[0,400]}"#;
        assert_eq!(expectation_to_json(&reaches).to_string(), expected);
        let kinds: std::collections::BTreeSet<String> = PRESETS
            .iter()
            .flat_map(|preset| preset.expectations)
            .map(|expect| expectation_to_json(expect)["kind"].as_str().unwrap().to_string())
            .collect();
        assert!(kinds.len() > 8, "{kinds:?}");
        assert_eq!([float_to_json(0.1), float_to_json(f32::NAN)], [json!(0.1), Value::Null]);
    }

    /// The values of the networks give the number that was judged.
    #[test]
    fn what_was_found_follows_from_the_values_of_the_networks() {
        let preset = find_preset("parity-20").unwrap();
        let verdicts = super::super::check_preset(preset, super::super::REPLICAS, &Device::cpu()).unwrap();
        assert_eq!(verdicts.len(), preset.expectations.len());
        let mut checked = 0;
        for (verdict, expect) in verdicts.iter().zip(preset.expectations) {
            let [networks] = &verdict.network_values[..] else { panic!("{:?}", verdict.network_values) };
            assert_eq!((networks.values.len(), networks.settings.len()), (super::super::REPLICAS, 0));
            let Expectation::Reaches { steps, share, .. } = expect else { continue };
            let inside =
                |step: &&Value| step.as_u64().is_some_and(|step| (steps.0..=steps.1).contains(&step));
            let found = networks.values.iter().filter(inside).count() as f64 / networks.values.len() as f64;
            assert_eq!(verdict.measured, Some(found));
            assert_eq!(verdict.holds, (share.0..=share.1).contains(&found));
            checked += 1;
        }
        assert!(checked > 0);
    }
}
