//! The newest measurements of a run, which charts draw and summaries say.

use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::replicas::Of;
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::traces::MAX_MEASURED_LAYERS;
use vivarium_view::display::RunView;

/// The newest median of a further measure.
pub(super) fn newest(run: &RunView, of: TraceMetric) -> f32 {
    let values = run.history.last().map(|row| Of::Measure(of as usize).values(row));
    values.filter(|values| !values.is_empty()).map_or(f32::NAN, |values| spread(values).0)
}

/// The measures of the layers that the network has.
pub(super) fn layers(run: &RunView) -> impl Iterator<Item = TraceMetric> {
    let (first, count) =
        (TraceMetric::WriteAttentionLayer1 as usize, run.spec().model.config().heads().len());
    TraceMetric::ALL[first..].iter().take(count.min(MAX_MEASURED_LAYERS)).copied()
}
