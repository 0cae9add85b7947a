//! What the charts of the catalogue show, in a sentence each, for those who do not see them; and the newest numbers.

use super::lazy::lazy_module;
use super::tables::{is_table, larger_class};
use super::view::RunView;
use super::words::{MISSING, count, decimal, percent, significant, thousands};
use crate::analysis::curves::spread;
use crate::analysis::neurons::Part;
use crate::analysis::parity_neurons::ParityNeurons;
use crate::analysis::{chart, weights};
use crate::catalog::chart::Chart;
use crate::language::translated;
use crate::models::Model;
use crate::permalink::Axis;
use crate::protocol::Row;
use crate::tasks::Form;
use crate::tasks::sparse_parity::charts as parity_charts;

impl Chart {
    /// What is seen, for those who do not see it.
    pub fn summary(self, run: &RunView) -> String {
        let newest = Newest::of(run.history.last());
        let drawn = if run.link.view.y_axis == Axis::Log { tr!(", drawn as error") } else { "" };
        if let Some(sentence) = lazy_module().and_then(|lazy_module| (lazy_module.summary)(self, run)) {
            return sentence;
        }
        match self {
            chart::LOSS if run.chains.is_some() => tr!(
                "Cross-entropy on training sequences over {step} steps: {train_loss}.",
                step = thousands(run.step),
                train_loss = newest.train_loss
            ),
            chart::ACCURACY if run.chains.is_some() => {
                tr!(
                    "Accuracy on training sequences over {step} steps{drawn}: {train_accuracy}; chance is {chance}.",
                    step = thousands(run.step),
                    drawn,
                    train_accuracy = newest.train_accuracy,
                    chance = percent(chance(run))
                )
            }
            chart::LOSS => tr!(
                "Loss over {step} steps: {train_loss} on training examples, {test_loss} on held-out ones.",
                step = thousands(run.step),
                train_loss = newest.train_loss,
                test_loss = newest.test_loss
            ),
            chart::ACCURACY => {
                tr!(
                    "Accuracy over {step} steps{drawn}: {train_accuracy} on training examples, \
                     {test_accuracy} on held-out ones; chance is {chance}.",
                    step = thousands(run.step),
                    drawn,
                    train_accuracy = newest.train_accuracy,
                    test_accuracy = newest.test_accuracy,
                    chance = percent(chance(run))
                )
            }
            chart::WEIGHTS if run.relevant.is_empty() => {
                let rows = run.spec().rows();
                let (inputs, width) = (run.weights.inputs, run.weights.width);
                tr!(
                    "{rows}, {row} by {column}.",
                    rows = translated(rows.name),
                    row = count(inputs, rows.row),
                    column = count(width, rows.column)
                )
            }
            chart::WEIGHTS => {
                let (relevant, other) = reach(run);
                let rows = run.spec().rows();
                let of_table = is_table(run.spec());
                let by = match rows.column {
                    "" => String::new(),
                    column => tr!(" by {column}", column = count(run.weights.width, column)),
                };
                let (rows, bits) = (
                    translated(rows.name),
                    count(run.weights.inputs, if of_table { rows.row } else { "input bit" }),
                );
                match of_table {
                    true => tr!(
                        "{rows}, {columns}{by}: largest {relevant} on the relevant columns, {other} on the others.",
                        rows,
                        columns = bits,
                        by,
                        relevant,
                        other
                    ),
                    false => tr!(
                        "{rows}, {bits}{by}: largest {relevant} on the relevant bits, {other} on the others.",
                        rows,
                        bits,
                        by,
                        relevant,
                        other
                    ),
                }
            }
            parity_charts::MOVEMENT | parity_charts::PATHS => {
                let moved = run.trajectories.as_ref().and_then(|t| t.movements().last());
                let (relevant, other) = moved.map_or((f32::NAN, f32::NAN), |(_, m)| (m.relevant, m.other));
                let rows = translated(run.spec().rows().name);
                let (relevant, other) = (decimal(relevant), decimal(other));
                match run.relevant.is_empty() {
                    true => tr!("{rows} have moved by up to {other}.", rows, other),
                    false if is_table(run.spec()) => tr!(
                        "{rows} have moved by up to {relevant} on the relevant columns and {other} on the others.",
                        rows,
                        relevant,
                        other
                    ),
                    false => tr!(
                        "{rows} have moved by up to {relevant} on the relevant bits and {other} on the others.",
                        rows,
                        relevant,
                        other
                    ),
                }
            }
            parity_charts::GAP => {
                let newest = run.gaps.iter().last().map_or(f64::NAN, |(_, gap)| gap.relaxed);
                tr!("Fourier gap of the population gradient: {newest}.", newest = decimal(newest as f32))
            }
            parity_charts::SPECTRUM => {
                let k = run.relevant.len();
                let (share, cosine) = run.spectrum.as_ref().map_or((f32::NAN, f32::NAN), |(_, s, cosine)| {
                    (s.get(k).copied().unwrap_or(f32::NAN), *cosine)
                });
                tr!(
                    "{share} of the output's squared norm is of degree {k}; its correlation with the \
                     target is {cosine}.",
                    share = percent(share),
                    k,
                    cosine = decimal(cosine)
                )
            }
            parity_charts::STRONGEST => {
                let penalty = run.spec().architecture().penalty(0);
                let read = |(u, w, width): &(Vec<f32>, Vec<f32>, usize)| {
                    ParityNeurons::read(u, w, *width, penalty?.exponent - 1, &run.relevant)
                };
                let found = run.powers.as_ref().and_then(read);
                found.map_or(tr!("The neurons have not been looked at yet.").into(), |found| found.summary())
            }
            parity_charts::ATTENTION => {
                let mass = run
                    .attention
                    .as_ref()
                    .map_or(f32::NAN, |(_, mass)| run.relevant.iter().filter_map(|i| mass.get(*i)).sum());
                tr!("{mass} of the attention rests on the relevant bits.", mass = percent(mass))
            }
            chart::TIMES => tr!(
                "{solved} of {replicas} networks have reached the target.",
                solved = thousands(run.solved.len() as u64),
                replicas = thousands(run.spec().run.replicas as u64)
            ),
            chart::SWEEP => {
                let (done, all) = run.sweep.as_ref().map_or((0, 0), |s| (s.ended(), s.cells.len()));
                let (found, networks) = run.sweep.as_ref().map_or((0, 0), |s| s.found());
                match done {
                    0 => tr!("None of the sweep's {all} runs has ended.", all),
                    _ => tr!(
                        "{done} of the sweep's {all} runs have ended; {found} of their {networks} \
                         networks have reached the target.",
                        done,
                        all,
                        found = thousands(found as u64),
                        networks = thousands(networks as u64)
                    ),
                }
            }
            _ => tr!("{title}, after {step} steps.", title = self.title(run), step = thousands(run.step)),
        }
    }
}

/// Accuracy of guessing.
pub fn chance(run: &RunView) -> f32 {
    if let Some(larger) = larger_class(run.spec()) {
        return larger;
    }
    1.0 / run.spec().task.sampler().classes().unwrap_or(2) as f32
}

/// What the numbers of [`Newest`] are called, in its order.
pub fn names(run: &RunView) -> [String; 4] {
    let Some(chains) = &run.chains else {
        return [
            tr!("Loss, training"),
            tr!("Loss, held-out"),
            tr!("Accuracy, training"),
            tr!("Accuracy, held-out"),
        ]
        .map(String::from);
    };
    let best = chains.lines.last().map_or(MISSING.into(), |(strategy, _)| strategy.name().to_lowercase());
    let way = tr!("Way to the {best} line", best);
    [tr!("Loss, training").into(), tr!("KL to the truth").into(), tr!("Accuracy, training").into(), way]
}

/// Two more numbers with their names: of networks on bits how large their weights are, of networks on pairs how large
/// the margin is and how pure the neurons, of networks on sequences how near the best strategy is and how well the
/// symbol before is seen.
pub fn extra(run: &RunView, which: usize) -> (String, String) {
    if let Some(chains) = &run.chains {
        return super::chain_charts::extra(run, chains, which);
    }
    if let Some(share) = larger_class(run.spec()) {
        return match (which, &run.spec().model) {
            (0, Model::RandomForest(forest)) => {
                (tr!("Trees").into(), thousands(forest.grown(run.step) as u64))
            }
            (0, _) => (tr!("Held-out rows").into(), thousands(run.held_out as u64)),
            _ => (tr!("Larger class").into(), percent(share)),
        };
    }
    if run.spec().task.sampler().form() == Form::Bits {
        let symbol = run.spec().rows().symbol;
        let (relevant, other) = reach(run);
        return match which {
            0 => (tr!("Largest |{symbol}|, relevant bits", symbol), relevant),
            _ => (tr!("Largest |{symbol}|, other bits", symbol), other),
        };
    }
    let margin = run.history.last().filter(|row| !row.margin.is_empty());
    match (which, run.largest_margin()) {
        (0, Some(_)) => (tr!("Margin / γ*").into(), decimal(run.margin_share().unwrap_or(f32::NAN))),
        (0, None) => {
            let newest = margin.map_or(f32::NAN, |row| spread(&row.margin).0);
            (tr!("Normalised margin").into(), significant(f64::from(newest)))
        }
        _ => {
            let neurons = run.pairs.as_ref().and_then(|pairs| pairs.neurons.as_ref());
            let median = neurons.and_then(|neurons| neurons.median_share(Part::First));
            (tr!("Largest power, median").into(), decimal(median.unwrap_or(f32::NAN)))
        }
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
    /// Of a measurement, or dashes.
    pub fn of(row: Option<&Row>) -> Newest {
        let middle = |of: fn(&Row) -> &Vec<f32>| row.map_or(f32::NAN, |row| spread(of(row)).0);
        Newest {
            train_loss: decimal(middle(|r| &r.train_loss)),
            test_loss: decimal(middle(|r| &r.test_loss)),
            train_accuracy: percent(middle(|r| &r.train_accuracy)),
            test_accuracy: percent(middle(|r| &r.test_accuracy)),
        }
    }
}
