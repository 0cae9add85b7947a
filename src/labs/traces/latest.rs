//! Latest measurements of a run, for charts and summaries.

use vivarium_plot::analysis::curves::median_range;
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::traces::MAX_MEASURED_LAYERS;
use vivarium_view::display::RunView;

/// Median over networks of a metric that only runs on traces have, in the latest measurement; NaN before the first
/// measurement.
pub(super) fn latest_metric(run: &RunView, metric: TraceMetric) -> f32 {
    let values = run.history.latest().map(|row| ReplicaMeasure::TaskMeasure(metric as usize).values(row));
    values.filter(|values| !values.is_empty()).map_or(f32::NAN, |values| median_range(values).0)
}

/// Metrics of the attention on the step that last wrote the predicted cell, one for each layer of the network, for at
/// most [`MAX_MEASURED_LAYERS`] layers.
pub(super) fn layer_metrics(run: &RunView) -> impl Iterator<Item = TraceMetric> {
    let (first, count) =
        (TraceMetric::WriteAttentionLayer1 as usize, run.spec().model.config().heads().len());
    TraceMetric::ALL[first..].iter().take(count.min(MAX_MEASURED_LAYERS)).copied()
}
