//! An expectation and what the networks behind it gave, as JSON: `lab claims --format json`, and `lab list --format json`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Trial, chains};
use crate::print::typed;
use vivarium_view::presets::{Expect, Measure};

/// What the networks of one run gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Networks {
    /// The swept settings of the run, by key; empty if the preset is no sweep.
    settings: Map<String, Value>,
    /// The seed of the run, from which the seed of each network is derived.
    seed: u64,
    /// One value for each network, in the order of the replicas: what [`expectation`] calls `networks`.
    values: Vec<Value>,
}

/// What is said of each network.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quantity {
    /// The step at which the network reached the target; null if it never did. Networks that share their data are one
    /// trial, with one value.
    Time,
    /// The first step at which the measure was at least so much; null if it never was.
    FirstStep(Measure, f32),
    /// The measure at the last measurement up to this step.
    Measured(Measure, u64),
    /// The measure at the end.
    Last(Measure),
    /// Share of held-out examples that are wrong at the end.
    Error,
    /// The strategies that the network was nearest to, one after the other.
    Stages,
}

impl Quantity {
    fn of(expect: &Expect) -> Quantity {
        match *expect {
            Expect::Reaches { measure, at_least, .. } => Quantity::FirstStep(measure, at_least),
            Expect::Median { measure, step, .. } => Quantity::Measured(measure, step),
            Expect::Last { measure, .. } | Expect::Power { measure, .. } => Quantity::Last(measure),
            Expect::Ends { .. } | Expect::Ahead { .. } => Quantity::Error,
            Expect::Stages { .. } => Quantity::Stages,
            Expect::MedianTime { .. }
            | Expect::Exponent { .. }
            | Expect::Solved { .. }
            | Expect::Threshold { .. }
            | Expect::Narrows { .. }
            | Expect::Sooner { .. }
            | Expect::Between(_) => Quantity::Time,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Quantity::Time => "target step",
            Quantity::FirstStep(..) => "first step",
            Quantity::Measured(..) | Quantity::Last(_) => "measure",
            Quantity::Error => "held-out error",
            Quantity::Stages => "stages",
        }
    }

    fn in_trial(self, trial: &Trial) -> Vec<Value> {
        let measured = |row: Option<(u64, Vec<f32>)>| {
            row.map_or(vec![], |(_, values)| values.into_iter().map(real).collect())
        };
        match self {
            Quantity::Time => trial.solved.iter().map(|step| json!(step)).collect(),
            Quantity::FirstStep(measure, at_least) => {
                trial.reached(measure, at_least).into_iter().map(|step| json!(step)).collect()
            }
            Quantity::Measured(measure, until) => {
                measured(trial.values(measure).into_iter().rfind(|(step, _)| *step <= until))
            }
            Quantity::Last(measure) => measured(trial.values(measure).pop()),
            Quantity::Error => {
                let last = trial.rows.last().map(|row| row.test_accuracy.as_slice());
                last.unwrap_or_default().iter().map(|right| real(1.0 - right)).collect()
            }
            Quantity::Stages => {
                let stages = chains::stages(&trial.cell.spec, &trial.rows).into_iter();
                let names =
                    |own: Vec<_>| own.into_iter().map(|stage| format!("{stage:?}")).collect::<Vec<_>>();
                stages.map(|own| json!(names(own))).collect()
            }
        }
    }
}

/// A number with the digits of single precision; null if it is not finite.
fn real(number: f32) -> Value {
    json!(number.to_string().parse::<f64>().ok().filter(|number| number.is_finite()))
}

/// Whether the expectation is about this run of the preset.
fn is_about(expect: &Expect, trial: &Trial) -> bool {
    let (line, place) = (trial.cell.series, trial.cell.at);
    match *expect {
        // Only of one run.
        Expect::Reaches { .. } | Expect::Median { .. } | Expect::Stages { .. } | Expect::Between(_) => {
            (line, place) == (0, 0)
        }
        Expect::MedianTime { series, at, .. }
        | Expect::Solved { series, at, .. }
        | Expect::Ends { series, at, .. }
        | Expect::Last { series, at, .. } => (line, place) == (series, at),
        Expect::Exponent { series, values, .. } | Expect::Power { series, values, .. } => {
            line == series && (values.0..=values.1).contains(&place)
        }
        Expect::Threshold { series, .. } => line == series,
        Expect::Ahead { series, than, at, .. } => [series, than].contains(&line) && place == at,
        Expect::Narrows { from, to, .. } => line == 0 && [from, to].contains(&place),
        Expect::Sooner { at, than, .. } => line == 0 && [at, than].contains(&place),
    }
}

/// What the networks gave that an expectation is judged by, run by run.
pub(super) fn networks(expect: &Expect, trials: &[Trial]) -> Vec<Networks> {
    let quantity = Quantity::of(expect);
    let of_trial = |trial: &Trial| {
        let run = &trial.cell.spec.run;
        let swept = [&run.sweep.key, &run.series.key].into_iter().filter(|key| !key.is_empty());
        let settings = swept.filter_map(|key| Some((key.clone(), typed(&trial.cell.spec.value(key)?))));
        Networks { settings: settings.collect(), seed: run.seed, values: quantity.in_trial(trial) }
    };
    trials.iter().filter(|trial| is_about(expect, trial)).map(of_trial).collect()
}

/// An expectation as an object: its `kind`, its numbers, and under `networks` what is said of each network.
pub fn expectation(expect: &Expect) -> Value {
    let of = |measure: Measure| format!("{measure:?}");
    let pair = |(low, high): (f32, f32)| [real(low), real(high)];
    let mut object = match *expect {
        Expect::Reaches { measure, at_least, steps, share } => {
            json!({"kind": "reaches", "measure": of(measure), "at_least": real(at_least), "steps": steps, "share": share})
        }
        Expect::Median { measure, step, between } => {
            json!({"kind": "median", "measure": of(measure), "step": step, "between": pair(between)})
        }
        Expect::MedianTime { series, at, between } => {
            json!({"kind": "median-time", "series": series, "at": at, "between": between})
        }
        Expect::Exponent { series, values, between } => {
            json!({"kind": "exponent", "series": series, "values": values, "between": between})
        }
        Expect::Solved { series, at, share } => {
            json!({"kind": "solved", "series": series, "at": at, "share": share})
        }
        Expect::Threshold { series, between } => {
            json!({"kind": "threshold", "series": series, "between": between})
        }
        Expect::Ends { series, at, between } => {
            json!({"kind": "ends", "series": series, "at": at, "between": pair(between)})
        }
        Expect::Last { measure, series, at, between } => {
            json!({"kind": "last", "measure": of(measure), "series": series, "at": at, "between": pair(between)})
        }
        Expect::Power { measure, series, values, between } => {
            json!({"kind": "power", "measure": of(measure), "series": series, "values": values, "between": between})
        }
        Expect::Ahead { series, than, at, by } => {
            json!({"kind": "ahead", "series": series, "than": than, "at": at, "by": real(by)})
        }
        Expect::Narrows { from, to, times } => {
            json!({"kind": "narrows", "from": from, "to": to, "times": times})
        }
        Expect::Sooner { at, than, share } => {
            json!({"kind": "sooner", "at": at, "than": than, "share": share})
        }
        Expect::Stages { stages, share } => {
            let stages: Vec<String> = stages.iter().map(|stage| format!("{stage:?}")).collect();
            json!({"kind": "stages", "stages": stages, "share": share})
        }
        Expect::Between(share) => json!({"kind": "between", "share": [share, 1.0]}),
    };
    object["networks"] = Quantity::of(expect).name().into();
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::{PRESETS, find};
    use vivarium_training::launch::device::Device;

    #[test]
    fn an_expectation_is_an_object_with_the_numbers_of_the_preset() {
        let reaches = Expect::Reaches {
            measure: Measure::TestAccuracy,
            at_least: 0.99,
            steps: (0, 400),
            share: (0.9, 1.0),
        };
        let expected = r#"{"at_least":0.99,"kind":"reaches","measure":"TestAccuracy","networks":"first step","share":[0.9,1.0],"steps":[0,400]}"#;
        assert_eq!(expectation(&reaches).to_string(), expected);
        let kinds: std::collections::BTreeSet<String> = PRESETS
            .iter()
            .flat_map(|preset| preset.expect)
            .map(|expect| expectation(expect)["kind"].as_str().unwrap().to_string())
            .collect();
        assert!(kinds.len() > 8, "{kinds:?}");
        assert_eq!([real(0.1), real(f32::NAN)], [json!(0.1), Value::Null]);
    }

    /// The values of the networks give the number that was judged.
    #[test]
    fn what_was_found_follows_from_the_values_of_the_networks() {
        let preset = find("parity-20").unwrap();
        let verdicts = super::super::check(preset, &Device::cpu()).unwrap();
        assert_eq!(verdicts.len(), preset.expect.len());
        let mut checked = 0;
        for (verdict, expect) in verdicts.iter().zip(preset.expect) {
            let [networks] = &verdict.networks[..] else { panic!("{:?}", verdict.networks) };
            assert_eq!((networks.values.len(), networks.settings.len()), (super::super::REPLICAS, 0));
            let Expect::Reaches { steps, share, .. } = expect else { continue };
            let inside =
                |step: &&Value| step.as_u64().is_some_and(|step| (steps.0..=steps.1).contains(&step));
            let found = networks.values.iter().filter(inside).count() as f64 / networks.values.len() as f64;
            assert_eq!(verdict.found, Some(found));
            assert_eq!(verdict.holds, (share.0..=share.1).contains(&found));
            checked += 1;
        }
        assert!(checked > 0);
    }
}
