//! The newest numbers of a run, with what they are called.

use super::view::RunView;
use super::words::{MISSING, decimal, percent};
use vivarium_model::protocol::Row;
use vivarium_plot::analysis::curves::spread;
use vivarium_plot::analysis::weights;

/// Accuracy of guessing.
pub fn chance(run: &RunView) -> f32 {
    run.lab().chance(run.spec())
}

/// What the numbers of [`Newest`] are called, in its order.
pub fn names(run: &RunView) -> [String; 4] {
    run.lazy().and_then(|lab| lab.names(run)).unwrap_or_else(|| {
        [tr!("Loss, training"), tr!("Loss, held-out"), tr!("Accuracy, training"), tr!("Accuracy, held-out")]
            .map(String::from)
    })
}

/// Two more numbers with their names: those of the lab, or of networks on bits how large their weights are.
pub fn extra(run: &RunView, which: usize) -> (String, String) {
    if let Some(numbers) = run.lazy().and_then(|lab| lab.numbers(run)) {
        let [first, second] = numbers;
        return if which == 0 { first } else { second };
    }
    if run.lab().needs_second_program() {
        return (tr!("Loading").into(), MISSING.into());
    }
    let symbol = run.spec().rows().symbol;
    let (relevant, other) = reach(run);
    match which {
        0 => (tr!("Largest |{symbol}|, relevant bits", symbol), relevant),
        _ => (tr!("Largest |{symbol}|, irrelevant bits", symbol), other),
    }
}

/// Largest weight on the relevant bits and on the others, as text.
pub fn reach(run: &RunView) -> (String, String) {
    let w = &run.weights;
    if w.values.is_empty() {
        return (MISSING.into(), MISSING.into());
    }
    let (relevant, other) = weights::reach(&w.values, w.inputs, w.width, &run.relevant);
    (decimal(relevant), decimal(other))
}

/// The newest measurement as text; medians where there are replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newest {
    /// Loss on training examples.
    pub train_loss: String,
    /// Loss on held-out examples.
    pub test_loss: String,
    /// Accuracy on training examples.
    pub train_accuracy: String,
    /// Accuracy on held-out examples.
    pub test_accuracy: String,
}

impl Newest {
    /// Of the newest measurement, or dashes. R² is a number, accuracy a percentage.
    pub fn of(run: &RunView) -> Newest {
        let row = run.history.last();
        let share = if run.vocabulary().explains { decimal } else { percent };
        let middle = |of: fn(&Row) -> &Vec<f32>| row.map_or(f32::NAN, |row| spread(of(row)).0);
        Newest {
            train_loss: decimal(middle(|r| &r.train_loss)),
            test_loss: decimal(middle(|r| &r.test_loss)),
            train_accuracy: share(middle(|r| &r.train_accuracy)),
            test_accuracy: share(middle(|r| &r.test_accuracy)),
        }
    }
}
