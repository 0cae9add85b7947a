//! Sparse Boolean functions: a few of many bits decide, and few examples show which (Edelman 2024, chapter 4).

mod advice;
pub mod experiments;
mod fourier;
pub mod looks;
mod panel;
pub mod presets;
pub mod probes;

use super::Parts;
use super::answers::{ANSWERS, of_numbers};
use super::story::About;
use crate::catalog::Info;
use crate::display::charts::ChartSpec;
use crate::display::{Example, Lab, LazyLab, RunView};
use crate::presets::Preset;
use crate::probing::{Probe, ProbeSpec};
use crate::run::RunSpec;
use crate::tasks::{SparseBoolean, Task};

pub use presets::PRESETS;

/// The lab.
pub struct BooleanLab;

impl Parts for BooleanLab {
    const PRESETS: &[&[Preset]] = PRESETS;
    const STORIES: &[About] = &[About {
        slug: "log-t",
        title: "Why are few examples enough for many bits?",
        about: "A transformer finds 3 relevant bits among many bits. If the number of bits is eight times as large, the transformer needs only two or three times as many examples.",
        minutes: 7,
        curve: "and-enough",
    }];
    const CHARTS: &[ChartSpec] = looks::CHARTS;
    const PROBES: &[ProbeSpec] = probes::PROBES;
}

impl Lab for BooleanLab {
    fn info(&self) -> &'static Info {
        &SparseBoolean::INFO
    }

    fn answers(&self) -> Option<Probe> {
        Some(ANSWERS)
    }

    fn chance(&self, spec: &RunSpec) -> f32 {
        match &spec.task {
            Task::SparseBoolean(task) => task.larger_share() as f32,
            _ => 0.5,
        }
    }
}

impl LazyLab for BooleanLab {
    fn example(&self, run: &RunView, at: usize) -> Option<Example> {
        of_numbers(run, at)
    }

    fn cannot_learn(&self, spec: &RunSpec) -> Vec<String> {
        advice::cannot_learn(spec)
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Reading, chart};
    use crate::app::state::{Action, State};
    use crate::display::{Phase, status};
    use crate::protocol::Row;

    /// Of the inputs of (x1 ^ x2) & x3 a quarter has the label 1, so that always answering 0 is right on 75 %.
    #[test]
    fn chance_is_the_share_of_the_more_common_label() {
        let mut state = State::default();
        for (query, chance, said, beaten) in [
            ("fn=own&own=(x1_@_x2)_*_x3&m=0&batch=32", 0.75, "chance is 75.0 %.", false),
            ("fn=own&own=x1_@_(x2_*_x3)&m=0&batch=32", 0.5, "chance is 50.0 %.", true),
            ("fn=and", 0.5, "chance is 50.0 %.", true),
        ] {
            state.apply(Action::Open(format!("#v1/sparse-boolean?{query}")));
            let Reading::Lines(lines) = chart::ACCURACY.reading(&state.run) else { panic!("curves") };
            assert_eq!(lines.references, [(chance, "chance".to_string())], "{query}");
            assert!(chart::ACCURACY.summary(&state.run).ends_with(said), "{query}");
            // 76 % of the answers are no better than guessing where one label has three quarters of the inputs.
            state.run.phase = Phase::Running;
            state.run.history.push(Row {
                step: 5,
                train_loss: vec![0.9],
                test_loss: vec![0.9],
                train_accuracy: vec![0.76],
                test_accuracy: vec![0.76],
                ..Row::default()
            });
            let line = status::line(&state.run, String::new);
            assert_eq!(line.ends_with(", more than with random guessing"), beaten, "{line}");
            assert_eq!(line.ends_with(", as with random guessing"), !beaten, "{line}");
        }
    }
}
