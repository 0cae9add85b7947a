//! Networks that combine the first layer of one training step with all other weights of another step.
//!
//! # Why
//! Edelman 2024 (section 8.3.2) finds that the second layer is learned first. If so, the second layer of an early step
//! works together with the first layer of a late step, and the first layer of an early step does not work together with
//! the second layer of a late step. The grid of all pairs of steps shows this without a further run.

use super::layers::{check_has_layers, layer_count, layer_of};
use std::collections::BTreeMap;
use vivarium_model::models::{Model, attention_only, minimal_markov};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::markov::MarkovChain;
use vivarium_plot::analysis::Heatmap;
use vivarium_plot::analysis::thinned::ThinnedHistory;
use vivarium_science::markov::{kl_to_log_probabilities, log_softmax};
use vivarium_view::display::words::{format_significant, format_thousands};

/// Number of stored training steps at which every second one is dropped, so that the grid has at most 64 cells.
const MAX_SNAPSHOTS: usize = 8;
/// Number of held-out sequences on which each pair of steps is evaluated.
const CONTEXTS: usize = 32;
/// Maximum number of operations for one sequence; larger networks would keep the page busy for many seconds.
const MAX_OPERATIONS: u64 = 1 << 20;

/// Returns an error message unless the network has two layers or more and is small enough to be evaluated on the page for
/// each pair of steps.
///
/// # Errors
///
/// A sentence that gives the reason.
pub(super) fn check_has_swaps(spec: &RunSpec) -> Result<(), String> {
    check_has_layers(spec)?;
    if layer_count(spec) == Some(1) {
        return Err(tr!("This chart needs a network with at least two layers.").into());
    }
    let is_large = spec.estimate_cost().inspection_operations > MAX_OPERATIONS;
    if is_large || !spec.can_page_initialize() {
        return Err(tr!("This network is too large for this chart.").into());
    }
    Ok(())
}

/// Weights of one network at some training steps of a run, and the KL divergence of each combination of two of these
/// steps.
#[derive(Debug, Clone)]
pub struct LayerSwaps {
    /// Whether the chart of these networks is shown; nothing is computed while it is not.
    pub is_shown: bool,
    /// Settings of the run.
    spec: RunSpec,
    /// Held-out sequences without their last symbols, one after another, `[CONTEXTS, length]`.
    contexts: Vec<u8>,
    /// True distribution of the symbol after each sequence, `[CONTEXTS, symbols]`.
    truths: Vec<f64>,
    /// Parameters of the network at some training steps.
    snapshots: ThinnedHistory<Vec<Vec<f32>>>,
    /// Mean KL divergence, in nats, of each pair (step of the first layer, step of all other weights) computed so far.
    cells: BTreeMap<(u64, u64), f64>,
    /// Pair that is being evaluated, the number of its sequences evaluated so far, and the sum of their KL divergences.
    pending: Option<((u64, u64), usize, f64)>,
}

impl LayerSwaps {
    /// Empty grid of a run; `None` if its network [has no such grid](check_has_swaps).
    pub fn new(spec: &RunSpec, task: &MarkovChain) -> Option<Self> {
        check_has_swaps(spec).ok()?;
        let (seed, mut contexts, mut truths) = (spec.run.seed, vec![], vec![]);
        for example in 0..CONTEXTS {
            let mut symbols = vec![];
            task.append_held_out_sequences(task.test, seed, example..example + 1, &mut symbols);
            symbols.truncate(task.length);
            let chain = task.held_out_chain(task.test, seed, example);
            truths.extend(chain.next_symbol_distribution(chain.context_index(&symbols)));
            contexts.extend(symbols);
        }
        Some(LayerSwaps {
            is_shown: false,
            spec: spec.clone(),
            contexts,
            truths,
            snapshots: ThinnedHistory::new(MAX_SNAPSHOTS),
            cells: BTreeMap::new(),
            pending: None,
        })
    }

    /// Adds the parameters of the network after training step `step`.
    pub fn push(&mut self, step: u64, parameters: &[Vec<f32>]) {
        // The network at this step may have changed, because a run can be reset to an earlier step.
        let is_older = |at: u64| at < step;
        self.snapshots.push(step, parameters.to_vec());
        let steps = self.steps();
        self.cells.retain(|(first, rest), _| {
            is_older(*first) && is_older(*rest) && steps.contains(first) && steps.contains(rest)
        });
        self.pending = None;
    }

    /// Training steps of the stored parameters, ascending.
    fn steps(&self) -> Vec<u64> {
        self.snapshots.iter().map(|(step, _)| step).collect()
    }

    /// The first pair of steps that has not been evaluated; `None` if all pairs have been.
    fn next_pair(&self) -> Option<(u64, u64)> {
        let steps = self.steps();
        let mut pairs = steps.iter().flat_map(|first| steps.iter().map(|rest| (*first, *rest)));
        pairs.find(|pair| !self.cells.contains_key(pair))
    }

    /// Whether the chart is shown and some pairs of steps have not been evaluated.
    pub fn is_busy(&self) -> bool {
        self.is_shown && self.next_pair().is_some()
    }

    /// Parameters with the first layer of the first step of a pair, and all other weights of the second step.
    fn combined(&self, (first, rest): (u64, u64)) -> Option<Vec<&[f32]>> {
        let at = |wanted: u64| self.snapshots.iter().find(|(step, _)| *step == wanted);
        let (one, other) = (at(first)?.1, at(rest)?.1);
        let is_first = |which: usize| layer_of(&self.spec, which) == Some(0);
        let choose = |which: usize| if is_first(which) { &one[which][..] } else { &other[which][..] };
        Some((0..other.len()).map(choose).collect())
    }

    /// Evaluates pairs of steps for about `operations` operations, and one sequence at least.
    pub fn advance(&mut self, operations: u64) {
        let cost = self.spec.estimate_cost().inspection_operations.max(1);
        for _ in 0..(operations / cost).max(1) {
            let Some((pair, done, sum)) = self.pending.take().or_else(|| Some((self.next_pair()?, 0, 0.0)))
            else {
                return;
            };
            let sum = sum + self.divergence(pair, done).unwrap_or(f64::NAN);
            if done + 1 == CONTEXTS {
                self.cells.insert(pair, sum / CONTEXTS as f64);
            } else {
                self.pending = Some((pair, done + 1, sum));
            }
        }
    }

    /// KL divergence from the true distribution after held-out sequence number `example` to the prediction of the network
    /// of a pair of steps; `None` if the steps are not stored.
    fn divergence(&self, pair: (u64, u64), example: usize) -> Option<f64> {
        let weights = self.combined(pair)?;
        let (length, symbols) = (self.contexts.len() / CONTEXTS, self.truths.len() / CONTEXTS);
        let context = &self.contexts[example * length..][..length];
        let logits = match &self.spec.model {
            Model::AttentionOnly(net) => {
                let of_length = attention_only::OfLength { net: net.clone(), length };
                of_length.plain(&weights, symbols).look(context, &[]).logits
            }
            Model::MinimalMarkov(net) => {
                let of_length = minimal_markov::OfLength { net: net.clone(), length };
                of_length.logits(&weights, symbols, context)
            }
            _ => return None,
        };
        let mut logs = vec![0.0; symbols];
        log_softmax(&logits[(length - 1) * symbols..], &mut logs);
        Some(kl_to_log_probabilities(&self.truths[example * symbols..][..symbols], &logs))
    }

    /// KL divergence of the pair (step of the first layer, step of all other weights); NaN until it is computed.
    pub fn kl(&self, first: u64, rest: u64) -> f64 {
        self.cells.get(&(first, rest)).copied().unwrap_or(f64::NAN)
    }

    /// Heat map of the KL divergences: a row for each step of the first layer, a column for each step of all other
    /// weights.
    pub fn draw(&self) -> Heatmap {
        let steps = self.steps();
        let names: Vec<String> = steps.iter().map(|step| format_thousands(*step)).collect();
        let pairs = steps.iter().flat_map(|first| steps.iter().map(|rest| self.kl(*first, *rest)));
        let values: Vec<f64> = pairs.collect();
        Heatmap {
            title: tr!("KL to the truth with layers of different steps").into(),
            x_label: tr!("step of all other weights").into(),
            y_label: tr!("step of layer 1").into(),
            rows: steps.len(),
            columns: steps.len(),
            texts: values.iter().map(|kl| format_significant(*kl)).collect(),
            values: values.into_iter().map(|kl| kl as f32).collect(),
            row_names: names.clone(),
            column_names: names,
            ..Heatmap::default()
        }
    }

    /// Summary of the heat map, for screen readers: the step in the middle of the run compared with the last step.
    pub fn describe(&self) -> String {
        let steps = self.steps();
        let (Some(last), Some(middle)) = (steps.last(), steps.get(steps.len() / 2)) else {
            return tr!("The network has not been trained yet.").into();
        };
        let kl = |first: u64, rest: u64| format_significant(self.kl(first, rest));
        tr!(
            "KL to the truth: {end} with all weights of step {last}, {early} with the first layer of step {last} and the other weights of step {middle}, {late} with the first layer of step {middle} and the other weights of step {last}.",
            end = kl(*last, *last),
            last = format_thousands(*last),
            early = kl(*last, *middle),
            middle = format_thousands(*middle),
            late = kl(*middle, *last)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
    use vivarium_kernels::cpu::sequence_net::Inference;
    use vivarium_model::permalink::decode;
    use vivarium_model::tasks::Task;
    use vivarium_training::session::evaluator::Evaluator;

    fn started(link: &str) -> (RunSpec, LayerSwaps) {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let Task::MarkovChain(task) = &link.spec.task else { panic!("another task") };
        let mut swaps = LayerSwaps::new(&link.spec, task).unwrap();
        swaps.is_shown = true;
        (link.spec, swaps)
    }

    /// Against the loop in vectors and the evaluator of the run, with the layers of another seed as the later step.
    #[test]
    fn each_pair_is_the_network_with_the_first_layer_of_one_step() {
        let link = "#v1/markov?k=3&t=20&d=8&std=0.5&held=64&seed=4";
        let (spec, mut swaps) = started(link);
        let early = spec.initialize_parameters();
        let later: Vec<Vec<f32>> =
            early.iter().map(|values| values.iter().map(|w| 0.3 - 1.5 * w).collect()).collect();
        swaps.push(0, &early);
        swaps.push(10, &later);
        while swaps.is_busy() {
            swaps.advance(PAGE_SLICE_OPERATIONS);
        }
        let Task::MarkovChain(task) = &spec.task else { panic!("another task") };
        let (evaluator, mut inference) = (Evaluator::new(&spec).unwrap(), Inference::new(&spec).unwrap());
        let steps = [(0, &early), (10, &later)];
        for (first, one) in steps {
            for (rest, other) in steps {
                // embed, then query, key, value and distances of the first layer, then the rest.
                let mixed: Vec<&[f32]> = (0..other.len())
                    .map(|i| if (1..5).contains(&i) { &one[i][..] } else { &other[i] })
                    .collect();
                let answers = inference.answers(&mixed, &evaluator.contexts()[..32 * 20], 0, &[]);
                let each = answers.logits.chunks(3).enumerate().map(|(example, logits)| {
                    let context = &evaluator.contexts()[example * 20..][..20];
                    let chain = task.held_out_chain(task.test, 4, example);
                    let truth = chain.next_symbol_distribution(chain.context_index(context));
                    let logits: Vec<f64> = logits.iter().map(|logit| f64::from(*logit)).collect();
                    let mut logs = vec![0.0; 3];
                    log_softmax(&logits, &mut logs);
                    truth.iter().zip(&logs).map(|(p, log)| p * (p.ln() - log)).sum::<f64>()
                });
                let exact = each.sum::<f64>() / 32.0;
                let found = swaps.kl(first, rest);
                assert!((found - exact).abs() < 1e-4 * exact + 1e-6, "{first} {rest}: {found} {exact}");
            }
        }
        let grid = swaps.draw();
        assert_eq!(
            (grid.rows, grid.columns, grid.values[1] as f64),
            (2, 2, f64::from(swaps.kl(0, 10) as f32))
        );
    }

    #[test]
    fn nothing_is_computed_while_the_chart_is_hidden_and_an_earlier_step_starts_again() {
        let (spec, mut swaps) = started("#v1/markov?model=minimal-markov&t=20&held=64");
        let weights = spec.initialize_parameters();
        swaps.push(0, &weights);
        swaps.is_shown = false;
        assert!(!swaps.is_busy() && swaps.kl(0, 0).is_nan());
        swaps.is_shown = true;
        while swaps.is_busy() {
            swaps.advance(1);
        }
        assert!(swaps.kl(0, 0) > 0.0);
        swaps.push(5, &weights);
        assert!(swaps.is_busy() && swaps.kl(0, 0) > 0.0);
        swaps.push(0, &weights);
        assert!(swaps.kl(0, 0).is_nan() && swaps.steps() == [0]);
    }

    #[test]
    fn single_layers_and_large_networks_have_no_grid() {
        for link in ["#v1/markov?heads=1", "#v1/markov?t=200&d=48&heads=3.3", "#v1/markov?model=own"] {
            assert!(check_has_swaps(&decode(link).0.spec).is_err(), "{link}");
        }
    }
}
