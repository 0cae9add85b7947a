//! Traces of a small random Turing machine: the next state and symbol are to be predicted from those before. This task is
//! ours; the paper on machines and transformers trains nothing.
//!
//! An example's row holds `length + 1` tokens; its label is the last of them. A network predicts after each of the first
//! `length`. The traces are described in [`vivarium_science::machines::traces`].
//!
//! ```
//! use vivarium_model::tasks::{Batch, MachineTraces, Sampler};
//! let (task, mut batch) = (MachineTraces::default(), Batch::default());
//! task.sample(0, 0, 0, 4, &mut batch);
//! assert_eq!((batch.x.len(), batch.y.len()), (4 * 65, 4));
//! ```

pub mod charts;
mod measures;

use super::{
    Batch, Examples, MeasureInfo, MeasureNames, Sampler, SettingDefaults, TaskConfig, TaskData, pytorch,
};
use crate::chart::Chart;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::WEI_2022;
use vivarium_science::machines::TraceSettings;
use vivarium_science::machines::random::MAX_TRACE_STATES;
use vivarium_science::machines::traces::StateControl;

settings! {
    /// Predicting the next token in traces of a Turing machine on a random tape.
    pub struct MachineTraces {
        /// How the next state is chosen: by the machine's table, or at random from four states, each with its own written symbol and move.
        control: StateControl = StateControl::Table, "next", "Next state", Range::Choice(StateControl::OPTIONS);
        /// Number of states of the machine. A token holds a state and one of two symbols: with s states there are 2s different tokens.
        states: usize = 2, "states", "States", Range::Int(2, MAX_TRACE_STATES as u64), only when "next" = "table";
        /// Number of tokens in a context; the network predicts the next token after each token of the context.
        length: usize = 64, "t", "Context length t", Range::Int(8, 256), "steps";
        /// Seed of the random machine; it determines the machine's table of rules.
        machine: usize = 1, "machine", "Machine", Range::Int(0, 9999), only when "next" = "table";
    }
}

impl MachineTraces {
    /// Slug, name, summary and sources of this task.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "machine-traces",
        name: "Traces of a Turing machine",
        about: "A random Turing machine runs on a random tape. A network predicts the machine's next state and symbol from the steps so far.",
        sources: &[WEI_2022],
    };

    /// Charts that only runs of this task have.
    pub const CHARTS: &[Chart] = charts::CHARTS;

    /// Definitions of the measures of this task (loss, accuracy and further ones), in lists.
    pub const MEASURES: &[&[MeasureInfo]] = measures::MEASURES;

    /// Specification, from the settings of this task, of the traces: machine, random tape and length.
    pub fn trace_settings(&self) -> TraceSettings {
        let MachineTraces { control, states, machine, length } = *self;
        TraceSettings { control, states, machine: machine as u64, length }
    }

    /// Appends traces of the machine as examples; `tokens` holds the traces one after the other, each `length + 1`
    /// tokens.
    fn append_traces(&self, tokens: impl IntoIterator<Item = u8>, out: &mut Batch) {
        let before = out.x.len();
        out.x.extend(tokens.into_iter().map(f32::from));
        let length = self.length;
        let labels: Vec<f32> = out.x[before..].chunks(length + 1).map(|trace| trace[length]).collect();
        out.y.extend(labels);
    }
}

impl ToPyTorch for MachineTraces {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let source = self.trace_settings().build_source();
        let rule = |token: u8| {
            let rule = source.machine().rule(token);
            format!("({}, {}, {})", rule.write, rule.step.offset(), rule.next)
        };
        let rules: Vec<String> = (0..self.trace_settings().vocab_size() as u8).map(rule).collect();
        let settings = vec![("rules", format!("[{}]", rules.join(", ")))];
        let code = vec![pytorch::CLASS_LOSSES_SCRIPT, include_str!("pytorch/traces.py")];
        Ok(ScriptPart { code, settings, ..ScriptPart::default() })
    }
}

impl TaskConfig for MachineTraces {
    fn default_run(&self) -> SettingDefaults {
        &[
            ("model", "attention-only"),
            ("norm", "pre"),
            ("mlp", "on"),
            ("opt", "adam"),
            ("lr", "0.003"),
            ("b2", "0.95"),
            ("loss", "ce"),
            ("steps", "300"),
            ("target", "0.99"),
            ("halt", "steps"),
            ("every", "25"),
            ("held", "256"),
        ]
    }

    fn default_view(&self) -> SettingDefaults {
        &[("show", "floor.cells.stepsback.writes"), ("speed", "0")]
    }
}

impl Examples for MachineTraces {
    fn measure_names(&self) -> MeasureNames {
        measures::MEASURE_NAMES
    }

    fn data(&self) -> TaskData {
        TaskData::Traces(self.trace_settings())
    }

    fn inputs(&self) -> usize {
        self.trace_settings().vocab_size()
    }

    fn columns(&self) -> usize {
        self.length + 1
    }

    fn prediction_count(&self) -> usize {
        self.length
    }

    fn classes(&self) -> Option<usize> {
        Some(self.trace_settings().vocab_size())
    }

    fn training_set_size(&self) -> Option<usize> {
        None
    }

    fn invalid_settings(&self) -> Vec<InvalidSetting> {
        vec![]
    }
}

impl Sampler for MachineTraces {
    fn sample(&self, seed: u64, replica: u32, step: u64, size: usize, out: &mut Batch) {
        let mut tokens = vec![];
        self.trace_settings().build_source().sample_batch(seed, replica, step, size, &mut tokens);
        self.append_traces(tokens, out);
    }

    fn append_held_out(&self, seed: u64, from: usize, size: usize, out: &mut Batch) {
        let mut places = vec![];
        self.trace_settings().build_source().sample_held_out(seed, 0, from..from + size, &mut places);
        self.append_traces(places.into_iter().map(|place| place.token), out);
    }

    // Every batch is fresh: there is no sample to visit.
    fn append_training_set(&self, _seed: u64, _replica: u32, _from: usize, _size: usize, _out: &mut Batch) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_traces_and_labels_their_last_tokens() {
        let task = MachineTraces { states: 3, length: 20, ..Default::default() };
        let (mut batch, mut held_out) = (Batch::default(), Batch::default());
        task.sample(1, 0, 0, 40, &mut batch);
        assert_eq!((batch.x.len(), batch.len()), (40 * 21, 40));
        assert!((0..40).all(|e| batch.y[e] == batch.x[e * 21 + 20]));
        assert!(batch.x.iter().all(|x| (0.0..6.0).contains(x)));
        for (from, size) in [(0, 7), (7, 33)] {
            task.append_held_out(1, from, size, &mut held_out);
        }
        let mut whole = Batch::default();
        task.append_held_out(1, 0, 40, &mut whole);
        assert_eq!(held_out, whole);
        assert_ne!(whole, batch);
    }

    #[test]
    fn the_script_has_the_rules() {
        let part = MachineTraces::default().to_pytorch(0).unwrap();
        assert_eq!(part.settings[0].1.matches('(').count(), 4);
        let by_lot = MachineTraces { control: StateControl::Random, ..Default::default() };
        assert_eq!(by_lot.to_pytorch(0).unwrap().settings[0].1.matches('(').count(), 8);
    }
}
