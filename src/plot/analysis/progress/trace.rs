//! Progress measures along a run, and charts of them.

use super::ProgressMeasures;
use crate::analysis::thinned::ThinnedHistory;
use crate::analysis::{BarChart, LineChart, Role, Series};

/// Number of stored progress measures of a run at which every second one is dropped.
pub const MAX_MEASUREMENTS: usize = 1024;

/// Progress measures over the steps of a run, thinned to bounded memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressTrace(ThinnedHistory<ProgressMeasures>);

impl Default for ProgressTrace {
    fn default() -> Self {
        ProgressTrace(ThinnedHistory::new(MAX_MEASUREMENTS))
    }
}

impl ProgressTrace {
    /// Adds the progress measures at a training step. If the step is not after the latest one, measures from that step
    /// on are discarded.
    pub fn push(&mut self, step: u64, progress: ProgressMeasures) {
        self.0.push(step, progress);
    }

    /// The stored progress measures with their steps, ascending, always including the latest.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &ProgressMeasures)> {
        self.0.iter()
    }

    /// The curve over steps of the number that `of` reads from the measures; steps at which `of` returns `None` are
    /// skipped.
    fn series(&self, name: &str, role: Role, of: fn(&ProgressMeasures) -> Option<f64>) -> Series {
        let (x, y) = self.iter().filter_map(|(step, p)| Some((step as f64, of(p)? as f32))).unzip();
        Series { name: name.into(), role, x, y, ..Default::default() }
    }
}

/// Line chart over training steps of four losses of a network on pairs of residues: restricted to the key frequencies,
/// without the key frequencies (excluded), and the unchanged training and held-out loss.
pub fn progress_chart(trace: &ProgressTrace) -> LineChart {
    LineChart {
        title: tr!("Progress measures").into(),
        x_label: tr!("step").into(),
        y_label: tr!("cross-entropy").into(),
        series: vec![
            trace.series(tr!("training loss"), Role::Train, |p| Some(p.train_loss)),
            trace.series(tr!("test loss"), Role::Test, |p| p.test_loss),
            trace.series(tr!("restricted loss"), Role::Relevant, |p| Some(p.restricted_loss)),
            trace.series(tr!("excluded loss"), Role::Other, |p| Some(p.excluded_loss)),
        ],
        ..Default::default()
    }
}

/// Line chart of the concentration of the embedding on few frequencies over steps; `None` if no embedding was
/// measured.
pub fn concentration_chart(trace: &ProgressTrace) -> Option<LineChart> {
    let series = vec![
        trace.series(tr!("Gini coefficient"), Role::Relevant, |p| p.embedding.map(|e| e.gini)),
        trace.series(tr!("inverse participation ratio"), Role::Other, |p| {
            p.embedding.map(|e| e.participation)
        }),
    ];
    (!series[0].x.is_empty()).then(|| LineChart {
        title: tr!("Sparsity of the embedding's Fourier norms").into(),
        x_label: tr!("step").into(),
        y_label: tr!("sparsity (near 1: one component)").into(),
        y_range: Some((0.0, 1.0)),
        series,
        ..Default::default()
    })
}

/// Bar chart of the variance share of each frequency, with the key frequencies highlighted.
pub fn frequency_chart(progress: &ProgressMeasures) -> BarChart {
    BarChart {
        title: tr!("Share of each frequency in the logits").into(),
        x_label: tr!("frequency").into(),
        y_label: tr!("share of variance").into(),
        bars: (1..)
            .zip(&progress.variance_shares)
            .map(|(k, share): (usize, _)| (k.to_string(), *share))
            .collect(),
        marked: progress.key_frequencies.iter().map(|k| k - 1).collect(),
        marked_name: "key frequency".into(),
        ..Default::default()
    }
}
