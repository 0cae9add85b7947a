//! Latest measurements of a run, for charts and summaries.

use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::machines::TraceMetric;
use vivarium_science::machines::traces::MAX_MEASURED_LAYERS;
use vivarium_view::display::RunView;

/// Median over the networks that have not diverged of a metric that only runs on traces have, in the latest measurement;
/// NaN before the first measurement.
pub(super) fn latest_metric(run: &RunView, metric: TraceMetric) -> f32 {
    run.history.latest_median(ReplicaMeasure::TaskMeasure(metric as usize))
}

/// Metrics of the attention on the step that last wrote the predicted cell, one for each layer of the network, for at
/// most [`MAX_MEASURED_LAYERS`] layers.
pub(super) fn layer_metrics(run: &RunView) -> impl Iterator<Item = TraceMetric> {
    let (first, count) =
        (TraceMetric::WriteAttentionLayer1 as usize, run.spec().model.config().heads().len());
    TraceMetric::ALL[first..].iter().take(count.min(MAX_MEASURED_LAYERS)).copied()
}
