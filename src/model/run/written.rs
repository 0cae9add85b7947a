//! Serialization of a run in messages between page and workers: slugs of its catalog entries and the values of their
//! settings.
//!
//! # Why
//! The declarations of the settings contain all that is needed. Derived from the types, serialization was code for each
//! of thirty structs and as many enums, in every program: a run is written a few times a minute. Both sides are of one
//! build ([`WorkerHandshake`](crate::protocol::WorkerHandshake)), so that values are written in the order of the
//! settings, without names.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::RunSpec;
use crate::models::Model;
use crate::optim::Optimizer;
use crate::tasks::Task;
use vivarium_core::settings::{Field, Settings, Value};

/// Form in which a [`RunSpec`] is serialised: slugs of its entries, and the values of all settings.
#[derive(Serialize, Deserialize)]
struct SerializedRun {
    /// Slugs of the task, the model and the optimizer.
    entries: [String; 3],
    /// Values of the settings of task, model, optimizer and run.
    values: [Vec<Value>; 4],
}

impl Serialize for RunSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RunSpec { task, model, optimizer, run } = self;
        let values = |fields: Vec<&dyn Field>| fields.into_iter().map(Field::to_value).collect();
        SerializedRun {
            entries: [task.info(), model.info(), optimizer.info()].map(|info| info.slug.into()),
            values: [task.fields(), model.fields(), optimizer.fields(), run.fields()].map(values),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RunSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(&SerializedRun::deserialize(deserializer)?)
            .ok_or_else(|| de::Error::custom("no run of this build"))
    }
}

/// Restores a run from its serialised form; None if a slug is unknown or the number of settings differs. The values are
/// not checked.
fn restore(written: &SerializedRun) -> Option<RunSpec> {
    let [task, model, optimizer] = &written.entries;
    let mut spec = RunSpec {
        task: Task::from_slug(task)?,
        model: Model::from_slug(model)?,
        optimizer: Optimizer::from_slug(optimizer)?,
        ..RunSpec::default()
    };
    let RunSpec { task, model, optimizer, run } = &mut spec;
    let all = [task.fields_mut(), model.fields_mut(), optimizer.fields_mut(), run.fields_mut()];
    for (fields, values) in all.into_iter().zip(&written.values) {
        if fields.len() != values.len() {
            return None;
        }
        fields.into_iter().zip(values).for_each(|(field, value)| field.take(value));
    }
    Some(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As messages are, in another dress.
    fn sent(spec: &RunSpec) -> RunSpec {
        serde_json::from_str(&serde_json::to_string(spec).unwrap()).unwrap()
    }

    #[test]
    fn every_entry_arrives_as_it_was_sent() {
        for task in Task::ENTRIES {
            let spec = RunSpec::default_of_lab(task.info.slug).unwrap();
            assert_eq!(sent(&spec), spec);
        }
        for model in Model::ENTRIES {
            let mut spec = RunSpec::default();
            spec.parse("model", model.info.slug).unwrap();
            assert_eq!(sent(&spec), spec);
        }
        for optimizer in Optimizer::ENTRIES {
            let mut spec = RunSpec::default();
            spec.parse("opt", optimizer.info.slug).unwrap();
            assert_eq!(sent(&spec), spec);
        }
    }

    #[test]
    fn settings_of_every_kind_arrive_to_the_last_bit() {
        let mut spec = RunSpec::default();
        for (key, text) in [
            ("model", "deep-mlp"),
            ("widths", "7.300.7"),
            ("lr", "0.30000000000000004"),
            ("seed", "9007199254740991"),
            ("lrs", "5:0.1_900:1e-7"),
            ("sweep", "n:10_20_40"),
            ("device", "gpu"),
        ] {
            spec.parse(key, text).unwrap();
        }
        let arrived = sent(&spec);
        assert_eq!(arrived, spec);
        assert_eq!(arrived.value("lr").unwrap().to_string(), "0.30000000000000004");
    }

    #[test]
    fn what_no_build_has_sent_is_refused() {
        let text = serde_json::to_string(&RunSpec::default()).unwrap();
        for (from, to) in [("\"sgd\"", "\"none\""), ("[[", "[[{\"Int\":1},")] {
            assert!(text.contains(from), "{text}");
            assert!(serde_json::from_str::<RunSpec>(&text.replacen(from, to, 1)).is_err());
        }
    }
}
