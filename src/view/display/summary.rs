//! The latest metrics of a run as text, with their names.

use super::view::RunView;
use super::words::{MISSING, format_decimal, format_percent};
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_plot::analysis::weights;

/// Accuracy that random guessing reaches on the run's task, from 0 to 1: 1 / number of classes, or R² = 0 for numeric
/// labels.
pub fn chance_accuracy(run: &RunView) -> f32 {
    run.lab().chance_accuracy(run.spec())
}

/// Names of the four numbers of [`LatestMetrics`], in the order of its fields.
pub fn metric_names(run: &RunView) -> [String; 4] {
    run.lazy_lab().and_then(|lab| (lab.metric_names)(run)).unwrap_or_else(|| {
        let [training, held_out] = match run.spec().run.loss.is_signed() {
            // The formula tells why the loss is negative.
            true => [tr!("Loss −y·f(x), training"), tr!("Loss −y·f(x), held-out")],
            false => [tr!("Loss, training"), tr!("Loss, held-out")],
        };
        [training, held_out, tr!("Accuracy, training"), tr!("Accuracy, held-out")].map(String::from)
    })
}

/// Name and value of number `which` (0 or 1) that the page shows next to loss and accuracy: chosen by the lab, or the
/// largest weights on relevant and irrelevant bits.
pub fn extra_number(run: &RunView, which: usize) -> (String, String) {
    if let Some(numbers) = run.lazy_lab().and_then(|lab| (lab.extra_numbers)(run)) {
        let [first, second] = numbers;
        return if which == 0 { first } else { second };
    }
    if run.lab().needs_lazy_code() {
        return (tr!("Loading").into(), MISSING.into());
    }
    let symbol = run.spec().rows().symbol;
    let (relevant, other) = largest_weights(run);
    match which {
        0 => (tr!("Largest |{symbol}|, relevant bits", symbol), relevant),
        _ => (tr!("Largest |{symbol}|, irrelevant bits", symbol), other),
    }
}

/// Largest absolute first-layer weight of the first replica on the relevant bits, and on the irrelevant bits, as text;
/// dashes before weights are known.
pub fn largest_weights(run: &RunView) -> (String, String) {
    let w = &run.weights;
    if w.values.is_empty() {
        return (MISSING.into(), MISSING.into());
    }
    let (relevant, other) = weights::max_weights(&w.values, w.inputs, w.width, &run.relevant);
    (format_decimal(relevant), format_decimal(other))
}

/// Loss and accuracy of the latest measurement as text; medians over replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestMetrics {
    /// Loss on training examples, the median over replicas, as text; a dash before the first measurement.
    pub train_loss: String,
    /// Loss on held-out examples, the median over replicas, as text; a dash before the first measurement.
    pub test_loss: String,
    /// Accuracy on training examples (percentage or R²), the median over replicas, as text; a dash before the first
    /// measurement.
    pub train_accuracy: String,
    /// Accuracy on held-out examples (percentage or R²), the median over replicas, as text; a dash before the first
    /// measurement.
    pub test_accuracy: String,
}

impl LatestMetrics {
    /// Formats the latest measurement, or dashes if there is none; accuracy as a percentage, R² as a decimal.
    pub fn of(run: &RunView) -> LatestMetrics {
        let share = if run.vocabulary().has_numeric_labels { format_decimal } else { format_percent };
        let middle = |of| run.history.latest_median(of);
        LatestMetrics {
            train_loss: format_decimal(middle(ReplicaMeasure::TrainLoss)),
            test_loss: format_decimal(middle(ReplicaMeasure::TestLoss)),
            train_accuracy: share(middle(ReplicaMeasure::TrainAccuracy)),
            test_accuracy: share(middle(ReplicaMeasure::TestAccuracy)),
        }
    }
}
