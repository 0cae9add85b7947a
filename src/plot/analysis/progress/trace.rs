//! Progress measures along a run, and charts of them.

use super::Progress;
use crate::analysis::thinned::Thinned;
use crate::analysis::{Bars, Lines, Role, Series};

/// Most measurements of a run that are kept.
pub const CAPACITY: usize = 1024;

/// The measures along a run, in bounded memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressTrace(Thinned<Progress>);

impl Default for ProgressTrace {
    fn default() -> Self {
        ProgressTrace(Thinned::new(CAPACITY))
    }
}

impl ProgressTrace {
    /// Adds the measures at a step; those of an earlier step than the newest make what came after it forgotten.
    pub fn push(&mut self, step: u64, progress: Progress) {
        self.0.push(step, progress);
    }

    /// The kept measures with their steps, the newest always among them.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Progress)> {
        self.0.iter()
    }

    fn series(&self, name: &str, role: Role, of: fn(&Progress) -> Option<f64>) -> Series {
        let (x, y) = self.iter().filter_map(|(step, p)| Some((step as f64, of(p)? as f32))).unzip();
        Series { name: name.into(), role, x, y, ..Default::default() }
    }
}

/// Restricted and excluded loss over the steps, with those of training and test pairs.
pub fn chart(trace: &ProgressTrace) -> Lines {
    Lines {
        title: tr!("Progress measures").into(),
        x_label: tr!("step").into(),
        y_label: tr!("cross-entropy").into(),
        series: vec![
            trace.series(tr!("training loss"), Role::Train, |p| Some(p.train)),
            trace.series(tr!("test loss"), Role::Test, |p| p.test),
            trace.series(tr!("restricted loss"), Role::Relevant, |p| Some(p.restricted)),
            trace.series(tr!("excluded loss"), Role::Other, |p| Some(p.excluded)),
        ],
        ..Default::default()
    }
}

/// The spread of the embedding over frequencies along the run; none where no embedding was measured.
pub fn spread_chart(trace: &ProgressTrace) -> Option<Lines> {
    let series = vec![
        trace.series(tr!("Gini coefficient"), Role::Relevant, |p| p.embedding.map(|e| e.gini)),
        trace.series(tr!("inverse participation ratio"), Role::Other, |p| {
            p.embedding.map(|e| e.participation)
        }),
    ];
    (!series[0].x.is_empty()).then(|| Lines {
        title: tr!("Sparsity of the embedding's Fourier norms").into(),
        x_label: tr!("step").into(),
        y_label: tr!("sparsity (near 1: one component)").into(),
        y_range: Some((0.0, 1.0)),
        series,
        ..Default::default()
    })
}

/// The share of each frequency, key frequencies pointed at.
pub fn frequencies(progress: &Progress) -> Bars {
    Bars {
        title: tr!("Share of each frequency in the logits").into(),
        x_label: tr!("frequency").into(),
        y_label: tr!("share of variance").into(),
        bars: (1..).zip(&progress.shares).map(|(k, share): (usize, _)| (k.to_string(), *share)).collect(),
        marked: progress.key.iter().map(|k| k - 1).collect(),
        marked_name: "key frequency".into(),
        ..Default::default()
    }
}
